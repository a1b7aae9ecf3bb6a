// One op on shards, or on replicated operands: the choice (choose.c), copies of the operands in the
// chosen shardings, and the decision.
//
// Invariant. An op without a factor map, or one that the writer refused (t->refused), runs on
// replicated operands: this is correct for every op. Results keep the sharding that the op gives
// them until a user needs another (copies.c).
//
// Cost. O(factors + tensors · rank) besides the choice.
#include <string.h>

#include "explain/reason.h"
#include "partition/walk.h"

// ---- columns ----

// localize_find while deciding: is there such a copy? The copies that a column asks for are listed
// in t->found, where the writer looks them up.
static ValueId find_copy(const Localizer *cx, ValueId v, Sharding sharding) {
  Partition *t = cx->user;
  for (Copy *copy = t->copies[v]; copy; copy = copy->next)
    if (copy->sharding == sharding) {
      copy->used = t->clock;
      VEC_PUSH(&t->arena, &t->found, ((FoundCopy){v, sharding, copy->id}));
      return copy->id;
    }
  return 0;
}

// cx->replicated: per operand, whether a replicated copy costs nothing.
void localizer_init(Partition *t, OpId op, const FactorMap *m, Localizer *cx) {
  localize_init(cx, &t->local, op, m);
  bool *replicated = ARENA_ARRAY(&t->scratch, bool, m->n_operands + 1);
  for (uint32_t i = 0; i < m->n_operands; i++) {
    ValueId v = op_operand(t->p, op, i);
    replicated[i] = walk_is_rematerialized(t, v);
    for (const Copy *copy = t->copies[v]; copy; copy = copy->next) replicated[i] |= !copy->sharding;
  }
  cx->preferred = ARENA_ARRAY(&t->scratch, AxisList, m->n_factors + 1);
  cx->replicated = replicated;
  cx->find = find_copy;
  cx->user = t;
}

// ---- keeping a choice ----

static AxisList keep_axes(Arena *arena, AxisList axes) {
  if (!axes.n) return (AxisList){NULL, 0};
  return (AxisList){arena_copy(arena, axes.v, axes.n * sizeof *axes.v), axes.n};
}

static FactorMap keep_map(Arena *arena, const FactorMap *m) {
  FactorMap kept = *m;
  uint32_t n_tensors = factor_map_n_tensors(m), n_dims = m->tensor_dims[n_tensors];
  uint32_t n_places = m->dim_occurrences[n_dims];
  kept.factors = arena_copy(arena, m->factors, m->n_factors * sizeof *m->factors);
  kept.tensor_dims = arena_copy(arena, m->tensor_dims, (n_tensors + 1) * sizeof *m->tensor_dims);
  kept.dim_occurrences =
      arena_copy(arena, m->dim_occurrences, (n_dims + 1) * sizeof *m->dim_occurrences);
  kept.places = arena_copy(arena, m->places, n_places * sizeof *m->places);
  if (m->enters_once)
    kept.enters_once = arena_copy(arena, m->enters_once, m->n_operands * sizeof *m->enters_once);
  return kept;
}

static FactorSplit *keep_splits(Arena *arena, const FactorSplit *splits, uint32_t n) {
  FactorSplit *kept = arena_copy(arena, splits, n * sizeof *splits);
  for (uint32_t f = 0; f < n; f++) {
    kept[f].axes = keep_axes(arena, splits[f].axes);
    if (!splits[f].n_strides) continue;
    ShardFactor *strides =
        arena_copy(arena, splits[f].strides, splits[f].n_strides * sizeof *splits[f].strides);
    for (uint32_t i = 0; i < splits[f].n_strides; i++)
      strides[i].axes = keep_axes(arena, strides[i].axes);
    kept[f].strides = strides;
  }
  return kept;
}

// A choice is in scratch; its decision outlives the walk. O(factors).
static SplitDecision *keep_split(Partition *t, const Choice *choice) {
  const Localizer *cx = &choice->cx;
  const FactorMap *m = cx->map;
  Arena *arena = &t->arena;
  SplitDecision *split = ARENA_NEW(arena, SplitDecision);
  split->map = keep_map(arena, m);
  split->cx = *cx;
  split->cx.map = &split->map;
  split->cx.splits = keep_splits(arena, cx->splits, m->n_factors);
  split->cx.has = arena_copy(arena, cx->has, (size_t)factor_map_n_tensors(m) * m->n_factors);
  split->cx.preferred = arena_copy(arena, cx->preferred, m->n_factors * sizeof *cx->preferred);
  for (uint32_t f = 0; f < m->n_factors; f++)
    split->cx.preferred[f] = keep_axes(arena, cx->preferred[f]);
  split->cx.replicated = arena_copy(arena, cx->replicated, m->n_operands * sizeof *cx->replicated);
  split->cx.in_as = arena_copy(arena, choice->in_as, m->n_operands * sizeof *choice->in_as);
  split->cx.out_as = arena_copy(arena, choice->out_as, m->n_results * sizeof *choice->out_as);
  split->mesh = t->mesh;
  split->partial = choice->partial;
  split->found = arena_copy(arena, t->found.items, t->found.count * sizeof *t->found.items);
  split->n_found = t->found.count;
  return split;
}

// ---- deciding ----

// Decides an op on shards. The copies of operands come first: their decisions precede the op's, and
// a decision's address is valid until the next one is appended. *out: copies of the results.
static Status *decide_split(Partition *t, DecisionKind kind, const Choice *choice,
                            const CopyId **out) {
  OpId op = choice->cx.op;
  const SplitDecision *split = keep_split(t, choice);
  const Localizer *cx = &split->cx;
  uint32_t n_in = split->map.n_operands, n_out = split->map.n_results, n_captured = 0;
  CopyId *in = ARENA_ARRAY(&t->scratch, CopyId, n_in + 1);
  const FoundCopy *captured = NULL;
  for (uint32_t i = 0; i < n_in; i++)
    TRY(walk_get(t, op_operand(t->p, op, i), cx->in_as[i], &in[i]));
  TRY(walk_capture(t, op, &captured, &n_captured));
  Decision *d = walk_decide(t, kind, op, n_in, n_out);
  memcpy(decision_in(d), in, n_in * sizeof *in);
  for (uint32_t i = 0; i < n_out; i++)
    decision_out(d)[i] = walk_new_copy(t, op_result(t->p, op, i), cx->out_as[i], 0);
  d->captured = captured;
  d->n_captured = n_captured;
  d->split = split;
  d->price = choice->price;
  d->why = choice->why;
  if (t->options.why && cx->bytes > 0) d->loc = reason_op(&t->words, op);
  d->note = walk_note(t, op, cx);
  *out = d->out;
  return NULL;
}

// Shapes that depend on values (dynamic ops), and types that no collective moves.
static bool must_be_replicated(const Partition *t, OpId op) {
  const Op *o = op_at(t->p, op);
  bool must = (op_traits(t->p, op) & TRAIT_SIZED_BY_VALUES) != 0;
  for (uint32_t i = 0; i < o->n_operands; i++)
    must |= !walk_is_movable(t, op_operand_type(t->p, op, i));
  for (uint32_t i = 0; i < o->n_results; i++)
    must |= !walk_is_movable(t, op_result_type(t->p, op, i));
  return must;
}

bool walk_factors(Partition *t, OpId op, Arena *arena, FactorMap *out) {
  if (!t->mesh || t->refused[op] || must_be_replicated(t, op)) return false;
  FactorOptions options = {.own = true};
  if (t->options.call_rules) {
    options.custom_call = custom_rules_factors;
    options.user = t->options.call_rules;
  }
  return op_factors(t->p, op, &options, arena, out);
}

// The given choice, or the cheapest.
static Status *choose(Partition *t, OpId op, const FactorMap *m, const GivenDecision *given,
                      Choice *out) {
  if (!given) {
    choose_split(t, op, m, out);
    return NULL;
  }
  const char *refused = NULL;
  choose_given(t, op, m, given, out, &refused);
  return refused ? given_refuse(t, op, given->line, refused) : NULL;
}

Status *walk_split_op(Partition *t, OpId op) {
  FactorMap m;
  const GivenDecision *given = given_op(t, op);
  bool splits = walk_factors(t, op, &t->scratch, &m);
  t->found.count = 0;
  if (!splits || (given && given->kind == DECISION_REPLICATED)) return walk_replicated_op(t, op);
  if (given && given->kind != DECISION_SPLIT)
    return given_refuse(t, op, given->line, "it is neither control flow nor a call");
  Choice choice;
  TRY(choose(t, op, &m, given, &choice));
  const CopyId *out;
  TRY(decide_split(t, DECISION_SPLIT, &choice, &out));
  for (uint32_t i = 0; i < m.n_results; i++)
    TRY(walk_finish(t, op_result(t->p, op, i), out[i], choice.out_as[i]));
  return NULL;
}

Status *walk_replicated_op(Partition *t, OpId op) {
  uint32_t n_in = op_at(t->p, op)->n_operands, n_out = op_at(t->p, op)->n_results, n_captured = 0;
  const GivenDecision *given = given_op(t, op);
  if (given && given->kind != DECISION_REPLICATED)
    return given_refuse(t, op, given->line,
                        t->refused[op] ? "the op is not valid with these local types"
                                       : "the op can run on replicated operands only");
  CopyId *in = ARENA_ARRAY(&t->scratch, CopyId, n_in + 1);
  const FoundCopy *captured = NULL;
  for (uint32_t i = 0; i < n_in; i++) TRY(walk_get(t, op_operand(t->p, op, i), 0, &in[i]));
  TRY(walk_capture(t, op, &captured, &n_captured));
  Decision *d = walk_decide(t, DECISION_REPLICATED, op, n_in, n_out);
  memcpy(decision_in(d), in, n_in * sizeof *in);
  for (uint32_t i = 0; i < n_out; i++)
    decision_out(d)[i] = walk_new_copy(t, op_result(t->p, op, i), 0, 0);
  d->captured = captured;
  d->n_captured = n_captured;
  d->note = walk_note(t, op, NULL);
  const CopyId *out = d->out;
  for (uint32_t i = 0; i < n_out; i++) TRY(walk_finish(t, op_result(t->p, op, i), out[i], 0));
  return NULL;
}

// ---- rematerialized ----

// Has the value a replicated copy that is not forgotten (a gathered copy of an argument is)?
static bool stays_replicated(const Partition *t, ValueId v) {
  const Copy *copy = t->copies[v];
  while (copy && (copy->sharding || copy->gathered)) copy = copy->next;
  return copy;
}

// Constants, iota, broadcasts of scalars and of replicated values: ops without large operands.
bool walk_is_rematerialized(const Partition *t, ValueId v) {
  OpId op = value_def(t->p, v);
  if (!op || op_at(t->p, op)->n_results != 1 || op_at(t->p, op)->n_regions) return false;
  const OpRow *row = op_row(op_at(t->p, op)->code);
  if (!(row->traits & TRAIT_PURE) || !(row->traits & (TRAIT_CONSTANT | TRAIT_EXPANDS)))
    return false;
  for (uint32_t i = 0; i < op_at(t->p, op)->n_operands; i++) {
    bool scalar = !type_info(t->context, op_operand_type(t->p, op, i))->rank;
    if (!(scalar || row->traits & TRAIT_EXPANDS) || !stays_replicated(t, op_operand(t->p, op, i)))
      return false;
  }
  return walk_is_movable(t, value_type(t->p, v));
}

// A second decision about the same op, with the result in another sharding. Operands are scalars or
// replicated, so that this needs no communication. The chosen sharding may differ from the
// requested one, if the op cannot be split so; then walk_get reshards.
Status *walk_rematerialize(Partition *t, ValueId v, Sharding sharding) {
  OpId op = value_def(t->p, v), origin = t->local.origin;
  FactorMap m;
  Choice choice;
  if (!walk_factors(t, op, &t->scratch, &m)) return NULL;
  t->found.count = 0;
  t->local.origin = op;
  choose_for_result(t, op, &m, sharding, &choice);
  const CopyId *out;
  TRY(decide_split(t, DECISION_REMATERIALIZE, &choice, &out));
  Decision *d = &t->decisions.items[t->decisions.count - 1];
  d->user = origin;
  d->required = sharding;
  walk_set(t, v, out[0], choice.out_as[0]);
  t->local.origin = origin;
  return NULL;
}
