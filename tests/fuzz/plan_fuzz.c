// libFuzzer target of planning: a small program that verifies is planned for a mesh of 2x2 devices,
// then partitioned as the plan says. Never a crash, a hang or INTERNAL, and a plan is refused only
// as UNIMPLEMENTED or for lack of memory.
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pipeline/plan.h"

enum { MOST_OPS = 300, MOST_ELEMENTS = 1 << 14 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct Job {
  const Source *source;
  size_t begin, end;
  Session session, again;
  Plan plan;
  StrBuf json;
  bool planned;
} Job;

static const char *const mesh[] = {"x=2,y=2"};

// Few ops and elements: what takes long because it is large is not news.
static bool is_small(const Program *p) {
  for (ValueId v = 1; v < p->values.count; v++) {
    int64_t count;
    if (type_count(p->context, value_type(p, v), &count) && count > MOST_ELEMENTS) return false;
  }
  return p->ops.count < MOST_OPS;
}

static bool has_meshes(const Program *p) {
  for (OpId op = p->root; op; op = op_walk_next(p, op, p->root))
    if (op_at(p, op)->code == OP_sdy_mesh) return true;
  return false;
}

static Status *plan_body(Guard *guard, void *arg) {
  Job *job = arg;
  Session *s = &job->session;
  strbuf_init(&job->json, guard);
  session_init(s, guard, job->source, NULL);
  CompileRequest read = {
      .begin = job->begin, .end = job->end, .parse = {.max_depth = 64}, .stop_after = STAGE_VERIFY};
  Compiled compiled;
  TRY(compile(s, &read, &compiled));
  if (!is_small(s->program) || has_meshes(s->program)) return NULL;
  plan_flatten(s->program, guard, &s->arena);
  if (program_check(s->program)) {
    fprintf(stderr, "flat: %s\n", program_check(s->program));
    abort();
  }
  if (!is_small(s->program)) return NULL;
  PlanRequest request = {.annotations = {.meshes = mesh, .n_meshes = 1}, .level = 1};
  TRY(plan_program(s->program, &request, guard, &s->arena, &job->plan));
  job->planned = job->plan.decisions != NULL;
  if (job->planned) plan_json(&job->plan, "default", &job->json);
  return NULL;
}

static Status *obey_body(Guard *guard, void *arg) {
  Job *job = arg;
  session_init(&job->again, guard, job->source, NULL);
  CompileRequest request = {.begin = job->begin,
                            .end = job->end,
                            .parse = {.max_depth = 64},
                            .plan = true,
                            .stop_after = STAGE_CHECK_LOCAL};
  request.local.decisions = (Str){job->json.data, job->json.used};
  Compiled compiled;
  return compile(&job->again, &request, &compiled);
}

static void refuse_internal(const Status *status) {
  if (!status || (status_code(status) != INTERNAL && *status_message(status))) return;
  fprintf(stderr, "internal: %s\n", status_message(status));
  abort();
}

static void plan_and_obey(const Source *source, size_t begin, size_t end) {
  Job job = {.source = source, .begin = begin, .end = end};
  Status *status = guard_run(plan_body, &job);
  refuse_internal(status);
  if (!status && job.planned) {
    status = guard_run(obey_body, &job);
    refuse_internal(status);
    if (status && status_code(status) != UNIMPLEMENTED &&
        status_code(status) != RESOURCE_EXHAUSTED) {
      fprintf(stderr, "a plan is refused: %s\n%s\n", status_message(status), job.json.data);
      abort();
    }
  }
  status_free(status);
  session_deinit(&job.session);
  session_deinit(&job.again);
  strbuf_deinit(&job.json);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  Source source = {.path = "<fuzz>", .text = (const char *)data, .size = size};
  size_t begin = 0, end = 0;
  while (source_next_segment(&source, &begin, &end)) plan_and_obey(&source, begin, end);
  return 0;
}
