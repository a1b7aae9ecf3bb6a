// Clones keep every id, name and location, and share nothing that an edit could change.
#include "ir/clone.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"

// ir/ does not interpret codes: any numbers will do.
enum { MODULE = 2, FUNC = 3, RETURN = 4, LEAF = 6 };

static const uint8_t blob[] = {1, 2, 3};
static const Source source = {.path = "text", .text = "text", .size = 4};

typedef struct Made {
  Context *context, *other;
  Program *p, *q;
} Made;

static void release(void *object) {
  Made *made = object;
  program_free(made->p);
  program_free(made->q);
  context_free(made->context);
  context_free(made->other);
  *made = (Made){0};
}

static OpId make(Program *p, uint16_t code, uint32_t n, const ValueId *operands, uint32_t n_results,
                 uint32_t n_regions) {
  Type type = DT_f32;
  return op_create(p, &(OpSpec){.code = code,
                                .n_operands = n,
                                .operands = operands,
                                .n_results = n_results,
                                .result_types = &type,
                                .n_regions = n_regions,
                                .loc = attr_string(p->context, name_of(p->context, "here")),
                                .pos = 3});
}

// A function with a named argument, an op, a dead op, and a resource.
static void build(Made *made, Guard *guard) {
  made->context = context_new(guard);
  Program *p = made->p = program_new(made->context, guard, &source);
  OpId module = make(p, MODULE, 0, NULL, 0, 1);
  BlockId top = region_add_block(p, op_region(p, module, 0));
  OpId func = make(p, FUNC, 0, NULL, 0, 1);
  op_append(p, top, func);
  BlockId body = region_add_block(p, op_region(p, func, 0));
  ValueId x = block_add_arg(p, body, DT_f32, name_of(made->context, "x"));
  OpId dead = make(p, LEAF, 1, &x, 1, 0), leaf = make(p, LEAF, 1, &x, 1, 0);
  op_append(p, body, dead);
  op_append(p, body, leaf);
  ValueId result = op_result(p, leaf, 0);
  op_append(p, body, make(p, RETURN, 1, &result, 0, 0));
  op_erase(p, dead);
  Resource resource = {.key = name_of(made->context, "blob"), .bytes = sizeof blob};
  resource.data = arena_copy(context_arena(made->context), blob, sizeof blob);
  HEAPVEC_PUSH(guard, &p->resources, resource);
  p->trip_count = 7;
}

static void expect_same(const Program *p, const Program *q) {
  assert_null(program_check(q));
  assert_int_equal(p->ops.count, q->ops.count);
  assert_int_equal(p->values.count, q->values.count);
  assert_int_equal(p->operands.count, q->operands.count);
  assert_memory_equal(p->ops.items, q->ops.items, p->ops.count * sizeof *p->ops.items);
  assert_memory_equal(p->values.items, q->values.items, p->values.count * sizeof *p->values.items);
  assert_memory_equal(p->operands.items, q->operands.items,
                      p->operands.count * sizeof *p->operands.items);
  assert_int_equal(p->root, q->root);
  assert_int_equal(p->n_dead, q->n_dead);
  assert_int_equal(p->trip_count, q->trip_count);
  assert_ptr_equal(p->source, q->source);
  assert_true(program_hash(p) == program_hash(q));
  for (ValueId v = 1; v < p->values.count; v++)
    assert_string_equal(name_text(p->context, value_at(p, v)->name),
                        name_text(q->context, value_at(q, v)->name));
}

typedef struct Way {
  bool other;  // in a context of its own
  bool edit;   // edit the copy, and check that the original is unchanged
  bool view;   // … that shares the records of the original
} Way;

static Status *clone_it(Guard *guard, void *arg) {
  const Way *way = arg;
  Made made = {0};
  GuardCleanup cleanup = {release, &made, NULL};
  guard_push(guard, &cleanup);
  build(&made, guard);
  if (way->other)
    made.other = way->view ? context_view(made.context, guard) : context_copy(made.context, guard);
  made.q = program_clone(made.p, way->other ? made.other : made.context, guard);
  expect_same(made.p, made.q);
  const Resource *resource = &made.q->resources.items[0];
  assert_memory_equal(resource->data, blob, sizeof blob);
  assert_true((resource->data == made.p->resources.items[0].data) == !way->other);
  if (way->edit) {
    uint64_t hash = program_hash(made.p);
    for (OpId op = 1; op < made.q->ops.count; op++)
      if (op_at(made.q, op)->code == LEAF)
        op_set_attr(made.q, op, "a", attr_bool(made.q->context, true));
    assert_false(program_hash(made.q) == hash);
    assert_true(program_hash(made.p) == hash);
    if (way->view) {  // both grow on their own
      Name old = name_of(made.context, "only in the original");
      Name new = name_of(made.other, "only in the view"), x = value_at(made.q, 1)->name;
      assert_string_equal(name_text(made.other, new), "only in the view");
      assert_string_equal(name_text(made.context, old), "only in the original");
      assert_int_equal(name_of(made.other, name_text(made.context, x)), x);
    } else if (way->other) {  // free the original first
      program_free(made.p), context_free(made.context);
      made.p = NULL, made.context = NULL;
      assert_null(program_check(made.q));
      assert_string_equal(name_text(made.other, value_at(made.q, 1)->name), "x");
    }
  }
  guard_pop(guard, &cleanup);
  release(&made);
  return NULL;
}

static void test_clone(void **state) {
  (void)state;
  for (int k = 0; k < 4; k++) assert_null(guard_run(clone_it, &(Way){k & 1, k >> 1, false}));
  for (int k = 0; k < 2; k++) assert_null(guard_run(clone_it, &(Way){true, k, true}));
}

static void fail_all(Way way) {
  mem_fail_at(0);
  assert_null(guard_run(clone_it, &way));
  uint64_t made = mem_fail_at(0);
  for (uint64_t k = 1; k <= made; k++) {
    mem_fail_at(k);
    Status *status = guard_run(clone_it, &way);
    mem_fail_at(0);
    assert_int_equal(status_code(status), RESOURCE_EXHAUSTED);
    status_free(status);
  }
}

static void test_no_memory(void **state) {
  (void)state;
  fail_all((Way){.other = true, .edit = true});
  fail_all((Way){.other = true, .edit = true, .view = true});
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_clone),
                                     cmocka_unit_test(test_no_memory)};
  return cmocka_run_group_tests_name("clone", tests, NULL, NULL);
}
