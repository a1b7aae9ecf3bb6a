// Local programs written by hand, correct and wrong, against their global programs. In the texts '
// stands for ".
#include "pipeline/verify_partition.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "ops/infer.h"
#include "parse/parse.h"
#include "annotate/program_mesh.h"

typedef struct Case {
  const char *global, *local;
  char text[2][2048];
  Source sources[2];
  Context *context;
  ShardingTable *table;
  Program *programs[2];
  Diag diags[2];
  Arena arena;
  Verified out;
  char where[256];
} Case;

static void close_case(void *object) {
  Case *c = object;
  for (int i = 0; i < 2; i++) {
    program_free(c->programs[i]);
    diag_deinit(&c->diags[i]);
  }
  sharding_table_free(c->table);
  arena_deinit(&c->arena);
  context_free(c->context);
}

static Status *read_program(Case *c, Guard *guard, int i, const char *text) {
  for (size_t k = 0; text[k]; k++) c->text[i][k] = text[k] == '\'' ? '"' : text[k];
  c->sources[i] = (Source){.path = "test", .text = c->text[i], .size = strlen(text)};
  diag_init(&c->diags[i], guard, &c->sources[i]);
  TRY(program_parse(c->context, guard, &c->sources[i], 0, c->sources[i].size, &(ParseOptions){0},
                    &c->diags[i], &c->programs[i]));
  return program_verify(c->programs[i], &c->diags[i]) ? NULL : diag_status(&c->diags[i]);
}

static Status *run_case(Guard *guard, Case *c) {
  TRY(read_program(c, guard, 0, c->global));
  TRY(read_program(c, guard, 1, c->local));
  TRY(program_meshes_read(c->programs[0], c->table));
  MeshId mesh = program_mesh_first(c->programs[0], c->table);
  TRY(verify_partition(c->programs[0], c->programs[1], c->table, mesh, &(VerifyOptions){0}, guard,
                       &c->arena, &c->out));
  if (c->out.where) strncpy(c->where, c->out.where, sizeof c->where - 1);
  return NULL;
}

static Status *open_case(Guard *guard, void *arg) {
  Case *c = arg;
  c->context = context_new(guard);
  c->table = sharding_table_new(c->context, guard);
  arena_init(&c->arena, guard);
  GuardCleanup cleanup = {close_case, c, NULL};
  guard_push(guard, &cleanup);
  Status *status = run_case(guard, c);
  guard_pop(guard, &cleanup);
  close_case(c);
  return status;
}

static void verify(Case *c) {
  Status *status = guard_run(open_case, c);
  if (status) fail_msg("%s", status_message(status));
}

#define WHOLE                                                                                      \
  "sdy.mesh @mesh = <['x'=2]>\n"                                                                   \
  "func.func @main(%a: tensor<3xi32>) -> tensor<3xi32> {\n"                                        \
  "  %0 = stablehlo.add %a, %a : tensor<3xi32>\n"                                                  \
  "  return %0 : tensor<3xi32>\n}\n"
#define PART " {tessera.global = tensor<3xi32>, tessera.sharding = #sdy.sharding<@mesh, [{'x'}]>}"

static void test_right(void **state) {
  (void)state;
  Case c = {.global = WHOLE,
            .local = "func.func @main(%a: tensor<2xi32>" PART ") -> (tensor<2xi32>" PART ") {\n"
                     "  %0 = stablehlo.add %a, %a : tensor<2xi32>\n"
                     "  return %0 : tensor<2xi32>\n}\n"};
  verify(&c);
  assert_true(c.out.agree);
  assert_int_equal(c.out.n_devices, 2);
  assert_int_equal(c.out.n_results, 1);
  assert_true(c.out.tolerance == 0);
}

// Wrong on the second device only, in the one element of its tile that is not padding.
static void test_wrong(void **state) {
  (void)state;
  Case c = {.global = WHOLE,
            .local = "func.func @main(%a: tensor<2xi32>" PART ") -> (tensor<2xi32>" PART ") {\n"
                     "  %id = stablehlo.partition_id : tensor<ui32>\n"
                     "  %i = stablehlo.convert %id : (tensor<ui32>) -> tensor<i32>\n"
                     "  %b = stablehlo.broadcast_in_dim %i, dims = [] : (tensor<i32>) -> "
                     "tensor<2xi32>\n"
                     "  %0 = stablehlo.add %a, %a : tensor<2xi32>\n"
                     "  %1 = stablehlo.add %0, %b : tensor<2xi32>\n"
                     "  return %1 : tensor<2xi32>\n}\n"};
  verify(&c);
  assert_false(c.out.agree);
  const char *begin = "result 0, element [2] on device 1: ";
  assert_memory_equal(c.where, begin, strlen(begin));
  assert_non_null(strstr(c.where, "(1 of the 2 elements there differ)"));
}

// Padding may have any value. Replicas that differ are found although one of them is correct.
static void test_replicas(void **state) {
  (void)state;
  Case c = {.global = WHOLE,
            .local = "func.func @main(%a: tensor<3xi32>) -> tensor<3xi32> {\n"
                     "  %id = stablehlo.partition_id : tensor<ui32>\n"
                     "  %i = stablehlo.convert %id : (tensor<ui32>) -> tensor<i32>\n"
                     "  %b = stablehlo.broadcast_in_dim %i, dims = [] : (tensor<i32>) -> "
                     "tensor<3xi32>\n"
                     "  %0 = stablehlo.add %a, %a : tensor<3xi32>\n"
                     "  %1 = stablehlo.add %0, %b : tensor<3xi32>\n"
                     "  return %1 : tensor<3xi32>\n}\n"};
  verify(&c);
  assert_false(c.out.agree);
  assert_non_null(strstr(c.where, "on device 1"));
}

// An unreduced result: the partial values of all devices add up to it. An unreduced argument, too.
#define SUM                                                                                        \
  " {tessera.global = tensor<3xi32>, tessera.sharding = #sdy.sharding<@mesh, [{}], "               \
  "unreduced={'x'}>}"
static void test_unreduced(void **state) {
  (void)state;
  Case c = {.global = WHOLE,
            .local = "func.func @main(%a: tensor<3xi32>" SUM ") -> (tensor<3xi32>" SUM ") {\n"
                     "  %0 = stablehlo.add %a, %a : tensor<3xi32>\n"
                     "  return %0 : tensor<3xi32>\n}\n"};
  verify(&c);
  assert_true(c.out.agree);
  Case wrong = {.global = WHOLE,
                .local = "func.func @main(%a: tensor<3xi32>) -> (tensor<3xi32>" SUM ") {\n"
                         "  %0 = stablehlo.add %a, %a : tensor<3xi32>\n"
                         "  return %0 : tensor<3xi32>\n}\n"};
  verify(&wrong);
  assert_false(wrong.out.agree);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_right),
      cmocka_unit_test(test_wrong),
      cmocka_unit_test(test_replicas),
      cmocka_unit_test(test_unreduced),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
