"""Random JAX programs: typed expressions over jnp, lax, jax.nn, jax.scipy, jax.random, loops, branches, maps and gradients.

A program is Python source, so that a finding can be read, cut down and run by hand. It grows by one statement at a time: a recipe
writes an expression over the variables there are, `jax.eval_shape` says what it is, and an expression that JAX refuses, or that is too
large, is dropped. Recipes therefore need no shape rules of their own; `fit(x, shape, dtype)` in the source makes any value fit
where a recipe needs a certain type. Bodies of loops, branches and mapped functions are programs of the same kind, nested.

Invariant: the same seed gives the same program, arguments, mesh and shardings. Cost: about 10 ms for each statement.
Nothing is shared with tools/random_program nor tests/models/random_jax.py: another author's errors are the point.
"""

import dataclasses
import re

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import PartitionSpec as P

FLOATS, INTS, COMPLEX = ["float32", "float16", "bfloat16"], ["int32", "uint8", "int8", "int16", "uint16", "uint32"], ["complex64"]
WIDE = {"float32": "float64", "int32": "int64", "uint32": "uint64", "complex64": "complex128"}
SIZES = [1, 2, 2, 3, 3, 4, 4, 5, 6, 7, 8, 8, 11, 13]
MOST = 1500  # elements of a value
MESHES = [(2,), (3,), (4,), (5,), (7,), (8,), (2, 2), (2, 3), (3, 2), (2, 4), (4, 2), (1, 4), (2, 1, 3), (2, 2, 2)]


# ---- what the source calls ----------------------------------------------------------------------------------------


def fit(x, shape, dtype):
    """Any array as one of that shape and type: repeated or cut, its numbers made small before they become integers."""
    x = jnp.asarray(x)
    target = jnp.dtype(dtype)
    if jnp.issubdtype(x.dtype, jnp.complexfloating) and not jnp.issubdtype(target, jnp.complexfloating):
        x = jnp.real(x)
    if jnp.issubdtype(x.dtype, jnp.floating) and jnp.issubdtype(target, jnp.integer):
        low = 0 if jnp.issubdtype(target, jnp.unsignedinteger) else -100
        x = jnp.clip(jnp.nan_to_num(x * 4), low, 100)
    x = x.astype(target)
    return x if x.shape == tuple(shape) else jnp.resize(x, shape)


def same(x, spec):
    return x


def tame(x):
    """Finite: which elements NaN and infinity reach in a factorization or a transform depends on the order of its steps."""
    return jnp.where(jnp.isfinite(x), x, 0.5).astype(x.dtype)


def spd(x):
    """A symmetric positive definite matrix of a square one."""
    return x @ jnp.swapaxes(x, -1, -2) / x.shape[-1] + jnp.eye(x.shape[-1], dtype=x.dtype)


def well(x):
    """A well conditioned square matrix."""
    return jnp.tanh(x) / x.shape[-1] + 2 * jnp.eye(x.shape[-1], dtype=x.dtype)


@jax.custom_vjp
def clipped_gradient(x):
    return jnp.sin(x)


clipped_gradient.defvjp(lambda x: (jnp.sin(x), x), lambda x, g: (jnp.clip(g, -1, 1) * jnp.cos(x),))


@jax.custom_jvp
def softened(x):
    return jnp.abs(x)


softened.defjvp(lambda primals, tangents: (jnp.abs(primals[0]), jnp.tanh(primals[0]) * tangents[0]))

NAMESPACE = {"jax": jax, "jnp": jnp, "lax": lax, "np": np, "P": P, "fit": fit, "tame": tame, "spd": spd, "well": well, "pin": same,
             "clipped_gradient": clipped_gradient, "softened": softened}


# ---- values and statements ----------------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class Value:
    name: str
    shape: tuple
    dtype: object

    @property
    def rank(self):
        return len(self.shape)

    def is_a(self, *kinds):
        return any(jax.dtypes.issubdtype(self.dtype, kind) for kind in kinds)

    @property
    def struct(self):
        return jax.ShapeDtypeStruct(self.shape, self.dtype)


KEY = jax.dtypes.prng_key


@dataclasses.dataclass
class Statement:
    lines: list  # of source
    names: list  # that it defines

    def uses(self, name):
        return any(re.search(rf"\b{name}\b", line) for line in self.lines)


class Scope:
    """Where statements are added: the body of the program, or of a function in it."""

    def __init__(self, rng, values, wide, depth=0, counter=None):
        self.rng, self.values, self.wide, self.depth = rng, list(values), wide, depth
        self.statements, self.pending = [], []
        self.counter = counter or [0]

    # -- choices --

    def chance(self, p):
        return self.rng.random() < p

    def one(self, choices):
        return choices[int(self.rng.integers(len(choices)))]

    def whole(self, low, high):
        return int(self.rng.integers(low, high + 1))

    def real(self, low, high):
        return round(float(self.rng.uniform(low, high)), 3)

    def dtype(self, of):
        name = self.one(of) if self.chance(0.5) else of[0]
        return WIDE.get(name, name) if self.wide and self.chance(0.5) else name

    def float_type(self):
        return self.dtype(FLOATS)

    def shape(self, rank=None, most=400):
        while True:
            n = self.one([0, 1, 1, 2, 2, 2, 3, 3, 4, 5]) if rank is None else rank
            dims = tuple(0 if self.chance(0.01) else self.one(SIZES) for _ in range(n))
            if np.prod(dims, dtype=int) <= most:
                return dims

    def fresh(self, letter):
        self.counter[0] += 1
        return f"{letter}{self.counter[0]}"

    # -- values --

    def pick(self, accepts):
        """A value that does, late ones sooner; None if there is none."""
        found = [v for v in self.values if accepts(v)]
        if not found:
            return None
        return found[-1 - min(int(self.rng.exponential(3)), len(found) - 1)]

    def fitted(self, shape, dtype):
        """The source of a value of that type."""
        exact = self.pick(lambda v: v.shape == tuple(shape) and v.dtype == dtype)
        if exact and self.chance(0.7):
            return exact.name
        source = self.pick(lambda v: not v.is_a(KEY))
        return f"fit({source.name}, {tuple(shape)}, '{dtype}')"

    def typed(self, kinds, types, rank=None, least=0, shape=None):
        """A value of a kind. `x` of the recipes: has a name, a shape and a type."""
        v = self.pick(lambda v: v.is_a(*kinds) and v.rank >= least and (rank is None or v.rank == rank)
                      and (shape is None or v.shape == shape))
        if v and self.chance(0.95):
            return v
        if shape is None:
            shape = self.shape(rank if rank is not None else self.whole(least, 3) if least else None)
        dtype = jnp.dtype(self.dtype(types))
        return Value(self.fitted(shape, dtype), shape, dtype)

    def f(self, rank=None, least=0, shape=None):
        return self.typed([jnp.floating], FLOATS, rank, least, shape)

    def i(self, rank=None, least=0, shape=None):
        return self.typed([jnp.integer], INTS, rank, least, shape)

    def b(self, rank=None, least=0, shape=None):
        return self.typed([jnp.bool_], ["bool"], rank, least, shape)

    def c(self, rank=None, least=0):
        return self.typed([jnp.complexfloating], COMPLEX, rank, least)

    def f32(self, rank=None, least=0):
        """Not in float64, where XLA's lgamma is an approximation that is worse than its ulps, and JAX is no truth."""
        x = self.f(rank, least)
        return Value(f"{x.name}.astype('float32')", x.shape, jnp.dtype("float32")) if x.dtype == jnp.float64 else x

    def n(self, rank=None, least=0):
        """A number of any kind."""
        return self.one([self.f, self.f, self.f, self.i, self.c])(rank, least)

    def real_number(self, rank=None, least=0):
        return self.one([self.f, self.f, self.i])(rank, least)

    def a(self, rank=None, least=0):
        """Anything but a key."""
        return self.one([self.f, self.f, self.i, self.b, self.c])(rank, least)

    def like(self, x, shape=None):
        """The source of another value that goes with x: of its shape, or one that broadcasts to it."""
        shape = x.shape if shape is None else shape
        if self.chance(0.3):
            shape = tuple(1 if self.chance(0.3) else d for d in shape)[self.whole(0, len(shape)):]
        return self.fitted(shape, x.dtype)

    def key(self):
        found = self.pick(lambda v: v.is_a(KEY) and v.shape == ())
        if found:
            return found.name if self.chance(0.4) else f"jax.random.fold_in({found.name}, {self.whole(0, 9)})"
        return f"jax.random.key({self.whole(0, 999)})"

    def axis(self, x):
        return self.whole(-x.rank, x.rank - 1)

    def axes(self, x):
        """Some axes of x, for a reduction."""
        if not x.rank or self.chance(0.2):
            return None
        some = [d for d in range(x.rank) if self.chance(0.5)] or [self.whole(0, x.rank - 1)]
        return tuple(some) if len(some) > 1 or self.chance(0.5) else some[0]

    # -- statements --

    def namespace(self):
        return {**NAMESPACE, **{v.name: v.struct for v in self.values}}

    def meaning(self, lines, expression):
        """What an expression is after some lines: a tree of structs. Raises what JAX raises."""
        known = [v for v in self.values]

        def build(*values):
            space = {**NAMESPACE, **{v.name: x for v, x in zip(known, values)}}
            exec("\n".join(lines), space)
            return eval(expression, space)

        return jax.eval_shape(build, *[v.struct for v in known])

    def add(self, expression):
        """Adds `v1 = expression` or `v1, v2 = expression`; False if JAX refuses it or it is too large."""
        lines, self.pending = self.pending, []
        try:
            results = self.meaning(lines, expression)
        except (TypeError, ValueError, IndexError, NotImplementedError, ZeroDivisionError, AssertionError, AttributeError,
                OverflowError, KeyError, jax.errors.JAXTypeError, FloatingPointError, RecursionError):
            return False
        alone = not isinstance(results, (tuple, list))
        results = [results] if alone else list(results)
        structs = [r for r in results if isinstance(r, jax.ShapeDtypeStruct)]
        if len(structs) != len(results) or not results or len(results) > 4:
            return False
        if any(len(r.shape) > 5 or np.prod(r.shape, dtype=float) > MOST for r in results):
            return False
        if any(r.dtype == jax.dtypes.float0 for r in results):
            return False
        values = [Value(self.fresh("v"), r.shape, r.dtype) for r in results]
        names = ", ".join(v.name for v in values)
        comma = "," if len(values) == 1 and not alone else ""
        self.statements.append(Statement([*lines, f"{names}{comma} = {expression}"], [v.name for v in values]))
        self.values += values
        return True

    def function(self, arguments, results=None, statements=None):
        """Writes a nested function of values with these types, which returns values of those types (default: a few of its own).
        Its source is pending until the next `add`. It may use what is outside. Returns its name, or None."""
        inner = Scope(self.rng, [], self.wide, self.depth + 1, self.counter)
        outside = [v for v in self.values if self.chance(0.3)] if self.chance(0.5) else []
        formal = [Value(inner.fresh("x"), v.shape, v.dtype) for v in arguments]
        inner.values = outside + formal
        inner.grow(statements or self.whole(1, 3))
        made = inner.values[len(outside) + len(formal):]
        if results is None:
            chosen = made[-1:] or formal[-1:]
            returned = chosen[0].name
        else:
            returned = ", ".join(inner.returned(r) for r in results) + ("," if len(results) == 1 else "")
        name = self.fresh("f")
        body = ["    " + line for s in inner.statements for line in s.lines]
        self.pending += [f"def {name}({', '.join(v.name for v in formal)}):", *body, f"    return {returned}"]
        return name

    def returned(self, want):
        if jax.dtypes.issubdtype(want.dtype, KEY):
            return self.pick(lambda v: v.is_a(KEY) and v.shape == want.shape).name
        last = self.values[-1] if not self.values[-1].is_a(KEY) and self.chance(0.8) else None
        if last and last.shape == want.shape and last.dtype == want.dtype:
            return last.name
        source = last or self.pick(lambda v: not v.is_a(KEY))
        return f"fit({source.name}, {want.shape}, '{want.dtype}')"

    def grow(self, count):
        tries = 0
        while count and tries < 40:
            tries += 1
            group = self.one(GROUPS if self.depth < 2 else FLAT_GROUPS)
            self.pending = []
            expression = self.one(group)(self)
            if expression and self.add(expression):
                count -= 1


# ---- recipes ------------------------------------------------------------------------------------------------------


def call(name, kind, *more, module="jnp"):
    """Recipe of a function of one value, with more arguments as they are."""
    tail = "".join(", " + m for m in more)
    return lambda g: f"{module}.{name}({getattr(g, kind)().name}{tail})"


def calls(module, kind, names):
    return [call(name, kind, module=module) for name in names.split()]


def pairs(module, kind, names):
    def recipe(name):
        def write(g):
            x = getattr(g, kind)()
            return f"{module}.{name}({x.name}, {g.like(x)})"
        return write
    return [recipe(name) for name in names.split()]


def reductions(module, kind, names):
    def recipe(name):
        def write(g):
            x = getattr(g, kind)()
            keep = ", keepdims=True" if g.chance(0.3) else ""
            return f"{module}.{name}({x.name}, axis={g.axes(x)}{keep})"
        return write
    return [recipe(name) for name in names.split()]


def along(kind, *templates):
    """Recipes with {x} and one of its axes {d}; {n} is the size along it."""
    def recipe(template):
        def write(g):
            x = getattr(g, kind)(least=1)
            d = g.axis(x)
            return template.format(x=x.name, d=d, n=x.shape[d], k=g.whole(0, x.shape[d]), s=g.whole(-3, 5), t=x.dtype)
        return write
    return [recipe(t) for t in templates]


UNARY = [
    *calls("jnp", "f", "sin cos tan tanh arctan sinh cosh arcsinh cbrt exp expm1 exp2 abs sign floor ceil round rint trunc square "
           "negative isfinite isnan isinf signbit sinc deg2rad nan_to_num reciprocal positive fabs"),
    *calls("jax.nn", "f", "relu relu6 gelu silu softplus sigmoid log_sigmoid elu celu selu leaky_relu hard_tanh hard_sigmoid hard_swish "
           "soft_sign mish squareplus log1mexp"),
    *calls("lax", "f", "logistic is_finite rsqrt sqrt log log1p erf erfc cbrt tan"),
    *calls("jax.scipy.special", "f", "erf erfc expit ndtr log_ndtr i0 i1 i0e i1e entr logsumexp"),
    *calls("jax.scipy.special", "f32", "gammaln digamma"),
    *calls("jnp", "i", "abs sign square negative invert bitwise_count positive signbit"),
    *calls("lax", "i", "population_count clz bitwise_not"),
    *calls("jnp", "c", "abs angle real imag conj exp sin cos tanh square negative sqrt sinh"),
    *calls("jnp", "b", "logical_not"),
    *calls("jnp", "a", "isreal iscomplex zeros_like ones_like"),
    lambda g: f"jnp.log(jnp.abs({g.f().name}) + 0.5)",
    lambda g: f"jnp.sqrt(jnp.abs({g.f().name}))",
    lambda g: f"jnp.arcsin(jnp.tanh({g.f().name}))",
    lambda g: f"jnp.arccosh(1.5 + jnp.abs({g.f().name}))",
    lambda g: f"jnp.arctanh({g.real(-0.9, 0.9)} * jnp.tanh({g.f().name}))",
    lambda g: f"lax.erf_inv({g.real(0.1, 0.9)} * jnp.tanh({g.f().name}))",
    lambda g: f"lax.integer_pow({g.f().name}, {g.whole(-2, 4)})",
    lambda g: f"jnp.clip({g.real_number().name}, {g.whole(0, 2)}, {g.whole(1, 5)})",
    lambda g: f"lax.reduce_precision({g.f().name}, {g.whole(5, 8)}, {g.whole(2, 10)})",
    lambda g: f"jnp.power(jnp.abs({g.f().name}) + 0.1, {g.real(-2, 2)})",
    lambda g: f"jnp.modf({g.f().name})",
    lambda g: f"jnp.frexp({g.f().name})[0]",
    lambda g: f"clipped_gradient({g.f().name})",
    lambda g: f"softened({g.f().name})",
]

BINARY = [
    *pairs("jnp", "n", "add subtract multiply add subtract multiply equal not_equal"),
    *pairs("jnp", "real_number", "maximum minimum greater less greater_equal less_equal fmax fmin"),
    *pairs("jnp", "f", "arctan2 hypot logaddexp logaddexp2 copysign heaviside float_power divide true_divide"),
    *pairs("jnp", "i", "bitwise_and bitwise_or bitwise_xor left_shift right_shift gcd"),
    *pairs("jnp", "b", "logical_and logical_or logical_xor"),
    *pairs("jax.scipy.special", "f", "xlogy xlog1py rel_entr"),
    lambda g: (x := g.f()) and f"jnp.divide({x.name}, 0.5 + jnp.abs({g.like(x)}))",
    lambda g: (x := g.c()) and f"jnp.divide({x.name}, 2.5 + jnp.abs({g.like(x)}))",
    lambda g: (x := g.f()) and f"jnp.{g.one(['remainder', 'fmod', 'floor_divide'])}({x.name}, 0.37 + jnp.abs({g.like(x)}))",
    lambda g: (x := g.i()) and f"jnp.{g.one(['remainder', 'fmod', 'floor_divide'])}({x.name}, jnp.abs({g.like(x)}) | 1)",
    lambda g: (x := g.i()) and f"lax.{g.one(['div', 'rem'])}({x.name}, fit({g.like(x)}, {x.shape}, '{x.dtype}') | 1)",
    lambda g: (x := g.i()) and f"lax.{g.one(['shift_left', 'shift_right_logical', 'shift_right_arithmetic'])}({x.name}, "
                               f"fit({g.like(x)}, {x.shape}, '{x.dtype}'))",
    lambda g: (x := g.a()) and f"jnp.where({g.fitted(x.shape, jnp.dtype('bool'))}, {x.name}, {g.like(x)})",
    lambda g: (x := g.f()) and f"lax.nextafter({x.name}, fit({g.like(x)}, {x.shape}, '{x.dtype}'))",
    lambda g: (x := g.f()) and f"lax.clamp({g.fitted((), x.dtype)}, {x.name}, {g.fitted(x.shape, x.dtype)})",
    lambda g: (x := g.f()) and f"lax.complex(fit({x.name}, {x.shape}, 'float32'), fit({g.like(x)}, {x.shape}, 'float32'))",
    lambda g: (x := g.f32()) and f"jax.scipy.special.{g.one(['gammainc', 'gammaincc'])}(0.5 + jnp.abs({x.name}), jnp.abs({g.like(x)}))",
    lambda g: (x := g.f32()) and f"jax.scipy.special.betainc(0.5 + jnp.abs({x.name}), 0.7 + jnp.abs({g.like(x)}), 0.4)",
    lambda g: (x := g.f32()) and f"jax.scipy.special.polygamma({g.whole(0, 2)}, 1 + jnp.abs({x.name}))",
    lambda g: f"lax.bitcast_convert_type(fit({(x := g.a()).name}, {x.shape}, '{g.one(['float32', 'int16', 'uint8', 'uint32'])}'), "
              f"'{g.one(['int32', 'uint8', 'uint16', 'uint32'])}')",
    lambda g: f"{g.a().name}.astype('{g.one([g.dtype(FLOATS), g.dtype(COMPLEX), 'bool'])}')",
    lambda g: f"{g.one([g.i, g.b])().name}.astype('{g.dtype(INTS)}')",
    lambda g: f"{g.b().name}.astype('{g.dtype(FLOATS)}')",
    lambda g: f"fit({(x := g.f()).name}, {x.shape}, '{g.dtype(INTS)}')",
]

REDUCE = [
    *reductions("jnp", "n", "sum sum prod mean"),
    *reductions("jnp", "real_number", "max min max min ptp count_nonzero nanmax nansum"),
    *reductions("jnp", "f", "var std nanmean linalg.norm median"),
    *reductions("jnp", "b", "any all sum"),
    *reductions("jax.nn", "f", "logsumexp softmax log_softmax standardize"),
    *reductions("jnp.bitwise_or", "i", "reduce"),
    *along("real_number", "jnp.argmax({x}, axis={d})", "jnp.argmin({x}, axis={d}, keepdims=True)", "jnp.cumsum({x}, axis={d})",
           "lax.cummax({x}, axis={d} % {x}.ndim)", "lax.cummin({x}, axis={d} % {x}.ndim, reverse=True)", "jnp.diff({x}, axis={d})",
           "jnp.cumsum({x}[::-1], axis={d}, dtype='float32')", "jnp.nancumsum({x}, axis={d})", "jnp.percentile({x}, 30, axis={d})"),
    *along("f", "jnp.cumprod(jnp.tanh({x}), axis={d})", "lax.cumlogsumexp({x}, axis={d} % {x}.ndim)", "jnp.gradient({x}, axis={d})",
           "jnp.trapezoid({x}, axis={d})", "jnp.quantile({x}, 0.6, axis={d})", "jnp.average({x}, axis={d})",
           "lax.associative_scan(jnp.multiply, jnp.cos({x}), axis={d})", "lax.associative_scan(jnp.maximum, {x}, axis={d}, reverse=True)",
           "lax.associative_scan(lambda p, q: (p[0] * q[0], p[1] * q[0] + q[1]), (jnp.cos({x}), {x}), axis={d})"),
    lambda g: (x := g.f()) and f"lax.reduce({x.name}, np.array(0.5, '{x.dtype}'), lambda p, q: p + q, {axes(g, x)})",
    lambda g: (x := g.i()) and f"lax.reduce(({x.name}, {g.fitted(x.shape, jnp.dtype('float32'))}), (np.array(3, '{x.dtype}'), np.float32(1)), "
                               f"lambda p, q: (jnp.maximum(p[0], q[0]), jnp.minimum(p[1], q[1])), {axes(g, x)})",
]


def axes(g, x):
    some = g.axes(x)
    return tuple(range(x.rank)) if some is None else some if isinstance(some, tuple) else (some,)


def reshaped(g):
    x = g.a()
    left, dims = int(np.prod(x.shape)), []
    while left > 1 and len(dims) < 4 and g.chance(0.8):
        d = g.one([d for d in range(1, left + 1) if left % d == 0])
        dims.append(d)
        left //= d
    return f"{x.name}.reshape({(*dims, left)})"


def sliced(g):
    x = g.a(least=1)
    parts = []
    for d in x.shape:
        low, high = sorted([g.whole(-1, d), g.whole(0, d + 1)])
        step = g.one([1, 1, 2, 3, -1, -2])
        parts.append(g.one([":", f"{low}:{high}:{abs(step)}", f"::{step}", str(g.whole(0, max(d - 1, 0))), "None, :"]))
    return f"{x.name}[{', '.join(parts)}]"


def padded(g):
    x = g.a(least=1)
    if g.chance(0.5):
        config = tuple((g.whole(-1, 3), g.whole(-1, 3), g.whole(0, 2)) for _ in x.shape)
        return f"lax.pad({x.name}, np.array({g.whole(0, 1)}, '{x.dtype}'), {config})"
    widths = tuple((g.whole(0, 2), g.whole(0, 3)) for _ in x.shape)
    return f"jnp.pad({x.name}, {widths}, mode='{g.one(['constant', 'edge', 'reflect', 'wrap', 'symmetric'])}')"


def joined(g):
    x = g.a(least=1)
    d = g.whole(0, x.rank - 1)
    others = []
    for _ in range(g.whole(1, 2)):
        shape = tuple(g.one(SIZES) if i == d else n for i, n in enumerate(x.shape))
        others.append(g.fitted(shape, x.dtype))
    return f"jnp.concatenate([{', '.join([x.name, *others])}], axis={d})"


SHAPES = [
    reshaped, sliced, sliced, padded, joined, joined,
    lambda g: (x := g.a(least=1)) and f"jnp.transpose({x.name}, {tuple(int(d) for d in g.rng.permutation(x.rank))})",
    lambda g: (x := g.a(least=2)) and f"jnp.swapaxes({x.name}, {g.axis(x)}, {g.axis(x)})",
    lambda g: (x := g.a()) and f"jnp.stack([{x.name}, {g.fitted(x.shape, x.dtype)}], axis={g.whole(0, x.rank)})",
    lambda g: (x := g.a()) and f"jnp.broadcast_to({x.name}, {(g.one(SIZES), *x.shape)})",
    lambda g: (x := g.a(least=1)) and f"jnp.tile({x.name}, {tuple(g.whole(1, 3) for _ in x.shape)})",
    lambda g: (x := g.n()) and f"jnp.expand_dims({x.name}, {g.whole(0, x.rank)})",
    lambda g: f"jnp.squeeze({g.a().name})",
    lambda g: f"jnp.ravel({g.a().name})",
    *along("a", "jnp.flip({x}, {d})", "jnp.roll({x}, {s}, axis={d})", "jnp.repeat({x}, 2, axis={d})", "jnp.split({x}, [{k}], axis={d})",
           "jnp.moveaxis({x}, {d}, 0)", "jnp.rollaxis({x}, {d} % {x}.ndim)", "jnp.delete({x}, 0, axis={d})"),
    *[(lambda name: lambda g: (x := g.n(least=2)) and f"jnp.{name}({x.name}, k={g.whole(-2, 2)})")(name) for name in ("tril", "triu")],
    lambda g: (x := g.n(rank=2)) and f"jnp.diagonal({x.name}, offset={g.whole(-1, 1)})",
    lambda g: (x := g.n(rank=1)) and f"jnp.diag({x.name}, {g.whole(-1, 1)})",
    lambda g: (x := g.n(rank=2)) and f"jnp.rot90({x.name}, {g.whole(1, 3)})",
    lambda g: (x := g.n(rank=2)) and f"jnp.trace({x.name})",
    lambda g: f"jax.nn.one_hot({g.i(rank=1).name}, {g.one(SIZES)})",
    lambda g: f"jnp.arange({g.one(SIZES)}, dtype='{g.one(['float32', 'int32', 'bfloat16', 'uint8'])}') * {g.whole(1, 3)}",
    lambda g: f"lax.broadcasted_iota('{g.one(['float32', 'int32', 'uint8'])}', {g.shape(2)}, {g.whole(0, 1)})",
    lambda g: f"jnp.linspace({g.real(-1, 1)}, {g.f(rank=0).name}, {g.one(SIZES)})",
    lambda g: f"jnp.meshgrid({g.n(rank=1).name}, {g.n(rank=1).name})",
    lambda g: f"jnp.vander({g.f(rank=1).name}, {g.whole(1, 4)})",
    lambda g: f"pin({(x := g.a(least=1)).name}, {spec_source(random_spec(g.rng, x.shape, g.mesh))})" if g.mesh else None,
]
Scope.mesh = None


def dot(g):
    x = g.n(least=1)
    rank = g.whole(1, 3)
    contracting = [d for d in range(x.rank) if g.chance(0.5)][:rank] or [g.whole(0, x.rank - 1)]
    batch = [d for d in range(x.rank) if d not in contracting and g.chance(0.3)][:max(rank - len(contracting), 0)]
    shape = [x.shape[d] for d in contracting + batch] + [g.one(SIZES) for _ in range(rank - len(contracting) - len(batch))]
    order = [int(d) for d in g.rng.permutation(len(shape))]
    place = lambda k: order.index(k)
    other = g.fitted(tuple(shape[k] for k in order), x.dtype)
    numbers = ((tuple(contracting), tuple(place(k) for k in range(len(contracting)))),
               (tuple(batch), tuple(place(len(contracting) + k) for k in range(len(batch)))))
    return f"lax.dot_general({x.name}, {other}, {numbers})"


def conv(g):
    spatial = g.whole(1, 2)
    groups = g.one([1, 1, 1, 2, 3])
    by_batch = g.chance(0.15)
    n, cin, cout = g.whole(1, 3), groups * g.whole(1, 3), groups * g.whole(1, 3)
    if by_batch:
        n, cin = groups * n, cin // groups
    dtype = jnp.dtype(g.one(["float32", "float32", "bfloat16", "float16"]))
    x = g.fitted((n, cin, *[g.whole(3, 8) for _ in range(spatial)]), dtype)
    w = g.fitted((cout, cin if by_batch else cin // groups, *[g.whole(1, 3) for _ in range(spatial)]), dtype)
    several = lambda low, high: tuple(g.whole(low, high) for _ in range(spatial))
    pads = g.one(["'SAME'", "'VALID'", str([(g.whole(-1, 2), g.whole(0, 2)) for _ in range(spatial)])])
    more = f"lhs_dilation={several(1, 2)}, " if pads[0] == "[" else ""
    group = f"batch_group_count={groups}" if by_batch else f"feature_group_count={groups}"
    return f"lax.conv_general_dilated({x}, {w}, {several(1, 2)}, {pads}, {more}rhs_dilation={several(1, 2)}, {group})"


def window(g, kind=None):
    """lax.reduce_window of a value, the source of a lambda of it."""
    x = g.f(least=1)
    several = lambda low, high: tuple(g.whole(low, high) for _ in x.shape)
    init, op = g.one([("0", "add"), ("-jnp.inf", "max"), ("jnp.inf", "min")] if kind is None else kind)
    pads = g.one(["'SAME'", "'VALID'"]) if g.chance(0.6) else str([(g.whole(0, 1), g.whole(0, 1)) for _ in x.shape])
    more = "" if kind or g.chance(0.6) else f", window_dilation={several(1, 2)}"
    return x, (f"lambda y: lax.reduce_window(y, np.array({init.replace('jnp', 'np')}, '{x.dtype}'), lax.{op}, {several(1, 3)}, "
               f"{several(1, 2)}, {pads}{more})")


def pooled(g):
    x, pool = window(g)
    return f"({pool})({x.name})"


def pool_gradient(g):
    x, pool = window(g, [("0", "add"), ("-jnp.inf", "max")])
    return f"jax.grad(lambda z: jnp.sum(jnp.sin(({pool})(z))).astype('float32'))({x.name})"


def fft(g):
    d = g.whole(1, 3)
    name = g.one(["fft", "ifft", "fft2", "ifft2", "fftn", "rfft", "rfft2", "ihfft"])
    kind = g.f if name in ("rfft", "rfft2", "ihfft") else g.one([g.f, g.c])
    x = kind(least=2 if name.endswith("2") else d if name.endswith("n") else 1)
    real = f"{x.name}.astype('float32')" if x.dtype in (jnp.float16, jnp.bfloat16) else x.name
    return f"jnp.fft.{name}(tame({real}))"


LINEAR = [
    dot, dot, dot, conv, conv, pooled, pooled, pool_gradient, fft, fft,
    lambda g: f"jnp.fft.irfft(tame({g.c(least=1).name}))",
    lambda g: f"jnp.fft.irfft(tame({g.c(least=1).name}), n={g.whole(1, 9)})",
    lambda g: (x := g.n(least=1)) and f"jnp.fft.fftshift({x.name}, axes={g.axis(x)})",
    lambda g: (x := g.n(rank=2)) and f"{x.name} @ {g.fitted((x.shape[1], g.one(SIZES)), x.dtype)}",
    lambda g: (x := g.n(rank=3)) and f"jnp.einsum('abc,bd,ce->ade', {x.name}, {g.fitted((x.shape[1], 3), x.dtype)}, "
                                     f"{g.fitted((x.shape[2], 2), x.dtype)})",
    lambda g: f"jnp.outer({g.n(rank=1).name}, {g.n(rank=1).name})",
    lambda g: (x := g.n(rank=1)) and f"jnp.convolve({x.name}, {g.fitted((g.whole(1, 4),), x.dtype)}, mode='{g.one(['full', 'same', 'valid'])}')",
    lambda g: (x := g.f(rank=1)) and f"jnp.correlate({x.name}, {g.fitted((g.whole(1, 4),), x.dtype)})",
    lambda g: f"jnp.kron({g.f(rank=2).name}, {g.fitted((2, 2), jnp.dtype('float32'))})",
    lambda g: (x := g.f(rank=2)) and f"jnp.cross({g.fitted((x.shape[0], 3), x.dtype)}, {g.fitted((3,), x.dtype)})",
    lambda g: (x := g.i(rank=2)) and f"lax.dot({x.name}, {g.fitted((x.shape[1], g.one(SIZES)), x.dtype)}, preferred_element_type='int32')",
    lambda g: (x := g.f(rank=2)) and f"lax.dot({x.name}, {g.fitted((x.shape[1], g.one(SIZES)), x.dtype)}, preferred_element_type='float32')",
]


def square(g, least=2):
    n = g.whole(1, 7)
    dtype = g.one(["float32", "float32", "complex64"])
    if g.wide and g.chance(0.5):
        dtype = WIDE[dtype]
    m = g.fitted((*([g.whole(1, 3)] if g.chance(0.4) else []), n, n), jnp.dtype(dtype))
    return f"tame({m})", n, dtype


def solved(template):
    def write(g):
        m, n, dtype = square(g)
        return template.format(m=m, r=f"tame({g.fitted((n, g.whole(1, 3)), jnp.dtype(dtype))})", k=g.whole(-2, 3))
    return write


LINALG = [solved(t) for t in (
    "jnp.linalg.cholesky(spd(jnp.tanh(fit({m}, {m}.shape, 'float32'))))", "jnp.linalg.inv(well({m}))", "jnp.linalg.det(well({m}))",
    "jnp.linalg.slogdet(well({m}))[1]", "jnp.linalg.qr(well({m}))", "jnp.linalg.eigvalsh({m} + jnp.conj(jnp.swapaxes({m}, -1, -2)))",
    "jnp.linalg.svd({m}, compute_uv=False)", "jax.scipy.linalg.expm(jnp.tanh(fit({m}, {m}.shape, 'float32')))",
    "jnp.linalg.matrix_power(well({m}), {k})", "jnp.linalg.pinv(well(fit({m}, {m}.shape, 'float32')))", "lax.linalg.lu(well({m}))[0]",
    "jnp.linalg.solve(well({m}), jnp.broadcast_to({r}, {m}.shape[:-1] + ({r}).shape[-1:]))",
    "jnp.linalg.norm({m}, ord='nuc', axis=(-2, -1))", "jnp.linalg.eigh(spd(jnp.tanh({m}.real)))[0]",
    "jax.scipy.linalg.solve_triangular(well({m}), jnp.broadcast_to({r}, {m}.shape[:-1] + ({r}).shape[-1:]), lower=True)",
    "jax.grad(lambda z: jnp.sum(jnp.linalg.cholesky(spd(z))))(fit({m}, {m}.shape, 'float32'))",
    "jax.grad(lambda z: jnp.sum(jnp.linalg.inv(well(z))))(fit({m}, {m}.shape, 'float32'))",
    "lax.linalg.tridiagonal_solve(fit({m}, (5,), 'float32') * 0.1, 2 + jnp.cos(fit({m}, (5,), 'float32')), 0.1 * fit({m}, (5,), 'float32'), "
    "fit({r}, (5, 2), 'float32'))",
    "lax.linalg.householder_product(fit({m}, (4, 3), 'float32'), fit({r}, (3,), 'float32'))",
)]

MODES = ["'fill'", "'clip'", "'drop'", "'wrap'", "None"]


def indices(g, rank=1, high=10):
    dtype = jnp.dtype(g.one(["int32", "int32", "uint8", "int8"]))
    return f"fit({(g.pick(lambda v: not v.is_a(KEY))).name}, {g.shape(rank, 20)}, '{dtype}') % {g.whole(1, high)} - {g.whole(0, 2)}"


def gathered(g):
    x = g.a(least=1)
    index = indices(g, g.whole(0, 2), 2 * max(x.shape[0], 1))
    mode = g.one(["'fill'", "'clip'", "None", "'wrap'"])
    return f"{x.name}.at[{index}].get(mode={mode})"


def gathered_by_two(g):
    x = g.a(least=2)
    n = g.whole(1, 5)
    index = lambda: f"fit({g.i().name}, ({n},), 'int32') % {g.whole(1, 12)}"
    middle = ":, " if x.rank > 2 and g.chance(0.5) else ""
    return f"{x.name}.at[{index()}, {middle}{index()}].get(mode={g.one(MODES[:2])})"


def scattered(g):
    x = g.n(least=1)
    n = g.whole(1, 6)
    index = f"fit({g.i().name}, ({n},), 'int32') % {g.whole(1, 2 * max(x.shape[0], 1))} - {g.whole(0, 1)}"
    updates = g.fitted((n, *x.shape[1:]), x.dtype)
    op = g.one(["add", "add", "max", "min"] if not x.is_a(jnp.complexfloating) else ["add"])
    if g.chance(0.3):
        return f"{x.name}.at[jnp.argsort({index})].set({updates}, mode={g.one(MODES)})"
    return f"{x.name}.at[{index}].{op}({updates}, mode={g.one(MODES)})"


def scattered_by_two(g):
    x = g.n(least=2)
    n = g.whole(1, 5)
    index = lambda: f"fit({g.i().name}, ({n},), 'int32') % {g.whole(1, 12)}"
    return f"{x.name}.at[{index()}, {index()}].add({g.fitted((n, *x.shape[2:]), x.dtype)}, mode={g.one(MODES[1:3])})"


def dynamic(g):
    x = g.a(least=1)
    sizes = tuple(g.whole(min(1, d), d) for d in x.shape)
    starts = ", ".join(f"fit({g.i().name}, (), 'int32')" if g.chance(0.6) else str(g.whole(0, 5)) for _ in x.shape)
    if g.chance(0.5):
        return f"lax.dynamic_slice({x.name}, ({starts},), {sizes})"
    return f"lax.dynamic_update_slice({x.name}, {g.fitted(sizes, x.dtype)}, ({starts},))"


def segments(g):
    x = g.real_number(least=1)
    n = g.whole(1, 6)
    ids = f"fit({g.i().name}, ({x.shape[0]},), 'int32') % {g.whole(1, n + 2)} - {g.whole(0, 1)}"
    return f"jax.ops.segment_{g.one(['sum', 'sum', 'max', 'min', 'prod'])}({x.name}, {ids}, num_segments={n})"


INDEXING = [
    gathered, gathered, gathered_by_two, scattered, scattered, scattered_by_two, dynamic, dynamic, segments,
    *along("a", "jnp.take({x}, jnp.arange(3) * 2, axis={d}, mode='fill')", "jnp.take({x}, np.array([[0, -1], [9, 1]]), axis={d}, mode='clip')",
           "lax.dynamic_index_in_dim({x}, 1, axis={d})", "jnp.take_along_axis({x}, jnp.argsort({x}.real, axis={d}), axis={d})",
           "lax.index_take({x}, (jnp.arange(2),), axes=({d} % {x}.ndim,))"),
    *along("real_number", "jnp.sort({x}, axis={d})", "jnp.sort({x}, axis={d}, descending=True)", "jnp.argsort({x}, axis={d})",
           "jnp.put_along_axis({x}, jnp.argmax({x}, axis={d}, keepdims=True), 1, axis={d}, inplace=False)",
           "lax.sort(({x}, jnp.cos({x}.astype('float32'))), dimension={d} % {x}.ndim)",
           "lax.sort(({x} // 2, {x}), dimension={d} % {x}.ndim, num_keys=2)"),
    lambda g: (x := g.real_number(least=1)) and f"lax.top_k({x.name}, {g.whole(0, x.shape[-1])})",
    lambda g: f"jnp.searchsorted(jnp.sort({g.f(rank=1).name}), {g.f().name}.astype('float32'))",
    lambda g: f"jnp.unique({g.i().name}, size={g.whole(1, 6)}, fill_value=0)",
    lambda g: f"jnp.bincount(jnp.abs({g.i(rank=1).name}), length={g.whole(1, 8)})",
    lambda g: f"jnp.histogram({g.f().name}, bins={g.whole(1, 5)}, range=(-1, 1))[0]",
    lambda g: f"jnp.nonzero({g.b().name}, size={g.whole(1, 5)}, fill_value=-1)[0]",
    lambda g: f"jnp.digitize({g.f().name}, np.array([-1.0, 0.0, 0.5, 2.0], 'float32'))",
    lambda g: f"jnp.interp({g.f().name}, jnp.arange(5.0), {g.fitted((5,), jnp.dtype('float32'))})",
    lambda g: f"jnp.select([{(x := g.f()).name} > 0.5, {x.name} < -0.5], [{x.name}, -{x.name}], 2 * {x.name})",
    lambda g: f"jnp.choose(fit({g.i().name}, (3,), 'int32') % 2, [{g.fitted((3,), jnp.dtype('float32'))}, 1.0], mode='clip')",
    lambda g: f"jax.scipy.ndimage.map_coordinates({(x := g.fitted((5, 4), jnp.dtype('float32')))}, [{g.fitted((3,), jnp.dtype('float32'))}, "
              f"jnp.arange(3.0)], order=1, mode='{g.one(['nearest', 'wrap', 'mirror', 'constant'])}')",
    lambda g: f"jax.image.resize({g.fitted((4, 6), jnp.dtype('float32'))}, ({g.whole(2, 9)}, {g.whole(2, 9)}), "
              f"'{g.one(['nearest', 'linear', 'cubic'])}')",
]


def drawn(template):
    def write(g):
        return template.format(k=g.key(), s=g.shape(), v=g.f(rank=1).name, w=g.f(rank=2).name, a=g.a(least=1).name, n=g.whole(2, 5),
                               t=g.one(["float32", "float32", "bfloat16", "float16"]), u=g.one(["uint8", "uint32", "uint16"]))
    return write


RANDOM = [drawn(t) for t in (
    "jax.random.uniform({k}, {s}, '{t}')", "jax.random.normal({k}, {s}, '{t}')", "jax.random.bernoulli({k}, 0.4, {s})",
    "jax.random.randint({k}, {s}, -3, 9)", "jax.random.bits({k}, {s}, '{u}')", "jax.random.permutation({k}, {n})",
    "jax.random.permutation({k}, {a})", "jax.random.categorical({k}, {w})", "jax.random.gumbel({k}, {s})", "jax.random.split({k})[0]",
    "jax.random.split({k}, {n})", "jax.random.fold_in({k}, {n})", "jax.random.exponential({k}, {s})", "jax.random.truncated_normal({k}, -1, 2, {s})",
    "jax.random.choice({k}, {v}, ({n},))", "jax.random.laplace({k}, {s})", "jax.random.cauchy({k}, {s})", "jax.random.key_data({k})",
    "jax.random.rademacher({k}, {s})", "jax.vmap(lambda q: jax.random.normal(q, (3,)))(jax.random.split({k}, {n}))",
    "jax.random.gamma({k}, 1.5, ({n},))", "jax.random.poisson({k}, 3.0, ({n},))", "jax.random.orthogonal({k}, {n})", "jax.random.dirichlet({k}, jnp.ones({n}))",
    "jax.random.shuffle_free({k})", "jax.random.beta({k}, 0.8, 1.2, ({n},))", "jax.random.t({k}, 4.0, ({n},))",
    "jax.random.multivariate_normal({k}, jnp.zeros(3), jnp.eye(3))", "jax.random.ball({k}, {n})", "jax.random.key({n}, impl='rbg')",
    "jax.random.uniform(jax.random.key({n}, impl='rbg'), {s})", "jax.random.normal(jax.random.key({n}, impl='unsafe_rbg'), {s})")]


# ---- functions in functions ---------------------------------------------------------------------------------------


def carried(g):
    """One or two values that a loop carries, not keys."""
    values = [g.one([g.f, g.f, g.i, g.c])() for _ in range(g.whole(1, 2))]
    return [Value(v.name, v.shape, v.dtype) for v in values]


def tuple_of(values):
    return "(" + ", ".join(v.name for v in values) + ",)"


def star(g, name):
    """A loop's body takes a tuple."""
    return f"lambda c: {name}(*c)"


INDEX = Value("i", (), jnp.dtype("int32"))


def fori(g):
    values = carried(g)
    name = g.function([INDEX, *values], values)
    bound = str(g.whole(0, 4)) if g.chance(0.7) else f"fit({g.i().name}, (), 'int32') % 5"
    return f"lax.fori_loop({g.whole(0, 1)}, {bound}, lambda i, c: {name}(i, *c), {tuple_of(values)})"


def while_loop(g):
    values = carried(g)
    name = g.function([INDEX, *values], values)
    test = g.function([INDEX, *values], [Value("", (), jnp.dtype("bool"))], 1)
    return (f"lax.while_loop(lambda c: (c[0] < {g.whole(1, 4)}) & ({test}(*c)[0] | (c[0] < 2)), lambda c: (c[0] + 1, *{name}(*c)), "
            f"(jnp.int32(0), *{tuple_of(values)}))[1:]")


def scanned(g):
    values, xs = carried(g), g.one([g.f, g.i, g.c])(least=1)
    if not 0 < xs.shape[0] <= 9:
        return None
    row = Value("", xs.shape[1:], xs.dtype)
    out = Value("", g.one([(), row.shape, (2,)]), jnp.dtype(g.one(["float32", "int32"])))
    name = g.function([*values, row], [*values, out])
    more = g.one(["", "", ", reverse=True", ", unroll=2"])
    return (f"(lambda r: (*r[0], r[1]))(lax.scan(lambda c, x: (lambda r: (r[:-1], r[-1]))({name}(*c, x)), {tuple_of(values)}, "
            f"{xs.name}{more}))")


def branched(g):
    values = carried(g)
    out = [Value("", v.shape, v.dtype) for v in values]
    names = [g.function(values, out) for _ in range(g.whole(2, 3))]
    if len(names) == 2 and g.chance(0.6):
        return f"lax.cond(fit({g.b().name}, (), 'bool'), {names[0]}, {names[1]}, *{tuple_of(values)})"
    return f"lax.switch(fit({g.i().name}, (), 'int32') % {len(names) + 1}, [{', '.join(names)}], *{tuple_of(values)})"


def mapped(g):
    x = g.a(least=1)
    d = g.whole(0, x.rank - 1)
    row = Value("", x.shape[:d] + x.shape[d + 1:], x.dtype)
    if g.chance(0.5):
        name = g.function([row])
        out = g.one(["", "", ", out_axes=-1"])
        return f"jax.vmap({name}, in_axes={d}{out})({x.name})"
    other = g.f()
    name = g.function([row, other])
    return f"jax.vmap({name}, in_axes=({d}, None))({x.name}, {other.name})"


def mapped_by_lax(g):
    x = g.f(least=1)
    name = g.function([Value("", x.shape[1:], x.dtype)])
    return f"lax.map({name}, {x.name})" if x.shape[0] <= 8 else None


def scalar_of(g, x):
    """A nested function of x that gives a real scalar."""
    name = g.function([x])
    return f"lambda z: jnp.sum(jnp.real({name}(z)).astype('{'float64' if x.dtype == jnp.float64 else 'float32'}'))"


def gradient(g):
    x = g.f()
    inner = scalar_of(g, x)
    inner = f"jax.checkpoint({inner})" if g.chance(0.3) else inner
    return f"jax.{g.one(['grad', 'grad', 'value_and_grad'])}({inner})({x.name})"


def forward_gradient(g):
    x = g.f()
    name = g.function([x])
    return f"jax.jvp({name}, ({x.name},), ({g.fitted(x.shape, x.dtype)},))"


def reverse_gradient(g):
    x = g.f()
    name = g.function([x])
    return f"(lambda r: r[1](jnp.ones_like(r[0])))(jax.vjp({name}, {x.name}))[0]"


def second_gradient(g):
    x = g.f(rank=1)
    if x.shape[0] > 5:
        return None
    return f"jax.{g.one(['hessian', 'jacfwd', 'jacrev'])}({scalar_of(g, x)})({x.name})"


def gradient_of_loop(g):
    x = g.f()
    name = g.function([x], [x], 2)
    loop = g.one([f"lax.scan(lambda c, _: ({name}(c)[0], None), z, None, length={g.whole(1, 3)})[0]",
                  f"lax.fori_loop(0, {g.whole(1, 3)}, lambda i, c: {name}(c)[0], z)",
                  f"lax.scan(jax.checkpoint(lambda c, _: ({name}(c)[0], c)), z, None, length={g.whole(1, 3)})[1]"])
    return f"jax.grad(lambda z: jnp.sum({loop}.astype('float32')))({x.name})"


def jitted(g):
    x, y = g.a(), g.a()
    return f"jax.jit({g.function([x, y])})({x.name}, {y.name})"


NESTED = [fori, while_loop, scanned, scanned, branched, branched, mapped, mapped, mapped, mapped_by_lax, gradient, gradient, forward_gradient,
          reverse_gradient, second_gradient, gradient_of_loop, jitted]

FLAT_GROUPS = [UNARY, UNARY, BINARY, BINARY, REDUCE, SHAPES, SHAPES, LINEAR, INDEXING]
GROUPS = [*FLAT_GROUPS, LINEAR, INDEXING, LINALG, RANDOM, NESTED, NESTED]


# ---- programs -----------------------------------------------------------------------------------------------------


def random_spec(rng, shape, mesh):
    """A PartitionSpec of a shape over some axes of a mesh ({name: size}); sizes need not divide."""
    axes = [str(a) for a in rng.permutation(list(mesh))]
    entries = []
    for _ in shape:
        count = min(int(rng.choice([0, 0, 1, 1, 1, 2])), len(axes))
        taken, axes = axes[:count], axes[count:]
        entries.append(None if not taken else taken[0] if count == 1 else tuple(taken))
    return P(*[entries[i] for i in range(len(entries))])


def spec_source(spec):
    return "P(" + ", ".join(map(repr, spec)) + ")"


@dataclasses.dataclass
class Program:
    seed: int
    names: list  # of arguments
    args: list  # their arrays
    statements: list
    results: list  # names
    mesh: dict
    shard: dict  # argument's name, or result.N -> PartitionSpec
    wide: bool  # whether it runs with jax_enable_x64

    @property
    def source(self):
        body = ["    " + line for s in self.statements for line in s.lines]
        return "\n".join([f"def program({', '.join(self.names)}):", *body, f"    return {', '.join(self.results)},"])

    def fn(self, pin=same):
        space = {**NAMESPACE, "pin": pin}
        exec(compile(self.source, f"<seed {self.seed}>", "exec"), space)
        return space["program"]

    @property
    def pinned(self):
        return "pin(" in self.source

    def hints(self):
        mesh = ",".join(f"{a}={n}" for a, n in self.mesh.items())
        shard = {k: v for k, v in self.shard.items() if k in self.names or k.startswith("result")}
        return {"mesh": mesh, "shard": shard}


def random_array(rng, shape, dtype, special):
    dtype = jnp.dtype(dtype)
    if dtype == bool:
        return rng.random(shape) < 0.5
    if jnp.issubdtype(dtype, jnp.integer):
        info = jnp.iinfo(dtype)
        low, high = (int(info.min), int(info.max)) if rng.random() < 0.15 else (max(int(info.min), -9), 20)
        return rng.integers(low, high, shape, dtype=dtype, endpoint=True)
    x = rng.standard_normal(shape)
    if jnp.issubdtype(dtype, jnp.complexfloating):
        x = x + 1j * rng.standard_normal(shape)
    if special:
        bad = rng.choice([np.nan, np.inf, -np.inf, 0.0, -0.0, 1e30], np.shape(x))
        x = np.where(rng.random(np.shape(x)) < 0.1, bad, x)
    with np.errstate(over="ignore"):
        return np.asarray(x).astype(dtype)


def generate(seed):
    """The program of a seed. Call it under jax.enable_x64(seed's)."""
    rng = np.random.default_rng([2026, seed])
    wide = bool(rng.random() < 0.2)
    special = rng.random() < 0.15
    sizes = MESHES[int(rng.integers(len(MESHES)))]
    mesh = dict(zip("xyz", sizes))
    with jax.enable_x64(wide):
        scope = Scope(rng, [], wide)
        scope.mesh = mesh if rng.random() < 0.15 else None
        names, args = [], []
        for n in range(int(rng.integers(1, 5))):
            kinds = [FLOATS, FLOATS, FLOATS, INTS, COMPLEX, ["bool"]]
            dtype = jnp.dtype(scope.dtype(FLOATS if n == 0 else kinds[int(rng.integers(len(kinds)))]))
            names.append(f"a{n}")
            args.append(random_array(rng, scope.shape(), dtype, special))
        if rng.random() < 0.3:
            names.append("key")
            args.append(jax.random.key(int(rng.integers(1000))))
        scope.values = [Value(n, x.shape, x.dtype) for n, x in zip(names, args)]
        scope.grow(int(rng.choice([1, 1, 2, 2, 3, 4, 5, 6, 7])))
        used = {n for s in scope.statements for n in s.names if any(o.uses(n) for o in scope.statements if o is not s)}
        results = [n for s in scope.statements for n in s.names if n not in used] or [scope.values[-1].name]
        by_name = {v.name: v for v in scope.values}
        shard = {}
        for name, x in [*zip(names, args), *[(f"result.{i}", by_name[r]) for i, r in enumerate(results)]]:
            of_result = name.startswith("result")
            if x.shape and rng.random() < (0.2 if of_result else 0.75):
                if name != "key":
                    shard[name] = random_spec(rng, x.shape, mesh)
    return Program(seed, names, args, scope.statements, results, mesh, shard, wide)
