"""GPT-2: learned positions, layer norm before each half of a block, the embedding also as output matrix; AdamW."""

import functools

import jax.numpy as jnp
from jax import lax

from .common import Annotation, P, activations, adam, adam_state, all_reduce, by_hand, data, integers, layer_rules, model
from .common import near_one, near_zero, split_bytes, stacked, training, weight, zero1, zero3
from .layers import causal, cross_entropy, feed_forward, layer_norm, run_layers, same, self_attention

HEADS = P(None, "model")  # [width, heads, size]


SPLIT_LAYER = layer_rules(wq=HEADS, wk=HEADS, wv=HEADS, wo=HEADS, w1=P(None, "model"), b1=P("model"), w2=P("model"))
MEGATRON = [("batch.*", P("data")), ("*.tok", P("model")), *SPLIT_LAYER, ("params.*", P()), ("opt.*", P())]
# Norms and residuals also split along the length: an all-gather and a reduce-scatter for each all-reduce.
SEQUENCE = [("batch.*", P("data", "model")), ("*.pos", P("model")), *SPLIT_LAYER, ("*.tok", P()), ("params.*", P())]


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
    return by_hand(case, mesh, Annotation("", SPLIT_LAYER).specs(case.leaves[0], "params"), local)


ANNOTATIONS = {
    "data": data(),
    "megatron": Annotation("data=2,model=4", MEGATRON, megatron_bytes, megatron_by_hand),
    "sequence": Annotation("data=2,model=4", SEQUENCE, sequence_bytes),
    "zero1": zero1(),
    "zero3": zero3(),
}


def block(width, heads, hidden, dtype):
    """Parameters of one block."""
    size = width // heads
    return {
        "norm1": near_one(width, dtype=dtype),
        "shift1": near_zero(width, dtype=dtype),
        **{w: weight(width, width, heads, size, dtype=dtype) for w in ("wq", "wk", "wv", "wo")},
        "norm2": near_one(width, dtype=dtype),
        "shift2": near_zero(width, dtype=dtype),
        "w1": weight(width, width, hidden, dtype=dtype),
        "b1": near_zero(hidden, dtype=dtype),
        "w2": weight(hidden, hidden, width, dtype=dtype),
        "b2": near_zero(width, dtype=dtype),
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
        def layer(p, x):
            x = x + self_attention(p, layer_norm(x, p["norm1"], p["shift1"]), causal(x.shape[1]), join=join)
            return x + feed_forward(p, layer_norm(x, p["norm2"], p["shift2"]), join)

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
