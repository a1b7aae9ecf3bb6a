"""Llama: rotary positions, groups of heads that share keys and values, SwiGLU, RMS norm, an output matrix of its own; AdamW."""

import functools

import jax
import jax.numpy as jnp

from .common import Annotation, P, activations, adam, adam_state, all_gather, all_reduce, data, integers, layer_rules, model
from .common import near_one, reduce_scatter, split_bytes, stacked, training, weight, zero3
from .layers import causal, cross_entropy, rms_norm, rotate, run_layers, softmax

GROUPS = P(None, "model")  # [width, groups, …]
COLUMNS = P(None, "model")
SPLIT = layer_rules(wq=GROUPS, wk=GROUPS, wv=GROUPS, wo=GROUPS, w1=COLUMNS, w2=P("model"), w3=COLUMNS)
MEGATRON = [("batch.*", P("data")), *SPLIT, ("*.tok", P()), ("*.head", COLUMNS), ("params.*", P()), ("opt.*", P())]
SEQUENCE = [("batch.*", P("data", "seq")), ("params.*", P()), ("opt.*", P())]


def megatron_bytes(case):
    """As GPT's, but the embedding is whole: activations 2 forth and 2 back a layer, 1 more with remat, 1 back of the logits;
    three numbers a token in the loss; gradients over data."""
    s = case.sizes
    tokens = s["batch"] * s["length"] / 4
    times = (5 if s["remat"] else 4) * s["layers"] + 1
    grads = split_bytes(case, MEGATRON, {"model": 2})
    return times * all_reduce(2, activations(case, 4)) + all_reduce(2, 3 * 4 * tokens) + all_reduce(4, grads + 4)


def sequence_bytes(case):
    """Each device has a part of each sequence. Keys and values are gathered over it in each layer, once more with remat, and their
    gradients scattered; gradients of parameters are summed over all."""
    s = case.sizes
    keys = activations(case, 2) * s["groups"] * s["size"] / s["width"]
    times = 2 * s["layers"]
    gathers = (2 if s["remat"] else 1) * times * all_gather(4, keys)
    return gathers + times * reduce_scatter(4, keys) + all_reduce(8, case.bytes("params.*") + 4)


ANNOTATIONS = {
    "data": data(),
    "megatron": Annotation("data=4,model=2", MEGATRON, megatron_bytes),
    "sequence": Annotation("data=2,seq=4", SEQUENCE, sequence_bytes),
    "zero3": zero3(),
}


def block(width, groups, heads, size, hidden, dtype):
    """Parameters of one block. Queries have `heads` in each of the groups, keys and values one."""
    return {
        "norm1": near_one(width, dtype=dtype),
        "wq": weight(width, width, groups, heads, size, dtype=dtype),
        "wk": weight(width, width, groups, size, dtype=dtype),
        "wv": weight(width, width, groups, size, dtype=dtype),
        "wo": weight(width, width, groups, heads, size, dtype=dtype),
        "norm2": near_one(width, dtype=dtype),
        "w1": weight(width, width, hidden, dtype=dtype),
        "w3": weight(width, width, hidden, dtype=dtype),
        "w2": weight(hidden, hidden, width, dtype=dtype),
    }


def grouped_attention(p, x):
    """[batch, length, width]; letters: g groups, r heads of a group, k their size."""
    positions = jnp.arange(x.shape[1])
    q = rotate(jnp.einsum("bld,dgrk->blgrk", x, p["wq"]), positions)
    k = rotate(jnp.einsum("bld,dgk->blgk", x, p["wk"]), positions)
    v = jnp.einsum("bld,dgk->blgk", x, p["wv"])
    scores = jnp.einsum("bqgrk,bsgk->bgrqs", q, k) * q.shape[-1] ** -0.5
    scores = jnp.where(causal(x.shape[1]), scores, jnp.finfo(scores.dtype).min)
    return jnp.einsum("bqgrk,dgrk->bqd", jnp.einsum("bgrqs,bsgk->bqgrk", softmax(scores), v), p["wo"])


def swiglu(p, x):
    return (jax.nn.silu(x @ p["w1"]) * (x @ p["w3"])) @ p["w2"]


@model("llama", scan=True, remat=True, annotations=ANNOTATIONS)
def llama(*, dtype, scan=False, remat=False, scale=1, layers=2, width=16, groups=2, heads=2, length=8, vocab=64, batch=8):
    width, groups, length, vocab = width * scale, groups * scale, length * scale, vocab * scale
    size = width // (groups * heads)
    params = {
        "tok": weight(width, vocab, width, dtype=dtype),
        "layers": stacked(lambda i: block(width, groups, heads, size, 2 * width, dtype), layers, scan),
        "norm": near_one(width, dtype=dtype),
        "head": weight(width, width, vocab, dtype=dtype),
    }

    def layer(p, x):
        x = x + grouped_attention(p, rms_norm(x, p["norm1"]))
        return x + swiglu(p, rms_norm(x, p["norm2"]))

    def forward(params, batch):
        x = run_layers(layer, params["layers"], params["tok"][batch["tokens"]], scan=scan, remat=remat)
        return rms_norm(x, params["norm"]) @ params["head"]

    def loss(params, batch):
        return cross_entropy(forward(params, batch), batch["labels"])

    examples = {name: integers((batch, length), vocab) for name in ("tokens", "labels")}
    itemsize = jnp.dtype(dtype).itemsize
    sizes = dict(layers=layers, width=width, length=length, batch=batch, remat=remat, itemsize=itemsize, groups=groups, size=size)
    update = functools.partial(adam, decay=0.01)
    return training(loss, update, params, adam_state(params), examples, forward, sizes=sizes)
