// libFuzzer target of factor rules as text: any bytes are read without a crash; a rule that fits
// the shapes gives a sound map, which survives Shardy's form.
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sharding/factor_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { TENSORS = 3, MOST_DIMS = 4 };  // two operands, one result

typedef struct Run {
  Context *context;
  Arena arena;
  const uint8_t *data;
  size_t size;
} Run;

static void run_close(void *object) {
  Run *run = object;
  arena_deinit(&run->arena);
  context_free(run->context);
}

static void fail(const char *what, const char *why) {
  fprintf(stderr, "%s: %s\n", what, why);
  abort();
}

// The first bytes are the shapes: a rank per tensor, then sizes; 255 is dynamic.
static size_t shapes(const Run *run, uint32_t *ranks, int64_t *dims) {
  size_t at = 0;
  for (uint32_t t = 0; t < TENSORS; t++)
    ranks[t] = at < run->size ? run->data[at++] % (MOST_DIMS + 1) : 0;
  for (uint32_t t = 0, n = 0; t < TENSORS; t++)
    for (uint32_t d = 0; d < ranks[t]; d++, n++) {
      uint8_t byte = at < run->size ? run->data[at++] : 4;
      dims[n] = byte == 255 ? DIM_DYNAMIC : byte;
    }
  return at;
}

static Status *body(Guard *guard, void *arg) {
  Run *run = arg;
  run->context = context_new(guard);
  arena_init(&run->arena, guard);
  GuardCleanup cleanup = {run_close, run, NULL};
  guard_push(guard, &cleanup);
  uint32_t ranks[TENSORS];
  int64_t dims[TENSORS * MOST_DIMS];
  size_t at = shapes(run, ranks, dims);
  FactorRule rule;
  FactorBuilder b;
  char error[FACTOR_ERROR_BYTES] = "";
  factor_builder_init(&b, &run->arena, TENSORS - 1, 1, ranks);
  Str text = {(const char *)run->data + at, run->size - at};
  if (!factor_rule_parse(text, &run->arena, &rule, error)) {
    if (!*error) fail("refused", "without a word");
  } else if (!factor_rule_apply(&rule, &b, dims, error)) {
    if (!*error) fail("does not fit", "without a word");
  } else {
    FactorMap map, again;
    const char *why = NULL;
    factor_build(&b, &map);
    if ((why = factor_map_check(&map, dims))) fail("an unsound map", why);
    Attr attr = factor_map_to_attr(&map, run->context);
    if (!factor_map_from_attr(&again, run->context, &run->arena, attr, TENSORS - 1, 1, ranks, &why))
      fail("does not read back", why);
    if (factor_map_to_attr(&again, run->context) != attr) fail("reads back", "as another");
  }
  guard_pop(guard, &cleanup);
  run_close(run);
  return NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  Run run = {.data = data, .size = size};
  status_free(guard_run(body, &run));
  return 0;
}
