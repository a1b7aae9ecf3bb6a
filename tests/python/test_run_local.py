"""Local programs: their text has all that running them on global arrays takes."""

import unittest

import jax.numpy as jnp
import numpy as np

import tessera
from tessera import P


def step(params, x):
    y = jnp.tanh(x @ params["w"] + params["b"])
    return {"total": y.sum(), "y": y}


def arguments():
    rng = np.random.default_rng(0)
    draw = lambda *shape: rng.standard_normal(shape).astype("f")
    return {"w": draw(4, 6), "b": draw(6)}, draw(7, 4)


class RunLocal(unittest.TestCase):
    def setUp(self):
        self.args = arguments()
        self.flat = (self.args[0]["b"], self.args[0]["w"], self.args[1])
        self.made = tessera.partition(step, *self.args, mesh="a=4,b=2",
                                      shard={"x": P("a"), "params.w": P(None, "b")})
        self.local = tessera.load(self.made.text)

    def test_global_arrays(self):
        """7 rows over 4 devices are padded; the bias is replicated."""
        self.assertEqual(self.local.arg_names, self.made.program.arg_names)
        total, y = tessera.run(self.local, *self.flat)
        want = self.made.run(*self.args)
        np.testing.assert_array_equal(y, want["y"])
        np.testing.assert_array_equal(total, want["total"])

    def test_refused(self):
        b, w, x = self.flat
        with self.assertRaisesRegex(tessera.InvalidArgument,
                                    r"x has shape \[2, 4\], expected \[7, 4\] \(tensor<7x4xf32>\)"):
            tessera.run(self.local, b, w, x[:2])
        with self.assertRaisesRegex(tessera.InvalidArgument,
                                    "partitioned already, for 8 devices: mesh cannot be given"):
            tessera.run(self.local, b, w, x, mesh="a=4")

    def test_mlir_reads_it(self):
        """MLIR's own parser does, with the dialects that JAX registers."""
        from jax._src.interpreters import mlir
        from jaxlib.mlir import ir
        self.assertIn("tessera.mesh = #sdy.mesh<", self.made.text)
        self.assertIn("jax.arg_info = \"params['w']\"", self.made.text)
        with mlir.make_ir_context():
            module = ir.Module.parse(self.made.text)
            self.assertTrue(module.operation.verify())
            self.assertIn("tessera.mesh", module.operation.attributes)


class MemoryLimit(unittest.TestCase):
    def test_refused(self):
        args = arguments()
        with self.assertRaisesRegex(
                tessera.ResourceExhausted,
                "needs at least .* of memory .*but memory_limit allows 100 bytes: raise it"):
            tessera.run(step, *args, memory_limit=100)
        made = tessera.partition(step, *args, mesh="a=4", shard={"x": P("a")})
        with self.assertRaisesRegex(tessera.ResourceExhausted,
                                    "state of 4 processes .*but memory_limit allows 1000 bytes"):
            made.run(*args, memory_limit=1000)
        made.run(*args, memory_limit=10**7)
        with self.assertRaisesRegex(tessera.InvalidArgument, "memory_limit"):
            tessera.run(step, *args, memory_limit=0)


if __name__ == "__main__":
    unittest.main()
