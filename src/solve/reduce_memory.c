// Bytes over time. Time has few points that matter: bytes grow only when an interval begins, so the
// peaks are at begins that an end follows before the next begin. Everything else is dominated.
//
// A variable's bytes, those of the variables contracted into it included, are disjoint items
// [begin, end) with one number per strategy. They come from a sweep over its members' intervals.
// The least number of an item does not depend on the choice: it moves to `fixed`, the bytes per
// point that no choice changes, and items without a difference vanish.
//
// A strategy is impossible if it exceeds the limit although all others take their least. That is a
// question for the maximum over a range of points, answered from a sparse table in O(1).
#include "solve/reduce_memory.h"

#include <string.h>

#include "base/heap.h"

#define NONE UINT32_MAX

// ---- points ----

static bool less_time(const void *a, const void *b, const void *user) {
  (void)user;
  return *(const int64_t *)a < *(const int64_t *)b;
}

typedef VEC(int64_t) Times;

// The begins that an end follows before (or at) the next begin, sorted.
static void find_points(Reduction *r, Times *out) {
  const Problem *problem = r->problem;
  Times begins = {0}, ends = {0};
  HeapOrder order = {sizeof(int64_t), less_time, NULL};
  for (uint32_t v = 0; v < r->n_vars; v++) {
    const PlanVar *var = &problem->vars.items[v];
    if (var->begin >= var->end) continue;
    VEC_PUSH(r->arena, &begins, var->begin);
    VEC_PUSH(r->arena, &ends, var->end);
  }
  heap_sort(begins.items, begins.count, &order);
  heap_sort(ends.items, ends.count, &order);
  for (uint32_t i = 0, k = 0; i < begins.count; i++) {
    int64_t at = begins.items[i];
    if (i + 1 < begins.count && begins.items[i + 1] == at) continue;
    while (k < ends.count && ends.items[k] <= at) k++;
    bool last = i + 1 == begins.count;
    if (last || (k < ends.count && ends.items[k] <= begins.items[i + 1]))
      VEC_PUSH(r->arena, out, at);
  }
}

// The first point at or after a time.
static uint32_t point_at(const Times *points, int64_t time) {
  uint32_t low = 0, high = points->count;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (points->items[middle] < time)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

// ---- items ----

// One variable of the problem as a member of the variable that it was contracted into.
typedef struct Member {
  uint32_t root, at;  // point of its begin or end
  uint32_t var;
  bool ends;
} Member;

static bool member_before(const void *a, const void *b, const void *user) {
  const Member *x = a, *y = b;
  (void)user;
  if (x->root != y->root) return x->root < y->root;
  if (x->at != y->at) return x->at < y->at;
  if (x->ends != y->ends) return x->ends;
  return x->var < y->var;
}

typedef struct Sweep {
  Reduction *r;
  uint32_t *roots;        // per variable
  const uint32_t **maps;  // per variable: from the root's strategies to its own; NULL: identity
  VEC(Member) members;
  VEC(CoreItem) items;
  int64_t *now;  // bytes per strategy of the root
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
    s->maps[v] = var->map;
    if (!up) continue;
    uint32_t *map = arena_alloc(r->arena, r->vars[root].n * sizeof *map);
    for (uint32_t p = 0; p < r->vars[root].n; p++) map[p] = up[p] == NONE ? NONE : var->map[up[p]];
    s->maps[v] = map;
  }
}

static void find_members(Sweep *s, const Times *points) {
  Reduction *r = s->r;
  for (uint32_t v = 0; v < r->n_vars; v++) {
    const PlanVar *var = &r->problem->vars.items[v];
    if (var->begin >= var->end) continue;
    uint32_t begin = point_at(points, var->begin), end = point_at(points, var->end);
    if (begin >= end) continue;
    VEC_PUSH(r->arena, &s->members, ((Member){s->roots[v], begin, v, false}));
    VEC_PUSH(r->arena, &s->members, ((Member){s->roots[v], end, v, true}));
  }
  HeapOrder order = {sizeof(Member), member_before, NULL};
  heap_sort(s->members.items, s->members.count, &order);
}

static void add_member(Sweep *s, const Member *m) {
  const ReduceVar *root = &s->r->vars[m->root];
  const int64_t *bytes = s->r->problem->bytes.items + s->r->problem->vars.items[m->var].first;
  const uint32_t *map = s->maps[m->var];
  for (uint32_t p = 0; p < root->n; p++) {
    if (root->cost[p] == CORE_FORBIDDEN) continue;
    int64_t more = bytes[map ? map[p] : p];
    s->now[p] += m->ends ? -more : more;
  }
}

// Writes the bytes of [begin, end): the least to `fixed` (as differences), the rest to an item.
static void put_item(Sweep *s, uint32_t root, uint32_t begin, uint32_t end) {
  Reduction *r = s->r;
  const ReduceVar *var = &r->vars[root];
  int64_t least = INT64_MAX, most = INT64_MIN;
  for (uint32_t p = 0; p < var->n; p++) {
    if (var->cost[p] == CORE_FORBIDDEN) continue;
    if (s->now[p] < least) least = s->now[p];
    if (s->now[p] > most) most = s->now[p];
  }
  r->fixed[begin] += least;
  r->fixed[end] -= least;
  if (least == most) return;
  int64_t *bytes = ARENA_ARRAY(r->arena, int64_t, var->n);
  for (uint32_t p = 0; p < var->n; p++)
    if (var->cost[p] != CORE_FORBIDDEN) bytes[p] = s->now[p] - least;
  VEC_PUSH(r->arena, &s->items, ((CoreItem){begin, end, bytes}));
}

// Members [i, end) belong to one root.
static void sweep_root(Sweep *s, uint32_t i, uint32_t end) {
  uint32_t root = s->members.items[i].root;
  ReduceVar *var = &s->r->vars[root];
  memset(s->now, 0, var->n * sizeof *s->now);
  var->item_first = s->items.count;
  while (i < end) {
    uint32_t at = s->members.items[i].at;
    for (; i < end && s->members.items[i].at == at; i++) add_member(s, &s->members.items[i]);
    if (i < end) put_item(s, root, at, s->members.items[i].at);
  }
  var->item_end = s->items.count;
}

static void sweep_all(Sweep *s) {
  Reduction *r = s->r;
  for (uint32_t v = 0; v < r->n_vars; v++) r->vars[v].item_first = r->vars[v].item_end = 0;
  for (uint32_t i = 0, k; i < s->members.count; i = k) {
    for (k = i; k < s->members.count && s->members.items[k].root == s->members.items[i].root;) k++;
    sweep_root(s, i, k);
  }
  r->items = s->items.items;
  r->n_items = s->items.count;
  for (uint32_t t = 0; t < r->n_points; t++) r->fixed[t + 1] += r->fixed[t];
}

void reduce_memory_items(Reduction *r) {
  Times points = {0};
  Sweep s = {.r = r};
  find_points(r, &points);
  r->n_points = points.count;
  r->fixed = ARENA_ARRAY(r->arena, int64_t, points.count + 1);
  s.roots = ARENA_ARRAY(r->arena, uint32_t, r->n_vars);
  s.maps = ARENA_ARRAY(r->arena, const uint32_t *, r->n_vars);
  s.now = ARENA_ARRAY(r->arena, int64_t, r->most);
  find_roots(&s);
  find_members(&s, &points);
  sweep_all(&s);
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
