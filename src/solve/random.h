// A small deterministic random generator (xorshift*): the seed is part of the solver, so the same
// problem gives the same plan.
#ifndef TESSERA_SOLVE_RANDOM_H
#define TESSERA_SOLVE_RANDOM_H

#include <stdint.h>

static inline uint64_t random_next(uint64_t *state) {
  uint64_t x = *state;
  x ^= x >> 12, x ^= x << 25, x ^= x >> 27;
  *state = x;
  return x * UINT64_C(0x2545F4914F6CDD1D);
}
// In [0, n); n > 0.
static inline uint32_t random_below(uint64_t *state, uint32_t n) {
  return (uint32_t)((random_next(state) >> 32) * n >> 32);
}

#endif
