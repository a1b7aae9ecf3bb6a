"""Every LAPACK call that JAX makes on CPUs, by our own code and by the provider, against JAX."""

import os
import pathlib

import jax
import jax.numpy as jnp
import jax.scipy.linalg as jsl
import numpy as np
import pytest

import tessera

linalg = jax.lax.linalg
PROVIDER = pathlib.Path(__file__).resolve().parents[2] / "build" / "libtessera_lapack.so"
TYPES = ("f4", "f8", "c8", "c16")


@pytest.fixture(autouse=True)
def x64():
    before = jax.config.jax_enable_x64
    jax.config.update("jax_enable_x64", True)
    yield
    jax.config.update("jax_enable_x64", before)


def matrix(dtype, *shape, seed=0):
    random = np.random.default_rng(seed)
    a = random.normal(size=shape)
    return (a + 1j * random.normal(size=shape) if dtype[0] == "c" else a).astype(dtype)


def hermitian(a):
    return a + jnp.conj(jnp.swapaxes(a, -1, -2))


def runs(function, *operands):
    """What Tessera gives by its own code, then by LAPACK if the provider is built."""
    before = os.environ.get("TESSERA_PROVIDERS")
    try:
        for where in ["none"] + [str(PROVIDER.parent)] * PROVIDER.exists():
            os.environ["TESSERA_PROVIDERS"] = where
            yield tessera.run(function, *operands)
    finally:
        os.environ.pop("TESSERA_PROVIDERS")
        if before is not None:
            os.environ["TESSERA_PROVIDERS"] = before


def same(function, *operands):
    """Tessera's numbers are JAX's, signs included."""
    want = jax.jit(function)(*operands)
    tolerance = 3e-4 if np.asarray(operands[0]).dtype in (np.float32, np.complex64) else 1e-10
    for got in runs(function, *operands):
        for w, g in zip(jax.tree.leaves(want), jax.tree.leaves(got), strict=True):
            w, g = np.asarray(w), np.asarray(g)
            assert w.dtype == g.dtype and w.shape == g.shape
            np.testing.assert_allclose(g, w, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("lower", (True, False))
def test_eigh(dtype, lower):
    for n in (1, 2, 3, 6, 30):
        same(lambda a: linalg.eigh(a, lower=lower, symmetrize_input=False),
             np.asarray(hermitian(matrix(dtype, 3, n, n))))


@pytest.mark.parametrize("dtype", TYPES)
def test_svd(dtype):
    for m, n in ((5, 5), (6, 4), (4, 6), (9, 2), (2, 9), (1, 7), (7, 1)):
        same(lambda a: (linalg.svd(a, full_matrices=True), linalg.svd(a, full_matrices=False),
                        linalg.svd(a, compute_uv=False)), matrix(dtype, 2, m, n))


@pytest.mark.skipif(not hasattr(linalg, "SvdAlgorithm"), reason="this JAX has one algorithm")
@pytest.mark.parametrize("dtype", TYPES)
def test_svd_by_qr(dtype):
    for m, n in ((5, 5), (6, 4), (4, 6), (9, 2)):
        same(lambda a: [linalg.svd(a, compute_uv=v, algorithm=linalg.SvdAlgorithm.QR)
                        for v in (True, False)], matrix(dtype, m, n))


@pytest.mark.parametrize("dtype", TYPES)
def test_eig(dtype):
    for n in (1, 2, 4):
        same(lambda a: (linalg.eig(a), linalg.eig(a, compute_left_eigenvectors=False),
                        jnp.linalg.eigvals(a)), matrix(dtype, 2, n, n))


@pytest.mark.parametrize("dtype", TYPES)
def test_eig_of_larger_matrices(dtype):
    # Signs of pairs of vectors may be those of rounding errors here, so: what defines them.
    a = matrix(dtype, 2, 24, 24)
    tolerance = 1e-3 if dtype in ("f4", "c8") else 1e-10
    for w, left, right in runs(lambda a: linalg.eig(a), a):
        np.testing.assert_allclose(a @ right, right * w[..., None, :], atol=tolerance)
        adjoint = np.conj(np.swapaxes(left, -1, -2))
        np.testing.assert_allclose(adjoint @ a, w[..., :, None] * adjoint, atol=tolerance)


@pytest.mark.parametrize("dtype", TYPES)
def test_schur(dtype):
    # The phases of complex Schur vectors depend on rounding: the form itself is compared.
    a = matrix(dtype, 2, 5, 5)
    want = np.diagonal(jax.jit(lambda a: linalg.schur(a))(a)[0], axis1=-2, axis2=-1)
    tolerance = 1e-4 if dtype in ("f4", "c8") else 1e-11
    for t, q in runs(lambda a: linalg.schur(a), a):
        np.testing.assert_allclose(q @ t @ np.conj(np.swapaxes(q, -1, -2)), a, atol=tolerance)
        np.testing.assert_allclose(np.diagonal(t, axis1=-2, axis2=-1), want, atol=tolerance)
    same(lambda a: abs(linalg.schur(a, compute_schur_vectors=False)[0].diagonal()),
         matrix(dtype, 3, 3))


@pytest.mark.parametrize("dtype", TYPES)
def test_reductions(dtype):
    for n in (2, 3, 6):
        same(lambda a: (linalg.hessenberg(a), jsl.hessenberg(a, calc_q=True),
                        linalg.tridiagonal(hermitian(a), lower=True),
                        linalg.tridiagonal(hermitian(a), lower=False)), matrix(dtype, 2, n, n))


@pytest.mark.parametrize("dtype", TYPES)
def test_pivoted_qr(dtype):
    for m, n in ((4, 4), (6, 3), (3, 6), (1, 3)):
        same(lambda a: linalg.qr(a, pivoting=True), matrix(dtype, 2, m, n))
        same(lambda a: jsl.qr(a, pivoting=True, mode="economic"), matrix(dtype, m, n))


@pytest.mark.skipif(not hasattr(linalg, "ormqr"), reason="this JAX has no ormqr")
@pytest.mark.parametrize("dtype", TYPES)
def test_ormqr(dtype):
    for left in (True, False):
        for transpose in (True, False):
            def apply(a, c, left=left, transpose=transpose):
                packed, taus = linalg.geqrf(a) if hasattr(linalg, "geqrf") else (a, a[..., 0, :] / 9)
                return linalg.ormqr(packed, taus, c, left=left, transpose=transpose)
            c = matrix(dtype, 2, 5, 3, seed=1) if left else matrix(dtype, 2, 3, 5, seed=1)
            same(apply, matrix(dtype, 2, 5, 4), c)


@pytest.mark.parametrize("dtype", TYPES)
def test_functions_of_matrices(dtype):
    # Without negative eigenvalues, at which square roots jump.
    a, b, c = matrix(dtype, 4, 4), matrix(dtype, 3, 3, seed=1), matrix(dtype, 4, 3, seed=2)
    a += 6 * np.eye(4, dtype=dtype)
    same(jsl.sqrtm, a)
    same(lambda a: jsl.funm(a, jnp.sin), a)
    if hasattr(jsl, "solve_sylvester"):
        same(jsl.solve_sylvester, a, b, c)


def test_not_finite_gives_nan():
    for bad in (np.nan, np.inf):
        a = matrix("f8", 4, 4)
        a[1, 2] = bad
        for results in runs(lambda a: (jnp.linalg.eigh(a)[1], jnp.linalg.svd(a)[1],
                                       linalg.eig(a)[0], linalg.schur(a)[0]), a):
            assert all(np.isnan(result).all() for result in results)


def test_extreme_scales():
    for scale in (1e-300, 1e-160, 1e150, 1e300):
        a = matrix("f8", 4, 4) * scale
        same(lambda a: linalg.eigh(hermitian(a))[0], a)
        for function in (lambda a: linalg.eigh(hermitian(a))[1], lambda a: jnp.linalg.svd(a)[1],
                         jnp.linalg.eigvals):
            want = jax.jit(function)(matrix("f8", 4, 4))
            for got in runs(function, a):
                np.testing.assert_allclose(got / scale, want, rtol=1e-10)


def test_evolution_strategy():
    """CMA-ES as evosax has it: each generation samples through the eigenvectors of the last one's
    covariance, so that one other sign changes all that follows."""
    n, population, elite = 6, 16, 8  # an elite of fewer leaves equal eigenvalues: vectors are free
    target = jnp.arange(n, dtype=jnp.float32) / n

    def generation(state, key):
        mean, covariance, sigma = state
        values, vectors = jnp.linalg.eigh(covariance)
        root = vectors * jnp.sqrt(jnp.maximum(values, 1e-9))
        z = jax.random.normal(key, (population, n), dtype=jnp.float32)
        x = mean + sigma * z @ root.T
        best = x[jnp.argsort(jnp.sum((x - target) ** 2, axis=1))[:elite]]
        steps = (best - mean) / sigma
        covariance = 0.8 * covariance + 0.2 * steps.T @ steps / elite
        return (best.mean(axis=0), (covariance + covariance.T) / 2, sigma * 0.95), best[0]

    def evolve(mean):
        keys = jax.random.split(jax.random.key(0), 8)
        start = (mean, jnp.eye(n, dtype=jnp.float32), jnp.float32(0.5))
        return jax.lax.scan(generation, start, keys)

    same(evolve, np.zeros(n, "f4"))
