"""@autoshard: a function that is sharded by itself when it is called."""

import functools
import inspect

import numpy as np

from . import checks, errors
from ._jaxlib import platform_of, trace_context
from .decisions import decisions_of
from .export import export, import_jax, jit_options, name_of, native, set_mesh_of, warn_user
from .options import Annotations
from .shardings import over_auto, place, put_back, shardings
from .plan import Plan, Request
from .processes import Processes, check_devices, machine_here, plan_once, spans_all
from .stages import propagate
from .to_jax import FORMS, check_form, make


# ---- arguments ----

class _Marks:
    """Arguments named by number or by name; one that can be given both ways is found both ways."""

    def __init__(self, fn, numbers, names):
        numbers = checks.several("argnums", numbers, int, "numbers of arguments")
        names = checks.several("argnames", names, str, "names of arguments")
        positional = _positional(fn)
        numbers = {n + len(positional) if n < 0 else n for n in numbers}
        self.names = set(names) | {positional[n] for n in numbers if n < len(positional)}
        self.numbers = numbers | {positional.index(n) for n in names if n in positional}

    def split(self, args, kwargs):
        """(args, kwargs) without those named, and those named by number or name."""
        marked = {i: a for i, a in enumerate(args) if i in self.numbers}
        marked.update({k: v for k, v in kwargs.items() if k in self.names})
        return (tuple(a for i, a in enumerate(args) if i not in marked),
                {k: v for k, v in kwargs.items() if k not in marked}, marked)


def _positional(fn):
    try:
        parameters = inspect.signature(fn).parameters.values()
    except (TypeError, ValueError):
        return []
    return [p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]


def _joined(args, kwargs, marked):
    """The arguments of a call, of what _Marks.split made of them."""
    rest = list(args)
    for i in sorted(k for k in marked if isinstance(k, int)):
        rest.insert(i, marked[i])
    return rest, {**kwargs, **{k: v for k, v in marked.items() if isinstance(k, str)}}


def _donated_leaves(jax, marks, statics, args, kwargs):
    """Numbers of the leaves of the arguments that are donated."""
    full_args, _ = _joined(args, kwargs, statics)
    flags = [i in marks.numbers for i in range(len(full_args)) if i not in statics]
    flagged = (tuple(jax.tree.map(lambda _, f=f: f, a) for a, f in zip(args, flags)),
               {k: jax.tree.map(lambda _, f=k in marks.names: f, v) for k, v in kwargs.items()})
    return tuple(i for i, flag in enumerate(jax.tree.leaves(flagged)) if flag)


def _struct(jax, leaf):
    """Shape and type of an array, a number or something that is traced; no more of it."""
    try:
        aval = jax.typeof(leaf)
    except TypeError:
        raise errors.InvalidArgument(
            f"an argument has a {type(leaf).__name__} in it, which is no array: what the function is "
            "not to trace is named by static_argnums or static_argnames, and must be hashable") from None
    return jax.ShapeDtypeStruct(aval.shape, aval.dtype, weak_type=getattr(aval, "weak_type", False))


def _kind(jax, leaf):
    """What of it a plan depends on; quick, since each call asks."""
    if isinstance(leaf, (np.ndarray, jax.Array)):
        return leaf.shape, leaf.dtype, getattr(leaf, "weak_type", False)
    struct = _struct(jax, leaf)
    return struct.shape, struct.dtype, struct.weak_type


# ---- what XLA is given ----

class _LeftToXla:
    """The Python function with the shardings of its arguments and results; has what JaxProgram has."""

    def __init__(self, jax, sharded, mesh, plain, donated):
        from .traced import with_constraints
        self.shardings = named = shardings(sharded, mesh)
        self.run_leaves = jax.jit(plain, in_shardings=tuple(named.arguments),
                                  out_shardings=named.results, donate_argnums=donated)
        self.lower_leaves, self.inside_leaves = self.run_leaves.lower, with_constraints(plain, named)


class _Plan:
    """What was found for one set of shapes.

    made    the tessera.Plan if there was a search, or None
    form    what XLA is given: the first of the forms that can be made, if XLA compiles it
    mesh    the user's jax Mesh, or None
    plain   the Python function, from leaves to leaves
    """

    def __init__(self, name, made, sharded, mesh, plain, out_tree, makers):
        self.name, self.made, self.sharded, self.mesh = name, made, sharded, mesh
        self.plain, self.out_tree, self._makers = plain, out_tree, makers
        self._next()

    def _next(self):
        while True:
            try:
                self.form = self._makers.pop(0)()
                return
            except (errors.Unimplemented, errors.InvalidArgument):  # the next may say what is wrong, too
                if not self._makers:
                    raise

    def run(self, jax, leaves):
        """Runs it. When XLA does not compile one form, it gets the next."""
        try:
            arrays = place(jax, leaves, self.form.shardings.arguments)
            with over_auto(jax, self.form.shardings.mesh):
                results = self.form.run_leaves(*arrays)
        except (jax.errors.JaxRuntimeError, ValueError) as error:
            used = any(getattr(x, "is_deleted", lambda: False)() for x in leaves)
            if not self._makers or used or "RESOURCE_EXHAUSTED" in str(error):
                raise
            self._next()
            results = self.run(jax, leaves)  # what is wrong with the call itself raises here again
            warn_user(f"{self.name}: XLA does not compile what was planned, so it decides what "
                      f"is inside ({str(error).splitlines()[0][:200]})")
        self._makers.clear()
        return results


# ---- the function ----

class _Auto:
    def __init__(self, fn, mesh, hints, exact, decisions, search, static, donate):
        self.fn, self.mesh, self.hints, self.exact = fn, mesh, hints, exact
        self.decisions, self.search = decisions, search
        self.static, self.donate = _Marks(fn, *static), _Marks(fn, *donate)
        self.plans = {}

    def plan(self, args, kwargs):
        """The plan for these arguments, made when their shapes are first seen; and their leaves."""
        jax = import_jax()
        args, kwargs, statics = self.static.split(args, kwargs)
        leaves, tree = jax.tree.flatten((args, kwargs))
        leaves = list(map(native, leaves))
        where = set_mesh_of(jax) if self.mesh is None else None
        key = (tree, trace_context(jax), where, tuple([_kind(jax, leaf) for leaf in leaves]),
               tuple((k, type(v), v) for k, v in sorted(statics.items(), key=lambda i: str(i[0]))))
        try:
            known = self.plans.get(key)
        except TypeError:
            raise errors.InvalidArgument("static arguments must be hashable") from None
        if known is None:
            structs = [_struct(jax, leaf) for leaf in leaves]
            known = self.plans[key] = self._make(jax, tree, structs, statics)
        return known, leaves

    def user_mesh(self, jax, sharded):
        """Where it is to run, if the user says so: the mesh given, or that of jax.set_mesh."""
        mesh = self.mesh
        if mesh is None:
            mesh = set_mesh_of(jax)
            own = [list(axes.items()) for axes in sharded.meshes.values()]
            if mesh is None or list(mesh.shape.items()) not in own:
                return None
        return mesh if isinstance(mesh, jax.sharding.Mesh) else None

    def run(self, plan, leaves):
        """The leaves of the results, for those of the arguments."""
        jax = import_jax()
        if jax.config.jax_disable_jit:
            return plan.plain(*leaves)
        if any(isinstance(leaf, jax.core.Tracer) for leaf in leaves):
            return plan.form.inside_leaves(*leaves)
        return put_back(jax, plan.run(jax, leaves), plan.mesh)

    def _make(self, jax, tree, structs, statics):
        args, kwargs = tree.unflatten(structs)
        all_args, all_kwargs = _joined(args, kwargs, statics)
        program = export(self.fn, *all_args, **self._export_options(jax), **all_kwargs)
        mesh, hints, decisions, made = self.mesh, self.hints, self.decisions, None
        if self.search:
            made = self._search(jax, program)
            mesh, hints = made.mesh if mesh is None else mesh, {"shard": made.shard, "conflicts": hints["conflicts"]}
            decisions = made.decisions()
        sharded = propagate(program, mesh=mesh, divisible_edges=True, **hints)
        mesh = self.user_mesh(jax, sharded)
        self._warn(sharded)
        plain = self._plain(jax, tree, statics)
        donated = _donated_leaves(jax, self.donate, statics, args, kwargs)
        makers = {"constraints": functools.partial(make, sharded, mesh, "constraints", plain),
                  "local": functools.partial(make, sharded, mesh, "local", plain, decisions)}
        makers[False] = lambda: _LeftToXla(jax, sharded, mesh, plain, donated)
        return _Plan(name_of(self.fn), made, sharded, mesh, plain, program.out_tree,
                     [makers[form] for form in self._forms(jax, sharded, mesh)])

    def _search(self, jax, program):
        """The tessera.Plan of a program: in a multi-process program that of process 0, in all processes."""
        hints = {"mesh": self.mesh, **{name: self.hints[name] for name in ("shard", "layout", "names")}}
        said = {"level": 1, "untied": None, **self.search}
        if said["machine"] is None:
            said["machine"] = machine_here(jax, self.mesh)
        request = Request(program, hints, **said)
        if jax.process_count() > 1 and said["time_limit"] is not None:
            raise errors.InvalidArgument(f"time_limit={said['time_limit']!r} in a program of {jax.process_count()} processes: a plan under a "
                                         "time limit depends on the host's speed, and all processes must have the same one; leave it out")
        if jax.process_count() == 1 or not spans_all(jax, self.mesh):
            made = request.search()
        else:
            made = plan_once(Processes(jax), request.fingerprint(), request.search)
        made = Plan(program, *made, machine=said["machine"])
        check_devices(jax, made)
        return made

    def _forms(self, jax, sharded, mesh):
        """What XLA may be given, the best first: the user's choice, or as much as was planned."""
        if self.exact is not None:
            return [self.exact]
        if not any(sharded.argument_shardings + sharded.result_shardings):
            return [False]
        # Elsewhere XLA's partitioner overlaps matrix products with their collectives (windowed
        # einsum), which it does not do for a local program: not measured there.
        # Under jax_debug_nans JAX recurses without end in a jitted shard_map.
        is_local = platform_of(jax, mesh) == "cpu" and not jax.config.jax_debug_nans
        local = ["local"] if is_local else []
        return local + ["constraints", False]

    def _export_options(self, jax):
        mesh = self.mesh if isinstance(self.mesh, jax.sharding.Mesh) else None
        donate = self.donate if self.exact is not False else _Marks(self.fn, (), ())
        options = {"static_argnums": self.static.numbers, "static_argnames": self.static.names,
                   "donate_argnums": donate.numbers, "donate_argnames": donate.names}
        return {**{name: tuple(sorted(marked)) for name, marked in options.items()},
                **({"platform": platform_of(jax, mesh)} if self.exact is not False else {})}

    def _warn(self, sharded):
        said = sharded.warnings if "warning: " in sharded.warnings else ""  # else notes
        if not any(sharded.argument_shardings + sharded.result_shardings):
            said = "nothing is sharded: there are no hints; machine=\"h100:8\" or devices=8 searches for shardings" \
                if not self.search else ""
        if said:
            warn_user(f"{name_of(self.fn)}: {said}")

    def _plain(self, jax, tree, statics):
        @functools.wraps(self.fn)
        def flat(*leaves):
            args, kwargs = _joined(*tree.unflatten(leaves), statics)
            return jax.tree.leaves(self.fn(*args, **kwargs))

        del flat.__wrapped__  # whose parameters are others
        return flat


def autoshard(fn=None, *, mesh=None, shard=None, layout=None, names=None, strategy=None,
              conflicts="cost", exact=None, decisions=None, machine=None, devices=None, memory=None, time_limit=None,
              static_argnums=None, static_argnames=None, donate_argnums=None, donate_argnames=None, **unknown):
    """Shards a JAX function over a mesh. The shardings follow from a few annotations (hints), or from a search.

    >>> @tessera.autoshard(mesh="data=2,model=4", shard={"batch": P("data"), "params.w": P(None, "model")})
    ... def predict(params, batch):
    ...     return jnp.tanh(batch @ params["w"])
    >>> y = predict({"w": np.ones((4, 8), "f")}, np.ones((6, 4), "f"))
    >>> y.shape, y.addressable_shards[0].data.shape
    ((6, 8), (3, 2))

    A call with new shapes traces the function, propagates the hints as tessera.propagate does, and
    compiles the result with XLA. Arguments and results are sharded only where sizes are multiples of
    their axes. Arrays with another sharding are resharded first. Results keep their shardings.
    Without hints nothing is sharded, unless machine or devices is given: then tessera.plan searches.

    mesh    as in propagate. The devices of a jax.sharding.Mesh are used; it may also be set with
            jax.set_mesh when the function is called. Its axes may be Auto or Explicit. Inside the
            function they are Auto. Results are on this mesh, unless an axis had to be split
    conflicts   as in propagate; the default is "cost" here
    exact   what XLA gets (see tessera.to_jax).
            "local": the local program, which runs as it is
            "constraints" or True: the global program with every reshard as a constraint
            False: only the shardings of arguments and results; XLA decides the rest
            None (default): the first form in this order that can express the program; on backends
            other than CPU the order begins with "constraints", because XLA forms windowed einsums
            only in programs that it partitions itself
    decisions   as in tessera.partition, for every set of shapes. They make exact="local" the default.
            tessera.partition(f.sharded(…)).decisions() returns all of them
    machine, devices, memory, time_limit   as in tessera.plan: if machine or devices is given, the mesh and all shardings
            are chosen by search for every set of shapes; hints are constraints then. Without a machine
            it is the one on which JAX runs, if Tessera knows it. In a multi-process program process 0
            searches, and all processes compare their programs and take its plan; time_limit is
            refused there

    >>> @tessera.autoshard(machine="cpu:8")
    ... def predict(params, batch):
    ...     return jnp.tanh(batch @ params["w"])
    >>> predict({"w": np.ones((64, 64), "f")}, np.ones((512, 64), "f")).shape
    (512, 64)

    The function may be called inside jax.jit and jax.lax.scan. jax.grad and jax.vmap keep only the
    shardings of arguments and results, and give one warning: XLA chooses the shardings of cotangents,
    and a mapped dimension is not sharded. To avoid this, decorate the function that contains
    value_and_grad. With exact="constraints", jax.grad and jax.vmap are not supported. Traced values
    must be arguments; a closure must not capture them. If fn is a jitted function, its static and
    donated arguments are kept.

    f.sharded(…), f.shardings(…) and f.lower(…) return the Sharded, the NamedShardings and JAX's
    Lowered for some arguments, which may be jax.ShapeDtypeStruct. f.plan(…) returns the Plan of a search.
    """
    if unknown:
        raise checks.no_option("autoshard", next(iter(unknown)), _OPTIONS)
    if fn is None:
        return functools.partial(
            autoshard, mesh=mesh, shard=shard, layout=layout, names=names, strategy=strategy,
            conflicts=conflicts, exact=exact, decisions=decisions, machine=machine, devices=devices, memory=memory,
            time_limit=time_limit, static_argnums=static_argnums,
            static_argnames=static_argnames, donate_argnums=donate_argnums,
            donate_argnames=donate_argnames)
    if not callable(fn):
        raise errors.InvalidArgument(f"autoshard takes a function, not {type(fn).__name__}")
    Annotations(mesh, None, shard, layout, names, strategy, conflicts)  # so that what is wrong is told here
    exact = "constraints" if exact is True else exact
    if exact is not None and exact is not False and not (isinstance(exact, str) and exact in FORMS):
        raise errors.InvalidArgument(f"exact is {exact!r}, expected True, False, None or one of "
                                     + ", ".join(map(repr, FORMS)))
    search = {} if machine is None and devices is None else {
        "machine": machine, "devices": devices, "memory": memory, "time_limit": time_limit}
    if search and (decisions is not None or strategy is not None):
        raise errors.InvalidArgument("machine and devices make autoshard search: decisions and strategy cannot be given with them")
    if not search and (memory is not None or time_limit is not None):
        raise errors.InvalidArgument(f"{'time_limit' if memory is None else 'memory'} limits a search: give machine or devices with it")
    decisions = decisions_of(decisions)
    exact = "local" if exact is None and decisions.text is not None else exact
    check_form(decisions, exact)
    jit = jit_options(fn) or {}
    if jit and hasattr(fn, "__self__"):
        raise errors.InvalidArgument("autoshard takes the function of a jitted method, not the "
                                     "method of an object")
    said = lambda name, here: jit.get(name, ()) if here is None else here
    auto = _Auto(fn, mesh, {"shard": shard, "layout": layout, "names": names, "strategy": strategy,
                            "conflicts": conflicts}, exact, decisions, search,
                 (said("static_argnums", static_argnums), said("static_argnames", static_argnames)),
                 (said("donate_argnums", donate_argnums), said("donate_argnames", donate_argnames)))

    @functools.wraps(fn)
    def call(*args, **kwargs):
        plan, leaves = auto.plan(args, kwargs)
        return import_jax().tree.unflatten(plan.out_tree, auto.run(plan, leaves))

    def lower(*args, **kwargs):
        plan, leaves = auto.plan(args, kwargs)
        return plan.form.lower_leaves(*leaves)

    def found(*args, **kwargs):
        if not search:
            raise errors.FailedPrecondition("there is no plan, because nothing was searched: give autoshard machine or devices")
        return auto.plan(args, kwargs)[0].made

    call.plan = found
    call.sharded = lambda *args, **kwargs: auto.plan(args, kwargs)[0].sharded
    call.shardings = lambda *args, **kwargs: auto.plan(args, kwargs)[0].form.shardings
    call.lower = lower
    return call


_OPTIONS = [p.name for p in inspect.signature(autoshard).parameters.values() if p.kind == p.KEYWORD_ONLY]
