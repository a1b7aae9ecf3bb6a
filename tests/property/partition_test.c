// Partitioned programs against the program itself, run on every device by the evaluator, part by
// part of each result.
//
// Random programs in text with hints (support/random_program.h) are propagated first. Programs
// drawn from every op's samples (support/sampled_program.h) get a random mesh and random shardings
// of any values; they are compared exactly, with poisoned padding. TESSERA_SEED gives others,
// TESSERA_CASES more of them; a failing one is made smaller and printed as a file.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ops/infer.h"
#include "partition/partition.h"
#include "partition/random_shardings.h"
#include "pipeline/partition.h"
#include "pipeline/verify_partition.h"
#include "propagate/write.h"

#include "../support/random_case.h"
#include "../support/sampled_program.h"
#include "../support/shrink_text.h"
#include "../support/split_coverage.h"

enum { PROGRAMS = 300 };

static void test_local_is_global(void **state) {
  (void)state;
  Dice dice = dice_new(6001);
  uint32_t run = 0, refused = 0, collectives = 0;
  for (uint32_t i = 0; i < PROGRAMS; i++) {
    Case c = {.seed = dice_roll(&dice, 1u << 30), .random.runs = true};
    Status *status = guard_run(one_case, &c);
    if (status) fail_msg("%s", status_message(status));
    run += c.run, refused += c.refused, collectives += c.collectives;
  }
  printf("%u programs ran on all devices, %u collectives; %u refused\n", run, collectives, refused);
}

// ---- programs drawn from samples ----

static const double EXACTLY = 1e-300;  // 0 would be the usual tolerance

typedef enum Outcome { AGREES, REFUSED, DOES_NOT_RUN, DIFFERS, BREAKS } Outcome;

typedef struct Sampling {
  uint64_t seed;
  uint32_t devices;
  double tolerance;  // 0 = by element type
  char *text;        // read this instead of drawing one; owned
  bool print;        // put the annotated program there
  SplitCoverage *coverage;
  Outcome outcome;
  char why[512];
  SampledProgram sampled;
  Context *context;
  ShardingTable *table;
  Program *global, *local;
  Arena arena;
  Diag diag;
  Source source;
} Sampling;

static void close_sampling(void *object) {
  Sampling *x = object;
  program_free(x->global);
  program_free(x->local);
  sharding_table_free(x->table);
  diag_deinit(&x->diag);
  arena_deinit(&x->arena);
  context_free(x->context);
  x->global = x->local = NULL;
}

static void open_sampling(Sampling *x, Guard *guard) {
  arena_init(&x->arena, guard);
  x->source = (Source){
      .path = "<sampled>", .text = x->text ? x->text : "", .size = x->text ? strlen(x->text) : 0};
  diag_init(&x->diag, guard, &x->source);
  x->context = NULL;
  x->table = NULL;
}

static Status *read_sampling(Sampling *x, Guard *guard, Program **out) {
  TRY(program_parse(x->context, guard, &x->source, 0, x->source.size, &(ParseOptions){0}, &x->diag,
                    out));
  return program_verify(*out, &x->diag) ? NULL : diag_status(&x->diag);
}

// Two of the same, one with annotations.
static Status *draw(Sampling *x, Guard *guard) {
  x->context = context_new(guard);
  x->table = sharding_table_new(x->context, guard);
  if (x->text) {
    TRY(read_sampling(x, guard, &x->global));
    return read_sampling(x, guard, &x->local);
  }
  uint64_t seed = x->seed * 0x9E3779B97F4A7C15u;
  sampled_program(&x->sampled, x->context, guard, &x->arena, seed, 10, &x->global);
  sampled_program(&x->sampled, x->context, guard, &x->arena, seed, 10, &x->local);
  if (!program_verify(x->global, &x->diag)) return diag_status(&x->diag);
  return random_shardings(x->local, x->table, x->devices, seed + 1, guard, &x->diag);
}

static Outcome say(Sampling *x, Outcome outcome, const char *why) {
  snprintf(x->why, sizeof x->why, "%s", why);
  return outcome;
}

static Outcome say_status(Sampling *x, Outcome outcome, Status *status) {
  say(x, outcome, status_message(status));
  status_free(status);
  return outcome;
}

// Every other pair of cases as `tessera partition` does it.
static bool is_optimized(const Sampling *x) { return x->seed % 4 < 2; }

// What does not verify when it is cut is an error of ours only if the whole runs: a function
// written where it is called may show constants that its ops cannot take.
static Outcome unverified(Sampling *x, Guard *guard) {
  Outcome outcome = say_status(x, BREAKS, diag_status(&x->diag));
  VerifyOptions verify = {.seed = x->seed, .most_steps = 200000};
  Verified verified;
  Status *status =
      verify_partition(x->global, x->global, x->table, 0, &verify, guard, &x->arena, &verified);
  if (status) outcome = DOES_NOT_RUN;
  status_free(status);
  return outcome;
}

static Outcome compare(Sampling *x, Guard *guard) {
  MeshId mesh = 0;
  // Small tensors cost their latency only; without it bytes decide, and other ways are taken.
  static const Network few_bytes = {.all = {.latency_seconds = 1e-12, .bytes_per_second = 1e6}};
  PartitionOptions options = {.poison = true,
                              .network = x->seed % 2 ? &few_bytes : NULL,
                              .on_split = x->coverage ? coverage_count : NULL,
                              .user = x->coverage};
  Status *status = partition_program(x->local, x->table, &options, guard, &x->diag, &mesh);
  if (status) return say_status(x, status_code(status) == UNIMPLEMENTED ? REFUSED : BREAKS, status);
  const char *wrong = program_check(x->local);
  if (wrong) return say(x, BREAKS, wrong);
  if (!program_verify(x->local, &x->diag)) return unverified(x, guard);
  if (is_optimized(x)) {
    status = pipeline_optimize(x->local, x->table, mesh, &(LocalOptions){0}, guard, &x->diag);
    if (status) return say_status(x, BREAKS, status);
    wrong = program_check(x->local);
    if (wrong) return say(x, BREAKS, wrong);
    if (!program_verify(x->local, &x->diag)) return unverified(x, guard);
  }
  if (!x->text && !x->sampled.loose) x->tolerance = EXACTLY;
  VerifyOptions verify = {.seed = x->seed,
                          .most_steps = 200000,
                          .tolerance = x->tolerance,
                          .compiled = getenv("TESSERA_COMPILED") != NULL};
  Verified verified;
  status =
      verify_partition(x->global, x->local, x->table, mesh, &verify, guard, &x->arena, &verified);
  if (status) return say_status(x, DOES_NOT_RUN, status);
  return verified.agree ? AGREES : say(x, DIFFERS, verified.where);
}

static Status *run_sampling(Guard *guard, void *arg) {
  Sampling *x = arg;
  open_sampling(x, guard);
  GuardCleanup cleanup = {close_sampling, x, NULL};
  guard_push(guard, &cleanup);
  Status *status = draw(x, guard);
  if (!status && x->print) x->text = shrink_print(x->local, guard);
  if (!status && !x->print) x->outcome = compare(x, guard);
  guard_pop(guard, &cleanup);
  close_sampling(x);
  return status;
}

static bool is_bad(Outcome outcome) { return outcome == DIFFERS || outcome == BREAKS; }

typedef struct Failing {
  const Sampling *as;
  char why[512];
} Failing;

static bool still_fails(const char *text, void *user) {
  Failing *failing = user;
  Sampling *x = calloc(1, sizeof *x);
  x->text = strdup(text);
  x->seed = failing->as->seed;
  x->tolerance = failing->as->tolerance;
  Status *status = guard_run(run_sampling, x);
  bool bad = !status && is_bad(x->outcome);
  if (bad) memcpy(failing->why, x->why, sizeof x->why);
  status_free(status);
  free(x->text);
  free(x);
  return bad;
}

// Shrinks a failing case and prints it as a file.
static void show(const Sampling *as) {
  Sampling *x = calloc(1, sizeof *x);
  x->seed = as->seed;
  x->devices = as->devices;
  x->print = true;
  Status *status = guard_run(run_sampling, x);
  Failing failing = {.as = as};
  if (!status && x->text && still_fails(x->text, &failing))
    shrink_text(&x->text, still_fails, &failing);
  fprintf(stderr, "// case %llu on %u devices: %s\n", (unsigned long long)as->seed, as->devices,
          as->why);
  fprintf(stderr, "// tessera partition --verify --poison%s --seed=%llu%s: %s%s\n%s",
          is_optimized(as) ? "" : " -O0", (unsigned long long)as->seed,
          as->tolerance > 0 ? " --tolerance=1e-300" : "",
          as->seed % 2 ? "(where bytes cost more than messages) " : "",
          failing.why[0] ? failing.why : "not as text", x->text ? x->text : "");
  status_free(status);
  free(x->text);
  free(x);
}

enum { CASES = 4000, MANY = 20000, MOST_SHOWN = 3 };

static uint64_t number_of(const char *name, uint64_t otherwise) {
  const char *text = getenv(name);
  return text ? strtoull(text, NULL, 10) : otherwise;
}

static void test_samples(void **state) {
  (void)state;
  static const uint32_t devices[] = {2, 2, 3, 4, 4, 6, 8, 8, 2, 4, 8, 6, 16, 16, 16, 16};
  uint32_t cases = (uint32_t)number_of("TESSERA_CASES", CASES), count[BREAKS + 1] = {0}, shown = 0;
  bool only_first = getenv("TESSERA_FIRST") != NULL;
  Dice dice = dice_new(6002);
  Sampling *x = malloc(sizeof *x);
  SplitCoverage *coverage = calloc(1, sizeof *coverage);
  for (uint32_t i = 0; i < cases; i++) {
    *x = (Sampling){.coverage = coverage,
                    .seed = number_of("TESSERA_CASE", dice_roll(&dice, 1u << 30))};
    x->devices = (uint32_t)number_of("TESSERA_DEVICES", devices[dice_roll(&dice, 16)]);
    Status *status = guard_run(run_sampling, x);
    if (status) fail_msg("case %llu: %s", (unsigned long long)x->seed, status_message(status));
    count[x->outcome]++;
    if (is_bad(x->outcome) && only_first)
      fail_msg("case %u, %llu on %u devices: %s", i, (unsigned long long)x->seed, x->devices,
               x->why);
    if (is_bad(x->outcome) && shown++ < MOST_SHOWN) show(x);
    if (x->outcome == REFUSED && getenv("TESSERA_REFUSED")) printf("refused: %s\n", x->why);
    if (x->outcome == DOES_NOT_RUN && getenv("TESSERA_REFUSED")) printf("no run: %s\n", x->why);
  }
  free(x);
  uint32_t empty = cases >= MANY ? coverage_print(coverage, stdout) : 0;
  free(coverage);
  printf("%u cases: %u agree, %u differ, %u break, %u refused, %u do not run whole\n", cases,
         count[AGREES], count[DIFFERS], count[BREAKS], count[REFUSED], count[DOES_NOT_RUN]);
  assert_int_equal(count[DIFFERS] + count[BREAKS], 0);
  assert_int_equal(empty, 0);
  assert_true(count[REFUSED] + count[DOES_NOT_RUN] <= cases / 50);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_local_is_global),
                                     cmocka_unit_test(test_samples)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
