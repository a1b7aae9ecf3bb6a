#!/usr/bin/env python3
"""zoo_vs_jax.py [MODEL[:ANNOTATION]…]: the models of tests/models through Tessera and through stock JAX, side by side.

Both get the same program with the same shardings of arguments and results: the annotation's, and where no rule says one
what Tessera's propagation finds; for 8 CPU devices, arrays are not made. XLA gets JAX's text with them, ours the rules,
which may have priorities (what is to give way). Each model at its test size and
at a real one, because choices depend on sizes; with lax.scan where it knows it, at the test size.

Counted: collectives and the bytes that leave a device, in ours (`tessera partition`), in XLA's module behind its
partitioner and in its optimized one (bench/hlo.py; the smaller counts as XLA's), in XLA's of the program that
tessera.to_jax gives it as constraints, in XLA's final module of our local program (exact="local"), kind by kind and group by
group beside what it was given, and by the textbook where the annotation has a formula. Timed: ours by stage, JAX's tracing
and lowering, Shardy's passes, XLA's passes by its own log, and plain jax.jit with the same shardings beside the local program:
lower + compile, and steps; alternating, each of ROUNDS times, wall time; one annotation a model, the last.

Writes build/bench/jax.json and docs/bench-jax.md; named models replace their rows there. VARIANTS=test,real leaves out
others, ROUNDS=0 the times, and the page stays as it is then (build/bench/jax-partly.json). Exits 1 if ours moves more than XLA's, or than
1.05 times the textbook, in a case that bench/zoo_vs_jax.tsv gives no reason for, or by more than it allows. (It is not called jax.py: scripts in
this folder would import it for JAX.)
"""
import glob
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PYTHON = os.environ.get("PYTHON", sys.executable)
WORK = "build/bench/zoo"
PARTLY = "VARIANTS" in os.environ or os.environ.get("ROUNDS") == "0"
RESULTS = "build/bench/jax-partly.json" if PARTLY else "build/bench/jax.json"
DEVICES = 8
ROUNDS = int(os.environ.get("ROUNDS", "5"))
REAL = 16  # scale of the real size
VARIANTS = os.environ.get("VARIANTS", "test,scan,real").split(",")
STAGES = ("parse", "propagate", "partition", "optimize")
THEIRS = ("trace", "lower", "shardy", "shardy_xla", "spmd")


# ---- the text that both get ----

def edge_rules(annotation, paths):
    """Rules by exact path, as the annotation's globs say, and by lines."""
    from models.zoo.common import is_line, spec
    found = [(path, annotation.find(path)) for path in paths]
    lines = [f"{rule[0]}={spec(rule[1])}" for rule in annotation.rules if is_line(rule)]
    return [f"{path}={spec(rule[1])}" for path, rule in found if rule] + lines


def partition_spec(text):
    """PartitionSpec of <@mesh, [{"data", ?}, {}]>; None where it needs a part of an axis."""
    from jax.sharding import PartitionSpec
    dims = []
    for dim in re.findall(r"\{([^}]*)\}", text[text.index("[") + 1:text.rindex("]")]):
        if ":" in dim:
            return None
        axes = tuple(re.findall(r'"(\w+)"', dim))
        dims.append(axes if len(axes) > 1 else axes[0] if axes else None)
    return PartitionSpec(*dims)


def edges(text_path, annotation):
    """Shardings of arguments and results, of the annotation or found by propagation."""
    command = ["build/tessera", "propagate", text_path, "--mesh=" + annotation.mesh, "--edges=divisible", "--json"]
    plain = json.loads(run([*command, "--strategy=none"]))["instances"][0]
    paths = [edge["path"] for side in ("arguments", "results") for edge in plain[side]]
    rules = text_path + ".shard"
    with open(rules, "w") as out:
        out.write("\n".join(edge_rules(annotation, paths)) + "\n")
    found = json.loads(run([*command, "--shard-file=" + rules]))["instances"][0]
    return [[partition_spec(edge["sharding"] or "[]") for edge in found[side]] for side in ("arguments", "results")]


def run(command):
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)}: {done.stderr[-500:]}")
    return done.stdout


def annotated(fn, case, annotation, name):
    """A function that traces and lowers the case with its shardings, anew each time, and says how long each took."""
    import jax
    from jax.sharding import NamedSharding
    plain = f"{WORK}/{name}.plain.mlir"
    with open(plain, "w") as out:
        out.write(jax.jit(fn, keep_unused=True).lower(*case.args).as_text(debug_info=True))
    arguments, results = edges(plain, annotation)
    mesh = annotation.jax_mesh()
    put = lambda specs: [None if p is None else NamedSharding(mesh, p) for p in specs]
    ins = jax.tree.unflatten(jax.tree.structure(case.args), put(arguments))
    outs = jax.tree.unflatten(jax.tree.structure(jax.eval_shape(fn, *case.args)), put(results))

    def lower(anew=True):
        if anew:
            jax.clear_caches()
        start = time.perf_counter()
        traced = jax.jit(fn, in_shardings=ins, out_shardings=outs, keep_unused=True).trace(*case.args)
        middle = time.perf_counter()
        lowered = traced.lower()
        return lowered, {"trace": middle - start, "lower": time.perf_counter() - middle}

    return lower


# ---- XLA and Shardy ----

def compile_xla(lowered, dump):
    """Compiles; gives seconds of XLA's two passes, and with dump its module behind the partitioner and at the end."""
    shutil.rmtree(f"{WORK}/dump", ignore_errors=True)
    options = {"xla_backend_optimization_level": 0}
    if dump:
        options |= {"xla_dump_to": f"{WORK}/dump", "xla_dump_hlo_pass_re": "spmd-partitioning"}
    with tempfile.TemporaryFile("w+") as log:
        saved = os.dup(2)
        os.dup2(log.fileno(), 2)
        try:
            compiled = lowered.compile(compiler_options=options)
        finally:
            os.dup2(saved, 2)
            os.close(saved)
        log.seek(0)
        said = log.read()
    seconds = {}
    for key, name in (("shardy_xla", "shardy-xla"), ("spmd", "spmd-partitioning")):
        found = re.search(rf"HLO pass: {name} time: .*?\((\d+) us\) \(cumulative", said)
        seconds[key] = int(found.group(1)) * 1e-6
    if not dump:
        return seconds, None, compiled
    with open(glob.glob(f"{WORK}/dump/*after_spmd-partitioning*.txt")[0]) as file:
        return seconds, file.read(), compiled


def temporary_bytes(compiled):
    return compiled.memory_analysis().temp_size_in_bytes


def shardy_seconds(text):
    """Of Shardy's propagation alone, on a module that is read, its calls inlined and imported."""
    from jax._src.interpreters import mlir
    from jaxlib.mlir import ir, passmanager
    with mlir.make_ir_context() as context:
        context.enable_multithreading(False)
        module = ir.Module.parse(text)
        for name in ("inline", "symbol-dce", "sdy-import-pipeline", "sdy-user-priority-propagate"):
            manager = passmanager.PassManager.parse(f"builtin.module({name})")
            manager.enable_verifier(False)
            start = time.perf_counter()
            manager.run(module.operation)
        return time.perf_counter() - start


# ---- one case ----

def count_ours(row):
    """By the annotation's own rules on the plain text: they may have priorities, for which PartitionSpecs have no word."""
    plain = f"{WORK}/{row['name']}.plain.mlir"
    ours = json.loads(run(["build/tessera", "partition", plain, "--mesh=" + row["mesh"], f"--shard-file={plain}.shard",
                           "--edges=divisible", "--stats", "--json"]))
    row["ours"] = {"runs": sum(c["runs"] for c in ours["collectives"]), "bytes": ours["bytes"],
                   "kinds": {c["kind"]: 0 for c in ours["collectives"]}}
    for c in ours["collectives"]:
        row["ours"]["kinds"][c["kind"]] += c["runs"]


def sharded_by(case, row):
    """What Tessera propagates from the rules that were written for the case."""
    import tessera
    with open(f"{WORK}/{row['name']}.plain.mlir.shard") as file:
        rules = [line for line in file.read().splitlines() if line]
    return tessera.propagate(case.fn, *case.args, mesh=row["mesh"], shard=rules, divisible_edges=True)


def count_told(case, row):
    """What XLA sends when it is given our program with every reshard as a constraint, and when it is given our local
    program; of the latter also what it changed."""
    import hlo
    import tessera
    sharded = sharded_by(case, row)
    _, behind, compiled = compile_xla(tessera.to_jax(sharded).lower(*case.args), True)
    counts = [hlo.count(text, DEVICES) for text in (behind, compiled.as_text())]
    row["told"] = {**min(counts, key=lambda count: count["bytes"]), "temporary": temporary_bytes(compiled)}
    lowered = tessera.to_jax(sharded, exact="local").lower(*case.args)
    compiled = lowered.compile(compiler_options={"xla_backend_optimization_level": 0})
    before, after = lowered.as_text("hlo"), compiled.as_text()
    row["local"] = {**hlo.count(after, DEVICES), **hlo.differences(before, after, DEVICES),
                    "given": hlo.count(before, DEVICES)["runs"], "temporary": temporary_bytes(compiled)}


def count_xla(lowered, row):
    import hlo
    _, behind, compiled = compile_xla(lowered, True)
    final = compiled.as_text()
    row["xla_partitioned"], row["xla_optimized"] = hlo.count(behind, DEVICES), hlo.count(final, DEVICES)
    row["xla_bytes"] = min(row["xla_partitioned"]["bytes"], row["xla_optimized"]["bytes"])
    row["xla_temporary"] = temporary_bytes(compiled)
    if os.environ.get("KEEP"):
        for word, text in (("spmd", behind), ("final", final)):
            with open(f"{WORK}/{row['name']}.{word}.txt", "w") as out:
                out.write(text)


def time_local(case, lower, row, rounds):
    """Lower + compile and steps: plain jax.jit with the same shardings and our local program, by turns."""
    import jax
    import tessera
    made = tessera.to_jax(sharded_by(case, row), exact="local")
    lowers = {"plain": lambda: lower(anew=False)[0], "local": lambda: made.lower(*case.args)}
    compiled, row["compile"], row["step"] = {}, [], []
    for _ in range(rounds):
        sample = {}
        for form, of_form in lowers.items():
            jax.clear_caches()
            start = time.perf_counter()
            compiled[form] = of_form().compile()
            sample[form] = time.perf_counter() - start
        row["compile"].append(sample)
    shapes = jax.tree.leaves(case.args)
    arrays = {form: [jax.device_put(jax.numpy.ones(s.shape, s.dtype), sharding) for s, sharding in
                     zip(shapes, jax.tree.leaves(program.input_shardings))] for form, program in compiled.items()}
    trees = {"plain": jax.tree.structure(case.args).unflatten(arrays["plain"]), "local": arrays["local"]}
    for turn in range(1 + 3 * rounds):  # the first is not counted
        sample = {}
        for form, program in compiled.items():
            start = time.perf_counter()
            jax.block_until_ready(program(*trees[form]))
            sample[form] = time.perf_counter() - start
        row["step"] += [sample] if turn else []


def time_case(path, lower, row, rounds):
    """Rounds of ours, JAX's, Shardy's and XLA's; of ours the second run in its process, as JAX's is warm too."""
    with open(path) as file:
        text = file.read()
    samples = []
    for _ in range(rounds):
        sample = json.loads(run(["build/bench/stages", path, "2"]).splitlines()[-1])
        row["ops"] = sample.pop("ops")
        lowered, seconds = lower()
        sample |= seconds
        sample["shardy"] = shardy_seconds(text)
        sample |= compile_xla(lowered, False)[0]
        samples.append(sample)
    row["seconds"] = samples


def cases_of(model):
    """(name of the variant, options)"""
    yield "test", {"scale": 1}
    if model.scan:
        yield "scan", {"scale": 1, "scan": True}
    yield "real", {"scale": REAL}


def run_model(name, wanted):
    """In a process of its own: prints a JSON line per case."""
    sys.path[0] = os.path.join(ROOT, "tests")
    sys.path.append(os.path.join(ROOT, "bench"))
    from models import zoo  # noqa: F401
    from models.zoo.common import MODELS
    model = MODELS[name]
    timed = list(model.annotations)[-1]
    for word, annotation in model.annotations.items():
        if wanted and word not in wanted:
            continue
        for variant, options in cases_of(model):
            if variant not in VARIANTS:
                continue
            row = {"name": f"{name}-{word}-{variant}", "model": name, "annotation": word, "variant": variant,
                   "mesh": annotation.mesh}
            try:
                case = model.build(dtype="float32", **options).abstract()
                run_case(case, annotation, row, ROUNDS if word == timed and variant == "real" else 0)
            except Exception as error:  # told in the table; the other cases go on
                row["error"] = " ".join(f"{type(error).__name__}: {error}".split())[:400]
            print(json.dumps(row), flush=True)


def run_case(case, annotation, row, rounds):
    lower = annotated(case.fn, case, annotation, row["name"])
    lowered, _ = lower(anew=False)
    path = f"{WORK}/{row['name']}.mlir"
    with open(path, "w") as out:
        out.write(lowered.as_text(debug_info=True))
    row["textbook"] = annotation.textbook(case) if annotation.textbook else None
    count_ours(row)
    count_xla(lowered, row)
    count_told(case, row)
    if rounds:
        time_case(path, lower, row, rounds)
        time_local(case, lower, row, min(rounds, 3))


# ---- all of them ----

def child_environment():
    return {**os.environ, "JAX_PLATFORMS": "cpu", "XLA_FLAGS": f"--xla_force_host_platform_device_count={DEVICES}",
            "TF_CPP_MIN_LOG_LEVEL": "0", "TF_CPP_VMODULE": "hlo_pass_pipeline=1", "PYTHONPATH": os.path.join(ROOT, "tests") + ":" + os.path.join(ROOT, "python")}


def model_names():
    command = [PYTHON, "-c", "from models.zoo import common; print(*common.MODELS)"]
    return subprocess.run(command, env=child_environment(), stdout=subprocess.PIPE, text=True, check=True).stdout.split()


def model_rows(name, annotations):
    """Rows of one model, in a process of its own: what XLA aborts on ends only that."""
    child = subprocess.run([PYTHON, __file__, "--model", name, *annotations], capture_output=True, text=True,
                           env=child_environment(), check=False)
    rows = [json.loads(line) for line in child.stdout.splitlines() if line.startswith("{")]
    if child.returncode:
        rows.append({"name": name, "model": name, "annotation": "?", "variant": "?",
                     "error": " ".join(child.stderr[-300:].split())})
    return rows


def read_rows():
    if not os.path.exists(RESULTS):
        return []
    with open(RESULTS) as file:
        return json.load(file)["rows"]


def merged(before, rows):
    names = {row["name"] for row in rows} | {row["model"] for row in rows}
    return sorted([row for row in before if row["name"] not in names] + rows, key=lambda row: row["name"])


def line_of(row):
    if "error" in row:
        return f"{row['name']}: {row['error']}"
    book = f", textbook {row['textbook']:.0f}" if row["textbook"] is not None else ""
    return (f"{row['name']}: ours {row['ours']['runs']:.0f}, {row['ours']['bytes']:.0f} bytes; XLA by constraints "
            f"{row['told']['runs']}, {row['told']['bytes']:.0f}; by the local program {row['local']['runs']}, "
            f"{row['local']['bytes']:.0f}; XLA's "
            f"{row['xla_partitioned']['runs']}, {row['xla_partitioned']['bytes']:.0f}; optimized "
            f"{row['xla_optimized']['runs']}, {row['xla_optimized']['bytes']:.0f}{book}: {', '.join(misses(row)) or 'met'}")


def misses(row):
    """What a case falls short of."""
    if "error" in row:
        return ["did not run"]
    ours, words = row["ours"]["bytes"], []
    if ours > row["xla_bytes"] + 0.5:
        words.append("more than XLA's")
    if row["textbook"] is not None and ours > 1.05 * row["textbook"] + 0.5:
        words.append("more than 1.05 times the textbook")
    if row["local"]["merged"] or row["local"]["added"]:
        words.append("XLA changes the local program's collectives")
    return words


def times_bound(row):
    """Ours beside its bound, the smaller of XLA's bytes and 1.05 times the textbook's."""
    bound = row["xla_bytes"] if row["textbook"] is None else min(row["xla_bytes"], 1.05 * row["textbook"])
    return row["ours"]["bytes"] / bound if bound else float("inf")


def read_reasons():
    """Reasons by case: lines of `model annotation variant most reason`, `*` for any."""
    reasons = []
    path = os.path.join(ROOT, "bench/zoo_vs_jax.tsv")
    if os.path.exists(path):
        with open(path) as file:
            for line in file:
                if line.strip() and not line.startswith("#"):
                    reasons.append(line.rstrip("\n").split("\t"))
    return reasons


def reason_of(row, reasons):
    """Why ours is worse; None if nothing is said, or more is moved than is said."""
    key = (row["model"], row["annotation"], row["variant"])
    for *pattern, most, reason in reasons:
        if all(p in ("*", k) for p, k in zip(pattern, key)) and "error" not in row:
            return reason if times_bound(row) <= float(most) else None
    return None


# ---- the page ----

def size_text(count):
    for unit, size in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if count >= size:
            return f"{count / size:.3g} {unit}"
    return f"{count:.0f} B"


def table(header, rows):
    return ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)] + ["| " + " | ".join(r) + " |" for r in rows]


def bytes_table(rows, variant):
    lines = []
    for row in rows:
        if row["variant"] != variant or "error" in row:
            continue
        ours, book = row["ours"]["bytes"], row["textbook"]
        beside = f"{row['xla_bytes'] / ours:.2f}" if ours else "-"
        lines.append([row["model"], row["annotation"], f"{row['ours']['runs']:.0f}", size_text(ours), size_text(row["local"]["bytes"]), size_text(row["told"]["bytes"]),
                      f"{row['xla_partitioned']['runs']}", size_text(row["xla_partitioned"]["bytes"]),
                      f"{row['xla_optimized']['runs']}", size_text(row["xla_optimized"]["bytes"]),
                      "-" if book is None else size_text(book), beside,
                      "-" if not book else f"{ours / book:.2f}", ", ".join(misses(row)) or "met"])
    return table(["model", "annotation", "ours", "bytes", "XLA, local", "XLA, constraints", "XLA, partitioned", "bytes", "XLA, optimized", "bytes", "textbook",
                  "XLA / ours", "ours / textbook", ""], lines)


def median_text(samples, keys):
    values = [1e3 * sum(sample[key] for key in keys) for sample in samples]
    return f"{statistics.median(values):.2f} ({min(values):.2f}-{max(values):.2f})"


def ratio(samples, theirs, ours):
    """Of the medians."""
    total = lambda keys: statistics.median(sum(sample[key] for key in keys) for sample in samples)
    return total(theirs) / total(ours)


def time_table(rows):
    lines = []
    for row in rows:
        samples = row.get("seconds")
        if not samples:
            continue
        lines.append([row["model"], row["annotation"], str(row["ops"]),
                      *(median_text(samples, [key]) for key in (*STAGES, *THEIRS)),
                      f"{ratio(samples, ['shardy'], ['propagate']):.1f}",
                      f"{ratio(samples, ['spmd'], ['partition', 'optimize']):.1f}"])
    return table(["model", "annotation", "ops", *STAGES, "JAX traces", "JAX lowers", "Shardy alone", "shardy-xla",
                  "spmd-partitioning", "Shardy / propagate", "XLA / (partition + optimize)"], lines)


def told_words(rows):
    """How XLA with our plan stands beside XLA by itself."""
    good = [row for row in rows if "told" in row]
    less = sum(1 for row in good if row["told"]["bytes"] < 0.999 * row["xla_bytes"])
    more = sum(1 for row in good if row["told"]["bytes"] > 1.001 * row["xla_bytes"])
    return (f"less than by its own choice in {less} of {len(good)} cases, more in {more}; than ours more in "
            f"{sum(1 for row in good if row['told']['bytes'] > 1.001 * row['ours']['bytes'])}")


def local_words(rows):
    """How XLA treats our local program."""
    good = [row for row in rows if "local" in row]
    kept = [row for row in good if not row["local"]["merged"] and not row["local"]["added"]]
    return (f"for each kind and each set of groups the same bytes as the local program in {len(kept)} of {len(good)} cases "
            f"({sum(row['local']['given'] for row in kept)} collectives, which XLA combines to "
            f"{sum(row['local']['runs'] for row in kept)}); "
            f"fewer in {sum(1 for row in good if row['local']['merged'])}, more in {sum(1 for row in good if row['local']['added'])}.")


def memory_table(rows):
    """Temporary memory where weights are gathered where they are used."""
    lines = [[row["model"], row["variant"], f"{row['local']['given']}", f"{row['local']['runs']}", size_text(row["local"]["temporary"]),
              size_text(row["told"]["temporary"]), size_text(row["xla_temporary"])]
             for row in rows if row["annotation"] == "zero3" and "local" in row]
    return table(["model", "variant", "collectives, local", "in XLA's module", "temporary, local", "constraints", "plain jit"], lines)


def beside_table(rows):
    """Lower + compile and steps of plain jax.jit and of the local program."""
    lines = []
    for row in rows:
        if row.get("compile"):
            lines.append([row["model"], row["annotation"],
                          *(median_text(row[what], [form]) for what in ("compile", "step") for form in ("plain", "local")),
                          f"{ratio(row['compile'], ['plain'], ['local']):.2f}", f"{ratio(row['step'], ['plain'], ['local']):.2f}"])
    return table(["model", "annotation", "lower + compile, plain", "local", "step, plain", "local", "compile, plain / local",
                  "step, plain / local"], lines)


def beside_words(rows):
    words = []
    for what, title in (("compile", "lower + compile"), ("step", "step")):
        ratios = [ratio(row[what], ["plain"], ["local"]) for row in rows if row.get(what)]
        if ratios:
            words.append(f"{title}: plain jax.jit takes {statistics.geometric_mean(ratios):.2f} times as long in the geometric mean "
                         f"(from {min(ratios):.2f} to {max(ratios):.2f})")
    return "; ".join(words)


def page(rows, reasons, versions):
    timed = [row["seconds"] for row in rows if row.get("seconds")]
    said = sum(1 for row in rows if misses(row))
    lines = [
        "# Tessera beside JAX on the zoo", "",
        "Written by `make bench-jax`, as are all numbers here; they are in `build/bench/jax.json`, too. Models may be run one by one, so rows",
        "may be of several runs and builds; times are of a machine that may have had other work.",
        f"{versions}; 8 CPU devices, float32; `bench/zoo_vs_jax.py` says what is counted and how.", "",
        f"{len(rows)} cases: {len(rows) - said} met, {said} fall short of something "
        f"({sum(1 for row in rows if misses(row) and reason_of(row, reasons))} of them with a reason, below).", "",
        "## What is exchanged", "",
        "Collectives are counted as often as they run, bytes are those that leave a device. XLA's pipeline for CPUs forms no",
        "reduce-scatters: an all-reduce of which every user takes its own part only is counted as one here, as XLA for GPUs and TPUs",
        "makes it. It also sums bfloat16 in float32 and combines small all-reduces; so both its modules are shown, the one right",
        "behind its partitioner and the final one, and the smaller number of bytes counts as XLA's.", "",
        "*XLA, local* is what XLA's final module sends when it is given our local program (`tessera.to_jax(…, exact=\"local\")`):",
        f"{local_words(rows)}",
        "*XLA, constraints* is what XLA sends when it is given our program with every reshard as a constraint (`tessera.to_jax`,",
        f"`tessera propagate --reshards`): {told_words(rows)}.",
        "XLA's partitioner has no unreduced values, so it reduces partial sums where they are made; how ops communicate inside is its own.", ""]
    for variant, title in (("real", f"Real sizes (scale {REAL})"), ("test", "The sizes of the tests"),
                           ("scan", "The same, layers by `lax.scan`")):
        if any(row["variant"] == variant for row in rows):
            lines += [f"### {title}", "", *bytes_table(rows, variant), ""]
    lines += ["### Where ours falls short, and why", ""]
    for row in rows:
        if misses(row):
            why = row.get("error") or reason_of(row, reasons) or "not explained yet"
            how_much = "" if "error" in row else f" ({times_bound(row):.2f} times the bound)"
            lines.append(f"- {row['name']}: {', '.join(misses(row))}{how_much}. {why}")
    lines += ["", "## ZeRO-3: temporary memory", "",
              "What XLA's buffer assignment needs beside arguments and results (`memory_analysis()`), on each device. ZeRO-3 gathers weights",
              "for the forward pass and again for the backward pass; a module that runs fewer gathers keeps gathered weights alive.", "",
              *memory_table(rows), "", "## The local program beside plain jax.jit", "",
              "Milliseconds, the median of alternating rounds (and the least and the most), wall time, at the real sizes. Both have the same",
              f"shardings of arguments and results. {beside_words(rows)}.", "", *beside_table(rows)]
    lines += ["", "## How long compiling takes", "",
              "Milliseconds: the median of alternating rounds (and the least and the most), wall time, at the real sizes. *Shardy",
              "alone* is its pass `sdy-user-priority-propagate` in jaxlib, calls inlined and shardings imported before; *shardy-xla* is XLA's",
              "pass around it, which turns HLO into MLIR and back; *spmd-partitioning* is XLA's partitioner, both by XLA's own log. The last",
              "two columns are ratios of medians. Tracing and lowering come first for both.", "", *time_table(rows), ""]
    if timed:
        for word, theirs, ours in (("Shardy's propagation alone", ["shardy"], ["propagate"]),
                                   ("XLA's pass around it", ["shardy_xla"], ["propagate"]),
                                   ("XLA's partitioner", ["spmd"], ["partition", "optimize"])):
            each = [ratio(samples, theirs, ours) for samples in timed]
            lines.append(f"- {word} takes {statistics.median(each):.1f} times as long as {' + '.join(ours)} in the median "
                         f"over the models (from {min(each):.1f} to {max(each):.1f}).")
    return "\n".join(lines) + "\n"


def write_results(rows, reasons, versions):
    with open(RESULTS, "w") as out:
        json.dump({"versions": versions, "rows": rows}, out, indent=1)
    if not PARTLY:
        with open("docs/bench-jax.md", "w") as out:
            out.write(page(rows, reasons, versions))


def main():
    os.chdir(ROOT)
    os.makedirs(WORK, exist_ok=True)
    if len(sys.argv) > 2 and sys.argv[1] == "--model":
        run_model(sys.argv[2], sys.argv[3:])
        return 0
    found = subprocess.run([PYTHON, "-c", "import jax, jaxlib; print('JAX', jax.__version__, 'jaxlib', jaxlib.__version__)"],
                           capture_output=True, text=True, check=False, cwd="/")
    if found.returncode:
        print("zoo_vs_jax: skipped, JAX is not installed: tools/venv makes a Python that has it")
        return 1 if os.environ.get("REQUIRE_JAX") == "1" else 0
    rows, reasons = read_rows() if sys.argv[1:] else [], read_reasons()
    for name in dict.fromkeys(word.split(":")[0] for word in sys.argv[1:] or model_names()):
        new = model_rows(name, [word.split(":")[1] for word in sys.argv[1:] if word.startswith(name + ":")])
        print("\n".join(map(line_of, new)), flush=True)
        rows = merged(rows, new)
        write_results(rows, reasons, found.stdout.strip())
    unexplained = [row["name"] for row in rows if misses(row) and not reason_of(row, reasons)]
    met = sum(1 for row in rows if not misses(row))
    print(f"{met} of {len(rows)} cases met, {len(rows) - met - len(unexplained)} with a reason, {len(unexplained)} without: "
          f"{' '.join(unexplained)}")
    return 1 if unexplained else 0


if __name__ == "__main__":
    sys.exit(main())
