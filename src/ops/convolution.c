// stablehlo.convolution: see convolve.c for the meaning; here the padding is an attribute.
#include "ops/convolve.h"
#include "ops/quant.h"
#include "ops/sample.h"

static Ints no_padding(uint32_t rank) {
  static const int64_t zeros[2 * MAX_RANK] = {0};
  return (Ints){zeros, rank >= 2 ? 2 * (rank - 2) : 0, true};
}

static bool infer(Infer *cx) {
  if (!infer_ranked(cx)) return false;
  Attr attr = infer_attr(cx, "padding");
  if (!attr) return convolve_infer(cx, no_padding(infer_operand_info(cx, 0)->rank));
  if (!convolve_check_padding(cx, attr_info(cx->context, attr)->type)) return false;
  Ints padding = infer_ints(cx, "padding");
  REQUIRE(cx, 4, padding.ok, "padding is not a list of integers");
  return convolve_infer(cx, padding);
}

static Status *eval(EvalContext *cx, Literal *const *in, Literal **out) {
  if (quant_any(cx->context, 2, in)) return quant_wrap(cx, 2, in, 1, out, eval);
  Ints padding = eval_attr(cx, "padding") ? eval_ints(cx, "padding") : no_padding(in[0]->rank);
  return convolve_eval(cx, in[0], in[1], padding, out);
}

static OpId sample(Sample *cx) {
  Context *c = cx->context;
  uint32_t n = (uint32_t)sample_int(cx, 0, 2), rank = n + 2;
  int64_t groups = sample_int(cx, 1, 2), features = groups * sample_int(cx, 1, 2);
  bool by_batch = sample_chance(cx, 30);
  int64_t lhs[4], rhs[4], stride[2], base[2], dilation[2], pad[4], axes[2] = {1, 2};
  bool reversal[2];
  lhs[0] = by_batch ? groups * sample_int(cx, 1, 2) : sample_int(cx, 1, 2);
  lhs[rank - 1] = features;
  rhs[0] = groups * sample_int(cx, 1, 2);
  rhs[rank - 1] = by_batch ? features : features / groups;
  for (uint32_t s = 0; s < n; s++) {
    lhs[s + 1] = sample_int(cx, 1, 5);
    rhs[s + 1] = sample_int(cx, 1, 3);
    stride[s] = sample_int(cx, 1, 2);
    base[s] = sample_int(cx, 1, 2);
    dilation[s] = sample_int(cx, 1, 2);
    pad[2 * s] = sample_int(cx, -1, 2);
    pad[2 * s + 1] = sample_int(cx, -1, 2);
    reversal[s] = sample_chance(cx, 30);
  }
  NamedAttr numbers[] = {
      {name_of(c, "input_batch_dimension"), attr_i64(c, 0)},
      {name_of(c, "input_feature_dimension"), attr_i64(c, rank - 1)},
      {name_of(c, "input_spatial_dimensions"), attr_i64s(c, n, axes)},
      {name_of(c, "kernel_input_feature_dimension"), attr_i64(c, rank - 1)},
      {name_of(c, "kernel_output_feature_dimension"), attr_i64(c, 0)},
      {name_of(c, "kernel_spatial_dimensions"), attr_i64s(c, n, axes)},
      {name_of(c, "output_batch_dimension"), attr_i64(c, 0)},
      {name_of(c, "output_feature_dimension"), attr_i64(c, rank - 1)},
      {name_of(c, "output_spatial_dimensions"), attr_i64s(c, n, axes)},
  };
  NamedAttr fields[] = {
      {name_of(c, "window_strides"), attr_i64s(c, n, stride)},
      {name_of(c, "padding"), attr_dense(c, type_tensor(c, DT_i64, 2, (int64_t[]){n, 2}, 0), pad,
                                         sizeof(int64_t) * 2 * n)},
      {name_of(c, "lhs_dilation"), attr_i64s(c, n, base)},
      {name_of(c, "rhs_dilation"), attr_i64s(c, n, dilation)},
      {name_of(c, "window_reversal"), attr_bools(c, n, reversal)},
      {name_of(c, "dimension_numbers"), attr_struct(c, "stablehlo.conv", 9, numbers)},
      {name_of(c, "feature_group_count"), attr_i64(c, by_batch ? 1 : groups)},
      {name_of(c, "batch_group_count"), attr_i64(c, by_batch ? groups : 1)},
  };
  Type elem = type_scalar(sample_dtype(cx, "suf"));
  ValueId operands[2] = {sample_value(cx, type_tensor(c, elem, rank, lhs, 0)),
                         sample_value(cx, type_tensor(c, elem, rank, rhs, 0))};
  return sample_op(cx, OP_convolution, attr_dict(c, 8, fields), 2, operands, 1, NULL, 0);
}

const OpDef op_convolution = {.infer = infer, .eval = eval, .sample = sample, .constraints = 34};
