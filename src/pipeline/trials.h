// --conflicts=cost: which rules propagate first, by trial.
#ifndef TESSERA_PIPELINE_TRIALS_H
#define TESSERA_PIPELINE_TRIALS_H

#include "pipeline/partition.h"
#include "pipeline/propagate.h"

// Do rules of several groups use one axis, and has none a priority? Then trials may help. Allocates
// in the arena; O(rules).
bool trials_would_help(const PropagateRequest *request, Arena *arena);

// Finds the order of rules with the least predicted time on the request's machine. If rules give
// one axis to several values (a batch, and weights as in FSDP), the group that propagates first
// spreads, and users of the others reshard. Tries no order and each such group first
// (shard_rules.h; at most 16), each with conflicts resolved by size and by cost. Sets by_cost,
// leading_group and saving (in the arena) of the request. The program stays as it is. O(groups ·
// (propagation + partition)).
void trials_choose(const Program *program, PropagateRequest *request, Arena *arena);

// What choices weigh, on the request's machine: seconds alone if the local program is then
// predicted to be faster, and fits in memory or needs no more; else bytes, too. Seconds are compute
// + collectives, one after the other: that does not depend on the order of ops. O(propagation +
// partition), twice.
Weigh trials_weigh(const Program *program, const PropagateRequest *request,
                   const LocalOptions *local, const Guard *guard);

#endif
