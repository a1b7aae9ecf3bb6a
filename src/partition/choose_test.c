// The choice of axes per factor: programs are decided and not written. In the texts ' stands
// for ".
#include "partition/decide_fixture.h"

#define MESH(axes) "sdy.mesh @m = <[" axes "]>\n"
#define SHARDED(dims) " {sdy.sharding = #sdy.sharding<@m, [" dims "]>}"
#define VALUE(dims) " {sdy.sharding = #sdy.sharding_per_value<[<@m, [" dims "]>]>}"
// [m,k]x[k,n]
#define DOT(a, b, m, k, n, type)                                                                   \
  " = stablehlo.dot_general " a ", " b ", contracting_dims = [1] x [0] : (tensor<" m "x" k         \
  "x" type ">, tensor<" k "x" n "x" type ">) -> tensor<" m "x" n "x" type ">\n"

static void check(const char *text, const char *const *lines) {
  Decided d;
  decided_open(&d, text, NULL);
  expect_lines(&d, lines);
  decided_close(&d);
}

#define CHECK(text, ...) check(text, (const char *const[]){__VA_ARGS__, NULL})

static void test_megatron(void **state) {
  (void)state;
  CHECK(
      MESH("'data'=2, 'model'=4")  //
      "func.func @main(%x: tensor<8x16xf32>" SHARDED(
          "{'data'}, {}") ", %w1: "
                          "tensor<16x32xf32>" SHARDED(
                              "{"
                              "}"
                              ","
                              " "
                              "{"
                              "'"
                              "m"
                              "o"
                              "d"
                              "e"
                              "l"
                              "'"
                              "}") ", %w2: tensor<32x16xf32>" SHARDED("{'model'}, {}") ") -> "
                                                                                       "(tensor<"
                                                                                       "8x16xf32"
                                                                                       ">" SHARDED("{'data'}, {}") ") {\n"
                                                                                                                   "  %0" DOT(
                                                                                                                       "%x",
                                                                                                                       "%w1",
                                                                                                                       "8",
                                                                                                                       "16",
                                                                                                                       "32",
                                                                                                                       "f32") "  %1 = stablehlo.tanh %0 : tensor<8x32xf32>\n"
                                                                                                                              "  %2" DOT(
                                                                                                                                  "%1",
                                                                                                                                  "%w2",
                                                                                                                                  "8",
                                                                                                                                  "32",
                                                                                                                                  "16",
                                                                                                                                  "f32") "  return %2 : tensor<8x16xf32>\n}\n",
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
  CHECK(
      MESH("'x'=4")  //
      "func.func @main(%a: tensor<8x16xf32>" SHARDED("{}, {'x'}") ", %b: tensor<16x8xf32>" SHARDED(
          "{'x'}, {}") ") -> tensor<8x8xf32> {\n"
                       "  %0" DOT("%a", "%b", "8", "16", "8", "f32") "  %1" DOT(
                           "%a", "%b", "8", "16", "8",
                           "f32") "  %2 = stablehlo.add %0, %1 : tensor<8x8xf32>\n"
                                  "  %3 = stablehlo.tanh %2 : tensor<8x8xf32>\n"
                                  "  return %3 : tensor<8x8xf32>\n}\n",
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
#define IDLE(n)                                                                                    \
  MESH("'x'=8")                                                                                    \
  "func.func @main(%a: tensor<" n "x" n "xf32>, %b: tensor<" n "x" n                               \
  "xf32>, %s: tensor<8xf32>" SHARDED("{'x'}") ") -> (tensor<" n "x" n "xf32>, tensor<8xf32>) {\n"  \
                                              "  %0" DOT("%a", "%b", n, n, n,                      \
                                                         "f32") "  return %0, %s : tensor<" n      \
                                                                "x" n "xf32>, tensor<8xf32>\n}\n"
  CHECK(IDLE("8192"),
        "%0 = split 'x', -, -: [{'x'}, {}], [{}, {}] -> [{'x'}, {}]; 2.34881e+08 bytes; idle axes "
        "share the work\n"
        "reshard %0: [{'x'}, {}] -> [{}, {}]; 2.34881e+08 bytes\n");
  CHECK(IDLE("8"), "%0 = split -, -, -: [{}, {}], [{}, {}] -> [{}, {}]; no communication\n");
}

// [64,32] over 8 devices becomes [64,4,8]: 4 heads take 4 of the 8, the columns of a head take 2. A
// minor dimension that is split behind one that is not has strided shards.
static void test_reshape(void **state) {
  (void)state;
  CHECK(MESH("'x'=8")  //
        "func.func @main(%a: tensor<64x16xf32>, %w: tensor<16x32xf32>" SHARDED(
            "{}, {'x'}") ") -> tensor<64x4x8xf32> {\n"
                         "  %0" DOT("%a", "%w", "64", "16", "32",
                                    "f32") "  %1 = stablehlo.reshape %0 : (tensor<64x32xf32>) -> "
                                           "tensor<64x4x8xf32>\n"
                                           "  return %1 : tensor<64x4x8xf32>\n}\n",
        "%1 = split -, 'x':(1)4, 'x':(4)2: [{}, {'x'}] -> [{}, {'x':(1)4}, {'x':(4)2}]; no "
        "communication\nend\n");
  CHECK(MESH("'x'=2")  //
        "func.func @main(%a: tensor<6x4xf32>" SHARDED(
            "{}, {'x'}") ") -> (tensor<24xf32>, "
                         "tensor<6x4xf32>" SHARDED("{}, {'x'}") ") {\n"
                                                                "  %0 = "
                                                                "stablehlo."
                                                                "reshape %a : "
                                                                "(tensor<6x4xf32>"
                                                                ") -> "
                                                                "tensor<24xf32>\n"
                                                                "  %1 = "
                                                                "stablehlo.tanh "
                                                                "%0 : "
                                                                "tensor<24xf32>\n"
                                                                "  %2 = "
                                                                "stablehlo."
                                                                "reshape %1 : "
                                                                "(tensor<24xf32>)"
                                                                " -> "
                                                                "tensor<6x4xf32>"
                                                                "\n"
                                                                "  return %1, %2 "
                                                                ": "
                                                                "tensor<24xf32>, "
                                                                "tensor<6x4xf32>"
                                                                "\n}\n",
        "%0 = split -, 'x': [{}, {'x'}] -> [[6{} 4{'x'}]]",
        "%1 = split 'x': [[6{} 4{'x'}]] -> [[6{} 4{'x'}]]",
        "%2 = split -, 'x': [[6{} 4{'x'}]] -> [{}, {'x'}]");
}

// A 16-bit sum of few products is not split: each partial sum would be rounded.
static void test_few_terms(void **state) {
  (void)state;
#define TERMS(k, type)                                                                             \
  MESH("'x'=4")                                                                                    \
  "func.func @main(%a: tensor<8x" k "x" type                                                       \
  ">" SHARDED("{}, {'x'}") ", %b: tensor<" k "x8x" type ">" SHARDED(                               \
      "{'x'}, {}") ") -> tensor<8x8x" type "> {\n"                                                 \
                   "  %0" DOT("%a", "%b", "8", k, "8", type) "  return %0 : tensor<8x8x" type      \
                                                             ">\n}\n"
#define CONTRACTED "%0 = split -, -, 'x': [{}, {'x'}], [{'x'}, {}] -> [{}, {}], unreduced={'x'}"
  CHECK(TERMS("32", "bf16"), "%0 = split 'x', -, -: [{'x'}, {}], [{}, {}] -> [{'x'}, {}]");
  CHECK(TERMS("64", "bf16"), CONTRACTED);
  CHECK(TERMS("32", "f32"), CONTRACTED);
}

// The concatenation is annotated by columns, but its only user needs it by the batch: it is made
// so, though that is not what its own annotation says.
static void test_lookahead(void **state) {
  (void)state;
#define BESIDE(last)                                                                               \
  MESH("'data'=8")                                                                                 \
  "func.func @main(%x: tensor<64x1x16xf32>" SHARDED(                                               \
      "{'data'}, {}, {}") ", %y: tensor<64x8x16xf32>" SHARDED("{}, {}, {'data'}") ") -> (" last    \
                                                                                  ") {\n"          \
                                                                                  "  %0 = "        \
                                                                                  "stablehlo."     \
                                                                                  "concatenate "   \
                                                                                  "%x, %y, dim = " \
                                                                                  "1" VALUE(       \
                                                                                      "{}, {}, "   \
                                                                                      "{'data'}") " : (tensor<64x1x16xf32>, tensor<64x8x16xf32>) -> tensor<64x9x16xf32>\n"
  CHECK(BESIDE("tensor<64x9x9xf32>" SHARDED(
            "{'data'}, {}, {}")) "  %1 = stablehlo.dot_general %0, %0, batching_dims = [0] x [0], "
                                 "contracting_dims = [2] x "
                                 "[2]" VALUE(
                                     "{'data'}, {}, {}") " : (tensor<64x9x16xf32>, "
                                                         "tensor<64x9x16xf32>) -> "
                                                         "tensor<64x9x9xf32>\n"
                                                         "  return %1 : tensor<64x9x9xf32>\n}\n",
        "reshard y: [{}, {}, {'data'}] -> [{'data'}, {}, {}]; 3584 bytes\n"
        "%0 = split 'data', -, -: [{'data'}, {}, {}], [{'data'}, {}, {}] -> [{'data'}, {}, {}]; "
        "3584 bytes; the cheapest of the shardings around it\n"
        "%1 = split 'data', -, -, -: [{'data'}, {}, {}], [{'data'}, {}, {}] -> [{'data'}, {}, {}]; "
        "no communication\n");
  CHECK(BESIDE("tensor<64x9x16xf32>" SHARDED(
            "{}, {}, {'data'}")) "  return %0 : tensor<64x9x16xf32>\n}\n",
        "reshard x: [{'data'}, {}, {}] -> [{}, {}, {'data'}]; 448 bytes\n"
        "%0 = split -, -, 'data': [{}, {}, {'data'}], [{}, {}, {'data'}] -> [{}, {}, {'data'}]");
}

// The weight is the same in every iteration: its gather, 3/4 of 64 * 64 floats, is divided by the
// trip count. In one iteration it is cheaper to send the activations.
static void test_loop_invariant(void **state) {
  (void)state;
#define LOOP(trips)                                                                                \
  MESH("'d'=4")                                                                                    \
  "func.func @main(%x: tensor<8x64xf32>" SHARDED("{'d'}, {}") ", %w: tensor<64x64xf32>" SHARDED(   \
      "{'d'}, {}") ") -> (tensor<8x64xf32>" SHARDED("{'d'}, {}") ") {\n"                           \
                                                                 "  %zero = stablehlo.constant "   \
                                                                 "dense<0> : tensor<i32>\n"        \
                                                                 "  %one = stablehlo.constant "    \
                                                                 "dense<1> : tensor<i32>\n"        \
                                                                 "  %end = stablehlo.constant "    \
                                                                 "dense<" trips                    \
                                                                 "> : tensor<i32>\n"               \
                                                                 "  %more = stablehlo.constant "   \
                                                                 "dense<0.5> : "                   \
                                                                 "tensor<64x64xf32>\n"             \
                                                                 "  %r:4 = stablehlo.while(%i = "  \
                                                                 "%zero, %h = %x, %v = %w, %k = "  \
                                                                 "%more) : tensor<i32>, "          \
                                                                 "tensor<8x64xf32>, "              \
                                                                 "tensor<64x64xf32>, "             \
                                                                 "tensor<64x64xf32>\n"             \
                                                                 "  cond {\n"                      \
                                                                 "    %t = stablehlo.compare LT, " \
                                                                 "%i, %end : (tensor<i32>, "       \
                                                                 "tensor<i32>) -> tensor<i1>\n"    \
                                                                 "    stablehlo.return %t : "      \
                                                                 "tensor<i1>\n"                    \
                                                                 "  } do {\n"                      \
                                                                 "    %p" DOT(                     \
                                                                     "%h", "%v", "8", "64", "64",  \
                                                                     "f32") "    %j = "            \
                                                                            "stablehlo.add %i, "   \
                                                                            "%one : tensor<i32>\n" \
                                                                            "    "                 \
                                                                            "stablehlo.return "    \
                                                                            "%j, %p, %v, %k : "    \
                                                                            "tensor<i32>, "        \
                                                                            "tensor<8x64xf32>, "   \
                                                                            "tensor<64x64xf32>, "  \
                                                                            "tensor<64x64xf32>\n"  \
                                                                            "  }\n"                \
                                                                            "  return %r#1 : "     \
                                                                            "tensor<8x64xf32>\n}"  \
                                                                            "\n"
  CHECK(LOOP("100"), "reshard %v: [{'d'}, {}] -> [{}, {}]; 12288 bytes\n"
                     "%p = split 'd', -, -: [{'d'}, {}], [{}, {}] -> [{'d'}, {}]; 122.88 bytes; ");
  CHECK(LOOP("1"),
        "reshard %h: [{'d'}, {}] -> [{}, {'d'}]; 384 bytes\n"
        "%p = split -, -, 'd': [{}, {'d'}], [{'d'}, {}] -> [{}, {}], unreduced={'d'}; 1920 bytes");
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
        MESH("'d'=8")  //
        "func.func @main(%x: tensor<64x80xf32>" SHARDED(
            "{'d'}, {}") ", %w: "
                         "tensor<80x64xf32>" SHARDED(
                             "{"
                             "'"
                             "d"
                             "'"
                             "}"
                             ","
                             " "
                             "{"
                             "}") ") -> (tensor<64x64xf32>" SHARDED("{'d'}, {}") ") {\n"
                                                                                 "  %0" DOT(
                                                                                     "%x", "%w",
                                                                                     "64", "80",
                                                                                     "64",
                                                                                     "f32") " "
                                                                                            " "
                                                                                            "r"
                                                                                            "e"
                                                                                            "t"
                                                                                            "u"
                                                                                            "r"
                                                                                            "n"
                                                                                            " "
                                                                                            "%"
                                                                                            "0"
                                                                                            " "
                                                                                            ":"
                                                                                            " "
                                                                                            "t"
                                                                                            "e"
                                                                                            "n"
                                                                                            "s"
                                                                                            "o"
                                                                                            "r"
                                                                                            "<"
                                                                                            "6"
                                                                                            "4"
                                                                                            "x"
                                                                                            "6"
                                                                                            "4"
                                                                                            "x"
                                                                                            "f"
                                                                                            "3"
                                                                                            "2"
                                                                                            ">"
                                                                                            "\n}\n",
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
