// Follows broadcasts back to a constant: JAX emits large splats as a broadcast scalar.
#include "ops/splat.h"

bool op_splat(const Program *p, ValueId value, Scalar *out) {
  OpId op = value_def(p, value);
  for (; op && op_at(p, op)->code == OP_broadcast_in_dim; op = value_def(p, value))
    value = op_operand(p, op, 0);
  if (!op || op_at(p, op)->code != OP_constant) return false;
  const AttrInfo *info = attr_info(p->context, op_attr(p, op, "value"));
  if (info->kind != ATTR_DENSE || type_is_quant(p->context, value_type(p, value))) return false;
  int64_t count;
  if (!type_count(p->context, info->type, &count) || count < 1 || (count > 1 && !info->splat))
    return false;
  *out = dtype_load(type_dtype(p->context, info->type), info->data, 0);
  return true;
}

bool op_splat_is(const Program *p, ValueId value, double x) {
  Scalar scalar;
  if (!op_splat(p, value, &scalar)) return false;
  DType dtype = type_dtype(p->context, value_type(p, value));
  if (dtype_is_complex(dtype)) return scalar.f == x && scalar.im == 0;
  return dtype_is_float(dtype) ? scalar.f == x : scalar.i == (int64_t)x;
}
