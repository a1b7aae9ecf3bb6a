"""From a JAX function to a Program: StableHLO text with locations, and the trees of its values."""

import re

from . import errors
from .program import Program

_VERSIONS = ((0, 8), (0, 9), (0, 10))
_CALLBACKS = re.compile(r"@(xla_\w*python\w*callback)\b")


def import_jax():
    """jax, if it is there and of a version that this package knows."""
    try:
        import jax
    except ImportError:
        raise errors.Unimplemented("this needs JAX: pip install jax") from None
    version = tuple(int(n) for n in re.findall(r"\d+", jax.__version__)[:2])
    if version not in _VERSIONS:
        known = ", ".join(".".join(map(str, v)) for v in _VERSIONS)
        raise errors.Unimplemented(f"JAX {jax.__version__} is not known to work here; {known} are")
    return jax


# ---- names ----

def dotted(path):
    """ "params.layers.0.w" of params['layers'][0].w, as the command line has it. """
    out = []
    for key in path:
        for field in ("key", "idx", "name"):
            if hasattr(key, field):
                out.append(str(getattr(key, field)))
                break
        else:
            out.append(str(key))
    return ".".join(out)


def _names_in_text(text, n):
    """The dotted locations of @main's arguments, as JAX writes them."""
    head = re.search(r"func\.func public @main\((.*?)\) (?:->|\{)", text, re.S)
    found = re.findall(r'loc\("((?:[^"\\]|\\.)*)"\)', head.group(1)) if head else []
    if len(found) != n:
        return None
    return [_dots(name) for name in found]


def _dots(name):
    name = re.sub(r"\[(?:'([^']*)'|\"([^\"]*)\"|<flat index (\d+)>|([^\]]*))\]",
                  lambda m: "." + next(g for g in m.groups() if g is not None), name)
    return name.lstrip(".")


# ---- lowering ----

def _lower(jax, fn, args, kwargs, options):
    jitted = jax.jit(fn, keep_unused=True, **options)
    return jitted.lower(*args, **kwargs)


def export(fn, *args, static_argnums=(), static_argnames=(), donate_argnums=(), donate_argnames=(),
           **kwargs):
    """The program that JAX makes of fn(*args, **kwargs).

    Arguments are arrays or jax.ShapeDtypeStruct: nothing is computed or allocated. Unused arguments
    are kept, donated ones marked, and every op has the place in the Python source it comes from.
    """
    jax = import_jax()
    if not callable(fn):
        raise errors.InvalidArgument(f"export takes a function, not {type(fn).__name__}")
    lowered = _lower(jax, fn, args, kwargs, {
        "static_argnums": static_argnums or None, "static_argnames": static_argnames or None,
        "donate_argnums": donate_argnums or None, "donate_argnames": donate_argnames or None})
    text = lowered.as_text(debug_info=True)
    callback = _CALLBACKS.search(text)
    if callback:
        raise errors.Unimplemented(
            f"the function calls back into Python (@{callback.group(1)}): take jax.debug.print, "
            "pure_callback and io_callback out before it is exported")
    in_avals = [jax.ShapeDtypeStruct(a.shape, a.dtype) for a in jax.tree.leaves(lowered.args_info)]
    out_avals = jax.tree.leaves(lowered.out_info)
    return Program(text, name=getattr(fn, "__name__", None) and f"<{fn.__name__}>",
                   arg_names=_names_in_text(text, len(in_avals)),
                   in_tree=lowered.in_tree, out_tree=lowered.out_tree,
                   in_avals=in_avals, out_avals=out_avals)
