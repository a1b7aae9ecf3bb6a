"""The differential test's own tests: few cases cover every pair, and what is wrong is found."""

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
import pytest

from models import cover, differ
from models.zoo.common import MODELS, Case, normal


def test_few_cases_cover_every_pair():
    cases = cover.product(MODELS.values())
    few = cover.covering(cases)
    assert few == cover.covering(cases)
    assert len(few) <= 0.6 * len(cases)
    seen = set().union(*map(cover.pairs, few))
    assert all(cover.pairs(case) <= seen for case in cases)


def test_every_model_runs_on_one_device_on_eight_and_by_hand():
    for model in MODELS.values():
        ways = list(cover.ways(model))
        assert ways[0] == "one" and any(w.endswith("*") for w in ways), model.name
        assert all(np.prod(list(a.axes().values())) == 8 for a in model.annotations.values()), model.name


@pytest.mark.parametrize("dtype, step", [(np.float32, 2.0**-23), (ml_dtypes.bfloat16, 2.0**-7), (np.float16, 2.0**-10)])
def test_one_ulp_beside_an_exact_jax(dtype, step):
    truth = np.array([1.0, -0.25])
    exact = truth.astype(dtype)
    assert differ.judge("x", exact, exact, truth)[0] == 0
    assert differ.judge("x", (truth + [step, 0]).astype(dtype), exact, truth)[0] == 1
    with pytest.raises(differ.Disagrees, match="x .*error .* JAX's 0, bound"):
        differ.judge("x", (truth + [2 * step, 0]).astype(dtype), exact, truth)


def test_twice_the_error_of_jax():
    truth = np.array([1.0, 0.5])
    ulp = 2.0**-23
    theirs = (truth + [4 * ulp, 0]).astype(np.float32)
    differ.judge("x", (truth + [0, 9 * ulp]).astype(np.float32), theirs, truth)
    with pytest.raises(differ.Disagrees):
        differ.judge("x", (truth + [0, 9.5 * ulp]).astype(np.float32), theirs, truth)


def test_what_is_not_finite_is_the_same():
    truth = np.array([np.inf, np.nan, 1.0])
    x = truth.astype(np.float32)
    differ.judge("x", x, x, truth)
    for wrong in ([-np.inf, np.nan, 1], [np.inf, 0, 1], [np.inf, np.nan, np.nan]):
        with pytest.raises(differ.Disagrees):
            differ.judge("x", np.array(wrong, np.float32), x, truth)


def test_integers_types_and_shapes_are_exact():
    x = np.arange(3, dtype=np.int32)
    differ.judge("x", x, x, x.astype(np.int64))
    for wrong in (x + 1, x.astype(np.int64), x[:, None]):
        with pytest.raises(differ.Disagrees):
            differ.judge("x", wrong, x, x.astype(np.int64))


def test_what_is_no_truth_is_told():
    case = lambda fn: Case(fn, (normal((4,), "float32"),), ("x",))
    assert differ.truth(case(jnp.tanh))[0].dtype == np.float64
    with pytest.raises(differ.Disagrees, match="float64 program has .*float32 of convert_element_type"):
        differ.truth(case(lambda x: jax.jit(lambda y: y.astype(jnp.float32) + 1)(x)))
    x = np.ones(4, np.float32)
    with pytest.raises(differ.Disagrees, match="not a truth: JAX's own error"):
        differ.judge("x", x, x, 1.01 * np.ones(4))
