// Problem: the problem's cost is a model. In small programs kernel launches and latencies decide,
// which it only estimates, so that a neighbour of the solution may simulate faster.
//
// Idea: hill climbing on the simulated time, from the best choice so far. Neighbours are single
// flips (plan_flips.h), those with the least increase of cost first; each variable once. A faster
// neighbour that fits becomes the start, and the list is made again. The budget counts the ops
// that are compiled, so the same program gives the same plan.
//
// Cost: budget · compile.
#include <stdlib.h>

#include "pipeline/plan_climb.h"
#include "pipeline/plan_flips.h"

// Ops compiled by level 1, and candidates at most; level 2 may use CLIMB_MORE times as many.
enum { CLIMB_OPS = 30000, CLIMB_MOST = 20, CLIMB_MORE = 10 };

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

// Inputs that are no state, such as the batch, in each of their shardings: the problem is solved
// again for it. These solutions differ in more than one flip.
static Status *try_inputs(Trial *t, Guard *guard, uint32_t *budget,
                          bool (*try)(Trial *, const uint32_t *)) {
  const Model *m = &t->model;
  uint32_t *next = ARENA_ARRAY(&t->model_session.arena, uint32_t, m->vars.count + 1);
  const uint32_t *start = t->best_choice;
  for (uint32_t i = 0, left = *budget / 2; i < m->n_arguments; i++) {
    uint32_t v = m->argument_vars[i];
    if (m->options.state && m->options.state[i]) continue;
    for (uint32_t k = 0; k < m->vars.items[v].n && left; k++) {
      if (k == start[v]) continue;
      SolveResult solved;
      TRY(solve_fixed(&m->problem, &(SolveOptions){.level = 1, .start = start}, v, k, guard, next,
                      &solved));
      if (solved.outcome != SOLVE_OPTIMAL && solved.outcome != SOLVE_FEASIBLE) continue;
      left--, --*budget;
      try(t, next);
    }
  }
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

Status *climb(Trial *t, Guard *guard, bool (*try)(Trial *, const uint32_t *)) {
  uint32_t budget = climb_budget(t);
  TRY(try_inputs(t, guard, &budget, try));
  climb_flips(t, budget, try);
  return NULL;
}
