// Compiling once and running many times, on the caller's memory.
#include <tessera/tessera.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char scale[] =
    "func.func @main(%x: tensor<4xf32>, %s: tensor<f32>) -> (tensor<4xf32>, tensor<4xf32>) {\n"
    "  %b = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<f32>) -> tensor<4xf32>\n"
    "  %y = stablehlo.multiply %x, %b : tensor<4xf32>\n"
    "  %z = stablehlo.add %y, %x : tensor<4xf32>\n"
    "  return %y, %z : tensor<4xf32>, tensor<4xf32>\n"
    "}\n";

static const char sum[] =
    "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n"
    "  %r = \"stablehlo.all_reduce\"(%x) ({\n"
    "  ^bb0(%a: tensor<f32>, %b: tensor<f32>):\n"
    "    %c = stablehlo.add %a, %b : tensor<f32>\n"
    "    stablehlo.return %c : tensor<f32>\n"
    "  }) {replica_groups = dense<[[0, 1, 2]]> : tensor<1x3xi64>,\n"
    "      channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>,\n"
    "      use_global_device_ids} : (tensor<4xf32>) -> tensor<4xf32>\n"
    "  return %r : tensor<4xf32>\n"
    "}\n";

static const int64_t four = 4;

static tsr_program *load(const char *text) {
  tsr_program *program = NULL;
  tsr_error *error = tsr_program_load(text, strlen(text), NULL, &program);
  if (error) fail_msg("%s", tsr_error_message(error));
  return program;
}

static void good(tsr_error *error) {
  if (error) fail_msg("%s", tsr_error_message(error));
}

static void bad(tsr_error *error, tsr_code code, const char *text) {
  assert_non_null(error);
  assert_int_equal(tsr_error_code(error), code);
  if (!strstr(tsr_error_message(error), text)) fail_msg("%s", tsr_error_message(error));
  tsr_error_free(error);
}

static tsr_buffer vector(float *data) {
  return (tsr_buffer){
      .struct_size = sizeof(tsr_buffer), .dtype = TSR_F32, .rank = 1, .dims = &four, .data = data};
}

// The executable outlives its program; aligned and unaligned memory give the same results.
static void test_many_runs(void **state) {
  (void)state;
  tsr_program *program = load(scale);
  tsr_executable *x;
  good(tsr_program_compile(program, NULL, NULL, &x));
  tsr_program_free(program);
  float *memory = aligned_alloc(64, 1024);
  assert_non_null(memory);
  for (int run = 0; run < 100; run++) {
    size_t shift = (size_t)run % 3;  // in elements: 4 bytes are less than the alignment
    float *in = memory + shift, *out = memory + 64 + shift, factor = (float)run;
    for (int i = 0; i < 4; i++) in[i] = (float)(i + run);
    tsr_buffer inputs[2] = {vector(in), vector(&factor)};
    inputs[1].rank = 0;
    tsr_buffer outputs[2] = {vector(out), {.struct_size = sizeof(tsr_buffer)}};
    good(tsr_executable_run(x, 2, inputs, 2, outputs));
    for (int i = 0; i < 4; i++) {
      assert_true(out[i] == in[i] * factor);
      assert_true(((float *)outputs[1].data)[i] == in[i] * factor + in[i]);
    }
    assert_int_equal(outputs[1].rank, 1);
    assert_int_equal(outputs[1].dims[0], 4);
    tsr_buffer_free(&outputs[1]);
  }
  char *stats;
  good(tsr_executable_stats(x, &stats));
  assert_non_null(strstr(stats, "\"temporary_bytes\""));
  tsr_text_free(stats);
  tsr_executable_free(x);
  free(memory);
}

static void test_devices(void **state) {
  (void)state;
  tsr_program *program = load(sum);
  tsr_executable *x;
  tsr_compile_options options = {.struct_size = sizeof options, .partitions = 3, .workers = 2};
  good(tsr_program_compile(program, "main", &options, &x));
  float in[3][4], out[3][4];
  tsr_buffer inputs[3], outputs[3];
  for (int d = 0; d < 3; d++) {
    for (int i = 0; i < 4; i++) in[d][i] = (float)(10 * d + i);
    inputs[d] = vector(in[d]);
    outputs[d] = vector(out[d]);
  }
  for (int run = 0; run < 50; run++) {
    memset(out, 0, sizeof out);
    good(tsr_executable_run(x, 3, inputs, 3, outputs));
    for (int d = 0; d < 3; d++)
      for (int i = 0; i < 4; i++) assert_true(out[d][i] == (float)(30 + 3 * i));
  }
  tsr_executable_free(x);
  tsr_program_free(program);
}

static void test_refusals(void **state) {
  (void)state;
  tsr_program *program = load(scale);
  tsr_executable *x;
  tsr_compile_options options = {.struct_size = sizeof options, .device_memory = 10};
  bad(tsr_program_compile(program, NULL, &options, &x), TSR_ERROR_RESOURCE_EXHAUSTED,
      "limited to 10 (--device-memory)");
  bad(tsr_program_compile(program, "other", NULL, &x), TSR_ERROR_NOT_FOUND, "@other");
  good(tsr_program_compile(program, NULL, NULL, &x));
  float data[4] = {0};
  tsr_buffer inputs[2] = {vector(data), vector(data)}, output = vector(data);
  tsr_buffer outputs[2] = {output, output};
  bad(tsr_executable_run(x, 2, inputs, 2, outputs), TSR_ERROR_INVALID_ARGUMENT,
      "input 1 does not fit the argument's type tensor<f32>");
  bad(tsr_executable_run(x, 1, inputs, 2, outputs), TSR_ERROR_INVALID_ARGUMENT,
      "takes 2 inputs and gives 2 outputs, not 1 and 2");
  inputs[1].rank = 0;
  outputs[1].dtype = TSR_I32;
  bad(tsr_executable_run(x, 2, inputs, 2, outputs), TSR_ERROR_INVALID_ARGUMENT,
      "output 1 does not fit the result's type tensor<4xf32>");
  tsr_executable_free(x);
  tsr_program_free(program);
  program = load("func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {\n"
                 "  return %x : tensor<?xf32>\n}\n");
  bad(tsr_program_compile(program, NULL, NULL, &x), TSR_ERROR_UNIMPLEMENTED, "tensor<?xf32>");
  tsr_program_free(program);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_many_runs),
      cmocka_unit_test(test_devices),
      cmocka_unit_test(test_refusals),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
