#!/usr/bin/env python3
"""near_optimum.py [--plans N] [--climbs N] [--write] [NAME…]: does the problem's cost order plans near the best one as `simulate` does?

For each model, bench/near_optimum solves, simulates and prices again three times, as the planner does. Then it takes N plans (200) that cost at most 1.3
times the best: single flips and runners-up, in a random order of a fixed seed. Each is partitioned, optimized and simulated. The cost is that after
the last repricing, plus a constant with which the best plan's cost is its simulated step. Printed per model:

- tau: Kendall's tau of cost and simulated step, over pairs of plans that differ by more than 1 % in both (as src/plan/model_test.c counts); all:
  Kendall's tau-b over all pairs;
- error: median of |cost / step - 1|;
- regret: by how much the fastest of these plans, and of N (200) random steps of hill climbing on the simulated step, is faster than the answer of
  `tessera plan`.

Exits 1 if a tau over all pairs is below 0.8, an error above 10 % or a regret above 2 %. --write writes docs/bench-near-optimum.md.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
os.chdir(ROOT)
saved, sys.argv = sys.argv, sys.argv[:1]
import recovery  # noqa: E402

sys.argv = saved

# Name: words, program, machine, mesh.
MODELS = {
    "gpt": ("GPT, 12 layers, width 8192, batch 1", lambda: recovery.generate(recovery.GPT_FEW_TOKENS), "h100:8", "x=8"),
    "moe": ("MoE, 4 layers, width 4096, 8 experts", lambda: recovery.generate(recovery.MOE_HYBRID), "tpu_v3:4x8", "x=8,y=4"),
    "wide": ("wide dense, 4 layers, batch 64", lambda: recovery.generate(recovery.WIDE + " --batch 64"), "tpu_v3:16x8", "x=8,y=16"),
    "unet": ("3-D U-Net, 128^3, batch 1", lambda: recovery.generate(recovery.UNET + " --batch 1"), "tpu_v3:4x4", "x=4,y=4"),
    "graph": ("graph network, 1048576 edges", lambda: recovery.trace("graph", **recovery.GRAPH), "h100:8", "x=8"),
}


def sign(x, least):
    return 0 if abs(x) <= least else 1 if x > 0 else -1


def tau_b(pairs):
    n, agree, ties_x, ties_y = 0, 0, 0, 0
    for i, (x, y) in enumerate(pairs):
        for u, v in pairs[:i]:
            a, b = sign(x - u, 0), sign(y - v, 0)
            n, agree, ties_x, ties_y = n + 1, agree + a * b, ties_x + (not a), ties_y + (not b)
    rest = (n - ties_x) * (n - ties_y)
    return agree / rest**0.5 if rest else float("nan")


def tau_apart(pairs, least):
    n, agree = 0, 0
    for i, (x, y) in enumerate(pairs):
        for u, v in pairs[:i]:
            both = sign(x - u, least * x) * sign(y - v, least * y)
            n, agree = n + abs(both), agree + both
    return agree / n if n else float("nan")


def measure(name, plans, climbs):
    words, program, machine, mesh = MODELS[name]
    path = program()
    if not path:
        return None
    out = subprocess.run(["build/bench/near_optimum", path, machine, mesh, str(plans), str(climbs)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=True).stdout
    rows = [json.loads(line) for line in out.splitlines()]
    answer = next(r["answer"] for r in rows if "answer" in r)
    near = [(r["cost"], r["seconds"]) for r in rows if "plan" in r]
    fastest = min([y for _, y in near] + [r["climbed"] for r in rows if "climbed" in r])
    return dict(words=words, where=f"{machine}, {mesh}", n=len(near), answer=answer, tau=tau_apart(near, 0.01), all=tau_b(near),
                error=statistics.median(abs(x / y - 1) for x, y in near), regret=answer / fastest - 1)


def line(r):
    return f"| {r['words']} | {r['where']} | {r['answer'] * 1e3:.4g} ms | {r['n']} | {r['tau']:.2f} | {r['all']:.2f} | {100 * r['error']:.1f} % | {100 * max(0, r['regret']):.1f} % |"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--plans", type=int, default=200)
    parser.add_argument("--climbs", type=int, default=200)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    os.makedirs(recovery.WORK, exist_ok=True)
    head = "| model | machine, mesh | answer | plans | tau | all | error | regret |\n|---|---|---|---|---|---|---|---|"
    print(head)
    results, lines = [], []
    for name in options.names or MODELS:
        found = measure(name, options.plans, options.climbs)
        if found:
            results.append(found)
            lines.append(line(found))
            print(lines[-1], flush=True)
    if options.write:
        with open("docs/bench-near-optimum.md", "w", encoding="utf-8") as out:
            about = __doc__.split("\n\n", 1)[1].rsplit("\n\nExits", 1)[0]
            print(f"# The problem's cost near the optimum\n\n`bench/near_optimum.py`, {options.plans} plans, {options.climbs} steps of hill climbing.\n\n{about}\n\n{head}", *lines, sep="\n", file=out)
    bad = [r for r in results if not (r["all"] >= 0.8 and r["error"] <= 0.1 and r["regret"] <= 0.02)]
    print(f"{len(results)} models, {len(bad)} miss: tau over all pairs at least 0.8, error at most 10 %, regret at most 2 %")
    sys.exit(bool(bad))


if __name__ == "__main__":
    main()
