// `tessera optimize`: the program that each device runs in, the same at less cost out.
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "cli/cli.h"
#include "ops/infer.h"
#include "optimize/optimize.h"
#include "parse/print.h"

typedef struct OptimizeJob {
  const Source *source;
  size_t begin, end;
  PrintOptions print;
  OptimizeOptions options;
  bool stats, json;
  const char *output;
  Segment seg;
  StrBuf *out;  // of all segments
  uint32_t index;
  int code;
} OptimizeJob;

static Status *flush_stdout(void *to, const char *data, size_t n) {
  (void)to;
  if (fwrite(data, 1, n, stdout) != n) FAIL(UNAVAILABLE, "standard output cannot be written");
  return NULL;
}

static void put_json(OptimizeJob *job, const OptimizeStats *stats) {
  Json json = {.out = job->out};
  json_open(&json, '{');
  json_key(&json, "file"), json_string(&json, job->source->path);
  json_key(&json, "segment"), json_uint(&json, job->index);
  json_key(&json, "changes"), json_open(&json, '{');
  for (PassId i = 0; i < PASS_COUNT; i++)
    if (stats->changes[i]) json_key(&json, pass_name(i)), json_uint(&json, stats->changes[i]);
  json_close(&json, '}');
  json_close(&json, '}');
  json_newline(&json);
}

static void put_program(OptimizeJob *job) {
  if (job->index) strbuf_puts(job->out, "// -----\n");
  program_print(job->seg.program, &job->print, job->out);
}

static void show_stats(const OptimizeStats *stats) {
  for (PassId i = 0; i < PASS_COUNT; i++)
    if (stats->changes[i])
      fprintf(stderr, "tessera: %6u by %-10s %s\n", stats->changes[i], pass_name(i),
              pass_summary(i));
}

static Status *optimize_segment(Guard *guard, void *arg) {
  OptimizeJob *job = arg;
  Segment *seg = &job->seg;
  job->out->guard = guard;
  OptimizeStats stats;
  TRY(segment_load(seg, guard, job->source, job->begin, job->end, &(ParseOptions){0}, true));
  if (seg->valid) {
    TRY(optimize_program(seg->program, &job->options, guard, &seg->diag, &stats));
    const char *wrong = program_check(seg->program);
    if (wrong) FAIL(INTERNAL, "the program is not sound, which is an error of Tessera: %s", wrong);
    seg->valid = program_verify(seg->program, &seg->diag);
  }
  if (seg->diag.list.count) segment_report(seg, guard);
  if (!seg->valid) return NULL;
  if (job->stats && !job->json) show_stats(&stats);
  if (job->json)
    put_json(job, &stats);
  else
    put_program(job);
  job->code = EXIT_OK;
  return NULL;
}

static Status *put_out(Guard *guard, void *arg) {
  OptimizeJob *job = arg;
  job->out->guard = guard;
  if (job->output)
    return file_write(job->output, job->out->data ? job->out->data : "", job->out->used);
  strbuf_flush(job->out);
  return NULL;
}

// All segments of the file, then what they gave: a file is written whole or not at all.
static int optimize_file(OptimizeJob *job, const char *path) {
  char *text;
  size_t bytes;
  Status *status = file_read(path, FILE_MOST_TEXT, &text, &bytes);
  if (status) return cli_fail(status);
  Source source = {strcmp(path, "-") == 0 ? "<stdin>" : path, text, bytes};
  StrBuf out;
  strbuf_init(&out, NULL);
  if (!job->output) out.flush = flush_stdout;
  job->out = &out;
  job->source = &source;
  int code = EXIT_OK;
  while (source_next_segment(&source, &job->begin, &job->end)) {
    job->code = EXIT_BAD;
    status = guard_run(optimize_segment, job);
    if (status) job->code = cli_fail(status);
    if (job->code > code) code = job->code;
    segment_deinit(&job->seg);
    job->index++;
  }
  status = code != EXIT_BAD || !job->output ? guard_run(put_out, job) : NULL;
  if (status) code = cli_fail(status);
  strbuf_deinit(&out);
  mem_free(text);
  return code;
}

static const Usage usage = {
    "optimize", "[FILE]",
    "Makes the program that each device runs cheaper, as tessera partition does by itself: fewer "
    "and smaller\n"
    "collectives, no work twice. All devices run the program. Arguments are taken to be the same "
    "everywhere\n"
    "unless they have a tessera.sharding, in functions that have one at all. The passes:"
#define PASS(name, when, what) "\n  " #name ": " what
#include "optimize/passes.def"
#undef PASS
    ,
    "  tessera partition model.mlir -O0 | tessera optimize --devices 8 --stats\n"
    "  tessera optimize local.mlir --devices 8 --passes=share,dead -o less.mlir"};

int command_optimize(int argc, char **argv) {
  OptimizeJob job = {.index = 0};
  uint64_t devices = 0, bucket = 0;
  TextList files = {mem_alloc((size_t)(argc + 1) * sizeof *files.items), 0};
  const Option options[] = {
      {"--devices", OPTION_NUMBER, &devices, "N", "that run it (default: not known)"},
      {"--passes", OPTION_TEXT, &job.options.passes, "LIST",
       "these only, each once, in this order (default: all, until none finds more)"},
      {"--rings", OPTION_FLAG, &job.options.rings, NULL,
       "contractions of gathered tensors as rings too, where that pays"},
      {"--bucket", OPTION_NUMBER, &bucket, "BYTES",
       "most that small collectives combined into one exchange (default 32 MiB)"},
      {"--stats", OPTION_FLAG, &job.stats, NULL, "say how often each pass changed something"},
      {"--json", OPTION_FLAG, &job.json, NULL, "the same instead of the program"},
      {"--generic", OPTION_FLAG, &job.print.generic, NULL, "print every op in generic form"},
      {"--locations", OPTION_FLAG, &job.print.locations, NULL, "print locations"},
      {"-o", OPTION_TEXT, &job.output, "FILE", "write there instead of standard output"},
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
  } else if (args == ARGS_OK) {
    job.options.n_devices = (uint32_t)devices;
    job.options.bucket_bytes = (double)bucket;
    code = optimize_file(&job, files.count ? files.items[0] : "-");
  }
  mem_free(files.items);
  return code;
}
