// Problem: a slice of a computed value wastes the rest of the computation, and hides an all_gather
// or all_reduce further up that the slice could shrink.
//
// Idea: slice(op(a, b)) → op(slice(a), slice(b)) for elementwise ops, transposes and broadcasts, if
// nothing else uses op(a, b). Blocks are walked from the last op to the first; a new slice is
// visited next, so it moves as far as it goes.
//
// Invariant: values are equal bit by bit; no slice crosses an optimization_barrier. Cost: O(ops).
#include "optimize/barriers.h"
#include "optimize/facts.h"
#include "optimize/pass.h"

static bool is_slice(const Program *p, OpId op) {
  uint16_t code = op_at(p, op)->code;
  return code == OP_slice || code == OP_dynamic_slice;
}

static uint32_t rank_of(const Program *p, ValueId v) {
  return type_info(p->context, value_type(p, v))->rank;
}

static int64_t dim_of(const Program *p, Type type, uint32_t d) {
  return type_info(p->context, type)->dims[d];
}

// The slice on v, of which dimension d is dimension from[d] of the sliced value. Dimensions of size
// 1 that a broadcast stretches (UINT32_MAX) are not sliced.
static ValueId slice_of(Optimizer *o, OpId slice, OpId before, ValueId v, const uint32_t *from) {
  Program *p = o->p;
  Context *c = o->context;
  Type type = value_type(p, v), small = op_result_type(p, slice, 0);
  uint32_t rank = rank_of(p, v);
  int64_t sizes[MAX_RANK];
  for (uint32_t d = 0; d < rank; d++)
    sizes[d] = from[d] == UINT32_MAX ? dim_of(p, type, d) : dim_of(p, small, from[d]);
  if (type_with_shape(c, type, rank, sizes) == type) return v;
  Builder b = rewrite_before(p, before);
  if (op_at(p, slice)->code == OP_dynamic_slice) {
    ValueId starts[MAX_RANK];
    for (uint32_t d = 0; d < rank; d++)
      starts[d] = from[d] == UINT32_MAX ? build_splat(&b, op_operand_type(p, slice, 1), scalar_i(0))
                                        : op_operand(p, slice, 1 + from[d]);
    return build_dynamic_slice_at(&b, v, starts, sizes);
  }
  static const char *const names[] = {"start_indices", "limit_indices", "strides"};
  int64_t now[3][MAX_RANK];
  for (uint32_t k = 0; k < 3; k++) {
    Ints was = attr_as_ints(c, op_attr(p, slice, names[k]));
    for (uint32_t d = 0; d < rank; d++)
      now[k][d] = from[d] != UINT32_MAX ? was.v[from[d]] : k == 0 ? 0 : k == 1 ? sizes[d] : 1;
  }
  return build_slice_at(&b, v, now[0], now[1], now[2]);
}

// out[d]: the dimension of the op's result that dimension d of the operand becomes. False if
// unknown.
static bool dims_through(Optimizer *o, OpId op, uint32_t operand, uint32_t *out) {
  Program *p = o->p;
  ValueId v = op_operand(p, op, operand);
  uint32_t rank = rank_of(p, v);
  switch (op_at(p, op)->code) {
  case OP_transpose: {
    Ints order = attr_as_ints(o->context, op_attr(p, op, "permutation"));
    for (uint32_t d = 0; order.ok && d < order.n; d++) out[order.v[d]] = d;
    return order.ok;
  }
  case OP_broadcast_in_dim: {
    Ints dims = attr_as_ints(o->context, op_attr(p, op, "broadcast_dimensions"));
    for (uint32_t d = 0; dims.ok && d < dims.n; d++) {
      bool stretched = dim_of(p, value_type(p, v), d) !=
                       dim_of(p, op_result_type(p, op, 0), (uint32_t)dims.v[d]);
      out[d] = stretched ? UINT32_MAX : (uint32_t)dims.v[d];
    }
    return dims.ok;
  }
  default:
    if (rank && rank != rank_of(p, op_result(p, op, 0))) return false;
    for (uint32_t d = 0; d < rank; d++) out[d] = d;
    return true;
  }
}

// A static tensor, neither quantized nor with an encoding.
static bool is_simple_tensor(const Program *p, Type type) {
  const TypeInfo *info = type_info(p->context, type);
  return info->kind == TYPE_TENSOR && !info->encoding && type_is_static(p->context, type) &&
         !type_is_quant(p->context, type);
}

static bool can_be_sliced(const Program *p, OpId op) {
  const Op *o = op_at(p, op);
  if (o->n_results != 1 || o->n_regions || !o->n_operands || o->n_operands > 3) return false;
  if (!is_simple_tensor(p, op_result_type(p, op, 0))) return false;
  for (uint32_t i = 0; i < o->n_operands; i++)
    if (!is_simple_tensor(p, op_operand_type(p, op, i))) return false;
  return o->code == OP_transpose || o->code == OP_broadcast_in_dim ||
         (op_traits(p, op) & (TRAIT_PURE | TRAIT_ELEMENTWISE)) == (TRAIT_PURE | TRAIT_ELEMENTWISE);
}

// An operand that occurs twice is sliced once.
static bool move_up(Optimizer *o, const Barriers *barriers, OpId slice) {
  Program *p = o->p;
  OpId op = value_def(p, op_operand(p, slice, 0));
  if (!op || op_at(p, op)->block != op_at(p, slice)->block ||
      !barriers_none_between(barriers, op, slice) || !can_be_sliced(p, op) ||
      !fact_used_once(p, op_result(p, op, 0)) || rank_of(p, op_result(p, op, 0)) > MAX_RANK)
    return false;
  uint32_t n = op_at(p, op)->n_operands, from[3][MAX_RANK];
  for (uint32_t i = 0; i < n; i++)
    if (!dims_through(o, op, i, from[i])) return false;
  ValueId operands[3];
  for (uint32_t i = 0; i < n; i++) {
    ValueId v = op_operand(p, op, i);
    operands[i] = v;
    for (uint32_t k = 0; k < i && operands[i] == v; k++)
      if (op_operand(p, op, k) == v) operands[i] = operands[k];
    if (operands[i] == v && rank_of(p, v)) operands[i] = slice_of(o, slice, slice, v, from[i]);
  }
  Builder b = rewrite_before(p, slice);
  ValueId small = build_op(&b, op_at(p, op)->code, n, operands, op_result_type(p, slice, 0),
                           op_at(p, op)->attrs);
  op_replace(p, slice, small);
  op_erase(p, op);
  return true;
}

static uint32_t run_block(Optimizer *o, const Barriers *barriers, BlockId block) {
  Program *p = o->p;
  uint32_t changes = 0;
  for (OpId op = block_at(p, block)->last, prev; op; op = prev) {
    OpId next = op_at(p, op)->next;
    bool moved = is_slice(p, op) && move_up(o, barriers, op);
    changes += moved;
    // New slices stand before the new op: continue there.
    prev = !moved ? op_at(p, op)->prev : next ? op_at(p, next)->prev : block_at(p, block)->last;
  }
  return changes;
}

uint32_t pass_slices(Optimizer *o) {
  Program *p = o->p;
  uint32_t changes = 0, n = p->blocks.count;
  Barriers barriers = barriers_find(o);
  for (BlockId block = 1; block < n; block++) {
    OpId first = block_at(p, block)->first;
    if (first && op_at(p, first)->code) changes += run_block(o, &barriers, block);
  }
  return changes;
}
