// collective_broadcast: every process of a group gets the operand of the group's first process, or
// of the root operand's process; processes in no group get zeros. O(elements).
#include "ops/factors.h"
#include "ops/groups.h"

static bool has_root(const Context *context, Attr attrs) {
  return attr_as_bool(context, attr_get(context, attrs, "has_dynamic_root"), false);
}

static bool infer_collective_broadcast(Infer *cx) {
  Groups groups;
  uint32_t n = infer_n_operands(cx),
           root = has_root(cx->context, op_at(cx->program, cx->op)->attrs);
  const char *why;
  REQUIRE(cx, 3, n > root && infer_n_results(cx) == n - root,
          "has %u operands to broadcast and %u results, expected equal numbers, at least 1",
          n - root, infer_n_results(cx));
  if (!groups_check_operands(cx)) return false;
  if (!groups_read(cx->context, cx->program, cx->op, op_at(cx->program, cx->op)->attrs, false,
                   &groups, &why))
    return infer_fail(cx, 0, "%s", why);
  // Unlike all_reduce, a process may be in no group, so ids need not be consecutive.
  int64_t size = (int64_t)groups.n * groups.width, twice;
  for (int64_t i = 0; i < size; i++)
    REQUIRE(cx, 2, groups.ids[i] >= -1,
            "replica_groups contain id %lld, expected ids of at least 0", (long long)groups.ids[i]);
  REQUIRE(cx, 1, !groups_find_repeat(cx->context, (uint64_t)size, groups.ids, 1, &twice),
          "replica_groups contain id %lld twice, expected each id once", (long long)twice);
  if (root) {
    const TypeInfo *info = infer_operand_info(cx, n - 1);
    REQUIRE(cx, 0,
            info->kind == TYPE_TENSOR && info->rank == 1 &&
                dim_compatible(info->dims[0], (int64_t)n - 1) &&
                dtype_is_integer(type_dtype(cx->context, infer_operand(cx, n - 1))),
            "the roots have type %s, expected a tensor of %u integers",
            infer_text(cx, infer_operand(cx, n - 1)), n - 1);
  }
  for (uint32_t i = 0; i < n - root; i++) {
    cx->out[i] = infer_operand(cx, i);
    Type declared = infer_result(cx, i);
    REQUIRE(cx, 3, !declared || infer_types_same(cx, declared, cx->out[i]),
            "result %u is %s, expected %s", i, infer_text(cx, declared),
            infer_text(cx, cx->out[i]));
  }
  return true;
}

static Status *eval_collective_broadcast(EvalContext *cx, Literal *const *in, Literal **out) {
  Groups groups;
  const char *why;
  uint32_t n = cx->n_in, root = has_root(cx->context, cx->attrs), n_group;
  ProcessId *group;
  ArenaMark mark = arena_mark(cx->scratch);
  if (!groups_read(cx->context, cx->program, cx->op, cx->attrs, false, &groups, &why))
    FAIL(INVALID_ARGUMENT, "%s", why);
  if (!groups_mine(cx, &groups, &n_group, &group)) {
    for (uint32_t i = 0; i + root < n; i++) {
      out[i] = literal_like(in[i], cx->context, in[i]->elem);
      groups_fill_zero(cx->context, out[i]);
    }
    return NULL;
  }
  Rendezvous x;
  TRY(groups_meet_in(cx, group, n_group, n, in, mark, &x));
  for (uint32_t i = 0; i + root < n; i++) {
    int64_t at = root ? dtype_convert(in[n - 1]->dtype, DT_i64, literal_get(in[n - 1], i)).i : 0;
    if (at < 0 || at >= n_group)
      FAIL(OUT_OF_RANGE, "root %lld is not in a group of %u processes", (long long)at, n_group);
    out[i] = literal_retain(x.parts[(uint32_t)at * n + i]);
  }
  cx->host->leave(cx, &x);
  return NULL;
}

static OpId sample_collective_broadcast(Sample *cx) {
  Type type;
  ValueId operand = groups_sample_operand(cx, "bsufc", 0, &type);
  Attr attrs = groups_sample_attrs(cx, false, 0, NULL, NULL);
  return sample_op(cx, OP_collective_broadcast, attrs, 1, &operand, 1, &type, 0);
}

const OpDef op_collective_broadcast = {.infer = infer_collective_broadcast,
                                       .eval = eval_collective_broadcast,
                                       .sample = sample_collective_broadcast,
                                       .constraints = 3,
                                       .factors = factors_pointwise};
