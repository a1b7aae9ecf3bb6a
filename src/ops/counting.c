// Problem: JAX writes x[arange(n), i] as a gather whose index vectors are (iota, i). Its factors
// show n as a batching dimension only if the iota is recognized.
//
// Idea: walk from the indices through the ops that JAX emits around an iota (concatenate, convert,
// broadcast_in_dim, reshape, the select that wraps negative indices) to an iota or a constant.
//
// Invariant: a yes holds for every element; an unknown op means no. The walk visits at most
// MOST_OPS ops along a path and constants of at most MOST_ELEMENTS elements.
#include "ops/counting.h"

#include "tensor/literal.h"

enum { MOST_OPS = 16, MOST_ELEMENTS = 1 << 16 };

static const TypeInfo *info_of(const Program *p, ValueId v) {
  return type_info(p->context, value_type(p, v));
}

static OpId def_of(const Program *p, ValueId v, uint16_t code) {
  OpId def = value_def(p, v);
  return def && op_at(p, def)->code == code ? def : 0;
}

// Can the element type represent every number below n?
static bool holds(const Program *p, ValueId v, int64_t n) {
  DType type = type_dtype(p->context, value_type(p, v));
  int bits = dtype_width(type) - (dtype_kind(type) == KIND_SINT);
  return dtype_is_integer(type) && (bits >= 63 || n <= (int64_t)1 << bits);
}

// Is every element of the constant its own index along d?
static bool constant_counts(const Program *p, OpId constant, uint32_t d) {
  const AttrInfo *value = attr_info(p->context, op_attr(p, constant, "value"));
  const TypeInfo *type = type_info(p->context, value->type);
  DType dtype = type_dtype(p->context, value->type);
  int64_t count, index[MAX_RANK] = {0}, i = 0;
  if (value->kind != ATTR_DENSE || value->splat || !type_count(p->context, value->type, &count) ||
      count < 1 || count > MOST_ELEMENTS || !dtype_is_integer(dtype) || type->rank > MAX_RANK)
    return false;
  do
    if (dtype_load(dtype, value->data, i++).i != index[d]) return false;
  while (shape_next(type->rank, type->dims, index));
  return true;
}

// Every element is zero.
static bool is_zero(const Program *p, ValueId v) {
  OpId def;
  while ((def = def_of(p, v, OP_broadcast_in_dim)) != 0) v = op_operand(p, def, 0);
  def = def_of(p, v, OP_constant);
  const AttrInfo *value = attr_info(p->context, def ? op_attr(p, def, "value") : 0);
  DType dtype = type_dtype(p->context, value_type(p, v));
  if (value->kind != ATTR_DENSE || value->bytes != (size_t)dtype_bytes(dtype)) return false;
  return dtype_is_integer(dtype) && dtype_load(dtype, value->data, 0).i == 0;
}

// The dimension of `from` that becomes dimension d of `to`, if the reshape only adds or removes
// dimensions of size 1.
static bool reshaped_dim(const TypeInfo *from, const TypeInfo *to, uint32_t d, uint32_t *out) {
  uint32_t i = 0, k = 0;
  bool found = false;
  for (; i < from->rank || k < to->rank; i++, k++) {
    while (i < from->rank && from->dims[i] == 1) i++;
    while (k < to->rank && to->dims[k] == 1) k++;
    if (i == from->rank || k == to->rank) break;
    if (from->dims[i] != to->dims[k]) return false;
    if (k == d) *out = i, found = true;
  }
  return found && i >= from->rank && k >= to->rank;
}

static bool counts(const Program *p, ValueId v, uint32_t d, uint32_t ops);

// JAX wraps negative indices: select(x < 0, x + n, x). An x that counts has none, so this is x.
static bool select_counts(const Program *p, OpId select, uint32_t d, uint32_t ops) {
  OpId less = def_of(p, op_operand(p, select, 0), OP_compare);
  if (!less) return false;
  Attr direction = op_attr(p, less, "comparison_direction");
  Str word = name_str(p->context, attr_as_name(p->context, direction));
  return str_is(word, "LT") && is_zero(p, op_operand(p, less, 1)) &&
         counts(p, op_operand(p, less, 0), d, ops) && counts(p, op_operand(p, select, 2), d, ops);
}

static bool spread_counts(const Program *p, OpId spread, uint32_t d, uint32_t ops) {
  ValueId from = op_operand(p, spread, 0);
  Ints dims = attr_as_ints(p->context, op_attr(p, spread, "broadcast_dimensions"));
  int64_t size = info_of(p, op_result(p, spread, 0))->dims[d];
  for (uint32_t i = 0; i < dims.n; i++)
    if (dims.v[i] == d) return info_of(p, from)->dims[i] == size && counts(p, from, i, ops);
  return false;
}

// Is every element of v its own index along d? Follows at most `ops` ops.
static bool counts(const Program *p, ValueId v, uint32_t d, uint32_t ops) {
  OpId def = value_def(p, v);
  const TypeInfo *info = info_of(p, v);
  if (!def || !ops || info->kind != TYPE_TENSOR || d >= info->rank || !holds(p, v, info->dims[d]))
    return false;
  ops--;
  uint32_t before = 0;
  switch (op_at(p, def)->code) {
  case OP_iota: return attr_as_int(p->context, op_attr(p, def, "iota_dimension"), -1) == d;
  case OP_constant: return constant_counts(p, def, d);
  case OP_convert: return counts(p, op_operand(p, def, 0), d, ops);
  case OP_broadcast_in_dim: return spread_counts(p, def, d, ops);
  case OP_select: return select_counts(p, def, d, ops);
  case OP_reshape:
    return reshaped_dim(info_of(p, op_operand(p, def, 0)), info, d, &before) &&
           counts(p, op_operand(p, def, 0), before, ops);
  default: return false;
  }
}

bool counting_entry(const Program *p, ValueId indices, uint32_t vector, uint32_t entry,
                    uint32_t d) {
  if (info_of(p, indices)->rank == vector) return counts(p, indices, d, MOST_OPS);
  for (OpId convert; (convert = def_of(p, indices, OP_convert)) != 0;) {
    if (!holds(p, indices, info_of(p, indices)->dims[d])) return false;
    indices = op_operand(p, convert, 0);
  }
  OpId join = def_of(p, indices, OP_concatenate);
  if (!join || attr_as_int(p->context, op_attr(p, join, "dimension"), -1) != vector)
    return counts(p, indices, d, MOST_OPS);
  int64_t at = 0;
  for (uint32_t i = 0; i < op_at(p, join)->n_operands; i++) {
    int64_t size = info_of(p, op_operand(p, join, i))->dims[vector];
    if (entry < at + size) return counts(p, op_operand(p, join, i), d, MOST_OPS);
    at += size;
  }
  return false;
}
