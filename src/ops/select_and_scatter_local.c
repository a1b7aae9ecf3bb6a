// select_and_scatter on tiles. A device does every window that sees an element of its tile: it
// reads all that these windows see of the operand and their elements of the source, and keeps its
// tile of what comes out. Windows across a border are done on both sides, nothing is sent back, and
// every element takes its contributions in the order of the whole.
//
//   windows of 3, 2 apart   |0 1 2 3|4 5 6 7|    device 1 does [2 3 4], [4 5 6], [6 7 .]
//
// Windows that the whole op does not have bring what changes nothing.
#include "ops/select_and_scatter_local.h"

#include "ops/windows_local.h"

enum { OPERAND, SOURCE, INIT, RESULT };

// What a device reads of one dimension.
typedef struct Reach {
  LocalWindow seen;     // of the operand
  LocalWindow windows;  // of the source
  int64_t tile;         // of the operand and the result
} Reach;

static int64_t floor_div(int64_t a, int64_t b) { return a / b - (a % b < 0); }

// Windows of the whole op must lie inside: those that overlap padding elect by its absence. A
// device's first window must be as far in its tile everywhere.
static bool reach_of(const Localizer *cx, const WindowDim *windows, uint32_t d, Reach *out) {
  const WindowDim *w = &windows[d];
  int64_t size = localize_size(cx, OPERAND, d), tile = localize_tile(cx, RESULT, d);
  const int64_t most = (int64_t)1 << 30;
  if (w->pad_low > 0 || w->pad_high > 0 || w->pad_low < -most || w->size > most || size > most ||
      w->stride > most || size < 1 || localize_size(cx, SOURCE, d) < 1 || tile % w->stride)
    return false;
  int64_t first = -floor_div(w->size - 1 - w->pad_low, w->stride);
  int64_t last = floor_div(tile - 1 + w->pad_low, w->stride);
  if (last < first) last = first;
  int64_t length = (last - first) * w->stride + w->size;
  *out = (Reach){{.first = first * w->stride - w->pad_low, .step = tile, .length = length},
                 {.first = first, .step = tile / w->stride, .length = last - first + 1},
                 tile};
  return length <= 2 * size + 64;
}

static bool is_windowed(const Localizer *cx, uint32_t d) {
  uint32_t f = localize_factor(cx, OPERAND, d);
  return localize_is_split(cx, f) && cx->map->factors[f].kinds != FACTOR_PASS;
}

void select_and_scatter_splits(Localizer *cx) {
  uint32_t rank = localize_type(cx, OPERAND)->rank;
  WindowDim windows[MAX_RANK];
  Reach reach;
  windows_read(cx->context, op_at(cx->program, cx->op)->attrs, rank, windows);
  Type elem = localize_type(cx, OPERAND)->elem;
  bool plain = combine_is_plain(op_region_combine(cx->program, cx->op, 1)) &&
               !type_is_quant(cx->context, elem) && elem == localize_type(cx, RESULT)->elem &&
               dtype_has_zero(type_dtype(cx->context, elem));
  for (uint32_t d = 0; d < rank; d++)
    if (is_windowed(cx, d) && (!plain || !reach_of(cx, windows, d, &reach)))
      localize_give_up(cx, localize_factor(cx, OPERAND, d));
  double operand = localize_bytes(cx, OPERAND), source = localize_bytes(cx, SOURCE);
  for (uint32_t d = 0; d < rank; d++) {
    if (!is_windowed(cx, d) || !reach_of(cx, windows, d, &reach)) continue;
    window_count_read(cx, OPERAND, d, reach.seen, &operand);
    window_count_read(cx, SOURCE, d, reach.windows, &source);
  }
}

static Attr local_attrs(Localizer *cx, uint32_t rank, const WindowDim *windows) {
  Context *c = cx->context;
  int64_t pads[2 * MAX_RANK];
  for (uint32_t d = 0; d < rank; d++) {
    pads[2 * d] = windows[d].pad_low;
    pads[2 * d + 1] = windows[d].pad_high;
  }
  Type type = type_tensor(c, type_scalar(DT_i64), 2, (int64_t[]){rank, 2}, 0);
  return localize_with(cx, 0, "padding",
                       attr_dense(c, type, pads, sizeof(int64_t) * 2 * (size_t)rank));
}

Status *select_and_scatter_localize(Localizer *cx) {
  Local *l = cx->local;
  uint32_t rank = localize_type(cx, OPERAND)->rank;
  WindowDim windows[MAX_RANK];
  Reach reach;
  windows_read(cx->context, op_at(cx->program, cx->op)->attrs, rank, windows);
  Combine combine = op_region_combine(cx->program, cx->op, 1);
  ValueId operands[3] = {cx->in[OPERAND], cx->in[SOURCE], cx->in[INIT]};
  Type type = cx->out_types[0];
  bool split[MAX_RANK] = {false};
  for (uint32_t d = 0; d < rank; d++) {
    if (!is_windowed(cx, d) || !reach_of(cx, windows, d, &reach)) continue;
    split[d] = true;
    ValueId nothing = local_identity(l, value_type(l->p, operands[INIT]), combine);
    operands[OPERAND] = window_read(cx, operands[OPERAND], OPERAND, d, reach.seen, 0);
    operands[SOURCE] = window_read(cx, operands[SOURCE], SOURCE, d, reach.windows, nothing);
    type = local_with_dim(l, type, d, reach.seen.length);
  }
  WindowDim local[MAX_RANK];
  for (uint32_t d = 0; d < rank; d++) {
    local[d] = windows[d];
    if (split[d]) local[d].pad_low = local[d].pad_high = 0;
  }
  ValueId v;
  TRY(localize_copy_as(cx, operands, local_attrs(cx, rank, local), &type, &v));
  for (uint32_t d = 0; d < rank; d++) {
    if (!split[d] || !reach_of(cx, windows, d, &reach)) continue;
    int64_t before = -reach.seen.first, after = reach.seen.length - before - reach.tile;
    v = local_pad(l, v, d, -before, -after, operands[INIT]);
  }
  cx->out[0] = v;
  return NULL;
}
