// Custom calls that carry shardings: GSPMD's, and those of XLA's round trip of sdy. Shared by
// import and export.
#ifndef TESSERA_INTEROP_GSPMD_CALLS_H
#define TESSERA_INTEROP_GSPMD_CALLS_H

#include "base/arena.h"
#include "ops/op.h"

#define CALL_SHARDING "Sharding"
#define CALL_BARRIER_FROM "ShardBarrierFrom"  // lets shardings pass from result to operand only
#define CALL_BARRIER_TO "ShardBarrierTo"      // from operand to result only
#define CALL_FULL_TO_SHARD "SPMDFullToShardShape"
#define CALL_SHARD_TO_FULL "SPMDShardToFullShape"
#define CALL_SDY_RESULT "xla.sdy.FuncResultSharding"
#define CALL_SDY_GROUP "xla.sdy.ShardingGroup"
#define CALL_SDY_BARRIER "xla.sdy.PropagationBarrier"
#define CALL_SDY_TO_LOCAL "xla.sdy.GlobalToLocalShape"
#define CALL_SDY_TO_GLOBAL "xla.sdy.LocalToGlobalShape"

static inline void call_release_status(void *status) { status_free(status); }
// Copies the message of an error into the arena and frees the error.
static inline const char *reason_of(Arena *arena, Status *status) {
  GuardCleanup cleanup = {call_release_status, status, NULL};
  guard_push(arena->guard, &cleanup);
  const char *reason = arena_printf(arena, "%s", status_message(status));
  guard_pop(arena->guard, &cleanup);
  status_free(status);
  return reason;
}

// The call target; empty if the op is not a custom call.
static inline Str call_target(const Program *p, OpId op) {
  if (op_at(p, op)->code != OP_custom_call) return (Str){"", 0};
  return name_str(p->context, attr_as_name(p->context, op_attr(p, op, "call_target_name")));
}
static inline bool call_is(const Program *p, OpId op, const char *target) {
  return str_is(call_target(p, op), target);
}
// Whether the call is an identity: one operand and one result of the same type.
static inline bool call_keeps_value(const Program *p, OpId op) {
  const Op *o = op_at(p, op);
  return o->n_operands == 1 && o->n_results == 1 &&
         op_operand_type(p, op, 0) == op_result_type(p, op, 0);
}

#endif
