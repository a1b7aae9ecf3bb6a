#!/usr/bin/env python3
"""call_overhead.py: the time of one call of a compiled program of 10 small ops, from C, from Python, and of the same function by jax.jit.

Batches alternate; each number is the best batch, since other work on the machine only adds time. Exits 1 if a call from C takes more than
2 us, or one from Python more than JAX's. Without JAX it prints one line.
"""

import os
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "python"))
BATCHES, CALLS = 200, 200


def main():
    try:
        import jax
        import jax.numpy as jnp
    except ImportError:
        print("call_overhead.py: JAX is not installed")
        return 0
    import numpy as np

    import tessera

    def ten(x):
        y = x
        for _ in range(5):
            y = jnp.tanh(y + x)
        return y
    x = np.arange(16, dtype=np.float32) / 16
    resident = jnp.asarray(x)
    ours, theirs = tessera.compile(ten, x), jax.jit(ten)
    assert np.allclose(ours(x), theirs(resident), atol=1e-6)
    calls = {"tessera on NumPy arrays": lambda: ours(x), "tessera on JAX arrays": lambda: ours(resident),
             "jax.jit": lambda: theirs(resident), "jax.jit, until ready": lambda: theirs(resident).block_until_ready()}
    best = dict.fromkeys(calls, 1.0)
    for _ in range(BATCHES):
        for name, call in calls.items():
            start = time.perf_counter()
            for _ in range(CALLS):
                call()
            best[name] = min(best[name], (time.perf_counter() - start) / CALLS)
    c = subprocess.run([os.path.join(ROOT, "build/bench/call_overhead")], text=True, capture_output=True)
    print(c.stdout, end="")
    for name, seconds in best.items():
        print(f"{seconds * 1e6:.3f} us per call of 10 ops from Python: {name}")
    return 0 if c.returncode == 0 and best["tessera on NumPy arrays"] <= best["jax.jit"] else 1


sys.exit(main())
