"""A plan: a mesh and the sharding of every value, found by search."""

import ctypes
import json
from ctypes import c_void_p

from . import checks, table
from ._lib import PlanOptions, encode, take_text
from .options import Annotations, machine_text


class Plan:
    """The result of tessera.plan: what the search chose, and what it predicts (docs/plan.md).

    mesh                "x=4,y=2"; machine: what it is for
    seconds             the predicted step; compute_seconds and waiting_seconds are its parts
    peak_bytes          most memory in use at once on a device; usable_bytes: memory that programs can use
    cost_seconds        sum of all times without overlap, which the search minimizes; bound_seconds: no plan
                        of the strategies that were enumerated costs less; gap: their relative difference
    strategy            in words: a line for all axes, then one line per mesh axis
    shard               shardings of arguments and results, as the shard= of propagate takes them
    tried               a list of dicts, one per other mesh that was tried: mesh, seconds, peak_bytes, strategy, why it lost
    annotations         the short list: the fewest rules of shard= found that give the plan; [] if none was found
    limit               what limits the plan, in words
    tactics             a list of dicts, one per tactic: what it annotated, and the price after it

    It prints as the text of `tessera plan`. partition() writes the program that each device runs.

    >>> plan = tessera.plan(lambda x, w: jnp.tanh(x @ w), np.ones((64, 32), "f"), np.ones((32, 16), "f"), machine="h100:2")
    >>> plan.mesh, plan.partition().devices
    ('x=2', 2)
    """

    def __init__(self, program, data, text):
        self.program, self._json, self._text = program, data, text.rstrip("\n")
        made = json.loads(data)
        self.mesh, self.machine, self.strategy = made.get("mesh"), made["machine"], made.get("strategy", "")
        self.seconds, self.peak_bytes = made["seconds"], made["peak_bytes"]
        self.compute_seconds, self.waiting_seconds = made["compute_seconds"], made["exposed_seconds"]
        self.usable_bytes, self.gap = made["usable_bytes"], made["gap"]
        self.cost_seconds, self.bound_seconds = made["cost_seconds"], made["bound_seconds"]
        self.shard = dict(rule.split("=", 1) for rule in made["annotations"])
        self.tried = made["runners_up"]
        self.annotations = made.get("short_list", {}).get("rules", [])
        self.limit = made.get("limit", "")
        self.tactics = made.get("tactics", [])

    def as_dict(self) -> dict:
        """The object that `tessera plan --json` prints.

        >>> tessera.plan("func.func @main(%x: tensor<8xf32>) {\\n  return\\n}", machine="h100:2").as_dict()["plan_version"]
        2
        """
        return json.loads(self._json)

    def json(self) -> str:
        """The plan as text: `tessera partition --plan` and partition(decisions=) take it.

        >>> tessera.plan("func.func @main(%x: tensor<8xf32>) {\\n  return\\n}", machine="h100:2").json()[:17]
        '{"plan_version":2'
        """
        return self._json

    def partition(self, **options):
        """The local program of the plan, a Partitioned. options: machine (default: the plan's), collectives, trip_count
        of tessera.partition.

        >>> tessera.plan("func.func @main(%x: tensor<8xf32>) {\\n  return\\n}", machine="h100:2").partition().devices
        2
        """
        from .stages import partition
        options.setdefault("machine", self.machine)
        return partition(self.program, decisions=self._json, **options)

    def __str__(self):
        return self._text

    def __repr__(self):
        return self._text

    def _repr_html_(self):
        rows = [[name, spec] for name, spec in self.shard.items()]
        return table.in_html(f"{table.duration(self.seconds)} per step on {self.machine}, mesh {self.mesh}",
                             ["argument or result", "sharding"], rows, after=self._text)


def _tactics_text(tactics):
    """ "data:x, auto" of that text or of ["data:x", "auto"]. """
    if tactics is None or isinstance(tactics, str):
        return tactics
    if not isinstance(tactics, (list, tuple)) or not all(isinstance(item, str) for item in tactics):
        raise checks.wrong("tactics", tactics, 'text like "data:x, megatron:y, auto", or a list of such items')
    return ", ".join(tactics)


def make_plan(program, hints, machine, devices, level, memory, untied, tactics=None):
    """The plan of a program."""
    if isinstance(level, bool) or not isinstance(level, int) or level not in (1, 2):
        raise checks.wrong("level", level, "1 or 2")
    if memory is not None and (isinstance(memory, bool) or not isinstance(memory, (int, float)) or memory <= 0):
        raise checks.wrong("memory", memory, "a number of bytes above 0")
    if devices is not None and (isinstance(devices, bool) or not isinstance(devices, int) or devices < 1):
        raise checks.wrong("devices", devices, "a number above 0")
    annotations = Annotations(**hints)
    options = PlanOptions(machine=encode(machine_text(machine), "machine"), devices=devices or 0,
                          annotations=ctypes.pointer(annotations.struct), level=level, memory_bytes=memory or 0,
                          untied=checks.flag("untied", untied), tactics=encode(_tactics_text(tactics), "tactics"))
    data, text = c_void_p(), c_void_p()
    program._handle.call("tsr_program_plan", ctypes.byref(options), ctypes.byref(data), ctypes.byref(text))
    return Plan(program, take_text(data), take_text(text))
