// The door of the evaluator: finds the function, makes the plan, runs the grid, and puts everything
// back as it was.
#include "evaluate/evaluate.h"

#include <stdio.h>

#include "base/mem.h"
#include "evaluate/process.h"

static bool is_function(const Program *p, OpId op) {
  return (op_row(op_at(p, op)->code)->traits & TRAIT_FUNCTION) != 0;
}

static const char *function_name(const Program *p, OpId op) {
  return name_text(p->context, attr_as_name(p->context, op_attr(p, op, "sym_name")));
}

Status *evaluate_entry(const Program *p, const char *name, OpId *out_function) {
  OpId only = 0, wanted = 0;
  uint32_t n = 0;
  BlockId block =
      p->root && op_at(p, p->root)->n_regions ? region_block(p, op_region(p, p->root, 0)) : 0;
  for (OpId o = block ? block_at(p, block)->first : 0; o; o = op_at(p, o)->next) {
    if (!is_function(p, o)) continue;
    n++;
    only = o;
    if (str_is(str_of(function_name(p, o)), name ? name : "main")) wanted = o;
  }
  if (n == 0) FAIL(NOT_FOUND, "the module has no function");
  if (!wanted && !name && n == 1) wanted = only;
  if (!wanted) {
    char list[400];
    size_t used = 0;
    list[0] = '\0';
    for (OpId o = block_at(p, block)->first; o && used < sizeof list; o = op_at(p, o)->next)
      if (is_function(p, o))
        used += (size_t)snprintf(list + used, sizeof list - used, "%s@%s", used ? ", " : "",
                                 function_name(p, o));
    FAIL(INVALID_ARGUMENT, "there is no function @%s; the module has %s", name ? name : "main",
         list);
  }
  *out_function = wanted;
  return NULL;
}

static const TypeInfo *function_type(const Program *p, OpId function) {
  return type_info(p->context, attr_info(p->context, op_attr(p, function, "function_type"))->type);
}

uint32_t evaluate_n_arguments(const Program *p, OpId function) {
  return function_type(p, function)->n_inputs;
}

Type evaluate_argument_type(const Program *p, OpId function, uint32_t i) {
  return function_type(p, function)->items[i];
}

uint32_t evaluate_n_results(const Program *p, OpId function) {
  return function_type(p, function)->n_items - function_type(p, function)->n_inputs;
}

Type evaluate_result_type(const Program *p, OpId function, uint32_t i) {
  return function_type(p, function)->items[function_type(p, function)->n_inputs + i];
}

typedef struct Job {
  Run *run;
  OpId function;
  uint32_t n_args, n_out;
  Literal *const *args;
  Literal **out;
} Job;

static Status *run_job(Guard *guard, void *arg) {
  Job *job = arg;
  Run *run = job->run;
  run->heap->guard = guard;
  program_guard(run->program, guard);
  arena_guard(run->arena, guard);
  arena_guard(&run->tables, guard);
  eval_plan_init(&run->plan, run->program, &run->tables);
  symbols_init(&run->symbols, run->program, op_parent(run->program, job->function), guard);
  uint32_t replicas = run->options->replicas ? run->options->replicas : 1;
  uint32_t partitions = run->options->partitions ? run->options->partitions : 1;
  uint32_t n;
  if (__builtin_mul_overflow(replicas, partitions, &n))
    FAIL(INVALID_ARGUMENT, "%u replicas × %u partitions are too many processes", replicas,
         partitions);
  OpId *functions = ARENA_ARRAY(&run->tables, OpId, n);
  for (uint32_t i = 0; i < n; i++) functions[i] = job->function;
  return grid_run(run, 0, replicas, partitions, functions, 0, NULL, job->n_args, job->args,
                  job->n_out, job->out);
}

Status *evaluate(Program *program, OpId function, const EvalOptions *options, LiteralHeap *heap,
                 Arena *arena, uint32_t n_args, Literal *const *args, uint32_t n_out, Literal **out,
                 EvalReport *out_report) {
  *out_report = (EvalReport){.failed_at = POS_NONE};
  Run run = {
      .program = program, .options = options, .heap = heap, .arena = arena, .report = out_report};
  Guard *heap_guard = heap->guard, *arena_before = arena->guard;
  Guard *program_before = program_guard(program, NULL);
  arena_init(&run.tables, NULL);
  Job job = {&run, function, n_args, n_out, args, out};
  Status *status = guard_run(run_job, &job);
  for (uint32_t i = 0; i < run.probes.count; i++) literal_release(run.probes.items[i].value);
  heap->guard = heap_guard;
  program_guard(program, program_before);
  arena_guard(arena, arena_before);
  symbols_deinit(&run.symbols);
  arena_deinit(&run.tables);
  return status;
}
