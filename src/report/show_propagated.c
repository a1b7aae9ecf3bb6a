// The table's rows are collected before printing, since column widths depend on all rows.
#include "report/show_propagated.h"

#include <string.h>

#include "base/json.h"
#include "base/vec.h"
#include "ops/op.h"
#include "annotate/target.h"

typedef struct Row {
  const char *name, *type;
  const char *local, *sharding;  // "" without a sharding
} Row;

// Texts of one place; local type and sharding are empty if the place has no sharding.
static Row row_of(const Shown *s, PlaceId place, const char *name, Type type) {
  ShardingTable *table = propagation_table(s->propagation);
  Context *context = s->program->context;
  Arena *arena = s->arena;
  Sharding sharding = place ? propagation_get(s->propagation, place) : 0;
  Row row = {name, type_text(context, type), "", ""};
  const TypeInfo *info = type_info(context, type);
  if (!sharding) return row;
  if (type_is_static(context, type) && info->kind == TYPE_TENSOR) {
    int64_t *dims = ARENA_ARRAY(arena, int64_t, info->rank + 1);
    sharding_local_dims(table, sharding, info->dims, dims);
    row.local = type_text(context, type_tensor(context, info->elem, info->rank, dims, 0));
  }
  StrBuf text;
  strbuf_init(&text, s->out->guard);
  GuardCleanup cleanup = {.release = strbuf_release, .object = &text};
  guard_push(s->out->guard, &cleanup);
  sharding_print(table, sharding, &text);
  row.sharding = arena_printf(arena, "%s", text.data);
  guard_pop(s->out->guard, &cleanup);
  strbuf_deinit(&text);
  return row;
}

// ---- JSON ----

static void json_text_or_null(Json *json, const char *key, const char *text) {
  json_key(json, key);
  if (*text)
    json_string(json, text);
  else
    json_null(json);
}

static void json_sharding(Json *json, const Shown *s, PlaceId place, Type type) {
  Row row = row_of(s, place, "", type);
  json_key(json, "type");
  json_string(json, row.type);
  json_text_or_null(json, "sharding", row.sharding);
  json_text_or_null(json, "local", row.local);
}

static void json_edge(Json *json, const Shown *s, InstanceId instance, TargetKind kind,
                      uint32_t i) {
  const Graph *g = propagation_graph(s->propagation);
  OpId function = g->instances[instance].function;
  bool argument = kind == TARGET_ARGUMENT;
  ValueId value = argument ? function_argument(g->program, function, i) : 0;
  Target target = {function, (uint8_t)kind, i, value};
  Str path = argument ? argument_path(g->program, function, i, s->arena)
                      : result_path(g->program, function, i, s->arena);
  json_open(json, '{');
  json_key(json, "path");
  if (path.n)
    json_str(json, path);
  else
    json_null(json);
  PlaceId place = !argument ? graph_result_place(g, instance, i)
                  : value   ? graph_place(g, instance, value)
                            : 0;
  json_sharding(json, s, place, target_type(g->program, &target));
  json_close(json, '}');
}

static void json_values(Json *json, const Shown *s, InstanceId instance) {
  const Graph *g = propagation_graph(s->propagation);
  const Program *p = g->program;
  OpId function = g->instances[instance].function;
  for (OpId o = op_walk_next(p, function, function); o; o = op_walk_next(p, o, function)) {
    for (uint32_t i = 0; i < op_at(p, o)->n_results; i++) {
      if (!graph_place(g, instance, op_result(p, o, i))) continue;
      ArenaMark mark = arena_mark(s->arena);
      Target target = {function, TARGET_VALUE, i, op_result(p, o, i)};
      json_open(json, '{');
      json_key(json, "name");
      json_string(json, target_text(p, &target, s->arena));
      json_key(json, "op");
      json_string(json, op_name(p, o));
      json_sharding(json, s, graph_place(g, instance, target.value), value_type(p, target.value));
      json_close(json, '}');
      arena_rewind(s->arena, mark);
    }
  }
}

// One function instance. `caller` is the calling instance, null for entry functions.
static void json_instance(Json *json, const Shown *s, InstanceId instance) {
  const Graph *g = propagation_graph(s->propagation);
  const Program *p = g->program;
  const Instance *at = &g->instances[instance];
  json_open(json, '{');
  json_key(json, "function");
  json_str(json,
           name_str(p->context, attr_as_name(p->context, op_attr(p, at->function, "sym_name"))));
  json_key(json, "instance");
  json_uint(json, instance);
  json_key(json, "caller");
  if (at->caller)
    json_uint(json, at->caller);
  else
    json_null(json);
  json_key(json, "arguments");
  json_open(json, '[');
  for (uint32_t i = 0; i < function_n_arguments(p, at->function); i++)
    json_edge(json, s, instance, TARGET_ARGUMENT, i);
  json_close(json, ']');
  json_key(json, "results");
  json_open(json, '[');
  for (uint32_t i = 0; i < at->n_results; i++) json_edge(json, s, instance, TARGET_RESULT, i);
  json_close(json, ']');
  if (!s->edges_only) {
    json_key(json, "values");
    json_open(json, '[');
    json_values(json, s, instance);
    json_close(json, ']');
  }
  json_close(json, '}');
}

static void json_meshes(Json *json, const Shown *s) {
  const Program *p = s->program;
  BlockId block = region_block(p, op_region(p, p->root, 0));
  json_key(json, "meshes");
  json_open(json, '[');
  for (OpId o = block ? block_at(p, block)->first : 0; o; o = op_at(p, o)->next) {
    if (op_at(p, o)->code != OP_sdy_mesh) continue;
    Name symbol = attr_as_name(p->context, op_attr(p, o, "sym_name"));
    const Mesh *mesh = sharding_mesh(propagation_table(s->propagation),
                                     sharding_mesh_find(propagation_table(s->propagation), symbol));
    json_open(json, '{');
    json_key(json, "name");
    json_str(json, name_str(p->context, symbol));
    json_key(json, "axes");
    json_open(json, '{');
    for (uint32_t i = 0; mesh && i < mesh->n_axes; i++) {
      json_key(json, name_text(p->context, mesh->axes[i].name));
      json_uint(json, mesh->axes[i].size);
    }
    json_close(json, '}');
    json_close(json, '}');
  }
  json_close(json, ']');
}

void propagated_json(const Shown *s) {
  const Graph *g = propagation_graph(s->propagation);
  Json json = {.out = s->out};
  json_open(&json, '{');
  json_key(&json, "file");
  json_string(&json, s->path);
  json_key(&json, "segment");
  json_uint(&json, s->segment);
  json_meshes(&json, s);
  json_key(&json, "instances");
  json_open(&json, '[');
  for (InstanceId i = 1; i < g->n_instances; i++)
    if (!s->edges_only || !g->instances[i].caller) json_instance(&json, s, i);
  json_close(&json, ']');
  json_key(&json, "stats");
  json_open(&json, '{');
  json_key(&json, "places");
  json_uint(&json, g->n_places - 1);
  json_key(&json, "given");
  json_uint(&json, s->n_given);
  json_key(&json, "nodes");
  json_uint(&json, g->n_nodes - 1);
  json_key(&json, "rules");
  json_uint(&json, g->n_maps - 1);
  json_key(&json, "steps");
  json_uint(&json, propagation_steps(s->propagation));
  json_key(&json, "events");
  json_uint(&json, propagation_n_events(s->propagation));
  json_close(&json, '}');
  json_close(&json, '}');
  json_newline(&json);
}

// ---- table ----

typedef VEC(Row) Rows;

static void add_edges(const Shown *s, OpId function, InstanceId instance, bool arguments,
                      Rows *rows) {
  const Graph *g = propagation_graph(s->propagation);
  const Program *p = s->program;
  Arena *arena = s->arena;
  uint32_t n = arguments ? function_n_arguments(p, function) : g->instances[instance].n_results;
  for (uint32_t i = 0; i < n; i++) {
    ValueId value = arguments ? function_argument(p, function, i) : 0;
    Str path =
        arguments ? argument_path(p, function, i, arena) : result_path(p, function, i, arena);
    const char *name = path.n ? arena_printf(arena, "%.*s", (int)path.n, path.s)
                              : arena_printf(arena, "%s%u", arguments ? "arg" : "result", i);
    PlaceId place = !arguments ? graph_result_place(g, instance, i)
                    : value    ? graph_place(g, instance, value)
                               : 0;
    Target target = {function, arguments ? TARGET_ARGUMENT : TARGET_RESULT, i, value};
    VEC_PUSH(arena, rows, row_of(s, place, name, target_type(p, &target)));
  }
}

// The op's name without its dialect.
static const char *short_name(const Program *p, OpId op) {
  const char *name = op_name(p, op), *dot = strrchr(name, '.');
  return dot ? dot + 1 : name;
}

static void add_values(const Shown *s, OpId function, InstanceId instance, Rows *rows) {
  const Graph *g = propagation_graph(s->propagation);
  const Program *p = s->program;
  Arena *arena = s->arena;
  for (OpId o = op_walk_next(p, function, function); o; o = op_walk_next(p, o, function))
    for (uint32_t i = 0; i < op_at(p, o)->n_results; i++) {
      Target target = {function, TARGET_VALUE, i, op_result(p, o, i)};
      PlaceId place = graph_place(g, instance, target.value);
      const char *name =
          arena_printf(arena, "%s %s", target_text(p, &target, arena), short_name(p, o));
      if (place) VEC_PUSH(arena, rows, row_of(s, place, name, target_type(p, &target)));
    }
}

static void put_padded(StrBuf *out, const char *text, size_t width) {
  strbuf_puts(out, text);
  for (size_t n = strlen(text); n < width + 2; n++) strbuf_putc(out, ' ');
}

static void put_rows(const Shown *s, const Rows *rows) {
  size_t name = 0, type = 0, local = 0;
  for (uint32_t i = 0; i < rows->count; i++) {
    const Row *row = &rows->items[i];
    if (strlen(row->name) > name) name = strlen(row->name);
    if (strlen(row->type) > type) type = strlen(row->type);
    if (strlen(row->local) > local) local = strlen(row->local);
  }
  for (uint32_t i = 0; i < rows->count; i++) {
    const Row *row = &rows->items[i];
    put_padded(s->out, row->name, name);
    if (!*row->sharding) {
      strbuf_printf(s->out, "%s\n", row->type);
      continue;
    }
    put_padded(s->out, row->type, type);
    put_padded(s->out, row->local, local);
    strbuf_printf(s->out, "%s\n", row->sharding);
  }
}

void propagated_table(const Shown *s) {
  const Graph *g = propagation_graph(s->propagation);
  Entries entries = program_entries(s->program, s->arena);
  for (uint32_t e = 0; e < entries.n; e++) {
    InstanceId instance = graph_instance_of(g, entries.v[e]);
    if (!instance) continue;
    Rows rows = {0};
    add_edges(s, entries.v[e], instance, true, &rows);
    add_values(s, entries.v[e], instance, &rows);
    add_edges(s, entries.v[e], instance, false, &rows);
    put_rows(s, &rows);
  }
}
