"""ResNet: residual blocks with batch norm in stages of ever lower resolution; SGD with momentum."""

import jax
import jax.numpy as jnp

from .common import (
    Annotation,
    P,
    all_reduce,
    data_parallel_bytes,
    integers,
    model,
    near_zero,
    normal,
    sgd,
    sgd_state,
    stacked,
    training,
    weight,
)
from .convs import WHOLE, batch_norm, batch_norm_bytes, conv, kernel, data_annotations, norm, synced_shard_map
from .layers import cross_entropy, run_layers


def spatial_bytes(case):
    """Over data=2,rows=4. A row of any stage has r bytes on a device. A 3x3 convolution takes a row of its input from either
    neighbour, and one of its gradient on the way back; with stride 2 from one neighbour only; the image has no gradient.
    A scan or remat does not keep the input's rows. The first and the last device have one neighbour: 3/4 on average."""
    s = case.sizes
    r = s["batch"] // 2 * s["columns"] * s["channels"] * s["bytes"]
    in_stages = 4 * s["blocks"]
    rows = (6 if s["again"] else 4) * in_stages + 4 + 2 + 2 * 3 / s["channels"]
    pooled = all_reduce(4, s["batch"] // 2 * 2 * s["channels"] * s["bytes"])
    return 3 / 4 * rows * r + pooled + data_parallel_bytes(case) + batch_norm_bytes(case)


ANNOTATIONS = data_annotations(batch_norm_bytes, shard_map=synced_shard_map) | {
    "spatial": Annotation(
        "data=2,rows=4",
        [("batch.image", P("data", "rows")), ("batch.label", P("data")), *WHOLE],
        spatial_bytes,
    )
}


def block_leaves(inputs, outputs, dtype):
    """The last norm of a block begins small, as is usual: in bfloat16 JAX's own gradients were half wrong otherwise."""
    p = {"conv1": kernel(2, 3, inputs, outputs, dtype), "conv2": kernel(2, 3, outputs, outputs, dtype)}
    p |= norm("1", outputs, dtype) | norm("2", outputs, dtype, 0.5)
    if inputs != outputs:
        p |= {"conv0": kernel(2, 1, inputs, outputs, dtype)} | norm("0", outputs, dtype)
    return p


def block(p, x, stride=1, axis_name=None):
    h = conv(x, p["conv1"], stride)
    h = jax.nn.relu(batch_norm(h, p["scale1"], p["bias1"], axis_name))
    h = batch_norm(conv(h, p["conv2"]), p["scale2"], p["bias2"], axis_name)
    if "conv0" in p:
        x = batch_norm(conv(x, p["conv0"], stride), p["scale0"], p["bias0"], axis_name)
    return jax.nn.relu(x + h)


@model("resnet", scan=True, remat=True, annotations=ANNOTATIONS)
def resnet(*, dtype, scan=False, remat=False, scale=1, blocks=2, channels=8, classes=16, batch=16, rows=8, columns=4):
    channels *= scale
    params = {
        "stem": {"conv": kernel(2, 3, 3, channels, dtype), **norm("0", channels, dtype)},
        "stage1": {"layers": stacked(lambda i: block_leaves(channels, channels, dtype), blocks, scan)},
        "down": block_leaves(channels, 2 * channels, dtype),
        "stage2": {"layers": stacked(lambda i: block_leaves(2 * channels, 2 * channels, dtype), blocks, scan)},
        "head": {"w": weight(2 * channels, 2 * channels, classes, dtype=dtype), "bias": near_zero(classes, dtype=dtype)},
    }

    def forward(params, batch, axis_name=None):
        layer = lambda p, x: block(p, x, axis_name=axis_name)
        p = params["stem"]
        x = jax.nn.relu(batch_norm(conv(batch["image"], p["conv"]), p["scale0"], p["bias0"], axis_name))
        x = run_layers(layer, params["stage1"]["layers"], x, scan=scan, remat=remat)
        x = block(params["down"], x, 2, axis_name)
        x = run_layers(layer, params["stage2"]["layers"], x, scan=scan, remat=remat)
        return jnp.mean(x, (1, 2)) @ params["head"]["w"] + params["head"]["bias"]

    def loss(params, batch, axis_name=None):
        return cross_entropy(forward(params, batch, axis_name), batch["label"])

    examples = {"image": normal((batch, rows, columns, 3), dtype), "label": integers((batch,), classes)}
    sizes = {"batch": batch, "columns": columns, "channels": channels, "blocks": blocks, "again": scan or remat}
    sizes |= {"bytes": jnp.dtype(dtype).itemsize}
    return training(loss, sgd, params, sgd_state(params), examples, forward, sizes=sizes)
