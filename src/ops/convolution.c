// stablehlo.convolution: convolve.c with padding from an attribute.
#include "ops/convolve.h"
#include "ops/factors.h"
#include "ops/quant.h"
#include "ops/work.h"

static Ints no_padding(uint32_t rank) {
  static const int64_t zeros[2 * MAX_RANK] = {0};
  return (Ints){zeros, rank >= 2 ? 2 * (rank - 2) : 0, true};
}

static bool infer(Infer *cx) {
  if (!infer_ranked(cx) || !infer_not_per_axis(cx, 0)) return false;
  Attr attr = infer_attr(cx, "padding");
  if (!attr) return convolve_infer(cx, no_padding(infer_operand_info(cx, 0)->rank));
  if (!convolve_check_padding(cx, attr_info(cx->context, attr)->type)) return false;
  Ints padding = infer_ints(cx, "padding");
  REQUIRE(cx, 4, padding.ok, "padding is not a list of integers");
  return convolve_infer(cx, padding);
}

static Status *eval(EvalContext *cx, Literal *const *in, Literal **out) {
  if (quant_any(cx->context, 2, in)) return quant_contract(cx, 2, in, out, eval);
  Ints padding = eval_attr(cx, "padding") ? eval_ints(cx, "padding") : no_padding(in[0]->rank);
  return convolve_eval(cx, in[0], in[1], padding, out);
}

static OpId sample(Sample *cx) { return convolve_sample(cx, false); }

static bool factors(FactorContext *cx) {
  Ints padding =
      factors_attr(cx, "padding") ? factors_ints(cx, "padding") : no_padding(factors_rank(cx, 0));
  return convolve_factors(cx, padding);
}

const OpDef op_convolution = {
    .work = work_convolution,
    .infer = infer,
    .eval = eval,
    .sample = sample,
    .constraints = 34,
    .factors = factors,
    .splits = convolve_splits,
    .localize = convolve_localize,
};
