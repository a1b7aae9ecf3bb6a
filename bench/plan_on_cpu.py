#!/usr/bin/env python3
"""plan_on_cpu.py [MODEL…]: steps of found plans beside hand-written strategies, in stock JAX on 8 CPU devices.

Each model of tests/models at SCALE times the size of the tests is planned without hints for the machine `shared_cores` (this host: 8
devices share its cores) and by data parallelism, Megatron and ZeRO-3 as the zoo annotates them. All four are local programs of
Tessera that XLA runs as they are (exact="local"), so that plans are compared and not partitioners. They run in one process: each round
runs a step of every program, in an order that rotates, so that other work on the host slows all of them. A step donates its state and
gets the state that the step before returned, as a training loop does. Rounds go on for SECONDS, at least ROUNDS.

Printed and written to docs/bench-plan-cpu.md: predicted step and measured median with its quartiles, and the median over the rounds of
the plan's time relative to each strategy's in the same round, with its 95 % interval (bootstrap), and the same of the process's
processor time. Other work on the host stretches the wall-clock time of steps that wait often; it hardly changes processor time. The plan is no slower than a strategy
if the interval reaches 1 or is below. Exits 1 otherwise. Rows are kept in build/bench/plan-cpu.json; named models replace theirs.
"""
import json
import os
import random
import statistics
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
RESULTS = os.path.join(ROOT, "build", "bench", "plan-cpu.json")
PAGE = os.path.join(ROOT, "docs", "bench-plan-cpu.md")
DEVICES, ROUNDS, SECONDS = 8, 15, float(os.environ.get("SECONDS", "60"))
# Sizes at which a step takes some tenths of a second, and at which arrays do not fit in caches, which the machine description does not know.
MODELS = {"mlp": {"scale": 16, "batch": 1024}, "gpt": {"scale": 16}, "llama": {"scale": 16}, "vit": {"scale": 8}, "t5": {"scale": 8}}
STRATEGIES = ("data", "megatron", "zero3")
CPU = " cpu"  # of a sample's key: processor seconds of all threads


# ---- in the process of a model ----

def built(name):
    from models.zoo.common import MODELS as ZOO
    options = dict(MODELS[name])
    try:
        return ZOO[name].build(dtype="float32", **options)
    except TypeError:
        options.pop("batch")
        return ZOO[name].build(dtype="float32", **options)


def programs_of(name, case):
    """{strategy: (JaxProgram, predicted seconds)}; the first is the plan."""
    import tessera
    from models.zoo import common
    program = tessera.export(case.fn, *case.args, donate_argnums=(0, 1))  # params and opt
    plan = tessera.plan(program, machine="shared_cores", devices=DEVICES)
    found = {"plan": (plan.to_jax(), plan.seconds, plan.mesh)}
    annotations = {**common.MODELS[name].annotations, "zero3": common.zero3()}
    for word in STRATEGIES:
        how = annotations[word]
        sharded = tessera.propagate(program, mesh=how.mesh, shard=how.rules_for(case), divisible_edges=True, machine="shared_cores")
        made = tessera.to_jax(sharded, exact="local")
        found[word] = made, sharded.simulate().seconds, how.mesh
    return found, plan


def run_model(name):
    """Prints a line of JSON."""
    import warnings

    import jax
    from models import planned
    warnings.simplefilter("ignore")
    case = built(name)
    pairs = planned.state_pairs(case)
    programs, plan = programs_of(name, case)
    compiled, arrays = {}, {}
    for word, (made, _, _) in programs.items():
        compiled[word] = made.lower(*case.args).compile()
        arrays[word] = list(map(jax.device_put, jax.tree.leaves(case.args), made.shardings.arguments))
    samples, start = [], time.perf_counter()
    words = list(programs)
    while len(samples) <= ROUNDS or time.perf_counter() - start < SECONDS:
        order = words[len(samples) % 4:] + words[:len(samples) % 4]
        sample = {}
        for word in order:
            begin, work = time.perf_counter(), time.process_time()
            results = jax.block_until_ready(compiled[word](*arrays[word]))
            sample[word], sample[word + CPU] = time.perf_counter() - begin, time.process_time() - work
            for argument, result in pairs.items():
                arrays[word][argument] = results[result]
        samples.append(sample)
    print(json.dumps({"model": name, "samples": samples[1:], "strategy": plan.strategy,
                      "predicted": {word: seconds for word, (_, seconds, _) in programs.items()},
                      "meshes": {word: mesh for word, (_, _, mesh) in programs.items()},
                      "bytes": {word: made.partitioned.bytes for word, (made, _, _) in programs.items()}}))


# ---- all of them ----

def rows_of(names):
    path = os.pathsep.join(os.path.join(ROOT, directory) for directory in ("tests", "python"))
    env = {**os.environ, "JAX_PLATFORMS": "cpu", "PYTHONPATH": path, "XLA_FLAGS": f"--xla_force_host_platform_device_count={DEVICES}"}
    for name in names:
        done = subprocess.run([sys.executable, __file__, "--model", name], env=env, capture_output=True, text=True, check=False)
        if done.returncode:
            sys.exit(f"{name}: {done.stderr[-2000:]}")
        yield json.loads(done.stdout.splitlines()[-1])


def keep(row):
    """{model: row} of all runs."""
    kept = {}
    if os.path.exists(RESULTS):
        with open(RESULTS) as file:
            kept = json.load(file)
    kept[row["model"]] = row
    os.makedirs(os.path.dirname(RESULTS), exist_ok=True)
    with open(RESULTS, "w") as file:
        json.dump(kept, file)
    return kept


def interval(ratios, draws=2000):
    """The middle 95 % of medians of samples with replacement; the same each time."""
    rng = random.Random(1)
    medians = sorted(statistics.median(rng.choices(ratios, k=len(ratios))) for _ in range(draws))
    return medians[draws // 40], medians[-draws // 40]


def relative(row, word, kind=""):
    """(median, low, high) of the plan's time relative to a strategy's. kind: "" or CPU."""
    ratios = [sample["plan" + kind] / sample[word + kind] for sample in row["samples"]]
    return statistics.median(ratios), *interval(ratios)


def milliseconds(row, word):
    low, middle, high = statistics.quantiles([1e3 * sample[word] for sample in row["samples"]], n=4)
    return f"{middle:.1f} ({low:.1f} to {high:.1f})"


def no_slower(row, word):
    return relative(row, word)[1] <= 1


def table(rows):
    lines = ["| model | strategy | mesh | MB sent | predicted, ms | measured, ms | processor, ms per core | plan / strategy | of processor time | no slower |",
             "|---|---|---|---|---|---|---|---|---|---|"]
    for row in rows:
        for word in ("plan", *STRATEGIES):
            cells = [row["model"], word, row["meshes"][word], f"{row['bytes'][word] / 1e6:.2f}", f"{1e3 * row['predicted'][word]:.1f}",
                     milliseconds(row, word), f"{1e3 * statistics.median(s[word + CPU] for s in row['samples']) / os.cpu_count():.1f}"]
            if word == "plan":
                cells += ["", "", ""]
            else:
                ratios = ["{:.2f} ({:.2f} to {:.2f})".format(*relative(row, word, kind)) for kind in ("", CPU)]
                cells += [*ratios, "yes" if no_slower(row, word) else "**no**"]
            lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def write_page(rows):
    commit = subprocess.run(["git", "describe", "--always", "--dirty"], cwd=ROOT, capture_output=True, text=True, check=False).stdout.strip()
    text = f"""# Plans on this CPU

`bench/plan_on_cpu.py` wrote this page ({time.strftime("%Y-%m-%d")}, commit {commit}, {os.cpu_count()} cores). Each row is a training step of a model of
[tests/models](../tests/models/README.md) in stock JAX on {DEVICES} CPU devices: the plan that `tessera.plan` finds for the machine `shared_cores`
([machine.md](machine.md)) and three strategies of the zoo. All run in one process, alternating. Measured: median and quartiles of
{min(len(row['samples']) for row in rows)} or more steps. The ratio is the median over rounds, with its 95 % interval. The plan is no slower if the interval reaches 1 or is below.

{table(rows)}

The plans, in words:

""" + "\n".join(f"- {row['model']}: " + row["strategy"].replace("\n", " ") for row in rows) + """

The devices share the host's cores, so that compute does not shrink with the number of devices: replicated work costs as many times as much as
there are devices, and a collective costs the time in which the cores copy. The description's rates are measured by `bench/cpu_rates.py`, which
runs single ops and collectives, not these steps.

Not in the model: XLA for CPUs transposes the first operand of a contraction along its first dimension, as gradients of weights are. Such a contraction of
[1024,512] and [1024,128] reaches 70 GFLOP/s per core, and one along 128 rows, as in ZeRO-3, reaches 105. Caches are not in the model either.
"""
    with open(PAGE, "w") as file:
        file.write(text)


def main():
    if sys.argv[1:2] == ["--model"]:
        return run_model(sys.argv[2])
    names = sys.argv[1:] or list(MODELS)
    unknown = set(names) - set(MODELS)
    if unknown:
        sys.exit(f"{__doc__}\nunknown: {' '.join(sorted(unknown))}; known: {' '.join(MODELS)}")
    rows = []
    for row in rows_of(names):
        rows.append(row)
        print(table([row]).split("\n", 2)[2] if len(rows) > 1 else table([row]), flush=True)
        kept = keep(row)
    write_page([kept[name] for name in MODELS if name in kept and "plan" + CPU in kept[name]["samples"][0]])
    slower = [f"{row['model']}: the plan is slower than {word}" for row in rows for word in STRATEGIES if not no_slower(row, word)]
    print("\n".join(slower) or "the plan is no slower than data parallelism, Megatron and ZeRO-3, for every model")
    return bool(slower)


if __name__ == "__main__":
    sys.exit(main())
