// uniform_quantize and uniform_dequantize: floats to quantized values, one quantization to another,
// and back. O(elements).
#include "ops/factors.h"
#include "ops/pointwise.h"
#include "ops/quant.h"

static Status *eval_quantize(EvalContext *cx, Literal *const *in, Literal **out) {
  Type elem = type_elem(cx->context, eval_result_type(cx, 0));
  out[0] = type_is_quant(cx->context, in[0]->elem) ? quant_requantize(cx->context, in[0], elem)
                                                   : quant_quantize(cx->context, in[0], elem);
  return NULL;
}

static bool infer_quantize(Infer *cx) {
  if (!infer_all_tensors(cx) || !infer_declared(cx)) return false;
  Type operand = infer_operand(cx, 0), result = infer_result(cx, 0);
  const QuantInfo *from = type_quant_info(cx->context, operand),
                  *to = type_quant_info(cx->context, result);
  REQUIRE(cx, 0, to, "result must be quantized, got %s", infer_text(cx, result));
  DType expressed = from ? from->expressed : type_dtype(cx->context, operand);
  REQUIRE(cx, 0, dtype_is_float(expressed), "operand 0 must be float or quantized, got %s",
          infer_text(cx, operand));
  REQUIRE(cx, 1, infer_shapes_compatible(cx, operand, result),
          "operand and result must have the same shape, got %s and %s", infer_text(cx, operand),
          infer_text(cx, result));
  REQUIRE(cx, 2, expressed == to->expressed,
          "the result's expressed type must be the operand's %s, got %s",
          dtype_info(expressed)->name, infer_text(cx, result));
  return true;
}

static OpId sample_quantize(Sample *cx) {
  int64_t dims[3];
  uint32_t rank = sample_shape(cx, 3, dims);
  DType expressed = sample_chance(cx, 50) ? DT_f32 : DT_bf16;
  ValueId operand =
      sample_value(cx, type_tensor(cx->context, type_scalar(expressed), rank, dims, 0));
  Type result = type_tensor(cx->context, sample_quant(cx, expressed, rank, dims), rank, dims, 0);
  return sample_op(cx, OP_uniform_quantize, 0, 1, &operand, 1, &result, 0);
}

const OpDef op_uniform_quantize = {.infer = infer_quantize,
                                   .eval = eval_quantize,
                                   .sample = sample_quantize,
                                   .constraints = 2,
                                   .factors = factors_pointwise};

static Status *eval_dequantize(EvalContext *cx, Literal *const *in, Literal **out) {
  out[0] = quant_dequantize(cx->context, in[0]);
  return NULL;
}

static bool infer_dequantize(Infer *cx) {
  if (!infer_all_tensors(cx)) return false;
  Type operand = infer_operand(cx, 0), declared = infer_result(cx, 0);
  const QuantInfo *from = type_quant_info(cx->context, operand);
  REQUIRE(cx, 0, from, "operand 0 must be quantized, got %s", infer_text(cx, operand));
  Type type = quant_expressed_type(cx->context, operand);
  if (declared)
    REQUIRE(cx, 1, infer_shapes_compatible(cx, operand, declared),
            "operand and result must have the same shape, got %s and %s", infer_text(cx, operand),
            infer_text(cx, declared));
  return infer_settle(cx, 2, type);
}

static OpId sample_dequantize(Sample *cx) {
  int64_t dims[3];
  uint32_t rank = sample_shape(cx, 3, dims);
  ValueId operand = sample_value(
      cx, type_tensor(cx->context, sample_quant(cx, DT_f32, rank, dims), rank, dims, 0));
  return sample_op(cx, OP_uniform_dequantize, 0, 1, &operand, 1, NULL, 0);
}

const OpDef op_uniform_dequantize = {.infer = infer_dequantize,
                                     .eval = eval_dequantize,
                                     .sample = sample_dequantize,
                                     .constraints = 2,
                                     .factors = factors_pointwise};
