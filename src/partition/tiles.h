// Whole values and the parts of them that devices have: how arguments are cut for a local program
// and how its results are compared with the whole.
#ifndef TESSERA_PARTITION_TILES_H
#define TESSERA_PARTITION_TILES_H

#include "ir/program.h"
#include "tensor/literal.h"
#include "sharding/sharding.h"

// What an argument or result of a local function is a part of.
typedef struct Edge {
  Type global;
  Sharding sharding;  // 0 = every device has all of it
} Edge;

// From what partition_program wrote on the function; in the arena. INVALID_ARGUMENT where the text
// contradicts itself: the shards of the global type are not of the local one.
Status *tiles_edges(const Program *local, OpId function, bool results, ShardingTable *table,
                    Arena *arena, uint32_t *out_n, const Edge **out_edges) MUST_USE;

// How many devices a local program is for, from its module's `tessera.mesh`, which
// partition_program writes: 0 if it has none, so is not such a program.
Status *tiles_devices(const Program *local, uint32_t *out_n) MUST_USE;

// What tiles hold beyond the tensor's end, where nothing is to read them.
typedef enum TilePadding { PADDING_ZERO, PADDING_POISON } TilePadding;  // poison: NaN, -77777

// A device's part of a whole tensor. Of an unreduced value the first device along its axes has all
// and the others what changes nothing. A value that is replicated is retained.
Literal *tile_cut(ShardingTable *table, const Edge *edge, uint32_t device, Literal *whole,
                  TilePadding padding);
// The whole tensor of all devices' parts. Where several devices hold the same element the first one
// counts, and *out_unequal is the first other device that holds something else, bit for bit;
// n_devices if there is none. O(devices · elements of a tile · rank).
Literal *tile_join(ShardingTable *table, const Edge *edge, uint32_t n_devices,
                   Literal *const *parts, Arena *scratch, uint32_t *out_unequal);
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
