"""The library is found, told apart from what it is not, and its objects are freed in order."""

import gc
import os
import subprocess
import sys
import tempfile
import threading
import unittest
from unittest import mock

import numpy as np

import tessera
from tessera import _lib

PACKAGE = os.path.dirname(os.path.abspath(tessera.__file__))
RUN = sys.modules["tessera.run"]  # tessera.run is its function
TEXT = "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n  return %x : tensor<4xf32>\n}\n"


def import_with(folder, **env):
    """Imports a copy of the package from a folder that has no library beside it."""
    os.makedirs(os.path.join(folder, "a", "b", "tessera"))
    for name in os.listdir(PACKAGE):
        if name.endswith(".py"):
            with open(os.path.join(PACKAGE, name)) as f, \
                    open(os.path.join(folder, "a", "b", "tessera", name), "w") as to:
                to.write(f.read())
    return subprocess.run(
        [sys.executable, "-c", "import tessera; print(tessera.__version__)"], capture_output=True,
        text=True, env={**os.environ, "PYTHONPATH": os.path.join(folder, "a", "b"),
                        "TESSERA_LIBRARY": "", **env})


class Library(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def test_named(self):
        done = import_with(self.folder.name, TESSERA_LIBRARY=_lib.lib._name)
        self.assertEqual(done.stdout.strip(), tessera.__version__, done.stderr)

    def test_missing(self):
        done = import_with(self.folder.name)
        self.assertIn("ImportError: libtessera.so is in none of: ", done.stderr)

    def test_other_library(self):
        done = import_with(self.folder.name, TESSERA_LIBRARY=__file__)
        self.assertIn("cannot be loaded", done.stderr)
        with tempfile.TemporaryDirectory() as folder:
            other = next(line.split()[-1] for line in open("/proc/self/maps")
                         if "libc.so" in line or "libm.so" in line)
            done = import_with(folder, TESSERA_LIBRARY=other)
            self.assertIn("is of another version than this package", done.stderr)


class Lifetime(unittest.TestCase):
    def test_cycles(self):
        """The collector frees members of a cycle in any order."""
        for _ in range(20):
            sharded = tessera.propagate(tessera.load(TEXT), mesh="a=2", shard={"x": "P('a')"})
            sharded.why("x")
            sharded.program.back = sharded
            sharded._kept.back = sharded
            del sharded
        gc.collect()

    def test_parts_are_read_before_another_thread_frees_them(self):
        made = tessera.partition(tessera.load(TEXT), mesh="a=2", shard={"x": tessera.P("a")})
        real, seen = RUN._Part, []

        def part(tile):
            thread = threading.Thread(target=made.close)
            thread.start()
            thread.join(0.1)
            seen.append(made._handle._pointer is not None)
            return real(tile)

        with mock.patch.object(RUN, "_Part", part), self.assertRaises(tessera.FailedPrecondition):
            for _ in range(100):
                made.run(np.zeros(4, "f"))
        self.assertNotIn(False, seen)

    def test_exit(self):
        """Nothing is said when the interpreter ends with programs alive."""
        code = (f"import tessera\np = tessera.load({TEXT!r})\n"
                "s = tessera.propagate(p, mesh='a=2', shard={'x': \"P('a')\"})\n"
                "s.why('x')\ns.me = s\nm = tessera.partition(p)\n")
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True,
                              env={**os.environ, "PYTHONPATH": os.path.dirname(PACKAGE)})
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))

    def test_failed_load(self):
        for _ in range(100):
            with self.assertRaises(tessera.Error):
                tessera.load("nonsense\n")
        gc.collect()


if __name__ == "__main__":
    unittest.main()
