"""The verbs: propagate, partition, run. Each takes a Program, or a function and its arguments;
partition and run also what propagate gave.
What all of them take is told at propagate.
"""

import ctypes
import warnings as python_warnings

from . import checks, errors
from ._lib import PartitionOptions, c_size_t, c_void_p, encode, take_text
from .decisions import decisions_of
from .export import OPTIONS as EXPORT_OPTIONS, ambient_mesh, export, has_mesh, no_function
from .options import Annotations, annotated_devices, devices_of, machine_text, trip_count_of
from .partitioned import Partitioned
from .program import Program
from .run import as_tree, evaluate, flat_arguments, memory_of, run_local, seed_of
from .sharded import Sharded


def _program_of(verb, what, args, kwargs, hints):
    if not isinstance(what, Program):
        if not callable(what):
            raise no_function(f"{verb} takes a function or a Program", what)
        checks.keywords(verb, what, args, hints, kwargs, EXPORT_OPTIONS)
        return export(what, *args, **kwargs)
    if args:
        raise errors.InvalidArgument("a Program has its arguments already: give none")
    if kwargs:
        raise errors.InvalidArgument("a Program has its arguments already, and there is no option "
                                     + " or ".join(map(repr, kwargs)))
    return what


def _on_mesh(hints, program):
    """On the mesh that jax.set_mesh has set, if nothing says another."""
    if hints["mesh"] is None and hints["devices"] is None:
        return {**hints, "mesh": ambient_mesh(program)}
    return hints


def _found_by(sharded, args, hints):
    """The Program of a Sharded and what was said for it: that is how it is partitioned."""
    said = [name for name, value in hints.items() if checks.given(value)]
    if args or said:
        raise errors.InvalidArgument(
            f"a Sharded has its {said[0] if said else 'arguments'} already: give none, or partition "
            "its .program")
    return sharded.program, sharded._annotations


def propagate(fn_or_program, *args, mesh=None, devices=None, shard=None, layout=None, names=None,
              strategy=None, conflicts=None, conservative=None, divisible_edges=None, close=None,
              call_rules=None, machine=None, trip_count=None, **kwargs) -> Sharded:
    """Every value's sharding, from a few: a Sharded.

    fn_or_program   a Program, or a function, whose arguments follow (arrays or
                    jax.ShapeDtypeStruct)
    mesh        the devices: "data=2,model=4", a dict, a jax Mesh or AbstractMesh; None: the program's,
                or that of jax.set_mesh
    devices     how many; the mesh must have as many, or becomes "devices=N"
    shard       annotations: {"params.*.w": P(None, "model")}, a list of such pairs, or of texts
                'batch.*=P("data")'. Patterns are names or globs (*, ?, [qkv], [!x]) over the names
                of arguments; those that begin with "result" (or "out") are of results. The first that matches holds
    layout      shardings by dimension names: "batch:data, hidden:model", or a dict;
                program.dimensions() shows the names
    names       more of them: {"x": "batch,features"}, or lines "x: batch,features"
    strategy    "user-priority" (the default), "op-priority", "aggressive", "basic", "none"
    conflicts   who gets an axis that two want: "size" (the larger tensor; the default), or "cost":
                tried are that, what moves less, and which of the annotations go first, as if
                others of their axes had priority=1; what takes the least time is kept
    conservative      not where shards would read their neighbours
    divisible_edges   arguments and results divide, as JAX wants them
    close       no dimension stays open
    call_rules  how custom calls may be split: {"my.dot": "([i, k], [k, j])->([i, j]) reduction={k}"};
                a target that no call has is an error
    machine     what conflicts="cost" predicts times for: "default", "h100", "a100", "tpu-v5p", or a
                description as docs/machine.md has it, JSON or a dict
    trip_count  iterations to count for loops of unknown length; None: 100, which is a guess

    Other keywords go to export: its own, and those of the function. Of a function that has a
    parameter of one of these names, make a Program first (tessera.export).

    >>> program = tessera.load('''func.func @main(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
    ...   %0 = stablehlo.tanh %x : tensor<8x4xf32>
    ...   return %0 : tensor<8x4xf32>
    ... }''')
    >>> tessera.propagate(program, mesh="data=2", shard={"x": P("data")})
    x        tensor<8x4xf32>  tensor<4x4xf32>  <@mesh, [{"data"}, {}]>
    result0  tensor<8x4xf32>  tensor<4x4xf32>  <@mesh, [{"data", ?}, {?}]>
    """
    hints = dict(mesh=mesh, devices=devices, shard=shard, layout=layout, names=names,
                 strategy=strategy, conflicts=conflicts, conservative=conservative,
                 divisible_edges=divisible_edges, close=close, call_rules=call_rules,
                 machine=machine, trip_count=trip_count)
    program = _program_of("propagate", fn_or_program, args, kwargs, hints)
    annotations = Annotations(**_on_mesh(hints, program))
    handle = program.fresh()
    said = c_void_p()
    handle.call("tsr_program_propagate", ctypes.byref(annotations.struct), ctypes.byref(said))
    return Sharded(program, handle, annotations, take_text(said))


class _Request:
    """The struct that tsr_program_partition takes, and what its pointers point to."""

    def __init__(self, annotations, machine, collectives, trip_count, decisions):
        self._annotations, self._decisions = annotations, decisions
        self.struct = PartitionOptions(annotations=ctypes.pointer(annotations.struct), why=1,
                                       machine=encode(machine_text(machine), "machine"),
                                       collectives=encode(collectives, "collectives"),
                                       trip_count=trip_count_of(trip_count),
                                       decisions=decisions.text)

    def partition(self, program, keep_decisions=False):
        """The handle of the local program, the number of devices and the warnings."""
        options = PartitionOptions.from_buffer_copy(self.struct)
        options.keep_decisions = keep_decisions
        handle = program.fresh()
        said, n_devices = c_void_p(), c_size_t()
        with self._decisions.named():
            handle.call("tsr_program_partition", ctypes.byref(options), ctypes.byref(n_devices),
                        ctypes.byref(said))
        return handle, n_devices.value, take_text(said)


def partition(fn_or_program, *args, mesh=None, devices=None, shard=None, layout=None, names=None,
              strategy=None, conflicts=None, conservative=None, call_rules=None, machine=None,
              collectives=None, trip_count=None, decisions=None, **kwargs) -> Partitioned:
    """What each device runs: a Partitioned.

    It takes what propagate takes; machine is what all predicted times are for. Of a Sharded, what
    propagate was told holds here, too; only machine, collectives, trip_count and decisions may be
    given.
    collectives   the form that the program's consumer needs of collectives: "single" (one operand
                  each), "bitwise", "fenced", "major", "typed", "apart", "paced", several with commas, "xla" for all of
                  them (docs/partitioner.md); None: none of them
    decisions     choices to obey, all or some: a dict as Partitioned.decisions() returns it, edited
                  or not, the same as JSON text, or the path of a file with it
                  (docs/partition-decisions.md). One that cannot be obeyed raises InvalidArgument

    >>> program = tessera.load('''func.func @main(%x: tensor<8x4xf32>) -> tensor<4x8xf32> {
    ...   %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<8x4xf32>) -> tensor<4x8xf32>
    ...   return %0 : tensor<4x8xf32>
    ... }''')
    >>> made = tessera.partition(program, mesh="a=2", shard={"x": P("a"), "result0": P("a")})
    >>> made.devices, [(c.kind, c.bytes) for c in made.collectives]
    (2, [('all_to_all', 32)])
    """
    hints = dict(mesh=mesh, devices=devices, shard=shard, layout=layout, names=names,
                 strategy=strategy, conflicts=conflicts, conservative=conservative,
                 call_rules=call_rules)
    if isinstance(fn_or_program, Sharded):
        program, annotations = _found_by(fn_or_program, args, {**hints, **kwargs})
    else:
        program = _program_of("partition", fn_or_program, args, kwargs,
                              {**hints, "machine": machine, "collectives": collectives,
                               "trip_count": trip_count, "decisions": decisions})
        annotations = Annotations(**_on_mesh(hints, program))
    request = _Request(annotations, machine, collectives, trip_count, decisions_of(decisions))
    return Partitioned(program, *request.partition(program), request)


def _run_local(program, hints, args, kwargs, seed, memory_limit):
    n = program._handle.devices()
    said = [word for word, value in hints.items() if checks.given(value)]
    if said:
        raise errors.InvalidArgument(f"the program is partitioned already, for {n} devices: "
                                     f"{', '.join(said)} cannot be given for it")
    return run_local(program, n, args, kwargs, seed, memory_limit)


def run(fn_or_program, *args, mesh=None, devices=None, shard=None, layout=None, names=None,
        strategy=None, conflicts=None, conservative=None, call_rules=None, machine=None,
        trip_count=None, seed=None, memory_limit=None, static_argnums=None, static_argnames=None,
        **kwargs):
    """What fn(*args, **kwargs) gives, computed on Tessera devices: the function's tree of NumPy
    arrays.

    Arguments are NumPy or JAX arrays or numbers; of a loaded program, flat ones by position, and it
    gives the array, or a list of several. None stands for a token. What says how it is sharded is as
    of propagate and partition; without any, it runs on one device, unless the program has a mesh.
    Other keywords are the function's; where it has a parameter that is called as an option is, make a
    Program first (tessera.export). seed is of stablehlo.rng, 0 if none is given. What needs more than
    memory_limit bytes is refused with ResourceExhausted, before it runs where the shapes of arguments
    and results say so.

    A loaded program that is partitioned already (Partitioned.text, the output of tessera partition)
    runs on all its devices: it takes and gives the global arrays.

    >>> def mean(x):
    ...     return {"mean": x.mean(axis=0)}
    >>> tessera.run(mean, np.eye(4, 2, dtype="f"), mesh="data=2", shard={"x": P("data")})
    {'mean': array([0.25, 0.25], dtype=float32)}
    """
    program = fn_or_program
    hints = dict(mesh=mesh, devices=devices, shard=shard, layout=layout, names=names,
                 strategy=strategy, conflicts=conflicts, conservative=conservative,
                 call_rules=call_rules, machine=machine, trip_count=trip_count)
    if callable(program):
        checks.keywords("run", program, args, {**hints, "seed": seed, "memory_limit": memory_limit},
                        kwargs, EXPORT_OPTIONS)
    if isinstance(program, Sharded):
        return partition(program, **hints).run(*args, seed=seed, memory_limit=memory_limit, **kwargs)
    if isinstance(program, Partitioned):
        raise errors.InvalidArgument("a Partitioned runs by itself: its .run(*args)")
    if not isinstance(program, Program):
        seed_of(seed)
        program = export(program, *args, static_argnums=static_argnums,
                         static_argnames=static_argnames, **kwargs)
    memory_limit = memory_of(memory_limit)
    if program._handle.devices():
        return _run_local(program, hints, args, kwargs, seed, memory_limit)
    arrays, seed = flat_arguments(program, args, kwargs, seed)  # what is wrong with them is told first
    asked = mesh is not None or checks.given(shard) or checks.given(layout) or \
        devices_of(devices) > 1
    if not asked and not has_mesh(program):
        Annotations(mesh, devices, shard, layout, names, strategy, conflicts, conservative,
                    call_rules=call_rules)  # not needed here, but what is wrong is wrong
        encode(machine_text(machine), "machine")
        trip_count_of(trip_count)
        results = evaluate(program._handle, program, arrays, len(program.results), seed=seed,
                           memory_limit=memory_limit)
        return as_tree(program, results)
    made = partition(program, **hints)
    ones = annotated_devices(hints["mesh"]) == 1
    if asked and made.devices == 1 and devices_of(devices) != 1 and not ones:
        python_warnings.warn("nothing is sharded: the whole program runs on one device. Say a "
                             "little: shard={\"batch.*\": P(\"data\")}", stacklevel=2)
    return made.run_checked(arrays, seed, memory_limit)
