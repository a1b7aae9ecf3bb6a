// Rules in every syntax, the values they match, and errors with their position.
#include "annotate/shard_rules.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "parse/parse.h"
#include "annotate/program_mesh.h"

static const char program_text[] =
    "module @m {\n"
    "  sdy.mesh @mesh = <[\"data\"=4, \"model\"=2]>\n"
    "  sdy.mesh @empty = <[]>\n"
    "  func.func @main(%x: tensor<16x8xf32>, %arg1: tensor<8x32xf32> {jax.arg_info = "
    "\"params['l0']['w']\"}, %arg2: tensor<6xf32> {jax.arg_info = \"params['l0']['b']\"}, %step: "
    "tensor<i32>, %d: tensor<?xf32>) -> tensor<16x32xf32> {\n"
    "    %0 = stablehlo.dot_general %x, %arg1, contracting_dims = [1] x [0] : (tensor<16x8xf32>, "
    "tensor<8x32xf32>) -> tensor<16x32xf32>\n"
    "    return %0 : tensor<16x32xf32>\n"
    "  }\n"
    "}\n";

typedef struct World {
  Guard *guard;
  Arena arena;
  Context *context;
  Program *program;
  ShardingTable *table;
} World;

// The result of the rules, `WHO SHARDING` per line, or the errors, `LINE:COLUMN: message`.
static const char *meaning_with(World *w, const char *text, bool divisible) {
  Source *source = ARENA_NEW(&w->arena, Source);
  *source = (Source){.path = "rules", .text = text, .size = strlen(text)};
  Diag *diag = ARENA_NEW(&w->arena, Diag);
  diag_init(diag, w->guard, source);
  ShardRules rules;
  shard_rules_init(&rules, &w->arena);
  AnnotationList list = {0};
  const char *out = "";
  ShardOptions options = {.divisible = divisible};
  if (shard_rules_read(&rules, source, diag))
    shard_rules_resolve(&rules, w->program, w->table, &options, &list);
  for (uint32_t i = 0; i < diag->list.count; i++) {
    uint32_t line, column;
    source_locate(source, diag->list.items[i].pos, &line, &column);
    out = arena_printf(&w->arena, "%s%u:%u: %s\n", out, line, column, diag->list.items[i].message);
  }
  for (uint32_t i = 0; i < list.n && !diag->errors; i++) {
    StrBuf buf;
    strbuf_init(&buf, w->guard);
    sharding_print(w->table, list.v[i].sharding, &buf);
    out = arena_printf(&w->arena, "%s%s %s\n", out,
                       target_text(w->program, &list.v[i].target, &w->arena), buf.data);
    strbuf_deinit(&buf);
  }
  diag_deinit(diag);
  return out;
}

static void expect(World *w, const char *rules, const char *wanted) {
  assert_string_equal(meaning_with(w, rules, false), wanted);
}

static void check_spellings(World *w) {
  static const char *const same[] = {
      "x=P(\"data\", None)",
      "x = P('data')",
      "0=P(data)",
      "arg0=PartitionSpec(('data',), None)",
      "%x=jax.sharding.PartitionSpec(['data'])  # a comment",
      "x=[{\"data\"}, {}]",
      "x=<@mesh, [{\"data\"}, {}]>",
      "\n# first\n  x=#sdy.sharding<@mesh, [{\"data\"}, {}]>\r\n",
  };
  for (size_t i = 0; i < sizeof same / sizeof same[0]; i++)
    expect(w, same[i], "argument 0 'x' <@mesh, [{\"data\"}, {}]>\n");
  expect(w, "x=P()", "argument 0 'x' <@mesh, [{}, {}]>\n");
  expect(w, "step=P()", "argument 3 'step' <@mesh, []>\n");
  expect(w, "x=P(('data','model'))", "argument 0 'x' <@mesh, [{\"data\", \"model\"}, {}]>\n");
  expect(w, "x=P(...)", "argument 0 'x' <@mesh, [{?}, {?}]>\n");
  expect(w, "x=P(..., 'data')", "argument 0 'x' <@mesh, [{?}, {\"data\"}]>\n");
  expect(w, "x=P(None, 'data', ...)", "argument 0 'x' <@mesh, [{}, {\"data\"}]>\n");
  expect(w, "x=P(P.UNCONSTRAINED, UNCONSTRAINED)", "argument 0 'x' <@mesh, [{?}, {?}]>\n");
  expect(w, "x=P(None, unreduced={'model'})",
         "argument 0 'x' <@mesh, [{}, {}], unreduced={\"model\"}>\n");
  expect(w, "x=[{\"data\":(1)2, ?}p1, {?}p0], replicated={\"model\"}",
         "argument 0 'x' <@mesh, [{\"data\":(1)2, ?}p1, {?}p0], replicated={\"model\"}>\n");
  expect(w, "x=[{}, {}], unreduced=max{\"model\"}",
         "argument 0 'x' <@mesh, [{}, {}], unreduced=max{\"model\"}>\n");
}

static void check_matching(World *w) {
  expect(w, "params.l0.b=P()\nparams.*=P('model')",
         "argument 2 'params.l0.b' <@mesh, [{}]>\n"
         "argument 1 'params.l0.w' <@mesh, [{\"model\"}, {}]>\n");
  expect(w, "out=P('data')", "result 0 <@mesh, [{\"data\"}, {}]>\n");
  expect(w, "%0=P('data')", "%0 <@mesh, [{\"data\"}, {}]>\n");
  expect(w, "x=P()\n0=P('data')",
         "2:1: this rule is never used: rules before it match all that '0' means\n"
         "argument 0 'x' <@mesh, [{}, {}]>\n");
}

static void check_wrong(World *w) {
  expect(w, "x", "1:1: expected PATTERN=SHARDING, as in 'x=P(\"data\", None)'\n");
  expect(w, "=P()", "1:1: no pattern stands before '='\n");
  expect(w, "x=Q()", "1:3: expected a sharding: P(\"data\", None) or [{\"data\"}, {}], not 'Q'\n");
  expect(w, "x=P('data'", "1:11: the sharding ends here; expected ',' or ')'\n");
  expect(w, "x=P('data", "1:5: this quote is not closed\n");
  expect(w, "x=P() P()", "1:7: expected the end of the rule, not 'P'\n");
  expect(w, "x=P(..., ...)", "1:10: '...' stands twice in one sharding\n");
  expect(w, "x=[{\"data\"}p]", "1:13: expected a number, not ']'\n");
  expect(w, "x=[{}p99999999999, {}]", "1:7: expected a number below 2^31, not '99999999999'\n");
  expect(w, "\n\nx=P(None, 'modle')",
         "3:11: unknown axis \"modle\": the mesh is @mesh [\"data\"=4, \"model\"=2]; did you mean "
         "\"model\"?\n");
  expect(w, "x=P('data', 'data')",
         "1:13: axis \"data\" is used twice: by dimension 0 and by dimension 1\n");
  expect(w, "x=[{\"data\"}, {\"data\":(2)2}]",
         "1:15: axis \"data\":(2)2 is used twice: by dimension 0 and by dimension 1\n");
  expect(w, "x=[{\"data\":(3)2}, {}]",
         "1:5: sub-axis \"data\":(3)2 does not divide the axis, which has size 4\n");
  expect(w, "x=P(None, None, 'data')",
         "1:3: this sharding has 3 dimensions, but argument 0 'x' : tensor<16x8xf32> has 2\n");
  expect(w, "x=[{\"data\"}]",
         "1:3: this sharding has 1 dimension, but argument 0 'x' : tensor<16x8xf32> has 2\n");
  expect(w, "x=<@grid, [{}, {}]>",
         "1:5: there is no mesh @grid; the program's meshes: @mesh [\"data\"=4, \"model\"=2], "
         "@empty []\n");
  expect(w, "parms.l0.w=P()",
         "1:1: nothing is called 'parms.l0.w'; near names: params.l0.w, "
         "params.l0.b\n");
  expect(w, "d=P('data')",
         "1:3: dimension 0 of argument 4 'd' : tensor<?xf32> has no fixed size and cannot be "
         "sharded\n");
  expect(w, "params.l0.b=P('data')",
         "1:13: dimension 0 of argument 2 'params.l0.b' : tensor<6xf32> has 6 elements, which 4 "
         "devices do not divide: tiles of 2 are padded\n"
         "argument 2 'params.l0.b' <@mesh, [{\"data\"}]>\n");
  assert_string_equal(
      meaning_with(w, "params.l0.b=P('data')", true),
      "1:13: dimension 0 of argument 2 'params.l0.b' : tensor<6xf32> has 6 "
      "elements, which 4 devices do not divide: --edges=divisible (divisible_edges) requires a "
      "multiple of 4\n");
  expect(w, "*=P(..., 'data')\n",
         "1:3: this sharding has 1 dimension, but argument 3 'step' : tensor<i32> has 0\n");
  expect(w, "arg2=P('data')\nd=P()\nstep=P()\n*=P(None, ('data', 'model'))",
         "1:6: dimension 0 of argument 2 'params.l0.b' : tensor<6xf32> has 6 elements, which 4 "
         "devices do not divide: tiles of 2 are padded\n"
         "argument 2 'params.l0.b' <@mesh, [{\"data\"}]>\n"
         "argument 4 'd' <@mesh, [{}]>\n"
         "argument 3 'step' <@mesh, []>\n"
         "argument 0 'x' <@mesh, [{}, {\"data\", \"model\"}]>\n"
         "argument 1 'params.l0.w' <@mesh, [{}, {\"data\", \"model\"}]>\n");
  // All invalid rules are reported at once.
  expect(w, "x=P('a')\nx=P('b')",
         "1:5: unknown axis \"a\": the mesh is @mesh [\"data\"=4, \"model\"=2]\n"
         "2:5: unknown axis \"b\": the mesh is @mesh [\"data\"=4, \"model\"=2]\n");
}

static const char *mesh_error(World *w, const char *text) {
  MeshId mesh;
  Status *status = program_mesh_use(w->program, w->table, str_of(text), &mesh);
  const char *message = arena_printf(&w->arena, "%s", status_message(status));
  status_free(status);
  return message;
}

static void check_meshes(World *w) {
  MeshId id = 0;
  assert_null(program_mesh_use(w->program, w->table, str_of("data=4, \"model\"=2"), &id));
  assert_string_equal(mesh_text(w->context, sharding_mesh(w->table, id), &w->arena),
                      "@mesh [\"data\"=4, \"model\"=2]");
  assert_string_equal(mesh_error(w, "data=2"),
                      "mesh 'data=2' is not the program's: it has @mesh [\"data\"=4, \"model\"=2], "
                      "@empty []; to add another one, name it: NAME:data=2");
  assert_string_equal(mesh_error(w, "data"),
                      "mesh 'data': expected AXIS=SIZE as in data=4,model=2, not 'data'");
  assert_string_equal(mesh_error(w, "a=2,a=3"),
                      "mesh 'a=2,a=3': the mesh has two axes named \"a\"");
  assert_string_equal(mesh_error(w, "a=0"),
                      "mesh 'a=0': the mesh axis \"a\" has size 0, expected at least 1");
  assert_string_equal(mesh_error(w, "a=99999999999"),
                      "mesh 'a=99999999999': expected AXIS=SIZE as in data=4,model=2, not "
                      "'a=99999999999'");
  assert_null(program_devices_use(w->program, w->table, 8));
  status_free(program_devices_use(w->program, w->table, 4));
  assert_null(program_mesh_use(w->program, w->table, str_of("other:a=2"), &id));
  assert_null(program_check(w->program));
  expect(w, "x=P('a')",
         "1:3: the program has several meshes (@other [\"a\"=2], @mesh [\"data\"=4, \"model\"=2], "
         "@empty []): write which, <@mesh, [{\"x\"}, {}]>\n");
  expect(w, "x=<@other, [{\"a\"}, {}]>", "argument 0 'x' <@other, [{\"a\"}, {}]>\n");
}

static Status *run_all(Guard *guard, void *arg) {
  (void)arg;
  World w = {.guard = guard};
  arena_init(&w.arena, guard);
  w.context = context_new(guard);
  Source source = {.path = "m.mlir", .text = program_text, .size = sizeof program_text - 1};
  Diag diag;
  diag_init(&diag, guard, &source);
  TRY(program_parse(w.context, guard, &source, 0, source.size, &(ParseOptions){0}, &diag,
                    &w.program));
  w.table = sharding_table_new(w.context, guard);
  TRY(program_meshes_read(w.program, w.table));
  check_spellings(&w);
  check_matching(&w);
  check_wrong(&w);
  check_meshes(&w);
  sharding_table_free(w.table);
  program_free(w.program);
  diag_deinit(&diag);
  context_free(w.context);
  arena_deinit(&w.arena);
  return NULL;
}

static void test_rules(void **state) {
  (void)state;
  assert_null(guard_run(run_all, NULL));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_rules)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
