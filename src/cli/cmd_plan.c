// `tessera plan`: chooses a mesh and shardings by search.
#include <errno.h>
#include <inttypes.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/pool.h"
#include "cli/annotations.h"
#include "cli/plan_share.h"
#include "cli/report_page.h"
#include "cli/rewrite.h"
#include "ir/clone.h"
#include "pipeline/plan.h"
#include "pipeline/predicted.h"

typedef enum PlanForm { PLAN_TEXT, PLAN_JSON, PLAN_SDY, PLAN_MHLO, PLAN_JAX } PlanForm;
static const char *const forms[] = {"text", "json", "sdy", "mhlo", "jax"};

typedef struct PlanJob {
  Rewrite rewrite;
  PlanRequest request;
  bool json, o2;
  const char *emit;  // as given
  PlanForm form;
  Session emitted;  // the annotated program
  const char *plan_out, *report;
  const char *machine;  // as given
  const char *memory;
  const char *layers;  // as given
  TextList why_not, share;
  const char *weights;
  const char *time_limit, *from;
  uint64_t threads;
  char *old;  // the text of `from`
  size_t n_old;
  TextList state;   // --state
  Program *source;  // before calls were inlined
  Program *flat;    // after, for put_program
  Plan plan;
  Predicted shown;
  StrBuf text;  // the plan as JSON
  char *saved;  // the same, to be written after everything else
  size_t n_saved;
} PlanJob;

static Status *answer_questions(PlanJob *job) {
  Session *s = &job->rewrite.session;
  uint32_t n = job->why_not.count;
  PlanAnswer *answers = ARENA_ARRAY(&s->arena, PlanAnswer, n + 1);
  for (uint32_t i = 0; i < n; i++) {
    guard_tell(s->guard, "answering --why-not", i, n);
    TRY(plan_why_not(s->program, &job->request, &job->plan, job->why_not.items[i], s->guard,
                     &s->arena, &answers[i]));
  }
  job->plan.answers = answers;
  job->plan.n_answers = n;
  return NULL;
}

static Status *plan_segment_body(void *arg) {
  PlanJob *job = arg;
  Session *s = &job->rewrite.session;
  job->source = program_clone(s->program, s->context, s->guard);
  job->request.source = job->source;
  plan_flatten(s->program, s->guard, &s->arena);
  TRY(session_read_machine(s, job->request.annotations.machine));
  if (!s->machine) TRY(session_read_machine(s, machine_text("default")));
  if (!job->request.devices && !job->request.annotations.n_meshes)
    job->request.devices = machine_devices(s->machine);
  if (job->old)
    TRY(plan_from(s->program, &job->request, (Str){job->old, job->n_old}, job->from, s->guard,
                  &s->arena, &job->plan));
  else
    TRY(plan_program(s->program, &job->request, s->guard, &s->arena, &job->plan));
  TRY(plan_describe(s->program, &job->request, s->guard, &s->arena, &job->plan));
  return job->plan.decisions ? answer_questions(job) : NULL;
}

// What the page says about the search: runner-ups with reasons, cost and bound after some work.
static void report_plan(const Plan *plan, Guard *guard, Arena *arena, ReportPlan *out) {
  ReportRunnerUp *others = ARENA_ARRAY(arena, ReportRunnerUp, plan->n_trials + 1);
  ReportSearchPoint *points = ARENA_ARRAY(arena, ReportSearchPoint, plan->n_search + 1);
  StrBuf why;
  uint32_t n = 0;
  strbuf_init(&why, guard);
  GuardCleanup cleanup = {cli_release_text, &why, NULL};
  guard_push(guard, &cleanup);
  for (uint32_t i = 0; i < plan->n_trials; i++) {
    const PlanTrial *t = &plan->trials[i];
    if (plan_is_winner(plan, t)) continue;
    why.used = 0;
    plan_put_why_lost(plan, t, &why);
    others[n++] = (ReportRunnerUp){t->mesh, t->seconds, t->peak_bytes, t->strategy,
                                   arena_printf(arena, "%.*s", (int)why.used, why.data)};
  }
  guard_pop(guard, &cleanup);
  strbuf_deinit(&why);
  for (uint32_t i = 0; i < plan->n_search; i++)
    points[i] =
        (ReportSearchPoint){plan->search[i].work, plan->search[i].cost, plan->search[i].bound};
  double bound = plan->best.overlap_bound_seconds;
  bool bounded = bound > 0 && plan->best.seconds > 0;
  *out = (ReportPlan){.strategy = plan->strategy,
                      .bound_seconds = bounded ? bound : (double)NAN,
                      .gap = bounded ? 1 - bound / plan->best.seconds : (double)NAN,
                      .runners_up = others,
                      .n_runners_up = n,
                      .search = points,
                      .n_search = plan->n_search,
                      .limit = plan->limit,
                      .annotations = plan->short_list.rules,
                      .n_annotations = plan->short_list.reproduces ? plan->short_list.n : 0};
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
  ReportPlan about;
  report_plan(plan, guard, &s->arena, &about);
  return cli_report_page(&job->shown.show, job->rewrite.source->path, &about, job->report, guard);
}

// The program with the plan's shardings.
static Status *put_program(PlanJob *job, Guard *guard) {
  Rewrite *r = &job->rewrite;
  session_clone(&job->emitted, guard, job->flat, NULL);
  Status *status = plan_write(&job->emitted, &job->request, &job->plan, job->form == PLAN_MHLO);
  if (status && session_has_errors(&job->emitted)) cli_report(&job->emitted, guard);
  if (status) return status;
  if (r->index) strbuf_puts(&r->out, "// -----\n");
  program_print(job->emitted.program, &r->print, &r->out);
  return NULL;
}

static Status *put_result(PlanJob *job, Guard *guard) {
  Rewrite *r = &job->rewrite;
  switch (job->form) {
  case PLAN_TEXT: plan_put(&job->plan, job->machine, &r->out); break;
  case PLAN_JSON: strbuf_put(&r->out, job->text.data, job->text.used); break;
  case PLAN_JAX: plan_jax(&job->plan, job->machine, &r->out); break;
  case PLAN_SDY:
  case PLAN_MHLO: TRY(put_program(job, guard)); break;
  }
  r->code = EXIT_OK;
  return NULL;
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
  // The text alone needs no file, which is large.
  if (job->form != PLAN_TEXT || job->plan_out || job->report)
    plan_json(&job->plan, job->machine, &job->text);
  if (job->form == PLAN_SDY || job->form == PLAN_MHLO)
    job->flat = program_clone(r->session.program, r->session.context, guard);
  if (job->report) TRY(write_report(job, guard));
  if (job->plan_out) {
    job->saved = mem_alloc(job->text.used + 1);
    if (!job->saved) return status_no_memory();
    memcpy(job->saved, job->text.data, job->n_saved = job->text.used);
  }
  return put_result(job, guard);
}

static void release(void *arg) {
  PlanJob *job = arg;
  predicted_deinit(&job->shown);
  strbuf_deinit(&job->text);
  session_deinit(&job->emitted);
  job->emitted = (Session){0};
  program_free(job->source);
  program_free(job->flat);
  job->source = job->flat = NULL;
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

// Several programs need --share, and it needs several.
static bool may_share(const PlanJob *job, uint32_t n_files) {
  if (n_files > 1 && !job->share.count)
    cli_error("plan takes one program, %u are given; --share 'params.*' plans several together",
              n_files);
  else if (n_files < 2 && (job->share.count || job->weights))
    cli_error("--share and --weights are for several programs, and one is given");
  else if (n_files > 1 && (job->report || job->from || job->why_not.count || job->emit))
    cli_error("--report, --from, --why-not and --emit are for one program, and %u are given",
              n_files);
  else
    return true;
  return false;
}

static bool read_old(PlanJob *job) {
  Status *status = job->from ? file_read(job->from, FILE_MOST_TEXT, &job->old, &job->n_old) : NULL;
  if (status) cli_fail(status);
  return !status;
}

static const Usage usage = {
    "plan", "[FILE…]",
    "Chooses a mesh and the sharding of every value, so that a step takes the least time and fits "
    "in the devices' memory. Annotations are constraints, not hints: an annotated value keeps its "
    "sharding. The plan is a set of decisions that tessera partition --plan obeys. The bound is "
    "proven for the sum of all times, over the strategies that were enumerated.",
    "  tessera plan step.mlir --machine h100:8x4\n"
    "  tessera plan step.mlir --machine tpu_v5p:4x4 --mesh data=4,model=4\n"
    "  tessera plan step.mlir --machine h100:8 --plan-out plan.json --report plan.html\n"
    "  tessera plan step.mlir --machine h100:8x4 --mesh x=4,y=8 --tactics 'data:x, megatron:y, "
    "auto'\n"
    "  tessera plan step.mlir --machine h100:8 --why-not 'params.w: [{\"x\"},{}]' --why-not %12\n"
    "  tessera plan longer.mlir --machine h100:8 --from plan.json --plan-out next.json\n"
    "  tessera plan prefill.mlir decode.mlir --share 'params.*' --weights 1,200 --machine h100:8\n"
    "  tessera plan step.mlir --machine h100:8 --emit=jax            PartitionSpecs for JAX\n"
    "  tessera plan step.mlir --machine h100:8 --emit=sdy -o annotated.mlir\n"
    "  tessera plan step.mlir --machine h100:8 --layers=few          of many equal layers\n"
    "  tessera plan step.mlir --machine h100:8x4 --threads 1         the same plan, on one core\n"
    "  tessera plan step.mlir --machine h100:8 --state 'cache=result.1' --state 'params.*=none'\n"
    "  tessera partition step.mlir --plan plan.json --machine h100:8 -o local.mlir\n"
    "  tessera run step.mlir --plan plan.json                        on the plan's devices"};

// Each candidate allocates and frees as much as the one before: the process keeps the memory,
// rather than get it page by page from the kernel again.
static void keep_freed_memory(void) {
#ifdef __GLIBC__
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
  mallopt(M_MMAP_THRESHOLD, 32 << 20);  // the most that it takes
#endif
}

int command_plan(int argc, char **argv) {
  keep_freed_memory();
  PlanJob job = {.rewrite.verb = "plan", .request.level = 1};
  Annotations annotations;
  TextList files = {mem_alloc((size_t)(argc + 1) * sizeof *files.items), 0};
  job.why_not.items = mem_alloc((size_t)(argc + 1) * sizeof *job.why_not.items);
  job.share.items = mem_alloc((size_t)(argc + 1) * sizeof *job.share.items);
  job.state.items = mem_alloc((size_t)(argc + 1) * sizeof *job.state.items);
  bool ready = annotations_init(&annotations, argc) && files.items && job.why_not.items &&
               job.share.items && job.state.items;
  const Option own[] = {
      {"-O2", OPTION_FLAG, &job.o2, NULL,
       "search longer: more strategies per op, meshes of three axes"},
      {"--untied", OPTION_FLAG, &job.request.untied, NULL,
       "repeated layers may get different plans"},
      {"--no-greedy", OPTION_FLAG, &job.request.no_greedy, NULL,
       "do not try plans in which the partitioner chooses all but arguments and results"},
      {"--layers", OPTION_TEXT, &job.layers, "auto|few|all",
       "repeated layers that are partitioned and simulated. few: a few, from which the step is "
       "extrapolated. all: the whole program. auto (default): a few if the program has at least "
       "20,000 ops, at -O2 only in the problem; --untied, --shard and --why-not need all"},
      {"--memory", OPTION_TEXT, &job.memory, "BYTES",
       "memory of a device that the plan may use, as 40GB or 16GiB (default: the machine's)"},
      {"--tactics", OPTION_TEXT, &job.request.tactics, "LIST",
       "compose the plan from tactics, in order, each along a mesh axis: data:x, megatron:y, "
       "zero1:x, zero2:x, zero3:x, expert:x, sequence:y, spatial:y, auto:y; auto alone plans the "
       "rest (docs/tactics.md)"},
      {"--time-limit", OPTION_TEXT, &job.time_limit, "SECONDS",
       "plan for about SECONDS instead of a budget of work; not reproducible: the plan depends on "
       "the planner's speed"},
      {"--threads", OPTION_NUMBER, &job.threads, "N",
       "threads (default: one per core): for the solver, and for meshes that are planned at once; "
       "the plan does not depend on them"},
      {"--from", OPTION_TEXT, &job.from, "PLAN.json",
       "keep this plan unless a new one is more than 1 % faster. Its program may have been a "
       "little "
       "different: arguments and results are matched by path, ops by name and order"},
      {"--share", OPTION_TEXTS, &job.share, "GLOB",
       "of several programs: arguments whose paths match, as 'params.*', have one sharding in all "
       "of them. May be repeated"},
      {"--weights", OPTION_TEXT, &job.weights, "N,…",
       "of several programs: how often each runs (default 1 each); the weighted sum of their steps "
       "is minimized"},
      {"--why-not", OPTION_TEXTS, &job.why_not, "VALUE[: SHARDING]",
       "the step, memory and collectives if VALUE had SHARDING, all else planned again; without a "
       "sharding, its next-best one: --why-not '%w1: [{\"y\"},{}]'. May be repeated"},
      {"--state", OPTION_TEXTS, &job.state, "ARGUMENT=RESULT",
       "the result replaces the argument in the next step: both get one sharding. Both sides may "
       "be "
       "globs. ARGUMENT=none: it is no state; none: only given pairs are. Default: by "
       "path and type, then by tf.aliasing_output"},
      {"--emit", OPTION_TEXT, &job.emit, "text|json|sdy|mhlo|jax",
       "what to print: a summary (default), the plan's file, the program with the plan's shardings "
       "as sdy or mhlo attributes, or PartitionSpecs by argument path as Python for JAX"},
      {"--json", OPTION_FLAG, &job.json, NULL, "print the plan as JSON: --emit=json"},
      {"--plan-out", OPTION_TEXT, &job.plan_out, "FILE",
       "write the plan there, as JSON; - is standard output. Of several programs: %s in FILE is "
       "the "
       "name of the program, as in plan-%s.json"},
      {"--report", OPTION_TEXT, &job.report, "FILE.html", cli_report_help},
      {"-o", OPTION_TEXT, &job.rewrite.output, "FILE", "write there instead of standard output"},
  };
  enum { N_OWN = sizeof own / sizeof own[0] };
  Option options[ANNOTATION_OPTIONS + N_OWN];
  annotations_options(&annotations, options);
  memcpy(options + ANNOTATION_OPTIONS, own, sizeof own);
  int code = EXIT_BAD;
  ParseArgs args = ARGS_BAD;
  if (ready)
    args = cli_options(&usage, options, ANNOTATION_OPTIONS + N_OWN, argc, argv, &files);
  else
    cli_fail(status_no_memory());
  if (args == ARGS_HELP) code = EXIT_OK;
  int form = PLAN_TEXT;
  if (args == ARGS_OK && job.emit && job.json && strcmp(job.emit, "json")) {
    cli_error("--json and --emit=%s are both given: one result goes to standard output", job.emit);
    args = ARGS_BAD;
  } else if (args == ARGS_OK && job.emit) {
    form = cli_choose("--emit", job.emit, sizeof forms / sizeof *forms, forms);
    if (form < 0) args = ARGS_BAD;
  }
  static const char *const layer_words[] = {"auto", "few", "all"};
  static const uint32_t contract_ops[] = {0, 1, UINT32_MAX};
  int layers =
      job.layers && args == ARGS_OK ? cli_choose("--layers", job.layers, 3, layer_words) : 0;
  if (layers < 0) args = ARGS_BAD;
  if (args == ARGS_OK && job.threads > 1024) {
    cli_error("--threads takes at most 1024, not %" PRIu64, job.threads);
    args = ARGS_BAD;
  }
  job.form = job.json ? PLAN_JSON : (PlanForm)form;
  bool several = files.count > 1;
  if (args == ARGS_OK && !may_share(&job, files.count)) {
    // A message was printed.
  } else if (args == ARGS_OK && (several || can_write(job.plan_out)) && can_write(job.report) &&
             cli_seconds("--time-limit", job.time_limit, &job.request.time_limit) &&
             cli_bytes("--memory", job.memory, &job.request.limit_bytes) && read_old(&job) &&
             annotations_read(&annotations)) {
    job.request.annotations = annotations.request;
    job.request.devices = (uint32_t)annotations.request.devices;
    if (!annotations.request.n_meshes) job.request.annotations.devices = 0;
    job.request.state = job.state.items;
    job.request.n_state = job.state.count;
    job.request.level = job.o2 ? 2 : 1;
    job.request.threads = job.threads ? (uint32_t)job.threads : pool_cores();
    job.request.contract_ops = job.why_not.count ? UINT32_MAX : contract_ops[layers];
    char name[64];
    const char *grown = any_shape(annotations.machine, name, sizeof name);
    job.request.machine_of_any_shape = grown ? grown : annotations.request.machine;
    job.machine = annotations.machine ? annotations.machine : "default";
    ShareJob shared = {
        .request = {.request = job.request, .globs = job.share.items, .n_globs = job.share.count},
        .files = &files,
        .weights = job.weights,
        .plan_out = job.plan_out,
        .output = job.rewrite.output,
        .machine = job.machine,
        .json = job.json};
    if (several)
      code = cli_plan_share(&shared);
    else
      code = rewrite_file(&job.rewrite, files.count ? files.items[0] : "-", plan_segment, release,
                          &job);
    code = write_plan(&job, code);
  }
  annotations_deinit(&annotations);
  mem_free(files.items);
  mem_free(job.why_not.items);
  mem_free(job.share.items);
  mem_free(job.state.items);
  mem_free(job.saved);
  mem_free(job.old);
  return code;
}
