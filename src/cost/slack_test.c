// Classes of values in a small training step: weights are early, activations have no slack, what
// only the update reads is late.
#include "cost/slack.h"

#include "plan/model_fixture.h"

static const char step[] =
    "func.func @main(%x: tensor<64x64xf32>, %w: tensor<64x64xf32>, %m: tensor<64x64xf32>) -> "
    "(tensor<64x64xf32>, tensor<64x64xf32>) {\n"
    "  %t = stablehlo.transpose %w, dims = [1, 0] : (tensor<64x64xf32>) -> tensor<64x64xf32>\n"
    "  %h = stablehlo.dot_general %x, %t, contracting_dims = [1] x [0] : (tensor<64x64xf32>, "
    "tensor<64x64xf32>) -> tensor<64x64xf32>\n"
    "  %a = stablehlo.tanh %h : tensor<64x64xf32>\n"
    "  %g = stablehlo.dot_general %a, %w, contracting_dims = [1] x [0] : (tensor<64x64xf32>, "
    "tensor<64x64xf32>) -> tensor<64x64xf32>\n"
    "  %n = stablehlo.add %m, %g : tensor<64x64xf32>\n"
    "  return %g, %n : tensor<64x64xf32>, tensor<64x64xf32>\n}\n";

static ValueId result_of(const Modelled *m, const char *name, uint32_t n) {
  return op_result(m->model.p, m->model.vars.items[modelled_var(m, name, n)].op, 0);
}

static void check_classes(Modelled *m) {
  const Program *p = m->model.p;
  uint8_t *slack = slack_find(p, &m->session.arena);
  bool *needed = slack_needed(p, &m->session.arena);
  ValueId arguments[3];
  for (uint32_t i = 0; i < 3; i++)
    arguments[i] = m->model.vars.items[m->model.argument_vars[i]].value;
  for (uint32_t i = 0; i < 3; i++) assert_int_equal(slack[arguments[i]], SLACK_EARLY);
  assert_true(needed[arguments[0]] && needed[arguments[1]]);
  assert_false(needed[arguments[2]]);  // a moment
  assert_int_equal(slack[result_of(m, "stablehlo.transpose", 0)], SLACK_EARLY);
  assert_int_equal(slack[result_of(m, "stablehlo.dot_general", 0)], SLACK_NONE);
  assert_int_equal(slack[result_of(m, "stablehlo.tanh", 0)], SLACK_NONE);
  assert_int_equal(slack[result_of(m, "stablehlo.dot_general", 1)], SLACK_LATE);  // a gradient
  assert_int_equal(slack[result_of(m, "stablehlo.add", 0)], SLACK_LATE);
}

// What a body returns is read by its next iteration: it is not late. A carry that the loop does not
// change is early inside of it.
static const char loop[] =
    "func.func @main(%x: tensor<64x64xf32>, %w: tensor<64x64xf32>) -> tensor<64x64xf32> {\n"
    "  %zero = stablehlo.constant dense<0> : tensor<i32>\n"
    "  %one = stablehlo.constant dense<1> : tensor<i32>\n"
    "  %end = stablehlo.constant dense<4> : tensor<i32>\n"
    "  %r:3 = stablehlo.while(%i = %zero, %h = %x, %v = %w) : tensor<i32>, tensor<64x64xf32>, "
    "tensor<64x64xf32>\n"
    "  cond {\n"
    "    %t = stablehlo.compare LT, %i, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
    "    stablehlo.return %t : tensor<i1>\n"
    "  } do {\n"
    "    %u = stablehlo.transpose %v, dims = [1, 0] : (tensor<64x64xf32>) -> tensor<64x64xf32>\n"
    "    %p = stablehlo.dot_general %h, %u, contracting_dims = [1] x [0] : (tensor<64x64xf32>, "
    "tensor<64x64xf32>) -> tensor<64x64xf32>\n"
    "    %j = stablehlo.add %i, %one : tensor<i32>\n"
    "    stablehlo.return %j, %p, %v : tensor<i32>, tensor<64x64xf32>, tensor<64x64xf32>\n"
    "  }\n"
    "  return %r#1 : tensor<64x64xf32>\n}\n";

static void check_loop(Modelled *m) {
  uint8_t *slack = slack_find(m->model.p, &m->session.arena);
  assert_int_equal(slack[result_of(m, "stablehlo.transpose", 0)], SLACK_EARLY);
  assert_int_equal(slack[result_of(m, "stablehlo.dot_general", 0)], SLACK_NONE);
}

static void test_classes(void **state) {
  (void)state;
  Modelled m = {.text = step, .mesh = "x=2", .check = check_classes};
  modelled_run(&m);
}

static void test_loop(void **state) {
  (void)state;
  Modelled m = {.text = loop, .mesh = "x=2", .check = check_loop};
  modelled_run(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_classes), cmocka_unit_test(test_loop)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
