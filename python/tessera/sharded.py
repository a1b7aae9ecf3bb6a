"""A program in which every value has a sharding, and where each comes from."""

import ctypes
import json

from . import checks, errors, table
from ._lib import Propagation, PropagateOptions, encode
from .program import entry_index


class Sharded:
    """The result of tessera.propagate.

    program               the Program
    argument_shardings    for each argument its sharding in sdy's syntax; None if it has none
    result_shardings      the same for the results
    argument_parts        for each argument its local type
    result_parts          the same for the results
    meshes                axes and sizes by the mesh's name: {"mesh": {"data": 2, "model": 4}}
    text                  the program with sdy attributes and locations
    explicit_text         the same, with closed dimensions and every reshard as a constraint, for XLA
    warnings              warnings about the annotations; "" if there are none

    It prints as a table of arguments and results with global type, local type and sharding.

    >>> program = tessera.load("func.func @main(%x: tensor<8xf32>) {\\n  return\\n}")
    >>> sharded = tessera.propagate(program, mesh="a=2,b=2", shard={"x": P("b")})
    >>> sharded.argument_shardings, sharded.argument_parts, sharded.meshes
    (['<@mesh, [{"b"}]>'], ['tensor<4xf32>'], {'mesh': {'a': 2, 'b': 2}})
    """

    def __init__(self, program, handle, annotations, warnings):
        self.program = program
        self.warnings = (warnings or "").rstrip("\n")
        self._handle = handle
        self._annotations = annotations
        self._kept = None
        self._text = self._explicit = None
        self._entry = entry_index(handle)
        n, m = len(program.arguments), len(program.results)
        self.argument_shardings = [self._sharding("argument", i) for i in range(n)]
        self.result_shardings = [self._sharding("result", i) for i in range(m)]
        self.argument_parts = [self._ask("argument_part", i) for i in range(n)]
        self.result_parts = [self._ask("result_part", i) for i in range(m)]

    def _ask(self, what, *arguments):
        return self._handle.text("tsr_program_" + what, self._entry, *arguments)

    def _sharding(self, what, i):
        """None also for what JAX writes on keys, a mesh without axes: it says nothing."""
        text = self._ask(what + "_sharding", i, 0)
        empty = text and text.startswith("<@empty_mesh,") and '"' not in text
        return None if empty else text

    def _propagation(self):
        """The state that can be asked; propagated once more, since the program has it written in."""
        if self._kept is None:
            self._kept = Propagation(self.program.fresh(), self._annotations.struct)
        return self._kept

    @property
    def text(self) -> str:
        if self._text is None:
            self._text = self._handle.print(locations=True)
        return self._text

    @property
    def explicit_text(self) -> str:
        """The same with every reshard of tessera.partition as a constraint."""
        if self._explicit is None:
            options = PropagateOptions.from_buffer_copy(self._annotations.struct)
            options.reshards = 1
            handle = self.program.fresh()
            handle.call("tsr_program_propagate", ctypes.byref(options), None)
            self._explicit = handle.print(locations=True)
            handle.close()
        return self._explicit

    @property
    def meshes(self) -> dict:
        meshes = self._table(False)["meshes"]
        return {mesh["name"]: mesh["axes"] for mesh in meshes if mesh["axes"]}

    def _table(self, values):
        return json.loads(self._propagation().text("tsr_propagation_table", int(values)))

    def why(self, name, as_json=False):
        """Where the axes of a value come from and what it did not take, as text.

        name is an argument's path ("params.w") or number, "result0", a value of the text ("%12") or
        a line of the program ("model.py:31"). as_json: a list of objects as docs/why.md has them.

        >>> program = tessera.load("func.func @main(%x: tensor<8xf32>) {\\n  return\\n}")
        >>> print(tessera.propagate(program, mesh="a=2", shard={"x": P("a")}).why("x"))
        %x : tensor<8xf32>  <@mesh, [{"a"}]>
          dim 0 "a": annotated by rule:1 'x=P("a")'
        """
        if not isinstance(name, (str, int)) or isinstance(name, bool):
            raise checks.wrong("name", name, 'an argument\'s path or number, "result0", "%12" or '
                               '"model.py:31"')
        as_json = checks.flag("as_json", as_json)
        said = self._propagation().text("tsr_propagation_why", encode(str(name), "name"),
                                        int(as_json)) or ""
        return [json.loads(line) for line in said.splitlines()] if as_json else said.rstrip("\n")

    def table(self, values=True) -> str:
        """All arguments, values and results of @main: name, type, part of a device, sharding.

        >>> program = tessera.load('''func.func @main(%x: tensor<8xf32>) {
        ...   %0 = stablehlo.tanh %x : tensor<8xf32>
        ...   return
        ... }''')
        >>> print(tessera.propagate(program, mesh="a=2", shard={"x": P("a")}).table())
        x        tensor<8xf32>  tensor<4xf32>  <@mesh, [{"a"}]>
        %0 tanh  tensor<8xf32>  tensor<4xf32>  <@mesh, [{"a", ?}]>
        """
        values = checks.flag("values", values)
        instance = next(i for i in self._table(True)["instances"]
                        if i["function"] == self.program.function and i["caller"] is None)
        inner = [[f'{v["name"]} {v["op"].split(".")[-1]}', v["type"], v["local"] or "",
                  v["sharding"] or ""] for v in instance["values"]] if values else []
        rows = self._rows()
        n = len(self.program.arguments)
        return table.columns(rows[:n] + inner + rows[n:], most=None)

    def _rows(self):
        values = self.program.arguments + self.program.results
        parts = self.argument_parts + self.result_parts
        shardings = self.argument_shardings + self.result_shardings
        return [[v.name, v.text, part if s else "", s or ""]
                for v, part, s in zip(values, parts, shardings)]

    def close(self):
        """Frees the C library's copies now."""
        if self._kept is not None:
            self._kept.close()
        self._handle.close()

    def __repr__(self):
        said = table.columns(self._rows())
        return said + ("\n" + self.warnings if self.warnings else "")

    def _repr_html_(self):
        return table.in_html(f"@{self.program.function}",
                             ["value", "type", "part of a device", "sharding"], self._rows(),
                             after=self.warnings) + self._frame()

    def simulate(self, machine=None, trace=False):
        """The predicted step of the program with these shardings, a Simulated. machine as in tessera.propagate; None: the
        one that it was propagated for, or the default.

        >>> tessera.propagate(lambda x: 2 * x, np.ones(8, "f"), mesh="a=2", shard={"x": P("a")}).simulate("h100:2").peak_bytes
        32
        """
        from .stages import simulate
        return simulate(self, machine=machine, trace=trace)

    def _frame(self):
        """The page of the predicted step; nothing for what cannot be partitioned."""
        try:
            return self.simulate().in_frame()
        except errors.Error:
            return ""

