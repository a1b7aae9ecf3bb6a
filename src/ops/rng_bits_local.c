// rng_bit_generator on shards.
//
// Problem: each device must generate exactly its elements of the global result, without
// communication.
//
// Idea: the generators are counter based. A block of lanes (Philox: 4 elements of up to 32 bits or
// 2 of 64; Threefry: 2 or 1), adjacent along one dimension, depends on the key and on the block's
// number in global row-major order. A tile's blocks have the numbers first + sum of index · stride.
// The device computes every block that its tile intersects and slices off its neighbours' elements.
//
//   Philox, [6, 10], 2 rows per tile:   a run of 20 elements = 5 blocks of 4, numbers 5c … 5c + 4
//   Threefry, [10], tiles of 5:         blocks 0, 1, 2 and 2, 3, 4; the second drops one element
//
// Every device computes the next state. If only the state is used (a copy of a generator of
// constants), no bits are generated. O(elements of the tile).
#include "ops/rng_bits_local.h"

#include "tensor/strided.h"

// The blocks of a tile.
typedef struct Grid {
  uint32_t rank;
  int64_t dims[MAX_RANK], strides[MAX_RANK];  // strides are in block numbers
  ValueId first;                              // the first block's number, tensor<i64>
  uint32_t along;                             // the dimension along which a block's elements lie
  int64_t lanes;                              // elements per block
  ValueId skip;    // elements of the first block before the tile, tensor<i64>; 0: none
  int64_t length;  // elements of the tile along that dimension
} Grid;

typedef struct Bits {
  const TypeInfo *global;
  DType dtype;
  bool threefry, wide;
} Bits;

static Bits bits_of(const Localizer *cx) {
  Context *c = cx->context;
  const TypeInfo *global = localize_type(cx, 2);
  DType dtype = type_dtype(c, global->elem);
  Str algorithm = name_str(c, attr_as_name(c, localize_attr(cx, "rng_algorithm")));
  return (Bits){global, dtype, str_is(algorithm, "THREE_FRY"), dtype_width(dtype) == 64};
}

static int64_t lanes_of(const Bits *b) {
  return b->threefry ? (b->wide ? 1 : 2) : (b->wide ? 2 : 4);
}

static int64_t inner_of(const Bits *b, uint32_t d) {
  int64_t inner = 1;
  for (uint32_t i = d + 1; i < b->global->rank; i++) inner = shape_times(inner, b->global->dims[i]);
  return inner;
}

// The unsigned integer type of this width; DT_none if there is none.
static DType unsigned_of(int width) {
  static const DType types[] = {DT_ui2, DT_ui4, DT_ui8, DT_ui16, DT_ui32, DT_ui64};
  for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
    if (dtype_width(types[i]) == width) return types[i];
  return DT_none;
}

// ---- splits ----

// Philox blocks continue across rows, so all rows of a tile must start at the same lane of a block.
static bool rows_fit(const Bits *b, uint32_t last) {
  bool many = false;
  for (uint32_t d = 0; d < last; d++) many |= b->global->dims[d] > 1;
  return b->threefry || !many || b->global->dims[last] * inner_of(b, last) % lanes_of(b) == 0;
}

void rng_bits_splits(Localizer *cx) {
  Bits b = bits_of(cx);
  localize_unsplit(cx, localize_factor(cx, 0, 0));
  for (uint32_t d = b.global->rank; d-- > 0;) {
    uint32_t f = localize_factor(cx, 2, d);
    if (!localize_is_split(cx, f)) continue;
    // An unsplit dimension is generated replicated and sliced, without communication.
    if (unsigned_of(dtype_width(b.dtype)) != DT_none && rows_fit(&b, d)) return;
    localize_unsplit(cx, f);
  }
}

// ---- arithmetic ----

static Type tensor_of(Builder *b, DType dtype, uint32_t rank, const int64_t *dims) {
  return type_tensor(b->p->context, type_scalar(dtype), rank, dims, 0);
}

static ValueId number(Builder *b, ValueId like, uint64_t value) {
  return build_splat(b, value_type(b->p, like), scalar_u(value));
}

// A binary op of a tensor and a broadcast scalar.
static ValueId with(Builder *b, uint16_t code, ValueId v, ValueId scalar) {
  return build_binary(b, code, v, build_broadcast(b, scalar, value_type(b->p, v)));
}

static ValueId with_number(Builder *b, uint16_t code, ValueId v, uint64_t value) {
  return build_binary(b, code, v, number(b, v, value));
}

static ValueId low_half(Builder *b, ValueId v) { return with_number(b, OP_and, v, UINT32_MAX); }
static ValueId high_half(Builder *b, ValueId v) {
  return with_number(b, OP_shift_right_logical, v, 32);
}

static ValueId as_dtype(Builder *b, uint16_t code, ValueId v, DType dtype) {
  const TypeInfo *type = type_info(b->p->context, value_type(b->p, v));
  if (type->elem == type_scalar(dtype)) return v;
  return build_op(b, code, 1, &v, tensor_of(b, dtype, type->rank, type->dims), 0);
}

static ValueId narrowed(Builder *b, ValueId v) { return as_dtype(b, OP_convert, v, DT_ui32); }

// 1 where the sum of a and another number wrapped.
static ValueId carry(Builder *b, ValueId sum, ValueId a) {
  return as_dtype(b, OP_convert, build_compare(b, "LT", sum, a), DT_ui64);
}

static ValueId word_of(Builder *b, ValueId state, int64_t i) {
  ValueId word = build_slice(b, state, 0, i, i + 1, 1);
  word = build_reshape(b, word, 0, NULL);
  return as_dtype(b, OP_bitcast_convert, word, DT_ui64);
}

// ---- block functions ----

// Philox 4x32 as ops (tensor/rng_bits.c). Counter: low and high half of 128 bits; out: 4 words of
// 32 bits; all in ui64.
static void put_philox(Builder *to, ValueId low, ValueId high, ValueId key, ValueId out[4]) {
  ValueId c0 = low_half(to, low), c1 = high_half(to, low), c2 = low_half(to, high),
          c3 = high_half(to, high), k0 = low_half(to, key), k1 = high_half(to, key);
  for (int round = 0; round < 10; round++) {
    if (round) {
      k0 = low_half(to, with_number(to, OP_add, k0, 0x9E3779B9u));
      k1 = low_half(to, with_number(to, OP_add, k1, 0xBB67AE85u));
    }
    ValueId a = with_number(to, OP_multiply, c0, 0xD2511F53u);
    ValueId b = with_number(to, OP_multiply, c2, 0xCD9E8D57u);
    c0 = with(to, OP_xor, build_binary(to, OP_xor, high_half(to, b), c1), k0);
    c2 = with(to, OP_xor, build_binary(to, OP_xor, high_half(to, a), c3), k1);
    c1 = low_half(to, b);
    c3 = low_half(to, a);
  }
  out[0] = c0;
  out[1] = c1;
  out[2] = c2;
  out[3] = c3;
}

static ValueId rotated(Builder *b, ValueId v, uint32_t by) {
  return build_binary(b, OP_or, with_number(b, OP_shift_left, v, by),
                      with_number(b, OP_shift_right_logical, v, 32 - by));
}

// Threefry 2x32 as ops (tensor/rng_bits.c). counter, key: ui64; out: 2 words in ui32.
static void put_threefry(Builder *b, ValueId counter, ValueId key, ValueId out[2]) {
  static const uint8_t rotations[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
  ValueId keys[3] = {narrowed(b, low_half(b, key)), narrowed(b, high_half(b, key))};
  keys[2] = with_number(b, OP_xor, build_binary(b, OP_xor, keys[0], keys[1]), 0x1BD11BDAu);
  ValueId x = with(b, OP_add, narrowed(b, low_half(b, counter)), keys[0]);
  ValueId y = with(b, OP_add, narrowed(b, high_half(b, counter)), keys[1]);
  for (uint32_t group = 0; group < 5; group++) {
    for (int i = 0; i < 4; i++) {
      x = build_binary(b, OP_add, x, y);
      y = build_binary(b, OP_xor, rotated(b, y, rotations[group % 2][i]), x);
    }
    x = with(b, OP_add, x, keys[(group + 1) % 3]);
    y = with(b, OP_add, y, with_number(b, OP_add, keys[(group + 2) % 3], group + 1));
  }
  out[0] = x;
  out[1] = y;
}

// ---- blocks of a tile ----

static ValueId times(Builder *b, ValueId v, int64_t by) {
  return by == 1 ? v : build_binary(b, OP_multiply, v, build_index(b, by));
}

// Adds the tile's offset in dimension d to the first block's number.
static void grid_add_offset(Localizer *cx, Grid *g, uint32_t d, int64_t stride) {
  if (!localize_axes(cx, 2, d).n) return;
  ValueId at = times(cx->builder, localize_offset(cx, 2, d), stride);
  g->first = g->first ? build_binary(cx->builder, OP_add, g->first, at) : at;
}

// The same along the dimension of the blocks: element / lanes blocks, and element mod lanes
// elements to skip. step: elements between two tiles' starts.
static void grid_add_blocks(Localizer *cx, Grid *g, ValueId element, int64_t step, int64_t stride) {
  Builder *b = cx->builder;
  ValueId lanes = build_index(b, g->lanes);
  ValueId at = times(b, build_binary(b, OP_divide, element, lanes), stride);
  g->first = g->first ? build_binary(b, OP_add, g->first, at) : at;
  if (step % g->lanes) g->skip = build_binary(b, OP_remainder, element, lanes);
}

// Blocks that cover `elements` elements; not even: from any lane on.
static int64_t blocks_for(int64_t elements, int64_t lanes, bool even) {
  return (elements + (even ? 0 : lanes - 1) + lanes - 1) / lanes;
}

// Philox: a row is a tile's extent in the last sharded dimension times all dimensions behind it.
static void grid_philox(Localizer *cx, const Bits *b, Grid *g) {
  uint32_t last = b->global->rank - 1;
  while (!localize_axes(cx, 2, last).n) last--;
  int64_t inner = inner_of(b, last), row = localize_tile(cx, 2, last) * inner;
  *g = (Grid){.rank = last + 1, .along = last, .lanes = lanes_of(b), .length = row};
  for (uint32_t d = 0; d < last; d++) {
    g->dims[d] = localize_tile(cx, 2, d);
    g->strides[d] = b->global->dims[d] > 1 ? inner_of(b, d) / g->lanes : 0;
    grid_add_offset(cx, g, d, g->strides[d]);
  }
  g->dims[last] = blocks_for(row, g->lanes, row % g->lanes == 0);
  g->strides[last] = 1;
  grid_add_blocks(cx, g, times(cx->builder, localize_offset(cx, 2, last), inner), row, 1);
}

// Threefry: the dimension along which two neighbours share a block: the first even one, else the
// largest.
static uint32_t shared_dim(const Bits *b) {
  uint32_t split = 0;
  for (uint32_t d = 0; d < b->global->rank; d++) {
    if (b->global->dims[d] % 2 == 0) return d;
    if (b->global->dims[d] > b->global->dims[split]) split = d;
  }
  return split;
}

static void grid_threefry(Localizer *cx, const Bits *b, Grid *g) {
  uint32_t shared = shared_dim(b), rank = b->global->rank;
  int64_t lanes = lanes_of(b), tile = localize_tile(cx, 2, shared), stride = 1;
  *g = (Grid){.rank = rank, .along = shared, .lanes = lanes, .length = tile};
  for (uint32_t d = rank; d-- > 0;) {
    bool in_blocks = d == shared && lanes > 1;
    g->dims[d] = in_blocks ? (tile + 1) / 2 : localize_tile(cx, 2, d);
    g->strides[d] = stride;
    if (!in_blocks)
      grid_add_offset(cx, g, d, stride);
    else if (localize_axes(cx, 2, d).n)
      grid_add_blocks(cx, g, localize_offset(cx, 2, d), tile, stride);
    stride *= in_blocks ? (b->global->dims[d] + 1) / 2 : b->global->dims[d];
  }
}

// The numbers of all blocks: ui64.
static ValueId grid_numbers(Builder *b, const Grid *g) {
  Context *c = b->p->context;
  Type type = tensor_of(b, DT_ui64, g->rank, g->dims);
  ValueId sum = build_broadcast(b, as_dtype(b, OP_convert, g->first, DT_ui64), type);
  for (uint32_t d = 0; d < g->rank; d++) {
    if (g->dims[d] <= 1) continue;
    NamedAttr along = {name_of(c, "iota_dimension"), attr_i64(c, d)};
    ValueId at = build_op(b, OP_iota, 0, NULL, type, attr_dict(c, 1, &along));
    if (g->strides[d] != 1) at = with_number(b, OP_multiply, at, (uint64_t)g->strides[d]);
    sum = build_binary(b, OP_add, sum, at);
  }
  return sum;
}

// Interleaves the words of each block along g->along and slices the tile's elements.
static ValueId grid_elements(Builder *b, const Grid *g, const ValueId *words) {
  ValueId v = words[0], parts[4];
  DType dtype = type_dtype(b->p->context, value_type(b->p, v));
  if (g->lanes > 1) {
    int64_t dims[MAX_RANK + 1];
    for (uint32_t d = 0; d <= g->rank; d++)
      dims[d] = d <= g->along ? g->dims[d] : d == g->along + 1 ? 1 : g->dims[d - 1];
    for (int64_t i = 0; i < g->lanes; i++)
      parts[i] = build_op(b, OP_reshape, 1, &words[i], tensor_of(b, dtype, g->rank + 1, dims), 0);
    v = build_concatenate(b, (uint32_t)g->lanes, parts, g->along + 1);
    Type type = type_with_dim(b->p->context, value_type(b->p, words[0]), g->along,
                              g->dims[g->along] * g->lanes);
    v = build_op(b, OP_reshape, 1, &v, type, 0);
  }
  return g->skip ? build_dynamic_slice(b, v, g->along, g->skip, g->length)
                 : build_trim_to(b, v, g->along, g->length);
}

// Words of 32 or 64 bits as elements of another type: a bitcast of their low bits.
static ValueId as_elements(Builder *b, ValueId v, Type to) {
  DType dtype = type_dtype(b->p->context, to);
  int width = dtype_width(dtype);
  if (width < 32) v = with_number(b, OP_and, v, (UINT64_C(1) << width) - 1);
  v = as_dtype(b, OP_bitcast_convert, as_dtype(b, OP_convert, v, unsigned_of(width)), dtype);
  return value_type(b->p, v) == to ? v : build_op(b, OP_reshape, 1, &v, to, 0);
}

// ---- the next state ----

static int64_t count_blocks(const Bits *b) {
  int64_t count = 1, lanes = lanes_of(b);
  uint32_t shared = shared_dim(b);
  for (uint32_t d = 0; d < b->global->rank; d++)
    count *=
        b->threefry && lanes > 1 && d == shared ? (b->global->dims[d] + 1) / 2 : b->global->dims[d];
  return b->threefry ? count : (count + lanes - 1) / lanes;
}

static ValueId next_state(Localizer *cx, const Bits *b, ValueId state, ValueId low, ValueId high) {
  Builder *to = cx->builder;
  uint32_t n = (uint32_t)build_dim(to, state, 0);
  DType dtype = type_dtype(cx->context, value_type(to->p, state));
  Type one = tensor_of(to, dtype, 1, &(int64_t){1});
  ValueId next = with_number(to, OP_add, low, (uint64_t)count_blocks(b));
  ValueId words[3] = {0, next, n > 2 ? build_binary(to, OP_add, high, carry(to, next, low)) : 0};
  for (uint32_t i = 1; i < n; i++) {
    words[i] = as_dtype(to, OP_bitcast_convert, words[i], dtype);
    words[i] = build_op(to, OP_reshape, 1, &words[i], one, 0);
  }
  words[0] = build_slice(to, state, 0, 0, 1, 1);
  return build_concatenate(to, n, words, 0);
}

Status *rng_bits_localize(Localizer *cx) {
  Builder *to = cx->builder;
  Bits b = bits_of(cx);
  bool any = false;
  for (uint32_t d = 0; d < b.global->rank; d++) any |= localize_axes(cx, 2, d).n > 0;
  bool only_state = !value_has_uses(to->p, op_result(cx->program, cx->op, 1));
  if (!any && !only_state) return localize_default(cx);
  ValueId state = cx->in[0], key = word_of(to, state, 0), low = word_of(to, state, 1);
  ValueId high = b.threefry ? 0 : build_dim(to, state, 0) > 2 ? word_of(to, state, 2) : key;
  cx->out[0] = next_state(cx, &b, state, low, high);
  if (only_state) {
    cx->out[1] = build_padding(to, cx->out_types[1]);
    return NULL;
  }
  Grid g;
  ValueId words[4];
  if (b.threefry)
    grid_threefry(cx, &b, &g);
  else
    grid_philox(cx, &b, &g);
  ValueId at = grid_numbers(to, &g), from = build_broadcast(to, low, value_type(to->p, at));
  at = build_binary(to, OP_add, at, from);
  if (b.threefry)
    put_threefry(to, at, key, words);
  else
    put_philox(to, at, with(to, OP_add, carry(to, at, from), high), key, words);
  if (b.wide)
    for (int64_t i = 0; i < g.lanes; i++) {
      ValueId upper = as_dtype(to, OP_convert, words[2 * i + 1], DT_ui64);
      words[i] = build_binary(to, OP_or, as_dtype(to, OP_convert, words[2 * i], DT_ui64),
                              with_number(to, OP_shift_left, upper, 32));
    }
  cx->out[1] = as_elements(to, grid_elements(to, &g, words), cx->out_types[1]);
  return NULL;
}
