// Sorts indices by integer keys in linear time.
#ifndef TESSERA_SOLVE_ORDER_H
#define TESSERA_SOLVE_ORDER_H

#include <stdint.h>

#include "base/arena.h"

// The indices 0 … n-1 in the order of their keys, equal keys in the order of the indices. In the
// arena. O(n) per 11 bits of the range of keys.
uint32_t *order_by_key(const int64_t *keys, uint32_t n, Arena *arena);

#endif
