"""The truth about a program: the same jaxpr with every float in float64.

`tests/models/` asks its models to run in float64 when their arguments are float64. Code of others does not: it casts to
float32, and `jax.random.normal` draws other numbers in float64. So the function is traced once, as it is, and its jaxpr is
evaluated with the floats (and complex numbers) of every equation widened. Integers, bools, keys and random bits stay as they
are; an equation whose result depends on the bits of a float (NARROW) is evaluated in its own types and widened afterwards.

Invariant: every value has the type of its variable, widened. Cost: one compilation of the program in float64.
"""

import contextvars

import jax
import jax.extend as jex
import jax.numpy as jnp
import numpy as np
from jax import lax

# Depend on how a float is stored, or draw other random numbers in float64.
NARROW = {"bitcast_convert_type", "nextafter", "random_gamma", "rng_uniform", "select_and_gather_add"}
# Have a jaxpr that is evaluated in place, by the name of the parameter that has it.
INLINE = {"jit": "jaxpr", "pjit": "jaxpr", "closed_call": "call_jaxpr", "core_call": "call_jaxpr", "checkpoint": "jaxpr",
          "remat2": "jaxpr", "custom_jvp_call": "call_jaxpr", "custom_vjp_call": "call_jaxpr",
          "custom_vjp_call_jaxpr": "fun_jaxpr", "custom_lin": "call_jaxpr"}
IDENTITY = {"reduce_precision", "sharding_constraint", "copy", "copy_p"}


# What floats and complex numbers become; float32 for the estimate of a float64 program's own error.
TARGET = contextvars.ContextVar("target", default=("float64", "complex128"))


def wide_dtype(dtype):
    if jax.dtypes.issubdtype(dtype, jax.dtypes.prng_key) or dtype == jax.dtypes.float0:
        return dtype
    real, imaginary = TARGET.get()
    if jnp.issubdtype(dtype, jnp.complexfloating):
        return np.dtype(imaginary)
    return np.dtype(real) if jnp.issubdtype(dtype, jnp.floating) else dtype


def cast(x, dtype):
    if getattr(x, "dtype", None) == dtype or jax.dtypes.issubdtype(dtype, jax.dtypes.prng_key):
        return x
    return lax.convert_element_type(jnp.asarray(x), dtype)


def widened(x):
    """A concrete array as float64."""
    return x if jax.dtypes.issubdtype(x.dtype, jax.dtypes.extended) else np.asarray(x).astype(wide_dtype(x.dtype))


def evaluate(jaxpr, consts, args):
    values = {}

    def read(atom):
        if isinstance(atom, jex.core.Literal):
            return cast(atom.val, wide_dtype(atom.aval.dtype))
        return values[atom]

    for var, value in [*zip(jaxpr.constvars, consts), *zip(jaxpr.invars, args)]:
        values[var] = cast(value, wide_dtype(var.aval.dtype))
    for eqn in jaxpr.eqns:
        results = equation(eqn, [read(v) for v in eqn.invars])
        for var, value in zip(eqn.outvars, results):
            if hasattr(var.aval, "dtype"):
                value = cast(value, wide_dtype(var.aval.dtype))
            values[var] = value
    return [read(v) for v in jaxpr.outvars]


def closed(jaxpr):
    """(jaxpr, consts) of a jaxpr, closed or not."""
    return (jaxpr.jaxpr, jaxpr.consts) if hasattr(jaxpr, "jaxpr") else (jaxpr, [])


def call(jaxpr, *args):
    return evaluate(*closed(jaxpr), args)


def equation(eqn, args):
    name, params = eqn.primitive.name, eqn.params
    if name in INLINE:
        return call(params[INLINE[name]], *args)
    if name in IDENTITY:
        return args
    if name in STRUCTURED:
        return STRUCTURED[name](eqn, args)
    if name in NARROW:
        args = [cast(x, v.aval.dtype) for x, v in zip(args, eqn.invars)]
    else:
        params = {k: wide_param(v) for k, v in params.items()}
    if name.startswith("scatter") or name in ("reduce", "reduce_window"):
        params = {**params, **retraced(eqn, params)}
    results = eqn.primitive.bind(*args, **params)
    return results if eqn.primitive.multiple_results else [results]


def wide_param(value):
    """preferred_element_type, new_dtype and their like."""
    if isinstance(value, np.dtype) or (isinstance(value, type) and issubclass(value, np.generic)):
        return wide_dtype(np.dtype(value))
    return value


def retraced(eqn, params):
    """Reducers are jaxprs of scalars: traced again in float64."""
    changed = {}
    for key, value in params.items():
        if not (hasattr(value, "eqns") and hasattr(value, "consts")) and key != "update_jaxpr":
            continue
        if value is None:
            continue
        jaxpr, consts = closed(value)
        if key == "update_jaxpr":
            consts = params.get("update_consts", ())
        avals = [jax.ShapeDtypeStruct(v.aval.shape, wide_dtype(v.aval.dtype)) for v in jaxpr.invars]
        made = jax.make_jaxpr(lambda *xs: evaluate(jaxpr, consts, xs))(*avals)
        changed[key] = made.jaxpr if key == "update_jaxpr" else made
        if key == "update_jaxpr":
            changed["update_consts"] = tuple(made.consts)
    return changed


# ---- control flow -------------------------------------------------------------------------------------------------


def scan(eqn, args):
    p = eqn.params
    consts, carry = args[:p["num_consts"]], args[p["num_consts"]:p["num_consts"] + p["num_carry"]]
    xs = args[p["num_consts"] + p["num_carry"]:]

    def body(carry, x):
        results = call(p["jaxpr"], *consts, *carry, *x)
        return results[:p["num_carry"]], results[p["num_carry"]:]

    carry, ys = lax.scan(body, list(carry), list(xs), length=p["length"], reverse=p["reverse"])
    return [*carry, *ys]


def while_loop(eqn, args):
    p = eqn.params
    n, m = p["cond_nconsts"], p["cond_nconsts"] + p["body_nconsts"]
    of_cond, of_body, carry = args[:n], args[n:m], args[m:]
    test = lambda c: call(p["cond_jaxpr"], *of_cond, *c)[0]

    def body(c):
        new = call(p["body_jaxpr"], *of_body, *c)
        going = test(c)
        if not going.ndim:
            return new
        # Under vmap each of a batch has its own condition: those that have ended stay as they are.
        spread = lambda x: jnp.expand_dims(going, tuple(range(going.ndim, x.ndim)))
        return [jnp.where(spread(x), x, old) for x, old in zip(new, c)]

    return lax.while_loop(lambda c: jnp.any(test(c)), body, list(carry))


def cond(eqn, args):
    branches = [lambda *xs, b=b: call(b, *xs) for b in eqn.params["branches"]]
    return lax.switch(cast(args[0], jnp.int32), branches, *args[1:])


def linear_solve(eqn, args):
    lengths, jaxprs = eqn.params["const_lengths"], eqn.params["jaxprs"]
    first = lengths.matvec + lengths.vecmat
    right = args[sum(lengths):]
    return call(jaxprs.solve, *args[first:first + lengths.solve], *right)


STRUCTURED = {"scan": scan, "while": while_loop, "cond": cond, "custom_linear_solve": linear_solve}


def truth_of(traced, args):
    """The compiled float64 program of a closed jaxpr: arguments as of the function -> flat outputs."""
    with jax.enable_x64(True):
        wide_args = [widened(x) for x in jax.tree.leaves(args)]
        # Exact enough without optimization, and much sooner compiled.
        fast = {"xla_backend_optimization_level": 0, "xla_llvm_disable_expensive_passes": True}
        program = jax.jit(lambda *xs: call(traced, *xs)).lower(*wide_args).compile(compiler_options=fast)

    def run(*args):
        with jax.enable_x64(True):
            return program(*[widened(x) for x in jax.tree.leaves(args)])

    return run


def in_float32(traced, args):
    """Flat outputs of a closed jaxpr with every float in float32, its integers as they are."""
    token = TARGET.set(("float32", "complex64"))
    try:
        return jax.jit(lambda *xs: call(traced, *xs))(*[widened(x) for x in jax.tree.leaves(args)])
    finally:
        TARGET.reset(token)


def floats_of(jaxpr):
    """The float types in a jaxpr, however deep, by name."""
    found = set()
    for eqn in jaxpr.eqns:
        for var in [*eqn.outvars, *eqn.invars]:
            dtype = getattr(var.aval, "dtype", None)
            if dtype is not None and jnp.issubdtype(dtype, jnp.inexact):
                found.add({"complex64": "float32", "complex128": "float64"}.get(dtype.name, dtype.name))
        for inner in jax.tree.leaves(list(eqn.params.values()), is_leaf=lambda x: hasattr(x, "eqns")):
            if hasattr(inner, "eqns"):
                found |= floats_of(getattr(inner, "jaxpr", inner))
    return found
