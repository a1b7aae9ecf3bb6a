// dynamic_slice at a place known on every device: which part each of them takes.
#ifndef TESSERA_OPTIMIZE_PARTS_H
#define TESSERA_OPTIMIZE_PARTS_H

#include "optimize/pass.h"

// Dimensions in which the result is smaller than the operand: how many, and the first.
uint32_t part_cuts(const Program *p, OpId slice, uint32_t *out_dim);
// Where each device's part begins in a dimension, clamped; NULL if that is not known. In the
// optimizer's scratch. O(devices).
const int64_t *part_starts(Optimizer *o, OpId slice, uint32_t dim);
// The same slice of another value, which has been cut in dimension `done` already (UINT32_MAX: in
// none), before an op; the value itself if nothing is left to cut.
ValueId part_rest(Optimizer *o, OpId before, OpId slice, ValueId value, uint32_t done);

#endif
