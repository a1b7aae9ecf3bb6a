// Import of GSPMD annotations: every kind, refusals with positions, JAX's shard_map.
#include "interop/gspmd_import.h"

#include "../tests/support/gspmd_fixture.h"

#define F "func.func @main"
#define T "tensor<8x4xf32>"
#define S "#sdy.sharding<@mesh, "
#define MHLO(text) "{mhlo.sharding = \"" text "\"}"

static const struct {
  const char *what, *text, *lines;
} good[] = {
    {"arguments and results",
     F "(%x: " T " " MHLO("{devices=[2,1]<=[2]}") ", %y: " T " " MHLO(
         "{replicated}") ") -> (" T " " MHLO("{devices=[1,2]<=[2]}") ") { return %x : " T " }",
     "sdy.mesh @mesh = <[\"axis_0\"=2]>\n"
     "%arg0: " T " {sdy.sharding = " S "[{\"axis_0\"}, {}]>}\n"
     "%arg1: " T " {sdy.sharding = " S "[{}, {}]>}\n"
     "-> (" T " {sdy.sharding = " S "[{}, {\"axis_0\"}]>})\n"
     "!mhlo"},
    {"several results, unknown, maximal",
     F "(%x: " T ") -> " T " {\n"
       "  %0:2 = stablehlo.optimization_barrier " MHLO(
           "{{devices=[2,2]<=[4]}, {unknown}}") " %x, %x : " T ", " T "\n"
                                                "  %1 = stablehlo.add %0#0, %0#1 " MHLO(
                                                    "{maximal device=3}") " : " T "\n"
                                                                          "  return %1 : " T " }",
     "<[\"axis_0\"=2, \"axis_1\"=2]>\n"
     "sdy.sharding_per_value<[<@mesh, [{\"axis_0\"}, {\"axis_1\"}]>, <@mesh, [{?}, {?}]>]>\n"
     "sdy.sharding_per_value<[<mesh<[], device_ids=[3]>, []>]>"},
    {"one string for all results",
     F "(%x: " T ") -> " T " {\n"
       "  %0:2 = stablehlo.optimization_barrier " MHLO("{replicated}") " %x, %x : " T ", " T "\n"
                                                                       "  return %0#1 : " T " }",
     "sdy.sharding_per_value<[<@mesh, [{}, {}]>, <@mesh, [{}, {}]>]>"},
    {"constraints, open dims, V1 lists and partial replication",
     F "(%x: " T ") -> " T " {\n"
       "  %0 = stablehlo.custom_call @Sharding(%x) {backend_config = \"unspecified_dims=[1]\", "
       "mhlo.sharding = \"{devices=[2,1,2]0,2,1,3 last_tile_dim_replicate}\", note.a = 1 : i64} : "
       "(" T ") -> " T "\n"
       "  %1 = stablehlo.custom_call @Sharding(%0) {mhlo.sharding = \"{devices=[4,1]<=[4]}\"} : "
       "(" T ") -> " T "\n"
       "  return %1 : " T " }",
     "<[\"axis_0\"=2, \"axis_1\"=2]>\n"
     "sdy.sharding_constraint %arg0 <@mesh, [{\"axis_1\"}, {?}]> {note.a = 1 : i64}\n"
     "sdy.sharding_constraint %0 <@mesh, [{\"axis_0\", \"axis_1\"}, {}]>\n"
     "!custom_call"},
    {"barriers",
     F "(%x: " T ") -> " T " {\n"
       "  %0 = stablehlo.custom_call @ShardBarrierFrom(%x) " MHLO(
           "{unknown}") " : (" T ") -> " T "\n"
                        "  %1 = stablehlo.custom_call @ShardBarrierTo(%0) : (" T ") -> " T "\n"
                        "  return %1 : " T " }",
     "%0 = sdy.propagation_barrier %arg0 allowed_direction=BACKWARD {sdy.sharding\n"
     "%1 = sdy.propagation_barrier %0 allowed_direction=FORWARD : " T "\n"
     "!custom_call"},
    {"groups",
     F "(%x: " T " " MHLO("{unknown shard_as 3}") ") -> (" T " " MHLO(
         "{replicated shard_like 3}") ") {\n"
                                      "  %0 = stablehlo.custom_call @Sharding(%x) " MHLO(
                                          "{devices=[2,1]<=[2] shard_as 4}") " : (" T ") -> " T "\n"
                                                                             "  return %0 : " T
                                                                             " }",
     "{sdy.sharding = " S "[{?}, {?}]>}\n"
     "sdy.sharding_group %arg0 group_id=3 : " T "\n"
     "%0 = sdy.sharding_constraint\n"
     "sdy.sharding_group %0 group_id=4 : " T "\n"
     "sdy.sharding_group %0 group_id=3 : " T "\n"},
    {"groups beside those of sdy",
     F "(%x: " T " " MHLO("{unknown shard_as 0}") ") -> " T " {\n"
                                                  "  sdy.sharding_group %x group_id=7 : " T "\n"
                                                  "  return %x : " T " }",
     "sdy.sharding_group %arg0 group_id=8 : " T "\n"
     "sdy.sharding_group %arg0 group_id=7 : " T "\n"},
    {"the mesh of the program, where all strings fit on it",
     "sdy.mesh @one = <[\"q\"=3]>\n"
     "sdy.mesh @two = <[\"data\"=4, \"model\"=2]>\n" F "(%x: " T
     " " MHLO("{devices=[2,2,2]<=[8] last_tile_dim_replicate}") ") -> " T " { return %x : " T " }",
     "#sdy.sharding<@two, [{\"data\":(1)2}, {\"data\":(2)2}]>\n"
     "!axis_0"},
    {"another mesh, where they do not",
     "sdy.mesh @mesh = <[\"q\"=3]>\n" F "(%x: " T
     " " MHLO("{devices=[2,1]<=[2]}") ") -> " T " { return %x : " T " }",
     "sdy.mesh @mesh_0 = <[\"axis_0\"=2]>\n"
     "#sdy.sharding<@mesh_0, [{\"axis_0\"}, {}]>"},
    {"the module's number of devices",
     "module attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {\n" F
     "(%x: " T " " MHLO("{replicated}") ") -> " T " { return %x : " T " }\n}",
     "<[\"axis_0\"=8]>\n"
     "[{}, {}]"},
    {"both kinds on one value: sdy's holds",
     "sdy.mesh @mesh = <[\"x\"=2]>\n" F "(%x: " T
     " {mhlo.sharding = \"{replicated}\", sdy.sharding = " S "[{\"x\"}, {}]>}) -> " T
     " { return %x : " T " }",
     "%arg0: " T " {sdy.sharding = " S "[{\"x\"}, {}]>}"},
    {"nothing to do", F "(%x: " T ") -> " T " { return %x : " T " }", "!sdy"},
    {"ops without results",
     F "(%x: !stablehlo.token) {\n"
       "  %0 = stablehlo.create_token " MHLO(
           "{maximal device=0}") " : !stablehlo.token\n"
                                 "  stablehlo.custom_call @log() " MHLO(
                                     "{maximal device=1}") " : () -> ()\n"
                                                           "  return }",
     "<[<mesh<[], device_ids=[0]>, []>]>\n<[<mesh<[], device_ids=[1]>, []>]>\n!sdy.mesh @"},
    {"unreduced",
     F "(%x: " T " " MHLO(
         "{devices=[2,1,2]<=[4] last_tile_dims={unreduced}}") ") -> " T " { return %x : " T " }",
     "[{\"axis_0\"}, {}], unreduced={\"axis_1\"}>"},
    {"manual borders that are no shard_map stay, and their axes are not to be used",
     F
     "(%x: " T ") -> " T " {\n"
     "  %0 = stablehlo.custom_call @Sharding(%x) " MHLO(
         "{devices=[2,1]<=[2]}") " : (" T ") -> " T "\n"
                                 "  %1 = stablehlo.custom_call @SPMDFullToShardShape(%0) " MHLO(
                                     "{manual}") " : (" T ") -> tensor<4x4xf32>\n"
                                                 "  %2 = stablehlo.negate %1 : tensor<4x4xf32>\n"
                                                 "  %3 = stablehlo.custom_call @Sharding(%2) " MHLO(
                                                     "{manual}") " : (tensor<4x4xf32>) -> "
                                                                 "tensor<4x4xf32>\n"
                                                                 "  %4 = stablehlo.custom_call "
                                                                 "@SPMDShardToFullShape(%3) " MHLO(
                                                                     "{devices=[2,1]<=[2]}") " : "
                                                                                             "(tens"
                                                                                             "or<"
                                                                                             "4x4xf"
                                                                                             "32>) "
                                                                                             "-> " T
                                                                                             "\n"
                                                                                             "  "
                                                                                             "retur"
                                                                                             "n %4 "
                                                                                             ": " T
                                                                                             " }",
     "sdy.sharding_constraint %arg0 <@mesh, [{\"axis_0\"}, {}]>\n"
     "@SPMDFullToShardShape(%0) {mhlo.sharding = \"{manual}\", sdy.sharding = "
     "#sdy.sharding_per_value<[<@mesh, [{}, {}], replicated={\"axis_0\"}>]>}\n"
     "@Sharding(%2) {mhlo.sharding = \"{manual}\", sdy.sharding\n"
     "@SPMDShardToFullShape(%3) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{\"axis_0\"}, "
     "{}]>"},
};

// JAX's lowering of shard_map over "x" of a mesh x=2, y=2, automatic over y.
static const char shard_map[] =
    "module attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {\n"
    "func.func public @main(%arg0: tensor<8x4xf32>, %arg1: tensor<4xf32>) -> tensor<8x4xf32> {\n"
    "  %0 = stablehlo.custom_call @Sharding(%arg0) {backend_config = \"unspecified_dims=[0,1]\", "
    "mhlo.sharding = \"{devices=[2,1,2]<=[4] last_tile_dim_replicate}\"} : (tensor<8x4xf32>) -> "
    "tensor<8x4xf32>\n"
    "  %1 = stablehlo.custom_call @SPMDFullToShardShape(%0) {backend_config = "
    "\"unspecified_dims=[0,1]\", mhlo.sharding = \"{devices=[1,1,2,2]<=[4] last_tile_dims={manual, "
    "replicated}}\"} : (tensor<8x4xf32>) -> tensor<4x4xf32>\n"
    "  %2 = stablehlo.custom_call @Sharding(%arg1) {backend_config = \"unspecified_dims=[0]\", "
    "mhlo.sharding = \"{replicated}\"} : (tensor<4xf32>) -> tensor<4xf32>\n"
    "  %3 = stablehlo.custom_call @SPMDFullToShardShape(%2) {backend_config = "
    "\"unspecified_dims=[0]\", mhlo.sharding = \"{devices=[1,2,2]<=[4] last_tile_dims={manual, "
    "replicated}}\"} : (tensor<4xf32>) -> tensor<4xf32>\n"
    "  %4 = call @shmap_body(%1, %3) : (tensor<4x4xf32>, tensor<4xf32>) -> tensor<4x4xf32>\n"
    "  %5 = stablehlo.custom_call @Sharding(%4) {backend_config = \"unspecified_dims=[0,1]\", "
    "mhlo.sharding = \"{devices=[1,1,2,2]<=[4] last_tile_dims={manual, replicated}}\"} : "
    "(tensor<4x4xf32>) -> tensor<4x4xf32>\n"
    "  %6 = stablehlo.custom_call @SPMDShardToFullShape(%5) {backend_config = "
    "\"unspecified_dims=[0,1]\", mhlo.sharding = \"{devices=[2,1,2]<=[4] "
    "last_tile_dim_replicate}\"} : (tensor<4x4xf32>) -> tensor<8x4xf32>\n"
    "  %7 = stablehlo.negate %6 : tensor<8x4xf32>\n"
    "  return %7 : tensor<8x4xf32>\n"
    "}\n"
    "func.func private @shmap_body(%arg0: tensor<4x4xf32>, %arg1: tensor<4xf32>) -> "
    "tensor<4x4xf32> {\n"
    "  %0 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<4xf32>) -> tensor<4x4xf32>\n"
    "  %1 = stablehlo.add %arg0, %0 : tensor<4x4xf32>\n"
    "  return %1 : tensor<4x4xf32>\n"
    "}\n}";

static const struct {
  const char *text, *message;
  uint32_t line;
} bad[] = {
    {"\n" F "(%x: " T " " MHLO("{devices=[2,1]<=[3]}") ") -> " T " { return %x : " T " }",
     "argument 0 has mhlo.sharding \"{devices=[2,1]<=[3]}\": sharding has 2 tiles, but an iota of "
     "3",
     2},
    {F "(%x: " T ") -> (" T " " MHLO("{devices=[2]<=[2]}") ") { return %x : " T " }",
     "result 0 has mhlo.sharding \"{devices=[2]<=[2]}\": the sharding tiles 1 dimensions, the "
     "value "
     "has 2",
     1},
    {F "(%x: " T ") -> " T " {\n\n  %0 = stablehlo.negate %x " MHLO(
         "{devices=[4,2]0,1,2,3,4,5,7,6}") " : " T
                                           "\n  %1 = stablehlo.negate %x " MHLO(
                                               "{devices=[2,4]<=[8]}") " : " T "\n  return %1 : " T
                                                                       " }",
     "'stablehlo.negate' op has mhlo.sharding \"{devices=[2,4]<=[8]}\": no mesh has it together "
     "with",
     4},
    {F "(%x: " T ") -> " T " {\n  %0 = stablehlo.negate %x " MHLO(
         "{devices=[2,1]<=[2]}") " : " T
                                 "\n  %1 = stablehlo.negate %x " MHLO(
                                     "{devices=[4,1]<=[4]}") " : " T "\n  return %1 : " T " }",
     "shardings are over 2 and over 4 devices", 3},
    {"module attributes {mhlo.num_partitions = 8 : i32} {\n" F "(%x: " T
     " " MHLO("{devices=[2,1]<=[2]}") ") -> " T " { return %x : " T " }\n}",
     "it is over 2 devices, the module's mhlo.num_partitions is 8", 2},
    {"module attributes {mhlo.num_partitions = 2 : i32} {\n" F "(%x: " T
     " " MHLO("{maximal device=5}") ") -> " T " { return %x : " T " }\n}",
     "it names device 5, the module's mhlo.num_partitions is 2", 2},
    {F "(%x: " T ") -> " T " {\n  %0:2 = stablehlo.optimization_barrier " MHLO(
         "{{replicated}, {replicated}, {replicated}}") " %x, %x : " T ", " T "\n  return %0#0 : " T
                                                       " }",
     "it has 3 items for 2 results", 2},
    {F "(%x: " T ") -> " T
       " {\n  %0 = stablehlo.custom_call @Sharding(%x) {backend_config = \"unspecified_dims=[2]\", "
       "mhlo.sharding = \"{replicated}\"} : (" T ") -> " T "\n  return %0 : " T " }",
     "unspecified_dims name a dimension above 1, the last", 2},
    {F "(%x: " T ") -> " T
       " {\n  %0 = stablehlo.custom_call @Sharding(%x) {backend_config = \"unspecified_dims=[a\", "
       "mhlo.sharding = \"{replicated}\"} : (" T ") -> " T "\n  return %0 : " T " }",
     "its unspecified_dims are no list like [0,2]", 2},
};

static Status *good_body(Guard *guard, void *arg) {
  size_t i = *(size_t *)arg;
  Fixture f;
  fixture_open(&f, guard, good[i].text);
  Status *status = gspmd_import(f.program, f.table, guard, &f.diag);
  if (status) fail_msg("%s: %s", good[i].what, status_message(status));
  expect_lines(fixture_text(&f), good[i].lines);
  fixture_done(&f, guard);
  return NULL;
}

static void test_every_kind(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof good / sizeof *good; i++) assert_null(guard_run(good_body, &i));
}

static Status *shard_map_body(Guard *guard, void *arg) {
  (void)arg;
  Fixture f;
  fixture_open(&f, guard, shard_map);
  Status *status = gspmd_import(f.program, f.table, guard, &f.diag);
  if (status) fail_msg("%s", status_message(status));
  expect_lines(fixture_text(&f),
               "sdy.mesh @mesh = <[\"axis_0\"=2, \"axis_1\"=2]>\n"
               "%0 = sdy.manual_computation(%arg0, %arg1) in_shardings=[<@mesh, [{\"axis_0\", ?}, "
               "{?}]>, <@mesh, [{?}], replicated={\"axis_0\"}>] out_shardings=[<@mesh, "
               "[{\"axis_0\", ?}, {?}]>] manual_axes={\"axis_0\"} (%arg2: tensor<4x4xf32>, %arg3: "
               "tensor<4xf32>) {\n"
               "call @shmap_body(%arg2, %arg3)\n"
               "sdy.return\n"
               "stablehlo.negate %0 : tensor<8x4xf32>\n"
               "!custom_call");
  fixture_done(&f, guard);
  return NULL;
}

static void test_shard_map(void **state) {
  (void)state;
  assert_null(guard_run(shard_map_body, NULL));
}

static Status *bad_body(Guard *guard, void *arg) {
  size_t i = *(size_t *)arg;
  Fixture f;
  fixture_open(&f, guard, bad[i].text);
  uint64_t hash = program_hash(f.program);
  Status *status = gspmd_import(f.program, f.table, guard, &f.diag);
  if (!status) fail_msg("taken: %s", bad[i].text);
  status_free(status);
  const Diagnostic *d = &f.diag.list.items[0];
  if (!strstr(d->message, bad[i].message)) fail_msg("%s\nin %s", d->message, bad[i].text);
  uint32_t line, column;
  source_locate(&f.source, d->pos, &line, &column);
  assert_int_equal(line, bad[i].line);
  assert_true(hash == program_hash(f.program));
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
      cmocka_unit_test(test_shard_map),
      cmocka_unit_test(test_refusals),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
