"""T5: an encoder and a decoder that looks at it, relative positions in buckets as a bias that all layers share; Adam."""

import jax
import jax.numpy as jnp
import numpy as np

from .common import Annotation, P, activations, adam, adam_state, all_reduce, data, integers, layer_rules, model, near_one
from .common import normal, split_bytes, stacked, training, weight, zero3
from .layers import attention, causal, cross_entropy, rms_norm, run_layers

HEADS = P(None, "model")
ATTENTION = {name: HEADS for name in ("wq", "wk", "wv", "wo", "xq", "xk", "xv", "xo")}
SPLIT = layer_rules(**ATTENTION, w1=P(None, "model"), w2=P("model"))
MEGATRON = [("batch.*", P("data")), *SPLIT, ("*.near", P(None, "model")), ("params.*", P()), ("opt.*", P())]


def megatron_bytes(case):
    """Over model: an encoder's layer all-reduces activations 2 times forth and 2 back, a decoder's 3 and 3, and back once what it
    adds to the gradient of the encoder's output; with remat 1 and 2 more. Gradients over data."""
    s = case.sizes
    times = ((5 if s["remat"] else 4) + (9 if s["remat"] else 7)) * s["layers"]
    return times * all_reduce(4, activations(case, 2)) + all_reduce(2, split_bytes(case, MEGATRON, {"model": 4}) + 4)


ANNOTATIONS = {
    "data": data(),
    "megatron": Annotation("data=2,model=4", MEGATRON, megatron_bytes),
    "zero3": zero3(),
}


def buckets(length, count, causal):
    """[length, length] of the bucket of each distance: half of them for small ones, the rest grow as the logarithm up to 128.
    Half of all for either direction, unless it is causal."""
    distance = np.arange(length)[None, :] - np.arange(length)[:, None]
    count = count if causal else count // 2
    sign = 0 if causal else (distance > 0) * count
    distance = np.maximum(-distance, 0) if causal else np.abs(distance)
    exact = count // 2
    log = np.log(np.maximum(distance, 1) / exact) / np.log(128 / exact) * (count - exact)
    return sign + np.where(distance < exact, distance, np.minimum(exact + log.astype(int), count - 1))


def position_bias(table, causal, length):
    """[heads, length, length] of a table [buckets, heads]."""
    return table[jnp.asarray(buckets(length, table.shape[0], causal))].transpose(2, 0, 1)


def attend(p, prefix, x, to, mask=None, bias=None):
    q, k, v = (jnp.einsum("bld,dhk->blhk", y, p[prefix + w]) for y, w in ((x, "q"), (to, "k"), (to, "v")))
    return jnp.einsum("blhk,dhk->bld", attention(q, k, v, mask, bias), p[prefix + "o"])


def feed_forward(p, x):
    return jax.nn.relu(x @ p["w1"]) @ p["w2"]


def block(width, heads, dtype, attentions, norms):
    """Parameters of one block; attentions "w" (to itself), "x" (to the encoder)."""
    size = width // heads
    matrix = lambda: weight(width, width, heads, size, dtype=dtype)
    return {
        **{f"norm{i + 1}": near_one(width, dtype=dtype) for i in range(norms)},
        **{kind + w: matrix() for kind in attentions for w in "qkvo"},
        "w1": weight(width, width, 4 * width, dtype=dtype),
        "w2": weight(4 * width, 4 * width, width, dtype=dtype),
    }


def stack(width, heads, dtype, layers, scan, attentions):
    return {
        "near": normal((16, heads), dtype, 0.5),
        "layers": stacked(lambda i: block(width, heads, dtype, attentions, len(attentions) + 1), layers, scan),
        "norm": near_one(width, dtype=dtype),
    }


@model("t5", scan=True, remat=True, annotations=ANNOTATIONS)
def t5(*, dtype, scan=False, remat=False, scale=1, layers=2, width=16, heads=4, length=8, vocab=64, batch=8):
    width, heads, length, vocab = width * scale, heads * scale, length * scale, vocab * scale
    params = {
        "tok": weight(width, vocab, width, dtype=dtype),
        "encoder": stack(width, heads, dtype, layers, scan, "w"),
        "decoder": stack(width, heads, dtype, layers, scan, "wx"),
    }

    def forward(params, batch):
        encoder, decoder, tok = params["encoder"], params["decoder"], params["tok"]
        both = position_bias(encoder["near"], False, length)
        back = position_bias(decoder["near"], True, length)

        def encode(p, x):
            y = rms_norm(x, p["norm1"])
            x = x + attend(p, "w", y, y, None, both)
            return x + feed_forward(p, rms_norm(x, p["norm2"]))

        def decode(p, x):
            y = rms_norm(x, p["norm1"])
            x = x + attend(p, "w", y, y, causal(length), back)
            x = x + attend(p, "x", rms_norm(x, p["norm2"]), source)
            return x + feed_forward(p, rms_norm(x, p["norm3"]))

        source = run_layers(encode, encoder["layers"], tok[batch["source"]], scan=scan, remat=remat)
        source = rms_norm(source, encoder["norm"])
        x = run_layers(decode, decoder["layers"], tok[batch["target"]], scan=scan, remat=remat)
        return rms_norm(x, decoder["norm"]) @ tok.T

    def loss(params, batch):
        return cross_entropy(forward(params, batch), batch["labels"])

    examples = {name: integers((batch, length), vocab) for name in ("source", "target", "labels")}
    itemsize = jnp.dtype(dtype).itemsize
    sizes = dict(layers=layers, width=width, length=length, batch=batch, remat=remat, itemsize=itemsize)
    return training(loss, adam, params, adam_state(params), examples, forward, sizes=sizes)
