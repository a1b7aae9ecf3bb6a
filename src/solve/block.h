// Large-neighbourhood moves: frees a block of variables whose induced graph is a forest, finds its
// best strategies exactly by dynamic programming, everything else fixed, and keeps memory within
// its limit by prices on the points that overflow.
#ifndef TESSERA_SOLVE_BLOCK_H
#define TESSERA_SOLVE_BLOCK_H

#include "solve/state.h"

typedef struct Block Block;

Block *block_new(const Core *core, Arena *arena);
#define BLOCK_UNLOCKED UINT32_MAX

// Grows a block of at most `most` variables around `seed`; `random` orders its growth. The variable
// `locked` stays outside.
void block_grow(Block *block, uint32_t seed, uint32_t most, uint32_t locked, uint64_t *random);
// Re-solves the block. `price` (per point) is where prices start when memory overflows. The state
// changes only to a cheaper plan that fits. True if it did. The block must be grown again after it.
bool block_solve(Block *block, State *state, const double *price);

// Minimizes cost + price * bytes over the block, whatever memory says: for plans that do not fit.
void block_minimize(Block *block, State *state, const double *price);

#endif
