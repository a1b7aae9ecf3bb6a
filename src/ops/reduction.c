// Bodies of reductions: their types, and promotion of their inputs. O(arguments).
#include "ops/reduction.h"

#include "ops/quant.h"

bool reduction_promotable(const Context *context, Type from, Type to) {
  if (from == to) return true;
  const QuantInfo *p = type_quant_info(context, from), *q = type_quant_info(context, to);
  if (p || q)
    return p && q && p->expressed == q->expressed &&
           dtype_width(p->storage) <= dtype_width(q->storage);
  DType a = type_dtype(context, from), b = type_dtype(context, to);
  bool alike = dtype_kind(a) == dtype_kind(b) || (dtype_is_integer(a) && dtype_is_integer(b));
  return a && b && alike && dtype_width(a) <= dtype_width(b);
}

static bool is_scalar(const Infer *cx, Type type) {
  const TypeInfo *info = type_info(cx->context, type);
  return info->kind == TYPE_TENSOR && info->rank == 0;
}

bool reduction_check_body(Infer *cx, uint32_t region, uint32_t n, const Type *elems, int constraint,
                          Type *out_elems) {
  uint32_t args = infer_region_n_args(cx, region), returned = infer_region_n_returned(cx, region);
  REQUIRE(cx, constraint, args == 2 * n, "the body takes %u arguments, expected %u", args, 2 * n);
  REQUIRE(cx, constraint, returned == n, "the body returns %u values, expected %u", returned, n);
  for (uint32_t i = 0; i < n; i++) {
    Type result = infer_region_returned(cx, region, i);
    Type elem = type_elem(cx->context, result);
    REQUIRE(cx, constraint, is_scalar(cx, result),
            "the body returns %s, expected a tensor of rank 0", infer_text(cx, result));
    for (uint32_t side = 0; side < 2; side++) {
      Type arg = infer_region_arg(cx, region, side * n + i);
      REQUIRE(cx, constraint, arg == result,
              "argument %u of the body has type %s, expected the type it returns, %s", side * n + i,
              infer_text(cx, arg), infer_text(cx, result));
    }
    REQUIRE(cx, constraint, reduction_promotable(cx->context, elems[i], elem),
            "the body returns element type %s, expected %s or a type to which it can be promoted",
            infer_text(cx, elem), infer_text(cx, elems[i]));
    out_elems[i] = elem;
  }
  return true;
}

Literal *reduction_promote(EvalContext *cx, Literal *literal, Type elem) {
  if (literal->elem == elem) return literal_retain(literal);
  if (type_is_quant(cx->context, elem)) {
    Literal *floats = quant_dequantize(cx->context, literal);
    Literal *out = quant_quantize(cx->context, floats, elem);
    literal_release(floats);
    return out;
  }
  Literal *out = literal_like(literal, cx->context, elem);
  for (int64_t i = 0; i < literal->count; i++)
    literal_set(out, i, dtype_convert(literal->dtype, out->dtype, literal_get(literal, i)));
  return out;
}

void reduction_elems(const EvalContext *cx, uint32_t region, uint32_t n, Type *out_elems) {
  const Program *p = cx->program;
  BlockId block = region_block(p, op_region(p, cx->op, region));
  for (uint32_t i = 0; i < n; i++)
    out_elems[i] = type_elem(p->context, value_type(p, block_arg(p, block, i)));
}
