"""From a JAX function to a Program: StableHLO text with locations, and the trees of its values."""

import collections
import functools
import inspect
import os
import re
import sys
import warnings

import numpy as np

from . import _jaxlib, checks, errors
from .program import TOKEN, Program

_HERE = os.path.dirname(os.path.abspath(__file__))
_OLDEST, _NEWEST = (0, 8), (0, 12)
OPTIONS = ("static_argnums", "static_argnames", "donate_argnums", "donate_argnames", "platform")
_CALLBACK = re.compile(r"@(xla_\w*python\w*callback)\b.*$", re.M)

# in_tree is of (args, kwargs) without what is static; avals and donated are flat; bound is what a
# jitted method puts before the arguments: (self,). call takes the leaves of the arguments and gives
# those of the results: the Python function itself, for JAX to trace.
Trees = collections.namedtuple(
    "Trees", "in_tree out_tree in_avals out_avals donated bound static_argnums static_argnames call")


@functools.cache
def import_jax():
    """jax, if it is there and of a version that this package knows."""
    try:
        import jax
    except ImportError:
        raise errors.Unimplemented("this needs JAX: pip install 'jax>=0.8'") from None
    version = tuple(int(n) for n in re.findall(r"\d+", jax.__version__)[:2])
    range_ = f"{_said(_OLDEST)} to {_said(_NEWEST)}"
    if version < _OLDEST:
        raise errors.Unimplemented(f"JAX {jax.__version__} is too old: this package works with {range_}. "
                                   f"pip install 'jax>={_said(_OLDEST)}'")
    if version > _NEWEST:
        warn_user(f"JAX {jax.__version__} is newer than this package, which is tested with {range_}: "
                   "much will work. If something does not, take "
                   f"pip install 'jax<{_said((_NEWEST[0], _NEWEST[1] + 1))}'")
    _jaxlib.hide_frames(_HERE)  # locations are of the user's lines
    return jax


def _said(version):
    return ".".join(map(str, version))


def warn_user(message):
    """A warning at the line that called this package, also if JAX called it in between."""
    jax = sys.modules.get("jax")
    inner = (_HERE + os.sep, *((os.path.dirname(jax.__file__) + os.sep,) if jax else ()))
    frame, level = sys._getframe(1), 2
    while frame.f_back and os.path.abspath(frame.f_code.co_filename).startswith(inner):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, stacklevel=level)


def name_of(fn):
    return getattr(fn, "__name__", None) or type(fn).__name__


# ---- what is static ----

def _checked(options):
    """Keywords of jax.jit that name arguments; None where nothing is said."""
    kinds = {"argnums": (int, "numbers of arguments"), "argnames": (str, "names of arguments")}
    return {what: None if value is None else
            checks.several(what, value, *kinds[what.split("_")[1]])
            for what, value in options.items()}


def _tuple(value):
    return () if value is None else (value,) if isinstance(value, (int, str)) else tuple(value)


def _static(jitted, options, n_args):
    """Numbers and names of static arguments; JAX finds one from the other if only one is said."""
    info = _jaxlib.jit_info(jitted)
    argnums = info.static_argnums if info else options["static_argnums"]
    argnames = info.static_argnames if info else options["static_argnames"]
    return {n + n_args if n < 0 else n for n in _tuple(argnums)}, set(_tuple(argnames))


def without_static(trees, args, kwargs):
    """What is left of a call: what JAX makes arguments of @main from."""
    args = trees.bound + args
    return (tuple(a for i, a in enumerate(args) if i not in trees.static_argnums),
            {k: v for k, v in kwargs.items() if k not in trees.static_argnames})


def _flat_call(jitted, in_tree, static, args, kwargs):
    """The function from leaves to leaves, with the static arguments of the export."""
    argnums, argnames = static
    numbered = sorted((i, args[i]) for i in argnums if i < len(args))
    named = {k: v for k, v in kwargs.items() if k in argnames}

    def call(*leaves):
        args, kwargs = in_tree.unflatten(leaves)
        args = list(args)
        for i, value in numbered:
            args.insert(i, value)
        return import_jax().tree.leaves(jitted(*args, **kwargs, **named))

    return call


# ---- lowering ----

def jit_options(fn):
    """How a function was jitted, as keywords for another jax.jit; None if it was not."""
    info = _jaxlib.jit_info(fn)
    if info is None or not hasattr(fn, "__wrapped__"):
        return None
    options = {"static_argnums": info.static_argnums, "static_argnames": info.static_argnames,
               "donate_argnums": info.donate_argnums, "donate_argnames": info.donate_argnames}
    if info.user_specified_in_shardings:
        options["in_shardings"] = info.in_shardings_treedef.unflatten(info.in_shardings_leaves)
    out = info.out_shardings_treedef.unflatten(info.out_shardings_leaves)
    if type(out).__name__ != "UnspecifiedValue":
        options["out_shardings"] = out
    return options


def _anew(fn):
    """The same as another function: JAX keeps what it traced for as long as there is the function,
    whatever has become of the globals that it uses."""
    if isinstance(fn, type) or inspect.isbuiltin(fn):
        return fn

    @functools.wraps(fn)
    def again(*args, **kwargs):
        return fn(*args, **kwargs)

    return again


def _jitted(jax, fn, options):
    """The function under a jit that keeps unused arguments, and its options."""
    old = jit_options(fn)
    if old is None:
        return jax.jit(_anew(fn), keep_unused=True, **options), options
    merged = {**old, **{k: v for k, v in options.items() if v is not None}}
    return jax.jit(fn.__wrapped__, keep_unused=True, **merged), merged


def _python_line(text, line):
    """ "train.py:31" that a line of the text comes from; "" if it does not say. """
    found = re.search(r"loc\((#loc\d*)\)\s*$", line)
    seen = set()
    pending = [found.group(1)] if found else []
    while pending:
        name = pending.pop(0)
        if name in seen:
            continue
        seen.add(name)
        definition = re.search(rf"^{re.escape(name)} = loc\((.*)\)$", text, re.M)
        if not definition:
            continue
        place = re.search(r'"([^"]+)":(\d+):\d+', definition.group(1))
        if place:
            return f"{place.group(1)}:{place.group(2)}"
        pending = re.findall(r"#loc\d*", definition.group(1)) + pending
    return ""


def refuse_callbacks(program):
    """Shardings are found around jax.debug.print and its like; but a program that is given to JAX has
    lost the function that is called back."""
    found = _CALLBACK.search(program.text) if program.in_tree is not None else None
    if not found:
        return
    text = program.text
    line = text[text.rfind("\n", 0, found.start()) + 1:found.end()]
    at = _python_line(text, line)
    raise errors.Unimplemented(
        f"{at + ': ' if at else ''}the function calls back into Python (@{found.group(1)}), which a "
        "program given to JAX cannot: take jax.debug.print, pure_callback and io_callback out, or use "
        "tessera.shardings or @tessera.autoshard, which leave running to jax.jit")


def _refuse_symbols(infos):
    for info in infos:
        if not all(isinstance(size, (int, np.integer)) for size in info.shape):
            raise errors.Unimplemented(f"an argument has the shape {info.shape}: sizes must be "
                                       "numbers, each a program of its own")


def native(leaf):
    """JAX takes no other byte order."""
    if isinstance(leaf, np.ndarray) and not leaf.dtype.isnative:
        return leaf.astype(leaf.dtype.newbyteorder("="))
    return leaf


_OWN_MESH = re.compile(r'sdy\.mesh @.* = <\[\s*"')  # JAX writes some without axes, for keys and callbacks


def has_mesh(program):
    """Whether the program's own text is for several devices."""
    return bool(_OWN_MESH.search(program.text))


def set_mesh_of(jax):
    """The mesh that jax.set_mesh has set, abstract while JAX traces; None if there is none."""
    now = jax.sharding.get_abstract_mesh()
    if now.empty:
        return None
    try:
        mesh = jax.sharding.get_mesh()
    except ValueError:  # JAX is tracing
        return now
    return now if mesh.empty else mesh


def ambient_mesh(program):
    """The same for a program that has none of its own."""
    jax = sys.modules.get("jax")
    if jax is None or not hasattr(jax.sharding, "get_abstract_mesh") or has_mesh(program):
        return None
    return set_mesh_of(jax)


def has_explicit_axes(jax):
    """Whether the user's jax.set_mesh has made Explicit axes those of all that JAX traces."""
    now = jax.sharding.get_abstract_mesh()
    return not now.empty and any(kind != jax.sharding.AxisType.Auto for kind in now.axis_types)


def _trace(jax, jitted, args, kwargs):
    """Over Explicit axes JAX would shard by itself while it traces, and write that what has no
    sharding is to be whole. So it is traced as if they were Auto, unless that does not go: arrays
    are sharded over them, or the function says shardings as only they have them."""
    if has_explicit_axes(jax):
        now = jax.sharding.get_abstract_mesh()
        auto = (jax.sharding.AxisType.Auto,) * len(now.axis_names)
        try:
            with jax.sharding.use_abstract_mesh(
                    jax.sharding.AbstractMesh(now.axis_sizes, now.axis_names, axis_types=auto)):
                return jitted.trace(*args, **kwargs)
        except Exception:  # of any kind: what is wrong with the function itself is told below
            pass
    return jitted.trace(*args, **kwargs)


def _lower(traced, platform):
    try:
        return traced.lower(lowering_platforms=(platform,))
    except (AssertionError, NameError) as error:  # JAX has no words for it; older ones say it so
        if isinstance(error, NameError) and "axis name" not in str(error):
            raise
        raise errors.Unimplemented("JAX cannot lower the function by itself: does it use the axis of an "
                                   "enclosing vmap (axis_name)? Put that vmap inside of it") from error


_MAIN = re.compile(r"(?ms)^  func\.func public @main\(.*?^  \}")
_TOKEN_ARGUMENT = re.compile(r"(%\w+): !stablehlo\.token(?: \{[^}]*\})?(?: loc\([^()]*\))?(?:, )?")
_TOKEN_RESULT = re.compile(r"!stablehlo\.token(?: \{[^}]*\})?(?:, )?")


def _without_tokens(text):
    """The program without the tokens that JAX gives @main, before its arguments and results, for each
    kind of effect in an order (ordered=True): they are made inside, and the order is that of the ops."""
    found = _MAIN.search(text)
    if not found or "(%arg0: !stablehlo.token" not in found.group():
        return text
    signature, body = found.group().split("\n", 1)
    at, tokens = signature.index("@main(") + len("@main("), []
    while token := _TOKEN_ARGUMENT.match(signature, at):
        tokens.append(token.group(1))
        signature = signature[:at] + signature[token.end():]
    at = signature.rindex(") -> ") + len(") -> ")
    has_list = signature[at] == "("
    for _ in tokens:
        result = _TOKEN_RESULT.match(signature, at + has_list)
        if not result:
            return text
        signature = signature[:at + has_list] + signature[result.end():]
    if not has_list:
        signature = signature[:at] + "()" + signature[at:]
    made = "".join(f"    {name} = stablehlo.create_token : !stablehlo.token\n" for name in tokens)
    head, _, last = body.rpartition("\n    return ")
    values, types = last.split(" : ", 1)
    values = values.split(", ")[len(tokens):]
    for _ in tokens:
        types = _TOKEN_RESULT.sub("", types, count=1)
    end = f"\n    return {', '.join(values)}{' : ' if values else ''}{types}"
    return text[:found.start()] + signature + "\n" + made + head + end + text[found.end():]


def no_function(takes, what):
    """The exception for what is given instead of a function."""
    known = isinstance(what, (str, os.PathLike)) or hasattr(what, "as_text") or \
        hasattr(what, "mlir_module")
    text = "; tessera.load takes files and text" if known else ""
    return errors.InvalidArgument(f"{takes}, not {type(what).__name__}{text}")


def export(fn, *args, static_argnums=None, static_argnames=None, donate_argnums=None,
           donate_argnames=None, platform=None, **kwargs) -> Program:
    """Traces fn(*args, **kwargs) with JAX. Returns a Program.

    Arguments are arrays or jax.ShapeDtypeStruct, with or without shardings. Nothing is computed or
    allocated. fn may be a jitted function; the options of its jit are kept. Unused arguments are
    kept, donated arguments are marked, and each op has its line of Python as location. A mesh may be
    a jax.sharding.AbstractMesh, which needs no devices. If JAX cannot trace fn, JAX's own exception
    is raised. platform is the platform for which fn is lowered: "cpu" (default), "cuda", "rocm" or
    "tpu".

    >>> program = tessera.export(lambda batch: batch["x"].sum(), {"x": jax.ShapeDtypeStruct((2, 3), "f4")})
    >>> program.arg_names, program.results[0].text
    (['batch.x'], 'tensor<f32>')
    """
    jax = import_jax()
    if callable(fn):
        checks.keywords("export", fn, args, dict(
            static_argnums=static_argnums, static_argnames=static_argnames,
            donate_argnums=donate_argnums, donate_argnames=donate_argnames,
            platform=platform))
    else:
        raise no_function("export takes a function", fn)
    platform = "cpu" if platform is None else platform
    if not isinstance(platform, str) or not platform:
        raise checks.wrong("platform", platform, '"cpu", "cuda", "rocm" or "tpu"')
    jitted, options = _jitted(jax, fn, _checked({
        "static_argnums": static_argnums, "static_argnames": static_argnames,
        "donate_argnums": donate_argnums, "donate_argnames": donate_argnames}))
    bound = (fn.__self__,) if jit_options(fn) and hasattr(fn, "__self__") else ()
    args, kwargs = jax.tree.map(native, (bound + args, kwargs))
    traced = _trace(jax, jitted, args, kwargs)
    lowered = _lower(traced, platform)
    text = _without_tokens(lowered.as_text(debug_info=True))
    infos = jax.tree.leaves(lowered.args_info, is_leaf=lambda x: hasattr(x, "donated"))
    _refuse_symbols(infos)
    static = _static(jitted, options, len(args))
    trees = Trees(lowered.in_tree, lowered.out_tree,
                  [jax.ShapeDtypeStruct(i.shape, i.dtype) for i in infos],
                  jax.tree.leaves(traced.out_info), [i.donated for i in infos], bound,
                  *static, _flat_call(jitted, lowered.in_tree, static, args, kwargs))
    name = name_of(fn)
    program = Program(text, name=f"<{name.strip('<>')}>", trees=trees, scatter="xla",
                      callbacks=_jaxlib.host_callbacks(lowered))
    if any(a.text == TOKEN for a in program.arguments):
        raise errors.Unimplemented(f"{name} has effects in an order (ordered=True), for which this version "
                                   "of JAX writes its program in a way that is not known here: make them "
                                   "unordered, or take them out")
    if len(program.arguments) != len(infos):
        raise errors.InvalidArgument(
            f"{name} uses {len(program.arguments) - len(infos)} of the values that an enclosing "
            "function traces: give them to it as arguments")
    return program
