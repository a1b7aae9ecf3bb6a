// Writes one op of the local program as decided: by its `localize` column, or as a copy with local
// types.
//
// Invariant. A copy is checked against the op's own `infer` with local types. If it is not valid
// (an attribute with sizes does not fit), the op is refused: t->refused is set, the functions
// written so far are erased, and the program is decided again with this op on replicated operands
// (partition.c).
//
// Cost. O(size of the local ops).
#include <string.h>

#include "explain/reason.h"
#include "partition/walk.h"

const ValueId *write_operands(Writer *w, const Decision *d) {
  ValueId *operands = ARENA_ARRAY(&w->t->scratch, ValueId, d->n_in + 1);
  for (uint32_t i = 0; i < d->n_in; i++) operands[i] = write_value(w, d->in[i]);
  return operands;
}

static const Type *result_types(Writer *w, const Decision *d) {
  Type *types = ARENA_ARRAY(&w->t->scratch, Type, d->n_out + 1);
  for (uint32_t i = 0; i < d->n_out; i++) types[i] = w->t->infos.items[d->out[i]].type;
  return types;
}

// ---- copies of ops ----

static OpId copy_without_regions(Partition *t, OpId op, const ValueId *operands, Attr attrs,
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

// Clears w->cloned for all values inside an op. O(its size).
static void forget_cloned(Writer *w, OpId op) {
  const Program *p = w->t->p;
  for (OpId o = op; o; o = op_walk_next(p, o, op)) {
    const Op *at = op_at(p, o);
    for (uint32_t i = 0; i < at->n_results; i++) w->cloned[at->results + i] = 0;
    for (uint32_t r = 0; r < at->n_regions; r++)
      for (BlockId b = region_at(p, at->regions + r)->first; b; b = block_at(p, b)->next)
        for (uint32_t i = 0; i < block_at(p, b)->n_args; i++) w->cloned[block_arg(p, b, i)] = 0;
  }
}

// A copy of an op with its regions. Values that these read from outside are replicated copies.
// O(its size).
static Status *copy_regions(Writer *w, const Decision *d, const ValueId *operands,
                            const Type *types, OpId *out) {
  Partition *t = w->t;
  for (uint32_t i = 0; i < d->n_captured; i++)
    w->cloned[d->captured[i].value] = write_value(w, d->captured[i].copy);
  OpId copy = op_clone(t->p, d->op, w->cloned, t->n_values);
  for (uint32_t i = 0; i < d->n_captured; i++) w->cloned[d->captured[i].value] = 0;
  forget_cloned(w, d->op);
  Op *o = op_at(t->p, copy);
  for (uint32_t i = 0; i < o->n_operands; i++) operand_set(t->p, o->operands + i, operands[i]);
  for (uint32_t i = 0; i < o->n_results; i++) value_at(t->p, o->results + i)->type = types[i];
  TRY(walk_clean_copy(t, copy, !d->is_manual));
  *out = copy;
  return NULL;
}

// Annotations are about the global value.
static void drop_annotations(Partition *t, OpId copy) {
  static const char *const names[] = {"sdy.sharding", "sdy.sharding_rule"};
  for (uint32_t i = 0; i < sizeof names / sizeof *names; i++)
    if (op_attr(t->p, copy, names[i])) op_set_attr(t->p, copy, names[i], 0);
}

Status *write_copy(Writer *w, const Decision *d, const ValueId *operands, Attr attrs,
                   const Type *types, OpId *out) {
  Partition *t = w->t;
  OpId op = d->op, copy = 0;
  if (op_at(t->p, op)->n_regions)
    TRY(copy_regions(w, d, operands, types, &copy));
  else
    copy = copy_without_regions(t, op, operands, attrs, types);
  op_at(t->p, copy)->attrs = attrs;
  op_at(t->p, copy)->origin = op;
  if (t->options.why && op_row(op_at(t->p, op)->code)->traits & TRAIT_COLLECTIVE)
    op_at(t->p, copy)->loc = reason_program(&t->words, op);
  drop_annotations(t, copy);
  op_append(t->p, w->b->block, copy);
  *out = copy;
  return NULL;
}

static void keep_results(Writer *w, const Decision *d, OpId made) {
  for (uint32_t i = 0; i < d->n_out; i++) w->values[d->out[i]] = op_result(w->t->p, made, i);
}

// ---- columns ----

// The user data of a Localizer while columns write.
typedef struct Column {
  Writer *w;
  const Decision *d;
} Column;

// localize_find while writing: the copy that find_copy of decide_op.c found.
static ValueId find_value(const Localizer *cx, ValueId v, Sharding sharding) {
  const Column *column = cx->user;
  const SplitDecision *split = column->d->split;
  for (uint32_t i = 0; i < split->n_found; i++)
    if (split->found[i].value == v && split->found[i].sharding == sharding)
      return write_value(column->w, split->found[i].copy);
  return 0;
}

// localize_copy. If the copy is not valid with local types, the op is refused. Writing goes on, to
// find all such ops in one pass.
static Status *copy_local(Localizer *cx, const ValueId *operands, Attr attrs, const Type *types,
                          ValueId *out) {
  const Column *column = cx->user;
  Writer *w = column->w;
  Partition *t = w->t;
  OpId copy;
  TRY(write_copy(w, column->d, operands, attrs, types, &copy));
  if (!localize_types_hold(t->p, copy, types, t->guard)) w->refused = t->refused[cx->op] = true;
  for (uint32_t i = 0; i < op_at(t->p, copy)->n_results; i++) out[i] = op_result(t->p, copy, i);
  return NULL;
}

// A column may rewrite the op or its regions (a comparator that also compares indices): removes
// shardings from the ops that it appended.
static Status *clean_after(Writer *w, OpId before) {
  const Program *p = w->t->p;
  OpId o = before ? op_at(p, before)->next : block_at(p, w->b->block)->first;
  for (; o; o = op_at(p, o)->next) {
    if (!op_at(p, o)->n_regions) continue;
    drop_annotations(w->t, o);
    TRY(walk_clean_copy(w->t, o, false));
  }
  return NULL;
}

static Status *write_split(Writer *w, const Decision *d) {
  Partition *t = w->t;
  Column column = {w, d};
  Localizer cx = d->split->cx;
  OpId before = block_at(t->p, w->b->block)->last;
  cx.builder = w->b;
  cx.in = write_operands(w, d);
  cx.out_types = result_types(w, d);
  cx.out = ARENA_ARRAY(&t->scratch, ValueId, d->n_out + 1);
  cx.find = find_value;
  cx.copy = copy_local;
  cx.user = &column;
  TRY(localize_write(&cx));
  if (op_at(t->p, d->op)->n_regions) TRY(clean_after(w, before));
  for (uint32_t i = 0; i < d->n_out; i++) w->values[d->out[i]] = cx.out[i];
  walk_note_written(t, d->note, w->b->block, before);
  if (t->options.on_split) t->options.on_split(t->options.user, &cx);
  return NULL;
}

static Status *write_replicated(Writer *w, const Decision *d) {
  Partition *t = w->t;
  OpId copy, before = block_at(t->p, w->b->block)->last;
  TRY(write_copy(w, d, write_operands(w, d), op_at(t->p, d->op)->attrs, result_types(w, d), &copy));
  keep_results(w, d, copy);
  walk_note_written(t, d->note, w->b->block, before);
  return NULL;
}

// ---- one device ----

// The value of a result on devices that skip the op: zeros, or a token.
static ValueId write_zero(Writer *w, Type type) {
  if (type_info(w->t->context, type)->kind == TYPE_TENSOR)
    return build_splat(w->b, type, scalar_i(0));
  return build_op(w->b, OP_create_token, 0, NULL, type, 0);
}

// A region of the `if`: the op, or zeros (operands is NULL).
static Status *write_branch(Writer *w, const Decision *d, RegionId region, const ValueId *operands,
                            const Type *types) {
  Partition *t = w->t;
  w->b->block = region_add_block(t->p, region);
  ValueId *returned = ARENA_ARRAY(&t->scratch, ValueId, d->n_out + 1);
  OpId copy = 0;
  if (operands) TRY(write_copy(w, d, operands, op_at(t->p, d->op)->attrs, types, &copy));
  for (uint32_t i = 0; i < d->n_out; i++)
    returned[i] = copy ? op_result(t->p, copy, i) : write_zero(w, types[i]);
  OpSpec end = {.code = OP_return,
                .n_operands = d->n_out,
                .operands = returned,
                .pos = POS_NONE,
                .origin = d->op};
  op_append(t->p, w->b->block, op_create(t->p, &end));
  return NULL;
}

// A synchronization of all devices: a value of at least 0, which is there when all devices have
// arrived. Without the optimization_barrier several of these ops would be merged, as they are
// equal.
static ValueId write_synchronization(Writer *w) {
  Builder *b = w->b;
  ValueId at = build_position(b);
  at = build_op(b, OP_optimization_barrier, 1, &at, value_type(b->p, at), 0);
  AxisList all = axes_complement(b->arena, sharding_mesh(b->table, b->mesh), (AxisList){NULL, 0});
  return build_all_reduce(b, at, all, COMBINE_MAX);
}

// Is this the device at the position? Waits for side effects of others if decided so.
static ValueId write_here(Writer *w, const Decision *d) {
  Builder *b = w->b;
  ValueId here = build_compare(b, "EQ", build_position(b), build_index(b, d->device->position));
  if (!d->device->waits) return here;
  Attr loc = b->loc;
  if (w->t->options.why) b->loc = reason_order(&w->t->words, d->op);
  ValueId met = build_compare(b, "GE", write_synchronization(w), build_index(b, 0));
  here = build_binary(b, OP_and, here, met);
  b->loc = loc;
  return here;
}

// A result, from the device that has it to its users.
static ValueId write_sent(Writer *w, const Decision *d, uint32_t i, ValueId local) {
  Builder *b = w->b;
  uint32_t position = d->device->position, to = d->device->sent[i];
  if (to == NOT_SENT || to == position) return local;
  Attr loc = b->loc;
  if (w->t->options.why)
    b->loc =
        reason_device(&w->t->words, d->op, mesh_device(sharding_mesh(b->table, b->mesh), position));
  local = to == SENT_TO_ALL ? build_broadcast_from(b, local, position)
                            : build_permute(b, local, 1, (const int64_t[][2]){{position, to}});
  b->loc = loc;
  return local;
}

static Status *write_on_device(Writer *w, const Decision *d) {
  Partition *t = w->t;
  Builder *b = w->b;
  const ValueId *operands = write_operands(w, d);
  const Type *types = result_types(w, d);
  ValueId here = write_here(w, d);
  OpSpec spec = {.code = OP_if,
                 .n_operands = 1,
                 .operands = &here,
                 .n_results = d->n_out,
                 .result_types = types,
                 .n_regions = 2,
                 .pos = op_at(t->p, d->op)->pos,
                 .origin = d->op};
  OpId made = op_create(t->p, &spec);
  op_append(t->p, b->block, made);
  BlockId outer = b->block;
  TRY(write_branch(w, d, op_region(t->p, made, 0), operands, types));
  TRY(write_branch(w, d, op_region(t->p, made, 1), NULL, types));
  b->block = outer;
  for (uint32_t i = 0; i < d->n_out; i++)
    w->values[d->out[i]] = write_sent(w, d, i, op_result(t->p, made, i));
  return NULL;
}

// ---- all ----

static Status *write_reshard(Writer *w, const Decision *d) {
  return local_reshard(w->b, w->network, write_value(w, d->in[0]), d->reshard.from, d->reshard.to,
                       value_type(w->t->p, d->reshard.value), &w->values[d->out[0]]);
}

Status *write_op(Writer *w, const Decision *d) {
  switch (d->kind) {
  case DECISION_RESHARD: return write_reshard(w, d);
  case DECISION_SPLIT:
  case DECISION_REMATERIALIZE: return write_split(w, d);
  case DECISION_REPLICATED:
  case DECISION_CALL: return write_replicated(w, d);
  case DECISION_ON_DEVICE: return write_on_device(w, d);
  case DECISION_DEVICE_ID:
    w->values[d->out[0]] = build_splat(w->b, op_result_type(w->t->p, d->op, 0), scalar_i(0));
    return NULL;
  default: FAIL(INTERNAL, "a decision of kind %d is not about an op", d->kind);
  }
}
