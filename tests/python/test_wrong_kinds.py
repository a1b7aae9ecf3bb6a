"""Every parameter of every public function with values of wrong kinds: what is not taken is a tessera.Error that says
what was expected; never an exception of ctypes or NumPy from within, an abort or a hang."""

import inspect
import itertools
import os
import traceback
import unittest
import warnings

import jax
import numpy as np

import tessera
from tessera import P


class Unsure:
    """Is neither true nor false."""

    def __bool__(self):
        raise RuntimeError("do not ask")


WRONG = [None, 0, 1, -1, 2**70, 1.5, float("nan"), float("inf"), 1j, True, "", " ", "\0", "\ud800", "a" * 10000, b"bytes", bytearray(b"x"),
         [], (), {}, set(), [None], [[]], [3, object()], [("a", "b", "c")], [("*", 3)], {3: 4}, {None: None}, {"a": None}, {"": ""},
         {"x": {"y": P()}}, {"x": object()}, {"x": [object()]}, {"x": float("nan")}, {"x", "y"}, ("x", 1), P(), P("a"), P(3), object(), Unsure(),
         np.arange(3), np.array("x"), np.float32(2), np.int64(2), np.int64(-2), np.bool_(True), np.zeros((0, 2)), range(3), iter("ab"),
         itertools.count(), Exception, len, lambda *_: None, type, NotImplemented, Ellipsis]

TEXT = """func.func @main(%x: tensor<4x6xf32>, %n: tensor<i32>) -> (tensor<4x6xf32>, tensor<i32>) {
  return %x, %n : tensor<4x6xf32>, tensor<i32>
}
"""
X, N = np.ones((4, 6), "f"), np.int32(3)


def loaded():
    return tessera.load(TEXT)


def sharded():
    return tessera.propagate(loaded(), mesh="a=2", shard={"x": P("a")})


def partitioned():
    return tessera.partition(loaded(), mesh="a=2", shard={"x": P("a")})


def searched():
    return tessera.search(loaded(), mesh="a=2")


def double(x, n=3):
    return x * n


def shard_and_call(fn=double, **options):
    return tessera.autoshard(fn, **options)(X)


# name: (function, arguments that are right, its signature if it is another's). Each parameter is replaced in turn.
HINTS = {"mesh": "a=2", "shard": {"x": P("a")}}
CALLS = {
    "load": (tessera.load, {"text_or_path": TEXT}),
    "export": (lambda fn, **options: tessera.export(fn, X, **options), {"fn": double}, tessera.export),
    "propagate": (lambda fn_or_program, **options: tessera.propagate(fn_or_program, **options),
                  {"fn_or_program": loaded(), **HINTS}, tessera.propagate),
    "partition": (lambda fn_or_program, **options: tessera.partition(fn_or_program, **options),
                  {"fn_or_program": loaded(), **HINTS}, tessera.partition),
    "run": (lambda fn_or_program, **options: tessera.run(fn_or_program, X, N, **options),
            {"fn_or_program": loaded(), **HINTS}, tessera.run),
    "run on one": (lambda fn_or_program, **options: tessera.run(fn_or_program, X, N, **options), {"fn_or_program": loaded()}, tessera.run),
    "run of a function": (lambda fn_or_program, **options: tessera.run(fn_or_program, X, **options),
                          {"fn_or_program": double, **HINTS}, tessera.run),
    "compile": (lambda fn_or_program, **options: tessera.compile(fn_or_program, X, N, **options),
                {"fn_or_program": loaded(), **HINTS}, tessera.compile),
    "compile of a function": (lambda fn_or_program, **options: tessera.compile(fn_or_program, X, **options),
                              {"fn_or_program": double, **HINTS}, tessera.compile),
    "compiled's x": (lambda x: tessera.compile(loaded())(x, N), {"x": X}),
    "run's x": (lambda x: tessera.run(loaded(), x, N), {"x": X}),
    "run's n": (lambda n: tessera.run(loaded(), X, n, **HINTS), {"n": N}),
    "simulate": (lambda fn_or_program, **options: tessera.simulate(fn_or_program, **options),
                 {"fn_or_program": loaded(), **HINTS}, tessera.simulate),
    "plan": (lambda fn_or_program, **options: tessera.plan(fn_or_program, **options),
             {"fn_or_program": loaded(), **HINTS}, tessera.plan),
    "search": (lambda fn_or_program, **options: tessera.search(fn_or_program, **options),
               {"fn_or_program": loaded(), **HINTS}, tessera.search),
    "Search.push": (lambda **options: searched().push(**options), {"name": "x", "sharding": P("a")}, tessera.Search.push),
    "Search.add_axis": (lambda **options: searched().add_axis(**options), {"name": "x", "dimension": 0, "axis": "a"},
                        tessera.Search.add_axis),
    "Search.sharding": (lambda **options: searched().sharding(**options), {"name": "x"}, tessera.Search.sharding),
    "shardings": (tessera.shardings, {"sharded": sharded()}),
    "to_jax": (tessera.to_jax, {"sharded": sharded()}),
    "autoshard": (shard_and_call, {"fn": double, **HINTS}, tessera.autoshard),
    "Program": (tessera.Program, {"text": TEXT}),
    "Program.dimensions": (loaded().dimensions, {}),
    "Dimensions[]": (loaded().dimensions().__getitem__, {"name": "d4"}),
    "Sharded.why": (sharded().why, {"name": "x"}),
    "Sharded.table": (sharded().table, {}),
    "Sharded.simulate": (sharded().simulate, {}),
    "Partitioned.simulate": (partitioned().simulate, {}),
    "Partitioned.run": (lambda **options: partitioned().run(X, N, **options), {}, tessera.Partitioned.run),
    "Partitioned.run's x": (lambda x: partitioned().run(x, N), {"x": X}),
    "Partitioned.run_flat": (partitioned().run_flat, {"arrays": [X, N]}),
}
# Made by other functions, or plain records: what is in them is not checked. Or takes nothing.
RECORDS = {"Executable", "machines", "Alive", "Busy", "Collective", "Dimension", "Dimensions", "JaxProgram", "P", "Partitioned", "Plan", "Price", "Program", "Reason", "Search", "Sharded", "Shardings", "Simulated", "Value"}


def raised_by_jax(error, parameter):
    """What JAX cannot trace raises as in JAX: a function that is none, arguments that it does not have."""
    if not parameter.startswith("fn") and parameter.split("_")[-1] not in ("argnums", "argnames"):
        return False
    frames = traceback.extract_tb(error.__traceback__)
    return isinstance(error, (TypeError, ValueError)) and "tessera" not in frames[-1].filename.split(os.sep)


def parameters(name):
    function, right, *said = CALLS[name]
    names = [p.name for p in inspect.signature(said[0] if said else function).parameters.values()
             if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)]
    return [n for n in names if n not in ("self", "trees")]


class WrongKinds(unittest.TestCase):
    def setUp(self):  # so that it can be seen who raised
        self.addCleanup(jax.config.update, "jax_traceback_filtering", jax.config.jax_traceback_filtering)
        jax.config.update("jax_traceback_filtering", "off")

    def test_all_are_here(self):
        """A new public function is enrolled, or is no function."""
        public = {name for name in tessera.__all__ if not name.startswith("_")}
        errors = {name for name in public if isinstance(getattr(tessera, name), type)
                  and issubclass(getattr(tessera, name), Exception)}
        self.assertEqual(public - errors - RECORDS - set(CALLS), set())
        for kind in (tessera.Program, tessera.Sharded, tessera.Partitioned, tessera.Dimensions):
            for name, member in inspect.getmembers(kind, inspect.isfunction):
                takes = set(inspect.signature(member).parameters) - {"self"}
                if takes and not name.startswith("_") and name != "run_checked":
                    self.assertIn(f"{kind.__name__}.{name}", CALLS)

    def check(self, name):
        function, right, *_ = CALLS[name]
        function(**right)
        refused = 0
        for parameter in parameters(name):
            for value in WRONG:
                with self.subTest(parameter=parameter, value=repr(value)[:60] if not isinstance(value, Unsure) else "Unsure"), \
                        warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    try:
                        function(**{**right, parameter: value})
                    except tessera.Error as error:
                        self.assertTrue(str(error))
                        refused += 1
                    except Exception as error:
                        if not raised_by_jax(error, parameter):
                            raise
        self.assertGreater(refused, 0)


for _name in CALLS:
    setattr(WrongKinds, "test_" + _name.replace(" ", "_"), lambda self, name=_name: self.check(name))


class Messages(unittest.TestCase):
    """What was given, what was expected."""

    def refuse(self, words, call):
        with self.assertRaisesRegex(tessera.InvalidArgument, words) as caught:
            call()
        self.assertIsInstance(caught.exception, ValueError)

    def test_seed(self):
        for seed in (1.5, -1, 2**64, "1", True):
            for run in (lambda: tessera.run(loaded(), X, N, seed=seed), lambda: partitioned().run(X, N, seed=seed),
                        lambda: tessera.run(sharded(), X, N, seed=seed)):
                self.refuse(rf"^seed is {seed!r}, expected a whole number from 0 on, below 2\*\*64$", run)
        for seed in (0, 2**64 - 1, np.int64(7)):
            tessera.run(loaded(), X, N, seed=seed)

    def test_hints(self):
        program = loaded()
        for hint, value, words in (
                ("shard", 3, r"shard is 3, expected \{"), ("shard", P("a"), "shard is .*expected"),
                ("shard", {"x": 1.5}, r"shard\['x'\] is 1.5, expected a PartitionSpec or text"),
                ("mesh", {"a": 2.5}, r"mesh\['a'\] is 2.5, expected a number"), ("mesh", {1: 2}, "an axis of mesh is 1, expected a name"),
                ("devices", 2.0, "devices is 2.0, expected a number from 1 on"), ("layout", 3, "layout is 3, expected text"),
                ("layout", {"d4": 3}, r"layout\['d4'\] is 3, expected the name of an axis"), ("names", [1], r"names is \[1\], expected text"),
                ("strategy", 3, "strategy is 3, expected one of user-priority"), ("conflicts", [], r"conflicts is \[\], expected one of size, cost"),
                ("conservative", "yes", "conservative is 'yes', expected True or False"),
                ("call_rules", {"f": None}, r"call_rules is \{'f': None\}, expected a dict of texts"),
                ("call_rules", {None: "([i])->([i])"}, "call_rules is")):
            with self.subTest(hint=hint, value=value):
                for stage in (tessera.propagate, tessera.partition):
                    self.refuse(words, lambda: stage(program, **{"mesh": "a=2", hint: value}))
                self.refuse(words, lambda: tessera.run(program, X, N, **{hint: value}))

    def test_numpy_numbers_are_numbers(self):
        made = tessera.partition(loaded(), mesh={"a": np.int64(2)}, devices=np.int32(2), shard={"x": P("a")}, conservative=np.bool_(False))
        self.assertEqual(made.devices, 2)

    def test_autoshard_at_once(self):
        for options, words in (({"mesh": 3}, "mesh is 3"), ({"mesh": "a=2", "shard": 3}, "shard is 3"),
                               ({"mesh": "a=2", "donate_argnums": 1.5}, "argnums is 1.5"),
                               ({"mesh": "a=2", "static_argnames": [3]}, r"argnames is \[3\]"),
                               ({"mesh": "a=2", "exact": "no"}, "exact is 'no'")):
            self.refuse(words, lambda: tessera.autoshard(double, **options))

    def test_flat_arrays(self):
        made = partitioned()
        got = made.run_flat([np.asfortranarray(X * np.arange(6, dtype="f")), N])
        np.testing.assert_array_equal(got[0], X * np.arange(6, dtype="f"))
        self.refuse("x has shape", lambda: made.run_flat([X.T, N]))
        self.refuse("takes 2 arrays", lambda: made.run_flat([X]))
        self.refuse("expected a list of arrays", lambda: made.run_flat(X))

    def test_long_values_are_not_printed(self):
        with self.assertRaises(tessera.InvalidArgument) as caught:
            tessera.propagate(loaded(), mesh=list(range(10000)))
        self.assertIn("mesh is list, expected", str(caught.exception))


if __name__ == "__main__":
    unittest.main()
