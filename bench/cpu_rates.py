#!/usr/bin/env python3
"""cpu_rates.py: this host as stock JAX uses it with 8 CPU devices, beside the machine description `shared_cores`.

Devices are threads of one process that share the cores, so every rate is of all devices at once, times cores / devices. Each number
is the least of ROUNDS calls, because other work on the host only adds. A call repeats the op in a loop; the difference of two numbers
of repetitions counts, so that the call itself costs nothing.

  contraction   [512,512] x [512,512] on every device, FLOP/s of a core, by type
  vector        x * a + b on arrays that fit in cache, FLOP/s of a core
  memory        the same on arrays that do not, bytes read and written per second of a core
  op            a chain of ops that XLA does not fuse, on 8 elements: seconds of an op on one device
  collectives   of 64 bytes to 4 MB on each device, over 8, 4 and 2 devices: seconds; latency and bandwidth by least squares of the
                relative error, in the form that docs/machine.md gives (steps of latency, bytes sent per device)

The description is set from these numbers, not from the steps of bench/plan_on_cpu.py.
"""
import json
import os
import sys
import time

os.environ.setdefault("JAX_PLATFORMS", "cpu")
os.environ["XLA_FLAGS"] = os.environ.get("XLA_FLAGS", "") + " --xla_force_host_platform_device_count=8"
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.append(os.path.join(ROOT, "python"))

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402
from jax import lax  # noqa: E402
from jax.sharding import Mesh, PartitionSpec as P  # noqa: E402

DEVICES, ROUNDS = 8, 15
CORES = os.cpu_count()
SIZES = [64, 4096, 65536, 262144, 1 << 20, 4 << 20]  # bytes on each device


def seconds(call, *args):
    jax.block_until_ready(call(*args))
    found = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        jax.block_until_ready(call(*args))
        found.append(time.perf_counter() - start)
    return min(found)


def on_all(body, mesh, *args):
    """body on every device, on its own copy of the arguments."""
    spec = P(mesh.axis_names)
    return jax.jit(jax.shard_map(body, mesh=mesh, in_specs=(spec,) * len(args), out_specs=spec, check_vma=False))


def stacked(mesh, shape, dtype):
    x = np.random.default_rng(0).normal(size=(DEVICES * shape[0], *shape[1:])).astype(dtype) / 32
    return jax.device_put(x, jax.sharding.NamedSharding(mesh, P(mesh.axis_names)))


def repeated(times, op):
    return lambda x: lax.fori_loop(0, times, lambda _, y: op(y), x)


def difference(make, few, many, *args):
    """Seconds of one more repetition."""
    return (seconds(make(many), *args) - seconds(make(few), *args)) / (many - few)


def compute_rates(mesh):
    rows, share = {}, DEVICES / CORES
    for dtype in ("float32", "bfloat16"):
        x = stacked(mesh, (512, 512), dtype)
        time_of = difference(lambda n: on_all(repeated(n, lambda y: (y @ y) * jnp.asarray(0.01, dtype)), mesh, x), 2, 8, x)
        rows[f"contraction {dtype}"] = 2 * 512**3 * share / time_of
    x = stacked(mesh, (1 << 12,), "float32")
    time_of = difference(lambda n: on_all(repeated(n, lambda y: y * 1.01 + 0.5), mesh, x), 100, 1100, x)
    rows["vector"] = 2 * (1 << 12) * share / time_of
    x = stacked(mesh, (1 << 22,), "float32")
    time_of = difference(lambda n: on_all(repeated(n, lambda y: y * 1.01 + 0.5), mesh, x), 1, 5, x)
    rows["memory"] = 2 * 4 * (1 << 22) * share / time_of
    x = stacked(mesh, (8,), "float32")
    chain = lambda n: on_all(lambda y: lax.fori_loop(0, 50, lambda _, z: chained(z, n), y), mesh, x)
    rows["op"] = difference(chain, 2, 42, x) / 50
    return rows


def chained(y, n):
    """n ops, none of which XLA fuses with the next."""
    for _ in range(n):
        y = lax.optimization_barrier(lax.rev(y, (0,)) * 1.5)
        y = lax.sort(y)
    return y


def collectives():
    return {
        "all_reduce": (lambda y: lax.psum(y, "g") * 0.125, lambda n, size: (2 * (n - 1), 2 * (n - 1) / n * size)),
        "all_gather": (lambda y: lax.all_gather(y, "g", tiled=True)[: y.shape[0]] * 1.5, lambda n, size: (n - 1, (n - 1) * size)),
        "reduce_scatter": (lambda y: jnp.tile(lax.psum_scatter(y, "g", tiled=True), lax.axis_size("g")),
                           lambda n, size: (n - 1, (n - 1) / n * size)),
        "all_to_all": (lambda y: lax.all_to_all(y, "g", 0, 0, tiled=True), lambda n, size: (1, (n - 1) / n * size)),
        "permute": (lambda y: lax.ppermute(y, "g", [(i, (i + 1) % lax.axis_size("g")) for i in range(lax.axis_size("g"))]),
                    lambda n, size: (1, size)),
    }


def collective_rows():
    rows = []
    for n in (8, 4, 2):
        mesh = Mesh(np.array(jax.devices()).reshape(DEVICES // n, n), ("o", "g"))
        for kind, (op, sent) in collectives().items():
            for size in SIZES:
                x = stacked(mesh, (size // 4,), "float32")
                times = 40 if size < 1 << 20 else 8
                time_of = difference(lambda k, op=op: on_all(repeated(k, op), mesh, x), 2, 2 + times, x)
                rows.append({"kind": kind, "devices": n, "size": size, "bytes": sent(n, size)[1], "seconds": time_of})
                print(f"{kind:15} {n} devices {size:9} bytes each {time_of * 1e6:10.1f} us", flush=True)
    return rows


def main():
    mesh = Mesh(np.array(jax.devices()), ("g",))
    found = {"cores": CORES, "compute": compute_rates(mesh)}
    for name, value in found["compute"].items():
        print(f"{name:22} {value:.4g}", flush=True)
    found["collectives"] = collective_rows()
    os.makedirs(os.path.join(ROOT, "build", "bench"), exist_ok=True)
    with open(os.path.join(ROOT, "build", "bench", "cpu_rates.json"), "w") as file:
        json.dump(found, file, indent=1)


if __name__ == "__main__":
    main()
