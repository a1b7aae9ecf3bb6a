// reduce over a sharded dimension.
//
// A body that is one plain op leaves unreduced results (localize_default). This file is about all
// other bodies. Problem: the spec allows any association of a body, but keeps the order of elements
// and uses the init value once, at the beginning.
//
// Idea: each device reduces runs of elements that are contiguous in the global order, to one
// candidate per run. An all_gather puts the candidates in global order, and the same body reduces
// them from the init value on:
//
//   [4, 6], 6 sharded over 3 devices:   4 candidates each, gathered: [4, 3], reduced as [12]
//
// A run has no init value and may contain padding. So the local body carries a flag that a value
// exists. O(ops of the body).
#include "ops/reduce_local.h"

#include "tensor/literal.h"

// The reduced dimensions. Inner ones, from the last sharded one on, are reduced on the device;
// outer ones with the candidates.
typedef struct Runs {
  uint32_t rank, split;  // split: the last sharded dimension, the first inner one
  bool inner[MAX_RANK], outer[MAX_RANK];
} Runs;

// Does factor f reduce by a body that is no plain reducer?
static bool is_by_body(const Localizer *cx, uint32_t f) {
  const Factor *factor = &cx->map->factors[f];
  return factor->kinds == FACTOR_REDUCE && !combine_is_named((Combine)factor->combine);
}

// False if no such dimension is sharded.
static bool find_runs(const Localizer *cx, Runs *out) {
  Ints along = localize_ints(cx, "dimensions");
  *out = (Runs){.rank = localize_type(cx, 0)->rank};
  bool found = false;
  for (uint32_t d = 0; d < out->rank; d++)
    if (ints_contain(along, d) && localize_axes(cx, 0, d).n &&
        is_by_body(cx, localize_factor(cx, 0, d))) {
      out->split = d;
      found = true;
    }
  for (uint32_t d = 0; d < out->rank; d++) {
    out->inner[d] = ints_contain(along, d) && d >= out->split;
    out->outer[d] = ints_contain(along, d) && d < out->split;
  }
  return found;
}

// Adds the bytes of the all_gathers of candidates.
static void add_bytes(Localizer *cx, const Runs *s) {
  double ways = (double)axes_size(localize_axes(cx, 0, s->split));
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
  Runs s;
  bool odd = false;  // the body's type is wider than the inputs', or there are no elements
  for (uint32_t i = 0; i < cx->map->n_results; i++)
    odd |= localize_type(cx, i)->elem != localize_type(cx, cx->map->n_operands + i)->elem;
  for (uint32_t d = 0; d < localize_type(cx, 0)->rank; d++) odd |= localize_size(cx, 0, d) == 0;
  for (uint32_t f = 0; f < cx->map->n_factors; f++)
    if (cx->map->factors[f].kinds & FACTOR_REPLICATE || (odd && is_by_body(cx, f)))
      localize_unsplit(cx, f);
  if (find_runs(cx, &s)) add_bytes(cx, &s);
}

// ---- a body with a flag ----

static Type scalar_type(Context *c, Type elem) { return type_tensor(c, elem, 0, NULL, 0); }

// Moves the body of `from` into `op`, which has one more input: the flag that a value exists.
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
  OpId last = localize_inline_body(cx, from, 0, block, args);
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

// The flags of a tile's elements: false for padding.
static ValueId put_flags(Localizer *cx, const Runs *s) {
  Builder *b = cx->builder;
  const TypeInfo *tile = type_info(cx->context, value_type(b->p, cx->in[0]));
  Type type = type_tensor(cx->context, type_scalar(DT_i1), tile->rank, tile->dims, 0);
  Type flag = scalar_type(cx->context, type_scalar(DT_i1));
  ValueId all = build_splat(b, type, scalar_i(1));
  if (!localize_is_uneven(cx, 0, s->split)) return all;
  return build_mask_padding(b, all, s->split, localize_axes(cx, 0, s->split),
                            localize_size(cx, 0, s->split), build_splat(b, flag, scalar_i(0)));
}

static Attr with_dimensions(Localizer *cx, const Runs *s, const bool *which) {
  int64_t dims[MAX_RANK];
  uint32_t n = 0;
  for (uint32_t d = 0; d < s->rank; d++)
    if (which[d]) dims[n++] = d;
  return localize_with(cx, 0, "dimensions", attr_i64s(cx->context, n, dims));
}

// The type of input i without its inner dimensions.
static Type candidate_type(Localizer *cx, const Runs *s, ValueId v) {
  const TypeInfo *tile = type_info(cx->context, value_type(cx->builder->p, v));
  int64_t dims[MAX_RANK];
  uint32_t rank = 0;
  for (uint32_t d = 0; d < s->rank; d++)
    if (!s->inner[d]) dims[rank++] = tile->dims[d];
  return type_tensor(cx->context, tile->elem, rank, dims, 0);
}

// Each device's candidates.
static Status *put_candidates(Localizer *cx, const Runs *s, ValueId *out) {
  Builder *b = cx->builder;
  uint32_t n = cx->map->n_results;
  Attr attrs = with_dimensions(cx, s, s->inner);
  Type *types = ARENA_ARRAY(b->arena, Type, n + 1);
  ValueId *operands = ARENA_ARRAY(b->arena, ValueId, 2 * (size_t)n + 2);
  ValueId *copied = ARENA_ARRAY(b->arena, ValueId, n + 1);
  for (uint32_t i = 0; i < n; i++) types[i] = candidate_type(cx, s, cx->in[i]);
  TRY(localize_copy_as(cx, cx->in, attrs, types, copied));
  OpId copy = value_def(b->p, copied[0]);
  for (uint32_t i = 0; i < n; i++) {
    operands[i] = cx->in[i];
    operands[n + 1 + i] = cx->in[n + i];
  }
  operands[n] = put_flags(cx, s);
  operands[2 * n + 1] = build_splat(b, scalar_type(cx->context, type_scalar(DT_i1)), scalar_i(0));
  types[n] = candidate_type(cx, s, operands[n]);
  OpId op = build_op_many(b, op_at(b->p, copy)->code, 2 * n + 2, operands, n + 1, types, 1,
                          op_at(b->p, copy)->attrs);
  put_body(cx, copy, op, n);
  op_erase(b->p, copy);
  for (uint32_t i = 0; i < n; i++) out[i] = op_result(b->p, op, i);
  return NULL;
}

// All candidates in global order: one per device along the sharded dimension. Devices with an empty
// tile have none, and are trimmed.
static ValueId gather(Localizer *cx, const Runs *s, ValueId v) {
  Builder *b = cx->builder;
  const TypeInfo *info = type_info(cx->context, value_type(b->p, v));
  int64_t dims[MAX_RANK];
  for (uint32_t d = 0; d < info->rank + 1; d++)
    dims[d] = d == s->split ? 1 : info->dims[d - (d > s->split)];
  v = build_reshape(b, v, info->rank + 1, dims);
  v = build_all_gather(b, v, s->split, localize_axes(cx, 0, s->split));
  int64_t tile = localize_tile(cx, 0, s->split);
  v = build_trim_to(b, v, s->split, (localize_size(cx, 0, s->split) + tile - 1) / tile);
  for (uint32_t d = 0; d < s->split; d++) {
    if (!s->outer[d] || !localize_axes(cx, 0, d).n) continue;
    v = build_all_gather(b, v, d, localize_axes(cx, 0, d));
    v = build_trim_to(b, v, d, localize_size(cx, 0, d));
  }
  return v;
}

Status *reduce_localize(Localizer *cx) {
  Runs s;
  if (!find_runs(cx, &s)) return localize_default(cx);
  uint32_t n = cx->map->n_results;
  ValueId *operands = ARENA_ARRAY(cx->builder->arena, ValueId, 2 * (size_t)n + 1);
  TRY(put_candidates(cx, &s, operands));
  for (uint32_t i = 0; i < n; i++) {
    operands[i] = gather(cx, &s, operands[i]);
    operands[n + i] = cx->in[n + i];
  }
  s.outer[s.split] = true;
  return localize_copy(cx, operands, with_dimensions(cx, &s, s.outer));
}
