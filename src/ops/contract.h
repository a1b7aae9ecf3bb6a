// Contractions of two tensors: what dot_general, dot, einsum and chlo.ragged_dot share.
#ifndef TESSERA_OPS_CONTRACT_H
#define TESSERA_OPS_CONTRACT_H

#include "ops/dense.h"
#include "ops/eval.h"
#include "ops/infer.h"

// Which dimensions of lhs and rhs go together.
typedef struct ContractDims {
  Ints lhs_batch, rhs_batch, lhs_contract, rhs_contract;
} ContractDims;

// From a #stablehlo.dot or #chlo.ragged_dot attribute; absent lists are empty.
ContractDims contract_dims(Context *context, Attr numbers);

// C1 … C11 of dot_general; with `numbered` false they are reported without a number (ops outside
// the spec).
bool contract_check(Infer *cx, const ContractDims *dims, bool numbered);
// batch dims, then those of lhs, then those of rhs that are neither batch nor contracting nor in
// `skip`.
uint32_t contract_shape(const TypeInfo *lhs, const TypeInfo *rhs, const ContractDims *dims,
                        Ints skip, int64_t *out_dims);

// An operand as [batch, free, contract] with the contracting dimensions innermost. The free
// dimensions keep their order. Where `first` is one of the free dimensions it comes before the
// batch (a group dimension); -1: none.
typedef struct ContractSide {
  void *data;
  int64_t batch, free, contract;
} ContractSide;
ContractSide contract_side(EvalContext *cx, DenseKind kind, const Literal *literal, Ints batch,
                           Ints contract, int64_t first);

// How operands are rounded before they are multiplied (#stablehlo.dot_algorithm), and the type sums
// are rounded to.
typedef struct ContractPrecision {
  DType lhs, rhs, sum;  // DT_none_: as they are
  int64_t lhs_parts, rhs_parts, products;
} ContractPrecision;
ContractPrecision contract_precision(const Context *context, Attr algorithm);

// out[b, i, j] = sum over k of lhs[b, i, k] * rhs[b, j, k], k ascending. O(batch * m
// * n * k).
Status *contract_eval(EvalContext *cx, const Literal *lhs, const Literal *rhs,
                      const ContractDims *dims, ContractPrecision precision, Literal *out);

#endif
