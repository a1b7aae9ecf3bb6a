"""What users say beside a program (mesh, shard, layout, strategy), as the C library reads it."""

import ctypes
import json

from . import errors
from ._lib import PropagateOptions, encode

STRATEGIES = ("user-priority", "op-priority", "aggressive", "basic", "none")


class P(tuple):
    """A sharding by dimension, as jax.sharding.PartitionSpec: P("data", None, ("x", "y")).

    For programs without JAX; wherever this is taken, JAX's is taken too.
    """

    def __new__(cls, *dims):
        return super().__new__(cls, dims)

    def __repr__(self):
        return "P(" + ", ".join(map(repr, tuple(self))) + ")"


# ---- mesh ----

def mesh_text(mesh):
    """ "data=2,model=4" of that text, a dict, a jax.sharding.Mesh or an AbstractMesh. """
    if mesh is None or isinstance(mesh, str):
        return mesh
    if isinstance(mesh, int) and not isinstance(mesh, bool):
        return f"devices={mesh}"
    shape = mesh if isinstance(mesh, dict) else getattr(mesh, "shape", None)
    if not hasattr(shape, "items"):
        raise errors.InvalidArgument(
            f"mesh is {type(mesh).__name__}, expected \"data=2,model=4\", a dict or a jax Mesh")
    return ",".join(f"{name}={size}" for name, size in shape.items())


# ---- shard ----

def _axes_text(entry, pattern):
    if entry is None or isinstance(entry, str):
        return "None" if entry is None else json.dumps(entry, ensure_ascii=False)
    if entry is Ellipsis:
        return "..."
    if isinstance(entry, (tuple, list)) and all(isinstance(axis, str) for axis in entry):
        axes = ", ".join(json.dumps(axis, ensure_ascii=False) for axis in entry)
        return f"({axes},)" if len(entry) == 1 else f"({axes})"
    if "UNCONSTRAINED" in (getattr(entry, "name", ""), repr(entry)) or \
            type(entry).__name__ == "UnconstrainedSingleton":
        return "UNCONSTRAINED"
    raise errors.InvalidArgument(
        f"shard[{pattern!r}]: {entry!r} is no axis: expected a name, a tuple of names or None")


def spec_text(spec, pattern="?"):
    """P("data", None) of a PartitionSpec, a tuple, a NamedSharding; text stays as it is."""
    if isinstance(spec, str):
        return spec
    spec = getattr(spec, "spec", spec)
    if spec is None:
        return "P()"
    try:
        entries = list(spec)
    except TypeError:
        raise errors.InvalidArgument(f"shard[{pattern!r}] is {type(spec).__name__}, expected a "
                                     "PartitionSpec or text like P(\"data\")") from None
    return "P(" + ", ".join(_axes_text(entry, pattern) for entry in entries) + ")"


def rule_texts(shard):
    """["params.*.w=P(None, \\"model\\")"] of a dict, of pairs, or of such texts; in their order."""
    if not shard:
        return []
    if isinstance(shard, str):
        return [shard]
    rules = []
    for item in shard.items() if hasattr(shard, "items") else shard:
        if isinstance(item, str):
            rules.append(item)
        elif isinstance(item, tuple) and len(item) == 2 and isinstance(item[0], str):
            rules.append(f"{item[0]}={spec_text(item[1], item[0])}")
        else:
            raise errors.InvalidArgument(f"shard has {item!r}: expected PATTERN=SPEC as text, or "
                                         "a pair of a pattern and a PartitionSpec")
    return rules


# ---- all of it ----

def propagate_options(mesh=None, shard=None, layout=None, names=None, strategy=None,
                      conservative=False, close=False, divisible_edges=False):
    """The struct; what its pointers point to lives as long as it does."""
    strategy = strategy or STRATEGIES[0]
    if strategy not in STRATEGIES:
        raise errors.InvalidArgument(
            f"there is no strategy {strategy!r}: expected one of {', '.join(STRATEGIES)}")
    rules = [encode(rule, "a rule of shard") for rule in rule_texts(shard)]
    array = (ctypes.c_char_p * len(rules))(*rules)
    return PropagateOptions(strategy=STRATEGIES.index(strategy),
                            mesh=encode(mesh_text(mesh), "mesh"),
                            n_rules=len(rules), rules=array, layout=encode(layout, "layout"),
                            names=encode(names, "names"), conservative=conservative, close=close,
                            divisible_edges=divisible_edges)
