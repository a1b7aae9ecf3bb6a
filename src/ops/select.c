// select and clamp: elementwise ops whose first, or first and last, operand may be a scalar. select
// copies bits, which preserves NaN payloads. O(elements).
#include <string.h>

#include "ops/factors.h"
#include "tensor/mathfn.h"
#include "tensor/mathfn_complex.h"
#include "ops/pointwise.h"
#include "ops/quant.h"

// ---- select ----

static void run_select(const PointwiseCall *call, int64_t n, const void *const *in, void *out) {
  size_t lane = dtype_is_complex(call->out) ? 2 * sizeof(double) : sizeof(double);
  const int64_t *pred = in[0];
  for (int64_t i = 0; i < n; i++)
    memcpy((char *)out + (size_t)i * lane, (const char *)in[pred[i] ? 1 : 2] + (size_t)i * lane,
           lane);
}

static bool lanes_select(PointwiseCall *call) {
  call->run = run_select;
  return call->in[0] == DT_i1 && call->in[1] == call->in[2] && call->in[1] == call->out;
}

static Status *eval_select(EvalContext *cx, Literal *const *in, Literal **out) {
  Type elem = type_elem(cx->context, eval_result_type(cx, 0));
  bool same = in[1]->elem == elem && in[2]->elem == elem;
  if (!same && (type_is_quant(cx->context, elem) || quant_any(cx->context, 3, in)))
    return quant_wrap(cx, 3, in, 1, out, eval_select);
  if (!same || !literal_same_shape(in[1], in[2]) ||
      (in[0]->rank && !literal_same_shape(in[0], in[1])))
    FAIL(INVALID_ARGUMENT,
         "'stablehlo.select': operands differ in shape or element type, expected equal");
  const uint8_t *pred = in[0]->data;
  if (in[0]->rank == 0) {
    out[0] = literal_copy(in[pred[0] ? 1 : 2]);
    return NULL;
  }
  out[0] = literal_copy(in[2]);
  for (int64_t i = 0; i < out[0]->count;) {
    int64_t end = i;
    while (end < out[0]->count && pred[end]) end++;
    if (end > i) literal_copy_elements(out[0], i, in[1], i, end - i);
    i = end + 1;
  }
  return NULL;
}

static bool infer_select(Infer *cx) {
  if (!infer_all_tensors(cx) || !infer_per_tensor(cx)) return false;
  Type pred = infer_operand(cx, 0), yes = infer_operand(cx, 1), no = infer_operand(cx, 2);
  REQUIRE(cx, 0, type_elem(cx->context, pred) == type_scalar(DT_i1),
          "operand 0 must be bool, got %s", infer_text(cx, pred));
  REQUIRE(cx, 2, infer_types_compatible(cx, yes, no),
          "operands 1 and 2 must have the same type, got %s and %s", infer_text(cx, yes),
          infer_text(cx, no));
  Type type = infer_merged(cx, 1, 2, type_elem(cx->context, yes));
  REQUIRE(cx, 2, type, "operands 1 and 2 must have the same shape, got %s and %s",
          infer_text(cx, yes), infer_text(cx, no));
  REQUIRE(cx, 1, infer_operand_info(cx, 0)->rank == 0 || infer_shapes_compatible(cx, pred, type),
          "operand 0 must be a scalar or have the shape of %s, got %s", infer_text(cx, type),
          infer_text(cx, pred));
  return infer_settle(cx, 2, type);
}

static OpId sample_select(Sample *cx) {
  int64_t dims[3];
  uint32_t rank = sample_shape(cx, 3, dims);
  Type type = type_tensor(cx->context, type_scalar(sample_dtype(cx, "bsufc")), rank, dims, 0);
  Type pred =
      type_tensor(cx->context, type_scalar(DT_i1), sample_chance(cx, 30) ? 0 : rank, dims, 0);
  ValueId operands[3] = {sample_value(cx, pred), sample_value(cx, type), sample_value(cx, type)};
  return sample_op(cx, OP_select, 0, 3, operands, 1, NULL, 0);
}

const OpDef op_select = {.infer = infer_select,
                         .eval = eval_select,
                         .sample = sample_select,
                         .lanes = lanes_select,
                         .constraints = 2,
                         .factors = factors_pointwise};

// ---- clamp: minimum(maximum(operand, min), max) ----

static bool less(Cplx a, Cplx b) { return a.re < b.re || (a.re == b.re && a.im < b.im); }

#define CLAMP(id, lane, max, min)                                                                  \
  static void clamp_##id(const PointwiseCall *call, int64_t n, const void *const *in, void *out) { \
    const lane *low = in[0], *x = in[1], *high = in[2];                                            \
    lane *r = out;                                                                                 \
    (void)call;                                                                                    \
    for (int64_t i = 0; i < n; i++) {                                                              \
      lane raised = max(x[i], low[i]);                                                             \
      r[i] = min(raised, high[i]);                                                                 \
    }                                                                                              \
  }
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define CPLX_MAX(a, b) (less(a, b) ? (b) : (a))
#define CPLX_MIN(a, b) (less(b, a) ? (b) : (a))
CLAMP(f, double, fn_maximum, fn_minimum)
CLAMP(s, int64_t, MAX, MIN)
CLAMP(u, uint64_t, MAX, MIN)
CLAMP(c, Cplx, CPLX_MAX, CPLX_MIN)

static bool lanes_clamp(PointwiseCall *call) {
  if (call->in[0] != call->in[1] || call->in[1] != call->in[2] || call->in[1] != call->out)
    return false;
  switch (dtype_kind(call->in[1])) {
  case KIND_FLOAT: call->run = clamp_f; return true;
  case KIND_SINT: call->run = clamp_s; return true;
  case KIND_BOOL:
  case KIND_UINT: call->run = clamp_u; return true;
  case KIND_COMPLEX: call->run = clamp_c; return true;
  case KIND_OTHER: break;
  }
  return false;
}

static bool infer_clamp(Infer *cx) {
  if (!infer_all_tensors(cx) || !infer_per_tensor(cx)) return false;
  Type low = infer_operand(cx, 0), operand = infer_operand(cx, 1), high = infer_operand(cx, 2);
  REQUIRE(cx, 1, infer_operand_info(cx, 0)->rank == 0 || infer_shapes_compatible(cx, low, operand),
          "min must be a scalar or have the shape of %s, got %s", infer_text(cx, operand),
          infer_text(cx, low));
  REQUIRE(cx, 2, infer_operand_info(cx, 2)->rank == 0 || infer_shapes_compatible(cx, high, operand),
          "max must be a scalar or have the shape of %s, got %s", infer_text(cx, operand),
          infer_text(cx, high));
  Type elem = type_elem(cx->context, operand);
  REQUIRE(cx, 3,
          infer_types_compatible(cx, type_elem(cx->context, low), elem) &&
              infer_types_compatible(cx, type_elem(cx->context, high), elem),
          "operands must have the same element type, got %s, %s and %s", infer_text(cx, low),
          infer_text(cx, operand), infer_text(cx, high));
  return infer_settle(cx, 4, operand);
}

static OpId sample_clamp(Sample *cx) {
  int64_t dims[3];
  uint32_t rank = sample_shape(cx, 3, dims);
  DType dtype = sample_dtype(cx, "suf");
  Type type = type_tensor(cx->context, type_scalar(dtype), rank, dims, 0);
  Type bound =
      type_tensor(cx->context, type_scalar(dtype), sample_chance(cx, 50) ? 0 : rank, dims, 0);
  ValueId operands[3] = {sample_value(cx, bound), sample_value(cx, type), sample_value(cx, bound)};
  return sample_op(cx, OP_clamp, 0, 3, operands, 1, NULL, 0);
}

const OpDef op_clamp = {.infer = infer_clamp,
                        .eval = pointwise_eval,
                        .sample = sample_clamp,
                        .lanes = lanes_clamp,
                        .constraints = 4,
                        .factors = factors_pointwise};
