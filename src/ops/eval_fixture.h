// For unit tests: runs one op on literals, without a program around it.
#ifndef TESSERA_OPS_EVAL_FIXTURE_H
#define TESSERA_OPS_EVAL_FIXTURE_H

#include "ops/eval.h"

typedef struct EvalFixture {
  EvalContext cx;
  Context *context;
  LiteralHeap heap;
  Arena scratch;
  uint64_t state;  // of the random source
} EvalFixture;

// Runs body(fixture) under a guard and gives its status.
static inline Status *eval_fixture_body(Guard *guard, void *arg) {
  void (*body)(EvalFixture *) = *(void (**)(EvalFixture *))arg;
  EvalFixture f = {.state = 1};
  f.context = context_new(guard);
  literal_heap_init(&f.heap, guard, 0);
  arena_init(&f.scratch, guard);
  f.cx = (EvalContext){.context = f.context, .heap = &f.heap, .scratch = &f.scratch};
  body(&f);
  arena_deinit(&f.scratch);
  literal_heap_deinit(&f.heap);
  context_free(f.context);
  return NULL;
}

static inline uint64_t fixture_random(EvalFixture *f) {
  f->state = f->state * 6364136223846793005u + 1442695040888963407u;
  return f->state >> 33;
}
static inline int64_t fixture_int(EvalFixture *f, int64_t low, int64_t high) {
  return low + (int64_t)(fixture_random(f) % (uint64_t)(high - low + 1));
}
// A literal of small random numbers.
static inline Literal *fixture_literal(EvalFixture *f, DType type, uint32_t rank,
                                       const int64_t *dims) {
  Literal *l = literal_new(&f->heap, f->context, type_scalar(type), rank, dims);
  for (int64_t i = 0; i < l->count; i++) {
    double re = (double)fixture_int(f, -1000, 1000) / 64,
           im = (double)fixture_int(f, -1000, 1000) / 64;
    bool real = dtype_is_float(type) || dtype_is_complex(type);
    literal_set(l, i, real ? scalar_c(re, im) : scalar_i(fixture_int(f, -1000, 1000)));
  }
  return l;
}
// The op's single result. The definition is named, not looked up: a test links only what it uses.
static inline Literal *fixture_eval(EvalFixture *f, const OpDef *def, Attr attrs, uint32_t n,
                                    Literal *const *in, Type result) {
  Literal *out = NULL;
  EvalContext cx = f->cx;
  cx.attrs = attrs;
  cx.n_in = n;
  cx.n_out = 1;
  cx.result_types = &result;
  cx.stand_in = true;
  Status *status = def->eval(&cx, in, &out);
  if (status) guard_throw(f->heap.guard, status);
  return out;
}

#endif
