"""Runs cases of the zoo in worker processes, prints a line for each, the table of all, and writes build/models.json.

Each worker has JAX with 8 CPU devices and takes one group of cases (a model with its options) after the other: a line of
JSON in, lines of JSON out. A worker that dies or hangs is a failure of what it was given, and another takes its place.
"""

import json
import os
import queue
import subprocess
import sys
import threading
import time

from .cover import PLANS, Options, covering, covering_plans, grouped, product
from .zoo.common import MODELS

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
REPORT = os.path.join(ROOT, "build", "models.json")
PAGE = os.path.join(ROOT, "docs", "models.md")  # of all cases
LIMIT_SECONDS = 900  # of a group
FLAGS = "--xla_force_host_platform_device_count=8 --xla_allow_excess_precision=false"


# ---- in the worker ------------------------------------------------------------------------------------------------


def work():
    """Reads groups from standard input until it ends."""
    import jax

    from .differ import check

    for line in sys.stdin:
        options, ways = json.loads(line)
        for row in check(Options(*options), ways):
            print("row " + json.dumps(row), flush=True)
        print("done", flush=True)
        jax.clear_caches()


# ---- outside ------------------------------------------------------------------------------------------------------


def start_worker():
    env = dict(os.environ, JAX_PLATFORMS="cpu", XLA_FLAGS=FLAGS, PYTHONPATH=os.path.join(ROOT, "python"))
    command = [sys.executable, "-m", "models", "work"]
    cwd = os.path.join(ROOT, "tests")
    return subprocess.Popen(command, env=env, cwd=cwd, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE)


def run_group(worker, options, ways, tell):
    """True if the worker can take the next."""
    left = list(ways)
    timer = threading.Timer(LIMIT_SECONDS, worker.kill)
    timer.start()
    try:
        worker.stdin.write(json.dumps([options, ways]) + "\n")
        worker.stdin.flush()
        for line in worker.stdout:
            if line == "done\n":
                return True
            if line.startswith("row "):
                row = json.loads(line[4:])
                left = [way for way in left if way != row["way"]]
                tell(row)
    except OSError:
        pass
    finally:
        timer.cancel()
    why = f"the worker ended with status {worker.wait()} ({LIMIT_SECONDS} s is the limit)"
    for way in left:
        tell({**options._asdict(), "way": way, "ok": False, "seconds": 0.0, "share": None, "line": why})
    return False


def serve(groups, tell):
    """One worker's life: groups from the queue until it is empty."""
    worker = None
    while True:
        try:
            options, ways = groups.get_nowait()
        except queue.Empty:
            break
        worker = worker or start_worker()
        if not run_group(worker, options, ways, tell):
            worker = None
    if worker:
        worker.communicate()


def run_cases(cases, jobs, tell):
    groups = queue.Queue()
    for group in grouped(cases):
        groups.put(group)
    threads = [threading.Thread(target=serve, args=(groups, tell)) for _ in range(jobs)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()


# ---- what is printed ----------------------------------------------------------------------------------------------


def describe(row):
    word = "ok  " if row["ok"] else "FAIL"
    share = "" if row["share"] is None else f"{row['share']:.2f} of the bound"
    name = f"{Options(*(row[f] for f in Options._fields))}, {row['way']}"
    line = row["line"] if not row["ok"] else row["line"].split(": ")[0] if row["share"] is not None else row["line"]
    return f"{word} {name:<52} {row['seconds']:6.1f} s  {share} {line}"


def table(rows):
    """Models x ways: how many options agree, of how many."""
    counts = {}
    for row in rows:
        if row["way"] != "jax":
            good, all_ = counts.get((row["model"], row["way"]), (0, 0))
            counts[row["model"], row["way"]] = good + row["ok"], all_ + 1
    models = list(dict.fromkeys(model for model, _ in counts))
    ways = sorted({way for _, way in counts}, key=lambda way: (way != "one", way))
    cell = lambda c: "-" if c is None else f"{c[0]}/{c[1]}" + ("" if c[0] == c[1] else "!")
    lines = [["model", *ways]] + [[m, *(cell(counts.get((m, w))) for w in ways)] for m in models]
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    return "\n".join("  ".join(word.ljust(w) for word, w in zip(line, widths)).rstrip() for line in lines)


def summary(rows):
    runs = [row for row in rows if row["way"] != "jax"]
    failed = sum(not row["ok"] for row in runs)
    return f"{len(runs) - failed} passed, {failed} failed"


def one_draw(rows):
    """How many outputs would fail if the bound used JAX's error of one evaluation, not the largest of several."""
    outputs = sum(row.get("outputs", 0) for row in rows)
    beyond = sum(row.get("beyond", 0) for row in rows)
    return f"{beyond} of {outputs} outputs would fail if the bound used JAX's error of a single evaluation"


def main(words):
    """check [cover] [plans] [MODEL…] [dtype=…] [way=…] [jobs=N]: those cases (cover: few of them that cover every pair; plans: only
    those that are planned without annotations)."""
    start = time.monotonic()
    names = [w for w in words if w in MODELS]
    given = dict(w.split("=", 1) for w in words if "=" in w)
    unknown = set(words) - set(names) - {"cover", "plans"} - {f"{k}={v}" for k, v in given.items()}
    if unknown or set(given) - {"dtype", "way", "jobs"}:
        sys.exit(f"{main.__doc__}\nunknown: {' '.join(sorted(unknown | set(given) - {'dtype', 'way', 'jobs'}))}")
    cases = product([m for m in MODELS.values() if not names or m.name in names])
    if "plans" in words:
        cases = covering_plans(cases) if "cover" in words else [case for case in cases if case[1] in PLANS]
    elif "cover" in words:
        cases = covering(cases)
    cases = [
        (options, way)
        for options, way in cases
        if given.get("dtype", options.dtype) == options.dtype and given.get("way", way) == way
    ]
    rows = []

    def tell(row):
        rows.append(row)
        print(describe(row), flush=True)

    run_cases(cases, int(given.get("jobs", os.cpu_count() or 1)), tell)
    os.makedirs(os.path.dirname(REPORT), exist_ok=True)
    with open(REPORT, "w") as file:
        json.dump(rows, file, indent=1)
    if not words:
        write_page(rows)
    print()
    print_table(rows)
    children = os.times()
    cpu = children.children_user + children.children_system
    print(f"{time.monotonic() - start:.0f} s, {cpu:.0f} s of processor time")
    print(summary(rows))
    sys.exit(any(not row["ok"] for row in rows) or not rows)


def write_page(rows):
    """What a run of all cases gave."""
    import jax

    lines = [
        "# Models compared with JAX",
        "",
        "`make test-models` wrote this page; it ran all cases. [tests/models](../tests/models/README.md) describes the comparison and its error bound. Each",
        "row is a model. The column `one` is the run on one device. The other columns are sharding strategies on 8 devices, given as annotations.",
        "`NAME*` is the same strategy written with `shard_map`.",
        "",
        "A model runs with several sets of options: float32 or bfloat16, unrolled layers or `lax.scan`, with or without `jax.checkpoint`. A cell is agreeing /",
        "total option sets. `-` means that the model has no such strategy.",
        "",
        f"JAX {jax.__version__}: {summary(rows)}. {one_draw(rows)}.",
        "",
        "```text",
        table(rows),
        "```",
        "",
    ]
    with open(PAGE, "w") as file:
        file.write("\n".join(lines))


def print_last(files=()):
    """The table of the last check, or of several: files as build/models.json."""
    rows = []
    for path in files or [REPORT]:
        with open(path) as file:
            rows += json.load(file)
    print_table(rows)
    print(summary(rows))


def print_table(rows):
    print("a row per model, a column per strategy on 8 devices (one: one device; *: written with shard_map); cells: agreeing / total option sets")
    print(table(rows))
    print(one_draw(rows))
