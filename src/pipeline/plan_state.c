// Problem: a training step returns new parameters. An argument and the result that replaces it must
// have the same sharding, otherwise each step begins with a reshard.
//
// Idea: pair them by tf.aliasing_output, then by path and type, then by position.
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

// Does result path "result.0.params.w" continue argument path "state.params.w"? The first component
// of the argument's path is its name; those of the result's are "result" and, if there are several,
// its number.
static bool continues(Str argument, Str result) {
  Str rest = path_rest(argument), one = path_rest(result), two = path_rest(one);
  return rest.n && (str_equal(rest, one) || str_equal(rest, two));
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

// Pairs arguments with the results that replace them: by tf.aliasing_output, then by the end of
// their paths and type, or by position if there are no names. Per argument: 1 + the result.
// O(arguments · results).
uint32_t *plan_pair_state(const Program *p, OpId entry, Arena *arena) {
  uint32_t n_in = function_n_arguments(p, entry), n_out = function_n_results(p, entry);
  uint32_t *state = ARENA_ARRAY(arena, uint32_t, n_in + 1);
  bool *taken = ARENA_ARRAY(arena, bool, n_out + 1);
  for (uint32_t i = 0; i < n_in; i++) {
    uint32_t result = aliased(p, entry, i);
    bool fits = result && result <= n_out && !taken[result - 1] &&
                function_argument_type(p, entry, i) == function_result_type(p, entry, result - 1);
    if (!fits) continue;
    state[i] = result;
    taken[result - 1] = true;
  }
  for (uint32_t i = 0; i < n_in; i++) {
    Str name = argument_path(p, entry, i, arena);
    for (uint32_t k = 0; k < n_out && !state[i] && path_rest(name).n; k++) {
      bool alike = !taken[k] &&
                   function_argument_type(p, entry, i) == function_result_type(p, entry, k) &&
                   continues(name, result_path(p, entry, k, arena));
      if (!alike) continue;
      state[i] = k + 1;
      taken[k] = true;
    }
  }
  pair_leading(p, entry, n_in < n_out ? n_in : n_out, state, taken, arena);
  return state;
}
