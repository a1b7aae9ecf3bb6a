// Problem: collectives send f32 of which bf16 is used, complex numbers of which the real part is
// used, or the many equal copies of a broadcast.
//
// Idea: three rewrites around collectives that only move data (all_gather, all_to_all, permute).
// Transposes, slices and other moves may stand between.
// - go_before: an elementwise op that narrows (convert, real, compare with a constant) moves before
//   the collective
// - go_behind: an elementwise op that widens moves behind it
// - repeat_behind: a broadcast moves behind it
//
//   convert_bf16(transpose(all_gather(x_f32)))  →  transpose(all_gather(convert_bf16(x_f32)))
//
// Invariant: each element is computed from the same element as before, so values are equal bit by
// bit. A permute gives zeros to devices that receive nothing: there the op must map zero to zero.
// Cost: O(ops · MOST_MOVES · MOST_USES).
#include <string.h>

#include "ops/groups.h"
#include "ops/splat.h"
#include "optimize/barriers.h"
#include "optimize/collective.h"
#include "optimize/facts.h"
#include "optimize/known.h"

enum { MOST_MOVES = 8, MOST_OPERANDS = 4, MOST_USES = 8 };

// A chain of ops that only move elements; ops[k + 1] defines the operand of ops[k].
typedef struct Moves {
  OpId ops[MOST_MOVES];
  uint32_t n;
} Moves;

// A static tensor, neither quantized nor with an encoding: its element type can be replaced.
static bool is_simple_tensor(const Program *p, Type type) {
  const TypeInfo *info = type_info(p->context, type);
  return info->kind == TYPE_TENSOR && type_is_static(p->context, type) &&
         !type_is_quant(p->context, type) && !info->encoding;
}

static bool is_collective(const Program *p, OpId op) { return op_traits(p, op) & TRAIT_COLLECTIVE; }

static bool is_move(const Program *p, OpId op) {
  const Op *o = op_at(p, op);
  return (op_traits(p, op) & TRAIT_MOVES) && o->n_results == 1 && !o->n_regions &&
         o->n_operands <= MAX_RANK && (!is_collective(p, op) || o->n_operands == 1) &&
         is_simple_tensor(p, op_operand_type(p, op, 0)) &&
         is_simple_tensor(p, op_result_type(p, op, 0));
}

static bool same_dims(const Program *p, Type a, Type b) {
  const TypeInfo *x = type_info(p->context, a), *y = type_info(p->context, b);
  return x->rank == y->rank &&
         (!x->rank || memcmp(x->dims, y->dims, x->rank * sizeof *x->dims) == 0);
}

// The operand that an elementwise op computes from, if all others are splat constants; UINT32_MAX
// otherwise. Only then can the op run on a tensor of another shape.
static uint32_t changed_operand(const Program *p, OpId op) {
  const Op *o = op_at(p, op);
  const uint16_t need = TRAIT_PURE | TRAIT_ELEMENTWISE;
  const OpDef *def = op_row(o->code)->def;
  uint32_t found = UINT32_MAX;
  if ((op_traits(p, op) & need) != need || o->n_results != 1 || o->n_regions ||
      o->n_operands > MOST_OPERANDS || (def && def->fails) ||
      !is_simple_tensor(p, op_result_type(p, op, 0)))
    return UINT32_MAX;
  for (uint32_t i = 0; i < o->n_operands; i++) {
    Scalar x;
    if (!is_simple_tensor(p, op_operand_type(p, op, i))) return UINT32_MAX;
    if (op_splat(p, op_operand(p, op, i), &x)) continue;
    if (found != UINT32_MAX) return UINT32_MAX;
    found = i;
  }
  bool same =
      found != UINT32_MAX && same_dims(p, op_operand_type(p, op, found), op_result_type(p, op, 0));
  return same ? found : UINT32_MAX;
}

static bool narrows(const Program *p, OpId op) {
  uint32_t i = changed_operand(p, op);
  return i != UINT32_MAX && fact_result_bytes(p, op) < fact_bytes(p, op_operand(p, op, i));
}

static bool widens(const Program *p, OpId op) {
  uint32_t i = changed_operand(p, op);
  return i != UINT32_MAX && fact_result_bytes(p, op) > fact_bytes(p, op_operand(p, op, i));
}

// ---- zeros ----

// Every device receives data, so the collective produces no zeros of its own.
static bool all_receive(Optimizer *o, OpId collective) {
  Attr pairs = op_attr(o->p, collective, "source_target_pairs");
  if (pairs) return o->n_devices && attr_as_ints(o->context, pairs).n == 2 * o->n_devices;
  return collective_groups(o, collective) != NULL;
}

// The op maps a zero in operand i to a zero, bit by bit; found by evaluation on scalars.
static bool keeps_zero(Optimizer *o, OpId op, uint32_t i) {
  Program *p = o->p;
  uint32_t n = op_at(p, op)->n_operands;
  Literal *in[MOST_OPERANDS];
  for (uint32_t k = 0; k < n; k++) {
    Scalar x;
    in[k] = literal_new(&o->heap, o->context, type_elem(o->context, op_operand_type(p, op, k)), 0,
                        NULL);
    if (k != i && op_splat(p, op_operand(p, op, k), &x)) literal_set(in[k], 0, x);
  }
  Type result = type_with_shape(o->context, op_result_type(p, op, 0), 0, NULL);
  Literal *out = known_result(o, op, n, in, result);
  for (uint32_t k = 0; k < n; k++) literal_release(in[k]);
  if (!out) return false;
  static const uint8_t zeros[16];
  size_t bytes = (size_t)dtype_bytes(out->dtype);
  bool zero = bytes <= sizeof zeros && memcmp(out->data, zeros, bytes) == 0;
  literal_release(out);
  return zero;
}

// A collective of the chain fills with zeros and the op would change them.
static bool minds_zeros(Optimizer *o, OpId op, const Moves *moves) {
  bool zeros = false;
  for (uint32_t k = 0; k < moves->n; k++)
    zeros |= is_collective(o->p, moves->ops[k]) && !all_receive(o, moves->ops[k]);
  return zeros && !keeps_zero(o, op, changed_operand(o->p, op));
}

// ---- copies of ops on other values ----

static Type with_elem(const Program *p, Type dims, Type elem) {
  const TypeInfo *info = type_info(p->context, dims);
  return type_with_shape(p->context, elem, info->rank, info->dims);
}

// The elementwise op on v instead of its operand, before `before`. Splats get v's shape; scalars
// beside tensors (clamp's bounds) stay scalars.
static ValueId op_on(Program *p, OpId op, ValueId v, OpId before) {
  Builder b = rewrite_before(p, before);
  ValueId operands[MOST_OPERANDS];
  uint32_t n = op_at(p, op)->n_operands, changed = changed_operand(p, op);
  Type dims = value_type(p, v);
  bool of_scalars = type_info(p->context, op_result_type(p, op, 0))->rank == 0;
  for (uint32_t i = 0; i < n; i++) {
    Scalar x;
    Type type = op_operand_type(p, op, i);
    bool sized = of_scalars || type_info(p->context, type)->rank;
    if (i == changed || !op_splat(p, op_operand(p, op, i), &x))
      operands[i] = v;
    else
      operands[i] = build_splat(&b, sized ? with_elem(p, dims, type) : type, x);
  }
  return build_op(&b, op_at(p, op)->code, n, operands, with_elem(p, dims, op_result_type(p, op, 0)),
                  op_at(p, op)->attrs);
}

// The move at its own position, on a value of another element type.
static ValueId move_on(Program *p, OpId move, ValueId v) {
  ValueId operands[MAX_RANK] = {v};
  uint32_t n = op_at(p, move)->n_operands;
  for (uint32_t i = 1; i < n; i++) operands[i] = op_operand(p, move, i);
  Builder b = rewrite_before(p, move);
  return build_op(&b, op_at(p, move)->code, n, operands,
                  with_elem(p, op_result_type(p, move, 0), value_type(p, v)),
                  op_at(p, move)->attrs);
}

// ---- narrowing before the collective ----

// All users narrow the value, and their results together are smaller than it: then each may be
// moved separately although the value has several users.
static bool all_narrow(const Program *p, const Barriers *barriers, ValueId v, OpId like) {
  double bytes = 0;
  uint32_t n = 0;
  for (OperandId use = value_at(p, v)->first_use; use; use = operand_at(p, use)->next_use, n++) {
    OpId user = operand_at(p, use)->user;
    if (n == MOST_USES || op_at(p, user)->block != op_at(p, like)->block ||
        !barriers_none_between(barriers, user, like) || !narrows(p, user))
      return false;
    bytes += fact_result_bytes(p, user);
  }
  return bytes < fact_bytes(p, v);
}

// The moves that lead to the op's operand, up to the farthest collective among them.
static Moves moves_before(const Program *p, const Barriers *barriers, OpId op) {
  Moves moves = {.n = 0};
  uint32_t n = 0;
  ValueId v = op_operand(p, op, changed_operand(p, op));
  while (n < MOST_MOVES && (fact_used_once(p, v) || all_narrow(p, barriers, v, op))) {
    OpId move = value_def(p, v);
    if (!move || op_at(p, move)->block != op_at(p, op)->block ||
        !barriers_none_between(barriers, move, op) || !is_move(p, move))
      break;
    moves.ops[n++] = move;
    if (is_collective(p, move)) moves.n = n;
    v = op_operand(p, move, 0);
  }
  return moves;
}

static bool go_before(Optimizer *o, const Barriers *barriers, OpId op) {
  Program *p = o->p;
  if (!narrows(p, op)) return false;
  Moves moves = moves_before(p, barriers, op);
  if (!moves.n || minds_zeros(o, op, &moves)) return false;
  OpId first = moves.ops[moves.n - 1];
  ValueId v = op_on(p, op, op_operand(p, first, 0), first);
  for (uint32_t k = moves.n; k > 0; k--) v = move_on(p, moves.ops[k - 1], v);
  op_replace(p, op, v);
  for (uint32_t k = 0; k < moves.n; k++)
    if (!value_has_uses(p, op_result(p, moves.ops[k], 0))) op_erase(p, moves.ops[k]);
  return true;
}

// ---- widening behind the collective ----

// The widening op at the start of the chain of moves that ends in the collective; 0 = none.
static OpId widened(const Program *p, const Barriers *barriers, OpId collective, Moves *out) {
  *out = (Moves){{collective}, 1};
  for (;;) {
    ValueId v = op_operand(p, out->ops[out->n - 1], 0);
    OpId op = value_def(p, v);
    if (!op || op_at(p, op)->block != op_at(p, collective)->block ||
        !barriers_none_between(barriers, op, collective))
      return 0;
    if (widens(p, op)) return op;
    if (!is_move(p, op) || is_collective(p, op) || !fact_used_once(p, v) || out->n == MOST_MOVES)
      return 0;
    out->ops[out->n++] = op;
  }
}

static bool go_behind(Optimizer *o, const Barriers *barriers, OpId collective) {
  Program *p = o->p;
  Moves moves;
  if (!is_collective(p, collective) || !is_move(p, collective)) return false;
  OpId op = widened(p, barriers, collective, &moves);
  if (!op || minds_zeros(o, op, &moves)) return false;
  ValueId v = op_operand(p, op, changed_operand(p, op));
  for (uint32_t k = moves.n; k > 0; k--) v = move_on(p, moves.ops[k - 1], v);
  v = op_on(p, op, v, collective);
  op_replace(p, collective, v);
  for (uint32_t k = 1; k < moves.n; k++)
    if (!value_has_uses(p, op_result(p, moves.ops[k], 0))) op_erase(p, moves.ops[k]);
  if (!value_has_uses(p, op_result(p, op, 0))) op_erase(p, op);
  return true;
}

// ---- broadcast behind the collective ----

// The dimension of a broadcast's operand that becomes dimension d of its result; UINT32_MAX if d is
// repeated.
static uint32_t dim_before(const Program *p, OpId broadcast, uint32_t d) {
  Ints dims = attr_as_ints(p->context, op_attr(p, broadcast, "broadcast_dimensions"));
  const TypeInfo *from = type_info(p->context, op_operand_type(p, broadcast, 0));
  const TypeInfo *to = type_info(p->context, op_result_type(p, broadcast, 0));
  for (uint32_t i = 0; i < dims.n; i++)
    if (dims.v[i] == d) return from->dims[i] == to->dims[d] ? i : UINT32_MAX;
  return UINT32_MAX;
}

// The same collective on the broadcast's operand: code, attributes, and the dimensions that it
// splits and concatenates (UINT32_MAX: none). An all_to_all that would split a repeated dimension
// becomes an all_gather.
typedef struct SmallCollective {
  uint16_t code;
  Attr attrs;
  uint32_t splits, joins;
} SmallCollective;

static uint32_t dim_attr(const Program *p, OpId op, const char *name) {
  return (uint32_t)attr_as_int(p->context, op_attr(p, op, name), 0);
}

static bool collective_before_broadcast(Optimizer *o, OpId collective, OpId broadcast,
                                        SmallCollective *out) {
  Program *p = o->p;
  Context *c = o->context;
  Attr attrs = op_at(p, collective)->attrs;
  *out = (SmallCollective){op_at(p, collective)->code, attrs, UINT32_MAX, UINT32_MAX};
  if (out->code == OP_collective_permute) return true;
  bool gather = out->code == OP_all_gather;
  if (!gather && out->code != OP_all_to_all) return false;
  const char *name = gather ? "all_gather_dim" : "concat_dimension";
  out->joins = dim_before(p, broadcast, dim_attr(p, collective, name));
  if (out->joins == UINT32_MAX) return false;
  out->attrs = attr_dict_with(c, attrs, name, attr_i64(c, out->joins));
  if (gather) return true;
  out->splits = dim_before(p, broadcast, dim_attr(p, collective, "split_dimension"));
  if (out->splits != UINT32_MAX) {
    out->attrs = attr_dict_with(c, out->attrs, "split_dimension", attr_i64(c, out->splits));
    return true;
  }
  out->code = OP_all_gather;
  return collective_groups(o, collective) != NULL;
}

static bool repeat_behind(Optimizer *o, const Barriers *barriers, OpId collective) {
  Program *p = o->p;
  if (!is_collective(p, collective) || !is_move(p, collective)) return false;
  OpId broadcast = fact_def(p, op_operand(p, collective, 0), OP_broadcast_in_dim);
  SmallCollective small;
  if (!broadcast || op_at(p, broadcast)->block != op_at(p, collective)->block ||
      !barriers_none_between(barriers, broadcast, collective) || !is_move(p, broadcast) ||
      !collective_before_broadcast(o, collective, broadcast, &small))
    return false;
  ValueId v = op_operand(p, broadcast, 0);
  const DeviceGroups *groups = small.joins == UINT32_MAX ? NULL : collective_groups(o, collective);
  if (small.joins != UINT32_MAX && !groups) return false;
  const TypeInfo *info = type_info(o->context, value_type(p, v));
  int64_t dims[MAX_RANK], ways = groups ? groups->width : 1;
  for (uint32_t d = 0; d < info->rank; d++) dims[d] = info->dims[d];
  if (small.joins != UINT32_MAX) dims[small.joins] *= ways;
  if (small.splits != UINT32_MAX) dims[small.splits] /= ways;
  bool to_gather = small.code != op_at(p, collective)->code;
  double times =
      to_gather ? (double)ways : 1;  // an all_gather sends the operand to every other device
  if (fact_bytes(p, v) * times >= fact_operand_bytes(p, collective)) return false;
  Builder b = rewrite_before(p, collective);
  Type type = type_with_shape(o->context, value_type(p, v), info->rank, dims);
  v = to_gather
          ? build_all_gather_in(&b, v, small.joins, ways, op_attr(p, collective, "replica_groups"))
          : build_op(&b, small.code, 1, &v, type, small.attrs);
  v = build_op(&b, OP_broadcast_in_dim, 1, &v, op_result_type(p, collective, 0),
               op_at(p, broadcast)->attrs);
  op_replace(p, collective, v);
  if (!value_has_uses(p, op_result(p, broadcast, 0))) op_erase(p, broadcast);
  return true;
}

uint32_t pass_narrow(Optimizer *o) {
  Program *p = o->p;
  uint32_t changes = 0;
  Barriers barriers = barriers_find(o);
  for (OpId op = p->root, next; op; op = next) {
    next = op_walk_next(p, op, p->root);
    changes += go_before(o, &barriers, op) || go_behind(o, &barriers, op) ||
               repeat_behind(o, &barriers, op);
  }
  return changes;
}
