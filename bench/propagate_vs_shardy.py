#!/usr/bin/env python3
"""propagate_vs_shardy.py [LAYERS…]: our propagation beside Shardy's on the same GPT training steps.

Modules come from tools/gen, annotated as in GSPMD's table 1; Shardy is the one in jaxlib, whose MLIR bindings
run its passes. Neither side counts reading text. Shardy's propagation pass alone (sdy-user-priority-propagate)
stands beside ours with all it takes: building the graph, reading the annotations, running, and writing the
shardings into the program. sdy-propagation-pipeline, which also prepares and cleans up, is shown too. CPU time of
one thread, best of several. Exits 1 unless ours is at least 20 times faster than the pass alone on the largest
module; says so in one line and exits 0 where JAX is not installed (PYTHON=… chooses another interpreter).
"""
import json
import os
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TARGET = 20
PASSES = ["sdy-user-priority-propagate", "sdy-propagation-pipeline"]

if os.environ.get("PYTHON") and os.environ.get("PROPAGATE_VS_SHARDY") != "1":
    os.environ["PROPAGATE_VS_SHARDY"] = "1"
    os.execvp(os.environ["PYTHON"], [os.environ["PYTHON"], __file__, *sys.argv[1:]])
try:
    from jax._src.interpreters import mlir
    from jaxlib import version
    from jaxlib.mlir import ir, passmanager
except ImportError as missing:
    print(f"propagate_vs_shardy: skipped, JAX is not installed ({missing}): pip install jax")
    sys.exit(0)


def shardy_seconds(text, name):
    """CPU seconds of one pass on a freshly read module."""
    with mlir.make_ir_context() as context:
        context.enable_multithreading(False)
        module = ir.Module.parse(text)
        manager = passmanager.PassManager.parse(f"builtin.module({name})")
        manager.enable_verifier(False)
        start = time.process_time()
        manager.run(module.operation)
        return time.process_time() - start


def main():
    os.chdir(ROOT)
    os.makedirs("build/bench", exist_ok=True)
    ratio = 0
    print(f"Shardy of jaxlib {version.__version__}")
    for layers in [int(argument) for argument in sys.argv[1:]] or [12, 24, 48, 96]:
        path = f"build/bench/gpt-{layers}.mlir"
        with open(path, "w") as out:
            subprocess.run(["build/tools/gen", "--model", "gpt", "--adamw", "--layers", str(layers),
                            "--gspmd", "x=2,y=4"], stdout=out, check=True)
        ours = json.loads(subprocess.run(["build/bench/propagate", path], stdout=subprocess.PIPE, check=True).stdout)
        seconds = ours["graph"] + ours["annotations"] + ours["run"] + ours["write"]
        with open(path) as file:
            text = file.read()
        best = [min(shardy_seconds(text, name) for _ in range(3)) for name in PASSES]
        ratio = best[0] / seconds
        print(f"{layers:3} layers, {ours['ops']:6} ops: ours {seconds:.4f} s ({ours['write']:.4f} writing); Shardy's pass {best[0]:.3f} s, "
              f"{ratio:.1f} times; its pipeline {best[1]:.3f} s, {best[1] / seconds:.1f} times")
    print(f"{ratio:.1f} times as fast as Shardy's propagation (target {TARGET})")
    return 0 if ratio >= TARGET else 1


sys.exit(main())
