// For any weights w_t >= 0 with sum 1, the peak of a plan is at least its weighted bytes, and the
// least weighted bytes over all plans come from message passing or elimination, as in dual.h, on a
// core without costs and with limit 0. The weights move towards the points at which the minimizing
// plan has most bytes (multiplicative weights: Arora, Hazan, Kale 2012). One point alone is the
// simplest proof, so the heaviest points are tried alone first.
#include "solve/peak.h"

#include <math.h>
#include <string.h>

#include "solve/dual.h"
#include "solve/state.h"

enum { MOST_STEPS = 200, SWEEPS = 8, ALONE = 6 };

#define RATE 4.0  // of the exponent: bytes relative to the largest
#define ELIMINATION_SHARE 16

typedef struct Peak {
  const Core *core;  // without costs
  Dual dual;
  State plan;
  int64_t best, best_time;
  uint64_t most_work;
} Peak;

static void drop_costs(const Core *from, Core *core, Arena *arena) {
  *core = *from;
  CoreMatrices matrices = {0};
  GuardCleanup cleanup = {idmap_release, &matrices.interned, NULL};
  guard_push(arena->guard, &cleanup);
  core->cost = ARENA_ARRAY(arena, int64_t, core->n_states);
  core->edges = ARENA_ARRAY(arena, CoreEdge, core->n_edges);
  for (uint32_t e = 0; e < core->n_edges; e++) {
    ArenaMark mark = arena_mark(arena);
    size_t n = (size_t)core->n[from->edges[e].a] * core->n[from->edges[e].b];
    int64_t *m = arena_alloc(arena, n * sizeof *m);
    for (size_t i = 0; i < n; i++)
      m[i] = from->edges[e].m[i] == CORE_FORBIDDEN ? CORE_FORBIDDEN : 0;
    core->edges[e] = from->edges[e];
    core_matrices_add(&matrices, arena, mark, m, core, &core->edges[e]);
  }
  guard_pop(arena->guard, &cleanup);
  idmap_deinit(&matrices.interned);
  core->matrices = matrices.items.items;
  core->n_matrices = matrices.items.count;
  core->limit = core->constant = 0;
  core->n_entries = 0;
  core_finish(core, arena);
}

static uint32_t heaviest(const double *weight, uint32_t n) {
  uint32_t best = 0;
  for (uint32_t t = 1; t < n; t++)
    if (weight[t] > weight[best]) best = t;
  return best;
}

// The bound of the present weights.
static void evaluate(Peak *p) {
  Dual *d = &p->dual;
  dual_reprice(d);
  for (uint32_t i = 0; i < (d->exact ? 1 : SWEEPS); i++) dual_sweep(d);
  int64_t bound = dual_certify(d);
  if (bound <= p->best || bound == CORE_FORBIDDEN) return;
  p->best = bound;
  p->best_time = p->core->time[heaviest(d->price, p->core->n_points)];
}

static void try_alone(Peak *p, const double *weight, uint32_t n, uint32_t *tried) {
  double *price = p->dual.price;
  for (uint32_t k = 0; k < ALONE && k < n; k++) {
    uint32_t best = UINT32_MAX;
    for (uint32_t t = 0; t < n; t++) {
      bool before = false;
      for (uint32_t i = 0; i < k; i++) before |= tried[i] == t;
      if (!before && (best == UINT32_MAX || weight[t] > weight[best])) best = t;
    }
    tried[k] = best;
    memset(price, 0, n * sizeof *price);
    price[best] = 1;
    evaluate(p);
  }
}

// Weights grow where the plan has most bytes.
static void shift(Peak *p, double *weight, uint32_t step) {
  uint32_t n = p->core->n_points, at;
  double most = (double)usage_peak(&p->plan.usage, &at) + 1, sum = 0;
  double rate = RATE / sqrt(1.0 + step);
  for (uint32_t t = 0; t < n; t++) {
    weight[t] *= exp(rate * ((double)usage_at(&p->plan.usage, t) / most - 1));
    sum += weight[t];
  }
  for (uint32_t t = 0; t < n; t++) weight[t] /= sum;
}

int64_t peak_least_bytes(const Core *core, Arena *arena, uint64_t most_work, int64_t *out_time,
                         uint64_t *work) {
  Core *bare = ARENA_NEW(arena, Core);
  uint32_t n = core->n_points, tried[ALONE];
  if (!n) return -1;
  drop_costs(core, bare, arena);
  Peak p = {.core = bare, .best = -1, .most_work = most_work};
  dual_init(&p.dual, bare, arena);
  state_init(&p.plan, bare, arena);
  p.dual.exact = elimination_new(bare, most_work / ELIMINATION_SHARE, arena);
  double *weight = ARENA_ARRAY(arena, double, n);
  uint32_t *x = ARENA_ARRAY(arena, uint32_t, bare->n_vars);
  for (uint32_t t = 0; t < n; t++) weight[t] = (double)bare->fixed[t];
  try_alone(&p, weight, n, tried);
  for (uint32_t t = 0; t < n; t++) weight[t] = 1.0 / n;
  for (uint32_t step = 0; step < MOST_STEPS && p.dual.work + p.plan.work < most_work; step++) {
    // A little less than 1 in sum, whatever rounding does: a smaller sum is a weaker bound only.
    for (uint32_t t = 0; t < n; t++) p.dual.price[t] = weight[t] * (1 - 1e-9);
    evaluate(&p);
    dual_decode(&p.dual, x);
    state_set(&p.plan, x);
    shift(&p, weight, step);
  }
  try_alone(&p, weight, n, tried);
  *work += p.dual.work + p.plan.work;
  *out_time = p.best_time;
  return p.best;
}
