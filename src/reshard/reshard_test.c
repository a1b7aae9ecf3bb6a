// Prices of plans add up and are never below the bound; some reshards have a known best plan.
// partition/reshard_local_test.c runs the moves.
#include "reshard/reshard.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "parse/parse.h"
#include "reshard/memo.h"
#include "sharding/sharding_fixture.h"
#include "sharding/table_fixture.h"

enum { RANK = 3 };

static Status *random_pairs(Guard *guard, void *arg) {
  Dice *dice = arg;
  Fixture f;
  fixture_open(&f, guard);
  MeshId mesh = sharding_mesh_add(f.table, random_mesh(f.context, dice, name_of(f.context, "m")));
  Network network = network_default;
  for (uint32_t round = 0; round < 5; round++) {
    int64_t dims[RANK];
    for (uint32_t d = 0; d < RANK; d++) dims[d] = 1 + dice_roll(dice, 12);
    Type type = type_tensor(f.context, type_scalar(DT_f32), RANK, dims, 0);
    Sharding from = random_sharding(f.table, mesh, RANK, (RandomOptions){0}, dice);
    Sharding to = random_sharding(f.table, mesh, RANK, (RandomOptions){0}, dice);
    ReshardPlan plan;
    Status *status = reshard_plan(f.table, &network, from, to, type, &f.arena, &plan);
    if (status) {  // sub-axes of 6 and 12 that no digits say
      assert_int_equal(status_code(status), UNIMPLEMENTED);
      status_free(status);
      continue;
    }
    if (plan.n_moves == 0) assert_true(sharding_same_tiles(f.table, from, to));
    assert_true(plan.price.bytes >= plan.least_bytes * 0.999);
    double bytes = 0, seconds = 0;
    for (uint32_t i = 0; i < plan.n_moves; i++) {
      const Move *move = &plan.moves[i];
      bytes += move->price.bytes;
      seconds += move->price.seconds;
      if (i) assert_memory_equal(&move->before, &plan.moves[i - 1].after, sizeof move->before);
    }
    assert_true(bytes == plan.price.bytes && seconds == plan.price.seconds);
  }
  fixture_done(&f, guard);
  return NULL;
}

static void test_plans(void **state) {
  (void)state;
  Dice dice = dice_new(8001);
  for (uint32_t i = 0; i < 120; i++) assert_null(guard_run(random_pairs, &dice));
}

// ---- plans that are remembered ----

static void assert_same(const ReshardPlan *a, const ReshardPlan *b) {
  assert_int_equal(a->mesh, b->mesh);
  assert_int_equal(a->n_moves, b->n_moves);
  assert_true((a->digits != NULL) == (b->digits != NULL));
  assert_memory_equal(&a->price, &b->price, sizeof a->price);
  assert_true(a->least_bytes == b->least_bytes);
  for (uint32_t i = 0; i < a->n_moves; i++) {
    const Move *x = &a->moves[i], *y = &b->moves[i];
    assert_true(x->kind == y->kind && x->sparse == y->sparse && x->n_rounds == y->n_rounds);
    for (uint32_t k = 0; a->digits && k < a->digits->n; k++)
      assert_true(x->after.at[k] == y->after.at[k] && a->digits->v[k].size == b->digits->v[k].size);
  }
}

typedef struct Remembered {
  Dice *dice;
  ReshardMemo *memo;
} Remembered;

// A table of its own each time: ids differ, contents repeat.
static Status *ask_twice(Guard *guard, void *arg) {
  Remembered *r = arg;
  Fixture f;
  fixture_open(&f, guard);
  Attr attr;
  const Mesh *mesh = NULL;
  assert_null(attr_parse_text(f.context, guard, "#sdy.mesh<[\"x\"=2, \"y\"=2]>", &f.diag, &attr));
  assert_null(mesh_from_attr(f.context, attr, name_of(f.context, "m"), &mesh));
  MeshId id = sharding_mesh_add(f.table, mesh);
  Network plain = network_default, remembers = network_default, other = network_default;
  other.all.bytes_per_second *= 2;
  reshard_memo_use(r->memo, &remembers, guard);
  assert_ptr_equal(remembers.memo, r->memo);
  reshard_memo_use(r->memo, &other, guard);
  assert_null(other.memo);
  for (uint32_t round = 0; round < 20; round++) {
    int64_t dims[2] = {4 + dice_roll(r->dice, 3), 4};
    Type type = type_tensor(f.context, type_scalar(DT_f32), 2, dims, 0);
    Sharding from = random_sharding(f.table, id, 2, (RandomOptions){0}, r->dice);
    Sharding to = random_sharding(f.table, id, 2, (RandomOptions){0}, r->dice);
    ReshardPlan a, b;
    Status *x = reshard_plan(f.table, &plain, from, to, type, &f.arena, &a);
    Status *y = reshard_plan(f.table, &remembers, from, to, type, &f.arena, &b);
    assert_true((x != NULL) == (y != NULL));
    if (!x) assert_same(&a, &b);
    if (x) assert_string_equal(status_message(x), status_message(y));
    status_free(x);
    status_free(y);
  }
  fixture_done(&f, guard);
  return NULL;
}

static Status *remember(Guard *guard, void *arg) {
  Remembered r = {arg, reshard_memo_new(guard)};
  for (uint32_t i = 0; i < 40; i++) assert_null(guard_run(ask_twice, &r));
  reshard_memo_free(r.memo);
  return NULL;
}

static void test_memo(void **state) {
  (void)state;
  Dice dice = dice_new(8002);
  assert_null(guard_run(remember, &dice));
}

// ---- known answers ----

typedef struct Known {
  const char *from, *to, *moves;
} Known;

static const Known known[] = {
    {"[{\"x\"}, {}, {}]", "[{}, {}, {}]", "all_gather"},
    {"[{}, {}, {}]", "[{\"x\"}, {}, {\"y\"}]", "slice"},
    {"[{\"x\"}, {}, {}]", "[{}, {\"x\"}, {}]", "all_to_all"},
    {"[{\"x\"}, {\"z\"}, {}]", "[{\"z\"}, {\"x\"}, {}]", "permute"},
    {"[{\"x\"}, {}, {}]", "[{\"z\"}, {}, {}]", "permute"},
    // B1: XLA replicates the tensor.
    {"[{\"y\"}, {}, {\"x\"}]", "[{}, {\"x\", \"y\"}, {}]", "all_to_all"},
    {"[{}, {}, {}], unreduced={\"x\"}", "[{}, {}, {}]", "all_reduce"},
    {"[{}, {}, {}], unreduced={\"x\"}", "[{\"x\"}, {}, {}]", "reduce_scatter"},
    {"[{}, {}, {}]", "[{}, {}, {}], unreduced={\"x\"}", "unreduce"},
};

static Status *ask_known(Guard *guard, void *arg) {
  (void)arg;
  Fixture f;
  fixture_open(&f, guard);
  Attr attr;
  const Mesh *mesh = NULL;
  assert_null(
      attr_parse_text(f.context, guard, "#sdy.mesh<[\"x\"=4, \"y\"=2, \"z\"=4]>", &f.diag, &attr));
  assert_null(mesh_from_attr(f.context, attr, name_of(f.context, "m"), &mesh));
  sharding_mesh_add(f.table, mesh);
  Type type = type_tensor(f.context, type_scalar(DT_f32), 3, (int64_t[]){64, 64, 64}, 0);
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
    Sharding ends[2];
    for (uint32_t k = 0; k < 2; k++) {
      char text[128];
      snprintf(text, sizeof text, "#sdy.sharding<@m, %s>", k ? known[i].to : known[i].from);
      assert_null(attr_parse_text(f.context, guard, text, &f.diag, &attr));
      assert_null(sharding_from_attr(f.table, attr, type, &ends[k]));
    }
    ReshardPlan plan;
    assert_null(reshard_plan(f.table, &network_default, ends[0], ends[1], type, &f.arena, &plan));
    char got[128] = "";
    for (uint32_t k = 0; k < plan.n_moves; k++) {
      size_t n = strlen(got);
      snprintf(got + n, sizeof got - n, "%s%s", k ? " " : "", move_name(plan.moves[k].kind));
    }
    if (strcmp(got, known[i].moves) != 0) fail_msg("%s -> %s: %s", known[i].from, known[i].to, got);
    assert_true(plan.price.bytes <= 1.5 * plan.least_bytes || plan.least_bytes == 0);
  }
  fixture_done(&f, guard);
  return NULL;
}

static void test_known(void **state) {
  (void)state;
  assert_null(guard_run(ask_known, NULL));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_known), cmocka_unit_test(test_plans),
                                     cmocka_unit_test(test_memo)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
