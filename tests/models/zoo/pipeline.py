"""GSPMD's pipeline: a buffer with a place for each stage, all stages at work at once, shifted by one place a step.

    step 0   a0 .  .        step 1   b0 a1 .        step 2   c0 b1 a2       (a, b, c: microbatches; the number: the stage)

The stages' parameters are stacked, and split over "stage" as the buffer is; the shift becomes a collective_permute.
"""

import jax
import jax.numpy as jnp
from jax import lax

from .common import Annotation, P, Step, adam, adam_state, all_reduce, model, near_zero, normal, training, weight
from .layers import mean_square

STAGES = [("*.stages.*", P("stage")), ("*.head", P()), ("batch.*", P(None, "data"))]


def microbatch(case):
    s = case.sizes
    return s["batch"] * s["width"] * s["itemsize"] / 2


def pipeline_bytes(case):
    """Each step shifts a microbatch on, and its gradient back; what the last stage gives goes to all once (an all-reduce of it and
    of zeros), for the loss; gradients are summed over data, those of the stages where they are."""
    s = case.sizes
    shifts = 2 * (s["microbatches"] + s["stages"] - 1) * microbatch(case)
    grads = case.bytes("params.stages.*") / s["stages"] + case.bytes("params.head")
    return shifts + all_reduce(s["stages"], s["microbatches"] * microbatch(case)) + all_reduce(2, grads + 4)


def pipeline_by_hand(case, mesh):
    """The same with one stage a device: ppermute hands its output to the next; psum tells all what the last one gave."""
    stages = mesh.shape["stage"]
    to_next = [(i, i + 1) for i in range(stages - 1)]

    def shift(buffer, new):
        came = lax.ppermute(buffer, "stage", to_next)
        return jnp.where(lax.axis_index("stage") == 0, new[None], came)

    def last(buffer):
        return lax.psum(jnp.where(lax.axis_index("stage") == stages - 1, buffer[0], 0), "stage")

    start = lambda buffer: lax.pcast(buffer, ("data", "stage"), to="varying")
    local = lambda params, batch: lax.pmean(case.loss(params, batch, shift, last, start), "data")
    specs = ({"stages": P("stage"), "head": P()}, P(None, "data"))
    loss = jax.shard_map(local, mesh=mesh, in_specs=specs, out_specs=P())

    def train(params, opt, batch):
        value, grads = jax.value_and_grad(loss)(params, batch)
        return Step(value, grads, *case.update(params, opt, grads))

    return train


ANNOTATIONS = {"pipeline": Annotation("data=2,stage=4", STAGES, pipeline_bytes, pipeline_by_hand)}


def stage(p, x):
    """[batch, width]"""
    return x + jnp.tanh(x @ p["w1"] + p["b1"]) @ p["w2"]


def shift_in(buffer, new):
    """The new one first, the last one out."""
    return jnp.concatenate([new[None], buffer[:-1]])


@model("pipeline", scan=True, remat=True, annotations=ANNOTATIONS)
def pipeline(*, dtype, scan=False, remat=False, scale=1, stages=4, microbatches=4, width=8, hidden=16, classes=8, batch=32):
    width, hidden, classes = width * scale, hidden * scale, classes * scale
    params = {
        "stages": {
            "w1": weight(width, stages, width, hidden, dtype=dtype),
            "b1": near_zero(stages, hidden, dtype=dtype),
            "w2": weight(hidden, stages, hidden, width, dtype=dtype),
        },
        "head": weight(width, width, classes, dtype=dtype),
    }

    def forward(params, x, shift=shift_in, last=lambda buffer: buffer[-1], start=lambda buffer: buffer):
        """x [microbatches, batch, width] through all stages. By hand, a device's buffer has one place."""
        places = params["stages"]["w1"].shape[0]
        work = jax.vmap(jax.checkpoint(stage) if remat else stage)

        def step(buffer, new):
            buffer = work(params["stages"], shift(buffer, new))
            return buffer, last(buffer)

        inputs = jnp.concatenate([x, jnp.zeros((stages - 1, *x.shape[1:]), x.dtype)])
        buffer = start(jnp.zeros((places, *x.shape[1:]), x.dtype))
        if scan:
            outputs = lax.scan(step, buffer, inputs)[1]
        else:
            outputs = []
            for new in inputs:
                buffer, output = step(buffer, new)
                outputs.append(output)
            outputs = jnp.stack(outputs)
        return outputs[stages - 1 :] @ params["head"]

    def loss(params, batch, *by_hand):
        return mean_square(forward(params, batch["x"], *by_hand), batch["y"])

    whole = (microbatches, batch)
    examples = {"x": normal((*whole, width), dtype), "y": normal((*whole, classes), dtype)}
    itemsize = jnp.dtype(dtype).itemsize
    sizes = dict(stages=stages, microbatches=microbatches, batch=batch, width=width, itemsize=itemsize)
    return training(loss, adam, params, adam_state(params), examples, lambda p, b: forward(p, b["x"]), sizes=sizes)
