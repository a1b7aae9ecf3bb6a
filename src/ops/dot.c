// stablehlo.dot: vector and matrix products, the contraction of the last dimension of lhs with the
// first of rhs. No longer in the spec; its constraints are those of dot_general with these
// dimension numbers.
#include "ops/contract.h"
#include "ops/factors.h"
#include "ops/quant.h"
#include "ops/sample.h"
#include "ops/work.h"

static ContractDims dims_of(uint32_t lhs_rank, int64_t *zero, int64_t *last) {
  *zero = 0;
  *last = (int64_t)lhs_rank - 1;
  return (ContractDims){.lhs_batch = {.ok = true},
                        .rhs_batch = {.ok = true},
                        .lhs_contract = {last, 1, true},
                        .rhs_contract = {zero, 1, true}};
}

static bool infer(Infer *cx) {
  if (!infer_ranked(cx)) return false;
  const TypeInfo *lhs = infer_operand_info(cx, 0), *rhs = infer_operand_info(cx, 1);
  REQUIRE(cx, 0, lhs->rank >= 1 && lhs->rank <= 2 && rhs->rank >= 1 && rhs->rank <= 2,
          "lhs and rhs have ranks %u and %u, expected 1 or 2", lhs->rank, rhs->rank);
  int64_t zero, last, shape[4];
  ContractDims dims = dims_of(lhs->rank, &zero, &last);
  REQUIRE(cx, 0, dim_compatible(lhs->dims[last], rhs->dims[0]),
          "the last dimension of lhs has size %lld and the first of rhs %lld, expected equal",
          (long long)lhs->dims[last], (long long)rhs->dims[0]);
  uint32_t rank = contract_shape(lhs, rhs, &dims, (Ints){0}, shape);
  Type declared = infer_result(cx, 0);
  cx->out[0] = type_tensor(cx->context, declared ? type_elem(cx->context, declared) : lhs->elem,
                           rank, shape, 0);
  return true;
}

static Status *eval(EvalContext *cx, Literal *const *in, Literal **out) {
  if (quant_any(cx->context, 2, in)) return quant_contract(cx, 2, in, out, eval);
  int64_t zero, last, shape[4];
  ContractDims dims = dims_of(in[0]->rank, &zero, &last);
  const TypeInfo lhs = {.rank = in[0]->rank, .dims = in[0]->dims},
                 rhs = {.rank = in[1]->rank, .dims = in[1]->dims};
  uint32_t rank = contract_shape(&lhs, &rhs, &dims, (Ints){0}, shape);
  out[0] = literal_new(cx->heap, cx->context, type_elem(cx->context, eval_result_type(cx, 0)), rank,
                       shape);
  return contract_eval(cx, in[0], in[1], &dims, contract_precision(cx->context, 0), out[0]);
}

static OpId sample(Sample *cx) {
  Context *c = cx->context;
  int64_t lhs[2] = {sample_int(cx, 1, 4), sample_int(cx, 1, 4)},
          rhs[2] = {lhs[1], sample_int(cx, 1, 4)};
  bool vector = sample_chance(cx, 30), column = sample_chance(cx, 30);
  Type elem = type_scalar(sample_dtype(cx, "sufc"));
  ValueId operands[2] = {sample_value(cx, vector ? type_tensor(c, elem, 1, lhs + 1, 0)
                                                 : type_tensor(c, elem, 2, lhs, 0)),
                         sample_value(cx, type_tensor(c, elem, column ? 1 : 2, rhs, 0))};
  return sample_op(cx, OP_dot, 0, 2, operands, 1, NULL, 0);
}

// [i,k] x [k,j] -> [i,j]; i and j are absent from vectors.
static bool factors(FactorContext *cx) {
  uint32_t result = factors_result(cx, 0), lhs = factors_rank(cx, 0), rhs = factors_rank(cx, 1);
  if (lhs == 2)
    factors_also(cx, factors_on(cx, factors_dim(cx, 0, 0), FACTOR_PASS, 0, 0), result, 0);
  if (rhs == 2)
    factors_also(cx, factors_on(cx, factors_dim(cx, 1, 1), FACTOR_PASS, 1, 1), result, lhs - 1);
  uint32_t factor = factors_on(cx, factors_dim(cx, 1, 0), FACTOR_PASS, 0, lhs - 1);
  factors_also(cx, factor, 1, 0);
  factors_reduce(cx, factor, COMBINE_SUM);
  return true;
}

const OpDef op_dot = {
    .work = work_contraction, .infer = infer, .eval = eval, .sample = sample, .factors = factors};
