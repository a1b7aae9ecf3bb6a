// Counter-based random bits (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC
// 2011): the block functions behind rng and rng_bit_generator.
#ifndef TESSERA_TENSOR_RNG_BITS_H
#define TESSERA_TENSOR_RNG_BITS_H

#include <stdint.h>

// Philox 4x32 with 10 rounds: counter and key to 128 bits.
void philox(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4]);
// Threefry 2x32 with 20 rounds.
void threefry(const uint32_t counter[2], const uint32_t key[2], uint32_t out[2]);

#endif
