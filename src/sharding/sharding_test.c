// Shardings: interning, reasons for refusal, tiles that partition the tensor, sdy's text and back.
#include "sharding/sharding.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include "base/mem.h"
#include "parse/parse.h"
#include "parse/print.h"
#include "sharding/sharding_fixture.h"
#include "sharding/table_fixture.h"

static Attr attr_of(Fixture *f, Guard *guard, const char *text) {
  Attr attr = 0;
  Status *status = attr_parse_text(f->context, guard, text, &f->diag, &attr);
  if (status && status_code(status) == RESOURCE_EXHAUSTED) guard_throw(guard, status);
  if (status) fail_msg("%s: %s", text, status_message(status));
  return attr;
}

static MeshId add_mesh(Fixture *f, Guard *guard, const char *symbol, const char *text) {
  const Mesh *mesh = NULL;
  Name name = symbol ? name_of(f->context, symbol) : 0;
  assert_null(mesh_from_attr(f->context, attr_of(f, guard, text), name, &mesh));
  return sharding_mesh_add(f->table, mesh);
}

static Type tensor(Fixture *f, uint32_t rank) {
  int64_t dims[4] = {8, 16, 4, 2};
  return type_tensor(f->context, DT_f32, rank, dims, 0);
}

static void expect_reason(Status *status, const char *part) {
  if (!status) fail_msg("accepted, expected: %s", part);
  if (!strstr(status_message(status), part)) fail_msg("%s", status_message(status));
  status_free(status);
}

// ---- text ----

static void round_trip(Fixture *f, Guard *guard, const char *text) {
  Attr attr = attr_of(f, guard, text), back = 0;
  Sharding sharding = 0, again = 0;
  Status *status = sharding_from_attr(f->table, attr, 0, &sharding);
  if (status) fail_msg("%s: %s", text, status_message(status));
  assert_null(sharding_to_attr(f->table, sharding, &back));
  assert_int_equal(attr, back);
  assert_null(sharding_from_attr(f->table, back, 0, &again));
  assert_int_equal(sharding, again);
  f->text.used = 0;
  attr_print(f->context, back, &f->text);
  assert_string_equal(f->text.data, text);
  // Our own text is sdy's.
  f->text.used = 0;
  sharding_print(f->table, sharding, &f->text);
  assert_string_equal(f->text.data, text + strlen("#sdy.sharding"));
}

static Status *texts(Guard *guard, void *arg) {
  (void)arg;
  Fixture f;
  fixture_open(&f, guard);
  add_mesh(&f, guard, "mesh", "#sdy.mesh<[\"x\"=4, \"y\"=2, \"z\"=1]>");
  add_mesh(&f, guard, "single", "#sdy.mesh<[], device_ids=[3]>");
  add_mesh(&f, guard, "none", "#sdy.mesh<[]>");
  static const char *const good[] = {
      "#sdy.sharding<@mesh, []>",
      "#sdy.sharding<@mesh, [{}, {?}]>",
      "#sdy.sharding<@mesh, [{\"x\", \"y\"}, {\"z\", ?}p0]>",
      "#sdy.sharding<@mesh, [{\"x\":(2)2, \"y\"}, {\"x\":(1)2}p3]>",
      "#sdy.sharding<@mesh, [{\"x\":(2)2, \"x\":(1)2}]>",
      "#sdy.sharding<@mesh, [{}], replicated={\"x\":(1)2, \"y\"}>",
      "#sdy.sharding<@mesh, [{\"y\"}], replicated={\"z\"}, unreduced={\"x\"}>",
      "#sdy.sharding<@mesh, [{\"y\"}], unreduced=max{\"x\"}>",
      "#sdy.sharding<@single, []>",
      "#sdy.sharding<@none, [{}]>",
      "#sdy.sharding<mesh<[\"a\"=2, \"b\"=2], device_ids=[0, 2, 1, 3]>, [{\"b\"}, {}]>",
      "#sdy.sharding<mesh<[], device_ids=[5]>, []>",
  };
  for (size_t i = 0; i < sizeof good / sizeof *good; i++) round_trip(&f, guard, good[i]);
  fixture_done(&f, guard);
  return NULL;
}

static const struct {
  const char *text, *reason;
  uint32_t rank;  // of the tensor; 9 = no type
} bad[] = {
    {"#sdy.sharding<@nowhere, [{}]>", "unknown mesh @nowhere", 9},
    {"#sdy.sharding<@mesh, [{\"w\"}]>", "unknown axis \"w\"", 9},
    {"#sdy.sharding<@mesh, [{\"x\"}, {\"x\"}]>", "axis \"x\" is used twice", 9},
    {"#sdy.sharding<@mesh, [{\"x\"}], replicated={\"x\"}>", "axis \"x\" is used twice", 9},
    {"#sdy.sharding<@mesh, [{\"x\"}, {\"x\":(1)2}]>", "axes \"x\" and \"x\":(1)2 overlap", 9},
    {"#sdy.sharding<@mesh, [{\"x\":(1)2}, {\"x\":(1)3}]>", "overlap", 9},
    {"#sdy.sharding<@mesh, [{\"x\":(1)2}, {\"x\":(3)4}]>", "not parts of one split", 9},
    {"#sdy.sharding<@mesh, [{\"x\":(1)2, \"x\":(2)2}]>", "must be merged into one", 9},
    {"#sdy.sharding<@mesh, [{\"x\":(1)12}]>", "is the whole axis", 9},
    {"#sdy.sharding<@mesh, [{\"x\":(5)2}]>", "does not divide the axis of size 12", 9},
    {"#sdy.sharding<@mesh, [{\"x\":(4)4}]>", "does not divide the axis of size 12", 9},
    {"#sdy.sharding<@mesh, [{\"x\":(2)1}]>", "a size of at least 2", 9},
    {"#sdy.sharding<@mesh, [{\"x\":(0)2}]>", "a pre-size of at least 1", 9},
    {"#sdy.sharding<@mesh, [{}], replicated={\"y\", \"x\"}>", "not in the order of the mesh", 9},
    {"#sdy.sharding<@mesh, [{}], unreduced={\"y\", \"x\"}>", "not in the order of the mesh", 9},
    {"#sdy.sharding<@mesh, [{}], unreduced=median{\"x\"}>", "unknown reducer \"median\"", 9},
    {"#sdy.sharding<@mesh, [{}p1]>", "empty and closed", 9},
    {"#sdy.sharding<@mesh, [{}]>", "has rank 1, but the tensor tensor<8x16xf32> has rank 2", 2},
    {"#sdy.sharding<@single, [{}]>", "on a single device has no dimensions", 9},
    {"#sdy.sharding<mesh<[\"a\"=2], device_ids=[0, 0]>, [{}]>", "device id 0 twice", 9},
    {"#sdy.mesh<[]>", "expected a #sdy.sharding", 9},
};

static Status *reasons(Guard *guard, void *arg) {
  (void)arg;
  Fixture f;
  fixture_open(&f, guard);
  add_mesh(&f, guard, "mesh", "#sdy.mesh<[\"x\"=12, \"y\"=2]>");
  add_mesh(&f, guard, "single", "#sdy.mesh<[], device_ids=[3]>");
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    Sharding sharding;
    Type type = bad[i].rank == 9 ? 0 : tensor(&f, bad[i].rank);
    expect_reason(sharding_from_attr(f.table, attr_of(&f, guard, bad[i].text), type, &sharding),
                  bad[i].reason);
  }
  // Shardings that attributes cannot express.
  ShardFactor factors[2] = {{4, {0}}, {3, {0}}};
  DimSharding dim = {factors, 2, false, PRIORITY_NONE};
  ShardingInfo info = {.mesh = 1, .rank = 1, .dims = &dim};
  expect_reason(sharding_check(f.table, &info, tensor(&f, 1)), "give 12 elements, it has 8");
  factors[1].size = 2;
  assert_null(sharding_check(f.table, &info, tensor(&f, 1)));
  Attr attr;
  expect_reason(sharding_to_attr(f.table, sharding_intern(f.table, &info), &attr), "strided");
  AxisRef nowhere = {7, 1, 2};
  info.manual = (AxisList){&nowhere, 1};
  expect_reason(sharding_check(f.table, &info, 0), "unknown axis number 7");
  info.mesh = 9;
  expect_reason(sharding_check(f.table, &info, 0), "no mesh");
  fixture_done(&f, guard);
  return NULL;
}

// ---- tiles ----

static Status *strided(Guard *guard, void *arg) {
  (void)arg;
  Fixture f;
  fixture_open(&f, guard);
  MeshId mesh = add_mesh(&f, guard, "mesh", "#sdy.mesh<[\"x\"=4, \"y\"=2]>");
  // [16] as [8, 2], the major factor over x; and [6] over y.
  AxisRef x = {0, 1, 4}, y = {1, 1, 2};
  ShardFactor first[2] = {{8, {&x, 1}}, {2, {NULL, 0}}}, second = {0, {&y, 1}};
  DimSharding dims[2] = {{first, 2, true, 2}, {&second, 1, false, PRIORITY_NONE}};
  ShardingInfo info = {.mesh = mesh, .rank = 2, .dims = dims};
  Sharding s = sharding_intern(f.table, &info);
  int64_t shape[2] = {16, 5}, local[2], offset[3], extent[3];
  const int64_t *split_shape;
  assert_int_equal(sharding_n_factors(f.table, s), 3);
  assert_false(sharding_is_block(f.table, s));
  sharding_local_dims(f.table, s, shape, local);
  assert_true(local[0] == 4 && local[1] == 3);
  sharding_tile_range(f.table, s, shape, 5, offset, extent);  // x = 2, y = 1
  assert_true(offset[0] == 4 && extent[0] == 2 && offset[1] == 0 && extent[1] == 2);
  assert_true(offset[2] == 3 && extent[2] == 2);
  Sharding split = sharding_split_factors(f.table, s, shape, &split_shape);
  assert_true(split_shape[0] == 8 && split_shape[1] == 2 && split_shape[2] == 5);
  f.text.used = 0;
  sharding_print(f.table, split, &f.text);
  assert_string_equal(f.text.data, "<@mesh, [{\"x\", ?}p2, {?}p2, {\"y\"}]>");
  f.text.used = 0;
  sharding_print(f.table, s, &f.text);
  assert_string_equal(f.text.data, "<@mesh, [[8{\"x\"} 2{}, ?]p2, {\"y\"}]>");
  assert_int_equal(sharding_split_factors(f.table, split, split_shape, NULL), split);
  int64_t even[2] = {16, 6};
  assert_int_equal(sharding_uneven_dim(f.table, s, type_tensor(f.context, DT_f32, 2, shape, 0)), 1);
  assert_int_equal(sharding_uneven_dim(f.table, s, type_tensor(f.context, DT_f32, 2, even, 0)), -1);
  fixture_done(&f, guard);
  return NULL;
}

// Every element is held by equally many devices; tiles are inside the tensor and fit the local
// shape; a tile's offset is its index times the tile's size.
static void check_tiles(Fixture *f, Sharding s, Dice *dice) {
  const ShardingInfo *info = sharding_info(f->table, s);
  const Mesh *mesh = sharding_mesh(f->table, info->mesh);
  int64_t dims[2] = {1 + dice_roll(dice, 20), 1 + dice_roll(dice, 20)}, local[2];
  uint32_t held[400] = {0};
  sharding_local_dims(f->table, s, dims, local);
  for (uint32_t device = 0; device < mesh->n_devices; device++) {
    int64_t offset[2], extent[2], index[2];
    sharding_tile_range(f->table, s, dims, device, offset, extent);
    sharding_tile_index(f->table, s, device, index);
    for (int d = 0; d < 2; d++) {
      assert_true(extent[d] >= 0 && extent[d] <= local[d] && offset[d] + extent[d] <= dims[d]);
      if (extent[d]) assert_int_equal(offset[d], index[d] * local[d]);
    }
    for (int64_t i = 0; i < extent[0]; i++)
      for (int64_t k = 0; k < extent[1]; k++) held[(offset[0] + i) * dims[1] + offset[1] + k]++;
  }
  int64_t tiles = sharding_tiles(info, 0) * sharding_tiles(info, 1);
  for (int64_t i = 0; i < dims[0] * dims[1]; i++)
    assert_int_equal(held[i], mesh->n_devices / tiles);
}

// Attributes, text and tiles of random shardings.
static void check_random(Fixture *f, Guard *guard, Dice *dice, Name symbol) {
  MeshId mesh = sharding_mesh_add(f->table, random_mesh(f->context, dice, symbol));
  RandomOptions options = {.unreduced = true, .reducers = true, .open = true};
  for (int k = 0; k < 8; k++) {
    Sharding s = random_sharding(f->table, mesh, 2, options, dice), again = 0;
    Status *status = sharding_check_id(f->table, s, 0);
    if (status) fail_msg("%s", status_message(status));
    assert_int_equal(sharding_intern(f->table, sharding_info(f->table, s)), s);
    check_tiles(f, s, dice);
    Attr attr = 0;
    assert_null(sharding_to_attr(f->table, s, &attr));
    f->text.used = 0;
    attr_print(f->context, attr, &f->text);
    assert_int_equal(attr_of(f, guard, f->text.data), attr);
    status = sharding_from_attr(f->table, attr, 0, &again);
    if (status) fail_msg("%s: %s", f->text.data, status_message(status));
    assert_int_equal(s, again);
    assert_true(sharding_same_tiles(f->table, s, again));
    // One dimension changed and changed back.
    AxisList axes = sharding_dim_axes(sharding_info(f->table, s), 0);
    Sharding without = sharding_with_axes(f->table, s, 0, (AxisList){NULL, 0});
    assert_int_equal(sharding_with_axes(f->table, without, 0, axes), s);
    assert_int_equal(sharding_same_tiles(f->table, s, without), axes_size(axes) == 1);
    bool open = sharding_info(f->table, s)->dims[1].open;
    Sharding other = sharding_with_open(f->table, s, 1, !open);
    assert_int_not_equal(other, s);
    assert_int_equal(sharding_with_open(f->table, other, 1, open), s);
  }
}

static Status *random_ones(Guard *guard, void *arg) {
  (void)arg;
  Dice dice = dice_new(2);
  for (int i = 0; i < 40; i++) {
    Fixture f;
    fixture_open(&f, guard);
    for (int k = 0; k < 5; k++)
      check_random(&f, guard, &dice, k % 2 ? name_of(f.context, k == 1 ? "m" : "n") : 0);
    fixture_done(&f, guard);
  }
  return NULL;
}

static Status *interned(Guard *guard, void *arg) {
  (void)arg;
  Fixture f;
  fixture_open(&f, guard);
  MeshId a = add_mesh(&f, guard, "a", "#sdy.mesh<[\"x\"=4, \"y\"=2]>");
  MeshId b = add_mesh(&f, guard, "b", "#sdy.mesh<[\"x\"=4, \"y\"=2]>");
  assert_int_not_equal(a, b);
  assert_int_equal(add_mesh(&f, guard, "a", "#sdy.mesh<[\"x\"=4, \"y\"=2]>"), a);
  assert_int_equal(sharding_mesh_find(f.table, name_of(f.context, "b")), b);
  assert_int_equal(sharding_mesh_find(f.table, name_of(f.context, "c")), 0);
  // Mergeable sub-axes are merged and sets are sorted: one record.
  AxisRef whole = {0, 1, 4}, cut[2] = {{0, 1, 2}, {0, 2, 2}}, y = {1, 1, 2};
  ShardFactor one = {0, {&whole, 1}}, two = {0, {cut, 2}};
  DimSharding dim = {&one, 1, false, PRIORITY_NONE};
  ShardingInfo info = {.mesh = a, .rank = 1, .dims = &dim};
  Sharding s = sharding_intern(f.table, &info);
  dim.factors = &two;
  assert_int_equal(sharding_intern(f.table, &info), s);
  ShardingInfo sets = {.mesh = a, .replicated = {(AxisRef[]){y, whole}, 2}};
  Sharding t = sharding_intern(f.table, &sets);
  sets.replicated.v = (AxisRef[]){whole, y};
  assert_int_equal(sharding_intern(f.table, &sets), t);
  info.mesh = b;
  Sharding on_b = sharding_intern(f.table, &info);
  assert_int_not_equal(on_b, s);
  assert_true(sharding_same_tiles(f.table, s, on_b));
  assert_true(sharding_is_replicated(f.table, sharding_make_open(f.table, a, 2)));
  assert_int_not_equal(sharding_make_open(f.table, a, 2), sharding_make_replicated(f.table, a, 2));
  Sharding single = sharding_make_maximal(f.table, 6);
  assert_int_equal(sharding_make_maximal(f.table, 6), single);
  assert_true(sharding_is_maximal(f.table, single) && !sharding_is_replicated(f.table, single));
  assert_false(sharding_same_tiles(f.table, single, sharding_make_maximal(f.table, 7)));
  fixture_done(&f, guard);
  return NULL;
}

#define TEST(name)                                                                                 \
  static void test_##name(void **state) {                                                          \
    (void)state;                                                                                   \
    assert_null(guard_run(name, NULL));                                                            \
  }
TEST(texts)
TEST(reasons)
TEST(strided)
TEST(random_ones)
TEST(interned)

static Status *without_memory(Guard *guard, void *arg) {
  (void)arg;
  Dice dice = {42};
  Fixture f;
  fixture_open(&f, guard);
  for (int i = 0; i < 4; i++) {
    MeshId mesh = sharding_mesh_add(f.table, random_mesh(f.context, &dice, 0));
    for (int k = 0; k < 20; k++)
      random_sharding(f.table, mesh, 3, (RandomOptions){.open = true}, &dice);
  }
  fixture_done(&f, guard);
  return NULL;
}

static void test_no_memory(void **state) {
  (void)state;
  mem_fail_at(0);
  assert_null(guard_run(without_memory, NULL));
  uint64_t made = mem_fail_at(0);
  for (uint64_t k = 1; k <= made; k++) {
    mem_fail_at(k);
    Status *status = guard_run(without_memory, NULL);
    mem_fail_at(0);
    assert_int_equal(status_code(status), RESOURCE_EXHAUSTED);
    status_free(status);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_texts),    cmocka_unit_test(test_reasons),
      cmocka_unit_test(test_strided),  cmocka_unit_test(test_random_ones),
      cmocka_unit_test(test_interned), cmocka_unit_test(test_no_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
