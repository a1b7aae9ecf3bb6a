"""What users say beside a program (mesh, shard, layout, strategy), as the C library reads it."""

import ctypes
import json

from . import errors
from ._lib import PropagateOptions, Rules, encode

STRATEGIES = ("user-priority", "op-priority", "aggressive", "basic", "none")
CONFLICTS = ("size", "cost")


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
    if hasattr(spec, "items"):
        raise errors.InvalidArgument(
            f"shard[{pattern!r}] is a {type(spec).__name__}: patterns are paths, not trees: "
            f"{'.'.join([pattern, *map(str, list(spec)[:1])])!r}")
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


def layout_text(layout):
    """ "batch:data, hidden:a+b" of that text or of {"batch": "data", "hidden": ("a", "b")}. """
    if not hasattr(layout, "items"):
        return layout
    items = []
    for name, axes in layout.items():
        several = (axes,) if isinstance(axes, str) else axes
        if not several or not isinstance(several, (tuple, list)) or \
                not all(isinstance(axis, str) for axis in several):
            raise errors.InvalidArgument(f"layout[{name!r}] is {axes!r}: expected the name of an "
                                         "axis, or a tuple of names")
        items.append(f"{name}:{'+'.join(several)}")
    return ", ".join(items)


def machine_text(machine):
    """The name of a machine, or its description as JSON."""
    if not isinstance(machine, dict):
        return machine
    try:
        return json.dumps(machine)
    except (TypeError, ValueError) as error:
        raise errors.InvalidArgument(f"machine is no JSON: {error}") from None


# ---- all of it ----

class Annotations:
    """The struct that the C library takes, and what its pointers point to."""

    def __init__(self, mesh=None, devices=None, shard=None, layout=None, names=None, strategy=None,
                 conflicts=None, conservative=False, divisible_edges=False, close=False,
                 call_rules=None):
        rules = [encode(rule, "a rule of shard") for rule in rule_texts(shard)]
        self._rules = (ctypes.c_char_p * len(rules))(*rules)
        self._call_rules = Rules(call_rules) if call_rules else None
        self.anything = bool(rules or layout)
        self.struct = PropagateOptions(
            strategy=_chosen("strategy", strategy or STRATEGIES[0], STRATEGIES),
            mesh=encode(mesh_text(mesh), "mesh"), devices=_device_count(devices),
            n_rules=len(rules), rules=self._rules, layout=encode(layout_text(layout), "layout"),
            names=encode(names, "names"), conservative=bool(conservative), close=bool(close),
            divisible_edges=bool(divisible_edges),
            by_cost=_chosen("conflicts", conflicts or CONFLICTS[0], CONFLICTS),
            call_rules=self._call_rules.pointer() if self._call_rules else None)


def _chosen(what, word, words):
    if word not in words:
        raise errors.InvalidArgument(f"there is no {what} {word!r}: expected one of "
                                     + ", ".join(words))
    return words.index(word)


def _device_count(devices):
    if devices is None:
        return 0
    if not isinstance(devices, int) or isinstance(devices, bool) or not 1 <= devices < 2**63:
        raise errors.InvalidArgument(f"devices is {devices!r}, expected a number from 1 on")
    return devices
