// Random reshards, executed: a local program per pair of shardings runs in the evaluator on every
// device of a random mesh, each with its tile. Every tile of the result is compared.
#include "partition/reshard_local.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "evaluate/evaluate.h"
#include "ops/infer.h"
#include "ops/op.h"
#include "sharding/sharding_fixture.h"

enum { RANK = 3, MOST = 96 };

typedef struct Run {
  Dice *dice;
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

// func.func @main(%x: tile of from) -> tile of to
static Status *build(Run *r, Guard *guard, MeshId mesh, Sharding from, Sharding to, Type global) {
  Context *c = r->context;
  program_free(r->program);
  r->program = NULL;
  r->program = program_new(c, guard, NULL);
  Program *p = r->program;
  OpId module = op_create(p, &(OpSpec){.code = OP_module, .n_regions = 1, .pos = POS_NONE});
  BlockId top = region_add_block(p, op_region(p, module, 0));
  Type in = sharding_local_type(r->table, from, global),
       out = sharding_local_type(r->table, to, global);
  NamedAttr fields[] = {
      {name_of(c, "sym_name"), attr_string(c, name_of(c, "main"))},
      {name_of(c, "function_type"), attr_type(c, type_function(c, 1, &in, 1, &out))}};
  OpId function = op_create(p, &(OpSpec){.code = OP_func_func,
                                         .n_regions = 1,
                                         .attrs = attr_dict(c, 2, fields),
                                         .pos = POS_NONE});
  op_append(p, top, function);
  BlockId block = region_add_block(p, op_region(p, function, 0));
  ValueId x = block_add_arg(p, block, in, 0), y;
  Builder l = {.p = p,
               .pos = POS_NONE,
               .table = r->table,
               .arena = &r->arena,
               .kept = &r->arena,
               .mesh = mesh,
               .block = block};
  TRY(local_reshard(&l, &network_default, x, from, to, global, &y));
  op_append(
      p, block,
      op_create(
          p, &(OpSpec){.code = OP_func_return, .n_operands = 1, .operands = &y, .pos = POS_NONE}));
  if (!program_verify(p, &r->diag)) return diag_status(&r->diag);
  return NULL;
}

// The global index along dimension d of element i of a tile; -1 in the padding. Ranges: one per
// factor, dimension by dimension.
static int64_t index_in_whole(Run *r, Sharding s, const int64_t *dims, uint32_t device, uint32_t d,
                              int64_t i) {
  const ShardingInfo *info = sharding_info(r->table, s);
  int64_t offset[4 * RANK], extent[4 * RANK], index = 0, unit = 1;
  sharding_tile_range(r->table, s, dims, device, offset, extent);
  uint32_t first = 0;
  for (uint32_t k = 0; k < d; k++) first += info->dims[k].n_factors;
  for (uint32_t f = info->dims[d].n_factors; f-- > 0;) {
    const ShardFactor *factor = &info->dims[d].factors[f];
    int64_t size = factor->size ? factor->size : dims[d], ways = axes_size(factor->axes);
    int64_t tile = (size + ways - 1) / ways, at = i % tile;
    if (at >= extent[first + f]) return -1;
    index += (offset[first + f] + at) * unit;
    unit *= size;
    i /= tile;
  }
  return index;
}

// The row-major global index of an element of a device's tile; -1 in the padding.
static int64_t number_of(Run *r, Sharding s, Type global, uint32_t device, const int64_t *at) {
  const int64_t *dims = type_info(r->context, global)->dims;
  const Mesh *mesh = sharding_mesh(r->table, sharding_info(r->table, s)->mesh);
  int64_t number = 0;
  if (!mesh_has_device(mesh, device)) return -1;
  for (uint32_t d = 0; d < RANK; d++) {
    int64_t index = mesh->maximal ? at[d] : index_in_whole(r, s, dims, device, d, at[d]);
    if (index < 0) return -1;
    number = number * dims[d] + index;
  }
  return number;
}

// The tile of device `i`. A global element is its row-major index. Of an unreduced value each
// device but the first holds 1 and the first the rest, so that the sum shows a missing device.
static Literal *tile(Run *r, Sharding s, Type global, uint32_t device) {
  Type type = sharding_local_type(r->table, s, global);
  const int64_t *dims = type_info(r->context, type)->dims;
  const ShardingInfo *info = sharding_info(r->table, s);
  const Mesh *mesh = sharding_mesh(r->table, info->mesh);
  int64_t parts = axes_size(info->unreduced);
  int64_t part = axes_coordinate(mesh, info->unreduced, mesh_position(mesh, device));
  Literal *x = literal_new_typed(&r->heap, r->context, type);
  int32_t *data = x->data;
  int64_t at[RANK] = {0};
  for (int64_t i = 0; i < x->count; i++, shape_next(RANK, dims, at)) {
    int64_t number = number_of(r, s, global, device, at);
    int64_t value = parts == 1 ? number : part ? 1 : number - (parts - 1);
    data[i] = number >= 0 ? (int32_t)value : INT32_MIN + 7;  // padding is poison
  }
  return x;
}

static bool agrees(Run *r, Literal *got, Sharding to, Type global, uint32_t device) {
  const int64_t *dims = type_info(r->context, sharding_local_type(r->table, to, global))->dims;
  const int32_t *data = got->data;
  int64_t at[RANK] = {0};
  for (int64_t i = 0; i < got->count; i++, shape_next(RANK, dims, at)) {
    int64_t number = number_of(r, to, global, device, at);
    if (number >= 0 && data[i] != number) return false;
  }
  return true;
}

// Prints the failing pair of shardings.
static void show_pair(Run *r, Guard *guard, Sharding from, Sharding to, Type global) {
  const TypeInfo *info = type_info(r->context, global);
  const Mesh *mesh = sharding_mesh(r->table, sharding_info(r->table, from)->mesh);
  StrBuf text;
  strbuf_init(&text, guard);
  for (uint32_t i = 0; i < mesh->n_axes; i++)
    strbuf_printf(&text, "%s=%u ", name_text(r->context, mesh->axes[i].name), mesh->axes[i].size);
  for (uint32_t d = 0; d < info->rank; d++)
    strbuf_printf(&text, d ? "x%lld" : "%lld", (long long)info->dims[d]);
  strbuf_puts(&text, ": ");
  sharding_print(r->table, from, &text);
  strbuf_puts(&text, " -> ");
  sharding_print(r->table, to, &text);
  print_message("%s\n", text.data);
  strbuf_deinit(&text);
}

// A mesh with as many devices, with one or two axes, perhaps in another order.
static MeshId other_mesh(Run *r, uint32_t n) {
  Name names[2] = {name_of(r->context, "p"), name_of(r->context, "q")};
  int64_t ids[MOST], sizes[2] = {n, 1};
  for (uint32_t i = 0; i < n; i++) ids[i] = n - 1 - i;
  for (uint32_t k = 2 + dice_roll(r->dice, 4); k > 1; k--)
    if (n % k == 0 && sizes[1] == 1) sizes[0] = n / k, sizes[1] = k;
  const Mesh *mesh = NULL;
  assert_null(mesh_new(r->context, name_of(r->context, "o"), 2, names, sizes,
                       dice_roll(r->dice, 2) ? n : 0, ids, &mesh));
  return sharding_mesh_add(r->table, mesh);
}

// A strided sharding: dimensions of two factors, each split evenly. Sets the tensor's sizes.
static Sharding strided(Run *r, Sharding like, int64_t *dims) {
  ShardingInfo info = *sharding_info(r->table, like);
  ShardFactor factors[RANK][2];
  DimSharding split[RANK];
  for (uint32_t d = 0; d < RANK; d++) {
    AxisList axes = sharding_dim_axes(&info, d);
    uint32_t first = dice_roll(r->dice, axes.n + 1);
    AxisList lists[2] = {{axes.v, first}, {first ? axes.v + first : axes.v, axes.n - first}};
    dims[d] = 1;
    for (uint32_t f = 0; f < 2; f++) {
      factors[d][f] = (ShardFactor){axes_size(lists[f]) * (1 + dice_roll(r->dice, 3)), lists[f]};
      dims[d] *= factors[d][f].size;
    }
    split[d] = (DimSharding){factors[d], 2, false, PRIORITY_NONE};
  }
  info.dims = split;
  return sharding_intern(r->table, &info);
}

typedef struct Pair {
  MeshId mesh;
  Sharding from, to;
  Type global;
} Pair;

static Pair draw_pair(Run *r) {
  Dice *dice = r->dice;
  Pair pair = {
      .mesh = sharding_mesh_add(r->table, random_mesh(r->context, dice, name_of(r->context, "m")))};
  uint32_t n = sharding_mesh(r->table, pair.mesh)->n_devices, what = dice_roll(dice, 12);
  int64_t dims[RANK];
  for (uint32_t d = 0; d < RANK; d++) dims[d] = 1 + dice_roll(dice, 12);
  MeshId other = what == 0 ? other_mesh(r, n) : pair.mesh;
  RandomOptions options = {.unreduced = dice_roll(dice, 3) == 0};
  pair.from = random_sharding(r->table, pair.mesh, RANK, options, dice);
  pair.to = random_sharding(r->table, other, RANK, (RandomOptions){0}, dice);
  if (what == 1) pair.from = sharding_make_maximal(r->table, dice_roll(dice, n));
  if (what == 2) pair.to = sharding_make_maximal(r->table, dice_roll(dice, n));
  if (what == 3) pair.from = strided(r, pair.from, dims);
  if (what == 4) pair.to = strided(r, pair.to, dims);
  pair.global = type_tensor(r->context, type_scalar(DT_i32), RANK, dims, 0);
  return pair;
}

static void run_pair(Run *r, Guard *guard, Pair pair) {
  Status *status = build(r, guard, pair.mesh, pair.from, pair.to, pair.global);
  if (status) {
    show_pair(r, guard, pair.from, pair.to, pair.global);
    fail_msg("%s", status_message(status));
  }
  uint32_t n = sharding_mesh(r->table, pair.mesh)->n_devices;
  Literal *in[MOST], *out[MOST];
  for (uint32_t i = 0; i < n; i++) in[i] = tile(r, pair.from, pair.global, i);
  OpId function;
  assert_null(evaluate_entry(r->program, "main", &function));
  EvalReport report;
  status = evaluate(r->program, function, &(EvalOptions){.partitions = n}, &r->heap, &r->arena, n,
                    in, n, out, &report);
  if (status) fail_msg("%s", status_message(status));
  for (uint32_t i = 0; i < n; i++) {
    if (agrees(r, out[i], pair.to, pair.global, i)) continue;
    show_pair(r, guard, pair.from, pair.to, pair.global);
    fail_msg("device %u has something else", i);
  }
}

// A dimension goes from one axis to another whose tiles do not divide those of the first.
static Pair known_pair(Run *r) {
  Name names[2] = {name_of(r->context, "x"), name_of(r->context, "y")};
  const Mesh *mesh = NULL;
  assert_null(
      mesh_new(r->context, name_of(r->context, "m"), 2, names, (int64_t[]){4, 2}, 0, NULL, &mesh));
  Pair pair = {.mesh = sharding_mesh_add(r->table, mesh)};
  Sharding whole = sharding_make_replicated(r->table, pair.mesh, RANK);
  AxisRef x = axis_full(mesh, 0), y = axis_full(mesh, 1);
  pair.from = sharding_with_axes(r->table, whole, 1, (AxisList){&x, 1});
  pair.to = sharding_with_axes(r->table, whole, 1, (AxisList){&y, 1});
  pair.global = type_tensor(r->context, type_scalar(DT_i32), RANK, (int64_t[]){4, 32, 8}, 0);
  return pair;
}

// arg: the random state for a random pair; NULL = the fixed pair.
static Status *try_pair(Guard *guard, void *arg) {
  Run r = {.dice = arg, .source = {.path = "<test>", .text = "", .size = 0}};
  arena_init(&r.arena, guard);
  diag_init(&r.diag, guard, &r.source);
  literal_heap_init(&r.heap, guard, 0);
  GuardCleanup cleanup = {run_close, &r, NULL};
  guard_push(guard, &cleanup);
  r.context = context_new(guard);
  r.table = sharding_table_new(r.context, guard);
  run_pair(&r, guard, arg ? draw_pair(&r) : known_pair(&r));
  guard_pop(guard, &cleanup);
  run_close(&r);
  return NULL;
}

static void test_reshards_run(void **state) {
  (void)state;
  Dice dice = dice_new(9001);
  assert_null(guard_run(try_pair, NULL));
  for (uint32_t i = 0; i < 200; i++) assert_null(guard_run(try_pair, &dice));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_reshards_run)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
