"""Inference of a decoder with one head of keys and values for all queries: a prompt, then one more token, with a cache."""

import jax
import jax.numpy as jnp
from jax import lax

from .common import Annotation, Case, P, all_reduce, all_to_all, integers, layer_rules, model, near_one, normal, stacked, weight
from .layers import rms_norm, rotate, softmax

HEADS = P(None, "model")  # [width, heads, size]
SPLIT = layer_rules(wq=HEADS, wo=HEADS, w1=P(None, "model"), w2=P("model"))
DATA = [("batch.start", P()), ("batch.*", P("data")), ("cache.*", P(None, "data")), ("params.*", P())]
MEGATRON = [("batch.start", P()), ("batch.*", P("data")), ("cache.*", P(None, "data")), *SPLIT, ("params.*", P())]
BATCH = [("batch.*", P()), ("cache.*", P(None, "model")), *SPLIT, ("params.*", P())]


def tokens(case, n):
    """Bytes of the prompt's and the next token's activations on each of n devices that share the batch."""
    s = case.sizes
    return s["batch"] * (s["prompt"] + 1) * s["width"] * s["itemsize"] / n


def megatron_bytes(case):
    """Each layer all-reduces activations after its attention and after its hidden units."""
    return case.sizes["layers"] * 2 * all_reduce(4, tokens(case, 2))


def batch_bytes(case):
    """As Megatron's; and attention is split by sequences, as the cache is: queries and what comes of them change sides."""
    n_layers, whole = case.sizes["layers"], tokens(case, 1)
    return n_layers * (2 * all_reduce(8, whole) + 2 * all_to_all(8, whole / 8))


def local_decode(case, mesh):
    """Each device has its sequences and their cache: nothing is exchanged."""
    specs = (P(), P(None, "data"), {"prompt": P("data"), "next": P("data"), "start": P()})
    outputs = {"prompt": P("data"), "next": P("data"), "cache": P(None, "data")}
    return jax.shard_map(case.fn, mesh=mesh, in_specs=specs, out_specs=outputs, check_vma=False)


ANNOTATIONS = {
    "data": Annotation("data=8", DATA, lambda case: 0, local_decode),
    "megatron": Annotation("data=2,model=4", MEGATRON, megatron_bytes),
    "batch": Annotation("model=8", BATCH, batch_bytes),
}


def attend(p, cache, x, start):
    """x [batch, length, width] stands at `start` of what the cache has; gives the cache with it."""
    length, places = x.shape[1], cache["k"].shape[1]
    positions = start + jnp.arange(length, dtype=start.dtype)
    q = rotate(jnp.einsum("bld,dhk->blhk", x, p["wq"]), positions)
    k = rotate(x @ p["wk"], positions)
    update = lambda cache, new: lax.dynamic_update_slice_in_dim(cache, new, start, 1)
    cache = {"k": update(cache["k"], k), "v": update(cache["v"], x @ p["wv"])}
    scores = jnp.einsum("bqhk,bsk->bhqs", q, cache["k"]) * q.shape[-1] ** -0.5
    seen = jnp.arange(places, dtype=start.dtype) <= positions[:, None]
    scores = jnp.where(seen, scores, jnp.finfo(scores.dtype).min)
    mixed = jnp.einsum("bhqs,bsk->bqhk", softmax(scores), cache["v"])
    return jnp.einsum("bqhk,dhk->bqd", mixed, p["wo"]), cache


def layer(x, p, cache, start):
    y, cache = attend(p, cache, rms_norm(x, p["norm1"]), start)
    x = x + y
    return x + jax.nn.gelu(rms_norm(x, p["norm2"]) @ p["w1"]) @ p["w2"], cache


@model("decode", scan=True, annotations=ANNOTATIONS)
def decode(*, dtype, scan=False, scale=1, layers=2, width=32, heads=8, prompt=4, places=16, vocab=64, batch=8):
    width, heads, prompt, places, vocab = (n * scale for n in (width, heads, prompt, places, vocab))
    size = width // heads
    block = lambda i: {
        "norm1": near_one(width, dtype=dtype),
        "wq": weight(width, width, heads, size, dtype=dtype),
        "wk": weight(width, width, size, dtype=dtype),
        "wv": weight(width, width, size, dtype=dtype),
        "wo": weight(width, width, heads, size, dtype=dtype),
        "norm2": near_one(width, dtype=dtype),
        "w1": weight(width, width, 2 * width, dtype=dtype),
        "w2": weight(2 * width, 2 * width, width, dtype=dtype),
    }
    params = {
        "tok": weight(width, vocab, width, dtype=dtype),
        "layers": stacked(block, layers, scan),
        "norm": near_one(width, dtype=dtype),
    }

    def extend(params, cache, tokens, start):
        """The logits of more tokens, and the cache with them."""
        x = params["tok"][tokens]
        if scan:
            x, cache = lax.scan(lambda x, pc: layer(x, *pc, start), x, (params["layers"], cache))
        else:
            parts = []
            for i, p in enumerate(params["layers"]):
                x, part = layer(x, p, jax.tree.map(lambda c: c[i], cache), start)
                parts.append(part)
            cache = jax.tree.map(lambda *c: jnp.stack(c), *parts)
        return rms_norm(x, params["norm"]) @ params["tok"].T, cache

    def serve(params, cache, batch):
        first, cache = extend(params, cache, batch["prompt"], batch["start"])
        second, cache = extend(params, cache, batch["next"], batch["start"] + prompt)
        return {"prompt": first, "next": second, "cache": cache}

    cache = {name: normal((layers, batch, places, size), dtype) for name in "kv"}
    inputs = {"prompt": integers((batch, prompt), vocab), "next": integers((batch, 1), vocab), "start": integers((), 8, low=3)}
    sizes = dict(layers=layers, batch=batch, prompt=prompt, width=width, itemsize=jnp.dtype(dtype).itemsize)
    return Case(serve, (params, cache, inputs), ("params", "cache", "batch"), forward=serve, sizes=sizes)
