// Problem: find the mesh and the shardings with which a step takes the least time and fits.
//
// Idea: plan for each mesh shape (plan_trial.c); the least simulated time wins.
//
// Invariant: the program is not changed. Budgets count work, so the same program gives the same
// plan.
//
// Cost: meshes · (model + solve + compile).
#include "pipeline/plan.h"

#include "ops/op.h"
#include "pipeline/plan_private.h"

typedef VEC(const char *) TextVec;

// Shapes of one and two axes; with level 2 also of three. The last axis joins neighbours.
static void list_meshes(uint32_t n, uint32_t level, Arena *arena, TextVec *out) {
  VEC_PUSH(arena, out, arena_printf(arena, "x=%u", n));
  for (uint32_t x = 2; x < n; x++) {
    if (n % x) continue;
    VEC_PUSH(arena, out, arena_printf(arena, "x=%u,y=%u", x, n / x));
    for (uint32_t y = 2; level > 1 && y < n / x; y++)
      if (n / x % y == 0)
        VEC_PUSH(arena, out, arena_printf(arena, "x=%u,y=%u,z=%u", x, y, n / x / y));
  }
}

static bool has_mesh(const Program *p) {
  for (OpId o = module_first(p); o; o = op_at(p, o)->next)
    if (op_at(p, o)->code == OP_sdy_mesh) return true;
  return false;
}

Status *plan_program(const Program *program, const PlanRequest *request, Guard *guard, Arena *arena,
                     Plan *out) {
  TextVec meshes = {0};
  if (!request->devices && !request->annotations.n_meshes && !has_mesh(program))
    FAIL(INVALID_ARGUMENT, "how many devices? Give the machine a shape (--machine h100:8x4), "
                           "--devices N, or a mesh (--mesh data=8,model=4)");
  if (request->annotations.n_meshes || !request->devices || has_mesh(program))
    VEC_PUSH(arena, &meshes, request->annotations.n_meshes ? request->annotations.meshes[0] : NULL);
  else
    list_meshes(request->devices, request->level, arena, &meshes);
  PlanTrial *trials = ARENA_ARRAY(arena, PlanTrial, meshes.count + 1);
  double model = 0, solve = 0, check = 0;
  for (uint32_t i = 0; i < meshes.count; i++) {
    Plan plan;
    guard_tell(guard, "planning", i, meshes.count);
    bool explain = i + 1 == meshes.count && (!i || !out->decisions);
    TRY(plan_try_mesh(program, request, meshes.items[i], explain, arena, &plan));
    trials[i] = plan.best;
    model += plan.model_seconds, solve += plan.solve_seconds, check += plan.check_seconds;
    double usable = plan.usable_bytes > 0 ? plan.usable_bytes : out->usable_bytes;
    if (plan.shortfall || !i || plan_is_better(&plan.best, &out->best, usable)) *out = plan;
  }
  if (out->decisions && out->best.peak_bytes > out->usable_bytes) {
    out->decisions = NULL;
    out->best.refused =
        arena_printf(arena, "the best plan found needs %.0f bytes per device, of %.0f",
                     out->best.peak_bytes, out->usable_bytes);
  }
  out->trials = trials;
  out->program = program_hash(program);
  out->n_trials = meshes.count;
  out->model_seconds = model, out->solve_seconds = solve, out->check_seconds = check;
  return NULL;
}
