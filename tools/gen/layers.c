// Idioms of several ops; see layers.h. None has a gradient rule: the tape sees their ops.
#include "layers.h"

#include <assert.h>
#include <string.h>

static void push(DimList *list, int64_t dim) { list->at[list->n++] = dim; }

static int64_t place(const char *letters, size_t n, char letter) {
  const char *found = memchr(letters, letter, n);
  return found ? found - letters : -1;
}

Val layer_einsum(Builder *b, const char *spec, Val x, Val y) {
  const char *comma = strchr(spec, ','), *arrow = strstr(spec, "->");
  const char *lhs = spec, *rhs = comma + 1, *out = arrow + 2;
  size_t n_lhs = (size_t)(comma - lhs), n_rhs = (size_t)(arrow - rhs), n_out = strlen(out);
  DotDims dims = {0};
  char order[2 * RANK_MAX];
  size_t n = 0;
  for (size_t i = 0; i < n_lhs; i++) {
    int64_t k = place(rhs, n_rhs, lhs[i]);
    if (k < 0) continue;
    bool batch = place(out, n_out, lhs[i]) >= 0;
    push(batch ? &dims.lhs_batch : &dims.lhs_contract, (int64_t)i);
    push(batch ? &dims.rhs_batch : &dims.rhs_contract, k);
    if (batch) order[n++] = lhs[i];
  }
  for (size_t i = 0; i < n_lhs; i++)
    if (place(rhs, n_rhs, lhs[i]) < 0) order[n++] = lhs[i];
  for (size_t i = 0; i < n_rhs; i++)
    if (place(lhs, n_lhs, rhs[i]) < 0) order[n++] = rhs[i];
  assert(n == n_out && "every letter of the result comes from an operand");
  int64_t permutation[RANK_MAX];
  for (size_t i = 0; i < n_out; i++) permutation[i] = place(order, n, out[i]);
  return build_transpose(b, build_dot(b, x, y, &dims), permutation);
}

Val layer_scale(Builder *b, Val x, double factor) {
  return build_mul(b, x, build_splat(b, *shape_of(b, x), factor));
}

Val layer_offset(Builder *b, Val x, double term) {
  return build_add(b, x, build_splat(b, *shape_of(b, x), term));
}

// As NumPy's broadcasting comes out: first the missing dimensions as 1, then those are stretched.
Val layer_spread(Builder *b, Val x, Val like, uint32_t at) {
  const Shape from = *shape_of(b, x);
  Shape to = shape_as(shape_of(b, like), from.dtype), ones = to;
  const int64_t all[RANK_MAX] = {0, 1, 2, 3, 4, 5};
  if (!from.rank) return to.rank ? build_broadcast(b, x, to, NULL) : x;
  for (uint32_t i = 0; i < to.rank; i++)
    ones.dims[i] = i >= at && i < at + from.rank ? from.dims[i - at] : 1;
  if (from.rank < to.rank) x = build_broadcast(b, x, ones, all + at);
  return shape_same(&ones, &to) ? x : build_broadcast(b, x, to, all);
}

Val layer_spread_last(Builder *b, Val x, Val like) {
  return layer_spread(b, x, like, shape_of(b, like)->rank - shape_of(b, x)->rank);
}

Val layer_sum_dim(Builder *b, Val x, uint32_t dim) { return build_sum(b, x, &(DimList){1, {dim}}); }

Val layer_mean(Builder *b, Val x, const DimList *dims) {
  double count = 1;
  for (uint32_t i = 0; i < dims->n; i++) count *= (double)shape_of(b, x)->dims[dims->at[i]];
  Val sum = build_sum(b, x, dims);
  return build_div(b, sum, build_splat(b, *shape_of(b, sum), count));
}

Val layer_mask(Builder *b, Val condition, DType dtype) {
  return build_convert(b, condition, dtype);
}

Val layer_one_hot(Builder *b, Val index, int64_t n, DType dtype) {
  Shape shape = *shape_of(b, index);
  shape.dims[shape.rank++] = n;
  Val places = build_iota(b, shape, shape.rank - 1);
  return layer_mask(b, build_compare(b, "EQ", layer_spread(b, index, places, 0), places), dtype);
}

Val layer_wide(Builder *b, Val x) {
  DType type = shape_of(b, x)->dtype;
  return type == DT_bf16 || type == DT_f16 ? build_convert(b, x, DT_f32) : x;
}

// ---- activations ----

Val layer_gelu(Builder *b, Val x) {
  Val cube = build_mul(b, build_mul(b, x, x), x);
  Val inner = build_add(b, x, layer_scale(b, cube, 0.044715));
  Val squashed = build_unary(b, TAPE_tanh, layer_scale(b, inner, 0.7978845608028654));
  return build_mul(b, x, layer_scale(b, layer_offset(b, squashed, 1), 0.5));
}

Val layer_relu(Builder *b, Val x) {
  return build_binary(b, TAPE_maximum, x, build_splat(b, *shape_of(b, x), 0));
}

Val layer_silu(Builder *b, Val x) { return build_mul(b, x, build_unary(b, TAPE_logistic, x)); }

// The maximum only keeps the exponentials in range: nothing flows back through it.
static Val shifted(Builder *b, Val x) {
  Val most = build_max(b, x, shape_of(b, x)->rank - 1);
  return build_sub(b, x, layer_spread(b, most, x, 0));
}

Val layer_softmax(Builder *b, Val x) {
  Val power = build_unary(b, TAPE_exponential, shifted(b, x));
  Val sum = layer_sum_dim(b, power, shape_of(b, x)->rank - 1);
  return build_div(b, power, layer_spread(b, sum, x, 0));
}

Val layer_cross_entropy(Builder *b, Val logits, Val labels) {
  Val x = shifted(b, layer_wide(b, logits));
  uint32_t last = shape_of(b, x)->rank - 1;
  Val total = layer_sum_dim(b, build_unary(b, TAPE_exponential, x), last);
  Val target = layer_one_hot(b, labels, shape_of(b, x)->dims[last], shape_of(b, x)->dtype);
  Val chosen = layer_sum_dim(b, build_mul(b, x, target), last);
  Val loss = build_sub(b, build_unary(b, TAPE_log, total), chosen);
  DimList all = {0};
  for (uint32_t i = 0; i < last; i++) push(&all, i);
  return layer_mean(b, loss, &all);
}

// ---- with parameters ----

Val layer_bias(Builder *b, Val x, uint32_t rank) {
  const Shape *shape = shape_of(b, x);
  Shape bias = shape_make(shape->dtype, rank, shape->dims + (shape->rank - rank));
  return build_add(b, x, layer_spread_last(b, build_param(b, "bias", bias), x));
}

// (x - mean) / sqrt(variance + epsilon) over dims; what is left after summing stands from `at` on.
static Val standardize(Builder *b, Val x, const DimList *dims, uint32_t at) {
  Val centered = build_sub(b, x, layer_spread(b, layer_mean(b, x, dims), x, at));
  Val variance = layer_mean(b, build_mul(b, centered, centered), dims);
  Val inverse = build_unary(b, TAPE_rsqrt, layer_offset(b, variance, 1e-5));
  return build_mul(b, centered, layer_spread(b, inverse, x, at));
}

static Val affine(Builder *b, Val x) {
  const Shape *shape = shape_of(b, x);
  Shape last = SHAPE(shape->dtype, shape->dims[shape->rank - 1]);
  Val scale = layer_wide(b, build_param(b, "scale", last));
  Val bias = layer_wide(b, build_param(b, "bias", last));
  Val scaled = build_mul(b, x, layer_spread_last(b, scale, x));
  return build_add(b, scaled, layer_spread_last(b, bias, x));
}

Val layer_norm(Builder *b, const char *name, Val x) {
  size_t mark = build_enter(b, name);
  Val wide = layer_wide(b, x);
  uint32_t last = shape_of(b, x)->rank - 1;
  Val y = affine(b, standardize(b, wide, &(DimList){1, {last}}, 0));
  build_leave(b, mark);
  return build_convert(b, y, b->compute);
}

Val layer_rms_norm(Builder *b, const char *name, Val x) {
  size_t mark = build_enter(b, name);
  Val wide = layer_wide(b, x);
  uint32_t last = shape_of(b, x)->rank - 1;
  Val square = layer_mean(b, build_mul(b, wide, wide), &(DimList){1, {last}});
  Val inverse = build_unary(b, TAPE_rsqrt, layer_offset(b, square, 1e-5));
  Val scale = layer_wide(b, build_param(b, "scale", SHAPE(b->compute, shape_of(b, x)->dims[last])));
  Val y = build_mul(b, wide, layer_spread(b, inverse, wide, 0));
  y = build_mul(b, y, layer_spread_last(b, scale, y));
  build_leave(b, mark);
  return build_convert(b, y, b->compute);
}

// One half of the last dimension.
static Val half_of(Builder *b, Val x, bool second) {
  const Shape shape = *shape_of(b, x);
  SliceAttr part = {0};
  for (uint32_t i = 0; i < shape.rank; i++) part.end[i] = shape.dims[i];
  int64_t half = shape.dims[shape.rank - 1] / 2;
  part.begin[shape.rank - 1] = second ? half : 0;
  part.end[shape.rank - 1] = second ? 2 * half : half;
  return build_slice(b, x, &part);
}

Val layer_rope(Builder *b, Val x) {
  Val wide = layer_wide(b, x), low = half_of(b, wide, false), high = half_of(b, wide, true);
  const Shape shape = *shape_of(b, low);
  uint32_t last = shape.rank - 1;
  Shape table = SHAPE(shape.dtype, shape.dims[1], shape.dims[last]);
  Val place = build_iota(b, table, 0), number = build_iota(b, table, 1);
  double rate = -13.122363377404328 / (double)shape.dims[last];  // ln 500000
  Val angle = build_mul(b, place, build_unary(b, TAPE_exponential, layer_scale(b, number, rate)));
  const int64_t at[] = {1, last};
  Val cosine = build_elementwise(b, "stablehlo.cosine", angle);
  Val sine = build_elementwise(b, "stablehlo.sine", angle);
  cosine = build_broadcast(b, cosine, shape, at);
  sine = build_broadcast(b, sine, shape, at);
  Val a = build_mul(b, low, cosine), c = build_mul(b, high, sine);
  Val d = build_mul(b, high, cosine), e = build_mul(b, low, sine);
  Val first = build_sub(b, a, c), second = build_add(b, d, e);
  Val y = build_concatenate(b, 2, (Val[]){first, second}, last);
  return build_convert(b, y, shape_of(b, x)->dtype);
}

Val layer_batch_norm(Builder *b, const char *name, Val x) {
  size_t mark = build_enter(b, name);
  Val wide = layer_wide(b, x);
  uint32_t last = shape_of(b, x)->rank - 1;
  DimList dims = {0};
  for (uint32_t i = 0; i < last; i++) push(&dims, i);
  Val y = affine(b, standardize(b, wide, &dims, last));
  build_leave(b, mark);
  return build_convert(b, y, b->compute);
}

Val layer_conv(Builder *b, const char *name, Val x, ConvOptions options) {
  static const char *const layouts[] = {"b, 0, f", "b, 0, 1, f", "b, 0, 1, 2, f"};
  static const char *const kernels[] = {"0, i, o", "0, 1, i, o", "0, 1, 2, i, o"};
  size_t mark = build_enter(b, name);
  Shape out = *shape_of(b, x);
  uint32_t spatial = out.rank - 2;
  Shape kernel = {.dtype = out.dtype, .rank = out.rank};
  ConvAttr attr = {.spatial = spatial,
                   .lhs = layouts[spatial - 1],
                   .rhs = kernels[spatial - 1],
                   .out = layouts[spatial - 1]};
  for (uint32_t i = 0; i < spatial; i++) {
    int64_t n = out.dims[i + 1];
    kernel.dims[i] = options.edge;
    attr.stride[i] = options.stride;
    attr.lhs_dilate[i] = options.up ? 2 : 1;
    attr.rhs_dilate[i] = 1;
    int64_t m = options.up ? 2 * n : (n + options.stride - 1) / options.stride;
    int64_t have = options.up ? 2 * n - 1 : n;
    int64_t pad = (m - 1) * options.stride + options.edge - have;
    if (pad < 0) pad = 0;
    attr.pad[i][0] = pad / 2;
    attr.pad[i][1] = pad - pad / 2;
    out.dims[i + 1] = m;
  }
  kernel.dims[spatial] = out.dims[out.rank - 1];
  kernel.dims[spatial + 1] = out.dims[out.rank - 1] = options.features;
  Val y = build_convolution(b, x, build_param(b, "kernel", kernel), out, &attr);
  build_leave(b, mark);
  return y;
}
