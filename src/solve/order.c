// Radix sort, least significant digit first. Times of a program are small numbers, so two passes
// over 11 bits do what a comparison sort does in seventeen.
#include "solve/order.h"

#include <string.h>

enum { DIGIT_BITS = 11, DIGITS = 1 << DIGIT_BITS };

static uint64_t offset_of(int64_t key, int64_t least) { return (uint64_t)key - (uint64_t)least; }

uint32_t *order_by_key(const int64_t *keys, uint32_t n, Arena *arena) {
  uint32_t *from = arena_alloc(arena, (n + 1) * sizeof *from);
  uint32_t *to = arena_alloc(arena, (n + 1) * sizeof *to);
  int64_t least = INT64_MAX, most = INT64_MIN;
  for (uint32_t i = 0; i < n; i++) {
    from[i] = i;
    if (keys[i] < least) least = keys[i];
    if (keys[i] > most) most = keys[i];
  }
  uint64_t range = n ? offset_of(most, least) : 0;
  for (uint32_t shift = 0; shift < 64 && range >> shift; shift += DIGIT_BITS) {
    uint32_t first[DIGITS + 1] = {0};
    for (uint32_t i = 0; i < n; i++) first[(offset_of(keys[i], least) >> shift) % DIGITS + 1]++;
    for (uint32_t d = 0; d < DIGITS; d++) first[d + 1] += first[d];
    for (uint32_t i = 0; i < n; i++)
      to[first[(offset_of(keys[from[i]], least) >> shift) % DIGITS]++] = from[i];
    uint32_t *swap = from;
    from = to, to = swap;
  }
  return from;
}
