// shardings FILE: propagates the annotations of a program and counts what comes out, one line for
// each shape and sharding, sorted:
//
//   8x16x32 [{"x"}, {}, {"y"}] 199
//
// Every value, function argument and result counts once; values that must agree (a loop carry)
// count as one. Open dimensions are shown closed, since propagation has ended.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "ops/infer.h"
#include "parse/parse.h"
#include "propagate/propagate.h"

typedef struct Job {
  const char *path;
  char *text;
  Source source;
  Context *context;
  Diag diag;
  Program *program;
  ShardingTable *table;
  Propagation *propagation;
} Job;

static int compare_lines(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

static const char *place_line(Job *job, Arena *arena, Guard *guard, PlaceId place) {
  const TypeInfo *type =
      type_info(job->context, propagation_graph(job->propagation)->places[place].type);
  const ShardingInfo *info = sharding_info(job->table, propagation_get(job->propagation, place));
  StrBuf text;
  strbuf_init(&text, guard);
  for (uint32_t d = 0; d < type->rank; d++)
    strbuf_printf(&text, d ? "x%lld" : "%lld", (long long)type->dims[d]);
  strbuf_puts(&text, info->mesh ? " [" : " none");
  for (uint32_t d = 0; d < info->rank; d++) {
    strbuf_puts(&text, d ? ", {" : "{");
    axes_print(job->context, sharding_mesh(job->table, info->mesh), sharding_dim_axes(info, d),
               &text);
    strbuf_puts(&text, "}");
  }
  if (info->mesh) strbuf_puts(&text, "]");
  const char *line = arena_printf(arena, "%s", text.data);
  strbuf_deinit(&text);
  return line;
}

static void print_counts(Job *job, Guard *guard) {
  uint32_t n = propagation_graph(job->propagation)->n_places - 1, count = 0;
  Arena arena;
  arena_init(&arena, guard);
  const char **lines = ARENA_ARRAY(&arena, const char *, n + 1);
  for (PlaceId place = 1; place <= n; place++)
    lines[place - 1] = place_line(job, &arena, guard, place);
  qsort(lines, n, sizeof *lines, compare_lines);
  for (uint32_t i = 0; i < n; i++) {
    count++;
    if (i + 1 < n && strcmp(lines[i], lines[i + 1]) == 0) continue;
    printf("%s %u\n", lines[i], count);
    count = 0;
  }
  arena_deinit(&arena);
}

static Status *run(Guard *guard, void *arg) {
  Job *job = arg;
  TRY(file_read(job->path, FILE_MOST_TEXT, &job->text, &job->source.size));
  job->source.path = job->path;
  job->source.text = job->text;
  job->context = context_new(guard);
  diag_init(&job->diag, guard, &job->source);
  TRY(program_parse(job->context, guard, &job->source, 0, job->source.size, &(ParseOptions){0},
                    &job->diag, &job->program));
  if (!program_verify(job->program, &job->diag)) return diag_status(&job->diag);
  job->table = sharding_table_new(job->context, guard);
  TRY(propagation_new(job->program, job->table, &(PropagateOptions){0}, guard, &job->diag,
                      &job->propagation));
  TRY(propagation_read(job->propagation, &job->diag));
  propagation_run(job->propagation);
  print_counts(job, guard);
  return NULL;
}

int main(int argc, char **argv) {
  if (argc != 2) return fprintf(stderr, "usage: shardings FILE\n"), 2;
  Job job = {.path = argv[1]};
  Status *status = guard_run(run, &job);
  if (status) fprintf(stderr, "shardings: %s\n", status_message(status));
  bool failed = status != NULL;
  status_free(status);
  propagation_free(job.propagation);
  sharding_table_free(job.table);
  program_free(job.program);
  if (job.context) diag_deinit(&job.diag);
  context_free(job.context);
  mem_free(job.text);
  return failed ? 2 : 0;
}
