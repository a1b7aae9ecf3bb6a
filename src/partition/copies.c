// Copies of values: the sharding that each value's place has, the copies that a value has so far,
// and the reshard from one to the other when an op needs it.
//
// Problem. Users of a value need it in different shardings. Reshards should be few, and copies
// should not fill the memory.
//
// Idea. Lazy: nothing is resharded before an op needs it, and each copy is kept for later users. So
// a partial sum stays partial while ops commute with it. A new copy is a reshard of the copy from
// which that is cheapest. Constants are rematerialized instead, if a reshard would communicate.
//
// Invariant. Every value that the walk has passed has a copy, except those that only one device has
// (decide_device.c). Copies made in a region end with it. Gathered copies of arguments are
// forgotten after tuning.gathered_life_ops ops and gathered again.
//
// Cost. A value has one copy per sharding that its users need: O(copies) for each need. Prices of
// reshards are computed once per (from, to, type).
#include <math.h>

#include "cost/tuning.h"
#include "explain/reason.h"
#include "partition/walk.h"

// ---- shardings ----

// An axis of another mesh over the same devices, as sub-axes of this mesh. An axis is an interval
// [low, high) of strides of a device's position; sub-axes of this mesh must tile the interval.
// False if they do not.
//
//   from <"a"=4, "b"=2> to <"x"=2, "y"=4>:   "a" (strides 2 to 8)  ->  "x" (4 to 8), "y":(1)2 (2 to
//   4)
static bool translate_axis(const Mesh *from, AxisRef axis, const Mesh *to, Arena *arena,
                           AxisList *out) {
  const MeshAxis *full = &from->axes[axis.axis];
  uint64_t low = (uint64_t)full->stride * (full->size / axis_next(axis)), high = low * axis.size;
  AxisRef *v = ARENA_ARRAY(arena, AxisRef, to->n_axes + 1);
  uint32_t n = 0;
  while (high > low) {
    uint32_t a = 0;
    while (a < to->n_axes &&
           !(to->axes[a].stride < high && high <= (uint64_t)to->axes[a].stride * to->axes[a].size))
      a++;
    if (a == to->n_axes || n == to->n_axes) return false;
    uint64_t top = (uint64_t)to->axes[a].stride * to->axes[a].size;
    uint64_t end = to->axes[a].stride > low ? to->axes[a].stride : low;
    if (top % high || high % end || end % to->axes[a].stride) return false;
    v[n++] = (AxisRef){a, (uint32_t)(top / high), (uint32_t)(high / end)};
    high = end;
  }
  *out = (AxisList){v, n};
  return true;
}

static bool translate_axes(const Mesh *from, AxisList axes, const Mesh *to, Arena *arena,
                           AxisList *out) {
  *out = (AxisList){NULL, 0};
  for (uint32_t i = 0; i < axes.n; i++) {
    AxisList one;
    if (!translate_axis(from, axes.v[i], to, arena, &one)) return false;
    *out = axes_concat(arena, *out, one);
  }
  return true;
}

// Do both meshes have the same devices in the same order?
static bool same_order(const Mesh *a, const Mesh *b) {
  bool same = a->n_devices == b->n_devices;
  for (uint32_t i = 0; same && i < a->n_devices; i++) same = mesh_device(a, i) == mesh_device(b, i);
  return same;
}

// walk_on_mesh, computed once per sharding.
static Sharding translate_sharding(Partition *t, Sharding sharding) {
  const ShardingInfo *info = sharding_info(t->table, sharding);
  const Mesh *from = sharding_mesh(t->table, info->mesh), *to = sharding_mesh(t->table, t->mesh);
  if (!from || !to || !from->n_axes || sharding_is_maximal(t->table, sharding)) return 0;
  bool other = !mesh_equal(from, to);
  if (other && from->n_devices != to->n_devices) return 0;
  DimSharding *dims = ARENA_ARRAY(&t->scratch, DimSharding, info->rank + 1);
  ShardingInfo made = {.mesh = t->mesh,
                       .rank = info->rank,
                       .dims = dims,
                       .unreduced = info->unreduced,
                       .reducer = info->reducer};
  if (other && !translate_axes(from, info->unreduced, to, &t->scratch, &made.unreduced)) return 0;
  bool any = made.unreduced.n > 0;
  for (uint32_t d = 0; d < info->rank; d++) {
    uint32_t n = info->dims[d].n_factors;
    ShardFactor *factors = ARENA_ARRAY(&t->scratch, ShardFactor, n);
    for (uint32_t i = 0; i < n; i++) {
      factors[i] = info->dims[d].factors[i];
      if (other && !translate_axes(from, factors[i].axes, to, &t->scratch, &factors[i].axes))
        return 0;
    }
    dims[d] = (DimSharding){factors, n, false, PRIORITY_NONE};
    any |= sharding_tiles(info, d) > 1;
  }
  return any ? sharding_intern(t->table, &made) : 0;
}

Sharding walk_on_mesh(Partition *t, Sharding sharding) {
  if (!sharding) return 0;
  while (t->on_mesh.count <= sharding) VEC_PUSH(&t->arena, &t->on_mesh, UINT32_MAX);
  if (t->on_mesh.items[sharding] == UINT32_MAX) {
    ArenaMark mark = arena_mark(&t->scratch);
    Sharding made = translate_sharding(t, sharding);
    arena_rewind(&t->scratch, mark);
    t->on_mesh.items[sharding] = made;
  }
  return t->on_mesh.items[sharding];
}

bool walk_is_movable(const Partition *t, Type type) {
  return splitter_is_movable(t->context, type);
}

Sharding walk_given_sharding(const Partition *t, PlaceId place) {
  if (!place) return 0;
  if (t->given && t->given->shardings && t->given->shardings[place] != GIVEN_ANY)
    return t->given->shardings[place];
  const Given *given = propagation_given(t->shardings, place);
  return given ? given->sharding : 0;
}

bool walk_fits_mesh(const Partition *t, PlaceId place, Sharding sharding) {
  const Mesh *own = sharding ? sharding_mesh(t->table, sharding_info(t->table, sharding)->mesh) : 0;
  const Mesh *mesh = sharding_mesh(t->table, t->meshes[t->roots[t->graph->places[place].instance]]);
  return !own || !own->n_axes || (mesh && own->n_devices == mesh->n_devices);
}

Sharding walk_place_sharding(Partition *t, PlaceId place) {
  Sharding given = walk_given_sharding(t, place);
  if (!given || !walk_is_movable(t, t->graph->places[place].type)) return 0;
  Sharding sharding = walk_on_mesh(t, given);
  if (t->local.manual.n) given_check_manual(t, place, sharding);
  return sharding;
}

Sharding walk_place_outside(Partition *t, PlaceId place) {
  Sharding inside = walk_place_sharding(t, place);
  const Mesh *to = sharding_mesh(t->table, t->mesh);
  if (!inside) return 0;
  ShardingInfo info = *sharding_info(t->table, walk_given_sharding(t, place));
  const Mesh *from = sharding_mesh(t->table, info.mesh);
  if (mesh_equal(from, to) || same_order(from, to)) return inside;
  DimSharding *dims = ARENA_ARRAY(&t->scratch, DimSharding, info.rank + 1);
  for (uint32_t d = 0; d < info.rank; d++)
    dims[d] = (DimSharding){info.dims[d].factors, info.dims[d].n_factors, false, PRIORITY_NONE};
  info.dims = dims;
  info.replicated = (AxisList){NULL, 0};
  return sharding_intern(t->table, &info);
}

Sharding walk_required(Partition *t, ValueId v) {
  return walk_place_sharding(t, graph_place(t->graph, t->instance, v));
}

// ---- prices ----

static bool price_equal(const void *owner, uint32_t id, const void *key) {
  const PriceRow *a = &((const Partition *)owner)->prices.items[id], *b = key;
  return a->from == b->from && a->to == b->to && a->type == b->type;
}

// The price of the cheapest plan. Without a plan (local_reshard) the reshard goes through the
// replicated value.
static Price plan_price(Partition *t, Sharding from, Sharding to, Type type) {
  ReshardPlan plan;
  ArenaMark mark = arena_mark(&t->scratch);
  Status *status = reshard_plan(t->table, t->network, from, to, type, &t->scratch, &plan);
  arena_rewind(&t->scratch, mark);
  if (!status) return plan.price;
  status_free(status);
  if (!from || !to) return (Price){0, 0, 0};
  return price_sum(walk_reshard_price(t, from, 0, type), walk_reshard_price(t, 0, to, type));
}

Price walk_reshard_price(Partition *t, Sharding from, Sharding to, Type type) {
  if (from == to) return (Price){0, 0, 0};
  PriceRow row = {.from = from, .to = to, .type = type};
  uint64_t hash = hash_mix(hash_mix(from, to), type);
  uint32_t id = idmap_find(&t->price_ids, hash, price_equal, t, &row);
  if (id) return t->prices.items[id].price;
  row.price = plan_price(t, from, to, type);
  if (!t->prices.count) VEC_PUSH(&t->arena, &t->prices, (PriceRow){0});
  VEC_PUSH(&t->arena, &t->prices, row);
  idmap_add(&t->price_ids, t->guard, hash, t->prices.count - 1);
  return row.price;
}

// ---- copies ----

uint32_t walk_mark(const Partition *t) { return t->made.count; }

void walk_rewind(Partition *t, uint32_t mark) {
  while (t->made.count > mark) {
    ValueId v = t->made.items[--t->made.count];
    t->copies[v] = t->copies[v]->next;
  }
}

CopyId walk_new_copy(Partition *t, ValueId v, Sharding sharding, Type type) {
  if (!type) type = walk_local_type(t, sharding, value_type(t->p, v));
  if (!t->infos.count) VEC_PUSH(&t->arena, &t->infos, (CopyInfo){0});
  VEC_PUSH(&t->arena, &t->infos, ((CopyInfo){v, sharding, type}));
  return t->infos.count - 1;
}

CopyId walk_decide_reshard(Partition *t, ValueId v, CopyId from, Sharding has, Sharding to) {
  CopyId made = walk_new_copy(t, v, to, 0);
  Decision *d = walk_decide(t, DECISION_RESHARD, t->local.origin, 1, 1);
  decision_in(d)[0] = from;
  decision_out(d)[0] = made;
  d->reshard.value = v;
  d->reshard.from = has;
  d->reshard.to = to;
  return made;
}

void walk_set(Partition *t, ValueId v, CopyId id, Sharding sharding) {
  Copy *copy = ARENA_NEW(&t->arena, Copy);
  *copy = (Copy){.id = id, .sharding = sharding, .used = t->clock, .next = t->copies[v]};
  t->copies[v] = copy;
  VEC_PUSH(&t->arena, &t->made, v);
}

// Gathered copies of arguments, and of simple functions of arguments, do not stay: a layer's
// weights are gathered again in the backward pass. Otherwise the gathered weights of all layers
// would be alive at once.
enum { STORED_DEPTH = 4 };

static bool is_stored(const Partition *t, ValueId v, uint32_t depth) {
  OpId op = value_def(t->p, v);
  if (!op) return true;
  const Op *o = op_at(t->p, op);
  uint32_t traits = op_row(o->code)->traits;
  return depth && o->n_operands == 1 && traits & (TRAIT_ELEMENTWISE | TRAIT_PASSES) &&
         is_stored(t, op_operand(t->p, op, 0), depth - 1);
}

static bool is_gone(const Partition *t, const Copy *copy) {
  return copy->gathered && t->clock - copy->used > tuning.gathered_life_ops;
}

// The copy from which the sharding is cheapest.
static Copy *cheapest(Partition *t, ValueId v, Sharding sharding, Price *out) {
  Copy *best = NULL;
  for (Copy *copy = t->copies[v]; copy; copy = copy->next) {
    if (is_gone(t, copy)) continue;
    Price price = walk_reshard_price(t, copy->sharding, sharding, value_type(t->p, v));
    if (best && (price.seconds > out->seconds ||
                 (price.seconds == out->seconds && copy->sharding != sharding)))
      continue;
    best = copy;
    *out = price;
    if (copy->sharding == sharding) break;
  }
  return best;
}

Price walk_price(Partition *t, ValueId v, Sharding sharding) {
  Price price = {0, 0, 0};
  if (walk_is_rematerialized(t, v)) return price;
  cheapest(t, v, sharding, &price);
  return price;
}

// A decision to reshard, with price and reason.
static CopyId reshard(Partition *t, ValueId v, const Copy *from, Sharding to, Price price) {
  CopyId made = walk_decide_reshard(t, v, from->id, from->sharding, to);
  Decision *d = &t->decisions.items[t->decisions.count - 1];
  d->price = price;
  if (t->options.why) d->loc = reason_reshard(&t->words, v, from->sharding, to, t->local.origin);
  return made;
}

// The copy to use or to reshard, as a given decision names it. NULL: no decision is given, and the
// value has no copy in the required sharding.
static Status *given_source(Partition *t, ValueId v, Sharding sharding, Copy **out, Price *price) {
  *out = NULL;
  GivenCopy *again = given_copy(t, v, sharding, true);
  if (again && !walk_is_rematerialized(t, v))
    return given_refuse(t, again->op, again->line, "the value cannot be rematerialized");
  if (again) TRY(walk_rematerialize(t, v, sharding));
  GivenCopy *from = given_copy(t, v, sharding, false);
  Sharding source = from ? from->from : sharding;
  Copy *copy = t->copies[v];
  while (copy && copy->sharding != source) copy = copy->next;
  if (from && !copy)
    return given_refuse(t, from->op, from->line, "the value has no copy in the sharding \"from\"");
  if (again && !from && !copy)
    return given_refuse(t, again->op, again->line, "the value cannot be rematerialized so");
  *out = copy;
  *price = walk_reshard_price(t, source, sharding, value_type(t->p, v));
  return NULL;
}

Status *walk_get(Partition *t, ValueId v, Sharding sharding, CopyId *out) {
  Price price = {0, 0, 0};
  Copy *copy = NULL;
  if (t->given && t->given->copies.count > 1) TRY(given_source(t, v, sharding, &copy, &price));
  if (!copy) copy = cheapest(t, v, sharding, &price);
  if (copy->sharding != sharding && price.bytes > 0 && walk_is_rematerialized(t, v)) {
    TRY(walk_rematerialize(t, v, sharding));
    copy = cheapest(t, v, sharding, &price);
  }
  copy->used = t->clock;
  *out = copy->id;
  if (copy->sharding == sharding) return NULL;
  *out = reshard(t, v, copy, sharding, price);
  if (price.bytes > 0) walk_keep_invariant(t, v, sharding);
  walk_set(t, v, *out, sharding);
  t->copies[v]->gathered = price.bytes > 0 && is_stored(t, v, STORED_DEPTH);
  return NULL;
}

Status *walk_finish(Partition *t, ValueId v, CopyId copy, Sharding has) {
  walk_set(t, v, copy, has);
  Sharding required = walk_required(t, v);
  if (has == required || walk_reshard_price(t, has, required, value_type(t->p, v)).bytes > 0)
    return NULL;
  return walk_get(t, v, required, &copy);
}
