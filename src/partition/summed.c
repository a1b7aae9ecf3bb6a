// Is a value only added to what a loop carries (a weight's gradient, over time steps or
// microbatches)? Then its parts are added up once, behind the loop (optimize/carry.c), and not each
// time round. Followed from the value through ops that let parts through, one addition, and out of
// functions that are written where they are called, to what the body returns; and from the other
// term of the addition back to the same argument of the body. O(1): few steps are looked at.
#include "cost/trips.h"
#include "ops/commute.h"
#include "partition/walk.h"

enum { MOST_STEPS = 16, MOST_OPERANDS = 8 };

// Where a value stands on its way: an instance's.
typedef struct Spot {
  ValueId v;
  InstanceId instance;
} Spot;

static bool is_function(const Partition *t, OpId op) {
  return op_row(op_at(t->p, op)->code)->traits & TRAIT_FUNCTION;
}

// The call that the instance's function is written out for; 0 if it is not.
static OpId written_for(const Partition *t, InstanceId instance) {
  const Instance *i = &t->graph->instances[instance];
  return i->call && t->written_out[i->function] ? i->call : 0;
}

// Back from the argument of such a function to what it is called with, to a loop's argument.
static bool comes_from(const Partition *t, Spot at, ValueId arg) {
  for (uint32_t n = 0; n < MOST_STEPS; n++) {
    const Value *v = value_at(t->p, at.v);
    if (value_count_uses(t->p, at.v) != 1) return false;
    if (at.v == arg) return true;
    if (!v->is_arg) return false;
    OpId owner = region_at(t->p, block_at(t->p, v->def)->region)->op;
    OpId call = is_function(t, owner) ? written_for(t, at.instance) : 0;
    if (!call) return false;
    at = (Spot){op_operand(t->p, call, v->index), t->graph->instances[at.instance].caller};
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

int64_t walk_times_summed(const Partition *t, ValueId v) {
  Spot at = {v, t->instance}, sum = {0, 0};
  for (uint32_t n = 0; n < MOST_STEPS; n++) {
    if (value_count_uses(t->p, at.v) != 1) return 1;
    OperandId use = value_at(t->p, at.v)->first_use;
    OpId op = operand_at(t->p, use)->user;
    if (!(op_row(op_at(t->p, op)->code)->traits & TRAIT_TERMINATOR)) {
      if (!step(t, op, &at, &sum)) return 1;
      continue;
    }
    uint32_t index = use - op_at(t->p, op)->operands;
    OpId parent = op_parent(t->p, op);
    if (is_function(t, parent)) {
      OpId call = written_for(t, at.instance);
      if (!call) return 1;
      at = (Spot){op_result(t->p, call, index), t->graph->instances[at.instance].caller};
    } else {
      const OpDef *def = op_row(op_at(t->p, parent)->code)->def;
      bool loop = def && def->flow == FLOW_LOOP && sum.v;
      ValueId arg = block_arg(t->p, op_at(t->p, op)->block, index);
      if (!loop || !comes_from(t, sum, arg)) return 1;
      int64_t trips = loop_trips(t->p, parent);
      return trips < 0 ? TRIPS_UNKNOWN : trips ? trips : 1;
    }
  }
  return 1;
}
