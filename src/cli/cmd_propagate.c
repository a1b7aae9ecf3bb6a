// `tessera propagate`: infers shardings from annotations and writes them, or explains them.
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "cli/annotations.h"
#include "cli/rewrite.h"
#include "pipeline/trials.h"
#include "report/show_propagated.h"
#include "explain/why.h"

typedef struct PropagateJob {
  Rewrite rewrite;
  CompileRequest request;
  bool stats, json, table;
  TextList *whys;
  bool why_all;
  // of the current segment
  Compiled compiled;
  Why *why;
} PropagateJob;

// ---- messages ----

static const char *const emits[] = {"sdy", "mhlo", "none", "table"};
enum { EMIT_TABLE = EMIT_NONE + 1 };  // not a stage_write form: the program is not changed

static void show_stats(const PropagateJob *job) {
  const Session *s = &job->rewrite.session;
  const Propagation *p = s->propagation;
  const Graph *g = propagation_graph(p);
  uint32_t sharded = 0;
  for (PlaceId place = 1; place < g->n_places; place++)
    sharded += !sharding_is_replicated(s->table, propagation_get(p, place));
  fprintf(stderr,
          "tessera: %u places (%u annotated, %u sharded), %u nodes, %u distinct rules, %u "
          "function instance%s\n"
          "tessera: %" PRIu64 " steps, %u changes, %.3f s\n",
          g->n_places - 1, job->compiled.n_annotated, sharded, g->n_nodes - 1, g->n_maps - 1,
          g->n_instances - 1, g->n_instances == 2 ? "" : "s", propagation_steps(p),
          propagation_n_events(p), job->compiled.propagate_seconds);
}

static void hint_if_unsharded(const PropagateJob *job) {
  if (job->compiled.n_annotated) return;
  bool mesh = job->rewrite.session.mesh != 0;
  fprintf(
      stderr,
      "tessera: nothing is sharded: the program has no annotation%s. Annotate a value: %s--shard "
      "'0=P(\"%s\")'\n",
      mesh ? "" : " and no mesh", mesh ? "" : "--mesh data=4 ", mesh ? "AXIS" : "data");
}

static void hint_if_rivals(PropagateJob *job) {
  const PropagateRequest *annotations = &job->request.annotations;
  if (annotations->by_cost || !trials_would_help(annotations, &job->rewrite.session.arena)) return;
  fprintf(stderr, "tessera: annotations compete for an axis: --conflicts=cost chooses which gives "
                  "way; to choose yourself, give it a priority: --shard 'w=P(\"data\")p1'\n");
}

// ---- reasons ----

static void explain_place(PropagateJob *job, PlaceId place) {
  if (!job->json) {
    why_print_place(job->why, place, &job->rewrite.out);
    return;
  }
  Json json = {.out = &job->rewrite.out};
  why_json_place(job->why, place, &json);
  json_newline(&json);
}

static Status *explain(PropagateJob *job) {
  Session *s = &job->rewrite.session;
  WhyOptions options = {.sources = true};
  job->why = why_new(s->propagation, &options, s->guard);
  for (uint32_t i = 0; i < job->whys->count; i++) {
    const PlaceId *places;
    uint32_t n;
    TRY(why_find(job->why, str_of(job->whys->items[i]), &s->arena, &places, &n));
    for (uint32_t k = 0; k < n; k++) explain_place(job, places[k]);
  }
  if (job->why_all) (job->json ? why_json_all : why_print_all)(job->why, &job->rewrite.out);
  return NULL;
}

// ---- segments ----

// Explanations and tables first: writing the shardings renumbers the program.
static Status *show_and_write(void *arg) {
  PropagateJob *job = arg;
  Rewrite *r = &job->rewrite;
  Session *s = &r->session;
  bool reasons = job->why_all || job->whys->count;
  if (reasons) TRY(explain(job));
  Shown shown = {.program = s->program,
                 .propagation = s->propagation,
                 .arena = &s->arena,
                 .n_given = job->compiled.n_annotated,
                 .path = r->source->path,
                 .segment = r->index,
                 .out = &r->out};
  if (job->json && !reasons) propagated_json(&shown);
  if (job->table && !job->json) propagated_table(&shown);
  if (job->stats) show_stats(job);
  return job->json ? NULL : stage_write(s, &job->request.annotations, &job->request.write);
}

static Status *propagate_segment(Guard *guard, void *arg) {
  PropagateJob *job = arg;
  Rewrite *r = &job->rewrite;
  bool good;
  TRY(rewrite_compile(r, guard, &job->request, show_and_write, job, &job->compiled, &good));
  if (!good) return NULL;
  hint_if_unsharded(job);
  hint_if_rivals(job);
  r->code = EXIT_OK;
  if (job->request.write.emit != EMIT_NONE && !job->json) rewrite_put(r);
  return NULL;
}

static void release(void *arg) {
  PropagateJob *job = arg;
  why_free(job->why);
  job->why = NULL;
}

static const Usage usage = {
    "propagate", "[FILE]",
    "Infers the shardings of all tensors from a few annotations. The program may have "
    "annotations of sdy or GSPMD (mhlo.sharding). --shard 'PATTERN=SPEC' adds one. SPEC is "
    "JAX's P(\"data\", None) or sdy's [{\"data\"}, {?}]. Dimensions of P(…) are closed. `...` "
    "and UNCONSTRAINED leave dimensions open. P(\"data\")p1 has priority 1: it propagates "
    "after annotations of priority 0, which is the default. If several rules match a value, "
    "the first one is used. PATTERN is one of:\n  an argument: its number (0), its path, or a "
    "glob of paths (params.*.kernel, w[qkv])\n  a result: result0, result.loss\n  a value: %12\n  "
    "a line of the source, for all values that it defines: model.py:31",
    "  tessera propagate model.mlir\n"
    "  tessera propagate model.mlir --mesh data=4,model=2 --shard '0=P(\"data\")' \\\n"
    "      --shard 'params.*.kernel=P(None, \"model\")'\n"
    "  tessera propagate model.mlir --mesh data=4,model=2 --names dims.txt --layout 'batch:data'\n"
    "  tessera propagate model.mlir --shard-file rules.txt --emit=mhlo -o sharded.mlir\n"
    "  tessera propagate model.mlir --why '%12' --why params.w      where their axes come from\n"
    "  tessera propagate model.mlir --stats --emit=none"};

int command_propagate(int argc, char **argv) {
  PropagateJob job = {.rewrite.verb = "propagate"};
  const char *emit = NULL;
  TextList files = {mem_alloc((size_t)(argc + 1) * sizeof *files.items), 0};
  TextList whys = {mem_alloc((size_t)(argc + 1) * sizeof *whys.items), 0};
  job.whys = &whys;
  Annotations annotations;
  const Option first[] = {
      {"--emit", OPTION_TEXT, &emit, "sdy|mhlo|table|none",
       "what to print. sdy (default): the program with sdy attributes. mhlo: the program with "
       "GSPMD attributes. table: a table of shardings. none: nothing"},
  };
  const Option rest[] = {
      {"--close", OPTION_FLAG, &job.request.write.close, NULL,
       "close all dimensions in the output"},
      {"--reshards", OPTION_FLAG, &job.request.write.reshards, NULL,
       "also write the partitioner's reshards as constraints, so that XLA makes the same ones"},
      {"--why", OPTION_TEXTS, job.whys, "VALUE",
       "print instead where the axes of VALUE come from. VALUE is %12, an argument's path, or "
       "model.py:31. May be repeated"},
      {"--why-all", OPTION_FLAG, &job.why_all, NULL, "as --why, for all values"},
      {"--stats", OPTION_FLAG, &job.stats, NULL,
       "print numbers of values and propagation steps, and the seconds that propagation took"},
      {"--json", OPTION_FLAG, &job.json, NULL,
       "print the shardings of all arguments, results and values as JSON instead"},
      {"--generic", OPTION_FLAG, &job.rewrite.print.generic, NULL,
       "print every op in generic form"},
      {"--locations", OPTION_FLAG, &job.rewrite.print.locations, NULL, "print locations"},
      {"-o", OPTION_TEXT, &job.rewrite.output, "FILE", "write to FILE instead of standard output"},
  };
  enum { N_FIRST = sizeof first / sizeof first[0], N_REST = sizeof rest / sizeof rest[0] };
  Option options[N_FIRST + ANNOTATION_OPTIONS + N_REST];
  memcpy(options, first, sizeof first);
  annotations_options(&annotations, options + N_FIRST);
  memcpy(options + N_FIRST + ANNOTATION_OPTIONS, rest, sizeof rest);
  int code = EXIT_BAD, out = 0;
  ParseArgs args = ARGS_BAD;
  bool ready = annotations_init(&annotations, argc) && files.items && whys.items;
  if (ready)
    args = cli_options(&usage, options, sizeof options / sizeof options[0], argc, argv, &files);
  else
    cli_fail(status_no_memory());
  if (args == ARGS_HELP) code = EXIT_OK;
  if (args == ARGS_OK && files.count > 1)
    cli_error("propagate takes one program, %u are given", files.count);
  else if (args == ARGS_OK && (out = cli_choose("--emit", emit ? emit : "sdy", 4, emits)) >= 0 &&
           annotations_read(&annotations)) {
    bool reasons = job.why_all || whys.count;
    job.table = out == EMIT_TABLE;
    job.request.annotations = annotations.request;
    job.request.annotations.try_orders = true;
    job.request.write.emit = (reasons && !emit) || job.table ? EMIT_NONE : (Emit)out;
    job.request.stop_after = STAGE_PROPAGATE;
    const char *path = files.count ? files.items[0] : "-";
    code = rewrite_file(&job.rewrite, path, propagate_segment, release, &job);
  }
  annotations_deinit(&annotations);
  mem_free(whys.items);
  mem_free(files.items);
  return code;
}
