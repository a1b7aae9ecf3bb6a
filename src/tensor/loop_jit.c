// The compiled engine: code from the provider of LLVM behind the interface of engines.
//
// TSan does not see what that code does (LLVM's tsan pass skips accesses of 64 bytes). In its build
// every block announces the elements that it loads and stores, so that two tiles that write one
// element are found. ASan's checks are in the code itself (providers/llvm.c).
#include "base/provider.h"
#include "base/sanitize.h"
#include "tensor/loop.h"

static const LoopJit *jit(void) {
  const LoopJit *found = provider_find(LOOP_JIT_PROVIDER, LOOP_JIT_SYMBOL);
  return found && found->version == LOOP_JIT_VERSION ? found : NULL;
}

typedef struct Compiled {
  LoopCode code;
  Loop loop;  // for announcements
} Compiled;

// ---- announcements ----

static void announce(char *at, size_t bytes, bool store) {
  if (store)
    sanitize_write(at, bytes);
  else
    sanitize_read(at, bytes);
}

// n elements of an access, `stride` bytes apart.
static void announce_elements(char *at, int64_t n, int64_t stride, size_t bytes, bool store) {
  if (stride == (int64_t)bytes || stride == 0) {
    announce(at, stride ? (size_t)n * bytes : bytes, store);
    return;
  }
  for (int64_t i = 0; i < n; i++) announce(at + i * stride, bytes, store);
}

static void announce_step(const Loop *l, const LoopStep *s, const LoopBlock *b) {
  const LoopAccess *a = &l->accesses[s->access];
  int64_t bytes = dtype_bytes((DType)a->dtype), rows = l->n_grid ? a->grid[l->n_grid - 1] : 0;
  bool store = s->op == SCALAR_store;
  for (int64_t row = 0; row < b->rows; row++) {
    char *at = b->at[s->access] + row * rows * bytes;
    if (s->level != LOOP_ELEMENT) announce(at, (size_t)bytes, store);
    for (int64_t o = b->outer; o < b->outer + b->outers && s->level == LOOP_ELEMENT; o++)
      announce_elements(at + loop_outer(l, a, o) * bytes, b->inners, a->inner * bytes,
                        (size_t)bytes, store);
  }
}

static void announce_block(const Loop *l, const LoopBlock *b) {
  for (uint32_t i = 0; i < l->n_steps; i++)
    if (l->steps[i].op == SCALAR_load || l->steps[i].op == SCALAR_store)
      announce_step(l, &l->steps[i], b);
}

// ---- the engine ----

static const void *prepare(const Loop *loop, Arena *arena, size_t *out_scratch_bytes) {
  const LoopJit *compiler = jit();
  LoopCode code = compiler ? compiler->compile(loop, out_scratch_bytes) : NULL;
  if (!code) return NULL;
  Compiled *compiled = ARENA_NEW(arena, Compiled);
  *compiled = (Compiled){.code = code, .loop = *loop};
  return compiled;
}

static void run(const void *code, const LoopBlock *b) {
  const Compiled *compiled = code;
  if (SANITIZE_THREAD) announce_block(&compiled->loop, b);
  compiled->code(b->at, b->rows, b->outer, b->outers, b->inners, b->partial, b->scratch);
}

static const LoopEngine engine = {.version = 1, .name = "compiled", .prepare = prepare, .run = run};

const LoopEngine *loop_compiled(void) { return jit() ? &engine : NULL; }

const char *loop_compiled_name(void) {
  const LoopJit *compiler = jit();
  return compiler ? compiler->name() : NULL;
}
