"""Layers that several models share. They compute in the type of their arguments, norms and losses in at least float32."""

import jax
import jax.numpy as jnp
from jax import lax

from .common import P, at_least_float32, layer_rules, near_one, near_zero, weight


def wide(x):
    return x.astype(at_least_float32(x.dtype))


def run_layers(layer, params, x, *, scan, remat):
    """x through all layers: layer(params of one, x) -> x."""
    if remat:
        layer = jax.checkpoint(layer)
    if scan:
        return lax.scan(lambda x, p: (layer(p, x), None), x, params)[0]
    for p in params:
        x = layer(p, x)
    return x


def layer_norm(x, scale, bias, eps=1e-5):
    y = wide(x)
    y = y - jnp.mean(y, -1, keepdims=True)
    y = y * lax.rsqrt(jnp.mean(jnp.square(y), -1, keepdims=True) + eps)
    return y.astype(x.dtype) * scale + bias


def rms_norm(x, scale, eps=1e-6):
    y = wide(x)
    y = y * lax.rsqrt(jnp.mean(jnp.square(y), -1, keepdims=True) + eps)
    return y.astype(x.dtype) * scale


def softmax(x):
    """Over the last dimension."""
    y = wide(x)
    y = jnp.exp(y - lax.stop_gradient(jnp.max(y, -1, keepdims=True)))
    return (y / jnp.sum(y, -1, keepdims=True)).astype(x.dtype)


def cross_entropy(logits, labels):
    """The mean of -log softmax(logits)[labels]; labels [...], logits [..., classes]."""
    y = wide(logits)
    y = y - lax.stop_gradient(jnp.max(y, -1, keepdims=True))
    hit = jnp.arange(logits.shape[-1], dtype=labels.dtype) == labels[..., None]
    return jnp.mean(jnp.log(jnp.sum(jnp.exp(y), -1)) - jnp.sum(jnp.where(hit, y, 0), -1))


def mean_square(x, y):
    return jnp.mean(jnp.square(wide(x) - wide(y)))


def causal(length):
    """[length, length], true where a position may look."""
    return jnp.tril(jnp.ones((length, length), bool))


def attention(q, k, v, mask=None, bias=None):
    """[batch, length, heads, size] each, k and v of another length: softmax(q kT / sqrt(size) + bias) v."""
    scores = jnp.einsum("bqhd,bkhd->bhqk", q, k) * q.shape[-1] ** -0.5
    if bias is not None:
        scores = scores + bias
    if mask is not None:
        scores = jnp.where(mask, scores, jnp.finfo(scores.dtype).min)
    return jnp.einsum("bhqk,bkhd->bqhd", softmax(scores), v)


def same(x):
    return x


def self_attention(p, x, mask, bias=None, join=same):
    """Multi-head attention over x [batch, length, width]: p has wq, wk, wv, wo [width, heads, size].
    `join` adds what devices with some of the heads have, for shard_map."""
    q, k, v = (jnp.einsum("bld,dhk->blhk", x, p[w]) for w in ("wq", "wk", "wv"))
    return join(jnp.einsum("blhk,dhk->bld", attention(q, k, v, mask, bias), p["wo"]))


def feed_forward(p, x, join=same):
    """p has w1 [width, hidden], b1, w2 [hidden, width], b2."""
    return join(jax.nn.gelu(x @ p["w1"] + p["b1"]) @ p["w2"]) + p["b2"]


def rotate(x, positions):
    """Rotary positions: x [batch, length, …, size], pairs of halves turned by position times a frequency."""
    half = x.shape[-1] // 2
    dtype = at_least_float32(x.dtype)
    frequencies = 10000.0 ** (-jnp.arange(half, dtype=dtype) / half)
    angles = positions.astype(dtype)[:, None] * frequencies
    angles = angles.reshape(angles.shape[0], *[1] * (x.ndim - 3), half)
    sine, cosine = jnp.sin(angles).astype(x.dtype), jnp.cos(angles).astype(x.dtype)
    a, b = x[..., :half], x[..., half:]
    return jnp.concatenate([a * cosine - b * sine, b * cosine + a * sine], -1)


def block(width, heads, hidden, dtype):
    """Parameters of a transformer's block with layer norm, for encode()."""
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


def encode(p, x, mask=None, join=same):
    """One such block on x [batch, length, width]."""
    x = x + self_attention(p, layer_norm(x, p["norm1"], p["shift1"]), mask, join=join)
    return x + feed_forward(p, layer_norm(x, p["norm2"], p["shift2"]), join)


# Megatron's split of such blocks: each device has some of the heads and of the hidden units.
HEADS = P(None, "model")  # [width, heads, size]
SPLIT_BLOCK = layer_rules(wq=HEADS, wk=HEADS, wv=HEADS, wo=HEADS, w1=P(None, "model"), b1=P("model"), w2=P("model"))
