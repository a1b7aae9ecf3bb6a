"""VGG: convolutions with max pooling between, then dense layers that have most of the parameters; SGD with momentum."""

import jax
import jax.numpy as jnp

from .common import (
    Annotation,
    P,
    all_gather,
    all_reduce,
    data_parallel_bytes,
    data_parallel_shard_map,
    integers,
    model,
    near_zero,
    normal,
    reduce_scatter,
    sgd,
    sgd_state,
    stacked,
    training,
    weight,
)
from .convs import WHOLE, conv, data_annotations, kernel, max_pool
from .layers import cross_entropy, run_layers


def layer_leaves(inputs, outputs, dtype):
    return {"conv": kernel(2, 3, inputs, outputs, dtype), "bias": near_zero(outputs, dtype=dtype)}


def layer(p, x):
    return jax.nn.relu(conv(x, p["conv"]) + p["bias"])


def spatial_bytes(case):
    """Over data=2,rows=4. A row has r bytes on a device, in either stage. Each convolution takes a row of its input from
    either neighbour forth, one of its gradient back (the first needs none), the input's once more where a scan or remat does
    not keep it; the first and last device have one neighbour, so 3/4 on average. The dense part gathers what is pooled
    forth; its gradient is there on all rows' devices."""
    s = case.sizes
    r = s["batch"] // 2 * s["columns"] * s["channels"] * s["bytes"]
    rows = 2 * 3 / s["channels"] + (2 / 2 + 2) + 2 * s["layers"] * (6 if s["again"] else 4)
    pooled = all_gather(4, s["rows"] // 4 * r / 2)
    return 3 / 4 * rows * r + pooled + data_parallel_bytes(case)


def weird_bytes(case):
    """Krizhevsky's one weird trick: convolutions by examples, dense layers by neurons on the same devices. All examples'
    features are gathered forth, their gradients scattered back; so are the outputs, the other way round."""
    s = case.sizes
    features = s["batch"] * case.leaves[0]["dense1"]["w"].shape[0] * s["bytes"]
    outputs = s["batch"] * s["classes"] * s["bytes"]
    rest = case.bytes("params.*") - case.bytes("params.dense1.*") - case.bytes("params.dense2.w") + 4
    return all_gather(8, features + outputs) + reduce_scatter(8, features + outputs) + all_reduce(8, rest)


def cut_dense(tree):
    return [
        (f"{tree}.*dense1.w", P(None, "data")),
        (f"{tree}.*dense1.b", P("data")),
        (f"{tree}.*dense2.w", P("data")),
        (f"{tree}.*", P()),
    ]


ANNOTATIONS = data_annotations(lambda case: 0, shard_map=data_parallel_shard_map) | {
    "spatial": Annotation(
        "data=2,rows=4", [("batch.image", P("data", "rows")), ("batch.label", P("data")), *WHOLE], spatial_bytes
    ),
    "weird": Annotation(
        "data=8", [("batch.*", P("data")), *cut_dense("params"), *cut_dense("opt"), *cut_dense("grads")], weird_bytes
    ),
}


@model("vgg", scan=True, remat=True, annotations=ANNOTATIONS)
def vgg(*, dtype, scan=False, remat=False, scale=1, layers=2, channels=8, hidden=64, classes=16, batch=8, rows=16, columns=4):
    channels, hidden = channels * scale, hidden * scale
    stage = lambda inputs, outputs: {
        "first": layer_leaves(inputs, outputs, dtype),
        "layers": stacked(lambda i: layer_leaves(outputs, outputs, dtype), layers, scan),
    }
    features = (rows // 4) * (columns // 4) * 2 * channels
    params = {
        "stage1": stage(3, channels),
        "stage2": stage(channels, 2 * channels),
        "dense1": {"w": weight(features, features, hidden, dtype=dtype), "b": near_zero(hidden, dtype=dtype)},
        "dense2": {"w": weight(hidden, hidden, classes, dtype=dtype), "b": near_zero(classes, dtype=dtype)},
    }

    def forward(params, batch):
        x = batch["image"]
        for p in (params["stage1"], params["stage2"]):
            x = max_pool(run_layers(layer, p["layers"], layer(p["first"], x), scan=scan, remat=remat))
        x = x.reshape(x.shape[0], -1)
        x = jax.nn.relu(x @ params["dense1"]["w"] + params["dense1"]["b"])
        return x @ params["dense2"]["w"] + params["dense2"]["b"]

    def loss(params, batch):
        return cross_entropy(forward(params, batch), batch["label"])

    examples = {"image": normal((batch, rows, columns, 3), dtype), "label": integers((batch,), classes)}
    sizes = {"batch": batch, "rows": rows, "columns": columns, "channels": channels, "layers": layers}
    sizes |= {"classes": classes, "again": scan or remat, "bytes": jnp.dtype(dtype).itemsize}
    return training(loss, sgd, params, sgd_state(params), examples, forward, sizes=sizes)
