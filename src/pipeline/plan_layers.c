// Problem: a step of 100 equal layers shall be planned in the time that a few of them take.
//
// Idea: drop layers (plan/contract.h), by stages:
//
//   whole     the program
//   base      as many layers as 25,000 ops have; the whole program if it is not larger
//   more      8 layers of it
//   few       4 layers
//   model     2 layers, for the problem that is solved. Its seconds and bytes count all layers
//
// Each solution is partitioned and simulated with few layers and with more. Seconds are linear in
// the number of layers, but for collectives that are combined up to a number of bytes, over some
// layers. So the best solution is once more simulated with the base, which covers several of these.
// Memory is linear at every op, but not its peak, which may move to another op: it is the largest
// of the extrapolated sums.
//
//   seconds(n) = seconds(8) + (n - 8) / (8 - 4) · (seconds(8) - seconds(4))
//
// At level 2 only the model is contracted: candidates are simulated with all layers.
//
// Invariant: ops of dropped layers get the decisions of their layer's representative, so decisions
// for each stage follow from the model's.
//
// Cost: O(program).
#include <math.h>

#include "ops/functions.h"
#include "pipeline/plan_private.h"

enum { MODEL_LAYERS = 3, FEW_LAYERS = 4, MORE_LAYERS = 8, LEAST_LAYERS = 12 };

// Programs with fewer ops are planned as they are; the base has about as many as BASE_OPS.
enum { LEAST_OPS = 20000, BASE_OPS = 25000 };

// Annotations by number are about the whole program.
static bool may_contract(const Program *p, const PlanRequest *request) {
  uint32_t least = request->contract_ops ? request->contract_ops : LEAST_OPS;
  const PropagateRequest *r = &request->annotations;
  return !request->untied && p->ops.count >= least && !r->n_rules && !r->layout && !r->names &&
         !r->allow_arguments && !r->allow_results;
}

static uint32_t count_layers(const Layers *l) {
  return l->n_runs ? (uint32_t)(l->end - l->first) : 0;
}

// How many layers the base keeps. Ops in regions count with the op around them.
static uint32_t base_layers(const Program *p, const Layers *l, uint32_t most_ops) {
  double ops = 0, scale = l->n_ops ? (double)p->ops.count / l->n_ops : 1;
  for (uint32_t i = 0; i < l->n_runs; i++) ops += scale * l->runs[i].period;
  double rest = p->ops.count - ops * count_layers(l);
  double keep = ops > 0 ? (most_ops - rest) / ops : 0;
  return keep < (double)LEAST_LAYERS ? LEAST_LAYERS
         : keep < UINT32_MAX         ? (uint32_t)keep
                                     : UINT32_MAX;
}

// ---- maps ----

static uint32_t *compose(uint32_t n, const uint32_t *first, const uint32_t *second, Arena *arena) {
  uint32_t *both = ARENA_ARRAY(arena, uint32_t, n + 1);
  for (uint32_t i = 0; i < n; i++) both[i] = first ? second[first[i]] : second[i];
  return both;
}

// The whole program as a target, through the base that the model comes from.
static PlanTarget whole_target(const PlanLayers *l, const Program *p, OpId entry, Arena *arena) {
  const Contraction *base = l->base.program ? &l->base : NULL;
  uint32_t n_in = function_n_arguments(p, entry), n_out = function_n_results(p, entry);
  return (PlanTarget){p,
                      entry,
                      n_in,
                      n_out,
                      compose(p->ops.count, base ? base->ops : NULL, l->model.ops, arena),
                      compose(n_in, base ? base->arguments : NULL, l->model.arguments, arena),
                      compose(n_out, base ? base->results : NULL, l->model.results, arena)};
}

// Another contraction of the base as a target.
static PlanTarget target_of(const PlanLayers *l, const Contraction *c, Arena *arena) {
  const Contraction *model = &l->model;
  uint32_t n_in = function_n_arguments(c->program, c->entry);
  uint32_t n_out = function_n_results(c->program, c->entry);
  uint32_t *arguments = ARENA_ARRAY(arena, uint32_t, n_in + 1);
  uint32_t *results = ARENA_ARRAY(arena, uint32_t, n_out + 1);
  for (uint32_t i = 0; i < c->n_arguments; i++)
    if (c->kept_argument[i]) arguments[c->arguments[i]] = model->arguments[i];
  for (uint32_t i = 0; i < c->n_results; i++)
    if (c->kept_result[i]) results[c->results[i]] = model->results[i];
  const OpId *ops = compose(c->program->ops.count, c->origin, model->ops, arena);
  return (PlanTarget){c->program, c->entry, n_in, n_out, ops, arguments, results};
}

// State of a contracted program: pairs of which both are kept.
static uint32_t *contract_state(const Contraction *c, const uint32_t *state, Arena *arena) {
  uint32_t *kept = ARENA_ARRAY(arena, uint32_t, function_n_arguments(c->program, c->entry) + 1);
  for (uint32_t i = 0; i < c->n_arguments; i++)
    if (c->kept_argument[i] && state[i] && c->kept_result[state[i] - 1])
      kept[c->arguments[i]] = c->results[state[i] - 1] + 1;
  return kept;
}

static double *count_times(const uint32_t *map, uint32_t n, uint32_t n_to, Arena *arena) {
  double *times = ARENA_ARRAY(arena, double, n_to + 1);
  for (uint32_t i = 0; i < n; i++) times[map[i]]++;
  return times;
}

// The model's ops, arguments and results stand for those of the whole program, not of the base.
static void count_whole(PlanLayers *l, Arena *arena) {
  Contraction *m = &l->model;
  const PlanTarget *whole = &l->whole;
  const Program *p = whole->program;
  uint32_t n = m->program->ops.count;
  Repeat *repeats = arena_copy(arena, m->repeats, n * sizeof *repeats);
  for (uint32_t i = 0; i < n; i++) repeats[i].times = 0;
  for (OpId op = p->root; op; op = op_walk_next(p, op, p->root)) repeats[whole->ops[op]].times++;
  m->repeats = repeats;
  m->argument_times = count_times(whole->arguments, whole->n_arguments,
                                  function_n_arguments(m->program, m->entry), arena);
  m->result_times = count_times(whole->results, whole->n_results,
                                function_n_results(m->program, m->entry), arena);
}

// ---- contraction ----

static bool contract_base(const Program *p, OpId entry, const PlanRequest *request, Guard *guard,
                          Arena *arena, Layers *layers, PlanLayers *out) {
  uint32_t most = request->base_ops ? request->base_ops : BASE_OPS;
  layers_find(p, entry, arena, layers);
  out->n_layers = count_layers(layers);
  uint32_t keep = request->level > 1 ? UINT32_MAX : base_layers(p, layers, most);
  out->base_program = p;
  out->base_entry = entry;
  if (out->n_layers < LEAST_LAYERS) return false;
  if (keep >= out->n_layers) return true;
  if (!contract(p, entry, layers, keep, guard, arena, &out->base)) return false;
  out->base_dropped = out->n_layers - keep;
  out->base_program = out->base.program;
  out->base_entry = out->base.entry;
  layers_find(out->base_program, out->base_entry, arena, layers);
  return count_layers(layers) >= LEAST_LAYERS - 2;
}

// The programs that stand for p; false if it cannot be contracted.
static bool contract_all(const Program *p, OpId whole_entry, const PlanRequest *request,
                         Guard *guard, Arena *arena, PlanLayers *out) {
  Layers layers;
  if (!contract_base(p, whole_entry, request, guard, arena, &layers, out)) return false;
  const Program *base = out->base_program;
  OpId entry = out->base_entry;
  if (!contract(base, entry, &layers, MODEL_LAYERS, guard, arena, &out->model) ||
      !contract(base, entry, &layers, FEW_LAYERS, guard, arena, &out->few) ||
      !contract(base, entry, &layers, MORE_LAYERS, guard, arena, &out->more))
    return false;
  out->few_dropped = out->base_dropped + count_layers(&layers) - FEW_LAYERS;
  out->more_dropped = out->base_dropped + count_layers(&layers) - MORE_LAYERS;
  out->whole = whole_target(out, p, whole_entry, arena);
  out->of_few = target_of(out, &out->few, arena);
  out->of_more = target_of(out, &out->more, arena);
  const Contraction *m = &out->model;
  out->of_base =
      (PlanTarget){base, entry, m->n_arguments, m->n_results, m->ops, m->arguments, m->results};
  return true;
}

Status *plan_contract(const Program *p, const PlanRequest *request, Guard *guard, Arena *arena,
                      PlanLayers *out, bool *out_contracted) {
  *out_contracted = false;
  if (!may_contract(p, request)) return NULL;
  Entries entries = program_entries(p, arena);
  if (!entries.n || !contract_all(p, entries.v[0], request, guard, arena, out)) return NULL;
  uint32_t *state;
  TRY(plan_pair_state(p, entries.v[0], request, arena, &state));
  out->state = state;
  if (out->base.program) state = contract_state(&out->base, state, arena);
  out->model_state = contract_state(&out->model, state, arena);
  count_whole(out, arena);
  *out_contracted = true;
  return NULL;
}

void plan_release_layers(void *layers) {
  PlanLayers *l = layers;
  contract_release(&l->model);
  contract_release(&l->few);
  contract_release(&l->more);
  contract_release(&l->base);
}

// ---- extrapolation ----

// Per op of the base: the most bytes alive at a local op that is made from it. How many temporaries
// are in buffers of results is not linear in the layers, so none are.
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
                         double factor, Arena *arena) {
  uint32_t n = l->base_program->ops.count;
  double a = few->simulated->peak_bytes, b = more->simulated->peak_bytes, most = 0;
  const double *x = curve_of(few, &l->few, n, arena), *y = curve_of(more, &l->more, n, arena);
  for (uint32_t i = 0; i < n; i++)
    if (x[i] > 0 && y[i] > 0) most = fmax(most, y[i] + factor * (y[i] - x[i]));
  return most > 0 ? most : b + factor * (b - a);
}

// Extrapolates all numbers but the peak: *out = b + factor · (b - a).
static void extrapolate(const Simulated *a, const Simulated *b, double factor, Simulated *out) {
  Simulated s = *b;
#define LINEAR(field) s.field = b->field + factor * (b->field - a->field)
  LINEAR(seconds);
  LINEAR(compute_seconds);
  LINEAR(exposed_seconds);
  LINEAR(collective_seconds);
  LINEAR(bytes);
  LINEAR(flops);
  LINEAR(argument_bytes);
  LINEAR(result_bytes);
  LINEAR(undonated_bytes);
  for (uint32_t i = 0; i < SLACK_COUNT; i++) {
    LINEAR(exposure.transfer[i]);
    LINEAR(exposure.latency[i]);
    LINEAR(exposure.exposed[i]);
    s.exposure.exposed[i] = fmax(0, s.exposure.exposed[i]);
  }
#undef LINEAR
  s.exposed_seconds = fmax(0, s.exposed_seconds);
  s.seconds = s.compute_seconds + s.exposed_seconds;
  double used = a->utilization * a->seconds, more_used = b->utilization * b->seconds;
  s.utilization = s.seconds > 0 ? (more_used + factor * (more_used - used)) / s.seconds : 0;
  *out = s;
}

void plan_extrapolate(const PlanLayers *l, const Prediction *few, const Prediction *more,
                      Arena *arena, Simulated *out) {
  double factor = l->more_dropped / (double)(l->few_dropped - l->more_dropped);
  extrapolate(few->simulated, more->simulated, factor, out);
  out->peak_bytes = peak_bytes(l, few, more, factor, arena);
}

// What temporaries in buffers of results save at least, if the program has more layers.
static double shared_bytes(const Simulated *s) {
  double most = 0;
  for (uint32_t i = 0; s->block && i < s->block->n; i++)
    most = fmax(most, s->block->unshared_curve[i]);
  return fmax(0, most - s->peak_bytes);
}

void plan_refine(const PlanLayers *l, const Simulated *more, const Simulated *base,
                 Simulated *out) {
  double peak = out->peak_bytes - shared_bytes(base);
  double factor = l->base_dropped / (double)(l->more_dropped - l->base_dropped);
  extrapolate(more, base, factor, out);
  out->peak_bytes = l->base_dropped ? peak : base->peak_bytes;
}
