// Problem: a step of 100 equal layers is planned in the time that a few of them take.
//
// Idea: plan a program with few of the layers (plan/contract.h), whose model counts those that were
// dropped. To predict the whole program, partition and simulate the solution with few layers and
// with one more. Seconds and bytes are linear in the number of layers. Memory is so at every op,
// but not its peak, which may move to another op: it is the largest of the extrapolated sums.
//
//   seconds(n) = seconds(k) + (n - k) · (seconds(k + 1) - seconds(k))
//
// Invariant: ops of one layer get the decisions of their layer's representative, so the decisions
// of the whole program follow from those of the contracted one.
//
// Cost: O(program).
#include <math.h>

#include "ops/functions.h"
#include "pipeline/plan_private.h"

enum { KEPT_LAYERS = 4 };

// Programs with fewer ops are planned as they are.
enum { LEAST_OPS = 20000 };

// Annotations by number are about the whole program.
static bool may_contract(const Program *p, const PlanRequest *request) {
  uint32_t least = request->contract_ops ? request->contract_ops : LEAST_OPS;
  const PropagateRequest *r = &request->annotations;
  return request->level < 2 && !request->untied && p->ops.count >= least && !r->n_rules &&
         !r->layout && !r->names && !r->allow_arguments && !r->allow_results;
}

static PlanTarget whole_target(const Program *p, OpId entry, const Contraction *c) {
  return (PlanTarget){p, entry, c->n_arguments, c->n_results, c->ops, c->arguments, c->results};
}

// The program with one more layer as a target, through the whole program that both come from.
static PlanTarget more_target(const PlanLayers *l, Arena *arena) {
  const Contraction *few = &l->few, *more = &l->more;
  uint32_t n_in = function_n_arguments(more->program, more->entry);
  uint32_t n_out = function_n_results(more->program, more->entry);
  OpId *ops = ARENA_ARRAY(arena, OpId, more->program->ops.count + 1);
  uint32_t *arguments = ARENA_ARRAY(arena, uint32_t, n_in + 1);
  uint32_t *results = ARENA_ARRAY(arena, uint32_t, n_out + 1);
  for (OpId op = 1; op < more->program->ops.count; op++) ops[op] = few->ops[more->origin[op]];
  for (uint32_t i = 0; i < more->n_arguments; i++)
    if (more->kept_argument[i]) arguments[more->arguments[i]] = few->arguments[i];
  for (uint32_t i = 0; i < more->n_results; i++)
    if (more->kept_result[i]) results[more->results[i]] = few->results[i];
  return (PlanTarget){more->program, more->entry, n_in, n_out, ops, arguments, results};
}

// State of the contracted program: pairs of the whole program of which both are kept.
static uint32_t *few_state(const PlanLayers *l, Arena *arena) {
  const Contraction *c = &l->few;
  uint32_t n = function_n_arguments(c->program, c->entry);
  uint32_t *state = ARENA_ARRAY(arena, uint32_t, n + 1);
  for (uint32_t i = 0; i < c->n_arguments; i++)
    if (c->kept_argument[i] && l->state[i] && c->kept_result[l->state[i] - 1])
      state[c->arguments[i]] = c->results[l->state[i] - 1] + 1;
  return state;
}

bool plan_contract(const Program *p, const PlanRequest *request, Guard *guard, Arena *arena,
                   PlanLayers *out) {
  if (!may_contract(p, request)) return false;
  Entries entries = program_entries(p, arena);
  Layers layers;
  if (!entries.n) return false;
  layers_find(p, entries.v[0], arena, &layers);
  if (!layers.n_runs || layers.end - layers.first < 2 * KEPT_LAYERS) return false;
  if (!contract(p, entries.v[0], &layers, KEPT_LAYERS, guard, arena, &out->few) ||
      !contract(p, entries.v[0], &layers, KEPT_LAYERS + 1, guard, arena, &out->more))
    return false;
  out->n_layers = (uint32_t)(layers.end - layers.first);
  out->n_kept = KEPT_LAYERS;
  out->state = plan_pair_state(p, entries.v[0], arena);
  out->few_state = few_state(out, arena);
  out->whole = whole_target(p, entries.v[0], &out->few);
  out->one_more = more_target(out, arena);
  return true;
}

void plan_release_layers(void *layers) {
  contract_release(&((PlanLayers *)layers)->few);
  contract_release(&((PlanLayers *)layers)->more);
}

// ---- extrapolation ----

// Per op of the whole program: the most bytes alive at a local op that is made from it. How many
// temporaries are in buffers of results is not linear in the layers, so none are.
static double *curve_of(const Prediction *prediction, const Contraction *c, uint32_t n_ops,
                        Arena *arena) {
  double *curve = ARENA_ARRAY(arena, double, n_ops + 1);
  const SimulatedBlock *block = prediction->simulated->block;
  for (uint32_t i = 0; block && i < block->n; i++) {
    OpId origin = op_at(prediction->program, block->ops[i])->origin;
    if (!origin || origin >= c->program->ops.count) continue;
    OpId op = c->origin[origin];
    if (block->unshared_curve[i] > curve[op]) curve[op] = block->unshared_curve[i];
  }
  return curve;
}

static double peak_bytes(const PlanLayers *l, const Prediction *few, const Prediction *more,
                         double layers, Arena *arena) {
  uint32_t n = l->whole.program->ops.count;
  double a = few->simulated->peak_bytes, b = more->simulated->peak_bytes, most = 0;
  const double *x = curve_of(few, &l->few, n, arena), *y = curve_of(more, &l->more, n, arena);
  for (uint32_t i = 0; i < n; i++)
    if (x[i] > 0 && y[i] > 0) most = fmax(most, x[i] + layers * (y[i] - x[i]));
  return most > 0 ? most : a + layers * (b - a);
}

void plan_extrapolate(const PlanLayers *l, const Prediction *few, const Prediction *more,
                      Arena *arena, Simulated *out) {
  const Simulated *a = few->simulated, *b = more->simulated;
  double layers = (double)l->n_layers - l->n_kept;
  *out = *a;
#define LINEAR(field) out->field = a->field + layers * (b->field - a->field)
  LINEAR(seconds);
  LINEAR(compute_seconds);
  LINEAR(exposed_seconds);
  LINEAR(collective_seconds);
  LINEAR(bytes);
  LINEAR(flops);
  LINEAR(argument_bytes);
  LINEAR(result_bytes);
  LINEAR(undonated_bytes);
#undef LINEAR
  double used = a->utilization * a->seconds, more_used = b->utilization * b->seconds;
  out->utilization = out->seconds > 0 ? (used + layers * (more_used - used)) / out->seconds : 0;
  out->peak_bytes = peak_bytes(l, few, more, layers, arena);
}
