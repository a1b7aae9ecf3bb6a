// One pointer per place to a copy in the caller's arena: O(1) to write and to read.
#include "annotate/given.h"

void givens_init(Givens *givens, const Graph *graph, ShardingTable *table, Arena *arena) {
  *givens = (Givens){graph, table, arena, ARENA_ARRAY(arena, const Given *, graph->n_places + 1)};
}

void givens_give(Givens *givens, const Given *given) {
  Given *copy = ARENA_NEW(givens->arena, Given);
  *copy = *given;
  if (given->from.n) copy->from.s = arena_copy(givens->arena, given->from.s, given->from.n);
  givens->list[given->place] = copy;
}
