"""GShard's mixture of experts: each token goes to the two experts that its router likes best, as far as they have room.

Routing looks at the token's embedding, in float32, and not at the layer's input: a choice that rounding can flip has no truth
that it could be compared with.
"""

import functools

import jax
import jax.numpy as jnp
from jax import lax

from .common import Annotation, P, adam, adam_state, all_reduce, all_to_all, by_hand, data, integers, layer_rules, line, model
from .common import near_one, near_zero, stacked, training, weight
from .layers import causal, cross_entropy, layer_norm, same, self_attention, softmax, wide

EXPERTS = layer_rules(e1=P("data"), e2=P("data"))
EMBEDDED = line(__file__, "embedded = ")  # by sequences; without this the gates are split by experts
EXPERT = [("batch.*", P("data")), *EXPERTS, (EMBEDDED, P("data")), ("params.*", P()), ("opt.*", P())]


def expert_bytes(case):
    """A layer sends each token's copy to its expert and back, and the gradients the other way; with remat forth twice.
    All other gradients are summed."""
    s = case.sizes
    sent = s["batch"] * s["experts"] * s["capacity"] * s["width"] * s["itemsize"] / 8
    times = (6 if s["remat"] else 4) * s["layers"]
    experts = case.bytes("params.*.e?")
    return times * all_to_all(8, sent) + all_reduce(8, case.bytes("params.*") - experts + 4)


def expert_by_hand(case, mesh):
    """Each device has some sequences and some experts; all_to_all takes tokens [experts, sequences, …] there and back."""
    there = functools.partial(lax.all_to_all, axis_name="data", split_axis=0, concat_axis=1, tiled=True)
    back = functools.partial(lax.all_to_all, axis_name="data", split_axis=1, concat_axis=0, tiled=True)
    local = lambda params, batch: lax.pmean(case.loss(params, batch, there, back), "data")
    return by_hand(case, mesh, Annotation("", EXPERTS).specs(case.leaves[0], "params"), local)


ANNOTATIONS = {
    "data": data(),
    "expert": Annotation("data=8", EXPERT, expert_bytes, expert_by_hand),
}


def top_two(gates, capacity):
    """Of gates [batch, length, experts]: combine [batch, length, experts, capacity], the weight of each token in each place of each
    expert. First choices are served first, in the order of the tokens."""
    experts = gates.shape[-1]
    first = jax.nn.one_hot(jnp.argmax(gates, -1), experts, dtype=gates.dtype)
    second = jax.nn.one_hot(jnp.argmax(gates * (1 - first), -1), experts, dtype=gates.dtype)
    chosen = [jnp.sum(gates * hit, -1, keepdims=True) for hit in (first, second)]
    total = chosen[0] + chosen[1]
    taken, combine = 0, 0
    for hit, gate in zip((first, second), chosen):
        ahead = jnp.cumsum(hit, 1) - hit + taken
        taken = jnp.sum(hit, 1, keepdims=True)
        place = jnp.sum(ahead * hit, -1).astype(jnp.int32)
        spot = jax.nn.one_hot(place, capacity, dtype=gates.dtype)
        combine = combine + (gate / total * hit)[..., None] * spot[..., None, :]
    return combine


def balance(gates):
    """GShard's auxiliary loss: how often an expert is the first choice, times its mean gate, over the experts."""
    first = jax.nn.one_hot(jnp.argmax(gates, -1), gates.shape[-1], dtype=gates.dtype)
    return jnp.mean(jnp.sum(jnp.mean(first, 1) * jnp.mean(gates, 1), -1)) * gates.shape[-1]


def experts(p, x, combine, there, back):
    """b sequences, l tokens, e experts, c places, d width, f hidden."""
    dispatch = (combine > 0).astype(x.dtype)
    inputs = there(jnp.einsum("blec,bld->ebcd", dispatch, x))
    hidden = jax.nn.relu(jnp.einsum("ebcd,edf->ebcf", inputs, p["e1"]))
    outputs = back(jnp.einsum("ebcf,efd->ebcd", hidden, p["e2"]))
    return jnp.einsum("blec,ebcd->bld", combine.astype(x.dtype), outputs)


@model("moe", scan=True, remat=True, annotations=ANNOTATIONS)
def moe(*, dtype, scan=False, remat=False, scale=1, layers=2, width=16, heads=4, length=8, n_experts=8, vocab=64, batch=8):
    width, heads, length, vocab = width * scale, heads * scale, length * scale, vocab * scale
    capacity = max(2 * length // n_experts, 1)
    block = lambda i: {
        "norm1": near_one(width, dtype=dtype),
        "shift1": near_zero(width, dtype=dtype),
        **{w: weight(width, width, heads, width // heads, dtype=dtype) for w in ("wq", "wk", "wv", "wo")},
        "norm2": near_one(width, dtype=dtype),
        "shift2": near_zero(width, dtype=dtype),
        "router": weight(1, width, n_experts, dtype=dtype),
        "e1": weight(width, n_experts, width, 2 * width, dtype=dtype),
        "e2": weight(2 * width, n_experts, 2 * width, width, dtype=dtype),
    }
    params = {"tok": weight(width, vocab, width, dtype=dtype), "layers": stacked(block, layers, scan)}

    def loss(params, batch, there=same, back=same):
        embedded = params["tok"][batch["tokens"]]

        def layer(x, p):
            x = x + self_attention(p, layer_norm(x, p["norm1"], p["shift1"]), causal(length))
            gates = softmax(wide(embedded) @ wide(p["router"]))
            y = experts(p, layer_norm(x, p["norm2"], p["shift2"]), top_two(gates, capacity), there, back)
            return x + y, balance(gates)

        step = jax.checkpoint(layer) if remat else layer
        x, uneven = embedded, []
        if scan:
            x, uneven = lax.scan(step, x, params["layers"])
        else:
            for p in params["layers"]:
                x, u = step(x, p)
                uneven.append(u)
        return cross_entropy(x @ params["tok"].T, batch["labels"]) + 0.01 * jnp.sum(jnp.asarray(uneven))

    examples = {name: integers((batch, length), vocab) for name in ("tokens", "labels")}
    itemsize = jnp.dtype(dtype).itemsize
    sizes = dict(layers=layers, width=width, batch=batch, experts=n_experts, capacity=capacity, remat=remat, itemsize=itemsize)
    return training(loss, adam, params, adam_state(params), examples, sizes=sizes)
