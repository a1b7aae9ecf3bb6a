// Problem: the singular value decomposition a = u s vt, with LAPACK's signs.
//
// Idea: if the matrix is much longer than wide (or wider than long), a QR (LQ) leaves a square one.
// Householder reflections from both sides make it bidiagonal (gebrd). Implicit QR sweeps, with or
// without a shift, diagonalize it; they move towards the end with the smaller values (bdsqr; Demmel
// and Kahan 1990). gesdd uses divide and conquer above 25 columns (bdsdc, lasd0-3; Gu and Eisenstat
// 1995).
//
// Invariant: an entry is negligible if it is in the element type, as in tridiagonal.c. O(m n^2).
#include <string.h>

#include "tensor/matrix.h"
#include "tensor/spectral.h"

enum { SWEEPS = 6, LEAF = 25 };  // LAPACK's MAXITR (at most 6 n^2 rows are swept) and SMLSIZ

// The smaller singular value of [[f,g],[0,h]] (las2).
static long double smaller_value(long double f, long double g, long double h) {
  long double low = fminl(fabsl(f), fabsl(h)), high = fmaxl(fabsl(f), fabsl(h)), top = fabsl(g);
  if (low == 0) return 0;
  long double sum = 1 + low / high, difference = (high - low) / high;
  if (top < high) {
    long double ratio = top / high * (top / high);
    return low * 2 / (sqrtl(sum * sum + ratio) + sqrtl(difference * difference + ratio));
  }
  long double ratio = high / top;
  if (ratio == 0) return low * high / top;
  return 2 * low * ratio / (hypotl(1, sum * ratio) + hypotl(1, difference * ratio));
}

// The singular value decomposition of [[f,g],[0,h]] (lasv2): values with signs, rotations.
typedef struct Triangular {
  long double larger, smaller, left_c, left_s, right_c, right_s;
} Triangular;

// Both rotations and the absolute values, for |f| >= |h| and g != 0.
static Triangular triangular_pair(long double f, long double g, long double h, long double eps) {
  long double fa = fabsl(f), ga = fabsl(g), ha = fabsl(h);
  if (ga > fa && fa / ga < eps)
    return (Triangular){ga, ha > 1 ? fa / (ga / ha) : fa / ga * ha, 1, h / g, f / g, 1};
  long double d = fa - ha, l = d == fa ? 1 : d / fa, m = g / f, t = 2 - l;
  long double s = hypotl(t, m), r = l == 0 ? fabsl(m) : hypotl(l, m), a = (s + r) / 2;
  if (m * m == 0)
    t = l == 0 ? copysignl(2, f) * copysignl(1, g) : g / copysignl(d, f) + m / t;
  else
    t = (m / (s + t) + m / (r + l)) * (1 + a);
  long double length = hypotl(t, 2), c = 2 / length, sine = t / length;
  return (Triangular){fa * a, ha / a, (c + sine * m) / a, h / f * sine / a, c, sine};
}

static Triangular triangular_svd(long double f, long double g, long double h, long double eps) {
  bool swapped = fabsl(h) > fabsl(f);
  Triangular p;
  if (g == 0)
    p = (Triangular){fmaxl(fabsl(f), fabsl(h)), fminl(fabsl(f), fabsl(h)), 1, 0, 1, 0};
  else
    p = triangular_pair(swapped ? h : f, g, swapped ? f : h, eps);
  if (swapped) p = (Triangular){p.larger, p.smaller, p.right_s, p.right_c, p.left_s, p.left_c};
  // The largest of the three entries determines the sign of the larger value.
  long double sign;
  if (g != 0 && fabsl(g) > fmaxl(fabsl(f), fabsl(h)))
    sign = copysignl(1, p.right_s) * copysignl(1, p.left_c) * copysignl(1, g);
  else if (swapped)
    sign = copysignl(1, p.right_s) * copysignl(1, p.left_s) * copysignl(1, h);
  else
    sign = copysignl(1, p.right_c) * copysignl(1, p.left_c) * copysignl(1, f);
  p.larger = copysignl(p.larger, sign);
  p.smaller = copysignl(p.smaller, sign * copysignl(1, f) * copysignl(1, h));
  return p;
}

// An upper bidiagonal matrix with diagonal d and superdiagonal e, n rows. Rotations of the matrix
// are applied to the columns of u and the rows of vt [n,n] too.
typedef struct Bidiagonal {
  const Precision *precision;
  int64_t n;
  long double *d, *e, *u, *vt;
  long double *right, *left;  // rotations of a sweep: c and s of each row
  long double tolerance, threshold;
  bool divide;                  // divide and conquer above LEAF rows
  bool down;                    // the direction of sweeps in the current block
  int64_t old_first, old_last;  // the previous block: one that overlaps it keeps its direction
} Bidiagonal;

// Rotates rows (i, i + 1) of vt and columns (i, i + 1) of u.
static void turn(Bidiagonal *b, int64_t i, const long double *right, const long double *left) {
  if (!b->u) return;
  int64_t n = b->n;
  spectral_rotate(b->vt + i * n, b->vt + (i + 1) * n, n, 1, right[0], right[1]);
  spectral_rotate(b->u + i, b->u + i + 1, n, n, left[0], left[1]);
}

static void keep(long double *at, long double c, long double s) {
  at[0] = c;
  at[1] = s;
}

static void turn_all(Bidiagonal *b, int64_t first, int64_t last) {
  for (int64_t k = first; k < last; k++) {
    int64_t i = b->down ? k : first + last - 1 - k;
    turn(b, i, b->right + 2 * i, b->left + 2 * i);
  }
}

// QR sweeps over rows [first, last], down or up, with a zero shift (which keeps the relative
// accuracy of tiny values) or another. A rotation from the right makes a bulge; one from the left
// moves it on.
static void sweep_unshifted_down(Bidiagonal *b, int64_t first, int64_t last) {
  long double *d = b->d, *e = b->e, c = 1, old_c = 1, old_s = 0;
  for (int64_t i = first; i < last; i++) {
    Rotation q = spectral_rotation(d[i] * c, e[i]);
    c = q.c;
    if (i > first) e[i - 1] = old_s * q.r;
    Rotation p = spectral_rotation(old_c * q.r, d[i + 1] * q.s);
    old_c = p.c;
    old_s = p.s;
    d[i] = p.r;
    keep(b->right + 2 * i, q.c, q.s);
    keep(b->left + 2 * i, p.c, p.s);
  }
  long double h = d[last] * c;
  d[last] = h * old_c;
  e[last - 1] = h * old_s;
}

static void sweep_unshifted_up(Bidiagonal *b, int64_t first, int64_t last) {
  long double *d = b->d, *e = b->e, c = 1, old_c = 1, old_s = 0;
  for (int64_t i = last; i > first; i--) {
    Rotation q = spectral_rotation(d[i] * c, e[i - 1]);
    c = q.c;
    if (i < last) e[i] = old_s * q.r;
    Rotation p = spectral_rotation(old_c * q.r, d[i - 1] * q.s);
    old_c = p.c;
    old_s = p.s;
    d[i] = p.r;
    keep(b->left + 2 * (i - 1), q.c, -q.s);
    keep(b->right + 2 * (i - 1), p.c, -p.s);
  }
  long double h = d[first] * c;
  d[first] = h * old_c;
  e[first] = h * old_s;
}

static void sweep_down(Bidiagonal *b, int64_t first, int64_t last, long double shift) {
  long double *d = b->d, *e = b->e, g = e[first];
  long double f = (fabsl(d[first]) - shift) * (copysignl(1, d[first]) + shift / d[first]);
  for (int64_t i = first; i < last; i++) {
    Rotation q = spectral_rotation(f, g);
    if (i > first) e[i - 1] = q.r;
    f = q.c * d[i] + q.s * e[i];
    e[i] = q.c * e[i] - q.s * d[i];
    g = q.s * d[i + 1];
    d[i + 1] *= q.c;
    Rotation p = spectral_rotation(f, g);
    d[i] = p.r;
    f = p.c * e[i] + p.s * d[i + 1];
    d[i + 1] = p.c * d[i + 1] - p.s * e[i];
    if (i + 1 < last) {
      g = p.s * e[i + 1];
      e[i + 1] *= p.c;
    }
    keep(b->right + 2 * i, q.c, q.s);
    keep(b->left + 2 * i, p.c, p.s);
  }
  e[last - 1] = f;
}

static void sweep_up(Bidiagonal *b, int64_t first, int64_t last, long double shift) {
  long double *d = b->d, *e = b->e, g = e[last - 1];
  long double f = (fabsl(d[last]) - shift) * (copysignl(1, d[last]) + shift / d[last]);
  for (int64_t i = last; i > first; i--) {
    Rotation q = spectral_rotation(f, g);
    if (i < last) e[i] = q.r;
    f = q.c * d[i] + q.s * e[i - 1];
    e[i - 1] = q.c * e[i - 1] - q.s * d[i];
    g = q.s * d[i - 1];
    d[i - 1] *= q.c;
    Rotation p = spectral_rotation(f, g);
    d[i] = p.r;
    f = p.c * e[i - 1] + p.s * d[i - 1];
    d[i - 1] = p.c * d[i - 1] - p.s * e[i - 1];
    if (i > first + 1) {
      g = p.s * e[i - 2];
      e[i - 2] *= p.c;
    }
    keep(b->left + 2 * (i - 1), q.c, -q.s);
    keep(b->right + 2 * (i - 1), p.c, -p.s);
  }
  e[first] = f;
}

// Sets a negligible superdiagonal entry of the block to zero and returns true. Otherwise *smallest
// is a lower bound of the block's smallest singular value.
static bool converged(Bidiagonal *b, int64_t first, int64_t last, long double *smallest) {
  long double *d = b->d, *e = b->e;
  int64_t edge = b->down ? last - 1 : first, end = b->down ? last : first;
  if (fabsl(e[edge]) <= b->tolerance * fabsl(d[end])) {
    e[edge] = 0;
    return true;
  }
  long double mu = fabsl(d[b->down ? first : last]);
  *smallest = mu;
  for (int64_t k = 0; k < last - first; k++) {
    int64_t i = b->down ? first + k : last - 1 - k;
    if (fabsl(e[i]) <= b->tolerance * mu) {
      e[i] = 0;
      return true;
    }
    mu = fabsl(d[b->down ? i + 1 : i]) * (mu / (mu + fabsl(e[i])));
    *smallest = fminl(*smallest, mu);
  }
  return false;
}

// The shift of the next sweep; 0 if a shift would lose the relative accuracy of small values.
static long double shift_of(const Bidiagonal *b, int64_t first, int64_t last, long double smallest,
                            long double largest) {
  const long double *d = b->d, *e = b->e, eps = b->precision->eps;
  if ((long double)b->n * b->tolerance * (smallest / largest) <= fmaxl(eps, 0.01L * b->tolerance))
    return 0;
  long double edge = fabsl(d[b->down ? first : last]);
  long double shift = b->down ? smaller_value(d[last - 1], e[last - 1], d[last])
                              : smaller_value(d[first], e[first], d[first + 1]);
  return edge > 0 && shift / edge * (shift / edge) < eps ? 0 : shift;
}

static void sweep(Bidiagonal *b, int64_t first, int64_t last, long double shift) {
  if (shift == 0 && b->down)
    sweep_unshifted_down(b, first, last);
  else if (shift == 0)
    sweep_unshifted_up(b, first, last);
  else if (b->down)
    sweep_down(b, first, last, shift);
  else
    sweep_up(b, first, last, shift);
  turn_all(b, first, last);
  long double *edge = &b->e[b->down ? last - 1 : first];
  if (fabsl(*edge) <= b->threshold) *edge = 0;
}

// Diagonalizes the block of rows i and i + 1 directly.
static void finish_pair(Bidiagonal *b, int64_t i) {
  Triangular p = triangular_svd(b->d[i], b->e[i], b->d[i + 1], b->precision->eps);
  b->d[i] = p.larger;
  b->e[i] = 0;
  b->d[i + 1] = p.smaller;
  turn(b, i, (long double[]){p.right_c, p.right_s}, (long double[]){p.left_c, p.left_s});
}

// Makes the values positive and sorts them, descending.
static void order_values(Bidiagonal *b) {
  int64_t n = b->n;
  for (int64_t i = 0; i < n; i++) {
    if (!(b->d[i] < 0)) continue;
    b->d[i] = -b->d[i];
    for (int64_t j = 0; b->vt && j < n; j++) b->vt[i * n + j] = -b->vt[i * n + j];
  }
  for (int64_t end = n - 1; end > 0; end--) {
    int64_t least = 0;
    for (int64_t j = 1; j <= end; j++)
      if (b->d[j] <= b->d[least]) least = j;
    if (least == end) continue;
    long double t = b->d[least];
    b->d[least] = b->d[end];
    b->d[end] = t;
    for (int64_t j = 0; b->u && j < n; j++) {
      t = b->vt[least * n + j];
      b->vt[least * n + j] = b->vt[end * n + j];
      b->vt[end * n + j] = t;
      t = b->u[j * n + least];
      b->u[j * n + least] = b->u[j * n + end];
      b->u[j * n + end] = t;
    }
  }
}

static void set_tolerance(Bidiagonal *b) {
  long double eps = b->precision->eps, n = (long double)b->n;
  b->tolerance = fmaxl(10, fminl(100, powl(eps, -0.125L))) * eps;
  long double mu = fabsl(b->d[0]), least = mu;
  for (int64_t i = 1; i < b->n && least > 0; i++) {
    mu = fabsl(b->d[i]) * (mu / (mu + fabsl(b->e[i - 1])));
    least = fminl(least, mu);
  }
  b->threshold =
      fmaxl(b->tolerance * least / sqrtl(n), (long double)SWEEPS * n * n * b->precision->smallest);
}

// Sweeps until the matrix is diagonal. Returns 0, or the number of nonzero superdiagonal entries
// (at least 1) if the sweeps are used up.
static int64_t iterate(Bidiagonal *b) {
  int64_t n = b->n, last = n - 1, steps = 0;
  if (n == 0) return 0;
  set_tolerance(b);
  b->old_first = b->old_last = -2;
  while (last > 0) {
    if (steps > SWEEPS * n * n) {
      int64_t left = 0;
      for (int64_t i = 0; i + 1 < n; i++) left += b->e[i] != 0;
      return left ? left : 1;
    }
    int64_t first = last;  // the block that ends at `last`
    long double largest = fabsl(b->d[last]), smallest = 0;
    for (; first > 0 && !(fabsl(b->e[first - 1]) <= b->threshold); first--)
      largest = fmaxl(largest, fmaxl(fabsl(b->d[first - 1]), fabsl(b->e[first - 1])));
    if (first > 0) b->e[first - 1] = 0;
    if (first == last) {
      last--;
    } else if (first == last - 1) {
      finish_pair(b, first);
      last -= 2;
    } else {
      if (first > b->old_last || last < b->old_first)
        b->down = fabsl(b->d[first]) >= fabsl(b->d[last]);
      if (converged(b, first, last, &smallest)) continue;
      b->old_first = first;
      b->old_last = last;
      steps += last - first;
      sweep(b, first, last, shift_of(b, first, last, smallest, largest));
    }
  }
  order_values(b);
  return 0;
}

// ---- divide and conquer ----

// The matrix that is divided into n by m upper bidiagonal blocks (m = n or n + 1). A solved block
// from row `first` on has ascending values in d, its left vectors in the columns of u and its right
// vectors in the rows of vt, both from [first, first] on.
typedef struct Divide {
  const Precision *precision;
  int64_t stride;
  long double *d, *e, *u, *vt;
  const LapackWork *work;
} Divide;

static int64_t decompose(Bidiagonal *b, bool lower, const LapackWork *work);

// Solves a block of at most LEAF rows by sweeps. If m = n + 1, rotations from the right first
// remove the last column, which leaves a lower bidiagonal block (lasdq).
static int64_t solve_leaf(Divide *t, int64_t first, int64_t n, int64_t m) {
  int64_t stride = t->stride;
  long double *d = t->d + first, *e = t->e + first, *u = t->u + first * stride + first,
              *vt = t->vt + first * stride + first;
  long double *turned = TAKE(t->work, long double, m *m);
  for (int64_t i = 0; i < m * m; i++) turned[i] = i / m == i % m;
  for (int64_t i = 0; m > n && i < n; i++) {
    Rotation r = spectral_rotation(d[i], e[i]);
    d[i] = r.r;
    e[i] = i + 1 < n ? r.s * d[i + 1] : 0;
    if (i + 1 < n) d[i + 1] *= r.c;
    spectral_rotate(turned + i * m, turned + (i + 1) * m, m, 1, r.c, r.s);
  }
  Bidiagonal b = {.precision = t->precision, .n = n, .d = d};
  b.e = TAKE(t->work, long double, n);
  memcpy(b.e, e, sizeof *e * (size_t)(n > 0 ? n - 1 : 0));
  b.right = TAKE(t->work, long double, 2 * n);
  b.left = TAKE(t->work, long double, 2 * n);
  b.u = TAKE(t->work, long double, n *n);
  b.vt = TAKE(t->work, long double, n *n);
  int64_t info = decompose(&b, m > n, t->work);
  for (int64_t i = 0; i < n / 2; i++) {  // ascending
    long double x = d[i];
    d[i] = d[n - 1 - i];
    d[n - 1 - i] = x;
  }
  for (int64_t i = 0; i < n; i++)
    for (int64_t j = 0; j < n; j++) u[i * stride + j] = b.u[i * n + n - 1 - j];
  for (int64_t i = 0; i < m; i++)
    for (int64_t j = 0; j < m; j++) {
      long double sum = i == n ? turned[i * m + j] : 0;
      for (int64_t k = 0; i < n && k < n; k++) sum += b.vt[(n - 1 - i) * n + k] * turned[k * m + j];
      vt[i * stride + j] = sum;
    }
  return info;
}

// d_i^2 - d_j^2 without the cancellation of rounded squares.
static long double gap(const long double *d, int64_t i, int64_t j) {
  return (d[i] - d[j]) * (d[i] + d[j]);
}

// The secular function 1 + sum z_i^2 / (d_i^2 - x) at x = d[origin]^2 + tau. Its roots are the
// squared singular values of the merged block.
static long double secular(int64_t k, const long double *d, const long double *z, int64_t origin,
                           long double tau) {
  long double sum = 1;
  for (int64_t i = 0; i < k; i++) sum += z[i] * z[i] / (gap(d, i, origin) - tau);
  return sum;
}

// The square root of root j; it lies between d[j] and d[j + 1]. delta[i] = d[i]^2 - root. Bisection
// as in tridiagonal.c.
static long double secular_root(int64_t k, int64_t j, const long double *d, const long double *z,
                                long double *delta) {
  int64_t origin = j;
  long double width = 0;
  if (j + 1 < k) {
    width = gap(d, j + 1, j) / 2;
    if (secular(k, d, z, j, width) < 0) origin = j + 1;
  } else {
    for (int64_t i = 0; i < k; i++) width += z[i] * z[i];
  }
  long double sign = origin == j ? 1 : -1, low = 0, high = width;
  for (int step = 0; step < 160; step++) {
    long double least = low > 0 ? low : 1e-4000L * high;
    long double middle = high > 4 * least ? sqrtl(least) * sqrtl(high) : low + (high - low) / 2;
    if (!(middle > low && middle < high)) break;
    if (secular(k, d, z, origin, sign * middle) * sign < 0)
      low = middle;
    else
      high = middle;
  }
  long double tau = sign * (low + (high - low) / 2);
  for (int64_t i = 0; i < k; i++) delta[i] = gap(d, i, origin) - tau;
  return sqrtl(d[origin] * d[origin] + tau);
}

// The k values that are not deflated into roots. Their vectors in the basis of the old ones: left
// vectors in the columns of p, right vectors in the columns of q [k,k].
static void secular_vectors(int64_t k, const long double *d, const long double *z,
                            long double *roots, long double *p, long double *q,
                            const LapackWork *work) {
  long double *delta = TAKE(work, long double, k *k), *w = TAKE(work, long double, k);
  for (int64_t j = 0; j < k; j++) roots[j] = secular_root(k, j, d, z, delta + j * k);
  for (int64_t i = 0; i < k; i++) {
    long double product = -delta[i * k + i];
    for (int64_t j = 0; j < k; j++)
      if (j != i) product *= delta[j * k + i] / gap(d, i, j);
    w[i] = copysignl(sqrtl(fabsl(product)), z[i]);
  }
  for (int64_t j = 0; j < k; j++) {
    long double left = 0, right = 0;
    for (int64_t i = 0; i < k; i++) {
      q[i * k + j] = w[i] / delta[j * k + i];
      p[i * k + j] = i ? d[i] * q[i * k + j] : -1;
      left = hypotl(left, p[i * k + j]);
      right = hypotl(right, q[i * k + j]);
    }
    for (int64_t i = 0; i < k; i++) {
      p[i * k + j] /= left;
      q[i * k + j] /= right;
    }
  }
  if (k == 1) {  // lasd3 gives the sign to u here
    roots[0] = fabsl(z[0]);
    p[0] = copysignl(1, z[0]);
    q[0] = 1;
  }
}

// The input of a merge: column i of left [n,n] and row i of right [n,m] belong to d[i].
typedef struct Joint {
  int64_t n, m;
  long double *d, *z, *left, *right;
  int64_t *order;  // the kept values, 0 first, then the deflated ones
  int64_t kept;
} Joint;

// Collects the solved halves around the row (alpha, beta) at nl. Each half with one more column
// than rows has a right vector without a singular value. A rotation turns two of them into one that
// the row depends on (index 0) and one that it does not (the last row of vt).
static void gather(Divide *t, int64_t first, int64_t nl, Joint *j) {
  int64_t stride = t->stride, n = j->n, m = j->m;
  const long double *d = t->d + first, *u = t->u + first * stride + first;
  long double *vt = t->vt + first * stride + first;
  long double alpha = d[nl], beta = t->e[first + nl];
  for (int64_t i = 0; i < n; i++) {
    int64_t row = i == 0 ? nl : i <= nl ? i - 1 : i;  // where i's vectors stand
    j->d[i] = i == 0 ? 0 : d[row];
    j->z[i] = i <= nl ? alpha * vt[row * stride + nl] : beta * vt[row * stride + nl + 1];
    for (int64_t r = 0; r < n; r++) j->left[r * n + i] = i == 0 ? r == nl : u[r * stride + row];
    for (int64_t c = 0; c < m; c++) j->right[i * m + c] = vt[row * stride + c];
  }
  if (m == n) return;
  long double *last = vt + n * stride, *meets = j->right, other = beta * last[nl + 1];
  long double length = hypotl(j->z[0], other), c = length > 0 ? j->z[0] / length : 1,
              s = length > 0 ? other / length : 0;
  spectral_rotate(meets, last, m, 1, c, s);
  j->z[0] = length;
}

// As in tridiagonal.c: values with a negligible z, and one of two nearly equal values, keep their
// vectors. Index 0, the row that joins the halves, is always kept.
static void deflate(Joint *j, long double tolerance) {
  int64_t *sorted = j->order, back = j->n, previous = -1, count = 1;
  int64_t kept = 1;
  for (int64_t i = 1; i < j->n; i++) {  // ascending, 0 stays first
    int64_t at = i;
    for (; at > 1 && j->d[sorted[at - 1]] > j->d[i]; at--) sorted[at] = sorted[at - 1];
    sorted[at] = i;
  }
  sorted[0] = 0;
  if (fabsl(j->z[0]) <= tolerance) j->z[0] = tolerance;
  int64_t *out = j->order + j->n;
  out[0] = 0;
  for (; count < j->n; count++) {
    int64_t next = sorted[count];
    if (fabsl(j->z[next]) <= tolerance) {
      out[--back] = next;
      continue;
    }
    if (previous >= 0 && j->d[next] - j->d[previous] <= tolerance) {
      long double length = hypotl(j->z[next], j->z[previous]), c = j->z[next] / length,
                  s = -j->z[previous] / length;
      spectral_rotate(j->left + previous, j->left + next, j->n, j->n, c, s);
      spectral_rotate(j->right + previous * j->m, j->right + next * j->m, j->m, 1, c, s);
      j->z[next] = length;
      j->z[previous] = 0;
      out[--back] = previous;
    } else if (previous >= 0) {
      out[kept++] = previous;
    }
    previous = next;
  }
  if (previous >= 0) out[kept++] = previous;
  j->kept = kept;
  memcpy(j->order, out, sizeof *out * (size_t)j->n);
}

// Merges two solved halves of nl and nr rows and the row between them. O(n^3).
static void merge(Divide *t, int64_t first, int64_t nl, int64_t nr, int64_t m) {
  int64_t n = nl + nr + 1, stride = t->stride;
  Joint j = {.n = n, .m = m};
  j.d = TAKE(t->work, long double, n);
  j.z = TAKE(t->work, long double, n);
  j.left = TAKE(t->work, long double, n *n);
  j.right = TAKE(t->work, long double, n *m);
  j.order = TAKE(t->work, int64_t, 2 * n);
  long double most = fmaxl(fabsl(t->d[first + nl]), fabsl(t->e[first + nl]));
  gather(t, first, nl, &j);
  for (int64_t i = 0; i < n; i++) most = fmaxl(most, j.d[i]);
  long double tolerance = 64 * t->precision->eps * most;
  deflate(&j, tolerance);
  int64_t k = j.kept;
  long double *d = TAKE(t->work, long double, k), *z = TAKE(t->work, long double, k),
              *p = TAKE(t->work, long double, k *k), *q = TAKE(t->work, long double, k *k),
              *values = TAKE(t->work, long double, n);
  for (int64_t i = 0; i < k; i++) {
    d[i] = j.d[j.order[i]];
    z[i] = j.z[j.order[i]];
  }
  if (k > 1 && d[1] <= tolerance / 2) d[1] = tolerance / 2;
  secular_vectors(k, d, z, values, p, q, t->work);
  for (int64_t i = k; i < n; i++) values[i] = j.d[j.order[i]];
  int64_t *sorted = TAKE(t->work, int64_t, n);
  for (int64_t i = 0; i < n; i++) {
    int64_t at = i;
    for (; at > 0 && values[sorted[at - 1]] > values[i]; at--) sorted[at] = sorted[at - 1];
    sorted[at] = i;
  }
  long double *u = t->u + first * stride + first, *vt = t->vt + first * stride + first;
  for (int64_t c = 0; c < n; c++) {
    int64_t from = sorted[c];
    t->d[first + c] = values[from];
    for (int64_t r = 0; r < n; r++) {
      long double sum = from < k ? 0 : j.left[r * n + j.order[from]];
      for (int64_t i = 0; from < k && i < k; i++)
        sum += j.left[r * n + j.order[i]] * p[i * k + from];
      u[r * stride + c] = sum;
    }
    for (int64_t r = 0; r < m; r++) {
      long double sum = from < k ? 0 : j.right[j.order[from] * m + r];
      for (int64_t i = 0; from < k && i < k; i++)
        sum += j.right[j.order[i] * m + r] * q[i * k + from];
      vt[c * stride + r] = sum;
    }
  }
}

static int64_t divide_block(Divide *t, int64_t first, int64_t n, int64_t m, int depth) {
  if (depth == 0) return solve_leaf(t, first, n, m);
  int64_t nl = n / 2, nr = n - nl - 1;
  int64_t info = divide_block(t, first, nl, nl + 1, depth - 1);
  info += divide_block(t, first + nl + 1, nr, nr + m - n, depth - 1);
  if (!info) merge(t, first, nl, nr, m);
  return info;
}

// Divide and conquer on an upper bidiagonal b with more than LEAF rows (bdsdc).
static int64_t conquer(Bidiagonal *b, const LapackWork *work) {
  int64_t n = b->n, info = 0;
  long double norm = 0, eps = 0.9L * b->precision->eps;
  for (int64_t i = 0; i < n; i++) {
    norm = fmaxl(norm, fabsl(b->d[i]));
    if (i + 1 < n) norm = fmaxl(norm, fabsl(b->e[i]));
  }
  if (norm == 0) return iterate(b);
  memset(b->u, 0, sizeof *b->u * (size_t)(n * n));
  memset(b->vt, 0, sizeof *b->vt * (size_t)(n * n));
  for (int64_t i = 0; i < n; i++) {
    b->d[i] /= norm;
    if (i + 1 < n) b->e[i] /= norm;
    if (fabsl(b->d[i]) < eps) b->d[i] = copysignl(eps, b->d[i]);
  }
  Divide t = {b->precision, n, b->d, b->e, b->u, b->vt, work};
  for (int64_t first = 0; first < n;) {
    int64_t end = first;
    while (end + 1 < n && fabsl(b->e[end]) >= eps) end++;
    int64_t size = end + 1 - first;
    int depth = 0;
    for (int64_t most = size; most > LEAF; most /= 2) depth++;
    info += divide_block(&t, first, size, size, depth);
    first = end + 1;
  }
  for (int64_t i = 0; i < n; i++) b->d[i] *= norm;
  if (!info) order_values(b);
  return info;
}

// Decomposes b. lower: e is the subdiagonal; rotations from the left make b upper bidiagonal first,
// and u gets them last.
static int64_t decompose(Bidiagonal *b, bool lower, const LapackWork *work) {
  int64_t n = b->n;
  for (int64_t i = 0; b->u && i < n * n; i++) b->u[i] = b->vt[i] = i / n == i % n;
  Rotation *turns = TAKE(work, Rotation, n);
  for (int64_t i = 0; lower && i + 1 < n; i++) {
    turns[i] = spectral_rotation(b->d[i], b->e[i]);
    b->d[i] = turns[i].r;
    b->e[i] = turns[i].s * b->d[i + 1];
    b->d[i + 1] *= turns[i].c;
  }
  int64_t info = b->divide && b->u && n > LEAF ? conquer(b, work) : iterate(b);
  for (int64_t i = n - 2; lower && b->u && i >= 0; i--)
    spectral_rotate(b->u + i * n, b->u + (i + 1) * n, n, 1, turns[i].c, -turns[i].s);
  return info;
}

// ---- reduction ----

// The conjugate transpose of a [m,n].
static Wide *adjoint(const Wide *a, int64_t m, int64_t n, const LapackWork *work) {
  Wide *out = TAKE(work, Wide, m * n);
  for (int64_t i = 0; i < m; i++)
    for (int64_t j = 0; j < n; j++) out[j * m + i] = wide_conj(a[i * n + j]);
  return out;
}

// Reduces a [m,n], m >= n, to upper bidiagonal form d, e = q^H a p. Reflectors of q stay below the
// diagonal, those of p (vectors not conjugated) right of the superdiagonal.
static void reduce(Wide *a, int64_t m, int64_t n, long double *d, long double *e, Wide *q_taus,
                   Wide *p_taus, const LapackWork *work) {
  Wide *v = TAKE(work, Wide, m);
  for (int64_t i = 0; i < n; i++) {
    Wide alpha = a[i * n + i];
    q_taus[i] = matrix_reflector(&alpha, a + (i + 1) * n + i, m - i - 1, n);
    d[i] = alpha.re;
    for (int64_t k = i + 1; k < m; k++) v[k - i] = a[k * n + i];
    v[0] = wide_of(1);
    matrix_apply_left((SubMatrix){a, n, i, i + 1, m - i, n - i - 1}, v, wide_conj(q_taus[i]));
    if (i + 1 >= n) continue;
    for (int64_t k = i + 1; k < n; k++) v[k - i - 1] = wide_conj(a[i * n + k]);
    p_taus[i] = matrix_reflector(&v[0], v + 1, n - i - 2, 1);
    e[i] = v[0].re;
    v[0] = wide_of(1);
    matrix_apply_right((SubMatrix){a, n, i + 1, i + 1, m - i - 1, n - i - 1}, v, p_taus[i]);
    for (int64_t k = i + 1; k < n; k++) a[i * n + k] = v[k - i - 1];
  }
}

// x = q x: q has n reflectors below the diagonal of a [m,n]; x [m,columns].
static void apply_q(const Wide *a, int64_t m, int64_t n, const Wide *taus, Wide *x, int64_t columns,
                    const LapackWork *work) {
  Wide *v = TAKE(work, Wide, m);
  for (int64_t i = n - 1; i >= 0; i--) {
    v[0] = wide_of(1);
    for (int64_t k = i + 1; k < m; k++) v[k - i] = a[k * n + i];
    matrix_apply_left((SubMatrix){x, columns, i, 0, m - i, columns}, v, taus[i]);
  }
}

// x = p x for the p of `reduce`; x [n,columns].
static void apply_p(const Wide *a, int64_t n, const Wide *taus, Wide *x, int64_t columns,
                    const LapackWork *work) {
  Wide *v = TAKE(work, Wide, n);
  for (int64_t i = n - 2; i >= 0; i--) {
    v[0] = wide_of(1);
    for (int64_t k = i + 2; k < n; k++) v[k - i - 1] = a[i * n + k];
    matrix_apply_left((SubMatrix){x, columns, i + 1, 0, n - i - 1, columns}, v, taus[i]);
  }
}

// [x 0; 0 1] with the given numbers of rows and columns, from a real x [n,n] or its transpose.
static Wide *widen(const long double *x, int64_t n, int64_t rows, int64_t columns, bool transposed,
                   const LapackWork *work) {
  Wide *out = TAKE(work, Wide, rows * columns);
  for (int64_t i = 0; i < rows; i++)
    for (int64_t j = 0; j < columns; j++)
      out[i * columns + j] =
          wide_of(i < n && j < n ? x[transposed ? j * n + i : i * n + j] : i == j);
  return out;
}

// The tall matrix a [m,n] to decompose, or the adjoint of the wide one.
typedef struct Side {
  Wide *a, *taus;  // reflectors, m by n
  int64_t m, n;
} Side;

// The square r of a QR of the tall matrix. If that is the adjoint of a wide one, r^H of its LQ.
static Wide *take_square(Side *qr, bool wide, const LapackWork *work) {
  int64_t m = qr->m, n = qr->n;
  qr->taus = TAKE(work, Wide, n);
  matrix_qr(qr->a, m, n, qr->taus);
  Wide *r = TAKE(work, Wide, n * n);
  for (int64_t i = 0; i < n; i++)
    for (int64_t j = 0; j < n; j++) {
      Wide x = j >= i ? qr->a[i * n + j] : wide_of(0);
      r[wide ? j * n + i : i * n + j] = wide ? wide_conj(x) : x;
    }
  return r;
}

int64_t bidiagonal_svd(const Precision *precision, Wide *a, int64_t m, int64_t n, int64_t qr_from,
                       bool divide, long double *s, Wide *u, int64_t u_columns, Wide *vt,
                       int64_t vt_rows, const LapackWork *work) {
  bool wide = m < n;
  int64_t k = wide ? m : n, length = wide ? n : m;
  // `tall` [length,k] is a or its adjoint. `core` is the matrix that is made bidiagonal.
  Side tall = {wide ? adjoint(a, m, n, work) : a, NULL, length, k};
  bool first_qr = length >= qr_from && length > k;
  Side core = tall;
  if (first_qr) core = (Side){take_square(&tall, wide, work), NULL, k, k};
  bool turned = wide && !first_qr;  // core is a's adjoint: left and right vectors are swapped
  long double *e = TAKE(work, long double, k);
  Wide *q_taus = TAKE(work, Wide, k), *p_taus = TAKE(work, Wide, k);
  reduce(core.a, core.m, k, s, e, q_taus, p_taus, work);
  bool vectors = u != NULL;
  Bidiagonal b = {.precision = precision, .n = k, .d = s, .e = e, .divide = divide};
  b.right = TAKE(work, long double, 2 * k);
  b.left = TAKE(work, long double, 2 * k);
  if (vectors) {
    b.u = TAKE(work, long double, k *k);
    b.vt = TAKE(work, long double, k *k);
  }
  int64_t info = decompose(&b, turned, work);
  if (!vectors) return info;
  if (divide && k == 1) {
    b.u[0] = b.vt[0];
    b.vt[0] = 1;
  }

  // Left and right vectors as columns, in the basis of a. The long side may have more than k.
  int64_t more = wide ? vt_rows : u_columns;
  int64_t u_rows = wide ? k : first_qr ? k : m, v_rows = wide && !first_qr ? n : k;
  int64_t left_columns = wide || first_qr ? k : more, right_columns = turned ? more : k;
  Wide *left = widen(b.u, k, u_rows, left_columns, false, work);
  Wide *right = widen(b.vt, k, v_rows, right_columns, true, work);
  if (turned) {
    apply_p(core.a, k, p_taus, left, left_columns, work);
    apply_q(core.a, core.m, k, q_taus, right, right_columns, work);
  } else {
    apply_q(core.a, core.m, k, q_taus, left, left_columns, work);
    apply_p(core.a, k, p_taus, right, right_columns, work);
  }
  if (first_qr) {
    Wide *inner = wide ? right : left, *outer = TAKE(work, Wide, length * more);
    for (int64_t i = 0; i < length; i++)
      for (int64_t j = 0; j < more; j++)
        outer[i * more + j] = i < k && j < k ? inner[i * k + j] : wide_of(i == j);
    apply_q(tall.a, length, k, tall.taus, outer, more, work);
    if (wide) {
      right = outer;
      right_columns = more;
    } else {
      left = outer;
      left_columns = more;
    }
  }
  memcpy(u, left, sizeof(Wide) * (size_t)(m * u_columns));
  for (int64_t i = 0; i < vt_rows; i++)
    for (int64_t j = 0; j < n; j++) vt[i * n + j] = wide_conj(right[j * right_columns + i]);
  return info;
}
