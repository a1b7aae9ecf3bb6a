"""Plans of the zoo in stock JAX: three steps on 8 devices, as planned.

    plan:cpu      planned without hints for this host: devices share its cores and its memory
    plan:h100     for 8 H100s. The models are tiny, so that most plans replicate: a collective costs more than all of the compute
    plan:small    for a machine on which tiny models are large: no latencies, a FLOP costs as much as a byte sent
    plan:memory   for 8 H100s with less memory than the plan without a limit needs

A step runs three times, each with the state that the step before returned. What must hold:
  - the new value of an argument has the argument's sharding, and the compiled program takes it as it is: JAX refuses an array
    that it would have to reshard;
  - the outputs of each step meet the zoo's bound (differ.py) at the arguments that the step had;
  - copies of a shard on several devices are the same bits;
  - the program that XLA is given sends the plan's bytes, by kind of collective. The module that XLA makes of it sends the same,
    by kind and axes. XLA for CPUs widens bf16 to f32 there. It also merges equal collectives across jax.checkpoint's barriers; then
    its module must be the same without that pass.
XLA compiles with the options of JAX's own program. With others (LLVM without optimization, as differ.py's QUICK) sums have other
orders, and of the many outputs of three steps one or two are off by more than twice JAX's own error.
"""

import os
import re
import sys
import warnings

import jax
import numpy as np
import tessera

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "bench"))
import hlo  # noqa: E402

DEVICES, STEPS = 8, 3
SMALL = {
    "name": "small",
    "shape": [DEVICES],
    "device": {"flops_per_second": 1e9, "bytes_per_second": 1e12, "memory_bytes": 1e12},
    "links": [{"latency_seconds": 0, "gap_seconds": 0, "bytes_per_second": 1e9}],
}
LESS = (0.3, 0.5, 0.7, 0.85)  # of the memory that the plan without a limit needs; the first for which there is a plan
MACHINES = {"plan:cpu": f"shared_cores:{DEVICES}", "plan:h100": f"h100:{DEVICES}", "plan:small": SMALL, "plan:memory": f"h100:{DEVICES}"}


class NotAsPlanned(Exception):
    pass


# ---- the plan -----------------------------------------------------------------------------------------------------


def state_pairs(case):
    """{number of an argument: number of the result that replaces it}, by their paths: params.w and result.params.w."""
    results = {path.removeprefix("result."): number for number, path in enumerate(case.result_paths())}
    shapes = jax.tree.leaves(jax.eval_shape(case.fn, *case.args))
    pairs = {}
    for number, (path, leaf) in enumerate(case.paths()):
        result = results.get(path)
        if result is not None and (shapes[result].shape, shapes[result].dtype) == (leaf.shape, leaf.dtype):
            pairs[number] = result
    return pairs


def donated(case, pairs):
    """The parameters of the function all of whose arrays are replaced: a training loop donates them."""
    names = [path.split(".")[0] for path, _ in case.paths()]
    kept = {name for number, name in enumerate(names) if number not in pairs}
    return tuple(i for i, name in enumerate(case.arg_names) if name in names and name not in kept)


def make_plan(program, way):
    plan = tessera.plan(program, machine=MACHINES[way])
    if way != "plan:memory":
        return plan
    for part in LESS:
        try:
            return tessera.plan(program, machine=MACHINES[way], memory=part * plan.peak_bytes)
        except tessera.ResourceExhausted:
            pass
    return plan


# ---- what XLA is given, and what it makes of it -------------------------------------------------------------------


def without_scatters(sizes):
    """{kind: bytes} with reduce-scatters as all-reduces, of twice the bytes: hlo.py counts an all-reduce as a reduce-scatter if
    each device needs only its shard of it. Rounded to bytes."""
    found = {kind: size for kind, size in sizes.items() if kind != "reduce-scatter"}
    found["all-reduce"] = found.get("all-reduce", 0) + 2 * sizes.get("reduce-scatter", 0)
    return {kind: round(size) for kind, size in found.items() if round(size)}


def planned_bytes(made):
    """Bytes sent per device by kind of collective, of a Partitioned."""
    found = {}
    for c in made.collectives:
        kind = c.kind.replace("_", "-")
        found[kind] = found.get(kind, 0) + c.bytes
    return without_scatters(found)


def changed_by_xla(plan, lowered, compiled):
    """Collectives of the module that XLA is given beside those of the one that it makes, all and those that differ: rows of
    hlo.beside. XLA for CPUs has no collectives of bf16: it widens them to f32. So these count as f32 on both sides."""
    texts = lowered.as_text("hlo"), compiled.as_text()
    rows = hlo.beside(*(re.sub(r"\bbf16\[", "f32[", text) for text in texts), DEVICES, plan.mesh)
    return rows, [row for row in rows if not hlo.same_bytes(row)]


def check_collectives(made, plan, lowered, compiled):
    """A line about XLA's collectives; raises NotAsPlanned if they are not the plan's."""
    counted = hlo.count(lowered.as_text("hlo"), DEVICES)["kinds"]
    counted, planned = without_scatters({kind: size for kind, (_, size) in counted.items()}), planned_bytes(made)
    if counted != planned:
        raise NotAsPlanned(f"the plan sends {planned}, the program that XLA is given {counted}")
    rows, changed = changed_by_xla(plan, lowered, compiled)
    merged = ""
    if changed:
        _, changed = changed_by_xla(plan, lowered, lowered.compile(compiler_options={"xla_disable_hlo_passes": "cse"}))
        merged = " (XLA merges equal ones)"
    for kind, axes, runs, size, their_runs, their_size in changed:
        raise NotAsPlanned(f"{kind} over {axes}: {runs} with {size:.0f} bytes were planned, XLA's module has {their_runs} with {their_size:.0f}")
    return f"{sum(row[2] for row in rows):.0f} collectives{merged}"


def one_copy(result, number):
    """The value of a result; all copies of a shard must be the same bits."""
    copies = {}
    if len(result.addressable_shards) != DEVICES:
        raise NotAsPlanned(f"output {number} is on {len(result.addressable_shards)} devices instead of {DEVICES}")
    for shard in result.addressable_shards:
        value = np.asarray(shard.data).tobytes()
        if copies.setdefault(str(shard.index), value) != value:
            raise NotAsPlanned(f"output {number}: devices have different values of the shard {shard.index}")
    return np.array(result)  # a copy: the step that follows may write over it


# ---- three steps --------------------------------------------------------------------------------------------------


def check_shardings(case, pairs, shardings):
    """The new value of each argument has its sharding."""
    paths = [path for path, _ in case.paths()]
    for argument, result in pairs.items():
        before, after = shardings.arguments[argument], shardings.results[result]
        if not before.is_equivalent_to(after, len(jax.tree.leaves(case.args)[argument].shape)):
            raise NotAsPlanned(f"{paths[argument]} is {before.spec} and its new value {after.spec}: a reshard between steps")


class Steps:
    """Iterates over the arguments and the outputs of each step, as NumPy arrays. line: about the plan."""

    def __init__(self, case, way):
        self.case, self.pairs = case, state_pairs(case)
        program = tessera.export(case.fn, *case.args, donate_argnums=donated(case, self.pairs))
        plan = make_plan(program, way)
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # a donated buffer that is of no use
            made = plan.to_jax()
            check_shardings(case, self.pairs, made.shardings)
            lowered = made.lower(*case.args)
            self.compiled = lowered.compile()
        self.shardings = made.shardings
        sent = check_collectives(made.partitioned, plan, lowered, self.compiled)
        self.line = f"mesh {plan.mesh}, {sent}, {len(self.pairs)} arrays of state"

    def run(self, *args):
        """Outputs of one step at any arguments."""
        arrays = map(jax.device_put, jax.tree.leaves(args), self.shardings.arguments)
        return [one_copy(result, number) for number, result in enumerate(self.compiled(*arrays))]

    def __iter__(self):
        tree = jax.tree.structure(self.case.args)
        host = [np.asarray(x) for x in jax.tree.leaves(self.case.args)]
        arrays = list(map(jax.device_put, host, self.shardings.arguments))
        for _ in range(STEPS):
            results = self.compiled(*arrays)  # JAX refuses arrays with other shardings
            outputs = [one_copy(result, number) for number, result in enumerate(results)]
            yield jax.tree.unflatten(tree, host), outputs
            for argument, result in self.pairs.items():
                arrays[argument], host[argument] = results[result], outputs[result]
