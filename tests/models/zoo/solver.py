"""Learning a medium's conductivity from what is observed: a diffusion equation on a torus is solved by conjugate gradients in
a while_loop, differentiated implicitly (the gradient is another solution); and by a fixed number of Jacobi's steps in a
fori_loop, differentiated step by step. Adam.
"""

import functools

import jax
import jax.numpy as jnp
from jax import lax

from .common import Annotation, P, Step, adam, adam_state, all_reduce, model, normal, training
from .layers import mean_square


def shift(x, by, axes):
    """x [..., rows, columns] a row on (by = 1) or back (-1), round the torus. In a shard_map that has cut the rows a row goes
    to the neighbour. axes: of the shard_map around, () outside."""
    if "rows" not in axes:
        return jnp.roll(x, by, -2)
    n = lax.axis_size("rows")
    edge = x[..., -1:, :] if by == 1 else x[..., :1, :]
    edge = lax.ppermute(edge, "rows", [(i, (i + by) % n) for i in range(n)])
    return jnp.concatenate([edge, x[..., :-1, :]] if by == 1 else [x[..., 1:, :], edge], -2)


def system(params, axes):
    """x -> x - div(k grad x): symmetric and positive. And its diagonal."""
    k_rows, k_columns = jnp.exp(params["rows"]), jnp.exp(params["columns"])

    def apply(x):
        down = k_rows * (shift(x, -1, axes) - x)
        right = k_columns * (jnp.roll(x, -1, -1) - x)
        return x - (down - shift(down, 1, axes)) - (right - jnp.roll(right, 1, -1))

    return apply, 1 + k_rows + shift(k_rows, 1, axes) + k_columns + jnp.roll(k_columns, 1, -1)


def conjugate_gradients(apply, b, axes, tolerance=1e-3):
    """Each example's solution of apply(x) = b, until the worst residual is small beside its b."""

    def dot(x, y):
        d = jnp.sum(x * y, (-2, -1), keepdims=True)
        return lax.psum(d, "rows") if "rows" in axes else d

    def largest(x):
        return lax.pmax(jnp.max(x), axes) if axes else jnp.max(x)

    size = dot(b, b)

    def step(state):
        x, r, direction, rr, _, i = state
        a = apply(direction)
        by = rr / dot(direction, a)
        x, r = x + by * direction, r - by * a
        new = dot(r, r)
        return x, r, r + new / rr * direction, new, largest(new / size), i + 1

    def goes_on(state):
        return (state[4] > tolerance**2) & (state[5] < 100)

    start = (jnp.zeros_like(b), b, b, size, jnp.ones((), b.dtype), 0)
    return lax.while_loop(goes_on, step, start)[0]


def by_hand(case, mesh):
    """Both by shard_map: halos by ppermute, dot products by psum, the loop goes on while any device's examples need it."""
    axes = mesh.axis_names
    grid = P("rows") if "rows" in axes else P()
    batch = P("data", "rows") if "rows" in axes else P("data")

    def local(params, opt, batch):
        value, grads = jax.value_and_grad(case.loss)(params, batch, axes)
        value = lax.pmean(value, axes)
        # The loss is a mean over all devices' points; each row's conductivity is on the devices that share its rows.
        grads = jax.tree.map(lambda g: lax.psum(g, "data") / mesh.size, grads)
        return Step(value, grads, *case.update(params, opt, grads))

    opt = {"m": grid, "v": grid, "step": P()}
    outs = Step(P(), grid, grid, opt)
    return jax.shard_map(local, mesh=mesh, in_specs=(grid, opt, batch), out_specs=outs, check_vma=False)


def jacobi_spatial_bytes(case):
    """Over data=2,rows=4. Each step sends a row of x back and a row of the flow on, and the same of gradients on the way back.
    The diagonal sends a row of k once forth and once back. Gradients of a device's rows are summed over data."""
    s = case.sizes
    steps = 4 * s["steps"] * 4 * s["batch"] // 2 * s["columns"]
    return steps + 2 * 4 * s["columns"] + all_reduce(2, case.bytes("params.*") / 4) + all_reduce(8, 4)


def data_bytes(case):
    return all_reduce(8, case.bytes("params.*") + 4)


def annotations(data_textbook, spatial_textbook):
    whole = [(f"{tree}.*", P()) for tree in ("params", "opt", "grads")]
    cut = [("opt.step", P())] + [(f"{tree}.*", P("rows")) for tree in ("params", "opt.m", "opt.v", "grads")]
    return {
        "data": Annotation("data=8", [("batch.*", P("data")), *whole], data_textbook, by_hand),
        "spatial": Annotation("data=2,rows=4", [("batch.*", P("data", "rows")), *cut], spatial_textbook, by_hand),
    }


def build(solve, dtype, rows, columns, batch, **sizes):
    grid = lambda: normal((rows, columns), dtype, 0.3)
    params = {"rows": grid(), "columns": grid()}
    examples = {name: normal((batch, rows, columns), dtype) for name in ("source", "observed")}

    def forward(params, batch, axes=()):
        return solve(params, batch["source"], axes)

    def loss(params, batch, axes=()):
        return mean_square(forward(params, batch, axes), batch["observed"])

    sizes |= {"batch": batch, "columns": columns}
    opt = adam_state(params, grad_scale=0.001)
    return training(loss, adam, params, opt, examples, forward, sizes=sizes)


# How often the loop goes round is not known before, so there is no textbook.
@model("solver", dtypes=("float32",), annotations=annotations(None, None))
def solver(*, dtype, scale=1, rows=16, columns=8, batch=8):
    def solve(params, b, axes):
        apply, _ = system(params, axes)
        cg = functools.partial(conjugate_gradients, axes=axes)
        return lax.custom_linear_solve(apply, b, cg, symmetric=True)

    return build(solve, dtype, rows * scale, columns * scale, batch)


@model("jacobi", remat=True, dtypes=("float32",), annotations=annotations(data_bytes, jacobi_spatial_bytes))
def jacobi(*, dtype, remat=False, scale=1, rows=16, columns=8, batch=8, steps=8):
    def solve(params, b, axes):
        apply, diagonal = system(params, axes)
        step = lambda i, x: x + (b - apply(x)) / diagonal
        return lax.fori_loop(0, steps, jax.checkpoint(step) if remat else step, jnp.zeros_like(b))

    return build(solve, dtype, rows * scale, columns * scale, batch, steps=steps)
