"""Random programs (generate.py) held against plain JAX (oracle.py), in worker processes; findings are cut down to a few lines.

A worker takes seeds from standard input and answers with a line of JSON each; one that dies or hangs is a failure of its seed,
and another takes its place.
"""

import dataclasses
import json
import os
import subprocess
import sys
import threading
import time
import warnings

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

from . import oracle
from .generate import Statement, generate, same, spec_source

tessera = oracle.tessera
LIMIT_SECONDS = 300  # of a program
SHRINK_SECONDS = 120
INTERNAL = "JaxRuntimeError: INTERNAL"  # a check of XLA's own code failed
RECYCLE = 60  # programs of one worker: what JAX compiled is never freed altogether


# ---- one program --------------------------------------------------------------------------------------------------


def pin_on(program):
    """with_sharding_constraint over the program's mesh; axes that do not divide are left out, as JAX requires."""
    if not program.pinned:
        return same
    sizes = tuple(program.mesh.values())
    mesh = Mesh(np.array(jax.devices()[:int(np.prod(sizes))]).reshape(sizes), tuple(program.mesh))

    def pin(x, spec):
        entries = []
        for n, entry in zip(x.shape, spec):
            axes = () if entry is None else (entry,) if isinstance(entry, str) else entry
            entries.append(entry if n % int(np.prod([program.mesh[a] for a in axes])) == 0 else None)
        return jax.lax.with_sharding_constraint(x, NamedSharding(mesh, P(*entries)))

    return pin


def failure(run, expected, program, exported, args):
    """What is wrong with one way to run a program; None if nothing. And its error beside the bound."""
    try:
        return None, oracle.judge_all(expected, run(exported, args, program.hints()))
    except oracle.Differs as e:
        return f"differs: {e}", None
    except Exception as e:
        return f"{type(e).__name__}: {e}", None


def stock(program, exported, expected):
    """What is wrong with jax.jit under the same shardings of arguments and results, without our program; None if nothing."""
    def run(exported, args, hints):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = tessera.shardings(tessera.propagate(exported, **hints))
        jitted = jax.jit(program.fn(pin_on(program)), in_shardings=found.in_shardings, out_shardings=found.out_shardings, keep_unused=True)
        return jitted(*jax.device_put(tuple(args), found.in_shardings))

    return failure(run, expected, program, exported, program.args)[0]


def tell(stage):
    """Where a worker is, for when it dies."""
    if sys.argv[1:2] == ["work"]:
        print("at " + stage, flush=True)


def check(program, ways=None):
    """({way: what is wrong}, our error beside the bound, loose elements). XLA's own faults are under "XLA <way>". Raises Skip where JAX
    has no answer."""
    with jax.enable_x64(program.wide):
        try:
            expected = oracle.Expected(program.fn(), program.args)
        except Exception as e:
            raise Skip(f"{type(e).__name__}: {e}") from e
        found, share = {}, 0.0
        try:
            exported = tessera.export(program.fn(pin_on(program)), *program.args)
        except Exception as e:
            return {"export": f"{type(e).__name__}: {e}"}, 0.0, 0
        for way, run in oracle.ways().items():
            if ways is None or way in ways:
                tell(way)
                wrong, of_way = failure(run, expected, program, exported, program.args)
                if wrong:
                    its_own = "to_jax" in way and (INTERNAL in wrong or stock(program, exported, expected))
                    found[f"XLA {way}" if its_own else way] = wrong
                share = max(share, of_way or 0.0)
        tell("")
        return found, share, expected.loose


class Skip(Exception):
    pass


# ---- cutting down -------------------------------------------------------------------------------------------------


def values_of(program):
    """What JAX has for every variable of the program's own body."""
    names = [n for s in program.statements for n in s.names]
    whole = dataclasses.replace(program, results=names)
    with jax.enable_x64(program.wide):
        return dict(zip(names, jax.jit(whole.fn())(*program.args)))


def pruned(program):
    """Without the statements and arguments that no result depends on."""
    needed, kept = set(program.results), []
    for statement in reversed(program.statements):
        if needed & set(statement.names):
            kept.insert(0, statement)
            needed |= {n for s in program.statements for n in s.names if statement.uses(n)} | {a for a in program.names if statement.uses(a)}
    left = [(n, x) for n, x in zip(program.names, program.args) if n in needed]
    return dataclasses.replace(program, statements=kept, names=[n for n, _ in left], args=[x for _, x in left])


def smaller(program, values):
    """Programs that are, likely ones first."""
    if len(program.results) > 1:
        for result in program.results:
            yield pruned(dataclasses.replace(program, results=[result], shard={k: v for k, v in program.shard.items() if "result" not in k}))
    # A variable becomes an argument, with JAX's value.
    for statement in program.statements:
        if not set(statement.names) & set(program.results):
            rest = [s for s in program.statements if s is not statement]
            given = [(n, values[n]) for n in statement.names]
            as_array = lambda x: x if jax.dtypes.issubdtype(x.dtype, jax.dtypes.extended) else np.asarray(x)
            yield pruned(dataclasses.replace(program, statements=rest, names=program.names + [n for n, _ in given],
                                             args=program.args + [as_array(x) for _, x in given]))
    # A nested function loses a line.
    for i, statement in enumerate(program.statements):
        for k, line in enumerate(statement.lines[:-1]):
            if not line.strip().startswith(("def ", "return")):
                lines = [l for j, l in enumerate(statement.lines) if j != k]
                changed = program.statements[:i] + [Statement(lines, statement.names)] + program.statements[i + 1:]
                yield pruned(dataclasses.replace(program, statements=changed))
    for name in program.shard:
        yield dataclasses.replace(program, shard={k: v for k, v in program.shard.items() if k != name})


def shrunk(program, found):
    """The smallest program with the same failure that is found in time, and what is wrong with it."""
    way = next(iter(found))
    first_words = found[way].split(":")[0]
    end = time.monotonic() + SHRINK_SECONDS
    values = values_of(program)
    again = True
    while again:
        again = False
        for candidate in smaller(program, values):
            if time.monotonic() > end:
                return program, found
            try:
                now, _, _ = check(candidate, [way])
            except Exception:
                continue
            if way in now and now[way].split(":")[0] == first_words:
                program, found, again = candidate, now, True
                break
    return program, found


def array_source(x):
    if jax.dtypes.issubdtype(x.dtype, jax.dtypes.extended):
        return f"jax.random.wrap_key_data(np.array({np.asarray(jax.random.key_data(x)).tolist()}, 'uint32'), impl='{x.dtype._impl.name}')"
    x = np.asarray(x)
    listed = repr(x.astype(np.complex128).tolist() if np.iscomplexobj(x) else x.astype(np.float64).tolist()
                  if jnp.issubdtype(x.dtype, jnp.floating) else x.tolist())
    return f"np.array({listed}, '{x.dtype}').reshape({x.shape})"


def reproducer(program, found):
    """A Python file that shows the failure: run it with tests/outside/run file FILE."""
    said = "\n".join(f"# {way}: {wrong}"[:600].replace("\n", " ") for way, wrong in found.items())
    args = "\n".join(f"    {array_source(x)}," for x in program.args)
    shard = ", ".join(f"'{k}': {spec_source(v)}" for k, v in program.shard.items() if k in program.names or "result" in k)
    return (f"# seed {program.seed}\n{said}\nwide = {program.wide}\nmesh = {program.mesh}\nshard = {{{shard}}}\n\n{program.source}\n\n"
            f"args = [\n{args}\n]\n")


# ---- workers ------------------------------------------------------------------------------------------------------


def work(directory, shrink):
    """Lines, their words apart by tabs: a seed, and the ways to leave out."""
    for line in sys.stdin:
        seed, *ways = line.rstrip("\n").split("\t")
        seed = int(seed)
        row = {"seed": seed}
        ways = [w for w in oracle.ways() if w not in ways]
        start = time.monotonic()
        try:
            program = generate(seed)
            with open(os.path.join(directory, f"{seed}.py"), "w") as file:
                file.write(reproducer(program, {}))
            found, share, loose = check(program, ways)
            row.update(share=share, loose=loose, found=found, statements=len(program.statements))
            if any("XLA" not in way for way in found) and shrink:
                program, found = shrunk(program, {k: v for k, v in found.items() if "XLA" not in k})
            if found:
                with open(os.path.join(directory, f"{seed}.py"), "w") as file:
                    file.write(reproducer(program, found))
            else:
                os.remove(os.path.join(directory, f"{seed}.py"))
        except Skip as e:
            row["skip"] = str(e)[:300]
            os.remove(os.path.join(directory, f"{seed}.py"))
        row["seconds"] = round(time.monotonic() - start, 2)
        print("row " + json.dumps(row), flush=True)
        jax.clear_caches()


def start_worker(directory, shrink):
    command = [sys.executable, "-m", "outside", "work", directory, "shrink" if shrink else ""]
    return subprocess.Popen(command, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                            stderr=open(os.path.join(directory, "stderr"), "a"))


class Workers:
    """One worker at a time, with another in its place when it dies or is old."""

    def __init__(self, directory, shrink, without):
        self.without = without
        self.directory, self.shrink, self.worker, self.age = directory, shrink, None, 0

    def ask(self, *words):
        """The row that a worker gives, or {"died": where}."""
        if self.worker is None or self.age >= RECYCLE:
            self.close()
            self.worker, self.age = start_worker(self.directory, self.shrink), 0
        self.age += 1
        worker, stage = self.worker, "start"
        timer = threading.Timer(LIMIT_SECONDS + SHRINK_SECONDS, worker.kill)
        timer.start()
        try:
            worker.stdin.write("\t".join(map(str, words)) + "\n")
            worker.stdin.flush()
            for line in worker.stdout:
                if line.startswith("at "):
                    stage = line[3:-1]
                if line.startswith("row "):
                    return json.loads(line[4:])
        except OSError:
            pass
        finally:
            timer.cancel()
        self.worker = None
        return {"died": stage, "status": worker.wait()}

    def close(self):
        if self.worker:
            self.worker.stdin.close()
            self.worker.wait()
            self.worker = None

    def died_in_xla(self):
        """Whether the trace that the worker left is one of XLA's checks."""
        with open(os.path.join(self.directory, "stderr")) as file:
            tail = file.read()[-20000:]
        trace = tail[tail.rfind("Check failure stack trace"):] if "Check failure stack trace" in tail else ""
        return " xla::" in trace

    def answer(self, seed):
        row = self.ask(seed, *self.without)
        if "died" not in row:
            return row
        # XLA aborts the process on what it did not expect. The other ways again, without this one.
        way, said = row["died"] or "end", f"the process ended with status {row['status']} ({LIMIT_SECONDS} s is the limit)"
        if "to_jax" not in way:
            return {"seed": seed, "found": {way: said}}
        its_own = self.died_in_xla()
        again = self.ask(seed, way, *self.without)
        if "found" not in again:
            return {"seed": seed, "found": {way: said}}
        again["found"] = {**again["found"], f"XLA {way}" if its_own else way: said}
        return again


def run(first, count, shrink=True, ways=(), directory=None):
    """Runs them; a line for each failure and its reproducer. Returns the exit status."""
    directory = directory or os.path.join(oracle.ROOT, "build", "outside")
    os.makedirs(directory, exist_ok=True)
    passed, failed, skipped, loose, worst, by_xla = 0, 0, 0, 0, 0.0, 0
    workers = Workers(directory, shrink, [w for w in oracle.ways() if ways and w not in ways])
    for seed in range(first, first + count):
        if seed > first and (seed - first) % 50 == 0:
            print(f"{seed - first} of {count}: {passed} passed, {failed} failed", file=sys.stderr, flush=True)
        row = workers.answer(seed)
        if "skip" in row:
            skipped += 1
            print(f"seed {seed}: no answer from JAX: {row['skip'][:150]}".replace("\n", " "), flush=True)
            continue
        for way, wrong in row["found"].items():
            print(f"seed {seed} {way}: {wrong[:400]}".replace("\n", " "), flush=True)
        by_xla += any("XLA" in way for way in row["found"])
        if any("XLA" not in way for way in row["found"]):
            failed += 1
            path = os.path.join(directory, f"{seed}.py")
            if not os.path.exists(path):  # the worker died, and the next had nothing to say
                with open(path, "w") as file:
                    file.write(reproducer(generate(seed), row["found"]))
            with open(path) as file:
                print("    " + file.read()[:3000].replace("\n", "\n    "), flush=True)
        else:
            passed += 1
            loose, worst = loose + bool(row.get("loose")), max(worst, row.get("share", 0.0))
    workers.close()
    print(f"farthest: {worst:.2f} of the bound; {loose} programs with elements that JAX itself is not sure of; {skipped} that JAX does not run; "
          f"{by_xla} that stock XLA gets wrong under the same shardings, too")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


def run_file(path):
    """A reproducer again."""
    from .generate import NAMESPACE, Program
    space = {**NAMESPACE, "nan": np.nan, "inf": np.inf}
    with open(path) as file:
        text = file.read()
    exec(compile(text, path, "exec"), space)
    source = text[text.index("def program("):text.index("\nargs = [")]
    lines = [l[4:] for l in source.splitlines()[1:]]
    names = source[source.index("(") + 1:source.index(")")].split(", ")
    program = Program(0, [n for n in names if n], space["args"], [Statement(lines[:-1], [])], lines[-1][7:].rstrip(",").split(", "),
                      space["mesh"], space["shard"], space["wide"])
    found, share, loose = check(program)
    for way, wrong in found.items():
        print(f"{way}: {wrong}")
    print(f"{0 if found else 1} passed, {1 if found else 0} failed")
    return 1 if found else 0
