// Reduced-cost fixing: with a good plan and a good bound, most strategies are proven to be part of
// no better plan. What remains is smaller, so that bounds are tighter and elimination fits.
#include "solve/restrict.h"

#include <string.h>

#define NONE UINT32_MAX

typedef struct Builder {
  Restriction *r;
  const Core *from;
  Core *core;
  bool *gone;      // per state of `from`
  uint32_t *left;  // per variable of `from`: states left
  Arena *arena;
} Builder;

// ---- states ----

// Takes states without a partner out, until all have one. Only edges around variables that lost
// states can change.
static bool make_consistent(Builder *b) {
  const Core *from = b->from;
  for (bool again = true; again;) {
    again = false;
    for (uint32_t i = 0; i < from->n_edges; i++) {
      const CoreEdge *e = &from->edges[i];
      for (uint32_t side = 0; side < 2; side++) {
        uint32_t v = side ? e->b : e->a, other = side ? e->a : e->b;
        if (b->left[other] == from->n[other]) continue;
        for (uint32_t p = 0; p < from->n[v]; p++) {
          if (b->gone[from->first[v] + p]) continue;
          bool found = false;
          for (uint32_t q = 0; q < from->n[other] && !found; q++)
            found = !b->gone[from->first[other] + q] &&
                    core_entry(from, e, side ? q : p, side ? p : q) != CORE_FORBIDDEN;
          if (found) continue;
          b->gone[from->first[v] + p] = again = true;
          if (--b->left[v] == 0) return false;
        }
      }
    }
  }
  return true;
}

static void number_vars(Builder *b) {
  const Core *from = b->from;
  Restriction *r = b->r;
  Core *core = b->core;
  for (uint32_t v = 0; v < from->n_vars; v++) {
    r->var[v] = b->left[v] > 1 ? core->n_vars++ : NONE;
    if (b->left[v] == 1)
      while (b->gone[from->first[v] + r->decided[v]]) r->decided[v]++;
  }
  core->n = ARENA_ARRAY(b->arena, uint32_t, core->n_vars);
  core->first = ARENA_ARRAY(b->arena, uint32_t, core->n_vars + 1);
  r->from_var = ARENA_ARRAY(b->arena, uint32_t, core->n_vars);
  for (uint32_t v = 0, i = 0; v < from->n_vars; v++) {
    if (r->var[v] == NONE) continue;
    r->from_var[i] = v;
    core->n[i] = b->left[v];
    core->first[i + 1] = core->first[i] + core->n[i];
    i++;
  }
  core->n_states = core->first[core->n_vars];
}

static void add_states(Builder *b) {
  const Core *from = b->from;
  Restriction *r = b->r;
  Core *core = b->core;
  core->cost = ARENA_ARRAY(b->arena, int64_t, core->n_states);
  r->strategy = ARENA_ARRAY(b->arena, uint32_t, core->n_states);
  core->constant = from->constant;
  for (uint32_t v = 0; v < from->n_vars; v++) {
    uint32_t i = r->var[v];
    if (i == NONE) core->constant += from->cost[from->first[v] + r->decided[v]];
    for (uint32_t p = 0, k = 0; p < from->n[v]; p++) {
      uint32_t state = from->first[v] + p;
      r->state_of[state] = b->gone[state] || i == NONE ? NONE : k;
      if (r->state_of[state] == NONE) continue;
      core->cost[core->first[i] + k] = from->cost[state];
      r->strategy[core->first[i] + k++] = p;
    }
  }
}

// ---- edges ----

// The costs of an edge with one decided end.
static void charge(Builder *b, const CoreEdge *e) {
  Core *core = b->core;
  bool a_stays = b->r->var[e->a] != NONE;
  uint32_t v = b->r->var[a_stays ? e->a : e->b], q = b->r->decided[a_stays ? e->b : e->a];
  for (uint32_t s = core->first[v]; s < core->first[v + 1]; s++) {
    uint32_t p = b->r->strategy[s];
    core->cost[s] += core_entry(b->from, e, a_stays ? p : q, a_stays ? q : p);
  }
}

static void add_edges(Builder *b) {
  const Core *from = b->from;
  Restriction *r = b->r;
  Core *core = b->core;
  CoreMatrices matrices = {0};
  GuardCleanup cleanup = {idmap_release, &matrices.interned, NULL};
  guard_push(b->arena->guard, &cleanup);
  core->edges = ARENA_ARRAY(b->arena, CoreEdge, from->n_edges);
  for (uint32_t i = 0; i < from->n_edges; i++) {
    const CoreEdge *e = &from->edges[i];
    CoreEdge edge = {.a = r->var[e->a], .b = r->var[e->b]};
    if (edge.a == NONE && edge.b == NONE)
      core->constant += core_entry(from, e, r->decided[e->a], r->decided[e->b]);
    else if (edge.a == NONE || edge.b == NONE)
      charge(b, e);
    if (edge.a == NONE || edge.b == NONE) continue;
    ArenaMark mark = arena_mark(b->arena);
    uint32_t rows = core->n[edge.a], columns = core->n[edge.b];
    int64_t *m = arena_alloc(b->arena, (size_t)rows * columns * sizeof *m);
    for (uint32_t p = 0; p < rows; p++)
      for (uint32_t q = 0; q < columns; q++)
        m[(size_t)p * columns + q] = core_entry(from, e, r->strategy[core->first[edge.a] + p],
                                                r->strategy[core->first[edge.b] + q]);
    core_matrices_add(&matrices, b->arena, mark, m, core, &edge);
    core->edges[core->n_edges++] = edge;
  }
  guard_pop(b->arena->guard, &cleanup);
  idmap_deinit(&matrices.interned);
  core->matrices = matrices.items.items;
  core->n_matrices = matrices.items.count;
}

// ---- memory ----

typedef VEC(CoreItem) ItemList;

// The bytes of an item over the states that are left: the least goes to `fixed`, as a difference.
static void add_item(Builder *b, uint32_t v, const CoreItem *item, int64_t *fixed,
                     ItemList *items) {
  const Core *core = b->core;
  uint32_t i = b->r->var[v], n = i == NONE ? 1 : core->n[i];
  int64_t least = INT64_MAX, most = 0;
  const uint32_t *strategy = i == NONE ? &b->r->decided[v] : b->r->strategy + core->first[i];
  for (uint32_t p = 0; p < n; p++) {
    int64_t bytes = item->bytes[strategy[p]];
    if (bytes < least) least = bytes;
    if (bytes > most) most = bytes;
  }
  fixed[item->begin] += least, fixed[item->end] -= least;
  if (least == most) return;
  int64_t *bytes = arena_alloc(b->arena, n * sizeof *bytes);
  for (uint32_t p = 0; p < n; p++) bytes[p] = item->bytes[strategy[p]] - least;
  VEC_PUSH(b->arena, items, ((CoreItem){item->begin, item->end, bytes}));
}

// Keeps the points that can exceed the limit. `most` has the items' largest bytes, as differences.
static void number_points(Builder *b, const int64_t *fixed, const int64_t *most,
                          uint32_t *point_of) {
  const Core *from = b->from;
  Core *core = b->core;
  int64_t sum = 0, largest = 0;
  core->fixed = ARENA_ARRAY(b->arena, int64_t, from->n_points + 1);
  core->time = ARENA_ARRAY(b->arena, int64_t, from->n_points + 1);
  b->r->from_point = ARENA_ARRAY(b->arena, uint32_t, from->n_points + 1);
  for (uint32_t t = 0; t < from->n_points; t++) {
    sum += fixed[t], largest += most[t];
    point_of[t] = core->n_points;
    if (from->fixed[t] + sum + largest <= from->limit) continue;
    if (from->fixed[t] + sum > from->limit) b->r->empty = true;
    b->r->from_point[core->n_points] = t;
    core->time[core->n_points] = from->time[t];
    core->fixed[core->n_points++] = from->fixed[t] + sum;
  }
  point_of[from->n_points] = core->n_points;
}

static void add_memory(Builder *b) {
  const Core *from = b->from;
  Core *core = b->core;
  ItemList items = {0};
  int64_t *fixed = ARENA_ARRAY(b->arena, int64_t, from->n_points + 1);
  int64_t *most = ARENA_ARRAY(b->arena, int64_t, from->n_points + 1);
  uint32_t *point_of = ARENA_ARRAY(b->arena, uint32_t, from->n_points + 1);
  core->limit = from->limit;
  core->item_first = ARENA_ARRAY(b->arena, uint32_t, core->n_vars + 1);
  for (uint32_t v = 0; v < from->n_vars; v++) {
    for (uint32_t i = from->item_first[v]; i < from->item_first[v + 1]; i++)
      add_item(b, v, &from->items[i], fixed, &items);
    if (b->r->var[v] != NONE) core->item_first[b->r->var[v] + 1] = items.count;
  }
  for (uint32_t v = 0; v < core->n_vars; v++)
    for (uint32_t i = core->item_first[v]; i < core->item_first[v + 1]; i++) {
      int64_t largest = 0;
      for (uint32_t p = 0; p < core->n[v]; p++)
        if (items.items[i].bytes[p] > largest) largest = items.items[i].bytes[p];
      most[items.items[i].begin] += largest, most[items.items[i].end] -= largest;
    }
  number_points(b, fixed, most, point_of);
  core->items = ARENA_ARRAY(b->arena, CoreItem, items.count);
  for (uint32_t v = 0, at = 0; v < core->n_vars; v++) {
    for (; at < core->item_first[v + 1]; at++) {
      CoreItem item = items.items[at];
      item.begin = point_of[item.begin], item.end = point_of[item.end];
      if (item.begin < item.end) core->items[core->n_items++] = item;
    }
    core->item_first[v + 1] = core->n_items;
  }
}

void restriction_init(Restriction *r, const Core *from, bool *useless, Arena *arena) {
  *r = (Restriction){.from = from};
  Builder b = {.r = r, .from = from, .core = &r->core, .gone = useless, .arena = arena};
  b.left = ARENA_ARRAY(arena, uint32_t, from->n_vars);
  r->var = ARENA_ARRAY(arena, uint32_t, from->n_vars);
  r->decided = ARENA_ARRAY(arena, uint32_t, from->n_vars);
  r->state_of = ARENA_ARRAY(arena, uint32_t, from->n_states);
  for (uint32_t v = 0; v < from->n_vars; v++) {
    for (uint32_t s = from->first[v]; s < from->first[v + 1]; s++) b.left[v] += !useless[s];
    if (!b.left[v]) r->empty = true;
  }
  if (!r->empty && !make_consistent(&b)) r->empty = true;
  if (r->empty) return;
  number_vars(&b);
  add_states(&b);
  add_edges(&b);
  add_memory(&b);
  if (!r->empty) core_finish(&r->core, arena);
}

void restriction_expand(const Restriction *r, const uint32_t *x, uint32_t *out_x) {
  for (uint32_t v = 0; v < r->from->n_vars; v++) {
    uint32_t i = r->var[v];
    out_x[v] = i == NONE ? r->decided[v] : r->strategy[r->core.first[i] + x[i]];
  }
}

void restriction_project(const Restriction *r, const uint32_t *x, uint32_t *out_x) {
  const Core *core = &r->core;
  for (uint32_t i = 0; i < core->n_vars; i++) {
    uint32_t v = r->from_var[i];
    out_x[i] = r->state_of[r->from->first[v] + x[v]];
    if (out_x[i] != NONE) continue;
    out_x[i] = 0;
    const int64_t *cost = core->cost + core->first[i];
    for (uint32_t p = 1; p < core->n[i]; p++)
      if (cost[p] < cost[out_x[i]]) out_x[i] = p;
  }
}
