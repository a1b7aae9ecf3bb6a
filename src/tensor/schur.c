// Problem: eigenvalues, eigenvectors and Schur form of a general matrix, with LAPACK's signs.
//
// Idea (geev, gees; Golub and Van Loan, chapter 7): balance (gebal), reduce to Hessenberg form
// (gehrd), iterate to Schur form (schur_real.c, schur_complex.c), compute eigenvectors of the
// triangular matrix by substitution (trevc), normalize them.
//
// Signs of Schur vectors depend on the steps of the iteration. These are lahqr's; above 75 rows
// LAPACK uses laqr0, so signs may differ there. O(n^3).
#include <string.h>

#include "tensor/matrix.h"
#include "tensor/spectral.h"

// ---- balancing ----

static void swap(Wide *a, Wide *b, int64_t n, int64_t stride) {
  for (int64_t i = 0; i < n * stride; i += stride) {
    Wide t = a[i];
    a[i] = b[i];
    b[i] = t;
  }
}

// Swaps rows p and q and columns p and q, except for entries that are known to be zero.
static void swap_both(Wide *a, int64_t n, int64_t p, int64_t q, int64_t low, int64_t high) {
  if (p == q) return;
  swap(a + p, a + q, high + 1, n);
  swap(a + p * n + low, a + q * n + low, n - low, 1);
}

static bool is_zero(Wide x) { return x.re == 0 && x.im == 0; }

// Is row (column) i zero within [low, high] except on the diagonal? Then a[i][i] is an eigenvalue.
static bool isolated(const Wide *a, int64_t n, int64_t i, bool row, int64_t low, int64_t high) {
  for (int64_t j = low; j <= high; j++)
    if (j != i && !is_zero(row ? a[i * n + j] : a[j * n + i])) return false;
  return true;
}

// Moves rows that isolate an eigenvalue to the bottom and columns that do to the left.
static void permute(Wide *a, int64_t n, Balance *b) {
  b->low = 0;
  b->high = n - 1;
  for (int64_t i = b->high; i >= 0; i--) {
    if (!isolated(a, n, i, true, 0, b->high)) continue;
    b->scale[b->high] = (long double)i;
    swap_both(a, n, i, b->high, 0, b->high);
    if (b->high == 0) return;
    i = b->high--;  // start over: the swap may isolate another row
  }
  for (int64_t i = b->low; i <= b->high; i++) {
    if (!isolated(a, n, i, false, b->low, b->high)) continue;
    b->scale[b->low] = (long double)i;
    swap_both(a, n, i, b->low, b->low, b->high);
    i = b->low++;
  }
}

static long double norm_of(const Wide *x, int64_t n, int64_t stride, bool largest) {
  long double norm = 0;
  for (int64_t i = 0; i < n * stride; i += stride)
    norm = largest ? fmaxl(norm, wide_abs(x[i])) : hypotl(norm, wide_abs(x[i]));
  return norm;
}

// The power of two that multiplies column i and divides row i, so that their norms become similar.
// 1 if that reduces the sum of the norms by less than 5 %.
static long double balancing_factor(const Precision *precision, const Wide *a, int64_t n, int64_t i,
                                    const Balance *b) {
  long double tiny = precision->smallest / (2 * precision->eps) * 2, huge = 1 / tiny;
  int64_t size = b->high - b->low + 1;
  long double c = norm_of(a + b->low * n + i, size, n, false);
  long double r = norm_of(a + i * n + b->low, size, 1, false);
  long double most_c = norm_of(a + i, b->high + 1, n, true);
  long double most_r = norm_of(a + i * n + b->low, n - b->low, 1, true);
  if (c == 0 || r == 0) return 1;
  long double f = 1, sum = c + r;
  while (c < r / 2 && fmaxl(f, fmaxl(c, most_c)) < huge && fminl(r / 2, most_r) > tiny) {
    f *= 2, c *= 2, most_c *= 2;
    r /= 2, most_r /= 2;
  }
  while (c / 2 >= r && fmaxl(r, most_r) < huge && fminl(f, fminl(c / 2, most_c)) > tiny) {
    f /= 2, c /= 2, most_c /= 2;
    r *= 2, most_r *= 2;
  }
  long double scale = b->scale[i];
  if (c + r >= 0.95L * sum || (f < 1 && scale < 1 && f * scale <= tiny / 2) ||
      (f > 1 && scale > 1 && scale >= 2 * huge / f))
    return 1;
  return f;
}

void schur_balance(const Precision *precision, Wide *a, int64_t n, bool scaled, Balance *b) {
  if (n == 0) {
    b->low = 0;
    b->high = -1;
    return;
  }
  permute(a, n, b);
  for (int64_t i = b->low; i <= b->high && b->low < b->high; i++) b->scale[i] = 1;
  enum { MOST_SWEEPS = 1000 };  // LAPACK has no limit; each sweep reduces a norm by 5 % or more
  bool moved = scaled && b->low < b->high;
  for (int sweep = 0; moved && sweep < MOST_SWEEPS; sweep++) {
    moved = false;
    for (int64_t i = b->low; i <= b->high; i++) {
      long double f = balancing_factor(precision, a, n, i, b);
      if (f == 1) continue;
      b->scale[i] *= f;
      moved = true;
      for (int64_t j = b->low; j < n; j++) a[i * n + j] = wide_scale(a[i * n + j], 1 / f);
      for (int64_t j = 0; j <= b->high; j++) a[j * n + i] = wide_scale(a[j * n + i], f);
    }
  }
}

void schur_unbalance(const Balance *b, Wide *v, int64_t n, bool left) {
  for (int64_t i = b->low; i <= b->high && b->low < b->high; i++)
    for (int64_t j = 0; j < n; j++)
      v[i * n + j] = wide_scale(v[i * n + j], left ? 1 / b->scale[i] : b->scale[i]);
  for (int64_t i = b->low - 1; i >= 0; i--) swap(v + i * n, v + (int64_t)b->scale[i] * n, n, 1);
  for (int64_t i = b->high + 1; i < n; i++) swap(v + i * n, v + (int64_t)b->scale[i] * n, n, 1);
}

// ---- Hessenberg form ----

void schur_hessenberg(Wide *a, int64_t n, int64_t low, int64_t high, Wide *taus,
                      const LapackWork *work) {
  Wide *v = TAKE(work, Wide, n);
  for (int64_t i = 0; i + 1 < n; i++) taus[i] = wide_of(0);
  for (int64_t i = low; i < high; i++) {
    int64_t size = high - i;
    Wide alpha = a[(i + 1) * n + i];
    taus[i] = matrix_reflector(&alpha, a + (i + 2) * n + i, size - 1, n);
    v[0] = wide_of(1);
    for (int64_t k = 1; k < size; k++) v[k] = a[(i + 1 + k) * n + i];
    matrix_apply_right((SubMatrix){a, n, 0, i + 1, high + 1, size}, v, taus[i]);
    matrix_apply_left((SubMatrix){a, n, i + 1, i + 1, size, n - i - 1}, v, wide_conj(taus[i]));
    a[(i + 1) * n + i] = alpha;
  }
}

// q [n,n] = the product of the reflectors of schur_hessenberg.
static void form_q(const Wide *a, int64_t n, int64_t low, int64_t high, const Wide *taus, Wide *q,
                   const LapackWork *work) {
  Wide *v = TAKE(work, Wide, n);
  for (int64_t i = 0; i < n * n; i++) q[i] = wide_of(i / n == i % n);
  for (int64_t i = high - 1; i >= low; i--) {
    v[0] = wide_of(1);
    for (int64_t k = 1; k < high - i; k++) v[k] = a[(i + 1 + k) * n + i];
    matrix_apply_left((SubMatrix){q, n, i + 1, i + 1, high - i, n - i - 1}, v, taus[i]);
  }
}

static long double *real_parts(const Wide *a, int64_t count, const LapackWork *work) {
  long double *out = TAKE(work, long double, count);
  for (int64_t i = 0; i < count; i++) out[i] = a[i].re;
  return out;
}

int64_t schur_reduce(const Precision *precision, Wide *a, int64_t n, bool real,
                     const Balance *balance, Wide *w, Wide *q, const LapackWork *work) {
  int64_t low = balance->low, high = balance->high;
  Wide *taus = TAKE(work, Wide, n);
  schur_hessenberg(a, n, low, high, taus, work);
  if (q) form_q(a, n, low, high, taus, q, work);
  for (int64_t i = 0; i < n; i++) {
    for (int64_t j = 0; j + 1 < i; j++) a[i * n + j] = wide_of(0);
    w[i] = a[i * n + i];
  }
  if (!real) return schur_iterate_complex(precision, a, n, low, high, w, q);
  long double *h = real_parts(a, n * n, work), *z = q ? real_parts(q, n * n, work) : NULL;
  int64_t info = schur_iterate_real(precision, h, n, low, high, w, z);
  for (int64_t i = 0; i < n * n; i++) {
    a[i] = wide_of(h[i]);
    if (q) q[i] = wide_of(z[i]);
  }
  return info;
}

// ---- eigenvectors ----

// The triangular system (t - w) x = 0, or its adjoint, for the eigenvector x of eigenvalue w.
typedef struct Solve {
  const Wide *t;
  int64_t n;
  bool real, left;
  Wide w;
  long double least;  // replaces smaller pivots: equal eigenvalues would divide by 0
  Wide *x;
} Solve;

// Entry (i, j) of t - w, or of its adjoint for left vectors.
static Wide entry(const Solve *s, int64_t i, int64_t j) {
  Wide x = s->left ? wide_conj(s->t[j * s->n + i]) : s->t[i * s->n + j];
  return i == j ? wide_sub(x, s->left ? wide_conj(s->w) : s->w) : x;
}

static long double size1(Wide x) { return fabsl(x.re) + fabsl(x.im); }

static Wide pivot(const Solve *s, Wide x) { return size1(x) < s->least ? wide_of(s->least) : x; }

// Solves rows i and i + 1 together: a 2 by 2 block, with partial pivoting.
static void solve_pair(const Solve *s, int64_t i) {
  Wide a = entry(s, i, i), b = entry(s, i, i + 1), c = entry(s, i + 1, i),
       d = entry(s, i + 1, i + 1), x = s->x[i], y = s->x[i + 1];
  bool swapped = size1(c) > size1(a);
  if (swapped) {
    Wide t = a;
    a = c, c = t;
    t = b;
    b = d, d = t;
    t = x;
    x = y, y = t;
  }
  a = pivot(s, a);
  Wide f = wide_div(c, a);
  Wide y_out = wide_div(wide_sub(y, wide_mul(f, x)), pivot(s, wide_sub(d, wide_mul(f, b))));
  s->x[i + 1] = y_out;
  s->x[i] = wide_div(wide_sub(x, wide_mul(b, y_out)), a);
}

// Scales x down before it overflows: many nearly equal eigenvalues make it grow exponentially.
static void rescale(const Solve *s, int64_t i) {
  long double size = size1(s->x[i]);
  if (!(size > 1e1000L)) return;
  for (int64_t k = 0; k < s->n; k++) s->x[k] = wide_scale(s->x[k], 1 / size);
}

// Computes the eigenvector of block [first, last] by substitution. Entries first to last are set on
// entry. Right vectors continue upwards, left vectors downwards.
static void substitute(const Solve *s, int64_t first, int64_t last) {
  int64_t n = s->n, step = s->left ? 1 : -1;
  for (int64_t k = s->left ? last + 1 : 0; k < (s->left ? n : first); k++) {
    s->x[k] = wide_of(0);
    for (int64_t b = first; b <= last; b++)
      s->x[k] = wide_sub(s->x[k], wide_mul(entry(s, k, b), s->x[b]));
  }
  for (int64_t i = s->left ? last + 1 : first - 1; i >= 0 && i < n; i += step) {
    int64_t other = i + step;
    bool two = s->real && other >= 0 && other < n &&
               !is_zero(s->t[(i > other ? i : other) * n + (i > other ? other : i)]);
    if (two)
      solve_pair(s, i < other ? i : other);
    else
      s->x[i] = wide_div(s->x[i], pivot(s, entry(s, i, i)));
    rescale(s, i);
    if (two) rescale(s, other);
    for (int64_t b = i;; b = other) {
      for (int64_t k = (two ? other : i) + step; s->left ? k < n : k >= 0; k += step)
        s->x[k] = wide_sub(s->x[k], wide_mul(entry(s, k, b), s->x[b]));
      if (!two || b == other) break;
    }
    if (two) i = other;
  }
}

void schur_vectors(const Precision *precision, const Wide *t, const Wide *q, int64_t n, bool real,
                   const Wide *w, bool left, Wide *v, const LapackWork *work) {
  Wide *x = TAKE(work, Wide, n);
  long double ulp = 2 * precision->eps, floor = precision->smallest * ((long double)n / ulp);
  for (int64_t j = 0; j < n; j++) {
    bool two = real && w[j].im != 0 && j + 1 < n;
    Solve s = {t, n, real, left, w[j], fmaxl(ulp * size1(w[j]), floor), x};
    memset(x, 0, sizeof *x * (size_t)n);
    if (two) {
      // The vector of a standardized 2 by 2 block [[a,b],[c,a]], b c < 0, scaled as trevc does.
      long double b = t[j * n + j + 1].re, c = t[(j + 1) * n + j].re, im = w[j].im;
      bool first = fabsl(b) >= fabsl(c);
      if (left) {
        x[j] = wide_of(first ? im / b : 1);
        x[j + 1] = (Wide){0, first ? 1 : -im / c};
      } else {
        x[j] = wide_of(first ? 1 : -im / c);
        x[j + 1] = (Wide){0, first ? im / b : 1};
      }
    } else {
      x[j] = wide_of(1);
    }
    substitute(&s, j, two ? j + 1 : j);
    for (int64_t i = 0; i < n; i++) {
      Wide sum = wide_of(0);
      for (int64_t k = 0; k < n; k++) sum = wide_add(sum, wide_mul(q[i * n + k], x[k]));
      v[i * n + j] = sum;
      if (two) v[i * n + j + 1] = wide_conj(sum);
    }
    if (two) j++;
  }
}

void schur_normalize(Wide *v, int64_t n, bool real, const Wide *w) {
  for (int64_t j = 0; j < n; j++) {
    bool phase = !real || w[j].im != 0;
    long double norm = norm_of(v + j, n, n, false), most = -1;
    int64_t at = 0;
    for (int64_t i = 0; i < n; i++) {
      Wide *x = &v[i * n + j];
      *x = wide_scale(*x, 1 / norm);
      long double square = x->re * x->re + x->im * x->im;
      if (square > most) {
        most = square;
        at = i;
      }
    }
    if (!phase || n == 0) continue;
    // Complex types: the largest component becomes positive. Conjugate pairs of real types: it
    // becomes real and keeps the sign of its real part.
    Wide largest = v[at * n + j], turn = wide_scale(wide_conj(largest), 1 / wide_abs(largest));
    if (real) {
      Rotation r = spectral_rotation(largest.re, largest.im);
      turn = (Wide){r.c, -r.s};
    }
    for (int64_t i = 0; i < n; i++) v[i * n + j] = wide_mul(v[i * n + j], turn);
    v[at * n + j].im = 0;
    if (!real) continue;
    for (int64_t i = 0; i < n; i++) v[i * n + j + 1] = wide_conj(v[i * n + j]);
    j++;
  }
}
