"""A perceptron with dropout, by each of JAX's generators of random bits. What is dropped does not depend on the float type, nor on
how the program is split."""

import functools

import jax
import jax.numpy as jnp
from jax import lax

from .common import Annotation, P, Step, all_reduce, data_parallel_bytes, integers, key, layer_rules, model, near_zero, normal
from .common import sgd, sgd_state, split_bytes, stacked, training, weight
from .layers import cross_entropy

KEEP = 3 << 30  # of 2^32: three of four numbers are kept
SPLIT = layer_rules(w1=P(None, "model"), b1=P("model"), w2=P("model"))
DATA = [("batch.*", P("data")), ("params.*", P()), ("opt.*", P()), ("grads.*", P()), ("key", P())]
MEGATRON = [("batch.*", P("data")), *SPLIT, ("params.*", P()), ("opt.*", P()), ("key", P())]


def megatron_bytes(case):
    """As a perceptron's: activations of a layer are all-reduced over model forth and back, gradients over data; bits are drawn where
    they are used."""
    grads = split_bytes(case, MEGATRON, {"model": 4})
    return 2 * case.sizes["layers"] * all_reduce(4, case.bytes("batch.x") / 2) + all_reduce(2, grads + 4)


def data_by_hand(case, mesh):
    """Each device draws all bits and takes those of its part of the batch."""

    def local(params, opt, batch, key):
        part = lambda bits: lax.dynamic_slice_in_dim(bits, lax.axis_index("data") * (bits.shape[0] // 8), bits.shape[0] // 8)
        value, grads = jax.value_and_grad(case.loss)(params, batch, key, 8, part)
        value, grads = lax.pmean((value, grads), "data")
        return Step(value, grads, *case.update(params, opt, grads))

    specs = (P(), P(), P("data"), P())
    return jax.shard_map(local, mesh=mesh, in_specs=specs, out_specs=P(), check_vma=False)


ANNOTATIONS = {
    "data": Annotation("data=8", DATA, data_parallel_bytes, data_by_hand),
    "megatron": Annotation("data=2,model=4", MEGATRON, megatron_bytes),
}


def drop(key, x, parts, part):
    """x, of `parts` such, without a quarter of it."""
    bits = part(jax.random.bits(key, (x.shape[0] * parts, *x.shape[1:]), "uint32"))
    return jnp.where(bits < jnp.uint32(KEEP), x * (2**32 / KEEP), 0)


def build(generator, *, dtype, scan=False, remat=False, scale=1, layers=2, width=32, hidden=64, classes=16, batch=16):
    width, hidden, classes = width * scale, hidden * scale, classes * scale
    block = lambda i: {
        "w1": weight(width, width, hidden, dtype=dtype),
        "b1": near_zero(hidden, dtype=dtype),
        "w2": weight(hidden, hidden, width, dtype=dtype),
    }
    params = {"layers": stacked(block, layers, scan), "out": weight(width, width, classes, dtype=dtype)}

    def loss(params, batch, key, parts=1, part=lambda bits: bits):
        def layer(x, p_key):
            p, (first, second) = p_key
            hidden = drop(first, jax.nn.relu(x @ p["w1"] + p["b1"]), parts, part)
            return x + drop(second, hidden @ p["w2"], parts, part), None

        step = jax.checkpoint(layer) if remat else layer
        keys = jax.random.split(jax.random.wrap_key_data(key, impl=generator), (2, layers))
        x = batch["x"]
        if scan:
            x, _ = lax.scan(step, x, (params["layers"], (keys[0], keys[1])))
        else:
            for i, p in enumerate(params["layers"]):
                x, _ = step(x, (p, (keys[0, i], keys[1, i])))
        return cross_entropy(x @ params["out"], batch["labels"])

    examples = {"x": normal((batch, width), dtype), "labels": integers((batch,), classes)}
    return training(loss, sgd, params, sgd_state(params), examples, key=key(generator), sizes={"layers": layers})


for _generator in ("threefry2x32", "rbg", "unsafe_rbg"):
    _model = model(f"dropout_{_generator}", scan=True, remat=True, annotations=ANNOTATIONS)
    _model(functools.partial(build, _generator))
