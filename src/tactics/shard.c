// Adds axes to dimensions of arguments. Invariant: axes are only appended, so a later tactic keeps
// what an earlier one decided; a value has an axis at most once; tiles are even.
#include <string.h>

#include "tactics/tactics_private.h"

const char *axis_label(const Tactics *t, uint32_t axis) {
  const MeshAxis *a = &t->mesh->axes[axis];
  return arena_printf(t->arena, "%s=%u", name_text(t->in.graph->program->context, a->name),
                      a->size);
}

static bool has_axis(const TacticSharding *s, uint32_t rank, AxisRef axis) {
  if (axes_overlap_ref(s->replicated, axis)) return true;
  for (uint32_t d = 0; d < rank; d++)
    if (axes_overlap_ref(s->dims[d].axes, axis)) return true;
  return false;
}

static AxisList append(Arena *arena, AxisList list, AxisRef axis) {
  AxisRef *all = ARENA_ARRAY(arena, AxisRef, list.n + 1);
  if (list.n) memcpy(all, list.v, list.n * sizeof *all);
  all[list.n] = axis;
  return (AxisList){all, list.n + 1};
}

static bool fits(const TacticSharding *s, int64_t size, uint32_t d, AxisRef axis) {
  return !s->dims[d].closed && size > 0 && size % (axes_size(s->dims[d].axes) * axis.size) == 0;
}

bool shard_dim(Tactics *t, TacticSharding *s, const int64_t *sizes, uint32_t rank, uint32_t d,
               uint32_t axis) {
  AxisRef ref = axis_full(t->mesh, axis);
  if (has_axis(s, rank, ref) || !fits(s, sizes[d], d, ref)) return false;
  s->dims[d].axes = append(t->arena, s->dims[d].axes, ref);
  if (s->dims[d].priority == PRIORITY_NONE) s->dims[d].priority = t->priority;
  s->changed = true;
  return true;
}

int32_t shard_largest(const Tactics *t, const TacticSharding *s, const int64_t *sizes,
                      uint32_t rank, uint32_t axis) {
  AxisRef ref = axis_full(t->mesh, axis);
  int32_t best = -1;
  int64_t most = 0;
  if (has_axis(s, rank, ref)) return -1;
  for (uint32_t d = 0; d < rank; d++) {
    int64_t tile = sizes[d] / axes_size(s->dims[d].axes);
    // Of equal tiles, a dimension without axes: its shards stay simple.
    bool simpler = best >= 0 && tile == most && s->dims[d].axes.n < s->dims[best].axes.n;
    if (!fits(s, sizes[d], d, ref) || (tile <= most && !simpler)) continue;
    most = tile;
    best = (int32_t)d;
  }
  return best;
}

void shard_never(Tactics *t, TacticSharding *s, uint32_t rank, uint32_t axis) {
  AxisRef ref = axis_full(t->mesh, axis);
  if (!rank || has_axis(s, rank, ref)) return;
  s->replicated = append(t->arena, s->replicated, ref);
  s->changed = true;
}

// `[{"x"}, {}]`.
static const char *text_of(const Tactics *t, const TacticSharding *s, uint32_t rank) {
  Context *context = t->in.graph->program->context;
  const char *text = "[";
  for (uint32_t d = 0; d < rank; d++) {
    text = arena_printf(t->arena, "%s%s", text, d ? ", {" : "{");
    for (uint32_t i = 0; i < s->dims[d].axes.n; i++)
      text = arena_printf(t->arena, "%s%s%s", text, i ? ", " : "",
                          axis_text(context, t->mesh, s->dims[d].axes.v[i]));
    text = arena_printf(t->arena, "%s}", text);
  }
  return arena_printf(t->arena, "%s]", text);
}

void shard_tell(Tactics *t, TacticStep *step, const char *name, const TacticSharding *s,
                uint32_t rank) {
  uint32_t most = sizeof step->examples / sizeof *step->examples;
  if (step->n_annotated < most)
    step->examples[step->n_annotated] = arena_printf(t->arena, "%s %s", name, text_of(t, s, rank));
  step->n_annotated++;
}

const char *tactics_sharding(const Tactics *t, uint32_t argument) {
  return text_of(t, &t->shardings[argument], t->arguments[argument].rank);
}

AxisList tactics_axes(const Tactics *t, uint32_t argument, uint32_t dim) {
  return t->shardings[argument].dims[dim].axes;
}

uint32_t shard_class(Tactics *t, ClassId class, uint32_t kinds, uint32_t axis, TacticStep *step) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < t->n_arguments; i++) {
    const TacticArgument *a = &t->arguments[i];
    TacticSharding *s = &t->shardings[i];
    if (!(kinds & 1u << a->kind)) continue;
    for (uint32_t d = 0; d < a->rank; d++) {
      // A product is split along its major part.
      int64_t most = view_size(t, class);
      if (view_class(t, a->place, d) != class ||
          most % (axes_size(s->dims[d].axes) * t->mesh->axes[axis].size) ||
          !shard_dim(t, s, a->sizes, a->rank, d, axis))
        continue;
      shard_tell(t, step, view_argument_name(t, i), s, a->rank);
      n++;
      break;
    }
  }
  return n;
}
