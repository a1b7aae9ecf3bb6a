// Values of which every element is the same, as the text says it.
#ifndef TESSERA_OPS_SPLAT_H
#define TESSERA_OPS_SPLAT_H

#include "ops/op.h"

// The one element that a constant, or a broadcast of one, consists of. Not of quantized types.
bool op_splat(const Program *p, ValueId value, Scalar *out);
bool op_splat_is(const Program *p, ValueId value, double x);  // 0 is both zeros

#endif
