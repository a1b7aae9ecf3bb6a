// Thin: every function makes one op, or a type.
#include "optimize/build.h"

#include "tensor/literal.h"

ValueId build_op(Program *p, OpId before, uint16_t code, uint32_t n, const ValueId *operands,
                 Type result, Attr attrs) {
  const Op *o = op_at(p, before);
  OpSpec spec = {.code = code,
                 .n_operands = n,
                 .operands = operands,
                 .n_results = 1,
                 .result_types = &result,
                 .attrs = attrs,
                 .loc = o->loc,
                 .pos = o->pos,
                 .origin = o->origin ? o->origin : before};
  OpId op = op_create(p, &spec);
  op_insert_before(p, op, before);
  return op_result(p, op, 0);
}

ValueId build_constant(Program *p, OpId before, Attr dense) {
  Context *c = p->context;
  NamedAttr value = {name_of(c, "value"), dense};
  return build_op(p, before, OP_constant, 0, NULL, attr_info(c, dense)->type,
                  attr_dict(c, 1, &value));
}

Attr build_dense_scalar(Context *context, Type type, Scalar scalar) {
  DType dtype = type_dtype(context, type);
  uint8_t element[16] = {0};
  dtype_store(dtype, element, 0, scalar);
  return attr_dense(context, type, element, (size_t)dtype_bytes(dtype));
}

ValueId build_splat(Program *p, OpId before, Type type, Scalar scalar) {
  return build_constant(p, before, build_dense_scalar(p->context, type, scalar));
}

ValueId build_index(Program *p, OpId before, int64_t value) {
  Type type = type_tensor(p->context, type_scalar(DT_i64), 0, NULL, 0);
  return build_splat(p, before, type, scalar_i(value));
}

ValueId build_identity(Program *p, OpId before, Type type, Combine combine) {
  DType dtype = type_dtype(p->context, type);
  bool parts = dtype_is_float(dtype) || dtype_is_complex(dtype);
  Scalar none = scalar_i(0);
  switch (combine) {
  case COMBINE_MAX: none = dtype_min(dtype); break;
  case COMBINE_MIN: none = dtype_max(dtype); break;
  case COMBINE_MUL: none = parts ? scalar_c(1, 0) : scalar_i(1); break;
  case COMBINE_AND: none = scalar_i(-1); break;
  case COMBINE_SUM: none = parts ? scalar_c(-0.0, -0.0) : scalar_i(0); break;
  default: break;
  }
  return build_splat(p, before, type, none);
}

static uint16_t combine_code(Combine combine) {
  switch (combine) {
  case COMBINE_MAX: return OP_maximum;
  case COMBINE_MIN: return OP_minimum;
  case COMBINE_MUL: return OP_multiply;
  case COMBINE_AND: return OP_and;
  case COMBINE_OR: return OP_or;
  case COMBINE_XOR: return OP_xor;
  default: return OP_add;
  }
}

static void put_body(Program *p, OpId op, Type elem, Combine combine) {
  Type scalar = type_tensor(p->context, elem, 0, NULL, 0);
  OpId origin = op_at(p, op)->origin;
  BlockId block = region_add_block(p, op_region(p, op, 0));
  ValueId args[2];
  args[0] = block_add_arg(p, block, scalar, 0);
  args[1] = block_add_arg(p, block, scalar, 0);
  OpSpec join = {.code = combine_code(combine),
                 .n_operands = 2,
                 .operands = args,
                 .n_results = 1,
                 .result_types = &scalar,
                 .pos = POS_NONE,
                 .origin = origin};
  OpId joined = op_create(p, &join);
  op_append(p, block, joined);
  OpSpec end = {.code = OP_return,
                .n_operands = 1,
                .operands = (ValueId[]){op_result(p, joined, 0)},
                .pos = POS_NONE,
                .origin = origin};
  op_append(p, block, op_create(p, &end));
}

static OpId create(Program *p, uint16_t code, OpId model, uint32_t n, const ValueId *operands,
                   const Type *results, Attr attrs, Combine combine) {
  const Op *o = op_at(p, model);
  OpSpec spec = {.code = code,
                 .n_operands = n,
                 .operands = operands,
                 .n_results = n,
                 .result_types = results,
                 .n_regions = combine != COMBINE_NONE,
                 .attrs = attrs,
                 .loc = o->loc,
                 .pos = o->pos,
                 .origin = o->origin ? o->origin : model};
  OpId op = op_create(p, &spec);
  if (combine != COMBINE_NONE) put_body(p, op, type_elem(p->context, results[0]), combine);
  return op;
}

OpId build_wider(Program *p, OpId model, uint32_t n, const ValueId *operands, const Type *results,
                 Combine combine) {
  return create(p, op_at(p, model)->code, model, n, operands, results, op_at(p, model)->attrs,
                combine);
}

ValueId build_reduction(Program *p, OpId before, uint16_t code, OpId model, ValueId operand,
                        Type result, Attr attrs, Combine combine) {
  OpId op = create(p, code, model, 1, &operand, &result, attrs, combine);
  op_insert_before(p, op, before);
  return op_result(p, op, 0);
}
