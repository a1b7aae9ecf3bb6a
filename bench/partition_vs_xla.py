#!/usr/bin/env python3
"""partition_vs_xla.py [LAYERS…]: our partitioner beside XLA's on the same GPT training steps.

Modules come from tools/gen, annotated as in GSPMD's table 1 and propagated by us, so that both partition the same
shardings; XLA is the one in jaxlib, asked to compile for 8 host devices. Its pass spmd-partitioning says its own
time (wall, the best of three runs; its passes run on one thread); compiling is stopped right behind it. Ours is
partition and optimize, CPU time, the best of several. Collectives are those in XLA's module behind the pass, before
what a backend may still do to them (bench/hlo.py counts; an all-reduce of which each device keeps its part counts as a
reduce-scatter), and those in ours; bytes are what leaves a device by the best known ways. Says so in one line and exits
0 where JAX is not installed (PYTHON=… chooses another interpreter).
"""
import glob
import json
import os
import re
import shutil
import subprocess
import sys

import hlo

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PYTHON = os.environ.get("PYTHON", sys.executable)
DUMP = "build/bench/xla-dump"

COMPILE = """
import sys, numpy, jax
import jax._src.compiler as compiler
from jaxlib import xla_client
options = compiler.get_compile_options(num_replicas=1, num_partitions=8, device_assignment=numpy.arange(8).reshape(1, 8))
options.executable_build_options.use_spmd_partitioning = True
devices = jax.devices()
devices[0].client.compile_and_load(open(sys.argv[1]).read(), xla_client.DeviceList(tuple(devices)), options)
"""


def xla_seconds(path):
    """Seconds of XLA's pass on the module; its result is left in DUMP."""
    shutil.rmtree(DUMP, ignore_errors=True)
    flags = f"--xla_force_host_platform_device_count=8 --xla_dump_to={DUMP} --xla_dump_hlo_pass_re=spmd-partitioning"
    child = subprocess.Popen([PYTHON, "-c", COMPILE, path], stderr=subprocess.PIPE, text=True,
                             env={**os.environ, "XLA_FLAGS": flags, "TF_CPP_MIN_LOG_LEVEL": "0",
                                  "TF_CPP_VMODULE": "hlo_pass_pipeline=1", "JAX_PLATFORMS": "cpu"})
    try:
        said = []
        for line in child.stderr:
            said.append(line)
            found = re.search(r"HLO pass: spmd-partitioning time: .*\((\d+) us\) \(cumulative", line)
            if found:
                return int(found.group(1)) * 1e-6
        raise RuntimeError("XLA did not partition it:\n" + "".join(said[-5:]))
    finally:
        child.kill()
        child.wait()


def xla_collectives():
    """How many, and bytes sent per device, in the module behind the pass."""
    files = sorted(glob.glob(f"{DUMP}/*after_spmd-partitioning*.txt")) or sorted(glob.glob(f"{DUMP}/*spmd-partitioning*.txt"))
    with open(files[-1]) as file:
        counted = hlo.count(file.read(), 8)
    return counted["runs"], counted["bytes"]


def main():
    os.chdir(ROOT)
    if subprocess.run([PYTHON, "-c", "import jax"], stderr=subprocess.DEVNULL, check=False).returncode:
        print("partition_vs_xla: skipped, JAX is not installed: pip install jax")
        return 0
    os.makedirs("build/bench", exist_ok=True)
    for layers in [int(argument) for argument in sys.argv[1:]] or [2, 12]:
        path, given = f"build/bench/gpt-{layers}.mlir", f"build/bench/gpt-{layers}-mhlo.mlir"
        with open(path, "w") as out:
            subprocess.run(["build/tools/gen", "--model", "gpt", "--adamw", "--layers", str(layers), "--gspmd",
                            "x=2,y=4"], stdout=out, check=True)
        subprocess.run(["build/tessera", "propagate", path, "--emit=mhlo", "-o", given], check=True)
        ours = json.loads(subprocess.run(["build/bench/partition", path], stdout=subprocess.PIPE, check=True).stdout)
        seconds = ours["partition"] + ours["optimize"]
        xla = min(xla_seconds(given) for _ in range(3))
        count, total = xla_collectives()
        print(f"{layers:3} layers, {ours['ops']:6} ops: ours {seconds:.4f} s, {ours['collectives']} collectives, "
              f"{ours['bytes'] / 1e6:.1f} MB; XLA's {xla:.3f} s, {count} collectives, {total / 1e6:.1f} MB: "
              f"{xla / seconds:.1f} times the time, {total / ours['bytes']:.2f} times the bytes")
    return 0


sys.exit(main())
