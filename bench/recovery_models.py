"""recovery_models.py OUT MODEL ARGUMENTS: traces a JAX model, shapes only, and writes its StableHLO to OUT.

MODEL is a model of tests/models/zoo, or vgg16 or accumulate, which are below. ARGUMENTS is a JSON object of its sizes. Needs JAX (tools/venv).
"""
import json
import os
import re
import sys

import jax
import jax.numpy as jnp
from jax import lax

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "tests"))
import models.zoo  # noqa: E402,F401
from models.zoo.common import MODELS, text  # noqa: E402


def shape(*dims, dtype=jnp.float32):
    return jax.ShapeDtypeStruct(dims, dtype)


def cross_entropy(logits, labels):
    logits = logits.astype(jnp.float32)
    return jnp.mean(jax.nn.logsumexp(logits, -1) - jnp.take_along_axis(logits, labels[:, None], -1)[:, 0])


def sgd(params, grads):
    return jax.tree.map(lambda p, g: p - 0.1 * g, params, grads)


def vgg16(batch=128, size=224, classes=1000):
    """VGG-16: 13 convolutions in 5 groups, 3 dense layers. The names of OptCNN's table 5: group 1 to 5, fc 1 to 3."""
    groups = [(2, 64), (2, 128), (3, 256), (3, 512), (3, 512)]
    params, inputs = {}, 3
    for g, (convs, channels) in enumerate(groups, 1):
        for i in range(convs):
            params[f"group{g}_conv{i}"] = shape(3, 3, inputs, channels)
            inputs = channels
    features = inputs * (size // 32) ** 2
    for i, width in enumerate((4096, 4096, classes), 1):
        params[f"fc{i}"] = shape(features, width)
        features = width

    def loss(params, batch):
        x = batch["images"]
        for g, (convs, _) in enumerate(groups, 1):
            for i in range(convs):
                x = jax.nn.relu(lax.conv_general_dilated(x, params[f"group{g}_conv{i}"], (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")))
            x = lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")
        x = x.reshape(x.shape[0], -1)
        x = jax.nn.relu(x @ params["fc1"])
        x = jax.nn.relu(x @ params["fc2"])
        return cross_entropy(x @ params["fc3"], batch["labels"])

    def step(params, batch):
        value, grads = jax.value_and_grad(loss)(params, batch)
        return {"params": sgd(params, grads), "loss": value}

    return step, (params, {"images": shape(batch, size, size, 3), "labels": shape(batch, dtype=jnp.int32)})


def accumulate(batch=64, micro=8, width=4096, layers=4):
    """An MLP whose gradients are summed over microbatches by lax.scan; Adam."""
    params = {f"layer{i}": {"up": shape(width, 4 * width), "down": shape(4 * width, width)} for i in range(layers)}

    def loss(params, x, y):
        for i in range(layers):
            p = params[f"layer{i}"]
            x = x + (jax.nn.relu(x @ p["up"].astype(x.dtype)) @ p["down"].astype(x.dtype))
        return jnp.mean((x - y).astype(jnp.float32) ** 2)

    def step(params, m, v, batch):
        def one(total, xy):
            value, grads = jax.value_and_grad(loss)(params, *xy)
            return jax.tree.map(jnp.add, total, grads), value

        grads, values = lax.scan(one, jax.tree.map(jnp.zeros_like, params), (batch["x"], batch["y"]))
        m = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, m, grads)
        v = jax.tree.map(lambda v, g: 0.99 * v + 0.01 * g * g, v, grads)
        params = jax.tree.map(lambda p, m, v: p - 1e-3 * m / (jnp.sqrt(v) + 1e-8), params, m, v)
        return {"params": params, "m": m, "v": v, "loss": jnp.mean(values)}

    examples = {k: shape(micro, batch, width, dtype=jnp.bfloat16) for k in "xy"}
    return step, (params, params, params, examples)


def named(program):
    """The program with argument paths as jax.arg_info and no other locations, so that messages and decisions have lines of the file."""
    path = lambda words: re.sub(r"\['?([^\]']*)'?\]", r".\1", words)
    out = []
    for line in program.splitlines():
        if line.startswith("#loc"):
            continue
        if "func.func public @main" in line:
            line = re.sub(r'(%arg\d+: tensor<[^>]*>) \{([^}]*)\} loc\("([^"]*)"\)', lambda f: f'{f[1]} {{jax.arg_info = "{path(f[3])}", {f[2]}}}', line)
            line = re.sub(r'(%arg\d+: tensor<[^>]*>) loc\("([^"]*)"\)', lambda f: f'{f[1]} {{jax.arg_info = "{path(f[2])}"}}', line)
        out.append(re.sub(r' loc\((#loc\d*|unknown|"[^"]*"(\(#loc\d*\))?)\)', "", line))
    return "\n".join(out) + "\n"


def main():
    out, model, sizes = sys.argv[1], sys.argv[2], json.loads(sys.argv[3])
    if model in ("vgg16", "accumulate"):
        step, args = globals()[model](**sizes)
        donated = tuple(range(len(args) - 1))
        program = jax.jit(step, keep_unused=True, donate_argnums=donated).lower(*args).as_text(debug_info=True)
    else:
        program = text(MODELS[model].build(**sizes).abstract())
    with open(out, "w") as file:
        file.write(named(program))


main()
