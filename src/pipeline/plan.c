// Problem: find the mesh and the shardings with which a step takes the least time and fits.
//
// Idea: bound each mesh shape (plan_meshes.c), then plan for them (plan_trial.c), the most
// promising first. A mesh whose bound exceeds the best simulated step is discarded. The least
// simulated time wins.
//
// Invariant: the program is not changed. Budgets count work, so the same program gives the same
// plan.
//
// Cost: meshes · (model + bounds), and of those that are left · (model + solve + compile).
#include "pipeline/plan.h"

#include <math.h>

#include "base/clock.h"
#include "base/pool.h"
#include "ops/op.h"
#include "pipeline/plan_private.h"
#include "report/show_simulated.h"

bool plan_has_mesh(const Program *p) {
  for (OpId o = module_first(p); o; o = op_at(p, o)->next)
    if (op_at(p, o)->code == OP_sdy_mesh) return true;
  return false;
}

// The meshes of a request in the order in which they are planned.
typedef struct Search {
  const Program *program;
  const PlanRequest *request;
  Guard *guard;
  Arena *arena;
  PlanMeshVec meshes;
  PlanTrial *trials;
  double model, solve, check;  // seconds
} Search;

// A mesh that is bounded or planned, perhaps beside others. Tasks share only what they read.
typedef struct MeshTask {
  const Search *search;
  PlanMesh *mesh;
  Arena arena;         // of its results
  const Guard *outer;  // hears about progress; NULL = nobody
  bool bound, stop;    // by a bound while it is planned; after the bound
  bool explain;        // if nothing fits
  Plan plan;
  double solve;  // seconds of the bound
  Status *status;
} MeshTask;

static Status *bound_built(void *user, Session *session, Model *model, double limit_bytes,
                           bool *out_stop) {
  MeshTask *t = user;
  *out_stop = t->stop;
  double start = clock_seconds();
  TRY(plan_bound_mesh(session, model, limit_bytes, !t->stop, &t->arena, t->mesh));
  t->solve += clock_seconds() - start;
  return NULL;
}

static Status *task_body(Guard *guard, void *arg) {
  MeshTask *t = arg;
  arena_guard(&t->arena, guard);
  PlanHook hook = {.built = bound_built, .user = t, .climbs = true};
  return plan_try_mesh(t->search->program, t->search->request, t->mesh->text, t->explain,
                       t->bound ? &hook : NULL, t->outer, &t->arena, &t->plan);
}

static void run_task(void *arg, size_t index) {
  MeshTask *t = (MeshTask *)arg + index;
  t->status = guard_run(task_body, t);
}

// Runs tasks on the request's threads. What they allocated is then in the search's arena. Returns
// the first error.
static Status *run_tasks(Search *s, MeshTask *tasks, uint32_t n) {
  for (uint32_t i = 0; i < n; i++) arena_init(&tasks[i].arena, s->guard);
  Status *first = pool_run(s->request->threads > 1 ? s->request->threads : 1, n, run_task, tasks);
  for (uint32_t i = 0; i < n; i++) {
    MeshTask *t = &tasks[i];
    arena_adopt(s->arena, &t->arena);
    s->solve += t->solve;
    if (first)
      status_free(t->status);
    else
      first = t->status;
    t->status = NULL;
  }
  return first;
}

// As many tasks at once as there are threads: one, if rules of custom calls are functions of the
// user, which are called on one thread.
static uint32_t most_tasks(const Search *s) {
  uint32_t n = s->request->annotations.call_rules ? 1 : s->request->threads;
  return n > 1 ? n : 1;
}

static Status *bound_meshes(Search *s) {
  const PlanRequest *request = s->request;
  uint32_t most = most_tasks(s);
  MeshTask *tasks = ARENA_ARRAY(s->arena, MeshTask, most);
  double end = clock_seconds() + (request->time_limit > 0 ? 0.2 * request->time_limit : 1e9);
  for (uint32_t i = 0; i < s->meshes.count && clock_seconds() < end; i += most) {
    uint32_t n = s->meshes.count - i < most ? s->meshes.count - i : most;
    guard_tell(s->guard, "bounding meshes", i, s->meshes.count);
    for (uint32_t k = 0; k < n; k++)
      tasks[k] =
          (MeshTask){.search = s, .mesh = &s->meshes.items[i + k], .bound = true, .stop = true};
    TRY(run_tasks(s, tasks, n));
    for (uint32_t k = 0; k < n; k++) s->model += tasks[k].plan.model_seconds;
  }
  return NULL;
}

// Lists the meshes, with bounds if there are several. One mesh is bounded while it is planned.
static Status *find_meshes(Search *s) {
  const PlanRequest *request = s->request;
  const PropagateRequest *given = &request->annotations;
  if (!request->devices && !given->n_meshes && !plan_has_mesh(s->program))
    FAIL(INVALID_ARGUMENT, "how many devices? Give the machine a shape (--machine h100:8x4), "
                           "--devices N, or a mesh (--mesh data=8,model=4)");
  if (given->n_meshes || !request->devices || plan_has_mesh(s->program))
    VEC_PUSH(s->arena, &s->meshes, ((PlanMesh){.text = given->n_meshes ? given->meshes[0] : NULL}));
  else
    plan_list_meshes(request->devices, request->level, s->arena, &s->meshes);
  if (s->meshes.count > 1) TRY(bound_meshes(s));
  plan_sort_meshes(&s->meshes);
  return NULL;
}

#define KNOWN_MARGIN 1.05  // for a step whose bound is not known
#define EQUAL (1 - 1e-6)   // a mesh that can at best be as fast is of no use

// How much the problem's prices exceed the simulation, as far as the best plan shows it: its step
// may be below its own bound (small programs: launches, fusions).
static double overpriced(const Plan *best) {
  const PlanTrial *t = &best->best;
  return t->seconds > 0 ? fmax(1, t->overlap_bound_seconds / t->seconds) : 1;
}

// A device that reaches few of its FLOP/s spends the step with launches and latencies. The problem
// only estimates these, so bounds that differ by less say nothing.
#define LITTLE_USE 0.02
#define LAUNCH_MARGIN 1.05

// How far the bound of a mesh may exceed the best step.
static double bound_margin(const Plan *best) {
  return best->utilization < LITTLE_USE ? LAUNCH_MARGIN : EQUAL;
}

static const char *bound_words(const Search *s, const PlanMesh *mesh) {
  char seconds[32];
  return arena_printf(s->arena, "discarded: at the problem's prices a step takes at least %s",
                      simulated_seconds(mesh->overlap_seconds, seconds, sizeof seconds));
}

// A mesh that is not planned: why.
static const char *discard(const Search *s, const PlanMesh *mesh, const Plan *best) {
  double known = s->request->known_seconds;
  if (known > 0 && mesh->overlap_seconds > KNOWN_MARGIN * known) return bound_words(s, mesh);
  if (!best->decisions) return NULL;
  if (plan_is_late(s->request)) return "not planned: the time limit was over";
  bool fits = best->best.peak_bytes <= best->usable_bytes;
  if (!fits || mesh->overlap_seconds < bound_margin(best) * overpriced(best) * best->best.seconds)
    return NULL;
  return bound_words(s, mesh);
}

static PlanTrial unplanned(const PlanMesh *mesh, const char *why) {
  return (PlanTrial){.mesh = mesh->text,
                     .links = mesh->links,
                     .refused = why,
                     .discarded = true,
                     .bound_seconds = mesh->bound_seconds,
                     .overlap_bound_seconds = mesh->overlap_seconds};
}

static uint32_t count_axes(const char *mesh) {
  uint32_t n = 0;
  for (; mesh && *mesh; mesh++) n += *mesh == '=';
  return n;
}

// If two plans take the same time, the one with fewer axes is better.
static bool is_better(const PlanTrial *a, const PlanTrial *b, double usable) {
  bool alike = !a->refused && !b->refused && a->peak_bytes <= usable && b->peak_bytes <= usable &&
               fabs(a->seconds - b->seconds) <= 1e-6 * b->seconds;
  return alike ? count_axes(a->mesh) < count_axes(b->mesh) : plan_is_better(a, b, usable);
}

// A mesh that is not worth a plan. Returns whether it is one.
static bool drop_mesh(Search *s, uint32_t i, Plan *out) {
  PlanMesh *mesh = &s->meshes.items[i];
  const char *why = discard(s, mesh, out);
  if (!why) return false;
  s->trials[i] = unplanned(mesh, why);
  if (!out->best.mesh) out->best = s->trials[i];
  return true;
}

static void keep_mesh(Search *s, uint32_t i, MeshTask *t, Plan *out) {
  Plan *plan = &t->plan;
  PlanMesh *mesh = t->mesh;
  plan_bound_serial(mesh, plan->best.bound_seconds);
  plan->best.links = mesh->links;
  plan->best.overlap_bound_seconds = mesh->overlap_seconds;
  s->trials[i] = plan->best;
  s->model += plan->model_seconds, s->solve += plan->solve_seconds, s->check += plan->check_seconds;
  double usable = plan->usable_bytes > 0 ? plan->usable_bytes : out->usable_bytes;
  if (plan->shortfall || !i || is_better(&plan->best, &out->best, usable)) *out = *plan;
}

// Plans the meshes from i on that can win; returns how many were seen. The first plan discards most
// meshes, so it is awaited; the others are planned some at once. Results are taken in order, as if
// each mesh had waited for the one before: one that this discards is dropped.
static Status *try_meshes(Search *s, uint32_t i, Plan *out, uint32_t *out_seen) {
  uint32_t n_meshes = s->meshes.count, most = out->decisions ? most_tasks(s) : 1, n = 0, seen = 0;
  MeshTask *tasks = ARENA_ARRAY(s->arena, MeshTask, most);
  for (; i + seen < n_meshes && n < most; seen++) {
    uint32_t at = i + seen;
    bool explain = at + 1 == n_meshes && (!at || !out->decisions);
    if (discard(s, &s->meshes.items[at], out)) continue;
    tasks[n++] = (MeshTask){
        .search = s, .mesh = &s->meshes.items[at], .explain = explain, .bound = n_meshes == 1};
  }
  if (n == 1) tasks[0].outer = s->guard;
  TRY(run_tasks(s, tasks, n));
  for (uint32_t k = 0, next = 0; k < seen; k++) {
    bool planned = next < n && tasks[next].mesh == &s->meshes.items[i + k];
    MeshTask *t = planned ? &tasks[next++] : NULL;
    if (drop_mesh(s, i + k, out)) continue;
    if (t)
      keep_mesh(s, i + k, t, out);
    else
      seen = k;  // the best plan was another one when this mesh was passed over
  }
  *out_seen = seen;
  return NULL;
}

// Plans a program, or in place of it the contracted one of the request.
static Status *plan_all(const Program *program, const PlanRequest *request, Guard *guard,
                        Arena *arena, Plan *out) {
  const PlanLayers *layers = request->layers;
  Search s = {.program = layers ? layers->model.program : program,
              .request = request,
              .guard = guard,
              .arena = arena};
  *out = (Plan){0};
  TRY(find_meshes(&s));
  s.trials = ARENA_ARRAY(arena, PlanTrial, s.meshes.count + 1);
  for (uint32_t i = 0, seen = 0; i < s.meshes.count; i += seen) {
    guard_tell(guard, "planning", i, s.meshes.count);
    TRY(try_meshes(&s, i, out, &seen));
  }
  if (out->decisions && out->best.peak_bytes > out->usable_bytes) {
    out->decisions = NULL;
    out->best.refused =
        arena_printf(arena, "the best plan found needs %.0f bytes per device, of %.0f",
                     out->best.peak_bytes, out->usable_bytes);
  }
  out->trials = s.trials;
  out->program = program_hash(program);
  out->n_trials = s.meshes.count;
  out->hurried = request->time_limit > 0;
  out->model_seconds = s.model, out->solve_seconds = s.solve, out->check_seconds = s.check;
  return NULL;
}

Status *plan_program(const Program *program, const PlanRequest *given, Guard *guard, Arena *arena,
                     Plan *out) {
  if (given->tactics) return plan_tactics(program, given, guard, arena, out);
  PlanRequest request = *given;
  double start = clock_seconds();
  request.deadline = start + request.time_limit;
  PlanLayers layers = {0};
  GuardCleanup cleanup = {plan_release_layers, &layers, NULL};
  guard_push(guard, &cleanup);
  bool contracted;
  Status *status = plan_contract(program, &request, guard, arena, &layers, &contracted);
  if (contracted) request.layers = &layers;
  double seconds = clock_seconds() - start;
  if (!status) status = plan_all(program, &request, guard, arena, out);
  // Messages about memory are about the whole program.
  request.layers = NULL;
  if (!status && contracted && !out->decisions)
    status = plan_all(program, &request, guard, arena, out);
  if (!status) out->model_seconds += seconds;
  guard_pop(guard, &cleanup);
  plan_release_layers(&layers);
  return status;
}
