// Contractions of two tensors, for dot_general, dot, einsum and chlo.ragged_dot.
#ifndef TESSERA_OPS_CONTRACT_H
#define TESSERA_OPS_CONTRACT_H

#include "ops/dense.h"
#include "ops/eval.h"
#include "ops/infer.h"

// Corresponding dimensions of lhs and rhs.
typedef struct ContractDims {
  Ints lhs_batch, rhs_batch, lhs_contract, rhs_contract;
} ContractDims;

// From a #stablehlo.dot or #chlo.ragged_dot attribute; absent lists are empty.
ContractDims contract_dims(Context *context, Attr numbers);

// Checks C1 … C11 of dot_general; `numbered` false: reports have no number (ops outside the spec).
bool contract_check(Infer *cx, const ContractDims *dims, bool numbered);
// The result's dims: batch, then the free dimensions of lhs, then those of rhs (neither batch nor
// contracting nor in `skip`). Returns the rank.
uint32_t contract_shape(const TypeInfo *lhs, const TypeInfo *rhs, const ContractDims *dims,
                        Ints skip, int64_t *out_dims);

// An operand transposed to [batch, free, contract]. The free dimensions keep their order. `first`:
// a free dimension that comes before the batch (a group dimension); -1: none.
typedef struct ContractSide {
  void *data;
  int64_t batch, free, contract;
} ContractSide;
ContractSide contract_side(EvalContext *cx, DenseKind kind, const Literal *literal, Ints batch,
                           Ints contract, int64_t first);

// Rounding of operands before multiplication (#stablehlo.dot_algorithm), and the accumulation type.
typedef struct ContractPrecision {
  DType lhs, rhs, sum;  // DT_none_: no rounding
  int64_t lhs_parts, rhs_parts, products;
} ContractPrecision;
ContractPrecision contract_precision(const Context *context, Attr algorithm);

// out[b, i, j] = sum over k of lhs[b, i, k] * rhs[b, j, k], as a balanced tree over k (dense_dot).
// O(batch * m * n * k).
Status *contract_eval(EvalContext *cx, const Literal *lhs, const Literal *rhs,
                      const ContractDims *dims, ContractPrecision precision, Literal *out);

#endif
