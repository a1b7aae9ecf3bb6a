// reduce_window along a sharded dimension: a device computes its shard of the positions and reads
// the inputs with a halo (windows_local.h). Padding and holes of dilation are the init value, as in
// the global op.
//
// A window from every element to one end of the dimension is a scan (cumulative sum), whose halo
// would be everything. Instead each device scans its own tile, an all_gather collects the totals,
// each device scans these, and combines the total before (behind) its tile with its own results:
//
//   |1 2 3|4 5 6|   local scans |1 3 6|4 9 15|   totals 6, 15   result |1 3 6|10 15 21|
#include "ops/reduce_window_local.h"

#include <string.h>

#include "ops/windows_local.h"

// The device's share of dimension d; false if it is unsplit, passes through, or cannot be split.
static bool share_of(const Localizer *cx, const WindowDim *windows, uint32_t d, WindowShare *out) {
  uint32_t result = localize_n_operands(cx), f = localize_factor(cx, result, d);
  if (!localize_is_split(cx, f) || cx->map->factors[f].kinds == FACTOR_PASS) return false;
  return window_share_positions(&windows[d], localize_size(cx, 0, d), localize_ways(cx, f),
                                localize_tile(cx, result, d), localize_size(cx, result, d), out);
}

// ---- scans ----

// Is the init value a constant that is the reducer's identity?
static bool is_neutral(const Localizer *cx, uint32_t operand, Combine combine) {
  OpId def = value_def(cx->program, op_operand(cx->program, cx->op, operand));
  DType dtype = type_dtype(cx->context, localize_type(cx, operand)->elem);
  if (!def || op_at(cx->program, def)->code != OP_constant || !dtype_has_zero(dtype)) return false;
  const AttrInfo *dense = attr_info(cx->context, op_attr(cx->program, def, "value"));
  if (dense->kind != ATTR_DENSE || !dense->bytes) return false;
  uint8_t neutral[16] = {0}, zero[16] = {0};
  dtype_store(dtype, neutral, 0, build_identity_scalar(dtype, combine));
  size_t bytes = (size_t)dtype_bytes(dtype);
  return memcmp(dense->data, neutral, bytes) == 0 ||
         (combine == COMBINE_SUM && memcmp(dense->data, zero, bytes) == 0);
}

// Is the op a scan along the sharded dimension d: a window from each element to the first (or last)
// one, and of size 1 in the other dimensions?
static bool is_scan(const Localizer *cx, const WindowDim *windows, uint32_t d) {
  uint32_t n = localize_n_operands(cx) / 2, rank = localize_type(cx, 0)->rank;
  const WindowDim *w = &windows[d];
  Combine combine = op_combine(cx->program, cx->op);
  if (!localize_axes(cx, 0, d).n || !combine_is_named(combine) || w->stride != 1 ||
      w->base_dilation != 1 || w->window_dilation != 1 || w->size != localize_size(cx, 0, d) ||
      w->pad_low + w->pad_high != w->size - 1 || (w->pad_low && w->pad_high))
    return false;
  for (uint32_t i = 0; i < rank; i++)
    if (i != d && !window_is_plain(&windows[i])) return false;
  for (uint32_t i = 0; i < n; i++)
    if (!is_neutral(cx, n + i, combine) ||
        localize_type(cx, i)->elem != localize_type(cx, 2 * n + i)->elem)
      return false;
  return true;
}

// The scan of `size` elements along d.
static Status *put_scan(Localizer *cx, const WindowDim *windows, uint32_t d, int64_t size,
                        ValueId *values) {
  Context *c = cx->context;
  uint32_t n = localize_n_operands(cx) / 2, rank = localize_type(cx, 0)->rank;
  int64_t sizes[MAX_RANK], pads[2 * MAX_RANK] = {0};
  for (uint32_t i = 0; i < rank; i++) sizes[i] = i == d ? size : 1;
  pads[2 * d + (windows[d].pad_low ? 0 : 1)] = size - 1;
  Type shape = type_tensor(c, type_scalar(DT_i64), 2, (int64_t[]){rank, 2}, 0);
  Attr attrs = localize_with(cx, 0, "window_dimensions", attr_i64s(c, rank, sizes));
  attrs = localize_with(cx, attrs, "padding",
                        attr_dense(c, shape, pads, sizeof(int64_t) * 2 * (size_t)rank));
  ValueId *operands = ARENA_ARRAY(cx->builder->arena, ValueId, 2 * (size_t)n + 1);
  Type *types = ARENA_ARRAY(cx->builder->arena, Type, n + 1);
  for (uint32_t i = 0; i < n; i++) {
    operands[i] = values[i];
    operands[n + i] = cx->in[n + i];
    types[i] = value_type(cx->builder->p, values[i]);
  }
  return localize_copy_as(cx, operands, attrs, types, values);
}

// The scanned total before (behind) this device's tile, broadcast to the tile's shape.
static ValueId put_before(Localizer *cx, ValueId totals, uint32_t d, bool behind, Combine combine,
                          Type type) {
  Builder *b = cx->builder;
  int64_t dims[MAX_RANK];
  Type scalar = type_tensor(cx->context, type_info(cx->context, type)->elem, 0, NULL, 0);
  ValueId none = build_identity(b, scalar, combine);
  ValueId at = build_coordinate(b, localize_axes(cx, 0, d));
  if (behind) at = build_binary(b, OP_add, at, build_index(b, 1));
  totals = build_pad(b, totals, d, behind ? 0 : 1, behind ? 1 : 0, none);
  ValueId v = build_dynamic_slice(b, totals, d, at, 1);
  uint32_t rank = type_info(cx->context, type)->rank;
  for (uint32_t i = 0; i < rank; i++) dims[i] = i;
  return build_broadcast_in(b, v, type, dims);
}

static Status *localize_scan(Localizer *cx, const WindowDim *windows, uint32_t d) {
  Builder *b = cx->builder;
  uint32_t n = localize_n_operands(cx) / 2;
  Combine combine = op_combine(cx->program, cx->op);
  AxisList axes = localize_axes(cx, 0, d);
  int64_t tile = localize_tile(cx, 0, d), ways = axes_size(axes);
  bool behind = !windows[d].pad_low;
  ValueId *totals = ARENA_ARRAY(b->arena, ValueId, n + 1);
  for (uint32_t i = 0; i < n; i++) {
    cx->out[i] = cx->in[i];
    if (behind)  // padding would enter the totals of the devices before
      cx->out[i] =
          build_mask_padding(b, cx->in[i], d, axes, localize_size(cx, i, d), cx->in[n + i]);
  }
  TRY(put_scan(cx, windows, d, tile, cx->out));
  for (uint32_t i = 0; i < n; i++) {
    int64_t last = behind ? 0 : tile - 1;
    totals[i] = build_slice(b, cx->out[i], d, last, last + 1, 1);
    totals[i] = build_all_gather(b, totals[i], d, axes);
  }
  TRY(put_scan(cx, windows, d, ways, totals));
  for (uint32_t i = 0; i < n; i++)
    cx->out[i] = build_combine(
        b, combine, put_before(cx, totals[i], d, behind, combine, cx->out_types[i]), cx->out[i]);
  return NULL;
}

// ---- the columns ----

void reduce_window_splits(Localizer *cx) {
  uint32_t n = localize_n_operands(cx) / 2, rank = localize_type(cx, 0)->rank;
  WindowDim windows[MAX_RANK];
  WindowShare share;
  windows_read(cx->context, op_at(cx->program, cx->op)->attrs, rank, windows);
  bool quantized = type_is_quant(cx->context, localize_type(cx, 0)->elem);
  for (uint32_t f = 0; f < cx->map->n_factors; f++)
    if (quantized && cx->map->factors[f].kinds != FACTOR_PASS) localize_unsplit(cx, f);
  for (uint32_t d = 0; d < rank; d++) {
    uint32_t f = localize_factor(cx, n * 2, d);
    if (cx->map->factors[f].kinds == FACTOR_PASS || is_scan(cx, windows, d)) continue;
    if (!share_of(cx, windows, d, &share)) localize_unsplit(cx, f);
  }
  for (uint32_t i = 0; i < n; i++) {
    double bytes = localize_bytes(cx, i);
    for (uint32_t d = 0; d < rank; d++)
      if (is_scan(cx, windows, d))
        cx->bytes += bytes / (double)localize_tile(cx, i, d) *
                     (double)(axes_size(localize_axes(cx, i, d)) - 1);
      else if (share_of(cx, windows, d, &share))
        window_share_count(cx, i, d, &share, &bytes);
  }
}

static Attr local_attrs(Localizer *cx, uint32_t rank, const WindowDim *windows) {
  Context *c = cx->context;
  int64_t pads[2 * MAX_RANK], dilations[MAX_RANK];
  for (uint32_t d = 0; d < rank; d++) {
    pads[2 * d] = windows[d].pad_low;
    pads[2 * d + 1] = windows[d].pad_high;
    dilations[d] = windows[d].base_dilation;
  }
  Type type = type_tensor(c, type_scalar(DT_i64), 2, (int64_t[]){rank, 2}, 0);
  Attr attrs = localize_with(cx, 0, "padding",
                             attr_dense(c, type, pads, sizeof(int64_t) * 2 * (size_t)rank));
  return localize_with(cx, attrs, "base_dilations", attr_i64s(c, rank, dilations));
}

Status *reduce_window_localize(Localizer *cx) {
  uint32_t n = localize_n_operands(cx) / 2, rank = localize_type(cx, 0)->rank;
  WindowDim windows[MAX_RANK];
  WindowShare share;
  windows_read(cx->context, op_at(cx->program, cx->op)->attrs, rank, windows);
  ValueId *operands = ARENA_ARRAY(cx->builder->arena, ValueId, 2 * (size_t)n + 1);
  for (uint32_t i = 0; i < 2 * n; i++) operands[i] = cx->in[i];
  bool any = false;
  for (uint32_t d = 0; d < rank; d++) {
    if (is_scan(cx, windows, d)) return localize_scan(cx, windows, d);
    if (!share_of(cx, windows, d, &share)) continue;
    any = true;
    for (uint32_t i = 0; i < n; i++)
      operands[i] = window_share_read(cx, operands[i], i, d, &share, operands[n + i], &windows[d]);
  }
  return localize_copy(cx, operands, any ? local_attrs(cx, rank, windows) : 0);
}
