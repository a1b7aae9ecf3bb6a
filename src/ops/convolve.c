// Convolution. lhs is transposed to [batch, spatial…, feature], rhs to [output feature, kernel
// spatial…, input feature]. For every output position the window is gathered once into a contiguous
// row (zeros for padding and holes of dilation); its dot product with the kernel row of every
// output feature of its group is a result. Sums are over kernel positions in row-major order,
// features innermost, with the arithmetic and the balanced tree of contract.c. O(output positions *
// window * output features per group).
#include "ops/convolve.h"

#include <string.h>

#include "ops/dense.h"
#include "ops/factors.h"
#include "ops/reduction.h"
#include "ops/sample.h"
#include "ops/windows.h"

static Ints ints_field(Context *context, Attr numbers, const char *name) {
  Attr attr = attr_get(context, numbers, name);
  return attr ? attr_as_ints(context, attr) : (Ints){.ok = true};
}

ConvDims convolve_dims(Context *context, Attr attrs) {
  Attr n = attr_get(context, attrs, "dimension_numbers");
  return (ConvDims){
      .in_batch = attr_as_int(context, attr_get(context, n, "input_batch_dimension"), 0),
      .in_feature = attr_as_int(context, attr_get(context, n, "input_feature_dimension"), 0),
      .kernel_in = attr_as_int(context, attr_get(context, n, "kernel_input_feature_dimension"), 0),
      .kernel_out =
          attr_as_int(context, attr_get(context, n, "kernel_output_feature_dimension"), 0),
      .out_batch = attr_as_int(context, attr_get(context, n, "output_batch_dimension"), 0),
      .out_feature = attr_as_int(context, attr_get(context, n, "output_feature_dimension"), 0),
      .in_spatial = ints_field(context, n, "input_spatial_dimensions"),
      .kernel_spatial = ints_field(context, n, "kernel_spatial_dimensions"),
      .out_spatial = ints_field(context, n, "output_spatial_dimensions"),
      .feature_groups = attr_as_int(context, attr_get(context, attrs, "feature_group_count"), 1),
      .batch_groups = attr_as_int(context, attr_get(context, attrs, "batch_group_count"), 1),
  };
}

// Entry s of a list of booleans: array<i1: …> or dense<…>, one byte per element.
static bool flag_at(const Context *context, Attr attr, uint32_t s) {
  const AttrInfo *info = attr_info(context, attr);
  if ((info->kind != ATTR_DENSE_ARRAY && info->kind != ATTR_DENSE) || info->bytes == 0)
    return false;
  size_t at = info->splat ? 0 : s;
  return at < info->bytes && ((const uint8_t *)info->data)[at] != 0;
}

// The number of entries of a list of booleans.
static int64_t flag_count(const Context *context, Attr attr) {
  const AttrInfo *info = attr_info(context, attr);
  int64_t count = info->count;
  if (info->kind == ATTR_DENSE) (void)type_count(context, info->type, &count);
  return count;
}

void convolve_windows(Context *context, Attr attrs, const ConvDims *dims, const int64_t *rhs_dims,
                      Ints padding, WindowDim *out) {
  Ints strides = attr_as_ints(context, attr_get(context, attrs, "window_strides"));
  Ints lhs = attr_as_ints(context, attr_get(context, attrs, "lhs_dilation"));
  Ints rhs = attr_as_ints(context, attr_get(context, attrs, "rhs_dilation"));
  Attr reversal = attr_get(context, attrs, "window_reversal");
  for (uint32_t s = 0; s < dims->kernel_spatial.n; s++)
    out[s] =
        (WindowDim){.size = rhs_dims[dims->kernel_spatial.v[s]],
                    .stride = strides.ok && s < strides.n ? strides.v[s] : 1,
                    .base_dilation = lhs.ok && s < lhs.n ? lhs.v[s] : 1,
                    .window_dilation = rhs.ok && s < rhs.n ? rhs.v[s] : 1,
                    .reversed = flag_at(context, reversal, s),
                    .pad_low = padding.ok && 2 * s + 1 < padding.n ? padding.v[2 * s] : 0,
                    .pad_high = padding.ok && 2 * s + 1 < padding.n ? padding.v[2 * s + 1] : 0};
}

bool convolve_check_padding(Infer *cx, Type type) {
  const TypeInfo *info = type_info(cx->context, type);
  uint32_t n = infer_operand_info(cx, 0)->rank;
  REQUIRE(cx, 4,
          n >= 2 && info->kind == TYPE_TENSOR && info->rank == 2 &&
              dim_compatible(info->dims[0], n - 2) && dim_compatible(info->dims[1], 2),
          "padding has type %s, expected shape [%d, 2]", infer_text(cx, type), (int)n - 2);
  return true;
}

// C13, C18, C20: two dimensions and the spatial ones cover [0, rank) without repeating.
static bool check_cover(Infer *cx, const char *what, int64_t a, int64_t b, Ints spatial,
                        uint32_t rank, int constraint) {
  bool seen[MAX_RANK] = {false};
  for (uint32_t i = 0; i < spatial.n + 2; i++) {
    int64_t d = i == 0 ? a : i == 1 ? b : spatial.v[i - 2];
    REQUIRE(cx, constraint, d >= 0 && d < rank, "%s dimension %lld is not in [0, %u)", what,
            (long long)d, rank);
    REQUIRE(cx, constraint, !seen[d],
            "%s dimension %lld occurs twice in dimension_numbers, expected once", what,
            (long long)d);
    seen[d] = true;
  }
  return true;
}

static bool divides(int64_t size, int64_t groups) {
  return size == DIM_DYNAMIC || size % groups == 0;
}

// C9 … C24.
static bool check_numbers(Infer *cx, const ConvDims *d, const TypeInfo *lhs, const TypeInfo *rhs) {
  uint32_t n = lhs->rank;
  if (infer_attr(cx, "window_reversal")) {
    int64_t got = flag_count(cx->context, infer_attr(cx, "window_reversal"));
    REQUIRE(cx, 9, got == n - 2,
            "window_reversal has length %lld, expected %u, one entry per spatial dimension",
            (long long)got, n - 2);
  }
  REQUIRE(cx, 12, d->in_spatial.ok && d->in_spatial.n == n - 2,
          "there are %u input spatial dimensions, expected %u, the rank of lhs minus 2",
          d->in_spatial.n, n - 2);
  if (!check_cover(cx, "input", d->in_batch, d->in_feature, d->in_spatial, n, 13)) return false;
  REQUIRE(cx, 17, d->kernel_spatial.ok && d->kernel_spatial.n == n - 2,
          "there are %u kernel spatial dimensions, expected %u, the rank of lhs minus 2",
          d->kernel_spatial.n, n - 2);
  if (!check_cover(cx, "kernel", d->kernel_in, d->kernel_out, d->kernel_spatial, n, 18))
    return false;
  REQUIRE(cx, 19, d->out_spatial.ok && d->out_spatial.n == n - 2,
          "there are %u output spatial dimensions, expected %u, the rank of lhs minus 2",
          d->out_spatial.n, n - 2);
  if (!check_cover(cx, "output", d->out_batch, d->out_feature, d->out_spatial, n, 20)) return false;
  REQUIRE(cx, 21, d->feature_groups > 0, "feature_group_count is %lld, expected a positive number",
          (long long)d->feature_groups);
  REQUIRE(cx, 22, d->batch_groups > 0, "batch_group_count is %lld, expected a positive number",
          (long long)d->batch_groups);
  REQUIRE(cx, 23, d->feature_groups == 1 || d->batch_groups == 1,
          "feature_group_count is %lld and batch_group_count %lld, expected at least one of them "
          "to be 1",
          (long long)d->feature_groups, (long long)d->batch_groups);
  int64_t batch = lhs->dims[d->in_batch], features = lhs->dims[d->in_feature],
          in = rhs->dims[d->kernel_in], outs = rhs->dims[d->kernel_out];
  REQUIRE(cx, 10, divides(batch, d->batch_groups),
          "the batch dimension of lhs has size %lld, expected a multiple of batch_group_count %lld",
          (long long)batch, (long long)d->batch_groups);
  REQUIRE(
      cx, 11, divides(features, d->feature_groups),
      "the feature dimension of lhs has size %lld, expected a multiple of feature_group_count %lld",
      (long long)features, (long long)d->feature_groups);
  REQUIRE(cx, 14, features == DIM_DYNAMIC || dim_compatible(in, features / d->feature_groups),
          "the input feature dimension of rhs has size %lld, expected %lld, the features of lhs / "
          "feature_group_count",
          (long long)in, (long long)(features / d->feature_groups));
  REQUIRE(cx, 15, divides(outs, d->batch_groups),
          "the output feature dimension of rhs has size %lld, expected a multiple of "
          "batch_group_count %lld",
          (long long)outs, (long long)d->batch_groups);
  REQUIRE(cx, 16, divides(outs, d->feature_groups),
          "the output feature dimension of rhs has size %lld, expected a multiple of "
          "feature_group_count %lld",
          (long long)outs, (long long)d->feature_groups);
  Attr precision = infer_attr(cx, "precision_config");
  uint32_t entries = precision ? attr_info(cx->context, precision)->count : 2;
  REQUIRE(cx, 24, entries == 2 || entries == 0,
          "precision_config has length %u, expected 2, one entry per operand", entries);
  return true;
}

// C27 … C34.
static bool check_types(Infer *cx, const ConvDims *d, Type lhs, Type rhs, Type result) {
  const QuantInfo *l = type_quant_info(cx->context, lhs), *r = type_quant_info(cx->context, rhs),
                  *o = type_quant_info(cx->context, result);
  if (!l && !r && !o) {
    REQUIRE(cx, 27, lhs == rhs, "lhs has element type %s and rhs %s, expected equal",
            infer_text(cx, lhs), infer_text(cx, rhs));
    // JAX emits a wider result for preferred_element_type.
    REQUIRE(cx, 27, reduction_promotable(cx->context, lhs, result),
            "lhs has element type %s and the result %s, expected equal or a type to which it can "
            "be promoted",
            infer_text(cx, lhs), infer_text(cx, result));
    return true;
  }
  REQUIRE(cx, 28, r && !l == !o,
          "lhs, rhs and result have element types %s, %s and %s, expected a quantized rhs, and lhs "
          "and result both quantized or both not",
          infer_text(cx, lhs), infer_text(cx, rhs), infer_text(cx, result));
  REQUIRE(cx, 29, r->axis < 0 || r->axis == d->kernel_out,
          "rhs is quantized along dimension %d, expected its output feature dimension %lld",
          r->axis, (long long)d->kernel_out);
  REQUIRE(cx, 30, !o || o->axis < 0 || o->axis == d->out_feature,
          "the result is quantized along dimension %d, expected its feature dimension %lld",
          o ? o->axis : -1, (long long)d->out_feature);
  if (l) {
    REQUIRE(cx, 31, l->storage == r->storage, "lhs has storage type %s and rhs %s, expected equal",
            dtype_info(l->storage)->name, dtype_info(r->storage)->name);
    REQUIRE(cx, 32, l->expressed == r->expressed && r->expressed == o->expressed,
            "lhs, rhs and result have expressed types %s, %s and %s, expected equal",
            dtype_info(l->expressed)->name, dtype_info(r->expressed)->name,
            dtype_info(o->expressed)->name);
    REQUIRE(
        cx, 33, r->axis >= 0 || o->axis < 0,
        "rhs is quantized per tensor and the result per axis, expected the result per tensor, too");
  } else {
    REQUIRE(cx, 34, type_dtype(cx->context, lhs) == r->expressed && result == lhs,
            "lhs has element type %s, rhs expressed type %s and the result element type %s, "
            "expected equal",
            infer_text(cx, lhs), dtype_info(r->expressed)->name, infer_text(cx, result));
  }
  return true;
}

bool convolve_infer(Infer *cx, Ints padding) {
  const TypeInfo *lhs = infer_operand_info(cx, 0), *rhs = infer_operand_info(cx, 1);
  uint32_t n = lhs->rank;
  REQUIRE(cx, 1, n == rhs->rank && n >= 2,
          "lhs has rank %u and rhs %u, expected equal ranks of at least 2", n, rhs->rank);
  Attr attrs = op_at(cx->program, cx->op)->attrs;
  static const struct {
    const char *name;
    int size, positive;
  } lists[] = {{"window_strides", 2, 3}, {"lhs_dilation", 5, 6}, {"rhs_dilation", 7, 8}};
  for (uint32_t i = 0; i < 3; i++)
    if (!windows_check(cx, lists[i].name, n - 2, false, lists[i].size, lists[i].positive))
      return false;
  ConvDims d = convolve_dims(cx->context, attrs);
  if (!check_numbers(cx, &d, lhs, rhs)) return false;
  Type declared = infer_result(cx, 0);
  const TypeInfo *result = type_info(cx->context, declared);
  Type elem = declared ? result->elem : lhs->elem;
  if (!check_types(cx, &d, lhs->elem, rhs->elem, elem)) return false;
  REQUIRE(cx, 26, !declared || result->rank == n, "the result has rank %u, expected %u",
          result->rank, n);
  WindowDim windows[MAX_RANK];
  int64_t dims[MAX_RANK];
  convolve_windows(cx->context, attrs, &d, rhs->dims, padding, windows);
  int64_t batch = lhs->dims[d.in_batch];
  dims[d.out_batch] = batch == DIM_DYNAMIC ? batch : batch / d.batch_groups;
  dims[d.out_feature] = rhs->dims[d.kernel_out];
  for (uint32_t s = 0; s < n - 2; s++) {
    int64_t count =
        padding.ok ? window_count(&windows[s], lhs->dims[d.in_spatial.v[s]]) : DIM_DYNAMIC;
    REQUIRE(cx, 25, count != -1, "the padded size of spatial dimension %u exceeds 64 bits", s);
    dims[d.out_spatial.v[s]] = count;
  }
  cx->out[0] = type_tensor(cx->context, elem, n, dims, 0);
  REQUIRE(cx, 25, !declared || infer_shapes_compatible(cx, declared, cx->out[0]),
          "the result has shape %s, expected %s", infer_dims_text(cx, result->rank, result->dims),
          infer_dims_text(cx, n, dims));
  return true;
}

// The operands' arrays and the sizes of the loops.
typedef struct Convolver {
  EvalContext *cx;
  DenseKind kind;
  const ConvDims *dims;
  const WindowDim *windows;
  uint32_t spatial;
  int64_t in_sizes[MAX_RANK], out_sizes[MAX_RANK], taps[MAX_RANK];  // of the spatial dimensions
  int64_t features, in, outs,
      window;  // input features, those of one group, output features, elements of a window
  const char *lhs, *rhs;
} Convolver;

// Gathers the window of batch element b at `position`, features [first, first + in), into row.
static void gather_window(const Convolver *c, int64_t b, const int64_t *position, int64_t first,
                          char *row) {
  size_t bytes = dense_bytes(c->kind), step = (size_t)c->in * bytes;
  int64_t tap[MAX_RANK] = {0}, image = 1;
  for (uint32_t s = 0; s < c->spatial; s++) image = shape_times(image, c->in_sizes[s]);
  if (c->window == 0) return;
  do {
    int64_t at = 0;
    for (uint32_t s = 0; s < c->spatial && at >= 0; s++) {
      int64_t x = window_tap(&c->windows[s], c->in_sizes[s], position[s], tap[s]);
      at = x < 0 ? -1 : at * c->in_sizes[s] + x;
    }
    if (at < 0)
      memset(row, 0, step);
    else
      memcpy(row, c->lhs + (size_t)((b * image + at) * c->features + first) * bytes, step);
    row += step;
  } while (shape_next(c->spatial, c->taps, tap));
}

static Status *convolve(const Convolver *c, Literal *out) {
  const ConvDims *d = c->dims;
  size_t bytes = dense_bytes(c->kind);
  int64_t length = c->window * c->in, batches = out->dims[d->out_batch];
  int64_t groups = d->feature_groups * d->batch_groups, per_group = c->outs / groups;
  int64_t strides[MAX_RANK], position[MAX_RANK] = {0};
  char *row = arena_calloc(c->cx->scratch, (size_t)length + 1, bytes);
  shape_strides(out->rank, out->dims, strides);
  DType to = out->dtype;
  bool integer = c->kind == DENSE_INT, convert = integer && dtype_is_float(to);
  if (out->count == 0) return NULL;
  for (int64_t b = 0; b < batches; b++) {
    do {
      TRY(eval_poll(c->cx));
      int64_t base = b * strides[d->out_batch];
      for (uint32_t s = 0; s < c->spatial; s++) base += position[s] * strides[d->out_spatial.v[s]];
      // A group has its own input features (feature_groups) or its own batch (batch_groups), and
      // its own output features. At most one of the two counts is above 1.
      for (int64_t g = 0; g < groups; g++) {
        int64_t from = d->batch_groups > 1 ? g * batches + b : b;
        gather_window(c, from, position, d->feature_groups > 1 ? g * c->in : 0, row);
        for (int64_t o = g * per_group; o < (g + 1) * per_group; o++) {
          Scalar v = dense_dot_parts(c->kind, c->cx->reassociation + 1, row,
                                     c->rhs + (size_t)(o * length) * bytes, length);
          if (convert) v = dtype_convert(DT_i64, to, v);
          literal_set(out, base + o * strides[d->out_feature], v);
        }
      }
    } while (shape_next(c->spatial, c->out_sizes, position));
  }
  return NULL;
}

Status *convolve_eval(EvalContext *cx, const Literal *lhs, const Literal *rhs, Ints padding,
                      Literal **out) {
  Attr attrs = cx->attrs;
  ConvDims d = convolve_dims(cx->context, attrs);
  WindowDim windows[MAX_RANK];
  convolve_windows(cx->context, attrs, &d, rhs->dims, padding, windows);
  Convolver c = {.cx = cx, .dims = &d, .windows = windows, .spatial = d.in_spatial.n, .window = 1};
  int64_t dims[MAX_RANK];
  uint32_t l_perm[MAX_RANK], r_perm[MAX_RANK], n = c.spatial;
  l_perm[0] = (uint32_t)d.in_batch;
  l_perm[n + 1] = (uint32_t)d.in_feature;
  r_perm[0] = (uint32_t)d.kernel_out;
  r_perm[n + 1] = (uint32_t)d.kernel_in;
  dims[d.out_batch] = lhs->dims[d.in_batch] / d.batch_groups;
  dims[d.out_feature] = rhs->dims[d.kernel_out];
  for (uint32_t s = 0; s < n; s++) {
    l_perm[s + 1] = (uint32_t)d.in_spatial.v[s];
    r_perm[s + 1] = (uint32_t)d.kernel_spatial.v[s];
    c.in_sizes[s] = lhs->dims[d.in_spatial.v[s]];
    c.taps[s] = windows[s].size;
    c.window = shape_times(c.window, windows[s].size);
    c.out_sizes[s] = window_count(&windows[s], c.in_sizes[s]);
    if (c.out_sizes[s] < 0)
      FAIL(INVALID_ARGUMENT, "the padded size of spatial dimension %u exceeds 64 bits", s);
    dims[d.out_spatial.v[s]] = c.out_sizes[s];
  }
  c.features = lhs->dims[d.in_feature];
  c.in = rhs->dims[d.kernel_in];
  c.outs = rhs->dims[d.kernel_out];
  Type elem = type_elem(cx->context, eval_result_type(cx, 0));
  out[0] = literal_new(cx->heap, cx->context, elem, lhs->rank, dims);
  if (!lhs->count || !rhs->count) return NULL;  // empty sums: zeros
  c.kind = dense_kind(lhs->dtype, rhs->dtype, out[0]->dtype);
  c.lhs =
      dense_transpose(cx, c.kind, dense_load(cx, c.kind, lhs), lhs->rank, lhs->dims, n + 2, l_perm);
  c.rhs =
      dense_transpose(cx, c.kind, dense_load(cx, c.kind, rhs), rhs->rank, rhs->dims, n + 2, r_perm);
  return convolve(&c, out[0]);
}

// A factor of lhs's spatial dimension: the window positions, shared with the result (windows
// overlap into neighbouring tiles: PERMUTE), or the taps, shared with the kernel (partial sums).
static void spatial_factor(FactorContext *cx, uint32_t tensor, uint32_t d, int64_t size,
                           uint32_t in, bool plain) {
  bool of_windows = tensor == factors_result(cx, 0);
  uint32_t factor = factors_on(cx, size, of_windows ? FACTOR_PERMUTE : FACTOR_PASS, 0, in);
  factors_also(cx, factor, tensor, d);
  if (of_windows) {
    if (plain) factors_set_kinds(cx, factor, FACTOR_PASS);
  } else {
    factors_reduce(cx, factor, COMBINE_SUM);
    factors_set_kinds(cx, factor, cx->build.factors.items[factor].kinds | FACTOR_PERMUTE);
  }
}

// Is the dimension's extent closer to that of the positions than to that of the taps? True for an
// image with a kernel, false for an image with the gradient of the result as kernel.
static bool goes_by_windows(const WindowDim *w, int64_t size, int64_t windows) {
  if (windows < 1 || size < 1 || w->size < 1) return windows >= w->size;
  int64_t extent = (size - 1) * w->base_dilation, positions = (windows - 1) * w->stride,
          taps = (w->size - 1) * w->window_dilation;
  int64_t to_positions = positions > extent ? positions - extent : extent - positions,
          to_taps = taps > extent ? taps - extent : extent - taps;
  return to_positions != to_taps ? to_positions < to_taps : windows >= w->size;
}

// The factors of a spatial dimension: positions and taps; the larger one is major in lhs's
// dimension. The partitioner's map has only one, since tiles of both are no tiles of the dimension.
static void spatial_factors(FactorContext *cx, const ConvDims *dims, uint32_t s,
                            const WindowDim *w) {
  uint32_t in = (uint32_t)dims->in_spatial.v[s], kernel = (uint32_t)dims->kernel_spatial.v[s],
           out = (uint32_t)dims->out_spatial.v[s], result = factors_result(cx, 0);
  int64_t left = factors_dim(cx, 0, in), window = factors_dim(cx, 1, kernel),
          windows = factors_dim(cx, result, out);
  if (left == DIM_DYNAMIC || window == DIM_DYNAMIC || windows == DIM_DYNAMIC) return;
  bool plain =
      window == 1 && w->stride == 1 && !w->pad_low && !w->pad_high && w->base_dilation == 1;
  bool own = cx->options.own, first = own ? goes_by_windows(w, left, windows) : windows >= window;
  for (int k = 0; k < 2; k++) {
    bool of_windows = (k == 0) == first;
    uint32_t tensor = of_windows ? result : 1, d = of_windows ? out : kernel;
    int64_t size = of_windows ? windows : window;
    if (k == 1 && own) {
      factors_on(cx, size, FACTOR_REPLICATE, tensor, d);
      continue;
    }
    if (size > left && (!own || left <= 1)) size = left;
    if (size <= 1) continue;
    spatial_factor(cx, tensor, d, size, in, plain);
    left /= size;
  }
}

bool convolve_factors(FactorContext *cx, Ints padding) {
  Attr attrs = op_at(cx->program, cx->op)->attrs;
  ConvDims dims = convolve_dims(cx->context, attrs);
  uint32_t result = factors_result(cx, 0), in_batch = (uint32_t)dims.in_batch,
           in_feature = (uint32_t)dims.in_feature, kernel_in = (uint32_t)dims.kernel_in,
           kernel_out = (uint32_t)dims.kernel_out, out_batch = (uint32_t)dims.out_batch,
           out_feature = (uint32_t)dims.out_feature, factor;
  int64_t groups = dims.batch_groups * dims.feature_groups;
  if (dims.batch_groups > 1) {
    factor = factors_on(cx, dims.batch_groups, FACTOR_PASS, 0, in_batch);
    factors_also(cx, factor, 1, kernel_out);
    factors_also(cx, factor, result, out_feature);
  }
  factor = factors_on(cx, factors_dim(cx, result, out_batch), FACTOR_PASS, 0, in_batch);
  factors_also(cx, factor, result, out_batch);
  WindowDim windows[MAX_RANK];
  convolve_windows(cx->context, attrs, &dims, factors_type(cx, 1)->dims, padding, windows);
  for (uint32_t s = 0; s < dims.in_spatial.n && !cx->options.conservative; s++) {
    if (!padding.ok) windows[s].pad_low = 1;  // unknown padding: neighbours may be read
    spatial_factors(cx, &dims, s, &windows[s]);
  }
  if (dims.feature_groups > 1) {
    factor = factors_on(cx, dims.feature_groups, FACTOR_PASS, 0, in_feature);
    factors_also(cx, factor, 1, kernel_out);
    factors_also(cx, factor, result, out_feature);
  }
  factor = factors_on(cx, factors_dim(cx, 1, kernel_in), FACTOR_PASS, 0, in_feature);
  factors_also(cx, factor, 1, kernel_in);
  factors_reduce(cx, factor, COMBINE_SUM);
  int64_t features = factors_dim(cx, result, out_feature);
  if (features != groups) {
    int64_t size = features == DIM_DYNAMIC ? features : features / groups;
    factor = factors_on(cx, size, FACTOR_PASS, 1, kernel_out);
    factors_also(cx, factor, result, out_feature);
  }
  if (cx->n_operands > 2) factors_replicated(cx, 2);
  return true;
}

OpId convolve_sample(Sample *cx, bool dynamic) {
  Context *c = cx->context;
  uint32_t n = (uint32_t)sample_int(cx, 0, 2), rank = n + 2;
  int64_t groups = sample_int(cx, 1, 2), features = groups * sample_int(cx, 1, 2);
  bool by_batch = sample_chance(cx, 30);
  int64_t lhs[4], rhs[4], stride[2], base[2], dilation[2], pad[4], axes[2] = {1, 2};
  bool reversal[2];
  lhs[0] = by_batch ? groups * sample_int(cx, 1, 2) : sample_int(cx, 1, 2);
  lhs[rank - 1] = features;
  rhs[0] = groups * sample_int(cx, 1, 2);
  rhs[rank - 1] = by_batch ? features : features / groups;
  for (uint32_t s = 0; s < n; s++) {
    lhs[s + 1] = sample_int(cx, 1, 5);
    rhs[s + 1] = sample_int(cx, 1, 3);
    stride[s] = sample_int(cx, 1, 2);
    base[s] = sample_int(cx, 1, 2);
    dilation[s] = sample_int(cx, 1, 2);
    pad[2 * s] = sample_int(cx, -1, 2);
    pad[2 * s + 1] = sample_int(cx, -1, 2);
    reversal[s] = sample_chance(cx, 30);
  }
  NamedAttr numbers[] = {
      {name_of(c, "input_batch_dimension"), attr_i64(c, 0)},
      {name_of(c, "input_feature_dimension"), attr_i64(c, rank - 1)},
      {name_of(c, "input_spatial_dimensions"), attr_i64s(c, n, axes)},
      {name_of(c, "kernel_input_feature_dimension"), attr_i64(c, rank - 1)},
      {name_of(c, "kernel_output_feature_dimension"), attr_i64(c, 0)},
      {name_of(c, "kernel_spatial_dimensions"), attr_i64s(c, n, axes)},
      {name_of(c, "output_batch_dimension"), attr_i64(c, 0)},
      {name_of(c, "output_feature_dimension"), attr_i64(c, rank - 1)},
      {name_of(c, "output_spatial_dimensions"), attr_i64s(c, n, axes)},
  };
  Type pad_type = type_tensor(c, DT_i64, 2, (int64_t[]){n, 2}, 0);
  Attr padding = attr_dense(c, pad_type, pad, sizeof(int64_t) * 2 * n);
  NamedAttr fields[] = {
      {name_of(c, "window_strides"), attr_i64s(c, n, stride)},
      {name_of(c, "lhs_dilation"), attr_i64s(c, n, base)},
      {name_of(c, "rhs_dilation"), attr_i64s(c, n, dilation)},
      {name_of(c, "window_reversal"), attr_bools(c, n, reversal)},
      {name_of(c, "dimension_numbers"), attr_struct(c, "stablehlo.conv", 9, numbers)},
      {name_of(c, "feature_group_count"), attr_i64(c, by_batch ? 1 : groups)},
      {name_of(c, "batch_group_count"), attr_i64(c, by_batch ? groups : 1)},
      {name_of(c, "padding"), padding},
  };
  Type elem = type_scalar(sample_dtype(cx, "suf"));
  ValueId operands[3] = {sample_value(cx, type_tensor(c, elem, rank, lhs, 0)),
                         sample_value(cx, type_tensor(c, elem, rank, rhs, 0))};
  if (!dynamic)
    return sample_op(cx, OP_convolution, attr_dict(c, 8, fields), 2, operands, 1, NULL, 0);
  NamedAttr value = {name_of(c, "value"), padding};
  OpId constant = sample_op(cx, OP_constant, attr_dict(c, 1, &value), 0, NULL, 1, &pad_type, 0);
  operands[2] = op_result(cx->program, constant, 0);
  int64_t dims[4] = {by_batch ? lhs[0] / groups : lhs[0]};
  dims[rank - 1] = rhs[0];
  for (uint32_t s = 0; s < n; s++)
    dims[s + 1] = window_count(&(WindowDim){.size = rhs[s + 1],
                                            .stride = stride[s],
                                            .pad_low = pad[2 * s],
                                            .pad_high = pad[2 * s + 1],
                                            .base_dilation = base[s],
                                            .window_dilation = dilation[s]},
                               lhs[s + 1]);
  Type result = type_tensor(c, elem, rank, dims, 0);
  return sample_op(cx, OP_dynamic_conv, attr_dict(c, 7, fields), 3, operands, 1, &result, 0);
}
