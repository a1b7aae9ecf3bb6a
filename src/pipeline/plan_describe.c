// Problem: a plan that was found has to be read, by people and by other programs.
//
// Idea: compile the plan once more with names. The partitioner's decisions have the sharding in
// which each op makes its results; the simulation has what the step waits for and where its memory
// is largest. The short list of annotations and the layout by names are found by trial
// (plan_short.c).
//
// Invariant: the program is not changed. What is kept is in the caller's arena.
//
// Cost: one compilation, and those of plan_short.c.
#include <string.h>

#include "annotate/target.h"
#include "cost/traffic.h"
#include "report/show_traffic.h"
#include "partition/decisions.h"
#include "pipeline/plan_private.h"
#include "pipeline/predicted.h"

typedef struct Describe {
  const Program *program;
  const PlanRequest *request;
  Arena *arena;
  Plan *plan;
  Session session;
  Source rules;
  const char *mesh;
  Predicted shown;
  StrBuf text;
} Describe;

void plan_request(const Plan *plan, const PlanRequest *request, const char **mesh, Source *rules,
                  CompileRequest *out) {
  *out = (CompileRequest){.annotations = request->annotations,
                          .local.decisions = str_of(plan->decisions)};
  if (plan->best.mesh) {
    *mesh = plan->best.mesh;
    out->annotations.meshes = mesh;
    out->annotations.n_meshes = 1;
  }
  out->annotations.devices = 0;
  const char *text = plan->annotations ? plan->annotations : "";
  *rules = (Source){.path = "<plan>", .text = text, .size = strlen(text)};
  plan_annotations(&out->annotations, plan->best.greedy ? rules : NULL);
}

// ---- shardings ----

// Does the decision make a value of the global program, and not another copy of one?
static bool makes(const Decision *d) {
  return d->kind != DECISION_RESHARD && d->kind != DECISION_REMATERIALIZE &&
         d->kind != DECISION_END;
}

const Sharding **plan_held(const Session *s, Arena *arena) {
  uint32_t n = s->program->values.count;
  const Sharding **held = ARENA_ARRAY(arena, const Sharding *, n + 1);
  for (uint32_t i = 0; i < partition_n_decisions(s->partition); i++) {
    const Decision *d = partition_decision(s->partition, i);
    for (uint32_t k = 0; k < d->n_out && makes(d); k++) {
      const CopyInfo *copy = partition_copy(s->partition, d->out[k]);
      if (copy->value <= n && !held[copy->value]) held[copy->value] = &copy->sharding;
    }
  }
  return held;
}

static const char *keep_name(Describe *d, Name name) {
  const char *text = name_text(d->session.context, name);
  return arena_copy(d->arena, text, strlen(text) + 1);
}

// All values inside functions, with names of the user's program.
static void list_inside(Describe *d, Words *words) {
  Session *s = &d->session;
  const Program *p = s->program;
  const Sharding **held = plan_held(s, &s->arena);
  PlannedInside *list = ARENA_ARRAY(d->arena, PlannedInside, p->values.count + 1);
  Name last = 0;
  uint32_t n = 0;
  for (OpId op = p->root; op; op = op_walk_next(p, op, p->root)) {
    OpWords of = op_at(p, op)->n_results ? words_op(words, op) : (OpWords){0};
    const char *name = of.name ? keep_name(d, of.name) : "";
    for (uint32_t i = 0; i < op_at(p, op)->n_results; i++) {
      ValueId v = op_result(p, op, i);
      const TypeInfo *type = type_info(s->context, value_type(p, v));
      if (type->kind != TYPE_TENSOR || !type->rank || !held[v]) continue;
      Name sharding = words_sharding(words, *held[v], type->rank), value = words_value(words, v);
      bool same = n && sharding == last;
      list[n] = (PlannedInside){value ? keep_name(d, value) : "", name,
                                same ? list[n - 1].sharding : keep_name(d, sharding), of.line};
      last = sharding;
      n++;
    }
  }
  d->plan->inside = list;
  d->plan->n_inside = n;
}

static void release_words(void *words) { words_deinit(words); }
static void release_symbols(void *symbols) { symbols_deinit(symbols); }

static void describe_values(Describe *d, Guard *guard) {
  Session *s = &d->session;
  SymbolTable functions;
  Words words;
  Arena *scratch = &s->arena;
  symbols_init(&functions, s->program, s->program->root, guard);
  GuardCleanup first = {release_symbols, &functions, NULL}, second = {release_words, &words, NULL};
  guard_push(guard, &first);
  words_init(&words, s->program, s->table, &functions, &s->arena, scratch, guard);
  guard_push(guard, &second);
  list_inside(d, &words);
  guard_pop(guard, &second);
  words_deinit(&words);
  guard_pop(guard, &first);
  symbols_deinit(&functions);
}

static void describe_mesh(Describe *d, const Mesh *mesh, Guard *guard) {
  strbuf_init(&d->text, guard);
  for (uint32_t i = 0; mesh && i < mesh->n_axes; i++)
    strbuf_printf(&d->text, "%s%s=%u", i ? "," : "",
                  name_text(d->session.context, mesh->axes[i].name), mesh->axes[i].size);
  strbuf_putc(&d->text, 0);
  d->plan->mesh = arena_copy(d->arena, d->text.data, d->text.used);
  strbuf_deinit(&d->text);
}

// ---- what limits it ----

// Memory counts as a limit from this share of it on.
static const double full_share = 0.9;

static const SimulatedRow *longest_wait(const Simulated *s) {
  const SimulatedRow *row = NULL;
  for (uint32_t i = 0; i < s->n_rows; i++)
    if (!row || s->rows[i].exposed > row->exposed) row = &s->rows[i];
  return row && row->exposed > 0 ? row : NULL;
}

static void describe_limit(Describe *d, Guard *guard) {
  const ShowSimulated *show = &d->shown.show;
  const Simulated *s = show->simulated;
  const SimulatedRow *wait = longest_wait(s);
  char a[32], b[32];
  strbuf_init(&d->text, guard);
  bool waits = s->exposed_seconds > s->compute_seconds;
  if (s->seconds > 0)
    strbuf_printf(&d->text, "%s limits the step (%.0f %% of it)",
                  waits ? "communication" : "compute",
                  100 * (waits ? s->exposed_seconds : s->compute_seconds) / s->seconds);
  if (wait)
    strbuf_printf(&d->text, "; the longest wait, %s, is for %s%s%s",
                  simulated_seconds(wait->exposed, a, sizeof a), traffic_kind(wait->code),
                  wait->axes[0] ? " over " : "", wait->axes);
  double usable = d->plan->usable_bytes;
  bool full = usable > 0 && s->peak_bytes > full_share * usable;
  strbuf_printf(&d->text, "%s%s %s of %s at ", d->text.used ? "; " : "",
                full ? "memory limits the plan:" : "memory is largest,",
                simulated_bytes(s->peak_bytes, a, sizeof a), simulated_bytes(usable, b, sizeof b));
  size_t before = d->text.used;
  simulated_put_peak_op(show, &d->text);
  if (d->text.used == before) strbuf_puts(&d->text, "the arguments");
  strbuf_putc(&d->text, 0);
  d->plan->limit = arena_copy(d->arena, d->text.data, d->text.used);
  strbuf_deinit(&d->text);
}

// ---- all ----

static Status *describe_body(Guard *guard, void *arg) {
  Describe *d = arg;
  Session *s = &d->session;
  arena_guard(d->arena, guard);
  session_clone(s, guard, d->program, NULL);
  CompileRequest request;
  plan_request(d->plan, d->request, &d->mesh, &d->rules, &request);
  request.stop_after = STAGE_DECIDE;
  Compiled compiled;
  TRY(compile(s, &request, &compiled));
  describe_values(d, guard);
  describe_mesh(d, sharding_mesh(s->table, s->mesh), guard);
  MeshId id;
  TRY(stage_partition(s, &id));
  TRY(stage_optimize(s, &request.local, id));
  const Mesh *mesh = sharding_mesh(s->table, id);
  Prediction prediction;
  TRY(stage_simulate(s, mesh, mesh ? mesh->n_devices : 1, compiled.global_flops, &prediction));
  predicted_init(&d->shown, s, &prediction, guard);
  describe_limit(d, guard);
  return NULL;
}

// Ops above which level 1 describes nothing: that would take longer than the search.
enum { MOST_DESCRIBED = 20000 };

Status *plan_describe(const Program *program, const PlanRequest *request, Guard *guard,
                      Arena *arena, Plan *plan) {
  plan->too_large = request->level < 2 && program->ops.count > MOST_DESCRIBED;
  if (!plan->decisions || plan->too_large) return NULL;
  Describe d = {.program = program, .request = request, .arena = arena, .plan = plan};
  Guard *outer = arena->guard;
  guard_tell(guard, "describing the plan", 0, 0);
  Status *status = guard_run(describe_body, &d);
  arena_guard(arena, outer);
  predicted_deinit(&d.shown);
  strbuf_deinit(&d.text);
  session_deinit(&d.session);
  if (status) return status;
  return plan_shorten(request->source ? request->source : program, request, guard, arena, plan);
}
