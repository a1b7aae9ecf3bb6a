// Partitioned programs against the program itself: random programs, meshes and annotations
// (support/random_program.h) are propagated, partitioned and run on every device by the evaluator;
// each device's part of each result is compared. TESSERA_SEED gives others; a failing one is
// printed.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "evaluate/evaluate.h"
#include "ops/infer.h"
#include "parse/parse.h"
#include "parse/print.h"
#include "partition/local.h"
#include "partition/partition.h"
#include "propagate/write.h"

#include "../support/random_program.h"

enum { PROGRAMS = 120, MOST_EDGES = 8, MOST_DEVICES = 96 };

typedef struct Case {
  uint64_t seed;
  RandomProgram random;
  Context *context;
  ShardingTable *table;
  Program *global, *local;
  Propagation *propagation;
  Arena arena;
  LiteralHeap heap;
  Diag diag;
  Source source;
  StrBuf text, printed;
  uint32_t run, refused, collectives;
} Case;

static void close_case(void *object) {
  Case *c = object;
  propagation_free(c->propagation);
  literal_heap_deinit(&c->heap);
  program_free(c->global);
  program_free(c->local);
  random_program_deinit(&c->random);
  strbuf_deinit(&c->text);
  strbuf_deinit(&c->printed);
  sharding_table_free(c->table);
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

typedef struct Edges {
  uint32_t n;
  Type types[MOST_EDGES];
  Sharding shardings[MOST_EDGES];
} Edges;

// From what partitioning wrote on the local function.
static void read_edges(Case *c, OpId function, bool results, Edges *out) {
  const AttrInfo *list =
      attr_info(c->context, op_attr(c->local, function, results ? "res_attrs" : "arg_attrs"));
  out->n =
      results ? evaluate_n_results(c->local, function) : evaluate_n_arguments(c->local, function);
  assert_true(out->n <= MOST_EDGES);
  for (uint32_t i = 0; i < out->n; i++) {
    Attr dict = i < list->count ? list->items[i] : 0;
    Attr sharding = attr_get(c->context, dict, "tessera.sharding");
    out->types[i] = results ? evaluate_result_type(c->local, function, i)
                            : evaluate_argument_type(c->local, function, i);
    out->shardings[i] = 0;
    if (!sharding) continue;
    out->types[i] = attr_info(c->context, attr_get(c->context, dict, "tessera.global"))->type;
    assert_null(sharding_from_attr(c->table, sharding, out->types[i], &out->shardings[i]));
  }
}

// Calls visit for each element of a device's tile: its number in the tile and in the whole, or -1.
static void each(Case *c, Sharding s, Type global, uint32_t device,
                 void (*visit)(Literal *, Literal *, int64_t, int64_t, void *), Literal *tile,
                 Literal *whole, void *arg) {
  const TypeInfo *w = type_info(c->context, global);
  const TypeInfo *l = type_info(c->context, local_type(c->table, s, global));
  int64_t offset[8] = {0}, extent[8], at[8] = {0}, count = 1;
  for (uint32_t d = 0; d < w->rank; d++) extent[d] = w->dims[d], count *= l->dims[d];
  if (s) sharding_tile_range(c->table, s, w->dims, device, offset, extent);
  for (int64_t i = 0; i < count; i++) {
    int64_t number = 0;
    bool inside = true;
    for (uint32_t d = 0; d < w->rank; d++) {
      number = number * w->dims[d] + offset[d] + at[d];
      inside &= at[d] < extent[d];
    }
    visit(tile, whole, i, inside ? number : -1, arg);
    for (uint32_t d = w->rank; d-- > 0 && ++at[d] == l->dims[d];) at[d] = 0;
  }
}

// arg: not NULL on devices that have nothing of an unreduced sum.
static void cut(Literal *tile, Literal *whole, int64_t i, int64_t number, void *arg) {
  if (number >= 0 && arg)
    literal_set(tile, i, dtype_is_float(tile->dtype) ? scalar_f(0) : scalar_i(0));
  else if (number >= 0)
    literal_copy_elements(tile, i, whole, number, 1);
  else if (dtype_is_float(tile->dtype))
    literal_set(tile, i, scalar_f(NAN));  // padding is poison
  else
    literal_set(tile, i, scalar_i(-77777));
}

typedef struct Difference {
  double worst, got, want;
} Difference;

static void compare(Literal *tile, Literal *whole, int64_t i, int64_t number, void *arg) {
  Difference *d = arg;
  if (number < 0) return;
  Scalar a = literal_get(tile, i), b = literal_get(whole, number);
  bool real = dtype_is_float(tile->dtype);
  double x = real ? a.f : (double)a.i, y = real ? b.f : (double)b.i;
  if (isnan(x) && isnan(y)) return;
  if (x == y) return;
  double distance = fabs(x - y) / (1 + fabs(y));
  if (isnan(distance) || distance > d->worst)
    *d = (Difference){isnan(distance) ? INFINITY : distance, x, y};
}

static Literal *random_literal(Case *c, Type type) {
  Literal *x = literal_new_typed(&c->heap, c->context, type);
  for (int64_t i = 0; i < x->count; i++) {
    int64_t v = (int64_t)dice_roll(&c->random.dice, 7) - 3;
    literal_set(x, i,
                dtype_is_float(x->dtype) ? scalar_f((double)v / 2) : scalar_i(v < 0 ? -v : v));
  }
  return x;
}

static Status *refuse(Case *c, Status *status) {
  if (!status) return NULL;
  c->refused++;
  status_free(status);
  return NULL;
}

static Status *run_case(Guard *guard, void *arg) {
  Case *c = arg;
  c->context = context_new(guard);
  c->table = sharding_table_new(c->context, guard);
  random_program(&c->random, c->table, guard, c->seed);
  random_program_text(&c->random, false, &c->text);
  c->source = (Source){"<random>", c->text.data, c->text.used};
  Status *status = read_text(c, guard, &c->global);
  if (!status) status = read_text(c, guard, &c->local);
  if (status) return refuse(c, status);
  status =
      propagation_new(c->local, c->table, &(PropagateOptions){0}, guard, &c->diag, &c->propagation);
  if (!status) status = propagation_read(c->propagation, &c->diag);
  if (status) return refuse(c, status);
  propagation_run(c->propagation);
  TRY(propagation_write(c->propagation, c->local, &(WriteOptions){.close = true}, &c->diag));
  propagation_free(c->propagation);
  c->propagation = NULL;
  MeshId mesh_id;
  status = partition_program(c->local, c->table, &(PartitionOptions){.poison = true}, guard,
                             &c->diag, &mesh_id);
  if (status) return refuse(c, status);
  program_print(c->local, &(PrintOptions){0}, &c->printed);
  const char *wrong = program_check(c->local);
  if (wrong) FAIL(INTERNAL, "%s", wrong);
  if (!program_verify(c->local, &c->diag)) return diag_status(&c->diag);
  for (OpId o = c->local->root; o; o = op_walk_next(c->local, o, c->local->root))
    c->collectives += (op_row(op_at(c->local, o)->code)->traits & TRAIT_COLLECTIVE) != 0;
  OpId whole, part;
  TRY(evaluate_entry(c->global, "main", &whole));
  TRY(evaluate_entry(c->local, "main", &part));
  Edges args, results;
  read_edges(c, part, false, &args);
  read_edges(c, part, true, &results);
  const Mesh *mesh = sharding_mesh(c->table, mesh_id);
  uint32_t n = mesh ? mesh->n_devices : 1;
  Literal *in[MOST_EDGES], *out[MOST_EDGES];
  Literal **tiles = ARENA_ARRAY(&c->arena, Literal *, (size_t)n * MOST_EDGES);
  Literal **parts = ARENA_ARRAY(&c->arena, Literal *, (size_t)n * MOST_EDGES);
  for (uint32_t i = 0; i < args.n; i++) in[i] = random_literal(c, args.types[i]);
  EvalReport report;
  status = evaluate(c->global, whole, &(EvalOptions){.most_steps = 200000}, &c->heap, &c->arena,
                    args.n, in, results.n, out, &report);
  if (status) return refuse(c, status);
  for (uint32_t k = 0; k < n; k++)
    for (uint32_t i = 0; i < args.n; i++) {
      Literal *tile = literal_new_typed(&c->heap, c->context,
                                        local_type(c->table, args.shardings[i], args.types[i]));
      const ShardingInfo *info = sharding_info(c->table, args.shardings[i]);
      bool rest = mesh && axes_coordinate(mesh, info->unreduced, mesh_position(mesh, k)) > 0;
      each(c, args.shardings[i], args.types[i], k, cut, tile, in[i], rest ? c : NULL);
      tiles[k * args.n + i] = tile;
    }
  TRY(evaluate(c->local, part, &(EvalOptions){.partitions = n}, &c->heap, &c->arena, n * args.n,
               tiles, n * results.n, parts, &report));
  for (uint32_t k = 0; k < n; k++)
    for (uint32_t i = 0; i < results.n; i++) {
      Difference d = {0};
      if (sharding_info(c->table, results.shardings[i])->unreduced.n) continue;  // parts of a sum
      each(c, results.shardings[i], results.types[i], k, compare, parts[k * results.n + i], out[i],
           &d);
      if (d.worst > 1e-4)
        FAIL(INTERNAL, "result %u on device %u: %g instead of %g", i, k, d.got, d.want);
    }
  c->run++;
  return NULL;
}

static Status *one_case(Guard *guard, void *arg) {
  Case *c = arg;
  arena_init(&c->arena, guard);
  diag_init(&c->diag, guard, &c->source);
  literal_heap_init(&c->heap, guard, 0);
  strbuf_init(&c->text, guard);
  strbuf_init(&c->printed, guard);
  GuardCleanup cleanup = {close_case, c, NULL};
  guard_push(guard, &cleanup);
  Status *status = run_case(guard, c);
  if (status)
    fprintf(stderr, "seed %llu\n%s\n%s\n", (unsigned long long)c->seed, c->text.data,
            c->printed.data ? c->printed.data : "");
  guard_pop(guard, &cleanup);
  close_case(c);
  return status;
}

static void test_local_is_global(void **state) {
  (void)state;
  Dice dice = dice_new(6001);
  uint32_t run = 0, refused = 0, collectives = 0;
  for (uint32_t i = 0; i < PROGRAMS; i++) {
    Case c = {.seed = dice_roll(&dice, 1u << 30)};
    Status *status = guard_run(one_case, &c);
    if (status) fail_msg("%s", status_message(status));
    run += c.run, refused += c.refused, collectives += c.collectives;
  }
  printf("%u programs ran on all devices, %u collectives; %u refused\n", run, collectives, refused);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_local_is_global)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
