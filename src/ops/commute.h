// Ops on unreduced operands: does an op applied to partial values (by sum, max, …) give partial
// values of its result? Then the reduction can wait until after the op.
//
//   negate(partial sums)                partial sums
//   add(partial sums, partial sums)     partial sums
//   add(partial sums, replicated)       no: each device would add the replicated value
//   pad(partial sums, 0)                partial sums: zeros sum to zeros
//   add(partial maxima, replicated)     partial maxima, for floats
//   negate(partial maxima)              partial minima
#ifndef TESSERA_OPS_COMMUTE_H
#define TESSERA_OPS_COMMUTE_H

#include "ops/op.h"
#include "sharding/combine.h"

// The reducer of the op's results if the operands i with partial[i] are unreduced by `combine` and
// the others are replicated; COMBINE_NONE if the results are not partial values, or that is
// unknown. Replicated constants that op_reduces_to_itself count as unreduced. Holds for finite
// values; sums of floats may round differently. The op must be verified. O(operands).
Combine op_commutes(const Program *p, OpId op, Combine combine, const bool *partial);

// The reducer that a binary elementwise op applies: sum for add, max for maximum; else
// COMBINE_NONE.
Combine op_binary_reducer(const Program *p, OpId op);

// Is the value a splat constant that reduces to itself over any number of devices? Zeros for a sum,
// any constant for a maximum.
bool op_reduces_to_itself(const Program *p, ValueId value, Combine combine);

#endif
