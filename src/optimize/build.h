// New ops in the middle of a program.
#ifndef TESSERA_OPTIMIZE_BUILD_H
#define TESSERA_OPTIMIZE_BUILD_H

#include "ops/op.h"
#include "sharding/combine.h"

// An op with one result, before another one from which it takes its origin and place.
ValueId build_op(Program *p, OpId before, uint16_t code, uint32_t n, const ValueId *operands,
                 Type result, Attr attrs);
ValueId build_constant(Program *p, OpId before, Attr dense);
ValueId build_index(Program *p, OpId before, int64_t value);  // tensor<i64>
// A tensor of one element, which `scalar` is.
ValueId build_splat(Program *p, OpId before, Type type, Scalar scalar);
// What combining with it does not change: of a float sum -0.0.
ValueId build_identity(Program *p, OpId before, Type type, Combine combine);
Attr build_dense_scalar(Context *context, Type type, Scalar scalar);
// A collective that combines, or none that does (COMBINE_NONE), before an op; its origin is that of
// `model`.
ValueId build_reduction(Program *p, OpId before, uint16_t code, OpId model, ValueId operand,
                        Type result, Attr attrs, Combine combine);
// The same collective of other operands, detached: as many results as operands.
OpId build_wider(Program *p, OpId model, uint32_t n, const ValueId *operands, const Type *results,
                 Combine combine);

#endif
