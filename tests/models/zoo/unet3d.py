"""A 3-D U-Net that labels each voxel: down and up again, with skips between equal resolutions; Adam.

Volumes are too large for one device: spatial cuts them along their depth.
"""

import jax
import jax.numpy as jnp
from jax import lax

from .common import (
    Annotation,
    P,
    Step,
    adam,
    adam_state,
    all_reduce,
    data_parallel_bytes,
    integers,
    model,
    near_zero,
    normal,
    stacked,
    training,
)
from .convs import WHOLE, conv, group_norm, kernel, max_pool, norm, upsample
from .layers import cross_entropy, run_layers


def layer_leaves(inputs, outputs, dtype):
    return {"conv": kernel(3, 3, inputs, outputs, dtype), **norm("", outputs, dtype)}


def with_neighbours(x, axis_name):
    """In a shard_map that has cut the depth: a slice of either neighbour around x; zeros where there is none."""
    n = lax.axis_size(axis_name)
    before = lax.ppermute(x[:, -1:], axis_name, [(i, i + 1) for i in range(n - 1)])
    after = lax.ppermute(x[:, :1], axis_name, [(i + 1, i) for i in range(n - 1)])
    return jnp.concatenate([before, x, after], 1)


def layer(p, x, axis_name=None):
    """Convolution and instance norm: each channel of each volume for itself."""
    if axis_name is None:
        x = conv(x, p["conv"])
    else:
        x = conv(with_neighbours(x, axis_name), p["conv"], padding=[(0, 0), (1, 1), (1, 1)])
    return jax.nn.relu(group_norm(x, p["scale"], p["bias"], groups=x.shape[-1], axis_name=axis_name))


def depth_bytes(case):
    """Over data=2,depth=4. A slice of c1 channels at full resolution has r bytes on a device; with twice the channels at half
    the resolution, r/2. Each layer takes two slices of its input forth and two of its gradient back, the input's once more
    where a scan or remat does not keep them; 3/4 of that on average, as the first and last device have one neighbour.
    Instance norm sums two numbers a channel and volume forth and two back."""
    s = case.sizes
    r = s["batch"] // 2 * s["side"] ** 2 * s["channels"] * s["bytes"]
    first = 2 / s["channels"] + (2 / 4 + 2 / 2) + (2 * 3 + 2)
    rest = s["layers"] * (1 + 1 / 2 + 1) * (6 if s["again"] else 4)
    channels = s["channels"] * (1 + 2 + 1) * (1 + s["layers"])
    statistics = all_reduce(4, 4 * 4 * s["batch"] // 2 * channels)
    return 3 / 4 * (first + rest) * r + statistics + data_parallel_bytes(case)


def depth_shard_map(case, mesh):
    """The same by hand: halos by ppermute, statistics by pmean."""

    def local(params, opt, batch):
        value, grads = jax.value_and_grad(case.loss)(params, batch, "depth")
        value, grads = lax.pmean((value, grads), ("data", "depth"))
        return Step(value, grads, *case.update(params, opt, grads))

    specs = (P(), P(), P("data", "depth"))
    return jax.shard_map(local, mesh=mesh, in_specs=specs, out_specs=P(), check_vma=False)


ANNOTATIONS = {
    "spatial": Annotation("data=2,depth=4", [("batch.*", P("data", "depth")), *WHOLE], depth_bytes, depth_shard_map),
    "spatial2d": Annotation("depth=4,rows=2", [("batch.*", P(None, "depth", "rows")), *WHOLE], None),
}


@model("unet3d", scan=True, remat=True, annotations=ANNOTATIONS)
def unet3d(*, dtype, scan=False, remat=False, scale=1, layers=2, channels=4, classes=4, batch=2, depth=8, side=4):
    channels *= scale
    level = lambda inputs, outputs: {
        "first": layer_leaves(inputs, outputs, dtype),
        "layers": stacked(lambda i: layer_leaves(outputs, outputs, dtype), layers, scan),
    }
    params = {
        "down1": level(1, channels),
        "down2": level(channels, 2 * channels),
        "up1": level(3 * channels, channels),
        "out": {"conv": kernel(3, 1, channels, classes, dtype), "bias": near_zero(classes, dtype=dtype)},
    }

    def run_level(p, x, axis_name):
        each = lambda p, x: layer(p, x, axis_name)
        return run_layers(each, p["layers"], layer(p["first"], x, axis_name), scan=scan, remat=remat)

    def forward(params, batch, axis_name=None):
        fine = run_level(params["down1"], batch["volume"], axis_name)
        coarse = run_level(params["down2"], max_pool(fine), axis_name)
        fine = run_level(params["up1"], jnp.concatenate([fine, upsample(coarse)], -1), axis_name)
        return conv(fine, params["out"]["conv"]) + params["out"]["bias"]

    def loss(params, batch, axis_name=None):
        return cross_entropy(forward(params, batch, axis_name), batch["labels"])

    volume = (batch, depth, side, side)
    examples = {"volume": normal((*volume, 1), dtype), "labels": integers(volume, classes)}
    sizes = {"batch": batch, "side": side, "channels": channels, "layers": layers, "again": scan or remat}
    sizes |= {"bytes": jnp.dtype(dtype).itemsize}
    return training(loss, adam, params, adam_state(params), examples, forward, sizes=sizes)
