"""Tessera against JAX on one model: whose answer is nearer to the truth?

    truth   JAX in float64 on the same values, random bits and integers
    jax     JAX in the case's own types on one device, rounded as the program says (xla_allow_excess_precision off)
    ours    Tessera on the text that JAX prints: on one device by the evaluator and by the compiled engine, on 8 by annotations, on 8 by shard_map; and the local
            program of each of these in stock JAX on 8 devices (tessera.to_jax, exact="local"); and three steps of plans that
            were found without annotations (planned.py)

For each output array:   max|ours - truth| <= 2 max|jax - truth| + 1 ulp of max|truth|

ulp is that of the type the case computes in, its narrowest float: what a term of a sum, or a device's part of it, is rounded
to, also if the output is kept in a wider one. For integers and where truth is not finite: the same.

JAX's own error of one evaluation is one draw of a random thing, and small by luck where the array is: of two programs that are
equally good, one is more than twice as far off on a scalar three times in ten. So it is the largest of DRAWS evaluations, each
against its own truth: at the case's arguments, and at arguments next to them (every float moved at random by about an ulp, or
not at all). Ours is evaluated at the case's arguments alone.

DRAWS are few where rounding decides a branch. If the sum before a relu is next to 0, its sign is a matter of rounding, and with it a
whole term of the gradient: JAX's own error is then small at most arguments and large at one in three. Such an output of a plan may
exceed the bound, which is too small by luck. So an output that exceeds it is judged again with MORE draws, of JAX and of ours:
  - at the case's arguments by the same bound, JAX's own error now the largest of MORE;
  - by the same bound of the two medians over the draws, which luck does not move: a wrong value is wrong at every draw.

That says nothing if the truth is not one. So the float64 program may have no narrower float in it (a hidden rounding would
be in the truth), and JAX's own error must be small beside the values: at the case's arguments of every output (else random
bits differ), at all draws of nearly every one (else the model is so badly conditioned that anything passes).
"""

import importlib
import os
import subprocess
import tempfile
import time
import warnings

import jax
import jax.numpy as jnp
import numpy as np
import tessera

from . import planned
from .cover import COMPILED, LOCAL
from .zoo.common import MODELS, as_float64

DRAWS, MORE = 8, 64
# JAX's own error beside the largest value of an array: more says nothing; and how many arrays may be so over all draws.
SANE = {"float32": 2.0**-9, "bfloat16": 0.5}
LOOSE = 0.1
# XLA's own passes run as always; only LLVM optimizes nothing, which is much sooner compiled.
QUICK = {"xla_backend_optimization_level": 0, "xla_llvm_disable_expensive_passes": True}
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


def truth_of(case):
    """The compiled float64 program: arguments of any float type -> flat outputs."""
    with jax.enable_x64(True):
        traced = jax.jit(case.fn).trace(*as_float64(case.args))
        narrow = narrow_floats(traced.jaxpr.jaxpr)
        if narrow:
            raise Disagrees("not a truth: the float64 program has " + ", ".join(sorted(narrow)))
        program = traced.lower().compile(compiler_options=QUICK)

    def run(args):
        with jax.enable_x64(True):
            return flat(program(*as_float64(args)))

    return run


def neighbours(args, draw):
    """The arguments, each float moved by about -1, 0 or 1 ulp; draw 0 moves nothing."""
    rng = np.random.default_rng(draw)

    def moved(x):
        if draw == 0 or not is_float(x):
            return x
        step = rng.integers(-1, 2, x.shape) * float(jnp.finfo(x.dtype).eps)
        return (x.astype(np.float64) * (1 + step)).astype(x.dtype)

    return jax.tree.map(moved, args)


class Reference:
    """JAX's side of a case."""

    def __init__(self, case):
        self.own, self.truth = jax.jit(case.fn), truth_of(case)

    def at(self, args):
        """(truth, JAX's outputs, JAX's own errors: a list of outputs for each draw) at some arguments."""
        errors = [self.errors(self.own, args, draw) for draw in range(DRAWS)]
        return self.truth(args), flat(self.own(*args)), errors

    def errors(self, program, args, draw):
        """Errors of a program's outputs at a draw."""
        near = neighbours(args, draw)
        return [distance(wide(a), b) for a, b in zip(flat(program(*near)), self.truth(near))]


def check_truth(paths, dtype, truth, errors):
    """Raises Disagrees if there is none."""
    limits = [max(SANE[dtype] * finite_largest(x), ulp(dtype, finite_largest(x))) for x in truth]
    for path, error, limit in zip(paths, errors[0], limits):
        if not error <= limit:
            raise Disagrees(f"{path}: not a truth: JAX's own error is {error:.3g}, {limit:.3g} would be much")
    loose = sum(not max(of_output) <= limit for of_output, limit in zip(zip(*errors), limits))
    if loose > LOOSE * len(paths):
        raise Disagrees(f"not a truth: {loose} of {len(paths)} outputs are too uncertain in JAX itself")
    return loose


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


def finite_largest(x):
    return largest(np.where(np.isfinite(x), x, 0))


def distance(got, want):
    """max|got - want|; infinite where one is finite and the other is not, or they are infinite apart."""
    same = (got == want) | (np.isnan(got) & np.isnan(want))
    with np.errstate(invalid="ignore"):
        apart = np.where(same, 0.0, np.abs(got - want))
    return largest(np.where(np.isnan(apart), np.inf, apart))


def judge(path, dtype, ours, theirs, truth, error):
    """(share of the bound that our error is, line about it). Raises Disagrees. dtype: what the case computes in; theirs, error:
    JAX's output and its own error."""
    if (ours.dtype, ours.shape) != (theirs.dtype, theirs.shape):
        raise Disagrees(f"{path}: {ours.dtype}{ours.shape}, but in JAX {theirs.dtype}{theirs.shape}")
    if not is_float(theirs):
        wrong = np.sum(ours != truth)
        if wrong and np.any(ours != theirs):
            raise Disagrees(f"{path}: {wrong} of {ours.size} {ours.dtype} differ from the truth; in JAX {np.sum(theirs != truth)}")
        return 0.0, f"{path}: exact"
    size = finite_largest(truth)
    our_error, bound = distance(wide(ours), truth), 2 * error + ulp(dtype, size)
    line = f"{path} {ours.dtype}{list(ours.shape)}: error {our_error:.3g}, JAX's {error:.3g}, bound {bound:.3g}, largest {size:.3g}"
    if not our_error <= bound:
        raise Disagrees(line)
    return our_error / bound, line


def judge_all(paths, dtype, ours, theirs, truth, errors):
    """The worst output, or Disagrees with those that are beyond the bound."""
    assert len(ours) == len(theirs) == len(truth) == len(paths), (len(ours), len(paths))
    good, bad = [(0.0, "nothing")], []
    for path, *of_output in zip(paths, ours, theirs, truth, errors):
        try:
            good.append(judge(path, dtype, *of_output))
        except Disagrees as e:
            bad.append(str(e))
    if bad:
        raise Disagrees(f"{len(bad)} of {len(paths)} outputs disagree\n" + "\n".join(bad[:8]))
    return max(good)


def count_beyond(dtype, ours, truth, errors):
    """Outputs beyond the bound if JAX's own error were that of the one evaluation at the case's arguments: told, not judged."""
    floats = [(wide(a), b, error) for a, b, error in zip(ours, truth, errors) if is_float(a)]
    return sum(not distance(a, b) <= 2 * error + ulp(dtype, finite_largest(b)) for a, b, error in floats)


def judge_step(paths, dtype, ours, theirs):
    """What a row says of the outputs of one step; theirs: Reference.at."""
    wanted, jax_outputs, draws = theirs
    share, line = judge_all(paths, dtype, ours, jax_outputs, wanted, [max(of_output) for of_output in zip(*draws)])
    beyond = count_beyond(dtype, ours, wanted, draws[0])
    return {"share": round(share, 3), "line": line, "outputs": len(paths), "beyond": beyond}


def judge_medians(paths, dtype, truth, ours, theirs):
    """Raises Disagrees if the median of our errors over the draws is beyond the bound that the median of JAX's gives."""
    medians = zip(paths, truth, np.median(ours, axis=0), np.median(theirs, axis=0))
    bad = [
        f"{path}: the median error of {len(ours)} draws is {our_error:.3g}, JAX's {error:.3g}, largest {finite_largest(x):.3g}"
        for path, x, our_error, error in medians
        if not our_error <= 2 * error + ulp(dtype, finite_largest(x))
    ]
    if bad:
        raise Disagrees(f"{len(bad)} of {len(paths)} outputs disagree at most draws\n" + "\n".join(bad[:8]))


def judge_again(paths, dtype, args, outputs, program, reference):
    """judge_step of an output that exceeded the bound of few draws. program: ours, of any arguments."""
    theirs = [reference.errors(reference.own, args, draw) for draw in range(MORE)]
    ours = [reference.errors(program, args, draw) for draw in range(MORE)]
    judge_medians(paths, dtype, reference.truth(args), ours, theirs)
    return judge_step(paths, dtype, outputs, (reference.truth(args), flat(reference.own(*args)), theirs))


def judge_steps(paths, dtype, steps, reference):
    """The same of several steps, each against JAX at the arguments that the step had. again: how many were judged again."""
    judged, again = [], 0
    for args, outputs in steps:
        try:
            judged.append(judge_step(paths, dtype, outputs, reference.at(args)))
        except Disagrees:
            judged.append(judge_again(paths, dtype, args, outputs, steps.run, reference))
            again += 1
    worst = max(judged, key=lambda row: row["share"])
    told = f", {again} of {len(judged)} steps judged with {MORE} draws" if again else ""
    return {**worst, "line": f"{steps.line}{told}; {worst['line']}", "outputs": sum(row["outputs"] for row in judged),
            "beyond": sum(row["beyond"] for row in judged), "again": again}


# ---- our side -----------------------------------------------------------------------------------------------------


def round_trip(text):
    """Verified, printed, read again, compared."""
    with tempfile.NamedTemporaryFile("w", suffix=".mlir") as file:
        file.write(text)
        file.flush()
        done = subprocess.run([TESSERA, "parse", "--round-trip", file.name], capture_output=True, text=True)
    if done.returncode:
        raise Disagrees("the text does not round-trip: " + (done.stderr + done.stdout)[-2000:])


def strict(join):
    """tessera's way to put parts together, which takes one copy of each; here all copies must be the same."""

    def joined(places, parts):
        copies = {}
        for device, (place, part) in enumerate(zip(places, parts)):
            value = part[place.in_part].tobytes()
            first = copies.setdefault(str(place.in_whole), (device, value))
            if not place.combine and value != first[1]:
                raise Disagrees(f"devices {first[0]} and {device} have different values of the same part")
        return join(places, parts)

    return joined


package_run = importlib.import_module("tessera.run")
package_run.join = strict(package_run.join)


def run_in_jax(sharded, case):
    """The local program in stock JAX; all copies of a shard must be the same bits."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # uneven arguments are told, and padded
        made = tessera.to_jax(sharded, exact="local")
    program = made.lower(*case.args).compile(compiler_options=QUICK)
    results = program(*map(jax.device_put, jax.tree.leaves(case.args), made.shardings.arguments))
    for number, result in enumerate(results):
        copies = {}
        if len(result.addressable_shards) != 8:
            raise Disagrees(f"output {number} is on {len(result.addressable_shards)} devices instead of 8")
        for shard in result.addressable_shards:
            value = np.asarray(shard.data).tobytes()
            if copies.setdefault(str(shard.index), value) != value:
                raise Disagrees(f"output {number}: devices have different values of the shard {shard.index}")
    return flat(results)


def run_compiled(program, case, **hints):
    """By the compiled engine. No op may run through the evaluator."""
    executable = tessera.compile(program, **hints)
    if not executable.compiled:
        raise Disagrees(f"not compiled: {executable.why_not}")
    outputs = flat(executable(*case.args))
    slow = [kind["name"] for kind in executable.stats()["kinds"] if kind["eval"]]
    if slow:
        raise Disagrees(f"ops run through eval: {', '.join(slow)}")
    return outputs


def run(case, program, model, way):
    if way == "one":
        return flat(tessera.run(program, *case.args))
    if way == "compiled":
        return run_compiled(program, case)
    if way.endswith(COMPILED):
        annotation = model.annotations[way.removesuffix(COMPILED)]
        return run_compiled(program, case, mesh=annotation.mesh, shard=annotation.rules_for(case))
    in_jax, way = way.endswith(LOCAL), way.removesuffix(LOCAL)
    annotation, hints = model.annotations[way.rstrip("*")], {}
    if way.endswith("*"):
        program = tessera.export(annotation.shard_map(case, annotation.jax_mesh()), *case.args)
        round_trip(program.text)
    else:
        hints = {"mesh": annotation.mesh, "shard": annotation.rules_for(case)}
    if in_jax:
        return run_in_jax(tessera.propagate(program, **hints), case)
    parts = tessera.partition(program, **hints)
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
        paths, reference = output_paths(case), Reference(case)
        first = reference.at(case.args)
        loose = check_truth(paths, options.dtype, first[0], first[2])
        program = tessera.export(case.fn, *case.args)
        round_trip(program.text)
    except Exception as e:
        for way in ways:
            yield ended(way, line=f"{type(e).__name__}: {e}")
        return
    yield ended("jax", ok=True, line=f"{len(paths)} outputs, {loose} loose; {program.text.count(chr(10))} lines of text")
    for way in ways:
        try:
            if way in planned.MACHINES:
                judged = judge_steps(paths, options.dtype, planned.Steps(case, way), reference)
            else:
                judged = judge_step(paths, options.dtype, run(case, program, model, way), first)
            yield ended(way, ok=True, **judged)
        except Exception as e:
            known = isinstance(e, (Disagrees, planned.NotAsPlanned))
            yield ended(way, line=f"{'' if known else type(e).__name__ + ': '}{e}")
