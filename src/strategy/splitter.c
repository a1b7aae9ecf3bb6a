// Which factors of an op can be split, and the shardings that follow from axes per factor.
#include "strategy/splitter.h"

#include "cost/tuning.h"

void splitter_init(Splitter *s, Builder *builder, OpId op, const FactorMap *m) {
  *s = (Splitter){.p = builder->p,
                  .builder = builder,
                  .op = op,
                  .m = m,
                  .def = op_row(op_at(builder->p, op)->code)->def};
}

static const int64_t MOST_ELEMENTS = (int64_t)1 << 56;  // along a dimension

// Some types stay replicated. Per-axis quantized elements depend on their index, and no collective
// moves them. Tensors of unknown size have no tiles. Buffers are not values. Sizes above 2^56 could
// overflow when halos or padding are added.
bool splitter_is_movable(const Context *context, Type type) {
  const TypeInfo *info = type_info(context, type);
  const QuantInfo *quant = type_quant_info(context, type);
  for (uint32_t d = 0; info->kind == TYPE_TENSOR && d < info->rank; d++)
    if (info->dims[d] > MOST_ELEMENTS) return false;
  return (!quant || quant->axis < 0) && type_is_static(context, type) && info->kind != TYPE_MEMREF;
}

static Type tensor_type(const Splitter *s, uint32_t i) {
  uint32_t n = s->m->n_operands;
  return i < n ? op_operand_type(s->p, s->op, i) : op_result_type(s->p, s->op, i - n);
}

bool splitter_needs_no_column(const Factor *factor) {
  return factor->kinds == FACTOR_PASS ||
         (factor->kinds == FACTOR_REDUCE && combine_is_named((Combine)factor->combine));
}

// How many of the tensors have the factor.
static uint32_t count_having(const FactorMap *m, uint32_t first, uint32_t end, uint32_t f) {
  uint32_t n = 0;
  for (uint32_t i = first; i < end; i++) n += factor_map_find(m, i, f, NULL, NULL);
  return n;
}

// A user's rule may have factors that only one tensor has (JAX: the matrices of LAPACK calls). Such
// a factor cannot be split: a pass-through factor is in operands and results, any other in
// operands.
static bool connects_tensors(const FactorMap *m, uint32_t f) {
  uint32_t end = factor_map_n_tensors(m);
  return count_having(m, 0, m->n_operands, f) &&
         (m->factors[f].kinds != FACTOR_PASS || count_having(m, m->n_operands, end, f));
}

// A contracted dimension.
static bool adds_products(const FactorMap *m, uint32_t f) {
  return (m->factors[f].kinds & FACTOR_REDUCE) && m->factors[f].combine == COMBINE_SUM &&
         count_having(m, 0, m->n_operands, f) >= 2;
}

// Would partial sums lose precision? A partial sum of 16-bit floats is rounded before it is
// reduced. In a sum of few terms that error is large, so the factor is not split.
enum { SHORT_BITS = 10 };  // mantissa

static bool loses_precision(const Splitter *s, uint32_t f) {
  if (!adds_products(s->m, f)) return false;
  // Terms of all contracted dimensions together: a batch of few long sequences has many.
  int64_t many = tuning.rounded_least_terms, terms = 1;
  for (uint32_t g = 0; g < s->m->n_factors && terms < many; g++)
    if (adds_products(s->m, g) && s->m->factors[g].size > 0)
      terms *= s->m->factors[g].size < many ? s->m->factors[g].size : many;
  if (terms >= many) return false;
  for (uint32_t i = 0; i < s->m->n_results; i++) {
    DType dtype = type_dtype(s->p->context, op_result_type(s->p, s->op, i));
    if (dtype_is_float(dtype) && dtype_info(dtype)->mantissa_bits <= SHORT_BITS) return true;
  }
  return false;
}

// Does a factor of size 1 fill a larger dimension of the result (a pad)? Then the op may split it:
// one device has the element, the others have padding values.
static bool is_padded_from_one(const Splitter *s, uint32_t f) {
  uint32_t n = s->m->n_operands, dim, place;
  for (uint32_t i = n; i < n + s->m->n_results; i++) {
    if (!factor_map_find(s->m, i, f, &dim, &place)) continue;
    const TypeInfo *info = type_info(s->p->context, tensor_type(s, i));
    if (factor_map_dim(s->m, i, dim).n == 1 && info->dims[dim] > 1) return true;
  }
  return false;
}

bool splitter_can_split(const Splitter *s, uint32_t f) {
  const Factor *factor = &s->m->factors[f];
  if ((factor->size <= 1 && !(factor->size == 1 && is_padded_from_one(s, f))) ||
      (s->m->custom && !connects_tensors(s->m, f)))
    return false;
  if (loses_precision(s, f)) return false;
  // A sum masks padding by zeros. f8E8M0FNU has none.
  for (uint32_t i = 0; factor->combine == COMBINE_SUM && i < s->m->n_operands; i++) {
    Type type = op_operand_type(s->p, s->op, i);
    if (!dtype_has_zero(type_dtype(s->p->context, type))) return false;
  }
  return splitter_needs_no_column(factor) || (s->def && s->def->splits && !s->m->custom);
}

bool splitter_is_taken(const Splitter *s, const FactorSplit *splits, AxisRef axis) {
  AxisList manual = s->builder->manual;
  for (uint32_t i = 0; i < s->carried.n + manual.n; i++) {
    AxisRef other = i < s->carried.n ? s->carried.v[i] : manual.v[i - s->carried.n];
    if (axis_overlaps(other, axis) || !axis_can_coexist(other, axis)) return true;
  }
  for (uint32_t f = 0; f < s->m->n_factors; f++)
    for (uint32_t i = 0; i < splits[f].axes.n; i++) {
      AxisRef other = splits[f].axes.v[i];
      if (axis_overlaps(other, axis) || !axis_can_coexist(other, axis)) return true;
    }
  return false;
}

AxisList splitter_free_axes(const Splitter *s, const FactorSplit *splits, AxisList axes) {
  AxisRef *free = ARENA_ARRAY(s->builder->arena, AxisRef, axes.n + 1);
  uint32_t n = 0;
  for (; n < axes.n && !splitter_is_taken(s, splits, axes.v[n]); n++) free[n] = axes.v[n];
  return (AxisList){free, n};
}

bool splitter_takes_strides(const Splitter *s) {
  if (s->blocks) return false;
  return !s->def || s->m->custom || s->def->strides || (!s->def->splits && !s->def->localize);
}

// Removes splits that no sharding can express (localize_only_blocks), and uneven splits of ops that
// fail on some values: padding could be such a value.
static void drop_inexpressible(const Splitter *s, Localizer *cx) {
  for (uint32_t f = 0; s->def && s->def->fails && f < s->m->n_factors; f++)
    if (s->m->factors[f].size % axes_size(cx->splits[f].axes)) localize_unsplit(cx, f);
  localize_only_blocks(cx);
}

// A value has one reducer. The carried partial sums set it, else the first factor that reduces;
// factors with another reducer are not split.
static void keep_one_reducer(const Splitter *s, FactorSplit *splits) {
  Combine one = s->carried_out;
  for (uint32_t f = 0; f < s->m->n_factors; f++) {
    if (!splits[f].axes.n || !splits[f].reducer) continue;
    if (one == COMBINE_NONE) one = splits[f].reducer;
    if (one != splits[f].reducer) splits[f].axes.n = splits[f].n_strides = 0;
  }
}

// The sharding of one dimension, from the splits of the factors in it, major to minor. Neighbours
// merge while the tile stays contiguous: the minor one is not split, or the major one is split into
// single elements. One ShardFactor that remains is a block, several are a strided sharding.
static DimSharding dim_sharding(const Splitter *s, const Localizer *cx, uint32_t tensor,
                                uint32_t d) {
  Arena *arena = s->builder->arena;
  FactorList list = factor_map_dim(s->m, tensor, d);
  uint32_t most = 1, n = 0;
  for (uint32_t i = 0; i < list.n; i++) most += cx->splits[list.v[i]].n_strides + 1;
  ShardFactor *out = ARENA_ARRAY(arena, ShardFactor, most);
  for (uint32_t i = 0; i < list.n; i++) {
    const FactorSplit *split = &cx->splits[list.v[i]];
    bool is_split = *localize_has(cx, tensor, list.v[i]) && split->axes.n;
    ShardFactor one = {s->m->factors[list.v[i]].size, is_split ? split->axes : (AxisList){NULL, 0}};
    const ShardFactor *from = is_split && split->n_strides ? split->strides : &one;
    for (uint32_t k = 0; k < (from == &one ? 1 : split->n_strides); k++) {
      bool merges = n && (!from[k].axes.n || axes_size(out[n - 1].axes) == out[n - 1].size);
      if (!merges) {
        out[n++] = from[k];
        continue;
      }
      out[n - 1].size *= from[k].size;
      out[n - 1].axes = axes_concat(arena, out[n - 1].axes, from[k].axes);
    }
  }
  if (n == 1) out[0].size = 0;
  return (DimSharding){out, n, false, PRIORITY_NONE};
}

// The sharding of a tensor that follows from the splits; 0 = replicated. A result is unreduced
// along the axes of reduced factors that it does not have, and along the carried axes.
static Sharding tensor_sharding(const Splitter *s, const Localizer *cx, uint32_t tensor) {
  Arena *arena = s->builder->arena;
  const FactorMap *m = s->m;
  uint32_t rank = factor_map_rank(m, tensor);
  DimSharding *dims = ARENA_ARRAY(arena, DimSharding, rank + 1);
  bool any = false;
  for (uint32_t d = 0; d < rank; d++) {
    dims[d] = dim_sharding(s, cx, tensor, d);
  }
  ShardingInfo info = {.mesh = s->builder->mesh, .rank = rank, .dims = dims};
  for (uint32_t d = 0; d < rank; d++) any |= sharding_tiles(&info, d) > 1;
  bool result = tensor >= m->n_operands;
  for (uint32_t f = 0; result && f < m->n_factors; f++) {
    if (*localize_has(cx, tensor, f) || !cx->splits[f].axes.n || !cx->splits[f].reducer) continue;
    info.unreduced = axes_concat(arena, info.unreduced, cx->splits[f].axes);
    info.reducer = cx->splits[f].reducer;
  }
  if (s->carried.n && (result || s->partial[tensor])) {
    info.unreduced = axes_concat(arena, info.unreduced, s->carried);
    info.reducer = result ? s->carried_out : s->carried_in;
  }
  return any || info.unreduced.n ? sharding_intern(s->builder->table, &info) : 0;
}

Price splitter_own_price(const Localizer *cx, const Network *network, uint32_t steps,
                         Arena *arena) {
  AxisList some = {NULL, 0}, all = {NULL, 0};
  for (uint32_t f = 0; cx->bytes > 0 && f < cx->map->n_factors; f++) {
    all = axes_concat(arena, all, cx->splits[f].axes);
    if (!splitter_needs_no_column(&cx->map->factors[f]))
      some = axes_concat(arena, some, cx->splits[f].axes);
  }
  Route route = network_route(network, some.n ? some : all);
  return price_steps(route_slowest(&route), steps, cx->bytes);
}

void splitter_derive(const Splitter *s, Localizer *cx, Sharding *in_as, Sharding *out_as) {
  drop_inexpressible(s, cx);
  localize_decide(cx);
  keep_one_reducer(s, cx->splits);
  for (uint32_t i = 0; i < s->m->n_operands; i++) in_as[i] = tensor_sharding(s, cx, i);
  for (uint32_t i = 0; i < s->m->n_results; i++)
    out_as[i] = tensor_sharding(s, cx, s->m->n_operands + i);
}
