"""exact="local": stock JAX runs the local program inside a fully manual shard_map, on 8 CPU devices."""

import os
import re
import socket
import subprocess
import sys
import warnings

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.experimental import io_callback
from jax.sharding import AxisType, Mesh, NamedSharding, PartitionSpec as P

import tessera
from test_back_to_jax import CASES, MESH, SQUARE, XW, devices, draw, mlp, numbers

HERE = os.path.dirname(os.path.abspath(__file__))


def local(fn, *args, mesh=MESH, shard=XW, on=None, **options):
    return tessera.to_jax(tessera.propagate(fn, *args, mesh=mesh, shard=shard, **options), on, exact="local")


def same(results, expected, **tolerance):
    for a, b in zip(numbers(results), numbers(expected), strict=True):
        np.testing.assert_allclose(a, b, **{"rtol": 1e-5, "atol": 1e-5, **tolerance})


def copies_agree(results):
    """All devices that hold the same shard hold the same bits."""
    for result in jax.tree.leaves(results):
        if jax.dtypes.issubdtype(result.dtype, jax.dtypes.prng_key):
            result = jax.random.key_data(result)
        held = {}
        for shard in result.addressable_shards:
            held.setdefault(str(shard.index), set()).add(np.asarray(shard.data).tobytes())
        assert all(len(bits) == 1 for bits in held.values())


def collectives(text):
    """{kind: count} of a StableHLO or HLO module."""
    found = re.findall(r"stablehlo\.(all_\w+|collective_\w+|reduce_scatter)|"
                       r" (all-\w+(?:-\w+)?|collective-permute|reduce-scatter)\(", text)
    names = [(a or b).replace("_", "-") for a, b in found]
    return {name: names.count(name) for name in set(names)}


# ---- values ----

@pytest.mark.parametrize("name", CASES)
def test_same_results_and_the_shardings_asked_for(name):
    fn, args, shard = CASES[name]
    made = local(fn, *args, shard=shard)
    results = made(*args)
    same(results, jax.jit(fn)(*args))
    copies_agree(results)
    for result, asked in zip(jax.tree.leaves(results), made.shardings.results):
        assert result.sharding.is_equivalent_to(asked, result.ndim)


def test_xla_runs_our_collectives():
    made = local(mlp, *CASES["mlp"][1])
    ours, theirs = collectives(made.partitioned.text), collectives(made.lower(*CASES["mlp"][1]).compile().as_text())
    assert ours == theirs == {"all-reduce": 1}


def test_arguments_and_results_that_do_not_divide_are_padded():
    def fn(x, w):
        return x @ w, jnp.cumsum(x, 0), x.max(), w[:, :3]

    x, w = draw(7, 5), draw(5, 6, seed=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that the arrays outside are replicated is told
        made = local(fn, x, w, shard={"x": P("model", "data"), "w": P("data", "model")})
    assert "tensor<2x3xf32>" in made.partitioned.text  # tiles of x
    same(made(x, w), fn(x, w))
    same(jax.jit(made)(x, w), fn(x, w))


def test_empty_arrays_and_scalars():
    fn = lambda x, y, s: (jnp.concatenate([x, y]) * s, x.sum(0), s + 1)
    args = np.zeros((0, 8), "f"), draw(8, 8), np.float32(2)
    same(local(fn, *args, shard={"x": P("data", "model"), "y": P("data", "model")})(*args), fn(*args))


def test_what_xlas_own_partitioner_gets_wrong():
    """Two cumulatives of a sharded dimension, and a dilated window: XLA given only shardings computes other numbers."""
    both = lambda x: (jnp.cumsum(x, 1), jnp.cumprod(x, 1))
    x = draw(8, 16)
    same(tessera.autoshard(both, mesh=MESH, shard={"x": P("data", "model")})(x), both(x))

    def window(x):
        return jax.lax.reduce_window(x, np.int32(0), jax.lax.add, (3,), (1,), ((2, 2),), (2,), (2,))

    for size, n in ((5, 2), (6, 4), (8, 2), (8, 4)):
        x = np.arange(1, size + 1, dtype="i4")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            made = local(window, x, mesh=f"a={n}", shard=[("0", '[{"a"}]')])
        np.testing.assert_array_equal(made(x), jax.jit(window)(x))


def test_sums_of_16_bits_are_rounded_once():
    x = np.ones((8, 4), np.float16)
    x[0] = 2048
    made = local(lambda x: x.sum(0, dtype=np.float16), x, mesh="a=8", shard={"x": P("a")})
    np.testing.assert_array_equal(made(x), np.full(4, 2056, np.float16))  # 2048 if each sum is rounded


def test_copies_have_the_same_bits():
    """Sums whose order matters, replicated on all 8 devices; also of tiles that are padded."""
    fn = lambda x, w: (x.sum(), (x @ w).sum(0), jax.nn.softmax(x.ravel())[:3], jnp.linalg.norm(x @ w))
    for rows in (64, 61):
        x, w = 1e3 * draw(rows, 24), draw(24, 16, seed=1)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            made = local(fn, x, w, shard={"x": P("model", "data"), "w": P("data", "model")})
        results = made(x, w)
        assert all(len(result.addressable_shards) == 8 for result in results)
        copies_agree(results)
        same(results, jax.jit(fn)(x, w), rtol=1e-4, atol=0.1)


@pytest.mark.parametrize("name, fn", {
    "set": lambda x, i: x.at[i].set(50.0), "add": lambda x, i: x.at[i].add(50.0), "clip": lambda x, i: x.at[i].set(50.0, mode="clip"),
    "several": lambda x, i: x.at[jnp.stack([i, i + 2])].set(50.0),
    "update": lambda x, i: jax.lax.dynamic_update_slice(x, jnp.full(1, 50.0), (i,)),
    "update two": lambda x, i: jax.lax.dynamic_update_slice(x, jnp.full(2, 50.0), (i,)),
    "slice": lambda x, i: jax.lax.dynamic_slice(x, (i,), (2,)), "take": lambda x, i: x[i]}.items())
def test_indices_in_padded_shards(name, fn):
    """XLA merges the slice that gives a device its padded shard with slices of that; it does not clamp between them."""
    x = np.arange(1, 12, dtype="f")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made = local(fn, x, np.int32(0), mesh="a=4", shard={"x": P("a")})
    inside = jax.jit(lambda x, i: made(1 * x, i))
    for i in range(-2, 13):
        expected = fn(jnp.asarray(x), np.int32(i))
        np.testing.assert_array_equal(made(x, np.int32(i)), expected)
        np.testing.assert_array_equal(inside(x, np.int32(i)), expected)


@pytest.mark.parametrize("reduce, dtype", [(jnp.bitwise_and.reduce, "int32"), (jnp.bitwise_or.reduce, "int8"),
                                           (jnp.bitwise_xor.reduce, "uint32"), (jnp.logical_xor.reduce, "bool")])
@pytest.mark.parametrize("result", [P(), P(None, "model")])
def test_reductions_that_xla_has_no_collective_for(reduce, dtype, result):
    fn = lambda x: (reduce(x, axis=0), reduce(x, axis=(0, 1, 2)))
    x = np.random.default_rng(0).integers(0, 2 if dtype == "bool" else 100, (8, 3, 8)).astype(dtype)
    for made in (local(fn, x, shard={"x": P(("data", "model")), "result.0": result}), local(fn, x, shard={"x": P("data"), "result.0": result})):
        results = made(x)
        for a, b in zip(results, fn(x), strict=True):
            np.testing.assert_array_equal(a, b)
        copies_agree(results)


# ---- meshes ----

def test_the_users_mesh_and_its_order_of_devices():
    fn, args, shard = CASES["scan_layers"]
    mesh = Mesh(devices(2, 4)[::-1, ::-1], ("data", "model"))
    result = local(fn, *args, mesh=mesh, shard=shard, on=mesh)(*args)
    assert jax.tree.leaves(result)[0].sharding.mesh == mesh
    same(result, fn(*args))


@pytest.mark.parametrize("kinds", [(AxisType.Auto,) * 2, (AxisType.Explicit,) * 2, (AxisType.Explicit, AxisType.Auto)])
def test_the_mesh_that_is_set(kinds):
    x, w, v = CASES["mlp"][1]
    mesh = Mesh(devices(2, 4), ("data", "model"), axis_types=kinds)
    fn = tessera.autoshard(mlp, shard=XW, exact="local")
    with jax.set_mesh(mesh):
        results = fn(x, w, v), jax.jit(fn)(x, w, v), jax.jit(lambda *a: fn(*a) * 2)(x, w, v) / 2
        assert results[0].sharding.mesh == mesh and results[0].sharding.spec == P("data")
        on_it = jax.device_put(x, NamedSharding(mesh, P(None, "model")))  # resharded to where it belongs
        results += (fn(on_it, w, v), jax.jit(fn)(on_it, w, v))
    for result in results:
        same(result, mlp(x, w, v))


@pytest.mark.parametrize("rows", [8, 7])
def test_arrays_over_explicit_axes(rows):
    """to_jax takes arrays on the user's mesh, also those that it pads, and inside of what is jitted there."""
    fn, (x, w) = lambda x, w: (jnp.tanh(x @ w), x.sum(0)), (draw(rows, 8), draw(8, 8, seed=1))
    mesh = Mesh(devices(2, 4)[::-1], ("data", "model"), axis_types=(AxisType.Explicit,) * 2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made = local(fn, x, w, mesh=mesh, shard={"x": P("model"), "w": P(None, "data")}, on=mesh)
    given = jax.device_put(x, NamedSharding(mesh, P(None, "model"))), jax.device_put(w, NamedSharding(mesh, P("data")))
    same(made(*given), fn(x, w))
    with jax.set_mesh(mesh):
        same(made(*given), fn(x, w))
        same(jax.jit(made)(*given), fn(x, w))
        same(jax.jit(lambda x, w: made(2 * x, w))(*given), fn(2 * x, w))


def test_scan_over_explicit_axes():
    mesh = Mesh(devices(2, 4), ("data", "model"), axis_types=(AxisType.Explicit,) * 2)
    with jax.set_mesh(mesh):
        fn = tessera.autoshard(lambda x, w: jnp.tanh(x @ w), shard={"x": P("data")}, exact="local")
        x = jax.device_put(SQUARE[0], NamedSharding(mesh, P("data")))
        scanned = jax.jit(lambda x, w: jax.lax.scan(lambda h, _: (fn(h, w), None), x, None, length=2)[0])
        same(scanned(x, SQUARE[1]), np.tanh(np.tanh(SQUARE[0] @ SQUARE[1]) @ SQUARE[1]))


def test_some_of_the_devices():
    """A mesh of four devices, not the first, in an order of its own; the function has a shard_map over it."""
    mesh = Mesh(np.array(jax.devices())[[5, 2, 7, 0]].reshape(2, 2), ("data", "model"))

    def fn(x, w):
        body = lambda x: x + jax.lax.axis_index("data") + jax.lax.psum(x, "model")
        return jax.shard_map(body, mesh=mesh, in_specs=P("data", "model"), out_specs=P("data", "model"))(x) @ w

    result = local(fn, *SQUARE, mesh=mesh, on=mesh)(*SQUARE)
    assert result.devices() == set(mesh.devices.flat)
    same(result, jax.jit(fn)(*SQUARE))
    at = lambda rows: [s.device for s in result.addressable_shards if s.index[0] == rows]
    assert set(at(slice(0, 4))) == set(mesh.devices[0])


def test_another_mesh_is_set():
    made = local(mlp, *CASES["mlp"][1])
    with jax.set_mesh(Mesh(devices(8), ("all",), axis_types=(AxisType.Auto,))):
        same(made(*CASES["mlp"][1]), mlp(*CASES["mlp"][1]))
        same(jax.jit(made)(*CASES["mlp"][1]), mlp(*CASES["mlp"][1]))


def test_two_processes():
    """A mesh over the devices of two JAX processes on this machine."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    env = {**os.environ, "XLA_FLAGS": "--xla_force_host_platform_device_count=4", "JAX_PLATFORMS": "cpu"}
    command = [sys.executable, os.path.join(HERE, "two_processes.py"), str(port)]
    running = [subprocess.Popen([*command, str(i)], env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
               for i in range(2)]
    said = [process.communicate(timeout=300)[0] for process in running]
    assert [process.returncode for process in running] == [0, 0], "\n".join(said)
    assert all(text.rstrip().endswith("agrees") for text in said), said


# ---- with the rest of JAX ----

def test_inside_of_jit_and_scan():
    made = local(lambda x, w: jnp.tanh(x @ w), *SQUARE)
    expected = SQUARE[0]
    for _ in range(3):
        expected = np.tanh(expected @ SQUARE[1])
    scanned = jax.jit(lambda x, w: jax.lax.scan(lambda h, _: (made(h, w), None), x, None, length=3)[0])
    same(scanned(*SQUARE), expected)
    looped = jax.jit(lambda x, w: jax.lax.fori_loop(0, 3, lambda _, h: made(h, w), x))
    same(looped(*SQUARE), expected)
    mapped = jax.jit(lambda xs, w: jax.lax.map(lambda x: made(x, w), xs))
    same(mapped(np.stack([SQUARE[0]] * 2), SQUARE[1]), np.stack([np.tanh(SQUARE[0] @ SQUARE[1])] * 2))
    chosen = jax.jit(lambda p, x, w: jax.lax.cond(p, made, lambda x, w: x, x, w))
    same([chosen(True, *SQUARE), chosen(False, *SQUARE)], [np.tanh(SQUARE[0] @ SQUARE[1]), SQUARE[0]])


def test_without_arguments_and_without_results():
    made = tessera.to_jax(tessera.propagate(lambda: jnp.arange(8.0), mesh=MESH, shard={"result": P("data")}), exact="local")
    same([made(), jax.jit(made)()], [np.arange(8.0)] * 2)
    assert made().sharding.spec == P("data")
    assert local(lambda x: (), SQUARE[0], shard={"x": P("data")})(SQUARE[0]) == ()


def test_several_programs_in_one_module():
    """Functions are called after what is in them: equal programs share theirs, others do not meet."""
    def made(factor, mesh, spec):
        inner = jax.jit(lambda x: x * factor)  # a function of its own in each program
        return local(lambda x: inner(x) + inner(x).sum(), SQUARE[0], mesh=mesh, shard={"x": spec})

    first, again = made(2, MESH, P("data", "model")), made(2, MESH, P("data", "model"))
    second, third = made(3, "data=4,model=2", P("model", "data")), made(4, "a=8", P("a"))
    x = np.round(8 * SQUARE[0])
    both = jax.jit(lambda x: (first(x), again(x), second(x), third(x)))
    same(both(x), [k * x + (k * x).sum() for k in (2, 2, 3, 4)])
    names = re.findall(r"func\.func private @(tessera_\w+_main)", both.lower(x).as_text())
    assert len(names) == len(set(names)) == 3


def test_donated_arguments_are_donated():
    made = local(lambda x, y: (x + y, y.sum()), *SQUARE, donate_argnums=(0,), shard={"x": P("data")})
    x, y = [jax.device_put(a, s) for a, s in zip(SQUARE, made.shardings.in_shardings)]
    made(x, y)
    assert x.is_deleted() and not y.is_deleted()
    assert "input_output_alias" in made.lower(*SQUARE).compile().as_text()

    fn = tessera.autoshard(lambda p, x: {k: w + x for k, w in p.items()}, mesh=MESH, shard={"p.*": P("data")},
                           donate_argnames="p", exact="local")
    params = {"a": SQUARE[0], "b": SQUARE[1]}
    on = jax.device_put(params, fn.shardings(p=params, x=SQUARE[0]).kwargs["p"])
    same(fn(p=on, x=SQUARE[0]), {k: w + SQUARE[0] for k, w in params.items()})
    assert on["a"].is_deleted() and on["b"].is_deleted()


def test_weak_types_keys_and_trees():
    def fn(key, params, n):
        noise = jax.random.normal(key, params["x"].shape)
        return {"x": params["x"] * n + noise, "key": jax.random.split(key, 4), "weak": 2.0}

    params = {"x": SQUARE[0]}
    made = local(fn, jax.random.key(1), params, 3, shard={"params.x": P("data")}, static_argnums=2)
    result, expected = made(jax.random.key(1), params, 3), jax.jit(fn, static_argnums=2)(jax.random.key(1), params, 3)
    same(result, expected)
    assert result["weak"].weak_type and not result["x"].weak_type
    assert result["key"].dtype == expected["key"].dtype
    traced = jax.jit(lambda k, p: made(k, p, 3))(jax.random.key(1), params)
    assert traced["weak"].weak_type and traced["key"].shape == (4,)


def test_numbers_of_python_are_weak():
    fn, x = lambda x, s: (x * s, s + 1), SQUARE[0].astype(jnp.bfloat16)
    for made in (local(fn, x, 2.0, shard={"x": P("data")}), tessera.autoshard(fn, mesh=MESH, shard={"x": P("data")}, exact="local")):
        for scaled, more in (made(x, 3.0), jax.jit(made)(x, 3.0)):
            assert scaled.dtype == jnp.bfloat16 and not scaled.weak_type and more.weak_type and more == 4


@pytest.mark.parametrize("impl", ["threefry2x32", "rbg"])
@pytest.mark.parametrize("n", [8, 7])
def test_sharded_keys(impl, n):
    """Keys of any generator, sharded, also with padding."""
    fn = lambda keys: (jax.vmap(lambda k: jax.random.fold_in(k, 3))(keys), keys[1], jax.random.uniform(keys[0], (4,)))
    keys = jax.random.split(jax.random.key(5, impl=impl), n)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made = local(fn, keys, shard={"keys": P("model")})
    expected = jax.jit(fn)(keys)
    for results in (made(keys), jax.jit(made)(keys)):
        assert [r.dtype for r in results] == [e.dtype for e in expected]
        for a, b in zip(numbers(results), numbers(expected)):
            np.testing.assert_array_equal(a, b)
    if n == 8:
        assert made(keys)[0].sharding.spec == P("model")


def test_jax_export_round_trip():
    args = CASES["mlp"][1]
    made = local(mlp, *args)
    outside = jax.export.export(jax.jit(lambda *a: made(*a) * 2))(*args)
    again = jax.export.deserialize(outside.serialize())
    on = Mesh(devices(2, 4), ("a", "b"), axis_types=(AxisType.Auto,) * 2)
    put = [jax.device_put(a, NamedSharding(on, P())) for a in args]
    same(jax.jit(again.call)(*put), mlp(*args) * 2)
    same(jax.jit(made.exported.call)(*put), mlp(*args))


def test_gradients_and_vmap_warn_once_and_use_the_function():
    loss = lambda x, w: jnp.sum(jnp.tanh(x @ w) ** 2)
    expected = jax.grad(loss, (0, 1))(*SQUARE)
    for made in (local(loss, *SQUARE), tessera.autoshard(loss, mesh=MESH, shard=XW, exact="local")):
        with pytest.warns(UserWarning, match="grad of a local program runs the Python function") as told:
            same(jax.grad(made, (0, 1))(*SQUARE), expected)
        assert len(told) == 1 and told[0].filename == __file__
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            same(jax.jit(jax.grad(made, (0, 1)))(*SQUARE), expected)
            stacked = np.stack([SQUARE[0], 2 * SQUARE[0]])
            same(jax.vmap(made, (0, None))(stacked, SQUARE[1]), jax.vmap(loss, (0, None))(stacked, SQUARE[1]))
            same(jax.vmap(jax.grad(made), (0, None))(stacked, SQUARE[1]), jax.vmap(jax.grad(loss), (0, None))(stacked, SQUARE[1]))
            same(jax.jvp(made, SQUARE, SQUARE), jax.jvp(loss, SQUARE, SQUARE))
            same(jax.hessian(made, 1)(*SQUARE), jax.hessian(loss, 1)(*SQUARE), rtol=1e-4, atol=1e-4)
            same(jax.grad(jax.checkpoint(made))(*SQUARE), expected[0])


def test_vmap_alone_warns_once():
    fn = lambda x, w: jnp.tanh(x @ w)
    made, stacked = local(fn, *SQUARE), np.stack([SQUARE[1], 2 * SQUARE[1]])
    with pytest.warns(UserWarning, match="vmap of a local program runs the Python function") as told:
        for _ in range(2):
            same(jax.vmap(made, (None, 0), out_axes=1)(SQUARE[0], stacked), jax.vmap(fn, (None, 0), out_axes=1)(SQUARE[0], stacked))
    assert len(told) == 1 and told[0].filename == __file__


def test_gradients_over_explicit_axes_warn_once():
    loss = lambda x, w: jnp.sum(jnp.tanh(x @ w) ** 2)
    mesh = Mesh(devices(2, 4), ("data", "model"), axis_types=(AxisType.Explicit,) * 2)
    with jax.set_mesh(mesh), pytest.warns(UserWarning, match="grad of a local program") as told:
        fn = tessera.autoshard(loss, shard={"x": P("data")}, exact="local")
        on = jax.device_put(SQUARE[0], NamedSharding(mesh, P("data"))), SQUARE[1]
        for args in (SQUARE, on):
            same(jax.grad(fn)(*args), jax.grad(loss)(*SQUARE))
            same(jax.jit(jax.grad(fn))(*args), jax.grad(loss)(*SQUARE))
    assert len(told) == 1


def test_a_loaded_program_has_no_gradient():
    text = tessera.export(lambda x, w: x @ w, *SQUARE).text
    made = tessera.to_jax(tessera.propagate(tessera.load(text), mesh=MESH, shard={"0": P("data")}), exact="local")
    same(made(*SQUARE), SQUARE[0] @ SQUARE[1])
    with pytest.raises(tessera.Unimplemented, match="no gradient"):
        jax.grad(lambda x: made(x, SQUARE[1]).sum())(SQUARE[0])


def test_without_jit():
    fn = tessera.autoshard(mlp, mesh=MESH, shard=XW)
    with jax.disable_jit():
        same(fn(*CASES["mlp"][1]), mlp(*CASES["mlp"][1]))


# ---- which form autoshard takes ----

def forms(fn, *args, **options):
    text = tessera.autoshard(fn, mesh=MESH, **options).lower(*args).as_text()
    return "local" if "tessera_" in text else "constraints" if "sdy.sharding_constraint" in text else "none"


def test_on_the_cpu_the_local_program_is_the_default():
    args = CASES["mlp"][1]
    assert forms(mlp, *args, shard=XW) == "local"
    assert forms(mlp, *args, shard=XW, exact=True) != "local"
    assert forms(mlp, *args, shard=XW, exact=False) == "none"


def test_what_the_local_program_has_no_word_for_falls_back(capfd):
    def prints(x):
        jax.debug.print("sum {}", x.sum())
        return 2 * x

    fn = tessera.autoshard(prints, mesh=MESH, shard={"x": P("data")})
    np.testing.assert_array_equal(fn(SQUARE[0]), 2 * SQUARE[0])
    with pytest.raises(tessera.Unimplemented, match="calls back into Python"):
        tessera.autoshard(prints, mesh=MESH, shard={"x": P("data")}, exact="local")(SQUARE[0])


def test_ordered_effects_fall_back():
    seen = []

    def fn(x):
        for sign in (1, -1):
            io_callback(lambda v, sign=sign: seen.append(sign * float(v)), None, x[0, 0], ordered=True)
        return 2 * x

    with pytest.raises(tessera.Unimplemented, match="calls back into Python"):
        tessera.autoshard(fn, mesh=MESH, shard={"x": P("data")}, exact="local")(SQUARE[0])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        np.testing.assert_array_equal(tessera.autoshard(fn, mesh=MESH, shard={"x": P("data")})(SQUARE[0]), 2 * SQUARE[0])
    jax.effects_barrier()
    first = float(SQUARE[0][0, 0])
    assert seen == [first, -first]


def test_host_memory_falls_back():
    """Inside of the function, and for a result, which stays in the memory that the function put it in."""
    mesh = Mesh(devices(2, 4), ("data", "model"))
    in_memory = lambda x, kind: jax.device_put(x, NamedSharding(mesh, P("data"), memory_kind=kind))
    places = jax.__version_info__ >= (0, 10)  # before, XLA:CPU refuses memory kinds in any jax.jit with out_shardings
    host = "pinned_host" if places else "device"
    inside = lambda x: in_memory(in_memory(2 * x, "pinned_host"), "device") + 1
    result = lambda x: (in_memory(2 * x, "pinned_host"), x + 1)
    for fn in (inside, result):
        assert forms(fn, SQUARE[0], shard={"x": P("data")}) != "local"
        with pytest.raises(tessera.Unimplemented, match="host memory"):
            tessera.autoshard(fn, mesh=MESH, shard={"x": P("data")}, exact="local")(SQUARE[0])
        for exact in (None, True, False) if places else (None, True):
            made = tessera.autoshard(fn, mesh=mesh, shard={"x": P("data")}, exact=exact)
            for results in (made(SQUARE[0]), jax.jit(made)(SQUARE[0])):
                same(results, fn(SQUARE[0]))
                kinds = [r.sharding.memory_kind for r in jax.tree.leaves(results)]
                assert kinds == (["device"] if fn is inside else [host, "device"])


def test_an_argument_in_host_memory():
    mesh = Mesh(devices(2, 4), ("data", "model"))
    x = jax.device_put(SQUARE[0], NamedSharding(mesh, P("data"), memory_kind="pinned_host"))
    same(local(lambda x, w: x @ w, *SQUARE)(x, SQUARE[1]), SQUARE[0] @ SQUARE[1])


def test_words_for_exact():
    with pytest.raises(tessera.InvalidArgument, match="exact is 'whole', expected one of 'constraints', 'local'"):
        tessera.to_jax(tessera.propagate(mlp, *CASES["mlp"][1], mesh=MESH, shard=XW), exact="whole")
    with pytest.raises(tessera.InvalidArgument, match="exact is 'whole', expected True, False"):
        tessera.autoshard(mlp, mesh=MESH, shard=XW, exact="whole")


# ---- the source ----

def test_what_is_private_in_jax_is_used_in_one_file():
    private = re.compile(r"\bjax\._src\b|\bjaxlib\b(?!\.__version__)|\bjax\.(?:interpreters|extend)\b|_jit_info\b|\b_impl\b|\._lowering\b")
    package = os.path.dirname(tessera.__file__)
    using = [name for name in sorted(os.listdir(package)) if name.endswith(".py")
             and private.search(open(os.path.join(package, name)).read().replace("_jaxlib", ""))]
    assert using == ["_jaxlib.py"]
