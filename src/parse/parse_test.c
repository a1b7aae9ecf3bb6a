// The reader: programs it builds, its messages, and that no failing allocation leaks or crashes.
#include "parse/parse.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/mem.h"
#include "ops/op.h"
#include "parse/round_trip.h"

// ---- helpers ----

typedef struct Run {
  const char *text;
  size_t size;  // 0 = strlen
  bool allow_unregistered, round;
  uint32_t max_depth;
  void (*look)(const Program *p);  // on success
  char *message;                   // "line:column: text" of the first error, malloc'd
  uint32_t errors;
} Run;

static Status *run_body(Guard *guard, void *arg) {
  Run *run = arg;
  Source source = {
      .path = "test", .text = run->text, .size = run->size ? run->size : strlen(run->text)};
  Context *context = context_new(guard);
  GuardCleanup context_cleanup = {context_release, context, NULL};
  guard_push(guard, &context_cleanup);
  Diag diag;
  diag_init(&diag, guard, &source);
  GuardCleanup diag_cleanup = {diag_release, &diag, NULL};
  guard_push(guard, &diag_cleanup);
  ParseOptions options = {run->allow_unregistered, run->max_depth};
  Program *p = NULL;
  Status *status = program_parse(context, guard, &source, 0, source.size, &options, &diag, &p);
  run->errors = diag.errors;
  if (!status) {
    GuardCleanup program_cleanup = {program_release, p, NULL};
    guard_push(guard, &program_cleanup);
    assert_null(program_check(p));
    if (run->look) run->look(p);
    if (run->round) status = program_round_trip(p, guard);
    guard_pop(guard, &program_cleanup);
  } else if (diag.errors) {
    uint32_t line, column;
    source_locate(&source, diag.list.items[0].pos, &line, &column);
    size_t room = strlen(diag.list.items[0].message) + 32;
    run->message = malloc(room);
    snprintf(run->message, room, "%u:%u: %s", line, column, diag.list.items[0].message);
  }
  program_free(p);
  guard_pop(guard, &diag_cleanup);
  guard_pop(guard, &context_cleanup);
  diag_deinit(&diag);
  context_free(context);
  return status;
}

static void expect_ok(const char *text, void (*look)(const Program *p)) {
  Run run = {.text = text, .look = look, .allow_unregistered = true};
  Status *status = guard_run(run_body, &run);
  if (status) fail_msg("%s\nin\n%s", status_message(status), text);
}

static void expect_error(const char *text, const char *message) {
  Run run = {.text = text};
  Status *status = guard_run(run_body, &run);
  if (!status) fail_msg("no error in\n%s", text);
  status_free(status);
  assert_non_null(run.message);
  assert_string_equal(run.message, message);
  free(run.message);
}

// ---- programs ----

static OpId nth_op(const Program *p, OpId parent, uint32_t n) {
  OpId op = block_at(p, region_block(p, op_region(p, parent, 0)))->first;
  while (n--) op = op_at(p, op)->next;
  return op;
}

static void look_function(const Program *p) {
  assert_int_equal(op_at(p, p->root)->code, OP_module);
  assert_string_equal(
      name_text(p->context, attr_as_name(p->context, op_attr(p, p->root, "sym_name"))), "m");
  assert_int_equal(attr_as_int(p->context, op_attr(p, p->root, "k"), 0), 3);
  OpId f = nth_op(p, p->root, 0);
  assert_int_equal(op_at(p, f)->code, OP_func_func);
  assert_string_equal(
      name_text(p->context, attr_as_name(p->context, op_attr(p, f, "sym_visibility"))), "public");
  assert_int_equal(attr_info(p->context, op_attr(p, f, "arg_attrs"))->count, 2);
  assert_int_equal(attr_info(p->context, op_attr(p, f, "res_attrs"))->count, 1);
  OpId add = nth_op(p, f, 0), ret = nth_op(p, f, 1);
  assert_int_equal(op_at(p, add)->code, OP_add);
  assert_string_equal(name_text(p->context, value_at(p, op_result(p, add, 0))->name), "sum");
  assert_int_equal(op_operand(p, ret, 0), op_result(p, add, 0));
  assert_int_equal(attr_info(p->context, op_at(p, add)->loc)->kind, ATTR_LOC_NAME);
}

static void test_function(void **state) {
  (void)state;
  expect_ok("module @m attributes {k = 3 : i32} {\n"
            "  func.func public @main(%a: tensor<2xf32> {x.y} loc(#l), %b: tensor<2xf32>)\n"
            "      -> (tensor<2xf32> {z = \"q\"}) {\n"
            "    %sum = \"stablehlo.add\"(%a, %b) : (tensor<2xf32>, tensor<2xf32>) -> "
            "tensor<2xf32> loc(#l)\n"
            "    return %sum : tensor<2xf32>\n"
            "  }\n"
            "}\n"
            "#l = loc(\"name\"(#deeper))\n"
            "#deeper = loc(callsite(\"f.py\":1:2 to 3:4 at fused<\"m\">[\"g\", unknown, \"h\":1:2 "
            "to :9]))\n",
            look_function);
}

static void look_unwrapped(const Program *p) {
  assert_int_equal(p->root, 1);
  assert_int_equal(op_at(p, nth_op(p, p->root, 0))->code, OP_func_func);
  assert_int_equal(op_at(p, nth_op(p, p->root, 1))->code, OP_func_func);
}

static void test_no_module(void **state) {
  (void)state;
  expect_ok("func.func private @f(tensor<f32>) -> tensor<f32>\nfunc.func @g() { return }\n",
            look_unwrapped);
  expect_ok("", NULL);
  expect_ok("module {}", NULL);
  expect_ok("module { module @a {} module @b { } }", NULL);
}

static void look_packs(const Program *p) {
  OpId f = nth_op(p, p->root, 0), pack = nth_op(p, f, 0), use = nth_op(p, f, 1);
  assert_int_equal(op_at(p, pack)->n_results, 3);
  assert_int_equal(op_operand(p, use, 0), op_result(p, pack, 1));
  assert_int_equal(op_operand(p, use, 1), op_result(p, pack, 2));
  assert_int_equal(op_at(p, pack)->code, OP_UNREGISTERED);
  assert_string_equal(op_name(p, pack), "foo.bar");
  assert_int_not_equal(op_attr(p, pack, PROPERTIES_KEY), 0);
  assert_int_not_equal(op_attr(p, pack, "b"), 0);
}

static void test_packs_and_unregistered(void **state) {
  (void)state;
  expect_ok("func.func @f() {\n"
            "  %a:2, %b = \"foo.bar\"() <{a = 1}> ({}, {^bb0(%x: i32): \"foo.y\"(%x) : (i32) -> "
            "()}) {b} :\n"
            "    () -> (i32, i64, f32)\n"
            "  \"foo.use\"(%a#1, %b) : (i64, f32) -> ()\n"
            "  return\n"
            "}\n",
            look_packs);
}

static void look_attrs(const Program *p) {
  Context *c = p->context;
  OpId op = nth_op(p, nth_op(p, p->root, 0), 0);
  assert_int_equal(attr_info(c, op_attr(p, op, "int"))->type, DT_i64);
  assert_int_equal(attr_as_int(c, op_attr(p, op, "hex"), 0), 255);
  assert_int_equal(attr_info(c, op_attr(p, op, "truth"))->kind, ATTR_BOOL);
  assert_int_equal(op_attr(p, op, "truth"), op_attr(p, op, "one"));
  assert_true(attr_as_float(c, op_attr(p, op, "float"), 0) == -1.5);
  assert_int_equal(attr_info(c, op_attr(p, op, "unit"))->kind, ATTR_UNIT);
  assert_string_equal(name_text(c, attr_as_name(c, op_attr(p, op, "string"))), "a\n\"\x0B");
  assert_int_equal(attr_as_ints(c, op_attr(p, op, "ints")).v[1], -2);
  assert_int_equal(attr_info(c, op_attr(p, op, "bools"))->count, 2);
  assert_int_equal(attr_info(c, op_attr(p, op, "empty"))->count, 0);
  assert_int_equal(attr_info(c, op_attr(p, op, "nested"))->count, 1);
  assert_int_equal(attr_info(c, op_attr(p, op, "type"))->kind, ATTR_TYPE);
  assert_string_equal(name_text(c, attr_info(c, op_attr(p, op, "map"))->name),
                      "affine_map<(d0) -> (d0)>");
  assert_string_equal(name_text(c, attr_info(c, op_attr(p, op, "other"))->name),
                      "#foo.bar<a []-> \"<\" {}>");
  assert_int_equal(attr_info(c, op_attr(p, op, "dict"))->count, 0);
  assert_int_equal(attr_info(c, op_attr(p, op, "dict"))->kind, ATTR_DICT);
}

static void test_attributes(void **state) {
  (void)state;
  expect_ok(
      "func.func @f() { \"t.t\"() {int = 3, hex = 0xFF : i32, truth = true, one = 1 : i1, float = "
      "- 1.5 : f32,\n"
      "unit, string = \"a\\n\\\"\\0B\", ints = array<i64: 1, -2>, bools = array<i1: true, false>,\n"
      "empty = array<f32>, nested = @a::@\"b c\", type = (i32) -> (tensor<?x4xf32>, tuple<>),\n"
      "map = affine_map<(d0) -> (d0)>, other = #foo.bar<a []-> \"<\" {}>, dict = {}, \"quoted "
      "key\" = [],\n"
      "resource = dense_resource<blob> : tensor<2xi8>}\n"
      ": () -> () return }\n"
      "{-#\n  dialect_resources: { builtin: { blob: \"0x010000000203\" } },\n"
      "  external_resources: { x: { a: true } }\n#-}\n",
      look_attrs);
}

// ---- constants ----

static const char *constant_type;
static const void *constant_data;
static size_t constant_bytes;
static bool constant_splat;

static void look_constant(const Program *p) {
  const AttrInfo *info =
      attr_info(p->context, op_attr(p, nth_op(p, nth_op(p, p->root, 0), 0), "v"));
  assert_int_equal(info->kind, ATTR_DENSE);
  assert_string_equal(type_text(p->context, info->type), constant_type);
  assert_int_equal(info->splat, constant_splat);
  assert_int_equal(info->bytes, constant_bytes);
  if (constant_bytes) assert_memory_equal(info->data, constant_data, constant_bytes);
}

static void expect_constant(const char *literal, const char *type, const void *data, size_t bytes,
                            bool splat) {
  char text[512];
  constant_type = type;
  constant_data = data;
  constant_bytes = bytes;
  constant_splat = splat;
  snprintf(text, sizeof text,
           "func.func @f() {\n\"t.t\"() {v = dense<%s> : %s} : () -> ()\nreturn\n}", literal, type);
  expect_ok(text, look_constant);
}

static void test_constants(void **state) {
  (void)state;
  expect_constant("[[1, 2], [3, -4]]", "tensor<2x2xi32>", (int32_t[]){1, 2, 3, -4}, 16, false);
  expect_constant(" 7 ", "tensor<4xi64>", (int64_t[]){7}, 8, true);
  expect_constant("[7, 7, 7]", "tensor<3xi8>", (int8_t[]){7}, 1, true);
  expect_constant("", "tensor<0x3xf32>", NULL, 0, false);
  expect_constant("[]", "tensor<0xf32>", NULL, 0, false);
  expect_constant("[true, false]", "tensor<2xi1>", "\1\0", 2, false);
  expect_constant("[1, 0]", "tensor<2xi1>", "\1\0", 2, false);
  expect_constant("[0x7FC00000, 1.5]", "tensor<2xf32>", "\0\0\xC0\x7F\0\0\xC0\x3F", 8, false);
  expect_constant("[(1.0, -2.0), (0x7F800000,0.0)]", "tensor<2xcomplex<f32>>",
                  "\0\0\x80\x3F\0\0\0\xC0\0\0\x80\x7F\0\0\0\0", 16, false);
  expect_constant("\"0x0100000002000000\"", "tensor<2xi32>", (int32_t[]){1, 2}, 8, false);
  expect_constant("\"0x01000000\"", "tensor<2xi32>", (int32_t[]){1}, 4, true);
  expect_constant("\"0x0001\"", "tensor<2xi1>", "\0\1", 2, false);
  expect_constant("\"0x0201\"", "tensor<9xi1>", "\0\1\0\0\0\0\0\0\1", 9, false);
  expect_constant("\"0xFF\"", "tensor<9xi1>", "\1", 1, true);
  expect_constant("\"0xFF1F\"", "tensor<2xi4>", "\xF", 1, true);
  expect_constant("[ // one\n 1, // two\n 2]", "tensor<2xui8>", "\1\2", 2, false);
  expect_constant("255", "tensor<i8>", "\xFF", 1, true);
}

// ---- types ----

static void expect_type(const char *text, const char *printed) {
  char program[512];
  snprintf(program, sizeof program, "func.func private @f(%s)", text);
  (void)printed;
  expect_ok(program, NULL);
}

static void test_types(void **state) {
  (void)state;
  static const char *const types[] = {"tensor<0x4xf32>",
                                      "tensor<4x?x1xbf16>",
                                      "tensor<*xf32>",
                                      "tensor<f8E4M3B11FNUZ>",
                                      "complex<f64>",
                                      "tuple<tensor<i1>, tuple<>>",
                                      "!stablehlo.token",
                                      "!stablehlo.future<tensor<2xi32>>",
                                      "memref<2x3xf32>",
                                      "index",
                                      "none",
                                      "tensor<2x!quant.uniform<i8:f32, 0.5:-3>>",
                                      "tensor<2x!quant.uniform<i8<-127:127>:f32:0, {0.5:-3, 1.0}>>",
                                      "tensor<2x!quant.uniform<u8:f32, 1.0E-2:3>>",
                                      "!foo.bar<[1], {a -> b}>",
                                      "!foo.baz",
                                      "(i32, () -> ()) -> (i1, i2)",
                                      "tensor<2 x 3 x f32>",
                                      "vector<4xf32>",
                                      "si7"};
  for (size_t i = 0; i < sizeof types / sizeof *types; i++) expect_type(types[i], types[i]);
}

// ---- messages ----

#define IN_F(text) "func.func @f(%a: tensor<2xf32>) {\n" text "\n  return\n}\n"

static void test_messages(void **state) {
  (void)state;
  expect_error(IN_F("  %b = \"stablehlo.tanh\"(%c) : (tensor<2xf32>) -> tensor<2xf32>"),
               "2:25: '%c' is not defined before this use");
  expect_error(IN_F("  %b = \"stablehlo.tanh\"(%a) : (tensor<3xf32>) -> tensor<2xf32>"),
               "2:25: operand 0 has type tensor<2xf32>, but the op declares tensor<3xf32>");
  expect_error(IN_F("  %b = \"stablehlo.tanh\"(%a) : () -> tensor<2xf32>"),
               "2:31: the op has 1 operand, but declares 0 operand types");
  expect_error(IN_F("  %a = \"stablehlo.tanh\"(%a) : (tensor<2xf32>) -> tensor<2xf32>"),
               "2:3: '%a' is defined twice");
  expect_error(IN_F("  %b:2 = \"stablehlo.tanh\"(%a) : (tensor<2xf32>) -> tensor<2xf32>"),
               "2:3: 2 results are named, but 'stablehlo.tanh' has 1");
  expect_error(IN_F("  %b = \"stablehlo.tahn\"(%a) : (tensor<2xf32>) -> tensor<2xf32>"),
               "2:8: unknown op 'stablehlo.tahn'; did you mean 'stablehlo.tanh'?");
  expect_error(IN_F("  %b = \"mhlo.tanh\"(%a) : (tensor<2xf32>) -> tensor<2xf32>"),
               "2:8: unknown op 'mhlo.tanh'; did you mean 'stablehlo.tanh'?");
  expect_error(IN_F("  %b = tanh %a : tensor<2xf32>"),
               "2:8: unknown op 'tanh'; did you mean 'stablehlo.tanh'?");
  expect_error(IN_F("  %b = stablehlo.add %a %a : tensor<2xf32>"),
               "2:25: expected ',', found '%a'");
  expect_error(IN_F("  %b = stablehlo.tanh 2 : tensor<2xf32>"),
               "2:23: expected a value (%…), found '2'");
  expect_error(IN_F("  %b = \"nowhere.at_all\"(%a) : (tensor<2xf32>) -> tensor<2xf32>"),
               "2:8: unknown op 'nowhere.at_all'");
  expect_error(IN_F("  \"cf.br\"()[^bb1] : () -> ()"), "2:3: unknown op 'cf.br'");
  expect_error(
      IN_F("  \"stablehlo.return\"()[^bb1] : () -> ()"),
      "2:23: the op has successor blocks, but StableHLO has no control flow between blocks");
  expect_error(IN_F("  \"stablehlo.return\"() {a, a = 1} : () -> ()"),
               "2:24: the attribute 'a' occurs twice");
  expect_error(IN_F("  \"stablehlo.return\"() <{a = 1}> {a = 2} : () -> ()"),
               "2:34: the attribute 'a' occurs twice");
  expect_error(IN_F("  \"stablehlo.return\"() {a = 300 : i8} : () -> ()"),
               "2:29: '300' is not a value of type i8");
  expect_error(IN_F("  \"stablehlo.return\"() {a = #b} : () -> ()"),
               "2:29: the attribute alias '#b' is not defined");
  expect_error(IN_F("  \"stablehlo.return\"() {a = dense<[1, 2]> : tensor<3xi32>} : () -> ()"),
               "2:41: the constant has 2 items in dimension 0, expected 3 as in its type");
  expect_error(IN_F("  \"stablehlo.return\"() {a = dense<[1, 2]> : tensor<1xi32>} : () -> ()"),
               "2:39: the constant has 2 items in dimension 0, expected 1 as in its type");
  expect_error(
      IN_F("  \"stablehlo.return\"() {a = dense<\"0x01\"> : tensor<3xi32>} : () -> ()"),
      "2:35: the hex constant has 1 bytes, but tensor<3xi32> requires 12 (or 4 for a splat)");
  expect_error(IN_F("  \"stablehlo.return\"() {a = dense<1> : tensor<3xf32>} : () -> ()"),
               "2:35: '1' is not a value of type f32 (write 1.0 or the bits in hex)");
  expect_error(IN_F("  \"stablehlo.return\"() {a = \"x} : () -> ()"),
               "2:29: this string is not closed on its line");
  expect_error("func.func private @f(tensor<9223372036854775808xf32>)",
               "1:29: the dimension is 9223372036854775808, expected at most 9223372036854775807");
  expect_error("func.func private @f(tensor<9223372036854775807x2xf32>)",
               "1:28: the tensor has more than 9223372036854775807 elements");
  expect_error("#a = [#b]\n#b = [#a]", "2:7: the alias '#a' is defined in terms of itself");
  expect_error("func.func @f(", "1:14: expected a type, but the text ends here");
  expect_error("func.func @f() {}", "1:16: the body of '@f' is empty, expected a return");
  expect_error("module {", "1:9: expected '}', but the text ends here");
  expect_error("module {}\n}", "2:1: '}' has no matching '{'");
}

static void test_bytes(void **state) {
  (void)state;
  Run run = {.text = "module {\0}", .size = 10};
  Status *status = guard_run(run_body, &run);
  assert_string_equal(run.message, "1:9: the text contains a NUL byte");
  status_free(status);
  free(run.message);
  expect_error("HloModule jit_f, is_scheduled=true\n\nf {\n}",
               "1:1: this is HLO text, expected StableHLO text: use JAX's lower(…).as_text()");
  expect_error("ML\xEFR\rStableHLO",
               "1:1: this is MLIR bytecode, expected text: use JAX's Exported.mlir_module()");
  expect_error("{ lambda ; a:f32[2]. let  in (a,) }",
               "1:1: this is a jaxpr, expected StableHLO text: use JAX's lower(…).as_text()");
  expect_error("// ok \xC3\xA9\n// bad \xC3(", "2:8: the byte 0xC3 is not valid UTF-8");
}

static void test_several_errors(void **state) {
  (void)state;
  Run run = {.text = "func.func @f(%a: tensor<2xf32>) {\n"
                     "  %b = \"stablehlo.tahn\"(%a) : (tensor<2xf32>) -> tensor<2xf32>\n"
                     "  %c = \"stablehlo.tanh\"(%b) : (tensor<2xf32>) -> tensor<2xf32>\n"
                     "  %d = \"stablehlo.tanh\"(%e) : (tensor<2xf32>) -> tensor<2xf32>\n"
                     "  return %c : tensor<2xf32>\n"
                     "}\n"
                     "func.func @g( {\n  return\n}\n"
                     "func.func @h() {\n  \"stablehlo.x\"() : () -> ()\n  return\n}\n"};
  Status *status = guard_run(run_body, &run);
  assert_non_null(status);
  status_free(status);
  free(run.message);
  assert_int_equal(run.errors, 4);
}

static char *nest(const char *before, const char *open, const char *middle, const char *close,
                  uint32_t n, const char *after) {
  char *text = malloc(strlen(before) + strlen(middle) + strlen(after) +
                      n * (strlen(open) + strlen(close)) + 1);
  char *to = text;
  to += sprintf(to, "%s", before);
  for (uint32_t i = 0; i < n; i++) to += sprintf(to, "%s", open);
  to += sprintf(to, "%s", middle);
  for (uint32_t i = 0; i < n; i++) to += sprintf(to, "%s", close);
  sprintf(to, "%s", after);
  return text;
}

static void test_depth(void **state) {
  (void)state;
  static const struct {
    const char *before, *open, *middle, *close, *after;
  } cases[] = {
      {"module attributes {a = ", "[", "", "]", "} {}"},
      {"module attributes {a = ", "{b = ", "1", "}", "} {}"},
      {"func.func private @f(", "tuple<", "i1", ">", ")"},
      {"func.func private @f(", "!a.b<", "", ">", ")"},
      {"func.func private @f(", "() -> (", "i1", ")", ")"},
      {"module {} loc(", "\"a\"(", "unknown", ")", ")"},
      {"", "module {\n", "", "}\n", ""},
      {"module attributes {a = #x.y", "<", "", ">", "} {}"},
      {"module attributes {a = dense<", "[", "1", "]", "> : tensor<1xi1>} {}"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char *text = nest(cases[i].before, cases[i].open, cases[i].middle, cases[i].close, 100000,
                      cases[i].after);
    Run run = {.text = text};
    Status *status = guard_run(run_body, &run);
    assert_non_null(status);
    const char *said = strstr(run.message, "nested deeper than");
    if (!said) fail_msg("case %zu: %s", i, run.message);
    status_free(status);
    free(run.message);
    free(text);
  }
  char *text = nest("module attributes {a = ", "[", "", "]", 200, "} {}");
  expect_ok(text, NULL);
  free(text);
}

static void test_segments(void **state) {
  (void)state;
  const char *text = "a\n// -----\nb\n// ----- c\nd";
  Source source = {.path = "test", .text = text, .size = strlen(text)};
  size_t begin = 0, end = 0;
  assert_true(source_next_segment(&source, &begin, &end));
  assert_memory_equal(text + begin, "a\n", end - begin);
  assert_true(source_next_segment(&source, &begin, &end));
  assert_memory_equal(text + begin, "b\n", end - begin);
  assert_true(source_next_segment(&source, &begin, &end));
  assert_memory_equal(text + begin, "d", end - begin);
  assert_false(source_next_segment(&source, &begin, &end));
}

// ---- damaged texts and failing allocations ----

static const char *const texts[] = {
    "sdy.mesh @mesh = <[\"x\"=2, \"y\"=4]>\n"
    "func.func @f(%a: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}, {?}]>}, %z: "
    "tensor<f32>) -> tensor<4xf32> {\n"
    "  %i = stablehlo.constant dense<0> : tensor<i32>\n"
    "  %0 = stablehlo.reduce(%a init: %z) applies stablehlo.add across dimensions = [1] : "
    "(tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>\n"
    "  %1:2 = stablehlo.while(%p = %i, %q = %0) : tensor<i32>, tensor<4xf32> cond {\n"
    "    %2 = stablehlo.compare LT, %p, %p : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
    "    stablehlo.return %2 : tensor<i1>\n"
    "  } do {\n"
    "    stablehlo.return %p, %q : tensor<i32>, tensor<4xf32>\n"
    "  }\n"
    "  %d = stablehlo.dot_general %a, %a, contracting_dims = [1] x [1], precision = [HIGH, "
    "DEFAULT] : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x4xf32>\n"
    "  %g = \"stablehlo.gather\"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = "
    "[0], collapsed_slice_dims = [0], start_index_map = [0]>, slice_sizes = array<i64: 1, 8>}> : "
    "(tensor<4x8xf32>, tensor<i32>) -> tensor<8xf32>\n"
    "  return %1#1 : tensor<4xf32>\n"
    "}\n",
    "#a = {x = [1, 2]}\nmodule @m attributes {a = #a, q = \"\\41\"} {\n"
    "  func.func @f(%a: tensor<2x!quant.uniform<i8:f32:0, {0.5, 1.0}>> {z}) -> tensor<2xf32> {\n"
    "    %0:2 = \"foo.bar\"(%a) <{k}> ({ ^bb0(%x: i32): \"foo.y\"(%x) : (i32) -> () }) : "
    "(tensor<2x!quant.uniform<i8:f32:0, {0.5, 1.0}>>) -> (i1, tensor<2xf32>) loc(#l)\n"
    "    return %0#1 : tensor<2xf32>\n"
    "  }\n}\n#l = loc(fused[\"a\", \"b\":1:2])\n"
    "{-# dialect_resources: { builtin: { blob: \"0x010000000203\" } } #-}\n",
    IN_F("  %b = \"stablehlo.tahn\"(%a) : (tensor<2xf32>) -> tensor<2xf32>\n  \"x.y\"() {v = "
         "dense<[1, 2]> : tensor<2xi8>} : () -> ()"),
};

// Truncated or overwritten texts are parsed or refused with a message.
static void expect_answer(const char *text, size_t size) {
  Run run = {.text = text, .size = size, .allow_unregistered = true};
  Status *status = guard_run(run_body, &run);
  if (status && !run.message) fail_msg("no message, but %s", status_message(status));
  status_free(status);
  free(run.message);
}

static void test_damage(void **state) {
  (void)state;
  static const char bytes[] = "\0\"<>(){}[]%#!@,:=x0 \n\xFF";
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    size_t n = strlen(texts[i]);
    char *copy = malloc(n);
    memcpy(copy, texts[i], n);
    for (size_t at = 1; at <= n; at++) {
      char *prefix = malloc(at);  // its own block, so that reading beyond its end is detected
      memcpy(prefix, copy, at);
      expect_answer(prefix, at);
      free(prefix);
    }
    for (size_t at = 0; at < n; at++) {
      for (size_t k = 0; k < sizeof bytes - 1; k += 1 + at % 3) {
        copy[at] = bytes[k];
        expect_answer(copy, n);
      }
      copy[at] = texts[i][at];
    }
    free(copy);
  }
}

static void test_no_memory(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    for (uint64_t k = 1;; k++) {
      Run run = {.text = texts[i], .allow_unregistered = true, .round = true};
      mem_fail_at(0);
      mem_fail_at(k);
      Status *status = guard_run(run_body, &run);
      uint64_t made = mem_fail_at(0);
      free(run.message);
      bool ran_out = status && status_code(status) == RESOURCE_EXHAUSTED;
      if (!ran_out && made >= k)
        fail_msg("allocation %llu: %s", (unsigned long long)k, status_message(status));
      status_free(status);
      if (!ran_out && made < k) break;
      assert_true(k < 100000);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_function),
      cmocka_unit_test(test_no_module),
      cmocka_unit_test(test_packs_and_unregistered),
      cmocka_unit_test(test_attributes),
      cmocka_unit_test(test_constants),
      cmocka_unit_test(test_types),
      cmocka_unit_test(test_messages),
      cmocka_unit_test(test_bytes),
      cmocka_unit_test(test_several_errors),
      cmocka_unit_test(test_depth),
      cmocka_unit_test(test_segments),
      cmocka_unit_test(test_damage),
      cmocka_unit_test(test_no_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
