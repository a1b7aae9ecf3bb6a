// Annotations of places before propagation: from the program's attributes, --shard rules and
// layouts. Each knows where it was written, so that reasons can point there.
#ifndef TESSERA_ANNOTATE_GIVEN_H
#define TESSERA_ANNOTATE_GIVEN_H

#include "graph/graph.h"
#include "sharding/sharding.h"

typedef struct Given {
  PlaceId place;
  Sharding sharding;  // as annotated, with priorities
  Pos pos;            // in the program's text, or POS_NONE
  Str from;           // without a pos: "--shard 'params.*=…'", "layout batch:data"; may be empty
} Given;

typedef struct Givens {
  const Graph *graph;
  ShardingTable *table;
  Arena *arena;        // the caller's; owns copies and the array
  const Given **list;  // per place; NULL: not annotated
} Givens;

// An empty list. Everything is borrowed. O(places).
void givens_init(Givens *givens, const Graph *graph, ShardingTable *table, Arena *arena);
// Annotates a place; replaces an earlier annotation. O(1).
void givens_give(Givens *givens, const Given *given);
static inline const Given *givens_at(const Givens *givens, PlaceId place) {
  return givens->list[place];
}

#endif
