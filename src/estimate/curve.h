// Bytes over time: intervals are added and removed, and the highest point is known at once.
#ifndef TESSERA_ESTIMATE_CURVE_H
#define TESSERA_ESTIMATE_CURVE_H

#include "base/arena.h"

typedef struct Curve {
  uint32_t n;             // leaves, a power of two
  int64_t *added, *most;  // per node of the tree: added to all below; the most below, with that
} Curve;

// Points 0 … n - 1, all 0; arrays in the arena. O(n).
void curve_init(Curve *curve, uint32_t n, Arena *arena);
// Adds to the points first … last. O(log n).
void curve_add(Curve *curve, uint32_t first, uint32_t last, int64_t bytes);
static inline int64_t curve_most(const Curve *curve) { return curve->most[1]; }

#endif
