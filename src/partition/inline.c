// Chooses the functions that are inlined at all of their calls.
//
// Problem. A call is a border: arguments and results must have the annotated or inferred sharding
// there, a partial sum must be reduced before it, and a loop cannot see that its body only adds to
// a carry. JAX makes functions of loop bodies, jnp.where and Fourier transforms.
//
// Idea. Inline private functions that are called once or add few ops: at most 512 for all calls of
// a function together. The walk visits callers first, so that the number of times a function would
// be written is known: the sum over its calls, each as often as its own function is written.
//
// Invariant. An inlined function is named by plain calls only. Nesting is bounded, since the walk
// of a body inside a body is recursive.
//
// Cost. O(ops).
#include "partition/walk.h"

static const double few_ops = 512, most_ops = 1e6;  // by rule; given
enum { MOST_DEPTH = 128 };                          // of regions and calls

static void count(void *user, OpId op) { ((uint32_t *)user)[op]++; }

// Per function: the references that are not calls which can be inlined. Calls in copied regions
// (reducers) cannot. Functions with such references are not inlined.
static uint32_t *count_other_references(const Partition *t, uint32_t n, Arena *arena) {
  uint32_t *named = ARENA_ARRAY(arena, uint32_t, n);
  for (OpId o = t->p->root; o; o = op_walk_next(t->p, o, t->p->root)) {
    symbols_each(&t->functions, op_at(t->p, o)->attrs, count, named);
    if (!(op_row(op_at(t->p, o)->code)->traits & TRAIT_CALL) || walk_is_copied(t, o)) continue;
    OpId callee = op_callee(t->p, &t->functions, o);
    if (callee) named[callee]--;
  }
  return named;
}

// The number of regions between an op and its function.
static uint32_t depth_of(const Partition *t, OpId op, OpId function) {
  uint32_t depth = 0;
  for (OpId o = op; o && o != function; o = op_parent(t->p, o)) depth++;
  return depth;
}

Status *walk_find_inlined(Partition *t) {
  uint32_t n = t->p->ops.count + 1;
  t->inlined = ARENA_ARRAY(&t->arena, bool, n);
  double *times = ARENA_ARRAY(&t->arena, double, n);       // per function: inlined bodies
  uint32_t *depths = ARENA_ARRAY(&t->arena, uint32_t, n);  // of regions and inlined calls around it
  if (t->runs.count < 2) return NULL;
  uint32_t *named = count_other_references(t, n, &t->arena);
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
    if (given && t->given->inlined[function] && times[function] * ops > most_ops)
      return given_refuse(t, function, t->given->inlined_line,
                          "its inlined copies would have more than a million ops");
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
