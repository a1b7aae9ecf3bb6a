"""Stock JAX runs the local program: what tessera.partition writes, inside a fully manual shard_map.

XLA's own partitioner then has nothing to decide: XLA compiles our ops and our collectives. The body
of the shard_map is one primitive, whose lowering adds the functions of the local program to JAX's
module and calls them. Around the shard_map, arguments that do not divide are padded to whole tiles
and results are cut back; PRNG keys are passed as their numbers.

The primitive has no derivative and no batching rule, since the local program is text. A call under
grad or vmap runs the Python function instead, with the shardings of its arguments and results as
constraints (traced.py), and warns once.
"""

import contextlib
import functools
import hashlib
import math
import re

import jax
import numpy as np

from . import _jaxlib, axes, dtypes, errors
from .export import has_explicit_axes
from .run import parts_of
from .stages import partition
from .traced import on_mesh_set, over_auto_axes, warn_once, with_constraints, without_rules

# Symbols in the text of a program; strings and the target of a custom_call are none.
_SYMBOL = re.compile(r'"(?:[^"\\]|\\.)*"|custom_call @[\w.$-]+|@(?:[\w.$-]+|"(?:[^"\\]|\\.)*")')
_FUNCTION = re.compile(r'^\s*func\.func (?:\w+ )?@([\w.$-]+|"(?:[^"\\]|\\.)*")\(', re.M)

# Placement in host memory: shard_map has no word for it inside of its body.
_HOST_MEMORY = re.compile(r"@annotate_device_placement|memory_kind")


# ---- the text ----

def _renamed(text, entry):
    """The text with functions that no other program has, and its entry's name. A digest of the text
    is part of each name, so that equal programs in one module share their functions."""
    stem = "tessera_" + hashlib.sha256(text.encode()).hexdigest()[:16] + "_"
    functions = set(_FUNCTION.findall(text))

    def rename(match):
        word = match.group(0)
        if word[0] != "@" or word[1:] not in functions:
            return word
        return f'@"{stem}{word[2:]}' if word[1] == '"' else f"@{stem}{word[1:]}"

    return _SYMBOL.sub(rename, text), stem + entry


class _Text:
    """A local program as a parameter of the primitive. Equal programs are equal parameters, so that
    JAX's caches find them."""

    def __init__(self, text, entry, result_types):
        self.text, self.entry = _renamed(text, entry)
        self.result_types = result_types  # (shape, dtype) of each, on one device

    def __hash__(self):
        return hash(self.entry)

    def __eq__(self, other):
        return isinstance(other, _Text) and self.entry == other.entry

    def __repr__(self):
        return self.entry


# ---- arguments and results ----

class _Edge:
    """How an argument or result lies on the mesh.

    shape    of the whole
    padded   the shape of as many whole tiles as there are shards
    tile     the shape of what one device has
    spec     the PartitionSpec of what is padded
    """

    def __init__(self, value, sharding, meshes, tiles, decided):
        if value.dtype is None:
            raise errors.Unimplemented(f"{value.name} is {value.text}, which JAX has no arrays of")
        self.value, self.shape = value, tuple(value.shape)
        self.dtype = dtypes.to_numpy(dtypes._NUMBER[value.dtype])
        self.tile = next(iter(tiles.values())).shape
        mesh, names = (meshes.main, [[]] * len(self.shape)) if sharding is None else \
            meshes.spec(sharding)
        if mesh != meshes.main:
            raise errors.Unimplemented(
                f"{value.name} is sharded over {dict(mesh.shape)}, other arguments or results over "
                f"{dict(meshes.main.shape)}: shard_map needs one mesh for all")
        self.counts = [math.prod(mesh.shape[name] for name in dim) for dim in names]
        self.padded = tuple(n * count for n, count in zip(self.tile, self.counts))
        self.spec = jax.sharding.PartitionSpec(*(tuple(dim) or None for dim in names))
        for device, tile in tiles.items():
            self._check(mesh, names, device, tile, decided)

    def _check(self, mesh, names, device, tile, decided):
        """That shard_map gives each device the tile that the local program is written for."""
        if tile.combine:
            raise errors.Unimplemented(f"{self.value.name} is unreduced (each device has a partial "
                                       f"{tile.combine}), which JAX has no arrays of")
        at = dict(zip(mesh.shape, np.unravel_index(device, tuple(mesh.shape.values()))))
        for dim, n, size, part in zip(names, self.shape, self.tile, tile.in_whole):
            index = 0
            for name in dim:
                index = index * mesh.shape[name] + at[name]
            begin = min(index * size, n)
            if part.stop > part.start and (part.start, part.stop) != (begin, min(begin + size, n)):
                if decided:
                    raise errors.InvalidArgument(
                        f"decisions give device {device} {part.start}:{part.stop} of "
                        f"{self.value.name}, propagate gave it {begin}:{min(begin + size, n)}: "
                        "annotate arguments and results with shard=, decide what is between")
                raise errors.Unimplemented(
                    f"{self.value.name}: device {device} has {part.start}:{part.stop}, for which "
                    "JAX has no PartitionSpec")

    def pad(self, x):
        widths = [(0, p - n, 0) for p, n in zip(self.padded, self.shape)]
        return jax.lax.pad(x, np.zeros((), x.dtype), widths) if self.padded != self.shape else x

    def cut(self, x):
        return jax.lax.slice(x, (0,) * x.ndim, self.shape) if self.padded != self.shape else x


def _some_devices(n):
    """Those whose tiles are checked: all, or of many the first, the last and some between."""
    return range(n) if n <= 64 else sorted({0, 1, n // 3, n // 2, n - 2, n - 1})


def _edges(made, meshes, decided):
    """Those of the arguments and those of the results. decided: decisions were given, which may
    contradict the shardings that propagate found."""
    arguments, results = made.program.arguments, made.program.results
    n, devices, found = len(arguments), list(_some_devices(made.devices)), []
    for what, values, known in (("argument", arguments, meshes.edges[:n]),
                                ("result", results, meshes.edges[n:])):
        tiles = parts_of(made._handle, what, made._entry, values, devices)
        found.append([_Edge(value, sharding, meshes, dict(zip(devices, of_value)), decided)
                      for value, sharding, of_value in zip(values, known, tiles)])
    return found


# ---- keys ----

def _is_key(aval):
    return jax.dtypes.issubdtype(aval.dtype, jax.dtypes.prng_key)


def _numbers(aval, x):
    return jax.random.key_data(x) if _is_key(aval) else x


def _leaf(aval, x):
    if _is_key(aval):
        return jax.random.wrap_key_data(x, impl=_jaxlib.key_impl(aval.dtype))
    return _jaxlib.as_weak(aval, x)


# ---- the program ----

class LocalCall:
    """The local program of a Sharded as a function of leaves.

    run(*leaves)      global arrays in, global arrays out: for jax.jit
    inside(*leaves)   the same for what JAX traces; under grad and vmap it is fallback(*leaves)
    made              the Partitioned
    """

    def __init__(self, sharded, shardings, meshes, in_avals, out_avals, fallback, decisions):
        if _HOST_MEMORY.search(sharded.program.text):
            raise errors.Unimplemented("the program places values in host memory, which the local "
                                       "program in JAX has no word for")
        for value, aval in zip(sharded.program.arguments + sharded.program.results,
                               list(in_avals) + list(out_avals)):
            if aval.dtype == jax.dtypes.float0:
                raise errors.Unimplemented(f"{value.name} is of dtype float0")
        self.shardings, self._in_avals, self._out_avals = shardings, in_avals, out_avals
        source = sharded.program if decisions.is_plan else sharded
        self.made = partition(source, collectives="xla", decisions=decisions, machine=decisions.machine)
        self._inputs, self._outputs = _edges(self.made, meshes, decisions.text is not None)
        text = _Text(self.made.text, self.made.program.function,
                     [(edge.tile, edge.dtype) for edge in self._outputs])
        self._bind = functools.partial(_jaxlib.local_primitive().bind, program=text)
        self._fallback = fallback and with_constraints(fallback, shardings)
        warn = warn_once(sharded.program.name, "a local program") if fallback else lambda word: None
        self._guarded = without_rules(self.run, self._no_rule, warn)

    def run(self, *leaves):
        mesh = self.shardings.mesh
        arrays = [edge.pad(_numbers(aval, x))
                  for edge, aval, x in zip(self._inputs, self._in_avals, leaves)]
        here = on_mesh_set(mesh)  # then its devices are those of the mesh that is set, whatever they are
        mapped = jax.shard_map(self._bind, check_vma=False, mesh=None if here else mesh,
                               in_specs=tuple(edge.spec for edge in self._inputs),
                               out_specs=[edge.spec for edge in self._outputs])
        with contextlib.nullcontext() if here else _jaxlib.under_mesh(mesh):
            results = mapped(*arrays)
        return [_leaf(aval, edge.cut(x))
                for edge, aval, x in zip(self._outputs, self._out_avals, results)]

    def inside(self, *leaves):
        if not has_explicit_axes(jax):
            return self._guarded(*leaves)
        if not on_mesh_set(self.shardings.mesh):
            return self._no_rule(*leaves)
        return over_auto_axes(self._guarded, self.shardings.results)(*leaves)

    def _no_rule(self, *leaves):
        if self._fallback is None:
            raise errors.Unimplemented("a program that was loaded has no gradient and no vmap: export "
                                       "a function that computes them (jax.value_and_grad) instead")
        return self._fallback(*leaves)

