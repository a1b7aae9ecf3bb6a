// `tessera optimize`: runs the optimizer passes on a local program.
#include <stdio.h>

#include "base/json.h"
#include "base/mem.h"
#include "cli/rewrite.h"
#include "optimize/optimize.h"

typedef struct OptimizeJob {
  Rewrite rewrite;
  OptimizeOptions options;
  uint32_t trip_count;
  bool stats, json;
  OptimizeStats changes;  // of the current segment
} OptimizeJob;

static void put_json(OptimizeJob *job, const OptimizeStats *stats) {
  Json json = {.out = &job->rewrite.out};
  json_open(&json, '{');
  json_key(&json, "file"), json_string(&json, job->rewrite.source->path);
  json_key(&json, "segment"), json_uint(&json, job->rewrite.index);
  json_key(&json, "changes"), json_open(&json, '{');
  for (PassId i = 0; i < PASS_COUNT; i++)
    if (stats->changes[i]) json_key(&json, pass_name(i)), json_uint(&json, stats->changes[i]);
  json_close(&json, '}');
  json_close(&json, '}');
  json_newline(&json);
}

static void show_stats(const OptimizeStats *stats) {
  bool any = false;
  for (PassId i = 0; i < PASS_COUNT; i++) {
    if (!stats->changes[i]) continue;
    any = true;
    fprintf(stderr, "tessera: %6u by %-10s %s\n", stats->changes[i], pass_name(i), pass_summary(i));
  }
  if (!any) fprintf(stderr, "tessera: no pass found anything to change\n");
}

static Status *optimize(void *arg) {
  OptimizeJob *job = arg;
  Session *s = &job->rewrite.session;
  s->program->trip_count = job->trip_count;
  TRY(optimize_program(s->program, &job->options, s->guard, &s->diag, &job->changes));
  return stage_check_local(s);
}

static Status *optimize_segment(Guard *guard, void *arg) {
  OptimizeJob *job = arg;
  CompileRequest request = {.stop_after = STAGE_VERIFY};
  Compiled compiled;
  bool good;
  TRY(rewrite_compile(&job->rewrite, guard, &request, optimize, job, &compiled, &good));
  if (!good) return NULL;
  if (job->stats && !job->json) show_stats(&job->changes);
  if (job->json)
    put_json(job, &job->changes);
  else
    rewrite_put(&job->rewrite);
  job->rewrite.code = EXIT_OK;
  return NULL;
}

static const Usage usage = {
    "optimize", "[FILE]",
    "Optimizes a local program, as tessera partition does by default: fewer and smaller "
    "collectives, no work done twice. All devices run the program. If an argument or result of "
    "a function has the attribute tessera.sharding, the function's other arguments are taken "
    "as replicated. If none has it, arguments may differ between all devices. The passes:"
#define PASS(name, when, what) "\n  " #name ": " what
#include "optimize/passes.def"
#undef PASS
    ,
    "  tessera partition model.mlir -O0 | tessera optimize --devices 8 --stats\n"
    "  tessera optimize local.mlir --devices 8 --passes=share,dead -o less.mlir"};

int command_optimize(int argc, char **argv) {
  OptimizeJob job = {.rewrite.verb = "optimize"};
  uint64_t devices = 0, bucket = 0, trip_count = UINT64_MAX;
  Status *status;
  TextList files = {mem_alloc((size_t)(argc + 1) * sizeof *files.items), 0};
  const Option options[] = {
      {"--devices", OPTION_NUMBER, &devices, "N",
       "number of devices that run the program (default: unknown; some passes then do nothing)"},
      {"--passes", OPTION_TEXT, &job.options.passes, "LIST",
       "run only these passes, each once, in this order (default: all, until none changes the "
       "program)"},
      {"--rings", OPTION_FLAG, &job.options.rings, NULL,
       "also write all_gather + contraction and contraction + reduce_scatter as windowed "
       "einsums (rings of permutes), if that is predicted to be faster"},
      {"--collectives", OPTION_TEXT, &job.options.collectives, "LIST",
       "how to write collectives for the system that runs the program: combined (default), or "
       "a list of single, bitwise, fenced, major, apart, paced and typed (the passes of these "
       "names). xla means all that XLA needs"},
      {"--bucket", OPTION_NUMBER, &bucket, "BYTES",
       "combine small collectives up to BYTES (default 32 MiB)"},
      {"--trip-count", OPTION_NUMBER, &trip_count, "N",
       "iterations that a loop of unknown length counts as (default 100)"},
      {"--stats", OPTION_FLAG, &job.stats, NULL, "print how often each pass changed the program"},
      {"--json", OPTION_FLAG, &job.json, NULL,
       "print the numbers of --stats as JSON instead of the program"},
      {"--generic", OPTION_FLAG, &job.rewrite.print.generic, NULL,
       "print every op in generic form"},
      {"--locations", OPTION_FLAG, &job.rewrite.print.locations, NULL, "print locations"},
      {"-o", OPTION_TEXT, &job.rewrite.output, "FILE", "write to FILE instead of standard output"},
  };
  int code = EXIT_BAD;
  ParseArgs args = ARGS_BAD;
  if (files.items)
    args = cli_options(&usage, options, sizeof options / sizeof *options, argc, argv, &files);
  else
    cli_fail(status_no_memory());
  if (args == ARGS_HELP) code = EXIT_OK;
  if (args == ARGS_OK && files.count > 1) {
    cli_error("optimize takes one program, %u are given", files.count);
  } else if (args == ARGS_OK && devices > 1u << 20) {
    cli_error("--devices takes at most 1048576");
  } else if (args == ARGS_OK && (status = optimize_check_collectives(job.options.collectives))) {
    cli_error("--collectives: %s", status_message(status));
    status_free(status);
  } else if (args == ARGS_OK && cli_trip_count(trip_count, &job.trip_count)) {
    job.options.n_devices = (uint32_t)devices;
    job.options.bucket_bytes = (double)bucket;
    const char *path = files.count ? files.items[0] : "-";
    code = rewrite_file(&job.rewrite, path, optimize_segment, NULL, &job);
  }
  mem_free(files.items);
  return code;
}
