// Writes what the reductions left as a Core: variables with a choice, strategies that are alive,
// one edge per pair, and the points at which memory can exceed the limit at all. Variables are
// ordered by the first time they are alive, which keeps neighbours near each other: message passing
// in this order follows the program.
#include "solve/reduce_private.h"

#include "solve/order.h"

#define NONE UINT32_MAX

typedef struct Builder {
  Reduction *r;
  Core *core;
  uint32_t *core_of;   // per variable of the problem
  uint32_t *point_of;  // per point and one more: the core's point at or after it
} Builder;

// ---- variables ----

static bool has_choice(const ReduceVar *var) { return var->parent == NONE && var->alive > 1; }

static void order_vars(Builder *b) {
  Reduction *r = b->r;
  VEC(uint32_t) vars = {0};
  VEC(int64_t) begins = {0};
  for (uint32_t v = 0; v < r->n_vars; v++) {
    b->core_of[v] = NONE;
    if (r->vars[v].parent == NONE && r->vars[v].alive == 1) {
      uint32_t p = 0;
      while (r->vars[v].cost[p] == CORE_FORBIDDEN) p++;
      b->core->constant += r->vars[v].cost[p];
    }
    if (!has_choice(&r->vars[v])) continue;
    VEC_PUSH(r->arena, &vars, v);
    VEC_PUSH(r->arena, &begins, r->problem->vars.items[v].begin);
  }
  const uint32_t *order = order_by_key(begins.items, begins.count, r->arena);
  b->core->n_vars = vars.count;
  r->core_var = ARENA_ARRAY(r->arena, uint32_t, vars.count);
  for (uint32_t i = 0; i < vars.count; i++) {
    r->core_var[i] = vars.items[order[i]];
    b->core_of[r->core_var[i]] = i;
  }
}

static void add_states(Builder *b) {
  Reduction *r = b->r;
  Core *core = b->core;
  core->n = ARENA_ARRAY(r->arena, uint32_t, core->n_vars);
  core->first = ARENA_ARRAY(r->arena, uint32_t, core->n_vars + 1);
  for (uint32_t i = 0; i < core->n_vars; i++) {
    core->n[i] = r->vars[r->core_var[i]].alive;
    core->first[i + 1] = core->first[i] + core->n[i];
  }
  core->n_states = core->first[core->n_vars];
  core->cost = ARENA_ARRAY(r->arena, int64_t, core->n_states);
  r->core_strategy = ARENA_ARRAY(r->arena, uint32_t, core->n_states);
  for (uint32_t i = 0, s = 0; i < core->n_vars; i++) {
    const ReduceVar *var = &r->vars[r->core_var[i]];
    for (uint32_t p = 0; p < var->n; p++)
      if (var->cost[p] != CORE_FORBIDDEN) core->cost[s] = var->cost[p], r->core_strategy[s++] = p;
  }
}

// ---- edges ----

// Writes the entries between strategies that are alive.
static void fill_matrix(const Builder *b, const ReduceEdge *e, const CoreEdge *edge, bool swap,
                        int64_t *out) {
  const Reduction *r = b->r;
  const Core *core = b->core;
  const uint32_t *p_of = r->core_strategy + core->first[edge->a];
  const uint32_t *q_of = r->core_strategy + core->first[edge->b];
  for (uint32_t p = 0, at = 0; p < core->n[edge->a]; p++)
    for (uint32_t q = 0; q < core->n[edge->b]; q++) {
      uint64_t i = swap ? (uint64_t)q_of[q] * e->m->columns + p_of[p]
                        : (uint64_t)p_of[p] * e->m->columns + q_of[q];
      out[at++] = e->m->at[i];
    }
}

// Layers that are not tied still have equal matrices: kept once, they stay in the cache.
static void add_edges(Builder *b) {
  Reduction *r = b->r;
  Core *core = b->core;
  VEC(CoreEdge) edges = {0};
  CoreMatrices matrices = {0};
  GuardCleanup cleanup = {idmap_release, &matrices.interned, NULL};
  guard_push(r->arena->guard, &cleanup);
  for (uint32_t i = 0; i < r->n_edges; i++) {
    const ReduceEdge *e = &r->edges[i];
    if (!e->m || b->core_of[e->a] == NONE || b->core_of[e->b] == NONE) continue;
    bool swap = b->core_of[e->a] > b->core_of[e->b];
    CoreEdge edge = {.a = b->core_of[swap ? e->b : e->a], .b = b->core_of[swap ? e->a : e->b]};
    ArenaMark mark = arena_mark(r->arena);
    int64_t *m = arena_alloc(r->arena, (size_t)core->n[edge.a] * core->n[edge.b] * sizeof *m);
    fill_matrix(b, e, &edge, swap, m);
    core_matrices_add(&matrices, r->arena, mark, m, core, &edge);
    VEC_PUSH(r->arena, &edges, edge);
  }
  guard_pop(r->arena->guard, &cleanup);
  idmap_deinit(&matrices.interned);
  core->edges = edges.items;
  core->n_edges = edges.count;
  core->matrices = matrices.items.items;
  core->n_matrices = matrices.items.count;
}

// ---- memory ----

// Keeps the points at which the largest bytes of all variables together exceed the limit.
static void keep_points(Builder *b) {
  Reduction *r = b->r;
  Core *core = b->core;
  bool keeps_all = r->options.no_memory || r->options.any_limit;
  int64_t *most = ARENA_ARRAY(r->arena, int64_t, r->n_points + 1);
  for (uint32_t i = 0; i < core->n_vars; i++) {
    const ReduceVar *var = &r->vars[r->core_var[i]];
    for (uint32_t k = var->item_first; k < var->item_end; k++) {
      int64_t largest = 0;
      for (uint32_t p = 0; p < var->n; p++)
        if (r->items[k].bytes[p] > largest) largest = r->items[k].bytes[p];
      most[r->items[k].begin] += largest;
      most[r->items[k].end] -= largest;
    }
  }
  core->fixed = ARENA_ARRAY(r->arena, int64_t, r->n_points + 1);
  core->time = ARENA_ARRAY(r->arena, int64_t, r->n_points + 1);
  int64_t sum = 0;
  for (uint32_t t = 0; t < r->n_points; t++) {
    sum += most[t];
    b->point_of[t] = core->n_points;
    if (!keeps_all && sum + r->fixed[t] <= r->problem->limit_bytes) continue;
    core->time[core->n_points] = r->times[t];
    core->fixed[core->n_points++] = r->fixed[t];
  }
  b->point_of[r->n_points] = core->n_points;
}

static const int64_t *core_bytes(const Builder *b, uint32_t v, const int64_t *bytes) {
  const Core *core = b->core;
  int64_t *out = ARENA_ARRAY(b->r->arena, int64_t, core->n[v]);
  for (uint32_t p = 0; p < core->n[v]; p++) out[p] = bytes[b->r->core_strategy[core->first[v] + p]];
  return out;
}

static void add_items(Builder *b) {
  Reduction *r = b->r;
  Core *core = b->core;
  VEC(CoreItem) items = {0};
  core->item_first = ARENA_ARRAY(r->arena, uint32_t, core->n_vars + 1);
  for (uint32_t v = 0; v < core->n_vars; v++) {
    const ReduceVar *var = &r->vars[r->core_var[v]];
    for (uint32_t k = var->item_first; k < var->item_end; k++) {
      const CoreItem *from = &r->items[k];
      CoreItem item = {b->point_of[from->begin], b->point_of[from->end], NULL};
      if (item.begin == item.end) continue;
      item.bytes = core_bytes(b, v, from->bytes);
      VEC_PUSH(r->arena, &items, item);
    }
    core->item_first[v + 1] = items.count;
  }
  core->items = items.items;
  core->n_items = items.count;
}

void reduce_build_core(Reduction *r) {
  Builder b = {.r = r, .core = &r->core};
  b.core_of = ARENA_ARRAY(r->arena, uint32_t, r->n_vars);
  b.point_of = ARENA_ARRAY(r->arena, uint32_t, r->n_points + 1);
  r->core.limit = r->problem->limit_bytes;
  order_vars(&b);
  add_states(&b);
  add_edges(&b);
  keep_points(&b);
  add_items(&b);
  core_finish(&r->core, r->arena);
}
