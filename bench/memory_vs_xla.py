#!/usr/bin/env python3
"""memory_vs_xla.py [FILE…]: simulated peak memory beside XLA's buffer assignment (jaxlib, CPU) of the same program on one device.

Programs: training steps of tools/gen, and the zoo of tests/models if tools/compare-programs has traced it. XLA's figure is arguments + results
+ temporaries - aliased. Exits 1 unless the median ratio is within 15 % of 1; says so in one line and exits 0 where JAX is not installed
(PYTHON=… chooses another interpreter).
"""
import glob
import json
import os
import statistics
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
if os.environ.get("PYTHON") and os.environ.get("MEMORY_VS_XLA") != "1":
    os.environ["MEMORY_VS_XLA"] = "1"
    os.execvp(os.environ["PYTHON"], [os.environ["PYTHON"], __file__, *sys.argv[1:]])
os.environ["JAX_PLATFORMS"] = "cpu"
try:
    from jax._src import xla_bridge
    from jaxlib import xla_client
except ImportError as missing:
    print(f"memory_vs_xla: skipped, JAX is not installed ({missing}): pip install jax")
    sys.exit(0)
GPT = "--model gpt --layers 4 --width 256 --heads 4 --batch 8 --seq 256 --vocab 2048"


def programs():
    if sys.argv[1:]:
        yield from sys.argv[1:]
        return
    for name, options in (("gpt", GPT), ("gpt-loop", GPT + " --loop")):
        path = f"build/bench/{name}.mlir"
        with open(path, "w") as out:
            subprocess.run(["build/tools/gen", *options.split()], stdout=out, check=True)
        yield path
    yield from sorted(glob.glob("build/compare/zoo/*-float32*.mlir"))


def main():
    os.chdir(ROOT)
    os.makedirs("build/bench", exist_ok=True)
    backend, ratios = xla_bridge.get_backend("cpu"), []
    for path in programs():
        with open(path) as file:
            text = file.read()
        devices = xla_client.DeviceList(tuple(backend.devices()[:1]))
        stats = backend.compile_and_load(text, devices, xla_client.CompileOptions()).get_compiled_memory_stats()
        xla = stats.argument_size_in_bytes + stats.output_size_in_bytes + stats.temp_size_in_bytes - stats.alias_size_in_bytes
        ours = json.loads(subprocess.check_output(["build/tessera", "simulate", path, "--local", "--json"]))["peak_bytes"]
        ratios.append(ours / xla)
        print(f"{os.path.basename(path):44} XLA {xla / 1e6:9.2f} MB  simulated {ours / 1e6:9.2f} MB  ratio {ours / xla:.2f}", flush=True)
    middle = statistics.median(ratios)
    print(f"{len(ratios)} programs: median ratio {middle:.2f}, {sum(abs(r - 1) <= 0.2 for r in ratios)} within 20 %, from {min(ratios):.2f} to "
          f"{max(ratios):.2f}")
    return not 0.85 <= middle <= 1.15


sys.exit(main())
