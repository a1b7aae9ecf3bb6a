// Problem: the problem's cost is a model. In small programs kernel launches and latencies decide,
// which it only estimates, so that a neighbour of the solution may simulate faster.
//
// Idea: solutions for usual layouts of the arguments, then hill climbing on the simulated time,
// from the best choice so far. Neighbours are single flips (plan_flips.h), those with the least
// increase of cost first; each variable once. A faster neighbour that fits becomes the start, and
// the list is made again. The budget counts the ops that are compiled, so the same program gives
// the same plan.
//
// Cost: budget · compile.
#include <stdlib.h>

#include "pipeline/plan_climb.h"
#include "pipeline/plan_flips.h"
#include "pipeline/plan_layouts.h"

// Ops compiled by level 1, and candidates at most; level 2 may use CLIMB_MORE times as many.
enum { CLIMB_OPS = 12000, CLIMB_MOST = 20, CLIMB_MORE = 10, CLIMB_LAYOUTS = 64 };

typedef struct Move {
  Wide more;  // cost
  uint32_t var, strategy;
} Move;

static int by_cost(const void *a, const void *b) {
  const Move *x = a, *y = b;
  if (x->more != y->more) return x->more < y->more ? -1 : 1;
  if (x->var != y->var) return x->var < y->var ? -1 : 1;
  return x->strategy < y->strategy ? -1 : x->strategy > y->strategy;
}

// The best flip of each variable, the cheapest first.
static uint32_t list_moves(const Flips *flips, const uint32_t *choice, Move *out) {
  const Model *m = flips->m;
  uint32_t n = 0;
  for (uint32_t v = 0; v < m->vars.count; v++) {
    if (!flips_is_free(flips, v)) continue;
    Wide now = flips_cost(flips, v, choice[v], choice);
    Move best = {.var = UINT32_MAX};
    for (uint32_t k = 0; k < m->vars.items[v].n; k++) {
      Wide more = flips_cost(flips, v, k, choice) - now;
      if (k == choice[v] || (best.var != UINT32_MAX && more >= best.more)) continue;
      best = (Move){more, v, k};
    }
    if (best.var != UINT32_MAX && best.more < PLAN_FORBIDDEN / 2) out[n++] = best;
  }
  qsort(out, n, sizeof *out, by_cost);
  return n;
}

static uint32_t climb_budget(const Trial *t) {
  uint32_t ops = t->program->ops.count + 1, more = t->request->level > 1 ? CLIMB_MORE : 1;
  uint32_t n = CLIMB_OPS / ops < CLIMB_MOST ? CLIMB_OPS / ops : CLIMB_MOST;
  return n * more;
}

// Layouts of arguments for which the problem is solved again: these solutions differ from the best
// in many decisions at once, which flips do not reach.
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

static void fix_layout(Trial *t, Layout layout, const bool *needed) {
  Model *m = &t->model;
  for (uint32_t i = 0; i < m->n_arguments; i++) {
    uint32_t v = m->argument_vars[i];
    bool state = m->options.state && m->options.state[i];
    bool sharded =
        layout == LAYOUT_ZERO3 || (layout == LAYOUT_ZERO1 && !needed[m->vars.items[v].value]);
    fix(m, v, state && !sharded ? 0 : most_tiles(m, v, !state));
  }
}

static Status *try_layouts(Trial *t, Guard *guard, uint32_t *budget,
                           bool (*try)(Trial *, const uint32_t *)) {
  Model *m = &t->model;
  Arena *arena = &t->model_session.arena;
  uint32_t *next = ARENA_ARRAY(arena, uint32_t, m->vars.count + 1);
  const bool *needed = slack_needed(m->p, arena);
  for (uint32_t layout = 0; layout < LAYOUT_COUNT && *budget; layout++) {
    SolveResult solved;
    model_price(m, &t->best_pricing, t->limit_bytes);
    fix_layout(t, (Layout)layout, needed);
    TRY(solve_problem(&m->problem, &(SolveOptions){.level = 1}, guard, next, &solved));
    if (solved.outcome != SOLVE_OPTIMAL && solved.outcome != SOLVE_FEASIBLE) continue;
    --*budget;
    try(t, next);
  }
  model_price(m, &t->best_pricing, t->limit_bytes);
  return NULL;
}

static void climb_flips(Trial *t, uint32_t budget, bool (*try)(Trial *, const uint32_t *)) {
  const Model *m = &t->model;
  Arena *arena = &t->model_session.arena;
  uint32_t n = m->vars.count + 1;
  Flips flips;
  flips_init(&flips, m, arena);
  Move *moves = ARENA_ARRAY(arena, Move, n);
  uint32_t *next = ARENA_ARRAY(arena, uint32_t, n);
  bool *tried = ARENA_ARRAY(arena, bool, n);
  while (budget) {
    const uint32_t *choice = t->best_choice;
    uint32_t n_moves = list_moves(&flips, choice, moves), i = 0;
    bool climbed = false;
    for (; i < n_moves && budget && !climbed; i++) {
      if (tried[moves[i].var]) continue;
      tried[moves[i].var] = true;
      flips_flip(&flips, choice, moves[i].var, moves[i].strategy, next);
      PlanValue value = problem_evaluate(&m->problem, next);
      if (value.forbidden) continue;
      budget--;
      climbed = try(t, next);
    }
    if (!climbed) return;
  }
}

// Solutions of other layouts come first: they have a budget of their own.
Status *climb(Trial *t, Guard *guard, bool (*try)(Trial *, const uint32_t *)) {
  uint32_t flips = climb_budget(t), layouts = flips ? CLIMB_LAYOUTS : 0;
  TRY(layouts_try(t, guard, &layouts, try));
  TRY(try_layouts(t, guard, &layouts, try));
  climb_flips(t, flips, try);
  return NULL;
}
