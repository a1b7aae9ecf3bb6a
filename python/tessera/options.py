"""What users say beside a program (mesh, shard, layout, strategy), as the C library reads it."""

import ctypes
import json
import math
import os
import re

from . import checks, errors
from ._lib import PropagateOptions, Rules, encode

_AXIS_NAME = re.compile(r'[^\s=,:"\\\x00-\x1f\x7f]+')
STRATEGIES = ("user-priority", "op-priority", "aggressive", "basic", "none")
CONFLICTS = ("size", "cost")


class P(tuple):
    """A sharding by dimension, as jax.sharding.PartitionSpec: P("data", None, ("x", "y")).

    Wherever this is taken, JAX's is taken too. A dimension that is not named, or None, is whole on
    each device; ... leaves those that follow open. What has a priority gives way to what has a
    smaller one, or none: weights of FSDP to the batch.

    >>> tessera.P("data", None, ("x", "y")), tessera.P("data", priority=1)
    (P('data', None, ('x', 'y')), P('data', priority=1))
    """

    def __new__(cls, *dims, priority=None):
        made = super().__new__(cls, dims)
        made.priority = None if priority is None else checks.number(
            "priority", priority, 0, 2**31 - 1, "a whole number from 0 on")
        return made

    def __getnewargs_ex__(self):  # of copies and pickles
        return tuple(self), {"priority": self.priority}

    def __eq__(self, other):
        return tuple.__eq__(self, other) and self.priority == getattr(other, "priority", None)

    def __ne__(self, other):
        return not self == other

    def __hash__(self):
        return hash(tuple(self)) if self.priority is None else hash((tuple(self), self.priority))

    def __repr__(self):
        last = [] if self.priority is None else [f"priority={self.priority}"]
        return "P(" + ", ".join([*map(repr, tuple(self)), *last]) + ")"


# ---- mesh ----

def mesh_text(mesh):
    """ "data=2,model=4" of that text, a dict, a jax.sharding.Mesh or an AbstractMesh. """
    if mesh is None or isinstance(mesh, str):
        return mesh
    shape = mesh if isinstance(mesh, dict) else getattr(mesh, "shape", None)
    if not hasattr(shape, "items"):
        raise checks.wrong("mesh", mesh, '"data=2,model=4", a dict or a jax Mesh')
    return ",".join(_axis_text(name, size) for name, size in shape.items())


def annotated_devices(mesh):
    """How many devices a mesh has; 0: it is not said."""
    sizes = re.findall(r"=(\d+)", mesh_text(mesh) or "")
    return math.prod(map(int, sizes)) if sizes else 0


def _axis_text(name, size):
    if not isinstance(name, str) or not _AXIS_NAME.fullmatch(name):
        raise checks.wrong("an axis of mesh", name,
                           "a name without blanks and without any of = , : \" \\")
    n = checks.number(f"mesh[{name!r}]", size, 1, 2**31, "a number from 1 on")
    return f"{name}={n}"


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


def _is_spec(what):
    """A PartitionSpec of JAX, which in some versions is no tuple and is called P."""
    return type(what).__module__.startswith("jax") and hasattr(what, "__iter__") and \
        hasattr(what, "__len__")


def spec_text(spec, pattern="?"):
    """P("data", None) of a PartitionSpec, a tuple, a NamedSharding; text stays as it is."""
    if isinstance(spec, str):
        return spec
    spec = getattr(spec, "spec", spec)
    if spec is None:
        return "P()"
    if isinstance(spec, dict):
        raise errors.InvalidArgument(
            f"shard[{pattern!r}] is a {type(spec).__name__}: patterns are paths, not trees: "
            f"{'.'.join([pattern, *map(str, list(spec)[:1])])!r}")
    if not isinstance(spec, (tuple, list)) and not _is_spec(spec):
        raise checks.wrong(f"shard[{pattern!r}]", spec,
                           'a PartitionSpec or text like P("data")')
    priority = getattr(spec, "priority", None) if isinstance(spec, P) else None
    return "P(" + ", ".join(_axes_text(entry, pattern) for entry in spec) + ")" + (
        "" if priority is None else f"p{priority}")


def rule_texts(shard):
    """["params.*.w=P(None, \\"model\\")"] of a dict, of pairs, or of such texts; in their order."""
    if not checks.given(shard):
        return []
    if isinstance(shard, str):
        return [shard]
    if not isinstance(shard, (dict, list, tuple)) or isinstance(shard, P) or _is_spec(shard):
        raise checks.wrong("shard", shard, '{"batch.*": P("data")} or a list of such pairs')
    rules = []
    for item in shard.items() if isinstance(shard, dict) else shard:
        if isinstance(item, str):
            rules.append(item)
        elif isinstance(item, tuple) and len(item) == 2 and isinstance(item[0], (str, int)) and \
                not isinstance(item[0], bool):  # an int is an argument's number
            rules.append(f"{item[0]}={spec_text(item[1], str(item[0]))}")
        else:
            raise errors.InvalidArgument(f"shard has {item!r}: expected PATTERN=SPEC as text, or "
                                         "a pair of a pattern and a PartitionSpec")
    return rules


def layout_text(layout):
    """ "batch:data, hidden:a+b" of that text or of {"batch": "data", "hidden": ("a", "b")}. """
    if not isinstance(layout, dict):
        return layout
    items = []
    for name, axes in layout.items():
        several = (axes,) if isinstance(axes, str) else axes
        if not isinstance(several, (tuple, list)) or not several or \
                not all(isinstance(axis, str) for axis in several):
            raise checks.wrong(f"layout[{name!r}]", axes, "the name of an axis, or a tuple of names")
        if not isinstance(name, str):
            raise checks.wrong("a dimension of layout", name, "a name")
        items.append(f"{name}:{'+'.join(several)}")
    return ", ".join(items)


def names_text(names):
    """ "x: batch,features" lines of that text or of {"x": ("batch", "features")}. """
    if not isinstance(names, dict):
        return names
    lines = []
    for pattern, dims in names.items():
        several = (dims,) if isinstance(dims, str) else dims
        if not isinstance(several, (tuple, list)) or \
                not all(isinstance(dim, str) and "\n" not in dim for dim in several):
            raise checks.wrong(f"names[{pattern!r}]", dims, 'names of dimensions: "batch,length"')
        if not isinstance(pattern, str) or "\n" in pattern:
            raise checks.wrong("a value in names", pattern, "a name or pattern")
        lines.append(f"{pattern}: {', '.join(several)}\n")
    return "".join(lines)


def machine_text(machine):
    """The name of a machine, the path of a file, or its description as JSON."""
    if isinstance(machine, os.PathLike):
        return os.fspath(machine)
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
                 call_rules=None, machine=None, trip_count=None):
        rules = [encode(rule, "a rule of shard") for rule in rule_texts(shard)]
        self._rules = (ctypes.c_char_p * len(rules))(*rules)
        self._call_rules = _rules_of(call_rules)
        self.machine = machine
        self.struct = PropagateOptions(
            strategy=_chosen("strategy", strategy, STRATEGIES),
            mesh=encode(mesh_text(mesh), "mesh"), devices=devices_of(devices),
            n_rules=len(rules), rules=self._rules, layout=encode(layout_text(layout), "layout"),
            names=encode(names_text(names), "names"),
            conservative=checks.flag("conservative", conservative),
            close=checks.flag("close", close),
            divisible_edges=checks.flag("divisible_edges", divisible_edges),
            by_cost=_chosen("conflicts", conflicts, CONFLICTS),
            call_rules=self._call_rules.pointer() if self._call_rules else None,
            machine=encode(machine_text(machine), "machine"), trip_count=trip_count_of(trip_count))


def _chosen(what, word, words):
    """The number of a word; None is the first."""
    if word is None:
        return 0
    if not isinstance(word, str):
        raise checks.wrong(what, word, "one of " + ", ".join(words))
    if word not in words:
        raise errors.InvalidArgument(f"there is no {what} {word!r}: expected one of "
                                     + ", ".join(words))
    return words.index(word)


def devices_of(devices):
    """How many devices are asked for; 0: it is not said."""
    if devices is None:
        return 0
    return checks.number("devices", devices, 1, 2**63 - 1, "a number from 1 on")


def trip_count_of(trip_count):
    """Iterations of loops of unknown length; 0: it is not said."""
    if trip_count is None:
        return 0
    return checks.number("trip_count", trip_count, 1, 2**32 - 1, "a number from 1 on")


def _rules_of(call_rules):
    if not checks.given(call_rules):
        return None
    if not isinstance(call_rules, dict) or not all(
            isinstance(text, str) for item in call_rules.items() for text in item):
        raise checks.wrong("call_rules", call_rules,
                           'a dict of texts: {"my.dot": "([i, k], [k, j])->([i, j]) reduction={k}"}')
    return Rules(call_rules)
