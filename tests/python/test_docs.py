"""The documents' Python: blocks of one document are one session, and print what the document says."""

import doctest
import inspect
import os
import pathlib
import pydoc
import re
import subprocess
import sys
import tempfile
import unittest

os.environ.setdefault("XLA_FLAGS", "--xla_force_host_platform_device_count=8")  # before JAX is imported

import jax
import jax.numpy as jnp
import numpy as np

import tessera

ROOT = pathlib.Path(__file__).resolve().parents[2]
_BLOCK = re.compile(r"^```python\n(.*?)^```\n(?:\n```text\n(.*?)^```\n)?", re.M | re.S)


def run_document(name):
    """Runs the blocks; gives what they printed and what the document says they print."""
    blocks = _BLOCK.findall((ROOT / name).read_text())
    code = "\nprint('-----')\n".join(code for code, _ in blocks)
    env = {**os.environ, "JAX_PLATFORMS": "cpu",
           "XLA_FLAGS": "--xla_force_host_platform_device_count=8",
           "PYTHONPATH": os.path.dirname(os.path.dirname(os.path.abspath(tessera.__file__)))}
    with tempfile.TemporaryDirectory() as folder:
        script = os.path.join(os.path.realpath(folder), "script.py")
        pathlib.Path(script).write_text(code)
        done = subprocess.run([sys.executable, script], capture_output=True, text=True, env=env, cwd=folder)
    if done.returncode != 0:
        raise AssertionError(f"{name}: {done.stderr[-3000:]}")
    printed = done.stdout.replace(os.path.realpath(folder) + os.sep, "")
    return printed, "-----\n".join(said for _, said in blocks), len(blocks)


class Documents(unittest.TestCase):
    maxDiff = None

    def check(self, name):
        printed, said, count = run_document(name)
        self.assertGreater(count, 0)
        self.assertEqual(printed, said)

    def test_readme(self):
        self.check("README.md")

    def test_package(self):
        self.check("python/README.md")


EXAMPLES = doctest.DocTestFinder(recurse=False)
GLOBALS = {"jax": jax, "jnp": jnp, "np": np, "tessera": tessera, "P": tessera.P}


def public():
    """What the package shows: itself, its names, and the methods of its classes."""
    yield "tessera", tessera
    for name in tessera.__all__:
        thing = getattr(tessera, name)
        if callable(thing):
            yield f"tessera.{name}", thing
        for method, member in vars(thing).items() if isinstance(thing, type) else ():
            if not method.startswith("_") and callable(member) and inspect.isfunction(member):
                yield f"tessera.{name}.{method}", member


class Docstrings(unittest.TestCase):
    """Each public docstring says what it is, and its examples are true."""

    maxDiff = None

    def test_all(self):
        self.assertEqual(sorted(tessera.__all__), sorted(set(tessera.__all__)))
        shown = {name for name, thing in vars(tessera).items()
                 if not name.startswith("_") and not inspect.ismodule(thing)}
        self.assertEqual(shown, set(tessera.__all__) - {"__version__"})
        self.assertRegex(tessera.__version__, r"^\d+\.\d+\.\d+$")
        self.assertTrue(os.path.exists(os.path.join(os.path.dirname(tessera.__file__), "py.typed")))

    def test_docstrings(self):
        runner = doctest.DocTestRunner()
        for name, thing in public():
            with self.subTest(name):
                self.assertTrue(inspect.getdoc(thing))
                if isinstance(thing, type) and issubclass(thing, tessera.Error) and thing is not tessera.Error:
                    continue  # a line
                tests = EXAMPLES.find(thing, name, globs=dict(GLOBALS))
                examples = [e for t in tests for e in t.examples]
                if name.split(".")[-1] not in NO_EXAMPLE:
                    self.assertTrue(examples, f"{name} has no example")
                said = []
                for test in tests:
                    runner.run(test, out=said.append)
                self.assertEqual("".join(said), "")

    def test_help(self):
        said = pydoc.render_doc(tessera, renderer=pydoc.plaintext)
        for name in ("export(fn, *args", "propagate(fn_or_program, *args", 'mesh        "data=2,model=4"', "class Sharded"):
            self.assertIn(name, said)


# Nothing more to say than their line.
NO_EXAMPLE = {"close", "fresh", "run_flat", "run_checked", "run_leaves", "lower_leaves", "lower"}


if __name__ == "__main__":
    unittest.main()
