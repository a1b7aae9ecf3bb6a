// A plan under single moves. Excess memory is measured per point against limit; `fixed` bytes are
// part of the usage from the start, so the limit is one number.
#include "solve/state.h"

#include <string.h>

void state_init(State *s, const Core *core, Arena *arena) {
  *s = (State){.core = core};
  s->x = ARENA_ARRAY(arena, uint32_t, core->n_vars);
  usage_init(&s->usage, core->n_points, arena);
}

void state_set(State *s, const uint32_t *x) {
  const Core *core = s->core;
  if (core->n_vars && x != s->x) memcpy(s->x, x, core->n_vars * sizeof *x);
  s->cost = core->constant;
  s->broken = 0;
  // Differences first, then their sums: no range is walked through.
  int64_t *change = s->usage.value, sum = 0;
  memset(change, 0, (core->n_points + 1) * sizeof *change);
  for (uint32_t v = 0; v < core->n_vars; v++) {
    s->cost += core->cost[core->first[v] + x[v]];
    for (uint32_t i = core->item_first[v]; i < core->item_first[v + 1]; i++) {
      const CoreItem *item = &core->items[i];
      change[item->begin] += item->bytes[x[v]];
      change[item->end] -= item->bytes[x[v]];
    }
  }
  for (uint32_t t = 0; t < core->n_points; t++) {
    sum += change[t];
    change[t] = sum + core->fixed[t];
  }
  usage_set(&s->usage, change);
  for (uint32_t e = 0; e < core->n_edges; e++) {
    int64_t entry = core_entry(core, &core->edges[e], x[core->edges[e].a], x[core->edges[e].b]);
    if (entry == CORE_FORBIDDEN)
      s->broken++;
    else
      s->cost += entry;
  }
  s->work += 4 * (uint64_t)core->n_edges + 2 * (uint64_t)core->n_points + 3 * core->n_items;
}

void state_copy(State *to, const State *from) {
  if (from->core->n_vars) memcpy(to->x, from->x, from->core->n_vars * sizeof *to->x);
  to->cost = from->cost;
  to->broken = from->broken;
  usage_copy(&to->usage, &from->usage);
}

void state_costs(State *s, uint32_t v, double *restrict cost) {
  const Core *core = s->core;
  uint32_t n = core->n[v];
  for (uint32_t p = 0; p < n; p++) cost[p] = (double)core->cost[core->first[v] + p];
  for (uint32_t i = core->adjacent_first[v]; i < core->adjacent_first[v + 1]; i++) {
    const CoreEdge *e = &core->edges[core->adjacent[i]];
    const double *restrict row = core_row(core, e, v, s->x[e->a == v ? e->b : e->a]);
    for (uint32_t p = 0; p < n; p++) cost[p] += row[p];
    s->work += 4 + n / 2;
  }
}

// The change of cost and forbidden entries of one edge.
static void move_edge(State *s, const CoreEdge *e, uint32_t v, uint32_t q) {
  uint32_t a = s->x[e->a], b = s->x[e->b];
  int64_t old = core_entry(s->core, e, a, b);
  int64_t now = e->a == v ? core_entry(s->core, e, q, b) : core_entry(s->core, e, a, q);
  if (old == CORE_FORBIDDEN)
    s->broken--;
  else
    s->cost -= old;
  if (now == CORE_FORBIDDEN)
    s->broken++;
  else
    s->cost += now;
}

void state_move(State *s, uint32_t v, uint32_t q) {
  const Core *core = s->core;
  uint32_t p = s->x[v];
  if (p == q) return;
  s->cost += core->cost[core->first[v] + q] - core->cost[core->first[v] + p];
  for (uint32_t i = core->adjacent_first[v]; i < core->adjacent_first[v + 1]; i++)
    move_edge(s, &core->edges[core->adjacent[i]], v, q);
  for (uint32_t i = core->item_first[v]; i < core->item_first[v + 1]; i++) {
    const CoreItem *item = &core->items[i];
    int64_t more = item->bytes[q] - item->bytes[p];
    if (more) usage_add(&s->usage, item->begin, item->end, more);
    s->work += USAGE_BLOCK + (item->end - item->begin) / USAGE_BLOCK;
  }
  s->x[v] = q;
}

bool state_fits(State *s, uint32_t v, uint32_t q) {
  const Core *core = s->core;
  for (uint32_t i = core->item_first[v]; i < core->item_first[v + 1]; i++) {
    const CoreItem *item = &core->items[i];
    int64_t more = item->bytes[q] - item->bytes[s->x[v]];
    if (more <= 0) continue;
    s->work += USAGE_BLOCK + (item->end - item->begin) / USAGE_BLOCK;
    if (usage_max(&s->usage, item->begin, item->end) + more > core->limit) return false;
  }
  return true;
}

int64_t state_excess(const State *s, uint32_t *out_point) {
  int64_t peak = usage_peak(&s->usage, out_point);
  return s->core->n_points ? peak - s->core->limit : 0;
}

bool state_feasible(const State *s) {
  uint32_t point;
  return !s->broken && state_excess(s, &point) <= 0;
}

static bool descend_var(State *s, uint32_t v, double *cost) {
  uint32_t n = s->core->n[v], x = s->x[v];
  state_costs(s, v, cost);
  double now = cost[x];
  for (;;) {
    uint32_t best = x;
    for (uint32_t p = 0; p < n; p++)
      if (cost[p] < cost[best]) best = p;
    if (best == x || cost[best] >= now) return false;
    if (state_fits(s, v, best)) {
      state_move(s, v, best);
      return true;
    }
    cost[best] = 2 * now + CORE_BROKEN;
  }
}

void state_descend(State *s, double *cost) {
  bool any = true;
  for (uint32_t round = 0; any && round < 50; round++) {
    any = false;
    for (uint32_t v = 0; v < s->core->n_vars; v++) any |= descend_var(s, v, cost);
  }
}
