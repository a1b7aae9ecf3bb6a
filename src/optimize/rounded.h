// Sums of 16-bit floats. A local program writes one as two ops, which sum in f32 and round once:
//
//   %1 = all_reduce(%0) : (tensor<4xbf16>) -> tensor<4xf32>       combine_dtype says which type
//   %2 = convert %1 : tensor<4xbf16>
//
// Passes see one op instead, all_reduce(%0) : tensor<4xbf16> -> tensor<4xbf16>, with the same
// meaning. Operand and result have one type as in a sum of f32, so passes treat both alike.
#ifndef TESSERA_OPTIMIZE_ROUNDED_H
#define TESSERA_OPTIMIZE_ROUNDED_H

#include "optimize/pass.h"

// Two ops to one, for every all_reduce and reduce_scatter whose results are only rounded. O(ops).
void rounded_join(Optimizer *o);
// The same for sums of bf16 only; returns their number.
uint32_t rounded_join_bf16(Optimizer *o);
// One op to two, also if the user wrote one op. Each convert stands before the first use of its
// result, so that no op waits for the collective earlier, unless a barrier is in between.
// O(ops + uses).
void rounded_split(Optimizer *o);

#endif
