"""Functions of jax.numpy and jax.lax and what they take: f floats, i small integers, b booleans, c complex numbers,
pd a positive definite matrix, perm a permutation."""

import jax
import jax.numpy as jnp
from jax import lax
from jax.scipy import special

CASES = {}


def case(name, fn, *arguments):
    """An argument is "f 8 6": a kind and sizes."""
    CASES[name] = (fn, [(kind, tuple(map(int, sizes))) for kind, *sizes in map(str.split, arguments)])


# ---- elementwise, reductions, scans ----

for _name in ("sin tan arctan tanh arcsinh expm1 log1p sign floor rint cbrt square").split():
    case(_name, getattr(jnp, _name), "f 8 6")
for _name in ("add divide maximum arctan2 hypot logaddexp fmod remainder copysign").split():
    case(_name, getattr(jnp, _name), "f 8 6", "f 6")
for _name in ("sum prod max min mean var argmax argmin median").split():
    for _axis in (None, 0, 1):
        case(f"{_name}_{_axis}", lambda x, n=_name, a=_axis: getattr(jnp, n)(x, axis=a), "f 8 6")
for _name in ("bitwise_and bitwise_xor left_shift floor_divide gcd").split():
    case(_name, lambda a, b, n=_name: getattr(jnp, n)(a, jnp.abs(b) % 5 + 1), "i 8 6", "i 8 6")
case("cumsum", lambda x: jnp.cumsum(x, 0), "f 8 6")
case("cumprod", lambda x: jnp.cumprod(x, 1), "f 8 6")
case("cummax", lambda x: lax.cummax(x, 0), "f 16 4")
case("cumlogsumexp", lambda x: lax.cumlogsumexp(x, 0, reverse=True), "f 16 4")
case("erf", special.erf, "f 8 6")
case("gammaln", lambda x: special.gammaln(jnp.abs(x) + 0.5), "f 8 6")
case("digamma", lambda x: special.digamma(jnp.abs(x) + 0.5), "f 8 6")
case("betainc", lambda x: special.betainc(2.5, 1.5, jax.nn.sigmoid(x)), "f 8")
case("erf_inv", lambda x: lax.erf_inv(jnp.tanh(x)), "f 8")
case("reduce_precision", lambda x: lax.reduce_precision(x, 5, 3), "f 8 6")
case("population_count", lambda x: lax.population_count(x) + lax.clz(x), "i 8 6")
case("complex", lambda x: (x * x.conj()).real + jnp.angle(x), "c 8 6")
case("where", jnp.where, "b 8 6", "f 8 6", "f 6")
case("select_n", lambda i, a, b, c: lax.select_n(jnp.abs(i) % 3, a, b, c), "i 8 6", "f 8 6", "f 8 6", "f 8 6")

# ---- sorting, searching, counting ----

case("sort", lambda x: jnp.sort(x, 0), "f 8 6")
case("argsort", lambda x: jnp.argsort(x, 1), "f 8 6")
case("sort_pairs", lambda k, v: lax.sort((k, v), num_keys=1), "i 8 6", "f 8 6")
case("top_k", lambda x: lax.top_k(x, 3), "f 8 6")
case("lexsort", lambda a, b: jnp.lexsort((a, b)), "i 12", "i 12")
case("unique", lambda a: jnp.unique(a, size=8), "i 12")
case("searchsorted", lambda a, b: jnp.searchsorted(jnp.sort(a), b), "f 12", "f 7")
case("histogram", lambda a: jnp.histogram(a, 5), "f 12")
case("bincount", lambda a: jnp.bincount(jnp.abs(a), length=9), "i 16")
case("nonzero", lambda a: jnp.nonzero(a > 0, size=6), "f 8")
case("quantile", lambda x: jnp.quantile(x, 0.3, axis=0), "f 8 6")

# ---- products and convolutions ----

case("matmul", jnp.matmul, "f 8 6", "f 6 4")
case("batched", jnp.matmul, "f 4 8 6", "f 4 6 3")
case("einsum", lambda a, b: jnp.einsum("abc,cbd->ad", a, b), "f 4 6 8", "f 8 6 4")
case("einsum_diagonal", lambda a, b: jnp.einsum("ab,ab->a", a, b), "f 8 6", "f 8 6")
case("kron", jnp.kron, "f 2 4", "f 4 2")
case("complex_matmul", jnp.matmul, "c 8 6", "c 6 4")
case("ragged_dot", lambda a, b: lax.ragged_dot(a, b, jnp.array([3, 1, 4], "int32")), "f 8 6", "f 3 6 5")
case("conv", lambda x, k: lax.conv_general_dilated(x, k, (2, 2), "VALID"), "f 2 4 12 12", "f 8 4 3 3")
case("conv_same", lambda x, k: lax.conv_general_dilated(x, k, (1,), "SAME"), "f 4 4 16", "f 8 4 3")
case("conv_dilated", lambda x, k: lax.conv_general_dilated(
    x, k, (1, 1), [(2, 1), (0, 2)], lhs_dilation=(2, 1), rhs_dilation=(1, 2)), "f 2 4 8 8", "f 4 4 3 2")
case("conv_groups", lambda x, k: lax.conv_general_dilated(
    x, k, (1, 1), "SAME", feature_group_count=4), "f 2 8 8 8", "f 8 2 3 3")
case("conv_transpose", lambda x, k: lax.conv_transpose(x, k, (2, 2), "SAME"), "f 2 8 8 4", "f 3 3 4 6")
case("max_pool", lambda x: lax.reduce_window(x, -jnp.inf, lax.max, (1, 3, 3), (1, 2, 2), "SAME"), "f 4 12 12")
case("windows", lambda x: lax.reduce_window(
    x, 0.0, lax.add, (3, 2), (1, 1), ((1, 1), (0, 1)), window_dilation=(2, 1)), "f 8 6")

# ---- moving elements ----

case("gather", lambda x, i: x[jnp.abs(i) % 8], "f 8 6", "i 5")
case("gather_points", lambda x, i, j: x[jnp.abs(i) % 8, jnp.abs(j) % 6], "f 8 6", "i 5", "i 5")
case("take_fill", lambda x, i: jnp.take(x, i, axis=0, mode="fill"), "f 8 6", "i 7")
case("take_along_axis", lambda x, i: jnp.take_along_axis(x, jnp.abs(i) % 6, 1), "f 8 6", "i 8 3")
case("scatter_set", lambda x, i, u: x.at[i].set(u), "f 8 6", "perm 8", "f 8 6")
case("scatter_add", lambda x, i, u: x.at[jnp.abs(i) % 8].add(u), "f 8 6", "i 5", "f 5 6")
case("scatter_max", lambda x, i, u: x.at[:, jnp.abs(i) % 6].max(u), "f 8 6", "i 5", "f 8 5")
case("scatter_drop", lambda x, i, u: x.at[i].add(u, mode="drop"), "f 8 6", "i 5", "f 5 6")
case("segment_sum", lambda x, i: jax.ops.segment_sum(x, jnp.abs(i) % 4, 4), "f 16 6", "i 16")
case("dynamic_slice", lambda x, i: lax.dynamic_slice(x, (i[0], i[1]), (3, 4)), "f 8 6", "i 2")
case("dynamic_update_slice", lambda x, u, i: lax.dynamic_update_slice(x, u, (i[0], i[1])), "f 8 6", "f 3 2", "i 2")
case("slice", lambda x: x[1:7:2, ::-1], "f 8 6")
case("roll", lambda x: jnp.roll(x, (3, -1), (0, 1)), "f 8 6")
case("pad_reflect", lambda x: jnp.pad(x, ((1, 2), (3, 0)), "reflect"), "f 8 6")
case("pad", lambda x: lax.pad(x, 0.5, ((1, 2, 1), (-1, -2, 0))), "f 8 6")
case("concatenate", lambda a, b: jnp.concatenate([a, b], 0), "f 8 6", "f 3 6")
case("repeat", lambda a: jnp.repeat(a, 3, 0), "f 8 6")
case("reshape", lambda a: a.reshape(4, 2, 6).transpose(2, 0, 1).reshape(12, 4), "f 8 6")
case("tril", jnp.tril, "f 8 8")
case("split", lambda x: jnp.split(x, [2, 5]), "f 8 6")
case("resize", lambda x: jax.image.resize(x, (12, 5), "bilinear"), "f 8 6")
case("bits", lambda x: lax.bitcast_convert_type(x, "uint32") ^ jnp.uint32(3), "f 8 6")

# ---- linear algebra, Fourier ----

case("cholesky", jnp.linalg.cholesky, "pd 6 6")
case("solve", jnp.linalg.solve, "pd 6 6", "f 6 4")
case("det", jnp.linalg.det, "pd 6 6")
case("svd", lambda x: jnp.linalg.svd(x, compute_uv=False), "f 8 6")
case("eigvalsh", jnp.linalg.eigvalsh, "pd 6 6")
case("fft", lambda x: jnp.fft.fft(x, axis=0), "c 8 6")
case("rfft2", jnp.fft.rfft2, "f 8 6")
case("irfft", lambda x: jnp.fft.irfft(x, axis=1), "c 8 5")

# ---- layers ----

case("softmax", jax.nn.softmax, "f 8 6")
case("one_hot", lambda i: jax.nn.one_hot(jnp.abs(i) % 7, 7), "i 8")
case("attention", lambda q, k, v: jax.nn.dot_product_attention(q, k, v, is_causal=True),
     "f 2 8 4 6", "f 2 8 2 6", "f 2 8 2 6")

# ---- control flow ----

case("scan", lambda c, x: lax.scan(lambda c, x: (c * 0.5 + x, c.sum()), c, x), "f 6", "f 8 6")
case("nested_scan", lambda x: lax.scan(
    lambda c, r: (c + lax.scan(lambda a, b: (a + b, a * b), r.sum(), r)[1], c.max()), jnp.zeros(6, x.dtype), x), "f 8 6")
case("while", lambda x: lax.while_loop(
    lambda c: c[0] < 5, lambda c: (c[0] + 1, c[1] @ c[1].T / 10), (0, x))[1], "f 8 8")
case("fori", lambda x: lax.fori_loop(0, 4, lambda i, c: c.at[i].add(c[i + 1]), x), "f 8 6")
case("cond", lambda p, x: lax.cond(p.sum() > 0, lambda x: x * 2, lambda x: x.at[0].set(0), x), "f 3", "f 8 6")
case("map", lambda x: lax.map(lambda r: jnp.sort(r) * 2, x), "f 8 6")
case("associative_scan", lambda x: lax.associative_scan(jnp.add, x), "f 16 3")
case("vmapped_while", jax.vmap(lambda x: lax.while_loop(lambda c: c.sum() < 4, lambda c: c + 1, x)), "f 8 3")

# ---- random numbers ----


def _key(k):
    return jax.random.wrap_key_data(k.astype("uint32"))


case("normal", lambda k: jax.random.normal(_key(k), (8, 6)), "i 2")
case("permutation", lambda k: jax.random.permutation(_key(k), 16), "i 2")
case("categorical", lambda k, x: jax.random.categorical(_key(k), x), "i 2", "f 8 6")
