// All programs are read before any is planned, and all output is made before any file is written.
#include "cli/plan_share.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "cli/progress.h"

typedef struct Run {
  ShareJob *job;
  uint32_t n;
  char **texts;
  Source *sources;
  Session *sessions;
  ShareProgram *programs;
  SharedPlan shared;
  StrBuf out, *plans;  // plans: per program
  Arena arena;
  CliProgress progress;
  int code;
} Run;

// Reads "1,200".
static bool read_weights(const ShareJob *job, uint32_t n, ShareProgram *programs) {
  const char *at = job->weights;
  for (uint32_t i = 0; i < n; i++) programs[i].weight = 1;
  if (!at) return true;
  uint32_t count = 1;
  for (const char *c = at; *c; c++) count += *c == ',';
  if (count != n) {
    cli_error("--weights has %u numbers for %u programs: '%s'", count, n, job->weights);
    return false;
  }
  for (uint32_t i = 0; i < n; i++) {
    char *end;
    double weight = strtod(at, &end);
    if (end == at || (*end && *end != ',') || !(weight > 0) || !isfinite(weight)) {
      cli_error("--weights takes positive numbers, as in 1,200, not '%s'", job->weights);
      return false;
    }
    programs[i].weight = weight;
    at = end + (*end == ',');
  }
  return true;
}

// The file's name without directories and without what follows its last dot.
static Str stem(const char *path) {
  const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
  const char *dot = strrchr(name, '.');
  return (Str){name, dot && dot > name ? (size_t)(dot - name) : strlen(name)};
}

static bool check_plan_out(const ShareJob *job) {
  if (!job->plan_out) return true;
  const char *hole = strstr(job->plan_out, "%s");
  if (!hole || strstr(hole + 2, "%s")) {
    cli_error("--plan-out '%s': of several programs it takes one %%s, the name of the program, as "
              "in plan-%%s.json",
              job->plan_out);
    return false;
  }
  for (uint32_t i = 0; i < job->files->count; i++)
    for (uint32_t k = 0; k < i; k++)
      if (str_equal(stem(job->files->items[i]), stem(job->files->items[k]))) {
        cli_error("--plan-out: %s and %s would be written to the same file", job->files->items[k],
                  job->files->items[i]);
        return false;
      }
  return true;
}

static Status *read_program(Run *r, uint32_t i, Guard *guard, bool *out_good) {
  Source *source = &r->sources[i];
  size_t begin = 0, end = 0, next = 0, last = 0;
  r->texts[i] = cli_read_program(r->job->files->items[i], source);
  *out_good = false;
  if (!r->texts[i]) return NULL;
  if (!source_next_segment(source, &begin, &end)) return NULL;
  next = begin, last = end;
  if (source_next_segment(source, &next, &last)) {
    cli_error("--share takes files with one program, and %s has several", source->path);
    return NULL;
  }
  Session *s = &r->sessions[i];
  session_init(s, guard, source, r->progress.on ? &r->progress.hook : NULL);
  CompileRequest read = {.begin = begin, .end = end, .stop_after = STAGE_VERIFY};
  Compiled compiled;
  Status *status = compile(s, &read, &compiled);
  *out_good = !status;
  if (status && !session_has_errors(s)) return status;
  status_free(status);
  if (!*out_good) {
    cli_report(s, guard);
    return NULL;
  }
  plan_flatten(s->program, guard, &s->arena);
  r->programs[i].path = source->path;
  r->programs[i].program = s->program;
  return NULL;
}

static Status *share_body(Guard *guard, void *arg) {
  Run *r = arg;
  ShareRequest *request = &r->job->request;
  for (uint32_t i = 0; i < r->n; i++) {
    bool good;
    TRY(read_program(r, i, guard, &good));
    if (!good) return NULL;
  }
  cli_progress_use(&r->progress, guard);
  arena_init(&r->arena, guard);
  Session *first = &r->sessions[0];
  TRY(session_read_machine(first, request->request.annotations.machine));
  if (!first->machine) TRY(session_read_machine(first, machine_text("default")));
  if (!request->request.devices && !request->request.annotations.n_meshes)
    request->request.devices = machine_devices(first->machine);
  TRY(plan_share(request, guard, &r->arena, &r->shared));
  cli_progress_clear(&r->progress);
  if (r->shared.refused) FAIL(RESOURCE_EXHAUSTED, "no plan: %s", r->shared.refused);
  strbuf_init(&r->out, guard);
  if (r->job->json)
    plan_share_json(&r->shared, request, r->job->machine, &r->out);
  else
    plan_share_put(&r->shared, request, r->job->machine, &r->out);
  for (uint32_t i = 0; i < r->n && r->job->plan_out; i++) {
    strbuf_init(&r->plans[i], guard);
    plan_json(&r->shared.plans[i], r->job->machine, &r->plans[i]);
  }
  r->code = EXIT_OK;
  return NULL;
}

// Writes plan i where the pattern says.
static Status *write_plan(const Run *r, uint32_t i) {
  const char *pattern = r->job->plan_out, *hole = strstr(pattern, "%s");
  Str name = stem(r->job->files->items[i]);
  size_t before = (size_t)(hole - pattern), after = strlen(hole + 2);
  char *path = mem_alloc(before + name.n + after + 1);
  if (!path) return status_no_memory();
  memcpy(path, pattern, before);
  memcpy(path + before, name.s, name.n);
  memcpy(path + before + name.n, hole + 2, after + 1);
  Status *status = file_write(path, r->plans[i].data, r->plans[i].used);
  mem_free(path);
  return status;
}

static Status *write_all(Run *r) {
  if (cli_is_stdout(r->job->output)) {
    if (!cli_put(r->out.data, r->out.used)) r->code = EXIT_BAD;
  } else {
    TRY(file_write(r->job->output, r->out.data, r->out.used));
  }
  for (uint32_t i = 0; i < r->n && r->job->plan_out; i++) TRY(write_plan(r, i));
  return NULL;
}

static void release(Run *r) {
  for (uint32_t i = 0; i < r->n; i++) {
    if (r->sessions) session_deinit(&r->sessions[i]);
    if (r->texts) mem_free(r->texts[i]);
    if (r->plans) strbuf_deinit(&r->plans[i]);
  }
  strbuf_deinit(&r->out);
  arena_deinit(&r->arena);
  mem_free(r->texts);
  mem_free(r->sources);
  mem_free(r->sessions);
  mem_free(r->programs);
  mem_free(r->plans);
}

static void *zeroed(size_t n, size_t size) {
  void *room = mem_alloc(n * size);
  if (room) memset(room, 0, n * size);
  return room;
}

int cli_plan_share(ShareJob *job) {
  uint32_t n = job->files->count;
  Run r = {.job = job,
           .n = n,
           .texts = zeroed(n, sizeof *r.texts),
           .sources = zeroed(n, sizeof *r.sources),
           .sessions = zeroed(n, sizeof *r.sessions),
           .programs = zeroed(n, sizeof *r.programs),
           .plans = zeroed(n, sizeof *r.plans),
           .code = EXIT_BAD};
  job->request.programs = r.programs;
  job->request.n_programs = n;
  Status *status = NULL;
  cli_progress_init(&r.progress, "plan");
  if (!r.texts || !r.sources || !r.sessions || !r.programs || !r.plans)
    status = status_no_memory();
  else if (check_plan_out(job) && read_weights(job, n, r.programs))
    status = guard_run(share_body, &r);
  cli_progress_clear(&r.progress);
  if (!status && r.code == EXIT_OK) status = write_all(&r);
  if (status) r.code = cli_fail(status);
  release(&r);
  return r.code;
}
