// Each builder writes a function, which is verified (so its result types are those that `infer`
// gives) and evaluated on four devices; every element is compared.
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "build/build.h"
#include "evaluate/evaluate.h"
#include "ops/factors.h"
#include "ops/groups.h"
#include "ops/infer.h"
#include "sharding/sharding_fixture.h"

enum { DEVICES = 4, ROWS = 2, COLUMNS = 4 };

// The operand of each builder, x: [2, 4] on each device; element i of device c is 10c + i.
typedef ValueId Write(Builder *b, ValueId x, AxisList axes);
typedef double Want(int c, int i);  // element i on device c

typedef struct Case {
  const char *name;
  Write *write;
  Want *want;
  int count;  // elements on each device
} Case;

typedef struct Run {
  Context *context;
  ShardingTable *table;
  Program *program;
  LiteralHeap heap;
  Arena arena;
  Diag diag;
  Source source;
  Builder b;
  AxisRef axis;
  ValueId x;
  OpId function;
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

// func.func @main(%x: tensor<2x4xelem>) on a mesh ["a"=4], not ended yet.
static void run_open(Run *r, Guard *guard, GuardCleanup *cleanup, DType dtype) {
  *r = (Run){.source = {.path = "<test>", .text = "", .size = 0}};
  *cleanup = (GuardCleanup){run_close, r, NULL};
  arena_init(&r->arena, guard);
  diag_init(&r->diag, guard, &r->source);
  literal_heap_init(&r->heap, guard, 0);
  guard_push(guard, cleanup);
  Context *c = r->context = context_new(guard);
  r->table = sharding_table_new(c, guard);
  const Mesh *mesh;
  Name axis = name_of(c, "a");
  assert_null(mesh_new(c, name_of(c, "m"), 1, &axis, &(int64_t){DEVICES}, 0, NULL, &mesh));
  Program *p = r->program = program_new(c, guard, NULL);
  OpId module = op_create(p, &(OpSpec){.code = OP_module, .n_regions = 1, .pos = POS_NONE});
  Type in = type_tensor(c, type_scalar(dtype), 2, (int64_t[]){ROWS, COLUMNS}, 0);
  Builder top = build_at_end(p, region_add_block(p, op_region(p, module, 0)));
  NamedAttr name = {name_of(c, "sym_name"), attr_string(c, name_of(c, "main"))};
  r->function = build_op_many(&top, OP_func_func, 0, NULL, 0, NULL, 1, attr_dict(c, 1, &name));
  r->b = build_at_end(p, region_add_block(p, op_region(p, r->function, 0)));
  r->x = block_add_arg(p, r->b.block, in, 0);
  r->b.table = r->table;
  r->b.mesh = sharding_mesh_add(r->table, mesh);
  r->b.arena = r->b.kept = &r->arena;
  r->axis = axis_full(mesh, 0);
}

static void run_end(Run *r, ValueId y) {
  Context *c = r->context;
  Type in = value_type(r->program, r->x), out = value_type(r->program, y);
  op_set_attr(r->program, r->function, "function_type",
              attr_type(c, type_function(c, 1, &in, 1, &out)));
  build_op_many(&r->b, OP_func_return, 1, &y, 0, NULL, 0, 0);
  if (!program_verify(r->program, &r->diag)) fail_msg("%s", status_message(diag_status(&r->diag)));
}

static void run_evaluate(Run *r, double in[DEVICES][ROWS * COLUMNS], Literal **out) {
  Literal *x[DEVICES];
  DType dtype = type_dtype(r->context, value_type(r->program, r->x));
  for (int c = 0; c < DEVICES; c++) {
    x[c] = literal_new(&r->heap, r->context, type_scalar(dtype), 2, (int64_t[]){ROWS, COLUMNS});
    for (int i = 0; i < ROWS * COLUMNS; i++) literal_set(x[c], i, scalar_f(in[c][i]));
  }
  EvalReport report;
  Status *status = evaluate(r->program, r->function, &(EvalOptions){.partitions = DEVICES},
                            &r->heap, &r->arena, DEVICES, x, DEVICES, out, &report);
  if (status) fail_msg("%s", status_message(status));
}

static double number(const Literal *v, int64_t i) {
  Scalar s = literal_get(v, i);
  return dtype_is_float(v->dtype)            ? s.f
         : dtype_kind(v->dtype) == KIND_UINT ? (double)s.u
                                             : (double)s.i;
}

// ---- one device ----

#define WRITE(name, expression)                                                                    \
  static ValueId write_##name(Builder *b, ValueId x, AxisList axes) {                              \
    (void)x, (void)axes;                                                                           \
    return expression;                                                                             \
  }
#define WANT(name, expression)                                                                     \
  static double want_##name(int c, int i) {                                                        \
    (void)c, (void)i;                                                                              \
    return expression;                                                                             \
  }
#define BUILDER(name, expression, want) WRITE(name, expression) WANT(name, want)

static Type type_of(Builder *b, ValueId v) { return value_type(b->p, v); }
static Type scalar_type(Builder *b) {
  return type_tensor(b->p->context, type_scalar(DT_f32), 0, NULL, 0);
}
static ValueId number_of(Builder *b, double x) {
  return build_splat(b, scalar_type(b), scalar_f(x));
}

BUILDER(index, build_index(b, 7), 7)
BUILDER(splat, build_splat(b, type_of(b, x), scalar_f(3)), 3)
BUILDER(identity, build_identity(b, type_of(b, x), COMBINE_MUL), 1)
BUILDER(table, build_table(b, 3, (int64_t[]){4, 9, 2}, build_index(b, 1)), 9)
BUILDER(unary, build_unary(b, OP_negate, x), -(10 * c + i))
BUILDER(binary, build_binary(b, OP_multiply, x, x), (10 * c + i) * (10 * c + i))
BUILDER(combine, build_combine(b, COMBINE_MAX, x, build_splat(b, type_of(b, x), scalar_f(5))),
        10 * c + i > 5 ? 10 * c + i : 5)
BUILDER(convert, build_convert(b, x, type_scalar(DT_i32)), 10 * c + i)
BUILDER(convert_same, build_convert(b, x, type_scalar(DT_f32)), 10 * c + i)
BUILDER(compare, build_compare(b, "LT", x, build_splat(b, type_of(b, x), scalar_f(12))),
        10 * c + i < 12)
BUILDER(select,
        build_select(b, build_compare(b, "LT", x, build_splat(b, type_of(b, x), scalar_f(12))), x,
                     build_splat(b, type_of(b, x), scalar_f(-1))),
        10 * c + i < 12 ? 10 * c + i : -1)
BUILDER(broadcast, build_broadcast(b, number_of(b, 2), type_of(b, x)), 2)
BUILDER(iota, build_iota(b, type_of(b, x), 1), i % 4)
BUILDER(reshape, build_reshape(b, x, 1, (int64_t[]){8}), 10 * c + i)
BUILDER(transpose, build_transpose(b, x, (int64_t[]){1, 0}), 10 * c + i / 2 + 4 * (i % 2))
BUILDER(broadcast_in,
        build_broadcast_in(b, x,
                           type_with_shape(b->p->context, type_of(b, x), 3, (int64_t[]){2, 3, 4}),
                           (int64_t[]){0, 2}),
        10 * c + i / 12 * 4 + i % 4)
BUILDER(slice_at, build_slice_at(b, x, (int64_t[]){1, 0}, (int64_t[]){2, 4}, (int64_t[]){1, 2}),
        10 * c + 4 + 2 * i)
BUILDER(dynamic_slice_at,
        build_dynamic_slice_at(b, x, (ValueId[]){build_index(b, 1), build_index(b, 9)},
                               (int64_t[]){1, 3}),
        10 * c + 5 + i)
BUILDER(dynamic_update_at,
        build_dynamic_update_at(b, x, build_slice(b, x, 1, 0, 1, 1),
                                (ValueId[]){build_index(b, 0), build_index(b, 3)}),
        10 * c + (i % 4 == 3 ? i - 3 : i))
BUILDER(pad, build_pad(b, x, 1, 1, -1, number_of(b, 8)), i % 4 ? 10 * c + i - 1 : 8)
BUILDER(pad_to, build_slice(b, build_pad_to(b, x, 1, 6), 1, 0, 4, 1), 10 * c + i)
BUILDER(trim_to, build_trim_to(b, x, 0, 1), 10 * c + i)
BUILDER(slice, build_slice(b, x, 1, 1, 4, 2), 10 * c + i / 2 * 4 + 1 + 2 * (i % 2))
BUILDER(dynamic_slice, build_dynamic_slice(b, x, 1, build_index(b, 2), 2),
        10 * c + i / 2 * 4 + 2 + i % 2)
BUILDER(dynamic_update,
        build_dynamic_update(b, x, build_slice(b, x, 0, 0, 1, 1), 0, build_index(b, 1)),
        10 * c + i % 4)
BUILDER(concatenate, build_concatenate(b, 2, (ValueId[]){x, x}, 0), 10 * c + i % 8)
BUILDER(mask, build_mask(b, x, 1, build_index(b, 1), build_index(b, 3), number_of(b, -2)),
        i % 4 == 1 || i % 4 == 2 ? 10 * c + i : -2)
BUILDER(reduce, build_reduce(b, x, 1, (int64_t[]){1}, COMBINE_SUM), 4 * (10 * c + 4 * i) + 6)
BUILDER(padding, build_padding(b, type_of(b, x)), 0)

// ---- the device's position ----

BUILDER(position, build_position(b), c)
BUILDER(coordinate, build_coordinate(b, axes), c)
BUILDER(first, build_unreduced(b, x, axes, COMBINE_SUM), c ? 0 : i)
BUILDER(mask_padding, build_mask_padding(b, x, 1, axes, 14, number_of(b, -3)),
        c == 3 && i % 4 > 1 ? -3 : 10 * c + i)

// ---- collectives ----

BUILDER(all_gather, build_all_gather(b, x, 0, axes), 10 * (i / 8) + i % 8)
BUILDER(all_to_all, build_all_to_all(b, x, 1, 0, axes), 10 * (i / 2) + c + 4 * (i % 2))
BUILDER(all_reduce, build_all_reduce(b, x, axes, COMBINE_SUM), 60 + 4 * i)
BUILDER(all_reduce_max, build_all_reduce(b, x, axes, COMBINE_MAX), 30 + i)
BUILDER(reduce_scatter, build_reduce_scatter(b, x, 1, axes, COMBINE_SUM), 60 + 4 * (4 * i + c))
BUILDER(permute, build_permute(b, x, 1, (const int64_t[][2]){{2, 1}}), c == 1 ? 20 + i : 0)
BUILDER(from, build_broadcast_from(b, x, 2), 20 + i)
BUILDER(shift, build_shift(b, x, axes, 1, false), c < 3 ? 10 * (c + 1) + i : 0)
BUILDER(shift_around, build_shift(b, x, axes, -1, true), 10 * ((c + 3) % 4) + i)
BUILDER(all_gather_in,
        build_all_gather_in(b, x, 0, 2,
                            build_groups_attr(b->p->context, 2, 2, (int64_t[]){0, 2, 1, 3})),
        10 * (c % 2 + 2 * (i / 8)) + i % 8)
BUILDER(permute_ids, build_permute_ids(b, x, 2, (const int64_t[][2]){{0, 3}, {3, 0}}),
        c == 3   ? i
        : c == 0 ? 30 + i
                 : 0)

#define CASE(name, count) {#name, write_##name, want_##name, count}
static const Case cases[] = {
    CASE(index, 1),
    CASE(splat, 8),
    CASE(identity, 8),
    CASE(table, 1),
    CASE(unary, 8),
    CASE(binary, 8),
    CASE(combine, 8),
    CASE(convert, 8),
    CASE(convert_same, 8),
    CASE(compare, 8),
    CASE(select, 8),
    CASE(broadcast, 8),
    CASE(iota, 8),
    CASE(reshape, 8),
    CASE(transpose, 8),
    CASE(broadcast_in, 24),
    CASE(slice_at, 2),
    CASE(dynamic_slice_at, 3),
    CASE(dynamic_update_at, 8),
    CASE(pad, 8),
    CASE(pad_to, 8),
    CASE(trim_to, 4),
    CASE(slice, 4),
    CASE(dynamic_slice, 4),
    CASE(dynamic_update, 8),
    CASE(concatenate, 16),
    CASE(mask, 8),
    CASE(reduce, 2),
    CASE(padding, 8),
    CASE(position, 1),
    CASE(coordinate, 1),
    CASE(first, 8),
    CASE(mask_padding, 8),
    CASE(all_gather, 32),
    CASE(all_to_all, 8),
    CASE(all_reduce, 8),
    CASE(all_reduce_max, 8),
    CASE(reduce_scatter, 2),
    CASE(permute, 8),
    CASE(from, 8),
    CASE(shift, 8),
    CASE(shift_around, 8),
    CASE(all_gather_in, 16),
    CASE(permute_ids, 8),
};

static Status *try_case(Guard *guard, void *arg) {
  const Case *k = arg;
  Run r;
  GuardCleanup cleanup;
  run_open(&r, guard, &cleanup, DT_f32);
  run_end(&r, k->write(&r.b, r.x, (AxisList){&r.axis, 1}));
  double in[DEVICES][ROWS * COLUMNS];
  for (int c = 0; c < DEVICES; c++)
    for (int i = 0; i < ROWS * COLUMNS; i++) in[c][i] = 10 * c + i;
  Literal *out[DEVICES];
  run_evaluate(&r, in, out);
  for (int c = 0; c < DEVICES; c++) {
    if (out[c]->count != k->count) fail_msg("%s: %d elements", k->name, (int)out[c]->count);
    for (int i = 0; i < k->count; i++)
      if (number(out[c], i) != k->want(c, i))
        fail_msg("%s: device %d has %g at %d, expected %g", k->name, c, number(out[c], i), i,
                 k->want(c, i));
  }
  guard_pop(guard, &cleanup);
  run_close(&r);
  return NULL;
}

static void test_each(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    assert_null(guard_run(try_case, (void *)&cases[i]));
}

// ---- sums of 16-bit floats ----

// 256 + 1 + 1 + 1 is 260 in bf16 if it is rounded once (259 is halfway, to even); if it is rounded
// after each addition it is 256 in a row and 258 in a tree.
static Status *try_sums(Guard *guard, void *arg) {
  bool scatters = *(bool *)arg;
  Run r;
  GuardCleanup cleanup;
  run_open(&r, guard, &cleanup, DT_bf16);
  AxisList axes = {&r.axis, 1};
  ValueId y = scatters ? build_reduce_scatter(&r.b, r.x, 1, axes, COMBINE_SUM)
                       : build_all_reduce(&r.b, r.x, axes, COMBINE_SUM);
  Program *p = r.program;
  OpId convert = value_def(p, y), sum = value_def(p, op_operand(p, convert, 0));
  assert_int_equal(op_at(p, convert)->code, OP_convert);
  assert_int_equal(type_dtype(r.context, op_operand_type(p, sum, 0)), DT_bf16);
  assert_int_equal(type_dtype(r.context, op_result_type(p, sum, 0)), DT_f32);
  assert_int_equal(op_combine(p, sum), COMBINE_SUM);
  run_end(&r, y);
  double in[DEVICES][ROWS * COLUMNS];
  for (int c = 0; c < DEVICES; c++)
    for (int i = 0; i < ROWS * COLUMNS; i++) in[c][i] = c ? 1 : 256;
  Literal *out[DEVICES];
  run_evaluate(&r, in, out);
  for (int c = 0; c < DEVICES; c++)
    for (int64_t i = 0; i < out[c]->count; i++) assert_true(number(out[c], i) == 260);
  guard_pop(guard, &cleanup);
  run_close(&r);
  return NULL;
}

static void test_sums_round_once(void **state) {
  (void)state;
  for (int i = 0; i < 2; i++) assert_null(guard_run(try_sums, &(bool){i}));
}

// Passes see one op; a maximum needs no wider type.
static Status *try_joined(Guard *guard, void *arg) {
  (void)arg;
  Run r;
  GuardCleanup cleanup;
  run_open(&r, guard, &cleanup, DT_f16);
  AxisList axes = {&r.axis, 1};
  ValueId most = build_all_reduce(&r.b, r.x, axes, COMBINE_MAX);
  assert_int_equal(op_at(r.program, value_def(r.program, most))->code, OP_all_reduce);
  r.b.joined = true;
  ValueId sum = build_all_reduce(&r.b, r.x, axes, COMBINE_SUM);
  assert_int_equal(op_at(r.program, value_def(r.program, sum))->code, OP_all_reduce);
  assert_int_equal(value_type(r.program, sum), value_type(r.program, r.x));
  run_end(&r, sum);
  guard_pop(guard, &cleanup);
  run_close(&r);
  return NULL;
}

static void test_joined_sums(void **state) {
  (void)state;
  assert_null(guard_run(try_joined, NULL));
}

// ---- location and origin ----

static Status *try_like(Guard *guard, void *arg) {
  (void)arg;
  Run r;
  GuardCleanup cleanup;
  run_open(&r, guard, &cleanup, DT_f32);
  Program *p = r.program;
  Context *c = r.context;
  r.b.channel = groups_channel_attr(c, 7);
  r.b.loc = attr_string(c, name_of(c, "here"));
  ValueId all = build_all_gather(&r.b, r.x, 0, (AxisList){&r.axis, 1});
  r.b.channel = r.b.loc = 0;
  ValueId negated = build_unary(&r.b, OP_negate, r.x);
  OpId model = value_def(p, all), last = value_def(p, negated);
  Builder like = build_like(p, last, model), before = build_before(p, last);
  OpId moved = value_def(p, build_permute_ids(&like, r.x, 1, (const int64_t[][2]){{0, 1}}));
  OpId other = value_def(p, build_unary(&before, OP_abs, r.x));
  assert_int_equal(op_at(p, moved)->next, other);
  assert_int_equal(op_at(p, other)->next, last);
  assert_int_equal(op_at(p, moved)->loc, op_at(p, model)->loc);
  assert_int_equal(op_at(p, moved)->origin, model);
  assert_int_equal(op_at(p, other)->loc, 0);
  assert_int_equal(op_at(p, other)->origin, last);
  assert_int_equal(groups_channel(c, op_at(p, moved)->attrs), 7);
  op_replace(p, other, r.x);
  assert_int_equal(op_at(p, moved)->next, last);
  guard_pop(guard, &cleanup);
  run_close(&r);
  return NULL;
}

static void test_ops_carry_the_model(void **state) {
  (void)state;
  assert_null(guard_run(try_like, NULL));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_each), cmocka_unit_test(test_sums_round_once),
      cmocka_unit_test(test_joined_sums), cmocka_unit_test(test_ops_carry_the_model)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
