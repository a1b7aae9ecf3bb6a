"""Dimensions by name: which dimensions of which values are the same thing, as layout= says them."""

import collections
import json

from . import errors, table
from ._lib import encode
from .options import names_text

Dimension = collections.namedtuple("Dimension", "name size count origin source")
Dimension.__doc__ = """A dimension that has a name, wherever it stands.

size is None where it is not known; count is how many dimensions of values are called so; origin is
"made up", "attribute", "file" (names=) or "variant", and source where exactly it comes from.

>>> program = tessera.load("func.func @main(%x: tensor<4xf32>) {\\n  return\\n}")
>>> program.dimensions()["d4"]
Dimension(name='d4', size=4, count=1, origin='made up', source="dimension 0 of argument 0 'x'")
"""


class Dimensions:
    """The dimensions of a program by name. Made by Program.dimensions.

    names       a list of Dimension(name, size, count, origin, source)
    arguments   the names of each argument's dimensions, by its path: {"x": ("d256", "d512")}
    results     the same of the results

    >>> program = tessera.load("func.func @main(%x: tensor<4x6xf32>) {\\n  return\\n}")
    >>> found = program.dimensions({"x": "batch,features"})
    >>> found.arguments["x"], found["batch"].size, len(found)
    (('batch', 'features'), 4, 2)
    """

    def __init__(self, program, names=None):
        said = program._handle.text("tsr_program_dimensions", encode(names_text(names), "names"), 0)
        found = json.loads(said)
        self.names = [Dimension(d["name"], d["size"], d["dims"], d["origin"], d["from"])
                      for d in found["names"]]
        functions = [f for f in found["functions"] if f["name"] == program.function]
        self.arguments, self.results = ({
            values[v["index"]].name: tuple(v["dims"])
            for f in functions for v in f[side]} for side, values in (
                ("arguments", program.arguments), ("results", program.results)))

    def __getitem__(self, name):
        for dimension in self.names:
            if isinstance(name, str) and dimension.name == name:
                return dimension
        raise errors.NotFound(f"no dimension is called {name!r}: there are "
                              + ", ".join(d.name for d in self.names[:20]))

    def __iter__(self):
        return iter(self.names)

    def __len__(self):
        return len(self.names)

    def _rows(self):
        return [[d.name, "?" if d.size is None else str(d.size), str(d.count),
                 f"{'made up: ' if d.origin == 'made up' else ''}{d.source}"]
                for d in self.names]

    def _values(self):
        return [[name, ",".join(dims)] for name, dims in (*self.arguments.items(),
                                                          *self.results.items())]

    def __repr__(self):
        head = [["name", "size", "dimensions", "from"]]
        return table.columns(head + self._rows()) + "\n\n" + table.columns(self._values())

    def _repr_html_(self):
        return table.in_html("dimensions", ["name", "size", "dimensions", "from"], self._rows(),
                             after=table.columns(self._values()))
