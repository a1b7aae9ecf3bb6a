// A segment tree. A node covers a range of points; what is added to all of them stays at the node,
// and `most` is the highest point below it including that. Sums of integers are exact, so the tree
// depends only on the intervals that are in it, not on the order in which they came and went.
#include "estimate/curve.h"

void curve_init(Curve *curve, uint32_t n, Arena *arena) {
  curve->n = 1;
  while (curve->n < n) curve->n *= 2;
  curve->added = ARENA_ARRAY(arena, int64_t, 2 * (size_t)curve->n);
  curve->most = ARENA_ARRAY(arena, int64_t, 2 * (size_t)curve->n);
}

static void raise(Curve *c, uint32_t node, uint32_t begin, uint32_t end, uint32_t first,
                  uint32_t last, int64_t bytes) {
  if (last < begin || first >= end) return;
  if (first <= begin && end - 1 <= last) {
    c->added[node] += bytes;
    c->most[node] += bytes;
    return;
  }
  uint32_t middle = begin + (end - begin) / 2;
  raise(c, 2 * node, begin, middle, first, last, bytes);
  raise(c, 2 * node + 1, middle, end, first, last, bytes);
  int64_t a = c->most[2 * node], b = c->most[2 * node + 1];
  c->most[node] = c->added[node] + (a > b ? a : b);
}

void curve_add(Curve *curve, uint32_t first, uint32_t last, int64_t bytes) {
  if (bytes && first <= last) raise(curve, 1, 0, curve->n, first, last, bytes);
}
