// A block grows from a seed: a variable joins if it has exactly one neighbour in the block, which
// becomes its parent, so the block is a forest in which children come after parents. Dynamic
// programming from the last to the first gives the cheapest strategies in O(entries).
//
// Memory is not part of the dynamic programming. If the cheapest block overflows, the points that
// overflow get prices and the block is solved again. The price starts where it would eat up the
// block's gain: (gain / overflow) per byte, then doubles. A block that gains nothing without prices
// is at its optimum, and is left after one pass.
//
// Forbidden entries cost CORE_BROKEN, so that a plan with some can still be improved towards none.
#include "solve/block.h"

#include <string.h>

#include "solve/random.h"
#include "solve/vectorize.h"

#define NONE UINT32_MAX

enum { PRICE_ROUNDS = 6 };

struct Block {
  const Core *core;
  uint32_t n;          // variables in the block
  uint32_t locked;     // a variable that stays outside
  uint32_t *vars;      // parents before children
  uint32_t *parent;    // per place in vars: the place of its parent; NONE: a root
  uint32_t *link;      // per place: the edge to the parent
  uint32_t *place;     // per variable: its place; NONE: not in the block
  uint32_t *touching;  // per variable: number of neighbours in the block
  uint32_t *frontier, n_frontier;
  uint32_t *touched, n_touched;     // variables with touching > 0
  uint32_t *old;                    // per place: strategy before the block was solved
  double *value;                    // per state: least cost of the tree below
  double *folded;                   // scratch: per strategy, padded
  uint64_t work;                    // of growing, until it is charged to a state
  uint32_t point_begin, point_end;  // points at which the block has bytes
  double *price, *prefix;
};

Block *block_new(const Core *core, Arena *arena) {
  Block *b = ARENA_NEW(arena, Block);
  uint32_t n = core->n_vars;
  b->core = core;
  b->vars = ARENA_ARRAY(arena, uint32_t, n);
  b->parent = ARENA_ARRAY(arena, uint32_t, n);
  b->link = ARENA_ARRAY(arena, uint32_t, n);
  b->place = ARENA_ARRAY(arena, uint32_t, n);
  b->touching = ARENA_ARRAY(arena, uint32_t, n);
  b->frontier = ARENA_ARRAY(arena, uint32_t, 2 * (size_t)core->n_edges + 1);
  b->touched = ARENA_ARRAY(arena, uint32_t, n);
  b->old = ARENA_ARRAY(arena, uint32_t, n);
  b->value = ARENA_ARRAY(arena, double, core->n_states);
  b->folded = ARENA_ARRAY(arena, double, core_padded(core->most_states) + CORE_LANES);
  b->price = ARENA_ARRAY(arena, double, core->n_points + 1);
  b->prefix = ARENA_ARRAY(arena, double, core->n_points + 2);
  memset(b->place, 0xFF, n * sizeof *b->place);
  return b;
}

// ---- growing ----

static void clear(Block *b) {
  for (uint32_t i = 0; i < b->n; i++) b->place[b->vars[i]] = NONE;
  for (uint32_t i = 0; i < b->n_touched; i++) b->touching[b->touched[i]] = 0;
  b->n = b->n_touched = b->n_frontier = 0;
}

static void join(Block *b, uint32_t v) {
  const Core *core = b->core;
  uint32_t at = b->n++;
  b->vars[at] = v;
  b->place[v] = at;
  b->parent[at] = b->link[at] = NONE;
  b->work += 16 + 3 * (uint64_t)(core->adjacent_first[v + 1] - core->adjacent_first[v]);
  for (uint32_t i = core->adjacent_first[v]; i < core->adjacent_first[v + 1]; i++) {
    uint32_t e = core->adjacent[i];
    uint32_t other = core->edges[e].a == v ? core->edges[e].b : core->edges[e].a;
    if (b->place[other] != NONE) {
      b->parent[at] = b->place[other];
      b->link[at] = e;
      continue;
    }
    if (!b->touching[other]++) b->touched[b->n_touched++] = other;
    if (b->touching[other] == 1) b->frontier[b->n_frontier++] = other;
  }
}

static bool is_outside(const Block *b, uint32_t v) { return b->place[v] == NONE && v != b->locked; }

// The tree is complete: a second one, anywhere, may free the bytes that this one needs.
static bool join_elsewhere(Block *b, uint64_t *random) {
  for (uint32_t tries = 0; tries < 16; tries++) {
    uint32_t v = random_below(random, b->core->n_vars);
    if (b->touching[v] || !is_outside(b, v)) continue;
    join(b, v);
    return true;
  }
  return false;
}

void block_grow(Block *b, uint32_t seed, uint32_t most, uint32_t locked, uint64_t *random) {
  clear(b);
  b->locked = locked;
  join(b, seed);
  while (b->n < most && b->n < b->core->n_vars) {
    if (!b->n_frontier && !join_elsewhere(b, random)) return;
    if (!b->n_frontier) continue;
    uint32_t i = random_below(random, b->n_frontier), v = b->frontier[i];
    b->frontier[i] = b->frontier[--b->n_frontier];
    if (b->touching[v] == 1 && is_outside(b, v)) join(b, v);
  }
}

// ---- dynamic programming ----

// Costs of a variable against everything outside of the block, with priced bytes.
static void outside(Block *b, State *s, uint32_t v, bool priced) {
  const Core *core = b->core;
  uint32_t n = core->n[v];
  double *restrict value = b->value + core->first[v];
  for (uint32_t p = 0; p < n; p++) value[p] = (double)core->cost[core->first[v] + p];
  for (uint32_t i = core->adjacent_first[v]; i < core->adjacent_first[v + 1]; i++) {
    const CoreEdge *e = &core->edges[core->adjacent[i]];
    uint32_t other = e->a == v ? e->b : e->a;
    if (b->place[other] != NONE) continue;
    const double *restrict row = core_row(core, e, v, s->x[other]);
    for (uint32_t p = 0; p < n; p++) value[p] += row[p];
    s->work += 4 + n / 2;
  }
  if (!priced) return;
  for (uint32_t i = core->item_first[v]; i < core->item_first[v + 1]; i++) {
    const CoreItem *item = &core->items[i];
    double price = b->prefix[item->end] - b->prefix[item->begin];
    if (price > 0)
      for (uint32_t p = 0; p < n; p++) value[p] += (double)item->bytes[p] * price;
    s->work += n;
  }
}

// out[p] = min over q of value[q] + m[q][p]. The width is a multiple of CORE_LANES.
VECTORIZE static void least_sums(const double *restrict value, uint32_t n, const double *restrict m,
                                 uint32_t width, double *restrict out) {
  width &= ~(uint32_t)(CORE_LANES - 1);
  for (uint32_t p = 0; p < width; p++) out[p] = value[0] + m[p];
  uint32_t q = 1;
  for (; q + 2 <= n; q += 2) {
    const double *restrict r0 = m + (size_t)q * width, *restrict r1 = r0 + width;
    double v0 = value[q], v1 = value[q + 1];
    for (uint32_t p = 0; p < width; p++) {
      double x = v0 + r0[p], y = v1 + r1[p];
      x = x < y ? x : y;
      out[p] = x < out[p] ? x : out[p];
    }
  }
  if (q == n) return;
  const double *restrict row = m + (size_t)q * width;
  for (uint32_t p = 0; p < width; p++) {
    double x = value[q] + row[p];
    out[p] = x < out[p] ? x : out[p];
  }
}

// Adds to each strategy of the parent the least cost of the child's tree.
static void fold(Block *b, State *s, uint32_t at) {
  const Core *core = b->core;
  uint32_t v = b->vars[at], up = b->vars[b->parent[at]];
  const CoreEdge *e = &core->edges[b->link[at]];
  double *restrict into = b->value + core->first[up];
  uint32_t width = core_padded(core->n[up]);
  least_sums(b->value + core->first[v], core->n[v], core_row(core, e, up, 0), width, b->folded);
  for (uint32_t p = 0; p < core->n[up]; p++) into[p] += b->folded[p];
  s->work += 16 + (uint64_t)core->n[v] * width / 2;
}

// The child's best strategy, given its parent's.
static uint32_t unfold(const Block *b, uint32_t at, uint32_t parent_choice) {
  const Core *core = b->core;
  uint32_t v = b->vars[at], best = 0;
  const double *row = core_row(core, &core->edges[b->link[at]], v, parent_choice);
  const double *value = b->value + core->first[v];
  for (uint32_t q = 1; q < core->n[v]; q++)
    if (value[q] + row[q] < value[best] + row[best]) best = q;
  return best;
}

// Writes the best strategies per place to out.
static void minimize(Block *b, State *s, bool priced, uint32_t *out) {
  const Core *core = b->core;
  for (uint32_t i = 0; i < b->n; i++) outside(b, s, b->vars[i], priced);
  for (uint32_t i = b->n; i-- > 0;)
    if (b->parent[i] != NONE) fold(b, s, i);
  for (uint32_t i = 0; i < b->n; i++) {
    uint32_t v = b->vars[i];
    if (b->parent[i] != NONE) {
      out[i] = unfold(b, i, out[b->parent[i]]);
      continue;
    }
    const double *value = b->value + core->first[v];
    out[i] = s->x[v];
    for (uint32_t p = 0; p < core->n[v]; p++)
      if (value[p] < value[out[i]]) out[i] = p;
  }
  s->work += b->work + 8 * (uint64_t)b->n;
  b->work = 0;
}

// ---- memory ----

static void find_points(Block *b) {
  const Core *core = b->core;
  b->point_begin = core->n_points, b->point_end = 0;
  for (uint32_t i = 0; i < b->n; i++) {
    uint32_t v = b->vars[i];
    for (uint32_t k = core->item_first[v]; k < core->item_first[v + 1]; k++) {
      if (core->items[k].begin < b->point_begin) b->point_begin = core->items[k].begin;
      if (core->items[k].end > b->point_end) b->point_end = core->items[k].end;
    }
  }
}

// Prefix sums, four at a time: one addition per four points waits for the one before.
static void sum_prices(Block *b) {
  uint32_t t = b->point_begin, end = b->point_end;
  if (t >= end) return;
  double base = b->prefix[t] = 0;
  for (; t + 4 <= end; t += 4) {
    double one = b->price[t], two = one + b->price[t + 1];
    double three = two + b->price[t + 2], four = three + b->price[t + 3];
    b->prefix[t + 1] = base + one;
    b->prefix[t + 2] = base + two;
    b->prefix[t + 3] = base + three;
    b->prefix[t + 4] = base = base + four;
  }
  for (; t < end; t++) b->prefix[t + 1] = base = base + b->price[t];
}

// Raises the prices of points above the limit in proportion to their excess.
static void raise_prices(Block *b, const State *s, int64_t excess, double step) {
  for (uint32_t t = b->point_begin; t < b->point_end; t++) {
    int64_t over = usage_at(&s->usage, t) - s->core->limit;
    if (over > 0) b->price[t] += step * (double)over / (double)excess;
  }
}

static void apply(Block *b, State *s, const uint32_t *x) {
  for (uint32_t i = 0; i < b->n; i++) state_move(s, b->vars[i], x[i]);
}

bool block_solve(Block *b, State *s, const double *price) {
  uint32_t *now = b->touched;  // free between growing: as long as vars
  uint32_t point;
  int64_t before = s->cost;
  // `touched` is needed to clear the block: forget it here instead.
  for (uint32_t i = 0; i < b->n_touched; i++) b->touching[b->touched[i]] = 0;
  b->n_touched = 0;
  for (uint32_t i = 0; i < b->n; i++) b->old[i] = s->x[b->vars[i]];
  minimize(b, s, false, now);
  apply(b, s, now);
  int64_t gain = before - s->cost;
  if (gain <= 0 || s->broken) {
    apply(b, s, b->old);
    return false;
  }
  int64_t excess = state_excess(s, &point);
  if (excess <= 0) return true;
  find_points(b);
  for (uint32_t t = b->point_begin; t < b->point_end; t++) b->price[t] = price ? price[t] : 0;
  double step = 0.3 * (double)gain / (double)excess;
  for (uint32_t round = 0; round < PRICE_ROUNDS; round++, step *= 2) {
    raise_prices(b, s, excess, step);
    apply(b, s, b->old);
    sum_prices(b);
    s->work += b->point_end - b->point_begin;
    minimize(b, s, true, now);
    apply(b, s, now);
    if (s->cost >= before || s->broken) break;
    excess = state_excess(s, &point);
    if (excess <= 0) return true;
  }
  apply(b, s, b->old);
  return false;
}

void block_minimize(Block *b, State *s, const double *price) {
  find_points(b);
  for (uint32_t t = b->point_begin; t < b->point_end; t++) b->price[t] = price[t];
  sum_prices(b);
  minimize(b, s, true, b->old);
  apply(b, s, b->old);
}
