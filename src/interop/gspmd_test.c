// GSPMD strings: parsed and printed like XLA; refused with a reason; every device keeps its tile in
// conversions to axes and back.
#include "interop/gspmd.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/mem.h"
#include "sharding/sharding_fixture.h"
#include "sharding/table_fixture.h"

static const char *print(Fixture *f, const GspmdSharding *g) {
  f->text.used = 0;
  gspmd_print(g, &f->text);
  return f->text.data;
}

static GspmdSharding parse(Fixture *f, const char *text) {
  GspmdSharding g = {0};
  Status *status = gspmd_parse(&f->arena, str_of(text), &g);
  if (status) fail_msg("%s: %s", text, status_message(status));
  return g;
}

static const struct {
  const char *text, *canonical;  // NULL: the same
} good[] = {
    {"{replicated}", NULL},
    {"{maximal device=3}", NULL},
    {"{manual}", NULL},
    {"{unknown}", NULL},
    {"{unreduced}", NULL},
    {"{unknown shard_as 7}", NULL},
    {"{replicated shard_like 2}", NULL},
    {"{devices=[2,2]0,1,3,2}", NULL},
    {"{devices=[1,2]4,9}", NULL},
    {"{devices=[8]<=[8]}", NULL},
    {"{devices=[2,1,4]<=[8] last_tile_dim_replicate}", NULL},
    {"{devices=[4,2]<=[2,4]T(1,0)}", NULL},
    {"{devices=[4,2]<=[2,4]T(1,0) shard_as 1}", NULL},
    {"{devices=[2,2,2]<=[8] last_tile_dims={manual, replicated}}", NULL},
    {"{devices=[2,2,2]<=[8] last_tile_dims={unreduced, replicated}}", NULL},
    {"{devices=[2,4]<=[2,4]}", "{devices=[2,4]<=[8]}"},
    {"{devices=[60]<=[3,4,5]T(2,0,1)}", "{devices=[60]<=[12,5]T(1,0)}"},
    {"{devices=[60]<=[3,4,5]T(2,1,0)}", NULL},
    {"{devices=[60]<=[1,3,1,4,1,5]T(4,3,2,5,1,0)}", "{devices=[60]<=[3,20]T(1,0)}"},
    {"{devices=[1,1]<=[1]}", NULL},
    {"{devices=[1]<=[1,1]T(1,0)}", "{devices=[1]<=[1]}"},
    {"{devices=[2,2]<=[4] last_tile_dims={replicated}}",
     "{devices=[2,2]<=[4] last_tile_dim_replicate}"},
    {" { devices = [ 2 , 2 ] 0 , 1,2 , 3 last_tile_dim_replicate } ",
     "{devices=[2,2]0,1,2,3 last_tile_dim_replicate}"},
    {"{replicated metadata={op_name=\"a}\\\"{b\" source_line=3}}", "{replicated}"},
    {"{devices=[2]<=[2] metadata={{op_name=\"a\"}, {op_name=\"b\"}}}", "{devices=[2]<=[2]}"},
    {"{}", NULL},
    {"{{replicated}, {devices=[2]0,1}}", NULL},
    {"{{manual},{manual},{manual},{manual},{manual},{maximal device=0},{manual}}",
     "{{manual}, {manual}, {manual}, {manual}, {manual}, /*index=5*/{maximal device=0}, {manual}}"},
};

static Status *strings(Guard *guard, void *arg) {
  (void)arg;
  Fixture f;
  fixture_open(&f, guard);
  for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
    const char *canonical = good[i].canonical ? good[i].canonical : good[i].text;
    GspmdSharding g = parse(&f, good[i].text);
    assert_string_equal(print(&f, &g), canonical);
    GspmdSharding again = parse(&f, canonical);
    assert_string_equal(print(&f, &again), canonical);
  }
  fixture_done(&f, guard);
  return NULL;
}

static const struct {
  const char *text, *reason;
  StatusCode code;
} bad[] = {
    {"", "expected '{'", INVALID_ARGUMENT},
    {"replicated", "column 1: expected '{', found 'replicated'", INVALID_ARGUMENT},
    {"{replicated", "expected '}'", INVALID_ARGUMENT},
    {"{replicated} x", "expected the end", INVALID_ARGUMENT},
    {"{tiled}", "column 2: expected replicated, maximal", INVALID_ARGUMENT},
    {"{maximal}", "expected device=", INVALID_ARGUMENT},
    {"{maximal device=x}", "expected a number", INVALID_ARGUMENT},
    {"{devices=[2,0]0}", "tile dimension of size 0", INVALID_ARGUMENT},
    {"{devices=[]0}", "expected a number", INVALID_ARGUMENT},
    {"{devices=[2,2]0,1,2}", "has 4 tiles, but lists 3 devices", INVALID_ARGUMENT},
    {"{devices=[2,2]0,1,2,2}", "lists the device 2 twice", INVALID_ARGUMENT},
    {"{devices=[2,2]<=[8]}", "has 4 tiles, but an iota of 8", INVALID_ARGUMENT},
    {"{devices=[4]<=[2,2]T(0)}", "transposes 1 dimensions, but reshapes to 2", INVALID_ARGUMENT},
    {"{devices=[4]<=[2,2]T(0,0)}", "no permutation", INVALID_ARGUMENT},
    {"{devices=[4]<=[2,2]T(0,2)}", "no permutation", INVALID_ARGUMENT},
    {"{devices=[1048576,1048576]<=[4]}", "more than 1048576 devices", INVALID_ARGUMENT},
    {"{devices=[99999999999999999999]<=[4]}", "above 1048576", INVALID_ARGUMENT},
    {"{devices=[2]<=[2] last_tile_dims={manual, manual}}", "2 subgroups in 1", INVALID_ARGUMENT},
    {"{devices=[2]<=[2] last_tile_dims={wild}}", "expected manual", INVALID_ARGUMENT},
    {"{replicated last_tile_dim_replicate}", "expected '}'", INVALID_ARGUMENT},
    {"{replicated metadata={op_name=\"x}", "metadata", INVALID_ARGUMENT},
    {"{{replicated} {manual}}", "expected ','", INVALID_ARGUMENT},
    {"{{{replicated}}}", "expected replicated", INVALID_ARGUMENT},
    {"{mesh['x'=2], [{'x'}]}", "named sharding", UNIMPLEMENTED},
    {"\x08\x03\x1a", "binary", UNIMPLEMENTED},
};

static Status *refused(Guard *guard, void *arg) {
  (void)arg;
  Fixture f;
  fixture_open(&f, guard);
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    GspmdSharding g;
    Status *status = gspmd_parse(&f.arena, str_of(bad[i].text), &g);
    if (!status) fail_msg("accepted: %s", bad[i].text);
    if (!strstr(status_message(status), bad[i].reason))
      fail_msg("%s: %s", bad[i].text, status_message(status));
    assert_int_equal(status_code(status), bad[i].code);
    status_free(status);
  }
  fixture_done(&f, guard);
  return NULL;
}

// ---- to axes and back ----

static const struct {
  const char *gspmd;
  uint32_t rank;
  const char *sdy;  // on the found mesh
} named[] = {
    {"{devices=[2,4]<=[8]}", 2,
     "<mesh<[\"axis_0\"=2, \"axis_1\"=4]>, [{\"axis_0\"}, {\"axis_1\"}]>"},
    {"{devices=[4,2]<=[2,4]T(1,0)}", 2,
     "<mesh<[\"axis_0\"=2, \"axis_1\"=4]>, [{\"axis_1\"}, {\"axis_0\"}]>"},
    {"{devices=[8]<=[2,4]T(1,0)}", 1,
     "<mesh<[\"axis_0\"=2, \"axis_1\"=4]>, [{\"axis_1\", \"axis_0\"}]>"},
    {"{devices=[2,1,4]<=[8] last_tile_dim_replicate}", 2,
     "<mesh<[\"axis_0\"=2, \"axis_1\"=4]>, [{\"axis_0\"}, {}]>"},
    {"{devices=[2,2,2]<=[8] last_tile_dims={manual, replicated}}", 1,
     "<mesh<[\"axis_0\"=2, \"axis_1\"=2, \"axis_2\"=2]>, [{\"axis_0\"}], manual={\"axis_1\"}>"},
    {"{devices=[1,2,4]<=[8] last_tile_dims={manual, unreduced}}", 1,
     "<mesh<[\"axis_0\"=2, \"axis_1\"=4]>, [{}], unreduced={\"axis_1\"}, manual={\"axis_0\"}>"},
    {"{devices=[2,2]0,1,3,2}", 2,
     "<mesh<[\"axis_0\"=2, \"axis_1\"=2], device_ids=[0, 1, 3, 2]>, [{\"axis_0\"}, {\"axis_1\"}]>"},
    {"{devices=[2,2]0,2,1,3}", 2,
     "<mesh<[\"axis_0\"=2, \"axis_1\"=2]>, [{\"axis_1\"}, {\"axis_0\"}]>"},
    {"{replicated}", 1, "<mesh<[\"axis_0\"=8]>, [{}]>"},
    {"{unknown}", 1, "<mesh<[\"axis_0\"=8]>, [{?}]>"},
    {"{manual}", 1, "<mesh<[\"axis_0\"=8]>, [{}], manual={\"axis_0\"}>"},
    {"{unreduced}", 0, "<mesh<[\"axis_0\"=8]>, [], unreduced={\"axis_0\"}>"},
    {"{maximal device=5}", 3, "<mesh<[], device_ids=[5]>, []>"},
};

static Sharding convert(Fixture *f, const GspmdSharding *g, MeshId mesh, uint32_t rank) {
  Sharding sharding = 0;
  Status *status = gspmd_to_sharding(f->table, &f->arena, g, mesh, rank, &sharding);
  if (status) {
    char text[512];
    snprintf(text, sizeof text, "%s", print(f, g));
    fail_msg("%s: %s", text, status_message(status));
  }
  return sharding;
}

static MeshId find(Fixture *f, uint32_t n_devices, uint32_t n, const GspmdSharding *const *list) {
  const Mesh *mesh = NULL;
  Status *status = gspmd_find_mesh(f->context, &f->arena, 0, n_devices, n, list, &mesh);
  if (status) fail_msg("%s", status_message(status));
  return sharding_mesh_add(f->table, mesh);
}

static Status *axes(Guard *guard, void *arg) {
  (void)arg;
  Fixture f;
  fixture_open(&f, guard);
  for (size_t i = 0; i < sizeof named / sizeof *named; i++) {
    GspmdSharding g = parse(&f, named[i].gspmd), back;
    const GspmdSharding *list = &g;
    MeshId mesh = find(&f, g.kind == GSPMD_TILED ? 0 : 8, 1, &list);
    Sharding s = convert(&f, &g, mesh, named[i].rank);
    f.text.used = 0;
    sharding_print(f.table, s, &f.text);
    assert_string_equal(f.text.data, named[i].sdy);
    assert_null(gspmd_from_sharding(f.table, &f.arena, s, &back));
    if (g.kind == GSPMD_UNKNOWN)  // GSPMD has no open dimensions
      assert_int_equal(back.kind, GSPMD_REPLICATED);
    else if (!g.devices)
      assert_string_equal(print(&f, &back), named[i].gspmd);
    else
      assert_true(sharding_same_tiles(f.table, s, convert(&f, &back, mesh, named[i].rank)));
  }
  fixture_done(&f, guard);
  return NULL;
}

static void expect_status(Status *status, StatusCode code, const char *reason) {
  if (!status) fail_msg("accepted, expected: %s", reason);
  if (!strstr(status_message(status), reason)) fail_msg("%s", status_message(status));
  assert_int_equal(status_code(status), code);
  status_free(status);
}

// Refused: shardings that no mesh, or not this mesh, expresses.
static Status *irregular(Guard *guard, void *arg) {
  (void)arg;
  Fixture f;
  fixture_open(&f, guard);
  const Mesh *mesh;
  GspmdSharding subset = parse(&f, "{devices=[2]1,3}");
  GspmdSharding twisted = parse(&f, "{devices=[2,2]0,1,3,2}"),
                plain = parse(&f, "{devices=[4]<=[4]}");
  GspmdSharding six = parse(&f, "{devices=[6]<=[6]}");
  GspmdSharding four = parse(&f, "{devices=[4,3]<=[12]}"),
                three = parse(&f, "{devices=[3,4]<=[12]}");
  GspmdSharding odd = parse(&f, "{devices=[2,6]<=[3,4]T(1,0)}");
  const GspmdSharding *one[] = {&subset}, *both[] = {&twisted, &plain}, *sizes[] = {&plain, &six};
  const GspmdSharding *cuts[] = {&four, &three}, *alone[] = {&odd};
  expect_status(gspmd_find_mesh(f.context, &f.arena, 0, 0, 1, one, &mesh), UNIMPLEMENTED,
                "device 3 but only 2 devices");
  expect_status(gspmd_find_mesh(f.context, &f.arena, 0, 0, 2, both, &mesh), UNIMPLEMENTED,
                "follows no axes");
  expect_status(gspmd_find_mesh(f.context, &f.arena, 0, 0, 2, sizes, &mesh), UNIMPLEMENTED,
                "over 4 and over 6 devices");
  // Bounds that do not divide each other become sub-axes of one axis.
  assert_null(gspmd_find_mesh(f.context, &f.arena, 0, 0, 2, cuts, &mesh));
  assert_int_equal(mesh->n_axes, 1);
  GspmdSharding last = parse(&f, "{maximal device=6}"), whole = parse(&f, "{replicated}");
  const GspmdSharding *few[] = {&last, &six}, *enough[] = {&last, &whole};
  expect_status(gspmd_find_mesh(f.context, &f.arena, 0, 0, 2, few, &mesh), UNIMPLEMENTED,
                "one sharding names device 6, others are over 6 devices");
  assert_null(gspmd_find_mesh(f.context, &f.arena, 0, 0, 2, enough, &mesh));
  assert_int_equal(mesh->n_devices, 7);
  // [2,6] from [3,4]: 4 does not divide 6, so the mesh has another device order.
  GspmdSharding torn = parse(&f, "{devices=[2,6]<=[4,3]T(1,0)}");
  const GspmdSharding *only[] = {&torn};
  assert_null(gspmd_find_mesh(f.context, &f.arena, 0, 0, 1, only, &mesh));
  assert_int_equal(mesh_device(mesh, 1), 3);
  MeshId id = find(&f, 4, 0, NULL);
  Sharding s;
  expect_status(gspmd_to_sharding(f.table, &f.arena, &twisted, id, 2, &s), UNIMPLEMENTED,
                "device 2 is not where");
  expect_status(gspmd_to_sharding(f.table, &f.arena, &plain, id, 2, &s), INVALID_ARGUMENT,
                "tiles 1 dimensions, the value has 2");
  expect_status(gspmd_to_sharding(f.table, &f.arena, &six, id, 1, &s), INVALID_ARGUMENT,
                "over 6 devices, the mesh has 4");
  GspmdSharding tuple = parse(&f, "{{replicated}}");
  expect_status(gspmd_to_sharding(f.table, &f.arena, &tuple, id, 1, &s), INVALID_ARGUMENT, "tuple");
  // [2,6] from [4,3]: the first dimension is half of the 4, the rest is [2,3].
  convert(&f, &odd, find(&f, 0, 1, alone), 2);
  // One mesh for shardings that agree, tuples included.
  GspmdSharding mixed =
      parse(&f, "{{devices=[2,1,6]<=[12] last_tile_dim_replicate}, {replicated}}");
  const GspmdSharding *agree[] = {&four, &mixed};
  MeshId common = find(&f, 0, 2, agree);
  assert_int_equal(sharding_mesh(f.table, common)->n_axes, 3);
  convert(&f, &four, common, 2);
  fixture_done(&f, guard);
  return NULL;
}

// Reference semantics of a string: the tile of a device, found by searching the array.
static void tile_of(const GspmdSharding *g, uint32_t rank, uint32_t device, int64_t *out) {
  for (uint32_t d = 0; d < rank; d++) out[d] = 0;
  if (g->kind != GSPMD_TILED) return;
  uint32_t cell = 0;
  while (gspmd_device(g, cell) != device) cell++;
  for (uint32_t d = g->n_dims; d-- > 0; cell /= g->dims[d])
    if (d < rank) out[d] = cell % g->dims[d];
}

static void check_one(Fixture *f, Sharding s, uint32_t rank) {
  const ShardingInfo *info = sharding_info(f->table, s);
  const Mesh *mesh = sharding_mesh(f->table, info->mesh);
  GspmdSharding g, again, back;
  assert_null(gspmd_from_sharding(f->table, &f->arena, s, &g));
  // Each device has the same tile in the string and in the sharding.
  for (uint32_t device = 0; device < mesh->n_devices; device++) {
    int64_t ours[4] = {0}, theirs[4] = {0};
    sharding_tile_index(f->table, s, device, ours);
    tile_of(&g, rank, device, theirs);
    assert_memory_equal(ours, theirs, sizeof ours);
  }
  char text[1024];
  snprintf(text, sizeof text, "%s", print(f, &g));
  again = parse(f, text);
  assert_string_equal(print(f, &again), text);
  // Parsed on the same mesh: same tiles, same manual and unreduced axes, same string.
  Sharding same = convert(f, &again, info->mesh, rank);
  assert_true(sharding_same_tiles(f->table, s, same));
  const ShardingInfo *read = sharding_info(f->table, same);
  assert_int_equal(axes_size(read->manual), axes_size(info->manual));
  assert_int_equal(axes_size(read->unreduced), axes_size(info->unreduced));
  assert_null(gspmd_from_sharding(f->table, &f->arena, same, &back));
  assert_string_equal(print(f, &back), text);
  // And on a mesh found from the string alone.
  const GspmdSharding *list = &again;
  Sharding found = convert(f, &again, find(f, mesh->n_devices, 1, &list), rank);
  assert_true(sharding_same_tiles(f->table, s, found));
  assert_null(gspmd_from_sharding(f->table, &f->arena, found, &back));
  assert_string_equal(print(f, &back), text);
}

static Status *random_ones(Guard *guard, void *arg) {
  (void)arg;
  Dice dice = dice_new(3);
  for (int i = 0; i < 150; i++) {
    Fixture f;
    fixture_open(&f, guard);
    MeshId mesh = sharding_mesh_add(f.table, random_mesh(f.context, &dice, 0));
    for (int k = 0; k < 8; k++) {
      uint32_t rank = dice_roll(&dice, 5);
      RandomOptions options = {.unreduced = dice_roll(&dice, 2), .manual = dice_roll(&dice, 2)};
      check_one(&f, random_sharding(f.table, mesh, rank, options, &dice), rank);
    }
    fixture_done(&f, guard);
  }
  return NULL;
}

// Whether the bounds of all sub-axes of an axis divide each other, so that a mesh can have them
// all.
static bool is_chain(const ShardingTable *table, const Sharding *shardings, uint32_t n) {
  for (uint32_t pass = 0; pass < n * n; pass++) {
    const ShardingInfo *x = sharding_info(table, shardings[pass / n]);
    const ShardingInfo *y = sharding_info(table, shardings[pass % n]);
    AxisList a[7], b[7];
    uint32_t na = 0, nb = 0;
    for (uint32_t d = 0; d < x->rank; d++) a[na++] = sharding_dim_axes(x, d);
    for (uint32_t d = 0; d < y->rank; d++) b[nb++] = sharding_dim_axes(y, d);
    a[na++] = x->manual, a[na++] = x->unreduced, b[nb++] = y->manual, b[nb++] = y->unreduced;
    for (uint32_t i = 0; i < na; i++)
      for (uint32_t k = 0; k < nb; k++)
        for (uint32_t r = 0; r < a[i].n * b[k].n; r++) {
          AxisRef p = a[i].v[r / b[k].n], q = b[k].v[r % b[k].n];
          uint32_t ends[4] = {p.pre_size, p.pre_size * p.size, q.pre_size, q.pre_size * q.size};
          for (uint32_t e = 0; p.axis == q.axis && e < 16; e++) {
            uint32_t low = ends[e / 4], high = ends[e % 4];
            if (high % low && low % high) return false;
          }
        }
  }
  return true;
}

// The first device in the array of the same subgroup and tile: the smallest such device.
static uint32_t first_alike(const GspmdSharding *g, uint32_t device) {
  if (g->kind != GSPMD_TILED) return 0;
  bool replicated = g->n_subgroups && g->subgroups[g->n_subgroups - 1] == GSPMD_SUBGROUP_REPLICATED;
  uint32_t cell = 0, copies = replicated ? g->dims[g->n_dims - 1] : 1;
  while (gspmd_device(g, cell) != device) cell++;
  return gspmd_device(g, cell / copies * copies);
}

// All shardings of one mesh in any device order are imported together: every device keeps its
// tiles.
static Status *random_sets(Guard *guard, void *arg) {
  (void)arg;
  Dice dice = dice_new(5);
  uint32_t chains = 0;
  for (int i = 0; i < 300; i++) {
    Fixture f;
    fixture_open(&f, guard);
    const Mesh *on = random_mesh(f.context, &dice, 0);
    MeshId mesh = sharding_mesh_add(f.table, on);
    enum { MOST = 6 };
    Sharding shardings[MOST];
    GspmdSharding read[MOST];
    const GspmdSharding *list[MOST];
    uint32_t n = 1 + dice_roll(&dice, MOST);
    for (uint32_t k = 0; k < n; k++) {
      GspmdSharding g;
      RandomOptions options = {.unreduced = dice_roll(&dice, 4) == 0,
                               .manual = dice_roll(&dice, 4) == 0};
      shardings[k] = random_sharding(f.table, mesh, dice_roll(&dice, 5), options, &dice);
      assert_null(gspmd_from_sharding(f.table, &f.arena, shardings[k], &g));
      char text[1024];
      snprintf(text, sizeof text, "%s", print(&f, &g));
      read[k] = parse(&f, text);
      list[k] = &read[k];
    }
    const Mesh *found = NULL;
    Status *status = gspmd_find_mesh(f.context, &f.arena, 0, on->n_devices, n, list, &found);
    bool chain = is_chain(f.table, shardings, n);
    chains += chain;
    if (chain && status) fail_msg("refused: %s", status_message(status));
    status_free(status);
    MeshId again = found ? sharding_mesh_add(f.table, found) : 0;
    for (uint32_t k = 0; k < n && found; k++) {
      uint32_t rank = sharding_info(f.table, shardings[k])->rank;
      Sharding same = convert(&f, list[k], again, rank);
      assert_true(sharding_same_tiles(f.table, shardings[k], same));
      GspmdSharding back;
      assert_null(gspmd_from_sharding(f.table, &f.arena, same, &back));
      for (uint32_t device = 0; device < on->n_devices; device++)
        assert_int_equal(first_alike(&back, device), first_alike(list[k], device));
    }
    fixture_done(&f, guard);
  }
  assert_true(chains > 150);
  return NULL;
}

// A random device array is either converted exactly or refused.
static Status *random_lists(Guard *guard, void *arg) {
  (void)arg;
  Dice dice = dice_new(4);
  uint32_t refusals = 0;
  for (int i = 0; i < 300; i++) {
    Fixture f;
    fixture_open(&f, guard);
    const Mesh *on = random_mesh(f.context, &dice, 0);
    MeshId mesh = sharding_mesh_add(f.table, on);
    AxisRef parts[32];
    uint32_t n = random_parts(on, &dice, parts), dims[33], devices[96];
    for (uint32_t k = 0; k < n; k++) dims[k] = parts[k].size;
    for (uint32_t k = 0; k < on->n_devices; k++) devices[k] = k;
    for (uint32_t k = on->n_devices, swaps = dice_roll(&dice, 3); k > 1 && swaps; k--, swaps--) {
      uint32_t to = dice_roll(&dice, k), old = devices[k - 1];
      devices[k - 1] = devices[to];
      devices[to] = old;
    }
    dims[n] = 1;
    GspmdSharding g = {.kind = GSPMD_TILED,
                       .n_dims = n + 1,
                       .n_devices = on->n_devices,
                       .dims = dims,
                       .devices = devices};
    Sharding s = 0;
    Status *status = gspmd_to_sharding(f.table, &f.arena, &g, mesh, n + 1, &s);
    if (status) {
      assert_int_equal(status_code(status), UNIMPLEMENTED);
      status_free(status);
      refusals++;
    }
    for (uint32_t device = 0; s && device < on->n_devices; device++) {
      int64_t ours[33], theirs[33];
      sharding_tile_index(f.table, s, device, ours);
      tile_of(&g, n + 1, device, theirs);
      assert_memory_equal(ours, theirs, (n + 1) * sizeof *ours);
    }
    fixture_done(&f, guard);
  }
  assert_true(refusals > 0 && refusals < 300);
  return NULL;
}

static Status *some_work(Guard *guard, void *arg) {
  (void)arg;
  Fixture f;
  fixture_open(&f, guard);
  Dice dice = {7};
  GspmdSharding g, back;
  Status *status = gspmd_parse(
      &f.arena, str_of("{{devices=[4,2]<=[2,4]T(1,0)}, {devices=[2,2]0,1,2,3}, {manual}}"), &g);
  assert_null(status);
  MeshId mesh = sharding_mesh_add(f.table, random_mesh(f.context, &dice, 0));
  Sharding s = random_sharding(f.table, mesh, 2, (RandomOptions){.manual = true}, &dice);
  assert_null(gspmd_from_sharding(f.table, &f.arena, s, &back));
  print(&f, &back);
  const GspmdSharding *list = &back;
  const Mesh *found;
  assert_null(gspmd_find_mesh(f.context, &f.arena, 0, 0, 1, &list, &found));
  assert_null(gspmd_to_sharding(f.table, &f.arena, &back, mesh, 2, &s));
  fixture_done(&f, guard);
  return NULL;
}

static void test_no_memory(void **state) {
  (void)state;
  mem_fail_at(0);
  assert_null(guard_run(some_work, NULL));
  uint64_t made = mem_fail_at(0);
  for (uint64_t k = 1; k <= made; k++) {
    mem_fail_at(k);
    Status *status = guard_run(some_work, NULL);
    mem_fail_at(0);
    assert_int_equal(status_code(status), RESOURCE_EXHAUSTED);
    status_free(status);
  }
}

#define TEST(name)                                                                                 \
  static void test_##name(void **state) {                                                          \
    (void)state;                                                                                   \
    assert_null(guard_run(name, NULL));                                                            \
  }
TEST(strings)
TEST(refused)
TEST(axes)
TEST(irregular)
TEST(random_ones)
TEST(random_lists)
TEST(random_sets)

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_strings),     cmocka_unit_test(test_refused),
      cmocka_unit_test(test_axes),        cmocka_unit_test(test_irregular),
      cmocka_unit_test(test_random_ones), cmocka_unit_test(test_random_lists),
      cmocka_unit_test(test_random_sets), cmocka_unit_test(test_no_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
