// Problem: the search for a plan takes up to milliseconds, and most reshards of a program, or of
// programs that differ in few decisions, are alike.
//
// Idea: a hash table from everything that the search reads: the shape, both shardings with their
// meshes, and the links of the network. The last is compared once per network.
//
// Invariant: equal keys have equal plans. Cost: O(rank + axes) per lookup.
#include "reshard/memo.h"

#include <string.h>

#include "base/idmap.h"
#include "base/mem.h"
#include "base/vec.h"
#include "reshard/memo_private.h"

enum { MOST_ROWS = 1 << 14 };  // a plan takes some kilobytes

struct ReshardMemo {
  Arena arena;
  const uint64_t *links;  // content of the network that the plans are for; NULL: none yet
  uint32_t n_links;
  VEC(ReshardRow) rows;  // row 0 is unused
  IdMap ids;
};

// ---- keys ----

static void put(ReshardKey *key, uint64_t x) {
  if (key->n < RESHARD_MOST_KEY) key->v[key->n] = x;
  key->n += key->n <= RESHARD_MOST_KEY;
}

static void put_double(ReshardKey *key, double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  put(key, bits);
}

static void put_axes(ReshardKey *key, AxisList axes) {
  put(key, axes.n);
  for (uint32_t i = 0; i < axes.n; i++) {
    put(key, (uint64_t)axes.v[i].axis << 32 | axes.v[i].pre_size);
    put(key, axes.v[i].size);
  }
}

static void put_mesh(ReshardKey *key, const Mesh *mesh) {
  put(key, mesh ? 1 + (uint64_t)mesh->n_axes : 0);
  for (uint32_t i = 0; mesh && i < mesh->n_axes; i++)
    put(key, (uint64_t)mesh->axes[i].size << 32 | mesh->axes[i].stride);
  if (mesh && (mesh->devices || mesh->maximal)) key->n = RESHARD_MOST_KEY + 1;
}

static void put_sharding(ReshardKey *key, const ShardingTable *table, Sharding sharding) {
  const ShardingInfo *info = sharding_info(table, sharding);
  put_mesh(key, sharding_mesh(table, info->mesh));
  put(key, info->rank);
  for (uint32_t d = 0; d < info->rank; d++) {
    const DimSharding *dim = &info->dims[d];
    put(key, dim->n_factors);
    for (uint32_t f = 0; f < dim->n_factors; f++) {
      put(key, (uint64_t)dim->factors[f].size);
      put_axes(key, dim->factors[f].axes);
    }
  }
  put_axes(key, info->replicated);
  put_axes(key, info->unreduced);
  put_axes(key, info->manual);
  put(key, info->reducer);
}

void reshard_key(const ShardingTable *table, Sharding from, Sharding to, uint32_t rank,
                 const int64_t *dims, double element_bytes, ReshardKey *out) {
  out->n = 0;
  put_double(out, element_bytes);
  put(out, rank);
  for (uint32_t d = 0; d < rank; d++) put(out, (uint64_t)dims[d]);
  put_sharding(out, table, from);
  put_sharding(out, table, to);
}

static void put_link(ReshardKey *key, Link link) {
  put_double(key, link.latency_seconds);
  put_double(key, link.bytes_per_second);
  put_double(key, link.gap_seconds);
}

// Everything that prices of collectives depend on.
static void network_key(const Network *network, ReshardKey *out) {
  out->n = 0;
  put_link(out, network->all);
  put(out, network->n_levels);
  for (uint32_t i = 0; i < network->n_levels; i++) {
    const NetworkLevel *level = &network->levels[i];
    put_link(out, level->link);
    put(out, (uint64_t)level->devices << 32 | level->size);
    put(out, (uint64_t)level->topology << 33 | (uint64_t)level->wraps << 32 | level->stream);
  }
  put(out, network->n_axes);
  for (uint32_t i = 0; i < network->n_axes; i++) {
    const NetworkAxis *axis = &network->axes[i];
    put_link(out, axis->link);
    put(out, (uint64_t)axis->size << 32 | axis->stride);
    put(out, axis->named);
  }
  put(out, network->n_streams);
}

// ---- the table ----

ReshardMemo *reshard_memo_new(Guard *guard) {
  ReshardMemo *memo = mem_alloc(sizeof *memo);
  if (!memo) guard_throw(guard, status_no_memory());
  *memo = (ReshardMemo){0};
  arena_init(&memo->arena, guard);
  return memo;
}

void reshard_memo_free(void *object) {
  ReshardMemo *memo = object;
  if (!memo) return;
  idmap_deinit(&memo->ids);
  arena_deinit(&memo->arena);
  mem_free(memo);
}

void reshard_memo_use(ReshardMemo *memo, Network *network, Guard *guard) {
  ReshardKey key;
  network_key(network, &key);
  if (key.n > RESHARD_MOST_KEY) return;
  size_t bytes = key.n * sizeof *key.v;
  arena_guard(&memo->arena, guard);
  if (!memo->links) {
    memo->links = arena_copy(&memo->arena, key.v, bytes);
    memo->n_links = key.n;
    VEC_PUSH(&memo->arena, &memo->rows, (ReshardRow){0});
  }
  if (memo->n_links == key.n && !memcmp(memo->links, key.v, bytes)) network->memo = memo;
}

static bool row_equal(const void *owner, uint32_t id, const void *wanted) {
  const ReshardRow *row = &((const ReshardMemo *)owner)->rows.items[id];
  const ReshardKey *key = wanted;
  return row->n_key == key->n && !memcmp(row->key, key->v, key->n * sizeof *key->v);
}

const ReshardRow *reshard_memo_find(const ReshardMemo *memo, ReshardKey *key) {
  if (key->n > RESHARD_MOST_KEY) return NULL;
  key->hash = hash_bytes(key->v, key->n * sizeof *key->v);
  uint32_t id = idmap_find(&memo->ids, key->hash, row_equal, memo, key);
  return id ? &memo->rows.items[id] : NULL;
}

Arena *reshard_memo_arena(ReshardMemo *memo, const ReshardKey *key, Guard *guard) {
  if (key->n > RESHARD_MOST_KEY || memo->rows.count >= MOST_ROWS) return NULL;
  arena_guard(&memo->arena, guard);
  return &memo->arena;
}

void reshard_memo_add(ReshardMemo *memo, const ReshardKey *key, const ReshardPlan *plan) {
  ReshardRow row = {.key = arena_copy(&memo->arena, key->v, key->n * sizeof *key->v),
                    .n_key = key->n,
                    .found = plan != NULL};
  if (plan) row.plan = *plan;
  VEC_PUSH(&memo->arena, &memo->rows, row);
  idmap_add(&memo->ids, memo->arena.guard, key->hash, memo->rows.count - 1);
}
