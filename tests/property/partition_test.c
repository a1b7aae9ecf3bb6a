// Partitioned programs against the program itself: random programs, meshes and annotations
// (support/random_program.h) are propagated, partitioned and run on every device by the evaluator;
// each device's part of each result is compared. TESSERA_SEED gives others; a failing one is
// printed.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ops/infer.h"
#include "parse/parse.h"
#include "parse/print.h"
#include "partition/partition.h"
#include "pipeline/verify_partition.h"
#include "propagate/write.h"

#include "../support/random_program.h"

enum { PROGRAMS = 120 };

typedef struct Case {
  uint64_t seed;
  RandomProgram random;
  Context *context;
  ShardingTable *table;
  Program *global, *local;
  Propagation *propagation;
  Arena arena;
  Diag diag;
  Source source;
  StrBuf text, printed;
  uint32_t run, refused, collectives;
} Case;

static void close_case(void *object) {
  Case *c = object;
  propagation_free(c->propagation);
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
  VerifyOptions options = {.seed = c->seed, .most_steps = 200000};
  Verified verified;
  status = verify_partition(c->global, c->local, c->table, mesh_id, &options, guard, &c->arena,
                            &verified);
  if (status) return refuse(c, status);
  if (!verified.agree) FAIL(INTERNAL, "%s", verified.where);
  c->run++;
  return NULL;
}

static Status *one_case(Guard *guard, void *arg) {
  Case *c = arg;
  arena_init(&c->arena, guard);
  diag_init(&c->diag, guard, &c->source);
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
