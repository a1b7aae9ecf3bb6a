"""A graph network: messages along edges, added up at nodes (segment_sum), in several rounds; Adam."""

import functools

import jax
import jax.numpy as jnp
from jax import lax

from .common import (
    Annotation,
    P,
    Step,
    adam,
    adam_state,
    all_reduce,
    integers,
    model,
    near_one,
    near_zero,
    normal,
    stacked,
    training,
    weight,
)
from .layers import cross_entropy, layer_norm, run_layers


def round_leaves(width, features, dtype):
    return {
        "message": weight(2 * width + features, 2 * width + features, width, dtype=dtype),
        "bias": near_zero(width, dtype=dtype),
        "out": weight(width, width, width, dtype=dtype),
        "scale": near_one(width, dtype=dtype),
        "shift": near_zero(width, dtype=dtype),
    }


def one_round(p, nodes, graph, axis_name=None):
    """Each edge's message from what its ends and itself are; each node from the sum of its messages."""
    x = jnp.concatenate([nodes[graph["senders"]], nodes[graph["receivers"]], graph["edges"]], -1)
    messages = jnp.tanh(x @ p["message"] + p["bias"])
    total = jax.ops.segment_sum(messages, graph["receivers"], nodes.shape[0])
    if axis_name is not None:
        total = lax.psum(total, axis_name)
    return layer_norm(nodes + total @ p["out"], p["scale"], p["shift"])


def edges_bytes(case):
    """Each device has some edges and all nodes. A round's sums are all-reduced forth, the gradients of its nodes back; then
    those of the parameters that messages are made with."""
    grads = case.bytes("params.*.message") + case.bytes("params.*.bias")
    return 2 * case.sizes["rounds"] * all_reduce(8, case.sizes["nodes"]) + all_reduce(8, grads)


def nodes_bytes(case):
    """Nodes are cut, too: each all-reduce becomes a reduce-scatter and, for the next round, an all-gather."""
    return 2 * case.sizes["rounds"] * all_reduce(8, case.sizes["nodes"]) + all_reduce(8, case.bytes("params.*") + 4)


def edges_shard_map(case, mesh):
    """The same by hand. shard_map knows which values differ between devices and adds up gradients of those that do not."""

    def local(params, opt, batch):
        value, grads = jax.value_and_grad(functools.partial(case.loss, axis_name="data"))(params, batch)
        return Step(value, grads, *case.update(params, opt, grads))

    batch = {name: P("data") if name in ("senders", "receivers", "edges") else P() for name in case.leaves[2]}
    return jax.shard_map(local, mesh=mesh, in_specs=(P(), P(), batch), out_specs=P())


WHOLE = [("params.*", P()), ("opt.*", P()), ("grads.*", P())]
EDGES = [(f"batch.{name}", P("data")) for name in ("senders", "receivers", "edges")]
ANNOTATIONS = {
    "edges": Annotation("data=8", [*EDGES, ("batch.*", P()), *WHOLE], edges_bytes, edges_shard_map),
    "nodes": Annotation("data=8", [("batch.*", P("data")), *WHOLE], nodes_bytes),
}


@model("graph", scan=True, remat=True, annotations=ANNOTATIONS)
def graph(*, dtype, scan=False, remat=False, scale=1, rounds=3, nodes=64, edges=256, features=8, width=16, classes=8):
    nodes, edges = nodes * scale, edges * scale
    params = {
        "embed": weight(features, features, width, dtype=dtype),
        "layers": stacked(lambda i: round_leaves(width, features, dtype), rounds, scan),
        "head": weight(width, width, classes, dtype=dtype),
    }

    def forward(params, batch, axis_name=None):
        layer = lambda p, x: one_round(p, x, batch, axis_name)
        x = batch["nodes"] @ params["embed"]
        return run_layers(layer, params["layers"], x, scan=scan, remat=remat) @ params["head"]

    def loss(params, batch, axis_name=None):
        return cross_entropy(forward(params, batch, axis_name), batch["labels"])

    examples = {
        "nodes": normal((nodes, features), dtype),
        "labels": integers((nodes,), classes),
        "edges": normal((edges, features), dtype),
        "senders": integers((edges,), nodes),
        "receivers": integers((edges,), nodes),
    }
    sizes = {"rounds": rounds, "nodes": nodes * width * jnp.dtype(dtype).itemsize}
    return training(loss, adam, params, adam_state(params), examples, forward, sizes=sizes)
