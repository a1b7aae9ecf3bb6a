// The price of shardings (estimate/estimate.h) on random programs, meshes and annotations, through
// random pushes and pops:
//   - after each, the price equals that of a new Estimate of the same shardings, to the bit
//   - at the end it equals that of a new propagation, in which the same annotations are pushed
//   - in a program of many equal parts, a push in one part is priced with the same work, however
//     many parts there are
// TESSERA_SEED gives other programs; a failing one is printed.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "estimate/estimate.h"
#include "ops/functions.h"
#include "ops/infer.h"
#include "parse/parse.h"

#include "../support/random_program.h"

enum { PROGRAMS = 120, MOVES = 16, DEPTH = 6 };

typedef struct Run {
  Source source;
  Context *context;
  Diag diag;
  Program *program;
  ShardingTable *table;
  Propagation *p;
  Estimate *estimate;
} Run;

typedef struct Case {
  uint64_t seed;
  StrBuf text;
  RandomProgram random;
  Context *context;
  ShardingTable *table;
  Arena arena;
  Run run, again;
  Machine machine;
  PlaceId places[DEPTH];  // that were pushed
  uint32_t dims[DEPTH], axes[DEPTH], marks[DEPTH], depth;
  uint32_t n_priced, n_refused;
} Case;

static Status *start(Run *run, Guard *guard, const char *text, size_t n) {
  run->source = (Source){.path = "<random>", .text = text, .size = n};
  run->context = context_new(guard);
  diag_init(&run->diag, guard, &run->source);
  TRY(program_parse(run->context, guard, &run->source, 0, n, &(ParseOptions){0}, &run->diag,
                    &run->program));
  if (!program_verify(run->program, &run->diag)) return diag_status(&run->diag);
  run->table = sharding_table_new(run->context, guard);
  TRY(propagation_new(run->program, run->table, &(PropagateOptions){0}, guard, &run->diag,
                      &run->p));
  TRY(propagation_read(run->p, &run->diag));
  propagation_run(run->p);
  return NULL;
}

static void finish(Run *run) {
  estimate_free(run->estimate);
  propagation_free(run->p);
  sharding_table_free(run->table);
  program_free(run->program);
  if (run->diag.source) diag_deinit(&run->diag);
  context_free(run->context);
  *run = (Run){0};
}

static MeshId mesh_of(const Run *run) {
  return sharding_mesh_find(run->table, name_of(run->context, "mesh"));
}

// What a place has, with one more axis of the mesh; 0 if that cannot be.
static Sharding one_more(Case *x, Run *run, PlaceId place, uint32_t d, uint32_t axis) {
  const Graph *g = propagation_graph(run->p);
  const Mesh *mesh = sharding_mesh(run->table, mesh_of(run));
  uint32_t rank = type_info(run->context, g->places[place].type)->rank;
  Sharding now = propagation_get(run->p, place);
  if (d >= rank || !mesh || axis >= mesh->n_axes) return 0;
  if (!now) now = sharding_make_open(run->table, mesh_of(run), rank);
  const ShardingInfo *info = sharding_info(run->table, now);
  AxisRef more = axis_full(mesh, axis);
  if (info->mesh != mesh_of(run) || !info->dims[d].open || info->manual.n ||
      axes_overlap_ref(sharding_used_axes(info, &x->arena), more))
    return 0;
  for (OpId o = g->places[place].value ? value_owner(run->program, g->places[place].value) : 0; o;
       o = op_parent(run->program, o))
    if (op_traits(run->program, o) & TRAIT_MANUAL) return 0;
  AxisList axes = axes_concat(&x->arena, sharding_dim_axes(info, d), (AxisList){&more, 1});
  return sharding_with_axes(run->table, now, d, axes);
}

static Status *same_price(EstimatedPrice a, EstimatedPrice b, const char *what) {
  if (a.seconds == b.seconds && a.compute_seconds == b.compute_seconds && a.bytes == b.bytes &&
      a.peak_bytes == b.peak_bytes)
    return NULL;
  FAIL(INTERNAL, "%s: %.17g s, %.17g bytes, %.17g at the peak; anew %.17g s, %.17g, %.17g", what,
       a.seconds, a.bytes, a.peak_bytes, b.seconds, b.bytes, b.peak_bytes);
}

static Status *compare(Case *x, Guard *guard, const char *what) {
  EstimatedPrice price = estimate_price(x->run.estimate);
  Estimate *anew = estimate_new(x->run.p, mesh_of(&x->run), &x->machine, NULL, guard);
  EstimatedPrice fresh = estimate_price(anew);
  estimate_free(anew);
  x->n_priced++;
  if (price.peak_bytes < 0 || price.seconds < 0 || price.bytes < 0) FAIL(INTERNAL, "negative");
  return same_price(price, fresh, what);
}

static void pop(Case *x) {
  x->depth--;
  estimate_before_pop(x->run.estimate, x->marks[x->depth]);
  propagation_pop(x->run.p, x->marks[x->depth]);
}

static Status *move(Case *x, Guard *guard, Dice *dice) {
  Run *run = &x->run;
  const Graph *g = propagation_graph(run->p);
  const Mesh *mesh = sharding_mesh(run->table, mesh_of(run));
  if (x->depth == DEPTH || (x->depth && dice_roll(dice, 3) == 0)) {
    pop(x);
    return compare(x, guard, "after a pop");
  }
  if (g->n_places < 2 || !mesh || !mesh->n_axes) return NULL;
  PlaceId place = 1 + dice_roll(dice, g->n_places - 1);
  uint32_t d = dice_roll(dice, 4), axis = dice_roll(dice, mesh->n_axes);
  Sharding wanted = one_more(x, run, place, d, axis);
  if (!wanted) return NULL;
  x->places[x->depth] = place, x->dims[x->depth] = d, x->axes[x->depth] = axis;
  TRY(propagation_push(run->p, place, wanted, &x->marks[x->depth++]));
  // Sometimes the price is asked for only after several moves.
  return dice_roll(dice, 4) ? compare(x, guard, "after a push") : NULL;
}

// The same pushes in a new propagation.
static Status *replay(Case *x, Guard *guard) {
  TRY(start(&x->again, guard, x->text.data, x->text.used));
  for (uint32_t i = 0; i < x->depth; i++) {
    uint32_t ignored;
    Sharding wanted = one_more(x, &x->again, x->places[i], x->dims[i], x->axes[i]);
    if (!wanted) FAIL(INTERNAL, "push %u cannot be repeated", i);
    TRY(propagation_push(x->again.p, x->places[i], wanted, &ignored));
  }
  x->again.estimate = estimate_new(x->again.p, mesh_of(&x->again), &x->machine, NULL, guard);
  return same_price(estimate_price(x->run.estimate), estimate_price(x->again.estimate),
                    "after a replay");
}

static Status *check_program(Guard *guard, void *arg) {
  Case *x = arg;
  arena_init(&x->arena, guard);
  strbuf_init(&x->text, guard);
  x->context = context_new(guard);
  x->table = sharding_table_new(x->context, guard);
  random_program(&x->random, x->table, guard, x->seed);
  random_program_text(&x->random, false, &x->text);
  Dice dice = x->random.dice;
  TRY(machine_read(str_of(machine_text("h100")), &x->arena, &x->machine));
  Status *status = start(&x->run, guard, x->text.data, x->text.used);
  if (status && (strstr(status_message(status), "conflicting shardings") ||
                 strstr(status_message(status), "is manual here"))) {
    status_free(status);
    x->n_refused = 1;
    return NULL;
  }
  TRY(status);
  const Mesh *mesh = sharding_mesh(x->run.table, mesh_of(&x->run));
  if (!mesh || mesh->maximal) return NULL;
  x->run.estimate = estimate_new(x->run.p, mesh_of(&x->run), &x->machine, NULL, guard);
  TRY(compare(x, guard, "at first"));
  for (int i = 0; i < MOVES; i++) TRY(move(x, guard, &dice));
  return replay(x, guard);
}

static bool try_case(uint64_t seed, uint32_t *n_priced, uint32_t *n_refused) {
  Case *x = calloc(1, sizeof *x);
  if (!x) return false;
  x->seed = seed;
  Status *status = guard_run(check_program, x);
  if (status)
    fprintf(stderr, "program %llu: %s\n%s\n", (unsigned long long)seed, status_message(status),
            x->text.data ? x->text.data : "");
  bool good = !status;
  status_free(status);
  *n_priced += x->n_priced;
  *n_refused += x->n_refused;
  finish(&x->run);
  finish(&x->again);
  random_program_deinit(&x->random);
  sharding_table_free(x->table);
  context_free(x->context);
  strbuf_deinit(&x->text);
  arena_deinit(&x->arena);
  free(x);
  return good;
}

static void test_random_programs(void **state) {
  (void)state;
  uint32_t failed = 0, n_priced = 0, n_refused = 0;
  for (uint64_t i = 0; i < PROGRAMS && failed < 3; i++)
    failed += !try_case(7000 + i, &n_priced, &n_refused);
  printf("%d random programs (%u with annotations at odds), %u prices compared\n", PROGRAMS,
         n_refused, n_priced);
  assert_int_equal(failed, 0);
  assert_true(n_priced > 4 * PROGRAMS);
}

// ---- work ----

typedef struct Parts {
  uint32_t n;
  uint64_t first, pushed, popped;  // visited
  double before, sharded, after;   // seconds
} Parts;

static Status *price_parts(Guard *guard, void *arg) {
  Parts *parts = arg;
  Run run = {0};
  Arena arena;
  Machine machine;
  StrBuf text;
  strbuf_init(&text, guard);
  strbuf_puts(&text, "sdy.mesh @mesh = <[\"a\"=4]>\nfunc.func @main(");
  for (uint32_t i = 0; i < parts->n; i++)
    strbuf_printf(&text, "%s%%x%u: tensor<64x64xf32>", i ? ", " : "", i);
  strbuf_puts(&text, ") {\n");
  for (uint32_t i = 0; i < parts->n; i++)
    strbuf_printf(&text,
                  "  %%a%u = stablehlo.tanh %%x%u : tensor<64x64xf32>\n  %%b%u = "
                  "stablehlo.dot_general %%a%u, %%x%u, contracting_dims = [1] x [0] : "
                  "(tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>\n",
                  i, i, i, i, i);
  strbuf_puts(&text, "  return\n}\n");
  arena_init(&arena, guard);
  Status *status = machine_read(str_of(machine_text("h100")), &arena, &machine);
  if (!status) status = start(&run, guard, text.data, text.used);
  if (!status) {
    MeshId mesh = mesh_of(&run);
    run.estimate = estimate_new(run.p, mesh, &machine, NULL, guard);
    EstimatedPrice price = estimate_price(run.estimate);
    parts->first = price.visited, parts->before = price.seconds;
    const Graph *g = propagation_graph(run.p);
    PlaceId place =
        graph_place(g, 1,
                    function_argument(run.program, program_function(run.program, str_of("main")),
                                      parts->n / 2));
    AxisRef a = {0, 1, 4};
    Sharding wanted =
        sharding_with_axes(run.table, sharding_make_open(run.table, mesh, 2), 1, (AxisList){&a, 1});
    uint32_t mark;
    status = propagation_push(run.p, place, wanted, &mark);
    price = estimate_price(run.estimate);
    parts->pushed = price.visited, parts->sharded = price.seconds;
    estimate_before_pop(run.estimate, mark);
    propagation_pop(run.p, mark);
    price = estimate_price(run.estimate);
    parts->popped = price.visited, parts->after = price.seconds;
  }
  finish(&run);
  strbuf_deinit(&text);
  arena_deinit(&arena);
  return status;
}

static void test_work(void **state) {
  (void)state;
  Parts few = {.n = 10}, many = {.n = 1000};
  assert_null(guard_run(price_parts, &few));
  assert_null(guard_run(price_parts, &many));
  printf("10 parts: %llu visited at first, %llu after a push; 1000 parts: %llu, %llu\n",
         (unsigned long long)few.first, (unsigned long long)few.pushed,
         (unsigned long long)many.first, (unsigned long long)many.pushed);
  assert_true(many.first > 50 * few.first);
  assert_int_equal(many.pushed, few.pushed);
  assert_int_equal(many.popped, few.popped);
  assert_true(many.pushed < 20);
  assert_true(many.before == many.after && many.before != many.sharded);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_programs),
                                     cmocka_unit_test(test_work)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
