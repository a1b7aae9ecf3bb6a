// The compiled engine's entry points: lower, place, evaluate constants, start workers, run.
#include "execute/execute.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "execute/executable.h"
#include "execute/flight.h"
#include "execute/ranks.h"
#include "execute/swap.h"
#include "execute/trace.h"
#include "ops/op.h"

uint64_t executable_value_bytes(const Executable *exe, ValueId v) {
  const Program *p = exe->program;
  if (v < p->values.count) return evaluate_type_bytes(p->context, value_type(p, v));
  BlockId block = region_block(p, op_region(p, exe->function, 0));
  OpId end = block_at(p, block)->last;
  return evaluate_type_bytes(p->context, op_operand_type(p, end, v - exe->results));
}

// ---- constants ----

static Status *make_constants(Executable *exe) {
  uint64_t bytes = 0;
  for (ValueId v = 1; v < exe->program->values.count; v++) {
    Buffer *buffer = &exe->buffers.items[exe->place[v]];
    if (!exe->place[v] || buffer->segment != SEGMENT_CONSTANT) continue;
    buffer->offset = bytes;
    uint64_t aligned = (buffer->bytes + KERNEL_ALIGN - 1) / KERNEL_ALIGN * KERNEL_ALIGN;
    if (aligned < buffer->bytes || bytes > UINT64_MAX / 2 - aligned) return status_no_memory();
    bytes += aligned;
  }
  if (!bytes) return NULL;
  exe->constants = mem_pages_new(bytes);
  if (!exe->constants)
    FAIL(RESOURCE_EXHAUSTED, "%llu bytes for constants are not available",
         (unsigned long long)bytes);
  exe->constant_bytes = bytes;
  for (ValueId v = 1; v < exe->program->values.count; v++) {
    const Buffer *buffer = &exe->buffers.items[exe->place[v]];
    if (!exe->place[v] || buffer->segment != SEGMENT_CONSTANT) continue;
    Literal *value;
    TRY(stepper_run(exe->stepper, 0, value_at(exe->program, v)->def, 0, NULL, NULL, &value));
    if (buffer->bytes) memcpy(exe->constants + buffer->offset, value->data, buffer->bytes);
    literal_release(value);
  }
  return NULL;
}

// Results that depend on the device alone are computed once too.
static Status *fill_by_device(Executable *exe, const InstrList *list) {
  for (uint32_t i = 0; i < list->count; i++) {
    Instr *instr = &list->items[i];
    for (uint32_t k = 0; k < instr->n_lists; k++) TRY(fill_by_device(exe, &instr->lists[k]));
    if (instr->kind != INSTR_BY_DEVICE) continue;
    size_t bytes = executable_value_bytes(exe, instr->out[0]);
    instr->by_device = ARENA_ARRAY(&exe->arena, char, bytes * exe->n_devices + 1);
    for (uint32_t d = 0; d < exe->n_devices; d++) {
      Literal *value;
      TRY(stepper_run(exe->stepper, d, instr->op, 0, NULL, NULL, &value));
      memcpy(instr->by_device + bytes * d, value->data, bytes);
      literal_release(value);
    }
  }
  return NULL;
}

// ---- rows of statistics ----

static const char *row_name(const Executable *exe, const Instr *instr) {
  switch (instr->kind) {
  case INSTR_KERNEL: return instr->kernel->name;
  case INSTR_COPY: return "copy";
  case INSTR_LOOP: return "loop";
  case INSTR_BRANCH: return "branch";
  case INSTR_EVAL:
  case INSTR_BY_DEVICE:
  case INSTR_COLLECTIVE: break;
  }
  return op_name(exe->program, instr->op);
}

static void number_rows(Executable *exe, InstrList *list) {
  for (uint32_t i = 0; i < list->count; i++) {
    Instr *instr = &list->items[i];
    const char *name = row_name(exe, instr);
    bool eval = instr->kind == INSTR_EVAL;
    uint32_t row = 0;
    while (row < exe->rows.count &&
           (strcmp(exe->rows.items[row].name, name) != 0 || exe->rows.items[row].eval != eval))
      row++;
    if (row == exe->rows.count)
      VEC_PUSH(&exe->arena, &exe->rows, ((StatRow){.name = name, .eval = eval}));
    exe->rows.items[row].n_instructions++;
    instr->row = row;
    for (uint32_t k = 0; k < instr->n_lists; k++) number_rows(exe, &instr->lists[k]);
  }
}

static int compare_rows(const void *a, const void *b) {
  const ExecuteRow *x = a, *y = b;
  if (x->seconds != y->seconds) return x->seconds > y->seconds ? -1 : 1;
  return strcmp(x->name, y->name);
}

void executable_stats(const Executable *exe, Arena *arena, uint32_t *out_n, ExecuteRow **out_rows) {
  ExecuteRow *rows = ARENA_ARRAY(arena, ExecuteRow, exe->rows.count + 1);
  for (uint32_t i = 0; i < exe->rows.count; i++) {
    const StatRow *row = &exe->rows.items[i];
    rows[i] = (ExecuteRow){row->name, row->eval, row->n_instructions, row->n_runs, row->seconds};
  }
  qsort(rows, exe->rows.count, sizeof *rows, compare_rows);
  *out_n = exe->rows.count;
  *out_rows = rows;
}

static void count_list(const InstrList *list, ExecuteNeed *out) {
  for (uint32_t i = 0; i < list->count; i++) {
    const Instr *instr = &list->items[i];
    out->n_instructions++;
    out->n_kernels += instr->kind == INSTR_KERNEL;
    out->n_eval += instr->kind == INSTR_EVAL;
    out->n_collectives += instr->kind == INSTR_COLLECTIVE;
    out->n_loops += instr->kind == INSTR_LOOP;
    for (uint32_t k = 0; k < instr->n_lists; k++) count_list(&instr->lists[k], out);
  }
}

void executable_need(const Executable *exe, ExecuteNeed *out) {
  *out = (ExecuteNeed){.constant_bytes = exe->constant_bytes, .temporary_bytes = exe->temp_bytes};
  for (uint32_t i = 0; i < exe->n_args; i++)
    out->argument_bytes += executable_value_bytes(exe, exe->arguments[i]);
  for (uint32_t i = 0; i < exe->n_out; i++)
    out->result_bytes += executable_value_bytes(exe, exe->results + i);
  count_list(&exe->main, out);
}

// ---- making ----

// The position at which the most bytes of temporaries are alive.
static uint32_t peak_position(const Executable *exe) {
  uint64_t *change = ARENA_ARRAY(exe->shared, uint64_t, exe->n_positions + 2), alive = 0, most = 0;
  uint32_t peak = 0;
  for (uint32_t i = 0; i < exe->n_spans; i++) {
    uint32_t to = exe->spans[i].to < exe->n_positions ? exe->spans[i].to : exe->n_positions;
    change[exe->spans[i].from] += exe->spans[i].bytes;
    change[to + 1] -= exe->spans[i].bytes;
  }
  for (uint32_t at = 0; at <= exe->n_positions; at++) {
    alive += change[at];
    if (alive > most) {
      most = alive;
      peak = at;
    }
  }
  return peak;
}

static const char *value_text(const Executable *exe, ValueId v) {
  const Program *p = exe->program;
  Arena *arena = exe->shared;
  if (!v || v >= p->values.count) return "memory of a kernel";
  const char *name = value_at(p, v)->name
                         ? arena_printf(arena, "%%%s", name_text(p->context, value_at(p, v)->name))
                         : "a value";
  OpId op = value_def(p, v);
  uint32_t line, column;
  if (!op || !p->source || op_at(p, op)->pos == POS_NONE)
    return arena_printf(arena, "%s of type %s", name, type_text(p->context, value_type(p, v)));
  source_locate(p->source, op_at(p, op)->pos, &line, &column);
  return arena_printf(arena, "%s of type %s (%s:%u)", name, type_text(p->context, value_type(p, v)),
                      p->source->path, line);
}

// The largest temporaries that are alive at the peak, as ", of which …".
static const char *peak_text(const Executable *exe) {
  enum { SHOWN = 3 };
  uint32_t peak = peak_position(exe), last = UINT32_MAX;
  const char *text = "";
  for (uint32_t k = 0; k < SHOWN; k++) {
    uint32_t best = UINT32_MAX;
    for (uint32_t i = 0; i < exe->n_spans; i++) {
      const Span *span = &exe->spans[i];
      if (span->from > peak || span->to < peak) continue;
      // Largest first, of equal ones by index; behind the last one shown.
      bool shown = last != UINT32_MAX && (span->bytes > exe->spans[last].bytes ||
                                          (span->bytes == exe->spans[last].bytes && i <= last));
      if (!shown && (best == UINT32_MAX || span->bytes > exe->spans[best].bytes)) best = i;
    }
    if (best == UINT32_MAX) break;
    text = arena_printf(
        exe->shared, "%s%s %s takes %llu", text,
        k ? "," : ". The largest temporaries at the peak:", value_text(exe, exe->span_values[best]),
        (unsigned long long)exe->spans[best].bytes);
    last = best;
  }
  return text;
}

static Status *check_memory(const Executable *exe) {
  ExecuteNeed need;
  executable_need(exe, &need);
  uint64_t all =
      need.argument_bytes + need.result_bytes + need.constant_bytes + need.temporary_bytes;
  if (!exe->options.device_memory || all <= exe->options.device_memory) return NULL;
  FAIL(
      RESOURCE_EXHAUSTED,
      "a device needs %llu bytes (arguments %llu, results %llu, constants %llu, temporaries %llu), "
      "but its memory is limited to %llu (--device-memory)%s",
      (unsigned long long)all, (unsigned long long)need.argument_bytes,
      (unsigned long long)need.result_bytes, (unsigned long long)need.constant_bytes,
      (unsigned long long)need.temporary_bytes, (unsigned long long)exe->options.device_memory,
      peak_text(exe));
}

// Charges temporaries and constants to the heap's limit.
static Status *charge(Executable *exe) {
  size_t bytes;
  if (!size_mul(exe->temp_bytes, exe->n_here, &bytes) ||
      !size_add(bytes, exe->constant_bytes, &bytes))
    return status_no_memory();
  TRY(literal_heap_charge(exe->heap, bytes));
  exe->charged_bytes = bytes;
  return NULL;
}

static Status *start_trace(Executable *exe) {
  exe->trace = trace_new(exe->n_devices, workers_count(exe->workers));
  return exe->trace ? NULL : status_no_memory();
}

void executable_trace(const Executable *exe, StrBuf *out) {
  Json json = {.out = out};
  if (exe->trace) trace_json(exe->trace, exe, &json);
}

static Status *make(Guard *guard, void *arg) {
  Executable *exe = arg;
  arena_guard(&exe->arena, guard);
  program_guard(exe->program, guard);
  exe->heap->guard = guard;
  exe->n_here = exe->n_devices;
  if (exe->options.comm && comm_size(exe->options.comm) > 1) {
    exe->ranks = ranks_new(exe);
    executable_block(exe->n_devices, comm_rank(exe->options.comm), comm_size(exe->options.comm),
                     &exe->first_here, &exe->n_here);
  }
  swap_products(exe->program, exe->function);
  TRY(lower_function(exe));
  exe->frozen = ARENA_ARRAY(&exe->arena, bool, exe->n_args + 1);
  for (uint32_t i = 0; i < exe->n_args; i++)
    exe->frozen[i] = exe->options.frozen && exe->options.frozen[i];
  TRY(place_values(exe));
  TRY(stepper_new(exe->program, exe->function, &exe->options.eval, exe->heap, exe->shared,
                  &exe->report, &exe->stepper));
  ExecuteNeed need;
  executable_need(exe, &need);
  exe->evaluates = need.n_eval > 0;
  TRY(make_constants(exe));
  TRY(fill_by_device(exe, &exe->main));
  TRY(check_memory(exe));
  TRY(charge(exe));
  number_rows(exe, &exe->main);
  for (uint32_t k = 0; k < exe->refs.count; k++) {
    Segment segment = exe->buffers.items[exe->refs.items[k]].segment;
    if (segment == SEGMENT_ARGUMENT || segment == SEGMENT_RESULT)
      VEC_PUSH(&exe->arena, &exe->moving, k);
  }
  TRY(executable_make_record(exe));
  if (exe->options.traced) TRY(start_trace(exe));
  return flight_init(exe);
}

Status *executable_make_record(Executable *exe) {
  exe->arg_data = ARENA_ARRAY(&exe->arena, const void *, (size_t)exe->n_args * exe->n_devices + 1);
  exe->aligned = ARENA_ARRAY(&exe->arena, void *, (size_t)exe->n_args * exe->n_devices + 1);
  exe->out_data = ARENA_ARRAY(&exe->arena, void *, (size_t)exe->n_out * exe->n_devices + 1);
  TRY(devices_new(exe));
  return workers_new(exe->options.workers, exe->n_here, exe->scratch_bytes, &exe->workers);
}

Status *executable_new(Program *program, OpId function, const ExecuteOptions *options,
                       LiteralHeap *heap, Arena *arena, Executable **out) {
  *out = NULL;
  Executable *exe = mem_alloc(sizeof *exe);
  if (!exe) return status_no_memory();
  *exe = (Executable){.program = program,
                      .function = function,
                      .options = *options,
                      .heap = heap,
                      .shared = arena,
                      .report = {.failed_at = POS_NONE},
                      .timed = options->timed};
  uint32_t replicas = options->eval.replicas ? options->eval.replicas : 1,
           partitions = options->eval.partitions ? options->eval.partitions : 1;
  arena_init(&exe->arena, NULL);
  exe->has_lock = pthread_mutex_init(&exe->lock, NULL) == 0;
  Status *status = exe->has_lock ? NULL : status_no_memory();
  if (!status && __builtin_mul_overflow(replicas, partitions, &exe->n_devices))
    status = status_new(INVALID_ARGUMENT, __FILE__, __LINE__,
                        "%u replicas × %u partitions are too many devices", replicas, partitions);
  Guard *heap_guard = heap->guard, *program_before = program_guard(program, NULL);
  if (!status) status = guard_run(make, exe);
  heap->guard = heap_guard;
  program_guard(program, program_before);
  arena_guard(&exe->arena, NULL);
  if (status) {
    executable_free(exe);
    return status;
  }
  *out = exe;
  return NULL;
}

void executable_free_aligned(Executable *exe) {
  for (uint32_t i = 0; exe->aligned && i < exe->n_args * exe->n_devices; i++)
    mem_pages_free(exe->aligned[i], executable_value_bytes(exe, exe->arguments[i % exe->n_args]));
}

void executable_free(Executable *exe) {
  if (!exe) return;
  literal_heap_refund(exe->heap, exe->charged_bytes);
  flight_deinit(exe);
  workers_free(exe->workers);
  trace_free(exe->trace);
  devices_free(exe);
  executable_free_aligned(exe);
  stepper_free(exe->stepper);
  mem_pages_free(exe->constants, exe->constant_bytes);
  if (exe->has_lock) pthread_mutex_destroy(&exe->lock);
  arena_deinit(&exe->arena);
  mem_free(exe);
}

typedef struct RunJob {
  Executable *exe;
  uint32_t n_args, n_out;
  Literal *const *args;
  Literal **out;
} RunJob;

static Status *run_job(Guard *guard, void *arg) {
  RunJob *job = arg;
  Executable *exe = job->exe;
  const Program *p = exe->program;
  exe->heap->guard = guard;
  if ((uint64_t)exe->n_args * exe->n_devices != job->n_args ||
      (uint64_t)exe->n_out * exe->n_devices != job->n_out)
    FAIL(INVALID_ARGUMENT,
         "%u devices take %u arguments and give %u results each; %u and %u are given in all",
         exe->n_devices, exe->n_args, exe->n_out, job->n_args, job->n_out);
  for (uint32_t i = 0; i < job->n_args; i++) {
    if (!executable_is_here(exe, i / exe->n_args)) continue;
    Type type = value_type(p, exe->arguments[i % exe->n_args]);
    if (!literal_matches(p->context, job->args[i], type))
      FAIL(INVALID_ARGUMENT, "argument %u is no %s", i % exe->n_args, type_text(p->context, type));
  }
  OpId end = block_at(p, region_block(p, op_region(p, exe->function, 0)))->last;
  for (uint32_t i = 0; i < job->n_out; i++)
    if (!job->out[i] && executable_is_here(exe, i / exe->n_out))
      job->out[i] =
          literal_new_typed(exe->heap, p->context, op_operand_type(p, end, i % exe->n_out));
  for (uint32_t i = 0; i < job->n_args; i++)
    exe->arg_data[i] = job->args[i] ? job->args[i]->data : NULL;
  for (uint32_t i = 0; i < job->n_out; i++)
    exe->out_data[i] = job->out[i] ? job->out[i]->data : NULL;
  return devices_run(exe, exe->arg_data, exe->out_data);
}

// The argument itself, or an aligned copy, which the executable keeps for the next runs. Those of
// frozen arguments are made once.
static Status *align_arguments(Executable *exe, const void *const *args) {
  for (uint32_t i = 0; i < exe->n_args * exe->n_devices; i++) {
    exe->arg_data[i] = args[i];
    if ((uintptr_t)args[i] % KERNEL_ALIGN == 0) continue;
    size_t bytes = executable_value_bytes(exe, exe->arguments[i % exe->n_args]);
    bool copied = exe->aligned[i] && exe->frozen[i % exe->n_args];
    if (!exe->aligned[i]) exe->aligned[i] = mem_pages_new(bytes);
    if (!exe->aligned[i]) return status_no_memory();
    if (bytes && !copied) memcpy(exe->aligned[i], args[i], bytes);
    exe->arg_data[i] = exe->aligned[i];
  }
  return NULL;
}

Status *executable_run_on(Executable *executable, const void *const *args, void *const *out,
                          EvalReport *out_report) {
  Executable *exe;
  TRY(flight_enter(executable, &exe));
  exe->report = (EvalReport){.failed_at = POS_NONE};
  Status *status = align_arguments(exe, args);
  if (!status) status = devices_run(exe, exe->arg_data, out);
  *out_report = exe->report;
  flight_leave(exe);
  return status;
}

Status *executable_run(Executable *exe, uint32_t n_args, Literal *const *args, uint32_t n_out,
                       Literal **out, EvalReport *out_report) {
  RunJob job = {exe, n_args, n_out, args, out};
  exe->report = (EvalReport){.failed_at = POS_NONE};
  Guard *before = exe->heap->guard;
  exe->progress = guard_progress(before);
  Status *status = guard_run(run_job, &job);
  exe->heap->guard = before;
  *out_report = exe->report;
  return status;
}

void executable_here(const Executable *exe, uint32_t *out_first, uint32_t *out_n) {
  *out_first = exe->first_here;
  *out_n = exe->n_here;
}

static Status *collect_job(Guard *guard, void *arg) {
  RunJob *job = arg;
  Executable *exe = job->exe;
  exe->heap->guard = guard;
  const Program *p = exe->program;
  OpId end = block_at(p, region_block(p, op_region(p, exe->function, 0)))->last;
  if (comm_rank(exe->options.comm) == 0)
    for (uint32_t i = 0; i < job->n_out; i++)
      if (!job->out[i])
        job->out[i] =
            literal_new_typed(exe->heap, p->context, op_operand_type(p, end, i % exe->n_out));
  return ranks_collect(exe->ranks, job->n_out, job->out);
}

Status *executable_collect(Executable *exe, uint32_t n_out, Literal **out) {
  if (!exe->ranks) return NULL;
  RunJob job = {.exe = exe, .n_out = n_out, .out = out};
  Guard *before = exe->heap->guard;
  Status *status = guard_run(collect_job, &job);
  exe->heap->guard = before;
  return status;
}
