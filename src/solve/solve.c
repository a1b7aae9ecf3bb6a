// The solver, read from the last function up:
//
//   reduce      lossless; often the whole answer
//   ascend      memory prices raise the lower bound and give plans to start from. A narrow core is
//               minimized exactly at each price (elimination), others by message passing
//   certify     the bound again, rounding errors excluded
//   improve     large-neighbourhood moves on the best plan, on several threads
//   prove       branch and bound: with a small gap and a small core, the plan is proven optimal
//   shrink      strategies that no better plan has go, and all begins again on a smaller core
//   evaluate    the plan, expanded and priced from the problem itself
//
// Ascending and improving take turns: a cheaper plan gives better steps to the prices, and better
// prices steer the search. All stops when the plan's cost is within `gap` of the bound.
//
// Budgets count work (entries and points read), so the result does not depend on the machine.
#include "solve/solve.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "solve/ascend.h"
#include "solve/branch.h"
#include "solve/explore.h"
#include "solve/lanes.h"
#include "solve/peak.h"
#include "solve/restrict.h"

// Work per level. One unit is about a nanosecond.
static const uint64_t level_work[] = {0, UINT64_C(600000000), UINT64_C(20000000000)};
static const uint64_t fixed_work = UINT64_C(40000000);  // of solve_fixed

// Shares of the budget at which rounds end: small problems are done after the first. A round raises
// the bound for ASCENT of its time, then improves its own plan until FRESH, then the best one.
static const double rounds[] = {0.01, 0.05, 0.3, 1};
#define N_ROUNDS (sizeof rounds / sizeof *rounds)
#define ASCENT 0.5
#define WORK_PER_SECOND 5e8  // a low guess
#define FRESH 0.85
#define PROOF 0.15       // of a round, at most, for branch and bound
#define EXACT_PROOF 0.6  // … if the core is narrow
#define WITNESS 0.2      // of the budget, for the proof that no plan fits
#define SHRINK 0.1       // of the states must go for a smaller core

enum {
  SETTLE_SWEEPS = 40,
  FIRST_OFFER = 20,
  OFFER_EVERY = 100,
  CERTIFY_EVERY = 50,
  ROUND_SWEEPS = 200,
  EXACT_RUNS = 200,  // that a round's budget must allow
  EPOCHS = 64,       // of the lanes, per improvement
  LEAST_EPOCH = 500000,
  MOST_CORES = 8,
};

// One core and what works on it. The first is the reduction's; each next one is a restriction of
// the one before.
typedef struct Level {
  const Core *core;
  Restriction *restriction;  // NULL: the first
  Dual dual;
  Ascent ascent;
  Lanes lanes;
  State champion;  // best plan of earlier rounds, if it is part of this core
  bool has_champion;
  Branch *branch;  // NULL: the core is too large
} Level;

typedef struct Solver {
  const Problem *problem;
  const SolveOptions *options;
  ReduceOptions reduce;
  Guard *guard;
  Arena arena;
  const Core *core;  // the first
  Level levels[MOST_CORES], *level;
  uint32_t n_levels;
  uint32_t *best_x, *scratch;  // of the first core
  int64_t best_cost;           // INT64_MAX: no plan yet
  bool infeasible;
  uint64_t other_work;  // of branching and proofs
  int64_t bound;        // certified
  uint64_t budget;      // work
  double started;
  SolveResult *result;
} Solver;

// ---- budgets ----

static uint64_t work_done(const Solver *s) {
  uint64_t work = s->other_work;
  for (uint32_t i = 0; i < s->n_levels; i++) {
    const Level *l = &s->levels[i];
    work += l->dual.work + l->ascent.decoded.work + l->champion.work + lanes_work(&l->lanes);
  }
  return work;
}

// With a time limit the clock alone decides; the budget then only scales what single steps may
// take.
static bool is_late(const Solver *s, double share) {
  double limit = s->options->seconds;
  if (limit > 0) return clock_seconds() - s->started > share * limit;
  return work_done(s) > (uint64_t)(share * (double)s->budget);
}

static uint64_t work_left(const Solver *s, double share) {
  double limit = s->options->seconds, left;
  if (limit > 0)
    left = (share * limit - (clock_seconds() - s->started)) * WORK_PER_SECOND;
  else
    left = share * (double)s->budget - (double)work_done(s);
  return left > 0 ? (uint64_t)left : 0;
}

static void tell(const Solver *s, const char *stage) {
  guard_tell(s->guard, stage, work_done(s), s->budget);
}

// Nothing is left to do: the plan is proven optimal, or as near to it as the caller wants.
static bool is_enough(const Solver *s) {
  if (s->best_cost == INT64_MAX || s->bound == INT64_MIN) return false;
  return (double)s->best_cost - (double)s->bound <= s->options->gap * fabs((double)s->best_cost);
}

// ---- samples ----

// Full: every second one goes. The last one is always the present state.
static void sample(Solver *s) {
  SolveResult *r = s->result;
  SolveSample now = {work_done(s), s->best_cost, s->bound};
  SolveSample *last = r->n_samples ? &r->samples[r->n_samples - 1] : NULL;
  if (last && last->cost == now.cost && last->bound == now.bound) return;
  if (r->n_samples == SOLVE_MOST_SAMPLES) {
    r->n_samples /= 2;
    for (uint32_t i = 0; i < r->n_samples; i++) r->samples[i] = r->samples[2 * i];
  }
  r->samples[r->n_samples++] = now;
}

// ---- plans ----

// A plan of the present core that is cheaper than all before.
static void keep_plan(Solver *s, const State *plan) {
  if (plan->cost >= s->best_cost) return;
  s->best_cost = plan->cost;
  uint32_t n = s->level->core->n_vars;
  if (n) memcpy(s->best_x, plan->x, n * sizeof *plan->x);
  for (const Level *l = s->level; l->restriction; l--) {
    restriction_expand(l->restriction, s->best_x, s->scratch);
    memcpy(s->best_x, s->scratch, l->restriction->from->n_vars * sizeof *s->best_x);
  }
  sample(s);
}

static void offer(Solver *s, const uint32_t *x, uint64_t most_work) {
  Lanes *lanes = &s->level->lanes;
  lanes_offer(lanes, x, most_work);
  if (lanes->found) keep_plan(s, &lanes->best);
}

// The better of the round's plan and the best of earlier rounds becomes both.
static void meet_champion(Solver *s) {
  Level *l = s->level;
  State *best = &l->lanes.best;
  if (l->has_champion && (!l->lanes.found || l->champion.cost < best->cost)) {
    state_copy(best, &l->champion);
    l->lanes.found = true;
  } else if (l->lanes.found) {
    state_copy(&l->champion, best);
    l->has_champion = true;
    keep_plan(s, best);
  }
}

// ---- the bound ----

// A bound of a restricted core holds for the plans that are cheaper than the best one.
static void raise_bound(Solver *s, int64_t bound) {
  if (bound > s->best_cost) bound = s->best_cost;
  if (bound <= s->bound) return;
  s->bound = bound;
  sample(s);
}

// Sweeps at the best prices until the messages have settled, then the exact bound.
static void certify(Solver *s) {
  Dual *d = &s->level->dual;
  ascent_restore(&s->level->ascent);
  for (uint32_t i = 0; i < SETTLE_SWEEPS; i++) {
    double before = d->bound;
    dual_sweep(d);
    if (d->exact || (i > 3 && d->bound - before < 1e-9 * fabs(before))) break;
  }
  raise_bound(s, dual_certify(d));
}

static double upper(const Solver *s) {
  return s->best_cost < INT64_MAX ? (double)s->best_cost : (double)INFINITY;
}

// Whether the best plan may be optimal by the bound as it is known in floating point.
static bool looks_optimal(const Solver *s) {
  return upper(s) - s->level->ascent.best - (double)s->level->core->constant < 1;
}

// Steps of the prices; now and then the decoded plan is offered to the search.
static void ascend(Solver *s, double share) {
  Level *l = s->level;
  uint32_t next = FIRST_OFFER;
  uint64_t repair_work = 40 * l->core->n_entries + 1000000;
  while (!is_late(s, share) && !ascent_done(&l->ascent)) {
    ascent_step(&l->ascent, upper(s));
    uint32_t at = l->ascent.steps;
    const State *decoded = &l->ascent.decoded;
    bool better = state_feasible(decoded) && (double)decoded->cost < upper(s);
    bool due = at >= next || better;
    if (due) {
      if (at >= next) next = at + (at / 2 < OFFER_EVERY ? at / 2 : OFFER_EVERY);
      offer(s, decoded->x, repair_work);
      tell(s, "raising the bound");
    }
    if ((at % CERTIFY_EVERY && !due) || !looks_optimal(s)) continue;
    certify(s);
    if (is_enough(s)) return;
  }
}

// ---- improving ----

static Status *improve(Solver *s, double share) {
  Lanes *lanes = &s->level->lanes;
  double limit = s->options->seconds, deadline = limit > 0 ? s->started + share * limit : 0;
  uint64_t epoch = work_left(s, share) / (EPOCHS * LANE_COUNT);
  if (epoch < LEAST_EPOCH) epoch = LEAST_EPOCH;
  while (lanes->found && s->level->core->n_vars && !is_enough(s) && !is_late(s, share)) {
    TRY(lanes_run(lanes, s->options->threads, epoch, deadline));
    keep_plan(s, &lanes->best);
    tell(s, "improving the plan");
  }
  return NULL;
}

// ---- proofs ----

static void prove_by_branching(Solver *s, uint64_t most_work) {
  Level *l = s->level;
  if (!l->branch) return;
  Elimination *exact = l->dual.exact;
  ascent_restore(&l->ascent);
  l->dual.exact = NULL;  // branching needs messages
  for (uint32_t i = 0; i < (exact ? SETTLE_SWEEPS : 1); i++) dual_sweep(&l->dual);
  int64_t cost = s->best_cost;
  uint32_t *x = l->ascent.decoded.x;  // free until the next step
  bool complete = branch_run(l->branch, &l->dual, &cost, x, most_work, &s->other_work);
  l->dual.exact = exact;
  if (cost < s->best_cost) {
    state_set(&l->champion, x);
    l->has_champion = true;
    keep_plan(s, &l->champion);
  }
  if (complete) raise_bound(s, s->best_cost);
}

static void prove_by_exploring(Solver *s, uint64_t most_work) {
  Level *l = s->level;
  int64_t cost = s->best_cost;
  uint32_t *x = l->ascent.decoded.x;
  bool complete =
      explore_run(l->core, l->ascent.best_price, &cost, x, most_work, &s->other_work, &s->arena);
  if (cost < s->best_cost) {
    state_set(&l->champion, x);
    l->has_champion = true;
    keep_plan(s, &l->champion);
  }
  if (complete) raise_bound(s, s->best_cost);
}

// Tries to prove that the best plan is optimal. The last sweeps were at the best prices.
static void prove(Solver *s, double share) {
  if (s->best_cost == INT64_MAX || is_enough(s)) return;
  tell(s, "branch and bound");
  if (s->level->dual.exact)
    prove_by_exploring(s, (uint64_t)(EXACT_PROOF * share * (double)s->budget));
  else
    prove_by_branching(s, (uint64_t)(PROOF * share * (double)s->budget));
}

// ---- cores ----

// A narrow core is minimized exactly at any prices.
static void try_elimination(Solver *s) {
  Level *l = s->level;
  uint64_t most = s->budget / (l->core->n_points ? EXACT_RUNS : 4);
  l->dual.exact = elimination_new(l->core, most, &s->arena);
  if (!l->dual.exact) return;
  dual_sweep(&l->dual);
  if (l->dual.least >= CORE_BROKEN / 2) s->infeasible = true;
}

static void open_level(Solver *s, const Core *core, Restriction *restriction) {
  Level *l = s->level = &s->levels[s->n_levels++];
  *l = (Level){.core = core, .restriction = restriction};
  dual_init(&l->dual, core, &s->arena);
  ascent_init(&l->ascent, &l->dual, &s->arena);
  lanes_init(&l->lanes, core, l->ascent.best_price, &s->arena);
  state_init(&l->champion, core, &s->arena);
  if (core->n_entries <= BRANCH_MOST_ENTRIES && core->n_vars <= BRANCH_MOST_VARS)
    l->branch = branch_new(core, &s->arena);
}

// Prices and plan of the level above are where the new one starts.
static void inherit(Solver *s, const Level *above) {
  Level *l = s->level;
  for (uint32_t t = 0; t < l->core->n_points; t++)
    l->dual.price[t] = above->ascent.best_price[l->restriction->from_point[t]];
  dual_reprice(&l->dual);
  if (!above->has_champion) return;
  restriction_project(l->restriction, above->champion.x, s->scratch);
  lanes_offer(&l->lanes, s->scratch, 40 * l->core->n_entries + 1000000);
  if (l->lanes.found) keep_plan(s, &l->lanes.best);
}

// Takes the states out that no better plan has, if they are many.
static void shrink(Solver *s) {
  Level *l = s->level;
  if (s->n_levels == MOST_CORES || s->best_cost == INT64_MAX || is_enough(s)) return;
  bool *useless = ARENA_ARRAY(&s->arena, bool, l->core->n_states + 1);
  certify(s);
  uint32_t count = dual_find_useless(&l->dual, s->best_cost, useless);
  if (count < SHRINK * l->core->n_states) return;
  Restriction *r = ARENA_NEW(&s->arena, Restriction);
  restriction_init(r, l->core, useless, &s->arena);
  s->other_work += 4 * l->core->n_entries;
  if (r->empty) {
    raise_bound(s, s->best_cost);
    return;
  }
  open_level(s, &r->core, r);
  inherit(s, l);
  try_elimination(s);
  if (!s->infeasible) return;
  s->infeasible = false;  // no better plan, but there is one
  raise_bound(s, s->best_cost);
}

// ---- rounds ----

// Each round starts from a plan of its own, decoded at better prices than the last one's: improving
// an old plan further would keep it in its valley.
static Status *run_round(Solver *s, double begin, double end) {
  s->level->lanes.found = false;
  ascend(s, begin + ASCENT * (end - begin));
  certify(s);
  if (s->best_cost == INT64_MAX) offer(s, s->level->ascent.decoded.x, s->budget / 20);
  if (s->level->dual.exact) prove(s, (end - begin) / 2);
  TRY(improve(s, begin + FRESH * (end - begin)));
  meet_champion(s);
  prove(s, end - begin);
  meet_champion(s);
  TRY(improve(s, end));
  meet_champion(s);
  return NULL;
}

static void offer_start(Solver *s, const Reduction *reduction) {
  if (!s->options->start) return;
  reduction_project(reduction, s->options->start, s->scratch);
  offer(s, s->scratch, 40 * s->core->n_entries + 1000000);
  meet_champion(s);
}

static Status *solve_core(Solver *s, const Reduction *reduction) {
  s->best_x = ARENA_ARRAY(&s->arena, uint32_t, s->core->n_vars + 1);
  s->scratch = ARENA_ARRAY(&s->arena, uint32_t, s->core->n_vars + 1);
  open_level(s, s->core, NULL);
  try_elimination(s);
  if (s->infeasible) return NULL;
  offer_start(s, reduction);
  // A round too short for the prices to find their scale is left out.
  double begin = 0, least = ROUND_SWEEPS * 2 * (double)s->core->n_entries;
  for (uint32_t i = 0; i < N_ROUNDS && !is_enough(s); i++) {
    if (i + 1 < N_ROUNDS && (rounds[i] - begin) * (double)s->budget < least) continue;
    if (s->level->ascent.steps) ascent_resume(&s->level->ascent);
    TRY(run_round(s, begin, rounds[i]));
    begin = rounds[i];
    if (i + 1 < N_ROUNDS) shrink(s);
  }
  return NULL;
}

// ---- the result ----

// No plan was found, or none exists. The bytes that every plan needs decide.
static void find_witness(Solver *s) {
  SolveResult *r = s->result;
  Reduction *reduction;
  bool impossible;
  ReduceOptions options = s->reduce;
  options.any_limit = true;
  tell(s, "proving that no plan fits");
  reduce_problem(s->problem, &options, &s->arena, &reduction, &impossible);
  if (impossible) {
    r->outcome = SOLVE_INFEASIBLE;
    return;
  }
  int64_t time = 0, limit = s->problem->limit_bytes;
  int64_t least = peak_least_bytes(reduction_core(reduction), &s->arena,
                                   (uint64_t)(WITNESS * (double)s->budget), &time, &s->other_work);
  if (least > limit) r->outcome = SOLVE_INFEASIBLE;
  if (r->outcome != SOLVE_INFEASIBLE) return;
  // Proven by the reductions: a byte more than the limit at least.
  r->least_bytes = least > limit ? least : limit < INT64_MAX ? limit + 1 : limit;
  r->infeasible_time = time;
}

// The plan that was given stays if it is better.
static void compare_start(Solver *s, uint32_t *out_choice) {
  SolveResult *r = s->result;
  const uint32_t *start = s->options->start;
  if (!start || (s->reduce.fix && start[s->reduce.fixed_var] != s->reduce.fixed_strategy)) return;
  PlanValue value = problem_evaluate(s->problem, start);
  bool has_plan = r->outcome == SOLVE_OPTIMAL || r->outcome == SOLVE_FEASIBLE;
  if (!plan_feasible(s->problem, &value) || (has_plan && value.cost >= r->cost)) return;
  if (s->problem->vars.count) memcpy(out_choice, start, s->problem->vars.count * sizeof *start);
  r->cost = value.cost;
  r->peak_bytes = value.peak_bytes;
  r->outcome = value.cost <= r->bound ? SOLVE_OPTIMAL : SOLVE_FEASIBLE;
}

static Status *finish(Solver *s, const Reduction *reduction, uint32_t *out_choice) {
  SolveResult *r = s->result;
  r->core_vars = s->core->n_vars;
  r->core_edges = s->core->n_edges;
  r->core_points = s->core->n_points;
  for (uint32_t i = 0; i < s->n_levels; i++) r->price_steps += s->levels[i].ascent.steps;
  r->work = work_done(s);
  r->bound = s->bound;
  r->outcome = s->infeasible ? SOLVE_INFEASIBLE : SOLVE_NOT_FOUND;
  if (s->best_cost < INT64_MAX) {
    reduction_expand(reduction, s->best_x, out_choice);
    PlanValue value = problem_evaluate(s->problem, out_choice);
    if (value.cost != s->best_cost || value.peak_bytes > s->problem->limit_bytes)
      FAIL(INTERNAL, "the plan's cost or memory differs from the reduced problem's");
    r->cost = value.cost;
    r->peak_bytes = value.peak_bytes;
    r->outcome = value.cost <= s->bound ? SOLVE_OPTIMAL : SOLVE_FEASIBLE;
  }
  if (!s->infeasible) compare_start(s, out_choice);
  if (r->outcome == SOLVE_NOT_FOUND || r->outcome == SOLVE_INFEASIBLE) find_witness(s);
  sample(s);
  return NULL;
}

static Status *run(Solver *s, uint32_t *out_choice) {
  Reduction *reduction;
  bool infeasible;
  guard_tell(s->guard, "reducing", 0, 0);
  reduce_problem(s->problem, &s->reduce, &s->arena, &reduction, &infeasible);
  s->result->reduced = reduction_counts(reduction);
  if (infeasible) {
    s->result->outcome = SOLVE_INFEASIBLE;
    find_witness(s);
    return NULL;
  }
  s->core = reduction_core(reduction);
  TRY(solve_core(s, reduction));
  return finish(s, reduction, out_choice);
}

static Status *solve(const Problem *problem, const SolveOptions *options, ReduceOptions reduce,
                     uint64_t budget, Guard *guard, uint32_t *out_choice, SolveResult *out) {
  *out = (SolveResult){.bound = INT64_MIN};
  Solver s = {.problem = problem, .options = options, .reduce = reduce, .guard = guard};
  s.result = out;
  s.budget = budget * (options->work_scale ? options->work_scale : 1);
  if (options->seconds > 0) s.budget = (uint64_t)(fmin(options->seconds, 1e6) * WORK_PER_SECOND);
  s.started = clock_seconds();
  s.bound = INT64_MIN;
  s.best_cost = INT64_MAX;
  arena_init(&s.arena, guard);
  GuardCleanup cleanup = {arena_release, &s.arena, NULL};
  guard_push(guard, &cleanup);
  Status *status = run(&s, out_choice);
  guard_pop(guard, &cleanup);
  arena_deinit(&s.arena);
  return status;
}

Status *solve_problem(const Problem *problem, const SolveOptions *options, Guard *guard,
                      uint32_t *out_choice, SolveResult *out) {
  uint32_t level = options->level < 1 ? 1 : options->level > 2 ? 2 : options->level;
  uint64_t budget = options->quick ? fixed_work : level_work[level];
  return solve(problem, options, (ReduceOptions){0}, budget, guard, out_choice, out);
}

Status *solve_fixed(const Problem *problem, const SolveOptions *options, uint32_t var,
                    uint32_t strategy, Guard *guard, uint32_t *out_choice, SolveResult *out) {
  if (var >= problem->vars.count || strategy >= problem->vars.items[var].n)
    FAIL(INVALID_ARGUMENT, "variable %u has no strategy %u", var, strategy);
  ReduceOptions reduce = {.fix = true, .fixed_var = var, .fixed_strategy = strategy};
  return solve(problem, options, reduce, fixed_work, guard, out_choice, out);
}

#define BOUND_GAP 0.005  // a bound this near to a plan is not raised further

static void release_choice(void *choice) { mem_free(choice); }

Status *solve_bound(const Problem *problem, Guard *guard, int64_t *out_bound,
                    bool *out_infeasible) {
  SolveResult result;
  SolveOptions options = {.level = 1, .gap = BOUND_GAP};
  uint32_t *choice = mem_alloc((problem->vars.count + 1) * sizeof *choice);
  if (!choice) return status_no_memory();
  GuardCleanup cleanup = {release_choice, choice, NULL};
  guard_push(guard, &cleanup);
  Status *status = solve(problem, &options, (ReduceOptions){0}, fixed_work, guard, choice, &result);
  guard_pop(guard, &cleanup);
  mem_free(choice);
  if (status) return status;
  *out_bound = result.bound;
  *out_infeasible = result.outcome == SOLVE_INFEASIBLE;
  return NULL;
}
