// Four searches from the same plan, with seeds of their own. Their number does not depend on the
// number of threads, they share nothing while they run, and what they found is put together in a
// fixed order: so the result is the same for one thread and for four.
//
// Moves are local, so gains of different lanes often add up. The best lane's plan is the start; of
// every other lane each connected set of changed variables is tried on it.
#include "solve/lanes.h"

#include <string.h>

#include "base/clock.h"
#include "base/pool.h"

enum { CLOCK_EVERY = 16 };

void lanes_init(Lanes *l, const Core *core, const double *price, Arena *arena) {
  *l = (Lanes){.core = core};
  for (uint32_t i = 0; i < LANE_COUNT; i++) {
    search_init(&l->lane[i], core, price, arena);
    l->lane[i].random += i * UINT64_C(0x9E3779B97F4A7C15);
  }
  state_init(&l->best, core, arena);
  state_init(&l->base, core, arena);
  l->stack = ARENA_ARRAY(arena, uint32_t, core->n_vars + 1);
  l->old = ARENA_ARRAY(arena, uint32_t, core->n_vars + 1);
  l->mark = ARENA_ARRAY(arena, uint8_t, core->n_vars + 1);
}

uint64_t lanes_work(const Lanes *l) {
  uint64_t work = l->work + l->best.work + l->base.work;
  for (uint32_t i = 0; i < LANE_COUNT; i++) work += search_work(&l->lane[i]);
  return work;
}

void lanes_offer(Lanes *l, const uint32_t *x, uint64_t most_work) {
  Search *s = &l->lane[0];
  s->found = false;
  search_offer(s, x, most_work);
  if (!s->found || (l->found && l->best.cost <= s->best.cost)) return;
  state_copy(&l->best, &s->best);
  l->found = true;
}

// ---- running ----

typedef struct Run {
  Lanes *lanes;
  uint64_t work_each;
  double deadline;
} Run;

static void run_lane(void *arg, size_t index) {
  const Run *run = arg;
  Search *s = &run->lanes->lane[index];
  state_copy(&s->best, &run->lanes->best);
  s->found = true;
  uint64_t end = search_work(s) + run->work_each;
  for (uint32_t i = 1; search_work(s) < end; i++) {
    (void)search_step(s);
    if (run->deadline > 0 && i % CLOCK_EVERY == 0 && clock_seconds() > run->deadline) return;
  }
}

// ---- putting together ----

enum { UNCHANGED, CHANGED, VISITED };

// The connected set of changed variables around v, on the stack.
static uint32_t collect(Lanes *l, uint32_t v) {
  const Core *core = l->core;
  uint32_t n = 0;
  l->stack[n++] = v;
  l->mark[v] = VISITED;
  for (uint32_t i = 0; i < n; i++) {
    uint32_t u = l->stack[i];
    for (uint32_t k = core->adjacent_first[u]; k < core->adjacent_first[u + 1]; k++) {
      const CoreEdge *e = &core->edges[core->adjacent[k]];
      uint32_t other = e->a == u ? e->b : e->a;
      if (l->mark[other] != CHANGED) continue;
      l->mark[other] = VISITED;
      l->stack[n++] = other;
    }
  }
  return n;
}

static void try_set(Lanes *l, const State *from, uint32_t n) {
  State *best = &l->best;
  int64_t before = best->cost;
  for (uint32_t i = 0; i < n; i++) {
    l->old[i] = best->x[l->stack[i]];
    state_move(best, l->stack[i], from->x[l->stack[i]]);
  }
  if (best->cost < before && state_feasible(best)) return;
  for (uint32_t i = n; i-- > 0;) state_move(best, l->stack[i], l->old[i]);
}

static void merge(Lanes *l, const State *from) {
  uint32_t n_vars = l->core->n_vars;
  l->work += 4 * (uint64_t)n_vars;
  for (uint32_t v = 0; v < n_vars; v++)
    l->mark[v] = from->x[v] != l->base.x[v] ? CHANGED : UNCHANGED;
  for (uint32_t v = 0; v < n_vars; v++)
    if (l->mark[v] == CHANGED) try_set(l, from, collect(l, v));
}

Status *lanes_run(Lanes *l, uint32_t threads, uint64_t work_each, double deadline) {
  Run run = {l, work_each, deadline};
  state_copy(&l->base, &l->best);
  TRY(pool_run(threads ? threads : 1, LANE_COUNT, run_lane, &run));
  uint32_t best = 0;
  for (uint32_t i = 1; i < LANE_COUNT; i++)
    if (l->lane[i].best.cost < l->lane[best].best.cost) best = i;
  if (l->lane[best].best.cost >= l->best.cost) return NULL;
  state_copy(&l->best, &l->lane[best].best);
  for (uint32_t i = 0; i < LANE_COUNT; i++)
    if (i != best && l->lane[i].best.cost < l->base.cost) merge(l, &l->lane[i].best);
  return NULL;
}
