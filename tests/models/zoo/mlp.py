"""A perceptron with Adam: the smallest training step."""

import jax.numpy as jnp

from .common import Annotation, P, all_reduce, adam, adam_state, data, integers, layer_rules, model, near_zero, normal
from .common import stacked, training, weight, zero1, zero3
from .layers import cross_entropy, run_layers


def megatron_bytes(case):
    """Activations of a layer are all-reduced over model forth and back, the gradients that a device has over data."""
    activations = case.bytes("batch.x") / 2
    split = case.bytes("params.*.w?") + case.bytes("params.*.b1")
    grads = split / 4 + case.bytes("params.*") - split
    return 2 * case.sizes["layers"] * all_reduce(4, activations) + all_reduce(2, grads + 4)


MEGATRON = [
    ("batch.*", P("data")),
    *layer_rules(w1=P(None, "model"), b1=P("model"), w2=P("model"), b2=P()),
    ("*.out", P()),
]
ANNOTATIONS = {
    "data": data(),
    "megatron": Annotation("data=2,model=4", MEGATRON, megatron_bytes),
    "zero1": zero1(),
    "zero3": zero3(),
}


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

    def forward(params, batch):
        return run_layers(layer, params["layers"], batch["x"], scan=scan, remat=remat) @ params["out"]

    def loss(params, batch):
        return cross_entropy(forward(params, batch), batch["labels"])

    examples = {"x": normal((batch, width), dtype), "labels": integers((batch,), classes)}
    return training(loss, adam, params, adam_state(params), examples, forward, sizes={"layers": layers})
