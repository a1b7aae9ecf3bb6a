// Problem: propagation must not depend on how the program is written: calls, nested regions, shared
// constants and depth of nesting.
//
// Idea: one walk over every function instance in execution order. Calls are walked as if inlined,
// each with places of its own. Constant expressions are split: every use gets its own copy, so that
// a constant never carries a sharding from one use to another. Factor maps are interned by op code,
// attributes and types. An explicit stack of frames (one per call) and of ops with open regions
// replaces recursion, so nesting costs no C stack.
//
//   f(x) = g(x) + g(x)      instances: f, g at call 1, g at call 2
//   while                   one place per carry: result i = argument i of body and condition
//
// Members of a sharding group get places of their own first; at the end union-find merges them and
// places are renumbered.
//
// Invariant: node order is execution order, so it does not depend on the order of functions in the
// module; the program is not changed. Cost: O(ops in all instances), limited by most_ops: beyond it
// calls share instances.
#include "graph/graph.h"

#include <stdlib.h>
#include <string.h>

#include "base/idmap.h"
#include "base/mem.h"

enum {
  MOST_CONSTANT_OPS = 64,  // larger constant expressions are not split
  MOST_CELLS = 1 << 22,    // tensors × factors: an op with more gets no node
};

// An op whose regions are being walked, and the op that follows it.
typedef struct Open {
  OpId op, after;
} Open;

typedef struct Frame {
  InstanceId instance;
  OpId at;  // next op to visit
  uint32_t n_open;
} Frame;

typedef struct Group {
  int64_t id;
  PlaceId place;
} Group;

typedef struct Build {
  Graph *g;
  const Program *p;
  Context *context;
  Arena *arena;
  const GraphOptions *options;
  Diag *diag;
  SymbolTable symbols;
  IdMap maps_by_op;  // index of `maps`: by op, and identity maps
  Arena scratch;
  uint32_t *n_slots;    // per function
  uint64_t *weight;     // per function: its ops, weighted by op_weight
  bool *called;         // per function
  InstanceId *shared;   // per function: the instance that calls beyond the limit share
  InstanceId *first;    // per function
  bool *constant;       // per op: all its operands are constants
  InstanceId *claimed;  // per value of a constant expression: the last instance in which a use owns
                        // the original; further uses get copies
  OpId *map_op;         // per map: an op that has it; 0 = identity map
  uint64_t all_weight, n_all_ops, most_ops;
  PlaceId *parent;  // union-find over places, for sharding groups
  VEC(Instance) instances;
  VEC(Place) places;
  VEC(Node) nodes;
  VEC(const FactorMap *) maps;
  VEC(OpId) map_ops;
  VEC(View) views;
  VEC(PlaceId) tensors;
  VEC(PlaceId) place_of;
  VEC(PlaceId) results;
  VEC(ConstantUse) splits;
  VEC(SplitValue) split_values;
  VEC(Frame) frames;
  VEC(Open) open;
  VEC(Group) groups;
  VEC(PlaceId) operands;  // of the node under construction
  VEC(ValueId) expression;
} Build;

static void build_deinit(void *object) {
  Build *b = object;
  symbols_deinit(&b->symbols);
  idmap_deinit(&b->maps_by_op);
  arena_deinit(&b->scratch);
}

// ---- places ----

static bool can_shard(const Build *b, Type type) {
  const TypeInfo *info = type_info(b->context, type);
  return info->kind == TYPE_TENSOR && info->rank > 0;
}

static PlaceId new_place(Build *b, InstanceId instance, ValueId value, uint32_t index, Type type) {
  if (!can_shard(b, type)) return 0;
  Place place = {.instance = instance, .value = value, .index = index, .type = type};
  VEC_PUSH(b->arena, &b->places, place);
  return b->places.count - 1;
}

// The entry of a value in its instance's range of place_of; 0 until the place is made.
static PlaceId *slot_of(Build *b, InstanceId instance, ValueId value) {
  return &b->place_of.items[b->instances.items[instance].places + b->g->value_slot[value]];
}

static PlaceId value_place(Build *b, InstanceId instance, ValueId value) {
  PlaceId *slot = slot_of(b, instance, value);
  if (!*slot) *slot = new_place(b, instance, value, 0, value_type(b->p, value));
  return *slot;
}

// ---- maps ----

typedef struct MapKey {
  const Program *p;
  OpId op;
} MapKey;

// Everything that a factor map depends on: code, attributes, types and reducer.
static uint64_t op_key_hash(const Program *p, OpId op) {
  const Op *o = op_at(p, op);
  uint64_t hash = hash_mix(o->code, o->attrs);
  for (uint32_t i = 0; i < o->n_operands; i++) hash = hash_mix(hash, op_operand_type(p, op, i));
  for (uint32_t i = 0; i < o->n_results; i++) hash = hash_mix(hash, op_result_type(p, op, i));
  return hash_mix(hash, op_combine(p, op));
}

static bool op_key_equal(const void *owner, uint32_t id, const void *key) {
  const Build *b = owner;
  const Program *p = b->p;
  OpId x = b->map_ops.items[id], y = ((const MapKey *)key)->op;
  const Op *a = op_at(p, x), *c = op_at(p, y);
  if (a->code != c->code || a->attrs != c->attrs || a->n_operands != c->n_operands ||
      a->n_results != c->n_results)
    return false;
  for (uint32_t i = 0; i < a->n_operands; i++)
    if (op_operand_type(p, x, i) != op_operand_type(p, y, i)) return false;
  for (uint32_t i = 0; i < a->n_results; i++)
    if (op_result_type(p, x, i) != op_result_type(p, y, i)) return false;
  return op_combine(p, x) == op_combine(p, y);
}

// Stores a map, or NULL to remember that an op has none.
static uint32_t add_map(Build *b, OpId op, const FactorMap *map) {
  FactorMap *copy = NULL;
  if (map) {
    copy = ARENA_NEW(b->arena, FactorMap);
    *copy = *map;
  }
  VEC_PUSH(b->arena, &b->maps, copy);
  VEC_PUSH(b->arena, &b->map_ops, op);
  return b->maps.count - 1;
}

// No factor occurs in two tensors, so nothing propagates; or the map is too large to step through.
static bool ties_nothing(const FactorMap *map) {
  if ((uint64_t)factor_map_n_tensors(map) * map->n_factors > MOST_CELLS) return true;
  for (uint32_t f = 0; f < map->n_factors; f++) {
    uint32_t count = 0, dim, position;
    for (uint32_t t = 0; t < factor_map_n_tensors(map) && count < 2; t++)
      count += factor_map_find(map, t, f, &dim, &position);
    if (count > 1) return false;
  }
  return true;
}

// The map of an op, interned; 0 if it has none or one that ties nothing.
static uint32_t map_of(Build *b, OpId op) {
  uint64_t hash = op_key_hash(b->p, op);
  MapKey key = {b->p, op};
  uint32_t found = idmap_find(&b->maps_by_op, hash, op_key_equal, b, &key);
  if (found) return b->maps.items[found] ? found : 0;
  FactorMap map;
  bool local;
  bool has = op_factors_local(b->p, op, &b->options->factors, b->arena, &map, &local);
  if (has && (ties_nothing(&map) || (b->options->explicit_only && map.own))) has = false;
  if (!has && !local) return 0;
  uint32_t id = add_map(b, op, has ? &map : NULL);
  if (local) idmap_add(&b->maps_by_op, b->g->program->guard, hash, id);
  return has ? id : 0;
}

static bool identity_key_equal(const void *owner, uint32_t id, const void *key) {
  const Build *b = owner;
  const uint64_t *expected = key;
  const FactorMap *map = b->maps.items[id];
  return map && !b->map_ops.items[id] && map->n_operands == expected[0] &&
         factor_map_rank(map, 0) == expected[1];
}

// ([i, j, …], …) -> ([i, j, …]): n sources and one target. The factors' sizes do not matter, since
// each factor is an entire dimension.
static uint32_t identity_map(Build *b, uint32_t n, uint32_t rank) {
  uint64_t key[2] = {n, rank}, hash = hash_mix(n, rank);
  uint32_t found = idmap_find(&b->maps_by_op, hash, identity_key_equal, b, key);
  if (found) return found;
  uint32_t *ranks = ARENA_ARRAY(b->arena, uint32_t, n + 2);
  for (uint32_t t = 0; t <= n; t++) ranks[t] = rank;
  FactorBuilder build;
  factor_builder_init(&build, b->arena, n, 1, ranks);
  for (uint32_t d = 0; d < rank; d++) {
    uint32_t factor = factor_add(&build, 2, FACTOR_PASS);
    for (uint32_t t = 0; t <= n; t++) factor_put(&build, factor, t, d);
  }
  FactorMap map;
  factor_build(&build, &map);
  uint32_t id = add_map(b, 0, &map);
  idmap_add(&b->maps_by_op, b->g->program->guard, hash, id);
  return id;
}

// ---- constants ----

static bool is_constant_value(const Build *b, ValueId v) {
  OpId def = value_def(b->p, v);
  return def && b->constant[def];
}

// Collects the values of the constant expression that computes v, operands first. False if there
// are more than MOST_CONSTANT_OPS.
static bool list_expression(Build *b, ValueId v, uint32_t depth) {
  for (uint32_t i = 0; i < b->expression.count; i++)
    if (b->expression.items[i] == v) return true;
  if (b->expression.count >= MOST_CONSTANT_OPS || depth >= MOST_CONSTANT_OPS) return false;
  OpId def = value_def(b->p, v);
  for (uint32_t i = 0; i < op_at(b->p, def)->n_operands; i++)
    if (!list_expression(b, op_operand(b->p, def, i), depth + 1)) return false;
  VEC_PUSH(&b->scratch, &b->expression, v);
  return true;
}

static PlaceId split_place(const Build *b, uint32_t from, ValueId v) {
  for (uint32_t i = from; i < b->split_values.count; i++)
    if (b->split_values.items[i].value == v) return b->split_values.items[i].place;
  return 0;
}

static void add_node(Build *b, Node node, uint32_t n_operands, uint32_t n_results);

// Copies the constant expression in b->expression for one use: new places and nodes.
static PlaceId split_constant(Build *b, InstanceId instance, OperandId use, ValueId v) {
  uint32_t from = b->split_values.count;
  for (uint32_t i = 0; i < b->expression.count; i++) {
    ValueId value = b->expression.items[i];
    PlaceId place = new_place(b, instance, value, 0, value_type(b->p, value));
    VEC_PUSH(b->arena, &b->split_values, ((SplitValue){value, place}));
  }
  for (uint32_t i = 0; i < b->expression.count; i++) {
    OpId def = value_def(b->p, b->expression.items[i]);
    const Op *o = op_at(b->p, def);
    uint32_t map = o->n_operands ? map_of(b, def) : 0;
    if (!map) continue;
    b->operands.count = 0;
    for (uint32_t k = 0; k < o->n_operands; k++)
      VEC_PUSH(&b->scratch, &b->operands, split_place(b, from, op_operand(b->p, def, k)));
    for (uint32_t k = 0; k < o->n_results; k++)
      VEC_PUSH(&b->scratch, &b->operands, split_place(b, from, op_result(b->p, def, k)));
    add_node(b, (Node){.op = def, .instance = instance, .map = map, .traits = op_traits(b->p, def)},
             o->n_operands, o->n_results);
  }
  PlaceId place = split_place(b, from, v);
  ConstantUse split = {use, place, from, b->split_values.count - from};
  VEC_PUSH(b->arena, &b->splits, split);
  return place;
}

// The place of an operand. The first use of a constant expression in an instance owns the original;
// each further one gets a copy, unless the limit of ops is reached.
static PlaceId operand_place(Build *b, InstanceId instance, OpId op, uint32_t i) {
  ValueId v = op_operand(b->p, op, i);
  PlaceId place = value_place(b, instance, v);
  if (!place || b->options->explicit_only || b->constant[op] || !is_constant_value(b, v))
    return place;
  ArenaMark mark = arena_mark(&b->scratch);
  b->expression.items = NULL;
  b->expression.count = b->expression.capacity = 0;
  VEC(PlaceId) outer = {b->operands.items, b->operands.count, b->operands.capacity};
  b->operands.items = NULL;
  b->operands.count = b->operands.capacity = 0;
  bool fits = list_expression(b, v, 0), free = true;
  for (uint32_t k = 0; fits && k < b->expression.count; k++)
    free &= b->claimed[b->expression.items[k]] != instance;
  if (fits && free) {
    for (uint32_t k = 0; k < b->expression.count; k++)
      b->claimed[b->expression.items[k]] = instance;
  } else if (fits && b->n_all_ops + b->expression.count < b->most_ops) {
    b->n_all_ops += b->expression.count;
    place = split_constant(b, instance, op_at(b->p, op)->operands + i, v);
  }
  arena_rewind(&b->scratch, mark);
  b->operands.items = outer.items;
  b->operands.count = outer.count;
  b->operands.capacity = outer.capacity;
  return place;
}

// Marks pure ops all of whose operands are constants.
static void find_constants(Build *b) {
  const Program *p = b->p;
  for (OpId o = p->root; o; o = op_walk_next(p, o, p->root)) {
    const Op *op = op_at(p, o);
    uint32_t traits = op_row(op->code)->traits;
    // An annotated op is not copied: its sharding is meant for this value only.
    bool annotated = attr_get(b->context, op->attrs, "sharding") || traits & TRAIT_SHARDING;
    bool constant = (traits & TRAIT_PURE) && !op->n_regions && op->n_results && !annotated;
    for (uint32_t i = 0; constant && i < op->n_operands; i++)
      constant = is_constant_value(b, op_operand(p, o, i));
    b->constant[o] = constant;
  }
}

// ---- nodes ----

// Adds a node on the places in b->operands, operands first. A node with fewer than two places ties
// nothing and is dropped.
static void add_node(Build *b, Node node, uint32_t n_operands, uint32_t n_results) {
  uint32_t n = n_operands + n_results, live = 0;
  for (uint32_t i = 0; i < n; i++) live += b->operands.items[i] != 0;
  if (live < 2) return;
  node.tensors = b->tensors.count;
  for (uint32_t i = 0; i < n; i++) VEC_PUSH(b->arena, &b->tensors, b->operands.items[i]);
  VEC_PUSH(b->arena, &b->nodes, node);
  for (uint32_t i = n_operands; i < n; i++) {
    Place *place = &b->places.items[b->operands.items[i]];
    if (b->operands.items[i] && !place->def) place->def = b->nodes.count - 1;
  }
}

static bool has_other_uses(const Build *b, ValueId v) {
  OperandId use = value_at(b->p, v)->first_use;
  return use && operand_at(b->p, use)->next_use;
}

static void add_op(Build *b, InstanceId instance, OpId op) {
  const Op *o = op_at(b->p, op);
  if (!o->n_operands) return;
  uint32_t map = 0;
  Node node = {.op = op, .instance = instance, .traits = op_traits(b->p, op)};
  if (o->code == OP_sdy_propagation_barrier) {
    node.kind = NODE_BARRIER;
    node.direction = (uint8_t)attr_as_int(b->context, op_attr(b->p, op, "allowed_direction"), 0);
    const TypeInfo *type = type_info(b->context, op_result_type(b->p, op, 0));
    if (type->kind == TYPE_TENSOR) map = identity_map(b, 1, type->rank);
  } else {
    map = map_of(b, op);
  }
  if (!map) {
    // Constants are split for uses without a node, too.
    for (uint32_t i = 0; i < o->n_operands; i++) operand_place(b, instance, op, i);
    return;
  }
  ArenaMark mark = arena_mark(&b->scratch);
  b->operands.items = NULL;
  b->operands.count = b->operands.capacity = 0;
  VEC_RESERVE(&b->scratch, &b->operands, o->n_operands + o->n_results);
  for (uint32_t i = 0; i < o->n_operands; i++) {
    ValueId v = op_operand(b->p, op, i);
    PlaceId place = operand_place(b, instance, op, i);
    if (place && has_other_uses(b, v) && place == *slot_of(b, instance, v) &&
        !(is_constant_value(b, v) && !b->options->explicit_only))
      node.multi_use = true;
    b->operands.items[b->operands.count++] = place;
  }
  for (uint32_t i = 0; i < o->n_results; i++)
    b->operands.items[b->operands.count++] = value_place(b, instance, o->results + i);
  node.map = map;
  add_node(b, node, o->n_operands, o->n_results);
  arena_rewind(&b->scratch, mark);
}

// A data-flow edge: an identity map from the sources to one target.
static void add_edge(Build *b, InstanceId instance, OpId op, NodeKind kind, uint32_t n,
                     const PlaceId *sources, PlaceId target, uint32_t view) {
  if (!target || !n) return;
  ArenaMark mark = arena_mark(&b->scratch);
  b->operands.items = NULL;
  b->operands.count = b->operands.capacity = 0;
  VEC_RESERVE(&b->scratch, &b->operands, n + 1);
  for (uint32_t i = 0; i < n; i++) b->operands.items[b->operands.count++] = sources[i];
  b->operands.items[b->operands.count++] = target;
  uint32_t rank = type_info(b->context, b->places.items[target].type)->rank;
  Node node = {.op = op,
               .instance = instance,
               .map = identity_map(b, n, rank),
               .kind = (uint8_t)kind,
               .traits = TRAIT_PASSES,
               .view = view};
  add_node(b, node, n, 1);
  arena_rewind(&b->scratch, mark);
}

// ---- data flow ----

// The first user of v with this op code; 0 if there is none.
static OpId user_of_code(const Build *b, ValueId v, uint16_t code) {
  for (OperandId use = value_at(b->p, v)->first_use; use; use = operand_at(b->p, use)->next_use)
    if (op_at(b->p, operand_at(b->p, use)->user)->code == code) return operand_at(b->p, use)->user;
  return 0;
}

static OpId terminator(const Build *b, RegionId region) {
  BlockId block = region_block(b->p, region);
  return block ? block_at(b->p, block)->last : 0;
}

static bool has_arg(const Build *b, RegionId region, uint32_t i) {
  BlockId block = region_block(b->p, region);
  return block && i < block_at(b->p, block)->n_args;
}

// The place of the value that owns a data-flow edge. With explicit_only it is the place of the
// sdy.data_flow_edge's result, and 0 without such an op.
static PlaceId owner_place(Build *b, InstanceId instance, ValueId owner) {
  if (!b->options->explicit_only) return value_place(b, instance, owner);
  OpId edge = user_of_code(b, owner, OP_sdy_data_flow_edge);
  if (!edge) return 0;
  PlaceId place = value_place(b, instance, op_result(b->p, edge, 0));
  *slot_of(b, instance, owner) = place;
  return place;
}

// The view of argument or result i of a manual computation; 0 if it has no manual axes.
static uint32_t manual_view(Build *b, OpId op, bool argument, uint32_t i) {
  Attr manual = op_attr(b->p, op, "manual_axes");
  Attr list = attr_get(b->context, op_attr(b->p, op, argument ? "in_shardings" : "out_shardings"),
                       "shardings");
  const AttrInfo *names = attr_info(b->context, attr_get(b->context, manual, "axes"));
  const AttrInfo *shardings = attr_info(b->context, list);
  if (!manual || !names->count || i >= shardings->count) return 0;
  View view = {.argument = argument};
  Status *status = sharding_from_attr(b->g->table, shardings->items[i], 0, &view.outer);
  if (status) {
    status_free(status);
    return 0;
  }
  const Mesh *mesh = sharding_mesh(b->g->table, sharding_info(b->g->table, view.outer)->mesh);
  AxisRef *axes = ARENA_ARRAY(b->arena, AxisRef, names->count);
  uint32_t n = 0;
  for (uint32_t k = 0; k < names->count; k++) {
    uint32_t axis = mesh_find_axis(mesh, attr_as_name(b->context, names->items[k]));
    if (axis != MESH_NO_AXIS) axes[n++] = axis_full(mesh, axis);
  }
  view.manual = (AxisList){axes, n};
  VEC_PUSH(b->arena, &b->views, view);
  return b->views.count - 1;
}

// Before the regions: a loop's results and arguments share places; edges lead into bodies.
static void enter_flow(Build *b, InstanceId instance, OpId op, Flow flow) {
  const Op *o = op_at(b->p, op);
  for (uint32_t i = 0; i < o->n_results; i++) {
    PlaceId place = owner_place(b, instance, o->results + i);
    // Without an explicit edge a loop's result and arguments still share a place, but no node is
    // added.
    if (!place) place = value_place(b, instance, o->results + i);
    for (uint32_t r = 0; flow == FLOW_LOOP && place && r < o->n_regions; r++)
      if (has_arg(b, o->regions + r, i))
        *slot_of(b, instance, block_arg(b->p, region_block(b->p, o->regions + r), i)) = place;
  }
  for (uint32_t i = 0; flow == FLOW_BODY && i < o->n_operands; i++) {
    if (!has_arg(b, o->regions, i)) continue;
    ValueId argument = block_arg(b->p, region_block(b->p, o->regions), i);
    PlaceId target = owner_place(b, instance, argument);
    if (!target) value_place(b, instance, argument);  // its annotation is written back
    PlaceId source = operand_place(b, instance, op, i);
    add_edge(b, instance, op, NODE_EDGE, 1, &source, target, manual_view(b, op, true, i));
  }
}

// After the regions: edges from operands and terminators to the results.
static void leave_flow(Build *b, InstanceId instance, OpId op, Flow flow) {
  const Op *o = op_at(b->p, op);
  PlaceId *sources = ARENA_ARRAY(b->arena, PlaceId, o->n_regions + 2);
  for (uint32_t i = 0; i < o->n_results; i++) {
    uint32_t n = 0;
    if ((flow == FLOW_EACH || flow == FLOW_LOOP) && i < o->n_operands)
      sources[n++] = operand_place(b, instance, op, i);
    uint32_t from = flow == FLOW_LOOP ? o->n_regions - 1 : 0;
    for (uint32_t r = from; flow != FLOW_EACH && r < o->n_regions; r++) {
      OpId last = terminator(b, o->regions + r);
      if (last && i < op_at(b->p, last)->n_operands)
        sources[n++] = operand_place(b, instance, last, i);
    }
    if (b->options->explicit_only && !user_of_code(b, o->results + i, OP_sdy_data_flow_edge))
      continue;
    PlaceId target = *slot_of(b, instance, o->results + i);
    uint32_t view = flow == FLOW_BODY && target ? manual_view(b, op, false, i) : 0;
    add_edge(b, instance, op, NODE_EDGE, n, sources, target, view);
  }
}

// ---- functions and calls ----

static OpId callee_of(const Build *b, OpId op) {
  if (!(op_row(op_at(b->p, op)->code)->traits & TRAIT_CALL)) return 0;
  Name name = attr_as_name(b->context, op_attr(b->p, op, "callee"));
  OpId function = name ? symbols_find(&b->symbols, name) : 0;
  bool has_body = function && (op_row(op_at(b->p, function)->code)->traits & TRAIT_FUNCTION) &&
                  op_at(b->p, function)->n_regions &&
                  region_block(b->p, op_region(b->p, function, 0));
  return has_body ? function : 0;
}

// Reserves the instance's slots and makes places for its arguments and results.
static InstanceId new_instance(Build *b, OpId function, OpId call, InstanceId caller) {
  Instance instance = {.function = function,
                       .call = call,
                       .caller = caller,
                       .places = b->place_of.count,
                       .results = b->results.count};
  const TypeInfo *type =
      type_info(b->context, attr_info(b->context, op_attr(b->p, function, "function_type"))->type);
  instance.n_results = type->n_items - type->n_inputs;
  uint32_t slots = b->n_slots[function];
  VEC_RESERVE(b->arena, &b->place_of, b->place_of.count + slots);
  if (slots) memset(b->place_of.items + b->place_of.count, 0, slots * sizeof(PlaceId));
  b->place_of.count += slots;
  VEC_PUSH(b->arena, &b->instances, instance);
  InstanceId id = b->instances.count - 1;
  if (!b->first[function]) b->first[function] = id;
  b->n_all_ops += b->weight[function];
  BlockId block = region_block(b->p, op_region(b->p, function, 0));
  for (uint32_t i = 0; block && i < block_at(b->p, block)->n_args; i++)
    value_place(b, id, block_arg(b->p, block, i));
  for (uint32_t i = 0; i < instance.n_results; i++) {
    PlaceId place = new_place(b, id, 0, i, type->items[type->n_inputs + i]);
    VEC_PUSH(b->arena, &b->results, place);
  }
  return id;
}

// Starts the walk of an instance's body.
static void push_frame(Build *b, InstanceId instance) {
  OpId function = b->instances.items[instance].function;
  b->instances.items[instance].constants = b->splits.count;
  Frame frame = {instance, op_walk_next(b->p, function, function), b->open.count};
  VEC_PUSH(b->arena, &b->frames, frame);
}

// Edges from the call's operands to the callee's arguments.
static void tie_arguments(Build *b, InstanceId caller, OpId call, InstanceId callee) {
  BlockId block = region_block(b->p, op_region(b->p, b->instances.items[callee].function, 0));
  for (uint32_t i = 0; i < op_at(b->p, call)->n_operands && i < block_at(b->p, block)->n_args;
       i++) {
    PlaceId source = operand_place(b, caller, call, i);
    PlaceId target = *slot_of(b, callee, block_arg(b->p, block, i));
    add_edge(b, caller, call, NODE_EDGE, 1, &source, target, 0);
  }
}

// Ties the call to an instance of the callee. True if the callee's body is walked next (a new
// instance).
static bool enter_call(Build *b, InstanceId caller, OpId call, OpId function) {
  bool full = b->n_all_ops + b->weight[function] > b->most_ops;
  InstanceId callee = full ? b->shared[function] : 0;
  bool fresh = !callee;
  if (fresh) callee = new_instance(b, function, call, caller);
  if (full) b->shared[function] = callee, b->g->shared_instances = true;
  const Op *o = op_at(b->p, call);
  for (uint32_t i = 0; i < o->n_results && i < b->instances.items[callee].n_results; i++)
    *slot_of(b, caller, o->results + i) = b->results.items[b->instances.items[callee].results + i];
  tie_arguments(b, caller, call, callee);
  if (fresh) push_frame(b, callee);
  return fresh;
}

// Edges from the returned values to the instance's results.
static void leave_function(Build *b, InstanceId id) {
  const Instance *instance = &b->instances.items[id];
  BlockId block = region_block(b->p, op_region(b->p, instance->function, 0));
  OpId last = block ? block_at(b->p, block)->last : 0;
  bool root = !instance->call;
  if (b->options->explicit_only && symbol_is_private(b->p, instance->function))
    return;  // Shardy does not propagate to their results
  for (uint32_t i = 0; last && i < op_at(b->p, last)->n_operands && i < instance->n_results; i++) {
    PlaceId source = operand_place(b, id, last, i);
    instance = &b->instances.items[id];
    PlaceId target = b->results.items[instance->results + i];
    add_edge(b, id, root ? instance->function : instance->call, root ? NODE_RETURN : NODE_EDGE, 1,
             &source, target, 0);
  }
}

// sdy.func_data_flow_edge on an argument: sources are the operands of all calls. On a call's
// result: the source is the callee's returned value. Every function has one instance with
// explicit_only. O(ops) each.
static void add_function_edge(Build *b, InstanceId instance, OpId op) {
  ValueId owner = op_operand(b->p, op, 0);
  PlaceId target = value_place(b, instance, op_result(b->p, op, 0));
  *slot_of(b, instance, owner) = target;
  VEC(PlaceId) sources = {0};
  OpId call = value_def(b->p, owner);
  uint32_t index = value_at(b->p, owner)->index;
  if (call) {
    OpId callee = callee_of(b, call);
    OpId last = callee ? terminator(b, op_region(b->p, callee, 0)) : 0;
    if (last && index < op_at(b->p, last)->n_operands)
      VEC_PUSH(b->arena, &sources, value_place(b, b->first[callee], op_operand(b->p, last, index)));
  } else {
    OpId function = b->instances.items[instance].function;
    for (OpId o = b->p->root; o; o = op_walk_next(b->p, o, b->p->root))
      if (callee_of(b, o) == function && index < op_at(b->p, o)->n_operands) {
        OpId at = o;
        while (at && !b->first[at]) at = op_parent(b->p, at);
        if (at)
          VEC_PUSH(b->arena, &sources, value_place(b, b->first[at], op_operand(b->p, o, index)));
      }
  }
  add_edge(b, instance, op, NODE_EDGE, sources.count, sources.items, target, 0);
}

// ---- groups ----

// Records a member of a sharding group; unite_groups merges them later.
static bool join_group(Build *b, InstanceId instance, OpId op) {
  PlaceId place = value_place(b, instance, op_operand(b->p, op, 0));
  if (!place) return true;
  int64_t id = attr_as_int(b->context, op_attr(b->p, op, "group_id"), 0);
  VEC_PUSH(b->arena, &b->groups, ((Group){id, place}));
  return true;
}

static PlaceId find_root(PlaceId *parent, PlaceId x) {
  while (parent[x] != x) {
    parent[x] = parent[parent[x]];
    x = parent[x];
  }
  return x;
}

static int group_compare(const void *x, const void *y) {
  const Group *a = x, *b = y;
  if (a->id != b->id) return a->id < b->id ? -1 : 1;
  return (a->place > b->place) - (a->place < b->place);
}

// Merges the places of each sharding group; the smallest id becomes the root. False, with a
// diagnostic, if ranks differ.
static bool unite_groups(Build *b) {
  if (!b->groups.count) return true;
  qsort(b->groups.items, b->groups.count, sizeof *b->groups.items, group_compare);
  b->parent = ARENA_ARRAY(b->arena, PlaceId, b->places.count);
  for (PlaceId i = 0; i < b->places.count; i++) b->parent[i] = i;
  for (uint32_t i = 1; i < b->groups.count; i++) {
    if (b->groups.items[i].id != b->groups.items[i - 1].id) continue;
    PlaceId x = find_root(b->parent, b->groups.items[i - 1].place);
    PlaceId y = find_root(b->parent, b->groups.items[i].place);
    const Place *px = &b->places.items[x], *py = &b->places.items[y];
    if (type_info(b->context, px->type)->rank != type_info(b->context, py->type)->rank) {
      OpId def = py->value ? value_def(b->p, py->value) : 0;
      diag_error(b->diag, def ? op_at(b->p, def)->pos : POS_NONE,
                 "sharding group %lld ties a %s and a %s: members must have the same rank",
                 (long long)b->groups.items[i].id, type_text(b->context, px->type),
                 type_text(b->context, py->type));
      return false;
    }
    if (x < y)
      b->parent[y] = x;
    else
      b->parent[x] = y;
  }
  return true;
}

// Gives merged places one id and closes the gaps, in ascending order.
static void renumber(Build *b) {
  if (!b->parent) return;
  PlaceId *to = ARENA_ARRAY(b->arena, PlaceId, b->places.count);
  uint32_t n = 1;
  for (PlaceId i = 1; i < b->places.count; i++) {
    if (find_root(b->parent, i) != i) continue;
    to[i] = n;
    b->places.items[n++] = b->places.items[i];
  }
  for (PlaceId i = 1; i < b->places.count; i++) to[i] = to[find_root(b->parent, i)];
  b->places.count = n;
  for (uint32_t i = 0; i < b->tensors.count; i++) b->tensors.items[i] = to[b->tensors.items[i]];
  for (uint32_t i = 0; i < b->place_of.count; i++) b->place_of.items[i] = to[b->place_of.items[i]];
  for (uint32_t i = 0; i < b->results.count; i++) b->results.items[i] = to[b->results.items[i]];
  for (uint32_t i = 0; i < b->splits.count; i++)
    b->splits.items[i].place = to[b->splits.items[i].place];
  for (uint32_t i = 0; i < b->split_values.count; i++)
    b->split_values.items[i].place = to[b->split_values.items[i].place];
}

// ---- the walk ----

// Adds the op's places and nodes. True if a callee's body is walked next.
static bool visit(Build *b, InstanceId instance, OpId op) {
  const Op *o = op_at(b->p, op);
  Flow flow = op_flow(b->p, op);
  OpId callee = b->options->explicit_only ? 0 : callee_of(b, op);
  if (callee) return enter_call(b, instance, op, callee);
  if (flow) {
    enter_flow(b, instance, op, flow);
    if (o->n_regions)
      VEC_PUSH(b->arena, &b->open,
               ((Open){op, op_walk_over(b->p, op, b->instances.items[instance].function)}));
    else
      leave_flow(b, instance, op, flow);
  } else if (o->code == OP_sdy_sharding_group) {
    join_group(b, instance, op);
  } else if (o->code == OP_sdy_data_flow_edge && b->options->explicit_only) {
    // leave_flow of the owner adds the node.
    value_place(b, instance, o->results);
  } else if (o->code == OP_sdy_func_data_flow_edge && b->options->explicit_only) {
    add_function_edge(b, instance, op);
  } else if (op_row(o->code)->traits & TRAIT_EDGE) {
    // An op that returns its operand unchanged: both values are one place.
    *slot_of(b, instance, o->results) = value_place(b, instance, op_operand(b->p, op, 0));
  } else {
    for (uint32_t i = 0; i < o->n_results; i++) value_place(b, instance, o->results + i);
    if (!(op_row(o->code)->traits & TRAIT_TERMINATOR)) add_op(b, instance, op);
  }
  return false;
}

// Walks an instance of a root, and the instances of its calls, without recursion.
static void walk(Build *b, InstanceId root) {
  push_frame(b, root);
  while (b->frames.count) {
    Frame *frame = &b->frames.items[b->frames.count - 1];
    InstanceId instance = frame->instance;
    OpId op = frame->at, function = b->instances.items[instance].function;
    while (b->open.count > frame->n_open && b->open.items[b->open.count - 1].after == op) {
      OpId left = b->open.items[--b->open.count].op;
      leave_flow(b, instance, left, op_flow(b->p, left));
    }
    if (!op) {
      leave_function(b, instance);
      b->frames.count--;
      continue;
    }
    b->frames.items[b->frames.count - 1].at = op_walk_next(b->p, op, function);
    visit(b, instance, op);
  }
}

static int split_compare(const void *x, const void *y) {
  const ConstantUse *a = x, *b = y;
  return (a->use > b->use) - (a->use < b->use);
}

// Groups the split constants by instance and sorts each group by use, for binary search.
static void sort_splits(Build *b) {
  uint32_t n = b->splits.count, at = 0;
  if (!n) return;
  ConstantUse *sorted = ARENA_ARRAY(b->arena, ConstantUse, n);
  uint32_t *count = ARENA_ARRAY(b->arena, uint32_t, b->instances.count);
  for (uint32_t i = 0; i < n; i++) count[b->places.items[b->splits.items[i].place].instance]++;
  for (InstanceId i = 1; i < b->instances.count; i++) {
    b->instances.items[i].constants = at;
    b->instances.items[i].n_constants = 0;
    at += count[i];
  }
  for (uint32_t i = 0; i < n; i++) {
    Instance *instance = &b->instances.items[b->places.items[b->splits.items[i].place].instance];
    sorted[instance->constants + instance->n_constants++] = b->splits.items[i];
  }
  for (InstanceId i = 1; i < b->instances.count; i++) {
    Instance *instance = &b->instances.items[i];
    if (instance->n_constants > 1)
      qsort(sorted + instance->constants, instance->n_constants, sizeof *sorted, split_compare);
  }
  b->splits.items = sorted;
}

// ---- functions ----

typedef struct Root {
  const char *name;
  OpId function;
} Root;

static int root_compare(const void *x, const void *y) {
  const Root *a = x, *b = y;
  int order = strcmp(a->name, b->name);
  return order ? order : (a->function > b->function) - (a->function < b->function);
}

// An op with very many operands or results counts as several.
static uint64_t op_weight(const Op *op) {
  return 1 + ((uint64_t)op->n_operands + op->n_results) / 16;
}

// Numbers the values of each function (slots) and sums up its weight; marks called functions.
static void number_values(Build *b) {
  const Program *p = b->p;
  OpId function = 0;
  for (OpId o = p->root; o; o = op_walk_next(p, o, p->root)) {
    const Op *op = op_at(p, o);
    if (op_row(op->code)->traits & TRAIT_FUNCTION) function = o;
    if (!function) continue;
    b->weight[function] += op_weight(op);
    b->all_weight += op_weight(op);
    for (uint32_t i = 0; i < op->n_results; i++)
      b->g->value_slot[op->results + i] = b->n_slots[function]++;
    for (uint32_t r = 0; r < op->n_regions; r++)
      for (BlockId k = region_at(p, op->regions + r)->first; k; k = block_at(p, k)->next)
        for (uint32_t i = 0; i < block_at(p, k)->n_args; i++)
          b->g->value_slot[block_at(p, k)->args + i] = b->n_slots[function]++;
    OpId callee = callee_of(b, o);
    if (callee && !b->options->explicit_only) b->called[callee] = true;
  }
}

// Walks the roots sorted by name, so that the order of functions in the module does not matter;
// with explicit_only in module order, as Shardy does.
static void walk_functions(Build *b) {
  const Program *p = b->p;
  BlockId block = region_block(p, op_region(p, p->root, 0));
  VEC(Root) roots = {0};
  for (OpId o = block_at(p, block)->first; o; o = op_at(p, o)->next)
    if ((op_row(op_at(p, o)->code)->traits & TRAIT_FUNCTION) && !b->called[o]) {
      Root root = {name_text(b->context, attr_as_name(b->context, op_attr(p, o, "sym_name"))), o};
      VEC_PUSH(b->arena, &roots, root);
    }
  if (!b->options->explicit_only && roots.count)
    qsort(roots.items, roots.count, sizeof *roots.items, root_compare);
  for (uint32_t i = 0; i < roots.count; i++) new_instance(b, roots.items[i].function, 0, 0);
  uint32_t n = b->instances.count;
  for (InstanceId i = 1; i < n; i++) walk(b, i);
}

// The adjacency lists of places: count, prefix sums, fill.
static void build_adjacency(Build *b) {
  Graph *g = b->g;
  g->adjacent_first = ARENA_ARRAY(b->arena, uint32_t, (size_t)g->n_places + 2);
  uint32_t *at = ARENA_ARRAY(b->arena, uint32_t, (size_t)g->n_places + 1);
  for (uint32_t fill = 0; fill < 2; fill++) {
    NodeId *seen = ARENA_ARRAY(b->arena, NodeId, (size_t)g->n_places + 1);
    for (NodeId n = 1; n < g->n_nodes; n++) {
      const PlaceId *t = node_tensors(g, n);
      uint32_t count = factor_map_n_tensors(node_map(g, n));
      for (uint32_t i = 0; i < count; i++) {
        if (!t[i] || seen[t[i]] == n) continue;
        seen[t[i]] = n;
        if (fill)
          g->adjacent[at[t[i]]++] = n;
        else
          g->adjacent_first[t[i] + 1]++;
      }
    }
    if (fill) break;
    for (PlaceId i = 0; i <= g->n_places; i++) g->adjacent_first[i + 1] += g->adjacent_first[i];
    for (PlaceId i = 0; i < g->n_places; i++) at[i] = g->adjacent_first[i];
    g->adjacent = ARENA_ARRAY(b->arena, NodeId, (size_t)g->adjacent_first[g->n_places] + 1);
  }
}

static void move_to_graph(Build *b) {
  Graph *g = b->g;
  g->instances = b->instances.items, g->n_instances = b->instances.count;
  g->places = b->places.items, g->n_places = b->places.count;
  g->nodes = b->nodes.items, g->n_nodes = b->nodes.count;
  g->maps = b->maps.items, g->n_maps = b->maps.count;
  g->views = b->views.items, g->n_views = b->views.count;
  g->tensors = b->tensors.items;
  g->place_of = b->place_of.items;
  g->result_places = b->results.items;
  g->splits = b->splits.items, g->n_splits = b->splits.count;
  g->split_values = b->split_values.items;
}

Status *graph_build(Program *program, ShardingTable *table, const GraphOptions *options,
                    Guard *guard, Diag *diag, Graph *out) {
  *out = (Graph){.program = program, .n_values = program->values.count, .table = table};
  arena_init(&out->arena, guard);
  Build b = {.g = out,
             .p = program,
             .context = program->context,
             .arena = &out->arena,
             .options = options,
             .diag = diag};
  arena_init(&b.scratch, guard);
  GuardCleanup cleanup = {build_deinit, &b, NULL};
  guard_push(guard, &cleanup);
  Arena *arena = b.arena;
  uint32_t n_ops = program->ops.count, n_values = program->values.count;
  symbols_init(&b.symbols, program, program->root, guard);
  out->value_slot = ARENA_ARRAY(arena, uint32_t, n_values + 1);
  b.n_slots = ARENA_ARRAY(arena, uint32_t, n_ops);
  b.weight = ARENA_ARRAY(arena, uint64_t, n_ops);
  b.called = ARENA_ARRAY(arena, bool, n_ops);
  b.shared = ARENA_ARRAY(arena, InstanceId, n_ops);
  b.first = out->first = ARENA_ARRAY(arena, InstanceId, n_ops);
  out->n_ops = n_ops;
  b.constant = ARENA_ARRAY(arena, bool, n_ops);
  b.claimed = ARENA_ARRAY(arena, InstanceId, n_values + 1);
  VEC_PUSH(arena, &b.instances, (Instance){0});
  VEC_PUSH(arena, &b.places, (Place){0});
  VEC_PUSH(arena, &b.nodes, (Node){0});
  VEC_PUSH(arena, &b.maps, NULL);
  VEC_PUSH(arena, &b.map_ops, 0);
  VEC_PUSH(arena, &b.views, (View){0});
  VEC_RESERVE(arena, &b.places, n_values + 1);
  VEC_RESERVE(arena, &b.nodes, n_ops + 1);
  VEC_RESERVE(arena, &b.tensors, n_values + program->operands.count);
  number_values(&b);
  b.most_ops = options->most_ops ? options->most_ops : 16 * b.all_weight + 100000;
  find_constants(&b);
  walk_functions(&b);
  bool good = unite_groups(&b);
  if (good) {
    sort_splits(&b);
    renumber(&b);
    move_to_graph(&b);
    build_adjacency(&b);
  }
  guard_pop(guard, &cleanup);
  build_deinit(&b);
  if (good) return NULL;
  graph_deinit(out);
  return diag_status(diag);
}

void graph_deinit(Graph *graph) { arena_deinit(&graph->arena); }

PlaceId graph_use_place(const Graph *g, InstanceId instance, OperandId use) {
  const Instance *in = &g->instances[instance];
  uint32_t low = in->constants, high = in->constants + in->n_constants;
  while (low < high) {
    uint32_t mid = low + (high - low) / 2;
    if (g->splits[mid].use == use) return g->splits[mid].place;
    if (g->splits[mid].use < use)
      low = mid + 1;
    else
      high = mid;
  }
  return graph_place(g, instance, operand_at(g->program, use)->value);
}

InstanceId graph_instance_of(const Graph *g, OpId function) {
  return function < g->n_ops ? g->first[function] : 0;
}

// ---- manual computations ----

static bool is_manual(const View *view, AxisRef axis) {
  for (uint32_t i = 0; i < view->manual.n; i++)
    if (view->manual.v[i].axis == axis.axis) return true;
  return false;
}

// The axes of a list that are manual, or those that are not.
static uint32_t pick(const View *view, AxisList list, bool manual, AxisRef *out) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < list.n; i++)
    if (is_manual(view, list.v[i]) == manual) out[n++] = list.v[i];
  return n;
}

// Manual axes of `given`, then the axes of `own` that are not manual.
static AxisList convert_axes(const View *view, AxisList own, AxisList given, Arena *arena) {
  AxisRef *v = ARENA_ARRAY(arena, AxisRef, own.n + given.n + 1);
  uint32_t n = pick(view, given, true, v);
  return (AxisList){v, n + pick(view, own, false, v + n)};
}

// The sharding without manual axes; with: plus those of view->outer, as major axes of each
// dimension.
static Sharding convert(const Graph *g, const View *view, Sharding sharding, bool with,
                        Arena *arena) {
  if (!sharding) {
    if (!with) return 0;
    const ShardingInfo *outer = sharding_info(g->table, view->outer);
    sharding = sharding_make_open(g->table, outer->mesh, outer->rank);
  }
  const ShardingInfo *info = sharding_info(g->table, sharding);
  const ShardingInfo *outer = sharding_info(g->table, view->outer);
  const AxisList none = {NULL, 0};
  ArenaMark mark = arena_mark(arena);
  DimSharding *dims = ARENA_ARRAY(arena, DimSharding, info->rank + 1);
  ShardFactor *factors = ARENA_ARRAY(arena, ShardFactor, info->rank + 1);
  for (uint32_t d = 0; d < info->rank; d++) {
    AxisList own = sharding_dim_axes(info, d);
    AxisList given = with && d < outer->rank ? sharding_dim_axes(outer, d) : none;
    factors[d] = (ShardFactor){0, convert_axes(view, own, given, arena)};
    dims[d] = info->dims[d];
    dims[d].factors = &factors[d];
    dims[d].n_factors = 1;
  }
  ShardingInfo changed = *info;
  changed.dims = dims;
  changed.replicated = convert_axes(view, info->replicated, with ? outer->replicated : none, arena);
  changed.unreduced = convert_axes(view, info->unreduced, with ? outer->unreduced : none, arena);
  Sharding result = sharding_intern(g->table, &changed);
  arena_rewind(arena, mark);
  return result;
}

Sharding view_seen(const Graph *g, uint32_t view, Sharding stored, Arena *scratch) {
  if (!view) return stored;
  return convert(g, &g->views[view], stored, g->views[view].argument, scratch);
}

Sharding view_stored(const Graph *g, uint32_t view, Sharding seen, Arena *scratch) {
  if (!view) return seen;
  return convert(g, &g->views[view], seen, !g->views[view].argument, scratch);
}
