// What a loop does once though its body asks for it in each round, and is priced so.
//
// Is a value only added to what the loop carries (a weight's gradient, over time steps or
// microbatches)? Then its parts are added up, or scattered, once behind the loop
// (optimize/carry.c). Followed from the value through ops that let parts through, one addition, and
// out of functions that are written where they are called, to what the body returns; and from the
// other term of the addition back to the same argument of the body.
//
// Is a value the same in each round (a weight)? Then it is brought elsewhere once before the loop
// (optimize/invariant.c). Followed back to where it comes from.
//
// Both take memory: what is there through all rounds then must be no more than what the loop
// carries anyway. O(1) for a value, few steps are looked at; O(size) for a loop, once.
#include "cost/trips.h"
#include "ops/commute.h"
#include "partition/walk.h"

enum { MOST_STEPS = 16, MOST_OPERANDS = 8, BODY = 1 };

// Where a value stands on its way: an instance's.
typedef struct Spot {
  ValueId v;
  InstanceId instance;
} Spot;

static bool has_trait(const Partition *t, OpId op, uint16_t trait) {
  return op_row(op_at(t->p, op)->code)->traits & trait;
}

// The call that the instance's function is written out for; 0 if it is not.
static OpId written_for(const Partition *t, InstanceId instance) {
  const Instance *i = &t->graph->instances[instance];
  return i->call && t->inlined[i->function] ? i->call : 0;
}

// A function that is written where the op calls it; 0 if it is none.
static OpId written_callee(const Partition *t, OpId op) {
  Attr callee = op_at(t->p, op)->code == OP_func_call ? op_attr(t->p, op, "callee") : 0;
  OpId function = callee ? symbols_find(&t->functions, attr_as_name(t->context, callee)) : 0;
  return function && t->inlined[function] ? function : 0;
}

// The instance of a call whose function is written out; 0 if it is none.
static InstanceId written_at(const Partition *t, OpId op, InstanceId caller) {
  return written_callee(t, op) ? walk_instance_at(t, op, caller) : 0;
}

// What returns a function's value gives it to the call.
static bool leave_function(const Partition *t, OpId end, uint32_t index, Spot *at) {
  OpId call = written_for(t, at->instance);
  if (!has_trait(t, op_parent(t->p, end), TRAIT_FUNCTION) || !call) return false;
  *at = (Spot){op_result(t->p, call, index), t->graph->instances[at->instance].caller};
  return true;
}

// The op that a value belongs to: its own, or the one whose region it enters.
static OpId owner_of(const Partition *t, ValueId v) {
  const Value *value = value_at(t->p, v);
  return value->is_arg ? region_at(t->p, block_at(t->p, value->def)->region)->op : value->def;
}

// An argument of such a function is what it is called with.
static bool leave_argument(const Partition *t, Spot *at) {
  OpId call = has_trait(t, owner_of(t, at->v), TRAIT_FUNCTION) ? written_for(t, at->instance) : 0;
  if (!value_at(t->p, at->v)->is_arg || !call) return false;
  *at = (Spot){op_operand(t->p, call, value_at(t->p, at->v)->index),
               t->graph->instances[at->instance].caller};
  return true;
}

// ---- loops ----

static ValueId body_arg(const Partition *t, OpId loop, uint32_t i) {
  return block_arg(t->p, region_block(t->p, op_region(t->p, loop, BODY)), i);
}

static ValueId body_gives(const Partition *t, OpId loop, uint32_t i) {
  return op_operand(t->p, block_at(t->p, region_block(t->p, op_region(t->p, loop, BODY)))->last, i);
}

// From the body's argument, by additions only, to what the body returns for it.
static bool is_added_up(const Partition *t, OpId loop, uint32_t i) {
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
    InstanceId inner = written_at(t, op, at.instance);
    if (inner) {
      OpId function = t->graph->instances[inner].function;
      BlockId block = region_block(t->p, op_region(t->p, function, 0));
      at = (Spot){block_arg(t->p, block, index), inner};
    } else {
      if (op_joins(t->p, op) != COMBINE_SUM) return false;
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

static double part_bytes(Partition *t, ValueId v, Sharding sharding) {
  return type_bytes(t, walk_local_type(t, sharding, value_type(t->p, v)));
}

// Behind a barrier nothing leaves the loop.
static bool has_barrier(const Partition *t, OpId root, uint32_t depth) {
  for (OpId op = root; op && depth < MOST_STEPS; op = op_walk_next(t->p, op, root)) {
    OpId callee = written_callee(t, op);
    if (op_flow(t->p, op) == FLOW_EACH || (callee && has_barrier(t, callee, depth + 1)))
      return true;
  }
  return false;
}

static void find_room(Partition *t, OpId loop, LoopFrame *r) {
  int64_t trips = loop_trips_or_guess(t->p, loop);
  r->trips = trips ? trips : 1;
  double held = 0, sums = 0;
  for (uint32_t i = 0; i < op_at(t->p, loop)->n_results; i++) {
    ValueId v = op_result(t->p, loop, i);
    double whole = type_bytes(t, value_type(t->p, v)), part = part_bytes(t, v, walk_required(t, v));
    held += part;
    if (part < whole && is_added_up(t, loop, i)) sums += whole - part;
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

// ---- what is only added up ----

// Back from the argument of a function to what it is called with, to a loop's argument.
static bool comes_from(const Partition *t, Spot at, ValueId arg) {
  for (uint32_t n = 0; n < MOST_STEPS; n++) {
    if (value_count_uses(t->p, at.v) != 1) return false;
    if (at.v == arg) return true;
    if (!leave_argument(t, &at)) return false;
  }
  return false;
}

// Through an op, if it gives parts of parts; an addition leaves the other term in *out_sum.
static bool step(const Partition *t, OpId op, Spot *at, Spot *out_sum) {
  bool partial[MOST_OPERANDS] = {0};
  const Op *o = op_at(t->p, op);
  if (o->n_operands > MOST_OPERANDS || o->n_results != 1) return false;
  if (op_joins(t->p, op) == COMBINE_SUM) {
    if (out_sum->v || op_operand(t->p, op, 0) == op_operand(t->p, op, 1)) return false;
    *out_sum = (Spot){op_operand(t->p, op, op_operand(t->p, op, 0) == at->v), at->instance};
  } else {
    for (uint32_t i = 0; i < o->n_operands; i++) partial[i] = op_operand(t->p, op, i) == at->v;
    if (op_commutes(t->p, op, COMBINE_SUM, partial) != COMBINE_SUM) return false;
  }
  at->v = op_result(t->p, op, 0);
  return true;
}

// The loop that only adds the value up; NULL if there is none.
static const LoopFrame *rounds_adding(const Partition *t, ValueId v) {
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

// Parts are to be added up, and perhaps cut along one dimension by all the axes they are parts
// over, and nothing else.
static bool is_only_summed(const Partition *t, Sharding has, Sharding wanted, bool *out_cut) {
  const ShardingInfo *from = sharding_info(t->table, has);
  if (!from->unreduced.n || from->reducer != COMBINE_SUM) return false;
  ShardingInfo whole = *from;
  whole.unreduced.n = 0;
  whole.reducer = COMBINE_NONE;
  *out_cut = false;
  if (sharding_intern(t->table, &whole) == wanted) return true;
  from = sharding_info(t->table, has);
  uint32_t n_cut = 0, n_dims = 0;
  const ShardingInfo *to = wanted ? sharding_info(t->table, wanted) : NULL;
  if (to && to->unreduced.n) return false;
  for (uint32_t d = 0; d < from->rank; d++) {
    if (from->dims[d].n_factors > 1 || (to && to->dims[d].n_factors > 1)) return false;
    AxisList a = sharding_dim_axes(from, d),
             b = to ? sharding_dim_axes(to, d) : (AxisList){NULL, 0};
    AxisList same = {b.v, a.n};
    if (b.n < a.n || !axes_equal(a, same)) return false;
    for (uint32_t i = a.n; i < b.n; i++)
      if (!has_axis(from->unreduced, b.v[i])) return false;
    n_cut += b.n - a.n;
    n_dims += b.n > a.n;
  }
  *out_cut = n_cut > 0;
  return !n_cut || (n_dims == 1 && n_cut == from->unreduced.n);
}

int64_t walk_times_summed(const Partition *t, ValueId v, Sharding has, Sharding wanted) {
  bool cut;
  if (!t->frame || !is_only_summed(t, has, wanted, &cut)) return 1;
  const LoopFrame *r = rounds_adding(t, v);
  return r && (!cut || r->sums_fit) ? r->trips : 1;
}

// ---- what is the same ----

static bool is_in(const Partition *t, OpId op, OpId loop) {
  for (; op; op = op_parent(t->p, op))
    if (op == loop) return true;
  return false;
}

// What has one operand and makes of it what may stand before a loop.
static bool is_simple(const Partition *t, OpId op) {
  return op_at(t->p, op)->n_operands == 1 && op_at(t->p, op)->n_results == 1 &&
         has_trait(t, op, TRAIT_PURE) && has_trait(t, op, TRAIT_ELEMENTWISE | TRAIT_PASSES);
}

// The loops that a value is the same in, from the innermost one on: *out_end is the first that is
// none.
static int64_t rounds_same(const Partition *t, ValueId v, double bytes, const LoopFrame **out_end) {
  Spot at = {v, t->instance};
  int64_t times = 1;
  const LoopFrame *r = t->frame;
  for (uint32_t n = 0; r && r->room >= bytes && n < MOST_STEPS; n++) {
    OpId owner = owner_of(t, at.v);
    bool outside = at.instance == r->instance && !is_in(t, owner, r->loop);
    bool carried = owner == r->loop && value_at(t->p, at.v)->is_arg;
    if (carried) {
      uint32_t i = value_at(t->p, at.v)->index;
      if (body_gives(t, r->loop, i) != body_arg(t, r->loop, i)) break;
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

int64_t walk_times_same(Partition *t, ValueId v, Sharding as) {
  const LoopFrame *end;
  return t->frame ? rounds_same(t, v, part_bytes(t, v, as), &end) : 1;
}

void walk_keep_same(Partition *t, ValueId v, Sharding as) {
  const LoopFrame *end = t->frame;
  double bytes = t->frame ? part_bytes(t, v, as) : 0;
  if (end) rounds_same(t, v, bytes, &end);
  for (LoopFrame *r = t->frame; r != end; r = r->around) r->room -= bytes;
}
