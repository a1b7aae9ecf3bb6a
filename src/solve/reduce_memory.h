// The bytes of the reduction's variables, and the rules that need them.
#ifndef TESSERA_SOLVE_REDUCE_MEMORY_H
#define TESSERA_SOLVE_REDUCE_MEMORY_H

#include "solve/reduce_private.h"

// Collects the bytes of every variable and of those contracted into it. O(variables * strategies).
void reduce_memory_items(Reduction *r);
// Kills strategies that do not fit even if all other variables take their least bytes. True if
// there was one. O(sum over variables of strategies * points).
bool reduce_kill_by_memory(Reduction *r);
// Whether strategy q never needs more bytes than p.
bool reduce_fewer_bytes(const Reduction *r, uint32_t v, uint32_t q, uint32_t p);

#endif
