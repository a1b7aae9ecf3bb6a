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
  PlanMesh *at;  // that is bounded
  bool stop;     // after the bounds
  PlanTrial *trials;
  double model, solve, check;  // seconds
} Search;

static Status *bound_built(void *user, Session *session, Model *model, double limit_bytes,
                           bool *out_stop) {
  Search *s = user;
  *out_stop = s->stop;
  double start = clock_seconds();
  TRY(plan_bound_mesh(session, model, limit_bytes, !s->stop, s->arena, s->at));
  s->solve += clock_seconds() - start;
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
  s->stop = s->meshes.count > 1;
  PlanHook hook = {.built = bound_built, .user = s, .climbs = true};
  double start = clock_seconds(), most = request->time_limit > 0 ? 0.2 * request->time_limit : 1e9;
  for (uint32_t i = 0; s->stop && i < s->meshes.count && clock_seconds() - start < most; i++) {
    Plan plan;
    s->at = &s->meshes.items[i];
    guard_tell(s->guard, "bounding meshes", i, s->meshes.count);
    TRY(plan_try_mesh(s->program, request, s->at->text, false, &hook, NULL, s->arena, &plan));
    s->model += plan.model_seconds;
  }
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
  if (!fits || mesh->overlap_seconds < EQUAL * overpriced(best) * best->best.seconds) return NULL;
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

static Status *try_mesh(Search *s, uint32_t i, Plan *out) {
  Plan plan;
  PlanMesh *mesh = s->at = &s->meshes.items[i];
  const char *why = discard(s, mesh, out);
  if (why) {
    s->trials[i] = unplanned(mesh, why);
    if (!out->best.mesh) out->best = s->trials[i];
    return NULL;
  }
  PlanHook hook = {.built = bound_built, .user = s, .climbs = true};
  bool explain = i + 1 == s->meshes.count && (!i || !out->decisions), one = s->meshes.count == 1;
  TRY(plan_try_mesh(s->program, s->request, mesh->text, explain, one ? &hook : NULL, s->guard,
                    s->arena, &plan));
  plan_bound_serial(mesh, plan.best.bound_seconds);
  plan.best.links = mesh->links;
  plan.best.overlap_bound_seconds = mesh->overlap_seconds;
  s->trials[i] = plan.best;
  s->model += plan.model_seconds, s->solve += plan.solve_seconds, s->check += plan.check_seconds;
  double usable = plan.usable_bytes > 0 ? plan.usable_bytes : out->usable_bytes;
  if (plan.shortfall || !i || is_better(&plan.best, &out->best, usable)) *out = plan;
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
  s.stop = false;
  s.trials = ARENA_ARRAY(arena, PlanTrial, s.meshes.count + 1);
  for (uint32_t i = 0; i < s.meshes.count; i++) {
    guard_tell(guard, "planning", i, s.meshes.count);
    TRY(try_mesh(&s, i, out));
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
