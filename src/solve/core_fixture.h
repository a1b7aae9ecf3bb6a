// Plans of cores by their definition, for tests.
#ifndef TESSERA_SOLVE_CORE_FIXTURE_H
#define TESSERA_SOLVE_CORE_FIXTURE_H

#include "solve/core.h"
#include "solve/problem.h"

static inline int64_t bytes_at(const Core *core, uint32_t t, const uint32_t *x) {
  int64_t bytes = core->fixed[t];
  for (uint32_t v = 0; v < core->n_vars; v++)
    for (uint32_t i = core->item_first[v]; i < core->item_first[v + 1]; i++)
      if (core->items[i].begin <= t && t < core->items[i].end) bytes += core->items[i].bytes[x[v]];
  return bytes;
}

// -1: forbidden, or above the limit.
static inline Wide core_cost(const Core *core, const uint32_t *x) {
  Wide cost = core->constant;
  for (uint32_t v = 0; v < core->n_vars; v++) cost += core->cost[core->first[v] + x[v]];
  for (uint32_t e = 0; e < core->n_edges; e++) {
    int64_t entry = core_entry(core, &core->edges[e], x[core->edges[e].a], x[core->edges[e].b]);
    if (entry == CORE_FORBIDDEN) return -1;
    cost += entry;
  }
  for (uint32_t t = 0; t < core->n_points; t++)
    if (bytes_at(core, t, x) > core->limit) return -1;
  return cost;
}

// Counts through all plans; false after the last one.
static inline bool core_next(const Core *core, uint32_t *x) {
  uint32_t v = 0;
  while (v < core->n_vars && ++x[v] == core->n[v]) x[v++] = 0;
  return v < core->n_vars;
}

#endif
