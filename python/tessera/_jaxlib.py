"""What Tessera uses of JAX that is not plainly public, in one place: its MLIR bindings, primitives,
and the fields of Exported. The same in JAX 0.8 to 0.12; a version that differs is told apart here."""

import contextlib
import dataclasses
import functools

from . import errors


def shardy_is_on(jax):
    return bool(getattr(jax.config, "jax_use_shardy_partitioner", True))


def trace_context(jax):
    """What of JAX's configuration tracing depends on; where JAX does not tell, what matters most."""
    try:
        from jax._src.config import trace_context as of_jax
        return of_jax()
    except (ImportError, AttributeError):
        return jax.config.jax_enable_x64, jax.config.jax_default_matmul_precision


def as_weak(aval, x):
    """x with the weak type that aval has, if it has one: a program given to JAX forgets it."""
    if not getattr(aval, "weak_type", False):
        return x
    try:
        from jax._src.lax.lax import _convert_element_type
        return _convert_element_type(x, aval.dtype, weak_type=True)
    except (ImportError, TypeError):
        return x


def key_impl(dtype):
    """The name of the generator of PRNG keys of this dtype, as jax.random.wrap_key_data takes it."""
    return dtype._impl.name


def jit_info(fn):
    """What jax.jit was told about a function that it gave; None of others."""
    return getattr(fn, "_jit_info", None)


def hide_frames(directory):
    """Locations of ops are never in this directory. Where JAX has no such function, they may be."""
    try:
        from jax._src.source_info_util import register_exclusion
        register_exclusion(directory)
    except (ImportError, AttributeError):
        pass


def host_callbacks(lowered):
    """The Python functions that a lowered program calls back, by the index that its custom calls have.
    They take the operands as NumPy arrays, None for a token, and give a tuple of the results."""
    try:
        return tuple(lowered._lowering.compile_args["host_callbacks"])
    except (AttributeError, KeyError, TypeError):
        return ()


# ---- modules ----

_MEMORY_KIND = "mhlo.memory_kind"


def parse(text):
    """A program in JAX's MLIR."""
    from jax.interpreters import mlir
    from jaxlib.mlir import ir
    with mlir.make_ir_context() as context, ir.Location.unknown(context):
        try:
            return ir.Module.parse(text)
        except ir.MLIRError as e:
            raise errors.Unimplemented(f"JAX's MLIR does not read the program: {e}") from None


def walk(op):
    """All ops in an op, each before those in it."""
    for region in op.regions:
        for block in region.blocks:
            for inner in block.operations:
                yield inner.operation
                yield from walk(inner.operation)


def sdy_attributes(op):
    """Names of the attributes of an op that may be sdy's, or have sdy's in them."""
    names = [a if isinstance(a, str) else a.name for a in op.attributes]
    return [n for n in names if n.startswith("sdy.") or op.name.startswith("sdy.") or
            n in ("arg_attrs", "res_attrs")]


def map_attribute(op, name, change):
    """Sets an attribute to change(its text), entries of lists and dictionaries one by one; None
    leaves it, and "" takes it away."""
    from jaxlib.mlir import ir

    def mapped(attribute):
        if isinstance(attribute, ir.DictAttr):
            entries = {a.name: mapped(a.attr) for a in attribute}
            return ir.DictAttr.get({k: v for k, v in entries.items() if v is not None})
        if isinstance(attribute, ir.ArrayAttr):
            return ir.ArrayAttr.get([mapped(a) for a in attribute])
        text = change(str(attribute))
        return attribute if text is None else ir.Attribute.parse(text) if text else None

    with op.context, ir.Location.unknown(op.context):
        new = mapped(op.attributes[name])
        if new is None:
            del op.attributes[name]
        else:
            op.attributes[name] = new


def set_attribute(op, name, text):
    from jaxlib.mlir import ir
    with op.context, ir.Location.unknown(op.context):
        op.attributes[name] = ir.Attribute.parse(text)


def make_main(module, name):
    """Calls the entry @main, as JAX does."""
    for op in module.body.operations:
        if op.operation.name == "func.func" and str(op.attributes["sym_name"]) == f'"{name}"':
            set_attribute(op.operation, "sym_name", '"main"')
            set_attribute(op.operation, "sym_visibility", '"public"')


def _marks(module, name, what):
    """The attributes of the arguments ("arg_attrs") or results ("res_attrs") of a function."""
    for op in module.body.operations:
        if op.operation.name == "func.func" and str(op.attributes["sym_name"]) == f'"{name}"' and \
                what in op.attributes:
            return list(op.attributes[what])
    return []


def donated(module):
    """Numbers of the arguments of @main that are marked as donated."""
    return tuple(i for i, marks in enumerate(_marks(module, "main", "arg_attrs"))
                 if "tf.aliasing_output" in marks or "jax.buffer_donor" in marks)


def memory_kinds(text, name, mesh):
    """{number: memory kind} of the arguments of a function that are not in device memory, and that
    of the results. None before JAX 0.10 on the CPU: XLA refuses them on several devices there, and
    jax.jit leaves such results in device memory."""
    import jax
    on_cpu = isinstance(mesh, jax.sharding.Mesh) and mesh.devices.flat[0].platform == "cpu"
    if _MEMORY_KIND not in text or (on_cpu and jax.__version_info__ < (0, 10)):
        return {}, {}
    module = parse(text)
    kinds = ({i: str(marks[_MEMORY_KIND])[1:-1] for i, marks in enumerate(_marks(module, name, what))
              if _MEMORY_KIND in marks} for what in ("arg_attrs", "res_attrs"))
    return tuple({i: kind for i, kind in of.items() if kind != "device"} for of in kinds)


# ---- a local program inside of JAX's module ----

def _lower_local(ctx, *operands, program):
    """Adds the functions of a local program to JAX's module, unless they are there, and calls it."""
    from jaxlib.mlir import ir
    from jaxlib.mlir.dialects import func
    module = ctx.module_context
    if program.entry not in module.symbol_table:
        ours = ir.Module.parse(program.text, module.context)  # outlives the loop: its ops move
        for op in list(ours.body.operations):
            if op.operation.name != "func.func":
                continue
            for name in ("arg_attrs", "res_attrs"):
                if name in op.attributes:
                    del op.attributes[name]
            op.attributes["sym_visibility"] = ir.StringAttr.get("private")
            module.module.body.append(op)
            module.symbol_table.insert(op)
    entry = module.symbol_table[program.entry]
    results = ir.FunctionType(ir.TypeAttr(entry.attributes["function_type"]).value).results
    return func.CallOp(results, ir.FlatSymbolRefAttr.get(program.entry), operands).results


@functools.cache
def local_primitive():
    """The primitive that is a local program on one device; its parameter has text, entry (the name of
    the function that is called) and result_types (shape and dtype of each)."""
    from jax.core import ShapedArray
    from jax.extend.core import Primitive
    from jax.interpreters import mlir
    primitive = Primitive("tessera_local")
    primitive.multiple_results = True
    primitive.def_abstract_eval(
        lambda *_, program: [ShapedArray(shape, dtype) for shape, dtype in program.result_types])
    mlir.register_lowering(primitive, _lower_local)
    return primitive


def under_mesh(mesh):
    """A context in which a shard_map over this mesh may be traced, whatever mesh is set."""
    import jax
    now = jax.sharding.get_abstract_mesh()
    if now.empty or now == mesh.abstract_mesh:
        return contextlib.nullcontext()
    return jax.sharding.use_abstract_mesh(mesh.abstract_mesh)


# ---- Exported ----

def _no_gradient(_):
    raise errors.Unimplemented("a program given to JAX has no gradient: export a function that "
                               "computes it (jax.value_and_grad) instead")


def platform_of(jax, mesh):
    """What jax.export calls the platform of a mesh, or of JAX's devices."""
    from jax.export import default_export_platform
    devices = jax.devices() if mesh is None else mesh.devices.flat
    return "cpu" if devices[0].platform == "cpu" else default_export_platform()


def exported(jax, name, in_tree, in_avals, out_tree, out_avals, module, platform):
    """A jax.export.Exported of a module, for any number of devices: that of a function with the
    same arguments and results, with another module in it. (Its gradient would be that function's:
    there must be none.)"""
    import jax.export
    from jax.extend.mlir import serialize_portable_artifact
    from jaxlib.mlir.dialects import stablehlo

    def same_types(*_, **__):
        return out_tree.unflatten([jax.numpy.empty(a.shape, a.dtype) for a in out_avals])

    args, kwargs = in_tree.unflatten(in_avals)
    made = jax.export.export(jax.jit(same_types, keep_unused=True),
                             platforms=[platform])(*args, **kwargs)
    text = module.operation.get_asm(enable_debug_info=True)
    artifact = serialize_portable_artifact(text, stablehlo.get_current_version(), True)
    return dataclasses.replace(made, fun_name=name, mlir_module_serialized=artifact,
                               _get_vjp=_no_gradient)
