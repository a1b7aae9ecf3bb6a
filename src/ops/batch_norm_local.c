// batch_norm_training and batch_norm_grad with a sharded batch: local sums per feature, then
// all_reduces of feature vectors.
//
//   training   the mean from sums of x, then the variance from sums of (x - mean)^2, which is as
//              exact as the global op (sums of x^2 would cancel); two all_reduces. Then
//              batch_norm_inference normalizes each shard.
//   grad       three sums per feature in one all_reduce
//
// Sums are in f32 at least and rounded once. Padding is masked, and the count is the global one.
#include "ops/batch_norm_local.h"

#include "tensor/strided.h"

typedef struct Norm {
  Localizer *cx;
  Builder *b;
  uint32_t rank, feature, n_dims;
  int64_t dims[MAX_RANK];  // all but the feature
  AxisList axes;           // that shard these
  double count;            // global elements per feature
  DType dtype, sum_dtype;
  Type data, vector;  // local types
} Norm;

static uint32_t feature_of(const Localizer *cx) {
  return (uint32_t)attr_as_int(cx->context, localize_attr(cx, "feature_index"), 0);
}

static DType sum_dtype_of(DType dtype) { return dtype_width(dtype) < 32 ? DT_f32 : dtype; }

void batch_norm_splits(Localizer *cx) {
  const TypeInfo *data = localize_type(cx, 0);
  uint32_t feature = feature_of(cx);
  double ways = 1;
  for (uint32_t i = 0; i < factor_map_n_tensors(cx->map); i++)
    if (type_is_quant(cx->context, localize_type(cx, i)->elem)) {
      localize_only_default(cx);
      return;
    }
  for (uint32_t d = 0; d < data->rank; d++)
    if (d != feature) ways *= (double)localize_ways(cx, localize_factor(cx, 0, d));
  double sums = localize_n_operands(cx) == 5 ? 3 : 2;
  double bytes = dtype_bytes(sum_dtype_of(type_dtype(cx->context, data->elem)));
  cx->bytes += 2 * (ways - 1) / ways * sums * bytes * (double)localize_tile(cx, 0, feature);
  cx->steps += sums == 2 ? 2 : 1;
}

static Norm norm_of(Localizer *cx) {
  Context *c = cx->context;
  const TypeInfo *data = localize_type(cx, 0);
  Norm n = {.cx = cx, .b = cx->builder, .rank = data->rank, .feature = feature_of(cx), .count = 1};
  for (uint32_t d = 0; d < n.rank; d++) {
    if (d == n.feature) continue;
    n.dims[n.n_dims++] = d;
    n.count *= (double)data->dims[d];
    n.axes = axes_concat(n.b->arena, n.axes, localize_axes(cx, 0, d));
  }
  n.dtype = type_dtype(c, data->elem);
  n.sum_dtype = sum_dtype_of(n.dtype);
  n.data = value_type(n.b->p, cx->in[0]);
  n.vector = value_type(n.b->p, cx->in[1]);
  return n;
}

static ValueId as_dtype(const Norm *n, ValueId v, DType dtype) {
  return build_convert(n->b, v, type_scalar(dtype));
}

// Broadcasts a vector of features to the data's shape.
static ValueId spread(const Norm *n, ValueId vector) {
  return build_broadcast_in(n->b, vector, n->data, &(int64_t){n->feature});
}

// Global sums per feature of k tensors, in one all_reduce.
static void put_sums(const Norm *n, uint32_t k, ValueId *v) {
  Builder *b = n->b;
  Localizer *cx = n->cx;
  Type scalar = type_tensor(cx->context, type_scalar(n->sum_dtype), 0, NULL, 0);
  for (uint32_t i = 0; i < k; i++) {
    v[i] = as_dtype(n, v[i], n->sum_dtype);
    for (uint32_t d = 0; d < n->rank; d++)
      if (d != n->feature && localize_is_uneven(cx, 0, d))
        v[i] = build_mask_padding(b, v[i], d, localize_axes(cx, 0, d), localize_size(cx, 0, d),
                                  build_identity(b, scalar, COMBINE_SUM));
    v[i] = build_reduce(b, v[i], n->n_dims, n->dims, COMBINE_SUM);
  }
  int64_t features = build_dim(b, v[0], 0);
  ValueId all = build_all_reduce(b, build_concatenate(b, k, v, 0), n->axes, COMBINE_SUM);
  for (uint32_t i = 0; i < k; i++)
    v[i] = as_dtype(n, build_slice(b, all, 0, i * features, (i + 1) * features, 1), n->dtype);
}

static ValueId put_mean(const Norm *n, ValueId v) {
  put_sums(n, 1, &v);
  return build_binary(n->b, OP_divide, v, build_splat(n->b, n->vector, scalar_f(n->count)));
}

Status *batch_norm_training_localize(Localizer *cx) {
  Norm n = norm_of(cx);
  if (!n.axes.n) return localize_default(cx);
  Builder *b = n.b;
  Context *c = cx->context;
  ValueId mean = put_mean(&n, cx->in[0]);
  ValueId centered = build_binary(b, OP_subtract, cx->in[0], spread(&n, mean));
  ValueId variance = put_mean(&n, build_binary(b, OP_multiply, centered, centered));
  NamedAttr fields[] = {{name_of(c, "epsilon"), localize_attr(cx, "epsilon")},
                        {name_of(c, "feature_index"), localize_attr(cx, "feature_index")}};
  ValueId operands[] = {cx->in[0], cx->in[1], cx->in[2], mean, variance};
  cx->out[0] =
      build_op(b, OP_batch_norm_inference, 5, operands, cx->out_types[0], attr_dict(c, 2, fields));
  cx->out[1] = mean;
  cx->out[2] = variance;
  return NULL;
}

// Follows the specification's decomposition op by op.
Status *batch_norm_grad_localize(Localizer *cx) {
  Norm n = norm_of(cx);
  if (!n.axes.n) return localize_default(cx);
  Builder *b = n.b;
  ValueId scale = cx->in[1], grad = cx->in[4];
  double epsilon = attr_as_float(cx->context, localize_attr(cx, "epsilon"), 0);
  ValueId variance =
      build_binary(b, OP_add, cx->in[3], build_splat(b, n.vector, scalar_f(epsilon)));
  ValueId deviation = build_unary(b, OP_sqrt, variance);
  ValueId centered = build_binary(b, OP_subtract, cx->in[0], spread(&n, cx->in[2]));
  ValueId normal = build_binary(b, OP_divide, centered, spread(&n, deviation));
  ValueId sums[3] = {grad, build_binary(b, OP_multiply, grad, centered),
                     build_binary(b, OP_multiply, grad, normal)};
  put_sums(&n, 3, sums);
  ValueId all = build_splat(b, n.data, scalar_f(n.count));
  ValueId by_mean =
      build_binary(b, OP_subtract, build_binary(b, OP_multiply, grad, all), spread(&n, sums[0]));
  ValueId by_variance = build_binary(b, OP_multiply, spread(&n, sums[1]), centered);
  by_variance = build_binary(b, OP_divide, by_variance, spread(&n, variance));
  ValueId factor = build_binary(b, OP_divide, scale, deviation);
  factor = build_binary(b, OP_divide, factor, build_splat(b, n.vector, scalar_f(n.count)));
  cx->out[0] = build_binary(b, OP_multiply, spread(&n, factor),
                            build_binary(b, OP_subtract, by_mean, by_variance));
  cx->out[1] = sums[2];
  cx->out[2] = sums[0];
  return NULL;
}
