// Names of arguments and results, and of their dimensions.
#include <string.h>

#include "base/mem.h"
#include "api/api_private.h"
#include "report/show_names.h"
#include "annotate/target.h"

// ---- values ----

typedef struct Query {
  const tsr_program *handle;
  size_t function, index;
  bool argument;
  Arena arena;
  char *name;  // from mem_alloc; NULL: none
} Query;

static Status *query_body(Guard *guard, void *arg) {
  Query *query = arg;
  const Program *p = query->handle->program;
  arena_guard(&query->arena, guard);
  TRY(api_check_function(query->handle, query->function));
  OpId function = query->handle->functions.items[query->function];
  uint32_t n =
      query->argument ? function_n_arguments(p, function) : function_n_results(p, function);
  if (query->index >= n)
    FAIL(OUT_OF_RANGE, "%s %zu does not exist: there are %u",
         query->argument ? "argument" : "result", query->index, n);
  uint32_t i = (uint32_t)query->index;
  Str path = query->argument ? argument_path(p, function, i, &query->arena)
                             : result_path(p, function, i, &query->arena);
  if (!path.n) return NULL;
  query->name = mem_alloc(path.n + 1);
  if (!query->name) return status_no_memory();
  memcpy(query->name, path.s, path.n);
  query->name[path.n] = '\0';
  return NULL;
}

static tsr_error *query_name(Query query, char **out_text) {
  arena_init(&query.arena, NULL);
  Status *status = guard_run(query_body, &query);
  arena_deinit(&query.arena);
  if (!status) *out_text = query.name;
  return api_error(status);
}

tsr_error *tsr_program_argument_name(tsr_program *program, size_t function, size_t argument,
                                     char **out_text) {
  API_NEED(program, "program");
  API_NEED(out_text, "out_text");
  return query_name(
      (Query){.handle = program, .function = function, .index = argument, .argument = true},
      out_text);
}

tsr_error *tsr_program_result_name(tsr_program *program, size_t function, size_t result,
                                   char **out_text) {
  API_NEED(program, "program");
  API_NEED(out_text, "out_text");
  return query_name((Query){.handle = program, .function = function, .index = result}, out_text);
}

// ---- dimensions ----

typedef struct Dimensions {
  tsr_program *handle;
  const char *names;
  bool all;
  Source side;
  Diag diag, side_diag;  // for the program; for the names
  ShardingTable *table;
  Propagation *propagation;
  Arena arena;
  StrBuf out, messages;
} Dimensions;

static Status *find_dimensions(Dimensions *d, Guard *guard, Names *out) {
  Program *p = d->handle->program;
  d->table = sharding_table_new(d->handle->context, guard);
  TRY(propagation_new(p, d->table, &(PropagateOptions){0}, guard, &d->diag, &d->propagation));
  if (d->names) diag_init(&d->side_diag, guard, &d->side);
  if (names_build(propagation_graph(d->propagation), &d->arena, &d->diag,
                  d->names ? &d->side_diag : NULL, out))
    return NULL;
  return diag_status(d->diag.errors ? &d->diag : &d->side_diag);
}

static Status *dimensions_body(Guard *guard, void *arg) {
  Dimensions *d = arg;
  program_guard(d->handle->program, guard);
  arena_guard(&d->arena, guard);
  d->out.guard = d->messages.guard = guard;
  diag_init(&d->diag, guard, &d->handle->source);
  Names names;
  Status *status = find_dimensions(d, guard, &names);
  if (status) {
    diag_render(&d->diag, &d->messages, false);
    if (d->side_diag.source) diag_render(&d->side_diag, &d->messages, false);
    return status;
  }
  NamesShown shown = {d->handle->program, &names, d->handle->name, &d->arena, d->all};
  names_json(&shown, &d->out);
  return NULL;
}

tsr_error *tsr_program_dimensions(tsr_program *program, const char *names, int all,
                                  char **out_json) {
  API_NEED(program, "program");
  API_NEED(out_json, "out_json");
  Dimensions d = {.handle = program, .names = names, .all = all != 0};
  if (names) d.side = (Source){.path = "names", .text = names, .size = strlen(names)};
  arena_init(&d.arena, NULL);
  Status *status = guard_run(dimensions_body, &d);
  tsr_error *error = api_error_with_text(status, &d.messages);
  propagation_free(d.propagation);
  sharding_table_free(d.table);
  if (d.diag.source) diag_deinit(&d.diag);
  if (d.side_diag.source) diag_deinit(&d.side_diag);
  arena_deinit(&d.arena);
  strbuf_deinit(&d.messages);
  if (error)
    strbuf_deinit(&d.out);
  else
    *out_json = d.out.data;
  return error;
}
