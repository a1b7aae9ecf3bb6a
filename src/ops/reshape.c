// reshape and dynamic_reshape (also CHLO's): the same elements in the same order in another shape.
// eval: one copy, O(elements).
//
// Factors: the shapes are refined to common factors, major to minor: [6,4] -> [2,12] has the
// factors (2,3),(4) and (2),(3,4). On shards: if factors and tiles agree, the op is copied with
// local shapes. Otherwise operand and result tile the same flat run of elements with different tile
// sizes, and a window (build_window) converts between them.
#include "ops/localize.h"
#include "ops/move.h"

static bool infer_against(Infer *cx, const TypeInfo *operand, const TypeInfo *result) {
  REQUIRE(cx, 1, move_same_elem_but_axis(cx->context, operand->elem, result->elem, false),
          "the result's element type is %s, expected the operand's %s",
          infer_text(cx, result->elem), infer_text(cx, operand->elem));
  if (!move_reshape_agrees(cx, operand, result)) return false;
  return infer_declared(cx);
}

static bool infer(Infer *cx) {
  const TypeInfo *operand = move_operand(cx, 0), *result = move_result(cx, 0);
  if (!operand || cx->failed) return false;
  return result ? infer_against(cx, operand, result) : infer_declared(cx);
}

static bool infer_dynamic(Infer *cx) {
  const TypeInfo *operand = move_operand(cx, 0);
  if (!operand || !move_integers(cx, 1, 1)) return false;
  const TypeInfo *shape = move_operand(cx, 1), *result = move_result(cx, 0);
  if (!shape || cx->failed) return false;
  Ints known = move_constant(cx, 1);
  if (known.ok)
    REQUIRE(cx, 0, ints_within(known, 0, INT64_MAX),
            "output_shape is %s, expected sizes of at least 0", move_ints_text(cx, known));
  const QuantInfo *quant = type_quant_info(cx->context, operand->elem);
  if (!result && known.ok && (!quant || quant->axis < 0))
    return move_infer(cx, 0, operand->elem, known.n, known.v, NULL);
  if (!result) return infer_declared(cx);
  REQUIRE(cx, 4, dim_compatible(shape->dims[0], result->rank),
          "output_shape has length %lld, expected %u, one entry per dimension of the result",
          (long long)shape->dims[0], result->rank);
  return infer_against(cx, operand, result) &&
         (!known.ok || move_same_shape(cx, 0, 0, known.n, known.v));
}

// Copies with a new shape, whose number of elements is known only at run time.
static Status *reshape(EvalContext *cx, const Literal *operand, uint32_t rank, const int64_t *dims,
                       Literal **out) {
  Literal *result;
  TRY(move_new(cx, 0, operand->elem, rank, dims, &result));
  if (result->count != operand->count)
    FAIL(INVALID_ARGUMENT,
         "the operand's shape %s has %lld elements and the result's %s has %lld, expected equal "
         "numbers",
         move_dims_text(cx, operand->rank, operand->dims), (long long)operand->count,
         move_dims_text(cx, rank, dims), (long long)result->count);
  literal_copy_elements(result, 0, operand, 0, operand->count);
  *out = result;
  return NULL;
}

// Fills in one dynamic dim from the number of elements; false if more than one is dynamic.
static bool complete_shape(const TypeInfo *type, int64_t count, int64_t *out) {
  uint32_t open = type->rank;
  for (uint32_t d = 0; d < type->rank; d++) {
    out[d] = type->dims[d];
    if (out[d] != DIM_DYNAMIC) continue;
    if (open < type->rank) return false;
    open = d;
  }
  if (open == type->rank) return true;
  int64_t known = 1;
  for (uint32_t d = 0; d < type->rank; d++)
    if (d != open && __builtin_mul_overflow(known, out[d], &known)) return false;
  if (known == 0 || count % known) return false;
  out[open] = count / known;
  return true;
}

static Status *eval(EvalContext *cx, Literal *const *in, Literal **out) {
  const TypeInfo *type = type_info(cx->context, eval_result_type(cx, 0));
  int64_t dims[MAX_RANK];
  if (!complete_shape(type, in[0]->count, dims))
    FAIL(INVALID_ARGUMENT,
         "the operand's %lld elements do not determine the shape of the result %s",
         (long long)in[0]->count, type_text(cx->context, eval_result_type(cx, 0)));
  return reshape(cx, in[0], type->rank, dims, out);
}

static Status *eval_dynamic(EvalContext *cx, Literal *const *in, Literal **out) {
  if (in[1]->count > MAX_RANK)
    FAIL(INVALID_ARGUMENT, "output_shape has length %lld, at most %d is supported",
         (long long)in[1]->count, MAX_RANK);
  Ints dims = move_indices(cx, in[1]);
  return reshape(cx, in[0], dims.n, dims.v, out);
}

// A random shape with as many elements as dims: their prime factors in a new distribution.
static uint32_t other_shape(Sample *cx, uint32_t rank, const int64_t *dims, int64_t *out) {
  uint32_t n = (uint32_t)sample_int(cx, rank > 0, 4);
  for (uint32_t d = 0; d < n; d++) out[d] = 1;
  for (uint32_t d = 0; d < rank; d++) out[sample_int(cx, 0, n - 1)] *= dims[d];
  return n;
}

static OpId sample(Sample *cx) {
  int64_t dims[4], to[4];
  uint32_t rank = sample_shape(cx, 4, dims);
  Type type;
  ValueId operand = move_sample(cx, "bsufc", rank, dims, &type);
  uint32_t n = other_shape(cx, rank, dims, to);
  Type result = type_tensor(cx->context, type_elem(cx->context, type), n, to, 0);
  return sample_op(cx, OP_reshape, 0, 1, &operand, 1, &result, 0);
}

static OpId sample_dynamic_code(Sample *cx, uint16_t code) {
  int64_t dims[4], to[4];
  uint32_t rank = sample_shape(cx, 4, dims);
  Type type;
  ValueId operands[2] = {move_sample(cx, "bsufc", rank, dims, &type)};
  uint32_t n = other_shape(cx, rank, dims, to);
  operands[1] = move_sample_ints(cx, n, to);
  for (uint32_t d = 0; d < n; d++)
    if (sample_chance(cx, 50)) to[d] = DIM_DYNAMIC;
  Type result = type_tensor(cx->context, type_elem(cx->context, type), n, to, 0);
  return sample_op(cx, code, 0, 2, operands, 1, &result, 0);
}

static OpId sample_dynamic(Sample *cx) { return sample_dynamic_code(cx, OP_dynamic_reshape); }

static OpId sample_chlo(Sample *cx) { return sample_dynamic_code(cx, OP_chlo_dynamic_reshape); }

static int64_t gcd(int64_t a, int64_t b) {
  while (b) {
    int64_t rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

// One side of the walk: the current dimension, its remaining size, and the product of the factors
// so far.
typedef struct Side {
  const int64_t *dims;
  uint32_t tensor, rank, dim;
  int64_t left, product;
} Side;

static void side_load(Side *side) {
  if (side->left == 1 && side->dim < side->rank) side->left = side->dims[side->dim];
}

static void side_take(Side *side, FactorContext *cx, uint32_t factor, int64_t size) {
  factors_also(cx, factor, side->tensor, side->dim);
  side->left /= size;
  side->product *= size;
  if (side->left == 1) side->dim++;
}

// A size of 1 is a factor of its own.
static bool side_single(Side *side, FactorContext *cx) {
  if (side->left != 1 || side->dim >= side->rank || side->dims[side->dim] != 1) return false;
  factors_on(cx, 1, FACTOR_PASS, side->tensor, side->dim++);
  return true;
}

// A factor of this side only: its tiles are no tiles of the other side, so it needs replication.
static void side_take_alone(Side *side, FactorContext *cx, int64_t size) {
  uint32_t factor = factor_add(&cx->build, size, FACTOR_PASS);
  factors_set_kinds(cx, factor, FACTOR_REPLICATE);
  side_take(side, cx, factor, size);
}

// The side with the smaller product takes a factor alone: one that makes the products equal, or one
// that leaves the common divisor of the remaining sizes, or the remaining dimension.
static void side_catch_up(Side *side, FactorContext *cx, const Side *ahead, int64_t common) {
  int64_t size = side->left, gap = ahead->product / side->product;
  if (ahead->product % side->product == 0 && side->left % gap == 0)
    size = gap;
  else if (side->left > common)
    size = side->left / common;
  side_take_alone(side, cx, size);
}

// Walks both shapes from major to minor. While the products of the factors so far are equal, the
// gcd of the remaining sizes of the two dimensions is a common factor. If that is 1, each side
// takes factors alone until the products are equal again. O(log of the sizes) steps per dimension.
static bool factors(FactorContext *cx) {
  const TypeInfo *from = factors_type(cx, 0), *to = factors_type(cx, factors_result(cx, 0));
  if (from->kind != TYPE_TENSOR || to->kind != TYPE_TENSOR) return false;
  Side in = {from->dims, 0, from->rank, 0, 1, 1},
       out = {to->dims, factors_result(cx, 0), to->rank, 0, 1, 1};
  for (uint32_t d = 0; d < in.rank; d++)
    if (in.dims[d] <= 0) return false;
  for (uint32_t d = 0; d < out.rank; d++)
    if (out.dims[d] <= 0) return false;
  while (in.dim < in.rank || out.dim < out.rank) {
    if (side_single(&in, cx) || side_single(&out, cx)) continue;
    side_load(&in);
    side_load(&out);
    int64_t common = gcd(in.left, out.left);
    if (in.product != out.product) {
      bool behind = in.product < out.product;
      side_catch_up(behind ? &in : &out, cx, behind ? &out : &in, common);
    } else if (common > 1) {
      uint32_t factor = factor_add(&cx->build, common, FACTOR_PASS);
      side_take(&in, cx, factor, common);
      side_take(&out, cx, factor, common);
    } else {
      side_take_alone(&in, cx, in.left);
      side_take_alone(&out, cx, out.left);
    }
  }
  if (cx->n_operands > 1) factors_replicated(cx, 1);
  return true;
}

// ---- on shards ----

// A minimal group of dimensions of operand and result with the same elements: [2,6] and [3,4].
typedef struct Run {
  uint32_t first[2], end[2];  // of the operand, of the result
  int64_t size;
  // Both are sharded along their major-most dimension with different tile sizes, so tiles start at
  // different elements of the flat run. A window converts them.
  bool shifted;
} Run;

// The major-most dimension of a run whose size is not 1; false: there is none.
static bool run_head(const Localizer *cx, const Run *run, uint32_t side, uint32_t *out) {
  for (uint32_t d = run->first[side]; d < run->end[side]; d++) {
    if (localize_size(cx, side, d) == 1) continue;
    *out = d;
    return true;
  }
  return false;
}

static uint32_t find_runs(const Localizer *cx, Run *runs) {
  const TypeInfo *types[2] = {localize_type(cx, 0), localize_type(cx, 1)};
  uint32_t n = 0, at[2] = {0, 0};
  while (at[0] < types[0]->rank || at[1] < types[1]->rank) {
    Run run = {.first = {at[0], at[1]}};
    int64_t size[2] = {1, 1};
    do {
      uint32_t side =
          at[1] == types[1]->rank || (at[0] < types[0]->rank && size[0] <= size[1]) ? 0 : 1;
      size[side] *= types[side]->dims[at[side]++];
    } while (size[0] != size[1]);
    run.end[0] = at[0], run.end[1] = at[1];
    run.size = size[0];
    runs[n++] = run;
  }
  return n;
}

// The number of elements of the run in a tile.
static int64_t run_tile(const Localizer *cx, const Run *run, uint32_t side) {
  int64_t tile = 1;
  for (uint32_t d = run->first[side]; d < run->end[side]; d++)
    tile = shape_times(tile, localize_tile(cx, side, d));
  return tile;
}

static BuildWindow run_window(const Localizer *cx, const Run *run) {
  int64_t tile = run_tile(cx, run, 1);
  return (BuildWindow){.step = tile, .length = tile, .tile = run_tile(cx, run, 0)};
}

static bool run_has(const Localizer *cx, const Run *run, uint32_t f) {
  uint32_t d, place;
  for (uint32_t side = 0; side < 2; side++)
    if (factor_map_find(cx->map, side, f, &d, &place) && run->first[side] <= d &&
        d < run->end[side])
      return true;
  return false;
}

static bool is_apart(AxisList a, AxisList b) {
  for (uint32_t i = 0; i < a.n; i++)
    for (uint32_t k = 0; k < b.n; k++)
      if (axis_overlaps(a.v[i], b.v[k]) || !axis_can_coexist(a.v[i], b.v[k])) return false;
  return true;
}

// The preferred axes of a dimension, from its major factor on (Localizer.preferred).
static AxisList preferred_axes(const Localizer *cx, uint32_t side, uint32_t d) {
  FactorList list = factor_map_dim(cx->map, side, d);
  AxisList axes = {NULL, 0};
  for (uint32_t i = 0; i < list.n; i++) {
    if (cx->map->factors[list.v[i]].size == 1) continue;
    AxisList next = cx->preferred[list.v[i]];
    if (!next.n || !is_apart(axes, next)) break;
    axes = axes_concat(cx->builder->arena, axes, next);
  }
  return axes;
}

// Does no factor outside of the run use these axes?
static bool is_free(const Localizer *cx, const Run *run, AxisList axes) {
  for (uint32_t f = 0; f < cx->map->n_factors; f++)
    if (!run_has(cx, run, f) && !is_apart(cx->splits[f].axes, axes)) return false;
  return true;
}

// If the preferred axes are more than a block split of the common factors can take, shards the
// major dimensions of both sides over all of them: tiles of two sizes, joined by a window.
static void shift_run(Localizer *cx, Run *run) {
  uint32_t heads[2];
  if (!run_head(cx, run, 0, &heads[0]) || !run_head(cx, run, 1, &heads[1])) return;
  uint32_t f = localize_factor(cx, 0, heads[0]);
  if (f != localize_factor(cx, 1, heads[1])) return;
  int64_t ways = 1;
  for (uint32_t i = 0; i < cx->map->n_factors; i++)
    if (run_has(cx, run, i)) ways *= localize_ways(cx, i);
  AxisList preferred = preferred_axes(cx, 1, heads[1]), other = preferred_axes(cx, 0, heads[0]);
  if (axes_size(other) > axes_size(preferred)) preferred = other;
  if (axes_size(preferred) <= ways || !is_free(cx, run, preferred)) return;
  for (uint32_t i = 0; i < cx->map->n_factors; i++)
    if (run_has(cx, run, i)) localize_unsplit(cx, i);
  cx->splits[f].axes = preferred;
  run->shifted = run_tile(cx, run, 0) != run_tile(cx, run, 1);
}

static void splits(Localizer *cx) {
  Run runs[MAX_RANK + 1];
  localize_only_default(cx);
  localize_only_blocks(cx);
  if (!cx->preferred || cx->strided) return;
  uint32_t n = find_runs(cx, runs);
  for (uint32_t i = 0; i < n; i++) shift_run(cx, &runs[i]);
  double bytes = (double)dtype_bytes(type_dtype(cx->context, localize_type(cx, 0)->elem));
  for (uint32_t i = 0; i < n; i++) bytes *= (double)run_tile(cx, &runs[i], 0);
  for (uint32_t i = 0; i < n; i++) {
    uint32_t head;
    if (!runs[i].shifted || !run_head(cx, &runs[i], 0, &head)) continue;
    int64_t devices = axes_size(localize_axes(cx, 0, head));
    double received =
        build_window_received(cx->builder, runs[i].size, devices, run_window(cx, &runs[i]));
    cx->bytes += received * bytes / (double)run_tile(cx, &runs[i], 0);
  }
}

// Flattens every run, reads a window of each shifted one, and reshapes to the result.
static Status *localize(Localizer *cx) {
  Builder *b = cx->builder;
  Run runs[MAX_RANK + 1];
  int64_t dims[MAX_RANK + 1];
  uint32_t n = find_runs(cx, runs);
  bool any = false;
  for (uint32_t i = 0; i < n; i++) {
    dims[i] = run_tile(cx, &runs[i], 0);
    runs[i].shifted = dims[i] != run_tile(cx, &runs[i], 1);
    any |= runs[i].shifted;
  }
  if (!any) return localize_copy(cx, cx->in, 0);
  Type flat = type_tensor(cx->context, localize_type(cx, 0)->elem, n, dims, 0);
  ValueId v = build_op(b, OP_reshape, 1, cx->in, flat, 0);
  for (uint32_t i = 0; i < n; i++) {
    uint32_t head;
    if (!runs[i].shifted || !run_head(cx, &runs[i], 0, &head)) continue;
    v = build_window(b, v, i, localize_axes(cx, 0, head), runs[i].size, run_window(cx, &runs[i]),
                     0);
  }
  cx->out[0] = build_op(b, OP_reshape, 1, &v, cx->out_types[0], 0);
  return NULL;
}

const OpDef op_reshape = {.infer = infer,
                          .eval = eval,
                          .sample = sample,
                          .constraints = 3,
                          .factors = factors,
                          .splits = splits,
                          .localize = localize,
                          .strides = true};
const OpDef op_dynamic_reshape = {.infer = infer_dynamic,
                                  .eval = eval_dynamic,
                                  .sample = sample_dynamic,
                                  .constraints = 4,
                                  .factors = factors};
const OpDef op_chlo_dynamic_reshape = {
    .infer = infer_dynamic, .eval = eval_dynamic, .sample = sample_chlo, .factors = factors};
