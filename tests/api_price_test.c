// Search through the public C API: push, add an axis, price, pop; a copy for another search; no
// leak when any allocation fails.
#include <tessera/tessera.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"

// x [b,d] @ w [d,f] -> tanh -> @ v [f,d]
static const char text[] =
    "func.func @main(%x: tensor<64x512xf32>, %w: tensor<512x1024xf32>, %v: tensor<1024x512xf32>) "
    "-> tensor<64x512xf32> {\n"
    "  %h = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<64x512xf32>, "
    "tensor<512x1024xf32>) -> tensor<64x1024xf32>\n"
    "  %a = stablehlo.tanh %h : tensor<64x1024xf32>\n"
    "  %y = stablehlo.dot_general %a, %v, contracting_dims = [1] x [0] : (tensor<64x1024xf32>, "
    "tensor<1024x512xf32>) -> tensor<64x512xf32>\n"
    "  return %y : tensor<64x512xf32>\n"
    "}\n";

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

typedef struct World {
  tsr_program *program;
  tsr_propagation *p;
  size_t x, w, v;
} World;

static World open_world(void) {
  World w = {0};
  good(tsr_program_load(text, sizeof text - 1, NULL, &w.program));
  tsr_propagate_options options = {
      .struct_size = sizeof options, .mesh = "data=4,model=2", .machine = "h100:8"};
  good(tsr_propagation_new(w.program, &options, &w.p));
  good(tsr_propagation_value(w.p, "x", &w.x));
  good(tsr_propagation_value(w.p, "w", &w.w));
  good(tsr_propagation_value(w.p, "v", &w.v));
  return w;
}

static void close_world(World *w) {
  tsr_propagation_free(w->p);
  tsr_program_free(w->program);
}

static tsr_price price(const World *w) {
  tsr_price price = {.struct_size = sizeof price};
  good(tsr_propagation_price(w->p, &price));
  assert_true(price.seconds >= price.compute_seconds && price.compute_seconds > 0);
  return price;
}

static void same(tsr_price a, tsr_price b) {
  assert_true(a.seconds == b.seconds && a.compute_seconds == b.compute_seconds);
  assert_true(a.bytes == b.bytes && a.peak_bytes == b.peak_bytes);
}

static void test_price(void **state) {
  (void)state;
  World w = open_world();
  tsr_price none = price(&w);
  assert_true(none.bytes == 0);
  assert_true(none.peak_bytes >= (512. * 1024 * 2 + 64 * 512) * 4);
  // The batch: a quarter of the work, no communication.
  size_t changes = 0;
  good(tsr_propagation_add_axis(w.p, w.x, 0, "data", &changes));
  assert_true(changes >= 4);
  tsr_price data = price(&w);
  assert_true(data.bytes == 0 && data.compute_seconds < none.compute_seconds);
  // Columns of w: rows of v follow, with one all-reduce of the result.
  good(tsr_propagation_push(w.p, w.w, "P(None, \"model\")", NULL));
  char *sharding = NULL;
  good(tsr_propagation_sharding(w.p, w.v, TSR_SDY, &sharding));
  assert_non_null(strstr(sharding, "[{\"model\""));
  tsr_text_free(sharding);
  tsr_price both = price(&w);
  assert_true(both.peak_bytes < data.peak_bytes);
  // A shard of the result has 16 x 512 elements; an all-reduce of 2 devices sends it once.
  assert_true(both.bytes == 16 * 512 * 4);
  // Undone, to the bit; and with the same annotations again.
  good(tsr_propagation_pop(w.p));
  same(price(&w), data);
  good(tsr_propagation_pop(w.p));
  same(price(&w), none);
  assert_true(price(&w).visited == 0);
  good(tsr_propagation_push(w.p, w.x, "[{\"data\", ?}, {?}]", NULL));
  good(tsr_propagation_add_axis(w.p, w.w, 1, "model", NULL));
  same(price(&w), both);
  fails(tsr_propagation_pop(NULL), TSR_ERROR_INVALID_ARGUMENT, "propagation");
  close_world(&w);
}

static void test_copy(void **state) {
  (void)state;
  World w = open_world();
  tsr_program *copy = NULL;
  tsr_propagation_free(w.p);
  good(tsr_program_copy(w.program, &copy));
  tsr_program_free(w.program);
  w.program = copy;
  tsr_propagate_options options = {
      .struct_size = sizeof options, .mesh = "data=4,model=2", .machine = "h100:8"};
  good(tsr_propagation_new(w.program, &options, &w.p));
  World other = open_world();
  same(price(&w), price(&other));
  close_world(&w);
  close_world(&other);
}

static void test_errors(void **state) {
  (void)state;
  World w = open_world();
  fails(tsr_propagation_add_axis(w.p, w.x, 0, "rows", NULL), TSR_ERROR_NOT_FOUND,
        "the mesh has no axis 'rows'");
  fails(tsr_propagation_add_axis(w.p, w.x, 2, "data", NULL), TSR_ERROR_OUT_OF_RANGE,
        "dimension 2 does not exist: the value has 2");
  fails(tsr_propagation_add_axis(w.p, 99, 0, "data", NULL), TSR_ERROR_OUT_OF_RANGE, "value 99");
  good(tsr_propagation_push(w.p, w.x, "P(\"data\", ...)", NULL));
  fails(tsr_propagation_add_axis(w.p, w.x, 1, "data", NULL), TSR_ERROR_FAILED_PRECONDITION,
        "the value has the axis already");
  good(tsr_propagation_push(w.p, w.w, "P(None, None)", NULL));
  fails(tsr_propagation_add_axis(w.p, w.w, 0, "model", NULL), TSR_ERROR_FAILED_PRECONDITION,
        "dimension 0 of the value is closed");
  tsr_price small = {0};
  fails(tsr_propagation_price(w.p, &small), TSR_ERROR_INVALID_ARGUMENT, "tsr_price");
  fails(tsr_propagation_price(w.p, NULL), TSR_ERROR_INVALID_ARGUMENT, "out_price");
  fails(tsr_propagation_add_axis(w.p, w.x, 0, NULL, NULL), TSR_ERROR_INVALID_ARGUMENT, "axis");
  close_world(&w);
  // Without a mesh there is no price.
  tsr_program *p = NULL;
  tsr_propagation *h = NULL;
  good(tsr_program_load(text, sizeof text - 1, NULL, &p));
  good(tsr_propagation_new(p, NULL, &h));
  tsr_price out = {.struct_size = sizeof out};
  fails(tsr_propagation_price(h, &out), TSR_ERROR_FAILED_PRECONDITION, "a price needs one mesh");
  tsr_propagation_free(h);
  tsr_program_free(p);
}

// A plan of tactics.
static void test_tactics(void **state) {
  (void)state;
  World w = open_world();
  tsr_propagate_options mesh = {.struct_size = sizeof mesh, .mesh = "data=4,model=2"};
  tsr_plan_options options = {.struct_size = sizeof options,
                              .machine = "h100:8",
                              .annotations = &mesh,
                              .tactics = "data:data, megatron:model"};
  char *json = NULL, *words = NULL;
  good(tsr_program_plan(w.program, &options, &json, &words));
  assert_non_null(strstr(json, "\"tactics\":["));
  assert_non_null(strstr(words, "megatron:model"));
  tsr_text_free(json);
  tsr_text_free(words);
  options.tactics = "datta:data";
  fails(tsr_program_plan(w.program, &options, &json, NULL), TSR_ERROR_INVALID_ARGUMENT,
        "did you mean data?");
  close_world(&w);
}

static void try_all(uint64_t fail_at) {
  World w = open_world();
  tsr_price out = {.struct_size = sizeof out};
  mem_fail_at(fail_at);
  tsr_error *error = tsr_propagation_price(w.p, &out);
  if (!error) error = tsr_propagation_add_axis(w.p, w.x, 0, "data", NULL);
  if (!error) error = tsr_propagation_price(w.p, &out);
  if (!error) error = tsr_propagation_pop(w.p);
  if (!error) error = tsr_propagation_price(w.p, &out);
  uint64_t n = mem_fail_at(0);
  if (!fail_at) assert_true(n > 10);
  if (error) assert_int_equal(tsr_error_code(error), TSR_ERROR_RESOURCE_EXHAUSTED);
  tsr_error_free(error);
  close_world(&w);
}

static void test_allocations_fail(void **state) {
  (void)state;
  try_all(0);
  for (uint64_t k = 1; k <= 60; k++) try_all(k);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_price), cmocka_unit_test(test_copy),
                                     cmocka_unit_test(test_errors), cmocka_unit_test(test_tactics),
                                     cmocka_unit_test(test_allocations_fail)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
