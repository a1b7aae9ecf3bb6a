// A propagation that is kept: push a sharding, read, price, pop. Each call installs its guard in
// all arenas first, since the guard of the previous call is gone.
#include <string.h>

#include "base/mem.h"
#include "api/api_private.h"
#include "estimate/estimate.h"
#include "report/show_propagated.h"
#include "annotate/shard_rules.h"
#include "explain/why.h"

struct tsr_propagation {
  tsr_program *program;
  tsr_propagate_options
      options;  // strings belong to the caller and are valid only during tsr_propagation_new
  Session session;
  uint32_t n_annotated;
  Arena scratch;           // rewound by every call
  HEAPVEC(Target) values;  // value numbers to targets
  HEAPVEC(uint32_t) marks;
  Estimate *estimate;  // NULL before the first price
  Guard *guard;        // of the current call
};

// Arguments and results of one call, and its diagnostics.
typedef struct Call {
  tsr_propagation *h;
  Status *(*body)(struct Call *call);
  const char *text;  // a name or a sharding
  bool flag;         // with values; as JSON
  size_t value, dimension, changes;
  tsr_spelling spelling;
  EstimatedPrice price;
  StrBuf messages, out;
  bool any;
} Call;

static Status *call_body(Guard *guard, void *arg) {
  Call *call = arg;
  tsr_propagation *h = call->h;
  h->guard = guard;
  call->messages.guard = call->out.guard = guard;
  arena_guard(&h->scratch, guard);
  session_guard(&h->session, guard);
  if (h->estimate) estimate_guard(h->estimate, guard);
  return call->body(call);
}

static tsr_error *run(Call *call) {
  Status *status = guard_run(call_body, call);
  tsr_error *error = api_error_with_text(status, &call->messages);
  strbuf_deinit(&call->messages);
  if (error || !call->any) strbuf_deinit(&call->out);
  arena_deinit(&call->h->scratch);
  arena_init(&call->h->scratch, NULL);
  return error;
}

// ---- new and free ----

static Status *new_body(Call *call) {
  tsr_propagation *h = call->h;
  Session *s = &h->session;
  const tsr_propagate_options *o = &h->options;
  Progress progress = {o->progress, o->progress_user};
  session_borrow(s, h->guard, h->program->program, &h->program->source,
                 o->progress ? &progress : NULL);
  CompileRequest request = {.stop_after = STAGE_PROPAGATE};
  TRY(api_propagate_request(h->program, o, &s->arena, &request.annotations));
  Compiled compiled;
  Status *status = compile(s, &request, &compiled);
  h->n_annotated = compiled.n_annotated;
  if (status) session_render(s, &call->messages, false);
  if (!status) TRY(session_read_machine(s, request.annotations.machine));
  return status;
}

tsr_error *tsr_propagation_new(tsr_program *program, const tsr_propagate_options *options,
                               tsr_propagation **out_propagation) {
  API_NEED(program, "program");
  API_NEED(out_propagation, "out_propagation");
  tsr_propagate_options read;
  API_READ(&read, options, "tsr_propagate_options");
  tsr_propagation *h = mem_alloc(sizeof *h);
  if (!h) return api_error(status_no_memory());
  *h = (tsr_propagation){.program = program, .options = read};
  api_forget(program);
  arena_init(&h->scratch, NULL);
  Call call = {.h = h, .body = new_body};
  tsr_error *error = run(&call);
  if (error)
    tsr_propagation_free(h);
  else
    *out_propagation = h;
  return error;
}

void tsr_propagation_free(tsr_propagation *h) {
  if (!h) return;
  estimate_free(h->estimate);
  session_deinit(&h->session);
  arena_deinit(&h->scratch);
  HEAPVEC_FREE(&h->values);
  HEAPVEC_FREE(&h->marks);
  mem_free(h);
}

// ---- values ----

static Status *value_body(Call *call) {
  tsr_propagation *h = call->h;
  TargetList list = targets_find(h->program->program, str_of(call->text), &h->scratch);
  if (list.n != 1)
    FAIL(NOT_FOUND, "%s is called '%s'", list.n ? "more than one value" : "nothing", call->text);
  HEAPVEC_PUSH(h->guard, &h->values, list.v[0]);
  call->value = h->values.count - 1;
  return NULL;
}

tsr_error *tsr_propagation_value(tsr_propagation *h, const char *name, size_t *out_value) {
  API_NEED(h, "propagation");
  API_NEED(name, "name");
  API_NEED(out_value, "out_value");
  Call call = {.h = h, .body = value_body, .text = name};
  tsr_error *error = run(&call);
  if (!error) *out_value = call.value;
  return error;
}

static Status *check_value(const tsr_propagation *h, size_t value) {
  if (value >= h->values.count)
    FAIL(OUT_OF_RANGE, "value %zu does not exist: there are %u", value, h->values.count);
  return NULL;
}

// ---- push and pop ----

static void undo(tsr_propagation *h, uint32_t mark) {
  if (h->estimate) estimate_before_pop(h->estimate, mark);
  propagation_pop(h->session.propagation, mark);
}

// Pushes in all instances of the value's function, or in none if one fails.
static Status *push_target(tsr_propagation *h, const Target *target, Sharding sharding) {
  Propagation *p = h->session.propagation;
  const Graph *g = propagation_graph(p);
  uint32_t mark = propagation_n_events(p), ignored;
  InstanceId first = graph_instance_of(g, target->function);
  bool root = first && !g->instances[first].caller;  // has one instance
  uint32_t end = !first ? 0 : root ? first + 1 : g->n_instances;
  for (InstanceId i = first; i < end; i++) {
    PlaceId place = g->instances[i].function == target->function ? target_place(g, i, target) : 0;
    Status *status = place ? propagation_push(p, place, sharding, &ignored) : NULL;
    if (!status) continue;
    undo(h, mark);
    return status;
  }
  return NULL;
}

static Status *push_body(Call *call) {
  tsr_propagation *h = call->h;
  TRY(check_value(h, call->value));
  // Reserve first: a push without room for its mark could not be popped.
  HEAPVEC_RESERVE(h->guard, &h->marks, h->marks.count + 1);
  const Target *target = &h->values.items[call->value];
  Source source = {.path = "sharding", .text = call->text, .size = strlen(call->text)};
  Diag diag;
  diag_init(&diag, h->guard, &source);
  GuardCleanup cleanup = {.release = api_release_diag, .object = &diag};
  guard_push(h->guard, &cleanup);
  ShardOptions options = {.mesh = h->session.mesh, .divisible = h->options.divisible_edges != 0};
  Sharding sharding = 0;
  bool good = shard_spec_resolve(&diag, h->program->program, h->session.table, &options, target,
                                 &h->scratch, &sharding);
  Status *status = good ? NULL : diag_status(&diag);
  if (!good) diag_render(&diag, &call->messages, false);
  guard_pop(h->guard, &cleanup);
  diag_deinit(&diag);
  if (status) return status;
  uint32_t mark = propagation_n_events(h->session.propagation);
  TRY(push_target(h, target, sharding));
  h->marks.items[h->marks.count++] = mark;
  call->changes = propagation_n_events(h->session.propagation) - mark;
  return NULL;
}

tsr_error *tsr_propagation_push(tsr_propagation *h, size_t value, const char *sharding,
                                size_t *out_changes) {
  API_NEED(h, "propagation");
  API_NEED(sharding, "sharding");
  Call call = {.h = h, .body = push_body, .text = sharding, .value = value};
  tsr_error *error = run(&call);
  if (!error && out_changes) *out_changes = call.changes;
  return error;
}

// The value's sharding with the axis behind those of the dimension; open if it has none.
static Status *with_axis(const tsr_propagation *h, PlaceId place, size_t d, AxisRef axis,
                         Arena *arena, Sharding *out) {
  ShardingTable *table = h->session.table;
  const Graph *g = propagation_graph(h->session.propagation);
  uint32_t rank = type_info(h->session.context, g->places[place].type)->rank;
  if (d >= rank) FAIL(OUT_OF_RANGE, "dimension %zu does not exist: the value has %u", d, rank);
  Sharding now = propagation_get(h->session.propagation, place);
  if (!now) now = sharding_make_open(table, h->session.mesh, rank);
  const ShardingInfo *info = sharding_info(table, now);
  if (axes_overlap_ref(sharding_used_axes(info, arena), axis))
    FAIL(FAILED_PRECONDITION, "the value has the axis already, or must not have it");
  if (!info->dims[d].open || info->dims[d].n_factors != 1)
    FAIL(FAILED_PRECONDITION, "dimension %zu of the value is closed", d);
  AxisList axes = axes_concat(arena, sharding_dim_axes(info, (uint32_t)d), (AxisList){&axis, 1});
  *out = sharding_with_axes(table, now, (uint32_t)d, axes);
  return NULL;
}

static Status *find_axis(const tsr_propagation *h, const char *name, AxisRef *out) {
  const Mesh *mesh = sharding_mesh(h->session.table, h->session.mesh);
  if (!mesh) FAIL(FAILED_PRECONDITION, "the program has no mesh, or several");
  for (uint32_t i = 0; i < mesh->n_axes; i++)
    if (strcmp(name_text(h->session.context, mesh->axes[i].name), name) == 0) {
      *out = axis_full(mesh, i);
      return NULL;
    }
  FAIL(NOT_FOUND, "the mesh has no axis '%s'", name);
}

static Status *add_axis_body(Call *call) {
  tsr_propagation *h = call->h;
  AxisRef axis = {0, 0, 0};
  Sharding sharding = 0;
  TRY(check_value(h, call->value));
  TRY(find_axis(h, call->text, &axis));
  HEAPVEC_RESERVE(h->guard, &h->marks, h->marks.count + 1);
  const Target *target = &h->values.items[call->value];
  const Graph *g = propagation_graph(h->session.propagation);
  InstanceId instance = graph_instance_of(g, target->function);
  PlaceId place = instance ? target_place(g, instance, target) : 0;
  if (!place) FAIL(FAILED_PRECONDITION, "the value cannot be sharded");
  TRY(with_axis(h, place, call->dimension, axis, &h->scratch, &sharding));
  uint32_t mark = propagation_n_events(h->session.propagation);
  TRY(push_target(h, target, sharding));
  h->marks.items[h->marks.count++] = mark;
  call->changes = propagation_n_events(h->session.propagation) - mark;
  return NULL;
}

tsr_error *tsr_propagation_add_axis(tsr_propagation *h, size_t value, size_t dimension,
                                    const char *axis, size_t *out_changes) {
  API_NEED(h, "propagation");
  API_NEED(axis, "axis");
  Call call = {.h = h, .body = add_axis_body, .text = axis, .value = value, .dimension = dimension};
  tsr_error *error = run(&call);
  if (!error && out_changes) *out_changes = call.changes;
  return error;
}

static Status *price_body(Call *call) {
  tsr_propagation *h = call->h;
  Session *s = &h->session;
  if (!s->mesh)
    FAIL(FAILED_PRECONDITION, "a price needs one mesh: the program has none, or several");
  if (!s->machine) TRY(session_read_machine(s, machine_text("default")));
  if (!h->estimate)
    h->estimate = estimate_new(s->propagation, s->mesh, s->machine, s->call_rules, h->guard);
  call->price = estimate_price(h->estimate);
  return NULL;
}

tsr_error *tsr_propagation_price(tsr_propagation *h, tsr_price *out_price) {
  API_NEED(h, "propagation");
  API_NEED(out_price, "out_price");
  API_CHECK(out_price, "tsr_price");
  Call call = {.h = h, .body = price_body};
  tsr_error *error = run(&call);
  if (error) return error;
  tsr_price price = {.seconds = call.price.seconds,
                     .compute_seconds = call.price.compute_seconds,
                     .bytes = call.price.bytes,
                     .peak_bytes = call.price.peak_bytes,
                     .visited = call.price.visited};
  api_write_struct(out_price, &price, sizeof price);
  return NULL;
}

static Status *pop_body(Call *call) {
  tsr_propagation *h = call->h;
  if (!h->marks.count) FAIL(FAILED_PRECONDITION, "nothing was pushed that could be taken back");
  undo(h, h->marks.items[--h->marks.count]);
  return NULL;
}

tsr_error *tsr_propagation_pop(tsr_propagation *h) {
  API_NEED(h, "propagation");
  Call call = {.h = h, .body = pop_body};
  return run(&call);
}

// ---- reading and writing ----

static Status *sharding_body(Call *call) {
  tsr_propagation *h = call->h;
  TRY(check_value(h, call->value));
  const Graph *g = propagation_graph(h->session.propagation);
  const Target *target = &h->values.items[call->value];
  InstanceId instance = graph_instance_of(g, target->function);
  PlaceId place = instance ? target_place(g, instance, target) : 0;
  Sharding sharding = place ? propagation_get(h->session.propagation, place) : 0;
  if (!sharding) return NULL;
  call->any = true;
  return api_print_sharding(h->session.table, sharding, call->spelling, &h->scratch, &call->out);
}

tsr_error *tsr_propagation_sharding(tsr_propagation *h, size_t value, tsr_spelling spelling,
                                    char **out_text) {
  API_NEED(h, "propagation");
  API_NEED(out_text, "out_text");
  Status *wrong = api_check_spelling(spelling);
  if (wrong) return api_error(wrong);
  Call call = {.h = h, .body = sharding_body, .value = value, .spelling = spelling};
  tsr_error *error = run(&call);
  if (!error) *out_text = call.any ? call.out.data : NULL;
  return error;
}

static Status *warnings_body(Call *call) {
  tsr_propagation *h = call->h;
  session_render(&h->session, &call->out, false);
  call->any = call->out.used != 0;
  return NULL;
}

tsr_error *tsr_propagation_warnings(tsr_propagation *h, char **out_text) {
  API_NEED(h, "propagation");
  API_NEED(out_text, "out_text");
  Call call = {.h = h, .body = warnings_body};
  tsr_error *error = run(&call);
  if (!error) *out_text = call.any ? call.out.data : NULL;
  return error;
}

static Status *table_body(Call *call) {
  tsr_propagation *h = call->h;
  Shown shown = {.program = h->program->program,
                 .propagation = h->session.propagation,
                 .arena = &h->session.arena,
                 .n_given = h->n_annotated,
                 .path = h->program->name,
                 .out = &call->out,
                 .edges_only = !call->flag};
  ArenaMark mark = arena_mark(&h->session.arena);
  context_guard(h->program->context, h->guard);
  propagated_json(&shown);
  arena_rewind(&h->session.arena, mark);
  call->any = true;
  return NULL;
}

tsr_error *tsr_propagation_table(tsr_propagation *h, int values, char **out_json) {
  API_NEED(h, "propagation");
  API_NEED(out_json, "out_json");
  Call call = {.h = h, .body = table_body, .flag = values != 0};
  tsr_error *error = run(&call);
  if (!error) *out_json = call.out.data;
  return error;
}

static void release_why(void *why) { why_free(why); }

static Status *explain(Call *call, Why *why) {
  const PlaceId *places;
  uint32_t n;
  TRY(why_find(why, str_of(call->text), &call->h->scratch, &places, &n));
  for (uint32_t i = 0; i < n; i++) {
    Json json = {.out = &call->out};
    if (!call->flag) {
      why_print_place(why, places[i], &call->out);
      continue;
    }
    why_json_place(why, places[i], &json);
    json_newline(&json);
  }
  call->any = call->out.used != 0;
  return NULL;
}

static Status *why_body(Call *call) {
  tsr_propagation *h = call->h;
  WhyOptions options = {.sources = true};
  context_guard(h->program->context, h->guard);
  Why *why = why_new(h->session.propagation, &options, h->guard);
  GuardCleanup cleanup = {.release = release_why, .object = why};
  guard_push(h->guard, &cleanup);
  Status *status = explain(call, why);
  guard_pop(h->guard, &cleanup);
  why_free(why);
  return status;
}

tsr_error *tsr_propagation_why(tsr_propagation *h, const char *name, int json, char **out_text) {
  API_NEED(h, "propagation");
  API_NEED(name, "name");
  API_NEED(out_text, "out_text");
  Call call = {.h = h, .body = why_body, .text = name, .flag = json != 0};
  tsr_error *error = run(&call);
  if (!error) *out_text = call.any ? call.out.data : NULL;
  return error;
}

static Status *write_body(Call *call) {
  tsr_propagation *h = call->h;
  Session *s = &h->session;
  WriteForm form = {.emit = EMIT_SDY, .close = h->options.close != 0};
  PropagateRequest edges = {.divisible = h->options.divisible_edges != 0};
  Status *status = stage_write(s, &edges, &form);
  if (status) diag_render(&s->diag, &call->messages, false);
  if (!status) api_list_functions(h->program, h->guard);
  return status;
}

tsr_error *tsr_propagation_write(tsr_propagation *h) {
  API_NEED(h, "propagation");
  Call call = {.h = h, .body = write_body};
  api_forget(h->program);
  return run(&call);
}
