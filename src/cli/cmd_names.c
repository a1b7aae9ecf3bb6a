// `tessera names`: the dimensions of a program by name. What it prints can be edited and given back
// with --names.
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "cli/cli.h"
#include "propagate/names.h"

typedef struct NamesJob {
  const Source *source;
  const Source *side;  // NULL = none
  bool all, json;
  size_t begin, end;
  uint32_t printed;
  // Of one segment; freed after its guard.
  Segment seg;
  ShardingTable *table;
  Propagation *propagation;
  Diag side_diag;
  Arena arena;
  Names names;
  bool good;
} NamesJob;

static const char *const origins[] = {"", "attribute", "file", "variant", "made up"};

// Whether the table shows the class.
static bool is_shown(const NamesJob *job, ClassId id) {
  const DimName *name = &job->names.names[id];
  return name->text &&
         (job->all || name->edge || name->origin == NAME_FILE || name->origin == NAME_ATTRIBUTE ||
          (name->origin == NAME_VARIANT && name->from.n));
}

// Text of `width` columns at least.
static void put_padded(StrBuf *out, const char *text, size_t width) {
  strbuf_puts(out, text);
  size_t columns = 0;
  for (const char *c = text; *c; c++) columns += ((unsigned char)*c & 0xC0) != 0x80;
  for (; columns < width; columns++) strbuf_putc(out, ' ');
}

static void put_table(const NamesJob *job, StrBuf *out) {
  const Context *context = job->seg.context;
  const Classes *c = &job->names.classes;
  size_t width = 6;
  for (ClassId i = 1; i <= c->n_classes; i++) {
    size_t n = is_shown(job, i) ? name_str(context, job->names.names[i].text).n : 0;
    if (n > width) width = n;
  }
  strbuf_puts(out, "# ");
  put_padded(out, "name", width);
  strbuf_puts(out, "      size      dims  from\n");
  for (ClassId i = 1; i <= c->n_classes; i++) {
    if (!is_shown(job, i)) continue;
    const DimName *name = &job->names.names[i];
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

static const char *type_of(const NamesJob *job, PlaceId place) {
  return type_text(job->seg.context, job->propagation ? job->names.graph->places[place].type : 0);
}

// `arg0: batch,length   # tensor<8x128xi32> batch.tokens`
static void put_line(NamesJob *job, StrBuf *out, const char *who, PlaceId place, Str path) {
  size_t before = out->used;
  strbuf_puts(out, who);
  strbuf_puts(out, ": ");
  names_print_place(&job->names, place, out);
  for (size_t n = out->used - before; n < 40; n++) strbuf_putc(out, ' ');
  strbuf_printf(out, "  # %s", type_of(job, place));
  if (path.n) {
    strbuf_puts(out, "  ");
    strbuf_put_str(out, path);
  }
  strbuf_putc(out, '\n');
}

static const char *value_text(NamesJob *job, OpId function, ValueId value) {
  const Value *v = value_at(job->seg.program, value);
  Target target = {function, TARGET_VALUE, v->index, value};
  return target_text(job->seg.program, &target, &job->arena);
}

typedef struct Visitor {
  void (*edge)(NamesJob *job, void *to, OpId function, bool argument, uint32_t i, PlaceId place);
  void (*value)(NamesJob *job, void *to, OpId function, ValueId value, PlaceId place);
  void *to;
} Visitor;

static void visit_arguments(NamesJob *job, const Visitor *visitor, OpId function,
                            InstanceId instance) {
  const Program *p = job->seg.program;
  for (uint32_t i = 0; i < function_n_arguments(p, function); i++) {
    ValueId value = function_argument(p, function, i);
    PlaceId place = value ? graph_place(job->names.graph, instance, value) : 0;
    if (place) visitor->edge(job, visitor->to, function, true, i, place);
  }
}

static void visit_results(NamesJob *job, const Visitor *visitor, OpId function,
                          InstanceId instance) {
  for (uint32_t i = 0; i < job->names.graph->instances[instance].n_results; i++) {
    PlaceId place = graph_result_place(job->names.graph, instance, i);
    if (place) visitor->edge(job, visitor->to, function, false, i, place);
  }
}

static void visit_values(NamesJob *job, const Visitor *visitor, OpId function,
                         InstanceId instance) {
  const Program *p = job->seg.program;
  for (OpId o = op_walk_next(p, function, function); o; o = op_walk_next(p, o, function)) {
    const Op *op = op_at(p, o);
    for (uint32_t i = 0; i < op->n_results; i++) {
      // A constant is what it is used for.
      OperandId use = value_at(p, op->results + i)->first_use;
      PlaceId place = use ? graph_use_place(job->names.graph, instance, use)
                          : graph_place(job->names.graph, instance, op->results + i);
      if (place) visitor->value(job, visitor->to, function, op->results + i, place);
    }
  }
}

static void put_edge(NamesJob *job, void *to, OpId function, bool argument, uint32_t i,
                     PlaceId place) {
  const Program *p = job->seg.program;
  Str path = argument ? argument_path(p, function, i, &job->arena)
                      : result_path(p, function, i, &job->arena);
  char who[32];
  snprintf(who, sizeof who, "%s%u", argument ? "arg" : "result", i);
  const char *name =
      name_text(p->context, attr_as_name(p->context, op_attr(p, function, "sym_name")));
  if (strcmp(name, "main") != 0)
    put_line(job, to, arena_printf(&job->arena, "@%s:%s", name, who), place, path);
  else
    put_line(job, to, who, place, path);
}

static void put_value(NamesJob *job, void *to, OpId function, ValueId value, PlaceId place) {
  const Program *p = job->seg.program;
  const char *name =
      name_text(p->context, attr_as_name(p->context, op_attr(p, function, "sym_name")));
  const char *who = value_text(job, function, value);
  if (strcmp(name, "main") != 0) who = arena_printf(&job->arena, "@%s:%s", name, who);
  put_line(job, to, who, place, (Str){0});
}

// The functions whose edges are shown: those nothing calls; with --all, every one as it is first
// called.
static void put_functions(NamesJob *job, StrBuf *out) {
  const Graph *g = job->names.graph;
  Visitor visitor = {put_edge, put_value, out};
  for (InstanceId i = 1; i < g->n_instances; i++) {
    OpId function = g->instances[i].function;
    if (job->all ? graph_instance_of(g, function) != i : g->instances[i].caller != 0) continue;
    strbuf_putc(out, '\n');
    visit_arguments(job, &visitor, function, i);
    if (job->all) visit_values(job, &visitor, function, i);
    visit_results(job, &visitor, function, i);
  }
}

// ---- JSON ----

static void json_names(const NamesJob *job, Json *json) {
  const Classes *c = &job->names.classes;
  json_key(json, "names");
  json_open(json, '[');
  for (ClassId i = 1; i <= c->n_classes; i++) {
    if (!is_shown(job, i)) continue;
    const DimName *name = &job->names.names[i];
    json_open(json, '{');
    json_key(json, "name");
    json_str(json, name_str(job->seg.context, name->text));
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

static void json_dims(NamesJob *job, Json *json, PlaceId place) {
  json_key(json, "type");
  json_string(json, type_of(job, place));
  json_key(json, "dims");
  json_open(json, '[');
  uint32_t rank = type_info(job->seg.context, job->names.graph->places[place].type)->rank;
  for (uint32_t d = 0; d < rank; d++)
    json_str(json, names_text(&job->names, names_class(&job->names, place, d)));
  json_close(json, ']');
}

static void json_edge(NamesJob *job, void *to, OpId function, bool argument, uint32_t i,
                      PlaceId place) {
  Json *json = to;
  const Program *p = job->seg.program;
  json_open(json, '{');
  json_key(json, "index");
  json_uint(json, i);
  json_key(json, "path");
  json_str(json, argument ? argument_path(p, function, i, &job->arena)
                          : result_path(p, function, i, &job->arena));
  json_dims(job, json, place);
  json_close(json, '}');
}

static void json_value(NamesJob *job, void *to, OpId function, ValueId value, PlaceId place) {
  Json *json = to;
  json_open(json, '{');
  json_key(json, "value");
  json_string(json, value_text(job, function, value));
  json_dims(job, json, place);
  json_close(json, '}');
}

static void json_list(NamesJob *job, Json *json, const char *key,
                      void (*visit)(NamesJob *, const Visitor *, OpId, InstanceId), OpId function,
                      InstanceId i) {
  Visitor visitor = {json_edge, json_value, json};
  json_key(json, key);
  json_open(json, '[');
  visit(job, &visitor, function, i);
  json_close(json, ']');
}

static void put_json(NamesJob *job, StrBuf *out) {
  const Graph *g = job->names.graph;
  const Program *p = job->seg.program;
  Json json = {.out = out};
  json_open(&json, '{');
  json_key(&json, "file");
  json_string(&json, job->source->path);
  json_names(job, &json);
  json_key(&json, "functions");
  json_open(&json, '[');
  for (InstanceId i = 1; i < g->n_instances; i++) {
    OpId function = g->instances[i].function;
    if (job->all ? graph_instance_of(g, function) != i : g->instances[i].caller != 0) continue;
    json_open(&json, '{');
    json_key(&json, "name");
    json_str(&json,
             name_str(p->context, attr_as_name(p->context, op_attr(p, function, "sym_name"))));
    json_list(job, &json, "arguments", visit_arguments, function, i);
    json_list(job, &json, "results", visit_results, function, i);
    if (job->all) json_list(job, &json, "values", visit_values, function, i);
    json_close(&json, '}');
  }
  json_close(&json, ']');
  json_close(&json, '}');
  json_newline(&json);
}

// ---- running ----

static Status *find_names(NamesJob *job, Guard *guard) {
  TRY(segment_load(&job->seg, guard, job->source, job->begin, job->end, &(ParseOptions){0}, true));
  if (!job->seg.valid) return NULL;
  arena_init(&job->arena, guard);
  job->table = sharding_table_new(job->seg.context, guard);
  Status *status = propagation_new(job->seg.program, job->table, &(PropagateOptions){0}, guard,
                                   &job->seg.diag, &job->propagation);
  if (status && job->seg.diag.errors) {
    status_free(status);
    return NULL;
  }
  TRY(status);
  if (job->side) diag_init(&job->side_diag, guard, job->side);
  job->good = names_build(propagation_graph(job->propagation), &job->arena, &job->seg.diag,
                          job->side ? &job->side_diag : NULL, &job->names);
  return NULL;
}

static void report(const Diag *diag, Guard *guard) {
  StrBuf text;
  strbuf_init(&text, guard);
  GuardCleanup cleanup = {.release = cli_release_text, .object = &text};
  guard_push(guard, &cleanup);
  diag_render(diag, &text, cli_colour());
  if (text.used) fwrite(text.data, 1, text.used, stderr);
  guard_pop(guard, &cleanup);
  strbuf_deinit(&text);
}

static Status *names_segment(Guard *guard, void *arg) {
  NamesJob *job = arg;
  TRY(find_names(job, guard));
  if (job->side_diag.source) report(&job->side_diag, guard);
  if (job->seg.diag.list.count) segment_report(&job->seg, guard);
  if (!job->good) return NULL;
  StrBuf out;
  strbuf_init(&out, guard);
  GuardCleanup cleanup = {.release = cli_release_text, .object = &out};
  guard_push(guard, &cleanup);
  if (job->json) {
    put_json(job, &out);
  } else {
    if (job->printed++) strbuf_puts(&out, "# -----\n");
    put_table(job, &out);
    put_functions(job, &out);
  }
  job->good = cli_put(out.data, out.used);
  guard_pop(guard, &cleanup);
  strbuf_deinit(&out);
  return NULL;
}

static void job_clear(NamesJob *job) {
  propagation_free(job->propagation);
  job->propagation = NULL;
  sharding_table_free(job->table);
  job->table = NULL;
  if (job->side_diag.source) diag_deinit(&job->side_diag);
  job->side_diag = (Diag){0};
  arena_deinit(&job->arena);
  segment_deinit(&job->seg);
}

static bool names_file(NamesJob *job, const char *path) {
  Source source;
  char *data = cli_read_program(path, &source);
  if (!data) return false;
  job->source = &source;
  job->begin = job->end = 0;
  bool good = true;
  while (source_next_segment(&source, &job->begin, &job->end)) {
    job->good = false;
    Status *status = guard_run(names_segment, job);
    job_clear(job);
    if (status || !job->good) good = false;
    if (status) cli_fail(status);
  }
  mem_free(data);
  return good;
}

int command_names(int argc, char **argv) {
  NamesJob job = {0};
  const char *side_path = NULL;
  static const Usage usage = {
      "names", "[FILE…]",
      "Prints the dimensions of a program by name: which dimensions of which values are the same\n"
      "thing, found through the ops. Names come from `tessera.dims` attributes of arguments and\n"
      "results, from a file (--names), or are made up from sizes (d128, d128b). A dimension that\n"
      "stands twice in one value has variants (length, length'); a product is batch*length.\n"
      "`tessera propagate --layout \"batch:data\"` shards by these names. What is printed can be\n"
      "given back with --names.",
      "  tessera names model.mlir\n"
      "  tessera names model.mlir --names names.txt       lines such as `arg0: batch, length`,\n"
      "                                                   `params.layer_*.w1: hidden, ff`, `x: _, "
      "...`\n"
      "  tessera names model.mlir --all | grep length\n"
      "  tessera names model.mlir --json | jq '.names[].name'"};
  const Option options[] = {
      {"--names", OPTION_TEXT, &side_path, "FILE", "names of dimensions: PATTERN: NAME, NAME"},
      {"--all", OPTION_FLAG, &job.all, NULL, "every value and every name"},
      {"--json", OPTION_FLAG, &job.json, NULL, "one JSON object per program"},
  };
  TextList files = {mem_alloc((size_t)(argc + 1) * sizeof *files.items), 0};
  if (!files.items) return cli_fail(status_no_memory());
  ParseArgs args =
      cli_options(&usage, options, sizeof options / sizeof options[0], argc, argv, &files);
  int code = args == ARGS_HELP ? EXIT_OK : EXIT_BAD;
  char *side_text = NULL;
  Source side = {0};
  if (args == ARGS_OK && side_path) {
    Status *status = file_read(side_path, FILE_MOST_TEXT, &side_text, &side.size);
    if (status) {
      cli_fail(status);
      args = ARGS_BAD;
    }
    side.path = side_path;
    side.text = side_text;
    job.side = &side;
  }
  if (args == ARGS_OK) {
    if (files.count == 0) files.items[files.count++] = "-";
    bool good = true;
    for (uint32_t i = 0; i < files.count; i++) good &= names_file(&job, files.items[i]);
    code = good ? EXIT_OK : EXIT_BAD;
  }
  mem_free(side_text);
  mem_free(files.items);
  return code;
}
