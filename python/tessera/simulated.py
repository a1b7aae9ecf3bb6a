"""A predicted step: seconds and what they are spent on, peak memory and what is alive then."""

import collections
import html
import json
import os

from . import table
from ._lib import SimulateOptions, Simulation, Step, StepCollective, StepValue, encode, machine_json, machine_names
from .options import machine_text

Busy = collections.namedtuple("Busy", "kind axes count runs bytes seconds waiting guess")
Busy.__doc__ = """The collectives of one kind over the same mesh axes in a predicted step.

count       number of such ops in the program; runs: how often they run
bytes       bytes sent per device
seconds     time in which their links are busy
waiting     the part of it that compute waits for
guess       whether these depend on an assumed trip count

>>> step = tessera.simulate(lambda x: x.sum(), np.ones(8, "f"), mesh="a=2", shard={"x": P("a")}, machine="h100:2")
>>> [(busy.kind, busy.axes, busy.runs, busy.bytes) for busy in step.collectives]
[('all_reduce', ('a',), 1.0, 4)]
"""
Alive = collections.namedtuple("Alive", "name kind bytes type")
Alive.__doc__ = """A value that is alive at the peak of memory: name (an argument's path, otherwise the op that makes
it), kind ("argument", "result", "constant", "temporary"), bytes per device, local type.

>>> tessera.simulate("func.func @main(%x: tensor<8xf32>) {\\n  return\\n}").at_peak
[Alive(name='%x', kind='argument', bytes=32, type='tensor<8xf32>')]
"""
_KINDS = ("argument", "result", "constant", "temporary")
_MOST_VALUES = 10


def machines() -> dict:
    """The machines that machine= knows by name, and their descriptions as dicts (docs/machine.md).

    A description may be edited and given as machine=. A name may have a shape: "h100:8x4" is 4 nodes of 8.

    >>> tessera.machines()["h100"]["device"]["memory_bytes"]
    80000000000
    """
    return {name: json.loads(machine_json(name.encode())) for name in machine_names()}


class Simulated:
    """One predicted step of a program on a machine: the result of tessera.simulate and Partitioned.simulate.

    machine             "h100:8"
    devices             number of devices
    seconds             the step, from its first op to its last
    parts               {"compute": …, "waiting": …, "collectives": {"all_reduce": …}} in seconds. compute and
                        waiting (for collectives) sum to the step; the links are busy with the collectives
                        of each kind, also while devices compute
    collectives         a list of Busy(kind, axes, count, runs, bytes, seconds, waiting, guess)
    bytes, flops        bytes sent, and FLOPs, per device
    utilization         fraction of the peak FLOP/s (HFU)
    model_utilization   the same without work that devices repeat (MFU); None if the global program is unknown
    peak_bytes          most memory in use at once on a device; usable_bytes: memory that programs can use
    fits                whether the peak is within usable_bytes
    at_peak             a list of Alive(name, kind, bytes, type): values alive at the peak, the largest first
    peak_op             the op at which the peak is
    argument_bytes, result_bytes   per device; undonated_bytes: of results that could reuse an argument's buffer
    guess               whether seconds depend on an assumed trip count; unknown_loops, trip_count: loops of
                        unknown length, and what each counts as
    trace               the timeline in Chrome's trace format (JSON text), with trace=True; else None

    It prints as the table of `tessera simulate`. A notebook shows the page of report().

    >>> program = tessera.load('''func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
    ...   return %x : tensor<8xf32>
    ... }''')
    >>> step = tessera.simulate(program, mesh="a=2", shard={"x": P("a"), "result0": P()}, machine="h100:2")
    >>> list(step.parts["collectives"]), step.peak_bytes, [(v.name, v.kind, v.bytes) for v in step.at_peak]
    (['all_gather'], 48, [('stablehlo.all_gather', 'result', 32), ('%x', 'argument', 16)])
    """

    def __init__(self, handle, machine, partition=None, local=False, mesh=None, trip_count=0, trace=False, keep=None):
        machine = encode(machine_text(machine), "machine")

        options = {"partition": partition, "local": local, "mesh": mesh, "trip_count": trip_count,
                   "most_values": _MOST_VALUES}
        self._made_of = handle, machine, options, keep  # keep: owner of what the options point to
        made = self._simulate(trace=trace)
        step = made.struct(Step, "tsr_simulation_step")
        self.machine, self.devices = step.machine.decode(), step.devices
        self.seconds = step.seconds
        self.bytes, self.flops = round(step.bytes), round(step.flops)
        self.utilization = step.utilization
        self.model_utilization = None if step.model_utilization < 0 else step.model_utilization
        self.peak_bytes, self.usable_bytes = round(step.peak_bytes), round(step.usable_bytes)
        self.fits = step.peak_bytes <= step.usable_bytes
        self.argument_bytes, self.result_bytes = round(step.argument_bytes), round(step.result_bytes)
        self.undonated_bytes = round(step.undonated_bytes)
        self.peak_op = step.peak_op.decode("utf-8", "replace")
        self.guess, self.unknown_loops, self.trip_count = bool(step.guess), step.unknown_loops, step.trip_count
        self.collectives = [_busy(made.struct(StepCollective, "tsr_simulation_collective", i))
                            for i in range(step.n_collectives)]
        self.at_peak = [_alive(made.struct(StepValue, "tsr_simulation_value", i)) for i in range(step.n_values)]
        kinds = collections.Counter()
        for c in self.collectives:
            kinds[c.kind] += c.seconds
        self.parts = {"compute": step.compute_seconds, "waiting": step.waiting_seconds,
                      "collectives": dict(kinds)}
        self._text = made.text("tsr_simulation_text").rstrip("\n")
        self._json = made.text("tsr_simulation_json")
        self.trace = made.text("tsr_simulation_trace") if trace else None
        made.close()

    def _simulate(self, **more):
        handle, machine, options, _ = self._made_of
        return Simulation(handle, machine, SimulateOptions(**options, **more))

    def as_dict(self) -> dict:
        """The object that `tessera simulate --json` prints. `tessera diff` compares two of them in files.

        >>> tessera.simulate("func.func @main(%x: tensor<8xf32>) {\\n  return\\n}").as_dict()["fits"]
        True
        """
        return json.loads(self._json)

    def report(self, path=None) -> str:
        """The step as one HTML page that needs no other file: tensors on the mesh, timeline, memory, collectives
        by cause (docs/simulate.md). With a path it is also written there, completely or not at all. The step is
        simulated again for it.

        >>> tessera.simulate("func.func @main(%x: tensor<8xf32>) {\\n  return\\n}").report()[:15]
        '<!doctype html>'
        """
        made = self._simulate(report=True)
        page = made.text("tsr_simulation_report")
        made.close()
        if path is not None:
            _write(os.fspath(path), page)
        return page

    def __str__(self):
        return self._text

    def __repr__(self):
        return self._text

    def _repr_html_(self):
        rows = [[c.kind, ",".join(c.axes) or "-", str(c.count), f"{c.runs:.0f}", f"{table.amount(c.bytes)} bytes",
                 table.duration(c.seconds), table.duration(c.waiting)] for c in self.collectives]
        return table.in_html(self._title(), ["collective", "axes", "ops", "runs", "sent", "busy", "exposed"], rows,
                             after=self._text) + self.in_frame()

    def _title(self):
        return f"{table.duration(self.seconds)} per step on {self.machine}"

    def in_frame(self) -> str:
        """The page of report() in a frame, as a notebook shows it: its style and script meet nothing of the notebook's.

        >>> tessera.simulate("func.func @main(%x: tensor<8xf32>) {\\n  return\\n}").in_frame()[:8]
        '<iframe '
        """
        return (f'<iframe title="{html.escape(self._title())}" style="width: 100%; height: 900px; border: 1px solid #8888" '
                f'sandbox="allow-scripts" srcdoc="{html.escape(self.report())}"></iframe>')


def _write(path, text):
    beside = f"{path}.{os.getpid()}.tmp"
    try:
        with open(beside, "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(beside, path)
    except BaseException:
        if os.path.exists(beside):
            os.remove(beside)
        raise


def _busy(c):
    axes = c.axes.decode()
    return Busy(c.kind.decode(), tuple(axes.split(",")) if axes else (), c.count, c.runs, round(c.bytes), c.seconds,
                c.waiting_seconds, bool(c.guess))


def _alive(v):
    return Alive(v.name.decode("utf-8", "replace"), _KINDS[v.kind], round(v.bytes), v.type.decode())
