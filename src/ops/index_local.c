#include "ops/index_local.h"

Combine index_parts(const Localizer *cx, uint32_t tensor) {
  Type elem = localize_type(cx, tensor)->elem;
  DType dtype = type_dtype(cx->context, elem);
  if (type_is_quant(cx->context, elem) || dtype_info(dtype)->style == FLOAT_E8M0)
    return COMBINE_NONE;
  return dtype == DT_i1 ? COMBINE_OR : COMBINE_SUM;
}

bool index_has_room(const Localizer *cx, uint32_t d) {
  return localize_size(cx, 0, d) <= INT64_MAX / 8;
}

ValueId index_i64(Local *l, ValueId indices) {
  Context *c = l->p->context;
  Type type = value_type(l->p, indices);
  DType dtype = type_dtype(c, type);
  if (dtype == DT_i64) return indices;
  if (dtype == DT_ui64)
    indices = local_binary(l, OP_minimum, indices, local_splat(l, type, scalar_u(INT64_MAX)));
  return local_op(l, OP_convert, 1, &indices, type_with_elem(c, type, type_scalar(DT_i64)), 0);
}

ValueId index_clamp(Local *l, ValueId indices, int64_t most) {
  ValueId operands[] = {local_index(l, 0), indices, local_index(l, most)};
  return local_op(l, OP_clamp, 3, operands, value_type(l->p, indices), 0);
}

ValueId index_minus(Local *l, ValueId indices, ValueId offset) {
  return local_binary(l, OP_subtract, indices,
                      local_broadcast(l, offset, value_type(l->p, indices)));
}

ValueId index_inside(Local *l, ValueId indices, int64_t size) {
  Type type = value_type(l->p, indices);
  ValueId zero = local_splat(l, type, scalar_i(0));
  if (size == 1) return local_compare(l, "EQ", indices, zero);
  ValueId first = local_compare(l, "GE", indices, zero);
  ValueId last = local_compare(l, "LT", indices, local_splat(l, type, scalar_i(size)));
  return local_binary(l, OP_and, first, last);
}

ValueId index_and(Local *l, ValueId a, ValueId b) {
  return !a ? b : !b ? a : local_binary(l, OP_and, a, b);
}
