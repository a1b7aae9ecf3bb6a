// collective_permute: each target gets its source's operand; processes that are no target get
// zeros. The pairs determine the groups: processes connected by pairs, a ring or a line, wait for
// each other and for no others. O(pairs + elements).
#include "ops/factors.h"
#include "ops/groups.h"

static bool infer_collective_permute(Infer *cx) {
  if (!groups_check_operands(cx) || !groups_check_pairs(cx, 1, 2, 3, 4)) return false;
  cx->out[0] = infer_operand(cx, 0);
  Type declared = infer_result(cx, 0);
  REQUIRE(cx, 5, !declared || infer_types_same(cx, declared, cx->out[0]),
          "the result is %s, expected %s", infer_text(cx, declared), infer_text(cx, cx->out[0]));
  return true;
}

#define NO_PROCESS UINT32_MAX

static Status *eval_collective_permute(EvalContext *cx, Literal *const *in, Literal **out) {
  Ints ids = eval_ints(cx, "source_target_pairs");
  bool partitions_move = groups_channel(cx->context, cx->attrs) > 0;
  uint32_t replicas, partitions;
  ProcessId self;
  cx->host->grid(cx, &replicas, &partitions, &self);
  uint32_t mine = partitions_move ? self.partition : self.replica;
  uint32_t limit = partitions_move ? partitions : replicas;
  ArenaMark mark = arena_mark(cx->scratch);
  // No process is source or target twice, so components are rings and lines. Members are ordered by
  // id, so that all have the same list.
  uint32_t n_group = 0, *target = ARENA_ARRAY(cx->scratch, uint32_t, limit + 1),
           *source = ARENA_ARRAY(cx->scratch, uint32_t, limit + 1);
  ProcessId *group = ARENA_ARRAY(cx->scratch, ProcessId, limit + 1);
  bool *linked = ARENA_ARRAY(cx->scratch, bool, limit + 1);
  for (uint32_t i = 0; i < limit; i++) target[i] = source[i] = NO_PROCESS;
  for (uint32_t i = 0; i < ids.n; i++)
    if (ids.v[i] < 0 || ids.v[i] >= limit)
      FAIL(INVALID_ARGUMENT, "source_target_pairs contain %s %lld, expected it in [0, %u)",
           partitions_move ? "partition" : "replica", (long long)ids.v[i], limit);
  for (uint32_t i = 0; i + 1 < ids.n; i += 2) {
    target[ids.v[i]] = (uint32_t)ids.v[i + 1];
    source[ids.v[i + 1]] = (uint32_t)ids.v[i];
  }
  bool alone = mine >= limit || (target[mine] == NO_PROCESS && source[mine] == NO_PROCESS);
  for (uint32_t i = alone ? NO_PROCESS : mine; i != NO_PROCESS && !linked[i]; i = target[i])
    linked[i] = true;
  for (uint32_t i = alone ? NO_PROCESS : source[mine]; i != NO_PROCESS && !linked[i]; i = source[i])
    linked[i] = true;
  for (uint32_t i = 0; i < limit; i++)
    if (linked[i])
      group[n_group++] =
          partitions_move ? (ProcessId){self.replica, i} : (ProcessId){i, self.partition};
  if (!alone) {
    Rendezvous x;
    uint32_t from = source[mine];
    TRY(groups_meet_in(cx, group, n_group, 1, in, mark, &x));
    for (uint32_t m = 0; m < n_group; m++)
      if ((partitions_move ? x.group[m].partition : x.group[m].replica) == from)
        out[0] = literal_retain(x.parts[m]);
    cx->host->leave(cx, &x);
  }
  if (!out[0]) {
    out[0] = literal_like(in[0], cx->context, in[0]->elem);
    groups_fill_zero(cx->context, out[0]);
  }
  return NULL;
}

static OpId sample_collective_permute(Sample *cx) {
  Type type;
  ValueId operand = groups_sample_operand(cx, "bsufc", 0, &type);
  Attr attrs = groups_sample_attrs(cx, true, 0, NULL, NULL);
  return sample_op(cx, OP_collective_permute, attrs, 1, &operand, 1, &type, 0);
}

const OpDef op_collective_permute = {.infer = infer_collective_permute,
                                     .eval = eval_collective_permute,
                                     .sample = sample_collective_permute,
                                     .constraints = 5,
                                     .factors = factors_pointwise};
