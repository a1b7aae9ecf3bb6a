// What convolution and dynamic_conv share: everything but where the padding comes from.
#ifndef TESSERA_OPS_CONVOLVE_H
#define TESSERA_OPS_CONVOLVE_H

#include "ops/eval.h"
#include "ops/factors.h"
#include "ops/infer.h"

// Verifies C1 … C34 (both ops number them alike) and writes the result type. padding: the low and
// high padding of each spatial dimension; without them the spatial sizes are taken from the
// declared result.
bool convolve_infer(Infer *cx, Ints padding);
// C4: `padding` (a value or an attribute) has type `type`.
bool convolve_check_padding(Infer *cx, Type type);

Status *convolve_eval(EvalContext *cx, const Literal *lhs, const Literal *rhs, Ints padding,
                      Literal **out);

// The factors; padding as of convolve_infer (not known: any dimension may be padded).
bool convolve_factors(FactorContext *cx, Ints padding);

// A random instance of convolution, or of dynamic_conv.
OpId convolve_sample(Sample *cx, bool dynamic);

#endif
