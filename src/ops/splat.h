// Splats: constants, and broadcasts of them, whose elements are all equal.
#ifndef TESSERA_OPS_SPLAT_H
#define TESSERA_OPS_SPLAT_H

#include "ops/op.h"

// The element of a splat; false if the value is no splat or is quantized.
bool op_splat(const Program *p, ValueId value, Scalar *out);
bool op_splat_is(const Program *p, ValueId value, double x);  // 0 is both zeros

#endif
