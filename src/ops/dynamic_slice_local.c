// dynamic_slice and dynamic_update_slice along a sharded dimension.
//
// Problem: the block's start is known at run time only, so it may lie in any tile or across two.
//
// Idea: the block's start, clamped globally, is index `at` of the device's tile: before, in or
// behind it. The device reads or writes only a window of its tile, as large as the block (at most
// the tile), clamped into the tile. The block starts `shift` elements after the window's start.
//
//   tile            |---------|
//   block         |-----|                   at = -2, shift = -2: two elements are before the tile
//   window          |-----|
//
// Reading: the window, shifted by -shift and filled with the identity, is a partial sum; the result
// is unreduced. Writing: the device reads the window, overwrites the elements of the block in it,
// and writes it back, without communication. Both touch O(block) elements of the tile.
//
// The window's start is clamped explicitly although the op clamps too: if its operand is a slice,
// XLA merges both, adds the starts, and clamps only the sum.
#include "ops/index_local.h"
#include "tensor/strided.h"

// The block in one dimension. moves: the dimension is sharded and larger than the block.
typedef struct BlockDim {
  bool moves;
  int64_t tile, block, window;  // sizes
  ValueId at, start, shift;     // tensor<i64>; start: the window's, in the tile
} BlockDim;

static BlockDim block_dim(Localizer *cx, uint32_t d, int64_t block, ValueId start) {
  Builder *b = cx->builder;
  int64_t size = localize_size(cx, 0, d), tile = localize_tile(cx, 0, d);
  BlockDim dim = {.tile = tile, .block = block, .window = block < tile ? block : tile};
  dim.moves = block != size && localize_axes(cx, 0, d).n > 0;
  if (!dim.moves) return dim;
  ValueId inside = index_clamp(b, index_i64(b, start), size - block);
  dim.shift = dim.at = build_binary(b, OP_subtract, inside, localize_offset(cx, 0, d));
  dim.start = index_clamp(b, dim.at, tile - dim.window);
  if (block > 1 && tile > dim.window) dim.shift = build_binary(b, OP_subtract, dim.at, dim.start);
  return dim;
}

// Elements [from, from + size) of v along d; `fill` outside of v. from: tensor<i64>.
static ValueId shifted(Builder *b, ValueId v, uint32_t d, ValueId from, int64_t size,
                       ValueId fill) {
  ValueId wide = build_pad(b, v, d, size, size, fill);
  return build_dynamic_slice(b, wide, d, build_binary(b, OP_add, from, build_index(b, size)), size);
}

// All dimensions of the block, and the starts of the windows, converted to one type. False: no
// dimension moves.
static bool find_block(Localizer *cx, const int64_t *sizes, uint32_t first, BlockDim *dims,
                       ValueId *starts) {
  uint32_t rank = localize_type(cx, 0)->rank;
  bool any = false;
  for (uint32_t d = 0; d < rank; d++) {
    dims[d] = block_dim(cx, d, sizes[d], cx->in[first + d]);
    any |= dims[d].moves;
  }
  for (uint32_t d = 0; d < rank; d++)
    starts[d] = dims[d].moves ? dims[d].start
                : any         ? index_i64(cx->builder, cx->in[first + d])
                              : cx->in[first + d];
  return any;
}

// ---- dynamic_slice ----

void dynamic_slice_splits(Localizer *cx) {
  Combine reducer = index_reducer(cx, 0);
  Ints sizes = localize_ints(cx, "slice_sizes");
  for (uint32_t d = 0; d < sizes.n; d++) {
    uint32_t f = localize_factor(cx, 0, d);
    if (sizes.v[d] == localize_size(cx, 0, d)) continue;
    if (!reducer || !index_has_room(cx, d)) localize_unsplit(cx, f);
    cx->splits[f].reducer = sizes.v[d] ? reducer : COMBINE_NONE;
    *localize_has(cx, localize_n_operands(cx), f) = false;
  }
}

Status *dynamic_slice_localize(Localizer *cx) {
  Builder *b = cx->builder;
  const TypeInfo *out = type_info(cx->context, cx->out_types[0]);
  uint32_t rank = out->rank;
  int64_t sizes[MAX_RANK];
  BlockDim dims[MAX_RANK];
  ValueId operands[MAX_RANK + 1] = {cx->in[0]};
  Ints global = localize_ints(cx, "slice_sizes");
  bool any = find_block(cx, global.v, 1, dims, operands + 1);
  for (uint32_t d = 0; d < rank; d++) sizes[d] = dims[d].moves ? dims[d].window : out->dims[d];
  Attr attrs = localize_with(cx, 0, "slice_sizes", attr_i64s(cx->context, rank, sizes));
  if (!any) return localize_copy(cx, operands, attrs);
  Type type = type_tensor(cx->context, out->elem, rank, sizes, 0);
  TRY(localize_copy_as(cx, operands, attrs, &type, cx->out));
  ValueId here = 0;
  Combine reducer = index_reducer(cx, 0);
  for (uint32_t d = 0; d < rank; d++) {
    if (!dims[d].moves || !dims[d].block) continue;
    if (dims[d].block == 1) {
      here = index_and(b, here, index_inside(b, dims[d].at, dims[d].tile));
      continue;
    }
    Type scalar = type_tensor(cx->context, out->elem, 0, NULL, 0);
    cx->out[0] =
        shifted(b, cx->out[0], d, dims[d].shift, dims[d].block, build_identity(b, scalar, reducer));
  }
  if (here)
    cx->out[0] =
        build_select(b, here, cx->out[0], build_identity(b, value_type(b->p, cx->out[0]), reducer));
  return NULL;
}

// ---- dynamic_update_slice ----

void dynamic_update_slice_splits(Localizer *cx) {
  for (uint32_t d = 0; d < localize_type(cx, 0)->rank; d++)
    if (localize_size(cx, 0, d) != localize_size(cx, 1, d)) {
      localize_unsplit(cx, localize_factor(cx, 1, d));
      if (!index_has_room(cx, d)) localize_unsplit(cx, localize_factor(cx, 0, d));
    }
}

// The new window: elements of the block where it lies, the old elements `there` elsewhere.
static ValueId updated_window(Localizer *cx, uint32_t rank, const BlockDim *dims, ValueId there) {
  Builder *b = cx->builder;
  ValueId block = cx->in[1], all = 0;
  for (uint32_t d = 0; d < rank; d++) {
    if (!dims[d].moves) continue;
    if (dims[d].block == 1) {
      all = index_and(b, all, index_inside(b, dims[d].at, dims[d].tile));
      continue;
    }
    ValueId back = build_binary(b, OP_subtract, build_index(b, 0), dims[d].shift);
    block = shifted(b, block, d, back, dims[d].window, 0);
  }
  for (uint32_t d = 0; d < rank; d++) {
    if (!dims[d].moves || dims[d].block == 1) continue;
    ValueId number = build_iota(b, value_type(b->p, block), d);
    ValueId index = index_minus(b, number, dims[d].shift);
    block = build_select(b, index_inside(b, index, dims[d].block), block, there);
  }
  return all ? build_select(b, all, block, there) : block;
}

Status *dynamic_update_slice_localize(Localizer *cx) {
  Builder *b = cx->builder;
  const TypeInfo *update = type_info(cx->context, value_type(b->p, cx->in[1]));
  uint32_t rank = update->rank;
  int64_t sizes[MAX_RANK];
  BlockDim dims[MAX_RANK];
  ValueId operands[MAX_RANK + 2] = {cx->in[0], cx->in[1]};
  for (uint32_t d = 0; d < rank; d++) {
    sizes[d] = localize_size(cx, 1, d);
    if (sizes[d] == 0) {  // an empty update
      cx->out[0] = cx->in[0];
      return NULL;
    }
  }
  bool any = find_block(cx, sizes, 2, dims, operands + 2);
  if (!any) return localize_copy(cx, operands, 0);
  for (uint32_t d = 0; d < rank; d++) sizes[d] = dims[d].moves ? dims[d].window : update->dims[d];
  ValueId there = build_dynamic_slice_at(b, cx->in[0], operands + 2, sizes);
  operands[1] = updated_window(cx, rank, dims, there);
  return localize_copy(cx, operands, 0);
}
