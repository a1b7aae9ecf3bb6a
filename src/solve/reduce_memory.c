// Bytes over time. Time has few points that matter: bytes grow only when an interval begins, so the
// peaks are at begins that an end follows before the next begin.
//
// A variable's bytes, those of the variables contracted into it included, are disjoint items
// [begin, end) of points with one number per strategy. They come from a sweep over the pieces that
// belong to it: at first one piece per variable of the problem, later the items of the last time,
// whose variables may have been contracted since. The least number of an item does not depend on
// the choice: it moves to `fixed`, the bytes per point that no choice changes, and items without a
// difference vanish. O(pieces * strategies).
//
// A strategy is impossible if it exceeds the limit although all others take their least. That is a
// question for the maximum over a range of points, answered from a sparse table in O(1).
#include "solve/reduce_memory.h"

#include <string.h>

#include "solve/order.h"

#define NONE UINT32_MAX

// ---- points ----

// The begins that an end follows before (or at) the next begin, sorted, go to r->times. Writes the
// range of points of every variable that has bytes.
static void find_points(Reduction *r, uint32_t *begin_of, uint32_t *end_of) {
  const Problem *problem = r->problem;
  uint32_t n = 0;
  int64_t *keys = arena_alloc(r->arena, (2 * (size_t)r->n_vars + 1) * sizeof *keys);
  uint32_t *var_of = arena_alloc(r->arena, ((size_t)r->n_vars + 1) * sizeof *var_of);
  for (uint32_t v = 0; v < r->n_vars; v++) {
    const PlanVar *var = &problem->vars.items[v];
    begin_of[v] = end_of[v] = 0;
    if (var->begin >= var->end) continue;
    keys[2 * n] = var->begin, keys[2 * n + 1] = var->end;
    var_of[n++] = v;
  }
  // In order of time; an even index is a begin. At equal times begins and ends are mixed.
  const uint32_t *order = order_by_key(keys, 2 * n, r->arena);
  r->times = arena_alloc(r->arena, ((size_t)n + 1) * sizeof *r->times);
  bool begun = false;
  for (uint32_t i = 0, k; i < 2 * n; i = k) {
    int64_t time = keys[order[i]];
    bool begins = false, ends = false;
    for (k = i; k < 2 * n && keys[order[k]] == time; k++) {
      begins |= order[k] % 2 == 0;
      ends |= order[k] % 2 == 1;
    }
    // The point is the last time at which something began.
    if (ends && begun) r->n_points++, begun = false;
    for (uint32_t j = i; j < k; j++)
      (order[j] % 2 ? end_of : begin_of)[var_of[order[j] / 2]] = r->n_points;
    if (begins) r->times[r->n_points] = time, begun = true;
  }
}

// The pieces before anything is contracted.
static void first_items(Reduction *r) {
  uint32_t *begin_of = arena_alloc(r->arena, ((size_t)r->n_vars + 1) * sizeof *begin_of);
  uint32_t *end_of = arena_alloc(r->arena, ((size_t)r->n_vars + 1) * sizeof *end_of);
  find_points(r, begin_of, end_of);
  r->fixed = ARENA_ARRAY(r->arena, int64_t, r->n_points + 1);
  r->items = arena_alloc(r->arena, ((size_t)r->n_vars + 1) * sizeof *r->items);
  r->item_owner = arena_alloc(r->arena, ((size_t)r->n_vars + 1) * sizeof *r->item_owner);
  for (uint32_t v = 0; v < r->n_vars; v++) {
    if (begin_of[v] >= end_of[v]) continue;
    const int64_t *bytes = r->problem->bytes.items + r->problem->vars.items[v].first;
    r->item_owner[r->n_items] = v;
    r->items[r->n_items++] = (CoreItem){begin_of[v], end_of[v], bytes};
  }
  r->has_points = true;
}

// ---- items ----

typedef struct Sweep {
  Reduction *r;
  uint32_t *roots;        // per variable
  const uint32_t **maps;  // per variable: from the root's strategies to its own; NULL: identity
  uint32_t *events;       // 2 * piece, + 1 for its end; by root, then by point
  uint32_t *root_first;   // per variable and one more: its events
  int64_t *now;           // bytes per strategy of the root
  int64_t *change;        // per point: what `fixed` grows by, as differences
  VEC(CoreItem) items;
  VEC(uint32_t) owners;
} Sweep;

// Composes the maps of contracted variables, parents first.
static void find_roots(Sweep *s) {
  Reduction *r = s->r;
  for (uint32_t v = 0; v < r->n_vars; v++) s->roots[v] = v, s->maps[v] = NULL;
  for (uint32_t i = r->contracted.count; i-- > 0;) {
    uint32_t v = r->contracted.items[i];
    const ReduceVar *var = &r->vars[v];
    const uint32_t *up = s->maps[var->parent];
    uint32_t root = s->roots[v] = s->roots[var->parent];
    s->maps[v] = var->map ? var->map : up;
    if (!up || !var->map) continue;
    uint32_t *map = arena_alloc(r->arena, r->vars[root].n * sizeof *map);
    for (uint32_t p = 0; p < r->vars[root].n; p++) map[p] = up[p] == NONE ? NONE : var->map[up[p]];
    s->maps[v] = map;
  }
}

static uint32_t event_point(const Reduction *r, uint32_t event) {
  return event % 2 ? r->items[event / 2].end : r->items[event / 2].begin;
}

// Counting sort by point, then, stable, by root.
static void sort_events(Sweep *s) {
  Reduction *r = s->r;
  uint32_t n = 2 * r->n_items;
  uint32_t *first = ARENA_ARRAY(r->arena, uint32_t, r->n_points + 2);
  uint32_t *by_point = arena_alloc(r->arena, ((size_t)n + 1) * sizeof *by_point);
  for (uint32_t i = 0; i < n; i++) first[event_point(r, i) + 1]++;
  for (uint32_t t = 0; t < r->n_points; t++) first[t + 1] += first[t];
  for (uint32_t i = 0; i < n; i++) by_point[first[event_point(r, i)]++] = i;
  uint32_t *at = s->root_first = ARENA_ARRAY(r->arena, uint32_t, r->n_vars + 2);
  for (uint32_t i = 0; i < n; i++) at[s->roots[r->item_owner[i / 2]] + 2]++;
  for (uint32_t v = 0; v < r->n_vars; v++) at[v + 2] += at[v + 1];
  s->events = arena_alloc(r->arena, ((size_t)n + 1) * sizeof *s->events);
  for (uint32_t i = 0; i < n; i++)
    s->events[at[s->roots[r->item_owner[by_point[i] / 2]] + 1]++] = by_point[i];
}

static void add_piece(Sweep *s, const ReduceVar *root, uint32_t event) {
  const Reduction *r = s->r;
  const int64_t *bytes = r->items[event / 2].bytes;
  const uint32_t *map = s->maps[r->item_owner[event / 2]];
  int64_t sign = event % 2 ? -1 : 1;
  if (!map)
    for (uint32_t p = 0; p < root->n; p++) s->now[p] += sign * bytes[p];
  else
    for (uint32_t p = 0; p < root->n; p++)
      if (map[p] != NONE) s->now[p] += sign * bytes[map[p]];
}

// Writes the bytes of [begin, end): the least to `fixed`, the rest to an item.
static void put_item(Sweep *s, uint32_t root, uint32_t begin, uint32_t end) {
  Reduction *r = s->r;
  const ReduceVar *var = &r->vars[root];
  int64_t least = INT64_MAX, most = INT64_MIN;
  for (uint32_t p = 0; p < var->n; p++) {
    if (var->cost[p] == CORE_FORBIDDEN) continue;
    if (s->now[p] < least) least = s->now[p];
    if (s->now[p] > most) most = s->now[p];
  }
  s->change[begin] += least;
  s->change[end] -= least;
  if (least == most) return;
  int64_t *bytes = arena_alloc(r->arena, var->n * sizeof *bytes);
  for (uint32_t p = 0; p < var->n; p++)
    bytes[p] = var->cost[p] != CORE_FORBIDDEN ? s->now[p] - least : 0;
  VEC_PUSH(r->arena, &s->items, ((CoreItem){begin, end, bytes}));
  VEC_PUSH(r->arena, &s->owners, root);
}

static void sweep_root(Sweep *s, uint32_t root) {
  ReduceVar *var = &s->r->vars[root];
  uint32_t i = s->root_first[root], end = s->root_first[root + 1];
  var->item_first = s->items.count;
  memset(s->now, 0, var->n * sizeof *s->now);
  while (i < end) {
    uint32_t at = event_point(s->r, s->events[i]);
    for (; i < end && event_point(s->r, s->events[i]) == at; i++) add_piece(s, var, s->events[i]);
    if (i < end) put_item(s, root, at, event_point(s->r, s->events[i]));
  }
  var->item_end = s->items.count;
}

void reduce_memory_items(Reduction *r) {
  if (!r->has_points) first_items(r);
  Sweep s = {.r = r};
  s.roots = arena_alloc(r->arena, ((size_t)r->n_vars + 1) * sizeof *s.roots);
  s.maps = arena_alloc(r->arena, ((size_t)r->n_vars + 1) * sizeof *s.maps);
  s.now = ARENA_ARRAY(r->arena, int64_t, r->most);
  s.change = ARENA_ARRAY(r->arena, int64_t, r->n_points + 1);
  find_roots(&s);
  sort_events(&s);
  for (uint32_t v = 0; v < r->n_vars; v++) sweep_root(&s, v);
  r->items = s.items.items;
  r->item_owner = s.owners.items;
  r->n_items = s.items.count;
  int64_t sum = 0;
  for (uint32_t t = 0; t < r->n_points; t++) r->fixed[t] += sum += s.change[t];
}

bool reduce_fewer_bytes(const Reduction *r, uint32_t v, uint32_t q, uint32_t p) {
  for (uint32_t i = r->vars[v].item_first; i < r->vars[v].item_end; i++)
    if (r->items[i].bytes[q] > r->items[i].bytes[p]) return false;
  return true;
}

// ---- impossible strategies ----

// Maximum over ranges: level k holds the maxima of 2^k points.
typedef struct RangeMax {
  uint32_t n;
  const int64_t *levels[32];
} RangeMax;

static RangeMax range_max_new(Arena *arena, const int64_t *values, uint32_t n) {
  RangeMax table = {.n = n, .levels[0] = values};
  for (uint32_t k = 1; 1u << k <= n; k++) {
    uint32_t count = n - (1u << k) + 1;
    int64_t *level = ARENA_ARRAY(arena, int64_t, count);
    const int64_t *below = table.levels[k - 1];
    for (uint32_t i = 0; i < count; i++) {
      int64_t other = below[i + (1u << (k - 1))];
      level[i] = below[i] > other ? below[i] : other;
    }
    table.levels[k] = level;
  }
  return table;
}

static int64_t range_max(const RangeMax *table, uint32_t begin, uint32_t end) {
  uint32_t k = 31 - (uint32_t)__builtin_clz(end - begin);
  int64_t a = table->levels[k][begin], b = table->levels[k][end - (1u << k)];
  return a > b ? a : b;
}

// Items' least bytes are 0 where all strategies are alive, so the others' least is `fixed`.
static bool fits(const Reduction *r, const RangeMax *fixed, uint32_t v, uint32_t p) {
  for (uint32_t i = r->vars[v].item_first; i < r->vars[v].item_end; i++) {
    const CoreItem *item = &r->items[i];
    int64_t least = range_max(fixed, item->begin, item->end);
    if (least + item->bytes[p] > r->problem->limit_bytes) return false;
  }
  return true;
}

bool reduce_kill_by_memory(Reduction *r) {
  if (!r->n_points) return false;
  RangeMax fixed = range_max_new(r->arena, r->fixed, r->n_points);
  bool any = false;
  if (range_max(&fixed, 0, r->n_points) > r->problem->limit_bytes) {
    r->infeasible = true;
    return false;
  }
  for (uint32_t v = 0; v < r->n_vars && !r->infeasible; v++) {
    if (r->vars[v].parent != NONE || r->vars[v].alive < 2) continue;
    for (uint32_t p = 0; p < r->vars[v].n && !r->infeasible; p++)
      if (r->vars[v].cost[p] != CORE_FORBIDDEN && !fits(r, &fixed, v, p)) {
        reduce_kill(r, v, p);
        r->counts.impossible++;
        any = true;
      }
  }
  return any;
}
