// Ops that one device computes for all: side effects, which happen once, and ops with a
// single-device sharding.
//
// Idea. The op is in an `if` on the device's position in the mesh, with replicated operands. The
// other devices skip it. Its results are sent to the devices of their users:
//
//   all users on the same device         nothing is sent
//   all users on one other device        collective_permute
//   others                               collective_broadcast; the result is replicated
//
// Invariant. Side effects keep the program's order. One device executes its own in order. If
// several devices have side effects, an effect that follows one of another device waits for it at
// an all_reduce.
//
// Cost. O(operands + users of the results) per op.
#include <string.h>

#include "partition/single_device.h"
#include "partition/walk.h"

// ---- devices ----

static bool can_be_sent(const Partition *t, Type type) {
  TypeKind kind = type_info(t->context, type)->kind;
  return kind == TYPE_TOKEN || (kind == TYPE_TENSOR && walk_is_movable(t, type));
}

// The position in the mesh of the device that computes the op; NO_DEVICE: all do.
static uint32_t single_position(Partition *t, OpId op) {
  const Mesh *mesh = sharding_mesh(t->table, t->mesh);
  if (!mesh || t->manual) return NO_DEVICE;
  uint32_t device = single_device_of(t->p, &t->functions, op, &t->scratch);
  if (device == NO_DEVICE || !mesh_has_device(mesh, device) || !single_device_can(t->p, op))
    return NO_DEVICE;
  for (uint32_t i = 0; i < op_at(t->p, op)->n_results; i++)
    if (!can_be_sent(t, op_result_type(t->p, op, i))) return NO_DEVICE;
  return mesh_position(mesh, device);
}

// The position of the device that computes all users of a value; NO_DEVICE if there is none, or if
// a user is in another block.
static uint32_t users_position(Partition *t, ValueId v) {
  uint32_t at = NO_DEVICE;
  OpId def = value_def(t->p, v);
  for (OperandId use = value_at(t->p, v)->first_use; use; use = operand_at(t->p, use)->next_use) {
    OpId user = operand_at(t->p, use)->user;
    uint32_t one =
        op_at(t->p, user)->block == op_at(t->p, def)->block ? single_position(t, user) : NO_DEVICE;
    if (one == NO_DEVICE || (at != NO_DEVICE && one != at)) return NO_DEVICE;
    at = one;
  }
  return at;
}

// ---- operands and results ----

// An operand of an op of one device: replicated, or a value that only this device has
// (t->on_one_device).
static Status *get_operand(Partition *t, ValueId v, CopyId *out) {
  if (t->copies[v]) return walk_get(t, v, 0, out);
  *out = t->on_one_device[v];
  if (!*out) FAIL(INTERNAL, "a value of one device is used before it is there");
  return NULL;
}

// The receiver of a result: the position of its users if they have one, else all devices.
static uint32_t sent_to(Partition *t, ValueId v) {
  if (type_info(t->context, value_type(t->p, v))->kind != TYPE_TENSOR || !value_has_uses(t->p, v))
    return NOT_SENT;
  uint32_t users = users_position(t, v);
  return users == NO_DEVICE ? SENT_TO_ALL : users;
}

static Status *check_results(Partition *t, OpId op) {
  for (uint32_t i = 0; i < op_at(t->p, op)->n_results; i++)
    if (!can_be_sent(t, op_result_type(t->p, op, i)))
      return walk_unimplemented(
          t, op,
          "has side effects and results that cannot be sent to other devices: "
          "neither tensors of known size nor tokens");
  return NULL;
}

// Does the op wait for the side effect before it? Notes the op's own effect.
static bool waits(Partition *t, OpId op, uint32_t position) {
  if (!t->orders_effects || !op_has_effects(t->p, op)) return false;
  bool other = t->effect_at != position;
  t->effect_at = position;
  return other;
}

static Status *decide_on(Partition *t, OpId op, uint32_t position) {
  uint32_t n_in = op_at(t->p, op)->n_operands, n_out = op_at(t->p, op)->n_results, n_captured = 0;
  CopyId *in = ARENA_ARRAY(&t->scratch, CopyId, n_in + 1);
  const FoundCopy *captured = NULL;
  TRY(given_check_kind(t, op, DECISION_ON_DEVICE, position));
  for (uint32_t i = 0; i < n_in; i++) TRY(get_operand(t, op_operand(t->p, op, i), &in[i]));
  TRY(check_results(t, op));
  // Before the `if`: no collective may be under control flow that differs between devices.
  TRY(walk_capture(t, op, &captured, &n_captured));
  DeviceDecision *device = ARENA_NEW(&t->arena, DeviceDecision);
  uint32_t *sent = ARENA_ARRAY(&t->arena, uint32_t, n_out + 1);
  for (uint32_t i = 0; i < n_out; i++) sent[i] = sent_to(t, op_result(t->p, op, i));
  *device = (DeviceDecision){position, waits(t, op, position), sent};
  Decision *d = walk_decide(t, DECISION_ON_DEVICE, op, n_in, n_out);
  memcpy(decision_in(d), in, n_in * sizeof *in);
  d->captured = captured;
  d->n_captured = n_captured;
  d->device = device;
  const CopyId *out = d->out;
  for (uint32_t i = 0; i < n_out; i++)
    decision_out(d)[i] = walk_new_copy(t, op_result(t->p, op, i), 0, 0);
  for (uint32_t i = 0; i < n_out; i++) {
    ValueId v = op_result(t->p, op, i);
    if (sent[i] != SENT_TO_ALL && sent[i] != NOT_SENT)
      t->on_one_device[v] = out[i];
    else
      TRY(walk_finish(t, v, out[i], 0));
  }
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
  if (!t->mesh || t->manual) return walk_replicated_op(t, op);
  return decide_on(t, op, 0);
}

Status *walk_on_device(Partition *t, OpId op, bool *out_done) {
  uint32_t position = single_position(t, op);
  *out_done = position != NO_DEVICE;
  return *out_done ? decide_on(t, op, position) : NULL;
}
