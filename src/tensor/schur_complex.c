// QR iterations on a complex Hessenberg matrix with single shifts (LAPACK's zlahqr). Each sweep
// chases a 2-row bulge down the block until the block's last subdiagonal entry is negligible; then
// the block shrinks from below. Invariant: subdiagonal entries are real, so that the phases of
// Schur vectors are LAPACK's. At most 30 max(n, 10) sweeps per eigenvalue, each O(n^2).
#include "tensor/matrix.h"
#include "tensor/spectral.h"

enum { SWEEPS_PER_ROW = 30, EXCEPTIONAL = 10 };

typedef struct Complex {
  const Precision *precision;
  Wide *h, *z;  // z may be NULL
  int64_t n, low, high;
} Complex;

#define H(i, j) r->h[(i) * r->n + (j)]

static long double size1(Wide x) { return fabsl(x.re) + fabsl(x.im); }

// The square root with a nonnegative real part.
static Wide root(Wide x) {
  if (x.re == 0 && x.im == 0) return wide_of(0);
  long double size = wide_abs(x), part = sqrtl((size + fabsl(x.re)) / 2);
  if (x.re >= 0) return (Wide){part, x.im / (2 * part)};
  return (Wide){fabsl(x.im) / (2 * part), copysignl(part, x.im)};
}

static void scale(Wide *x, int64_t n, int64_t stride, Wide by) {
  for (int64_t i = 0; i < n; i++) x[i * stride] = wide_mul(x[i * stride], by);
}

static void scale_column(Complex *r, int64_t j, int64_t rows, Wide by) {
  scale(&H(0, j), rows, r->n, by);
  if (r->z) scale(r->z + j, r->n, r->n, by);
}

// Makes the subdiagonal real by a diagonal similarity transform.
static void make_real(Complex *r) {
  for (int64_t i = r->low + 1; i <= r->high; i++) {
    Wide x = H(i, i - 1);
    if (x.im == 0) continue;
    Wide phase = wide_scale(x, 1 / wide_abs(x));
    H(i, i - 1) = wide_of(wide_abs(x));
    scale(&H(i, i), r->n - i, 1, wide_conj(phase));
    scale_column(r, i, (i + 1 < r->n - 1 ? i + 1 : r->n - 1) + 1, phase);
  }
}

// The first row of the block that ends at row i: its subdiagonal entry is negligible by the
// criterion of Ahues and Tisseur (1997).
static int64_t block_start(const Complex *r, int64_t i, int64_t first) {
  long double ulp = 2 * r->precision->eps,
              tiny = r->precision->smallest * ((long double)(r->high - r->low + 1) / ulp);
  int64_t k = i;
  for (; k > first; k--) {
    long double beside = size1(H(k, k - 1));
    if (beside <= tiny) break;
    long double sum = size1(H(k - 1, k - 1)) + size1(H(k, k));
    if (sum == 0) {
      if (k - 2 >= r->low) sum += fabsl(H(k - 1, k - 2).re);
      if (k + 1 <= r->high) sum += fabsl(H(k + 1, k).re);
    }
    if (!(fabsl(H(k, k - 1).re) <= ulp * sum)) continue;
    long double above = size1(H(k - 1, k)), corner = size1(H(k, k)),
                difference = size1(wide_sub(H(k - 1, k - 1), H(k, k)));
    long double ab = fmaxl(beside, above), ba = fminl(beside, above);
    long double aa = fmaxl(corner, difference), bb = fminl(corner, difference);
    if (ba * (ab / (aa + ab)) <= fmaxl(tiny, ulp * (bb * (aa / (aa + ab))))) break;
  }
  return k;
}

// Wilkinson's shift: the eigenvalue of the last 2 by 2 block that is nearer to the corner. Every
// tenth try is exceptional, which breaks cycles.
static Wide shift_of(const Complex *r, int64_t l, int64_t i, int64_t tries) {
  if (tries % (2 * EXCEPTIONAL) == 0)
    return wide_add(wide_of(0.75L * fabsl(H(i, i - 1).re)), H(i, i));
  if (tries % EXCEPTIONAL == 0) return wide_add(wide_of(0.75L * fabsl(H(l + 1, l).re)), H(l, l));
  Wide t = H(i, i), u = wide_mul(root(H(i - 1, i)), root(H(i, i - 1)));
  if (size1(u) == 0) return t;
  Wide x = wide_scale(wide_sub(H(i - 1, i - 1), t), 0.5L);
  long double s = fmaxl(size1(u), size1(x));
  Wide xs = wide_scale(x, 1 / s), us = wide_scale(u, 1 / s);
  Wide y = wide_scale(root(wide_add(wide_mul(xs, xs), wide_mul(us, us))), s);
  if (size1(x) > 0 && x.re * y.re + x.im * y.im < 0) y = wide_scale(y, -1);
  return wide_sub(t, wide_mul(u, wide_div(u, wide_add(x, y))));
}

// The row at which the bulge starts: l, or a later row m if the product of H(m, m - 1) and the
// bulge's entry v[1] is negligible. v: the first column of the shifted block.
static int64_t bulge_start(const Complex *r, int64_t l, int64_t i, Wide t, Wide *v) {
  for (int64_t m = i - 1;; m--) {
    Wide h11 = wide_sub(H(m, m), t);
    long double h21 = H(m + 1, m).re, s = size1(h11) + fabsl(h21);
    v[0] = wide_scale(h11, 1 / s);
    v[1] = wide_of(h21 / s);
    if (m == l) return m;
    long double around = size1(H(m, m)) + size1(H(m + 1, m + 1));
    if (fabsl(H(m, m - 1).re) * fabsl(v[1].re) <= 2 * r->precision->eps * size1(v[0]) * around)
      return m;
  }
}

// A bulge that starts inside the block makes a subdiagonal entry complex; phases make it real
// again.
static void fix_phases(Complex *r, int64_t m, int64_t i, Wide tau) {
  Wide t = wide_sub(wide_of(1), tau);
  t = wide_scale(t, 1 / wide_abs(t));
  H(m + 1, m) = wide_mul(H(m + 1, m), wide_conj(t));
  if (m + 2 <= i) H(m + 2, m + 1) = wide_mul(H(m + 2, m + 1), t);
  for (int64_t j = m; j <= i; j++) {
    if (j == m + 1) continue;
    if (r->n - 1 > j) scale(&H(j, j + 1), r->n - 1 - j, 1, t);
    scale_column(r, j, j, wide_conj(t));
  }
}

// One sweep over rows [l, i] whose bulge starts at row m with the column v.
static void sweep(Complex *r, int64_t l, int64_t m, int64_t i, Wide *v) {
  for (int64_t k = m; k < i; k++) {
    if (k > m) {
      v[0] = H(k, k - 1);
      v[1] = H(k + 1, k - 1);
    }
    Wide tau = matrix_reflector(&v[0], v + 1, 1, 1), u[2] = {wide_of(1), v[1]};
    if (k > m) {
      H(k, k - 1) = v[0];
      H(k + 1, k - 1) = wide_of(0);
    }
    int64_t last = k + 2 < i ? k + 2 : i;
    matrix_apply_left((SubMatrix){r->h, r->n, k, k, 2, r->n - k}, u, wide_conj(tau));
    matrix_apply_right((SubMatrix){r->h, r->n, 0, k, last + 1, 2}, u, tau);
    if (r->z) matrix_apply_right((SubMatrix){r->z, r->n, 0, k, r->n, 2}, u, tau);
    if (k == m && m > l) fix_phases(r, m, i, tau);
  }
  Wide x = H(i, i - 1);
  if (x.im == 0) return;
  Wide phase = wide_scale(x, 1 / wide_abs(x));
  H(i, i - 1) = wide_of(wide_abs(x));
  if (r->n - 1 > i) scale(&H(i, i + 1), r->n - 1 - i, 1, wide_conj(phase));
  scale_column(r, i, i, phase);
}

int64_t schur_iterate_complex(const Precision *precision, Wide *h, int64_t n, int64_t low,
                              int64_t high, Wide *w, Wide *z) {
  Complex complex = {precision, h, z, n, low, high}, *r = &complex;
  int64_t rows = high - low + 1, most = SWEEPS_PER_ROW * (rows > 10 ? rows : 10);
  if (rows <= 1) return 0;
  make_real(r);
  for (int64_t i = high; i >= low;) {
    int64_t l = low, tries = 0;
    for (int64_t sweeps = 0;; sweeps++) {
      l = block_start(r, i, l);
      if (l > low) H(l, l - 1) = wide_of(0);
      if (l >= i) break;
      if (sweeps > most) return i + 1;
      Wide v[2];
      int64_t m = bulge_start(r, l, i, shift_of(r, l, i, ++tries), v);
      sweep(r, l, m, i, v);
    }
    w[i] = H(i, i);
    i = l - 1;
  }
  return 0;
}
