// The public C API of names: what users call an argument or a result, and its dimensions.
#include <string.h>

#include "base/mem.h"
#include "api/api_private.h"
#include "report/show_names.h"
#include "annotate/target.h"

// ---- of values ----

typedef struct Ask {
  const tsr_program *handle;
  size_t function, index;
  bool argument;
  Arena arena;
  char *name;  // of mem_alloc; NULL: none
} Ask;

static Status *ask_body(Guard *guard, void *arg) {
  Ask *ask = arg;
  const Program *p = ask->handle->program;
  arena_guard(&ask->arena, guard);
  TRY(api_check_function(ask->handle, ask->function));
  OpId function = ask->handle->functions.items[ask->function];
  uint32_t n = ask->argument ? function_n_arguments(p, function) : function_n_results(p, function);
  if (ask->index >= n)
    FAIL(OUT_OF_RANGE, "%s %zu does not exist: there are %u", ask->argument ? "argument" : "result",
         ask->index, n);
  uint32_t i = (uint32_t)ask->index;
  Str path = ask->argument ? argument_path(p, function, i, &ask->arena)
                           : result_path(p, function, i, &ask->arena);
  if (!path.n) return NULL;
  ask->name = mem_alloc(path.n + 1);
  if (!ask->name) return status_no_memory();
  memcpy(ask->name, path.s, path.n);
  ask->name[path.n] = '\0';
  return NULL;
}

static tsr_error *ask_name(Ask ask, char **out_text) {
  arena_init(&ask.arena, NULL);
  Status *status = guard_run(ask_body, &ask);
  arena_deinit(&ask.arena);
  if (!status) *out_text = ask.name;
  return api_error(status);
}

tsr_error *tsr_program_argument_name(tsr_program *program, size_t function, size_t argument,
                                     char **out_text) {
  API_NEED(program, "program");
  API_NEED(out_text, "out_text");
  return ask_name(
      (Ask){.handle = program, .function = function, .index = argument, .argument = true},
      out_text);
}

tsr_error *tsr_program_result_name(tsr_program *program, size_t function, size_t result,
                                   char **out_text) {
  API_NEED(program, "program");
  API_NEED(out_text, "out_text");
  return ask_name((Ask){.handle = program, .function = function, .index = result}, out_text);
}

// ---- of dimensions ----

typedef struct Dimensions {
  tsr_program *handle;
  const char *names;
  bool all;
  Source side;
  Diag diag, side_diag;  // of the program, of the names
  ShardingTable *table;
  Propagation *propagation;
  Arena arena;
  StrBuf out, said;
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
  d->out.guard = d->said.guard = guard;
  diag_init(&d->diag, guard, &d->handle->source);
  Names names;
  Status *status = find_dimensions(d, guard, &names);
  if (status) {
    diag_render(&d->diag, &d->said, false);
    if (d->side_diag.source) diag_render(&d->side_diag, &d->said, false);
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
  tsr_error *error = api_error_said(status, &d.said);
  propagation_free(d.propagation);
  sharding_table_free(d.table);
  if (d.diag.source) diag_deinit(&d.diag);
  if (d.side_diag.source) diag_deinit(&d.side_diag);
  arena_deinit(&d.arena);
  strbuf_deinit(&d.said);
  if (error)
    strbuf_deinit(&d.out);
  else
    *out_json = d.out.data;
  return error;
}
