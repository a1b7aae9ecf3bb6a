// Problem: tactics speak of batches, weights, moments and gradients, but a program has only ops and
// values.
//
// Idea: classes of dimensions (names.h) say which dimensions are the same thing. A value is *made*
// if a contraction is among the ops that it is computed from. A contraction of a made value and one
// that is not made multiplies an activation by a weight. The batch is the class that most FLOPs
// carry without a weight having it. Then:
//
//   activation   a value that has the batch
//   weight       of a contraction: the operand without the batch, not made, beside one with it
//   parameter    state that an activation depends on            x [b,k]  w [k,f]   h = x @ w
//   moment       state that none depends on                     m [k,f]  m' = m + grad
//   gradient     a sum over the batch with the dimensions of a parameter      grad [k,f]
//
// Invariant: nothing is read from names, and nothing depends on the mesh. Cost: O(graph · α), times
// the depth of loops for the data flow.
#include "tactics/tactics_private.h"

#include <stdlib.h>
#include <string.h>

#include "annotate/target.h"
#include "cost/trips.h"
#include "ops/work.h"

// ---- classes ----

static ClassId major(const Tactics *t, ClassId class) {
  const ClassInfo *info = &t->names.classes.classes[class];
  return info->n_parts ? t->names.classes.parts[info->parts] : class;
}

ClassId view_class(const Tactics *t, PlaceId place, uint32_t d) {
  return major(t, names_class(&t->names, place, d));
}

static uint32_t rank_of(const Tactics *t, PlaceId place) {
  const Graph *g = t->in.graph;
  return place ? type_info(g->program->context, g->places[place].type)->rank : 0;
}

bool view_has(const Tactics *t, PlaceId place, ClassId class) {
  for (uint32_t d = 0; d < rank_of(t, place); d++)
    if (view_class(t, place, d) == class) return true;
  return false;
}

int64_t view_size(const Tactics *t, ClassId class) { return t->names.classes.classes[class].size; }

// Tensors 0 and 1, and the result.
static PlaceId side_of(const Tactics *t, const Contraction *c, uint32_t side) {
  const Graph *g = t->in.graph;
  return node_tensors(g, c->node)[side < 2 ? side : node_map(g, c->node)->n_operands];
}

uint32_t view_role(const Tactics *t, const Contraction *c, ClassId class) {
  uint32_t role = 0;
  for (uint32_t side = 0; side < 3; side++)
    if (view_has(t, side_of(t, c, side), class)) role |= 1u << side;
  return role;
}

double view_windowed_flops(const Tactics *t, ClassId class) {
  const Graph *g = t->in.graph;
  double flops = 0;
  for (uint32_t i = 0; i < t->n_contractions; i++) {
    const Contraction *c = &t->contractions[i];
    const FactorMap *m = node_map(g, c->node);
    const PlaceId *places = node_tensors(g, c->node);
    bool slides = false;
    for (uint32_t k = 0; k < 2; k++)
      for (uint32_t d = 0; places[k] && d < factor_map_rank(m, k); d++)
        slides |= view_class(t, places[k], d) == class &&
                  m->factors[factor_map_dim(m, k, d).v[0]].kinds & FACTOR_PERMUTE;
    if (slides) flops += c->flops;
  }
  return flops;
}

const char *view_argument_name(const Tactics *t, uint32_t argument) {
  Str path = argument_path(t->in.graph->program, t->in.entry, argument, t->arena);
  return path.n ? arena_printf(t->arena, "%.*s", (int)path.n, path.s)
                : arena_printf(t->arena, "arg%u", argument);
}

// Data arguments first: their names say more to the user.
const char *view_class_text(const Tactics *t, ClassId class) {
  for (uint32_t pass = 0; pass < 2; pass++)
    for (uint32_t i = 0; i < t->n_arguments; i++)
      for (uint32_t d = 0; d < t->arguments[i].rank; d++)
        if ((pass || t->arguments[i].kind == ARGUMENT_DATA) &&
            view_class(t, t->arguments[i].place, d) == class)
          return arena_printf(t->arena, "dimension %u of %s, size %lld", d,
                              view_argument_name(t, i), (long long)view_size(t, class));
  return arena_printf(t->arena, "a dimension of size %lld", (long long)view_size(t, class));
}

// ---- arguments ----

static void list_arguments(Tactics *t) {
  const Graph *g = t->in.graph;
  const Program *p = g->program;
  InstanceId instance = graph_instance_of(g, t->in.entry);
  t->n_arguments = instance ? function_n_arguments(p, t->in.entry) : 0;
  t->arguments = ARENA_ARRAY(t->arena, TacticArgument, t->n_arguments + 1);
  for (uint32_t i = 0; i < t->n_arguments; i++) {
    ValueId value = function_argument(p, t->in.entry, i);
    PlaceId place = value ? graph_place(g, instance, value) : 0;
    const TypeInfo *type = place ? type_info(p->context, g->places[place].type) : NULL;
    t->arguments[i] = (TacticArgument){.result = t->in.state ? t->in.state[i] : 0,
                                       .place = place,
                                       .rank = type ? type->rank : 0,
                                       .sizes = type ? type->dims : NULL};
  }
}

static void list_edge_classes(Tactics *t) {
  bool *seen = ARENA_ARRAY(t->arena, bool, t->names.classes.n_classes + 1);
  t->of_edges = ARENA_ARRAY(t->arena, ClassId, t->names.classes.n_classes + 1);
  for (uint32_t i = 0; i < t->n_arguments; i++)
    for (uint32_t d = 0; d < t->arguments[i].rank; d++) {
      ClassId class = view_class(t, t->arguments[i].place, d);
      if (seen[class] || view_size(t, class) < 2) continue;
      seen[class] = true;
      t->of_edges[t->n_of_edges++] = class;
    }
}

// ---- data flow ----

// Marks the results of nodes of which an operand is marked, to the fixpoint; backward: the operands
// of nodes of which a result is marked. Values inside a loop may need several passes.
static void flow(const Tactics *t, bool *marked, bool backward) {
  const Graph *g = t->in.graph;
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t k = 1; k < g->n_nodes; k++) {
      NodeId n = backward ? g->n_nodes - k : k;
      const FactorMap *m = node_map(g, n);
      const PlaceId *places = node_tensors(g, n);
      uint32_t from = backward ? m->n_operands : 0, to = backward ? 0 : m->n_operands;
      uint32_t from_end = backward ? factor_map_n_tensors(m) : m->n_operands;
      uint32_t to_end = backward ? m->n_operands : factor_map_n_tensors(m);
      bool any = false;
      for (uint32_t i = from; i < from_end; i++) any |= places[i] && marked[places[i]];
      for (uint32_t i = to; any && i < to_end; i++) {
        if (!places[i] || marked[places[i]]) continue;
        marked[places[i]] = true;
        changed = true;
      }
    }
  }
}

static void list_contractions(Tactics *t) {
  const Graph *g = t->in.graph;
  Runs runs;
  runs_count(g->program, NULL, t->arena, &runs);
  t->contractions = ARENA_ARRAY(t->arena, Contraction, g->n_nodes + 1);
  for (NodeId n = 1; n < g->n_nodes; n++) {
    OpId op = g->nodes[n].op;
    if (g->nodes[n].kind != NODE_OP || !op_contracts(g->program, op) ||
        node_map(g, n)->n_operands < 2)
      continue;
    t->contractions[t->n_contractions++] =
        (Contraction){n, op_work(g->program, op) * runs_of(&runs, op), NO_WEIGHT};
  }
}

static bool *find_made(const Tactics *t) {
  bool *made = ARENA_ARRAY(t->arena, bool, t->in.graph->n_places + 1);
  for (uint32_t i = 0; i < t->n_contractions; i++) made[side_of(t, &t->contractions[i], 2)] = true;
  made[0] = false;
  flow(t, made, false);
  return made;
}

// The only argument that each value that is not made is computed from.
static void find_origins(Tactics *t, const bool *made) {
  const Graph *g = t->in.graph;
  t->origin = ARENA_ARRAY(t->arena, uint32_t, g->n_places + 1);
  for (uint32_t i = 0; i < t->n_arguments; i++) t->origin[t->arguments[i].place] = i + 1;
  t->origin[0] = 0;
  for (bool changed = true; changed;) {
    changed = false;
    for (NodeId n = 1; n < g->n_nodes; n++) {
      const FactorMap *m = node_map(g, n);
      const PlaceId *places = node_tensors(g, n);
      uint32_t from = 0;
      for (uint32_t i = 0; i < m->n_operands; i++) {
        uint32_t o = t->origin[places[i]];
        if (o && o != from) from = from ? ORIGIN_MANY : o;
      }
      for (uint32_t i = m->n_operands; from && i < factor_map_n_tensors(m); i++) {
        uint32_t *o = &t->origin[places[i]];
        if (!places[i] || made[places[i]] || *o == from || *o == ORIGIN_MANY) continue;
        *o = *o ? ORIGIN_MANY : from;
        changed = true;
      }
    }
  }
}

// ---- the batch ----

typedef struct Ranked {
  ClassId class;
  double flops;
  double weight_flops;  // of contractions whose weight has it: experts
  bool variant;         // another class of its family meets it in a value: no batch
  bool in_state;        // a state argument has it
  uint32_t seen_first;  // order among the dimensions of arguments
} Ranked;

// Most FLOPs first. FLOPs within 1 % are equal: small contractions (a position embedding) must not
// decide between batch and sequence.
static int by_flops(const void *x, const void *y) {
  const Ranked *a = x, *b = y;
  if (a->flops != b->flops) return a->flops > b->flops ? -1 : 1;
  if (a->weight_flops != b->weight_flops) return a->weight_flops > b->weight_flops ? 1 : -1;
  if (a->variant != b->variant) return a->variant ? 1 : -1;
  if (a->in_state != b->in_state) return a->in_state ? 1 : -1;
  return (a->seen_first > b->seen_first) - (a->seen_first < b->seen_first);
}

// Adds the FLOPs of a contraction to all classes in it, except those that its weight has and that
// are no batch dimension of it.
static void add_flops(const Tactics *t, const Contraction *c, const bool *made, double *flops,
                      double *weight_flops, uint32_t *last, uint32_t number) {
  bool lhs = made[side_of(t, c, 0)], rhs = made[side_of(t, c, 1)];
  uint32_t weight = lhs == rhs ? 0 : lhs ? ROLE_RHS : ROLE_LHS;
  for (uint32_t side = 0; side < 3; side++) {
    PlaceId place = side_of(t, c, side);
    for (uint32_t d = 0; d < rank_of(t, place); d++) {
      ClassId class = view_class(t, place, d);
      if (last[class] == number) continue;
      last[class] = number;
      uint32_t role = view_role(t, c, class);
      if (role & weight) weight_flops[class] += c->flops;
      if (role & weight && role != ROLE_BATCH) continue;
      flops[class] += c->flops;
    }
  }
}

static void rank_classes(Tactics *t, const bool *made) {
  uint32_t n = t->names.classes.n_classes, count = 0;
  double *flops = ARENA_ARRAY(t->arena, double, n + 1), total = 0;
  uint32_t *last = ARENA_ARRAY(t->arena, uint32_t, n + 1);
  bool *in_state = ARENA_ARRAY(t->arena, bool, n + 1), *seen = ARENA_ARRAY(t->arena, bool, n + 1);
  bool *variant = ARENA_ARRAY(t->arena, bool, n + 1);
  double *weight_flops = ARENA_ARRAY(t->arena, double, n + 1);
  Ranked *list = ARENA_ARRAY(t->arena, Ranked, n + 1);
  for (uint32_t i = 0; i < t->n_contractions; i++) {
    add_flops(t, &t->contractions[i], made, flops, weight_flops, last, i + 1);
    total += t->contractions[i].flops;
  }
  for (ClassId c = 1; c <= n; c++) {
    const ClassInfo *info = &t->names.classes.classes[c];
    if (info->variant) variant[c] = variant[info->family] = true;
  }
  for (uint32_t i = 0; i < t->n_arguments; i++)
    for (uint32_t d = 0; t->arguments[i].result && d < t->arguments[i].rank; d++)
      in_state[view_class(t, t->arguments[i].place, d)] = true;
  for (uint32_t i = 0; i < t->n_arguments; i++)
    for (uint32_t d = 0; d < t->arguments[i].rank; d++) {
      ClassId c = view_class(t, t->arguments[i].place, d);
      if (seen[c] || view_size(t, c) < 2 || flops[c] <= 0) continue;
      seen[c] = true;
      double percent = (double)(int64_t)(100 * flops[c] / total);
      list[count] = (Ranked){c, percent, weight_flops[c], variant[c], in_state[c], count};
      count++;
    }
  qsort(list, count, sizeof *list, by_flops);
  t->ranked = ARENA_ARRAY(t->arena, ClassId, count + 1);
  for (uint32_t i = 0; i < count; i++) t->ranked[i] = list[i].class;
  t->n_ranked = count;
  t->batch = count ? list[0].class : 0;
}

// ---- weights and state ----

static void find_weights(Tactics *t, const bool *made) {
  for (uint32_t i = 0; t->batch && i < t->n_contractions; i++) {
    Contraction *c = &t->contractions[i];
    bool lhs = view_has(t, side_of(t, c, 0), t->batch),
         rhs = view_has(t, side_of(t, c, 1), t->batch);
    if (lhs == rhs) continue;
    uint32_t weight = lhs ? 1 : 0;
    if (!made[side_of(t, c, weight)]) c->weight = weight;
  }
}

const bool *view_in_weights(const Tactics *t) {
  bool *in = ARENA_ARRAY(t->arena, bool, t->names.classes.n_classes + 1);
  for (uint32_t i = 0; i < t->n_contractions; i++) {
    const Contraction *c = &t->contractions[i];
    PlaceId weight = c->weight == NO_WEIGHT ? 0 : side_of(t, c, c->weight);
    for (uint32_t d = 0; d < rank_of(t, weight); d++) in[view_class(t, weight, d)] = true;
  }
  return in;
}

static void find_kinds(Tactics *t) {
  const Graph *g = t->in.graph;
  bool *reaches = ARENA_ARRAY(t->arena, bool, g->n_places + 1);
  for (PlaceId place = 1; t->batch && place < g->n_places; place++)
    reaches[place] = view_has(t, place, t->batch);
  flow(t, reaches, true);
  for (uint32_t i = 0; i < t->n_arguments; i++) {
    TacticArgument *a = &t->arguments[i];
    if (!a->result) continue;
    a->kind = view_has(t, a->place, t->batch) ? ARGUMENT_CACHE
              : reaches[a->place]             ? ARGUMENT_PARAMETER
                                              : ARGUMENT_MOMENT;
  }
}

// ---- gradients ----

// The dimension of an argument that has the class; its rank if none has.
static uint32_t dim_of_class(const Tactics *t, const TacticArgument *a, ClassId class) {
  uint32_t d = 0;
  while (d < a->rank && names_class(&t->names, a->place, d) != class) d++;
  return d;
}

// The parameter that has the place's dimensions, in any order, and at most one more (the layers of
// a loop). Returns n_arguments if there is none. *out_dims: per dimension, the parameter's.
static uint32_t parameter_like(const Tactics *t, PlaceId place, uint32_t *out_dims) {
  uint32_t rank = rank_of(t, place);
  for (uint32_t i = 0; rank && i < t->n_arguments; i++) {
    const TacticArgument *a = &t->arguments[i];
    if (a->kind != ARGUMENT_PARAMETER || (a->rank != rank && a->rank != rank + 1)) continue;
    uint32_t d = 0;
    for (; d < rank; d++) {
      out_dims[d] = dim_of_class(t, a, names_class(&t->names, place, d));
      if (out_dims[d] == a->rank) break;
    }
    if (d == rank) return i;
  }
  return t->n_arguments;
}

static bool sums_batch(const Tactics *t, NodeId n) {
  const Graph *g = t->in.graph;
  const FactorMap *m = node_map(g, n);
  const PlaceId *places = node_tensors(g, n);
  if (g->nodes[n].kind != NODE_OP || m->n_results != 1 || !places[m->n_operands]) return false;
  if (view_has(t, places[m->n_operands], t->batch)) return false;
  bool reduces = false, has = false;
  for (uint32_t f = 0; f < m->n_factors; f++) reduces |= (m->factors[f].kinds & FACTOR_REDUCE) != 0;
  for (uint32_t i = 0; reduces && i < m->n_operands; i++)
    has |= places[i] && view_has(t, places[i], t->batch);
  return has;
}

// Per name: how many values of the program have it, up to 2. Rules name values, so a gradient needs
// a name of its own. O(values).
static const uint8_t *count_names(const Tactics *t) {
  const Program *p = t->in.graph->program;
  Name most = 0;
  for (ValueId v = 1; v < p->values.count; v++)
    if (value_at(p, v)->name > most) most = value_at(p, v)->name;
  uint8_t *counts = ARENA_ARRAY(t->arena, uint8_t, (size_t)most + 1);
  for (ValueId v = 1; v < p->values.count; v++) {
    uint8_t *count = &counts[value_at(p, v)->name];
    *count = *count ? 2 : 1;
  }
  return counts;
}

void view_find_gradients(Tactics *t) {
  if (t->gradients) return;
  const uint8_t *names = count_names(t);
  const Graph *g = t->in.graph;
  const Program *p = g->program;
  VEC(Gradient) list = {0};
  for (NodeId n = 1; t->batch && n < g->n_nodes; n++) {
    if (!sums_batch(t, n)) continue;
    PlaceId place = node_tensors(g, n)[node_map(g, n)->n_operands];
    uint32_t *dims = ARENA_ARRAY(t->arena, uint32_t, rank_of(t, place) + 1);
    uint32_t parameter = parameter_like(t, place, dims);
    Name name = value_at(p, op_result(p, g->nodes[n].op, 0))->name;
    if (parameter == t->n_arguments || !name || names[name] != 1) continue;
    const char *text = arena_printf(t->arena, "%%%s", name_text(p->context, name));
    VEC_PUSH(t->arena, &list, ((Gradient){place, text, parameter, dims}));
  }
  t->n_gradients = list.count;
  t->gradients = list.count ? list.items : ARENA_NEW(t->arena, Gradient);
  t->gradient_shardings = ARENA_ARRAY(t->arena, TacticSharding, list.count + 1);
}

Status *view_build(Tactics *t) {
  if (!names_build(t->in.graph, t->arena, t->in.diag, NULL, &t->names))
    return diag_status(t->in.diag);
  list_arguments(t);
  list_edge_classes(t);
  list_contractions(t);
  bool *made = find_made(t);
  find_origins(t, made);
  rank_classes(t, made);
  find_weights(t, made);
  find_kinds(t);
  return NULL;
}
