// gather and torch_index_select from a sharded dimension.
//
// Idea: clamp indices globally, subtract the tile's offset, gather locally. Elements that lie in
// other tiles become the identity, so results are unreduced: the only communication is their
// reduction.
//
//   table [v,d] with v sharded, indices [n]:   unreduced [n,d], then an all_reduce
//
// Slices of size 1 are masked by their index. Larger slices may lie across two tiles: the tile is
// padded by the identity on both sides, as wide as a slice.
#include "ops/index_local.h"
#include "tensor/strided.h"

static Ints field(const Localizer *cx, const char *name) {
  Attr attr = attr_get(cx->context, localize_attr(cx, "dimension_numbers"), name);
  return attr ? attr_as_ints(cx->context, attr) : (Ints){.ok = true};
}

static uint32_t vector_dim(const Localizer *cx) {
  Attr numbers = localize_attr(cx, "dimension_numbers");
  return (uint32_t)attr_as_int(cx->context, attr_get(cx->context, numbers, "index_vector_dim"), 0);
}

// The component of the index vector for dimension d; map.n: none.
static uint32_t component_of(Ints map, int64_t d) {
  uint32_t i = 0;
  while (i < map.n && map.v[i] != d) i++;
  return i;
}

// Do the indices count through the dimension (counting.h)? Then their elements lie in the tile.
static bool is_counted(const Localizer *cx, uint32_t d) {
  uint32_t dim, place;
  return factor_map_find(cx->map, 1, localize_factor(cx, 0, d), &dim, &place);
}

void gather_splits(Localizer *cx) {
  Ints sizes = localize_ints(cx, "slice_sizes"), batching = field(cx, "operand_batching_dims"),
       map = field(cx, "start_index_map");
  Combine reducer = index_reducer(cx, 0);
  for (uint32_t d = 0; d < sizes.n; d++) {
    uint32_t f = localize_factor(cx, 0, d);
    if (ints_contain(batching, d) || sizes.v[d] == localize_size(cx, 0, d)) continue;
    if (is_counted(cx, d)) continue;
    // No index for this dimension: the slice starts at 0, in the first tile.
    bool first = component_of(map, d) == map.n;
    if (!reducer || !sizes.v[d] || (first && sizes.v[d] != 1) || !index_has_room(cx, d))
      localize_unsplit(cx, f);
    cx->splits[f].reducer = reducer;
    *localize_has(cx, localize_n_operands(cx), f) = false;
  }
  uint32_t vector = vector_dim(cx);
  if (vector < localize_type(cx, 1)->rank) localize_unsplit(cx, localize_factor(cx, 1, vector));
}

// Is dimension d sharded, and are slices smaller than it?
static bool is_indexed(const Localizer *cx, int64_t slice, uint32_t d) {
  return slice != localize_size(cx, 0, d) && localize_axes(cx, 0, d).n > 0 &&
         !ints_contain(field(cx, "operand_batching_dims"), d);
}

// Global indices into dimension d, clamped, as indices into the tile.
static ValueId to_tile(Localizer *cx, ValueId indices, int64_t slice, uint32_t d) {
  Builder *b = cx->builder;
  ValueId inside = index_clamp(b, indices, localize_size(cx, 0, d) - slice);
  return index_minus(b, inside, localize_offset(cx, 0, d));
}

// Global index vectors as local ones, component by component. *here: predicate per index vector
// (the vector dimension has size 1) that the element lies in the tile; 0 = always.
static ValueId localize_indices(Localizer *cx, Ints sizes, ValueId *here) {
  Builder *b = cx->builder;
  Ints map = field(cx, "start_index_map");
  uint32_t vector = vector_dim(cx);
  bool alone = vector == localize_type(cx, 1)->rank;
  ValueId all = index_i64(b, cx->in[1]), columns[MAX_RANK];
  for (uint32_t i = 0; i < map.n; i++) {
    uint32_t d = (uint32_t)map.v[i];
    ValueId column = alone ? all : build_slice(b, all, vector, i, i + 1, 1);
    if (is_indexed(cx, sizes.v[d], d)) {
      column = to_tile(cx, column, sizes.v[d], d);
      if (sizes.v[d] == 1 && !is_counted(cx, d))
        *here = index_and(b, *here, index_inside(b, column, localize_tile(cx, 0, d)));
      if (sizes.v[d] > 1)  // the tile is padded by this much
        column = index_minus(b, column, build_index(b, -sizes.v[d]));
    }
    columns[i] = column;
  }
  return alone ? columns[0] : build_concatenate(b, map.n, columns, vector);
}

// Broadcasts a predicate per index vector to the result's shape.
static ValueId spread(Localizer *cx, ValueId here) {
  Builder *b = cx->builder;
  Context *c = cx->context;
  const TypeInfo *index = type_info(c, value_type(b->p, here));
  const TypeInfo *out = type_info(c, cx->out_types[0]);
  Ints offset = field(cx, "offset_dims");
  int64_t dims[MAX_RANK], to[MAX_RANK];
  uint32_t n = 0, vector = vector_dim(cx), n_batch = 0;
  for (uint32_t d = 0; d < index->rank; d++)
    if (d != vector) dims[n++] = index->dims[d];
  for (uint32_t d = 0; d < out->rank; d++)
    if (!ints_contain(offset, d)) to[n_batch++] = d;  // n in total
  here = build_reshape(b, here, n, dims);
  return build_broadcast_in(b, here,
                            type_with_shape(c, value_type(b->p, here), out->rank, out->dims), to);
}

// Replaces elements of other tiles by the identity.
static ValueId masked(Localizer *cx, ValueId here, ValueId taken) {
  Builder *b = cx->builder;
  return build_select(b, here, taken,
                      build_identity(b, value_type(b->p, taken), index_reducer(cx, 0)));
}

Status *gather_localize(Localizer *cx) {
  Builder *b = cx->builder;
  Ints sizes = localize_ints(cx, "slice_sizes");
  int64_t local_sizes[MAX_RANK];
  ValueId operands[] = {cx->in[0], cx->in[1]}, here = 0;
  bool any = false;
  for (uint32_t d = 0; d < sizes.n; d++) {
    bool passes = sizes.v[d] == localize_size(cx, 0, d);
    local_sizes[d] = passes ? localize_tile(cx, 0, d) : sizes.v[d];
    if (!is_indexed(cx, sizes.v[d], d)) continue;
    any = true;
    if (sizes.v[d] == 1) continue;
    Type scalar = type_tensor(cx->context, localize_type(cx, 0)->elem, 0, NULL, 0);
    operands[0] = build_pad(b, operands[0], d, sizes.v[d], sizes.v[d],
                            build_identity(b, scalar, index_reducer(cx, 0)));
  }
  Attr attrs = localize_with(cx, 0, "slice_sizes", attr_i64s(cx->context, sizes.n, local_sizes));
  if (!any) return localize_copy(cx, operands, attrs);
  Ints map = field(cx, "start_index_map");
  if (map.n) operands[1] = localize_indices(cx, sizes, &here);
  // Clamped and shifted index vectors need not be sorted.
  TRY(localize_copy(cx, operands, localize_with(cx, attrs, "indices_are_sorted", 0)));
  if (here) cx->out[0] = masked(cx, spread(cx, here), cx->out[0]);
  for (uint32_t d = 0; d < sizes.n; d++)
    if (is_indexed(cx, sizes.v[d], d) && component_of(map, d) == map.n)
      cx->out[0] = build_unreduced(b, cx->out[0], localize_axes(cx, 0, d), index_reducer(cx, 0));
  return NULL;
}

// ---- torch_index_select ----

static uint32_t chosen_dim(const Localizer *cx) {
  int64_t dim = attr_as_int(cx->context, localize_attr(cx, "dim"), 0);
  return (uint32_t)(dim < 0 ? dim + localize_type(cx, 0)->rank : dim);
}

void torch_index_select_splits(Localizer *cx) {
  uint32_t f = localize_factor(cx, 0, chosen_dim(cx));
  cx->splits[f].reducer = index_reducer(cx, 0);
  if (!cx->splits[f].reducer) localize_unsplit(cx, f);
}

Status *torch_index_select_localize(Localizer *cx) {
  Builder *b = cx->builder;
  Context *c = cx->context;
  uint32_t dim = chosen_dim(cx);
  ValueId operands[] = {cx->in[0], cx->in[1]};
  if (!localize_axes(cx, 0, dim).n) return localize_copy(cx, operands, 0);
  operands[1] = to_tile(cx, index_i64(b, cx->in[1]), 1, dim);
  TRY(localize_copy(cx, operands, 0));
  ValueId here = index_inside(b, operands[1], localize_tile(cx, 0, dim));
  const TypeInfo *index = type_info(c, value_type(b->p, here));
  const TypeInfo *out = type_info(c, cx->out_types[0]);
  uint32_t batch = index->rank + localize_type(cx, 0)->rank - 1 - out->rank;
  int64_t to[MAX_RANK];
  for (uint32_t d = 0; d < index->rank; d++) to[d] = d < batch ? d : d - batch + dim;
  here = build_broadcast_in(b, here,
                            type_with_shape(c, value_type(b->p, here), out->rank, out->dims), to);
  cx->out[0] = masked(cx, here, cx->out[0]);
  return NULL;
}
