// top_k along a sharded dimension.
//
// Idea: each device finds its own k largest entries, an all_gather collects them, and top_k of
// these is the result. A device receives k entries per device instead of its tile.
//
// Invariant: equal entries keep the order of their indices in both steps, as globally. Padding is
// masked by the least element, which loses against every entry before it. An approximate top-k
// calls a comparator, whose result on padding is unknown: it is not split unevenly.
#include "ops/custom_factors.h"
#include "ops/custom_topk.h"
#include "ops/sort_local.h"
#include "tensor/strided.h"

typedef struct TopK {
  uint32_t along, factor;
  int64_t k, kept;  // kept: entries per device
  bool largest;
} TopK;

static bool is_custom(const Localizer *cx) {
  return op_at(cx->program, cx->op)->code == OP_custom_call;
}

static TopK top_k_of(const Localizer *cx) {
  Context *c = cx->context;
  uint32_t along = localize_type(cx, 0)->rank - 1;
  TopK t = {along, localize_factor(cx, 0, along), localize_size(cx, 1, along), 0, true};
  if (is_custom(cx))
    t.largest = attr_as_bool(c, attr_get(c, localize_attr(cx, "mhlo.attributes"), "largest"), true);
  int64_t tile = localize_tile(cx, 0, along);
  t.kept = t.k < tile ? t.k : tile;
  return t;
}

void top_k_splits(Localizer *cx) {
  bool known = localize_n_operands(cx) == 1 && cx->map->n_results == 2;
  const TypeInfo *type = known ? localize_type(cx, 0) : NULL;
  known = known && type->rank > 0 && !type_is_quant(cx->context, type->elem);
  uint32_t f = known ? localize_factor(cx, 0, type->rank - 1) : 0;
  if (!known || !localize_is_split(cx, f)) {
    localize_only_default(cx);
    return;
  }
  TopK t = top_k_of(cx);
  double bytes = dtype_bytes(type_dtype(cx->context, type->elem)), others = 1;
  double sent = (double)t.kept * (bytes + 4), tile = (double)localize_tile(cx, 0, t.along);
  for (uint32_t d = 0; d < t.along; d++) others *= (double)localize_tile(cx, 0, d);
  if (sent >= tile * bytes || others == 0) {  // gathering the operand is cheaper
    localize_only_default(cx);
    return;
  }
  *localize_has(cx, 1, f) = *localize_has(cx, 2, f) = false;
  cx->bytes += (double)(localize_ways(cx, f) - 1) * sent * others;
}

// The op with another operand and another k.
static Status *put_top_k(Localizer *cx, ValueId operand, const TopK *t, int64_t k, ValueId out[2]) {
  Context *c = cx->context;
  Builder *b = cx->builder;
  Attr number = attr_i64(c, k), attrs;
  if (is_custom(cx))
    attrs = localize_with(cx, 0, "mhlo.attributes",
                          attr_dict_with(c, localize_attr(cx, "mhlo.attributes"), "k", number));
  else
    attrs = localize_with(cx, 0, "k", number);
  Type types[2];
  for (uint32_t i = 0; i < 2; i++)
    types[i] =
        type_with_elem(c, type_with_dim(b->p->context, value_type(b->p, operand), t->along, k),
                       localize_type(cx, 1 + i)->elem);
  return localize_copy_as(cx, &operand, attrs, types, out);
}

// from[…, at[…, i]]
static ValueId put_take(Localizer *cx, ValueId from, ValueId at) {
  Builder *b = cx->builder;
  Context *c = cx->context;
  const TypeInfo *type = type_info(c, value_type(b->p, at));
  uint32_t rank = type->rank;
  int64_t dims[MAX_RANK + 1], batch[MAX_RANK], ones[MAX_RANK], last = rank - 1;
  for (uint32_t d = 0; d < rank; d++) dims[d] = type->dims[d], batch[d] = d, ones[d] = 1;
  dims[rank] = 1;
  at = build_reshape(b, at, rank + 1, dims);
  NamedAttr fields[] = {{name_of(c, "collapsed_slice_dims"), attr_i64s(c, 1, &last)},
                        {name_of(c, "start_index_map"), attr_i64s(c, 1, &last)},
                        {name_of(c, "index_vector_dim"), attr_i64(c, rank)},
                        {name_of(c, "operand_batching_dims"), attr_i64s(c, rank - 1, batch)},
                        {name_of(c, "start_indices_batching_dims"), attr_i64s(c, rank - 1, batch)}};
  Attr numbers = attr_struct(c, "stablehlo.gather", rank > 1 ? 5 : 3, fields);
  NamedAttr attrs[] = {{name_of(c, "dimension_numbers"), numbers},
                       {name_of(c, "slice_sizes"), attr_i64s(c, rank, ones)}};
  Type elem = type_info(c, value_type(b->p, from))->elem;
  return build_op(b, OP_gather, 2, (ValueId[]){from, at}, type_tensor(c, elem, rank, dims, 0),
                  attr_dict(c, 2, attrs));
}

Status *top_k_localize(Localizer *cx) {
  Builder *b = cx->builder;
  uint32_t rank = localize_n_operands(cx) ? factor_map_rank(cx->map, 0) : 0;
  AxisList axes = rank ? localize_axes(cx, 0, rank - 1) : (AxisList){NULL, 0};
  if (!axes.n) return localize_default(cx);
  TopK t = top_k_of(cx);
  ValueId operand = cx->in[0], own[2], all[2], best[2];
  if (localize_is_uneven(cx, 0, t.along))
    operand = build_mask_padding(b, operand, t.along, axes, localize_size(cx, 0, t.along),
                                 sort_last(b, localize_type(cx, 0)->elem, t.largest));
  TRY(put_top_k(cx, operand, &t, t.kept, own));
  if (!t.k) {
    cx->out[0] = own[0], cx->out[1] = own[1];
    return NULL;
  }
  ValueId offset = localize_offset(cx, 0, t.along);
  Type index = value_type(b->p, own[1]);
  offset = build_convert(b, offset, localize_type(cx, 2)->elem);
  own[1] = build_binary(b, OP_add, own[1], build_broadcast(b, offset, index));
  for (uint32_t i = 0; i < 2; i++) all[i] = build_all_gather(b, own[i], t.along, axes);
  TRY(put_top_k(cx, all[0], &t, t.k, best));
  cx->out[0] = best[0];
  cx->out[1] = put_take(cx, all[1], best[1]);
  return NULL;
}

// ---- with a called comparator ----

// The reduction dimension; MAX_RANK if it is absent or out of range.
static uint32_t approx_along(const Localizer *cx) {
  int64_t along = custom_reduction_dim(cx->program, cx->op);
  bool good = localize_n_operands(cx) > 0 && along >= 0 && along < localize_type(cx, 0)->rank;
  return good ? (uint32_t)along : MAX_RANK;
}

// All other dimensions are split by default.
void approx_top_k_splits(Localizer *cx) {
  uint32_t n = cx->map->n_results, result = localize_n_operands(cx), d = approx_along(cx);
  uint32_t f = d < MAX_RANK ? localize_factor(cx, 0, d) : 0;
  AxisList axes = d < MAX_RANK ? cx->splits[f].axes : (AxisList){NULL, 0};
  localize_only_default(cx);
  if (!axes.n) return;
  cx->splits[f].axes = axes;
  double bytes = 0;
  for (uint32_t i = 0; i < n; i++) bytes += localize_bytes_across(cx, i, d);
  int64_t kept = localize_size(cx, result, d), tile = localize_tile(cx, 0, d);
  if (localize_is_uneven(cx, 0, d) || kept >= tile) {
    localize_unsplit(cx, f);
    return;
  }
  cx->bytes += bytes * (double)(kept * (localize_ways(cx, f) - 1));
}

Status *approx_top_k_localize(Localizer *cx) {
  Builder *b = cx->builder;
  uint32_t along = approx_along(cx);
  AxisList axes = along < MAX_RANK ? localize_axes(cx, 0, along) : (AxisList){NULL, 0};
  if (!axes.n) return localize_default(cx);
  uint32_t n = cx->map->n_results;
  ValueId *operands = ARENA_ARRAY(b->arena, ValueId, 2 * (size_t)n);
  TRY(localize_copy(cx, cx->in, 0));
  for (uint32_t i = 0; i < n; i++) {
    operands[i] = build_all_gather(b, cx->out[i], along, axes);
    operands[n + i] = cx->in[n + i];
  }
  return localize_copy(cx, operands, 0);
}
