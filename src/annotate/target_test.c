// Paths in all of JAX's syntaxes, globs, and the values that a pattern matches.
#include "annotate/target.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "parse/parse.h"
#include "annotate/target_index.h"

static const char text[] =
    "#loc1 = loc(\"params['layer_0']['kernel']\")\n"
    "#loc2 = loc(\"state.x[0].y\")\n"
    "module @m {\n"
    "  func.func public @main(%arg0: tensor<4x8xf32> loc(#loc1), %arg1: tensor<8xf32> loc(#loc2),\n"
    "      %w: tensor<8xf32>, %arg3: tensor<8xf32> {jax.arg_info = \"opt[<flat index 1>]\"})\n"
    "      -> (tensor<8xf32> {jax.result_info = \"result['loss']\"},\n"
    "          tensor<8xf32> {jax.result_info = \"[1]\"}) {\n"
    "    %0 = stablehlo.add %arg1, %w : tensor<8xf32>\n"
    "    %1 = stablehlo.add %0, %arg3 : tensor<8xf32> loc(\"/home/u/model.py\":31:4)\n"
    "    %2 = stablehlo.negate %1 : tensor<8xf32> loc(\"name\"(\"/home/u/model.py\":31:9))\n"
    "    %3 = stablehlo.negate %2 : tensor<8xf32> loc(\"jit(f)/transpose(jvp())/neg\""
    "(\"/home/u/model.py\":31:9))\n"
    "    %4 = stablehlo.negate %3 : tensor<8xf32> loc(\"jit(f)/transpose(jvp())/neg\""
    "(\"/home/u/model.py\":40:9))\n"
    "    return %2, %1 : tensor<8xf32>, tensor<8xf32>\n"
    "  }\n"
    "  func.func private @f(%a: tensor<2xf32>) -> tensor<2xf32> {\n"
    "    %b = stablehlo.negate %a : tensor<2xf32> loc(\"/home/u/model.py\":50:9)\n"
    "    return %b : tensor<2xf32>\n"
    "  }\n"
    "  func.func private @g(%a: tensor<2xf32>) -> tensor<2xf32> {\n"
    "    %c = stablehlo.negate %a : tensor<2xf32> loc(\"jit(f)/transpose(jvp())/neg\""
    "(\"/home/u/model.py\":50:9))\n"
    "    return %c : tensor<2xf32>\n"
    "  }\n"
    "}\n";

typedef struct World {
  Guard *guard;
  Arena arena;
  Program *program;
  Context *context;
} World;

static const char *words(World *w, TargetList list) {
  const char *out = "";
  for (uint32_t i = 0; i < list.n; i++)
    out = arena_printf(&w->arena, "%s%s%s", out, i ? "|" : "",
                       target_text(w->program, &list.v[i], &w->arena));
  return out;
}

// The matches of a pattern as text: "argument 0 'params.layer_0.kernel'|…"; equal with the index.
static const char *meaning(World *w, const char *pattern) {
  const char *out = words(w, targets_find(w->program, str_of(pattern), &w->arena));
  const TargetIndex *index = target_index_new(w->program, &w->arena);
  assert_string_equal(words(w, target_index_find(index, str_of(pattern), &w->arena)), out);
  return out;
}

static const char *near(World *w, const char *pattern) {
  Str names[2];
  uint32_t n = targets_near(w->program, str_of(pattern), &w->arena, 2, names);
  const char *out = "";
  for (uint32_t i = 0; i < n; i++)
    out = arena_printf(&w->arena, "%s%s%.*s", out, i ? "|" : "", (int)names[i].n, names[i].s);
  return out;
}

static const char *hint(World *w, const char *pattern) {
  return targets_hint(w->program, str_of(pattern), &w->arena);
}

static Status *look_up(Guard *guard, void *arg) {
  (void)arg;
  World w = {.guard = guard};
  arena_init(&w.arena, guard);
  w.context = context_new(guard);
  Source source = {.path = "dir/m.mlir", .text = text, .size = sizeof text - 1};
  Diag diag;
  diag_init(&diag, guard, &source);
  TRY(program_parse(w.context, guard, &source, 0, source.size, &(ParseOptions){0}, &diag,
                    &w.program));
  static const char kernel[] = "argument 0 'params.layer_0.kernel'";
  assert_string_equal(meaning(&w, "0"), kernel);
  assert_string_equal(meaning(&w, "arg0"), kernel);
  assert_string_equal(meaning(&w, "%arg0"), kernel);
  assert_string_equal(meaning(&w, "params.layer_0.kernel"), kernel);
  assert_string_equal(meaning(&w, "params['layer_0'][\"kernel\"]"), kernel);
  assert_string_equal(meaning(&w, "params.*.kernel"), kernel);
  assert_string_equal(meaning(&w, "params['*'].k?rnel"), kernel);
  assert_string_equal(meaning(&w, "state.x[0].y"), "argument 1 'state.x.0.y'");
  assert_string_equal(meaning(&w, "w"), "argument 2 'w'");
  assert_string_equal(meaning(&w, "%w"), "argument 2 'w'");
  assert_string_equal(meaning(&w, "opt[1]"), "argument 3 'opt.1'");
  assert_string_equal(meaning(&w, "result0"), "result 0 'result.loss'");
  assert_string_equal(meaning(&w, "result['loss']"), "result 0 'result.loss'");
  assert_string_equal(meaning(&w, "out.loss"), "result 0 'result.loss'");
  assert_string_equal(meaning(&w, "out[1]"), "result 1 'result.1'");
  assert_string_equal(meaning(&w, "result*"), "result 0 'result.loss'|result 1 'result.1'");
  assert_string_equal(meaning(&w, "%2"), "%2");
  assert_string_equal(meaning(&w, "m.mlir:8"), "%0");
  assert_string_equal(meaning(&w, "dir/m.mlir:8"), "%0");
  assert_string_equal(meaning(&w, "odir/m.mlir:8"), "");
  assert_string_equal(meaning(&w, "model.py:31"), "%2");
  assert_string_equal(meaning(&w, "model.py:40"), "%4");  // of the backward pass only
  assert_string_equal(meaning(&w, "model.py:50"), "%b");  // in a callee
  assert_string_equal(meaning(&w, "@main:model.py:50"), "");
  assert_string_equal(hint(&w, "model.py:32"),
                      "; the nearest lines that ops come from are 31 and 40");
  assert_string_equal(hint(&w, "model.py:30"), "; the nearest line that ops come from is 31");
  assert_string_equal(hint(&w, "other.py:30"), "; no op has a location in that file");
  assert_string_equal(hint(&w, "m.mlir:1"), "; no op of that line defines a value");
  assert_string_equal(hint(&w, "parms"), "");
  assert_string_equal(meaning(&w, "@f:0"), "argument 0 'a'");
  assert_string_equal(meaning(&w, "@f:result"), "result 0");
  assert_string_equal(meaning(&w, "@h:0"), "");
  assert_string_equal(meaning(&w, "4"), "");
  assert_string_equal(meaning(&w, "layer_0"), "");
  assert_string_equal(meaning(&w, ""), "");
  assert_string_equal(meaning(&w, "%"), "");
  assert_string_equal(meaning(&w, "%2#1"), "");
  assert_string_equal(near(&w, "params.layer_0.kernal"), "params.layer_0.kernel");
  assert_string_equal(near(&w, "%12"), "%1|%2");
  program_free(w.program);
  diag_deinit(&diag);
  context_free(w.context);
  arena_deinit(&w.arena);
  return NULL;
}

static void test_look_up(void **state) {
  (void)state;
  assert_null(guard_run(look_up, NULL));
}

// Arguments named like results, globs, values and numbers.
static Status *look_up_awkward(Guard *guard, void *arg) {
  (void)arg;
  static const char awkward[] =
      "func.func @main(%arg0: tensor<4xf32> {jax.arg_info = \"out\"},\n"
      "    %arg1: tensor<4xf32> {jax.arg_info = \"result\"},\n"
      "    %arg2: tensor<4xf32> {jax.arg_info = \"result1\"},\n"
      "    %arg3: tensor<4xf32> {jax.arg_info = \"w*\"}, %arg4: tensor<4xf32> {jax.arg_info = "
      "\"w1\"},\n"
      "    %arg5: tensor<4xf32> {jax.arg_info = \"result.2\"}, %arg6: tensor<4xf32> {jax.arg_info "
      "= \"1\"})\n"
      "    -> (tensor<4xf32> {jax.result_info = \"result[1]\"}, tensor<4xf32> {jax.result_info = "
      "\"result[2]\"}, tensor<4xf32>) {\n"
      "  return %arg0, %arg1, %arg2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>\n}\n";
  World w = {.guard = guard};
  arena_init(&w.arena, guard);
  w.context = context_new(guard);
  Source source = {.path = "a.mlir", .text = awkward, .size = sizeof awkward - 1};
  Diag diag;
  diag_init(&diag, guard, &source);
  assert_null(program_parse(w.context, guard, &source, 0, source.size, &(ParseOptions){0}, &diag,
                            &w.program));
  static const char *const patterns[] = {
      "out",      "result",    "result0",  "result1", "result2", "result3", "out0",    "out1",
      "result.0", "result.1",  "result.2", "w*",      "w?",      "w1",      "1",       "arg1",
      "%arg1",    "@main:out", "result*",  "*",       "",        "nobody",  "a.mlir:3"};
  for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) meaning(&w, patterns[i]);
  // A named argument has no number, and synonyms apply only to patterns that match no name.
  assert_string_equal(meaning(&w, "result1"), "argument 2 'result1'");
  assert_string_equal(meaning(&w, "out"), "argument 0 'out'");
  assert_string_equal(meaning(&w, "result"), "argument 1 'result'");
  assert_string_equal(meaning(&w, "result.1"), "result 0 'result.1'");
  assert_string_equal(meaning(&w, "out.1"), "result 0 'result.1'");
  assert_string_equal(meaning(&w, "result.2"),
                      "argument 5 'result.2'|result 1 'result.2'|result 2");
  assert_string_equal(meaning(&w, "result0"), "result 0 'result.1'");
  assert_string_equal(meaning(&w, "out2"), "result 1 'result.2'|result 2");
  assert_string_equal(meaning(&w, "arg1"), "argument 1 'result'");
  program_free(w.program);
  diag_deinit(&diag);
  context_free(w.context);
  arena_deinit(&w.arena);
  return NULL;
}

static void test_awkward(void **state) {
  (void)state;
  assert_null(guard_run(look_up_awkward, NULL));
}

static void test_globs(void **state) {
  (void)state;
  static const struct {
    const char *glob, *path;
    bool fits;
  } cases[] = {
      {"*", "", true},
      {"*", "a.b", true},
      {"a*", "a", true},
      {"a?", "a", false},
      {"*.w", "a.b.w", true},
      {"*.w", "w", false},
      {"a*b*c", "aXbYc", true},
      {"a*b*c", "aXbY", false},
      {"**", "abc", true},
      {"", "", true},
      {"", "a", false},
      {"a", "ab", false},
      {"w[qkv]", "wq", true},
      {"w[qkv]", "wo", false},
      {"w[qkv]", "w", false},
      {"w[!qkv]", "wo", true},
      {"w[^qkv]", "wq", false},
      {"l[0-9].w", "l7.w", true},
      {"l[0-9].w", "lx.w", false},
      {"*[a-c]", "xyzb", true},
      {"*[a-c]d", "abcd", true},
      {"[]x]", "]", true},
      {"[!]]", "]", false},
      {"[a-]", "-", true},
      {"[\\]]", "]", true},
      {"\\*", "*", true},
      {"\\*", "a", false},
      {"a\\[b", "a[b", true},
      {"a[b", "a[b", true},
      {"\\", "\\", true},
      {"[a-c]*[x-z]", "bz", true},
      {"[z-a]", "m", false},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
    assert_int_equal(path_matches(str_of(cases[i].glob), str_of(cases[i].path)), cases[i].fits);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_globs), cmocka_unit_test(test_look_up),
                                     cmocka_unit_test(test_awkward)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
