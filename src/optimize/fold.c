// Problem: the partitioner emits each op on its own, so a local program is full of arithmetic on
// constants, ops that change nothing, and chains of slices, reshapes and transposes. They hide what
// other passes look for: equal values, and slices of an all_gather.
//
// Idea: one walk in program order with a table of rules, one per op code. A rule returns the value
// that replaces the op's result. Operands were folded before, so a rule looks only one op back. In
// this order:
// - compute: an op on small integer constants becomes a constant
// - fold_index: arithmetic on partition_id whose value is known on every device becomes a constant
//   or an operand
// - rules[]: identities (x * 1), chains (slice of a slice), collectives of a splat
//
//   slice[2:6] of slice[4:20]      →  slice[6:10]
//   all_gather(splat 0 : [2,8])    →  splat 0 : [8,8]
//
// Invariant: results are equal bit by bit. Therefore floats are never computed here, x + 0.0 stays
// (only -0.0 is an identity of a float sum), and a chain of converts folds only if the first one
// widens. Cost: O(ops); fold_index adds O(devices) for each index value.
#include "cost/collectives.h"
#include "ops/commute.h"
#include "ops/factors.h"
#include "ops/splat.h"
#include "optimize/collective.h"
#include "optimize/facts.h"
#include "optimize/known.h"

#include <math.h>
#include <string.h>

enum { MOST_ELEMENTS = 64 };

typedef ValueId (*Rule)(Optimizer *o, OpId op);  // the replacement of its result; 0 = the op stays

// ---- constants ----

static bool is_integer(Optimizer *o, Type type) {
  const TypeInfo *info = type_info(o->context, type);
  int64_t count;
  if (info->kind != TYPE_TENSOR || !type_count(o->context, type, &count) || count > MOST_ELEMENTS)
    return false;
  const TypeInfo *elem = type_info(o->context, info->elem);
  return elem->kind == TYPE_SCALAR && !dtype_is_float(elem->dtype) &&
         !dtype_is_complex(elem->dtype);
}

// Evaluates an op on integer constants of at most MOST_ELEMENTS elements with the op's own `eval`.
static ValueId compute(Optimizer *o, OpId op) {
  Program *p = o->p;
  uint32_t n = op_at(p, op)->n_operands;
  Literal *in[8];
  if (!known_computable(p, op) || n > 8 || !is_integer(o, op_result_type(p, op, 0))) return 0;
  for (uint32_t i = 0; i < n; i++)
    if (!is_integer(o, op_operand_type(p, op, i)) || !fact_constant(p, op_operand(p, op, i)))
      return 0;
  for (uint32_t i = 0; i < n; i++)
    in[i] = literal_from_dense(&o->heap, o->context, fact_constant(p, op_operand(p, op, i)));
  Type type = op_result_type(p, op, 0);
  Literal *out = known_result(o, op, n, in, type);
  for (uint32_t i = 0; i < n; i++) literal_release(in[i]);
  if (!out) return 0;
  Attr dense =
      attr_dense(o->context, type, out->data, (size_t)out->count * (size_t)dtype_bytes(out->dtype));
  literal_release(out);
  Builder b = rewrite_before(p, op);
  return build_constant(&b, dense);
}

// Index arithmetic on partition_id: a constant if the value is the same on all devices; an operand
// if the op does not change it on any device (a remainder that never wraps).
static ValueId fold_index(Optimizer *o, OpId op) {
  Program *p = o->p;
  ValueId v = op_result(p, op, 0);
  if (!fact_is_index(p, v) || !(op_traits(p, op) & TRAIT_ELEMENTWISE) || o->n_devices < 2) return 0;
  const int64_t *at = known_on_devices(o, v);
  if (!at) return 0;
  bool one = true;
  for (uint32_t i = 1; i < o->n_devices && one; i++) one = at[i] == at[0];
  Builder b = rewrite_before(p, op);
  if (one) return build_splat(&b, value_type(p, v), scalar_i(at[0]));
  for (uint32_t k = 0; k < op_at(p, op)->n_operands; k++) {
    ValueId operand = op_operand(p, op, k);
    const int64_t *was =
        value_type(p, operand) == value_type(p, v) ? known_on_devices(o, operand) : NULL;
    if (was && memcmp(was, at, o->n_devices * sizeof *at) == 0) return operand;
  }
  return 0;
}

// An op that only moves elements, on a splat: a splat of the result type.
static ValueId move_splat(Optimizer *o, OpId op) {
  Scalar x;
  Type type = op_result_type(o->p, op, 0);
  if (!op_splat(o->p, op_operand(o->p, op, 0), &x) || !type_is_static(o->context, type) ||
      type_is_quant(o->context, type))
    return 0;
  Builder b = rewrite_before(o->p, op);
  return build_splat(&b, type, x);
}

// ---- ops that change nothing ----

// The value if it has the result's type, else 0: quantized types and encodings must not change.
static ValueId same_type(Optimizer *o, OpId op, ValueId v) {
  return value_type(o->p, v) == op_result_type(o->p, op, 0) ? v : 0;
}

// The identity of a sum: 0 of integers, -0.0 of floats. x + 0.0 turns -0.0 into 0.0, so 0.0 is
// none.
static bool is_sum_identity(Optimizer *o, ValueId v) {
  Scalar x;
  DType dtype = type_dtype(o->context, value_type(o->p, v));
  if (!op_splat(o->p, v, &x)) return false;
  return !dtype_is_float(dtype) && !dtype_is_complex(dtype)
             ? x.i == 0
             : x.f == 0 && signbit(x.f) &&
                   (!dtype_is_complex(dtype) || (x.im == 0 && signbit(x.im)));
}

static ValueId fold_add(Optimizer *o, OpId op) {
  ValueId a = op_operand(o->p, op, 0), b = op_operand(o->p, op, 1);
  return is_sum_identity(o, b)   ? same_type(o, op, a)
         : is_sum_identity(o, a) ? same_type(o, op, b)
                                 : 0;
}

static bool is_integer_type(Optimizer *o, ValueId v) {
  DType dtype = type_dtype(o->context, value_type(o->p, v));
  return !type_is_quant(o->context, value_type(o->p, v)) && !dtype_is_float(dtype) &&
         !dtype_is_complex(dtype);
}

static ValueId fold_subtract(Optimizer *o, OpId op) {
  ValueId a = op_operand(o->p, op, 0), b = op_operand(o->p, op, 1);
  return is_integer_type(o, b) && op_splat_is(o->p, b, 0) ? same_type(o, op, a) : 0;
}

// x * 0 is 0 only of integers: of floats it depends on NaN, infinity and the sign of x.
static ValueId fold_multiply(Optimizer *o, OpId op) {
  Program *p = o->p;
  ValueId a = op_operand(p, op, 0), b = op_operand(p, op, 1);
  if (dtype_is_complex(type_dtype(o->context, value_type(p, a)))) return 0;
  if (op_splat_is(p, b, 1)) return same_type(o, op, a);
  if (op_splat_is(p, a, 1)) return same_type(o, op, b);
  if (!is_integer_type(o, a)) return 0;
  if (op_splat_is(p, b, 0)) return same_type(o, op, b);
  if (op_splat_is(p, a, 0)) return same_type(o, op, a);
  return 0;
}

static ValueId fold_divide(Optimizer *o, OpId op) {
  ValueId a = op_operand(o->p, op, 0), b = op_operand(o->p, op, 1);
  if (dtype_is_complex(type_dtype(o->context, value_type(o->p, a)))) return 0;
  return op_splat_is(o->p, b, 1) ? same_type(o, op, a) : 0;
}

static ValueId fold_remainder(Optimizer *o, OpId op) {
  Program *p = o->p;
  ValueId b = op_operand(p, op, 1);
  if (!is_integer_type(o, b) || !op_splat_is(p, b, 1)) return 0;
  Builder at = rewrite_before(p, op);
  return build_splat(&at, op_result_type(p, op, 0), scalar_i(0));
}

static ValueId fold_extreme(Optimizer *o, OpId op) {
  ValueId a = op_operand(o->p, op, 0);
  return a == op_operand(o->p, op, 1) ? same_type(o, op, a) : 0;
}

static ValueId fold_select(Optimizer *o, OpId op) {
  Program *p = o->p;
  ValueId yes = op_operand(p, op, 1), no = op_operand(p, op, 2);
  Scalar which;
  if (yes == no) return same_type(o, op, yes);
  if (!op_splat(p, op_operand(p, op, 0), &which)) return 0;
  return same_type(o, op, which.i ? yes : no);
}

// ---- moves ----

static ValueId fold_reshape(Optimizer *o, OpId op) {
  Program *p = o->p;
  ValueId v = op_operand(p, op, 0);
  if (same_type(o, op, v)) return v;
  ValueId splat = move_splat(o, op);
  if (splat) return splat;
  OpId before = fact_def(p, v, OP_reshape);
  if (!before || !type_is_static(o->context, value_type(p, v))) return 0;
  operand_set(p, op_at(p, op)->operands, op_operand(p, before, 0));
  return same_type(o, op, op_operand(p, before, 0));
}

// Every value of `from` is one of `to`.
static bool widens(DType from, DType to) {
  if (from == to) return true;
  DTypeKind a = dtype_kind(from), b = dtype_kind(to);
  if (a != b || a == KIND_OTHER) return false;
  if (a != KIND_FLOAT) return dtype_width(from) <= dtype_width(to);
  return to == DT_f64 ? from == DT_bf16 || from == DT_f16 || from == DT_f32
                      : to == DT_f32 && (from == DT_bf16 || from == DT_f16);
}

static ValueId fold_convert(Optimizer *o, OpId op) {
  Program *p = o->p;
  ValueId v = op_operand(p, op, 0);
  if (same_type(o, op, v)) return v;
  OpId before = fact_def(p, v, OP_convert);
  if (!before) return 0;
  ValueId source = op_operand(p, before, 0);
  Type from = value_type(p, source), middle = value_type(p, v);
  if (type_is_quant(o->context, from) || type_is_quant(o->context, middle) ||
      type_is_quant(o->context, op_result_type(p, op, 0)) ||
      !widens(type_dtype(o->context, from), type_dtype(o->context, middle)))
    return 0;
  operand_set(p, op_at(p, op)->operands, source);
  return same_type(o, op, source);
}

// A transpose of a transpose becomes one, with the permutations composed; the identity is dropped.
static ValueId fold_transpose(Optimizer *o, OpId op) {
  Program *p = o->p;
  Ints order = attr_as_ints(o->context, op_attr(p, op, "permutation"));
  OpId before = fact_def(p, op_operand(p, op, 0), OP_transpose);
  if (order.ok && before) {
    Ints first = attr_as_ints(o->context, op_attr(p, before, "permutation"));
    int64_t both[MAX_RANK];
    if (!first.ok || first.n != order.n || order.n > MAX_RANK) return 0;
    for (uint32_t i = 0; i < order.n; i++) both[i] = first.v[order.v[i]];
    operand_set(p, op_at(p, op)->operands, op_operand(p, before, 0));
    op_set_attr(p, op, "permutation", attr_i64s(o->context, order.n, both));
    order = attr_as_ints(o->context, op_attr(p, op, "permutation"));
  }
  bool still = order.ok;
  for (uint32_t i = 0; i < order.n; i++) still &= order.v[i] == i;
  return still ? same_type(o, op, op_operand(p, op, 0)) : move_splat(o, op);
}

static ValueId fold_broadcast_in_dim(Optimizer *o, OpId op) {
  Program *p = o->p;
  Ints dims = attr_as_ints(o->context, op_attr(p, op, "broadcast_dimensions"));
  bool still = dims.ok;
  for (uint32_t i = 0; i < dims.n; i++) still &= dims.v[i] == i;
  ValueId v = still ? same_type(o, op, op_operand(p, op, 0)) : 0;
  return v ? v : move_splat(o, op);
}

// A slice of a slice becomes one slice of the inner operand: starts add, strides multiply.
static ValueId fold_slice(Optimizer *o, OpId op) {
  Program *p = o->p;
  Context *c = o->context;
  ValueId v = op_operand(p, op, 0);
  if (same_type(o, op, v)) return v;
  ValueId splat = move_splat(o, op);
  if (splat) return splat;
  OpId before = fact_def(p, v, OP_slice);
  if (!before) return 0;
  Ints start = attr_as_ints(c, op_attr(p, op, "start_indices")),
       limit = attr_as_ints(c, op_attr(p, op, "limit_indices")),
       step = attr_as_ints(c, op_attr(p, op, "strides")),
       start0 = attr_as_ints(c, op_attr(p, before, "start_indices")),
       step0 = attr_as_ints(c, op_attr(p, before, "strides"));
  int64_t starts[MAX_RANK], limits[MAX_RANK], steps[MAX_RANK];
  if (!start.ok || !limit.ok || !step.ok || !start0.ok || !step0.ok || start.n > MAX_RANK) return 0;
  const TypeInfo *out = type_info(c, op_result_type(p, op, 0));
  for (uint32_t d = 0; d < start.n; d++) {
    if (out->dims[d] < 1) return 0;
    starts[d] = start0.v[d] + start.v[d] * step0.v[d];
    steps[d] = step.v[d] * step0.v[d];
    limits[d] = starts[d] + (out->dims[d] - 1) * steps[d] + 1;
  }
  operand_set(p, op_at(p, op)->operands, op_operand(p, before, 0));
  op_set_attr(p, op, "start_indices", attr_i64s(c, start.n, starts));
  op_set_attr(p, op, "limit_indices", attr_i64s(c, start.n, limits));
  op_set_attr(p, op, "strides", attr_i64s(c, start.n, steps));
  return 0;
}

static ValueId fold_pad(Optimizer *o, OpId op) {
  Program *p = o->p;
  static const char *const names[] = {"edge_padding_low", "edge_padding_high", "interior_padding"};
  for (uint32_t k = 0; k < 3; k++) {
    Ints ints = attr_as_ints(o->context, op_attr(p, op, names[k]));
    for (uint32_t i = 0; i < ints.n; i++)
      if (ints.v[i]) return 0;
    if (!ints.ok) return 0;
  }
  return same_type(o, op, op_operand(p, op, 0));
}

// A dynamic_slice at constant offsets becomes a slice. The offsets are clamped as StableHLO does.
static ValueId fold_dynamic_slice(Optimizer *o, OpId op) {
  Program *p = o->p;
  Context *c = o->context;
  ValueId v = op_operand(p, op, 0);
  if (same_type(o, op, v)) return v;
  ValueId splat = move_splat(o, op);
  if (splat) return splat;
  const TypeInfo *in = type_info(c, value_type(p, v)),
                 *out = type_info(c, op_result_type(p, op, 0));
  int64_t start[MAX_RANK], limit[MAX_RANK], step[MAX_RANK];
  if (!type_is_static(c, value_type(p, v)) || in->rank > MAX_RANK) return 0;
  for (uint32_t d = 0; d < in->rank; d++) {
    Scalar at = scalar_i(0);
    int64_t most = in->dims[d] - out->dims[d];
    if (most && !op_splat(p, op_operand(p, op, 1 + d), &at)) return 0;
    start[d] = at.i < 0 ? 0 : at.i > most ? most : at.i;
    limit[d] = start[d] + out->dims[d];
    step[d] = 1;
  }
  Builder b = rewrite_before(p, op);
  return build_slice_at(&b, v, start, limit, step);
}

static ValueId fold_dynamic_update_slice(Optimizer *o, OpId op) {
  return same_type(o, op, op_operand(o->p, op, 1));
}

static ValueId fold_concatenate(Optimizer *o, OpId op) {
  return op_at(o->p, op)->n_operands == 1 ? same_type(o, op, op_operand(o->p, op, 0)) : 0;
}

// ---- collectives of constants ----

// A collective that moves elements, of a splat that all devices hold: the same splat.
static ValueId fold_moving_collective(Optimizer *o, OpId op) {
  return collective_groups(o, op) ? move_splat(o, op) : 0;
}

// collective_permute gives zeros to devices that receive nothing, so only a splat of zeros is sure
// to stay a splat.
static ValueId fold_permute(Optimizer *o, OpId op) {
  Scalar x;
  bool zero =
      op_splat(o->p, op_operand(o->p, op, 0), &x) && x.i == 0 && x.im == 0 && !signbit(x.im);
  return zero ? move_splat(o, op) : 0;
}

// A reduction over devices of a constant that combines with itself to itself, such as zeros of a
// sum.
static ValueId fold_reducing_collective(Optimizer *o, OpId op) {
  return op_reduces_to_itself(o->p, op_operand(o->p, op, 0), op_combine(o->p, op))
             ? fold_moving_collective(o, op)
             : 0;
}

// ---- the walk ----

static const Rule rules[OP_COUNT] = {
    [OP_add] = fold_add,
    [OP_subtract] = fold_subtract,
    [OP_multiply] = fold_multiply,
    [OP_divide] = fold_divide,
    [OP_remainder] = fold_remainder,
    [OP_maximum] = fold_extreme,
    [OP_minimum] = fold_extreme,
    [OP_and] = fold_extreme,
    [OP_or] = fold_extreme,
    [OP_select] = fold_select,
    [OP_reshape] = fold_reshape,
    [OP_convert] = fold_convert,
    [OP_transpose] = fold_transpose,
    [OP_broadcast_in_dim] = fold_broadcast_in_dim,
    [OP_slice] = fold_slice,
    [OP_pad] = fold_pad,
    [OP_dynamic_slice] = fold_dynamic_slice,
    [OP_dynamic_update_slice] = fold_dynamic_update_slice,
    [OP_concatenate] = fold_concatenate,
};

// Collectives have their rule from the columns of cost/collectives.def, other ops from rules[].
static Rule rule_of(uint16_t code) {
  const Collective *row = collective_row(code);
  if (!row) return rules[code < OP_COUNT ? code : 0];
  if (row->receives == RECEIVES_SOME) return fold_permute;
  return row->before == STATE_UNREDUCED ? fold_reducing_collective : fold_moving_collective;
}

// Replaces the op if a rule applies. Returns true also for a rewrite in place (new operands).
static bool fold_op(Optimizer *o, OpId op, bool *gone) {
  Program *p = o->p;
  Rule rule = rule_of(op_at(p, op)->code);
  if (op_at(p, op)->n_results != 1) return false;
  uint32_t before = p->ops.count;
  ValueId instead = compute(o, op);
  if (!instead) instead = fold_index(o, op);
  if (!instead && rule) instead = rule(o, op);
  if (!instead) return p->ops.count != before;
  op_replace(p, op, instead);
  *gone = true;
  return true;
}

uint32_t pass_fold(Optimizer *o) {
  Program *p = o->p;
  uint32_t changes = 0;
  for (OpId op = p->root, next; op; op = next) {
    bool gone = false;
    OpId over = op_walk_over(p, op, p->root);
    changes += fold_op(o, op, &gone);
    next = gone ? over : op_walk_next(p, op, p->root);
  }
  return changes;
}
