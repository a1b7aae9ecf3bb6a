// pad and dynamic_pad: padding around and between the elements; negative low and high remove
// elements. eval fills the result, then copies the remaining elements by one strided copy.
// O(elements). On shards: a window of the operand, then a local pad, see PadDim.
#include "ops/localize.h"
#include "ops/move.h"
#include "tensor/strided.h"

// dim + low + max(dim - 1, 0) * interior + high; false on overflow.
static bool padded_size(int64_t dim, int64_t low, int64_t high, int64_t interior, int64_t *out) {
  int64_t between;
  return !__builtin_mul_overflow(dim > 0 ? dim - 1 : 0, interior, &between) &&
         !__builtin_add_overflow(dim, between, out) && !__builtin_add_overflow(*out, low, out) &&
         !__builtin_add_overflow(*out, high, out);
}

static bool infer_common(Infer *cx, const TypeInfo *operand) {
  const TypeInfo *value = move_operand(cx, 1);
  if (!value || !infer_not_per_axis(cx, 0)) return false;
  REQUIRE(cx, 0, value->rank == 0, "padding_value must be a 0-dimensional tensor, got %s",
          infer_text(cx, infer_operand(cx, 1)));
  REQUIRE(cx, 1, operand->elem == value->elem,
          "operand and padding_value have element types %s and %s, expected equal",
          infer_text(cx, operand->elem), infer_text(cx, value->elem));
  return move_same_elem(cx, 1, 0, operand->elem);
}

// (C2)-(C4) for amounts that are known.
static bool infer_amounts(Infer *cx, const TypeInfo *operand, Ints low, Ints high, Ints interior) {
  REQUIRE(cx, 2, low.n == operand->rank && high.n == operand->rank && interior.n == operand->rank,
          "edge_padding_low, edge_padding_high and interior_padding have lengths %u, %u and %u, "
          "expected %u, one entry per dimension",
          low.n, high.n, interior.n, operand->rank);
  int64_t dims[MAX_RANK], bounds[MAX_RANK];
  move_bounds(cx, 0, bounds);
  for (uint32_t d = 0; d < operand->rank; d++) {
    REQUIRE(cx, 3, interior.v[d] >= 0,
            "interior_padding of dimension %u is %lld, expected at least 0", d,
            (long long)interior.v[d]);
    int64_t size = 0, *known = operand->dims[d] == DIM_DYNAMIC ? &bounds[d] : &dims[d];
    dims[d] = operand->dims[d];
    if (*known == DIM_DYNAMIC) continue;
    REQUIRE(cx, 4, padded_size(*known, low.v[d], high.v[d], interior.v[d], &size) && size >= 0,
            "dimension %u of size %lld, padded by low %lld, high %lld and interior %lld, has size "
            "%lld, expected at least 0",
            d, (long long)*known, (long long)low.v[d], (long long)high.v[d],
            (long long)interior.v[d], (long long)size);
    *known = size;
  }
  return move_same_shape(cx, 4, 0, operand->rank, dims) &&
         move_infer(cx, 0, operand->elem, operand->rank, dims, bounds);
}

static bool infer(Infer *cx) {
  const TypeInfo *operand = move_operand(cx, 0);
  Ints low, high, interior;
  return operand && infer_common(cx, operand) && move_ints(cx, "edge_padding_low", &low) &&
         move_ints(cx, "edge_padding_high", &high) &&
         move_ints(cx, "interior_padding", &interior) &&
         infer_amounts(cx, operand, low, high, interior);
}

static bool infer_dynamic(Infer *cx) {
  const TypeInfo *operand = move_operand(cx, 0);
  if (!operand || !infer_common(cx, operand)) return false;
  static const char *const names[] = {"edge_padding_low", "edge_padding_high", "interior_padding"};
  for (uint32_t i = 2; i < 5; i++) {
    if (!move_integers(cx, i, 1)) return false;
    int64_t size = infer_operand_info(cx, i)->dims[0];
    REQUIRE(cx, 2, dim_compatible(size, operand->rank),
            "%s has length %lld, expected %u, one entry per dimension", names[i - 2],
            (long long)size, operand->rank);
  }
  const TypeInfo *result = move_result(cx, 0);
  if (cx->failed) return false;
  REQUIRE(cx, 4, !result || result->rank == operand->rank,
          "the result has rank %u, expected the operand's rank %u", result->rank, operand->rank);
  Ints low = move_constant(cx, 2), high = move_constant(cx, 3), interior = move_constant(cx, 4);
  if (interior.ok)
    REQUIRE(cx, 3, ints_within(interior, 0, INT64_MAX),
            "interior_padding is %s, expected entries of at least 0", move_ints_text(cx, interior));
  if (low.ok && high.ok && interior.ok && !infer_amounts(cx, operand, low, high, interior))
    return false;
  return infer_result(cx, 0) || !cx->out[0] ? infer_declared(cx) : true;
}

static Status *pad(EvalContext *cx, const Literal *operand, const Literal *value, Ints low,
                   Ints high, Ints interior, Literal **out) {
  uint32_t rank = operand->rank;
  int64_t dims[MAX_RANK] = {0}, copied[MAX_RANK], from[MAX_RANK], to[MAX_RANK];
  if (low.n != rank || high.n != rank || interior.n != rank)
    FAIL(INVALID_ARGUMENT,
         "edge_padding_low, edge_padding_high and interior_padding have lengths %u, %u and %u, "
         "expected %u, one entry per dimension",
         low.n, high.n, interior.n, rank);
  for (uint32_t d = 0; d < rank; d++)
    if (interior.v[d] < 0 ||
        !padded_size(operand->dims[d], low.v[d], high.v[d], interior.v[d], &dims[d]) || dims[d] < 0)
      FAIL(INVALID_ARGUMENT,
           "dimension %u of size %lld cannot be padded by low %lld, high %lld, interior %lld", d,
           (long long)operand->dims[d], (long long)low.v[d], (long long)high.v[d],
           (long long)interior.v[d]);
  TRY(move_new(cx, 0, operand->elem, rank, dims, out));
  strided_fill(*out, value, 0);
  if ((*out)->count == 0 || operand->count == 0) return NULL;
  shape_strides(rank, operand->dims, from);
  shape_strides(rank, dims, to);
  int64_t from_offset = 0, to_offset = 0;
  for (uint32_t d = 0; d < rank; d++) {
    // Element i goes to low + i * step; those from `first` to `last` land inside [0, dims). The
    // step is within bounds wherever there are two elements (the padded size counts it).
    int64_t step = operand->dims[d] > 1 ? interior.v[d] + 1 : 1;
    int64_t before = low.v[d] < 0 ? -(low.v[d] + 1) / step : -1;
    if (before >= operand->dims[d]) return NULL;
    int64_t first = before + 1;
    int64_t last = operand->dims[d] - 1, room;
    if (!__builtin_sub_overflow(dims[d] - 1, low.v[d], &room)) {
      int64_t fit = room < 0 ? -1 : room / step;
      if (fit < last) last = fit;
    }
    if (last < first) return NULL;
    copied[d] = last - first + 1;
    from_offset += first * from[d];
    to_offset += (low.v[d] + first * step) * to[d];
    to[d] *= copied[d] > 1 ? step : 0;
  }
  strided_copy(*out, to_offset, to, operand, from_offset, from, rank, copied);
  return NULL;
}

static Status *eval(EvalContext *cx, Literal *const *in, Literal **out) {
  return pad(cx, in[0], in[1], eval_ints(cx, "edge_padding_low"),
             eval_ints(cx, "edge_padding_high"), eval_ints(cx, "interior_padding"), out);
}

static Status *eval_dynamic(EvalContext *cx, Literal *const *in, Literal **out) {
  return pad(cx, in[0], in[1], move_indices(cx, in[2]), move_indices(cx, in[3]),
             move_indices(cx, in[4]), out);
}

static void sample_padding(Sample *cx, uint32_t rank, const int64_t *dims, int64_t *low,
                           int64_t *high, int64_t *interior) {
  for (uint32_t d = 0; d < rank; d++) {
    interior[d] = sample_int(cx, 0, 2);
    int64_t dilated = dims[d] + (dims[d] ? dims[d] - 1 : 0) * interior[d];
    low[d] = sample_int(cx, -dilated, 3);
    int64_t least = -(dilated + low[d]);
    high[d] = sample_int(cx, least > -3 ? least : -3, 3);
  }
}

static OpId sample(Sample *cx) {
  int64_t dims[4], low[4], high[4], interior[4];
  uint32_t rank = sample_shape(cx, 4, dims);
  Type type;
  ValueId operands[2] = {move_sample(cx, "bsufc", rank, dims, &type)};
  operands[1] =
      sample_value(cx, type_tensor(cx->context, type_elem(cx->context, type), 0, NULL, 0));
  sample_padding(cx, rank, dims, low, high, interior);
  Attr attrs = move_attr(cx, 0, "edge_padding_low", attr_i64s(cx->context, rank, low));
  attrs = move_attr(cx, attrs, "edge_padding_high", attr_i64s(cx->context, rank, high));
  attrs = move_attr(cx, attrs, "interior_padding", attr_i64s(cx->context, rank, interior));
  return sample_op(cx, OP_pad, attrs, 2, operands, 1, NULL, 0);
}

static OpId sample_dynamic(Sample *cx) {
  int64_t dims[4], low[4], high[4], interior[4];
  uint32_t rank = sample_shape(cx, 4, dims);
  Type type;
  ValueId operands[5] = {move_sample(cx, "bsufc", rank, dims, &type)};
  operands[1] =
      sample_value(cx, type_tensor(cx->context, type_elem(cx->context, type), 0, NULL, 0));
  sample_padding(cx, rank, dims, low, high, interior);
  operands[2] = move_sample_ints(cx, rank, low);
  operands[3] = move_sample_ints(cx, rank, high);
  operands[4] = move_sample_ints(cx, rank, interior);
  for (uint32_t d = 0; d < rank; d++) dims[d] = DIM_DYNAMIC;
  Type result = type_tensor(cx->context, type_elem(cx->context, type), rank, dims, 0);
  return sample_op(cx, OP_dynamic_pad, 0, 5, operands, 1, &result, 0);
}

static bool factors(FactorContext *cx) {
  factors_resize(cx, cx->options.conservative ? FACTOR_PERMUTE | FACTOR_BLOCK : FACTOR_PERMUTE);
  Ints low = factors_ints(cx, "edge_padding_low"), high = factors_ints(cx, "edge_padding_high"),
       interior = factors_ints(cx, "interior_padding");
  for (uint32_t d = 0; d < factors_rank(cx, 0); d++) {
    bool unpadded = cx->n_operands == 2 && !low.v[d] && !high.v[d] && !interior.v[d];
    // low = -high: the same size, but shifted.
    if (!unpadded) factors_set_kinds(cx, d, cx->build.factors.items[d].kinds | FACTOR_PERMUTE);
  }
  for (uint32_t i = 2; i < cx->n_operands; i++) factors_replicated(cx, i);
  return true;
}

static int64_t modulo(int64_t a, int64_t b) { return (a % b + b) % b; }

// One sharded dimension. The device reads the window of operand elements that lie in its tile of
// the result. Result indices of elements are `apart` = interior + 1 apart, so a local pad by `low`
// in front, interior in between and the rest behind gives the tile.
typedef struct PadDim {
  BuildWindow window;
  int64_t apart, tile, low;
  // The tile size is no multiple of `apart`, so the padding in front depends on the device. Then
  // `low` is its maximum, apart - 1, and the tile is sliced at the device's own phase.
  bool moves;
} PadDim;

static PadDim pad_dim(const Localizer *cx, uint32_t d) {
  int64_t low = localize_ints(cx, "edge_padding_low").v[d];
  PadDim r = {.apart = localize_ints(cx, "interior_padding").v[d] + 1,
              .tile = localize_tile(cx, 2, d)};
  r.moves = r.tile % r.apart != 0;
  r.low = r.moves ? r.apart - 1 : modulo(low, r.apart);
  int64_t least = r.moves ? 0 : r.low;               // before the first element
  int64_t last = localize_size(cx, 2, d) - 1 - low;  // the last index, from the first element's
  r.window = (BuildWindow){.first = r.apart - 1 - low,
                           .step = r.tile,
                           .length = r.tile ? (r.tile - 1 - least) / r.apart + 1 : 0,
                           .end = last < 0 ? 0 : last / r.apart + 1,
                           .divisor = r.apart,
                           .abuts = true};
  if (r.moves) return r;
  r.window.first = (r.low - low) / r.apart;
  r.window.step /= r.apart;
  r.window.divisor = 1;
  return r;
}

// Are the numbers small enough that sums do not overflow?
static bool is_tame(const Localizer *cx, uint32_t d) {
  const int64_t most = INT64_C(1) << 60;
  int64_t low = localize_ints(cx, "edge_padding_low").v[d];
  return -most < low && low < most && localize_size(cx, 2, d) < most;
}

static void splits(Localizer *cx) {
  for (uint32_t d = 0; d < localize_type(cx, 0)->rank; d++) {
    AxisList axes = localize_axes(cx, 0, d);
    if (!axes.n) continue;
    if (!is_tame(cx, d)) {
      localize_unsplit(cx, localize_factor(cx, 0, d));
      continue;
    }
    double received = build_window_received(cx->builder, localize_size(cx, 0, d), axes_size(axes),
                                            pad_dim(cx, d).window);
    cx->bytes += received * localize_bytes_across(cx, 0, d);
  }
}

// Slices the tile at the device's phase, if PadDim.moves.
static ValueId slice_tile(Localizer *cx, ValueId v, uint32_t d, const PadDim *r) {
  Builder *b = cx->builder;
  int64_t low = localize_ints(cx, "edge_padding_low").v[d];
  ValueId first = build_index(b, modulo(-low - 1, r->apart));
  ValueId at = build_binary(b, OP_add, localize_offset(cx, 2, d), first);
  at = build_binary(b, OP_remainder, at, build_index(b, r->apart));
  return build_dynamic_slice(b, v, d, at, r->tile);
}

// Windows of the sharded dimensions, then one pad, then slices.
static Status *localize(Localizer *cx) {
  Context *c = cx->context;
  Builder *b = cx->builder;
  static const char *const names[] = {"edge_padding_low", "edge_padding_high", "interior_padding"};
  uint32_t rank = localize_type(cx, 0)->rank;
  int64_t amounts[3][MAX_RANK], dims[MAX_RANK];
  bool any = false;
  ValueId v = cx->in[0];
  for (uint32_t d = 0; d < rank; d++) {
    AxisList axes = localize_axes(cx, 0, d);
    for (uint32_t i = 0; i < 3; i++) amounts[i][d] = localize_ints(cx, names[i]).v[d];
    dims[d] = localize_size(cx, 2, d);
    if (axes.n) {
      PadDim r = pad_dim(cx, d);
      v = build_window(b, v, d, axes, localize_size(cx, 0, d), r.window, cx->in[1]);
      int64_t has = r.tile ? (r.window.length - 1) * r.apart + 1 : 0;
      amounts[0][d] = r.tile ? r.low : 0;
      dims[d] = r.tile + (r.moves ? r.low : 0);
      amounts[1][d] = dims[d] - amounts[0][d] - has;
    }
    for (uint32_t i = 0; i < 2; i++) any |= amounts[i][d] != 0;
    any |= amounts[2][d] != 0 && build_dim(b, v, d) > 1;
  }
  cx->out[0] = v;
  if (!any) return NULL;
  Attr attrs = op_at(cx->program, cx->op)->attrs;
  for (uint32_t i = 0; i < 3; i++)
    attrs = localize_with(cx, attrs, names[i], attr_i64s(c, rank, amounts[i]));
  Type type = type_tensor(c, localize_type(cx, 2)->elem, rank, dims, 0);
  TRY(localize_copy_as(cx, (ValueId[]){v, cx->in[1]}, attrs, &type, cx->out));
  for (uint32_t d = 0; d < rank; d++) {
    if (!localize_axes(cx, 0, d).n) continue;
    PadDim r = pad_dim(cx, d);
    if (r.moves) cx->out[0] = slice_tile(cx, cx->out[0], d, &r);
  }
  return NULL;
}

const OpDef op_pad = {.infer = infer,
                      .eval = eval,
                      .sample = sample,
                      .constraints = 4,
                      .factors = factors,
                      .splits = splits,
                      .localize = localize};
const OpDef op_dynamic_pad = {.infer = infer_dynamic,
                              .eval = eval_dynamic,
                              .sample = sample_dynamic,
                              .constraints = 4,
                              .factors = factors};
