// Shardings that are given to places of a graph before propagation: by the program's attributes, by
// rules, by layouts. Each says where it was written, so that reasons can point there.
#ifndef TESSERA_ANNOTATE_GIVEN_H
#define TESSERA_ANNOTATE_GIVEN_H

#include "graph/graph.h"
#include "sharding/sharding.h"

typedef struct Given {
  PlaceId place;
  Sharding sharding;  // as written, with priorities
  Pos pos;            // in the program's text, or POS_NONE
  Str from;           // else: "--shard 'params.*=…'", "layout batch:data"; empty
} Given;

typedef struct Givens {
  const Graph *graph;
  ShardingTable *table;
  Arena *arena;        // of whoever made it: owns copies and the array
  const Given **list;  // per place; NULL = nothing given
} Givens;

// No place has anything yet. Everything is borrowed. O(places).
void givens_init(Givens *givens, const Graph *graph, ShardingTable *table, Arena *arena);
// Says what a place's sharding is. A second time replaces the first.
void givens_give(Givens *givens, const Given *given);
static inline const Given *givens_at(const Givens *givens, PlaceId place) {
  return givens->list[place];
}

#endif
