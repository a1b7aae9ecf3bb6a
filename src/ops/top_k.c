// chlo.top_k and equivalent custom calls. Entries are sorted by the total order of their bits
// (TOTALORDER: NaN above infinity, +0 above -0), larger first, equal ones by index. O(n log n) per
// slice.
#include "ops/custom_topk.h"

#include <string.h>

#include "ops/factors.h"
#include "tensor/merge_sort.h"
#include "ops/move.h"

static bool infer(Infer *cx) {
  const TypeInfo *operand = move_operand(cx, 0);
  if (!operand || !infer_not_per_axis(cx, 0)) return false;
  int64_t k = infer_int(cx, "k", -1), dims[MAX_RANK];
  REQUIRE(cx, 0, !dtype_is_complex(type_dtype(cx->context, operand->elem)),
          "the operand is %s, expected an element type with an order, not complex",
          infer_text(cx, infer_operand(cx, 0)));
  REQUIRE(cx, 0, operand->rank >= 1, "the operand is %s, expected at least one dimension",
          infer_text(cx, infer_operand(cx, 0)));
  REQUIRE(cx, 0, k >= 0, "k is %lld, expected at least 0", (long long)k);
  int64_t size = operand->dims[operand->rank - 1];
  REQUIRE(cx, 0, size == DIM_DYNAMIC || k <= size,
          "k is %lld, expected at most %lld, the size of the last dimension", (long long)k,
          (long long)size);
  for (uint32_t d = 0; d < operand->rank; d++) dims[d] = operand->dims[d];
  dims[operand->rank - 1] = k;
  return move_infer(cx, 0, operand->elem, operand->rank, dims, NULL) &&
         move_infer(cx, 1, type_scalar(DT_i32), operand->rank, dims, NULL);
}

// An unsigned integer with the order of the element. Signed integers: flip the sign bit. Floats
// (sign and magnitude): flip all bits of negative ones, the sign bit of others.
static uint64_t order_key(const Literal *literal, int64_t i) {
  const DTypeInfo *type = dtype_info(literal->dtype);
  uint64_t bits = 0, sign = UINT64_C(1) << (type->width - 1);
  memcpy(&bits, (const char *)literal->data + i * type->bytes, type->bytes);
  if (type->kind == KIND_SINT) return (bits ^ sign) & (sign | (sign - 1));
  if (type->kind != KIND_FLOAT || type->style == FLOAT_E8M0) return bits;
  return bits & sign ? ~bits & (sign | (sign - 1)) : bits | sign;
}

static Status *before(void *context, int64_t a, int64_t b, bool *out) {
  const uint64_t *keys = context;
  *out = keys[a] > keys[b];
  return NULL;
}

// The k largest (or smallest) entries along the last dimension, and their indices.
static Status *top_k(EvalContext *cx, const Literal *operand, int64_t k, bool largest,
                     Literal **out) {
  if (operand->kind != LITERAL_ARRAY || operand->rank == 0 || dtype_is_complex(operand->dtype) ||
      cx->n_out != 2)
    FAIL(INVALID_ARGUMENT, "the operand has rank 0, expected at least one dimension");
  int64_t size = operand->dims[operand->rank - 1], dims[MAX_RANK];
  if (k < 0 || k > size)
    FAIL(INVALID_ARGUMENT, "k is %lld, expected 0 to %lld, the size of the last dimension",
         (long long)k, (long long)size);
  for (uint32_t d = 0; d < operand->rank; d++) dims[d] = operand->dims[d];
  dims[operand->rank - 1] = k;
  TRY(move_new(cx, 0, operand->elem, operand->rank, dims, &out[0]));
  TRY(move_new(cx, 1, type_scalar(DT_i32), operand->rank, dims, &out[1]));
  if (out[0]->elem != operand->elem || out[1]->elem != type_scalar(DT_i32))  // of a custom call
    FAIL(INVALID_ARGUMENT, "the results have element types %s and %s, expected %s and i32",
         type_text(cx->context, out[0]->elem), type_text(cx->context, out[1]->elem),
         type_text(cx->context, operand->elem));
  if (out[0]->count == 0) return NULL;
  uint64_t *keys = ARENA_ARRAY(cx->scratch, uint64_t, (size_t)size);
  int64_t *order = ARENA_ARRAY(cx->scratch, int64_t, (size_t)size),
          *spare = ARENA_ARRAY(cx->scratch, int64_t, (size_t)size);
  for (int64_t slice = 0; slice < operand->count / size; slice++) {
    for (int64_t i = 0; i < size; i++) {
      uint64_t key = order_key(operand, slice * size + i);
      keys[i] = largest ? key : ~key;
    }
    TRY(merge_sort(size, order, spare, before, keys));
    for (int64_t i = 0; i < k; i++) {
      literal_copy_elements(out[0], slice * k + i, operand, slice * size + order[i], 1);
      literal_set(out[1], slice * k + i, scalar_i(order[i]));
    }
  }
  return NULL;
}

static Status *eval(EvalContext *cx, Literal *const *in, Literal **out) {
  return top_k(cx, in[0], eval_int(cx, "k", 0), true, out);
}

Status *custom_topk(EvalContext *cx, Literal *const *in, Literal **out) {
  Attr attrs = eval_attr(cx, "mhlo.attributes");
  int64_t k = attr_as_int(cx->context, attr_get(cx->context, attrs, "k"), -1);
  bool largest = attr_as_bool(cx->context, attr_get(cx->context, attrs, "largest"), true);
  if (cx->n_in != 1 || k < 0)
    FAIL(INVALID_ARGUMENT, "custom call 'mhlo.topk' requires one operand and k in mhlo.attributes");
  return top_k(cx, in[0], k, largest, out);
}

Status *custom_dynamic_top_k(EvalContext *cx, Literal *const *in, Literal **out) {
  if (cx->n_in != 2 || in[1]->kind != LITERAL_ARRAY || in[1]->count != 1 ||
      !dtype_is_integer(in[1]->dtype))
    FAIL(INVALID_ARGUMENT,
         "custom call 'stablehlo.dynamic_top_k' requires an operand and an integer scalar k");
  return top_k(cx, in[0], move_index(in[1], 0), true, out);
}

typedef struct CalledComparison {
  EvalContext *cx;
  Name comparator;
  uint32_t n;
  Literal *const *in;
  int64_t base, stride;  // of the current slice
  Literal **args;        // 2n scalars
} CalledComparison;

static Status *before_called(void *context, int64_t a, int64_t b, bool *out) {
  CalledComparison *c = context;
  for (uint32_t i = 0; i < 2 * c->n; i++) {
    c->args[i] = literal_new(c->cx->heap, c->cx->context, c->in[i / 2]->elem, 0, NULL);
    literal_copy_elements(c->args[i], 0, c->in[i / 2], c->base + (i % 2 ? b : a) * c->stride, 1);
  }
  Literal *answer = NULL;
  TRY(c->cx->host->call(c->cx, c->comparator, 2 * c->n, c->args, 1, &answer));
  if (answer->kind != LITERAL_ARRAY || answer->count != 1 || answer->dtype != DT_i1)
    FAIL(INVALID_ARGUMENT, "the comparator @%s does not return one i1",
         name_text(c->cx->context, c->comparator));
  *out = literal_get(answer, 0).i != 0;
  literal_release(answer);
  for (uint32_t i = 0; i < 2 * c->n; i++) literal_release(c->args[i]);
  return NULL;
}

Status *custom_approx_top_k(EvalContext *cx, Literal *const *in, Literal **out) {
  Context *context = cx->context;
  Attr config = eval_attr(cx, "mhlo.backend_config");
  if (!attr_get(context, config, "reduction_dim")) config = eval_attr(cx, "backend_config");
  const AttrInfo *called = attr_info(context, eval_attr(cx, "called_computations"));
  uint32_t n = cx->n_in / 2;
  int64_t along = attr_as_int(context, attr_get(context, config, "reduction_dim"), -1);
  if (n == 0 || cx->n_in != 2 * n || cx->n_out != n || called->kind != ATTR_ARRAY ||
      called->count != 1)
    FAIL(INVALID_ARGUMENT, "custom call for an approximate top-k requires one initial value and "
                           "one result per operand, and one comparator");
  uint32_t rank = in[0]->kind == LITERAL_ARRAY ? in[0]->rank : 0;
  if (along < 0 || along >= rank)
    FAIL(INVALID_ARGUMENT,
         "custom call for an approximate top-k: reduction_dim is %lld, expected it in [0, %u)",
         (long long)along, rank);
  const TypeInfo *result = type_info(context, eval_result_type(cx, 0));
  int64_t size = in[0]->dims[along], kept, dims[MAX_RANK], stride = 1;
  kept = result->kind == TYPE_TENSOR && result->rank == rank ? result->dims[along] : DIM_DYNAMIC;
  if (kept == DIM_DYNAMIC) kept = attr_as_int(context, attr_get(context, config, "top_k"), -1);
  if (kept < 0 || kept > size)
    FAIL(INVALID_ARGUMENT,
         "custom call for an approximate top-k: the result has size %lld along reduction_dim, "
         "expected at most %lld",
         (long long)kept, (long long)size);
  for (uint32_t d = 0; d < rank; d++) dims[d] = in[0]->dims[d];
  dims[along] = kept;
  for (uint32_t d = (uint32_t)along + 1; d < rank; d++) stride = shape_times(stride, dims[d]);
  for (uint32_t i = 0; i < n; i++) {
    if (in[i]->kind != LITERAL_ARRAY || !literal_same_shape(in[0], in[i]))
      FAIL(
          INVALID_ARGUMENT,
          "custom call for an approximate top-k: operands 0 and %u differ in shape, expected equal",
          i);
    TRY(move_new(cx, i, in[i]->elem, rank, dims, &out[i]));
    if (out[i]->elem != in[i]->elem)
      FAIL(INVALID_ARGUMENT, "result %u has element type %s, expected %s", i,
           type_text(context, out[i]->elem), type_text(context, in[i]->elem));
  }
  if (out[0]->count == 0) return NULL;
  CalledComparison c = {.cx = cx, .n = n, .in = in, .stride = stride};
  c.comparator = attr_as_name(context, called->items[0]);
  c.args = ARENA_ARRAY(cx->scratch, Literal *, 2 * n);
  int64_t *order = ARENA_ARRAY(cx->scratch, int64_t, (size_t)size),
          *spare = ARENA_ARRAY(cx->scratch, int64_t, (size_t)size);
  for (int64_t slice = 0; slice < in[0]->count / size; slice++) {
    int64_t outer = slice / stride * stride, inner = slice % stride;
    c.base = outer * size + inner;
    TRY(merge_sort(size, order, spare, before_called, &c));
    for (uint32_t i = 0; i < n; i++)
      for (int64_t k = 0; k < kept; k++)
        literal_copy_elements(out[i], outer * kept + inner + k * stride, in[i],
                              c.base + order[k] * stride, 1);
  }
  return NULL;
}

static OpId sample(Sample *cx) {
  int64_t dims[3];
  uint32_t rank = sample_shape(cx, 3, dims);
  if (rank == 0) dims[rank++] = 4;
  Type type;
  ValueId operand = move_sample(cx, "bsuf", rank, dims, &type);
  Attr attrs = move_attr(cx, 0, "k", attr_i64(cx->context, sample_int(cx, 0, dims[rank - 1])));
  return sample_op(cx, OP_chlo_top_k, attrs, 1, &operand, 2, NULL, 0);
}

const OpDef op_chlo_top_k = {.infer = infer,
                             .eval = eval,
                             .sample = sample,
                             .factors = factors_top_k,
                             .splits = top_k_splits,
                             .localize = top_k_localize};
