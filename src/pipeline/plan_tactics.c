// Problem: a user composes a plan from tactics (tactics/tactics.h) and wants to see what each one
// does and costs.
//
// Idea: after each tactic, a clone of the program is partitioned, optimized and simulated with the
// annotations so far. `auto` gives them to the planner as constraints. `auto:AXIS` is a greedy
// search: of all tactics and all classes of dimensions, the one that lowers the simulated time most
// is applied along the axis, until none lowers it.
//
// Invariant: the program is not changed. Without `auto` the plan is what the partitioner makes of
// the annotations; with it, what the planner finds. Cost: one compilation per tactic; for auto:AXIS
// one per choice and round, at most MOST_ROUNDS.
#include <stdio.h>
#include <string.h>

#include "annotate/target.h"
#include "base/clock.h"
#include "cost/fusion.h"
#include "ir/clone.h"
#include "pipeline/plan_private.h"
#include "report/show_simulated.h"
#include "tactics/tactics.h"

typedef struct TacticRun {
  const Program *program;
  const PlanRequest *request;
  Arena *arena;  // of the results
  Plan *plan;
  Session session;  // a clone with the request's annotations
  Tactics *tactics;
  TacticList list;
  PlanTactic *done;
  Source *rules;  // those of tactics, then the request's
  PropagateRequest annotations;
  double start;  // seconds of the clock
} TacticRun;

// ---- the price of annotations ----

typedef struct Priced {
  const TacticRun *run;
  PropagateRequest annotations;
  bool saves;           // its decisions are saved
  Simulated simulated;  // only its numbers
  Session session;
  StrBuf decisions;
} Priced;

static Status *price_body(Guard *guard, void *arg) {
  Priced *priced = arg;
  strbuf_init(&priced->decisions, guard);
  session_clone(&priced->session, guard, priced->run->program, NULL);
  CompileRequest request = {.annotations = priced->annotations,
                            .local.out_decisions = priced->saves ? &priced->decisions : NULL,
                            .simulate = true,
                            .stop_after = STAGE_MEASURE};
  Compiled compiled;
  TRY(compile(&priced->session, &request, &compiled));
  priced->simulated = *compiled.prediction.simulated;
  return NULL;
}

// The request's annotations with the tactics' rules before them: the first match wins.
static void set_rules(TacticRun *s, const char *rules) {
  const PropagateRequest *given = &s->request->annotations;
  s->rules[0] = (Source){.path = "<tactics>", .text = rules, .size = strlen(rules)};
  for (uint32_t i = 0; i < given->n_rules; i++) s->rules[i + 1] = given->rules[i];
  s->annotations = *given;
  s->annotations.rules = s->rules;
  s->annotations.n_rules = given->n_rules + 1;
  s->annotations.try_orders = false;
}

// Partitions and simulates the program with the rules, under a guard of its own. The caller frees
// the decisions.
static Status *price(TacticRun *s, const char *rules, bool saves, Priced *out) {
  set_rules(s, rules);
  *out = (Priced){.run = s, .annotations = s->annotations, .saves = saves};
  Status *status = guard_run(price_body, out);
  session_deinit(&out->session);
  return status;
}

static double usable_bytes(const TacticRun *s, const Simulated *simulated) {
  return s->request->limit_bytes > 0 ? s->request->limit_bytes : simulated->usable_bytes;
}

static Status *price_only(TacticRun *s, const char *rules, Simulated *out) {
  Priced priced;
  Status *status = price(s, rules, false, &priced);
  *out = priced.simulated;
  strbuf_deinit(&priced.decisions);
  return status;
}

// ---- rows ----

static const char *item_text(const TacticRun *s, Tactic tactic) {
  if (tactic.axis == MESH_NO_AXIS) return tactic_name(tactic.kind);
  const Mesh *mesh = sharding_mesh(s->session.table, s->session.mesh);
  return arena_printf(s->arena, "%s:%s", tactic_name(tactic.kind),
                      name_text(s->session.context, mesh->axes[tactic.axis].name));
}

static const char *keep(const TacticRun *s, const char *text) {
  return text ? arena_printf(s->arena, "%s", text) : NULL;
}

static void add_row(TacticRun *s, const TacticStep *step, const Simulated *simulated) {
  PlanTactic *row = &s->done[s->plan->n_tactics++];
  *row = (PlanTactic){.name = item_text(s, step->tactic),
                      .found = keep(s, step->found),
                      .n_annotated = step->n_annotated,
                      .seconds = simulated->seconds,
                      .bytes = simulated->bytes,
                      .peak_bytes = simulated->peak_bytes};
  for (uint32_t i = 0; i < 3; i++) row->examples[i] = keep(s, step->examples[i]);
}

// ---- auto:AXIS ----
//
// First by time alone: tactics that divide the work must propagate before those that divide state.
// Then, while the program does not fit, by memory.

enum { MOST_ROUNDS = 4 };
#define LEAST_GAIN 0.98  // a choice must be 2 % faster

typedef struct Choice {
  TacticStep step;
  TacticMark *after;
  Simulated simulated;
} Choice;

static PlanTrial as_trial(const Simulated *simulated) {
  return (PlanTrial){.seconds = simulated->seconds, .peak_bytes = simulated->peak_bytes};
}

// Is a better than b? While searching for memory: one that fits, else the smaller one.
static bool choice_is_better(const TacticRun *s, const Simulated *a, const Simulated *b,
                             bool memory) {
  PlanTrial x = as_trial(a), y = as_trial(b);
  return memory ? plan_is_better(&x, &y, usable_bytes(s, b)) : a->seconds < LEAST_GAIN * b->seconds;
}

// Prices the present state; keeps it if it is better than the best so far.
static bool try_choice(TacticRun *s, const TacticStep *step, bool memory, Choice *best) {
  Simulated simulated;
  Status *status = price_only(s, tactics_rules(s->tactics), &simulated);
  bool good = !status;
  status_free(status);
  if (!good || !choice_is_better(s, &simulated, &best->simulated, memory)) return false;
  *best = (Choice){*step, tactics_save(s->tactics), simulated};
  return true;
}

// One round: every tactic and every class of dimensions along the axis. False: none is better.
static bool search_round(TacticRun *s, uint32_t axis, bool memory, Choice *best) {
  TacticMark *before = tactics_save(s->tactics);
  bool any = false;
  uint32_t n = TACTIC_auto + tactics_n_classes(s->tactics);
  for (uint32_t i = 0; i < n; i++) {
    TacticStep step;
    guard_tell(s->session.guard, "auto: choices along an axis", i, n);
    tactics_restore(s->tactics, before);
    if (i < TACTIC_auto) {
      Status *status = tactics_apply(s->tactics, (Tactic){(TacticKind)i, axis}, &step);
      bool found = !status;
      status_free(status);
      if (!found) continue;
    } else if (!tactics_shard_class(s->tactics, i - TACTIC_auto, axis, &step)) {
      continue;
    }
    any |= try_choice(s, &step, memory, best);
  }
  tactics_restore(s->tactics, any ? best->after : before);
  return any;
}

static bool too_large(const TacticRun *s, const Simulated *simulated) {
  return simulated->peak_bytes > usable_bytes(s, simulated);
}

// Adds what a round applied to the step of the entire search.
static void join_step(TacticRun *s, const TacticStep *step, TacticStep *out) {
  const char *name = step->tactic.kind == TACTIC_auto ? "" : tactic_name(step->tactic.kind);
  out->found = arena_printf(&s->session.arena, "%s%s%s%s%s", out->found, *out->found ? "; " : "",
                            name, *name ? ": " : "", step->found);
  for (uint32_t i = 0; i < 3 && out->n_annotated + i < 3; i++)
    out->examples[out->n_annotated + i] = step->examples[i];
  out->n_annotated += step->n_annotated;
}

static Status *search_axis(TacticRun *s, Tactic tactic, TacticStep *out, Simulated *out_simulated) {
  Choice best = {0};
  TRY(price_only(s, tactics_rules(s->tactics), &best.simulated));
  *out = (TacticStep){.tactic = tactic, .found = ""};
  for (uint32_t round = 0; round < MOST_ROUNDS; round++) {
    bool found = search_round(s, tactic.axis, false, &best);
    if (!found && too_large(s, &best.simulated)) found = search_round(s, tactic.axis, true, &best);
    if (!found) break;
    join_step(s, &best.step, out);
  }
  if (!out->n_annotated) out->found = "no choice along the axis is faster";
  *out_simulated = best.simulated;
  return NULL;
}

// ---- the plan ----

static bool is_donated(const Program *p, OpId entry, uint32_t i) {
  const AttrInfo *all = attr_info(p->context, op_attr(p, entry, "arg_attrs"));
  if (all->kind != ATTR_ARRAY || i >= all->count) return false;
  return attr_get(p->context, all->items[i], "tf.aliasing_output") ||
         attr_get(p->context, all->items[i], "jax.buffer_donor");
}

// The propagated shardings of arguments and results. Takes a session of its own.
static Status *list_values(TacticRun *s, Guard *guard) {
  Session *session = &s->session;
  CompileRequest request = {.annotations = s->annotations, .stop_after = STAGE_PROPAGATE};
  Compiled compiled;
  session_deinit(session);
  *session = (Session){0};
  session_clone(session, guard, s->program, NULL);
  TRY(compile(session, &request, &compiled));
  const Program *p = session->program;
  const Graph *g = propagation_graph(session->propagation);
  OpId entry = program_entries(p, &session->arena).v[0];
  uint32_t *state;
  TRY(plan_pair_state(p, entry, s->request, &session->arena, &state));
  InstanceId instance = graph_instance_of(g, entry);
  Plan *plan = s->plan;
  plan->n_arguments = function_n_arguments(p, entry);
  plan->n_results = function_n_results(p, entry);
  PlannedValue *values =
      ARENA_ARRAY(s->arena, PlannedValue, plan->n_arguments + plan->n_results + 1);
  for (uint32_t i = 0; i < plan->n_arguments + plan->n_results; i++) {
    bool argument = i < plan->n_arguments;
    uint32_t k = argument ? i : i - plan->n_arguments;
    Type type = argument ? function_argument_type(p, entry, k) : function_result_type(p, entry, k);
    PlaceId place = argument ? graph_place(g, instance, function_argument(p, entry, k))
                             : graph_result_place(g, instance, k);
    Sharding sharding = place ? propagation_get(session->propagation, place) : 0;
    Str name = argument ? argument_path(p, entry, k, &session->arena)
                        : result_path(p, entry, k, &session->arena);
    values[i] = (PlannedValue){
        .name = name.n ? arena_printf(s->arena, "%.*s", (int)name.n, name.s)
                       : arena_printf(s->arena, argument ? "%u" : "result %u", k),
        .type = arena_printf(s->arena, "%s", type_text(session->context, type)),
        .sharding = plan_sharding_text(session, sharding, type_info(session->context, type)->rank,
                                       s->arena),
        .bytes = fusion_bytes(p, type),
        .local_bytes = fusion_bytes(p, sharding_local_type(session->table, sharding, type)),
        .state = argument ? state[k] : 0,
        .donated = argument && is_donated(p, entry, k)};
  }
  plan->arguments = values;
  plan->results = values + plan->n_arguments;
  return NULL;
}

static const char *strategy_text(const TacticRun *s) {
  const char *text = "";
  for (uint32_t i = 0; i < s->plan->n_tactics; i++)
    text = arena_printf(s->arena, "%s%s%s: %s", text, i ? "\n" : "", s->done[i].name,
                        s->done[i].found);
  return text;
}

// The partitioner's own choices for the annotations of all tactics, of which `last` has no row yet.
static Status *finish(TacticRun *s, Guard *guard, const TacticStep *last) {
  Plan *plan = s->plan;
  Priced priced;
  const char *rules = keep(s, tactics_rules(s->tactics));
  Status *status = price(s, rules, true, &priced);
  GuardCleanup cleanup = {plan_release_text, &priced.decisions, NULL};
  guard_push(guard, &cleanup);
  const Simulated *simulated = &priced.simulated;
  if (!status) {
    add_row(s, last, simulated);
    plan->decisions =
        arena_printf(s->arena, "%.*s", (int)priced.decisions.used, priced.decisions.data);
    plan->best = as_trial(simulated);
    plan->best.mesh =
        keep(s, s->request->annotations.n_meshes ? s->request->annotations.meshes[0] : NULL);
    plan->best.greedy = true;
    plan->compute_seconds = simulated->compute_seconds;
    plan->exposed_seconds = simulated->exposed_seconds;
    plan->utilization = simulated->utilization;
    plan->usable_bytes = usable_bytes(s, simulated);
    plan->bytes = simulated->bytes;
    plan->annotations = rules;
    plan->strategy = strategy_text(s);
    plan->check_seconds = clock_seconds() - s->start;
    status = list_values(s, guard);
  }
  guard_pop(guard, &cleanup);
  strbuf_deinit(&priced.decisions);
  return status;
}

// Gives what the tactics decided to the planner.
static Status *plan_rest(TacticRun *s, Guard *guard, Tactic tactic) {
  PlanRequest rest = *s->request;
  PlanTactic *done = s->done;
  uint32_t n = s->plan->n_tactics;
  set_rules(s, keep(s, tactics_rules(s->tactics)));
  rest.tactics = NULL;
  rest.annotations = s->annotations;
  Plan *plan = s->plan;
  double before = clock_seconds() - s->start;
  TRY(plan_program(s->program, &rest, guard, s->arena, plan));
  plan->tactics = done;
  plan->n_tactics = n;
  plan->check_seconds += before;
  if (!plan->decisions) return NULL;
  PlanTactic *row = &done[plan->n_tactics++];
  *row = (PlanTactic){.name = item_text(s, tactic),
                      .found = "by search, within the annotations above",
                      .seconds = plan->best.seconds,
                      .bytes = plan->bytes,
                      .peak_bytes = plan->best.peak_bytes};
  for (uint32_t i = 0; i < plan->n_arguments; i++) {
    const PlannedValue *v = &plan->arguments[i];
    if (strcmp(v->sharding, tactics_sharding(s->tactics, i)) == 0) continue;
    if (row->n_annotated < 3)
      row->examples[row->n_annotated] = arena_printf(s->arena, "%s %s", v->name, v->sharding);
    row->n_annotated++;
  }
  return NULL;
}

// ---- the list ----

Status *plan_view_tactics(Session *session, const PlanRequest *request, Tactics **out) {
  if (!session->mesh)
    FAIL(INVALID_ARGUMENT, "tactics name axes of one mesh: give it, --mesh x=4,y=8");
  Entries entries = program_entries(session->program, &session->arena);
  if (!entries.n) FAIL(INVALID_ARGUMENT, "no function with a body");
  TacticInput input = {.graph = propagation_graph(session->propagation),
                       .table = session->table,
                       .mesh = session->mesh,
                       .givens = propagation_givens(session->propagation),
                       .entry = entries.v[0],
                       .diag = &session->diag,
                       .arena = &session->arena};
  uint32_t *state;
  TRY(plan_pair_state(session->program, entries.v[0], request, &session->arena, &state));
  input.state = state;
  return tactics_new(&input, out);
}

static Status *open_program(TacticRun *s, Guard *guard) {
  Session *session = &s->session;
  session_clone(session, guard, s->program, NULL);
  CompileRequest request = {.annotations = s->request->annotations, .stop_after = STAGE_ANNOTATE};
  Compiled compiled;
  TRY(compile(session, &request, &compiled));
  TRY(plan_view_tactics(session, s->request, &s->tactics));
  const Mesh *mesh = sharding_mesh(session->table, session->mesh);
  return tactics_read(str_of(s->request->tactics), session->context, mesh, &session->arena,
                      &s->list);
}

static Status *run_body(Guard *guard, void *arg) {
  TacticRun *s = arg;
  arena_guard(s->arena, guard);
  TRY(open_program(s, guard));
  s->rules = ARENA_ARRAY(s->arena, Source, s->request->annotations.n_rules + 1);
  s->done = ARENA_ARRAY(s->arena, PlanTactic, s->list.n + 1);
  s->plan->tactics = s->done;
  for (uint32_t i = 0; i < s->list.n; i++) {
    Tactic tactic = s->list.v[i];
    TacticStep step;
    Simulated simulated;
    bool last = i + 1 == s->list.n;
    guard_tell(guard, "tactics", i, s->list.n);
    if (tactic.kind == TACTIC_auto && tactic.axis == MESH_NO_AXIS)
      return plan_rest(s, guard, tactic);
    if (tactic.kind == TACTIC_auto)
      TRY(search_axis(s, tactic, &step, &simulated));
    else
      TRY(tactics_apply(s->tactics, tactic, &step));
    if (last) return finish(s, guard, &step);
    if (tactic.kind != TACTIC_auto) TRY(price_only(s, tactics_rules(s->tactics), &simulated));
    add_row(s, &step, &simulated);
  }
  return NULL;  // not reached: a list is never empty
}

// What each tactic needs, on several lines.
static const char *memory_lines(const Plan *plan, Arena *arena) {
  char bytes[32];
  const char *text = "per tactic";
  for (uint32_t i = 0; i < plan->n_tactics; i++)
    text = arena_printf(arena, "%s\n  %s (%s): %s", text, plan->tactics[i].name,
                        plan->tactics[i].found,
                        simulated_bytes(plan->tactics[i].peak_bytes, bytes, sizeof bytes));
  return text;
}

static void refuse_if_too_large(Plan *plan, Arena *arena) {
  char need[32], have[32];
  if (!plan->decisions || plan->best.peak_bytes <= plan->usable_bytes) return;
  plan->decisions = NULL;
  plan->best.refused = arena_printf(
      arena, "the tactics need %s per device, of %s; add zero3 along a data axis, or auto",
      simulated_bytes(plan->best.peak_bytes, need, sizeof need),
      simulated_bytes(plan->usable_bytes, have, sizeof have));
  plan->shortfall = memory_lines(plan, arena);
}

Status *plan_tactics(const Program *program, const PlanRequest *request, Guard *guard, Arena *arena,
                     Plan *out) {
  (void)guard;  // of the caller; the run has its own
  *out = (Plan){0};
  TacticRun s = {.program = program,
                 .request = request,
                 .arena = arena,
                 .plan = out,
                 .start = clock_seconds()};
  Guard *outer = arena->guard;
  Status *status = guard_run(run_body, &s);
  arena_guard(arena, outer);
  session_deinit(&s.session);
  if (status) return status;
  refuse_if_too_large(out, arena);
  out->program = program_hash(program);
  if (!out->trials) {
    PlanTrial *trial = ARENA_NEW(arena, PlanTrial);
    *trial = out->best;
    out->trials = trial;
    out->n_trials = 1;
  }
  return NULL;
}

// ---- text and JSON ----

void plan_put_tactics(const Plan *plan, StrBuf *out) {
  char a[32], b[32], c[32];
  size_t width = 0;
  if (!plan->n_tactics) return;
  for (uint32_t i = 0; i < plan->n_tactics; i++)
    if (strlen(plan->tactics[i].name) > width) width = strlen(plan->tactics[i].name);
  strbuf_printf(out, "%-*s        step        sent      memory  annotated\n", (int)width + 2,
                "tactics");
  for (uint32_t i = 0; i < plan->n_tactics; i++) {
    const PlanTactic *t = &plan->tactics[i];
    strbuf_printf(out, "  %-*s  %10s  %10s  %10s  %u: %s\n", (int)width, t->name,
                  simulated_seconds(t->seconds, a, sizeof a),
                  simulated_bytes(t->bytes, b, sizeof b),
                  simulated_bytes(t->peak_bytes, c, sizeof c), t->n_annotated, t->found);
    for (uint32_t k = 0; k < 3 && t->examples[k]; k++)
      strbuf_printf(out, "  %*s  %s\n", (int)width + 38, "", t->examples[k]);
  }
}

void plan_json_tactics(const Plan *plan, Json *json) {
  if (!plan->n_tactics) return;
  json_break(json, 1);
  json_key(json, "tactics"), json_open(json, '[');
  for (uint32_t i = 0; i < plan->n_tactics; i++) {
    const PlanTactic *t = &plan->tactics[i];
    json_break(json, 2);
    json_open(json, '{');
    json_key(json, "tactic"), json_string(json, t->name);
    json_key(json, "found"), json_string(json, t->found);
    json_key(json, "annotated"), json_uint(json, t->n_annotated);
    json_key(json, "examples"), json_open(json, '[');
    for (uint32_t k = 0; k < 3 && t->examples[k]; k++) json_string(json, t->examples[k]);
    json_close(json, ']');
    json_key(json, "seconds"), json_double(json, t->seconds);
    json_key(json, "sent_bytes"), json_double(json, t->bytes);
    json_key(json, "peak_bytes"), json_double(json, t->peak_bytes);
    json_close(json, '}');
  }
  json_close(json, ']');
}
