// Lossless reductions, repeated until none applies:
//
//   arc consistency      a strategy all of whose entries on one edge are forbidden goes
//   parallel edges       two matrices of the same pair become their sum
//   additive edges       m[p][q] = a[p] + b[q] goes into the costs of the two variables
//   functional edges     one allowed entry per row: the column variable is a function of the row
//                        variable; its costs, edges and bytes move there ("contraction")
//   dominated strategies q costs no more than p whatever the neighbours choose (dead-end
//                        elimination by Goldstein, 1994) and never needs more bytes
//   memory               a strategy that exceeds the limit although all others take their least
//
// The first four look at one edge at a time, from a queue: an edge returns when its matrix or the
// strategies of its ends change. The last two need the bytes of contracted variables, so they run
// when the queue is empty; what they remove refills it. Model layers that are tied to each other
// contract to one copy: 65,000 variables become 200.
//
// Undo: a contracted variable keeps its parent and the map from the parent's strategies to its own.
// A parent is always contracted later than its child, so expanding goes backwards.
//
// Invariant: strategies keep their numbers until the core is built; dead ones are marked.
#include "solve/reduce.h"

#include <string.h>

#include "solve/reduce_memory.h"
#include "solve/reduce_points.h"
#include "solve/reduce_private.h"
#include "solve/vectorize.h"

// MOST_WORK: entries read to compare the strategies of one variable.
enum { SMALL_MATRIX = 4096, MOST_ROUNDS = 12, MOST_WORK = 1 << 24 };

#define NONE UINT32_MAX

static int64_t add(int64_t a, int64_t b) {
  return a == CORE_FORBIDDEN || b == CORE_FORBIDDEN ? CORE_FORBIDDEN : a + b;
}

// ---- matrices, recycled by size ----

static Matrix *matrix_new(Reduction *r, uint32_t rows, uint32_t columns) {
  uint64_t n = (uint64_t)rows * columns;
  Matrix *m = n < SMALL_MATRIX ? r->spare[n] : NULL;
  if (m)
    r->spare[n] = m->next_spare;
  else
    m = arena_alloc(r->arena, sizeof(Matrix) + n * sizeof(int64_t));
  m->refs = 1;
  m->traits = 0;
  m->all_allowed = false;
  m->rows = rows, m->columns = columns;
  return m;
}

static void matrix_drop(Reduction *r, Matrix *m) {
  uint64_t n = (uint64_t)m->rows * m->columns;
  if (--m->refs || n >= SMALL_MATRIX) return;
  m->next_spare = r->spare[n];
  r->spare[n] = m;
}

static Matrix *matrix_transpose(Reduction *r, const Matrix *m) {
  Matrix *t = matrix_new(r, m->columns, m->rows);
  for (uint32_t p = 0; p < m->rows; p++)
    for (uint32_t q = 0; q < m->columns; q++) t->at[q * t->columns + p] = m->at[p * m->columns + q];
  return t;
}

// ---- properties of shared matrices ----

static uint32_t supports(const Matrix *m, uint32_t *columns_of) {
  uint32_t traits = TRAIT_SUPPORTED | TRAIT_ROW_FUNCTION | TRAIT_COLUMN_FUNCTION;
  bool diagonal = m->rows == m->columns;
  memset(columns_of, 0, m->columns * sizeof *columns_of);
  for (uint32_t p = 0; p < m->rows; p++) {
    const int64_t *row = m->at + (uint64_t)p * m->columns;
    uint32_t count = 0;
    for (uint32_t q = 0; q < m->columns; q++) {
      bool allowed = row[q] != CORE_FORBIDDEN;
      count += allowed, columns_of[q] += allowed;
    }
    if (count == 0) traits &= ~(uint32_t)TRAIT_SUPPORTED;
    if (count != 1) traits &= ~(uint32_t)TRAIT_ROW_FUNCTION;
    diagonal = diagonal && row[p] != CORE_FORBIDDEN;
  }
  for (uint32_t q = 0; q < m->columns; q++) {
    if (columns_of[q] == 0) traits &= ~(uint32_t)TRAIT_SUPPORTED;
    if (columns_of[q] != 1) traits &= ~(uint32_t)TRAIT_COLUMN_FUNCTION;
  }
  if (diagonal && traits & TRAIT_ROW_FUNCTION) traits |= TRAIT_IDENTITY;
  return traits;
}

static bool all_additive(const Matrix *m) {
  const int64_t *base = m->at;
  for (uint32_t p = 0; p < m->rows; p++) {
    const int64_t *row = m->at + (uint64_t)p * m->columns;
    for (uint32_t q = 0; q < m->columns; q++)
      if (row[q] == CORE_FORBIDDEN || row[q] - row[0] != base[q] - base[0]) return false;
  }
  return true;
}

static uint32_t matrix_traits(Matrix *m, uint32_t *columns_of) {
  if (m->traits) return m->traits;
  m->traits = TRAIT_KNOWN | supports(m, columns_of);
  if (all_additive(m)) m->traits |= TRAIT_ADDITIVE;
  return m->traits;
}

// ---- the graph ----

static void enqueue(Reduction *r, uint32_t e) {
  if (r->edges[e].queued || !r->edges[e].m) return;
  r->edges[e].queued = true;
  r->vars[r->edges[e].a].changed = r->vars[r->edges[e].b].changed = true;
  VEC_PUSH(r->arena, &r->queue, e);
}

static void enqueue_around(Reduction *r, uint32_t v) {
  for (uint32_t i = 0; i < r->vars[v].edges.count; i++) enqueue(r, r->vars[v].edges.items[i]);
}

static void edge_drop(Reduction *r, uint32_t e) {
  matrix_drop(r, r->edges[e].m);
  r->edges[e].m = NULL;
}

// Removes dropped and moved edges from the list.
static void prune_edges(Reduction *r, uint32_t v) {
  EdgeList *list = &r->vars[v].edges;
  uint32_t n = 0;
  for (uint32_t i = 0; i < list->count; i++) {
    const ReduceEdge *e = &r->edges[list->items[i]];
    if (e->m && (e->a == v || e->b == v)) list->items[n++] = list->items[i];
  }
  r->vars[v].pruned = list->count = n;
}

// Prunes a list that has doubled: O(1) per edge that was added.
static void prune_long(Reduction *r, uint32_t v) {
  if (r->vars[v].edges.count > 2 * r->vars[v].pruned + 8) prune_edges(r, v);
}

static uint64_t pair_of(uint32_t a, uint32_t b) {
  return a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
}

// Neighbouring variables have neighbouring slots, which the cache likes: a layer's edges follow
// each other. A variable with many edges fills its own few and goes on at a mixed place.
static PairSlot *pair_slot(const PairMap *map, uint64_t pair) {
  enum { NEAR = 8 };
  uint32_t mask = map->capacity - 1, mixed = (uint32_t)hash_mix(pair, 0);
  uint32_t near = (uint32_t)(pair >> 32) * 4 + mixed % 4;
  for (uint32_t i = 0;; i++) {
    PairSlot *slot = &map->slots[(i < NEAR ? near + i : mixed + i) & mask];
    if (slot->pair == pair || slot->pair == UINT64_MAX) return slot;
  }
}

static void pair_grow(Reduction *r) {
  PairMap old = r->pairs, *map = &r->pairs;
  if (map->count < map->capacity / 2) return;
  map->capacity = old.capacity ? 2 * old.capacity : 16;
  while (map->capacity < 2 * r->n_edges) map->capacity *= 2;
  map->slots = arena_alloc(r->arena, map->capacity * sizeof *map->slots);
  memset(map->slots, 0xFF, map->capacity * sizeof *map->slots);
  for (uint32_t i = 0; i < old.capacity; i++)
    if (old.slots[i].pair != UINT64_MAX) *pair_slot(map, old.slots[i].pair) = old.slots[i];
}

// sum = a + b, or a + b transposed; sum may be a. Repeated layers add the same matrices a thousand
// times, mostly without forbidden entries: that loop vectorizes.
VECTORIZE static void add_matrices(Matrix *sum, const Matrix *a, const Matrix *b, bool same) {
  uint32_t rows = sum->rows, columns = sum->columns;
  sum->traits = 0;
  sum->all_allowed = a->all_allowed && b->all_allowed;
  if (same && sum->all_allowed) {
    for (uint32_t i = 0; i < rows * columns; i++) sum->at[i] = a->at[i] + b->at[i];
    return;
  }
  for (uint32_t p = 0; p < rows; p++)
    for (uint32_t q = 0; q < columns; q++) {
      int64_t other = same ? b->at[p * columns + q] : b->at[q * rows + p];
      sum->at[p * columns + q] = add(a->at[p * columns + q], other);
    }
}

// Adds edge e to another edge of the same pair, if there is one.
static bool merge_parallel(Reduction *r, uint32_t e) {
  ReduceEdge *from = &r->edges[e];
  uint64_t pair = pair_of(from->a, from->b);
  pair_grow(r);
  PairSlot *slot = pair_slot(&r->pairs, pair);
  if (slot->pair == UINT64_MAX) r->pairs.count++, slot->pair = pair, slot->edge = e;
  ReduceEdge *to = &r->edges[slot->edge];
  if (slot->edge == e || !to->m || pair_of(to->a, to->b) != pair) {
    slot->edge = e;
    return false;
  }
  Matrix *old = to->m, *sum = old;
  if (old->refs > 1) sum = matrix_new(r, old->rows, old->columns);
  add_matrices(sum, old, from->m, from->a == to->a);
  if (sum != old) matrix_drop(r, old);
  to->m = sum;
  edge_drop(r, e);
  r->counts.parallel++;
  enqueue(r, slot->edge);
  return true;
}

void reduce_kill(Reduction *r, uint32_t v, uint32_t p) {
  ReduceVar *var = &r->vars[v];
  var->cost[p] = CORE_FORBIDDEN;
  if (--var->alive == 0) r->infeasible = true;
  enqueue_around(r, v);
}

// ---- the rules of one edge ----

// Per strategy of both ends: number of allowed entries, and the last one.
typedef struct Support {
  uint32_t *rows, *columns, *row_at, *column_at;
} Support;

static void count_support(const Reduction *r, const ReduceEdge *e, const Support *s) {
  const int64_t *a = r->vars[e->a].cost, *b = r->vars[e->b].cost;
  uint32_t columns = e->m->columns;
  memset(s->rows, 0, e->m->rows * sizeof *s->rows);
  memset(s->columns, 0, columns * sizeof *s->columns);
  for (uint32_t p = 0; p < e->m->rows; p++) {
    if (a[p] == CORE_FORBIDDEN) continue;
    const int64_t *row = e->m->at + (uint64_t)p * columns;
    for (uint32_t q = 0; q < columns; q++) {
      if (b[q] == CORE_FORBIDDEN || row[q] == CORE_FORBIDDEN) continue;
      s->rows[p]++, s->row_at[p] = q;
      s->columns[q]++, s->column_at[q] = p;
    }
  }
}

static bool kill_unsupported(Reduction *r, uint32_t v, const uint32_t *support) {
  bool any = false;
  for (uint32_t p = 0; p < r->vars[v].n; p++)
    if (r->vars[v].cost[p] != CORE_FORBIDDEN && !support[p]) {
      reduce_kill(r, v, p);
      r->counts.impossible++;
      any = true;
    }
  return any;
}

static bool all_one(const Reduction *r, uint32_t v, const uint32_t *support) {
  for (uint32_t p = 0; p < r->vars[v].n; p++)
    if (r->vars[v].cost[p] != CORE_FORBIDDEN && support[p] != 1) return false;
  return true;
}

static bool is_full(const Reduction *r, const ReduceEdge *e, const Support *s) {
  for (uint32_t p = 0; p < e->m->rows; p++)
    if (r->vars[e->a].cost[p] != CORE_FORBIDDEN && s->rows[p] != r->vars[e->b].alive) return false;
  return true;
}

static uint32_t first_alive(const Reduction *r, uint32_t v) {
  uint32_t p = 0;
  while (r->vars[v].cost[p] == CORE_FORBIDDEN) p++;
  return p;
}

// A full matrix is additive if every row differs from the first by a constant.
static bool is_additive(const Reduction *r, const ReduceEdge *e, uint32_t p0, uint32_t q0) {
  const int64_t *a = r->vars[e->a].cost, *b = r->vars[e->b].cost;
  uint32_t columns = e->m->columns;
  const int64_t *base = e->m->at + (uint64_t)p0 * columns;
  for (uint32_t p = 0; p < e->m->rows; p++) {
    if (a[p] == CORE_FORBIDDEN) continue;
    const int64_t *row = e->m->at + (uint64_t)p * columns;
    for (uint32_t q = 0; q < columns; q++)
      if (b[q] != CORE_FORBIDDEN && row[q] - row[q0] != base[q] - base[q0]) return false;
  }
  return true;
}

static void drop_additive(Reduction *r, uint32_t at, uint32_t p0, uint32_t q0) {
  ReduceEdge *e = &r->edges[at];
  int64_t *a = r->vars[e->a].cost, *b = r->vars[e->b].cost;
  uint32_t columns = e->m->columns;
  const int64_t *base = e->m->at + (uint64_t)p0 * columns;
  for (uint32_t p = 0; p < e->m->rows; p++)
    if (a[p] != CORE_FORBIDDEN) a[p] += e->m->at[(uint64_t)p * columns + q0];
  for (uint32_t q = 0; q < columns; q++)
    if (b[q] != CORE_FORBIDDEN) b[q] += base[q] - base[q0];
  r->vars[e->a].changed = r->vars[e->b].changed = true;
  edge_drop(r, at);
  r->counts.additive++;
}

// Rows of edge e become strategies of `parent`: row p of the new matrix is row map[p] of the old.
static void map_rows(Reduction *r, ReduceEdge *e, uint32_t child, uint32_t parent,
                     const uint32_t *map) {
  Matrix *old = e->m;
  if (e->b == child) {
    Matrix *t = matrix_transpose(r, old);
    matrix_drop(r, old);
    old = t;
    e->b = e->a;
  }
  uint32_t columns = old->columns, rows = r->vars[parent].n;
  e->a = parent;
  e->m = matrix_new(r, rows, columns);
  for (uint32_t p = 0; p < rows; p++)
    if (map[p] == NONE)
      for (uint32_t q = 0; q < columns; q++) e->m->at[(uint64_t)p * columns + q] = CORE_FORBIDDEN;
    else
      memcpy(e->m->at + (uint64_t)p * columns, old->at + (uint64_t)map[p] * columns,
             columns * sizeof(int64_t));
  matrix_drop(r, old);
}

static void move_edge(Reduction *r, uint32_t at, uint32_t child, uint32_t parent,
                      const uint32_t *map) {
  ReduceEdge *e = &r->edges[at];
  if (map)
    map_rows(r, e, child, parent, map);
  else if (e->a == child)
    e->a = parent;
  else
    e->b = parent;
  if (merge_parallel(r, at)) return;
  VEC_PUSH(r->arena, &r->vars[parent].edges, at);
  enqueue(r, at);
}

// The child takes strategy support[p] when the parent takes p; NULL: the same strategy, all alive.
static void contract(Reduction *r, uint32_t at, uint32_t parent, uint32_t child,
                     const uint32_t *support) {
  ReduceVar *up = &r->vars[parent], *down = &r->vars[child];
  const ReduceEdge *e = &r->edges[at];
  uint32_t *map = support ? arena_alloc(r->arena, up->n * sizeof *map) : NULL;
  uint32_t columns = e->m->columns;
  for (uint32_t p = 0; p < up->n; p++) {
    if (map) map[p] = up->cost[p] == CORE_FORBIDDEN ? NONE : support[p];
    uint32_t q = map ? map[p] : p;
    if (q == NONE) continue;
    int64_t entry =
        e->a == parent ? e->m->at[(uint64_t)p * columns + q] : e->m->at[(uint64_t)q * columns + p];
    up->cost[p] += entry + down->cost[q];
  }
  edge_drop(r, at);
  prune_edges(r, child);
  prune_long(r, parent);
  up->changed = true;
  down->parent = parent;
  down->map = map;
  VEC_PUSH(r->arena, &r->contracted, child);
  for (uint32_t i = 0; i < down->edges.count; i++)
    move_edge(r, down->edges.items[i], child, parent, map);
  down->edges.count = 0;
  r->counts.contracted++;
}

// If either end determines the other, the one with fewer edges moves.
static void contract_edge(Reduction *r, uint32_t at, const Support *s, bool down, bool up) {
  uint32_t a = r->edges[at].a, b = r->edges[at].b;
  bool b_goes = down && (!up || r->vars[b].edges.count <= r->vars[a].edges.count);
  if (b_goes)
    contract(r, at, a, b, s ? s->row_at : NULL);
  else
    contract(r, at, b, a, s ? s->column_at : NULL);
}

// An edge whose ends have all their strategies: its matrix, which many share, is known.
static bool check_shared(Reduction *r, uint32_t at, const Support *s) {
  const ReduceEdge *e = &r->edges[at];
  if (r->vars[e->a].alive < r->vars[e->a].n || r->vars[e->b].alive < r->vars[e->b].n) return false;
  uint32_t traits = matrix_traits(e->m, s->columns);
  if (!(traits & TRAIT_SUPPORTED)) return false;
  bool down = traits & TRAIT_ROW_FUNCTION, up = traits & TRAIT_COLUMN_FUNCTION;
  if (!r->options.no_contraction && (down || up)) {
    if (!(traits & TRAIT_IDENTITY)) count_support(r, e, s);
    contract_edge(r, at, traits & TRAIT_IDENTITY ? NULL : s, down, up);
  } else if (traits & TRAIT_ADDITIVE) {
    drop_additive(r, at, 0, 0);
  }
  return true;
}

static void check_edge(Reduction *r, uint32_t at, const Support *s) {
  ReduceEdge *e = &r->edges[at];
  uint32_t a = e->a, b = e->b;
  if (check_shared(r, at, s)) return;
  count_support(r, e, s);
  bool killed = kill_unsupported(r, a, s->rows);
  killed |= kill_unsupported(r, b, s->columns);
  if (r->infeasible || killed) return;  // killing put the edge into the queue again
  bool down = all_one(r, a, s->rows), up = all_one(r, b, s->columns);
  if (!r->options.no_contraction && (down || up)) {
    contract_edge(r, at, s, down, up);
    return;
  }
  uint32_t p0 = first_alive(r, a), q0 = first_alive(r, b);
  if (is_full(r, e, s) && is_additive(r, e, p0, q0)) drop_additive(r, at, p0, q0);
}

static void run_queue(Reduction *r) {
  Support s = {ARENA_ARRAY(r->arena, uint32_t, r->most), ARENA_ARRAY(r->arena, uint32_t, r->most),
               ARENA_ARRAY(r->arena, uint32_t, r->most), ARENA_ARRAY(r->arena, uint32_t, r->most)};
  for (uint32_t i = 0; i < r->queue.count && !r->infeasible; i++) {
    uint32_t e = r->queue.items[i];
    r->edges[e].queued = false;
    if (r->edges[e].m) check_edge(r, e, &s);
  }
  r->queue.count = 0;
}

// ---- dominated strategies ----

// The most that taking q instead of p costs on an edge, over the neighbour's strategies.
// CORE_FORBIDDEN: q forbids one that p allows.
static int64_t worst_difference(const Reduction *r, const ReduceEdge *e, uint32_t v, uint32_t p,
                                uint32_t q) {
  bool rows = e->a == v;
  const int64_t *cost = r->vars[rows ? e->b : e->a].cost;
  uint64_t columns = e->m->columns, n = rows ? columns : e->m->rows, step = rows ? 1 : columns;
  const int64_t *of_p = e->m->at + (rows ? p * columns : p);
  const int64_t *of_q = e->m->at + (rows ? q * columns : q);
  int64_t worst = INT64_MIN;
  for (uint64_t i = 0; i < n; i++) {
    if (cost[i] == CORE_FORBIDDEN || of_p[i * step] == CORE_FORBIDDEN) continue;
    if (of_q[i * step] == CORE_FORBIDDEN) return CORE_FORBIDDEN;
    int64_t difference = of_q[i * step] - of_p[i * step];
    if (difference > worst) worst = difference;
  }
  return worst;
}

// Per edge of v: where p costs least there, among the neighbour's strategies; NONE: p allows none.
// Another strategy is likely to cost more just there.
static void find_partners(const Reduction *r, uint32_t v, uint32_t p, uint32_t *out) {
  const EdgeList *edges = &r->vars[v].edges;
  for (uint32_t k = 0; k < edges->count; k++) {
    const ReduceEdge *e = &r->edges[edges->items[k]];
    bool rows = e->a == v;
    const int64_t *cost = r->vars[rows ? e->b : e->a].cost;
    uint64_t columns = e->m->columns, n = rows ? columns : e->m->rows, step = rows ? 1 : columns;
    const int64_t *of_p = e->m->at + (rows ? p * columns : p);
    int64_t least = CORE_FORBIDDEN;
    out[k] = NONE;
    for (uint64_t i = 0; i < n; i++)
      if (cost[i] != CORE_FORBIDDEN && of_p[i * step] < least)
        least = of_p[i * step], out[k] = (uint32_t)i;
  }
}

// What q costs more than p at the partner that p has on an edge: at most worst_difference.
static int64_t difference_at(const ReduceEdge *e, uint32_t v, uint32_t p, uint32_t q,
                             uint32_t partner) {
  uint64_t columns = e->m->columns;
  if (partner == NONE) return 0;
  const int64_t *at = e->m->at + (e->a == v ? partner : partner * columns);
  uint64_t step = e->a == v ? columns : 1;
  if (at[q * step] == CORE_FORBIDDEN) return CORE_FORBIDDEN;
  return at[q * step] - at[p * step];
}

// Most strategies dominate no other one. So the differences at one partner per edge are summed
// first; then each is replaced by the worst one, as long as the sum allows it.
static bool dominates(const Reduction *r, uint32_t v, uint32_t q, uint32_t p,
                      const uint32_t *partners) {
  const ReduceVar *var = &r->vars[v];
  Wide sum = (Wide)var->cost[q] - var->cost[p];
  for (uint32_t i = 0; i < var->edges.count; i++) {
    const ReduceEdge *e = &r->edges[var->edges.items[i]];
    int64_t some = difference_at(e, v, p, q, partners[i]);
    if (some == CORE_FORBIDDEN) return false;
    sum += some;
  }
  if (sum > 0 || !reduce_fewer_bytes(r, v, q, p)) return false;
  for (uint32_t i = 0; i < var->edges.count; i++) {
    const ReduceEdge *e = &r->edges[var->edges.items[i]];
    int64_t worst = worst_difference(r, e, v, p, q);
    if (worst == CORE_FORBIDDEN) return false;
    if (worst != INT64_MIN) sum += worst - difference_at(e, v, p, q, partners[i]);
    if (sum > 0) return false;
  }
  return true;
}

static bool is_dominated(const Reduction *r, uint32_t v, uint32_t p, uint32_t *partners) {
  const ReduceVar *var = &r->vars[v];
  find_partners(r, v, p, partners);
  for (uint32_t q = 0; q < var->n; q++)
    if (q != p && var->cost[q] != CORE_FORBIDDEN && dominates(r, v, q, p, partners)) return true;
  return false;
}

// Entries that comparing all pairs of strategies reads, at most.
static uint64_t dominance_work(const Reduction *r, uint32_t v) {
  const ReduceVar *var = &r->vars[v];
  uint64_t entries = 1;
  for (uint32_t i = 0; i < var->edges.count; i++) {
    const Matrix *m = r->edges[var->edges.items[i]].m;
    entries += (uint64_t)m->rows * m->columns / var->n;
  }
  return entries * var->alive * var->alive;
}

// Looks only at variables whose surroundings changed since the last time.
static bool kill_dominated(Reduction *r) {
  uint32_t before = r->counts.dominated, room = 0;
  uint32_t *partners = NULL;
  for (uint32_t v = 0; v < r->n_vars; v++) {
    ReduceVar *var = &r->vars[v];
    if (var->parent != NONE || var->alive < 2 || !var->changed) continue;
    prune_edges(r, v);
    var->changed = false;
    if (dominance_work(r, v) > MOST_WORK) continue;
    if (var->edges.count >= room)
      partners = ARENA_ARRAY(r->arena, uint32_t, room = 2 * var->edges.count + 16);
    for (uint32_t p = 0; p < r->vars[v].n && r->vars[v].alive > 1; p++)
      if (r->vars[v].cost[p] != CORE_FORBIDDEN && is_dominated(r, v, p, partners)) {
        reduce_kill(r, v, p);
        r->counts.dominated++;
      }
  }
  return r->counts.dominated != before;
}

// ---- setting up, running, expanding ----

static Matrix *wrap_matrix(Reduction *r, const PlanEdge *edge, Matrix **of) {
  const Problem *problem = r->problem;
  Matrix *m = of[edge->matrix];
  uint32_t rows = problem->vars.items[edge->a].n, columns = problem->vars.items[edge->b].n;
  if (m && m->rows == rows) {
    m->refs++;
    return m;
  }
  m = matrix_new(r, rows, columns);
  m->refs++;  // the table keeps it
  const int64_t *entries = problem_entries(problem, edge->matrix);
  m->all_allowed = true;
  for (uint32_t i = 0; i < rows * columns; i++) {
    bool forbidden = entries[i] >= PLAN_FORBIDDEN;
    m->at[i] = forbidden ? CORE_FORBIDDEN : entries[i];
    if (forbidden) m->all_allowed = false;
  }
  return of[edge->matrix] = m;
}

static void add_vars(Reduction *r) {
  const Problem *problem = r->problem;
  for (uint32_t v = 0; v < r->n_vars; v++) {
    const PlanVar *from = &problem->vars.items[v];
    ReduceVar *var = &r->vars[v];
    *var = (ReduceVar){.n = from->n, .parent = NONE, .changed = true};
    var->cost = arena_copy(r->arena, problem->costs.items + from->first, from->n * sizeof(int64_t));
    for (uint32_t p = 0; p < var->n; p++)
      if (var->cost[p] >= PLAN_FORBIDDEN)
        var->cost[p] = CORE_FORBIDDEN;
      else
        var->alive++;
    if (r->options.fix && r->options.fixed_var == v)
      for (uint32_t p = 0; p < var->n; p++)
        if (p != r->options.fixed_strategy && var->cost[p] != CORE_FORBIDDEN)
          var->cost[p] = CORE_FORBIDDEN, var->alive--;
    if (!var->alive) r->infeasible = true;
    if (var->n > r->most) r->most = var->n;
  }
}

// Room for every variable's edges in one array.
static void reserve_edges(Reduction *r) {
  const Problem *problem = r->problem;
  uint32_t *room = arena_alloc(r->arena, (2 * (size_t)r->n_edges + 1) * sizeof *room);
  for (uint32_t e = 0; e < r->n_edges; e++) {
    r->vars[problem->edges.items[e].a].edges.capacity++;
    r->vars[problem->edges.items[e].b].edges.capacity++;
  }
  for (uint32_t v = 0; v < r->n_vars; v++) {
    r->vars[v].edges.items = room;
    room += r->vars[v].edges.capacity;
  }
}

// Edges that contract go first: then the copies of a layer are one before other rules look at them.
static void add_edges(Reduction *r) {
  const Problem *problem = r->problem;
  Matrix **of = ARENA_ARRAY(r->arena, Matrix *, problem->matrices.count);
  uint32_t *columns_of = ARENA_ARRAY(r->arena, uint32_t, r->most);
  reserve_edges(r);
  for (uint32_t e = 0; e < r->n_edges; e++) {
    const PlanEdge *from = &problem->edges.items[e];
    r->edges[e] = (ReduceEdge){from->a, from->b, wrap_matrix(r, from, of), false};
    if (merge_parallel(r, e)) continue;
    VEC_PUSH(r->arena, &r->vars[from->a].edges, e);
    VEC_PUSH(r->arena, &r->vars[from->b].edges, e);
    if (matrix_traits(r->edges[e].m, columns_of) & (TRAIT_ROW_FUNCTION | TRAIT_COLUMN_FUNCTION))
      enqueue(r, e);
  }
  for (uint32_t e = 0; e < r->n_edges; e++) enqueue(r, e);
}

static void run_rules(Reduction *r) {
  for (uint32_t round = 0; round < MOST_ROUNDS; round++) {
    run_queue(r);
    if (r->infeasible) return;
    reduce_memory_items(r);
    if (!r->options.no_memory) reduce_points(r);
    bool again = !r->options.no_memory && !r->options.any_limit && reduce_kill_by_memory(r);
    if (r->infeasible) return;
    if (!again && !r->options.no_dominance) again = kill_dominated(r);
    if (!again) return;
  }
  run_queue(r);
  if (!r->infeasible) reduce_memory_items(r);
}

void reduce_problem(const Problem *problem, const ReduceOptions *options, Arena *arena,
                    Reduction **out, bool *out_infeasible) {
  Reduction *r = ARENA_NEW(arena, Reduction);
  r->problem = problem;
  r->arena = arena;
  if (options) r->options = *options;
  r->n_vars = problem->vars.count;
  r->n_edges = problem->edges.count;
  r->vars = ARENA_ARRAY(arena, ReduceVar, r->n_vars);
  r->edges = ARENA_ARRAY(arena, ReduceEdge, r->n_edges);
  r->spare = ARENA_ARRAY(arena, Matrix *, SMALL_MATRIX);
  add_vars(r);
  if (!r->infeasible) {
    add_edges(r);
    run_rules(r);
  }
  *out_infeasible = r->infeasible;
  *out = r;
  if (r->infeasible) return;
  for (uint32_t v = 0; v < r->n_vars; v++) prune_edges(r, v);
  reduce_build_core(r);
}

const Core *reduction_core(const Reduction *reduction) { return &reduction->core; }

ReduceCounts reduction_counts(const Reduction *reduction) { return reduction->counts; }

void reduction_expand(const Reduction *r, const uint32_t *core_choice, uint32_t *out_choice) {
  for (uint32_t i = 0; i < r->core.n_vars; i++)
    out_choice[r->core_var[i]] = r->core_strategy[r->core.first[i] + core_choice[i]];
  for (uint32_t v = 0; v < r->n_vars; v++)
    if (r->vars[v].parent == NONE && r->vars[v].alive == 1) out_choice[v] = first_alive(r, v);
  for (uint32_t i = r->contracted.count; i-- > 0;) {
    const ReduceVar *var = &r->vars[r->contracted.items[i]];
    uint32_t above = out_choice[var->parent];
    out_choice[r->contracted.items[i]] = var->map ? var->map[above] : above;
  }
}

void reduction_project(const Reduction *r, const uint32_t *choice, uint32_t *out) {
  const Core *core = &r->core;
  for (uint32_t v = 0; v < core->n_vars; v++) {
    uint32_t best = 0, strategy = choice[r->core_var[v]];
    for (uint32_t p = 0; p < core->n[v]; p++) {
      uint32_t s = core->first[v] + p;
      if (core->cost[s] < core->cost[core->first[v] + best]) best = p;
      if (r->core_strategy[s] != strategy) continue;
      best = p;
      break;
    }
    out[v] = best;
  }
}
