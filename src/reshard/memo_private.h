// The rows of a memo. Private to this directory.
#ifndef TESSERA_RESHARD_MEMO_PRIVATE_H
#define TESSERA_RESHARD_MEMO_PRIVATE_H

#include "reshard/memo.h"
#include "reshard/reshard.h"

enum { RESHARD_MOST_KEY = 256 };

typedef struct ReshardKey {
  uint64_t v[RESHARD_MOST_KEY];
  uint32_t n;     // RESHARD_MOST_KEY + 1: it is not kept
  uint64_t hash;  // set by reshard_memo_find
} ReshardKey;

typedef struct ReshardRow {
  const uint64_t *key;
  uint32_t n_key;
  bool found;        // there is a plan
  ReshardPlan plan;  // its mesh is an id of another table
} ReshardRow;

// The key of a reshard of a tensor. Meshes with another order of the devices are not kept.
void reshard_key(const ShardingTable *table, Sharding from, Sharding to, uint32_t rank,
                 const int64_t *dims, double element_bytes, ReshardKey *out);
// NULL: not known. The row is valid until the next one is added.
const ReshardRow *reshard_memo_find(const ReshardMemo *memo, ReshardKey *key);
// The arena for a plan that will be added; NULL: the memo is full, or the key is not kept.
Arena *reshard_memo_arena(ReshardMemo *memo, const ReshardKey *key, Guard *guard);
// plan: NULL if there is none. Its memory is in the memo's arena.
void reshard_memo_add(ReshardMemo *memo, const ReshardKey *key, const ReshardPlan *plan);

#endif
