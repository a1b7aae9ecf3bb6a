// For tests of the compiled engine: a program from text, compiled, with random arguments.
#ifndef TESSERA_EXECUTE_EXECUTE_FIXTURE_H
#define TESSERA_EXECUTE_EXECUTE_FIXTURE_H

#include <string.h>

#include "execute/execute.h"
#include "ops/infer.h"
#include "parse/parse.h"

enum { EXECUTE_FIXTURE_MOST = 64 };

typedef struct ExecuteFixture {
  const char *text;
  ExecuteOptions options;
  uint64_t seed;
  // Filled by execute_fixture_open:
  Source source;
  Diag diag;
  Context *context;
  Program *program;
  OpId function;
  LiteralHeap heap;
  Arena arena;
  Executable *exe;
  uint32_t n_devices, n_args, n_out;  // n_args, n_out: of all devices
  Literal *args[EXECUTE_FIXTURE_MOST], *out[EXECUTE_FIXTURE_MOST];
} ExecuteFixture;

static inline Status *execute_fixture_parse(Guard *guard, void *arg) {
  ExecuteFixture *f = arg;
  f->source = (Source){.path = "test.mlir", .text = f->text, .size = strlen(f->text)};
  diag_init(&f->diag, guard, &f->source);
  literal_heap_init(&f->heap, guard, 0);
  arena_init(&f->arena, guard);
  f->context = context_new(guard);
  TRY(program_parse(f->context, guard, &f->source, 0, f->source.size, &(ParseOptions){0}, &f->diag,
                    &f->program));
  if (!program_verify(f->program, &f->diag)) return diag_status(&f->diag);
  return evaluate_entry(f->program, NULL, &f->function);
}

static inline uint64_t execute_fixture_random(uint64_t *state) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return *state ^ *state >> 29;
}

static inline Status *execute_fixture_arguments(Guard *guard, void *arg) {
  ExecuteFixture *f = arg;
  const Program *p = f->program;
  f->heap.guard = guard;
  BlockId block = region_block(p, op_region(p, f->function, 0));
  uint32_t n_args = block_at(p, block)->n_args;
  const EvalOptions *o = &f->options.eval;
  f->n_devices = (o->replicas ? o->replicas : 1) * (o->partitions ? o->partitions : 1);
  f->n_args = n_args * f->n_devices;
  f->n_out = op_at(p, block_at(p, block)->last)->n_operands * f->n_devices;
  if (f->n_args > EXECUTE_FIXTURE_MOST || f->n_out > EXECUTE_FIXTURE_MOST)
    FAIL(INVALID_ARGUMENT, "the fixture has no room for %u arguments", f->n_args);
  for (uint32_t i = 0; i < f->n_args; i++) {
    Literal *l =
        literal_new_typed(&f->heap, p->context, value_type(p, block_arg(p, block, i % n_args)));
    for (int64_t k = 0; k < l->count; k++) {
      uint64_t r = execute_fixture_random(&f->seed);
      double x = (double)(int64_t)(r >> 11) / (double)(1ll << 51) - 2.0;
      bool real = dtype_is_float(l->dtype) || dtype_is_complex(l->dtype);
      literal_set(l, k, real ? scalar_c(x, -x / 2) : scalar_i((int64_t)(r % 13) - 6));
    }
    f->args[i] = l;
  }
  return NULL;
}

// Parses, verifies, makes the arguments of all devices; does not compile.
static inline Status *execute_fixture_read(ExecuteFixture *f) {
  TRY(guard_run(execute_fixture_parse, f));
  TRY(guard_run(execute_fixture_arguments, f));
  f->heap.guard = NULL;
  return NULL;
}

static inline Status *execute_fixture_compile(Guard *guard, void *arg) {
  ExecuteFixture *f = arg;
  arena_guard(&f->arena, guard);
  f->heap.guard = guard;
  Status *status =
      executable_new(f->program, f->function, &f->options, &f->heap, &f->arena, &f->exe);
  arena_guard(&f->arena, NULL);
  return status;
}

static inline Status *execute_fixture_open(ExecuteFixture *f) {
  TRY(execute_fixture_read(f));
  return guard_run(execute_fixture_compile, f);
}

static inline Status *execute_fixture_guarded(Guard *guard, void *arg) {
  ExecuteFixture *f = arg;
  EvalReport report;
  f->heap.guard = guard;
  return executable_run(f->exe, f->n_args, f->args, f->n_out, f->out, &report);
}

static inline Status *execute_fixture_run(ExecuteFixture *f) {
  return guard_run(execute_fixture_guarded, f);
}

static inline void execute_fixture_close(ExecuteFixture *f) {
  executable_free(f->exe);
  literal_heap_deinit(&f->heap);
  arena_deinit(&f->arena);
  program_free(f->program);
  context_free(f->context);
  diag_deinit(&f->diag);
}

#endif
