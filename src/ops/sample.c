// Random legal instances of ops for property tests. The random source is splitmix64, so an instance
// depends on its seed only. Values are constants: small integers, and floats that are multiples of
// 1/4 if the type has them, so that samples stay inside the domain of most functions.
#include "ops/sample.h"

#include <assert.h>
#include <string.h>

#include "ops/infer.h"

uint64_t sample_u64(Sample *cx) {
  uint64_t z = (cx->state += UINT64_C(0x9E3779B97F4A7C15));
  z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
  return z ^ (z >> 31);
}

int64_t sample_int(Sample *cx, int64_t low, int64_t high) {
  assert(low <= high && "a range is not empty");
  uint64_t span = (uint64_t)high - (uint64_t)low + 1;
  uint64_t r = sample_u64(cx);
  return (int64_t)((uint64_t)low + (span ? r % span : r));
}

bool sample_chance(Sample *cx, int percent) { return sample_int(cx, 0, 99) < percent; }

static bool kind_wanted(DTypeKind kind, const char *kinds) {
  static const char letters[] = {[KIND_BOOL] = 'b',
                                 [KIND_SINT] = 's',
                                 [KIND_UINT] = 'u',
                                 [KIND_FLOAT] = 'f',
                                 [KIND_COMPLEX] = 'c'};
  return kind != KIND_OTHER && strchr(kinds, letters[kind]) != NULL;
}

DType sample_dtype(Sample *cx, const char *kinds) {
  DType given = cx->source ? cx->source->dtype(cx, kinds) : (DType)0;
  if (given) return given;
  DType wanted[DT_COUNT];
  int n = 0;
  for (int t = 1; t < DT_COUNT; t++)
    if (t != DT_index && t != DT_tf32 && kind_wanted(dtype_kind((DType)t), kinds))
      wanted[n++] = (DType)t;
  assert(n && "kinds names at least one kind");
  return wanted[sample_int(cx, 0, n - 1)];
}

uint32_t sample_shape(Sample *cx, uint32_t most_rank, int64_t *dims) {
  uint32_t given;
  if (cx->source && cx->source->shape(cx, most_rank, &given, dims)) return given;
  uint32_t rank = (uint32_t)sample_int(cx, 0, most_rank);
  for (uint32_t d = 0; d < rank; d++) {
    int64_t roll = sample_int(cx, 0, 19);
    dims[d] = roll == 0 ? 0 : roll <= 2 ? 1 : sample_int(cx, 2, 5);
  }
  return rank;
}

// A constant whose element i is computed by `make`.
static ValueId constant(Sample *cx, Type tensor,
                        Scalar (*make)(Sample *cx, DType dtype, const int64_t *range),
                        const int64_t *range) {
  const TypeInfo *info = type_info(cx->context, tensor);
  const QuantInfo *quant = type_quant_info(cx->context, tensor);
  DType dtype = quant ? quant->storage : type_dtype(cx->context, tensor);
  int64_t limits[2] = {0, 0};
  if (quant) {
    limits[0] = quant->min;
    limits[1] = quant->max;
    range = limits;
  }
  int64_t count = 0;
  bool is_static = type_count(cx->context, tensor, &count);
  assert(info->kind == TYPE_TENSOR && is_static && "samples have static shapes");
  (void)info, (void)is_static;
  size_t bytes = (size_t)count * (size_t)dtype_bytes(dtype);
  uint8_t *data = arena_calloc(cx->arena, bytes + 1, 1);
  for (int64_t i = 0; i < count; i++) dtype_store(dtype, data, i, make(cx, dtype, range));
  Type storage = quant ? type_with_elem(cx->context, tensor, type_scalar(dtype)) : tensor;
  NamedAttr value = {name_of(cx->context, "value"), attr_dense(cx->context, storage, data, bytes)};
  OpId op = sample_op(cx, OP_constant, attr_dict(cx->context, 1, &value), 0, NULL, 1, &tensor, 0);
  return op_result(cx->program, op, 0);
}

static Scalar make_any(Sample *cx, DType dtype, const int64_t *range) {
  int64_t i = range ? sample_int(cx, range[0], range[1]) : sample_int(cx, -12, 12);
  switch (dtype_kind(dtype)) {
  case KIND_FLOAT: return scalar_f((double)i / 4);
  case KIND_COMPLEX: return scalar_c((double)i / 4, (double)sample_int(cx, -12, 12) / 4);
  case KIND_BOOL: return scalar_i(i & 1);
  case KIND_UINT: return scalar_u((uint64_t)(range || i > 0 ? i : -i));
  default: return scalar_i(i);
  }
}

static Scalar make_integer(Sample *cx, DType dtype, const int64_t *range) {
  int64_t i = sample_int(cx, range[0], range[1]);
  return dtype_convert(DT_i64, dtype, scalar_i(i));
}

ValueId sample_value(Sample *cx, Type tensor) {
  ValueId given = cx->source ? cx->source->value(cx, tensor) : 0;
  return given ? given : constant(cx, tensor, make_any, NULL);
}

ValueId sample_constant_i(Sample *cx, Type tensor, int64_t low, int64_t high) {
  ValueId given = cx->source ? cx->source->integers(cx, tensor, low, high) : 0;
  if (given) return given;
  const int64_t range[2] = {low, high};
  return constant(cx, tensor, make_integer, range);
}

Type sample_quant(Sample *cx, DType expressed, uint32_t rank, const int64_t *dims) {
  bool per_axis = rank > 0 && dims[rank - 1] > 0 && sample_chance(cx, 50);
  uint32_t count = per_axis ? (uint32_t)dims[rank - 1] : 1;
  double *scales = ARENA_ARRAY(cx->arena, double, count);
  int64_t *zeros = ARENA_ARRAY(cx->arena, int64_t, count);
  for (uint32_t i = 0; i < count; i++) {
    scales[i] = (double)sample_int(cx, 1, 16) / 8;
    zeros[i] = sample_int(cx, -8, 7);
  }
  QuantInfo quant = {.storage = DT_i8,
                     .expressed = expressed,
                     .min = -128,
                     .max = 127,
                     .axis = per_axis ? (int32_t)rank - 1 : -1,
                     .count = count,
                     .scales = scales,
                     .zero_points = zeros};
  return type_quant(cx->context, &quant);
}

static bool is_default_field(const Context *context, Attr value) {
  const AttrInfo *info = attr_info(context, value);
  return (info->kind == ATTR_DENSE_ARRAY && info->count == 0) ||
         (info->kind == ATTR_INT && info->i == 0);
}

Attr sample_struct(Sample *cx, const char *cls, uint32_t n, const NamedAttr *fields) {
  NamedAttr *kept = ARENA_ARRAY(cx->arena, NamedAttr, n + 1);
  uint32_t count = 0;
  for (uint32_t i = 0; i < n; i++)
    if (!is_default_field(cx->context, fields[i].value)) kept[count++] = fields[i];
  return attr_struct(cx->context, cls, count, kept);
}

OpId sample_op(Sample *cx, uint16_t code, Attr attrs, uint32_t n_operands, const ValueId *operands,
               uint32_t n_results, const Type *result_types, uint32_t n_regions) {
  Type *unknown = ARENA_ARRAY(cx->arena, Type, n_results + 1);
  OpId op = op_create(cx->program, &(OpSpec){.code = code,
                                             .n_operands = n_operands,
                                             .n_results = n_results,
                                             .n_regions = n_regions,
                                             .operands = operands,
                                             .result_types = result_types ? result_types : unknown,
                                             .attrs = attrs,
                                             .pos = POS_NONE});
  op_append(cx->program, cx->block, op);
  if (!result_types && n_results && !n_regions) sample_infer(cx, op);
  return op;
}

void sample_infer(Sample *cx, OpId op) {
  static const Source nothing = {.path = "<sample>", .text = "", .size = 0};
  Diag diag;
  diag_init(&diag, cx->program->guard, &nothing);
  bool ok = op_infer_types(cx->program, op, &diag);
  Status *status = ok ? NULL : diag_status(&diag);
  diag_deinit(&diag);
  if (ok) return;
  if (!status)
    status = status_new(INTERNAL, __FILE__, __LINE__, "a sample of %s is not legal",
                        op_name(cx->program, op));
  guard_throw(cx->program->guard, status);
}

void sample_binary_body(Sample *cx, OpId op, uint32_t region, Type elem, uint16_t code) {
  Type scalar = type_tensor(cx->context, elem, 0, NULL, 0);
  BlockId outer = cx->block;
  BlockId body = region_add_block(cx->program, op_region(cx->program, op, region));
  block_add_arg(cx->program, body, scalar, 0);
  block_add_arg(cx->program, body, scalar, 0);
  ValueId args[2] = {block_arg(cx->program, body, 0), block_arg(cx->program, body, 1)};
  cx->block = body;
  OpId combine = sample_op(cx, code, 0, 2, args, 1, NULL, 0);
  ValueId combined = op_result(cx->program, combine, 0);
  sample_op(cx, OP_return, 0, 1, &combined, 0, NULL, 0);
  cx->block = outer;
}

uint16_t sample_combiner(Sample *cx, Type elem) {
  static const uint16_t codes[] = {OP_add, OP_maximum, OP_minimum, OP_multiply,
                                   OP_and, OP_or,      OP_xor};
  DTypeKind kind = dtype_kind(type_dtype(cx->context, elem));
  bool integer = kind == KIND_BOOL || kind == KIND_SINT || kind == KIND_UINT;
  return codes[sample_int(cx, 0, integer ? 6 : kind == KIND_COMPLEX ? 0 : 2)];
}
