// Decisions from outside: read from JSON, resolved against the program, and looked up by the walk.
//
// Idea. Reading has two phases. Shardings of values come first, because the meshes of instances
// depend on them. Then, with meshes known, ops and copies: numbers become ops, names become axes.
// The walk looks decisions up by (op, instance, visit) and marks them as used.
//
// Invariant. Every key of the text is known, and every decision is used in the end: otherwise a
// misspelled or misplaced decision would be ignored silently.
//
// Cost. O(text); O(1) per lookup.
#include "partition/given.h"

#include <stdio.h>
#include <string.h>

#include "partition/walk.h"

// ---- refusing ----

Status *given_refuse(Partition *t, OpId op, uint32_t line, const char *why) {
  const char *name = op ? op_name(t->p, op) : "the program";
  Pos pos = op ? op_at(t->p, op)->pos : POS_NONE;
  diag_error(t->diag, pos, "the decision about '%s' (line %u of the decisions) is refused: %s",
             name, line, why);
  FAIL(INVALID_ARGUMENT, "the decision about '%s' (line %u of the decisions) is refused: %s", name,
       line, why);
}

static Status *refuse_text(Partition *t, uint32_t line, const char *why) {
  diag_error(t->diag, POS_NONE, "line %u of the decisions: %s", line, why);
  FAIL(INVALID_ARGUMENT, "line %u of the decisions: %s", line, why);
}

#define REFUSE(t, line, ...) return refuse_text((t), (line), arena_printf(&(t)->arena, __VA_ARGS__))

// ---- JSON ----

// INVALID_ARGUMENT if the object has an unknown key.
static Status *check_keys(Partition *t, const JsonValue *object, const char *const *known) {
  if (object->kind != JSON_OBJECT) REFUSE(t, object->line, "expected an object");
  for (uint32_t i = 0; i < object->count; i++) {
    const char *const *k = known;
    while (*k && strcmp(*k, object->keys[i]) != 0) k++;
    if (!*k) REFUSE(t, object->items[i].line, "unknown key \"%s\"", object->keys[i]);
  }
  return NULL;
}

static Status *get_list(Partition *t, const JsonValue *object, const char *key,
                        const JsonValue **out) {
  *out = json_get(object, key);
  if (*out && (*out)->kind != JSON_ARRAY) REFUSE(t, (*out)->line, "\"%s\" is not an array", key);
  return NULL;
}

static Status *get_uint(Partition *t, const JsonValue *object, const char *key, uint32_t otherwise,
                        uint32_t *out) {
  const JsonValue *v = json_get(object, key);
  *out = otherwise;
  if (!v) return NULL;
  if (v->kind != JSON_NUMBER || !(v->number >= 0 && v->number < UINT32_MAX) ||
      v->number != (double)(uint32_t)v->number)
    REFUSE(t, v->line, "\"%s\" is not a number from 0 on", key);
  *out = (uint32_t)v->number;
  return NULL;
}

static Status *get_bool(Partition *t, const JsonValue *object, const char *key, bool *out) {
  const JsonValue *v = json_get(object, key);
  *out = v && v->truth;
  if (v && v->kind != JSON_BOOL) REFUSE(t, v->line, "\"%s\" is not true or false", key);
  return NULL;
}

// ---- meshes, axes, shardings ----

typedef struct Reader {
  Partition *t;
  const JsonValue *root;
  MeshId *meshes;  // of the file
  uint32_t n_meshes;
} Reader;

static Status *read_mesh(Reader *r, const JsonValue *v, MeshId *out) {
  Partition *t = r->t;
  static const char *const keys[] = {"symbol", "axes", "device_ids", NULL};
  const JsonValue *axes, *ids, *symbol = json_get(v, "symbol");
  TRY(check_keys(t, v, keys));
  TRY(get_list(t, v, "axes", &axes));
  TRY(get_list(t, v, "device_ids", &ids));
  uint32_t n = axes ? axes->count : 0, n_ids = ids ? ids->count : 0;
  Name *names = ARENA_ARRAY(&t->scratch, Name, n + 1);
  int64_t *sizes = ARENA_ARRAY(&t->scratch, int64_t, n + 1),
          *devices = ARENA_ARRAY(&t->scratch, int64_t, n_ids + 1);
  for (uint32_t i = 0; i < n; i++) {
    static const char *const axis_keys[] = {"name", "size", NULL};
    const JsonValue *name = json_get(&axes->items[i], "name");
    uint32_t size;
    TRY(check_keys(t, &axes->items[i], axis_keys));
    TRY(get_uint(t, &axes->items[i], "size", 0, &size));
    if (!name || name->kind != JSON_STRING) REFUSE(t, axes->items[i].line, "an axis has no name");
    names[i] = name_of(t->context, name->string);
    sizes[i] = size;
  }
  for (uint32_t i = 0; i < n_ids; i++) {
    if (ids->items[i].kind != JSON_NUMBER) REFUSE(t, ids->line, "a device id is no number");
    devices[i] = (int64_t)ids->items[i].number;
  }
  bool named = symbol && symbol->kind == JSON_STRING;
  const Mesh *mesh;
  Status *status = mesh_new(t->context, named ? name_of(t->context, symbol->string) : 0, n, names,
                            sizes, n_ids, devices, &mesh);
  if (!status) {
    *out = sharding_mesh_add(t->table, mesh);
    return NULL;
  }
  const char *why = arena_printf(&t->arena, "%s", status_message(status));
  status_free(status);
  return refuse_text(t, v->line, why);
}

static Status *read_meshes(Reader *r) {
  const JsonValue *list;
  TRY(get_list(r->t, r->root, "meshes", &list));
  r->n_meshes = list ? list->count : 0;
  r->meshes = ARENA_ARRAY(&r->t->arena, MeshId, r->n_meshes + 1);
  for (uint32_t i = 0; i < r->n_meshes; i++) TRY(read_mesh(r, &list->items[i], &r->meshes[i]));
  return NULL;
}

// "data", or the sub-axis "data:(1)2".
static bool find_axis(const Context *context, const Mesh *mesh, const char *text, AxisRef *out) {
  const char *colon = strrchr(text, ':');
  for (uint32_t i = 0; i < mesh->n_axes; i++) {
    const char *name = name_text(context, mesh->axes[i].name);
    if (strcmp(name, text) == 0) {
      *out = axis_full(mesh, i);
      return true;
    }
    unsigned before, size;
    int used = 0;
    size_t n = colon ? (size_t)(colon - text) : 0;
    if (!colon || strlen(name) != n || strncmp(name, text, n) != 0) continue;
    if (sscanf(colon, ":(%9u)%9u%n", &before, &size, &used) != 2 || colon[used]) return false;
    *out = (AxisRef){i, before, size};
    return before && size && mesh->axes[i].size % ((uint64_t)before * size) == 0;
  }
  return false;
}

static Status *read_axes(Reader *r, const JsonValue *list, const Mesh *mesh, AxisList *out) {
  Partition *t = r->t;
  if (list->kind != JSON_ARRAY) REFUSE(t, list->line, "expected an array of axes");
  AxisRef *v = ARENA_ARRAY(&t->arena, AxisRef, list->count + 1);
  for (uint32_t i = 0; i < list->count; i++) {
    const JsonValue *name = &list->items[i];
    if (name->kind != JSON_STRING) REFUSE(t, name->line, "an axis is no string");
    if (!find_axis(t->context, mesh, name->string, &v[i]))
      REFUSE(t, name->line, "the mesh has no axis \"%s\"", name->string);
  }
  *out = (AxisList){v, list->count};
  return NULL;
}

static Status *read_factors(Reader *r, const JsonValue *list, const Mesh *mesh,
                            const ShardFactor **out) {
  Partition *t = r->t;
  static const char *const keys[] = {"size", "axes", NULL};
  ShardFactor *factors = ARENA_ARRAY(&t->arena, ShardFactor, list->count + 1);
  for (uint32_t i = 0; i < list->count; i++) {
    const JsonValue *one = &list->items[i], *axes;
    uint32_t size;
    TRY(check_keys(t, one, keys));
    TRY(get_uint(t, one, "size", 0, &size));
    TRY(get_list(t, one, "axes", &axes));
    factors[i].size = size;
    if (axes) TRY(read_axes(r, axes, mesh, &factors[i].axes));
  }
  *out = factors;
  return NULL;
}

static Status *read_reducer(Reader *r, const JsonValue *v, Combine *out) {
  *out = COMBINE_SUM;
  if (!v) return NULL;
  for (*out = COMBINE_SUM; *out < COMBINE_COUNT; (*out)++)
    if (v->kind == JSON_STRING && strcmp(combine_name(*out), v->string) == 0) return NULL;
  REFUSE(r->t, v->line, "unknown reducer");
}

// A sharding as decisions_json writes it; null is replicated. mesh: for files without "meshes".
static Status *read_sharding(Reader *r, const JsonValue *v, MeshId mesh, Type type, Sharding *out) {
  Partition *t = r->t;
  static const char *const keys[] = {"mesh", "dims", "unreduced", "reducer", NULL};
  *out = 0;
  if (v->kind == JSON_NULL) return NULL;
  const JsonValue *list, *unreduced;
  uint32_t number;
  TRY(check_keys(t, v, keys));
  TRY(get_uint(t, v, "mesh", 0, &number));
  TRY(get_list(t, v, "dims", &list));
  TRY(get_list(t, v, "unreduced", &unreduced));
  if (number >= r->n_meshes && (number || r->n_meshes || !mesh))
    REFUSE(t, v->line, "there is no mesh %u in \"meshes\"", number);
  if (r->n_meshes) mesh = r->meshes[number];
  const Mesh *on = sharding_mesh(t->table, mesh);
  uint32_t rank = list ? list->count : 0;
  DimSharding *dims = ARENA_ARRAY(&t->arena, DimSharding, rank + 1);
  for (uint32_t d = 0; d < rank; d++) {
    const JsonValue *dim = &list->items[d];
    if (dim->kind != JSON_ARRAY) REFUSE(t, dim->line, "a dimension is not an array of axes");
    const ShardFactor *factors;
    uint32_t n = 1;
    if (dim->count && dim->items[0].kind == JSON_OBJECT) {
      TRY(read_factors(r, dim, on, &factors));
      n = dim->count;
    } else {
      ShardFactor *one = ARENA_NEW(&t->arena, ShardFactor);
      TRY(read_axes(r, dim, on, &one->axes));
      factors = one;
    }
    dims[d] = (DimSharding){factors, n, false, PRIORITY_NONE};
  }
  ShardingInfo info = {.mesh = mesh, .rank = rank, .dims = dims};
  if (unreduced) {
    TRY(read_axes(r, unreduced, on, &info.unreduced));
    TRY(read_reducer(r, json_get(v, "reducer"), &info.reducer));
  }
  Status *status = sharding_check(t->table, &info, type);
  if (!status) {
    *out = sharding_intern(t->table, &info);
    return NULL;
  }
  const char *why = arena_printf(&t->arena, "%s", status_message(status));
  status_free(status);
  return refuse_text(t, v->line, why);
}

// ---- ops, values ----

static Status *read_op(Reader *r, const JsonValue *object, const char *key, OpId *out) {
  Partition *t = r->t;
  uint32_t number;
  TRY(get_uint(t, object, key, 0, &number));
  if (!number || number > t->n_numbers)
    REFUSE(t, object->line, "\"%s\" is not the number of an op (1 to %u)", key, t->n_numbers);
  *out = t->by_number[number];
  return NULL;
}

static Status *read_instance(Reader *r, const JsonValue *object, InstanceId *out,
                             uint32_t *out_visit) {
  Partition *t = r->t;
  TRY(get_uint(t, object, "instance", 1, out));
  TRY(get_uint(t, object, "visit", 0, out_visit));
  if (!*out || *out >= t->graph->n_instances)
    REFUSE(t, object->line, "there is no instance %u", *out);
  return NULL;
}

static MeshId mesh_of_instance(const Partition *t, InstanceId instance) {
  return t->meshes ? t->meshes[t->roots[instance]] : 0;
}

// Reads a value: an op and a result, or an op, a region and an argument. The result of a function
// has no value: *out is 0, and *out_index the result.
static Status *read_value(Reader *r, const JsonValue *object, ValueId *out, OpId *out_op,
                          uint32_t *out_index) {
  Partition *t = r->t;
  const Program *p = t->p;
  TRY(read_op(r, object, "op", out_op));
  const Op *op = op_at(p, *out_op);
  bool is_arg = json_get(object, "argument");
  uint32_t region;
  TRY(get_uint(t, object, "region", 0, &region));
  TRY(get_uint(t, object, is_arg ? "argument" : "result", 0, out_index));
  *out = 0;
  if (!is_arg && op_row(op->code)->traits & TRAIT_FUNCTION) return NULL;
  BlockId block = is_arg && region < op->n_regions ? region_block(p, op->regions + region) : 0;
  uint32_t n = !is_arg ? op->n_results : block ? block_at(p, block)->n_args : 0;
  if (*out_index >= n)
    return given_refuse(t, *out_op, object->line,
                        is_arg ? "its region has no such argument" : "it has no such result");
  *out = is_arg ? block_arg(p, block, *out_index) : op_result(p, *out_op, *out_index);
  return NULL;
}

// ---- values ----

static Status *read_place(Reader *r, const JsonValue *v) {
  Partition *t = r->t;
  const Graph *g = t->graph;
  static const char *const keys[] = {"op",    "result", "region",   "argument", "instance",
                                     "visit", "value",  "sharding", NULL};
  InstanceId instance;
  uint32_t visit, index;
  ValueId value;
  OpId op;
  TRY(check_keys(t, v, keys));
  TRY(read_instance(r, v, &instance, &visit));
  TRY(read_value(r, v, &value, &op, &index));
  OpId function = g->instances[instance].function;
  OpId inside = op;
  while (inside && inside != function) inside = op_parent(t->p, inside);
  if (!inside) return given_refuse(t, op, v->line, "it is not in the function of the instance");
  if (!value && index >= g->instances[instance].n_results)
    return given_refuse(t, op, v->line, "the function has no such result");
  PlaceId place = value ? graph_place(g, instance, value) : graph_result_place(g, instance, index);
  const JsonValue *sharding = json_get(v, "sharding");
  if (!sharding) return given_refuse(t, op, v->line, "it has no \"sharding\"");
  if (!place) return given_refuse(t, op, v->line, "the value cannot be sharded");
  MeshId first = sharding_mesh(t->table, 1) ? 1 : 0;
  return read_sharding(r, sharding, first, g->places[place].type, &t->given->shardings[place]);
}

static Status *read_places(Reader *r) {
  const JsonValue *list;
  TRY(get_list(r->t, r->root, "values", &list));
  if (!list) return NULL;
  uint32_t n = r->t->graph->n_places;
  Sharding *shardings = ARENA_ARRAY(&r->t->arena, Sharding, n + 1);
  for (uint32_t i = 0; i < n; i++) shardings[i] = GIVEN_ANY;
  r->t->given->shardings = shardings;
  for (uint32_t i = 0; i < list->count; i++) TRY(read_place(r, &list->items[i]));
  return NULL;
}

// ---- ops ----

static bool op_equal(const void *owner, uint32_t id, const void *key) {
  const GivenDecision *a = &((const GivenDecisions *)owner)->ops.items[id], *b = key;
  return a->op == b->op && a->instance == b->instance && a->visit == b->visit;
}

static uint64_t decision_hash(OpId op, InstanceId instance, uint32_t visit) {
  return hash_mix(hash_mix(op, instance), visit);
}

static Status *read_splits(Reader *r, const JsonValue *list, const Mesh *mesh, GivenDecision *out) {
  Partition *t = r->t;
  static const char *const keys[] = {"factor", "size", "axes", "strides", "preferred", NULL};
  uint32_t n = list->count;
  FactorSplit *splits = ARENA_ARRAY(&t->arena, FactorSplit, n + 1);
  AxisList *preferred = ARENA_ARRAY(&t->arena, AxisList, n + 1);
  for (uint32_t f = 0; f < n; f++) {
    const JsonValue *one = &list->items[f], *axes, *strides, *more;
    TRY(check_keys(t, one, keys));
    TRY(get_list(t, one, "axes", &axes));
    TRY(get_list(t, one, "strides", &strides));
    TRY(get_list(t, one, "preferred", &more));
    if (axes) TRY(read_axes(r, axes, mesh, &splits[f].axes));
    preferred[f] = splits[f].axes;
    if (more) TRY(read_axes(r, more, mesh, &preferred[f]));
    if (!strides) continue;
    TRY(read_factors(r, strides, mesh, &splits[f].strides));
    splits[f].n_strides = strides->count;
  }
  out->n_factors = n;
  out->splits = splits;
  out->preferred = preferred;
  return NULL;
}

static Status *read_shardings(Reader *r, const JsonValue *list, OpId op, bool results, MeshId mesh,
                              const Sharding **out, uint32_t *out_n) {
  Partition *t = r->t;
  *out_n = 0;
  if (!list) return NULL;
  uint32_t n = results ? op_at(t->p, op)->n_results : op_at(t->p, op)->n_operands;
  if (list->count != n)
    return given_refuse(t, op, list->line, "it has another number of operands or results");
  Sharding *shardings = ARENA_ARRAY(&t->arena, Sharding, n + 1);
  for (uint32_t i = 0; i < n; i++) {
    Type type = results ? op_result_type(t->p, op, i) : op_operand_type(t->p, op, i);
    TRY(read_sharding(r, &list->items[i], mesh, type, &shardings[i]));
  }
  *out = shardings;
  *out_n = n;
  return NULL;
}

static Status *read_decision(Reader *r, const JsonValue *v) {
  Partition *t = r->t;
  static const char *const keys[] = {"op",       "name",     "value",   "file",    "line",
                                     "instance", "visit",    "kind",    "factors", "strided",
                                     "partial",  "operands", "results", "bytes",   "price",
                                     "position", "why",      "rule",    NULL};
  GivenDecision d = {.line = v->line};
  TRY(check_keys(t, v, keys));
  TRY(read_op(r, v, "op", &d.op));
  TRY(read_instance(r, v, &d.instance, &d.visit));
  const JsonValue *name = json_get(v, "name"), *kind = json_get(v, "kind"), *factors, *in, *out;
  if (name && (name->kind != JSON_STRING || strcmp(name->string, op_name(t->p, d.op)) != 0))
    return given_refuse(t, d.op, v->line,
                        "\"name\" is that of another op. Were these decisions made for another "
                        "program?");
  TRY(get_list(t, v, "factors", &factors));
  TRY(get_list(t, v, "operands", &in));
  TRY(get_list(t, v, "results", &out));
  TRY(get_bool(t, v, "partial", &d.partial));
  TRY(get_bool(t, v, "strided", &d.strided));
  const char *word = kind && kind->kind == JSON_STRING ? kind->string : factors ? "split" : "";
  bool split = strcmp(word, "split") == 0;
  d.replicated = strcmp(word, "replicated") == 0;
  static const char *const others[] = {"on_device", "call", "flow", NULL};
  for (uint32_t i = 0; others[i]; i++)
    if (strcmp(word, others[i]) == 0) return NULL;  // these follow from other decisions
  if (!split && !d.replicated)
    return given_refuse(t, d.op, v->line, "\"kind\" is neither \"split\" nor \"replicated\"");
  MeshId mesh = mesh_of_instance(t, d.instance);
  if (split && !factors) return given_refuse(t, d.op, v->line, "it has no \"factors\"");
  if (split && !mesh) return given_refuse(t, d.op, v->line, "nothing in the program has a mesh");
  if (split) TRY(read_splits(r, factors, sharding_mesh(t->table, mesh), &d));
  TRY(read_shardings(r, in, d.op, false, mesh, &d.operands, &d.n_operands));
  TRY(read_shardings(r, out, d.op, true, mesh, &d.results, &d.n_results));
  GivenDecisions *g = t->given;
  uint64_t hash = decision_hash(d.op, d.instance, d.visit);
  if (idmap_find(&g->op_ids, hash, op_equal, g, &d))
    return given_refuse(t, d.op, v->line, "there is another decision about the same op");
  VEC_PUSH(&t->arena, &g->ops, d);
  idmap_add(&g->op_ids, t->guard, hash, g->ops.count - 1);
  return NULL;
}

GivenDecision *given_op(Partition *t, OpId op) {
  GivenDecisions *g = t->given;
  if (!g || g->ops.count < 2) return NULL;
  GivenDecision key = {.op = op, .instance = t->instance, .visit = t->visit};
  uint32_t id = idmap_find(&g->op_ids, decision_hash(op, t->instance, t->visit), op_equal, g, &key);
  if (!id) return NULL;
  g->ops.items[id].used = true;
  return &g->ops.items[id];
}

// ---- copies ----

// Several equal copies may be given: a lookup finds one that is not used yet.
static bool copy_equal(const void *owner, uint32_t id, const void *key) {
  const GivenCopy *a = &((const GivenDecisions *)owner)->copies.items[id], *b = key;
  return !a->used && a->op == b->op && a->instance == b->instance && a->visit == b->visit &&
         a->value == b->value && a->to == b->to && a->rematerialized == b->rematerialized;
}

static uint64_t copy_hash(const GivenCopy *c) {
  return hash_mix(decision_hash(c->op, c->instance, c->visit), hash_mix(c->value, c->to));
}

static Status *read_copy(Reader *r, const JsonValue *v) {
  Partition *t = r->t;
  static const char *const keys[] = {"for",    "instance", "visit", "op",   "result",
                                     "region", "argument", "value", "kind", "from",
                                     "to",     "price",    NULL};
  GivenCopy c = {.line = v->line};
  uint32_t index;
  OpId op;
  TRY(check_keys(t, v, keys));
  TRY(read_op(r, v, "for", &c.op));
  TRY(read_instance(r, v, &c.instance, &c.visit));
  TRY(read_value(r, v, &c.value, &op, &index));
  const JsonValue *kind = json_get(v, "kind"), *from = json_get(v, "from"), *to = json_get(v, "to");
  const char *word = kind && kind->kind == JSON_STRING ? kind->string : "reshard";
  c.rematerialized = strcmp(word, "rematerialize") == 0;
  if (!c.value || !to || (!from && !c.rematerialized) ||
      (!c.rematerialized && strcmp(word, "reshard") != 0))
    return given_refuse(t, c.op, v->line,
                        "a copy has a value, \"to\", and either \"from\" or the \"kind\" "
                        "\"rematerialize\"");
  MeshId mesh = mesh_of_instance(t, c.instance);
  Type type = value_type(t->p, c.value);
  TRY(read_sharding(r, to, mesh, type, &c.to));
  if (from) TRY(read_sharding(r, from, mesh, type, &c.from));
  VEC_PUSH(&t->arena, &t->given->copies, c);
  idmap_add(&t->given->copy_ids, t->guard, copy_hash(&c), t->given->copies.count - 1);
  return NULL;
}

GivenCopy *given_copy(Partition *t, ValueId v, Sharding to, bool rematerialized) {
  GivenDecisions *g = t->given;
  if (!g || g->copies.count < 2) return NULL;
  GivenCopy key = {.op = t->local.origin,
                   .instance = t->instance,
                   .visit = t->visit,
                   .value = v,
                   .to = to,
                   .rematerialized = rematerialized};
  uint32_t id = idmap_find(&g->copy_ids, copy_hash(&key), copy_equal, g, &key);
  if (!id) return NULL;
  g->copies.items[id].used = true;
  return &g->copies.items[id];
}

// ---- functions ----

static Status *read_inlined(Reader *r) {
  Partition *t = r->t;
  const JsonValue *list;
  TRY(get_list(t, r->root, "inlined", &list));
  if (!list) return NULL;
  t->given->inlined = ARENA_ARRAY(&t->arena, bool, t->p->ops.count + 1);
  t->given->inlined_line = list->line;
  for (uint32_t i = 0; i < list->count; i++) {
    const JsonValue *name = &list->items[i];
    if (name->kind != JSON_STRING) REFUSE(t, name->line, "a function's name is no string");
    OpId function = symbols_find(&t->functions, name_of(t->context, name->string));
    if (!function || !(op_row(op_at(t->p, function)->code)->traits & TRAIT_FUNCTION))
      REFUSE(t, name->line, "there is no function @%s", name->string);
    t->given->inlined[function] = true;
  }
  return NULL;
}

// ---- all ----

static Status *read_root(Reader *r) {
  Partition *t = r->t;
  static const char *const keys[] = {"version", "program_ops", "instances", "inlined", "values",
                                     "ops",     "copies",      "meshes",    "passes",  NULL};
  Status *status = json_read(t->options.decisions, &t->arena, &r->root);
  if (status) {
    diag_error(t->diag, POS_NONE, "the decisions are not valid JSON: %s", status_message(status));
    return status;
  }
  TRY(check_keys(t, r->root, keys));
  uint32_t version, n;
  TRY(get_uint(t, r->root, "version", 1, &version));
  if (version != 1) REFUSE(t, r->root->line, "version %u is not known; this is 1", version);
  TRY(get_uint(t, r->root, "program_ops", t->n_numbers, &n));
  if (n != t->n_numbers)
    REFUSE(t, r->root->line,
           "they are for a program of %u ops, and this one has %u. Were they saved from another "
           "program, or with other annotations?",
           n, t->n_numbers);
  return NULL;
}

Status *given_read_values(Partition *t) {
  if (!t->options.decisions.n) return NULL;
  t->given = ARENA_NEW(&t->arena, GivenDecisions);
  VEC_PUSH(&t->arena, &t->given->ops, (GivenDecision){0});
  VEC_PUSH(&t->arena, &t->given->copies, (GivenCopy){0});
  Reader *r = ARENA_NEW(&t->arena, Reader);
  r->t = t;
  t->given->reader = r;
  TRY(read_root(r));
  TRY(read_meshes(r));
  return read_places(r);
}

Status *given_read_ops(Partition *t) {
  if (!t->given) return NULL;
  Reader *r = t->given->reader;
  const JsonValue *ops, *copies;
  TRY(read_inlined(r));
  TRY(get_list(t, r->root, "ops", &ops));
  TRY(get_list(t, r->root, "copies", &copies));
  for (uint32_t i = 0; ops && i < ops->count; i++) TRY(read_decision(r, &ops->items[i]));
  for (uint32_t i = 0; copies && i < copies->count; i++) TRY(read_copy(r, &copies->items[i]));
  return NULL;
}

void given_deinit(GivenDecisions *g) {
  if (!g) return;
  idmap_deinit(&g->op_ids);
  idmap_deinit(&g->copy_ids);
}

void given_begin(Partition *t) {
  GivenDecisions *g = t->given;
  for (uint32_t i = 1; g && i < g->ops.count; i++) g->ops.items[i].used = false;
  for (uint32_t i = 1; g && i < g->copies.count; i++) g->copies.items[i].used = false;
}

Status *given_check_used(Partition *t) {
  const GivenDecisions *g = t->given;
  for (uint32_t i = 1; g && i < g->ops.count; i++)
    if (!g->ops.items[i].used)
      return given_refuse(t, g->ops.items[i].op, g->ops.items[i].line,
                          "the partitioner does not decide about this op in this instance");
  for (uint32_t i = 1; g && i < g->copies.count; i++)
    if (!g->copies.items[i].used)
      return given_refuse(t, g->copies.items[i].op, g->copies.items[i].line,
                          "the op does not need this copy. Remove it, or remove \"copies\" to have "
                          "all of them chosen again");
  return NULL;
}
