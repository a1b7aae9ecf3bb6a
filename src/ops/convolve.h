// Convolution and dynamic_conv: everything except the origin of the padding.
#ifndef TESSERA_OPS_CONVOLVE_H
#define TESSERA_OPS_CONVOLVE_H

#include "ops/eval.h"
#include "ops/factors.h"
#include "ops/infer.h"
#include "ops/localize.h"
#include "ops/windows.h"

typedef struct ConvDims {
  int64_t in_batch, in_feature, kernel_in, kernel_out, out_batch, out_feature;
  Ints in_spatial, kernel_spatial, out_spatial;
  int64_t feature_groups, batch_groups;
} ConvDims;

ConvDims convolve_dims(Context *context, Attr attrs);
// The windows of the spatial dimensions; rhs_dims gives the kernel's sizes.
void convolve_windows(Context *context, Attr attrs, const ConvDims *dims, const int64_t *rhs_dims,
                      Ints padding, WindowDim *out);

// Verifies C1 … C34 (both ops have the same numbers) and writes the result type. padding: low and
// high padding of each spatial dimension; if unknown, the declared result gives the spatial sizes.
bool convolve_infer(Infer *cx, Ints padding);
// C4: `padding` (a value or an attribute) has type `type`.
bool convolve_check_padding(Infer *cx, Type type);

Status *convolve_eval(EvalContext *cx, const Literal *lhs, const Literal *rhs, Ints padding,
                      Literal **out);

// The factors column. padding as in convolve_infer; if unknown, any dimension may be padded.
bool convolve_factors(FactorContext *cx, Ints padding);

// The local columns (convolve_local.c). Spatial dimensions are split only if the padding is an
// attribute.
void convolve_splits(Localizer *cx);
Status *convolve_localize(Localizer *cx) MUST_USE;

// A random instance of convolution, or of dynamic_conv.
OpId convolve_sample(Sample *cx, bool dynamic);

#endif
