// XLA's round trip of sdy: every string and call becomes the attribute or op it stands for.
#include "interop/xla_sdy.h"

#include "../tests/support/gspmd_fixture.h"

#define MODULE                                                                                     \
  "module attributes {mhlo.frontend_attributes = {xla.sdy.meshes = \"{mesh = "                     \
  "#sdy.mesh<[\\\"x\\\"=2, "                                                                       \
  "\\\"y\\\"=2]>}\"}} {\n"
#define F "func.func @main"
#define T "tensor<8x4xf32>"
#define ON(text)                                                                                   \
  "{mhlo.frontend_attributes = {xla.sdy.sharding = \"#sdy.sharding<@mesh, " text ">\"}}"

static const struct {
  const char *what, *text, *lines;
} good[] = {
    {"meshes, arguments, results, ops",
     MODULE F
     "(%x: " T " {mhlo.frontend_attributes = {kept = \"1\", xla.sdy.sharding = "
     "\"#sdy.sharding<@mesh, [{\\\"x\\\", ?}p1, {}]>\"}, mhlo.sharding = \"{replicated}\"}) -> (" T
     " {mhlo.sharding = \"{replicated}\"}) {\n"
     "  %0 = stablehlo.custom_call @Sharding(%x) {mhlo.frontend_attributes = {xla.sdy.sharding = "
     "\"#sdy.sharding_per_value<[<@mesh, [{}, {\\\"y\\\"}]>]>\"}, mhlo.sharding = "
     "\"{replicated}\"} : (" T ") -> " T "\n"
     "  stablehlo.custom_call @xla.sdy.ShardingGroup(%0) {has_side_effect = true, "
     "mhlo.frontend_attributes = {xla.sdy.sharding_group_id = \"5 : i64\"}} : (" T ") -> ()\n"
     "  %1 = stablehlo.custom_call @xla.sdy.PropagationBarrier(%0) {mhlo.frontend_attributes = "
     "{xla.sdy.allowed_direction = \"1\"}} : (" T ") -> " T "\n"
     "  %2 = stablehlo.custom_call @xla.sdy.FuncResultSharding(%1) {has_side_effect = true, "
     "mhlo.frontend_attributes = {xla.sdy.sharding = \"#sdy.sharding_per_value<[<@mesh, "
     "[{\\\"x\\\"}, {?}]>]>\"}} : (" T ") -> " T "\n"
     "  return %2 : " T " }\n}",
     "sdy.mesh @mesh = <[\"x\"=2, \"y\"=2]>\n"
     "%arg0: " T " {mhlo.frontend_attributes = {kept = \"1\"}, sdy.sharding = #sdy.sharding<@mesh, "
     "[{\"x\", ?}p1, {}]>}\n"
     "-> (" T " {sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}, {?}]>})\n"
     "@Sharding(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {\"y\"}]>]>}\n"
     "sdy.sharding_group %0 group_id=5\n"
     "%1 = sdy.propagation_barrier %0 allowed_direction=FORWARD\n"
     "return %1\n"
     "!xla.sdy\n!mhlo.sharding"},
    {"a function result that went elsewhere",
     MODULE F "(%x: " T ") -> " T " {\n"
              "  %0 = stablehlo.custom_call @xla.sdy.FuncResultSharding(%x) "
              "{mhlo.frontend_attributes = {xla.sdy.sharding = \"#sdy.sharding_per_value<[<@mesh, "
              "[{\\\"x\\\"}, {}]>]>\"}} : (" T ") -> " T "\n"
              "  %1 = stablehlo.negate %0 : " T "\n"
              "  return %1 : " T " }\n}",
     "%0 = sdy.sharding_constraint %arg0 <@mesh, [{\"x\", ?}, {?}]>\nstablehlo.negate %0"},
    {"manual computations",
     MODULE F
     "(%x: " T ", %y: " T ") -> " T " {\n"
     "  %0:2 = stablehlo.custom_call @xla.sdy.GlobalToLocalShape(%x, %y) {mhlo.frontend_attributes "
     "= {xla.sdy.in_shardings = \"#sdy.sharding_per_value<[<@mesh, [{\\\"x\\\"}, {}]>, <@mesh, "
     "[{\\\"x\\\"}, {?}]>]>\", xla.sdy.manual_axes = \"#sdy<manual_axes{\\\"x\\\"}>\"}} : (" T
     ", " T ") -> (tensor<4x4xf32>, tensor<4x4xf32>)\n"
     "  %1 = call @xla.sdy.manual_computation_body(%0#0, %0#1) : (tensor<4x4xf32>, "
     "tensor<4x4xf32>) -> tensor<4x4xf32>\n"
     "  %2 = stablehlo.custom_call @xla.sdy.LocalToGlobalShape(%1) {mhlo.frontend_attributes = "
     "{xla.sdy.manual_axes = \"#sdy<manual_axes{\\\"x\\\"}>\", xla.sdy.out_shardings = "
     "\"#sdy.sharding_per_value<[<@mesh, [{\\\"x\\\"}, {}]>]>\"}} : (tensor<4x4xf32>) -> " T "\n"
     "  return %2 : " T " }\n"
     "func.func private @xla.sdy.manual_computation_body(%a: tensor<4x4xf32>, %b: tensor<4x4xf32>) "
     "-> tensor<4x4xf32> {\n"
     "  %0 = stablehlo.add %a, %b : tensor<4x4xf32>\n  return %0 : tensor<4x4xf32> }\n}",
     "%0 = sdy.manual_computation(%arg0, %arg1) in_shardings=[<@mesh, [{\"x\"}, {}]>, <@mesh, "
     "[{\"x\"}, {?}]>] out_shardings=[<@mesh, [{\"x\"}, {}]>] manual_axes={\"x\"} (%arg2: "
     "tensor<4x4xf32>, %arg3: tensor<4x4xf32>)\n"
     "call @xla.sdy.manual_computation_body(%arg2, %arg3)\n"
     "return %0\n"
     "!custom_call"},
    {"nothing of the kind",
     F "(%x: " T " {mhlo.sharding = \"{replicated}\"}) -> " T " { return %x : " T " }",
     "{mhlo.sharding = \"{replicated}\"}"},
};

static const struct {
  const char *text, *message;
  uint32_t line;
} bad[] = {
    {MODULE F "(%x: " T " " ON("[{x") ") -> " T " { return %x : " T " }\n}", "which does not read",
     2},
    {MODULE F "(%x: " T ") -> " T
              " {\n  %0 = stablehlo.negate %x " ON("[{}, {}]") " : " T "\n  return %0 : " T " }\n}",
     "carries a xla.sdy.sharding that is no #sdy.sharding_per_value", 3},
    {F "(%x: " T ") {\n  stablehlo.custom_call @xla.sdy.ShardingGroup(%x) : (" T
       ") -> ()\n  return }",
     "needs xla.sdy.sharding_group_id, a number", 2},
};

static Status *good_body(Guard *guard, void *arg) {
  size_t i = *(size_t *)arg;
  Fixture f;
  fixture_open(&f, guard, good[i].text);
  Status *status = xla_sdy_import(f.program, attr_parse_text, guard, &f.diag);
  if (status) fail_msg("%s: %s", good[i].what, status_message(status));
  expect_lines(fixture_text(&f), good[i].lines);
  fixture_done(&f, guard);
  return NULL;
}

static void test_every_kind(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof good / sizeof *good; i++) assert_null(guard_run(good_body, &i));
}

static Status *bad_body(Guard *guard, void *arg) {
  size_t i = *(size_t *)arg;
  Fixture f;
  fixture_open(&f, guard, bad[i].text);
  Status *status = xla_sdy_import(f.program, attr_parse_text, guard, &f.diag);
  if (!status) fail_msg("taken: %s", bad[i].text);
  status_free(status);
  const Diagnostic *d = &f.diag.list.items[0];
  if (!strstr(d->message, bad[i].message)) fail_msg("%s\nin %s", d->message, bad[i].text);
  uint32_t line, column;
  source_locate(&f.source, d->pos, &line, &column);
  assert_int_equal(line, bad[i].line);
  fixture_done(&f, guard);
  return NULL;
}

static void test_refusals(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) assert_null(guard_run(bad_body, &i));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_every_kind),
      cmocka_unit_test(test_refusals),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
