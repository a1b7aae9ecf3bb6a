// dynamic_slice and dynamic_update_slice of a dimension in tiles. The block, moved to lie inside
// the whole, begins at `at` of the tile: before it, in it or behind it. Of the tile only a window
// is looked at, as large as the block where that fits: the op moves it to lie inside the tile, and
// the block then begins `shift` elements behind the window's beginning.
//
//   tile            |---------|
//   block         |-----|                   at = -2, shift = -2: two elements are before the tile
//   window          |-----|
//
// The window's start is clamped here, though the op clamps it as well: XLA merges it with a slice
// that its operand is, adds the starts, and clamps the sum only.
//
// Reading: the window, moved back by `shift`, with what changes no sum moved in; only the result
// is exchanged, in parts. Writing: the window is read, elements of the block put where they lie in
// it, and the window written back; nothing is exchanged, and no more of the tile touched than the
// block is large.
#include "ops/index_local.h"
#include "tensor/strided.h"

// A dimension that is cut, of which the block is a part.
typedef struct Cut {
  bool is_cut;
  int64_t tile, block, window;  // sizes
  ValueId at, start, shift;     // tensor<i64>; start: of the window, in the tile
} Cut;

static Cut cut_of(Localizer *cx, uint32_t d, int64_t block, ValueId start) {
  Builder *b = cx->builder;
  int64_t whole = localize_size(cx, 0, d), tile = localize_tile(cx, 0, d);
  Cut cut = {.tile = tile, .block = block, .window = block < tile ? block : tile};
  cut.is_cut = block != whole && localize_axes(cx, 0, d).n > 0;
  if (!cut.is_cut) return cut;
  ValueId inside = index_clamp(b, index_i64(b, start), whole - block);
  cut.shift = cut.at = build_binary(b, OP_subtract, inside, localize_offset(cx, 0, d));
  cut.start = index_clamp(b, cut.at, tile - cut.window);
  if (block > 1 && tile > cut.window) cut.shift = build_binary(b, OP_subtract, cut.at, cut.start);
  return cut;
}

// Elements [from, from + size) along d of v, with `fill` for those that it does not have. from:
// tensor<i64>.
static ValueId shifted(Builder *b, ValueId v, uint32_t d, ValueId from, int64_t size,
                       ValueId fill) {
  ValueId wide = build_pad(b, v, d, size, size, fill);
  return build_dynamic_slice(b, wide, d, build_binary(b, OP_add, from, build_index(b, size)), size);
}

// The block's sizes, the starts of one type, and whether anything is cut at all.
static bool find_cuts(Localizer *cx, const int64_t *sizes, uint32_t first, Cut *cuts,
                      ValueId *starts) {
  uint32_t rank = localize_type(cx, 0)->rank;
  bool any = false;
  for (uint32_t d = 0; d < rank; d++) {
    cuts[d] = cut_of(cx, d, sizes[d], cx->in[first + d]);
    any |= cuts[d].is_cut;
  }
  for (uint32_t d = 0; d < rank; d++)
    starts[d] = cuts[d].is_cut ? cuts[d].start
                : any          ? index_i64(cx->builder, cx->in[first + d])
                               : cx->in[first + d];
  return any;
}

// ---- dynamic_slice ----

void dynamic_slice_splits(Localizer *cx) {
  Combine parts = index_reducer(cx, 0);
  Ints sizes = localize_ints(cx, "slice_sizes");
  for (uint32_t d = 0; d < sizes.n; d++) {
    uint32_t f = localize_factor(cx, 0, d);
    if (sizes.v[d] == localize_size(cx, 0, d)) continue;
    if (!parts || !index_has_room(cx, d)) localize_give_up(cx, f);
    cx->splits[f].parts = sizes.v[d] ? parts : COMBINE_NONE;
    *localize_has(cx, localize_n_operands(cx), f) = false;
  }
}

Status *dynamic_slice_localize(Localizer *cx) {
  Builder *b = cx->builder;
  const TypeInfo *out = type_info(cx->context, cx->out_types[0]);
  uint32_t rank = out->rank;
  int64_t sizes[MAX_RANK];
  Cut cuts[MAX_RANK];
  ValueId operands[MAX_RANK + 1] = {cx->in[0]};
  Ints whole = localize_ints(cx, "slice_sizes");
  bool any = find_cuts(cx, whole.v, 1, cuts, operands + 1);
  for (uint32_t d = 0; d < rank; d++) sizes[d] = cuts[d].is_cut ? cuts[d].window : out->dims[d];
  Attr attrs = localize_with(cx, 0, "slice_sizes", attr_i64s(cx->context, rank, sizes));
  if (!any) return localize_copy(cx, operands, attrs);
  Type type = type_tensor(cx->context, out->elem, rank, sizes, 0);
  TRY(localize_copy_as(cx, operands, attrs, &type, cx->out));
  ValueId here = 0;
  Combine parts = index_reducer(cx, 0);
  for (uint32_t d = 0; d < rank; d++) {
    if (!cuts[d].is_cut || !cuts[d].block) continue;
    if (cuts[d].block == 1) {
      here = index_and(b, here, index_inside(b, cuts[d].at, cuts[d].tile));
      continue;
    }
    Type scalar = type_tensor(cx->context, out->elem, 0, NULL, 0);
    cx->out[0] =
        shifted(b, cx->out[0], d, cuts[d].shift, cuts[d].block, build_identity(b, scalar, parts));
  }
  if (here)
    cx->out[0] =
        build_select(b, here, cx->out[0], build_identity(b, value_type(b->p, cx->out[0]), parts));
  return NULL;
}

// ---- dynamic_update_slice ----

void dynamic_update_slice_splits(Localizer *cx) {
  for (uint32_t d = 0; d < localize_type(cx, 0)->rank; d++)
    if (localize_size(cx, 0, d) != localize_size(cx, 1, d)) {
      localize_give_up(cx, localize_factor(cx, 1, d));
      if (!index_has_room(cx, d)) localize_give_up(cx, localize_factor(cx, 0, d));
    }
}

// The window as it is to be: elements of the block where it lies, what is there elsewhere.
static ValueId written(Localizer *cx, uint32_t rank, const Cut *cuts, ValueId there) {
  Builder *b = cx->builder;
  ValueId block = cx->in[1], all = 0;
  for (uint32_t d = 0; d < rank; d++) {
    if (!cuts[d].is_cut) continue;
    if (cuts[d].block == 1) {
      all = index_and(b, all, index_inside(b, cuts[d].at, cuts[d].tile));
      continue;
    }
    ValueId back = build_binary(b, OP_subtract, build_index(b, 0), cuts[d].shift);
    block = shifted(b, block, d, back, cuts[d].window, 0);
  }
  for (uint32_t d = 0; d < rank; d++) {
    if (!cuts[d].is_cut || cuts[d].block == 1) continue;
    ValueId number = build_iota(b, value_type(b->p, block), d);
    ValueId place = index_minus(b, number, cuts[d].shift);
    block = build_select(b, index_inside(b, place, cuts[d].block), block, there);
  }
  return all ? build_select(b, all, block, there) : block;
}

Status *dynamic_update_slice_localize(Localizer *cx) {
  Builder *b = cx->builder;
  const TypeInfo *update = type_info(cx->context, value_type(b->p, cx->in[1]));
  uint32_t rank = update->rank;
  int64_t sizes[MAX_RANK];
  Cut cuts[MAX_RANK];
  ValueId operands[MAX_RANK + 2] = {cx->in[0], cx->in[1]};
  for (uint32_t d = 0; d < rank; d++) {
    sizes[d] = localize_size(cx, 1, d);
    if (sizes[d] == 0) {  // nothing is written
      cx->out[0] = cx->in[0];
      return NULL;
    }
  }
  bool any = find_cuts(cx, sizes, 2, cuts, operands + 2);
  if (!any) return localize_copy(cx, operands, 0);
  for (uint32_t d = 0; d < rank; d++) sizes[d] = cuts[d].is_cut ? cuts[d].window : update->dims[d];
  ValueId there = build_dynamic_slice_at(b, cx->in[0], operands + 2, sizes);
  operands[1] = written(cx, rank, cuts, there);
  return localize_copy(cx, operands, 0);
}
