// The builder for passes, which rewrite an existing program: ops before a given op, collectives
// with given groups. Local programs' builder: ops/builder.h.
#ifndef TESSERA_BUILD_BUILD_H
#define TESSERA_BUILD_BUILD_H

#include "ops/builder.h"

// Builders that insert before an op. New ops have the location, position and origin of `before`, or
// of `model`, and its channel if it is a collective.
Builder build_before(Program *p, OpId before);
Builder build_like(Program *p, OpId before, OpId model);

// replica_groups of n groups of `width` device ids.
Attr build_groups_attr(Context *context, uint32_t n, uint32_t width, const int64_t *ids);
// A collective with one operand. COMBINE_NONE: it only moves data and has no body. Otherwise a
// result of 16-bit floats is accumulated in f32 and rounded once, unless b->joined.
ValueId build_collective(Builder *b, uint16_t code, ValueId v, Type type, Attr attrs,
                         Combine combine);
// A collective with n operands and n results of the given types; the body combines elements of
// results[0].
OpId build_collective_many(Builder *b, uint16_t code, uint32_t n, const ValueId *operands,
                           const Type *results, Attr attrs, Combine combine);
// pairs: n (source, target) device ids. A device that is no target gets zeros.
ValueId build_permute_ids(Builder *b, ValueId v, uint32_t n, const int64_t (*pairs)[2]);
// Concatenates the values of each group along dimension d. groups: #replica_groups with `width`
// devices each.
ValueId build_all_gather_in(Builder *b, ValueId v, uint32_t d, int64_t width, Attr groups);

#endif
