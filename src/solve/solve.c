// The solver, read from the last function up:
//
//   reduce      lossless; often the whole answer
//   eliminate   the exact answer, if memory cannot bind and the core is narrow
//   ascend      message passing with memory prices: the lower bound, and plans to start from
//   certify     the bound again, in exact arithmetic
//   prove       branch and bound: with a small gap and a small core, the plan is proven optimal
//   search      large-neighbourhood moves on the best plan, until the work budget is used
//   evaluate    the plan, expanded and priced from the problem itself
//
// Ascending and searching take turns: a cheaper plan gives better steps to the prices, and better
// prices steer the search. The plan is optimal when its cost equals the bound; then all stops.
//
// Budgets count work (entries and points read), so the result does not depend on the machine.
#include "solve/solve.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "solve/ascend.h"
#include "solve/branch.h"
#include "solve/eliminate.h"
#include "solve/search.h"

// Work per level. One unit is about a nanosecond.
static const uint64_t level_work[] = {0, UINT64_C(600000000), UINT64_C(12000000000)};

// Shares of the budget at which rounds end: small problems are done after the first. A round raises
// the bound for ASCENT of its time, then improves its own plan until FRESH, then the best one.
static const double rounds[] = {0.01, 0.05, 0.3, 1};
#define N_ROUNDS (sizeof rounds / sizeof *rounds)
#define ASCENT 0.5
#define WORK_PER_SECOND 2e8  // a low guess
#define FRESH 0.85
#define PROOF 0.15  // of the budget, at most, for branch and bound

enum {
  SETTLE_SWEEPS = 40,
  FIRST_OFFER = 20,
  OFFER_EVERY = 100,
  CERTIFY_EVERY = 50,
  ROUND_SWEEPS = 200,
  EXACT_MOST_VARS = 4000,
};

typedef struct Solver {
  const Problem *problem;
  const SolveOptions *options;
  Guard *guard;
  Arena arena;
  const Core *core;
  Dual dual;
  Ascent ascent;
  Search search;
  State champion;  // best plan of earlier rounds
  bool has_champion, infeasible;
  Branch *branch;  // NULL: the core is too large
  uint64_t branch_work;
  int64_t bound;    // certified
  uint64_t budget;  // work
  double started;
  SolveResult *result;
} Solver;

static uint64_t work_done(const Solver *s) {
  return s->dual.work + s->ascent.decoded.work + s->branch_work + search_work(&s->search);
}

// With a time limit the clock alone decides; the budget then only scales what single steps may
// take.
static bool is_late(const Solver *s, double share) {
  double limit = s->options->seconds;
  if (limit > 0) return clock_seconds() - s->started > share * limit;
  return work_done(s) > (uint64_t)(share * (double)s->budget);
}

static void tell(const Solver *s, const char *stage) {
  guard_tell(s->guard, stage, work_done(s), s->budget);
}

static int64_t best_cost(const Solver *s) {
  int64_t cost = s->search.found ? s->search.best.cost : INT64_MAX;
  return s->has_champion && s->champion.cost < cost ? s->champion.cost : cost;
}

static bool is_optimal(const Solver *s) { return best_cost(s) <= s->bound; }

// Sweeps at the best prices until the messages have settled, then the exact bound.
static void certify(Solver *s) {
  Dual *d = &s->dual;
  ascent_restore(&s->ascent);
  for (uint32_t i = 0; i < SETTLE_SWEEPS; i++) {
    double before = d->bound;
    dual_sweep(d);
    if (i > 3 && d->bound - before < 1e-9 * fabs(before)) break;
  }
  int64_t bound = dual_certify(d);
  if (bound > s->bound) s->bound = bound;
}

static double upper(const Solver *s) {
  int64_t cost = best_cost(s);
  return cost < INT64_MAX ? (double)cost : (double)INFINITY;
}

// Steps of the prices; now and then the decoded plan is offered to the search.
static void ascend(Solver *s, double share) {
  uint32_t next = FIRST_OFFER;
  uint64_t repair_work = 200 * s->core->n_entries + 1000000;
  while (!is_late(s, share) && !ascent_done(&s->ascent)) {
    ascent_step(&s->ascent, upper(s));
    uint32_t at = s->ascent.steps;
    const State *decoded = &s->ascent.decoded;
    bool better = state_feasible(decoded) && (double)decoded->cost < upper(s);
    if (at % CERTIFY_EVERY == 0 && upper(s) - s->ascent.best - (double)s->core->constant < 1) {
      certify(s);
      if (is_optimal(s)) return;
    }
    if (at < next && !better) continue;
    if (at >= next) next = at + (at / 2 < OFFER_EVERY ? at / 2 : OFFER_EVERY);
    search_offer(&s->search, decoded->x, repair_work);
    tell(s, "raising the bound");
  }
}

static void improve(Solver *s, double share) {
  for (uint32_t i = 1; s->search.found && !is_optimal(s) && !is_late(s, share); i++) {
    (void)search_step(&s->search);
    if (i % PROGRESS_EVERY == 0) tell(s, "improving the plan");
  }
}

// The better of the round's plan and the best of earlier rounds becomes both.
static void meet_champion(Solver *s) {
  State *best = &s->search.best;
  if (s->has_champion && (!s->search.found || s->champion.cost < best->cost)) {
    state_copy(best, &s->champion);
    s->search.found = true;
  } else if (s->search.found) {
    state_copy(&s->champion, best);
    s->has_champion = true;
  }
}

// Tries to prove that the best plan is optimal. The last sweeps were at the best prices.
static void prove(Solver *s, double share) {
  if (!s->branch || !s->has_champion || is_optimal(s)) return;
  tell(s, "branch and bound");
  ascent_restore(&s->ascent);
  dual_sweep(&s->dual);
  int64_t upper = s->champion.cost;
  uint32_t *x = s->ascent.decoded.x;  // free until the next step
  uint64_t most = (uint64_t)(PROOF * share * (double)s->budget);
  bool complete = branch_run(s->branch, &s->dual, &upper, x, most, &s->branch_work);
  if (upper < s->champion.cost) state_set(&s->champion, x);
  if (complete) s->bound = s->champion.cost;
}

// Each round starts from a plan of its own, decoded at better prices than the last one's: improving
// an old plan further would keep it in its valley.
static void run_round(Solver *s, double begin, double end) {
  s->search.found = false;
  ascend(s, begin + ASCENT * (end - begin));
  certify(s);
  if (best_cost(s) == INT64_MAX) search_offer(&s->search, s->ascent.decoded.x, s->budget / 20);
  improve(s, begin + FRESH * (end - begin));
  meet_champion(s);
  prove(s, end - begin);
  meet_champion(s);
  improve(s, end);
  meet_champion(s);
}

// Without a binding limit, a narrow core has an exact answer.
static bool solve_exactly(Solver *s) {
  int64_t cost;
  uint32_t *x = s->champion.x;
  if (s->core->n_points || s->core->n_vars > EXACT_MOST_VARS) return false;
  if (!eliminate_core(s->core, &s->arena, x, &cost, &s->branch_work)) return false;
  if (cost == CORE_FORBIDDEN) {
    s->infeasible = true;
    return true;
  }
  state_set(&s->champion, x);
  s->has_champion = true;
  s->bound = cost;
  meet_champion(s);
  return true;
}

static void solve_core(Solver *s) {
  dual_init(&s->dual, s->core, &s->arena);
  ascent_init(&s->ascent, &s->dual, &s->arena);
  search_init(&s->search, s->core, s->ascent.best_price, &s->arena);
  state_init(&s->champion, s->core, &s->arena);
  if (s->core->n_entries <= BRANCH_MOST_ENTRIES && s->core->n_vars <= BRANCH_MOST_VARS)
    s->branch = branch_new(s->core, &s->arena);
  s->bound = INT64_MIN;
  if (solve_exactly(s)) return;
  // A round too short for the prices to find their scale is left out.
  double begin = 0, least = ROUND_SWEEPS * 2 * (double)s->core->n_entries;
  for (uint32_t i = 0; i < N_ROUNDS && !is_optimal(s); i++) {
    if (i + 1 < N_ROUNDS && (rounds[i] - begin) * (double)s->budget < least) continue;
    if (s->ascent.steps) ascent_resume(&s->ascent);
    run_round(s, begin, rounds[i]);
    begin = rounds[i];
  }
}

static void finish(Solver *s, const Reduction *reduction, uint32_t *out_choice) {
  SolveResult *r = s->result;
  r->core_vars = s->core->n_vars;
  r->core_edges = s->core->n_edges;
  r->core_points = s->core->n_points;
  r->price_steps = s->ascent.steps;
  r->work = work_done(s);
  r->bound = s->bound;
  r->outcome = s->infeasible ? SOLVE_INFEASIBLE : SOLVE_NOT_FOUND;
  if (!s->search.found) return;
  reduction_expand(reduction, s->search.best.x, out_choice);
  PlanValue value = problem_evaluate(s->problem, out_choice);
  r->cost = value.cost;
  r->peak_bytes = value.peak_bytes;
  r->outcome = value.cost <= s->bound ? SOLVE_OPTIMAL : SOLVE_FEASIBLE;
}

static Status *run(Solver *s, uint32_t *out_choice) {
  Reduction *reduction;
  bool infeasible;
  guard_tell(s->guard, "reducing", 0, 0);
  reduce_problem(s->problem, NULL, &s->arena, &reduction, &infeasible);
  s->result->reduced = reduction_counts(reduction);
  if (infeasible) {
    s->result->outcome = SOLVE_INFEASIBLE;
    return NULL;
  }
  s->core = reduction_core(reduction);
  solve_core(s);
  finish(s, reduction, out_choice);
  if (s->result->outcome == SOLVE_FEASIBLE || s->result->outcome == SOLVE_OPTIMAL)
    if (s->result->cost != s->search.best.cost || s->result->peak_bytes > s->problem->limit_bytes)
      FAIL(INTERNAL, "the plan's cost or memory differs from the reduced problem's");
  return NULL;
}

Status *solve_problem(const Problem *problem, const SolveOptions *options, Guard *guard,
                      uint32_t *out_choice, SolveResult *out) {
  *out = (SolveResult){.bound = INT64_MIN};
  uint32_t level = options->level < 1 ? 1 : options->level > 2 ? 2 : options->level;
  Solver s = {.problem = problem, .options = options, .guard = guard, .result = out};
  s.budget = level_work[level] * (options->work_scale ? options->work_scale : 1);
  if (options->seconds > 0) s.budget = (uint64_t)(fmin(options->seconds, 1e6) * WORK_PER_SECOND);
  s.started = clock_seconds();
  arena_init(&s.arena, guard);
  GuardCleanup cleanup = {arena_release, &s.arena, NULL};
  guard_push(guard, &cleanup);
  Status *status = run(&s, out_choice);
  guard_pop(guard, &cleanup);
  arena_deinit(&s.arena);
  return status;
}
