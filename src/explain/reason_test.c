// Reasons of small programs: the ops and values they name, ids ranked by bytes, equal reasons after
// printing and parsing the local program, and tolerance of malformed dictionaries. In the texts '
// stands for ".
#include "explain/reason.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "ops/infer.h"
#include "parse/parse.h"
#include "parse/print.h"
#include "partition/partition.h"
#include "annotate/program_mesh.h"

typedef struct Case {
  const char *text;
  bool local;       // the text is a local program
  uint32_t expect;  // number of reasons
  char copy[4096];
  Source source, printed;
  Context *context;
  ShardingTable *table;
  Program *program, *again;
  Diag diag;
  Arena arena;
  StrBuf out[3];  // the reasons; the program; the reasons of the parsed program
} Case;

static void close_case(void *object) {
  Case *c = object;
  program_free(c->program);
  program_free(c->again);
  diag_deinit(&c->diag);
  sharding_table_free(c->table);
  arena_deinit(&c->arena);
  context_free(c->context);
}

static Status *list(Case *c, Program *local, const Mesh *mesh, Guard *guard, StrBuf *out) {
  Reasons reasons;
  reasons_list(local, mesh, 4, guard, &c->arena, &reasons);
  reasons_mark(local, &reasons, &c->arena);
  assert_int_equal(reasons.n, c->expect);
  Json json = {.out = out};
  for (uint32_t i = 0; i < reasons.n; i++) {
    if (i) assert_true(reasons.rows[i - 1].bytes >= reasons.rows[i].bytes);
    reason_print(&reasons.rows[i], false, out);
    strbuf_putc(out, '\n');
    json_open(&json, '{');
    reason_json(local->context, &reasons.rows[i], &json);
    json_close(&json, '}');
    json_newline(&json);
  }
  return NULL;
}

static Status *run_case(Guard *guard, Case *c) {
  for (size_t k = 0; c->text[k]; k++) c->copy[k] = c->text[k] == '\'' ? '"' : c->text[k];
  c->source = (Source){.path = "dir/test.mlir", .text = c->copy, .size = strlen(c->text)};
  diag_init(&c->diag, guard, &c->source);
  TRY(program_parse(c->context, guard, &c->source, 0, c->source.size, &(ParseOptions){0}, &c->diag,
                    &c->program));
  if (!program_verify(c->program, &c->diag)) return diag_status(&c->diag);
  MeshId mesh = 0;
  if (!c->local) {
    TRY(program_meshes_read(c->program, c->table));
    PartitionOptions options = {.why = true};
    TRY(partition_program(c->program, c->table, &options, guard, &c->diag, &mesh));
  }
  const Mesh *devices = sharding_mesh(c->table, mesh);
  TRY(list(c, c->program, devices, guard, &c->out[0]));
  program_print(c->program, &(PrintOptions){.locations = true}, &c->out[1]);
  c->printed = (Source){.path = "local.mlir", .text = c->out[1].data, .size = c->out[1].used};
  TRY(program_parse(c->context, guard, &c->printed, 0, c->printed.size, &(ParseOptions){0},
                    &c->diag, &c->again));
  return list(c, c->again, devices, guard, &c->out[2]);
}

static Status *open_case(Guard *guard, void *arg) {
  Case *c = arg;
  c->context = context_new(guard);
  c->table = sharding_table_new(c->context, guard);
  arena_init(&c->arena, guard);
  for (int i = 0; i < 3; i++) strbuf_init(&c->out[i], guard);
  GuardCleanup cleanup = {close_case, c, NULL};
  guard_push(guard, &cleanup);
  Status *status = run_case(guard, c);
  guard_pop(guard, &cleanup);
  close_case(c);
  return status;
}

// The reasons contain the texts in `says`, the program those in `has`; NULL ends each.
static void check(const char *text, bool local, uint32_t n, const char *const *says,
                  const char *const *has) {
  Case c = {.text = text, .local = local, .expect = n};
  Status *status = guard_run(open_case, &c);
  if (status) fail_msg("%s", status_message(status));
  for (; *says; says++)
    if (!strstr(c.out[0].data, *says)) fail_msg("no '%s' in\n%s", *says, c.out[0].data);
  for (; *has; has++)
    if (!strstr(c.out[1].data, *has)) fail_msg("no '%s' in\n%s", *has, c.out[1].data);
  assert_string_equal(c.out[0].data, c.out[2].data);
  for (int i = 0; i < 3; i++) strbuf_deinit(&c.out[i]);
}

#define TEXTS(...) ((const char *const[]){__VA_ARGS__, NULL})

static void test_reshards(void **state) {
  (void)state;
  check(
      "sdy.mesh @mesh = <['a'=2, 'b'=2]>\n"
      "func.func @main(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{'a'}, {'b'}]>},\n"
      "                %w: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{'b'}, {}]>})\n"
      "    -> (tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{'a'}, {}]>},\n"
      "        tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {'b'}]>}) {\n"
      "  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x8xf32>, "
      "tensor<8x4xf32>) -> tensor<8x4xf32>\n"
      "  return %0, %x : tensor<8x4xf32>, tensor<8x8xf32>\n"
      "}\n",
      false, 2,
      TEXTS("r1  all_gather over \"a\", 64 bytes sent per device: result 1 of @main needs %x as "
            "[{}, {\"b\"}]; %x is [{\"a\"}, {\"b\"}]",
            "r2  all_reduce over \"b\", 64 bytes sent per device: result 0 of @main needs %0 as "
            "[{\"a\"}, {}]; %0 = stablehlo.dot_general (test.mlir:6) is a partial sum over \"b\"",
            "{\"cause\":\"result\",\"op\":{\"name\":\"func.return\",\"value\":null,\"path\":null,"
            "\"file\":\"dir/test.mlir\",\"line\":7},\"value\":{\"name\":\"%x\",\"from_argument\":"
            "\"%x\",\"defined_by\":null},\"source_sharding\":\"[{\\\"a\\\"}, {\\\"b\\\"}]\","
            "\"target_sharding\":\"[{}, "
            "{\\\"b\\\"}]\",\"partial\":null,\"axes\":[\"a\"],\"result\":1,"
            "\"device\":null}",
            "\"partial\":{\"reducer\":\"sum\",\"axes\":[\"b\"]},\"axes\":[\"b\"],\"result\":0"),
      TEXTS("tessera.why = \"r1\"", "tessera.why = \"r2\"", "fused<{tessera.why = {cause = "));
}

// Names of results of several, of functions and of regions.
static void test_names(void **state) {
  (void)state;
  check("sdy.mesh @mesh = <['a'=4]>\n"
        "func.func @f(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{'a'}, {}]>}) -> "
        "tensor<8x8xf32> {\n"
        "  %0:2 = 'stablehlo.optimization_barrier'(%x, %x) {sdy.sharding = "
        "#sdy.sharding_per_value<[<@mesh, [{'a'}, {}]>, <@mesh, [{'a'}, {}]>]>} : "
        "(tensor<8x8xf32>, tensor<8x8xf32>) -> "
        "(tensor<8x8xf32>, tensor<8x8xf32>)\n"
        "  return %0#1 : tensor<8x8xf32>\n"
        "}\n",
        false, 1,
        TEXTS("result 0 of @f needs @f:%0#1 (from @f:%x) as replicated; @f:%0:2 = "
              "stablehlo.optimization_barrier (test.mlir:3) is [{\"a\"}, {}]"),
        TEXTS("tessera.why = \"r1\""));
}

#define GATHER(loc)                                                                                \
  "func.func @main(%x: tensor<8xf32>) -> tensor<32xf32> {\n"                                       \
  "  %0 = 'stablehlo.all_gather'(%x) <{all_gather_dim = 0 : i64, channel_handle = "                \
  "#stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3]]> : "     \
  "tensor<1x4xi64>, use_global_device_ids}> : (tensor<8xf32>) -> tensor<32xf32> " loc "\n"         \
  "  return %0 : tensor<32xf32>\n"                                                                 \
  "}\n"

// Locations of local programs from other tools.
static void test_hostile(void **state) {
  (void)state;
  static const char *const texts[] = {
      GATHER(""),
      GATHER("loc('exchanged because')"),
      GATHER("loc(fused[])"),
      GATHER("loc(fused['a', 'b'])"),
      GATHER("loc(fused<1 : i64>['a'])"),
      GATHER("loc(fused<{tessera.why = 1 : i64}>['a'])"),
      GATHER("loc(fused<{tessera.why = {}}>['a'])"),
      GATHER("loc(fused<{tessera.why = {cause = 3 : i64, op = 'x'}}>['a'])"),
      GATHER(
          "loc(fused<{tessera.why = {cause = 'device', device = 'x', op = {line = -1 : i64}}}>[])"),
      GATHER("loc(fused<{tessera.why = {cause = 'operand', partial = 'sum', partial_axes = [1]}}>"
             "['a'])"),
      GATHER("loc(fused<{tessera.why = {cause = 'result', op = {name = 'n', file = 'f'}}}>['a'])"),
  };
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    check(texts[i], true, 1, TEXTS("r1  all_gather, 96 bytes sent per device: "),
          TEXTS("tessera.why = \"r1\""));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_reshards), cmocka_unit_test(test_names),
                                     cmocka_unit_test(test_hostile)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
