"""Programs of public JAX libraries (programs.py) held against plain JAX (oracle.py): the table.

Each is exported once, and then run under two annotations: by rule on data=2,model=4 (what is called batch along its first dimension over
"data"; of other arrays with WIDE or more elements the largest dimension over "model"), and at random, from a seed.
"""

import importlib.metadata
import os
import re
import sys
import time
import traceback
import zlib

import jax
import numpy as np
from jax.sharding import PartitionSpec as P

from . import known, oracle, workers
from .generate import random_spec
from .programs import PROGRAMS

tessera = oracle.tessera
MESH = {"data": 2, "model": 4}
RANDOM_MESHES = [{"data": 2, "model": 4}, {"a": 8}, {"a": 2, "b": 2, "c": 2}, {"a": 2, "b": 3}]
WIDE = 16  # elements
LIMIT_SECONDS = 1800  # of a program
OK, XLA, FAILED = "ok", "XLA", "FAILED"  # cells


class Missing(Exception):
    pass


def by_rule(program):
    shard = {}
    for i, value in enumerate(program.arguments):
        shape = value.shape
        if value.name.split(".")[0] == "batch" and shape and shape[0] >= MESH["data"]:
            shard[i] = P("data")
        elif shape and np.prod(shape) >= WIDE:
            d = int(np.argmax(shape))
            shard[i] = P(*[None] * d, "model")
    return MESH, shard


def at_random(program, name, seed):
    rng = np.random.default_rng([seed, zlib.crc32(name.encode())])
    mesh = RANDOM_MESHES[int(rng.integers(len(RANDOM_MESHES)))]
    return mesh, {i: random_spec(rng, v.shape, mesh) for i, v in enumerate(program.arguments) if v.shape and rng.random() < 0.6}


def hints_of(mesh, shard):
    return {"mesh": ",".join(f"{a}={n}" for a, n in mesh.items()), "shard": {f"arg{i}": spec for i, spec in shard.items()}}


def count_ops(text):
    return len(re.findall(r"^\s*(?:%[^=]*= |\")?\"?(?:stablehlo|chlo|call|func\.call)[. ]", text, re.M))


def check(name, seed, ways, without=()):
    """A row of the table, {column: text}; the failures, [text]; and XLA's own faults, the same. Steps, "<annotation>: <way>", may be left out."""
    build, libraries = PROGRAMS[name]
    try:
        version = importlib.metadata.version(libraries[0])
        for library in libraries:
            importlib.metadata.version(library)
    except importlib.metadata.PackageNotFoundError as e:
        raise Missing(f"{e} is not installed") from None
    row, failures, by_xla, share = {"library": f"{libraries[0]} {version}"}, [], [], 0.0
    workers.tell("JAX")
    fn, args = build()
    expected = oracle.Expected(fn, args)

    def judged(run, hints):
        nonlocal share
        share = max(share, oracle.judge_all(expected, run(program, args, hints), exactly=True))

    def attempt(column, step, run, hints=None):
        if step in without:
            return None
        workers.tell(step)
        try:
            result = run()
            row[column] = row.get(column) or OK
            return result
        except Exception as e:
            if os.environ.get("OUTSIDE_TRACEBACK"):
                traceback.print_exc()
            its_own = oracle.is_xlas(column, e, expected, program, lambda: (fn, args), hints)
            under = f"   [mesh {hints['mesh']}, {hints['shard']}]" if hints else ""
            (by_xla if its_own else failures).append(f"{step}: {oracle.said(e)}{under}")
            row[column] = worse(row.get(column), XLA if its_own else FAILED)
            return None

    program = None
    program = attempt("export", "export", lambda: tessera.export(fn, *args))
    if program is None:
        return row, failures, by_xla
    row["ops"] = str(count_ops(program.text))
    if "one" in ways:
        attempt("one", "one", lambda: judged(ways["one"], None))
    for what, (mesh, shard) in {"rule": by_rule(program), "random": at_random(program, name, seed)}.items():
        hints = hints_of(mesh, shard)
        for way, run in ways.items():
            if way == "verify":
                attempt(way, f"{what}: {way}", lambda: oracle.verify(program, hints), hints)
            elif way != "one":
                attempt(way, f"{what}: {way}", lambda: judged(run, hints), hints)
    row["farthest"] = f"{share:.2f}{'' if expected.has_truth else '*'}"
    row["loose"] = str(expected.loose)
    return row, failures, by_xla


def worse(one, other):
    """Of two cells of a column."""
    return max(one or OK, other, key=[OK, XLA, FAILED].index)


def work(seed, *ways):
    def row_of(name, without):
        try:
            row, failures, by_xla = check(name, int(seed), ways_of(ways), without)
        except Missing as e:
            return {"skip": str(e)}
        except Exception as e:
            row, failures, by_xla = {}, [f"{type(e).__name__}: {e}"], []
        jax.clear_caches()
        return {"row": row, "failures": failures, "by_xla": by_xla}

    workers.serve(row_of)


def ways_of(some):
    return {w: run for w, run in {**oracle.ways(), "verify": None}.items() if not some or w in some}


def joined(answer, died):
    """(row, failures, XLA's own faults) of a worker's answer."""
    answer = answer or {"row": {}, "failures": [], "by_xla": []}
    row, failures, by_xla = answer["row"], answer["failures"], answer["by_xla"]
    for step, (said, its_own) in died.items():
        column = step.split(": ")[-1]
        (by_xla if its_own else failures).append(f"{step}: {said}")
        row[column] = worse(row.get(column), XLA if its_own else FAILED)
    return row, failures, by_xla


def run(names, seed, some=()):
    unknown = [n for n in names if n not in PROGRAMS]
    if unknown:
        print(f"no program {', '.join(unknown)}; there are {', '.join(PROGRAMS)}", file=sys.stderr)
        return 2
    ways = ways_of(some)
    columns = ["library", "ops", "export", *ways, "farthest", "loose"]
    widths = [36, 6, 8, *[max(len(w), 6) + 2 for w in ways], 10, 6]
    line = lambda name, cells: f"{name:28}" + "".join(f"{c:{w}}" for c, w in zip(cells, widths)).rstrip()
    print(line("program", columns), flush=True)
    passed, failed, skipped, with_xlas, by_name = 0, 0, 0, 0, 0
    asked = workers.Workers(os.path.join(oracle.ROOT, "build", "outside"), LIMIT_SECONDS, "libraries", str(seed), *ways)
    for name in names or PROGRAMS:
        start = time.monotonic()
        answer, died = asked.answer(name)
        if answer and "skip" in answer:
            skipped += 1
            print(f"{name:28}skipped: {answer['skip']}", flush=True)
            continue
        row, failures, by_xla = joined(answer, died)
        print(line(name, [row.get(c, "") for c in columns]) + f"   {time.monotonic() - start:.0f} s", flush=True)
        for failure in failures + [f"XLA: {fault}" for fault in by_xla]:
            print("    " + failure.replace("\n", " ")[:700], flush=True)
        with_xlas += bool(by_xla)
        reason = known.named(name, [": ".join(failure.split(": ")[:2]) for failure in failures])
        if reason:
            by_name += 1
            print(f"    known: {reason}", flush=True)
        else:
            passed, failed = passed + (not failures), failed + bool(failures)
    asked.close()
    print("farthest: our largest error / the bound; *: no float64 reference, compared with JAX itself; loose: elements that JAX itself does not determine")
    print(f"{passed} passed, {failed} failed, {by_name} known, {skipped} skipped; XLA bugs in {with_xlas} programs")
    return 1 if failed else 0
