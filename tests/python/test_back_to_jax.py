"""tessera.to_jax: the annotated program itself in stock XLA, on 8 CPU devices."""

import re

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

import tessera
from tessera import _jaxlib

MESH = "data=2,model=4"


def draw(*shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def devices(*shape):
    return np.array(jax.devices()[:int(np.prod(shape))]).reshape(shape)


def numbers(tree):
    is_key = lambda x: jax.dtypes.issubdtype(x.dtype, jax.dtypes.prng_key)
    return [np.asarray(jax.random.key_data(x) if is_key(x) else x) for x in jax.tree.leaves(tree)]


# ---- programs ----

def mlp(x, w, v):
    return jnp.tanh(x @ w) @ v


def scan_invariant(x, w):
    """Carries w unchanged through the loop."""
    def body(carry, _):
        h, w = carry
        return (jnp.tanh(h @ w), w), h.sum()
    return jax.lax.scan(body, (x, w), None, length=3)


def scan_layers(x, w, v):
    """Stacked weights, and v used in the loop only: it is carried unchanged, too."""
    return jax.lax.scan(lambda h, w: (jnp.tanh(h @ w + v), h.sum()), x, w)


def scan_gradient(x, w, v):
    return jax.value_and_grad(lambda w: jnp.sum(scan_layers(x, w, v)[0] ** 2))(w)


def nested_loops(x, w):
    def body(state):
        h, i, w = state
        return jax.lax.fori_loop(0, 2, lambda j, h: jnp.tanh(h @ w) + j, h), i + 1, w
    return jax.lax.while_loop(lambda s: s[1] < 3, body, (x, 0, w))


def branches(x, w):
    return jax.lax.cond(x.sum() > 0, lambda: (x @ w, w), lambda: (x - w, w))


def rematerialized(x, w):
    return jax.value_and_grad(jax.checkpoint(lambda w: jnp.tanh(jnp.tanh(x @ w) @ w).sum()))(w)


def several_results(x, w):
    return jax.lax.top_k(x, 3), jnp.argmax(w, 1), jax.lax.sort((x, w), num_keys=1), jnp.cumsum(x, 0)


def calls(x, w):
    inner = jax.jit(lambda x, w: (x @ w, x, w.sum(0)))
    a, _, c = inner(x, w)
    return inner(a, w)[0] + c


def keys(key, x):
    return jax.random.split(key), jax.random.normal(key, x.shape) + x


XW = {"x": P("data"), "w": P(None, "model")}
SQUARE = draw(8, 8), draw(8, 8, seed=1)
LAYERS = draw(8, 16), 0.1 * draw(3, 16, 16, seed=1), draw(16, seed=2)
PARTS = {"x": '[{"model":(1)2}, {}]', "w": '[{}, {"data", "model":(2)2}]'}

CASES = {
    "mlp": (mlp, (draw(8, 16), draw(16, 32), draw(32, 8)), XW),
    "mlp, parts": (mlp, (draw(8, 16), draw(16, 32), draw(32, 8)), PARTS),
    "scan_invariant": (scan_invariant, SQUARE, XW),
    "scan_layers": (scan_layers, LAYERS, {"x": P("data"), "w": P(None, None, "model")}),
    "scan_layers, parts": (scan_layers, LAYERS,
                           {"x": '[{"model":(2)2}, {}]', "w": P(None, None, "data")}),
    "scan_gradient": (scan_gradient, LAYERS, {"x": P("data"), "w": P(None, None, "model")}),
    "nested_loops": (nested_loops, SQUARE, XW),
    "branches": (branches, SQUARE, XW),
    "rematerialized": (rematerialized, SQUARE, XW),
    "several_results": (several_results, SQUARE,
                        {"x": P("data", "model"), "w": P("data", "model")}),
    "calls": (calls, SQUARE, XW),
    "keys": (keys, (jax.random.key(3), draw(8, 8)), {"x": P("data", "model")}),
    "uneven inside": (lambda x, w: (x @ w)[:7].sum(0), SQUARE, XW),
}


@pytest.mark.parametrize("name", CASES)
def test_same_results_and_the_shardings_asked_for(name):
    fn, args, shard = CASES[name]
    made = tessera.to_jax(tessera.propagate(fn, *args, mesh=MESH, shard=shard))
    compiled = made.lower(*args).compile()
    assert jax.tree.leaves(compiled.input_shardings) == made.shardings.arguments
    results = compiled(*map(jax.device_put, args, made.shardings.arguments))
    for a, b in zip(numbers(results), numbers(jax.jit(fn)(*args)), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-5)
    for result, asked in zip(results, made.shardings.results):
        assert result.sharding.is_equivalent_to(asked, result.ndim)


def test_no_part_of_an_axis_and_nothing_open_is_left():
    fn, args, shard = CASES["scan_layers, parts"]
    sharded = tessera.propagate(fn, *args, mesh=MESH, shard=shard)
    assert ":(2)2" in sharded.text and "?" in sharded.text
    text = tessera.to_jax(sharded).exported.mlir_module()
    assert '"model_1"' in text
    assert not re.search(r'"model"|":\(\d+\)\d+|sdy\.sharding[^>]*\?', text)


def test_what_is_inside_is_sharded_as_tessera_says():
    """XLA alone would keep the hidden units whole: nothing outside says otherwise."""
    args = draw(8, 16), draw(16, 32), draw(32, 8)
    sharded = tessera.propagate(mlp, *args, mesh=MESH, shard={"%0": P(None, "model")},
                                strategy="none")
    text = tessera.to_jax(sharded).lower(*args).compile().as_text()
    assert "f32[8,8]" in text and "dot(" in text


def test_shard_map():
    mesh = Mesh(devices(2, 4), ("data", "model"))

    def block(x, w):
        return jax.lax.psum(x @ w, "model")

    mapped = jax.shard_map(block, mesh=mesh, in_specs=(P("data", "model"), P("model")),
                           out_specs=P("data"))
    fn = lambda x, w: jnp.tanh(mapped(x, w))
    made = tessera.to_jax(tessera.propagate(fn, *SQUARE), mesh)
    np.testing.assert_allclose(made(*SQUARE), np.tanh(SQUARE[0] @ SQUARE[1]), rtol=1e-5, atol=1e-5)
    assert made.shardings.in_shardings[0].spec == P("data", "model")


def test_shard_map_beside_parts_of_its_axes():
    mesh = Mesh(devices(8), ("data",))
    mapped = jax.shard_map(lambda x: jax.lax.psum(x, "data"), mesh=mesh, in_specs=P("data"),
                           out_specs=P())
    fn = lambda x, y: (mapped(x), y * 2)
    x, y = draw(8, 4), draw(8, 4, seed=1)
    made = tessera.to_jax(tessera.propagate(fn, x, y, shard={"y": '[{"data":(2)4}, {}]'}))
    assert dict(made.shardings.mesh.shape) == {"data_0": 2, "data_1": 4}
    assert made.shardings.in_shardings[0].spec == P(("data_0", "data_1"))
    np.testing.assert_allclose(made(x, y)[0], x.sum(0, keepdims=True), rtol=1e-5, atol=1e-5)
    np.testing.assert_array_equal(made(x, y)[1], y * 2)


def test_parts_inside_that_do_not_go_together():
    def fn(x, y):
        return jnp.tanh(x) * 2, jnp.tanh(y) * 3

    x, y = draw(6), draw(6, seed=1)
    sharded = tessera.propagate(fn, x, y, mesh="a=6",
                                shard={"x": '[{"a":(1)2}]', "y": '[{"a":(1)3}]'})
    for result, expected in zip(tessera.to_jax(sharded)(x, y), fn(x, y)):
        np.testing.assert_allclose(result, expected, rtol=1e-6)


# ---- how it is called ----

def test_trees_keywords_and_static_arguments():
    def fn(params, n, *, scale):
        return {"sum": [params["a"] * n + scale, None]}

    params, scale = {"a": np.round(8 * draw(8, 4))}, np.round(8 * draw(8, 4, seed=1))
    made = tessera.to_jax(tessera.propagate(fn, params, 3, scale=scale, static_argnums=(1,),
                                            mesh=MESH, shard={"params.a": P("data")}))
    np.testing.assert_array_equal(made(params, 3, scale=scale)["sum"][0], params["a"] * 3 + scale)
    result = made(params, scale=scale)
    assert result["sum"][1] is None and result["sum"][0].sharding.spec == P("data")
    np.testing.assert_array_equal(result["sum"][0], params["a"] * 3 + scale)


def test_donated_arguments_are_donated():
    sharded = tessera.propagate(lambda x, y: x + y, *SQUARE, donate_argnums=(0,), mesh=MESH,
                                shard={"x": P("data")})
    made = tessera.to_jax(sharded)
    x, y = [jax.device_put(a, s) for a, s in zip(SQUARE, made.shardings.in_shardings)]
    made(x, y)
    assert x.is_deleted() and not y.is_deleted()


def test_arguments_wherever_they_are():
    fn, args, shard = CASES["mlp"]
    made = tessera.to_jax(tessera.propagate(fn, *args, mesh=MESH, shard=shard))
    on_one = [jax.device_put(a, jax.devices()[3]) for a in args]
    np.testing.assert_allclose(made(*on_one), made(*args), rtol=1e-6)


def test_the_users_mesh_and_its_order_of_devices():
    fn, args, shard = CASES["mlp"]
    mesh = Mesh(devices(2, 4)[::-1, ::-1], ("data", "model"))
    made = tessera.to_jax(tessera.propagate(fn, *args, mesh=mesh, shard=shard), mesh)
    result = made(*args)
    assert result.sharding.mesh is mesh
    np.testing.assert_allclose(result, fn(*args), rtol=1e-5, atol=1e-5)


def test_inside_of_jit():
    fn, args, shard = CASES["scan_layers"]
    made = tessera.to_jax(tessera.propagate(fn, *args, mesh=MESH, shard=shard))
    twice = jax.jit(lambda *args: made(*args)[0] * 2)
    np.testing.assert_allclose(twice(*args), fn(*args)[0] * 2, rtol=1e-5, atol=1e-5)


def test_two_programs_on_two_meshes_in_one_function():
    """Their meshes are called alike, and one has the other's axes in other sizes."""
    def made(mesh, spec, fn):
        return tessera.to_jax(tessera.propagate(fn, SQUARE[0], mesh=mesh, shard={"x": spec}))

    def mapped(names, shape):
        return jax.shard_map(lambda x: jax.lax.psum(x, names[0]), in_specs=P(names[0]),
                             out_specs=P(), mesh=Mesh(devices(*shape), names))

    first = made(MESH, P("data", "model"), lambda x: x * 2)
    second = made("data=4,model=2", P("model", "data"), lambda x: x * 3)
    third = made("a=8", P("a"), lambda x: x * 4)
    by_hand = [tessera.to_jax(tessera.propagate(mapped(("data", "model"), shape), SQUARE[0]))
               for shape in ((2, 4), (4, 2))]
    fn = jax.jit(lambda x: (first(x), second(x), third(x), first(x), by_hand[0](x), by_hand[1](x)))
    x = np.round(8 * SQUARE[0])
    expected = 2 * x, 3 * x, 4 * x, 2 * x, x[:4] + x[4:], x[:2] + x[2:4] + x[4:6] + x[6:]
    for result, value in zip(fn(x), expected, strict=True):
        np.testing.assert_array_equal(result, value)


def test_a_loaded_program():
    text = tessera.export(lambda x, w: (x @ w, x), *SQUARE).text
    sharded = tessera.propagate(tessera.load(text), mesh=MESH, shard={"0": P("data")})
    product, x = tessera.to_jax(sharded)(*SQUARE)
    np.testing.assert_allclose(product, SQUARE[0] @ SQUARE[1], rtol=1e-5, atol=1e-5)
    np.testing.assert_array_equal(x, SQUARE[0])


@pytest.mark.parametrize("exact", ["constraints", "local"])
def test_in_a_scan_and_exported(exact):
    x = np.arange(32, dtype="f").reshape(8, 4)
    made = tessera.to_jax(tessera.propagate(lambda x: 2 * x, x, mesh=MESH, shard={"x": P("data")}), exact=exact)
    thrice = lambda x: jax.lax.scan(lambda c, _: (made(c), None), x, None, length=3)[0]
    np.testing.assert_array_equal(thrice(x), 8 * x)
    np.testing.assert_array_equal(jax.jit(thrice)(x), 8 * x)
    assert jax.export.export(jax.jit(lambda x: made(x)))(x).nr_devices == 8


# ---- what is refused ----

def test_it_has_no_gradient_rather_than_a_wrong_one():
    made = tessera.to_jax(tessera.propagate(lambda x: jnp.sum(x * x), SQUARE[0], mesh=MESH,
                                            shard={"x": P("data")}))
    with pytest.raises(tessera.Unimplemented, match="no gradient"):
        jax.grad(made)(SQUARE[0])
    with pytest.raises(tessera.Unimplemented, match="no gradient"):
        jax.grad(lambda x: made.exported.call(x))(SQUARE[0])
    with pytest.raises(NotImplementedError):
        jax.vmap(made)(SQUARE[0][None])


def test_other_shapes_types_and_trees():
    fn, args, shard = CASES["mlp"]
    made = tessera.to_jax(tessera.propagate(fn, *args, mesh=MESH, shard=shard))
    with pytest.raises(tessera.InvalidArgument,
                       match=r"w is float32\[16, 31\], expected float32\[16, 32\]"):
        made(args[0], draw(16, 31), args[2])
    with pytest.raises(tessera.InvalidArgument, match="v is int32"):
        made(args[0], args[1], args[2].astype(np.int32))
    with pytest.raises(tessera.InvalidArgument, match="another structure"):
        made(*args[:2])


def test_meshes_that_do_not_fit():
    fn, args, shard = CASES["mlp"]
    sharded = tessera.propagate(fn, *args, mesh=MESH, shard=shard)
    with pytest.raises(tessera.InvalidArgument, match="the mesh does not fit"):
        tessera.to_jax(sharded, Mesh(devices(8), ("data",)))
    with pytest.raises(tessera.InvalidArgument, match="to_jax takes them in one order"):
        tessera.to_jax(sharded, Mesh(devices(4, 2), ("model", "data")))


def test_an_order_of_devices_in_the_program():
    text = '''module {
  sdy.mesh @m = <["a"=4], device_ids=[2, 3, 1, 0]>
  func.func public @main(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}]>})
      -> tensor<8xf32> {
    return %x : tensor<8xf32>
  }
}
'''
    with pytest.raises(tessera.Unimplemented, match="device_ids"):
        tessera.to_jax(tessera.propagate(tessera.load(text)))


def test_a_constraint_that_does_not_go_together_with_an_argument():
    text = '''module {
  sdy.mesh @mesh = <["a"=6]>
  func.func public @main(%x: tensor<6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a":(1)2}]>})
      -> tensor<6xf32> {
    %0 = stablehlo.add %x, %x : tensor<6xf32>
    %1 = sdy.sharding_constraint %0 <@mesh, [{"a":(1)3}]> : tensor<6xf32>
    %2 = stablehlo.add %1, %1 : tensor<6xf32>
    %3 = sdy.sharding_constraint %2 <@mesh, [{"a":(1)2}]> : tensor<6xf32>
    return %3 : tensor<6xf32>
  }
}
'''
    x = np.arange(6, dtype="f")
    sharded = tessera.propagate(tessera.load(text))
    np.testing.assert_array_equal(tessera.to_jax(sharded)(x), 4 * x)  # XLA decides there
    plain = sharded.text
    type(sharded).explicit_text, kept = property(lambda self: plain), type(sharded).explicit_text
    try:
        with pytest.raises(tessera.Unimplemented, match="do not go together"):
            tessera.to_jax(sharded)
    finally:
        type(sharded).explicit_text = kept


def test_gspmd_strings_in_the_program():
    text = '''module @jit_f attributes {mhlo.num_partitions = 8 : i32} {
  func.func public @main(%x: tensor<8x8xf32> {mhlo.sharding = "{devices=[2,4]<=[8]}"},
      %w: tensor<8x8xf32>) -> tensor<8x8xf32> {
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
        : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %1 = stablehlo.custom_call @Sharding(%0) {mhlo.sharding = "{devices=[8,1]<=[8]}"}
        : (tensor<8x8xf32>) -> tensor<8x8xf32>
    return %1 : tensor<8x8xf32>
  }
}
'''
    made = tessera.to_jax(tessera.propagate(tessera.load(text)))
    assert "mhlo.sharding" not in made.exported.mlir_module()
    np.testing.assert_allclose(made(*SQUARE), SQUARE[0] @ SQUARE[1], rtol=1e-5, atol=1e-5)
    x, _ = made.shardings.in_shardings
    assert x.shard_shape((8, 8)) == (4, 2)


def test_without_shardy(monkeypatch):
    monkeypatch.setattr(_jaxlib, "shardy_is_on", lambda jax: False)
    with pytest.raises(tessera.Unimplemented, match="Shardy"):
        tessera.to_jax(tessera.propagate(lambda x: x, SQUARE[0], mesh=MESH, shard={"x": P("data")}))


def test_a_type_that_jax_takes_only_with_x64():
    text = ('func.func public @main(%x: tensor<8xf64>) -> tensor<8xf64> {\n'
            '  return %x : tensor<8xf64>\n}\n')
    sharded = tessera.propagate(tessera.load(text), mesh=MESH, shard={"0": P("data")})
    with pytest.raises(tessera.InvalidArgument, match="jax_enable_x64"):
        tessera.to_jax(sharded)


def test_an_entry_of_another_name():
    program = tessera.load("func.func @foo(%x: tensor<8xf32>) -> tensor<8xf32> {\n"
                           "  %0 = stablehlo.tanh %x : tensor<8xf32>\n  return %0 : tensor<8xf32>\n}")
    fn = tessera.to_jax(tessera.propagate(program, mesh="a=2", shard={"x": P("a")}))
    x = np.linspace(-1, 1, 8, dtype="f")
    np.testing.assert_allclose(fn(x), np.tanh(x), rtol=1e-6)
    assert repr(fn) == "<tessera.JaxProgram @foo on a=2>"
