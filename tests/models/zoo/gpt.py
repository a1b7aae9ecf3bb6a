"""GPT-2: learned positions, layer norm before each half of a block, the embedding also as output matrix; AdamW."""

import functools

import jax.numpy as jnp
from jax import lax

from .common import Annotation, P, activations, adam, adam_state, all_reduce, by_hand, data, integers, model, near_one
from .common import near_zero, split_bytes, stacked, training, weight, zero1, zero3
from .layers import SPLIT_BLOCK, block, causal, cross_entropy, encode, layer_norm, run_layers, same

MEGATRON = [("batch.*", P("data")), ("*.tok", P("model")), *SPLIT_BLOCK, ("params.*", P()), ("opt.*", P())]
# Norms and residuals also split along the length: an all-gather and a reduce-scatter for each all-reduce.
SEQUENCE = [("batch.*", P("data", "model")), ("*.pos", P("model")), *SPLIT_BLOCK, ("*.tok", P()), ("params.*", P())]


def megatron_bytes(case):
    """Over model, of activations: each layer all-reduces 2 forth and 2 back, with remat 1 more (the attention's output; the
    block's own is not needed); the split embedding 1 forth and the logits 1 back. The loss has a maximum, a sum of exponentials and
    the label's logit of each token, in float32. Over data: the gradients that a device has."""
    s = case.sizes
    tokens = s["batch"] * s["length"] / 2
    times = (5 if s["remat"] else 4) * s["layers"] + 2
    grads = split_bytes(case, MEGATRON, {"model": 4})
    return times * all_reduce(4, activations(case, 2)) + all_reduce(4, 3 * 4 * tokens) + all_reduce(2, grads + 4)


def sequence_bytes(case):
    """As much as Megatron's over model, as gathers and scatters, and with remat 1 more gather: of the second half's input. The
    embedding is whole: each device looks up and scores its own tokens. Gradients of what is whole are summed over all, those of the
    positions and of split weights over data."""
    s = case.sizes
    split = case.bytes("params.pos") + case.bytes("params.*.w?") + case.bytes("params.*.b1")
    whole = case.bytes("params.*") - split
    times = (6 if s["remat"] else 4) * s["layers"]
    return times * all_reduce(4, activations(case, 2)) + all_reduce(2, split / 4) + all_reduce(8, whole + 4)


def megatron_by_hand(case, mesh):
    """Each device has some heads and hidden units; psum over model joins the halves of a block. The embedding is whole."""
    join = functools.partial(lax.psum, axis_name="model")
    local = lambda params, batch: lax.pmean(case.loss(params, batch, join), "data")
    return by_hand(case, mesh, Annotation("", SPLIT_BLOCK).specs(case.leaves[0], "params"), local)


ANNOTATIONS = {
    "data": data(),
    "megatron": Annotation("data=2,model=4", MEGATRON, megatron_bytes, megatron_by_hand),
    "sequence": Annotation("data=2,model=4", SEQUENCE, sequence_bytes),
    "zero1": zero1(),
    "zero3": zero3(),
}


@model("gpt", scan=True, remat=True, annotations=ANNOTATIONS)
def gpt(*, dtype, scan=False, remat=False, scale=1, layers=2, width=16, heads=4, length=8, vocab=64, batch=8):
    width, heads, length, vocab = width * scale, heads * scale, length * scale, vocab * scale
    params = {
        "tok": weight(width, vocab, width, dtype=dtype),
        "pos": near_zero(length, width, dtype=dtype),
        "layers": stacked(lambda i: block(width, heads, 4 * width, dtype), layers, scan),
        "norm": near_one(width, dtype=dtype),
        "shift": near_zero(width, dtype=dtype),
    }

    def logits(params, tokens, join=same):
        layer = lambda p, x: encode(p, x, causal(x.shape[1]), join)
        x = params["tok"][tokens] + params["pos"]
        x = run_layers(layer, params["layers"], x, scan=scan, remat=remat)
        return layer_norm(x, params["norm"], params["shift"]) @ params["tok"].T

    def forward(params, batch):
        return logits(params, batch["tokens"])

    def loss(params, batch, join=same):
        return cross_entropy(logits(params, batch["tokens"], join), batch["labels"])

    examples = {name: integers((batch, length), vocab) for name in ("tokens", "labels")}
    itemsize = jnp.dtype(dtype).itemsize
    sizes = dict(layers=layers, width=width, length=length, batch=batch, remat=remat, itemsize=itemsize)
    update = functools.partial(adam, decay=0.01)
    return training(loss, update, params, adam_state(params), examples, forward, sizes=sizes)
