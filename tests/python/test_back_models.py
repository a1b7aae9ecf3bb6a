"""Training steps of the zoo back in stock JAX, on 8 CPU devices: as jax.jit with the shardings found,
and as the annotated program itself. In make test a few; TESSERA_BACK_MODELS=all, or names (gpt,
mlp/data), says which."""

import os
import warnings

import jax
import numpy as np
import pytest

import tessera
from models.zoo.common import MODELS

FEW = "gpt/megatron,mlp/data"


def cases():
    asked = os.environ.get("TESSERA_BACK_MODELS", FEW).split(",")
    for name, model in sorted(MODELS.items()):
        for annotation in model.annotations:
            if {"all", name, f"{name}/{annotation}"} & set(asked):
                yield name, annotation


def options(model):
    """Layers by lax.scan with jax.checkpoint, where the model has them: loops are what is hard."""
    return {"dtype": "float32", **{o: True for o in ("scan", "remat") if getattr(model, o)}}


def same(results, expected):
    for a, b in zip(results, expected, strict=True):
        a, b = np.asarray(a, np.float64), np.asarray(b, np.float64)
        assert np.abs(a - b).max(initial=0) <= 1e-4 * max(1, np.abs(b).max(initial=0))


def check(lowered, args, asked, expected):
    """What XLA compiled has the shardings asked for, and computes what it should."""
    compiled = lowered.compile()
    assert jax.tree.leaves(compiled.input_shardings) == asked.arguments
    results = jax.tree.leaves(compiled(*args))
    same(results, expected)
    for result, sharding in zip(results, asked.results):
        assert sharding is None or result.sharding == sharding


@pytest.mark.parametrize("name, annotation", list(cases()))
def test_a_training_step(name, annotation):
    model = MODELS[name]
    case, how = model.build(**options(model)), model.annotations[annotation]
    expected = jax.tree.leaves(jax.jit(case.fn)(*case.args))
    sharded = tessera.propagate(case.fn, *case.args, mesh=how.mesh, shard=how.rules_for(case))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what does not divide is told, and left whole
        found, made = tessera.shardings(sharded), tessera.to_jax(sharded)
    jitted = jax.jit(case.fn, in_shardings=found.in_shardings, out_shardings=found.out_shardings,
                     keep_unused=True)
    check(jitted.lower(*case.args), jax.device_put(case.args, found.in_shardings), found, expected)
    leaves = map(jax.device_put, jax.tree.leaves(case.args), made.shardings.arguments)
    check(made.lower(*case.args), leaves, made.shardings, expected)


@pytest.mark.parametrize("name, annotation", list(cases()))
def test_a_training_step_by_shard_map(name, annotation):
    model = MODELS[name]
    case, how = model.build(**options(model)), model.annotations[annotation]
    if how.shard_map is None:
        return
    expected = jax.tree.leaves(jax.jit(case.fn)(*case.args))
    fn, mesh = how.shard_map(case, how.jax_mesh()), how.jax_mesh()
    made = tessera.to_jax(tessera.propagate(fn, *case.args), mesh)
    leaves = map(jax.device_put, jax.tree.leaves(case.args), made.shardings.arguments)
    check(made.lower(*case.args), leaves, made.shardings, expected)
