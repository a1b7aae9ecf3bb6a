// Indices that count: x[arange(n), i] takes from row 0, 1, … what i says. Then the rows of x and
// the rows of i go together, as batching dimensions of a gather do, and both are split alike.
#ifndef TESSERA_OPS_COUNTING_H
#define TESSERA_OPS_COUNTING_H

#include "ops/op.h"

// Of one entry of the index vectors along dimension `vector` (its rank: indices are scalars): is
// every element its own place along dimension d, another one, as far as ops show that make, spread
// and convert it? O(ops looked at), of constants O(elements).
bool counting_entry(const Program *p, ValueId indices, uint32_t vector, uint32_t entry, uint32_t d);

#endif
