// Problem: a loop reduces over devices in every iteration, though only the accumulated result is
// used behind the loop (gradients summed over microbatches, stacked results of a scan).
//
//   c += all_reduce(x)               →     c += x;        behind the loop: all_reduce(c)
//   c[i] = all_reduce(x)             →     c[i] = x;      behind the loop: all_reduce(c)
//   c[2] += reduce_scatter(x[8])     →     c[8] += x[8];  behind the loop: reduce_scatter(c)
//
// Idea: the loop carries partial values, which are reduced once behind it. The body must use the
// carry only to combine sums into it (or to update a slice at an offset that is equal in each
// group), and the condition must not use it. Ops that only move or convert elements (a transpose)
// may stand between a reduce_scatter and the add. The initial value must enter the sum once: it
// combines with itself to itself (zeros of a sum), or only the first device of each group keeps it,
// or, if scattered, each device puts its shard at its own offset.
//
// Memory: a scattered carry grows to the size before the scatter. All carries of a loop may grow by
// no more bytes than stay alive through its iterations anyway: its carries and the values that it
// uses from outside. So the gradient of a replicated weight leaves the loop (ZeRO-1, an LSTM), the
// gradient of a sharded one does not (ZeRO-3 over microbatches).
//
// Invariant: results are equal up to the order of sums. Inner loops come first, so that a sum can
// leave several loops. Cost: O(ops), and O(size of the loop) for its memory.
#include "cost/trips.h"
#include "ops/commute.h"
#include "ops/factors.h"
#include "ops/splat.h"
#include "optimize/facts.h"
#include "optimize/loops.h"
#include "optimize/varies.h"

enum { MOST_TERMS = 16 };

// One operand of the accumulated sum.
typedef struct Term {
  OpId sum;       // the all_reduce or reduce_scatter
  ValueId value;  // its result, behind ops that move elements
  ValueId step;   // the carry after this term was combined into it
} Term;

typedef struct Carry {
  Optimizer *o;
  Program *p;
  Varies varies;
  OpId loop;
  double room;     // bytes by which the loop's carries may grow; -1 = not computed yet
  uint32_t index;  // of the carry
  ValueId arg;     // the carry as an argument of the body
  Term terms[MOST_TERMS];
  uint32_t n_terms;
  Combine combine;
  Attr attrs;       // of the collective behind the loop
  Type grown_type;  // of the carry afterwards: larger if scattered
} Carry;

static bool in_body(const Carry *c, OpId op) {
  return op && op_at(c->p, op)->block == loop_body(c->p, c->loop);
}

// ---- reduce_scatter ----

// The reducer of a reduce_scatter of one operand that keeps its element type, else COMBINE_NONE.
static Combine scattered(const Program *p, OpId op) {
  const Op *o = op_at(p, op);
  if (o->code != OP_reduce_scatter || o->n_operands != 1) return COMBINE_NONE;
  Type in = op_operand_type(p, op, 0), out = op_result_type(p, op, 0);
  Combine combine = op_combine(p, op);
  bool keeps = type_elem(p->context, in) == type_elem(p->context, out);
  return keeps && combine_is_named(combine) && type_is_static(p->context, in) &&
                 !type_is_quant(p->context, in)
             ? combine
             : COMBINE_NONE;
}

// May stand between a reduce_scatter and the add. op_commutes says whether it keeps partial sums.
static bool is_mover(const Program *p, OpId op) {
  return op_at(p, op)->n_operands == 1 && op_at(p, op)->n_results == 1 && fact_is_pure(p, op) &&
         op_traits(p, op) & (TRAIT_ELEMENTWISE | TRAIT_PASSES);
}

static OpId only_user(const Program *p, ValueId v) {
  return operand_at(p, value_at(p, v)->first_use)->user;
}

// Maps a dimension of the op's operand to the one of its result that has the same single factor.
// False if the dimension is merged, split or computed with.
static bool dim_behind(const Carry *c, OpId op, uint32_t *dim) {
  FactorMap m;
  FactorOptions options = {.own = true};
  if (!op_factors(c->p, op, &options, &c->o->scratch, &m)) return false;
  FactorList in = factor_map_dim(&m, 0, *dim);
  uint32_t to;
  if (in.n != 1 || m.factors[in.v[0]].kinds != FACTOR_PASS ||
      !factor_map_find(&m, 1, in.v[0], &to, NULL))
    return false;
  *dim = to;
  return factor_map_dim(&m, 1, to).n == 1;
}

typedef struct GrownValue {
  ValueId value;
  uint32_t dim;
} GrownValue;

// The dimension of the term's value that was scattered. grow: also gives the ops between the types
// of the unscattered value, once the dimension of each is known: the factors of an op need operands
// and results that fit.
static bool scattered_dim(const Carry *c, const Term *term, bool grow, uint32_t *out) {
  Program *p = c->p;
  Context *context = c->o->context;
  uint32_t dim = (uint32_t)attr_as_int(context, op_attr(p, term->sum, "scatter_dimension"), 0);
  int64_t all = type_info(context, op_operand_type(p, term->sum, 0))->dims[dim];
  VEC(GrownValue) between = {0};
  for (ValueId v = op_result(p, term->sum, 0); v != term->value;) {
    OpId op = only_user(p, v);
    if (op_commutes(p, op, c->combine, (bool[]){true}) != c->combine || !dim_behind(c, op, &dim))
      return false;
    v = op_result(p, op, 0);
    VEC_PUSH(&c->o->scratch, &between, ((GrownValue){v, dim}));
  }
  for (uint32_t i = 0; grow && i < between.count; i++) {
    Value *value = value_at(p, between.items[i].value);
    value->type = type_with_dim(context, value->type, between.items[i].dim, all);
  }
  *out = dim;
  return true;
}

static bool scatters(const Carry *c) {
  return op_at(c->p, c->terms[0].sum)->code == OP_reduce_scatter;
}

// ---- the carry ----

// The all_reduce, or the reduce_scatter behind ops that move elements, in the body itself. Each
// value on the way has one use.
static OpId sum_of(const Carry *c, ValueId v) {
  const Program *p = c->p;
  OpId op = value_def(p, v);
  if (!in_body(c, op) || !fact_used_once(p, v)) return 0;
  if (collective_sum(p, op) != COMBINE_NONE) return op;
  while (in_body(c, op) && is_mover(p, op) && fact_used_once(p, op_operand(p, op, 0)))
    op = value_def(p, op_operand(p, op, 0));
  return in_body(c, op) && fact_used_once(p, op_result(p, op, 0)) &&
                 scattered(p, op) != COMBINE_NONE
             ? op
             : 0;
}

// Adds a term. All terms have the same reducer, groups and type: one collective reduces them all.
static bool add_term(Carry *c, ValueId v, ValueId step) {
  Program *p = c->p;
  Term term = {sum_of(c, v), v, step};
  if (!term.sum || c->n_terms == MOST_TERMS) return false;
  Attr attrs = op_at(p, term.sum)->attrs;
  Type grown_type = value_type(p, v);
  bool scatter = op_at(p, term.sum)->code == OP_reduce_scatter;
  Combine combine = scatter ? scattered(p, term.sum) : collective_sum(p, term.sum);
  if (c->n_terms && combine != c->combine) return false;
  c->combine = combine;
  if (scatter) {
    const DeviceGroups *groups = collective_groups(c->o, term.sum);
    uint32_t dim;
    if (!groups || !scattered_dim(c, &term, false, &dim)) return false;
    attrs = attr_dict_with(c->o->context, attrs, "scatter_dimension", attr_i64(c->o->context, dim));
    int64_t tile = type_info(c->o->context, grown_type)->dims[dim];
    grown_type = type_with_dim(c->o->context, grown_type, dim, tile * groups->width);
  }
  if (c->n_terms && (attrs != c->attrs || grown_type != c->grown_type)) return false;
  c->attrs = attrs;
  c->grown_type = grown_type;
  c->terms[c->n_terms++] = term;
  return true;
}

// The result of an add (maximum, …) in the body that is used once.
static bool is_step(const Carry *c, ValueId v) {
  OpId op = value_def(c->p, v);
  return in_body(c, op) && op_binary_reducer(c->p, op) != COMBINE_NONE && fact_used_once(c->p, v);
}

// next = ((arg + a) + b) + c, with the operands of each add in any order; a, b, c are terms.
static bool is_accumulated(Carry *c, ValueId next) {
  Program *p = c->p;
  Combine combine = COMBINE_NONE;
  for (ValueId v = next; v != c->arg;) {
    if (!is_step(c, v)) return false;
    OpId op = value_def(p, v);
    ValueId a = op_operand(p, op, 0), b = op_operand(p, op, 1);
    Combine here = op_binary_reducer(p, op);
    if (combine != COMBINE_NONE && here != combine) return false;
    combine = here;
    bool left = a == c->arg || (b != c->arg && sum_of(c, b));
    if (!add_term(c, left ? b : a, v)) return false;
    v = left ? a : b;
  }
  return c->n_terms && c->combine == combine;
}

// next = dynamic_update_slice(arg, all_reduce, …), at an offset that is equal in each group: only
// then do the slices of all devices cover the same elements.
static bool is_stacked(Carry *c, ValueId next) {
  Program *p = c->p;
  OpId op = fact_def(p, next, OP_dynamic_update_slice);
  if (!op || op_at(p, op)->block != loop_body(p, c->loop) || op_operand(p, op, 0) != c->arg ||
      !fact_used_once(p, next) || !add_term(c, op_operand(p, op, 1), next))
    return false;
  if (scatters(c)) return false;  // as many bytes sent, far more memory
  const DeviceGroups *groups = collective_groups(c->o, c->terms[0].sum);
  for (uint32_t i = 2; groups && i < op_at(p, op)->n_operands; i++)
    if (!varies_not_in(&c->varies, op_operand(p, op, i), groups)) return false;
  return true;
}

// ---- the initial value ----

// The initial value can be made to count once in the sum over a group.
static bool init_can_enter_once(Carry *c, ValueId init, const DeviceGroups *groups) {
  if (op_reduces_to_itself(c->p, init, c->combine)) return true;
  return (scatters(c) || varies_not_in(&c->varies, init, groups)) &&
         collective_index_is_known(c->o, groups) &&
         !type_is_quant(c->o->context, value_type(c->p, init));
}

// The initial value on the first device of each group, the identity on the others.
static ValueId init_on_first_device(Carry *c, Builder *b, ValueId init, ValueId index_in_group) {
  ValueId first = build_compare(b, "EQ", index_in_group, build_index(b, 0));
  return build_select(b, first, init, build_identity(b, value_type(c->p, init), c->combine));
}

// The identity, with this device's shard of the initial value at its own offset.
static ValueId init_at_own_offset(Carry *c, Builder *b, ValueId init, ValueId index_in_group) {
  Program *p = c->p;
  const TypeInfo *tile = type_info(c->o->context, value_type(p, init));
  int64_t dim =
      attr_as_int(c->o->context, attr_get(c->o->context, c->attrs, "scatter_dimension"), 0);
  ValueId none = build_identity(b, c->grown_type, c->combine), starts[MAX_RANK];
  ValueId size = build_index(b, tile->dims[dim]), zero = build_index(b, 0);
  for (uint32_t d = 0; d < tile->rank; d++) starts[d] = zero;
  starts[dim] = build_binary(b, OP_multiply, index_in_group, size);
  return build_dynamic_update_at(b, none, init, starts);
}

static void make_init_enter_once(Carry *c, const DeviceGroups *groups) {
  Program *p = c->p;
  OperandId operand = op_at(p, c->loop)->operands + c->index;
  ValueId init = operand_at(p, operand)->value;
  bool keeps = op_reduces_to_itself(p, init, c->combine);
  if (keeps && !scatters(c)) return;
  Builder b = rewrite_before(p, c->loop);
  Scalar x;
  if (keeps && op_splat(p, init, &x)) {
    init = build_splat(&b, c->grown_type, x);
  } else {
    ValueId index_in_group = collective_index(c->o, c->loop, groups);
    init = scatters(c) ? init_at_own_offset(c, &b, init, index_in_group)
                       : init_on_first_device(c, &b, init, index_in_group);
  }
  operand_set(p, operand, init);
}

// ---- memory ----

// Bytes by which an earlier iteration of the passes has grown a carry: a reduce_scatter is the only
// user of the loop's result.
static double grown_bytes(const Carry *c, uint32_t i) {
  const Program *p = c->p;
  ValueId v = op_result(p, c->loop, i);
  OpId user = fact_used_once(p, v) ? only_user(p, v) : 0;
  if (!user || op_at(p, user)->code != OP_reduce_scatter) return 0;
  return fact_bytes(p, v) - fact_bytes(p, op_result(p, user, 0));
}

// Bytes that stay alive through the loop's iterations without growth, less the growth so far: the
// operands' bytes include the growth once, so it is subtracted twice. O(size of the loop).
static double find_room(const Carry *c) {
  const Program *p = c->p;
  ArenaMark mark = arena_mark(&c->o->scratch);
  bool *seen = ARENA_ARRAY(&c->o->scratch, bool, p->values.count + 1);
  double bytes = fact_operand_bytes(p, c->loop);
  for (uint32_t i = 0; i < op_at(p, c->loop)->n_results; i++) bytes -= 2 * grown_bytes(c, i);
  for (OpId op = op_walk_next(p, c->loop, c->loop); op; op = op_walk_next(p, op, c->loop))
    for (uint32_t i = 0; i < op_at(p, op)->n_operands; i++) {
      ValueId v = op_operand(p, op, i);
      if (!seen[v] && fact_is_outside(p, v, c->loop)) bytes += fact_bytes(p, v);
      seen[v] = true;
    }
  arena_rewind(&c->o->scratch, mark);
  return bytes > 0 ? bytes : 0;
}

// One reduce_scatter behind the loop sends fewer bytes than those in all iterations, and the larger
// carry fits into the memory bound. An unknown trip count is guessed.
static bool may_grow(Carry *c) {
  const Program *p = c->p;
  int64_t trips = loop_trips_or_guess(p, c->loop);
  double once = fact_type_bytes(c->o->context, c->grown_type), each = 0;
  for (uint32_t i = 0; i < c->n_terms; i++) each += fact_operand_bytes(p, c->terms[i].sum);
  if (once >= each * (double)trips) return false;
  if (c->room < 0) c->room = find_room(c);
  double more = once - fact_bytes(p, c->arg);
  return trades_ask(c->o->trades, PASS_carry, p, c->terms[0].sum, more, more <= c->room);
}

// ---- the move ----

// The body uses the carry once, the condition does not use it.
static bool is_only_accumulated(const Carry *c) {
  return fact_used_once(c->p, c->arg) &&
         !value_has_uses(c->p, block_arg(c->p, loop_test(c->p, c->loop), c->index));
}

// Gives the carry and all terms the type before the scatter.
static void grow(Carry *c) {
  Program *p = c->p;
  uint32_t dim;
  c->room -= fact_type_bytes(c->o->context, c->grown_type) - fact_bytes(p, c->arg);
  for (uint32_t i = 0; i < c->n_terms; i++) {
    scattered_dim(c, &c->terms[i], true, &dim);
    value_at(p, c->terms[i].step)->type = c->grown_type;
  }
  value_at(p, c->arg)->type = c->grown_type;
  value_at(p, block_arg(p, loop_test(p, c->loop), c->index))->type = c->grown_type;
  value_at(p, op_result(p, c->loop, c->index))->type = c->grown_type;
}

// Moves the collectives of one carry behind the loop, if all conditions hold.
static bool move_out(Carry *c) {
  Program *p = c->p;
  ValueId next = loop_next(p, c->loop, c->index), result = op_result(p, c->loop, c->index);
  c->n_terms = 0;
  if (!is_only_accumulated(c)) return false;
  if (!is_accumulated(c, next)) {
    c->n_terms = 0;
    if (!is_stacked(c, next)) return false;
  }
  OpId sum = c->terms[0].sum;
  const DeviceGroups *groups = collective_groups(c->o, sum);
  if (!groups || !init_can_enter_once(c, op_operand(p, c->loop, c->index), groups)) return false;
  if (scatters(c) && !may_grow(c)) return false;
  make_init_enter_once(c, groups);
  Builder b = rewrite_like(p, op_at(p, c->loop)->next, sum);
  ValueId reduced = build_collective(&b, op_at(p, sum)->code, result, value_type(p, result),
                                     c->attrs, c->combine);
  value_replace_uses(p, result, reduced);
  operand_set(p, op_at(p, value_def(p, reduced))->operands, result);
  if (scatters(c)) grow(c);
  for (uint32_t i = 0; i < c->n_terms; i++)
    op_replace(p, c->terms[i].sum, op_operand(p, c->terms[i].sum, 0));
  return true;
}

uint32_t pass_carry(Optimizer *o) {
  Program *p = o->p;
  LoopList loops = loops_find(o);
  if (!loops.count || !o->n_devices) return 0;
  uint32_t changes = 0;
  Carry c = {.o = o, .p = p, .varies = varies_find(o)};
  for (uint32_t k = 0; k < loops.count; k++) {
    c.loop = loops.items[k];
    c.room = -1;
    for (uint32_t i = 0; i < op_at(p, c.loop)->n_operands; i++) {
      c.index = i;
      c.arg = block_arg(p, loop_body(p, c.loop), i);
      changes += move_out(&c);
    }
  }
  return changes;
}
