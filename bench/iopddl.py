#!/usr/bin/env python3
"""iopddl.py [--corpus DIR] [--tessera PROGRAM] [--args ARGS] [INSTANCE…]: solves the IOPDDL contest's instances, writes docs/bench-iopddl.md.

Every cost and peak memory is computed again here, from the problem file and the solution file, without any code of the solver.
With instances given, only those are run and the table goes to standard output.
"""
import argparse
import gzip
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

# Instance: model and mesh, the contest's limit in seconds, the least cost of all 20 teams (misc/iopddl_final_results.csv of the contest).
KNOWN = {
    "A": ("GNS 4x8", 60, 6548641531),
    "B": ("ITX 4x8", 60, 532843),
    "D": ("Gemma1-7B 8x8", 60, 313613524736),
    "G": ("ITX 2x16", 120, 217039),
    "K": ("GNS 2x16", 180, 2274276676),
    "L": ("U-Net 4x8", 180, 1970993742),
    "M": ("Gemma1-2B 8x8", 180, 49928460991),
    "N": ("Gemma1-7B 8x8", 180, 202739586553),
    "P": ("Gemma1-27B 8x16", 240, 662197407330),
    "S": ("U-Net 2x16", 240, 1534613444),
}
FORBIDDEN = 10**18


def evaluate(problem, choice):
    """Cost, peak bytes, number of forbidden entries: the problem's definition."""
    nodes, edges = problem["nodes"], problem["edges"]
    parts = [costs[p] for costs, p in zip(nodes["costs"], choice, strict=True)]
    for (a, b), costs in zip(edges["nodes"], edges["costs"], strict=True):
        parts.append(costs[choice[a] * len(nodes["costs"][b]) + choice[b]])
    changes = {}
    for (begin, end), usages, p in zip(nodes["intervals"], nodes["usages"], choice, strict=True):
        if begin < end:
            changes[begin] = changes.get(begin, 0) + usages[p]
            changes[end] = changes.get(end, 0) - usages[p]
    used = peak = 0
    for time in sorted(changes):
        used += changes[time]
        peak = max(peak, used)
    return sum(parts), peak, sum(part >= FORBIDDEN for part in parts)


def run(program, path, extra):
    """The solver's JSON object, checked against the files."""
    with tempfile.TemporaryDirectory() as work:
        solution = os.path.join(work, "solution.json")
        command = [program, "solve", path, "--json", "-o", solution, *extra]
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        result = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        answer = json.loads(result.stdout)
        answer["cpu"] = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        if answer["cost"] is None:
            return answer
        with open(solution) as file:
            choice = json.load(file)
    with (gzip.open if path.endswith(".gz") else open)(path, "rt") as file:
        problem = json.load(file)["problem"]
    cost, peak, forbidden = evaluate(problem, choice)
    if cost != answer["cost"] or peak > problem["usage_limit"] or forbidden:
        sys.exit(f"{path}: the solution costs {cost}, peak {peak} of {problem['usage_limit']}, {forbidden} forbidden; "
                 f"the solver said {answer['cost']}")
    return answer


def gap(answer):
    if answer["cost"] is None or answer["bound"] is None or answer["bound"] <= 0:
        return float("inf")
    return answer["cost"] / answer["bound"] - 1


def ratio(name, answer):
    return KNOWN[name][2] / answer["cost"] if answer["cost"] is not None else 0


def row(name, answer, fast):
    model, limit, best = KNOWN[name]
    cost = answer["cost"] if answer["cost"] is not None else "none found"
    return (f"| {name} | {model} | {answer['nodes']} | {answer['edges']} | {answer['reduced_nodes']} | {limit} | {best} "
            f"| {cost} | {ratio(name, answer):.5f} | {answer['bound']} | {100 * gap(answer):.3f} % "
            f"| {answer['seconds']:.1f} | {answer['cpu']:.1f} "
            f"| {ratio(name, fast):.5f} | {100 * gap(fast):.3f} % | {fast['read_seconds']:.2f} | {fast['solve_seconds']:.2f} |")


HEAD = """| | model, mesh | nodes | edges | nodes after reduction | limit (s) | best known cost | our cost | best known / ours | lower bound | certified gap | seconds | CPU seconds | `-O1`: best known / ours | gap | seconds reading | seconds solving |
|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|
"""

INTRO = """# The solver on the IOPDDL contest's instances

Written by `bench/iopddl.py`, which runs `tessera solve` on every instance of `../shared/corpora/iopddl` and computes each cost and
peak memory again from the files. The best known cost is the least of the contest's 20 teams. The contest's score is the sum of
best known / ours. The lower bound holds for every plan within the memory limit; the certified gap is our cost over it, less 1.
The budget is `-O2`, in the last four columns `-O1`. Budgets count work: costs and bounds are the same on every machine and for every
number of threads, seconds are not. Seconds include reading the file and use all cores; the CPU seconds are those of all threads.

"""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--corpus", default=os.path.join(ROOT, "../shared/corpora/iopddl"))
    parser.add_argument("--tessera", default=os.path.join(ROOT, "build/tessera"), help="the program (default: build/tessera)")
    parser.add_argument("--args", default="", help="further options of tessera solve")
    parser.add_argument("instances", nargs="*", metavar="INSTANCE")
    options = parser.parse_args()
    rows, ratios, gaps, late, fast_ratios = [], [], [], [], []
    for name in options.instances or sorted(KNOWN):
        path = os.path.join(options.corpus, name + ".json.gz")
        fast = run(options.tessera, path, ["-O1", *options.args.split()])
        answer = run(options.tessera, path, options.args.split())
        rows.append(row(name, answer, fast))
        print(rows[-1], file=sys.stderr, flush=True)
        ratios.append(ratio(name, answer))
        fast_ratios.append(ratio(name, fast))
        gaps.append(gap(answer))
        if answer["seconds"] > KNOWN[name][1]:
            late.append(name)
    text = HEAD + "\n".join(rows) + "\n\n"
    text += f"Sum of best known / ours: {sum(ratios):.4f} of {len(ratios)}. Feasible: {sum(r > 0 for r in ratios)} of {len(ratios)}. "
    text += f"Median certified gap: {100 * statistics.median(gaps):.3f} %. "
    text += f"Over the contest's time limit: {', '.join(late) or 'none'}. "
    text += f"Sum at `-O1`: {sum(fast_ratios):.4f}.\n"
    kept = sum(ratios) >= 0.995 * len(ratios) and statistics.median(gaps) <= 0.02 and not late
    if options.instances:
        print(text, end="")
        sys.exit(0 if kept else 1)
    with open(os.path.join(ROOT, "docs/bench-iopddl.md"), "w") as file:
        file.write(INTRO + text)
    print(text.splitlines()[-1])
    sys.exit(0 if kept else 1)


if __name__ == "__main__":
    main()
