"""JAX's functions and their gradients: Tessera on one device as JAX, on several with random shardings as on one.

A few with each seed; FUNCTIONS_SEED=7 FUNCTIONS=1000 tries others, and all.
"""

import os
import unittest
import warnings
import zlib

os.environ.setdefault("JAX_PLATFORMS", "cpu")

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import PartitionSpec as P

import tessera
from functions import CASES

SEED = int(os.environ.get("FUNCTIONS_SEED", 1))
COUNT = int(os.environ.get("FUNCTIONS", 24))
MESHES = (("a=2,b=4", "ab"), ("a=8", "a"), ("a=2,b=2,c=2", "abc"), ("a=3", "a"), ("a=2", "a"))


def array(rng, kind, shape):
    if kind == "i":
        return rng.integers(-6, 7, shape).astype("int32")
    if kind == "b":
        return rng.random(shape) < 0.5
    if kind == "perm":
        return rng.permutation(shape[0]).astype("int32")
    x = rng.normal(size=shape)
    if kind == "c":
        return (x + 1j * rng.normal(size=shape)).astype("complex64")
    return (x @ x.T + shape[0] * np.eye(shape[0]) if kind == "pd" else x).astype("f")


def spec(rng, rank, axes):
    dims = [[] for _ in range(rank)]
    for axis in rng.permutation(list(axes)) if rank else ():
        if rng.random() < 0.7:
            dims[rng.integers(rank)].append(str(axis))
    return P(*(tuple(d) if d else None for d in dims))


def gradient(fn, arguments):
    """Of the sum of the sines of all floats that the function gives; None if it takes no floats."""
    floats = tuple(i for i, (kind, _) in enumerate(arguments) if kind in ("f", "pd"))

    def loss(*args):
        return sum((jnp.sin(x).sum() for x in jax.tree.leaves(fn(*args))
                    if jnp.issubdtype(x.dtype, jnp.floating)), jnp.zeros(()))
    return jax.grad(loss, argnums=floats) if floats else None


class Functions(unittest.TestCase):
    def same(self, got, want, tolerance):
        got, want = jax.tree.leaves(got), jax.tree.leaves(want)
        self.assertEqual(len(got), len(want))
        for g, w in zip(got, map(np.asarray, want)):
            self.assertEqual((g.dtype, g.shape), (w.dtype, w.shape))
            if w.dtype.kind not in "fc":
                np.testing.assert_array_equal(g, w)
                continue
            finite = np.abs(w[np.isfinite(w)])
            np.testing.assert_allclose(g, w, rtol=tolerance,
                                       atol=tolerance * max(1, finite.max(initial=0)))

    def check(self, fn, arguments, rng):
        args = [array(rng, *a) for a in arguments]
        want = jax.jit(fn)(*args)
        program = tessera.export(fn, *args)
        one = tessera.run(program, *args)
        self.same(one, want, 2e-3)
        for _ in range(2):
            mesh, axes = MESHES[rng.integers(len(MESHES))]
            shard = [(str(i), spec(rng, len(shape), axes)) for i, (_, shape) in enumerate(arguments)]
            if rng.random() < 0.5:
                shard += [(f"result{i}", spec(rng, r.ndim, axes))
                          for i, r in enumerate(jax.tree.leaves(want))]
            with self.subTest(mesh=mesh, shard=shard), warnings.catch_warnings():
                warnings.simplefilter("ignore")  # nothing may be sharded
                self.same(tessera.run(program, *args, mesh=mesh, shard=shard), one, 2e-4)

    def test_functions(self):
        order = np.random.default_rng(SEED).permutation(sorted(CASES)).tolist()
        for name in order[:COUNT]:
            fn, arguments = CASES[name]
            rng = np.random.default_rng([SEED, zlib.crc32(name.encode())])
            with self.subTest(function=name):
                self.check(fn, arguments, rng)
            grad = gradient(fn, arguments)
            if grad is None or name in ("while", "vmapped_while"):  # JAX has no gradient of these
                continue
            with self.subTest(gradient=name):
                self.check(grad, arguments, rng)


class ManualStages(unittest.TestCase):
    def test_stages_that_do_not_do_the_same(self):
        """Devices along a manual axis take other branches and rounds, with exchanges along another axis inside: only those
        meet that are linked. (Stock XLA waits for all of them, for ever.)"""
        mesh = jax.sharding.AbstractMesh((2, 2), ("x", "y"))
        at = lambda: jax.lax.axis_index("x")
        roll = lambda a, n=1: jnp.roll(a, n, 1)
        stages = {
            "one rolls": (lambda a: jax.lax.cond(at() == 0, roll, lambda a: -a, a), lambda a, x: roll(a) if x == 0 else -a),
            "both roll": (lambda a: jax.lax.cond(at() == 0, roll, lambda a: 2 * roll(a, -1), a),
                          lambda a, x: roll(a) if x == 0 else 2 * roll(a, -1)),
            "rounds": (lambda a: jax.lax.fori_loop(0, 2 * at() + 1, lambda i, a: roll(a), a), lambda a, x: roll(a, 2 * x + 1)),
        }
        a = np.arange(48, dtype="f").reshape(8, 6)
        for name, (stage, expected) in stages.items():
            with self.subTest(name):
                fn = jax.shard_map(stage, mesh=mesh, in_specs=P("x"), out_specs=P("x"), axis_names={"x"}, check_vma=False)
                want = np.concatenate([expected(a[:4], 0), expected(a[4:], 1)])
                np.testing.assert_array_equal(tessera.run(lambda a: fn(a), a, shard={"a": P("x", "y")}), want)

    def test_a_reducer_that_calls(self):
        """jnp.where is a function of its own, which the reducer calls."""
        mesh = jax.sharding.AbstractMesh((2,), ("a",))
        larger = lambda a, b: jnp.where(a > b, a, b)
        def body(y):
            return larger(jax.lax.reduce(y, np.float32(-1e9), larger, (0,)), jnp.float32(3))[None]
        fn = jax.shard_map(body, mesh=mesh, in_specs=P("a"), out_specs=P("a"), check_vma=False)
        np.testing.assert_array_equal(tessera.run(fn, np.arange(8, dtype="f")), [3, 7])


class Scalars(unittest.TestCase):
    def test_dynamic_slice(self):
        """MLIR prints it as %arg0, , sizes = []."""
        fn = lambda x: jax.lax.dynamic_update_slice(jax.lax.dynamic_slice(x, (), ()) + 1, x, ())
        self.assertEqual(tessera.run(fn, np.float32(3)), 3)


if __name__ == "__main__":
    unittest.main()
