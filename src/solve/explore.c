// A node is a restricted core. It raises the exact Lagrangian bound from its parent's prices by a
// few steps, whose minimizers are plans as well, and takes out the states whose marginals exceed
// the best plan's cost. If states went, the node is smaller and starts again; if nothing helps, it
// branches.
//
// The bound stays below the optimum where the minimizer jumps between plans that overflow and
// plans that waste memory. The variable that jumps most evenly is the one to branch on.
#include "solve/explore.h"

#include <string.h>

#include "solve/ascend.h"
#include "solve/restrict.h"

enum { STEPS = 24, MOST_DEPTH = 64, MOST_SHRINKS = 6 };

typedef struct Node {
  const struct Node *parent;
  Restriction restriction;  // of the parent's core
  const Core *core;
  Dual dual;
  Ascent ascent;
  uint32_t *seen;  // per state: steps whose minimizer has it
} Node;

typedef struct Explorer {
  Arena *arena;
  int64_t upper;
  uint32_t *best_x, *x;  // x: scratch, for plans on their way up
  uint32_t *above;
  uint32_t n_root;
  uint64_t work, most_work;
  bool stopped;
} Explorer;

// A cheaper plan of a node, expanded to the root's core.
static void keep_plan(Explorer *s, const Node *node, const State *plan) {
  if (!state_feasible(plan) || plan->cost >= s->upper) return;
  s->upper = plan->cost;
  if (node->core->n_vars) memcpy(s->x, plan->x, node->core->n_vars * sizeof *s->x);
  for (; node->parent; node = node->parent) {
    restriction_expand(&node->restriction, s->x, s->above);
    memcpy(s->x, s->above, node->parent->core->n_vars * sizeof *s->x);
  }
  if (s->n_root) memcpy(s->best_x, s->x, s->n_root * sizeof *s->x);
}

static void start(Explorer *s, Node *node, const double *price) {
  Dual *d = &node->dual;
  dual_init(d, node->core, s->arena);
  ascent_init(&node->ascent, d, s->arena);
  node->seen = ARENA_ARRAY(s->arena, uint32_t, node->core->n_states);
  d->exact = elimination_new(node->core, s->most_work, s->arena);
  if (!d->exact) s->stopped = true;
  if (node->core->n_points) memcpy(d->price, price, node->core->n_points * sizeof *d->price);
  dual_reprice(d);
  s->work += node->core->n_entries + 64 * (uint64_t)node->core->n_vars + 1000;
}

// Raises the bound. True: no plan of the node is cheaper than the best one.
static bool raise_bound(Explorer *s, Node *node) {
  Dual *d = &node->dual;
  Ascent *a = &node->ascent;
  for (uint32_t i = 0; i < STEPS; i++) {
    uint64_t before = d->work + a->decoded.work;
    ascent_step(a, (double)s->upper);
    s->work += d->work + a->decoded.work - before;
    keep_plan(s, node, &a->decoded);
    for (uint32_t v = 0; v < node->core->n_vars; v++)
      node->seen[node->core->first[v] + a->decoded.x[v]]++;
    if (a->best + (double)node->core->constant < (double)s->upper - 1) continue;
    ascent_restore(a);
    dual_sweep(d);
    if (dual_certify(d) >= s->upper) return true;
    if (!node->core->n_points) break;
  }
  ascent_restore(a);
  dual_sweep(d);
  s->work += elimination_work(d->exact);
  return dual_certify(d) >= s->upper;
}

// The variable whose most frequent strategy is least frequent.
static uint32_t choose(const Node *node) {
  const Core *core = node->core;
  uint32_t best = 0, least = UINT32_MAX;
  for (uint32_t v = 0; v < core->n_vars; v++) {
    uint32_t most = 0;
    for (uint32_t s = core->first[v]; s < core->first[v + 1]; s++)
      if (node->seen[s] > most) most = node->seen[s];
    if (most < least) least = most, best = v;
  }
  return best;
}

static void explore(Explorer *s, Node *node, const double *price, uint32_t depth);

// The part of the node without the marked states.
static void descend(Explorer *s, const Node *node, bool *useless, uint32_t depth) {
  ArenaMark mark = arena_mark(s->arena);
  Node *child = ARENA_NEW(s->arena, Node);
  child->parent = node;
  restriction_init(&child->restriction, node->core, useless, s->arena);
  s->work += node->core->n_entries;
  if (!child->restriction.empty) {
    child->core = &child->restriction.core;
    double *price = ARENA_ARRAY(s->arena, double, child->core->n_points + 1);
    for (uint32_t t = 0; t < child->core->n_points; t++)
      price[t] = node->ascent.best_price[child->restriction.from_point[t]];
    explore(s, child, price, depth + 1);
  }
  arena_rewind(s->arena, mark);
}

// One child per strategy, the most frequent first.
static void branch(Explorer *s, const Node *node, const bool *useless, uint32_t depth) {
  const Core *core = node->core;
  uint32_t v = choose(node);
  bool *marks = ARENA_ARRAY(s->arena, bool, core->n_states);
  bool *tried = ARENA_ARRAY(s->arena, bool, core->n[v]);
  for (uint32_t k = 0; k < core->n[v] && !s->stopped; k++) {
    uint32_t best = UINT32_MAX;
    for (uint32_t p = 0; p < core->n[v]; p++)
      if (!tried[p] && (best == UINT32_MAX ||
                        node->seen[core->first[v] + p] > node->seen[core->first[v] + best]))
        best = p;
    tried[best] = true;
    if (useless[core->first[v] + best]) continue;
    memcpy(marks, useless, core->n_states * sizeof *marks);
    for (uint32_t p = 0; p < core->n[v]; p++) marks[core->first[v] + p] |= p != best;
    descend(s, node, marks, depth);
  }
}

static void explore(Explorer *s, Node *node, const double *price, uint32_t depth) {
  if (s->work > s->most_work || depth > MOST_DEPTH) s->stopped = true;
  if (s->stopped) return;
  start(s, node, price);
  if (s->stopped || raise_bound(s, node) || !node->core->n_vars) return;
  bool *useless = ARENA_ARRAY(s->arena, bool, node->core->n_states + 1);
  uint32_t count = dual_find_useless(&node->dual, s->upper, useless);
  s->work += 4 * elimination_work(node->dual.exact);
  if (count > node->core->n_states / 8 && depth < MOST_DEPTH - MOST_SHRINKS)
    descend(s, node, useless, depth);
  else
    branch(s, node, useless, depth);
}

bool explore_run(const Core *core, const double *price, int64_t *upper, uint32_t *out_x,
                 uint64_t most_work, uint64_t *work, Arena *arena) {
  ArenaMark mark = arena_mark(arena);
  Explorer s = {.arena = arena, .upper = *upper, .best_x = out_x, .most_work = most_work};
  s.n_root = core->n_vars;
  s.x = ARENA_ARRAY(arena, uint32_t, core->n_vars + 1);
  s.above = ARENA_ARRAY(arena, uint32_t, core->n_vars + 1);
  Node *root = ARENA_NEW(arena, Node);
  root->core = core;
  explore(&s, root, price, 0);
  *upper = s.upper;
  *work += s.work;
  arena_rewind(arena, mark);
  return !s.stopped;
}
