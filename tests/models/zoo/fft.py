"""FNet: a transformer whose attention is a Fourier transform of the sequence and the width; Adam.

Fourier transforms are of float32 at least, as everywhere.
"""

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
    all_to_all,
    data,
    integers,
    model,
    near_one,
    near_zero,
    normal,
    stacked,
    training,
    weight,
    zero1,
    zero3,
)
from .layers import cross_entropy, layer_norm, run_layers, wide


def layer_leaves(width, dtype):
    return {
        "scale1": near_one(width, dtype=dtype),
        "bias1": near_zero(width, dtype=dtype),
        "w1": weight(width, width, 2 * width, dtype=dtype),
        "b1": near_zero(2 * width, dtype=dtype),
        "w2": weight(2 * width, 2 * width, width, dtype=dtype),
        "b2": near_zero(width, dtype=dtype),
        "scale2": near_one(width, dtype=dtype),
        "bias2": near_zero(width, dtype=dtype),
    }


def mix(x, axis_name=None):
    """The real part of the transform along width, then along the sequence: [batch, length, width]. In a shard_map that has cut
    the sequence, an all-to-all makes it whole, with the width in parts; another brings it back."""
    y = jnp.fft.fft(wide(x), axis=2)
    if axis_name is not None:
        y = lax.all_to_all(y, axis_name, 2, 1, tiled=True)
    y = jnp.real(jnp.fft.fft(y, axis=1))
    y = y / (x.shape[2] * y.shape[1]) ** 0.5
    if axis_name is not None:
        y = lax.all_to_all(y, axis_name, 1, 2, tiled=True)
    return y.astype(x.dtype)


def layer(p, x, axis_name=None):
    x = layer_norm(x + mix(x, axis_name), p["scale1"], p["bias1"])
    y = jax.nn.gelu(x @ p["w1"] + p["b1"]) @ p["w2"] + p["b2"]
    return layer_norm(x + y, p["scale2"], p["bias2"])


def sequence_bytes(case):
    """Over data=2,sequence=4: a layer's activations, of a bytes on a device in float32, change from cut by the sequence to cut
    by the width as complex numbers (2a) and back as reals (a), forth; the same back. Then gradients."""
    s = case.sizes
    a = 4 * s["batch"] * s["length"] * s["width"] / 8
    return s["layers"] * 2 * all_to_all(4, 3 * a) + all_reduce(8, case.bytes("params.*") + 4)


def sequence_shard_map(case, mesh):
    """The same by hand."""

    def local(params, opt, batch):
        value, grads = jax.value_and_grad(case.loss)(params, batch, "sequence")
        value, grads = lax.pmean((value, grads), mesh.axis_names)
        return Step(value, grads, *case.update(params, opt, grads))

    specs = (P(), P(), P("data", "sequence"))
    return jax.shard_map(local, mesh=mesh, in_specs=specs, out_specs=P(), check_vma=False)


WHOLE = [("params.*", P()), ("opt.*", P()), ("grads.*", P())]
ANNOTATIONS = {
    "data": data(),
    "zero1": zero1(),
    "zero3": zero3(),
    "sequence": Annotation(
        "data=2,sequence=4", [("batch.*", P("data", "sequence")), *WHOLE], sequence_bytes, sequence_shard_map
    ),
}


@model("fft", scan=True, remat=True, annotations=ANNOTATIONS)
def fft(*, dtype, scan=False, remat=False, scale=1, layers=2, width=16, length=16, vocabulary=32, batch=8):
    width, length = width * scale, length * scale
    params = {
        "embed": normal((vocabulary, width), dtype),
        "layers": stacked(lambda i: layer_leaves(width, dtype), layers, scan),
        "out": weight(width, width, vocabulary, dtype=dtype),
    }

    def forward(params, batch, axis_name=None):
        each = lambda p, x: layer(p, x, axis_name)
        x = params["embed"][batch["tokens"]]
        return run_layers(each, params["layers"], x, scan=scan, remat=remat) @ params["out"]

    def loss(params, batch, axis_name=None):
        return cross_entropy(forward(params, batch, axis_name), batch["labels"])

    examples = {"tokens": integers((batch, length), vocabulary), "labels": integers((batch, length), vocabulary)}
    sizes = {"layers": layers, "width": width, "length": length, "batch": batch}
    return training(loss, adam, params, adam_state(params), examples, forward, sizes=sizes)
