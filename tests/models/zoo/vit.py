"""ViT: images in patches, a class token, transformer blocks, the class of the token's output; SGD with momentum."""

import jax.numpy as jnp

from .common import Annotation, P, activations, all_reduce, data, integers, model, near_one, near_zero, normal, sgd, sgd_state
from .common import split_bytes, stacked, training, weight, zero1
from .layers import SPLIT_BLOCK, block, cross_entropy, encode, layer_norm, run_layers

MEGATRON = [("batch.*", P("data")), *SPLIT_BLOCK, ("params.*", P()), ("opt.*", P())]


def megatron_bytes(case):
    """A layer all-reduces activations over model 2 times forth and 2 back, with remat 1 more; gradients over data."""
    s = case.sizes
    times = (5 if s["remat"] else 4) * s["layers"]
    return times * all_reduce(4, activations(case, 2)) + all_reduce(2, split_bytes(case, MEGATRON, {"model": 4}) + 4)


ANNOTATIONS = {
    "data": data(),
    "megatron": Annotation("data=2,model=4", MEGATRON, megatron_bytes),
    "zero1": zero1(),
}


def patches(images, size):
    """[batch, height, width, channels] to [batch, patches, pixels of one]."""
    b, h, w, c = images.shape
    x = images.reshape(b, h // size, size, w // size, size, c)
    return x.transpose(0, 1, 3, 2, 4, 5).reshape(b, (h // size) * (w // size), size * size * c)


@model("vit", scan=True, remat=True, annotations=ANNOTATIONS)
def vit(*, dtype, scan=False, remat=False, scale=1, layers=2, width=16, heads=4, image=8, patch=2, classes=16, batch=8):
    width, heads, image, classes = width * scale, heads * scale, image * scale, classes * scale
    pixels, length = 3 * patch**2, (image // patch) ** 2 + 1
    params = {
        "patch": weight(pixels, width, pixels, dtype=dtype),
        "token": near_zero(width, dtype=dtype),
        "pos": near_zero(width, length, dtype=dtype),
        "layers": stacked(lambda i: block(width, heads, 4 * width, dtype), layers, scan),
        "norm": near_one(width, dtype=dtype),
        "shift": near_zero(width, dtype=dtype),
        "head": weight(width, width, classes, dtype=dtype),
    }

    def forward(params, batch):
        x = patches(batch["images"], patch) @ params["patch"].T
        token = jnp.broadcast_to(params["token"], (x.shape[0], 1, width))
        x = jnp.concatenate([token, x], 1) + params["pos"].T
        x = run_layers(encode, params["layers"], x, scan=scan, remat=remat)
        return layer_norm(x[:, 0], params["norm"], params["shift"]) @ params["head"]

    def loss(params, batch):
        return cross_entropy(forward(params, batch), batch["labels"])

    examples = {"images": normal((batch, image, image, 3), dtype), "labels": integers((batch,), classes)}
    itemsize = jnp.dtype(dtype).itemsize
    sizes = dict(layers=layers, width=width, length=length, batch=batch, remat=remat, itemsize=itemsize)
    return training(loss, sgd, params, sgd_state(params), examples, forward, sizes=sizes)
