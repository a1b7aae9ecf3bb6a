// Compares element by element, in the storage type. The tolerances are those of the reference:
// StableHLO's check dialect and the custom calls of its translate tool. O(elements).
#include "ops/compare_values.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static bool floats_equal(double a, double b) { return a == b; }

static bool floats_near(double a, double b, double tolerance) {
  if (isnan(a) || isnan(b)) return isnan(a) && isnan(b);
  if (a == b) return true;
  return isfinite(a) && isfinite(b) && fabs(a - b) <= tolerance;
}

static bool elements_agree(DType dtype, Scalar a, Scalar b, const Comparison *how,
                           uint64_t *out_ulp) {
  DTypeKind kind = dtype_kind(dtype);
  bool is_float = kind == KIND_FLOAT || kind == KIND_COMPLEX;
  switch (how->by) {
  case COMPARE_EQUAL:
    if (!is_float) return a.u == b.u;
    return floats_equal(a.f, b.f) && (kind == KIND_FLOAT || floats_equal(a.im, b.im));
  case COMPARE_ABSOLUTE:
    if (!is_float) return a.u == b.u;
    return floats_near(a.f, b.f, how->tolerance) &&
           (kind == KIND_FLOAT || floats_near(a.im, b.im, how->tolerance));
  case COMPARE_ULP:
    *out_ulp = dtype_ulp_distance(dtype, a, b);
    return *out_ulp >= how->min_ulp && *out_ulp <= how->max_ulp;
  case COMPARE_BITS: return true;  // compared as bytes
  }
  return false;
}

static void put_scalar(DType dtype, Scalar value, char *out, size_t cap) {
  if (!dtype_is_complex(dtype)) {
    dtype_format(dtype, value, out, cap);
    return;
  }
  char re[DTYPE_TEXT_MAX], im[DTYPE_TEXT_MAX];
  dtype_format(dtype_real_of(dtype), scalar_f(value.f), re, sizeof re);
  dtype_format(dtype_real_of(dtype), scalar_f(value.im), im, sizeof im);
  snprintf(out, cap, "(%s, %s)", re, im);
}

static const char *index_text(EvalContext *cx, const Literal *l, int64_t i) {
  char text[512];
  size_t used = 0;
  int64_t index[MAX_RANK];
  for (uint32_t d = l->rank; d-- > 0; i /= l->dims[d]) index[d] = i % l->dims[d];
  text[0] = '\0';
  for (uint32_t d = 0; d < l->rank && used < sizeof text; d++)
    used +=
        (size_t)snprintf(text + used, sizeof text - used, "%s%" PRId64, d ? ", " : "", index[d]);
  return arena_printf(cx->scratch, "[%s]", text);
}

static const char *limit_text(EvalContext *cx, const Comparison *how, uint64_t ulp) {
  switch (how->by) {
  case COMPARE_EQUAL: return "";
  case COMPARE_BITS: return " (bit for bit)";
  case COMPARE_ABSOLUTE: return arena_printf(cx->scratch, " (within %g)", how->tolerance);
  case COMPARE_ULP:
    if (how->min_ulp)
      return arena_printf(cx->scratch,
                          ", %" PRIu64 " ULP apart (allowed %" PRIu64 " to %" PRIu64 ")", ulp,
                          how->min_ulp, how->max_ulp);
    return arena_printf(cx->scratch, ", %" PRIu64 " ULP apart (allowed %" PRIu64 ")", ulp,
                        how->max_ulp);
  }
  return "";
}

static Status *differ_in_type(EvalContext *cx, const Literal *actual, const Literal *expected) {
  const char *texts[2];
  const Literal *both[2] = {actual, expected};
  for (int i = 0; i < 2; i++)
    texts[i] = both[i]->kind == LITERAL_ARRAY
                   ? type_text(cx->context, type_tensor(cx->context, both[i]->elem, both[i]->rank,
                                                        both[i]->dims, 0))
                   : "no tensor";
  return cx->host->checked(
      cx, false, 0,
      arena_printf(cx->scratch, "got a value of type %s, expected %s", texts[0], texts[1]));
}

Status *compare_values(EvalContext *cx, const Literal *actual, const Literal *expected,
                       const Comparison *how, bool *out_agree) {
  if (out_agree) *out_agree = false;
  if (actual->kind != LITERAL_ARRAY || expected->kind != LITERAL_ARRAY ||
      actual->dtype != expected->dtype || !literal_same_shape(actual, expected))
    return differ_in_type(cx, actual, expected);
  DType dtype = actual->dtype;
  size_t bytes = (size_t)dtype_bytes(dtype);
  int64_t n_bad = 0, first = 0;
  uint64_t max_ulp = 0, first_ulp = 0;
  for (int64_t i = 0; i < actual->count; i++) {
    uint64_t ulp = 0;
    bool good =
        how->by == COMPARE_BITS
            ? memcmp((const char *)actual->data + (size_t)i * bytes,
                     (const char *)expected->data + (size_t)i * bytes, bytes) == 0
            : elements_agree(dtype, literal_get(actual, i), literal_get(expected, i), how, &ulp);
    if (ulp > max_ulp) max_ulp = ulp;
    if (!good && n_bad++ == 0) {
      first = i;
      first_ulp = ulp;
    }
  }
  if (n_bad == 0) {
    if (out_agree) *out_agree = true;
    return cx->host->checked(cx, true, max_ulp, "");
  }
  char got[2 * DTYPE_TEXT_MAX + 8], want[2 * DTYPE_TEXT_MAX + 8];
  put_scalar(dtype, literal_get(actual, first), got, sizeof got);
  put_scalar(dtype, literal_get(expected, first), want, sizeof want);
  const char *message = arena_printf(
      cx->scratch,
      "element %s of %s is %s, expected %s%s; %" PRId64 " of %" PRId64 " elements are at odds",
      index_text(cx, actual, first),
      type_text(cx->context, type_tensor(cx->context, actual->elem, actual->rank, actual->dims, 0)),
      got, want, limit_text(cx, how, first_ulp), n_bad, actual->count);
  return cx->host->checked(cx, false, max_ulp, message);
}

static Status *check_call(EvalContext *cx, Literal *const *in, const Comparison *how,
                          Literal **out) {
  if (cx->n_in != 2 || cx->n_out > 1)
    FAIL(INVALID_ARGUMENT, "has %u operands and %u results, expected 2 and 0", cx->n_in, cx->n_out);
  bool agree;
  TRY(compare_values(cx, in[0], in[1], how, &agree));
  if (cx->n_out == 0) return NULL;
  out[0] = eval_new_result(cx, 0);
  for (int64_t i = 0; i < out[0]->count; i++) literal_set(out[0], i, scalar_i(agree));
  return NULL;
}

Status *custom_check_eq(EvalContext *cx, Literal *const *in, Literal **out) {
  return check_call(cx, in, &(Comparison){.by = COMPARE_EQUAL}, out);
}

Status *custom_check_close(EvalContext *cx, Literal *const *in, Literal **out) {
  return check_call(cx, in, &(Comparison){.by = COMPARE_ULP, .max_ulp = 3}, out);
}

Status *custom_check_almost_eq(EvalContext *cx, Literal *const *in, Literal **out) {
  return check_call(cx, in, &(Comparison){.by = COMPARE_ABSOLUTE, .tolerance = 0.001}, out);
}

Status *custom_check_quantized_eq(EvalContext *cx, Literal *const *in, Literal **out) {
  return check_call(cx, in, &(Comparison){.by = COMPARE_ABSOLUTE, .tolerance = 0.0001}, out);
}
