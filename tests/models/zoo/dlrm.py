"""DLRM: embeddings of categories and a perceptron over numbers meet in dot products; a second one tells clicks. SGD."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from .common import (
    Annotation,
    P,
    Step,
    all_gather,
    all_reduce,
    all_to_all,
    data,
    integers,
    model,
    near_zero,
    normal,
    reduce_scatter,
    sgd,
    sgd_state,
    training,
    weight,
)
from .layers import wide


def dense_leaves(sizes, dtype):
    layer = lambda n, m: {"w": weight(n, n, m, dtype=dtype), "b": near_zero(m, dtype=dtype)}
    return [layer(n, m) for n, m in zip(sizes, sizes[1:])]


def dense(layers, x):
    for p in layers[:-1]:
        x = jax.nn.relu(x @ p["w"] + p["b"])
    return x @ layers[-1]["w"] + layers[-1]["b"]


def look_up(tables, ids):
    """[tables, rows, width], [batch, tables] -> [batch, tables, width]."""
    return jax.vmap(lambda table, i: table[i], in_axes=(0, 1), out_axes=1)(tables, ids)


def interact(x, vectors):
    """x [batch, width] beside the dot products of all pairs of x and vectors [batch, tables, width]."""
    all_ = jnp.concatenate([x[:, None], vectors], 1)
    dots = jnp.einsum("bid,bjd->bij", all_, all_)
    i, j = np.tril_indices(all_.shape[1], -1)
    return jnp.concatenate([x, dots[:, i, j]], 1)


def click_loss(params, vectors, batch):
    """From the vectors that were looked up on: the mean of -log p(click)."""
    x = interact(dense(params["bottom"], batch["numbers"]), vectors)
    y = wide(dense(params["top"], x)[:, 0])
    return jnp.mean(jnp.logaddexp(0, y) - y * batch["click"].astype(y.dtype))


def sizes_of(case):
    """Bytes: of all examples' ids and vectors, of the perceptrons' parameters and the loss."""
    s = case.sizes
    ids, vectors = 4 * s["batch"] * s["tables"], s["batch"] * s["tables"] * s["width"] * s["bytes"]
    return ids, vectors, case.bytes("params.*") - case.bytes("params.tables") + 4


def tables_bytes(case):
    """Each device has some whole tables: ids go there, vectors come back, their gradients go there."""
    ids, vectors, rest = sizes_of(case)
    return all_to_all(8, ids / 8) + 2 * all_to_all(8, vectors / 8) + all_reduce(8, rest)


def rows_bytes(case):
    """Each device has some rows of each table: it sees all ids, gives the vectors it has (zero for others), whose sum is
    scattered; gradients of all vectors are gathered."""
    ids, vectors, rest = sizes_of(case)
    return all_gather(8, ids) + reduce_scatter(8, vectors) + all_gather(8, vectors) + all_reduce(8, rest)


def columns_bytes(case):
    """Each device has some columns of each table: it sees all ids; parts of vectors go to their examples and back."""
    ids, vectors, rest = sizes_of(case)
    return all_gather(8, ids) + 2 * all_to_all(8, vectors / 8) + all_reduce(8, rest)


def tables_shard_map(case, mesh):
    """The same by hand: all_to_all of ids and of vectors; its gradient is an all_to_all back."""

    def loss(params, batch):
        ids = lax.all_to_all(batch["ids"], "data", 1, 0, tiled=True)
        vectors = lax.all_to_all(look_up(params["tables"], ids), "data", 0, 1, tiled=True)
        return click_loss(params, vectors, batch)

    def local(params, opt, batch):
        value, grads = jax.value_and_grad(loss)(params, batch)
        tables = grads.pop("tables") / 8  # a sum over all devices' losses already
        value, grads = lax.pmean((value, grads), "data")
        grads["tables"] = tables
        return Step(value, grads, *case.update(params, opt, grads))

    like = lambda tree: {k: P("data") if k == "tables" else P() for k in tree}
    params, opt = like(case.leaves[0]), {"m": like(case.leaves[0])}
    specs = (params, opt, P("data"))
    outs = Step(P(), params, params, opt)
    return jax.shard_map(local, mesh=mesh, in_specs=specs, out_specs=outs, check_vma=False)


def cut_tables(p):
    rules = [("batch.*", P("data"))]
    return rules + [r for tree in ("params", "opt", "grads") for r in ((f"{tree}.*tables", p), (f"{tree}.*", P()))]


ANNOTATIONS = {
    "data": data(),
    "tables": Annotation("data=8", cut_tables(P("data")), tables_bytes, tables_shard_map),
    "rows": Annotation("data=8", cut_tables(P(None, "data")), rows_bytes),
    "columns": Annotation("data=8", cut_tables(P(None, None, "data")), columns_bytes),
}


@model("dlrm", annotations=ANNOTATIONS)
def dlrm(*, dtype, scale=1, tables=8, rows=64, width=16, numbers=12, hidden=32, batch=64):
    rows, hidden = rows * scale, hidden * scale
    pairs = (tables + 1) * tables // 2
    params = {
        "tables": normal((tables, rows, width), dtype),
        "bottom": dense_leaves([numbers, hidden, width], dtype),
        "top": dense_leaves([width + pairs, hidden, 1], dtype),
    }

    def forward(params, batch):
        x = interact(dense(params["bottom"], batch["numbers"]), look_up(params["tables"], batch["ids"]))
        return dense(params["top"], x)[:, 0]

    def loss(params, batch):
        return click_loss(params, look_up(params["tables"], batch["ids"]), batch)

    examples = {
        "numbers": normal((batch, numbers), dtype),
        "ids": integers((batch, tables), rows),
        "click": integers((batch,), 2),
    }
    sizes = {"batch": batch, "tables": tables, "width": width, "bytes": jnp.dtype(dtype).itemsize}
    return training(loss, sgd, params, sgd_state(params), examples, forward, sizes=sizes)
