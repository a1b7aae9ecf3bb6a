"""An LSTM language model: layers of cells that lax.scan carries through time; Adam.

With scan, layers are a scan too, so there is a loop in a loop.
"""

import jax
import jax.numpy as jnp
from jax import lax

from .common import (
    Annotation,
    P,
    adam,
    adam_state,
    all_gather,
    all_reduce,
    data,
    integers,
    layer_rules,
    model,
    near_zero,
    normal,
    reduce_scatter,
    stacked,
    training,
    weight,
    zero1,
    zero3,
)
from .layers import cross_entropy, run_layers


def layer_leaves(width, dtype):
    """Kernels are [from, to, gate]: cut along `to`, a device has all four gates of its cells."""
    return {
        "wx": weight(width, width, width, 4, dtype=dtype),
        "wh": weight(width, width, width, 4, dtype=dtype),
        "b": near_zero(width, 4, dtype=dtype),
    }


def layer(p, x):
    """[length, batch, width] -> the same. The input's part of the gates is one product for all times."""
    from_input = jnp.einsum("tbi,ijg->tbjg", x, p["wx"]) + p["b"]

    def cell(carry, gates):
        h, c = carry
        gates = gates + jnp.einsum("bi,ijg->bjg", h, p["wh"])
        remember, write, read = (jax.nn.sigmoid(gates[..., i]) for i in range(3))
        c = remember * c + write * jnp.tanh(gates[..., 3])
        h = read * jnp.tanh(c)
        return (h, c), h

    start = jnp.zeros_like(x[0])
    return x + lax.scan(cell, (start, start), from_input)[1]


def cells_bytes(case):
    """Over data=2,model=4, each device has some cells of each layer. At each time what all cells said is gathered, forth and
    again back for the gradient of wh; its own gradient is scattered. What goes into a layer, and into the last product, is
    gathered once for all times, its gradient scattered. Words are in parts behind it: the loss sums two numbers a word
    (and finds a third). Gradients of the parts are summed over data."""
    s = case.sizes
    words = s["length"] * s["batch"] // 2
    said = words * s["width"] * s["bytes"]
    in_time = s["layers"] * (2 * all_gather(4, said) + reduce_scatter(4, said))
    between = (s["layers"] + 1) * (all_gather(4, said) + reduce_scatter(4, said))
    return in_time + between + all_reduce(4, 3 * 4 * words) + all_reduce(2, case.bytes("params.*") / 4 + 4)


CELLS = layer_rules(wx=P(None, "model"), wh=P(None, "model"), b=P("model"))
CELLS += [("*.embed", P(None, "model")), ("*.out", P(None, "model"))]
ANNOTATIONS = {
    "data": data(),
    "zero1": zero1(),
    "zero3": zero3(),
    "cells": Annotation("data=2,model=4", [("batch.*", P("data")), *CELLS], cells_bytes),
}


@model("lstm", scan=True, remat=True, annotations=ANNOTATIONS)
def lstm(*, dtype, scan=False, remat=False, scale=1, layers=2, width=16, length=8, vocabulary=32, batch=8):
    width = width * scale
    params = {
        "embed": normal((vocabulary, width), dtype),
        "layers": stacked(lambda i: layer_leaves(width, dtype), layers, scan),
        "out": weight(width, width, vocabulary, dtype=dtype),
    }

    def forward(params, batch):
        x = params["embed"][batch["tokens"].T]
        return run_layers(layer, params["layers"], x, scan=scan, remat=remat) @ params["out"]

    def loss(params, batch):
        return cross_entropy(forward(params, batch), batch["next"].T)

    examples = {"tokens": integers((batch, length), vocabulary), "next": integers((batch, length), vocabulary)}
    sizes = {"layers": layers, "width": width, "length": length, "batch": batch, "bytes": jnp.dtype(dtype).itemsize}
    return training(loss, adam, params, adam_state(params), examples, forward, sizes=sizes)
