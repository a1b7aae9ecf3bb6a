"""The differential test's own tests: few cases cover every pair, and what is wrong is found."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import tessera

from models import cover, differ
from models.zoo.common import MODELS, Case, normal


def judge(dtype, ours, theirs, truth):
    error = differ.distance(differ.wide(theirs), truth)
    return differ.judge("x", dtype, ours, theirs, truth, error)


def test_few_cases_cover_every_pair():
    cases = cover.product(MODELS.values())
    few = cover.covering(cases)
    assert few == cover.covering(cases)
    assert len(few) <= 0.6 * len(cases)
    in_tessera = [case for case in cases if not cover.in_jax(case[1])]
    seen = set().union(*(cover.pairs(case) for case in few if not cover.in_jax(case[1])))
    assert all(cover.pairs(case) <= seen for case in in_tessera)


def test_few_cases_run_the_local_program_of_every_annotation_in_jax():
    few = cover.covering(cover.product(MODELS.values()))
    run = {(options.model, way) for options, way in few if way.endswith(cover.LOCAL)}
    assert run == {(m.name, name + cover.LOCAL) for m in MODELS.values() for name in m.annotations}


def test_every_model_runs_on_one_device_on_eight_and_by_hand():
    for model in MODELS.values():
        ways = list(cover.ways(model))
        assert ways[0] == "one" and any(w.endswith("*") for w in ways), model.name
        assert all(np.prod(list(a.axes().values())) == 8 for a in model.annotations.values()), model.name


@pytest.mark.parametrize("name, step", [("float32", 2.0**-23), ("bfloat16", 2.0**-7)])
def test_one_ulp_beside_an_exact_jax(name, step):
    dtype = jnp.dtype(name)
    truth = np.array([1.0, -0.25])
    exact = truth.astype(dtype)
    assert judge(name, exact, exact, truth)[0] == 0
    assert judge(name, (truth + [step, 0]).astype(dtype), exact, truth)[0] == 1
    with pytest.raises(differ.Disagrees, match="x .*error .* JAX's 0, bound"):
        judge(name, (truth + [2 * step, 0]).astype(dtype), exact, truth)


def test_the_ulp_is_that_of_the_type_computed_in():
    x = np.ones(2, np.float32)
    judge("bfloat16", x + np.float32(2.0**-7), x, np.ones(2))
    with pytest.raises(differ.Disagrees):
        judge("float32", x + np.float32(2.0**-7), x, np.ones(2))


def test_twice_the_error_of_jax():
    truth = np.array([1.0, 0.5])
    ulp = 2.0**-23
    theirs = (truth + [4 * ulp, 0]).astype(np.float32)
    judge("float32", (truth + [0, 9 * ulp]).astype(np.float32), theirs, truth)
    with pytest.raises(differ.Disagrees):
        judge("float32", (truth + [0, 9.5 * ulp]).astype(np.float32), theirs, truth)


def test_what_is_not_finite_is_the_same():
    truth = np.array([np.inf, np.nan, 1.0])
    x = truth.astype(np.float32)
    judge("float32", x, x, truth)
    for wrong in ([-np.inf, np.nan, 1], [np.inf, 0, 1], [np.inf, np.nan, np.nan]):
        with pytest.raises(differ.Disagrees):
            judge("float32", np.array(wrong, np.float32), x, truth)


def test_integers_types_and_shapes_are_exact():
    x = np.arange(3, dtype=np.int32)
    judge("float32", x, x, x.astype(np.int64))
    for wrong in (x + 1, x.astype(np.int64), x[:, None]):
        with pytest.raises(differ.Disagrees):
            judge("float32", wrong, x, x.astype(np.int64))


def test_copies_that_differ_are_told():
    text = """module attributes {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 1 : i32} {
      sdy.mesh @mesh = <["x"=2]>
      func.func @main(%x: tensor<4xf32>) -> (tensor<2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) {
        %0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{}]>] manual_axes={"x"}
            (%y: tensor<2xf32>) {
          sdy.return %y : tensor<2xf32>
        } : (tensor<4xf32>) -> tensor<2xf32>
        return %0 : tensor<2xf32>
      }
    }"""
    parts = tessera.partition(tessera.load(text))
    same = np.array([1, 2, 1, 2], np.float32)
    assert np.array_equal(parts.run(same), [1, 2])
    with pytest.raises(differ.Disagrees, match="devices 0 and 1 have different values"):
        parts.run(np.arange(4, dtype=np.float32))


def case(fn, *leaves):
    return Case(fn, leaves, tuple("xyz"[: len(leaves)]))


def test_what_is_no_truth_is_told():
    with pytest.raises(differ.Disagrees, match="float64 program has .*float32 of convert_element_type"):
        differ.truth_of(case(lambda x: jax.jit(lambda y: y.astype(jnp.float32) + 1)(x), normal((4,), "float32")))
    truth, good, bad = [np.ones(4)] * 4, [1e-6] * 4, [1e-6, 1e-6, 0.01, 0.01]
    assert differ.check_truth("abcd", "float32", truth, [good, good]) == 0
    with pytest.raises(differ.Disagrees, match="c: not a truth: JAX's own error is 0.01"):
        differ.check_truth("abcd", "float32", truth, [bad, good])
    with pytest.raises(differ.Disagrees, match="2 of 4 outputs are too uncertain"):
        differ.check_truth("abcd", "float32", truth, [good, bad])


def test_jax_s_own_error_is_the_largest_of_several_draws():
    sums = case(lambda x: jnp.sum(x, dtype=x.dtype), normal((1000,), "float32"))
    truth, theirs, errors = differ.Reference(sums).at(sums.args)
    error = max(error for (error,) in errors)
    assert truth[0].dtype == np.float64 and theirs[0].dtype == np.float32
    assert differ.distance(differ.wide(theirs[0]), truth[0]) <= error <= 1e-5
    near, far = (differ.neighbours(sums.args, draw)[0] for draw in (0, 1))
    assert np.array_equal(near, sums.args[0])
    assert 500 < np.sum(far != near) < 900 and np.allclose(far, near, rtol=3e-7)


class OneStep:
    """A program in the place of planned.Steps."""

    line = "one step"

    def __init__(self, run):
        self.run = run

    def __iter__(self):
        args = (np.ones(1, np.float32),)
        yield args, self.run(*args)


class Kink(differ.Reference):
    """JAX's side of a program that gives 1, or at a third of the draws 1.01, as rounding decides; at the arguments it gives 1."""

    def __init__(self):
        self.own, self.truth = (lambda x: [1 + np.float32(0.01) * (x > 1)]), (lambda args: [np.ones(1)])


def test_rounding_that_decides_a_branch_is_told_from_a_wrong_value(monkeypatch):
    monkeypatch.setattr(differ, "DRAWS", 1)  # which miss the kink
    elsewhere = OneStep(lambda x: [1 + np.float32(0.01) * (x == 1)])
    ((args, outputs),) = elsewhere
    with pytest.raises(differ.Disagrees, match="x float32.*error 0.01, JAX's 0"):
        differ.judge_step("x", "float32", outputs, Kink().at(args))
    assert differ.judge_steps("x", "float32", elsewhere, Kink())["again"] == 1
    assert differ.judge_steps("x", "float32", OneStep(Kink().own), Kink())["again"] == 0
    wrong = OneStep(lambda x: [1 + np.float32(0.001) * np.ones(1, np.float32)])
    with pytest.raises(differ.Disagrees, match="x: the median error of 64 draws is 0.001, JAX's 0"):
        differ.judge_steps("x", "float32", wrong, Kink())
    larger = OneStep(lambda x: [1 + np.float32(0.05) * (x == 1)])
    with pytest.raises(differ.Disagrees, match="error 0.05, JAX's 0.01"):
        differ.judge_steps("x", "float32", larger, Kink())
