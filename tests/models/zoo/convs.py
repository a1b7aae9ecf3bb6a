"""Layers of convolution nets. Images are [batch, rows, columns, channels]; volumes have a depth before the rows."""

import dataclasses
import fnmatch
import functools
import math

import jax.numpy as jnp
from jax import lax

from .common import Annotation, P, all_reduce, data, data_parallel_shard_map, later, near_one, near_zero, weight, zero1, zero3
from .layers import wide

# Rules for what every device has.
WHOLE = [("params.*", P()), ("opt.*", P()), ("grads.*", P())]

LAYOUTS = {4: ("NHWC", "HWIO", "NHWC"), 5: ("NDHWC", "DHWIO", "NDHWC")}


def conv(x, w, stride=1, padding="SAME"):
    return lax.conv_general_dilated(x, w, (stride,) * (x.ndim - 2), padding, dimension_numbers=LAYOUTS[x.ndim])


def kernel(dims, size, inputs, outputs, dtype):
    """The leaf of a convolution's kernel of `size` in each of `dims` dimensions."""
    return weight(size**dims * inputs, *(size,) * dims, inputs, outputs, dtype=dtype)


def norm(name, channels, dtype, times=1):
    """The leaves of a norm."""
    return {f"scale{name}": near_one(channels, dtype=dtype, times=times), f"bias{name}": near_zero(channels, dtype=dtype)}


def mean(x, dims, axis_name):
    """The mean along dims, and over the devices of a shard_map axis if one is named. Keeps the rank."""
    m = jnp.mean(x, dims, keepdims=True)
    return m if axis_name is None else lax.pmean(m, axis_name)


def standardize(x, dims, axis_name):
    m = mean(x, dims, axis_name)
    return (x - m) * lax.rsqrt(mean(jnp.square(x - m), dims, axis_name) + 1e-3)


def batch_norm(x, scale, bias, axis_name=None):
    """Statistics of each channel over the whole batch: also over axis_name, where a shard_map has cut it."""
    return standardize(wide(x), range(x.ndim - 1), axis_name).astype(x.dtype) * scale + bias


def group_norm(x, scale, bias, groups, axis_name=None):
    """Statistics of each group of channels over each image."""
    h = wide(x).reshape(*x.shape[:-1], groups, -1)
    h = standardize(h, [*range(1, x.ndim - 1), x.ndim], axis_name).reshape(x.shape)
    return h.astype(x.dtype) * scale + bias


def max_pool(x, size=2):
    window = (1, *(size,) * (x.ndim - 2), 1)
    return lax.reduce_window(x, -jnp.inf, lax.max, window, window, "VALID")


def upsample(x):
    """Each row, column (and slice) twice."""
    for dim in range(1, x.ndim - 1):
        x = jnp.repeat(x, 2, dim)
    return x


def synced_shard_map(case, mesh):
    """Data parallelism by hand for models with batch norm: their loss takes the axes to share statistics over."""
    loss = functools.partial(case.loss, axis_name=mesh.axis_names)
    return data_parallel_shard_map(dataclasses.replace(case, loss=loss), mesh)


def cut_channels(tree, dims=2):
    """Rules that cut the kernels, scales and biases in params, opt or grads along the channels that come out."""
    kernel, vector = P(*(None,) * (dims + 1), "data"), P("data")
    return [
        (f"{tree}.step", P()),
        (f"{tree}.*layers.*.conv*", later(kernel)),
        (f"{tree}.*layers.*.*", later(vector)),
        (f"{tree}.*layers.conv*", later(P(None, *kernel))),
        (f"{tree}.*layers.*", later(P(None, *vector))),
        (f"{tree}.*conv*", later(kernel)),
        (f"{tree}.*w", later(P(None, "data"))),
        (f"{tree}.*", later(vector)),
    ]


def data_annotations(extra, dims=2, shard_map=None):
    """data, zero1 and zero3 of a convolution net. extra: case -> bytes of its norms' statistics."""
    plain, one, three = data(), zero1(), zero3()
    batch, params, opt, grads = [("batch.*", P("data"))], *(cut_channels(t, dims) for t in ("params", "opt", "grads"))
    more = lambda a: lambda case: a.textbook(case) + extra(case)
    return {
        "data": Annotation(plain.mesh, plain.rules, more(plain), shard_map),
        "zero1": Annotation(one.mesh, [*batch, ("params.*", P()), *opt, *grads], more(one)),
        "zero3": Annotation(three.mesh, [*batch, *params, *opt, *grads], more(three)),
    }


def batch_norm_bytes(case, n=8, in_parts="", parts=1):
    """Batch norm's sums over n devices: two a channel on the way forth, two on the way back, in float32. Norms whose scale
    is called in_parts have a part of their channels on a device."""
    channels = lambda glob: sum(math.prod(l.shape) for path, l in case.paths() if fnmatch.fnmatchcase(path, glob))
    return all_reduce(n, 4 * 4 * (channels("params.*scale*") - (1 - 1 / parts) * channels(in_parts)))
