// Every move is checked on every device: what a device has afterwards it had before, or a device of
// its group had. And some questions whose answer is known.
#include "reshard/reshard.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "parse/parse.h"
#include "sharding/sharding_fixture.h"

typedef struct Fixture {
  Context *context;
  ShardingTable *table;
  Arena arena;
  Diag diag;
  Source source;
  GuardCleanup cleanup;
} Fixture;

static void fixture_close(void *object) {
  Fixture *f = object;
  arena_deinit(&f->arena);
  diag_deinit(&f->diag);
  sharding_table_free(f->table);
  context_free(f->context);
}

static void fixture_open(Fixture *f, Guard *guard) {
  *f = (Fixture){.source = {"<test>", "", 0}};
  diag_init(&f->diag, guard, &f->source);
  arena_init(&f->arena, guard);
  f->cleanup = (GuardCleanup){fixture_close, f, NULL};
  guard_push(guard, &f->cleanup);
  f->context = context_new(guard);
  f->table = sharding_table_new(f->context, guard);
}

static void fixture_done(Fixture *f, Guard *guard) {
  guard_pop(guard, &f->cleanup);
  fixture_close(f);
}

enum { RANK = 3, MOST = 96 };

typedef struct Tile {
  int64_t low[RANK], high[RANK];
} Tile;

// By position in the mesh.
static void tiles_of(Fixture *f, Sharding sharding, const int64_t *dims, uint32_t n, Tile *out) {
  const Mesh *mesh = sharding_mesh(f->table, sharding_info(f->table, sharding)->mesh);
  for (uint32_t i = 0; i < n; i++) {
    int64_t offset[RANK], extent[RANK];
    sharding_tile_range(f->table, sharding, dims, mesh_device(mesh, i), offset, extent);
    for (uint32_t d = 0; d < RANK; d++) {
      out[i].low[d] = offset[d];
      out[i].high[d] = offset[d] + extent[d];
    }
  }
}

static bool is_empty(const Tile *t) {
  for (uint32_t d = 0; d < RANK; d++)
    if (t->low[d] >= t->high[d]) return true;
  return false;
}

static bool same_tile(const Tile *a, const Tile *b) {
  if (is_empty(a) && is_empty(b)) return true;
  for (uint32_t d = 0; d < RANK; d++)
    if (a->low[d] != b->low[d] || a->high[d] != b->high[d]) return false;
  return true;
}

static bool same_group(const Mesh *mesh, AxisList axes, uint32_t a, uint32_t b) {
  for (uint32_t axis = 0; axis < mesh->n_axes; axis++) {
    uint32_t x = axis_coordinate(mesh, axis_whole(mesh, axis), a);
    uint32_t y = axis_coordinate(mesh, axis_whole(mesh, axis), b);
    // Undo the coordinates along the moved parts.
    for (uint32_t i = 0; i < axes.n; i++) {
      if (axes.v[i].axis != axis) continue;
      uint32_t unit = mesh->axes[axis].size / axis_next(axes.v[i]);
      x -= x / unit % axes.v[i].size * unit;
      y -= y / unit % axes.v[i].size * unit;
    }
    if (x != y) return false;
  }
  return true;
}

// Is the new tile made of tiles of devices that `may` be asked?
static bool is_covered(const Mesh *mesh, const Move *move, const Tile *old, uint32_t n, uint32_t me,
                       const Tile *tile, bool only_me) {
  if (is_empty(tile)) return true;
  for (int64_t i = tile->low[0]; i < tile->high[0]; i++)
    for (int64_t j = tile->low[1]; j < tile->high[1]; j++)
      for (int64_t k = tile->low[2]; k < tile->high[2]; k++) {
        bool found = false;
        for (uint32_t o = 0; o < n && !found; o++) {
          if (only_me ? o != me : !same_group(mesh, move->axes, me, o)) continue;
          found = old[o].low[0] <= i && i < old[o].high[0] && old[o].low[1] <= j &&
                  j < old[o].high[1] && old[o].low[2] <= k && k < old[o].high[2];
        }
        if (!found) return false;
      }
  return true;
}

static void check_move(Fixture *f, const Move *move, Sharding from, const int64_t *dims) {
  const Mesh *mesh = sharding_mesh(f->table, sharding_info(f->table, move->to)->mesh);
  uint32_t n = mesh->n_devices;
  static Tile old[MOST], new[MOST];
  tiles_of(f, from, dims, n, old);
  tiles_of(f, move->to, dims, n, new);
  if (move->kind == MOVE_PERMUTE) {
    bool taken[MOST] = {false};
    for (uint32_t i = 0; i < n; i++) {
      uint32_t o = 0;
      while (o < n && (taken[o] || !same_tile(&old[o], &new[i]))) o++;
      assert_true(o < n);
      taken[o] = true;
    }
    return;
  }
  for (uint32_t i = 0; i < n; i++)
    assert_true(is_covered(mesh, move, old, n, i, &new[i], move->kind == MOVE_SLICE));
}

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
    Sharding now = from;
    for (uint32_t i = 0; i < plan.n_moves; i++) {
      check_move(&f, &plan.moves[i], now, dims);
      now = plan.moves[i].to;
    }
    assert_true(plan.n_moves == 0 || sharding_same_tiles(f.table, now, to));
    if (plan.n_moves == 0) assert_true(sharding_same_tiles(f.table, from, to));
    assert_true(plan.bytes >= plan.least_bytes * 0.999);
  }
  fixture_done(&f, guard);
  return NULL;
}

static void test_every_device(void **state) {
  (void)state;
  Dice dice = dice_new(8001);
  for (uint32_t i = 0; i < 120; i++) assert_null(guard_run(random_pairs, &dice));
}

// ---- known answers ----

typedef struct Known {
  const char *from, *to, *moves;
} Known;

static const Known known[] = {
    {"[{\"x\"}, {}, {}]", "[{}, {}, {}]", "all_gather"},
    {"[{}, {}, {}]", "[{\"x\"}, {}, {\"y\"}]", "slice slice"},
    {"[{\"x\"}, {}, {}]", "[{}, {\"x\"}, {}]", "all_to_all"},
    {"[{\"x\"}, {\"z\"}, {}]", "[{\"z\"}, {\"x\"}, {}]", "permute"},
    {"[{\"x\"}, {}, {}]", "[{\"z\"}, {}, {}]", "permute"},
    // B1: what XLA replicates whole.
    {"[{\"y\"}, {}, {\"x\"}]", "[{}, {\"x\", \"y\"}, {}]", "all_to_all all_to_all"},
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
    assert_true(plan.bytes <= 1.5 * plan.least_bytes || plan.least_bytes == 0);
  }
  fixture_done(&f, guard);
  return NULL;
}

static void test_known(void **state) {
  (void)state;
  assert_null(guard_run(ask_known, NULL));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_known),
                                     cmocka_unit_test(test_every_device)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
