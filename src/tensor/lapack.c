// lapack_own: LAPACK's routines in long double. matrix.c, tridiagonal.c, bidiagonal.c and schur.c
// have the algorithms. This file converts layouts, scales extreme matrices as LAPACK does, and
// fills in LAPACK's results for operands that are not finite. Results are rounded once.
#include "tensor/lapack.h"

#include <float.h>
#include <string.h>

#include "base/provider.h"
#include "tensor/matrix.h"
#include "tensor/spectral.h"

static Precision precision_of(LapackType type) {
  if (lapack_is_double(type)) return (Precision){DBL_EPSILON / 2, DBL_MIN};
  return (Precision){FLT_EPSILON / 2, FLT_MIN};
}

// ---- layouts ----

static Wide get(LapackType type, const void *data, int64_t i) {
  switch (type) {
  case LAPACK_S: return wide_of(((const float *)data)[i]);
  case LAPACK_D: return wide_of(((const double *)data)[i]);
  case LAPACK_C: return (Wide){((const float *)data)[2 * i], ((const float *)data)[2 * i + 1]};
  case LAPACK_Z: break;
  }
  return (Wide){((const double *)data)[2 * i], ((const double *)data)[2 * i + 1]};
}

static void put_real(LapackType type, void *data, int64_t i, long double x) {
  if (lapack_is_double(type))
    ((double *)data)[i] = (double)x;
  else
    ((float *)data)[i] = (float)x;
}

static void put(LapackType type, void *data, int64_t i, Wide x) {
  if (!lapack_is_complex(type)) {
    put_real(type, data, i, x.re);
    return;
  }
  put_real(type, data, 2 * i, x.re);
  put_real(type, data, 2 * i + 1, x.im);
}

// A column-major matrix of the element type as a row-major one of wide numbers, and back.
static Wide *load(LapackType type, const void *data, int64_t m, int64_t n, const LapackWork *work) {
  Wide *out = TAKE(work, Wide, m * n);
  for (int64_t j = 0; j < n; j++)
    for (int64_t i = 0; i < m; i++) out[i * n + j] = get(type, data, j * m + i);
  return out;
}

static void store(LapackType type, const Wide *a, int64_t m, int64_t n, void *data) {
  for (int64_t j = 0; j < n; j++)
    for (int64_t i = 0; i < m; i++) put(type, data, j * m + i, a[i * n + j]);
}

static void store_all(LapackType type, const Wide *x, int64_t n, void *data) {
  for (int64_t i = 0; i < n; i++) put(type, data, i, x[i]);
}

static void store_real(LapackType type, const long double *x, int64_t n, void *data) {
  for (int64_t i = 0; i < n; i++) put_real(type, data, i, x[i]);
}

// Eigenvalues: of real types first the real, then the imaginary parts.
static void store_values(LapackType type, const Wide *w, int64_t n, void *data) {
  for (int64_t i = 0; i < n; i++) {
    put(type, data, i, w[i]);
    if (!lapack_is_complex(type)) put_real(type, data, n + i, w[i].im);
  }
}

static bool finite_all(const Wide *a, int64_t n) {
  for (int64_t i = 0; i < n; i++)
    if (!isfinite(a[i].re) || !isfinite(a[i].im)) return false;
  return true;
}

static void fill_nan(LapackType type, void *data, int64_t count) {
  for (int64_t i = 0; data && i < count; i++) put(type, data, i, (Wide){NAN, NAN});
}

// Scales a so that its largest entry is neither tiny nor huge in the element type; returns the
// factor.
static long double scale_extreme(const Precision *p, Wide *a, int64_t count) {
  long double most = 0, low = sqrtl(p->smallest) / (2 * p->eps), scale = 1;
  for (int64_t i = 0; i < count; i++) most = fmaxl(most, wide_abs(a[i]));
  if (most > 0 && most < low)
    scale = low / most;
  else if (most > 1 / low)
    scale = 1 / low / most;
  for (int64_t i = 0; scale != 1 && i < count; i++) a[i] = wide_scale(a[i], scale);
  return scale;
}

// ---- routines ----

// Schur form and eigenvalues of a, scaled during the computation.
static int64_t schur(LapackType type, Wide *a, int64_t n, bool balanced, Balance *balance, Wide *w,
                     Wide *q, const LapackWork *work) {
  Precision precision = precision_of(type);
  long double scale = scale_extreme(&precision, a, n * n);
  balance->scale = TAKE(work, long double, n);
  schur_balance(&precision, a, n, balanced, balance);
  int64_t info = schur_reduce(&precision, a, n, !lapack_is_complex(type), balance, w, q, work);
  for (int64_t i = 0; i < n * n; i++) a[i] = wide_scale(a[i], 1 / scale);
  for (int64_t i = 0; i < n; i++) w[i] = wide_scale(w[i], 1 / scale);
  return info;
}

static void store_vectors(LapackType type, const Wide *v, int64_t n, const Wide *w, void *out) {
  bool real = !lapack_is_complex(type);
  for (int64_t j = 0; j < n; j++)
    for (int64_t i = 0; i < n; i++) {
      bool second = real && w[j].im < 0;  // the imaginary part of the pair's first
      put(type, out, j * n + i, second ? wide_of(-v[i * n + j].im) : v[i * n + j]);
    }
}

static int32_t own_geev(LapackType type, char left, char right, int32_t n, void *a, void *w,
                        void *vl, void *vr, const LapackWork *work) {
  enum { NOT_FINITE = -4 };  // jaxlib returns this info without calling LAPACK (operand 4)
  int64_t size = (int64_t)n * n;
  Wide *t = load(type, a, n, n, work), *values = TAKE(work, Wide, n), *v = TAKE(work, Wide, size);
  if (!finite_all(t, size)) {
    fill_nan(type, w, lapack_is_complex(type) ? n : 2 * n);
    if (left == 'V') fill_nan(type, vl, size);
    if (right == 'V') fill_nan(type, vr, size);
    return NOT_FINITE;
  }
  bool vectors = left == 'V' || right == 'V', real = !lapack_is_complex(type);
  Wide *q = vectors ? TAKE(work, Wide, size) : NULL;
  Precision precision = precision_of(type);
  Balance balance;
  int64_t info = schur(type, t, n, true, &balance, values, q, work);
  store_values(type, values, n, w);
  for (int side = 0; side < 2; side++) {
    void *out = side ? vr : vl;
    if ((side ? right : left) != 'V') continue;
    if (info) {
      fill_nan(type, out, size);
      continue;
    }
    schur_vectors(&precision, t, q, n, real, values, side == 0, v, work);
    schur_unbalance(&balance, v, n, side == 0);
    schur_normalize(v, n, real, values);
    store_vectors(type, v, n, values, out);
  }
  return (int32_t)info;
}

static int32_t own_gees(LapackType type, char vectors, int32_t n, void *a, void *w, void *vs,
                        const LapackWork *work) {
  int64_t size = (int64_t)n * n;
  Wide *t = load(type, a, n, n, work), *values = TAKE(work, Wide, n);
  if (!finite_all(t, size)) {
    fill_nan(type, a, size);
    fill_nan(type, w, lapack_is_complex(type) ? n : 2 * n);
    if (vectors == 'V') fill_nan(type, vs, size);
    return n;
  }
  Wide *q = vectors == 'V' ? TAKE(work, Wide, size) : NULL;
  Balance balance;
  int64_t info = schur(type, t, n, false, &balance, values, q, work);
  store(type, t, n, n, a);
  store_values(type, values, n, w);
  if (q) {
    for (int64_t i = balance.low; i <= balance.high; i++)
      if (balance.low < balance.high) balance.scale[i] = 1;
    schur_unbalance(&balance, q, n, false);
    store(type, q, n, n, vs);
  }
  return (int32_t)info;
}

static int32_t own_gehrd(LapackType type, int32_t n, int32_t low, int32_t high, void *a, void *tau,
                         const LapackWork *work) {
  Wide *h = load(type, a, n, n, work), *taus = TAKE(work, Wide, n);
  schur_hessenberg(h, n, low - 1, high - 1, taus, work);
  store(type, h, n, n, a);
  store_all(type, taus, n > 0 ? n - 1 : 0, tau);
  return 0;
}

static int32_t own_sytrd(LapackType type, char uplo, int32_t n, void *a, void *d, void *e,
                         void *tau, const LapackWork *work) {
  bool lower = uplo == 'L';
  Wide *h = load(type, a, n, n, work), *taus = TAKE(work, Wide, n);
  long double *diagonal = TAKE(work, long double, n), *beside = TAKE(work, long double, n);
  matrix_make_hermitian(h, n, lower);
  tridiagonal_reduce(h, n, lower, diagonal, beside, taus, work);
  for (int64_t i = 0; i < n; i++)  // the other triangle stays as it is
    for (int64_t j = 0; j < n; j++)
      if (lower ? j <= i : j >= i) put(type, a, j * n + i, h[i * n + j]);
  int64_t steps = n > 0 ? n - 1 : 0;
  store_real(type, diagonal, n, d);
  store_real(type, beside, steps, e);
  store_all(type, taus, steps, tau);
  return 0;
}

static int32_t own_ormqr(LapackType type, char side, bool adjoint, int32_t m, int32_t n, int32_t k,
                         const void *a, const void *tau, void *c, const LapackWork *work) {
  bool left = side == 'L';
  int64_t rows = left ? m : n;
  const Wide *q = load(type, a, rows, k, work);
  Wide *x = load(type, c, m, n, work), *v = TAKE(work, Wide, rows);
  for (int64_t step = 0; step < k; step++) {
    int64_t i = left == adjoint ? step : k - 1 - step;  // q = h1 h2 … hk
    Wide t = get(type, tau, i);
    if (adjoint) t = wide_conj(t);
    v[0] = wide_of(1);
    for (int64_t r = i + 1; r < rows; r++) v[r - i] = q[r * k + i];
    if (left)
      matrix_apply_left((SubMatrix){x, n, i, 0, rows - i, n}, v, t);
    else
      matrix_apply_right((SubMatrix){x, n, 0, i, m, rows - i}, v, t);
  }
  store(type, x, m, n, c);
  return 0;
}

static int32_t own_geqp3(LapackType type, int32_t m, int32_t n, void *a, int32_t *pivots, void *tau,
                         const LapackWork *work) {
  int64_t k = m < n ? m : n;
  Wide *r = load(type, a, m, n, work), *taus = TAKE(work, Wide, k);
  matrix_qr_pivoted(r, m, n, pivots, taus, TAKE(work, long double, 2 * (int64_t)n),
                    precision_of(type).eps);
  store(type, r, m, n, a);
  store_all(type, taus, k, tau);
  return 0;
}

static int32_t own_syevd(LapackType type, char uplo, int32_t n, void *a, void *w,
                         const LapackWork *work) {
  bool lower = uplo == 'L';
  int64_t size = (int64_t)n * n;
  Wide *h = load(type, a, n, n, work), *taus = TAKE(work, Wide, n), *z = TAKE(work, Wide, size);
  long double *d = TAKE(work, long double, n), *e = TAKE(work, long double, n),
              *vectors = TAKE(work, long double, size);
  matrix_make_hermitian(h, n, lower);
  if (!finite_all(h, size)) {
    fill_nan(type, a, size);
    for (int64_t i = 0; i < n; i++) put_real(type, w, i, NAN);
    return n;
  }
  Precision precision = precision_of(type);
  tridiagonal_reduce(h, n, lower, d, e, taus, work);
  int64_t info = tridiagonal_eigh(&precision, n, d, e, vectors, work);
  for (int64_t i = 0; i < size; i++) z[i] = wide_of(vectors[i]);
  tridiagonal_expand(h, n, lower, taus, z, work);
  store(type, z, n, n, a);
  store_real(type, d, n, w);
  return (int32_t)info;
}

// The number of rows (columns) from which LAPACK computes a QR (LQ) first.
static int64_t qr_from(LapackType type, bool divide, int64_t k) {
  if (!divide) return (int64_t)((float)k * 1.6f);
  return lapack_is_complex(type) ? k * 17 / 9 : k * 11 / 6;
}

static int32_t own_svd(LapackType type, bool divide, char mode, int32_t m, int32_t n, void *a,
                       void *s, void *u, void *vt, const LapackWork *work) {
  enum { NOT_FINITE = -4 };
  int64_t k = m < n ? m : n, size = (int64_t)m * n;
  bool vectors = mode != 'N';
  int64_t u_columns = mode == 'A' ? m : k, vt_rows = mode == 'A' ? n : k;
  Wide *x = load(type, a, m, n, work), *left = NULL, *right = NULL;
  if (!finite_all(x, size)) {
    for (int64_t i = 0; i < k; i++) put_real(type, s, i, NAN);
    if (vectors) fill_nan(type, u, m * u_columns);
    if (vectors) fill_nan(type, vt, vt_rows * n);
    return NOT_FINITE;
  }
  if (vectors) {
    left = TAKE(work, Wide, m * u_columns);
    right = TAKE(work, Wide, vt_rows * n);
  }
  Precision precision = precision_of(type);
  long double *values = TAKE(work, long double, k), scale = scale_extreme(&precision, x, size);
  int64_t info = bidiagonal_svd(&precision, x, m, n, qr_from(type, divide, k), divide, values, left,
                                u_columns, right, vt_rows, work);
  for (int64_t i = 0; i < k; i++) put_real(type, s, i, values[i] / scale);
  if (vectors) store(type, left, m, u_columns, u);
  if (vectors) store(type, right, vt_rows, n, vt);
  return (int32_t)info;
}

const LapackEngine lapack_own = {.version = LAPACK_VERSION,
                                 .name = "own",
                                 .geev = own_geev,
                                 .gees = own_gees,
                                 .gehrd = own_gehrd,
                                 .sytrd = own_sytrd,
                                 .ormqr = own_ormqr,
                                 .geqp3 = own_geqp3,
                                 .syevd = own_syevd,
                                 .svd = own_svd};

const LapackEngine *lapack_engine(void) {
  const LapackEngine *found = provider_find(LAPACK_PROVIDER, LAPACK_SYMBOL);
  return found && found->version == LAPACK_VERSION ? found : &lapack_own;
}
