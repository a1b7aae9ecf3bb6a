// Bucket elimination (Dechter 1999; on computation graphs OptCNN, Jia et al. 2018). A factor is a
// table of costs over a few variables: at first one per variable and per edge. Eliminating a
// variable adds the factors that contain it, minimizes over its strategies, and leaves one factor
// over its neighbours and the argument of each minimum. Going backwards gives the plan.
//
// The next variable is the one whose new table is smallest. The cost is exponential only in the
// width that this order meets: chains and trees of layers are linear. Tables above a limit end the
// attempt; message passing takes over.
#include "solve/eliminate.h"

#include <string.h>

typedef struct Factor {
  uint32_t n;  // variables, sorted
  uint32_t *vars;
  int64_t *table;  // the last variable is innermost
  bool used;       // eliminated
} Factor;

typedef struct Step {
  uint32_t var;
  Factor *result;  // over the neighbours
  uint32_t *best;  // per entry of it: the variable's strategy
} Step;

typedef VEC(uint32_t) IndexList;

typedef struct Elimination {
  const Core *core;
  Arena *arena;
  VEC(Factor *) factors;
  IndexList *of;  // per variable: its factors
  Step *steps;
  uint32_t n_steps;
  bool *done, *mark;
  uint32_t *scope;  // scratch
  uint32_t *place;  // per variable: strategy during enumeration
  uint64_t total;
  int64_t constant;
} Elimination;

static int64_t add(int64_t a, int64_t b) {
  return a == CORE_FORBIDDEN || b == CORE_FORBIDDEN ? CORE_FORBIDDEN : a + b;
}

static Factor *add_factor(Elimination *e, uint32_t n, const uint32_t *vars, int64_t *table) {
  Factor *f = ARENA_NEW(e->arena, Factor);
  f->n = n;
  f->vars = arena_copy(e->arena, vars, n * sizeof *vars);
  f->table = table;
  VEC_PUSH(e->arena, &e->factors, f);
  for (uint32_t i = 0; i < n; i++) VEC_PUSH(e->arena, &e->of[vars[i]], e->factors.count - 1);
  return f;
}

static int64_t factor_at(const Elimination *e, const Factor *f) {
  size_t at = 0;
  for (uint32_t i = 0; i < f->n; i++) at = at * e->core->n[f->vars[i]] + e->place[f->vars[i]];
  return f->table[at];
}

// The variables that share a factor with v, sorted, in `scope`; the size of the table over them,
// SIZE_MAX if it is too large.
static size_t find_scope(Elimination *e, uint32_t v, uint32_t *out_n) {
  uint32_t n = 0;
  size_t size = 1;
  e->mark[v] = true;
  for (uint32_t i = 0; i < e->of[v].count; i++) {
    const Factor *f = e->factors.items[e->of[v].items[i]];
    if (f->used) continue;
    for (uint32_t k = 0; k < f->n; k++) {
      uint32_t other = f->vars[k], at = n;
      if (e->mark[other]) continue;
      e->mark[other] = true;
      while (at && e->scope[at - 1] > other) e->scope[at] = e->scope[at - 1], at--;
      e->scope[at] = other;
      n++;
      if (size <= ELIMINATE_MOST_TABLE) size *= e->core->n[other];
    }
  }
  e->mark[v] = false;
  for (uint32_t i = 0; i < n; i++) e->mark[e->scope[i]] = false;
  *out_n = n;
  return size > ELIMINATE_MOST_TABLE ? SIZE_MAX : size;
}

// The open variable with the smallest table. False if all are too large. O(variables * scope).
static bool choose(Elimination *e, uint32_t *out_v, size_t *out_size) {
  *out_size = SIZE_MAX;
  for (uint32_t v = 0; v < e->core->n_vars && *out_size > 1; v++) {
    uint32_t n;
    if (e->done[v]) continue;
    size_t size = find_scope(e, v, &n);
    if (size < *out_size) *out_size = size, *out_v = v;
  }
  return *out_size != SIZE_MAX;
}

// The least sum of v's factors at the present places of its neighbours.
static int64_t minimize(Elimination *e, uint32_t v, uint32_t *out_best) {
  int64_t least = CORE_FORBIDDEN;
  *out_best = 0;
  for (uint32_t p = 0; p < e->core->n[v]; p++) {
    int64_t sum = 0;
    e->place[v] = p;
    for (uint32_t i = 0; i < e->of[v].count; i++) {
      const Factor *f = e->factors.items[e->of[v].items[i]];
      if (!f->used) sum = add(sum, factor_at(e, f));
    }
    if (sum < least) least = sum, *out_best = p;
  }
  return least;
}

// Counts through the strategies of the scope, the last one fastest.
static void advance(Elimination *e, const uint32_t *scope, uint32_t n) {
  while (n-- > 0) {
    if (++e->place[scope[n]] < e->core->n[scope[n]]) return;
    e->place[scope[n]] = 0;
  }
}

static void eliminate(Elimination *e, uint32_t v, size_t size) {
  uint32_t n;
  (void)find_scope(e, v, &n);
  uint32_t *scope = arena_copy(e->arena, e->scope, n * sizeof *scope);
  int64_t *table = ARENA_ARRAY(e->arena, int64_t, size);
  Step *step = &e->steps[e->n_steps++];
  step->var = v;
  step->best = ARENA_ARRAY(e->arena, uint32_t, size);
  for (uint32_t i = 0; i < n; i++) e->place[scope[i]] = 0;
  for (size_t i = 0; i < size; i++) {
    table[i] = minimize(e, v, &step->best[i]);
    advance(e, scope, n);
  }
  for (uint32_t i = 0; i < e->of[v].count; i++) e->factors.items[e->of[v].items[i]]->used = true;
  e->done[v] = true;
  step->result = add_factor(e, n, scope, table);
  if (!n) e->constant = add(e->constant, table[0]);
}

static void add_all(Elimination *e) {
  const Core *core = e->core;
  for (uint32_t v = 0; v < core->n_vars; v++) add_factor(e, 1, &v, core->cost + core->first[v]);
  for (uint32_t i = 0; i < core->n_edges; i++) {
    const CoreEdge *edge = &core->edges[i];
    size_t n = (size_t)core->n[edge->a] * core->n[edge->b];
    add_factor(e, 2, (uint32_t[]){edge->a, edge->b},
               arena_copy(e->arena, edge->m, n * sizeof *edge->m));
  }
}

static void read_back(Elimination *e, uint32_t *out_x) {
  for (uint32_t i = e->n_steps; i-- > 0;) {
    const Step *step = &e->steps[i];
    size_t at = 0;
    for (uint32_t k = 0; k < step->result->n; k++)
      at = at * e->core->n[step->result->vars[k]] + out_x[step->result->vars[k]];
    out_x[step->var] = step->best[at];
  }
}

static bool run(Elimination *e, uint64_t *work) {
  for (uint32_t i = 0; i < e->core->n_vars; i++) {
    uint32_t v = 0;
    size_t size;
    if (!choose(e, &v, &size)) return false;
    e->total += size * e->core->n[v];
    *work += size * e->core->n[v] * 8 + 16 * (uint64_t)e->core->n_vars;
    if (e->total > ELIMINATE_MOST_TOTAL) return false;
    eliminate(e, v, size);
  }
  return true;
}

bool eliminate_core(const Core *core, Arena *arena, uint32_t *out_x, int64_t *out_cost,
                    uint64_t *work) {
  ArenaMark mark = arena_mark(arena);
  Elimination e = {.core = core, .arena = arena, .constant = core->constant};
  e.of = arena_calloc(arena, core->n_vars + 1, sizeof *e.of);
  e.steps = ARENA_ARRAY(arena, Step, core->n_vars);
  e.done = ARENA_ARRAY(arena, bool, core->n_vars);
  e.mark = ARENA_ARRAY(arena, bool, core->n_vars);
  e.scope = ARENA_ARRAY(arena, uint32_t, core->n_vars + 1);
  e.place = ARENA_ARRAY(arena, uint32_t, core->n_vars);
  add_all(&e);
  bool good = run(&e, work);
  if (good) {
    read_back(&e, out_x);
    *out_cost = e.constant;
  }
  arena_rewind(arena, mark);
  return good;
}
