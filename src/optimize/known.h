// Integers that are known at compile time on every device: computed from constants and
// partition_id.
#ifndef TESSERA_OPTIMIZE_KNOWN_H
#define TESSERA_OPTIMIZE_KNOWN_H

#include "optimize/pass.h"

// Evaluates the op on literals by its own `eval`; NULL if that fails. For ops of known_computable.
// The caller releases the result to the optimizer's heap.
Literal *known_result(Optimizer *o, OpId op, uint32_t n, Literal *const *in, Type result);
// A pure op without regions that computes or moves elements.
bool known_computable(const Program *p, OpId op);

// The value of a rank-0 integer on each device, by device id; NULL if it is not known at compile
// time or if the tables are full. Cached per value. O(devices) per op the first time.
const int64_t *known_on_devices(Optimizer *o, ValueId value);

#endif
