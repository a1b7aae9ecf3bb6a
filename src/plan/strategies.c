// Problem: list the ways to run an op. Their number is exponential in the number of mesh axes.
//
// Idea: each axis goes to one factor, to none, or (partial sums) is carried. Axes of one factor are
// in the mesh's order. What the op cannot run with (strategy/splitter.h) is left out. If there are
// more than the limit, those with the least work stay, and always the replicated one.
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
  CARRIED = 0xfe
};
// Uneven shards have padding: a factor must have this many elements per device.
enum { LEAST_UNEVEN = 16 };
// Assignments of axes that are looked at per op or type: with many axes, not all.
enum { MOST_TRIED = 20000 };

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
  VEC_PUSH(&s->arena, &s->lists, (ShardingList){0});
  VEC_PUSH(&s->arena, &s->sets, (StrategySet){0});
  VEC_PUSH(&s->arena, &s->keys, 0);
  VEC_PUSH(&s->arena, &s->held_types, 0);
  VEC_PUSH(&s->arena, &s->held, 0);
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

static bool type_equal(const void *owner, uint32_t id, const void *key) {
  return ((const Strategies *)owner)->held_types.items[id] == *(const Type *)key;
}

static Sharding of_dims(Strategies *s, const TypeInfo *type, const uint8_t *where) {
  const Mesh *mesh = sharding_mesh(s->table, s->mesh);
  DimSharding *dims = ARENA_ARRAY(&s->scratch, DimSharding, type->rank + 1);
  bool any = false;
  for (uint32_t d = 0; d < type->rank; d++) {
    AxisRef *axes = ARENA_ARRAY(&s->scratch, AxisRef, mesh->n_axes + 1);
    ShardFactor *factor = ARENA_NEW(&s->scratch, ShardFactor);
    int64_t ways = 1;
    for (uint32_t a = 0; a < mesh->n_axes; a++) {
      if (where[a] != d) continue;
      axes[factor->axes.n++] = axis_full(mesh, a);
      ways *= mesh->axes[a].size;
    }
    factor->axes.v = axes;
    if (type->dims[d] % ways) return UINT32_MAX;
    any |= ways > 1;
    dims[d] = (DimSharding){factor, 1, false, PRIORITY_NONE};
  }
  ShardingInfo info = {.mesh = s->mesh, .rank = type->rank, .dims = dims};
  return any ? sharding_intern(s->table, &info) : 0;
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

ListId strategies_held(Strategies *s, Type type) {
  uint32_t id = idmap_find(&s->held_ids, hash_mix(type, 7), type_equal, s, &type);
  if (id) return s->held.items[id];
  const Mesh *mesh = sharding_mesh(s->table, s->mesh);
  const TypeInfo *info = type_info(s->p->context, type);
  ArenaMark mark = arena_mark(&s->scratch);
  VEC(Sharding) all = {0};
  VEC_PUSH(&s->scratch, &all, 0);
  bool movable = info->kind == TYPE_TENSOR && info->rank > 0 && mesh->n_axes <= MOST_AXES &&
                 splitter_is_movable(s->p->context, type);
  uint8_t where[MOST_AXES] = {0};
  for (uint32_t n = 0; movable && n < MOST_TRIED; n++) {  // counts in base rank + 1: `rank` is none
    bool useful = true;
    for (uint32_t a = 0; a < mesh->n_axes; a++)
      useful &= where[a] == info->rank || mesh->axes[a].size > 1;
    Sharding one = useful ? of_dims(s, info, where) : UINT32_MAX;
    if (one && one != UINT32_MAX) VEC_PUSH(&s->scratch, &all, one);
    uint32_t a = 0;
    while (a < mesh->n_axes && ++where[a] > info->rank) where[a++] = 0;
    if (a == mesh->n_axes) break;
  }
  limit_held(s, all.items, &all.count);
  ListId list = strategies_intern(s, all.items, all.count);
  VEC_PUSH(&s->arena, &s->held_types, type);
  VEC_PUSH(&s->arena, &s->held, list);
  idmap_add(&s->held_ids, s->guard, hash_mix(type, 7), s->held.count - 1);
  arena_rewind(&s->scratch, mark);
  return list;
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
  const Mesh *mesh;
  uint8_t where[MOST_AXES];  // per axis: a factor, NONE or CARRIED
  uint32_t n_tried;
  FoundVec found;
} Finder;

// Gives the axes to the factors. False if a factor cannot have that many.
static bool assign(Finder *f, Localizer *cx) {
  Arena *arena = &f->s->scratch;
  for (uint32_t k = 0; k < f->splitter.m->n_factors; k++) {
    AxisRef *axes = ARENA_ARRAY(arena, AxisRef, f->mesh->n_axes + 1);
    uint32_t n = 0;
    int64_t ways = 1, size = f->splitter.m->factors[k].size;
    for (uint32_t a = 0; a < f->mesh->n_axes; a++)
      if (f->where[a] == k) {
        axes[n++] = axis_full(f->mesh, a);
        ways *= f->mesh->axes[a].size;
      }
    if (n && size % ways && size < f->s->least_uneven * ways) return false;
    cx->splits[k].axes = (AxisList){axes, n};
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

// The strategy of f->where, if the op can run so.
static void add(Finder *f, uint32_t partial) {
  Strategies *s = f->s;
  const FactorMap *m = f->splitter.m;
  Localizer cx;
  localize_init(&cx, &s->builder, f->splitter.op, m);
  if (!assign(f, &cx)) return;
  AxisList *asked = ARENA_ARRAY(&s->scratch, AxisList, m->n_factors + 1);
  for (uint32_t k = 0; k < m->n_factors; k++) asked[k] = cx.splits[k].axes;
  Sharding *in = ARENA_ARRAY(&s->scratch, Sharding, m->n_operands + 1);
  Sharding *out = ARENA_ARRAY(&s->scratch, Sharding, m->n_results + 1);
  splitter_derive(&f->splitter, &cx, in, out);
  for (uint32_t k = 0; k < m->n_factors; k++)
    if (!axes_equal(asked[k], cx.splits[k].axes)) return;
  OpStrategy strategy = {.axes = asked,
                         .carried = f->splitter.carried,
                         .partial = partial,
                         .work = work_fraction(&cx)};
  if (cx.bytes > 0)
    strategy.own = splitter_own_price(&cx, s->network, cx.steps ? cx.steps : 1, &s->scratch);
  VEC_PUSH(&s->scratch, &f->found, ((Found){strategy, in, out, f->found.count}));
}

// All assignments of the axes from `axis` on.
static void assign_axes(Finder *f, uint32_t axis, const uint8_t *usable, uint32_t n_usable,
                        uint32_t partial) {
  if (f->n_tried >= MOST_TRIED) return;
  if (axis == f->mesh->n_axes) {
    f->n_tried++;
    AxisRef *carried = ARENA_ARRAY(&f->s->scratch, AxisRef, f->mesh->n_axes + 1);
    uint32_t n = 0;
    for (uint32_t a = 0; a < f->mesh->n_axes; a++)
      if (f->where[a] == CARRIED) carried[n++] = axis_full(f->mesh, a);
    f->splitter.carried = (AxisList){carried, n};
    if ((n > 0) == (partial != 0)) add(f, partial);
    return;
  }
  bool idle = f->mesh->axes[axis].size == 1;
  f->where[axis] = NONE;
  assign_axes(f, axis + 1, usable, n_usable, partial);
  for (uint32_t i = 0; i < n_usable && !idle; i++) {
    f->where[axis] = usable[i];
    assign_axes(f, axis + 1, usable, n_usable, partial);
  }
  if (partial && !idle) {
    f->where[axis] = CARRIED;
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

static uint32_t find_strategies(Strategies *s, OpId op, const FactorMap *m) {
  Finder f = {.s = s, .mesh = sharding_mesh(s->table, s->mesh)};
  splitter_init(&f.splitter, &s->builder, op, m);
  f.splitter.blocks = true;
  uint8_t usable[MOST_FACTORS];
  uint32_t n = 0;
  for (uint32_t k = 0; k < m->n_factors && n < MOST_FACTORS && k < CARRIED; k++)
    if (splitter_can_split(&f.splitter, k)) usable[n++] = (uint8_t)k;
  assign_axes(&f, 0, usable, n, 0);
  assign_partial(&f, usable, n);
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
  if (must_be_replicated(s, op) || sharding_mesh(s->table, s->mesh)->n_axes > MOST_AXES) return 0;
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
