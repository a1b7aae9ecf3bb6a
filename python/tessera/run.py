"""Running a program on N Tessera devices: arguments are cut, every device evaluates its part, and
the parts of the results are put together."""

import ctypes
import math

import numpy as np

from . import dtypes, errors
from ._lib import Buffer, EvaluateOptions, Tile, lib


# ---- arguments ----

def flat_arguments(program, args, kwargs):
    """NumPy arrays in the order of @main's arguments, checked against their types."""
    leaves = _leaves(program, args, kwargs)
    if len(leaves) != len(program.arguments):
        raise errors.InvalidArgument(f"the program takes {len(program.arguments)} arrays, "
                                     f"{len(leaves)} are given")
    return [as_argument(value, leaf, program.in_avals is not None)
            for value, leaf in zip(program.arguments, leaves)]


def _leaves(program, args, kwargs):
    if program.in_tree is None:
        if kwargs:
            raise errors.InvalidArgument("a loaded program takes arrays by position only")
        return list(args)
    import jax
    leaves, tree = jax.tree.flatten((args, kwargs))
    if tree != program.in_tree:
        raise errors.InvalidArgument(f"the arguments have another structure than the program was "
                                     f"exported with:\n  {tree}\n  {program.in_tree}")
    return leaves


def as_argument(value, leaf, canonicalize):
    """One argument as a contiguous little-endian array of its type, or an error with its name."""
    if type(leaf).__name__ == "ShapeDtypeStruct":
        raise errors.InvalidArgument(f"{value.name} is a ShapeDtypeStruct: running needs its data")
    dtype = np.dtype(dtypes.to_numpy(dtypes._NUMBER[value.dtype]))
    if isinstance(leaf, (bool, int, float, complex)):
        array = np.asarray(leaf).astype(dtype)
    else:
        array = _array(value, leaf)
    if array.dtype.newbyteorder("=") != dtype and not (
            canonicalize and _canonical(array.dtype) == dtype):
        raise errors.InvalidArgument(
            f"{value.name} is {array.dtype.name}, expected {value.dtype} ({value.text})")
    if array.shape != value.shape and not _fits_dynamic(array.shape, value.shape):
        raise errors.InvalidArgument(
            f"{value.name} has shape {list(array.shape)}, expected {list(value.shape)} ({value.text})")
    return np.ascontiguousarray(array, dtype).reshape(array.shape)


_DYNAMIC = -2**63


def _fits_dynamic(shape, expected):
    return len(shape) == len(expected) and all(
        e in (_DYNAMIC, n) for n, e in zip(shape, expected))


def _array(value, leaf):
    if getattr(getattr(leaf, "dtype", None), "_rules", None) is not None:
        import jax
        leaf = jax.random.key_data(leaf)
    try:
        return np.asarray(leaf)
    except Exception as e:
        raise errors.InvalidArgument(f"{value.name} is no array: {e}") from None


# What JAX takes a 64-bit array for when jax_enable_x64 is off.
def _canonical(dtype):
    import jax
    return np.dtype(jax.dtypes.canonicalize_dtype(dtype.newbyteorder("=")))


# ---- evaluating ----

def evaluate(handle, function, arrays, n_outputs, devices=1, seed=0):
    """Arrays of device 0, then of device 1, …; results the same way."""
    inputs = (Buffer * max(len(arrays), 1))()
    for buffer, array in zip(inputs, arrays):
        buffer.struct_size = ctypes.sizeof(Buffer)
        buffer.dtype = dtypes.number_of(array.dtype)
        buffer.rank = array.ndim
        buffer.dims = (ctypes.c_int64 * max(array.ndim, 1))(*array.shape)
        buffer.data = array.ctypes.data
    outputs = (Buffer * max(n_outputs, 1))()
    for buffer in outputs:
        buffer.struct_size = ctypes.sizeof(Buffer)
    options = EvaluateOptions(seed=seed, partitions=devices)
    handle.call("evaluate", function.encode(), ctypes.byref(options), len(arrays), inputs,
                n_outputs, outputs)
    try:
        return [_taken(outputs[i]) for i in range(n_outputs)]
    finally:
        for i in range(n_outputs):
            lib.tsr_buffer_free(ctypes.byref(outputs[i]))


def _taken(buffer):
    if not buffer.dtype:
        return None
    dtype = dtypes.to_numpy(buffer.dtype)
    shape = tuple(buffer.dims[d] for d in range(buffer.rank))
    data = ctypes.string_at(buffer.data, math.prod(shape) * dtype.itemsize) if buffer.data else b""
    return np.frombuffer(bytearray(data), dtype).reshape(shape)


# ---- parts ----

def _tile(handle, what, function, i, device):
    tile = Tile()
    handle.call(what, function, i, device, ctypes.byref(tile))
    return tile


def _begin(tile):
    return tuple(slice(tile.offset[d], tile.offset[d] + tile.extent[d]) for d in range(tile.rank))


def _corner(tile):
    return tuple(slice(0, tile.extent[d]) for d in range(tile.rank))


def cut(handle, function, i, device, whole):
    """The part of an argument that a device has; zeros beyond the whole's end."""
    tile = _tile(handle, "argument_tile", function, i, device)
    shape = tuple(tile.tile[d] for d in range(tile.rank))
    if shape == whole.shape:
        return whole
    part = np.zeros(shape, whole.dtype)
    part[_corner(tile)] = whole[_begin(tile)]
    return part


def join(handle, function, i, parts):
    """The whole of a result from the parts of all devices."""
    whole = None
    for device, part in enumerate(parts):
        tile = _tile(handle, "result_tile", function, i, device)
        if tile.is_sum:
            raise errors.Unimplemented(f"result {i} is left as parts of a sum")
        if whole is None:
            whole = np.empty(tuple(tile.whole[d] for d in range(tile.rank)), part.dtype)
        whole[_begin(tile)] = part[_corner(tile)]
    return whole


def run_on(handle, function_index, function, n_results, devices, arrays, seed):
    """A partitioned program on whole arrays: whole results."""
    parts = [cut(handle, function_index, i, device, array)
             for device in range(devices) for i, array in enumerate(arrays)]
    out = evaluate(handle, function, parts, n_results * devices, devices, seed)
    return [join(handle, function_index, i, out[i::n_results]) for i in range(n_results)]


def as_tree(program, results):
    """Results as the exported function gives them; of a loaded program a list, or the one."""
    if program.out_tree is None:
        return results[0] if len(results) == 1 else results
    import jax
    leaves = [_rewrap(jax, aval, r) for aval, r in zip(program.out_avals, results)]
    return jax.tree.unflatten(program.out_tree, leaves)


def _rewrap(jax, aval, result):
    if not jax.dtypes.issubdtype(aval.dtype, jax.dtypes.prng_key):
        return result
    return jax.random.wrap_key_data(result, impl=jax.random.key_impl(aval))
