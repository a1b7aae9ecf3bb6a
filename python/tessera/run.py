"""Running a program on Tessera devices: arguments are cut, every device evaluates its part, and the
parts of the results are put together."""

import ctypes
import threading

import numpy as np

from . import _jaxlib, checks, dtypes, errors
from ._lib import Buffer, EvaluateOptions, Tile, lib
from .callbacks import Callbacks, taken
from .export import without_static
from .program import SCATTER, TOKEN

_DYNAMIC = -2**63  # TSR_DIM_DYNAMIC


# ---- arguments ----

def seed_of(seed):
    """That of stablehlo.rng; None is 0."""
    return 0 if seed is None else checks.number("seed", seed, 0, 2**64 - 1, "a whole number from 0 on, below 2**64")


def flat_arguments(program, args, kwargs, seed):
    """NumPy arrays in the order of @main's arguments, checked against their types; and the seed,
    unless the function has a parameter of that name."""
    if seed is not None and "seed" in _keywords_of(program):
        seed, kwargs = None, {**kwargs, "seed": seed}
    return checked_arguments(program, leaves_of(program, args, kwargs)), seed_of(seed)


def _keywords_of(program):
    """Names of arguments that the function was exported with."""
    if program.in_tree is None:
        return ()
    args_kwargs = program.in_tree.unflatten([0] * program.in_tree.num_leaves)
    return {*args_kwargs[1], *program._trees.static_argnames}


def memory_of(limit, name="memory_limit"):
    """Bytes that a run may take; None is no limit."""
    return 0 if limit is None else checks.number(name, limit, 1, 2**64 - 1,
                                                 "bytes, a whole number from 1 on")


def checked_arguments(program, leaves, arguments=None):
    """The same of what is flat already; arguments are the values expected, if not the program's."""
    arguments = program.arguments if arguments is None else arguments
    if not isinstance(leaves, (list, tuple)):
        raise checks.wrong("what is run on", leaves, "a list of arrays")
    for value in program.results:
        if value.dtype is None and value.text != TOKEN:
            raise errors.Unimplemented(f"{value.name} is a {value.text}: only tensors and tokens "
                                       "can be results")
    if len(leaves) != len(program.arguments):
        raise errors.InvalidArgument(
            f"the program takes {len(program.arguments)} arrays "
            f"({', '.join(program.arg_names[:8])}{', …' if len(program.arguments) > 8 else ''}), "
            f"not {len(leaves)}")
    canonicalize = program.in_tree is not None
    return [_as_argument(value, leaf, canonicalize)
            for value, leaf in zip(arguments, leaves)]


def leaves_of(program, args, kwargs):
    """The arrays of a call, with static arguments or without, flat."""
    if program.in_tree is None:
        if kwargs:
            raise errors.InvalidArgument(
                f"a loaded program takes arrays by position, not {', '.join(kwargs)}=")
        return list(args)
    import jax
    leaves, tree = jax.tree.flatten((args, kwargs))
    if tree == program.in_tree:
        return leaves
    dynamic = without_static(program._trees, args, kwargs)
    leaves, tree = jax.tree.flatten(dynamic)
    if tree != program.in_tree:
        said = [_other_structure(jax, program, call) for call in ((args, kwargs), dynamic)]
        raise errors.InvalidArgument(min(said)[1])
    return leaves


def _some(words):
    return ", ".join(words[:5]) + (f" and {len(words) - 5} more" if len(words) > 5 else "")


def _other_structure(jax, program, call):
    """How many leaves are missing or too much, and a sentence that names them."""
    def paths(of):
        return [jax.tree_util.keystr(path) for path, _ in jax.tree_util.tree_leaves_with_path(of)]
    wanted = paths(jax.tree.unflatten(program.in_tree, [0] * program.in_tree.num_leaves))
    given = paths(call)
    names = dict(zip(wanted, program.arg_names))
    missing = [names[path] for path in wanted if path not in set(given)]
    extra = [_call_path(path) for path in given if path not in names]
    said = "the arguments have another structure than the program was exported with"
    if missing:
        said += "; missing: " + _some(missing)
    if extra:
        said += "; not expected: " + _some(extra)
    if not missing and not extra:
        said += (f":\n  given     {jax.tree.structure(call)}\n  expected  {program.in_tree}")
    return len(missing) + len(extra), said


def _call_path(path):
    """ "args[0]['w']" of "[0][0]['w']", which is a path in (args, kwargs). """
    return ("args" if path.startswith("[0]") else "kwargs") + path[3:]


def _as_argument(value, leaf, canonicalize):
    """One argument as a contiguous array of its type in this machine's byte order."""
    if value.text == TOKEN:
        if leaf is not None:
            raise checks.wrong(value.name, leaf, "None: it is a token, which has no value")
        return None
    if type(leaf).__name__ == "ShapeDtypeStruct":
        raise errors.InvalidArgument(f"{value.name} is a ShapeDtypeStruct: running needs its data")
    if value.dtype is None:
        raise errors.Unimplemented(f"{value.name} is a {value.text}: only tensors can be given")
    dtype = dtypes.named(value.dtype)
    if isinstance(leaf, (bool, int, float, complex)) and not isinstance(leaf, np.generic):
        array = _number(value, leaf, dtype)
    else:
        array = _array(value, leaf)
        if not _same_type(array.dtype, dtype, canonicalize):
            raise errors.InvalidArgument(
                f"{value.name} is {array.dtype.name}, expected {dtype.name} ({value.text})")
    if len(array.shape) != len(value.shape) or any(
            want not in (_DYNAMIC, n) for n, want in zip(array.shape, value.shape)):
        want = ["?" if n == _DYNAMIC else n for n in value.shape]
        raise errors.InvalidArgument(f"{value.name} has shape {list(array.shape)}, expected "
                                     f"{want} ({value.text})")
    array = np.require(array, dtype, "C").reshape(array.shape)
    # A byte of a bool that is not 0 is true, also one that is not 1 (another array's view).
    return np.asarray(array.view(np.uint8) != 0) if dtype == np.bool_ else array


def _number(value, number, dtype):
    """A Python number as an array of a type that has it: integers exactly, floats rounded."""
    kinds = ((bool, ("bool",)), (int, ("int", "uint", "float", "bfloat", "complex")),
             (float, ("float", "bfloat", "complex")), (complex, ("complex",)))
    kind = dtype.name.rstrip("0123456789").split("_")[0].rstrip("0123456789")
    known = next(names for type_, names in kinds if isinstance(number, type_))
    array = np.asarray(number)
    if kind in known and array.dtype != object:
        array = array.astype(dtype)
        if "int" not in kind or int(array) == number:
            return array
    raise checks.wrong(value.name, number, value.text)


def _array(value, leaf):
    if "key<" in str(getattr(leaf, "dtype", "")):
        import jax
        leaf = jax.random.key_data(leaf)
    try:
        array = np.asarray(leaf)
    except Exception as e:
        raise errors.InvalidArgument(f"{value.name} is no array: {e}") from None
    if array.dtype == object:
        raise errors.InvalidArgument(f"{value.name} is {type(leaf).__name__}, expected an array "
                                     f"({value.text})")
    return array


def _same_type(given, wanted, canonicalize):
    if given.newbyteorder("=") == wanted:
        return True
    if not canonicalize or given.name not in ("float64", "int64", "uint64", "complex128"):
        return False
    import jax  # which takes 64 bits for 32 unless jax_enable_x64 is on
    return np.dtype(jax.dtypes.canonicalize_dtype(given.newbyteorder("="))) == wanted


# ---- evaluating ----

def _buffer(array):
    if array is None:  # a token
        return Buffer()
    return Buffer(dtype=dtypes.number_of(array.dtype), rank=array.ndim,
                  dims=(ctypes.c_int64 * max(array.ndim, 1))(*array.shape), data=array.ctypes.data)


def evaluate(handle, program, arrays, n_outputs, devices=1, seed=0, memory_limit=0):
    """Arrays of device 0, then of device 1, …; results the same way. handle is of the program, or of
    what each device runs of it."""
    inputs = (Buffer * max(len(arrays), 1))()
    for i, array in enumerate(arrays):
        inputs[i] = _buffer(array)
    outputs = (Buffer * max(n_outputs, 1))(*(Buffer() for _ in range(max(n_outputs, 1))))
    cancel = ctypes.c_int(0)
    handle.refuse_within()  # on this thread: the call is made on another
    callbacks = Callbacks(handle, program._callbacks)
    options = EvaluateOptions(seed=seed, partitions=devices, memory_limit=memory_limit,
                              cancel=ctypes.pointer(cancel), custom_call=callbacks.function,
                              scatter=SCATTER.index(program.scatter))
    try:
        interruptible(cancel, callbacks, arrays, handle.call, "tsr_program_evaluate",
                       program.function.encode(), ctypes.byref(options), len(arrays), inputs,
                       n_outputs, outputs)
    except errors.Error:
        if callbacks.error is None:
            raise
    if callbacks.error is not None:  # as the user's function raised it, which is why the run failed
        raise callbacks.error
    try:
        return [taken(outputs[i]) for i in range(n_outputs)]
    finally:
        for i in range(n_outputs):
            lib.tsr_buffer_free(ctypes.byref(outputs[i]))


def interruptible(cancel, callbacks, arrays, call, *arguments):
    """Runs the call on its own thread, so that the main thread receives interrupts and runs callbacks. After an
    interrupt the main thread cancels the call and waits until it ends, because the call reads the arguments' memory.
    A second interrupt may end that wait, so the thread also keeps the arrays alive."""
    if threading.current_thread() is not threading.main_thread():
        call(*arguments)
        return
    done, failed, interrupts = threading.Event(), [], []

    def work(_kept):
        try:
            call(*arguments)
        except BaseException as error:
            failed.append(error)
        finally:
            done.set()
            callbacks.finish()

    thread = threading.Thread(target=work, args=(arrays,), name="tessera", daemon=True)
    thread.start()
    while thread.is_alive():
        try:
            while not done.is_set():
                callbacks.serve(done)
            thread.join()
        except BaseException as error:  # KeyboardInterrupt, or what the user's signal handler raises
            cancel.value = 1
            interrupts.append(error)
    if interrupts or failed:
        raise (interrupts or failed)[0]


# ---- parts ----

class _Part:
    """What one device has of an argument or result."""

    def __init__(self, tile):
        rank = tile.rank
        self.whole, self.shape = tuple(tile.whole[:rank]), tuple(tile.tile[:rank])
        offset, extent = tile.offset[:rank], tile.extent[:rank]
        self.in_whole = tuple(slice(at, at + n) for at, n in zip(offset, extent))
        self.in_part = tuple(slice(0, n) for n in extent)
        self.text = tile.global_type.decode()  # type of the whole
        self.combine = tile.combine.decode()  # of parts of a sum and its like; else ""
        self.first = tile.first               # the first device that has a part of the same


def parts_of(handle, what, function, values, devices):
    """For each of the arguments or results (a list of Value) the parts of these devices; None for a
    token, which all of them have."""
    def part(i, device):
        tile = Tile()
        with handle.lock:  # what the tile points to is the program's
            handle.call(f"tsr_program_{what}_tile", function, i, device, ctypes.byref(tile))
            return _Part(tile)
    return [[None if value.text == TOKEN else part(i, device) for device in devices]
            for i, value in enumerate(values)]


def cut(part, device, whole):
    """The part of an argument that a device has; zeros beyond the whole's end."""
    if part is None:
        return None
    is_rest = part.combine in ("sum", "mul", "xor") and part.first != device
    if part.shape == whole.shape and not is_rest:
        return whole
    out = np.zeros(part.shape, whole.dtype)
    if is_rest:  # the first device has all of it, others what changes nothing
        return out + np.ones((), whole.dtype) if part.combine == "mul" else out
    out[part.in_part] = whole[part.in_whole]
    return out


_COMBINE = {"sum": np.add, "max": np.maximum, "min": np.minimum, "mul": np.multiply,
            "and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor}


def join(places, parts):
    """The whole of a result from the parts of all devices."""
    sums = {}
    for place, part in zip(places, parts):
        if place.first not in sums:
            sums[place.first] = part
        elif place.combine:
            sums[place.first] = _COMBINE[place.combine](sums[place.first], part)
    whole = np.empty(places[0].whole, parts[0].dtype)
    for device, total in sums.items():
        whole[places[device].in_whole] = total[places[device].in_part]
    return whole


def run_parts(handle, program, arguments, results, devices, arrays, seed, memory_limit=0):
    """A partitioned program on whole arrays: whole results. arguments and results are parts_of."""
    parts = [cut(places[device], device, array)
             for device in range(devices) for places, array in zip(arguments, arrays)]
    n = len(results)
    out = evaluate(handle, program, parts, n * devices, devices, seed, memory_limit)
    return [join(places, out[i::n]) if places[0] else None for i, places in enumerate(results)]


def run_local(program, devices, args, kwargs, seed, memory_limit):
    """A loaded program that is partitioned already, on global arrays: global results."""
    parts = [parts_of(program._handle, what, program._entry, values, range(devices))
             for what, values in (("argument", program.arguments), ("result", program.results))]
    wholes = [value if places[0] is None else
              value._replace(shape=places[0].whole, text=places[0].text)
              for value, places in zip(program.arguments, parts[0])]
    arrays = checked_arguments(program, leaves_of(program, args, kwargs), wholes)
    return as_tree(program, run_parts(program._handle, program, *parts, devices, arrays,
                                      seed_of(seed), memory_limit))


# ---- results ----

def as_tree(program, results):
    """Results as the exported function gives them; of a loaded program a list, or the one."""
    if program.out_tree is None:
        return results[0] if len(results) == 1 else results
    import jax
    leaves = [_as_leaf(jax, aval, r) for aval, r in zip(program.out_avals, results)]
    return jax.tree.unflatten(program.out_tree, leaves)


def _as_leaf(jax, aval, result):
    if jax.dtypes.issubdtype(aval.dtype, jax.dtypes.prng_key):
        return jax.random.wrap_key_data(result, impl=_jaxlib.key_impl(aval.dtype))
    if aval.dtype == jax.dtypes.float0:
        return np.zeros(aval.shape, jax.dtypes.float0)
    return result
