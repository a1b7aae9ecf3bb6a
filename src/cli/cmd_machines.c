// `tessera machines`: the machines that --machine knows, or one of them in detail.
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "cli/cli.h"
#include "cost/machine.h"
#include "report/show_machine.h"

typedef struct MachinesJob {
  bool json;
  TextList words;
  StrBuf out;
  Arena arena;
  char *text;  // of the machine at hand
  int code;
} MachinesJob;

static Status *put_machine(MachinesJob *job, const char *word, bool details) {
  Machine machine;
  mem_free(job->text);
  TRY(machine_find(word, &job->text));
  if (!job->text)
    FAIL(INVALID_ARGUMENT, "no machine is called '%s'; there are %s", word, machine_names());
  TRY(machine_read(str_of(job->text), &job->arena, &machine));
  Json json = {.out = &job->out};
  if (job->json)
    machine_json(&machine, &json), json_newline(&json);
  else if (details)
    machine_put_details(&machine, &job->out);
  else
    machine_put_row(&machine, &job->out);
  return NULL;
}

static void release(void *arg) {
  MachinesJob *job = arg;
  strbuf_deinit(&job->out);
  arena_deinit(&job->arena);
  mem_free(job->text);
}

static Status *show(Guard *guard, void *arg) {
  MachinesJob *job = arg;
  arena_init(&job->arena, guard);
  strbuf_init(&job->out, guard);
  GuardCleanup cleanup = {.release = release, .object = job};
  guard_push(guard, &cleanup);
  Status *status = NULL;
  uint32_t n = job->words.count;
  if (!n && !job->json)
    strbuf_printf(&job->out, "%-13s %9s %9s %11s %9s  %s\n", "machine", "bf16 TF/s", "f32 TF/s",
                  "memory", "GB/s", "links, per device and direction");
  for (uint32_t i = 0; i < (n ? n : machine_count()) && !status; i++)
    status = put_machine(job, n ? job->words.items[i] : machine_name(i), n > 0);
  if (!status && job->out.used && !cli_put(job->out.data, job->out.used)) job->code = EXIT_BAD;
  guard_pop(guard, &cleanup);
  release(job);
  return status;
}

int command_machines(int argc, char **argv) {
  MachinesJob job = {0};
  static const Usage usage = {
      "machines", "[NAME[:SHAPE]…]",
      "Lists the machines that --machine knows by name, or shows some of them in detail: rates by "
      "type, memory, links, and where the numbers come from. A shape gives the devices of each "
      "level, the innermost first. --json prints a description that --machine reads back.",
      "  tessera machines\n"
      "  tessera machines h100:8x4                    4 nodes of 8\n"
      "  tessera machines tpu_v5p --json > mine.json  a description to edit (docs/machine.md)"};
  const Option options[] = {{"--json", OPTION_FLAG, &job.json, NULL, "one object per machine"}};
  job.words.items = mem_alloc((size_t)(argc + 1) * sizeof *job.words.items);
  if (!job.words.items) return cli_fail(status_no_memory());
  ParseArgs args = cli_options(&usage, options, 1, argc, argv, &job.words);
  int code = args == ARGS_HELP ? EXIT_OK : EXIT_BAD;
  if (args == ARGS_OK) {
    Status *status = guard_run(show, &job);
    code = status ? cli_fail(status) : job.code;
  }
  mem_free(job.words.items);
  return code;
}
