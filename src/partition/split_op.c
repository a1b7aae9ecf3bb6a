// One op on tiles: operands brought to the shardings that were chosen, the op written by its own
// column or copied, results kept as they come.
#include <string.h>

#include "explain/reason.h"
#include "partition/walk.h"

// ---- copies ----

// Copies an op onto local operands.
static OpId copy_plain(Partition *t, OpId op, const ValueId *operands, Attr attrs,
                       const Type *types) {
  const Op *o = op_at(t->p, op);
  OpSpec spec = {.code = o->code,
                 .name = o->name,
                 .n_operands = o->n_operands,
                 .operands = operands,
                 .n_results = o->n_results,
                 .result_types = types,
                 .attrs = attrs,
                 .loc = o->loc,
                 .pos = o->pos};
  return op_create(t->p, &spec);
}

// No value inside an op is mapped to a clone's any more. O(its size).
static void forget_cloned(Partition *t, OpId op) {
  for (OpId o = op; o; o = op_walk_next(t->p, o, op)) {
    const Op *at = op_at(t->p, o);
    for (uint32_t i = 0; i < at->n_results; i++) t->cloned[at->results + i] = 0;
    for (uint32_t r = 0; r < at->n_regions; r++)
      for (BlockId b = region_at(t->p, at->regions + r)->first; b; b = block_at(t->p, b)->next)
        for (uint32_t i = 0; i < block_at(t->p, b)->n_args; i++)
          t->cloned[block_arg(t->p, b, i)] = 0;
  }
}

// The same with its regions. What these take from outside must be whole. O(its size).
static Status *copy_regions(Partition *t, OpId op, const ValueId *operands, const Type *types,
                            OpId *out) {
  VEC(ValueId) outside = {0};
  for (OpId o = op_walk_next(t->p, op, op); o; o = op_walk_next(t->p, o, op))
    for (uint32_t i = 0; i < op_at(t->p, o)->n_operands; i++) {
      ValueId v = op_operand(t->p, o, i);
      if (v < t->n_values && t->parts[v]) VEC_PUSH(&t->scratch, &outside, v);
    }
  ValueId *locals = ARENA_ARRAY(&t->scratch, ValueId, outside.count + 1);
  for (uint32_t i = 0; i < outside.count; i++) TRY(walk_get(t, outside.items[i], 0, &locals[i]));
  for (uint32_t i = 0; i < outside.count; i++) t->cloned[outside.items[i]] = locals[i];
  OpId copy = op_clone(t->p, op, t->cloned, t->n_values);
  for (uint32_t i = 0; i < outside.count; i++) t->cloned[outside.items[i]] = 0;
  forget_cloned(t, op);
  Op *o = op_at(t->p, copy);
  for (uint32_t i = 0; i < o->n_operands; i++) operand_set(t->p, o->operands + i, operands[i]);
  for (uint32_t i = 0; i < o->n_results; i++) value_at(t->p, o->results + i)->type = types[i];
  TRY(walk_clean_copy(t, copy, !t->manual));
  *out = copy;
  return NULL;
}

Status *walk_copy_op(Partition *t, OpId op, const ValueId *operands, Attr attrs, const Type *types,
                     OpId *out) {
  OpId copy = 0;
  if (op_at(t->p, op)->n_regions)
    TRY(copy_regions(t, op, operands, types, &copy));
  else
    copy = copy_plain(t, op, operands, attrs, types);
  op_at(t->p, copy)->attrs = attrs;
  op_at(t->p, copy)->origin = op;
  if (t->options && t->options->why && op_row(op_at(t->p, op)->code)->traits & TRAIT_COLLECTIVE)
    op_at(t->p, copy)->loc = reason_program(&t->words, op);
  // What is said of the whole is not said of a part.
  if (attr_get(t->context, attrs, "sdy.sharding")) op_set_attr(t->p, copy, "sdy.sharding", 0);
  if (attr_get(t->context, attrs, "sdy.sharding_rule"))
    op_set_attr(t->p, copy, "sdy.sharding_rule", 0);
  op_append(t->p, t->local.block, copy);
  *out = copy;
  return NULL;
}

// What localize_find does.
static ValueId find_part(const Localizer *cx, ValueId v, Sharding sharding) {
  Partition *t = cx->user;
  for (Part *part = t->parts[v]; part; part = part->next)
    if (part->sharding == sharding) {
      part->used = t->clock;
      return part->value;
    }
  return 0;
}

// What localize_copy does: an op on tiles, which must mean the same with their types.
static Status *copy_local(Localizer *cx, const ValueId *operands, Attr attrs, const Type *types,
                          ValueId *out) {
  Partition *t = cx->user;
  OpId copy;
  TRY(walk_copy_op(t, cx->op, operands, attrs, types, &copy));
  if (!localize_holds(t->p, copy, types, t->guard))
    FAIL(FAILED_PRECONDITION, "the op has no meaning on tiles");
  for (uint32_t i = 0; i < op_at(t->p, copy)->n_results; i++) out[i] = op_result(t->p, copy, i);
  return NULL;
}

// ---- tiles ----

void localizer_init(Partition *t, OpId op, const FactorMap *m, Localizer *cx) {
  localize_init(cx, &t->local, op, m);
  bool *whole = ARENA_ARRAY(&t->scratch, bool, m->n_operands + 1);
  for (uint32_t i = 0; i < m->n_operands; i++) {
    ValueId v = op_operand(t->p, op, i);
    whole[i] = walk_is_remade(t, v);
    for (const Part *part = t->parts[v]; part; part = part->next) whole[i] |= !part->sharding;
  }
  cx->wished = ARENA_ARRAY(&t->scratch, AxisList, m->n_factors + 1);
  cx->whole = whole;
  cx->find = find_part;
  cx->copy = copy_local;
  cx->user = t;
}

// Takes back everything since.
static void erase_after(Partition *t, OpId last) {
  for (OpId o = block_at(t->p, t->local.block)->last, prev; o != last; o = prev) {
    prev = op_at(t->p, o)->prev;
    op_erase(t->p, o);
  }
}

// A column may write the op's own regions anew (a comparator that also goes by places).
static Status *clean_after(Partition *t, OpId last) {
  BlockId block = t->local.block;
  OpId o = last ? op_at(t->p, last)->next : block_at(t->p, block)->first;
  for (; o; o = op_at(t->p, o)->next)
    if (op_at(t->p, o)->n_regions) TRY(walk_clean_copy(t, o, false));
  return NULL;
}

static Status *write_tiles(Partition *t, Choice *choice, OpId *out_before) {
  Localizer *cx = &choice->cx;
  const FactorMap *m = cx->map;
  ValueId *in = ARENA_ARRAY(&t->scratch, ValueId, m->n_operands + 1);
  Type *types = ARENA_ARRAY(&t->scratch, Type, m->n_results + 1);
  for (uint32_t i = 0; i < m->n_operands; i++)
    TRY(walk_get(t, op_operand(t->p, cx->op, i), choice->in_as[i], &in[i]));
  for (uint32_t i = 0; i < m->n_results; i++)
    types[i] = walk_part_type(t, choice->out_as[i], op_result_type(t->p, cx->op, i));
  cx->in = in;
  cx->in_as = choice->in_as;
  cx->out_as = choice->out_as;
  cx->out_types = types;
  cx->out = ARENA_ARRAY(&t->scratch, ValueId, m->n_results + 1);
  *out_before = block_at(t->p, t->local.block)->last;
  Attr loc = t->local.loc;
  if (t->options && t->options->why && cx->bytes > 0) t->local.loc = reason_op(&t->words, cx->op);
  Status *status = localize_write(cx);
  t->local.loc = loc;
  return status;
}

// *out_done is false, and nothing written, if the op has no meaning on tiles after all.
static Status *put_tiles(Partition *t, Choice *choice, bool *out_done) {
  OpId last = block_at(t->p, t->local.block)->last, before = 0;
  uint32_t mark = walk_mark(t);
  Status *status = write_tiles(t, choice, &before);
  if (!status && op_at(t->p, choice->cx.op)->n_regions) status = clean_after(t, last);
  *out_done = !status;
  if (!status) {
    walk_note(t, choice->cx.op, &choice->cx, before);
    if (t->options && t->options->on_split) t->options->on_split(t->options->user, &choice->cx);
    return NULL;
  }
  if (status_code(status) != FAILED_PRECONDITION) return status;
  status_free(status);
  walk_rewind(t, mark);
  erase_after(t, last);
  return NULL;
}

static bool must_be_whole(const Partition *t, OpId op) {
  const Op *o = op_at(t->p, op);
  bool whole = (op_traits(t->p, op) & TRAIT_SIZED_BY_VALUES) != 0;
  for (uint32_t i = 0; i < o->n_operands; i++)
    whole |= !walk_is_movable(t, op_operand_type(t->p, op, i));
  for (uint32_t i = 0; i < o->n_results; i++)
    whole |= !walk_is_movable(t, op_result_type(t->p, op, i));
  return whole;
}

bool walk_factors(Partition *t, OpId op, FactorMap *out) {
  if (!t->mesh || must_be_whole(t, op)) return false;
  FactorOptions options = {.own = true};
  if (t->options && t->options->call_rules) {
    options.custom_call = custom_rules_factors;
    options.user = t->options->call_rules;
  }
  return op_factors(t->p, op, &options, &t->scratch, out);
}

Status *walk_split_op(Partition *t, OpId op) {
  FactorMap m;
  bool done = false;
  if (walk_factors(t, op, &m)) {
    Choice choice;
    choose_split(t, op, &m, &choice);
    TRY(put_tiles(t, &choice, &done));
    for (uint32_t i = 0; done && i < m.n_results; i++)
      TRY(walk_finish(t, op_result(t->p, op, i), choice.cx.out[i], choice.out_as[i]));
  }
  return done ? NULL : walk_whole_op(t, op);
}

// With whole operands; what the op makes is whole.
Status *walk_whole_op(Partition *t, OpId op) {
  uint32_t n_operands = op_at(t->p, op)->n_operands, n_results = op_at(t->p, op)->n_results;
  ValueId *operands = ARENA_ARRAY(&t->scratch, ValueId, n_operands + 1);
  Type *types = ARENA_ARRAY(&t->scratch, Type, n_results + 1);
  for (uint32_t i = 0; i < n_operands; i++)
    TRY(walk_get(t, op_operand(t->p, op, i), 0, &operands[i]));
  for (uint32_t i = 0; i < n_results; i++) types[i] = op_result_type(t->p, op, i);
  OpId copy, before = block_at(t->p, t->local.block)->last;
  TRY(walk_copy_op(t, op, operands, op_at(t->p, op)->attrs, types, &copy));
  walk_note(t, op, NULL, before);
  for (uint32_t i = 0; i < n_results; i++)
    TRY(walk_finish(t, op_result(t->p, op, i), op_result(t->p, copy, i), 0));
  return NULL;
}

// ---- made anew ----

// Every device has all of it, and will.
static bool is_whole(const Partition *t, ValueId v) {
  const Part *part = t->parts[v];
  while (part && (part->sharding || part->gathered)) part = part->next;
  return part;
}

// Constants, iota, broadcasts of scalars and of what is whole: what is made of nothing large.
bool walk_is_remade(const Partition *t, ValueId v) {
  OpId op = value_def(t->p, v);
  if (!op || op_at(t->p, op)->n_results != 1 || op_at(t->p, op)->n_regions) return false;
  const OpRow *row = op_row(op_at(t->p, op)->code);
  if (!(row->traits & TRAIT_PURE) || !(row->traits & (TRAIT_CONSTANT | TRAIT_EXPANDS)))
    return false;
  for (uint32_t i = 0; i < op_at(t->p, op)->n_operands; i++) {
    bool scalar = !type_info(t->context, op_operand_type(t->p, op, i))->rank;
    if (!(scalar || row->traits & TRAIT_EXPANDS) || !is_whole(t, op_operand(t->p, op, i)))
      return false;
  }
  return walk_is_movable(t, value_type(t->p, v));
}

Status *walk_remake(Partition *t, ValueId v, Sharding sharding) {
  OpId op = value_def(t->p, v), origin = t->local.origin;
  FactorMap m;
  Choice choice;
  bool done = false;
  if (!walk_factors(t, op, &m)) return NULL;
  t->local.origin = op;
  choose_for_result(t, op, &m, sharding, &choice);
  TRY(put_tiles(t, &choice, &done));
  if (done) walk_set(t, v, choice.cx.out[0], choice.out_as[0]);
  t->local.origin = origin;
  return NULL;
}
