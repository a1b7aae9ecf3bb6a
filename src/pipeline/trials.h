// --conflicts=cost: which rules propagate first, by trial.
#ifndef TESSERA_PIPELINE_TRIALS_H
#define TESSERA_PIPELINE_TRIALS_H

#include "pipeline/propagate.h"

// Do rules of several groups use one axis, none with a priority? Then an order is worth a trial. In
// the arena; O(rules).
bool trials_would_help(const PropagateRequest *request, Arena *arena);

// If rules give one axis to several values (a batch and the weights of FSDP), the group that
// propagates first spreads, and users of the others reshard. Tried are no order and each such group
// (shard_rules.h; 16 at most) first, each with conflicts resolved by size and by cost. Every trial
// is a clone of the program, propagated and partitioned; the least predicted time on the request's
// machine wins. Sets by_cost, leading_group and saving (in the arena) of the request. The program
// stays as it is. O(groups · (propagation + partition)).
void trials_choose(const Program *program, PropagateRequest *request, Arena *arena);

#endif
