"""Programs from text, with NumPy only: loading, types, running on one and on several devices."""

import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import numpy as np

import tessera

try:
    import ml_dtypes
except ImportError:
    ml_dtypes = None

ROOT = pathlib.Path(__file__).resolve().parents[2]

MATMUL = """
func.func @main(%x: tensor<7x4xf32>, %w: tensor<4x6xf32>) -> tensor<7x6xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<7x4xf32>, tensor<4x6xf32>) -> tensor<7x6xf32>
  return %0 : tensor<7x6xf32>
}
"""


def same(dtype, shape="3x"):
    """A program that gives back what it is given."""
    return tessera.load(f"""
func.func @main(%x: tensor<{shape}{dtype}>) -> tensor<{shape}{dtype}> {{
  return %x : tensor<{shape}{dtype}>
}}
""")


def matrices():
    rng = np.random.default_rng(0)
    return (rng.integers(-3, 4, (7, 4)).astype("f"), rng.integers(-3, 4, (4, 6)).astype("f"))


class Load(unittest.TestCase):
    def test_text(self):
        p = tessera.load(MATMUL)
        self.assertEqual(p.arg_names, ["x", "w"])
        self.assertEqual(p.arguments[0], ("x", "float32", (7, 4), "tensor<7x4xf32>"))
        self.assertEqual(p.result_names, ["result0"])
        self.assertIsNone(p.in_tree)
        self.assertEqual(repr(p), "<tessera.Program @main: 2 arguments, 1 result, 2 ops>")
        self.assertIn("<td", p._repr_html_())

    def test_path(self):
        path = ROOT / "examples" / "mlp.mlir"
        for given in (path, str(path)):
            self.assertEqual(tessera.load(given).arg_names, ["x", "w1", "b1", "w2"])

    def test_no_file(self):
        with self.assertRaisesRegex(tessera.NotFound, "there is no file nothing.mlir"):
            tessera.load("nothing.mlir")
        with tempfile.TemporaryDirectory() as folder, self.assertRaises(tessera.Unavailable):
            tessera.load(pathlib.Path(folder))

    def test_no_path(self):
        for text in ("a\0b", "\ud800"):
            with self.assertRaisesRegex(tessera.InvalidArgument, "is no path"):
                tessera.load(text)

    def test_no_text(self):
        for bad in (3, None, b"module {}"):
            with self.assertRaises(tessera.InvalidArgument):
                tessera.load(bad)

    def test_no_main(self):
        with self.assertRaisesRegex(tessera.InvalidArgument, "no function @main"):
            tessera.load("module {\n}")

    def test_closed(self):
        x, w = matrices()
        with tessera.load(MATMUL) as p:
            tessera.run(p, x, w)
        p.close()  # once more is fine
        for use in (lambda: tessera.run(p, x, w), lambda: tessera.partition(p),
                    lambda: tessera.propagate(p)):
            with self.assertRaisesRegex(tessera.FailedPrecondition, "closed"):
                use()

    def test_not_copied(self):
        import copy
        import pickle
        p = tessera.load(MATMUL)
        for use in (copy.deepcopy, pickle.dumps):
            with self.assertRaises(TypeError):
                use(p)


class Dimensions(unittest.TestCase):
    def test_made_up(self):
        found = tessera.load(MATMUL).dimensions()
        self.assertEqual([tuple(d)[:2] for d in found], [("d7", 7), ("d4", 4), ("d6", 6)])
        self.assertEqual(found.arguments, {"x": ("d7", "d4"), "w": ("d4", "d6")})
        self.assertEqual(found.results, {"result0": ("d7", "d6")})
        self.assertEqual(found["d4"].origin, "made up")
        self.assertIn("d6    6", repr(found))
        self.assertIn("x        d7,d4", repr(found))
        self.assertIn("<td", found._repr_html_())

    def test_named(self):
        """The names that are shown are those that layout takes."""
        program = tessera.load(MATMUL)
        for names in ({"x": "rows,inner"}, {"x": ("rows", "inner")}, "x: rows, inner\n"):
            found = program.dimensions(names)
            self.assertEqual(found.arguments["w"], ("inner", "d6"))
            self.assertEqual(found["rows"].origin, "file")
            sharded = tessera.propagate(program, mesh="a=2", names=names, layout={"inner": "a"})
            self.assertEqual(sharded.argument_parts, ["tensor<7x2xf32>", "tensor<2x6xf32>"])
        with self.assertRaisesRegex(tessera.NotFound, "no dimension is called 'd5': there are d7, d4"):
            program.dimensions()["d5"]
        with self.assertRaisesRegex(tessera.InvalidArgument, "names:1:1: error: 1 name for argument 0"):
            program.dimensions({"x": "rows"})

    def test_no_size(self):
        program = tessera.load("func.func @main(%x: tensor<?x2xf32>) -> tensor<?x2xf32> {\n return %x : tensor<?x2xf32>\n}")
        self.assertEqual([d.size for d in program.dimensions()], [None, 2])
        self.assertIn("?", repr(program.dimensions()))


class Tokens(unittest.TestCase):
    """A token has no value: None stands for it, on one device and on several."""

    TEXT = """
func.func @main(%t: !stablehlo.token, %x: tensor<4xf32>) -> (tensor<4xf32>, !stablehlo.token) {
  %0 = stablehlo.add %x, %x : tensor<4xf32>
  %1 = stablehlo.after_all %t : !stablehlo.token
  return %0, %1 : tensor<4xf32>, !stablehlo.token
}
"""

    def test_run(self):
        x = np.arange(4, dtype="f")
        for hints in ({}, {"mesh": "a=2", "shard": {"x": tessera.P("a")}}):
            double, token = tessera.run(tessera.load(self.TEXT), None, x, **hints)
            np.testing.assert_array_equal(double, 2 * x)
            self.assertIsNone(token)

    def test_only_tokens(self):
        p = tessera.load("func.func @main(%x: tensor<4xf32>) -> !stablehlo.token {\n"
                         "  %0 = stablehlo.create_token : !stablehlo.token\n  return %0 : !stablehlo.token\n}\n")
        for hints in ({}, {"mesh": "a=2", "shard": {"x": tessera.P("a")}}):
            self.assertIsNone(tessera.run(p, np.zeros(4, "f"), **hints))

    def test_interrupted(self):
        """A loop that never ends, with no op in it; on one device and on two."""
        program = tessera.load("""
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c = stablehlo.constant dense<true> : tensor<i1>
  %0 = stablehlo.while(%i = %x) : tensor<4xf32>
  cond {
    stablehlo.return %c : tensor<i1>
  } do {
    stablehlo.return %i : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}
""")
        for hints in ({}, {"mesh": "a=2", "shard": {"x": tessera.P("a")}}):
            with self.assertRaises(KeyboardInterrupt):  # wherever it comes
                threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
                tessera.run(program, np.ones(4, "f"), **hints)

    def test_interrupted_within_an_op(self):
        """One product that takes minutes."""
        program = tessera.load("""
func.func @main(%x: tensor<4096x4096xf32>) -> tensor<4096x4096xf32> {
  %0 = stablehlo.dot_general %x, %x, contracting_dims = [1] x [0] : (tensor<4096x4096xf32>, tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
  return %0 : tensor<4096x4096xf32>
}
""")
        with self.assertRaises(KeyboardInterrupt):
            threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
            tessera.run(program, np.ones((4096, 4096), "f"))

    def test_interrupted_twice(self):
        """A run is waited for, whatever comes: it has the arguments' memory."""
        program = tessera.load("""
func.func @main(%x: tensor<1024x4096xf32>, %w: tensor<4096x1024xf32>) -> tensor<1024x1024xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<1024x4096xf32>, tensor<4096x1024xf32>) -> tensor<1024x1024xf32>
  %1 = stablehlo.tanh %0 : tensor<1024x1024xf32>
  return %1 : tensor<1024x1024xf32>
}
""")
        interrupt = lambda: (time.sleep(0.1), os.kill(os.getpid(), signal.SIGINT))
        twice = threading.Thread(target=lambda: (interrupt(), interrupt()))
        with self.assertRaises(KeyboardInterrupt):
            try:
                twice.start()
                tessera.run(program, np.ones((1024, 4096), "f"), np.ones((4096, 1024), "f"))
            finally:
                twice.join()  # the second may come as late as here
        self.assertNotIn("tessera", [thread.name for thread in threading.enumerate()])

    def test_short_stacks(self):
        of = "(%x: tensor<f32>) -> tensor<f32> {\n"
        call = "  %0 = call @f{} (%x) : (tensor<f32>) -> tensor<f32>\n  return %0 : tensor<f32>\n}}\n"
        text = "func.func @main" + of + call.format(0)
        for i in range(390):
            text += f"func.func private @f{i}" + of + call.format(i + 1)
        program = tessera.load(text + "func.func private @f390" + of + "  return %x : tensor<f32>\n}\n")
        got = []
        size = threading.stack_size(256 * 1024)
        try:
            thread = threading.Thread(target=lambda: got.append(tessera.run(program, 3.0)))
            thread.start()
        finally:
            threading.stack_size(size)
        thread.join()
        self.assertEqual(got, [3.0])

    def test_wrong(self):
        x = np.zeros(4, "f")
        for hints in ({}, {"mesh": "a=2", "shard": {"x": tessera.P("a")}}):
            with self.assertRaisesRegex(tessera.InvalidArgument, "^t is 0, expected None: it is a token"):
                tessera.run(tessera.load(self.TEXT), 0, x, **hints)
            with self.assertRaisesRegex(tessera.InvalidArgument, "takes 2 arrays"):
                tessera.run(tessera.load(self.TEXT), x, **hints)

    def test_tuples_are_refused(self):
        p = tessera.load("func.func @main(%x: tensor<4xf32>) -> tuple<tensor<4xf32>> {\n"
                         "  %0 = stablehlo.tuple %x : tuple<tensor<4xf32>>\n  return %0 : tuple<tensor<4xf32>>\n}\n")
        for hints in ({}, {"mesh": "a=2", "shard": {"x": tessera.P("a")}}):
            with self.assertRaisesRegex(tessera.Unimplemented, "result0 is a tuple<tensor<4xf32>>"):
                tessera.run(p, np.zeros(4, "f"), **hints)


class Types(unittest.TestCase):
    def check(self, program, array):
        got = tessera.run(program, array)
        self.assertEqual(got.dtype, array.dtype.newbyteorder("="))
        self.assertEqual(got.shape, array.shape)
        np.testing.assert_array_equal(got, array)

    def test_numpy(self):
        for name, dtype in (("i1", "bool"), ("i8", "int8"), ("i16", "int16"), ("i32", "int32"),
                            ("i64", "int64"), ("ui8", "uint8"), ("ui16", "uint16"),
                            ("ui32", "uint32"), ("ui64", "uint64"), ("f16", "float16"),
                            ("f32", "float32"), ("f64", "float64"), ("complex<f32>", "complex64"),
                            ("complex<f64>", "complex128")):
            with self.subTest(name):
                self.check(same(name), np.array([1, 0, 1]).astype(dtype))

    @unittest.skipUnless(ml_dtypes, "needs ml_dtypes")
    def test_ml_dtypes(self):
        for name, dtype, values in (
                ("i2", "int2", [-2, -1, 1]), ("i4", "int4", [-8, -1, 7]), ("ui2", "uint2", [0, 3, 2]),
                ("ui4", "uint4", [0, 15, 9]), ("f4E2M1FN", "float4_e2m1fn", [-6, .5, 0]),
                ("f6E2M3FN", "float6_e2m3fn", [-7.5, .125, 0]),
                ("f6E3M2FN", "float6_e3m2fn", [-28, .0625, 0]),
                ("f8E3M4", "float8_e3m4", [-1, .5, 3]), ("f8E4M3", "float8_e4m3", [-1, .5, 3]),
                ("f8E4M3FN", "float8_e4m3fn", [-1, .5, 448]),
                ("f8E4M3FNUZ", "float8_e4m3fnuz", [-1, .5, 240]),
                ("f8E4M3B11FNUZ", "float8_e4m3b11fnuz", [-1, .5, 3]),
                ("f8E5M2", "float8_e5m2", [-1, .5, 3]), ("f8E5M2FNUZ", "float8_e5m2fnuz", [-1, .5, 3]),
                ("f8E8M0FNU", "float8_e8m0fnu", [1, .5, 4]), ("bf16", "bfloat16", [-1, .5, 3])):
            with self.subTest(name):
                array = np.array(values).astype(getattr(ml_dtypes, dtype))
                np.testing.assert_array_equal(array.astype("f8"), values)
                self.check(same(name), array)

    @unittest.skipUnless(ml_dtypes, "needs ml_dtypes")
    def test_bytes_of_narrow_types(self):
        # What is added up is what the bytes mean, on both sides.
        program = tessera.load("""
func.func @main(%x: tensor<3xi4>) -> tensor<3xi32> {
  %0 = stablehlo.convert %x : (tensor<3xi4>) -> tensor<3xi32>
  return %0 : tensor<3xi32>
}""")
        got = tessera.run(program, np.array([-8, -1, 7]).astype(ml_dtypes.int4))
        np.testing.assert_array_equal(got, [-8, -1, 7])

    def test_shapes(self):
        self.check(same("f32", ""), np.array(2.5, "f"))
        self.check(same("f32", "0x3x"), np.zeros((0, 3), "f"))
        self.check(same("f32", "2x0x"), np.zeros((2, 0), "f"))

    def test_layouts(self):
        whole = np.arange(24, dtype="f").reshape(4, 6)
        self.check(same("f32", "3x2x"), whole[::-2, ::-2].T)
        self.check(same("f32", "6x4x"), whole.T)
        self.check(same("f32", "2x6x"), whole[::2])
        self.check(same("f32", "4x6x"), whole[::-1])
        self.check(same("f32", "4x6x"), np.broadcast_to(np.float32(3), (4, 6)))

    def test_bytes_of_bools(self):
        x = np.array([2, 255, 0, 128], np.uint8).view(bool)
        got = tessera.run(same("i1", "4x"), x)
        self.assertEqual(got.view(np.uint8).tolist(), [1, 1, 0, 1])
        self.assertEqual(tessera.run(same("i1", ""), np.array(True)), np.array(True))
        self.assertEqual(tessera.run(same("i1", "0x2x"), np.zeros((0, 2), bool)).shape, (0, 2))

    def test_byte_order(self):
        self.check(same("f32"), np.array([1, 2, 3], ">f4"))
        self.check(same("i64"), np.array([1, 2, 3], ">i8"))

    def test_numbers_and_lists(self):
        self.assertEqual(tessera.run(same("f32", ""), 2.5), 2.5)
        self.assertEqual(tessera.run(same("i32", ""), 7).dtype, np.int32)
        self.assertEqual(tessera.run(same("i1", ""), True), True)

    def test_results_are_writable(self):
        got = tessera.run(same("f32"), np.ones(3, "f"))
        got += 1
        np.testing.assert_array_equal(got, 2)

    def test_dynamic(self):
        p = same("f32", "?x2x")
        for n in (0, 3):
            self.check(p, np.ones((n, 2), "f"))
        with self.assertRaisesRegex(tessera.InvalidArgument, r"expected \['\?', 2\]"):
            tessera.run(p, np.ones((3, 3), "f"))

    def test_no_tuples(self):
        p = tessera.load("func.func @main(%t: tuple<tensor<f32>>) -> tensor<f32> {\n"
                         "  %0 = stablehlo.get_tuple_element %t[0] : (tuple<tensor<f32>>) -> tensor<f32>\n"
                         "  return %0 : tensor<f32>\n}\n")
        with self.assertRaisesRegex(tessera.Unimplemented, "t is a tuple<tensor<f32>>: only tensors"):
            tessera.run(p, (1.0,))

    def test_several_results(self):
        p = tessera.load("""
func.func @main(%x: tensor<2xf32>, %y: tensor<i32>) -> (tensor<i32>, tensor<2xf32>) {
  return %y, %x : tensor<i32>, tensor<2xf32>
}""")
        first, second = tessera.run(p, np.ones(2, "f"), 3)
        self.assertEqual(first, 3)
        np.testing.assert_array_equal(second, 1)


class Devices(unittest.TestCase):
    def test_uneven(self):
        x, w = matrices()
        for mesh, shard in (
                ("a=2", {"x": "P('a')"}), ("a=2", {"w": tessera.P(None, "a")}),
                ("a=3,b=2", {"x": tessera.P("a", "b")}), ("a=8", {"x": tessera.P("a")}),
                ("a=3,b=2", ["x=P('a')", "w=P(None, 'b')", "result0=P('b', 'a')"]),
                ({"a": 5}, [("*", tessera.P("a"))])):
            with self.subTest(mesh=mesh, shard=shard):
                np.testing.assert_array_equal(
                    tessera.run(tessera.load(MATMUL), x, w, mesh=mesh, shard=shard), x @ w)

    def test_sums(self):
        # Devices are given, and give, parts of sums and of a maximum.
        p = tessera.load("""
sdy.mesh @mesh = <["a"=2, "b"=3]>
func.func @main(%x: tensor<4x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"b"}]>},
                %y: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}], unreduced={"b"}>})
    -> (tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}], unreduced={"b"}>}, tensor<4xf32>) {
  %c = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %c) applies stablehlo.add across dimensions = [1] : (tensor<4x6xf32>, tensor<f32>) -> tensor<4xf32>
  return %0, %y : tensor<4xf32>, tensor<4xf32>
}""")
        x = np.arange(24, dtype="f").reshape(4, 6)
        y = np.arange(4, dtype="f")
        made = tessera.partition(p)
        self.assertEqual(made.devices, 6)
        total, same_y = made.run(x, y)
        np.testing.assert_array_equal(total, x.sum(1))
        np.testing.assert_array_equal(same_y, y)

    def test_nothing_sharded(self):
        x, w = matrices()
        with self.assertWarnsRegex(UserWarning, "nothing is sharded"):
            np.testing.assert_array_equal(tessera.run(tessera.load(MATMUL), x, w, devices=4), x @ w)

    def test_devices_make_a_mesh(self):
        made = tessera.partition(tessera.load(MATMUL), devices=4, shard={"x": "P('devices')"})
        self.assertEqual(made.devices, 4)

    def test_seed(self):
        p = tessera.load("""
func.func @main() -> tensor<8xf32> {
  %a = stablehlo.constant dense<0.0> : tensor<f32>
  %b = stablehlo.constant dense<1.0> : tensor<f32>
  %n = stablehlo.constant dense<8> : tensor<1xi64>
  %0 = stablehlo.rng %a, %b, %n, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}""")
        self.assertTrue((tessera.run(p, seed=1) == tessera.run(p, seed=1)).all())
        self.assertFalse((tessera.run(p, seed=1) == tessera.run(p, seed=2)).all())


class Alone(unittest.TestCase):
    def test_without_other_packages(self):
        """Importing and running takes NumPy only; what needs more says so."""
        code = """
import sys
for name in ("jax", "jaxlib", "ml_dtypes"):
    sys.modules[name] = None
import numpy as np, tessera
p = tessera.load("func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> { return %x : tensor<4xf32> }")
print(tessera.run(p, np.ones(4, "f"), mesh="a=2", shard={"x": tessera.P("a")}))
print(tessera.propagate(p, mesh="a=2", shard={"x": tessera.P("a")}))
q = tessera.load("func.func @main(%x: tensor<4xbf16>) -> tensor<4xbf16> { return %x : tensor<4xbf16> }")
for use in (lambda: tessera.run(q, np.ones(4, "f")), lambda: tessera.export(abs, 1.0)):
    try:
        use()
    except tessera.Unimplemented as e:
        print(e)
"""
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = done.stdout.splitlines()
        self.assertEqual(lines[0], "[1. 1. 1. 1.]")
        self.assertIn("bfloat16 needs the package ml_dtypes", lines[-2])
        self.assertIn("this needs JAX", lines[-1])


if __name__ == "__main__":
    unittest.main()
