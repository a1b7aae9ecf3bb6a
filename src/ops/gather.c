// gather and dynamic_gather: for every index vector of start_indices, a slice of the operand, with
// the start clamped so that the slice lies inside. The strided copy of a slice is planned once and
// run for every index vector. O(index vectors * vector size + elements).
#include "ops/counting.h"
#include "ops/factors.h"
#include "ops/index_local.h"
#include "ops/move.h"
#include "tensor/strided.h"

// The dimension numbers, named as in the specification.
typedef struct GatherDims {
  Ints offset, collapsed, batching, start_batching, map;
  int64_t vector;  // index_vector_dim
} GatherDims;

// The constraint number of each check, in gather and in dynamic_gather. (The specification numbers
// the latter's without batching dimensions.)
typedef struct GatherNumbers {
  uint8_t ranks, vector, map_size, offset_sorted, offset_range, collapsed_unique, collapsed_sorted,
      collapsed_range, collapsed_size, batching_sorted, batching_range, batching_size, start_unique,
      start_range, start_vector, batching_count, batching_dims, map_unique, map_range, sizes_count,
      sizes_range, shape, elem;
} GatherNumbers;

static const GatherNumbers gather_numbers = {1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12,
                                             13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23};
static const GatherNumbers dynamic_gather_numbers = {.ranks = 1,
                                                     .vector = 2,
                                                     .map_size = 3,
                                                     .offset_sorted = 4,
                                                     .offset_range = 5,
                                                     .collapsed_unique = 6,
                                                     .collapsed_sorted = 6,
                                                     .collapsed_range = 7,
                                                     .collapsed_size = 8,
                                                     .map_unique = 9,
                                                     .map_range = 10,
                                                     .sizes_count = 11,
                                                     .sizes_range = 12,
                                                     .shape = 13,
                                                     .elem = 14};

static bool read_dims(Infer *cx, GatherDims *g) {
  Attr attr = infer_attr(cx, "dimension_numbers");
  g->vector = attr_as_int(cx->context, attr_get(cx->context, attr, "index_vector_dim"), 0);
  return move_field(cx, attr, "offset_dims", &g->offset) &&
         move_field(cx, attr, "collapsed_slice_dims", &g->collapsed) &&
         move_field(cx, attr, "operand_batching_dims", &g->batching) &&
         move_field(cx, attr, "start_indices_batching_dims", &g->start_batching) &&
         move_field(cx, attr, "start_index_map", &g->map);
}

// The checks that do not need slice_sizes.
static bool check_dims(Infer *cx, const GatherNumbers *no, const GatherDims *g,
                       const TypeInfo *operand, const TypeInfo *start) {
  REQUIRE(cx, no->ranks, operand->rank == g->offset.n + g->collapsed.n + g->batching.n,
          "the operand has rank %u, expected the total length of offset_dims %s, "
          "collapsed_slice_dims %s and operand_batching_dims %s, %u",
          operand->rank, move_ints_text(cx, g->offset), move_ints_text(cx, g->collapsed),
          move_ints_text(cx, g->batching), g->offset.n + g->collapsed.n + g->batching.n);
  REQUIRE(cx, no->vector, 0 <= g->vector && g->vector <= start->rank,
          "index_vector_dim is %lld, expected it in [0, %u]", (long long)g->vector, start->rank);
  int64_t size = g->vector < start->rank ? start->dims[g->vector] : 1;
  REQUIRE(cx, no->map_size, dim_compatible(size, g->map.n),
          "start_index_map %s has length %u, expected %lld, the size of an index vector",
          move_ints_text(cx, g->map), g->map.n, (long long)size);
  REQUIRE(cx, no->offset_sorted, ints_unique(g->offset) && ints_sorted(g->offset),
          "offset_dims are %s, expected ascending order without duplicates",
          move_ints_text(cx, g->offset));
  REQUIRE(cx, no->collapsed_unique, ints_unique_together(g->collapsed, g->batching),
          "collapsed_slice_dims %s and operand_batching_dims %s name a dimension twice, expected "
          "each at most once",
          move_ints_text(cx, g->collapsed), move_ints_text(cx, g->batching));
  REQUIRE(cx, no->collapsed_sorted, ints_sorted(g->collapsed),
          "collapsed_slice_dims are %s, expected ascending order",
          move_ints_text(cx, g->collapsed));
  REQUIRE(cx, no->collapsed_range, ints_within(g->collapsed, 0, operand->rank),
          "collapsed_slice_dims are %s, expected each in [0, %u)", move_ints_text(cx, g->collapsed),
          operand->rank);
  REQUIRE(cx, no->batching_sorted, ints_sorted(g->batching),
          "operand_batching_dims are %s, expected ascending order",
          move_ints_text(cx, g->batching));
  REQUIRE(cx, no->batching_range, ints_within(g->batching, 0, operand->rank),
          "operand_batching_dims are %s, expected each in [0, %u)", move_ints_text(cx, g->batching),
          operand->rank);
  REQUIRE(cx, no->start_unique, ints_unique(g->start_batching),
          "start_indices_batching_dims are %s, expected no dimension twice",
          move_ints_text(cx, g->start_batching));
  REQUIRE(cx, no->start_range, ints_within(g->start_batching, 0, start->rank),
          "start_indices_batching_dims are %s, expected each in [0, %u)",
          move_ints_text(cx, g->start_batching), start->rank);
  REQUIRE(cx, no->start_vector, !ints_contain(g->start_batching, g->vector),
          "start_indices_batching_dims %s contains index_vector_dim %lld, expected other "
          "dimensions only",
          move_ints_text(cx, g->start_batching), (long long)g->vector);
  REQUIRE(cx, no->batching_count, g->batching.n == g->start_batching.n,
          "operand_batching_dims %s and start_indices_batching_dims %s differ in length, expected "
          "equal lengths",
          move_ints_text(cx, g->batching), move_ints_text(cx, g->start_batching));
  for (uint32_t i = 0; i < g->batching.n; i++)
    REQUIRE(cx, no->batching_dims,
            dim_compatible(operand->dims[g->batching.v[i]], start->dims[g->start_batching.v[i]]),
            "batching dimension %lld of the operand has size %lld and %lld of start_indices %lld, "
            "expected equal",
            (long long)g->batching.v[i], (long long)operand->dims[g->batching.v[i]],
            (long long)g->start_batching.v[i], (long long)start->dims[g->start_batching.v[i]]);
  REQUIRE(cx, no->map_unique, ints_unique_together(g->map, g->batching),
          "start_index_map %s and operand_batching_dims %s name a dimension twice, expected each "
          "at most once",
          move_ints_text(cx, g->map), move_ints_text(cx, g->batching));
  REQUIRE(cx, no->map_range, ints_within(g->map, 0, operand->rank),
          "start_index_map is %s, expected each in [0, %u)", move_ints_text(cx, g->map),
          operand->rank);
  uint32_t rank = start->rank - (g->vector < start->rank) + g->offset.n;
  REQUIRE(cx, no->offset_range, ints_within(g->offset, 0, rank),
          "offset_dims are %s, expected each in [0, %u)", move_ints_text(cx, g->offset), rank);
  REQUIRE(cx, 0, rank <= MAX_RANK, "the result has rank %u, at most %d is supported", rank,
          MAX_RANK);
  return true;
}

static bool check_sizes(Infer *cx, const GatherNumbers *no, const GatherDims *g,
                        const TypeInfo *operand, Ints sizes) {
  REQUIRE(cx, no->sizes_count, sizes.n == operand->rank,
          "slice_sizes %s has length %u, expected %u, one entry per dimension",
          move_ints_text(cx, sizes), sizes.n, operand->rank);
  for (uint32_t i = 0; i < g->collapsed.n; i++)
    REQUIRE(cx, no->collapsed_size, sizes.v[g->collapsed.v[i]] <= 1,
            "collapsed dimension %lld has slice size %lld, expected at most 1",
            (long long)g->collapsed.v[i], (long long)sizes.v[g->collapsed.v[i]]);
  for (uint32_t i = 0; i < g->batching.n; i++)
    REQUIRE(cx, no->batching_size, sizes.v[g->batching.v[i]] <= 1,
            "batching dimension %lld has slice size %lld, expected at most 1",
            (long long)g->batching.v[i], (long long)sizes.v[g->batching.v[i]]);
  for (uint32_t d = 0; d < sizes.n; d++)
    REQUIRE(cx, no->sizes_range,
            0 <= sizes.v[d] && (operand->dims[d] == DIM_DYNAMIC || sizes.v[d] <= operand->dims[d]),
            "slice_sizes are %s, expected each from 0 to the operand's %s",
            move_ints_text(cx, sizes), infer_dims_text(cx, operand->rank, operand->dims));
  return true;
}

// The result's shape from that of start_indices and the slice sizes (NULL: unknown). Returns the
// rank.
static uint32_t combine(const GatherDims *g, uint32_t operand_rank, uint32_t start_rank,
                        const int64_t *start_dims, const int64_t *sizes, int64_t *out) {
  uint32_t rank = start_rank - (g->vector < start_rank) + g->offset.n;
  uint32_t from_operand = 0, from_start = 0;
  for (uint32_t d = 0; d < rank; d++) {
    if (ints_contain(g->offset, d)) {
      while (from_operand < operand_rank &&
             (ints_contain(g->collapsed, from_operand) || ints_contain(g->batching, from_operand)))
        from_operand++;
      out[d] = sizes ? sizes[from_operand] : DIM_DYNAMIC;
      from_operand++;
    } else {
      if (from_start == g->vector) from_start++;
      out[d] = start_dims[from_start++];
    }
  }
  return rank;
}

static bool infer_result_type(Infer *cx, const GatherNumbers *no, const GatherDims *g,
                              const TypeInfo *operand, const TypeInfo *start,
                              const int64_t *sizes) {
  int64_t dims[MAX_RANK], bounds[MAX_RANK], start_bounds[MAX_RANK];
  uint32_t rank = combine(g, operand->rank, start->rank, start->dims, sizes, dims);
  move_bounds(cx, 1, start_bounds);
  combine(g, operand->rank, start->rank, start_bounds, NULL, bounds);
  return move_same_elem(cx, no->elem, 0, operand->elem) &&
         move_same_shape(cx, no->shape, 0, rank, dims) &&
         move_infer(cx, 0, operand->elem, rank, dims, bounds);
}

static bool infer(Infer *cx) {
  const GatherNumbers *no = &gather_numbers;
  const TypeInfo *operand = move_operand(cx, 0), *start = move_operand(cx, 1);
  GatherDims g;
  Ints sizes;
  return operand && start && infer_not_per_axis(cx, 0) && move_integers(cx, 1, -1) &&
         read_dims(cx, &g) && move_ints(cx, "slice_sizes", &sizes) &&
         check_dims(cx, no, &g, operand, start) && check_sizes(cx, no, &g, operand, sizes) &&
         infer_result_type(cx, no, &g, operand, start, sizes.v);
}

static bool infer_dynamic(Infer *cx) {
  const GatherNumbers *no = &dynamic_gather_numbers;
  const TypeInfo *operand = move_operand(cx, 0), *start = move_operand(cx, 1);
  GatherDims g;
  if (!operand || !start || !infer_not_per_axis(cx, 0) || !move_integers(cx, 1, -1) ||
      !move_integers(cx, 2, 1) || !read_dims(cx, &g) || !check_dims(cx, no, &g, operand, start))
    return false;
  int64_t n = infer_operand_info(cx, 2)->dims[0];
  REQUIRE(cx, no->sizes_count, dim_compatible(n, operand->rank),
          "slice_sizes has length %lld, expected %u, one entry per dimension", (long long)n,
          operand->rank);
  Ints sizes = move_constant(cx, 2);
  if (sizes.ok && !check_sizes(cx, no, &g, operand, sizes)) return false;
  return infer_result_type(cx, no, &g, operand, start, sizes.ok ? sizes.v : NULL);
}

static Ints eval_field(EvalContext *cx, const char *name) {
  return attr_as_ints(cx->context, attr_get(cx->context, eval_attr(cx, "dimension_numbers"), name));
}

static GatherDims eval_dims(EvalContext *cx) {
  Attr vector = attr_get(cx->context, eval_attr(cx, "dimension_numbers"), "index_vector_dim");
  return (GatherDims){.offset = eval_field(cx, "offset_dims"),
                      .collapsed = eval_field(cx, "collapsed_slice_dims"),
                      .batching = eval_field(cx, "operand_batching_dims"),
                      .start_batching = eval_field(cx, "start_indices_batching_dims"),
                      .map = eval_field(cx, "start_index_map"),
                      .vector = attr_as_int(cx->context, vector, 0)};
}

// Checks sizes that are known only at run time.
static Status *check_run_time(EvalContext *cx, const GatherDims *g, const Literal *operand,
                              const Literal *start, Ints sizes) {
  if (sizes.n != operand->rank)
    FAIL(INVALID_ARGUMENT, "slice_sizes has length %u, expected %u, one entry per dimension",
         sizes.n, operand->rank);
  for (uint32_t d = 0; d < sizes.n; d++) {
    bool single = ints_contain(g->collapsed, d) || ints_contain(g->batching, d);
    if (sizes.v[d] < 0 || sizes.v[d] > operand->dims[d] || (single && sizes.v[d] > 1))
      FAIL(INVALID_ARGUMENT, "slice_sizes are %s, expected each at most the operand's %s",
           move_dims_text(cx, sizes.n, sizes.v), move_dims_text(cx, operand->rank, operand->dims));
  }
  if (g->map.n != (g->vector < start->rank ? start->dims[g->vector] : 1))
    FAIL(INVALID_ARGUMENT,
         "start_index_map has length %u, which does not match start_indices of shape %s", g->map.n,
         move_dims_text(cx, start->rank, start->dims));
  for (uint32_t i = 0; i < g->batching.n; i++)
    if (operand->dims[g->batching.v[i]] != start->dims[g->start_batching.v[i]])
      FAIL(INVALID_ARGUMENT,
           "the batching dimensions of the operand of shape %s and start_indices of shape %s have "
           "different sizes, expected equal",
           move_dims_text(cx, operand->rank, operand->dims),
           move_dims_text(cx, start->rank, start->dims));
  return NULL;
}

static Status *gather(EvalContext *cx, const Literal *operand, const Literal *start, Ints sizes,
                      Literal **out) {
  GatherDims g = eval_dims(cx);
  TRY(check_run_time(cx, &g, operand, start, sizes));
  int64_t dims[MAX_RANK];
  uint32_t rank = combine(&g, operand->rank, start->rank, start->dims, sizes.v, dims);
  TRY(move_new(cx, 0, operand->elem, rank, dims, out));
  Literal *result = *out;
  if (result->count == 0) return NULL;
  int64_t to[MAX_RANK], from[MAX_RANK], index_strides[MAX_RANK];
  shape_strides(rank, dims, to);
  shape_strides(operand->rank, operand->dims, from);
  shape_strides(start->rank, start->dims, index_strides);

  // The slice: operand dimensions that are neither collapsed nor batching are the offset_dims of
  // the result.
  int64_t block_dims[MAX_RANK], block_to[MAX_RANK], block_from[MAX_RANK];
  uint32_t n_block = 0;
  for (uint32_t d = 0; d < operand->rank; d++) {
    if (ints_contain(g.collapsed, d) || ints_contain(g.batching, d)) {
      if (sizes.v[d] == 0)
        return NULL;  // a collapsed slice of size 0: nothing to read, elements stay zero
      continue;
    }
    block_dims[n_block] = sizes.v[d];
    block_to[n_block] = to[g.offset.v[n_block]];
    block_from[n_block] = from[d];
    n_block++;
  }
  int64_t bytes = dtype_bytes(operand->dtype);
  StridedPlan block;
  strided_plan(&block, bytes, n_block, block_dims, block_to, block_from);

  // The index vectors: the other result dimensions are those of start_indices without
  // index_vector_dim.
  int64_t vector_dims[MAX_RANK], vector_to[MAX_RANK], vector_start[MAX_RANK],
      vector_from[MAX_RANK] = {0};
  uint32_t n_vector = 0;
  for (uint32_t d = 0; d < rank; d++) {
    if (ints_contain(g.offset, d)) continue;
    uint32_t s = n_vector + (n_vector >= g.vector);
    vector_dims[n_vector] = dims[d];
    vector_to[n_vector] = to[d];
    vector_start[n_vector] = index_strides[s];
    for (uint32_t i = 0; i < g.batching.n; i++)
      if (g.start_batching.v[i] == s) vector_from[n_vector] = from[g.batching.v[i]];
    n_vector++;
  }
  int64_t step = g.vector < start->rank ? index_strides[g.vector] : 0, at_vector[MAX_RANK] = {0};
  do {
    int64_t to_at = 0, from_at = 0, start_at = 0;
    for (uint32_t d = 0; d < n_vector; d++) {
      to_at += at_vector[d] * vector_to[d];
      from_at += at_vector[d] * vector_from[d];
      start_at += at_vector[d] * vector_start[d];
    }
    for (uint32_t i = 0; i < g.map.n; i++) {  // clamp each component of the index vector
      int64_t d = g.map.v[i], most = operand->dims[d] - sizes.v[d],
              at = move_index(start, start_at + i * step);
      from_at += (at < 0 ? 0 : at > most ? most : at) * from[d];
    }
    strided_run(&block, (char *)result->data + to_at * bytes,
                (const char *)operand->data + from_at * bytes);
  } while (shape_next(n_vector, vector_dims, at_vector));
  return NULL;
}

static Status *eval(EvalContext *cx, Literal *const *in, Literal **out) {
  return gather(cx, in[0], in[1], eval_ints(cx, "slice_sizes"), out);
}

static Status *eval_dynamic(EvalContext *cx, Literal *const *in, Literal **out) {
  if (in[2]->count > MAX_RANK)
    FAIL(INVALID_ARGUMENT, "slice_sizes has length %lld, at most %d is supported",
         (long long)in[2]->count, MAX_RANK);
  return gather(cx, in[0], in[1], move_indices(cx, in[2]), out);
}

// A random instance: each operand dimension becomes an offset, collapsed or batching one; each of
// start_indices a batching dimension, a free one or the index vector.
static OpId sample_code(Sample *cx, uint16_t code, bool batching) {
  int64_t dims[4], sizes[4], start_dims[5], offset[4], collapsed[4], batch[4], start_batch[4],
      map[4], order[8];
  uint32_t rank = sample_shape(cx, 4, dims), n_offset = 0, n_collapsed = 0, n_batch = 0, n_map = 0,
           n_start = 0;
  for (uint32_t d = 0; d < rank; d++) {
    int64_t role = sample_int(cx, 0, batching ? 3 : 2);
    sizes[d] = role ? (dims[d] > 0) : sample_int(cx, 0, dims[d]);
    if (role == 0)
      offset[n_offset++] = 0;
    else if (role == 3)
      batch[n_batch++] = d;
    else
      collapsed[n_collapsed++] = d;
    if (role != 3 && dims[d] > 0 && sample_chance(cx, 70)) map[n_map++] = d;
  }
  // start_indices: batching dims, up to two more, in random order; then the index vector somewhere.
  uint32_t n_free = (uint32_t)sample_int(cx, 0, n_batch > 2 ? 4 - n_batch : 2);
  n_start = n_batch + n_free;
  move_sample_order(cx, n_start, order);
  for (uint32_t i = 0; i < n_batch; i++) {
    start_batch[i] = order[i];
    start_dims[order[i]] = dims[batch[i]];
  }
  for (uint32_t i = n_batch; i < n_start; i++) start_dims[order[i]] = sample_int(cx, 0, 3);
  int64_t vector = n_start;
  if (n_map != 1 || sample_chance(cx, 50)) {
    vector = sample_int(cx, 0, n_start);
    for (uint32_t d = n_start; d > vector; d--) start_dims[d] = start_dims[d - 1];
    start_dims[vector] = n_map;
    for (uint32_t i = 0; i < n_batch; i++) start_batch[i] += start_batch[i] >= vector;
    n_start++;
  }
  // offset_dims: a sorted choice among the result's dims.
  uint32_t n_result = n_batch + n_free + n_offset;
  move_sample_order(cx, n_result, order);
  for (uint32_t i = 0, d = 0; d < n_result; d++)
    for (uint32_t k = 0; k < n_offset; k++)
      if (order[k] == d) offset[i++] = d;
  Context *c = cx->context;
  NamedAttr fields[6] = {
      {name_of(c, "offset_dims"), attr_i64s(c, n_offset, offset)},
      {name_of(c, "collapsed_slice_dims"), attr_i64s(c, n_collapsed, collapsed)},
      {name_of(c, "start_index_map"), attr_i64s(c, n_map, map)},
      {name_of(c, "index_vector_dim"), attr_i64(c, vector)},
      {name_of(c, "operand_batching_dims"), attr_i64s(c, n_batch, batch)},
      {name_of(c, "start_indices_batching_dims"), attr_i64s(c, n_batch, start_batch)}};
  Attr attrs = move_attr(cx, 0, "dimension_numbers",
                         sample_struct(cx, "stablehlo.gather", n_batch ? 6 : 4, fields));
  Type type,
      start_type = type_tensor(c, type_scalar(sample_dtype(cx, "s")), n_start, start_dims, 0);
  ValueId operands[3] = {move_sample(cx, "bsufc", rank, dims, &type)};
  operands[1] = sample_constant_i(cx, start_type, -2, 6);
  if (code == OP_gather) {
    attrs = move_attr(cx, attrs, "slice_sizes", attr_i64s(c, rank, sizes));
    return sample_op(cx, code, attrs, 2, operands, 1, NULL, 0);
  }
  operands[2] = move_sample_ints(cx, rank, sizes);
  return sample_op(cx, code, attrs, 3, operands, 1, NULL, 0);
}

static OpId sample(Sample *cx) { return sample_code(cx, OP_gather, true); }

static OpId sample_dynamic(Sample *cx) { return sample_code(cx, OP_dynamic_gather, false); }

static Ints factors_field(FactorContext *cx, const char *name) {
  Attr attr = attr_get(cx->context, factors_attr(cx, "dimension_numbers"), name);
  return attr ? attr_as_ints(cx->context, attr) : (Ints){.ok = true};
}

// A dimension of the operand with slices of size 1: each device contributes the elements that it
// has and zeros elsewhere; the sum is the result.
static void factors_indexed(FactorContext *cx, uint32_t d) {
  int64_t size = factors_dim(cx, 0, d);
  uint32_t factor = factors_on(cx, size, size == 1 ? FACTOR_REPLICATE : FACTOR_PASS, 0, d);
  if (size == 1) return;
  factors_reduce(cx, factor, COMBINE_SUM);
  factors_set_kinds(cx, factor, cx->build.factors.items[factor].kinds | FACTOR_OFFSET);
}

// The operand's dimension d is dimension `out` of the result (an offset dimension).
static void factors_offset(FactorContext *cx, uint32_t d, uint32_t out) {
  uint32_t result = factors_result(cx, 0);
  int64_t size = factors_dim(cx, 0, d), block = factors_dim(cx, result, out);
  if (size == block) {
    factors_also(cx, factors_on(cx, size, FACTOR_PASS, 0, d), result, out);
  } else if (block == 1) {
    factors_indexed(cx, d);
    factors_on(cx, 1, FACTOR_REPLICATE, result, out);
  } else {
    // A slice may lie in two shards; each contributes its elements, as in factors_indexed.
    uint32_t factor = factors_on(cx, size, FACTOR_REPLICATE | FACTOR_BLOCK, 0, d);
    factors_also(cx, factor, result, out);
    if (type_is_quant(cx->context, factors_type(cx, 0)->elem)) return;
    factors_set_kinds(cx, factor, FACTOR_REDUCE | FACTOR_OFFSET | FACTOR_BLOCK);
    factor_set_combine(&cx->build, factor, COMBINE_SUM);
  }
}

// The collapsed dimension of the operand through which the indices count along their dimension
// `start` (counting.h): it acts as a batching dimension. The operand's rank: none.
static uint32_t factors_counted(FactorContext *cx, uint32_t vector, uint32_t start) {
  Ints collapsed = factors_field(cx, "collapsed_slice_dims"),
       map = factors_field(cx, "start_index_map"), sizes = factors_ints(cx, "slice_sizes");
  uint32_t none = factors_rank(cx, 0);
  if (!cx->options.own || sizes.n != none) return none;
  cx->reads_context = true;
  for (uint32_t i = 0; i < map.n; i++) {
    uint32_t d = (uint32_t)map.v[i];
    if (ints_contain(collapsed, d) && sizes.v[d] == 1 && factors_dim(cx, 0, d) > 1 &&
        factors_dim(cx, 0, d) == factors_dim(cx, 1, start) &&
        counting_entry(cx->program, op_operand(cx->program, cx->op, 1), vector, i, start))
      return d;
  }
  return none;
}

static bool factors(FactorContext *cx) {
  Ints offset = factors_field(cx, "offset_dims"),
       collapsed = factors_field(cx, "collapsed_slice_dims"),
       batching = factors_field(cx, "operand_batching_dims"),
       start_batching = factors_field(cx, "start_indices_batching_dims");
  Attr numbers = factors_attr(cx, "dimension_numbers");
  uint32_t vector =
      (uint32_t)attr_as_int(cx->context, attr_get(cx->context, numbers, "index_vector_dim"), 0);
  uint32_t result = factors_result(cx, 0), operand_dim = 0, batch_dim = 0;
  bool counted[MAX_RANK] = {false};
  for (uint32_t d = 0; d < factors_rank(cx, result); d++) {
    if (ints_contain(offset, d)) {
      while (ints_contain(collapsed, operand_dim) || ints_contain(batching, operand_dim))
        operand_dim++;
      factors_offset(cx, operand_dim++, d);
      continue;
    }
    uint32_t start = batch_dim + (batch_dim >= vector);
    uint32_t factor = factors_on(cx, factors_dim(cx, result, d), FACTOR_PASS, result, d);
    factors_also(cx, factor, 1, start);
    for (uint32_t i = 0; i < batching.n; i++)
      if (start_batching.v[i] == start) factors_also(cx, factor, 0, (uint32_t)batching.v[i]);
    batch_dim++;
    if (ints_contain(start_batching, start)) continue;
    uint32_t along = factors_counted(cx, vector, start);
    if (along == factors_rank(cx, 0) || counted[along]) continue;
    counted[along] = true;
    factors_also(cx, factor, 0, along);
    factors_set_kinds(cx, factor, FACTOR_OFFSET);
  }
  for (uint32_t i = 0; i < collapsed.n; i++)
    if (!counted[collapsed.v[i]]) factors_indexed(cx, (uint32_t)collapsed.v[i]);
  if (vector < factors_rank(cx, 1))
    factors_on(cx, factors_dim(cx, 1, vector), FACTOR_REPLICATE, 1, vector);
  if (cx->n_operands > 2) factors_replicated(cx, 2);
  return true;
}

const OpDef op_gather = {.touch = TOUCH_PICKED,
                         .infer = infer,
                         .eval = eval,
                         .sample = sample,
                         .constraints = 23,
                         .factors = factors,
                         .splits = gather_splits,
                         .localize = gather_localize};
const OpDef op_dynamic_gather = {.touch = TOUCH_PICKED,
                                 .infer = infer_dynamic,
                                 .eval = eval_dynamic,
                                 .sample = sample_dynamic,
                                 .constraints = 14,
                                 .factors = factors};
