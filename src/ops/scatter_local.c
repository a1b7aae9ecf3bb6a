// scatter on shards, in two ways.
//
// Sharded inputs: subtract the tile's offset from the indices. The op drops updates outside of the
// tile, as it drops those outside of the global input. Updates are replicated along the dimension;
// there is no communication.
//
// Windows of several elements may lie partly outside of the global input. StableHLO's specification
// then drops elements, XLA drops the entire window (ScatterRule). The local program must be correct
// by either rule, so the local input may end only where the global one ends. Hence the tile is
// extended on both sides by the window size less one, within the global input:
//
//   global  0 1 2 3 4 5 6 7 8 9     windows of 3, tiles of 4
//   tile            4 5 6 7         buffer   2 3 4 5 6 7 8 9
//   tile    0 1 2 3                 buffer   0 1 2 3 4 5 6 7    a window at -1 is outside here too
//
// Sharded updates and indices: each device scatters its own updates, and results are unreduced. The
// inputs contribute on one device only. This requires a plain reducer as body. Indices in a shard's
// padding are moved so far outside that no window reaches the input.
#include "ops/index_local.h"
#include "tensor/strided.h"

static Ints field(const Localizer *cx, const char *name) {
  Attr attr = attr_get(cx->context, localize_attr(cx, "scatter_dimension_numbers"), name);
  return attr ? attr_as_ints(cx->context, attr) : (Ints){.ok = true};
}

static uint32_t vector_dim(const Localizer *cx) {
  Attr numbers = localize_attr(cx, "scatter_dimension_numbers");
  return (uint32_t)attr_as_int(cx->context, attr_get(cx->context, numbers, "index_vector_dim"), 0);
}

// Operands are n inputs, the indices (number n), n updates.
static uint32_t n_inputs(const Localizer *cx) { return cx->map->n_results; }

static void give_up_dim(Localizer *cx, uint32_t tensor, uint32_t d) {
  localize_unsplit(cx, localize_factor(cx, tensor, d));
}

// Dimension d of the inputs is dimension `to` of the updates' windows. A window that an index moves
// must be replicated. A window that stays at 0 is split with the inputs if it has their size.
static void split_window(Localizer *cx, uint32_t d, uint32_t to) {
  uint32_t n = n_inputs(cx), f = localize_factor(cx, 0, d), own = localize_factor(cx, n + 1, to);
  bool moves = ints_contain(field(cx, "scatter_dims_to_operand_dims"), d);
  bool same = localize_size(cx, 0, d) == localize_size(cx, n + 1, to);
  if (!moves && same) return;
  if (!moves) localize_unsplit(cx, f);
  if (own != f) localize_unsplit(cx, own);
  for (uint32_t i = 0; i < n; i++) *localize_has(cx, n + 1 + i, f) = false;
}

// Has every result's element type the reducer's identity?
static bool has_identity(const Localizer *cx, Combine reducer) {
  bool has = reducer != COMBINE_NONE;
  for (uint32_t i = 0; reducer == COMBINE_SUM && i < n_inputs(cx); i++)
    has &= index_reducer(cx, i) != 0;
  return has;
}

void scatter_splits(Localizer *cx) {
  Ints windows = field(cx, "update_window_dims"), inserted = field(cx, "inserted_window_dims"),
       batching = field(cx, "input_batching_dims"),
       index_batching = field(cx, "scatter_indices_batching_dims"),
       map = field(cx, "scatter_dims_to_operand_dims");
  uint32_t n = n_inputs(cx), vector = vector_dim(cx), window = 0;
  for (uint32_t d = 0; d < localize_type(cx, 0)->rank; d++) {
    if (ints_contain(batching, d)) continue;
    if (!ints_contain(inserted, d))
      split_window(cx, d, (uint32_t)windows.v[window++]);
    else if (!ints_contain(map, d))
      give_up_dim(cx, 0, d);
  }
  for (uint32_t d = 0; d < localize_type(cx, n)->rank; d++) {
    if (ints_contain(index_batching, d)) continue;
    uint32_t f = localize_factor(cx, n, d), dim, place;
    // Indices that count through a dimension of the inputs are split with it, for any body.
    if (factor_map_find(cx->map, 0, f, &dim, &place)) continue;
    bool reduces =
        cx->map->factors[f].kinds == FACTOR_REDUCE && has_identity(cx, cx->splits[f].reducer);
    if (d == vector || !reduces || !map.n) localize_unsplit(cx, f);
  }
}

// Elements of an update's window along dimension d of the inputs.
static int64_t window_size(const Localizer *cx, uint32_t d) {
  Ints windows = field(cx, "update_window_dims"), inserted = field(cx, "inserted_window_dims"),
       batching = field(cx, "input_batching_dims");
  if (ints_contain(inserted, d) || ints_contain(batching, d)) return 1;
  uint32_t before = 0;
  for (uint32_t i = 0; i < d; i++)
    before += !ints_contain(inserted, i) && !ints_contain(batching, i);
  return localize_tile(cx, n_inputs(cx) + 1, (uint32_t)windows.v[before]);
}

// May a window lie across the boundary of a tile along dimension d?
static bool crosses(const Localizer *cx, uint32_t d) {
  return localize_axes(cx, 0, d).n && window_size(cx, d) > 1 &&
         ints_contain(field(cx, "scatter_dims_to_operand_dims"), d);
}

// Elements of the buffer along dimension d.
static int64_t buffer_size(const Localizer *cx, uint32_t d) {
  int64_t tile = localize_tile(cx, 0, d), size = localize_size(cx, 0, d);
  if (!crosses(cx, d)) return tile;
  int64_t length = tile + 2 * (window_size(cx, d) - 1);
  return length < size ? length : size;
}

// The buffer's global start: tensor<i64>.
static ValueId buffer_begin(Localizer *cx, uint32_t d) {
  Builder *b = cx->builder;
  ValueId offset = localize_offset(cx, 0, d);
  if (!crosses(cx, d)) return offset;
  int64_t size = localize_size(cx, 0, d), length = buffer_size(cx, d);
  if (length == size) return build_index(b, 0);
  offset = build_binary(b, OP_subtract, offset, build_index(b, window_size(cx, d) - 1));
  return index_clamp(b, offset, size - length);
}

// Global indices as indices into the buffer.
static ValueId shifted(Localizer *cx, ValueId indices) {
  Builder *b = cx->builder;
  Ints map = field(cx, "scatter_dims_to_operand_dims");
  uint32_t vector = vector_dim(cx);
  bool alone = vector == localize_type(cx, n_inputs(cx))->rank;
  ValueId columns[MAX_RANK];
  for (uint32_t i = 0; i < map.n; i++) {
    uint32_t d = (uint32_t)map.v[i];
    columns[i] = alone ? indices : build_slice(b, indices, vector, i, i + 1, 1);
    if (localize_axes(cx, 0, d).n) columns[i] = index_minus(b, columns[i], buffer_begin(cx, d));
  }
  return alone ? columns[0] : build_concatenate(b, map.n, columns, vector);
}

// Is dimension d of the indices one that enumerates updates?
static bool is_scatter_dim(const Localizer *cx, uint32_t d) {
  return d != vector_dim(cx) && !ints_contain(field(cx, "scatter_indices_batching_dims"), d);
}

// Moves the indices in the shard's padding outside of the inputs, where the op drops them.
static ValueId dropped(Localizer *cx, ValueId indices) {
  uint32_t n = n_inputs(cx);
  const TypeInfo *input = localize_type(cx, 0);
  int64_t most = 1;
  for (uint32_t d = 0; d < input->rank; d++) most = input->dims[d] > most ? input->dims[d] : most;
  for (uint32_t d = 0; d < localize_type(cx, n)->rank; d++)
    if (is_scatter_dim(cx, d) && localize_axes(cx, n, d).n)
      indices = build_mask_padding(cx->builder, indices, d, localize_axes(cx, n, d),
                                   localize_size(cx, n, d), build_index(cx->builder, -most));
  return indices;
}

// The tile's start in its buffer along dimension d: tensor<i64>.
static ValueId tile_begin(Localizer *cx, uint32_t d) {
  return build_binary(cx->builder, OP_subtract, localize_offset(cx, 0, d), buffer_begin(cx, d));
}

// Elements of padding that a tile may have beyond the end of its buffer (the global end).
static int64_t beyond(const Localizer *cx, uint32_t d) {
  return localize_is_uneven(cx, 0, d) ? localize_tile(cx, 0, d) : 0;
}

// The tile in its buffer along dimension d; the other elements have any value.
static ValueId put_buffer(Localizer *cx, ValueId tile, uint32_t d) {
  Builder *b = cx->builder;
  if (!crosses(cx, d)) return tile;
  int64_t size = buffer_size(cx, d);
  ValueId room = build_padding(
      b, type_with_dim(b->p->context, value_type(b->p, tile), d, size + beyond(cx, d)));
  return build_trim_to(b, build_dynamic_update(b, room, tile, d, tile_begin(cx, d)), d, size);
}

static ValueId take_tile(Localizer *cx, ValueId buffer, uint32_t d) {
  Builder *b = cx->builder;
  if (!crosses(cx, d)) return buffer;
  buffer = build_pad_to(b, buffer, d, buffer_size(cx, d) + beyond(cx, d));
  return build_dynamic_slice(b, buffer, d, tile_begin(cx, d), localize_tile(cx, 0, d));
}

// The op on buffers.
static Status *copy_in_buffers(Localizer *cx, ValueId *operands, Attr attrs) {
  Builder *b = cx->builder;
  uint32_t n = n_inputs(cx), rank = localize_type(cx, 0)->rank;
  Type *types = ARENA_ARRAY(b->arena, Type, n);
  for (uint32_t i = 0; i < n; i++) {
    types[i] = cx->out_types[i];
    for (uint32_t d = 0; d < rank; d++) {
      operands[i] = put_buffer(cx, operands[i], d);
      types[i] = type_with_dim(b->p->context, types[i], d, buffer_size(cx, d));
    }
  }
  TRY(localize_copy_as(cx, operands, attrs, types, cx->out));
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t d = 0; d < rank; d++) cx->out[i] = take_tile(cx, cx->out[i], d);
  return NULL;
}

Status *scatter_localize(Localizer *cx) {
  Builder *b = cx->builder;
  uint32_t n = n_inputs(cx);
  ValueId *operands = ARENA_ARRAY(b->arena, ValueId, 2 * (size_t)n + 1);
  for (uint32_t i = 0; i < 2 * n + 1; i++)
    operands[i] = i < n ? localize_enter_once(cx, cx->in[i]) : cx->in[i];
  bool shifts = false, drops = false;
  Ints map = field(cx, "scatter_dims_to_operand_dims");
  for (uint32_t i = 0; i < map.n; i++) shifts |= localize_axes(cx, 0, (uint32_t)map.v[i]).n > 0;
  for (uint32_t d = 0; d < localize_type(cx, n)->rank; d++)
    drops |= is_scatter_dim(cx, d) && localize_is_uneven(cx, n, d);
  Attr attrs = 0;
  if (shifts || drops) operands[n] = index_i64(b, operands[n]);
  if (shifts) operands[n] = shifted(cx, operands[n]);
  if (drops) {
    operands[n] = dropped(cx, operands[n]);
    attrs = localize_with(cx, localize_with(cx, 0, "indices_are_sorted", 0), "unique_indices", 0);
  }
  return copy_in_buffers(cx, operands, attrs);
}
