// Simulating: predicted seconds and peak memory of a step, and the machines that are known.
//
// A simulation outlives its session, so that everything a caller can ask for is copied while the
// session lives: numbers and texts of rows into the simulation's arena, the report's texts as they
// are. It works on a clone of the program.
#include <string.h>

#include "base/mem.h"
#include "api/api_private.h"
#include "pipeline/predicted.h"
#include "report/page.h"
#include "report/show_machine.h"
#include "report/show_traffic.h"

// ---- machines ----

size_t tsr_machine_count(void) { return machine_count(); }

const char *tsr_machine_name(size_t index) {
  return index < machine_count() ? machine_name((uint32_t)index) : NULL;
}

typedef struct Describe {
  const char *machine;
  Arena arena;
  StrBuf out;
} Describe;

static Status *describe_body(Guard *guard, void *arg) {
  Describe *d = arg;
  arena_guard(&d->arena, guard);
  d->out.guard = guard;
  const char *text;
  Machine machine;
  TRY(api_machine(d->machine ? d->machine : "default", &d->arena, &text));
  TRY(machine_read(str_of(text), &d->arena, &machine));
  Json json = {.out = &d->out};
  machine_json(&machine, &json);
  return NULL;
}

tsr_error *tsr_machine_describe(const char *machine, char **out_json) {
  API_NEED(out_json, "out_json");
  Describe d = {.machine = machine};
  arena_init(&d.arena, NULL);
  Status *status = guard_run(describe_body, &d);
  arena_deinit(&d.arena);
  if (status)
    strbuf_deinit(&d.out);
  else
    *out_json = d.out.data;
  return api_error(status);
}

// ---- simulating ----

struct tsr_simulation {
  Arena arena;  // of the texts below
  tsr_step step;
  tsr_step_collective *collectives;
  tsr_step_value *values;
  StrBuf text, json, trace, page;  // empty: not kept
};

typedef struct Simulate {
  tsr_program *handle;
  const char *machine;
  tsr_simulate_options options;
  tsr_partition_options partition;
  tsr_propagate_options annotations;
  Session session;
  Predicted predicted;
  StrBuf messages, scratch;
  tsr_simulation *out;
} Simulate;

enum { DEFAULT_VALUES = 10 };

// Copies the scratch text and empties it.
static const char *take(Simulate *job) {
  const char *text = arena_copy(&job->out->arena, job->scratch.used ? job->scratch.data : "",
                                job->scratch.used + 1);
  job->scratch.used = 0;
  return text;
}

static const char *copied(Simulate *job, const char *text) {
  return arena_copy(&job->out->arena, text, strlen(text) + 1);
}

static void keep_rows(Simulate *job) {
  const Simulated *s = job->predicted.show.simulated;
  tsr_simulation *out = job->out;
  out->collectives = ARENA_ARRAY(&out->arena, tsr_step_collective, s->n_rows + 1);
  for (uint32_t i = 0; i < s->n_rows; i++) {
    const SimulatedRow *r = &s->rows[i];
    out->collectives[i] = (tsr_step_collective){.kind = traffic_kind(r->code),
                                                .axes = copied(job, r->axes),
                                                .count = r->count,
                                                .runs = r->runs,
                                                .bytes = r->bytes,
                                                .seconds = r->seconds,
                                                .waiting_seconds = r->exposed,
                                                .guess = r->guess};
  }
}

_Static_assert((int)TSR_LIVE_ARGUMENT == LIVE_ARGUMENT && (int)TSR_LIVE_RESULT == LIVE_RESULT &&
                   (int)TSR_LIVE_CONSTANT == LIVE_CONSTANT &&
                   (int)TSR_LIVE_TEMPORARY == LIVE_TEMPORARY,
               "the public kinds are the simulator's");

static void keep_values(Simulate *job) {
  const ShowSimulated *show = &job->predicted.show;
  const SimulatedBlock *b = show->simulated->block;
  tsr_simulation *out = job->out;
  uint32_t n = b ? b->n_live : 0;
  out->values = ARENA_ARRAY(&out->arena, tsr_step_value, n + 1);
  for (uint32_t i = 0; i < n; i++) {
    const SimulatedLive *l = &b->live[i];
    simulated_put_value(show, l->value, &job->scratch);
    const char *name = take(job);
    type_print(show->program->context, value_type(show->program, l->value), &job->scratch);
    out->values[i] = (tsr_step_value){
        .name = name, .type = take(job), .kind = (tsr_live)l->kind, .bytes = l->bytes};
  }
  out->step.n_values = n;
}

static void keep_step(Simulate *job) {
  const ShowSimulated *show = &job->predicted.show;
  const Simulated *s = show->simulated;
  simulated_put_machine(show->machine, &job->scratch);
  const char *machine = take(job);
  simulated_put_peak_op(show, &job->scratch);
  job->out->step = (tsr_step){.machine = machine,
                              .devices = s->n_devices,
                              .seconds = s->seconds,
                              .compute_seconds = s->compute_seconds,
                              .waiting_seconds = s->exposed_seconds,
                              .collective_seconds = s->collective_seconds,
                              .bytes = s->bytes,
                              .flops = s->flops,
                              .utilization = s->utilization,
                              .model_utilization = simulated_model_utilization(show),
                              .peak_bytes = s->peak_bytes,
                              .usable_bytes = s->usable_bytes,
                              .argument_bytes = s->argument_bytes,
                              .result_bytes = s->result_bytes,
                              .undonated_bytes = s->undonated_bytes,
                              .peak_op = take(job),
                              .guess = s->guess,
                              .unknown_loops = s->unknown_loops,
                              .trip_count = s->trip_count,
                              .n_collectives = s->n_rows};
}

static Status *keep_texts(Simulate *job) {
  const ShowSimulated *show = &job->predicted.show;
  size_t most = job->options.most_values ? job->options.most_values : DEFAULT_VALUES;
  simulated_put(show, most < UINT32_MAX ? (uint32_t)most : UINT32_MAX, &job->out->text);
  Json json = {.out = &job->out->json}, trace = {.out = &job->out->trace};
  json_open(&json, '{');
  simulated_json(show, &json);
  json_close(&json, '}');
  if (job->options.trace) simulated_trace(show, &trace);
  if (!job->options.report) return NULL;
  Report report = {.show = show,
                   .title = job->handle->name,
                   .guard = job->session.guard,
                   .arena = &job->session.arena};
  return report_page(&report, &job->out->page);
}

// Local already, or still to be partitioned.
static Status *predict(Simulate *job, Prediction *out) {
  tsr_program *h = job->handle;
  Session *s = &job->session;
  if (h->traffic || job->options.local || is_local_program(s->program)) {
    const char *machine;
    TRY(api_machine(job->machine, &s->arena, &machine));
    if (job->annotations.trip_count) s->program->trip_count = (uint32_t)job->annotations.trip_count;
    TRY(simulate_local(s, job->options.mesh, machine, out));
    out->global_flops = h->global_flops;
    return NULL;
  }
  CompileRequest request;
  Compiled compiled;
  job->annotations.machine = job->machine;
  TRY(api_partition_request(h, &job->partition, &job->annotations, &s->arena, &request));
  request.simulate = true;
  request.local.reasons = job->options.report != 0;
  request.stop_after = STAGE_MEASURE;
  TRY(compile(s, &request, &compiled));
  *out = compiled.prediction;
  return NULL;
}

static Status *simulate_body(Guard *guard, void *arg) {
  Simulate *job = arg;
  tsr_simulation *out = job->out;
  Session *s = &job->session;
  job->messages.guard = job->scratch.guard = guard;
  out->text.guard = out->json.guard = out->trace.guard = out->page.guard = guard;
  arena_guard(&out->arena, guard);
  Progress progress = {job->annotations.progress, job->annotations.progress_user};
  program_guard(job->handle->program, guard);
  session_clone(s, guard, job->handle->program, progress.tell ? &progress : NULL);
  Prediction prediction;
  Status *status = predict(job, &prediction);
  if (status) {
    session_render(s, &job->messages, false);
    return status;
  }
  predicted_init(&job->predicted, s, &prediction, guard);
  keep_step(job);
  keep_rows(job);
  keep_values(job);
  return keep_texts(job);
}

tsr_error *tsr_program_simulate(tsr_program *program, const char *machine,
                                const tsr_simulate_options *options,
                                tsr_simulation **out_simulation) {
  API_NEED(program, "program");
  API_NEED(out_simulation, "out_simulation");
  Simulate job = {.handle = program, .machine = machine};
  API_READ(&job.options, options, "tsr_simulate_options");
  tsr_error *error = api_read_partition(job.options.partition, &job.partition, &job.annotations);
  if (error) return error;
  if (job.options.trip_count) job.annotations.trip_count = job.options.trip_count;
  if (job.annotations.trip_count > UINT32_MAX)
    return api_error(status_new(INVALID_ARGUMENT, __FILE__, __LINE__,
                                "trip_count is %zu, more than %u", job.annotations.trip_count,
                                UINT32_MAX));
  job.out = mem_alloc(sizeof *job.out);
  if (!job.out) return api_error(status_no_memory());
  *job.out = (tsr_simulation){0};
  arena_init(&job.out->arena, NULL);
  Status *status = guard_run(simulate_body, &job);
  error = api_error_with_text(status, &job.messages);
  predicted_deinit(&job.predicted);
  session_deinit(&job.session);
  strbuf_deinit(&job.messages);
  strbuf_deinit(&job.scratch);
  if (error)
    tsr_simulation_free(job.out);
  else
    *out_simulation = job.out;
  return error;
}

void tsr_simulation_free(tsr_simulation *simulation) {
  if (!simulation) return;
  strbuf_deinit(&simulation->text);
  strbuf_deinit(&simulation->json);
  strbuf_deinit(&simulation->trace);
  strbuf_deinit(&simulation->page);
  arena_deinit(&simulation->arena);
  mem_free(simulation);
}

// ---- results ----

static tsr_error *out_of_range(const char *what, size_t index, size_t n) {
  return api_error(status_new(OUT_OF_RANGE, __FILE__, __LINE__,
                              "%s %zu does not exist: there are %zu", what, index, n));
}

tsr_error *tsr_simulation_step(const tsr_simulation *simulation, tsr_step *out_step) {
  API_NEED(simulation, "simulation");
  API_NEED(out_step, "out_step");
  API_CHECK(out_step, "tsr_step");
  api_write_struct(out_step, &simulation->step, sizeof simulation->step);
  return NULL;
}

tsr_error *tsr_simulation_collective(const tsr_simulation *simulation, size_t index,
                                     tsr_step_collective *out_collective) {
  API_NEED(simulation, "simulation");
  API_NEED(out_collective, "out_collective");
  API_CHECK(out_collective, "tsr_step_collective");
  size_t n = simulation->step.n_collectives;
  if (index >= n) return out_of_range("collective", index, n);
  api_write_struct(out_collective, &simulation->collectives[index], sizeof *out_collective);
  return NULL;
}

tsr_error *tsr_simulation_value(const tsr_simulation *simulation, size_t index,
                                tsr_step_value *out_value) {
  API_NEED(simulation, "simulation");
  API_NEED(out_value, "out_value");
  API_CHECK(out_value, "tsr_step_value");
  size_t n = simulation->step.n_values;
  if (index >= n) return out_of_range("value", index, n);
  api_write_struct(out_value, &simulation->values[index], sizeof *out_value);
  return NULL;
}

tsr_error *tsr_simulation_text(const tsr_simulation *simulation, char **out_text) {
  API_NEED(simulation, "simulation");
  API_NEED(out_text, "out_text");
  return api_give_text(simulation->text.data, "there is no text", out_text);
}

tsr_error *tsr_simulation_json(const tsr_simulation *simulation, char **out_json) {
  API_NEED(simulation, "simulation");
  API_NEED(out_json, "out_json");
  return api_give_text(simulation->json.data, "there is no JSON", out_json);
}

tsr_error *tsr_simulation_trace(const tsr_simulation *simulation, char **out_json) {
  API_NEED(simulation, "simulation");
  API_NEED(out_json, "out_json");
  return api_give_text(simulation->trace.data,
                       "no trace was kept: set trace of tsr_simulate_options", out_json);
}

tsr_error *tsr_simulation_report(const tsr_simulation *simulation, char **out_html) {
  API_NEED(simulation, "simulation");
  API_NEED(out_html, "out_html");
  return api_give_text(simulation->page.data,
                       "no page was kept: set report of tsr_simulate_options", out_html);
}
