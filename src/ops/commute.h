// Partial values through ops: parts of operands that combine to the whole (by sum, max, …) give
// parts of the results.
//
//   negate(partial sums)                partial sums
//   add(partial sums, partial sums)     partial sums
//   add(partial sums, whole)            nothing: the whole would enter once per part
//   pad(partial sums, 0)                partial sums: zeros in each part are zeros in the whole
//   add(partial maxima, whole)          partial maxima, of floats
//   negate(partial maxima)              partial minima
#ifndef TESSERA_OPS_COMMUTE_H
#define TESSERA_OPS_COMMUTE_H

#include "ops/op.h"
#include "sharding/combine.h"

// How the results of the op on parts combine to its results on the whole: COMBINE_NONE if they do
// not, or if that is not known. partial: per operand, whether it comes in parts that combine by
// `combine`; others are whole and the same everywhere (those that op_keeps count as parts, too).
// Holds for finite values, of floats up to the rounding of a sum's parts. The op must be verified.
// O(operands).
Combine op_commutes(const Program *p, OpId op, Combine combine, const bool *partial);

// How an elementwise op combines its two operands: add by sum, maximum by max; COMBINE_NONE if it
// is no reducer's op.
Combine op_joins(const Program *p, OpId op);

// A constant of one value that, combined with itself any number of times, stays what it is: zeros
// of a sum, anything of a maximum.
bool op_keeps(const Program *p, ValueId value, Combine combine);

#endif
