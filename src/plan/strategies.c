// Problem: list the ways to run an op. Their number is exponential in the number of mesh axes.
//
// Idea: each axis goes to one factor, to none, or (partial sums) is carried. Axes of one factor are
// in the mesh's order. One axis may be divided into two sub-axes (strategies_divide_axes). What the
// op cannot run with (strategy/splitter.h) is left out. If there are more than the limit, those
// with the least work stay, and always the replicated one.
//
// Invariant: the partitioner obeys every strategy listed here, because both ask the splitter.
//
// Cost: O((factors + 2)^axes) per distinct op.
#include "plan/strategies.h"

#include <stdlib.h>
#include <string.h>

#include "ops/commute.h"

enum {
  MOST_AXES = STRATEGIES_MOST_AXES,
  MOST_FACTORS = 16,
  MOST_OPERANDS = 16,
  NONE = 0xff,
  CARRIED = 0xfe,
  INNER = 0xfd,  // the inner part of the factor that is split in strides
};
// Uneven shards have padding: a factor must have this many elements per device.
enum { LEAST_UNEVEN = 16 };
// Assignments of axes that are looked at per op or type: with many axes, not all.
enum { MOST_TRIED = 20000 };
// Ways to divide an axis of the mesh into sub-axes.
enum { MOST_DIVISIONS = 6 };
// Strides: of the program, and per op.
enum { MOST_PATTERNS = 32, MOST_STRIDES = 2 };

void strategies_init(Strategies *s, Program *p, ShardingTable *table, MeshId mesh,
                     const Network *network, Guard *guard) {
  *s = (Strategies){.p = p,
                    .table = table,
                    .mesh = mesh,
                    .network = network,
                    .most = 64,
                    .least_uneven = LEAST_UNEVEN,
                    .guard = guard};
  arena_init(&s->arena, guard);
  arena_init(&s->scratch, guard);
  s->builder = (Builder){.p = p,
                         .pos = POS_NONE,
                         .table = table,
                         .arena = &s->scratch,
                         .kept = &s->arena,
                         .mesh = mesh};
  const Mesh *axes = sharding_mesh(table, mesh);
  AxisDivision whole = {.n = axes->n_axes, .divided = axes->n_axes};
  for (uint32_t a = 0; a < axes->n_axes && a < MOST_AXES; a++) whole.axes[a] = axis_full(axes, a);
  if (axes->n_axes <= MOST_AXES) VEC_PUSH(&s->arena, &s->divisions, whole);
  VEC_PUSH(&s->arena, &s->lists, (ShardingList){0});
  VEC_PUSH(&s->arena, &s->sets, (StrategySet){0});
  VEC_PUSH(&s->arena, &s->keys, 0);
  VEC_PUSH(&s->arena, &s->held, (HeldList){0});
}

// The division of the mesh with axis a divided into a major sub-axis of this size and the rest.
static void add_division(Strategies *s, uint32_t a, uint32_t major) {
  AxisDivision whole = s->divisions.items[0], made = {.n = whole.n + 1, .divided = a};
  for (uint32_t i = 0; i < whole.n; i++) made.axes[i + (i > a)] = whole.axes[i];
  made.axes[a] = (AxisRef){whole.axes[a].axis, 1, major};
  made.axes[a + 1] = (AxisRef){whole.axes[a].axis, major, whole.axes[a].size / major};
  VEC_PUSH(&s->arena, &s->divisions, made);
}

void strategies_divide_axes(Strategies *s) {
  if (!s->divisions.count || s->divisions.items[0].n == MOST_AXES) return;
  AxisDivision whole = s->divisions.items[0];
  for (uint32_t a = 0; a < whole.n; a++)
    for (uint32_t major = 2; major < whole.axes[a].size; major++)
      if (whole.axes[a].size % major == 0 && s->divisions.count <= MOST_DIVISIONS)
        add_division(s, a, major);
}

// Is it of use to divide the axis? Sub-axes at one place are the axis itself, which is assigned
// elsewhere. And one of them is at a size that the axis does not divide: the others could have it.
// sizes: per place, n of them; other places have none.
static bool pays_division(const AxisDivision *d, const uint8_t *where, const int64_t *sizes,
                          uint32_t n) {
  if (d->divided == d->n) return true;
  uint8_t major = where[d->divided], minor = where[d->divided + 1];
  int64_t axis = (int64_t)d->axes[d->divided].size * d->axes[d->divided + 1].size;
  return major != minor &&
         ((major < n && sizes[major] % axis) || (minor < n && sizes[minor] % axis));
}

void strategies_release(void *object) {
  Strategies *s = object;
  idmap_deinit(&s->list_ids);
  idmap_deinit(&s->set_ids);
  idmap_deinit(&s->held_ids);
  arena_deinit(&s->arena);
  arena_deinit(&s->scratch);
}

// ---- lists ----

static bool list_equal(const void *owner, uint32_t id, const void *key) {
  const ShardingList *a = &((const Strategies *)owner)->lists.items[id], *b = key;
  return a->n == b->n && memcmp(a->v, b->v, a->n * sizeof *a->v) == 0;
}

ListId strategies_intern(Strategies *s, const Sharding *shardings, uint32_t n) {
  ShardingList list = {shardings, n};
  uint64_t hash = hash_bytes(shardings, n * sizeof *shardings);
  ListId id = idmap_find(&s->list_ids, hash, list_equal, s, &list);
  if (id) return id;
  list.v = arena_copy(&s->arena, shardings, n * sizeof *shardings);
  VEC_PUSH(&s->arena, &s->lists, list);
  idmap_add(&s->list_ids, s->guard, hash, s->lists.count - 1);
  return s->lists.count - 1;
}

// ---- values ----

static bool held_equal(const void *owner, uint32_t id, const void *key) {
  const HeldList *a = &((const Strategies *)owner)->held.items[id], *b = key;
  return a->type == b->type && a->carried == b->carried;
}

// where: per axis a dimension, `rank` for none, or `rank` + 1 for a partial sum. UINT32_MAX: the
// axes do not divide the dimensions.
static Sharding of_dims(Strategies *s, const TypeInfo *type, const AxisDivision *division,
                        const uint8_t *where) {
  DimSharding *dims = ARENA_ARRAY(&s->scratch, DimSharding, type->rank + 1);
  bool any = false;
  for (uint32_t d = 0; d < type->rank; d++) {
    AxisRef *axes = ARENA_ARRAY(&s->scratch, AxisRef, division->n + 1);
    ShardFactor *factor = ARENA_NEW(&s->scratch, ShardFactor);
    int64_t ways = 1;
    for (uint32_t a = 0; a < division->n; a++) {
      if (where[a] != d) continue;
      axes[factor->axes.n++] = division->axes[a];
      ways *= division->axes[a].size;
    }
    factor->axes.v = axes;
    if (type->dims[d] % ways) return UINT32_MAX;
    any |= ways > 1;
    dims[d] = (DimSharding){factor, 1, false, PRIORITY_NONE};
  }
  ShardingInfo info = {.mesh = s->mesh, .rank = type->rank, .dims = dims};
  AxisRef *sums = ARENA_ARRAY(&s->scratch, AxisRef, division->n + 1);
  for (uint32_t a = 0; a < division->n; a++)
    if (where[a] == type->rank + 1) sums[info.unreduced.n++] = division->axes[a];
  info.unreduced.v = sums;
  if (info.unreduced.n) info.reducer = COMBINE_SUM;
  return any || info.unreduced.n ? sharding_intern(s->table, &info) : 0;
}

// Devices that hold different elements.
static int64_t count_tiles(const Strategies *s, Sharding sharding) {
  const ShardingInfo *info = sharding_info(s->table, sharding);
  int64_t tiles = 1;
  for (uint32_t d = 0; sharding && d < info->rank; d++) tiles *= sharding_tiles(info, d);
  return tiles;
}

// Keeps the shardings with the most tiles, in order, and the first, which is replicated.
static void limit_held(const Strategies *s, Sharding *all, uint32_t *count) {
  for (int64_t least = 2; *count > s->most; least *= 2) {
    uint32_t kept = 1, n = *count;
    for (uint32_t i = 1; i < n; i++)
      if (count_tiles(s, all[i]) >= least) all[kept++] = all[i];
    if (kept == 1) {  // all have as many
      *count = s->most;
      return;
    }
    *count = kept;
  }
}

// Counts in base rank + 1, or rank + 2 with partial sums. The first digit changes fastest.
static bool next_assignment(uint8_t *where, uint32_t n_axes, uint32_t last) {
  uint32_t a = 0;
  while (a < n_axes && ++where[a] > last) where[a++] = 0;
  return a < n_axes;
}

typedef VEC(Sharding) ShardingVec;

// All shardings over the axes of a division.
static void add_held_over(Strategies *s, const TypeInfo *info, bool sums,
                          const AxisDivision *division, ShardingVec *out) {
  uint8_t where[MOST_AXES] = {0};
  for (uint32_t n = 0; n < MOST_TRIED; n++) {
    bool useful = pays_division(division, where, info->dims, info->rank);
    for (uint32_t a = 0; a < division->n; a++)
      useful &= where[a] == info->rank || division->axes[a].size > 1;
    Sharding one = useful ? of_dims(s, info, division, where) : UINT32_MAX;
    if (one && one != UINT32_MAX) VEC_PUSH(&s->scratch, out, one);
    if (!next_assignment(where, division->n, info->rank + sums)) break;
  }
}

static ListId list_held(Strategies *s, Type type, bool carried) {
  const TypeInfo *info = type_info(s->p->context, type);
  ArenaMark mark = arena_mark(&s->scratch);
  ShardingVec all = {0};
  VEC_PUSH(&s->scratch, &all, 0);
  bool movable =
      info->kind == TYPE_TENSOR && info->rank > 0 && splitter_is_movable(s->p->context, type);
  bool sums = carried && movable && dtype_has_zero(type_dtype(s->p->context, type));
  for (uint32_t i = 0; movable && i < s->divisions.count; i++)
    add_held_over(s, info, sums, &s->divisions.items[i], &all);
  limit_held(s, all.items, &all.count);
  ListId list = strategies_intern(s, all.items, all.count);
  arena_rewind(&s->scratch, mark);
  return list;
}

static ListId find_held(Strategies *s, HeldList key) {
  uint64_t hash = hash_mix(key.type, 7 + key.carried);
  uint32_t id = idmap_find(&s->held_ids, hash, held_equal, s, &key);
  if (id) return s->held.items[id].list;
  key.list = list_held(s, key.type, key.carried);
  VEC_PUSH(&s->arena, &s->held, key);
  idmap_add(&s->held_ids, s->guard, hash, s->held.count - 1);
  return key.list;
}

ListId strategies_held(Strategies *s, Type type) { return find_held(s, (HeldList){.type = type}); }

ListId strategies_carried(Strategies *s, Type type) {
  return find_held(s, (HeldList){.type = type, .carried = true});
}

// ---- ops ----

typedef struct Found {
  OpStrategy strategy;
  const Sharding *in, *out;
  uint32_t order;  // in which it was found
} Found;

typedef VEC(Found) FoundVec;

typedef struct Finder {
  Strategies *s;
  Splitter splitter;
  const AxisDivision *division;
  const int64_t *sizes;      // of the factors
  uint8_t where[MOST_AXES];  // per axis: a factor, NONE, CARRIED or INNER
  bool strided;              // only what block shardings cannot express
  bool in_strides;           // one factor is split in strides:
  uint32_t stride_factor;    // this one,
  StridePattern pattern;     // in these
  uint32_t n_tried;
  FoundVec found;
} Finder;

// The axes that `where` gives to a place, in the mesh's order.
static AxisList axes_at(const Finder *f, uint8_t place) {
  AxisRef *axes = ARENA_ARRAY(&f->s->scratch, AxisRef, f->division->n + 1);
  uint32_t n = 0;
  for (uint32_t a = 0; a < f->division->n; a++)
    if (f->where[a] == place) axes[n++] = f->division->axes[a];
  return (AxisList){axes, n};
}

// Splits a factor in strides. False if they do not divide it, or if the tiles are blocks.
static bool assign_strides(Finder *f, FactorSplit *split) {
  ShardFactor *strides = ARENA_ARRAY(&f->s->scratch, ShardFactor, 2);
  strides[0] = (ShardFactor){f->pattern.outer, axes_at(f, (uint8_t)f->stride_factor)};
  strides[1] = (ShardFactor){f->pattern.inner, axes_at(f, INNER)};
  int64_t outer = axes_size(strides[0].axes), inner = axes_size(strides[1].axes);
  if (!strides[1].axes.n || strides[0].size % outer || strides[0].size == outer ||
      strides[1].size % inner)
    return false;
  split->axes = axes_concat(&f->s->scratch, strides[0].axes, strides[1].axes);
  split->strides = strides;
  split->n_strides = 2;
  return true;
}

// Gives the axes to the factors. False if a factor cannot have that many.
static bool assign(Finder *f, Localizer *cx) {
  for (uint32_t k = 0; k < f->splitter.m->n_factors; k++) {
    if (f->in_strides && k == f->stride_factor) {
      if (!assign_strides(f, &cx->splits[k])) return false;
      continue;
    }
    AxisList axes = axes_at(f, (uint8_t)k);
    int64_t ways = axes_size(axes), size = f->splitter.m->factors[k].size;
    if (axes.n && size % ways && size < f->s->least_uneven * ways) return false;
    cx->splits[k].axes = axes;
  }
  return true;
}

static double work_fraction(const Localizer *cx) {
  double work = 1;
  for (uint32_t k = 0; k < cx->map->n_factors; k++) {
    int64_t size = cx->map->factors[k].size, ways = localize_ways(cx, k);
    if (size > 0) work *= (double)((size + ways - 1) / ways) / (double)size;
  }
  return work;
}

// The shardings that follow from f->where. False if the op cannot run so.
static bool derive(Finder *f, bool strided, Localizer *cx, Found *out) {
  Strategies *s = f->s;
  const FactorMap *m = f->splitter.m;
  localize_init(cx, &s->builder, f->splitter.op, m);
  cx->strided = strided;
  if (!assign(f, cx)) return false;
  AxisList *asked = ARENA_ARRAY(&s->scratch, AxisList, m->n_factors + 1);
  for (uint32_t k = 0; k < m->n_factors; k++) asked[k] = cx->splits[k].axes;
  const ShardFactor *strides = f->in_strides ? cx->splits[f->stride_factor].strides : NULL;
  Sharding *in = ARENA_ARRAY(&s->scratch, Sharding, m->n_operands + 1);
  Sharding *outs = ARENA_ARRAY(&s->scratch, Sharding, m->n_results + 1);
  splitter_derive(&f->splitter, cx, in, outs);
  for (uint32_t k = 0; k < m->n_factors; k++)
    if (!axes_equal(asked[k], cx->splits[k].axes)) return false;
  *out = (Found){.strategy = {.axes = asked,
                              .strides = strides,
                              .stride_factor = f->stride_factor,
                              .strided = strided,
                              .carried = f->splitter.carried,
                              .work = work_fraction(cx)},
                 .in = in,
                 .out = outs};
  return true;
}

// The strategy of f->where, if the op can run so.
static void add(Finder *f, uint32_t partial) {
  Strategies *s = f->s;
  Localizer cx;
  Found found;
  bool takes = f->splitter.def && f->splitter.def->strides;
  if (f->strided && !f->in_strides && derive(f, false, &cx, &found)) return;  // a block
  if (!derive(f, f->strided && takes, &cx, &found)) return;
  found.strategy.partial = partial;
  if (cx.bytes > 0)
    found.strategy.own = splitter_own_price(&cx, s->network, cx.steps ? cx.steps : 1, &s->scratch);
  found.order = f->found.count;
  VEC_PUSH(&s->scratch, &f->found, found);
}

// All assignments of the axes from `axis` on.
static void assign_axes(Finder *f, uint32_t axis, const uint8_t *usable, uint32_t n_usable,
                        uint32_t partial) {
  if (f->n_tried >= MOST_TRIED) return;
  if (axis == f->division->n) {
    if (!pays_division(f->division, f->where, f->sizes, f->splitter.m->n_factors)) return;
    f->n_tried++;
    f->splitter.carried = axes_at(f, CARRIED);
    if ((f->splitter.carried.n > 0) == (partial != 0)) add(f, partial);
    return;
  }
  bool idle = f->division->axes[axis].size == 1;
  f->where[axis] = NONE;
  assign_axes(f, axis + 1, usable, n_usable, partial);
  for (uint32_t i = 0; i < n_usable && !idle; i++) {
    f->where[axis] = usable[i];
    assign_axes(f, axis + 1, usable, n_usable, partial);
  }
  if ((partial || f->in_strides) && !idle) {
    f->where[axis] = partial ? CARRIED : INNER;
    assign_axes(f, axis + 1, usable, n_usable, partial);
  }
}

// All devices but one hold zero, if a replicated value becomes a partial sum. f8E8M0FNU has none.
static bool has_zeros(const Finder *f) {
  const Program *p = f->s->p;
  const FactorMap *m = f->splitter.m;
  for (uint32_t i = 0; i < m->n_operands + m->n_results; i++) {
    Type type = i < m->n_operands ? op_operand_type(p, f->splitter.op, i)
                                  : op_result_type(p, f->splitter.op, i - m->n_operands);
    if (!dtype_has_zero(type_dtype(p->context, type))) return false;
  }
  return true;
}

// A scalar is reduced at once: it is small, and a loop's counter must not be a partial sum.
static bool is_scalar(const Finder *f) {
  if (!f->splitter.m->n_results) return true;
  Type type = op_result_type(f->s->p, f->splitter.op, 0);
  return type_info(f->s->p->context, type)->rank == 0;
}

// Sets of operands that may be partial sums together: each alone, all, and all but the first (a
// select's branches).
static void assign_partial(Finder *f, const uint8_t *usable, uint32_t n_usable) {
  const FactorMap *m = f->splitter.m;
  uint32_t n = m->n_operands;
  if (!n || n > MOST_OPERANDS || is_scalar(f) || !has_zeros(f)) return;
  bool *partial = ARENA_ARRAY(&f->s->scratch, bool, MOST_OPERANDS);
  uint32_t all = (1u << n) - 1, masks[MOST_OPERANDS + 2], n_masks = 0;
  for (uint32_t i = 0; i < n; i++) masks[n_masks++] = 1u << i;
  if (n > 1) masks[n_masks++] = all;
  if (n > 2) masks[n_masks++] = all & ~1u;
  f->splitter.partial = partial;
  for (uint32_t k = 0; k < n_masks; k++) {
    for (uint32_t i = 0; i < n; i++) partial[i] = masks[k] >> i & 1;
    f->splitter.carried_in = COMBINE_SUM;
    f->splitter.carried_out = op_commutes(f->s->p, f->splitter.op, COMBINE_SUM, partial);
    if (f->splitter.carried_out == COMBINE_SUM) assign_axes(f, 0, usable, n_usable, masks[k]);
  }
}

// Strided shards: dimensions that a reshape merges, and single factors of such a size. After all
// others, so that these are left out first.
static void assign_strided(Finder *f, const uint8_t *usable, uint32_t n_usable) {
  const Strategies *s = f->s;
  const FactorMap *m = f->splitter.m;
  f->strided = true;
  f->splitter.blocks = false;
  if (!splitter_takes_strides(&f->splitter)) return;
  if (f->splitter.def && f->splitter.def->strides) assign_axes(f, 0, usable, n_usable, 0);
  f->in_strides = true;
  for (uint32_t i = 0, n = 0; i < n_usable; i++)
    for (uint32_t k = 0; k < s->patterns.count && n < MOST_STRIDES; k++) {
      f->stride_factor = usable[i];
      f->pattern = s->patterns.items[k];
      if (m->factors[usable[i]].size != f->pattern.outer * f->pattern.inner ||
          !splitter_needs_no_column(&m->factors[usable[i]]))
        continue;
      assign_axes(f, 0, usable, n_usable, 0);
      n++;
    }
  f->in_strides = false;
}

static int by_work(const void *a, const void *b) {
  const Found *x = a, *y = b;
  if (x->strategy.work != y->strategy.work) return x->strategy.work < y->strategy.work ? -1 : 1;
  return x->order < y->order ? -1 : x->order > y->order;
}

static int by_order(const void *a, const void *b) {
  const Found *x = a, *y = b;
  return x->order < y->order ? -1 : x->order > y->order;
}

// The first strategy found is the replicated one; it stays.
static uint32_t limit(Finder *f, uint32_t most) {
  uint32_t n = f->found.count;
  if (n <= most) return 0;
  qsort(f->found.items + 1, n - 1, sizeof *f->found.items, by_work);
  f->found.count = most;
  qsort(f->found.items, most, sizeof *f->found.items, by_order);
  return n - most;
}

static AxisList keep(Arena *arena, AxisList axes) {
  if (!axes.n) return (AxisList){NULL, 0};
  return (AxisList){arena_copy(arena, axes.v, axes.n * sizeof *axes.v), axes.n};
}

// Copies what was found out of scratch.
static StrategySet keep_set(Finder *f, const FactorMap *m, uint32_t cut) {
  Strategies *s = f->s;
  uint32_t n = f->found.count;
  OpStrategy *items = ARENA_ARRAY(&s->arena, OpStrategy, n);
  ListId *in = ARENA_ARRAY(&s->arena, ListId, m->n_operands + 1),
         *out = ARENA_ARRAY(&s->arena, ListId, m->n_results + 1);
  Sharding *column = ARENA_ARRAY(&s->scratch, Sharding, n);
  for (uint32_t k = 0; k < n; k++) {
    items[k] = f->found.items[k].strategy;
    AxisList *axes = ARENA_ARRAY(&s->arena, AxisList, m->n_factors + 1);
    for (uint32_t i = 0; i < m->n_factors; i++) axes[i] = keep(&s->arena, items[k].axes[i]);
    items[k].axes = axes;
    items[k].carried = keep(&s->arena, items[k].carried);
    if (items[k].strides) {
      ShardFactor *strides = arena_copy(&s->arena, items[k].strides, 2 * sizeof *items[k].strides);
      for (uint32_t i = 0; i < 2; i++) strides[i].axes = keep(&s->arena, strides[i].axes);
      items[k].strides = strides;
    }
  }
  for (uint32_t i = 0; i < m->n_operands + m->n_results; i++) {
    for (uint32_t k = 0; k < n; k++)
      column[k] =
          i < m->n_operands ? f->found.items[k].in[i] : f->found.items[k].out[i - m->n_operands];
    *(i < m->n_operands ? &in[i] : &out[i - m->n_operands]) = strategies_intern(s, column, n);
  }
  return (StrategySet){.map = *m, .n = n, .cut = cut, .items = items, .in = in, .out = out};
}

static bool must_be_replicated(const Strategies *s, OpId op) {
  const Op *o = op_at(s->p, op);
  bool must = (op_traits(s->p, op) & TRAIT_SIZED_BY_VALUES) || op_has_effects(s->p, op);
  for (uint32_t i = 0; i < o->n_operands; i++)
    must |= !splitter_is_movable(s->p->context, op_operand_type(s->p, op, i));
  for (uint32_t i = 0; i < o->n_results; i++)
    must |= !splitter_is_movable(s->p->context, op_result_type(s->p, op, i));
  return must;
}

static void add_pattern(Strategies *s, int64_t outer, int64_t inner) {
  if (outer <= 1 || inner <= 1 || s->patterns.count == MOST_PATTERNS) return;
  for (uint32_t i = 0; i < s->patterns.count; i++)
    if (s->patterns.items[i].outer == outer && s->patterns.items[i].inner == inner) return;
  VEC_PUSH(&s->arena, &s->patterns, ((StridePattern){outer, inner}));
}

void strategies_find_patterns(Strategies *s) {
  FactorOptions options = {.own = true};
  for (OpId op = s->p->root; op; op = op_walk_next(s->p, op, s->p->root)) {
    const OpDef *def = op_row(op_at(s->p, op)->code)->def;
    if (!def || !def->strides || must_be_replicated(s, op)) continue;
    ArenaMark mark = arena_mark(&s->scratch);
    FactorMap m;
    uint32_t n = op_factors(s->p, op, &options, &s->scratch, &m) ? factor_map_n_tensors(&m) : 0;
    for (uint32_t t = 0; t < n; t++)
      for (uint32_t d = 0; d < factor_map_rank(&m, t); d++) {
        FactorList list = factor_map_dim(&m, t, d);
        int64_t outer = 1, all = 1;
        for (uint32_t i = 0; i < list.n; i++) all *= m.factors[list.v[i]].size;
        for (uint32_t i = 0; i + 1 < list.n && all > 0; i++) {
          outer *= m.factors[list.v[i]].size;
          add_pattern(s, outer, all / outer);
        }
      }
    arena_rewind(&s->scratch, mark);
  }
}

static uint32_t find_strategies(Strategies *s, OpId op, const FactorMap *m) {
  Finder f = {.s = s, .division = &s->divisions.items[0]};
  splitter_init(&f.splitter, &s->builder, op, m);
  f.splitter.blocks = true;
  int64_t *sizes = ARENA_ARRAY(&s->scratch, int64_t, m->n_factors + 1);
  for (uint32_t k = 0; k < m->n_factors; k++) sizes[k] = m->factors[k].size;
  f.sizes = sizes;
  uint8_t usable[MOST_FACTORS];
  uint32_t n = 0;
  for (uint32_t k = 0; k < m->n_factors && n < MOST_FACTORS && k < CARRIED; k++)
    if (splitter_can_split(&f.splitter, k)) usable[n++] = (uint8_t)k;
  for (uint32_t i = 0; i < s->divisions.count; i++) {
    f.division = &s->divisions.items[i];
    f.n_tried = 0;
    assign_axes(&f, 0, usable, n, 0);
    assign_partial(&f, usable, n);
    f.splitter.carried = (AxisList){NULL, 0};
    f.splitter.carried_in = f.splitter.carried_out = COMBINE_NONE;
  }
  f.division = &s->divisions.items[0];
  f.n_tried = 0;
  assign_strided(&f, usable, n);
  uint32_t cut = limit(&f, s->most);
  VEC_PUSH(&s->arena, &s->sets, keep_set(&f, m, cut));
  return s->sets.count - 1;
}

static bool key_equal(const void *owner, uint32_t id, const void *key) {
  return ((const Strategies *)owner)->keys.items[id] == *(const uint64_t *)key;
}

// What a set depends on: the op, and which operands are constants that commute with sums.
static uint64_t key_of(const Strategies *s, OpId op) {
  uint64_t key = op_hash(s->p, op), zeros = 0;
  for (uint32_t i = 0; i < op_at(s->p, op)->n_operands && i < 64; i++)
    zeros |= (uint64_t)op_reduces_to_itself(s->p, op_operand(s->p, op, i), COMBINE_SUM) << i;
  return hash_mix(key, zeros);
}

uint32_t strategies_of_op(Strategies *s, OpId op) {
  if (must_be_replicated(s, op) || !s->divisions.count) return 0;
  uint64_t key = key_of(s, op);
  uint32_t id = idmap_find(&s->set_ids, key, key_equal, s, &key);
  if (id) return id;
  FactorMap m;
  FactorOptions options = {.own = true};
  if (s->call_rules) {
    options.custom_call = custom_rules_factors;
    options.user = s->call_rules;
  }
  ArenaMark mark = arena_mark(&s->scratch);
  bool local = false, splits = op_factors_local(s->p, op, &options, &s->arena, &m, &local);
  id = splits ? find_strategies(s, op, &m) : 0;
  arena_rewind(&s->scratch, mark);
  if (id) VEC_PUSH(&s->arena, &s->keys, key);
  if (id && local) idmap_add(&s->set_ids, s->guard, key, id);
  return id;
}
