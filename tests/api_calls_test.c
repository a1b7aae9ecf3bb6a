// Custom calls that the caller of the C API runs: on its own thread, once for all devices, in the
// program's order; and scatter's rule.
#include <tessera/tessera.h>

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"

static const char text[] =
    "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n"
    "  %t = stablehlo.create_token : !stablehlo.token\n"
    "  %0:2 = stablehlo.custom_call @twice(%x, %t) {backend_config = \"a\", has_side_effect = "
    "true} "
    ": (tensor<4xf32>, !stablehlo.token) -> (tensor<4xf32>, !stablehlo.token)\n"
    "  %1 = stablehlo.custom_call @xla_ffi_python_cpu_callback(%0#0) {mhlo.backend_config = {index "
    "= "
    "7 : ui64}} : (tensor<4xf32>) -> tensor<4xf32>\n"
    "  return %1 : tensor<4xf32>\n"
    "}\n";

typedef struct Host {
  pthread_t thread;
  char seen[256];
  int fail_with;  // of @twice
} Host;

static int twice(void *user, const tsr_custom_call *call, const tsr_buffer *operands,
                 tsr_buffer *results, char *message, size_t message_size) {
  Host *host = user;
  size_t used = strlen(host->seen);
  snprintf(host->seen + used, sizeof host->seen - used, "%s(%s)%s ", call->target,
           call->backend_config, pthread_equal(pthread_self(), host->thread) ? "" : " elsewhere");
  if (host->fail_with && strcmp(call->target, "twice") == 0) {
    snprintf(message, message_size, "no luck with %zu operands", call->n_operands);
    return host->fail_with;
  }
  assert_int_equal(operands[0].dtype, TSR_F32);
  assert_int_equal(operands[0].rank, 1);
  assert_int_equal(operands[0].dims[0], 4);
  if (call->n_operands > 1) {
    assert_int_equal(operands[1].dtype, TSR_INVALID);
    assert_int_equal(results[1].dtype, TSR_INVALID);
  }
  assert_string_equal(call->results[0]->text, "tensor<4xf32>");
  for (int i = 0; i < 4; i++)
    ((float *)results[0].data)[i] = 2 * ((const float *)operands[0].data)[i];
  return 0;
}

static tsr_error *run(tsr_program *p, Host *host, size_t devices, float *out) {
  host->thread = pthread_self();
  float x[4] = {1, 2, 3, 4};
  int64_t part = 4 / (int64_t)devices;
  tsr_buffer in[4] = {{0}}, results[4] = {{0}};
  for (size_t i = 0; i < devices; i++) {
    in[i] = (tsr_buffer){sizeof in[i], TSR_F32, 1, &part, x + (int64_t)i * part};
    results[i] = (tsr_buffer){.struct_size = sizeof results[i]};
  }
  tsr_evaluate_options options = {.struct_size = sizeof options,
                                  .partitions = devices,
                                  .custom_call = host->fail_with < 0 ? NULL : twice,
                                  .custom_call_user = host};
  tsr_error *error = tsr_program_evaluate(p, NULL, &options, devices, in, devices, results);
  for (size_t i = 0; !error && i < devices; i++) {
    memcpy(out + (int64_t)i * part, results[i].data, sizeof(float) * (size_t)part);
    tsr_buffer_free(&results[i]);
  }
  return error;
}

static void test_call(void **state) {
  (void)state;
  tsr_program *p = NULL;
  assert_null(tsr_program_load(text, sizeof text - 1, NULL, &p));
  Host host = {0};
  float out[4];
  assert_null(run(p, &host, 1, out));
  assert_string_equal(host.seen, "twice(a) xla_ffi_python_cpu_callback({index = 7 : ui64}) ");
  assert_true(out[3] == 16);
  host = (Host){.fail_with = 9};
  tsr_error *error = run(p, &host, 1, out);
  assert_int_equal(tsr_error_code(error), 9);
  assert_non_null(strstr(tsr_error_message(error), "<memory>:3:"));
  assert_non_null(
      strstr(tsr_error_message(error), "custom call @twice failed: no luck with 2 operands"));
  tsr_error_free(error);
  for (host.fail_with = 12; host.fail_with >= -1; host.fail_with -= 13) {  // not known; no host
    error = run(p, &host, 1, out);
    assert_int_equal(tsr_error_code(error), 12);
    assert_non_null(strstr(tsr_error_message(error), "custom call @twice is unknown"));
    tsr_error_free(error);
  }
  host.fail_with = 77;
  error = run(p, &host, 1, out);
  assert_int_equal(tsr_error_code(error), 2);
  tsr_error_free(error);
  tsr_program_free(p);
}

// Both run once, in order, on the global values: one has a side effect, the other calls back.
static void test_once(void **state) {
  (void)state;
  tsr_program *p = NULL;
  assert_null(tsr_program_load(text, sizeof text - 1, NULL, &p));
  const char *rules[] = {"x=P(\"a\")", "result0=P(\"a\")"};
  tsr_propagate_options annotations = {
      .struct_size = sizeof annotations, .mesh = "a=4", .n_rules = 2, .rules = rules};
  tsr_partition_options options = {.struct_size = sizeof options, .annotations = &annotations};
  size_t devices;
  assert_null(tsr_program_partition(p, &options, &devices, NULL));
  assert_int_equal(devices, 4);
  Host host = {0};
  float out[4];
  assert_null(run(p, &host, devices, out));
  assert_string_equal(host.seen, "twice(a) xla_ffi_python_cpu_callback({index = 7 : ui64}) ");
  assert_true(out[0] == 4 && out[1] == 8 && out[2] == 12 && out[3] == 16);
  host = (Host){.fail_with = 9};
  tsr_error *error = run(p, &host, devices, out);
  assert_int_equal(tsr_error_code(error), 9);
  tsr_error_free(error);
  tsr_program_free(p);
}

static void test_scatter(void **state) {
  (void)state;
  static const char scatter[] =
      "func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {\n"
      "  %i = stablehlo.constant dense<-1> : tensor<1xi32>\n"
      "  %u = stablehlo.constant dense<9.0> : tensor<2xf32>\n"
      "  %0 = \"stablehlo.scatter\"(%a, %i, %u) <{scatter_dimension_numbers = "
      "#stablehlo.scatter<update_window_dims = [0], scatter_dims_to_operand_dims = [0]>}> ({\n"
      "  ^bb0(%p: tensor<f32>, %q: tensor<f32>):\n    stablehlo.return %q : tensor<f32>\n"
      "  }) : (tensor<4xf32>, tensor<1xi32>, tensor<2xf32>) -> tensor<4xf32>\n"
      "  return %0 : tensor<4xf32>\n}\n";
  tsr_program *p = NULL;
  assert_null(tsr_program_load(scatter, sizeof scatter - 1, NULL, &p));
  float x[4] = {1, 2, 3, 4};
  int64_t dim = 4;
  for (int rule = TSR_SCATTER_SPEC; rule <= TSR_SCATTER_XLA; rule++) {
    tsr_buffer in = {sizeof in, TSR_F32, 1, &dim, x}, out = {.struct_size = sizeof out};
    tsr_evaluate_options options = {.struct_size = sizeof options, .scatter = (tsr_scatter)rule};
    assert_null(tsr_program_evaluate(p, NULL, &options, 1, &in, 1, &out));
    assert_true(((float *)out.data)[0] == (rule == TSR_SCATTER_XLA ? 1 : 9));
    tsr_buffer_free(&out);
  }
  tsr_buffer in = {sizeof in, TSR_F32, 1, &dim, x}, out = {.struct_size = sizeof out};
  tsr_evaluate_options no_rule = {.struct_size = sizeof no_rule, .scatter = (tsr_scatter)77};
  tsr_error *error = tsr_program_evaluate(p, NULL, &no_rule, 1, &in, 1, &out);
  assert_int_equal(tsr_error_code(error), TSR_ERROR_INVALID_ARGUMENT);
  tsr_error_free(error);
  error = tsr_program_evaluate(p, "no_such_function", NULL, 1, &in, 1, &out);
  assert_int_equal(tsr_error_code(error), TSR_ERROR_NOT_FOUND);
  tsr_error_free(error);
  tsr_program_free(p);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_call), cmocka_unit_test(test_once),
                                     cmocka_unit_test(test_scatter)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
