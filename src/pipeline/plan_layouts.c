// Problem: the solution depends on prices that only the simulation knows, and the prices on the
// solution. Rounds of repricing end in a plan that is good at its own prices. A plan that differs
// in many decisions at once may be faster: data parallelism along one axis and Megatron along
// another.
//
// Idea: solve again, restricted or at other prices, and simulate each solution.
//   - everything replicated: in tiny programs launches and latencies decide
//   - no partial sums as loop carries
//   - all communication at one price, as much as is exposed
//   - usual layouts of the arguments: data parallel, ZeRO-1, ZeRO-3; in programs with few ops also
//     with communication that is almost hidden, so that as much as possible is sharded
//   - standard compositions of tactics (tactics/tactics.h), which say how the shardings of
//     arguments begin. The solver chooses the rest, also more axes of the same arguments (ZeRO)
//
// Cost: at most 11 solves and compilations per mesh, and one for each composition, at level 2 two.
#include <math.h>

#include "pipeline/plan_layouts.h"
#include "tactics/tactics.h"

// Compositions of tactics at levels 1 and 2; at level 1 the fewer the more ops there are.
enum {
  QUICK_LAYOUTS = 8,
  MOST_LAYOUTS = 24,

  QUICK_OPS = 5000,
  HIDDEN_OPS = 3000,
  ROUNDS = 2
};
// How near to the optimum solutions are; where the layout is fixed, in small programs little
// differences decide.
static const SolveOptions near = {.level = 1, .gap = 0.01}, exact = {.level = 1};
static const SolveOptions hasty = {.level = 1, .gap = 0.01, .quick = true};
#define HIDDEN 0.002  // price of communication that is almost hidden

// Does a sharding have the tactic's axes as the major axes of each dimension?
static bool extends(const Model *m, Sharding sharding, const Tactics *tactics, uint32_t argument,
                    uint32_t rank) {
  const ShardingInfo *info = sharding_info(m->strategies.table, sharding);
  for (uint32_t d = 0; d < rank; d++) {
    AxisList want = tactics_axes(tactics, argument, d);
    AxisList has = sharding ? sharding_dim_axes(info, d) : (AxisList){NULL, 0};
    if (has.n < want.n || !axes_equal((AxisList){has.v, want.n}, want)) return false;
  }
  return true;
}

// Forbids the strategies of arguments that do not begin as the tactics say. False: none is left.
static bool restrict_arguments(Model *m, const Tactics *tactics) {
  for (uint32_t i = 0; i < m->n_arguments; i++) {
    uint32_t v = m->argument_vars[i], left = 0;
    const TypeInfo *type = type_info(m->p->context, value_type(m->p, m->vars.items[v].value));
    int64_t *costs = m->problem.costs.items + m->problem.vars.items[v].first;
    for (uint32_t k = 0; type->kind == TYPE_TENSOR && k < m->vars.items[v].n; k++) {
      if (!extends(m, model_sharding(m, v, k), tactics, i, type->rank)) costs[k] = PLAN_FORBIDDEN;
      left += costs[k] < PLAN_FORBIDDEN;
    }
    if (type->kind == TYPE_TENSOR && !left) return false;
  }
  return true;
}

// Applies the tactics of a composition, from its name.
static bool apply(Trial *t, Tactics *tactics, const char *name) {
  Session *s = &t->model_session;
  TacticList list = {0};
  Status *status =
      tactics_read(str_of(name), s->context, sharding_mesh(s->table, s->mesh), &s->arena, &list);
  for (uint32_t i = 0; i < list.n && !status; i++) {
    TacticStep step;
    status = tactics_apply(tactics, list.v[i], &step);
  }
  bool good = !status;
  status_free(status);
  return good;
}

// Solves the problem as it is priced and tries the solution. *out_found: there is one.
static Status *solve_and_try(Trial *t, Guard *guard, const SolveOptions *options, uint32_t *budget,
                             TryChoice try, bool *out_found) {
  Model *m = &t->model;
  uint32_t *next = ARENA_ARRAY(&t->model_session.arena, uint32_t, m->vars.count + 1);
  SolveOptions threaded = *options;
  threaded.threads = t->request->threads;
  SolveResult solved;
  TRY(solve_problem(&m->problem, &threaded, guard, next, &solved));
  *out_found = solved.outcome == SOLVE_OPTIMAL || solved.outcome == SOLVE_FEASIBLE;
  if (!*out_found) return NULL;
  --*budget;
  try(t, next);
  return NULL;
}

// Forbids partial sums as loop carries. False: there are none.
static bool forbid_partial_carries(Model *m) {
  bool any = false;
  for (uint32_t v = 0; v < m->vars.count; v++) {
    if (m->vars.items[v].kind != VAR_BORDER) continue;
    int64_t *costs = m->problem.costs.items + m->problem.vars.items[v].first;
    for (uint32_t k = 0; k < m->vars.items[v].n; k++) {
      Sharding sharding = model_sharding(m, v, k);
      if (!sharding || !sharding_info(m->strategies.table, sharding)->unreduced.n) continue;
      costs[k] = PLAN_FORBIDDEN;
      any = true;
    }
  }
  return any;
}

// A carry that is a partial sum costs no more than one that is reduced in each iteration, but what
// waits for it cannot overlap.
static Status *try_reduced_carries(Trial *t, Guard *guard, uint32_t *budget, TryChoice try) {
  t->pricing = pricing_serial;
  for (uint32_t round = 0; round < ROUNDS && *budget; round++) {
    model_price(&t->model, &t->pricing, t->limit_bytes);
    bool possible = forbid_partial_carries(&t->model);
    if (possible) TRY(solve_and_try(t, guard, &near, budget, try, &possible));
    if (!possible) break;
  }
  return NULL;
}

// Prices all communication alike, with the fraction that was exposed, and with half of it. Carries
// are reduced here, too.
static Status *try_scales(Trial *t, Guard *guard, uint32_t *budget, TryChoice try) {
  double busy = t->best.collective_seconds, exposed = t->best.exposed_seconds;
  bool found = busy > 0;
  for (double part = 1; found && part >= 0.5 && *budget; part /= 2) {
    model_scale(&t->model, fmax(0.02, part * exposed / busy), t->limit_bytes);
    forbid_partial_carries(&t->model);
    TRY(solve_and_try(t, guard, &near, budget, try, &found));
  }
  return NULL;
}

static Status *try_tactics(Trial *t, Guard *guard, uint32_t *budget, TryChoice try) {
  Model *m = &t->model;
  Tactics *tactics;
  Status *status = plan_view_tactics(&t->model_session, t->request, &tactics);
  bool found = !status;
  status_free(status);  // a program without structure that tactics know
  if (!found) return NULL;
  const TacticMark *start = tactics_save(tactics);
  TacticCandidates all = tactics_candidates(tactics);
  bool quick = t->request->level < 2;
  uint32_t few = QUICK_OPS / (t->program->ops.count + 1);
  uint32_t most = !quick ? MOST_LAYOUTS : few < QUICK_LAYOUTS ? few : QUICK_LAYOUTS;
  for (uint32_t i = 0; i < all.n && i < most && *budget; i++) {
    tactics_restore(tactics, start);
    if (!apply(t, tactics, all.v[i].name)) continue;
    // Once at serial prices, once at those of its own simulation.
    t->pricing = pricing_serial;
    for (uint32_t round = 0; round < (quick ? 1 : ROUNDS) && *budget; round++) {
      model_price(m, &t->pricing, t->limit_bytes);
      bool possible = restrict_arguments(m, tactics);
      if (possible) TRY(solve_and_try(t, guard, quick ? &hasty : &near, budget, try, &possible));
      if (!possible) break;
    }
  }
  return NULL;
}

typedef enum Layout {
  LAYOUT_DATA,   // inputs sharded by their first dimension, state replicated
  LAYOUT_ZERO1,  // the same, and state that only the update reads sharded
  LAYOUT_ZERO3,  // the same, and all state sharded
  LAYOUT_COUNT,
} Layout;

// The strategy of an argument with the most tiles, of the first dimension alone if `first`.
static uint32_t most_tiles(const Model *m, uint32_t var, bool first) {
  uint32_t best = 0;
  int64_t most = 1;
  for (uint32_t k = 0; k < m->vars.items[var].n; k++) {
    Sharding sharding = model_sharding(m, var, k);
    const ShardingInfo *info = sharding_info(m->strategies.table, sharding);
    int64_t tiles = 1, ahead = sharding && info->rank ? sharding_tiles(info, 0) : 1;
    for (uint32_t d = 0; sharding && d < info->rank; d++) tiles *= sharding_tiles(info, d);
    if (tiles > most && (!first || tiles == ahead)) most = tiles, best = k;
  }
  return best;
}

// Forbids all strategies of an argument but one.
static void fix(Model *m, uint32_t var, uint32_t strategy) {
  int64_t *costs = m->problem.costs.items + m->problem.vars.items[var].first;
  for (uint32_t k = 0; k < m->vars.items[var].n; k++)
    if (k != strategy) costs[k] = PLAN_FORBIDDEN;
}

static void fix_layout(Model *m, Layout layout, const bool *needed) {
  for (uint32_t i = 0; i < m->n_arguments; i++) {
    uint32_t v = m->argument_vars[i];
    bool state = m->options.state && m->options.state[i];
    bool sharded =
        layout == LAYOUT_ZERO3 || (layout == LAYOUT_ZERO1 && !needed[m->vars.items[v].value]);
    fix(m, v, state && !sharded ? 0 : most_tiles(m, v, !state));
  }
}

// hidden: with communication that is almost hidden instead of the best prices.
static Status *try_usual(Trial *t, Guard *guard, bool hidden, uint32_t *budget, TryChoice try) {
  Model *m = &t->model;
  const bool *needed = slack_needed(m->p, &t->model_session.arena);
  for (uint32_t layout = 0; layout < LAYOUT_COUNT && *budget; layout++) {
    bool found;
    if (hidden)
      model_scale(m, HIDDEN, t->limit_bytes);
    else
      model_price(m, &t->best_pricing, t->limit_bytes);
    fix_layout(m, (Layout)layout, needed);
    TRY(solve_and_try(t, guard, &exact, budget, try, &found));
  }
  return NULL;
}

// All on every device: strategy 0 of each variable.
static void try_replicated(Trial *t, uint32_t *budget, TryChoice try) {
  const Model *m = &t->model;
  uint32_t *none = ARENA_ARRAY(&t->model_session.arena, uint32_t, m->vars.count + 1);
  if (!*budget || problem_evaluate(&m->problem, none).forbidden) return;
  --*budget;
  try(t, none);
}

Status *layouts_try(Trial *t, Guard *guard, uint32_t *budget, TryChoice try) {
  uint32_t ops = t->program->ops.count;
  bool more = t->request->level > 1;
  try_replicated(t, budget, try);
  TRY(try_reduced_carries(t, guard, budget, try));
  TRY(try_scales(t, guard, budget, try));
  TRY(try_usual(t, guard, false, budget, try));
  if (more || ops < HIDDEN_OPS) TRY(try_usual(t, guard, true, budget, try));
  TRY(try_tactics(t, guard, budget, try));
  model_price(&t->model, &t->best_pricing, t->limit_bytes);
  return NULL;
}
