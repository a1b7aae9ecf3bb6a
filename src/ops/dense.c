// Elements of literals as C arrays. Each function has one flat loop per kind; a transpose walks the
// source in order and updates the destination's offset by strides. O(elements) each, dense_dot
// O(n).
#include "ops/dense.h"

#include <string.h>

static bool is_wide(DType type) { return type == DT_f64 || type == DT_c128; }

DenseKind dense_kind(DType lhs, DType rhs, DType result) {
  bool wide = is_wide(lhs) || is_wide(rhs) || is_wide(result);
  if (dtype_is_complex(lhs) || dtype_is_complex(rhs)) return wide ? DENSE_C128 : DENSE_C64;
  if (dtype_is_float(lhs) || dtype_is_float(rhs)) return wide ? DENSE_F64 : DENSE_F32;
  return DENSE_INT;
}

size_t dense_bytes(DenseKind kind) {
  switch (kind) {
  case DENSE_INT: return sizeof(uint64_t);
  case DENSE_F32: return sizeof(float);
  case DENSE_F64: return sizeof(double);
  case DENSE_C64: return 2 * sizeof(float);
  case DENSE_C128: return 2 * sizeof(double);
  case DENSE_WIDE: return 2 * sizeof(long double);
  }
  return 0;
}

DType dense_expressed(const Context *context, Type elem) {
  const QuantInfo *quant = type_quant_info(context, elem);
  return quant ? quant->expressed : type_dtype(context, elem);
}

bool dense_same_baseline(const Context *context, Type a, Type b) {
  const QuantInfo *p = type_quant_info(context, a), *q = type_quant_info(context, b);
  if (!p || !q) return a == b;
  return p->storage == q->storage && p->expressed == q->expressed && p->min == q->min &&
         p->max == q->max;
}

static double round_to(DType type, double value) { return dtype_round(type, scalar_f(value)).f; }

static void put(DenseKind kind, void *data, int64_t i, DType from, Scalar v) {
  DTypeKind k = dtype_kind(from);
  bool integer = k != KIND_FLOAT && k != KIND_COMPLEX;
  long double re;
  if (k == KIND_UINT)
    re = (long double)v.u;
  else if (integer)
    re = (long double)v.i;
  else
    re = (long double)v.f;
  long double im = k == KIND_COMPLEX ? (long double)v.im : 0;
  switch (kind) {
  case DENSE_INT: ((uint64_t *)data)[i] = v.u; break;
  case DENSE_F32: ((float *)data)[i] = (float)re; break;
  case DENSE_F64: ((double *)data)[i] = (double)re; break;
  case DENSE_C64:
    ((float *)data)[2 * i] = (float)re;
    ((float *)data)[2 * i + 1] = (float)im;
    break;
  case DENSE_C128:
    ((double *)data)[2 * i] = (double)re;
    ((double *)data)[2 * i + 1] = (double)im;
    break;
  case DENSE_WIDE:
    ((long double *)data)[2 * i] = re;
    ((long double *)data)[2 * i + 1] = im;
    break;
  }
}

static void *new_array(EvalContext *cx, DenseKind kind, int64_t count) {
  return arena_calloc(cx->scratch, (size_t)count + 1, dense_bytes(kind));
}

void *dense_load(EvalContext *cx, DenseKind kind, const Literal *literal) {
  void *data = new_array(cx, kind, literal->count);
  if ((kind == DENSE_F32 && literal->dtype == DT_f32) ||
      (kind == DENSE_C64 && literal->dtype == DT_c64)) {
    memcpy(data, literal->data, (size_t)literal->count * dense_bytes(kind));
  } else if ((kind == DENSE_F64 && dtype_is_float(literal->dtype)) ||
             (kind == DENSE_C128 && dtype_is_complex(literal->dtype))) {
    dtype_load_f64s(literal->dtype, literal->data, 0, literal->count, data);
  } else {
    for (int64_t i = 0; i < literal->count; i++)
      put(kind, data, i, literal->dtype, literal_get(literal, i));
  }
  return data;
}

void *dense_transpose(EvalContext *cx, DenseKind kind, const void *data, uint32_t rank,
                      const int64_t *dims, uint32_t n_perm, const uint32_t *perm) {
  int64_t count = 1, stride = 1;
  int64_t strides[MAX_RANK] = {0}, index[MAX_RANK] = {0};
  bool same = n_perm == rank;
  for (uint32_t d = 0; d < rank; d++) count = shape_times(count, dims[d]);
  for (uint32_t p = n_perm; p-- > 0;) {
    strides[perm[p]] = stride;
    stride = shape_times(stride, dims[perm[p]]);
    same = same && perm[p] == p;
  }
  size_t bytes = dense_bytes(kind);
  if (same) return arena_copy(cx->scratch, data, (size_t)count * bytes + 1);
  char *out = new_array(cx, kind, count);
  if (count == 0) return out;
  const char *from = data;
  int64_t at = 0;
  for (int64_t i = 0; i < count; i++, from += bytes) {
    memcpy(out + (size_t)at * bytes, from, bytes);
    for (uint32_t d = rank; d-- > 0;) {
      at += strides[d];
      if (++index[d] < dims[d]) break;
      at -= strides[d] * dims[d];
      index[d] = 0;
    }
  }
  return out;
}

// The number of terms in the first half of a dot product of n > 1: the largest power of 2 below n.
static int64_t half_of(int64_t n) {
  int64_t half = 1;
  while (2 * half < n) half *= 2;
  return half;
}

// Dot products of real or complex numbers of one C type: a balanced tree down to one term. 8 terms
// are unrolled, since nearly all time is spent there. A sum of zeros is 0, never -0.
#define DOT_REAL(name, T)                                                                          \
  static T name(const T *x, const T *y, int64_t n) {                                               \
    if (n == 8) {                                                                                  \
      T a = x[0] * y[0] + x[1] * y[1], b = x[2] * y[2] + x[3] * y[3];                              \
      T c = x[4] * y[4] + x[5] * y[5], d = x[6] * y[6] + x[7] * y[7];                              \
      return ((a + b) + (c + d)) + 0;                                                              \
    }                                                                                              \
    if (n < 2) return n ? x[0] * y[0] + 0 : 0;                                                     \
    int64_t half = half_of(n);                                                                     \
    return name(x, y, half) + name(x + half, y + half, n - half);                                  \
  }
#define DOT_COMPLEX(name, T)                                                                       \
  static void name(const T *x, const T *y, int64_t n, T *out) {                                    \
    out[0] = out[1] = 0;                                                                           \
    if (n < 2) {                                                                                   \
      if (!n) return;                                                                              \
      out[0] += x[0] * y[0] - x[1] * y[1];                                                         \
      out[1] += x[0] * y[1] + x[1] * y[0];                                                         \
      return;                                                                                      \
    }                                                                                              \
    int64_t half = half_of(n);                                                                     \
    T more[2];                                                                                     \
    name(x, y, half, out);                                                                         \
    name(x + 2 * half, y + 2 * half, n - half, more);                                              \
    out[0] += more[0];                                                                             \
    out[1] += more[1];                                                                             \
  }
DOT_REAL(dot_f32, float)
DOT_REAL(dot_f64, double)
DOT_COMPLEX(dot_c64, float)
DOT_COMPLEX(dot_c128, double)
DOT_COMPLEX(dot_wide, long double)

Scalar dense_dot(DenseKind kind, const void *a, const void *b, int64_t n) {
  switch (kind) {
  case DENSE_INT: {
    const uint64_t *x = a, *y = b;
    uint64_t sum = 0;
    for (int64_t i = 0; i < n; i++) sum += x[i] * y[i];
    return scalar_u(sum);
  }
  case DENSE_F32: return scalar_f((double)dot_f32(a, b, n));
  case DENSE_F64: return scalar_f(dot_f64(a, b, n));
  case DENSE_C64: {
    float sum[2];
    dot_c64(a, b, n, sum);
    return scalar_c((double)sum[0], (double)sum[1]);
  }
  case DENSE_C128: {
    double sum[2];
    dot_c128(a, b, n, sum);
    return scalar_c(sum[0], sum[1]);
  }
  case DENSE_WIDE: {
    long double sum[2];
    dot_wide(a, b, n, sum);
    return scalar_c((double)sum[0], (double)sum[1]);
  }
  }
  return scalar_u(0);
}

// Equal blocks of terms, as shards of the contracting dimension; sums are added left to right.
Scalar dense_dot_parts(DenseKind kind, int64_t parts, const void *a, const void *b, int64_t n) {
  if (parts < 2 || kind == DENSE_INT) return dense_dot(kind, a, b, n);
  bool narrow = kind == DENSE_F32 || kind == DENSE_C64;
  int64_t each = (n + parts - 1) / parts;
  Scalar sum = scalar_c(0, 0);
  for (int64_t i = 0; i < n; i += each) {
    size_t at = (size_t)i * dense_bytes(kind);
    Scalar part =
        dense_dot(kind, (const char *)a + at, (const char *)b + at, n - i < each ? n - i : each);
    sum.f = narrow ? (double)((float)sum.f + (float)part.f) : sum.f + part.f;
    sum.im = narrow ? (double)((float)sum.im + (float)part.im) : sum.im + part.im;
  }
  return sum;
}

// The number of floats in an array: complex elements have two.
static int64_t part_count(DenseKind kind, int64_t count) {
  return kind == DENSE_F32 || kind == DENSE_F64 ? count : 2 * count;
}

void dense_round(DenseKind kind, void *data, int64_t count, DType type) {
  if (kind == DENSE_INT) return;
  int64_t n = part_count(kind, count);
  for (int64_t i = 0; i < n; i++) {
    if (kind == DENSE_F32 || kind == DENSE_C64)
      ((float *)data)[i] = (float)round_to(type, ((float *)data)[i]);
    else if (kind == DENSE_WIDE)
      ((long double *)data)[i] = round_to(type, (double)((long double *)data)[i]);
    else
      ((double *)data)[i] = round_to(type, ((double *)data)[i]);
  }
}

void dense_subtract(DenseKind kind, void *data, const void *other, int64_t count) {
  if (kind == DENSE_INT) return;
  int64_t n = part_count(kind, count);
  for (int64_t i = 0; i < n; i++) {
    if (kind == DENSE_F32 || kind == DENSE_C64)
      ((float *)data)[i] -= ((const float *)other)[i];
    else if (kind == DENSE_WIDE)
      ((long double *)data)[i] -= ((const long double *)other)[i];
    else
      ((double *)data)[i] -= ((const double *)other)[i];
  }
}
