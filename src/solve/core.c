// Building blocks of cores: reduce_core.c makes one from a problem, restrict.c a smaller one from a
// core.
#include "solve/core.h"

#include <string.h>

// ---- matrices ----

static bool same_matrix(const void *owner, uint32_t id, const void *key) {
  const CoreMatrices *list = owner;
  const CoreMatrix *x = &list->items.items[id - 1], *y = key;
  if (x->rows != y->rows || x->columns != y->columns) return false;
  return !memcmp(x->m, y->m, (size_t)x->rows * x->columns * sizeof *x->m);
}

static void add_real(Arena *arena, CoreMatrix *m) {
  uint32_t width = core_padded(m->columns), width_t = core_padded(m->rows);
  double *real = ARENA_ARRAY(arena, double, (size_t)m->rows *width);
  double *real_t = ARENA_ARRAY(arena, double, (size_t)m->columns *width_t);
  for (uint32_t p = 0; p < m->rows; p++)
    for (uint32_t q = 0; q < m->columns; q++) {
      int64_t entry = m->m[(size_t)p * m->columns + q];
      real[(size_t)p * width + q] = real_t[(size_t)q * width_t + p] =
          entry == CORE_FORBIDDEN ? CORE_BROKEN : (double)entry;
    }
  m->real = real, m->real_t = real_t;
}

void core_matrices_add(CoreMatrices *list, Arena *arena, ArenaMark mark, const int64_t *m,
                       const Core *core, CoreEdge *edge) {
  CoreMatrix key = {.rows = core->n[edge->a], .columns = core->n[edge->b], .m = m};
  uint64_t hash = hash_bytes(m, (size_t)key.rows * key.columns * sizeof *m);
  uint32_t id = idmap_find(&list->interned, hash, same_matrix, list, &key);
  if (id) {
    arena_rewind(arena, mark);
  } else {
    add_real(arena, &key);
    VEC_PUSH(arena, &list->items, key);
    id = list->items.count;
    idmap_add(&list->interned, arena->guard, hash, id);
  }
  edge->matrix = id - 1;
  edge->m = list->items.items[id - 1].m;
}

// ---- what follows from the rest ----

static void add_adjacency(Core *core, Arena *arena) {
  uint32_t *first = ARENA_ARRAY(arena, uint32_t, core->n_vars + 2);
  for (uint32_t e = 0; e < core->n_edges; e++)
    first[core->edges[e].a + 2]++, first[core->edges[e].b + 2]++;
  for (uint32_t v = 0; v < core->n_vars; v++) first[v + 2] += first[v + 1];
  core->adjacent = ARENA_ARRAY(arena, uint32_t, 2 * (size_t)core->n_edges);
  for (uint32_t e = 0; e < core->n_edges; e++) {
    core->adjacent[first[core->edges[e].a + 1]++] = e;
    core->adjacent[first[core->edges[e].b + 1]++] = e;
  }
  core->adjacent_first = first;
}

// A thousandth of the sum of the largest costs.
static double cost_scale(const Core *core) {
  double sum = 1000;
  for (uint32_t v = 0; v < core->n_vars; v++) {
    int64_t most = 0;
    for (uint32_t s = core->first[v]; s < core->first[v + 1]; s++)
      if (core->cost[s] > most) most = core->cost[s];
    sum += (double)most;
  }
  for (uint32_t e = 0; e < core->n_edges; e++)
    sum += (double)core->matrices[core->edges[e].matrix].most;
  return sum / 1000;
}

void core_finish(Core *core, Arena *arena) {
  for (uint32_t i = 0; i < core->n_matrices; i++) {
    CoreMatrix *m = &core->matrices[i];
    m->most = 0;
    for (size_t k = 0; k < (size_t)m->rows * m->columns; k++)
      if (m->m[k] > m->most && m->m[k] < CORE_FORBIDDEN) m->most = m->m[k];
  }
  for (uint32_t v = 0; v < core->n_vars; v++)
    if (core->n[v] > core->most_states) core->most_states = core->n[v];
  for (uint32_t e = 0; e < core->n_edges; e++)
    core->n_entries += (uint64_t)core->n[core->edges[e].a] * core->n[core->edges[e].b];
  add_adjacency(core, arena);
  core->scale = cost_scale(core);
}
