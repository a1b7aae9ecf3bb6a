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

from . import oracle
from .generate import random_spec
from .programs import PROGRAMS

tessera = oracle.tessera
MESH = {"data": 2, "model": 4}
RANDOM_MESHES = [{"data": 2, "model": 4}, {"a": 8}, {"a": 2, "b": 2, "c": 2}, {"a": 2, "b": 3}]
WIDE = 16  # elements


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


def check(name, seed, ways):
    """A row of the table: {column: text}, and the failures."""
    build, libraries = PROGRAMS[name]
    try:
        version = importlib.metadata.version(libraries[0])
        for library in libraries:
            importlib.metadata.version(library)
    except importlib.metadata.PackageNotFoundError as e:
        raise Missing(f"{e} is not installed") from None
    row, failures, share = {"library": f"{libraries[0]} {version}"}, [], 0.0
    fn, args = build()
    expected = oracle.Expected(fn, args)

    def attempt(column, run):
        nonlocal share
        try:
            result = run()
            row[column] = row.get(column) or "ok"
            return result
        except Exception as e:
            kind = "" if isinstance(e, oracle.Differs) else type(e).__name__ + ": "
            failures.append(f"{column}: {kind}{e}")
            row[column] = "FAILED"
            if os.environ.get("OUTSIDE_TRACEBACK"):
                traceback.print_exc()

    program = attempt("export", lambda: tessera.export(fn, *args))
    if program is None:
        return row, failures
    row["ops"] = str(count_ops(program.text))

    def judged(run, hints):
        nonlocal share
        share = max(share, oracle.judge_all(expected, run(program, args, hints), exactly=True))

    if "one" in ways:
        attempt("one", lambda: judged(ways["one"], None))
    for what, (mesh, shard) in {"rule": by_rule(program), "random": at_random(program, name, seed)}.items():
        hints = hints_of(mesh, shard)
        for way, run in ways.items():
            if way not in ("one", "verify"):
                attempt(way, lambda: judged(run, hints))
                if failures and failures[-1].startswith(way + ":"):
                    failures[-1] += f"   [{what}: mesh {hints['mesh']}, {hints['shard']}]"
        if "verify" in ways:
            attempt("verify", lambda: oracle.verify(program, hints))
        if failures and failures[-1].startswith("verify:"):
            failures[-1] += f"   [{what}: mesh {hints['mesh']}, {hints['shard']}]"
    row["farthest"] = f"{share:.2f}{'' if expected.has_truth else '*'}"
    row["loose"] = str(expected.loose)
    return row, failures


def run(names, seed, some=()):
    unknown = [n for n in names if n not in PROGRAMS]
    if unknown:
        print(f"no program {', '.join(unknown)}; there are {', '.join(PROGRAMS)}", file=sys.stderr)
        return 2
    ways = {w: run for w, run in {**oracle.ways(), "verify": None}.items() if not some or w in some}
    columns = ["library", "ops", "export", *ways, "farthest", "loose"]
    widths = [36, 6, 8, *[max(len(w), 6) + 2 for w in ways], 10, 6]
    line = lambda name, cells: f"{name:28}" + "".join(f"{c:{w}}" for c, w in zip(cells, widths)).rstrip()
    print(line("program", columns), flush=True)
    passed, failed, skipped, all_failures = 0, 0, 0, []
    for name in names or PROGRAMS:
        start = time.monotonic()
        try:
            row, failures = check(name, seed, ways)
        except Missing as e:
            skipped += 1
            print(f"{name:28}skipped: {e}", flush=True)
            continue
        except Exception as e:
            if os.environ.get("OUTSIDE_TRACEBACK"):
                traceback.print_exc()
            row, failures = {}, [f"{type(e).__name__}: {e}"]
        print(line(name, [row.get(c, "") for c in columns]) + f"   {time.monotonic() - start:.0f} s", flush=True)
        for failure in failures:
            print("    " + failure.replace("\n", " ")[:700], flush=True)
        passed, failed = passed + (not failures), failed + bool(failures)
        jax.clear_caches()
    print("farthest: our largest error as a share of the bound; * where JAX itself is the truth; loose: elements that JAX is not sure of")
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed else 0
