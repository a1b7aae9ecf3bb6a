"""A step of a 70B model on a laptop: nothing is allocated, nothing takes long."""

import math
import os
import resource
import unittest

os.environ.setdefault("JAX_PLATFORMS", "cpu")

import jax
import jax.numpy as jnp
from jax import ShapeDtypeStruct
from jax.sharding import PartitionSpec as P

import tessera

LAYERS, WIDTH, HEADS, GROUPS, HEAD, HIDDEN, WORDS = 80, 8192, 64, 8, 128, 28672, 128256
BATCH, LENGTH = 16, 4096


def norm(x, scale):
    mean = jnp.mean(x.astype(jnp.float32) ** 2, -1, keepdims=True)
    return x * jax.lax.rsqrt(mean + 1e-5).astype(x.dtype) * scale


def layer(x, p):
    h = norm(x, p["norm1"])
    q = jnp.einsum("btd,dgqk->btgqk", h, p["wq"])
    k, v = (jnp.einsum("btd,dgk->btgk", h, p[name]) for name in ("wk", "wv"))
    scores = jnp.einsum("btgqk,bsgk->bgqts", q, k).astype(jnp.float32) / HEAD ** 0.5
    scores = jnp.where(jnp.tril(jnp.ones((LENGTH, LENGTH), bool)), scores, -1e30)
    out = jnp.einsum("bgqts,bsgk->btgqk", jax.nn.softmax(scores, -1).astype(x.dtype), v)
    x = x + jnp.einsum("btgqk,gqkd->btd", out, p["wo"])
    h = norm(x, p["norm2"])
    return x + (jax.nn.silu(h @ p["w1"]) * (h @ p["w3"])) @ p["w2"]


def loss(params, batch):
    x = params["embed"][batch["x"]]
    x, _ = jax.lax.scan(lambda x, p: (jax.checkpoint(layer)(x, p), None), x, params["layers"])
    logits = (norm(x, params["norm"]) @ params["head"]).astype(jnp.float32)
    return -jnp.mean(jnp.take_along_axis(jax.nn.log_softmax(logits), batch["y"][..., None], -1))


def step(params, momentum, batch):
    value, grads = jax.value_and_grad(loss)(params, batch)
    momentum = jax.tree.map(lambda m, g: 0.9 * m + g.astype(m.dtype), momentum, grads)
    return value, jax.tree.map(lambda p, m: (p - 1e-4 * m).astype(p.dtype), params, momentum), momentum


def bf16(*shape):
    return ShapeDtypeStruct(shape, jnp.bfloat16)


def arguments():
    shapes = {"norm1": (WIDTH,), "norm2": (WIDTH,), "wq": (WIDTH, GROUPS, HEADS // GROUPS, HEAD),
              "wk": (WIDTH, GROUPS, HEAD), "wv": (WIDTH, GROUPS, HEAD),
              "wo": (GROUPS, HEADS // GROUPS, HEAD, WIDTH), "w1": (WIDTH, HIDDEN),
              "w3": (WIDTH, HIDDEN), "w2": (HIDDEN, WIDTH)}
    params = {"embed": bf16(WORDS, WIDTH), "norm": bf16(WIDTH), "head": bf16(WIDTH, WORDS),
              "layers": {name: bf16(LAYERS, *shape) for name, shape in shapes.items()}}
    momentum = jax.tree.map(lambda s: ShapeDtypeStruct(s.shape, jnp.float32), params)
    words = ShapeDtypeStruct((BATCH, LENGTH), jnp.int32)
    return params, momentum, {"x": words, "y": words}


SHARD = {"batch.*": P("data"), "*.wq": P(None, None, "model"), "*.wk": P(None, None, "model"),
         "*.wv": P(None, None, "model"), "*.wo": P(None, "model"), "*.w1": P(None, None, "model"),
         "*.w3": P(None, None, "model"), "*.w2": P(None, "model"), "*.head": P(None, "model"),
         "*.embed": P("model")}


class Large(unittest.TestCase):
    def test_70b(self):
        args = arguments()
        count = sum(math.prod(s.shape) for s in jax.tree.leaves(args[0]))
        self.assertGreater(count, 70e9)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        program = tessera.export(step, *args, donate_argnums=(0, 1))
        sharded = tessera.propagate(program, mesh="data=16,model=8", shard=SHARD)
        at = program.arg_names.index("momentum.layers.w1")
        self.assertEqual(sharded.argument_parts[at], f"tensor<{LAYERS}x{WIDTH}x{HIDDEN // 8}xf32>")
        made = tessera.partition(program, mesh="data=16,model=8", shard=SHARD)
        self.assertEqual(made.devices, 128)
        # Activations of a layer are a gigabyte: gradients are added up, activations not gathered.
        self.assertLess(made.bytes, 90e9)
        self.assertLess(made.flops_share, 1.1)
        grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
        self.assertLess(grown, 1 << 20, "a gigabyte")  # in KiB
        with self.assertRaisesRegex(tessera.InvalidArgument, "params.embed is a ShapeDtypeStruct"):
            tessera.run(program, *args)


if __name__ == "__main__":
    unittest.main()
