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
#include "cli/predicted.h"
#include "cli/rewrite.h"
#include "evaluate/evaluate.h"
#include "partition/mesh_groups.h"
#include "partition/replica_mode.h"
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
            t->told ? "" : "guess: ", t->unknown_loops, plural(t->unknown_loops), t->trip_count,
            plural(t->trip_count), t->told ? "" : "; --trip-count sets it");
  else if (unknown && !t->told)
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
    fprintf(stderr, "tessera:   redundant: %u more (--json has all)\n", list->n - MOST_REDUNDANT);
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
               r->unknown && !t->told ? ": a guess" : "");
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
  if (share >= hint_share && !annotations->by_cost &&
      trials_would_help(annotations, &job->rewrite.session.arena))
    fprintf(stderr, "tessera: devices compute the same work: if several annotations use one axis, "
                    "--conflicts=cost tries which of them\n"
                    "tessera: propagate first; a priority decides it: --shard 'w=P(\"data\")p1'\n");
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
  fprintf(stderr,
          "tessera: why each collective is there, the most expensive first. %%N is an SSA name in "
          "%s as given;\n"
          "tessera: FILE:LINE is a line of the user's source if the op has a location, else of %s",
          path, path);
  if (traffic_marks(job->request.local.collectives))
    fputs(";\ntessera: in the local program rN is the attribute tessera.why = \"rN\"", stderr);
  fputc('\n', stderr);
  StrBuf *line = &job->line;
  strbuf_init(line, guard);
  for (uint32_t i = 0; i < reasons->n; i++) {
    const Reason *r = &reasons->rows[i];
    line->used = 0;
    reason_print(r, r->unknown && !job->compiled.traffic.told, line);
    say("tessera: ", line->data);
  }
  strbuf_deinit(line);
}

// A small difference is probably rounding; a wrong program is rarely so close.
static bool is_near(const Verified *v) { return v->worst > v->tolerance && v->worst < 0.01; }

static void show_not_finite(const Verified *v) {
  if (v->not_finite)
    fprintf(stderr,
            "tessera: %llu of %llu floats of the global results are not finite, which may be the "
            "random data (a second moment\n"
            "tessera: below 0): --positive, --seed=N; tessera.run in Python takes real data\n",
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
      fprintf(stderr, "tessera: floats must be within %g of 1 + |value|; farthest %.2g\n",
              v->tolerance, v->worst);
    if (is_near(v) && job->verification.tolerance > 0)
      fprintf(stderr,
              "tessera: that may be rounding: devices add in another order, and many layers "
              "magnify it. Without --tolerance it is seen\n"
              "tessera: whether another order does the same to the global program; --tolerance=X "
              "allows more\n");
    else if (is_near(v))
      fprintf(
          stderr,
          "tessera: that may still be rounding, though adding in another order moves the global "
          "program's own less. The same\n"
          "tessera: program in f64 (jax_enable_x64) tells; if it agrees there, allow more here: "
          "--tolerance=X\n");
    else if (v->tolerance > 0 && !job->inputs.count)
      fprintf(stderr,
              "tessera: the arguments are random: a program that is ill-conditioned on them "
              "magnifies rounding. --inputs=FILE verifies on\n"
              "tessera: real data; the same program in f64 (jax_enable_x64) tells rounding from "
              "errors\n");
    return;
  }
  fprintf(stderr, "tessera: verified on %u device%s: %u result%s agree%s", v->n_devices,
          plural(v->n_devices), v->n_results, plural(v->n_results), v->n_results == 1 ? "s" : "");
  if (v->rounded)
    fprintf(stderr,
            " as far as rounding lets them\n"
            "tessera: (floats within %g of 1 + |value|, but for some that are off by up to %.2g: "
            "these also move when the global\n"
            "tessera: program adds in another order; with --tolerance=X they are errors)\n",
            v->tolerance, v->worst);
  else if (v->tolerance > 0)
    fprintf(stderr, " (floats within %g of 1 + |value|; farthest %.2g)\n", v->tolerance, v->worst);
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
  cli_error("there %s %u device%s: --replica-count and --partition-count are 1 or that",
            n == 1 ? "is" : "are", job->compiled.n_devices, plural(n));
  return false;
}

// Decisions are about one program.
static bool is_one_program(const PartitionJob *job) {
  if (!job->rewrite.index || (!job->decisions && !job->save_decisions)) return true;
  cli_error("--decisions and --save-decisions take a file with one program, and %s has several",
            job->rewrite.source->path);
  return false;
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
  if (job->save_decisions) TRY(file_write(job->save_decisions, job->saved.data, job->saved.used));
  if (!counts_fit(job)) return NULL;
  if (job->compiled.n_devices == 1)
    fprintf(stderr, "tessera: nothing is sharded: the local program is the global one. Annotate a "
                    "value: --mesh data=4 --shard '0=P(\"data\")'\n");
  if (job->compiled.prediction.simulated)
    predicted_init(&job->predicted, &r->session, &job->compiled.prediction, guard);
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
    "Writes the local program that each device runs: the same ops on shards of the tensors, with "
    "standard StableHLO collectives. Annotations are read and propagated first, as by tessera "
    "propagate; a program with sdy.reshard is already propagated, and its arguments and results "
    "keep their shardings. Device k of the mesh is partition k. In the output, attributes of each "
    "argument and result hold its global type and sharding.\n"
    "With --verify both programs run on the same data, random or of --inputs, and are compared on "
    "every device: integers exactly, floats within a tolerance that is printed; exit status 1 and "
    "the first difference if they differ.",
    "  tessera partition model.mlir -o local.mlir\n"
    "  tessera partition model.mlir --mesh data=4,model=2 --shard '0=P(\"data\")' --verify\n"
    "  tessera partition model.mlir --stats > local.mlir         communication\n"
    "  tessera partition model.mlir --why -o local.mlir          why, the most expensive first\n"
    "  tessera partition model.mlir --machine h100 --stats -o local.mlir\n"
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
       "run the local and the global program on the same data and compare"},
      {"--inputs", OPTION_TEXTS, &job.inputs, "FILE…",
       ".npz or .npy files with the global arguments, for --verify, matched as by tessera run "
       "(default: random data)"},
      {"--seed", OPTION_NUMBER, &job.verification.seed, "N", "seed of that data (default 0)"},
      {"--positive", OPTION_FLAG, &job.verification.positive, NULL,
       "floats of that data from 0 to 3 (default -1.5 to 1.5), for programs that take square "
       "roots"},
      {"--entry", OPTION_TEXT, &job.verification.entry, "NAME",
       "the function to verify (default main)"},
      {"--tolerance", OPTION_TEXT, &tolerance, "X",
       "floats agree if |got - want| <= X (1 + |want|) (default by the narrowest type that a "
       "result depends on: f32 1e-4, f16 1e-2, bf16 5e-2)"},
      {"--max-steps", OPTION_NUMBER, &job.verification.most_steps, "N",
       "stop verifying after N ops of the global program (default: no limit)"},
      {"--memory", OPTION_NUMBER, &gib, "GIB",
       "limit of values alive while verifying, and of stacks of devices (default 16; 0 = none)"},
      {"--scatter", OPTION_TEXT, &scatter, "spec|xla", cli_scatter_help},
      {"--stats", OPTION_FLAG, &job.stats, NULL,
       "count collectives, bytes sent per device and FLOPs; name ops computed redundantly; with "
       "--machine also predict seconds and peak memory"},
      {"--poison", OPTION_FLAG, &job.request.local.poison, NULL,
       "padding is NaN or the least integer: shows in --verify if it is read"},
      {"--why", OPTION_FLAG, &job.request.local.why, NULL,
       "name for each collective the op and the value that need it, the most expensive first; "
       "mark collectives with tessera.why"},
      {"--save-decisions", OPTION_TEXT, &job.save_decisions, "FILE",
       "write every choice there as JSON: axes per op, reshards, inlined functions, trades of "
       "passes"},
      {"--decisions", OPTION_TEXT, &job.decisions, "FILE",
       "obey the choices in FILE, all or some, edited or not; one that cannot be obeyed is an "
       "error"},
      {"--json", OPTION_FLAG, &job.json, NULL,
       "print what --stats, --why and --verify report, instead of the program"},
      {"-O", OPTION_FLAG, &optimized, NULL, "make the local program cheaper (the default)"},
      {"-O0", OPTION_FLAG, &job.request.local.plain, NULL,
       "leave the local program as it was made"},
      {"--rings", OPTION_FLAG, &job.request.local.rings, NULL,
       "also compute contractions of gathered tensors as rings of shards, where that pays"},
      {"--passes", OPTION_TEXT, &job.request.local.passes, "LIST",
       "run these passes only, in this order: share,dead (tessera optimize --help lists them)"},
      {"--collectives", OPTION_TEXT, &job.request.local.collectives, "LIST",
       "the form that the program's consumer needs of collectives: combined (default), single (one "
       "operand each), bitwise, fenced, major, apart, paced, typed, several with commas; xla: all "
       "that "
       "XLA needs"},
      {"--replica-groups", OPTION_TEXT, &groups, "dense|mesh-axes",
       "write groups of devices one by one (default) or by axes of the mesh"},
      {"--replica-count", OPTION_NUMBER, &job.replicas, "N",
       "device k is replica k of one partition instead (N: all of them)"},
      {"--partition-count", OPTION_NUMBER, &job.partitions, "N",
       "device k is partition k of one replica (the default)"},
      {"--generic", OPTION_FLAG, &job.rewrite.print.generic, NULL,
       "print every op in generic form"},
      {"--locations", OPTION_FLAG, &job.rewrite.print.locations, NULL, "print locations"},
      {"-o", OPTION_TEXT, &job.rewrite.output, "FILE", "write there instead of standard output"},
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
                  ? " (--why takes no value here; tessera propagate --why VALUE says "
                    "where a value's axes come from)"
                  : "");
  } else if (args == ARGS_OK && groups && strcmp(groups, "dense") && strcmp(groups, "mesh-axes")) {
    cli_error("--replica-groups takes dense or mesh-axes, not '%s'", groups);
  } else if (args == ARGS_OK && job.inputs.count && !job.verify) {
    cli_error("--inputs are data to verify with: say --verify, too");
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
    job.request.simulate = job.json || (job.stats && annotations.machine);
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
