// Redundant work of small programs: the op, its FLOPs, the cause and the advice. In the texts '
// stands for ".
#include "partition/redundant.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "ops/infer.h"
#include "parse/parse.h"
#include "partition/partition.h"
#include "annotate/program_mesh.h"

typedef struct Case {
  const char *text;
  char copy[4096];
  Source source;
  Context *context;
  ShardingTable *table;
  Program *program;
  Diag diag;
  Arena arena;
  uint32_t n;
  StrBuf out;  // sentences, then JSON
} Case;

static void close_case(void *object) {
  Case *c = object;
  program_free(c->program);
  diag_deinit(&c->diag);
  sharding_table_free(c->table);
  arena_deinit(&c->arena);
  context_free(c->context);
}

static Status *run_case(Guard *guard, Case *c) {
  for (size_t k = 0; c->text[k]; k++) c->copy[k] = c->text[k] == '\'' ? '"' : c->text[k];
  c->source = (Source){.path = "test.mlir", .text = c->copy, .size = strlen(c->text)};
  diag_init(&c->diag, guard, &c->source);
  TRY(program_parse(c->context, guard, &c->source, 0, c->source.size, &(ParseOptions){0}, &c->diag,
                    &c->program));
  if (!program_verify(c->program, &c->diag)) return diag_status(&c->diag);
  MeshId mesh = 0;
  TRY(program_meshes_read(c->program, c->table));
  RedundantList list = {.arena = &c->arena};
  PartitionOptions options = {.redundant = &list};
  TRY(partition_program(c->program, c->table, &options, guard, &c->diag, &mesh));
  c->n = list.n;
  for (uint32_t i = 0; i < list.n; i++) strbuf_printf(&c->out, "%s\n", list.rows[i].why);
  Json json = {.out = &c->out};
  redundant_json(c->context, &list, &json);
  return NULL;
}

static Status *open_case(Guard *guard, void *arg) {
  Case *c = arg;
  c->context = context_new(guard);
  c->table = sharding_table_new(c->context, guard);
  arena_init(&c->arena, guard);
  strbuf_init(&c->out, guard);
  GuardCleanup cleanup = {close_case, c, NULL};
  guard_push(guard, &cleanup);
  Status *status = run_case(guard, c);
  guard_pop(guard, &cleanup);
  close_case(c);
  return status;
}

static void check(const char *text, uint32_t n, const char *const *says) {
  Case c = {.text = text};
  Status *status = guard_run(open_case, &c);
  if (status) fail_msg("%s", status_message(status));
  for (; *says; says++)
    if (!strstr(c.out.data, *says)) fail_msg("no '%s' in\n%s", *says, c.out.data);
  if (c.n != n) fail_msg("%u rows, not %u:\n%s", c.n, n, c.out.data);
  strbuf_deinit(&c.out);
}

#define TEXTS(...) ((const char *const[]){__VA_ARGS__, NULL})

#define TANH(mesh, size, dims)                                                                     \
  "sdy.mesh @mesh = <[" mesh "]>\n"                                                                \
  "func.func @main(%x: tensor<" size "xf32> {sdy.sharding = #sdy.sharding<@mesh, [" dims           \
  "]>}) -> (tensor<" size "xf32> {sdy.sharding = #sdy.sharding<@mesh, [" dims "]>}) {\n"           \
  "  %0 = stablehlo.tanh %x {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [" dims               \
  "]>]>} : tensor<" size "xf32>\n"                                                                 \
  "  return %0 : tensor<" size "xf32>\n"                                                           \
  "}\n"

static void test_unused_axes(void **state) {
  (void)state;
  check(TANH("'a'=2, 'b'=4", "8x16", "{'a'}, {}"), 1,
        TEXTS("%0 = stablehlo.tanh (test.mlir:3): 64 FLOPs per device, ideal 16; 4 devices over "
              "\"b\" compute the same; to avoid it: shard dim 1 of %x over \"b\"\n",
              "[{\"op\":{\"name\":\"stablehlo.tanh\",\"value\":\"%0\",\"path\":null,\"file\":"
              "\"test.mlir\",\"line\":3},\"count\":1,\"flops\":64,\"ideal_flops\":16,\"cause\":"
              "\"unused_axes\",\"devices\":4,\"axes\":[\"b\"],\"avoid\":\"shard dim 1 of %x over "
              "\\\"b\\\"\",\"why\":\"%0 = "));
  // Advice: a second axis on a dimension; two axes at once; with padding; none.
  check(TANH("'a'=2, 'b'=4", "8", "{'a'}"), 1, TEXTS("shard dim 0 of %x over \"a\", \"b\"\n"));
  check(TANH("'a'=2, 'b'=4", "8x2", "{}, {}"), 1,
        TEXTS("8 devices over \"a\", \"b\" compute the same", "dim 0 of %x over \"a\", \"b\"\n"));
  check(TANH("'a'=2", "7", "{}"), 1,
        TEXTS("shard dim 0 of %x over \"a\" (7 elements are padded to 8)\n"));
  check(TANH("'a'=4", "3x1", "{}, {}"), 1,
        TEXTS("4 devices over \"a\" compute the same; no dimension of it can take the axis\n",
              "\"cause\":\"cannot_split\""));
}

static void test_none(void **state) {
  (void)state;
  check(TANH("'a'=2, 'b'=4", "8x16", "{'a'}, {'b'}"), 0, TEXTS("[]"));
  check(TANH("'a'=2", "8", "{'a'}"), 0, TEXTS("[]"));
}

static void test_padding(void **state) {
  (void)state;
  check(TANH("'a'=4", "5x16", "{'a'}, {}"), 1,
        TEXTS("32 FLOPs per device, ideal 20; devices compute on padding over \"a\"; to avoid it: "
              "make dim 0 of %x a multiple of 4 (5 elements are padded to 8)\n",
              "\"cause\":\"padding\",\"devices\":1,\"axes\":[\"a\"]"));
  // Fewer elements than devices: another size is no advice.
  check(TANH("'a'=4", "3x16", "{'a'}, {}"), 1,
        TEXTS("devices compute on padding over \"a\"; dim 0 of %x has 3 elements for 4 devices\n"));
  // A padded dimension that is reduced is masked; that takes more FLOPs than the padding.
  check("sdy.mesh @mesh = <['a'=4]>\n"
        "func.func @main(%x: tensor<7x5xf32> {sdy.sharding = #sdy.sharding<@mesh, [{'a'}, {}]>})\n"
        "    -> tensor<5xf32> {\n"
        "  %zero = stablehlo.constant dense<0.0> : tensor<f32>\n"
        "  %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : "
        "(tensor<7x5xf32>, tensor<f32>) -> tensor<5xf32>\n"
        "  return %0 : tensor<5xf32>\n"
        "}\n",
        1,
        TEXTS("devices mask padding over \"a\"; to avoid it: make dim 0 of %x a multiple of 4 (7 "
              "elements are padded to 8)\n",
              "\"cause\":\"padding\""));
}

// A reduction that is delayed: linear ops run on each device's partial sum.
static void test_partial(void **state) {
  (void)state;
  check(
      "sdy.mesh @mesh = <['a'=4]>\n"
      "func.func @main(%x: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {'a'}]>},\n"
      "                %w: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{'a'}, {}]>})\n"
      "    -> tensor<f32> {\n"
      "  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<4x8xf32>, "
      "tensor<8x4xf32>) -> tensor<4x4xf32>\n"
      "  %zero = stablehlo.constant dense<0.0> : tensor<f32>\n"
      "  %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [0, 1] : "
      "(tensor<4x4xf32>, tensor<f32>) -> tensor<f32>\n"
      "  return %1 : tensor<f32>\n"
      "}\n",
      1,
      TEXTS("%1 = stablehlo.reduce (test.mlir:7)",
            "each device computes it on its partial "
            "operands over \"a\"; to avoid it: reduce its operands before it\n"));
}

// FLOPs are multiplied by trip counts and calls. Ops in a manual computation use its axes.
static void test_runs(void **state) {
  (void)state;
  check(
      "sdy.mesh @mesh = <['a'=2]>\n"
      "func.func @main(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) -> "
      "tensor<8xf32> {\n"
      "  %zero = stablehlo.constant dense<0> : tensor<i32>\n"
      "  %0:2 = stablehlo.while(%i = %zero, %c = %x) : tensor<i32>, tensor<8xf32>\n"
      "  cond {\n"
      "    %n = stablehlo.constant dense<5> : tensor<i32>\n"
      "    %go = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
      "    stablehlo.return %go : tensor<i1>\n"
      "  } do {\n"
      "    %one = stablehlo.constant dense<1> : tensor<i32>\n"
      "    %j = stablehlo.add %i, %one : tensor<i32>\n"
      "    %y = func.call @f(%c) : (tensor<8xf32>) -> tensor<8xf32>\n"
      "    stablehlo.return %j, %y : tensor<i32>, tensor<8xf32>\n"
      "  }\n"
      "  %1 = func.call @f(%0#1) : (tensor<8xf32>) -> tensor<8xf32>\n"
      "  return %1 : tensor<8xf32>\n"
      "}\n"
      "func.func private @f(%x: tensor<8xf32>) -> tensor<8xf32> {\n"
      "  %0 = stablehlo.tanh %x : tensor<8xf32>\n"
      "  return %0 : tensor<8xf32>\n"
      "}\n",
      3,
      TEXTS("@f:%0 = stablehlo.tanh (test.mlir:19)", ": 48 FLOPs per device, ideal 24; 2 devices"));
  check("sdy.mesh @mesh = <['a'=4]>\n"
        "func.func @main(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{'a'}]>}) -> "
        "(tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{'a'}]>}) {\n"
        "  %0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{'a'}]>] "
        "out_shardings=[<@mesh, [{'a'}]>] manual_axes={'a'} (%t: tensor<2xf32>) {\n"
        "    %1 = stablehlo.tanh %t : tensor<2xf32>\n"
        "    sdy.return %1 : tensor<2xf32>\n"
        "  } : (tensor<8xf32>) -> tensor<8xf32>\n"
        "  return %0 : tensor<8xf32>\n"
        "}\n",
        0, TEXTS("[]"));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_unused_axes),
                                     cmocka_unit_test(test_none), cmocka_unit_test(test_padding),
                                     cmocka_unit_test(test_partial), cmocka_unit_test(test_runs)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
