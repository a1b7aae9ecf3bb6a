// Whole values and the parts of them that devices have: how arguments are cut for a local program
// and how its results are compared with the whole.
#ifndef TESSERA_PARTITION_TILES_H
#define TESSERA_PARTITION_TILES_H

#include "ir/program.h"
#include "ops/literal.h"
#include "sharding/sharding.h"

// What an argument or result of a local function is a part of.
typedef struct Edge {
  Type global;
  Sharding sharding;  // 0 = every device has all of it
} Edge;

// From what partition_program wrote on the function; in the arena.
Status *tiles_edges(const Program *local, OpId function, bool results, ShardingTable *table,
                    Arena *arena, uint32_t *out_n, const Edge **out_edges) MUST_USE;

// A device's part of a whole tensor. What lies beyond the tensor's end is poison (NaN, -77777); of
// an unreduced value the first device along its axes has all and the others what changes nothing.
Literal *tile_cut(ShardingTable *table, const Edge *edge, uint32_t device, const Literal *whole);
// The whole of an unreduced part: `parts` of all devices are combined into a new literal if the
// device is the first along the unreduced axes; NULL on the others. O(devices · elements).
Literal *tile_reduce(ShardingTable *table, const Edge *edge, uint32_t device, uint32_t n_devices,
                     Literal *const *parts, Arena *scratch);

// Floats agree if |got - want| <= tolerance · (1 + |want|), NaN with NaN; all else exactly.
typedef struct TileDifference {
  int64_t count;     // elements at odds
  double worst;      // largest |got - want| / (1 + |want|) of floats, also of those that agree
  int64_t number;    // of the first element at odds, in the whole; -1: the shapes differ
  Scalar got, want;  // there
} TileDifference;

// What re-associated sums and the like may change in this element type; 0 = nothing.
double tile_tolerance(DType dtype);
// slack: how much farther each element of the whole may be off; NULL: none.
void tile_compare(ShardingTable *table, const Edge *edge, uint32_t device, const Literal *tile,
                  const Literal *whole, double tolerance, const double *slack, TileDifference *out);

#endif
