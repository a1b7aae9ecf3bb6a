// reduce on tiles. Bodies that are one plain op leave parts that combine by it. All others are
// taken as what the spec promises and no more: they may be applied in any grouping, but in the
// order of the elements, and the init value enters once, at the beginning. So each device reduces
// stretches of elements that follow each other, the devices' candidates are put side by side in the
// order of the whole, and the same body reduces those, from the init value on.
//
//   [4 rows, 6 in a row cut in 3]   each device: 4 candidates   gathered: [4, 3]   reduced as [12]
//
// A stretch has no init value to begin with and may contain padding: its body carries along whether
// there is a value yet. O(ops of the body).
#include "ops/reduce_local.h"

#include "tensor/literal.h"

// Dimensions that are reduced: `inner` ones within a device, from the last that is cut on; `outer`
// ones with the candidates.
typedef struct Stretch {
  uint32_t rank, cut;  // cut: the first inner dimension
  bool inner[MAX_RANK], outer[MAX_RANK];
} Stretch;

static bool is_by_body(const Localizer *cx, uint32_t f) {
  const Factor *factor = &cx->map->factors[f];
  return factor->kinds == FACTOR_REDUCE && !combine_is_plain((Combine)factor->combine);
}

// False if no dimension that needs it is cut.
static bool find_stretch(const Localizer *cx, Stretch *out) {
  Ints along = localize_ints(cx, "dimensions");
  *out = (Stretch){.rank = localize_type(cx, 0)->rank};
  bool found = false;
  for (uint32_t d = 0; d < out->rank; d++)
    if (ints_contain(along, d) && localize_axes(cx, 0, d).n &&
        is_by_body(cx, localize_factor(cx, 0, d))) {
      out->cut = d;
      found = true;
    }
  for (uint32_t d = 0; d < out->rank; d++) {
    out->inner[d] = ints_contain(along, d) && d >= out->cut;
    out->outer[d] = ints_contain(along, d) && d < out->cut;
  }
  return found;
}

// Elements of a device's candidates, and how many devices' of them come together.
static void add_bytes(Localizer *cx, const Stretch *s) {
  double ways = (double)axes_size(localize_axes(cx, 0, s->cut));
  uint32_t n = cx->map->n_results;
  for (uint32_t d = 0; d < s->rank; d++)
    if (s->outer[d]) ways *= (double)axes_size(localize_axes(cx, 0, d));
  for (uint32_t i = 0; i < n; i++) {
    double bytes = localize_bytes(cx, i);
    for (uint32_t d = 0; d < s->rank; d++)
      if (s->inner[d]) bytes /= (double)localize_tile(cx, i, d);
    cx->bytes += bytes * (ways - 1);
  }
}

void reduce_splits(Localizer *cx) {
  Stretch s;
  bool odd = false;  // the body is wider than what it combines, or there are no elements
  for (uint32_t i = 0; i < cx->map->n_results; i++)
    odd |= localize_type(cx, i)->elem != localize_type(cx, cx->map->n_operands + i)->elem;
  for (uint32_t d = 0; d < localize_type(cx, 0)->rank; d++) odd |= localize_size(cx, 0, d) == 0;
  for (uint32_t f = 0; f < cx->map->n_factors; f++)
    if (cx->map->factors[f].kinds & FACTOR_REPLICATE || (odd && is_by_body(cx, f)))
      localize_give_up(cx, f);
  if (find_stretch(cx, &s)) add_bytes(cx, &s);
}

// ---- a body that may lack a value ----

static Type scalar_type(Context *c, Type elem) { return type_tensor(c, elem, 0, NULL, 0); }

// Moves the body of `from` into `op`, which has one more input: whether there is a value.
static void put_body(Localizer *cx, OpId from, OpId op, uint32_t n) {
  Builder *to = cx->builder;
  Program *p = to->p;
  Type flag = scalar_type(p->context, type_scalar(DT_i1));
  BlockId outer = to->block, block = region_add_block(p, op_region(p, op, 0));
  ValueId *args = ARENA_ARRAY(to->arena, ValueId, 2 * (size_t)n + 1);
  for (uint32_t side = 0; side < 2; side++) {
    for (uint32_t i = 0; i < n; i++) {
      Type elem = type_elem(p->context, op_result_type(p, from, i));
      block_add_arg(p, block, scalar_type(p->context, elem), 0);
    }
    block_add_arg(p, block, flag, 0);
  }
  for (uint32_t i = 0; i < 2 * n; i++) args[i] = block_arg(p, block, i + i / n);
  OpId last = localize_take_body(cx, from, 0, block, args);
  to->block = block;
  ValueId has_a = block_arg(p, block, n), has_b = block_arg(p, block, 2 * n + 1);
  ValueId *out = ARENA_ARRAY(to->arena, ValueId, n + 1);
  for (uint32_t i = 0; i < n; i++) {
    ValueId a = block_arg(p, block, i), b = block_arg(p, block, n + 1 + i);
    ValueId both = op_operand(p, last, i);
    out[i] = build_select(to, has_a, build_select(to, has_b, both, a), b);
  }
  out[n] = build_binary(to, OP_or, has_a, has_b);
  build_return(to, n + 1, out);
  to->block = outer;
}

// Which elements of a tile are there.
static ValueId put_flags(Localizer *cx, const Stretch *s) {
  Builder *b = cx->builder;
  const TypeInfo *tile = type_info(cx->context, value_type(b->p, cx->in[0]));
  Type type = type_tensor(cx->context, type_scalar(DT_i1), tile->rank, tile->dims, 0);
  Type flag = scalar_type(cx->context, type_scalar(DT_i1));
  ValueId all = build_splat(b, type, scalar_i(1));
  if (!localize_is_uneven(cx, 0, s->cut)) return all;
  return build_mask_padding(b, all, s->cut, localize_axes(cx, 0, s->cut),
                            localize_size(cx, 0, s->cut), build_splat(b, flag, scalar_i(0)));
}

static Attr with_dimensions(Localizer *cx, const Stretch *s, const bool *which) {
  int64_t dims[MAX_RANK];
  uint32_t n = 0;
  for (uint32_t d = 0; d < s->rank; d++)
    if (which[d]) dims[n++] = d;
  return localize_with(cx, 0, "dimensions", attr_i64s(cx->context, n, dims));
}

// The type of input i without its inner dimensions.
static Type stretch_type(Localizer *cx, const Stretch *s, ValueId v) {
  const TypeInfo *tile = type_info(cx->context, value_type(cx->builder->p, v));
  int64_t dims[MAX_RANK];
  uint32_t rank = 0;
  for (uint32_t d = 0; d < s->rank; d++)
    if (!s->inner[d]) dims[rank++] = tile->dims[d];
  return type_tensor(cx->context, tile->elem, rank, dims, 0);
}

// Each device's own stretches.
static Status *put_stretches(Localizer *cx, const Stretch *s, ValueId *out) {
  Builder *b = cx->builder;
  uint32_t n = cx->map->n_results;
  Attr attrs = with_dimensions(cx, s, s->inner);
  Type *types = ARENA_ARRAY(b->arena, Type, n + 1);
  ValueId *operands = ARENA_ARRAY(b->arena, ValueId, 2 * (size_t)n + 2);
  ValueId *copied = ARENA_ARRAY(b->arena, ValueId, n + 1);
  for (uint32_t i = 0; i < n; i++) types[i] = stretch_type(cx, s, cx->in[i]);
  TRY(localize_copy_as(cx, cx->in, attrs, types, copied));
  OpId copy = value_def(b->p, copied[0]);
  for (uint32_t i = 0; i < n; i++) {
    operands[i] = cx->in[i];
    operands[n + 1 + i] = cx->in[n + i];
  }
  operands[n] = put_flags(cx, s);
  operands[2 * n + 1] = build_splat(b, scalar_type(cx->context, type_scalar(DT_i1)), scalar_i(0));
  types[n] = stretch_type(cx, s, operands[n]);
  OpId op = build_op_many(b, op_at(b->p, copy)->code, 2 * n + 2, operands, n + 1, types, 1,
                          op_at(b->p, copy)->attrs);
  put_body(cx, copy, op, n);
  op_erase(b->p, copy);
  for (uint32_t i = 0; i < n; i++) out[i] = op_result(b->p, op, i);
  return NULL;
}

// All candidates in the order of the whole: a dimension of them where the cut one was. Devices
// whose tile is empty have none.
static ValueId gather(Localizer *cx, const Stretch *s, ValueId v) {
  Builder *b = cx->builder;
  const TypeInfo *info = type_info(cx->context, value_type(b->p, v));
  int64_t dims[MAX_RANK];
  for (uint32_t d = 0; d < info->rank + 1; d++)
    dims[d] = d == s->cut ? 1 : info->dims[d - (d > s->cut)];
  v = build_reshape(b, v, info->rank + 1, dims);
  v = build_all_gather(b, v, s->cut, localize_axes(cx, 0, s->cut));
  int64_t tile = localize_tile(cx, 0, s->cut);
  v = build_trim_to(b, v, s->cut, (localize_size(cx, 0, s->cut) + tile - 1) / tile);
  for (uint32_t d = 0; d < s->cut; d++) {
    if (!s->outer[d] || !localize_axes(cx, 0, d).n) continue;
    v = build_all_gather(b, v, d, localize_axes(cx, 0, d));
    v = build_trim_to(b, v, d, localize_size(cx, 0, d));
  }
  return v;
}

Status *reduce_localize(Localizer *cx) {
  Stretch s;
  if (!find_stretch(cx, &s)) return localize_default(cx);
  uint32_t n = cx->map->n_results;
  ValueId *operands = ARENA_ARRAY(cx->builder->arena, ValueId, 2 * (size_t)n + 1);
  TRY(put_stretches(cx, &s, operands));
  for (uint32_t i = 0; i < n; i++) {
    operands[i] = gather(cx, &s, operands[i]);
    operands[n + i] = cx->in[n + i];
  }
  s.outer[s.cut] = true;
  return localize_copy(cx, operands, with_dimensions(cx, &s, s.outer));
}
