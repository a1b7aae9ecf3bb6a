// Problem: XLA merges equal all_gathers and keeps the result from the first use to the last. In
// ZeRO-3 every gathered weight then lives from the forward to the backward pass.
//
// Idea: XLA compares channels, so each all_gather gets a channel of its own, above all channels in
// use. Gathers that `share` kept apart stay apart. Other collectives keep their channels. O(ops).
#include "ops/groups.h"
#include "optimize/facts.h"
#include "optimize/pass.h"

uint32_t pass_apart(Optimizer *o) {
  Program *p = o->p;
  uint32_t changes = 0;
  int64_t last = 0;
  for (OpId op = p->root; op; op = op_walk_next(p, op, p->root)) {
    int64_t channel =
        fact_is_collective(p, op) ? groups_channel(o->context, op_at(p, op)->attrs) : 0;
    if (channel > last) last = channel;
  }
  for (OpId op = p->root; op; op = op_walk_next(p, op, p->root)) {
    if (op_at(p, op)->code != OP_all_gather || last == INT64_MAX ||
        groups_channel(o->context, op_at(p, op)->attrs) <= 0)
      continue;
    op_set_attr(p, op, "channel_handle", groups_channel_attr(o->context, ++last));
    changes++;
  }
  return changes;
}
