// concatenate. eval: one strided copy per input, O(elements). On shards along the concatenated
// dimension: each operand is shifted to its position in the result's tile by a window
// (build_window), and selects join them. Operands that are slices of one tensor, as in a roll, are
// one window of that tensor.
#include "ops/localize.h"
#include "ops/move.h"
#include "tensor/strided.h"

// The size of dimension d of operand i, or its bound, or DIM_DYNAMIC.
static int64_t size_or_bound(const Infer *cx, uint32_t i, uint32_t d) {
  int64_t size = infer_operand_info(cx, i)->dims[d];
  return size == DIM_DYNAMIC ? type_bound(cx->context, infer_operand(cx, i), d) : size;
}

static bool infer(Infer *cx) {
  uint32_t n = infer_n_operands(cx);
  REQUIRE(cx, 3, n > 0, "there are no inputs, expected at least one");
  const TypeInfo *first = move_operand(cx, 0);
  int64_t along = infer_int(cx, "dimension", -1);
  if (!first || !infer_not_per_axis(cx, 0)) return false;
  REQUIRE(cx, 4, 0 <= along && along < first->rank, "dimension is %lld, expected it in [0, %u)",
          (long long)along, first->rank);
  int64_t dims[MAX_RANK], bounds[MAX_RANK];
  for (uint32_t d = 0; d < first->rank; d++) {
    dims[d] = first->dims[d];
    bounds[d] = dims[d] == DIM_DYNAMIC ? size_or_bound(cx, 0, d) : DIM_DYNAMIC;
  }
  int64_t most = size_or_bound(cx, 0, (uint32_t)along);
  for (uint32_t i = 1; i < n; i++) {
    const TypeInfo *input = move_operand(cx, i);
    if (!input) return false;
    REQUIRE(cx, 1, input->elem == first->elem,
            "inputs 0 and %u have element types %s and %s, expected equal", i,
            infer_text(cx, first->elem), infer_text(cx, input->elem));
    bool same = input->rank == first->rank;
    for (uint32_t d = 0; same && d < first->rank; d++)
      same = d == along || dim_compatible(input->dims[d], dims[d]);
    REQUIRE(cx, 2, same,
            "inputs 0 and %u have shapes %s and %s, expected equal except in dimension %lld", i,
            infer_dims_text(cx, first->rank, first->dims),
            infer_dims_text(cx, input->rank, input->dims), (long long)along);
    for (uint32_t d = 0; d < first->rank; d++) {
      int64_t size = input->dims[d], known = size_or_bound(cx, i, d);
      if (d != along) {
        dims[d] = dim_merge(dims[d], size);
        bounds[d] = dims[d] == DIM_DYNAMIC ? dim_merge(bounds[d], known) : DIM_DYNAMIC;
        continue;
      }
      bool dynamic = dims[d] == DIM_DYNAMIC || size == DIM_DYNAMIC;
      REQUIRE(cx, 6, dynamic || !__builtin_add_overflow(dims[d], size, &dims[d]),
              "the sum of the sizes of dimension %lld exceeds 64 bits", (long long)along);
      if (dynamic) dims[d] = DIM_DYNAMIC;
      if (most == DIM_DYNAMIC || known == DIM_DYNAMIC || __builtin_add_overflow(most, known, &most))
        most = DIM_DYNAMIC;
    }
  }
  bounds[along] = dims[along] == DIM_DYNAMIC ? most : DIM_DYNAMIC;
  return move_same_elem(cx, 5, 0, first->elem) && move_same_shape(cx, 6, 0, first->rank, dims) &&
         move_infer(cx, 0, first->elem, first->rank, dims, bounds);
}

static Status *eval(EvalContext *cx, Literal *const *in, Literal **out) {
  uint32_t along = (uint32_t)eval_int(cx, "dimension", 0), rank = in[0]->rank;
  int64_t dims[MAX_RANK], from[MAX_RANK], to[MAX_RANK];
  for (uint32_t d = 0; d < rank; d++) dims[d] = in[0]->dims[d];
  for (uint32_t i = 1; i < cx->n_in; i++)
    for (uint32_t d = 0; d < rank; d++) {
      if (d == along ? __builtin_add_overflow(dims[d], in[i]->dims[d], &dims[d])
                     : dims[d] != in[i]->dims[d])
        FAIL(INVALID_ARGUMENT,
             "inputs 0 and %u have shapes %s and %s at run time, expected equal except in the "
             "concatenated dimension",
             i, move_dims_text(cx, rank, in[0]->dims), move_dims_text(cx, rank, in[i]->dims));
    }
  TRY(move_new(cx, 0, in[0]->elem, rank, dims, out));
  if ((*out)->count == 0) return NULL;
  shape_strides(rank, dims, to);
  int64_t offset = 0;
  for (uint32_t i = 0; i < cx->n_in; i++) {
    shape_strides(rank, in[i]->dims, from);
    strided_copy(*out, offset, to, in[i], 0, from, rank, in[i]->dims);
    offset += in[i]->dims[along] * to[along];
  }
  return NULL;
}

static OpId sample(Sample *cx) {
  int64_t dims[4];
  uint32_t rank = sample_shape(cx, 4, dims), n = (uint32_t)sample_int(cx, 1, 4);
  if (rank == 0) dims[rank++] = 3;
  int64_t along = sample_int(cx, 0, rank - 1);
  Type type;
  ValueId operands[4] = {move_sample(cx, "bsufc", rank, dims, &type)};
  for (uint32_t i = 1; i < n; i++) {
    dims[along] = sample_int(cx, 0, 4);
    operands[i] =
        sample_value(cx, type_tensor(cx->context, type_elem(cx->context, type), rank, dims, 0));
  }
  Attr attrs = move_attr(cx, 0, "dimension", attr_i64(cx->context, along));
  return sample_op(cx, OP_concatenate, attrs, n, operands, 1, NULL, 0);
}

// Are all operands slices, or all derived from one tensor with some slices among them? Then the op
// permutes pieces of a tensor (a roll).
static bool from_slices(FactorContext *cx) {
  cx->reads_context = true;
  const Program *p = cx->program;
  bool all = true, any = false, one = true;
  ValueId source = 0;
  for (uint32_t i = 0; i < cx->n_operands; i++) {
    ValueId from = op_operand(p, cx->op, i);
    OpId def = value_def(p, from);
    bool sliced = def && op_at(p, def)->code == OP_slice;
    if (sliced) from = op_operand(p, def, 0);
    all &= sliced;
    any |= sliced;
    one &= i == 0 || from == source;
    source = from;
  }
  return all || (any && one);
}

static bool factors(FactorContext *cx) {
  uint32_t result = factors_result(cx, 0), along = (uint32_t)factors_int(cx, "dimension", 0);
  for (uint32_t d = 0; d < factors_rank(cx, result); d++) {
    int64_t size = factors_dim(cx, result, d);
    if (d != along) {
      factors_on_all(cx, size, FACTOR_PASS, d);
    } else if (!cx->options.conservative) {
      uint8_t kinds = from_slices(cx) ? FACTOR_PERMUTE : FACTOR_REPLICATE;
      factors_set_kinds(cx, factors_on_all(cx, size, kinds, d), FACTOR_PERMUTE);
    }
  }
  return true;
}

static uint32_t along_of(const Localizer *cx) {
  return (uint32_t)attr_as_int(cx->context, localize_attr(cx, "dimension"), 0);
}

// The source of an operand's elements in the result's tile.
typedef struct Taken {
  ValueId tile;  // the shard of the tensor that the operand is a slice of; 0: the operand's own
  int64_t size;  // the global size of that tensor's dimension
  BuildWindow window;
  int64_t offset;   // of the operand in the result
  bool replicated;  // the operand is replicated
  bool goes_on;     // the previous operand's window covers this one, too
} Taken;

// If the operand is a slice along this dimension, without other users, and the local program has
// the sliced tensor with the same sharding: reads the window from that. This saves the slice's
// communication.
static void look_through(const Localizer *cx, uint32_t i, uint32_t along, Taken *s) {
  const Program *p = cx->program;
  ValueId v = op_operand(p, cx->op, i);
  OpId def = value_def(p, v);
  if (!def || op_at(p, def)->code != OP_slice || value_count_uses(p, v) != 1) return;
  ValueId from = op_operand(p, def, 0);
  const TypeInfo *type = type_info(cx->context, value_type(p, from));
  Ints start = attr_as_ints(cx->context, op_attr(p, def, "start_indices")),
       stride = attr_as_ints(cx->context, op_attr(p, def, "strides"));
  for (uint32_t d = 0; d < type->rank; d++)
    if (stride.v[d] != 1 || (d != along && localize_size(cx, i, d) != type->dims[d])) return;
  s->tile = localize_find(cx, from, cx->map->n_operands);
  if (!s->tile) return;
  s->size = type->dims[along];
  s->window.first += start.v[along];
  s->window.from = start.v[along];
  s->window.end = start.v[along] + localize_size(cx, i, along);
}

// Merges the windows of two operands that are adjacent slices of one tensor, or the two slices of a
// roll.
static void merge_windows(Taken *before, Taken *s, int64_t devices) {
  if (!s->tile || s->tile != before->tile) return;
  int64_t jump = before->window.first - s->window.first;
  if (jump == 0) {
    before->window.end = s->window.end;
  } else if (jump == s->size && s->size % devices == 0) {
    before->window.wraps = true;
  } else {
    return;
  }
  s->goes_on = true;
}

static Taken *find_taken(const Localizer *cx, uint32_t along) {
  uint32_t n = cx->map->n_operands, f = localize_factor(cx, n, along);
  int64_t tile = localize_tile(cx, n, along), offset = 0;
  int64_t devices = axes_size(localize_axes(cx, n, along));
  Taken *taken = ARENA_ARRAY(cx->builder->arena, Taken, n + 1), *before = NULL;
  for (uint32_t i = 0; i < n; i++) {
    Taken *s = &taken[i];
    *s = (Taken){.size = localize_size(cx, i, along),
                 .window = {.first = -offset, .step = tile, .length = tile},
                 .offset = offset,
                 .replicated = !*localize_has(cx, i, f) || (cx->replicated && cx->replicated[i])};
    offset += s->size;
    if (!s->replicated) look_through(cx, i, along, s);
    if (before) merge_windows(before, s, devices);
    if (!s->goes_on) before = s;
  }
  return taken;
}

static void splits(Localizer *cx) {
  uint32_t along = along_of(cx), f = localize_factor(cx, cx->map->n_operands, along);
  int64_t devices = axes_size(localize_axes(cx, cx->map->n_operands, along));
  if (devices == 1) return;
  const Taken *taken = find_taken(cx, along);
  for (uint32_t i = 0; i < cx->map->n_operands; i++) {
    const Taken *s = &taken[i];
    if (s->replicated) *localize_has(cx, i, f) = false;
    if (s->replicated || s->goes_on) continue;
    cx->bytes += build_window_received(cx->builder, s->size, devices, s->window) *
                 localize_bytes_across(cx, i, along);
    cx->steps++;
  }
}

// `next` from global index `offset` of the result on, `v` before it.
static ValueId join(Localizer *cx, ValueId v, ValueId next, uint32_t along, int64_t offset) {
  Builder *b = cx->builder;
  uint32_t result = cx->map->n_operands;
  int64_t tile = localize_tile(cx, result, along);
  if (offset % tile == 0) {
    ValueId c = build_coordinate(b, localize_axes(cx, result, along));
    return build_select(b, build_compare(b, "LT", c, build_index(b, offset / tile)), v, next);
  }
  ValueId number = build_iota(b, value_type(b->p, v), along);
  ValueId from =
      build_binary(b, OP_subtract, build_index(b, offset), localize_offset(cx, result, along));
  ValueId before =
      build_compare(b, "LT", number, build_broadcast(b, from, value_type(b->p, number)));
  return build_select(b, before, v, next);
}

// Each operand at its position in the result's tile, joined by selects.
static Status *localize(Localizer *cx) {
  Builder *b = cx->builder;
  uint32_t along = along_of(cx);
  AxisList axes = localize_axes(cx, cx->map->n_operands, along);
  if (!axes.n) return localize_copy(cx, cx->in, 0);
  const Taken *taken = find_taken(cx, along);
  ValueId v = 0;
  for (uint32_t i = 0; i < cx->map->n_operands; i++) {
    const Taken *s = &taken[i];
    if (!localize_size(cx, i, along) || s->goes_on) continue;
    ValueId tile = s->tile ? s->tile : cx->in[i];
    ValueId next = s->replicated ? build_window_of_replicated(b, tile, along, axes, s->window, 0)
                                 : build_window(b, tile, along, axes, s->size, s->window, 0);
    v = v ? join(cx, v, next, along, s->offset) : next;
  }
  cx->out[0] = v;
  return NULL;
}

const OpDef op_concatenate = {.infer = infer,
                              .eval = eval,
                              .sample = sample,
                              .constraints = 6,
                              .factors = factors,
                              .splits = splits,
                              .localize = localize};
