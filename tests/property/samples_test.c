// Every op that can make random instances of itself: an instance verifies, prints and reads back as
// the same program in both forms, evaluates, and evaluates to the same bits again after the round
// trip. A row is enrolled by its `sample`.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "evaluate/evaluate.h"
#include "evaluate/show.h"
#include "ops/infer.h"
#include "parse/parse.h"
#include "parse/print.h"

#include "../support/sample_program.h"

enum { INSTANCES = 25 };

typedef struct Instance {
  uint16_t code;
  uint64_t seed;
  Context *contexts[3];
  Program *programs[3];  // as made, read from pretty, read from generic text
  Diag diags[3];
  Source sources[3];
  LiteralHeap heap;
  Arena arena;
  StrBuf texts[3];   // [1], [2]: what was printed
  StrBuf values[3];  // what each evaluates to
} Instance;

static Status *verify(Instance *x, int which) {
  if (program_verify(x->programs[which], &x->diags[which])) return NULL;
  return diag_status(&x->diags[which]);
}

static Status *run(Instance *x, int which) {
  Program *p = x->programs[which];
  OpId function;
  TRY(evaluate_entry(p, "main", &function));
  uint32_t n = evaluate_n_results(p, function);
  Literal **out = ARENA_ARRAY(&x->arena, Literal *, n + 1);
  EvalOptions options = {.seed = 7};
  EvalReport report;
  TRY(evaluate(p, function, &options, &x->heap, &x->arena, 0, NULL, n, out, &report));
  for (uint32_t i = 0; i < n; i++) {
    literal_show(p->context, out[i], &(ShowOptions){0}, &x->values[which]);
    literal_release(out[i]);
  }
  return NULL;
}

static Status *check_instance(Guard *guard, void *arg) {
  Instance *x = arg;
  arena_init(&x->arena, guard);
  literal_heap_init(&x->heap, guard, 1 << 28);
  for (int i = 0; i < 3; i++) {
    strbuf_init(&x->texts[i], guard);
    strbuf_init(&x->values[i], guard);
    diag_init(&x->diags[i], guard, &x->sources[i]);
  }
  x->contexts[0] = context_new(guard);
  sample_program(x->contexts[0], guard, &x->arena, x->code, x->seed, &x->programs[0]);
  const char *why = program_check(x->programs[0]);
  if (why) FAIL(INTERNAL, "tables disagree: %s", why);
  TRY(verify(x, 0));
  TRY(run(x, 0));
  for (int i = 1; i < 3; i++) {
    program_print(x->programs[0], &(PrintOptions){.generic = i == 2}, &x->texts[i]);
    x->sources[i] = (Source){.path = i == 1 ? "<pretty>" : "<generic>",
                             .text = x->texts[i].data,
                             .size = x->texts[i].used};
    x->contexts[i] = context_new(guard);
    TRY(program_parse(x->contexts[i], guard, &x->sources[i], 0, x->sources[i].size,
                      &(ParseOptions){0}, &x->diags[i], &x->programs[i]));
    TRY(verify(x, i));
    if (program_hash(x->programs[i]) != program_hash(x->programs[0]))
      FAIL(INTERNAL, "%s text reads as another program", i == 1 ? "pretty" : "generic");
    TRY(run(x, i));
    if (strcmp(x->values[i].data, x->values[0].data) != 0)
      FAIL(INTERNAL, "values differ after a round trip");
  }
  return NULL;
}

// Prints what failed, with the program, and frees all.
static bool try_instance(uint16_t code, uint64_t seed) {
  Instance x = {.code = code, .seed = seed};
  Status *status = guard_run(check_instance, &x);
  if (status)
    fprintf(stderr, "%s, seed %llu: %s\n%s", op_row(code)->name, (unsigned long long)seed,
            status_message(status), x.texts[1].data ? x.texts[1].data : "");
  bool good = status == NULL;
  status_free(status);
  literal_heap_deinit(&x.heap);
  arena_deinit(&x.arena);
  for (int i = 0; i < 3; i++) {
    program_free(x.programs[i]);
    context_free(x.contexts[i]);
    if (x.diags[i].source) diag_deinit(&x.diags[i]);
    strbuf_deinit(&x.texts[i]);
    strbuf_deinit(&x.values[i]);
  }
  return good;
}

static void test_samples(void **state) {
  (void)state;
  const char *text = getenv("TESSERA_SEED");
  uint64_t seed = text ? strtoull(text, NULL, 10) : 0;
  uint32_t ops = 0, bad = 0;
  for (uint16_t code = OP_UNREGISTERED + 1; code < OP_COUNT; code++) {
    const OpDef *def = op_row(code)->def;
    if (!def || !def->sample) continue;
    ops++;
    uint32_t failed = 0;
    for (uint64_t i = 0; i < INSTANCES && failed < 2; i++)
      failed += !try_instance(code, (seed << 32) + (uint64_t)code * 1000 + i);
    bad += failed > 0;
  }
  printf("%u ops, %d instances each, seed %llu\n", ops, INSTANCES, (unsigned long long)seed);
  assert_true(ops > 100);
  assert_int_equal(bad, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_samples)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
