"""The way back into JAX: propagated shardings as NamedSharding trees for jax.jit."""

import contextlib
import math

import numpy as np

from . import _jaxlib, axes, errors, table
from .export import has_explicit_axes, import_jax, warn_user
from .sharded import Sharded


class Shardings:
    """Shardings for jax.jit: in_shardings, out_shardings = tessera.shardings(…).

    in_shardings    for each positional argument that is not static, a pytree of NamedSharding
    out_shardings   the same for the result
    kwargs          the same for keyword arguments. jax.jit does not take these; jax.device_put does
    mesh            the jax Mesh. If a sharding uses a part of an axis, the axis is split
    arguments, results   the same as flat lists

    >>> program = tessera.load("func.func @main(%x: tensor<8xf32>) {\\n  return\\n}")
    >>> found = tessera.shardings(tessera.propagate(program, mesh="a=2", shard={"x": P("a")}))
    >>> [tuple(sharding.spec) for sharding in found.in_shardings], dict(found.mesh.shape)
    ([('a',)], {'a': 2})
    """

    def __init__(self, program, mesh, arguments, results):
        self.mesh, self.arguments, self.results = mesh, arguments, results
        self._names = program.arg_names + program.result_names
        if program.in_tree is None:
            self.in_shardings, self.kwargs = tuple(arguments), {}
            self.out_shardings = results[0] if len(results) == 1 else tuple(results)
        else:
            self.in_shardings, self.kwargs = program.in_tree.unflatten(arguments)
            self.out_shardings = program.out_tree.unflatten(results)

    def __iter__(self):
        return iter((self.in_shardings, self.out_shardings))

    def __len__(self):
        return 2

    def __getitem__(self, i):
        return (self.in_shardings, self.out_shardings)[i]

    def _rows(self):
        return [[name, str(s.spec)] for name, s in zip(self._names, self.arguments + self.results)]

    def _repr_html_(self):
        return table.in_html(f"on {mesh_words(self.mesh.shape)}", ["value", "PartitionSpec"], self._rows())

    def __repr__(self):
        width = max(map(len, self._names), default=0)
        lines = [f"{name:{width}}  {s.spec}"
                 for name, s in zip(self._names, self.arguments + self.results)]
        return "\n".join([f"on {mesh_words(self.mesh.shape)}"] + lines)


# ---- meshes ----

def mesh_words(shape):
    return ", ".join(f"{name}={size}" for name, size in shape.items()) or "no axes"


def large(shape):
    """The axes that matter, in their order."""
    return [(name, size) for name, size in shape.items() if size > 1]


def _check_mesh(symbol, mesh, user):
    if sorted(large(user.shape)) != sorted(large(mesh.axes)):
        raise errors.InvalidArgument(
            f"the mesh does not fit: the program is sharded over @{symbol} "
            f"({mesh_words(mesh.axes)}), the jax Mesh has {mesh_words(user.shape)}")


def _check_meshes(meshes, used, user):
    for a, b in zip(used, used[1:]):
        one, other = meshes[a], meshes[b]
        if math.prod(one.axes.values()) != math.prod(other.axes.values()) or \
                one.device_ids != other.device_ids:
            raise errors.Unimplemented(
                f"arguments and results are on @{a} ({mesh_words(one.axes)}) and on @{b} "
                f"({mesh_words(other.axes)}), which have not the same devices in the same order")
    if user is not None and large(user.shape) not in [large(meshes[s].axes) for s in used]:
        raise errors.InvalidArgument(
            "the mesh does not fit: the program has " + ", ".join(
                f"@{s} ({mesh_words(meshes[s].axes)})" for s in used) +
            f", the jax Mesh has {mesh_words(user.shape)}")


def _devices(jax, mesh):
    """JAX's devices in the order of a program's mesh."""
    n, devices = math.prod(mesh.axes.values()), jax.devices()
    if len(devices) < n:
        raise errors.InvalidArgument(
            f"the mesh has {n} devices ({mesh_words(mesh.axes)}), JAX has {len(devices)} "
            f"({devices[0].platform}); with XLA_FLAGS=--xla_force_host_platform_device_count={n}, "
            "set before JAX is imported, it has that many on the CPU; with a "
            "jax.sharding.AbstractMesh no devices are needed to say PartitionSpecs")
    return np.array([devices[i] for i in mesh.device_ids or range(n)])


class Meshes:
    """The jax Meshes of a program.

    Nearly always one. JAX takes several in a jit if their devices have one order; that is how
    several meshes are said, and shardings that split an axis in ways that do not go together.

    edges are the shardings of arguments and results (None: nothing is known), which must be
    expressed; inside those of other values, whose axes are split too as far as that goes together.
    """

    def __init__(self, jax, meshes, user, edges, inside=()):
        self.jax, self.meshes, self.user, self.edges = jax, meshes, user, edges
        edges = [e for e in edges if e is not None]
        used = sorted({s.mesh for s in edges}) or [m for m in meshes if meshes[m].axes][:1]
        if not used:
            raise errors.InvalidArgument("the program has no mesh: propagate(…, mesh=\"data=8\")")
        if user is not None and not isinstance(user, (jax.sharding.Mesh, jax.sharding.AbstractMesh)):
            raise errors.InvalidArgument(
                f"mesh is {type(user).__name__}, expected a jax.sharding.Mesh or AbstractMesh")
        for symbol in used:
            if symbol not in meshes:
                raise errors.InvalidArgument(f"the program has no mesh @{symbol}")
        if len(used) > 1:
            _check_meshes(meshes, used, user)
        elif user is not None:
            _check_mesh(used[0], meshes[used[0]], user)
        self.splits = {symbol: axes.Split(mesh) for symbol, mesh in meshes.items()}
        self.own = [s for s in edges if not self.splits[s.mesh].add(s)]
        for sharding in inside:
            if sharding.mesh in self.splits:
                self.splits[sharding.mesh].add(sharding)
        self.main = self.mesh(used[0])
        self._shared = {used[0]: self.main}  # by symbol: hundreds of shardings have the same

    def mesh(self, symbol, split=None):
        """The jax Mesh with the axes as they were split: the same devices in the same order.

        Axes are of the type Auto: over Explicit ones JAX propagates by itself, while it traces.
        """
        jax, mesh, user = self.jax, self.meshes[symbol], self.user
        split = split or self.splits[symbol]
        by_name = user is not None and sorted(large(user.shape)) == sorted(large(mesh.axes))
        sizes = user.shape if by_name else mesh.axes
        new = [axis for name, size in sizes.items()
               for axis in (split.axes(name) if name in split.sizes else [(name, size)])]
        names = tuple(name for name, _ in new)
        for name in names:
            if not name.isascii():  # XLA aborts
                raise errors.InvalidArgument(f"XLA takes no axis that is called {name!r}: only ASCII")
        auto = (jax.sharding.AxisType.Auto,) * len(new)
        if by_name and user.axis_names == names and user.axis_types == auto:
            return user
        sizes = tuple(n for _, n in new)
        if isinstance(user, jax.sharding.AbstractMesh):
            return jax.sharding.AbstractMesh(sizes, names, axis_types=auto)
        devices = user.devices if user is not None else _devices(jax, mesh)
        return jax.sharding.Mesh(devices.reshape(sizes), names, axis_types=auto)

    def spec(self, sharding):
        """The jax Mesh of a sharding, and per dimension the names of its axes there."""
        split, own = self.splits[sharding.mesh], any(sharding is s for s in self.own)
        if own:
            split = axes.Split(self.meshes[sharding.mesh])
            split.add(sharding)
        mesh = None if own else self._shared.get(sharding.mesh)
        if mesh is None:
            mesh = self.mesh(sharding.mesh, split)
            if not own:
                self._shared[sharding.mesh] = mesh
        return mesh, [[n for n in dim if n in mesh.shape] for dim in split.spec(sharding)]


# ---- specs ----

def _even(names, value, d, rank, sizes, said):
    """The axes that divide a dimension; JAX takes no others for arguments and results."""
    inside = d >= rank  # of a key, whose numbers are dimensions of their own in the program
    length = 1 if inside else value.shape[d]
    kept, dropped = axes.drop_uneven(names, length, sizes)
    if dropped:
        n = math.prod(sizes[name] for name in names)
        why = "is inside of a key" if inside else \
            f"has {length} elements, which {n} devices do not divide"
        said.append((value.name, f"dimension {d} {why}; JAX takes no such array, so it is not sharded "
                                 f"over {', '.join(dropped)} there"))
    return kept


def _told(said):
    """What was said of each value, once for all of which it is the same."""
    names = {}
    for name, what in said:
        names.setdefault(what, []).append(name)
    return [f"{of[0]}: {what}" + (f" (nor are {len(of) - 1} others: {_some(of[1:])})" if of[2:] else
                                  f" (nor is {of[1]})" if of[1:] else "")
            for what, of in names.items()]


def _some(names):
    return ", ".join(names[:4]) + (", …" if names[4:] else "")


def _named(jax, meshes, sharding, value, aval, kind, said):
    if sharding is None or 0 in value.shape:  # XLA does not cut what is empty, and JAX then fails
        return jax.sharding.NamedSharding(meshes.main, jax.sharding.PartitionSpec(), memory_kind=kind)
    rank = len(aval.shape if aval is not None else value.shape)
    mesh, dims = meshes.spec(sharding)
    dims = [_even(names, value, d, rank, mesh.shape, said) for d, names in enumerate(dims)][:rank]
    while dims and not dims[-1]:
        dims.pop()
    spec = (None if not names else names[0] if len(names) == 1 else tuple(names) for names in dims)
    return jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec(*spec), memory_kind=kind)


def _edge(text, meshes):
    """The Sharding of an argument or result; None if nothing is known. (JAX puts some results, of
    keys, on a mesh without axes: that says nothing.)"""
    sharding = None if text is None else axes.read_sharding(text)
    if sharding is None or (sharding.mesh in meshes and not meshes[sharding.mesh].axes):
        return None
    return sharding


def check_sharded(what):
    if not isinstance(what, Sharded):
        raise errors.InvalidArgument("expected a Sharded, which tessera.propagate gives, not "
                                     f"{type(what).__name__}")


def find(jax, sharded, mesh, inside=()):
    """Shardings, and the Meshes they are on."""
    check_sharded(sharded)
    program = sharded.program
    texts = sharded.argument_shardings + sharded.result_shardings
    values = program.arguments + program.results
    avals = (list(program.in_avals) + list(program.out_avals) if program.in_avals is not None
             else [None] * len(values))
    found = axes.read_meshes(sharded.text)
    edges = [_edge(text, found) for text in texts]
    meshes = Meshes(jax, found, mesh, edges, inside)
    n = len(program.arguments)
    of_arguments, of_results = _jaxlib.memory_kinds(program.text, program.function, meshes.main)
    kinds = [of_arguments.get(i) for i in range(n)] + [of_results.get(i) for i in range(len(values) - n)]
    said = []
    named = [_named(jax, meshes, e, value, aval, kind, said)
             for e, value, aval, kind in zip(edges, values, avals, kinds)]
    for message in _told(said):
        warn_user(message)
    return Shardings(program, meshes.main, named[:n], named[n:]), meshes


def shardings(sharded, mesh=None) -> Shardings:
    """Returns the shardings of a Sharded as pytrees of NamedSharding, for jax.jit.

    >>> def double(x):
    ...     return 2 * x
    >>> x = np.ones((8, 4), "f")
    >>> sharded = tessera.propagate(double, x, mesh="data=4", shard={"x": P("data")})
    >>> in_shardings, out_shardings = tessera.shardings(sharded)
    >>> y = jax.jit(double, in_shardings=in_shardings, out_shardings=out_shardings)(x)
    >>> y.addressable_shards[0].data.shape
    (2, 4)

    mesh is a jax.sharding.Mesh with the axes of the program's mesh. Its device order is kept, and its
    axes become Auto, so that XLA can shard inside. Without a mesh, JAX's first devices are used. An
    AbstractMesh needs no devices: a laptop can compute the shardings for a pod. Open dimensions
    become closed. Arguments and results without a sharding are replicated, so the results of a
    training step fit the arguments of the next. JAX requires that sizes are multiples of their axes:
    axes that break this are dropped with a warning. propagate(…, divisible_edges=True) infers
    shardings that satisfy it.
    """
    return find(import_jax(), sharded, mesh)[0]


# ---- arrays ----

def place(jax, leaves, named):
    """Arrays where they are wanted. Those that are there already are not copied; what JAX traces
    stays as it is, since jit's in_shardings move it."""
    if not any(isinstance(leaf, jax.core.Tracer) for leaf in leaves):
        there = [getattr(leaf, "sharding", None) == sharding for leaf, sharding in zip(leaves, named)]
        if all(there):
            return leaves
        moved = iter(jax.device_put([leaf for leaf, is_ in zip(leaves, there) if not is_],
                                    [sharding for sharding, is_ in zip(named, there) if not is_]))
        return [leaf if is_ else next(moved) for leaf, is_ in zip(leaves, there)]
    if has_explicit_axes(jax):  # over which what is traced and what is over Auto ones do not go together
        return leaves
    return [leaf if isinstance(leaf, jax.core.Tracer) else jax.device_put(leaf, sharding)
            for leaf, sharding in zip(leaves, named)]


def in_memory(jax, results, named):
    """Traced results in host memory, where they are wanted there: a jit around the one that has
    out_shardings does not heed their memory kinds."""
    device = named[0].mesh.devices.flat[0].default_memory().kind if named else None
    return [x if sharding.memory_kind == device else jax.device_put(x, sharding)
            for x, sharding in zip(results, named)]


def over_auto(jax, mesh):
    """A context for a call of what is sharded over Auto axes."""
    return jax.set_mesh(mesh) if has_explicit_axes(jax) else contextlib.nullcontext()


def put_back(jax, results, user):
    """Arrays on the user's own mesh, where that has Explicit axes of the same names: as they are, not
    copied. JAX takes no arrays of both kinds of axes together."""
    auto = jax.sharding.AxisType.Auto
    if user is None or all(kind == auto for kind in user.axis_types):
        return results
    def put(x):
        mesh = getattr(x.sharding, "mesh", None)
        if mesh is None or mesh.axis_names != user.axis_names:
            return x
        return jax.device_put(x, jax.sharding.NamedSharding(user, x.sharding.spec))
    return [put(x) for x in results]
