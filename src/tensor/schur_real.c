// QR iterations on a real Hessenberg matrix with Francis' double shifts (LAPACK's lahqr). Each
// sweep chases a 3-row bulge down the block until one of the block's last two subdiagonal entries
// is negligible (criterion of Ahues and Tisseur 1997); then the block shrinks from below. Remaining
// 2 by 2 blocks are standardized (lanv2): equal diagonal entries, the others of opposite signs. At
// most 30 max(n, 10) sweeps per eigenvalue or pair, each O(n^2).
#include "tensor/matrix.h"
#include "tensor/spectral.h"

enum { SWEEPS_PER_ROW = 30, EXCEPTIONAL = 10 };

typedef struct Real {
  const Precision *precision;
  long double *h, *z;  // z may be NULL
  int64_t n, low, high;
} Real;

#define H(i, j) r->h[(i) * r->n + (j)]

// ---- 2 by 2 blocks ----

// The standardized block [[a,b],[c,d]] and the rotation (cs, sn) that makes it.
typedef struct Standard {
  long double a, b, c, d, cs, sn;
} Standard;

// For complex or nearly equal real eigenvalues: makes the diagonal entries equal. If the
// eigenvalues turn out to be real, makes the block triangular.
static void equalize(Standard *s) {
  long double sigma = s->b + s->c, difference = s->a - s->d, tau = hypotl(sigma, difference);
  long double cs = sqrtl((1 + fabsl(sigma) / tau) / 2),
              sn = -(difference / 2 / (tau * cs)) * copysignl(1, sigma);
  long double aa = s->a * cs + s->b * sn, bb = -s->a * sn + s->b * cs, cc = s->c * cs + s->d * sn,
              dd = -s->c * sn + s->d * cs;
  long double a = aa * cs + cc * sn, b = bb * cs + dd * sn, c = -aa * sn + cc * cs,
              d = -bb * sn + dd * cs, middle = (a + d) / 2;
  *s = (Standard){middle, b, c, middle, cs, sn};
  if (c == 0) return;
  if (b == 0) {
    *s = (Standard){middle, -c, 0, middle, -sn, cs};
  } else if (signbit(b) == signbit(c)) {
    long double root_b = sqrtl(fabsl(b)), root_c = sqrtl(fabsl(c)),
                p = copysignl(root_b * root_c, c), scale = 1 / sqrtl(fabsl(b + c));
    long double cs1 = root_b * scale, sn1 = root_c * scale;
    *s = (Standard){middle + p, b - c, 0, middle - p, cs * cs1 - sn * sn1, cs * sn1 + sn * cs1};
  }
}

static Standard standardize(long double a, long double b, long double c, long double d,
                            long double eps) {
  Standard s = {a, b, c, d, 1, 0};
  if (c == 0) return s;
  if (b == 0) return (Standard){d, -c, 0, a, 0, 1};
  if (a - d == 0 && signbit(b) != signbit(c)) return s;
  long double p = (a - d) / 2, most = fmaxl(fabsl(b), fabsl(c)),
              least = fminl(fabsl(b), fabsl(c)) * copysignl(1, b) * copysignl(1, c);
  long double scale = fmaxl(fabsl(p), most), z = p / scale * p + most / scale * least;
  if (!(z >= 4 * 2 * eps)) {
    equalize(&s);
    return s;
  }
  z = p + copysignl(sqrtl(scale) * sqrtl(z), p);
  long double tau = hypotl(c, z);
  return (Standard){d + z, b - c, 0, d - most / z * least, z / tau, c / tau};
}

// Standardizes the converged block of rows i - 1 and i and stores its eigenvalues.
static void finish_pair(Real *r, int64_t i, Wide *w) {
  Standard s = standardize(H(i - 1, i - 1), H(i - 1, i), H(i, i - 1), H(i, i), r->precision->eps);
  H(i - 1, i - 1) = s.a;
  H(i - 1, i) = s.b;
  H(i, i - 1) = s.c;
  H(i, i) = s.d;
  long double im = s.c == 0 ? 0 : sqrtl(fabsl(s.b)) * sqrtl(fabsl(s.c));
  w[i - 1] = (Wide){s.a, im};
  w[i] = (Wide){s.d, -im};
  spectral_rotate(&H(i - 1, i + 1), &H(i, i + 1), r->n - i - 1, 1, s.cs, s.sn);
  spectral_rotate(&H(0, i - 1), &H(0, i), i - 1, r->n, s.cs, s.sn);
  if (r->z) spectral_rotate(r->z + i - 1, r->z + i, r->n, r->n, s.cs, s.sn);
}

// ---- sweeps ----

// The first row of the block that ends at row i: its subdiagonal entry is negligible.
static int64_t block_start(const Real *r, int64_t i, int64_t first) {
  long double ulp = 2 * r->precision->eps,
              tiny = r->precision->smallest * ((long double)(r->high - r->low + 1) / ulp);
  int64_t k = i;
  for (; k > first; k--) {
    long double beside = fabsl(H(k, k - 1));
    if (beside <= tiny) break;
    long double sum = fabsl(H(k - 1, k - 1)) + fabsl(H(k, k));
    if (sum == 0) {
      if (k - 2 >= r->low) sum += fabsl(H(k - 1, k - 2));
      if (k + 1 <= r->high) sum += fabsl(H(k + 1, k));
    }
    if (!(beside <= ulp * sum)) continue;
    long double ab = fmaxl(beside, fabsl(H(k - 1, k))), ba = fminl(beside, fabsl(H(k - 1, k)));
    long double difference = fabsl(H(k - 1, k - 1) - H(k, k));
    long double aa = fmaxl(fabsl(H(k, k)), difference), bb = fminl(fabsl(H(k, k)), difference);
    if (ba * (ab / (aa + ab)) <= fmaxl(tiny, ulp * (bb * (aa / (aa + ab))))) break;
  }
  return k;
}

// The two shifts: the eigenvalues of the last 2 by 2 block if complex, else twice the real one that
// is nearer to the corner. Every tenth try is exceptional, which breaks cycles.
static void shifts(const Real *r, int64_t l, int64_t i, int64_t tries, Wide *first, Wide *second) {
  long double h11 = H(i - 1, i - 1), h21 = H(i, i - 1), h12 = H(i - 1, i), h22 = H(i, i);
  if (tries % (2 * EXCEPTIONAL) == 0) {
    h21 = fabsl(H(i, i - 1)) + fabsl(H(i - 1, i - 2));
    h11 = h22 = 0.75L * h21 + H(i, i);
    h12 = -0.4375L * h21;
  } else if (tries % EXCEPTIONAL == 0) {
    h21 = fabsl(H(l + 1, l)) + fabsl(H(l + 2, l + 1));
    h11 = h22 = 0.75L * h21 + H(l, l);
    h12 = -0.4375L * h21;
  }
  long double s = fabsl(h11) + fabsl(h12) + fabsl(h21) + fabsl(h22);
  *first = *second = wide_of(0);
  if (s == 0) return;
  h11 /= s, h12 /= s, h21 /= s, h22 /= s;
  long double middle = (h11 + h22) / 2, det = (h11 - middle) * (h22 - middle) - h12 * h21,
              root = sqrtl(fabsl(det));
  if (det >= 0) {
    *first = (Wide){middle * s, root * s};
    *second = wide_conj(*first);
  } else {
    long double high = middle + root, low = middle - root;
    *first = *second = wide_of((fabsl(high - h22) <= fabsl(low - h22) ? high : low) * s);
  }
}

// The row at which the bulge starts: l, or a later row m if the product of two consecutive small
// entries above it is negligible. v: the first column of the shifted block.
static int64_t bulge_start(const Real *r, int64_t l, int64_t i, Wide a, Wide b, long double *v) {
  long double ulp = 2 * r->precision->eps;
  for (int64_t m = i - 2;; m--) {
    long double s = fabsl(H(m, m) - b.re) + fabsl(b.im) + fabsl(H(m + 1, m)), h = H(m + 1, m) / s;
    v[0] = h * H(m, m + 1) + (H(m, m) - a.re) * ((H(m, m) - b.re) / s) - a.im * (b.im / s);
    v[1] = h * (H(m, m) + H(m + 1, m + 1) - a.re - b.re);
    v[2] = h * H(m + 2, m + 1);
    s = fabsl(v[0]) + fabsl(v[1]) + fabsl(v[2]);
    for (int k = 0; k < 3; k++) v[k] /= s;
    if (m == l) return m;
    long double around = fabsl(H(m - 1, m - 1)) + fabsl(H(m, m)) + fabsl(H(m + 1, m + 1));
    if (fabsl(H(m, m - 1)) * (fabsl(v[1]) + fabsl(v[2])) <= ulp * fabsl(v[0]) * around) return m;
  }
}

// x -= t (v . x) v for three (or two) neighbours at a distance.
static void reflect(long double *x, int64_t distance, int size, const long double *v,
                    long double t) {
  long double sum = x[0];
  for (int k = 1; k < size; k++) sum += v[k] * x[k * distance];
  sum *= t;
  x[0] -= sum;
  for (int k = 1; k < size; k++) x[k * distance] -= sum * v[k];
}

// One sweep over rows [l, i], whose bulge starts at row m.
static void sweep(Real *r, int64_t l, int64_t m, int64_t i, long double *start) {
  for (int64_t k = m; k < i; k++) {
    int size = i - k + 1 < 3 ? 2 : 3;
    Wide v[3];
    for (int s = 0; s < size; s++) v[s] = wide_of(k > m ? H(k + s, k - 1) : start[s]);
    long double tau = matrix_reflector(&v[0], v + 1, size - 1, 1).re;
    if (k > m) {
      H(k, k - 1) = v[0].re;
      for (int s = 1; s < size; s++) H(k + s, k - 1) = 0;
    } else if (m > l) {
      H(k, k - 1) *= 1 - tau;
    }
    long double u[3] = {1, v[1].re, size == 3 ? v[2].re : 0};
    int64_t last = k + 3 < i ? k + 3 : i;
    for (int64_t j = k; j < r->n; j++) reflect(&H(k, j), r->n, size, u, tau);
    for (int64_t j = 0; j <= last; j++) reflect(&H(j, k), 1, size, u, tau);
    for (int64_t j = 0; r->z && j < r->n; j++) reflect(r->z + j * r->n + k, 1, size, u, tau);
  }
}

int64_t schur_iterate_real(const Precision *precision, long double *h, int64_t n, int64_t low,
                           int64_t high, Wide *w, long double *z) {
  Real real = {precision, h, z, n, low, high}, *r = &real;
  int64_t rows = high - low + 1, most = SWEEPS_PER_ROW * (rows > 10 ? rows : 10);
  if (rows <= 1) return 0;
  for (int64_t i = high; i >= low;) {
    int64_t l = low, tries = 0, sweeps = 0;
    for (;; sweeps++) {
      l = block_start(r, i, l);
      if (l > low) H(l, l - 1) = 0;
      if (l >= i - 1) break;
      if (sweeps > most) return i + 1;
      Wide first, second;
      long double v[3];
      shifts(r, l, i, ++tries, &first, &second);
      int64_t m = bulge_start(r, l, i, first, second, v);
      sweep(r, l, m, i, v);
    }
    if (l == i)
      w[i] = wide_of(H(i, i));
    else
      finish_pair(r, i, w);
    i = l - 1;
  }
  return 0;
}
