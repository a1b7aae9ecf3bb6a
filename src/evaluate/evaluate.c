// The evaluator's entry point: finds the function, builds the slot tables, runs the grid, restores
// the caller's guards. Memory needed is estimated from types before anything is allocated.
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
  OpId only = 0, found = 0;
  uint32_t n = 0;
  BlockId block =
      p->root && op_at(p, p->root)->n_regions ? region_block(p, op_region(p, p->root, 0)) : 0;
  for (OpId o = block ? block_at(p, block)->first : 0; o; o = op_at(p, o)->next) {
    if (!is_function(p, o)) continue;
    n++;
    only = o;
    if (str_is(str_of(function_name(p, o)), name ? name : "main")) found = o;
  }
  if (n == 0) FAIL(NOT_FOUND, "the module has no function");
  if (!found && !name && n == 1) found = only;
  if (!found) {
    char list[400];
    size_t used = 0;
    list[0] = '\0';
    for (OpId o = block_at(p, block)->first; o && used < sizeof list; o = op_at(p, o)->next)
      if (is_function(p, o))
        used += (size_t)snprintf(list + used, sizeof list - used, "%s@%s", used ? ", " : "",
                                 function_name(p, o));
    FAIL(NOT_FOUND, "there is no function @%s; the module has %s", name ? name : "main", list);
  }
  *out_function = found;
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

// ---- memory estimate ----

static uint64_t add_bytes(uint64_t a, uint64_t b) {
  return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static uint64_t times_bytes(uint64_t a, uint64_t b) {
  uint64_t product;
  return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

uint64_t evaluate_type_bytes(const Context *context, Type type) {
  const TypeInfo *info = type_info(context, type);
  uint64_t bytes = 0;
  if (info->kind == TYPE_TUPLE)
    for (uint32_t i = 0; i < info->n_items; i++)
      bytes = add_bytes(bytes, evaluate_type_bytes(context, info->items[i]));
  if (info->kind != TYPE_TENSOR || !type_is_static(context, type)) return bytes;
  const QuantInfo *quant = type_quant_info(context, info->elem);
  bytes = (uint64_t)dtype_bytes(quant ? quant->storage : type_dtype(context, info->elem));
  for (uint32_t d = 0; d < info->rank; d++)
    if (info->dims[d] == 0) return 0;
  for (uint32_t d = 0; d < info->rank; d++) bytes = times_bytes(bytes, (uint64_t)info->dims[d]);
  return bytes;
}

// Whether each process allocates its own result here. An op may forward an operand as its result
// only if the types are equal; elementwise ops compute new values.
static bool is_own(const Program *p, OpId o, Type type) {
  const Op *op = op_at(p, o);
  uint32_t traits = op_row(op->code)->traits;
  if (traits & TRAIT_ELEMENTWISE) return true;
  if (traits & (TRAIT_COLLECTIVE | TRAIT_CALL) || op->n_regions) return false;
  for (uint32_t i = 0; i < op->n_operands; i++) {
    const TypeInfo *operand = type_info(p->context, op_operand_type(p, o, i));
    if (op_operand_type(p, o, i) == type || operand->kind != TYPE_TENSOR) return false;
  }
  return true;
}

// Bytes of result i over all processes. A result that forwards an argument or repeats an earlier
// result takes none; an all_gather's result is shared, so it counts once.
static uint64_t result_bytes(const Program *p, OpId terminator, uint32_t i, uint32_t n_processes) {
  ValueId value = op_operand(p, terminator, i);
  for (uint32_t k = 0; k < i; k++)
    if (op_operand(p, terminator, k) == value) return 0;
  if (value_at(p, value)->is_arg) return 0;
  Type type = value_type(p, value);
  OpId op = value_at(p, value)->def;
  if (is_own(p, op, type)) return times_bytes(evaluate_type_bytes(p->context, type), n_processes);
  bool gathers = op_row(op_at(p, op)->code)->traits & TRAIT_COLLECTIVE &&
                 op_at(p, op)->n_operands && op_operand_type(p, op, 0) != type;
  return gathers ? evaluate_type_bytes(p->context, type) : 0;
}

void evaluate_need_add(uint64_t *to, uint64_t bytes, uint64_t times) {
  *to = add_bytes(*to, times_bytes(bytes, times));
}

void evaluate_need(const Program *p, OpId function, uint32_t n_processes, EvalNeed *out) {
  *out = (EvalNeed){.n_processes = n_processes};
  if (n_processes > 1)
    out->process_bytes = times_bytes(n_processes, sizeof(Process) + GRID_FIBER_BYTES);
  for (uint32_t i = 0; i < evaluate_n_arguments(p, function); i++)
    out->argument_bytes =
        add_bytes(out->argument_bytes,
                  evaluate_type_bytes(p->context, evaluate_argument_type(p, function, i)));
  BlockId block = op_at(p, function)->n_regions ? region_block(p, op_region(p, function, 0)) : 0;
  OpId last = block ? block_at(p, block)->last : 0;
  if (!last || !(op_row(op_at(p, last)->code)->traits & TRAIT_TERMINATOR)) return;
  for (uint32_t i = 0; i < op_at(p, last)->n_operands; i++)
    out->result_bytes = add_bytes(out->result_bytes, result_bytes(p, last, i, n_processes));
}

enum { BYTES_TEXT = 32 };

static const char *bytes_text(uint64_t bytes, char *out) {
  static const char *const units[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  if (bytes < 1024) {
    snprintf(out, BYTES_TEXT, "%llu bytes", (unsigned long long)bytes);
    return out;
  }
  double x = (double)bytes / 1024;
  int unit = 0;
  for (; x >= 1024 && unit < 5; unit++) x /= 1024;
  snprintf(out, BYTES_TEXT, "%.1f %s", x, units[unit]);
  return out;
}

Status *evaluate_check_need(const EvalNeed *need, uint64_t limit, const char *option) {
  uint64_t all =
      add_bytes(add_bytes(need->argument_bytes, need->result_bytes), need->process_bytes);
  if (!limit || all <= limit) return NULL;
  char total[BYTES_TEXT], args[BYTES_TEXT], results[BYTES_TEXT], state[BYTES_TEXT],
      most[BYTES_TEXT], processes[BYTES_TEXT + 64] = "";
  if (need->n_processes > 1)
    snprintf(processes, sizeof processes, ", state of %u processes %s", need->n_processes,
             bytes_text(need->process_bytes, state));
  FAIL(RESOURCE_EXHAUSTED,
       "needs at least %s of memory (arguments %s, results %s%s), but %s allows %s: raise it, or "
       "run "
       "smaller shapes%s",
       bytes_text(all, total), bytes_text(need->argument_bytes, args),
       bytes_text(need->result_bytes, results), processes, option, bytes_text(limit, most),
       need->n_processes > 1 ? " or fewer devices" : "");
}

// ---- running ----

typedef struct Job {
  Run *run;
  OpId function;
  uint32_t n_args, n_out;
  Literal *const *args;
  Literal **out;
} Job;

// Builds the tables and runs the grid; throws are caught by the guard_run in evaluate.
static Status *run_job(Guard *guard, void *arg) {
  Job *job = arg;
  Run *run = job->run;
  run->heap->guard = guard;
  program_guard(run->program, guard);
  arena_guard(run->arena, guard);
  arena_guard(&run->tables, guard);
  eval_slots_init(&run->slots, run->program, &run->tables);
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
  run.progress = guard_progress(heap_guard);
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
