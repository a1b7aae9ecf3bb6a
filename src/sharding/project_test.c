// One op's step of propagation: laws on random factor maps and shardings, and cases with a known
// decision.
#include "sharding/project.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "parse/parse.h"
#include "sharding/sharding_fixture.h"
#include "sharding/table_fixture.h"

static Attr attr_of(Fixture *f, Guard *guard, const char *text) {
  Attr attr = 0;
  Status *status = attr_parse_text(f->context, guard, text, &f->diag, &attr);
  if (status) fail_msg("%s: %s", text, status_message(status));
  return attr;
}

static Sharding sharding_of(Fixture *f, Guard *guard, const char *text) {
  if (!text) return 0;
  char full[256];
  snprintf(full, sizeof full, "#sdy.sharding<%s>", text);
  Sharding sharding = 0;
  Status *status = sharding_from_attr(f->table, attr_of(f, guard, full), 0, &sharding);
  if (status) fail_msg("%s: %s", text, status_message(status));
  return sharding;
}

static void map_of(Fixture *f, Guard *guard, const char *text, uint32_t n_operands,
                   uint32_t n_results, const uint32_t *ranks, FactorMap *out) {
  char full[256];
  snprintf(full, sizeof full, "#sdy.op_sharding_rule<%s>", text);
  const char *error = NULL;
  if (!factor_map_from_attr(out, f->context, &f->arena, attr_of(f, guard, full), n_operands,
                            n_results, ranks, &error))
    fail_msg("%s: %s", text, error);
}

// ---- decisions ----

typedef struct Case {
  const char *rule;
  uint32_t n_operands, n_results;
  uint32_t ranks[4];
  ProjectMode mode;
  const char *in[4], *out[4];  // without the mesh; in NULL: no sharding, out NULL: as in
} Case;

#define BOTH_WAYS .pass = DIRECTION_BOTH, .other = DIRECTION_BOTH
#define ADD "([i, j], [i, j])->([i, j]) {i=8, j=8}", 2, 1, {2, 2, 2}
#define DOT "([i, k], [k, j])->([i, j]) {i=8, j=16, k=8} reduction={k}", 2, 1, {2, 2, 2}
#define MERGE "([i, j])->([ij]) {i=2, j=4}", 1, 1, {2, 1}
#define SPLIT "([ij])->([i, j]) {i=2, j=4}", 1, 1, {1, 2}

static const Case cases[] = {
    {ADD, {BOTH_WAYS}, {"[{\"a\"}, {}]"}, {NULL, "[{\"a\", ?}, {?}]", "[{\"a\", ?}, {?}]"}},
    // Closed dimensions and replicated axes stay, and in basic steps hold the others back.
    {ADD,
     {BOTH_WAYS},
     {"[{\"a\"}, {\"b\"}]", "[{?}, {}]"},
     {NULL, "[{\"a\", ?}, {}]", "[{\"a\", ?}, {?}]"}},
    {ADD,
     {BOTH_WAYS, .aggressive = true, .elementwise = true},
     {"[{\"a\"}, {\"b\"}]", "[{?}, {}]"},
     {NULL, "[{\"a\", ?}, {}]", "[{\"a\", ?}, {\"b\", ?}]"}},
    {ADD,
     {BOTH_WAYS, .aggressive = true},
     {"[{\"a\"}, {?}]", "[{?}, {?}], replicated={\"a\"}"},
     {NULL, NULL, "[{\"a\", ?}, {?}]"}},
    // The axis is in another dimension of a tensor that has not the factor.
    {DOT, {BOTH_WAYS}, {"[{\"a\"}, {?}]", "[{?}, {\"a\"}]"}, {NULL, NULL, NULL}},
    {DOT,
     {BOTH_WAYS, .aggressive = true},
     {"[{\"a\"}, {?}]", "[{?}, {\"a\"}]"},
     {NULL, NULL, "[{?}, {\"a\", ?}]"}},  // the larger tensor wins
    // One way only.
    {DOT, {.pass = DIRECTION_FORWARD}, {NULL, NULL, "[{\"a\"}, {}]"}, {NULL}},
    {DOT,
     {.pass = DIRECTION_BACKWARD},
     {NULL, NULL, "[{\"a\"}, {}]"},
     {"[{\"a\", ?}, {?}]", NULL, NULL}},
    {DOT, {.pass = DIRECTION_BOTH}, {"[{}, {\"a\"}]"}, {NULL}},  // k does not pass through
    {DOT, {BOTH_WAYS}, {"[{}, {\"a\"}]"}, {NULL, "[{\"a\", ?}, {?}]", NULL}},
    // Reshapes: axes go on to the minor factor when the major one is full, else it would be
    // strided.
    {MERGE, {BOTH_WAYS}, {"[{\"a\"}, {\"b\"}]"}, {NULL, "[{\"a\", \"b\", ?}]"}},
    {MERGE, {BOTH_WAYS}, {"[{}, {\"b\"}]"}, {NULL, NULL}},
    {SPLIT, {BOTH_WAYS}, {"[{\"c\"}]"}, {NULL, "[{\"c\":(1)2, ?}, {\"c\":(2)2, ?}]"}},
    {SPLIT, {BOTH_WAYS, .conservative = true}, {"[{\"c\"}]"}, {NULL, NULL}},
    {SPLIT, {BOTH_WAYS}, {"[{\"d\"}]"}, {NULL, NULL}},  // 3 divides neither
};

static Status *decide(Guard *guard, void *arg) {
  (void)arg;
  Fixture f;
  fixture_open(&f, guard);
  const Mesh *mesh = NULL;
  assert_null(mesh_from_attr(f.context,
                             attr_of(&f, guard, "#sdy.mesh<[\"a\"=2, \"b\"=2, \"c\"=4, \"d\"=3]>"),
                             name_of(f.context, "m"), &mesh));
  sharding_mesh_add(f.table, mesh);
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    const Case *c = &cases[i];
    FactorMap map;
    map_of(&f, guard, c->rule, c->n_operands, c->n_results, c->ranks, &map);
    Sharding in[4] = {0}, out[4] = {0}, want[4] = {0};
    for (uint32_t t = 0; t < c->n_operands + c->n_results; t++) {
      char text[128];
      snprintf(text, sizeof text, "@m, %s", c->in[t] ? c->in[t] : "");
      in[t] = want[t] = sharding_of(&f, guard, c->in[t] ? text : NULL);
      snprintf(text, sizeof text, "@m, %s", c->out[t] ? c->out[t] : "");
      if (c->out[t]) want[t] = sharding_of(&f, guard, text);
    }
    project_step(f.table, &map, c->mode, in, out, &f.arena);
    for (uint32_t t = 0; t < c->n_operands + c->n_results; t++)
      if (out[t] != want[t]) {
        StrBuf text;
        strbuf_init(&text, guard);
        sharding_print(f.table, out[t], &text);
        fail_msg("case %zu tensor %u: got %s", i, t, text.data);
      }
  }
  fixture_done(&f, guard);
  return NULL;
}

static void test_decisions(void **state) {
  (void)state;
  assert_null(guard_run(decide, NULL));
}

// ---- laws ----

// A map of a few tensors whose dimensions are products of random factors.
static void random_map(Fixture *f, Dice *dice, FactorMap *map, int64_t dims[4][4]) {
  static const int64_t sizes[] = {1, 2, 2, 3, 4, 6, 8, 12};
  uint32_t *ranks = ARENA_ARRAY(&f->arena, uint32_t, 4);
  uint32_t n = 2 + dice_roll(dice, 3), operands = 1 + dice_roll(dice, n - 1);
  for (uint32_t t = 0; t < n; t++) ranks[t] = 1 + dice_roll(dice, 3);
  FactorBuilder build;
  factor_builder_init(&build, &f->arena, operands, n - operands, ranks);
  for (uint32_t t = 0; t < 4; t++)
    for (uint32_t d = 0; d < 4; d++) dims[t][d] = 1;
  uint32_t n_factors = 1 + dice_roll(dice, 5);
  for (uint32_t i = 0; i < n_factors; i++) {
    int64_t size = sizes[dice_roll(dice, 8)];
    uint8_t kinds = (uint8_t[]){FACTOR_PASS,    FACTOR_PASS,      FACTOR_REDUCE,
                                FACTOR_PERMUTE, FACTOR_REPLICATE, FACTOR_BLOCK}[dice_roll(dice, 6)];
    uint32_t factor = factor_add(&build, size, kinds);
    for (uint32_t t = 0; t < n; t++) {
      if (dice_roll(dice, 4) == 0) continue;
      uint32_t d = dice_roll(dice, ranks[t]);
      factor_put(&build, factor, t, d);
      dims[t][d] *= size;
    }
  }
  factor_build(&build, map);
}

static void check_step(Fixture *f, const FactorMap *map, ProjectMode mode, const Sharding *in,
                       const Sharding *out) {
  for (uint32_t t = 0; t < factor_map_n_tensors(map); t++) {
    if (out[t] == in[t]) continue;
    const ShardingInfo *before = sharding_info(f->table, in[t]);
    const ShardingInfo *after = sharding_info(f->table, out[t]);
    Status *status = sharding_check_id(f->table, out[t], 0);
    if (status) fail_msg("%s", status_message(status));
    assert_int_equal(after->rank, factor_map_rank(map, t));
    bool grown = false;
    for (uint32_t d = 0; d < after->rank; d++) {
      AxisList axes = sharding_dim_axes(after, d);
      AxisList old = in[t] ? sharding_dim_axes(before, d) : (AxisList){NULL, 0};
      assert_true(axes_is_prefix(old, axes));
      bool more = !axes_equal(old, axes);
      grown |= more;
      if (in[t]) assert_int_equal(after->dims[d].open, before->dims[d].open);
      if (more && in[t]) assert_true(before->dims[d].open);
      for (uint32_t i = 0; mode.conservative && more && i < axes.n; i++)
        if (i >= old.n) assert_true(axis_is_full(sharding_mesh(f->table, after->mesh), axes.v[i]));
    }
    assert_true(grown);
    if (in[t]) {
      assert_true(axes_equal(before->replicated, after->replicated));
      assert_true(axes_equal(before->unreduced, after->unreduced));
    }
  }
}

static Status *try_random(Guard *guard, void *arg) {
  Dice *dice = arg;
  Fixture f;
  fixture_open(&f, guard);
  MeshId mesh = sharding_mesh_add(f.table, random_mesh(f.context, dice, name_of(f.context, "m")));
  for (uint32_t round = 0; round < 60; round++) {
    FactorMap map;
    int64_t dims[4][4];
    random_map(&f, dice, &map, dims);
    ProjectMode mode = {.pass = (uint8_t)dice_roll(dice, 4),
                        .other = (uint8_t)dice_roll(dice, 4),
                        .aggressive = dice_roll(dice, 2),
                        .elementwise = dice_roll(dice, 2),
                        .conservative = dice_roll(dice, 4) == 0};
    Sharding state[4] = {0}, next[4], again[4];
    RandomOptions options = {.unreduced = true, .open = true};
    for (uint32_t t = 0; t < factor_map_n_tensors(&map); t++)
      if (dice_roll(dice, 3))
        state[t] = random_sharding(f.table, mesh, factor_map_rank(&map, t), options, dice);
    bool moved = true;
    for (uint32_t i = 0; moved; i++) {
      assert_true(i < 64);  // it reaches a fixpoint
      moved = project_step(f.table, &map, mode, state, next, &f.arena);
      check_step(&f, &map, mode, state, next);
      assert_int_equal(project_step(f.table, &map, mode, state, again, &f.arena), moved);
      assert_memory_equal(next, again, factor_map_n_tensors(&map) * sizeof *next);
      for (uint32_t t = 0; t < factor_map_n_tensors(&map); t++) state[t] = next[t];
    }
  }
  fixture_done(&f, guard);
  return NULL;
}

static void test_laws(void **state) {
  (void)state;
  Dice dice = dice_new(7001);
  for (uint32_t i = 0; i < 100; i++) assert_null(guard_run(try_random, &dice));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_decisions), cmocka_unit_test(test_laws)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
