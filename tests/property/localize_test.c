// Every op that can make random instances of itself, alone on tiles: an instance with random
// shardings on what goes in and what comes out, partitioned with poisoned padding and run on every
// device, gives what the op itself gives. A row is enrolled by its `sample`. TESSERA_SEED gives
// others, TESSERA_OP=name only those of one op, TESSERA_CASES=n more of each; a failing one is
// printed.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ops/factors.h"
#include "ops/infer.h"
#include "ops/localize.h"
#include "parse/print.h"
#include "partition/partition.h"
#include "partition/random_shardings.h"
#include "pipeline/verify_partition.h"

#include "../support/sample_program.h"

enum { CASES = 20 };

typedef struct Case {
  uint16_t code;
  uint64_t seed;
  Context *context;
  ShardingTable *table;
  Program *global, *local;
  Arena arena;
  Diag diag;
  StrBuf text, printed;
  bool run, split;
} Case;

static void close_case(void *object) {
  Case *c = object;
  program_free(c->global);
  program_free(c->local);
  strbuf_deinit(&c->text);
  strbuf_deinit(&c->printed);
  sharding_table_free(c->table);
  diag_deinit(&c->diag);
  arena_deinit(&c->arena);
  context_free(c->context);
}

// The instance: what main returns.
static OpId instance(Program *p) {
  BlockId top = region_block(p, op_region(p, p->root, 0));
  BlockId body = region_block(p, op_region(p, block_at(p, top)->first, 0));
  return value_def(p, op_operand(p, block_at(p, body)->last, 0));
}

// Sums of narrow floats round at every step: in another order they are others, and some types have
// NaN for every other number, which no order of choices is right for.
static bool is_rounded(Case *c) {
  OpId op = instance(c->global);
  bool narrow = false, reduces = false;
  for (uint32_t i = 0; i < op_at(c->global, op)->n_results; i++) {
    DType type = type_dtype(c->context, op_result_type(c->global, op, i));
    narrow |= dtype_is_float(type) && dtype_width(type) <= 8;
  }
  FactorMap map;
  if (narrow && op_factors(c->global, op, NULL, &c->arena, &map))
    for (uint32_t f = 0; f < map.n_factors; f++) reduces |= map.factors[f].kinds == FACTOR_REDUCE;
  return reduces;
}

// Constants are whole everywhere; behind a barrier they are values as any others. Integers may stay
// known: ops look at indices.
static void hide_constants(Program *p, OpId op, bool integers) {
  for (uint32_t i = 0; i < op_at(p, op)->n_operands; i++) {
    ValueId v = op_operand(p, op, i);
    Type type = value_type(p, v);
    const QuantInfo *quant = type_quant_info(p->context, type);
    if (type_info(p->context, type)->kind != TYPE_TENSOR || (quant && quant->axis >= 0)) continue;
    if (!integers && dtype_is_integer(type_dtype(p->context, type))) continue;
    OpSpec spec = {.code = OP_optimization_barrier,
                   .n_operands = 1,
                   .operands = &v,
                   .n_results = 1,
                   .result_types = &type,
                   .pos = POS_NONE};
    OpId barrier = op_create(p, &spec);
    op_insert_before(p, barrier, op);
    operand_set(p, op_at(p, op)->operands + i, op_result(p, barrier, 0));
  }
}

// Where nothing costs anything ops are split that are done whole otherwise.
static const Network free_network = {.all = {.bytes_per_second = 1e30}};

static void on_split(void *user, const Localizer *cx) {
  Case *c = user;
  for (uint32_t f = 0; op_at(cx->program, cx->op)->code == c->code && f < cx->map->n_factors; f++)
    c->split |= localize_is_split(cx, f);
}

static Status *run_case(Guard *guard, Case *c) {
  c->context = context_new(guard);
  c->table = sharding_table_new(c->context, guard);
  sample_program(c->context, guard, &c->arena, c->code, c->seed, &c->global);
  sample_program(c->context, guard, &c->arena, c->code, c->seed, &c->local);
  if (!program_verify(c->local, &c->diag)) return diag_status(&c->diag);
  if (is_rounded(c)) return NULL;
  hide_constants(c->local, instance(c->local), c->seed % 4 != 0);
  PartitionOptions to = {.poison = true,
                         .network = c->seed % 2 ? &free_network : NULL,
                         .on_split = on_split,
                         .user = c};
  static const uint32_t devices[] = {2, 3, 4, 6, 8};
  TRY(random_shardings(c->local, c->table, devices[c->seed % 5], c->seed, guard, &c->diag));
  program_print(c->local, &(PrintOptions){0}, &c->text);
  MeshId mesh;
  Status *status = partition_program(c->local, c->table, &to, guard, &c->diag, &mesh);
  if (status && status_code(status) == UNIMPLEMENTED) {
    status_free(status);
    return NULL;
  }
  TRY(status);
  program_print(c->local, &(PrintOptions){0}, &c->printed);
  const char *wrong = program_check(c->local);
  if (wrong) FAIL(INTERNAL, "%s", wrong);
  if (!program_verify(c->local, &c->diag)) return diag_status(&c->diag);
  VerifyOptions options = {.seed = c->seed, .most_steps = 200000};
  Verified verified;
  status =
      verify_partition(c->global, c->local, c->table, mesh, &options, guard, &c->arena, &verified);
  if (status) {  // the op itself fails on these values
    status_free(status);
    return NULL;
  }
  if (!verified.agree) FAIL(INTERNAL, "%s", verified.where);
  c->run = true;
  return NULL;
}

static Status *one_case(Guard *guard, void *arg) {
  static const Source nothing = {.path = "<sample>", .text = "", .size = 0};
  Case *c = arg;
  arena_init(&c->arena, guard);
  diag_init(&c->diag, guard, &nothing);
  strbuf_init(&c->text, guard);
  strbuf_init(&c->printed, guard);
  GuardCleanup cleanup = {close_case, c, NULL};
  guard_push(guard, &cleanup);
  Status *status = run_case(guard, c);
  if (status)
    fprintf(stderr, "%s\n%s\n", c->text.data ? c->text.data : "",
            c->printed.data ? c->printed.data : "");
  guard_pop(guard, &cleanup);
  close_case(c);
  return status;
}

static uint64_t number_of(const char *name, uint64_t otherwise) {
  const char *text = getenv(name);
  return text ? strtoull(text, NULL, 10) : otherwise;
}

static void test_tiles_are_whole(void **state) {
  (void)state;
  uint64_t seed = number_of("TESSERA_SEED", 0), cases = number_of("TESSERA_CASES", CASES);
  const char *only = getenv("TESSERA_OP");
  uint32_t run = 0, split = 0, all = 0, failures = 0;
  for (uint16_t code = OP_UNREGISTERED + 1; code < OP_COUNT; code++) {
    const OpRow *row = op_row(code);
    if (!row->def || !row->def->sample || (only && strcmp(only, row->name) != 0)) continue;
    for (uint64_t i = 0; i < cases; i++, all++) {
      Case c = {.code = code, .seed = (seed * cases + i) * 1009 + code};
      Status *status = guard_run(one_case, &c);
      run += c.run, split += c.split;
      if (!status) continue;
      fprintf(stderr, "%s, TESSERA_SEED=%llu, case %llu: %s\n", row->name, (unsigned long long)seed,
              (unsigned long long)i, status_message(status));
      status_free(status);
      failures++;
      break;
    }
  }
  printf("%u of %u instances ran on all devices, %u of them on parts\n", run, all, split);
  assert_int_equal(failures, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_tiles_are_whole)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
