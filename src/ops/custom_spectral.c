// The LAPACK calls that go through the table of tensor/lapack.h: eigenvalues, singular values,
// Schur and Hessenberg forms, pivoted QR. This file loops over batches and converts row-major
// literals to LAPACK's column-major matrices and back. The provider gets finite matrices of at most
// MOST_ROWS rows; our own code handles all others.
#include <math.h>
#include <string.h>

#include "ops/custom_lapack.h"
#include "ops/dense.h"
#include "tensor/lapack.h"

enum { MOST_ROWS = 16384 };  // more overflow the 32 bits of LAPACK's work space sizes

// One call on a batch of matrices.
typedef struct Call {
  EvalContext *cx;
  LapackType type;
  const LapackEngine *installed;
  LapackWork work;
} Call;

static void *take(void *arena, size_t bytes) { return arena_alloc(arena, bytes); }

static Call call_begin(EvalContext *cx, const Literal *operand) {
  DType t = operand->dtype;
  return (Call){.cx = cx,
                .type = t == DT_c128          ? LAPACK_Z
                        : dtype_is_complex(t) ? LAPACK_C
                        : t == DT_f64         ? LAPACK_D
                                              : LAPACK_S,
                .installed = lapack_engine(),
                .work = {.take = take, .context = cx->scratch}};
}

static void *space(const Call *call, int64_t count) {
  return arena_calloc(call->cx->scratch, (size_t)count + 1, lapack_bytes(call->type));
}

// All elements of an operand in the type of the call.
static const char *load(const Call *call, const Literal *operand) {
  static const DenseKind kinds[] = {DENSE_F32, DENSE_F64, DENSE_C64, DENSE_C128};
  return dense_load(call->cx, kinds[call->type], operand);
}

// Matrix b of `data` [batches,m,n] by columns.
static void *columns(const Call *call, const char *data, int64_t b, int64_t m, int64_t n) {
  size_t bytes = lapack_bytes(call->type);
  char *out = space(call, m * n);
  const char *from = data + (size_t)(b * m * n) * bytes;
  for (int64_t i = 0; i < m; i++)
    for (int64_t j = 0; j < n; j++)
      memcpy(out + (size_t)(j * m + i) * bytes, from + (size_t)(i * n + j) * bytes, bytes);
  return out;
}

static Scalar element(LapackType type, const void *data, int64_t i) {
  const float *s = data;
  const double *d = data;
  switch (type) {
  case LAPACK_S: return scalar_c(s[i], 0);
  case LAPACK_D: return scalar_c(d[i], 0);
  case LAPACK_C: return scalar_c(s[2 * i], s[2 * i + 1]);
  case LAPACK_Z: break;
  }
  return scalar_c(d[2 * i], d[2 * i + 1]);
}

static LapackType real_type(LapackType type) {
  return lapack_is_double(type) ? LAPACK_D : LAPACK_S;
}

// Stores a column-major matrix [m,n], or n values, as element b of a result's batch.
static void store(const Call *call, const void *data, int64_t m, int64_t n, int64_t b,
                  Literal *out) {
  for (int64_t i = 0; i < m; i++)
    for (int64_t j = 0; j < n; j++)
      literal_set(out, (b * m + i) * n + j, element(call->type, data, j * m + i));
}
static void store_values(LapackType type, const void *data, int64_t n, int64_t b, Literal *out) {
  for (int64_t i = 0; i < n; i++) literal_set(out, b * n + i, element(type, data, i));
}

// The engine for matrix a [m,n].
static const LapackEngine *engine(const Call *call, const void *a, int64_t m, int64_t n) {
  if (m == 0 || n == 0 || m > MOST_ROWS || n > MOST_ROWS) return &lapack_own;
  for (int64_t i = 0; i < m * n; i++) {
    Scalar x = element(call->type, a, i);
    if (!isfinite(x.f) || !isfinite(x.im)) return &lapack_own;
  }
  return call->installed;
}

static Status *check_rows(int64_t m, int64_t n) {
  if (m > INT32_MAX || n > INT32_MAX)
    FAIL(UNIMPLEMENTED, "matrices of %lld by %lld are too large for a decomposition", (long long)m,
         (long long)n);
  return NULL;
}

// Vectors of a real type are packed: the two columns of a conjugate pair are the real and imaginary
// part of its first vector.
static void store_vectors(const Call *call, const void *v, const void *w, int64_t n, int64_t b,
                          Literal *out) {
  if (lapack_is_complex(call->type)) {
    store(call, v, n, n, b, out);
    return;
  }
  for (int64_t j = 0; j < n; j++) {
    double im = element(call->type, w, n + j).f;
    for (int64_t i = 0; i < n; i++) {
      int64_t at = (b * n + i) * n + j;
      if (im > 0 && j + 1 < n)
        literal_set(out, at,
                    scalar_c(element(call->type, v, j * n + i).f,
                             element(call->type, v, (j + 1) * n + i).f));
      else if (im < 0 && j > 0)
        literal_set(out, at,
                    scalar_c(element(call->type, v, (j - 1) * n + i).f,
                             -element(call->type, v, j * n + i).f));
      else
        literal_set(out, at, scalar_c(element(call->type, v, j * n + i).f, 0));
    }
  }
}

// Eigenvalues: one result of complex types, two of real ones.
static void store_eigenvalues(const Call *call, const char *w, int64_t n, int64_t b,
                              Literal **out) {
  store_values(call->type, w, n, b, out[0]);
  if (!lapack_is_complex(call->type))
    store_values(call->type, w + (size_t)n * lapack_bytes(call->type), n, b, out[1]);
}

Status *custom_geev(EvalContext *cx, Literal *const *in, Literal **out) {
  int64_t n, batches;
  TRY(lapack_square(cx, in, &n, &batches));
  TRY(check_rows(n, n));
  Call call = call_begin(cx, in[0]);
  char left = lapack_flag(cx, "compute_left", 'V'), right = lapack_flag(cx, "compute_right", 'V');
  uint32_t values = lapack_is_complex(call.type) ? 1 : 2;
  int64_t counts[5] = {batches * n};
  counts[values - 1] = batches * n;
  counts[values] = counts[values + 1] = batches * n * n;
  counts[values + 2] = batches;
  TRY(lapack_results(cx, values + 3, counts, out));
  const char *a = load(&call, in[0]);
  for (int64_t b = 0; b < batches; b++) {
    TRY(eval_poll(cx));
    ArenaMark mark = arena_mark(cx->scratch);
    void *m = columns(&call, a, b, n, n), *w = space(&call, 2 * n), *vl = space(&call, n * n),
         *vr = space(&call, n * n);
    int32_t info =
        engine(&call, m, n, n)->geev(call.type, left, right, (int32_t)n, m, w, vl, vr, &call.work);
    store_eigenvalues(&call, w, n, b, out);
    if (left == 'V') store_vectors(&call, vl, w, n, b, out[values]);
    if (right == 'V') store_vectors(&call, vr, w, n, b, out[values + 1]);
    literal_set(out[values + 2], b, scalar_i(info));
    arena_rewind(cx->scratch, mark);
  }
  return NULL;
}

Status *custom_gees(EvalContext *cx, Literal *const *in, Literal **out) {
  int64_t n, batches;
  TRY(lapack_square(cx, in, &n, &batches));
  TRY(check_rows(n, n));
  Call call = call_begin(cx, in[0]);
  char vectors = lapack_flag(cx, "mode", 'V'), sort = lapack_flag(cx, "sort", 'N');
  if (sort != 'N')
    FAIL(UNIMPLEMENTED, "sort is '%c', only 'N' (unsorted eigenvalues) is supported", sort);
  uint32_t values = lapack_is_complex(call.type) ? 1 : 2;
  int64_t counts[6] = {batches * n * n, vectors == 'V' ? batches * n * n : -1, batches * n};
  counts[1 + values] = batches * n;
  counts[2 + values] = counts[3 + values] = batches;
  TRY(lapack_results(cx, values + 4, counts, out));
  const char *a = load(&call, in[0]);
  for (int64_t b = 0; b < batches; b++) {
    TRY(eval_poll(cx));
    ArenaMark mark = arena_mark(cx->scratch);
    void *t = columns(&call, a, b, n, n), *w = space(&call, 2 * n), *vs = space(&call, n * n);
    int32_t info =
        engine(&call, t, n, n)->gees(call.type, vectors, (int32_t)n, t, w, vs, &call.work);
    store(&call, t, n, n, b, out[0]);
    if (vectors == 'V') store(&call, vs, n, n, b, out[1]);
    store_eigenvalues(&call, w, n, b, out + 2);
    literal_set(out[3 + values], b, scalar_i(info));
    arena_rewind(cx->scratch, mark);
  }
  return NULL;
}

Status *custom_gehrd(EvalContext *cx, Literal *const *in, Literal **out) {
  int64_t n, batches;
  TRY(lapack_square(cx, in, &n, &batches));
  TRY(check_rows(n, n));
  Call call = call_begin(cx, in[0]);
  int64_t low = attr_as_int(cx->context, lapack_attr(cx, "low"), 1),
          high = attr_as_int(cx->context, lapack_attr(cx, "high"), n), taus = n > 0 ? n - 1 : 0;
  if (n > 0 && (low < 1 || high < low || high > n))
    FAIL(INVALID_ARGUMENT, "reduces rows %lld to %lld of a matrix of %lld rows", (long long)low,
         (long long)high, (long long)n);
  TRY(lapack_results(cx, 3, (int64_t[]){in[0]->count, batches * taus, batches}, out));
  const char *a = load(&call, in[0]);
  for (int64_t b = 0; n > 0 && b < batches; b++) {
    TRY(eval_poll(cx));
    ArenaMark mark = arena_mark(cx->scratch);
    void *m = columns(&call, a, b, n, n), *tau = space(&call, n);
    int32_t info =
        engine(&call, m, n, n)
            ->gehrd(call.type, (int32_t)n, (int32_t)low, (int32_t)high, m, tau, &call.work);
    store(&call, m, n, n, b, out[0]);
    store_values(call.type, tau, taus, b, out[1]);
    literal_set(out[2], b, scalar_i(info));
    arena_rewind(cx->scratch, mark);
  }
  return NULL;
}

Status *custom_sytrd(EvalContext *cx, Literal *const *in, Literal **out) {
  int64_t n, batches;
  TRY(lapack_square(cx, in, &n, &batches));
  TRY(check_rows(n, n));
  Call call = call_begin(cx, in[0]);
  char uplo = lapack_flag(cx, "uplo", 'L');
  int64_t taus = n > 0 ? n - 1 : 0;
  TRY(lapack_results(
      cx, 5, (int64_t[]){in[0]->count, batches * n, batches * taus, batches * taus, batches}, out));
  const char *a = load(&call, in[0]);
  for (int64_t b = 0; b < batches; b++) {
    TRY(eval_poll(cx));
    ArenaMark mark = arena_mark(cx->scratch);
    void *m = columns(&call, a, b, n, n), *d = space(&call, n), *e = space(&call, n),
         *tau = space(&call, n);
    int32_t info =
        engine(&call, m, n, n)->sytrd(call.type, uplo, (int32_t)n, m, d, e, tau, &call.work);
    store(&call, m, n, n, b, out[0]);
    store_values(real_type(call.type), d, n, b, out[1]);
    store_values(real_type(call.type), e, taus, b, out[2]);
    store_values(call.type, tau, taus, b, out[3]);
    literal_set(out[4], b, scalar_i(info));
    arena_rewind(cx->scratch, mark);
  }
  return NULL;
}

Status *custom_ormqr(EvalContext *cx, Literal *const *in, Literal **out) {
  int64_t rows, k, m, n, batches, c_batches;
  TRY(lapack_sizes(cx, in, 0, &rows, &k, &batches));
  TRY(lapack_sizes(cx, in, 2, &m, &n, &c_batches));
  TRY(check_rows(m, n));
  TRY(check_rows(rows, k));
  bool left = attr_as_bool(cx->context, lapack_attr(cx, "left"), true),
       adjoint = attr_as_bool(cx->context, lapack_attr(cx, "transpose"), false);
  int64_t reflectors = in[1]->rank ? in[1]->dims[in[1]->rank - 1] : 0;
  if (batches != c_batches || rows != (left ? m : n) || reflectors > k || reflectors > rows ||
      in[1]->count != batches * reflectors || in[1]->kind != LITERAL_ARRAY)
    FAIL(INVALID_ARGUMENT,
         "%lld times %lld reflectors of %lld rows do not fit %lld matrices of %lld by %lld on the "
         "%s",
         (long long)batches, (long long)reflectors, (long long)rows, (long long)c_batches,
         (long long)m, (long long)n, left ? "left" : "right");
  Call call = call_begin(cx, in[2]);
  TRY(lapack_results(cx, 1, (int64_t[]){in[2]->count}, out));
  const char *a = load(&call, in[0]), *taus = load(&call, in[1]), *c = load(&call, in[2]);
  for (int64_t b = 0; b < batches; b++) {
    TRY(eval_poll(cx));
    ArenaMark mark = arena_mark(cx->scratch);
    void *q = columns(&call, a, b, rows, k), *x = columns(&call, c, b, m, n);
    const char *tau = taus + (size_t)(b * reflectors) * lapack_bytes(call.type);
    const LapackEngine *who = engine(&call, x, m, n);
    if (reflectors == 0 || engine(&call, q, rows, k) == &lapack_own) who = &lapack_own;
    int32_t info = who->ormqr(call.type, left ? 'L' : 'R', adjoint, (int32_t)m, (int32_t)n,
                              (int32_t)reflectors, q, tau, x, &call.work);
    (void)info;  // only of wrong arguments
    store(&call, x, m, n, b, out[0]);
    arena_rewind(cx->scratch, mark);
  }
  return NULL;
}

Status *custom_geqp3(EvalContext *cx, Literal *const *in, Literal **out) {
  int64_t m, n, batches;
  TRY(lapack_sizes(cx, in, 0, &m, &n, &batches));
  TRY(check_rows(m, n));
  int64_t k = m < n ? m : n;
  if (cx->n_in < 2 || in[1]->kind != LITERAL_ARRAY || in[1]->count != batches * n ||
      !dtype_is_integer(in[1]->dtype))
    FAIL(INVALID_ARGUMENT, "requires %lld integers as pivots", (long long)(batches * n));
  Call call = call_begin(cx, in[0]);
  TRY(lapack_results(cx, 3, (int64_t[]){in[0]->count, batches * n, batches * k}, out));
  const char *a = load(&call, in[0]);
  for (int64_t b = 0; b < batches; b++) {
    TRY(eval_poll(cx));
    ArenaMark mark = arena_mark(cx->scratch);
    void *r = columns(&call, a, b, m, n), *tau = space(&call, k);
    int32_t *pivots = ARENA_ARRAY(cx->scratch, int32_t, (size_t)n + 1);
    for (int64_t j = 0; j < n; j++) pivots[j] = literal_get(in[1], b * n + j).i != 0;
    int32_t info = engine(&call, r, m, n)
                       ->geqp3(call.type, (int32_t)m, (int32_t)n, r, pivots, tau, &call.work);
    (void)info;  // only of wrong arguments
    store(&call, r, m, n, b, out[0]);
    for (int64_t j = 0; j < n; j++) literal_set(out[1], b * n + j, scalar_i(pivots[j]));
    store_values(call.type, tau, k, b, out[2]);
    arena_rewind(cx->scratch, mark);
  }
  return NULL;
}

Status *custom_syevd(EvalContext *cx, Literal *const *in, Literal **out) {
  int64_t n, batches;
  TRY(lapack_square(cx, in, &n, &batches));
  TRY(check_rows(n, n));
  Call call = call_begin(cx, in[0]);
  char uplo = lapack_flag(cx, "uplo", 'L');
  TRY(lapack_results(cx, 3, (int64_t[]){in[0]->count, batches * n, batches}, out));
  const char *a = load(&call, in[0]);
  for (int64_t b = 0; b < batches; b++) {
    TRY(eval_poll(cx));
    ArenaMark mark = arena_mark(cx->scratch);
    void *m = columns(&call, a, b, n, n), *w = space(&call, n);
    int32_t info = engine(&call, m, n, n)->syevd(call.type, uplo, (int32_t)n, m, w, &call.work);
    store(&call, m, n, n, b, out[0]);
    store_values(real_type(call.type), w, n, b, out[1]);
    literal_set(out[2], b, scalar_i(info));
    arena_rewind(cx->scratch, mark);
  }
  return NULL;
}

static Status *svd(EvalContext *cx, Literal *const *in, Literal **out, bool divide) {
  int64_t m, n, batches;
  TRY(lapack_sizes(cx, in, 0, &m, &n, &batches));
  TRY(check_rows(m, n));
  int64_t k = m < n ? m : n;
  char mode = lapack_flag(cx, "mode", 'A');
  bool vectors = mode == 'A' || mode == 'S';
  int64_t u_columns = mode == 'A' ? m : k, vt_rows = mode == 'A' ? n : k;
  TRY(lapack_results(cx, 5,
                     (int64_t[]){in[0]->count, batches * k, vectors ? batches * m * u_columns : -1,
                                 vectors ? batches * vt_rows * n : -1, batches},
                     out));
  Call call = call_begin(cx, in[0]);
  const char *a = load(&call, in[0]);
  for (int64_t b = 0; b < batches; b++) {
    TRY(eval_poll(cx));
    ArenaMark mark = arena_mark(cx->scratch);
    void *x = columns(&call, a, b, m, n), *s = space(&call, k),
         *u = vectors ? space(&call, m * u_columns) : NULL,
         *vt = vectors ? space(&call, vt_rows * n) : NULL;
    int32_t info = engine(&call, x, m, n)
                       ->svd(call.type, divide, vectors ? mode : 'N', (int32_t)m, (int32_t)n, x, s,
                             u, vt, &call.work);
    store_values(real_type(call.type), s, k, b, out[1]);
    if (vectors) store(&call, u, m, u_columns, b, out[2]);
    if (vectors) store(&call, vt, vt_rows, n, b, out[3]);
    literal_set(out[4], b, scalar_i(info));
    arena_rewind(cx->scratch, mark);
  }
  return NULL;
}

Status *custom_gesdd(EvalContext *cx, Literal *const *in, Literal **out) {
  return svd(cx, in, out, true);
}
Status *custom_gesvd(EvalContext *cx, Literal *const *in, Literal **out) {
  return svd(cx, in, out, false);
}
