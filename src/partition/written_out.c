// Private functions that are called once, or are small, are written where they are called: what
// they are given and give need not be as it was said, exchanges move across, sums leave loops (JAX
// has a function for a loop's body, for jnp.where, for a Fourier transform). Callers first, so that
// it is known how often a function would be written: few ops more are, however calls are nested;
// and how deep, since what is written in what is written is on the walk's stack.
#include "cost/trips.h"
#include "partition/walk.h"

static const double few_ops = 512;
enum { MOST_DEPTH = 128 };

static bool is_private(const Partition *t, OpId function) {
  Attr visibility = op_attr(t->p, function, "sym_visibility");
  return visibility &&
         str_is(name_str(t->context, attr_as_name(t->context, visibility)), "private");
}

// In a region that is copied as it is: a reducer.
static bool is_copied(const Partition *t, OpId op) {
  for (OpId o = op_parent(t->p, op); o; o = op_parent(t->p, o)) {
    const OpRow *row = op_row(op_at(t->p, o)->code);
    if (row->traits & TRAIT_FUNCTION) return false;
    if (!row->def || row->def->flow == FLOW_NONE) return true;
  }
  return false;
}

// Functions that others than calls know by name stay, and those whose calls do.
static void keep_named(const Partition *t, bool *keep) {
  for (OpId o = t->p->root; o; o = op_walk_next(t->p, o, t->p->root)) {
    bool call = op_at(t->p, o)->code == OP_func_call;
    if (call && !is_copied(t, o)) continue;
    Attr list = op_attr(t->p, o, "called_computations");
    Attr one = op_attr(t->p, o, call ? "callee" : "decomposition");
    uint32_t n = list ? attr_info(t->context, list)->count : 0;
    for (uint32_t i = 0; i <= n; i++) {
      Attr symbol = i < n ? attr_info(t->context, list)->items[i] : one;
      OpId named = symbol ? symbols_find(&t->functions, attr_as_name(t->context, symbol)) : 0;
      if (named) keep[named] = true;
    }
  }
}

// Of an op in its function, by regions.
static uint32_t depth_of(const Partition *t, OpId op, OpId function) {
  uint32_t depth = 0;
  for (OpId o = op; o && o != function; o = op_parent(t->p, o)) depth++;
  return depth;
}

void walk_find_written_out(Partition *t) {
  uint32_t n = t->p->ops.count + 1;
  t->written_out = ARENA_ARRAY(&t->arena, bool, n);
  double *times = ARENA_ARRAY(&t->arena, double, n);
  uint32_t *depths = ARENA_ARRAY(&t->arena, uint32_t, n);  // of regions and calls around
  bool *keep = ARENA_ARRAY(&t->arena, bool, n);
  keep_named(t, keep);
  Runs runs;
  runs_count(t->p, NULL, &t->arena, &runs);
  for (uint32_t i = 0; i < runs.count; i++) {
    OpId function = runs.order[i];
    double ops = 0;
    for (OpId o = function; o; o = op_walk_next(t->p, o, function)) ops++;
    t->written_out[function] = times[function] > 0 && !keep[function] && is_private(t, function) &&
                               (times[function] == 1 || times[function] * ops <= few_ops) &&
                               depths[function] <= MOST_DEPTH;
    double here = t->written_out[function] ? times[function] : 1;
    uint32_t around = t->written_out[function] ? depths[function] : 0;
    for (OpId o = function; o; o = op_walk_next(t->p, o, function)) {
      OpId callee = runs.callee[o];
      if (!callee) continue;
      uint32_t depth = around + depth_of(t, o, function);
      times[callee] += here;
      if (depth > depths[callee]) depths[callee] = depth;
    }
  }
}
