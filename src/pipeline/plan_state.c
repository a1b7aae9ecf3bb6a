// Problem: a training step returns new parameters. An argument and the result that replaces it must
// have the same sharding, otherwise each step begins with a reshard.
//
// Idea: pair them by path and type, then by tf.aliasing_output, then by position.
//
// Cost: O(arguments · results).
#include "annotate/target.h"
#include "ops/functions.h"
#include "pipeline/plan_private.h"

// The tf.aliasing_output of an argument, + 1; 0 = none.
static uint32_t aliased(const Program *p, OpId entry, uint32_t i) {
  const AttrInfo *dicts = attr_info(p->context, op_attr(p, entry, "arg_attrs"));
  if (dicts->kind != ATTR_ARRAY || i >= dicts->count) return 0;
  Attr attr = attr_get(p->context, dicts->items[i], "tf.aliasing_output");
  return attr ? (uint32_t)attr_as_int(p->context, attr, -1) + 1 : 0;
}

// A dotted path without its first component: "params.w" of "state.params.w".
static Str path_rest(Str path) {
  size_t i = 0;
  while (i < path.n && path.s[i] != '.') i++;
  return i < path.n ? (Str){path.s + i + 1, path.n - i - 1} : (Str){path.s, 0};
}

// How surely the path of a result names the new value of an argument. 2: by the argument's whole
// path ("params.w" and "result.params.w"), 1: by its path without the argument's name
// ("state.params.w" and "result.0.params.w"), 0: not. A result's path begins with "result" and, if
// there are several, its number; "result.grads.w" is not the new value of "params.w".
static uint32_t path_match(Str argument, Str result) {
  Str rest = path_rest(argument), one = path_rest(result), two = path_rest(one);
  if (!rest.n) return 0;
  if (str_equal(argument, one) || str_equal(argument, two)) return 2;
  bool numbered = one.n && one.s[0] >= '0' && one.s[0] <= '9';
  return str_equal(rest, one) || (numbered && str_equal(rest, two));
}

// Arguments and results without names: the leading ones of equal types, as in (state, batch) ->
// (state, loss).
static void pair_leading(const Program *p, OpId entry, uint32_t n, uint32_t *state, bool *taken,
                         Arena *arena) {
  for (uint32_t i = 0; i < n; i++)
    if (state[i] || argument_path(p, entry, i, arena).n) return;
  for (uint32_t i = 0; i < n; i++) {
    if (taken[i] || function_argument_type(p, entry, i) != function_result_type(p, entry, i))
      return;
    state[i] = i + 1;
    taken[i] = true;
  }
}

typedef struct {
  const Program *program;
  OpId entry;
  uint32_t n_in, n_out;
  Str *arguments, *results;  // paths
  uint32_t *state;           // per argument: 1 + the result; 0 = none
  bool *taken;               // per result
} Pairs;

// Pairs an argument with a result of its type, unless either is paired.
static void pair(Pairs *t, uint32_t argument, uint32_t result) {
  bool free = !t->state[argument] && !t->taken[result];
  if (!free || function_argument_type(t->program, t->entry, argument) !=
                   function_result_type(t->program, t->entry, result))
    return;
  t->state[argument] = result + 1;
  t->taken[result] = true;
}

static void pair_paths(Pairs *t, uint32_t match) {
  for (uint32_t i = 0; i < t->n_in; i++)
    for (uint32_t k = 0; k < t->n_out && !t->state[i]; k++)
      if (path_match(t->arguments[i], t->results[k]) == match) pair(t, i, k);
}

// Pairs arguments with the results that replace them: by whole paths and type, by the end of their
// paths, by tf.aliasing_output, or by position if there are no names. Paths come first, because JAX
// gives a donated buffer to the first result of its type, be it a gradient. Per argument: 1 + the
// result. O(arguments · results).
uint32_t *plan_pair_state(const Program *p, OpId entry, Arena *arena) {
  Pairs t = {p, entry, function_n_arguments(p, entry), function_n_results(p, entry), 0, 0, 0, 0};
  t.arguments = ARENA_ARRAY(arena, Str, t.n_in + 1);
  t.results = ARENA_ARRAY(arena, Str, t.n_out + 1);
  t.state = ARENA_ARRAY(arena, uint32_t, t.n_in + 1);
  t.taken = ARENA_ARRAY(arena, bool, t.n_out + 1);
  for (uint32_t i = 0; i < t.n_in; i++) t.arguments[i] = argument_path(p, entry, i, arena);
  for (uint32_t k = 0; k < t.n_out; k++) t.results[k] = result_path(p, entry, k, arena);
  pair_paths(&t, 2);
  pair_paths(&t, 1);
  for (uint32_t i = 0; i < t.n_in; i++) {
    uint32_t result = aliased(p, entry, i);
    if (result && result <= t.n_out) pair(&t, i, result - 1);
  }
  pair_leading(p, entry, t.n_in < t.n_out ? t.n_in : t.n_out, t.state, t.taken, arena);
  return t.state;
}
