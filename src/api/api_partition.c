// Partitioning: the local program, its communication, and the tile of each device.
#include <string.h>

#include "base/mem.h"
#include "partition/mesh_groups.h"
#include "partition/tiles.h"
#include "api/api_private.h"
#include "pipeline/plan.h"
#include "pipeline/predicted.h"
#include "pipeline/trials.h"
#include "report/show_traffic.h"

// ---- partitioning ----

typedef struct Job {
  tsr_program *handle;
  tsr_partition_options options;
  tsr_propagate_options annotations;
  Session session;
  Compiled compiled;
  StrBuf messages;   // diagnostics: warnings, and errors after a failure
  StrBuf traffic;    // JSON
  StrBuf decisions;  // JSON, with keep_decisions
} Job;

static void release_predicted(void *predicted) { predicted_deinit(predicted); }

static void put_predicted(Job *job, Json *json) {
  Predicted predicted = {0};
  GuardCleanup cleanup = {.release = release_predicted, .object = &predicted};
  guard_push(job->session.guard, &cleanup);
  predicted_init(&predicted, &job->session, &job->compiled.prediction, job->session.guard);
  json_key(json, "predicted"), json_open(json, '{');
  simulated_json(&predicted.show, json);
  json_close(json, '}');
  guard_pop(job->session.guard, &cleanup);
  predicted_deinit(&predicted);
}

static void put_traffic(Job *job, const PropagateRequest *annotations) {
  Session *s = &job->session;
  const Compiled *c = &job->compiled;
  bool untried = !annotations->by_cost && trials_would_help(annotations, &s->arena);
  Json json = {.out = &job->traffic};
  json_open(&json, '{');
  traffic_json(&c->traffic, c->n_devices, c->global_flops, &json);
  traffic_redundant_json(s->context, &c->traffic, c->n_devices, c->global_flops, &c->redundant,
                         &json);
  json_key(&json, "orders_untried"), json_bool(&json, untried);
  if (job->options.why) traffic_reasons_json(s->program, c->reasons, &json);
  if (c->prediction.simulated) put_predicted(job, &json);
  json_close(&json, '}');
}

tsr_error *api_read_partition(const tsr_partition_options *options, tsr_partition_options *out,
                              tsr_propagate_options *out_annotations) {
  API_READ(out, options, "tsr_partition_options");
  API_READ(out_annotations, out->annotations, "tsr_propagate_options");
  if (out->machine) out_annotations->machine = out->machine;
  if (out->trip_count) out_annotations->trip_count = out->trip_count;
  if (out->progress) {
    out_annotations->progress = out->progress;
    out_annotations->progress_user = out->progress_user;
  }
  return NULL;
}

Status *api_partition_request(const tsr_program *h, const tsr_partition_options *o,
                              const tsr_propagate_options *annotations, Arena *arena,
                              CompileRequest *out) {
  *out = (CompileRequest){
      .local = {.plain = o->plain != 0, .why = o->why != 0, .collectives = o->collectives}};
  if (o->decisions && !*o->decisions)
    FAIL(INVALID_ARGUMENT, "the text of the decisions is empty; {} has none");
  if (o->decisions) out->local.decisions = (Str){o->decisions, strlen(o->decisions)};
  out->plan = plan_is(out->local.decisions);
  TRY(api_propagate_request(h, annotations, arena, &out->annotations));
  return optimize_check_collectives(o->collectives);
}

static Status *partition_under(Job *job, Session *s) {
  tsr_program *h = job->handle;
  const tsr_partition_options *o = &job->options;
  CompileRequest request;
  TRY(api_partition_request(h, o, &job->annotations, &s->arena, &request));
  request.local.redundant = true;
  request.simulate = request.annotations.machine != NULL;
  if (o->keep_decisions) request.local.out_decisions = &job->decisions;
  TRY(compile(s, &request, &job->compiled));
  put_traffic(job, &request.annotations);
  if (o->mesh_axes) mesh_groups(s->program, s->table, job->compiled.mesh, s->guard);
  api_list_functions(h, s->guard);
  h->as_loaded = false;
  h->global_flops = job->compiled.global_flops;
  return NULL;
}

static Status *partition_body(Guard *guard, void *arg) {
  Job *job = arg;
  tsr_program *h = job->handle;
  Session *s = &job->session;
  job->messages.guard = job->traffic.guard = job->decisions.guard = guard;
  Progress progress = {job->annotations.progress, job->annotations.progress_user};
  session_borrow(s, guard, h->program, &h->source, progress.tell ? &progress : NULL);
  Status *status = partition_under(job, s);
  session_render(s, &job->messages, false);
  return status;
}

tsr_error *tsr_program_partition(tsr_program *program, const tsr_partition_options *options,
                                 size_t *out_devices, char **out_warnings) {
  API_NEED(program, "program");
  Job job = {.handle = program};
  tsr_error *wrong = api_read_partition(options, &job.options, &job.annotations);
  if (wrong) return wrong;
  api_forget(program);
  Status *status = guard_run(partition_body, &job);
  tsr_error *error = api_error_with_text(status, &job.messages);
  session_deinit(&job.session);
  if (error) {
    strbuf_deinit(&job.traffic);
    strbuf_deinit(&job.decisions);
  } else {
    mem_free(program->traffic);
    mem_free(program->decisions);
    program->traffic = job.traffic.data;
    program->decisions = job.decisions.data;
  }
  if (!error && out_devices) *out_devices = job.compiled.n_devices;
  if (!error && out_warnings) {
    *out_warnings = job.messages.used ? job.messages.data : NULL;
    if (*out_warnings) return NULL;
  }
  strbuf_deinit(&job.messages);
  return error;
}

tsr_error *api_give_text(const char *text, const char *absent, char **out) {
  if (!text) return api_error(status_new(FAILED_PRECONDITION, __FILE__, __LINE__, "%s", absent));
  size_t bytes = strlen(text) + 1;
  char *copy = mem_alloc(bytes);
  if (!copy) return api_error(status_no_memory());
  memcpy(copy, text, bytes);
  *out = copy;
  return NULL;
}

tsr_error *tsr_program_traffic(const tsr_program *program, char **out_json) {
  API_NEED(program, "program");
  API_NEED(out_json, "out_json");
  return api_give_text(program->traffic, "the program is not partitioned: it exchanges nothing",
                       out_json);
}

tsr_error *tsr_program_decisions(const tsr_program *program, char **out_json) {
  API_NEED(program, "program");
  API_NEED(out_json, "out_json");
  return api_give_text(program->decisions,
                       program->traffic
                           ? "no decisions were kept: set keep_decisions of tsr_partition_options"
                           : "the program is not partitioned: it has no decisions",
                       out_json);
}

typedef struct Count {
  const tsr_program *handle;
  uint32_t n;
} Count;

static Status *count_body(Guard *guard, void *arg) {
  Count *count = arg;
  program_guard(count->handle->program, guard);
  return tiles_devices(count->handle->program, &count->n);
}

tsr_error *tsr_program_devices(const tsr_program *program, size_t *out_devices) {
  API_NEED(program, "program");
  API_NEED(out_devices, "out_devices");
  Count count = {.handle = program};
  Status *status = guard_run(count_body, &count);
  if (!status) *out_devices = count.n;
  return api_error(status);
}

// ---- tiles ----

typedef struct Query {
  tsr_program *handle;
  size_t function, index, device;
  bool result;
  Arena arena;
  tsr_tile tile;
} Query;

// Interns the values as dims of a type: they live as long as the program, and repeated queries take
// no more memory.
static const int64_t *kept(Context *context, uint32_t rank, const int64_t *values) {
  return type_info(context, type_tensor(context, type_scalar(DT_i64), rank, values, 0))->dims;
}

// The first device of this device's group along the unreduced axes.
static uint32_t first_of_sum(const Mesh *mesh, const ShardingInfo *info, uint32_t device,
                             Arena *scratch) {
  if (!mesh || !info->unreduced.n) return device;
  AxisList others = axes_complement(scratch, mesh, info->unreduced);
  int64_t group = axes_coordinate(mesh, others, mesh_position(mesh, device));
  for (uint32_t k = 0; k < mesh->n_devices; k++) {
    uint32_t at = mesh_position(mesh, k);
    if (axes_coordinate(mesh, others, at) == group &&
        axes_coordinate(mesh, info->unreduced, at) == 0)
      return k;
  }
  return device;
}

static Status *query_body(Guard *guard, void *arg) {
  Query *query = arg;
  tsr_program *h = query->handle;
  Context *context = h->context;
  program_guard(h->program, guard);
  arena_guard(&query->arena, guard);
  const Edge *edge;
  ShardingTable *table;
  TRY(api_edge(h, query->function, QUERY_TILES | (query->result ? QUERY_RESULTS : 0), query->index,
               guard, &edge, &table));
  const TypeInfo *type = type_info(context, edge->global);
  if (type->kind != TYPE_TENSOR || !type_is_static(context, edge->global))
    FAIL(INVALID_ARGUMENT, "%s: only tensors of known sizes have tiles",
         type_text(context, edge->global));
  const ShardingInfo *info = sharding_info(table, edge->sharding);
  const Mesh *mesh = sharding_mesh(table, info->mesh);
  if (mesh && query->device >= mesh->n_devices)
    FAIL(OUT_OF_RANGE, "device %zu does not exist: there are %u", query->device, mesh->n_devices);
  int64_t tile[MAX_RANK + 1] = {0}, offset[MAX_RANK + 1] = {0}, extent[MAX_RANK + 1] = {0};
  for (uint32_t d = 0; d < type->rank; d++) tile[d] = extent[d] = type->dims[d];
  if (edge->sharding) {
    sharding_local_dims(table, edge->sharding, type->dims, tile);
    sharding_tile_range(table, edge->sharding, type->dims, (uint32_t)query->device, offset, extent);
  }
  query->tile =
      (tsr_tile){.global = type_text(context, edge->global),
                 .rank = type->rank,
                 .whole = type->dims,
                 .tile = kept(context, type->rank, tile),
                 .offset = kept(context, type->rank, offset),
                 .extent = kept(context, type->rank, extent),
                 .is_sum = info->unreduced.n > 0,
                 .combine = info->unreduced.n ? combine_name(info->reducer) : "",
                 .first = first_of_sum(mesh, info, (uint32_t)query->device, &query->arena)};
  return NULL;
}

static tsr_error *query_tile(Query query, tsr_tile *out) {
  arena_init(&query.arena, NULL);
  Status *status = guard_run(query_body, &query);
  arena_deinit(&query.arena);
  if (!status) api_write_struct(out, &query.tile, sizeof query.tile);
  return api_error(status);
}

tsr_error *tsr_program_argument_tile(tsr_program *program, size_t function, size_t argument,
                                     size_t device, tsr_tile *out_tile) {
  API_NEED(program, "program");
  API_NEED(out_tile, "out_tile");
  API_CHECK(out_tile, "tsr_tile");
  return query_tile(
      (Query){.handle = program, .function = function, .index = argument, .device = device},
      out_tile);
}

tsr_error *tsr_program_result_tile(tsr_program *program, size_t function, size_t result,
                                   size_t device, tsr_tile *out_tile) {
  API_NEED(program, "program");
  API_NEED(out_tile, "out_tile");
  API_CHECK(out_tile, "tsr_tile");
  return query_tile((Query){.handle = program,
                            .function = function,
                            .index = result,
                            .device = device,
                            .result = true},
                    out_tile);
}
