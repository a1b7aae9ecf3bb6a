// scatter: combines updates into copies of the inputs at the indices of scatter_indices. An element
// outside is dropped, alone or with its window (ScatterRule). Updates are applied in row-major
// order of their index, so the order of float additions is fixed. O(elements of the inputs +
// elements of the updates * rank).
#include "ops/counting.h"
#include "ops/factors.h"
#include "ops/index_local.h"
#include "ops/move.h"
#include "ops/reduction.h"

// The dimension numbers, named as in the specification.
typedef struct ScatterDims {
  Ints window, inserted, batching, index_batching, to_operand;
  int64_t vector;  // index_vector_dim
} ScatterDims;

static bool read_dims(Infer *cx, ScatterDims *s) {
  Attr attr = infer_attr(cx, "scatter_dimension_numbers");
  s->vector = attr_as_int(cx->context, attr_get(cx->context, attr, "index_vector_dim"), 0);
  return move_field(cx, attr, "update_window_dims", &s->window) &&
         move_field(cx, attr, "inserted_window_dims", &s->inserted) &&
         move_field(cx, attr, "input_batching_dims", &s->batching) &&
         move_field(cx, attr, "scatter_indices_batching_dims", &s->index_batching) &&
         move_field(cx, attr, "scatter_dims_to_operand_dims", &s->to_operand);
}

// (C7)-(C22) and (C2): the dimension numbers fit the ranks and sizes.
static bool check_dims(Infer *cx, const ScatterDims *s, const TypeInfo *input,
                       const TypeInfo *indices, const TypeInfo *update) {
  REQUIRE(cx, 2, input->rank == s->window.n + s->inserted.n + s->batching.n,
          "the inputs have rank %u, expected the total length of update_window_dims %s, "
          "inserted_window_dims %s and input_batching_dims %s, %u",
          input->rank, move_ints_text(cx, s->window), move_ints_text(cx, s->inserted),
          move_ints_text(cx, s->batching), s->window.n + s->inserted.n + s->batching.n);
  REQUIRE(cx, 7, ints_unique(s->window) && ints_sorted(s->window),
          "update_window_dims are %s, expected ascending order without duplicates",
          move_ints_text(cx, s->window));
  REQUIRE(cx, 8, ints_within(s->window, 0, update->rank),
          "update_window_dims are %s, expected each in [0, %u)", move_ints_text(cx, s->window),
          update->rank);
  REQUIRE(cx, 9, ints_unique_together(s->inserted, s->batching),
          "inserted_window_dims %s and input_batching_dims %s name a dimension twice, expected "
          "each at most once",
          move_ints_text(cx, s->inserted), move_ints_text(cx, s->batching));
  REQUIRE(cx, 10, ints_sorted(s->inserted), "inserted_window_dims are %s, expected ascending order",
          move_ints_text(cx, s->inserted));
  REQUIRE(cx, 11, ints_within(s->inserted, 0, input->rank),
          "inserted_window_dims are %s, expected each in [0, %u)", move_ints_text(cx, s->inserted),
          input->rank);
  REQUIRE(cx, 12, ints_sorted(s->batching), "input_batching_dims are %s, expected ascending order",
          move_ints_text(cx, s->batching));
  REQUIRE(cx, 13, ints_within(s->batching, 0, input->rank),
          "input_batching_dims are %s, expected each in [0, %u)", move_ints_text(cx, s->batching),
          input->rank);
  REQUIRE(cx, 14, ints_unique(s->index_batching),
          "scatter_indices_batching_dims are %s, expected no dimension twice",
          move_ints_text(cx, s->index_batching));
  REQUIRE(cx, 15, ints_within(s->index_batching, 0, indices->rank),
          "scatter_indices_batching_dims are %s, expected each in [0, %u)",
          move_ints_text(cx, s->index_batching), indices->rank);
  REQUIRE(cx, 16, !ints_contain(s->index_batching, s->vector),
          "scatter_indices_batching_dims %s contains index_vector_dim %lld, expected other "
          "dimensions only",
          move_ints_text(cx, s->index_batching), (long long)s->vector);
  REQUIRE(cx, 17, s->batching.n == s->index_batching.n,
          "input_batching_dims %s and scatter_indices_batching_dims %s differ in length, expected "
          "equal lengths",
          move_ints_text(cx, s->batching), move_ints_text(cx, s->index_batching));
  for (uint32_t i = 0; i < s->batching.n; i++)
    REQUIRE(cx, 18,
            dim_compatible(input->dims[s->batching.v[i]], indices->dims[s->index_batching.v[i]]),
            "batching dimension %lld of the inputs has size %lld and %lld of scatter_indices %lld, "
            "expected equal",
            (long long)s->batching.v[i], (long long)input->dims[s->batching.v[i]],
            (long long)s->index_batching.v[i], (long long)indices->dims[s->index_batching.v[i]]);
  REQUIRE(cx, 22, 0 <= s->vector && s->vector <= indices->rank,
          "index_vector_dim is %lld, expected it in [0, %u]", (long long)s->vector, indices->rank);
  int64_t size = s->vector < indices->rank ? indices->dims[s->vector] : 1;
  REQUIRE(
      cx, 19, dim_compatible(size, s->to_operand.n),
      "scatter_dims_to_operand_dims %s has length %u, expected %lld, the size of an index vector",
      move_ints_text(cx, s->to_operand), s->to_operand.n, (long long)size);
  REQUIRE(cx, 20, ints_unique_together(s->to_operand, s->batching),
          "scatter_dims_to_operand_dims %s and input_batching_dims %s name a dimension twice, "
          "expected each at most once",
          move_ints_text(cx, s->to_operand), move_ints_text(cx, s->batching));
  REQUIRE(cx, 21, ints_within(s->to_operand, 0, input->rank),
          "scatter_dims_to_operand_dims are %s, expected each in [0, %u)",
          move_ints_text(cx, s->to_operand), input->rank);
  return true;
}

// (C4): the updates' shape is that of the index vectors, with windows no larger than the inputs.
static bool check_updates(Infer *cx, const ScatterDims *s, const TypeInfo *input,
                          const TypeInfo *indices, const TypeInfo *update) {
  uint32_t rank = indices->rank - (s->vector < indices->rank) + s->window.n;
  REQUIRE(cx, 4, update->rank == rank,
          "the updates have rank %u, expected %u: the dimensions of scatter_indices except "
          "index_vector_dim, plus update_window_dims",
          update->rank, rank);
  uint32_t from_input = 0, from_indices = 0;
  for (uint32_t d = 0; d < rank; d++) {
    if (ints_contain(s->window, d)) {
      while (ints_contain(s->inserted, from_input) || ints_contain(s->batching, from_input))
        from_input++;
      int64_t most = input->dims[from_input];
      REQUIRE(cx, 4,
              update->dims[d] == DIM_DYNAMIC || most == DIM_DYNAMIC || update->dims[d] <= most,
              "window dimension %u of the updates has size %lld, expected at most the inputs' %lld",
              d, (long long)update->dims[d], (long long)most);
      from_input++;
    } else {
      if (from_indices == s->vector) from_indices++;
      REQUIRE(cx, 4, dim_compatible(update->dims[d], indices->dims[from_indices]),
              "dimension %u of the updates has size %lld, expected %lld, the size of dimension %u "
              "of scatter_indices",
              d, (long long)update->dims[d], (long long)indices->dims[from_indices], from_indices);
      from_indices++;
    }
  }
  return true;
}

static bool infer(Infer *cx) {
  uint32_t operands = infer_n_operands(cx), n = operands / 2;
  REQUIRE(cx, 5, operands >= 3 && operands % 2 == 1,
          "there are %u operands, expected at least one input, scatter_indices, and as many "
          "updates as inputs",
          operands);
  REQUIRE(cx, 24, infer_n_results(cx) == n,
          "the numbers of inputs and results are %u and %u, expected equal", n,
          infer_n_results(cx));
  const TypeInfo *input = move_operand(cx, 0), *indices = move_operand(cx, n),
                 *update = move_operand(cx, n + 1);
  ScatterDims s;
  if (!input || !indices || !update || !move_integers(cx, n, -1) || !read_dims(cx, &s))
    return false;
  Type *elems = ARENA_ARRAY(context_arena(cx->context), Type, n),
       *wide = ARENA_ARRAY(context_arena(cx->context), Type, n);
  for (uint32_t i = 0; i < n; i++) {
    const TypeInfo *in = move_operand(cx, i), *up = move_operand(cx, n + 1 + i);
    if (!in || !up || !infer_not_per_axis(cx, i) || !infer_not_per_axis(cx, n + 1 + i))
      return false;
    REQUIRE(cx, 1, infer_shapes_compatible(cx, infer_operand(cx, 0), infer_operand(cx, i)),
            "inputs 0 and %u have types %s and %s, expected the same shape", i,
            infer_text(cx, infer_operand(cx, 0)), infer_text(cx, infer_operand(cx, i)));
    REQUIRE(cx, 3,
            infer_shapes_compatible(cx, infer_operand(cx, n + 1), infer_operand(cx, n + 1 + i)),
            "updates 0 and %u have types %s and %s, expected the same shape", i,
            infer_text(cx, infer_operand(cx, n + 1)), infer_text(cx, infer_operand(cx, n + 1 + i)));
    REQUIRE(cx, 6, in->elem == up->elem,
            "input and update %u have element types %s and %s, expected equal", i,
            infer_text(cx, in->elem), infer_text(cx, up->elem));
    elems[i] = in->elem;
  }
  if (!check_dims(cx, &s, input, indices, update) ||
      !check_updates(cx, &s, input, indices, update) ||
      !reduction_check_body(cx, 0, n, elems, 23, wide))
    return false;
  for (uint32_t i = 0; i < n; i++) {
    Type declared = infer_result(cx, i),
         type = type_with_elem(cx->context, infer_operand(cx, i), wide[i]);
    REQUIRE(cx, 24, !declared || infer_shapes_compatible(cx, declared, type),
            "result %u has type %s, expected the shape of the input, %s", i,
            infer_text(cx, declared), infer_text(cx, type));
    REQUIRE(cx, 25, !declared || type_elem(cx->context, declared) == wide[i],
            "result %u has type %s, expected the element type %s that update_computation returns",
            i, infer_text(cx, declared), infer_text(cx, wide[i]));
    cx->out[i] = type;
  }
  return true;
}

static Ints eval_field(EvalContext *cx, const char *name) {
  return attr_as_ints(cx->context,
                      attr_get(cx->context, eval_attr(cx, "scatter_dimension_numbers"), name));
}

static ScatterDims eval_dims(EvalContext *cx) {
  Attr vector =
      attr_get(cx->context, eval_attr(cx, "scatter_dimension_numbers"), "index_vector_dim");
  return (ScatterDims){.window = eval_field(cx, "update_window_dims"),
                       .inserted = eval_field(cx, "inserted_window_dims"),
                       .batching = eval_field(cx, "input_batching_dims"),
                       .index_batching = eval_field(cx, "scatter_indices_batching_dims"),
                       .to_operand = eval_field(cx, "scatter_dims_to_operand_dims"),
                       .vector = attr_as_int(cx->context, vector, 0)};
}

// Bodies that return an argument need no interpretation: the update, or the old element.
typedef enum BodyKind { BODY_COMBINES, BODY_REPLACES, BODY_KEEPS } BodyKind;

static BodyKind body_kind(const Program *p, RegionId region, uint32_t n) {
  BlockId block = region_block(p, region);
  OpId end = block_at(p, block)->first;
  if (end != block_at(p, block)->last || op_at(p, end)->n_operands != n) return BODY_COMBINES;
  bool replaces = true, keeps = true;
  for (uint32_t i = 0; i < n; i++) {
    const Value *value = value_at(p, op_operand(p, end, i));
    bool arg = value->is_arg && value->def == block;
    replaces &= arg && value->index == n + i;
    keeps &= arg && value->index == i;
  }
  return replaces ? BODY_REPLACES : keeps ? BODY_KEEPS : BODY_COMBINES;
}

// The map from update indices to input elements. For each dimension of the updates: its input
// dimension (window dimensions), or its stride in scatter_indices (scatter dimensions) and, for
// batching, its input dimension.
typedef struct Targets {
  const Literal *indices;
  const ScatterDims *dims;
  uint32_t update_rank;
  int32_t window[MAX_RANK];    // input dimension, or -1
  int32_t batching[MAX_RANK];  // input dimension, or -1
  int64_t step[MAX_RANK];      // in scatter_indices
  int64_t vector_step;
  bool drops_windows;       // drops windows that lie partly outside, as XLA does
  int64_t size[MAX_RANK];   // of a window along each input dimension
  int64_t start_at;         // offset of the current index vector; -1: none yet
  int64_t start[MAX_RANK];  // full_start_index there
} Targets;

static void targets_init(Targets *p, const ScatterDims *s, const Literal *indices,
                         const Literal *update, ScatterRule rule) {
  int64_t strides[MAX_RANK];
  uint32_t rank = update->rank;
  shape_strides(indices->rank, indices->dims, strides);
  *p = (Targets){.indices = indices,
                 .dims = s,
                 .update_rank = rank,
                 .drops_windows = rule == SCATTER_XLA,
                 .start_at = -1};
  for (uint32_t d = 0; d < MAX_RANK; d++) p->size[d] = 1;
  p->vector_step = s->vector < indices->rank ? strides[s->vector] : 0;
  int32_t from_input = 0;
  uint32_t from_indices = 0;
  for (uint32_t d = 0; d < rank; d++) {
    p->window[d] = p->batching[d] = -1;
    if (ints_contain(s->window, d)) {
      while (ints_contain(s->inserted, from_input) || ints_contain(s->batching, from_input))
        from_input++;
      p->size[from_input] = update->dims[d];
      p->window[d] = from_input++;
      continue;
    }
    if (from_indices == s->vector) from_indices++;
    p->step[d] = strides[from_indices];
    for (uint32_t i = 0; i < s->batching.n; i++)
      if (s->index_batching.v[i] == from_indices) p->batching[d] = (int32_t)s->batching.v[i];
    from_indices++;
  }
}

// The element of the input that the update at `index` goes to; false if that is outside.
static bool targets_find(Targets *p, const Literal *input, const int64_t *index, int64_t *out) {
  int64_t at = 0, full[MAX_RANK];
  for (uint32_t d = 0; d < p->update_rank; d++) at += index[d] * p->step[d];
  if (at != p->start_at) {  // a new index vector; updates of one window share it
    for (uint32_t d = 0; d < input->rank; d++) p->start[d] = 0;
    for (uint32_t i = 0; i < p->dims->to_operand.n; i++) {
      int64_t start = move_index(p->indices, at + i * p->vector_step), far = INT64_MAX / 4;
      // Saturate far outside, so that adding the index in the window does not overflow.
      p->start[p->dims->to_operand.v[i]] = start > far ? far : start < -far ? -far : start;
    }
    p->start_at = at;
  }
  // XLA's rule: the entire window must lie inside.
  for (uint32_t d = 0; p->drops_windows && d < input->rank; d++)
    if (p->start[d] < 0 || p->start[d] > input->dims[d] - p->size[d]) return false;
  for (uint32_t d = 0; d < input->rank; d++) full[d] = p->start[d];
  for (uint32_t d = 0; d < p->update_rank; d++) {
    int32_t to = p->window[d] >= 0 ? p->window[d] : p->batching[d];
    if (to >= 0) full[to] += index[d];
  }
  for (uint32_t d = 0; d < input->rank; d++)
    if (full[d] < 0 || full[d] >= input->dims[d]) return false;
  *out = shape_linear(input->rank, input->dims, full);
  return true;
}

// Checks sizes that are known only at run time; a mismatch would read outside of scatter_indices.
static Status *check_run_time(EvalContext *cx, const ScatterDims *s, uint32_t n,
                              Literal *const *in) {
  const Literal *input = in[0], *indices = in[n], *update = in[n + 1];
  bool fits = true;
  for (uint32_t i = 0; i < n; i++)
    fits &= literal_same_shape(input, in[i]) && literal_same_shape(update, in[n + 1 + i]);
  fits &= s->to_operand.n == (s->vector < indices->rank ? indices->dims[s->vector] : 1);
  for (uint32_t i = 0; i < s->batching.n; i++)
    fits &= input->dims[s->batching.v[i]] == indices->dims[s->index_batching.v[i]];
  uint32_t from_indices = 0;
  for (uint32_t d = 0; d < update->rank; d++) {
    if (ints_contain(s->window, d)) continue;
    if (from_indices == s->vector) from_indices++;
    fits &= from_indices < indices->rank && update->dims[d] == indices->dims[from_indices];
    from_indices++;
  }
  if (!fits)
    FAIL(INVALID_ARGUMENT,
         "inputs, scatter_indices and updates have shapes %s, %s and %s at run time, which do not "
         "match",
         move_dims_text(cx, input->rank, input->dims),
         move_dims_text(cx, indices->rank, indices->dims),
         move_dims_text(cx, update->rank, update->dims));
  return NULL;
}

// Results start as copies of the inputs, in the body's element types.
static Status *new_results(EvalContext *cx, uint32_t n, Literal *const *in, const Type *elems,
                           Literal **out) {
  for (uint32_t i = 0; i < n; i++) {
    Literal *input = reduction_promote(cx, in[i], elems[i]);
    TRY(move_new(cx, i, elems[i], input->rank, input->dims, &out[i]));
    literal_copy_elements(out[i], 0, input, 0, input->count);
    literal_release(input);
  }
  return NULL;
}

static Status *eval(EvalContext *cx, Literal *const *in, Literal **out) {
  uint32_t n = cx->n_in / 2;
  RegionId region = op_region(cx->program, cx->op, 0);
  const Literal *input = in[0];
  ScatterDims s = eval_dims(cx);
  TRY(check_run_time(cx, &s, n, in));
  Type *elems = ARENA_ARRAY(cx->scratch, Type, n);
  reduction_elems(cx, 0, n, elems);
  TRY(new_results(cx, n, in, elems, out));
  BodyKind kind = body_kind(cx->program, region, n);
  if (in[n + 1]->count == 0 || kind == BODY_KEEPS) return NULL;
  Literal **updates = ARENA_ARRAY(cx->scratch, Literal *, n);
  for (uint32_t i = 0; i < n; i++) updates[i] = reduction_promote(cx, in[n + 1 + i], elems[i]);
  Reducer reducer;
  reducer_init(&reducer, cx, region, n);
  Scalar *there = ARENA_ARRAY(cx->scratch, Scalar, n),
         *update = ARENA_ARRAY(cx->scratch, Scalar, n);
  Targets targets;
  targets_init(&targets, &s, in[n], updates[0], cx->scatter);
  int64_t index[MAX_RANK] = {0}, from = 0, to;
  do {
    if (!targets_find(&targets, input, index, &to)) continue;
    if (kind == BODY_REPLACES) {
      for (uint32_t i = 0; i < n; i++) literal_copy_elements(out[i], to, updates[i], from, 1);
      continue;
    }
    for (uint32_t i = 0; i < n; i++) {
      there[i] = literal_get(out[i], to);
      update[i] = literal_get(updates[i], from);
    }
    TRY(reducer_apply(&reducer, elems, there, update));
    for (uint32_t i = 0; i < n; i++) literal_set(out[i], to, there[i]);
  } while (from++, shape_next(updates[0]->rank, updates[0]->dims, index));
  for (uint32_t i = 0; i < n; i++) literal_release(updates[i]);
  return NULL;
}

// A random instance: each input dimension becomes a window, inserted or batching one; each of
// scatter_indices a batching dimension, a free one or the index vector.
static OpId sample(Sample *cx) {
  int64_t dims[4], up_dims[8], sizes[4], index_dims[5], window[4], inserted[4], batch[4],
      index_batch[4], map[4], order[8];
  uint32_t rank = sample_shape(cx, 4, dims), n_window = 0, n_inserted = 0, n_batch = 0, n_map = 0;
  for (uint32_t d = 0; d < rank; d++) {
    int64_t role = sample_int(cx, 0, 3);
    if (role == 0)
      sizes[n_window++] = sample_int(cx, 0, dims[d]);
    else if (role == 3)
      batch[n_batch++] = d;
    else
      inserted[n_inserted++] = d;
    if (role != 3 && sample_chance(cx, 70)) map[n_map++] = d;
  }
  uint32_t n_free = (uint32_t)sample_int(cx, 0, n_batch > 2 ? 4 - n_batch : 2),
           n_scatter = n_batch + n_free;
  move_sample_order(cx, n_scatter, order);
  for (uint32_t i = 0; i < n_batch; i++) {
    index_batch[i] = order[i];
    index_dims[order[i]] = dims[batch[i]];
  }
  for (uint32_t i = n_batch; i < n_scatter; i++) index_dims[order[i]] = sample_int(cx, 0, 3);
  // The updates: windows at a sorted choice of dims, scatter dimensions elsewhere.
  uint32_t n_update = n_scatter + n_window;
  move_sample_order(cx, n_update, order);
  for (uint32_t d = 0, w = 0, p = 0; d < n_update; d++) {
    bool is_window = false;
    for (uint32_t k = 0; k < n_window; k++) is_window |= order[k] == d;
    up_dims[d] = is_window ? sizes[w] : index_dims[p];
    if (is_window)
      window[w++] = d;
    else
      p++;
  }
  int64_t vector = n_scatter;
  uint32_t n_index = n_scatter;
  if (n_map != 1 || sample_chance(cx, 50)) {
    vector = sample_int(cx, 0, n_scatter);
    for (uint32_t d = n_scatter; d > vector; d--) index_dims[d] = index_dims[d - 1];
    index_dims[vector] = n_map;
    for (uint32_t i = 0; i < n_batch; i++) index_batch[i] += index_batch[i] >= vector;
    n_index++;
  }
  Context *c = cx->context;
  NamedAttr fields[6] = {
      {name_of(c, "update_window_dims"), attr_i64s(c, n_window, window)},
      {name_of(c, "inserted_window_dims"), attr_i64s(c, n_inserted, inserted)},
      {name_of(c, "scatter_dims_to_operand_dims"), attr_i64s(c, n_map, map)},
      {name_of(c, "index_vector_dim"), attr_i64(c, vector)},
      {name_of(c, "input_batching_dims"), attr_i64s(c, n_batch, batch)},
      {name_of(c, "scatter_indices_batching_dims"), attr_i64s(c, n_batch, index_batch)}};
  Attr attrs = move_attr(cx, 0, "scatter_dimension_numbers",
                         sample_struct(cx, "stablehlo.scatter", n_batch ? 6 : 4, fields));
  Type type,
      index_type = type_tensor(c, type_scalar(sample_dtype(cx, "s")), n_index, index_dims, 0);
  ValueId operands[3] = {move_sample(cx, "suf", rank, dims, &type)};
  operands[1] = sample_constant_i(cx, index_type, -2, 6);
  operands[2] = sample_value(cx, type_tensor(c, type_elem(c, type), n_update, up_dims, 0));
  OpId scatter = sample_op(cx, OP_scatter, attrs, 3, operands, 1, NULL, 1);
  Type elem = type_elem(c, type);
  sample_binary_body(cx, scatter, 0, elem, sample_combiner(cx, elem));
  sample_infer(cx, scatter);
  return scatter;
}

static Ints factors_field(FactorContext *cx, const char *name) {
  Attr attr = attr_get(cx->context, factors_attr(cx, "scatter_dimension_numbers"), name);
  return attr ? attr_as_ints(cx->context, attr) : (Ints){.ok = true};
}

// The operands are n inputs, the indices, n updates; the results are n.
enum { OF_INPUTS = 1, OF_INDICES = 2, OF_UPDATES = 4 };

static void factors_in(FactorContext *cx, uint32_t factor, int which, uint32_t dim) {
  uint32_t n = cx->n_results;
  if (which == OF_INDICES) {
    factors_also(cx, factor, n, dim);
    return;
  }
  for (uint32_t i = 0; i < n; i++) {
    factors_also(cx, factor, which == OF_INPUTS ? i : n + 1 + i, dim);
    if (which == OF_INPUTS) factors_also(cx, factor, factors_result(cx, i), dim);
  }
}

static uint32_t factors_new(FactorContext *cx, int64_t size, uint8_t kinds, int which,
                            uint32_t dim) {
  uint32_t factor = factor_add(&cx->build, size, kinds);
  factors_in(cx, factor, which, dim);
  return factor;
}

// A scatter dimension of indices and updates: each shard scatters its own updates, and results are
// unreduced, if the body is a reducer.
static void factors_updates(FactorContext *cx, uint32_t update_dim, uint32_t index_dim,
                            int64_t size) {
  Combine combine = factors_combine(cx);
  bool known = combine != COMBINE_ARG && combine != COMBINE_BODY;
  uint32_t factor =
      factors_new(cx, size, known ? FACTOR_PASS : FACTOR_REPLICATE, OF_UPDATES, update_dim);
  factors_in(cx, factor, OF_INDICES, index_dim);
  if (known) factors_reduce(cx, factor, combine);
}

// The inserted dimension of the inputs through which the indices count along their dimension
// `start` (counting.h): it acts as a batching dimension. The inputs' rank: none.
static uint32_t factors_counted(FactorContext *cx, uint32_t vector, uint32_t start) {
  Ints inserted = factors_field(cx, "inserted_window_dims"),
       map = factors_field(cx, "scatter_dims_to_operand_dims");
  uint32_t none = factors_rank(cx, 0), n = cx->n_results;
  if (!cx->options.own) return none;
  cx->reads_context = true;
  for (uint32_t i = 0; i < map.n; i++) {
    uint32_t d = (uint32_t)map.v[i];
    if (ints_contain(inserted, d) && factors_dim(cx, 0, d) > 1 &&
        factors_dim(cx, 0, d) == factors_dim(cx, n, start) &&
        counting_entry(cx->program, op_operand(cx->program, cx->op, n), vector, i, start))
      return d;
  }
  return none;
}

static bool factors(FactorContext *cx) {
  Ints window = factors_field(cx, "update_window_dims"),
       inserted = factors_field(cx, "inserted_window_dims"),
       batching = factors_field(cx, "input_batching_dims"),
       index_batching = factors_field(cx, "scatter_indices_batching_dims"),
       to_input = factors_field(cx, "scatter_dims_to_operand_dims");
  Attr numbers = factors_attr(cx, "scatter_dimension_numbers");
  uint32_t vector =
      (uint32_t)attr_as_int(cx->context, attr_get(cx->context, numbers, "index_vector_dim"), 0);
  uint32_t n = cx->n_results, update = n + 1, input_dim = 0, scatter_dim = 0;
  bool counted[MAX_RANK] = {false};
  for (uint32_t i = 0; i < n; i++) cx->build.enters_once[i] = true;
  for (uint32_t d = 0; d < factors_rank(cx, update); d++) {
    int64_t size = factors_dim(cx, update, d);
    if (ints_contain(window, d)) {
      while (ints_contain(inserted, input_dim) || ints_contain(batching, input_dim)) input_dim++;
      int64_t input_size = factors_dim(cx, 0, input_dim);
      uint8_t kinds = input_size == size ? FACTOR_PASS : FACTOR_REPLICATE;
      uint32_t factor = factors_new(cx, input_size, kinds, OF_INPUTS, input_dim++);
      if (input_size == size)
        factors_in(cx, factor, OF_UPDATES, d);
      else
        factors_new(cx, size, FACTOR_REPLICATE, OF_UPDATES, d);
      // A window, even of full size, that an index shifts: updates are replicated, and each shard
      // drops elements outside of it.
      if (ints_contain(to_input, input_dim - 1)) factors_set_kinds(cx, factor, FACTOR_OFFSET);
      continue;
    }
    uint32_t index = scatter_dim + (scatter_dim >= vector), batch = 0;
    while (batch < batching.n && index_batching.v[batch] != index) batch++;
    scatter_dim++;
    uint32_t along =
        batch < batching.n ? (uint32_t)batching.v[batch] : factors_counted(cx, vector, index);
    if (along == factors_rank(cx, 0) || counted[along]) {
      factors_updates(cx, d, index, size);
      continue;
    }
    counted[along] = batch == batching.n;
    uint32_t factor =
        factors_new(cx, size, counted[along] ? FACTOR_OFFSET : FACTOR_PASS, OF_INPUTS, along);
    factors_in(cx, factor, OF_INDICES, index);
    factors_in(cx, factor, OF_UPDATES, d);
  }
  for (uint32_t i = 0; i < inserted.n; i++)
    if (!counted[inserted.v[i]])
      factors_new(cx, factors_dim(cx, 0, (uint32_t)inserted.v[i]), FACTOR_OFFSET, OF_INPUTS,
                  (uint32_t)inserted.v[i]);
  if (vector < factors_rank(cx, n))
    factors_new(cx, factors_dim(cx, n, vector), FACTOR_REPLICATE, OF_INDICES, vector);
  return true;
}

const OpDef op_scatter = {.infer = infer,
                          .eval = eval,
                          .sample = sample,
                          .constraints = 25,
                          .factors = factors,
                          .splits = scatter_splits,
                          .localize = scatter_localize};
