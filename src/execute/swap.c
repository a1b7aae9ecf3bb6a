// Problem: a gradient of a weight is written as the transpose of a product, which moves each
// element once more.
// Idea: (a·b)ᵀ = bᵀ·aᵀ: the product with its sides exchanged has the transposed result, and kernels
// read transposed operands where they are.
//   [k,n]ᵀ[k,m] → [n,m] → transpose → [m,n]     becomes     [k,m]ᵀ[k,n] → [m,n]
// Invariant: the program is equivalent and stays valid. Cost: O(function).
#include "execute/swap.h"

#include "build/build.h"
#include "ops/contract.h"

// The order is batch, then the free dimensions of the right side, then those of the left.
static bool swaps_sides(Ints order, uint32_t batch, uint32_t left, uint32_t right) {
  if (!order.ok || order.n != batch + left + right) return false;
  for (uint32_t i = 0; i < order.n; i++) {
    uint32_t from = i < batch ? i : i < batch + right ? i + left : i - right;
    if (order.v[i] != from) return false;
  }
  return true;
}

static Attr swapped_numbers(Context *c, const ContractDims *d) {
  NamedAttr fields[4];
  uint32_t n = 0;
  const Ints lists[] = {d->rhs_batch, d->lhs_batch, d->rhs_contract, d->lhs_contract};
  static const char *const names[] = {"lhs_batching_dimensions", "rhs_batching_dimensions",
                                      "lhs_contracting_dimensions", "rhs_contracting_dimensions"};
  for (uint32_t i = 0; i < 4; i++)
    if (lists[i].n)
      fields[n++] = (NamedAttr){name_of(c, names[i]), attr_i64s(c, lists[i].n, lists[i].v)};
  return attr_struct(c, "stablehlo.dot", n, fields);
}

// Precisions are per side: only equal ones can be exchanged.
static bool has_plain_precision(const Program *p, OpId dot) {
  if (op_attr(p, dot, "algorithm")) return false;
  Attr precision = op_attr(p, dot, "precision_config");
  if (!precision) return true;
  const AttrInfo *list = attr_info(p->context, precision);
  return list->kind == ATTR_ARRAY && list->count == 2 && list->items[0] == list->items[1];
}

static void try_swap(Program *p, OpId transpose) {
  OpId dot = value_def(p, op_operand(p, transpose, 0));
  if (!dot || op_at(p, dot)->code != OP_dot_general ||
      op_at(p, dot)->block != op_at(p, transpose)->block ||
      value_count_uses(p, op_result(p, dot, 0)) != 1 || !has_plain_precision(p, dot))
    return;
  Context *c = p->context;
  const TypeInfo *lhs = type_info(c, op_operand_type(p, dot, 0)),
                 *rhs = type_info(c, op_operand_type(p, dot, 1));
  ContractDims dims = contract_dims(c, op_attr(p, dot, "dot_dimension_numbers"));
  uint32_t batch = dims.lhs_batch.n, summed = dims.lhs_contract.n;
  if (lhs->rank < batch + summed || rhs->rank < batch + summed) return;
  if (!swaps_sides(attr_as_ints(c, op_attr(p, transpose, "permutation")), batch,
                   lhs->rank - batch - summed, rhs->rank - batch - summed))
    return;
  Builder b = build_like(p, transpose, dot);
  ValueId sides[] = {op_operand(p, dot, 1), op_operand(p, dot, 0)};
  ValueId v =
      build_op(&b, OP_dot_general, 2, sides, op_result_type(p, transpose, 0), op_at(p, dot)->attrs);
  op_set_attr(p, value_def(p, v), "dot_dimension_numbers", swapped_numbers(c, &dims));
  op_replace(p, transpose, v);
  op_erase(p, dot);
}

void swap_products(Program *p, OpId function) {
  for (OpId o = function, next; o; o = next) {
    next = op_walk_next(p, o, function);
    if (op_at(p, o)->code == OP_transpose) try_swap(p, o);
  }
}
