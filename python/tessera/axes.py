"""Shardings as text, and mesh axes split until no part of an axis is left in any of them.

Shardy shards by parts of an axis: "data":(2)4 of an axis of 8 is the 4 within each of the 2. JAX
has whole axes only. So data=8 becomes data_0=2, data_1=4, which are the same devices in the same
order; an axis that nobody takes a part of keeps its name. No JAX in here.
"""

import collections
import math
import re

from . import errors

Mesh = collections.namedtuple("Mesh", "axes device_ids")  # {"data": 8}; the ids, or None: in order
Axis = collections.namedtuple("Axis", "name pre size")  # size None: all of it
Sharding = collections.namedtuple("Sharding", "mesh dims")  # per dimension a list of Axis

_TOKEN = re.compile(r'@?"(?:[^"\\]|\\.)*"|@[\w.$-]+|\d+|[\[\]{}:()]')
_MESH = re.compile(r'^\s*sdy\.mesh (@"(?:[^"\\\n]|\\.)*"|@[\w.$-]+) = '
                   r'<\[(.*?)\](?:, device_ids=\[(.*?)\])?>', re.M)
_AXIS = re.compile(r'("(?:[^"\\]|\\.)*")=(\d+)')


# ---- reading ----

def unquote(token):
    r"""What stands in "…": \" and \\ are themselves, \0A is a byte."""
    raw = re.sub(rb'\\([0-9A-Fa-f]{2}|["\\])', _unescape, token[1:-1].encode())
    return raw.decode("utf-8", "replace")


def _unescape(match):
    code = match.group(1)
    return code if len(code) == 1 else bytes([int(code, 16)])


def quote(name):
    return '"' + name.replace("\\", "\\5C").replace('"', "\\22") + '"'


def symbol_name(token):
    """ "mesh" of @mesh or @"mesh". """
    return unquote(token[1:]) if token[1] == '"' else token[1:]


def read_meshes(text):
    """The meshes of a program: {"mesh": Mesh}."""
    meshes = {}
    for symbol, axes, ids in _MESH.findall(text):
        sizes = {unquote(name): int(size) for name, size in _AXIS.findall(axes)}
        ids = [int(i) for i in ids.split(",")] if ids else None
        in_order = ids == list(range(len(ids))) if ids else True
        meshes[symbol_name(symbol)] = Mesh(sizes, None if in_order else ids)
    return meshes


def read_sharding(text):
    """<@mesh, [{"a", "b":(1)2, ?}, {}p1], …>. What is open is closed; priorities have done their
    work; what is replicated or partly summed is a whole value to JAX."""
    tokens = iter(_TOKEN.findall(text))
    mesh, dims, axes = next(tokens), [], None
    if not mesh.startswith("@"):
        raise errors.Unimplemented(f"a sharding without the name of its mesh: {text}")
    for token in tokens:
        if token == "{":
            axes = []
        elif token == "}":
            dims.append(axes)
        elif token == "]":
            break
        elif token[0] == '"':
            axes.append(Axis(unquote(token), 1, None))
        elif token == "(":
            pre, _, size = next(tokens), next(tokens), next(tokens)
            axes[-1] = Axis(axes[-1].name, int(pre), int(size))
    return Sharding(symbol_name(mesh), dims)


# ---- splitting ----

class Split:
    """One way to split the axes of a mesh: axes are cut where the shardings cut them."""

    def __init__(self, mesh):
        self.sizes = mesh.axes
        self.cuts = {name: [1, size] if size > 1 else [1] for name, size in mesh.axes.items()}

    def add(self, sharding):
        """Cuts what a sharding needs; False, and nothing, if that does not go with the cuts there
        are: 12 devices are split as 2 x 6 or as 3 x 4, not both."""
        cuts = {name: set(c) for name, c in self.cuts.items()}
        for axis in (a for dim in sharding.dims for a in dim):
            if axis.name not in cuts:
                raise errors.InvalidArgument(
                    f"mesh @{sharding.mesh} has no axis {quote(axis.name)}")
            if axis.size is not None:
                cuts[axis.name] |= {axis.pre, axis.pre * axis.size}
        sorted_cuts = {name: sorted(c) for name, c in cuts.items()}
        for c in sorted_cuts.values():
            if any(b % a for a, b in zip(c, c[1:])):
                return False
        self.cuts = sorted_cuts
        return True

    def axes(self, name):
        """The axes that one became: [("data_0", 2), ("data_1", 4)]."""
        cuts = self.cuts[name]
        sizes = [b // a for a, b in zip(cuts, cuts[1:])] or [1]
        if len(sizes) == 1:
            return [(name, sizes[0])]
        stem = name + "_"
        while any(other != name and other.startswith(stem) for other in self.sizes):
            stem += "_"
        return [(f"{stem}{i}", size) for i, size in enumerate(sizes)]

    def can_say(self, axis):
        cuts = self.cuts[axis.name]
        return axis.size is None or (axis.pre in cuts and axis.pre * axis.size in cuts)

    def names(self, axis):
        """The names that say an Axis, which was added before."""
        if axis.size is None:
            return [name for name, _ in self.axes(axis.name)]
        cuts = self.cuts[axis.name]
        return [name for (name, _), cut in zip(self.axes(axis.name), cuts)
                if axis.pre <= cut < axis.pre * axis.size]

    def spec(self, sharding):
        """Per dimension the names of the axes it is sharded over."""
        return [[name for axis in dim for name in self.names(axis)] for dim in sharding.dims]


def drop_uneven(names, length, sizes):
    """The axes that divide a dimension, and those dropped for it, the minor ones first."""
    kept = list(names)
    while kept and length % math.prod(sizes[name] for name in kept):
        kept.pop()
    return kept, list(names)[len(kept):]
