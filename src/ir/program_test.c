// Programs: tables stay consistent under random edits, clones, outlining, inlining and compaction,
// and these do not change the structural hash.
#include "ir/program.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/mem.h"

// ir/ does not interpret codes: any numbers will do.
enum { MODULE = 2, FUNC = 3, RETURN = 4, CALL = 5, LEAF = 6, REGION_OP = 7 };

typedef struct World {
  Guard *guard;
  Context *context;
  Program *p;
  BlockId module;
  uint64_t state;
} World;

static uint32_t draw(World *w, uint32_t below) {
  w->state = w->state * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(w->state >> 33) % below;
}

static OpId make(World *w, uint16_t code, uint32_t n, const ValueId *operands, uint32_t n_results,
                 uint32_t n_regions) {
  Type types[4] = {DT_f32, DT_f32, DT_f32, DT_f32};
  return op_create(w->p, &(OpSpec){.code = code,
                                   .n_operands = n,
                                   .operands = operands,
                                   .n_results = n_results,
                                   .result_types = types,
                                   .n_regions = n_regions,
                                   .pos = POS_NONE});
}

static void world_init(World *w, Guard *guard, uint64_t seed) {
  *w = (World){.guard = guard, .context = context_new(guard), .state = seed};
  w->p = program_new(w->context, guard, NULL);
  OpId module = make(w, MODULE, 0, NULL, 0, 1);
  w->module = region_add_block(w->p, op_region(w->p, module, 0));
}

static void world_deinit(World *w) {
  program_free(w->p);
  context_free(w->context);
}

// A function with n random ops, some with a region whose ops use values from outside.
static OpId random_function(World *w, uint32_t n) {
  OpId func = make(w, FUNC, 0, NULL, 0, 1);
  op_append(w->p, w->module, func);
  BlockId body = region_add_block(w->p, op_region(w->p, func, 0));
  ValueId known[512];
  uint32_t count = 0;
  for (uint32_t i = 0; i < 2; i++) known[count++] = block_add_arg(w->p, body, DT_f32, 0);
  for (uint32_t i = 0; i < n; i++) {
    ValueId operands[2] = {known[draw(w, count)], known[draw(w, count)]};
    bool nested = draw(w, 4) == 0;
    OpId op = make(w, nested ? REGION_OP : LEAF, 2, operands, 1, nested);
    op_append(w->p, body, op);
    if (nested) {
      BlockId inner = region_add_block(w->p, op_region(w->p, op, 0));
      ValueId arg = block_add_arg(w->p, inner, DT_f32, 0);
      ValueId inside[2] = {arg, known[draw(w, count)]};
      OpId leaf = make(w, LEAF, 2, inside, 1, 0);
      op_append(w->p, inner, leaf);
      ValueId result = op_result(w->p, leaf, 0);
      op_append(w->p, inner, make(w, RETURN, 1, &result, 0, 0));
    }
    known[count++] = op_result(w->p, op, 0);
  }
  op_append(w->p, body, make(w, RETURN, 1, &known[count - 1], 0, 0));
  return func;
}

static Status *edits(Guard *guard, void *arg) {
  (void)arg;
  for (uint64_t seed = 0; seed < 200; seed++) {
    World w;
    world_init(&w, guard, seed);
    OpId func = random_function(&w, 20 + draw(&w, 40));
    assert_null(program_check(w.p));
    // A clone is equal and independent.
    ValueId *values = calloc(w.p->values.count, sizeof *values);
    OpId copy = op_clone(w.p, func, values, w.p->values.count);
    free(values);
    op_append(w.p, w.module, copy);
    assert_null(program_check(w.p));
    assert_true(op_hash(w.p, func) == op_hash(w.p, copy));
    // Outlining and inlining again gives the same function.
    BlockId body = region_block(w.p, op_region(w.p, func, 0));
    OpId first = block_at(w.p, body)->first;
    for (uint32_t skip = draw(&w, 8); skip; skip--) first = op_at(w.p, first)->next;
    OpId last = first;
    for (uint32_t more = draw(&w, 8); more; more--) last = op_at(w.p, last)->next;
    OpSpec f = {.code = FUNC, .pos = POS_NONE}, r = {.code = RETURN, .pos = POS_NONE};
    OpSpec c = {.code = CALL, .pos = POS_NONE};
    uint64_t before = op_hash(w.p, func);
    OpId call = program_outline(w.p, first, last, w.module, &f, &r, &c);
    assert_null(program_check(w.p));
    assert_true(before != op_hash(w.p, func));
    program_inline(w.p, call, block_at(w.p, w.module)->last);
    assert_null(program_check(w.p));
    assert_true(before == op_hash(w.p, func));
    op_erase(w.p, block_at(w.p, w.module)->last);
    // Compaction drops dead entries, keeps the hash, and side tables follow.
    uint64_t whole = program_hash(w.p);
    Arena arena;
    arena_init(&arena, guard);
    uint32_t *side = calloc(w.p->ops.count, sizeof *side);
    for (uint32_t i = 0; i < w.p->ops.count; i++) side[i] = op_at(w.p, i)->n_operands;
    Remap m;
    program_compact(w.p, &arena, &m);
    uint32_t *moved = calloc(w.p->ops.count, sizeof *moved);
    remap_table(m.ops, m.n_ops, side, moved, sizeof *side);
    for (uint32_t i = 1; i < w.p->ops.count; i++) {
      assert_true(op_at(w.p, i)->code != 0);
      assert_int_equal(moved[i], op_at(w.p, i)->n_operands);
    }
    assert_null(program_check(w.p));
    assert_true(whole == program_hash(w.p));
    free(side);
    free(moved);
    arena_deinit(&arena);
    world_deinit(&w);
  }
  return NULL;
}

static void test_edits(void **state) {
  (void)state;
  assert_null(guard_run(edits, NULL));
}

static Status *uses(Guard *guard, void *arg) {
  (void)arg;
  World w;
  world_init(&w, guard, 1);
  OpId a = make(&w, LEAF, 0, NULL, 1, 0), b = make(&w, LEAF, 0, NULL, 1, 0);
  ValueId va = op_result(w.p, a, 0), vb = op_result(w.p, b, 0);
  ValueId both[3] = {va, va, vb};
  OpId user = make(&w, LEAF, 3, both, 1, 0);
  op_append(w.p, w.module, b);
  op_insert_before(w.p, a, b);
  op_insert_after(w.p, user, b);
  assert_int_equal(value_count_uses(w.p, va), 2);
  value_replace_uses(w.p, va, vb);
  assert_int_equal(value_count_uses(w.p, va), 0);
  assert_int_equal(value_count_uses(w.p, vb), 3);
  assert_null(program_check(w.p));
  op_erase(w.p, a);
  assert_int_equal(block_at(w.p, w.module)->first, b);
  op_set_attr(w.p, b, "k", attr_i64(w.context, 3));
  assert_int_equal(attr_as_int(w.context, op_attr(w.p, b, "k"), 0), 3);
  op_set_attr(w.p, b, "k", 0);
  assert_int_equal(op_at(w.p, b)->attrs, 0);
  // Arguments added after other values move all arguments together.
  OpId func = make(&w, FUNC, 0, NULL, 0, 1);
  BlockId body = region_add_block(w.p, op_region(w.p, func, 0));
  ValueId x = block_add_arg(w.p, body, DT_f32, 0);
  OpId use = make(&w, LEAF, 1, &x, 1, 0);
  op_append(w.p, body, use);
  op_append(w.p, w.module, func);
  block_add_arg(w.p, body, DT_i32, 0);
  assert_int_equal(op_operand(w.p, use, 0), block_arg(w.p, body, 0));
  assert_null(program_check(w.p));
  world_deinit(&w);
  return NULL;
}

static void test_uses(void **state) {
  (void)state;
  assert_null(guard_run(uses, NULL));
}

static void count(void *user, OpId op) { *(OpId *)user += op; }

static Status *symbols(Guard *guard, void *arg) {
  (void)arg;
  World w;
  world_init(&w, guard, 1);
  OpId f = make(&w, FUNC, 0, NULL, 0, 1);
  op_append(w.p, w.module, f);
  op_set_attr(w.p, f, "sym_name", attr_string(w.context, name_of(w.context, "f")));
  SymbolTable table;
  symbols_init(&table, w.p, w.p->root, guard);
  assert_int_equal(symbols_find(&table, name_of(w.context, "f")), f);
  assert_int_equal(symbols_find(&table, name_of(w.context, "g")), 0);
  Attr at_f = attr_symbol(w.context, name_of(w.context, "f"));
  Attr items[] = {at_f, attr_symbol(w.context, name_of(w.context, "g")), at_f};
  NamedAttr field = {name_of(w.context, "others"), attr_array(w.context, 3, items)};
  OpId sum = 0;
  symbols_each(&table, attr_dict(w.context, 1, &field), count, &sum);
  assert_int_equal(sum, 2 * f);
  assert_false(symbol_is_private(w.p, f));
  op_set_attr(w.p, f, "sym_visibility", attr_string(w.context, name_of(w.context, "private")));
  assert_true(symbol_is_private(w.p, f));
  symbols_deinit(&table);
  world_deinit(&w);
  return NULL;
}

static void test_symbols(void **state) {
  (void)state;
  assert_null(guard_run(symbols, NULL));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_edits),
      cmocka_unit_test(test_uses),
      cmocka_unit_test(test_symbols),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
