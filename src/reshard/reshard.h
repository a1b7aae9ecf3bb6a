// From one sharding of a tensor to another: the cheapest sequence of standard collectives, and the
// fewest bytes anything could do it with.
//
//   [{"x"}, {}] -> [{}, {"x"}]          one all-to-all
//   [{"y"}, {}, {"x"}] -> [{}, {"x", "y"}, {}]   two, and nothing is ever whole
#ifndef TESSERA_RESHARD_RESHARD_H
#define TESSERA_RESHARD_RESHARD_H

#include "cost/network.h"
#include "sharding/sharding.h"

typedef enum MoveKind {
  MOVE_SLICE,           // each device keeps a part of what it has: axes come to a dimension
  MOVE_PERMUTE,         // devices swap whole tiles
  MOVE_ALL_TO_ALL,      // axes go from one dimension to another
  MOVE_ALL_GATHER,      // axes leave a dimension
  MOVE_REDUCE_SCATTER,  // unreduced axes come to a dimension
  MOVE_ALL_REDUCE,      // unreduced axes go
  MOVE_UNREDUCE,        // one device along the axes keeps the value, the others the identity
} MoveKind;

typedef struct Move {
  MoveKind kind;
  Sharding to;                // what the tensor has afterwards; block shardings, closed
  AxisList axes;              // that move; of a permute none
  uint32_t from_dim, to_dim;  // of all-gather the first, of slice and reduce-scatter the second
  double bytes;               // that leave a device, on average over the devices, padding included
  double seconds;
} Move;

typedef struct ReshardPlan {
  const Move *moves;  // in the arena
  uint32_t n_moves;
  double bytes, seconds;
  double
      least_bytes;  // what the devices lack of their new tiles, on average; 0 with unreduced axes
} ReshardPlan;

const char *move_name(MoveKind kind);  // "all_to_all"

// type: a static tensor. Both shardings are on the same mesh (or one of them is 0: replicated).
// UNIMPLEMENTED between different meshes or reducers, and for strided splits. Sub-axes and uneven
// sizes are fine. The cheapest of all sequences of these moves that keep the two shardings' parts
// of axes whole, or cut them into primes; O(states of these parts), independent of the number of
// devices but for least_bytes.
Status *reshard_plan(ShardingTable *table, const Network *network, Sharding from, Sharding to,
                     Type type, Arena *arena, ReshardPlan *out) MUST_USE;

#endif
