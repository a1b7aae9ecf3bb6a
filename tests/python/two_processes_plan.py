"""two_processes_plan.py PORT NUMBER: one of two JAX processes with four CPU devices each, which share a plan; test_plan starts both."""

import importlib
import sys

import jax

jax.distributed.initialize(f"127.0.0.1:{sys.argv[1]}", 2, int(sys.argv[2]))

import jax.numpy as jnp
import numpy as np
import tessera
from jax.experimental import multihost_utils

NUMBER = int(sys.argv[2])
searched = []
request = importlib.import_module("tessera.plan").Request
search = request._search
request._search = lambda self: searched.append(self) or search(self)


def step(params, x):
    loss = lambda p: jnp.mean((jnp.tanh(x @ p["w1"]) @ p["w2"] - x) ** 2)
    value, grads = jax.value_and_grad(loss)(params)
    return value, jax.tree.map(lambda p, g: p - 0.1 * g, params, grads)


def draw(seed, *shape):
    return np.random.default_rng(seed).normal(size=shape).astype("f") / 8


def refused(kind, words, call):
    try:
        call()
    except kind as error:
        assert words in str(error), error
    else:
        raise AssertionError(f"no {kind.__name__}")


params, x = {"w1": draw(1, 64, 128), "w2": draw(2, 128, 64)}, draw(0, 256, 64)
fn = tessera.autoshard(step, devices=8)
given, expected, before = params, jax.jit(step)(params, x), None
for _ in range(3):
    loss, given = fn(given, x)
    np.testing.assert_allclose(np.asarray(loss), np.asarray(expected[0]), rtol=1e-5)
    assert before in (None, [leaf.sharding for leaf in given.values()])
    before = [leaf.sharding for leaf in given.values()]
    now = jax.tree.map(lambda w: multihost_utils.process_allgather(w, tiled=True), given)
    jax.tree.map(lambda a, b: np.testing.assert_allclose(a, np.asarray(b), rtol=1e-5, atol=1e-6), now, expected[1])
    expected = jax.jit(step)(jax.device_get(expected[1]), x)
assert len(searched) == (NUMBER == 0), searched  # process 0, once
made = fn.plan(params, x)
assert made.mesh and made.partition().devices == 8

# Another program in each process, an error of process 0, a time limit.
other = tessera.autoshard(lambda x: x * (NUMBER + 2), devices=8)
refused(tessera.FailedPrecondition, "process 1 of 2 plans another program", lambda: other(x))
small = tessera.autoshard(step, machine="h100:8", memory=1000)
refused(tessera.ResourceExhausted, "every plan needs at least", lambda: small(params, x))
limited = tessera.autoshard(step, devices=8, time_limit=1)
refused(tessera.InvalidArgument, "time_limit", lambda: limited(params, x))
print("agrees")
