// Tactics that shard activations, through the data arguments: batch, sequence, space.
#include "tactics/tactics_private.h"

static Status *cannot_divide(const Tactics *t, const char *what, ClassId class, uint32_t axis) {
  FAIL(NOT_FOUND,
       "%s (%s) cannot be sharded along %s: the size is not a multiple of the axis, or its "
       "arguments have the axis already",
       what, view_class_text(t, class), axis_label(t, axis));
}

Status *tactic_data(Tactics *t, uint32_t axis, TacticStep *step) {
  if (!t->batch)
    FAIL(NOT_FOUND,
         "found no batch: looked for a dimension of arguments in contractions (%u found) whose "
         "weight "
         "does not have it",
         t->n_contractions);
  if (view_windowed_flops(t, t->batch) > 0)
    FAIL(NOT_FOUND, "found no batch: %s is space, along which windows slide; use spatial",
         view_class_text(t, t->batch));
  if (!shard_class(t, t->batch, DATA_KINDS, axis, step))
    return cannot_divide(t, "the batch", t->batch, axis);
  step->found = arena_printf(t->arena, "batch: %s", view_class_text(t, t->batch));
  return NULL;
}

// The second class of the ranking that activations have.
Status *tactic_sequence(Tactics *t, uint32_t axis, TacticStep *step) {
  const bool *in_weights = view_in_weights(t);
  for (uint32_t i = 1; i < t->n_ranked; i++) {
    ClassId class = t->ranked[i];
    if (in_weights[class]) continue;  // hidden units
    if (!shard_class(t, class, DATA_KINDS, axis, step))
      return cannot_divide(t, "the sequence", class, axis);
    step->found = view_class_text(t, class);
    return NULL;
  }
  FAIL(NOT_FOUND, "found no sequence: looked for a dimension of data arguments, beside the batch, "
                  "that no weight has");
}

Status *tactic_spatial(Tactics *t, uint32_t axis, TacticStep *step) {
  ClassId best = 0, any = 0;
  double most = 0;
  for (uint32_t i = 0; i < t->n_of_edges; i++) {
    double flops = view_windowed_flops(t, t->of_edges[i]);
    if (flops <= 0) continue;
    any = t->of_edges[i];
    TacticMark *mark = tactics_save(t);
    TacticStep ignored = {0};
    bool can = shard_class(t, any, DATA_KINDS, axis, &ignored) > 0;
    tactics_restore(t, mark);
    if (!can || flops <= most) continue;
    best = any;
    most = flops;
  }
  if (!any)
    FAIL(NOT_FOUND, "found no space: looked for dimensions of arguments along which windows of "
                    "convolutions slide");
  if (!best) return cannot_divide(t, "space", any, axis);
  shard_class(t, best, DATA_KINDS, axis, step);
  step->found = view_class_text(t, best);
  return NULL;
}
