"""The documents' Python: blocks of one document are one session, and print what the document says."""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

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


if __name__ == "__main__":
    unittest.main()
