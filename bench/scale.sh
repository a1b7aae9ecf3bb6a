#!/bin/bash
# scale.sh [linear|target]: generated programs of 10k, 100k and 1M ops are parsed, verified and printed
# (`tessera parse`); shows seconds and peak memory of each.
#   linear   exits 1 unless time and memory of 1M are at most 12 times those of 100k
#   target   exits 1 unless 1M takes < 1.5 s and < 600 MB
# The best of three runs counts: other work on the machine only ever adds time.
cd "$(dirname "$0")/.." || exit 2
mkdir -p build/bench
exec python3 - "${1:-all}" <<'PYTHON'
import os, resource, subprocess, sys, time

# Twelve ops a group, so that a program has pointwise chains, contractions, shape changes and regions.
GROUP = """\
    %{a} = stablehlo.dot_general %{x}, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
    %{b} = stablehlo.add %{a}, %{x} : tensor<8x16xf32>
    %{c} = stablehlo.tanh %{b} : tensor<8x16xf32>
    %{d} = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %{e} = stablehlo.reduce(%{c} init: %{d}) applies stablehlo.add across dimensions = [1] : (tensor<8x16xf32>, tensor<f32>) -> tensor<8xf32>
    %{f} = stablehlo.broadcast_in_dim %{e}, dims = [0] : (tensor<8xf32>) -> tensor<8x16xf32>
    %{g} = stablehlo.subtract %{c}, %{f} : tensor<8x16xf32>
    %{h} = stablehlo.transpose %{g}, dims = [1, 0] : (tensor<8x16xf32>) -> tensor<16x8xf32>
    %{i} = stablehlo.reshape %{h} : (tensor<16x8xf32>) -> tensor<8x16xf32>
    %{j} = stablehlo.multiply %{i}, %{g} : tensor<8x16xf32>
    %{k} = stablehlo.compare GT, %{j}, %{b}, FLOAT : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xi1>
    %{l} = stablehlo.select %{k}, %{j}, %{b} : tensor<8x16xi1>, tensor<8x16xf32>
"""

def generate(ops):
    path = f"build/bench/scale-{ops}.mlir"
    with open(path, "w") as out:
        out.write("module @scale {\n  func.func @main(%arg0: tensor<8x16xf32>, %arg1: tensor<16x16xf32>)"
                  " -> tensor<8x16xf32> {\n")
        last = "arg0"
        for group in range(ops // 12):
            names = {letter: group * 12 + n for n, letter in enumerate("abcdefghijkl")}
            out.write(GROUP.format(x=last, **names))
            last = names["l"]
        out.write(f"    return %{last} : tensor<8x16xf32>\n  }}\n}}\n")
    return path

def measure(path):
    best = None
    for _ in range(3):
        with open(os.devnull, "w") as sink:
            start = time.monotonic()
            process = subprocess.Popen(["build/tessera", "parse", path], stdout=sink)
            _, status, usage = os.wait4(process.pid, 0)
            seconds = time.monotonic() - start
        if status != 0:
            sys.exit(f"scale.sh: tessera parse {path} failed")
        if best is None or seconds < best[0]:
            best = seconds, usage.ru_maxrss / 1e3 * 1.024, usage.ru_utime + usage.ru_stime
    return best

what = sys.argv[1]
sizes = [1000000] if what == "target" else [10000, 100000, 1000000]
found = {}
for ops in sizes:
    found[ops] = measure(generate(ops))
    print(f"{ops:>8} ops  {found[ops][0]:7.3f} s ({found[ops][2]:.3f} s of CPU)  {found[ops][1]:7.1f} MB  "
          f"{found[ops][0] / ops * 1e9:6.0f} ns/op  {found[ops][1] / ops * 1e6:6.0f} bytes/op")
seconds, megabytes, cpu = found[1000000]
if what in ("all", "linear"):
    time_ratio, memory_ratio = seconds / found[100000][0], megabytes / found[100000][1]
    print(f"1M against 100k: {time_ratio:.1f} times the time, {memory_ratio:.1f} times the memory")
    if time_ratio > 12 or memory_ratio > 12:
        sys.exit(1)
if what in ("all", "target"):
    print(f"1M ops: {seconds:.2f} s (target 1.5; {cpu:.2f} s of CPU), {megabytes:.0f} MB (target 600)")
    if seconds >= 1.5 or megabytes >= 600:
        sys.exit(1)
PYTHON
