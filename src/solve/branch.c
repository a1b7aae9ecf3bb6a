// Depth-first branch and bound on residual costs.
//
// The certified bound leaves a residual >= 0 on every strategy and every matrix entry, and a plan
// costs at least the bound plus the residuals it takes. So a partial plan is bounded by the bound,
// its residuals, and for each open variable the least residual against its decided neighbours. A
// strategy whose residual exceeds what is left up to the best known cost (the slack) is not viable.
// With a small gap nearly all strategies are not viable at once; that is what makes proofs possible
// on cores of hundreds of variables.
//
// The variable with the fewest viable strategies is next; one with a single one is no branch. A
// strategy must also fit: the items' least bytes are 0, so the decided variables' bytes are a lower
// bound of every point's.
//
// Residuals are rounded down and sums are integers: what is proven is proven.
#include "solve/branch.h"

#include <string.h>

#include "solve/usage.h"

struct Branch {
  const Core *core;
  Residuals residuals;
  int64_t *value;  // per state: residual against decided neighbours
  int64_t *least;  // per variable: the smallest of its values
  bool *decided;
  uint32_t *x;
  int64_t *saved;  // values before changes, per depth and state: a stack
  size_t n_saved, most_saved;
  Usage usage;
  uint32_t *tried;  // per depth and strategy: viable strategies in order of value
  int64_t slack;    // units left: best known cost - 1 - bound - residuals so far
  int64_t upper;
  uint32_t *best_x;
  uint64_t work, most_work;
  bool stopped;
};

Branch *branch_new(const Core *core, Arena *arena) {
  Branch *b = ARENA_NEW(arena, Branch);
  b->core = core;
  b->residuals.state = ARENA_ARRAY(arena, int64_t, core->n_states);
  b->residuals.edge = ARENA_ARRAY(arena, int64_t *, core->n_edges);
  // Each edge is saved once on a path, when its first end is decided.
  size_t saved = 0;
  for (uint32_t e = 0; e < core->n_edges; e++) {
    uint32_t rows = core->n[core->edges[e].a], columns = core->n[core->edges[e].b];
    b->residuals.edge[e] = ARENA_ARRAY(arena, int64_t, (size_t)rows *columns);
    saved += (rows > columns ? rows : columns) + 1;
  }
  b->saved = ARENA_ARRAY(arena, int64_t, saved);
  b->value = ARENA_ARRAY(arena, int64_t, core->n_states);
  b->least = ARENA_ARRAY(arena, int64_t, core->n_vars);
  b->decided = ARENA_ARRAY(arena, bool, core->n_vars);
  b->x = ARENA_ARRAY(arena, uint32_t, core->n_vars);
  b->tried = ARENA_ARRAY(arena, uint32_t, (size_t)core->n_states);
  usage_init(&b->usage, core->n_points, arena);
  return b;
}

// ---- deciding and undoing ----

static int64_t least_value(const int64_t *value, uint32_t n) {
  int64_t least = value[0];
  for (uint32_t p = 1; p < n; p++) least = value[p] < least ? value[p] : least;
  return least;
}

static void add_bytes(Branch *b, uint32_t v, uint32_t p, int64_t sign) {
  const Core *core = b->core;
  for (uint32_t i = core->item_first[v]; i < core->item_first[v + 1]; i++) {
    const CoreItem *item = &core->items[i];
    if (!item->bytes[p]) continue;
    usage_add(&b->usage, item->begin, item->end, sign * item->bytes[p]);
    b->work += USAGE_BLOCK;
  }
}

static bool fits(Branch *b, uint32_t v, uint32_t p) {
  const Core *core = b->core;
  for (uint32_t i = core->item_first[v]; i < core->item_first[v + 1]; i++) {
    const CoreItem *item = &core->items[i];
    b->work += USAGE_BLOCK;
    if (item->bytes[p] &&
        usage_max(&b->usage, item->begin, item->end) + item->bytes[p] > core->limit)
      return false;
  }
  return true;
}

// Adds the edge's residuals to the open neighbour; the old values go to the stack.
static void charge(Branch *b, uint32_t e, uint32_t v, uint32_t other) {
  const Core *core = b->core;
  uint32_t n = core->n[other], p = b->x[v];
  bool row = core->edges[e].a == v;
  const int64_t *m = b->residuals.edge[e] + (row ? (size_t)p * n : p);
  size_t step = row ? 1 : core->n[v];
  int64_t *value = b->value + core->first[other];
  memcpy(b->saved + b->n_saved, value, n * sizeof *value);
  b->saved[b->n_saved + n] = b->least[other];
  b->n_saved += n + 1;
  for (uint32_t q = 0; q < n; q++) {
    value[q] += m[q * step];
    if (value[q] > b->residuals.cap) value[q] = b->residuals.cap;
  }
  int64_t least = least_value(value, n);
  b->slack -= least - b->least[other];
  b->least[other] = least;
  b->work += n;
}

static void uncharge(Branch *b, uint32_t other) {
  uint32_t n = b->core->n[other];
  b->n_saved -= n + 1;
  memcpy(b->value + b->core->first[other], b->saved + b->n_saved, n * sizeof *b->saved);
  int64_t least = b->saved[b->n_saved + n];
  b->slack += b->least[other] - least;
  b->least[other] = least;
}

static uint32_t other_end(const Core *core, uint32_t e, uint32_t v) {
  return core->edges[e].a == v ? core->edges[e].b : core->edges[e].a;
}

static void decide(Branch *b, uint32_t v, uint32_t p) {
  const Core *core = b->core;
  b->decided[v] = true;
  b->x[v] = p;
  b->slack -= b->value[core->first[v] + p] - b->least[v];
  add_bytes(b, v, p, 1);
  for (uint32_t i = core->adjacent_first[v]; i < core->adjacent_first[v + 1]; i++) {
    uint32_t other = other_end(core, core->adjacent[i], v);
    if (!b->decided[other]) charge(b, core->adjacent[i], v, other);
  }
}

static void undo(Branch *b, uint32_t v) {
  const Core *core = b->core;
  for (uint32_t i = core->adjacent_first[v + 1]; i-- > core->adjacent_first[v];) {
    uint32_t other = other_end(core, core->adjacent[i], v);
    if (!b->decided[other]) uncharge(b, other);
  }
  add_bytes(b, v, b->x[v], -1);
  b->slack += b->value[core->first[v] + b->x[v]] - b->least[v];
  b->decided[v] = false;
}

// ---- the search ----

// Number of strategies that neither the slack nor memory excludes by itself.
static uint32_t count_viable(const Branch *b, uint32_t v) {
  const int64_t *value = b->value + b->core->first[v];
  int64_t most = b->least[v] + b->slack;
  uint32_t count = 0;
  for (uint32_t p = 0; p < b->core->n[v]; p++) count += value[p] <= most;
  return count;
}

static bool choose(Branch *b, uint32_t *out_v) {
  uint32_t fewest = UINT32_MAX;
  b->work += 64 + b->core->n_vars;
  for (uint32_t v = 0; v < b->core->n_vars && fewest > 1; v++) {
    if (b->decided[v]) continue;
    uint32_t count = count_viable(b, v);
    b->work += b->core->n[v];
    if (count < fewest) fewest = count, *out_v = v;
  }
  return fewest != UINT32_MAX;
}

// A complete plan: its real cost decides.
static void accept(Branch *b) {
  const Core *core = b->core;
  int64_t cost = core->constant;
  for (uint32_t v = 0; v < core->n_vars; v++) cost += core->cost[core->first[v] + b->x[v]];
  for (uint32_t e = 0; e < core->n_edges; e++) {
    int64_t entry =
        core_entry(core, &core->edges[e], b->x[core->edges[e].a], b->x[core->edges[e].b]);
    if (entry == CORE_FORBIDDEN) return;
    cost += entry;
  }
  if (cost >= b->upper) return;
  b->slack -= (b->upper - cost) * RESIDUAL_ONE;
  b->upper = cost;
  memcpy(b->best_x, b->x, core->n_vars * sizeof *b->x);
}

// The next viable strategy of v that was not tried: smallest value first.
static bool next_strategy(const Branch *b, uint32_t v, const uint32_t *tried, uint32_t n_tried,
                          uint32_t *out_p) {
  const int64_t *value = b->value + b->core->first[v];
  int64_t best = b->least[v] + b->slack;
  bool found = false;
  for (uint32_t p = 0; p < b->core->n[v]; p++) {
    if (value[p] > best || (found && value[p] == best)) continue;
    bool before = false;
    for (uint32_t i = 0; i < n_tried && !before; i++) before = tried[i] == p;
    if (before) continue;
    best = value[p], *out_p = p, found = true;
  }
  return found;
}

static void descend(Branch *b, uint32_t *tried) {
  uint32_t v = 0, p = 0, n_tried = 0;
  if (b->stopped || b->slack < 0) return;
  if (!choose(b, &v)) {
    accept(b);
    return;
  }
  while (!b->stopped && next_strategy(b, v, tried, n_tried, &p)) {
    tried[n_tried++] = p;
    b->work += (uint64_t)n_tried * b->core->n[v];
    if (b->work > b->most_work) b->stopped = true;
    if (!fits(b, v, p)) continue;
    decide(b, v, p);
    descend(b, tried + b->core->n[v]);
    undo(b, v);
  }
}

bool branch_run(Branch *b, Dual *dual, int64_t *upper, uint32_t *out_x, uint64_t most_work,
                uint64_t *work) {
  const Core *core = b->core;
  enum { MOST_GAP_BITS = 40 };
  // The gap of the rounded bound is at most what is needed here; a cap above it loses nothing.
  int64_t bound = dual_certify(dual), gap;
  if (__builtin_sub_overflow(*upper, bound, &gap)) return false;
  if (gap <= 0) return true;
  if (gap >> MOST_GAP_BITS) return false;
  dual_residuals(dual, (gap + 2) * RESIDUAL_ONE, &b->residuals);
  memcpy(b->value, b->residuals.state, core->n_states * sizeof *b->value);
  Wide slack = (Wide)(*upper - 1) * RESIDUAL_ONE - b->residuals.bound;
  b->slack = (int64_t)slack;
  for (uint32_t v = 0; v < core->n_vars; v++) {
    b->least[v] = least_value(b->value + core->first[v], core->n[v]);
    b->slack -= b->least[v];
    b->decided[v] = false;
  }
  usage_set(&b->usage, core->fixed);
  b->n_saved = 0;
  b->upper = *upper;
  b->best_x = out_x;
  b->work = 0, b->most_work = most_work;
  b->stopped = false;
  descend(b, b->tried);
  *upper = b->upper;
  *work += b->work;
  return !b->stopped;
}
