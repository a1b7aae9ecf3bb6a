// Problem: merge dimensions that factors tie together, but never two dimensions of one value.
//
// Idea: union-find over dimensions with disequalities. Elements are the dims of all places, and
// parts of dims that some op sees as a product. Each class has a list of classes that it must stay
// apart from (two dims of equal size in one value). A union moves the shorter list, and a hash set
// of pairs tells whether a union is allowed: O(n log n) in total.
//
// Products: a class has at most one list of parts. If a second list arrives (two reshapes, or a
// union), the two lists are united from the minor end; larger parts are split, which may unite more
// (worklist `pending`).
//
//   [24] = [4, 6] and [24] = [2, 12]      6 and 12: split 12 = 2 · 6; then 4 = 2 · 2
//
// Which union is refused depends on the order. The order is chosen so that attention is separated
// between keys and scores, in the forward and the backward pass:
//   1. nodes that keep shapes (elementwise ops, data flow)
//   2. factors that reach a result, except in nodes that would give a value one class twice
//   3. those nodes, and contracted factors
// Within a factor the oldest class wins: an argument's before that of an intermediate value.
//
// Invariant: no value has two dims in one class. Cost: O(n log n) in dims and occurrences.
#include "sharding/classes.h"

#include "base/idmap.h"

enum { MOST_RANK = 64, MOST_PAIRED = 64, MOST_GROUPS = 64 };
#define NOTHING UINT32_MAX
#define NO_NODE UINT32_MAX

typedef struct Apart {
  uint32_t other;  // an element of the other class
  uint32_t next;
} Apart;

typedef struct Occurrence {
  uint32_t tensor, dim;
} Occurrence;

// Properties of a map, computed once.
typedef struct Shape {
  bool keeps;      // all tensors have the same factors in the same dimensions
  bool products;   // some dimension has several factors
  uint32_t first;  // index in ranges: n_factors + 1 bounds into occurrences
  uint32_t pairs;  // index in same_size: factors of equal size in one tensor
  uint32_t n_pairs;
  uint32_t has_result;  // index in has_result, one entry per factor
} Shape;

typedef struct PartList {
  const uint32_t *v;  // elements, major to minor
  uint32_t n;
} PartList;

typedef struct Pending {
  PartList a, b;
  uint32_t node;
} Pending;

typedef struct Tie {
  uint32_t a, b;
} Tie;

typedef struct Builder {
  const ClassInput *in;
  Arena *arena;
  uint32_t n_dims;
  VEC(uint32_t) parent;  // per element, like the vectors below
  VEC(uint32_t) weight;
  VEC(uint32_t) eldest;
  VEC(int64_t) size;
  VEC(uint32_t) label;
  VEC(uint32_t) aparts;  // head of the apart list; NOTHING = empty
  VEC(uint32_t) n_aparts;
  VEC(PartList) parts;
  VEC(Apart) apart_pool;
  uint64_t *pairs;  // hash set of pairs of roots: smaller << 32 | larger; 0 = free
  uint32_t n_pairs, pair_capacity;
  VEC(Pending) pending;
  VEC(Tie) ties;
  VEC(ClassClash) clashes;
  bool families;  // the last pass, in which refusals are not recorded
  Shape *shapes;
  VEC(uint32_t) ranges;
  VEC(Occurrence) occurrences;
  VEC(Tie) same_size;
  VEC(bool) has_result;
  VEC(uint32_t) stamps;  // per element: last `stamp` that visited its class
  uint32_t stamp;
} Builder;

// Path halving.
static uint32_t root_of(Builder *b, uint32_t e) {
  uint32_t *parent = b->parent.items;
  while (parent[e] != e) e = parent[e] = parent[parent[e]];
  return e;
}

static uint32_t add_element(Builder *b, int64_t size, uint32_t label) {
  uint32_t e = b->parent.count;
  VEC_PUSH(b->arena, &b->parent, e);
  VEC_PUSH(b->arena, &b->weight, 1);
  VEC_PUSH(b->arena, &b->eldest, e);
  VEC_PUSH(b->arena, &b->size, size);
  VEC_PUSH(b->arena, &b->label, label);
  VEC_PUSH(b->arena, &b->aparts, NOTHING);
  VEC_PUSH(b->arena, &b->n_aparts, 0);
  VEC_PUSH(b->arena, &b->stamps, 0);
  PartList none = {0};
  VEC_PUSH(b->arena, &b->parts, none);
  return e;
}

// ---- pairs that are apart ----

static uint64_t pair_key(uint32_t a, uint32_t b) {
  return a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
}

static uint32_t pair_slot(const Builder *b, uint64_t key) {
  uint32_t mask = b->pair_capacity - 1, at = (uint32_t)hash_mix(key, 0) & mask;
  while (b->pairs[at] && b->pairs[at] != key) at = (at + 1) & mask;
  return at;
}

// Open addressing, at most half full. False if the pair exists.
static bool pair_add(Builder *b, uint64_t key) {
  if (2 * b->n_pairs >= b->pair_capacity) {
    uint64_t *old = b->pairs;
    uint32_t n = b->pair_capacity;
    b->pair_capacity = n ? 2 * n : 64;
    b->pairs = ARENA_ARRAY(b->arena, uint64_t, b->pair_capacity);
    for (uint32_t i = 0; i < n; i++)
      if (old[i]) b->pairs[pair_slot(b, old[i])] = old[i];
  }
  uint32_t at = pair_slot(b, key);
  if (b->pairs[at]) return false;
  b->pairs[at] = key;
  b->n_pairs++;
  return true;
}

// a and c are roots. A key is never 0, since the two differ.
static bool are_apart(const Builder *b, uint32_t a, uint32_t c) {
  return b->n_pairs && b->pairs[pair_slot(b, pair_key(a, c))] != 0;
}

static void apart_push(Builder *b, uint32_t of, uint32_t other) {
  Apart item = {other, b->aparts.items[of]};
  b->aparts.items[of] = b->apart_pool.count;
  b->n_aparts.items[of]++;
  VEC_PUSH(b->arena, &b->apart_pool, item);
}

// Two elements of one value must stay in different classes. Nothing to do if their sizes differ;
// too late if they are one class already.
static void set_apart(Builder *b, uint32_t x, uint32_t y) {
  x = root_of(b, x);
  y = root_of(b, y);
  if (x == y || b->size.items[x] != b->size.items[y] || !pair_add(b, pair_key(x, y))) return;
  apart_push(b, x, y);
  apart_push(b, y, x);
}

// ---- unions ----

// Records a refused union: the two are a family; if both have labels, a clash (each pair once).
static void refuse(Builder *b, uint32_t x, uint32_t y, uint32_t node, uint32_t rx, uint32_t ry) {
  if (b->families) return;
  Tie tie = {rx, ry};
  VEC_PUSH(b->arena, &b->ties, tie);
  uint32_t lx = b->label.items[rx], ly = b->label.items[ry];
  if (!lx || !ly || lx == ly || node == NO_NODE || x >= b->n_dims || y >= b->n_dims) return;
  for (uint32_t i = 0; i < b->clashes.count; i++) {  // few, so a linear search
    const ClassClash *c = &b->clashes.items[i];
    if ((c->label_a == lx && c->label_b == ly) || (c->label_a == ly && c->label_b == lx)) return;
  }
  if (b->clashes.count >= MOST_GROUPS) return;
  ClassClash clash = {x, y, node, lx, ly};
  VEC_PUSH(b->arena, &b->clashes, clash);
}

// Moves the apart list of one root to another.
static void move_aparts(Builder *b, uint32_t from, uint32_t to) {
  uint32_t next;
  for (uint32_t i = b->aparts.items[from]; i != NOTHING; i = next) {
    next = b->apart_pool.items[i].next;
    uint32_t other = root_of(b, b->apart_pool.items[i].other);
    if (other == to || !pair_add(b, pair_key(to, other))) continue;
    // The other list's entry names `from`, whose root is `to` from now on.
    b->apart_pool.items[i].next = b->aparts.items[to];
    b->aparts.items[to] = i;
    b->n_aparts.items[to]++;
  }
}

// One union; lists of parts that meet are left in b->pending.
static bool unite_one(Builder *b, uint32_t x, uint32_t y, uint32_t node) {
  uint32_t rx = root_of(b, x), ry = root_of(b, y);
  if (rx == ry) return true;
  if (b->size.items[rx] != b->size.items[ry]) return false;
  uint32_t lx = b->label.items[rx], ly = b->label.items[ry];
  if ((lx && ly && lx != ly) || are_apart(b, rx, ry)) {
    refuse(b, x, y, node, rx, ry);
    return false;
  }
  // The root is chosen by list length and tree weight; lists are more expensive to move.
  uint64_t cost_x = (uint64_t)b->n_aparts.items[rx] * 4 + b->weight.items[rx];
  uint64_t cost_y = (uint64_t)b->n_aparts.items[ry] * 4 + b->weight.items[ry];
  uint32_t to = cost_x < cost_y || (cost_x == cost_y && ry < rx) ? ry : rx,
           from = to == rx ? ry : rx;
  b->parent.items[from] = to;
  b->weight.items[to] += b->weight.items[from];
  if (b->eldest.items[from] < b->eldest.items[to]) b->eldest.items[to] = b->eldest.items[from];
  if (!b->label.items[to]) b->label.items[to] = b->label.items[from];
  move_aparts(b, from, to);
  PartList *pt = &b->parts.items[to], pf = b->parts.items[from];
  if (!pt->n) {
    *pt = pf;
  } else if (pf.n) {
    Pending p = {*pt, pf, node};
    VEC_PUSH(b->arena, &b->pending, p);
  }
  return true;
}

static uint32_t *two_parts(Builder *b, uint32_t major, uint32_t minor) {
  uint32_t *v = ARENA_ARRAY(b->arena, uint32_t, 2);
  v[0] = major;
  v[1] = minor;
  return v;
}

// Declares the class of e as the product of the parts.
static void set_parts(Builder *b, uint32_t e, PartList parts, uint32_t node) {
  PartList *have = &b->parts.items[root_of(b, e)];
  if (!have->n) {
    *have = parts;
  } else {
    Pending p = {*have, parts, node};
    VEC_PUSH(b->arena, &b->pending, p);
  }
}

// Unites two lists of parts of one product from the minor end. Stops at sizes that do not divide
// each other. Terminates: each split makes smaller elements.
static void meet(Builder *b, Pending p) {
  uint32_t i = p.a.n, k = p.b.n, x = NOTHING, y = NOTHING;
  for (;;) {
    if (x == NOTHING && i) x = p.a.v[--i];
    if (y == NOTHING && k) y = p.b.v[--k];
    if (x == NOTHING || y == NOTHING) return;
    int64_t sx = b->size.items[x], sy = b->size.items[y];
    if (sx == sy) {
      unite_one(b, x, y, p.node);
      x = y = NOTHING;
      continue;
    }
    uint32_t *large = sx > sy ? &x : &y, *small = sx > sy ? &y : &x;
    int64_t big = sx > sy ? sx : sy, little = sx > sy ? sy : sx;
    if (little < 2 || big % little) return;
    uint32_t rest = add_element(b, big / little, 0);
    set_apart(b, rest, *small);
    set_parts(b, *large, (PartList){two_parts(b, rest, *small), 2}, p.node);
    *large = rest;
    *small = NOTHING;
  }
}

// Unites pending lists of parts until none is left.
static void settle(Builder *b) {
  while (b->pending.count) meet(b, b->pending.items[--b->pending.count]);
}

// A union and everything that follows from it for parts.
static bool unite(Builder *b, uint32_t x, uint32_t y, uint32_t node) {
  bool done = unite_one(b, x, y, node);
  if (b->pending.count) settle(b);
  return done;
}

// ---- maps ----

// All tensors of the map have the same single factors, dimension by dimension; scalars aside.
static bool map_keeps_shape(const FactorMap *m) {
  uint32_t model = NOTHING;
  for (uint32_t t = 0; t < factor_map_n_tensors(m); t++) {
    uint32_t rank = factor_map_rank(m, t);
    if (!rank) continue;
    if (model == NOTHING) model = t;
    if (rank != factor_map_rank(m, model)) return false;
    for (uint32_t d = 0; d < rank; d++) {
      FactorList mine = factor_map_dim(m, t, d), its = factor_map_dim(m, model, d);
      if (mine.n != 1 || its.n != 1 || mine.v[0] != its.v[0]) return false;
    }
  }
  return true;
}

// The factor of a dimension, ignoring factors of size 1; NOTHING if it is a product.
static uint32_t only_factor(const FactorMap *m, uint32_t t, uint32_t d) {
  FactorList list = factor_map_dim(m, t, d);
  if (list.n == 1) return list.v[0];
  uint32_t only = list.n ? list.v[0] : NOTHING, large = 0;
  for (uint32_t i = 0; i < list.n; i++)
    if (m->factors[list.v[i]].size != 1) {
      only = list.v[i];
      large++;
    }
  return large > 1 ? NOTHING : only;
}

// Pairs of different factors of equal size in one tensor: there a class could occur twice.
static void find_pairs(Builder *b, const FactorMap *m, uint32_t t, uint64_t *seen) {
  uint32_t n = factor_map_rank(m, t);
  for (uint32_t d = 0; d < n; d++) {
    uint32_t f = only_factor(m, t, d);
    if (f == NOTHING || m->factors[f].size == 1) continue;
    for (uint32_t e = 0; e < d; e++) {
      uint32_t g = only_factor(m, t, e);
      if (g == NOTHING || g == f || m->factors[g].size != m->factors[f].size) continue;
      if (seen[f] >> g & 1 || seen[g] >> f & 1) continue;
      seen[f] |= (uint64_t)1 << g;
      Tie pair = {f, g};
      VEC_PUSH(b->arena, &b->same_size, pair);
    }
  }
}

// Fills a Shape, and sorts the dimensions with a single factor by factor (counting sort).
static void study_map(Builder *b, const FactorMap *m, Shape *out) {
  uint32_t n_tensors = factor_map_n_tensors(m);
  uint64_t seen[MOST_PAIRED] = {0};
  *out = (Shape){.keeps = map_keeps_shape(m),
                 .first = b->ranges.count,
                 .pairs = b->same_size.count,
                 .has_result = b->has_result.count};
  // Only dimensions that are a single factor are counted; products are handled separately.
  for (uint32_t f = 0; f <= m->n_factors; f++) VEC_PUSH(b->arena, &b->ranges, 0);
  for (uint32_t f = 0; f < m->n_factors; f++) VEC_PUSH(b->arena, &b->has_result, false);
  uint32_t *bound = b->ranges.items + out->first, base = b->occurrences.count, total = 0;
  for (uint32_t t = 0; t < n_tensors; t++) {
    uint32_t rank = factor_map_rank(m, t);
    if (rank > MOST_RANK) continue;
    if (m->n_factors <= MOST_PAIRED) find_pairs(b, m, t, seen);
    for (uint32_t d = 0; d < rank; d++) {
      uint32_t f = only_factor(m, t, d);
      FactorList list = factor_map_dim(m, t, d);
      for (uint32_t i = 0; i < list.n && t >= m->n_operands; i++)
        b->has_result.items[out->has_result + list.v[i]] = true;
      if (f == NOTHING) {
        out->products = true;
        continue;
      }
      bound[f]++;
      total++;
    }
  }
  out->n_pairs = b->same_size.count - out->pairs;
  for (uint32_t f = 0, at = base; f <= m->n_factors; f++) {
    uint32_t n = bound[f];
    bound[f] = at;
    at += n;
  }
  VEC_RESERVE(b->arena, &b->occurrences, base + total);
  b->occurrences.count = base + total;
  for (uint32_t t = 0; t < n_tensors; t++) {
    uint32_t rank = factor_map_rank(m, t);
    for (uint32_t d = 0; rank <= MOST_RANK && d < rank; d++) {
      uint32_t f = only_factor(m, t, d);
      if (f != NOTHING) b->occurrences.items[bound[f]++] = (Occurrence){t, d};
    }
  }
  for (uint32_t f = m->n_factors; f > 0; f--) bound[f] = bound[f - 1];
  bound[0] = base;
}

// ---- nodes ----

// The element of a dimension at a node; NOTHING if the place has none or if it has another size.
static uint32_t element_at(const Builder *b, uint32_t node, Occurrence o, int64_t size) {
  const ClassNode *at = &b->in->nodes[node];
  uint32_t place = b->in->tensors[at->tensors + o.tensor];
  const uint32_t *dims = b->in->place_dims;
  if (!place || dims[place] + o.dim >= dims[place + 1]) return NOTHING;
  uint32_t e = dims[place] + o.dim;
  return at->flow || b->in->sizes[e] == size ? e : NOTHING;
}

// Unites all dimensions that are this factor: with the oldest if allowed, the rest among
// themselves. Returns the oldest; NOTHING if there is none.
static uint32_t unite_factor(Builder *b, uint32_t node, const FactorMap *m, const Shape *shape,
                             uint32_t f) {
  const uint32_t *bound = b->ranges.items + shape->first;
  uint32_t first = NOTHING, apart[MOST_GROUPS], n_apart = 0;
  for (uint32_t i = bound[f]; i < bound[f + 1]; i++) {
    uint32_t e = element_at(b, node, b->occurrences.items[i], m->factors[f].size);
    if (e != NOTHING &&
        (first == NOTHING || b->eldest.items[root_of(b, e)] < b->eldest.items[root_of(b, first)]))
      first = e;
  }
  if (first == NOTHING) return NOTHING;
  for (uint32_t i = bound[f]; i < bound[f + 1]; i++) {
    uint32_t e = element_at(b, node, b->occurrences.items[i], m->factors[f].size);
    if (e != NOTHING && !unite(b, first, e, node) && n_apart < MOST_GROUPS) apart[n_apart++] = e;
  }
  for (uint32_t i = 1; i < n_apart; i++) unite(b, apart[0], apart[i], node);
  return first;
}

// Dimensions that are products: their classes get the classes of the factors as parts.
static void unite_products(Builder *b, uint32_t node, const FactorMap *m, uint32_t *of_factor) {
  for (uint32_t t = 0; t < factor_map_n_tensors(m); t++) {
    uint32_t rank = factor_map_rank(m, t);
    if (rank > MOST_RANK) continue;
    for (uint32_t d = 0; d < rank; d++) {
      if (only_factor(m, t, d) != NOTHING) continue;
      FactorList list = factor_map_dim(m, t, d);
      int64_t size = 1;
      for (uint32_t i = 0; i < list.n && size > 0; i++) {
        int64_t s = m->factors[list.v[i]].size;
        size = s < 1 || size > INT64_MAX / s ? 0 : size * s;
      }
      uint32_t e = element_at(b, node, (Occurrence){t, d}, size);
      if (e == NOTHING) continue;
      uint32_t *v = ARENA_ARRAY(b->arena, uint32_t, list.n), n = 0;
      for (uint32_t i = 0; i < list.n; i++) {
        uint32_t f = list.v[i];
        if (m->factors[f].size == 1) continue;
        if (of_factor[f] == NOTHING) of_factor[f] = add_element(b, m->factors[f].size, 0);
        for (uint32_t k = 0; k < n; k++) set_apart(b, of_factor[f], v[k]);
        v[n++] = of_factor[f];
      }
      for (uint32_t other = 0; other < rank; other++) {
        uint32_t f = only_factor(m, t, other);
        uint32_t single = f == NOTHING || other == d ? NOTHING : of_factor[f];
        for (uint32_t k = 0; k < n && single != NOTHING; k++) set_apart(b, single, v[k]);
      }
      set_parts(b, e, (PartList){v, n}, node);
      settle(b);
    }
  }
}

// True if the node would unite two dimensions of one value.
static bool is_ambiguous(Builder *b, uint32_t node, const FactorMap *m, const Shape *shape) {
  const uint32_t *bound = b->ranges.items + shape->first;
  for (uint32_t p = shape->pairs; p < shape->pairs + shape->n_pairs; p++) {
    Tie pair = b->same_size.items[p];
    int64_t size = m->factors[pair.a].size;
    const bool *has_result = b->has_result.items + shape->has_result;
    if (!has_result[pair.a] || !has_result[pair.b]) continue;  // phase 3 unites it in any case
    b->stamp++;
    for (uint32_t i = bound[pair.a]; i < bound[pair.a + 1]; i++) {
      uint32_t x = element_at(b, node, b->occurrences.items[i], size);
      if (x != NOTHING) b->stamps.items[root_of(b, x)] = b->stamp;
    }
    for (uint32_t i = bound[pair.b]; i < bound[pair.b + 1]; i++) {
      uint32_t y = element_at(b, node, b->occurrences.items[i], size);
      if (y != NOTHING && b->stamps.items[root_of(b, y)] == b->stamp) return true;
    }
  }
  return false;
}

// last: also factors that reach no result (contractions).
static void unite_node(Builder *b, uint32_t node, bool last) {
  const FactorMap *m = b->in->maps[b->in->nodes[node].map];
  const Shape *shape = &b->shapes[b->in->nodes[node].map];
  uint32_t small[32], *of_factor = small;
  if (m->n_factors > 32) of_factor = ARENA_ARRAY(b->arena, uint32_t, m->n_factors);
  for (uint32_t f = 0; f < m->n_factors; f++)
    of_factor[f] = last || b->has_result.items[shape->has_result + f]
                       ? unite_factor(b, node, m, shape, f)
                       : NOTHING;
  if (shape->products) unite_products(b, node, m, of_factor);
}

// The three phases of the opening comment.
static void unite_all(Builder *b) {
  const ClassInput *in = b->in;
  for (uint32_t n = 0; n < in->n_nodes; n++)
    if (b->shapes[in->nodes[n].map].keeps) unite_node(b, n, true);
  bool *later = ARENA_ARRAY(b->arena, bool, in->n_nodes + 1);
  for (uint32_t n = 0; n < in->n_nodes; n++) {
    const Shape *shape = &b->shapes[in->nodes[n].map];
    if (shape->keeps) continue;
    later[n] = shape->n_pairs && is_ambiguous(b, n, in->maps[in->nodes[n].map], shape);
    if (!later[n]) unite_node(b, n, false);
  }
  for (uint32_t n = 0; n < in->n_nodes; n++) {
    const FactorMap *m = in->maps[in->nodes[n].map];
    const Shape *shape = &b->shapes[in->nodes[n].map];
    if (later[n]) unite_node(b, n, true);
    if (later[n] || shape->keeps) continue;
    for (uint32_t f = 0; f < m->n_factors; f++)
      if (!b->has_result.items[shape->has_result + f]) unite_factor(b, n, m, shape, f);
  }
}

// ---- families ----

// All roots in order of their oldest element. Elements are in that order, so no sorting.
static uint32_t roots_by_age(Builder *b, uint32_t *out) {
  uint32_t n = 0;
  for (uint32_t e = 0; e < b->parent.count; e++)
    if (b->eldest.items[root_of(b, e)] == e) out[n++] = root_of(b, e);
  return n;
}

static uint32_t family_root(uint32_t *family, uint32_t e) {
  while (family[e] != e) e = family[e] = family[family[e]];
  return e;
}

// Per element: the oldest element of its family, or itself. A union-find over refused unions.
static uint32_t *find_families(Builder *b) {
  uint32_t *family = ARENA_ARRAY(b->arena, uint32_t, b->parent.count + 1);
  for (uint32_t e = 0; e < b->parent.count; e++) family[e] = e;
  for (uint32_t i = 0; i < b->ties.count; i++) {
    uint32_t x = family_root(family, b->eldest.items[root_of(b, b->ties.items[i].a)]);
    uint32_t y = family_root(family, b->eldest.items[root_of(b, b->ties.items[i].b)]);
    if (x < y) family[y] = x;
    if (y < x) family[x] = y;
  }
  return family;
}

// Merges the classes of each family greedily: in order of age, each joins the first that allows it.
static void join_families(Builder *b, const uint32_t *roots, uint32_t n, uint32_t *family) {
  // Linked lists of the members of each family, starting at the oldest.
  uint32_t *next = ARENA_ARRAY(b->arena, uint32_t, b->parent.count + 1);
  uint32_t *last = ARENA_ARRAY(b->arena, uint32_t, b->parent.count + 1);
  uint32_t *eldest = ARENA_ARRAY(b->arena, uint32_t, n + 1);  // unions below change b->eldest
  for (uint32_t i = 0; i < n; i++) {
    uint32_t e = b->eldest.items[roots[i]], head = family_root(family, e);
    eldest[i] = e;
    next[e] = NOTHING;
    if (e != head) next[last[head]] = e;
    last[head] = e;
  }
  b->families = true;
  for (uint32_t i = 0; i < n; i++) {
    uint32_t head = eldest[i], groups[MOST_GROUPS], n_groups = 0;
    if (family_root(family, head) != head || next[head] == NOTHING) continue;
    for (uint32_t e = head; e != NOTHING; e = next[e]) {
      uint32_t g = 0;
      while (g < n_groups && !unite(b, groups[g], e, NO_NODE)) g++;
      if (g == n_groups && g < MOST_GROUPS) groups[n_groups++] = e;
    }
  }
}

// Unites all dims of two places, or none.
static void join_alike(Builder *b, uint32_t p, uint32_t q) {
  const uint32_t *dims = b->in->place_dims;
  uint32_t rank = dims[p + 1] - dims[p];
  if (dims[q + 1] - dims[q] != rank || rank > MOST_RANK) return;
  for (uint32_t d = 0; d < rank; d++) {
    uint32_t x = root_of(b, dims[p] + d), y = root_of(b, dims[q] + d);
    uint32_t lx = b->label.items[x], ly = b->label.items[y];
    if (x == y) continue;
    if (b->size.items[x] != b->size.items[y] || (lx && ly && lx != ly) || are_apart(b, x, y))
      return;
  }
  for (uint32_t d = 0; d < rank; d++) unite(b, dims[p] + d, dims[q] + d, NO_NODE);
}

// Joins each place to the first one with its number.
static void join_all_alike(Builder *b) {
  const ClassInput *in = b->in;
  uint32_t most = 0;
  for (uint32_t p = 1; in->alike && p <= in->n_places; p++)
    if (in->alike[p] > most) most = in->alike[p];
  if (!most) return;
  uint32_t *first = ARENA_ARRAY(b->arena, uint32_t, most + 1);
  for (uint32_t p = 1; p <= in->n_places; p++) {
    uint32_t *leader = &first[in->alike[p]];
    if (!in->alike[p]) continue;
    if (*leader)
      join_alike(b, *leader, p);
    else
      *leader = p;
  }
}

// ---- results ----

// Appends the leaves of a class's parts, major to minor.
static void flatten(Builder *b, uint32_t root, const ClassId *id_of, Classes *out,
                    uint32_t *capacity, uint32_t *count) {
  PartList stack[64];  // sizes at least halve at each level
  uint32_t depth = 0;
  stack[depth++] = b->parts.items[root];
  while (depth) {
    PartList *top = &stack[depth - 1];
    if (!top->n) {
      depth--;
      continue;
    }
    uint32_t child = root_of(b, top->v[0]);
    top->v++;
    top->n--;
    if (b->parts.items[child].n && depth < 64) {
      stack[depth++] = b->parts.items[child];
      continue;
    }
    if (*count == *capacity)
      out->parts = vec_grow_arena(b->arena, out->parts, capacity, *count + 1, sizeof *out->parts);
    out->parts[(*count)++] = id_of[child];
  }
}

// Numbers classes by age, and variants within their family.
static void number_classes(Builder *b, Classes *out) {
  uint32_t *roots = ARENA_ARRAY(b->arena, uint32_t, b->parent.count + 1);
  uint32_t n = roots_by_age(b, roots);
  uint32_t *family = find_families(b);
  ClassId *id_of = ARENA_ARRAY(b->arena, ClassId, b->parent.count + 1);
  uint32_t *members = ARENA_ARRAY(b->arena, uint32_t, n + 1);
  out->classes = ARENA_ARRAY(b->arena, ClassInfo, n + 1);
  out->class_of = ARENA_ARRAY(b->arena, ClassId, b->n_dims + 1);
  out->n_classes = n;
  for (uint32_t i = 0; i < n; i++) id_of[roots[i]] = i + 1;
  for (uint32_t d = 0; d < b->n_dims; d++) {
    out->class_of[d] = id_of[root_of(b, d)];
    out->classes[out->class_of[d]].n_dims++;
  }
  uint32_t capacity = 0, count = 0;
  for (uint32_t i = 0; i < n; i++) {
    ClassInfo *info = &out->classes[i + 1];
    uint32_t r = roots[i], eldest = b->eldest.items[r];
    info->size = b->size.items[r];
    info->label = b->label.items[r];
    info->first = eldest < b->n_dims ? eldest : UINT32_MAX;
    info->family = id_of[root_of(b, family_root(family, eldest))];
    info->variant = members[info->family - 1]++;
    info->parts = count;
    flatten(b, r, id_of, out, &capacity, &count);
    info->n_parts = count - info->parts;
  }
}

// Elements, apart pairs of each place, classes of labels, properties of maps.
static void set_up(Builder *b, uint32_t n_labels) {
  const ClassInput *in = b->in;
  uint32_t *of_label = ARENA_ARRAY(b->arena, uint32_t, n_labels + 1);
  for (uint32_t d = 0; d < b->n_dims; d++)
    add_element(b, in->sizes[d], in->labels ? in->labels[d] : 0);
  for (uint32_t p = 1; p <= in->n_places; p++) {
    uint32_t first = in->place_dims[p], end = in->place_dims[p + 1];
    if (end - first > MOST_RANK) continue;
    for (uint32_t d = first; d < end; d++)
      for (uint32_t e = first; e < d; e++) set_apart(b, e, d);
  }
  for (uint32_t d = 0; d < b->n_dims; d++) {
    uint32_t label = b->label.items[d];
    if (!label) continue;
    if (!of_label[label]) of_label[label] = d + 1;
    unite(b, of_label[label] - 1, d, NO_NODE);
  }
  b->shapes = ARENA_ARRAY(b->arena, Shape, in->n_maps + 1);
  for (uint32_t m = 0; m < in->n_maps; m++)
    if (in->maps[m]) study_map(b, in->maps[m], &b->shapes[m]);
}

void classes_build(const ClassInput *in, Arena *arena, Classes *out) {
  Builder b = {.in = in, .arena = arena, .n_dims = in->place_dims[in->n_places + 1]};
  uint32_t n_labels = 0;
  for (uint32_t d = 0; in->labels && d < b.n_dims; d++)
    if (in->labels[d] > n_labels) n_labels = in->labels[d];
  set_up(&b, n_labels);
  unite_all(&b);
  uint32_t *roots = ARENA_ARRAY(arena, uint32_t, b.parent.count + 1);
  uint32_t n = roots_by_age(&b, roots);
  uint32_t *family = find_families(&b);
  join_families(&b, roots, n, family);
  join_all_alike(&b);
  *out = (Classes){0};
  number_classes(&b, out);
  out->clashes.items = b.clashes.items;
  out->clashes.count = b.clashes.count;
  out->clashes.capacity = b.clashes.capacity;
}
