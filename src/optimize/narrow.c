// Less is moved between devices if elements are narrow on their way. An elementwise op that makes
// them narrower (the real part, a smaller type, a comparison with a constant) goes before a
// collective that only moves them, and one that makes them wider goes behind it; transposes, slices
// and other moves may stand between. What is only repeated by a broadcast is moved before it is.
// Each element is computed from the same one as before, only elsewhere, so values stay what they
// are to the bit. A permute gives zeros where nothing is sent: there the op must make a zero of a
// zero. O(ops · MOST_MOVES).
#include <string.h>

#include "ops/groups.h"
#include "ops/splat.h"
#include "optimize/barriers.h"
#include "optimize/collective.h"
#include "optimize/facts.h"
#include "optimize/known.h"

enum { MOST_MOVES = 8, MOST_OPERANDS = 4, MOST_USES = 8 };

// Moves from the op on: each takes what the one before it in `ops` is made of, or the other way.
typedef struct Moves {
  OpId ops[MOST_MOVES];
  uint32_t n;
} Moves;

static bool is_plain(const Program *p, Type type) {
  const TypeInfo *info = type_info(p->context, type);
  return info->kind == TYPE_TENSOR && type_is_static(p->context, type) &&
         !type_is_quant(p->context, type) && !info->encoding;
}

static bool is_exchange(const Program *p, OpId op) { return op_traits(p, op) & TRAIT_COLLECTIVE; }

static bool is_move(const Program *p, OpId op) {
  const Op *o = op_at(p, op);
  return (op_traits(p, op) & TRAIT_MOVES) && o->n_results == 1 && !o->n_regions &&
         o->n_operands <= MAX_RANK && (!is_exchange(p, op) || o->n_operands == 1) &&
         is_plain(p, op_operand_type(p, op, 0)) && is_plain(p, op_result_type(p, op, 0));
}

static bool same_dims(const Program *p, Type a, Type b) {
  const TypeInfo *x = type_info(p->context, a), *y = type_info(p->context, b);
  return x->rank == y->rank &&
         (!x->rank || memcmp(x->dims, y->dims, x->rank * sizeof *x->dims) == 0);
}

// Which operand an elementwise op computes from, element by element: all others are constants of
// one value each. UINT32_MAX if it is no such op.
static uint32_t changed_operand(const Program *p, OpId op) {
  const Op *o = op_at(p, op);
  const uint16_t need = TRAIT_PURE | TRAIT_ELEMENTWISE;
  const OpDef *def = op_row(o->code)->def;
  uint32_t found = UINT32_MAX;
  if ((op_traits(p, op) & need) != need || o->n_results != 1 || o->n_regions ||
      o->n_operands > MOST_OPERANDS || (def && def->fails) ||
      !is_plain(p, op_result_type(p, op, 0)))
    return UINT32_MAX;
  for (uint32_t i = 0; i < o->n_operands; i++) {
    Scalar x;
    if (!is_plain(p, op_operand_type(p, op, i))) return UINT32_MAX;
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

static bool all_receive(Optimizer *o, OpId exchange) {
  Attr pairs = op_attr(o->p, exchange, "source_target_pairs");
  if (pairs) return o->n_devices && attr_as_ints(o->context, pairs).n == 2 * o->n_devices;
  return collective_groups(o, exchange) != NULL;
}

// The op makes a zero, bit for bit, of a zero in its operand i.
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

static bool minds_zeros(Optimizer *o, OpId op, const Moves *moves) {
  bool zeros = false;
  for (uint32_t k = 0; k < moves->n; k++)
    zeros |= is_exchange(o->p, moves->ops[k]) && !all_receive(o, moves->ops[k]);
  return zeros && !keeps_zero(o, op, changed_operand(o->p, op));
}

// ---- the op elsewhere ----

static Type with_elem(const Program *p, Type dims, Type elem) {
  const TypeInfo *info = type_info(p->context, dims);
  return type_with_shape(p->context, elem, info->rank, info->dims);
}

// The elementwise op on another value than its operand's, before `before`. Constants get its sizes,
// but for scalars beside tensors (clamp's bounds).
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

// The move on another value, which has elements of another type, where it stands.
static ValueId move_on(Program *p, OpId move, ValueId v) {
  ValueId operands[MAX_RANK] = {v};
  uint32_t n = op_at(p, move)->n_operands;
  for (uint32_t i = 1; i < n; i++) operands[i] = op_operand(p, move, i);
  Builder b = rewrite_before(p, move);
  return build_op(&b, op_at(p, move)->code, n, operands,
                  with_elem(p, op_result_type(p, move, 0), value_type(p, v)),
                  op_at(p, move)->attrs);
}

// ---- narrower before ----

// All that use a value make it narrower, and all they make of it is less than it.
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

// The moves that lead to the op's operand, up to and with the first collective among them.
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
    if (is_exchange(p, move)) moves.n = n;
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

// ---- wider behind ----

// From a collective up to an op that makes wider what is moved; 0 = there is none.
static OpId widened(const Program *p, const Barriers *barriers, OpId exchange, Moves *out) {
  *out = (Moves){{exchange}, 1};
  for (;;) {
    ValueId v = op_operand(p, out->ops[out->n - 1], 0);
    OpId op = value_def(p, v);
    if (!op || op_at(p, op)->block != op_at(p, exchange)->block ||
        !barriers_none_between(barriers, op, exchange))
      return 0;
    if (widens(p, op)) return op;
    if (!is_move(p, op) || is_exchange(p, op) || !fact_used_once(p, v) || out->n == MOST_MOVES)
      return 0;
    out->ops[out->n++] = op;
  }
}

static bool go_behind(Optimizer *o, const Barriers *barriers, OpId exchange) {
  Program *p = o->p;
  Moves moves;
  if (!is_exchange(p, exchange) || !is_move(p, exchange)) return false;
  OpId op = widened(p, barriers, exchange, &moves);
  if (!op || minds_zeros(o, op, &moves)) return false;
  ValueId v = op_operand(p, op, changed_operand(p, op));
  for (uint32_t k = moves.n; k > 0; k--) v = move_on(p, moves.ops[k - 1], v);
  v = op_on(p, op, v, exchange);
  op_replace(p, exchange, v);
  for (uint32_t k = 1; k < moves.n; k++)
    if (!value_has_uses(p, op_result(p, moves.ops[k], 0))) op_erase(p, moves.ops[k]);
  if (!value_has_uses(p, op_result(p, op, 0))) op_erase(p, op);
  return true;
}

// ---- repeated behind ----

// The dimension of a broadcast's operand that is this one of its result; UINT32_MAX if that only
// repeats.
static uint32_t dim_before(const Program *p, OpId broadcast, uint32_t d) {
  Ints dims = attr_as_ints(p->context, op_attr(p, broadcast, "broadcast_dimensions"));
  const TypeInfo *from = type_info(p->context, op_operand_type(p, broadcast, 0));
  const TypeInfo *to = type_info(p->context, op_result_type(p, broadcast, 0));
  for (uint32_t i = 0; i < dims.n; i++)
    if (dims.v[i] == d) return from->dims[i] == to->dims[d] ? i : UINT32_MAX;
  return UINT32_MAX;
}

// The same exchange along dimensions of what is repeated: code, attributes and the dimensions that
// shrink and grow (UINT32_MAX: none). An all_to_all that splits what is repeated is an all_gather.
typedef struct Exchange {
  uint16_t code;
  Attr attrs;
  uint32_t splits, joins;
} Exchange;

static uint32_t dim_attr(const Program *p, OpId op, const char *name) {
  return (uint32_t)attr_as_int(p->context, op_attr(p, op, name), 0);
}

static bool exchange_before(Optimizer *o, OpId exchange, OpId broadcast, Exchange *out) {
  Program *p = o->p;
  Context *c = o->context;
  Attr attrs = op_at(p, exchange)->attrs;
  *out = (Exchange){op_at(p, exchange)->code, attrs, UINT32_MAX, UINT32_MAX};
  if (out->code == OP_collective_permute) return true;
  bool gather = out->code == OP_all_gather;
  if (!gather && out->code != OP_all_to_all) return false;
  const char *name = gather ? "all_gather_dim" : "concat_dimension";
  out->joins = dim_before(p, broadcast, dim_attr(p, exchange, name));
  if (out->joins == UINT32_MAX) return false;
  out->attrs = attr_dict_with(c, attrs, name, attr_i64(c, out->joins));
  if (gather) return true;
  out->splits = dim_before(p, broadcast, dim_attr(p, exchange, "split_dimension"));
  if (out->splits != UINT32_MAX) {
    out->attrs = attr_dict_with(c, out->attrs, "split_dimension", attr_i64(c, out->splits));
    return true;
  }
  out->code = OP_all_gather;
  return collective_groups(o, exchange) != NULL;
}

static bool repeat_behind(Optimizer *o, const Barriers *barriers, OpId exchange) {
  Program *p = o->p;
  if (!is_exchange(p, exchange) || !is_move(p, exchange)) return false;
  OpId broadcast = fact_def(p, op_operand(p, exchange, 0), OP_broadcast_in_dim);
  Exchange small;
  if (!broadcast || op_at(p, broadcast)->block != op_at(p, exchange)->block ||
      !barriers_none_between(barriers, broadcast, exchange) || !is_move(p, broadcast) ||
      !exchange_before(o, exchange, broadcast, &small))
    return false;
  ValueId v = op_operand(p, broadcast, 0);
  const DeviceGroups *groups = small.joins == UINT32_MAX ? NULL : collective_groups(o, exchange);
  if (small.joins != UINT32_MAX && !groups) return false;
  const TypeInfo *info = type_info(o->context, value_type(p, v));
  int64_t dims[MAX_RANK], ways = groups ? groups->width : 1;
  for (uint32_t d = 0; d < info->rank; d++) dims[d] = info->dims[d];
  if (small.joins != UINT32_MAX) dims[small.joins] *= ways;
  if (small.splits != UINT32_MAX) dims[small.splits] /= ways;
  bool turned = small.code != op_at(p, exchange)->code;
  double times = turned ? (double)ways : 1;  // of a gather each device sends all to all
  if (fact_bytes(p, v) * times >= fact_operand_bytes(p, exchange)) return false;
  Builder b = rewrite_before(p, exchange);
  Type type = type_with_shape(o->context, value_type(p, v), info->rank, dims);
  v = turned ? build_all_gather_in(&b, v, small.joins, ways, op_attr(p, exchange, "replica_groups"))
             : build_op(&b, small.code, 1, &v, type, small.attrs);
  v = build_op(&b, OP_broadcast_in_dim, 1, &v, op_result_type(p, exchange, 0),
               op_at(p, broadcast)->attrs);
  op_replace(p, exchange, v);
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
