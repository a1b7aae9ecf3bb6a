"""Random programs (generate.py) held against plain JAX (oracle.py), in worker processes; findings are cut down to a few lines."""

import dataclasses
import os
import sys
import time

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

from . import known, oracle, workers
from .generate import Statement, generate, same, spec_source

tessera = oracle.tessera
LIMIT_SECONDS = 420  # of a program
SHRINK_SECONDS = 120  # of these


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
        stock = lambda: (program.fn(pin_on(program)), program.args)
        for way, run in oracle.ways().items():
            if ways is None or way in ways:
                workers.tell(way)
                try:
                    share = max(share, oracle.judge_all(expected, run(exported, program.args, program.hints())))
                except Exception as e:
                    by_xla = oracle.is_xlas(way, e, expected, exported, stock, program.hints())
                    found[f"XLA {way}" if by_xla else way] = oracle.said(e)
        workers.tell("")
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
    def row_of(seed, without):
        seed = int(seed)
        row, path = {}, os.path.join(directory, f"{seed}.py")
        try:
            program = generate(seed)
            with open(path, "w") as file:
                file.write(reproducer(program, {}))
            found, share, loose = check(program, [w for w in oracle.ways() if w not in without])
            row.update(share=share, loose=loose, found=found)
            if any("XLA" not in way for way in found) and shrink:
                program, found = shrunk(program, {k: v for k, v in found.items() if "XLA" not in k})
            if found:
                with open(path, "w") as file:
                    file.write(reproducer(program, found))
            else:
                os.remove(path)
        except Skip as e:
            row["skip"] = str(e)[:300]
            os.remove(path)
        jax.clear_caches()
        return row

    workers.serve(row_of)


def found_of(row, died):
    """{way: what is wrong} of a worker's answer."""
    return {**(row or {}).get("found", {}), **{f"XLA {way}" if by_xla else way: said for way, (said, by_xla) in died.items()}}


def run(first, count, shrink=True, ways=(), directory=None):
    """Runs them; a line for each failure and its reproducer. Returns the exit status."""
    directory = directory or os.path.join(oracle.ROOT, "build", "outside")
    os.makedirs(directory, exist_ok=True)
    passed, failed, skipped, loose, worst, by_xla, by_name = 0, 0, 0, 0, 0.0, 0, 0
    asked = workers.Workers(directory, LIMIT_SECONDS, "random", directory, "shrink" if shrink else "")
    for seed in range(first, first + count):
        if seed > first and (seed - first) % 50 == 0:
            print(f"{seed - first} of {count}: {passed} passed, {failed} failed", file=sys.stderr, flush=True)
        row, died = asked.answer(str(seed), [w for w in oracle.ways() if ways and w not in ways])
        found, row = found_of(row, died), row or {}
        if "skip" in row:
            skipped += 1
            print(f"seed {seed}: no answer from JAX: {row['skip'][:150]}".replace("\n", " "), flush=True)
            continue
        for way, wrong in found.items():
            print(f"seed {seed} {way}: {wrong[:400]}".replace("\n", " "), flush=True)
        by_xla += any("XLA" in way for way in found)
        reason = known.named(seed, [way for way in found if "XLA" not in way])
        if reason:
            by_name += 1
            print(f"seed {seed} is a known finding: {reason}", flush=True)
        elif any("XLA" not in way for way in found):
            failed += 1
            path = os.path.join(directory, f"{seed}.py")
            if not os.path.exists(path):  # the worker died, and the next had nothing to say
                with open(path, "w") as file:
                    file.write(reproducer(generate(seed), found))
            with open(path) as file:
                print("    " + file.read()[:3000].replace("\n", "\n    "), flush=True)
        else:
            passed += 1
            loose, worst = loose + bool(row.get("loose")), max(worst, row.get("share", 0.0))
    asked.close()
    print(f"farthest: {worst:.2f} of the bound; {loose} programs with elements that JAX itself does not determine; {skipped} that JAX does not run; "
          f"{by_xla} that plain jax.jit computes wrongly under the same shardings")
    print(f"{passed} passed, {failed} failed, {by_name} known")
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
    failed = any("XLA" not in way for way in found)
    print(f"{0 if failed else 1} passed, {1 if failed else 0} failed")
    return 1 if failed else 0
