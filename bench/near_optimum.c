// Plans near the best one of a program: the problem's cost of each beside its simulated step.
//
//   near_optimum FILE MACHINE MESH [PLANS [CLIMBS]]
//
// Solves, simulates and prices again three times, as the planner does. The prices are then those of
// the best solution's simulation. Plans are single flips (one decision and its tied ones; copies
// follow) and runners-up (one decision is forbidden what it chose, and the problem is solved again
// for another strategy), in a random order of a fixed seed, each once, that cost at most 1.3 times
// the best. Then hill climbing on the simulated step: CLIMBS random flips and runners-up, of which
// a faster one becomes the start. Lines of JSON: the answer of the planner, the plans, the climb.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "pipeline/plan_flips.h"
#include "pipeline/plan_trial.h"
#include "solve/random.h"
#include "step.h"

static const double most_cost = 1.3;

typedef struct Job {
  const char *path, *machine, *mesh;
  uint32_t plans, climbs;
  // Scratch.
  Guard *guard;
  char *machine_text;
  Input in;
  Arena arena;
  Trial trial;
  Flips flips;
  double offset;  // of the prices
  uint64_t seed;
  uint32_t flipped;  // variable of the last neighbour
  uint32_t *frees, n_frees;
  VEC(uint64_t) seen;
} Job;

// Compiles and simulates a choice. False: refused.
static bool simulate_choice(Job *job, const uint32_t *choice, Simulated *out) {
  ArenaMark mark = arena_mark(&job->arena);
  Candidate c = {.t = &job->trial, .decisions = trial_decisions(&job->trial, choice)};
  bool good = candidate_run(&c);
  if (!good) fprintf(stderr, "near_optimum: refused: %s\n", c.why);
  *out = c.simulated;
  candidate_release(&c);
  arena_rewind(&job->arena, mark);
  return good;
}

static bool is_new(Job *job, const uint32_t *choice) {
  uint64_t hash = flips_hash(&job->trial.model, choice);
  for (uint32_t i = 0; i < job->seen.count; i++)
    if (job->seen.items[i] == hash) return false;
  VEC_PUSH(&job->arena, &job->seen, hash);
  return true;
}

// A random neighbour. False: it is none that fits, or costs too much.
static Status *neighbour(Job *job, const uint32_t *from, double best, uint32_t *out,
                         PlanValue *out_value, const char **out_kind, bool *out_good) {
  const Model *m = &job->trial.model;
  uint32_t v = job->frees[random_below(&job->seed, job->n_frees)];
  uint32_t k = random_below(&job->seed, m->vars.items[v].n);
  *out_good = false;
  if (k == from[v]) return NULL;
  job->flipped = v;
  bool single = random_below(&job->seed, 2);
  *out_kind = single ? "flip" : "runner-up";
  if (single) {
    flips_flip(&job->flips, from, v, k, out);
  } else {
    SolveResult solved;
    TRY(solve_fixed(&m->problem, &(SolveOptions){.level = 1, .start = from}, v, k, job->guard, out,
                    &solved));
    if (solved.outcome != SOLVE_OPTIMAL && solved.outcome != SOLVE_FEASIBLE) return NULL;
  }
  *out_value = problem_evaluate(&m->problem, out);
  *out_good = plan_feasible(&m->problem, out_value) && (double)out_value->cost <= most_cost * best;
  return NULL;
}

// The first decision in which a choice differs from the best.
static void print_plan(const Job *job, const char *kind, const uint32_t *choice,
                       const PlanValue *value, const Simulated *s) {
  const Model *m = &job->trial.model;
  const ModelVar *var = &m->vars.items[job->flipped];
  Pricing parts;
  model_parts(m, choice, &pricing_serial, &parts);
  printf("{\"plan\": \"%s\", \"cost\": %.9g, \"seconds\": %.9g, \"peak\": %.0f, "
         "\"problem_peak\": %.0f, \"compute\": %.9g, \"problem_compute\": %.9g",
         kind, model_seconds(value->cost) + job->offset, s->seconds, s->peak_bytes,
         (double)value->peak_bytes, s->compute_seconds, parts.compute);
  for (uint32_t i = 0; i < SLACK_COUNT; i++)
    printf(", \"sent%u\": [%.4g, %.4g, %.4g, %.4g, %.4g]", i, s->exposure.exposed[i],
           s->exposure.transfer[i], parts.transfer[i], s->exposure.latency[i], parts.latency[i]);
  printf(", \"var\": %u, \"kind\": %d, \"op\": \"%s\", \"strategy\": %u}\n", job->flipped,
         (int)var->kind, var->op ? op_name(m->p, var->op) : "", choice[job->flipped]);
}

static Status *list_plans(Job *job, const uint32_t *best, double cost) {
  const Model *m = &job->trial.model;
  uint32_t *choice = ARENA_ARRAY(&job->arena, uint32_t, m->vars.count + 1);
  uint32_t made = 0;
  is_new(job, best);
  for (uint32_t tries = 0; made < job->plans && tries < 100 * job->plans; tries++) {
    bool good;
    PlanValue value;
    const char *kind;
    Simulated s;
    TRY(neighbour(job, best, cost, choice, &value, &kind, &good));
    if (!good || !is_new(job, choice) || !simulate_choice(job, choice, &s)) continue;
    made++;
    print_plan(job, kind, choice, &value, &s);
  }
  return NULL;
}

static Status *climb(Job *job, uint32_t *from, double seconds) {
  const Model *m = &job->trial.model;
  uint32_t *choice = ARENA_ARRAY(&job->arena, uint32_t, m->vars.count + 1);
  double limit = job->trial.plan->usable_bytes;
  job->seen.count = 0;
  for (uint32_t tries = 0, runs = 0; runs < job->climbs && tries < 100 * job->climbs; tries++) {
    bool good;
    PlanValue value;
    const char *kind;
    Simulated s;
    double cost = (double)problem_evaluate(&m->problem, from).cost;
    TRY(neighbour(job, from, cost, choice, &value, &kind, &good));
    if (!good || !is_new(job, choice) || !simulate_choice(job, choice, &s)) continue;
    runs++;
    if (s.seconds >= seconds || s.peak_bytes > limit) continue;
    seconds = s.seconds;
    memcpy(from, choice, m->vars.count * sizeof *from);
  }
  printf("{\"climbed\": %.9g}\n", seconds);
  return NULL;
}

// Rounds of the planner; the best solution's prices remain set.
static Status *find_best(Job *job, uint32_t *out_best, double *out_seconds) {
  Trial *t = &job->trial;
  const Model *m = &t->model;
  uint32_t *choice = ARENA_ARRAY(&job->arena, uint32_t, m->vars.count + 1);
  Pricing pricing = pricing_serial, of_best = pricing_serial;
  *out_seconds = 0;
  for (uint32_t round = 0; round < 3; round++) {
    SolveResult solved;
    Simulated s;
    model_price(&t->model, &pricing, t->limit_bytes);
    TRY(solve_problem(&m->problem, &(SolveOptions){.level = 1}, job->guard, choice, &solved));
    if (solved.outcome != SOLVE_OPTIMAL && solved.outcome != SOLVE_FEASIBLE)
      FAIL(RESOURCE_EXHAUSTED, "no solution");
    if (!simulate_choice(job, choice, &s)) FAIL(INTERNAL, "refused");
    pricing = model_reprice(m, choice, &s.exposure, s.compute_seconds);
    Pricing parts;
    model_parts(m, choice, &pricing_serial, &parts);
    fprintf(stderr,
            "round %u: cost %.6g, simulated %.6g, compute %.6g (problem %.6g), transfer %.3g/%.3g "
            "%.3g/%.3g %.3g/%.3g latency %.3g/%.3g %.3g/%.3g %.3g/%.3g exposed %.3g %.3g %.3g, "
            "peak %.4g of problem %.4g\n",
            round, model_seconds(solved.cost), s.seconds, s.compute_seconds, parts.compute,
            s.exposure.transfer[0], parts.transfer[0], s.exposure.transfer[1], parts.transfer[1],
            s.exposure.transfer[2], parts.transfer[2], s.exposure.latency[0], parts.latency[0],
            s.exposure.latency[1], parts.latency[1], s.exposure.latency[2], parts.latency[2],
            s.exposure.exposed[0], s.exposure.exposed[1], s.exposure.exposed[2], s.peak_bytes,
            (double)solved.peak_bytes);
    if (*out_seconds > 0 && s.seconds >= *out_seconds) continue;
    *out_seconds = s.seconds;
    of_best = pricing;
    memcpy(out_best, choice, m->vars.count * sizeof *choice);
  }
  model_price(&t->model, &of_best, t->limit_bytes);
  job->offset = of_best.offset;
  return NULL;
}

static Status *near_body(Guard *guard, void *arg) {
  Job *job = arg;
  Trial *t = &job->trial;
  job->guard = guard;
  arena_init(&job->arena, guard);
  TRY(file_read(job->path, FILE_MOST_TEXT, &job->in.text, &job->in.source.size));
  job->in.source.text = job->in.text;
  job->in.source.path = job->path;
  TRY(read_input(guard, &job->in));
  plan_flatten(job->in.program, guard, &job->arena);
  PlanRequest request = {.level = 1, .annotations.meshes = &job->mesh, .annotations.n_meshes = 1};
  TRY(machine_find(job->machine, &job->machine_text));
  if (!job->machine_text) FAIL(INVALID_ARGUMENT, "no machine %s", job->machine);
  request.annotations.machine = job->machine_text;
  Plan plan = {0}, answer;
  TRY(plan_program(job->in.program, &request, guard, &job->arena, &answer));
  arena_guard(&job->arena, guard);
  printf("{\"answer\": %.9g, \"greedy\": %s, \"ops\": %u}\n", answer.best.seconds,
         answer.best.greedy ? "true" : "false", job->in.n_ops);
  plan.usable_bytes = answer.usable_bytes;
  trial_init(t, job->in.program, &request, job->mesh, &job->arena, &plan);
  t->guard = guard;
  strbuf_init(&t->text, guard);
  TRY(trial_extract(t, guard));
  const Model *m = &t->model;
  uint32_t *best = ARENA_ARRAY(&job->arena, uint32_t, m->vars.count + 1);
  double seconds;
  TRY(find_best(job, best, &seconds));
  double cost = (double)problem_evaluate(&m->problem, best).cost;
  printf("{\"best\": %.9g, \"cost\": %.9g}\n", seconds, cost * PLAN_UNIT + job->offset);
  flips_init(&job->flips, m, &job->arena);
  job->frees = ARENA_ARRAY(&job->arena, uint32_t, m->vars.count + 1);
  for (uint32_t v = 0; v < m->vars.count; v++)
    if (flips_is_free(&job->flips, v)) job->frees[job->n_frees++] = v;
  TRY(list_plans(job, best, cost));
  return climb(job, best, seconds);
}

int main(int argc, char **argv) {
  if (argc < 4) {
    fprintf(stderr, "usage: near_optimum FILE MACHINE MESH [PLANS [CLIMBS]]\n");
    return argc == 1 ? 0 : 2;
  }
  Job job = {.path = argv[1], .machine = argv[2], .mesh = argv[3], .seed = 1};
  job.plans = argc > 4 ? (uint32_t)atoi(argv[4]) : 200;
  job.climbs = argc > 5 ? (uint32_t)atoi(argv[5]) : 200;
  Status *status = guard_run(near_body, &job);
  if (status) fprintf(stderr, "near_optimum: %s\n", status_message(status));
  bool failed = status != NULL;
  status_free(status);
  trial_release(&job.trial);
  release_input(&job.in);
  arena_deinit(&job.arena);
  mem_free(job.machine_text);
  return failed ? 2 : 0;
}
