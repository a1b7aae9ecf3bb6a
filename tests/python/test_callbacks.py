"""Programs that call back into Python, on one device and on several: once each, in order, with the global value;
and scatter's rule, which is JAX's for what was exported."""

import functools
import threading

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax
from jax.experimental import io_callback
from jax.sharding import AbstractMesh, PartitionSpec as P

import tessera

X = np.arange(8, dtype="f")
SHARDED = {"mesh": "a=4", "shard": {"x": P("a")}}
HOW = pytest.mark.parametrize("hints", [{}, SHARDED, {"mesh": "a=2,b=2", "shard": {"x": P(("a", "b"))}}],
                              ids=["one", "four", "two-by-two"])


class Seen(list):
    """What callbacks were given, in order."""

    def __call__(self, name, give=lambda *args: None):
        def callback(*args):
            self.append((name, [np.asarray(a).tolist() for a in args]))
            return give(*args)
        return callback


def like(x):
    return jax.ShapeDtypeStruct(x.shape, x.dtype)


# ---- callbacks ----

@HOW
def test_pure(hints):
    seen = Seen()
    fn = lambda x: jax.pure_callback(seen("sin", np.sin), like(x), 2 * x) + 1
    np.testing.assert_allclose(tessera.run(fn, X, **hints), np.sin(2 * X) + 1, rtol=1e-6)
    assert seen == [("sin", [(2 * X).tolist()])]


@HOW
def test_once_each_and_in_order(hints):
    seen = Seen()

    def fn(x):
        first = io_callback(seen("first", lambda v: v.sum()), jax.ShapeDtypeStruct((), "f4"), x, ordered=True)
        jax.debug.callback(seen("debug"), first, ordered=True)
        io_callback(seen("nothing"), None, ordered=True)
        last = io_callback(seen("last", lambda v, w: (v + w, w)), (like(x), like(first)), x, first, ordered=True)
        return {"sum": last[0], "last": last[1]}

    out = tessera.run(fn, X, **hints)
    np.testing.assert_array_equal(out["sum"], X + 28)
    assert out["last"] == 28
    assert seen == [("first", [X.tolist()]), ("debug", [28.0]), ("nothing", []), ("last", [X.tolist(), 28.0])]


@HOW
@pytest.mark.parametrize("ordered", [False, True])
def test_in_a_loop(hints, ordered):
    seen = Seen()

    def fn(x):
        def body(i, y):
            return io_callback(seen("step", lambda i, v: v + 1), like(y), i, y, ordered=ordered)
        return lax.fori_loop(0, 3, body, x)

    np.testing.assert_array_equal(tessera.run(fn, X, **hints), X + 3)
    assert seen == [("step", [i, (X + i).tolist()]) for i in range(3)]


@HOW
def test_in_a_branch_and_a_scan(hints):
    seen = Seen()

    def fn(x):
        jax.debug.callback(seen("begin"))
        y = lax.cond(x.sum() > 0, lambda v: jax.pure_callback(seen("yes", np.cos), like(v), v),
                     lambda v: jax.pure_callback(seen("no", np.sin), like(v), v), x)

        def step(carry, row):
            io_callback(seen("row"), None, row, ordered=True)
            return carry + row.sum(), row * 2
        return lax.scan(step, y.sum(), x.reshape(4, 2))

    tessera.run(fn, X, **hints)
    assert [name for name, _ in seen] == ["begin", "yes"] + ["row"] * 4
    assert [args for name, args in seen if name == "row"] == [[row] for row in X.reshape(4, 2).tolist()]


@HOW
def test_print(hints, capfd):
    def fn(x):
        jax.debug.print("the sum is {}", x.sum())
        return x

    tessera.run(fn, X, **hints)
    assert capfd.readouterr().out == "the sum is 28.0\n"


@HOW
def test_the_exception_is_the_users(hints):
    class Mine(Exception):
        pass

    def fails(*_):
        try:
            raise KeyError("inner")
        except KeyError as inner:
            raise Mine("no") from inner

    seen = Seen()

    def fn(x):
        y = io_callback(seen("before", lambda v: v), like(x), x, ordered=True)
        y = io_callback(fails, like(x), y, ordered=True)
        return io_callback(seen("after", lambda v: v), like(x), y, ordered=True)

    with pytest.raises(Mine, match="no") as raised:
        tessera.run(fn, X, **hints)
    assert isinstance(raised.value.__cause__, KeyError) and raised.value.__context__ is raised.value.__cause__
    assert [name for name, _ in seen] == ["before"]


def test_a_wrong_result_is_told_as_in_jax():
    fn = lambda x: jax.pure_callback(lambda v: v[:2], like(x), x)
    with pytest.raises(Exception, match="(?i)shape"):
        tessera.run(fn, X)


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint16", "int32", "float16", "bfloat16", "complex64"])
def test_types(dtype):
    x = jnp.arange(6).reshape(2, 3).astype(dtype)
    fn = lambda x: jax.pure_callback(lambda v: np.asarray(v)[::-1], like(x), x)
    out = tessera.run(fn, x, mesh="a=2", shard={"x": P("a")})
    assert out.dtype == x.dtype
    np.testing.assert_array_equal(out, np.asarray(x)[::-1])


def test_empty_and_scalar():
    fn = lambda x: jax.pure_callback(lambda v: (v, np.float32(v.size)), (like(x), jax.ShapeDtypeStruct((), "f4")), x)
    empty, size = tessera.run(fn, np.zeros((0, 3), "f"))
    assert empty.shape == (0, 3) and size == 0


def test_vmapped_and_differentiated():
    @functools.partial(jax.custom_jvp)
    def sin(x):
        return jax.pure_callback(np.sin, like(x), x, vmap_method="expand_dims")

    sin.defjvp(lambda p, t: (sin(p[0]), jnp.cos(p[0]) * t[0]))
    fn = jax.vmap(jax.value_and_grad(lambda v: sin(v) * v))
    for hints in ({}, SHARDED):
        value, grad = tessera.run(lambda x: fn(x), X, **hints)
        np.testing.assert_allclose(value, np.sin(X) * X, rtol=1e-5)
        np.testing.assert_allclose(grad, np.sin(X) + np.cos(X) * X, rtol=1e-5, atol=1e-6)


def test_inside_of_shard_map_each_device_calls():
    seen = Seen()
    mesh = AbstractMesh((4,), ("a",))
    body = lambda x: jax.pure_callback(seen("part", lambda v: v * 2), like(x), x)
    fn = jax.shard_map(body, mesh=mesh, in_specs=P("a"), out_specs=P("a"), check_vma=False)
    np.testing.assert_array_equal(tessera.run(lambda x: fn(x), X), 2 * X)
    assert sorted(args[0] for _, args in seen) == X.reshape(4, 2).tolist()


def test_on_the_calling_thread_and_within_itself():
    threads = []

    def inner(v):
        threads.append(threading.get_ident())
        return tessera.run(lambda y: y * 2, np.asarray(v))

    fn = lambda x: jax.pure_callback(inner, like(x), x)
    np.testing.assert_array_equal(tessera.run(fn, X, **SHARDED), 2 * X)
    assert threads == [threading.get_ident()]

    def elsewhere():
        tessera.run(fn, X)
        threads.append(threading.get_ident())

    thread = threading.Thread(target=elsewhere)
    thread.start()
    thread.join()
    assert threads[1] == threads[2] != threads[0]


def test_a_running_program_is_not_run_again():
    fn = lambda x: jax.pure_callback(lambda v: again(v), like(x), x)
    program, made = tessera.export(fn, X), tessera.partition(fn, X, **SHARDED)
    for again in (lambda v: tessera.run(program, v), made.run):
        with pytest.raises(tessera.FailedPrecondition, match="is running: what it calls back cannot use it"):
            again(X)


def test_partitioned_runs_again():
    seen = Seen()
    made = tessera.partition(lambda x: jax.pure_callback(seen("again", np.sqrt), like(x), x), X, **SHARDED)
    for _ in range(2):
        np.testing.assert_allclose(made.run(X), np.sqrt(X))
    assert len(seen) == 2 and "computed on device 0 only" in made.why()


def test_interrupted_in_a_callback():
    def interrupts(v):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        tessera.run(lambda x: jax.pure_callback(interrupts, like(x), x), X)
    np.testing.assert_array_equal(tessera.run(lambda x: x + 1, X), X + 1)


# ---- scatter ----

def _windows(kind, at):
    numbers = lax.ScatterDimensionNumbers((1,), (), (0,))
    def fn(x, u):
        return kind(x, np.array(at, "i4")[:, None], u, numbers, mode="drop")
    return fn


SCATTERS = {"add": lax.scatter_add, "mul": lax.scatter_mul, "max": lax.scatter_max}


@pytest.mark.parametrize("kind", SCATTERS)
@pytest.mark.parametrize("mesh", [None, "a=2", "a=3", "a=8"])
def test_scatter_windows_partly_outside(kind, mesh):
    fn = _windows(SCATTERS[kind], [-2, -1, 0, 1, 3, 5, 6, 7, 8])
    u = np.arange(2, 29, dtype="f").reshape(9, 3)
    hints = {"mesh": mesh, "shard": {"x": P("a")}} if mesh else {}
    want = np.asarray(jax.jit(fn)(X, u))
    np.testing.assert_array_equal(tessera.run(fn, X, u, **hints), want)
    program = tessera.export(fn, X, u)
    assert program.scatter == "xla"
    spec, xla = (tessera.run(tessera.load(program.text, scatter=rule), X, u, **hints) for rule in (None, "xla"))
    np.testing.assert_array_equal(xla, want)
    assert (spec != want).any()


def test_scatter_in_jax():
    """XLA's own rule on each device gives the global program's answer."""
    fn = _windows(lax.scatter_add, [-2, -1, 0, 1, 3, 5, 6, 7])
    u = np.ones((8, 3), "f")
    sharded = tessera.autoshard(fn, mesh="a=4", shard={"x": P("a")})
    np.testing.assert_array_equal(sharded(X, u), jax.jit(fn)(X, u))


def test_no_such_rule():
    with pytest.raises(tessera.InvalidArgument, match='scatter is .jax., expected "spec" or "xla"'):
        tessera.load("func.func @main() {\n  return\n}", scatter="jax")
