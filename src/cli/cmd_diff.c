// `tessera diff`: two results of simulate or partition, side by side.
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "cli/cli.h"
#include "report/diff.h"

typedef struct DiffJob {
  bool json;
  TextList files;
  char *texts[2];
  size_t sizes[2];
  Arena arena;
  StrBuf out;
  int code;
} DiffJob;

static void release(void *arg) {
  DiffJob *job = arg;
  strbuf_deinit(&job->out);
  arena_deinit(&job->arena);
}

static Status *compare(DiffJob *job) {
  const JsonValue *results[2];
  for (uint32_t i = 0; i < 2; i++) {
    Status *status = json_read((Str){job->texts[i], job->sizes[i]}, &job->arena, &results[i]);
    if (!status) continue;
    cli_error("%s: %s (diff takes files with one result each)", job->files.items[i],
              status_message(status));
    status_free(status);
    return NULL;
  }
  Diff diff;
  TRY(diff_results(results[0], results[1], &job->arena, &diff));
  Json json = {.out = &job->out};
  if (job->json)
    diff_json(&diff, job->files.items[0], job->files.items[1], &json);
  else
    diff_put(&diff, job->files.items[0], job->files.items[1], &job->out);
  if (cli_put(job->out.data, job->out.used)) job->code = EXIT_OK;
  return NULL;
}

static Status *run(Guard *guard, void *arg) {
  DiffJob *job = arg;
  arena_init(&job->arena, guard);
  strbuf_init(&job->out, guard);
  GuardCleanup cleanup = {.release = release, .object = job};
  guard_push(guard, &cleanup);
  Status *status = compare(job);
  guard_pop(guard, &cleanup);
  release(job);
  return status;
}

int command_diff(int argc, char **argv) {
  DiffJob job = {.code = EXIT_BAD};
  static const Usage usage = {
      "diff", "FILE FILE",
      "Compares two results of tessera simulate --json or tessera partition --json: seconds and "
      "their parts, peak memory, bytes sent by kind of collective and axes.",
      "  tessera simulate model.mlir --machine h100:8 --mesh data=8 --json > a.json\n"
      "  tessera simulate model.mlir --machine h100:8 --mesh data=4,model=2 --json > b.json\n"
      "  tessera diff a.json b.json"};
  const Option options[] = {{"--json", OPTION_FLAG, &job.json, NULL, "print one object"}};
  job.files.items = mem_alloc((size_t)(argc + 1) * sizeof *job.files.items);
  if (!job.files.items) return cli_fail(status_no_memory());
  ParseArgs args = cli_options(&usage, options, 1, argc, argv, &job.files);
  if (args == ARGS_HELP) job.code = EXIT_OK;
  if (args == ARGS_OK && job.files.count != 2) {
    cli_error("diff takes two files, %u %s given", job.files.count,
              job.files.count == 1 ? "is" : "are");
  } else if (args == ARGS_OK) {
    Status *status = NULL;
    for (uint32_t i = 0; i < 2 && !status; i++)
      status = file_read(job.files.items[i], FILE_MOST_TEXT, &job.texts[i], &job.sizes[i]);
    if (!status) status = guard_run(run, &job);
    if (status) job.code = cli_fail(status);
  }
  for (uint32_t i = 0; i < 2; i++) mem_free(job.texts[i]);
  mem_free(job.files.items);
  return job.code;
}
