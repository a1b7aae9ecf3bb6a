"""tessera.plan, and autoshard with a search: plans fit, are obeyed, and give JAX's results."""

import json

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import tessera
from tessera import P


def step(params, x):
    def loss(p):
        return ((jnp.tanh(x @ p["w1"]) @ p["w2"]) ** 2).mean()
    return jax.tree.map(lambda p, g: p - 0.1 * g, params, jax.grad(loss)(params))


def arguments():
    rng = np.random.default_rng(0)
    return {"w1": rng.normal(size=(64, 128)).astype("f"), "w2": rng.normal(size=(128, 64)).astype("f")}, \
        rng.normal(size=(256, 64)).astype("f")


def test_the_plan_is_obeyed_and_equal():
    params, x = arguments()
    plan = tessera.plan(step, params, x, machine="cpu:8")
    made = plan.partition()
    assert made.devices == 8
    assert made.seconds == pytest.approx(plan.seconds)
    assert plan.bound_seconds <= plan.cost_seconds and plan.peak_bytes <= plan.usable_bytes
    got, want = made.run(params, x), step(params, x)
    for a, b in zip(jax.tree.leaves(got), jax.tree.leaves(want)):
        np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)


def test_the_same_plan_twice_and_by_text():
    params, x = arguments()
    one, two = (tessera.plan(step, params, x, machine="h100:8").as_dict() for _ in range(2))
    assert one["decisions"] == two["decisions"] and one["mesh"] == two["mesh"]
    program = tessera.export(step, params, x)
    plan = tessera.plan(program, machine="h100:8")
    assert tessera.partition(program, decisions=plan.json()).devices == 8
    assert json.loads(plan.json())["plan_version"] == 2


def test_hints_are_constraints():
    params, x = arguments()
    plan = tessera.plan(step, params, x, machine="h100:8", mesh="a=2,b=4", shard={"params.w1": P("b", "a")})
    assert plan.shard["0"] == '[{"b"}, {"a"}]'


def test_nothing_fits():
    params, x = arguments()
    with pytest.raises(tessera.ResourceExhausted, match="every plan needs at least"):
        tessera.plan(step, params, x, machine="h100:8", memory=1000)


@pytest.mark.parametrize("options, words", [
    ({}, "how many devices"), ({"devices": 0}, "devices is 0"), ({"machine": "h100:8", "level": 3}, "level is 3"),
    ({"machine": "h100:8", "memory": -1}, "memory is -1"), ({"machine": "h100:8", "mesh": "a=2", "shard": {"nobody": P("a")}}, "nobody"),
])
def test_bad_options(options, words):
    params, x = arguments()
    with pytest.raises(tessera.InvalidArgument, match=words):
        tessera.plan(step, params, x, **options)


def test_a_plan_has_its_own_mesh():
    params, x = arguments()
    program = tessera.export(step, params, x)
    plan = tessera.plan(program, machine="h100:8")
    with pytest.raises(tessera.InvalidArgument, match="its own mesh"):
        tessera.partition(program, mesh="a=2", decisions=plan.json())
    other = tessera.export(lambda a: a + 1, np.ones(4, "f"))
    with pytest.raises(tessera.InvalidArgument, match="another program"):
        tessera.partition(other, decisions=plan.json())


@pytest.mark.parametrize("exact", [None, "local", False])
def test_autoshard_searches(exact):
    params, x = arguments()
    planned = tessera.autoshard(step, machine="cpu:8", exact=exact)
    got, want, before = params, params, None
    for _ in range(3):  # the state keeps its sharding: no reshard between steps
        got, want = planned(got, x), step(want, x)
        shardings = [leaf.sharding for leaf in jax.tree.leaves(got)]
        assert before in (None, shardings)
        before = shardings
    assert any(not s.is_fully_replicated for s in before)
    for a, b in zip(jax.tree.leaves(got), jax.tree.leaves(want)):
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-5)


def test_autoshard_refuses_contradictions():
    for options in ({"machine": "cpu:8", "decisions": {}}, {"memory": 1000}):
        with pytest.raises(tessera.InvalidArgument):
            tessera.autoshard(step, **options)
