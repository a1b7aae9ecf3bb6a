// libFuzzer target of the planner's problems: any bytes, plain or gzip, are read without a crash;
// what reads is written and read back the same; a small problem is reduced, and its reduced plans
// expand to plans of the same cost.
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "solve/iopddl.h"
#include "solve/solve.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST_BYTES = 1 << 20, MOST_VARS = 200, MOST_STATES = 2000 };

typedef struct Run {
  Problem problem, back;
  StrBuf text, again;
  Stream *stream;
  uint32_t *choice;
} Run;

static void run_close(void *object) {
  Run *run = object;
  problem_deinit(&run->problem);
  problem_deinit(&run->back);
  strbuf_deinit(&run->text);
  strbuf_deinit(&run->again);
  stream_close(run->stream);
  mem_free(run->stream);
  mem_free(run->choice);
}

static Status *read_into(Run *run, Str bytes, Problem *problem) {
  Status *status = stream_open_memory(run->stream, bytes, MOST_BYTES);
  if (!status) status = iopddl_read(run->stream, problem);
  stream_close(run->stream);
  return status;
}

static void check_text(Run *run) {
  iopddl_write(&run->problem, &run->text);
  if (read_into(run, (Str){run->text.data, run->text.used}, &run->back)) abort();
  iopddl_write(&run->back, &run->again);
  if (run->text.used != run->again.used || memcmp(run->text.data, run->again.data, run->text.used))
    abort();
}

// solve_problem checks by itself that the plan's cost is the reduced problem's: INTERNAL if not.
static void check_solve(Run *run, Guard *guard) {
  if (run->problem.vars.count > MOST_VARS || run->problem.costs.count > MOST_STATES) return;
  SolveOptions options = {.level = 1, .seconds = 0.01};
  SolveResult result;
  run->choice = mem_alloc((run->problem.vars.count + 1) * sizeof *run->choice);
  if (!run->choice) return;
  Status *status = solve_problem(&run->problem, &options, guard, run->choice, &result);
  if (status) fprintf(stderr, "%s\n", status_message(status)), abort();
}

static Status *body(Guard *guard, void *arg) {
  Run run = {0};
  GuardCleanup cleanup = {run_close, &run, NULL};
  problem_init(&run.problem, guard);
  problem_init(&run.back, guard);
  strbuf_init(&run.text, guard);
  strbuf_init(&run.again, guard);
  run.stream = mem_alloc(sizeof *run.stream);
  if (!run.stream) return status_no_memory();
  memset(run.stream, 0, sizeof *run.stream);
  guard_push(guard, &cleanup);
  Status *status = read_into(&run, *(const Str *)arg, &run.problem);
  if (!status) {
    check_text(&run);
    check_solve(&run, guard);
  }
  guard_pop(guard, &cleanup);
  run_close(&run);
  return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  Str text = {(const char *)data, size};
  status_free(guard_run(body, &text));
  return 0;
}
