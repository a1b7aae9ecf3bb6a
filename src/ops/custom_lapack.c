// LAPACK's calls on batches of matrices. The algorithms are in matrix.c; this file implements the
// conventions: flags as letters, pivots from 1, `info` 0 or the number of the step that failed.
// Results are rounded once.
#include "ops/custom_lapack.h"

#include "ops/custom_linalg.h"
#include "ops/dense.h"
#include "tensor/matrix.h"

Attr lapack_attr(EvalContext *cx, const char *name) {
  Attr config = eval_attr(cx, "mhlo.backend_config");
  if (attr_info(cx->context, config)->kind != ATTR_DICT) config = eval_attr(cx, "backend_config");
  return attr_get(cx->context, config, name);
}

char lapack_flag(EvalContext *cx, const char *name, char otherwise) {
  return (char)attr_as_int(cx->context, lapack_attr(cx, name), otherwise);
}

Status *lapack_sizes(EvalContext *cx, Literal *const *in, uint32_t i, int64_t *m, int64_t *n,
                     int64_t *batches) {
  if (cx->n_in <= i)
    FAIL(INVALID_ARGUMENT, "requires at least %u operands, got %u", i + 1, cx->n_in);
  const Literal *l = in[i];
  if (l->rank < 2 || !(dtype_is_float(l->dtype) || dtype_is_complex(l->dtype)))
    FAIL(INVALID_ARGUMENT,
         "operand %u has rank %u and element type %s, expected matrices of floats", i, l->rank,
         dtype_info(l->dtype)->name);
  *m = l->dims[l->rank - 2];
  *n = l->dims[l->rank - 1];
  *batches = 1;
  for (uint32_t d = 0; d + 2 < l->rank; d++) *batches = shape_times(*batches, l->dims[d]);
  return NULL;
}

Status *lapack_square(EvalContext *cx, Literal *const *in, int64_t *n, int64_t *batches) {
  int64_t m;
  TRY(lapack_sizes(cx, in, 0, &m, n, batches));
  if (m != *n)
    FAIL(INVALID_ARGUMENT, "requires square matrices, got %lld by %lld", (long long)m,
         (long long)*n);
  return NULL;
}

Status *lapack_results(EvalContext *cx, uint32_t least, const int64_t *count, Literal **out) {
  if (cx->n_out < least) FAIL(INVALID_ARGUMENT, "has %u results, expected %u", cx->n_out, least);
  for (uint32_t i = 0; i < cx->n_out; i++) {
    Type type = eval_result_type(cx, i);
    if (!type_is_tensor(cx->context, type) || !type_is_static(cx->context, type))
      FAIL(INVALID_ARGUMENT, "result %u is declared as %s, expected a tensor of static shape", i,
           type_text(cx->context, type));
    out[i] = eval_new_result(cx, i);
    if (i < least && count[i] >= 0 && out[i]->count != count[i])
      FAIL(INVALID_ARGUMENT, "result %u has %lld elements, expected %lld", i,
           (long long)out[i]->count, (long long)count[i]);
  }
  return NULL;
}

static void store(Literal *out, int64_t at, Wide v) {
  literal_set(out, at, scalar_c((double)v.re, (double)v.im));
}

static void store_all(Literal *out, int64_t at, const Wide *data, int64_t n) {
  for (int64_t i = 0; i < n; i++) store(out, at + i, data[i]);
}

Status *custom_potrf(EvalContext *cx, Literal *const *in, Literal **out) {
  int64_t n, batches;
  TRY(lapack_square(cx, in, &n, &batches));
  TRY(lapack_results(cx, 2, (int64_t[]){in[0]->count, batches}, out));
  bool lower = lapack_flag(cx, "uplo", 'L') == 'L';
  Wide *a = dense_load(cx, DENSE_WIDE, in[0]),
       *l = ARENA_ARRAY(cx->scratch, Wide, (size_t)(n * n) + 1);
  for (int64_t b = 0; b < batches; b++) {
    Wide *at = a + b * n * n;
    literal_set(out[1], b, scalar_i(matrix_cholesky(at, n, lower, l)));
    for (int64_t i = 0; i < n; i++)  // the other triangle is unchanged
      for (int64_t j = 0; j <= i; j++) {
        if (lower)
          at[i * n + j] = l[i * n + j];
        else
          at[j * n + i] = wide_conj(l[i * n + j]);
      }
  }
  store_all(out[0], 0, a, in[0]->count);
  return NULL;
}

Status *custom_getrf(EvalContext *cx, Literal *const *in, Literal **out) {
  int64_t m, n, batches;
  TRY(lapack_sizes(cx, in, 0, &m, &n, &batches));
  int64_t k = m < n ? m : n;
  TRY(lapack_results(cx, 3, (int64_t[]){in[0]->count, batches * k, batches}, out));
  Wide *a = dense_load(cx, DENSE_WIDE, in[0]);
  int64_t *pivots = ARENA_ARRAY(cx->scratch, int64_t, (size_t)k + 1);
  int64_t *order = ARENA_ARRAY(cx->scratch, int64_t, (size_t)m + 1);
  for (int64_t b = 0; b < batches; b++) {
    Wide *at = a + b * m * n;
    matrix_lu(at, m, n, pivots, order);
    int64_t singular = 0;
    for (int64_t i = 0; i < k; i++) {
      literal_set(out[1], b * k + i, scalar_i(pivots[i] + 1));
      if (!singular && at[i * n + i].re == 0 && at[i * n + i].im == 0) singular = i + 1;
    }
    literal_set(out[2], b, scalar_i(singular));
  }
  store_all(out[0], 0, a, in[0]->count);
  return NULL;
}

Status *custom_geqrf(EvalContext *cx, Literal *const *in, Literal **out) {
  return custom_qr(cx, in, out);
}

Status *custom_orgqr(EvalContext *cx, Literal *const *in, Literal **out) {
  return custom_householder_product(cx, in, out);
}

Status *custom_trsm(EvalContext *cx, Literal *const *in, Literal **out) {
  int64_t n, rows, columns, batches, b_batches;
  TRY(lapack_square(cx, in, &n, &batches));
  TRY(lapack_sizes(cx, in, 1, &rows, &columns, &b_batches));
  TRY(lapack_results(cx, 1, (int64_t[]){in[1]->count}, out));
  bool left = lapack_flag(cx, "side", 'L') == 'L', lower = lapack_flag(cx, "uplo", 'L') == 'L';
  char trans = lapack_flag(cx, "trans_x", 'N');
  if (batches != b_batches || n != (left ? rows : columns))
    FAIL(INVALID_ARGUMENT,
         "a has %lld matrices of size %lld and b has %lld of %lld by %lld, which do not match",
         (long long)batches, (long long)n, (long long)b_batches, (long long)rows,
         (long long)columns);
  const Wide *a = dense_load(cx, DENSE_WIDE, in[0]);
  Wide *x = dense_load(cx, DENSE_WIDE, in[1]);
  if (cx->n_in > 2) {
    const Wide *alpha = dense_load(cx, DENSE_WIDE, in[2]);
    for (int64_t i = 0; i < in[1]->count; i++) x[i] = wide_mul(x[i], alpha[0]);
  }
  bool turned = (trans != 'N') != !left;
  Triangle t = {.n = n,
                .row = turned ? 1 : n,
                .column = turned ? n : 1,
                .lower = lower != turned,
                .unit = lapack_flag(cx, "diag", 'N') == 'U',
                .conjugate = trans == 'C'};
  for (int64_t b = 0; b < batches; b++) {
    Wide *base = x + b * rows * columns;
    t.a = a + b * n * n;
    for (int64_t k = 0; k < (left ? columns : rows); k++)
      matrix_substitute(&t, left ? base + k : base + k * columns, left ? columns : 1);
  }
  store_all(out[0], 0, x, in[1]->count);
  return NULL;
}

static void swap(Wide *a, Wide *b) {
  Wide t = *a;
  *a = *b;
  *b = t;
}

// Solves one tridiagonal system with row interchanges; low[i] is below d[i], up and up2 are the two
// superdiagonals. Returns 0 or the step whose pivot is zero. x [n, m] becomes the solution.
static int64_t tridiagonal(int64_t n, int64_t m, Wide *low, Wide *d, Wide *up, Wide *up2, Wide *x) {
  for (int64_t i = 0; i + 1 < n; i++) {
    if (wide_abs(low[i]) > wide_abs(d[i])) {
      swap(&d[i], &low[i]);
      swap(&up[i], &d[i + 1]);
      if (i + 2 < n) {
        up2[i] = up[i + 1];
        up[i + 1] = wide_of(0);
      }
      for (int64_t c = 0; c < m; c++) swap(&x[i * m + c], &x[(i + 1) * m + c]);
    }
    if (d[i].re == 0 && d[i].im == 0) return i + 1;
    Wide f = wide_div(low[i], d[i]);
    d[i + 1] = wide_sub(d[i + 1], wide_mul(f, up[i]));
    if (i + 2 < n) up[i + 1] = wide_sub(up[i + 1], wide_mul(f, up2[i]));
    for (int64_t c = 0; c < m; c++)
      x[(i + 1) * m + c] = wide_sub(x[(i + 1) * m + c], wide_mul(f, x[i * m + c]));
  }
  if (n > 0 && d[n - 1].re == 0 && d[n - 1].im == 0) return n;
  for (int64_t i = n; i-- > 0;)
    for (int64_t c = 0; c < m; c++) {
      Wide v = x[i * m + c];
      if (i + 1 < n) v = wide_sub(v, wide_mul(up[i], x[(i + 1) * m + c]));
      if (i + 2 < n) v = wide_sub(v, wide_mul(up2[i], x[(i + 2) * m + c]));
      x[i * m + c] = wide_div(v, d[i]);
    }
  return 0;
}

// The diagonals all have n entries: the first of dl and the last of du are outside of the matrix.
Status *custom_gtsv(EvalContext *cx, Literal *const *in, Literal **out) {
  int64_t n, m, batches;
  TRY(lapack_sizes(cx, in, 3, &n, &m, &batches));
  for (uint32_t i = 0; i < 3; i++)
    if (in[i]->count != batches * n)
      FAIL(INVALID_ARGUMENT, "diagonal %u has %lld elements, expected %lld", i,
           (long long)in[i]->count, (long long)(batches * n));
  TRY(lapack_results(
      cx, 5, (int64_t[]){batches * n, batches * n, batches * n, in[3]->count, batches}, out));
  Wide *part[4], *up2 = ARENA_ARRAY(cx->scratch, Wide, (size_t)n + 1);
  for (uint32_t i = 0; i < 4; i++) part[i] = dense_load(cx, DENSE_WIDE, in[i]);
  for (int64_t b = 0; b < batches; b++) {
    for (int64_t i = 0; i < n; i++) up2[i] = wide_of(0);
    int64_t at = b * n;
    int64_t info =
        tridiagonal(n, m, part[0] + at + 1, part[1] + at, part[2] + at, up2, part[3] + b * n * m);
    literal_set(out[4], b, scalar_i(info));
  }
  for (uint32_t i = 0; i < 4; i++) store_all(out[i], 0, part[i], in[i]->count);
  return NULL;
}
