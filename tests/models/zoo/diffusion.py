"""A diffusion model: a U-Net with attention at its bottom is told the time and finds the noise in an image; Adam."""

import jax
import jax.numpy as jnp

from .common import (
    Annotation,
    P,
    adam,
    adam_state,
    all_gather,
    all_reduce,
    data_parallel_bytes,
    data_parallel_shard_map,
    model,
    normal,
    reduce_scatter,
    stacked,
    training,
    uniform,
    weight,
)
from .convs import WHOLE, conv, data_annotations, group_norm, kernel, norm, upsample
from .layers import attention, mean_square, run_layers, wide

GROUPS = 4


def block_leaves(inputs, outputs, times, dtype):
    p = {"conv1": kernel(2, 3, inputs, outputs, dtype), "conv2": kernel(2, 3, outputs, outputs, dtype)}
    p |= norm("1", inputs, dtype) | norm("2", outputs, dtype) | {"convt": kernel(2, 1, times, outputs, dtype)}
    return p | ({"conv0": kernel(2, 1, inputs, outputs, dtype)} if inputs != outputs else {})


def block(p, x, time):
    """Two convolutions with the time between, beside a skip. time is an image of one pixel."""
    h = conv(jax.nn.silu(group_norm(x, p["scale1"], p["bias1"], GROUPS)), p["conv1"])
    h = h + conv(time, p["convt"])
    h = conv(jax.nn.silu(group_norm(h, p["scale2"], p["bias2"], GROUPS)), p["conv2"])
    return h + (conv(x, p["conv0"]) if "conv0" in p else x)


def attend(p, x, heads=2):
    """All pixels look at all pixels."""
    b, rows, columns, c = x.shape
    h = group_norm(x, p["scale"], p["bias"], GROUPS).reshape(b, rows * columns, c)
    q, k, v = (jnp.einsum("blc,cd->bld", h, p[w]).reshape(b, -1, heads, c // heads) for w in ("q", "k", "v"))
    return x + jnp.einsum("blc,cd->bld", attention(q, k, v).reshape(b, -1, c), p["o"]).reshape(x.shape)


def embed_time(t, size):
    """Sines and cosines of t in [0, 1) at growing wavelengths, as images of one pixel: [batch, 1, 1, size]."""
    angles = 100 * wide(t)[:, None] * 100 ** (-jnp.arange(size // 2, dtype=wide(t).dtype) / (size // 2))
    return jnp.concatenate([jnp.sin(angles), jnp.cos(angles)], -1).astype(t.dtype)[:, None, None]


def noisy(image, noise, t):
    """The image with as much noise as there is at time t."""
    a = (jnp.pi / 2 * wide(t)).astype(image.dtype)[:, None, None, None]
    return jnp.cos(a) * image + jnp.sin(a) * noise


def spatial_bytes(case):
    """Over data=2,rows=4. A row has r bytes on a device, in either resolution. A 3x3 convolution takes two rows of its input
    forth and two of its gradient back, one each with stride 2, the input's once more where a scan or remat does not keep it;
    3/4 on average, as the first and last device have one neighbour. Attention gathers keys and values over the rows and
    scatters their gradients. Norms sum two numbers a group forth and two back; so is the gradient of the time."""
    s = case.sizes
    r = s["batch"] // 2 * s["columns"] * s["channels"] * s["bytes"]
    image = 3 / s["channels"]
    rows = 2 * image + (1 + 1) + 2 * s["blocks"] * (6 if s["again"] else 4) + (2 * 3 + 2) + 4 + (2 + 2 * 8 / s["channels"])
    keys = 2 * s["rows"] // 2 * r
    norms = 4 * (3 + 2 * s["blocks"]) * s["batch"] // 2 * GROUPS * 4
    times = s["batch"] // 2 * s["times"] * s["bytes"]
    exchanged = 3 / 4 * rows * r + all_gather(4, keys) + reduce_scatter(4, keys) + all_reduce(4, norms + times)
    return exchanged + data_parallel_bytes(case)


ANNOTATIONS = data_annotations(lambda case: 0, shard_map=data_parallel_shard_map) | {
    "spatial": Annotation(
        "data=2,rows=4",
        [("batch.t", P("data")), ("batch.*", P("data", "rows")), *WHOLE],
        spatial_bytes,
    ),
}


@model("diffusion", scan=True, remat=True, annotations=ANNOTATIONS)
def diffusion(*, dtype, scan=False, remat=False, scale=1, blocks=2, channels=8, times=8, batch=8, rows=8, columns=4):
    c = channels * scale
    leaves = lambda inputs, outputs: block_leaves(inputs, outputs, times, dtype)
    params = {
        "in": {"conv": kernel(2, 3, 3, c, dtype)},
        "time": {"conv1": kernel(2, 1, times, times, dtype), "conv2": kernel(2, 1, times, times, dtype)},
        "down": {"conv": kernel(2, 3, c, 2 * c, dtype)},
        "attention": norm("", 2 * c, dtype) | {w: weight(2 * c, 2 * c, 2 * c, dtype=dtype) for w in "qkvo"},
        "middle": {"layers": stacked(lambda i: leaves(2 * c, 2 * c), blocks, scan)},
        "up": leaves(3 * c, c),
        "out": {"conv": kernel(2, 3, c, 8, dtype)},
    }

    def forward(params, batch):
        time = embed_time(batch["t"], times)
        time = conv(jax.nn.silu(conv(time, params["time"]["conv1"])), params["time"]["conv2"])
        fine = conv(noisy(batch["image"], batch["noise"], batch["t"]), params["in"]["conv"])
        x = attend(params["attention"], conv(fine, params["down"]["conv"], 2))
        x = run_layers(lambda p, x: block(p, x, time), params["middle"]["layers"], x, scan=scan, remat=remat)
        x = block(params["up"], jnp.concatenate([fine, upsample(x)], -1), time)
        return conv(x, params["out"]["conv"])[..., :3]

    def loss(params, batch):
        return mean_square(forward(params, batch), batch["noise"])

    image = (batch, rows, columns, 3)
    examples = {"image": normal(image, dtype), "noise": normal(image, dtype), "t": uniform((batch,), dtype, 0.1, 0.9)}
    sizes = {"batch": batch, "rows": rows, "columns": columns, "channels": c, "times": times, "blocks": blocks}
    sizes |= {"again": scan or remat, "bytes": jnp.dtype(dtype).itemsize}
    return training(loss, adam, params, adam_state(params), examples, forward, sizes=sizes)
