// XLA's custom calls of linear algebra on batches of matrices; the algorithms are in matrix.c.
// Results are rounded once.
#include "ops/custom_linalg.h"

#include "ops/dense.h"
#include "tensor/matrix.h"

// A batch of matrices in wide numbers.
typedef struct Matrices {
  Wide *data;
  int64_t m, n, batches;
} Matrices;

// Checks the numbers of operands and results.
static Status *check_counts(const EvalContext *cx, uint32_t n_in, uint32_t n_out) {
  if (cx->n_in != n_in || cx->n_out < n_out)
    FAIL(INVALID_ARGUMENT, "has %u operands and %u results, expected %u and %u", cx->n_in,
         cx->n_out, n_in, n_out);
  return NULL;
}

static bool fits(const Context *context, const Literal *literal, Type type) {
  const TypeInfo *info = type_info(context, type);
  if (info->kind != TYPE_TENSOR || info->elem != literal->elem || info->rank != literal->rank)
    return false;
  for (uint32_t d = 0; d < info->rank; d++)
    if (info->dims[d] != DIM_DYNAMIC && info->dims[d] != literal->dims[d]) return false;
  return true;
}

// Checks the computed results against the declared types; further results are work space: zeros.
static Status *finish(EvalContext *cx, uint32_t n, Literal **out) {
  for (uint32_t i = 0; i < cx->n_out; i++) {
    Type type = eval_result_type(cx, i);
    bool known = type_is_tensor(cx->context, type) && type_is_static(cx->context, type);
    if (i >= n && known)
      out[i] = eval_new_result(cx, i);
    else if (i >= n || !fits(cx->context, out[i], type))
      FAIL(INVALID_ARGUMENT, "result %u is declared as %s, which does not match the operands", i,
           type_text(cx->context, eval_result_type(cx, i)));
  }
  return NULL;
}

static Status *load(EvalContext *cx, const Literal *literal, Matrices *out) {
  if (literal->rank < 2 || literal->rank > MAX_RANK ||
      !(dtype_is_float(literal->dtype) || dtype_is_complex(literal->dtype)))
    FAIL(INVALID_ARGUMENT,
         "a matrix decomposition requires floats of rank 2 or more, got rank %u of %s",
         literal->rank, dtype_info(literal->dtype)->name);
  out->m = literal->dims[literal->rank - 2];
  out->n = literal->dims[literal->rank - 1];
  out->batches = 1;
  for (uint32_t d = 0; d + 2 < literal->rank; d++)
    out->batches = shape_times(out->batches, literal->dims[d]);
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

Status *custom_qr(EvalContext *cx, Literal *const *in, Literal **out) {
  Matrices a;
  TRY(check_counts(cx, 1, 2));
  TRY(load(cx, in[0], &a));
  int64_t k = a.m < a.n ? a.m : a.n;
  Wide *taus = ARENA_ARRAY(cx->scratch, Wide, (size_t)(a.batches * k) + 1);
  for (int64_t b = 0; b < a.batches; b++) matrix_qr(a.data + b * a.m * a.n, a.m, a.n, taus + b * k);
  out[0] = literal_like(in[0], cx->context, in[0]->elem);
  out[1] = new_batch(cx, in[0], in[0]->elem, 1, &k);
  store_all(out[0], a.data);
  store_all(out[1], taus);
  return finish(cx, 2, out);
}

Status *custom_householder_product(EvalContext *cx, Literal *const *in, Literal **out) {
  Matrices a;
  TRY(check_counts(cx, 2, 1));
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
      matrix_reflect(q, a.m, a.n, 0, a.data + b * size, a.n, c, c, taus[b * k + c]);
    for (int64_t i = 0; i < size; i++) store(out[0], b * size + i, q[i]);
  }
  return finish(cx, 1, out);
}

Status *custom_lu(EvalContext *cx, Literal *const *in, Literal **out) {
  Matrices a;
  TRY(check_counts(cx, 1, 3));
  TRY(load(cx, in[0], &a));
  int64_t k = a.m < a.n ? a.m : a.n;
  int64_t *pivots = ARENA_ARRAY(cx->scratch, int64_t, (size_t)k + 1),
          *order = ARENA_ARRAY(cx->scratch, int64_t, (size_t)a.m + 1);
  out[0] = literal_like(in[0], cx->context, in[0]->elem);
  out[1] = new_batch(cx, in[0], DT_i32, 1, &k);
  out[2] = new_batch(cx, in[0], DT_i32, 1, &a.m);
  for (int64_t b = 0; b < a.batches; b++) {
    matrix_lu(a.data + b * a.m * a.n, a.m, a.n, pivots, order);
    for (int64_t i = 0; i < k; i++) literal_set(out[1], b * k + i, scalar_i(pivots[i]));
    for (int64_t i = 0; i < a.m; i++) literal_set(out[2], b * a.m + i, scalar_i(order[i]));
  }
  store_all(out[0], a.data);
  return finish(cx, 3, out);
}

Status *custom_eigh(EvalContext *cx, Literal *const *in, Literal **out) {
  Matrices a;
  TRY(check_counts(cx, 1, 2));
  TRY(load(cx, in[0], &a));
  if (a.m != a.n)
    FAIL(INVALID_ARGUMENT, "Eigh requires square matrices, got %lld by %lld", (long long)a.m,
         (long long)a.n);
  Str config = name_str(cx->context, attr_as_name(cx->context, eval_attr(cx, "backend_config")));
  bool lower = config.n == 0 || config.s[0] != '0', sorted = config.n < 3 || config.s[2] != '0';
  int64_t n = a.n, size = n * n, *order = ARENA_ARRAY(cx->scratch, int64_t, (size_t)n + 1);
  Wide *v = ARENA_ARRAY(cx->scratch, Wide, (size_t)size + 1);
  out[0] = literal_like(in[0], cx->context, in[0]->elem);
  out[1] = new_batch(cx, in[0], type_scalar(dtype_real_of(in[0]->dtype)), 1, &n);
  for (int64_t b = 0; b < a.batches; b++) {
    Wide *m = a.data + b * size;
    matrix_make_hermitian(m, n, lower);
    matrix_eigh(m, v, n);
    for (int64_t i = 0; i < n; i++) order[i] = i;
    if (sorted) matrix_sort_diagonal(m, n, order);
    for (int64_t i = 0; i < n; i++) {
      literal_set(out[1], b * n + i, scalar_f((double)m[order[i] * (n + 1)].re));
      for (int64_t r = 0; r < n; r++) store(out[0], b * size + r * n + i, v[r * n + order[i]]);
    }
  }
  return finish(cx, 2, out);
}
