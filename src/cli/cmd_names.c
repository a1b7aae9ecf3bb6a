// `tessera names`: prints the dimensions of a program by name, in the format that --names reads.
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "cli/cli.h"
#include "cli/progress.h"
#include "report/show_names.h"
#include "propagate/propagate.h"

typedef struct NamesJob {
  const Source *source;
  const Source *side;  // NULL = none
  bool all, json;
  size_t begin, end;
  uint32_t printed;
  // Of one segment; freed after its guard.
  Session seg;
  Diag side_diag;
  Names names;
  bool good;
  CliProgress progress;
} NamesJob;

static Status *find_names(NamesJob *job, Guard *guard) {
  bool valid;
  TRY(cli_load(&job->seg, guard, job->source, job->begin, job->end, &(ParseOptions){0}, true,
               &valid));
  if (!valid) return NULL;
  job->seg.table = sharding_table_new(job->seg.context, guard);
  Status *status = propagation_new(job->seg.program, job->seg.table, &(PropagateOptions){0}, guard,
                                   &job->seg.diag, &job->seg.propagation);
  if (status && job->seg.diag.errors) {
    status_free(status);
    return NULL;
  }
  TRY(status);
  if (job->side) diag_init(&job->side_diag, guard, job->side);
  job->good = names_build(propagation_graph(job->seg.propagation), &job->seg.arena, &job->seg.diag,
                          job->side ? &job->side_diag : NULL, &job->names);
  return NULL;
}

static void report(const Diag *diag, Guard *guard) {
  StrBuf text;
  strbuf_init(&text, guard);
  GuardCleanup cleanup = {.release = cli_release_text, .object = &text};
  guard_push(guard, &cleanup);
  diag_render(diag, &text, cli_colour());
  if (text.used) fwrite(text.data, 1, text.used, stderr);
  guard_pop(guard, &cleanup);
  strbuf_deinit(&text);
}

static Status *names_segment(Guard *guard, void *arg) {
  NamesJob *job = arg;
  cli_progress_use(&job->progress, guard);
  TRY(find_names(job, guard));
  cli_progress_clear(&job->progress);
  if (job->side_diag.source) report(&job->side_diag, guard);
  if (job->seg.diag.list.count) cli_report(&job->seg, guard);
  if (!job->good) return NULL;
  StrBuf out;
  strbuf_init(&out, guard);
  GuardCleanup cleanup = {.release = cli_release_text, .object = &out};
  guard_push(guard, &cleanup);
  NamesShown shown = {job->seg.program, &job->names, job->source->path, &job->seg.arena, job->all};
  if (!job->json && job->printed++) strbuf_puts(&out, "# -----\n");
  (job->json ? names_json : names_table)(&shown, &out);
  job->good = cli_put(out.data, out.used);
  guard_pop(guard, &cleanup);
  strbuf_deinit(&out);
  return NULL;
}

static void job_clear(NamesJob *job) {
  if (job->side_diag.source) diag_deinit(&job->side_diag);
  job->side_diag = (Diag){0};
  session_deinit(&job->seg);
}

static bool names_file(NamesJob *job, const char *path) {
  Source source;
  char *data = cli_read_program(path, &source);
  if (!data) return false;
  job->source = &source;
  job->begin = job->end = 0;
  bool good = true;
  while (source_next_segment(&source, &job->begin, &job->end)) {
    job->good = false;
    Status *status = guard_run(names_segment, job);
    cli_progress_clear(&job->progress);
    job_clear(job);
    if (status || !job->good) good = false;
    if (status) cli_fail(status);
  }
  mem_free(data);
  return good;
}

int command_names(int argc, char **argv) {
  NamesJob job = {0};
  cli_progress_init(&job.progress, "names");
  const char *side_path = NULL;
  static const Usage usage = {
      "names", "[FILE…]",
      "Groups the dimensions of a program that must have equal size and meaning, and prints a "
      "name for each group. Names come from `tessera.dims` attributes of arguments and results, "
      "or from --names. Other groups are named by their size (d128, d128b). If a name occurs "
      "twice in one value, the second is length'. A merged dimension is batch*length. `tessera "
      "propagate --layout \"batch:data\"` shards by these names. The output can be given back "
      "with --names.",
      "  tessera names model.mlir\n"
      "  tessera names model.mlir --names names.txt       lines such as `arg0: batch, length`,\n"
      "                                                   `params.layer_*.w1: hidden, ff`, `x: _, "
      "...`\n"
      "  tessera names model.mlir --all | grep length\n"
      "  tessera names model.mlir --json | jq '.names[].name'"};
  const Option options[] = {
      {"--names", OPTION_TEXT, &side_path, "FILE",
       "file with names. A line is 'PATTERN: NAME, NAME'"},
      {"--all", OPTION_FLAG, &job.all, NULL, "print all values and all names"},
      {"--json", OPTION_FLAG, &job.json, NULL, "print one JSON object per program"},
  };
  TextList files = {mem_alloc((size_t)(argc + 1) * sizeof *files.items), 0};
  if (!files.items) return cli_fail(status_no_memory());
  ParseArgs args =
      cli_options(&usage, options, sizeof options / sizeof options[0], argc, argv, &files);
  int code = args == ARGS_HELP ? EXIT_OK : EXIT_BAD;
  char *side_text = NULL;
  Source side = {0};
  if (args == ARGS_OK && side_path) {
    Status *status = file_read(side_path, FILE_MOST_TEXT, &side_text, &side.size);
    if (status) {
      cli_fail(status);
      args = ARGS_BAD;
    }
    side.path = side_path;
    side.text = side_text;
    job.side = &side;
  }
  if (args == ARGS_OK) {
    if (files.count == 0) files.items[files.count++] = "-";
    bool good = true;
    for (uint32_t i = 0; i < files.count; i++) good &= names_file(&job, files.items[i]);
    code = good ? EXIT_OK : EXIT_BAD;
  }
  mem_free(side_text);
  mem_free(files.items);
  return code;
}
