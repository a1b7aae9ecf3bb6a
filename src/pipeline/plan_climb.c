// Problem: the problem's cost is a model. In small programs kernel launches and latencies decide,
// which it only estimates, so that a neighbour of the solution may simulate faster.
//
// Idea: solutions of other layouts (plan_layouts.c), then hill climbing on the simulated time, from
// the best choice so far. There are two neighbourhoods.
//   - Arguments: a large argument takes another sharding, and all else is solved again around it.
//     The solver knows what each costs, so only those with the least cost are simulated.
//   - Flips (plan_flips.h): one op changes alone, those with the least increase of cost first; each
//     variable once. A flip that changes next to no price changes no local program, and is left
//     out.
// A faster neighbour that fits becomes the start, and the list is made again. The budget counts the
// ops that are compiled, so the same program gives the same plan.
//
// Cost: budget · (solve + compile).
#include <stdlib.h>

#include "pipeline/plan_climb.h"
#include "pipeline/plan_flips.h"
#include "pipeline/plan_layouts.h"

// Ops compiled by level 1, and candidates at most; level 2 may use CLIMB_MORE times as many.
enum { CLIMB_OPS = 12000, CLIMB_MOST = 60, CLIMB_MORE = 10, CLIMB_LAYOUTS = 64 };
// Of the candidates, those with another sharding of an argument; solves for each of them.
enum { ARGUMENT_SHARE = 4, ARGUMENT_SOLVES = 3 };
// Gains that a neighbour must have: smaller ones are the noise of launches, and would scatter what
// the solver decided for good reasons.
#define ARGUMENT_GAIN 0.003
#define FLIP_GAIN 0.0005
#define NOTHING 1e-6  // of the cost: such a flip changes nothing

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
  Wide least = (Wide)(NOTHING * (double)problem_evaluate(&m->problem, choice).cost);
  uint32_t n = 0;
  for (uint32_t v = 0; v < m->vars.count; v++) {
    if (!flips_is_free(flips, v)) continue;
    Wide now = flips_cost(flips, v, choice[v], choice);
    Move best = {.var = UINT32_MAX};
    for (uint32_t k = 0; k < m->vars.items[v].n; k++) {
      Wide more = flips_cost(flips, v, k, choice) - now;
      if ((more >= 0 ? more : -more) <= least || (best.var != UINT32_MAX && more >= best.more))
        continue;
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

static void climb_flips(Trial *t, uint32_t budget, TryChoice try) {
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

// Arguments by their bytes, the largest first. Only the first of equal ones counts: what is right
// for one of them is right for the others, and the solver finds that.
static uint32_t list_arguments(const Trial *t, Move *out) {
  const Model *m = &t->model;
  uint32_t n = 0;
  for (uint32_t i = 0; i < m->n_arguments; i++) {
    uint32_t v = m->argument_vars[i];
    if (m->vars.items[v].n < 2) continue;
    Wide bytes = (Wide)fusion_bytes(m->p, value_type(m->p, m->vars.items[v].value));
    out[n++] = (Move){-bytes, v, 0};
  }
  qsort(out, n, sizeof *out, by_cost);
  uint32_t kept = 0;
  for (uint32_t i = 0; i < n; i++)
    if (!kept || out[kept - 1].more != out[i].more) out[kept++] = out[i];
  return kept;
}

typedef struct Solution {
  Wide cost;
  uint32_t *choice;
} Solution;

static int by_solution(const void *a, const void *b) {
  const Solution *x = a, *y = b;
  return x->cost < y->cost ? -1 : x->cost > y->cost;
}

// Solves around other shardings of large arguments, and tries the cheapest solutions.
static Status *climb_arguments(Trial *t, Guard *guard, uint32_t budget, TryChoice try) {
  const Model *m = &t->model;
  Arena *arena = &t->model_session.arena;
  Move *arguments = ARENA_ARRAY(arena, Move, m->n_arguments + 1);
  Solution *found = ARENA_ARRAY(arena, Solution, budget * ARGUMENT_SOLVES + 1);
  uint32_t n_arguments = list_arguments(t, arguments), n = 0, solves = budget * ARGUMENT_SOLVES;
  const uint32_t *start = t->best_choice;
  SolveOptions options = {.level = 1, .start = start};
  for (uint32_t i = 0; i < n_arguments && n < solves; i++) {
    uint32_t v = arguments[i].var;
    for (uint32_t k = 0; k < m->vars.items[v].n && n < solves; k++) {
      if (k == start[v] ||
          m->problem.costs.items[m->problem.vars.items[v].first + k] >= PLAN_FORBIDDEN)
        continue;
      SolveResult solved;
      uint32_t *next = ARENA_ARRAY(arena, uint32_t, m->vars.count + 1);
      TRY(solve_fixed(&m->problem, &options, v, k, guard, next, &solved));
      if (solved.outcome != SOLVE_OPTIMAL && solved.outcome != SOLVE_FEASIBLE) continue;
      found[n++] = (Solution){solved.cost, next};
    }
  }
  qsort(found, n, sizeof *found, by_solution);
  for (uint32_t i = 0; i < n && i < budget; i++) try(t, found[i].choice);
  model_price(&t->model, &t->best_pricing, t->limit_bytes);
  return NULL;
}

// Solutions of other layouts come first: they have a budget of their own.
Status *climb(Trial *t, Guard *guard, TryChoice try) {
  uint32_t budget = climb_budget(t), layouts = budget ? CLIMB_LAYOUTS : 0;
  TRY(layouts_try(t, guard, &layouts, try));
  t->least_gain = ARGUMENT_GAIN;
  TRY(climb_arguments(t, guard, budget / ARGUMENT_SHARE, try));
  t->least_gain = FLIP_GAIN;
  climb_flips(t, budget - budget / ARGUMENT_SHARE, try);
  t->least_gain = 0;
  return NULL;
}
