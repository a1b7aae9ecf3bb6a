"""A sharded program in stock JAX: its annotated text through jax.export, or its local program.

For the annotated text XLA is given sdy, closed, without parts of axes, and with no sharding on ops: it does not heed those,
but when it folds an op it hands them to another, of other results, or leaves them on a loop that has
lost some, and crashes. What says shardings are arguments, results and constraints. (The other
spelling, mhlo.sharding, makes XLA fall back to GSPMD, which is on its way out.)
"""

import functools
import re
import zlib

from . import _jaxlib, axes, dtypes, errors
from .decisions import decisions_of
from .export import import_jax, refuse_callbacks
from .run import leaves_of
from .shardings import check_sharded, find, in_memory, large, mesh_words, over_auto, place

# In the text of a sdy attribute: a mesh, an axis or part of one, and what is open.
_PIECE = re.compile(r'(@"(?:[^"\\]|\\.)*"|@[\w.$-]+)|'
                    r'("(?:[^"\\]|\\.)*")(?::\((\d+)\)(\d+))?|(?:, )?\?')

_GROUP_AXIS = re.compile(r'#stablehlo\.axis_ref<name = ("(?:[^"\\]|\\.)*")>')


# ---- the module ----

def _symbol(old, split):
    """What a mesh is called: after what it is, since JAX confuses those of two programs in one
    function that are called alike."""
    said = str([split.axes(name) for name in split.sizes])
    return f"@mesh_{zlib.crc32(said.encode()):08x}" if split.sizes else old


def _axis(match):
    name, pre, size = match.group(2, 3, 4)
    return axes.Axis(axes.unquote(name), int(pre or 1), int(size) if size else None)


def _parts(module):
    """All parts of axes in a program, each as a Sharding of its own."""
    for op in _jaxlib.walk(module.operation):
        mesh = None
        for name in _jaxlib.sdy_attributes(op):
            for match in _PIECE.finditer(str(op.attributes[name])):
                if match.group(1):
                    mesh = axes.symbol_name(match.group(1))
                elif match.group(4):
                    yield axes.Sharding(mesh, [[_axis(match)]])


def _said(text, splits, mesh):
    """The text of a sdy attribute with split axes and nothing open; "" if that cannot be said."""
    possible = True

    def piece(match):
        nonlocal mesh, possible
        if match.group(1):
            mesh = axes.symbol_name(match.group(1))
            return _symbol(match.group(1), splits[mesh])
        if not match.group(2):
            return ""
        axis, split = _axis(match), splits[mesh]
        possible = possible and split.can_say(axis)
        return ", ".join(axes.quote(name) for name in split.names(axis))

    text = _PIECE.sub(piece, text)
    return text if possible else ""


def _changed(op, text, splits, mesh):
    """The new text of an attribute; None if it stays, "" if XLA is to decide."""
    if not text.startswith("#sdy"):
        return None
    said = _said(text, splits, mesh)
    if not said and op.name.startswith("sdy."):
        raise errors.Unimplemented(f"{op.name} has {text}, whose parts of axes do not go together "
                                   "with those of other values: JAX has no mesh for both")
    return said


def _mesh_of(op, names):
    """The mesh that an op is about: manual_axes names none."""
    for name in names:
        found = _PIECE.search(str(op.attributes[name]))
        if found and found.group(1):
            return axes.symbol_name(found.group(1))
    return None


def _split_mesh(op, split):
    """Splits the axes of a mesh; newer versions of JAX say them twice."""
    parts = [(axes.quote(n), size) for name in split.sizes for n, size in split.axes(name)]
    said = ", ".join(f"{name}={size}" for name, size in parts)
    _jaxlib.set_attribute(op, "mesh", f"#sdy.mesh<[{said}]>")
    _jaxlib.set_attribute(op, "sym_name", f'"{_symbol(None, split)[1:]}"')
    if "stablehlo.mesh" in op.attributes:
        said = ", ".join(f"{{name = {name}, size = {size} : i64}}" for name, size in parts)
        _jaxlib.set_attribute(op, "stablehlo.mesh", f"{{axes = [{said}]}}")


def _split_groups(op, splits):
    """Splits the axes of a collective's groups, where those are said by axes of a mesh."""
    text = str(op.attributes["replica_groups"])
    found = re.match(r"#stablehlo\.replica_group_mesh_axes<mesh = (@[^,>]*)", text)
    split = splits.get(axes.symbol_name(found.group(1))) if found else None
    if split is None:
        return
    if "sub_axis_info" in text and any(len(split.axes(name)) > 1 for name in split.sizes):
        raise errors.Unimplemented(f"{op.name} has groups by parts of axes: {text}")
    text = text.replace(found.group(1), _symbol(found.group(1), split), 1)
    text = _GROUP_AXIS.sub(lambda match: ", ".join(
        f"#stablehlo.axis_ref<name = {axes.quote(name)}>"
        for name, _ in split.axes(axes.unquote(match.group(1)))), text)
    _jaxlib.set_attribute(op, "replica_groups", text)


def _rewrite(module, splits):
    """Makes of a program what XLA takes."""
    for op in list(_jaxlib.walk(module.operation)):
        if not op.name.startswith("sdy.") and "sdy.sharding" in op.attributes:
            del op.attributes["sdy.sharding"]
        names = _jaxlib.sdy_attributes(op)
        if op.name == "sdy.mesh":
            split = splits[axes.unquote(str(op.attributes["sym_name"]))]
            if split.sizes:
                _split_mesh(op, split)
            continue
        if "replica_groups" in op.attributes:
            _split_groups(op, splits)
        mesh = _mesh_of(op, names)
        for name in names:
            _jaxlib.map_attribute(op, name, lambda text: _changed(op, text, splits, mesh))


def _text(sharded):
    try:
        return sharded.explicit_text
    except errors.Unimplemented:  # XLA may partition what Tessera does not
        return sharded.text


# ---- what it takes and gives ----

def _loaded_trees(jax, program):
    """Trees and shapes of a program that was not exported from JAX here: flat."""
    def shape(value):
        if value.dtype is None or any(n < 0 for n in value.shape):
            raise errors.Unimplemented(f"{value.name} is {value.text}, which JAX has no arrays of")
        dtype = dtypes.to_numpy(dtypes._NUMBER[value.dtype])
        if jax.dtypes.canonicalize_dtype(dtype) != dtype:
            raise errors.InvalidArgument(f"{value.name} is {value.text}, which JAX takes only with "
                                         "jax_enable_x64")
        return jax.ShapeDtypeStruct(value.shape, dtype)

    ins, outs = map(shape, program.arguments), [shape(r) for r in program.results]
    in_avals, in_tree = jax.tree.flatten((tuple(ins), {}))
    return in_tree, in_avals, jax.tree.structure(outs[0] if len(outs) == 1 else outs), outs


def _check(jax, leaf, aval, value):
    is_ = jax.typeof(leaf)
    if is_.shape != aval.shape or is_.dtype != aval.dtype:
        raise errors.InvalidArgument(f"{value.name} is {is_.dtype}{list(is_.shape)}, expected "
                                     f"{aval.dtype}{list(aval.shape)}")


class JaxProgram:
    """A sharded program that stock XLA runs: call it as the function that was exported, with its
    static arguments, whose values are those of the export, or without.

    shardings   those of its arguments and results (tessera.Shardings)
    exported    the jax.export.Exported; exported.call may be used in other JAX functions
    lower(…)    JAX's Lowered of it: .compile().as_text() is what XLA made

    >>> sharded = tessera.propagate(lambda x: 2 * x, np.ones(8, "f"), mesh="a=2", shard={"x": P("a")})
    >>> double = tessera.to_jax(sharded)
    >>> "num_partitions=2" in double.lower(np.ones(8, "f")).compile().as_text()
    True
    """

    def __init__(self, jax, sharded):
        program = self._program = sharded.program
        if program.in_tree is None:
            trees = _loaded_trees(jax, program)
        else:
            trees = program.in_tree, program.in_avals, program.out_tree, program.out_avals
        self._in_tree, self._in_avals, self._out_tree, self._out_avals = trees
        self._jax = jax

    def _finish(self, flat, donated, inside=None):
        """flat takes and gives leaves; so does inside, for a call with leaves that JAX traces."""
        jitted = self._jax.jit(flat, in_shardings=tuple(self.shardings.arguments),
                               out_shardings=self.shardings.results, donate_argnums=donated)
        self.run_leaves, self.lower_leaves = jitted, jitted.lower
        self.inside_leaves = inside or (lambda *leaves: in_memory(
            self._jax, jitted(*place(self._jax, leaves, self.shardings.arguments)), self.shardings.results))

    def _leaves(self, args, kwargs):
        leaves = leaves_of(self._program, args, kwargs)
        if len(leaves) != len(self._in_avals):
            raise errors.InvalidArgument(f"the program takes {len(self._in_avals)} arrays, "
                                         f"not {len(leaves)}")
        for leaf, aval, value in zip(leaves, self._in_avals, self._program.arguments):
            _check(self._jax, leaf, aval, value)
        return leaves

    def __call__(self, *args, **kwargs):
        jax, leaves = self._jax, self._leaves(args, kwargs)
        if any(isinstance(leaf, jax.core.Tracer) for leaf in leaves):
            results = self.inside_leaves(*leaves)
        else:
            with over_auto(jax, self.shardings.mesh):
                results = self.run_leaves(*place(jax, leaves, self.shardings.arguments))
        return jax.tree.unflatten(self._out_tree, results)

    def __repr__(self):
        on = mesh_words(self.shardings.mesh.shape)
        return f"<tessera.JaxProgram @{self._program.function} on {on}>"

    def lower(self, *args, **kwargs):
        """JAX's Lowered of a call with these arguments."""
        return self.lower_leaves(*self._leaves(args, kwargs))


class _Constrained(JaxProgram):
    """The annotated program, through jax.export: XLA partitions it."""

    def __init__(self, jax, sharded, mesh, fallback=None):
        super().__init__(jax, sharded)
        function = self._program.function
        module = _jaxlib.parse(_text(sharded))
        if function != "main":
            _jaxlib.make_main(module, function)
        self.shardings, meshes = find(jax, sharded, mesh, _parts(module))
        _check_order(meshes)
        _rewrite(module, meshes.splits)
        self.exported = _jaxlib.exported(
            jax, function, self._in_tree, self._in_avals, self._out_tree, self._out_avals, module,
            _jaxlib.platform_of(jax, self.shardings.mesh))
        self._finish(self._flat, _jaxlib.donated(module))
        if fallback:
            from .traced import with_fallback  # needs JAX
            self.inside_leaves = with_fallback(self.inside_leaves, fallback, self.shardings, sharded.program.name)

    def _flat(self, *leaves):
        args, kwargs = self._in_tree.unflatten(leaves)
        results = self._jax.tree.leaves(self.exported.call(*args, **kwargs))
        return [_jaxlib.as_weak(aval, x) for aval, x in zip(self._out_avals, results)]


class _Local(JaxProgram):
    """The local program, inside a shard_map: XLA has nothing to partition. partitioned is what
    tessera.partition made."""

    def __init__(self, jax, sharded, mesh, fallback, decisions):
        from .local import LocalCall  # needs JAX
        super().__init__(jax, sharded)
        self.shardings, meshes = find(jax, sharded, mesh)
        _check_order(meshes)
        call = LocalCall(sharded, self.shardings, meshes, self._in_avals, self._out_avals,
                         fallback or self._program.call, decisions)
        self.partitioned = call.made
        marks = self._program.donated or ()
        self._finish(call.run, tuple(i for i, is_donated in enumerate(marks) if is_donated), call.inside)

    @functools.cached_property
    def exported(self):
        import jax.export
        args, kwargs = self._in_tree.unflatten(self._in_avals)
        flat = lambda *args, **kwargs: self._out_tree.unflatten(
            self.run_leaves(*jax.tree.leaves((args, kwargs))))
        platform = _jaxlib.platform_of(jax, self.shardings.mesh)
        return jax.export.export(jax.jit(flat), platforms=[platform])(*args, **kwargs)


def _check_order(meshes):
    """Collectives in a program name devices by number: the mesh must be in the program's order."""
    for symbol, mesh in meshes.meshes.items():
        if mesh.device_ids and mesh.axes:
            raise errors.Unimplemented(f"mesh @{symbol} has an order of devices of its own "
                                       "(device_ids), which JAX has no word for")
        if meshes.user is not None and mesh.axes and \
                sorted(large(mesh.axes)) == sorted(large(meshes.user.shape)) and \
                large(mesh.axes) != large(meshes.user.shape):
            raise errors.InvalidArgument(
                f"the mesh does not fit: the program has {mesh_words(mesh.axes)}, the jax Mesh "
                f"{mesh_words(meshes.user.shape)}: to_jax takes them in one order")


FORMS = ("constraints", "local")


def to_jax(sharded, mesh=None, exact="constraints", decisions=None) -> JaxProgram:
    """Returns a function with which JAX runs a sharded program. mesh is a jax.sharding.Mesh. Without one,
    the function uses JAX's first devices.

    exact   what XLA gets.
            "constraints" (default): the global program with its shardings and every reshard as a
            constraint. XLA partitions it. jax.grad and jax.vmap are not supported.
            "local": the local program of tessera.partition, inside a fully manual shard_map. XLA
            compiles its ops and collectives as they are. Arguments whose sizes are not multiples of
            their axes are padded. jax.grad and jax.vmap run the Python function with constraints on
            its arguments and results, and give one warning.
    decisions   choices for the local program, as in tessera.partition. They require exact="local", and
            must keep the shardings of arguments and results.

    The function works inside jax.jit and jax.lax.scan. Donated arguments stay donated.

    >>> sharded = tessera.propagate(lambda x: 2 * x, np.ones(8, "f"), mesh="a=2", shard={"x": P("a")})
    >>> y = tessera.to_jax(sharded, exact="local")(np.arange(8, dtype="f"))
    >>> len(y.devices()), float(y.sum())
    (2, 56.0)
    """
    if not isinstance(exact, str) or exact not in FORMS:
        raise errors.InvalidArgument(f"exact is {exact!r}, expected one of "
                                     + ", ".join(map(repr, FORMS)))
    return make(sharded, mesh, exact, decisions=decisions)


def check_form(decisions, exact):
    """Only the local program has all that was decided: XLA partitions the others by itself."""
    if decisions.text is not None and exact != "local":
        raise errors.InvalidArgument(f'decisions need exact="local", not {exact!r}: XLA partitions '
                                     "the program itself there")


def make(sharded, mesh, exact, fallback=None, decisions=None):
    """to_jax; fallback is what runs under grad and vmap, from leaves to leaves."""
    decisions = decisions_of(decisions)
    check_form(decisions, exact)
    jax = import_jax()
    check_sharded(sharded)
    refuse_callbacks(sharded.program)
    if not _jaxlib.shardy_is_on(jax):
        raise errors.Unimplemented("to_jax needs JAX's Shardy partitioner: jax.config.update("
                                   "'jax_use_shardy_partitioner', True)")
    if mesh is not None and not isinstance(mesh, jax.sharding.Mesh):
        raise errors.InvalidArgument(f"mesh is {type(mesh).__name__}, expected a jax.sharding.Mesh")
    if exact == "local":
        return _Local(jax, sharded, mesh, fallback, decisions)
    return _Constrained(jax, sharded, mesh, fallback)
