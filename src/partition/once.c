// Reshards in a loop's body that the optimizer moves out of the loop: which they are, so that their
// price is divided by the trip count.
//
// Problem. Ops of a body are decided before the optimizer runs. At the full price of each iteration
// they would avoid reshards that happen once in the final program:
//
//   while (acc, w) { g = f(w); acc = acc + g; }    g is a partial sum. optimize/carry.c carries
//                                                  partial sums, reduced once after the loop
//   while (acc, w) { acc = dot(acc, gather(w)); }  w is invariant. optimize/invariant.c gathers it
//                                                  once, before the loop
//
// Idea. Accumulated values: follow the only use of the value, through ops that commute with sums,
// one addition and returns of inlined functions, to an operand of the body's terminator. The other
// term of the addition must lead back to the same argument of the body. Loop invariants: follow the
// value back through ops with one operand and arguments of inlined functions, to outside of the
// loop or to an argument that the body returns unchanged.
//
// Invariant. Both need memory for the entire loop. Their bytes must not exceed the bytes that the
// loop carries anyway (LoopFrame.room, sums_fit); otherwise the optimizer would not move them.
//
// Cost. O(1) for a value: at most 16 steps. O(size) for a loop, when the walk enters it.
#include "cost/trips.h"
#include "ops/commute.h"
#include "partition/walk.h"

enum { MOST_STEPS = 16, MOST_OPERANDS = 8, BODY = 1 };

// A value in an instance, as it is followed into and out of inlined functions.
typedef struct Spot {
  ValueId v;
  InstanceId instance;
} Spot;

static bool has_trait(const Partition *t, OpId op, uint16_t trait) {
  return op_row(op_at(t->p, op)->code)->traits & trait;
}

// The call at which the instance's function is inlined; 0 if it is not.
static OpId inlined_at(const Partition *t, InstanceId instance) {
  const Instance *i = &t->graph->instances[instance];
  return i->call && t->inlined[i->function] ? i->call : 0;
}

// The function that an op calls, if it is inlined; else 0.
static OpId inlined_callee(const Partition *t, OpId op) {
  OpId function = has_trait(t, op, TRAIT_CALL) ? op_callee(t->p, &t->functions, op) : 0;
  return function && t->inlined[function] ? function : 0;
}

// The instance of a call whose function is inlined; 0 if the op is no such call.
static InstanceId inlined_instance(const Partition *t, OpId op, InstanceId caller) {
  return inlined_callee(t, op) ? walk_instance_at(t, op, caller) : 0;
}

// From an operand of an inlined function's return to the call's result.
static bool leave_function(const Partition *t, OpId end, uint32_t index, Spot *at) {
  OpId call = inlined_at(t, at->instance);
  if (!has_trait(t, op_parent(t->p, end), TRAIT_FUNCTION) || !call) return false;
  *at = (Spot){op_result(t->p, call, index), t->graph->instances[at->instance].caller};
  return true;
}

// The op that defines a value, or the op around the block that it is an argument of.
static OpId owner_of(const Partition *t, ValueId v) {
  const Value *value = value_at(t->p, v);
  return value->is_arg ? region_at(t->p, block_at(t->p, value->def)->region)->op : value->def;
}

// From an argument of an inlined function to the call's operand.
static bool leave_argument(const Partition *t, Spot *at) {
  OpId call = has_trait(t, owner_of(t, at->v), TRAIT_FUNCTION) ? inlined_at(t, at->instance) : 0;
  if (!value_at(t->p, at->v)->is_arg || !call) return false;
  *at = (Spot){op_operand(t->p, call, value_at(t->p, at->v)->index),
               t->graph->instances[at->instance].caller};
  return true;
}

// ---- loops ----

static ValueId body_arg(const Partition *t, OpId loop, uint32_t i) {
  return block_arg(t->p, region_block(t->p, op_region(t->p, loop, BODY)), i);
}

static ValueId body_result(const Partition *t, OpId loop, uint32_t i) {
  return op_operand(t->p, block_at(t->p, region_block(t->p, op_region(t->p, loop, BODY)))->last, i);
}

// Does the body only add to carry i? Follows the argument through additions, its only uses, to the
// same operand of the terminator.
static bool is_accumulated(const Partition *t, OpId loop, uint32_t i) {
  Spot at = {body_arg(t, loop, i), t->instance};
  bool added = false;
  for (uint32_t n = 0; n < MOST_STEPS && value_count_uses(t->p, at.v) == 1; n++) {
    OperandId use = value_at(t->p, at.v)->first_use;
    OpId op = operand_at(t->p, use)->user;
    uint32_t index = use - op_at(t->p, op)->operands;
    if (has_trait(t, op, TRAIT_TERMINATOR)) {
      if (op_parent(t->p, op) == loop) return added && index == i;
      if (!leave_function(t, op, index, &at)) return false;
      continue;
    }
    InstanceId inner = inlined_instance(t, op, at.instance);
    if (inner) {
      OpId function = t->graph->instances[inner].function;
      BlockId block = region_block(t->p, op_region(t->p, function, 0));
      at = (Spot){block_arg(t->p, block, index), inner};
    } else {
      if (op_binary_reducer(t->p, op) != COMBINE_SUM) return false;
      added = true;
      at.v = op_result(t->p, op, 0);
    }
  }
  return false;
}

static double type_bytes(const Partition *t, Type type) {
  int64_t count = 0;
  if (!type_count(t->context, type, &count)) return 0;
  return (double)count * dtype_bytes(type_dtype(t->context, type));
}

// Bytes of a shard.
static double shard_bytes(Partition *t, ValueId v, Sharding sharding) {
  return type_bytes(t, walk_local_type(t, sharding, value_type(t->p, v)));
}

// Does the body have an optimization_barrier? Then no loop invariant is moved out of it.
static bool has_barrier(const Partition *t, OpId root, uint32_t depth) {
  for (OpId op = root; op && depth < MOST_STEPS; op = op_walk_next(t->p, op, root)) {
    OpId callee = inlined_callee(t, op);
    if (op_flow(t->p, op) == FLOW_EACH || (callee && has_barrier(t, callee, depth + 1)))
      return true;
  }
  return false;
}

// Sets the trip count of a loop and the memory that may be used to move reshards out of it. held:
// bytes of the carries' shards. sums: bytes by which accumulated carries would grow if they were
// carried unsharded, as partial sums.
static void find_room(Partition *t, OpId loop, LoopFrame *r) {
  int64_t trips = loop_trips_or_guess(t->p, loop);
  r->trips = trips ? trips : 1;
  double held = 0, sums = 0;
  for (uint32_t i = 0; i < op_at(t->p, loop)->n_results; i++) {
    ValueId v = op_result(t->p, loop, i);
    double global = type_bytes(t, value_type(t->p, v));
    double shard = shard_bytes(t, v, walk_required(t, v));
    held += shard;
    if (shard < global && is_accumulated(t, loop, i)) sums += global - shard;
  }
  r->sums_fit = sums <= held;
  if (!has_barrier(t, loop, 0)) r->room = held;
}

void walk_enter_region(Partition *t, OpId op, uint32_t region) {
  LoopFrame *r = ARENA_NEW(&t->arena, LoopFrame);
  *r = (LoopFrame){.instance = t->instance, .trips = 1, .room = -1, .around = t->frame};
  if (op_flow(t->p, op) == FLOW_LOOP && region == BODY &&
      region_block(t->p, op_region(t->p, op, BODY))) {
    r->loop = op;
    find_room(t, op, r);
  }
  t->frame = r;
}

void walk_leave_region(Partition *t) { t->frame = t->frame->around; }

// ---- accumulated values ----

// Is the value a loop's argument, directly or as the argument of inlined functions, each with one
// use? With further uses a partial sum would be visible inside the body.
static bool comes_from(const Partition *t, Spot at, ValueId arg) {
  for (uint32_t n = 0; n < MOST_STEPS; n++) {
    if (value_count_uses(t->p, at.v) != 1) return false;
    if (at.v == arg) return true;
    if (!leave_argument(t, &at)) return false;
  }
  return false;
}

// Follows a partial sum through its user, if the result is a partial sum, too. At most one addition
// on the way: its other term goes to *out_sum.
static bool step(const Partition *t, OpId op, Spot *at, Spot *out_sum) {
  bool partial[MOST_OPERANDS] = {0};
  const Op *o = op_at(t->p, op);
  if (o->n_operands > MOST_OPERANDS || o->n_results != 1) return false;
  if (op_binary_reducer(t->p, op) == COMBINE_SUM) {
    if (out_sum->v || op_operand(t->p, op, 0) == op_operand(t->p, op, 1)) return false;
    *out_sum = (Spot){op_operand(t->p, op, op_operand(t->p, op, 0) == at->v), at->instance};
  } else {
    for (uint32_t i = 0; i < o->n_operands; i++) partial[i] = op_operand(t->p, op, i) == at->v;
    if (op_commutes(t->p, op, COMBINE_SUM, partial) != COMBINE_SUM) return false;
  }
  at->v = op_result(t->p, op, 0);
  return true;
}

// The loop around that only adds the value to a carry; NULL if there is none.
static const LoopFrame *accumulating_loop(const Partition *t, ValueId v) {
  Spot at = {v, t->instance}, sum = {0, 0};
  for (uint32_t n = 0; n < MOST_STEPS && value_count_uses(t->p, at.v) == 1; n++) {
    OperandId use = value_at(t->p, at.v)->first_use;
    OpId op = operand_at(t->p, use)->user;
    if (!has_trait(t, op, TRAIT_TERMINATOR)) {
      if (!step(t, op, &at, &sum)) return NULL;
      continue;
    }
    uint32_t index = use - op_at(t->p, op)->operands;
    if (leave_function(t, op, index, &at)) continue;
    const LoopFrame *r = t->frame;
    while (r && (r->loop != op_parent(t->p, op) || r->instance != at.instance)) r = r->around;
    return r && sum.v && comes_from(t, sum, body_arg(t, r->loop, index)) ? r : NULL;
  }
  return NULL;
}

static bool has_axis(AxisList axes, AxisRef axis) {
  for (uint32_t i = 0; i < axes.n; i++)
    if (axis_equal(axes.v[i], axis)) return true;
  return false;
}

// Is the reshard a reduction and nothing else? An all_reduce; or, with *out_scatters, a
// reduce_scatter of all unreduced axes along one dimension.
static bool is_only_reduction(const Partition *t, Sharding has, Sharding required,
                              bool *out_scatters) {
  const ShardingInfo *from = sharding_info(t->table, has);
  if (!from->unreduced.n || from->reducer != COMBINE_SUM) return false;
  ShardingInfo reduced = *from;
  reduced.unreduced.n = 0;
  reduced.reducer = COMBINE_NONE;
  *out_scatters = false;
  if (sharding_intern(t->table, &reduced) == required) return true;
  from = sharding_info(t->table, has);  // interning may have moved it
  uint32_t n_scattered = 0, n_dims = 0;
  const ShardingInfo *to = required ? sharding_info(t->table, required) : NULL;
  if (to && to->unreduced.n) return false;
  for (uint32_t d = 0; d < from->rank; d++) {
    if (from->dims[d].n_factors > 1 || (to && to->dims[d].n_factors > 1)) return false;
    AxisList a = sharding_dim_axes(from, d),
             b = to ? sharding_dim_axes(to, d) : (AxisList){NULL, 0};
    AxisList same = {b.v, a.n};
    if (b.n < a.n || !axes_equal(a, same)) return false;
    for (uint32_t i = a.n; i < b.n; i++)
      if (!has_axis(from->unreduced, b.v[i])) return false;
    n_scattered += b.n - a.n;
    n_dims += b.n > a.n;
  }
  *out_scatters = n_scattered > 0;
  return !n_scattered || (n_dims == 1 && n_scattered == from->unreduced.n);
}

int64_t walk_accumulated_trips(const Partition *t, ValueId v, Sharding has, Sharding required) {
  bool scatters;
  if (!t->frame || !is_only_reduction(t, has, required, &scatters)) return 1;
  const LoopFrame *r = accumulating_loop(t, v);
  return r && (!scatters || r->sums_fit) ? r->trips : 1;
}

// ---- loop invariants ----

static bool is_in(const Partition *t, OpId op, OpId loop) {
  for (; op; op = op_parent(t->p, op))
    if (op == loop) return true;
  return false;
}

// Can the op be moved before a loop together with its operand?
static bool is_simple(const Partition *t, OpId op) {
  return op_at(t->p, op)->n_operands == 1 && op_at(t->p, op)->n_results == 1 &&
         has_trait(t, op, TRAIT_PURE) && has_trait(t, op, TRAIT_ELEMENTWISE | TRAIT_PASSES);
}

// The product of the trip counts of the loops in which the value is invariant, from the innermost
// loop outward, as far as there is room for so many bytes. *out_end is the first loop in which it
// is not; NULL = none.
static int64_t invariant_iterations(const Partition *t, ValueId v, double bytes,
                                    const LoopFrame **out_end) {
  Spot at = {v, t->instance};
  int64_t times = 1;
  const LoopFrame *r = t->frame;
  for (uint32_t n = 0; r && r->room >= bytes && n < MOST_STEPS; n++) {
    OpId owner = owner_of(t, at.v);
    bool outside = at.instance == r->instance && !is_in(t, owner, r->loop);
    bool carried = owner == r->loop && value_at(t->p, at.v)->is_arg;
    if (carried) {
      uint32_t i = value_at(t->p, at.v)->index;
      if (body_result(t, r->loop, i) != body_arg(t, r->loop, i)) break;
      at.v = op_operand(t->p, r->loop, i);
    }
    if (outside || carried) {
      times *= r->trips < INT32_MAX / times ? r->trips : 1;
      r = r->around;
    } else if (!value_at(t->p, at.v)->is_arg && is_simple(t, owner)) {
      at.v = op_operand(t->p, owner, 0);
    } else if (!leave_argument(t, &at)) {
      break;
    }
  }
  *out_end = r;
  return times;
}

int64_t walk_invariant_trips(Partition *t, ValueId v, Sharding as) {
  const LoopFrame *end;
  return t->frame ? invariant_iterations(t, v, shard_bytes(t, v, as), &end) : 1;
}

void walk_keep_invariant(Partition *t, ValueId v, Sharding as) {
  const LoopFrame *end = t->frame;
  double bytes = t->frame ? shard_bytes(t, v, as) : 0;
  if (end) invariant_iterations(t, v, bytes, &end);
  for (LoopFrame *r = t->frame; r != end; r = r->around) r->room -= bytes;
}
