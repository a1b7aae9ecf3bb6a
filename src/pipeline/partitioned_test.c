// Local programs as text: shards of random tensors join to the same tensors, whatever the sharding;
// devices that disagree are named; text that contradicts itself is refused. In the texts ' stands
// for ".
#include "pipeline/partitioned.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "evaluate/evaluate.h"
#include "ops/infer.h"
#include "parse/parse.h"

typedef struct Edges {
  const char *mesh, *global, *local, *sharding;
} Edges;

typedef struct Case {
  Edges edges;
  char text[2048];
  Source source;
  Context *context;
  Program *program;
  Diag diag;
  Arena arena;
  LiteralHeap heap;
  Partitioned parts;
  uint32_t spoiled;  // device whose last element is changed before the join; 0: none
  uint32_t n_devices;
  bool same;
  char unequal[256];
} Case;

static Status *body(Guard *guard, void *arg) {
  Case *c = arg;
  Edges e = c->edges;
  arena_init(&c->arena, guard);
  literal_heap_init(&c->heap, guard, 0);
  snprintf(
      c->text, sizeof c->text,
      "module attributes {tessera.mesh = #sdy.mesh<%s>} {\n"
      "  func.func @main(%%x: %s {tessera.global = %s, tessera.sharding = #sdy.sharding<mesh<%s>, "
      "%s>}) -> (%s {tessera.global = %s, tessera.sharding = #sdy.sharding<mesh<%s>, %s>}) {\n"
      "    return %%x : %s\n  }\n}\n",
      e.mesh, e.local, e.global, e.mesh, e.sharding, e.local, e.global, e.mesh, e.sharding,
      e.local);
  for (char *at = c->text; *at; at++)
    if (*at == '\'') *at = '"';
  c->source = (Source){.path = "test", .text = c->text, .size = strlen(c->text)};
  diag_init(&c->diag, guard, &c->source);
  c->context = context_new(guard);
  TRY(program_parse(c->context, guard, &c->source, 0, c->source.size, &(ParseOptions){0}, &c->diag,
                    &c->program));
  if (!program_verify(c->program, &c->diag)) return diag_status(&c->diag);
  OpId function;
  TRY(evaluate_entry(c->program, NULL, &function));
  TRY(partitioned_read(c->program, function, guard, &c->arena, &c->parts));
  c->n_devices = c->parts.n_devices;
  Literal *whole = literal_new_typed(&c->heap, c->context, c->parts.args[0].global), *joined;
  for (int64_t i = 0; i < whole->count; i++) literal_set(whole, i, scalar_i(i * 7 + 3));
  Literal **shards = ARENA_ARRAY(&c->arena, Literal *, c->n_devices);
  partitioned_shard(&c->parts, 0, c->n_devices, &whole, shards);
  if (c->spoiled) literal_set(shards[c->spoiled], 0, scalar_i(-1));
  const char *unequal;
  partitioned_join(&c->parts, shards, &c->arena, &joined, &unequal);
  c->same = literal_same_shape(whole, joined);
  for (int64_t i = 0; c->same && i < whole->count; i++)
    c->same = literal_get(whole, i).i == literal_get(joined, i).i;
  if (unequal) snprintf(c->unequal, sizeof c->unequal, "%s", unequal);
  return NULL;
}

static Status *run(Case *c) {
  Status *status = guard_run(body, c);
  partitioned_deinit(&c->parts);
  literal_heap_deinit(&c->heap);
  arena_deinit(&c->arena);
  program_free(c->program);
  context_free(c->context);
  if (c->diag.source) diag_deinit(&c->diag);
  return status;
}

static void test_round_trip(void **state) {
  (void)state;
  static const Edges cases[] = {
      {"['a'=4]", "tensor<8x3xi32>", "tensor<2x3xi32>", "[{'a'}, {}]"},
      {"['a'=4]", "tensor<7x3xi32>", "tensor<2x3xi32>", "[{'a'}, {}]"},  // the last tile is short
      {"['a'=8]", "tensor<3xi32>", "tensor<1xi32>", "[{'a'}]"},          // most tiles are empty
      {"['a'=4, 'b'=2]", "tensor<5x5xi32>", "tensor<3x2xi32>", "[{'b'}, {'a'}]"},
      {"['a'=4, 'b'=2]", "tensor<16xi32>", "tensor<2xi32>", "[{'b', 'a'}]"},
      {"['a'=4]", "tensor<4x4xi32>", "tensor<2x2xi32>", "[{'a':(2)2}, {'a':(1)2}]"},
      {"['a'=4]", "tensor<4x4xi32>", "tensor<4x4xi32>", "[{}, {}]"},
      {"['a'=2, 'b'=2], device_ids=[3, 1, 2, 0]", "tensor<4x4xi32>", "tensor<2x4xi32>",
       "[{'a'}, {}]"},
      {"['a'=4, 'b'=2]", "tensor<6xi32>", "tensor<3xi32>", "[{'b'}], unreduced={'a'}"},
      {"['a'=4]", "tensor<0x3xi32>", "tensor<0x3xi32>", "[{'a'}, {}]"},
      {"['a'=4]", "tensor<i32>", "tensor<i32>", "[]"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    Case c = {.edges = cases[i]};
    Status *status = run(&c);
    if (status) fail_msg("case %zu: %s", i, status_message(status));
    if (!c.same || c.unequal[0]) fail_msg("case %zu: another tensor %s", i, c.unequal);
  }
}

static void test_unequal(void **state) {
  (void)state;
  Case c = {.edges = {"['a'=2, 'b'=2]", "tensor<4xi32>", "tensor<2xi32>", "[{'a'}]"}, .spoiled = 3};
  assert_null(run(&c));
  assert_true(c.same);  // the first device that has an element counts
  assert_string_equal(c.unequal,
                      "result 0: device 3 holds other values than a device before it that has the "
                      "same elements");
}

static void test_contradictions(void **state) {
  (void)state;
  static const struct {
    Edges edges;
    const char *said;
  } bad[] = {
      {{"['a'=4]", "tensor<8xi32>", "tensor<3xi32>", "[{'a'}]"},
       "argument 0 is tensor<3xi32>, but its tessera.sharding makes shards of tensor<2xi32>"},
      {{"['a'=4]", "tensor<8xi32>", "tensor<2xi32>", "[{'b'}]"}, "'b'"},
      {{"['a'=4]", "tensor<8x2xi32>", "tensor<2xi32>", "[{'a'}]"},
       "the tessera.sharding of argument 0: the sharding has rank 1, but the tensor "
       "tensor<8x2xi32> has rank 2"},
      {{"['a'=4]", "i32", "tensor<2xi32>", "[{'a'}]"},
       "argument 0 has a tessera.sharding, but no tessera.global that is a tensor"},
      {{"['a'=4]", "tensor<?x4xi32>", "tensor<?x1xi32>", "[{}, {'a'}]"},
       "argument 0 is a shard of tensor<?x4xi32>: only tensors of known sizes"},
  };
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    Case c = {.edges = bad[i].edges};
    Status *status = run(&c);
    if (!status) fail_msg("case %zu is not refused", i);
    char said[256];
    size_t n = 0;
    for (; bad[i].said[n] && n < sizeof said - 1; n++)
      said[n] = bad[i].said[n] == '\'' ? '"' : bad[i].said[n];
    said[n] = 0;
    if (!strstr(status_message(status), said)) fail_msg("case %zu: %s", i, status_message(status));
    status_free(status);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_round_trip),
      cmocka_unit_test(test_unequal),
      cmocka_unit_test(test_contradictions),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
