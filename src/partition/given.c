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
  uint32_t i = json_find_unknown(object, known);
  if (i == object->count) return NULL;
  bool twice = json_get(object, object->keys[i]) != &object->items[i];
  if (twice) REFUSE(t, object->items[i].line, "the key \"%s\" is there twice", object->keys[i]);
  REFUSE(t, object->items[i].line, "unknown key \"%s\"", object->keys[i]);
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
  if (!json_is_uint(v)) REFUSE(t, v->line, "\"%s\" is not a number from 0 on", key);
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
  if (!n && n_ids) REFUSE(t, v->line, "a mesh needs axes");
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
    if (!json_is_uint(&ids->items[i]))
      REFUSE(t, ids->line, "a device id is not a number from 0 on");
    devices[i] = (int64_t)ids->items[i].number;
  }
  if (symbol && symbol->kind != JSON_STRING) REFUSE(t, v->line, "\"symbol\" is no string");
  const Mesh *mesh;
  Status *status = mesh_new(t->context, symbol ? name_of(t->context, symbol->string) : 0, n, names,
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
  r->t->given->mesh = r->n_meshes ? r->meshes[0] : 0;
  return NULL;
}

// "data", or the sub-axis "data:(1)2".
static bool find_axis(const Context *context, const Mesh *mesh, const char *text, AxisRef *out) {
  for (uint32_t i = 0; i < mesh->n_axes; i++)
    if (strcmp(name_text(context, mesh->axes[i].name), text) == 0) {
      *out = axis_full(mesh, i);
      return true;
    }
  const char *colon = strrchr(text, ':');
  unsigned before, size;
  int used = 0;
  if (!colon || sscanf(colon, ":(%9u)%9u%n", &before, &size, &used) != 2 || colon[used])
    return false;
  size_t n = (size_t)(colon - text);
  for (uint32_t i = 0; i < mesh->n_axes; i++) {
    const char *name = name_text(context, mesh->axes[i].name);
    if (strlen(name) != n || strncmp(name, text, n) != 0) continue;
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
  // Neighbouring sub-axes are one axis, as everywhere.
  *out = axes_concat(&t->arena, (AxisList){NULL, 0}, (AxisList){v, list->count});
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
    if (size % axes_size(factors[i].axes))
      REFUSE(t, one->line, "a part of size %u is not a multiple of its axes", size);
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
  if (!unreduced && json_get(v, "reducer")) REFUSE(t, v->line, "\"reducer\" without \"unreduced\"");
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
  if (json_get(object, is_arg ? "result" : "region"))
    REFUSE(t, object->line,
           "a value has \"op\" and \"result\", or \"op\", \"region\" and \"argument\"");
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

static bool is_target(const Graph *g, NodeId node, PlaceId place) {
  return node_tensors(g, node)[factor_map_n_tensors(node_map(g, node)) - 1] == place;
}

// A value that leaves a manual computation has its manual axes, as in out_shardings; one that
// enters has none. O(uses).
static bool fits_border(const Partition *t, PlaceId place, Sharding sharding) {
  const Graph *g = t->graph;
  for (uint32_t i = g->adjacent_first[place]; i < g->adjacent_first[place + 1]; i++) {
    uint32_t view = g->nodes[g->adjacent[i]].view;
    if (!view || !is_target(g, g->adjacent[i], place)) continue;
    MeshId mesh = sharding_info(t->table, g->views[view].outer)->mesh;
    if (sharding && sharding_info(t->table, sharding)->mesh != mesh) return false;
    Arena *scratch = (Arena *)&t->scratch;
    Sharding seen = view_seen(g, view, sharding, scratch),
             back = view_stored(g, view, seen, scratch);
    const ShardingInfo *a = sharding_info(t->table, sharding), *b = sharding_info(t->table, back);
    if (!axes_equal(a->unreduced, b->unreduced)) return false;
    for (uint32_t d = 0; d < (sharding ? a->rank : b->rank); d++) {
      AxisList has = sharding ? sharding_dim_axes(a, d) : (AxisList){NULL, 0},
               must = back ? sharding_dim_axes(b, d) : (AxisList){NULL, 0};
      if ((sharding && a->dims[d].n_factors > 1) || !axes_equal(has, must)) return false;
    }
  }
  return true;
}

static Status *read_place(Reader *r, const JsonValue *v) {
  Partition *t = r->t;
  const Graph *g = t->graph;
  static const char *const keys[] = {"op",       "result", "region",   "argument",
                                     "instance", "value",  "sharding", NULL};
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
  Sharding *out = &t->given->shardings[place];
  if (*out != GIVEN_ANY)
    return given_refuse(t, op, v->line,
                        "the sharding of this value, or of one that must have the same, is given "
                        "twice");
  TRY(read_sharding(r, sharding, first, g->places[place].type, out));
  t->given->lines[place] = v->line;
  bool edge = !value || (value_at(t->p, value)->is_arg && op == function);
  if (edge && *out && !sharding_is_block(t->table, *out))
    return given_refuse(t, op, v->line, "arguments and results of functions cannot be strided");
  if (!fits_border(t, place, *out))
    return given_refuse(t, op, v->line,
                        "at the border of a manual computation the sharding must have the manual "
                        "axes as in_shardings and out_shardings have them");
  return NULL;
}

static Status *read_places(Reader *r) {
  const JsonValue *list;
  TRY(get_list(r->t, r->root, "values", &list));
  if (!list) return NULL;
  uint32_t n = r->t->graph->n_places;
  Sharding *shardings = ARENA_ARRAY(&r->t->arena, Sharding, n + 1);
  for (uint32_t i = 0; i < n; i++) shardings[i] = GIVEN_ANY;
  r->t->given->shardings = shardings;
  r->t->given->lines = ARENA_ARRAY(&r->t->arena, uint32_t, n + 1);
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

// The axes are a list that one tensor can have: each once.
static bool are_apart(AxisList axes) {
  for (uint32_t i = 0; i < axes.n; i++)
    for (uint32_t k = 0; k < i; k++)
      if (axis_overlaps(axes.v[i], axes.v[k]) || !axis_can_coexist(axes.v[i], axes.v[k]))
        return false;
  return true;
}

// Strides are factors of a factor: their axes are its axes in order.
static bool make_up(Arena *arena, const FactorSplit *split) {
  AxisList all = {NULL, 0};
  for (uint32_t i = 0; i < split->n_strides; i++) {
    if (!split->strides[i].size) return false;
    all = axes_concat(arena, all, split->strides[i].axes);
  }
  return axes_equal(all, split->axes);
}

static Status *read_splits(Reader *r, const JsonValue *list, const Mesh *mesh, GivenDecision *out) {
  Partition *t = r->t;
  static const char *const keys[] = {"factor", "size", "axes", "strides", "preferred", NULL};
  uint32_t n = list->count;
  FactorSplit *splits = ARENA_ARRAY(&t->arena, FactorSplit, n + 1);
  AxisList *preferred = ARENA_ARRAY(&t->arena, AxisList, n + 1);
  int64_t *sizes = ARENA_ARRAY(&t->arena, int64_t, n + 1);
  for (uint32_t f = 0; f < n; f++) {
    const JsonValue *one = &list->items[f], *axes, *strides, *more, *size = json_get(one, "size");
    const JsonValue *letter = json_get(one, "factor");
    TRY(check_keys(t, one, keys));
    StrBuf *name = &t->given->text;
    name->used = 0;
    factor_print(f, name);
    const char *expected = name->data;
    if (letter && (letter->kind != JSON_STRING || strcmp(letter->string, expected) != 0))
      REFUSE(t, one->line, "factors must be in the order of their letters: \"%s\" is expected here",
             expected);
    if (size && (size->kind != JSON_NUMBER || !(size->number >= 0 && size->number < 0x1p62)))
      REFUSE(t, one->line, "the size of a factor is not a number from 0 on");
    if (size) sizes[f] = (int64_t)size->number;
    TRY(get_list(t, one, "axes", &axes));
    TRY(get_list(t, one, "strides", &strides));
    TRY(get_list(t, one, "preferred", &more));
    if (axes) TRY(read_axes(r, axes, mesh, &splits[f].axes));
    preferred[f] = splits[f].axes;
    if (more) TRY(read_axes(r, more, mesh, &preferred[f]));
    if (!are_apart(preferred[f])) REFUSE(t, one->line, "axes of \"preferred\" overlap");
    if (!strides) continue;
    TRY(read_factors(r, strides, mesh, &splits[f].strides));
    splits[f].n_strides = strides->count;
    if (!make_up(&t->arena, &splits[f]))
      REFUSE(t, one->line, "\"strides\" must have the \"axes\" of the factor in order, and sizes");
  }
  out->n_factors = n;
  out->sizes = sizes;
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

// The kind, and that nothing is there that only other kinds have.
static Status *read_kind(Reader *r, const JsonValue *v, const JsonValue *factors,
                         GivenDecision *d) {
  static const struct {
    const char *name;
    DecisionKind kind;
  } kinds[] = {{"split", DECISION_SPLIT},
               {"replicated", DECISION_REPLICATED},
               {"on_device", DECISION_ON_DEVICE},
               {"call", DECISION_CALL},
               {"flow", DECISION_FLOW}};
  enum { N_KINDS = sizeof kinds / sizeof *kinds };
  const JsonValue *kind = json_get(v, "kind");
  const char *word = !kind                       ? (factors ? "split" : "")
                     : kind->kind == JSON_STRING ? kind->string
                                                 : "";
  uint32_t i = 0;
  while (i < N_KINDS && strcmp(word, kinds[i].name) != 0) i++;
  if (i == N_KINDS)
    return given_refuse(r->t, d->op, v->line, "\"kind\" is neither \"split\" nor \"replicated\"");
  d->kind = kinds[i].kind;
  bool more = factors || d->partial || d->strided;
  if (d->kind != DECISION_SPLIT && more)
    return given_refuse(r->t, d->op, v->line,
                        "only the kind \"split\" has factors, strides and partial sums");
  if (d->kind != DECISION_ON_DEVICE && d->position != GIVEN_ANY)
    return given_refuse(r->t, d->op, v->line, "only the kind \"on_device\" has a position");
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
  const JsonValue *name = json_get(v, "name"), *factors, *in, *out;
  if (name && (name->kind != JSON_STRING || strcmp(name->string, op_name(t->p, d.op)) != 0))
    return given_refuse(t, d.op, v->line,
                        "\"name\" is that of another op. Were these decisions made for another "
                        "program?");
  TRY(get_list(t, v, "factors", &factors));
  TRY(get_list(t, v, "operands", &in));
  TRY(get_list(t, v, "results", &out));
  TRY(get_bool(t, v, "partial", &d.partial));
  TRY(get_bool(t, v, "strided", &d.strided));
  TRY(get_uint(t, v, "position", GIVEN_ANY, &d.position));
  TRY(read_kind(r, v, factors, &d));
  bool split = d.kind == DECISION_SPLIT;
  MeshId mesh = mesh_of_instance(t, d.instance);
  if (split && !factors) return given_refuse(t, d.op, v->line, "it has no \"factors\"");
  if (split && !mesh) return given_refuse(t, d.op, v->line, "nothing in the program has a mesh");
  if (split) TRY(read_splits(r, factors, sharding_mesh(t->table, mesh), &d));
  TRY(read_shardings(r, in, d.op, false, mesh, &d.operands, &d.n_operands));
  TRY(read_shardings(r, out, d.op, true, mesh, &d.results, &d.n_results));
  for (uint32_t i = 0; !split && i < d.n_operands + d.n_results; i++)
    if (i < d.n_operands ? d.operands[i] : d.results[i - d.n_operands])
      return given_refuse(t, d.op, v->line, "operands and results of this kind are replicated");
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

Status *given_check_kind(Partition *t, OpId op, DecisionKind kind, uint32_t position) {
  const GivenDecision *d = given_op(t, op);
  if (!d) return NULL;
  if (d->kind != kind)
    return given_refuse(t, op, d->line,
                        kind == DECISION_FLOW   ? "it is control flow: give the ops in its regions"
                        : kind == DECISION_CALL ? "it is a call: give the ops of the function"
                                                : "one device computes it");
  if (d->position != GIVEN_ANY && d->position != position)
    return given_refuse(
        t, op, d->line,
        arena_printf(&t->arena, "it is computed at position %u of the mesh", position));
  return NULL;
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
  if (!c.value || !to || !from == !c.rematerialized || (kind && kind->kind != JSON_STRING) ||
      (!c.rematerialized && strcmp(word, "reshard") != 0))
    return given_refuse(t, c.op, v->line,
                        "a copy has a value, \"to\", and either \"from\" or the \"kind\" "
                        "\"rematerialize\"");
  MeshId mesh = mesh_of_instance(t, c.instance);
  Type type = value_type(t->p, c.value);
  TRY(read_sharding(r, to, mesh, type, &c.to));
  if (from) TRY(read_sharding(r, from, mesh, type, &c.from));
  if (from && c.from == c.to)
    return given_refuse(t, c.op, v->line, "\"from\" and \"to\" are the same sharding");
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

// ---- refused shardings ----

static Status *refuse_place(Partition *t, PlaceId id, const char *why) {
  const Place *place = &t->graph->places[id];
  OpId op = place->value ? value_def(t->p, place->value) : 0;
  if (!op) op = t->graph->instances[place->instance].function;
  return given_refuse(t, op, t->given->lines[id], why);
}

static Status *check_places(Partition *t) {
  const GivenDecisions *g = t->given;
  if (!g || !g->refused) return NULL;
  return refuse_place(t, g->refused, "the sharding of the value has an axis that is manual there");
}

// Functions that call each other are on one mesh, the largest that their values name.
static bool is_sharded(const Partition *t, Sharding sharding) {
  const ShardingInfo *info = sharding_info(t->table, sharding);
  bool any = info->unreduced.n > 0;
  for (uint32_t d = 0; d < info->rank; d++) any |= sharding_tiles(info, d) > 1;
  return any;
}

static Status *check_meshes(Partition *t) {
  const GivenDecisions *g = t->given;
  for (PlaceId i = 1; g->shardings && i < t->graph->n_places; i++)
    if (g->shardings[i] != GIVEN_ANY && !walk_fits_mesh(t, i, g->shardings[i]))
      return refuse_place(t, i,
                          "the function is on a mesh with another number of devices. Give all "
                          "values on one mesh, or leave the annotations out");
  for (PlaceId i = 1; g->shardings && i < t->graph->n_places; i++)
    if (g->shardings[i] != GIVEN_ANY && is_sharded(t, g->shardings[i])) {
      walk_use_mesh(t, t->graph->places[i].instance);
      if (!walk_place_sharding(t, i))
        return refuse_place(t, i,
                            "values of this type stay replicated, or the axes do not fit the mesh "
                            "of the function");
    }
  t->mesh = 0;
  t->on_mesh.count = 0;
  return NULL;
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

// ---- instances ----

// They follow from the program; a file that has them must have been made for it.
static Status *check_instances(Reader *r) {
  Partition *t = r->t;
  static const char *const keys[] = {"instance", "function", "call", "caller", NULL};
  const JsonValue *list;
  TRY(get_list(t, r->root, "instances", &list));
  for (uint32_t i = 0; list && i < list->count; i++) {
    const JsonValue *v = &list->items[i], *function = json_get(v, "function");
    InstanceId id;
    uint32_t visit, call, caller;
    TRY(check_keys(t, v, keys));
    TRY(read_instance(r, v, &id, &visit));
    const Instance *instance = &t->graph->instances[id];
    uint32_t number = instance->call ? t->numbers[instance->call] : 0;
    TRY(get_uint(t, v, "call", number, &call));
    TRY(get_uint(t, v, "caller", instance->caller, &caller));
    Name name = attr_as_name(t->context, op_attr(t->p, instance->function, "sym_name"));
    bool same = !function || (function->kind == JSON_STRING &&
                              strcmp(function->string, name_text(t->context, name)) == 0);
    if (!same || call != number || caller != instance->caller)
      REFUSE(t, v->line,
             "instance %u is another one here. Were these decisions made for another program?", id);
  }
  return NULL;
}

// ---- all ----

const JsonValue *partition_decisions_of(const JsonValue *file) {
  const JsonValue *inner = json_get(file, "decisions");
  return json_get(file, "plan_version") && inner ? inner : file;
}

static Status *read_root(Reader *r) {
  Partition *t = r->t;
  static const char *const keys[] = {"version", "program_ops", "instances", "inlined", "values",
                                     "ops",     "copies",      "meshes",    "passes",  NULL};
  Status *status = json_read(t->options.decisions, &t->arena, &r->root);
  if (status) {
    const char *why = arena_printf(&t->arena, "%s", status_message(status));
    status_free(status);
    diag_error(t->diag, POS_NONE, "the decisions are not valid JSON: %s", why);
    FAIL(INVALID_ARGUMENT, "the decisions are not valid JSON: %s", why);
  }
  r->root = partition_decisions_of(r->root);
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
  strbuf_init(&t->given->text, t->guard);
  VEC_PUSH(&t->arena, &t->given->ops, (GivenDecision){0});
  VEC_PUSH(&t->arena, &t->given->copies, (GivenCopy){0});
  Reader *r = ARENA_NEW(&t->arena, Reader);
  r->t = t;
  t->given->reader = r;
  TRY(read_root(r));
  TRY(check_instances(r));
  TRY(read_meshes(r));
  return read_places(r);
}

Status *given_read_ops(Partition *t) {
  if (!t->given) return NULL;
  Reader *r = t->given->reader;
  const JsonValue *ops, *copies;
  TRY(check_meshes(t));
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
  strbuf_deinit(&g->text);
  idmap_deinit(&g->copy_ids);
}

void given_begin(Partition *t) {
  GivenDecisions *g = t->given;
  for (uint32_t i = 1; g && i < g->ops.count; i++) g->ops.items[i].used = false;
  for (uint32_t i = 1; g && i < g->copies.count; i++) g->copies.items[i].used = false;
  if (g) g->refused = 0;
}

void given_check_manual(Partition *t, PlaceId place, Sharding sharding) {
  GivenDecisions *g = t->given;
  if (!sharding || !g || !g->shardings || g->shardings[place] == GIVEN_ANY) return;
  const ShardingInfo *info = sharding_info(t->table, sharding);
  AxisList all = info->unreduced;
  for (uint32_t d = 0; d < info->rank; d++)
    all = axes_concat(&t->scratch, all, sharding_dim_axes(info, d));
  if (!are_apart(axes_concat(&t->scratch, t->local.manual, all))) g->refused = place;
}

Status *given_check_used(Partition *t) {
  const GivenDecisions *g = t->given;
  TRY(check_places(t));
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
