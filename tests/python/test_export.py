"""From JAX functions to programs: names, trees, donation, static arguments, shardings, keys."""

import dataclasses
import functools
import importlib
import inspect
import os
import unittest
import warnings
from unittest import mock

os.environ.setdefault("JAX_PLATFORMS", "cpu")

import jax
import jax.numpy as jnp
import numpy as np
from jax import ShapeDtypeStruct
from jax.sharding import AbstractMesh, NamedSharding, PartitionSpec as P

import tessera


def f32(*shape):
    return ShapeDtypeStruct(shape, jnp.float32)


def step(params, batch, lr=0.1):
    def loss(p):
        return jnp.mean((batch["x"] @ p["layers"][0].w - batch["y"]) ** 2)
    value, grads = jax.value_and_grad(loss)(params)
    return value, jax.tree.map(lambda p, g: p - lr * g, params, grads)


@functools.partial(jax.tree_util.register_dataclass, data_fields=["w", "unused"], meta_fields=[])
class Layer:
    def __init__(self, w, unused):
        self.w, self.unused = w, unused


def arguments(make):
    return ({"layers": [Layer(make(8, 4), make(3))], "none": None},
            {"x": make(16, 8), "y": make(16, 4)})


class Names(unittest.TestCase):
    def test_paths(self):
        e = tessera.export(step, *arguments(f32))
        self.assertEqual(e.arg_names,
                         ["params.layers.0.w", "params.layers.0.unused", "batch.x", "batch.y"])
        self.assertEqual(e.result_names,
                         ["result.0", "result.1.layers.0.w", "result.1.layers.0.unused"])
        self.assertEqual([a.shape for a in e.in_avals], [(8, 4), (3,), (16, 8), (16, 4)])
        self.assertEqual(jax.tree.structure((arguments(f32), {})), e.in_tree)
        self.assertIn("test_export.py", e.text)  # locations

    def test_keywords(self):
        e = tessera.export(step, *arguments(f32), lr=f32())
        self.assertEqual(e.arg_names[-1], "lr")

    def test_star(self):
        def g(*xs, **more):
            return xs[0] + more["b"]
        self.assertEqual(tessera.export(g, f32(2), f32(3), b=f32(2)).arg_names,
                         ["xs.0", "xs.1", "more.b"])

    def test_partial_and_methods(self):
        class Model:
            def forward(self, x):
                return x * 2
            __call__ = forward
        for fn in (Model().forward, Model(), functools.partial(lambda y, x: x * y, 2.0)):
            self.assertEqual(tessera.export(fn, f32(2)).arg_names, ["x"])

    def test_rules_match_paths(self):
        s = tessera.propagate(step, *arguments(f32), mesh="data=2,model=2", shard={
            "params.layers.*.w": P(None, "model"), "batch.*": P("data")})
        self.assertEqual(s.argument_shardings[0], '<@mesh, [{}, {"model"}]>')
        self.assertEqual(s.argument_shardings[2], '<@mesh, [{"data"}, {}]>')
        self.assertEqual(s.argument_parts[0], "tensor<8x2xf32>")


class Keys(unittest.TestCase):
    def test_a_key_is_on_no_mesh(self):
        fn = lambda key, x: (jax.random.split(key)[0], x + jax.random.normal(key, x.shape))
        sharded = tessera.propagate(fn, jax.random.key(0), np.ones((8, 2), "f"), mesh="a=2",
                                    shard={"x": P("a")})
        self.assertEqual((sharded.argument_shardings[0], sharded.meshes), (None, {"mesh": {"a": 2}}))
        self.assertNotIn("empty_mesh", repr(sharded))


class Jit(unittest.TestCase):
    def test_donation(self):
        e = tessera.export(step, *arguments(f32), donate_argnums=0)
        self.assertEqual(e.donated, [True, True, False, False])
        self.assertIn("tf.aliasing_output = 1", e.text)
        self.assertNotIn("tessera/export.py", e.text)  # locations are of the user's lines
        e = tessera.export(lambda x: x.astype(jnp.bfloat16), f32(3), donate_argnums=(0,))
        self.assertIn("jax.buffer_donor = true", e.text)

    def test_static(self):
        def power(x, n, *, up):
            return x ** n if up else x
        x = np.arange(3, dtype="f")
        for call in (lambda: tessera.run(power, x, 2, up=True, static_argnums=1,
                                         static_argnames="up"),
                     lambda: tessera.run(power, x, 2, up=True, static_argnames=("n", "up")),
                     lambda: tessera.run(power, x, n=2, up=True, static_argnames=["n", "up"])):
            np.testing.assert_array_equal(call(), x ** 2)

    def test_jitted(self):
        """What a jit says holds, and what it would drop is kept."""
        @functools.partial(jax.jit, static_argnames="n", donate_argnums=0)
        def g(p, n, unused):
            return p["a"] * n
        e = tessera.export(g, {"a": f32(4), "b": f32(2)}, 3, f32(5))
        self.assertEqual(e.arg_names, ["p.a", "p.b", "unused"])
        self.assertEqual(e.donated, [True, True, False])
        p = {"a": np.arange(4, dtype="f"), "b": np.ones(2, "f")}
        unused = np.ones(5, "f")
        for call in (lambda: tessera.run(g, p, 3, unused), lambda: tessera.run(e, p, 3, unused),
                     lambda: tessera.run(e, p, unused)):
            np.testing.assert_array_equal(call(), p["a"] * 3)

    def test_jitted_methods(self):
        class Scale:
            @functools.partial(jax.jit, static_argnums=0)
            def __call__(self, x, y):
                return x * 3 + y
        x = np.ones(3, "f")
        for fn in (Scale(), Scale().__call__):
            np.testing.assert_array_equal(tessera.run(fn, x, y=x), 4)
            np.testing.assert_array_equal(tessera.run(tessera.export(fn, x, x), x, x), 4)

        @jax.tree_util.register_dataclass
        @dataclasses.dataclass
        class Layer:
            w: np.ndarray

            @jax.jit
            def apply(self, x):
                return self.w * x
        layer = Layer(2 * x)
        e = tessera.export(layer.apply, x)
        self.assertEqual(e.arg_names, ["self.w", "x"])
        np.testing.assert_array_equal(tessera.run(e, x), 2)
        np.testing.assert_array_equal(tessera.run(layer.apply, x), 2)

    def test_jitted_inside(self):
        inner = jax.jit(lambda x: x * 2)
        np.testing.assert_array_equal(tessera.run(lambda x: inner(x) + inner(x + 1), np.ones(3)), 6)


class Meshes(unittest.TestCase):
    # Over axes of the type Explicit, which newer versions of JAX make by default, JAX propagates by itself.
    mesh = AbstractMesh((2, 4), ("data", "model"), axis_types=(jax.sharding.AxisType.Auto,) * 2)

    def test_sharded_arguments(self):
        a = ShapeDtypeStruct((8, 8), jnp.float32, sharding=NamedSharding(self.mesh, P("data", "model")))
        s = tessera.propagate(lambda a: a + 1, a)
        self.assertEqual(s.argument_shardings, ['<@mesh, [{"data"}, {"model"}]>'])
        self.assertEqual(s.result_parts, ["tensor<4x2xf32>"])
        self.assertEqual(s.meshes, {"mesh": {"data": 2, "model": 4}})

    def test_shard_map(self):
        f = jax.shard_map(lambda x: jax.lax.psum(x, "data"), mesh=self.mesh,
                          in_specs=P("data", "model"), out_specs=P(None, "model"))
        x = np.arange(64, dtype="f").reshape(8, 8)
        np.testing.assert_array_equal(tessera.run(f, x), x[:4] + x[4:])
        made = tessera.partition(f, x)
        self.assertEqual(made.devices, 8)
        self.assertEqual([c.kind for c in made.collectives], ["all_reduce"])
        self.assertIn("the input has %1 = stablehlo.all_reduce", repr(made))

    def test_mesh_objects(self):
        x = np.ones((8, 8), "f")
        for mesh in (self.mesh, {"data": 2, "model": 4}, "data=2,model=4"):
            made = tessera.partition(lambda a: a + 1, x, mesh=mesh, shard={"a": P("model")})
            self.assertEqual(made.devices, 8)

    def test_constraint(self):
        def g(x):
            return jax.lax.with_sharding_constraint(x * 2, NamedSharding(self.mesh, P("data"))) + 1
        s = tessera.propagate(g, f32(8, 8))
        self.assertEqual(s.result_shardings, ['<@mesh, [{"data", ?}, {?}]>'])


@unittest.skipUnless(len(jax.devices()) >= 8, "needs 8 devices (XLA_FLAGS)")
class JaxDevices(unittest.TestCase):
    """What JAX says of its own devices is what Tessera's have."""

    def setUp(self):
        self.mesh = jax.make_mesh((2, 4), ("data", "model"),
                                  axis_types=(jax.sharding.AxisType.Auto,) * 2)
        self.x = np.arange(64, dtype="f").reshape(8, 8)

    def on(self, *spec):
        return NamedSharding(self.mesh, P(*spec))

    def test_arrays(self):
        x = jax.device_put(self.x, self.on("data"))
        made = tessera.partition(lambda x: x @ x.T, x)
        self.assertEqual(made.devices, 8)
        np.testing.assert_array_equal(made.run(x), self.x @ self.x.T)

    def test_jit(self):
        def f(p, x, n=2):
            return {"y": x @ p["w"] * n}
        args = {"w": self.x}, self.x
        jitted = jax.jit(f, in_shardings=({"w": self.on(None, "model")}, self.on("data")),
                         out_shardings={"y": self.on("data", "model")})
        s = tessera.propagate(jitted, *args)
        self.assertEqual(s.argument_shardings, ['<@mesh, [{}, {"model"}]>', '<@mesh, [{"data"}, {}]>'])
        self.assertEqual(s.result_shardings, ['<@mesh, [{"data"}, {"model"}]>'])
        jitted = jax.jit(f, in_shardings=(self.on(None, "model"), None), static_argnums=2)
        s = tessera.propagate(jitted, *args, 3)
        self.assertEqual(s.argument_shardings[0], '<@mesh, [{}, {"model"}]>')
        np.testing.assert_array_equal(tessera.run(jitted, *args, 3)["y"], self.x @ self.x * 3)

    def test_other_order(self):
        devices = np.array(jax.devices()[:8])[[3, 1, 4, 0, 5, 2, 7, 6]].reshape(2, 4)
        mesh = jax.sharding.Mesh(devices, ("data", "model"))
        f = jax.shard_map(lambda x: x * (1 + jax.lax.axis_index("model")), mesh=mesh,
                          in_specs=P("data", "model"), out_specs=P("data", "model"))
        want = self.x * np.repeat(np.arange(1, 5), 2)
        np.testing.assert_array_equal(jax.jit(f)(self.x), want)
        np.testing.assert_array_equal(tessera.run(f, self.x), want)


class Names(unittest.TestCase):
    def shard(self, fn, *args, **rules):
        """Per name of an argument or result the dimension that is cut, and whether the value was annotated."""
        found = tessera.propagate(fn, *args, mesh="a=2", shard=[(k.replace("_", "."), v) for k, v in rules.items()])
        names = found.program.arg_names + found.program.result_names
        texts = found.argument_shardings + found.result_shardings
        return {name: text and text[text.index("["):-1] for name, text in zip(names, texts)}

    def test_a_path_is_not_a_number(self):
        """result.1 of a tree is not the result number 1."""
        x = np.ones((8, 4), "f")
        found = self.shard(lambda x: ((x + 1, x + 2), x + 3, x + 4), x, result_2=P("a"), result_1=P(None, "a"))
        self.assertEqual(found["result.2"], '[{"a"}, {}]')
        self.assertEqual(found["result.1"], '[{}, {"a"}]')
        self.assertIn("?", found["result.0.1"])
        found = self.shard(lambda arg0, arg1: (arg0["a"] + arg1, arg0["b"] + 1), {"a": x, "b": x}, x, arg1=P("a"))
        self.assertEqual((found["arg1"], found["arg0.b"]), ('[{"a"}, {}]', None))

    def test_a_parameter_called_out(self):
        x = np.ones((8, 8), "f")
        found = self.shard(lambda out, x: jnp.tanh(x @ out), x, x, out=P(), x=P("a"))
        self.assertEqual(found["result"], '[{"a", ?}, {?}]')

    def test_globals_are_those_of_now(self):
        namespace = {"scale": 1.0}
        exec("def f(x):\n  return x * scale", namespace)
        x = np.ones(2, "f")
        np.testing.assert_array_equal(tessera.run(namespace["f"], x), [1, 1])
        namespace["scale"] = 3.0
        np.testing.assert_array_equal(tessera.run(namespace["f"], x), [3, 3])


class Values(unittest.TestCase):
    def test_step(self):
        rng = np.random.default_rng(0)
        args = arguments(lambda *s: rng.normal(size=s).astype("f"))
        want = jax.jit(step)(*args)
        for kwargs in ({}, {"mesh": "data=2,model=4", "shard": {
                "batch.*": P("data"), "params.layers.*.w": P(None, "model")}}):
            got = tessera.run(step, *args, **kwargs)
            self.assertEqual(jax.tree.structure(got), jax.tree.structure(want))
            for g, w in zip(jax.tree.leaves(got), jax.tree.leaves(want)):
                self.assertIsInstance(g, np.ndarray)
                self.assertEqual(g.dtype, w.dtype)
                np.testing.assert_allclose(g, w, rtol=1e-5, atol=1e-6)

    def test_keys(self):
        for impl in ("threefry2x32", "rbg"):
            key = jax.random.key(3, impl=impl)
            new, bits = tessera.run(lambda k: (jax.random.split(k), jax.random.bits(k, (5,))), key)
            if impl == "threefry2x32":  # the other's bits are the backend's own
                np.testing.assert_array_equal(bits, jax.random.bits(key, (5,)))
            self.assertEqual(new.shape, (2,))
            self.assertEqual(new.dtype, key.dtype)

    def test_jax_arrays(self):
        got = tessera.run(lambda a: a * 2, jnp.arange(3, dtype=jnp.bfloat16))
        self.assertIsInstance(got, np.ndarray)
        self.assertEqual(got.dtype, jnp.bfloat16)
        np.testing.assert_array_equal(jnp.asarray(got), [0, 2, 4])

    def test_64_bits_as_in_jax(self):
        self.assertEqual(tessera.run(lambda a: a, np.arange(3.0)).dtype, np.float32)
        self.assertEqual(tessera.run(lambda a: a, np.array([1, 2], ">i8")).dtype, np.int32)
        e = tessera.export(lambda a: a, np.arange(3.0))
        self.assertEqual(tessera.run(e, np.arange(3.0)).dtype, np.float32)
        with jax.enable_x64(True) if hasattr(jax, "enable_x64") else jax.experimental.enable_x64():
            self.assertEqual(tessera.run(lambda a: a, np.arange(3.0)).dtype, np.float64)

    def test_float0(self):
        got = tessera.run(jax.grad(lambda i: i * 1.5, allow_int=True), 3)
        self.assertEqual(got.dtype, jax.dtypes.float0)

    def test_no_arguments_or_results(self):
        np.testing.assert_array_equal(tessera.run(lambda: jnp.arange(3)), [0, 1, 2])
        self.assertEqual(tessera.run(lambda x: (), np.ones(2)), ())
        self.assertEqual(tessera.run(lambda x: {"a": None}, np.ones(2)), {"a": None})


class Versions(unittest.TestCase):
    """Versions of JAX that this package was not tested with."""

    def setUp(self):
        self.import_jax = importlib.import_module("tessera.export").import_jax
        self.import_jax.cache_clear()
        self.addCleanup(self.import_jax.cache_clear)

    def test_newer(self):
        with mock.patch.object(jax, "__version__", "0.99.1"), self.assertWarnsRegex(
                UserWarning, r"^JAX 0\.99\.1 is newer than this package, which is tested with 0\.8 to 0\.12: .*'jax<0\.13'$") as said:
            self.assertEqual(tessera.run(lambda x: x, np.ones(2, "f")).shape, (2,))
            line = inspect.currentframe().f_lineno - 1
        self.assertEqual((said.filename, said.lineno), (__file__, line))  # the user's line
        with mock.patch.object(jax, "__version__", "0.99.1"), warnings.catch_warnings():
            warnings.simplefilter("error")  # it is said once
            tessera.export(lambda x: x, np.ones(2, "f"))

    def test_older(self):
        with mock.patch.object(jax, "__version__", "0.7.2"), self.assertRaisesRegex(
                tessera.Unimplemented, r"^JAX 0\.7\.2 is too old: this package works with 0\.8 to 0\.12\. pip install 'jax>=0\.8'$"):
            tessera.export(lambda x: x, np.ones(2, "f"))


if __name__ == "__main__":
    unittest.main()
