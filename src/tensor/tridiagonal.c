// Problem: eigenvalues and eigenvectors of a Hermitian matrix, with LAPACK's signs.
//
// Idea: an eigenvector's sign depends on the algorithm, so the algorithm is LAPACK's. Householder
// reflections reduce the matrix to tridiagonal form (sytrd). Up to 25 rows, implicit QL or QR with
// Wilkinson's shift diagonalizes it (steqr). Above, Cuppen's divide and conquer splits it in two by
// a rank-1 change, with Gu and Eisenstat's vectors (stedc, laed0-3).
//
// Invariant: an entry is negligible if it is in the element type, not in long double; an iteration
// that stops one step later may flip a sign. O(n^3).
#include <string.h>

#include "tensor/matrix.h"
#include "tensor/spectral.h"

enum { LEAF = 25, SWEEPS_PER_VALUE = 30 };  // LAPACK's SMLSIZ and MAXIT

Rotation spectral_rotation(long double f, long double g) {
  if (g == 0) return (Rotation){1, 0, f};
  if (f == 0) return (Rotation){0, copysignl(1, g), fabsl(g)};
  long double d = hypotl(f, g), r = copysignl(d, f);
  return (Rotation){fabsl(f) / d, g / r, r};
}

void spectral_rotate(long double *x, long double *y, int64_t n, int64_t stride, long double c,
                     long double s) {
  if (c == 1 && s == 0) return;
  for (int64_t i = 0; i < n * stride; i += stride) {
    long double t = c * x[i] + s * y[i];
    y[i] = c * y[i] - s * x[i];
    x[i] = t;
  }
}

// ---- reduction ----

void tridiagonal_reduce(Wide *a, int64_t n, bool lower, long double *d, long double *e, Wide *taus,
                        const LapackWork *work) {
  Wide *v = TAKE(work, Wide, n);
  for (int64_t step = 0; step + 1 < n; step++) {
    // Lower: column i below row i, first column first. Upper: column i + 1 above it, last first.
    int64_t i = lower ? step : n - 2 - step, size = lower ? n - 1 - i : i + 1;
    int64_t first = lower ? i + 1 : 0, column = lower ? i : i + 1, pivot = lower ? i + 1 : i;
    Wide alpha = a[pivot * n + column];
    taus[i] = matrix_reflector(&alpha, a + (lower ? i + 2 : 0) * n + column, size - 1, n);
    e[i] = alpha.re;
    for (int64_t k = 0; k < size; k++) v[k] = a[(first + k) * n + column];
    v[pivot - first] = wide_of(1);
    SubMatrix rest = {a, n, first, first, size, size};
    matrix_apply_left(rest, v, wide_conj(taus[i]));
    matrix_apply_right(rest, v, taus[i]);
    for (int64_t k = first; k < first + size; k++) a[k * n + k].im = 0;
    a[pivot * n + column] = wide_of(e[i]);
  }
  for (int64_t i = 0; i < n; i++) d[i] = a[i * n + i].re;
}

void tridiagonal_expand(const Wide *a, int64_t n, bool lower, const Wide *taus, Wide *z,
                        const LapackWork *work) {
  Wide *v = TAKE(work, Wide, n);
  for (int64_t step = 0; step + 1 < n; step++) {
    int64_t i = lower ? n - 2 - step : step, size = lower ? n - 1 - i : i + 1;
    int64_t first = lower ? i + 1 : 0, column = lower ? i : i + 1, pivot = lower ? i + 1 : i;
    for (int64_t k = 0; k < size; k++) v[k] = a[(first + k) * n + column];
    v[pivot - first] = wide_of(1);
    matrix_apply_left((SubMatrix){z, n, first, 0, size, n}, v, taus[i]);
  }
}

// ---- implicit QL and QR ----

// The eigenvalues of [[a,b],[b,c]] with the larger and the smaller absolute value, and the unit
// vector (cs, sn) of the larger (laev2).
typedef struct Pair {
  long double larger, smaller, cs, sn;
} Pair;
static Pair symmetric_pair(long double a, long double b, long double c) {
  long double sum = a + c, difference = a - c, twice = b + b, root = hypotl(difference, twice);
  long double big = fabsl(a) > fabsl(c) ? a : c, small = fabsl(a) > fabsl(c) ? c : a;
  Pair p;
  bool negative = sum < 0, down = difference < 0;
  if (sum == 0) {
    p.larger = root / 2;
    p.smaller = -root / 2;
  } else {
    p.larger = (negative ? sum - root : sum + root) / 2;
    p.smaller = (big / p.larger) * small - (b / p.larger) * b;
  }
  long double cs = down ? difference - root : difference + root;
  if (fabsl(cs) > fabsl(twice)) {
    long double t = -twice / cs;
    p.sn = 1 / sqrtl(1 + t * t);
    p.cs = t * p.sn;
  } else if (twice == 0) {
    p.cs = 1;
    p.sn = 0;
  } else {
    long double t = -cs / twice;
    p.cs = 1 / sqrtl(1 + t * t);
    p.sn = t * p.cs;
  }
  if (negative == down) {
    long double t = p.cs;
    p.cs = -p.sn;
    p.sn = t;
  }
  return p;
}

typedef struct Tridiagonal {
  const Precision *precision;
  int64_t rows, stride;            // of z
  long double *d, *e, *z, *c, *s;  // c, s: the rotations of a sweep
  int64_t sweeps, most;
  long double floor;  // entries whose square is below it are negligible beside any diagonal
} Tridiagonal;

// Applies rotation i to columns (i, i + 1) of z. A sweep stores its rotations and applies them at
// the end.
static void turn(Tridiagonal *t, int64_t i) {
  long double c = t->c[i], s = t->s[i];
  if (c == 1 && s == 0) return;
  for (int64_t k = 0; k < t->rows; k++) {
    long double *z = t->z + k * t->stride + i, right = z[1];
    z[1] = c * right - s * z[0];
    z[0] = s * right + c * z[0];
  }
}

// Wilkinson's shift, from the 2 by 2 block at the converging end: from - p + e / (g + sign(r, g)).
static long double shifted(long double from, long double p, long double next, long double e) {
  long double g = (next - p) / (2 * e);
  return from - p + e / (g + copysignl(hypotl(g, 1), g));
}

// One QL sweep over rows [l, m], bottom to top.
static void sweep_up(Tridiagonal *t, int64_t l, int64_t m) {
  long double *d = t->d, *e = t->e, s = 1, c = 1, p = 0, g = shifted(d[m], d[l], d[l + 1], e[l]);
  for (int64_t i = m - 1; i >= l; i--) {
    long double b = c * e[i];
    Rotation q = spectral_rotation(g, s * e[i]);
    if (i != m - 1) e[i + 1] = q.r;
    c = q.c;
    s = q.s;
    g = d[i + 1] - p;
    long double r = (d[i] - g) * s + 2 * c * b;
    p = s * r;
    d[i + 1] = g + p;
    g = c * r - b;
    t->c[i] = c;
    t->s[i] = -s;
  }
  for (int64_t i = m - 1; i >= l; i--) turn(t, i);
  d[l] -= p;
  e[l] = g;
}

// One QR sweep over rows [m, l], top to bottom.
static void sweep_down(Tridiagonal *t, int64_t l, int64_t m) {
  long double *d = t->d, *e = t->e, s = 1, c = 1, p = 0,
              g = shifted(d[m], d[l], d[l - 1], e[l - 1]);
  for (int64_t i = m; i < l; i++) {
    long double b = c * e[i];
    Rotation q = spectral_rotation(g, s * e[i]);
    if (i != m) e[i - 1] = q.r;
    c = q.c;
    s = q.s;
    g = d[i] - p;
    long double r = (d[i + 1] - g) * s + 2 * c * b;
    p = s * r;
    d[i] = g + p;
    g = c * r - b;
    t->c[i] = c;
    t->s[i] = s;
  }
  for (int64_t i = m; i < l; i++) turn(t, i);
  d[l] -= p;
  e[l - 1] = g;
}

// Diagonalizes the block of rows i and i + 1 directly.
static void finish_pair(Tridiagonal *t, int64_t i) {
  Pair p = symmetric_pair(t->d[i], t->e[i], t->d[i + 1]);
  t->c[i] = p.cs;
  t->s[i] = p.sn;
  turn(t, i);
  t->d[i] = p.larger;
  t->d[i + 1] = p.smaller;
  t->e[i] = 0;
}

static bool negligible(const Tridiagonal *t, int64_t i) {
  long double eps = t->precision->eps, e = t->e[i];
  return e * e <= eps * eps * fabsl(t->d[i]) * fabsl(t->d[i + 1]) + t->floor;
}

// LAPACK scales a block whose largest entry is extreme. Long double needs no scaling, so the scale
// moves the floor instead.
static void set_floor(Tridiagonal *t, int64_t first, int64_t last) {
  long double safe = t->precision->smallest, eps = t->precision->eps;
  long double most = sqrtl(1 / safe) / 3, least = sqrtl(safe) / (eps * eps), norm = 0;
  for (int64_t i = first; i <= last; i++) {
    norm = fmaxl(norm, fabsl(t->d[i]));
    if (i < last) norm = fmaxl(norm, fabsl(t->e[i]));
  }
  long double scale = norm > most ? norm / most : norm < least ? norm / least : 1;
  t->floor = safe * scale * scale;
}

// Iterates on rows [l, end] until they are diagonal or `most` sweeps are used up. Eigenvalues
// converge at the end with the smaller diagonal entry first: QL if that is l, else QR.
static void iterate_block(Tridiagonal *t, int64_t l, int64_t end) {
  bool up = !(fabsl(t->d[end]) < fabsl(t->d[l]));
  int64_t step = up ? 1 : -1;
  if (!up) {
    int64_t other = l;
    l = end;
    end = other;
  }
  while (up ? l <= end : l >= end) {
    int64_t m = l;
    while (m != end && !negligible(t, up ? m : m - 1)) m += step;
    if (m != end) t->e[up ? m : m - 1] = 0;
    if (m == l) {
      l += step;
    } else if (m == l + step) {
      finish_pair(t, up ? l : l - 1);
      l += 2 * step;
    } else {
      if (t->sweeps == t->most) return;
      t->sweeps++;
      if (up)
        sweep_up(t, l, m);
      else
        sweep_down(t, l, m);
    }
  }
}

// Selection sort of the eigenvalues, ascending: few swaps, each moves a column of z.
static void sort_ascending(int64_t n, long double *d, long double *z, int64_t rows,
                           int64_t stride) {
  for (int64_t i = 0; i + 1 < n; i++) {
    int64_t least = i;
    for (int64_t j = i + 1; j < n; j++)
      if (d[j] < d[least]) least = j;
    if (least == i) continue;
    long double t = d[i];
    d[i] = d[least];
    d[least] = t;
    for (int64_t k = 0; k < rows; k++) {
      t = z[k * stride + i];
      z[k * stride + i] = z[k * stride + least];
      z[k * stride + least] = t;
    }
  }
}

// Implicit QL or QR on all rows. Sets z [n,n] (with a stride) to the eigenvectors. Returns the
// number of off-diagonal entries that did not converge.
static int64_t iterate(const Precision *precision, int64_t n, long double *d, long double *e,
                       long double *z, int64_t stride, const LapackWork *work) {
  for (int64_t i = 0; i < n; i++)
    for (int64_t j = 0; j < n; j++) z[i * stride + j] = i == j;
  Tridiagonal t = {precision,
                   n,
                   stride,
                   d,
                   e,
                   z,
                   TAKE(work, long double, n),
                   TAKE(work, long double, n),
                   0,
                   n * SWEEPS_PER_VALUE,
                   0};
  for (int64_t first = 0; first < n;) {
    int64_t m = first;
    for (; m + 1 < n; m++)
      if (fabsl(e[m]) <= sqrtl(fabsl(d[m])) * sqrtl(fabsl(d[m + 1])) * precision->eps) break;
    if (m + 1 < n) e[m] = 0;
    set_floor(&t, first, m);
    iterate_block(&t, first, m);
    // Out of sweeps: the remaining off-diagonal entries are counted as not converged.
    bool diagonal = true;
    for (int64_t i = first; i < m; i++) diagonal &= e[i] == 0;
    if (t.sweeps == t.most && !diagonal) break;
    first = m + 1;
  }
  int64_t left = 0;
  for (int64_t i = 0; i + 1 < n; i++) left += e[i] != 0;
  if (!left) sort_ascending(n, d, z, n, stride);
  return left;
}

// ---- divide and conquer ----

// The secular function 1 / rho + sum z_i^2 / (d_i - x) at x = d[origin] + tau. Its roots are the
// eigenvalues of diag(d) + rho z z^T. It increases between two poles.
static long double secular(int64_t k, const long double *d, const long double *z, long double rho,
                           int64_t origin, long double tau) {
  long double sum = 1 / rho;
  for (int64_t i = 0; i < k; i++) sum += z[i] * z[i] / (d[i] - d[origin] - tau);
  return sum;
}

// Root j of the secular function: between d[j] and d[j + 1], the last one above d[k - 1]. Also its
// distances delta[i] = d[i] - root. The unknown is the distance to the nearer pole, so that no
// digits cancel. Bisection, geometric while the bounds differ by more than a factor of 4.
static long double secular_root(int64_t k, int64_t j, const long double *d, const long double *z,
                                long double rho, long double *delta) {
  int64_t origin = j;
  long double norm = 0, width;
  for (int64_t i = 0; i < k; i++) norm += z[i] * z[i];
  if (j + 1 < k) {
    width = (d[j + 1] - d[j]) / 2;
    if (secular(k, d, z, rho, j, width) < 0) origin = j + 1;  // in the upper half
  } else {
    width = rho * norm;
  }
  long double sign = origin == j ? 1 : -1, low = 0, high = width;
  for (int step = 0; step < 160; step++) {
    long double least = low > 0 ? low : 1e-4000L * high;
    long double middle = high > 4 * least ? sqrtl(least) * sqrtl(high) : low + (high - low) / 2;
    if (!(middle > low && middle < high)) break;
    bool before = secular(k, d, z, rho, origin, sign * middle) * sign < 0;  // nearer to the pole
    if (before)
      low = middle;
    else
      high = middle;
  }
  long double tau = sign * (low + (high - low) / 2);
  for (int64_t i = 0; i < k; i++) delta[i] = d[i] - d[origin] - tau;
  return d[origin] + tau;
}

// One merge of two solved halves: rows and columns [0, n) of q (with a stride).
typedef struct Merge {
  int64_t n, kept;  // kept: the number of values that are not deflated
  long double *d, *q, *z;
  int64_t stride;
  int64_t *sorted;  // columns by ascending d
  int64_t *order;   // the kept columns, then the deflated ones by descending d
} Merge;

static void merge_order(int64_t n, const long double *d, int64_t *order) {
  for (int64_t i = 0; i < n; i++) {  // stable insertion
    int64_t at = i;
    for (; at > 0 && d[order[at - 1]] > d[i]; at--) order[at] = order[at - 1];
    order[at] = i;
  }
}

// A value with a negligible z is an eigenvalue already and keeps its vector (deflation). Of two
// nearly equal values, a rotation makes one z zero, so that one deflates.
static void deflate(Merge *m, long double rho, long double tolerance) {
  int64_t back = m->n, previous = -1;
  m->kept = 0;
  for (int64_t j = 0; j < m->n; j++) {
    int64_t next = m->sorted[j];
    if (rho * fabsl(m->z[next]) <= tolerance) {
      m->order[--back] = next;
      continue;
    }
    if (previous >= 0) {
      long double s = m->z[previous], c = m->z[next], length = hypotl(c, s);
      c /= length;
      s = -s / length;
      if (fabsl((m->d[next] - m->d[previous]) * c * s) <= tolerance) {
        m->z[next] = length;
        m->z[previous] = 0;
        spectral_rotate(m->q + previous, m->q + next, m->n, m->stride, c, s);
        long double p = m->d[previous], q = m->d[next];
        m->d[previous] = p * c * c + q * s * s;
        m->d[next] = p * s * s + q * c * c;
        int64_t at = --back;
        for (; at + 1 < m->n && m->d[previous] < m->d[m->order[at + 1]]; at++)
          m->order[at] = m->order[at + 1];
        m->order[at] = previous;
      } else {
        m->order[m->kept++] = previous;
      }
    }
    previous = next;
  }
  if (previous >= 0) m->order[m->kept++] = previous;
}

// Eigenvalues of the kept part into roots, eigenvectors in the basis of the old ones into the
// columns of s [k,k].
static void secular_vectors(int64_t k, const long double *d, const long double *z, long double rho,
                            long double *roots, long double *s, const LapackWork *work) {
  long double *delta = TAKE(work, long double, k *k), *w = TAKE(work, long double, k);
  for (int64_t j = 0; j < k; j++) roots[j] = secular_root(k, j, d, z, rho, delta + j * k);
  for (int64_t i = 0; i < k; i++) {  // the z for which these roots are exact (Gu and Eisenstat)
    long double product = -delta[i * k + i];
    for (int64_t j = 0; j < k; j++)
      if (j != i) product *= delta[j * k + i] / (d[i] - d[j]);
    w[i] = copysignl(sqrtl(fabsl(product)), z[i]);
  }
  for (int64_t j = 0; j < k; j++) {
    long double norm = 0;
    for (int64_t i = 0; i < k; i++) {
      s[i * k + j] = w[i] / delta[j * k + i];
      norm = hypotl(norm, s[i * k + j]);
    }
    for (int64_t i = 0; i < k; i++) s[i * k + j] /= norm;
  }
  if (k == 1) s[0] = 1;
}

// Merges the halves [0, split) and [split, n), which the off-diagonal entry e connects. The matrix
// is diag(d) + rho z z^T in the basis q, with z from the last row of the first half's vectors and
// the first row of the second half's.
static void merge(const Precision *precision, int64_t n, int64_t split, long double e,
                  long double *d, long double *q, int64_t stride, const LapackWork *work) {
  Merge m = {.n = n, .d = d, .q = q, .stride = stride};
  m.z = TAKE(work, long double, n);
  m.sorted = TAKE(work, int64_t, n);
  m.order = TAKE(work, int64_t, n);
  long double most_d = 0, most_z = 0, rho = fabsl(2 * e);
  for (int64_t i = 0; i < n; i++) {
    m.z[i] = q[(i < split ? split - 1 : split) * stride + i] * sqrtl(0.5L);
    if (e < 0 && i >= split) m.z[i] = -m.z[i];
    most_d = fmaxl(most_d, fabsl(d[i]));
    most_z = fmaxl(most_z, fabsl(m.z[i]));
  }
  merge_order(n, d, m.sorted);
  long double tolerance = 8 * precision->eps * fmaxl(most_d, most_z);
  if (rho * most_z <= tolerance) {
    m.kept = 0;
    memcpy(m.order, m.sorted, sizeof(int64_t) * (size_t)n);
  } else {
    deflate(&m, rho, tolerance);
  }
  int64_t k = m.kept;
  long double *old_d = TAKE(work, long double, n), *old_q = TAKE(work, long double, n *n),
              *kept_d = TAKE(work, long double, k), *kept_z = TAKE(work, long double, k),
              *s = TAKE(work, long double, k *k), *new_q = TAKE(work, long double, n *n);
  for (int64_t i = 0; i < k; i++) {
    kept_d[i] = d[m.order[i]];
    kept_z[i] = m.z[m.order[i]];
  }
  secular_vectors(k, kept_d, kept_z, rho, old_d, s, work);
  for (int64_t i = k; i < n; i++) old_d[i] = d[m.order[i]];
  for (int64_t r = 0; r < n; r++) {
    for (int64_t j = 0; j < n; j++) old_q[r * n + j] = q[r * stride + m.order[j]];
    for (int64_t j = 0; j < k; j++) {
      long double sum = 0;
      for (int64_t i = 0; i < k; i++) sum += old_q[r * n + i] * s[i * k + j];
      new_q[r * n + j] = sum;
    }
    for (int64_t j = k; j < n; j++) new_q[r * n + j] = old_q[r * n + j];
  }
  merge_order(n, old_d, m.sorted);
  for (int64_t j = 0; j < n; j++) {
    d[j] = old_d[m.sorted[j]];
    for (int64_t r = 0; r < n; r++) q[r * stride + j] = new_q[r * n + m.sorted[j]];
  }
}

// Halves the matrix `depth` times, so that all leaves have the same depth, as LAPACK's. Subtracting
// |e| at both sides of the split makes the removed entries a rank-1 matrix.
static int64_t divide(const Precision *precision, int64_t n, int depth, long double *d,
                      long double *e, long double *z, int64_t stride, const LapackWork *work) {
  if (depth == 0) return iterate(precision, n, d, e, z, stride, work);
  int64_t split = n / 2;
  long double joint = e[split - 1];
  d[split - 1] -= fabsl(joint);
  d[split] -= fabsl(joint);
  int64_t info = divide(precision, split, depth - 1, d, e, z, stride, work);
  info += divide(precision, n - split, depth - 1, d + split, e + split, z + split * stride + split,
                 stride, work);
  if (!info) merge(precision, n, split, joint, d, z, stride, work);
  return info;
}

static int64_t conquer(const Precision *precision, int64_t n, long double *d, long double *e,
                       long double *z, int64_t stride, const LapackWork *work) {
  int depth = 0;
  for (int64_t size = n; size > LEAF; size = (size + 1) / 2) depth++;
  long double norm = 0;  // the largest entry; scaled to 1, as the deflation tolerance assumes
  for (int64_t i = 0; i < n; i++) {
    norm = fmaxl(norm, fabsl(d[i]));
    if (i + 1 < n) norm = fmaxl(norm, fabsl(e[i]));
  }
  for (int64_t i = 0; i < n; i++) {
    d[i] /= norm;
    if (i + 1 < n) e[i] /= norm;
  }
  int64_t info = divide(precision, n, depth, d, e, z, stride, work);
  for (int64_t i = 0; i < n; i++) d[i] *= norm;
  return info;
}

int64_t tridiagonal_eigh(const Precision *precision, int64_t n, long double *d, long double *e,
                         long double *z, const LapackWork *work) {
  if (n <= LEAF) return iterate(precision, n, d, e, z, n, work);
  memset(z, 0, sizeof *z * (size_t)(n * n));
  int64_t info = 0;
  for (int64_t first = 0; first < n;) {
    int64_t end = first;
    while (end + 1 < n &&
           fabsl(e[end]) > precision->eps * sqrtl(fabsl(d[end])) * sqrtl(fabsl(d[end + 1])))
      end++;
    int64_t size = end + 1 - first;
    long double *block = z + first * n + first;
    if (size > LEAF)
      info += conquer(precision, size, d + first, e + first, block, n, work);
    else
      info += iterate(precision, size, d + first, e + first, block, n, work);
    first = end + 1;
  }
  if (!info) sort_ascending(n, d, z, n, n);
  return info;
}
