// Random meshes, axes and shardings for the tests of this directory, from a seed (TESSERA_SEED sets
// another one).
#ifndef TESSERA_SHARDING_SHARDING_FIXTURE_H
#define TESSERA_SHARDING_SHARDING_FIXTURE_H

#include <stdlib.h>

#include "sharding/sharding.h"

typedef struct Dice {
  uint64_t state;
} Dice;

static inline uint32_t dice_roll(Dice *dice, uint32_t n) {  // 0 … n-1
  dice->state = dice->state * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(dice->state >> 33) % n;
}

static inline Dice dice_new(uint64_t salt) {
  const char *text = getenv("TESSERA_SEED");
  Dice dice = {(text ? strtoull(text, NULL, 10) : 1) * 0x9E3779B97F4A7C15u + salt};
  dice_roll(&dice, 2);
  return dice;
}

// 1 to 4 axes of size 1 to 12, at most 96 devices; every other mesh has its devices shuffled.
static inline const Mesh *random_mesh(Context *context, Dice *dice, Name symbol) {
  static const int64_t choices[] = {1, 2, 2, 3, 4, 4, 6, 8, 12};
  Name names[4];
  int64_t sizes[4], ids[96];
  uint32_t n = 1 + dice_roll(dice, 4), devices = 1, used = 0;
  for (uint32_t i = 0; i < n; i++) {
    int64_t size = choices[dice_roll(dice, 9)];
    if (devices * size > 96) continue;
    names[used] = name_of(context, (const char *[]){"a", "b", "c", "d"}[i]);
    sizes[used++] = size;
    devices *= (uint32_t)size;
  }
  for (uint32_t i = 0; i < devices; i++) ids[i] = i;
  for (uint32_t i = devices; i > 1; i--) {
    uint32_t k = dice_roll(dice, i);
    int64_t swap = ids[i - 1];
    ids[i - 1] = ids[k];
    ids[k] = swap;
  }
  const Mesh *mesh = NULL;
  Status *status =
      mesh_new(context, symbol, used, names, sizes, dice_roll(dice, 2) ? devices : 0, ids, &mesh);
  status_free(status);
  return mesh;
}

// The axes of the mesh split at random divisors and shuffled: disjoint references that cover the
// mesh.
static inline uint32_t random_parts(const Mesh *mesh, Dice *dice, AxisRef *out) {  // <= 32
  uint32_t n = 0;
  for (uint32_t i = 0; i < mesh->n_axes; i++) {
    uint32_t pre = 1, full = mesh->axes[i].size;
    if (full == 1) out[n++] = axis_full(mesh, i);
    while (pre < full) {
      uint32_t size = full / pre;
      if (dice_roll(dice, 2)) {
        do {
          size = 2 + dice_roll(dice, full / pre - 1);
        } while (full / pre % size);
      }
      out[n++] = (AxisRef){i, pre, size};
      pre *= size;
    }
  }
  for (uint32_t i = n; i > 1; i--) {
    uint32_t k = dice_roll(dice, i);
    AxisRef swap = out[i - 1];
    out[i - 1] = out[k];
    out[k] = swap;
  }
  return n;
}

typedef struct RandomOptions {
  bool unreduced, manual, reducers, open;
} RandomOptions;

// A sharding of the given rank (<= 4) whose axes are random sub-axes of the mesh.
static inline Sharding random_sharding(ShardingTable *table, MeshId mesh, uint32_t rank,
                                       RandomOptions options, Dice *dice) {
  AxisRef parts[32], lists[7][32];
  uint32_t n[7] = {0};
  uint32_t count = random_parts(sharding_mesh(table, mesh), dice, parts);
  for (uint32_t i = 0; i < count; i++) {
    uint32_t to = dice_roll(dice, 8);  // 0-3 dims, 4 replicated, 5 unreduced, 6 manual, 7 nowhere
    if (to == 7 || (to < 4 && to >= rank) || (to == 5 && !options.unreduced) ||
        (to == 6 && !options.manual))
      continue;
    lists[to][n[to]++] = parts[i];
  }
  ShardFactor factors[4];
  DimSharding dims[4];
  for (uint32_t d = 0; d < rank; d++) {
    factors[d] = (ShardFactor){0, {lists[d], n[d]}};
    bool open = options.open && dice_roll(dice, 2);
    int32_t priority = (open || n[d]) && options.open ? (int32_t)dice_roll(dice, 4) - 1 : -1;
    dims[d] = (DimSharding){&factors[d], 1, open, priority};
  }
  ShardingInfo info = {.mesh = mesh,
                       .rank = rank,
                       .dims = dims,
                       .replicated = {lists[4], n[4]},
                       .unreduced = {lists[5], n[5]},
                       .manual = {lists[6], n[6]}};
  if (n[5] && options.reducers)
    info.reducer = (Combine)(COMBINE_SUM + dice_roll(dice, COMBINE_XOR));
  return sharding_intern(table, &info);
}

#endif
