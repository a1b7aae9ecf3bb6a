"""tessera.search: push, price, pop; and plans of tactics."""

import random

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import tessera
from tessera import P


def step(params, moments, x):
    def loss(p):
        return ((jnp.tanh(x @ p["w1"]) @ p["w2"]) ** 2).mean()
    grads = jax.grad(loss)(params)
    moments = jax.tree.map(lambda m, g: 0.9 * m + g, moments, grads)
    return jax.tree.map(lambda p, m: p - 0.1 * m, params, moments), moments


def arguments():
    rng = np.random.default_rng(0)
    params = {"w1": rng.normal(size=(64, 128)).astype("f"), "w2": rng.normal(size=(128, 64)).astype("f")}
    return params, jax.tree.map(np.zeros_like, params), rng.normal(size=(256, 64)).astype("f")


def test_a_search_prices_and_undoes():
    search = tessera.search(step, *arguments(), mesh="data=4,model=2", machine="h100:8")
    first = search.price()
    assert first.sent_bytes == 0 and first.peak_bytes > 0
    search.add_axis("x", 0, "data")
    data = search.price()
    assert data.compute_seconds < first.compute_seconds and data.sent_bytes > 0  # gradients are reduced
    search.push("params.w1", P(None, "model"))
    assert search.price().peak_bytes < data.peak_bytes
    assert search.sharding("params.w1") == '<@mesh, [{}, {"model"}]>'
    search.pop()
    assert search.price()[:4] == data[:4]
    search.pop()
    assert search.price()[:4] == first[:4] and search.price().visited == 0
    with pytest.raises(tessera.FailedPrecondition):
        search.pop()


def test_a_copy_goes_on_alone():
    search = tessera.search(step, *arguments(), mesh="data=4,model=2", machine="h100:8")
    search.add_axis("x", 0, "data")
    other = search.copy()
    assert other.depth == 1 and other.price()[:4] == search.price()[:4]
    other.add_axis("params.w1", 1, "model")
    assert other.price()[:4] != search.price()[:4]


def test_random_walks_equal_prices_from_scratch():
    program = tessera.export(step, *arguments())
    dice = random.Random(7)
    search = tessera.search(program, mesh="a=2,b=2,c=2", machine="h100:8")
    names = [*program.arg_names, "result0", "result1"]
    compared = 0
    for _ in range(60):
        try:
            if dice.random() < 0.35:
                search.pop()
            else:
                search.add_axis(dice.choice(names), dice.randrange(2), dice.choice("abc"))
        except tessera.FailedPrecondition:
            continue
        assert search.price()[:4] == search.copy().price()[:4]
        compared += 1
    assert compared > 20


@pytest.mark.parametrize("call, kind", [
    (lambda s: s.push("nobody", P("a")), tessera.NotFound), (lambda s: s.add_axis("x", 5, "data"), tessera.OutOfRange),
    (lambda s: s.add_axis("x", 0, "rows"), tessera.NotFound), (lambda s: s.add_axis("x", -1, "data"), tessera.InvalidArgument),
    (lambda s: s.push("x", P("rows")), tessera.InvalidArgument), (lambda s: s.sharding(1.5), tessera.InvalidArgument),
])
def test_bad_input(call, kind):
    search = tessera.search(step, *arguments(), mesh="data=4", machine="h100:4")
    before = search.price()[:4]
    with pytest.raises(kind):
        call(search)
    assert search.price()[:4] == before and search.depth == 0


def test_tactics_compose_a_plan_that_runs():
    values = arguments()
    plan = tessera.plan(step, *values, machine="h100:8", mesh="x=2,y=4", tactics=["data:x", "megatron:y", "zero1:x"])
    assert [row["tactic"] for row in plan.tactics] == ["data:x", "megatron:y", "zero1:x"]
    assert plan.tactics[-1]["seconds"] == plan.seconds
    assert "params.w1" in plan.tactics[1]["examples"][0] and "moments" in plan.tactics[2]["examples"][0]
    got, want = plan.partition().run(*values), step(*values)
    for a, b in zip(jax.tree.leaves(got), jax.tree.leaves(want)):
        np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)


def test_auto_keeps_what_tactics_decided():
    plan = tessera.plan(step, *arguments(), machine="h100:8", mesh="x=2,y=4", tactics="data:x, auto")
    assert plan.tactics[1]["seconds"] <= plan.tactics[0]["seconds"]
    x = [value for value in plan.as_dict()["arguments"] if value["name"] == "x"]
    assert x[0]["sharding"].startswith('[{"x"')


@pytest.mark.parametrize("tactics, words", [("dta:x", "did you mean data"), ("data:z", "no axis 'z'"), (["data:x", 3], "tactics is"),
                                            ("", "a tactic is missing")])
def test_bad_tactics(tactics, words):
    with pytest.raises(tessera.InvalidArgument, match=words):
        tessera.plan(step, *arguments(), machine="h100:8", mesh="x=2,y=4", tactics=tactics)
