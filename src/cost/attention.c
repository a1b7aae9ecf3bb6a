// Problem: a program's attention stores [batch, heads, queries, keys] scores several times, which
// takes most of its time and memory. Fused kernels keep tiles of scores in registers.
//
// Idea: the scores of one attention are the values with as many elements as the operand of its
// exponential that are connected to it by elementwise ops, broadcasts and reductions. Contractions
// bound this set: q k and, in the backward pass, the cotangent of the weights make scores; the
// others read them.
//
//   forward   q k -> softmax -> weights v                       2 contractions
//   backward  q k again; dO v; weights dO; dS k; dS q           5 contractions (Dao 2023)
//
// Invariant: what is hidden is used inside the set only. Cost: O(program): a set is walked once.
#include "cost/attention.h"

#include "base/vec.h"
#include "ops/op.h"
#include "ops/work.h"

typedef struct Walk {
  const Program *p;
  const Fusion *fusion;
  Attention *out;
  Arena *arena;
  uint32_t *seen, tick;  // per op: the last walk that came here
  uint32_t *softmax;     // per op: the last walk whose exponentials depend on it
  VEC(OpId) ops, contractions, behind;
  int64_t elements;
  BlockId block;
  bool reduced, masked;
} Walk;

static int64_t count_of(const Program *p, ValueId v) {
  int64_t n = 0;
  return type_info(p->context, value_type(p, v))->kind == TYPE_TENSOR &&
                 type_count(p->context, value_type(p, v), &n)
             ? n
             : 0;
}

static bool is_score(const Walk *w, ValueId v) {
  return count_of(w->p, v) == w->elements && !w->fusion->constant[w->fusion->root[v]];
}

static bool has_batch(const Program *p, OpId op) {
  Attr numbers = op_attr(p, op, "dot_dimension_numbers");
  if (!numbers) return false;
  Ints batch = attr_as_ints(p->context, attr_get(p->context, numbers, "lhs_batching_dimensions"));
  Ints depth =
      attr_as_ints(p->context, attr_get(p->context, numbers, "lhs_contracting_dimensions"));
  return batch.ok && batch.n && depth.ok && depth.n;
}

// Adds an op that makes or reads scores; false if it cannot be part of a kernel.
static bool visit(Walk *w, OpId op) {
  if (!op || op_at(w->p, op)->block != w->block) return false;
  if (w->seen[op] == w->tick) return true;
  w->seen[op] = w->tick;
  if (op_contracts(w->p, op)) {
    if (!has_batch(w->p, op)) return false;
    VEC_PUSH(w->arena, &w->contractions, op);
    return true;
  }
  // A barrier separates layers, but for its scores it would be one op with those of other layers.
  bool barrier = op_at(w->p, op)->code == OP_optimization_barrier;
  if (barrier || (op_fusing(w->p, op) == FUSING_NONE && !op_keeps_buffer(w->p, op))) return false;
  VEC_PUSH(w->arena, &w->ops, op);
  return true;
}

static bool visit_value(Walk *w, ValueId v) {
  const Program *p = w->p;
  if (!is_score(w, v)) return true;
  bool good = !value_at(p, v)->is_arg && visit(w, value_def(p, v));
  for (OperandId use = value_at(p, v)->first_use; use; use = operand_at(p, use)->next_use)
    good &= visit(w, operand_at(p, use)->user);
  return good;
}

// A mask of constants: which keys a query sees is known, as in a causal mask.
static bool is_masked(const Walk *w, OpId op) {
  return op_at(w->p, op)->code == OP_select &&
         w->fusion->constant[w->fusion->root[op_operand(w->p, op, 0)]] &&
         count_of(w->p, op_operand(w->p, op, 0)) == w->elements;
}

// Collects the set of an exponential; false if it is no kernel. The whole set is walked in any
// case, so that its other exponentials need not be tried.
static bool walk_scores(Walk *w, OpId exponential) {
  const Program *p = w->p;
  w->tick++;
  w->ops.count = w->contractions.count = 0;
  w->reduced = w->masked = false;
  w->elements = count_of(p, op_operand(p, exponential, 0));
  w->block = op_at(p, exponential)->block;
  if (w->elements <= 1 || !is_score(w, op_operand(p, exponential, 0))) return false;
  bool good = visit(w, exponential);
  for (uint32_t i = 0; i < w->ops.count; i++) {
    OpId op = w->ops.items[i];
    const Op *o = op_at(p, op);
    w->reduced |= o->code == OP_reduce;
    w->masked |= is_masked(w, op);
    for (uint32_t k = 0; k < o->n_operands; k++) good &= visit_value(w, op_operand(p, op, k));
    for (uint32_t k = 0; k < o->n_results; k++) good &= visit_value(w, op_result(p, op, k));
  }
  return good && w->reduced && w->contractions.count;
}

// Marks what the exponentials of the set are computed from: the contractions among it are q k.
// Every op is visited once.
static void mark_softmax(Walk *w) {
  const Program *p = w->p;
  w->behind.count = 0;
  for (uint32_t i = 0; i < w->ops.count; i++)
    if (op_at(p, w->ops.items[i])->code == OP_exponential)
      VEC_PUSH(w->arena, &w->behind, w->ops.items[i]);
  for (uint32_t i = 0; i < w->behind.count; i++) {
    OpId op = w->behind.items[i];
    if (op_contracts(p, op)) continue;
    for (uint32_t k = 0; k < op_at(p, op)->n_operands; k++) {
      ValueId v = op_operand(p, op, k);
      OpId from = is_score(w, v) ? value_def(p, v) : 0;
      if (!from || w->softmax[from] == w->tick) continue;
      w->softmax[from] = w->tick;
      VEC_PUSH(w->arena, &w->behind, from);
    }
  }
}

static void take(Walk *w) {
  const Program *p = w->p;
  Attention *a = w->out;
  double part = w->masked ? 0.5 : 1;
  uint32_t gradients = 0, readers = 0;
  mark_softmax(w);
  for (uint32_t i = 0; i < w->contractions.count; i++) {
    OpId op = w->contractions.items[i];
    bool makes = count_of(p, op_result(p, op, 0)) == w->elements;
    if (!makes)
      readers++;
    else if (w->softmax[op] != w->tick)
      gradients++;
  }
  // Each backward kernel has three readers; one more is the forward kernel in the same set, whose
  // scores would have to be stored.
  bool again = gradients && readers > 3 * gradients;
  for (uint32_t i = 0; i < w->contractions.count; i++) {
    OpId op = w->contractions.items[i];
    ValueId v = op_result(p, op, 0);
    bool makes = count_of(p, v) == w->elements;
    a->work[op] = makes && again && w->softmax[op] != w->tick ? 2 * part : part;
    if (makes) a->hidden[w->fusion->root[v]] = true;
  }
  for (uint32_t i = 0; i < w->ops.count; i++) {
    OpId op = w->ops.items[i];
    a->inside[op] = true;
    for (uint32_t k = 0; k < op_at(p, op)->n_results; k++)
      if (is_score(w, op_result(p, op, k))) a->hidden[w->fusion->root[op_result(p, op, k)]] = true;
  }
  a->count++;
}

void attention_find(const Program *p, const Fusion *fusion, Arena *arena, Attention *out) {
  uint32_t n_values = p->values.count + 1, n_ops = p->ops.count + 1;
  *out = (Attention){.hidden = ARENA_ARRAY(arena, bool, n_values),
                     .inside = ARENA_ARRAY(arena, bool, n_ops),
                     .work = ARENA_ARRAY(arena, double, n_ops)};
  Walk w = {.p = p,
            .fusion = fusion,
            .out = out,
            .arena = arena,
            .seen = ARENA_ARRAY(arena, uint32_t, n_ops),
            .softmax = ARENA_ARRAY(arena, uint32_t, n_ops)};
  for (OpId o = p->root; o; o = op_walk_next(p, o, p->root))
    if (op_at(p, o)->code == OP_exponential && !w.seen[o] && walk_scores(&w, o)) take(&w);
}
