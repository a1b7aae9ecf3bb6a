// The choice of axes per factor: programs are decided and not written. Texts are in the short forms
// of tests/support/short_text.h.
#include "partition/decide_fixture.h"

// `$` in the text is the parameter.
static void check_with(const char *text, const char *parameter, const char *const *lines) {
  Decided d;
  char chosen[4096];
  short_text(text, parameter, chosen, sizeof chosen);
  decided_open(&d, chosen, NULL);
  expect_lines(&d, lines);
  decided_close(&d);
}

#define CHECK_WITH(text, parameter, ...)                                                           \
  check_with(text, parameter, (const char *const[]){__VA_ARGS__, NULL})
#define CHECK(text, ...) CHECK_WITH(text, NULL, __VA_ARGS__)

static void test_megatron(void **state) {
  (void)state;
  CHECK("sdy.mesh @m = <['data'=2, 'model'=4]>\n"
        "func.func @main(%x: tensor<8x16xf32> #[{'data'}, {}],\n"
        "                %w1: tensor<16x32xf32> #[{}, {'model'}],\n"
        "                %w2: tensor<32x16xf32> #[{'model'}, {}])\n"
        "    -> (tensor<8x16xf32> #[{'data'}, {}]) {\n"
        "  %0 = stablehlo.dot_general %x, %w1, contracting_dims = [1] x [0] : (tensor<8x16xf32>, "
        "tensor<16x32xf32>) -> tensor<8x32xf32>\n"
        "  %1 = stablehlo.tanh %0 : tensor<8x32xf32>\n"
        "  %2 = stablehlo.dot_general %1, %w2, contracting_dims = [1] x [0] : (tensor<8x32xf32>, "
        "tensor<32x16xf32>) -> tensor<8x16xf32>\n"
        "  return %2 : tensor<8x16xf32>\n"
        "}\n",
        "function\n"
        "%0 = split 'data', 'model', -: [{'data'}, {}], [{}, {'model'}] -> [{'data'}, {'model'}]; "
        "no communication\n"
        "%1 = split 'data', 'model': [{'data'}, {'model'}] -> [{'data'}, {'model'}]; no "
        "communication\n"
        "%2 = split 'data', -, 'model': [{'data'}, {'model'}], [{'model'}, {}] -> [{'data'}, {}], "
        "unreduced={'model'}; 384 bytes; the cheapest of the shardings around it\n"
        "reshard %2: [{'data'}, {}], unreduced={'model'} -> [{'data'}, {}]; 384 bytes\n"
        "end\n");
}

// Two contractions are added before their partial sums are reduced: one all_reduce of 8x8 over 4
// devices sends 2 * 3/4 of 256 bytes. The first term pays half of it, the second finds it paid.
static void test_partial_sums(void **state) {
  (void)state;
  CHECK("sdy.mesh @m = <['x'=4]>\n"
        "func.func @main(%a: tensor<8x16xf32> #[{}, {'x'}], %b: tensor<16x8xf32> #[{'x'}, {}])\n"
        "    -> tensor<8x8xf32> {\n"
        "  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<8x16xf32>, "
        "tensor<16x8xf32>) -> tensor<8x8xf32>\n"
        "  %1 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<8x16xf32>, "
        "tensor<16x8xf32>) -> tensor<8x8xf32>\n"
        "  %2 = stablehlo.add %0, %1 : tensor<8x8xf32>\n"
        "  %3 = stablehlo.tanh %2 : tensor<8x8xf32>\n"
        "  return %3 : tensor<8x8xf32>\n"
        "}\n",
        "%0 = split -, -, 'x': [{}, {'x'}], [{'x'}, {}] -> [{}, {}], unreduced={'x'}; 192 bytes; "
        "the cheapest of the shardings around it\n"
        "%1 = split -, -, 'x': [{}, {'x'}], [{'x'}, {}] -> [{}, {}], unreduced={'x'}; no "
        "communication\n"
        "%2 = split -, -: [{}, {}], unreduced={'x'}, [{}, {}], unreduced={'x'} -> [{}, {}], "
        "unreduced={'x'}; 384 bytes; partial sums pass through\n"
        "reshard %2: [{}, {}], unreduced={'x'} -> [{}, {}]; 384 bytes\n"
        "%3 = split -, -: [{}, {}] -> [{}, {}]; 384 bytes; ");
}

// A large contraction of replicated operands is divided along an axis that nothing uses; its result
// is gathered: 7/8 of 8192 * 8192 floats. A small one is repeated on every device.
static void test_idle_axes(void **state) {
  (void)state;
  static const char text[] =
      "sdy.mesh @m = <['x'=8]>\n"
      "func.func @main(%a: tensor<$x$xf32>, %b: tensor<$x$xf32>, %s: tensor<8xf32> #[{'x'}])\n"
      "    -> (tensor<$x$xf32>, tensor<8xf32>) {\n"
      "  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<$x$xf32>, "
      "tensor<$x$xf32>) -> tensor<$x$xf32>\n"
      "  return %0, %s : tensor<$x$xf32>, tensor<8xf32>\n"
      "}\n";
  CHECK_WITH(text, "8192",
             "%0 = split 'x', -, -: [{'x'}, {}], [{}, {}] -> [{'x'}, {}]; 2.34881e+08 bytes; idle "
             "axes share the work\n"
             "reshard %0: [{'x'}, {}] -> [{}, {}]; 2.34881e+08 bytes\n");
  CHECK_WITH(text, "8", "%0 = split -, -, -: [{}, {}], [{}, {}] -> [{}, {}]; no communication\n");
}

// [64,32] over 8 devices becomes [64,4,8]: 4 heads take 4 of the 8, the columns of a head take 2. A
// minor dimension that is split behind one that is not has strided shards.
static void test_reshape(void **state) {
  (void)state;
  CHECK("sdy.mesh @m = <['x'=8]>\n"
        "func.func @main(%a: tensor<64x16xf32>, %w: tensor<16x32xf32> #[{}, {'x'}])\n"
        "    -> tensor<64x4x8xf32> {\n"
        "  %0 = stablehlo.dot_general %a, %w, contracting_dims = [1] x [0] : (tensor<64x16xf32>, "
        "tensor<16x32xf32>) -> tensor<64x32xf32>\n"
        "  %1 = stablehlo.reshape %0 : (tensor<64x32xf32>) -> tensor<64x4x8xf32>\n"
        "  return %1 : tensor<64x4x8xf32>\n"
        "}\n",
        "%1 = split -, 'x':(1)4, 'x':(4)2: [{}, {'x'}] -> [{}, {'x':(1)4}, {'x':(4)2}]; no "
        "communication\nend\n");
  CHECK("sdy.mesh @m = <['x'=2]>\n"
        "func.func @main(%a: tensor<6x4xf32> #[{}, {'x'}])\n"
        "    -> (tensor<24xf32>, tensor<6x4xf32> #[{}, {'x'}]) {\n"
        "  %0 = stablehlo.reshape %a : (tensor<6x4xf32>) -> tensor<24xf32>\n"
        "  %1 = stablehlo.tanh %0 : tensor<24xf32>\n"
        "  %2 = stablehlo.reshape %1 : (tensor<24xf32>) -> tensor<6x4xf32>\n"
        "  return %1, %2 : tensor<24xf32>, tensor<6x4xf32>\n"
        "}\n",
        "%0 = split -, 'x': [{}, {'x'}] -> [[6{} 4{'x'}]]",
        "%1 = split 'x': [[6{} 4{'x'}]] -> [[6{} 4{'x'}]]",
        "%2 = split -, 'x': [[6{} 4{'x'}]] -> [{}, {'x'}]");
}

// A 16-bit sum of few products is not split: each partial sum would be rounded.
static void test_few_terms(void **state) {
  (void)state;
  static const char text[] =
      "sdy.mesh @m = <['x'=4]>\n"
      "func.func @main(%a: tensor<8x32x$> #[{}, {'x'}], %b: tensor<32x8x$> #[{'x'}, {}],\n"
      "                %c: tensor<8x64x$> #[{}, {'x'}], %d: tensor<64x8x$> #[{'x'}, {}])\n"
      "    -> (tensor<8x8x$>, tensor<8x8x$>) {\n"
      "  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<8x32x$>, "
      "tensor<32x8x$>) -> tensor<8x8x$>\n"
      "  %1 = stablehlo.dot_general %c, %d, contracting_dims = [1] x [0] : (tensor<8x64x$>, "
      "tensor<64x8x$>) -> tensor<8x8x$>\n"
      "  return %0, %1 : tensor<8x8x$>, tensor<8x8x$>\n"
      "}\n";
  CHECK_WITH(text, "bf16", "%0 = split 'x', -, -: [{'x'}, {}], [{}, {}] -> [{'x'}, {}]",
             "%1 = split -, -, 'x': [{}, {'x'}], [{'x'}, {}] -> [{}, {}], unreduced={'x'}");
  CHECK_WITH(text, "f32",
             "%0 = split -, -, 'x': [{}, {'x'}], [{'x'}, {}] -> [{}, {}], unreduced={'x'}",
             "%1 = split -, -, 'x': [{}, {'x'}], [{'x'}, {}] -> [{}, {}], unreduced={'x'}");
}

// The concatenation is annotated by columns, but its only user needs it by the batch: it is made
// so. It is made by columns if it is returned so.
static void test_lookahead(void **state) {
  (void)state;
  CHECK("sdy.mesh @m = <['data'=8]>\n"
        "func.func @main(%x: tensor<64x1x16xf32> #[{'data'}, {}, {}],\n"
        "                %y: tensor<64x8x16xf32> #[{}, {}, {'data'}])\n"
        "    -> (tensor<64x9x9xf32> #[{'data'}, {}, {}]) {\n"
        "  %0 = stablehlo.concatenate %x, %y, dim = 1 ##[{}, {}, {'data'}] : "
        "(tensor<64x1x16xf32>, tensor<64x8x16xf32>) -> tensor<64x9x16xf32>\n"
        "  %1 = stablehlo.dot_general %0, %0, batching_dims = [0] x [0], contracting_dims = [2] x "
        "[2] ##[{'data'}, {}, {}] : (tensor<64x9x16xf32>, tensor<64x9x16xf32>) -> "
        "tensor<64x9x9xf32>\n"
        "  return %1 : tensor<64x9x9xf32>\n"
        "}\n",
        "reshard %y: [{}, {}, {'data'}] -> [{'data'}, {}, {}]; 3584 bytes\n"
        "%0 = split 'data', -, -: [{'data'}, {}, {}], [{'data'}, {}, {}] -> [{'data'}, {}, {}]; "
        "3584 bytes; the cheapest of the shardings around it\n"
        "%1 = split 'data', -, -, -: [{'data'}, {}, {}], [{'data'}, {}, {}] -> [{'data'}, {}, {}]; "
        "no communication\n");
  CHECK("sdy.mesh @m = <['data'=8]>\n"
        "func.func @main(%x: tensor<64x1x16xf32> #[{'data'}, {}, {}],\n"
        "                %y: tensor<64x8x16xf32> #[{}, {}, {'data'}])\n"
        "    -> (tensor<64x9x16xf32> #[{}, {}, {'data'}]) {\n"
        "  %0 = stablehlo.concatenate %x, %y, dim = 1 ##[{}, {}, {'data'}] : "
        "(tensor<64x1x16xf32>, tensor<64x8x16xf32>) -> tensor<64x9x16xf32>\n"
        "  return %0 : tensor<64x9x16xf32>\n"
        "}\n",
        "reshard %x: [{'data'}, {}, {}] -> [{}, {}, {'data'}]; 448 bytes\n"
        "%0 = split -, -, 'data': [{}, {}, {'data'}], [{}, {}, {'data'}] -> [{}, {}, {'data'}]");
}

// The weight is the same in every iteration: its gather, 3/4 of 64 * 64 floats, is divided by the
// trip count. In one iteration it is cheaper to send the activations.
static void test_loop_invariant(void **state) {
  (void)state;
  static const char text[] =
      "sdy.mesh @m = <['d'=4]>\n"
      "func.func @main(%x: tensor<8x64xf32> #[{'d'}, {}], %w: tensor<64x64xf32> #[{'d'}, {}])\n"
      "    -> (tensor<8x64xf32> #[{'d'}, {}]) {\n"
      "  %zero = stablehlo.constant dense<0> : tensor<i32>\n"
      "  %one = stablehlo.constant dense<1> : tensor<i32>\n"
      "  %end = stablehlo.constant dense<$> : tensor<i32>\n"
      "  %more = stablehlo.constant dense<0.5> : tensor<64x64xf32>\n"
      "  %r:4 = stablehlo.while(%i = %zero, %h = %x, %v = %w, %k = %more) : tensor<i32>, "
      "tensor<8x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>\n"
      "  cond {\n"
      "    %t = stablehlo.compare LT, %i, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
      "    stablehlo.return %t : tensor<i1>\n"
      "  } do {\n"
      "    %p = stablehlo.dot_general %h, %v, contracting_dims = [1] x [0] : (tensor<8x64xf32>, "
      "tensor<64x64xf32>) -> tensor<8x64xf32>\n"
      "    %j = stablehlo.add %i, %one : tensor<i32>\n"
      "    stablehlo.return %j, %p, %v, %k : tensor<i32>, tensor<8x64xf32>, tensor<64x64xf32>, "
      "tensor<64x64xf32>\n"
      "  }\n"
      "  return %r#1 : tensor<8x64xf32>\n"
      "}\n";
  CHECK_WITH(text, "100",
             "reshard %v: [{'d'}, {}] -> [{}, {}]; 12288 bytes\n"
             "%p = split 'd', -, -: [{'d'}, {}], [{}, {}] -> [{'d'}, {}]; 122.88 bytes; ");
  CHECK_WITH(text, "1",
             "reshard %h: [{'d'}, {}] -> [{}, {'d'}]; 384 bytes\n"
             "%p = split -, -, 'd': [{}, {'d'}], [{'d'}, {}] -> [{}, {}], unreduced={'d'}; 1920 "
             "bytes");
}

#define MACHINE(latency)                                                                           \
  "{\"device\": {\"flops_per_second\": 1e16, \"bytes_per_second\": 2e14, \"memory_bytes\": 8e10}," \
  " \"links\": [{\"latency_seconds\": " latency ", \"gap_seconds\": 1e-9, "                        \
  "\"bytes_per_second\": 1e9}]}"

// One gather of the weight sends 1.08 times the bytes of an all_to_all and a reduce_scatter: it is
// chosen if latency is all that counts.
static void test_networks(void **state) {
  (void)state;
  static const struct {
    const char *machine, *line;
  } cases[] = {{MACHINE("1e-9"), "%0 = split -, -, 'd': [{}, {'d'}], [{'d'}, {}] -> "},
               {MACHINE("1e-2"), "%0 = split 'd', -, -: [{'d'}, {}], [{}, {}] -> [{'d'}, {}]"}};
  for (uint32_t i = 0; i < 2; i++) {
    Decided d;
    decided_text(
        &d,
        "sdy.mesh @m = <['d'=8]>\n"
        "func.func @main(%x: tensor<64x80xf32> #[{'d'}, {}], %w: tensor<80x64xf32> #[{'d'}, {}])\n"
        "    -> (tensor<64x64xf32> #[{'d'}, {}]) {\n"
        "  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<64x80xf32>, "
        "tensor<80x64xf32>) -> tensor<64x64xf32>\n"
        "  return %0 : tensor<64x64xf32>\n"
        "}\n",
        NULL);
    d.request.annotations.machine = cases[i].machine;
    decided_run(&d);
    assert_null(d.status);
    EXPECT(&d, cases[i].line);
    decided_close(&d);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_megatron),       cmocka_unit_test(test_partial_sums),
      cmocka_unit_test(test_idle_axes),      cmocka_unit_test(test_reshape),
      cmocka_unit_test(test_few_terms),      cmocka_unit_test(test_lookahead),
      cmocka_unit_test(test_loop_invariant), cmocka_unit_test(test_networks)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
