// The public C API of names: what users call an argument or a result.
#include <string.h>

#include "base/mem.h"
#include "pipeline/api_private.h"
#include "propagate/target.h"

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
  return ask_name(
      (Ask){.handle = program, .function = function, .index = argument, .argument = true},
      out_text);
}

tsr_error *tsr_program_result_name(tsr_program *program, size_t function, size_t result,
                                   char **out_text) {
  return ask_name((Ask){.handle = program, .function = function, .index = result}, out_text);
}
