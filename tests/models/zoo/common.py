"""What all models of the zoo share: the registry, cases and their seeded arguments, optimizers, annotations.

A model is a function from options to a Case. A case's arguments are described by leaves (shape, dtype, distribution)
and drawn when they are asked for, so that models of any size exist without weights (`case.abstract()`).
Each leaf is drawn from a seed of its own path: options that leave a leaf's path alone leave its values alone.
"""

import dataclasses
import fnmatch
import functools
import math
import os
import zlib
from typing import Any, Callable, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import AxisType, PartitionSpec as P

MODELS = {}


# ---- leaves -------------------------------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class Leaf:
    """An argument's array before it is drawn. `draw(rng, shape)` gives float64 or integers."""

    shape: tuple
    dtype: Any
    draw: Callable

    @property
    def bytes(self):
        return math.prod(self.shape) * np.dtype(self.dtype).itemsize

    def array(self, path):
        rng = np.random.default_rng(zlib.crc32(path.encode()))
        return np.asarray(self.draw(rng, self.shape)).astype(self.dtype)


def normal(shape, dtype, std=1.0):
    return Leaf(tuple(shape), jnp.dtype(dtype), lambda rng, s: std * rng.standard_normal(s))


def uniform(shape, dtype, low=0.0, high=1.0):
    return Leaf(tuple(shape), jnp.dtype(dtype), lambda rng, s: rng.uniform(low, high, s))


def integers(shape, high, low=0):
    return Leaf(tuple(shape), jnp.dtype("int32"), lambda rng, s: rng.integers(low, high, s))


def weight(fan_in, *shape, dtype):
    """A matrix that keeps the scale of what it is applied to."""
    return normal(shape, dtype, std=fan_in**-0.5)


def near_one(*shape, dtype, times=1):
    """The scale of a norm: near one (or times that), but each another."""
    return uniform(shape, dtype, 0.8 * times, 1.2 * times)


def near_zero(*shape, dtype):
    """A bias."""
    return normal(shape, dtype, std=0.1)


def key(implementation="threefry2x32"):
    """The raw data of a random key; `jax.random.wrap_key_data(key, impl=implementation)` makes it one."""
    words = {"threefry2x32": 2, "rbg": 4, "unsafe_rbg": 4}[implementation]
    return Leaf((words,), jnp.dtype("uint32"), lambda rng, s: rng.integers(0, 2**32, s, dtype=np.uint32))


def is_leaf(x):
    return isinstance(x, Leaf)


def stacked(layers, count, scan):
    """`count` layers as `layers(i)` describes them: a list, or for lax.scan one tree of stacked leaves."""
    if not scan:
        return [layers(i) for i in range(count)]
    stack = lambda leaf: dataclasses.replace(leaf, shape=(count, *leaf.shape))
    return jax.tree.map(stack, layers(0), is_leaf=is_leaf)


# ---- cases --------------------------------------------------------------------------------------------------------


class Step(NamedTuple):
    """What a training step gives."""

    loss: Any
    grads: Any
    params: Any
    opt: Any


def named(name, tree):
    """(path, leaf) of each leaf of a tree, the path as tessera writes it."""
    word = lambda key: str(next(getattr(key, a) for a in ("key", "idx", "name") if hasattr(key, a)))
    leaves = jax.tree_util.tree_flatten_with_path(tree, is_leaf=is_leaf)[0]
    return [(".".join([name, *map(word, path)]), leaf) for path, leaf in leaves]


@dataclasses.dataclass
class Case:
    """A function with its arguments.

    fn: (params, opt, batch[, key]) -> Step, or what the model gives.   leaves: a tuple of trees of Leaf, one a parameter
    arg_names: fn's parameters   loss, update: what fn is made of   forward: inference, (params, batch) -> outputs
    sizes: the model's own, for textbook formulas
    """

    fn: Callable
    leaves: tuple
    arg_names: tuple
    loss: Callable = None
    update: Callable = None
    forward: Callable = None
    sizes: dict = dataclasses.field(default_factory=dict)

    def paths(self):
        """(path, leaf) of each argument's array, as `params.layers.0.w`."""
        return [pair for name, tree in zip(self.arg_names, self.leaves) for pair in named(name, tree)]

    def result_paths(self):
        """Paths of the results, as `result.params.layers.0.w`."""
        return [path for path, _ in named("result", jax.eval_shape(self.fn, *self.abstract().args))]

    @functools.cached_property
    def args(self):
        arrays = [leaf.array(path) for path, leaf in self.paths()]
        return jax.tree.unflatten(jax.tree.structure(self.leaves, is_leaf=is_leaf), arrays)

    def abstract(self):
        """The same with jax.ShapeDtypeStruct for arrays: nothing is drawn."""
        case = dataclasses.replace(self)
        case.args = jax.tree.map(lambda l: jax.ShapeDtypeStruct(l.shape, l.dtype), self.leaves, is_leaf=is_leaf)
        return case

    def bytes(self, pattern):
        """Bytes of all arguments whose path matches."""
        return sum(leaf.bytes for path, leaf in self.paths() if fnmatch.fnmatchcase(path, pattern))


def as_float64(args):
    """The same values in float64, for the truth."""
    wide = lambda x: x.astype(np.float64) if jnp.issubdtype(x.dtype, jnp.floating) else x
    return jax.tree.map(wide, args)


def training(loss, update, params, opt, batch, forward=None, key=None, sizes=None):
    """The case of a training step: loss(params, batch[, key]), update(params, opt, grads) -> params, opt."""

    def train(params, opt, batch):
        value, grads = jax.value_and_grad(loss)(params, batch)
        return Step(value, grads, *update(params, opt, grads))

    def train_with_key(params, opt, batch, key):
        value, grads = jax.value_and_grad(loss)(params, batch, key)
        return Step(value, grads, *update(params, opt, grads))

    if key is None:
        return Case(train, (params, opt, batch), ("params", "opt", "batch"), loss, update, forward, sizes or {})
    leaves, names = (params, opt, batch, key), ("params", "opt", "batch", "key")
    return Case(train_with_key, leaves, names, loss, update, forward, sizes or {})


# ---- optimizers ---------------------------------------------------------------------------------------------------
# The state is what it is in the middle of training: moments of the gradients' scale, so that Adam's quotient is well
# conditioned. It is kept, and the update done, in at least float32; parameters are rounded once to their own type.


def at_least_float32(dtype):
    return jnp.promote_types(dtype, jnp.float32)


def sgd_state(params, grad_scale=0.1):
    moment = lambda p: normal(p.shape, at_least_float32(p.dtype), grad_scale)
    return {"m": jax.tree.map(moment, params, is_leaf=is_leaf)}


def sgd(params, opt, grads, rate=0.1, momentum=0.9):
    m = jax.tree.map(lambda m, g: momentum * m + g.astype(m.dtype), opt["m"], grads)
    params = jax.tree.map(lambda p, m: (p.astype(m.dtype) - rate * m).astype(p.dtype), params, m)
    return params, {"m": m}


def adam_state(params, grad_scale=0.1):
    first = lambda p: normal(p.shape, at_least_float32(p.dtype), grad_scale)
    second = lambda p: uniform(p.shape, at_least_float32(p.dtype), 0.5 * grad_scale**2, 1.5 * grad_scale**2)
    moments = {name: jax.tree.map(f, params, is_leaf=is_leaf) for name, f in (("m", first), ("v", second))}
    return {**moments, "step": integers((), 8, low=3)}


def adam(params, opt, grads, rate=0.01, b1=0.9, b2=0.99, eps=1e-8, decay=0.0):
    """Adam; AdamW with a decay."""
    step = opt["step"] + 1
    m = jax.tree.map(lambda m, g: b1 * m + (1 - b1) * g.astype(m.dtype), opt["m"], grads)
    v = jax.tree.map(lambda v, g: b2 * v + (1 - b2) * jnp.square(g.astype(v.dtype)), opt["v"], grads)

    def update(p, m, v):
        t = step.astype(m.dtype)
        quotient = (m / (1 - b1**t)) / (jnp.sqrt(v / (1 - b2**t)) + eps)
        wide = p.astype(m.dtype)
        return (wide - rate * (quotient + decay * wide)).astype(p.dtype)

    return jax.tree.map(update, params, m, v), {"m": m, "v": v, "step": step}


# ---- annotations --------------------------------------------------------------------------------------------------


@dataclasses.dataclass
class Annotation:
    """How a case is split.

    mesh: "data=2,model=4"   rules: (glob, P), the first that matches holds. A glob is of arguments' paths (params.*) and of
    results' without `result.` before: new parameters are as the old, unless a rule before says otherwise of result.params.*; or
    it is a line of the model, of line().
    textbook: case -> bytes that leave each device in a step, by the textbook; None where there is none
    shard_map: (case, mesh) -> a function of the case's arguments that says the same by hand, with collectives
    """

    mesh: str
    rules: list
    textbook: Callable = None
    shard_map: Callable = None

    def axes(self):
        return {name: int(size) for name, size in (axis.split("=") for axis in self.mesh.split(","))}

    def jax_mesh(self):
        sizes, names = tuple(self.axes().values()), tuple(self.axes())
        return jax.make_mesh(sizes, names, axis_types=(AxisType.Auto,) * len(names))

    def all_rules(self):
        """The rules as tessera takes them: for arguments and lines, then for results."""
        of_results = [rule for rule in self.rules if not is_line(rule)]
        return self.rules + [(g if g.startswith("result.") else "result." + g, p) for g, p in of_results]

    def find(self, path):
        """The rule that holds for a path, an argument's or a result's, or None."""
        is_result = path.startswith("result.")
        rules = [rule for rule in self.all_rules() if rule[0].startswith("result.") == is_result]
        return next((rule for rule in rules if fnmatch.fnmatchcase(path, rule[0])), None)

    def rules_for(self, case):
        """Those that hold for something of the case: tessera refuses others."""
        used = [self.find(path) for path in [path for path, _ in case.paths()] + case.result_paths()]
        return [rule for rule in self.all_rules() if rule in used or is_line(rule)]

    def specs(self, tree, name):
        """A tree of P for the leaves of an argument or a result, for shard_map."""
        specs = [(self.find(path) or ("", P()))[1] for path, _ in named(name, tree)]
        return jax.tree.unflatten(jax.tree.structure(tree, is_leaf=is_leaf), specs)

    def flags(self, case):
        """The annotation as options of tessera's commands."""
        return ["--mesh=" + self.mesh] + [f"--shard={glob}={spec(p)}" for glob, p in self.rules_for(case)]


def line(file, text):
    """`moe.py:73`: how rules call what the one line of a model's file gives that begins with this text."""
    with open(file) as source:
        (number,) = [i for i, words in enumerate(source, 1) if words.strip().startswith(text)]
    return f"{os.path.basename(file)}:{number}"


def is_line(rule):
    return ".py:" in rule[0]


def later(p):
    """P as a rule that gives way to others: an axis that splits both batch and parameters splits activations by the batch."""
    return spec(p) + "p1"


def spec(p):
    """P as tessera reads it; text stays as it is."""
    if isinstance(p, str):
        return p
    word = lambda d: "None" if d is None else f'"{d}"' if isinstance(d, str) else f"({', '.join(map(word, d))},)"
    return f"P({', '.join(word(d) for d in p)})"


def layer_rules(**specs):
    """Rules for parameters of layers by their last name: both as a list of layers and stacked for a scan."""
    rules = []
    for name, p in specs.items():
        rules += [(f"*.layers.*.{name}", p), (f"*.layers.{name}", P(None, *p))]
    return rules


def model(name, *, scan=False, remat=False, dtypes=("float32", "bfloat16"), annotations):
    """Registers a model; scan and remat say whether it knows these options."""

    def register(build):
        MODELS[name] = Model(name, build, scan, remat, dtypes, annotations)
        return build

    return register


@dataclasses.dataclass
class Model:
    name: str
    build: Callable
    scan: bool
    remat: bool
    dtypes: tuple
    annotations: dict


def text(case, annotation=None):
    """The case's StableHLO with locations; with an annotation that of its shard_map form."""
    fn = annotation.shard_map(case, annotation.jax_mesh()) if annotation else case.fn
    return jax.jit(fn, keep_unused=True).lower(*case.args).as_text(debug_info=True)


# ---- the textbook: bytes that leave each of n devices -------------------------------------------------------------


def all_reduce(n, bytes):
    return 2 * (n - 1) / n * bytes


def all_gather(n, bytes):
    """`bytes` of the whole that everyone has then."""
    return (n - 1) / n * bytes


def reduce_scatter(n, bytes):
    """`bytes` of each one's term of the sum."""
    return (n - 1) / n * bytes


def all_to_all(n, bytes):
    """`bytes` that each one holds."""
    return (n - 1) / n * bytes


def activations(case, n=1):
    """Bytes of one [batch, length, width] on each of n devices that share it."""
    s = case.sizes
    return s["batch"] * s["length"] * s["width"] * s["itemsize"] / n


def split_bytes(case, annotation_rules, axes):
    """Bytes of the parameters that one device has, by the rules, `axes` their sizes."""
    find = Annotation("", annotation_rules).find
    count = lambda path: math.prod(axes[a] for d in (find(path) or ("", P()))[1] for a in ([d] if isinstance(d, str) else d or ()))
    return sum(leaf.bytes / count(path) for path, leaf in case.paths() if path.startswith("params."))


# ---- data parallelism: the same for every model -------------------------------------------------------------------


def data_parallel_bytes(case, n=8):
    """One all-reduce of the gradients; the loss is as good as nothing, but counted."""
    return all_reduce(n, case.bytes("params.*") + 4)


def data_parallel_shard_map(case, mesh):
    """Each device's mean loss and gradients of its part of the batch, then their mean. The loss must be a mean over the
    batch, which is the leading dimension of each of its arrays."""

    def local(params, opt, batch):
        value, grads = jax.value_and_grad(case.loss)(params, batch)
        value, grads = jax.lax.pmean((value, grads), mesh.axis_names)
        return Step(value, grads, *case.update(params, opt, grads))

    def train(params, opt, batch):
        specs = (P(), P(), P(mesh.axis_names))
        return jax.shard_map(local, mesh=mesh, in_specs=specs, out_specs=P(), check_vma=False)(params, opt, batch)

    return train


def by_hand(case, mesh, specs, local_loss):
    """The training step whose loss is `local_loss(params, batch)` on each device's parts, alike on all when it returns."""
    loss = jax.shard_map(local_loss, mesh=mesh, in_specs=(specs, P("data")), out_specs=P())

    def train(params, opt, batch):
        value, grads = jax.value_and_grad(loss)(params, batch)
        return Step(value, grads, *case.update(params, opt, grads))

    return train


def data(n=8):
    """The annotation of plain data parallelism."""
    rules = [("batch.*", P("data")), ("params.*", P()), ("opt.*", P()), ("grads.*", P())]
    return Annotation(f"data={n}", rules, data_parallel_bytes, data_parallel_shard_map)


def parts_of(tree):
    """Rules that split the leading dimension of all arrays of params or opt over data; of stacked layers the next."""
    return [
        (f"{tree}.step", P()),
        (f"{tree}.*layers.*.*", later(P("data"))),
        (f"{tree}.*layers.*", later(P(None, "data"))),
        (f"{tree}.*", later(P("data"))),
    ]


def zero1(n=8):
    """ZeRO-1: the optimizer's state in parts. Gradients are reduce-scattered, new parameters gathered."""

    def textbook(case):
        params = case.bytes("params.*")
        return reduce_scatter(n, params) + all_gather(n, params) + all_reduce(n, 4)

    return Annotation(f"data={n}", [("batch.*", P("data")), ("params.*", P()), *parts_of("opt"), *parts_of("grads")], textbook)


def zero3(n=8):
    """ZeRO-3: parameters in parts too. They are gathered forth and back, gradients reduce-scattered."""

    def textbook(case):
        params = case.bytes("params.*")
        return 2 * all_gather(n, params) + reduce_scatter(n, params) + all_reduce(n, 4)

    rules = [("batch.*", P("data")), *parts_of("opt"), *parts_of("params"), *parts_of("grads")]
    return Annotation(f"data={n}", rules, textbook)
