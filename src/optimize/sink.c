// Problem: all_gathers stand where the partitioner needed them, though fewer bytes would be
// gathered later.
//
// Idea: move an all_gather behind its user, if the user's result is no larger than the gathered
// operands.
//
//   add(all_gather(a), all_gather(b))  →  all_gather(add(a, b))
//   slice(all_gather(x, dim 0), dim 1) →  all_gather(slice(x, dim 1), dim 0)
//
// Two gathers become one, a narrower type is gathered, and the op computes on shards. Operands of
// an elementwise op that are no gathers must be splats or scalars that are equal in each group; a
// slice must have offsets that are equal in each group and keep the gathered dimension.
//
// Invariant: values are equal bit by bit; no gather crosses an optimization_barrier. One walk in
// program order moves each gather as far as it goes. Cost: O(ops), and varies_find.
#include "base/vec.h"
#include "ops/splat.h"
#include "optimize/collective.h"
#include "optimize/facts.h"
#include "optimize/varies.h"

enum { MOST_OPERANDS = 4 };

typedef struct Sink {
  Optimizer *o;
  Program *p;
  Varies varies;
  VEC(uint32_t) barriers;  // per visited op: number of barriers before it
  uint32_t n_barriers;
} Sink;

static bool is_static(const Sink *s, OpId gather) {
  return type_is_static(s->o->context, op_operand_type(s->p, gather, 0)) &&
         type_is_static(s->o->context, op_result_type(s->p, gather, 0));
}

// The all_gather that defines v, in the user's block with no barrier between; else 0.
static OpId gather_of(const Sink *s, ValueId v, OpId user) {
  const Program *p = s->p;
  OpId op = fact_def(p, v, OP_all_gather);
  if (!op || op_at(p, op)->n_operands != 1 || op_at(p, op)->block != op_at(p, user)->block ||
      !is_static(s, op) || op >= s->barriers.count || s->barriers.items[op] != s->n_barriers)
    return 0;
  return op;
}

static bool only_used_by(const Program *p, ValueId v, OpId op) {
  for (OperandId use = value_at(p, v)->first_use; use; use = operand_at(p, use)->next_use)
    if (operand_at(p, use)->user != op) return false;
  return true;
}

static uint32_t dim_of(const Sink *s, OpId gather) {
  return (uint32_t)attr_as_int(s->o->context, op_attr(s->p, gather, "all_gather_dim"), 0);
}

static int64_t size_of(const Sink *s, Type type, uint32_t dim) {
  return type_info(s->o->context, type)->dims[dim];
}

static void record_barriers(Sink *s, OpId op) {
  while (s->barriers.count <= op) VEC_PUSH(&s->o->scratch, &s->barriers, 0);
  s->barriers.items[op] = s->n_barriers;
}

// Emits the op on shards and one all_gather of its result. Erases gathers without other uses.
static void gather_result(Sink *s, OpId op, OpId gather, uint32_t n, const ValueId *operands,
                          Type local, Attr attrs) {
  Program *p = s->p;
  Type type = op_result_type(p, op, 0);
  OpId old[MOST_OPERANDS];
  uint32_t n_old = op_at(p, op)->n_operands < MOST_OPERANDS ? op_at(p, op)->n_operands : 0;
  for (uint32_t i = 0; i < n_old; i++) old[i] = gather_of(s, op_operand(p, op, i), op);
  Builder b = rewrite_before(p, op), like = rewrite_like(p, op, gather);
  ValueId shard = build_op(&b, op_at(p, op)->code, n, operands, local, attrs);
  ValueId gathered = build_op(&like, OP_all_gather, 1, &shard, type, op_at(p, gather)->attrs);
  record_barriers(s, value_def(p, shard));
  record_barriers(s, value_def(p, gathered));
  varies_set(s->o, &s->varies, gathered, varies_along(&s->varies, op_result(p, op, 0)));
  op_replace(p, op, gathered);
  for (uint32_t i = 0; i < n_old; i++)
    if (old[i] && op_at(p, old[i])->code && !value_has_uses(p, op_result(p, old[i], 0)))
      op_erase(p, old[i]);
  if (!n_old && !value_has_uses(p, op_result(p, gather, 0))) op_erase(p, gather);
}

// ---- elementwise ops of gathered operands ----

static bool behind_elementwise(Sink *s, OpId op) {
  Program *p = s->p;
  uint32_t n = op_at(p, op)->n_operands;
  const uint16_t need = TRAIT_PURE | TRAIT_ELEMENTWISE;
  if (n < 1 || n >= MOST_OPERANDS || op_at(p, op)->n_results != 1 || op_at(p, op)->n_regions ||
      (op_traits(p, op) & need) != need)
    return false;
  OpId first = 0;
  double bytes = 0;
  for (uint32_t i = 0; i < n; i++) {
    OpId gather = gather_of(s, op_operand(p, op, i), op);
    if (!gather) continue;
    if (!only_used_by(p, op_operand(p, op, i), op)) return false;
    if (first && op_at(p, first)->attrs != op_at(p, gather)->attrs) return false;
    bool repeated = false;
    for (uint32_t k = 0; k < i; k++) repeated |= op_operand(p, op, k) == op_operand(p, op, i);
    if (!repeated) bytes += fact_bytes(p, op_operand(p, op, i));
    first = gather;
  }
  if (!first || fact_result_bytes(p, op) > bytes) return false;
  uint32_t dim = dim_of(s, first);
  int64_t size = size_of(s, op_operand_type(p, first, 0), dim);
  ValueId operands[MOST_OPERANDS];
  Builder b = rewrite_before(p, op);
  for (uint32_t i = 0; i < n; i++) {  // operands that are no gathers must be equal on all shards
    ValueId v = op_operand(p, op, i);
    const TypeInfo *info = type_info(s->o->context, value_type(p, v));
    Scalar x;
    if (!gather_of(s, v, op) && (info->kind != TYPE_TENSOR || (info->rank && !op_splat(p, v, &x))))
      return false;
    if (!gather_of(s, v, op) && !info->rank && !fact_constant(p, v)) {
      const DeviceGroups *groups = collective_groups(s->o, first);
      if (!groups || !varies_not_in(&s->varies, v, groups)) return false;
    }
  }
  for (uint32_t i = 0; i < n; i++) {
    ValueId v = op_operand(p, op, i);
    OpId gather = gather_of(s, v, op);
    Scalar x;
    operands[i] = v;
    if (gather)
      operands[i] = op_operand(p, gather, 0);
    else if (type_info(s->o->context, value_type(p, v))->rank && op_splat(p, v, &x))
      operands[i] = build_splat(&b, type_with_dim(s->o->context, value_type(p, v), dim, size), x);
  }
  Type local = type_with_dim(s->o->context, op_result_type(p, op, 0), dim, size);
  gather_result(s, op, first, n, operands, local, op_at(p, op)->attrs);
  return true;
}

// ---- slices in other dimensions ----

static Attr with_size(Context *c, Attr attrs, const char *name, uint32_t dim, int64_t size) {
  Ints was = attr_as_ints(c, attr_get(c, attrs, name));
  int64_t now[MAX_RANK];
  for (uint32_t d = 0; d < was.n; d++) now[d] = d == dim ? size : was.v[d];
  return attr_dict_with(c, attrs, name, attr_i64s(c, was.n, now));
}

static bool behind_slice(Sink *s, OpId op) {
  Program *p = s->p;
  Context *c = s->o->context;
  bool dynamic = op_at(p, op)->code == OP_dynamic_slice;
  OpId gather = gather_of(s, op_operand(p, op, 0), op);
  if (!gather || !only_used_by(p, op_operand(p, op, 0), op)) return false;
  const DeviceGroups *groups = collective_groups(s->o, gather);
  uint32_t dim = dim_of(s, gather), n = op_at(p, op)->n_operands;
  Type gathered = op_operand_type(p, op, 0), result = op_result_type(p, op, 0);
  if (!groups || n > MAX_RANK || size_of(s, gathered, dim) != size_of(s, result, dim)) return false;
  ValueId operands[MAX_RANK + 1] = {op_operand(p, gather, 0)};
  for (uint32_t i = 1; i < n; i++) {
    operands[i] = op_operand(p, op, i);
    if (i != 1 + dim && !varies_not_in(&s->varies, operands[i], groups)) return false;
  }
  int64_t size = size_of(s, op_operand_type(p, gather, 0), dim);
  Attr attrs =
      with_size(c, op_at(p, op)->attrs, dynamic ? "slice_sizes" : "limit_indices", dim, size);
  if (!dynamic && attr_as_ints(c, op_attr(p, op, "strides")).v[dim] != 1) return false;
  gather_result(s, op, gather, n, operands, type_with_dim(c, result, dim, size), attrs);
  return true;
}

uint32_t pass_sink(Optimizer *o) {
  Program *p = o->p;
  bool any = false;
  for (OpId op = p->root; op && !any; op = op_walk_next(p, op, p->root))
    any = op_at(p, op)->code == OP_all_gather;
  if (!any || o->n_devices < 2) return 0;
  Sink s = {.o = o, .p = p, .varies = varies_find(o)};
  uint32_t changes = 0;
  for (OpId op = p->root, next; op; op = next) {
    next = op_walk_next(p, op, p->root);
    uint16_t code = op_at(p, op)->code;
    s.n_barriers += code == OP_optimization_barrier;
    record_barriers(&s, op);
    changes += code == OP_slice || code == OP_dynamic_slice ? behind_slice(&s, op)
                                                            : behind_elementwise(&s, op);
  }
  return changes;
}
