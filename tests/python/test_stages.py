"""What propagate and partition find, and how it prints."""

import copy
import json
import pathlib
import pickle
import unittest

import numpy as np

import tessera
from tessera import P

MLP = """
func.func @main(%x: tensor<8x16xf32>, %w1: tensor<16x32xf32>, %w2: tensor<32x4xf32>) -> (tensor<8x4xf32> {jax.result_info = "result['y']"}) {
  %0 = stablehlo.dot_general %x, %w1, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x32xf32>) -> tensor<8x32xf32>
  %1 = stablehlo.tanh %0 : tensor<8x32xf32>
  %2 = stablehlo.dot_general %1, %w2, contracting_dims = [1] x [0] : (tensor<8x32xf32>, tensor<32x4xf32>) -> tensor<8x4xf32>
  return %2 : tensor<8x4xf32>
}
"""
MEGATRON = {"mesh": "data=2,model=4", "shard": {"x": P("data"), "w1": P(None, "model")}}


LOOP = """func.func @main(%x: tensor<8xf32>, %w: tensor<8x8xf32>, %n: tensor<i32>) -> tensor<8xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %r:2 = stablehlo.while(%i = %zero, %v = %x) : tensor<i32>, tensor<8xf32>
    cond {
      %0 = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %0 : tensor<i1>
    } do {
      %one = stablehlo.constant dense<1> : tensor<i32>
      %next = stablehlo.add %i, %one : tensor<i32>
      %1 = stablehlo.dot_general %v, %w, contracting_dims = [0] x [0] : (tensor<8xf32>, tensor<8x8xf32>) -> tensor<8xf32>
      %2 = stablehlo.tanh %1 : tensor<8xf32>
      stablehlo.return %next, %2 : tensor<i32>, tensor<8xf32>
    }
  return %r#1 : tensor<8xf32>
}"""


class Guesses(unittest.TestCase):
    """Loops of unknown length count as 100 iterations, which is said, unless trip_count says it."""

    def test_guess(self):
        made = tessera.partition(tessera.load(LOOP), mesh="a=2", shard={"w": P("a")})
        self.assertEqual((made.unknown_loops, made.trip_count), (1, 100))
        self.assertEqual(made.guesses, ("bytes", "steps", "flops", "flops_whole"))
        self.assertTrue(all(c.guess for c in made.collectives) and all(r.guess for r in made.reasons))
        self.assertIn("bytes sent per device (guess)", repr(made))
        self.assertIn("guess: 1 loop of unknown length counted as 100 iterations; trip_count= sets it",
                      repr(made))
        self.assertIn("100 runs: a guess", repr(made))

    def test_told(self):
        made = tessera.partition(tessera.load(LOOP), mesh="a=2", shard={"w": P("a")}, trip_count=7)
        self.assertEqual((made.steps, made.guesses, made.collectives[0].runs), (7, (), 7))
        self.assertNotIn("guess", repr(made))
        found = tessera.propagate(tessera.load(LOOP), mesh="a=2", shard={"w": P("a")}, trip_count=7,
                                  machine="h100")
        self.assertEqual(tessera.partition(found).steps, 7)
        for wrong in 0, -1, 2**32, "7":
            with self.assertRaisesRegex(tessera.InvalidArgument, "trip_count is"):
                tessera.propagate(tessera.load(LOOP), mesh="a=2", trip_count=wrong)
        with self.assertRaisesRegex(tessera.InvalidArgument, "no machine is called 'abacus'"):
            tessera.propagate(tessera.load(LOOP), mesh="a=2", machine="abacus")


class Propagate(unittest.TestCase):
    def setUp(self):
        self.sharded = tessera.propagate(tessera.load(MLP), **MEGATRON)

    def test_found(self):
        s = self.sharded
        self.assertEqual(s.argument_shardings, ['<@mesh, [{"data"}, {}]>', '<@mesh, [{}, {"model"}]>',
                                                '<@mesh, [{"model", ?}, {?}]>'])
        self.assertEqual(s.result_shardings, ['<@mesh, [{"data", ?}, {?}]>'])
        self.assertEqual(s.argument_parts, ["tensor<4x16xf32>", "tensor<16x8xf32>", "tensor<8x4xf32>"])
        self.assertEqual(s.result_parts, ["tensor<4x4xf32>"])
        self.assertEqual(s.meshes, {"mesh": {"data": 2, "model": 4}})
        self.assertEqual(s.warnings, "")
        self.assertEqual(tessera.propagate(tessera.load(s.text)).argument_shardings,
                         s.argument_shardings)

    def test_prints(self):
        self.assertEqual(repr(self.sharded), """\
x         tensor<8x16xf32>   tensor<4x16xf32>  <@mesh, [{"data"}, {}]>
w1        tensor<16x32xf32>  tensor<16x8xf32>  <@mesh, [{}, {"model"}]>
w2        tensor<32x4xf32>   tensor<8x4xf32>   <@mesh, [{"model", ?}, {?}]>
result.y  tensor<8x4xf32>    tensor<4x4xf32>   <@mesh, [{"data", ?}, {?}]>""")
        self.assertIn('%1 tanh         tensor<8x32xf32>   tensor<4x8xf32>   '
                      '<@mesh, [{"data", ?}, {"model", ?}]>', self.sharded.table())
        page = self.sharded._repr_html_()
        self.assertIn("<code>tensor&lt;8x16xf32&gt;</code>", page)

    def test_why(self):
        said = self.sharded.why("w2")
        self.assertIn("dim 0 \"model\": from dim 1 of %w1, annotated by rule:2 'w1=P(None, \"model\")'",
                      said)
        self.assertEqual(self.sharded.why(2), said)
        places = self.sharded.why("w2", as_json=True)
        self.assertEqual([a["axis"] for a in places[0]["axes"]], ['"model"'])

    def test_options(self):
        p = tessera.load(MLP)
        plain = tessera.propagate(p, strategy="none", **MEGATRON)
        self.assertEqual(plain.argument_shardings[2], None)
        closed = tessera.propagate(p, close=True, **MEGATRON)
        self.assertEqual(closed.argument_shardings[2], '<@mesh, [{"model"}, {}]>')
        layout = tessera.propagate(p, mesh="data=2", layout="d8:data")
        self.assertEqual(layout.argument_parts[0], "tensor<4x16xf32>")
        for axes in ("data", ("data",)):
            layout = tessera.propagate(p, mesh="data=2", layout={"d8": axes})
            self.assertEqual(layout.argument_parts[0], "tensor<4x16xf32>")
        layout = tessera.propagate(p, mesh="a=2,b=2", layout={"d8": ("a", "b")})
        self.assertEqual(layout.argument_parts[0], "tensor<2x16xf32>")
        for axes in (None, 3, ()):
            with self.assertRaisesRegex(tessera.InvalidArgument, r"layout\['d8'\] is .*an axis"):
                tessera.propagate(p, mesh="data=2", layout={"d8": axes})
        named = tessera.propagate(p, mesh="data=2", layout="batch:data", names="x: batch,in")
        self.assertEqual(named.argument_parts[0], "tensor<4x16xf32>")

    def test_warnings(self):
        s = tessera.propagate(tessera.load(MLP), mesh="a=3", shard={"x": P("a")})
        self.assertIn("8 elements, which 3 devices do not divide", s.warnings)
        self.assertIn(s.warnings, repr(s))

    def test_many_rows(self):
        arguments = ", ".join(f"%a{i}: tensor<f32>" for i in range(500))
        s = tessera.propagate(tessera.load(
            f"func.func @main({arguments}) -> tensor<f32> {{\n return %a0 : tensor<f32>\n}}"))
        self.assertLess(len(repr(s).splitlines()), 70)
        self.assertIn("… 441 more …", repr(s))
        self.assertEqual(len(s.table().splitlines()), 501)


class Partition(unittest.TestCase):
    def setUp(self):
        self.made = tessera.partition(tessera.load(MLP), **MEGATRON)

    def test_found(self):
        m = self.made
        self.assertEqual(m.devices, 8)
        self.assertEqual(len(m.collectives), 1)
        c = m.collectives[0]
        self.assertEqual((c.kind, c.count, c.groups, c.group_size, c.axes, c.in_loops),
                         ("all_reduce", 1, 2, 4, ("model",), 0))
        # Twice 3/4 of a part of 4x4 floats.
        self.assertEqual((c.bytes, m.bytes, m.steps), (96, 96, 1))
        self.assertAlmostEqual(m.flops_share, 1, delta=0.1)
        self.assertEqual(len(m.reasons), 1)
        self.assertIn('is a partial sum over "model"', m.why())
        self.assertIn("Names of values are those in .program.text", m.why().splitlines()[0])
        self.assertIn("stablehlo.all_reduce", m.text)
        tessera.load(m.text)

    def test_prints(self):
        lines = repr(self.made).splitlines()
        self.assertTrue(lines[0].startswith("8 devices, 1 collective, 96 bytes sent per device; "))
        self.assertEqual(lines[1], "1  all_reduce  2 groups of 4  96 bytes  over model")
        self.assertIn("r1  all_reduce", lines[2])
        self.assertIn("partial sum", lines[2])
        self.assertIn("<caption>8 devices", self.made._repr_html_())

    def test_reason(self):
        """A reason is data, and its id is in the local program."""
        r = self.made.reasons[0]
        self.assertEqual((r.id, r.kind, r.cause, r.axes), ("r1", "all_reduce", "result", ("model",)))
        self.assertEqual((r.op.name, r.result, r.device), ("func.return", 0, None))
        self.assertEqual((r.value.name, r.value.from_argument), ("%2", None))
        self.assertEqual(r.value.defined_by.name, "stablehlo.dot_general")
        self.assertEqual((r.partial.reducer, r.partial.axes), ("sum", ("model",)))
        self.assertEqual(r.target_sharding, '[{"data"}, {}]')
        self.assertIn('tessera.why = "r1"', self.made.text)

    def test_reason_of_jax(self):
        """Of what JAX traced the line is the user's own, and the path JAX's."""
        try:
            import jax.numpy as jnp
        except ImportError:
            self.skipTest("JAX is not installed")
        made = tessera.partition(lambda x: jnp.sin(x.sum()), np.ones(8, "f"), mesh="a=2",
                                 shard={"x": P("a")})
        r = made.reasons[0]
        self.assertTrue(r.op.file.endswith("test_stages.py"), r)
        self.assertTrue(r.op.line > 0 and r.op.path.endswith("/sin"), r)

    def test_redundant(self):
        """Work that devices do alike is named, with what avoids it; and that does."""
        made = tessera.partition(tessera.load(MLP), mesh="data=2,model=4", shard={"x": P("data")})
        r = made.redundant[0]
        self.assertGreater(made.flops_share, 3.9)
        self.assertEqual((r.op.name, r.cause, r.devices, r.axes),
                         ("stablehlo.dot_general", "unused_axes", 4, ("model",)))
        self.assertEqual(r.flops, 4 * r.ideal_flops)
        self.assertIn('over "model"', r.avoid)
        self.assertIn(f"redundant: {r.why}", repr(made))
        even = tessera.partition(tessera.load(MLP), mesh="data=2", shard={"x": P("data")})
        self.assertEqual(even.redundant, [])

    def test_no_ids_for_xla(self):
        made = tessera.partition(tessera.load(MLP), collectives="xla", **MEGATRON)
        self.assertEqual(made.reasons[0].id, "r1")
        self.assertNotIn("tessera.why", made.text)

    def test_nothing(self):
        m = tessera.partition(tessera.load(MLP))
        self.assertEqual((m.devices, m.collectives, m.reasons, m.bytes), (1, [], [], 0))
        self.assertIn("1 device, 0 collectives", repr(m))

    def test_loops(self):
        m = tessera.partition(tessera.load("""
func.func @main(%x: tensor<8x8xf32>, %w: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = stablehlo.while(%i = %zero, %a = %x) : tensor<i32>, tensor<8x8xf32>
    cond {
      %n = stablehlo.constant dense<5> : tensor<i32>
      %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %one = stablehlo.constant dense<1> : tensor<i32>
      %j = stablehlo.add %i, %one : tensor<i32>
      %b = stablehlo.dot_general %a, %w, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
      stablehlo.return %j, %b : tensor<i32>, tensor<8x8xf32>
    }
  return %0#1 : tensor<8x8xf32>
}"""), mesh="a=2", shard={"x": P(None, "a"), "w": P("a"), "result0": P(None, "a")})
        self.assertTrue(any(c.in_loops and c.runs >= 5 for c in m.collectives), m)
        self.assertIn("in loops, 5 runs", repr(m))

    def test_machines(self):
        for machine in ("default", "h100", "a100", "tpu-v5p"):
            self.assertEqual(tessera.partition(tessera.load(MLP), machine=machine,
                                               **MEGATRON).devices, 8)

        said = {"name": "c", "device": {"flops_per_second": 1e12, "bytes_per_second": 1e11,
                                        "memory_bytes": 1e9},
                "links": [{"latency_seconds": 1e-6, "gap_seconds": 1e-7, "bytes_per_second": 1e10}]}
        for machine in (said, json.dumps(said)):
            self.assertEqual(tessera.partition(tessera.load(MLP), machine=machine,
                                               **MEGATRON).devices, 8)
        for machine in ({**said, "nme": "d"}, {"name": np.ones(2)}, "abacus"):
            with self.assertRaises(tessera.InvalidArgument):
                tessera.partition(tessera.load(MLP), machine=machine, **MEGATRON)

    def test_collectives(self):
        sums = tessera.load("""
func.func @main(%x: tensor<8x16xf32>, %w: tensor<8x4xf32>) -> (tensor<16xf32>, tensor<4xf32>) {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [0] : (tensor<8x16xf32>, tensor<f32>) -> tensor<16xf32>
  %1 = stablehlo.reduce(%w init: %z) applies stablehlo.add across dimensions = [0] : (tensor<8x4xf32>, tensor<f32>) -> tensor<4xf32>
  return %0, %1 : tensor<16xf32>, tensor<4xf32>
}""")
        def count(form):
            made = tessera.partition(sums, mesh="a=4", shard={"x": P("a"), "w": P("a")}, collectives=form)
            return sum(c.count for c in made.collectives)
        self.assertEqual([count(form) for form in (None, "combined", "single", "xla")], [1, 1, 2, 2])
        with self.assertRaisesRegex(tessera.InvalidArgument, "collectives have no form 'double'"):
            count("double")

    def test_of_what_propagate_gave(self):
        p = tessera.load(MLP)
        for more in ({}, {"strategy": "none"}, {"divisible_edges": True}, {"close": True}):
            sharded = tessera.propagate(p, **MEGATRON, **more)
            m = tessera.partition(sharded)
            self.assertEqual((m.devices, m.program), (8, p))
            for i in range(3):
                self.assertIn(sharded.argument_parts[i], m.text)
        self.assertEqual(tessera.partition(tessera.propagate(p, **MEGATRON)).text, self.made.text)
        x, w1, w2 = (np.full(s, 0.1, "f") for s in ((8, 16), (16, 32), (32, 4)))
        np.testing.assert_array_equal(tessera.run(sharded, x, w1, w2), self.made.run(x, w1, w2))
        for call in (lambda: tessera.partition(sharded, mesh="a=2"),
                     lambda: tessera.run(sharded, x, w1, w2, mesh="a=2")):
            with self.assertRaisesRegex(tessera.InvalidArgument, "a Sharded has its mesh already"):
                call()
        with self.assertRaisesRegex(tessera.InvalidArgument, r"runs by itself: its \.run"):
            tessera.run(self.made, x, w1, w2)

    def test_runs_again(self):
        rng = np.random.default_rng(0)
        for _ in range(3):
            x, w1, w2 = (rng.normal(size=s).astype("f") for s in ((8, 16), (16, 32), (32, 4)))
            np.testing.assert_allclose(self.made.run(x, w1, w2), np.tanh(x @ w1) @ w2, rtol=1e-5,
                                       atol=1e-5)


class Numbers(unittest.TestCase):
    def test_specs_are_copied_as_they_are(self):
        spec = P("data", None, ("x", "y"))
        for copied in (copy.copy(spec), copy.deepcopy(spec), pickle.loads(pickle.dumps(spec))):
            self.assertEqual((repr(copied), type(copied)), (repr(spec), P))

    def test_priorities(self):
        spec = P("data", None, priority=1)
        self.assertEqual(repr(spec), "P('data', None, priority=1)")
        self.assertNotEqual(spec, P("data", None))
        self.assertEqual(P("data"), ("data",))
        self.assertEqual({P("data"): 1}[("data",)], 1)
        for copied in (copy.deepcopy(spec), pickle.loads(pickle.dumps(spec))):
            self.assertEqual(copied, spec)
        for wrong in (-1, 1.5, "1", True):
            with self.assertRaisesRegex(tessera.InvalidArgument, "priority is .*, expected a whole"):
                P("data", priority=wrong)
        s = tessera.propagate(tessera.load(MLP), mesh="a=2", shard={"x": P("a"), "w1": P("a", priority=1)})
        self.assertIn("with priority 1", s.why("w1"))

    def test_who_goes_first(self):
        program = tessera.load(pathlib.Path(__file__).parents[1] / "partition/Inputs/fsdp.mlir")
        hints = {"mesh": "data=8", "shard": {"tokens": P("data"), "up*": P("data"), "down*": P(None, "data")}}
        plain = tessera.partition(program, **hints)
        self.assertIn('conflicts="cost" chooses which', repr(plain))
        found = tessera.partition(program, **hints, conflicts="cost")
        self.assertLess(2 * found.bytes, plain.bytes)
        self.assertLess(2 * found.flops, plain.flops)
        self.assertIn("rule:1:1: note: this annotation propagates first", found.warnings)
        self.assertNotIn("chooses which", repr(found))
        sharded = tessera.propagate(program, **hints, conflicts="cost")
        self.assertIn("with priority 1", sharded.why("up1"))
        self.assertEqual(tessera.partition(sharded).bytes, found.bytes)
        for name, spec in hints["shard"].items():  # as it is written by hand
            hints["shard"][name] = P(*spec, priority=int(name != "tokens"))
        self.assertEqual(tessera.partition(program, **hints).bytes, found.bytes)

    def test_amounts(self):
        for n, text in ((0, "0"), (9999, "9999"), (12345, "12.3k"), (4.56e6, "4.56M"), (1e9, "1G"),
                        (2.5e13, "25T"), (1.25e15, "1.25P"), (3e18, "3E")):
            self.assertEqual(tessera.table.amount(n), text)


if __name__ == "__main__":
    unittest.main()
