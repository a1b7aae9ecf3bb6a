// Ops that one device computes for all: side effects, which happen once, and ops with a
// single-device sharding. The op stands in an `if` on the device's place in the mesh, with whole
// operands; the other devices do nothing, and what it gives is sent to its users.
//
//   users on the same device alone     nothing is sent
//   users on one other device alone    a collective_permute
//   others                             a collective_broadcast, after which it is replicated
//
// Each of these sends no more than the next.
//
// Side effects keep the program's order. One device does its own in order; where they are on
// several devices, one that follows an effect of another device waits at an all_reduce until that
// is done.
#include "explain/reason.h"
#include "partition/single_device.h"
#include "partition/walk.h"

// ---- who uses it ----

static bool can_be_sent(const Partition *t, Type type) {
  TypeKind kind = type_info(t->context, type)->kind;
  return kind == TYPE_TOKEN || (kind == TYPE_TENSOR && walk_is_movable(t, type));
}

// The position in the mesh of the device that computes the op; NO_DEVICE: all do.
static uint32_t position_of(Partition *t, OpId op) {
  const Mesh *mesh = sharding_mesh(t->table, t->mesh);
  if (!mesh || t->manual) return NO_DEVICE;
  uint32_t device = single_device_of(t->p, &t->functions, op, &t->scratch);
  if (device == NO_DEVICE || !mesh_has_device(mesh, device) || !single_device_can(t->p, op))
    return NO_DEVICE;
  for (uint32_t i = 0; i < op_at(t->p, op)->n_results; i++)
    if (!can_be_sent(t, op_result_type(t->p, op, i))) return NO_DEVICE;
  return mesh_position(mesh, device);
}

// The one position at which all users of a value are, each of which takes it as an operand in the
// same block; NO_DEVICE: there are others.
static uint32_t users_position(Partition *t, ValueId v) {
  uint32_t at = NO_DEVICE;
  OpId def = value_def(t->p, v);
  for (OperandId use = value_at(t->p, v)->first_use; use; use = operand_at(t->p, use)->next_use) {
    OpId user = operand_at(t->p, use)->user;
    uint32_t one =
        op_at(t->p, user)->block == op_at(t->p, def)->block ? position_of(t, user) : NO_DEVICE;
    if (one == NO_DEVICE || (at != NO_DEVICE && one != at)) return NO_DEVICE;
    at = one;
  }
  return at;
}

// ---- operands and results ----

// What only ops at one position take has no parts: it is where it was made, or was sent there.
static Status *get_operand(Partition *t, ValueId v, ValueId *out) {
  if (t->parts[v]) return walk_get(t, v, 0, out);
  *out = t->only_there[v];
  if (!*out) FAIL(INTERNAL, "a value of one device is used before it is there");
  return NULL;
}

static ValueId nothing(Partition *t, Type type) {
  if (type_info(t->context, type)->kind == TYPE_TENSOR)
    return build_splat(&t->local, type, scalar_i(0));
  return build_op(&t->local, OP_create_token, 0, NULL, type, 0);
}

// A result that the device at the position has, to its users.
static Status *send_result(Partition *t, OpId op, uint32_t i, ValueId local, uint32_t position) {
  Builder *l = &t->local;
  ValueId v = op_result(t->p, op, i);
  if (type_info(t->context, value_type(t->p, v))->kind != TYPE_TENSOR || !value_has_uses(t->p, v))
    return walk_finish(t, v, local, 0);
  uint32_t users = users_position(t, v);
  Attr loc = l->loc;
  if (t->options && t->options->why)
    l->loc = reason_device(&t->words, op, mesh_device(sharding_mesh(t->table, t->mesh), position));
  if (users != NO_DEVICE) {
    t->only_there[v] = local;
    if (users != position)
      t->only_there[v] = build_permute(l, local, 1, (const int64_t[][2]){{position, users}});
  } else {
    TRY(walk_finish(t, v, build_from(l, local, position), 0));
  }
  l->loc = loc;
  return NULL;
}

// ---- the op ----

static Status *check_results(Partition *t, OpId op, Type *types) {
  for (uint32_t i = 0; i < op_at(t->p, op)->n_results; i++) {
    types[i] = op_result_type(t->p, op, i);
    if (!can_be_sent(t, types[i]))
      return walk_unimplemented(
          t, op,
          "has side effects and results that cannot be sent to other devices: "
          "neither tensors of known size nor tokens");
  }
  return NULL;
}

// One of the two regions of the `if`: the op, or nothing.
static Status *put_branch(Partition *t, OpId op, RegionId region, const ValueId *operands,
                          const Type *types) {
  Builder *l = &t->local;
  uint32_t n_results = op_at(t->p, op)->n_results;
  l->block = region_add_block(t->p, region);
  ValueId *gives = ARENA_ARRAY(&t->scratch, ValueId, n_results + 1);
  OpId copy = 0;
  if (operands) TRY(walk_copy_op(t, op, operands, op_at(t->p, op)->attrs, types, &copy));
  for (uint32_t i = 0; i < n_results; i++)
    gives[i] = copy ? op_result(t->p, copy, i) : nothing(t, types[i]);
  OpSpec end = {
      .code = OP_return, .n_operands = n_results, .operands = gives, .pos = POS_NONE, .origin = op};
  op_append(t->p, l->block, op_create(t->p, &end));
  return NULL;
}

// What regions of the op take from outside is made whole before the `if`: no collective stands
// under control flow that differs between devices.
static Status *settle_captured(Partition *t, OpId op) {
  for (OpId o = op_walk_next(t->p, op, op); o; o = op_walk_next(t->p, o, op))
    for (uint32_t i = 0; i < op_at(t->p, o)->n_operands; i++) {
      ValueId v = op_operand(t->p, o, i), local;
      if (v < t->n_values && t->parts[v]) TRY(walk_get(t, v, 0, &local));
    }
  return NULL;
}

// What is 0 or more on every device, once all of them have come here. Meetings are alike: the
// optimization_barrier keeps each of them where it is.
static ValueId put_meeting(Partition *t) {
  Builder *l = &t->local;
  ValueId at = build_position(l);
  at = build_op(l, OP_optimization_barrier, 1, &at, value_type(t->p, at), 0);
  AxisList all = axes_complement(l->arena, sharding_mesh(t->table, t->mesh), (AxisList){NULL, 0});
  return build_all_reduce(l, at, all, COMBINE_MAX);
}

// Whether this device computes what the device at the position does.
static ValueId put_here(Partition *t, OpId op, uint32_t position) {
  Builder *l = &t->local;
  ValueId here = build_compare(l, "EQ", build_position(l), build_index(l, position));
  if (!t->orders_effects || !op_has_effects(t->p, op)) return here;
  if (t->effect_at != position) {
    Attr loc = l->loc;
    if (t->options && t->options->why) l->loc = reason_order(&t->words, op);
    ValueId met = build_compare(l, "GE", put_meeting(t), build_index(l, 0));
    here = build_binary(l, OP_and, here, met);
    l->loc = loc;
  }
  t->effect_at = position;
  return here;
}

static Status *put_on(Partition *t, OpId op, uint32_t position) {
  Builder *l = &t->local;
  uint32_t n_operands = op_at(t->p, op)->n_operands, n_results = op_at(t->p, op)->n_results;
  ValueId *operands = ARENA_ARRAY(&t->scratch, ValueId, n_operands + 1);
  Type *types = ARENA_ARRAY(&t->scratch, Type, n_results + 1);
  for (uint32_t i = 0; i < n_operands; i++)
    TRY(get_operand(t, op_operand(t->p, op, i), &operands[i]));
  TRY(check_results(t, op, types));
  TRY(settle_captured(t, op));
  ValueId here = put_here(t, op, position);
  OpSpec spec = {.code = OP_if,
                 .n_operands = 1,
                 .operands = &here,
                 .n_results = n_results,
                 .result_types = types,
                 .n_regions = 2,
                 .pos = op_at(t->p, op)->pos,
                 .origin = op};
  OpId made = op_create(t->p, &spec);
  op_append(t->p, l->block, made);
  BlockId outer = l->block;
  TRY(put_branch(t, op, op_region(t->p, made, 0), operands, types));
  TRY(put_branch(t, op, op_region(t->p, made, 1), NULL, types));
  l->block = outer;
  for (uint32_t i = 0; i < n_results; i++)
    TRY(send_result(t, op, i, op_result(t->p, made, i), position));
  return NULL;
}

void walk_find_effects(Partition *t) {
  uint32_t at = NO_DEVICE;
  for (OpId o = t->p->root; o; o = op_walk_next(t->p, o, t->p->root)) {
    const OpRow *row = op_row(op_at(t->p, o)->code);
    bool flows = row->def && row->def->flow;
    if (!op_has_effects(t->p, o) || op_is_check(t->p, o) || flows ||
        row->traits & (TRAIT_FUNCTION | TRAIT_TERMINATOR | TRAIT_SYMBOL | TRAIT_COLLECTIVE))
      continue;
    uint32_t device = single_device_of(t->p, &t->functions, o, &t->scratch);
    if (device == NO_DEVICE) device = 0;
    t->orders_effects |= at != NO_DEVICE && at != device;
    at = device;
  }
}

Status *walk_effects(Partition *t, OpId op) {
  if (!t->mesh || t->manual) return walk_whole_op(t, op);
  return put_on(t, op, 0);
}

Status *walk_on_device(Partition *t, OpId op, bool *out_done) {
  uint32_t position = position_of(t, op);
  *out_done = position != NO_DEVICE;
  return *out_done ? put_on(t, op, position) : NULL;
}
