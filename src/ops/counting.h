// Indices that count 0, 1, 2, …: x[arange(n), i] takes element i[k] of row k. The rows of x and of
// i are then batching dimensions of the gather, and are split together without communication.
#ifndef TESSERA_OPS_COUNTING_H
#define TESSERA_OPS_COUNTING_H

#include "ops/op.h"

// Is component `entry` of the index vectors (along dimension `vector`; if that is the rank, indices
// are scalars) equal to the element's own index along another dimension d? Follows the defining
// ops: iota, constants, broadcasts, converts. O(ops followed), for constants O(elements).
bool counting_entry(const Program *p, ValueId indices, uint32_t vector, uint32_t entry, uint32_t d);

#endif
