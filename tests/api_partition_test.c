// Partitioning through the public C API, as a backend would: partition, cut the arguments by the
// tiles it names, run on all devices, compare with one; every kind of error; no leak when
// allocations fail.
#include <tessera/tessera.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"

// 7 rows over 2 devices do not divide; the contraction is split.
static const char text[] =
    "func.func @main(%x: tensor<7x4xf32>, %w: tensor<4x3xf32>) -> tensor<7x3xf32> {\n"
    "  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<7x4xf32>, "
    "tensor<4x3xf32>) -> tensor<7x3xf32>\n"
    "  return %0 : tensor<7x3xf32>\n"
    "}\n";

enum { DEVICES = 4 };

static tsr_error *load_partitioned(tsr_partition_options *options, tsr_program **out,
                                   size_t *out_devices, char **out_warnings) {
  static const char *const rules[] = {"x=P(\"data\", \"model\")", "w=P(\"model\")"};
  static const tsr_propagate_options annotations = {
      .struct_size = sizeof annotations, .mesh = "data=2,model=2", .n_rules = 2, .rules = rules};
  options->struct_size = sizeof *options;
  options->annotations = &annotations;
  tsr_error *error = tsr_program_load(text, sizeof text - 1, NULL, out);
  if (!error) error = tsr_program_partition(*out, options, out_devices, out_warnings);
  return error;
}

// The part of a matrix that a tile is; what lies beyond is 99.
static void cut(const tsr_tile *t, const float *whole, float *out) {
  for (int64_t i = 0; i < t->tile[0]; i++)
    for (int64_t j = 0; j < t->tile[1]; j++) {
      int inside = i < t->extent[0] && j < t->extent[1];
      out[i * t->tile[1] + j] =
          inside ? whole[(t->offset[0] + i) * t->whole[1] + t->offset[1] + j] : 99;
    }
}

static void test_run(void **state) {
  (void)state;
  float x[28], w[12], parts[2 * DEVICES][28];
  for (int i = 0; i < 28; i++) x[i] = (float)(i % 5) - 2;
  for (int i = 0; i < 12; i++) w[i] = (float)(i % 3) - 1;
  tsr_program *p = NULL;
  tsr_partition_options options = {.why = 1};
  size_t n_devices = 0;
  char *warnings = NULL, *printed;
  size_t size;
  assert_null(load_partitioned(&options, &p, &n_devices, &warnings));
  assert_int_equal(n_devices, DEVICES);
  assert_non_null(strstr(warnings, "7"));  // rows that do not divide are padded
  tsr_text_free(warnings);
  tsr_print_options with = {.struct_size = sizeof with, .locations = 1};
  assert_null(tsr_program_print(p, &with, &printed, &size));
  assert_non_null(strstr(printed, "fused<{tessera.why = {cause = "));
  tsr_text_free(printed);
  tsr_buffer inputs[2 * DEVICES], outputs[DEVICES];
  for (size_t k = 0; k < DEVICES; k++)
    for (size_t i = 0; i < 2; i++) {
      tsr_tile tile = {.struct_size = sizeof tile};
      assert_null(tsr_program_argument_tile(p, 0, i, k, &tile));
      assert_string_equal(tile.global, i ? "tensor<4x3xf32>" : "tensor<7x4xf32>");
      assert_false(tile.is_sum);
      cut(&tile, i ? w : x, parts[2 * k + i]);
      inputs[2 * k + i] = (tsr_buffer){.struct_size = sizeof(tsr_buffer),
                                       .dtype = TSR_F32,
                                       .rank = 2,
                                       .dims = tile.tile,
                                       .data = parts[2 * k + i]};
      outputs[k] = (tsr_buffer){.struct_size = sizeof(tsr_buffer)};
    }
  tsr_evaluate_options run = {.struct_size = sizeof run, .partitions = DEVICES};
  assert_null(tsr_program_evaluate(p, NULL, &run, 2 * DEVICES, inputs, DEVICES, outputs));
  for (size_t k = 0; k < DEVICES; k++) {
    tsr_tile tile = {.struct_size = sizeof tile};
    assert_null(tsr_program_result_tile(p, 0, 0, k, &tile));
    const float *y = outputs[k].data;
    for (int64_t i = 0; i < tile.extent[0]; i++)
      for (int64_t j = 0; j < tile.extent[1]; j++) {
        int64_t row = tile.offset[0] + i, column = tile.offset[1] + j;
        float want = 0;
        for (int64_t d = 0; d < 4; d++) want += x[row * 4 + d] * w[d * 3 + column];
        assert_true(y[i * tile.tile[1] + j] == want);
      }
    tsr_buffer_free(&outputs[k]);
  }
  // As many buffers as one device takes are too few.
  tsr_error *error = tsr_program_evaluate(p, NULL, &run, 2, inputs, 1, outputs);
  assert_string_equal(
      tsr_error_message(error),
      "the function takes 8 inputs and gives 4 outputs on all partitions together, not 2 and 1");
  tsr_error_free(error);
  tsr_program_free(p);
}

static void test_groups_by_axes(void **state) {
  (void)state;
  tsr_program *p = NULL;
  tsr_partition_options options = {.mesh_axes = 1, .machine = "h100"};
  assert_null(load_partitioned(&options, &p, NULL, NULL));
  char *printed;
  size_t size;
  assert_null(tsr_program_print(p, NULL, &printed, &size));
  assert_non_null(strstr(printed, "replica_group_mesh_axes<mesh = @mesh, axes = "
                                  "[#stablehlo.axis_ref<name = \"model\">]>"));
  tsr_text_free(printed);
  tsr_program_free(p);
}

static void test_errors(void **state) {
  (void)state;
  tsr_program *p = NULL;
  tsr_partition_options options = {.machine = "{\"name\": 3}"};
  tsr_error *error = load_partitioned(&options, &p, NULL, NULL);
  assert_int_equal(tsr_error_code(error), 3);
  tsr_error_free(error);
  tsr_program_free(p);
  options = (tsr_partition_options){.machine = "z80"};
  error = load_partitioned(&options, &p, NULL, NULL);
  assert_non_null(
      strstr(tsr_error_message(error), "no machine is called 'z80': there are default"));
  tsr_error_free(error);
  tsr_program_free(p);
  options = (tsr_partition_options){.collectives = "double"};
  error = load_partitioned(&options, &p, NULL, NULL);
  assert_non_null(strstr(tsr_error_message(error), "collectives have no form 'double'"));
  tsr_error_free(error);
  tsr_program_free(p);
  options = (tsr_partition_options){.collectives = "single"};
  assert_null(load_partitioned(&options, &p, NULL, NULL));
  tsr_program_free(p);
  options = (tsr_partition_options){0};
  assert_null(load_partitioned(&options, &p, NULL, NULL));
  tsr_tile tile = {.struct_size = sizeof tile};
  error = tsr_program_argument_tile(p, 0, 0, DEVICES, &tile);
  assert_string_equal(tsr_error_message(error), "device 4 does not exist: there are 4");
  tsr_error_free(error);
  error = tsr_program_result_tile(p, 0, 1, 0, &tile);
  assert_string_equal(tsr_error_message(error), "result 1 does not exist: there are 1");
  tsr_error_free(error);
  error = tsr_program_result_tile(p, 1, 0, 0, &tile);
  assert_int_equal(tsr_error_code(error), 11);
  tsr_error_free(error);
  tsr_program_free(p);
}

static tsr_error *try_once(void) {
  tsr_program *p = NULL;
  tsr_partition_options options = {.why = 1, .mesh_axes = 1};
  tsr_error *error = load_partitioned(&options, &p, NULL, NULL);
  tsr_tile tile = {.struct_size = sizeof tile};
  if (!error) error = tsr_program_argument_tile(p, 0, 0, 1, &tile);
  tsr_program_free(p);
  return error;
}

static void test_no_memory(void **state) {
  (void)state;
  mem_fail_at(0);
  assert_null(try_once());
  uint64_t made = mem_fail_at(0);
  for (uint64_t k = 1; k <= made; k++) {
    mem_fail_at(k);
    tsr_error *error = try_once();
    mem_fail_at(0);
    assert_int_equal(tsr_error_code(error), 8);
    tsr_error_free(error);
  }
}

typedef struct Told {
  uint32_t deciding, trying, evaluating;
  uint64_t total;
} Told;

static void tell(void *user, const char *stage, uint64_t done, uint64_t total) {
  Told *told = user;
  assert_true(!total || done <= total);
  told->deciding += strcmp(stage, "deciding ops") == 0;
  told->trying += strcmp(stage, "trying orders of annotations") == 0;
  told->evaluating += strcmp(stage, "evaluating ops") == 0;
  if (strcmp(stage, "deciding ops") == 0) told->total = total;
}

static void test_progress(void **state) {
  (void)state;
  static const char small[] = "func.func @main(%x: tensor<4x4xf32>, %w: tensor<4x4xf32>) -> "
                              "tensor<4x4xf32> {\n"
                              "  %0 = stablehlo.add %x, %w : tensor<4x4xf32>\n"
                              "  return %0 : tensor<4x4xf32>\n}\n";
  static const char *const rules[] = {"x=P(\"a\")", "w=P(None, \"a\")"};
  tsr_program *p = NULL;
  assert_null(tsr_program_load(small, sizeof small - 1, NULL, &p));
  Told told = {0}, own = {0};
  tsr_propagate_options annotations = {.struct_size = sizeof annotations,
                                       .mesh = "a=2",
                                       .n_rules = 2,
                                       .rules = rules,
                                       .by_cost = 1,
                                       .progress = tell,
                                       .progress_user = &told};
  tsr_partition_options options = {.struct_size = sizeof options, .annotations = &annotations};
  assert_null(tsr_program_partition(p, &options, NULL, NULL));
  assert_true(told.deciding && told.trying && told.total);
  tsr_program_free(p);
  // The partition's own is told instead.
  assert_null(tsr_program_load(small, sizeof small - 1, NULL, &p));
  options.progress = tell;
  options.progress_user = &own;
  told = (Told){0};
  assert_null(tsr_program_partition(p, &options, NULL, NULL));
  assert_true(own.deciding && !told.deciding);
  tsr_program_free(p);
  assert_null(tsr_program_load(small, sizeof small - 1, NULL, &p));
  float data[16] = {0};
  int64_t dims[2] = {4, 4};
  tsr_buffer in = {
      .struct_size = sizeof in, .dtype = TSR_F32, .rank = 2, .dims = dims, .data = data};
  tsr_buffer both[2] = {in, in}, out = {.struct_size = sizeof out};
  tsr_evaluate_options evaluate = {
      .struct_size = sizeof evaluate, .progress = tell, .progress_user = &told};
  assert_null(tsr_program_evaluate(p, NULL, &evaluate, 2, both, 1, &out));
  assert_true(told.evaluating);
  tsr_buffer_free(&out);
  tsr_program_free(p);
}

// The text of a partitioned program says for how many devices it is, and what each of them has; a
// limit too low for its arguments is told before it runs.
static void test_loaded_again(void **state) {
  (void)state;
  tsr_program *p = NULL, *again = NULL;
  tsr_partition_options options = {.why = 0};
  size_t n = 99, size;
  char *printed;
  assert_null(tsr_program_load(text, sizeof text - 1, NULL, &p));
  assert_null(tsr_program_devices(p, &n));
  assert_int_equal(n, 0);
  tsr_program_free(p);
  assert_null(load_partitioned(&options, &p, NULL, NULL));
  assert_null(tsr_program_devices(p, &n));
  assert_int_equal(n, DEVICES);
  assert_null(tsr_program_print(p, NULL, &printed, &size));
  assert_null(tsr_program_load(printed, size, NULL, &again));
  tsr_text_free(printed);
  assert_null(tsr_program_devices(again, &n));
  assert_int_equal(n, DEVICES);
  tsr_tile tile = {.struct_size = sizeof tile};
  assert_null(tsr_program_argument_tile(again, 0, 0, DEVICES - 1, &tile));
  assert_string_equal(tile.global, "tensor<7x4xf32>");
  assert_int_equal(tile.offset[0], 4);
  tsr_buffer inputs[2 * DEVICES], outputs[DEVICES];
  for (size_t i = 0; i < 2 * DEVICES; i++) inputs[i] = (tsr_buffer){.struct_size = sizeof *inputs};
  for (size_t i = 0; i < DEVICES; i++) outputs[i] = (tsr_buffer){.struct_size = sizeof *outputs};
  tsr_evaluate_options run = {
      .struct_size = sizeof run, .partitions = DEVICES, .memory_limit = 200};
  tsr_error *error = tsr_program_evaluate(again, NULL, &run, 2 * DEVICES, inputs, DEVICES, outputs);
  assert_int_equal(tsr_error_code(error), 8);
  assert_non_null(strstr(tsr_error_message(error), "but memory_limit allows 200 bytes"));
  tsr_error_free(error);
  tsr_program_free(again);
  tsr_program_free(p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_run),      cmocka_unit_test(test_groups_by_axes),
      cmocka_unit_test(test_progress), cmocka_unit_test(test_loaded_again),
      cmocka_unit_test(test_errors),   cmocka_unit_test(test_no_memory)};
  return cmocka_run_group_tests_name("api_partition", tests, NULL, NULL);
}
