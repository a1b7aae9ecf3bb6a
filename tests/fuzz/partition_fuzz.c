// libFuzzer target of partitioning: what reads and verifies is cut into parts, by all of it at once
// or by Shardy's stages one by one; what comes out is sound, verifies and reads back as the same
// program. Every refusal has a message; never a crash, a hang or INTERNAL.
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "ops/infer.h"
#include "parse/parse.h"
#include "parse/print.h"
#include "partition/explicit_reshards.h"
#include "../../tools/sdy_opt/global_to_local.h"
#include "partition/partition.h"
#include "partition/replica_mode.h"
#include "../../tools/sdy_opt/reshard_collectives.h"
#include "pipeline/reshards.h"
#include "annotate/program_mesh.h"

enum { MOST_DEVICES = 64, MOST_OPS = 2000, MOST_ELEMENTS = 1 << 16 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct Job {
  Source source, printed;
  size_t begin, end;
  Context *contexts[2];
  Program *programs[3];  // as read, its twin, and as read again
  Diag diags[2];
  ShardingTable *table;
  StrBuf text;
} Job;

static void fail(const Job *job, const char *what) {
  fprintf(stderr, "%s\n%s\n", what, job->text.data ? job->text.data : "");
  abort();
}

// Cheap, and different for inputs that differ.
static uint32_t pick(const Job *job, uint32_t n) {
  uint64_t h = 1;
  for (size_t i = job->begin; i < job->end; i += 1 + (job->end - job->begin) / 64)
    h = (h ^ (uint8_t)job->source.text[i]) * 0x100000001B3u;
  return (uint32_t)(h >> 20) % n;
}

// Few devices, ops and elements: what takes long because it is large is not news.
static bool is_small(const Job *job) {
  const Program *p = job->programs[0];
  for (MeshId id = 1; sharding_mesh(job->table, id); id++)
    if (sharding_mesh(job->table, id)->n_devices > MOST_DEVICES) return false;
  for (ValueId v = 1; v < p->values.count; v++) {
    int64_t count;
    if (type_count(p->context, value_type(p, v), &count) && count > MOST_ELEMENTS) return false;
  }
  return p->ops.count < MOST_OPS;
}

static Status *by_stages(Job *job, Guard *guard, uint32_t which) {
  Program *p = job->programs[0];
  if (which & 1) TRY(explicit_reshards(p, job->table, NULL, guard, &job->diags[0]));
  if (which & 2) TRY(reshard_collectives(p, job->table, NULL, guard));
  if (program_check(p)) fail(job, program_check(p));
  if (!program_verify(p, &job->diags[0])) fail(job, "what is said explicitly does not verify");
  GlobalToLocalOptions options = {.per_dim_all_gather = which & 4};
  return global_to_local(p, job->table, &options, guard, &job->diags[0]);
}

static Status *cut(Job *job, Guard *guard) {
  uint32_t which = pick(job, 16);
  MeshId mesh;
  if ((which & 12) == 12) {
    TRY(reshards_write(job->programs[0], job->table, NULL, guard, &job->diags[0]));
    if (program_check(job->programs[0])) fail(job, program_check(job->programs[0]));
    if (!program_verify(job->programs[0], &job->diags[0])) fail(job, "reshards do not verify");
  }
  if (which & 8)
    TRY(partition_program(job->programs[0], job->table, NULL, guard, &job->diags[0], &mesh));
  else
    TRY(by_stages(job, guard, which));
  if (which & 1) replica_mode(job->programs[0]);
  return NULL;
}

static Status *read_back(Job *job, Guard *guard) {
  Program *p = job->programs[0];
  if (program_check(p)) fail(job, program_check(p));
  program_print(p, &(PrintOptions){0}, &job->text);
  if (!program_verify(p, &job->diags[0])) fail(job, "what is cut does not verify");
  job->printed = (Source){.path = "<printed>", .text = job->text.data, .size = job->text.used};
  job->contexts[1] = context_new(guard);
  diag_init(&job->diags[1], guard, &job->printed);
  Status *status =
      program_parse(job->contexts[1], guard, &job->printed, 0, job->text.used,
                    &(ParseOptions){.allow_unregistered = true}, &job->diags[1], &job->programs[2]);
  if (status) fail(job, status_message(status));
  if (program_hash(p) != program_hash(job->programs[2])) fail(job, "reads back as another program");
  return NULL;
}

static Status *take_segment(Guard *guard, void *arg) {
  Job *job = arg;
  strbuf_init(&job->text, guard);
  diag_init(&job->diags[0], guard, &job->source);
  job->contexts[0] = context_new(guard);
  job->table = sharding_table_new(job->contexts[0], guard);
  ParseOptions options = {.allow_unregistered = true, .max_depth = 64};
  for (int i = 0; i < 2; i++) {
    TRY(program_parse(job->contexts[0], guard, &job->source, job->begin, job->end, &options,
                      &job->diags[0], &job->programs[i]));
    if (!program_verify(job->programs[i], &job->diags[0])) return NULL;
  }
  TRY(program_meshes_read(job->programs[0], job->table));
  if (!is_small(job)) return NULL;
  TRY(cut(job, guard));
  return read_back(job, guard);
}

static void release(Job *job) {
  sharding_table_free(job->table);
  for (int i = 0; i < 3; i++) program_free(job->programs[i]);
  for (int i = 0; i < 2; i++) {
    if (job->diags[i].source) diag_deinit(&job->diags[i]);
    context_free(job->contexts[i]);
  }
  strbuf_deinit(&job->text);
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
