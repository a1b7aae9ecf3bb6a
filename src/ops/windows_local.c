// Problem: a device that computes a share of a window op's positions (or taps) needs a window of
// the sharded, dilated, padded input dimension.
//
// Idea: build_window reads a window of elements. With dilation b, elements lie at multiples of b
// and the rest are holes. If the step between devices is a multiple of b, all devices have the same
// phase, and the local op dilates what it gets:
//
//     b = 2, step 4:   device 0 reads | a . b . |   device 1 reads | c . d . |
//
// Otherwise the phase differs between devices. Then each device reads enough elements for any
// phase, dilates them, and slices its indices at its own phase. O(1) ops.
#include "ops/windows_local.h"

static int64_t floor_div(int64_t a, int64_t b) { return a / b - (a % b < 0); }
static int64_t floor_mod(int64_t a, int64_t b) { return a - floor_div(a, b) * b; }

static bool is_in_phase(const WindowShare *share) {
  return share->range.step % share->dilation == 0;
}

// The window of elements that covers the share's indices; at least one element.
static BuildWindow elements_of(const WindowShare *share) {
  BuildWindow p = share->range;
  int64_t b = share->dilation, end = p.end > 0 ? (p.end - 1) / b + 1 : 0;
  if (is_in_phase(share)) {
    int64_t first = floor_div(p.first + b - 1, b), phase = first * b - p.first;
    int64_t length = p.length > phase ? (p.length - 1 - phase) / b + 1 : 1;
    return (BuildWindow){.first = first, .step = p.step / b, .length = length, .end = end};
  }
  // From the element at or before the first index, for any phase.
  return (BuildWindow){.first = p.first,
                       .step = p.step,
                       .divisor = b,
                       .length = (b - 1 + p.length - 1) / b + 1,
                       .end = end};
}

// Are the numbers small enough that their products do not overflow?
static bool is_tame(const WindowDim *w, int64_t size, int64_t ways) {
  const int64_t most = (int64_t)1 << 30;
  bool tame = w->pad_low >= -most && w->pad_high >= -most && w->size >= 1 && size >= 1;
  int64_t numbers[] = {
      w->size, w->stride, w->base_dilation, w->window_dilation, w->pad_low, w->pad_high,
      size,    ways};
  for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) tame &= numbers[i] <= most;
  return tame;
}

// A device should not hold much more than the replicated dimension.
static bool pays(const WindowShare *share, int64_t size) {
  return elements_of(share).length <= 2 * size + 64;
}

bool window_share_positions(const WindowDim *w, int64_t size, int64_t ways, int64_t count,
                            int64_t positions, WindowShare *out) {
  if (!is_tame(w, size, ways) || count < 1) return false;
  int64_t window = (w->size - 1) * w->window_dilation + 1;
  int64_t length = (count - 1) * w->stride + window;
  int64_t end = (positions - 1) * w->stride + window - w->pad_low;
  *out =
      (WindowShare){{.first = -w->pad_low, .step = count * w->stride, .length = length, .end = end},
                    w->base_dilation};
  return pays(out, size);
}

// With a reversed window, the last taps read the first indices.
bool window_share_taps(const WindowDim *w, int64_t size, int64_t ways, int64_t count,
                       int64_t positions, WindowShare *out) {
  if (!is_tame(w, size, ways) || count < 1 || positions < 1) return false;
  int64_t length = (positions - 1) * w->stride + (count - 1) * w->window_dilation + 1;
  int64_t first = w->reversed ? (w->size - count) * w->window_dilation : 0;
  int64_t step = count * w->window_dilation;
  if (w->reversed) step = -step;
  *out = (WindowShare){{.first = first - w->pad_low, .step = step, .length = length},
                       w->base_dilation};
  return pays(out, size);
}

void window_count_read(Localizer *cx, uint32_t tensor, uint32_t d, BuildWindow w, double *bytes) {
  uint32_t f = localize_factor(cx, tensor, d);
  int64_t size = localize_size(cx, tensor, d);
  double slice = *bytes / (double)localize_tile(cx, tensor, d);
  *bytes = slice * (double)w.length;
  if (cx->replicated && cx->replicated[tensor]) {
    *localize_has(cx, tensor, f) = false;
    return;
  }
  cx->bytes += slice * build_window_received(cx->builder, size, localize_ways(cx, f), w);
  cx->steps++;
}

ValueId window_read(Localizer *cx, ValueId v, uint32_t tensor, uint32_t d, BuildWindow w,
                    ValueId fill) {
  uint32_t f = localize_factor(cx, tensor, d);
  AxisList axes = cx->splits[f].axes;
  if (!*localize_has(cx, tensor, f))
    return build_window_of_replicated(cx->builder, v, d, axes, w, fill);
  return build_window(cx->builder, v, d, axes, localize_size(cx, tensor, d), w, fill);
}

void window_share_count(Localizer *cx, uint32_t tensor, uint32_t d, const WindowShare *share,
                        double *bytes) {
  window_count_read(cx, tensor, d, elements_of(share), bytes);
}

// Puts dilation - 1 times `fill` behind each element.
static ValueId dilate(Builder *b, ValueId v, uint32_t d, int64_t dilation, ValueId fill) {
  Context *c = b->p->context;
  Type type = value_type(b->p, v);
  uint32_t rank = type_info(c, type)->rank;
  int64_t low[MAX_RANK] = {0}, high[MAX_RANK] = {0}, interior[MAX_RANK] = {0};
  high[d] = interior[d] = dilation - 1;
  NamedAttr fields[] = {{name_of(c, "edge_padding_low"), attr_i64s(c, rank, low)},
                        {name_of(c, "edge_padding_high"), attr_i64s(c, rank, high)},
                        {name_of(c, "interior_padding"), attr_i64s(c, rank, interior)}};
  type = type_with_dim(b->p->context, type, d, build_dim(b, v, d) * dilation);
  return build_op(b, OP_pad, 2, (ValueId[]){v, fill}, type, attr_dict(c, 3, fields));
}

ValueId window_share_read(Localizer *cx, ValueId v, uint32_t tensor, uint32_t d,
                          const WindowShare *share, ValueId fill, WindowDim *out) {
  Builder *to = cx->builder;
  AxisList axes = cx->splits[localize_factor(cx, tensor, d)].axes;
  BuildWindow range = share->range, elements = elements_of(share);
  int64_t b = share->dilation;
  v = window_read(cx, v, tensor, d, elements, fill);
  if (is_in_phase(share)) {
    out->pad_low = elements.first * b - range.first;
    out->pad_high = range.length - out->pad_low - ((elements.length - 1) * b + 1);
    return v;
  }
  ValueId at = build_binary(to, OP_multiply, build_coordinate(to, axes),
                            build_index(to, floor_mod(range.step, b)));
  at = build_binary(to, OP_add, at, build_index(to, floor_mod(range.first, b)));
  at = build_binary(to, OP_remainder, at, build_index(to, b));
  out->pad_low = out->pad_high = 0;
  out->base_dilation = 1;
  return build_dynamic_slice(to, dilate(to, v, d, b, fill), d, at, range.length);
}
