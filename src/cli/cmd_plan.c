// `tessera plan`: chooses a mesh and shardings by search.
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "cli/annotations.h"
#include "cli/report_page.h"
#include "cli/rewrite.h"
#include "pipeline/plan.h"
#include "pipeline/predicted.h"

typedef struct PlanJob {
  Rewrite rewrite;
  PlanRequest request;
  bool json, o2;
  const char *plan_out, *report;
  const char *machine;  // as given
  uint64_t memory;
  Plan plan;
  Predicted shown;
  StrBuf text;  // the plan as JSON
  char *saved;  // the same, to be written after everything else
  size_t n_saved;
} PlanJob;

static Status *plan_segment_body(void *arg) {
  PlanJob *job = arg;
  Session *s = &job->rewrite.session;
  plan_flatten(s->program, s->guard, &s->arena);
  TRY(session_read_machine(s, job->request.annotations.machine));
  if (!s->machine) TRY(session_read_machine(s, machine_text("default")));
  if (!job->request.devices && !job->request.annotations.n_meshes)
    job->request.devices = machine_devices(s->machine);
  return plan_program(s->program, &job->request, s->guard, &s->arena, &job->plan);
}

// The page of the plan's simulated step. Compiles the plan once more, with reasons.
static Status *write_report(PlanJob *job, Guard *guard) {
  Session *s = &job->rewrite.session;
  const Plan *plan = &job->plan;
  CompileRequest request = {.annotations.machine = job->request.annotations.machine,
                            .annotations.trip_count = job->request.annotations.trip_count,
                            .annotations.call_rules = job->request.annotations.call_rules,
                            .plan = true,
                            .local = {.why = true, .decisions = {job->text.data, job->text.used}},
                            .simulate = true,
                            .stop_after = STAGE_MEASURE};
  Compiled compiled;
  TRY(compile(s, &request, &compiled));
  predicted_init(&job->shown, s, &compiled.prediction, guard);
  ReportRunnerUp *others = ARENA_ARRAY(&s->arena, ReportRunnerUp, plan->n_trials + 1);
  uint32_t n = 0;
  for (uint32_t i = 0; i < plan->n_trials; i++)
    if (!plan->trials[i].refused && plan->trials[i].mesh != plan->best.mesh)
      others[n++] = (ReportRunnerUp){plan->trials[i].mesh, plan->trials[i].seconds,
                                     plan->trials[i].peak_bytes};
  ReportPlan about = {.strategy = plan->strategy,
                      .bound_seconds = plan->best.bound_seconds,
                      .gap = plan->best.cost_seconds > 0
                                 ? 1 - plan->best.bound_seconds / plan->best.cost_seconds
                                 : 0,
                      .runners_up = others,
                      .n_runners_up = n};
  return cli_report_page(&job->shown.show, job->rewrite.source->path, &about, job->report, guard);
}

static Status *plan_segment(Guard *guard, void *arg) {
  PlanJob *job = arg;
  Rewrite *r = &job->rewrite;
  CompileRequest read = {.stop_after = STAGE_VERIFY};
  Compiled compiled;
  bool good;
  TRY(rewrite_compile(r, guard, &read, plan_segment_body, job, &compiled, &good));
  if (!good) return NULL;
  if ((job->plan_out || job->report) && r->index) {
    cli_error("--plan-out and --report take a file with one program, and %s has several",
              r->source->path);
    return NULL;
  }
  if (!job->plan.decisions)
    FAIL(RESOURCE_EXHAUSTED, "no plan: %s%s%s",
         job->plan.best.refused ? job->plan.best.refused : "none was found",
         job->plan.shortfall ? ": " : "", job->plan.shortfall ? job->plan.shortfall : "");
  strbuf_init(&job->text, guard);
  plan_json(&job->plan, job->machine, &job->text);
  if (job->report) TRY(write_report(job, guard));
  if (job->plan_out) {
    job->saved = mem_alloc(job->text.used + 1);
    if (!job->saved) return status_no_memory();
    memcpy(job->saved, job->text.data, job->n_saved = job->text.used);
  }
  r->code = EXIT_OK;
  if (job->json)
    strbuf_put(&r->out, job->text.data, job->text.used);
  else
    plan_put(&job->plan, job->machine, &r->out);
  return NULL;
}

static void release(void *arg) {
  predicted_deinit(&((PlanJob *)arg)->shown);
  strbuf_deinit(&((PlanJob *)arg)->text);
}

// The text of a machine without its shape, for more devices than it has. NULL = the default.
static const char *any_shape(const char *machine, char *buf, size_t n) {
  if (!machine) return NULL;
  size_t end = strcspn(machine, ":");
  if (!machine[end] || end >= n) return NULL;
  memcpy(buf, machine, end);
  buf[end] = 0;
  return machine_text(buf);
}

// Found before the search, not after it.
static bool can_write(const char *path) {
  if (!path || cli_is_stdout(path)) return true;
  const char *slash = strrchr(path, '/');
  char *directory = slash ? mem_alloc((size_t)(slash - path) + 2) : NULL;
  if (slash && !directory) return true;
  if (slash) {
    memcpy(directory, path, (size_t)(slash - path) + 1);
    directory[slash - path + 1] = 0;
  }
  bool can = access(directory ? directory : ".", W_OK | X_OK) == 0;
  if (!can) cli_error("%s: cannot be written: %s", path, strerror(errno));
  mem_free(directory);
  return can;
}

// The plan is written last: nothing is written if anything before fails.
static int write_plan(const PlanJob *job, int code) {
  if (code != EXIT_OK || !job->saved) return code;
  Status *status = cli_is_stdout(job->plan_out)
                       ? cli_flush(NULL, job->saved, job->n_saved)
                       : file_write(job->plan_out, job->saved, job->n_saved);
  if (!status) return code;
  cli_fail(status);
  return EXIT_BAD;
}

static const Usage usage = {
    "plan", "[FILE]",
    "Chooses a mesh and the sharding of every value, so that a step takes the least time and fits "
    "in the devices' memory. Annotations are constraints, not hints: an annotated value keeps its "
    "sharding. The plan is a set of decisions that tessera partition --plan obeys. The bound is "
    "proven for the sum of all times, over the strategies that were enumerated.",
    "  tessera plan step.mlir --machine h100:8x4\n"
    "  tessera plan step.mlir --machine tpu_v5p:4x4 --mesh data=4,model=4\n"
    "  tessera plan step.mlir --machine h100:8 --plan-out plan.json --report plan.html\n"
    "  tessera partition step.mlir --plan plan.json --machine h100:8 -o local.mlir"};

int command_plan(int argc, char **argv) {
  PlanJob job = {.rewrite.verb = "plan", .request.level = 1};
  Annotations annotations;
  TextList files = {mem_alloc((size_t)(argc + 1) * sizeof *files.items), 0};
  enum { N_OWN = 8 };
  Option options[ANNOTATION_OPTIONS + N_OWN];
  bool ready = annotations_init(&annotations, argc) && files.items;
  annotations_options(&annotations, options);
  const Option own[N_OWN] = {
      {"-O2", OPTION_FLAG, &job.o2, NULL,
       "search longer: more strategies per op, meshes of three axes"},
      {"--untied", OPTION_FLAG, &job.request.untied, NULL,
       "repeated layers may get different plans"},
      {"--no-greedy", OPTION_FLAG, &job.request.no_greedy, NULL,
       "do not try plans in which the partitioner chooses all but arguments and results"},
      {"--memory", OPTION_NUMBER, &job.memory, "BYTES",
       "memory of a device that the plan may use (default: the machine's)"},
      {"--json", OPTION_FLAG, &job.json, NULL, "print the plan as JSON"},
      {"--plan-out", OPTION_TEXT, &job.plan_out, "FILE",
       "write the plan there, as JSON; - is standard output"},
      {"--report", OPTION_TEXT, &job.report, "FILE.html", cli_report_help},
      {"-o", OPTION_TEXT, &job.rewrite.output, "FILE", "write there instead of standard output"},
  };
  memcpy(options + ANNOTATION_OPTIONS, own, sizeof own);
  int code = EXIT_BAD;
  ParseArgs args = ARGS_BAD;
  if (ready)
    args = cli_options(&usage, options, ANNOTATION_OPTIONS + N_OWN, argc, argv, &files);
  else
    cli_fail(status_no_memory());
  if (args == ARGS_HELP) code = EXIT_OK;
  if (args == ARGS_OK && files.count > 1) {
    cli_error("plan takes one program, %u are given", files.count);
  } else if (args == ARGS_OK && can_write(job.plan_out) && can_write(job.report) &&
             annotations_read(&annotations)) {
    job.request.annotations = annotations.request;
    job.request.devices = (uint32_t)annotations.request.devices;
    if (!annotations.request.n_meshes) job.request.annotations.devices = 0;
    job.request.limit_bytes = (double)job.memory;
    job.request.level = job.o2 ? 2 : 1;
    char name[64];
    const char *grown = any_shape(annotations.machine, name, sizeof name);
    job.request.machine_of_any_shape = grown ? grown : annotations.request.machine;
    job.machine = annotations.machine ? annotations.machine : "default";
    code =
        rewrite_file(&job.rewrite, files.count ? files.items[0] : "-", plan_segment, release, &job);
    code = write_plan(&job, code);
  }
  annotations_deinit(&annotations);
  mem_free(files.items);
  mem_free(job.saved);
  return code;
}
