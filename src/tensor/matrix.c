// Decompositions of one matrix (Golub and Van Loan, "Matrix Computations"): Cholesky-Banachiewicz,
// substitution, Householder QR, LU with partial pivoting, Hermitian eigenvalues by cyclic Jacobi
// rotations (eigenvectors with LAPACK's signs: spectral.h). All arithmetic is long double, so that
// a result rounded to its element type is nearly always the nearest number.
#include "tensor/matrix.h"

// Row by row: entry (i, j) depends on the entries of rows i and j left of column j.
int64_t matrix_cholesky(const Wide *a, int64_t n, bool lower, Wide *l) {
  for (int64_t i = 0; i < n; i++)
    for (int64_t j = 0; j <= i; j++) {
      Wide sum = lower ? a[i * n + j] : wide_conj(a[j * n + i]);
      for (int64_t k = 0; k < j; k++)
        sum = wide_sub(sum, wide_mul(l[i * n + k], wide_conj(l[j * n + k])));
      if (i == j) {
        if (!(sum.re > 0)) return i + 1;
        l[i * n + i] = wide_of(sqrtl(sum.re));
      } else {
        l[i * n + j] = wide_div(sum, l[j * n + j]);
      }
    }
  return 0;
}

static Wide at(const Triangle *t, int64_t i, int64_t j) {
  Wide v = t->a[i * t->row + j * t->column];
  return t->conjugate ? wide_conj(v) : v;
}

// Forward substitution for a lower triangle, backward for an upper one.
void matrix_substitute(const Triangle *t, Wide *x, int64_t stride) {
  for (int64_t k = 0; k < t->n; k++) {
    int64_t i = t->lower ? k : t->n - 1 - k;
    Wide sum = x[i * stride];
    for (int64_t m = 0; m < k; m++) {
      int64_t j = t->lower ? m : t->n - 1 - m;
      sum = wide_sub(sum, wide_mul(at(t, i, j), x[j * stride]));
    }
    x[i * stride] = t->unit ? sum : wide_div(sum, at(t, i, i));
  }
}

void matrix_reflect(Wide *a, int64_t m, int64_t n, int64_t first, const Wide *vectors,
                    int64_t stride, int64_t column, int64_t row, Wide tau) {
  for (int64_t j = first; j < n; j++) {
    Wide dot = a[row * n + j];
    for (int64_t i = row + 1; i < m; i++)
      dot = wide_add(dot, wide_mul(wide_conj(vectors[i * stride + column]), a[i * n + j]));
    dot = wide_mul(tau, dot);
    a[row * n + j] = wide_sub(a[row * n + j], dot);
    for (int64_t i = row + 1; i < m; i++)
      a[i * n + j] = wide_sub(a[i * n + j], wide_mul(vectors[i * stride + column], dot));
  }
}

Wide matrix_reflector(Wide *alpha, Wide *x, int64_t n, int64_t stride) {
  long double rest = 0;
  for (int64_t i = 0; i < n; i++) rest = hypotl(rest, wide_abs(x[i * stride]));
  if (rest == 0 && alpha->im == 0) return wide_of(0);
  long double beta = -copysignl(hypotl(wide_abs(*alpha), rest), alpha->re);
  Wide tau = {(beta - alpha->re) / beta, -alpha->im / beta};
  Wide scale = wide_div(wide_of(1), wide_sub(*alpha, wide_of(beta)));
  for (int64_t i = 0; i < n; i++) x[i * stride] = wide_mul(x[i * stride], scale);
  *alpha = wide_of(beta);
  return tau;
}

void matrix_apply_left(SubMatrix b, const Wide *v, Wide tau) {
  if (tau.re == 0 && tau.im == 0) return;
  Wide *a = b.a + b.row * b.stride + b.column;
  for (int64_t j = 0; j < b.columns; j++) {
    Wide dot = wide_of(0);
    for (int64_t i = 0; i < b.rows; i++)
      dot = wide_add(dot, wide_mul(wide_conj(v[i]), a[i * b.stride + j]));
    dot = wide_mul(tau, dot);
    for (int64_t i = 0; i < b.rows; i++)
      a[i * b.stride + j] = wide_sub(a[i * b.stride + j], wide_mul(v[i], dot));
  }
}

void matrix_apply_right(SubMatrix b, const Wide *v, Wide tau) {
  if (tau.re == 0 && tau.im == 0) return;
  Wide *a = b.a + b.row * b.stride + b.column;
  for (int64_t i = 0; i < b.rows; i++) {
    Wide dot = wide_of(0);
    for (int64_t j = 0; j < b.columns; j++)
      dot = wide_add(dot, wide_mul(a[i * b.stride + j], v[j]));
    dot = wide_mul(tau, dot);
    for (int64_t j = 0; j < b.columns; j++)
      a[i * b.stride + j] = wide_sub(a[i * b.stride + j], wide_mul(dot, wide_conj(v[j])));
  }
}

// Step c of a QR: the reflector of column c, applied to the columns right of it.
static Wide eliminate(Wide *a, int64_t m, int64_t n, int64_t c) {
  Wide tau = matrix_reflector(&a[c * n + c], a + (c + 1) * n + c, m - c - 1, n);
  if (tau.re != 0 || tau.im != 0) matrix_reflect(a, m, n, c + 1, a, n, c, c, wide_conj(tau));
  return tau;
}

void matrix_qr(Wide *a, int64_t m, int64_t n, Wide *taus) {
  for (int64_t c = 0; c < (m < n ? m : n); c++) taus[c] = eliminate(a, m, n, c);
}

static void swap_columns(Wide *a, int64_t m, int64_t n, int64_t p, int64_t q) {
  for (int64_t i = 0; i < m; i++) {
    Wide t = a[i * n + p];
    a[i * n + p] = a[i * n + q];
    a[i * n + q] = t;
  }
}

static long double column_norm(const Wide *a, int64_t m, int64_t n, int64_t row, int64_t column) {
  long double norm = 0;
  for (int64_t i = row; i < m; i++) norm = hypotl(norm, wide_abs(a[i * n + column]));
  return norm;
}

// Moves the columns that the caller marked (pivots[j] != 0) to the front; returns their number.
static int64_t fixed_columns(Wide *a, int64_t m, int64_t n, int32_t *pivots) {
  int64_t fixed = 0;
  for (int64_t j = 0; j < n; j++) {
    bool marked = pivots[j] != 0;
    pivots[j] = (int32_t)(j + 1);
    if (!marked) continue;
    swap_columns(a, m, n, j, fixed);
    pivots[j] = pivots[fixed];
    pivots[fixed++] = (int32_t)(j + 1);
  }
  return fixed;
}

void matrix_qr_pivoted(Wide *a, int64_t m, int64_t n, int32_t *pivots, Wide *taus,
                       long double *norms, long double tiny) {
  int64_t k = m < n ? m : n, fixed = fixed_columns(a, m, n, pivots);
  long double *exact = norms + n;  // the norm when it was last computed instead of updated
  for (int64_t c = 0; c < k; c++) {
    if (c == fixed || (c == 0 && fixed == 0))
      for (int64_t j = c; j < n; j++) norms[j] = exact[j] = column_norm(a, m, n, c, j);
    int64_t best = c;
    for (int64_t j = c + 1; c >= fixed && j < n; j++)
      if (norms[j] > norms[best]) best = j;
    if (best != c) {
      swap_columns(a, m, n, best, c);
      int32_t t = pivots[best];
      pivots[best] = pivots[c];
      pivots[c] = t;
      norms[best] = norms[c];
      exact[best] = exact[c];
    }
    taus[c] = eliminate(a, m, n, c);
    // Downdate the norms by the row that is done: O(1) each. After too much cancellation, compute.
    for (int64_t j = c + 1; c >= fixed && j < n; j++) {
      if (norms[j] == 0) continue;
      long double gone = wide_abs(a[c * n + j]) / norms[j], left = fmaxl(0, 1 - gone * gone);
      long double lost = norms[j] / exact[j];
      if (left * lost * lost > sqrtl(tiny))
        norms[j] *= sqrtl(left);
      else
        norms[j] = exact[j] = column_norm(a, m, n, c + 1, j);
    }
  }
}

void matrix_lu(Wide *a, int64_t m, int64_t n, int64_t *pivots, int64_t *order) {
  int64_t k = m < n ? m : n;
  for (int64_t i = 0; i < m; i++) order[i] = i;
  for (int64_t c = 0; c < k; c++) {
    int64_t best = c;
    for (int64_t i = c + 1; i < m; i++)
      if (wide_abs(a[i * n + c]) > wide_abs(a[best * n + c])) best = i;
    pivots[c] = best;
    if (best != c) {
      for (int64_t j = 0; j < n; j++) {
        Wide t = a[c * n + j];
        a[c * n + j] = a[best * n + j];
        a[best * n + j] = t;
      }
      int64_t t = order[c];
      order[c] = order[best];
      order[best] = t;
    }
    if (a[c * n + c].re == 0 && a[c * n + c].im == 0)
      continue;  // singular: nothing below to eliminate
    for (int64_t i = c + 1; i < m; i++) {
      Wide f = a[i * n + c] = wide_div(a[i * n + c], a[c * n + c]);
      for (int64_t j = c + 1; j < n; j++)
        a[i * n + j] = wide_sub(a[i * n + j], wide_mul(f, a[c * n + j]));
    }
  }
}

// Jacobi rotation that makes a[p][q] zero, applied to both sides of a and to the columns of v.
static void rotate(Wide *a, Wide *v, int64_t n, int64_t p, int64_t q) {
  long double size = wide_abs(a[p * n + q]);
  if (size == 0) return;
  Wide phase = wide_scale(a[p * n + q], 1 / size);
  long double theta = (a[q * n + q].re - a[p * n + p].re) / (2 * size);
  long double t = copysignl(1, theta) / (fabsl(theta) + hypotl(1, theta)), c = 1 / hypotl(1, t),
              s = t * c;
  Wide up = wide_scale(phase, s), down = wide_scale(wide_conj(phase), s);
  for (int64_t k = 0; k < n; k++) {  // columns of a and v
    Wide x = a[k * n + p], y = a[k * n + q];
    a[k * n + p] = wide_sub(wide_scale(x, c), wide_mul(down, y));
    a[k * n + q] = wide_add(wide_mul(up, x), wide_scale(y, c));
    x = v[k * n + p];
    y = v[k * n + q];
    v[k * n + p] = wide_sub(wide_scale(x, c), wide_mul(down, y));
    v[k * n + q] = wide_add(wide_mul(up, x), wide_scale(y, c));
  }
  for (int64_t k = 0; k < n; k++) {  // rows of a
    Wide x = a[p * n + k], y = a[q * n + k];
    a[p * n + k] = wide_sub(wide_scale(x, c), wide_mul(up, y));
    a[q * n + k] = wide_add(wide_mul(down, x), wide_scale(y, c));
  }
  a[p * n + q] = a[q * n + p] = wide_of(0);
  a[p * n + p].im = a[q * n + q].im = 0;
}

// Each sweep rotates every pair (p, q) once. The off-diagonal norm converges quadratically, so a
// few sweeps suffice.
void matrix_eigh(Wide *a, Wide *v, int64_t n) {
  enum { MOST_SWEEPS = 60 };
  for (int64_t i = 0; i < n * n; i++) v[i] = wide_of(i / n == i % n);
  for (int sweep = 0; sweep < MOST_SWEEPS; sweep++) {
    long double off = 0, all = 0;
    for (int64_t i = 0; i < n; i++)
      for (int64_t j = 0; j < n; j++) {
        long double x = wide_abs(a[i * n + j]);
        all += x * x;
        if (i != j) off += x * x;
      }
    if (!(off > all * 1e-38L)) return;  // squares: 1e-19 is the rounding unit of long double
    for (int64_t p = 0; p < n; p++)
      for (int64_t q = p + 1; q < n; q++) rotate(a, v, n, p, q);
  }
}

void matrix_make_hermitian(Wide *a, int64_t n, bool lower) {
  for (int64_t i = 0; i < n; i++) {
    a[i * n + i].im = 0;
    for (int64_t j = 0; j < i; j++) {
      if (lower)
        a[j * n + i] = wide_conj(a[i * n + j]);
      else
        a[i * n + j] = wide_conj(a[j * n + i]);
    }
  }
}

void matrix_sort_diagonal(const Wide *a, int64_t n, int64_t *order) {
  for (int64_t i = 0; i < n; i++) {  // insertion sort
    int64_t at = i;
    for (; at > 0 && a[order[at - 1] * (n + 1)].re > a[i * (n + 1)].re; at--)
      order[at] = order[at - 1];
    order[at] = i;
  }
}
