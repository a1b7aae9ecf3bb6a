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
// The reduction of one dimension of a value, on this device, before an op.
ValueId build_reduce(Program *p, OpId before, ValueId operand, uint32_t dim, Combine combine);
// The same collective of other operands, detached: as many results as operands.
OpId build_wider(Program *p, OpId model, uint32_t n, const ValueId *operands, const Type *results,
                 Combine combine);

// A tensor type with another size in one dimension, or with other sizes.
Type build_type(Context *context, Type like, uint32_t dim, int64_t size);
Type build_type_of(Context *context, Type like, uint32_t rank, const int64_t *dims);

// All uses of op's only result take the value instead; the op goes.
void build_replace(Program *p, OpId op, ValueId value);

#endif
