// Resharding done for real: a local program per pair of shardings, run by the evaluator on every
// device of random meshes, each device given its tile; every tile of the outcome is compared.
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
  Type in = local_type(r->table, from, global), out = local_type(r->table, to, global);
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
  Local l = {.p = p,
             .table = r->table,
             .network = &network_default,
             .arena = &r->arena,
             .kept = &r->arena,
             .mesh = mesh,
             .block = block};
  TRY(local_reshard(&l, x, from, to, global, &y));
  op_append(
      p, block,
      op_create(
          p, &(OpSpec){.code = OP_func_return, .n_operands = 1, .operands = &y, .pos = POS_NONE}));
  if (!program_verify(p, &r->diag)) return diag_status(&r->diag);
  return NULL;
}

// What device `i` has: element (a, b, c) of the whole is its number; of an unreduced value the
// first device of a group has all of it but one, the others one of their own: sums tell all of
// them.
static Literal *tile(Run *r, Sharding s, Type global, uint32_t device) {
  const TypeInfo *whole = type_info(r->context, global);
  Type type = local_type(r->table, s, global);
  const int64_t *dims = type_info(r->context, type)->dims;
  int64_t offset[RANK], extent[RANK];
  sharding_tile_range(r->table, s, whole->dims, device, offset, extent);
  const ShardingInfo *info = sharding_info(r->table, s);
  const Mesh *mesh = sharding_mesh(r->table, info->mesh);
  int64_t parts = axes_size(info->unreduced);
  int64_t part = axes_coordinate(mesh, info->unreduced, mesh_position(mesh, device));
  Literal *x = literal_new_typed(&r->heap, r->context, type);
  int32_t *data = x->data;
  int64_t at = 0;
  for (int64_t i = 0; i < dims[0]; i++)
    for (int64_t j = 0; j < dims[1]; j++)
      for (int64_t k = 0; k < dims[2]; k++, at++) {
        bool inside = i < extent[0] && j < extent[1] && k < extent[2];
        int64_t number =
            ((offset[0] + i) * whole->dims[1] + offset[1] + j) * whole->dims[2] + offset[2] + k;
        int64_t value = parts == 1 ? number : part ? 1 : number - (parts - 1);
        data[at] = inside ? (int32_t)value : INT32_MIN + 7;  // padding is poison
      }
  return x;
}

static void compare(Run *r, Literal *got, Literal *want, Sharding to, Type global,
                    uint32_t device) {
  const TypeInfo *whole = type_info(r->context, global);
  const int64_t *dims = type_info(r->context, local_type(r->table, to, global))->dims;
  int64_t offset[RANK], extent[RANK];
  sharding_tile_range(r->table, to, whole->dims, device, offset, extent);
  const int32_t *a = got->data, *b = want->data;
  int64_t at = 0;
  for (int64_t i = 0; i < dims[0]; i++)
    for (int64_t j = 0; j < dims[1]; j++)
      for (int64_t k = 0; k < dims[2]; k++, at++)
        if (i < extent[0] && j < extent[1] && k < extent[2]) assert_int_equal(a[at], b[at]);
}

// Which one it was.
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

static Status *try_pair(Guard *guard, void *arg) {
  Run r = {.dice = arg, .source = {"<test>", "", 0}};
  Dice *dice = arg;
  arena_init(&r.arena, guard);
  diag_init(&r.diag, guard, &r.source);
  literal_heap_init(&r.heap, guard, 0);
  GuardCleanup cleanup = {run_close, &r, NULL};
  guard_push(guard, &cleanup);
  r.context = context_new(guard);
  r.table = sharding_table_new(r.context, guard);
  const Mesh *mesh = random_mesh(r.context, dice, name_of(r.context, "m"));
  MeshId id = sharding_mesh_add(r.table, mesh);
  for (uint32_t round = 0; round < 3; round++) {
    int64_t dims[RANK];
    for (uint32_t d = 0; d < RANK; d++) dims[d] = 1 + dice_roll(dice, 12);
    Type global = type_tensor(r.context, type_scalar(DT_i32), RANK, dims, 0);
    bool unreduced = dice_roll(dice, 3) == 0;
    Sharding from =
        random_sharding(r.table, id, RANK, (RandomOptions){.unreduced = unreduced}, dice);
    Sharding to = random_sharding(r.table, id, RANK, (RandomOptions){0}, dice);
    Status *status = build(&r, guard, id, from, to, global);
    if (status && status_code(status) == UNIMPLEMENTED) {
      status_free(status);
      continue;
    }
    if (status) {
      show_pair(&r, guard, from, to, global);
      fail_msg("%s", status_message(status));
    }
    uint32_t n = mesh->n_devices;
    Literal *in[MOST], *out[MOST];
    for (uint32_t i = 0; i < n; i++) in[i] = tile(&r, from, global, i);
    OpId function;
    assert_null(evaluate_entry(r.program, "main", &function));
    EvalReport report;
    status = evaluate(r.program, function, &(EvalOptions){.partitions = n}, &r.heap, &r.arena, n,
                      in, n, out, &report);
    if (status) fail_msg("%s", status_message(status));
    for (uint32_t i = 0; i < n; i++) {
      Literal *want = tile(&r, to, global, i);
      compare(&r, out[i], want, to, global, i);
    }
  }
  guard_pop(guard, &cleanup);
  run_close(&r);
  return NULL;
}

static void test_reshards_run(void **state) {
  (void)state;
  Dice dice = dice_new(9001);
  for (uint32_t i = 0; i < 60; i++) assert_null(guard_run(try_pair, &dice));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_reshards_run)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
