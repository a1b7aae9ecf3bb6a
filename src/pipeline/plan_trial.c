// Problem: plan for one mesh.
//
// Idea: extract the problem (plan/model.h), solve it (solve/solve.h), and partition, optimize and
// simulate the solution as any other program. The simulated time decides: it knows overlap, passes
// and memory that the problem only estimates. Solve again with the exposed part of communication,
// and with less memory if the simulation needed more than the problem.
//
// Invariant: the program is not changed; each candidate works on a clone, under a guard of its own.
//
// Cost: rounds · (solve + candidates · compile).
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "annotate/target.h"
#include "base/clock.h"
#include "ir/clone.h"
#include "ops/functions.h"
#include "plan/decisions.h"
#include "plan/summary.h"
#include "pipeline/plan_climb.h"

static const char *keep_text(Trial *t) {
  strbuf_puts(&t->text, "");
  return arena_copy(t->arena, t->text.data, t->text.used + 1);
}

static const char *sharding_words(Trial *t, const Session *s, Sharding sharding, uint32_t rank) {
  const ShardingInfo *info = sharding_info(s->table, sharding);
  const Mesh *mesh = sharding ? sharding_mesh(s->table, info->mesh) : NULL;
  t->text.used = 0;
  strbuf_putc(&t->text, '[');
  for (uint32_t d = 0; d < rank; d++) {
    strbuf_puts(&t->text, d ? ", {" : "{");
    AxisList axes = sharding ? sharding_dim_axes(info, d) : (AxisList){NULL, 0};
    for (uint32_t i = 0; i < axes.n; i++)
      strbuf_printf(&t->text, "%s%s", i ? ", " : "", axis_text(s->context, mesh, axes.v[i]));
    strbuf_putc(&t->text, '}');
  }
  strbuf_putc(&t->text, ']');
  return keep_text(t);
}

// Required shardings: annotations of the program and of the request.
static void read_constraints(Session *s, ModelOptions *options, OpId entry) {
  const Program *p = s->program;
  const Graph *g = propagation_graph(s->propagation);
  InstanceId instance = graph_instance_of(g, entry);
  Sharding *fixed = ARENA_ARRAY(&s->arena, Sharding, p->values.count + 1);
  for (ValueId v = 0; v <= p->values.count; v++) fixed[v] = PLAN_FREE;
  uint32_t n = function_n_results(p, entry);
  Sharding *results = ARENA_ARRAY(&s->arena, Sharding, n + 1);
  for (uint32_t i = 0; i < n; i++) {
    const Given *given = propagation_given(s->propagation, graph_result_place(g, instance, i));
    results[i] = given && given->sharding ? given->sharding : PLAN_FREE;
  }
  for (PlaceId place = 1; place < g->n_places; place++) {
    const Given *given = propagation_given(s->propagation, place);
    if (given && given->sharding && g->places[place].value)
      fixed[g->places[place].value] = given->sharding;
  }
  options->fixed = fixed;
  options->fixed_results = results;
}

Status *trial_extract(Trial *t, Guard *guard) {
  Session *s = &t->model_session;
  session_clone(s, guard, t->program, NULL);
  CompileRequest request = {.annotations = t->annotations, .stop_after = STAGE_ANNOTATE};
  Compiled compiled;
  TRY(compile(s, &request, &compiled));
  const char *machine = t->annotations.machine;
  TRY(session_read_machine(s, machine ? machine : machine_text("default")));
  const Mesh *mesh = sharding_mesh(s->table, s->mesh);
  if (!mesh) FAIL(INVALID_ARGUMENT, "the program has several meshes: give one with --mesh");
  Entries entries = program_entries(s->program, &s->arena);
  OpId entry = entries.n ? entries.v[0] : 0;
  ModelOptions options = {.machine = s->machine,
                          .n_devices = mesh->n_devices,
                          .level = t->request->level,
                          .call_rules = s->call_rules,
                          .untied = t->request->untied};
  if (entry) {
    read_constraints(s, &options, entry);
    options.state = plan_pair_state(s->program, entry, &s->arena);
  }
  t->has_model = true;
  TRY(model_build(&t->model, s->program, s->table, s->mesh, &options, guard, &s->diag));
  t->limit_bytes = (double)t->model.problem.limit_bytes;
  if (t->request->limit_bytes > 0) t->limit_bytes = t->request->limit_bytes;
  return NULL;
}

// The shardings of arguments and results.
static void list_values(Trial *t, Plan *plan) {
  Session *s = &t->model_session;
  const Model *m = &t->model;
  const Program *p = s->program;
  plan->n_arguments = m->n_arguments;
  plan->n_results = m->n_results;
  PlannedValue *values = ARENA_ARRAY(t->arena, PlannedValue, m->n_arguments + m->n_results + 1);
  for (uint32_t i = 0; i < m->n_arguments + m->n_results; i++) {
    bool argument = i < m->n_arguments;
    uint32_t k = argument ? i : i - m->n_arguments;
    uint32_t var = argument ? m->argument_vars[k] : m->result_vars[k];
    Type type =
        argument ? function_argument_type(p, m->entry, k) : function_result_type(p, m->entry, k);
    Sharding sharding = model_sharding(m, var, t->choice[var]);
    Str name = argument ? argument_path(p, m->entry, k, &s->arena)
                        : result_path(p, m->entry, k, &s->arena);
    values[i] = (PlannedValue){
        .name = name.n ? arena_printf(t->arena, "%.*s", (int)name.n, name.s)
                       : arena_printf(t->arena, argument ? "%u" : "result %u", k),
        .type = arena_printf(t->arena, "%s", type_text(s->context, type)),
        .sharding = sharding_words(t, s, sharding, type_info(s->context, type)->rank),
        .bytes = fusion_bytes(p, type),
        .local_bytes = fusion_bytes(p, sharding_local_type(s->table, sharding, type)),
        .state = argument && m->options.state ? m->options.state[k] : 0};
  }
  plan->arguments = values;
  plan->results = values + m->n_arguments;
}

// The solution's shardings of arguments and results, as rules of --shard.
static void write_rules(Trial *t) {
  Session *s = &t->model_session;
  const Model *m = &t->model;
  StrBuf rules;
  strbuf_init(&rules, s->guard);
  GuardCleanup cleanup = {plan_release_text, &rules, NULL};
  guard_push(s->guard, &cleanup);
  for (uint32_t i = 0; i < m->n_arguments + m->n_results; i++) {
    bool argument = i < m->n_arguments;
    uint32_t k = argument ? i : i - m->n_arguments;
    uint32_t var = argument ? m->argument_vars[k] : m->result_vars[k];
    Type type = argument ? function_argument_type(s->program, m->entry, k)
                         : function_result_type(s->program, m->entry, k);
    const TypeInfo *info = type_info(s->context, type);
    if (info->kind != TYPE_TENSOR || !info->rank) continue;
    strbuf_printf(&rules, argument ? "%u=%s\n" : "result%u=%s\n", k,
                  sharding_words(t, s, model_sharding(m, var, t->choice[var]), info->rank));
  }
  t->rules = arena_printf(t->arena, "%.*s", (int)rules.used, rules.used ? rules.data : "");
  guard_pop(s->guard, &cleanup);
  strbuf_deinit(&rules);
}

const char *trial_decisions(Trial *t, const uint32_t *choice) {
  t->text.used = 0;
  Json json = {.out = &t->text};
  json_open(&json, '{');
  plan_decisions(&t->model, choice, &json);
  json_close(&json, '}');
  return keep_text(t);
}

// ---- candidates ----

static double usable_bytes(const Trial *t, const Simulated *s) {
  return t->request->limit_bytes > 0 ? t->request->limit_bytes : s->usable_bytes;
}

// Of two predictions the one that fits is better, then the faster one.
bool plan_is_better(const PlanTrial *a, const PlanTrial *b, double usable) {
  if ((a->refused != NULL) != (b->refused != NULL)) return !a->refused;
  bool fits_a = a->peak_bytes <= usable, fits_b = b->peak_bytes <= usable;
  if (fits_a != fits_b) return fits_a;
  return fits_a ? a->seconds < b->seconds : a->peak_bytes < b->peak_bytes;
}

static Status *candidate_body(Guard *guard, void *arg) {
  Candidate *c = arg;
  Trial *t = c->t;
  strbuf_init(&c->saved, guard);
  session_clone(&c->session, guard, t->program, NULL);
  CompileRequest request = {.annotations = t->annotations,
                            .local.out_decisions = c->saves ? &c->saved : NULL,
                            .simulate = true,
                            .stop_after = STAGE_MEASURE};
  Source rules = {.path = "<plan>", .text = c->rules, .size = c->rules ? strlen(c->rules) : 0};
  plan_annotations(&request.annotations, c->decisions ? NULL : &rules);
  if (c->decisions) request.local.decisions = str_of(c->decisions);
  Compiled compiled;
  TRY(compile(&c->session, &request, &compiled));
  c->simulated = *compiled.prediction.simulated;
  return NULL;
}

bool candidate_run(Candidate *c) {
  Status *status = guard_run(candidate_body, c);
  bool good = !status;
  if (status) snprintf(c->why, sizeof c->why, "%s", status_message(status));
  status_free(status);
  session_deinit(&c->session);
  c->session = (Session){0};
  return good;
}

void candidate_release(void *object) { strbuf_deinit(&((Candidate *)object)->saved); }

// Makes the candidate the plan.
static void keep_candidate(Trial *t, const Candidate *c, const PlanTrial *trial) {
  Plan *plan = t->plan;
  const Simulated *s = &c->simulated;
  plan->best = *trial;
  plan->compute_seconds = s->compute_seconds;
  plan->exposed_seconds = s->exposed_seconds;
  plan->utilization = s->utilization;
  plan->usable_bytes = usable_bytes(t, s);
  plan->bytes = s->bytes;
  plan->decisions = c->decisions
                        ? c->decisions
                        : arena_printf(t->arena, "%.*s", (int)c->saved.used, c->saved.data);
  plan->annotations = t->rules;
  list_values(t, plan);
  t->text.used = 0;
  plan_summary(&t->model, t->choice, &t->text);
  plan->strategy = keep_text(t);
}

// Compares a candidate that was simulated with the best so far. Returns whether it wins.
static bool compare_candidate(Trial *t, const Candidate *c) {
  const Simulated *s = &c->simulated;
  PlanTrial trial = t->plan->best;
  trial.seconds = s->seconds;
  trial.peak_bytes = s->peak_bytes;
  trial.greedy = !c->decisions;
  trial.refused = NULL;
  if (!c->saves && t->plan->decisions &&
      !plan_is_better(&trial, &t->plan->best, usable_bytes(t, s)))
    return false;
  if (c->decisions || c->saves) keep_candidate(t, c, &trial);
  return true;
}

// Compiles and simulates a candidate; keeps it if it is the best so far. What is kept is allocated
// after it, under the trial's guard.
static bool try_candidate(Trial *t, Candidate *c) {
  bool good = candidate_run(c);
  GuardCleanup cleanup = {candidate_release, c, NULL};
  guard_push(t->guard, &cleanup);
  if (!good && c->decisions) {
    t->plan->n_refused++;
    if (!t->plan->decisions) t->plan->best.refused = arena_printf(t->arena, "%s", c->why);
  }
  bool wins = good && compare_candidate(t, c);
  guard_pop(t->guard, &cleanup);
  candidate_release(c);
  return wins;
}

// A choice, as decisions. Returns whether it is the best plan so far.
static bool try_choice(Trial *t, const uint32_t *choice) {
  Candidate c = {.t = t, .decisions = trial_decisions(t, choice)};
  t->choice = (uint32_t *)choice;
  write_rules(t);
  bool wins = try_candidate(t, &c);
  const Simulated *s = &c.simulated;
  t->repriced = s->seconds > 0;
  if (!t->repriced) return false;
  t->peak_bytes = s->peak_bytes;
  t->pricing = model_reprice(&t->model, choice, &s->exposure, s->compute_seconds);
  if (!wins) return false;
  size_t size = (t->model.vars.count + 1) * sizeof *choice;
  t->best_choice = arena_copy(&t->model_session.arena, choice, size);
  t->best_pricing = t->pricing;
  return true;
}

// Shardings as rules of --shard; the partitioner chooses the rest. The decisions of one that wins
// are found by a second run.
static void try_rules(Trial *t, const char *rules) {
  Candidate c = {.t = t, .rules = rules}, again = {.t = t, .rules = rules, .saves = true};
  if (try_candidate(t, &c)) try_candidate(t, &again);
}

static Status *mesh_body(Guard *guard, void *arg);

// MOST_GREEDY: ops above which level 1 does not try the partitioner's own choices.
enum { MOST_ENOUGH = 4096, MOST_GREEDY = 20000 };

// The least multiple (by powers of two) of the devices for which the problem has a solution; 0 if
// there is none up to MOST_ENOUGH.
static uint32_t devices_enough(const Trial *failed) {
  const Mesh *mesh = sharding_mesh(failed->model_session.table, failed->model_session.mesh);
  if (failed->request->annotations.n_rules || failed->request->annotations.layout) return 0;
  for (uint32_t n = 2 * mesh->n_devices; n <= MOST_ENOUGH; n *= 2) {
    Plan plan = {0};
    Trial t = *failed;
    uint32_t inner = mesh->n_devices;
    char text[64];
    snprintf(text, sizeof text, "x=%u,y=%u", n / inner, inner);
    t.mesh = text;
    t.annotations.meshes = &t.mesh;
    t.annotations.n_meshes = 1;
    t.annotations.machine = failed->any_shape;
    t.plan = &plan;
    t.probe = true;
    t.explain = false;
    t.has_model = false;
    t.model_session = (Session){0};
    t.text = (StrBuf){0};
    Status *status = guard_run(mesh_body, &t);
    arena_guard(failed->arena, failed->guard);
    trial_release(&t);
    bool found = !status && plan.best.seconds > 0;
    status_free(status);
    if (found) return n;
  }
  return 0;
}

// One round: solve, and try what the solution says.
static Status *solve_and_try(Trial *t, Guard *guard) {
  Plan *plan = t->plan;
  const Model *m = &t->model;
  double start = clock_seconds();
  model_price(&t->model, &t->pricing, t->limit_bytes);
  t->choice = ARENA_ARRAY(&t->model_session.arena, uint32_t, m->vars.count + 1);
  TRY(solve_problem(&m->problem, &(SolveOptions){.level = t->request->level}, guard, t->choice,
                    &t->solved));
  plan->solve_seconds += clock_seconds() - start;
  SolveOutcome outcome = t->solved.outcome;
  bool found = outcome == SOLVE_OPTIMAL || outcome == SOLVE_FEASIBLE;
  if (!t->repriced && plan->best.bound_seconds <= 0) {  // of the problem as it is
    plan->best.outcome = outcome;
    plan->best.bound_seconds = model_seconds(t->solved.bound);
    plan->best.cost_seconds = found ? model_seconds(t->solved.cost) : 0;
    plan->best.problem_peak_bytes = found ? (double)t->solved.peak_bytes : 0;
    plan->n_vars = m->vars.count;
    plan->n_tied = m->n_tied_ops;
    plan->core_vars = t->solved.core_vars;
  }
  if (found && t->probe) {
    plan->best.seconds = 1;
    return NULL;
  }
  if (!found) {
    if (!plan->decisions && t->explain)
      plan->shortfall =
          plan_shortfall(&t->model_session, m, t->limit_bytes, devices_enough(t), t->arena);
    if (!plan->decisions)
      plan->best.refused = outcome == SOLVE_INFEASIBLE
                               ? "no assignment of shardings fits in memory"
                               : "no assignment of shardings that fits in memory was found";
    return NULL;
  }
  start = clock_seconds();
  try_choice(t, t->choice);
  bool greedy = t->request->level > 1 || t->program->ops.count < MOST_GREEDY;
  if (greedy && !t->request->no_greedy) try_rules(t, t->rules);
  plan->check_seconds += clock_seconds() - start;
  return NULL;
}

// Rounds if everything fits, and at most, if it does not.
enum { ROUNDS = 3, ROUNDS_QUICK = 3, MOST_ROUNDS = 6 };

// How much two prices of communication differ, as a fraction of the greater.
static double change(const Pricing *a, const Pricing *b) {
  double most = 0;
  for (uint32_t i = 0; i < SLACK_COUNT; i++) {
    most = fmax(most, fabs(a->transfer[i] - b->transfer[i]) / fmax(a->transfer[i], b->transfer[i]));
    most = fmax(most, fabs(a->latency[i] - b->latency[i]) / fmax(a->latency[i], b->latency[i]));
    most = fmax(most, fabs(a->exposed[i] - b->exposed[i]) / fmax(a->exposed[i], b->exposed[i]));
  }
  return most;
}

// Later rounds solve with the prices that the last solution's simulation shows, and with less
// memory if the simulation needed more than the problem.
static Status *mesh_body(Guard *guard, void *arg) {
  Trial *t = arg;
  t->guard = guard;
  arena_guard(t->arena, guard);  // so that everything below is freed if it has no memory
  strbuf_init(&t->text, guard);
  double start = clock_seconds();
  TRY(trial_extract(t, guard));
  t->plan->model_seconds += clock_seconds() - start;
  uint32_t rounds = t->request->level > 1 ? ROUNDS : ROUNDS_QUICK;
  for (uint32_t round = 0; round < MOST_ROUNDS; round++) {
    Pricing before = t->pricing;
    TRY(solve_and_try(t, guard));
    if (!t->plan->decisions) break;
    double over = t->plan->best.peak_bytes - t->plan->usable_bytes;
    if (over <= 0 && round + 1 >= rounds) break;
    if (over <= 0 && (!t->repriced || change(&before, &t->pricing) < 0.2)) break;
    // The problem is told to save what the last solution exceeds, and more from round to round.
    double last = t->peak_bytes - t->plan->usable_bytes, least = 0.02 * t->plan->usable_bytes;
    if (over > 0) t->limit_bytes -= fmax(1.05 * last, least * (round + 1));
    if (t->limit_bytes <= 0) break;
  }
  if (t->probe || !t->best_choice || t->plan->best.peak_bytes > t->plan->usable_bytes) return NULL;
  start = clock_seconds();
  model_price(&t->model, &t->best_pricing, t->limit_bytes);
  TRY(climb(t, guard, try_choice));
  t->plan->check_seconds += clock_seconds() - start;
  return NULL;
}

void trial_init(Trial *t, const Program *program, const PlanRequest *request, const char *mesh,
                Arena *arena, Plan *plan) {
  *t = (Trial){.program = program,
               .request = request,
               .annotations = request->annotations,
               .mesh = mesh,
               .any_shape = request->machine_of_any_shape,
               .pricing = pricing_serial,
               .arena = arena,
               .plan = plan};
  if (!mesh) return;
  t->annotations.meshes = &t->mesh;
  t->annotations.n_meshes = 1;
}

void trial_release(Trial *t) {
  if (t->has_model) model_release(&t->model);
  session_deinit(&t->model_session);
  strbuf_deinit(&t->text);
}

// Plans for one mesh. A trial that cannot be used has `refused`.
Status *plan_try_mesh(const Program *program, const PlanRequest *request, const char *mesh,
                      bool explain, Arena *arena, Plan *out) {
  *out = (Plan){.best.mesh = mesh};
  Trial t;
  trial_init(&t, program, request, mesh, arena, out);
  t.explain = explain;
  Guard *outer = arena->guard;
  Status *status = guard_run(mesh_body, &t);
  arena_guard(arena, outer);
  trial_release(&t);
  return status;
}
