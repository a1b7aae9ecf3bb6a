// Bytes per time point, with sums over ranges and maxima of ranges in O(sqrt(points)).
#ifndef TESSERA_SOLVE_USAGE_H
#define TESSERA_SOLVE_USAGE_H

#include <stdint.h>

#include "base/arena.h"

enum { USAGE_BLOCK = 64 };

typedef struct Usage {
  uint32_t n, n_blocks;
  int64_t *value;  // per point, without its block's `more`
  int64_t *more;   // per block: to be added to all its points
  int64_t *most;   // per block: maximum of its points, `more` included
} Usage;

void usage_init(Usage *usage, uint32_t n, Arena *arena);
void usage_set(Usage *usage, const int64_t *values);
void usage_copy(Usage *to, const Usage *from);  // of the same size
void usage_add(Usage *usage, uint32_t begin, uint32_t end, int64_t bytes);
int64_t usage_max(const Usage *usage, uint32_t begin, uint32_t end);  // begin < end
static inline int64_t usage_at(const Usage *usage, uint32_t t) {
  return usage->value[t] + usage->more[t / USAGE_BLOCK];
}
// The first point with the largest value; the value if there are points, else INT64_MIN.
int64_t usage_peak(const Usage *usage, uint32_t *out_point);

#endif
