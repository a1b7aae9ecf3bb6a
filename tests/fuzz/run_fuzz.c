// libFuzzer target of the evaluator: what reads and verifies is run with few steps and little
// memory. It gives values or an error with a message; never a crash, a hang, or INTERNAL.
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "evaluate/evaluate.h"
#include "ops/infer.h"
#include "parse/parse.h"

enum { MOST_BYTES = 16 << 20, MOST_STEPS = 20000, MOST_ARGS = 16 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct Job {
  Source source;
  size_t begin, end;
  Context *context;
  Program *program;
  Diag diag;
  LiteralHeap heap;
  Arena arena;
} Job;

// Zeros of the argument's type, dynamic dimensions of size 2; NULL if that is no array.
static Literal *zeros(Job *job, Type type) {
  const TypeInfo *info = type_info(job->context, type);
  if (info->kind == TYPE_TOKEN) return literal_token(&job->heap);
  if (info->kind != TYPE_TENSOR || info->rank > MAX_RANK) return NULL;
  int64_t dims[MAX_RANK];
  for (uint32_t d = 0; d < info->rank; d++)
    dims[d] = info->dims[d] == DIM_DYNAMIC ? 2 : info->dims[d];
  return literal_new(&job->heap, job->context, info->elem, info->rank, dims);
}

static Status *run(Job *job) {
  OpId function;
  TRY(evaluate_entry(job->program, NULL, &function));
  uint32_t n = evaluate_n_arguments(job->program, function),
           n_out = evaluate_n_results(job->program, function);
  Literal *args[MOST_ARGS], **out = ARENA_ARRAY(&job->arena, Literal *, n_out + 1);
  if (n > MOST_ARGS) return NULL;
  for (uint32_t i = 0; i < n; i++)
    if (!(args[i] = zeros(job, evaluate_argument_type(job->program, function, i)))) return NULL;
  EvalOptions options = {.most_steps = MOST_STEPS};
  EvalReport report;
  return evaluate(job->program, function, &options, &job->heap, &job->arena, n, args, n_out, out,
                  &report);
}

static Status *take_segment(Guard *guard, void *arg) {
  Job *job = arg;
  arena_init(&job->arena, guard);
  diag_init(&job->diag, guard, &job->source);
  literal_heap_init(&job->heap, guard, MOST_BYTES);
  job->context = context_new(guard);
  ParseOptions options = {.allow_unregistered = true, .max_depth = 64};
  TRY(program_parse(job->context, guard, &job->source, job->begin, job->end, &options, &job->diag,
                    &job->program));
  return program_verify(job->program, &job->diag) ? run(job) : NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  Job job = {.source = {.path = "<fuzz>", .text = (const char *)data, .size = size}};
  while (source_next_segment(&job.source, &job.begin, &job.end)) {
    Status *status = guard_run(take_segment, &job);
    if (status && (status_code(status) == INTERNAL || !*status_message(status))) {
      fprintf(stderr, "internal: %s\n", status_message(status));
      abort();
    }
    status_free(status);
    literal_heap_deinit(&job.heap);
    program_free(job.program);
    context_free(job.context);
    diag_deinit(&job.diag);
    arena_deinit(&job.arena);
    job.program = NULL;
    job.context = NULL;
  }
  return 0;
}
