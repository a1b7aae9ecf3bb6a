// Tactics that shard weights so that the work of contractions is divided: Megatron's pairs, and
// experts.
//
// Megatron (arXiv 1909.08053): of two contractions in a row, the first weight is split by columns
// and the second by rows, so that one all-reduce follows both.
//
//   x [b,d] @ up [d,F] -> [b,F]   @ down [F,d] -> [b,d] partial         F: "y"
//   x [b,d] @ q [d,H,k] -> …      @ out [H,k,d] -> [b,d] partial        H: "y"
//
// The class F is free in one weight and contracted in another. So is d. Two rules tell them apart:
// contractions are visited in program order, and a weight that has a chosen class already gets no
// second one; and a class must not be reduced elsewhere in activations, as d is by norms and k by
// the scores of attention.
#include "ops/work.h"
#include "tactics/tactics_private.h"

static uint32_t weight_role(const Contraction *c) { return 1u << c->weight; }

static bool is_column(const Tactics *t, const Contraction *c, ClassId class) {
  return c->weight != NO_WEIGHT && view_role(t, c, class) == (weight_role(c) | ROLE_OUT);
}

static bool is_row(const Tactics *t, const Contraction *c, ClassId class) {
  return c->weight != NO_WEIGHT && view_role(t, c, class) == (ROLE_LHS | ROLE_RHS);
}

// Per class: an op other than a contraction with a weight reduces it in an activation.
static bool *reduced_elsewhere(const Tactics *t) {
  const Graph *g = t->in.graph;
  bool *reduced = ARENA_ARRAY(t->arena, bool, t->names.classes.n_classes + 1);
  uint32_t next = 0;
  for (NodeId n = 1; n < g->n_nodes; n++) {
    while (next < t->n_contractions && t->contractions[next].node < n) next++;
    if (next < t->n_contractions && t->contractions[next].node == n &&
        t->contractions[next].weight != NO_WEIGHT)
      continue;
    const FactorMap *m = node_map(g, n);
    const PlaceId *places = node_tensors(g, n);
    if (g->nodes[n].kind != NODE_OP) continue;
    for (uint32_t i = 0; i < m->n_operands; i++) {
      if (!places[i] || !view_has(t, places[i], t->batch)) continue;
      for (uint32_t d = 0; d < factor_map_rank(m, i); d++)
        if (m->factors[factor_map_dim(m, i, d).v[0]].kinds & FACTOR_REDUCE)
          reduced[view_class(t, places[i], d)] = true;
    }
  }
  return reduced;
}

static bool weight_has_chosen(const Tactics *t, const Contraction *c, const bool *chosen) {
  PlaceId weight = node_tensors(t->in.graph, c->node)[c->weight];
  uint32_t rank = factor_map_rank(node_map(t->in.graph, c->node), c->weight);
  for (uint32_t d = 0; d < rank; d++)
    if (chosen[view_class(t, weight, d)]) return true;
  return false;
}

static uint32_t weight_origin(const Tactics *t, const Contraction *c) {
  return t->origin[node_tensors(t->in.graph, c->node)[c->weight]];
}

// The same weight, or that of another layer: arguments with the same classes in the same order.
static bool same_weight(const Tactics *t, uint32_t a, uint32_t b) {
  if (a == b || !a || !b || a == ORIGIN_MANY || b == ORIGIN_MANY) return true;
  const TacticArgument *x = &t->arguments[a - 1], *y = &t->arguments[b - 1];
  uint32_t d = 0;
  if (x->rank != y->rank) return false;
  while (d < x->rank && view_class(t, x->place, d) == view_class(t, y->place, d)) d++;
  return d == x->rank;
}

// Is the class contracted with another weight than that of `columns`? The backward pass contracts
// the columns of a weight with the same weight.
static bool has_row(const Tactics *t, const Contraction *columns, ClassId class) {
  for (uint32_t i = 0; i < t->n_contractions; i++) {
    const Contraction *c = &t->contractions[i];
    if (is_row(t, c, class) && !same_weight(t, weight_origin(t, c), weight_origin(t, columns)))
      return true;
  }
  return false;
}

// The first dimension of the weight that can be its columns and another's rows.
static ClassId choose_columns(const Tactics *t, const Contraction *c, const bool *reduced,
                              uint32_t axis) {
  PlaceId weight = node_tensors(t->in.graph, c->node)[c->weight];
  uint32_t rank = factor_map_rank(node_map(t->in.graph, c->node), c->weight);
  for (uint32_t d = 0; d < rank; d++) {
    ClassId class = view_class(t, weight, d);
    if (is_column(t, c, class) && !reduced[class] &&
        view_size(t, class) % t->mesh->axes[axis].size == 0 && has_row(t, c, class))
      return class;
  }
  return 0;
}

Status *tactic_megatron(Tactics *t, uint32_t axis, TacticStep *step) {
  bool *chosen = ARENA_ARRAY(t->arena, bool, t->names.classes.n_classes + 1);
  const bool *reduced = reduced_elsewhere(t);
  uint32_t n_weights = 0, n_classes = 0;
  for (uint32_t i = 0; i < t->n_contractions; i++) {
    const Contraction *c = &t->contractions[i];
    if (c->weight == NO_WEIGHT) continue;
    n_weights++;
    ClassId class = weight_has_chosen(t, c, chosen) ? 0 : choose_columns(t, c, reduced, axis);
    if (!class) continue;
    chosen[class] = true;
    if (!shard_class(t, class, ALL_KINDS, axis, step)) continue;
    step->found = n_classes++
                      ? arena_printf(t->arena, "%s; %s", step->found, view_class_text(t, class))
                      : arena_printf(t->arena, "columns, then rows: %s", view_class_text(t, class));
  }
  if (!n_classes)
    FAIL(NOT_FOUND,
         "found no pair of weights along %s: looked in %u contractions with a weight for a "
         "dimension that is free in one weight, contracted in another, a multiple of the axis, and "
         "reduced nowhere else",
         axis_label(t, axis), n_weights);
  return NULL;
}

// FLOPs of contractions with a weight of which the class is a batch dimension, per class.
static const double *expert_flops(const Tactics *t) {
  double *flops = ARENA_ARRAY(t->arena, double, t->names.classes.n_classes + 1);
  for (uint32_t i = 0; i < t->n_contractions; i++) {
    const Contraction *c = &t->contractions[i];
    if (c->weight == NO_WEIGHT) continue;
    PlaceId weight = node_tensors(t->in.graph, c->node)[c->weight];
    uint32_t rank = factor_map_rank(node_map(t->in.graph, c->node), c->weight);
    for (uint32_t d = 0; d < rank; d++) {
      ClassId class = view_class(t, weight, d);
      if (class != t->batch && view_role(t, c, class) == ROLE_BATCH) flops[class] += c->flops;
    }
  }
  return flops;
}

Status *tactic_expert(Tactics *t, uint32_t axis, TacticStep *step) {
  ClassId best = 0;
  const double *flops = expert_flops(t);
  for (uint32_t i = 0; i < t->n_of_edges; i++)
    if (flops[t->of_edges[i]] > 0 && (!best || flops[t->of_edges[i]] > flops[best]))
      best = t->of_edges[i];
  if (!best)
    FAIL(NOT_FOUND, "found no experts: looked for contractions with a weight that has a dimension "
                    "in common with the activations and with the result");
  if (!shard_class(t, best, ALL_KINDS, axis, step))
    FAIL(NOT_FOUND,
         "the experts (%s) cannot be sharded along %s: the size is not a multiple of the axis, or "
         "the weights have the axis already",
         view_class_text(t, best), axis_label(t, axis));
  step->found = view_class_text(t, best);
  return NULL;
}
