// all_reduce: every process gets the reduction of its group's operands. collective_reduce: only
// the group's root does, the others get zeros. cross-replica-sum: all_reduce by addition, across
// replicas. All reduce in group order.
#include "ops/factors.h"
#include "ops/groups.h"

static bool infer_shapes(Infer *cx, uint32_t n, Type elem, int shape, int result_elem) {
  REQUIRE(cx, shape, infer_n_results(cx) == n, "has %u results, expected %u, one per operand",
          infer_n_results(cx), n);
  for (uint32_t i = 0; i < n; i++) {
    Type declared = infer_result(cx, i), operand = infer_operand(cx, i);
    cx->out[i] = type_with_elem(cx->context, operand, elem);
    if (!declared) continue;
    REQUIRE(cx, shape, infer_shapes_compatible(cx, declared, operand),
            "result %u is %s, expected the shape of operand %u, %s", i, infer_text(cx, declared), i,
            infer_text(cx, operand));
    REQUIRE(cx, result_elem, type_elem(cx->context, declared) == elem,
            "result %u is %s, expected the element type that the body returns, %s", i,
            infer_text(cx, declared), infer_text(cx, elem));
  }
  return true;
}

static bool infer_all_reduce(Infer *cx) {
  Groups groups;
  Type elem;
  return groups_check_operands(cx) && groups_check(cx, true, false, 1, 3, 4, &groups) &&
         groups_check_body(cx, infer_n_operands(cx), 5, &elem) &&
         infer_shapes(cx, infer_n_operands(cx), elem, 6, 7);
}

static Status *combine_all(EvalContext *cx, const Rendezvous *x, Literal *const *in,
                           Literal **out) {
  (void)in;
  for (uint32_t i = 0; i < cx->n_in; i++)
    TRY(groups_combine(cx, x->n_group, cx->n_in, x->parts, i, &out[i]));
  return NULL;
}

static Status *eval_all_reduce(EvalContext *cx, Literal *const *in, Literal **out) {
  Rendezvous x;
  TRY(groups_meet(cx, true, in, &x));
  return groups_once(cx, &x, in, combine_all, out);
}

static OpId sample_reducing(Sample *cx, uint16_t code) {
  static const uint16_t bodies[] = {OP_add, OP_maximum, OP_minimum};
  Type type;
  ValueId operand = groups_sample_operand(cx, "suf", 0, &type);
  OpId op =
      sample_op(cx, code, groups_sample_attrs(cx, false, 0, NULL, NULL), 1, &operand, 1, &type, 1);
  sample_binary_body(cx, op, 0, type_elem(cx->context, type), bodies[sample_int(cx, 0, 2)]);
  return op;
}

static OpId sample_all_reduce(Sample *cx) { return sample_reducing(cx, OP_all_reduce); }

const OpDef op_all_reduce = {.infer = infer_all_reduce,
                             .eval = eval_all_reduce,
                             .sample = sample_all_reduce,
                             .constraints = 7,
                             .unchecked = "C2: the size of the grid is known when it runs",
                             .factors = factors_pointwise};

// ---- collective_reduce ----

static bool has_root(const Context *context, Attr attrs) {
  return attr_as_bool(context, attr_get(context, attrs, "has_dynamic_root"), false);
}

static bool infer_collective_reduce(Infer *cx) {
  Groups groups;
  Type elem;
  uint32_t n = infer_n_operands(cx),
           root = has_root(cx->context, op_at(cx->program, cx->op)->attrs);
  REQUIRE(cx, 0, n > root, "has no operand to reduce, expected at least one");
  if (!groups_check_operands(cx)) return false;
  if (!groups_check(cx, false, false, 1, 2, 3, &groups)) return false;
  if (root) {
    const TypeInfo *info = infer_operand_info(cx, n - 1);
    REQUIRE(cx, 0,
            info->kind == TYPE_TENSOR && info->rank == 1 &&
                dim_compatible(info->dims[0], (int64_t)n - 1) &&
                dtype_is_integer(type_dtype(cx->context, infer_operand(cx, n - 1))),
            "the roots have type %s, expected a tensor of %u integers",
            infer_text(cx, infer_operand(cx, n - 1)), n - 1);
  }
  return groups_check_body(cx, n - root, 4, &elem) && infer_shapes(cx, n - root, elem, 5, 6);
}

static Status *eval_collective_reduce(EvalContext *cx, Literal *const *in, Literal **out) {
  uint32_t n = cx->n_in, root = has_root(cx->context, cx->attrs);
  Rendezvous x;
  TRY(groups_meet(cx, false, in, &x));
  if (root && in[n - 1]->count != (int64_t)n - 1)
    FAIL(INVALID_ARGUMENT, "has %lld roots, expected %u", (long long)in[n - 1]->count, n - 1);
  for (uint32_t i = 0; i + root < n; i++) {
    int64_t at = root ? dtype_convert(in[n - 1]->dtype, DT_i64, literal_get(in[n - 1], i)).i : 0;
    if (at < 0 || at >= x.n_group)
      FAIL(OUT_OF_RANGE, "root %lld is not in a group of %u processes", (long long)at, x.n_group);
    TRY(groups_combine(cx, x.n_group, n, x.parts, i, &out[i]));
    if (at == x.self) continue;
    Literal *zeros = literal_like(out[i], cx->context, out[i]->elem);
    groups_fill_zero(cx->context, zeros);
    literal_release(out[i]);
    out[i] = zeros;
  }
  cx->host->leave(cx, &x);
  return NULL;
}

static OpId sample_collective_reduce(Sample *cx) {
  return sample_reducing(cx, OP_collective_reduce);
}

const OpDef op_collective_reduce = {.infer = infer_collective_reduce,
                                    .eval = eval_collective_reduce,
                                    .sample = sample_collective_reduce,
                                    .factors = factors_pointwise};

// ---- cross-replica-sum ----

static bool infer_cross_replica_sum(Infer *cx) {
  Groups groups;
  if (!groups_check(cx, true, false, 0, 0, 0, &groups)) return false;
  cx->out[0] = infer_operand(cx, 0);
  return true;
}

static Status *add_all(EvalContext *cx, const Rendezvous *x, Literal *const *in, Literal **out) {
  (void)in;
  Literal *sum = literal_retain(x->parts[0]);
  Type type = eval_result_type(cx, 0);
  for (uint32_t m = 1; m < x->n_group; m++) {
    Literal *terms[2] = {sum, x->parts[m]}, *next;
    TRY(eval_op(cx, OP_add, 0, 2, terms, 1, &type, &next));
    literal_release(sum);
    sum = next;
  }
  out[0] = sum;
  return NULL;
}

static Status *eval_cross_replica_sum(EvalContext *cx, Literal *const *in, Literal **out) {
  Rendezvous x;
  TRY(groups_meet(cx, true, in, &x));
  return groups_once(cx, &x, in, add_all, out);
}

static OpId sample_cross_replica_sum(Sample *cx) {
  Type type;
  ValueId operand = groups_sample_operand(cx, "sufc", 0, &type);
  Attr attrs = groups_sample_attrs(cx, false, 0, NULL, NULL);
  return sample_op(cx, OP_cross_replica_sum, attrs, 1, &operand, 1, &type, 0);
}

const OpDef op_cross_replica_sum = {.infer = infer_cross_replica_sum,
                                    .eval = eval_cross_replica_sum,
                                    .sample = sample_cross_replica_sum,
                                    .factors = factors_pointwise};
