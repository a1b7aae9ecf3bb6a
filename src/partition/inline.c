// Private functions that are called once, or are small, are written where they are called: what
// they are given and give need not be as it was said, exchanges move across, sums leave loops (JAX
// has a function for a loop's body, for jnp.where, for a Fourier transform). Callers first, so that
// it is known how often a function would be written: few ops more are, however calls are nested;
// and how deep, since what is written in what is written is on the walk's stack.
#include "partition/walk.h"

static const double few_ops = 512;
enum { MOST_DEPTH = 128 };

static void count(void *user, OpId op) { ((uint32_t *)user)[op]++; }

// How often functions are named otherwise than by calls that can be written out: those stay.
static uint32_t *count_named(const Partition *t, uint32_t n, Arena *arena) {
  uint32_t *named = ARENA_ARRAY(arena, uint32_t, n);
  for (OpId o = t->p->root; o; o = op_walk_next(t->p, o, t->p->root)) {
    symbols_each(&t->functions, op_at(t->p, o)->attrs, count, named);
    if (op_at(t->p, o)->code != OP_func_call || walk_is_copied(t, o)) continue;
    OpId callee = symbols_find(&t->functions, attr_as_name(t->context, op_attr(t->p, o, "callee")));
    if (callee) named[callee]--;
  }
  return named;
}

// Of an op in its function, by regions.
static uint32_t depth_of(const Partition *t, OpId op, OpId function) {
  uint32_t depth = 0;
  for (OpId o = op; o && o != function; o = op_parent(t->p, o)) depth++;
  return depth;
}

Status *walk_find_inlined(Partition *t) {
  uint32_t n = t->p->ops.count + 1;
  t->inlined = ARENA_ARRAY(&t->arena, bool, n);
  double *times = ARENA_ARRAY(&t->arena, double, n);
  uint32_t *depths = ARENA_ARRAY(&t->arena, uint32_t, n);  // of regions and calls around
  if (t->runs.count < 2) return NULL;
  uint32_t *named = count_named(t, n, &t->arena);
  for (uint32_t i = 0; i < t->runs.count; i++) {
    OpId function = t->runs.order[i];
    double ops = 0;
    for (OpId o = function; o; o = op_walk_next(t->p, o, function)) ops++;
    bool can = times[function] > 0 && !named[function] && symbol_is_private(t->p, function) &&
               depths[function] <= MOST_DEPTH;
    bool given = t->given && t->given->inlined;
    if (given && t->given->inlined[function] && !can)
      return given_refuse(t, function, t->given->inlined_line,
                          "the function cannot be inlined: it is public, not called, named "
                          "otherwise than by calls, or nested too deep");
    bool few = times[function] == 1 || times[function] * ops <= few_ops;
    t->inlined[function] = can && (given ? t->given->inlined[function] : few);
    double here = t->inlined[function] ? times[function] : 1;
    uint32_t around = t->inlined[function] ? depths[function] : 0;
    for (OpId o = function; o; o = op_walk_next(t->p, o, function)) {
      OpId callee = t->runs.callee[o];
      if (!callee) continue;
      uint32_t depth = around + depth_of(t, o, function);
      times[callee] += here;
      if (depth > depths[callee]) depths[callee] = depth;
    }
  }
  return NULL;
}
