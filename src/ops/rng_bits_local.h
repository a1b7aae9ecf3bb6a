// Random bits of a shard: the block functions of rng_bits.h as StableHLO ops. Every device computes
// its elements from their global indices, with the same bits on every backend.
#ifndef TESSERA_OPS_RNG_BITS_LOCAL_H
#define TESSERA_OPS_RNG_BITS_LOCAL_H

#include "ops/localize.h"

// The columns of rng_bit_generator.
void rng_bits_splits(Localizer *cx);
Status *rng_bits_localize(Localizer *cx) MUST_USE;

#endif
