// stablehlo.dot_general: batched contraction over any dimensions (contract.c). Quantized operands:
// quant_contract.
#include "ops/contract.h"
#include "ops/factors.h"
#include "ops/quant.h"
#include "ops/sample.h"
#include "ops/work.h"

// C13 … C20: the element types of lhs, rhs and result.
static bool check_types(Infer *cx, const ContractDims *dims) {
  Type lhs = infer_operand_info(cx, 0)->elem, rhs = infer_operand_info(cx, 1)->elem;
  Type result = infer_result(cx, 0) ? type_elem(cx->context, infer_result(cx, 0)) : lhs;
  const QuantInfo *l = type_quant_info(cx->context, lhs), *r = type_quant_info(cx->context, rhs),
                  *o = type_quant_info(cx->context, result);
  if (!l && !r && !o) {
    REQUIRE(cx, 13,
            lhs == rhs || infer_attr(cx, "algorithm") ||
                (dtype_is_float(type_dtype(cx->context, lhs)) &&
                 dtype_is_float(type_dtype(cx->context, rhs)) &&
                 dtype_width(type_dtype(cx->context, lhs)) == 8 &&
                 dtype_width(type_dtype(cx->context, rhs)) == 8),
            "lhs has element type %s and rhs %s, expected equal", infer_text(cx, lhs),
            infer_text(cx, rhs));
    return true;
  }
  REQUIRE(cx, 14, r && !l == !o,
          "lhs, rhs and result have element types %s, %s and %s, expected a quantized rhs, and lhs "
          "and result both quantized or both not",
          infer_text(cx, lhs), infer_text(cx, rhs), infer_text(cx, result));
  for (uint32_t i = 0; i < r->count; i++)
    REQUIRE(cx, 15, r->zero_points[i] == 0, "rhs has zero point %lld, expected 0",
            (long long)r->zero_points[i]);
  REQUIRE(cx, 16, r->axis < 0 || !ints_contain(dims->rhs_contract, r->axis),
          "rhs is quantized along its contracting dimension %d, expected another dimension",
          r->axis);
  if (l) {
    REQUIRE(cx, 17, l->storage == r->storage, "lhs has storage type %s and rhs %s, expected equal",
            dtype_info(l->storage)->name, dtype_info(r->storage)->name);
    REQUIRE(cx, 18, l->expressed == r->expressed && r->expressed == o->expressed,
            "lhs, rhs and result have expressed types %s, %s and %s, expected equal",
            dtype_info(l->expressed)->name, dtype_info(r->expressed)->name,
            dtype_info(o->expressed)->name);
    REQUIRE(
        cx, 19, r->axis >= 0 || o->axis < 0,
        "rhs is quantized per tensor and the result per axis, expected the result per tensor, too");
  } else {
    REQUIRE(cx, 20, type_dtype(cx->context, lhs) == r->expressed && result == lhs,
            "lhs has element type %s, rhs expressed type %s and the result element type %s, "
            "expected equal",
            infer_text(cx, lhs), dtype_info(r->expressed)->name, infer_text(cx, result));
  }
  return true;
}

static bool check_algorithm(Infer *cx) {
  Attr algorithm = infer_attr(cx, "algorithm");
  if (!algorithm || attr_info(cx->context, algorithm)->kind != ATTR_STRUCT) return true;
  const AttrInfo *precision = attr_info(cx->context, infer_attr(cx, "precision_config"));
  for (uint32_t i = 0; precision->kind == ATTR_ARRAY && i < precision->count; i++)
    REQUIRE(
        cx, 21,
        str_is(name_str(cx->context, attr_as_name(cx->context, precision->items[i])), "DEFAULT"),
        "precision_config[%u] is %s, expected DEFAULT because an algorithm is given", i,
        name_text(cx->context, attr_as_name(cx->context, precision->items[i])));
  ContractPrecision p = contract_precision(cx->context, algorithm);
  REQUIRE(cx, 22, p.lhs_parts > 0, "lhs_component_count is %lld, expected a positive number",
          (long long)p.lhs_parts);
  REQUIRE(cx, 23, p.rhs_parts > 0, "rhs_component_count is %lld, expected a positive number",
          (long long)p.rhs_parts);
  REQUIRE(cx, 24, p.products > 0, "num_primitive_operations is %lld, expected a positive number",
          (long long)p.products);
  return true;
}

static bool infer(Infer *cx) {
  if (!infer_ranked(cx) || !infer_not_per_axis(cx, 0)) return false;
  ContractDims dims = contract_dims(cx->context, infer_attr(cx, "dot_dimension_numbers"));
  if (!contract_check(cx, &dims, true) || !check_types(cx, &dims) || !check_algorithm(cx))
    return false;
  const TypeInfo *lhs = infer_operand_info(cx, 0), *rhs = infer_operand_info(cx, 1);
  int64_t shape[2 * MAX_RANK];
  uint32_t rank = contract_shape(lhs, rhs, &dims, (Ints){0}, shape);
  REQUIRE(cx, 12, rank <= MAX_RANK, "the result has rank %u, at most %d is supported", rank,
          MAX_RANK);
  Type declared = infer_result(cx, 0);
  Type elem = declared ? type_elem(cx->context, declared) : lhs->elem;
  cx->out[0] = type_tensor(cx->context, elem, rank, shape, 0);
  if (declared) {
    const TypeInfo *r = type_info(cx->context, declared);
    REQUIRE(cx, 12, infer_shapes_compatible(cx, declared, cx->out[0]),
            "the result has shape %s, expected %s", infer_dims_text(cx, r->rank, r->dims),
            infer_dims_text(cx, rank, shape));
  }
  return true;
}

static Status *eval(EvalContext *cx, Literal *const *in, Literal **out) {
  if (quant_any(cx->context, 2, in)) return quant_contract(cx, 2, in, out, eval);
  ContractDims dims = contract_dims(cx->context, eval_attr(cx, "dot_dimension_numbers"));
  const TypeInfo lhs = {.rank = in[0]->rank, .dims = in[0]->dims},
                 rhs = {.rank = in[1]->rank, .dims = in[1]->dims};
  int64_t shape[2 * MAX_RANK];
  uint32_t rank = contract_shape(&lhs, &rhs, &dims, (Ints){0}, shape);
  out[0] = literal_new(cx->heap, cx->context, type_elem(cx->context, eval_result_type(cx, 0)), rank,
                       shape);
  return contract_eval(cx, in[0], in[1], &dims,
                       contract_precision(cx->context, eval_attr(cx, "algorithm")), out[0]);
}

static OpId sample(Sample *cx) {
  Context *c = cx->context;
  uint32_t n_batch = (uint32_t)sample_int(cx, 0, 2), n_sum = (uint32_t)sample_int(cx, 0, 2);
  int64_t lhs[6], rhs[6], lb[2], rb[2], ls[2], rs[2];
  uint32_t l = 0, r = 0;
  for (uint32_t i = 0; i < n_batch; i++) {
    lb[i] = l;
    rb[i] = r;
    lhs[l++] = rhs[r++] = sample_int(cx, 1, 3);
  }
  if (sample_chance(cx, 70)) lhs[l++] = sample_int(cx, 0, 4);
  for (uint32_t i = 0; i < n_sum; i++) {
    ls[i] = l;
    rs[i] = r;
    lhs[l++] = rhs[r++] = sample_int(cx, 0, 4);
  }
  if (sample_chance(cx, 70)) rhs[r++] = sample_int(cx, 1, 4);
  Type elem = type_scalar(sample_dtype(cx, "sufc"));
  ValueId operands[2] = {sample_value(cx, type_tensor(c, elem, l, lhs, 0)),
                         sample_value(cx, type_tensor(c, elem, r, rhs, 0))};
  NamedAttr numbers[] = {{name_of(c, "lhs_batching_dimensions"), attr_i64s(c, n_batch, lb)},
                         {name_of(c, "rhs_batching_dimensions"), attr_i64s(c, n_batch, rb)},
                         {name_of(c, "lhs_contracting_dimensions"), attr_i64s(c, n_sum, ls)},
                         {name_of(c, "rhs_contracting_dimensions"), attr_i64s(c, n_sum, rs)}};
  NamedAttr fields[] = {
      {name_of(c, "dot_dimension_numbers"), sample_struct(cx, "stablehlo.dot", 4, numbers)}};
  return sample_op(cx, OP_dot_general, attr_dict(c, 1, fields), 2, operands, 1, NULL, 0);
}

static bool factors(FactorContext *cx) {
  ContractDims dims = contract_dims(cx->context, factors_attr(cx, "dot_dimension_numbers"));
  uint32_t result = factors_result(cx, 0), out = 0;
  for (uint32_t i = 0; i < dims.lhs_batch.n; i++) {
    uint32_t l = (uint32_t)dims.lhs_batch.v[i];
    uint32_t factor = factors_on(cx, factors_dim(cx, 0, l), FACTOR_PASS, 0, l);
    factors_also(cx, factor, 1, (uint32_t)dims.rhs_batch.v[i]);
    factors_also(cx, factor, result, out++);
  }
  for (uint32_t t = 0; t < 2; t++)
    for (uint32_t d = 0; d < factors_rank(cx, t); d++)
      if (!ints_contain(t ? dims.rhs_batch : dims.lhs_batch, d) &&
          !ints_contain(t ? dims.rhs_contract : dims.lhs_contract, d))
        factors_also(cx, factors_on(cx, factors_dim(cx, t, d), FACTOR_PASS, t, d), result, out++);
  for (uint32_t i = 0; i < dims.lhs_contract.n; i++) {
    uint32_t l = (uint32_t)dims.lhs_contract.v[i];
    uint32_t factor = factors_on(cx, factors_dim(cx, 0, l), FACTOR_PASS, 0, l);
    factors_also(cx, factor, 1, (uint32_t)dims.rhs_contract.v[i]);
    factors_reduce(cx, factor, COMBINE_SUM);
  }
  return true;
}

const OpDef op_dot_general = {.work = work_contraction,
                              .infer = infer,
                              .eval = eval,
                              .sample = sample,
                              .constraints = 24,
                              .factors = factors};
