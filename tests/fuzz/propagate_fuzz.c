// libFuzzer target of propagation: what reads and verifies goes the whole way: GSPMD's spelling
// becomes sdy's, annotations are read, propagated by one of the strategies, pushed at and popped,
// and written; what is written verifies and reads back as the same program. Every refusal has a
// message; never a crash, a hang, INTERNAL, or a result that is no fixpoint.
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ops/infer.h"
#include "parse/parse.h"
#include "parse/print.h"
#include "interop/gspmd_import.h"
#include "propagate/write.h"

enum { MOST_OPS = 20000, PUSHES = 4 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct Job {
  Source source, printed;
  size_t begin, end;
  Context *contexts[2];
  Program *programs[2];  // as read, and as read again after writing
  Diag diags[2];
  ShardingTable *table;
  Propagation *propagation;
  StrBuf text;
  Arena arena;
} Job;

static void fail(const Job *job, const char *what) {
  fprintf(stderr, "%s\n%s\n", what, job->text.data ? job->text.data : "");
  abort();
}

// Cheap, and different for inputs that differ.
static uint32_t pick(const Job *job, uint32_t salt, uint32_t n) {
  uint64_t h = salt;
  for (size_t i = job->begin; i < job->end; i += 1 + (job->end - job->begin) / 64)
    h = (h ^ (uint8_t)job->source.text[i]) * 0x100000001B3u;
  return (uint32_t)(h >> 20) % n;
}

static Status *propagate(Job *job, Guard *guard) {
  Program *p = job->programs[0];
  PropagateOptions options = {.strategy = (Strategy)pick(job, 1, 4), .graph.most_ops = MOST_OPS};
  TRY(propagation_new(p, job->table, &options, guard, &job->diags[0], &job->propagation));
  TRY(propagation_read(job->propagation, &job->diags[0]));
  propagation_run(job->propagation);
  NodeId node;
  if (!propagation_is_fixpoint(job->propagation, &node)) fail(job, "no fixpoint");
  const Graph *g = propagation_graph(job->propagation);
  for (PlaceId i = 1; i < g->n_places; i++) {
    Sharding now = propagation_get(job->propagation, i);
    Status *status = now ? sharding_check_id(job->table, now, g->places[i].type) : NULL;
    if (status) fail(job, status_message(status));
  }
  return NULL;
}

// What a place has in another: whatever it is, it is refused or taken, and taken back.
static Status *push_and_pop(Job *job) {
  const Graph *g = propagation_graph(job->propagation);
  for (uint32_t k = 0; k < PUSHES && g->n_places > 1; k++) {
    PlaceId from = 1 + pick(job, 2 + k, g->n_places - 1),
            to = 1 + pick(job, 9 + k, g->n_places - 1);
    Sharding sharding = propagation_get(job->propagation, from);
    if (!sharding || sharding_info(job->table, sharding)->rank !=
                         type_info(job->contexts[0], g->places[to].type)->rank)
      continue;
    uint32_t events = propagation_n_events(job->propagation), mark;
    Sharding before = propagation_get(job->propagation, to);
    Status *status = propagation_push(job->propagation, to, sharding, &mark);
    if (status) {
      status_free(status);
      continue;
    }
    propagation_pop(job->propagation, mark);
    if (propagation_n_events(job->propagation) != events ||
        propagation_get(job->propagation, to) != before)
      fail(job, "pop does not take a push back");
  }
  return NULL;
}

static Status *write_and_read(Job *job, Guard *guard) {
  WriteOptions options = {.close = pick(job, 20, 2)};
  Program *p = job->programs[0];
  TRY(propagation_write(job->propagation, p, &options, &job->diags[0]));
  const char *why = program_check(p);
  if (why) fail(job, why);
  program_print(p, &(PrintOptions){0}, &job->text);
  if (!program_verify(p, &job->diags[0])) fail(job, "what is written does not verify");
  job->printed = (Source){.path = "<printed>", .text = job->text.data, .size = job->text.used};
  job->contexts[1] = context_new(guard);
  diag_init(&job->diags[1], guard, &job->printed);
  Status *status =
      program_parse(job->contexts[1], guard, &job->printed, 0, job->text.used,
                    &(ParseOptions){.allow_unregistered = true}, &job->diags[1], &job->programs[1]);
  if (status) fail(job, status_message(status));
  if (program_hash(p) != program_hash(job->programs[1])) fail(job, "reads back as another program");
  return NULL;
}

static Status *take_segment(Guard *guard, void *arg) {
  Job *job = arg;
  arena_init(&job->arena, guard);
  strbuf_init(&job->text, guard);
  diag_init(&job->diags[0], guard, &job->source);
  job->contexts[0] = context_new(guard);
  job->table = sharding_table_new(job->contexts[0], guard);
  ParseOptions options = {.allow_unregistered = true, .max_depth = 64};
  TRY(program_parse(job->contexts[0], guard, &job->source, job->begin, job->end, &options,
                    &job->diags[0], &job->programs[0]));
  if (!program_verify(job->programs[0], &job->diags[0])) return NULL;
  TRY(gspmd_import(job->programs[0], job->table, guard, &job->diags[0]));
  TRY(propagate(job, guard));
  TRY(push_and_pop(job));
  return write_and_read(job, guard);
}

static void release(Job *job) {
  propagation_free(job->propagation);
  sharding_table_free(job->table);
  for (int i = 0; i < 2; i++) {
    program_free(job->programs[i]);
    if (job->diags[i].source) diag_deinit(&job->diags[i]);
    context_free(job->contexts[i]);
  }
  strbuf_deinit(&job->text);
  arena_deinit(&job->arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  Source source = {.path = "<fuzz>", .text = (const char *)data, .size = size};
  size_t begin = 0, end = 0;
  while (source_next_segment(&source, &begin, &end)) {
    Job job = {.source = source, .begin = begin, .end = end};
    Status *status = guard_run(take_segment, &job);
    if (status && (status_code(status) == INTERNAL || !*status_message(status))) {
      fprintf(stderr, "internal: %s\n", status_message(status));
      abort();
    }
    status_free(status);
    release(&job);
  }
  return 0;
}
