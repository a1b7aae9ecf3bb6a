"""Wide ResNet: few blocks of many channels, norm and activation before each convolution; SGD with momentum."""

import jax
import jax.numpy as jnp

from .common import (
    Annotation,
    P,
    all_reduce,
    integers,
    layer_rules,
    model,
    near_zero,
    normal,
    sgd,
    sgd_state,
    stacked,
    training,
    weight,
)
from .convs import WHOLE, batch_norm, batch_norm_bytes, conv, data_annotations, kernel, norm, synced_shard_map
from .layers import cross_entropy, run_layers


def block_leaves(inputs, outputs, dtype):
    p = {"conv1": kernel(2, 3, inputs, outputs, dtype), "conv2": kernel(2, 3, outputs, outputs, dtype)}
    p |= norm("1", inputs, dtype) | norm("2", outputs, dtype)
    if inputs != outputs:
        p |= {"conv0": kernel(2, 1, inputs, outputs, dtype)}
    return p


def block(p, x, stride=1, axis_name=None):
    h = jax.nn.relu(batch_norm(x, p["scale1"], p["bias1"], axis_name))
    if "conv0" in p:
        x = conv(h, p["conv0"], stride)
    h = conv(h, p["conv1"], stride)
    h = jax.nn.relu(batch_norm(h, p["scale2"], p["bias2"], axis_name))
    return x + conv(h, p["conv2"])


PARTS = {"conv1": P(None, None, None, "model"), "conv2": P(None, None, "model")}
PARTS |= {"scale2": P("model"), "bias2": P("model")}


def channels_bytes(case):
    """Over data=2,model=4, Megatron's way: the first convolution of a block makes a part of the channels, the second adds up
    what each part gives, so a block's activations are all-reduced once forth (as they leave it) and once back (as they
    enter). Stage 2 has half the bytes of stage 1. Gradients and statistics are summed over data; of parts, parts only."""
    s = case.sizes
    stage1 = s["batch"] // 2 * s["rows"] * s["columns"] * s["channels"] * s["bytes"]
    activations = stage1 * (2 * s["blocks"] + 1 + 0.5 * (2 * s["blocks"] + 1))
    in_parts = sum(case.bytes(f"params.*.{name}") for name in PARTS)
    grads = case.bytes("params.*") - 3 / 4 * in_parts + 4
    return all_reduce(4, activations) + all_reduce(2, grads) + batch_norm_bytes(case, 2, in_parts="params.*.scale2", parts=4)


ANNOTATIONS = data_annotations(batch_norm_bytes, shard_map=synced_shard_map) | {
    "channels": Annotation(
        "data=2,model=4",
        [("batch.*", P("data")), *layer_rules(**PARTS), *((f"*.down.{name}", p) for name, p in PARTS.items()), *WHOLE],
        channels_bytes,
    )
}


@model("wide_resnet", scan=True, remat=True, annotations=ANNOTATIONS)
def wide_resnet(*, dtype, scan=False, remat=False, scale=1, blocks=2, channels=8, classes=16, batch=8, rows=4, columns=8):
    channels *= scale
    params = {
        "stem": {"conv": kernel(2, 3, 3, channels, dtype)},
        "stage1": {"layers": stacked(lambda i: block_leaves(channels, channels, dtype), blocks, scan)},
        "down": block_leaves(channels, 2 * channels, dtype),
        "stage2": {"layers": stacked(lambda i: block_leaves(2 * channels, 2 * channels, dtype), blocks, scan)},
        "head": {
            **norm("", 2 * channels, dtype),
            "w": weight(2 * channels, 2 * channels, classes, dtype=dtype),
            "b": near_zero(classes, dtype=dtype),
        },
    }

    def forward(params, batch, axis_name=None):
        layer = lambda p, x: block(p, x, axis_name=axis_name)
        x = conv(batch["image"], params["stem"]["conv"])
        x = run_layers(layer, params["stage1"]["layers"], x, scan=scan, remat=remat)
        x = block(params["down"], x, 2, axis_name)
        x = run_layers(layer, params["stage2"]["layers"], x, scan=scan, remat=remat)
        p = params["head"]
        x = jax.nn.relu(batch_norm(x, p["scale"], p["bias"], axis_name))
        return jnp.mean(x, (1, 2)) @ p["w"] + p["b"]

    def loss(params, batch, axis_name=None):
        return cross_entropy(forward(params, batch, axis_name), batch["label"])

    examples = {"image": normal((batch, rows, columns, 3), dtype), "label": integers((batch,), classes)}
    sizes = {"batch": batch, "rows": rows, "columns": columns, "channels": channels, "blocks": blocks}
    sizes |= {"bytes": jnp.dtype(dtype).itemsize}
    return training(loss, sgd, params, sgd_state(params), examples, forward, sizes=sizes)
