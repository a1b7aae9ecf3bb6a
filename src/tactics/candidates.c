// Standard compositions of tactics, for planners that simulate each of them.
//
// A composition gives each mesh axis to `data` or to one other tactic, the same for all of them;
// experts may also share the axes of data. ZeRO follows along the data axes. Compositions are
// listed by how often experts use them, so that a caller may simulate a prefix only.
#include <string.h>

#include "tactics/tactics_private.h"

typedef struct Enumeration {
  Tactics *t;
  const TacticMark *start;
  VEC(TacticCandidate) list;
} Enumeration;

static bool apply(Enumeration *e, TacticKind kind, uint32_t axis, const char **name) {
  TacticStep step;
  Status *status = tactics_apply(e->t, (Tactic){kind, axis}, &step);
  bool good = !status;
  status_free(status);
  if (!good) return false;
  *name = arena_printf(e->t->arena, "%s%s%s:%s", *name, **name ? ", " : "", tactic_name(kind),
                       name_text(e->t->in.graph->program->context, e->t->mesh->axes[axis].name));
  return true;
}

static bool apply_all(Enumeration *e, TacticKind kind, uint32_t axes, const char **name) {
  for (uint32_t axis = 0; axis < e->t->mesh->n_axes; axis++)
    if (axes & 1u << axis && !apply(e, kind, axis, name)) return false;
  return true;
}

static void keep(Enumeration *e, const char *name) {
  const char *rules = tactics_rules(e->t);
  for (uint32_t i = 0; i < e->list.count; i++)
    if (strcmp(e->list.items[i].rules, rules) == 0) return;
  if (*rules) VEC_PUSH(e->t->arena, &e->list, ((TacticCandidate){name, rules}));
}

// data along some axes, another tactic along others, ZeRO along the axes of data.
static void compose(Enumeration *e, uint32_t data, TacticKind other, uint32_t others,
                    TacticKind zero) {
  const char *name = "";
  tactics_restore(e->t, e->start);
  if (apply_all(e, TACTIC_data, data, &name) && apply_all(e, other, others, &name) &&
      (zero == TACTIC_COUNT || apply_all(e, zero, data, &name)))
    keep(e, name);
}

// All compositions with one kind of ZeRO. TACTIC_COUNT: without.
static void enumerate(Enumeration *e, TacticKind zero) {
  static const TacticKind kinds[] = {TACTIC_megatron, TACTIC_expert, TACTIC_spatial,
                                     TACTIC_sequence};
  uint32_t n = e->t->mesh->n_axes, all = (1u << n) - 1;
  compose(e, all, TACTIC_data, 0, zero);
  for (uint32_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
    for (uint32_t others = 1; others <= all; others++) {
      // Without data axes there is nothing for ZeRO.
      if (others != all || zero == TACTIC_COUNT) compose(e, all & ~others, kinds[k], others, zero);
      bool single = (others & (others - 1)) == 0;
      if (kinds[k] == TACTIC_expert && single) compose(e, all, kinds[k], others, zero);
    }
}

TacticCandidates tactics_candidates(Tactics *t) {
  enum { MOST_AXES = 3 };
  Enumeration e = {.t = t, .start = tactics_save(t)};
  if (t->mesh->n_axes <= MOST_AXES) {
    enumerate(&e, TACTIC_COUNT);
    enumerate(&e, TACTIC_zero3);
    enumerate(&e, TACTIC_zero1);
  } else if (t->mesh->n_axes < 32) {
    uint32_t all = (1u << t->mesh->n_axes) - 1, last = 1u << (t->mesh->n_axes - 1);
    compose(&e, all, TACTIC_data, 0, TACTIC_COUNT);
    compose(&e, all & ~last, TACTIC_megatron, last, TACTIC_COUNT);
    compose(&e, all & ~last, TACTIC_megatron, last, TACTIC_zero3);
  }
  tactics_restore(t, e.start);
  return (TacticCandidates){e.list.items, e.list.count};
}
