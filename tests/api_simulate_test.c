// Predictions through the public C API: those of `tessera simulate`, for annotated, partitioned and
// local programs; machines with shapes, from files and by description; structs of other versions.
#include <tessera/tessera.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/mem.h"

static const char text[] =
    "func.func @main(%x: tensor<64x32xf32>, %w: tensor<32x16xf32>) -> tensor<64x16xf32> {\n"
    "  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]"
    " : (tensor<64x32xf32>, tensor<32x16xf32>) -> tensor<64x16xf32>\n"
    "  %1 = stablehlo.tanh %0 : tensor<64x16xf32>\n"
    "  return %1 : tensor<64x16xf32>\n"
    "}\n";

static const char *const rules[] = {"x=P(None, \"a\")", "w=P(\"a\")"};
static const tsr_propagate_options annotations = {
    .struct_size = sizeof annotations, .mesh = "a=4", .n_rules = 2, .rules = rules};
static const tsr_partition_options partition = {.struct_size = sizeof partition,
                                                .annotations = &annotations};
static const tsr_simulate_options options = {
    .struct_size = sizeof options, .partition = &partition, .trace = 1, .report = 1};

static void good(tsr_error *error) {
  if (error) fail_msg("%s", tsr_error_message(error));
}

static void fails(tsr_error *error, tsr_code code, const char *part) {
  if (!error) fail_msg("no error; expected: %s", part);
  if (!strstr(tsr_error_message(error), part))
    fail_msg("%s; expected: %s", tsr_error_message(error), part);
  assert_int_equal(tsr_error_code(error), code);
  tsr_error_free(error);
}

static tsr_program *load(void) {
  tsr_program *p = NULL;
  good(tsr_program_load(text, sizeof text - 1, NULL, &p));
  return p;
}

static tsr_step step_of(const tsr_simulation *s) {
  tsr_step step = {.struct_size = sizeof step};
  good(tsr_simulation_step(s, &step));
  return step;
}

static tsr_simulation *simulate(tsr_program *p, const char *machine,
                                const tsr_simulate_options *o) {
  tsr_simulation *s = NULL;
  good(tsr_program_simulate(p, machine, o, &s));
  return s;
}

static void has(char *whole, const char *part) {
  if (!strstr(whole, part)) fail_msg("%s; expected: %s", whole, part);
  tsr_text_free(whole);
}

// The program is partitioned in a copy; a partitioned one gives the same numbers.
static void test_annotated(void **state) {
  (void)state;
  tsr_program *p = load();
  tsr_simulation *s = simulate(p, "h100:4", &options);
  tsr_step step = step_of(s);
  size_t devices = 9;
  good(tsr_program_devices(p, &devices));
  assert_int_equal(devices, 0);  // unchanged
  assert_string_equal(step.machine, "h100:4");
  assert_int_equal(step.devices, 4);
  assert_true(step.seconds > 0 && step.compute_seconds > 0 && step.waiting_seconds > 0);
  assert_true(step.seconds > 0.999 * (step.compute_seconds + step.waiting_seconds));
  assert_true(step.collective_seconds >= step.waiting_seconds);
  // x: 64x8, w: 8x16, the partial sums and the result: 64x16 each.
  assert_true(step.argument_bytes == 4.0 * (64 * 8 + 8 * 16));
  assert_true(step.result_bytes == 4.0 * 64 * 16);
  assert_true(step.peak_bytes >= step.argument_bytes + step.result_bytes);
  assert_true(step.model_utilization > 0 && step.model_utilization <= step.utilization);
  assert_true(!step.guess && !step.unknown_loops);
  assert_int_equal(step.n_collectives, 1);
  tsr_step_collective c = {.struct_size = sizeof c};
  good(tsr_simulation_collective(s, 0, &c));
  assert_string_equal(c.kind, "all_reduce");
  assert_string_equal(c.axes, "a");
  assert_true(c.count == 1 && c.runs == 1 && c.bytes == step.bytes);
  assert_true(c.seconds == step.collective_seconds && c.waiting_seconds == step.waiting_seconds);
  double bytes = 0;
  for (size_t i = 0; i < step.n_values; i++) {
    tsr_step_value v = {.struct_size = sizeof v};
    good(tsr_simulation_value(s, i, &v));
    bytes += v.bytes;
    if (strcmp(v.name, "%x") == 0 || strcmp(v.name, "x") == 0) {
      assert_string_equal(v.type, "tensor<64x8xf32>");
      assert_int_equal(v.kind, TSR_LIVE_ARGUMENT);
    }
  }
  assert_true(bytes == step.peak_bytes);
  assert_non_null(strstr(step.peak_op, "stablehlo."));
  char *out = NULL;
  good(tsr_simulation_text(s, &out));
  has(out, "machine        h100:4, 4 devices, mesh a=4\n");
  good(tsr_simulation_json(s, &out));
  has(out, "\"kind\":\"all_reduce\",\"axes\":\"a\"");
  good(tsr_simulation_trace(s, &out));
  has(out, "\"traceEvents\"");
  // A page with the reasons, though the program was not partitioned with `why`.
  good(tsr_simulation_report(s, &out));
  assert_non_null(strstr(out, "\"kind\":\"all_reduce\""));
  assert_non_null(strstr(out, "is a partial sum over"));
  has(out, "</html>");
  fails(tsr_simulation_collective(s, 1, &c), TSR_ERROR_OUT_OF_RANGE,
        "collective 1 does not exist: there are 1");
  tsr_step_value v = {.struct_size = sizeof v};
  fails(tsr_simulation_value(s, step.n_values, &v), TSR_ERROR_OUT_OF_RANGE, "does not exist");

  tsr_partition_options for_machine = partition;
  for_machine.machine = "h100:4";
  good(tsr_program_partition(p, &for_machine, NULL, NULL));
  tsr_simulation *again = simulate(p, "h100:4", NULL);
  tsr_step other = step_of(again);
  assert_true(other.seconds == step.seconds && other.peak_bytes == step.peak_bytes);
  assert_true(other.model_utilization == step.model_utilization);
  fails(tsr_simulation_trace(again, &out), TSR_ERROR_FAILED_PRECONDITION, "no trace was kept");
  fails(tsr_simulation_report(again, &out), TSR_ERROR_FAILED_PRECONDITION, "no page was kept");
  good(tsr_program_traffic(p, &out));
  has(out, "\"predicted\":{\"machine\":{\"name\":\"h100\",\"shape\":[4]}");
  tsr_simulation_free(again);
  tsr_simulation_free(s);
  tsr_program_free(p);
}

// A local program from its text; one of another tool, whose axes a mesh names.
static void test_local(void **state) {
  (void)state;
  tsr_program *p = load(), *q = NULL;
  char *local = NULL;
  size_t size;
  good(tsr_program_partition(p, &partition, NULL, NULL));
  good(tsr_program_print(p, NULL, &local, &size));
  good(tsr_program_load(local, size, NULL, &q));
  tsr_simulation *a = simulate(p, "a100:8", NULL), *b = simulate(q, "a100:8", NULL);
  assert_true(step_of(a).seconds == step_of(b).seconds);
  assert_true(step_of(b).model_utilization == -1);  // the global program is unknown
  tsr_simulation_free(a);
  tsr_simulation_free(b);
  tsr_program_free(q);
  tsr_text_free(local);
  tsr_program_free(p);
  static const char other[] =
      "func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {\n"
      "  %0 = \"stablehlo.all_reduce\"(%x) <{replica_groups = dense<[[0, 1], [2, 3]]> :"
      " tensor<2x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>,"
      " use_global_device_ids}> ({\n"
      "  ^bb0(%a: tensor<f32>, %b: tensor<f32>):\n"
      "    %s = stablehlo.add %a, %b : tensor<f32>\n"
      "    stablehlo.return %s : tensor<f32>\n"
      "  }) : (tensor<8xf32>) -> tensor<8xf32>\n"
      "  return %0 : tensor<8xf32>\n"
      "}\n";
  good(tsr_program_load(other, sizeof other - 1, NULL, &p));
  tsr_simulate_options as_is = {.struct_size = sizeof as_is, .local = 1, .mesh = "u=2,v=2"};
  a = simulate(p, "h100:8", &as_is);
  tsr_step_collective c = {.struct_size = sizeof c};
  good(tsr_simulation_collective(a, 0, &c));
  assert_string_equal(c.axes, "v");
  tsr_simulation_free(a);
  tsr_program_free(p);
}

// Loops of unknown length are guesses unless the caller counts them.
static void test_guess(void **state) {
  (void)state;
  static const char loop[] =
      "func.func @main(%x: tensor<8xf32>, %n: tensor<i32>) -> tensor<8xf32> {\n"
      "  %z = stablehlo.constant dense<0> : tensor<i32>\n"
      "  %o = stablehlo.constant dense<1> : tensor<i32>\n"
      "  %r:2 = stablehlo.while(%i = %z, %v = %x) : tensor<i32>, tensor<8xf32>\n"
      "  cond {\n"
      "    %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
      "    stablehlo.return %c : tensor<i1>\n"
      "  } do {\n"
      "    %j = stablehlo.add %i, %o : tensor<i32>\n"
      "    %w = stablehlo.tanh %v : tensor<8xf32>\n"
      "    stablehlo.return %j, %w : tensor<i32>, tensor<8xf32>\n"
      "  }\n"
      "  return %r#1 : tensor<8xf32>\n"
      "}\n";
  tsr_program *p = NULL;
  good(tsr_program_load(loop, sizeof loop - 1, NULL, &p));
  tsr_simulation *guessed = simulate(p, "h100", NULL);
  tsr_step a = step_of(guessed);
  assert_true(a.guess && a.unknown_loops == 1 && a.trip_count == 100);
  tsr_simulate_options ten = {.struct_size = sizeof ten, .trip_count = 10};
  tsr_simulation *counted = simulate(p, "h100", &ten);
  tsr_step b = step_of(counted);
  assert_true(!b.guess && b.trip_count == 10 && b.seconds < a.seconds);
  tsr_simulation_free(guessed);
  tsr_simulation_free(counted);
  tsr_program_free(p);
}

static void test_machines(void **state) {
  (void)state;
  tsr_program *p = load();
  tsr_simulation *s = NULL;
  char *json = NULL;
  bool found = false;
  for (size_t i = 0; i < tsr_machine_count(); i++)
    found |= strcmp(tsr_machine_name(i), "tpu_v5p") == 0;
  assert_true(found);
  good(tsr_machine_describe("h100:8x4", &json));
  assert_non_null(strstr(json, "\"shape\":[8,4]"));
  // As a description and as a file.
  s = simulate(p, json, &options);
  assert_string_equal(step_of(s).machine, "h100:8x4");
  double seconds = step_of(s).seconds;
  tsr_simulation_free(s);
  char path[] = "/tmp/tessera-machine-XXXXXX";
  int file = mkstemp(path);
  assert_true(file >= 0);
  assert_int_equal(write(file, json, strlen(json)), (ssize_t)strlen(json));
  s = simulate(p, path, &options);
  assert_true(step_of(s).seconds == seconds);
  tsr_simulation_free(s);
  assert_int_equal(ftruncate(file, 20), 0);
  s = NULL;
  fails(tsr_program_simulate(p, path, &options, &s), TSR_ERROR_INVALID_ARGUMENT, path);
  close(file);
  unlink(path);
  tsr_text_free(json);
  fails(tsr_program_simulate(p, "abacus", &options, &s), TSR_ERROR_INVALID_ARGUMENT,
        "no machine is called 'abacus': there are default");
  fails(tsr_program_simulate(p, "-", &options, &s), TSR_ERROR_INVALID_ARGUMENT,
        "no machine is called '-'");
  fails(tsr_program_simulate(p, "h100:", &options, &s), TSR_ERROR_INVALID_ARGUMENT,
        "'' is no shape");
  fails(tsr_program_simulate(p, "h100:2", &options, &s), TSR_ERROR_INVALID_ARGUMENT,
        "the program is for 4 devices, and the shape of machine h100 has 2");
  fails(tsr_machine_describe("{\"name\": 3}", &json), TSR_ERROR_INVALID_ARGUMENT,
        "a machine needs \"device\"");
  assert_null(s);
  tsr_partition_options shaped = partition;
  shaped.machine = "tpu_v5p:2x2";
  good(tsr_program_partition(p, &shaped, NULL, NULL));
  tsr_program_free(p);
}

// A caller of an older version gets its fields; the fields behind them stay as they are.
static void test_struct_sizes(void **state) {
  (void)state;
  tsr_program *p = load();
  tsr_simulation *s = simulate(p, NULL, &options);
  tsr_step step = {.struct_size = offsetof(tsr_step, bytes), .bytes = 77};
  good(tsr_simulation_step(s, &step));
  assert_true(step.seconds > 0 && step.bytes == 77);
  step.struct_size = offsetof(tsr_step, machine) + 3;  // in the middle of a pointer
  fails(tsr_simulation_step(s, &step), TSR_ERROR_INVALID_ARGUMENT, "struct_size of a tsr_step");
  tsr_simulate_options old = {
      .struct_size = offsetof(tsr_simulate_options, trace), .partition = &partition, .trace = 1};
  tsr_simulation *without = simulate(p, NULL, &old);
  char *out = NULL;
  fails(tsr_simulation_trace(without, &out), TSR_ERROR_FAILED_PRECONDITION, "no trace was kept");
  tsr_simulation_free(without);
  for (size_t bytes = 1; bytes < offsetof(tsr_simulate_options, local); bytes++) {
    if (bytes % sizeof(size_t) == 0) continue;
    tsr_simulate_options cut = {.struct_size = bytes, .partition = &partition};
    fails(tsr_program_simulate(p, NULL, &cut, &without), TSR_ERROR_INVALID_ARGUMENT,
          "struct_size of a tsr_simulate_options");
  }
  tsr_simulation_free(s);
  tsr_program_free(p);
}

// The k-th allocation fails, for every k: RESOURCE_EXHAUSTED, and under ASan nothing leaks.
static void test_no_memory(void **state) {
  (void)state;
  tsr_program *p = load();
  tsr_simulation *s = NULL;
  mem_fail_at(0);
  tsr_simulation_free(simulate(p, "h100:4", &options));
  uint64_t allocations = mem_fail_at(0);
  for (uint64_t k = 1; k <= allocations; k += 1 + k / 40) {
    mem_fail_at(k);
    tsr_error *error = tsr_program_simulate(p, "h100:4", &options, &s);
    mem_fail_at(0);
    if (!error) {
      tsr_simulation_free(s);
      continue;
    }
    assert_int_equal(tsr_error_code(error), TSR_ERROR_RESOURCE_EXHAUSTED);
    tsr_error_free(error);
  }
  tsr_simulation_free(simulate(p, "h100:4", &options));  // the program still works
  tsr_program_free(p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_annotated),    cmocka_unit_test(test_local),
      cmocka_unit_test(test_guess),        cmocka_unit_test(test_machines),
      cmocka_unit_test(test_struct_sizes), cmocka_unit_test(test_no_memory)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
