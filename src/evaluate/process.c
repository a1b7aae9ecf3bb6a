// Problem: execute nested regions and calls with little memory and bounded C recursion.
// Idea: all values of a function's activation, regions included, are in one frame. A value has one
// live instance per activation, so captured values are simply there, and a region called per
// element allocates no frame. Values are released after their last use (slots.h). Invariant: C
// recursion follows the nesting of regions and calls only, at most most_depth. Cost: O(1) per op
// besides its eval.
#include "evaluate/process.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "ir/location_line.h"
#include "ops/infer.h"

enum { MOST_DEPTH = 400, FEW = 8 };

const char *run_location(const Run *run, OpId op, Arena *arena) {
  const Program *p = run->program;
  for (OpId at = op; at; at = op_at(p, at)->origin == at ? 0 : op_at(p, at)->origin) {
    if (!p->source || op_at(p, at)->pos == POS_NONE) continue;
    uint32_t line, column;
    source_locate(p->source, op_at(p, at)->pos, &line, &column);
    return arena_printf(arena, "%s:%u:%u", p->source->path, line, column);
  }
  return "";
}

const char *run_op_text(const Run *run, OpId op, Arena *arena) {
  const char *location = run_location(run, op, arena);
  return arena_printf(arena, "'%s'%s%s", op_name(run->program, op), *location ? " at " : "",
                      location);
}

// `located` is set by the innermost op, so the message has one position.
Status *process_locate(Process *process, OpId op, Status *status) {
  Run *run = process->run;
  if (run->located || status == status_no_memory()) return status;
  run->located = true;
  // Memory may be exhausted, so the text is built on the stack.
  char location[512] = "";
  uint32_t line, column;
  Pos pos = op_at(run->program, op)->pos;
  if (run->program->source && pos != POS_NONE) {
    source_locate(run->program->source, pos, &line, &column);
    snprintf(location, sizeof location, "%s:%u:%u", run->program->source->path, line, column);
    run->report->failed_at = pos;
  }
  // The line of the user's source, from the op's location.
  Str file;
  size_t used = strlen(location);
  if (location_line(run->program->context, op_at(run->program, op)->loc, &file, &line))
    snprintf(location + used, sizeof location - used, "%s(%.*s:%u)", used ? " " : "", (int)file.n,
             file.s, line);
  Status *located =
      status_new(status_code(status), __FILE__, __LINE__, "%s%s'%s' op: %s", location,
                 *location ? ": " : "", op_name(run->program, op), status_message(status));
  status_free(status);
  return located;
}

Literal **process_slot(Process *process, ValueId v) {
  return &process->frames.items[process->base + process->run->slots.slot[v]];
}

// Releases the values whose last use is this op (slots.h).
static void release_after(Process *process, OpId op) {
  const EvalSlots *slots = &process->run->slots;
  for (uint32_t i = slots->release_first[op]; i < slots->release_first[op + 1]; i++) {
    Literal **slot = process_slot(process, slots->releases[i]);
    literal_release(*slot);
    *slot = NULL;
  }
}

// The type of a literal, for messages.
static const char *literal_text(Process *process, const Literal *l) {
  Context *context = process->run->program->context;
  switch (l->kind) {
  case LITERAL_TOKEN: return "a token";
  case LITERAL_TUPLE: return "another tuple";
  case LITERAL_FUTURE: return "another future";
  case LITERAL_ARRAY: break;
  }
  return type_text(context, type_tensor(context, l->elem, l->rank, l->dims, 0));
}

// Checks what the verifier cannot: run-time shapes, and results of custom calls.
static Status *check_result(Process *process, OpId op, uint32_t i, const Literal *got) {
  Program *p = process->run->program;
  Type type = op_result_type(p, op, i);
  if (!got) FAIL(INTERNAL, "result %u was not computed", i);
  if (literal_matches(p->context, got, type)) return NULL;
  FAIL(FAILED_PRECONDITION, "result %u is %s, declared %s", i, literal_text(process, got),
       type_text(p->context, type));
}

// Runs the op's infer again on the actual sizes, for operands with dynamic types.
static Status *check_operands(Process *process, OpId o, uint32_t n, Literal *const *in) {
  Program *p = process->run->program;
  const OpDef *def = op_row(op_at(p, o)->code)->def;
  if (!def->infer) return NULL;
  uint32_t n_out = op_at(p, o)->n_results;
  Type *types = ARENA_ARRAY(&process->scratch, Type, n),
       *out = ARENA_ARRAY(&process->scratch, Type, n_out);
  for (uint32_t i = 0; i < n; i++) {
    types[i] = op_operand_type(p, o, i);
    if (in[i]->kind == LITERAL_ARRAY && !type_is_static(p->context, types[i]) &&
        !type_info(p->context, types[i])->encoding)
      types[i] = type_tensor(p->context, in[i]->elem, in[i]->rank, in[i]->dims, 0);
  }
  char why[INFER_WHY] = "";
  Infer cx = {
      .program = p, .context = p->context, .op = o, .out = out, .operands = types, .why = why};
  if (!def->infer(&cx)) FAIL(INVALID_ARGUMENT, "%s", why);
  for (uint32_t i = 0; i < n_out; i++)
    if (out[i] && !infer_types_compatible(&cx, out[i], op_result_type(p, o, i)))
      FAIL(INVALID_ARGUMENT, "result %u has type %s, but its operands give %s", i,
           type_text(p->context, op_result_type(p, o, i)), type_text(p->context, out[i]));
  return NULL;
}

// Called at each op, region and call (a loop body may have no ops), and inside long ops.
static Status *check_cancel(const Process *process) {
  Run *run = process->run;
  if (run->progress && run->polls++ % 16 == 0)
    run->progress->tell(run->progress->user, "evaluating ops", run->report->steps,
                        run->options->most_steps);
  const int *cancel = process->run->options->cancel;
  if (cancel && __atomic_load_n(cancel, __ATOMIC_RELAXED)) FAIL(CANCELLED, "the run was cancelled");
  return NULL;
}

// Calls the op's eval on its operands and checks the results.
Status *process_compute(Process *process, OpId o, Literal *const *in, Literal **out) {
  Run *run = process->run;
  Program *p = run->program;
  const Op *op = op_at(p, o);
  const OpDef *def = op_row(op->code)->def;
  if (!def || !def->eval) {
    if (op->code == OP_UNREGISTERED)
      FAIL(UNIMPLEMENTED, "is not an op Tessera knows, so it cannot be evaluated");
    FAIL(UNIMPLEMENTED, "cannot be evaluated");
  }
  uint32_t n_in = op->n_operands, n_out = op->n_results;
  for (uint32_t i = 0; i < n_out; i++) out[i] = NULL;
  if (run->slots.dynamic[o]) TRY(check_operands(process, o, n_in, in));
  EvalContext cx = {.host = &process->host,
                    .program = p,
                    .context = p->context,
                    .heap = run->heap,
                    .scratch = &process->scratch,
                    .op = o,
                    .attrs = op->attrs,
                    .n_in = n_in,
                    .n_out = n_out,
                    .code = op->code,
                    .reassociation = run->options->reassociation,
                    .scatter = run->options->scatter};
  OpId outer = process->at;
  process->at = o;
  // Results without elements need no computation.
  if (!eval_empty(&cx, out)) TRY(def->eval(&cx, in, out));
  process->at = outer;
  for (uint32_t i = 0; i < n_out; i++) TRY(check_result(process, o, i, out[i]));
  return NULL;
}

// Reads operands from slots, computes, stores the results, releases dead values. Small operand
// lists are on the C stack.
static Status *run_op(Process *process, OpId o) {
  Run *run = process->run;
  Program *p = run->program;
  const Op *op = op_at(p, o);
  TRY(check_cancel(process));
  if (run->options->most_steps && run->report->steps >= run->options->most_steps)
    FAIL(RESOURCE_EXHAUSTED, "the limit of %llu ops was reached",
         (unsigned long long)run->options->most_steps);
  run->report->steps++;
  ArenaMark mark = arena_mark(&process->scratch);
  Literal *few_in[FEW], *few_out[FEW];
  uint32_t n_in = op->n_operands, n_out = op->n_results;
  Literal **in = n_in <= FEW ? few_in : ARENA_ARRAY(&process->scratch, Literal *, n_in);
  Literal **out = n_out <= FEW ? few_out : ARENA_ARRAY(&process->scratch, Literal *, n_out);
  for (uint32_t i = 0; i < n_in; i++) in[i] = *process_slot(process, op_operand(p, o, i));
  TRY(process_compute(process, o, in, out));
  for (uint32_t i = 0; i < n_out; i++) *process_slot(process, op_result(p, o, i)) = out[i];
  arena_rewind(&process->scratch, mark);
  release_after(process, o);
  return NULL;
}

// Executes the ops up to the terminator, whose operands are the block's results.
static Status *run_block(Process *process, BlockId b, uint32_t n_args, Literal *const *args,
                         uint32_t n_out, Literal **out) {
  const Program *p = process->run->program;
  const Block *block = block_at(p, b);
  if (block->n_args != n_args)
    FAIL(INTERNAL, "a block of %u arguments was given %u values", block->n_args, n_args);
  for (uint32_t i = 0; i < n_args; i++)
    if (value_has_uses(p, block->args + i))
      *process_slot(process, block->args + i) = literal_retain(args[i]);
  for (OpId o = block->first; o; o = op_at(p, o)->next) {
    const Op *op = op_at(p, o);
    if (op_row(op->code)->traits & TRAIT_TERMINATOR) {
      if (op->n_operands != n_out)
        FAIL(INTERNAL, "a block gives %u values where %u are expected", op->n_operands, n_out);
      for (uint32_t i = 0; i < n_out; i++)
        out[i] = literal_retain(*process_slot(process, op_operand(p, o, i)));
      release_after(process, o);
      return NULL;
    }
    Status *status = run_op(process, o);
    if (status) return process_locate(process, o, status);
  }
  if (n_out) FAIL(INTERNAL, "a block without terminator gives no values, %u are expected", n_out);
  return NULL;
}

// One level of regions or calls deeper; also ends endless recursion without ops.
static Status *enter(Process *process) {
  TRY(check_cancel(process));
  uint32_t most =
      process->run->options->most_depth ? process->run->options->most_depth : MOST_DEPTH;
  if (process->depth >= most)
    FAIL(RESOURCE_EXHAUSTED,
         "regions and calls stand more than %u deep inside each other: endless recursion?", most);
  process->depth++;
  return NULL;
}

// Functions are also called by custom calls, programs of a grid and the library's caller; the
// verifier has not checked these arguments.
static Status *check_argument(Process *process, OpId function, BlockId block, uint32_t i,
                              const Literal *given) {
  const Program *p = process->run->program;
  Type type = value_type(p, block_arg(p, block, i));
  if (literal_matches(p->context, given, type)) return NULL;
  FAIL(INVALID_ARGUMENT, "argument %u of @%s is %s, declared %s", i,
       name_text(p->context, attr_as_name(p->context, op_attr(p, function, "sym_name"))),
       literal_text(process, given), type_text(p->context, type));
}

// Frames may move when the stack grows, so slots are addressed by base + index.
void process_push_frame(Process *process, OpId function) {
  uint32_t top = process->frames.count, n_slots = process->run->slots.n_slots[function];
  HEAPVEC_RESERVE(process->guard, &process->frames, top + n_slots);
  if (n_slots) memset(process->frames.items + top, 0, n_slots * sizeof *process->frames.items);
  process->frames.count = top + n_slots;
  process->base = top;
}

Status *process_call(Process *process, OpId function, uint32_t n_args, Literal *const *args,
                     uint32_t n_out, Literal **out) {
  const Program *p = process->run->program;
  BlockId block = op_at(p, function)->n_regions ? region_block(p, op_region(p, function, 0)) : 0;
  if (!block)
    FAIL(FAILED_PRECONDITION, "function @%s has no body to run",
         name_text(p->context, attr_as_name(p->context, op_attr(p, function, "sym_name"))));
  if (block_at(p, block)->n_args == n_args)  // run_block reports a wrong number
    for (uint32_t i = 0; i < n_args; i++) TRY(check_argument(process, function, block, i, args[i]));
  TRY(enter(process));
  uint32_t base = process->base, top = process->frames.count;
  process_push_frame(process, function);
  Status *status = run_block(process, block, n_args, args, n_out, out);
  process->base = base;
  process->frames.count = top;
  process->depth--;
  return status;
}

// ---- the host ----

static Status *host_run_region(EvalContext *cx, RegionId region, uint32_t n_args,
                               Literal *const *args, uint32_t n_out, Literal **out) {
  Process *process = process_of(cx);
  BlockId block = region_block(cx->program, region);
  if (!block) FAIL(FAILED_PRECONDITION, "has an empty region, which cannot be run");
  TRY(enter(process));
  Status *status = run_block(process, block, n_args, args, n_out, out);
  process->depth--;
  return status;
}

static Status *find_function(EvalContext *cx, Name symbol, OpId *out_function) {
  OpId function = symbols_find(&process_of(cx)->run->symbols, symbol);
  if (!function || !(op_row(op_at(cx->program, function)->code)->traits & TRAIT_FUNCTION))
    FAIL(NOT_FOUND, "there is no function @%s in the module", name_text(cx->context, symbol));
  *out_function = function;
  return NULL;
}

static Status *host_call(EvalContext *cx, Name symbol, uint32_t n_args, Literal *const *args,
                         uint32_t n_out, Literal **out) {
  OpId function;
  TRY(find_function(cx, symbol, &function));
  return process_call(process_of(cx), function, n_args, args, n_out, out);
}

static void host_grid(EvalContext *cx, uint32_t *out_replicas, uint32_t *out_partitions,
                      ProcessId *out_self) {
  grid_shape(process_of(cx), out_replicas, out_partitions);
  *out_self = process_of(cx)->id;
}

static Status *host_poll(EvalContext *cx) { return check_cancel(process_of(cx)); }

static uint64_t host_draws(EvalContext *cx) { return process_of(cx)->draws++; }

static uint64_t host_seed(EvalContext *cx) { return process_of(cx)->run->options->seed; }

// interpreter.run_parallel: a grid inside the process. Its failure or end returns here.
static Status *host_run_parallel(EvalContext *cx, uint32_t replicas, uint32_t partitions,
                                 const Name *programs, uint32_t n_infeed, const Name *infeed,
                                 uint32_t n_args, Literal *const *args, uint32_t n_out,
                                 Literal **out) {
  Process *process = process_of(cx);
  uint32_t n = replicas * partitions;
  OpId *functions = ARENA_ARRAY(cx->scratch, OpId, n),
       *feeds = ARENA_ARRAY(cx->scratch, OpId, n_infeed);
  for (uint32_t i = 0; i < n; i++) TRY(find_function(cx, programs[i], &functions[i]));
  for (uint32_t i = 0; i < n_infeed; i++) TRY(find_function(cx, infeed[i], &feeds[i]));
  TRY(enter(process));  // a program may start itself in parallel
  Status *status = grid_run(process->run, process->depth, replicas, partitions, functions, n_infeed,
                            feeds, n_args, args, n_out, out);
  process->depth--;
  process_guard(process, process->guard);
  return status;
}

// Counts a check of the check dialect; the first failures keep their message.
static Status *host_checked(EvalContext *cx, bool passed, uint64_t max_ulp, const char *message) {
  Run *run = process_of(cx)->run;
  EvalReport *report = run->report;
  report->checks++;
  if (max_ulp > report->max_ulp) report->max_ulp = max_ulp;
  if (passed) return NULL;
  report->failed_checks++;
  if (report->n_messages < EVAL_MOST_MESSAGES) {
    const char *location = run_location(run, cx->op, run->arena);
    report->messages[report->n_messages++] =
        arena_printf(run->arena, "%s%s%s", location, *location ? ": " : "", message);
  }
  return NULL;
}

// Keeps the value for check.expect_serialized_eq. Probes of one id are numbered.
static Status *host_probe(EvalContext *cx, Str id, Literal *value) {
  Run *run = process_of(cx)->run;
  Probe probe = {name_intern(cx->context, id), value};
  uint32_t k = 0;
  for (uint32_t i = 0; i < run->probes.count; i++) k += run->probes.items[i].id == probe.id;
  VEC_PUSH(&run->tables, &run->probes, probe);
  literal_retain(value);
  return run->options->probe ? run->options->probe(run->options->to, id, k, value) : NULL;
}

static Literal *host_probed(EvalContext *cx, Str id, uint32_t k) {
  Run *run = process_of(cx)->run;
  Name name = name_intern(cx->context, id);
  for (uint32_t i = 0; i < run->probes.count; i++)
    if (run->probes.items[i].id == name && k-- == 0) return run->probes.items[i].value;
  return NULL;
}

static Status *host_print(EvalContext *cx, Literal *value) {
  const EvalOptions *options = process_of(cx)->run->options;
  if (!options->print) return NULL;
  const Program *p = cx->program;
  const Value *value_info = value_at(p, op_operand(p, cx->op, 0));
  const char *name = name_text(cx->context, value_info->name);
  // Results after the first of `%r:2` are named by the op's name and their index.
  if (!*name && !value_info->is_arg && value_info->index)
    name = arena_printf(cx->scratch, "%s#%u",
                        name_text(cx->context, value_at(p, op_result(p, value_info->def, 0))->name),
                        value_info->index);
  return options->print(options->to, name, value);
}

static Status *host_custom_call(EvalContext *cx, Literal *const *in, Literal *const *out,
                                bool *out_done) {
  const EvalOptions *options = process_of(cx)->run->options;
  return options->custom_call(options->call_to, cx, in, out, out_done);
}

void process_init(Process *process, Run *run, Grid *grid, uint32_t index, ProcessId id) {
  *process = (Process){.run = run, .grid = grid, .index = index, .id = id};
  process->host = (EvalHost){.run_region = host_run_region,
                             .call = host_call,
                             .grid = host_grid,
                             .poll = host_poll,
                             .draws = host_draws,
                             .seed = host_seed,
                             .run_parallel = host_run_parallel,
                             .checked = host_checked,
                             .probe = host_probe,
                             .probed = host_probed,
                             .print = host_print};
  if (run->options->custom_call) process->host.custom_call = host_custom_call;
  grid_host(&process->host);
  arena_init(&process->scratch, NULL);
}

// The charge only grows: stacks and arenas do not shrink before process_deinit.
Status *process_charge(Process *process, size_t stack_bytes) {
  size_t bytes = stack_bytes + process->scratch.bytes +
                 process->frames.capacity * sizeof *process->frames.items;
  if (bytes <= process->charged_bytes) return NULL;
  TRY(literal_heap_charge(process->run->heap, bytes - process->charged_bytes));
  process->charged_bytes = bytes;
  return NULL;
}

void process_deinit(Process *process) {
  literal_heap_refund(process->run->heap, process->charged_bytes);
  process->charged_bytes = 0;
  HEAPVEC_FREE(&process->frames);
  arena_deinit(&process->scratch);
}

// All arenas of the run throw to the running process.
void process_guard(Process *process, Guard *guard) {
  Run *run = process->run;
  process->guard = guard;
  run->heap->guard = guard;
  program_guard(run->program, guard);
  arena_guard(run->arena, guard);
  arena_guard(&run->tables, guard);
  arena_guard(&process->scratch, guard);
}
