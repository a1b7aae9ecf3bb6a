// Problem: a training step returns new parameters. An argument and the result that replaces it must
// have the same sharding, otherwise each step begins with a reshard.
//
// Idea: pairs that the user gives come first. The rest are paired by path and type, then by
// tf.aliasing_output, then by position. Paths say more: JAX gives a donated buffer to the first
// result of its type, be it a gradient.
//
//   --state 'w=result0'            the argument w is replaced by result 0
//   --state 'params.*=result.0.*'  the matches in order
//   --state 'cache=none'           the argument is no state
//   --state none                   only given pairs count
//
// Cost: O(arguments · results).
#include <string.h>

#include "annotate/target.h"
#include "ops/functions.h"
#include "pipeline/plan_private.h"

typedef struct Pairing {
  const Program *p;
  OpId entry;
  uint32_t n_in, n_out;
  uint32_t *state;  // per argument: 1 + the result
  bool *settled;    // per argument: given, also as none
  bool *taken;      // per result
  Arena *arena;
} Pairing;

static bool fits(const Pairing *g, uint32_t argument, uint32_t result) {
  return !g->taken[result] && function_argument_type(g->p, g->entry, argument) ==
                                  function_result_type(g->p, g->entry, result);
}

static void pair(Pairing *g, uint32_t argument, uint32_t result) {
  g->state[argument] = result + 1;
  g->taken[result] = g->settled[argument] = true;
}

// ---- given pairs ----

// The entry's targets of one kind that a pattern names.
static Status *find(const Pairing *g, const char *given, Str pattern, TargetKind kind,
                    uint32_t **out, uint32_t *out_n) {
  TargetList all = targets_find(g->p, pattern, g->arena);
  uint32_t *found = ARENA_ARRAY(g->arena, uint32_t, all.n + 1), n = 0;
  for (uint32_t i = 0; i < all.n; i++)
    if (all.v[i].kind == kind && all.v[i].function == g->entry) found[n++] = all.v[i].index;
  *out = found;
  *out_n = n;
  if (!n)
    FAIL(INVALID_ARGUMENT, "--state '%s': no %s is called '%.*s'%s", given,
         kind == TARGET_ARGUMENT ? "argument" : "result", (int)pattern.n, pattern.s,
         targets_near_text(g->p, pattern, g->arena));
  return NULL;
}

static Status *check(const Pairing *g, const char *given, uint32_t argument, uint32_t result) {
  Context *c = g->p->context;
  Str name = argument_path(g->p, g->entry, argument, g->arena);
  Type old = function_argument_type(g->p, g->entry, argument),
       new = function_result_type(g->p, g->entry, result);
  if (old != new)
    FAIL(INVALID_ARGUMENT,
         "--state '%s': argument %u '%.*s' is %s, and result %u is %s: a state argument and the "
         "result that replaces it have one type",
         given, argument, (int)name.n, name.s, arena_printf(g->arena, "%s", type_text(c, old)),
         result, arena_printf(g->arena, "%s", type_text(c, new)));
  if (g->settled[argument] || g->taken[result])
    FAIL(INVALID_ARGUMENT, "--state '%s': %s %u is in another pair already", given,
         g->taken[result] ? "result" : "argument", g->taken[result] ? result : argument);
  return NULL;
}

static Status *give(Pairing *g, const char *given) {
  const char *equals = strrchr(given, '=');
  if (!equals || equals == given || !equals[1])
    FAIL(INVALID_ARGUMENT,
         "--state takes ARGUMENT=RESULT, like 'params.*=result.0.*', ARGUMENT=none, or none: not "
         "'%s'",
         given);
  Str left = {given, (size_t)(equals - given)}, right = str_of(equals + 1);
  uint32_t *arguments, *results, n, m;
  TRY(find(g, given, left, TARGET_ARGUMENT, &arguments, &n));
  if (strcmp(equals + 1, "none") == 0) {
    for (uint32_t i = 0; i < n; i++) g->settled[arguments[i]] = true;
    return NULL;
  }
  TRY(find(g, given, right, TARGET_RESULT, &results, &m));
  if (n != m)
    FAIL(INVALID_ARGUMENT, "--state '%s': %u arguments and %u results match", given, n, m);
  for (uint32_t i = 0; i < n; i++) {
    TRY(check(g, given, arguments[i], results[i]));
    pair(g, arguments[i], results[i]);
  }
  return NULL;
}

// ---- found pairs ----

// The tf.aliasing_output of an argument, + 1; 0 = none.
static uint32_t aliased(const Program *p, OpId entry, uint32_t i) {
  const AttrInfo *dicts = attr_info(p->context, op_attr(p, entry, "arg_attrs"));
  if (dicts->kind != ATTR_ARRAY || i >= dicts->count) return 0;
  Attr attr = attr_get(p->context, dicts->items[i], "tf.aliasing_output");
  return attr ? (uint32_t)attr_as_int(p->context, attr, -1) + 1 : 0;
}

static void pair_aliased(Pairing *g) {
  for (uint32_t i = 0; i < g->n_in; i++) {
    uint32_t result = g->settled[i] ? 0 : aliased(g->p, g->entry, i);
    if (result && result <= g->n_out && fits(g, i, result - 1)) pair(g, i, result - 1);
  }
}

// A dotted path without its first component: "params.w" of "state.params.w".
static Str path_rest(Str path) {
  size_t i = 0;
  while (i < path.n && path.s[i] != '.') i++;
  return i < path.n ? (Str){path.s + i + 1, path.n - i - 1} : (Str){path.s, 0};
}

// Is the end of result path "result.0.params.w" the text? The first components of a result's path
// are "result" and, if there are several, its number. The whole path of an argument may also stand
// behind another name ("result.state.params.w"), its end may not: "result.grads.w" is not the new
// value of "params.w".
static bool ends_with(Str result, Str text, bool whole) {
  Str one = path_rest(result), two = path_rest(one);
  bool numbered = one.n && one.s[0] >= '0' && one.s[0] <= '9';
  return text.n && (str_equal(text, one) || ((whole || numbered) && str_equal(text, two)));
}

// The whole path of the argument ("m.w" and "result.m.w"), or all but its first component, which
// is the argument's name ("state.params.w" and "result.0.params.w").
static void pair_by_path(Pairing *g, bool whole) {
  for (uint32_t i = 0; i < g->n_in; i++) {
    Str path = argument_path(g->p, g->entry, i, g->arena), text = whole ? path : path_rest(path);
    for (uint32_t k = 0; k < g->n_out && !g->settled[i] && text.n; k++)
      if (fits(g, i, k) && ends_with(result_path(g->p, g->entry, k, g->arena), text, whole))
        pair(g, i, k);
  }
}

// Arguments and results without names: the leading ones of equal types, as in (state, batch) ->
// (state, loss).
static void pair_leading(Pairing *g) {
  uint32_t n = g->n_in < g->n_out ? g->n_in : g->n_out;
  for (uint32_t i = 0; i < n; i++)
    if (g->settled[i] || argument_path(g->p, g->entry, i, g->arena).n) return;
  for (uint32_t i = 0; i < n && fits(g, i, i); i++) pair(g, i, i);
}

Status *plan_pair_state(const Program *p, OpId entry, const PlanRequest *request, Arena *arena,
                        uint32_t **out) {
  Pairing g = {.p = p,
               .entry = entry,
               .n_in = function_n_arguments(p, entry),
               .n_out = function_n_results(p, entry),
               .arena = arena};
  g.state = ARENA_ARRAY(arena, uint32_t, g.n_in + 1);
  g.settled = ARENA_ARRAY(arena, bool, g.n_in + 1);
  g.taken = ARENA_ARRAY(arena, bool, g.n_out + 1);
  bool only_given = false;
  for (uint32_t i = 0; i < request->n_state; i++) {
    bool none = strcmp(request->state[i], "none") == 0;
    only_given |= none;
    if (!none) TRY(give(&g, request->state[i]));
  }
  *out = g.state;
  if (only_given) return NULL;
  pair_by_path(&g, true);
  pair_by_path(&g, false);
  pair_aliased(&g);
  pair_leading(&g);
  return NULL;
}
