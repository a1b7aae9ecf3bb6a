// Strategies: their number and content for the ops that matter, and the invariant: the partitioner
// obeys every strategy, and the result has the unsharded program's values. Random ops are drawn
// from their `sample` columns.
#include "plan/strategies.h"

#include "ops/infer.h"
#include "parse/print.h"
#include "plan/model_fixture.h"
#include "../tests/support/sample_program.h"

// ---- content ----

// A strategy as "i:x j: k:y carried:" with the factors' numbers.
static const char *words(const Modelled *m, uint32_t var, uint32_t k) {
  static char text[256];
  const StrategySet *set = modelled_set(m, var);
  const Mesh *mesh = sharding_mesh(m->session.table, m->session.mesh);
  size_t n = 0;
  text[0] = 0;
  if (!set->n) return text;
  for (uint32_t f = 0; f < set->map.n_factors; f++)
    for (uint32_t i = 0; i < set->items[k].axes[f].n; i++)
      n += (size_t)snprintf(text + n, sizeof text - n, "%s%u:%s", n ? " " : "", f,
                            axis_text(m->session.context, mesh, set->items[k].axes[f].v[i]));
  for (uint32_t i = 0; i < set->items[k].carried.n; i++)
    n += (size_t)snprintf(text + n, sizeof text - n, "%scarried %u:%s", n ? " " : "",
                          set->items[k].partial,
                          axis_text(m->session.context, mesh, set->items[k].carried.v[i]));
  return text;
}

// All strategies of an op, in short form, and nothing else.
static void expect(const Modelled *m, const char *op, const char *const *lines) {
  uint32_t var = modelled_var(m, op, 0), n = modelled_set(m, var)->n;
  char quoted[256];
  for (uint32_t k = 0; k < n; k++) {
    if (!lines[k]) fail_msg("%s: unexpected: %s", op, words(m, var, k));
    short_text(lines[k], NULL, quoted, sizeof quoted);
    if (strcmp(words(m, var, k), quoted) != 0)
      fail_msg("%s, strategy %u: %s instead of %s", op, k, words(m, var, k), quoted);
  }
  if (lines[n]) fail_msg("%s: missing: %s", op, lines[n]);
}

#define EXPECT_STRATEGIES(m, op, ...) expect(m, op, (const char *const[]){__VA_ARGS__, NULL})

static void check_dot(Modelled *m) {
  EXPECT_STRATEGIES(m, "stablehlo.dot_general", "", "0:'x'", "1:'x'", "2:'x'", "carried 1:'x'",
                    "carried 2:'x'");
  uint32_t var = modelled_var(m, "stablehlo.dot_general", 0);
  const StrategySet *set = modelled_set(m, var);
  assert_true(set->items[0].work == 1);
  for (uint32_t k = 1; k < 4; k++) assert_true(set->items[k].work == 0.5);
  assert_int_equal(modelled_in(m, var, 0, 0), 0);
  assert_int_equal(modelled_out(m, var, 0, 0), 0);
  assert_int_equal(modelled_in(m, var, 1, 1), 0);  // i: the right side is replicated
  assert_int_equal(modelled_in(m, var, 0, 2), 0);  // j: the left side is
  const ShardingInfo *sum = sharding_info(m->session.table, modelled_out(m, var, 0, 3));
  assert_int_equal(sum->unreduced.n, 1);
  assert_int_equal(sum->reducer, COMBINE_SUM);
}

static void test_dot(void **state) {
  (void)state;
  Modelled m = {.text = "func.func @main(%x: tensor<8x4xf32>, %w: tensor<4x6xf32>) -> "
                        "tensor<8x6xf32> {\n"
                        "  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : "
                        "(tensor<8x4xf32>, tensor<4x6xf32>) -> tensor<8x6xf32>\n"
                        "  return %0 : tensor<8x6xf32>\n}\n",
                .mesh = "x=2",
                .check = check_dot};
  modelled_run(&m);
}

// An axis goes to one factor: 4 x 4 pairs, and 5 x 5 - 4 x 4 that carry sums of either operand.
// Axes of one factor are in the mesh's order.
static void check_two_axes(Modelled *m) {
  uint32_t var = modelled_var(m, "stablehlo.dot_general", 0);
  assert_int_equal(modelled_set(m, var)->n, 34);
  bool both = false;
  for (uint32_t k = 0; k < 16; k++) both |= strcmp(words(m, var, k), "0:\"x\" 0:\"y\"") == 0;
  assert_true(both);
}

static void test_two_axes(void **state) {
  (void)state;
  Modelled m = {.text = "func.func @main(%x: tensor<8x4xf32>, %w: tensor<4x8xf32>) -> "
                        "tensor<8x8xf32> {\n"
                        "  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : "
                        "(tensor<8x4xf32>, tensor<4x8xf32>) -> tensor<8x8xf32>\n"
                        "  return %0 : tensor<8x8xf32>\n}\n",
                .mesh = "x=2,y=2",
                .check = check_two_axes};
  modelled_run(&m);
}

// Two partial sums may be added: bits 3. One alone may not: its devices would add the other often.
static void check_add(Modelled *m) {
  EXPECT_STRATEGIES(m, "stablehlo.add", "", "0:'x'", "1:'x'", "carried 3:'x'");
  uint32_t var = modelled_var(m, "stablehlo.add", 0);
  for (uint32_t i = 0; i < 2; i++) {
    const ShardingInfo *in = sharding_info(m->session.table, modelled_in(m, var, i, 3));
    assert_int_equal(in->unreduced.n, 1);
  }
  assert_int_equal(modelled_in(m, var, 0, 3), modelled_out(m, var, 0, 3));
  EXPECT_STRATEGIES(m, "stablehlo.multiply", "", "0:'x'", "1:'x'", "carried 1:'x'",
                    "carried 2:'x'");
  EXPECT_STRATEGIES(m, "stablehlo.tanh", "", "0:'x'", "1:'x'");
  EXPECT_STRATEGIES(m, "stablehlo.negate", "", "0:'x'", "1:'x'", "carried 1:'x'");
}

static void test_partial_sums(void **state) {
  (void)state;
  Modelled m = {.text = "func.func @main(%x: tensor<8x4xf32>, %y: tensor<8x4xf32>) -> "
                        "tensor<8x4xf32> {\n"
                        "  %0 = stablehlo.add %x, %y : tensor<8x4xf32>\n"
                        "  %1 = stablehlo.multiply %0, %y : tensor<8x4xf32>\n"
                        "  %2 = stablehlo.tanh %1 : tensor<8x4xf32>\n"
                        "  %3 = stablehlo.negate %2 : tensor<8x4xf32>\n"
                        "  return %3 : tensor<8x4xf32>\n}\n",
                .mesh = "x=2",
                .check = check_add};
  modelled_run(&m);
}

// Axes of size 1 and dimensions of size 1 split nothing.
static void check_ones(Modelled *m) {
  EXPECT_STRATEGIES(m, "stablehlo.tanh", "", "1:'y'");
  const Strategies *s = &m->model.strategies;
  Type type = function_argument_type(m->model.p, m->model.entry, 0);
  assert_int_equal(strategies_list(s, strategies_held((Strategies *)s, type)).n, 2);
}

static void test_ones(void **state) {
  (void)state;
  Modelled m = {.text = "func.func @main(%x: tensor<1x4xf32>) -> tensor<1x4xf32> {\n"
                        "  %0 = stablehlo.tanh %x : tensor<1x4xf32>\n"
                        "  return %0 : tensor<1x4xf32>\n}\n",
                .mesh = "x=1,y=2",
                .check = check_ones};
  modelled_run(&m);
}

// Few elements per device must divide evenly; many need not. Arguments always divide evenly.
static void check_uneven(Modelled *m) {
  EXPECT_STRATEGIES(m, "stablehlo.tanh", "", "1:'x'");
  uint32_t var = modelled_var(m, "stablehlo.tanh", 0);
  double work = modelled_set(m, var)->items[1].work;
  assert_true(work > 33.9 / 100 && work < 34.1 / 100);
  Strategies *s = &m->model.strategies;
  Type type = function_argument_type(m->model.p, m->model.entry, 0);
  assert_int_equal(strategies_list(s, strategies_held(s, type)).n, 1);
}

static void test_uneven(void **state) {
  (void)state;
  Modelled m = {.text = "func.func @main(%x: tensor<7x100xf32>) -> tensor<7x100xf32> {\n"
                        "  %0 = stablehlo.tanh %x : tensor<7x100xf32>\n"
                        "  return %0 : tensor<7x100xf32>\n}\n",
                .mesh = "x=3",
                .check = check_uneven};
  modelled_run(&m);
}

// A reshape splits the major factor of what it joins, and carries sums. A reduce over the split
// dimension gives a partial sum.
static void check_reduce(Modelled *m) {
  uint32_t reduce = modelled_var(m, "stablehlo.reduce", 0);
  bool partial = false;
  for (uint32_t k = 0; k < modelled_set(m, reduce)->n; k++) {
    Sharding out = modelled_out(m, reduce, 0, k);
    partial |= out && sharding_info(m->session.table, out)->unreduced.n &&
               !modelled_set(m, reduce)->items[k].carried.n;
  }
  assert_true(partial);
  uint32_t reshape = modelled_var(m, "stablehlo.reshape", 0);
  assert_true(modelled_set(m, reshape)->n >= 3);
  uint32_t maximum = modelled_var(m, "stablehlo.reduce", 1);
  for (uint32_t k = 0; k < modelled_set(m, maximum)->n; k++)
    assert_int_equal(modelled_set(m, maximum)->items[k].carried.n, 0);
}

static void test_reduce_and_reshape(void **state) {
  (void)state;
  Modelled m = {.text = "func.func @main(%x: tensor<8x4xf32>) -> (tensor<4x2xf32>, tensor<f32>) {\n"
                        "  %z = stablehlo.constant dense<0.0> : tensor<f32>\n"
                        "  %0 = stablehlo.reduce(%x init: %z) applies stablehlo.add across "
                        "dimensions = [1] : (tensor<8x4xf32>, tensor<f32>) -> tensor<8xf32>\n"
                        "  %1 = stablehlo.reshape %0 : (tensor<8xf32>) -> tensor<4x2xf32>\n"
                        "  %2 = stablehlo.reduce(%1 init: %z) applies stablehlo.maximum across "
                        "dimensions = [0, 1] : (tensor<4x2xf32>, tensor<f32>) -> tensor<f32>\n"
                        "  return %1, %2 : tensor<4x2xf32>, tensor<f32>\n}\n",
                .mesh = "x=2",
                .check = check_reduce};
  modelled_run(&m);
}

// Equal ops have one set. The limit keeps the replicated strategy and those with the least work.
static void check_limit(Modelled *m) {
  Model *model = &m->model;
  uint32_t a = modelled_var(m, "stablehlo.tanh", 0), b = modelled_var(m, "stablehlo.tanh", 1);
  assert_int_equal(model->vars.items[a].set, model->vars.items[b].set);
  Strategies few;
  Session *s = &m->session;
  strategies_init(&few, s->program, s->table, s->mesh, &model->network, m->guard);
  few.most = 5;
  uint32_t id = strategies_of_op(&few, model->vars.items[a].op);
  const StrategySet *set = &few.sets.items[id], *all = modelled_set(m, a);
  assert_int_equal(set->n, 5);
  assert_int_equal(set->cut, all->n - 5);
  assert_true(set->items[0].work == 1);
  for (uint32_t k = 1; k < set->n; k++) assert_true(set->items[k].work == 0.125);
  strategies_release(&few);
}

static void test_limit(void **state) {
  (void)state;
  Modelled m = {.text = "func.func @main(%x: tensor<8x8x8xf32>) -> tensor<8x8x8xf32> {\n"
                        "  %0 = stablehlo.tanh %x : tensor<8x8x8xf32>\n"
                        "  %1 = stablehlo.tanh %0 : tensor<8x8x8xf32>\n"
                        "  return %1 : tensor<8x8x8xf32>\n}\n",
                .mesh = "x=2,y=2,z=2",
                .check = check_limit};
  modelled_run(&m);
}

// ---- the invariant ----

static bool is_known(uint16_t code) {
  return code == OP_broadcast || code == OP_chlo_constant || code == OP_chlo_scan;
}

// Obeys each strategy of each op; all other variables keep their first one, which is replicated.
// Programs that cannot be partitioned at all, or cannot run, are left out.
static void check_obeyed(Modelled *m) {
  const Model *model = &m->model;
  uint32_t *choice = ARENA_ARRAY(&m->session.arena, uint32_t, model->vars.count + 1);
  uint32_t *tried = m->user;
  Tried first;
  modelled_try(m, choice, true, &first);
  if (first.refused && first.code != INVALID_ARGUMENT) return;
  for (uint32_t i = 0; i < model->vars.count; i++) {
    if (model->vars.items[i].kind != VAR_OP) continue;
    for (uint32_t k = 0; k < model->vars.items[i].n; k++) {
      choice[i] = k;
      Tried t;
      modelled_try(m, choice, true, &t);
      // Only the local program of these ops tells that their attributes are not localized.
      bool known = t.refused && strstr(t.why, "the op is not valid with these local types") &&
                   is_known(op_at(model->p, model->vars.items[i].op)->code);
      // 1 / 0 on one device and 0 / 0 on others (docs/partitioner.md, Infinities).
      bool infinite = !first.finite && strstr(words(m, i, k), "carried");
      if ((t.refused || !t.agrees) && !known && !infinite)
        fail_msg("%s, %s:\n%s\n%s", op_name(model->p, model->vars.items[i].op), words(m, i, k),
                 t.why, m->source.text);
      ++*tried;
    }
    choice[i] = 0;
  }
}

static const char *const obeyed[] = {
    // A convolution with a window: halos.
    "func.func @main(%x: tensor<2x8x8x4xf32>, %w: tensor<3x3x4x4xf32>) -> tensor<2x8x8x4xf32> {\n"
    "  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], "
    "window = {stride = [1, 1], pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, "
    "feature_group_count = 1 : i64} : (tensor<2x8x8x4xf32>, tensor<3x3x4x4xf32>) -> "
    "tensor<2x8x8x4xf32>\n"
    "  return %0 : tensor<2x8x8x4xf32>\n}\n",
    // Sums that add, then a scaled sum.
    "func.func @main(%x: tensor<8x4xf32>, %w: tensor<4x8xf32>, %y: tensor<8x8xf32>) -> "
    "tensor<64xf32> {\n"
    "  %z = stablehlo.constant dense<0.0> : tensor<f32>\n"
    "  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x4xf32>, "
    "tensor<4x8xf32>) -> tensor<8x8xf32>\n"
    "  %1 = stablehlo.add %0, %y : tensor<8x8xf32>\n"
    "  %2 = stablehlo.transpose %1, dims = [1, 0] : (tensor<8x8xf32>) -> tensor<8x8xf32>\n"
    "  %3 = stablehlo.reshape %2 : (tensor<8x8xf32>) -> tensor<64xf32>\n"
    "  %4 = stablehlo.reduce(%2 init: %z) applies stablehlo.add across dimensions = [0] : "
    "(tensor<8x8xf32>, tensor<f32>) -> tensor<8xf32>\n"
    "  %5 = stablehlo.broadcast_in_dim %4, dims = [1] : (tensor<8xf32>) -> tensor<8x8xf32>\n"
    "  %6 = stablehlo.reshape %5 : (tensor<8x8xf32>) -> tensor<64xf32>\n"
    "  %7 = stablehlo.subtract %3, %6 : tensor<64xf32>\n"
    "  return %7 : tensor<64xf32>\n}\n",
    // A scatter that adds, a gather, a concatenate, a pad and a slice.
    "func.func @main(%x: tensor<8x4xf32>, %i: tensor<4x1xi32>, %u: tensor<4x4xf32>) -> "
    "tensor<6x8xf32> {\n"
    "  %z = stablehlo.constant dense<0.0> : tensor<f32>\n"
    "  %0 = 'stablehlo.scatter'(%x, %i, %u) <{scatter_dimension_numbers = "
    "#stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], "
    "scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({\n"
    "  ^bb0(%a: tensor<f32>, %b: tensor<f32>):\n"
    "    %s = stablehlo.add %a, %b : tensor<f32>\n"
    "    stablehlo.return %s : tensor<f32>\n"
    "  }) : (tensor<8x4xf32>, tensor<4x1xi32>, tensor<4x4xf32>) -> tensor<8x4xf32>\n"
    "  %1 = 'stablehlo.gather'(%0, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], "
    "collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = "
    "array<i64: 1, 4>}> : (tensor<8x4xf32>, tensor<4x1xi32>) -> tensor<4x4xf32>\n"
    "  %2 = stablehlo.concatenate %1, %u, dim = 1 : (tensor<4x4xf32>, tensor<4x4xf32>) -> "
    "tensor<4x8xf32>\n"
    "  %3 = stablehlo.pad %2, %z, low = [1, 0], high = [1, 0], interior = [0, 0] : "
    "(tensor<4x8xf32>, tensor<f32>) -> tensor<6x8xf32>\n"
    "  return %3 : tensor<6x8xf32>\n}\n",
};

static void test_obeyed(void **state) {
  (void)state;
  uint32_t tried = 0;
  for (uint32_t i = 0; i < sizeof obeyed / sizeof *obeyed; i++) {
    Modelled m = {.text = obeyed[i], .mesh = "x=2,y=2", .check = check_obeyed, .user = &tried};
    modelled_run(&m);
  }
  printf("%u strategies obeyed\n", tried);
}

// Programs of one op, printed: a constant or argument per operand.
typedef struct Sampled {
  uint16_t code;
  uint64_t seed;
  Context *context;
  Program *program;
  Arena arena;
  Diag diag;
  Source source;
  StrBuf text;
  bool valid;
} Sampled;

static Status *sample_body(Guard *guard, void *arg) {
  Sampled *x = arg;
  arena_init(&x->arena, guard);
  strbuf_init(&x->text, guard);
  diag_init(&x->diag, guard, &x->source);
  x->context = context_new(guard);
  sample_program(x->context, guard, &x->arena, x->code, x->seed, &x->program);
  x->valid = program_verify(x->program, &x->diag);
  program_print(x->program, &(PrintOptions){0}, &x->text);
  return NULL;
}

static void close_sample(Sampled *x) {
  program_free(x->program);
  strbuf_deinit(&x->text);
  diag_deinit(&x->diag);
  arena_deinit(&x->arena);
  context_free(x->context);
}

// f8E8M0FNU has no zero, so it has no partial sums.
static void check_no_zero(Modelled *m) { EXPECT_STRATEGIES(m, "stablehlo.negate", "", "0:'x'"); }

static void test_no_zero(void **state) {
  (void)state;
  Modelled m = {.text = "func.func @main(%x: tensor<4xf8E8M0FNU>) -> tensor<4xf8E8M0FNU> {\n"
                        "  %0 = stablehlo.negate %x : tensor<4xf8E8M0FNU>\n"
                        "  return %0 : tensor<4xf8E8M0FNU>\n}\n",
                .mesh = "x=2",
                .check = check_no_zero};
  modelled_run(&m);
}

static void test_random_ops(void **state) {
  (void)state;
  static const char *const meshes[] = {"x=2,y=2", "x=2", "x=3"};
  uint32_t tried = 0, ops = 0;
  for (uint16_t code = OP_UNREGISTERED + 1; code < OP_COUNT; code++) {
    const OpDef *def = op_row(code)->def;
    if (!def || !def->sample) continue;
    for (uint64_t seed = 1; seed <= 6; seed++) {
      Sampled x = {.code = code, .seed = seed * 7919 + code, .source = {.path = "sample"}};
      assert_null(guard_run(sample_body, &x));
      Modelled m = {.text = x.text.data,
                    .plain = true,
                    .mesh = meshes[seed % 3],
                    .check = check_obeyed,
                    .user = &tried};
      if (x.valid) modelled_run(&m), ops++;
      close_sample(&x);
    }
  }
  printf("%u ops, %u strategies obeyed\n", ops, tried);
}

// ---- carries, strides, sub-axes ----

// A list of shardings, one per line.
static void print_list(const Modelled *m, ListId list, char *out, size_t size) {
  ShardingList all = strategies_list(&m->model.strategies, list);
  StrBuf text;
  strbuf_init(&text, m->guard);
  for (uint32_t i = 0; i < all.n; i++) {
    sharding_print(m->session.table, all.v[i], &text);
    strbuf_putc(&text, '\n');
  }
  snprintf(out, size, "%.*s", (int)text.used, text.data);
  strbuf_deinit(&text);
}

// Carry 1 is added to, carry 2 is multiplied with itself, carry 3 stays as it is.
static void check_carries(Modelled *m) {
  uint32_t sums[4] = {0};
  bool seen[4] = {false};
  for (uint32_t v = 0; v < m->model.vars.count; v++) {
    const ModelVar *var = &m->model.vars.items[v];
    if (var->kind != VAR_BORDER) continue;
    seen[var->index] = true;
    for (uint32_t k = 0; k < var->n; k++)
      sums[var->index] +=
          sharding_info(m->session.table, model_sharding(&m->model, v, k))->unreduced.n > 0;
    // An invariant has its shardings twice: in the buffer of the argument, and in its own.
    assert_int_equal(var->n_shared, var->index == 3 ? 3 : 0);
    for (uint32_t k = 0; k < var->n_shared; k++) {
      assert_int_equal(model_sharding(&m->model, v, k),
                       model_sharding(&m->model, v, var->n_shared + k));
      assert_int_equal(var->bytes[k], 0);
      assert_true(var->bytes[var->n_shared + k] > 0);
    }
  }
  for (uint32_t i = 0; i < 4; i++) assert_true(seen[i]);
  assert_int_equal(sums[0], 0);  // a scalar
  assert_int_equal(sums[1], 1);
  assert_int_equal(sums[2], 0);
  assert_int_equal(sums[3], 0);
}

static void test_carries(void **state) {
  (void)state;
  Modelled m = {
      .text = "func.func @main(%x: tensor<8x4xf32>, %w: tensor<8x4xf32>) -> (tensor<8x4xf32>, "
              "tensor<8x4xf32>) {\n"
              "  %i0 = stablehlo.constant dense<0> : tensor<i32>\n"
              "  %z = stablehlo.constant dense<0.0> : tensor<8x4xf32>\n"
              "  %r:4 = stablehlo.while(%i = %i0, %a = %z, %b = %x, %c = %w) : tensor<i32>, "
              "tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>\n"
              "  cond {\n"
              "    %n = stablehlo.constant dense<4> : tensor<i32>\n"
              "    %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
              "    stablehlo.return %p : tensor<i1>\n"
              "  } do {\n"
              "    %one = stablehlo.constant dense<1> : tensor<i32>\n"
              "    %next = stablehlo.add %i, %one : tensor<i32>\n"
              "    %a1 = stablehlo.add %a, %c : tensor<8x4xf32>\n"
              "    %b1 = stablehlo.multiply %b, %b : tensor<8x4xf32>\n"
              "    stablehlo.return %next, %a1, %b1, %c : tensor<i32>, tensor<8x4xf32>, "
              "tensor<8x4xf32>, tensor<8x4xf32>\n"
              "  }\n"
              "  return %r#1, %r#2 : tensor<8x4xf32>, tensor<8x4xf32>\n}\n",
      .mesh = "x=2",
      .check = check_carries};
  modelled_run(&m);
}

// The reshape merges 2 x 8. tanh of the 16 may be strided as the reshape makes it; a sort of it may
// not, as its dimension is not split at all.
static void check_strided(Modelled *m) {
  uint32_t reshape = modelled_var(m, "stablehlo.reshape", 0),
           tanh = modelled_var(m, "stablehlo.tanh", 0), n = 0;
  const StrategySet *set = modelled_set(m, tanh);
  for (uint32_t k = 0; k < set->n; k++) {
    if (!set->items[k].strides) continue;
    n++;
    assert_int_equal(set->items[k].strides[0].size, 2);
    assert_int_equal(set->items[k].strides[1].size, 8);
    bool made = false;  // without a reshard
    for (uint32_t j = 0; j < modelled_set(m, reshape)->n; j++)
      made |= modelled_set(m, reshape)->items[j].strided &&
              modelled_out(m, reshape, 0, j) == modelled_in(m, tanh, 0, k);
    assert_true(made);
  }
  assert_int_equal(n, 1);
  uint32_t sort = modelled_var(m, "stablehlo.sort", 0);
  for (uint32_t k = 0; k < modelled_set(m, sort)->n; k++)
    assert_null(modelled_set(m, sort)->items[k].strides);
  // Arguments and results are blocks.
  for (uint32_t v = 0; v < m->model.vars.count; v++)
    for (uint32_t k = 0;
         m->model.vars.items[v].kind == VAR_ARGUMENT && k < m->model.vars.items[v].n; k++)
      assert_true(sharding_is_block(m->session.table, model_sharding(&m->model, v, k)));
}

static void test_strided(void **state) {
  (void)state;
  Modelled m = {.text = "func.func @main(%x: tensor<2x8xf32>) -> tensor<16xf32> {\n"
                        "  %0 = stablehlo.reshape %x : (tensor<2x8xf32>) -> tensor<16xf32>\n"
                        "  %1 = stablehlo.tanh %0 : tensor<16xf32>\n"
                        "  %2 = 'stablehlo.sort'(%1) <{dimension = 0 : i64}> ({\n"
                        "  ^bb0(%a: tensor<f32>, %b: tensor<f32>):\n"
                        "    %c = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> "
                        "tensor<i1>\n"
                        "    stablehlo.return %c : tensor<i1>\n"
                        "  }) : (tensor<16xf32>) -> tensor<16xf32>\n"
                        "  return %2 : tensor<16xf32>\n}\n",
                .mesh = "x=4",
                .check = check_strided};
  modelled_run(&m);
}

// An axis of 8 for sizes of 2 and 4; with -O1, and for a size of 8, it stays whole.
static void check_sub_axes(Modelled *m) {
  char text[4096];
  Type type = function_argument_type(m->model.p, m->model.entry, 0),
       even = function_argument_type(m->model.p, m->model.entry, 1);
  print_list(m, strategies_held(&m->model.strategies, type), text, sizeof text);
  bool both = strstr(text, "[{\"x\":(1)2}, {\"x\":(2)4}]") != NULL;
  assert_int_equal(both, m->level > 1);
  print_list(m, strategies_held(&m->model.strategies, even), text, sizeof text);
  assert_null(strstr(text, "x\":("));
}

static void test_sub_axes(void **state) {
  (void)state;
  for (uint32_t level = 1; level <= 2; level++) {
    Modelled m = {.text = "func.func @main(%x: tensor<2x4xf32>, %y: tensor<8x8xf32>) -> "
                          "tensor<2x4xf32> {\n"
                          "  %0 = stablehlo.tanh %x : tensor<2x4xf32>\n"
                          "  return %0 : tensor<2x4xf32>\n}\n",
                  .mesh = "x=8",
                  .level = level,
                  .check = check_sub_axes};
    modelled_run(&m);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_dot),          cmocka_unit_test(test_two_axes),
      cmocka_unit_test(test_partial_sums), cmocka_unit_test(test_ones),
      cmocka_unit_test(test_uneven),       cmocka_unit_test(test_reduce_and_reshape),
      cmocka_unit_test(test_limit),        cmocka_unit_test(test_obeyed),
      cmocka_unit_test(test_no_zero),      cmocka_unit_test(test_random_ops),
      cmocka_unit_test(test_carries),      cmocka_unit_test(test_strided),
      cmocka_unit_test(test_sub_axes)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
