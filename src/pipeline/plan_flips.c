// Problem: neighbours of a plan. A variable that changes alone breaks ties, and leaves copies of
// its value where they were.
//
// Idea: tied variables are one. Copies are no decisions of the partitioner: each takes the strategy
// that is cheapest beside its neighbours.
//
// Cost: O(variables + edges of copies · strategies) per flip.
#include "pipeline/plan_flips.h"

#include <string.h>

#include "base/idmap.h"

static uint32_t find(uint32_t *tied, uint32_t v) {
  while (tied[v] != v) v = tied[v] = tied[tied[v]];
  return v;
}

static void list_edges(Flips *f, Arena *arena) {
  const Problem *problem = &f->m->problem;
  uint32_t n = f->m->vars.count;
  f->first = ARENA_ARRAY(arena, uint32_t, n + 3);
  f->edges = ARENA_ARRAY(arena, uint32_t, 2 * problem->edges.count + 1);
  for (uint32_t i = 0; i < problem->edges.count; i++) {
    f->first[problem->edges.items[i].a + 2]++;
    f->first[problem->edges.items[i].b + 2]++;
  }
  for (uint32_t v = 2; v <= n + 1; v++) f->first[v] += f->first[v - 1];
  for (uint32_t i = 0; i < problem->edges.count; i++) {
    f->edges[f->first[problem->edges.items[i].a + 1]++] = i;
    f->edges[f->first[problem->edges.items[i].b + 1]++] = i;
  }
}

void flips_init(Flips *f, const Model *m, Arena *arena) {
  uint32_t n = m->vars.count;
  *f = (Flips){.m = m,
               .tied = ARENA_ARRAY(arena, uint32_t, n + 1),
               .next = ARENA_ARRAY(arena, uint32_t, n + 1)};
  for (uint32_t v = 0; v < n; v++) f->tied[v] = v;
  for (uint32_t i = m->first_tie; i < m->problem.edges.count; i++) {
    const PlanEdge *edge = &m->problem.edges.items[i];
    uint32_t a = find(f->tied, edge->a), b = find(f->tied, edge->b);
    f->tied[a > b ? a : b] = a < b ? a : b;
  }
  uint32_t *last = ARENA_ARRAY(arena, uint32_t, n + 1);
  for (uint32_t v = 0; v < n; v++) {
    uint32_t root = f->tied[v] = find(f->tied, v);
    f->next[v] = UINT32_MAX;
    if (root != v) f->next[last[root]] = v;
    last[root] = v;
  }
  list_edges(f, arena);
}

bool flips_is_free(const Flips *f, uint32_t v) {
  const ModelVar *var = &f->m->vars.items[v];
  return f->tied[v] == v && var->n > 1 && var->kind != VAR_COPY;
}

static bool set_all(const Flips *f, uint32_t v, uint32_t k, uint32_t *out) {
  bool changed = out[v] != k;
  for (uint32_t u = v; u != UINT32_MAX; u = f->next[u]) out[u] = k;
  return changed;
}

Wide flips_cost(const Flips *f, uint32_t v, uint32_t k, const uint32_t *choice) {
  const Problem *problem = &f->m->problem;
  Wide sum = 0;
  for (uint32_t u = v; u != UINT32_MAX; u = f->next[u]) {
    sum += problem->costs.items[problem->vars.items[u].first + k];
    for (uint32_t i = f->first[u]; i < f->first[u + 1]; i++) {
      const PlanEdge *e = &problem->edges.items[f->edges[i]];
      uint32_t a = e->a == u ? k : choice[e->a], b = e->b == u ? k : choice[e->b];
      if (f->edges[i] >= f->m->first_tie) continue;
      sum += problem_entries(problem, e->matrix)[(uint64_t)a * problem->vars.items[e->b].n + b];
    }
  }
  return sum;
}

static void follow(const Flips *f, uint32_t *out) {
  for (uint32_t v = 0; v < f->m->vars.count; v++) {
    if (f->m->vars.items[v].kind != VAR_COPY || f->tied[v] != v) continue;
    uint32_t best = out[v];
    Wide least = flips_cost(f, v, best, out);
    for (uint32_t k = 0; k < f->m->vars.items[v].n; k++) {
      Wide cost = flips_cost(f, v, k, out);
      if (cost < least) least = cost, best = k;
    }
    set_all(f, v, best, out);
  }
}

void flips_flip(const Flips *f, const uint32_t *choice, uint32_t v, uint32_t k, uint32_t *out) {
  memcpy(out, choice, f->m->vars.count * sizeof *out);
  set_all(f, f->tied[v], k, out);
  follow(f, out);
}

uint64_t flips_hash(const Model *m, const uint32_t *choice) {
  uint64_t hash = 0;
  for (uint32_t v = 0; v < m->vars.count; v++)
    if (m->vars.items[v].kind != VAR_COPY) hash = hash_mix(hash, choice[v]);
  return hash;
}
