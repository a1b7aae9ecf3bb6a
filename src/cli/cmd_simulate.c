// `tessera simulate`: predicts the seconds and the peak memory of a step on a machine.
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "cli/annotations.h"
#include "cli/report_page.h"
#include "cli/rewrite.h"
#include "pipeline/predicted.h"

typedef struct SimulateJob {
  Rewrite rewrite;
  CompileRequest request;
  bool json, local, fused_attention;
  uint64_t values;
  const char *trace, *report, *plan;
  char *plan_text;
  Prediction prediction;
  Predicted shown;
  StrBuf text;  // of the trace
} SimulateJob;

// The rest of the way, once the program is read: local already, or still to be partitioned.
static Status *predict(void *arg) {
  SimulateJob *job = arg;
  Session *s = &job->rewrite.session;
  const PropagateRequest *annotations = &job->request.annotations;
  s->fused_attention = job->fused_attention;
  if (job->local || is_local_program(s->program)) {
    s->program->trip_count = annotations->trip_count;
    const char *mesh = annotations->n_meshes ? annotations->meshes[0] : NULL;
    return simulate_local(s, mesh, annotations->machine, &job->prediction);
  }
  Compiled compiled;
  TRY(compile(s, &job->request, &compiled));
  job->prediction = compiled.prediction;
  return NULL;
}

static bool read_plan(SimulateJob *job) {
  if (!job->plan) return true;
  if (job->local) {
    cli_error("--plan and --local are both given: a plan is for a program that is not local");
    return false;
  }
  job->plan_text = cli_read_plan(job->plan, &job->request.local.decisions);
  job->request.plan = true;
  job->request.plan_path = job->plan;
  return job->plan_text != NULL;
}

// Traces and reports are about one program.
static bool is_one_program(const SimulateJob *job) {
  if (!job->rewrite.index || (!job->trace && !job->report)) return true;
  cli_error("%s takes a file with one program, and %s has several",
            job->trace ? "--trace" : "--report", job->rewrite.source->path);
  return false;
}

static Status *write_trace(SimulateJob *job, Guard *guard) {
  if (!job->trace) return NULL;
  strbuf_init(&job->text, guard);
  Json json = {.out = &job->text};
  simulated_trace(&job->shown.show, &json);
  return file_write(job->trace, job->text.data, job->text.used);
}

static Status *simulate_segment(Guard *guard, void *arg) {
  SimulateJob *job = arg;
  Rewrite *r = &job->rewrite;
  CompileRequest read = {.parse = job->request.parse, .stop_after = STAGE_VERIFY};
  Compiled compiled;
  bool good;
  if (!is_one_program(job)) return NULL;
  TRY(rewrite_compile(r, guard, &read, predict, job, &compiled, &good));
  if (!good) return NULL;
  predicted_init(&job->shown, &r->session, &job->prediction, guard);
  TRY(write_trace(job, guard));
  if (job->report)
    TRY(cli_report_page(&job->shown.show, r->source->path, NULL, job->report, guard));
  r->code = EXIT_OK;
  if (job->json) {
    Json json = {.out = &r->out};
    json_open(&json, '{');
    json_key(&json, "file"), json_string(&json, r->source->path);
    json_key(&json, "segment"), json_uint(&json, r->index);
    simulated_json(&job->shown.show, &json);
    json_close(&json, '}');
    json_newline(&json);
    return NULL;
  }
  if (r->index) strbuf_puts(&r->out, "\n");
  simulated_put(&job->shown.show, (uint32_t)job->values, &r->out);
  return NULL;
}

static void release(void *arg) {
  SimulateJob *job = arg;
  predicted_deinit(&job->shown);
  strbuf_deinit(&job->text);
}

static const Usage usage = {
    "simulate", "[FILE]",
    "Predicts one step on a machine: seconds of compute and of waiting for collectives, each "
    "collective by kind and axes, utilization, and peak memory with the values that are alive "
    "then. FILE is a local program, as tessera partition writes it, or an annotated one, which is "
    "partitioned first with the annotations given here. Compute and communication overlap where "
    "nothing depends on the collective. docs/simulate.md describes the model.",
    "  tessera simulate model.mlir --mesh data=8 --shard 'batch.*=P(\"data\")' --machine h100:8\n"
    "  tessera partition model.mlir | tessera simulate --machine tpu_v5p:4x4x4\n"
    "  tessera simulate model.mlir --plan plan.json --machine h100:8x4\n"
    "  tessera simulate model.mlir --machine h100:8x4 --json > new.json\n"
    "  tessera diff old.json new.json                        what changed\n"
    "  tessera simulate model.mlir --machine h100:8 --trace step.json   for ui.perfetto.dev\n"
    "  tessera simulate model.mlir --machine h100:8 --report step.html  for a browser"};

int command_simulate(int argc, char **argv) {
  SimulateJob job = {.rewrite.verb = "simulate",
                     .request = {.simulate = true, .stop_after = STAGE_MEASURE},
                     .values = 10};
  Annotations annotations;
  TextList files = {mem_alloc((size_t)(argc + 1) * sizeof *files.items), 0};
  enum { N_OWN = 11 };
  Option options[ANNOTATION_OPTIONS + N_OWN];
  bool ready = annotations_init(&annotations, argc) && files.items;
  annotations_options(&annotations, options);
  const Option own[N_OWN] = {
      {"--local", OPTION_FLAG, &job.local, NULL,
       "FILE is a local program, though tessera partition did not write it: its collectives run as "
       "they are; --mesh names the axes"},
      {"-O0", OPTION_FLAG, &job.request.local.plain, NULL,
       "simulate the local program as partitioned, without optimizer passes"},
      {"--rings", OPTION_FLAG, &job.request.local.rings, NULL,
       "write contractions as rings that overlap their collectives, if that is faster"},
      {"--flash-attention", OPTION_FLAG, &job.fused_attention, NULL,
       "take softmax attention as fused kernels, which do not store scores"},
      {"--values", OPTION_NUMBER, &job.values, "N",
       "list N values that are alive at the peak (default 10)"},
      {"--json", OPTION_FLAG, &job.json, NULL, "print one object per program"},
      {"--plan", OPTION_TEXT, &job.plan, "FILE",
       "simulate the plan in FILE, as tessera plan --plan-out writes it"},
      {"--trace", OPTION_TEXT, &job.trace, "FILE",
       "write the timeline in Chrome's trace format (chrome://tracing, ui.perfetto.dev)"},
      {"--report", OPTION_TEXT, &job.report, "FILE.html", cli_report_help},
      {"--allow-unregistered", OPTION_FLAG, &job.request.parse.allow_unregistered, NULL,
       "accept ops that no dialect defines"},
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
    cli_error("simulate takes one program, %u are given", files.count);
  } else if (args == ARGS_OK && annotations_read(&annotations) && read_plan(&job)) {
    job.request.annotations = annotations.request;
    job.request.annotations.try_orders = true;
    job.request.local.reasons = job.report != NULL;
    const char *path = files.count ? files.items[0] : "-";
    code = rewrite_file(&job.rewrite, path, simulate_segment, release, &job);
  }
  annotations_deinit(&annotations);
  mem_free(files.items);
  mem_free(job.plan_text);
  return code;
}
