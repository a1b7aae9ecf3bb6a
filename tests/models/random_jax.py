"""Random JAX functions: loops, branches, maps and gradients around ops that move, add and pick elements.

All numbers are small and whole, so no order of adding changes a result: Tessera on one device and on several with random
shardings must give what JAX gives, to the bit.

    python -m models.random_jax SEED COUNT
"""

import math
import sys
import warnings

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import PartitionSpec as P

import tessera

MESHES = {"a=2,b=4": "ab", "a=8": "a", "a=2,b=2,c=2": "abc", "a=3": "a"}
SHAPES = (8, 6), (7, 8), (4, 3, 8), (16,), (5,), (2, 9, 4)
MOST = 500  # elements of a value; more are cut off


# ---- ops: each takes a generator of random numbers, a value of rank 1 or more, and another of its type --------------


def dim(rng, x):
    return int(rng.integers(x.ndim))


def indices(rng, x, y, n):
    """Whole numbers from y, of a random size; some are out of bounds."""
    return jnp.resize(y.ravel(), (int(rng.integers(1, 7)),)).astype("int32") % (n + 3) - 2


def reshape(rng, x, y):
    sizes, left = [], x.size
    while left > 1 and len(sizes) < 3:
        sizes.append(int(rng.choice([n for n in range(2, left + 1) if left % n == 0])))
        left //= sizes[-1]
    return x.reshape(*sizes, left)


def window(rng, x, y):
    shape = [int(rng.integers(1, min(n, 3) + 1)) for n in x.shape]
    strides = [int(rng.integers(1, 3)) for _ in x.shape]
    init, op = [(0, lax.add), (-99, lax.max), (99, lax.min)][rng.integers(3)]
    return lax.reduce_window(x, np.asarray(init, x.dtype), op, shape, strides, str(rng.choice(["SAME", "VALID"])))


def convolve(rng, x, y):
    lhs = x.reshape(x.shape[0], 1, -1)
    rhs = jnp.resize(y.ravel(), (int(rng.integers(1, 4)), 1, int(rng.integers(1, 4))))
    stride, dilation, before, after = (int(n) for n in rng.integers((1, 1, -1, 0), (3, 3, 3, 4)))
    return lax.conv_general_dilated(lhs, rhs, (stride,), [(before, after)], lhs_dilation=(dilation,))


def multiply(rng, x, y):
    """Contracts one dimension, perhaps with another as a batch."""
    d = dim(rng, x)
    if x.ndim > 1 and rng.random() < 0.5:
        e = (d + 1) % x.ndim
        return lax.dot_general(x, x[::-1], (((d,), (d,)), ((e,), (e,))))
    return jnp.tensordot(x, jnp.resize(y.ravel(), (x.shape[d], 4)), ((d,), (0,)))


def pad(rng, x, y):
    config = [tuple(int(n) for n in rng.integers((-1, -1, 0), (3, 3, 2))) if n > 2 else (0, 1, 0) for n in x.shape]
    return lax.pad(x, y.ravel()[0], config)


def take(rng, x, y):
    d = dim(rng, x)
    mode = str(rng.choice(["fill", "clip"]))
    return jnp.take(x, indices(rng, x, y, x.shape[d]), axis=d, mode=mode, fill_value=3)


def scatter(rng, x, y):
    at = indices(rng, x, y, x.shape[0])
    update = getattr(x.at[at], str(rng.choice(["add", "max", "min"])))
    return update(jnp.resize(y.ravel(), (at.size, *x.shape[1:])))


def starts(x, y):
    return [n.astype("int32") for n in jnp.resize(y.ravel(), (x.ndim,))]


def update_slice(rng, x, y):
    sizes = tuple(int(rng.integers(1, n + 1)) for n in x.shape)
    return lax.dynamic_update_slice(x, jnp.resize(y.ravel(), sizes), starts(x, y))


OPS = [
    reshape, window, convolve, multiply, pad, take, scatter, update_slice,
    lambda rng, x, y: x.transpose(rng.permutation(x.ndim)),
    lambda rng, x, y: x[tuple(slice(int(rng.integers(max(n - 2, 1))), None, int(rng.choice([1, 2]))) for n in x.shape)],
    lambda rng, x, y: jnp.roll(x, int(rng.integers(-4, 5)), dim(rng, x)),
    lambda rng, x, y: jnp.flip(x, dim(rng, x)),
    lambda rng, x, y: jnp.concatenate([x, 2 * x[:1], x[1:]], 0),
    lambda rng, x, y: lax.dynamic_slice(x, starts(x, y), [int(rng.integers(1, n + 1)) for n in x.shape]),
    lambda rng, x, y: getattr(jnp, str(rng.choice(["cumsum", "sort", "argsort"])))(x, axis=dim(rng, x)).astype(x.dtype),
    lambda rng, x, y: lax.cummax(x, dim(rng, x), reverse=bool(rng.integers(2))),
    lambda rng, x, y: getattr(jnp, str(rng.choice(["sum", "max", "min", "argmax"])))(x, axis=dim(rng, x)).astype(x.dtype),
    lambda rng, x, y: lax.top_k(x, int(rng.integers(1, x.shape[-1] + 1)))[0],
    lambda rng, x, y: jnp.where(x > 0, x, jnp.resize(y, x.shape)),
    lambda rng, x, y: x * jnp.resize(y, x.shape[-1:]) + x.sum(0),
    lambda rng, x, y: jnp.take_along_axis(x, jnp.argsort(-x, 0)[:3], 0),
    lambda rng, x, y: jax.ops.segment_sum(x, jnp.resize(y.ravel(), x.shape[:1]).astype("int32") % 4, 4),
    lambda rng, x, y: lax.associative_scan(jnp.add, x, axis=dim(rng, x)),
]


# ---- functions of functions ----------------------------------------------------------------------------------------


def small(x):
    """At most MOST elements of rank 1 to 4, none beyond 16."""
    x = x.reshape(-1) if x.ndim in (0, 5) else x
    while x.size > MOST:
        x = x[(slice(None),) * int(np.argmax(x.shape)) + (slice(0, max(x.shape) // 2),)]
    return lax.rem(x, jnp.asarray(16, x.dtype))


def like(x, values):
    """The last of values that x could be replaced by; x if there is none."""
    return next((v for v in values[::-1] if (v.shape, v.dtype) == (x.shape, x.dtype)), x)


def chain(seed, depth, values):
    """A few random steps; JAX may trace it again, and gets the same."""
    rng = np.random.default_rng(seed)
    values = [v for v in map(small, values) if v.size]
    for _ in range(int(rng.integers(1, 5))):
        x = values[int(rng.integers(max(0, len(values) - 4), len(values)))]
        alike = [v for v in values if v is not x and v.dtype == x.dtype] or [x]
        y = alike[int(rng.integers(len(alike)))]
        step = nested if depth < 2 and rng.random() < 0.4 else OPS[rng.integers(len(OPS))]
        new = step(rng, depth, x, y) if step is nested else [step(rng, x, y)]
        values += [small(v) for v in new if v.size]
    return values


def nested(rng, depth, x, y):
    seed = int(rng.integers(2**31))
    inner = lambda *args: chain(seed, depth + 1, list(args))[len(args):][-2:]
    body = lambda c, r: (like(c, inner(c, r, y)), r.sum() + c.sum())
    is_float = lambda v: jnp.issubdtype(v.dtype, jnp.floating)
    loss = lambda x: sum(v.sum() for v in inner(x) if is_float(v))
    how = rng.integers(8 if is_float(x) and depth == 0 else 7)
    if how == 0:
        return lax.scan(body, y, x, reverse=bool(rng.integers(2)))
    if how == 1:
        return [lax.fori_loop(0, y.ravel()[0].astype("int32") % 3, lambda i, c: like(c, inner(c, y, x)), x)]
    if how == 2:
        return [lax.cond(y.ravel()[0] > 0, lambda c: like(c, inner(c)), lambda c: -c, x)]
    if how == 3:
        return jax.vmap(lambda r: inner(r, y))(x)
    if how == 4:
        return lax.map(lambda r: inner(r, y), x)
    if how == 5:
        twice = jax.jit(inner)
        return twice(x) + twice(y)
    if how == 6:
        return jax.checkpoint(inner)(x)
    return [jax.grad(loss)(x)] if has_gradient(loss, x) else inner(x)


def has_gradient(loss, x):
    """Not if there is a loop with a traced count, or no float at the end."""
    try:
        jax.eval_shape(jax.grad(loss), x)
        return True
    except (ValueError, TypeError):
        return False


# ---- the comparison ------------------------------------------------------------------------------------------------


def arguments(rng):
    kinds = rng.choice(["float32", "float32", "int32"], 3)
    return [rng.integers(-4, 5, SHAPES[rng.integers(len(SHAPES))]).astype(kind) for kind in kinds]


def spec(rng, rank, axes):
    dims = [[] for _ in range(rank)]
    for axis in axes if rank else ():
        if rng.random() < 0.7:
            dims[rng.integers(rank)].append(axis)
    return P(*(tuple(d) or None for d in dims))


def check(seed):
    """What is wrong with one random function on Tessera, or None."""
    rng = np.random.default_rng([seed, 1])
    args = arguments(rng)
    fn = lambda *args: chain(seed, 0, list(args))[len(args):]
    want = [np.asarray(v) for v in jax.jit(fn)(*args)]
    program = tessera.export(fn, *args)

    def differs(where, got):
        assert len(got) == len(want)
        for i, (g, w) in enumerate(zip(got, want)):
            if (g.dtype, g.shape) != (w.dtype, w.shape) or not np.array_equal(g, w, equal_nan=w.dtype.kind == "f"):
                return f"seed {seed}, {where}: result {i} is\n{g}\nexpected\n{w}"
        return None

    said = differs("one device", tessera.run(program, *args))
    for _ in range(2):
        mesh = str(rng.choice(list(MESHES)))
        shard = [(str(i), spec(rng, a.ndim, MESHES[mesh])) for i, a in enumerate(args)]
        shard += [(f"result{i}", spec(rng, w.ndim, MESHES[mesh])) for i, w in enumerate(want) if rng.random() < 0.3]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # nothing may be sharded, or not evenly
            said = said or differs(f"{mesh} {shard}", tessera.run(program, *args, mesh=mesh, shard=shard))
    return said


def main(first, count):
    bad = 0
    for seed in range(first, first + count):
        said = check(seed)
        bad += said is not None
        print(said or f"ok {seed}", flush=True)
    return bad != 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), int(sys.argv[2])))
