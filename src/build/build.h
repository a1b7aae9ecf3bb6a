// The builder for passes, which rewrite a program that is there: ops before an op, collectives of
// which the groups are given.
#ifndef TESSERA_BUILD_BUILD_H
#define TESSERA_BUILD_BUILD_H

#include "ops/builder.h"

// Before an op, with location, position and origin of that op, or of the op `model`, and with the
// channel of `model` if it is a collective.
Builder build_before(Program *p, OpId before);
Builder build_like(Program *p, OpId before, OpId model);

// replica_groups of n groups of `width` device ids.
Attr build_groups_attr(Context *context, uint32_t n, uint32_t width, const int64_t *ids);
// A collective of one operand that combines, or one that only moves (COMBINE_NONE). A result of
// 16-bit floats is a sum of f32, rounded, unless b->joined.
ValueId build_collective(Builder *b, uint16_t code, ValueId v, Type type, Attr attrs,
                         Combine combine);
// Of n operands with as many results, of the types given.
OpId build_collective_many(Builder *b, uint16_t code, uint32_t n, const ValueId *operands,
                           const Type *results, Attr attrs, Combine combine);
// pairs: n times a source's and a target's device id; who is no target gets zeros.
ValueId build_permute_ids(Builder *b, ValueId v, uint32_t n, const int64_t (*pairs)[2]);
// Among groups of `width` devices each (#replica_groups): what each has, behind each other.
ValueId build_all_gather_in(Builder *b, ValueId v, uint32_t d, int64_t width, Attr groups);

#endif
