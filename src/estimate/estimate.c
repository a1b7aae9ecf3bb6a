// Problem: a search tries thousands of shardings; compiling the program for each takes too long.
//
// Idea: the price is a sum over nodes (ops) and places (values) of the graph, and a maximum over
// time. A node's terms depend on the shardings of its own places; a place's terms on its sharding
// and on what its nodes produce and require. So a changed place reprices the nodes around it, and
// these reprice the places whose requirements changed. The sums are kept in integers (picoseconds,
// bytes), so undoing a change restores them exactly, and a sum does not depend on its history.
//
//   %w: [{"x"},{}] was [{},{}]  ->  dot %x, %w is priced again: it requires %x [{},{"x"}]
//                               ->  %x is priced again: it is now resharded for the dot
//
// Invariant: after estimate_price, everything equals what a new Estimate would compute. Cost:
// O(changed places · their uses · log graph); reshards are priced once per pair of shardings.
#include "estimate/estimate.h"

#include <assert.h>
#include <math.h>

#include "base/idmap.h"
#include "base/mem.h"
#include "cost/fusion.h"
#include "cost/op_seconds.h"
#include "cost/trips.h"
#include "estimate/curve.h"
#include "ops/functions.h"
#include "ops/work.h"
#include "reshard/reshard.h"
#include "strategy/splitter.h"

#define UNITS 1e12  // of a second

typedef struct Moved {  // to and from memory
  uint32_t tensor;
  double bytes;  // global
} Moved;

// What is known of a node from the start.
typedef struct NodeFacts {
  const FactorMap *map;  // NULL: it runs on replicated operands, or is data flow
  double runs, flops;
  const Moved *moved;
  uint32_t n_moved;
  uint32_t need;  // index of its first tensor in Estimate.need
  bool starts;    // the first op of its fusion
  bool free;      // takes no time
} NodeFacts;

typedef struct Terms {
  int64_t compute, communication;  // 1 / UNITS seconds
  int64_t bytes;                   // sent
  int64_t held;                    // memory: of a place over its interval, of a node's copies
} Terms;

typedef struct ReshardRow {
  Sharding from, to;
  Type type;
  Price price;
} ReshardRow;

struct Estimate {
  Propagation *propagation;
  const Graph *g;
  Program *p;
  ShardingTable *table;
  MeshId mesh;
  const Machine *machine;
  CustomRules *call_rules;
  Network network;
  Rates rates;
  Guard *guard;
  Arena arena, scratch;
  Builder builder;
  Fusion fusion;
  NodeFacts *facts;       // per node
  Sharding *need;         // per node and tensor: required of an operand, produced of a result
  Terms *node_terms;      // per node
  Terms *place_terms;     // per place
  double *place_runs;     // per place: how often it is computed
  uint32_t *begin, *end;  // per place: live interval in nodes; begin 0: it is not stored
  Curve curve;
  Terms total;  // `held` is not used
  HEAPVEC(ReshardRow) reshards;
  IdMap reshard_ids;
  HEAPVEC(Sharding) plain;   // per sharding: plain_of, + 1; 0 = unknown
  HEAPVEC(PlaceId) changed;  // since the last price
  HEAPVEC(NodeId) nodes;     // to price
  HEAPVEC(PlaceId) places;   // to price
  bool *place_waits, *node_waits, *place_changed;
  uint32_t seen;  // events of the propagation
  uint64_t visited;
};

// ---- shardings ----

// As partitioned: no open dimensions, priorities and explicit replication; 0 if it is replicated,
// or on another mesh.
static Sharding plain_of(Estimate *e, Sharding sharding) {
  if (!sharding) return 0;
  if (sharding < e->plain.count && e->plain.items[sharding]) return e->plain.items[sharding] - 1;
  const ShardingInfo *info = sharding_info(e->table, sharding);
  ArenaMark mark = arena_mark(&e->scratch);
  DimSharding *dims = ARENA_ARRAY(&e->scratch, DimSharding, info->rank + 1);
  for (uint32_t d = 0; d < info->rank; d++) {
    dims[d] = info->dims[d];
    dims[d].open = false;
    dims[d].priority = PRIORITY_NONE;
  }
  ShardingInfo changed = *info;
  changed.mesh = e->mesh;
  changed.dims = dims;
  changed.replicated = (AxisList){NULL, 0};
  bool here = info->mesh == e->mesh ||
              mesh_equal(sharding_mesh(e->table, info->mesh), sharding_mesh(e->table, e->mesh));
  Sharding plain = here ? sharding_intern(e->table, &changed) : 0;
  if (plain && sharding_is_replicated(e->table, plain)) plain = 0;
  arena_rewind(&e->scratch, mark);
  while (e->plain.count <= sharding) HEAPVEC_PUSH(e->guard, &e->plain, 0);
  e->plain.items[sharding] = plain + 1;
  return plain;
}

static Sharding state_of(Estimate *e, PlaceId place) {
  return plain_of(e, propagation_get(e->propagation, place));
}

// The elements of a tile, of all.
static double fraction(const Estimate *e, Sharding sharding, Type type) {
  const ShardingInfo *info = sharding_info(e->table, sharding);
  const TypeInfo *shape = type_info(e->p->context, type);
  double part = 1;
  for (uint32_t d = 0; sharding && d < info->rank && d < shape->rank; d++) {
    int64_t size = shape->dims[d], tiles = sharding_tiles(info, d);
    if (size > 0 && tiles > 1) part *= (double)((size + tiles - 1) / tiles) / (double)size;
  }
  return part;
}

static int64_t local_bytes(const Estimate *e, Sharding sharding, Type type) {
  return llround(fusion_bytes(e->p, type) * fraction(e, sharding, type));
}

static bool row_equal(const void *owner, uint32_t id, const void *key) {
  const ReshardRow *a = &((const Estimate *)owner)->reshards.items[id], *b = key;
  return a->from == b->from && a->to == b->to && a->type == b->type;
}

// Without a plan, a reshard goes through the replicated value.
static Price reshard_price(Estimate *e, Sharding from, Sharding to, Type type) {
  if (from == to) return (Price){0, 0, 0};
  ReshardRow row = {from, to, type, {0, 0, 0}};
  uint64_t hash = hash_mix(hash_mix(from, to), type);
  uint32_t id = idmap_find(&e->reshard_ids, hash, row_equal, e, &row);
  if (id) return e->reshards.items[id].price;
  ArenaMark mark = arena_mark(&e->scratch);
  Status *status = reshard_estimate(e->table, &e->network, from, to, type, &e->scratch, &row.price);
  arena_rewind(&e->scratch, mark);
  bool planned = !status;
  status_free(status);
  if (!planned) row.price = (Price){0, 0, 0};
  if (!planned && from && to)
    row.price = price_sum(reshard_price(e, from, 0, type), reshard_price(e, 0, to, type));
  // A slice sends nothing, but reads and writes memory.
  if (planned && row.price.bytes <= 0 && to)
    row.price.seconds +=
        rates_seconds(&e->rates, 0, 2 * (double)local_bytes(e, to, type), DT_f32, false);
  HEAPVEC_PUSH(e->guard, &e->reshards, row);
  idmap_add(&e->reshard_ids, e->guard, hash, e->reshards.count - 1);
  return row.price;
}

static void add_reshard(Estimate *e, Terms *t, Sharding from, Sharding to, Type type, double runs) {
  Price price = reshard_price(e, from, to, type);
  t->communication += llround(price.seconds * runs * UNITS);
  t->bytes += llround(price.bytes * runs);
}

// ---- facts ----

static double instance_runs(const Estimate *e, InstanceId instance) {
  double runs = 1;
  bool unknown = false;
  for (const Instance *i = &e->g->instances[instance]; i->call; i = &e->g->instances[i->caller])
    runs *= op_runs(e->p, i->call, &unknown);
  return runs;
}

static double runs_in(const Estimate *e, InstanceId instance, OpId op) {
  bool unknown = false;
  return op ? op_runs(e->p, op, &unknown) * instance_runs(e, instance) : 1;
}

// As in cost/simulate.c: operands that no op of the fusion made or read before, and stored results.
static void list_moved(Estimate *e, OpId op, uint32_t *read_by, NodeFacts *f) {
  const Program *p = e->p;
  uint32_t n = op_at(p, op)->n_operands, n_results = op_at(p, op)->n_results, count = 0;
  uint32_t group = e->fusion.group[op];
  Moved *moved = ARENA_ARRAY(&e->arena, Moved, n + n_results + 1);
  for (uint32_t i = 0; i < n; i++) {
    ValueId r = e->fusion.root[op_operand(p, op, i)];
    OpId from = value_def(p, r);
    bool fused = from && op_fusing(p, from) && e->fusion.group[from] == group;
    if (e->fusion.constant[r] || fused || read_by[r] == group) continue;
    read_by[r] = group;
    uint32_t at = work_touched(p, op, i);
    Type type = at < n ? op_operand_type(p, op, at) : op_result_type(p, op, at - n);
    moved[count++] = (Moved){at, fusion_bytes(p, type)};
  }
  for (uint32_t i = 0; i < n_results; i++) {
    ValueId v = op_result(p, op, i);
    if (e->fusion.root[v] != v || !e->fusion.stored[v]) continue;
    uint32_t at = work_touched(p, op, n + i);
    Type type = at < n ? op_operand_type(p, op, at) : op_result_type(p, op, at - n);
    moved[count++] = (Moved){at, fusion_bytes(p, type)};
  }
  f->moved = moved;
  f->n_moved = count;
}

static bool takes_no_time(const Estimate *e, OpId op) {
  const Op *o = op_at(e->p, op);
  bool free = o->n_results > 0;
  for (uint32_t i = 0; i < o->n_results; i++) {
    ValueId r = e->fusion.root[op_result(e->p, op, i)];
    free &= e->fusion.constant[r] || r != op_result(e->p, op, i);
  }
  return free || op_keeps_buffer(e->p, op) || op_row(o->code)->traits & TRAIT_CONSTANT;
}

static bool can_split(const Estimate *e, OpId op) {
  const Program *p = e->p;
  bool can = !(op_traits(p, op) & TRAIT_SIZED_BY_VALUES) && !op_has_effects(p, op);
  for (uint32_t i = 0; i < op_at(p, op)->n_operands; i++)
    can &= splitter_is_movable(p->context, op_operand_type(p, op, i));
  for (uint32_t i = 0; i < op_at(p, op)->n_results; i++)
    can &= splitter_is_movable(p->context, op_result_type(p, op, i));
  return can;
}

static const FactorMap *find_map(Estimate *e, OpId op) {
  FactorOptions options = {.own = true};
  if (e->call_rules) {
    options.custom_call = custom_rules_factors;
    options.user = e->call_rules;
  }
  FactorMap *map = ARENA_NEW(&e->arena, FactorMap);
  bool local;
  return op_factors_local(e->p, op, &options, &e->arena, map, &local) ? map : NULL;
}

static void find_facts(Estimate *e) {
  const Graph *g = e->g;
  uint32_t *read_by = ARENA_ARRAY(&e->scratch, uint32_t, e->p->values.count + 1), n_need = 0;
  bool *started = ARENA_ARRAY(&e->scratch, bool, e->p->ops.count + 1);
  // Ops of equal code, attributes and types share a map in the graph.
  const FactorMap **maps = ARENA_ARRAY(&e->scratch, const FactorMap *, g->n_maps + 1);
  e->facts = ARENA_ARRAY(&e->arena, NodeFacts, g->n_nodes + 1);
  for (NodeId n = 1; n < g->n_nodes; n++) {
    const Node *node = &g->nodes[n];
    NodeFacts *f = &e->facts[n];
    f->need = n_need;
    n_need += factor_map_n_tensors(node_map(g, n));
    if (node->kind != NODE_OP) continue;
    f->runs = runs_in(e, node->instance, node->op);
    f->flops = op_work(e->p, node->op);
    f->free = takes_no_time(e, node->op);
    if (!f->free) list_moved(e, node->op, read_by, f);
    f->starts = !f->free && !started[e->fusion.group[node->op]];
    if (f->starts) started[e->fusion.group[node->op]] = true;
    if (!can_split(e, node->op)) continue;
    const FactorMap *map = maps[node->map] ? maps[node->map] : find_map(e, node->op);
    maps[node->map] = map;
    bool fits = map && factor_map_n_tensors(map) == factor_map_n_tensors(node_map(g, n));
    f->map = fits ? map : NULL;
  }
  e->need = ARENA_ARRAY(&e->arena, Sharding, n_need + 1);
}

// ---- live intervals ----

// The last node inside each op with regions, per op.
static NodeId *last_inside(Estimate *e) {
  const Graph *g = e->g;
  NodeId *last = ARENA_ARRAY(&e->scratch, NodeId, e->p->ops.count + 1);
  for (NodeId n = 1; n < g->n_nodes; n++)
    for (OpId o = g->nodes[n].op; o; o = op_parent(e->p, o)) last[o] = n;
  return last;
}

// A value that is used in a loop lives to the end of the loop, unless it is made there.
static NodeId last_use(const Estimate *e, NodeId user, OpId from, const NodeId *last) {
  NodeId end = user;
  OpId home = from ? op_parent(e->p, from) : 0;
  for (OpId o = op_parent(e->p, e->g->nodes[user].op); o && o != home; o = op_parent(e->p, o)) {
    if (op_is_function(e->p, o)) break;
    end = last[o] > end ? last[o] : end;
  }
  return end;
}

static bool is_donated(const Estimate *e, OpId function, uint32_t i) {
  const AttrInfo *dicts = attr_info(e->p->context, op_attr(e->p, function, "arg_attrs"));
  if (dicts->kind != ATTR_ARRAY || i >= dicts->count) return false;
  return attr_get(e->p->context, dicts->items[i], "tf.aliasing_output") ||
         attr_get(e->p->context, dicts->items[i], "jax.buffer_donor");
}

// Arguments of entry functions live from the first node; to the end, unless they are donated.
static void find_argument(Estimate *e, PlaceId place, ValueId v) {
  const Instance *instance = &e->g->instances[e->g->places[place].instance];
  const Value *value = value_at(e->p, v);
  if (instance->caller || !value->is_arg ||
      function_argument(e->p, instance->function, value->index) != v)
    return;
  e->begin[place] = 1;
  if (!is_donated(e, instance->function, value->index)) e->end[place] = e->g->n_nodes;
}

static void find_intervals(Estimate *e) {
  const Graph *g = e->g;
  const NodeId *last = last_inside(e);
  e->begin = ARENA_ARRAY(&e->arena, uint32_t, g->n_places + 1);
  e->end = ARENA_ARRAY(&e->arena, uint32_t, g->n_places + 1);
  e->place_runs = ARENA_ARRAY(&e->arena, double, g->n_places + 1);
  for (PlaceId place = 1; place < g->n_places; place++) {
    ValueId v = g->places[place].value;
    e->place_runs[place] = v ? runs_in(e, g->places[place].instance, value_owner(e->p, v)) : 1;
    if (!v) continue;  // a result: the returned value's buffer
    uint32_t first = g->adjacent_first[place], end = g->adjacent_first[place + 1];
    ValueId root = e->fusion.root[v];
    bool stored = e->fusion.stored[root] && !e->fusion.constant[root] && root == v;
    if (stored && first < end) e->begin[place] = g->adjacent[first];
    OpId from = value_owner(e->p, v);
    for (uint32_t i = first; i < end; i++) {
      NodeId until = last_use(e, g->adjacent[i], from, last);
      if (until > e->end[place]) e->end[place] = until;
    }
    find_argument(e, place, v);
  }
  // A reshape lives in its operand's buffer. Users come after definitions, so one pass from the end
  // suffices.
  for (PlaceId place = g->n_places; place-- > 1;) {
    ValueId v = g->places[place].value, root = v ? e->fusion.root[v] : 0;
    PlaceId of = root && root != v ? graph_place(g, g->places[place].instance, root) : 0;
    if (of && e->end[place] > e->end[of]) e->end[of] = e->end[place];
  }
}

// ---- nodes ----

// Gives the axes of a dimension to its factors, major to minor, as far as they divide and are free.
static void propose_dim(const Splitter *s, Localizer *cx, const ShardingInfo *info, uint32_t tensor,
                        uint32_t d) {
  FactorList factors = factor_map_dim(cx->map, tensor, d);
  AxisList axes = sharding_dim_axes(info, d);
  Arena *arena = cx->builder->arena;
  for (uint32_t i = 0; i < factors.n && axes.n; i++) {
    uint32_t f = factors.v[i];
    int64_t size = cx->map->factors[f].size;
    if (size <= 1) continue;
    AxisRef *mine = ARENA_ARRAY(arena, AxisRef, axes.n + 1);
    // The last factor may be split unevenly; the others must be used up before the next one.
    uint32_t n = axes.n;
    if (i + 1 < factors.n)
      n = axes_prefix_dividing(axes, size, mine);
    else
      for (uint32_t k = 0; k < n; k++) mine[k] = axes.v[k];
    AxisList taken = {mine, n};
    if (cx->splits[f].axes.n || !splitter_can_split(s, f)) return;
    AxisList free = splitter_free_axes(s, cx->splits, taken);
    cx->splits[f].axes = free;
    if (free.n < n || axes_size(free) < size || !axes_is_prefix(taken, axes)) return;
    AxisRef *rest = ARENA_ARRAY(arena, AxisRef, axes.n + 1);
    axes = (AxisList){rest, axes_without_prefix(axes, taken, rest)};
  }
}

static void propose(const Estimate *e, const Splitter *s, Localizer *cx, const Sharding *now) {
  uint32_t n = cx->map->n_operands, all = factor_map_n_tensors(cx->map);
  for (uint32_t k = 0; k < all; k++) {  // results, then operands
    uint32_t tensor = k < all - n ? n + k : k - (all - n);
    const ShardingInfo *info = sharding_info(e->table, now[tensor]);
    for (uint32_t d = 0; now[tensor] && d < info->rank && d < factor_map_rank(cx->map, tensor); d++)
      if (info->dims[d].n_factors == 1) propose_dim(s, cx, info, tensor, d);
  }
}

static double work_fraction(const Localizer *cx) {
  double work = 1;
  for (uint32_t f = 0; f < cx->map->n_factors; f++) {
    int64_t size = cx->map->factors[f].size, ways = localize_ways(cx, f);
    if (size > 0) work *= (double)((size + ways - 1) / ways) / (double)size;
  }
  return work;
}

static Type tensor_type(const Estimate *e, OpId op, uint32_t i) {
  uint32_t n = op_at(e->p, op)->n_operands;
  return i < n ? op_operand_type(e->p, op, i) : op_result_type(e->p, op, i - n);
}

// The seconds of a device's share.
static double op_share_seconds(const Estimate *e, NodeId n, double work, const Sharding *as) {
  const NodeFacts *f = &e->facts[n];
  OpId op = e->g->nodes[n].op;
  if (f->free) return 0;
  double bytes = 0, flops = f->flops * work;
  for (uint32_t i = 0; i < f->n_moved; i++)
    bytes += f->moved[i].bytes *
             fraction(e, as[f->moved[i].tensor], tensor_type(e, op, f->moved[i].tensor));
  bool contracts = op_contracts(e->p, op);
  if (contracts && op_at(e->p, op)->n_operands == 2) {
    double sizes[3];
    for (uint32_t i = 0; i < 3; i++) {
      Type type = tensor_type(e, op, i);
      int64_t count = 0;
      sizes[i] =
          type_count(e->p->context, type, &count) ? (double)count * fraction(e, as[i], type) : 0;
    }
    flops *= op_padding(e->p, op, &e->rates, flops, sizes[0], sizes[1], sizes[2]);
  }
  DType dtype = op_at(e->p, op)->n_operands
                    ? type_dtype(e->p->context, op_operand_type(e->p, op, 0))
                    : DT_f32;
  return rates_seconds(&e->rates, flops, bytes, dtype, contracts) +
         (f->starts ? e->rates.op_seconds : 0);
}

// What an op requires and produces, given the present shardings, and its own terms.
static Terms price_op(Estimate *e, NodeId n, const Sharding *now, Sharding *as) {
  const NodeFacts *f = &e->facts[n];
  OpId op = e->g->nodes[n].op;
  Terms terms = {0};
  double work = 1;
  if (f->map) {
    Splitter splitter;
    Localizer cx;
    splitter_init(&splitter, &e->builder, op, f->map);
    splitter.blocks = true;
    localize_init(&cx, &e->builder, op, f->map);
    propose(e, &splitter, &cx, now);
    splitter_derive(&splitter, &cx, as, as + f->map->n_operands);
    for (uint32_t i = 0; i < factor_map_n_tensors(f->map); i++) as[i] = plain_of(e, as[i]);
    work = work_fraction(&cx);
    if (cx.bytes > 0) {
      Price own = splitter_own_price(&cx, &e->network, cx.steps ? cx.steps : 1, &e->scratch);
      terms.communication = llround(own.seconds * f->runs * UNITS);
      terms.bytes = llround(own.bytes * f->runs);
    }
  }
  terms.compute = llround(op_share_seconds(e, n, work, as) * f->runs * UNITS);
  return terms;
}

static void push_place(Estimate *e, PlaceId place) {
  if (!place || e->place_waits[place]) return;
  e->place_waits[place] = true;
  HEAPVEC_PUSH(e->guard, &e->places, place);
}

static void replace_terms(Estimate *e, Terms *old, Terms new) {
  e->total.compute += new.compute - old->compute;
  e->total.communication += new.communication - old->communication;
  e->total.bytes += new.bytes - old->bytes;
  *old = new;
}

static void price_node(Estimate *e, NodeId n) {
  const Graph *g = e->g;
  const FactorMap *m = node_map(g, n);
  const PlaceId *places = node_tensors(g, n);
  uint32_t all = factor_map_n_tensors(m);
  ArenaMark mark = arena_mark(&e->scratch);
  Sharding *now = ARENA_ARRAY(&e->scratch, Sharding, all + 1);
  Sharding *as = ARENA_ARRAY(&e->scratch, Sharding, all + 1);
  for (uint32_t i = 0; i < all; i++) now[i] = state_of(e, places[i]);
  Terms terms = {0};
  if (g->nodes[n].kind == NODE_OP) {
    terms = price_op(e, n, now, as);
  } else {
    // Sources become the target. At the border of a manual computation nothing moves.
    for (uint32_t i = 0; i < all; i++)
      as[i] = g->nodes[n].view || m->n_results != 1 ? now[i] : now[m->n_operands];
  }
  for (uint32_t i = 0; i < all; i++) {
    Sharding *need = &e->need[e->facts[n].need + i];
    if (i < m->n_operands && places[i] && as[i] != now[i] && g->nodes[n].kind == NODE_OP)
      terms.held += local_bytes(e, as[i], g->places[places[i]].type);
    if (*need != as[i]) push_place(e, places[i]);
    *need = as[i];
  }
  arena_rewind(&e->scratch, mark);
  curve_add(&e->curve, n, n, terms.held - e->node_terms[n].held);
  replace_terms(e, &e->node_terms[n], terms);
  e->visited++;
}

// ---- places ----

// A sharding that users of a place require.
typedef struct Wanted {
  Sharding sharding;
  double runs;
} Wanted;

static void want(Wanted *list, uint32_t *n, Sharding sharding, double runs) {
  uint32_t i = 0;
  while (i < *n && list[i].sharding != sharding) i++;
  if (i == *n)
    list[(*n)++] = (Wanted){sharding, runs};
  else if (runs > list[i].runs)
    list[i].runs = runs;
}

static void price_place(Estimate *e, PlaceId place) {
  const Graph *g = e->g;
  Sharding now = state_of(e, place);
  Type type = g->places[place].type;
  Terms terms = {0};
  ArenaMark mark = arena_mark(&e->scratch);
  uint32_t first = g->adjacent_first[place], end = g->adjacent_first[place + 1], n_wanted = 0;
  uint32_t uses = 0;
  for (uint32_t i = first; i < end; i++) uses += factor_map_n_tensors(node_map(g, g->adjacent[i]));
  Wanted *wanted = ARENA_ARRAY(&e->scratch, Wanted, uses + 1);
  for (uint32_t i = first; i < end; i++) {
    NodeId n = g->adjacent[i];
    if (i > first && n == g->adjacent[i - 1]) continue;
    const FactorMap *m = node_map(g, n);
    const Sharding *need = e->need + e->facts[n].need;
    bool op = g->nodes[n].kind == NODE_OP;
    for (uint32_t k = 0; k < factor_map_n_tensors(m); k++) {
      if (node_tensors(g, n)[k] != place) continue;
      if (k >= m->n_operands)
        add_reshard(e, &terms, need[k], now, type, op ? e->facts[n].runs : e->place_runs[place]);
      else if (need[k] != now)
        want(wanted, &n_wanted, need[k], op ? e->facts[n].runs : e->place_runs[place]);
    }
    e->visited++;
  }
  for (uint32_t i = 0; i < n_wanted; i++)
    add_reshard(e, &terms, now, wanted[i].sharding, type, wanted[i].runs);
  if (e->begin[place]) terms.held = local_bytes(e, now, type);
  arena_rewind(&e->scratch, mark);
  Terms *old = &e->place_terms[place];
  if (e->begin[place]) curve_add(&e->curve, e->begin[place], e->end[place], terms.held - old->held);
  replace_terms(e, old, terms);
}

// ---- changes ----

static void touch(Estimate *e, PlaceId place) {
  if (e->place_changed[place]) return;
  e->place_changed[place] = true;
  HEAPVEC_PUSH(e->guard, &e->changed, place);
}

void estimate_before_pop(Estimate *e, uint32_t mark) {
  for (uint32_t i = mark; i < propagation_n_events(e->propagation); i++)
    touch(e, propagation_event(e->propagation, i)->place);
  if (e->seen > mark) e->seen = mark;
}

static void push_nodes_around(Estimate *e, PlaceId place) {
  const Graph *g = e->g;
  for (uint32_t i = g->adjacent_first[place]; i < g->adjacent_first[place + 1]; i++) {
    NodeId n = g->adjacent[i];
    if (e->node_waits[n]) continue;
    e->node_waits[n] = true;
    HEAPVEC_PUSH(e->guard, &e->nodes, n);
  }
}

EstimatedPrice estimate_price(Estimate *e) {
  uint32_t n_events = propagation_n_events(e->propagation);
  e->visited = 0;
  for (; e->seen < n_events; e->seen++) touch(e, propagation_event(e->propagation, e->seen)->place);
  for (uint32_t i = 0; i < e->changed.count; i++) {
    e->place_changed[e->changed.items[i]] = false;
    push_place(e, e->changed.items[i]);
    push_nodes_around(e, e->changed.items[i]);
  }
  e->changed.count = 0;
  for (uint32_t i = 0; i < e->nodes.count; i++) {
    e->node_waits[e->nodes.items[i]] = false;
    price_node(e, e->nodes.items[i]);
  }
  e->nodes.count = 0;
  for (uint32_t i = 0; i < e->places.count; i++) {
    e->place_waits[e->places.items[i]] = false;
    price_place(e, e->places.items[i]);
  }
  e->places.count = 0;
  return (EstimatedPrice){
      .seconds = (double)(e->total.compute + e->total.communication) / UNITS,
      .compute_seconds = (double)e->total.compute / UNITS,
      .bytes = (double)e->total.bytes,
      .peak_bytes = (double)curve_most(&e->curve),
      .visited = e->visited,
  };
}

// ---- life ----

static void release(void *object) {
  Estimate *e = object;
  arena_deinit(&e->arena);
  arena_deinit(&e->scratch);
  HEAPVEC_FREE(&e->reshards);
  HEAPVEC_FREE(&e->plain);
  HEAPVEC_FREE(&e->changed);
  HEAPVEC_FREE(&e->nodes);
  HEAPVEC_FREE(&e->places);
  idmap_deinit(&e->reshard_ids);
  mem_free(e);
}

void estimate_free(Estimate *e) {
  if (e) release(e);
}

void estimate_guard(Estimate *e, Guard *guard) {
  e->guard = guard;
  arena_guard(&e->arena, guard);
  arena_guard(&e->scratch, guard);
}

static void start(Estimate *e) {
  const Graph *g = e->g;
  const Mesh *mesh = sharding_mesh(e->table, e->mesh);
  e->rates = machine_rates(e->machine, mesh->n_devices);
  e->network = machine_network_reached(e->machine, e->p->context, mesh, e->rates.links, &e->arena);
  e->builder = (Builder){.p = e->p,
                         .pos = POS_NONE,
                         .table = e->table,
                         .arena = &e->scratch,
                         .kept = &e->arena,
                         .mesh = e->mesh};
  ArenaMark mark = arena_mark(&e->scratch);
  fusion_find(e->p, &e->arena, &e->fusion);
  find_facts(e);
  find_intervals(e);
  arena_rewind(&e->scratch, mark);
  e->node_terms = ARENA_ARRAY(&e->arena, Terms, g->n_nodes + 1);
  e->place_terms = ARENA_ARRAY(&e->arena, Terms, g->n_places + 1);
  e->node_waits = ARENA_ARRAY(&e->arena, bool, g->n_nodes + 1);
  e->place_waits = ARENA_ARRAY(&e->arena, bool, g->n_places + 1);
  e->place_changed = ARENA_ARRAY(&e->arena, bool, g->n_places + 1);
  curve_init(&e->curve, g->n_nodes + 1, &e->arena);
  HEAPVEC_PUSH(e->guard, &e->reshards, (ReshardRow){0});  // id 0 = none
  // At first everything has changed.
  e->seen = propagation_n_events(e->propagation);
  for (PlaceId place = 1; place < g->n_places; place++) push_place(e, place);
  for (NodeId n = 1; n < g->n_nodes; n++) {
    e->node_waits[n] = true;
    HEAPVEC_PUSH(e->guard, &e->nodes, n);
  }
}

Estimate *estimate_new(Propagation *propagation, MeshId mesh, const Machine *machine,
                       CustomRules *call_rules, Guard *guard) {
  Estimate *e = mem_alloc(sizeof *e);
  if (!e) guard_throw(guard, status_no_memory());
  const Graph *g = propagation_graph(propagation);
  *e = (Estimate){.propagation = propagation,
                  .g = g,
                  .p = g->program,
                  .table = propagation_table(propagation),
                  .mesh = mesh,
                  .machine = machine,
                  .call_rules = call_rules,
                  .guard = guard};
  arena_init(&e->arena, guard);
  arena_init(&e->scratch, guard);
  GuardCleanup cleanup = {release, e, NULL};
  guard_push(guard, &cleanup);
  start(e);
  guard_pop(guard, &cleanup);
  return e;
}
