"""The oracle's own tests: what is wrong is found, the float64 truth is one, and a seed always gives the same program."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from outside import oracle, random_programs, wide, workers
from outside.generate import Program, Statement, generate
from outside.random_programs import check


def train(w, x, key):
    """Casts, random numbers, a loop, a branch and a gradient: other in float64 unless it is widened by equation."""
    def loss(w):
        y = lax.fori_loop(0, 3, lambda i, y: jnp.tanh(y @ w.astype(jnp.float32)), x + jax.random.normal(key, x.shape))
        return lax.cond(y.sum() > 0, lambda y: y.sum(), lambda y: (y**2).sum(), y) + jnp.sum(jnp.linalg.solve(w + 3 * jnp.eye(4), x[:4, :4]))
    value, grads = jax.value_and_grad(loss)(w)
    return {"w": w - 0.1 * grads, "loss": value, "best": jnp.argmax(grads), "inf": jnp.array([jnp.inf, jnp.nan, 1.0]) * value}


ARGS = (np.linspace(-1, 1, 16, dtype="float32").reshape(4, 4), np.linspace(0, 1, 20, dtype="float32").reshape(5, 4), jax.random.key(3))


@pytest.fixture(scope="module")
def expected():
    return oracle.Expected(train, ARGS)


def outputs(expected):
    return [x.copy() for x in expected.theirs]


def test_jax_agrees_with_itself_and_with_the_truth(expected):
    assert expected.paths == ["best", "inf", "loss", "w"] and expected.has_truth and expected.dtype == "float32"
    assert oracle.judge_all(expected, outputs(expected), exactly=True) <= 1
    theirs, truth = expected.draws[0]
    assert truth[3].dtype == np.float64 and 0 < np.abs(theirs[3] - truth[3]).max() < 1e-5


@pytest.mark.parametrize("index, change", [
    (0, lambda x: x + 1),                                           # another integer
    (1, lambda x: x[[1, 0, 2]]),                                    # NaN and infinity change places
    (1, lambda x: x * [-1, 1, 1]),                                  # the other infinity
    (2, lambda x: x * np.float32(1.001)),                           # a scalar that is off
    (3, lambda x: x.astype("float64")),                             # another type
    (3, lambda x: x.reshape(2, 8)),                                 # another shape
    (3, lambda x: np.where(np.arange(16).reshape(4, 4) == 5, np.nan, x).astype("float32")),
    (3, lambda x: x + 1e-4 * (np.arange(16).reshape(4, 4) == 7).astype("float32")),  # one element
])
def test_what_is_wrong_is_found(expected, index, change):
    ours = outputs(expected)
    ours[index] = change(ours[index]).astype(change(ours[index]).dtype if index == 3 else ours[index].dtype)
    for exactly in (False, True):
        with pytest.raises(oracle.Differs):
            oracle.judge_all(expected, ours, exactly)


def test_an_ulp_is_not_wrong(expected):
    ours = outputs(expected)
    ours[3] = np.nextafter(ours[3], np.float32(2))
    assert oracle.judge_all(expected, ours) <= 1


def test_the_truth_has_no_narrow_float_but_the_random_bits():
    traced = jax.jit(train).trace(*ARGS)
    with jax.enable_x64(True):
        args = [wide.widened(x) for x in ARGS]
        jaxpr = jax.make_jaxpr(lambda *xs: wide.call(traced.jaxpr, *xs))(*args)
    narrow = [e.primitive.name for e in jaxpr.jaxpr.eqns if any(v.aval.dtype == np.float32 for v in e.outvars if hasattr(v.aval, "dtype"))]
    assert set(narrow) <= {"bitcast_convert_type", "convert_element_type"}


def test_a_seed_gives_the_same_program():
    for seed in range(5):
        one, two = generate(seed), generate(seed)
        assert (one.source, one.mesh, one.shard) == (two.source, two.mesh, two.shard)
        assert all(np.array_equal(a, b, equal_nan=False) or a.dtype == b.dtype for a, b in zip(one.args, two.args))


def test_a_wrong_answer_is_found_and_cut_down(monkeypatch):
    """Of whoever computes tanh as sinh."""
    wrong = lambda program, args, hints: [x + 1 if "jnp.tanh" in now["source"] and jnp.issubdtype(x.dtype, jnp.floating) else x for x in
                                          oracle.flat(now["fn"](*args))]
    now = {}

    def watched(program, ways=None):
        now.update(source=program.source, fn=program.fn())
        return check(program, ways)

    monkeypatch.setattr(oracle, "ways", lambda: {"one": wrong})
    monkeypatch.setattr(random_programs, "check", watched)
    lines = [Statement(["v1 = a0 + a1"], ["v1"]), Statement(["v2 = jnp.tanh(v1)"], ["v2"]), Statement(["v3 = v2 * v1"], ["v3"]),
             Statement(["v4 = a1 * 2"], ["v4"])]
    array = np.ones(3, "float32")
    program = Program(0, ["a0", "a1"], [array, array], lines, ["v3", "v4"], {"x": 2}, {}, False)
    found, _, _ = watched(program)
    assert list(found) == ["one"]
    small, found = random_programs.shrunk(program, found)
    assert list(found) == ["one"] and "jnp.tanh" in small.source and len(small.statements) <= 2 and len(small.results) == 1


# ---- whose fault ----


def whose(way, error, off=0.0):
    """Whether XLA is at fault for an error, when stock JAX computes 2 * x + off."""
    x = np.arange(8, dtype="float32")
    double = lambda x: 2 * x
    exported = oracle.tessera.export(double, x)
    return oracle.is_xlas(way, error, oracle.Expected(double, (x,)), exported, lambda: (lambda x: 2 * x + off, (x,)), {"mesh": "a=2", "shard": {}})


def test_a_failed_check_in_xla_is_its_own_and_only_under_to_jax():
    internal = jax.errors.JaxRuntimeError("INTERNAL: RET_CHECK failure (external/xla/xla/x.cc:1)")
    assert whose("to_jax local", internal) and whose("to_jax constraints", internal)
    assert not whose("mesh", internal) and not whose("one", internal)
    assert not whose("to_jax local", jax.errors.JaxRuntimeError("INVALID_ARGUMENT: INTERNAL"))
    assert not whose("to_jax local", oracle.tessera.Internal("INTERNAL: ours"))


def test_a_wrong_number_is_xlas_only_where_it_partitions_and_stock_jax_is_wrong_too():
    differs = oracle.Differs("is off")
    assert whose("to_jax constraints", differs, off=1.0) and not whose("to_jax constraints", differs)
    assert not any(whose(way, differs, off=1.0) for way in ("one", "mesh", "to_jax local"))
    assert not whose("to_jax constraints", differs, off=np.ones(3))  # JAX refuses to add 8 and 3 elements


def test_replicas_with_other_bits_are_found():
    mesh = jax.sharding.Mesh(np.array(jax.devices()[:2]), ("a",))
    whole = jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec())
    on = lambda *values: jax.make_array_from_single_device_arrays((2,), whole, [jax.device_put(v, d) for v, d in zip(values, mesh.devices)])
    one, other = np.array([1, 0.0], "float32"), np.array([1, -0.0], "float32")
    oracle.replicas_agree([on(one, one)])
    with pytest.raises(oracle.Differs):
        oracle.replicas_agree([on(one, other)])


# ---- workers ----


def test_the_steps_that_a_worker_does_not_survive(tmp_path, monkeypatch):
    """A worker that aborts in one step, as XLA does: the others are done by the next."""
    script = tmp_path / "worker.py"
    script.write_text("""
import os, sys
for line in sys.stdin:
    program, *without = line.rstrip("\\n").split("\\t")
    for step in ("one", "rule: to_jax constraints", "verify"):
        if step not in without:
            print("at " + step, flush=True)
            if program == step:
                sys.stderr.write("*** Check failure stack trace: ***\\n @ 0x1  xla::Partition()\\n" if "to_jax" in step else "")
                sys.stderr.flush()
                os.abort()
    print('row {"without": %d}' % len(without), flush=True)
""")
    asked = workers.Workers(str(tmp_path), 60)
    start = workers.subprocess.Popen
    monkeypatch.setattr(workers.subprocess, "Popen", lambda command, **how: start([command[0], str(script)], **how))
    assert asked.answer("none") == ({"without": 0}, {})
    row, died = asked.answer("rule: to_jax constraints")
    assert row == {"without": 1} and [(step, by_xla) for step, (_, by_xla) in died.items()] == [("rule: to_jax constraints", True)]
    row, died = asked.answer("verify")
    assert row is None and [(step, by_xla) for step, (_, by_xla) in died.items()] == [("verify", False)]
    asked.close()
