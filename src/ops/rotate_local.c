// _SPMDInternalOp_RotateRight along a sharded dimension: a device's result is the window that
// starts `amount` before its tile, modulo the size. With an uneven sharding a window cannot wrap,
// so there are two: one `amount` before the tile, and one `size - amount` behind it for indices
// below `amount`. A device receives at most about one tile.
#include "ops/custom_factors.h"

typedef struct Rotation {
  uint32_t along;
  int64_t size, amount;
} Rotation;

static bool rotation_of(const Localizer *cx, Rotation *out) {
  int64_t along, amount;
  if (localize_n_operands(cx) != 1 || cx->map->n_results != 1 ||
      !custom_config_int(cx->program, cx->op, "dimension", &along) ||
      !custom_config_int(cx->program, cx->op, "amount", &amount) ||
      along >= localize_type(cx, 0)->rank || amount > localize_size(cx, 0, (uint32_t)along))
    return false;
  *out = (Rotation){(uint32_t)along, localize_size(cx, 0, (uint32_t)along), amount};
  return true;
}

// The windows that a device reads; returns their number, 1 or 2.
static uint32_t windows_of(const Localizer *cx, const Rotation *r, BuildWindow out[2]) {
  int64_t tile = localize_tile(cx, 0, r->along);
  out[0] = (BuildWindow){.first = -r->amount, .step = tile, .length = tile};
  out[1] = (BuildWindow){.first = r->size - r->amount, .step = tile, .length = tile};
  out[0].wraps = !localize_is_uneven(cx, 0, r->along);
  return out[0].wraps ? 1 : 2;
}

void rotate_splits(Localizer *cx) {
  Rotation r;
  uint32_t f = 0;
  bool known = rotation_of(cx, &r);
  if (known) f = localize_factor(cx, 0, r.along);
  AxisList axes = known ? cx->splits[f].axes : (AxisList){NULL, 0};
  localize_only_default(cx);
  if (!axes.n) return;
  cx->splits[f].axes = axes;
  BuildWindow windows[2];
  uint32_t n = windows_of(cx, &r, windows);
  for (uint32_t i = 0; i < n; i++)
    cx->bytes += localize_bytes_across(cx, 0, r.along) *
                 build_window_received(cx->builder, r.size, axes_size(axes), windows[i]);
}

Status *rotate_localize(Localizer *cx) {
  Rotation r;
  Builder *b = cx->builder;
  AxisList axes = {NULL, 0};
  if (rotation_of(cx, &r)) axes = localize_axes(cx, 0, r.along);
  if (!axes.n) return localize_default(cx);
  BuildWindow windows[2];
  uint32_t n = windows_of(cx, &r, windows);
  ValueId read[2] = {0};
  for (uint32_t i = 0; i < n; i++)
    read[i] = build_window(b, cx->in[0], r.along, axes, r.size, windows[i], 0);
  cx->out[0] = read[0];
  if (n == 1) return NULL;
  ValueId at = build_iota(b, cx->out_types[0], r.along);
  Type type = value_type(b->p, at);
  ValueId offset = build_broadcast(b, localize_offset(cx, 0, r.along), type);
  ValueId index = build_binary(b, OP_add, at, offset);
  ValueId wraps = build_compare(b, "LT", index, build_splat(b, type, scalar_i(r.amount)));
  cx->out[0] = build_select(b, wraps, read[1], read[0]);
  return NULL;
}
