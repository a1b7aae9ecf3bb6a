// Compiling once and running many times, on the caller's memory.
#include <tessera/tessera.h>

#include <malloc.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
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

// ---- runs in flight ----

static const char wide[] =
    "func.func @main(%x: tensor<400000xf32>) -> (tensor<400000xf32>, tensor<f32>) {\n"
    "  %y = stablehlo.multiply %x, %x : tensor<400000xf32>\n"
    "  %e = stablehlo.exponential %y : tensor<400000xf32>\n"
    "  %z = stablehlo.constant dense<0.0> : tensor<f32>\n"
    "  %s = stablehlo.reduce(%e init: %z) applies stablehlo.maximum across dimensions = [0] :\n"
    "    (tensor<400000xf32>, tensor<f32>) -> tensor<f32>\n"
    "  %b = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<f32>) -> tensor<400000xf32>\n"
    "  %r = stablehlo.subtract %e, %b : tensor<400000xf32>\n"
    "  return %r, %s : tensor<400000xf32>, tensor<f32>\n"
    "}\n";

enum { WIDE = 400000, THREADS = 4, RUNS = 40 };

typedef struct InFlight {
  tsr_executable *small, *wide, *sum;
  float *in, *out;  // of `wide`
  float want, first;
  int number, wrong;
} InFlight;

static void *fly(void *arg) {
  InFlight *x = arg;
  static const int64_t many = WIDE;
  for (int i = 0; i < RUNS && !x->wrong; i++) {
    _Alignas(64) float a[4] = {1, 2, 3, (float)x->number}, s = 2, y[4], z[4], r[3][4], top = 0;
    tsr_buffer in[] = {vector(a), vector(&s)}, out[] = {vector(y), vector(z)};
    in[1].rank = 0;
    if (tsr_executable_run(x->small, 2, in, 2, out)) x->wrong = 1;
    if (y[3] != 2 * (float)x->number || z[0] != 3) x->wrong = 2;
    tsr_buffer parts[] = {vector(a), vector(a), vector(a)},
               sums[] = {vector(r[0]), vector(r[1]), vector(r[2])};
    if (tsr_executable_run(x->sum, 3, parts, 3, sums)) x->wrong = 3;
    if (r[2][3] != 3 * (float)x->number) x->wrong = 4;
    if (i % 4) continue;
    tsr_buffer big = vector(x->in), results[] = {vector(x->out), vector(&top)};
    big.dims = results[0].dims = &many;
    results[1].rank = 0;
    if (tsr_executable_run(x->wide, 1, &big, 2, results)) x->wrong = 5;
    if (top != x->want || x->out[0] != x->first) x->wrong = 6;
  }
  return NULL;
}

static tsr_executable *compile(const char *text, size_t partitions) {
  tsr_program *program = load(text);
  tsr_compile_options options = {
      .struct_size = sizeof options, .workers = 3, .partitions = partitions};
  tsr_executable *x = NULL;
  good(tsr_program_compile(program, NULL, &options, &x));
  tsr_program_free(program);
  return x;
}

static float *aligned_floats(size_t n) {
  return aligned_alloc(64, (n * sizeof(float) + 63) / 64 * 64);
}

// Threads run three executables at the same time, each on its own memory; two of them are copied
// for runs in flight, the one with a collective takes turns.
static void test_in_flight(void **state) {
  (void)state;
  tsr_executable *small = compile(scale, 1), *wide_one = compile(wide, 1), *three = compile(sum, 3);
  InFlight jobs[THREADS];
  pthread_t threads[THREADS];
  for (int t = 0; t < THREADS; t++) {
    float *in = aligned_floats(WIDE), *out = aligned_floats(WIDE), top = 0;
    for (int i = 0; i < WIDE; i++) in[i] = (float)(i % 1000) / (500 + (float)t);
    static const int64_t many = WIDE;
    tsr_buffer big = vector(in), results[] = {vector(out), vector(&top)};
    big.dims = results[0].dims = &many;
    results[1].rank = 0;
    good(tsr_executable_run(wide_one, 1, &big, 2, results));
    jobs[t] = (InFlight){small, wide_one, three, in, out, top, out[0], t, 0};
  }
  for (int t = 0; t < THREADS; t++)
    assert_int_equal(pthread_create(&threads[t], NULL, fly, &jobs[t]), 0);
  for (int t = 0; t < THREADS; t++) {
    pthread_join(threads[t], NULL);
    assert_int_equal(jobs[t].wrong, 0);
    free(jobs[t].in);
    free(jobs[t].out);
  }
  tsr_executable_free(small);
  tsr_executable_free(wide_one);
  tsr_executable_free(three);
}

// 1,000 runs leave the heap as it was: by kernels, by collectives, on unaligned memory.
static void test_no_growth(void **state) {
  (void)state;
  tsr_executable *small = compile(scale, 1), *three = compile(sum, 3);
  _Alignas(64) float a[5] = {1, 2, 3, 4, 5}, s = 2, y[5], z[4], r[3][4];
  bool grown = true;
  // Workers that start late make their memory in a later batch.
  for (int batch = 0; batch < 10 && grown; batch++) {
    size_t before = mallinfo2().uordblks;
    for (int i = 0; i < 1000; i++) {
      tsr_buffer in[] = {vector(a + 1), vector(&s)}, out[] = {vector(y + 1), vector(z)};
      in[1].rank = 0;
      good(tsr_executable_run(small, 2, in, 2, out));
      tsr_buffer parts[] = {vector(a), vector(a), vector(a)},
                 sums[] = {vector(r[0]), vector(r[1]), vector(r[2])};
      good(tsr_executable_run(three, 3, parts, 3, sums));
    }
    grown = mallinfo2().uordblks > before;
  }
  assert_false(grown);
  assert_int_equal(y[4], 10);
  assert_int_equal(r[0][0], 3);
  tsr_executable_free(small);
  tsr_executable_free(three);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_many_runs), cmocka_unit_test(test_devices),
      cmocka_unit_test(test_refusals),  cmocka_unit_test(test_in_flight),
      cmocka_unit_test(test_no_growth),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
