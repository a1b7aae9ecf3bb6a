// Matrix decompositions, computed in long double and rounded once at the end: Householder QR, LU
// with partial pivoting (the first largest pivot wins), and eigenvalues of Hermitian matrices by
// cyclic Jacobi rotations (Golub and Van Loan, "Matrix Computations", 5.1, 3.4, 8.5). O(n^3) per
// matrix, Jacobi O(n^3) per sweep.
#include "ops/custom_linalg.h"

#include "ops/dense.h"
#include "ops/wide.h"

// A batch of matrices in wide numbers.
typedef struct Matrices {
  Wide *data;
  int64_t m, n, batches;
} Matrices;

static Status *load(EvalContext *cx, const Literal *literal, Matrices *out) {
  if (literal->rank < 2 || literal->rank > MAX_RANK ||
      !(dtype_is_float(literal->dtype) || dtype_is_complex(literal->dtype)))
    FAIL(INVALID_ARGUMENT,
         "a matrix decomposition takes floats of rank 2 or more, not rank %u of %s", literal->rank,
         dtype_info(literal->dtype)->name);
  out->m = literal->dims[literal->rank - 2];
  out->n = literal->dims[literal->rank - 1];
  out->batches = 1;
  for (uint32_t d = 0; d + 2 < literal->rank; d++) out->batches *= literal->dims[d];
  out->data = dense_load(cx, DENSE_WIDE, literal);
  return NULL;
}

// A new literal with the batch dimensions of `like` and the given last ones.
static Literal *new_batch(EvalContext *cx, const Literal *like, Type elem, uint32_t n_last,
                          const int64_t *last) {
  int64_t dims[MAX_RANK];
  uint32_t rank = like->rank - 2;
  for (uint32_t d = 0; d < rank; d++) dims[d] = like->dims[d];
  for (uint32_t i = 0; i < n_last; i++) dims[rank++] = last[i];
  return literal_new(cx->heap, cx->context, elem, rank, dims);
}

static void store(Literal *out, int64_t at, Wide v) {
  literal_set(out, at, scalar_c((double)v.re, (double)v.im));
}

static void store_all(Literal *out, const Wide *data) {
  for (int64_t i = 0; i < out->count; i++) store(out, i, data[i]);
}

// Applies h = 1 - tau v v^H from the left to columns [first, n) of a [m, n]; v[i] for rows i >=
// row, v[row] is 1 and the rest stands in column `column` of `vectors`.
static void reflect(Wide *a, int64_t m, int64_t n, int64_t first, const Wide *vectors,
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

static void qr(Wide *a, int64_t m, int64_t n, Wide *taus) {
  int64_t k = m < n ? m : n;
  for (int64_t c = 0; c < k; c++) {
    Wide alpha = a[c * n + c];
    long double below = 0;
    for (int64_t i = c + 1; i < m; i++) below = hypotl(below, wide_abs(a[i * n + c]));
    taus[c] = wide_of(0);
    if (below == 0 && alpha.im == 0) continue;
    long double beta = -copysignl(hypotl(wide_abs(alpha), below), alpha.re);
    taus[c] = (Wide){(beta - alpha.re) / beta, -alpha.im / beta};
    Wide scale = wide_div(wide_of(1), wide_sub(alpha, wide_of(beta)));
    for (int64_t i = c + 1; i < m; i++) a[i * n + c] = wide_mul(a[i * n + c], scale);
    a[c * n + c] = wide_of(beta);
    reflect(a, m, n, c + 1, a, n, c, c, wide_conj(taus[c]));
  }
}

Status *custom_qr(EvalContext *cx, Literal *const *in, Literal **out) {
  Matrices a;
  TRY(load(cx, in[0], &a));
  int64_t k = a.m < a.n ? a.m : a.n;
  Wide *taus = ARENA_ARRAY(cx->scratch, Wide, (size_t)(a.batches * k) + 1);
  for (int64_t b = 0; b < a.batches; b++) qr(a.data + b * a.m * a.n, a.m, a.n, taus + b * k);
  out[0] = literal_like(in[0], cx->context, in[0]->elem);
  out[1] = new_batch(cx, in[0], in[0]->elem, 1, &k);
  store_all(out[0], a.data);
  store_all(out[1], taus);
  return NULL;
}

Status *custom_householder_product(EvalContext *cx, Literal *const *in, Literal **out) {
  Matrices a;
  TRY(load(cx, in[0], &a));
  int64_t k = in[1]->rank ? in[1]->dims[in[1]->rank - 1] : 0, size = a.m * a.n;
  if (in[1]->rank + 1 != in[0]->rank || k > a.n || k > a.m || in[1]->count != a.batches * k)
    FAIL(INVALID_ARGUMENT, "%lld reflectors do not fit matrices of %lld by %lld", (long long)k,
         (long long)a.m, (long long)a.n);
  const Wide *taus = dense_load(cx, DENSE_WIDE, in[1]);
  Wide *q = ARENA_ARRAY(cx->scratch, Wide, (size_t)size + 1);
  out[0] = literal_like(in[0], cx->context, in[0]->elem);
  for (int64_t b = 0; b < a.batches; b++) {
    for (int64_t i = 0; i < size; i++) q[i] = wide_of(i / a.n == i % a.n);
    for (int64_t c = k; c-- > 0;)
      reflect(q, a.m, a.n, 0, a.data + b * size, a.n, c, c, taus[b * k + c]);
    for (int64_t i = 0; i < size; i++) store(out[0], b * size + i, q[i]);
  }
  return NULL;
}

static void lu(Wide *a, int64_t m, int64_t n, int64_t *pivots, int64_t *order) {
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

Status *custom_lu(EvalContext *cx, Literal *const *in, Literal **out) {
  Matrices a;
  TRY(load(cx, in[0], &a));
  int64_t k = a.m < a.n ? a.m : a.n;
  int64_t *pivots = ARENA_ARRAY(cx->scratch, int64_t, (size_t)k + 1),
          *order = ARENA_ARRAY(cx->scratch, int64_t, (size_t)a.m + 1);
  out[0] = literal_like(in[0], cx->context, in[0]->elem);
  out[1] = new_batch(cx, in[0], DT_i32, 1, &k);
  out[2] = new_batch(cx, in[0], DT_i32, 1, &a.m);
  for (int64_t b = 0; b < a.batches; b++) {
    lu(a.data + b * a.m * a.n, a.m, a.n, pivots, order);
    for (int64_t i = 0; i < k; i++) literal_set(out[1], b * k + i, scalar_i(pivots[i]));
    for (int64_t i = 0; i < a.m; i++) literal_set(out[2], b * a.m + i, scalar_i(order[i]));
  }
  store_all(out[0], a.data);
  return NULL;
}

// One rotation that makes a[p][q] zero, applied to a (both sides) and to the columns of v.
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

static void eigh(Wide *a, Wide *v, int64_t n) {
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
    if (!(off > all * 1e-38L)) return;
    for (int64_t p = 0; p < n; p++)
      for (int64_t q = p + 1; q < n; q++) rotate(a, v, n, p, q);
  }
}

// Fills a's other triangle from the one that is read.
static void make_hermitian(Wide *a, int64_t n, bool lower) {
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

Status *custom_eigh(EvalContext *cx, Literal *const *in, Literal **out) {
  Matrices a;
  TRY(load(cx, in[0], &a));
  if (a.m != a.n)
    FAIL(INVALID_ARGUMENT, "Eigh takes square matrices, not %lld by %lld", (long long)a.m,
         (long long)a.n);
  Str config = name_str(cx->context, attr_as_name(cx->context, eval_attr(cx, "backend_config")));
  bool lower = config.n == 0 || config.s[0] != '0', sorted = config.n < 3 || config.s[2] != '0';
  int64_t n = a.n, size = n * n, *order = ARENA_ARRAY(cx->scratch, int64_t, (size_t)n + 1);
  Wide *v = ARENA_ARRAY(cx->scratch, Wide, (size_t)size + 1);
  out[0] = literal_like(in[0], cx->context, in[0]->elem);
  out[1] = new_batch(cx, in[0], type_scalar(dtype_real_of(in[0]->dtype)), 1, &n);
  for (int64_t b = 0; b < a.batches; b++) {
    Wide *m = a.data + b * size;
    make_hermitian(m, n, lower);
    eigh(m, v, n);
    for (int64_t i = 0; i < n; i++) {  // insertion sort by eigenvalue, stable
      int64_t at = i;
      for (; sorted && at > 0 && m[order[at - 1] * (n + 1)].re > m[i * (n + 1)].re; at--)
        order[at] = order[at - 1];
      order[at] = i;
    }
    for (int64_t i = 0; i < n; i++) {
      literal_set(out[1], b * n + i, scalar_f((double)m[order[i] * (n + 1)].re));
      for (int64_t r = 0; r < n; r++) store(out[0], b * size + r * n + i, v[r * n + order[i]]);
    }
  }
  return NULL;
}
