// Export of sdy annotations to GSPMD, refusals with positions, and import again: every device keeps
// its tile of every value.
#include "interop/gspmd_export.h"

#include "../tests/support/gspmd_fixture.h"
#include "ops/op.h"
#include "interop/gspmd_import.h"
#include "sharding/sharding_fixture.h"

#define F "func.func @main"
#define T "tensor<8x4xf32>"
#define MESH "sdy.mesh @mesh = <[\"x\"=2, \"y\"=2]>\n"
#define ON(text) "{sdy.sharding = #sdy.sharding<@mesh, " text ">}"
#define OP_ON(text) "{sdy.sharding = #sdy.sharding_per_value<[" text "]>}"

static const struct {
  const char *what, *text, *lines;
} good[] = {
    {"arguments and results",
     MESH F "(%x: " T " " ON("[{\"x\"}, {?}]") ", %y: " T " " ON(
         "[{\"y\", \"x\"}, {}]") ") -> (" T " " ON("[{}, {}]") ") { return %x : " T " }",
     "module attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32}\n"
     "%arg0: " T " {mhlo.sharding = \"{devices=[2,1,2]<=[4] last_tile_dim_replicate}\"}\n"
     "%arg1: " T " {mhlo.sharding = \"{devices=[4,1]<=[2,2]T(1,0)}\"}\n"
     "-> (" T " {mhlo.sharding = \"{replicated}\"})\n"
     "!sdy"},
    {"several results, a single device, constants",
     MESH F "(%x: " T ") -> " T " {\n"
            "  %0:2 = stablehlo.optimization_barrier " OP_ON(
                "<@mesh, [{\"x\"}, {\"y\"}]>, <@mesh, "
                "[{}, {}]>") " %x, %x : " T ", " T "\n"
                             "  %1 = stablehlo.add "
                             "%0#0, %0#1 " OP_ON("<mesh<[], "
                                                 "device_ids=[3]>, "
                                                 "[]>") " : " T "\n"
                                                        "  %2 = "
                                                        "sdy."
                                                        "constant"
                                                        " " OP_ON("<@mesh, "
                                                                  "[{\"x\"},"
                                                                  " {}]>") " dense<1.0> : " T "\n"
                                                                           "  return %1 : " T " }",
     "\"{{devices=[2,2]<=[4]}, {replicated}}\"\n"
     "\"{maximal device=3}\"\n"
     "stablehlo.constant {mhlo.sharding = \"{devices=[2,1,2]<=[4] last_tile_dim_replicate}\"}\n"
     "!sdy"},
    {"constraints, reshards, edges",
     MESH F "(%x: " T ") -> " T " {\n"
            "  %0 = sdy.sharding_constraint %x <@mesh, [{\"x\", ?}, {?}]> {note.a} : " T "\n"
            "  %1 = sdy.reshard %0 <@mesh, [{}, {\"y\", \"x\"}]> : " T "\n"
            "  %2 = sdy.data_flow_edge %1 : " T "\n"
            "  return %2 : " T " }",
     "%0 = stablehlo.custom_call @Sharding(%arg0) {backend_config = \"unspecified_dims=[0,1]\", "
     "mhlo.sharding = \"{devices=[2,1,2]<=[4] last_tile_dim_replicate}\", note.a}\n"
     "%1 = stablehlo.custom_call @Sharding(%0) {mhlo.sharding = "
     "\"{devices=[1,4]<=[2,2]T(1,0)}\"}\n"
     "return %1\n!sdy"},
    {"barriers",
     F "(%x: " T ") -> " T " {\n"
       "  %0 = sdy.propagation_barrier %x allowed_direction=FORWARD : " T "\n"
       "  %1 = sdy.propagation_barrier %0 allowed_direction=BACKWARD : " T "\n"
       "  %2 = sdy.propagation_barrier %1 allowed_direction=NONE : " T "\n"
       "  %3 = sdy.propagation_barrier %2 allowed_direction=BOTH : " T "\n"
       "  return %3 : " T " }",
     "%0 = stablehlo.custom_call @ShardBarrierTo(%arg0)\n"
     "%1 = stablehlo.custom_call @ShardBarrierFrom(%0)\n"
     "%2 = stablehlo.custom_call @ShardBarrierTo(%1)\n"
     "%3 = stablehlo.custom_call @ShardBarrierFrom(%2)\n"
     "return %3\n!sdy\n!mhlo"},
    {"groups",
     MESH F "(%x: " T " " ON("[{\"x\", \"y\"}, {}]") ") -> " T " {\n"
                                                     "  %0 = stablehlo.negate %x : " T "\n"
                                                     "  sdy.sharding_group %x group_id=3 : " T "\n"
                                                     "  sdy.sharding_group %0 group_id=3 : " T "\n"
                                                     "  sdy.sharding_group %0 group_id=4 : " T "\n"
                                                     "  %1 = stablehlo.negate %0 : " T "\n"
                                                     "  return %1 : " T " }",
     "{mhlo.sharding = \"{devices=[4,1]<=[4] shard_as 3}\"}\n"
     "%0 = stablehlo.negate %arg0 : " T "\n"
     "%1 = stablehlo.custom_call @Sharding(%0) {mhlo.sharding = \"{unknown shard_as 3}\"}\n"
     "%2 = stablehlo.custom_call @Sharding(%1) {mhlo.sharding = \"{unknown shard_as 4}\"}\n"
     "%3 = stablehlo.negate %2\n!sdy"},
    {"manual computations, one in another, and what they call",
     MESH F "(%x: " T ", %t: !stablehlo.token) -> " T " {\n"
            "  %0:2 = sdy.manual_computation(%x, %t) in_shardings=[<@mesh, [{\"x\"}, {\"y\", ?}]>, "
            "<@mesh, []>] out_shardings=[<@mesh, [{\"x\"}, {?}]>, <@mesh, []>] "
            "manual_axes={\"x\"} (%a: tensor<4x4xf32>, %u: !stablehlo.token) {\n"
            "    %1 = call @f(%a) : (tensor<4x4xf32>) -> tensor<4x4xf32>\n"
            "    %2 = sdy.manual_computation(%1) in_shardings=[<@mesh, [{}, {\"y\"}]>] "
            "out_shardings=[<@mesh, [{}, {\"y\"}]>] manual_axes={\"y\"} (%b: tensor<4x2xf32>) {\n"
            "      %3 = stablehlo.negate %b " OP_ON(
                "<@mesh, [{}, {}]>") " : tensor<4x2xf32>\n"
                                     "      sdy.return %3 : tensor<4x2xf32>\n"
                                     "    } : (tensor<4x4xf32>) -> tensor<4x4xf32>\n"
                                     "    sdy.return %2, %u : tensor<4x4xf32>, !stablehlo.token\n"
                                     "  } : (" T ", !stablehlo.token) -> (" T
                                     ", !stablehlo.token)\n"
                                     "  return %0#0 : " T " }\n"
                                     "func.func private @f(%x: tensor<4x4xf32> " ON(
                                         "[{}, {\"y\"}]") ") -> tensor<4x4xf32> { return %x : "
                                                          "tensor<4x4xf32> }",
     "%0 = stablehlo.custom_call @Sharding(%arg0) {backend_config = \"unspecified_dims=[1]\", "
     "mhlo.sharding = \"{devices=[2,2]<=[4]}\"}\n"
     "%1 = stablehlo.custom_call @SPMDFullToShardShape(%0) {backend_config = "
     "\"unspecified_dims=[1]\", mhlo.sharding = \"{devices=[1,2,2]<=[2,2]T(1,0) "
     "last_tile_dims={manual}}\"} : (" T ") -> tensor<4x4xf32>\n"
     "call @xla.sdy.inlinable_manual_computation_body_0(%1, %arg1)\n"
     "@Sharding(%2#0) {backend_config = \"unspecified_dims=[1]\", mhlo.sharding = "
     "\"{devices=[1,1,2,2]<=[4] last_tile_dims={manual, replicated}}\"}\n"
     "@SPMDShardToFullShape(%3)\n"
     "@f(%arg0: tensor<4x4xf32> {mhlo.sharding = \"{devices=[1,2,2]<=[2,2]T(1,0) "
     "last_tile_dims={manual}}\"})\n"
     "@xla.sdy.inlinable_manual_computation_body(%arg0: tensor<4x2xf32>)\n"
     "stablehlo.negate %arg0 {mhlo.sharding = \"{manual}\"}\n"
     "@xla.sdy.inlinable_manual_computation_body_0(\n"
     "!sdy.sharding\n!sdy.manual_c"},
    {"named computations",
     MESH F
     "(%x: " T ") -> " T " {\n"
     "  %0 = sdy.named_computation<\"foo\">(%x) in_shardings=[<@mesh, [{\"x\", \"y\"}, {}]>] "
     "out_shardings=[<@mesh, [{}, {\"x\", \"y\"}]>] (%a: " T ") {\n"
     "    sdy.return %a : " T "\n"
     "  } : (" T ") -> " T "\n"
     "  return %0 : " T " }",
     "call @foo(%arg0) {mhlo.sharding = \"{devices=[1,4]<=[4]}\"}\n"
     "func.func private @foo(%arg0: " T " {mhlo.sharding = \"{devices=[4,1]<=[4]}\"})\n!sdy"},
};

static const struct {
  const char *text, *message;
  uint32_t line;
} bad[] = {
    {MESH "sdy.mesh @other = <[\"z\"=8]>\n" F "(%x: " T
          " " ON("[{\"x\"}, {}]") ") -> " T " {\n  %0 = stablehlo.negate %x " OP_ON(
              "<@other, [{\"z\"}, {}]>") " : " T "\n  return %0 : " T " }",
     "its mesh has 8 devices, those of other shardings have 4", 4},
    {MESH F "(%x: " T " " ON("[{}, {}], unreduced=max{\"x\"}") ") -> " T " { return %x : " T " }",
     "GSPMD has no words for a value that is unreduced by max", 2},
    {MESH F "(%x: " T ") -> " T " {\n  %0 = call @f(%x) : (" T ") -> " T
            "\n  %1 = sdy.manual_computation(%0) in_shardings=[<@mesh, [{}, {}], "
            "replicated={\"x\"}>] out_shardings=[<@mesh, [{}, {}], replicated={\"x\"}>] "
            "manual_axes={\"x\"} (%a: " T ") {\n    %2 = call @f(%a) : (" T ") -> " T
            "\n    sdy.return %2 : " T "\n  } : (" T ") -> " T "\n  return %1 : " T
            " }\nfunc.func private @f(%x: " T ") -> " T " {\n  %0 = call @g(%x) : (" T ") -> " T
            "\n  return %0 : " T " }\nfunc.func private @g(%x: " T ") -> " T
            " {\n  %0 = stablehlo.negate %x " OP_ON(
                "<@mesh, [{\"y\"}, {}]>") " : " T "\n  return %0 : " T " }",
     "its function is called under different manual axes", 13},
};

static Status *good_body(Guard *guard, void *arg) {
  size_t i = *(size_t *)arg;
  Fixture f;
  fixture_open(&f, guard, good[i].text);
  fixture_text(&f);
  Status *status = gspmd_export(f.program, f.table, guard, &f.diag);
  if (status) fail_msg("%s: %s", good[i].what, status_message(status));
  expect_lines(fixture_text(&f), good[i].lines);
  fixture_done(&f, guard);
  return NULL;
}

static void test_every_kind(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof good / sizeof *good; i++) assert_null(guard_run(good_body, &i));
}

static Status *bad_body(Guard *guard, void *arg) {
  size_t i = *(size_t *)arg;
  Fixture f;
  fixture_open(&f, guard, bad[i].text);
  fixture_text(&f);
  uint64_t hash = program_hash(f.program);
  Status *status = gspmd_export(f.program, f.table, guard, &f.diag);
  if (!status) fail_msg("taken: %s", bad[i].text);
  status_free(status);
  const Diagnostic *d = &f.diag.list.items[0];
  if (!strstr(d->message, bad[i].message)) fail_msg("%s\nin %s", d->message, bad[i].text);
  uint32_t line, column;
  source_locate(&f.source, d->pos, &line, &column);
  assert_int_equal(line, bad[i].line);
  assert_true(hash == program_hash(f.program));
  fixture_done(&f, guard);
  return NULL;
}

static void test_refusals(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) assert_null(guard_run(bad_body, &i));
}

// ---- round trip ----

// All shardings of the program, in order.
typedef struct Shardings {
  Sharding items[64];
  uint32_t n;
} Shardings;

static void take(Fixture *f, Attr attr, Shardings *out) {
  if (!attr) return;
  assert_true(out->n < 64);
  Status *status = sharding_from_attr(f->table, attr, 0, &out->items[out->n]);
  if (status) fail_msg("%s", status_message(status));
  out->n++;
}

static void take_all(Fixture *f, Shardings *out) {
  Program *p = f->program;
  *out = (Shardings){.n = 0};
  for (OpId o = p->root; o; o = op_walk_next(p, o, p->root)) {
    if (op_at(p, o)->code == OP_sdy_mesh) {
      const Mesh *mesh;
      Name symbol = attr_as_name(f->context, op_attr(p, o, "sym_name"));
      assert_null(mesh_from_attr(f->context, op_attr(p, o, "mesh"), symbol, &mesh));
      sharding_mesh_add(f->table, mesh);
    }
    for (uint32_t k = 0; k < 2; k++) {
      const AttrInfo *list = attr_info(f->context, op_attr(p, o, k ? "res_attrs" : "arg_attrs"));
      for (uint32_t i = 0; i < list->count; i++)
        take(f, attr_get(f->context, list->items[i], "sdy.sharding"), out);
    }
    take(f, op_attr(p, o, "sharding"), out);
    Attr per_value = op_attr(p, o, "sdy.sharding");
    const AttrInfo *list = attr_info(f->context, attr_get(f->context, per_value, "shardings"));
    for (uint32_t i = 0; i < list->count; i++) take(f, list->items[i], out);
  }
}

static void add_mesh(Fixture *f, Attr mesh, const char *symbol) {
  Program *p = f->program;
  NamedAttr fields[2] = {
      {name_of(f->context, "sym_name"), attr_string(f->context, name_of(f->context, symbol))},
      {name_of(f->context, "mesh"), mesh}};
  OpId op = op_create(
      p,
      &(OpSpec){.code = OP_sdy_mesh, .attrs = attr_dict(f->context, 2, fields), .pos = POS_NONE});
  op_insert_before(p, op, block_at(p, region_block(p, op_region(p, p->root, 0)))->first);
}

// A program on a random mesh with every kind of annotation: exported, and imported on the same mesh
// or on one that is found.
typedef struct Trial {
  Dice *dice;
  bool keep_mesh;
  uint32_t found;
} Trial;

static void random_text(Trial *t, Context *context, ShardingTable *table, StrBuf *out) {
  const Mesh *mesh = random_mesh(context, t->dice, name_of(context, "original"));
  MeshId id = sharding_mesh_add(table, mesh);
  uint32_t rank = 1 + dice_roll(t->dice, 4);
  char type[64] = "tensor<", *end = type + 7;
  for (uint32_t d = 0; d < rank; d++) end += snprintf(end, 8, "96x");
  snprintf(end, 8, "f32>");
  RandomOptions options = {.unreduced = true, .open = true};
#define PUT_SHARDING()                                                                             \
  sharding_print(table, random_sharding(table, id, rank, options, t->dice), out)
  strbuf_puts(out, "sdy.mesh @original = ");
  attr_print(context, mesh_to_attr(context, mesh), out);
  // There `#sdy.mesh<…>` has no prefix.
  char *head = strstr(out->data, "#sdy.mesh");
  memmove(head, head + 9, strlen(head + 9) + 1);
  out->used -= 9;
  strbuf_printf(out, "\nfunc.func @main(%%x: %s {sdy.sharding = #sdy.sharding", type);
  PUT_SHARDING();
  strbuf_printf(out, "}) -> (%s {sdy.sharding = #sdy.sharding", type);
  PUT_SHARDING();
  strbuf_puts(out, "}) {\n  %0 = sdy.sharding_constraint %x ");
  PUT_SHARDING();
  strbuf_printf(out,
                " : %s\n  %%1 = stablehlo.add %%0, %%x {sdy.sharding = "
                "#sdy.sharding_per_value<[",
                type);
  PUT_SHARDING();
  strbuf_printf(out,
                "]>} : %s\n  %%2:2 = stablehlo.optimization_barrier {sdy.sharding = "
                "#sdy.sharding_per_value<[",
                type);
  PUT_SHARDING();
  strbuf_puts(out, ", ");
  PUT_SHARDING();
  strbuf_printf(out, "]>} %%0, %%1 : %s, %s\n  return %%2#0 : %s\n}\n", type, type, type);
#undef PUT_SHARDING
}

static Status *trial_body(Guard *guard, void *arg) {
  Trial *t = arg;
  StrBuf text;
  strbuf_init(&text, guard);
  Context *context = context_new(guard);
  ShardingTable *table = sharding_table_new(context, guard);
  GuardCleanup c1 = {strbuf_release, &text, NULL}, c2 = {context_release, context, NULL},
               c3 = {sharding_table_release, table, NULL};
  guard_push(guard, &c1);
  guard_push(guard, &c2);
  guard_push(guard, &c3);
  random_text(t, context, table, &text);
  Fixture f;
  fixture_open(&f, guard, text.data);
  Shardings before, after;
  take_all(&f, &before);
  assert_int_equal(before.n, 6);
  OpId mesh_op = block_at(f.program, region_block(f.program, op_region(f.program, 1, 0)))->first;
  Attr mesh = op_attr(f.program, mesh_op, "mesh");
  Status *status = gspmd_export(f.program, f.table, guard, &f.diag);
  if (status) fail_msg("%s\n%s", status_message(status), text.data);
  expect_lines(fixture_text(&f), "!sdy");
  if (t->keep_mesh) add_mesh(&f, mesh, "original");
  status = gspmd_import(f.program, f.table, guard, &f.diag);
  if (!status) {
    t->found++;
    fixture_text(&f);
    take_all(&f, &after);
    assert_int_equal(after.n, before.n);
    for (uint32_t i = 0; i < before.n; i++)
      if (!sharding_same_tiles(f.table, before.items[i], after.items[i]))
        fail_msg("sharding %u has other tiles\n%s\n%s", i, text.data, f.text.data);
  } else if (t->keep_mesh) {
    fail_msg("%s\n%s\n%s", status_message(status), text.data, f.text.data);
  }
  status_free(status);
  fixture_done(&f, guard);
  guard_pop(guard, &c3);
  guard_pop(guard, &c2);
  guard_pop(guard, &c1);
  sharding_table_free(table);
  context_free(context);
  strbuf_deinit(&text);
  return NULL;
}

static void test_same_tiles(void **state) {
  (void)state;
  enum { TRIALS = 400 };
  Dice dice = dice_new(11);
  Trial trial = {.dice = &dice};
  for (uint32_t i = 0; i < TRIALS; i++) {
    trial.keep_mesh = i % 2;
    assert_null(guard_run(trial_body, &trial));
  }
  assert_true(trial.found > TRIALS * 3 / 4);  // without the mesh, some have none in common
}

static const char manual[] =
    MESH F "(%x: " T ") -> " T
           " {\n  %0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{\"x\"}, {\"y\", ?}]>] "
           "out_shardings=[<@mesh, [{}, {\"x\", ?}]>] manual_axes={\"x\"} (%a: tensor<4x4xf32>) {\n"
           "    %1 = stablehlo.reshape %a : (tensor<4x4xf32>) -> tensor<8x2xf32>\n"
           "    sdy.return %1 : tensor<8x2xf32>\n"
           "  } : (" T ") -> " T "\n  return %0 : " T " }";

static Status *manual_body(Guard *guard, void *arg) {
  (void)arg;
  Fixture f;
  fixture_open(&f, guard, manual);
  Status *status = gspmd_export(f.program, f.table, guard, &f.diag);
  if (status) fail_msg("%s", status_message(status));
  fixture_text(&f);
  status = gspmd_import(f.program, f.table, guard, &f.diag);
  if (status) fail_msg("%s", status_message(status));
  expect_lines(fixture_text(&f),
               "sdy.manual_computation(%arg0) in_shardings=[<@mesh_0, [{\"axis_0\"}, {\"axis_1\", "
               "?}]>] out_shardings=[<@mesh_0, [{}, {\"axis_0\", ?}]>] manual_axes={\"axis_0\"} "
               "(%arg1: tensor<4x4xf32>)\n"
               "call @xla.sdy.inlinable_manual_computation_body(%arg1)\n"
               "!custom_call");
  fixture_done(&f, guard);
  return NULL;
}

static void test_manual_and_back(void **state) {
  (void)state;
  assert_null(guard_run(manual_body, NULL));
}

// ---- when memory runs out ----

static Status *starved_body(Guard *guard, void *arg) {
  const char *const *text = arg;
  Fixture f;
  fixture_open(&f, guard, *text);
  Status *status = gspmd_export(f.program, f.table, guard, &f.diag);
  if (!status) status = gspmd_import(f.program, f.table, guard, &f.diag);
  fixture_done(&f, guard);
  return status;
}

static void test_no_memory(void **state) {
  (void)state;
  const char *texts[] = {manual, good[0].text, good[4].text, bad[0].text};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    for (uint64_t k = 1;; k++) {
      mem_fail_at(0);
      mem_fail_at(k);
      Status *status = guard_run(starved_body, &texts[i]);
      uint64_t made = mem_fail_at(0);
      status_free(status);
      if (made < k) break;
      assert_true(k < 100000);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_every_kind), cmocka_unit_test(test_refusals),
      cmocka_unit_test(test_same_tiles), cmocka_unit_test(test_manual_and_back),
      cmocka_unit_test(test_no_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
