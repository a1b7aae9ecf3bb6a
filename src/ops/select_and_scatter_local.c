// select_and_scatter along a sharded dimension.
//
// Idea: a device computes every window that reads an element of its tile. It reads the operand
// under these windows and their elements of the source, by halos, and keeps its tile of the result.
// Windows across a boundary are computed on both sides. So no results are sent, and every element
// gets its contributions in the global order.
//
//   windows of 3, stride 2   |0 1 2 3|4 5 6 7|    device 1 computes [2 3 4], [4 5 6], [6 7 .]
//
// If no window overlaps padding and tiles are multiples of the stride, the local op is the op
// itself; windows outside of the global op scatter the identity. Otherwise a window could contain
// padding, which the op never selects but a local window would. Then the selection is explicit: a
// reduce_window over (element, its linear index in the tile), with index -1 for padding and an
// index behind the tile for elements of other tiles, and a scatter to the selected indices.
//
// The op compares the selected element with one element after the other, a reduce_window in any
// tree. Both select the same if `select` is an ordering (LT, LE, GT or GE of its two arguments) and
// no element is NaN. A NaN loses to its successor and beats its predecessor, so only the elements
// from the last NaN of a window on count: every subtree has a flag for NaN, and a right subtree
// with a NaN wins. Other `select` bodies are not split if the selection would be explicit.
#include "ops/select_and_scatter_local.h"

#include "ops/windows_local.h"

enum { OPERAND, SOURCE, INIT, RESULT };

// The elements that a device reads along one dimension.
typedef struct Reach {
  BuildWindow seen;     // of the operand
  BuildWindow windows;  // of the source
  int64_t tile;         // of the operand and the result
  // Tiles are no multiples of the stride, so devices differ in phase: the first elements of `seen`,
  // as many as the device's phase, belong to none of its windows.
  bool drifts;
  int64_t length;  // elements under its windows
} Reach;

typedef struct Windows {
  uint32_t rank;
  WindowDim dims[MAX_RANK];
  bool split[MAX_RANK];
  Reach reach[MAX_RANK];
  bool is_explicit;  // the selection
  Combine combine;
} Windows;

// Is `select` an ordering: LT, LE, GT or GE of its two arguments? *out_nan: elements may be NaN,
// which no comparison keeps.
static bool select_orders(const Program *p, OpId op, bool *out_nan) {
  BlockId block = region_block(p, op_region(p, op, 0));
  OpId compare = block ? block_at(p, block)->first : 0, end = block ? block_at(p, block)->last : 0;
  if (!compare || op_at(p, compare)->code != OP_compare || op_at(p, compare)->next != end ||
      op_at(p, end)->n_operands != 1 || op_operand(p, end, 0) != op_result(p, compare, 0))
    return false;
  ValueId a = op_operand(p, compare, 0), b = op_operand(p, compare, 1);
  ValueId one = block_arg(p, block, 0), two = block_arg(p, block, 1);
  if (!(a == one && b == two) && !(a == two && b == one)) return false;
  Context *c = p->context;
  Str way = name_str(c, attr_as_name(c, op_attr(p, compare, "comparison_direction")));
  Str kind = name_str(c, attr_as_name(c, op_attr(p, compare, "compare_type")));
  *out_nan = dtype_is_float(type_dtype(c, value_type(p, a))) && !str_is(kind, "TOTALORDER");
  return str_is(way, "LT") || str_is(way, "LE") || str_is(way, "GT") || str_is(way, "GE");
}

static int64_t floor_div(int64_t a, int64_t b) { return a / b - (a % b < 0); }

// False: the numbers may overflow, or it does not pay. The windows that read element i of the
// dimension are ceil((i + pad_low - size + 1) / stride) … floor((i + pad_low) / stride).
static bool reach_of(const Localizer *cx, const WindowDim *w, uint32_t d, Reach *out) {
  int64_t size = localize_size(cx, OPERAND, d), tile = localize_tile(cx, RESULT, d), s = w->stride;
  const int64_t most = (int64_t)1 << 30;
  if (w->pad_low > most || w->pad_low < -most || w->size > most || size > most || s > most ||
      size < 1 || localize_size(cx, SOURCE, d) < 1)
    return false;
  int64_t from = w->pad_low - w->size + 1;  // stride · the first window that reads element 0
  *out = (Reach){.tile = tile, .drifts = tile % s != 0};
  if (out->drifts) {
    int64_t count = (s - 1 + w->size - 1 + tile - 1) / s + 1;
    out->length = (count - 1) * s + w->size;
    out->windows = (BuildWindow){.first = from, .step = tile, .divisor = s, .length = count};
    out->seen = (BuildWindow){
        .first = from - (s - 1) - w->pad_low, .step = tile, .length = out->length + s - 1};
  } else {
    int64_t first = -floor_div(-from, s), last = floor_div(tile - 1 + w->pad_low, s);
    if (last < first) last = first;
    out->length = (last - first) * s + w->size;
    out->windows = (BuildWindow){.first = first, .step = tile / s, .length = last - first + 1};
    out->seen = (BuildWindow){.first = first * s - w->pad_low, .step = tile, .length = out->length};
  }
  return out->seen.length <= 2 * size + 64;
}

// The windows under the current splits.
static void windows_of(const Localizer *cx, Windows *out) {
  out->rank = localize_type(cx, OPERAND)->rank;
  windows_read(cx->context, op_at(cx->program, cx->op)->attrs, out->rank, out->dims);
  out->combine = op_region_combine(cx->program, cx->op, 1);
  out->is_explicit = !combine_is_named(out->combine) ||
                     !dtype_has_zero(type_dtype(cx->context, localize_type(cx, RESULT)->elem));
  for (uint32_t d = 0; d < out->rank; d++) {
    uint32_t f = localize_factor(cx, OPERAND, d);
    bool windowed = localize_is_split(cx, f) && cx->map->factors[f].kinds != FACTOR_PASS;
    out->split[d] = windowed && reach_of(cx, &out->dims[d], d, &out->reach[d]);
    if (!out->split[d]) continue;
    out->is_explicit |=
        out->dims[d].pad_low > 0 || out->dims[d].pad_high > 0 || out->reach[d].drifts;
  }
}

void select_and_scatter_splits(Localizer *cx) {
  Windows w;
  windows_of(cx, &w);
  Type elem = localize_type(cx, OPERAND)->elem;
  bool odd = type_is_quant(cx->context, elem) || elem != localize_type(cx, RESULT)->elem, nan;
  odd |= w.is_explicit && !select_orders(cx->program, cx->op, &nan);
  for (uint32_t d = 0; d < w.rank; d++) {
    uint32_t f = localize_factor(cx, OPERAND, d);
    if (cx->map->factors[f].kinds != FACTOR_PASS && (odd || !w.split[d])) localize_unsplit(cx, f);
  }
  windows_of(cx, &w);
  double operand = localize_bytes(cx, OPERAND), source = localize_bytes(cx, SOURCE);
  for (uint32_t d = 0; d < w.rank; d++) {
    if (!w.split[d]) continue;
    window_count_read(cx, OPERAND, d, w.reach[d].seen, &operand);
    window_count_read(cx, SOURCE, d, w.reach[d].windows, &source);
  }
}

// ---- the local op ----

// step · coordinate + first along dimension d, as tensor<i64>.
static ValueId affine(Localizer *cx, uint32_t d, int64_t first, int64_t step) {
  Builder *b = cx->builder;
  AxisList axes = cx->splits[localize_factor(cx, OPERAND, d)].axes;
  ValueId v = build_binary(b, OP_multiply, build_coordinate(b, axes), build_index(b, step));
  return first ? build_binary(b, OP_add, v, build_index(b, first)) : v;
}

// The device's first window along d plus *out_more (OP_divide), or its phase (OP_remainder).
// *out_more makes the dividend positive, since stablehlo.divide truncates towards 0.
static ValueId first_window(Localizer *cx, const Windows *w, uint32_t d, uint16_t code,
                            int64_t *out_more) {
  const WindowDim *dim = &w->dims[d];
  const Reach *r = &w->reach[d];
  int64_t more = dim->size + (dim->pad_low < 0 ? -dim->pad_low : 0);
  *out_more = more;
  if (!r->drifts) return affine(cx, d, r->windows.first + more, r->windows.step);
  ValueId v = affine(cx, d, r->windows.first + more * dim->stride, r->windows.step);
  return build_binary(cx->builder, code, v, build_index(cx->builder, dim->stride));
}

// The tile's start in the elements under its windows along d: tensor<i64>.
static ValueId tile_begin(Localizer *cx, const Windows *w, uint32_t d) {
  int64_t more;
  if (!w->reach[d].drifts) return build_index(cx->builder, -w->reach[d].seen.first);
  ValueId phase = first_window(cx, w, d, OP_remainder, &more);
  return build_binary(cx->builder, OP_add, phase, build_index(cx->builder, w->dims[d].size - 1));
}

// Replaces operand and source by the device's windows of them.
static void read_windows(Localizer *cx, const Windows *w, ValueId *operands) {
  Builder *b = cx->builder;
  ValueId nothing = 0;
  if (!w->is_explicit) nothing = build_identity(b, value_type(b->p, operands[INIT]), w->combine);
  for (uint32_t d = 0; d < w->rank; d++) {
    if (!w->split[d]) continue;
    const Reach *r = &w->reach[d];
    ValueId v = window_read(cx, operands[OPERAND], OPERAND, d, r->seen, 0);
    if (r->drifts) {
      int64_t more, s = w->dims[d].stride;
      ValueId phase = first_window(cx, w, d, OP_remainder, &more);
      v = build_dynamic_slice(b, v, d, build_binary(b, OP_subtract, build_index(b, s - 1), phase),
                              r->length);
    }
    operands[OPERAND] = v;
    operands[SOURCE] = window_read(cx, operands[SOURCE], SOURCE, d, r->windows, nothing);
  }
}

// The op on these windows, without padding in split dimensions.
static Status *copy_op(Localizer *cx, const Windows *w, const ValueId *operands, ValueId *out) {
  Context *c = cx->context;
  int64_t pads[2 * MAX_RANK];
  Type type = cx->out_types[0];
  for (uint32_t d = 0; d < w->rank; d++) {
    pads[2 * d] = w->split[d] ? 0 : w->dims[d].pad_low;
    pads[2 * d + 1] = w->split[d] ? 0 : w->dims[d].pad_high;
    if (w->split[d]) type = type_with_dim(cx->builder->p->context, type, d, w->reach[d].length);
  }
  Type shape = type_tensor(c, type_scalar(DT_i64), 2, (int64_t[]){w->rank, 2}, 0);
  Attr attrs = localize_with(cx, 0, "padding",
                             attr_dense(c, shape, pads, sizeof(int64_t) * 2 * (size_t)w->rank));
  return localize_copy_as(cx, operands, attrs, &type, out);
}

// ---- the explicit selection ----

// Keeps v at indices [from, from + count) along d; `other` elsewhere. v, from: i64.
static ValueId keep_range(Localizer *cx, ValueId v, uint32_t d, ValueId from, int64_t count,
                          int64_t other) {
  Builder *b = cx->builder;
  ValueId end = build_binary(b, OP_add, from, build_index(b, count));
  return build_mask(b, v, d, from, end, build_index(b, other));
}

// The linear index in the tile of every element that the windows read; `count` for elements of
// other tiles, -1 for padding.
static ValueId put_indices(Localizer *cx, const Windows *w, ValueId piece, int64_t count) {
  Builder *b = cx->builder;
  Type like = value_type(b->p, piece);
  ValueId sum = 0;
  int64_t stride = 1;
  for (uint32_t d = w->rank; d-- > 0;) {
    ValueId at = build_iota(b, like, d);
    Type type = value_type(b->p, at);
    if (w->split[d])
      at = build_binary(b, OP_subtract, at, build_broadcast(b, tile_begin(cx, w, d), type));
    if (stride > 1)
      at = build_binary(b, OP_multiply, at, build_broadcast(b, build_index(b, stride), type));
    sum = sum ? build_binary(b, OP_add, sum, at) : at;
    stride *= type_info(cx->context, cx->out_types[0])->dims[d];
  }
  for (uint32_t d = 0; d < w->rank; d++) {
    if (!w->split[d]) continue;
    ValueId begin = tile_begin(cx, w, d);
    sum = keep_range(cx, sum, d, begin, w->reach[d].tile, count);
  }
  for (uint32_t d = 0; d < w->rank; d++) {
    if (!w->split[d]) continue;
    ValueId begin =
        build_binary(b, OP_subtract, tile_begin(cx, w, d), affine(cx, d, 0, w->reach[d].tile));
    sum = keep_range(cx, sum, d, begin, localize_size(cx, OPERAND, d), -1);
  }
  return sum;
}

// The body on (element, index): keeps the one that `select` keeps; an element with index -1 is not
// kept. With a third value, the NaN flag: elements before a NaN are not kept.
static void put_selection_body(Localizer *cx, OpId copy, OpId op, uint32_t n) {
  Builder *to = cx->builder;
  Program *p = to->p;
  BlockId outer = to->block, block = region_add_block(p, op_region(p, op, 0));
  for (uint32_t i = 0; i < 2 * n; i++)
    block_add_arg(p, block, value_type(p, op_operand(p, op, n + i % n)), 0);
  ValueId a = block_arg(p, block, 0), at_a = block_arg(p, block, 1), b = block_arg(p, block, n),
          at_b = block_arg(p, block, n + 1), nan = 0;
  OpId last = localize_inline_body(cx, copy, 0, block, (ValueId[]){a, b});
  to->block = block;
  ValueId none = build_index(to, 0), keeps = op_operand(p, last, 0);
  if (n == 3) {
    ValueId nan_a = block_arg(p, block, 2), nan_b = block_arg(p, block, 5);
    nan = build_binary(to, OP_or, nan_a, nan_b);
    keeps = build_binary(to, OP_and, keeps, build_unary(to, OP_not, nan_b));
  }
  keeps = build_binary(to, OP_or, keeps, build_compare(to, "LT", at_b, none));
  keeps = build_binary(to, OP_and, keeps, build_compare(to, "GE", at_a, none));
  build_return(
      to, n, (ValueId[]){build_select(to, keeps, a, b), build_select(to, keeps, at_a, at_b), nan});
  to->block = outer;
}

// Predicate: the element is NaN and no padding.
static ValueId put_nans(Builder *b, ValueId piece, ValueId indices) {
  ValueId none = build_broadcast(b, build_index(b, 0), value_type(b->p, indices));
  return build_binary(b, OP_and, build_compare(b, "NE", piece, piece),
                      build_compare(b, "GE", indices, none));
}

// The index that each window selects; -1 for windows outside of the global op. Takes the attributes
// and `select` of `copy`.
static ValueId put_selection(Localizer *cx, const Windows *w, OpId copy, const ValueId *operands,
                             ValueId indices) {
  Builder *b = cx->builder;
  Program *p = b->p;
  const TypeInfo *source = type_info(cx->context, value_type(p, operands[SOURCE]));
  Type types[3] = {value_type(p, operands[SOURCE]),
                   type_tensor(cx->context, type_scalar(DT_i64), source->rank, source->dims, 0),
                   type_tensor(cx->context, type_scalar(DT_i1), source->rank, source->dims, 0)};
  bool has_nan = false;
  select_orders(cx->program, cx->op, &has_nan);
  uint32_t n = has_nan ? 3 : 2;
  ValueId in[6] = {operands[OPERAND], indices};
  if (has_nan) in[2] = put_nans(b, operands[OPERAND], indices);
  in[n] = operands[INIT];
  in[n + 1] = build_index(b, -1);
  if (has_nan)
    in[5] = build_splat(b, type_tensor(cx->context, type_scalar(DT_i1), 0, NULL, 0), scalar_i(0));
  int64_t ones[MAX_RANK];
  for (uint32_t d = 0; d < w->rank; d++) ones[d] = 1;
  Attr attrs = op_at(p, copy)->attrs;
  if (!attr_get(cx->context, attrs, "window_dimensions"))
    attrs = localize_with(cx, attrs, "window_dimensions", attr_i64s(cx->context, w->rank, ones));
  OpId op = build_op_many(b, OP_reduce_window, 2 * n, in, n, types, 1, attrs);
  put_selection_body(cx, copy, op, n);
  ValueId selected = op_result(p, op, 1);
  for (uint32_t d = 0; d < w->rank; d++) {  // mask windows outside of the global op
    if (!w->split[d]) continue;
    int64_t more;
    ValueId first = first_window(cx, w, d, OP_divide, &more);
    first = build_binary(b, OP_subtract, build_index(b, more), first);
    selected = keep_range(cx, selected, d, first, localize_size(cx, SOURCE, d), -1);
  }
  return selected;
}

// Scatters the source to the selected indices of `count` init values: the linearized tile.
static ValueId put_scatter(Localizer *cx, OpId copy, const ValueId *operands, ValueId selected,
                           int64_t count) {
  Builder *b = cx->builder;
  Context *c = cx->context;
  int64_t n = 1;
  const TypeInfo *source = type_info(c, value_type(b->p, operands[SOURCE]));
  for (uint32_t d = 0; d < source->rank; d++) n = shape_times(n, source->dims[d]);
  Type row = type_tensor(c, source->elem, 1, &count, 0);
  Type scalar = type_tensor(c, source->elem, 0, NULL, 0);
  ValueId in[3] = {build_broadcast(b, operands[INIT], row),
                   build_reshape(b, selected, 2, (int64_t[]){n, 1}),
                   build_reshape(b, operands[SOURCE], 1, &n)};
  int64_t zero = 0;
  NamedAttr numbers[] = {{name_of(c, "inserted_window_dims"), attr_i64s(c, 1, &zero)},
                         {name_of(c, "scatter_dims_to_operand_dims"), attr_i64s(c, 1, &zero)},
                         {name_of(c, "index_vector_dim"), attr_i64(c, 1)}};
  NamedAttr field = {name_of(c, "scatter_dimension_numbers"),
                     attr_struct(c, "stablehlo.scatter", 3, numbers)};
  OpId op = build_op_many(b, OP_scatter, 3, in, 1, &row, 1, attr_dict(c, 1, &field));
  BlockId outer = b->block, block = region_add_block(b->p, op_region(b->p, op, 0));
  for (uint32_t i = 0; i < 2; i++) block_add_arg(b->p, block, scalar, 0);
  ValueId args[2] = {block_arg(b->p, block, 0), block_arg(b->p, block, 1)};
  ValueId sum = op_operand(b->p, localize_inline_body(cx, copy, 1, block, args), 0);
  b->block = block;
  build_return(b, 1, &sum);
  b->block = outer;
  const TypeInfo *tile = type_info(c, cx->out_types[0]);
  return build_reshape(b, op_result(b->p, op, 0), tile->rank, tile->dims);
}

Status *select_and_scatter_localize(Localizer *cx) {
  Builder *b = cx->builder;
  Windows w;
  windows_of(cx, &w);
  ValueId operands[3] = {cx->in[OPERAND], cx->in[SOURCE], cx->in[INIT]}, v;
  bool any = false;
  for (uint32_t d = 0; d < w.rank; d++) any |= w.split[d];
  if (!any) return localize_copy(cx, operands, 0);
  read_windows(cx, &w, operands);
  TRY(copy_op(cx, &w, operands, &v));
  if (w.is_explicit) {
    int64_t count = 0;
    type_count(cx->context, cx->out_types[0], &count);
    OpId copy = value_def(b->p, v);
    ValueId indices = put_indices(cx, &w, operands[OPERAND], count);
    ValueId selected = put_selection(cx, &w, copy, operands, indices);
    cx->out[0] = put_scatter(cx, copy, operands, selected, count);
    op_erase(b->p, copy);
    return NULL;
  }
  for (uint32_t d = 0; d < w.rank; d++) {
    if (!w.split[d]) continue;
    int64_t before = -w.reach[d].seen.first, after = w.reach[d].length - before - w.reach[d].tile;
    v = build_pad(b, v, d, -before, -after, operands[INIT]);
  }
  cx->out[0] = v;
  return NULL;
}
