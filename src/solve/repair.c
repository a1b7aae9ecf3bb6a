// Repair alternates between two means. Points above the limit get a price that grows with every
// round, and a block around a variable that is alive at the worst point is minimized at these
// prices: neighbours change together, so forbidden pairs are no obstacle. Prices of points that
// fit again decay, or the plan would end far below the limit. The price starts at the scale at
// which the plan's cost would be spent on the excess.
#include "solve/repair.h"

#include <string.h>

#include "solve/random.h"

// Of the plan's cost per byte of the limit. Ten times as much repairs sooner, to plans twice as
// bad.
#define FIRST_STEP 0.0002

struct Repair {
  const Core *core;
  double *price;
  uint32_t *alive;  // variables with bytes at the worst point
};

Repair *repair_new(const Core *core, Arena *arena) {
  Repair *r = ARENA_NEW(arena, Repair);
  r->core = core;
  r->price = ARENA_ARRAY(arena, double, core->n_points + 1);
  r->alive = ARENA_ARRAY(arena, uint32_t, core->n_vars + 1);
  return r;
}

// Variables whose bytes at the point could be fewer.
static uint32_t find_alive(Repair *r, const State *s, uint32_t point) {
  const Core *core = r->core;
  uint32_t n = 0;
  for (uint32_t v = 0; v < core->n_vars; v++)
    for (uint32_t i = core->item_first[v]; i < core->item_first[v + 1]; i++) {
      const CoreItem *item = &core->items[i];
      if (item->begin > point || item->end <= point || !item->bytes[s->x[v]]) continue;
      r->alive[n++] = v;
      break;
    }
  return n;
}

static uint32_t broken_end(const State *s, uint64_t *random) {
  const Core *core = s->core;
  uint32_t start = random_below(random, core->n_edges);
  for (uint32_t i = 0; i < core->n_edges; i++) {
    const CoreEdge *e = &core->edges[(start + i) % core->n_edges];
    if (core_entry(core, e, s->x[e->a], s->x[e->b]) == CORE_FORBIDDEN) return e->a;
  }
  return 0;
}

static void change_prices(Repair *r, const State *s, int64_t excess, double step) {
  for (uint32_t t = 0; t < r->core->n_points; t++) {
    int64_t over = usage_at(&s->usage, t) - r->core->limit;
    if (over > 0)
      r->price[t] += step * (double)over / (double)excess;
    else
      r->price[t] *= 0.98;
  }
}

static double first_scale(const State *s) {
  double cost = (double)s->cost;
  return cost > s->core->scale ? cost : s->core->scale;
}

bool repair_run(Repair *r, Block *b, State *s, const double *price, uint64_t most_work,
                uint64_t *random) {
  const Core *core = r->core;
  uint32_t point;
  uint64_t end = s->work + most_work;
  if (core->n_points) memcpy(r->price, price, core->n_points * sizeof *price);
  double step = 0;
  for (uint32_t size = 8; s->work < end;) {
    int64_t excess = state_excess(s, &point);
    if (excess <= 0 && !s->broken) return true;
    uint32_t seed, n = 0;
    if (excess > 0) {
      if (step <= 0) step = FIRST_STEP * first_scale(s) / ((double)core->limit + 1);
      change_prices(r, s, excess, step);
      step *= 1.02;
      n = find_alive(r, s, point);
      s->work += core->n_points + core->n_items;
    }
    seed = n ? r->alive[random_below(random, n)] : broken_end(s, random);
    block_grow(b, seed, size, BLOCK_UNLOCKED, random);
    block_minimize(b, s, r->price);
    size = size < 256 ? size + 1 + size / 16 : 8;
  }
  return state_feasible(s);
}
