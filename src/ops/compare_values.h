// Comparison of computed with expected values, for the check dialect and its custom calls.
#ifndef TESSERA_OPS_COMPARE_VALUES_H
#define TESSERA_OPS_COMPARE_VALUES_H

#include "ops/eval.h"

typedef enum CompareBy {
  COMPARE_EQUAL,     // equal as values: 0 equals -0, NaN equals nothing
  COMPARE_ABSOLUTE,  // |a - b| <= tolerance; NaN equals NaN, infinities themselves; integers
                     // exactly
  COMPARE_ULP,       // distance in the element type within [min_ulp, max_ulp]
  COMPARE_BITS,      // the same bits
} CompareBy;

typedef struct Comparison {
  CompareBy by;
  double tolerance;
  uint64_t min_ulp, max_ulp;
} Comparison;

// Compares and reports to the host: passed, or failed with the first mismatch, both values and the
// number of mismatches. out_agree may be NULL.
Status *compare_values(EvalContext *cx, const Literal *actual, const Literal *expected,
                       const Comparison *how, bool *out_agree);

// Custom calls of the check dialect: @check.expect_eq, expect_close (3 ULP), expect_almost_eq
// (0.001), eq (0.0001).
Status *custom_check_eq(EvalContext *cx, Literal *const *in, Literal **out);
Status *custom_check_close(EvalContext *cx, Literal *const *in, Literal **out);
Status *custom_check_almost_eq(EvalContext *cx, Literal *const *in, Literal **out);
Status *custom_check_quantized_eq(EvalContext *cx, Literal *const *in, Literal **out);

#endif
