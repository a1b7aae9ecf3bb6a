"""tessera.shardings: what was propagated is what jax.jit is given, and what XLA compiles."""

import warnings

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.sharding import AxisType, Mesh, NamedSharding, PartitionSpec as P

import tessera

MESH = "data=2,model=4"


def draw(*shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def mlp(params, x):
    return jnp.tanh(x @ params["w1"]) @ params["w2"]


ARGS = {"w1": draw(16, 32), "w2": draw(32, 8, seed=1)}, draw(8, 16, seed=2)
MEGATRON = {"x": P("data"), "params.w1": P(None, "model")}


def devices(*shape):
    return np.array(jax.devices()[:int(np.prod(shape))]).reshape(shape)


def specs(tree):
    return jax.tree.map(lambda s: s.spec, tree)


def check(fn, args, found, **options):
    """Runs fn with the shardings found: XLA's are those, the results those of fn alone."""
    jitted = jax.jit(fn, in_shardings=found.in_shardings, out_shardings=found.out_shardings,
                     **options)
    compiled = jitted.lower(*args).compile()
    for asked, got in zip(found.arguments, jax.tree.leaves(compiled.input_shardings)):
        assert got == asked
    results = jax.tree.leaves(jitted(*args))
    for asked, result in zip(found.results, results):
        assert asked is None or result.sharding == asked
    for result, expected in zip(results, jax.tree.leaves(jax.jit(fn, **options)(*args))):
        np.testing.assert_allclose(result, expected, rtol=1e-5, atol=1e-5)


# ---- trees and specs ----

def test_a_tree_of_specs_that_jit_takes():
    found = tessera.shardings(tessera.propagate(mlp, *ARGS, mesh=MESH, shard=MEGATRON))
    in_shardings, out_shardings = found
    assert specs(in_shardings) == ({"w1": P(None, "model"), "w2": P("model")}, P("data"))
    assert out_shardings.spec == P("data")
    assert found.mesh.axis_names == ("data", "model") and found.mesh.devices.shape == (2, 4)
    assert list(found.mesh.devices.flat) == jax.devices()
    check(mlp, ARGS, found)


def test_it_prints_as_a_table():
    text = repr(tessera.shardings(tessera.propagate(mlp, *ARGS, mesh=MESH, shard=MEGATRON)))
    assert text.splitlines()[0] == "on data=2, model=4"
    assert "params.w2" in text and "('model',)" in text


def test_parts_of_axes_become_axes():
    shard = {"x": '[{"model":(1)2}, {}]', "params.w1": '[{}, {"data", "model":(2)2}]'}
    found = tessera.shardings(tessera.propagate(mlp, *ARGS, mesh=MESH, shard=shard))
    assert dict(found.mesh.shape) == {"data": 2, "model_0": 2, "model_1": 2}
    assert list(found.mesh.devices.flat) == jax.devices()
    assert specs(found.in_shardings) == (
        {"w1": P(None, ("data", "model_1")), "w2": P(("data", "model_1"))}, P("model_0"))
    check(mlp, ARGS, found)


def test_parts_that_do_not_go_together_get_a_mesh_each():
    def fn(x, y):
        return x.sum() + y.sum()

    found = tessera.shardings(tessera.propagate(
        fn, draw(6), draw(6), mesh="a=6", shard={"x": '[{"a":(1)2}]', "y": '[{"a":(1)3}]'}))
    x, y = found.in_shardings
    assert (x.spec, dict(x.mesh.shape)) == (P("a_0"), {"a_0": 2, "a_1": 3})
    assert (y.spec, dict(y.mesh.shape)) == (P("a_0"), {"a_0": 3, "a_1": 2})
    check(fn, (draw(6), draw(6)), found)


def test_priorities_and_open_dimensions_leave_no_trace():
    shard = {"x": '[{"data", ?}p1, {?}]', "params.w1": '[{?}, {"model"}p0]'}
    found = tessera.shardings(tessera.propagate(mlp, *ARGS, mesh=MESH, shard=shard))
    assert specs(found.in_shardings) == ({"w1": P(None, "model"), "w2": P("model")}, P("data"))


def test_what_nothing_is_known_of_is_replicated():
    def fn(x, y):
        return x + 1, y * 2

    found = tessera.shardings(tessera.propagate(fn, draw(8), draw(3), mesh=MESH,
                                                shard={"x": P("model")}))
    assert specs(found.in_shardings) == (P("model"), P())
    assert found.out_shardings[0].spec == P("model")
    check(fn, (draw(8), draw(3)), found)


def test_what_nothing_is_known_of_is_replicated():
    sharded = tessera.propagate(mlp, *ARGS, mesh=MESH, shard={"x": P()})
    sharded.result_shardings = [None]
    found = tessera.shardings(sharded)
    assert found.out_shardings.spec == P()
    check(mlp, ARGS, found)


def test_what_a_step_gives_goes_into_the_next():
    def step(p, x):
        loss = lambda p: jnp.mean((jnp.tanh(x @ p["w1"] * p["g"]) @ p["w2"]) ** 2)
        return jax.tree.map(lambda a, b: a - 0.1 * b, p, jax.grad(loss)(p))

    p, x = {"w1": draw(16, 32), "g": draw(32), "w2": draw(32, 16)}, draw(8, 16)
    rules = {"x": P("data"), "p.w1": tessera.P(None, "data", priority=1), "p.w2": tessera.P("data", priority=1)}
    in_shardings, out_shardings = tessera.shardings(tessera.propagate(step, p, x, mesh="data=8", shard=rules))
    jitted = jax.jit(step, in_shardings=in_shardings, out_shardings=out_shardings)
    twice = jitted(jitted(p, x), x)  # g, of which nothing is known, too
    jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-5), twice, step(step(p, x), x))


def test_one_dimension_over_several_axes():
    found = tessera.shardings(tessera.propagate(mlp, *ARGS, mesh=MESH,
                                                shard={"x": P(("model", "data"))}))
    assert found.in_shardings[1].spec == P(("model", "data"))
    check(mlp, ARGS, found)


def test_a_loaded_program_is_flat():
    sharded = tessera.propagate(tessera.load(tessera.export(mlp, *ARGS).text), mesh=MESH,
                                shard={"2": P("data"), "0": P(None, "model")})
    found = tessera.shardings(sharded)
    assert specs(found.in_shardings) == (P(None, "model"), P("model"), P("data"))
    assert found.out_shardings.spec == P("data")


def test_keyword_arguments_have_a_place_of_their_own():
    def fn(x, *, scale):
        return x * scale

    x, scale = draw(8, 4), draw(8, 4, seed=1)
    found = tessera.shardings(tessera.propagate(fn, x, scale=scale, mesh=MESH,
                                                shard={"x": P("data")}))
    assert specs(found.in_shardings) == (P("data"),) and specs(found.kwargs) == {"scale": P("data")}
    scale = jax.device_put(scale, found.kwargs["scale"])
    assert jax.jit(fn)(x, scale=scale).sharding.spec == P("data")


def test_static_arguments_are_not_among_them():
    def fn(x, n):
        return x * n

    found = tessera.shardings(tessera.propagate(fn, draw(8), 3, static_argnums=(1,), mesh=MESH,
                                                shard={"x": P("data")}))
    jitted = jax.jit(fn, static_argnums=1, in_shardings=found.in_shardings,
                     out_shardings=found.out_shardings)
    np.testing.assert_array_equal(jitted(draw(8), 3), draw(8) * 3)


def test_keys_are_sharded_by_their_own_dimensions():
    def fn(keys, x):
        return jax.vmap(lambda k: jax.random.uniform(k, (4,)))(keys) + x

    keys, x = jax.random.split(jax.random.key(0), 8), draw(8, 4)
    found = tessera.shardings(tessera.propagate(fn, keys, x, mesh=MESH, shard={"x": P("data")}))
    assert found.in_shardings[1].spec == P("data")
    assert all(len(s.spec) <= 1 for s in found.in_shardings)
    check(fn, (keys, x), found)


# ---- what does not divide ----

def test_axes_that_do_not_divide_are_dropped_with_a_warning():
    sharded = tessera.propagate(lambda x: x * 2, draw(6, 8), mesh=MESH,
                                shard={"x": P(("data", "model"))})
    with pytest.warns(UserWarning) as said:
        found = tessera.shardings(sharded)
    assert [w.filename for w in said] == [__file__]
    assert str(said[0].message) == (
        "x: dimension 0 has 6 elements, which 8 devices do not divide; JAX takes no such array, so "
        "it is not sharded over model there (nor is result)")
    assert found.in_shardings[0].spec == P("data")
    check(lambda x: x * 2, (draw(6, 8),), found)


def test_what_is_the_same_of_many_is_said_once():
    many = {f"w{i}": np.ones((3, 4), "f") for i in range(5)}
    sharded = tessera.propagate(lambda p: 0, many, mesh="data=2", shard={"p.*": P("data")})
    with pytest.warns(UserWarning) as told:
        found = tessera.shardings(sharded)
    assert [str(w.message) for w in told] == [
        "p.w0: dimension 0 has 3 elements, which 2 devices do not divide; JAX takes no such array, so it "
        "is not sharded over data there (nor are 4 others: p.w1, p.w2, p.w3, p.w4)"]
    assert told[0].filename == __file__
    assert len(found) == 2 and found[0] == found.in_shardings


def test_axes_that_xla_aborts_on():
    sharded = tessera.propagate(lambda x: x, np.ones(4, "f"), mesh="é=2", shard={"x": P("é")})
    with pytest.raises(tessera.InvalidArgument, match="XLA takes no axis that is called 'é'"):
        tessera.shardings(sharded)


def test_what_is_empty_is_not_sharded():
    """XLA does not cut it, and JAX then cannot put it together."""
    fn, args = lambda x, y: (x * 2, y @ x), (draw(0, 8), draw(4, 0))
    sharded = tessera.propagate(fn, *args, mesh=MESH, shard={"x": P("data", "model")})
    found = tessera.shardings(sharded)
    assert found.in_shardings[0].spec == P() and found.out_shardings[1].spec == P(None, "model")
    check(fn, args, found)
    assert np.asarray(tessera.to_jax(sharded)(*args)[0]).shape == (0, 8)


def test_divisible_edges_find_shardings_that_all_divide():
    def fn(x, w):
        return (x @ w)[:, :6]

    args = draw(8, 16), draw(16, 8)
    sharded = tessera.propagate(fn, *args, mesh=MESH, divisible_edges=True,
                                shard={"x": P("data"), "w": P(None, "model")})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = tessera.shardings(sharded)
    check(fn, args, found)


# ---- the user's mesh ----

def test_a_mesh_of_the_user_is_taken_as_it_is():
    mesh = Mesh(devices(2, 4)[::-1, ::-1], ("data", "model"))
    found = tessera.shardings(tessera.propagate(mlp, *ARGS, mesh=mesh, shard=MEGATRON), mesh)
    assert found.mesh is mesh
    check(mlp, ARGS, found)


def test_its_axes_may_stand_in_another_order_and_are_split_in_place():
    mesh = Mesh(devices(4, 2)[::-1], ("model", "data"))
    shard = {"x": '[{"model":(1)2}, {}]', "params.w1": P(None, "data")}
    found = tessera.shardings(tessera.propagate(mlp, *ARGS, mesh=MESH, shard=shard), mesh)
    assert dict(found.mesh.shape) == {"model_0": 2, "model_1": 2, "data": 2}
    assert list(found.mesh.devices.flat) == list(mesh.devices.flat)
    check(mlp, ARGS, found)


def test_explicit_axes_become_auto():
    mesh = Mesh(devices(2, 4), ("data", "model"), axis_types=(AxisType.Explicit,) * 2)
    found = tessera.shardings(tessera.propagate(mlp, *ARGS, mesh=mesh, shard=MEGATRON), mesh)
    assert found.mesh.axis_types == (AxisType.Auto,) * 2
    check(mlp, ARGS, found)


@pytest.mark.parametrize("kind", [AxisType.Auto, AxisType.Explicit])
def test_arrays_must_have_the_sharding(kind):
    """As python/README.md says: jit takes arrays of the same sharding over both kinds of axes, and no others."""
    mesh = Mesh(devices(2, 4), ("data", "model"), axis_types=(kind,) * 2)
    x = np.ones((8, 4), "f")
    double = lambda x: 2 * x
    (sharding,), out = tessera.shardings(tessera.propagate(double, x, mesh=mesh, shard={"x": P("data")}), mesh)
    run = jax.jit(double, in_shardings=sharding, out_shardings=out)
    there = jax.device_put(x, NamedSharding(mesh, P("data")))
    other = jax.device_put(x, NamedSharding(mesh, P(None, "model")))
    assert run(there).sharding == out
    with pytest.raises(ValueError, match="does not match the sharding"):
        run(other)
    assert run(jax.device_put(other, sharding)).sharding == out


def test_axes_of_one_device_need_not_agree():
    mesh = Mesh(devices(2, 4, 1), ("data", "model", "extra"))
    sharded = tessera.propagate(mlp, *ARGS, mesh="one=1,data=2,model=4",
                                shard={"x": P(("one", "data")), "params.w1": P(None, "model")})
    found = tessera.shardings(sharded, mesh)
    assert found.mesh is mesh and found.in_shardings[1].spec == P("data")
    check(mlp, ARGS, found)


@pytest.mark.parametrize("shape, names", [((4, 2), ("data", "model")), ((2, 4), ("data", "x")),
                                          ((8,), ("data",)), ((2, 2, 2), ("data", "model", "x"))])
def test_a_mesh_that_does_not_fit(shape, names):
    sharded = tessera.propagate(mlp, *ARGS, mesh=MESH, shard=MEGATRON)
    with pytest.raises(tessera.InvalidArgument,
                       match=r"the mesh does not fit: the program is sharded over @mesh \(data=2, "
                             rf"model=4\), the jax Mesh has {names[0]}={shape[0]}"):
        tessera.shardings(sharded, Mesh(devices(*shape), names))


def test_no_mesh_at_all_and_what_is_none():
    sharded = tessera.propagate(mlp, *ARGS, mesh=MESH, shard=MEGATRON)
    with pytest.raises(tessera.InvalidArgument, match="mesh is str, expected a jax.sharding.Mesh"):
        tessera.shardings(sharded, MESH)
    with pytest.raises(tessera.InvalidArgument, match="the program has no mesh"):
        tessera.shardings(tessera.propagate(mlp, *ARGS))


def test_more_devices_than_jax_has():
    sharded = tessera.propagate(mlp, *ARGS, mesh="data=16", shard={"params.w1": P("data")})
    with pytest.raises(tessera.InvalidArgument,
                       match=r"the mesh has 16 devices \(data=16\), JAX has 8 \(cpu\); with "):
        tessera.shardings(sharded)


def test_fewer_devices_than_jax_has_are_the_first():
    found = tessera.shardings(tessera.propagate(mlp, *ARGS, mesh="data=4", shard={"x": P("data")}))
    assert list(found.mesh.devices.flat) == jax.devices()[:4]
    check(mlp, ARGS, found)


# ---- several meshes, and orders of devices ----

TWO = """module {{
  sdy.mesh @one = <["a"=2, "b"=4]>
  sdy.mesh @two = <["c"=8]{ids}>
  func.func public @main(%x: tensor<8xf32> {{sdy.sharding = #sdy.sharding<@one, [{{"b"}}]>}},
      %y: tensor<8xf32> {{sdy.sharding = #sdy.sharding<@two, [{{"c"}}]>}})
      -> (tensor<8xf32>, tensor<8xf32>) {{
    return %x, %y : tensor<8xf32>, tensor<8xf32>
  }}
}}
"""


def test_arguments_on_several_meshes():
    sharded = tessera.propagate(tessera.load(TWO.format(ids="")))
    found = tessera.shardings(sharded)
    assert [(s.spec, dict(s.mesh.shape)) for s in found.in_shardings] == [
        (P("b"), {"a": 2, "b": 4}), (P("c"), {"c": 8})]
    check(lambda x, y: (x, y), (draw(8), draw(8, seed=1)), found)
    mesh = Mesh(devices(8)[::-1], ("c",))
    found = tessera.shardings(sharded, mesh)
    assert found.in_shardings[1].mesh is mesh
    check(lambda x, y: (x, y), (draw(8), draw(8, seed=1)), found)
    with pytest.raises(tessera.InvalidArgument, match=r"the program has @one \(a=2, b=4\), @two"):
        tessera.shardings(sharded, Mesh(devices(4, 2), ("b", "a")))


def test_several_meshes_with_devices_in_several_orders():
    text = TWO.format(ids=", device_ids=[7, 6, 5, 4, 3, 2, 1, 0]")
    sharded = tessera.propagate(tessera.load(text))
    with pytest.raises(tessera.Unimplemented, match="not the same devices in the same order"):
        tessera.shardings(sharded)


def test_a_mesh_with_an_order_of_its_own():
    text = '''module {
  sdy.mesh @m = <["a"=4], device_ids=[2, 3, 1, 0]>
  func.func public @main(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}]>})
      -> tensor<8xf32> {
    return %x : tensor<8xf32>
  }
}
'''
    found = tessera.shardings(tessera.propagate(tessera.load(text)))
    assert [d.id for d in found.mesh.devices.flat] == [2, 3, 1, 0]


def test_a_function_with_constraints_of_its_own():
    mesh = Mesh(devices(2, 4), ("data", "model"))

    def fn(x, w):
        h = jax.lax.with_sharding_constraint(x @ w, NamedSharding(mesh, P("data", "model")))
        return jnp.tanh(h)

    args = draw(8, 16), draw(16, 8)
    found = tessera.shardings(tessera.propagate(fn, *args), mesh)
    assert specs(found.in_shardings) == (P("data"), P(None, "model"))
    assert found.out_shardings.spec == P("data", "model")
    check(fn, args, found)
