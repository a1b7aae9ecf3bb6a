// Points are in blocks of 64. Adding to a range changes the `more` of blocks inside of it and the
// points of the two blocks at its ends; a maximum reads the same. A segment tree has a better
// bound, but with 20,000 points this is faster, because it walks through memory in order.
#include "solve/usage.h"

#include <string.h>

void usage_init(Usage *u, uint32_t n, Arena *arena) {
  u->n = n;
  u->n_blocks = (n + USAGE_BLOCK - 1) / USAGE_BLOCK;
  u->value = ARENA_ARRAY(arena, int64_t, n + 1);
  u->more = ARENA_ARRAY(arena, int64_t, u->n_blocks);
  u->most = ARENA_ARRAY(arena, int64_t, u->n_blocks);
}

static uint32_t block_end(const Usage *u, uint32_t block) {
  uint32_t end = (block + 1) * USAGE_BLOCK;
  return end < u->n ? end : u->n;
}

static void measure(Usage *u, uint32_t block) {
  int64_t most = INT64_MIN;
  for (uint32_t t = block * USAGE_BLOCK; t < block_end(u, block); t++)
    most = u->value[t] > most ? u->value[t] : most;
  u->most[block] = most + u->more[block];
}

void usage_set(Usage *u, const int64_t *values) {
  if (u->n && values != u->value) memcpy(u->value, values, u->n * sizeof *values);
  for (uint32_t b = 0; b < u->n_blocks; b++) u->more[b] = 0, measure(u, b);
}

void usage_copy(Usage *to, const Usage *from) {
  if (!to->n) return;
  memcpy(to->value, from->value, to->n * sizeof *to->value);
  memcpy(to->more, from->more, to->n_blocks * sizeof *to->more);
  memcpy(to->most, from->most, to->n_blocks * sizeof *to->most);
}

static void add_points(Usage *u, uint32_t block, uint32_t begin, uint32_t end, int64_t bytes) {
  for (uint32_t t = begin; t < end; t++) u->value[t] += bytes;
  measure(u, block);
}

void usage_add(Usage *u, uint32_t begin, uint32_t end, int64_t bytes) {
  while (begin < end) {
    uint32_t block = begin / USAGE_BLOCK, stop = block_end(u, block);
    if (begin == block * USAGE_BLOCK && stop <= end)
      u->more[block] += bytes, u->most[block] += bytes;
    else
      add_points(u, block, begin, stop < end ? stop : end, bytes);
    begin = stop;
  }
}

int64_t usage_max(const Usage *u, uint32_t begin, uint32_t end) {
  int64_t most = INT64_MIN;
  while (begin < end) {
    uint32_t block = begin / USAGE_BLOCK, stop = block_end(u, block);
    int64_t here = u->most[block];
    if (begin != block * USAGE_BLOCK || stop > end) {
      here = INT64_MIN;
      for (uint32_t t = begin; t < stop && t < end; t++)
        here = usage_at(u, t) > here ? usage_at(u, t) : here;
    }
    most = here > most ? here : most;
    begin = stop;
  }
  return most;
}

int64_t usage_peak(const Usage *u, uint32_t *out_point) {
  int64_t most = INT64_MIN;
  uint32_t best = 0;
  for (uint32_t b = 0; b < u->n_blocks; b++)
    if (u->most[b] > most) most = u->most[b], best = b;
  *out_point = 0;
  if (most == INT64_MIN) return most;
  for (uint32_t t = best * USAGE_BLOCK; t < block_end(u, best); t++)
    if (usage_at(u, t) == most) {
      *out_point = t;
      break;
    }
  return most;
}
