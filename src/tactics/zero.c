// ZeRO (arXiv 1910.02054): state that data parallelism would replicate is sharded along a data
// axis. Stage 1: moments. Stage 2: and gradients, which are then reduce-scattered. Stage 3: and
// parameters, which are gathered where they are used.
//
// A parameter that stays replicated says so: otherwise propagation would carry the moments' axis
// through the update into the parameter, which is stage 3.
#include "tactics/tactics_private.h"

static uint32_t shard_state(Tactics *t, ArgumentKind kind, uint32_t axis, TacticStep *step) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < t->n_arguments; i++) {
    const TacticArgument *a = &t->arguments[i];
    TacticSharding *s = &t->shardings[i];
    int32_t d = a->kind == kind ? shard_largest(t, s, a->sizes, a->rank, axis) : -1;
    if (d < 0 || !shard_dim(t, s, a->sizes, a->rank, (uint32_t)d, axis)) continue;
    shard_tell(t, step, view_argument_name(t, i), s, a->rank);
    n++;
  }
  return n;
}

static void keep_parameters(Tactics *t, uint32_t axis) {
  for (uint32_t i = 0; i < t->n_arguments; i++)
    if (t->arguments[i].kind == ARGUMENT_PARAMETER)
      shard_never(t, &t->shardings[i], t->arguments[i].rank, axis);
}

// The moment with the parameter's type and dimensions; n_arguments if there is none.
static uint32_t moment_of(const Tactics *t, uint32_t parameter) {
  const TacticArgument *p = &t->arguments[parameter];
  for (uint32_t i = 0; i < t->n_arguments; i++) {
    const TacticArgument *a = &t->arguments[i];
    if (a->kind != ARGUMENT_MOMENT || a->rank != p->rank) continue;
    uint32_t d = 0;
    while (d < a->rank && view_class(t, a->place, d) == view_class(t, p->place, d)) d++;
    if (d == a->rank) return i;
  }
  return t->n_arguments;
}

// A gradient is sharded as the moment of its parameter, so that the update is local. A gradient in
// the body of a loop has no dimension for the layers.
static void shard_gradients(Tactics *t, uint32_t axis, TacticStep *step) {
  const Context *context = t->in.graph->program->context;
  view_find_gradients(t);
  for (uint32_t i = 0; i < t->n_gradients; i++) {
    const Gradient *g = &t->gradients[i];
    TacticSharding *s = &t->gradient_shardings[i];
    uint32_t moment = moment_of(t, g->parameter);
    if (moment == t->n_arguments) continue;
    uint32_t rank = type_info(context, t->in.graph->places[g->place].type)->rank;
    TacticDim *dims = ARENA_ARRAY(t->arena, TacticDim, rank + 1);
    bool has = false;
    for (uint32_t d = 0; d < rank; d++) {
      dims[d] = t->shardings[moment].dims[g->dims[d]];
      has |= axes_overlap_ref(dims[d].axes, axis_full(t->mesh, axis));
    }
    if (!has) continue;
    *s = (TacticSharding){.dims = dims, .changed = true};
    shard_tell(t, step, g->name, s, rank);
  }
}

static Status *apply(Tactics *t, uint32_t stage, uint32_t axis, TacticStep *step) {
  uint32_t n_state = 0, n_moments = 0;
  for (uint32_t i = 0; i < t->n_arguments; i++) {
    n_state += t->arguments[i].result != 0;
    n_moments += t->arguments[i].kind == ARGUMENT_MOMENT;
  }
  uint32_t moments = shard_state(t, ARGUMENT_MOMENT, axis, step), parameters = 0;
  if (stage == 3) parameters = shard_state(t, ARGUMENT_PARAMETER, axis, step);
  if (!moments && !parameters)
    FAIL(NOT_FOUND,
         "found no %s to shard along %s: looked for arguments that a result replaces (%u found)%s "
         "and that have a dimension of a multiple of the axis%s",
         stage == 3 ? "state" : "moments", axis_label(t, axis), n_state,
         stage == 3 ? "" : ", on which no activation depends,",
         n_moments ? ", without the axis" : "");
  uint32_t before = step->n_annotated;
  if (stage < 3) keep_parameters(t, axis);
  if (stage == 2) shard_gradients(t, axis, step);
  step->found =
      arena_printf(t->arena, "%u moment%s%s", moments, moments == 1 ? "" : "s",
                   stage == 2 ? arena_printf(t->arena, ", %u gradients", step->n_annotated - before)
                   : stage == 3 ? arena_printf(t->arena, ", %u parameters", parameters)
                                : "");
  return NULL;
}

Status *tactic_zero1(Tactics *t, uint32_t axis, TacticStep *step) {
  return apply(t, 1, axis, step);
}
Status *tactic_zero2(Tactics *t, uint32_t axis, TacticStep *step) {
  return apply(t, 2, axis, step);
}
Status *tactic_zero3(Tactics *t, uint32_t axis, TacticStep *step) {
  return apply(t, 3, axis, step);
}
