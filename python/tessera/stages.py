"""The verbs: propagate, partition, run. Each takes a Program, or a function and its arguments."""

import ctypes

from . import errors, options
from ._lib import PartitionOptions, c_size_t, c_void_p, take_text
from .export import export
from .program import Program, entry_index
from .run import as_tree, evaluate, flat_arguments, run_on


class Sharded:
    """A program in which every value has a sharding."""

    def __init__(self, program, handle, warnings):
        self.program = program
        self._handle = handle
        self.warnings = warnings
        self._entry = entry_index(handle)
        self.argument_shardings = [
            handle.text("argument_sharding", self._entry, i, 0)
            for i in range(len(program.arguments))]
        self.result_shardings = [
            handle.text("result_sharding", self._entry, i, 0)
            for i in range(len(program.results))]

    @property
    def text(self):
        return self._handle.print(locations=True)

    def __repr__(self):
        rows = list(zip(self.program.arguments + self.program.results,
                        self.argument_shardings + self.result_shardings))
        width = max((len(v.name) for v, _ in rows), default=0)
        types = max((len(v.text) for v, _ in rows), default=0)
        return "\n".join(f"{v.name:{width}}  {v.text:{types}}  {s or ''}".rstrip() for v, s in rows)


class Partitioned:
    """What each device runs."""

    def __init__(self, program, handle, devices, warnings):
        self.program = program
        self._handle = handle
        self.devices = devices
        self.warnings = warnings
        self._entry = entry_index(handle)

    @property
    def text(self):
        return self._handle.print()

    def run(self, *args, seed=0, **kwargs):
        program = self.program
        arrays = flat_arguments(program, args, kwargs)
        results = run_on(self._handle, self._entry, program.function, len(program.results),
                         self.devices, arrays, seed)
        return as_tree(program, results)


def _program_of(what, args, kwargs):
    if isinstance(what, Program):
        if args or kwargs:
            raise errors.InvalidArgument("a Program has its arguments already; give none")
        return what
    return export(what, *args, **kwargs)


def propagate(fn_or_program, *args, mesh=None, shard=None, layout=None, names=None, strategy=None,
              divisible_edges=False, **kwargs):
    program = _program_of(fn_or_program, args, kwargs)
    handle = program.fresh()
    out = c_void_p()
    o = options.propagate_options(mesh, shard, layout, names, strategy,
                                  divisible_edges=divisible_edges)
    handle.call("propagate", ctypes.byref(o), ctypes.byref(out))
    return Sharded(program, handle, take_text(out))


def partition(fn_or_program, *args, mesh=None, shard=None, layout=None, names=None, strategy=None,
              machine=None, **kwargs):
    program = _program_of(fn_or_program, args, kwargs)
    handle = program.fresh()
    out, devices = c_void_p(), c_size_t()
    o = options.propagate_options(mesh, shard, layout, names, strategy)
    p = PartitionOptions(annotations=ctypes.pointer(o), machine=options.encode(machine, "machine"), why=1)
    handle.call("partition", ctypes.byref(p), ctypes.byref(devices), ctypes.byref(out))
    return Partitioned(program, handle, devices.value, take_text(out))


def run(fn_or_program, *args, devices=None, mesh=None, shard=None, layout=None, names=None,
        strategy=None, seed=0, static_argnums=(), static_argnames=(), **kwargs):
    program = fn_or_program
    if not isinstance(program, Program):
        program = export(program, *args, static_argnums=static_argnums,
                         static_argnames=static_argnames, **kwargs)
        statics = {static_argnums} if isinstance(static_argnums, int) else set(static_argnums)
        args = tuple(a for i, a in enumerate(args) if i not in statics)
        names_ = {static_argnames} if isinstance(static_argnames, str) else set(static_argnames)
        kwargs = {k: v for k, v in kwargs.items() if k not in names_}
    if mesh is None and devices not in (None, 1):
        mesh = devices
    if mesh is None and not shard and not layout and "sdy.mesh" not in program.text:
        arrays = flat_arguments(program, args, kwargs)
        results = evaluate(program._handle, program.function, arrays, len(program.results), 1, seed)
        return as_tree(program, results)
    made = partition(program, mesh=mesh, shard=shard, layout=layout, names=names, strategy=strategy)
    return made.run(*args, seed=seed, **kwargs)
