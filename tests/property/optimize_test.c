// Local programs before and after each pass, and all of them: random programs, meshes and
// annotations (support/random_program.h) are propagated, partitioned, optimized and run on every
// device by the evaluator; each device's part of each result is compared with the program itself.
// TESSERA_SEED gives others; a failing one is printed.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "../support/random_case.h"

enum { PROGRAMS = 60 };

static void run_cases(const char *passes, uint64_t seed, uint32_t n) {
  Dice dice = dice_new(seed);
  uint32_t run = 0, refused = 0, before = 0, after = 0, changes = 0;
  for (uint32_t i = 0; i < n; i++) {
    Case c = {.seed = dice_roll(&dice, 1u << 30), .optimize = true, .passes = passes};
    Status *status = guard_run(one_case, &c);
    if (status) fail_msg("%s: %s", passes ? passes : "all passes", status_message(status));
    run += c.run, refused += c.refused, before += c.before, after += c.collectives;
    for (PassId k = 0; k < PASS_COUNT; k++) changes += c.stats.changes[k];
  }
  printf("%s: %u programs ran, %u changes, %u collectives before, %u after; %u refused\n",
         passes ? passes : "all", run, changes, before, after, refused);
}

static void test_all_passes(void **state) {
  (void)state;
  run_cases(NULL, 6002, PROGRAMS);
}

static void test_each_pass(void **state) {
  (void)state;
  for (PassId k = 0; k < PASS_COUNT; k++) run_cases(pass_name(k), 6003 + k, PROGRAMS / 3);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_all_passes),
                                     cmocka_unit_test(test_each_pass)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
