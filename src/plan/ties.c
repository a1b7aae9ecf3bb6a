// Problem: a network has many equal layers, written one after the other. Planning each on its own
// takes longer and finds plans that differ by accident.
//
// Idea: the list of ops, in program order, is periodic where layers repeat. Distances between equal
// windows of ops are candidates for the period. For each, stretches of ops that equal the op one
// period before, at least one period long, are tied. Two ops are equal if their keys are, and if
// their operands come from the same distance, from tied ops, or from equal arguments.
//
//   forward    norm dot dot add | norm dot dot add | …        period 4
//   backward   reads what the forward pass made: equal once the forward ops are tied
//   update     reads gradients: equal once the backward ops are tied, so in a third round
//
// Invariant: a tie chain never joins two ops of one layer: their windows would have to be one
// period apart.
#include "plan/ties.h"

#include <stdlib.h>
#include <string.h>

#include "base/idmap.h"

enum { ROUNDS = 4, CANDIDATES = 12, LEAST_PERIOD = 4 };

typedef struct Candidate {
  uint32_t period, count;
} Candidate;

static int by_count(const void *a, const void *b) {
  const Candidate *x = a, *y = b;
  if (x->count != y->count) return x->count > y->count ? -1 : 1;
  return x->period < y->period ? -1 : x->period > y->period;
}

static int by_number(const void *a, const void *b) {
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return x < y ? -1 : x > y;
}

typedef struct Slot {
  uint64_t hash;
  uint32_t position;  // + 1; 0 = empty
} Slot;

// Distances from each window of `size` ops to the last equal one.
static uint32_t list_distances(const TieOp *ops, uint32_t n, uint32_t size, Slot *slots,
                               uint32_t mask, uint32_t *out) {
  if (n < 2 * size) return 0;
  memset(slots, 0, (size_t)(mask + 1) * sizeof *slots);
  const uint64_t base = 0x9E3779B97F4A7C15u;
  uint64_t top = 1, hash = 0;
  for (uint32_t i = 0; i < size; i++) top *= base;
  uint32_t found = 0;
  for (uint32_t i = 0; i < n; i++) {
    hash = hash * base + ops[i].key;
    if (i >= size) hash -= top * ops[i - size].key;
    if (i + 1 < size) continue;
    uint64_t mixed = hash_mix(hash, size);
    uint32_t at = (uint32_t)mixed & mask;
    while (slots[at].position && slots[at].hash != mixed) at = (at + 1) & mask;
    if (slots[at].position) out[found++] = i + 1 - slots[at].position;
    slots[at] = (Slot){mixed, i + 1};
  }
  return found;
}

// The most frequent distances, for windows of several sizes.
static uint32_t find_periods(const TieOp *ops, uint32_t n, Arena *arena, uint32_t *out) {
  static const uint32_t sizes[] = {8, 64, 512};
  uint32_t mask = 1, n_out = 0;
  while (mask < 2 * n) mask = 2 * mask + 1;
  Slot *slots = ARENA_ARRAY(arena, Slot, (size_t)mask + 1);
  uint32_t *distances = ARENA_ARRAY(arena, uint32_t, n + 1);
  Candidate *candidates = ARENA_ARRAY(arena, Candidate, n + 1);
  for (uint32_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
    uint32_t found = list_distances(ops, n, sizes[k], slots, mask, distances), m = 0;
    qsort(distances, found, sizeof *distances, by_number);
    for (uint32_t i = 0; i < found; i++) {
      if (!m || candidates[m - 1].period != distances[i])
        candidates[m++] = (Candidate){distances[i], 0};
      candidates[m - 1].count++;
    }
    qsort(candidates, m, sizeof *candidates, by_count);
    for (uint32_t i = 0; i < m && i < CANDIDATES; i++) {
      bool known =
          candidates[i].period < LEAST_PERIOD || candidates[i].count < candidates[i].period / 2;
      for (uint32_t j = 0; j < n_out; j++) known |= out[j] == candidates[i].period;
      if (!known) out[n_out++] = candidates[i].period;
    }
  }
  qsort(out, n_out, sizeof *out, by_number);
  return n_out;
}

static uint32_t root(uint32_t *tie, uint32_t i) {
  while (tie[i] != i) i = tie[i] = tie[tie[i]];
  return i;
}

static bool equal(const TieOp *ops, const TieOperand *operands, uint32_t i, uint32_t j,
                  uint32_t *tie) {
  if (ops[i].key != ops[j].key || ops[i].n != ops[j].n) return false;
  for (uint32_t k = 0; k < ops[i].n; k++) {
    TieOperand a = operands[ops[i].first + k], b = operands[ops[j].first + k];
    if ((a.position == TIE_NONE) != (b.position == TIE_NONE)) return false;
    if (a.position == TIE_NONE && a.other != b.other) return false;
    if (a.position == TIE_NONE || i - a.position == j - b.position) continue;
    if (root(tie, a.position) != root(tie, b.position)) return false;
  }
  return true;
}

uint32_t ties_find(const TieOp *ops, uint32_t n, const TieOperand *operands, Arena *arena,
                   uint32_t *out) {
  uint32_t periods[3 * CANDIDATES], n_periods = find_periods(ops, n, arena, periods), tied = 0;
  uint32_t *tie = ARENA_ARRAY(arena, uint32_t, n + 1);
  for (uint32_t i = 0; i < n; i++) tie[i] = out[i] = i;
  bool changed = true;
  for (uint32_t r = 0; r < ROUNDS && changed; r++) {
    changed = false;
    for (uint32_t c = 0; c < n_periods; c++) {
      uint32_t period = periods[c], length = 0;
      for (uint32_t i = period; i <= n; i++) {
        if (i < n && equal(ops, operands, i, i - period, tie)) {
          length++;
          continue;
        }
        for (uint32_t k = i - length; length >= period && k < i; k++) {
          uint32_t a = root(tie, k), b = root(tie, k - period);
          if (a == b) continue;
          tie[a > b ? a : b] = a > b ? b : a;
          changed = true;
        }
        length = 0;
      }
    }
  }
  for (uint32_t i = 0; i < n; i++) {
    out[i] = root(tie, i);
    tied += out[i] != i;
  }
  return tied;
}
