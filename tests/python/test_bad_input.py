"""What is wrong becomes an exception that says where; the interpreter lives on."""

import os
import pathlib
import tempfile
import threading
import unittest

os.environ.setdefault("JAX_PLATFORMS", "cpu")

import jax
import jax.numpy as jnp
import numpy as np
from jax import ShapeDtypeStruct
from jax.sharding import AbstractMesh, PartitionSpec as P

import tessera

X = np.ones((8, 8), "f")


def plus(a):
    return a + 1


class Functions(unittest.TestCase):
    def test_not_traceable(self):
        with self.assertRaises(jax.errors.TracerBoolConversionError):
            tessera.export(lambda a: a if a.sum() > 0 else -a, X)

    def test_no_array(self):
        with self.assertRaises(TypeError):
            tessera.export(plus, "text")

    def test_no_function(self):
        with self.assertRaisesRegex(tessera.InvalidArgument, "takes a function, not int"):
            tessera.export(3, X)
        with self.assertRaisesRegex(tessera.InvalidArgument, "not str; tessera.load takes files"):
            tessera.propagate("model.mlir", mesh="a=2")

        lowered = jax.jit(plus).lower(X)
        with self.assertRaisesRegex(tessera.InvalidArgument, "not Lowered; tessera.load takes"):
            tessera.propagate(lowered, mesh="a=2")
        with self.assertRaisesRegex(tessera.InvalidArgument, r"not Lowered: its \.as_text"):
            tessera.load(lowered)

    def test_symbolic_sizes(self):
        shape, = jax.export.symbolic_args_specs((X,), "b, 8")
        with self.assertRaisesRegex(tessera.Unimplemented, r"the shape \(b, 8\): sizes must be"):
            tessera.export(plus, shape)

    def test_a_program_where_propagated_is_wanted(self):
        for verb in (tessera.shardings, tessera.to_jax):
            with self.assertRaisesRegex(tessera.InvalidArgument,
                                        "a Sharded, which tessera.propagate gives, not Program"):
                verb(tessera.export(plus, X))

    def test_no_option(self):
        with self.assertRaisesRegex(tessera.InvalidArgument, "there is no option 'shards'"):
            tessera.propagate(tessera.export(plus, X), mesh="a=2", shards={"a": P("a")})

    def test_words_of_both(self):
        def seeded(a, seed=0):
            return a + seed
        with self.assertRaisesRegex(tessera.InvalidArgument,
                                    "seed= is an option of tessera.run and a parameter of seeded"):
            tessera.run(seeded, X, seed=5)
        self.assertEqual(tessera.run(seeded, X, 5, seed=7)[0, 0], 6)
        program = tessera.export(seeded, X, seed=5)
        self.assertEqual(tessera.run(program, X, seed=6)[0, 0], 7)
        self.assertEqual(tessera.partition(program, mesh="d=2").run(X, seed=6)[0, 0], 7)
        for verb in (tessera.propagate, tessera.partition, tessera.run):
            with self.assertRaisesRegex(tessera.InvalidArgument, "conservative= is an option of"):
                verb(lambda a, conservative=True: a, X, conservative=False, mesh="d=2")
            with self.assertRaisesRegex(tessera.InvalidArgument,
                                        "no option 'shards', and plus no such .* 'shard'"):
                verb(plus, X, mesh="d=2", shards={"a": P("d")})

    def test_axes_by_name(self):
        for name in ("a:b", " a", 'a"', "a\\", "a b", "", "a\n"):
            with self.assertRaisesRegex(tessera.InvalidArgument, "an axis of mesh is"):
                tessera.propagate(plus, X, mesh={name: 2})

    def test_axis_of_an_enclosing_vmap(self):
        fn = tessera.autoshard(lambda a: a - jax.lax.pmean(a, "i"), mesh="d=2")
        with self.assertRaisesRegex(tessera.Unimplemented, "axis of an enclosing vmap"):
            jax.vmap(fn, axis_name="i")(X)

    def test_a_tree_for_a_pattern(self):
        with self.assertRaisesRegex(tessera.InvalidArgument,
                                    r"shard\['p'\] is a dict: .* paths, not trees: 'p\.w'"):
            tessera.propagate(lambda p: p["w"], {"w": X}, mesh="a=2", shard={"p": {"w": P("a")}})

    def test_callbacks(self):
        def prints(a):
            jax.debug.print("{}", a)
            return a
        for fn in (prints, lambda a: jax.pure_callback(np.sin, a, a),
                   lambda a: jax.experimental.io_callback(np.sin, a, a)):
            told = r"test_bad_input\.py:\d+: .*calls back into Python"
            sharded = tessera.propagate(fn, X, mesh="d=2", shard={"a": P("d")})  # nothing is run
            with self.assertRaisesRegex(tessera.Unimplemented, told):
                tessera.to_jax(sharded)
            with self.assertRaisesRegex(tessera.Unimplemented, "@xla_ffi_python_cpu_callback is unknown"):
                tessera.run(tessera.load(sharded.program.text), X)  # text has no functions

    def test_custom_call(self):
        fn = jax.ffi.ffi_call("nobody.knows", ShapeDtypeStruct((8, 8), jnp.float32))
        e = tessera.export(lambda a: fn(a) + 1, X)
        with self.assertRaisesRegex(tessera.Unimplemented,
                                    r"(?s)<lambda>:\d+:\d+ \(.*test_bad_input\.py:\d+\): .*nobody\.knows.*custom_call.*\^"):
            tessera.run(e, X)
        with self.assertRaisesRegex(tessera.Error, r"nobody\.knows"):
            tessera.run(e, X, mesh="a=2", shard={"a": P("a")})

    def test_call_rules(self):
        fn = jax.ffi.ffi_call("nobody.knows", ShapeDtypeStruct((8, 8), jnp.float32))
        e = tessera.export(lambda a: fn(a) + 1, X)
        s = tessera.propagate(e, mesh="a=2", shard={"a": P("a")},
                              call_rules={"nobody.knows": "([i, j])->([i, j])"})
        self.assertEqual(s.result_parts, ["tensor<4x8xf32>"])
        with self.assertRaisesRegex(tessera.InvalidArgument, "column|expected"):
            tessera.propagate(e, mesh="a=2", call_rules={"nobody.knows": "([i"})
        for f in tessera.propagate, tessera.partition:
            with self.assertRaisesRegex(tessera.InvalidArgument, r"no custom call has that target; did you mean 'nobody\.knows'"):
                f(e, mesh="a=2", call_rules={"nobody.know": "([i, j])->([i, j])"})


class Programs(unittest.TestCase):
    def test_located(self):
        with self.assertRaises(tessera.InvalidArgument) as caught:
            tessera.load("func.func @main(%x: tensor<2x3xf32>) -> tensor<3x3xf32> {\n"
                         "  %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<2x3xf32>) -> "
                         "tensor<3x3xf32>\n  return %0 : tensor<3x3xf32>\n}\n")
        self.assertEqual(caught.exception.code, 3)
        self.assertIn("<memory>:2:8: error: 'stablehlo.transpose' op C3", str(caught.exception))
        self.assertIn("\n         ^", str(caught.exception))
        self.assertIsInstance(caught.exception, ValueError)

    def test_junk(self):
        for text in ("\n", "\x00\n", "{" * 100000 + "\n", "func.func @main(\n", "\udcff\n",
                     "module {" + "(" * 5000 + "\n", "#loc = loc(" * 2000 + "\n"):
            with self.assertRaises(tessera.Error):
                tessera.load(text)


    def test_serialized(self):
        """What jax.export gives as bytes, from memory and from a file: say what to give instead."""
        bytecode = b"ML\xefR\x0dStableHLO_v1.0.0"
        table = b"\x0c\0\0\0" b"\x06\0\x08\0\x04\0\0\0" b"\x08\0\0\0" b"\x04\0\0\0"
        for data, words in ((bytecode, "MLIR bytecode, expected text: use JAX's Exported.mlir_module"),
                            (table + b"\x08\0\0\0" + bytecode,
                             r"Exported.serialize\(\), expected text: use jax.export.deserialize\(")):
            with tempfile.TemporaryDirectory() as folder:
                path = pathlib.Path(folder) / "exported.bin"
                path.write_bytes(data)
                for given in (data, bytearray(data), path):
                    with self.assertRaisesRegex(tessera.InvalidArgument, words):
                        tessera.load(given)
        with self.assertRaisesRegex(tessera.InvalidArgument, "load takes text or a path, not bytes"):
            tessera.load(b"module {}")

    def test_while_evaluating(self):
        p = tessera.load("""
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "stablehlo.custom_call"(%x) {call_target_name = "what"} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}""")
        with self.assertRaisesRegex(tessera.Unimplemented, "<memory>:3:8"):
            tessera.run(p, np.ones(4, "f"))


class Annotations(unittest.TestCase):
    def refuse(self, words, **kwargs):
        for stage in (tessera.propagate, tessera.partition, tessera.run):
            with self.assertRaisesRegex(tessera.InvalidArgument, words):
                stage(plus, X, **kwargs)

    def test_mesh(self):
        for mesh in ("data", "data=0", "data=2,data=2", "=3", "data=-1", "data=99999999999",
                     "data=2;b=3"):
            self.refuse("mesh", mesh=mesh)
        for mesh in (3, 2.5, ["data"], ("data", 2)):
            self.refuse("mesh is", mesh=mesh)
        self.refuse("NUL", mesh="data=2\0")

    def test_mesh_that_does_not_fit(self):
        f = jax.shard_map(lambda x: jax.lax.psum(x, "data"), mesh=AbstractMesh((2, 4), ("data", "b"), axis_types=(jax.sharding.AxisType.Auto,) * 2),
                          in_specs=P("data"), out_specs=P())
        with self.assertRaisesRegex(tessera.InvalidArgument, "is not the program's"):
            tessera.partition(f, X, mesh="data=2,b=2")
        with self.assertRaisesRegex(tessera.InvalidArgument, "has 8 devices, not 4"):
            tessera.run(f, X, devices=4)
        self.refuse("has 2 devices, not 3", mesh="data=2", devices=3)
        self.refuse("devices is", devices=0)
        self.refuse("devices is", devices="8")
        self.refuse("devices is", devices=2**64 + 2)

    def test_shard(self):
        for shard, words in (
                ({"nothing": P("data")}, r"rule:1:1: error: nothing is called 'nothing'"),
                ({"a": P("dta")}, r'unknown axis "dta".*did you mean "data"'),
                ({"a": P("data", "data")}, "used twice"),
                ({"a": P("data", None, None)}, "has 3 dimensions"),
                ({"a": "P("}, "the sharding ends here"), (["a"], "expected PATTERN=SHARDING"),
                ({"a": 3}, "expected a PartitionSpec"), ([3], "expected PATTERN=SPEC"),
                ({(3,): P()}, "expected PATTERN=SPEC"), ({3: P()}, "argument 3|called '3'"), ({"a": (3,)}, "is no axis"),
                ({"a\0": P()}, "NUL")):
            with self.subTest(shard=shard):
                self.refuse(words, mesh="data=2", shard=shard)

    def test_words(self):
        self.refuse("no strategy 'quick'", mesh="data=2", strategy="quick")
        self.refuse("no conflicts 'x'", mesh="data=2", conflicts="x")
        self.refuse("no dimension is called 'd9'", mesh="data=2", layout="d9:data")
        with self.assertRaisesRegex(tessera.InvalidArgument, "no machine is called 'z80'"):
            tessera.partition(plus, X, mesh="data=2", machine="z80")

    def test_why(self):
        s = tessera.propagate(plus, X, mesh="data=2", shard={"a": P("data")})
        with self.assertRaisesRegex(tessera.NotFound, "near it: 'a'"):
            s.why("b")


class Arguments(unittest.TestCase):
    def setUp(self):
        self.program = tessera.export(lambda p, x: p["w"] @ x, {"w": X}, X)

    def refuse(self, words, *args, **kwargs):
        made = tessera.partition(self.program, mesh="a=2", shard={"x": P("a")})
        for run in (lambda: tessera.run(self.program, *args, **kwargs),
                    lambda: made.run(*args, **kwargs)):
            with self.assertRaisesRegex(tessera.InvalidArgument, words):
                run()

    def test_shape(self):
        self.refuse(r"p\.w has shape \[8\], expected \[8, 8\]", {"w": X[0]}, X)
        self.refuse(r"x has shape \[4, 8\]", {"w": X}, X[:4])
        self.refuse(r"x has shape \[\]", {"w": X}, 2.0)

    def test_dtype(self):
        for dtype in ("int32", "float16", "complex64", "bool", "U3", "datetime64[s]"):
            self.refuse(r"p\.w is .*expected float32", {"w": X.astype(dtype)}, X)

    def test_no_data(self):
        self.refuse("x is a ShapeDtypeStruct", {"w": X}, ShapeDtypeStruct((8, 8), jnp.float32))
        self.refuse("x is object, expected an array", {"w": X}, object())

    def test_structure(self):
        self.refuse("missing: x", {"w": X})
        self.refuse(r"not expected: args\[2\]", {"w": X}, X, X)
        self.refuse(r"missing: p\.w; not expected: args\[0\]\['v'\]", {"v": X}, X)
        self.refuse(r"missing: x; not expected: kwargs\['y'\]", {"w": X}, y=X)

    def test_loaded(self):
        p = tessera.load(self.program.text)
        self.assertEqual(p.arg_names, ["p.w", "x"])
        with self.assertRaisesRegex(tessera.InvalidArgument, r"takes 2 arrays \(p.w, x\), not 1"):
            tessera.run(p, X)
        with self.assertRaisesRegex(tessera.InvalidArgument, "by position"):
            tessera.run(p, X, x=X)

    def test_numbers_that_do_not_fit(self):
        p = tessera.load("func.func @main(%x: tensor<i8>) -> tensor<i8> {\n return %x : tensor<i8>\n}")
        for number in (300, 1.5, 1j, 10**30):
            with self.assertRaisesRegex(tessera.InvalidArgument, "x"):
                tessera.run(p, number)

    def test_a_program_has_its_arguments(self):
        for stage in (tessera.propagate, tessera.partition):
            with self.assertRaisesRegex(tessera.InvalidArgument, "already"):
                stage(self.program, X)


class Threads(unittest.TestCase):
    def test_programs_in_threads(self):
        """Each thread its own programs, and one program for all of them."""
        shared = tessera.export(lambda a: a @ a, X)
        wrong = []

        def work(seed):
            x = np.random.default_rng(seed).integers(-3, 4, (8, 8)).astype("f")
            try:
                for _ in range(5):
                    own = tessera.load(shared.text)
                    made = tessera.partition(own, mesh="a=2,b=2", shard={"a": P("a", "b")})
                    for got in (tessera.run(own, x), made.run(x), tessera.run(shared, x)):
                        np.testing.assert_array_equal(got, x @ x)
                    with self.assertRaises(tessera.Error):
                        tessera.run(own, x[:1])
            except BaseException as e:
                wrong.append(e)
        threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertEqual(wrong, [])

    def test_closed_elsewhere(self):
        p = tessera.export(plus, X)
        s = tessera.propagate(p, mesh="a=2", shard={"a": P("a")})
        p.close()
        self.assertIn("tensor<4x8xf32>", repr(s))  # it is its own
        with self.assertRaises(tessera.FailedPrecondition):
            s.why("a")
        s.close()
        s.close()
        with self.assertRaises(tessera.FailedPrecondition):
            s.text


if __name__ == "__main__":
    unittest.main()
