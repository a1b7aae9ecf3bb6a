// Problem: prices need to know how often a loop's body runs, but StableHLO's while has only a
// condition.
//
// Idea: match the form that JAX emits for scan and fori_loop. The condition compares a carry with a
// constant (or with a carry that never changes), the body adds a constant to that carry, and its
// initial value is a constant. Everything else has an unknown trip count. Runs of functions follow
// from a topological walk of the call graph.
//
// Cost: O(1) per loop, O(ops · depth) for all runs.
#include "cost/trips.h"

#include <string.h>

#include "ops/functions.h"
#include "ops/op.h"

// The constant integer that a value has.
static bool constant_of(const Program *p, ValueId v, int64_t *out) {
  OpId op = value_def(p, v);
  // Looks through ops that keep the integer.
  for (int i = 0; i < 4 && op && op_at(p, op)->code != OP_constant; i++) {
    uint16_t code = op_at(p, op)->code;
    if (code != OP_convert && code != OP_reshape && code != OP_optimization_barrier) return false;
    if (op_at(p, op)->n_operands != 1) return false;
    op = value_def(p, op_operand(p, op, 0));
  }
  if (!op) return false;
  Ints ints = attr_as_ints(p->context, op_attr(p, op, "value"));
  if (!ints.ok || ints.n != 1) return false;
  *out = ints.v[0];
  return true;
}

static OpId last_op(const Program *p, OpId op, uint32_t region) {
  BlockId block = region_block(p, op_region(p, op, region));
  return block ? block_at(p, block)->last : 0;
}

// The index of v among the arguments of the loop's region; -1 if it is none.
static int64_t argument_of(const Program *p, OpId loop, uint32_t region, ValueId v) {
  BlockId block = region_block(p, op_region(p, loop, region));
  const Value *value = value_at(p, v);
  if (!value->is_arg || value->def != block) return -1;
  return (int64_t)(v - block_at(p, block)->args);
}

// The constant that the body adds to carry i.
static bool step_of(const Program *p, OpId loop, uint32_t i, int64_t *out) {
  OpId end = last_op(p, loop, 1);
  if (!end || i >= op_at(p, end)->n_operands) return false;
  OpId add = value_def(p, op_operand(p, end, i));
  if (!add || op_at(p, add)->n_operands != 2) return false;
  uint16_t code = op_at(p, add)->code;
  for (uint32_t k = 0; k < 2; k++) {
    if (argument_of(p, loop, 1, op_operand(p, add, k)) != (int64_t)i) continue;
    if (!constant_of(p, op_operand(p, add, 1 - k), out)) continue;
    if (code == OP_add) return true;
    if (code == OP_subtract && k == 0) {
      *out = -*out;
      return true;
    }
  }
  return false;
}

// How many of from, from + step, … satisfy the comparison with the limit; -1 = unknown or endless.
static int64_t count(const char *word, int64_t from, int64_t limit, int64_t step) {
  if (strcmp(word, "LE") == 0) limit++, word = "LT";
  if (strcmp(word, "GE") == 0) limit--, word = "GT";
  if (strcmp(word, "NE") == 0) {
    if (!step || (limit - from) % step || (limit - from) / step < 0) return -1;
    return (limit - from) / step;
  }
  if (strcmp(word, "GT") == 0) {
    from = -from;
    limit = -limit;
    step = -step;
    word = "LT";
  }
  if (strcmp(word, "LT") != 0) return -1;
  if (from >= limit) return 0;
  return step > 0 ? (limit - from + step - 1) / step : -1;
}

// The comparison with swapped operands.
static const char *swapped(const char *word) {
  return strcmp(word, "LT") == 0   ? "GT"
         : strcmp(word, "GT") == 0 ? "LT"
         : strcmp(word, "LE") == 0 ? "GE"
         : strcmp(word, "GE") == 0 ? "LE"
                                   : word;
}

int64_t loop_trips(const Program *p, OpId loop) {
  if (op_at(p, loop)->code != OP_while) return -1;
  OpId end = last_op(p, loop, 0);
  if (!end || op_at(p, end)->n_operands != 1) return -1;
  OpId compare = value_def(p, op_operand(p, end, 0));
  if (!compare || op_at(p, compare)->code != OP_compare) return -1;
  const AttrInfo *info = attr_info(p->context, op_attr(p, compare, "comparison_direction"));
  if (info->kind != ATTR_ENUM) return -1;
  const char *word = name_text(p->context, info->name);
  for (uint32_t k = 0; k < 2; k++) {
    int64_t i = argument_of(p, loop, 0, op_operand(p, compare, k)), from, limit, step;
    if (i < 0 || i >= op_at(p, loop)->n_operands) continue;
    if (!constant_of(p, op_operand(p, compare, 1 - k), &limit)) {
      // The limit may be a carry that the body returns unchanged.
      int64_t j = argument_of(p, loop, 0, op_operand(p, compare, 1 - k));
      OpId body = last_op(p, loop, 1);
      if (j < 0 || !body || j >= op_at(p, body)->n_operands ||
          argument_of(p, loop, 1, op_operand(p, body, (uint32_t)j)) != j ||
          !constant_of(p, op_operand(p, loop, (uint32_t)j), &limit))
        continue;
    }
    const int64_t far = INT64_MAX / 4;
    if (!constant_of(p, op_operand(p, loop, (uint32_t)i), &from) ||
        !step_of(p, loop, (uint32_t)i, &step) || from < -far || from > far || limit < -far ||
        limit > far || step < -far || step > far)
      continue;
    return count(k ? swapped(word) : word, from, limit, step);
  }
  return -1;
}

int64_t loop_trips_or_guess(const Program *p, OpId loop) {
  int64_t trips = loop_trips(p, loop);
  return trips < 0 ? (int64_t)trips_unknown(p) : trips;
}

static bool is_loop(const Program *p, OpId op) {
  const OpDef *def = op_row(op_at(p, op)->code)->def;
  return def && def->flow == FLOW_LOOP;
}

double op_runs(const Program *p, OpId op, bool *out_unknown) {
  double runs = 1;
  for (OpId o = op_parent(p, op); o; o = op_parent(p, o)) {
    if (!is_loop(p, o)) continue;
    int64_t trips = loop_trips(p, o);
    if (trips < 0) *out_unknown = true;
    runs *= trips < 0 ? (double)trips_unknown(p) : (double)trips;
  }
  return runs;
}

uint32_t loops_unknown(const Program *p) {
  uint32_t n = 0;
  for (OpId o = p->root; o; o = op_walk_next(p, o, p->root))
    n += is_loop(p, o) && loop_trips(p, o) < 0;
  return n;
}

// ---- calls ----

// Resolves calls; left[f] counts the calls of function f that are not visited yet.
static void find_callees(const Program *p, Runs *runs, uint32_t *left) {
  SymbolTable functions;
  GuardCleanup cleanup = {symbols_release, &functions, NULL};
  symbols_init(&functions, p, p->root, p->guard);
  guard_push(p->guard, &cleanup);
  for (OpId o = p->root; o; o = op_walk_next(p, o, p->root))
    if ((runs->callee[o] = op_callee(p, &functions, o))) left[runs->callee[o]]++;
  guard_pop(p->guard, &cleanup);
  symbols_deinit(&functions);
}

static bool in_loop(const Program *p, OpId op) {
  for (OpId o = op_parent(p, op); o; o = op_parent(p, o))
    if (is_loop(p, o)) return true;
  return false;
}

// The op of the module's block that contains op.
static OpId function_of(const Program *p, OpId op) {
  OpId o = op;
  for (OpId up = op_parent(p, o); up && up != p->root; up = op_parent(p, o)) o = up;
  return o;
}

// Kahn's algorithm: a function is appended to `order` when its last call is counted.
void runs_count(const Program *p, const Mesh *mesh, Arena *arena, Runs *out) {
  uint32_t n = p->ops.count + 1;
  uint32_t *left = ARENA_ARRAY(arena, uint32_t, n);
  Runs runs = {.program = p,
               .mesh = mesh,
               .of = ARENA_ARRAY(arena, double, n),
               .looped = ARENA_ARRAY(arena, bool, n),
               .guesses = ARENA_ARRAY(arena, bool, n),
               .callee = ARENA_ARRAY(arena, OpId, n),
               .order = ARENA_ARRAY(arena, OpId, n)};
  find_callees(p, &runs, left);
  for (OpId o = op_walk_next(p, p->root, p->root); o; o = op_walk_over(p, o, p->root))
    if (!left[o]) {
      runs.of[o] = 1;
      runs.order[runs.count++] = o;
    }
  for (uint32_t i = 0; i < runs.count; i++) {
    OpId caller = runs.order[i];
    for (OpId o = caller; o; o = op_walk_next(p, o, caller)) {
      OpId callee = runs.callee[o];
      if (!callee) continue;
      runs.of[callee] += runs_of(&runs, o);
      if (runs_in_loop(&runs, o)) runs.looped[callee] = true;
      if (runs_unknown(&runs, o)) runs.guesses[callee] = true;
      if (!--left[callee]) runs.order[runs.count++] = callee;
    }
  }
  *out = runs;
}

// The number of devices along the manual axes around an op; each of them runs it.
static double shards_around(const Program *p, const Mesh *mesh, OpId op) {
  double shards = 1;
  for (OpId o = op_parent(p, op); o; o = op_parent(p, o)) {
    if (!(op_row(op_at(p, o)->code)->traits & TRAIT_MANUAL)) continue;
    const AttrInfo *axes =
        attr_info(p->context, attr_get(p->context, op_attr(p, o, "manual_axes"), "axes"));
    for (uint32_t i = 0; i < axes->count; i++) {
      uint32_t axis = mesh_find_axis(mesh, attr_as_name(p->context, axes->items[i]));
      if (axis != MESH_NO_AXIS) shards *= (double)mesh->axes[axis].size;
    }
  }
  return shards;
}

double runs_of(const Runs *runs, OpId op) {
  const Program *p = runs->program;
  bool unknown = false;
  double times = runs->of[function_of(p, op)] * op_runs(p, op, &unknown);
  return runs->mesh ? times * shards_around(p, runs->mesh, op) : times;
}

bool runs_unknown(const Runs *runs, OpId op) {
  bool unknown = runs->guesses[function_of(runs->program, op)];
  op_runs(runs->program, op, &unknown);
  return unknown;
}

bool runs_in_loop(const Runs *runs, OpId op) {
  return runs->looped[function_of(runs->program, op)] || in_loop(runs->program, op);
}
