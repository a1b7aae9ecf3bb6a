// sort along a sharded dimension.
//
// Idea: Columnsort (Leighton, "Tight bounds on the complexity of parallel sorting", 1985). The n
// shards are the columns of a matrix with r rows. At the end, the matrix is sorted in column-major
// order:
//
//   1. sort columns       2. all_to_all: row i of a column goes to column i mod n
//   3. sort columns       4. all_to_all: the inverse, contiguous blocks of rows
//   5. sort columns       6. sort the lower half of each column with the upper half of the next
//                            (collective_permute there and back)
//
// It is correct if n divides r and r >= 2 (n - 1)^2; tiles are padded to that. A device sends less
// than 3 tiles for any n, while an all_gather receives n - 1.
//
// Invariant: the result is exactly that of the global stable sort. Elements carry their global
// index (an iota among the operands serves as that), and the local comparator is
//
//   a before b  =  (index of a < index of b)  xor  comparator(the later one, the earlier one)
//
// A stable sort computes the same for every comparator that is a weak order. (For others, as < with
// NaN, the order depends on the algorithm.) Padding has the index `size` and is not compared. If
// equal elements have equal bits, no index is needed, and padding is the last element in order.
#include "ops/sort_local.h"

#include "tensor/strided.h"

#define NO_INDEX UINT32_MAX

typedef struct Columns {
  uint32_t n, along;  // operands; the dimension
  AxisList axes;
  int64_t devices, size, tile, rows;  // rows: of the padded tile
  bool total, descending;             // total: equal elements have equal bits, no index needed
  uint32_t index;                     // the operand with the global index; n: an additional one
  DType index_type;
} Columns;

static uint32_t along_of(const Localizer *cx) {
  int64_t along = attr_as_int(cx->context, localize_attr(cx, "dimension"), -1);
  return (uint32_t)(along < 0 ? along + localize_type(cx, 0)->rank : along);
}

// Is there one operand, compared by < or > in an order in which equal elements have equal bits?
static bool is_total(const Localizer *cx, bool *out_descending) {
  const Program *p = cx->program;
  Context *c = cx->context;
  BlockId block = region_block(p, op_region(p, cx->op, 0));
  OpId compare = block_at(p, block)->first, end = block_at(p, block)->last;
  if (localize_n_operands(cx) != 1 || op_at(p, compare)->code != OP_compare ||
      op_at(p, compare)->next != end || op_operand(p, end, 0) != op_result(p, compare, 0))
    return false;
  DType dtype = type_dtype(c, localize_type(cx, 0)->elem);
  bool integer = dtype_is_integer(dtype) || dtype == DT_i1;
  bool usual = dtype == DT_f16 || dtype == DT_bf16 || dtype == DT_f32 || dtype == DT_f64;
  Str type = name_str(c, attr_as_name(c, op_attr(p, compare, "compare_type")));
  if (!integer && !(usual && str_is(type, "TOTALORDER"))) return false;
  Str way = name_str(c, attr_as_name(c, op_attr(p, compare, "comparison_direction")));
  ValueId a = block_arg(p, block, 0), b = block_arg(p, block, 1);
  bool swapped = op_operand(p, compare, 0) == b && op_operand(p, compare, 1) == a;
  bool straight = op_operand(p, compare, 0) == a && op_operand(p, compare, 1) == b;
  *out_descending = str_is(way, "GT") != swapped;
  return (swapped || straight) && (str_is(way, "GT") || str_is(way, "LT"));
}

static bool holds(DType dtype, int64_t value) {
  int width = dtype_width(dtype) - (dtype_kind(dtype) == KIND_SINT);
  return dtype_is_integer(dtype) && (width >= 63 || value >> width == 0);
}

// An operand that is an iota along the dimension; n: none.
static uint32_t find_index(const Localizer *cx, const Columns *s) {
  const Program *p = cx->program;
  for (uint32_t i = 0; i < s->n; i++) {
    OpId def = value_def(p, op_operand(p, cx->op, i));
    if (def && op_at(p, def)->code == OP_iota &&
        attr_as_int(cx->context, op_attr(p, def, "iota_dimension"), -1) == s->along &&
        holds(type_dtype(cx->context, localize_type(cx, i)->elem), s->size))
      return i;
  }
  return s->n;
}

static int64_t round_up(int64_t a, int64_t b) { return (a + b - 1) / b * b; }

static Columns columns_of(const Localizer *cx) {
  static const DType types[] = {DT_ui8, DT_ui16, DT_ui32, DT_ui64};
  uint32_t along = along_of(cx);
  Columns s = {.n = localize_n_operands(cx), .along = along, .axes = localize_axes(cx, 0, along)};
  s.devices = axes_size(s.axes);
  s.size = localize_size(cx, 0, along);
  s.tile = localize_tile(cx, 0, along);
  int64_t least = 2 * (s.devices - 1) * (s.devices - 1);
  s.rows = round_up(s.tile > least ? s.tile : least, s.devices);
  s.total = is_total(cx, &s.descending);
  s.index = s.total ? NO_INDEX : find_index(cx, &s);
  if (s.index < s.n) s.index_type = type_dtype(cx->context, localize_type(cx, s.index)->elem);
  for (size_t i = 0; s.index == s.n && !s.index_type; i++)
    if (holds(types[i], s.size)) s.index_type = types[i];
  return s;
}

// Columns are longer than tiles, so tile c starts in column c - 1. The maximum number of elements
// that a device needs from the previous column.
static int64_t lag_of(const Columns *s) { return (s->devices - 1) * (s->rows - s->tile); }

// ---- splits ----

static bool can_sort(const Localizer *cx) {
  bool good = localize_type(cx, 0)->rank < MAX_RANK &&
              axes_size(localize_axes(cx, 0, along_of(cx))) < 1 << 20;
  for (uint32_t i = 0; i < localize_n_operands(cx); i++)
    good &= !type_is_quant(cx->context, localize_type(cx, i)->elem);
  return good;
}

// Can another dimension be split instead? Resharding to it and back takes two all_to_alls of less
// than a tile each, which is cheaper.
static bool has_other(const Localizer *cx, uint32_t f) {
  for (uint32_t other = 0; other < cx->map->n_factors; other++)
    if (other != f && !localize_is_split(cx, other) && cx->map->factors[other].size > 1 &&
        cx->map->factors[other].size % localize_ways(cx, f) == 0)
      return true;
  return false;
}

void sort_splits(Localizer *cx) {
  uint32_t f = localize_factor(cx, 0, along_of(cx));
  if (!localize_is_split(cx, f)) return;
  bool good = can_sort(cx) && !has_other(cx, f);
  if (good) {
    Columns s = columns_of(cx);
    double given = 0, gathered = 0, others = 1, n = (double)s.devices;  // given: bytes per element
    for (uint32_t i = 0; i < s.n; i++) {
      double bytes = dtype_bytes(type_dtype(cx->context, localize_type(cx, i)->elem));
      given += bytes;
      if (i != s.index) gathered += bytes;
    }
    double carried = given + (s.index == s.n ? dtype_bytes(s.index_type) : 0);
    for (uint32_t d = 0; d < localize_type(cx, 0)->rank; d++)
      if (d != s.along) others *= (double)localize_tile(cx, 0, d);
    double moved = carried * 2 * (double)(s.rows + s.rows / 2) + given * (double)lag_of(&s);
    moved *= (n - 1) / n;  // of n blocks one stays; of n devices one has no neighbour
    good = lag_of(&s) <= s.tile && moved < gathered * (n - 1) * (double)s.tile;
    cx->bytes += good ? moved * others : 0;
    cx->steps += 4;
  }
  if (!good) localize_unsplit(cx, f);
}

// ---- step 1, 3, 5: sort columns ----

ValueId sort_last(Builder *b, Type elem, bool larger_first) {
  Context *c = b->p->context;
  Type scalar = type_tensor(c, elem, 0, NULL, 0);
  const DTypeInfo *type = dtype_info(type_dtype(c, scalar));
  uint64_t all = type->width < 64 ? (UINT64_C(1) << type->width) - 1 : UINT64_MAX;
  uint64_t sign = UINT64_C(1) << (type->width - 1), least = 0, greatest = all;
  bool is_float = type->kind == KIND_FLOAT && type->style != FLOAT_E8M0;
  if (type->kind == KIND_SINT) least = sign;
  if (is_float) least = all;  // NaN with a sign
  if (type->kind == KIND_SINT || is_float) greatest = all ^ sign;
  uint64_t bits = larger_first ? least : greatest;
  return build_constant(b, attr_dense(c, scalar, &bits, (size_t)type->bytes));
}

// Inlines a copy of the comparator with other arguments; returns its result.
static ValueId put_comparator(Builder *b, BlockId body, uint32_t n_args, const ValueId *args) {
  Program *p = b->p;
  uint32_t n = p->values.count;
  ArenaMark mark = arena_mark(b->arena);
  ValueId *map = ARENA_ARRAY(b->arena, ValueId, n);
  for (uint32_t i = 0; i < n_args; i++) map[block_arg(p, body, i)] = args[i];
  OpId end = block_at(p, body)->last;
  for (OpId o = block_at(p, body)->first; o != end; o = op_at(p, o)->next)
    op_append(p, b->block, op_clone(p, o, map, n));
  ValueId returned = op_operand(p, end, 0), made = map[returned];
  arena_rewind(b->arena, mark);
  return made ? made : returned;
}

// The body of a local sort: the comparator, with ties broken by the global index.
static void put_body(Builder *to, const Columns *s, BlockId comparator, OpId sort) {
  Program *p = to->p;
  Context *c = p->context;
  uint32_t n = op_at(p, sort)->n_operands;
  BlockId outer = to->block, body = region_add_block(p, op_region(p, sort, 0));
  for (uint32_t i = 0; i < 2 * n; i++)
    block_add_arg(p, body,
                  type_tensor(c, type_elem(c, op_operand_type(p, sort, i / 2)), 0, NULL, 0), 0);
  to->block = body;
  ValueId a = block_arg(p, body, 2 * s->index), b = block_arg(p, body, 2 * s->index + 1);
  ValueId first = build_compare(to, "LT", a, b);
  ValueId *args = ARENA_ARRAY(to->arena, ValueId, 2 * (size_t)s->n);
  for (uint32_t i = 0; i < s->n; i++) {
    ValueId x = block_arg(p, body, 2 * i), y = block_arg(p, body, 2 * i + 1);
    args[2 * i] = build_select(to, first, y, x);
    args[2 * i + 1] = build_select(to, first, x, y);
  }
  ValueId swaps = put_comparator(to, comparator, 2 * s->n, args);
  if (s->rows * s->devices != s->size) {
    ValueId later = build_binary(to, OP_maximum, a, b);
    ValueId size = build_splat(to, value_type(p, later), scalar_i(s->size));
    swaps = build_binary(to, OP_and, swaps, build_compare(to, "LT", later, size));
  }
  ValueId before = build_binary(to, OP_xor, first, swaps);
  build_return(to, 1, &before);
  to->block = outer;
}

// Sorts the tensors v. comparator 0: no index is needed, the op's own body serves.
static Status *put_sort(Localizer *cx, const Columns *s, BlockId comparator, ValueId *v) {
  Builder *b = cx->builder;
  Program *p = b->p;
  uint32_t n = s->n + (s->index == s->n);
  Type *types = ARENA_ARRAY(b->arena, Type, n);
  for (uint32_t i = 0; i < n; i++) types[i] = value_type(p, v[i]);
  if (!comparator) return localize_copy_as(cx, v, 0, types, v);
  Context *c = cx->context;
  NamedAttr fields[] = {{name_of(c, "dimension"), attr_i64(c, s->along)},
                        {name_of(c, "is_stable"), attr_bool(c, false)}};
  OpId sort = build_op_many(b, OP_sort, n, v, n, types, 1, attr_dict(c, 2, fields));
  put_body(b, s, comparator, sort);
  for (uint32_t i = 0; i < n; i++) v[i] = op_result(p, sort, i);
  return NULL;
}

// ---- steps 2, 4, 6: communication ----

// Reshapes the dimension to [outer, inner], splits one of them over the devices while the other is
// concatenated, and reshapes back. interleaved: step 2, else step 4.
static ValueId put_deal(Builder *b, const Columns *s, ValueId v, bool interleaved) {
  Type type = value_type(b->p, v);
  const TypeInfo *info = type_info(b->p->context, type);
  int64_t dims[MAX_RANK + 1], block = s->rows / s->devices;
  for (uint32_t d = 0; d <= info->rank; d++)
    dims[d] = d < s->along        ? info->dims[d]
              : d == s->along     ? (interleaved ? block : s->devices)
              : d == s->along + 1 ? (interleaved ? s->devices : block)
                                  : info->dims[d - 1];
  v = build_reshape(b, v, info->rank + 1, dims);
  uint32_t split = interleaved ? s->along + 1 : s->along, concat = 2 * s->along + 1 - split;
  v = build_all_to_all(b, v, split, concat, s->axes);
  return build_op(b, OP_reshape, 1, &v, type, 0);
}

// Step 6: sorts the lower half of each column together with the upper half of the next.
static Status *put_seams(Localizer *cx, const Columns *s, BlockId comparator, uint32_t n,
                         ValueId *v) {
  Builder *b = cx->builder;
  int64_t half = s->rows / 2, rest = s->rows - half;
  ValueId *seam = ARENA_ARRAY(b->arena, ValueId, n), *low = ARENA_ARRAY(b->arena, ValueId, n),
          *high = ARENA_ARRAY(b->arena, ValueId, n);
  ValueId at = build_coordinate(b, s->axes);
  ValueId is_first = build_compare(b, "EQ", at, build_index(b, 0));
  ValueId is_last = build_compare(b, "EQ", at, build_index(b, s->devices - 1));
  for (uint32_t i = 0; i < n; i++) {
    high[i] = build_slice(b, v[i], s->along, 0, rest, 1);
    low[i] = build_slice(b, v[i], s->along, rest, s->rows, 1);
    ValueId parts[2] = {build_shift(b, low[i], s->axes, -1, false), high[i]};
    seam[i] = build_concatenate(b, 2, parts, s->along);
  }
  TRY(put_sort(cx, s, comparator, seam));
  for (uint32_t i = 0; i < n; i++) {
    ValueId back = build_shift(b, build_slice(b, seam[i], s->along, 0, half, 1), s->axes, 1, false);
    ValueId kept = build_slice(b, seam[i], s->along, half, s->rows, 1);
    ValueId parts[2] = {build_select(b, is_first, high[i], kept),
                        build_select(b, is_last, low[i], back)};
    v[i] = build_concatenate(b, 2, parts, s->along);
  }
  return NULL;
}

// The result's tiles from the columns, which are longer.
static ValueId put_tiles(Localizer *cx, const Columns *s, ValueId v) {
  int64_t lag = lag_of(s);
  if (!lag) return v;
  Builder *b = cx->builder;
  ValueId before = build_slice(b, v, s->along, s->rows - lag, s->rows, 1);
  ValueId parts[2] = {build_shift(b, before, s->axes, -1, false), v};
  ValueId own =
      build_binary(b, OP_multiply, build_coordinate(b, s->axes), build_index(b, s->rows - s->tile));
  ValueId start = build_binary(b, OP_subtract, build_index(b, lag), own);
  return build_dynamic_slice(b, build_concatenate(b, 2, parts, s->along), s->along, start, s->tile);
}

// ---- the column ----

// Global indices for a padded tile like v; `size` for padding.
static ValueId put_index(Localizer *cx, const Columns *s, ValueId v) {
  Builder *b = cx->builder;
  Context *c = cx->context;
  const TypeInfo *info = type_info(c, value_type(b->p, v));
  Type to = type_tensor(c, type_scalar(s->index_type), info->rank, info->dims, 0);
  ValueId at = build_iota(b, value_type(b->p, v), s->along);
  Type type = value_type(b->p, at);
  ValueId offset = localize_offset(cx, 0, s->along);
  ValueId limit = build_index(b, s->size);
  if (s->rows != s->tile) {  // padding has no global index
    ValueId own = build_compare(b, "LT", at, build_splat(b, type, scalar_i(s->tile)));
    at = build_select(b, own, at, build_broadcast(b, limit, type));
  }
  at = build_binary(b, OP_add, at, build_broadcast(b, offset, type));
  if (s->rows * s->devices != s->size)
    at = build_binary(b, OP_minimum, at, build_broadcast(b, limit, type));
  return build_op(b, OP_convert, 1, &at, to, 0);
}

// The operands padded to columns, and their global index.
static void put_columns(Localizer *cx, const Columns *s, ValueId *v) {
  Builder *b = cx->builder;
  for (uint32_t i = 0; i < s->n; i++) {
    ValueId fill = s->total ? sort_last(b, localize_type(cx, i)->elem, s->descending) : 0;
    v[i] = cx->in[i];
    if (s->total) v[i] = build_mask_padding(b, v[i], s->along, s->axes, s->size, fill);
    v[i] = build_pad(b, v[i], s->along, 0, s->rows - s->tile, fill);
  }
  if (s->index != NO_INDEX) v[s->index] = put_index(cx, s, v[0]);
}

Status *sort_localize(Localizer *cx) {
  Builder *b = cx->builder;
  if (!localize_axes(cx, 0, along_of(cx)).n) return localize_default(cx);
  Columns s = columns_of(cx);
  uint32_t n = s.n + (s.index == s.n);
  ValueId *v = ARENA_ARRAY(b->arena, ValueId, n + s.n);
  BlockId comparator = 0;
  OpId pattern = 0;
  if (!s.total) {  // a copy whose comparator refers to local values
    TRY(localize_copy(cx, cx->in, 0));
    pattern = value_def(b->p, cx->out[0]);
    comparator = region_block(b->p, op_region(b->p, pattern, 0));
  }
  put_columns(cx, &s, v);
  TRY(put_sort(cx, &s, comparator, v));
  for (uint32_t i = 0; i < n; i++) v[i] = put_deal(b, &s, v[i], true);
  TRY(put_sort(cx, &s, comparator, v));
  for (uint32_t i = 0; i < n; i++) v[i] = put_deal(b, &s, v[i], false);
  TRY(put_sort(cx, &s, comparator, v));
  TRY(put_seams(cx, &s, comparator, n, v));
  for (uint32_t i = 0; i < s.n; i++) cx->out[i] = put_tiles(cx, &s, v[i]);
  if (pattern) op_erase(b->p, pattern);
  return NULL;
}
