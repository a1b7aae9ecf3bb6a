#!/usr/bin/env python3
"""zoo_vs_jax.py [--seconds] [MODEL[:ANNOTATION]…]: the models of tests/models through Tessera and through stock JAX, side by side.

Both compile the same program with the same shardings of arguments and results, for 8 CPU devices, without arrays. The
annotation's rules give these shardings; propagation infers the rest of them. XLA gets JAX's text with the shardings. Tessera gets
the rules, because a rule may have a priority and a PartitionSpec has none. Each model has the variants
  test       the size of the tests
  scan       the same, layers by lax.scan, if the model has that option
  real       16 times the size, because choices depend on sizes; the last annotation of each model is timed here
  deep       gpt by ZeRO-3 with 24 layers, for its memory; deep-scan by lax.scan

Counted, collectives and bytes sent per device:
  ours         `tessera partition --stats`
  local        XLA's final module of the local program (tessera.to_jax(…, exact="local")), for each kind and axes beside the module
               that XLA was given; bench/hlo.py counts both
  constraints  XLA's module of the constraint form (tessera.to_jax)
  plain        XLA's module of plain jax.jit, behind its partitioner and the final one; the smaller counts
  textbook     the annotation's formula
Predicted for h100:8 and tpu_v5p:8, by one model (bench/predicted.py): FLOPs per device, seconds of compute and of collectives, peak
memory, of ours (partitioned for that machine) and of XLA's module of plain jax.jit; and XLA's own count of FLOPs, cost_analysis().
Memory per device: temporary buffers by memory_analysis(), and the most bytes of gathered values alive at once.
Timed: Tessera's stages, JAX's tracing and lowering, Shardy's passes, XLA's passes by its own log; and lower + compile and steps
of the local program beside plain jax.jit, alternating, ROUNDS times each, wall time and CPU time of the process.

Writes build/bench/jax.json and docs/bench-jax.md. Named models replace their rows there. VARIANTS=test,real runs only these variants
and ROUNDS=0 times nothing; either leaves the page as it is and writes build/bench/jax-partly.json. --seconds runs only the predictions
and replaces them in the rows. --page writes the page again from build/bench/jax.json and runs nothing. KEEP=1 leaves XLA's modules in build/bench/zoo.

Exits 1 if, without a reason in bench/zoo_vs_jax.tsv,
  - ours sends more bytes than plain jit's module, or than 1.05 times the textbook;
  - XLA's final module of the local program sends other bytes than the local program, for any kind and axes;
  - ours is predicted to be slower than plain jit's module on one of the machines, compute + collectives;
  - ZeRO-3 at real sizes needs more temporary memory in the local form than in the constraint form or in plain jit's;
and if lower + compile of the local form is slower than plain jit's: by the geometric mean over the models of the ratio of CPU times,
beyond the noise of the rounds. (The file is not called jax.py: scripts in this directory would import it for JAX.)
"""
import glob
import json
import math
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

import predicted

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PYTHON = os.environ.get("PYTHON", sys.executable)
WORK = "build/bench/zoo"
PARTLY = "VARIANTS" in os.environ or os.environ.get("ROUNDS") == "0"
RESULTS = "build/bench/jax-partly.json" if PARTLY else "build/bench/jax.json"
DEVICES = 8
SECONDS = bool(os.environ.get("BENCH_SECONDS"))  # in the process of a model: only its predicted steps
ROUNDS = int(os.environ.get("ROUNDS", "5"))
SAME = 1.001  # predicted seconds that differ by less are equal
REAL = 16  # scale of the real size
DEEP = {"gpt": ["zero3"]}  # annotations of models that also run with 24 layers, for their memory
SECTIONS = ((["real"], f"Real sizes (scale {REAL})"), (["test"], "The sizes of the tests"),
            (["scan"], "The sizes of the tests, layers by `lax.scan`"), (["deep", "deep-scan"], "24 layers (scale 8)"))
VARIANTS = os.environ.get("VARIANTS", "test,scan,real,deep,deep-scan").split(",")
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
        options |= {"xla_dump_to": f"{WORK}/dump", "xla_dump_hlo_pass_re": predicted.DUMP_PASSES}
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


def memory_of(compiled):
    """Bytes on one device: temporary buffers by XLA's buffer assignment, and the most of gathered values alive at once."""
    import hlo
    return {"temporary": compiled.memory_analysis().temp_size_in_bytes, "gathered": hlo.gathered_peak(compiled.as_text())}


def shardy_seconds(text):
    """Shardy's propagation alone, on a module that is parsed, inlined and imported."""
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
    """Tessera's propagation of the rules that edges() wrote for the case."""
    import tessera
    with open(f"{WORK}/{row['name']}.plain.mlir.shard") as file:
        rules = [line for line in file.read().splitlines() if line]
    return tessera.propagate(case.fn, *case.args, mesh=row["mesh"], shard=rules, divisible_edges=True)


def count_forms(case, row):
    """XLA's collectives when it is given our shardings as constraints, and when it is given our local program."""
    import hlo
    import tessera
    sharded = sharded_by(case, row)
    _, partitioned, compiled = compile_xla(tessera.to_jax(sharded).lower(*case.args), True)
    counts = [hlo.count(text, DEVICES) for text in (partitioned, compiled.as_text())]
    row["constraints"] = {**min(counts, key=lambda count: count["bytes"]), **memory_of(compiled)}
    lowered = tessera.to_jax(sharded, exact="local").lower(*case.args)
    compiled = lowered.compile(compiler_options={"xla_backend_optimization_level": 0})
    given, final = lowered.as_text("hlo"), compiled.as_text()
    row["local"] = {**hlo.count(final, DEVICES), **memory_of(compiled), "given": hlo.count(given, DEVICES),
                    "beside": hlo.beside(given, final, DEVICES, row["mesh"])}
    keep(row, "local", final)


def count_xla(lowered, row):
    import hlo
    _, partitioned, compiled = compile_xla(lowered, True)
    predict(row, compiled)
    final = compiled.as_text()
    row["xla_partitioned"], row["xla_optimized"] = hlo.count(partitioned, DEVICES), hlo.count(final, DEVICES)
    row["xla_bytes"] = min(row["xla_partitioned"]["bytes"], row["xla_optimized"]["bytes"])
    row["xla_memory"] = memory_of(compiled)
    keep(row, "spmd", partitioned)
    keep(row, "final", final)


def predict(row, compiled):
    """Steps of ours and of the module that compile_xla has just dumped."""
    row["predicted_run"] = row["run"].split(", ROUNDS")[0]
    try:
        predicted.compare(row, f"{WORK}/{row['name']}.plain.mlir", predicted.dumped(f"{WORK}/dump"), DEVICES, compiled.cost_analysis())
    except Exception as error:  # told in the page; the rest of the row is good
        row["predicted_error"] = " ".join(f"{type(error).__name__}: {error}".split())[:400]


def keep(row, word, text):
    """KEEP=1 leaves XLA's modules in WORK."""
    if os.environ.get("KEEP"):
        with open(f"{WORK}/{row['name']}.{word}.txt", "w") as out:
            out.write(text)


def clocks():
    """Wall time, and CPU time of all threads of the process."""
    return time.perf_counter(), time.process_time()


def since(start):
    return [now - then for now, then in zip(clocks(), start)]


def time_local(case, lower, row, rounds):
    """Plain jax.jit with the same shardings and our local program, alternating: from the Python function to the executable,
    for ours also without propagate and partition; then steps."""
    import jax
    import tessera
    compiled, row["compile"] = {}, []
    for _ in range(rounds):
        jax.clear_caches()
        start = clocks()
        compiled["plain"] = lower(anew=False)[0].compile()
        sample = {"plain": since(start)}
        jax.clear_caches()
        start = clocks()
        program = tessera.to_jax(sharded_by(case, row), exact="local")
        sample["tessera"] = since(start)
        start = clocks()
        compiled["local"] = program.lower(*case.args).compile()
        sample["local"] = since(start)
        row["compile"].append(sample)
    try:
        row["step"] = step_seconds(case, compiled, 3 * rounds)
    except jax.errors.JaxRuntimeError as error:
        if "RESOURCE_EXHAUSTED" not in str(error):
            raise
        row["step"], row["step_error"] = [], "out of memory"


def step_seconds(case, compiled, rounds):
    """Steps of each form, alternating, until a minute is over, at least one that counts. The 8 devices share the machine's memory, which may
    not be enough."""
    import jax
    shapes, samples = jax.tree.leaves(case.args), []
    arrays = {form: [jax.device_put(jax.numpy.ones(s.shape, s.dtype), sharding) for s, sharding in
                     zip(shapes, jax.tree.leaves(program.input_shardings))] for form, program in compiled.items()}
    trees = {"plain": jax.tree.structure(case.args).unflatten(arrays["plain"]), "local": arrays["local"]}
    begin = time.perf_counter()
    for turn in range(1 + rounds):  # the first is not counted
        sample = {}
        for form, program in compiled.items():
            start = time.perf_counter()
            jax.block_until_ready(program(*trees[form]))
            sample[form] = time.perf_counter() - start
        samples += [sample] if turn else []
        if samples and time.perf_counter() - begin > 60:
            break
    return samples


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


def cases_of(model, name, annotation):
    """(name of the variant, options)"""
    yield "test", {"scale": 1}
    if model.scan:
        yield "scan", {"scale": 1, "scan": True}
    yield "real", {"scale": REAL}
    if annotation in DEEP.get(name, []):
        yield "deep", {"scale": 8, "layers": 24}
        yield "deep-scan", {"scale": 8, "layers": 24, "scan": True}


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
        for variant, options in cases_of(model, name, word):
            if variant not in VARIANTS:
                continue
            row = {"name": f"{name}-{word}-{variant}", "model": name, "annotation": word, "variant": variant,
                   "mesh": annotation.mesh, "run": os.environ.get("BENCH_RUN", "unknown")}
            try:
                case = model.build(dtype="float32", **options).abstract()
                run_case(case, annotation, row, ROUNDS if word == timed and variant == "real" else 0)
            except Exception as error:  # told in the table; the other cases go on
                row["error"] = " ".join(f"{type(error).__name__}: {error}".split())[:400]
            print(json.dumps(row), flush=True)


def run_case(case, annotation, row, rounds):
    lower = annotated(case.fn, case, annotation, row["name"])
    lowered, _ = lower(anew=False)
    if SECONDS:
        predict(row, compile_xla(lowered, True)[2])
        return
    path = f"{WORK}/{row['name']}.mlir"
    with open(path, "w") as out:
        out.write(lowered.as_text(debug_info=True))
    row["textbook"] = annotation.textbook(case) if annotation.textbook else None
    count_ours(row)
    count_xla(lowered, row)
    count_forms(case, row)
    if rounds:
        time_case(path, lower, row, rounds)
        time_local(case, lower, row, rounds)


# ---- all of them ----

def run_name():
    """The day and the commit, for the page: models may be of several runs."""
    commit = subprocess.run(["git", "describe", "--always", "--dirty"], capture_output=True, text=True, check=False).stdout.strip()
    return f"{time.strftime('%Y-%m-%d')}, commit {commit or 'unknown'}, ROUNDS={ROUNDS}"


def child_environment(seconds=False):
    path = os.pathsep.join(os.path.join(ROOT, directory) for directory in ("tests", "python"))
    return {**os.environ, "BENCH_RUN": run_name(), "JAX_PLATFORMS": "cpu", "PYTHONPATH": path,
            "XLA_FLAGS": f"--xla_force_host_platform_device_count={DEVICES}",
            "BENCH_SECONDS": "1" if seconds else "", "TF_CPP_MIN_LOG_LEVEL": "0", "TF_CPP_VMODULE": "hlo_pass_pipeline=1"}


def print_cases():
    """In a process of its own: the name of each case."""
    sys.path[0] = os.path.join(ROOT, "tests")
    from models import zoo  # noqa: F401
    from models.zoo.common import MODELS
    for name, model in MODELS.items():
        for word in model.annotations:
            for variant, _ in cases_of(model, name, word):
                print(f"{name}-{word}-{variant}")


def case_names():
    """All cases; a model's name is before the first hyphen."""
    command = [PYTHON, __file__, "--cases"]
    return subprocess.run(command, env=child_environment(), stdout=subprocess.PIPE, text=True, check=True).stdout.split()


def model_rows(name, annotations, seconds=False):
    """Rows of one model, in a process of its own: what XLA aborts on ends only that."""
    child = subprocess.run([PYTHON, __file__, "--model", name, *annotations], capture_output=True, text=True,
                           env=child_environment(seconds), check=False)
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


def with_seconds(before, rows):
    """The rows of before with the predictions of these; a case that has no row yet gets none."""
    new = {row["name"]: row for row in rows}
    keys = ("predicted", "cost_analysis", "predicted_run")
    return [{**row, **{key: new[row["name"]][key] for key in keys}} if "predicted" in new.get(row["name"], {}) else row
            for row in before]


def seconds_line(row):
    if "predicted" not in row:
        return f"{row['name']}: {row.get('error') or row.get('predicted_error')}"
    return row["name"] + ": " + "; ".join(
        f"{machine} {1e6 * pair['ours']['serial']:.1f} us, XLA {1e6 * pair['xla']['serial']:.1f} us, ratio {pace(row, machine):.3f}"
        for machine, pair in row["predicted"].items())


def pace(row, machine):
    """Our predicted seconds / XLA's: compute + collectives, one after the other. Above 1, ours is slower."""
    pair = row["predicted"][machine]
    return pair["ours"]["serial"] / pair["xla"]["serial"] if pair["xla"]["serial"] else 1.0


def line_of(row):
    if "error" in row:
        return f"{row['name']}: {row['error']}"
    book = f", textbook {row['textbook']:.0f}" if row["textbook"] is not None else ""
    forms = [("ours", row["ours"]), ("XLA of the local program", row["local"]), ("of constraints", row["constraints"]),
             ("plain, partitioned", row["xla_partitioned"]), ("optimized", row["xla_optimized"])]
    counts = "; ".join(f"{word} {count['runs']:.0f}, {count['bytes']:.0f} bytes" for word, count in forms)
    return f"{row['name']}: {counts}{book}: {verdict(row)}"


def changes(row):
    """Kinds and axes whose bytes XLA's final module of the local program changed, beyond combining."""
    import hlo
    words = [f"{kind} over {axes}: {given:.0f} bytes, {theirs:.0f} in XLA's module" for kind, axes, _, given, _, theirs
             in (each for each in row["local"]["beside"] if not hlo.same_bytes(each))]
    if abs(row["local"]["given"]["bytes"] - row["ours"]["bytes"]) > 0.5:
        words.append(f"{row['local']['given']['bytes']:.0f} bytes in the module that XLA is given, {row['ours']['bytes']:.0f} in ours")
    return words


def is_zero3(row):
    return row["annotation"] == "zero3" and "local" in row


def gathers(count):
    return count["kinds"].get("all-gather", [0])[0]


def misses(row):
    """(what, words) of each must that a case does not meet; what is bytes, collectives, memory, run or a machine."""
    if "error" in row:
        return [("run", "did not run")]
    ours, found = row["ours"]["bytes"], []
    if ours > row["xla_bytes"] + 0.5:
        found.append(("bytes", "more bytes than XLA"))
    if row["textbook"] is not None and ours > 1.05 * row["textbook"] + 0.5:
        found.append(("bytes", "more than 1.05 times the textbook"))
    if changes(row):
        found.append(("collectives", "XLA changes collectives"))
    if "predicted_error" in row:
        found.append(("predicted", f"not predicted ({row['predicted_error']})"))
    for machine in row.get("predicted", {}):
        if pace(row, machine) > SAME:
            found.append((machine, f"slower on {machine}"))
    if is_zero3(row) and row["variant"] not in ("test", "scan"):
        if row["local"]["temporary"] > min(row["xla_memory"]["temporary"], row["constraints"]["temporary"]):
            found.append(("memory", "more temporary memory than another form"))
    return found


def verdict(row):
    return ", ".join(words for _, words in misses(row)) or "met"


def times_bound(row):
    """Ours beside its bound, the smaller of XLA's bytes and 1.05 times the textbook's."""
    bound = row["xla_bytes"] if row["textbook"] is None else min(row["xla_bytes"], 1.05 * row["textbook"])
    return row["ours"]["bytes"] / bound if bound else float("inf")


def read_reasons():
    """Lines of `model annotation variant limit reason`, `*` for any. limit is how many times its bound ours may be, the word collectives
    or memory, or a machine and how many times XLA's predicted seconds ours may be."""
    with open(os.path.join(ROOT, "bench/zoo_vs_jax.tsv")) as file:
        return [line.rstrip("\n").split("\t") for line in file if line.strip() and not line.startswith("#")]


def reason_of(row, what, reasons):
    """Why a case misses a must; None if no line says it, or ours sends more bytes than the line allows."""
    key = (row["model"], row["annotation"], row["variant"])
    for *pattern, limit, reason in reasons:
        if not all(p in ("*", k) for p, k in zip(pattern, key)):
            continue
        if what == limit or (what == "bytes" and limit[0].isdigit() and times_bound(row) <= float(limit)):
            return reason
        machine, _, most = limit.partition(" ")
        if most and what in row.get("predicted", {}) and machine in (what, "*") and pace(row, what) <= float(most):
            return reason
    return None


def unexplained(row, reasons):
    return [words for what, words in misses(row) if not reason_of(row, what, reasons)]


# ---- lower + compile ----

FORMS = {"local": ["local"], "whole": ["tessera", "local"]}  # without and with tracing, propagate and partition
WALL, CPU = 0, 1


def seconds_of(sample, form, clock):
    return sum(sample[key][clock] for key in FORMS.get(form, [form]))


def compile_seconds(row, form, clock):
    """The least of the rounds: other work on the machine only adds time."""
    return min(seconds_of(sample, form, clock) for sample in row["compile"])


def compile_ratio(row, form, clock):
    """Above 1, ours is slower."""
    return compile_seconds(row, form, clock) / compile_seconds(row, "plain", clock)


def compile_ratios(rows, form, clock):
    return {row["name"]: compile_ratio(row, form, clock) for row in rows if row.get("compile")}


def compile_noise(rows, form, clock):
    """Two standard errors of the geometric mean: each round has one of its own over all models."""
    timed = [row["compile"] for row in rows if row.get("compile")]
    each = [statistics.fmean(math.log(seconds_of(samples[i], form, clock) / seconds_of(samples[i], "plain", clock))
                             for samples in timed) for i in range(min(map(len, timed), default=0))]
    return 2 * statistics.stdev(each) / math.sqrt(len(each)) if len(each) > 1 else 0.0


def is_slower(rows):
    ratios = compile_ratios(rows, "local", CPU)
    return bool(ratios) and statistics.geometric_mean(ratios.values()) > 1 + compile_noise(rows, "local", CPU)


def compile_words(rows, form, clock):
    ratios = compile_ratios(rows, form, clock)
    if not ratios:
        return "not timed"
    worst = max(ratios, key=ratios.get)
    return (f"{statistics.geometric_mean(ratios.values()):.2f} in the geometric mean over {len(ratios)} models "
            f"(± {compile_noise(rows, form, clock):.2f}), at worst {ratios[worst]:.2f} ({worst}), "
            f"slower in {sum(1 for ratio in ratios.values() if ratio > 1)}")


# ---- the page ----

def size_text(count):
    for unit, size in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if count >= size:
            return f"{count / size:.3g} {unit}"
    return f"{count:.0f} B"


def table(header, rows):
    return ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)] + ["| " + " | ".join(r) + " |" for r in rows]


def bytes_table(rows, variants):
    lines = []
    for row in rows:
        if row["variant"] not in variants or "error" in row:
            continue
        ours, book = row["ours"]["bytes"], row["textbook"]
        counts = [row["ours"], row["local"], row["constraints"], row["xla_partitioned"], row["xla_optimized"]]
        name = row["annotation"] if len(variants) == 1 else f"{row['annotation']}, {row['variant']}"
        lines.append([row["model"], name, *(f"{count['runs']:.0f}, {size_text(count['bytes'])}" for count in counts),
                      "-" if book is None else size_text(book), f"{row['xla_bytes'] / ours:.2f}" if ours else "-",
                      "-" if not book else f"{ours / book:.2f}", verdict(row)])
    return table(["model", "annotation", "ours", "XLA, local form", "XLA, constraint form", "XLA, plain, partitioned",
                  "XLA, plain, final", "textbook", "plain / ours", "ours / textbook", "verdict"], lines)


def seconds_text(seconds):
    return f"{seconds * 1e3:.3g} ms" if seconds >= 0.9995e-3 else f"{seconds * 1e6:.3g} µs"


def flops_text(count):
    for unit, size in (("T", 1e12), ("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if count >= size:
            return f"{count / size:.3g} {unit}"
    return f"{count:.0f}"


def costs_more(ours, xla):
    """The numbers in which ours is worse: "collectives +9 % (6 instead of 1), FLOPs +96 %"."""
    runs = [sum(c[2] for c in step["collectives"]) for step in (ours, xla)]
    words = []
    for word, key in (("compute", "compute_seconds"), ("collectives", "collective_seconds"), ("FLOPs", "flops"), ("bytes", "bytes")):
        if ours[key] > 1.001 * xla[key]:
            more = f"{100 * (ours[key] / xla[key] - 1):+.0f} %" if xla[key] else "more than none"
            words.append(f"{word} {more}" + (f" ({runs[0]:.0f} instead of {runs[1]:.0f})" if word == "collectives" else ""))
    return ", ".join(words)


def seconds_table(rows, variants, machine, reasons):
    lines = []
    for row in rows:
        if row["variant"] not in variants or machine not in row.get("predicted", {}):
            continue
        ours, xla = row["predicted"][machine]["ours"], row["predicted"][machine]["xla"]
        name = row["annotation"] if len(variants) == 1 else f"{row['annotation']}, {row['variant']}"
        counted = "-" if row["cost_analysis"]["flops"] is None or row["cost_analysis"]["loops"] else flops_text(row["cost_analysis"]["flops"])
        slower = pace(row, machine) > SAME
        reason = f"{costs_more(ours, xla)}. {reason_of(row, machine, reasons) or 'No reason is known.'}" if slower else ""
        lines.append([row["model"], name, flops_text(ours["flops"]), flops_text(xla["flops"]), counted,
                      size_text(ours["bytes"]), size_text(xla["bytes"]),
                      *(seconds_text(step[key]) for key in ("compute_seconds", "collective_seconds") for step in (ours, xla)),
                      seconds_text(ours["serial"]), seconds_text(xla["serial"]), f"{pace(row, machine):.2f}",
                      seconds_text(ours["seconds"]), seconds_text(xla["seconds"]),
                      size_text(ours["peak_bytes"]), size_text(xla["peak_bytes"]), reason])
    return table(["model", "annotation", "FLOPs, ours", "XLA", "XLA, own count", "bytes, ours", "XLA", "compute, ours", "XLA",
                  "collectives, ours", "XLA", "sum, ours", "XLA", "ours / XLA", "overlapped, ours", "XLA", "peak, ours", "XLA",
                  "why ours is slower"], lines)


def seconds_words(rows, machine):
    known = [row for row in rows if machine in row.get("predicted", {})]
    if not known:
        return f"{machine}: not predicted"
    ratios = {row["name"]: pace(row, machine) for row in known}
    steps = [row["predicted"][machine] for row in known]
    overlapped = statistics.geometric_mean(pair["ours"]["seconds"] / pair["xla"]["seconds"] for pair in steps)
    slower = [name for name, ratio in ratios.items() if ratio > SAME]
    worst = max(ratios, key=ratios.get)
    return (f"{machine}: ours / XLA {statistics.geometric_mean(ratios.values()):.2f} in the geometric mean over {len(known)} cases "
            f"({overlapped:.2f} with overlap); slower in {len(slower)}, at worst {ratios[worst]:.2f} ({worst})")


def seconds_section(rows, reasons):
    runs = sorted({row["predicted_run"] for row in rows if "predicted" in row})
    if not runs:
        return []
    lines = ["## Predicted steps", "",
             "Fewer bytes that are bought with more FLOPs need not be faster. `tessera simulate` prices both programs: our local program,",
             "partitioned for the machine, and the module that XLA's partitioner wrote for plain `jit` ([simulate.md](simulate.md),",
             "`bench/predicted.py`). Both are taken as they are and behind XLA's simplifications, and the faster form counts. XLA's module also",
             "goes through our passes that form reduce-scatters and combine collectives, as XLA for GPUs and TPUs does.", "",
             "- *FLOPs*, *bytes* (sent) and *peak* (memory) are per device and step. *own count* is XLA's `cost_analysis()` of its final",
             "  module; `-` for programs with loops, whose bodies it counts once.",
             "- *sum* is compute + collectives, one after the other; it decides which is faster. *overlapped* lets collectives run beside",
             "  independent work in the order of the text. XLA schedules its module later, so its overlapped time is less certain.", "",
             f"Predicted in these runs: {'; '.join(runs)}.", ""]
    missing = [row["name"] for row in rows if "predicted" not in row]
    lines += [f"{len(missing)} of {len(rows)} cases are not predicted yet: {', '.join(missing)}.", ""] if missing else []
    lines += [f"- {seconds_words(rows, machine)}." for machine in predicted.MACHINES] + [""]
    for machine in predicted.MACHINES:
        for variants, title in SECTIONS:
            if any(row["variant"] in variants and machine in row.get("predicted", {}) for row in rows):
                lines += [f"### {machine}: {title[0].lower()}{title[1:]}", "", *seconds_table(rows, variants, machine, reasons), ""]
    return lines


def median_text(samples, keys):
    values = [1e3 * sum(sample[key] for key in keys) for sample in samples]
    return f"{statistics.median(values):.2f} ({min(values):.2f}-{max(values):.2f})"


def ratio(samples, theirs, ours):
    """The ratio of the medians."""
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


def constraint_words(rows):
    """The constraint form's bytes beside plain jit's and ours."""
    good = [row for row in rows if "constraints" in row]
    less = sum(1 for row in good if row["constraints"]["bytes"] < 0.999 * row["xla_bytes"])
    more = sum(1 for row in good if row["constraints"]["bytes"] > 1.001 * row["xla_bytes"])
    above = sum(1 for row in good if row["constraints"]["bytes"] > 1.001 * row["ours"]["bytes"])
    return (f"XLA sends fewer bytes than for plain `jit` in {less} of {len(good)} cases and more in {more}; "
            f"it sends more than ours in {above}.")


def kept_words(rows):
    import hlo
    good = [row for row in rows if "local" in row]
    each = [line for row in good for line in row["local"]["beside"]]
    same = [line for line in each if hlo.same_bytes(line)]
    return (f"{len(same)} of {len(each)} pairs (kind, axes) in {len(good)} cases send the bytes of the local program in XLA's final "
            f"module: {sum(line[2] for line in same):.0f} collectives, which XLA combines to {sum(line[4] for line in same):.0f}.")


def kept_verdict(line):
    import hlo
    if not hlo.same_bytes(line):
        return "differs"
    return "same" if line[2] == line[4] else "combined"


def kept_table(rows):
    lines = []
    for row in rows:
        for line in row.get("local", {}).get("beside", []):
            kind, axes, runs, size, their_runs, their_size = line
            lines.append([row["name"], kind, axes, f"{runs:.0f}", f"{their_runs:.0f}", size_text(size), size_text(their_size),
                          kept_verdict(line)])
    return table(["case", "kind", "axes", "collectives, ours", "XLA", "bytes, ours", "XLA", "verdict"], lines)


def memory_table(rows):
    lines = []
    for row in filter(is_zero3, rows):
        forms = [row["local"], row["constraints"], row["xla_memory"]]
        lines.append([row["model"], row["variant"], f"{gathers(row['local']['given'])}", f"{gathers(row['local'])}",
                      f"{gathers(row['constraints'])}", f"{gathers(row['xla_optimized'])}",
                      *(size_text(form["gathered"]) for form in forms), *(size_text(form["temporary"]) for form in forms)])
    return table(["model", "variant", "all-gathers, ours", "XLA, local", "XLA, constraints", "XLA, plain", "gathered alive, local",
                  "constraints", "plain", "temporary, local", "constraints", "plain"], lines)


def memory_words(rows):
    zero3 = [row for row in rows if is_zero3(row) and row["variant"] not in ("test", "scan")]
    apart = sum(1 for row in zero3 if gathers(row["local"]) == gathers(row["local"]["given"]))
    beside = lambda form: [row["local"]["temporary"] / (row["xla_memory"] if form == "plain" else row[form])["temporary"]
                           for row in zero3]
    means = {form: beside(form) for form in ("plain", "constraints")}
    if not zero3:
        return "not run"
    return (f"XLA keeps all all-gathers of the local form apart in {apart} of {len(zero3)} cases of ZeRO-3 at real sizes. Temporary "
            f"memory is {statistics.geometric_mean(means['plain']):.2f} times plain `jit`'s in the geometric mean (at worst "
            f"{max(means['plain']):.2f}) and {statistics.geometric_mean(means['constraints']):.2f} times the constraint form's "
            f"(at worst {max(means['constraints']):.2f}).")


def compile_table(rows):
    lines = []
    for row in rows:
        if not row.get("compile"):
            continue
        cpu = [f"{1e3 * compile_seconds(row, form, CPU):.0f}" for form in ("plain", "local", "whole")]
        ratios = [f"{compile_ratio(row, form, clock):.2f}" for clock in (CPU, WALL) for form in ("local", "whole")]
        steps = [row.get("step_error", "not timed"), "-", "-"]
        if row["step"]:
            steps = [median_text(row["step"], [form]) for form in ("plain", "local")] + [f"{ratio(row['step'], ['local'], ['plain']):.2f}"]
        lines.append([row["model"], row["annotation"], *cpu, *ratios, *steps])
    return table(["model", "annotation", "CPU ms, plain", "local", "local, whole", "local / plain, CPU", "whole / plain, CPU",
                  "local / plain, wall", "whole / plain, wall", "step ms, plain", "step ms, local", "step, local / plain"], lines)


def step_words(rows):
    ratios = [ratio(row["step"], ["local"], ["plain"]) for row in rows if row.get("step")]
    if not ratios:
        return "not timed"
    return (f"{statistics.geometric_mean(ratios):.2f} in the geometric mean (from {min(ratios):.2f} to {max(ratios):.2f})")


def run_words(rows):
    """Which rows are of which run."""
    runs = {}
    for row in rows:
        runs.setdefault(row.get("run", "unknown"), []).append(row["variant"])
    return [f"- {run}: {len(variants)} cases ({', '.join(sorted(set(variants)))})" for run, variants in sorted(runs.items())]


def missing_words(rows, cases):
    """A page of some models says which cases it does not have."""
    missing = sorted(set(cases) - {row["name"] for row in rows})
    return [f"{len(missing)} of {len(cases)} cases have no row yet: {', '.join(missing)}.", ""] if missing else []


def page(rows, reasons, versions, cases):
    met = sum(1 for row in rows if not misses(row))
    said = sum(1 for row in rows if misses(row) and not unexplained(row, reasons))
    lines = [
        "# Tessera beside JAX on the zoo", "",
        "`make bench-jax` writes this page; `build/bench/jax.json` has the numbers. `bench/zoo_vs_jax.py` states what is counted and how.",
        f"{versions}, 8 CPU devices, float32. Models may run one by one. The rows are of these runs:", "", *run_words(rows), "", *missing_words(rows, cases),
        f"{len(rows)} cases: {met} meet every must, {said} miss one for a stated reason, {len(rows) - met - said} without a reason.", "",
        f"- Collectives: {kept_words(rows)}",
        *(f"- Predicted seconds, {seconds_words(rows, machine)}." for machine in predicted.MACHINES),
        f"- Memory: {memory_words(rows)}",
        f"- Lower + compile of the local form, CPU time beside plain `jit`'s: {compile_words(rows, 'local', CPU)}.",
        f"- The same with tracing, propagate and partition: {compile_words(rows, 'whole', CPU)}.",
        f"- Step time of the local form beside plain `jit`'s: {step_words(rows)}.", "",
        "## Bytes sent", "",
        "Each cell has the number of collectives, each counted as often as it runs, and the bytes sent per device. The forms are:", "",
        "- *XLA, local form*: XLA's final module of our local program (`tessera.to_jax(…, exact=\"local\")`).",
        f"- *XLA, constraint form*: XLA's module when every reshard is a sharding constraint (`tessera.to_jax`). {constraint_words(rows)}",
        "  XLA's partitioner has no unreduced values, so it reduces partial sums where they are computed.",
        "- *XLA, plain*: plain `jax.jit` with the same `in_shardings` and `out_shardings`, right behind XLA's partitioner and at the end of",
        "  its passes. The smaller number of bytes counts as XLA's.", "",
        "XLA's pipeline for CPUs forms no reduce-scatters. An all-reduce is counted as a reduce-scatter if every user slices the device's own",
        "shard, because XLA for GPUs and TPUs forms one there.", ""]
    for variants, title in SECTIONS:
        if any(row["variant"] in variants for row in rows):
            lines += [f"### {title}", "", *bytes_table(rows, variants), ""]
    lines += seconds_section(rows, reasons)
    lines += ["## Cases that miss a must", ""]
    for row in rows:
        for what, words in misses(row):
            if what in row.get("predicted", {}):
                continue  # in the tables of predicted steps
            how_much = f" ({times_bound(row):.2f} times the bound)" if what == "bytes" else ""
            detail = f" ({'; '.join(changes(row))})" if what == "collectives" else ""
            why = row.get("error") or reason_of(row, what, reasons) or "No reason is known."
            lines.append(f"- {row['name']}: {words}{how_much}{detail}. {why}")
    lines += [
        "", "## ZeRO-3: memory", "",
        "ZeRO-3 gathers weights for the forward pass and again for the backward pass. A module with fewer all-gathers keeps gathered weights",
        "alive from one to the other. *Gathered alive* is the most bytes of all-gathers' results that are alive at once on a device, by the",
        "schedule of XLA's final module. *Temporary* is `memory_analysis().temp_size_in_bytes`, which also has activations and gradients.",
        "The forms `apart` and `paced` of [the local program](partitioner.md) keep all-gathers apart and delay each until the use of the",
        "previous one. `paced` leaves all-gathers below 64 KiB as they are, so it does nothing at the sizes of the tests.", "",
        *memory_table(rows), "",
        "## Lower + compile and steps beside plain jit", "",
        "One annotation of each model, at real sizes. Plain `jit` and the local form alternate. Compile times are the least of the rounds,",
        "because other work on the machine only adds time; step times are medians, with the least and the most.",
        "*local* is `.lower().compile()` of the program that `tessera.to_jax(…, exact=\"local\")` returned. *whole* also includes tracing,",
        "propagate and partition, so it begins with the Python function, as plain `jit`'s does. A ratio above 1 means that ours is slower.",
        "CPU time is of all threads of the process; XLA compiles kernels on several. Other processes may use the machine during a run. They",
        "multiply wall times and hardly change CPU times, hence the bench compares CPU times. The noise (±) is two standard errors of the",
        "geometric mean, from one geometric mean per round. The bench fails if *local* is slower by more than the noise.", "",
        f"- local, CPU time: {compile_words(rows, 'local', CPU)}.", f"- whole, CPU time: {compile_words(rows, 'whole', CPU)}.",
        f"- local, wall time: {compile_words(rows, 'local', WALL)}.", f"- whole, wall time: {compile_words(rows, 'whole', WALL)}.",
        f"- step, wall time: {step_words(rows)}.", "",
        "LLVM takes most of the time: XLA compiles a kernel for each fusion. The local form is slower where it has more kernels. XLA:CPU",
        "computes the 8 operands of each all-to-all by a kernel of their own, and each all-gather that `paced` delays has a select.", "",
        *compile_table(rows), "",
        "## Compile time by stage", "",
        "Milliseconds of wall time at real sizes: the median of alternating rounds, and the least and the most. *Shardy alone* is its pass",
        "`sdy-user-priority-propagate` in jaxlib, behind inlining and import. *shardy-xla* is XLA's pass around it, which converts HLO to MLIR",
        "and back. *spmd-partitioning* is XLA's partitioner. XLA's own log has the times of both. The last two columns are ratios of medians.",
        "Tracing and lowering come first for both.", "", *time_table(rows), ""]
    timed = [row["seconds"] for row in rows if row.get("seconds")]
    for word, theirs, ours in (("Shardy's propagation alone", ["shardy"], ["propagate"]),
                               ("XLA's pass around it", ["shardy_xla"], ["propagate"]),
                               ("XLA's partitioner", ["spmd"], ["partition", "optimize"])) if timed else ():
        each = [ratio(samples, theirs, ours) for samples in timed]
        lines.append(f"- {word} takes {statistics.median(each):.1f} times as long as {' + '.join(ours)} in the median "
                     f"over the models (from {min(each):.1f} to {max(each):.1f}).")
    lines += [
        "", "## XLA's final module of the local program, by kind and axes", "",
        "*combined*: XLA sends the same bytes with fewer collectives of several operands. *differs*: XLA sends other bytes.",
        f"{kept_words(rows)}", "", *kept_table(rows)]
    return "\n".join(lines) + "\n"


def write_page(rows, reasons, versions, cases):
    with open("docs/bench-jax.md", "w") as out:
        out.write(page(rows, reasons, versions, cases))


def write_results(rows, reasons, versions, cases):
    with open(RESULTS, "w") as out:
        json.dump({"versions": versions, "cases": cases, "rows": rows}, out, indent=1)
    if not PARTLY:
        write_page(rows, reasons, versions, cases)


def report(rows, reasons):
    """The last lines; 1 if a must is missed without a reason."""
    bad = {row["name"]: unexplained(row, reasons) for row in rows if unexplained(row, reasons)}
    for name, words in bad.items():
        print(f"{name}: {', '.join(words)}, without a reason")
    met = sum(1 for row in rows if not misses(row))
    print(f"{kept_words(rows)}\nlower + compile, CPU time, local / plain: {compile_words(rows, 'local', CPU)}"
          f"{': slower' if is_slower(rows) else ''}")
    print(f"{met} of {len(rows)} cases met, {len(rows) - met - len(bad)} with a reason, {len(bad)} without: {' '.join(bad)}")
    return 1 if bad or is_slower(rows) else 0


def main():
    os.chdir(ROOT)
    sys.path.append(os.path.join(ROOT, "bench"))
    os.makedirs(WORK, exist_ok=True)
    if len(sys.argv) > 2 and sys.argv[1] == "--model":
        run_model(sys.argv[2], sys.argv[3:])
        return 0
    if sys.argv[1:] == ["--cases"]:
        print_cases()
        return 0
    reasons = read_reasons()
    if sys.argv[1:] == ["--page"]:
        with open(RESULTS) as file:
            results = json.load(file)
        write_page(results["rows"], reasons, results["versions"], results["cases"])
        return report(results["rows"], reasons)
    seconds = sys.argv[1:2] == ["--seconds"]
    words = sys.argv[2:] if seconds else sys.argv[1:]
    found = subprocess.run([PYTHON, "-c", "import jax, jaxlib; print('JAX', jax.__version__, 'jaxlib', jaxlib.__version__)"],
                           capture_output=True, text=True, check=False, cwd="/")
    if found.returncode:
        print("zoo_vs_jax: skipped, JAX is not installed: tools/venv makes a Python that has it")
        return 1 if os.environ.get("REQUIRE_JAX") == "1" else 0
    rows, cases = read_rows() if sys.argv[1:] else [], case_names()
    for name in dict.fromkeys(word.split(":")[0] for word in words or [case.split("-")[0] for case in cases]):
        new = model_rows(name, [word.split(":")[1] for word in words if word.startswith(name + ":")], seconds)
        print("\n".join(map(seconds_line if seconds else line_of, new)), flush=True)
        rows = with_seconds(rows, new) if seconds else merged(rows, new)
        write_results(rows, reasons, found.stdout.strip(), cases)
    return report(rows, reasons)


if __name__ == "__main__":
    sys.exit(main())
