// Table and JSON are two visitors of one walk, so both show the same functions and places: the
// edges of each function and, with `all`, its values.
#include "report/show_names.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"

static const char *const origins[] = {"", "attribute", "file", "variant", "made up"};

// Whether the table shows the class.
static bool is_shown(const NamesShown *s, ClassId id) {
  const DimName *name = &s->names->names[id];
  return name->text &&
         (s->all || name->edge || name->origin == NAME_FILE || name->origin == NAME_ATTRIBUTE ||
          (name->origin == NAME_VARIANT && name->from.n));
}

// Pads text to `width` columns. UTF-8 continuation bytes take no column.
static void put_padded(StrBuf *out, const char *text, size_t width) {
  strbuf_puts(out, text);
  size_t columns = 0;
  for (const char *c = text; *c; c++) columns += ((unsigned char)*c & 0xC0) != 0x80;
  for (; columns < width; columns++) strbuf_putc(out, ' ');
}

// The head of the table, as comments (`#`) so that --names skips it: name, size, number of
// dimensions, where the name comes from.
static void put_classes(const NamesShown *s, StrBuf *out) {
  const Context *context = s->program->context;
  const Classes *c = &s->names->classes;
  size_t width = 6;
  for (ClassId i = 1; i <= c->n_classes; i++) {
    size_t n = is_shown(s, i) ? name_str(context, s->names->names[i].text).n : 0;
    if (n > width) width = n;
  }
  strbuf_puts(out, "# ");
  put_padded(out, "name", width);
  strbuf_puts(out, "      size      dims  from\n");
  for (ClassId i = 1; i <= c->n_classes; i++) {
    if (!is_shown(s, i)) continue;
    const DimName *name = &s->names->names[i];
    const ClassInfo *info = &c->classes[i];
    strbuf_puts(out, "# ");
    put_padded(out, name_text(context, name->text), width);
    if (info->size == DIM_DYNAMIC)
      strbuf_puts(out, "         ?");
    else
      strbuf_printf(out, "%10" PRId64, info->size);
    strbuf_printf(out, "%10u  ", info->n_dims + name->n_products);
    if (name->origin == NAME_MADE_UP) strbuf_puts(out, "made up: ");
    if (name->from.n) strbuf_put_str(out, name->from);
    strbuf_putc(out, '\n');
  }
}

static const char *type_of(const NamesShown *s, PlaceId place) {
  return type_text(s->program->context, s->names->graph->places[place].type);
}

// `arg0: batch,length   # tensor<8x128xi32> batch.tokens`
static void put_line(const NamesShown *s, StrBuf *out, const char *who, PlaceId place, Str path) {
  size_t before = out->used;
  strbuf_puts(out, who);
  strbuf_puts(out, ": ");
  names_print_place(s->names, place, out);
  for (size_t n = out->used - before; n < 40; n++) strbuf_putc(out, ' ');
  strbuf_printf(out, "  # %s", type_of(s, place));
  if (path.n) {
    strbuf_puts(out, "  ");
    strbuf_put_str(out, path);
  }
  strbuf_putc(out, '\n');
}

static const char *value_text(const NamesShown *s, OpId function, ValueId value) {
  const Value *v = value_at(s->program, value);
  Target target = {function, TARGET_VALUE, v->index, value};
  return target_text(s->program, &target, s->arena);
}

typedef struct Visitor {
  void (*edge)(const NamesShown *s, void *to, OpId function, bool argument, uint32_t i,
               PlaceId place);
  void (*value)(const NamesShown *s, void *to, OpId function, ValueId value, PlaceId place);
  void *to;
} Visitor;

static void visit_arguments(const NamesShown *s, const Visitor *visitor, OpId function,
                            InstanceId instance) {
  const Program *p = s->program;
  for (uint32_t i = 0; i < function_n_arguments(p, function); i++) {
    ValueId value = function_argument(p, function, i);
    PlaceId place = value ? graph_place(s->names->graph, instance, value) : 0;
    if (place) visitor->edge(s, visitor->to, function, true, i, place);
  }
}

static void visit_results(const NamesShown *s, const Visitor *visitor, OpId function,
                          InstanceId instance) {
  for (uint32_t i = 0; i < s->names->graph->instances[instance].n_results; i++) {
    PlaceId place = graph_result_place(s->names->graph, instance, i);
    if (place) visitor->edge(s, visitor->to, function, false, i, place);
  }
}

static void visit_values(const NamesShown *s, const Visitor *visitor, OpId function,
                         InstanceId instance) {
  const Program *p = s->program;
  for (OpId o = op_walk_next(p, function, function); o; o = op_walk_next(p, o, function)) {
    const Op *op = op_at(p, o);
    for (uint32_t i = 0; i < op->n_results; i++) {
      // Each use of a constant has a place of its own; the first one represents it.
      OperandId use = value_at(p, op->results + i)->first_use;
      PlaceId place = use ? graph_use_place(s->names->graph, instance, use)
                          : graph_place(s->names->graph, instance, op->results + i);
      if (place) visitor->value(s, visitor->to, function, op->results + i, place);
    }
  }
}

static void put_edge(const NamesShown *s, void *to, OpId function, bool argument, uint32_t i,
                     PlaceId place) {
  const Program *p = s->program;
  Str path =
      argument ? argument_path(p, function, i, s->arena) : result_path(p, function, i, s->arena);
  char who[32];
  snprintf(who, sizeof who, "%s%u", argument ? "arg" : "result", i);
  const char *name =
      name_text(p->context, attr_as_name(p->context, op_attr(p, function, "sym_name")));
  if (strcmp(name, "main") != 0)
    put_line(s, to, arena_printf(s->arena, "@%s:%s", name, who), place, path);
  else
    put_line(s, to, who, place, path);
}

static void put_value(const NamesShown *s, void *to, OpId function, ValueId value, PlaceId place) {
  const Program *p = s->program;
  const char *name =
      name_text(p->context, attr_as_name(p->context, op_attr(p, function, "sym_name")));
  const char *who = value_text(s, function, value);
  if (strcmp(name, "main") != 0) who = arena_printf(s->arena, "@%s:%s", name, who);
  put_line(s, to, who, place, (Str){0});
}

// Shows the functions that have no caller; with `all` every function, in its first instance.
static void put_functions(const NamesShown *s, StrBuf *out) {
  const Graph *g = s->names->graph;
  Visitor visitor = {put_edge, put_value, out};
  for (InstanceId i = 1; i < g->n_instances; i++) {
    OpId function = g->instances[i].function;
    if (s->all ? graph_instance_of(g, function) != i : g->instances[i].caller != 0) continue;
    strbuf_putc(out, '\n');
    visit_arguments(s, &visitor, function, i);
    if (s->all) visit_values(s, &visitor, function, i);
    visit_results(s, &visitor, function, i);
  }
}

void names_table(const NamesShown *s, StrBuf *out) {
  put_classes(s, out);
  put_functions(s, out);
}

// ---- JSON ----

static void json_names(const NamesShown *s, Json *json) {
  const Classes *c = &s->names->classes;
  json_key(json, "names");
  json_open(json, '[');
  for (ClassId i = 1; i <= c->n_classes; i++) {
    if (!is_shown(s, i)) continue;
    const DimName *name = &s->names->names[i];
    json_open(json, '{');
    json_key(json, "name");
    json_str(json, name_str(s->program->context, name->text));
    json_key(json, "size");
    if (c->classes[i].size == DIM_DYNAMIC)
      json_null(json);
    else
      json_int(json, c->classes[i].size);
    json_key(json, "dims");
    json_uint(json, c->classes[i].n_dims + name->n_products);
    json_key(json, "origin");
    json_string(json, origins[name->origin]);
    json_key(json, "from");
    json_str(json, name->from);
    json_close(json, '}');
  }
  json_close(json, ']');
}

static void json_dims(const NamesShown *s, Json *json, PlaceId place) {
  json_key(json, "type");
  json_string(json, type_of(s, place));
  json_key(json, "dims");
  json_open(json, '[');
  uint32_t rank = type_info(s->program->context, s->names->graph->places[place].type)->rank;
  for (uint32_t d = 0; d < rank; d++)
    json_str(json, names_text(s->names, names_class(s->names, place, d)));
  json_close(json, ']');
}

// The JSON counterpart of put_edge.
static void json_edge(const NamesShown *s, void *to, OpId function, bool argument, uint32_t i,
                      PlaceId place) {
  Json *json = to;
  const Program *p = s->program;
  json_open(json, '{');
  json_key(json, "index");
  json_uint(json, i);
  json_key(json, "path");
  json_str(json, argument ? argument_path(p, function, i, s->arena)
                          : result_path(p, function, i, s->arena));
  json_dims(s, json, place);
  json_close(json, '}');
}

static void json_value(const NamesShown *s, void *to, OpId function, ValueId value, PlaceId place) {
  Json *json = to;
  json_open(json, '{');
  json_key(json, "value");
  json_string(json, value_text(s, function, value));
  json_dims(s, json, place);
  json_close(json, '}');
}

static void json_list(const NamesShown *s, Json *json, const char *key,
                      void (*visit)(const NamesShown *, const Visitor *, OpId, InstanceId),
                      OpId function, InstanceId i) {
  Visitor visitor = {json_edge, json_value, json};
  json_key(json, key);
  json_open(json, '[');
  visit(s, &visitor, function, i);
  json_close(json, ']');
}

void names_json(const NamesShown *s, StrBuf *out) {
  const Graph *g = s->names->graph;
  const Program *p = s->program;
  Json json = {.out = out};
  json_open(&json, '{');
  json_key(&json, "file");
  json_string(&json, s->path);
  json_names(s, &json);
  json_key(&json, "functions");
  json_open(&json, '[');
  for (InstanceId i = 1; i < g->n_instances; i++) {
    OpId function = g->instances[i].function;
    if (s->all ? graph_instance_of(g, function) != i : g->instances[i].caller != 0) continue;
    json_open(&json, '{');
    json_key(&json, "name");
    json_str(&json,
             name_str(p->context, attr_as_name(p->context, op_attr(p, function, "sym_name"))));
    json_list(s, &json, "arguments", visit_arguments, function, i);
    json_list(s, &json, "results", visit_results, function, i);
    if (s->all) json_list(s, &json, "values", visit_values, function, i);
    json_close(&json, '}');
  }
  json_close(&json, ']');
  json_close(&json, '}');
  json_newline(&json);
}
