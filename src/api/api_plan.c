// Planning: a mesh and shardings by search.
#include <string.h>

#include "api/api_private.h"
#include "base/mem.h"
#include "pipeline/plan.h"

typedef struct PlanJob {
  tsr_program *handle;
  tsr_plan_options options;
  tsr_propagate_options annotations;
  Session session;
  StrBuf messages, json, text;
} PlanJob;

static Status *run_plan(PlanJob *job) {
  Session *s = &job->session;
  const tsr_plan_options *o = &job->options;
  const char *name = o->machine ? o->machine : "default";
  PlanRequest request = {.level = o->level > 1 ? 2 : 1,
                         .devices = (uint32_t)o->devices,
                         .untied = o->untied != 0,
                         .tactics = o->tactics,
                         .limit_bytes = o->memory_bytes,
                         .time_limit = o->time_limit_seconds > 0 ? o->time_limit_seconds : 0};
  TRY(api_propagate_request(job->handle, &job->annotations, &s->arena, &request.annotations));
  TRY(api_machine(name, &s->arena, &request.annotations.machine));
  request.machine_of_any_shape = request.annotations.machine;
  TRY(session_read_machine(s, request.annotations.machine));
  if (!request.devices) request.devices = machine_devices(s->machine);
  request.source = job->handle->program;
  plan_flatten(s->program, s->guard, &s->arena);
  Plan plan;
  TRY(plan_program(s->program, &request, s->guard, &s->arena, &plan));
  TRY(plan_describe(s->program, &request, s->guard, &s->arena, &plan));
  if (!plan.decisions)
    FAIL(RESOURCE_EXHAUSTED, "no plan: %s%s%s",
         plan.best.refused ? plan.best.refused : "none found", plan.shortfall ? ": " : "",
         plan.shortfall ? plan.shortfall : "");
  if (name[strspn(name, " \t\r\n")] == '{') name = s->machine->name;  // a description
  plan_json(&plan, name, &job->json);
  plan_put(&plan, name, &job->text);
  return NULL;
}

static Status *plan_body(Guard *guard, void *arg) {
  PlanJob *job = arg;
  job->messages.guard = job->json.guard = job->text.guard = guard;
  Progress progress = {job->annotations.progress, job->annotations.progress_user};
  program_guard(job->handle->program, guard);
  session_clone(&job->session, guard, job->handle->program, progress.tell ? &progress : NULL);
  Status *status = run_plan(job);
  if (status) session_render(&job->session, &job->messages, false);
  return status;
}

tsr_error *tsr_program_plan(tsr_program *program, const tsr_plan_options *options, char **out_json,
                            char **out_text) {
  API_NEED(program, "program");
  API_NEED(out_json, "out_json");
  PlanJob job = {.handle = program};
  API_READ(&job.options, options, "tsr_plan_options");
  API_READ(&job.annotations, job.options.annotations, "tsr_propagate_options");
  if (job.options.devices > UINT32_MAX || job.options.memory_bytes < 0)
    return api_error(status_new(INVALID_ARGUMENT, __FILE__, __LINE__,
                                "devices is %zu and memory_bytes %g", job.options.devices,
                                job.options.memory_bytes));
  Status *status = guard_run(plan_body, &job);
  tsr_error *error = api_error_with_text(status, &job.messages);
  session_deinit(&job.session);
  strbuf_deinit(&job.messages);
  if (error || !out_text) strbuf_deinit(&job.text);
  if (error) {
    strbuf_deinit(&job.json);
    return error;
  }
  *out_json = job.json.data;
  if (out_text) *out_text = job.text.data;
  return NULL;
}
