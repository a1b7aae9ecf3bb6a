"""What each device runs, what it exchanges, and why."""

import collections
import json

from . import checks, table
from .options import trip_count_of
from .program import entry_index
from .run import (as_tree, checked_arguments, flat_arguments, memory_of, parts_of, run_parts,
                  seed_of)
from .simulated import Simulated

Collective = collections.namedtuple(
    "Collective", "kind count groups group_size axes in_loops runs bytes guess")
Collective.__doc__ = """The collectives of one kind and one set of groups in a local program.

count       number of such ops in the program
in_loops    number of these that are in loops
runs        how often they run in one run of the program
groups      number of groups; of pairs if group_size is 0
group_size  devices per group
axes        mesh axes over which they communicate; () if unknown
bytes       bytes sent per device in one run of the program
guess       whether runs and bytes use an assumed trip count

>>> program = tessera.load("func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {\\n"
...                        "  return %x : tensor<8xf32>\\n}")
>>> tessera.partition(program, mesh="a=2", shard={"x": P("a"), "result0": P()}).collectives
[Collective(kind='all_gather', count=1, groups=1, group_size=2, axes=('a',), in_loops=0, runs=1, bytes=16, guess=False)]
"""
Op = collections.namedtuple("Op", "name value path file line")
Op.__doc__ = """An op of the global program. Unknown fields are None.

name        "stablehlo.add"
value       SSA name of its result: "%5"
path        name in its location: "jit(step)/mul"
file, line  its location; without one, the position in the program's text
"""
Value = collections.namedtuple("Value", "name from_argument defined_by")
Value.__doc__ = """A value of the global program: its name, the argument from which it is computed, and the Op that
defines it. None: unknown, or there is none.
"""
Partial = collections.namedtuple("Partial", "reducer axes")
Partial.__doc__ = """A value is a partial sum (or max, min, …) over axes of the mesh."""
Reason = collections.namedtuple(
    "Reason", "kind count with_others bytes why guess id cause op value source_sharding "
    "target_sharding partial axes result device")
Reason.__doc__ = """Why one or more collectives are in the local program.

kind, count   the collective, and how many of this kind have this reason
with_others   number of other values in the same combined collective
bytes         bytes sent per device in one run of the program
guess         whether bytes uses an assumed trip count
why           the reason as a sentence
id            "r1". The collective has it in Partitioned.text as the attribute tessera.why (not with
              collectives=)
cause         "operand": `op` needs `value` in another sharding
              "result": a result of a function or region must have another sharding
              "op": `op` communicates by itself (halos, rows of other devices)
              "order": side effects on several devices keep their order
              "device": `op` is computed on one device
              "program": the collective was already in the input
              None: unknown
op, value     an Op, a Value; None if there is none
source_sharding, target_sharding   sharding that value has, and that op needs: '[{"data"}, {}]'
partial       a Partial if value is a partial sum (or max, min, …)
axes          mesh axes over which the collective communicates
result        number of the result, if cause is "result"
device        number of the device, if cause is "device"

>>> program = tessera.load("func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {\\n"
...                        "  return %x : tensor<8xf32>\\n}")
>>> tessera.partition(program, mesh="a=2", shard={"x": P("a"), "result0": P()}).reasons[0].why
'result 0 of @main needs %x as replicated; %x is [{"a"}]'
"""

Redundant = collections.namedtuple(
    "Redundant", "op count flops ideal_flops cause devices axes avoid why guess")
Redundant.__doc__ = """An op of which devices compute more than the ideal (global FLOPs / devices).

op, count     the Op, and how many ops of this name are at its line
flops         FLOPs per device, before the local program is optimized
ideal_flops   the op's global FLOPs / devices
guess         whether these use an assumed trip count
cause         "unused_axes": `devices` devices along `axes` compute the same
              "cannot_split": the same, and no dimension of the op can take the axes
              "partial": each device computes the op on its partial sums
              "padding": a size is not a multiple of its axes
              "overhead": the local form has masks, halos or indices
avoid         advice as a sentence; "" if there is none
why           all of this as a sentence
"""

_MOST_REASONS = 8
_MOST_REDUNDANT = 5
_NAMES = ("Names of values are those in .program.text. FILE:LINE is the op's location if it has one, else its "
          "line in .program.text. The collectives of reason rN have tessera.why = \"rN\" in .text.")
_MUCH_TWICE = 1.5  # times the ideal work, from which on conflicts="cost" is worth a word
_TWICE = ("several devices compute the same. If annotations compete for an axis, conflicts=\"cost\" chooses which "
          "gives way; to choose yourself, give it a priority: tessera.P(…, priority=1)")


def _collective(c):
    axes = tuple(c["axes"].split(",")) if "axes" in c else ()
    return Collective(c["kind"], c["count"], c.get("groups", c.get("pairs", 0)),
                      c.get("group_size", 0), axes, c["in_loops"], c["runs"], c["bytes"], c["guess"])


def _op(op):
    return op and Op(**op)


def _reason(r):
    value, partial = r["value"], r["partial"]
    if value:
        value = Value(**{**value, "defined_by": _op(value["defined_by"])})
    if partial:
        partial = Partial(partial["reducer"], tuple(partial["axes"]))
    return Reason(**{**r, "op": _op(r["op"]), "value": value, "partial": partial,
                     "axes": tuple(r["axes"])})


def _redundant(r):
    return Redundant(**{**r, "op": _op(r["op"]), "axes": tuple(r["axes"])})


class Partitioned:
    """The result of tessera.partition.

    program       the global Program
    devices       number of devices; 1 if nothing is sharded
    text          the local program, standard StableHLO with collectives
    collectives   a list of Collective(kind, count, groups, group_size, axes, in_loops, runs, bytes,
                  guess)
    reasons       a list of Reason, one for each cause of collectives, the most bytes first
    bytes         bytes sent per device in one run
    steps         collectives on the critical path
    flops         FLOPs per device
    flops_whole   FLOPs of the global program
    flops_share   flops / ideal FLOPs; the ideal is flops_whole / devices
    redundant     a list of Redundant: ops of which devices compute more than the ideal, the most
                  FLOPs beyond it first. Ops below 5 % of the first one are left out
    argument_bytes, result_bytes   bytes of arguments and results per device
    seconds       predicted time of a step on the machine of partition; None if none was given
    peak_bytes    predicted peak memory per device; None without a machine. simulate() has the parts
    unknown_loops number of loops of unknown length. Each counts as trip_count iterations
    guesses       the names of "bytes", "steps", "flops" and "flops_whole" that depend on such loops;
                  empty if trip_count was given
    warnings      warnings about the annotations; "" if there are none

    >>> program = tessera.load("func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {\\n"
    ...                        "  return %x : tensor<8xf32>\\n}")
    >>> made = tessera.partition(program, mesh="a=2", shard={"x": P("a"), "result0": P()})
    >>> made.devices, made.bytes, "stablehlo.all_gather" in made.text
    (2, 16, True)
    """

    def __init__(self, program, handle, devices, warnings, request):
        self.program = program
        self._request = request
        self._decisions = None  # JSON, once it is asked for
        self.devices = devices
        self._handle = handle
        self._text = None
        self._parts = None  # of arguments and of results, once they are asked for
        self._entry = entry_index(handle)
        traffic = json.loads(handle.text("tsr_program_traffic"))
        self.collectives = [_collective(c) for c in traffic["collectives"]]
        self.reasons = [_reason(r) for r in traffic["reasons"]]
        self.redundant = [_redundant(r) for r in traffic["redundant"]]
        self.bytes = traffic["bytes"]
        self.steps = traffic["steps"]
        self.flops, self.flops_whole = traffic["flops"], traffic["flops_whole"]
        self.argument_bytes, self.result_bytes = traffic["argument_bytes"], traffic["result_bytes"]
        self.unknown_loops, self.trip_count = traffic["unknown_loops"], traffic["trip_count"]
        self.guesses = tuple(traffic["guesses"])
        predicted = traffic.get("predicted") or {}
        self.seconds, self.peak_bytes = predicted.get("seconds"), predicted.get("peak_bytes")
        self.flops_share = self.flops * devices / self.flops_whole if self.flops_whole else 1.0
        twice = (self.flops_share >= _MUCH_TWICE and traffic["orders_untried"]
                 and any(r.cause == "unused_axes" for r in self.redundant))
        self.warnings = "\n".join(filter(None, [(warnings or "").rstrip("\n"), twice and _TWICE]))

    @property
    def text(self) -> str:
        if self._text is None:
            self._text = self._handle.print()
        return self._text

    def simulate(self, machine=None, trip_count=None, trace=None) -> Simulated:
        """Predicts a step of the local program on a machine: a Simulated. Nothing is executed.

        machine is as for partition ("h100:8", "tpu_v5p:2x2x2", a file, a dict). None: the machine that the
        program was partitioned for, or the default. trip_count is the number of iterations of loops of
        unknown length. trace=True keeps the timeline.

        >>> made = tessera.partition(lambda x: x.sum(), np.ones(8, "f"), mesh="a=2", shard={"x": P("a")},
        ...                          machine="h100:2")
        >>> made.simulate().seconds == made.seconds, made.simulate("a100:8").machine
        (True, 'a100:8')
        """
        machine = self._request.machine if machine is None else machine
        return Simulated(self._handle, machine, trip_count=trip_count_of(trip_count) or self._request.trip_count,
                         trace=checks.flag("trace", trace))

    def run(self, *args, seed=None, memory_limit=None, **kwargs):
        """Runs the local program on all devices. Takes and returns global arrays, as the function does.
        A program that needs more than memory_limit bytes raises ResourceExhausted.

        >>> made = tessera.partition(lambda x: x.sum(), np.ones(8, "f"), mesh="a=2", shard={"x": P("a")})
        >>> made.run(np.arange(8, dtype="f"))
        array(28., dtype=float32)
        """
        return self.run_checked(*flat_arguments(self.program, args, kwargs, seed),
                                memory_of(memory_limit))

    def run_flat(self, arrays, seed=None):
        """The same on a list of NumPy arrays in the order of @main's arguments."""
        return self.run_checked(checked_arguments(self.program, arrays), seed_of(seed))

    def run_checked(self, arrays, seed, memory_limit=0):
        """The same on what is known to be right."""
        program = self.program
        if self._parts is None:
            self._parts = [
                parts_of(self._handle, what, self._entry, values, range(self.devices))
                for what, values in (("argument", program.arguments), ("result", program.results))]
        results = run_parts(self._handle, program, *self._parts, self.devices, arrays, seed,
                            memory_limit)
        return as_tree(program, results)

    def why(self) -> str:
        """The reasons of the collectives, one per line, the most bytes first. The first line tells where
        the names come from.

        >>> print(tessera.partition(lambda x: x.sum(), np.ones(8, "f"), mesh="a=2",
        ...                         shard={"x": P("a")}).why())  # doctest: +ELLIPSIS
        Names of values are those in .program.text...
        r1  all_reduce over "a", 4 bytes sent per device: result 0 of @main needs %0 as replicated; ...
        """
        return "\n".join([_NAMES, *self._reason_lines(len(self.reasons))] if self.reasons else [])

    def decisions(self) -> dict:
        """All choices of the partitioner, as docs/partition-decisions.md describes them: axes per op
        ("ops"), required shardings ("values"), reshards ("copies"), inlined functions, trades of passes.

        partition(…, decisions=…) uses such a dict. It may be edited, and may have some of the choices
        only. The first call partitions the program again. Each call returns a new dict.

        >>> program = tessera.load('''func.func @main(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
        ...   %0 = stablehlo.tanh %x : tensor<8x4xf32>
        ...   return %0 : tensor<8x4xf32>
        ... }''')
        >>> made = tessera.partition(program, mesh="a=2", shard={"x": P("a")})
        >>> tanh, = made.decisions()["ops"]
        >>> tanh["op"], tanh["name"], tanh["factors"]
        (2, 'stablehlo.tanh', [{'factor': 'i', 'size': 8, 'axes': ['a']}, {'factor': 'j', 'size': 4, 'axes': []}])
        """
        if self._decisions is None:
            handle, _, _ = self._request.partition(self.program, keep_decisions=True)
            self._decisions = handle.text("tsr_program_decisions")
            handle.close()
        return json.loads(self._decisions)

    def _reason_lines(self, most):
        lines = []
        for r in self.reasons[:most]:
            kind = f"{r.count} {r.kind}s" if r.count > 1 else r.kind
            over = " over " + ", ".join(f'"{axis}"' for axis in r.axes) if r.axes else ""
            others = f", combined with {table.plural(r.with_others, 'other')}" if r.with_others else ""
            guess = " (guess)" if r.guess else ""
            lines.append(f"{r.id:3} {kind}{over}{others}, {table.amount(r.bytes)} bytes sent per "
                         f"device{guess}: {r.why or 'the program has no reason for it'}")
        if len(self.reasons) > most:
            lines.append(f"… {len(self.reasons) - most} more reasons: .why()")
        return lines

    def _redundant_lines(self):
        lines = [f"redundant: {r.why}" for r in self.redundant[:_MOST_REDUNDANT]]
        if len(self.redundant) > _MOST_REDUNDANT:
            lines.append(f"redundant: {len(self.redundant) - _MOST_REDUNDANT} more: .redundant")
        return lines

    def _title(self):
        count = sum(c.count for c in self.collectives)
        mark = {key: " (guess)" if key in self.guesses else "" for key in ("bytes", "steps", "flops")}
        return (f"{table.plural(self.devices, 'device')}, {table.plural(count, 'collective')}, "
                f"{table.amount(self.bytes)} bytes sent per device{mark['bytes']}; "
                f"{self.steps:.0f} collective{'s' * (self.steps != 1)} on the critical path{mark['steps']}; "
                f"{table.amount(self.flops)} FLOPs per device{mark['flops']}, {self.flops_share:.2f} "
                f"times the ideal; {table.amount(self.argument_bytes)} bytes of arguments{self._predicted()}")

    def _predicted(self):
        if self.seconds is None:
            return ""
        return (f"; {table.duration(self.seconds)} per step and {table.amount(self.peak_bytes)} bytes of memory at the "
                "peak predicted")

    def _said(self):
        said = [self.warnings] if self.warnings else []
        if self.guesses:
            said.append(f"guess: {table.plural(self.unknown_loops, 'loop')} of unknown length counted "
                        f"as {self.trip_count} iterations; trip_count= sets it")
        return said

    def _rows(self):
        rows = []
        for c in self.collectives:
            groups = (f"{table.plural(c.groups, 'group')} of {c.group_size}" if c.group_size
                      else table.plural(c.groups, "pair"))
            loops = f"{c.in_loops} in loops, {c.runs:.0f} runs{': a guess' * c.guess}" if c.in_loops else ""
            rows.append([str(c.count), c.kind, groups, f"{table.amount(c.bytes)} bytes",
                         "over " + ",".join(c.axes) if c.axes else "", loops])
        return rows

    def close(self):
        """Frees the C library's copy now."""
        self._handle.close()

    def __repr__(self):
        lines = [self._title(), *self._said(), *self._redundant_lines()]
        if self.collectives:
            lines.append(table.columns(self._rows()))
        lines += self._reason_lines(_MOST_REASONS)
        return "\n".join(lines)

    def _repr_html_(self):
        after = "\n".join(self._said() + self._redundant_lines() + self._reason_lines(_MOST_REASONS))
        shown = table.in_html(self._title(), ["count", "collective", "groups", "bytes", "axes",
                                              "loops"], self._rows(), after=after)
        return shown if self.seconds is None else shown + self.simulate().in_frame()
