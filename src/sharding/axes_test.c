// Axes: the laws of the algebra, each checked against the coordinates of positions.
#include "sharding/axes.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include "sharding/sharding_fixture.h"

static const Mesh *line(Context *context, int64_t size) {
  Name name = name_of(context, "x");
  const Mesh *mesh = NULL;
  assert_null(mesh_new(context, 0, 1, &name, &size, 0, NULL, &mesh));
  return mesh;
}

static uint32_t all_parts(uint32_t full, AxisRef *out) {
  uint32_t n = 0;
  for (uint32_t pre = 1; pre <= full; pre++)
    for (uint32_t size = 2; size <= full; size++)
      if (full % (pre * size) == 0) out[n++] = (AxisRef){0, pre, size};
  return n;
}

// Every pair of coordinates occurs equally often: the two sub-axes are independent.
static bool independent(const Mesh *mesh, AxisRef a, AxisRef b) {
  uint32_t count[64 * 64] = {0}, pairs = a.size * b.size;
  if (mesh->n_devices % pairs) return false;
  for (uint32_t p = 0; p < mesh->n_devices; p++)
    count[axis_coordinate(mesh, a, p) * b.size + axis_coordinate(mesh, b, p)]++;
  for (uint32_t i = 0; i < pairs; i++)
    if (count[i] != mesh->n_devices / pairs) return false;
  return true;
}

// True if the second coordinate is a function of the first.
static bool determines(const Mesh *mesh, AxisRef a, AxisRef b) {
  uint32_t value[64];
  for (uint32_t i = 0; i < 64; i++) value[i] = UINT32_MAX;
  for (uint32_t p = 0; p < mesh->n_devices; p++) {
    uint32_t *v = &value[axis_coordinate(mesh, a, p)], w = axis_coordinate(mesh, b, p);
    if (*v != UINT32_MAX && *v != w) return false;
    *v = w;
  }
  return true;
}

static void check_pair(const Mesh *mesh, AxisRef a, AxisRef b) {
  assert_int_equal(axis_overlaps(a, b), axis_overlaps(b, a));
  assert_int_equal(axis_can_coexist(a, b), axis_can_coexist(b, a));
  assert_int_equal(axis_compare(a, b), -axis_compare(b, a));
  assert_int_equal(axis_compare(a, b) == 0, axis_equal(a, b));
  if (axis_can_coexist(a, b)) assert_int_equal(!axis_overlaps(a, b), independent(mesh, a, b));
  assert_int_equal(axis_contains(a, b), determines(mesh, a, b));
  AxisRef part, parts[2];
  if (axis_is_prefix(a, b)) assert_true(axis_contains(b, a));
  if (axis_overlap(a, b, &part)) {
    assert_true(axis_contains(a, part) && axis_contains(b, part));
    AxisRef again[3];
    uint32_t n = axis_subtract(a, b, parts), at = 0;
    for (uint32_t i = 0; i < n; i++) assert_false(axis_overlaps(parts[i], b));
    // Prefix, overlap and suffix put together are `a`.
    if (n && parts[0].pre_size == a.pre_size) again[at++] = parts[0];
    again[at++] = part;
    if (n && parts[n - 1].pre_size > part.pre_size) again[at++] = parts[n - 1];
    assert_int_equal(axes_canonicalize(again, at), 1);
    assert_true(axis_equal(again[0], a));
  }
  if (axis_can_merge(a, b)) {
    AxisRef merged = axis_merge(a, b);
    for (uint32_t p = 0; p < mesh->n_devices; p++)
      assert_int_equal(axis_coordinate(mesh, merged, p),
                       axis_coordinate(mesh, a, p) * b.size + axis_coordinate(mesh, b, p));
    assert_true(axis_is_prefix(a, merged) && axis_contains(merged, b));
  }
}

static Status *pairs(Guard *guard, void *arg) {
  (void)arg;
  Context *context = context_new(guard);
  static const int64_t sizes[] = {2, 4, 6, 8, 12, 24, 36};
  for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
    const Mesh *mesh = line(context, sizes[s]);
    AxisRef parts[64];
    uint32_t n = all_parts((uint32_t)sizes[s], parts);
    for (uint32_t i = 0; i < n; i++)
      for (uint32_t k = 0; k < n; k++) check_pair(mesh, parts[i], parts[k]);
  }
  context_free(context);
  return NULL;
}

static void check_lists(Context *context, const Mesh *mesh, Dice *dice) {
  AxisRef parts[32], more[32], out[32];
  uint32_t n = random_parts(mesh, dice, parts), m = random_parts(mesh, dice, more);
  uint32_t take = dice_roll(dice, n + 1), with = dice_roll(dice, m + 1);
  Arena *arena = context_arena(context);
  AxisList taken = {parts, axes_canonicalize(parts, take)};
  AxisList list = {more, axes_canonicalize(more, with)};
  // Complement and list make the mesh, and each position is one pair of coordinates.
  AxisList rest = axes_complement(arena, mesh, taken);
  assert_int_equal(axes_size(taken) * axes_size(rest), mesh->n_devices);
  assert_false(axes_overlap(taken, rest));
  uint8_t seen[96] = {0};
  for (uint32_t p = 0; p < mesh->n_devices; p++) {
    int64_t at = axes_coordinate(mesh, taken, p) * axes_size(rest) + axes_coordinate(mesh, rest, p);
    assert_int_equal(seen[at]++, 0);
  }
  // A common prefix is one of both; what follows it makes the list again.
  AxisList common = {out, axes_common_prefix(taken, list, out)};
  assert_true(axes_is_prefix(common, taken) && axes_is_prefix(common, list));
  AxisRef left[33];
  AxisList tail = {left, axes_without_prefix(list, common, left)};
  assert_true(axes_equal(axes_concat(arena, common, tail), list));
  assert_true(axes_is_prefix(list, list));
  AxisRef kept[32];
  // A prefix that divides n.
  int64_t size = 1 + dice_roll(dice, 48);
  AxisList dividing = {kept, axes_prefix_dividing(list, size, kept)};
  assert_int_equal(size % axes_size(dividing), 0);
  assert_true(axes_is_prefix(dividing, list));
}

static Status *lists(Guard *guard, void *arg) {
  (void)arg;
  Context *context = context_new(guard);
  Dice dice = dice_new(1);
  for (int i = 0; i < 500; i++) {
    const Mesh *mesh = random_mesh(context, &dice, 0);
    for (int k = 0; k < 5; k++) check_lists(context, mesh, &dice);
  }
  context_free(context);
  return NULL;
}

static void expect_reason(Status *status, const char *part) {
  assert_non_null(status);
  if (!strstr(status_message(status), part)) fail_msg("%s", status_message(status));
  status_free(status);
}

static Status *meshes(Guard *guard, void *arg) {
  (void)arg;
  Context *c = context_new(guard);
  Name names[2] = {name_of(c, "x"), name_of(c, "y")};
  int64_t sizes[2] = {2, 3}, order[6] = {5, 3, 1, 0, 2, 4}, same[6] = {0, 1, 2, 3, 4, 5};
  int64_t twice[6] = {0, 0, 2, 3, 4, 5}, out[6] = {0, 1, 2, 3, 4, 6};
  int64_t none[2] = {0, 3}, huge[2] = {INT64_MAX, 3}, seven = 7, negative = -1;
  const Mesh *mesh = NULL, *other = NULL;
  assert_null(mesh_new(c, 0, 2, names, sizes, 6, order, &mesh));
  assert_int_equal(mesh_device(mesh, 1), 3);
  for (uint32_t i = 0; i < 6; i++) assert_int_equal(mesh_position(mesh, mesh_device(mesh, i)), i);
  assert_null(mesh_from_attr(c, mesh_to_attr(c, mesh), 0, &other));
  assert_true(mesh_equal(mesh, other));
  assert_null(mesh_new(c, 0, 2, names, sizes, 6, same, &other));
  assert_null(other->devices);
  assert_false(mesh_equal(mesh, other));
  assert_null(mesh_new(c, 0, 0, NULL, NULL, 1, &seven, &other));
  assert_true(other->maximal && other->device == 7 && mesh_has_device(other, 7));
  assert_int_equal(mesh_find_axis(mesh, name_of(c, "y")), 1);
  assert_int_equal(mesh_find_axis(mesh, name_of(c, "z")), MESH_NO_AXIS);
  expect_reason(mesh_new(c, 0, 2, names, sizes, 6, twice, &other), "the device id 0 twice");
  expect_reason(mesh_new(c, 0, 2, names, sizes, 6, out, &other), "device id 6, expected 0");
  expect_reason(mesh_new(c, 0, 2, names, sizes, 5, same, &other), "5 device ids for 6 devices");
  expect_reason(mesh_new(c, 0, 2, names, none, 0, NULL, &other), "\"x\" has size 0");
  expect_reason(mesh_new(c, 0, 2, names, huge, 0, NULL, &other), "more than");
  expect_reason(mesh_new(c, 0, 0, NULL, NULL, 1, &negative, &other), "device id -1");
  names[1] = names[0];
  expect_reason(mesh_new(c, 0, 2, names, sizes, 0, NULL, &other), "two axes named \"x\"");
  expect_reason(mesh_from_attr(c, attr_unit(c), 0, &other), "expected a #sdy.mesh");
  context_free(c);
  return NULL;
}

static void test_meshes(void **state) {
  (void)state;
  assert_null(guard_run(meshes, NULL));
}

static void test_pairs(void **state) {
  (void)state;
  assert_null(guard_run(pairs, NULL));
}

static void test_lists(void **state) {
  (void)state;
  assert_null(guard_run(lists, NULL));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_meshes), cmocka_unit_test(test_pairs),
                                     cmocka_unit_test(test_lists)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
