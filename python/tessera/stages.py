"""The verbs: propagate, partition, run, simulate. Each takes a Program, or a function and its arguments;
partition and run also what propagate gave.
What all of them take is told at propagate.
"""

import ctypes
import os
import warnings as python_warnings

from . import checks, errors
from ._lib import PartitionOptions, c_size_t, c_void_p, encode, take_text
from .decisions import decisions_of
from .export import OPTIONS as EXPORT_OPTIONS, ambient_mesh, export, has_mesh, no_function
from .options import Annotations, annotated_devices, devices_of, machine_text, mesh_text, trip_count_of
from .partitioned import Partitioned
from .program import Program, load
from .compiled import Executable
from .run import as_tree, evaluate, flat_arguments, memory_of, run_local, seed_of
from .sharded import Sharded
from .search import Search
from .plan import Plan, make_plan
from .simulated import Simulated


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
    """Infers the shardings of all values from a few annotations. Returns a Sharded.

    fn_or_program   a Program, or a function. A function's arguments follow: arrays or
                    jax.ShapeDtypeStruct
    mesh        "data=2,model=4", a dict, a jax Mesh or an AbstractMesh. None: the program's mesh, or
                the one of jax.set_mesh
    devices     number of devices. Without a mesh, makes the mesh "devices=N". With one, checks its
                size
    shard       annotations: {"params.*.w": P(None, "model")}, a list of such pairs, or a list of
                texts 'batch.*=P("data")'. Patterns are argument names or globs (*, ?, [qkv], [!x]).
                Patterns that begin with "result" or "out" match results. If several patterns match
                a value, the first one is used
    layout      axes of dimension names: "batch:data, hidden:model", or a dict.
                program.dimensions() prints the names
    names       dimension names for layout: {"x": "batch,features"}, or lines "x: batch,features"
    strategy    propagation strategy: "user-priority" (default), "op-priority", "aggressive",
                "basic", "none"
    conflicts   which of two dimensions gets an axis that both could have. "size" (default): the one
                of the larger tensor. "cost": the one with which fewer elements are sent. If annotations
                compete, each of them also propagates first once, and the result with the least predicted time is kept
    conservative      do not shard dimensions that would need halos
    divisible_edges   shard arguments and results only where sizes are multiples of their axes, as
                JAX requires. An annotation that breaks this is an error
    close       close all dimensions in the output
    call_rules  sharding rules of custom calls: {"my.dot": "([i, k], [k, j])->([i, j])
                reduction={k}"}. A target that no call has is an error
    machine     the machine for which conflicts="cost" predicts times: "h100", "tpu_v5p" (tessera.machines()
                lists them), with a shape "h100:8x4" (8 per node, 4 nodes), the path of a description, or a
                description as in docs/machine.md (JSON or a dict)
    trip_count  iterations that a loop of unknown length counts as. None: 100

    Other keywords are passed to tessera.export. If a parameter of the function has the name of one of
    these options, make a Program with tessera.export first.

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
        self.machine = annotations.machine if machine is None else machine
        self.trip_count = trip_count_of(trip_count) or annotations.struct.trip_count
        self.struct = PartitionOptions(annotations=ctypes.pointer(annotations.struct), why=1,
                                       machine=encode(machine_text(machine), "machine"),
                                       collectives=encode(collectives, "collectives"),
                                       trip_count=trip_count_of(trip_count),
                                       decisions=decisions.text)

    def named(self):
        """Errors in the decisions name their file."""
        return self._decisions.named()

    def partition(self, program, keep_decisions=False):
        """The handle of the local program, the number of devices and the warnings."""
        options = PartitionOptions.from_buffer_copy(self.struct)
        options.keep_decisions = keep_decisions
        handle = program.fresh()
        said, n_devices = c_void_p(), c_size_t()
        with self.named():
            handle.call("tsr_program_partition", ctypes.byref(options), ctypes.byref(n_devices),
                        ctypes.byref(said))
        return handle, n_devices.value, take_text(said)


def partition(fn_or_program, *args, mesh=None, devices=None, shard=None, layout=None, names=None,
              strategy=None, conflicts=None, conservative=None, call_rules=None, machine=None,
              collectives=None, trip_count=None, decisions=None, **kwargs) -> Partitioned:
    """Writes the local program that each device runs. Returns a Partitioned.

    The options of propagate have the same meaning here. machine is the machine for which all times are
    predicted; with it the result also has seconds and peak_bytes of a step. A Sharded brings its own options: only machine, collectives, trip_count and decisions
    may be given with it.
    collectives   how to write collectives for the system that runs the program: a list such as
                  "single,typed" of the forms "single", "bitwise", "fenced", "major", "typed",
                  "apart" and "paced" (docs/partitioner.md). "xla": all of them. None: none of them
    decisions     choices of the partitioner (docs/partition-decisions.md): a dict as
                  Partitioned.decisions() returns it, its JSON text, or a file with that. It may be
                  edited, and may have some of the choices only. A choice that cannot be used raises
                  InvalidArgument

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


def simulate(fn_or_program, *args, machine=None, mesh=None, devices=None, shard=None, layout=None, names=None,
             strategy=None, conflicts=None, conservative=None, call_rules=None, collectives=None, trip_count=None,
             decisions=None, local=None, trace=None, **kwargs) -> Simulated:
    """Predicts one step on a machine: seconds and what they are spent on, peak memory and what is alive then.
    Returns a Simulated. Nothing is executed (docs/simulate.md).

    fn_or_program     a Program, StableHLO text, or a function with its arguments, which are partitioned first
                      with the options of partition; a Sharded or a Partitioned; a loaded local program
    machine           "h100:8", "tpu_v5p:4x4x4", a file, a dict: as for propagate. None: the machine that a
                      Sharded or Partitioned was made for, or the default
    local             the program is a local one of another tool: its collectives run as they are, and mesh
                      names their axes
    trace             keep the timeline as .trace

    >>> def layer(x, w):
    ...     return jnp.tanh(x @ w)
    >>> step = tessera.simulate(layer, np.ones((8, 4), "f"), np.ones((4, 6), "f"), mesh="data=2,model=2",
    ...                         shard={"x": P("data", "model"), "w": P("model")}, machine="h100:4")
    >>> print(step)  # doctest: +ELLIPSIS
    machine        h100:4, 4 devices, mesh data=2,model=2
    step           ...
      compute      ...
      waiting      ...
    """
    hints = dict(mesh=mesh, devices=devices, shard=shard, layout=layout, names=names, strategy=strategy,
                 conflicts=conflicts, conservative=conservative, call_rules=call_rules)
    more = dict(collectives=collectives, decisions=decisions)
    what = load(fn_or_program) if isinstance(fn_or_program, (str, os.PathLike)) else fn_or_program
    local, trace = checks.flag("local", local), checks.flag("trace", trace)
    if isinstance(what, Partitioned):
        said = [word for word, value in {**hints, **more}.items() if checks.given(value)]
        if args or kwargs or said or local:
            raise errors.InvalidArgument(f"a Partitioned has its {said[0] if said else 'arguments'} already: give "
                                         "machine, trip_count and trace only")
        return what.simulate(machine, trip_count, trace)
    if isinstance(what, Sharded):
        program, annotations = _found_by(what, args or tuple(kwargs), hints)
        machine = annotations.machine if machine is None else machine
    else:
        program = _program_of("simulate", what, args, kwargs, {**hints, **more, "machine": machine,
                                                               "trip_count": trip_count, "local": local, "trace": trace})
        if local or program._handle.devices():
            return _simulate_local(program, {**hints, **more}, local, machine, trip_count, trace)
        annotations = Annotations(**_on_mesh(hints, program))
    request = _Request(annotations, None, collectives, trip_count, decisions_of(decisions))
    with request.named():
        return Simulated(program._handle, machine, ctypes.pointer(request.struct), trip_count=request.trip_count,
                         trace=trace, keep=request)


def plan(fn_or_program, *args, machine=None, devices=None, mesh=None, shard=None, layout=None, names=None,
         call_rules=None, trip_count=None, level=1, memory=None, untied=None, tactics=None, time_limit=None,
         **kwargs) -> Plan:
    """Chooses a mesh and the sharding of every value by search, so that a step takes the least time and fits in
    memory. Returns a Plan. Nothing is executed (docs/plan.md).

    fn_or_program   a Program, StableHLO text, or a function with its arguments (jax.ShapeDtypeStruct will do)
    machine         "h100:8x4", a file, a dict: as for propagate. Its shape says how many devices there are
    devices         how many, if the machine has no shape and there is no mesh
    mesh            plan for this mesh only; otherwise all shapes of one and two axes are tried (level=2: three)
    shard, layout, names, call_rules   constraints, as for propagate: annotated values keep their shardings
    level           2: search longer
    memory          bytes of a device that the plan may use. None: the machine's
    untied          repeated layers may get different shardings
    tactics         compose the plan, in order, each tactic along an axis of the mesh: "data:x, megatron:y, auto", or a
                    list of these (docs/tactics.md). The plan's tactics are what each one did and costs
    time_limit      seconds that the search may take, about. The plan then depends on the host's speed: it is not
                    reproducible

    The last 64 plans are kept: the same program with the same options is not planned again.

    If nothing fits, ResourceExhausted says how much is missing, and what helps. Donate the state of a training
    step (donate_argnums) so that it counts once.

    >>> def step(params, x):
    ...     return {"w": params["w"] - 0.1 * jax.grad(lambda w: ((x @ w) ** 2).sum())(params["w"])}
    >>> made = tessera.plan(step, {"w": np.ones((256, 256), "f")}, np.ones((64, 256), "f"), machine="h100:4")
    >>> made.peak_bytes < made.usable_bytes, made.bound_seconds <= made.cost_seconds
    (True, True)
    """
    hints = dict(mesh=mesh, shard=shard, layout=layout, names=names, call_rules=call_rules, trip_count=trip_count)
    what = load(fn_or_program) if isinstance(fn_or_program, (str, os.PathLike)) else fn_or_program
    program = _program_of("plan", what, args, kwargs, {**hints, "machine": machine, "devices": devices, "level": level,
                                                       "memory": memory, "untied": untied, "tactics": tactics,
                                                       "time_limit": time_limit})
    return make_plan(program, hints, machine=machine, devices=devices, level=level, memory=memory, untied=untied,
                     tactics=tactics, time_limit=time_limit)


def search(fn_or_program, *args, mesh=None, devices=None, shard=None, layout=None, names=None, strategy=None,
           conservative=None, call_rules=None, machine=None, trip_count=None, **kwargs) -> Search:
    """Shardings to try and undo: push one, price it, pop it. Returns a Search. The options are those of propagate;
    prices are for the machine.

    >>> search = tessera.search("func.func @main(%x: tensor<8xf32>) {\\n  return\\n}", mesh="a=2")
    >>> search.push("x", P("a")), search.depth
    (1, 1)
    """
    hints = dict(mesh=mesh, devices=devices, shard=shard, layout=layout, names=names, strategy=strategy,
                 conservative=conservative, call_rules=call_rules, machine=machine, trip_count=trip_count)
    what = load(fn_or_program) if isinstance(fn_or_program, (str, os.PathLike)) else fn_or_program
    program = _program_of("search", what, args, kwargs, hints)
    return Search(program, Annotations(**_on_mesh(hints, program)))


def _simulate_local(program, hints, local, machine, trip_count, trace):
    said = [word for word, value in hints.items() if checks.given(value) and not (local and word == "mesh")]
    if said:
        raise errors.InvalidArgument(f"the program is partitioned already: {', '.join(said)} cannot be given for it")
    mesh = encode(mesh_text(hints["mesh"]), "mesh")
    return Simulated(program._handle, machine, local=local, mesh=mesh, trip_count=trip_count_of(trip_count), trace=trace)


def _run_local(program, hints, args, kwargs, seed, memory_limit):
    n = program._handle.devices()
    said = [word for word, value in hints.items() if checks.given(value)]
    if said:
        raise errors.InvalidArgument(f"the program is partitioned already, for {n} devices: "
                                     f"{', '.join(said)} cannot be given for it")
    return run_local(program, n, args, kwargs, seed, memory_limit)


def compile(fn_or_program, *args, mesh=None, devices=None, shard=None, layout=None, names=None,
            strategy=None, conflicts=None, conservative=None, call_rules=None, machine=None,
            trip_count=None, seed=None, workers=None, device_memory=None, frozen=None,
            static_argnums=None, static_argnames=None, **kwargs):
    """Compiles fn(*args, **kwargs) for this machine. Returns an Executable, which is called with
    arrays of the same types, as often as needed.

    args are arrays, or ShapeDtypeStructs. The options of propagate and partition have the same meaning
    as in tessera.run: without them the program runs on one device, else on the devices of the mesh,
    which share this machine's cores. workers is the number of threads (default: one per core); results
    do not depend on it. A program that needs more than device_memory bytes per device raises
    ResourceExhausted. A Partitioned or a Plan is compiled as it is.

    frozen names arguments that have the same contents in every call, such as weights of inference: a
    list of patterns of names ("params.*") or numbers, or True for all. Products pack them in the first
    call and keep the copies as long as the Executable lives. If a later call passes other contents, its
    results are undefined: compile again then.

    >>> f = tessera.compile(lambda x, w: x @ w, np.ones((8, 4), "f"), np.ones((4, 6), "f"),
    ...                     mesh="data=2", shard={"x": P("data")})
    >>> f.devices, f(np.ones((8, 4), "f"), np.ones((4, 6), "f")).tolist()[0]
    (2, [4.0, 4.0, 4.0, 4.0, 4.0, 4.0])
    """
    program = fn_or_program
    hints = dict(mesh=mesh, devices=devices, shard=shard, layout=layout, names=names,
                 strategy=strategy, conflicts=conflicts, conservative=conservative,
                 call_rules=call_rules, machine=machine, trip_count=trip_count)
    memory = memory_of(device_memory, "device_memory")
    if isinstance(program, Plan):
        program = program.partition()
    made = dict(seed=seed_of(seed), workers=workers_of(workers), device_memory=memory, frozen=frozen)
    if isinstance(program, Sharded):
        program = partition(program, **hints)
    if isinstance(program, Partitioned):
        return Executable(program.program, program._handle, program._entry, program.devices, **made)
    if not isinstance(program, Program):
        checks.keywords("compile", program, args, {**hints, "seed": seed}, kwargs, EXPORT_OPTIONS)
        program = export(program, *args, static_argnums=static_argnums,
                         static_argnames=static_argnames, **kwargs)
    local = program._handle.devices()
    asked = mesh is not None or checks.given(shard) or checks.given(layout) or \
        devices_of(devices) > 1
    if local or not (asked or has_mesh(program)):
        return Executable(program, program._handle, program._entry, local or 1, **made)
    program = partition(program, **hints)
    return Executable(program.program, program._handle, program._entry, program.devices, **made)


def workers_of(workers):
    if workers is None:
        return 0
    if isinstance(workers, bool) or not isinstance(workers, int) or not 1 <= workers <= 1024:
        raise checks.wrong("workers", workers, "a number of threads from 1 to 1024")
    return workers


def run(fn_or_program, *args, mesh=None, devices=None, shard=None, layout=None, names=None,
        strategy=None, conflicts=None, conservative=None, call_rules=None, machine=None,
        trip_count=None, seed=None, memory_limit=None, static_argnums=None, static_argnames=None,
        **kwargs):
    """Evaluates fn(*args, **kwargs) on Tessera devices. Returns the function's pytree with NumPy
    arrays.

    Arguments are NumPy or JAX arrays, or numbers. A loaded program takes flat arrays by position. It
    returns one array, or a list of several. Pass None for a token. The options of propagate and
    partition have the same meaning here. Without them, a program that has no mesh runs on one device.
    Other keywords are passed to the function. If a parameter of the function has the name of an
    option, make a Program with tessera.export first. seed (default 0) is the seed of stablehlo.rng. A
    program that needs more than memory_limit bytes raises ResourceExhausted; if the shapes of
    arguments and results alone exceed the limit, it is raised before the program runs.

    A loaded local program (Partitioned.text, the output of tessera partition) runs on all its devices.
    It takes and returns global arrays.

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
