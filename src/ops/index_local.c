// Index arithmetic of the local columns, as StableHLO ops on tensor<i64>. O(1) ops each.
#include "ops/index_local.h"

Combine index_reducer(const Localizer *cx, uint32_t tensor) {
  Type elem = localize_type(cx, tensor)->elem;
  DType dtype = type_dtype(cx->context, elem);
  if (type_is_quant(cx->context, elem) || dtype_info(dtype)->style == FLOAT_E8M0)
    return COMBINE_NONE;
  return dtype == DT_i1 ? COMBINE_OR : COMBINE_SUM;
}

bool index_has_room(const Localizer *cx, uint32_t d) {
  return localize_size(cx, 0, d) <= INT64_MAX / 8;
}

ValueId index_i64(Builder *b, ValueId indices) {
  Context *c = b->p->context;
  Type type = value_type(b->p, indices);
  DType dtype = type_dtype(c, type);
  if (dtype == DT_i64) return indices;
  if (dtype == DT_ui64)  // saturate: a huge unsigned index must not become negative
    indices = build_binary(b, OP_minimum, indices, build_splat(b, type, scalar_u(INT64_MAX)));
  return build_convert(b, indices, type_scalar(DT_i64));
}

ValueId index_clamp(Builder *b, ValueId indices, int64_t most) {
  ValueId operands[] = {build_index(b, 0), indices, build_index(b, most)};
  return build_op(b, OP_clamp, 3, operands, value_type(b->p, indices), 0);
}

ValueId index_minus(Builder *b, ValueId indices, ValueId offset) {
  return build_binary(b, OP_subtract, indices,
                      build_broadcast(b, offset, value_type(b->p, indices)));
}

ValueId index_inside(Builder *b, ValueId indices, int64_t size) {
  Type type = value_type(b->p, indices);
  ValueId zero = build_splat(b, type, scalar_i(0));
  if (size == 1) return build_compare(b, "EQ", indices, zero);
  ValueId first = build_compare(b, "GE", indices, zero);
  ValueId last = build_compare(b, "LT", indices, build_splat(b, type, scalar_i(size)));
  return build_binary(b, OP_and, first, last);
}

ValueId index_and(Builder *b, ValueId x, ValueId y) {
  return !x ? y : !y ? x : build_binary(b, OP_and, x, y);
}
