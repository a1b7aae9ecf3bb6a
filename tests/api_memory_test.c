// Questions of the public C API leave nothing behind: asked a hundred thousand times, a program is
// as large as after the first time.
#include <tessera/tessera.h>

#include <malloc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { TIMES = 100000, MOST_BYTES = 200000 };  // two bytes a time are too many

static const char text[] =
    "func.func @main(%x: tensor<8x4xf32>, %w: tensor<4x6xf32>) -> tensor<8x6xf32> {\n"
    "  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x4xf32>, "
    "tensor<4x6xf32>) -> tensor<8x6xf32>\n"
    "  return %0 : tensor<8x6xf32>\n"
    "}\n";
// An argument on one device, whose mesh is written where it stands.
static const char pinned[] =
    "func.func @main(%x: tensor<4xf32> {sdy.sharding = #sdy.sharding<mesh<[], device_ids=[1]>, "
    "[]>}) -> tensor<4xf32> {\n"
    "  return %x : tensor<4xf32>\n"
    "}\n";

static const char *const rules[] = {"x=P(\"data\", \"model\")", "w=P(\"model\")"};
static const tsr_propagate_options annotations = {
    .struct_size = sizeof annotations, .mesh = "data=2,model=2", .n_rules = 2, .rules = rules};

static tsr_program *load(const char *program) {
  tsr_program *p = NULL;
  assert_null(tsr_program_load(program, strlen(program), NULL, &p));
  return p;
}

static void freed(tsr_error *error, char **said) {
  assert_null(error);
  tsr_text_free(*said);
}

static void ask_shardings(tsr_program *p) {
  char *said = NULL;
  for (int spelling = TSR_SDY; spelling <= TSR_GSPMD; spelling++) {
    freed(tsr_program_argument_sharding(p, 0, 0, (tsr_spelling)spelling, &said), &said);
    freed(tsr_program_result_sharding(p, 0, 0, (tsr_spelling)spelling, &said), &said);
  }
  freed(tsr_program_argument_part(p, 0, 0, &said), &said);
  freed(tsr_program_result_part(p, 0, 0, &said), &said);
}

static void ask_types(tsr_program *p) {
  char *said = NULL;
  tsr_function_info function = {.struct_size = sizeof function};
  tsr_type_info type = {.struct_size = sizeof type};
  assert_null(tsr_program_function(p, 0, &function));
  assert_null(tsr_program_argument(p, 0, 0, &type));
  assert_null(tsr_program_result(p, 0, 0, &type));
  freed(tsr_program_argument_name(p, 0, 0, &said), &said);
  freed(tsr_program_result_name(p, 0, 0, &said), &said);
}

static void ask_tiles(tsr_program *p) {
  tsr_tile tile = {.struct_size = sizeof tile};
  for (size_t device = 0; device < 4; device++) {
    assert_null(tsr_program_argument_tile(p, 0, 1, device, &tile));
    assert_null(tsr_program_result_tile(p, 0, 0, device, &tile));
  }
  char *said = NULL;
  freed(tsr_program_traffic(p, &said), &said);
}

static size_t in_use(void) { return mallinfo2().uordblks; }

static void ask_often(tsr_program *p, void (*ask)(tsr_program *p)) {
  ask(p);
  size_t before = in_use();
  for (int i = 0; i < TIMES; i++) ask(p);
  size_t after = in_use();
  assert_true(after < before + MOST_BYTES);
  tsr_program_free(p);
}

static void test_shardings(void **state) {
  (void)state;
  tsr_program *p = load(text);
  assert_null(tsr_program_propagate(p, &annotations, NULL));
  ask_often(p, ask_shardings);
  ask_often(load(pinned), ask_shardings);
  ask_often(load(text), ask_shardings);
}

static void test_types(void **state) {
  (void)state;
  ask_often(load(text), ask_types);
}

static void test_tiles(void **state) {
  (void)state;
  tsr_program *p = load(text);
  tsr_partition_options options = {.struct_size = sizeof options, .annotations = &annotations};
  assert_null(tsr_program_partition(p, &options, NULL, NULL));
  ask_often(p, ask_tiles);
}

static void expect_argument(tsr_program *p, const char *wanted) {
  char *said = NULL;
  assert_null(tsr_program_argument_sharding(p, 0, 0, TSR_SDY, &said));
  if (wanted)
    assert_string_equal(said, wanted);
  else
    assert_null(said);
  tsr_text_free(said);
}

// What was answered before the program was rewritten is not answered after.
static void test_answers_are_new(void **state) {
  (void)state;
  tsr_program *p = load(text);
  expect_argument(p, NULL);
  assert_null(tsr_program_propagate(p, &annotations, NULL));
  expect_argument(p, "<@mesh, [{\"data\"}, {\"model\"}]>");
  tsr_program_free(p);
  p = load(text);
  expect_argument(p, NULL);
  tsr_propagation *search = NULL;
  assert_null(tsr_propagation_new(p, &annotations, &search));
  expect_argument(p, NULL);
  assert_null(tsr_propagation_write(search));
  tsr_propagation_free(search);
  expect_argument(p, "<@mesh, [{\"data\"}, {\"model\"}]>");
  tsr_partition_options options = {.struct_size = sizeof options};
  tsr_tile tile = {.struct_size = sizeof tile};
  assert_null(tsr_program_argument_tile(p, 0, 0, 0, &tile));
  assert_int_equal(tile.tile[0], 8);
  assert_null(tsr_program_partition(p, &options, NULL, NULL));
  assert_null(tsr_program_argument_tile(p, 0, 0, 0, &tile));
  assert_int_equal(tile.tile[0], 4);
  tsr_program_free(p);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_shardings), cmocka_unit_test(test_types),
                                     cmocka_unit_test(test_tiles),
                                     cmocka_unit_test(test_answers_are_new)};
  return cmocka_run_group_tests_name("api_memory", tests, NULL, NULL);
}
