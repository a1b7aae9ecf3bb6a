// Windows of sharded dimensions, evaluated on every device of a mesh with poisoned padding; every
// element is compared. The elements sent are counted in the program.
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "evaluate/evaluate.h"
#include "ops/infer.h"
#include "ops/builder.h"
#include "sharding/sharding_fixture.h"

enum { MOST = 24, FILL = -5, POISON = INT32_MIN + 7 };

typedef struct Case {
  int64_t size;
  uint32_t n;      // devices along the axis
  uint32_t other;  // devices along another one
  bool shuffled;   // the mesh has another order
  bool fills;
  BuildWindow w;
  // ---- found ----
  uint32_t n_permutes, n_gathers;
  double moved;  // elements sent per device, on average
} Case;

typedef struct Run {
  Context *context;
  ShardingTable *table;
  Program *program;
  LiteralHeap heap;
  Arena arena;
  Diag diag;
  Source source;
} Run;

static void run_close(void *object) {
  Run *r = object;
  literal_heap_deinit(&r->heap);
  program_free(r->program);
  sharding_table_free(r->table);
  diag_deinit(&r->diag);
  arena_deinit(&r->arena);
  context_free(r->context);
}

// Axes b (the other) and a.
static const Mesh *make_mesh(Run *r, const Case *k) {
  Name names[] = {name_of(r->context, "b"), name_of(r->context, "a")};
  int64_t sizes[] = {k->other, k->n}, ids[MOST];
  uint32_t n = k->n * k->other;
  for (uint32_t i = 0; i < n; i++) ids[i] = (i + 1) % n;
  const Mesh *mesh;
  Status *status = mesh_new(r->context, name_of(r->context, "m"), 2, names, sizes,
                            k->shuffled ? n : 0, ids, &mesh);
  if (status) fail_msg("%s", status_message(status));
  return mesh;
}

static int64_t tile_of(const Case *k) {
  return k->w.tile ? k->w.tile : (k->size + k->n - 1) / k->n;
}

// func.func @main(%x: [2, tile]) -> [2, length]
static void build(Run *r, Guard *guard, Case *k, const Mesh *mesh, MeshId id) {
  Context *c = r->context;
  Program *p = r->program = program_new(c, guard, NULL);
  OpId module = op_create(p, &(OpSpec){.code = OP_module, .n_regions = 1, .pos = POS_NONE});
  BlockId top = region_add_block(p, op_region(p, module, 0));
  Type in = type_tensor(c, type_scalar(DT_i32), 2, (int64_t[]){2, tile_of(k)}, 0);
  Type out = type_tensor(c, type_scalar(DT_i32), 2, (int64_t[]){2, k->w.length}, 0);
  NamedAttr fields[] = {
      {name_of(c, "sym_name"), attr_string(c, name_of(c, "main"))},
      {name_of(c, "function_type"), attr_type(c, type_function(c, 1, &in, 1, &out))}};
  OpId function = op_create(p, &(OpSpec){.code = OP_func_func,
                                         .n_regions = 1,
                                         .attrs = attr_dict(c, 2, fields),
                                         .pos = POS_NONE});
  op_append(p, top, function);
  BlockId block = region_add_block(p, op_region(p, function, 0));
  ValueId x = block_add_arg(p, block, in, 0);
  Builder l = {.p = p,
               .pos = POS_NONE,
               .table = r->table,
               .arena = &r->arena,
               .kept = &r->arena,
               .mesh = id,
               .block = block,
               .poison = true};
  AxisRef axis = axis_full(mesh, 1);
  Type scalar = type_tensor(c, type_scalar(DT_i32), 0, NULL, 0);
  ValueId fill = k->fills ? build_splat(&l, scalar, scalar_i(FILL)) : 0;
  ValueId y = build_window(&l, x, 1, (AxisList){&axis, 1}, k->size, k->w, fill);
  assert_int_equal(build_dim(&l, y, 1), k->w.length);
  op_append(
      p, block,
      op_create(
          p, &(OpSpec){.code = OP_func_return, .n_operands = 1, .operands = &y, .pos = POS_NONE}));
  if (!program_verify(p, &r->diag)) fail_msg("%s", status_message(diag_status(&r->diag)));
  k->n_permutes = k->n_gathers = 0;
  k->moved = 0;
  for (OpId o = p->root; o; o = op_walk_next(p, o, p->root)) {
    if (op_at(p, o)->code == OP_all_gather) {
      k->n_gathers++;
      k->moved += (double)(tile_of(k) * (k->n - 1) * mesh->n_devices);
    }
    if (op_at(p, o)->code != OP_collective_permute) continue;
    k->n_permutes++;
    Ints ids = attr_as_ints(c, op_attr(p, o, "source_target_pairs"));
    for (uint32_t i = 0; i < ids.n; i += 2)
      if (ids.v[i] != ids.v[i + 1]) k->moved += (double)build_dim(&l, op_operand(p, o, 0), 1);
  }
  k->moved /= mesh->n_devices;
  double said = build_window_received(&l, k->size, k->n, k->w);
  if (said < k->moved - 1e-9 || said > k->moved + 1e-9)
    fail_msg("it says that %g elements move, %g do", said, k->moved);
}

// Element i of row j is 1000j + i.
static Literal *tile(Run *r, const Case *k, int64_t c) {
  int64_t t = tile_of(k);
  Literal *x = literal_new(&r->heap, r->context, type_scalar(DT_i32), 2, (int64_t[]){2, t});
  for (int64_t j = 0; j < 2; j++)
    for (int64_t i = 0; i < t; i++)
      ((int32_t *)x->data)[j * t + i] =
          (int32_t)(c * t + i < k->size ? 1000 * j + c * t + i : POISON);
  return x;
}

static void compare(const Case *k, const Literal *got, int64_t c) {
  for (int64_t j = 0; j < 2; j++)
    for (int64_t i = 0; i < k->w.length; i++) {
      int64_t divisor = k->w.divisor ? k->w.divisor : 1, at = k->w.first + k->w.step * c;
      at = (at + 1000 * divisor) / divisor - 1000 + i;  // never negative where it is divided
      int64_t want = 1000 * j + at, next = k->w.first + k->w.step * (c + 1);
      if (k->w.abuts && at >= (next + 1000 * divisor) / divisor - 1000) continue;
      if (k->w.wraps) at = (at % k->size + k->size) % k->size, want = 1000 * j + at;
      bool inside = at >= 0 && at < k->size;
      if (at < k->w.from) continue;
      if ((!inside && !k->fills) || (inside && k->w.end && at >= k->w.end)) continue;
      int64_t has = ((int32_t *)got->data)[j * k->w.length + i];
      if (has != (inside ? want : FILL))
        fail_msg("size %lld over %u x %u, windows of %lld at %lld + %lldc before %lld: device %lld "
                 "has %lld at %lld, expected %lld",
                 (long long)k->size, k->n, k->other, (long long)k->w.length, (long long)k->w.first,
                 (long long)k->w.step, (long long)k->w.end, (long long)c, (long long)has,
                 (long long)i, (long long)(inside ? want : FILL));
    }
}

static Status *try_case(Guard *guard, void *arg) {
  Case *k = arg;
  Run r = {.source = {.path = "<test>", .text = "", .size = 0}};
  arena_init(&r.arena, guard);
  diag_init(&r.diag, guard, &r.source);
  literal_heap_init(&r.heap, guard, 0);
  GuardCleanup cleanup = {run_close, &r, NULL};
  guard_push(guard, &cleanup);
  r.context = context_new(guard);
  r.table = sharding_table_new(r.context, guard);
  const Mesh *mesh = make_mesh(&r, k);
  build(&r, guard, k, mesh, sharding_mesh_add(r.table, mesh));
  uint32_t n = mesh->n_devices;
  Literal *in[MOST], *out[MOST];
  for (uint32_t i = 0; i < n; i++) in[i] = tile(&r, k, mesh_position(mesh, i) % k->n);
  OpId function;
  assert_null(evaluate_entry(r.program, "main", &function));
  EvalReport report;
  Status *status = evaluate(r.program, function, &(EvalOptions){.partitions = n}, &r.heap, &r.arena,
                            n, in, n, out, &report);
  if (status) fail_msg("%s", status_message(status));
  for (uint32_t i = 0; i < n; i++) compare(k, out[i], mesh_position(mesh, i) % k->n);
  guard_pop(guard, &cleanup);
  run_close(&r);
  return NULL;
}

static Case tried(Case k) {
  if (!k.other) k.other = 1;
  assert_null(guard_run(try_case, &k));
  return k;
}

static void test_halo_is_permutes(void **state) {
  (void)state;
  // One element of either neighbour.
  Case k =
      tried((Case){.size = 16, .n = 4, .fills = true, .w = {.first = -1, .step = 4, .length = 6}});
  assert_int_equal(k.n_permutes, 2);
  assert_int_equal(k.n_gathers, 0);
  assert_true(k.moved == 1.5);  // three pairs each way, four devices
  // Wider than a tile: two hops.
  k = tried((Case){.size = 16, .n = 8, .w = {.first = -3, .step = 2, .length = 5}});
  assert_int_equal(k.n_permutes, 2);
  assert_true(k.moved == (7 * 2 + 6 * 1) / 8.0);
  // Own elements only: short and empty last tiles too.
  k = tried((Case){.size = 9, .n = 8, .fills = true, .w = {.first = 0, .step = 2, .length = 2}});
  assert_int_equal(k.n_permutes + k.n_gathers, 0);
}

static void test_others(void **state) {
  (void)state;
  // Tiles in reverse: each goes to one other device.
  Case k = tried((Case){.size = 16, .n = 4, .w = {.first = 12, .step = -4, .length = 4}});
  assert_int_equal(k.n_permutes, 1);
  // The first half: each of two devices serves two.
  k = tried((Case){.size = 16, .n = 4, .w = {.first = 0, .step = 2, .length = 2}});
  assert_int_equal(k.n_permutes, 2);
  assert_true(k.moved == 6 / 4.0);
  // One element at the end: one pair.
  k = tried((Case){.size = 16, .n = 4, .w = {.first = 15, .step = 1, .length = 1}});
  assert_int_equal(k.n_permutes, 1);
  assert_true(k.moved == 1 / 4.0);
  // Slightly different tiles: own elements are not sent, two others are.
  k = tried((Case){.size = 28, .n = 2, .w = {.step = 14, .length = 14, .tile = 16}});
  assert_int_equal(k.n_permutes, 1);
  assert_true(k.moved == 2 / 2.0);
  // Wrapping: each device sends its tile to the next.
  k = tried((Case){.size = 16, .n = 4, .w = {.first = -4, .step = 4, .length = 4, .wraps = true}});
  assert_int_equal(k.n_permutes, 1);
  assert_true(k.moved == 4);
  // Every device needs all of it.
  k = tried((Case){.size = 16, .n = 4, .w = {.first = 0, .step = 0, .length = 16}});
  assert_int_equal(k.n_gathers, 1);
}

static void test_any_window(void **state) {
  (void)state;
  const char *seed = getenv("TESSERA_SEED");
  Dice dice = dice_new(77 + (seed ? strtoull(seed, NULL, 10) : 0));
  for (uint32_t i = 0; i < 1500; i++) {
    static const uint32_t devices[] = {1, 2, 3, 4, 5, 6, 8, 12};
    Case k = {.n = devices[dice_roll(&dice, 8)]};
    k.other = 1 + dice_roll(&dice, 2);
    k.shuffled = dice_roll(&dice, 4) == 0;
    k.fills = dice_roll(&dice, 2);
    k.size = dice_roll(&dice, dice_roll(&dice, 2) ? 14 : 50);
    int64_t t = tile_of(&k);
    if (dice_roll(&dice, 4) == 0) k.w.tile = t + dice_roll(&dice, 4);
    k.w.length = dice_roll(&dice, dice_roll(&dice, 4) ? 8 : 60);
    k.w.step = dice_roll(&dice, 2) ? t : (int64_t)dice_roll(&dice, 30) - 12;
    k.w.first = (int64_t)dice_roll(&dice, 60) - 25;
    if (dice_roll(&dice, 2)) k.w.first = (int64_t)dice_roll(&dice, 6) - 3;
    if (k.w.step < 0 && dice_roll(&dice, 2)) k.w.first = k.size - k.w.length;
    if (dice_roll(&dice, 4) == 0) k.w.end = dice_roll(&dice, 40);
    if (k.size && k.size % k.n == 0 && k.w.length <= k.size && dice_roll(&dice, 2)) {
      k.w.wraps = true;
      k.w.tile = k.w.end = 0;
    } else if (dice_roll(&dice, 4) == 0) {
      k.w.from = dice_roll(&dice, 20);
    }
    k.w.abuts = k.w.step > 0 && !k.w.wraps && dice_roll(&dice, 4) == 0;
    if (dice_roll(&dice, 4) == 0) k.w.divisor = 1 + dice_roll(&dice, 4);
    tried(k);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_halo_is_permutes),
                                     cmocka_unit_test(test_others),
                                     cmocka_unit_test(test_any_window)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
