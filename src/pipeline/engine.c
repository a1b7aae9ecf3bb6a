// Clones the program, inlines its calls, compiles, runs as often as asked. The clone is freed in
// any case.
#include "pipeline/engine.h"

#include <string.h>

#include "base/clock.h"
#include "base/host.h"
#include "ir/clone.h"
#include "pipeline/simulate.h"

bool engine_by_name(const char *name, Engine *out) {
  *out = strcmp(name, "eval") == 0 ? ENGINE_EVAL : ENGINE_COMPILED;
  return strcmp(name, "eval") == 0 || strcmp(name, "compiled") == 0;
}

typedef struct EngineJob {
  Program *program;
  OpId function;
  const EngineRequest *request;
  LiteralHeap *heap;
  Arena *arena;
  uint32_t n_args, n_out, n_runs;
  Literal *const *args;
  Literal **out;
  EngineReport *report;
} EngineJob;

static Status *prepare(const EngineJob *job) {
  return job->request->prepare ? job->request->prepare(job->request->user) : NULL;
}

static Status *evaluate_here(const EngineJob *job) {
  TRY(prepare(job));
  for (uint32_t k = 0; k < job->n_runs; k++) {
    double start = clock_seconds(), cpu = clock_process_seconds();
    for (uint32_t i = 0; k && i < job->n_out; i++) literal_release(job->out[i]);
    TRY(evaluate(job->program, job->function, &job->request->options.eval, job->heap, job->arena,
                 job->n_args, job->args, job->n_out, job->out, &job->report->eval));
    job->report->run_seconds[k] = clock_seconds() - start;
    job->report->cpu_seconds[k] = clock_process_seconds() - cpu;
    job->report->n_runs = k + 1;
  }
  return NULL;
}

// With ranks, rank 0 evaluates for all.
static Status *evaluate_all(const EngineJob *job) {
  Comm *comm = job->request->options.comm;
  if (!comm) return evaluate_here(job);
  return comm_agree(comm, comm_rank(comm) == 0 ? evaluate_here(job) : NULL);
}

// Memory of all devices that is touched first during the runs. Arguments and constants are not.
static uint64_t predict_growth(const EngineJob *job) {
  const EvalOptions *eval = &job->request->options.eval;
  uint64_t n =
      (uint64_t)(eval->replicas ? eval->replicas : 1) * (eval->partitions ? eval->partitions : 1);
  return n * (job->report->need.result_bytes + job->report->need.temporary_bytes);
}

static Status *run_all(const EngineJob *job, Executable *exe) {
  for (uint32_t i = 0; i < job->n_out; i++) job->out[i] = NULL;
  TRY(prepare(job));
  uint64_t before = 0;
  if (job->request->options.timed) {
    host_peak_reset();
    before = host_peak_bytes();
  }
  for (uint32_t k = 0; k < job->n_runs; k++) {
    double start = clock_seconds(), cpu = clock_process_seconds();
    TRY(executable_run(exe, job->n_args, job->args, job->n_out, job->out, &job->report->eval));
    job->report->run_seconds[k] = clock_seconds() - start;
    job->report->cpu_seconds[k] = clock_process_seconds() - cpu;
    job->report->n_runs = k + 1;
  }
  TRY(executable_collect(exe, job->n_out, job->out));
  if (job->request->options.timed) {
    job->report->predicted_bytes = predict_growth(job);
    job->report->grown_bytes = host_peak_bytes() - before;
  }
  executable_stats(exe, job->arena, &job->report->n_rows, &job->report->rows);
  if (job->request->trace) executable_trace(exe, job->request->trace);
  return NULL;
}

// *out_done = false: the program cannot be compiled.
static Status *run_compiled(const EngineJob *job, Program *flat, bool *out_done) {
  *out_done = true;
  EngineReport *report = job->report;
  double start = clock_seconds();
  inline_all_calls(flat, job->arena);
  Executable *exe;
  Status *status =
      executable_new(flat, job->function, &job->request->options, job->heap, job->arena, &exe);
  if (job->request->options.comm) status = comm_agree(job->request->options.comm, status);
  report->compile_seconds = clock_seconds() - start;
  if (status && status_code(status) == UNIMPLEMENTED) {
    report->uncompiled = arena_printf(job->arena, "%s", status_message(status));
    status_free(status);
    executable_free(exe);
    *out_done = false;
    return NULL;
  }
  if (status) {
    executable_free(exe);
    return status;
  }
  report->compiled = true;
  executable_need(exe, &report->need);
  status = run_all(job, exe);
  executable_free(exe);
  return status;
}

Status *engine_run(Program *program, OpId function, const EngineRequest *request, Guard *guard,
                   LiteralHeap *heap, Arena *arena, uint32_t n_args, Literal *const *args,
                   uint32_t n_out, Literal **out, EngineReport *out_report) {
  *out_report = (EngineReport){.eval = {.failed_at = POS_NONE}};
  uint32_t n_runs = request->repeat ? request->repeat : 1;
  out_report->run_seconds = ARENA_ARRAY(arena, double, n_runs);
  out_report->cpu_seconds = ARENA_ARRAY(arena, double, n_runs);
  EngineJob job = {program, function, request, heap, arena,     n_args,
                   n_out,   n_runs,   args,    out,  out_report};
  const EvalOptions *eval = &request->options.eval;
  if (request->engine == ENGINE_EVAL || eval->reassociation) return evaluate_all(&job);
  if (eval->most_steps) {
    out_report->uncompiled = "only the evaluator counts steps (--max-steps)";
    return evaluate_all(&job);
  }
  Program *flat = program_clone(program, program->context, guard);
  GuardCleanup cleanup = {.release = program_release, .object = flat};
  guard_push(guard, &cleanup);
  bool done;
  Status *status = run_compiled(&job, flat, &done);
  guard_pop(guard, &cleanup);
  program_free(flat);
  TRY(status);
  return done ? NULL : evaluate_all(&job);
}
