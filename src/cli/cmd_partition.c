// `tessera partition`: writes the local program, and reports communication, reasons and
// verification.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "cli/annotations.h"
#include "cli/inputs.h"
#include "cli/report_page.h"
#include "cli/rewrite.h"
#include "evaluate/evaluate.h"
#include "partition/mesh_groups.h"
#include "partition/replica_mode.h"
#include "pipeline/predicted.h"
#include "pipeline/trials.h"
#include "report/show_traffic.h"

typedef struct PartitionJob {
  Rewrite rewrite;
  CompileRequest request;
  VerifyOptions verification;
  bool verify, stats, json;
  uint64_t replicas, partitions;           // 0: not given
  bool mesh_axes;                          // write replica groups by mesh axes
  const char *decisions, *save_decisions;  // files; NULL = none
  const char *plan;                        // likewise
  const char *report;                      // a file; NULL = none
  char *given;                             // text of the first
  StrBuf saved;                            // text of the second
  // of the current segment
  Compiled compiled;
  Predicted predicted;
  StrBuf line;      // for one line of a report
  TextList inputs;  // for --verify
  Inputs arrays;
} PartitionJob;

// ---- reports ----

static const char *plural(uint64_t n) { return n == 1 ? "" : "s"; }

// After a number that depends on unknown trip counts: the assumption, in full the first time.
static void show_guess(const Traffic *t, bool unknown, bool *told) {
  if (unknown && !*told)
    fprintf(stderr, " (%s%u loop%s of unknown length counted as %u iteration%s%s)",
            t->trip_count_given ? "" : "guess: ", t->unknown_loops, plural(t->unknown_loops),
            t->trip_count, plural(t->trip_count),
            t->trip_count_given ? "" : "; --trip-count sets it");
  else if (unknown && !t->trip_count_given)
    fputs(" (guess)", stderr);
  *told |= unknown;
}

// Share of the ideal FLOPs from which --conflicts=cost is suggested.
static const double hint_share = 1.5;

enum { MOST_REDUNDANT = 5 };

// Prints a line with names of the user's program, without control characters.
static void say(const char *prefix, const char *text) {
  fputs(prefix, stderr);
  for (; *text; text++) fputc((unsigned char)*text < 0x20 || *text == 0x7f ? ' ' : *text, stderr);
  fputc('\n', stderr);
}

// Prints the ops that devices compute redundantly, the most expensive first.
static void show_redundant(const PartitionJob *job) {
  const Compiled *c = &job->compiled;
  const RedundantList *list = &c->redundant;
  if (!traffic_is_redundant(&c->traffic, c->n_devices, c->global_flops, list)) return;
  for (uint32_t i = 0; i < list->n && i < MOST_REDUNDANT; i++)
    say("tessera:   redundant: ", list->rows[i].why);
  if (list->n > MOST_REDUNDANT)
    fprintf(stderr, "tessera:   redundant: %u more (--json lists them)\n",
            list->n - MOST_REDUNDANT);
  double sum = 0;
  for (uint32_t i = 0; i < list->n; i++) sum += list->rows[i].flops;
  if (sum > c->traffic.flops)
    fprintf(stderr, "tessera:   the redundant ops have more FLOPs than the total because they are "
                    "counted before the passes (-O0 runs none)\n");
}

// --conflicts=cost can only help if axes of the mesh are not used by some op.
static bool has_unused_axes(const RedundantList *list) {
  for (uint32_t i = 0; i < list->n; i++)
    if (list->rows[i].cause == REDUNDANT_UNUSED) return true;
  return false;
}

// --stats: a line per kind of collective, then bytes, critical path, FLOPs and redundant work.
static void show_traffic(PartitionJob *job) {
  const Compiled *c = &job->compiled;
  const PropagateRequest *annotations = &job->request.annotations;
  const Traffic *t = &c->traffic;
  double share = traffic_share(t, c->n_devices, c->global_flops);
  for (uint32_t i = 0; i < t->n_rows; i++) {
    const TrafficRow *r = &t->rows[i];
    char groups[48], loops[96] = "";
    if (r->width)
      snprintf(groups, sizeof groups, "%u group%s of %u", r->n_groups, plural(r->n_groups),
               r->width);
    else
      snprintf(groups, sizeof groups, "%u pair%s", r->n_groups, plural(r->n_groups));
    if (r->in_loops)
      snprintf(loops, sizeof loops, "  (%u in loops, %.0f runs%s)", r->in_loops, r->runs,
               r->unknown && !t->trip_count_given ? ": a guess" : "");
    fprintf(stderr, "tessera: %4u %-19s %-16s %12.0f bytes%s%s%s\n", r->count,
            traffic_kind(r->code), groups, r->bytes, r->axes[0] ? "  over " : "", r->axes, loops);
  }
  bool told = false;
  fprintf(stderr, "tessera: %u device%s, %u collective%s, %.0f bytes sent per device", c->n_devices,
          plural(c->n_devices), t->count, plural(t->count), t->bytes);
  show_guess(t, t->unknown_bytes, &told);
  fprintf(stderr, "\ntessera: %.0f collective%s on the critical path", t->steps,
          t->steps == 1 ? "" : "s");
  show_guess(t, t->unknown_steps, &told);
  fprintf(stderr, "; %.3g FLOPs per device", t->flops);
  show_guess(t, t->unknown_flops, &told);
  fprintf(stderr, ", %.2f times the ideal (global FLOPs / devices)\n", share);
  show_redundant(job);
  fprintf(stderr, "tessera: %.0f bytes of arguments and %.0f bytes of results per device\n",
          t->argument_bytes, t->result_bytes);
  if (share >= hint_share && !annotations->by_cost && has_unused_axes(&c->redundant) &&
      trials_would_help(annotations, &job->rewrite.session.arena))
    fprintf(stderr,
            "tessera: several devices compute the same. If annotations compete for an axis, "
            "--conflicts=cost chooses which gives way;\n"
            "tessera: to choose yourself, give it a priority: --shard 'w=P(\"data\")p1'\n");
}

// --stats with a --machine: seconds and peak memory.
static void show_predicted(PartitionJob *job, Guard *guard) {
  if (!job->compiled.prediction.simulated) return;
  strbuf_init(&job->line, guard);
  simulated_put_line(&job->predicted.show, &job->line);
  say("tessera: ", job->line.data);
  strbuf_deinit(&job->line);
}

// Names in reasons are those of the input; the local program has other names.
static void show_reasons(PartitionJob *job, Guard *guard) {
  const char *path = job->rewrite.source->path;
  const Reasons *reasons = job->compiled.reasons;
  if (!reasons->n) {
    fputs("tessera: the local program has no collectives\n", stderr);
    return;
  }
  fprintf(
      stderr,
      "tessera: reasons for the collectives, the most bytes first. Names of values are those in "
      "%s.\n"
      "tessera: FILE:LINE is the op's location if it has one, else its line in %s.",
      path, path);
  if (traffic_marks(job->request.local.collectives))
    fputs("\ntessera: The collectives of reason rN have the attribute tessera.why = \"rN\" in the "
          "local program.",
          stderr);
  fputc('\n', stderr);
  StrBuf *line = &job->line;
  strbuf_init(line, guard);
  for (uint32_t i = 0; i < reasons->n; i++) {
    const Reason *r = &reasons->rows[i];
    line->used = 0;
    reason_print(r, r->unknown && !job->compiled.traffic.trip_count_given, line);
    say("tessera: ", line->data);
  }
  strbuf_deinit(line);
}

// A small difference is probably rounding; a wrong program is rarely so close.
static bool is_near(const Verified *v) { return v->worst > v->tolerance && v->worst < 0.01; }

static void show_not_finite(const Verified *v) {
  if (v->not_finite)
    fprintf(
        stderr,
        "tessera: %llu of %llu floats of the global results are not finite. The random data may "
        "be the cause (a square root\n"
        "tessera: of a negative number): try --positive or --seed=N, or give data with "
        "--inputs=FILE\n",
        (unsigned long long)v->not_finite, (unsigned long long)v->n_floats);
}

// The result of --verify. A difference is printed with what to do about it: rounding, random data
// and errors call for different next steps.
static void show_verified(const PartitionJob *job) {
  const Verified *v = &job->compiled.verified;
  show_not_finite(v);
  if (!v->agree) {
    cli_error("the local program differs from the global program on %u device%s: %s", v->n_devices,
              plural(v->n_devices), v->where);
    if (v->tolerance > 0)
      fprintf(stderr,
              "tessera: floats must agree: |difference| <= %g (1 + |value|); the largest is %.2g\n",
              v->tolerance, v->worst);
    if (is_near(v) && job->verification.tolerance > 0)
      fprintf(stderr,
              "tessera: The difference may be rounding: devices add in another order, and many "
              "layers magnify rounding. Without --tolerance,\n"
              "tessera: tessera tests whether another order changes the global program's results "
              "as much. A larger --tolerance=X allows it\n");
    else if (is_near(v))
      fprintf(
          stderr,
          "tessera: The difference may be rounding, but adding in another order changes the global "
          "program's results less. Verify\n"
          "tessera: the program in f64 (jax_enable_x64). If it agrees there, allow the difference "
          "with a larger --tolerance=X\n");
    else if (v->tolerance > 0 && !job->inputs.count)
      fprintf(stderr,
              "tessera: The arguments are random. If the program is ill-conditioned on them, it "
              "magnifies rounding: verify on real data with\n"
              "tessera: --inputs=FILE, or verify the program in f64 (jax_enable_x64)\n");
    return;
  }
  fprintf(stderr, "tessera: verified on %u device%s: %u result%s agree%s", v->n_devices,
          plural(v->n_devices), v->n_results, plural(v->n_results), v->n_results == 1 ? "s" : "");
  if (v->rounded)
    fprintf(stderr,
            " up to rounding\n"
            "tessera: (|difference| of floats <= %g (1 + |value|), except some that differ by up "
            "to %.2g: "
            "these change as much if the global\n"
            "tessera: program adds in another order. With --tolerance=X they are errors)\n",
            v->tolerance, v->worst);
  else if (v->tolerance > 0)
    fprintf(stderr, " (floats: |difference| <= %g (1 + |value|), the largest is %.2g)\n",
            v->tolerance, v->worst);
  else
    fprintf(stderr, " exactly\n");
}

static void verified_json(const Verified *v, Json *json) {
  json_open(json, '{');
  json_key(json, "agree"), json_bool(json, v->agree);
  json_key(json, "results"), json_uint(json, v->n_results);
  json_key(json, "tolerance"), json_double(json, v->tolerance);
  json_key(json, "farthest"), json_double(json, v->worst);
  json_key(json, "rounded"), json_bool(json, v->rounded);
  json_key(json, "not_finite"), json_uint(json, v->not_finite);
  json_key(json, "difference");
  if (v->where)
    json_string(json, v->where);
  else
    json_null(json);
  json_close(json, '}');
}

// One object per segment with everything that --stats, --why and --verify measured.
static void put_json(PartitionJob *job) {
  const Compiled *c = &job->compiled;
  Json json = {.out = &job->rewrite.out};
  json_open(&json, '{');
  json_key(&json, "file"), json_string(&json, job->rewrite.source->path);
  json_key(&json, "segment"), json_uint(&json, job->rewrite.index);
  traffic_json(&c->traffic, c->n_devices, c->global_flops, &json);
  traffic_redundant_json(job->rewrite.session.context, &c->traffic, c->n_devices, c->global_flops,
                         &c->redundant, &json);
  if (job->request.local.why) traffic_reasons_json(job->rewrite.session.program, c->reasons, &json);
  json_key(&json, "verified");
  if (job->verify)
    verified_json(&c->verified, &json);
  else
    json_null(&json);
  if (c->prediction.simulated) {
    json_key(&json, "predicted"), json_open(&json, '{');
    simulated_json(&job->predicted.show, &json);
    json_close(&json, '}');
  }
  json_close(&json, '}');
  json_newline(&json);
}

// ---- segments ----

// Provides the global program's arguments for --verify from --inputs.
static Status *given_arguments(void *to, LiteralHeap *heap, uint32_t n, Literal **out) {
  PartitionJob *job = to;
  Session *s = &job->rewrite.session;
  OpId function;
  TRY(evaluate_entry(s->global, job->verification.entry, &function));
  TRY(inputs_open(&job->arrays, &job->inputs, s->global, function, &s->arena));
  TRY(inputs_read(&job->arrays, heap, n, out));
  for (uint32_t k = 0; k < n; k++)
    TRY(inputs_check(&job->arrays, k, evaluate_argument_type(s->global, function, k), out[k]));
  return NULL;
}

// All devices are partitions of one replica, or replicas of one partition.
static bool counts_fit(const PartitionJob *job) {
  uint64_t n = job->compiled.n_devices;
  if ((!job->replicas || job->replicas == 1 || job->replicas == n) &&
      (!job->partitions || job->partitions == 1 || job->partitions == n))
    return true;
  cli_error("there %s %u device%s: --replica-count and --partition-count take 1 or that number",
            n == 1 ? "is" : "are", job->compiled.n_devices, plural(n));
  return false;
}

static Status *save_decisions(const PartitionJob *job) {
  const char *path = job->save_decisions;
  if (!path) return NULL;
  if (cli_is_stdout(path)) return cli_flush(NULL, job->saved.data, job->saved.used);
  return file_write(path, job->saved.data, job->saved.used);
}

// Decisions and reports are about one program.
static bool is_one_program(const PartitionJob *job) {
  bool decisions = job->decisions || job->save_decisions;
  if (!job->rewrite.index || (!decisions && !job->report)) return true;
  cli_error("%s a file with one program, and %s has several",
            decisions ? "--decisions and --save-decisions take" : "--report takes",
            job->rewrite.source->path);
  return false;
}

static void say_unsharded(const PartitionJob *job) {
  const Session *s = &job->rewrite.session;
  const Mesh *mesh = sharding_mesh(s->table, s->mesh);
  if (mesh && mesh->n_devices > 1)
    fprintf(stderr,
            "tessera: nothing is sharded: the %u devices of the mesh would all run the global "
            "program. The output is that program, for 1 device. Annotate a value: --shard "
            "'0=P(\"%s\")'\n",
            mesh->n_devices, name_text(s->context, mesh->axes[0].name));
  else
    fprintf(stderr, "tessera: nothing is sharded: the local program is the global one. Annotate a "
                    "value: --mesh data=4 --shard '0=P(\"data\")'\n");
}

// Compiles one segment; reports go to stderr before the program goes to stdout.
static Status *partition_segment(Guard *guard, void *arg) {
  PartitionJob *job = arg;
  Rewrite *r = &job->rewrite;
  bool good;
  if (!is_one_program(job)) return NULL;
  if (job->save_decisions) {
    strbuf_init(&job->saved, guard);
    job->request.local.out_decisions = &job->saved;
  }
  TRY(rewrite_compile(r, guard, &job->request, NULL, NULL, &job->compiled, &good));
  if (!good) return NULL;
  if (!counts_fit(job)) return NULL;
  TRY(save_decisions(job));
  if (job->compiled.n_devices == 1) say_unsharded(job);
  if (job->compiled.prediction.simulated)
    predicted_init(&job->predicted, &r->session, &job->compiled.prediction, guard);
  if (job->report)
    TRY(cli_report_page(&job->predicted.show, r->source->path, NULL, job->report, guard));
  if (job->stats && !job->json) {
    show_traffic(job);
    show_predicted(job, guard);
  }
  if (job->request.local.why && !job->json) show_reasons(job, guard);
  if (job->verify) show_verified(job);
  r->code = job->verify && !job->compiled.verified.agree ? EXIT_NO : EXIT_OK;
  if (job->json) {
    put_json(job);
    return NULL;
  }
  Session *s = &r->session;
  if (job->replicas > 1) replica_mode(s->program);
  if (job->mesh_axes) mesh_groups(s->program, s->table, job->compiled.mesh, guard);
  rewrite_put(r);
  return NULL;
}

static void release(void *arg) {
  PartitionJob *job = arg;
  inputs_close(&job->arrays);
  predicted_deinit(&job->predicted);
  strbuf_deinit(&job->line);
  strbuf_deinit(&job->saved);
}

static bool read_decisions(PartitionJob *job) {
  if (job->plan && job->decisions) {
    cli_error("--plan and --decisions are both given: a plan has all decisions");
    return false;
  }
  job->request.plan = job->plan != NULL;
  job->request.plan_path = job->plan;
  if (job->plan) job->decisions = job->plan;
  if (!job->decisions) return true;
  size_t bytes;
  Status *status = file_read(job->decisions, FILE_MOST_TEXT, &job->given, &bytes);
  if (!status && bytes) {
    job->request.local.decisions = (Str){job->given, bytes};
    return true;
  }
  if (status)
    cli_fail(status);
  else
    cli_error("%s is empty: it has no decisions", job->decisions);
  return false;
}

static bool read_tolerance(const char *text, double *out) {
  if (!text) return true;
  char *end;
  double x = strtod(text, &end);
  if (end == text || *end || !(x > 0) || isinf(x)) {
    cli_error("--tolerance takes a number above 0, like 1e-6, not '%s'", text);
    return false;
  }
  *out = x;
  return true;
}

static const Usage usage = {
    "partition", "[FILE]",
    "Writes the local program that every device runs. It has the ops of the global program on "
    "shards, and standard StableHLO collectives. Annotations are propagated first, as tessera "
    "propagate does. A program with sdy.reshard ops is taken as already propagated: its "
    "arguments and results keep their shardings. Device k of the mesh is partition k. Each "
    "argument and result of the output has attributes with its global type and sharding.\nWith "
    "--verify, the global and the local program run on the same data. Their results are "
    "compared on every device: integers exactly, floats within a tolerance, which is printed. "
    "If they differ, the first difference is printed and the exit status is 1.",
    "  tessera partition model.mlir -o local.mlir\n"
    "  tessera partition model.mlir --mesh data=4,model=2 --shard '0=P(\"data\")' --verify\n"
    "  tessera partition model.mlir --stats > local.mlir         collectives and bytes sent\n"
    "  tessera partition model.mlir --why -o local.mlir          reasons for the collectives\n"
    "  tessera partition model.mlir --machine h100 --stats -o local.mlir\n"
    "  tessera partition model.mlir --machine h100:8 --report step.html -o local.mlir\n"
    "  tessera partition model.mlir --verify --inputs data.npz -o local.mlir\n"
    "  tessera partition model.mlir --verify --json | jq .bytes\n"
    "  tessera partition model.mlir --mesh data=4 --save-decisions d.json -o local.mlir\n"
    "  tessera partition model.mlir --decisions d.json -o local.mlir      after edits in d.json"};

int command_partition(int argc, char **argv) {
  PartitionJob job = {.rewrite.verb = "partition"};
  uint64_t gib = 16;
  const char *tolerance = NULL, *groups = NULL, *scatter = NULL;
  bool optimized = true;
  Status *status;
  TextList files = {mem_alloc((size_t)(argc + 1) * sizeof *files.items), 0};
  job.inputs.items = mem_alloc((size_t)(argc + 1) * sizeof *job.inputs.items);
  Annotations annotations;
  const Option own[] = {
      {"--verify", OPTION_FLAG, &job.verify, NULL,
       "run the global and the local program on the same data, and compare the results"},
      {"--inputs", OPTION_TEXTS, &job.inputs, "FILE…",
       "data for --verify: .npz or .npy files with the global arguments. tessera run --help "
       "tells how arrays are matched to arguments. Default: random data"},
      {"--seed", OPTION_NUMBER, &job.verification.seed, "N", "seed of the random data (default 0)"},
      {"--positive", OPTION_FLAG, &job.verification.positive, NULL,
       "random floats from 0 to 3 instead of -1.5 to 1.5, for programs that take square roots"},
      {"--entry", OPTION_TEXT, &job.verification.entry, "NAME",
       "function to verify (default main)"},
      {"--tolerance", OPTION_TEXT, &tolerance, "X",
       "floats agree if |got - want| <= X (1 + |want|). The default depends on the narrowest "
       "type that a result depends on: 1e-4 for f32, 1e-2 for f16, 5e-2 for bf16"},
      {"--max-steps", OPTION_NUMBER, &job.verification.most_steps, "N",
       "stop verifying after N ops of the global program (default: no limit)"},
      {"--memory", OPTION_NUMBER, &gib, "GIB",
       "limit of the memory of --verify (default 16; 0 = no limit)"},
      {"--scatter", OPTION_TEXT, &scatter, "spec|xla", cli_scatter_help},
      {"--stats", OPTION_FLAG, &job.stats, NULL,
       "print collectives, bytes sent per device and FLOPs, and the ops that devices compute "
       "redundantly. With --machine, also the predicted seconds and peak memory"},
      {"--poison", OPTION_FLAG, &job.request.local.poison, NULL,
       "write NaN (in integers: the least one) into padding that the local program itself makes, "
       "so that --verify detects reads of it"},
      {"--why", OPTION_FLAG, &job.request.local.why, NULL,
       "print for each collective the op and the value that need it, the most bytes first. The "
       "collectives get the attribute tessera.why"},
      {"--save-decisions", OPTION_TEXT, &job.save_decisions, "FILE",
       "write all choices of the partitioner to FILE as JSON: axes of each op, reshards, "
       "inlined functions, trades of passes (docs/partition-decisions.md)"},
      {"--decisions", OPTION_TEXT, &job.decisions, "FILE",
       "use the choices in FILE. FILE may be edited, and may have some of the choices only. A "
       "choice that cannot be used is an error"},
      {"--plan", OPTION_TEXT, &job.plan, "FILE",
       "use the plan in FILE, as tessera plan --plan-out writes it: mesh, shardings and choices"},
      {"--report", OPTION_TEXT, &job.report, "FILE.html", cli_report_help},
      {"--json", OPTION_FLAG, &job.json, NULL,
       "print the reports of --stats, --why and --verify as JSON instead of the program"},
      {"-O", OPTION_FLAG, &optimized, NULL, "optimize the local program (default)"},
      {"-O0", OPTION_FLAG, &job.request.local.plain, NULL, "do not optimize the local program"},
      {"--rings", OPTION_FLAG, &job.request.local.rings, NULL,
       "also write all_gather + contraction and contraction + reduce_scatter as windowed "
       "einsums (rings of permutes), if that is predicted to be faster"},
      {"--passes", OPTION_TEXT, &job.request.local.passes, "LIST",
       "run only these passes, in this order: share,dead. tessera optimize --help lists them"},
      {"--collectives", OPTION_TEXT, &job.request.local.collectives, "LIST",
       "how to write collectives for the system that runs the program: combined (default), or "
       "a list of single, bitwise, fenced, major, apart, paced and typed (the passes of these "
       "names). xla means all that XLA needs"},
      {"--replica-groups", OPTION_TEXT, &groups, "dense|mesh-axes",
       "dense (default): write the device ids of each group. mesh-axes: write the axes of the "
       "mesh"},
      {"--replica-count", OPTION_NUMBER, &job.replicas, "N",
       "use replicas instead of partitions: device k is replica k. N must be the number of "
       "devices"},
      {"--partition-count", OPTION_NUMBER, &job.partitions, "N",
       "use partitions (default): device k is partition k. N must be the number of devices"},
      {"--generic", OPTION_FLAG, &job.rewrite.print.generic, NULL,
       "print every op in generic form"},
      {"--locations", OPTION_FLAG, &job.rewrite.print.locations, NULL, "print locations"},
      {"-o", OPTION_TEXT, &job.rewrite.output, "FILE", "write to FILE instead of standard output"},
  };
  enum { N_OWN = sizeof own / sizeof own[0] };
  Option options[ANNOTATION_OPTIONS + N_OWN];
  annotations_options(&annotations, options);
  memcpy(options + ANNOTATION_OPTIONS, own, sizeof own);
  int code = EXIT_BAD;
  ParseArgs args = ARGS_BAD;
  if (annotations_init(&annotations, argc) && files.items && job.inputs.items)
    args = cli_options(&usage, options, ANNOTATION_OPTIONS + N_OWN, argc, argv, &files);
  else
    cli_fail(status_no_memory());
  if (args == ARGS_HELP) code = EXIT_OK;
  if (args == ARGS_OK && files.count > 1) {
    cli_error("partition takes one program, %u are given%s", files.count,
              job.request.local.why
                  ? " (partition --why takes no value; tessera propagate --why VALUE tells "
                    "where a value's axes come from)"
                  : "");
  } else if (args == ARGS_OK && groups && strcmp(groups, "dense") && strcmp(groups, "mesh-axes")) {
    cli_error("--replica-groups takes dense or mesh-axes, not '%s'", groups);
  } else if (args == ARGS_OK && job.save_decisions && cli_is_stdout(job.save_decisions) &&
             cli_is_stdout(job.rewrite.output)) {
    cli_error("--save-decisions and the program both go to standard output: give one of them a "
              "file (-o FILE)");
  } else if (args == ARGS_OK && job.save_decisions && job.rewrite.output &&
             strcmp(job.save_decisions, job.rewrite.output) == 0) {
    cli_error("--save-decisions and -o both write to %s: give one of them another file",
              job.rewrite.output);
  } else if (args == ARGS_OK && job.report && !annotations.machine) {
    cli_error("--report predicts a step: --machine NAME[:SHAPE]|FILE says on which machine");
  } else if (args == ARGS_OK && job.report && job.rewrite.output &&
             strcmp(job.report, job.rewrite.output) == 0) {
    cli_error("--report and -o both write to %s: give one of them another file", job.report);
  } else if (args == ARGS_OK && job.inputs.count && !job.verify) {
    cli_error("--inputs requires --verify");
  } else if (args == ARGS_OK && job.replicas > 1 && job.partitions > 1) {
    cli_error("--replica-count and --partition-count cannot both be above 1");
  } else if (args == ARGS_OK &&
             (status = optimize_check_collectives(job.request.local.collectives))) {
    cli_error("--collectives: %s", status_message(status));
    status_free(status);
  } else if (args == ARGS_OK && read_tolerance(tolerance, &job.verification.tolerance) &&
             cli_scatter(scatter, &job.verification.scatter) && read_decisions(&job) &&
             annotations_read(&annotations)) {
    job.request.annotations = annotations.request;
    job.request.annotations.try_orders = true;
    job.request.local.redundant = job.stats || job.json;
    job.request.simulate = job.json || job.report || (job.stats && annotations.machine);
    job.request.local.reasons = job.report != NULL;
    job.request.verify = job.verify ? &job.verification : NULL;
    if (job.inputs.count) job.verification.arguments = given_arguments;
    job.verification.to = &job;
    job.mesh_axes = groups && strcmp(groups, "mesh-axes") == 0;
    job.verification.most_bytes = cli_gib(gib);
    if (job.verification.entry && job.verification.entry[0] == '@') job.verification.entry++;
    const char *path = files.count ? files.items[0] : "-";
    code = rewrite_file(&job.rewrite, path, partition_segment, release, &job);
  }
  annotations_deinit(&annotations);
  mem_free(job.given);
  mem_free(files.items);
  mem_free(job.inputs.items);
  return code;
}
