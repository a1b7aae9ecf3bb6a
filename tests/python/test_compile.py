"""tessera.compile: the compiled engine from Python."""

import concurrent.futures
import os
import signal
import threading

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import tessera
from tessera import P


def mlp(params, x):
    for w, b in params:
        x = jnp.tanh(x @ w + b)
    return {"out": x, "norm": jnp.sqrt((x * x).sum(axis=-1))}


def arguments(seed=0):
    rng = np.random.default_rng(seed)
    sizes = [16, 32, 8]
    params = [(rng.standard_normal((a, b), "f") / 4, rng.standard_normal(b, "f"))
              for a, b in zip(sizes, sizes[1:])]
    return params, rng.standard_normal((24, 16), "f")


def test_many_calls():
    f = tessera.compile(mlp, *arguments())
    assert f.compiled and f.devices == 1
    for seed in range(5):
        args = arguments(seed)
        got, want = f(*args), jax.jit(mlp)(*args)
        assert got.keys() == want.keys()
        for key in want:
            np.testing.assert_allclose(got[key], want[key], rtol=2e-5, atol=2e-6)


def test_shape_structs():
    shapes = jax.tree.map(lambda x: jax.ShapeDtypeStruct(x.shape, x.dtype), arguments())
    f = tessera.compile(mlp, *shapes)
    np.testing.assert_allclose(f(*arguments())["norm"], jax.jit(mlp)(*arguments())["norm"],
                               rtol=2e-5)


@pytest.mark.parametrize("mesh, shard", [("data=4", {"x": P("data")}),
                                         ("data=2,model=2", {"x": P("data"), "params.0.0": P(None, "model")}),
                                         ("data=5", {"x": P("data")})])
def test_devices(mesh, shard):
    f = tessera.compile(mlp, *arguments(), mesh=mesh, shard=shard)
    assert f.compiled and f.devices == tessera.partition(mlp, *arguments(), mesh=mesh, shard=shard).devices
    want = jax.jit(mlp)(*arguments(3))
    for workers in (1, 2, 3):
        f = tessera.compile(mlp, *arguments(), mesh=mesh, shard=shard, workers=workers)
        got = f(*arguments(3))
        np.testing.assert_allclose(got["out"], want["out"], rtol=2e-5, atol=2e-6)
        if workers == 1:
            first = got
        np.testing.assert_array_equal(first["out"], got["out"])


def test_partitioned():
    made = tessera.partition(mlp, *arguments(), mesh="data=4", shard={"x": P("data")})
    got = tessera.compile(made)(*arguments(1))
    np.testing.assert_allclose(got["out"], jax.jit(mlp)(*arguments(1))["out"], rtol=2e-5, atol=2e-6)


def test_loops_and_keys():
    def step(key, x):
        def body(x, _):
            x = jnp.sin(x) + 1
            return x, x.sum()
        x, sums = jax.lax.scan(body, x, None, length=10)
        return x + jax.random.normal(key, x.shape), sums

    args = jax.random.key(3), jnp.arange(8.0)
    got, want = tessera.compile(step, *args)(*args), jax.jit(step)(*args)
    for a, b in zip(got, want):
        np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)


def test_not_compiled():
    def f(x):
        return jax.pure_callback(lambda v: np.asarray(v) * 2, jax.ShapeDtypeStruct(x.shape, x.dtype), x)

    g = tessera.compile(f, np.ones(3, "f"))
    assert not g.compiled and "evaluated, not compiled" in repr(g)
    np.testing.assert_array_equal(g(np.ones(3, "f")), np.full(3, 2, "f"))


def test_messages():
    with pytest.raises(tessera.ResourceExhausted, match="a device needs"):
        tessera.compile(mlp, *arguments(), device_memory=100)
    with pytest.raises(tessera.InvalidArgument, match="workers"):
        tessera.compile(mlp, *arguments(), workers=0)
    f = tessera.compile(mlp, *arguments())
    with pytest.raises(tessera.InvalidArgument, match="has shape"):
        f(arguments()[0], np.ones((3, 16), "f"))


def test_stats():
    f = tessera.compile(mlp, *arguments())
    stats = f.stats()
    assert stats["compiled"] and stats["argument_bytes"] == sum(
        leaf.nbytes for leaf in jax.tree.leaves(arguments()))
    assert "instructions" in repr(f)


@pytest.mark.parametrize("scalar", [2.0, np.float32(2), np.array(2, "f"), jnp.float32(2)])
def test_scalars(scalar):
    f = tessera.compile(lambda x, s: x * s, np.ones(3, "f"), scalar)
    np.testing.assert_array_equal(f(np.arange(3, dtype="f"), scalar), [0, 2, 4])


def test_interrupt():
    """Ctrl-C ends a loop that never ends by itself, and the executable can be used again."""
    def loop(x):
        return jax.lax.while_loop(lambda c: c[0] != 1, lambda c: (c[0] + 2, c[1] + 1), (x, jnp.float32(0)))

    f = tessera.compile(loop, np.int32(0))
    timer = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        f(np.int32(0))
    assert int(f(np.int32(1))[0]) == 1


def test_plan():
    plan = tessera.plan(mlp, *arguments(), machine="h100:4")
    f = tessera.compile(plan)
    assert f.devices == 4
    np.testing.assert_allclose(f(*arguments(1))["norm"], jax.jit(mlp)(*arguments(1))["norm"], rtol=2e-5)


def test_short_calls_give_the_same_results():
    def f(x, y):
        return jnp.tanh(x) + y, (x * y).sum()
    x, y = np.arange(6, dtype="f").reshape(2, 3), np.ones((2, 3), "f")
    g = tessera.compile(f, x, y)
    want = [np.asarray(r) for r in g(x, y)]  # the first call is interruptible, and measures the time
    assert g._quick is not None
    g._meter.soon = True  # also on a machine that is busy
    both = np.stack([x, y], axis=-1)
    for args in [(x, y), (jnp.asarray(x), y), (both[..., 0], y), (x.astype(">f4"), y), (x.copy(order="F"), y)]:
        for _ in range(3):
            got = g(*args)
            assert isinstance(got, tuple)
            for a, b in zip(got, want):
                np.testing.assert_array_equal(a, b)
    assert g(x, y)[0] is not g(x, y)[0]
    with pytest.raises(tessera.errors.InvalidArgument):
        g(x.astype("i"), y)
    with pytest.raises(tessera.errors.InvalidArgument):
        g(x[:1], y)
    np.testing.assert_array_equal(g(x, y)[0], want[0])


def test_short_calls_in_threads():
    g = tessera.compile(lambda x: x * 2 + 1, np.zeros(8, "f"))
    g._meter.soon = True

    def work(k):
        x = np.full(8, k, "f")
        return all((g(x) == 2 * k + 1).all() for _ in range(200))
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        assert all(pool.map(work, range(8)))


def test_loops_stay_interruptible():
    g = tessera.compile(lambda x: jax.lax.while_loop(lambda s: s.sum() < 1e6, lambda s: s * 2 + 1, x), np.zeros(8, "f"))
    g(np.zeros(8, "f"))
    assert g.stats()["loops"] == 1 and not g._meter.soon


def test_frozen():
    def f(params, x):
        return jnp.tanh(x @ params["w"]) @ params["v"]
    rng = np.random.default_rng(0)
    params = {"w": rng.standard_normal((64, 96), np.float32), "v": rng.standard_normal((96, 48), np.float32)}
    x = rng.standard_normal((300, 64), np.float32)
    plain = tessera.compile(f, params, x)
    for frozen in (["params*"], [0, 1], True):
        kept = tessera.compile(f, params, x, frozen=frozen)
        for i in range(3):
            y = x if frozen is True else x + i  # True: the input is frozen too
            np.testing.assert_allclose(kept(params, y), plain(params, y), rtol=1e-5, atol=1e-4)
    with pytest.raises(tessera.InvalidArgument, match="matches no argument"):
        tessera.compile(f, params, x, frozen=["weights"])
