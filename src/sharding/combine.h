// How partial values of one tensor on several devices become the whole: what a reduction factor and
// an unreduced axis have in common.
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
  COMBINE_ARG,   // several results go together: one of the candidates is chosen (arg-max and kin)
  COMBINE_BODY,  // any other: by the op's own body, over all its results at once
  COMBINE_COUNT
} Combine;

const char *combine_name(Combine combine);  // "sum"; "" for COMBINE_NONE
// Those that one word says, of a reduction that is a plain binary op: sum … xor.
static inline bool combine_is_plain(Combine combine) {
  return combine >= COMBINE_SUM && combine <= COMBINE_XOR;
}
bool combine_of(Str name, Combine *out);  // the plain one of that name
// The type in which devices combine values of a type. Sums and products of floats narrower than f32
// are formed in f32 and rounded once, so that the order does not show: a collective's body has this
// type, and so has its result, which a convert rounds. The operand, and so what is sent, stays
// narrow. (Decision D11: docs/decisions/d11-numerics.md.)
DType combine_dtype(Combine combine, DType dtype);

#endif
