// Seeded faults: accesses outside of operands and races, in compiled loops and in kernels, must be
// found by the sanitizer of the build. Each fault runs in a process of its own, which this program
// starts with the fault's name.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/sanitize.h"
#include "execute/execute_fixture.h"
#include "execute/executable.h"
#include "tensor/loop.h"

// Faults run outside of cmocka, whose assertions would end the process without a word.
static void good(Status *status) {
  if (!status) return;
  fprintf(stderr, "%s\n", status_message(status));
  exit(3);
}
static void must(bool condition, const char *text) {
  if (condition) return;
  fprintf(stderr, "%s\n", text);
  exit(3);
}

// ---- a compiled loop: y[row, i] = x[row, i] + x[row, i] ----

enum { ROWS = 2, INNER = 100 };

typedef struct Sum {
  Arena arena;
  LoopPlan plan;
  float *x, *y;
  char *scratch;
} Sum;

static Status *plan_sum(Guard *guard, void *arg) {
  Sum *sum = arg;
  arena_init(&sum->arena, guard);
  LoopAccess *accesses = ARENA_ARRAY(&sum->arena, LoopAccess, 2);
  LoopStep *steps = ARENA_ARRAY(&sum->arena, LoopStep, 3);
  accesses[0] = (LoopAccess){.buffer = 0, .dtype = DT_f32, .grid = {INNER}, .inner = 1};
  accesses[1] = (LoopAccess){.buffer = 1, .dtype = DT_f32, .grid = {INNER}, .inner = 1};
  steps[0] = (LoopStep){.op = SCALAR_load, .dtype = DT_f32, .level = LOOP_ELEMENT};
  steps[1] = (LoopStep){.op = SCALAR_add, .dtype = DT_f32, .from = DT_f32, .level = LOOP_ELEMENT};
  steps[2] = (LoopStep){
      .op = SCALAR_store, .dtype = DT_f32, .level = LOOP_ELEMENT, .access = 1, .in = {1}};
  Loop loop = {.n_grid = 1,
               .n_kept = 1,
               .grid = {ROWS},
               .n_outer = 1,
               .outers = {1},
               .outer = 1,
               .inner = INNER,
               .n_steps = 3,
               .n_accesses = 2,
               .n_passes = 1,
               .n_buffers = 2,
               .steps = steps,
               .accesses = accesses};
  must(loop_plan(&sum->plan, &loop, loop_compiled(), &sum->arena), "the loop is refused");
  sum->x = calloc(ROWS * INNER, sizeof *sum->x);
  sum->y = calloc(ROWS * INNER, sizeof *sum->y);
  sum->scratch = aligned_alloc(64, (ROWS * sum->plan.scratch_bytes + 127) / 64 * 64);
  must(sum->x && sum->y && sum->scratch, "no memory");
  for (int i = 0; i < ROWS * INNER; i++) sum->x[i] = (float)i;
  return NULL;
}

static void sum_free(Sum *sum) {
  free(sum->x), free(sum->y), free(sum->scratch);
  arena_deinit(&sum->arena);
}

static void sum_run(Sum *sum, float *x, float *y, int row) {
  void *buffers[] = {x, y};
  size_t each = (sum->plan.scratch_bytes + 63) / 64 * 64;
  loop_run(&sum->plan, buffers, NULL, (uint64_t)row, (uint64_t)row + 1,
           sum->scratch + (size_t)row * each);
}

static void loop_load(void) {  // one element behind the last
  Sum sum;
  good(guard_run(plan_sum, &sum));
  sum_run(&sum, sum.x + 1, sum.y, 1);
  sum_free(&sum);
}

static void loop_store(void) {
  Sum sum;
  good(guard_run(plan_sum, &sum));
  sum_run(&sum, sum.x, sum.y + 1, 1);
  sum_free(&sum);
}

typedef struct Row {
  Sum *sum;
  int row;
} Row;

static void *run_row(void *arg) {
  const Row *row = arg;
  float *y = row->sum->y - (row->row ? INNER : 0);  // both store into the first row
  sum_run(row->sum, row->sum->x, y, row->row);
  return NULL;
}

static void loop_race(void) {
  Sum sum;
  good(guard_run(plan_sum, &sum));
  pthread_t threads[2];
  Row rows[2] = {{&sum, 0}, {&sum, 1}};
  for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, run_row, &rows[i]);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
  sum_free(&sum);
}

// ---- kernels on a device's arena ----

// The results of the first sort are temporaries of 64 bytes.
static const char sorts[] =
    "func.func @main(%x: tensor<16xf32>, %y: tensor<16xf32>) -> tensor<16xf32> {\n"
    "  %a:2 = \"stablehlo.sort\"(%x, %y) ({\n"
    "  ^bb0(%p: tensor<f32>, %q: tensor<f32>, %r: tensor<f32>, %s: tensor<f32>):\n"
    "    %c = stablehlo.compare LT, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
    "    stablehlo.return %c : tensor<i1>\n"
    "  }) {dimension = 0 : i64} : (tensor<16xf32>, tensor<16xf32>) -> "
    "(tensor<16xf32>, tensor<16xf32>)\n"
    "  %b:2 = \"stablehlo.sort\"(%a#0, %a#1) ({\n"
    "  ^bb0(%p: tensor<f32>, %q: tensor<f32>, %r: tensor<f32>, %s: tensor<f32>):\n"
    "    %c = stablehlo.compare GT, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
    "    stablehlo.return %c : tensor<i1>\n"
    "  }) {dimension = 0 : i64} : (tensor<16xf32>, tensor<16xf32>) -> "
    "(tensor<16xf32>, tensor<16xf32>)\n"
    "  return %b#1 : tensor<16xf32>\n"
    "}\n";

static void beyond_operand(const Kernel *kernel, void *const *buffers, uint32_t tile,
                           void *scratch) {
  (void)tile, (void)scratch;
  char *out = buffers[2];  // 64 bytes, and the next operand of this kernel is a red zone away
  *(volatile char *)(out + *(const int *)kernel->data) = 1;
}

// The first instruction becomes a kernel that writes a byte at `offset` of its first output.
static void write_at(int offset) {
  ExecuteFixture f = {.text = sorts, .options.workers = 1};
  good(execute_fixture_open(&f));
  Kernel wrong = {.name = "wrong", .run = beyond_operand, .data = &offset, .n_tiles = 1};
  Instr *first = &f.exe->main.items[0];
  must(first->n_in == 2 && first->n_out == 2, "the first instruction is another one");
  first->kind = INSTR_KERNEL;
  first->kernel = &wrong;
  good(execute_fixture_run(&f));
  execute_fixture_close(&f);
}

static void operand_inside(void) { write_at(63); }
static void operand_behind(void) { write_at(64); }
static void operand_before(void) { write_at(-1); }

// Two devices get the same memory for their results.
static const char twice[] = "func.func @main(%x: tensor<4096xf32>) -> tensor<4096xf32> {\n"
                            "  %a = stablehlo.add %x, %x : tensor<4096xf32>\n"
                            "  return %a : tensor<4096xf32>\n"
                            "}\n";

static void result_race(void) {
  ExecuteFixture f = {.text = twice, .options = {.workers = 2, .eval.partitions = 2}};
  good(execute_fixture_open(&f));
  good(execute_fixture_run(&f));
  literal_release(f.out[1]);
  f.out[1] = f.out[0];
  for (int i = 0; i < 1000; i++) good(execute_fixture_run(&f));
  execute_fixture_close(&f);
}

// ---- the processes ----

enum { ANY = 0, ASAN = 1, TSAN = 2 };
typedef struct Seed {
  const char *name, *report;  // NULL: no fault
  int build;
  bool compiled;  // needs compiled loops
  void (*run)(void);
} Seed;

static const Seed seeds[] = {
    {"loop_load", "heap-buffer-overflow", ASAN, true, loop_load},
    {"loop_store", "heap-buffer-overflow", ASAN, true, loop_store},
    {"loop_race", "data race", TSAN, true, loop_race},
    {"operand_inside", NULL, ANY, false, operand_inside},
    {"operand_behind", "use-after-poison", ASAN, false, operand_behind},
    {"operand_before", "AddressSanitizer", ASAN, false, operand_before},
    {"result_race", "data race", TSAN, true, result_race},
};
enum { N_SEEDS = sizeof seeds / sizeof *seeds };

static char *self;

static void check_seed(const Seed *seed) {
  int build = SANITIZE_ADDRESS ? ASAN : SANITIZE_THREAD ? TSAN : ANY;
  if ((seed->build && seed->build != build) || (seed->compiled && !loop_compiled())) return;
  char command[4096], text[8192];
  snprintf(command, sizeof command, "'%s' %s 2>&1", self, seed->name);
  FILE *f = popen(command, "r");
  assert_non_null(f);
  size_t n = fread(text, 1, sizeof text - 1, f);
  text[n] = 0;
  while (getc(f) != EOF) continue;
  int status = pclose(f);
  if (!seed->report && status != 0) fail_msg("%s fails: %s", seed->name, text);
  if (seed->report && (status == 0 || !strstr(text, seed->report)))
    fail_msg("%s is not found (status %d): %s", seed->name, status, text);
}

static void test_seeds(void **state) {
  (void)state;
  for (int i = 0; i < N_SEEDS; i++) check_seed(&seeds[i]);
}

int main(int argc, char **argv) {
  for (int i = 0; i < N_SEEDS && argc == 2; i++)
    if (strcmp(seeds[i].name, argv[1]) == 0) {
      seeds[i].run();
      return 0;
    }
  self = argv[0];
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_seeds)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
