"""CLIP: a tower for images and one for texts; of a batch, each image is to be nearest to its own text, and the other way round."""

import dataclasses

import jax.numpy as jnp
from jax import lax

from .common import Annotation, P, adam, adam_state, all_gather, all_reduce, by_hand, data_parallel_bytes, integers, model
from .common import near_one, near_zero, normal, reduce_scatter, split_bytes, stacked, training, uniform, weight, zero1
from .layers import SPLIT_BLOCK, block, encode, run_layers, layer_norm, same, wide
from .vit import patches

DATA = [("batch.*", P("data")), ("params.*", P()), ("opt.*", P()), ("grads.*", P())]
MEGATRON = [("batch.*", P("data")), *SPLIT_BLOCK, ("params.*", P()), ("opt.*", P())]


def comparison_bytes(case, n):
    """Each of n devices compares its images with all texts: these are gathered, their gradients scattered. Of each text it has a
    maximum and a sum over its own images to share, in float32."""
    texts = case.sizes["batch"] * case.sizes["width"] * case.sizes["itemsize"]
    return all_gather(n, texts) + reduce_scatter(n, texts) + all_reduce(n, 2 * 4 * case.sizes["batch"])


def data_bytes(case):
    """And gradients are summed."""
    return comparison_bytes(case, 8) + data_parallel_bytes(case)


def zero1_bytes(case):
    """As much as that: an all-reduce is a reduce-scatter and a gather."""
    return data_bytes(case)


def megatron_bytes(case):
    """Each layer of either tower all-reduces activations over model 2 times forth and 2 back, with remat 1 more; gradients over
    data."""
    s = case.sizes
    activations = s["batch"] * (s["patches"] + s["length"]) * s["width"] * s["itemsize"] / 2
    times = (5 if s["remat"] else 4) * s["layers"]
    grads = split_bytes(case, MEGATRON, {"model": 4})
    return comparison_bytes(case, 2) + times * all_reduce(4, activations) + all_reduce(2, grads + 4)


def data_by_hand(case, mesh):
    """Texts are gathered; the loss of images is each device's own, that of texts is of the columns that all add to."""

    def columns(scores):
        most = lax.pmax(lax.stop_gradient(jnp.max(scores, 0)), "data")
        return most + jnp.log(lax.psum(jnp.sum(jnp.exp(scores - most), 0), "data"))

    def local(params, batch):
        gather = lambda x: lax.all_gather(x, "data", axis=0, tiled=True)
        own = lax.axis_index("data") * batch["images"].shape[0]
        return lax.psum(case.loss(params, batch, gather, columns, own), "data")

    return by_hand(case, mesh, P(), local)


ANNOTATIONS = {
    "data": Annotation("data=8", DATA, data_bytes, data_by_hand),
    "megatron": Annotation("data=2,model=4", MEGATRON, megatron_bytes),
    "zero1": dataclasses.replace(zero1(), textbook=zero1_bytes),
}


def log_sum_exp(x):
    """Over the leading dimension."""
    most = lax.stop_gradient(jnp.max(x, 0))
    return most + jnp.log(jnp.sum(jnp.exp(x - most), 0))


def normalize(x):
    y = wide(x)
    return (y * lax.rsqrt(jnp.sum(jnp.square(y), -1, keepdims=True))).astype(x.dtype)


@model("two_tower", scan=True, remat=True, annotations=ANNOTATIONS)
def two_tower(*, dtype, scan=False, remat=False, scale=1, layers=1, width=16, heads=4, image=4, length=4, vocab=64, batch=16):
    width, heads, image, length, vocab = width * scale, heads * scale, image * scale, length * scale, vocab * scale
    pixels, n_patches = 3 * 2 * 2, (image // 2) ** 2

    def tower(inputs, places):
        return {
            "in": weight(width, *inputs, dtype=dtype),
            "pos": near_zero(width, places, dtype=dtype),
            "layers": stacked(lambda i: block(width, heads, 4 * width, dtype), layers, scan),
            "norm": near_one(width, dtype=dtype),
            "shift": near_zero(width, dtype=dtype),
            "out": weight(width, width, width, dtype=dtype),
        }

    params = {
        "image": tower((width, pixels), n_patches),
        "text": tower((vocab, width), length),
        "heat": uniform((8,), dtype, 0.5, 1.0),
    }

    def embed(p, x):
        x = run_layers(encode, p["layers"], x + p["pos"].T, scan=scan, remat=remat)
        return normalize(layer_norm(jnp.mean(x, 1), p["norm"], p["shift"]) @ p["out"])

    def forward(params, batch):
        images = embed(params["image"], patches(batch["images"], 2) @ params["image"]["in"].T)
        return images, embed(params["text"], params["text"]["in"][batch["texts"]])

    def loss(params, batch, gather=same, columns=log_sum_exp, own=0):
        """`own` is the place of the first of these images among all texts."""
        images, texts = forward(params, batch)
        scores = wide(images @ gather(texts).T) * jnp.exp(jnp.mean(wide(params["heat"])))
        rows, all_texts = scores.shape
        right = jnp.sum(jnp.where(jnp.arange(all_texts) == own + jnp.arange(rows)[:, None], scores, 0), 1)
        of_images = jnp.sum(log_sum_exp(scores.T) - right)
        of_texts = lax.dynamic_slice(columns(scores), (own,), (rows,)) - right
        return (of_images + jnp.sum(of_texts)) / (2 * all_texts)

    examples = {"images": normal((batch, image, image, 3), dtype), "texts": integers((batch, length), vocab)}
    itemsize = jnp.dtype(dtype).itemsize
    sizes = dict(batch=batch, width=width, layers=layers, patches=n_patches, length=length, remat=remat, itemsize=itemsize)
    return training(loss, adam, params, adam_state(params), examples, forward, sizes=sizes)
