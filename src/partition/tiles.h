// Global tensors and the shards that devices have: arguments are sharded for a local program, and
// its results are compared with the global ones.
#ifndef TESSERA_PARTITION_TILES_H
#define TESSERA_PARTITION_TILES_H

#include "ir/program.h"
#include "tensor/literal.h"
#include "sharding/sharding.h"

// The global type and sharding of an argument or result of a local function.
typedef struct Edge {
  Type global;
  Sharding sharding;  // 0 = replicated
} Edge;

// Reads the edges from the attributes that partition_write puts on the function; in the arena.
// INVALID_ARGUMENT if shards of the global type do not have the local type. O(edges).
Status *tiles_edges(const Program *local, OpId function, bool results, ShardingTable *table,
                    Arena *arena, uint32_t *out_n, const Edge **out_edges) MUST_USE;

// The number of devices of a local program, from its module's `tessera.mesh`; 0 if it has none, so
// was not written by partition_write.
Status *tiles_devices(const Program *local, uint32_t *out_n) MUST_USE;

// The value of padding, which nothing may read.
typedef enum TilePadding { PADDING_ZERO, PADDING_POISON } TilePadding;  // poison: NaN, -77777

// A device's shard of a global tensor, owned. Of an unreduced value the first device along the
// unreduced axes has the value, the others the identity (or the value, for reducers like max). A
// replicated value is retained. O(elements of the shard · rank).
Literal *tile_shard(ShardingTable *table, const Edge *edge, uint32_t device, Literal *global,
                    TilePadding padding);
// The global tensor of the shards of all devices. If several devices hold the same element, the
// first one counts, and *out_unequal is the first device with other bits; n_devices if there is
// none. O(devices · elements of a shard · rank).
Literal *tile_join(ShardingTable *table, const Edge *edge, uint32_t n_devices,
                   Literal *const *shards, Arena *scratch, uint32_t *out_unequal);
// Reduces a partial value: the first device along the unreduced axes gets a new literal, combined
// from the shards of all devices; the others get NULL. O(devices · elements).
Literal *tile_reduce(ShardingTable *table, const Edge *edge, uint32_t device, uint32_t n_devices,
                     Literal *const *shards, Arena *scratch);

// Floats agree if |got - want| <= tolerance · (1 + |want|), NaN with NaN; all else exactly.
typedef struct TileDifference {
  int64_t count;     // elements that differ
  double worst;      // largest |got - want| / (1 + |want|) of floats, also of those that agree
  int64_t number;    // row-major index of the first of them in the global tensor; -1: other shapes
  Scalar got, want;  // there
} TileDifference;

// The tolerance for results of this element type, which reassociated sums change; 0 = exact.
double tile_tolerance(DType dtype);
// Compares a shard with the global tensor. slack: per global element, added to the tolerance; NULL
// = none. O(elements of the shard · rank).
void tile_compare(ShardingTable *table, const Edge *edge, uint32_t device, const Literal *tile,
                  const Literal *global, double tolerance, const double *slack,
                  TileDifference *out);

#endif
