// The compiled engine: code from the provider of LLVM behind the interface of engines.
#include "base/provider.h"
#include "tensor/loop.h"

static const LoopJit *jit(void) {
  const LoopJit *found = provider_find(LOOP_JIT_PROVIDER, LOOP_JIT_SYMBOL);
  return found && found->version == LOOP_JIT_VERSION ? found : NULL;
}

typedef struct Compiled {
  LoopCode code;
} Compiled;

static const void *prepare(const Loop *loop, Arena *arena, size_t *out_scratch_bytes) {
  const LoopJit *compiler = jit();
  LoopCode code = compiler ? compiler->compile(loop, out_scratch_bytes) : NULL;
  if (!code) return NULL;
  Compiled *compiled = ARENA_NEW(arena, Compiled);
  compiled->code = code;
  return compiled;
}

static void run(const void *code, const LoopBlock *b) {
  ((const Compiled *)code)
      ->code(b->at, b->rows, b->outer, b->outers, b->inners, b->partial, b->scratch);
}

static const LoopEngine engine = {.version = 1, .name = "compiled", .prepare = prepare, .run = run};

const LoopEngine *loop_compiled(void) { return jit() ? &engine : NULL; }

const char *loop_compiled_name(void) {
  const LoopJit *compiler = jit();
  return compiler ? compiler->name() : NULL;
}
