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
#include "pipeline/plan_climb.h"
#include "pipeline/plan_flips.h"

static const char *keep_text(Trial *t) {
  strbuf_puts(&t->text, "");
  return arena_copy(t->arena, t->text.data, t->text.used + 1);
}

// Do few layers stand for all when candidates are simulated? At level 2 only in the problem.
static bool extrapolates(const Trial *t) { return t->request->layers && t->request->level < 2; }

// The program of candidates, and the target that their decisions are written for.
static const Program *candidate_program(const Trial *t) {
  const PlanLayers *l = t->request->layers;
  return !l ? t->program : extrapolates(t) ? l->few.program : l->whole.program;
}
static const PlanTarget *candidate_target(const Trial *t) {
  const PlanLayers *l = t->request->layers;
  return !l ? NULL : extrapolates(t) ? &l->of_few : &l->whole;
}

// Where arguments and results of the plan are: in the whole program if few of its layers stand for
// it.
static PlanTarget plan_borders(const Trial *t) {
  if (t->request->layers) return t->request->layers->whole;
  const Model *m = &t->model;
  return (PlanTarget){m->p, m->entry, m->n_arguments, m->n_results, NULL, NULL, NULL};
}

// The variable of an argument or result of the plan.
static uint32_t border_var(const Trial *t, bool argument, uint32_t k) {
  const Model *m = &t->model;
  const PlanLayers *l = t->request->layers;
  if (argument) return m->argument_vars[l ? l->whole.arguments[k] : k];
  return m->result_vars[l ? l->whole.results[k] : k];
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
static Sharding *read_constraints(Session *s, ModelOptions *options, OpId entry) {
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
  return fixed;
}

Status *trial_extract(Trial *t, Guard *guard) {
  Session *s = &t->model_session;
  session_view(s, guard, t->program);
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
    Sharding *fixed = read_constraints(s, &options, entry);
    const PropagateRequest *given = &t->annotations;
    BlockId block = region_block(s->program, op_region(s->program, entry, 0));
    for (ValueId v = 1; v < s->program->values.count && (given->n_rules || given->layout); v++)
      t->exact |= fixed[v] != PLAN_FREE &&
                  (!value_at(s->program, v)->is_arg || value_at(s->program, v)->def != block);
    uint32_t *state = NULL;
    if (!t->request->layers) {
      TRY(plan_pair_state(s->program, entry, t->request, &s->arena, &state));
      plan_fix_state(s, entry, fixed, options.fixed_results, state);
    }
    options.state = t->request->layers ? t->request->layers->model_state : state;
  }
  options.contraction = t->request->layers ? &t->request->layers->model : NULL;
  t->has_model = true;
  TRY(model_build(&t->model, s->program, s->table, s->mesh, &options, guard, &s->diag));
  TRY(plan_check_fixed(s, &t->model));
  t->limit_bytes = (double)t->model.problem.limit_bytes;
  if (t->request->limit_bytes > 0) t->limit_bytes = t->request->limit_bytes;
  return NULL;
}

// The shardings of arguments and results.
static void list_values(Trial *t, Plan *plan) {
  Session *s = &t->model_session;
  const Model *m = &t->model;
  PlanTarget borders = plan_borders(t);
  const Program *p = borders.program;
  const uint32_t *state = t->request->layers ? t->request->layers->state : m->options.state;
  uint32_t n = borders.n_arguments + borders.n_results;
  PlannedValue *values = ARENA_ARRAY(t->arena, PlannedValue, n + 1);
  for (uint32_t i = 0; i < n; i++) {
    bool argument = i < borders.n_arguments;
    uint32_t k = argument ? i : i - borders.n_arguments, var = border_var(t, argument, k);
    Type type = argument ? function_argument_type(p, borders.entry, k)
                         : function_result_type(p, borders.entry, k);
    Sharding sharding = model_sharding(m, var, t->choice[var]);
    Str name = argument ? argument_path(p, borders.entry, k, &s->arena)
                        : result_path(p, borders.entry, k, &s->arena);
    values[i] = (PlannedValue){
        .name = name.n ? arena_printf(t->arena, "%.*s", (int)name.n, name.s)
                       : arena_printf(t->arena, argument ? "%u" : "result %u", k),
        .type = arena_printf(t->arena, "%s", type_text(s->context, type)),
        .sharding = sharding_words(t, s, sharding, type_info(s->context, type)->rank),
        .bytes = fusion_bytes(p, type),
        .local_bytes = fusion_bytes(m->p, sharding_local_type(s->table, sharding, type)),
        .state = argument && state ? state[k] : 0,
        .donated = argument && model_is_donated(m, m->vars.items[var].index)};
  }
  plan->n_arguments = borders.n_arguments;
  plan->n_results = borders.n_results;
  plan->arguments = values;
  plan->results = values + borders.n_arguments;
}

// The solution's shardings of arguments and results, as rules of --shard.
static void write_rules(Trial *t) {
  Session *s = &t->model_session;
  PlanTarget borders = plan_borders(t);
  StrBuf rules;
  strbuf_init(&rules, s->guard);
  GuardCleanup cleanup = {plan_release_text, &rules, NULL};
  guard_push(s->guard, &cleanup);
  for (uint32_t i = 0; i < borders.n_arguments + borders.n_results; i++) {
    bool argument = i < borders.n_arguments;
    uint32_t k = argument ? i : i - borders.n_arguments, var = border_var(t, argument, k);
    Type type = argument ? function_argument_type(borders.program, borders.entry, k)
                         : function_result_type(borders.program, borders.entry, k);
    const TypeInfo *info = type_info(s->context, type);
    if (info->kind != TYPE_TENSOR || !info->rank) continue;
    strbuf_printf(&rules, argument ? "%u=%s\n" : "result#%u=%s\n", k,
                  sharding_words(t, s, model_sharding(&t->model, var, t->choice[var]), info->rank));
  }
  t->rules = arena_printf(t->arena, "%.*s", (int)rules.used, rules.used ? rules.data : "");
  guard_pop(s->guard, &cleanup);
  strbuf_deinit(&rules);
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

// The solution's decisions for a program (NULL: the model's). thrifty: without the passes that
// trade memory for communication.
static const char *write_decisions(Trial *t, const PlanTarget *target, bool thrifty) {
  t->text.used = 0;
  Json json = {.out = &t->text};
  json_open(&json, '{');
  plan_decisions(&t->model, t->choice, target, &json);
  if (thrifty) plan_decisions_thrifty(&json);
  json_close(&json, '}');
  return keep_text(t);
}

const char *trial_decisions(Trial *t, const uint32_t *choice) {
  t->choice = (uint32_t *)choice;
  return write_decisions(t, NULL, false);
}

// Partitions and simulates a program with given decisions.
static Status *simulate_decisions(const Trial *t, Session *s, Guard *guard, const Program *program,
                                  const char *decisions, Prediction *out) {
  session_view(s, guard, program);
  CompileRequest request = {.annotations = t->annotations,
                            .local = {.decisions = str_of(decisions), .memo = t->memo},
                            .simulate = true,
                            .stop_after = STAGE_MEASURE};
  plan_annotations(&request.annotations, NULL);
  Compiled compiled;
  TRY(compile(s, &request, &compiled));
  *out = compiled.prediction;
  return NULL;
}

static Status *candidate_body(Guard *guard, void *arg) {
  Candidate *c = arg;
  Trial *t = c->t;
  strbuf_init(&c->saved, guard);
  const PlanLayers *layers = t->request->layers;
  session_view(&c->session, guard, candidate_program(t));
  CompileRequest request = {
      .annotations = t->annotations,
      .local = {.out_decisions = c->saves ? &c->saved : NULL, .memo = t->memo},
      .simulate = true,
      .stop_after = STAGE_MEASURE};
  Source rules = {.path = "<plan>", .text = c->rules, .size = c->rules ? strlen(c->rules) : 0};
  plan_annotations(&request.annotations, c->decisions ? NULL : &rules);
  if (c->decisions) request.local.decisions = str_of(c->decisions);
  Compiled compiled;
  TRY(compile(&c->session, &request, &compiled));
  c->simulated = *compiled.prediction.simulated;
  if (!c->decisions_more) return NULL;
  Prediction more;
  TRY(simulate_decisions(t, &c->more, guard, layers->more.program, c->decisions_more, &more));
  c->simulated_more = *more.simulated;
  plan_extrapolate(layers, &compiled.prediction, &more, &c->more.arena, &c->simulated);
  return NULL;
}

bool candidate_run(Candidate *c) {
  Status *status = guard_run(candidate_body, c);
  bool good = !status;
  if (status) snprintf(c->why, sizeof c->why, "%s", status_message(status));
  status_free(status);
  session_deinit(&c->session);
  session_deinit(&c->more);
  c->session = c->more = (Session){0};
  return good;
}

void candidate_release(void *object) { strbuf_deinit(&((Candidate *)object)->saved); }

static void keep_numbers(Trial *t, const Simulated *s) {
  Plan *plan = t->plan;
  plan->compute_seconds = s->compute_seconds;
  plan->exposed_seconds = s->exposed_seconds;
  plan->utilization = s->utilization;
  plan->usable_bytes = usable_bytes(t, s);
  plan->bytes = s->bytes;
}

// Makes the candidate the plan.
static void keep_candidate(Trial *t, const Candidate *c, const PlanTrial *trial) {
  Plan *plan = t->plan;
  plan->best = *trial;
  keep_numbers(t, &c->simulated);
  plan->decisions = c->decisions
                        ? c->decisions
                        : arena_printf(t->arena, "%.*s", (int)c->saved.used, c->saved.data);
  plan->annotations = t->rules;
  t->best_thrifty = t->thrifty;
  t->best = c->simulated;
  t->best_more = c->simulated_more;
  plan->n_choice = t->model.vars.count;
  plan->choice = arena_copy(t->arena, t->choice, (plan->n_choice + 1) * sizeof *t->choice);
  if (!extrapolates(t)) list_values(t, plan);
  t->text.used = 0;
  plan_summary(&t->model_session, &t->model, t->choice, &t->text);
  plan->strategy = plan->best.strategy = keep_text(t);
}

// Compares a candidate that was simulated with the best so far. Returns whether it wins.
static bool compare_candidate(Trial *t, const Candidate *c) {
  const Simulated *s = &c->simulated;
  PlanTrial trial = t->plan->best;
  trial.seconds = s->seconds;
  trial.peak_bytes = s->peak_bytes;
  trial.greedy = !c->decisions;
  trial.refused = NULL;
  PlanTrial least = trial;
  least.seconds /= 1 - t->least_gain;
  if (!c->saves && t->plan->decisions &&
      !plan_is_better(&least, &t->plan->best, usable_bytes(t, s)))
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

// The solution, as decisions. Returns whether it is the best plan so far.
static bool try_decisions(Trial *t, bool thrifty) {
  const PlanLayers *layers = t->request->layers;
  t->thrifty = thrifty;
  Candidate c = {.t = t, .decisions = write_decisions(t, candidate_target(t), thrifty)};
  if (extrapolates(t)) c.decisions_more = write_decisions(t, &layers->of_more, thrifty);
  bool wins = try_candidate(t, &c);
  const Simulated *s = &c.simulated;
  t->repriced = s->seconds > 0;
  if (!t->repriced) return false;
  t->peak_bytes = s->peak_bytes;
  t->pricing = model_reprice(&t->model, t->choice, &s->exposure, s->compute_seconds);
  if (!wins) return false;
  size_t size = (t->model.vars.count + 1) * sizeof *t->choice;
  t->best_choice = arena_copy(&t->model_session.arena, t->choice, size);
  t->best_pricing = t->pricing;
  return true;
}

// A choice whose predicted step exceeds the best one's this many times is not simulated.
#define HOPELESS 1.5

static bool is_seen(const Trial *t, uint64_t hash) {
  for (uint32_t i = 0; i < t->seen.count; i++)
    if (t->seen.items[i] == hash) return true;
  return false;
}

static bool is_hopeless(const Trial *t, const uint32_t *choice) {
  return t->best_choice && t->plan->best.peak_bytes <= t->plan->usable_bytes &&
         model_predict(&t->model, choice, &t->best_pricing) > HOPELESS * t->plan->best.seconds;
}

// Another choice than the solver's.
static bool try_choice(Trial *t, const uint32_t *choice) {
  uint64_t hash = flips_hash(&t->model, choice);
  if (is_seen(t, hash) || is_hopeless(t, choice)) return false;
  VEC_PUSH(&t->model_session.arena, &t->seen, hash);
  t->choice = (uint32_t *)choice;
  if (!extrapolates(t)) write_rules(t);
  return try_decisions(t, false);
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
    t.memo = NULL;
    t.hook = NULL;
    Status *status = guard_run(mesh_body, &t);
    arena_guard(failed->arena, failed->guard);
    trial_release(&t);
    bool found = !status && plan.best.seconds > 0;
    status_free(status);
    if (found) return n;
  }
  return 0;
}

void plan_forbid(Model *model, uint32_t var, uint32_t strategy) {
  Problem *problem = &model->problem;
  model->vars.items[var].costs[strategy] = PLAN_FORBIDDEN;  // model_scale leaves it
  problem->costs.items[problem->vars.items[var].first + strategy] = PLAN_FORBIDDEN;
}

bool plan_is_late(const PlanRequest *request) {
  return request->time_limit > 0 && clock_seconds() >= request->deadline;
}

// With a time limit: a part of the seconds that are left, so that later rounds get some.
static double solve_seconds(const Trial *t) {
  if (t->request->time_limit <= 0) return 0;
  return fmax(0.25, (t->request->deadline - clock_seconds()) * 0.3);
}

// Level 1 is content with a cost this near to the bound: the simulation decides between plans.
#define QUICK_GAP 0.005
// Of few layers, a later round need not be nearer: its prices change by more.
#define LATER_GAP 0.02

static double wanted_gap(const Trial *t) {
  if (t->request->level > 1) return 0;
  return extrapolates(t) && t->repriced ? LATER_GAP : QUICK_GAP;
}

static bool has_loops(const Model *m) {
  for (uint32_t i = 0; i < m->vars.count; i++)
    if (m->vars.items[i].kind == VAR_BORDER) return true;
  return false;
}

// Tries the solution. Passes may keep more in memory than the solution (sums that a loop carries,
// gathered weights). If that is too much, or if the program is small, once more without these:
// larger carries also take time to read and write.
static void try_solution(Trial *t) {
  VEC_PUSH(&t->model_session.arena, &t->seen, flips_hash(&t->model, t->choice));
  try_decisions(t, false);
  const Plan *plan = t->plan;
  bool small = t->request->level > 1 || t->program->ops.count < MOST_GREEDY;
  bool over = plan->decisions && t->peak_bytes > plan->usable_bytes;
  if (over || (small && has_loops(&t->model) && !t->thrifty_lost))
    t->thrifty_lost = !try_decisions(t, true) && !over;
}

// The solver's samples, in seconds.
static void keep_samples(Trial *t) {
  const SolveResult *r = &t->solved;
  PlanSample *samples = ARENA_ARRAY(t->arena, PlanSample, r->n_samples + 1);
  for (uint32_t i = 0; i < r->n_samples; i++) {
    const SolveSample *s = &r->samples[i];
    samples[i] =
        (PlanSample){(double)s->work, s->cost == INT64_MAX ? INFINITY : model_seconds(s->cost),
                     s->bound == INT64_MIN ? -INFINITY : model_seconds(s->bound)};
  }
  t->plan->search = samples;
  t->plan->n_search = r->n_samples;
}

// The bound of a step's cost if devices had any memory; 0 = unknown.
static double seconds_without_limit(Trial *t, Guard *guard) {
  SolveResult solved;
  uint32_t *choice = ARENA_ARRAY(&t->model_session.arena, uint32_t, t->model.vars.count + 1);
  model_scale(&t->model, 1, 1e18);
  Status *status =
      solve_problem(&t->model.problem,
                    &(SolveOptions){.level = 1, .gap = QUICK_GAP, .threads = t->request->threads},
                    guard, choice, &solved);
  model_price(&t->model, &t->pricing, t->limit_bytes);
  bool found = !status && solved.bound > 0;
  status_free(status);
  return found ? model_seconds(solved.bound) : 0;
}

// One round: solve, and try what the solution says.
static Status *solve_and_try(Trial *t, Guard *guard) {
  Plan *plan = t->plan;
  const Model *m = &t->model;
  double start = clock_seconds();
  model_price(&t->model, &t->pricing, t->limit_bytes);
  // Of few layers, a later round starts from the solution before it: that takes half the time.
  const uint32_t *before = extrapolates(t) ? t->choice : NULL;
  if (!before && t->hook) before = t->hook->start;
  t->choice = ARENA_ARRAY(&t->model_session.arena, uint32_t, m->vars.count + 1);
  SolveOptions options = {.level = t->request->level,
                          .threads = t->request->threads,
                          .start = before,
                          .seconds = solve_seconds(t),
                          .gap = wanted_gap(t)};
  TRY(solve_problem(&m->problem, &options, guard, t->choice, &t->solved));
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
    keep_samples(t);
  }
  if (found && t->probe) {
    plan->best.seconds = 1;
    return NULL;
  }
  if (!found) {
    if (!plan->decisions && t->explain)
      plan->shortfall = plan_shortfall(&t->model_session, m, t->limit_bytes, devices_enough(t),
                                       seconds_without_limit(t, guard), t->arena);
    if (!plan->decisions)
      plan->best.refused = outcome == SOLVE_INFEASIBLE
                               ? "no assignment of shardings fits in memory"
                               : "no assignment of shardings that fits in memory was found";
    return NULL;
  }
  start = clock_seconds();
  if (!extrapolates(t)) write_rules(t);
  guard_tell(guard, "partitioning and simulating", 0, 0);
  try_solution(t);
  bool exact = t->exact || t->request->no_greedy || (t->hook && t->hook->exact);
  if (!exact && !extrapolates(t) && (t->request->level > 1 || t->program->ops.count < MOST_GREEDY))
    try_rules(t, t->rules);
  plan->check_seconds += clock_seconds() - start;
  return NULL;
}

typedef struct Refinement {
  const Trial *t;
  const char *decisions;  // for the base
  Session session;
  Simulated simulated;
} Refinement;

static Status *refine_body(Guard *guard, void *arg) {
  Refinement *r = arg;
  Prediction base;
  const PlanLayers *layers = r->t->request->layers;
  TRY(simulate_decisions(r->t, &r->session, guard, layers->base_program, r->decisions, &base));
  r->simulated = r->t->best;
  plan_refine(layers, &r->t->best_more, base.simulated, &r->simulated);
  return NULL;
}

// The plan of few layers becomes that of the whole program.
static Status *expand_plan(Trial *t) {
  Plan *plan = t->plan;
  const PlanLayers *layers = t->request->layers;
  if (!layers || !plan->decisions) return NULL;
  plan->n_layers = plan->n_simulated_layers = layers->n_layers;
  if (!extrapolates(t)) return NULL;
  t->choice = arena_copy(t->arena, plan->choice, plan->n_choice * sizeof *t->choice);
  Refinement r = {.t = t, .decisions = write_decisions(t, &layers->of_base, t->best_thrifty)};
  Status *status = guard_run(refine_body, &r);
  session_deinit(&r.session);
  if (status) return status;
  keep_numbers(t, &r.simulated);
  plan->best.seconds = r.simulated.seconds;
  plan->best.peak_bytes = r.simulated.peak_bytes;
  write_rules(t);
  list_values(t, plan);
  plan->annotations = t->rules;
  plan->decisions = write_decisions(t, &layers->whole, t->best_thrifty);
  plan->n_simulated_layers = layers->n_layers - layers->base_dropped;
  return NULL;
}

// Rounds if everything fits, and at most, if it does not.
enum { ROUNDS = 3, MOST_ROUNDS = 6 };

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

// Local search, if there is a solution that fits.
static Status *search_near(Trial *t, Guard *guard) {
  if (t->probe || (t->hook && !t->hook->climbs) || t->request->layers || !t->best_choice ||
      plan_is_late(t->request) || t->plan->best.peak_bytes > t->plan->usable_bytes)
    return NULL;
  double start = clock_seconds();
  model_price(&t->model, &t->best_pricing, t->limit_bytes);
  TRY(climb(t, guard, try_choice));
  t->plan->check_seconds += clock_seconds() - start;
  return NULL;
}

// Later rounds solve with the prices that the last solution's simulation shows, and with less
// memory if the simulation needed more than the problem.
static Status *mesh_body(Guard *guard, void *arg) {
  Trial *t = arg;
  t->guard = guard;
  guard_set_progress(guard, guard_progress(t->outer));
  arena_guard(t->arena, guard);  // so that everything below is freed if it has no memory
  strbuf_init(&t->text, guard);
  t->memo = reshard_memo_new(guard);
  double start = clock_seconds();
  guard_tell(guard, "modelling", 0, 0);
  TRY(trial_extract(t, guard));
  t->plan->model_seconds += clock_seconds() - start;
  bool stop = false;
  if (t->hook)
    TRY(t->hook->built(t->hook->user, &t->model_session, &t->model, t->limit_bytes, &stop));
  if (stop) return NULL;
  for (uint32_t round = 0; round < MOST_ROUNDS; round++) {
    Pricing before = t->pricing;
    TRY(solve_and_try(t, guard));
    if (!t->plan->decisions) break;
    double over = t->plan->best.peak_bytes - t->plan->usable_bytes;
    if (over <= 0 && (round + 1 >= ROUNDS || plan_is_late(t->request))) break;
    if (over <= 0 && (!t->repriced || change(&before, &t->pricing) < 0.2)) break;
    // The problem is told to save what the last solution exceeds, and more from round to round.
    double last = t->peak_bytes - t->plan->usable_bytes, least = 0.02 * t->plan->usable_bytes;
    if (over > 0) t->limit_bytes -= fmax(1.05 * last, least * (round + 1));
    if (t->limit_bytes <= 0) break;
  }
  TRY(search_near(t, guard));
  double end = clock_seconds();
  TRY(expand_plan(t));
  t->plan->check_seconds += clock_seconds() - end;
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
               .rules = "",
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
  reshard_memo_free(t->memo);
}

// Plans for one mesh. A trial that cannot be used has `refused`.
Status *plan_try_mesh(const Program *program, const PlanRequest *request, const char *mesh,
                      bool explain, const PlanHook *hook, const Guard *outer, Arena *arena,
                      Plan *out) {
  *out = (Plan){.best.mesh = mesh};
  Trial t;
  trial_init(&t, program, request, mesh, arena, out);
  t.outer = outer;
  t.hook = hook;
  t.explain = explain;
  Guard *before = arena->guard;
  Status *status = guard_run(mesh_body, &t);
  arena_guard(arena, before);
  trial_release(&t);
  return status;
}
