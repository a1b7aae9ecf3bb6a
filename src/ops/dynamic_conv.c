// stablehlo.dynamic_conv: convolution whose padding is a value. See convolve.c.
#include "ops/convolve.h"
#include "ops/factors.h"
#include "ops/move.h"
#include "ops/quant.h"

static bool infer(Infer *cx) {
  if (!infer_ranked(cx) || !infer_not_per_axis(cx, 0) ||
      !convolve_check_padding(cx, infer_operand(cx, 2)))
    return false;
  REQUIRE(cx, 0, dtype_is_integer(type_dtype(cx->context, infer_operand(cx, 2))),
          "padding has type %s, expected integers", infer_text(cx, infer_operand(cx, 2)));
  return convolve_infer(cx, move_constant(cx, 2));
}

static Status *eval(EvalContext *cx, Literal *const *in, Literal **out) {
  if (quant_any(cx->context, 3, in)) return quant_contract(cx, 3, in, out, eval);
  int64_t *padding = ARENA_ARRAY(cx->scratch, int64_t, (size_t)in[2]->count + 1);
  for (int64_t i = 0; i < in[2]->count; i++) padding[i] = literal_get(in[2], i).i;
  return convolve_eval(cx, in[0], in[1], (Ints){padding, (uint32_t)in[2]->count, true}, out);
}

static OpId sample(Sample *cx) { return convolve_sample(cx, true); }

static bool factors(FactorContext *cx) { return convolve_factors(cx, (Ints){.ok = false}); }

const OpDef op_dynamic_conv = {
    .infer = infer,
    .eval = eval,
    .sample = sample,
    .constraints = 34,
    .factors = factors,
    .splits = convolve_splits,
    .localize = convolve_localize,
};
