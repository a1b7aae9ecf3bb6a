"""Search: push a sharding, price it, pop it."""

import typing
from ctypes import byref, c_size_t

from . import checks
from ._lib import Price as _Price
from ._lib import Propagation, encode
from .options import spec_text


class Price(typing.NamedTuple):
    """An estimate for the present shardings of a Search, per device and step.

    seconds           of all ops and reshards, added: nothing overlaps
    compute_seconds   of the ops
    sent_bytes        of the reshards
    peak_bytes        most memory in use at once
    visited           how many ops and uses of values were looked at: proportional to what changed

    >>> tessera.search("func.func @main(%x: tensor<8x8xf32>) {\\n  return\\n}", mesh="a=2").price().peak_bytes
    256.0
    """

    seconds: float
    compute_seconds: float
    sent_bytes: float
    peak_bytes: float
    visited: int


class Search:
    """The result of tessera.search: shardings that are tried and undone (docs/tactics.md).

    Names are those of annotations: "params.w", 0 (the first argument), "result0", "%12".

    >>> search = tessera.search(lambda x, w: jnp.tanh(x @ w), np.ones((64, 32), "f"), np.ones((32, 16), "f"),
    ...                         mesh="data=4", machine="h100:4")
    >>> before = search.price()
    >>> changes = search.push("x", P("data", ...))
    >>> search.price().compute_seconds < before.compute_seconds, search.sharding("result0")
    (True, '<@mesh, [{"data", ?}, {?}]>')
    >>> search.pop()
    >>> search.price()[:4] == before[:4]
    True
    """

    def __init__(self, program, annotations):
        self.program = program
        self._annotations = annotations
        self._kept = Propagation(program.fresh(), annotations.struct)
        self._values = {}
        self._pushed = []  # (function, arguments) of each push, for copy()

    def _value(self, name):
        if not isinstance(name, (str, int)) or isinstance(name, bool):
            raise checks.wrong("name", name, 'an argument\'s path or number, "result0" or "%12"')
        if name not in self._values:
            out = c_size_t()
            self._kept.call("tsr_propagation_value", encode(str(name), "name"), byref(out))
            self._values[name] = out.value
        return self._values[name]

    def _push(self, function, name, *arguments):
        out = c_size_t()
        self._kept.call(function, self._value(name), *arguments, byref(out))
        self._pushed.append((function, name, *arguments))
        return out.value

    def push(self, name, sharding) -> int:
        """Annotates a value with a sharding that extends its present one, and propagates. sharding: P("data", ...) or
        text. Returns how many shardings changed. FailedPrecondition if it does not extend the present one.

        >>> search = tessera.search("func.func @main(%x: tensor<8x8xf32>) {\\n  return\\n}", mesh="a=2,b=2")
        >>> search.push("x", P("a", ...)), search.push("x", '[{"a", "b"}, {?}]')
        (1, 1)
        """
        return self._push("tsr_propagation_push", name, encode(spec_text(sharding, str(name)), "sharding"))

    def add_axis(self, name, dimension, axis) -> int:
        """Adds an axis to a dimension of a value, behind those that it has, and propagates. Returns how many shardings
        changed.

        >>> search = tessera.search("func.func @main(%x: tensor<8x8xf32>) {\\n  return\\n}", mesh="a=2,b=2")
        >>> search.add_axis("x", 1, "a"), search.add_axis("x", 1, "b"), search.sharding("x")
        (1, 1, '<@mesh, [{?}, {"a", "b", ?}]>')
        """
        if isinstance(dimension, bool) or not isinstance(dimension, int) or not 0 <= dimension < 2**31:
            raise checks.wrong("dimension", dimension, "a number from 0")
        return self._push("tsr_propagation_add_axis", name, dimension, encode(axis, "axis"))

    def pop(self) -> None:
        """Undoes the last push or add_axis. FailedPrecondition if there is none.

        >>> search = tessera.search("func.func @main(%x: tensor<8x8xf32>) {\\n  return\\n}", mesh="a=2,b=2")
        >>> changes = search.push("x", P("a"))
        >>> search.pop()
        >>> search.sharding("x")
        """
        self._kept.call("tsr_propagation_pop")
        self._pushed.pop()

    def price(self) -> Price:
        """The price of the present shardings, in time proportional to what changed since the last call.

        >>> search = tessera.search("func.func @main(%x: tensor<8x8xf32>) {\\n  return\\n}", mesh="a=2,b=2")
        >>> whole = search.price().peak_bytes
        >>> changes = search.push("x", P("a", "b"))
        >>> whole / search.price().peak_bytes
        4.0
        """
        out = _Price()
        self._kept.call("tsr_propagation_price", byref(out))
        return Price(out.seconds, out.compute_seconds, out.bytes, out.peak_bytes, out.visited)

    def sharding(self, name):
        """The present sharding of a value, as text; None if it has none.

        >>> search = tessera.search("func.func @main(%x: tensor<8x8xf32>) {\\n  return\\n}", mesh="a=2,b=2")
        >>> changes = search.push("x", P("a", ...))
        >>> search.sharding("x")
        '<@mesh, [{"a"}, {?}]>'
        """
        return self._kept.text("tsr_propagation_sharding", self._value(name), 0)

    @property
    def depth(self) -> int:
        """How many pushes can be popped.

        >>> tessera.search("func.func @main(%x: tensor<8x8xf32>) {\\n  return\\n}", mesh="a=2,b=2").depth
        0
        """
        return len(self._pushed)

    def copy(self):
        """Another Search of a copy of the program, with the same pushes: for another thread, or to go on from here.

        >>> search = tessera.search("func.func @main(%x: tensor<8x8xf32>) {\\n  return\\n}", mesh="a=2,b=2")
        >>> changes = search.push("x", P("a"))
        >>> search.copy().depth
        1
        """
        other = Search(self.program, self._annotations)
        for function, name, *arguments in self._pushed:
            other._push(function, name, *arguments)
        return other
