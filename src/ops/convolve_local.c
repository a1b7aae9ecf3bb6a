// Convolution on shards. Batch, output features, groups and contracted features split by default;
// a shard of the groups only has a smaller group count. A spatial dimension is split in one of two
// ways:
//
//   by positions   the device computes its shard of the result, and reads lhs with a halo
//   by taps        the device has a shard of the kernel (the gradient of a kernel is a convolution
//                  with a "kernel" as large as the image) and reads the elements of lhs under these
//                  taps; results are unreduced sums
//
// Padding, phases of dilation and the ends of the dimension are in the elements read: the local op
// pads only for the phase.
//
// Limitation: with an uneven split of taps, taps in the padding are zeros. They multiply elements
// of lhs that other taps read too, so an infinity among the last elements of lhs gives NaN where
// the global op is finite.
#include "ops/convolve.h"
#include "ops/windows_local.h"

static Ints padding_of(const Localizer *cx) { return localize_ints(cx, "padding"); }

// Can zeros stand for padding? Requires an element type with a zero, and padding that is an
// attribute.
static bool has_zero(const Localizer *cx) {
  if (localize_n_operands(cx) > 2) return false;
  Type elem = localize_type(cx, 0)->elem;
  for (uint32_t t = 0; t < factor_map_n_tensors(cx->map); t++)
    if (type_is_quant(cx->context, localize_type(cx, t)->elem)) return false;
  return dtype_has_zero(type_dtype(cx->context, elem));
}

// The device's share of spatial dimension s; false if it is unsplit or cannot be split.
static bool share_of(const Localizer *cx, const ConvDims *dims, const WindowDim *windows,
                     uint32_t s, WindowShare *out) {
  uint32_t in = (uint32_t)dims->in_spatial.v[s], kernel = (uint32_t)dims->kernel_spatial.v[s],
           at = (uint32_t)dims->out_spatial.v[s], result = localize_n_operands(cx);
  AxisList axes = cx->splits[localize_factor(cx, 0, in)].axes, own = localize_axes(cx, 0, in),
           taps = localize_axes(cx, 1, kernel), positions = localize_axes(cx, result, at);
  int64_t size = localize_size(cx, 0, in), ways = axes_size(axes),
          n_positions = localize_size(cx, result, at);
  if (!axes.n || (own.n && !axes_equal(own, axes))) return false;
  if (axes_equal(axes, taps) && !positions.n)
    return window_share_taps(&windows[s], size, ways, localize_tile(cx, 1, kernel), n_positions,
                             out);
  return axes_equal(axes, positions) && !taps.n &&
         window_share_positions(&windows[s], size, ways, localize_tile(cx, result, at), n_positions,
                                out);
}

static bool is_default(const Localizer *cx, uint32_t f) {
  return cx->map->factors[f].kinds == FACTOR_PASS || cx->map->factors[f].kinds == FACTOR_REDUCE;
}

void convolve_splits(Localizer *cx) {
  Attr attrs = op_at(cx->program, cx->op)->attrs;
  ConvDims dims = convolve_dims(cx->context, attrs);
  WindowDim windows[MAX_RANK];
  WindowShare share;
  convolve_windows(cx->context, attrs, &dims, localize_type(cx, 1)->dims, padding_of(cx), windows);
  bool zero = has_zero(cx);
  for (uint32_t f = 0; f < cx->map->n_factors; f++)
    if (cx->map->factors[f].kinds & FACTOR_REPLICATE || (!zero && !is_default(cx, f)))
      localize_unsplit(cx, f);
  for (uint32_t s = 0; s < dims.in_spatial.n; s++) {
    uint32_t f = localize_factor(cx, 0, (uint32_t)dims.in_spatial.v[s]);
    if (!is_default(cx, f) && !share_of(cx, &dims, windows, s, &share)) localize_unsplit(cx, f);
  }
  double bytes = localize_bytes(cx, 0);
  for (uint32_t s = 0; s < dims.in_spatial.n; s++) {
    uint32_t in = (uint32_t)dims.in_spatial.v[s];
    if (is_default(cx, localize_factor(cx, 0, in)) || !share_of(cx, &dims, windows, s, &share))
      continue;
    window_share_count(cx, 0, in, &share, &bytes);
  }
}

static ValueId zero_of(Localizer *cx, uint32_t tensor) {
  Type scalar = type_tensor(cx->context, localize_type(cx, tensor)->elem, 0, NULL, 0);
  return build_splat(cx->builder, scalar, (Scalar){0});
}

// Masks the padding of dimension d, which is contracted.
static void mask_dim(Localizer *cx, uint32_t tensor, uint32_t d, ValueId *v) {
  if (localize_is_uneven(cx, tensor, d))
    *v = build_mask_padding(cx->builder, *v, d, localize_axes(cx, tensor, d),
                            localize_size(cx, tensor, d), zero_of(cx, tensor));
}

// The attributes with local padding, dilation and group counts; unchanged lists stay absent.
static Attr local_attrs(Localizer *cx, const ConvDims *dims, const WindowDim *windows) {
  Context *c = cx->context;
  uint32_t n = dims->in_spatial.n;
  Ints old_pads = padding_of(cx), old_dilations = localize_ints(cx, "lhs_dilation");
  int64_t pads[2 * MAX_RANK], dilations[MAX_RANK];
  bool padded = false, dilated = false;
  for (uint32_t s = 0; s < n; s++) {
    pads[2 * s] = windows[s].pad_low;
    pads[2 * s + 1] = windows[s].pad_high;
    dilations[s] = windows[s].base_dilation;
    padded |= pads[2 * s] != (old_pads.n ? old_pads.v[2 * s] : 0);
    padded |= pads[2 * s + 1] != (old_pads.n ? old_pads.v[2 * s + 1] : 0);
    dilated |= dilations[s] != (old_dilations.n ? old_dilations.v[s] : 1);
  }
  Attr attrs = op_at(cx->program, cx->op)->attrs;
  Type type = type_tensor(c, type_scalar(DT_i64), 2, (int64_t[]){n, 2}, 0);
  if (padded)
    attrs = localize_with(cx, attrs, "padding",
                          attr_dense(c, type, pads, sizeof(int64_t) * 2 * (size_t)n));
  if (dilated) attrs = localize_with(cx, attrs, "lhs_dilation", attr_i64s(c, n, dilations));
  attrs = localize_with(cx, attrs, "feature_group_count", attr_i64(c, dims->feature_groups));
  return localize_with(cx, attrs, "batch_group_count", attr_i64(c, dims->batch_groups));
}

// The group count of one device; the groups are the major factor of lhs's dimension d.
static int64_t local_groups_of(const Localizer *cx, int64_t groups, int64_t d) {
  int64_t ways = groups > 1 ? localize_ways(cx, factor_map_dim(cx->map, 0, (uint32_t)d).v[0]) : 1;
  return (groups + ways - 1) / ways;
}

Status *convolve_localize(Localizer *cx) {
  Attr attrs = op_at(cx->program, cx->op)->attrs;
  ConvDims dims = convolve_dims(cx->context, attrs);
  WindowDim windows[MAX_RANK];
  WindowShare share;
  convolve_windows(cx->context, attrs, &dims, localize_type(cx, 1)->dims, padding_of(cx), windows);
  ValueId operands[3] = {cx->in[0], cx->in[1], localize_n_operands(cx) > 2 ? cx->in[2] : 0};
  mask_dim(cx, 0, (uint32_t)dims.in_feature, &operands[0]);
  mask_dim(cx, 1, (uint32_t)dims.kernel_in, &operands[1]);
  for (uint32_t s = 0; s < dims.in_spatial.n; s++) {
    uint32_t in = (uint32_t)dims.in_spatial.v[s], kernel = (uint32_t)dims.kernel_spatial.v[s];
    if (is_default(cx, localize_factor(cx, 0, in)) || !share_of(cx, &dims, windows, s, &share))
      continue;
    mask_dim(cx, 1, kernel, &operands[1]);
    operands[0] = window_share_read(cx, operands[0], 0, in, &share, zero_of(cx, 0), &windows[s]);
  }
  dims.feature_groups = local_groups_of(cx, dims.feature_groups, dims.in_feature);
  dims.batch_groups = local_groups_of(cx, dims.batch_groups, dims.in_batch);
  return localize_copy(cx, operands, local_attrs(cx, &dims, windows));
}
