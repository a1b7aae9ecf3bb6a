"""two_processes.py PORT NUMBER: one of two JAX processes with four CPU devices each; test_back_local starts both."""

import sys

import jax

jax.distributed.initialize(f"127.0.0.1:{sys.argv[1]}", 2, int(sys.argv[2]))

import jax.numpy as jnp
import numpy as np
import tessera
from jax.experimental import multihost_utils
from jax.sharding import Mesh, PartitionSpec as P


def step(params, x):
    loss = lambda p: jnp.mean((jnp.tanh(x @ p["w1"]) @ p["w2"] - x) ** 2)
    value, grads = jax.value_and_grad(loss)(params)
    return value, jax.tree.map(lambda p, g: p - 0.1 * g, params, grads)


def draw(seed, *shape):
    return np.random.default_rng(seed).normal(size=shape).astype("f") / 4


params, x = {"w1": draw(1, 16, 32), "w2": draw(2, 32, 16)}, draw(0, 8, 16)
mesh = Mesh(np.array(jax.devices()).reshape(2, 4), ("data", "model"))
fn = tessera.autoshard(step, mesh=mesh, shard={"x": P("data"), "params.w1": P(None, "model")}, exact="local")
expected = jax.jit(step)(params, x)
results, given = (None, params), x
for _ in range(2):
    results = fn(results[1], given)
    params_now = jax.tree.map(lambda w: multihost_utils.process_allgather(w, tiled=True), results[1])
    np.testing.assert_allclose(np.asarray(results[0]), np.asarray(expected[0]), rtol=1e-5)
    jax.tree.map(lambda a, b: np.testing.assert_allclose(a, np.asarray(b), rtol=1e-5, atol=1e-6), params_now, expected[1])
    expected = jax.jit(step)(jax.device_get(expected[1]), x)
assert len(jax.devices()) == 8 and len(jax.local_devices()) == 4
print("agrees")
