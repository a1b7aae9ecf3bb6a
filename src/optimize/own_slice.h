// dynamic_slice at offsets that are known on every device: which shard each device takes.
#ifndef TESSERA_OPTIMIZE_OWN_SLICE_H
#define TESSERA_OPTIMIZE_OWN_SLICE_H

#include "optimize/pass.h"

// The number of dimensions in which the result is smaller than the operand, and the first of them.
uint32_t own_slice_dims(const Program *p, OpId slice, uint32_t *out_dim);
// The offset of each device's slice in a dimension, clamped; NULL if it is not known at compile
// time. Allocated in the optimizer's scratch. O(devices).
const int64_t *own_slice_starts(Optimizer *o, OpId slice, uint32_t dim);
// The same slice of another value that is already sliced in dimension `done` (UINT32_MAX: in none),
// before an op. Returns the value itself if nothing is left to slice.
ValueId own_slice_rest(Optimizer *o, OpId before, OpId slice, ValueId value, uint32_t done);

#endif
