"""Training steps of the zoo back in stock JAX, on 8 CPU devices: as jax.jit with the shardings
found, and as the annotated program itself. In make test a few; TESSERA_BACK_MODELS=all, or names
(gpt, mlp/data), says which."""

import os
import warnings

import jax
import numpy as np
import pytest

import tessera
from models.zoo.common import MODELS

FEW = "gpt/megatron,mlp/data"

# Stock XLA computes wrong gradients here, whoever writes the PartitionSpecs: convolutions split
# along two dimensions.
XLA_IS_WRONG = {("unet3d", "spatial2d")}


def cases():
    asked = os.environ.get("TESSERA_BACK_MODELS", FEW).split(",")
    for name, model in sorted(MODELS.items()):
        for annotation in model.annotations:
            if {"all", name, f"{name}/{annotation}"} & set(asked):
                yield name, annotation


def options(model):
    """Layers by lax.scan with jax.checkpoint, where the model has them: loops are what is hard."""
    return {"dtype": "float32", **{o: True for o in ("scan", "remat") if getattr(model, o)}}


def far(a, b):
    a, b = np.asarray(a, np.float64), np.asarray(b, np.float64)
    return not np.abs(a - b).max(initial=0) <= 1e-4 * max(1, np.abs(b).max(initial=0))


def same(results, expected):
    assert len(results) == len(expected)
    assert [i for i, (a, b) in enumerate(zip(results, expected)) if far(a, b)] == []


def check(lowered, args, asked, expected):
    """What XLA compiled has the shardings asked for, and computes what it should."""
    compiled = lowered.compile()
    assert jax.tree.leaves(compiled.input_shardings) == asked.arguments
    results = jax.tree.leaves(compiled(*args))
    same(results, expected)
    for result, sharding in zip(results, asked.results):
        assert sharding is None or result.sharding == sharding


@pytest.mark.parametrize("name, annotation", [c for c in cases() if c not in XLA_IS_WRONG])
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


def xla_is_wrong_without_tessera_too(name, annotation):
    case, how = MODELS[name].build(dtype="float32"), MODELS[name].annotations[annotation]
    mesh = how.jax_mesh()
    named = lambda spec: jax.sharding.NamedSharding(mesh, spec)
    hand = tuple(jax.tree.map(named, how.specs(tree, arg))
                 for arg, tree in zip(case.arg_names, case.args))
    alone, by_hand = jax.jit(case.fn), jax.jit(case.fn, in_shardings=hand)
    assert any(map(far, jax.tree.leaves(by_hand(*case.args)), jax.tree.leaves(alone(*case.args))))


def test_xla_is_wrong_without_tessera_too():
    for name, annotation in sorted(XLA_IS_WRONG & set(cases())):
        xla_is_wrong_without_tessera_too(name, annotation)


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
