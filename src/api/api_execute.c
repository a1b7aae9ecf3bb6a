// Compiling and running: an executable owns a clone of the program with its context, so that the
// caller may free or change the program.
#include <stdatomic.h>
#include <string.h>

#include "api/api_private.h"
#include "base/json.h"
#include "base/mem.h"
#include "execute/execute.h"
#include "ir/clone.h"
#include "pipeline/partitioned.h"
#include "pipeline/simulate.h"

enum { MOST_DEVICES = 100000, ALIGN = 64 };

// The addresses of a run.
typedef struct Call Call;
struct Call {
  Call *next;
  atomic_bool busy;
  const void **in;
  void **out;
  void **staged;  // per output: aligned memory, for outputs that are not aligned; NULL: none yet
};

struct tsr_executable {
  Context *context;
  Program *program;
  LiteralHeap heap;
  Arena arena;
  Executable *executable;
  uint32_t n_inputs, n_outputs;  // of all devices
  uint32_t n_args, n_results;    // of one
  Type *types;                   // of arguments, then of results
  const char **texts;            // of the types
  size_t *bytes;
  Call first;          // of a run that is alone
  Call *_Atomic more;  // of runs at the same time, which are kept for later ones
};

static bool call_init(const tsr_executable *x, Call *call) {
  size_t n_in = (size_t)x->n_inputs + 1, n_out = (size_t)x->n_outputs + 1;
  *call = (Call){.in = mem_alloc(n_in * sizeof *call->in),
                 .out = mem_alloc(n_out * sizeof *call->out),
                 .staged = mem_alloc(n_out * sizeof *call->staged)};
  atomic_init(&call->busy, false);
  for (size_t i = 0; call->staged && i < n_out; i++) call->staged[i] = NULL;
  return call->in && call->out && call->staged;
}

static void call_deinit(const tsr_executable *x, Call *call) {
  for (uint32_t i = 0; call->staged && i < x->n_outputs; i++)
    if (call->staged[i]) mem_pages_free(call->staged[i], x->bytes[x->n_args + i % x->n_results]);
  mem_free(call->in);
  mem_free(call->out);
  mem_free(call->staged);
}

// A record that no other run uses; NULL: no memory. Records are added, never removed.
static Call *call_enter(tsr_executable *x) {
  if (!atomic_exchange(&x->first.busy, true)) return &x->first;
  for (Call *call = atomic_load(&x->more); call; call = call->next)
    if (!atomic_exchange(&call->busy, true)) return call;
  Call *call = mem_alloc(sizeof *call);
  if (!call) return NULL;
  if (!call_init(x, call)) {
    call_deinit(x, call);
    mem_free(call);
    return NULL;
  }
  atomic_store(&call->busy, true);
  Call *before = atomic_load(&x->more);
  do call->next = before;
  while (!atomic_compare_exchange_weak(&x->more, &before, call));
  return call;
}

typedef struct Compile {
  tsr_program *handle;
  const char *function;
  tsr_compile_options options;
  tsr_executable *made;
} Compile;

static void list_types(tsr_executable *x, OpId function) {
  const Program *p = x->program;
  x->types = ARENA_ARRAY(&x->arena, Type, x->n_args + x->n_results + 1);
  x->bytes = ARENA_ARRAY(&x->arena, size_t, x->n_args + x->n_results + 1);
  for (uint32_t i = 0; i < x->n_args; i++) x->types[i] = evaluate_argument_type(p, function, i);
  for (uint32_t i = 0; i < x->n_results; i++)
    x->types[x->n_args + i] = evaluate_result_type(p, function, i);
  for (uint32_t i = 0; i < x->n_args + x->n_results; i++)
    x->bytes[i] = evaluate_type_bytes(x->context, x->types[i]);
  x->texts = ARENA_ARRAY(&x->arena, const char *, x->n_args + x->n_results + 1);
  for (uint32_t i = 0; i < x->n_args + x->n_results; i++)  // runs do not change the context
    x->texts[i] = arena_printf(&x->arena, "%s", type_text(x->context, x->types[i]));
}

// A partitioned program runs on its own devices unless the caller says otherwise.
static tsr_error *choose_devices(Compile *job) {
  size_t devices = 0;
  tsr_error *error = job->options.partitions ? NULL : tsr_program_devices(job->handle, &devices);
  if (!job->options.partitions) job->options.partitions = devices ? devices : 1;
  return error;
}

static Status *compile_body(Guard *guard, void *arg) {
  Compile *job = arg;
  tsr_executable *x = job->made;
  const Program *p = job->handle->program;
  arena_guard(&x->arena, guard);
  x->heap.guard = guard;
  OpId function;
  TRY(evaluate_entry(p, job->function, &function));
  uint64_t n = job->options.partitions;
  x->n_args = evaluate_n_arguments(p, function);
  x->n_results = evaluate_n_results(p, function);
  if (n > MOST_DEVICES || n * x->n_args > UINT32_MAX || n * x->n_results > UINT32_MAX)
    FAIL(INVALID_ARGUMENT, "%zu partitions are too many", job->options.partitions);
  if (job->options.scatter != TSR_SCATTER_SPEC && job->options.scatter != TSR_SCATTER_XLA)
    FAIL(INVALID_ARGUMENT,
         "tsr_compile_options.scatter is %d, expected TSR_SCATTER_SPEC or TSR_SCATTER_XLA",
         (int)job->options.scatter);
  x->n_inputs = (uint32_t)n * x->n_args;
  x->n_outputs = (uint32_t)n * x->n_results;
  x->context = context_copy(p->context, guard);
  x->program = program_clone(p, x->context, guard);
  x->program->source = NULL;  // the caller may free it
  list_types(x, function);
  if (!call_init(x, &x->first)) return status_no_memory();
  bool by_replica = partitioned_by_replica(x->program, (uint32_t)n);
  inline_all_calls(x->program, &x->arena);
  ExecuteOptions options = {
      .eval = {.seed = job->options.seed,
               .replicas = by_replica ? (uint32_t)n : 1,
               .partitions = by_replica ? 1 : (uint32_t)n,
               .scatter = job->options.scatter == TSR_SCATTER_XLA ? SCATTER_XLA : SCATTER_SPEC,
               .cancel = job->options.cancel},
      .workers = (uint32_t)job->options.workers,
      .device_memory = job->options.device_memory};
  return executable_new(x->program, function, &options, &x->heap, &x->arena, &x->executable);
}

tsr_error *tsr_program_compile(tsr_program *program, const char *function,
                               const tsr_compile_options *options,
                               tsr_executable **out_executable) {
  API_NEED(program, "program");
  API_NEED(out_executable, "out_executable");
  Compile job = {.handle = program, .function = function};
  API_READ(&job.options, options, "tsr_compile_options");
  tsr_error *error = choose_devices(&job);
  if (error) return error;
  job.made = mem_alloc(sizeof *job.made);
  if (!job.made) return api_error(status_no_memory());
  *job.made = (tsr_executable){0};
  literal_heap_init(&job.made->heap, NULL, 0);
  arena_init(&job.made->arena, NULL);
  Status *status = guard_run(compile_body, &job);
  arena_guard(&job.made->arena, NULL);
  job.made->heap.guard = NULL;
  if (status)
    tsr_executable_free(job.made);
  else
    *out_executable = job.made;
  return api_error(status);
}

void tsr_executable_free(tsr_executable *x) {
  if (!x) return;
  executable_free(x->executable);
  call_deinit(x, &x->first);
  for (Call *call = atomic_load(&x->more), *next; call; call = next) {
    next = call->next;
    call_deinit(x, call);
    mem_free(call);
  }
  literal_heap_deinit(&x->heap);
  program_free(x->program);
  context_free(x->context);
  arena_deinit(&x->arena);
  mem_free(x);
}

// ---- running ----

static bool fits(const tsr_executable *x, const tsr_buffer *b, Type type) {
  const TypeInfo *t = type_info(x->context, type);
  if (b->rank != t->rank || api_dtype_in(b->dtype) != type_dtype(x->context, type)) return false;
  if (t->rank && !b->dims) return false;
  for (uint32_t d = 0; d < t->rank; d++)
    if (b->dims[d] != t->dims[d]) return false;
  return true;
}

static Status *take_inputs(const tsr_executable *x, Call *call, const tsr_buffer *inputs) {
  for (uint32_t i = 0; i < x->n_inputs; i++) {
    tsr_buffer b;
    TRY(api_read_struct(&b, sizeof b, (const char *)inputs + i * inputs->struct_size,
                        "tsr_buffer"));
    Type type = x->types[i % x->n_args];
    if (!fits(x, &b, type))
      FAIL(INVALID_ARGUMENT, "input %u does not fit the argument's type %s", i,
           x->texts[i % x->n_args]);
    if (!b.data && x->bytes[i % x->n_args]) FAIL(INVALID_ARGUMENT, "inputs[%u].data is NULL", i);
    call->in[i] = b.data;
  }
  return NULL;
}

// Results go to the caller's memory if it is aligned, else to memory of ours.
static Status *take_outputs(const tsr_executable *x, Call *call, const tsr_buffer *outputs) {
  for (uint32_t i = 0; i < x->n_outputs; i++) {
    tsr_buffer b;
    TRY(api_read_struct(&b, sizeof b, (const char *)outputs + i * outputs->struct_size,
                        "tsr_buffer"));
    uint32_t k = x->n_args + i % x->n_results;
    if (b.data && !fits(x, &b, x->types[k]))
      FAIL(INVALID_ARGUMENT, "output %u does not fit the result's type %s", i, x->texts[k]);
    call->out[i] = b.data;
    if (b.data && (uintptr_t)b.data % ALIGN == 0) continue;
    if (!call->staged[i]) call->staged[i] = mem_pages_new(x->bytes[k]);
    if (!call->staged[i]) return status_no_memory();
    call->out[i] = call->staged[i];
  }
  return NULL;
}

// Copies staged results; allocates buffers for outputs without memory.
static Status *give_outputs(const tsr_executable *x, const Call *call, tsr_buffer *outputs) {
  for (uint32_t i = 0; i < x->n_outputs; i++) {
    tsr_buffer b, *to = (tsr_buffer *)((char *)outputs + i * outputs->struct_size);
    if (call->out[i] != call->staged[i]) continue;
    TRY(api_read_struct(&b, sizeof b, to, "tsr_buffer"));
    uint32_t k = x->n_args + i % x->n_results;
    const TypeInfo *type = type_info(x->context, x->types[k]);
    if (b.data) {
      if (x->bytes[k]) memcpy(b.data, call->out[i], x->bytes[k]);
      continue;
    }
    int64_t *dims = mem_alloc(type->rank * sizeof *dims);
    b = (tsr_buffer){.dtype = api_dtype(type_dtype(x->context, x->types[k])),
                     .rank = type->rank,
                     .dims = dims,
                     .data = mem_alloc(x->bytes[k])};
    if (!dims || !b.data) {
      mem_free(dims);
      mem_free(b.data);
      return status_no_memory();
    }
    if (type->rank) memcpy(dims, type->dims, type->rank * sizeof *dims);
    if (x->bytes[k]) memcpy(b.data, call->out[i], x->bytes[k]);
    api_write_struct(to, &b, sizeof b);
  }
  return NULL;
}

static Status *run_call(tsr_executable *x, Call *call, const tsr_buffer *inputs,
                        tsr_buffer *outputs) {
  TRY(take_inputs(x, call, inputs));
  TRY(take_outputs(x, call, outputs));
  EvalReport report;
  TRY(executable_run_on(x->executable, call->in, call->out, &report));
  if (report.failed_checks)
    FAIL(FAILED_PRECONDITION, "%s",
         report.n_messages ? report.messages[0] : "a check in the program failed");
  return give_outputs(x, call, outputs);
}

static Status *run(tsr_executable *x, size_t n_inputs, const tsr_buffer *inputs, size_t n_outputs,
                   tsr_buffer *outputs) {
  if (n_inputs != x->n_inputs || n_outputs != x->n_outputs)
    FAIL(INVALID_ARGUMENT, "the program takes %u inputs and gives %u outputs, not %zu and %zu",
         x->n_inputs, x->n_outputs, n_inputs, n_outputs);
  if ((n_inputs && inputs->struct_size < sizeof *inputs) ||
      (n_outputs && outputs->struct_size < sizeof *outputs))
    FAIL(INVALID_ARGUMENT, "struct_size of a tsr_buffer is less than sizeof(tsr_buffer)");
  Call *call = call_enter(x);
  if (!call) return status_no_memory();
  Status *status = run_call(x, call, inputs, outputs);
  atomic_store(&call->busy, false);
  return status;
}

tsr_error *tsr_executable_run(tsr_executable *executable, size_t n_inputs, const tsr_buffer *inputs,
                              size_t n_outputs, tsr_buffer *outputs) {
  API_NEED(executable, "executable");
  if (n_inputs) API_NEED(inputs, "inputs");
  if (n_outputs) API_NEED(outputs, "outputs");
  return api_error(run(executable, n_inputs, inputs, n_outputs, outputs));
}

// ---- statistics ----

typedef struct Stats {
  const tsr_executable *executable;
  Arena arena;
  StrBuf out;
} Stats;

static void key_uint(Json *json, const char *key, uint64_t value) {
  json_key(json, key);
  json_uint(json, value);
}

static Status *stats_body(Guard *guard, void *arg) {
  Stats *stats = arg;
  arena_guard(&stats->arena, guard);
  stats->out.guard = guard;
  ExecuteNeed need;
  executable_need(stats->executable->executable, &need);
  uint32_t n;
  ExecuteRow *rows;
  executable_stats(stats->executable->executable, &stats->arena, &n, &rows);
  Json json = {.out = &stats->out};
  json_open(&json, '{');
  key_uint(&json, "argument_bytes", need.argument_bytes);
  key_uint(&json, "result_bytes", need.result_bytes);
  key_uint(&json, "constant_bytes", need.constant_bytes);
  key_uint(&json, "temporary_bytes", need.temporary_bytes);
  key_uint(&json, "instructions", need.n_instructions);
  json_key(&json, "kinds");
  json_open(&json, '[');
  for (uint32_t i = 0; i < n; i++) {
    json_open(&json, '{');
    json_key(&json, "name");
    json_string(&json, rows[i].name);
    key_uint(&json, "instructions", rows[i].n_instructions);
    json_key(&json, "eval");
    json_bool(&json, rows[i].eval);
    json_close(&json, '}');
  }
  json_close(&json, ']');
  json_close(&json, '}');
  return NULL;
}

tsr_error *tsr_executable_stats(const tsr_executable *executable, char **out_json) {
  API_NEED(executable, "executable");
  API_NEED(out_json, "out_json");
  Stats stats = {.executable = executable};
  arena_init(&stats.arena, NULL);
  Status *status = guard_run(stats_body, &stats);
  arena_deinit(&stats.arena);
  if (status)
    strbuf_deinit(&stats.out);
  else
    *out_json = stats.out.data;
  return api_error(status);
}
