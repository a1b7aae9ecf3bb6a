// Elements of literals as plain arrays. Everything is a flat loop per kind; a transpose walks the
// source in order and keeps the destination's offset by strides. O(elements) throughout, dense_dot
// O(n).
#include "ops/dense.h"

#include <math.h>
#include <string.h>

static bool is_complex(DenseKind kind) {
  return kind == DENSE_COMPLEX || kind == DENSE_LONG_COMPLEX;
}

static DenseKind kind_of(DType type) {
  switch (type) {
  case DT_f64: return DENSE_LONG;
  case DT_c64: return DENSE_COMPLEX;
  case DT_c128: return DENSE_LONG_COMPLEX;
  default: return dtype_is_float(type) ? DENSE_REAL : DENSE_INT;
  }
}

DenseKind dense_kind(DType a, DType b) {
  DenseKind x = kind_of(a), y = kind_of(b);
  if ((x == DENSE_LONG && y == DENSE_COMPLEX) || (x == DENSE_COMPLEX && y == DENSE_LONG))
    return DENSE_LONG_COMPLEX;
  return x > y ? x : y;
}

size_t dense_bytes(DenseKind kind) {
  switch (kind) {
  case DENSE_INT: return sizeof(uint64_t);
  case DENSE_REAL: return sizeof(double);
  case DENSE_LONG: return sizeof(long double);
  case DENSE_COMPLEX: return 2 * sizeof(double);
  case DENSE_LONG_COMPLEX: return 2 * sizeof(long double);
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
  case DENSE_REAL: ((double *)data)[i] = (double)re; break;
  case DENSE_LONG: ((long double *)data)[i] = re; break;
  case DENSE_COMPLEX:
    ((double *)data)[2 * i] = (double)re;
    ((double *)data)[2 * i + 1] = (double)im;
    break;
  case DENSE_LONG_COMPLEX:
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
  if ((kind == DENSE_REAL && dtype_is_float(literal->dtype)) ||
      (kind == DENSE_COMPLEX && dtype_is_complex(literal->dtype))) {
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
  for (uint32_t d = 0; d < rank; d++) count *= dims[d];
  for (uint32_t p = n_perm; p-- > 0;) {
    strides[perm[p]] = stride;
    stride *= dims[perm[p]];
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

Scalar dense_dot(DenseKind kind, const void *a, const void *b, int64_t n) {
  switch (kind) {
  case DENSE_INT: {
    const uint64_t *x = a, *y = b;
    uint64_t sum = 0;
    for (int64_t i = 0; i < n; i++) sum += x[i] * y[i];
    return scalar_u(sum);
  }
  case DENSE_REAL: {
    const double *x = a, *y = b;
    double sum = 0;
    for (int64_t i = 0; i < n; i++) sum += x[i] * y[i];
    return scalar_f(sum);
  }
  case DENSE_LONG: {
    const long double *x = a, *y = b;
    long double sum = 0;
    for (int64_t i = 0; i < n; i++) sum += x[i] * y[i];
    return scalar_f((double)sum);
  }
  case DENSE_COMPLEX: {
    const double *x = a, *y = b;
    double re = 0, im = 0;
    for (int64_t i = 0; i < 2 * n; i += 2) {
      re += x[i] * y[i] - x[i + 1] * y[i + 1];
      im += x[i] * y[i + 1] + x[i + 1] * y[i];
    }
    return scalar_c(re, im);
  }
  case DENSE_LONG_COMPLEX: {
    const long double *x = a, *y = b;
    long double re = 0, im = 0;
    for (int64_t i = 0; i < 2 * n; i += 2) {
      re += x[i] * y[i] - x[i + 1] * y[i + 1];
      im += x[i] * y[i + 1] + x[i + 1] * y[i];
    }
    return scalar_c((double)re, (double)im);
  }
  }
  return scalar_u(0);
}

Scalar dense_get(DenseKind kind, const void *data, int64_t i) {
  switch (kind) {
  case DENSE_INT: return scalar_u(((const uint64_t *)data)[i]);
  case DENSE_REAL: return scalar_f(((const double *)data)[i]);
  case DENSE_LONG: return scalar_f((double)((const long double *)data)[i]);
  case DENSE_COMPLEX:
    return scalar_c(((const double *)data)[2 * i], ((const double *)data)[2 * i + 1]);
  case DENSE_LONG_COMPLEX:
    return scalar_c((double)((const long double *)data)[2 * i],
                    (double)((const long double *)data)[2 * i + 1]);
  }
  return scalar_u(0);
}

void dense_round(DenseKind kind, void *data, int64_t count, DType type) {
  if (kind == DENSE_INT) return;
  int64_t n = is_complex(kind) ? 2 * count : count;
  bool wide = kind == DENSE_LONG || kind == DENSE_LONG_COMPLEX;
  for (int64_t i = 0; i < n; i++) {
    if (wide)
      ((long double *)data)[i] = round_to(type, (double)((long double *)data)[i]);
    else
      ((double *)data)[i] = round_to(type, ((double *)data)[i]);
  }
}
