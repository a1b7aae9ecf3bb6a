// Values known before the program runs: integers computed from constants and the device's number.
#ifndef TESSERA_OPTIMIZE_KNOWN_H
#define TESSERA_OPTIMIZE_KNOWN_H

#include "optimize/pass.h"

// The op on literals, by its own evaluation; NULL if it has none for them or fails on them. For
// pure ops without regions that compute elements or move them. Owned by the optimizer's heap.
Literal *known_result(Optimizer *o, OpId op, uint32_t n, Literal *const *in, Type result);
// Whether the above is for it.
bool known_computable(const Program *p, OpId op);

// An integer of rank 0 on each device, by device number; NULL if it is not known beforehand, or
// there are too many devices to say. Remembered per value. O(devices) the first time.
const int64_t *known_on_devices(Optimizer *o, ValueId value);

#endif
