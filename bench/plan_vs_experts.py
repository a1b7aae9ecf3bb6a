#!/usr/bin/env python3
"""plan_vs_experts.py [--machine M]… [--verify] [--args=--no-greedy] [TEXT]: plans without hints against the experts' annotations.

For every program of the zoo (traced by tools/compare-programs into build/compare/zoo) whose name contains TEXT: the simulated step of the plan that
`tessera plan` finds, and that of the fastest set of annotations people wrote for the model, partitioned greedily. --verify also evaluates the
planned program on all devices and compares it with the global one. Column from: whether the plan is the solver's, or one in which the partitioner chose
all but arguments and results; --args=--no-greedy leaves the latter out. Prints a table, and one line per machine; exits 1 if a plan is slower, does not fit or
is wrong. Machines: h100:8, tpu_v5p:8x8, v100_25g:8.
"""
import argparse
import concurrent.futures
import glob
import json
import math
import os
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ZOO = f"{ROOT}/build/compare/zoo"
TESSERA = os.environ.get("TESSERA", f"{ROOT}/build/tessera")
SLOWER = 1.001  # rounding of printed numbers is no difference


def run(*words):
    return subprocess.run([TESSERA, *words], capture_output=True, text=True, check=False)


def experts(path, machine):
    """The fastest annotations: seconds and their name."""
    best = (math.inf, "")
    for mesh in glob.glob(f"{path[:-5]}.*.mesh"):
        with open(mesh, encoding="utf-8") as file:
            done = run("simulate", path, "--machine", machine, "--mesh", file.read(), "--shard-file", f"{mesh[:-5]}.shard", "--json")
        if not done.returncode:
            best = min(best, (json.loads(done.stdout)["seconds"], mesh.split(".")[-2]))
    return best


def row(path, machine, options):
    name = os.path.basename(path)[:-5]
    with tempfile.TemporaryDirectory() as scratch:
        plan, start = f"{scratch}/plan.json", time.time()
        done = run("plan", path, "--machine", machine, "--plan-out", plan, "--json", *options.args.split())
        took = time.time() - start
        if done.returncode:
            return {"name": name, "error": done.stderr.strip().split("\n")[0][:160]}
        made = json.loads(done.stdout)
        seconds, expert = experts(path, machine)
        out = {"name": name, "mesh": made["mesh"], "seconds": made["seconds"], "experts": seconds, "expert": expert, "took": took,
               "fits": made["peak_bytes"] <= made["usable_bytes"], "refused": made.get("refused_solutions", 0), "from": "partitioner" if made["annotated"] else "solver"}
        if options.verify:
            done = run("partition", path, "--plan", plan, "--machine", machine, "--verify", "-o", os.devnull)
            out["verified"] = done.returncode == 0
        return out


def show(rows, machine, verify):
    print(f"\n### {machine}\n\n| program | plan | mesh | experts | their best | experts / plan | from | search |\n|---|---|---|---|---|---|---|---|")
    bad, ratios = 0, []
    for r in rows:
        if "error" in r:
            print(f"| {r['name']} | {r['error']} | | | | | | |")
            bad += 1
            continue
        ratio = r["experts"] / r["seconds"] if r["seconds"] and math.isfinite(r["experts"]) else math.nan
        notes = "".join([", slower" if ratio * SLOWER < 1 else "", "" if r["fits"] else ", does not fit", ", refused" * bool(r["refused"]),
                         ", differs" * (verify and not r["verified"])])
        bad += bool(notes)
        if math.isfinite(ratio):
            ratios.append(ratio)
        print(f"| {r['name']} | {r['seconds'] * 1e6:.1f} us{notes} | {r['mesh']} | {r['experts'] * 1e6:.1f} us | {r['expert']} | {ratio:.3f} | {r['from']} | {r['took']:.1f} s |")
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios)) if ratios else math.nan
    slower = sum(ratio * SLOWER < 1 for ratio in ratios)
    greedy = sum(r.get("from") == "partitioner" for r in rows)
    print(f"\n{machine}: {len(ratios)} programs ({greedy} plans from the partitioner), experts / plan {mean:.3f} in the geometric mean, {slower} slower (worst {min(ratios):.3f}), {bad} marked")
    return bad


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--machine", action="append")
    parser.add_argument("--verify", action="store_true")
    parser.add_argument("--args", default="", help="further options of tessera plan, such as --no-greedy")
    parser.add_argument("text", nargs="?", default="")
    options = parser.parse_args()
    if not os.path.exists(f"{ZOO}/done"):
        sys.exit("the zoo is not traced yet: tools/compare-programs --decisions build/tessera")
    paths = [p for p in sorted(glob.glob(f"{ZOO}/*.mlir")) if options.text in os.path.basename(p)]
    bad = 0
    for machine in options.machine or ["h100:8", "tpu_v5p:8x8", "v100_25g:8"]:
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            bad += show(list(pool.map(lambda p: row(p, machine, options), paths)), machine, options.verify)
    sys.exit(bad > 0)


if __name__ == "__main__":
    main()
