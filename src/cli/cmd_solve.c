// `tessera solve`: runs the planner's solver alone, on a problem in IOPDDL's JSON.
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/pool.h"
#include "cli/cli.h"
#include "cli/progress.h"
#include "solve/iopddl.h"
#include "solve/solve.h"

typedef struct SolveJob {
  const char *path, *output, *given;  // given: a solution to evaluate instead of solving
  SolveOptions options;
  bool json;
  CliProgress progress;
  Stream *stream;
  Problem problem;
  StrBuf out;
  double started, read_seconds;
  uint64_t threads;
  int code;
} SolveJob;

static const char *shown_path(const char *path) {
  return strcmp(path, "-") == 0 ? "<stdin>" : path;
}

// "FILE: line 3: …"
static Status *about_file(const char *path, Status *status) {
  Status *located = status_new(status_code(status), __FILE__, __LINE__, "%s: %s", shown_path(path),
                               status_message(status));
  status_free(status);
  return located;
}

// Costs have up to 128 bits.
static const char *wide_text(Wide value, char *buffer, size_t size) {
  char *at = buffer + size - 1;
  bool negative = value < 0;
  *at = '\0';
  do {
    int digit = (int)(value % 10);
    *--at = (char)('0' + (digit < 0 ? -digit : digit));
    value /= 10;
  } while (value);
  if (negative) *--at = '-';
  return at;
}

static bool has_plan(const SolveResult *r) {
  return r->outcome == SOLVE_OPTIMAL || r->outcome == SOLVE_FEASIBLE;
}

static double gap_of(const SolveResult *r) {
  if (r->cost <= r->bound) return 0;
  return r->bound > 0 ? (double)r->cost / (double)r->bound - 1 : (double)INFINITY;
}

static const char *const outcome_words[] = {"optimal", "feasible", "unknown", "infeasible"};

// ---- output ----

static void json_wide(Json *json, Wide value) {
  char buffer[48];
  if (value >= INT64_MIN && value <= INT64_MAX)
    json_int(json, (int64_t)value);
  else
    json_string(json, wide_text(value, buffer, sizeof buffer));
}

// [work, cost, bound] over the search; null: none yet.
static void put_samples(Json *json, const SolveResult *r) {
  json_key(json, "samples"), json_open(json, '[');
  for (uint32_t i = 0; i < r->n_samples; i++) {
    const SolveSample *sample = &r->samples[i];
    json_open(json, '[');
    json_uint(json, sample->work);
    if (sample->cost < INT64_MAX)
      json_int(json, sample->cost);
    else
      json_null(json);
    if (sample->bound > INT64_MIN)
      json_int(json, sample->bound);
    else
      json_null(json);
    json_close(json, ']');
  }
  json_close(json, ']');
}

static void put_json(SolveJob *job, const SolveResult *r, double seconds) {
  Json json = {.out = &job->out};
  json_open(&json, '{');
  json_key(&json, "file"), json_string(&json, job->path);
  json_key(&json, "status"), json_string(&json, outcome_words[r->outcome]);
  json_key(&json, "cost");
  if (has_plan(r))
    json_wide(&json, r->cost);
  else
    json_null(&json);
  json_key(&json, "bound");
  if (r->bound > INT64_MIN)
    json_int(&json, r->bound);
  else
    json_null(&json);
  json_key(&json, "gap"), json_double(&json, has_plan(r) ? gap_of(r) : (double)INFINITY);
  json_key(&json, "seconds"), json_double(&json, seconds);
  json_key(&json, "read_seconds"), json_double(&json, job->read_seconds);
  json_key(&json, "solve_seconds"), json_double(&json, seconds - job->read_seconds);
  json_key(&json, "peak_bytes"), json_wide(&json, r->peak_bytes);
  json_key(&json, "limit_bytes"), json_int(&json, job->problem.limit_bytes);
  json_key(&json, "nodes"), json_uint(&json, job->problem.vars.count);
  json_key(&json, "edges"), json_uint(&json, job->problem.edges.count);
  json_key(&json, "reduced_nodes"), json_uint(&json, r->core_vars);
  json_key(&json, "reduced_edges"), json_uint(&json, r->core_edges);
  if (r->outcome == SOLVE_INFEASIBLE && r->least_bytes) {
    json_key(&json, "least_bytes"), json_int(&json, r->least_bytes);
    json_key(&json, "infeasible_time"), json_int(&json, r->infeasible_time);
  }
  json_key(&json, "price_steps"), json_uint(&json, r->price_steps);
  json_key(&json, "work"), json_uint(&json, r->work);
  put_samples(&json, r);
  json_key(&json, "reproducible"), json_bool(&json, job->options.seconds <= 0);
  json_close(&json, '}');
  json_newline(&json);
}

static void put_plan(SolveJob *job, const SolveResult *r) {
  char buffer[48];
  strbuf_printf(&job->out, "cost     %s\n", wide_text(r->cost, buffer, sizeof buffer));
  if (r->bound > INT64_MIN)
    strbuf_printf(&job->out, "bound    %" PRId64 "\n", r->bound);
  else
    strbuf_puts(&job->out, "bound    none\n");
  if (r->outcome == SOLVE_OPTIMAL)
    strbuf_puts(&job->out, "gap      0 (optimal)\n");
  else if (isfinite(gap_of(r)))
    strbuf_printf(&job->out, "gap      %.4f %%\n", 100 * gap_of(r));
  strbuf_printf(&job->out, "memory   %s of", wide_text(r->peak_bytes, buffer, sizeof buffer));
  strbuf_printf(&job->out, " %" PRId64 " bytes at the peak\n", job->problem.limit_bytes);
}

static void put_infeasible(SolveJob *job, const SolveResult *r) {
  strbuf_puts(&job->out, "infeasible: no choice of strategies avoids forbidden costs and fits in "
                         "the memory limit (proven)\n");
  if (r->least_bytes)
    strbuf_printf(&job->out,
                  "memory   every choice needs at least %" PRId64 " bytes, %" PRId64
                  " more than the limit, at time %" PRId64 "\n",
                  r->least_bytes, r->least_bytes - job->problem.limit_bytes, r->infeasible_time);
  else
    strbuf_puts(&job->out, "memory   any limit: no choice avoids forbidden costs\n");
}

static void put_text(SolveJob *job, const SolveResult *r, double seconds) {
  if (has_plan(r))
    put_plan(job, r);
  else if (r->outcome == SOLVE_INFEASIBLE)
    put_infeasible(job, r);
  else
    strbuf_puts(&job->out, "no plan found; one may exist: try -O2 or a longer --time-limit\n");
  strbuf_printf(&job->out, "seconds  %.2f (reading %.2f, solving %.2f)\n", seconds,
                job->read_seconds, seconds - job->read_seconds);
  strbuf_printf(&job->out, "reduced  %u nodes and %u edges to %u and %u\n", job->problem.vars.count,
                job->problem.edges.count, r->core_vars, r->core_edges);
  if (has_plan(r))
    strbuf_puts(&job->out,
                "The bound covers every choice of one strategy per node that fits in the "
                "memory limit.\n");
  if (job->options.seconds > 0)
    strbuf_puts(&job->out, "--time-limit: the plan depends on this machine's speed.\n");
}

static Status *write_solution(SolveJob *job, const uint32_t *choice) {
  StrBuf text;
  strbuf_init(&text, job->out.guard);
  GuardCleanup cleanup = {strbuf_release, &text, NULL};
  guard_push(job->out.guard, &cleanup);
  iopddl_write_solution(&job->problem, choice, &text);
  Status *status = file_write(job->output, text.data, text.used);
  guard_pop(job->out.guard, &cleanup);
  strbuf_deinit(&text);
  return status;
}

// ---- running ----

static Status *read_problem(SolveJob *job) {
  Status *status = stream_open(job->stream, job->path, IOPDDL_MOST_BYTES);
  if (status) return status;
  status = iopddl_read(job->stream, &job->problem);
  stream_close(job->stream);
  return status ? about_file(job->path, status) : NULL;
}

// Evaluates the solution of --check by the definition of the problem.
static Status *check_given(SolveJob *job, uint32_t *choice) {
  Status *status = stream_open(job->stream, job->given, IOPDDL_MOST_BYTES);
  if (status) return status;
  status = iopddl_read_solution(job->stream, &job->problem, choice);
  stream_close(job->stream);
  if (status) return about_file(job->given, status);
  PlanValue value = problem_evaluate(&job->problem, choice);
  char cost[48], peak[48];
  bool good = plan_feasible(&job->problem, &value);
  strbuf_printf(&job->out, "cost     %s\n", wide_text(value.cost, cost, sizeof cost));
  strbuf_printf(&job->out, "memory   %s of", wide_text(value.peak_bytes, peak, sizeof peak));
  strbuf_printf(&job->out, " %" PRId64 " bytes at the peak\n", job->problem.limit_bytes);
  if (value.forbidden)
    strbuf_printf(&job->out, "forbidden entries: %" PRIu64 "\n", value.forbidden);
  strbuf_puts(&job->out, good ? "feasible\n" : "not feasible\n");
  job->code = good ? EXIT_OK : EXIT_NO;
  return NULL;
}

static Status *solve_given(SolveJob *job, uint32_t *choice) {
  SolveResult result;
  SolveOptions options = job->options;
  options.threads = job->threads ? (uint32_t)job->threads : pool_cores();
  // Reading counts, and a step in progress is finished: stop a little early.
  if (options.seconds > 0)
    options.seconds = fmax(0.01, 0.94 * options.seconds - (clock_seconds() - job->started));
  TRY(solve_problem(&job->problem, &options, job->out.guard, choice, &result));
  cli_progress_clear(&job->progress);
  double seconds = clock_seconds() - job->started;
  if (job->json)
    put_json(job, &result, seconds);
  else
    put_text(job, &result, seconds);
  job->code = has_plan(&result) ? EXIT_OK : EXIT_NO;
  return has_plan(&result) && job->output ? write_solution(job, choice) : NULL;
}

static void release_job(void *object) {
  SolveJob *job = object;
  stream_close(job->stream);
  problem_deinit(&job->problem);
  strbuf_deinit(&job->out);
}

static Status *run_all(SolveJob *job, Guard *guard) {
  Arena arena;
  TRY(read_problem(job));
  job->read_seconds = clock_seconds() - job->started;
  arena_init(&arena, guard);
  GuardCleanup cleanup = {arena_release, &arena, NULL};
  guard_push(guard, &cleanup);
  uint32_t *choice = ARENA_ARRAY(&arena, uint32_t, job->problem.vars.count + 1);
  Status *status = job->given ? check_given(job, choice) : solve_given(job, choice);
  guard_pop(guard, &cleanup);
  arena_deinit(&arena);
  if (!status && !cli_put(job->out.data ? job->out.data : "", job->out.used)) job->code = EXIT_BAD;
  return status;
}

static Status *run(Guard *guard, void *arg) {
  SolveJob *job = arg;
  GuardCleanup cleanup = {release_job, job, NULL};
  job->started = clock_seconds();
  problem_init(&job->problem, guard);
  strbuf_init(&job->out, guard);
  guard_push(guard, &cleanup);
  cli_progress_use(&job->progress, guard);
  guard_tell(guard, "reading", 0, 0);
  Status *status = run_all(job, guard);
  guard_pop(guard, &cleanup);
  release_job(job);
  return status;
}

static const Usage usage = {
    "solve", "FILE",
    "Chooses one strategy per node so that the sum of node and edge costs is least and memory "
    "never\n"
    "exceeds the limit. FILE is a problem in the JSON of the ASPLOS 2025 IOPDDL contest, plain or "
    "gzip.\n"
    "Prints the cost, a proven lower bound, and the gap between them. The budget counts work, not\n"
    "seconds: the same file gives the same plan on every machine. Exit code 1: no plan.",
    "  tessera solve A.json.gz -o plan.json\n"
    "  tessera solve A.json.gz -O1 --json\n"
    "  tessera solve A.json.gz --check plan.json"};

static int run_job(SolveJob *job) {
  job->stream = mem_alloc(sizeof *job->stream);
  if (!job->stream) return cli_fail(status_no_memory());
  memset(job->stream, 0, sizeof *job->stream);
  job->code = EXIT_BAD;
  cli_progress_init(&job->progress, "solve");
  Status *status = guard_run(run, job);
  cli_progress_clear(&job->progress);
  if (status) job->code = cli_fail(status);
  mem_free(job->stream);
  return job->code;
}

int command_solve(int argc, char **argv) {
  SolveJob job = {.options.level = 2};
  bool fast = false, thorough = false;
  const char *seconds = NULL;
  const Option options[] = {
      {"-O1", OPTION_FLAG, &fast, NULL, "a small budget: about a second"},
      {"-O2", OPTION_FLAG, &thorough, NULL, "the default: seconds to a minute"},
      {"--work", OPTION_NUMBER, &job.options.work_scale, "N", "N times the budget (default 1)"},
      {"--time-limit", OPTION_TEXT, &seconds, "SECONDS",
       "use up to SECONDS instead of a budget; not reproducible: the plan depends on the machine's "
       "speed"},
      {"--threads", OPTION_NUMBER, &job.threads, "N",
       "threads (default: one per core); the plan does not depend on them"},
      {"--json", OPTION_FLAG, &job.json, NULL, "print one object: cost, bound, seconds, …"},
      {"--check", OPTION_TEXT, &job.given, "SOLUTION",
       "evaluate a solution file instead of solving"},
      {"-o", OPTION_TEXT, &job.output, "SOLUTION", "write the strategies there: a JSON list"},
  };
  TextList files = {mem_alloc((size_t)(argc + 1) * sizeof *files.items), 0};
  if (!files.items) return cli_fail(status_no_memory());
  ParseArgs args =
      cli_options(&usage, options, sizeof options / sizeof *options, argc, argv, &files);
  int code = args == ARGS_HELP ? EXIT_OK : EXIT_BAD;
  if (args == ARGS_OK && files.count > 1) {
    cli_error("solve takes one problem, %u are given", files.count);
  } else if (args == ARGS_OK && fast && thorough) {
    cli_error("-O1 and -O2 exclude each other");
  } else if (args == ARGS_OK && job.options.work_scale > 1000000) {
    cli_error("--work takes at most 1000000");
  } else if (args == ARGS_OK && job.threads > 1024) {
    cli_error("--threads takes at most 1024");
  } else if (args == ARGS_OK && cli_seconds("--time-limit", seconds, &job.options.seconds)) {
    job.path = files.count ? files.items[0] : "-";
    if (fast) job.options.level = 1;
    code = run_job(&job);
  }
  mem_free(files.items);
  return code;
}
