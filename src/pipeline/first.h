// Which annotations give way, by trying.
#ifndef TESSERA_PIPELINE_FIRST_H
#define TESSERA_PIPELINE_FIRST_H

#include "pipeline/propagate.h"

// Do rules of several groups say one axis, none with a priority: would an order be tried? In the
// arena; O(rules).
bool pipeline_has_rivals(const PropagateRequest *request, Arena *arena);

// Where rules say one axis of several values (a batch and the weights of FSDP), what gets it first
// spreads, and the others' users have to bring it elsewhere. Tried are no order, and each group of
// such rules (shard_rules.h; of 16 at most) first, what others say of its axes behind it; each with
// conflicts by size and by cost. All are propagated and partitioned, and the least predicted
// time on the request's machine wins: first and by_cost of the request, which must have `again`.
// *out_words says what an order saves, in the arena; it is left alone if there is none. O(groups ·
// (propagation + partition)).
void pipeline_choose_first(PropagateRequest *request, Arena *arena, const char **out_words);

#endif
