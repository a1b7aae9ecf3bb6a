"""Tessera against JAX on one model: whose answer is nearer to the truth?

    truth   JAX in float64 on the same values, random bits and integers
    jax     JAX in the case's own types on one device, rounded as the program says (xla_allow_excess_precision off)
    ours    Tessera on the text that JAX prints: on one device, on 8 by annotations, on 8 by shard_map

For each output array:   max|ours - truth| <= 2 max|jax - truth| + 1 ulp of max|truth|   in the array's own type; for integers
and where truth is not finite: the same.

That says nothing if the truth is not one. So the float64 program may have no narrower float in it (a hidden rounding would
be in the truth), and JAX's own error must be small beside the values (else random bits differ, or the model is so badly
conditioned that everything passes).
"""

import os
import subprocess
import tempfile
import time

import jax
import jax.numpy as jnp
import numpy as np
import tessera

from .zoo.common import MODELS, as_float64

# JAX's own error in units of the type's epsilon, beside the largest value of the array: more means no truth.
SANE = 2.0**14
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TESSERA = os.environ.get("TESSERA", os.path.join(ROOT, "build", "tessera"))


class Disagrees(Exception):
    pass


# ---- JAX's side ---------------------------------------------------------------------------------------------------


def is_jaxpr(x):
    return hasattr(x, "eqns")


def narrow_floats(jaxpr):
    """The float types other than float64 in a jaxpr, however deep."""
    found = set()
    for eqn in jaxpr.eqns:
        for var in eqn.outvars:
            dtype = getattr(var.aval, "dtype", None)
            if dtype is not None and jnp.issubdtype(dtype, jnp.inexact) and dtype not in (jnp.float64, jnp.complex128):
                found.add(f"{dtype.name} of {eqn.primitive}")
        for inner in jax.tree.leaves(list(eqn.params.values()), is_leaf=is_jaxpr):
            if is_jaxpr(inner):
                found |= narrow_floats(getattr(inner, "jaxpr", inner))
    return found


def truth(case):
    with jax.enable_x64(True):
        args = as_float64(case.args)
        traced = jax.jit(case.fn).trace(*args)
        narrow = narrow_floats(traced.jaxpr.jaxpr)
        if narrow:
            raise Disagrees("not a truth: the float64 program has " + ", ".join(sorted(narrow)))
        # Exact enough without optimization, and much sooner compiled.
        fast = {"xla_backend_optimization_level": 0, "xla_llvm_disable_expensive_passes": True}
        return flat(traced.lower().compile(compiler_options=fast)(*args))


def own(case):
    return flat(jax.jit(case.fn)(*case.args))


def flat(outputs):
    return [np.asarray(x) for x in jax.tree.leaves(outputs)]


def output_paths(case):
    shapes = jax.eval_shape(case.fn, *case.args)
    paths = jax.tree_util.tree_flatten_with_path(shapes)[0]
    return [jax.tree_util.keystr(path, simple=True, separator=".") or "result" for path, _ in paths]


# ---- the criterion ------------------------------------------------------------------------------------------------


def is_float(x):
    return jnp.issubdtype(x.dtype, jnp.inexact)


def wide(x):
    if not is_float(x):
        return x
    return x.astype(np.complex128 if jnp.issubdtype(x.dtype, jnp.complexfloating) else np.float64)


def ulp(dtype, magnitude):
    """The distance of neighbours in dtype at that magnitude."""
    info = jnp.finfo(dtype)
    exponent = np.floor(np.log2(max(magnitude, float(info.tiny))))
    return float(info.eps) * 2.0**exponent


def largest(x):
    return float(np.max(np.abs(x), initial=0.0))


def distance(got, want):
    """max|got - want|; infinite where one is finite and the other is not, or they are infinite apart."""
    same = (got == want) | (np.isnan(got) & np.isnan(want))
    with np.errstate(invalid="ignore"):
        apart = np.where(same, 0.0, np.abs(got - want))
    return largest(np.where(np.isnan(apart), np.inf, apart))


def judge(path, ours, jax_own, truth):
    """(share of the bound that our error is, line about it). Raises Disagrees."""
    if (ours.dtype, ours.shape) != (jax_own.dtype, jax_own.shape):
        raise Disagrees(f"{path}: {ours.dtype}{ours.shape}, but in JAX {jax_own.dtype}{jax_own.shape}")
    if not is_float(jax_own):
        wrong = np.sum(ours != truth)
        if wrong and np.any(ours != jax_own):
            raise Disagrees(f"{path}: {wrong} of {ours.size} {ours.dtype} differ from the truth; in JAX {np.sum(jax_own != truth)}")
        return 0.0, f"{path}: exact"
    size = largest(np.where(np.isfinite(truth), truth, 0))
    step = ulp(jax_own.dtype, size)
    theirs, our_error = distance(wide(jax_own), truth), distance(wide(ours), truth)
    if not theirs <= SANE * step:
        raise Disagrees(f"{path}: not a truth: JAX's own error is {theirs:.3g}, the largest value {size:.3g}")
    bound = 2 * theirs + step
    line = f"{path} {ours.dtype}{list(ours.shape)}: error {our_error:.3g}, JAX's {theirs:.3g}, bound {bound:.3g}, largest {size:.3g}"
    if not our_error <= bound:
        raise Disagrees(line)
    return our_error / bound, line


def judge_all(paths, ours, jax_own, truth):
    """The worst output, or Disagrees with all that are beyond the bound, the worst first."""
    assert len(ours) == len(jax_own) == len(truth) == len(paths), (len(ours), len(paths))
    good, bad = [(0.0, "nothing")], []
    for path, a, b, c in zip(paths, ours, jax_own, truth):
        try:
            good.append(judge(path, a, b, c))
        except Disagrees as e:
            bad.append(str(e))
    if bad:
        raise Disagrees(f"{len(bad)} of {len(paths)} outputs disagree\n" + "\n".join(bad[:8]))
    return max(good)


# ---- our side -----------------------------------------------------------------------------------------------------


def round_trip(text):
    """Verified, printed, read again, compared."""
    with tempfile.NamedTemporaryFile("w", suffix=".mlir") as file:
        file.write(text)
        file.flush()
        done = subprocess.run([TESSERA, "parse", "--round-trip", file.name], capture_output=True, text=True)
    if done.returncode:
        raise Disagrees("the text does not round-trip: " + (done.stderr + done.stdout)[-2000:])


def run(case, program, model, way):
    if way == "one":
        return flat(tessera.run(program, *case.args))
    annotation = model.annotations[way.rstrip("*")]
    if way.endswith("*"):
        by_hand = tessera.export(annotation.shard_map(case, annotation.jax_mesh()), *case.args)
        round_trip(by_hand.text)
        parts = tessera.partition(by_hand)
    else:
        parts = tessera.partition(program, mesh=annotation.mesh, shard=annotation.rules_for(case))
    if parts.devices != 8:
        raise Disagrees(f"{parts.devices} devices instead of 8")
    return flat(parts.run(*case.args))


def check(options, ways):
    """Yields one dict for each way."""
    start = time.monotonic()
    model = MODELS[options.model]
    row = {**options._asdict(), "way": "", "ok": False, "seconds": 0.0, "share": None, "line": ""}

    def ended(way, **more):
        nonlocal start
        now = time.monotonic()
        result = {**row, "way": way, "seconds": round(now - start, 2), **more}
        start = now
        return result

    try:
        case = model.build(**options.build())
        paths, theirs, wanted = output_paths(case), own(case), truth(case)
        program = tessera.export(case.fn, *case.args)
        round_trip(program.text)
    except Exception as e:
        for way in ways:
            yield ended(way, line=f"{type(e).__name__}: {e}")
        return
    yield ended("jax", ok=True, line=f"{len(paths)} outputs, {program.text.count(chr(10))} lines of text")
    for way in ways:
        try:
            share, line = judge_all(paths, run(case, program, model, way), theirs, wanted)
            yield ended(way, ok=True, share=round(share, 3), line=line)
        except Exception as e:
            yield ended(way, line=f"{'' if isinstance(e, Disagrees) else type(e).__name__ + ': '}{e}")
