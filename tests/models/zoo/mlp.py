"""A perceptron with Adam: the smallest training step."""

import jax
import jax.numpy as jnp

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
)
from .layers import cross_entropy, run_layers




ANNOTATIONS = {"data": data()}


@model("mlp", scan=True, remat=True, annotations=ANNOTATIONS)
def mlp(*, dtype, scan=False, remat=False, scale=1, layers=2, width=32, hidden=64, classes=16, batch=16):
    width, hidden, classes = width * scale, hidden * scale, classes * scale
    block = lambda i: {
        "w1": weight(width, width, hidden, dtype=dtype),
        "b1": near_zero(hidden, dtype=dtype),
        "w2": weight(hidden, hidden, width, dtype=dtype),
        "b2": near_zero(width, dtype=dtype),
    }
    params = {"layers": stacked(block, layers, scan), "out": weight(width, width, classes, dtype=dtype)}

    def layer(p, x):
        return x + jnp.tanh(x @ p["w1"] + p["b1"]) @ p["w2"] + p["b2"]

    def forward(params, x):
        return run_layers(layer, params["layers"], x, scan=scan, remat=remat) @ params["out"]

    def loss(params, batch):
        return cross_entropy(forward(params, batch["x"]), batch["labels"])

    examples = {"x": normal((batch, width), dtype), "labels": integers((batch,), classes)}
    return training(loss, adam, params, adam_state(params), examples, forward)
