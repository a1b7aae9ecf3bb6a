// Random local programs (tests/support/random_local.h) before and after each pass, and after all of
// them, on every device: integers are equal bit by bit, floats up to the order of sums. Programs of
// 16-bit floats are optimized as such and run, before and after, with f32 instead: the comparison
// then does not depend on the rounding.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/sanitize.h"
#include "evaluate/evaluate.h"
#include "ops/infer.h"
#include "optimize/optimize.h"
#include "parse/parse.h"
#include "parse/print.h"

#include "../../tests/support/random_local.h"

enum { PROGRAMS = SANITIZED ? 28 : 120 };

typedef struct Case {
  uint64_t seed;
  const char *passes;  // NULL = all
  const char *elem;    // of values, bf16 or f16; NULL = i32 or f32
  const char *collectives;
  RandomLocal random;
  Context *context;
  ShardingTable *table;
  Program *before, *after;
  LiteralHeap heap;
  Arena arena;
  Diag diag;
  Source source;
  StrBuf text, printed;
  OptimizeStats stats;
  uint32_t n_devices, given, left;
  bool only_rewrite;  // it is not run
  uint64_t fail_at;   // the allocation that fails; 0 = none
} Case;

static void close_case(void *object) {
  Case *c = object;
  program_free(c->before);
  program_free(c->after);
  strbuf_deinit(&c->text);
  strbuf_deinit(&c->printed);
  sharding_table_free(c->table);
  literal_heap_deinit(&c->heap);
  diag_deinit(&c->diag);
  arena_deinit(&c->arena);
  context_free(c->context);
}

static Status *read_text(Case *c, Guard *guard, Program **out) {
  TRY(program_parse(c->context, guard, &c->source, 0, c->source.size, &(ParseOptions){0}, &c->diag,
                    out));
  if (!program_verify(*out, &c->diag)) return diag_status(&c->diag);
  return NULL;
}

// The shard of an argument on a device: it depends on the device's coordinates along the axes that
// shard the argument.
static Literal *argument(Case *c, Type type, uint32_t i, uint32_t device) {
  uint32_t axes = c->random.arg_axes[i], b = c->random.b, position = 0;
  while (c->random.order[position] != device) position++;
  uint32_t place = (axes & 1 ? position / b : 0) * b + (axes & 2 ? position % b : 0);
  Dice dice = dice_new(c->seed + 977 * i + 31 * place);
  Literal *l = literal_new_typed(&c->heap, c->context, type);
  for (int64_t k = 0; k < l->count; k++) {
    int64_t x = (int64_t)dice_roll(&dice, 7) - 3;
    literal_set(l, k, dtype_is_float(l->dtype) ? scalar_f((double)x) : scalar_i(x));
  }
  return l;
}

static Status *run(Case *c, Program *p, uint32_t *out_n, Literal ***out) {
  OpId entry;
  EvalReport report;
  TRY(evaluate_entry(p, NULL, &entry));
  uint32_t n_args = evaluate_n_arguments(p, entry), n_results = evaluate_n_results(p, entry);
  uint32_t n = c->n_devices;
  Literal **args = ARENA_ARRAY(&c->arena, Literal *, n * n_args);
  *out = ARENA_ARRAY(&c->arena, Literal *, n * n_results);
  for (uint32_t k = 0; k < n; k++)
    for (uint32_t i = 0; i < n_args; i++)
      args[k * n_args + i] = argument(c, evaluate_argument_type(p, entry, i), i, k);
  EvalOptions options = {.partitions = n, .most_steps = 10000000};
  *out_n = n * n_results;
  return evaluate(p, entry, &options, &c->heap, &c->arena, n * n_args, args, n * n_results, *out,
                  &report);
}

static bool same(const Literal *a, const Literal *b) {
  for (int64_t i = 0; i < a->count; i++) {
    Scalar x = literal_get(a, i), y = literal_get(b, i);
    if (!dtype_is_float(a->dtype)) {
      if (x.i != y.i) return false;
    } else if (!(fabs(x.f - y.f) <= 1e-4 * (1 + fabs(x.f))) && x.f != y.f &&
               !(isnan(x.f) && isnan(y.f))) {
      return false;
    }
  }
  return literal_same_shape(a, b);
}

// Replaces bf16 and f16 by f32 in the text.
static void drop_rounding(StrBuf *text) {
  for (char *at = text->data; (at = strstr(at, "bf16")) != NULL;) memcpy(at, " f32", 4);
  for (char *at = text->data; (at = strstr(at, "f16")) != NULL;) memcpy(at, "f32", 3);
}

// Both programs with f32 instead of 16-bit floats.
static Status *read_wide(Case *c, Guard *guard) {
  program_free(c->before);
  program_free(c->after);
  c->before = c->after = NULL;
  drop_rounding(&c->text);
  drop_rounding(&c->printed);
  TRY(read_text(c, guard, &c->before));
  c->source = (Source){.path = "<optimized>", .text = c->printed.data, .size = c->printed.used};
  return read_text(c, guard, &c->after);
}

static uint32_t count_collectives(const Program *p) {
  uint32_t n = 0;
  for (OpId o = p->root; o; o = op_walk_next(p, o, p->root))
    n += (op_row(op_at(p, o)->code)->traits & TRAIT_COLLECTIVE) != 0;
  return n;
}

static Status *run_case(Guard *guard, void *arg) {
  Case *c = arg;
  random_local(&c->random, c->seed, c->elem, &c->text);
  if (c->only_rewrite)
    mem_fail_at(c->fail_at);  // counts allocations after the program's text is made
  c->context = context_new(guard);
  c->table = sharding_table_new(c->context, guard);
  c->n_devices = c->random.a * c->random.b;
  const Mesh *mesh;
  int64_t ids[8];
  for (uint32_t i = 0; i < c->n_devices; i++) ids[i] = c->random.order[i];
  Name names[] = {name_of(c->context, "a"), name_of(c->context, "b")};
  TRY(mesh_new(c->context, name_of(c->context, "mesh"), 2, names,
               (int64_t[]){c->random.a, c->random.b}, c->n_devices, ids, &mesh));
  MeshId id = sharding_mesh_add(c->table, mesh);
  c->source = (Source){.path = "<random>", .text = c->text.data, .size = c->text.used};
  TRY(read_text(c, guard, &c->before));
  TRY(read_text(c, guard, &c->after));
  const Compute slow = {1, 1};  // so slow that rings pay
  OptimizeOptions options = {.mesh = sharding_mesh(c->table, id),
                             .table = c->table,
                             .edges_are_annotated = true,
                             .passes = c->passes,
                             .collectives = c->collectives,
                             .paced_bytes = 1,
                             .compute = &slow,
                             .rings = c->seed % 2};
  TRY(optimize_program(c->after, &options, guard, &c->diag, &c->stats));
  program_print(c->after, &(PrintOptions){0}, &c->printed);
  const char *wrong = program_check(c->after);
  if (wrong) FAIL(INTERNAL, "%s", wrong);
  if (!program_verify(c->after, &c->diag)) return diag_status(&c->diag);
  c->given = count_collectives(c->before);
  c->left = count_collectives(c->after);
  if (c->only_rewrite) return NULL;
  if (c->elem) TRY(read_wide(c, guard));
  uint32_t n, m;
  Literal **want, **got;
  TRY(run(c, c->before, &n, &want));
  TRY(run(c, c->after, &m, &got));
  for (uint32_t i = 0; i < n; i++)
    if (!same(want[i], got[i]))
      FAIL(INTERNAL, "result %u of device %u differs", i % (n / c->n_devices),
           i / (n / c->n_devices));
  return NULL;
}

static Status *one_case(Guard *guard, void *arg) {
  Case *c = arg;
  arena_init(&c->arena, guard);
  literal_heap_init(&c->heap, guard, 0);
  diag_init(&c->diag, guard, &c->source);
  strbuf_init(&c->text, guard);
  strbuf_init(&c->printed, guard);
  GuardCleanup cleanup = {close_case, c, NULL};
  guard_push(guard, &cleanup);
  Status *status = run_case(guard, c);
  if (status && !c->only_rewrite)
    fprintf(stderr, "seed %llu\n%s\n%s\n", (unsigned long long)c->seed, c->text.data,
            c->printed.data ? c->printed.data : "");
  guard_pop(guard, &cleanup);
  close_case(c);
  return status;
}

static void run_cases(Case like, uint64_t seed, uint32_t n) {
  const char *passes = like.passes;
  Dice dice = dice_new(seed);
  uint32_t changes = 0, before = 0, after = 0;
  for (uint32_t i = 0; i < n; i++) {
    Case c = like;
    c.seed = dice_roll(&dice, 1u << 30);
    Status *status = guard_run(one_case, &c);
    if (status) fail_msg("%s: %s", passes ? passes : "all passes", status_message(status));
    before += c.given, after += c.left;
    for (PassId k = 0; k < PASS_COUNT; k++) changes += c.stats.changes[k];
  }
  printf("%s: %u changes, %u collectives before, %u after\n", passes ? passes : "all", changes,
         before, after);
}

static void test_all_passes(void **state) {
  (void)state;
  run_cases((Case){0}, 8002, PROGRAMS);
  run_cases((Case){.elem = "bf16"}, 8001, PROGRAMS);
  run_cases((Case){.elem = "bf16", .collectives = "typed"}, 8000, PROGRAMS);
  run_cases((Case){.elem = "f16", .collectives = "xla"}, 7999, PROGRAMS);
  run_cases((Case){.collectives = "xla"}, 7998, PROGRAMS);
}

static void test_each_pass(void **state) {
  (void)state;
  for (PassId k = 0; k < PASS_COUNT; k++) {
    run_cases((Case){.passes = pass_name(k)}, 8003 + k, PROGRAMS / 2);
    run_cases((Case){.passes = pass_name(k), .elem = "bf16"}, 9003 + k, PROGRAMS / 4);
  }
}

// The k-th allocation fails, for every k until all succeed: that ends in RESOURCE_EXHAUSTED, and
// under ASan nothing leaks.
static void test_allocations_fail(void **state) {
  (void)state;
  for (uint64_t seed = 11; seed < 13; seed++) {
    Case whole = {.seed = seed, .only_rewrite = true};
    assert_null(guard_run(one_case, &whole));
    uint64_t n = mem_fail_at(0);
    for (uint64_t k = 1; k <= n; k++) {
      Case c = {.seed = seed, .only_rewrite = true, .fail_at = k};
      Status *status = guard_run(one_case, &c);
      mem_fail_at(0);
      assert_non_null(status);
      assert_int_equal(status_code(status), RESOURCE_EXHAUSTED);
      status_free(status);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_each_pass),
                                     cmocka_unit_test(test_all_passes),
                                     cmocka_unit_test(test_allocations_fail)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
