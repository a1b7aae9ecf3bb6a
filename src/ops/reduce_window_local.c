// reduce_window on tiles: a device does its part of the positions and reads a piece of every input
// with a halo. What lies in the padding or between dilated elements is the init value, as for the
// whole op.
#include "ops/reduce_window_local.h"

#include "ops/windows_local.h"

// How dimension d is split; false if it is whole, needs no window, or cannot be.
static bool share_of(const Localizer *cx, const WindowDim *windows, uint32_t d, WindowShare *out) {
  uint32_t result = localize_n_operands(cx), f = localize_factor(cx, result, d);
  if (!localize_is_split(cx, f) || cx->map->factors[f].kinds == FACTOR_PASS) return false;
  return window_share_positions(&windows[d], localize_size(cx, 0, d), localize_ways(cx, f),
                                localize_tile(cx, result, d), localize_size(cx, result, d), out);
}

void reduce_window_splits(Localizer *cx) {
  uint32_t n = localize_n_operands(cx) / 2, rank = localize_type(cx, 0)->rank;
  WindowDim windows[MAX_RANK];
  WindowShare share;
  windows_read(cx->context, op_at(cx->program, cx->op)->attrs, rank, windows);
  bool quantized = type_is_quant(cx->context, localize_type(cx, 0)->elem);
  for (uint32_t f = 0; f < cx->map->n_factors; f++)
    if (quantized && cx->map->factors[f].kinds != FACTOR_PASS) localize_give_up(cx, f);
  for (uint32_t d = 0; d < rank; d++) {
    uint32_t f = localize_factor(cx, n * 2, d);
    if (cx->map->factors[f].kinds != FACTOR_PASS && !share_of(cx, windows, d, &share))
      localize_give_up(cx, f);
  }
  for (uint32_t i = 0; i < n; i++) {
    double bytes = localize_bytes(cx, i);
    for (uint32_t d = 0; d < rank; d++)
      if (share_of(cx, windows, d, &share)) window_share_count(cx, i, d, &share, &bytes);
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
  ValueId *operands = ARENA_ARRAY(cx->local->arena, ValueId, 2 * (size_t)n + 1);
  for (uint32_t i = 0; i < 2 * n; i++) operands[i] = cx->in[i];
  bool any = false;
  for (uint32_t d = 0; d < rank; d++) {
    if (!share_of(cx, windows, d, &share)) continue;
    any = true;
    for (uint32_t i = 0; i < n; i++)
      operands[i] =
          window_share_read(cx->local, operands[i], d, localize_axes(cx, i, d),
                            localize_size(cx, i, d), &share, operands[n + i], &windows[d]);
  }
  return localize_copy(cx, operands, any ? local_attrs(cx, rank, windows) : 0);
}
