// Bucket elimination (Dechter 1999; on computation graphs OptCNN, Jia et al. 2018). Eliminating a
// variable adds everything that depends on it (its bucket: its costs, its matrices, tables of
// variables eliminated before), minimizes over its strategies, and leaves one table over its
// neighbours. Going backwards gives the plan, and the least sum of every single strategy.
//
// The order depends on sizes only, so it is found once; each run then fills the same tables. The
// next variable is the one whose table is smallest. The work is exponential only in the width that
// this order meets: chains and trees of layers are linear.
//
// Layout: the variable of a table that is eliminated first is innermost, so a bucket's variable has
// stride 1 in all its tables and the inner loop adds rows.
#include "solve/eliminate.h"

#include <math.h>
#include <string.h>

#include "base/vec.h"
#include "solve/vectorize.h"

enum { MOST_VARS = 4000, MOST_SCOPE = 24, MOST_PARTS = 64 };

#define MOST_COST 1e15  // CORE_BROKEN must stay above sums of costs
#define NONE UINT32_MAX

// A summand of a bucket: an edge's matrix or the table of another bucket.
typedef struct Part {
  const double *table;
  uint32_t child;             // the bucket whose table it is; NONE: an edge
  size_t stride[MOST_SCOPE];  // per variable of the bucket's scope; 0: not in the table
} Part;

typedef struct Bucket {
  uint32_t var, n_scope, n_parts;
  uint32_t *scope;  // variables eliminated later; the last is eliminated first
  Part *parts;
  size_t size;    // entries of its table
  double *table;  // per assignment of the scope
  double *down;   // for marginals: the least sum of everything outside; NULL until asked for
} Bucket;

struct Elimination {
  const Core *core;
  Arena *arena;
  Bucket *buckets;    // in the order of elimination
  uint32_t *step;     // per variable: its bucket
  double *row, *sum;  // scratch: per strategy
  uint32_t *place;    // scratch: per variable of a scope
  uint64_t work;
};

uint64_t elimination_work(const Elimination *e) { return e->work; }

// Each cost of a plan passes through at most this many additions, which lose 2^-53 each.
double elimination_error(const Elimination *e) {
  return 2e-16 * (4.0 * e->core->n_vars + e->core->n_edges + e->core->n_items + 16);
}

// ---- the order ----

typedef struct Graph {
  uint64_t *sets;  // per variable: its neighbours
  uint32_t words;
  uint64_t *size;  // per variable: entries of its table
  bool *done;
} Graph;

static uint64_t *set_of(const Graph *g, uint32_t v) { return g->sets + (size_t)v * g->words; }

static uint64_t table_size(const Core *core, const Graph *g, uint32_t v, uint64_t most) {
  const uint64_t *set = set_of(g, v);
  uint64_t size = 1;
  uint32_t count = 0;
  for (uint32_t w = 0; w < g->words; w++)
    for (uint64_t rest = set[w]; rest; rest &= rest - 1) {
      size *= core->n[w * 64 + (uint32_t)__builtin_ctzll(rest)];
      if (size > most || ++count > MOST_SCOPE) return UINT64_MAX;
    }
  return size;
}

// Joins v's neighbours with each other and takes v out.
static void remove_var(const Core *core, Graph *g, uint32_t v, uint64_t most) {
  const uint64_t *set = set_of(g, v);
  g->done[v] = true;
  for (uint32_t w = 0; w < g->words; w++)
    for (uint64_t rest = set[w]; rest; rest &= rest - 1) {
      uint32_t u = w * 64 + (uint32_t)__builtin_ctzll(rest);
      uint64_t *other = set_of(g, u);
      for (uint32_t k = 0; k < g->words; k++) other[k] |= set[k];
      other[u / 64] &= ~(UINT64_C(1) << u % 64);
      other[v / 64] &= ~(UINT64_C(1) << v % 64);
      g->size[u] = table_size(core, g, u, most);
    }
}

static void read_graph(const Core *core, Graph *g, uint64_t most, Arena *arena) {
  g->words = (core->n_vars + 63) / 64;
  g->sets = ARENA_ARRAY(arena, uint64_t, (size_t)g->words * core->n_vars);
  g->size = ARENA_ARRAY(arena, uint64_t, core->n_vars);
  g->done = ARENA_ARRAY(arena, bool, core->n_vars);
  for (uint32_t i = 0; i < core->n_edges; i++) {
    uint32_t a = core->edges[i].a, b = core->edges[i].b;
    set_of(g, a)[b / 64] |= UINT64_C(1) << b % 64;
    set_of(g, b)[a / 64] |= UINT64_C(1) << a % 64;
  }
  for (uint32_t v = 0; v < core->n_vars; v++) g->size[v] = table_size(core, g, v, most);
}

// The scope of a bucket is what is left around its variable. False: too much work.
static bool find_order(Elimination *e, uint64_t most) {
  const Core *core = e->core;
  Graph g;
  read_graph(core, &g, most, e->arena);
  for (uint32_t i = 0; i < core->n_vars; i++) {
    uint32_t v = NONE;
    for (uint32_t u = 0; u < core->n_vars; u++)
      if (!g.done[u] && (v == NONE || g.size[u] < g.size[v])) v = u;
    if (g.size[v] == UINT64_MAX) return false;
    Bucket *b = &e->buckets[i];
    *b = (Bucket){.var = v, .size = g.size[v]};
    e->step[v] = i;
    e->work += 32 + g.size[v] * (4 + core->n[v]);
    if (e->work > most) return false;
    const uint64_t *set = set_of(&g, v);
    b->scope = ARENA_ARRAY(e->arena, uint32_t, MOST_SCOPE);
    for (uint32_t w = 0; w < g.words; w++)
      for (uint64_t rest = set[w]; rest; rest &= rest - 1)
        b->scope[b->n_scope++] = w * 64 + (uint32_t)__builtin_ctzll(rest);
    remove_var(core, &g, v, most);
  }
  return true;
}

// ---- buckets ----

static void sort_scope(const Elimination *e, Bucket *b) {
  for (uint32_t i = 1; i < b->n_scope; i++) {
    uint32_t v = b->scope[i], k = i;
    for (; k && e->step[b->scope[k - 1]] < e->step[v]; k--) b->scope[k] = b->scope[k - 1];
    b->scope[k] = v;
  }
}

static uint32_t place_in(const Bucket *b, uint32_t v) {
  uint32_t i = 0;
  while (b->scope[i] != v) i++;
  return i;
}

// The bucket in which a table with this scope is used: its innermost variable's.
static Bucket *user_of(Elimination *e, const Bucket *b) {
  return b->n_scope ? &e->buckets[e->step[b->scope[b->n_scope - 1]]] : NULL;
}

static void add_edge_part(Elimination *e, const CoreEdge *edge) {
  bool a_first = e->step[edge->a] < e->step[edge->b];
  uint32_t v = a_first ? edge->a : edge->b, other = a_first ? edge->b : edge->a;
  Bucket *b = &e->buckets[e->step[v]];
  Part *part = &b->parts[b->n_parts++];
  *part = (Part){.table = core_row(e->core, edge, v, 0), .child = NONE};
  part->stride[place_in(b, other)] = core_padded(e->core->n[v]);
}

static void add_table_part(Elimination *e, uint32_t step) {
  const Bucket *child = &e->buckets[step];
  Bucket *b = user_of(e, child);
  if (!b) return;
  Part *part = &b->parts[b->n_parts++];
  *part = (Part){.table = child->table, .child = step};
  size_t stride = 1;
  for (uint32_t i = child->n_scope; i-- > 0;) {
    if (child->scope[i] != b->var) part->stride[place_in(b, child->scope[i])] = stride;
    stride *= e->core->n[child->scope[i]];
  }
}

static bool make_buckets(Elimination *e) {
  const Core *core = e->core;
  uint32_t *parts = ARENA_ARRAY(e->arena, uint32_t, core->n_vars);
  for (uint32_t i = 0; i < core->n_vars; i++) sort_scope(e, &e->buckets[i]);
  for (uint32_t i = 0; i < core->n_edges; i++) {
    uint32_t a = e->step[core->edges[i].a], b = e->step[core->edges[i].b];
    parts[a < b ? a : b]++;
  }
  for (uint32_t i = 0; i < core->n_vars; i++) {
    Bucket *b = user_of(e, &e->buckets[i]);
    if (b) parts[b - e->buckets]++;
  }
  for (uint32_t i = 0; i < core->n_vars; i++) {
    Bucket *b = &e->buckets[i];
    if (parts[i] > MOST_PARTS) return false;
    b->parts = ARENA_ARRAY(e->arena, Part, parts[i] + 1);
    b->table = arena_alloc(e->arena, b->size * sizeof *b->table);
  }
  for (uint32_t i = 0; i < core->n_edges; i++) add_edge_part(e, &core->edges[i]);
  for (uint32_t i = 0; i < core->n_vars; i++) add_table_part(e, i);
  return true;
}

static double largest_sum(const Core *core) { return 1000 * core->scale; }

Elimination *elimination_new(const Core *core, uint64_t most_work, Arena *arena) {
  if (core->n_vars > MOST_VARS || largest_sum(core) > MOST_COST) return NULL;
  ArenaMark mark = arena_mark(arena);
  Elimination *e = ARENA_NEW(arena, Elimination);
  e->core = core;
  e->arena = arena;
  e->buckets = ARENA_ARRAY(arena, Bucket, core->n_vars);
  e->step = ARENA_ARRAY(arena, uint32_t, core->n_vars);
  e->row = ARENA_ARRAY(arena, double, core->most_states + 1);
  e->sum = ARENA_ARRAY(arena, double, core->most_states + 1);
  e->place = ARENA_ARRAY(arena, uint32_t, MOST_SCOPE + 1);
  if (find_order(e, most_work) && make_buckets(e)) return e;
  arena_rewind(arena, mark);
  return NULL;
}

// ---- a run ----

VECTORIZE static double least_of_sum(const double *restrict a, const double *restrict b,
                                     uint32_t n) {
  double least[4] = {INFINITY, INFINITY, INFINITY, INFINITY};
  uint32_t p = 0;
  for (; p + 4 <= n; p += 4)
    for (uint32_t k = 0; k < 4; k++) {
      double x = a[p + k] + b[p + k];
      least[k] = x < least[k] ? x : least[k];
    }
  for (; p < n; p++) {
    double x = a[p] + b[p];
    least[0] = x < least[0] ? x : least[0];
  }
  double x = least[0] < least[1] ? least[0] : least[1];
  double y = least[2] < least[3] ? least[2] : least[3];
  return x < y ? x : y;
}

static void add_row(double *restrict to, const double *restrict from, uint32_t n) {
  for (uint32_t p = 0; p < n; p++) to[p] += from[p];
}

// Counts through the scope's first `n` variables, the last one fastest, and moves the parts'
// offsets along.
static void advance(const Elimination *e, const Bucket *b, uint32_t n, size_t *offset) {
  while (n-- > 0) {
    bool wraps = ++e->place[n] == e->core->n[b->scope[n]];
    size_t back = wraps ? e->place[n] : 0;
    for (uint32_t k = 0; k < b->n_parts; k++)
      offset[k] += b->parts[k].stride[n] - back * b->parts[k].stride[n];
    if (!wraps) return;
    e->place[n] = 0;
  }
}

static double least_of(const double *row, uint32_t n) {
  double least = row[0];
  for (uint32_t p = 1; p < n; p++) least = row[p] < least ? row[p] : least;
  return least;
}

// The least sum of `row` and the parts that depend on the innermost variable of the scope, at its
// strategy q.
static double least_at(const Elimination *e, const Bucket *b, const uint32_t *moving,
                       uint32_t n_moving, const size_t *offset, uint32_t q) {
  const double *base = e->row;
  uint32_t n = e->core->n[b->var], inner = b->n_scope ? b->n_scope - 1 : 0;
  double *sum = e->sum;
  for (uint32_t i = 0; i < n_moving; i++) {
    const Part *part = &b->parts[moving[i]];
    const double *from = part->table + offset[moving[i]] + q * part->stride[inner];
    if (i + 1 == n_moving) return least_of_sum(base, from, n);
    for (uint32_t p = 0; p < n; p++) sum[p] = base[p] + from[p];
    base = sum;
  }
  return least_of(base, n);
}

// The parts that do not depend on the innermost variable of the scope are added once for all its
// strategies.
static void run_bucket(const Elimination *e, const Bucket *b, const double *unary) {
  const Core *core = e->core;
  uint32_t n = core->n[b->var], outer = b->n_scope ? b->n_scope - 1 : 0;
  uint32_t inner = b->n_scope ? core->n[b->scope[outer]] : 1;
  uint32_t moving[MOST_PARTS], n_moving = 0;
  size_t offset[MOST_PARTS] = {0};
  for (uint32_t k = 0; k < b->n_parts; k++)
    if (b->parts[k].stride[outer]) moving[n_moving++] = k;
  memset(e->place, 0, (MOST_SCOPE + 1) * sizeof *e->place);
  for (size_t at = 0; at < b->size;) {
    memcpy(e->row, unary + core->first[b->var], n * sizeof *e->row);
    for (uint32_t k = 0; k < b->n_parts; k++)
      if (!b->parts[k].stride[outer]) add_row(e->row, b->parts[k].table + offset[k], n);
    for (uint32_t q = 0; q < inner; q++)
      b->table[at++] = least_at(e, b, moving, n_moving, offset, q);
    advance(e, b, outer, offset);
  }
}

// The bucket's sums for all strategies of its variable, its scope as in x.
static void sums_at(const Elimination *e, const Bucket *b, const double *unary, const uint32_t *x) {
  uint32_t n = e->core->n[b->var];
  memcpy(e->row, unary + e->core->first[b->var], n * sizeof *e->row);
  for (uint32_t k = 0; k < b->n_parts; k++) {
    size_t offset = 0;
    for (uint32_t i = 0; i < b->n_scope; i++) offset += b->parts[k].stride[i] * x[b->scope[i]];
    add_row(e->row, b->parts[k].table + offset, n);
  }
}

double elimination_run(Elimination *e, const double *unary, uint32_t *out_x) {
  double sum = 0;
  for (uint32_t i = 0; i < e->core->n_vars; i++) {
    run_bucket(e, &e->buckets[i], unary);
    if (!e->buckets[i].n_scope) sum += e->buckets[i].table[0];
  }
  for (uint32_t i = e->core->n_vars; i-- > 0;) {
    const Bucket *b = &e->buckets[i];
    uint32_t best = 0;
    sums_at(e, b, unary, out_x);
    for (uint32_t p = 1; p < e->core->n[b->var]; p++)
      if (e->row[p] < e->row[best]) best = p;
    out_x[b->var] = best;
  }
  return sum;
}

// ---- marginals ----

// Entry `at` of the bucket: adds what is outside, and passes it down to the tables that it uses.
static void spread(const Elimination *e, const Bucket *b, size_t at, const size_t *offset,
                   double *least) {
  for (uint32_t p = 0; p < e->core->n[b->var]; p++) {
    double sum = e->row[p] + b->down[at];
    if (sum < least[p]) least[p] = sum;
    if (sum >= CORE_BROKEN) continue;
    for (uint32_t k = 0; k < b->n_parts; k++) {
      const Part *part = &b->parts[k];
      if (part->child == NONE) continue;
      double *down = &e->buckets[part->child].down[offset[k] + p];
      double rest = sum - part->table[offset[k] + p];
      if (rest < *down) *down = rest;
    }
  }
}

static void spread_bucket(const Elimination *e, const Bucket *b, const double *unary,
                          double *least) {
  uint32_t n = e->core->n[b->var];
  size_t offset[MOST_PARTS] = {0};
  memset(e->place, 0, (MOST_SCOPE + 1) * sizeof *e->place);
  for (size_t at = 0; at < b->size; at++) {
    memcpy(e->row, unary + e->core->first[b->var], n * sizeof *e->row);
    for (uint32_t k = 0; k < b->n_parts; k++) add_row(e->row, b->parts[k].table + offset[k], n);
    spread(e, b, at, offset, least);
    advance(e, b, b->n_scope, offset);
  }
}

void elimination_marginals(Elimination *e, const double *unary, double *out_least) {
  const Core *core = e->core;
  double roots = 0;
  for (uint32_t i = 0; i < core->n_vars; i++) {
    Bucket *b = &e->buckets[i];
    if (!b->down) b->down = arena_alloc(e->arena, b->size * sizeof *b->down);
    for (size_t k = 0; k < b->size; k++) b->down[k] = INFINITY;
    if (!b->n_scope) roots += b->table[0];
  }
  for (uint32_t s = 0; s < core->n_states; s++) out_least[s] = INFINITY;
  for (uint32_t i = core->n_vars; i-- > 0;) {
    Bucket *b = &e->buckets[i];
    if (!b->n_scope) b->down[0] = roots - b->table[0];  // the other components
    spread_bucket(e, b, unary, out_least + core->first[b->var]);
  }
}
