"""Tessera against plain JAX on one function, in every way a user can run it.

    jax     jax.jit on one CPU device, at the arguments and at DRAWS - 1 others next to them (each float moved by about an ulp)
    truth   the same in float64 (wide.py); of a program in float64 alone, or with a primitive of a library that knows its types: JAX itself,
            whose own error is how far its neighbours move, and in float64 that of the same in float32, made smaller as the ulps are
    ours    tessera.run on one device, on all devices of a mesh, tessera partition --verify, and tessera.to_jax in each of its modes

The criterion is that of tests/models/differ.py, of each output array:

    max|ours - truth| <= 2 max|jax - truth| + 1 ulp of max|truth|      over all draws of JAX

taken over the elements that are finite. The others must be NaN, +Inf or -Inf where JAX has that. Integers, bools and keys must be JAX's or
the truth's. An element whose kind (or integer) changes from draw to draw in JAX itself, as behind a comparison of floats that are equal but for
rounding, says nothing and is counted as loose.
"""

import functools
import os
import re
import subprocess
import sys
import tempfile
import warnings

import jax
import jax.numpy as jnp
import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [os.path.join(ROOT, "python"), os.path.join(ROOT, "tests")]

import tessera  # noqa: E402
from tessera.shardings import find  # noqa: E402
from models.differ import TESSERA, ulp, wide as in_float64  # noqa: E402

from . import wide  # noqa: E402

PARTITIONED_BY_XLA = "to_jax constraints"  # the way in which a wrong answer may be that of XLA's partitioner
INTERNAL = "INTERNAL"  # how a JaxRuntimeError begins after a failed check of XLA's own code
DRAWS = 8
OWN_ULPS = 8  # beside the bound where JAX itself is the truth: its own rounding at the arguments, which no draw shows
JAX_MODES = ["constraints", "local"]  # exact= of tessera.to_jax, a column each
SECONDS = 600  # of one command


class Differs(Exception):
    pass


# ---- JAX's side ---------------------------------------------------------------------------------------------------


def flat(outputs):
    """Leaves as NumPy arrays; of keys their data."""
    leaves = [x for x in jax.tree.leaves(outputs)]
    keys = lambda x: jax.dtypes.issubdtype(getattr(x, "dtype", np.dtype("f")), jax.dtypes.prng_key)
    return [np.asarray(jax.random.key_data(x) if keys(x) else x) for x in leaves]


def moved(args, draw):
    """The arguments, each float moved by about an ulp; keys, integers, zeros and what is not finite stay."""
    rng = np.random.default_rng(draw)

    def of(x):
        if draw == 0 or not jnp.issubdtype(x.dtype, jnp.inexact):
            return x
        x = np.asarray(x)
        steps = 1 + rng.integers(-1, 2, x.shape) * float(jnp.finfo(x.dtype).eps)
        with np.errstate(all="ignore"):
            return (in_float64(x) * steps).astype(x.dtype)

    return jax.tree.map(of, args)


class Expected:
    """What plain JAX gives, and how sure it is, which is found when it is asked for.

    paths    of the outputs       theirs      JAX's outputs
    dtype    the narrowest float in the program
    draws    (JAX's outputs, truth) of each draw
    has_truth   whether there is one; else it is JAX's, and its own error how far its neighbours move
    """

    def __init__(self, fn, args):
        traced = jax.jit(fn).trace(*args)
        paths = jax.tree_util.tree_flatten_with_path(traced.out_info)[0]
        self.paths = [jax.tree_util.keystr(path, simple=True, separator=".") or "result" for path, _ in paths]
        floats = wide.floats_of(traced.jaxpr.jaxpr) or {"float32"}
        self.dtype = max(floats, key=lambda f: float(jnp.finfo(f).eps))
        self.args, self.jaxpr = args, traced.jaxpr
        self.own = traced.lower().compile()
        self.theirs = flat(self.own(*args))
        self.wide = floats == {"float64"}
        self.loose = 0

    @functools.cached_property
    def truth(self):
        try:
            return None if self.wide else wide.truth_of(self.jaxpr, self.args)
        except (ValueError, TypeError):  # a library's own primitive that knows its types
            return None

    @property
    def has_truth(self):
        return self.truth is not None

    @functools.cached_property
    def rounding(self):
        """JAX's own error of each output where it is the truth of a float64 program: that of the same in float32, where it shows, made
        smaller as float64's ulps are."""
        if not self.wide:
            return [0.0] * len(self.theirs)
        with np.errstate(all="ignore"):
            rough = [in_float64(x) for x in flat(wide.in_float32(self.jaxpr, self.args))]
            apart = [np.abs(a - b) if jnp.issubdtype(b.dtype, jnp.inexact) else np.zeros(1) for a, b in zip(rough, self.theirs)]
        scale = float(jnp.finfo("float64").eps) / float(jnp.finfo("float32").eps)
        return [scale * largest(np.where(np.isfinite(x), x, 0)) for x in apart]

    @functools.cached_property
    def draws(self):
        found = []
        for draw in range(DRAWS):
            at = moved(self.args, draw)
            theirs = flat(self.own(*at)) if draw else self.theirs
            wanted = flat(self.truth(*at)) if self.has_truth else self.theirs
            found.append((theirs, [in_float64(x) for x in wanted]))
        return found


def kind(x):
    """0 finite, 1 NaN, 2 +Inf, 3 -Inf, of each element; complex numbers by both of their halves."""
    if jnp.issubdtype(x.dtype, jnp.complexfloating):
        return 4 * kind(x.real) + kind(x.imag)
    x = x.astype(np.float64)
    return np.where(np.isnan(x), 1, np.where(np.isposinf(x), 2, np.where(np.isneginf(x), 3, 0)))


def largest(x):
    return float(np.max(np.abs(x), initial=0.0))


def near(expected, i, ours):
    """How far output i is from JAX's, in ulps of its largest element; more than 1 if they differ in anything else. Up to 1, the criterion
    holds whatever the truth is: |ours - truth| <= |ours - jax| + |jax - truth|."""
    theirs = expected.theirs[i]
    if (ours.dtype, ours.shape) != (theirs.dtype, theirs.shape):
        return 2.0
    if not jnp.issubdtype(theirs.dtype, jnp.inexact):
        return 0.0 if np.array_equal(ours, theirs) else 2.0
    kinds = kind(theirs)
    if np.any(kind(ours) != kinds):
        return 2.0
    ours, theirs = in_float64(ours)[kinds == 0], in_float64(theirs)[kinds == 0]
    return largest(ours - theirs) / ulp(expected.dtype, largest(theirs))


def judge(expected, i, ours):
    """(our error beside the bound, number of loose elements) of output i. Raises Differs."""
    theirs, truth = expected.draws[0][0][i], expected.draws[0][1][i]
    if (ours.dtype, ours.shape) != (theirs.dtype, theirs.shape):
        raise Differs(f"is {ours.dtype}{list(ours.shape)}, in JAX {theirs.dtype}{list(theirs.shape)}")
    draws = [(a[i], b[i]) for a, b in expected.draws]
    if not jnp.issubdtype(theirs.dtype, jnp.inexact):
        sure = np.all([a == theirs for a, _ in draws], axis=0)
        wrong = sure & (ours != theirs) & (ours != truth)
        if wrong.any():
            at = tuple(int(n) for n in np.argwhere(wrong)[0])
            raise Differs(f"{wrong.sum()} of {ours.size} {ours.dtype} differ; at {list(at)}: {ours[at]}, in JAX {theirs[at]}")
        return 0.0, int((~sure).sum())
    kinds = kind(theirs)
    sure = np.all([kind(a) == kinds for a, _ in draws], axis=0)
    wrong = sure & (kind(ours) != kinds)
    if wrong.any():
        at = tuple(int(n) for n in np.argwhere(wrong)[0])
        raise Differs(f"{wrong.sum()} of {ours.size} {ours.dtype} differ; at {list(at)}: {ours[at]}, in JAX {theirs[at]}")
    finite = sure & (kinds == 0) & np.all([kind(b) == 0 for _, b in draws], axis=0)
    pick = lambda x: in_float64(x)[finite]
    error = max([largest(pick(a) - pick(b)) for a, b in draws] + [expected.rounding[i]])
    size = largest(pick(truth))
    bound = 2 * error + (1 if expected.has_truth else OWN_ULPS) * ulp(expected.dtype, size)
    our_error = largest(pick(ours) - pick(truth))
    if not our_error <= bound:
        at = tuple(int(n) for n in np.argwhere(finite)[np.argmax(np.abs(pick(ours) - pick(truth)))])
        raise Differs(f"{ours.dtype}{list(ours.shape)}: error {our_error:.3g}, JAX's {error:.3g}, bound {bound:.3g}, largest {size:.3g}; "
                      f"at {list(at)}: {ours[at]}, in JAX {theirs[at]}, truth {truth[at]}")
    return our_error / bound if bound else 0.0, int((~finite & ~(sure & (kinds != 0))).sum())


def judge_all(expected, outputs, exactly=False):
    """Our largest error beside its bound, or beside an ulp where that is enough unless `exactly`. Raises Differs with all outputs that
    differ."""
    ours = flat(outputs)
    if len(ours) != len(expected.paths):
        raise Differs(f"{len(ours)} outputs, in JAX {len(expected.paths)}")
    ulps = [near(expected, i, x) for i, x in enumerate(ours)]
    if max(ulps, default=0.0) <= 1 and not exactly:
        return max(ulps, default=0.0)
    share, bad = 0.0, []
    expected.loose = 0
    for i, path in enumerate(expected.paths):
        try:
            of_output, loose = judge(expected, i, ours[i])
            share, expected.loose = max(share, of_output), expected.loose + loose
        except Differs as e:
            bad.append(f"{path} {e}")
    if bad:
        raise Differs(f"{len(bad)} of {len(expected.paths)} outputs differ: " + "; ".join(bad[:4]))
    return share


# ---- our side -----------------------------------------------------------------------------------------------------


def one_device(program, args, hints):
    return tessera.run(program, *args)


def on_mesh(program, args, hints):
    return tessera.partition(program, **hints).run(*args)


def replicas_agree(outputs):
    """Raises Differs unless all devices that hold the same shard hold the same bits."""
    for i, x in enumerate(jax.tree.leaves(outputs)):
        if jax.dtypes.issubdtype(x.dtype, jax.dtypes.prng_key):
            x = jax.random.key_data(x)
        held = {}
        for shard in x.addressable_shards:
            first = held.setdefault(str(shard.index), shard)
            if np.asarray(first.data).tobytes() != np.asarray(shard.data).tobytes():
                raise Differs(f"output {i}: {shard.device} and {first.device} hold other bits of {shard.index}")


def to_jax(mode):
    def run(program, args, hints):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # shardings that do not divide are dropped, which is told
            made = tessera.to_jax(tessera.propagate(program, **hints), exact=mode)
        outputs = made(*args)
        if mode == "local":  # else it is XLA that decides
            replicas_agree(outputs)
        return outputs

    return run


def ways():
    """The ways to run a program, by name."""
    return {"one": one_device, "mesh": on_mesh,
            **{f"to_jax {mode}": to_jax(mode) for mode in JAX_MODES}}


def is_xlas(way, error, expected, program, of_stock, hints):
    """Whether XLA is at fault for an error of one way: a check of its own code failed, or stock JAX has an error under the same shardings,
    too, given as in_shardings and out_shardings or, also those that do not divide, as constraints. of_stock() gives the function for stock
    JAX and its arguments."""
    if "to_jax" in way and isinstance(error, jax.errors.JaxRuntimeError) and str(error).startswith(INTERNAL):
        return True
    if way != PARTITIONED_BY_XLA:
        return False
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found, meshes = find(jax, tessera.propagate(program, **hints), None)
    except Exception:
        return False
    fn, args = of_stock()
    jitted = jax.jit(fn, in_shardings=found.in_shardings, out_shardings=found.out_shardings, keep_unused=True)
    n = len(found.arguments)
    stocks = [lambda: jitted(*jax.device_put(tuple(args), found.in_shardings))]
    for ins, outs in ((True, False), (False, True), (True, True)):
        edges = [e if (ins if i < n else outs) else None for i, e in enumerate(meshes.edges)]
        stocks.append(lambda edges=edges: jax.jit(constrained(fn, meshes, edges[:n], edges[n:]))(*args))
    return any(map(fails, [lambda run=run: judge_all(expected, run()) for run in stocks]))


def fails(run):
    """Whether XLA does. What JAX refuses, as a sharding that it does not take, is no fault of XLA's."""
    try:
        run()
    except (Differs, jax.errors.JaxRuntimeError):
        return True
    except Exception:
        pass
    return False


def constrained(fn, meshes, ins, outs):
    """fn with these shardings (None: any) of the leaves of its arguments and results as constraints."""
    def constrain(x, edge):
        if edge is None or jax.dtypes.issubdtype(x.dtype, jax.dtypes.extended):
            return x
        mesh, dims = meshes.spec(edge)
        spec = jax.sharding.PartitionSpec(*(tuple(names) or None for names in dims))
        return jax.lax.with_sharding_constraint(x, jax.sharding.NamedSharding(mesh, spec))

    def all_of(tree, edges):
        leaves, structure = jax.tree.flatten(tree)
        return structure.unflatten(map(constrain, leaves, edges))

    return lambda *args: all_of(fn(*all_of(args, ins)), outs)


def said(error):
    return f"differs: {error}" if isinstance(error, Differs) else f"{type(error).__name__}: {error}"


def spec_text(spec):
    """P(…) as the command line has it."""
    entry = lambda e: "None" if e is None else f'"{e}"' if isinstance(e, str) else "(" + ", ".join(f'"{a}"' for a in e) + ",)"
    return "P(" + ", ".join(map(entry, spec)) + ")"


def verify_command(path, hints, *more):
    shards = [x for name, spec in hints["shard"].items() for x in ("--shard", f"{name}={spec_text(spec)}")]
    return [TESSERA, "partition", path, "--verify", "--mesh", hints["mesh"], *shards, *more]


def verify(program, hints, *more):
    """What tessera partition --verify says. Raises Differs unless it agrees."""
    with tempfile.NamedTemporaryFile("w", suffix=".mlir") as file:
        file.write(program.text)
        file.flush()
        command = verify_command(file.name, hints, "-o", os.devnull, *more)
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS)
    said = done.stderr.strip().splitlines()
    if done.returncode:
        errors = [line for line in said if "error" in line or "differ" in line] or said
        raise Differs(f"exit {done.returncode}: " + " ".join(errors[:3]))
    found = re.search(r"verified .*", done.stderr)
    return found.group(0) if found else ""
