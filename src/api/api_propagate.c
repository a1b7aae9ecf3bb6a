// Propagation: options in, shardings out as text.
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "cost/machine.h"
#include "evaluate/evaluate.h"
#include "api/api_private.h"
#include "pipeline/trials.h"
#include "annotate/annotation.h"
#include "annotate/program_mesh.h"
#include "interop/gspmd.h"

enum { MOST_MACHINE_BYTES = 1 << 20 };

// ---- propagating ----

typedef struct Propagate {
  tsr_program *handle;
  tsr_propagate_options options;
  Session session;
  StrBuf messages;  // diagnostics: warnings, and errors after a failure
} Propagate;

// Joins the rules to one source, a line each, so that errors have positions.
static const char *join_rules(const tsr_propagate_options *o, Arena *arena) {
  size_t bytes = 1;
  for (size_t i = 0; i < o->n_rules; i++) bytes += strlen(o->rules[i]) + 1;
  char *text = arena_alloc(arena, bytes);
  size_t used = 0;
  for (size_t i = 0; i < o->n_rules; i++) {
    size_t n = strlen(o->rules[i]);
    memcpy(text + used, o->rules[i], n);
    used += n;
    text[used++] = '\n';
  }
  text[used] = '\0';
  return text;
}

static AllowFlags allow_flags(size_t n, const unsigned char *given, Arena *arena) {
  if (n == 0) return (AllowFlags){0};
  if (n == 1) return (AllowFlags){.given = true, .otherwise = given[0] != 0};
  bool *flags = ARENA_ARRAY(arena, bool, n);
  for (size_t i = 0; i < n; i++) flags[i] = given[i] != 0;
  return (AllowFlags){.given = true, .v = flags, .n = (uint32_t)n};
}

static const Source *copy_source(const char *path, const char *text, Arena *arena) {
  if (!text) return NULL;
  Source *source = ARENA_NEW(arena, Source);
  size_t n = strlen(text);
  *source = (Source){.path = path, .text = arena_copy(arena, text, n + 1), .size = n};
  return source;
}

// Reports lists that have a count but no items.
static Status *check_lists(const tsr_propagate_options *o) {
  if (o->n_rules && !o->rules) FAIL(INVALID_ARGUMENT, "rules is NULL, n_rules is %zu", o->n_rules);
  for (size_t i = 0; i < o->n_rules; i++)
    if (!o->rules[i]) FAIL(INVALID_ARGUMENT, "rules[%zu] is NULL", i);
  if (o->n_allow_arguments && !o->allow_arguments)
    FAIL(INVALID_ARGUMENT, "allow_arguments is NULL, n_allow_arguments is %zu",
         o->n_allow_arguments);
  if (o->n_allow_results && !o->allow_results)
    FAIL(INVALID_ARGUMENT, "allow_results is NULL, n_allow_results is %zu", o->n_allow_results);
  if (o->trip_count > UINT32_MAX)
    FAIL(INVALID_ARGUMENT, "trip_count is %zu, more than %u", o->trip_count, UINT32_MAX);
  return NULL;
}

static void release_text(void *text) { mem_free(text); }

// The text of a file that describes a machine; NULL if there is no such file. From mem_alloc.
static Status *read_machine_file(const char *path, char **out_text) {
  size_t size;
  *out_text = NULL;
  if (strcmp(path, "-") == 0) return NULL;  // standard input is not the library's
  Status *status = file_read(path, MOST_MACHINE_BYTES, out_text, &size);
  if (!status || status_code(status) != NOT_FOUND) return status;
  status_free(status);
  return NULL;
}

Status *api_machine(const char *machine, Arena *arena, const char **out_text) {
  *out_text = NULL;
  if (!machine) return NULL;
  char *text = NULL;
  bool described = machine[strspn(machine, " \t\r\n")] == '{';
  if (described) {
    *out_text = machine;
  } else {
    TRY(machine_find(machine, &text));
    if (!text) TRY(read_machine_file(machine, &text));
    if (!text)
      FAIL(
          INVALID_ARGUMENT,
          "no machine is called '%s': there are %s, each also with a shape (h100:8x4); nor is it a "
          "file with a description, or a description (docs/machine.md)",
          machine, machine_names());
    GuardCleanup cleanup = {.release = release_text, .object = text};
    guard_push(arena->guard, &cleanup);
    *out_text = arena_copy(arena, text, strlen(text) + 1);
    guard_pop(arena->guard, &cleanup);
    mem_free(text);
  }
  // Reads it here, so that errors name the file.
  Machine ignored;
  Status *status = machine_read(str_of(*out_text), arena, &ignored);
  if (!status || described) return status;
  Status *named = status_new(status_code(status), __FILE__, __LINE__, "%s: %s", machine,
                             status_message(status));
  status_free(status);
  return named;
}

Status *api_propagate_request(const tsr_program *h, const tsr_propagate_options *o, Arena *arena,
                              PropagateRequest *out) {
  if ((unsigned)o->strategy > TSR_NONE)
    FAIL(INVALID_ARGUMENT, "there is no strategy %d", (int)o->strategy);
  TRY(check_lists(o));
  Source *rules = ARENA_NEW(arena, Source);
  const char *text = join_rules(o, arena);
  *rules = (Source){.path = "rule", .text = text, .size = strlen(text)};
  *out = (PropagateRequest){
      .strategy = (Strategy)o->strategy,
      .conservative = o->conservative != 0,
      .by_cost = o->by_cost != 0,
      .try_orders = h->as_loaded,
      .devices = o->devices,
      .meshes = &o->mesh,
      .n_meshes = o->mesh ? 1 : 0,
      .rules = rules,
      .n_rules = o->n_rules ? 1 : 0,
      .allow_argument_flags = allow_flags(o->n_allow_arguments, o->allow_arguments, arena),
      .allow_result_flags = allow_flags(o->n_allow_results, o->allow_results, arena),
      .layout = copy_source("layout", o->layout, arena),
      .names = copy_source("names", o->names, arena),
      .divisible = o->divisible_edges != 0,
      .call_rules = o->call_rules ? o->call_rules->rules : NULL,
      .trip_count = (uint32_t)o->trip_count,
  };
  TRY(api_machine(o->machine, arena, &out->machine));
  return NULL;
}

static Status *propagate_body(Guard *guard, void *arg) {
  Propagate *job = arg;
  tsr_program *h = job->handle;
  const tsr_propagate_options *o = &job->options;
  Session *s = &job->session;
  job->messages.guard = guard;
  Progress progress = {o->progress, o->progress_user};
  session_borrow(s, guard, h->program, &h->source, o->progress ? &progress : NULL);
  CompileRequest request = {
      .write = {.emit = EMIT_SDY, .close = o->close != 0, .reshards = o->reshards != 0},
      .stop_after = STAGE_WRITE};
  TRY(api_propagate_request(h, o, &s->arena, &request.annotations));
  Compiled compiled;
  Status *status = compile(s, &request, &compiled);
  session_render(s, &job->messages, false);
  if (status) return status;
  if (!request.annotations.by_cost && trials_would_help(&request.annotations, &s->arena))
    strbuf_puts(&job->messages,
                "note: annotations compete for an axis: conflicts=\"cost\" (by_cost) chooses which "
                "gives way; to choose yourself, give it a priority\n");
  api_list_functions(h, guard);
  h->as_loaded = false;
  return NULL;
}

tsr_error *tsr_program_propagate(tsr_program *program, const tsr_propagate_options *options,
                                 char **out_warnings) {
  API_NEED(program, "program");
  Propagate job = {.handle = program};
  API_READ(&job.options, options, "tsr_propagate_options");
  api_forget(program);
  Status *status = guard_run(propagate_body, &job);
  tsr_error *error = api_error_with_text(status, &job.messages);
  session_deinit(&job.session);
  if (!error && out_warnings) {
    *out_warnings = job.messages.used ? job.messages.data : NULL;
    if (*out_warnings) return NULL;
  }
  strbuf_deinit(&job.messages);
  return error;
}

// ---- queries ----

typedef struct Query {
  tsr_program *handle;
  size_t function, index;
  bool argument;
  bool local_type;  // print the local type instead
  tsr_spelling spelling;
  Arena arena;
  StrBuf out;
  bool any;
} Query;

Status *api_check_spelling(tsr_spelling spelling) {
  if (spelling != TSR_SDY && spelling != TSR_GSPMD)
    FAIL(INVALID_ARGUMENT, "there is no spelling %d", (int)spelling);
  return NULL;
}

Status *api_print_sharding(ShardingTable *table, Sharding sharding, tsr_spelling spelling,
                           Arena *scratch, StrBuf *out) {
  if (spelling == TSR_SDY) {
    sharding_print(table, sharding, out);
    return NULL;
  }
  GspmdSharding gspmd;
  TRY(gspmd_from_sharding(table, scratch, sharding, &gspmd));
  gspmd_print(&gspmd, out);
  return NULL;
}

static const char *local_type_text(Context *context, ShardingTable *table, const Edge *edge) {
  Type type = edge->global;
  const TypeInfo *info = type_info(context, type);
  if (edge->sharding && info->kind == TYPE_TENSOR && type_is_static(context, type)) {
    int64_t dims[MAX_RANK + 1];
    sharding_local_dims(table, edge->sharding, info->dims, dims);
    type = type_tensor(context, info->elem, info->rank, dims, 0);
  }
  return type_text(context, type);
}

static Status *query_body(Guard *guard, void *arg) {
  Query *query = arg;
  tsr_program *h = query->handle;
  program_guard(h->program, guard);
  arena_guard(&query->arena, guard);
  query->out.guard = guard;
  const Edge *edge;
  ShardingTable *table;
  TRY(api_edge(h, query->function, query->argument ? 0 : QUERY_RESULTS, query->index, guard, &edge,
               &table));
  query->any = query->local_type || edge->sharding;
  if (query->local_type)
    strbuf_puts(&query->out, local_type_text(h->context, table, edge));
  else if (edge->sharding)
    return api_print_sharding(table, edge->sharding, query->spelling, &query->arena, &query->out);
  return NULL;
}

static tsr_error *query_sharding(Query query, char **out_text) {
  arena_init(&query.arena, NULL);
  Status *status = guard_run(query_body, &query);
  arena_deinit(&query.arena);
  if (!status && query.any) {
    *out_text = query.out.data;
    return NULL;
  }
  strbuf_deinit(&query.out);
  if (!status) *out_text = NULL;
  return api_error(status);
}

tsr_error *tsr_program_argument_sharding(tsr_program *program, size_t function, size_t argument,
                                         tsr_spelling spelling, char **out_text) {
  API_NEED(program, "program");
  API_NEED(out_text, "out_text");
  Status *wrong = api_check_spelling(spelling);
  if (wrong) return api_error(wrong);
  return query_sharding((Query){.handle = program,
                                .function = function,
                                .index = argument,
                                .argument = true,
                                .spelling = spelling},
                        out_text);
}

tsr_error *tsr_program_result_sharding(tsr_program *program, size_t function, size_t result,
                                       tsr_spelling spelling, char **out_text) {
  API_NEED(program, "program");
  API_NEED(out_text, "out_text");
  Status *wrong = api_check_spelling(spelling);
  if (wrong) return api_error(wrong);
  return query_sharding(
      (Query){.handle = program, .function = function, .index = result, .spelling = spelling},
      out_text);
}

tsr_error *tsr_program_argument_part(tsr_program *program, size_t function, size_t argument,
                                     char **out_text) {
  API_NEED(program, "program");
  API_NEED(out_text, "out_text");
  return query_sharding((Query){.handle = program,
                                .function = function,
                                .index = argument,
                                .argument = true,
                                .local_type = true},
                        out_text);
}

tsr_error *tsr_program_result_part(tsr_program *program, size_t function, size_t result,
                                   char **out_text) {
  API_NEED(program, "program");
  API_NEED(out_text, "out_text");
  return query_sharding(
      (Query){.handle = program, .function = function, .index = result, .local_type = true},
      out_text);
}
