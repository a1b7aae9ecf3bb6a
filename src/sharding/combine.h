// Reducers: how partial values of a tensor on several devices combine. Reduction factors and
// unreduced axes use them.
#ifndef TESSERA_SHARDING_COMBINE_H
#define TESSERA_SHARDING_COMBINE_H

#include <stdbool.h>

#include "base/str.h"
#include "ir/dtype.h"

typedef enum Combine {
  COMBINE_NONE = 0,
  COMBINE_SUM,
  COMBINE_MAX,
  COMBINE_MIN,
  COMBINE_MUL,
  COMBINE_AND,
  COMBINE_OR,
  COMBINE_XOR,
  COMBINE_ARG,   // several results together: one candidate is chosen (argmax and similar)
  COMBINE_BODY,  // any other: the op's own body, over all its results together
  COMBINE_COUNT
} Combine;

const char *combine_name(Combine combine);  // "sum"; "" for COMBINE_NONE
// Reducers that are a named binary op: sum … xor.
static inline bool combine_is_named(Combine combine) {
  return combine >= COMBINE_SUM && combine <= COMBINE_XOR;
}
bool combine_of(Str name, Combine *out);  // the named one: sum … xor
// The type in which devices combine values of a type. Sums and products of floats narrower than f32
// are formed in f32 and rounded once, so that results do not depend on the order. A collective's
// body and result have this type, and a convert rounds the result; the operand, and so the bytes
// sent, stay narrow. (Decision D11: docs/decisions/d11-numerics.md.)
DType combine_dtype(Combine combine, DType dtype);

#endif
