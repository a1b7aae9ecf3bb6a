// slice and real_dynamic_slice: every strides[d]-th element of [start, limit) in each dimension;
// the bounds are attributes in the former and operands in the latter. One strided copy, O(elements
// of the result). On shards: a window of the sharded dimension (build_window), see SliceDim.
#include "ops/index_local.h"
#include "ops/move.h"
#include "tensor/strided.h"

// Elements in [start, limit) with that stride.
static int64_t slice_size(int64_t start, int64_t limit, int64_t stride) {
  return limit > start ? (limit - start - 1) / stride + 1 : 0;
}

static bool infer(Infer *cx) {
  const TypeInfo *operand = move_operand(cx, 0);
  Ints start, limit, stride;
  if (!operand || !infer_not_per_axis(cx, 0) || !move_ints(cx, "start_indices", &start) ||
      !move_ints(cx, "limit_indices", &limit) || !move_ints(cx, "strides", &stride) ||
      !move_same_elem(cx, 1, 0, operand->elem))
    return false;
  REQUIRE(cx, 2, start.n == operand->rank && limit.n == operand->rank && stride.n == operand->rank,
          "start_indices, limit_indices and strides have lengths %u, %u and %u, expected %u, one "
          "entry per dimension",
          start.n, limit.n, stride.n, operand->rank);
  int64_t dims[MAX_RANK];
  for (uint32_t d = 0; d < operand->rank; d++) {
    int64_t size = operand->dims[d] == DIM_DYNAMIC
                       ? type_bound(cx->context, infer_operand(cx, 0), d)
                       : operand->dims[d];
    REQUIRE(cx, 3,
            0 <= start.v[d] && start.v[d] <= limit.v[d] &&
                (size == DIM_DYNAMIC || limit.v[d] <= size),
            "dimension %u is sliced from %lld to %lld, expected 0 <= start <= limit%s", d,
            (long long)start.v[d], (long long)limit.v[d],
            size == DIM_DYNAMIC
                ? ""
                : arena_printf(context_arena(cx->context), " <= size %lld", (long long)size));
    REQUIRE(cx, 4, stride.v[d] > 0, "the stride of dimension %u is %lld, expected at least 1", d,
            (long long)stride.v[d]);
    dims[d] = slice_size(start.v[d], limit.v[d], stride.v[d]);
  }
  return move_same_shape(cx, 5, 0, operand->rank, dims) &&
         move_infer(cx, 0, operand->elem, operand->rank, dims, NULL);
}

static bool infer_dynamic(Infer *cx) {
  const TypeInfo *operand = move_operand(cx, 0);
  if (!operand || !move_integers(cx, 1, 1) || !move_integers(cx, 2, 1) ||
      !move_integers(cx, 3, 1) || !move_same_elem(cx, 0, 0, operand->elem))
    return false;
  static const char *const names[] = {"start_indices", "limit_indices", "strides"};
  for (uint32_t i = 1; i < 4; i++) {
    int64_t size = infer_operand_info(cx, i)->dims[0];
    REQUIRE(cx, 0, dim_compatible(size, operand->rank),
            "%s has length %lld, expected %u, one entry per dimension", names[i - 1],
            (long long)size, operand->rank);
  }
  const TypeInfo *result = move_result(cx, 0);
  if (cx->failed) return false;
  REQUIRE(cx, 0, !result || result->rank == operand->rank,
          "the result has rank %u, expected the operand's rank %u", result->rank, operand->rank);
  return infer_declared(cx);
}

static Status *slice(EvalContext *cx, const Literal *operand, Ints start, Ints limit, Ints stride,
                     Literal **out) {
  int64_t strides[MAX_RANK], dims[MAX_RANK], offset = 0;
  shape_strides(operand->rank, operand->dims, strides);
  if (start.n != operand->rank || limit.n != operand->rank || stride.n != operand->rank)
    FAIL(INVALID_ARGUMENT,
         "start_indices, limit_indices and strides have lengths %u, %u and %u, expected %u, one "
         "entry per dimension",
         start.n, limit.n, stride.n, operand->rank);
  for (uint32_t d = 0; d < operand->rank; d++) {
    if (start.v[d] < 0 || start.v[d] > limit.v[d] || limit.v[d] > operand->dims[d] ||
        stride.v[d] <= 0)
      FAIL(INVALID_ARGUMENT,
           "dimension %u of size %lld is sliced from %lld to %lld with stride %lld", d,
           (long long)operand->dims[d], (long long)start.v[d], (long long)limit.v[d],
           (long long)stride.v[d]);
    dims[d] = slice_size(start.v[d], limit.v[d], stride.v[d]);
  }
  TRY(move_new(cx, 0, operand->elem, operand->rank, dims, out));
  if ((*out)->count == 0) return NULL;
  for (uint32_t d = 0; d < operand->rank; d++) {
    offset += start.v[d] * strides[d];
    // A stride past the end is taken once at most, and could overflow.
    strides[d] = dims[d] > 1 ? strides[d] * stride.v[d] : 0;
  }
  strided_copy(*out, 0, NULL, operand, offset, strides, operand->rank, dims);
  return NULL;
}

static Status *eval(EvalContext *cx, Literal *const *in, Literal **out) {
  return slice(cx, in[0], eval_ints(cx, "start_indices"), eval_ints(cx, "limit_indices"),
               eval_ints(cx, "strides"), out);
}

static Status *eval_dynamic(EvalContext *cx, Literal *const *in, Literal **out) {
  return slice(cx, in[0], move_indices(cx, in[1]), move_indices(cx, in[2]), move_indices(cx, in[3]),
               out);
}

static void sample_bounds(Sample *cx, uint32_t rank, const int64_t *dims, int64_t *start,
                          int64_t *limit, int64_t *stride) {
  for (uint32_t d = 0; d < rank; d++) {
    start[d] = sample_int(cx, 0, dims[d]);
    limit[d] = sample_int(cx, start[d], dims[d]);
    stride[d] = sample_int(cx, 1, 3);
    if (sample_chance(cx, 30)) start[d] = 0, limit[d] = dims[d], stride[d] = 1;  // untouched
  }
}

static OpId sample(Sample *cx) {
  int64_t dims[4], start[4], limit[4], stride[4];
  uint32_t rank = sample_shape(cx, 4, dims);
  Type type;
  ValueId operand = move_sample(cx, "bsufc", rank, dims, &type);
  sample_bounds(cx, rank, dims, start, limit, stride);
  Attr attrs = move_attr(cx, 0, "start_indices", attr_i64s(cx->context, rank, start));
  attrs = move_attr(cx, attrs, "limit_indices", attr_i64s(cx->context, rank, limit));
  attrs = move_attr(cx, attrs, "strides", attr_i64s(cx->context, rank, stride));
  return sample_op(cx, OP_slice, attrs, 1, &operand, 1, NULL, 0);
}

static OpId sample_dynamic(Sample *cx) {
  int64_t dims[4], start[4], limit[4], stride[4];
  uint32_t rank = sample_shape(cx, 4, dims);
  Type type;
  ValueId operands[4] = {move_sample(cx, "bsufc", rank, dims, &type)};
  sample_bounds(cx, rank, dims, start, limit, stride);
  int64_t index_dims[1] = {rank};
  Type index = type_tensor(cx->context, type_scalar(DT_i64), 1, index_dims, 0);
  const int64_t *values[3] = {start, limit, stride};
  for (uint32_t i = 0; i < 3; i++) {
    Attr value = attr_dense(cx->context, index, values[i], rank * sizeof(int64_t));
    OpId constant =
        sample_op(cx, OP_constant, move_attr(cx, 0, "value", value), 0, NULL, 1, &index, 0);
    operands[i + 1] = op_result(cx->program, constant, 0);
  }
  for (uint32_t d = 0; d < rank; d++) dims[d] = DIM_DYNAMIC;
  Type result = type_tensor(cx->context, type_elem(cx->context, type), rank, dims, 0);
  return sample_op(cx, OP_real_dynamic_slice, 0, 4, operands, 1, &result, 0);
}

static bool factors(FactorContext *cx) {
  factors_resize(cx, cx->options.conservative ? FACTOR_PERMUTE | FACTOR_BLOCK : FACTOR_PERMUTE);
  for (uint32_t i = 1; i < cx->n_operands; i++) factors_replicated(cx, i);
  return true;
}

// One sharded dimension of the slice. If the stride divides the tile size, each device first slices
// its own tile with the stride (`before`), and the window is one of the remaining elements. So only
// needed elements are sent. Otherwise the window has all elements, and is sliced with the stride
// (`after`) at the end.
typedef struct SliceDim {
  int64_t before, offset;  // the local slice's stride and start
  int64_t size;            // the global size after it
  BuildWindow window;
  int64_t after;
} SliceDim;

static SliceDim slice_dim(const Localizer *cx, uint32_t d) {
  int64_t start = localize_ints(cx, "start_indices").v[d], size = localize_size(cx, 0, d);
  int64_t stride = localize_ints(cx, "strides").v[d], tile = localize_tile(cx, 1, d);
  if (stride > size) stride = size;  // one element either way
  SliceDim s = {.before = 1, .size = size, .after = stride};
  if (localize_tile(cx, 0, d) % stride == 0) {
    s.before = stride;
    s.offset = start % stride;
    s.size = slice_size(s.offset, size, stride);
    s.after = 1;
    s.window.end = start / stride + localize_size(cx, 1, d);
    start /= stride;
  } else {
    s.window.end = localize_ints(cx, "limit_indices").v[d];
  }
  s.window.first = start;
  s.window.step = tile * s.after;
  s.window.length = tile ? (tile - 1) * s.after + 1 : 0;
  return s;
}

// Does a concatenate or pad use the result? They look through the slice.
static bool is_repositioned(const Localizer *cx) {
  const Program *p = cx->program;
  for (OperandId use = value_at(p, op_result(p, cx->op, 0))->first_use; use;
       use = operand_at(p, use)->next_use) {
    uint16_t code = op_at(p, operand_at(p, use)->user)->code;
    if (code == OP_concatenate || code == OP_pad) return true;
  }
  return false;
}

// Is the result unreduced along d? True for few elements that all lie in one tile: too few to
// shard, and probably all devices need them.
static bool is_unreduced(const Localizer *cx, uint32_t d) {
  int64_t start = localize_ints(cx, "start_indices").v[d], size = localize_size(cx, 1, d);
  int64_t stride = localize_ints(cx, "strides").v[d], tile = localize_tile(cx, 0, d);
  if (!size || 2 * size > localize_ways(cx, localize_factor(cx, 0, d))) return false;
  return start / tile == (start + (size - 1) * stride) / tile && index_reducer(cx, 0) &&
         !is_repositioned(cx);
}

// A slice of a pad that has no other user, where the local program has the pad's operand with the
// same sharding: one window of that operand serves both, and the pad's communication is saved.
typedef struct Padded {
  ValueId tile, fill;  // the pad's operands; 0: not this case
  const TypeInfo *type;
  Ints low;
} Padded;

static Padded look_through(const Localizer *cx) {
  const Program *p = cx->program;
  ValueId v = op_operand(p, cx->op, 0);
  OpId def = value_def(p, v);
  Padded none = {0};
  if (!def || op_at(p, def)->code != OP_pad || value_count_uses(p, v) != 1) return none;
  Ints between = attr_as_ints(cx->context, op_attr(p, def, "interior_padding")),
       stride = localize_ints(cx, "strides");
  const int64_t most = INT64_C(1) << 60;  // sums of such numbers do not overflow
  Ints low = attr_as_ints(cx->context, op_attr(p, def, "edge_padding_low"));
  for (uint32_t d = 0; d < stride.n; d++)
    if (between.v[d] || stride.v[d] != 1 || low.v[d] < -most || low.v[d] > most) return none;
  Padded padded = {.tile = localize_find(cx, op_operand(p, def, 0), 0),
                   .fill = localize_find_replicated(cx, op_operand(p, def, 1)),
                   .type = type_info(cx->context, op_operand_type(p, def, 0)),
                   .low = low};
  return padded.tile && padded.fill ? padded : none;
}

static BuildWindow padded_window(const Localizer *cx, const Padded *padded, uint32_t d) {
  int64_t tile = localize_tile(cx, 1, d), low = padded->low.v[d];
  return (BuildWindow){.first = localize_ints(cx, "start_indices").v[d] - low,
                       .step = tile,
                       .length = tile,
                       .end = localize_ints(cx, "limit_indices").v[d] - low};
}

static Status *localize_padded(Localizer *cx, const Padded *padded) {
  Builder *b = cx->builder;
  ValueId v = padded->tile;
  Ints start = localize_ints(cx, "start_indices"), limit = localize_ints(cx, "limit_indices");
  for (uint32_t d = 0; d < start.n; d++) {
    int64_t low = padded->low.v[d], size = padded->type->dims[d];
    AxisList axes = localize_axes(cx, 0, d);
    v = axes.n ? build_window(b, v, d, axes, size, padded_window(cx, padded, d), padded->fill)
               : build_pad(b, v, d, low - start.v[d], limit.v[d] - low - size, padded->fill);
  }
  cx->out[0] = v;
  return NULL;
}

static double received(const Localizer *cx, const Padded *padded, uint32_t d, int64_t devices) {
  if (padded->tile)
    return build_window_received(cx->builder, padded->type->dims[d], devices,
                                 padded_window(cx, padded, d));
  SliceDim s = slice_dim(cx, d);
  return build_window_received(cx->builder, s.size, devices, s.window);
}

static void splits(Localizer *cx) {
  bool unreduced = false;
  for (uint32_t d = 0; d < localize_type(cx, 0)->rank; d++)
    unreduced |= localize_axes(cx, 0, d).n && is_unreduced(cx, d);
  Padded padded = unreduced ? (Padded){0} : look_through(cx);
  for (uint32_t d = 0; d < localize_type(cx, 0)->rank; d++) {
    AxisList axes = localize_axes(cx, 0, d);
    if (!axes.n) continue;
    if (is_unreduced(cx, d)) {
      uint32_t f = localize_factor(cx, 0, d);
      cx->splits[f].reducer = index_reducer(cx, 0);
      *localize_has(cx, 1, f) = false;
      continue;
    }
    cx->bytes += received(cx, &padded, d, axes_size(axes)) * localize_bytes_across(cx, 0, d);
  }
}

static ValueId localize_dim(Localizer *cx, ValueId v, uint32_t d, AxisList axes) {
  Builder *b = cx->builder;
  SliceDim s = slice_dim(cx, d);
  v = build_slice(b, v, d, s.offset, build_dim(b, v, d), s.before);
  v = build_window(b, v, d, axes, s.size, s.window, 0);
  return build_slice(b, v, d, 0, build_dim(b, v, d), s.after);
}

// The unreduced result: the elements on the device that has them, the identity on the others.
static ValueId put_partial(Localizer *cx, ValueId v, uint32_t d, AxisList axes) {
  Builder *b = cx->builder;
  int64_t start = localize_ints(cx, "start_indices").v[d], size = localize_size(cx, 1, d);
  int64_t stride = localize_ints(cx, "strides").v[d], tile = localize_tile(cx, 0, d);
  int64_t first = start % tile;
  v = build_slice(b, v, d, first, first + (size - 1) * stride + 1, size > 1 ? stride : 1);
  ValueId here = build_compare(b, "EQ", build_coordinate(b, axes), build_index(b, start / tile));
  return build_select(b, here, v, build_identity(b, value_type(b->p, v), index_reducer(cx, 0)));
}

// Slices the unsharded dimensions first, then the sharded ones one by one.
static Status *localize(Localizer *cx) {
  Builder *b = cx->builder;
  ValueId v = cx->in[0];
  Ints start = localize_ints(cx, "start_indices"), limit = localize_ints(cx, "limit_indices"),
       stride = localize_ints(cx, "strides");
  bool unreduced = false;
  for (uint32_t d = 0; d < start.n; d++)
    unreduced |= !*localize_has(cx, 1, localize_factor(cx, 0, d));
  Padded padded = unreduced ? (Padded){0} : look_through(cx);
  if (padded.tile) return localize_padded(cx, &padded);
  for (uint32_t d = 0; d < start.n; d++)
    if (!localize_axes(cx, 0, d).n) v = build_slice(b, v, d, start.v[d], limit.v[d], stride.v[d]);
  for (uint32_t d = 0; d < start.n; d++) {
    AxisList axes = localize_axes(cx, 0, d);
    if (!axes.n) continue;
    bool partial = !*localize_has(cx, 1, localize_factor(cx, 0, d));
    v = partial ? put_partial(cx, v, d, axes) : localize_dim(cx, v, d, axes);
  }
  cx->out[0] = v;
  return NULL;
}

const OpDef op_slice = {.touch = TOUCH_PICKED,
                        .infer = infer,
                        .eval = eval,
                        .sample = sample,
                        .constraints = 5,
                        .factors = factors,
                        .splits = splits,
                        .localize = localize};
const OpDef op_real_dynamic_slice = {.touch = TOUCH_PICKED,
                                     .infer = infer_dynamic,
                                     .eval = eval_dynamic,
                                     .sample = sample_dynamic,
                                     .factors = factors};
