"""A plan: a mesh and the sharding of every value, found by search."""

import collections
import ctypes
import hashlib
import json
import os
import threading
from ctypes import c_void_p

from . import checks, table
from ._lib import PlanOptions, encode, take_text
from .decisions import Decisions
from .options import Annotations, layout_text, machine_text, mesh_text, names_text, rule_texts
from .program import read_file


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

    def __init__(self, program, data, text, machine=None):
        self.program, self._json, self._text = program, data, text.rstrip("\n")
        made = json.loads(data)
        self._machine = made["machine"] if machine is None else machine  # as it was given: a description, too
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
        options.setdefault("machine", self._machine)
        return partition(self.program, decisions=self._json, **options)

    def propagate(self):
        """The global program with the plan's mesh and its shardings of arguments and results, a Sharded. The values
        between them have the shardings that propagation infers; partition() has the plan's.

        >>> def double(x):
        ...     return 2 * x
        >>> tessera.plan(double, np.ones((4096, 4096), "f"), machine="h100:2").propagate().argument_shardings
        ['<@mesh, [{"x"}, {}]>']
        """
        from .stages import propagate
        return propagate(self.program, mesh=self.mesh, shard=self.shard, divisible_edges=True)

    def to_jax(self, mesh=None):
        """A function with which JAX runs the plan: its local program, as tessera.to_jax(…, exact="local") does. mesh is
        a jax.sharding.Mesh with the plan's axes. Without one, the function uses JAX's first devices.

        >>> def double(x):
        ...     return 2 * x
        >>> x = np.ones((512, 512), "f")
        >>> y = tessera.plan(double, x, machine="h100:2", mesh="x=2", shard={"x": P("x")}).to_jax()(x)
        >>> len(y.devices()), float(y.sum())
        (2, 524288.0)
        """
        from .to_jax import to_jax
        return to_jax(self.propagate(), mesh, exact="local", decisions=self.decisions())

    def decisions(self):
        """What the partitioner obeys, for the machine of the plan: the decisions= of tessera.to_jax and tessera.partition.

        >>> plan = tessera.plan("func.func @main(%x: tensor<8xf32>) {\\n  return\\n}", machine="h100:2")
        >>> tessera.partition(plan.program, decisions=plan.decisions()).devices
        2
        """
        return Decisions(self._json, self._machine)

    def simulate(self, trace=False):
        """The predicted step of the plan, a Simulated: its report(path) writes the page of `tessera plan --report`.

        >>> tessera.plan("func.func @main(%x: tensor<8xf32>) {\\n  return\\n}", machine="h100:2").simulate().machine
        'h100:2'
        """
        return self.partition().simulate(trace=trace)

    def __str__(self):
        return self._text

    def __repr__(self):
        return self._text

    def _repr_html_(self):
        made = self.as_dict()
        rows = [[value["name"], value["type"], value["sharding"], f"{table.amount(value['local_bytes'])} bytes"]
                for value in made["arguments"] + made["results"]]
        shown = table.in_html(f"{table.duration(self.seconds)} per step on {self.machine}, mesh {self.mesh}",
                              ["argument or result", "type", "sharding", "per device"], rows, after=self._text)
        return shown + self.simulate().in_frame()


# ---- the search ----

class _Cache:
    """The plans that were found last: programs and options are planned once. Threads may share it."""

    def __init__(self, most):
        self._most, self._lock, self._plans = most, threading.Lock(), collections.OrderedDict()

    def get(self, key):
        with self._lock:
            if key in self._plans:
                self._plans.move_to_end(key)
            return self._plans.get(key)

    def put(self, key, made):
        with self._lock:
            self._plans[key] = made
            if len(self._plans) > self._most:
                self._plans.popitem(last=False)


_cache = _Cache(64)


def _tactics_text(tactics):
    """ "data:x, auto" of that text or of ["data:x", "auto"]. """
    if tactics is None or isinstance(tactics, str):
        return tactics
    if not isinstance(tactics, (list, tuple)) or not all(isinstance(item, str) for item in tactics):
        raise checks.wrong("tactics", tactics, 'text like "data:x, megatron:y, auto", or a list of such items')
    return ", ".join(tactics)


class Request:
    """A program and what was said about its plan, in the words of the C library."""

    def __init__(self, program, hints, machine, devices, level, memory, untied, tactics=None, time_limit=None):
        if isinstance(level, bool) or not isinstance(level, int) or level not in (1, 2):
            raise checks.wrong("level", level, "1 or 2")
        if memory is not None and (isinstance(memory, bool) or not isinstance(memory, (int, float)) or not memory > 0):
            raise checks.wrong("memory", memory, "a number of bytes above 0")
        if devices is not None and (isinstance(devices, bool) or not isinstance(devices, int) or devices < 1):
            raise checks.wrong("devices", devices, "a number above 0")
        if time_limit is not None and (isinstance(time_limit, bool) or not isinstance(time_limit, (int, float)) or not 0 < time_limit < 1e9):
            raise checks.wrong("time_limit", time_limit, "a number of seconds above 0")
        self.program, self._annotations = program, Annotations(**hints)
        self._said = dict(machine=machine_text(machine), devices=devices or 0, level=level, memory_bytes=memory or 0,
                          untied=checks.flag("untied", untied), tactics=_tactics_text(tactics), time_limit_seconds=time_limit or 0)
        self._hints = {**hints, "mesh": mesh_text(hints.get("mesh")), "shard": rule_texts(hints.get("shard")),
                       "layout": layout_text(hints.get("layout")), "names": names_text(hints.get("names"))}

    def fingerprint(self):
        """32 bytes that are equal if programs and options are. The program counts without its locations in source files, and
        a machine's file by its contents."""
        machine = self._said["machine"]
        if isinstance(machine, str) and "{" not in machine and os.path.isfile(machine):
            machine = read_file(machine)
        names = [value.name for value in self.program.arguments + self.program.results]
        said = json.dumps([self.program._handle.print(), names, self._hints, {**self._said, "machine": machine}], default=str)
        return hashlib.sha256(said.encode("utf-8", "surrogateescape")).digest()

    def search(self):
        """The plan as JSON and as text; the last ones are kept."""
        key = self.fingerprint()
        made = _cache.get(key)
        if made is None:
            made = self._search()
            _cache.put(key, made)
        return made

    def _search(self):
        said = {**self._said, **{word: encode(self._said[word], word) for word in ("machine", "tactics")}}
        options = PlanOptions(annotations=ctypes.pointer(self._annotations.struct), **said)
        data, text = c_void_p(), c_void_p()
        self.program._handle.call("tsr_program_plan", ctypes.byref(options), ctypes.byref(data), ctypes.byref(text))
        return take_text(data), take_text(text)


def make_plan(program, hints, **said):
    """The plan of a program."""
    return Plan(program, *Request(program, hints, **said).search(), machine=said["machine"])
