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


if __name__ == "__main__":
    unittest.main()
