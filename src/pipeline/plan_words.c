// Problem: say in words what a solution does: "data x8, Megatron x4 on mlp and attn, ZeRO-1".
//
// Idea: dimensions that ops map to each other are one class (annotate/names.h). A mesh axis splits
// each contraction along one class, or not at all. The class says which kind of parallelism that
// is:
//
//   batch      dimension 0 of an argument that is no state            data parallel
//   weight     a dimension of a parameter                             tensor parallel; Megatron if
//                                                                     by columns and by rows;
//                                                                     experts if both operands have
//                                                                     it
//   input      another dimension of an argument that is no state      sequence or spatial parallel
//   other                                                             of an activation
//
// A parameter is a state argument that a contraction reads; other state is moments. Without state,
// parameters are right operands of contractions. ZeRO shows in how state is stored: moments split
// and parameters not (1), parameters split along an axis and used without it (3).
//
// Cost: O(program · axes).
#include <stdlib.h>
#include <string.h>

#include "annotate/names.h"
#include "annotate/target.h"
#include "ops/functions.h"
#include "ops/op.h"
#include "ops/work.h"
#include "pipeline/plan_private.h"

typedef enum Kind { SPLIT_BATCH, SPLIT_WEIGHT, SPLIT_INPUT, SPLIT_OTHER, SPLIT_KINDS } Kind;

typedef struct ClassFacts {
  bool batch, input;
  uint32_t argument, dim;  // the first argument that has the class, for its name
  bool has_argument;
  Str parameters[3];  // short names of parameters that have it
  uint32_t n_parameters;
} ClassFacts;

// What an axis does along one class.
typedef struct ClassUse {
  double flops, columns, rows, both;  // of parameters: a free dimension, a contracted one, a
                                      // dimension of both operands
} ClassUse;

typedef struct AxisUse {
  ClassUse *classes;  // per class
  double all, idle;   // FLOPs of contractions; not split
  double gathered;    // bytes of parameters that are stored split and used whole
  double parameters, moments, stored_parameters, stored_moments;  // bytes of state: all, and split
} AxisUse;

typedef struct Summary {
  const Model *m;
  const uint32_t *choice;
  const Graph *graph;
  InstanceId instance;
  Names names;
  Arena *arena;
  ClassFacts *facts;  // per class
  bool *is_parameter;
  bool has_state;
  StrBuf *out;
} Summary;

enum { MOST_STEPS = 32, MOST_SHOWN = 4 };
static const double least_share = 0.02;  // of the FLOPs, to be said

// ---- arguments ----

// The argument that a value is, or a simple function of, also through loops; UINT32_MAX = none.
static uint32_t argument_of(const Model *m, ValueId v) {
  const Program *p = m->p;
  for (uint32_t n = 0; n < MOST_STEPS; n++) {
    const Value *value = value_at(p, v);
    OpId op = value->is_arg ? region_at(p, block_at(p, value->def)->region)->op : value->def;
    if (op == m->entry) return value->index;
    const OpDef *def = op_row(op_at(p, op)->code)->def;
    bool picks = def && def->touch == TOUCH_PICKED;  // a slice of it
    if (value->is_arg) {
      if (op_flow(p, op) != FLOW_LOOP || value->index >= op_at(p, op)->n_operands) break;
      v = op_operand(p, op, value->index);
    } else if (op_at(p, op)->n_regions == 0 && (op_at(p, op)->n_operands == 1 || picks)) {
      v = op_operand(p, op, 0);
    } else {
      break;
    }
  }
  return UINT32_MAX;
}

static bool is_state(const Model *m, uint32_t argument) {
  return m->options.state && argument != UINT32_MAX && m->options.state[argument];
}

static void find_parameters(Summary *s) {
  const Model *m = s->m;
  for (uint32_t i = 0; i < m->n_arguments; i++) s->has_state |= is_state(m, i);
  for (uint32_t i = 0; i < m->vars.count; i++) {
    const ModelVar *v = &m->vars.items[i];
    if (v->kind != VAR_OP || !op_contracts(m->p, v->op)) continue;
    for (uint32_t k = 0; k < op_at(m->p, v->op)->n_operands && k < 2; k++) {
      uint32_t argument = argument_of(m, op_operand(m->p, v->op, k));
      if (argument != UINT32_MAX && (s->has_state ? is_state(m, argument) : k == 1))
        s->is_parameter[argument] = true;
    }
  }
}

// "mlp.up" of "params.layer_3.mlp.up.kernel": without the first and the last component, and
// without components that have digits.
static Str short_path(Str path, Arena *arena) {
  char *text = arena_alloc(arena, path.n + 1);
  size_t n = 0, at = 0;
  for (uint32_t k = 0; at < path.n; k++) {
    size_t end = at;
    bool digits = false;
    for (; end < path.n && path.s[end] != '.'; end++)
      digits |= path.s[end] >= '0' && path.s[end] <= '9';
    bool keeps = k && !digits && end < path.n && end > at && path.s[end - 1] != '_';
    if (keeps && n) text[n++] = '.';
    if (keeps) memcpy(text + n, path.s + at, end - at), n += end - at;
    at = end + 1;
  }
  return n ? (Str){text, n} : path;
}

static void add_parameter(ClassFacts *f, Str name) {
  for (uint32_t i = 0; i < f->n_parameters; i++)
    if (str_equal(f->parameters[i], name)) return;
  if (f->n_parameters < sizeof f->parameters / sizeof *f->parameters)
    f->parameters[f->n_parameters++] = name;
}

static void find_classes(Summary *s) {
  const Model *m = s->m;
  BlockId block = region_block(m->p, op_region(m->p, m->entry, 0));
  for (uint32_t i = 0; i < m->n_arguments; i++) {
    PlaceId place = graph_place(s->graph, s->instance, block_arg(m->p, block, i));
    Type type = function_argument_type(m->p, m->entry, i);
    bool state = s->has_state ? is_state(m, i) : s->is_parameter[i];
    for (uint32_t d = 0; place && d < type_info(m->p->context, type)->rank; d++) {
      ClassFacts *f = &s->facts[names_class(&s->names, place, d)];
      if (!f->has_argument || (!state && !f->batch && !f->input))
        f->argument = i, f->dim = d, f->has_argument = true;
      if (!state) *(d ? &f->input : &f->batch) = true;
      if (s->is_parameter[i])
        add_parameter(f, short_path(argument_path(m->p, m->entry, i, s->arena), s->arena));
    }
  }
}

// ---- uses ----

static bool has_axis(AxisList axes, uint32_t axis) {
  for (uint32_t i = 0; i < axes.n; i++)
    if (axes.v[i].axis == axis) return true;
  return false;
}

static bool is_split(const Model *m, Sharding sharding, uint32_t axis) {
  if (!sharding) return false;
  const ShardingInfo *info = sharding_info(m->strategies.table, sharding);
  for (uint32_t d = 0; d < info->rank; d++)
    if (has_axis(sharding_dim_axes(info, d), axis)) return true;
  return false;
}

// The class of a factor of an op; 0 = unknown.
static ClassId class_of(const Summary *s, OpId op, const FactorMap *map, uint32_t f) {
  uint32_t dim, at;
  for (uint32_t i = 0; i < map->n_operands && i < op_at(s->m->p, op)->n_operands; i++) {
    if (!factor_map_find(map, i, f, &dim, &at)) continue;
    PlaceId place = graph_place(s->graph, s->instance, op_operand(s->m->p, op, i));
    if (place) return names_class(&s->names, place, dim);
  }
  return 0;
}

static bool reads_parameter(const Summary *s, OpId op, uint32_t i) {
  uint32_t argument = argument_of(s->m, op_operand(s->m->p, op, i));
  return argument != UINT32_MAX && s->is_parameter[argument];
}

// What an axis does in one contraction.
static void count_op(Summary *s, const ModelVar *v, const OpStrategy *strategy, uint32_t axis,
                     AxisUse *use) {
  const FactorMap *map = &s->m->strategies.sets.items[v->set].map;
  double flops = op_work(s->m->p, v->op) * v->runs;
  uint32_t f = 0;
  use->all += flops;
  while (f < map->n_factors && !has_axis(strategy->axes[f], axis)) f++;
  if (f == map->n_factors) {
    use->idle += flops;
    return;
  }
  ClassUse *c = &use->classes[class_of(s, v->op, map, f)];
  c->flops += flops;
  bool contracted = !factor_map_find(map, map->n_operands, f, NULL, NULL), both = !contracted;
  for (uint32_t i = 0; i < map->n_operands && i < 2; i++)
    both = both && factor_map_find(map, i, f, NULL, NULL);
  for (uint32_t i = 0; i < map->n_operands && i < 2; i++)
    if (reads_parameter(s, v->op, i) && factor_map_find(map, i, f, NULL, NULL)) {
      *(both ? &c->both : contracted ? &c->rows : &c->columns) += flops;
      return;
    }
}

static void count_storage(Summary *s, uint32_t axis, AxisUse *use) {
  const Model *m = s->m;
  for (uint32_t i = 0; i < m->n_arguments; i++) {
    if (!is_state(m, i)) continue;
    uint32_t var = m->argument_vars[i];
    double bytes = fusion_bytes(m->p, function_argument_type(m->p, m->entry, i));
    bool split = is_split(m, model_sharding(m, var, s->choice[var]), axis);
    *(s->is_parameter[i] ? &use->parameters : &use->moments) += bytes;
    if (split) *(s->is_parameter[i] ? &use->stored_parameters : &use->stored_moments) += bytes;
  }
}

// Parameters that are stored split along the axis, and that no contraction reads so.
static void count_gathered(Summary *s, uint32_t axis, AxisUse *use) {
  const Model *m = s->m;
  bool *used = ARENA_ARRAY(s->arena, bool, m->n_arguments + 1);
  for (uint32_t i = 0; i < m->vars.count; i++) {
    const ModelVar *v = &m->vars.items[i];
    if (v->kind != VAR_OP || !v->set || !op_contracts(m->p, v->op)) continue;
    const StrategySet *set = &m->strategies.sets.items[v->set];
    for (uint32_t k = 0; k < set->map.n_operands && k < 2; k++) {
      uint32_t argument = argument_of(m, op_operand(m->p, v->op, k));
      Sharding in = strategies_list(&m->strategies, set->in[k]).v[s->choice[i]];
      if (argument != UINT32_MAX) used[argument] |= is_split(m, in, axis);
    }
  }
  for (uint32_t i = 0; i < m->n_arguments; i++) {
    uint32_t var = m->argument_vars[i];
    if (s->is_parameter[i] && is_state(m, i) && !used[i] &&
        is_split(m, model_sharding(m, var, s->choice[var]), axis))
      use->gathered += fusion_bytes(m->p, function_argument_type(m->p, m->entry, i));
  }
}

static AxisUse count_axis(Summary *s, uint32_t axis) {
  const Model *m = s->m;
  AxisUse use = {.classes = ARENA_ARRAY(s->arena, ClassUse, s->names.classes.n_classes + 1)};
  for (uint32_t i = 0; i < m->vars.count; i++) {
    const ModelVar *v = &m->vars.items[i];
    if (v->kind != VAR_OP || !v->set || !op_contracts(m->p, v->op)) continue;
    count_op(s, v, &m->strategies.sets.items[v->set].items[s->choice[i]], axis, &use);
  }
  count_storage(s, axis, &use);
  count_gathered(s, axis, &use);
  return use;
}

// ---- text ----

static Kind kind_of(const ClassFacts *f, const ClassUse *u) {
  bool weight = u->columns + u->rows + u->both > 0 || f->n_parameters;
  return f->batch && u->both <= 0.5 * u->flops ? SPLIT_BATCH
         : weight                              ? SPLIT_WEIGHT
         : f->input                            ? SPLIT_INPUT
                                               : SPLIT_OTHER;
}

// Is the class a dimension of inputs and of parameters (a sequence with learned positions) that no
// contraction with a parameter is split along?
static bool is_input_only(const ClassFacts *f, const ClassUse *u) {
  return f->input && u->columns + u->rows + u->both <= 0;
}

static Kind use_kind(const Summary *s, const AxisUse *use, ClassId id) {
  const ClassFacts *f = &s->facts[id];
  const ClassUse *u = &use->classes[id];
  return !id ? SPLIT_OTHER : !f->batch && is_input_only(f, u) ? SPLIT_INPUT : kind_of(f, u);
}

static void put_class(Summary *s, ClassId id, Kind kind) {
  const ClassFacts *f = &s->facts[id];
  const Program *p = s->m->p;
  Str name = names_text(&s->names, id);
  strbuf_printf(s->out, "%.*s", (int)name.n, name.s);
  if (kind == SPLIT_WEIGHT && f->n_parameters) {
    strbuf_puts(s->out, " (");
    for (uint32_t i = 0; i < f->n_parameters; i++)
      strbuf_printf(s->out, "%s%.*s", i ? ", " : "", (int)f->parameters[i].n, f->parameters[i].s);
    strbuf_puts(s->out, ")");
  } else if (f->has_argument && kind != SPLIT_OTHER) {
    Str path = argument_path(p, s->m->entry, f->argument, s->arena);
    if (path.n)
      strbuf_printf(s->out, " (dimension %u of %.*s)", f->dim, (int)path.n, path.s);
    else
      strbuf_printf(s->out, " (dimension %u of argument %u)", f->dim, f->argument);
  }
}

typedef struct Share {
  ClassId id;
  double flops;
} Share;

static int by_flops(const void *a, const void *b) {
  const Share *x = a, *y = b;
  if (x->flops != y->flops) return x->flops > y->flops ? -1 : 1;
  return x->id < y->id ? -1 : 1;
}

// The classes of one kind, the most FLOPs first; their sum.
static double list_kind(Summary *s, const AxisUse *use, Kind kind, Share *out, uint32_t *out_n) {
  double sum = 0;
  *out_n = 0;
  for (ClassId id = 0; id <= s->names.classes.n_classes; id++) {
    if (use->classes[id].flops <= 0 || use_kind(s, use, id) != kind) continue;
    out[(*out_n)++] = (Share){id, use->classes[id].flops};
    sum += use->classes[id].flops;
  }
  qsort(out, *out_n, sizeof *out, by_flops);
  return sum;
}

// Megatron splits pairs of contractions by columns, then by rows.
static const char *tensor_word(const AxisUse *use, const Share *shares, uint32_t n) {
  double columns = 0, rows = 0, both = 0;
  for (uint32_t i = 0; i < n; i++) {
    const ClassUse *u = &use->classes[shares[i].id];
    columns += u->columns, rows += u->rows, both += u->both;
  }
  if (both > columns + rows) return "expert parallel";
  bool pairs = columns > 0.2 * rows && rows > 0.2 * columns;
  return pairs ? "Megatron" : "tensor parallel";
}

static const char *kind_word(Kind kind, const AxisUse *use, const Share *shares, uint32_t n) {
  switch (kind) {
  case SPLIT_BATCH: return "data parallel";
  case SPLIT_WEIGHT: return tensor_word(use, shares, n);
  case SPLIT_INPUT: return "sequence or spatial parallel";
  default: return "split activations";
  }
}

static const char *zero_word(const AxisUse *u) {
  bool stores = u->stored_parameters > 0.5 * u->parameters && u->parameters > 0;
  bool moments = u->stored_moments > 0.5 * u->moments && u->moments > 0;
  if (stores && u->gathered > 0.25 * u->parameters) return "ZeRO-3";
  return moments && !stores && u->parameters > 0 ? "ZeRO-1" : NULL;
}

static void put_kind(Summary *s, const AxisUse *use, Kind kind, Share *shares, bool *any) {
  uint32_t n;
  double sum = list_kind(s, use, kind, shares, &n);
  if (sum < least_share * use->all || !n) return;
  strbuf_printf(s->out, "%s%s on ", *any ? "; " : "", kind_word(kind, use, shares, n));
  for (uint32_t i = 0; i < n && i < MOST_SHOWN; i++) {
    if (i && shares[i].flops < least_share * use->all) break;
    if (i) strbuf_puts(s->out, ", ");
    if (shares[i].id)
      put_class(s, shares[i].id, kind);
    else
      strbuf_puts(s->out, "dimensions inside");
  }
  strbuf_printf(s->out, ": %.0f %% of the FLOPs", 100 * sum / use->all);
  *any = true;
}

static void put_axis(Summary *s, const AxisUse *use, Share *shares) {
  bool any = false;
  const char *zero = zero_word(use);
  if (use->all <= 0) {
    strbuf_puts(s->out, "no contractions");
    any = true;
  } else if (use->idle > 0.9 * use->all) {
    strbuf_puts(s->out, "every device computes the same");
    any = true;
  } else {
    // The kind with the most FLOPs first.
    bool done[SPLIT_KINDS] = {false};
    for (uint32_t round = 0; round < SPLIT_KINDS; round++) {
      Kind best = SPLIT_KINDS;
      double most = -1;
      for (uint32_t k = 0; k < SPLIT_KINDS; k++) {
        uint32_t n;
        double sum = done[k] ? -1 : list_kind(s, use, (Kind)k, shares, &n);
        if (sum > most) most = sum, best = (Kind)k;
      }
      done[best] = true;
      put_kind(s, use, best, shares, &any);
    }
    if (use->idle > least_share * use->all)
      strbuf_printf(s->out, "; %.0f %% of the FLOPs repeated", 100 * use->idle / use->all);
  }
  if (zero && strcmp(zero, "ZeRO-3") == 0)
    strbuf_puts(s->out, "; ZeRO-3: parameters are stored sharded, and gathered for their ops");
  else if (zero)
    strbuf_puts(s->out, "; ZeRO-1: optimizer state is sharded, parameters are not");
}

// The words that parameters of the axis have in common: "mlp", "attn".
static void put_groups(Summary *s, const AxisUse *use, const Share *shares, uint32_t n) {
  Str groups[MOST_SHOWN];
  uint32_t n_groups = 0;
  for (uint32_t i = 0; i < n; i++) {
    const ClassFacts *f = &s->facts[shares[i].id];
    if (shares[i].flops < least_share * use->all) break;
    for (uint32_t k = 0; k < f->n_parameters; k++) {
      Str name = f->parameters[k];
      const char *dot = memchr(name.s, '.', name.n);
      if (dot) name.n = (size_t)(dot - name.s);
      uint32_t g = 0;
      while (g < n_groups && !str_equal(groups[g], name)) g++;
      if (g == n_groups && n_groups < MOST_SHOWN) groups[n_groups++] = name;
    }
  }
  for (uint32_t g = 0; g < n_groups; g++)
    strbuf_printf(s->out, "%s%.*s",
                  !g                 ? " on "
                  : g + 1 < n_groups ? ", "
                                     : " and ",
                  (int)groups[g].n, groups[g].s);
}

static const char *const short_words[] = {"data", "tensor", "sequence or spatial", "activations"};

// Another kind that the axis serves for a quarter of the FLOPs or more.
static void put_second(Summary *s, const AxisUse *use, Kind first, Share *shares) {
  for (uint32_t k = 0; k < SPLIT_KINDS; k++) {
    uint32_t n;
    if (k != first && list_kind(s, use, (Kind)k, shares, &n) >= 0.25 * use->all)
      strbuf_printf(s->out, " (elsewhere %s)", short_words[k]);
  }
}

// "data x8, Megatron x4 on mlp and attn, ZeRO-1": the main kind of each axis.
static void put_headline(Summary *s, const AxisUse *uses, const Mesh *mesh, Share *shares) {
  bool any = false;
  for (uint32_t axis = 0; axis < mesh->n_axes; axis++) {
    const AxisUse *use = &uses[axis];
    Kind best = SPLIT_KINDS;
    double most = 0;
    uint32_t n;
    for (uint32_t k = 0; k < SPLIT_KINDS; k++) {
      double sum = list_kind(s, use, (Kind)k, shares, &n);
      if (sum > most) most = sum, best = (Kind)k;
    }
    const char *zero = zero_word(use);
    if (best == SPLIT_KINDS || use->idle > 0.9 * use->all) {
      if (zero) strbuf_printf(s->out, "%s%s x%u", any ? ", " : "", zero, mesh->axes[axis].size);
      any |= zero != NULL;
      continue;
    }
    list_kind(s, use, best, shares, &n);
    const char *word = best == SPLIT_WEIGHT ? tensor_word(use, shares, n) : short_words[best];
    size_t length = strlen(word), tail = strlen(" parallel");
    if (length > tail && strcmp(word + length - tail, " parallel") == 0) length -= tail;
    strbuf_printf(s->out, "%s%.*s x%u", any ? ", " : "", (int)length, word, mesh->axes[axis].size);
    if (best == SPLIT_WEIGHT) put_groups(s, use, shares, n);
    put_second(s, use, best, shares);
    if (zero) strbuf_printf(s->out, " with %s", zero);
    any = true;
  }
  if (!any) strbuf_puts(s->out, "replicated");
}

void plan_summary(Session *session, const Model *m, const uint32_t *choice, StrBuf *out) {
  const Mesh *mesh = sharding_mesh(m->strategies.table, m->strategies.mesh);
  Arena *arena = &session->arena;
  Summary s = {.m = m,
               .choice = choice,
               .graph = propagation_graph(session->propagation),
               .arena = arena,
               .is_parameter = ARENA_ARRAY(arena, bool, m->n_arguments + 1),
               .out = out};
  Diag diag;
  diag_init(&diag, session->guard, session->source);
  bool named = names_build(s.graph, arena, &diag, NULL, &s.names);
  diag_deinit(&diag);
  if (!named) return;
  s.instance = graph_instance_of(s.graph, m->entry);
  s.facts = ARENA_ARRAY(arena, ClassFacts, s.names.classes.n_classes + 1);
  find_parameters(&s);
  find_classes(&s);
  AxisUse *uses = ARENA_ARRAY(arena, AxisUse, mesh->n_axes + 1);
  Share *shares = ARENA_ARRAY(arena, Share, s.names.classes.n_classes + 2);
  for (uint32_t axis = 0; axis < mesh->n_axes; axis++) uses[axis] = count_axis(&s, axis);
  put_headline(&s, uses, mesh, shares);
  for (uint32_t axis = 0; axis < mesh->n_axes; axis++) {
    strbuf_printf(out, "\n%s=%u: ", name_text(m->p->context, mesh->axes[axis].name),
                  mesh->axes[axis].size);
    put_axis(&s, &uses[axis], shares);
  }
}
