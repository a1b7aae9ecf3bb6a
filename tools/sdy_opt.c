// sdy_opt: the flags in RUN lines of Shardy's tests, mapped to ours, so that those files run
// unmodified. Reads a file segment by segment, runs the passes in the order they are given, prints.
// A pass is a row of the table below.
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "ops/factors.h"
#include "ops/infer.h"
#include "parse/parse.h"
#include "parse/print.h"

enum { MAX_PASSES = 64 };

typedef struct PassOptions {
  bool conservative;
} PassOptions;

typedef struct PassRow {
  const char *flag;
  void (*run)(Program *p, const PassOptions *options, Arena *arena);
} PassRow;

// Every op that has a rule carries it as an attribute.
static void populate_rules(Program *p, const PassOptions *options, Arena *arena) {
  FactorOptions factors = {.conservative = options->conservative};
  for (OpId o = p->root; o; o = op_walk_next(p, o, p->root)) {
    ArenaMark mark = arena_mark(arena);
    FactorMap map;
    if (!op_attr(p, o, "sdy.sharding_rule") && op_factors(p, o, &factors, arena, &map)) {
      Attr rule = factor_map_to_attr(&map, p->context);
      if (rule) op_set_attr(p, o, "sdy.sharding_rule", rule);
    }
    arena_rewind(arena, mark);
  }
}

static const PassRow rows[] = {{"sdy-populate-op-sharding-rules", populate_rules}};

typedef struct Job {
  Source source;
  size_t begin, end;
  uint32_t n_passes;
  const PassRow *passes[MAX_PASSES];
  PassOptions options[MAX_PASSES];
  bool good;
} Job;

static Status *to_stdout(void *to, const char *data, size_t n) {
  (void)to;
  if (fwrite(data, 1, n, stdout) != n) FAIL(UNAVAILABLE, "standard output cannot be written");
  return NULL;
}

static Status *run_segment(Guard *guard, void *arg) {
  Job *job = arg;
  Context *context = context_new(guard);
  Diag diag;
  diag_init(&diag, guard, &job->source);
  Program *p = NULL;
  Status *status = program_parse(context, guard, &job->source, job->begin, job->end,
                                 &(ParseOptions){.allow_unregistered = true}, &diag, &p);
  if (!status && !program_verify(p, &diag)) status = diag_status(&diag);
  if (!status) {
    Arena arena;
    arena_init(&arena, guard);
    for (uint32_t i = 0; i < job->n_passes; i++) job->passes[i]->run(p, &job->options[i], &arena);
    arena_deinit(&arena);
    StrBuf out;
    strbuf_init(&out, guard);
    out.flush = to_stdout;
    program_print(p, &(PrintOptions){0}, &out);
    strbuf_flush(&out);
    strbuf_deinit(&out);
    job->good = true;
  }
  program_free(p);
  diag_deinit(&diag);
  context_free(context);
  return status;
}

// "flag" or "flag=option=value option=value"; false if it is no pass we have.
static bool add_pass(Job *job, const char *text) {
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    size_t n = strlen(rows[i].flag);
    if (strncmp(text, rows[i].flag, n) != 0 || (text[n] && text[n] != '=')) continue;
    if (job->n_passes == MAX_PASSES) return false;
    job->options[job->n_passes].conservative =
        strstr(text + n, "conservative-propagation=true") != NULL;
    job->passes[job->n_passes++] = &rows[i];
    return true;
  }
  return false;
}

int main(int argc, char **argv) {
  Job job = {0};
  const char *path = "-";
  bool split = false, good = true;
  for (int i = 1; i < argc; i++) {
    const char *arg = argv[i];
    if (arg[0] != '-' || !arg[1]) {
      path = arg;
      continue;
    }
    while (*arg == '-') arg++;
    if (strcmp(arg, "split-input-file") == 0)
      split = true;
    else if (strcmp(arg, "verify-diagnostics") != 0 && !add_pass(&job, arg)) {
      fprintf(stderr, "sdy_opt: %s is not known\n", argv[i]);
      return 2;
    }
  }
  char *data;
  size_t bytes;
  Status *status = file_read(path, FILE_MOST_TEXT, &data, &bytes);
  if (status) {
    fprintf(stderr, "sdy_opt: %s\n", status_message(status));
    status_free(status);
    return 2;
  }
  job.source = (Source){path, data, bytes};
  uint32_t index = 0;
  if (!split) job.end = bytes;
  while (split ? source_next_segment(&job.source, &job.begin, &job.end) : index == 0) {
    if (index++) puts("// -----");
    job.good = false;
    status = guard_run(run_segment, &job);
    if (status) fprintf(stderr, "%s\n", status_message(status));
    status_free(status);
    good &= job.good;
  }
  mem_free(data);
  return fflush(stdout) == 0 && good ? 0 : 1;
}
