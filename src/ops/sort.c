// sort: slices of all inputs along one dimension are sorted together by a comparator region, always
// stably. O(n log n) comparisons per slice.
#include "ops/factors.h"
#include "tensor/merge_sort.h"
#include "ops/move.h"
#include "ops/sort_local.h"
#include "ops/work.h"

static bool infer(Infer *cx) {
  uint32_t n = infer_n_operands(cx);
  REQUIRE(cx, 1, n > 0, "there are no inputs, expected at least one");
  REQUIRE(cx, 2, infer_n_results(cx) == n,
          "the numbers of inputs and results are %u and %u, expected equal", n,
          infer_n_results(cx));
  const TypeInfo *first = move_operand(cx, 0);
  if (!first) return false;
  for (uint32_t i = 0; i < n; i++) {
    if (!move_operand(cx, i) || !infer_not_per_axis(cx, i)) return false;
    Type type = infer_operand(cx, i);
    REQUIRE(cx, 3, infer_shapes_compatible(cx, infer_operand(cx, 0), type),
            "inputs 0 and %u have types %s and %s, expected the same shape", i,
            infer_text(cx, infer_operand(cx, 0)), infer_text(cx, type));
    REQUIRE(cx, 2, !infer_result(cx, i) || infer_types_same(cx, infer_result(cx, i), type),
            "input and result %u have types %s and %s, expected the same", i, infer_text(cx, type),
            infer_text(cx, infer_result(cx, i)));
  }
  int64_t dimension = infer_int(cx, "dimension", -1), rank = first->rank;
  REQUIRE(cx, 4, -rank <= dimension && dimension < rank,
          "dimension is %lld, expected it in [-%lld, %lld)", (long long)dimension, (long long)rank,
          (long long)rank);
  REQUIRE(cx, 5, infer_region_n_args(cx, 0) == 2 * n,
          "the comparator takes %u arguments, expected %u", infer_region_n_args(cx, 0), 2 * n);
  for (uint32_t i = 0; i < 2 * n; i++) {
    Type expected =
        type_tensor(cx->context, type_elem(cx->context, infer_operand(cx, i / 2)), 0, NULL, 0);
    REQUIRE(cx, 5, infer_region_arg(cx, 0, i) == expected,
            "argument %u of the comparator has type %s, expected %s", i,
            infer_text(cx, infer_region_arg(cx, 0, i)), infer_text(cx, expected));
  }
  Type predicate = type_tensor(cx->context, type_scalar(DT_i1), 0, NULL, 0);
  REQUIRE(
      cx, 5, infer_region_n_returned(cx, 0) == 1 && infer_region_returned(cx, 0, 0) == predicate,
      "the comparator returns %s, expected one value of type %s",
      infer_region_n_returned(cx, 0) == 1
          ? infer_text(cx, infer_region_returned(cx, 0, 0))
          : arena_printf(context_arena(cx->context), "%u values", infer_region_n_returned(cx, 0)),
      infer_text(cx, predicate));
  for (uint32_t i = 0; i < n; i++) cx->out[i] = infer_operand(cx, i);
  return true;
}

typedef struct Comparison {
  Reducer reducer;
  uint32_t n;
  const Type *elems;  // 2n: of the comparator's arguments
  Scalar **values;    // n slices
  Scalar *args;       // 2n
} Comparison;

static Status *before(void *context, int64_t a, int64_t b, bool *out) {
  Comparison *c = context;
  for (uint32_t i = 0; i < c->n; i++) {
    c->args[2 * i] = c->values[i][a];
    c->args[2 * i + 1] = c->values[i][b];
  }
  return reducer_test(&c->reducer, 2 * c->n, c->elems, c->args, out);
}

static Status *eval(EvalContext *cx, Literal *const *in, Literal **out) {
  uint32_t n = cx->n_in, rank = in[0]->rank;
  for (uint32_t i = 0; i < n; i++) {
    if (!literal_same_shape(in[0], in[i]))
      FAIL(INVALID_ARGUMENT, "inputs 0 and %u have shapes %s and %s at run time, expected equal", i,
           move_dims_text(cx, rank, in[0]->dims), move_dims_text(cx, in[i]->rank, in[i]->dims));
    TRY(move_new(cx, i, in[i]->elem, rank, in[i]->dims, &out[i]));
  }
  if (in[0]->count == 0) return NULL;
  int64_t along = eval_int(cx, "dimension", -1), size, stride = 1;
  if (along < 0) along += rank;
  size = in[0]->dims[along];
  for (uint32_t d = (uint32_t)along + 1; d < rank; d++) stride *= in[0]->dims[d];

  Comparison c = {.n = n};
  reducer_init(&c.reducer, cx, op_region(cx->program, cx->op, 0), n);
  Type *elems = ARENA_ARRAY(cx->scratch, Type, 2 * n);
  for (uint32_t i = 0; i < 2 * n; i++) elems[i] = in[i / 2]->elem;
  c.elems = elems;
  c.args = ARENA_ARRAY(cx->scratch, Scalar, 2 * n);
  c.values = ARENA_ARRAY(cx->scratch, Scalar *, n);
  for (uint32_t i = 0; i < n; i++) c.values[i] = ARENA_ARRAY(cx->scratch, Scalar, (size_t)size);
  int64_t *order = ARENA_ARRAY(cx->scratch, int64_t, (size_t)size),
          *spare = ARENA_ARRAY(cx->scratch, int64_t, (size_t)size);

  for (int64_t slice = 0; slice < in[0]->count / size; slice++) {
    int64_t base = slice / stride * stride * size + slice % stride;
    for (uint32_t i = 0; i < n; i++)
      for (int64_t k = 0; k < size; k++) c.values[i][k] = literal_get(in[i], base + k * stride);
    TRY(merge_sort(size, order, spare, before, &c));
    for (uint32_t i = 0; i < n; i++)
      for (int64_t k = 0; k < size; k++)
        literal_copy_elements(out[i], base + k * stride, in[i], base + order[k] * stride, 1);
  }
  return NULL;
}

static OpId sample(Sample *cx) {
  int64_t dims[3];
  uint32_t rank = sample_shape(cx, 3, dims), n = (uint32_t)sample_int(cx, 1, 3);
  if (rank == 0) dims[rank++] = 5;
  ValueId operands[3];
  Type types[3];
  for (uint32_t i = 0; i < n; i++) operands[i] = move_sample(cx, "bsuf", rank, dims, &types[i]);
  Context *c = cx->context;
  Attr attrs = move_attr(cx, 0, "dimension", attr_i64(c, sample_int(cx, -(int64_t)rank, rank - 1)));
  attrs = move_attr(cx, attrs, "is_stable", attr_bool(c, true));
  OpId sort = sample_op(cx, OP_sort, attrs, n, operands, n, NULL, 1);
  BlockId outer = cx->block, body = region_add_block(cx->program, op_region(cx->program, sort, 0));
  for (uint32_t i = 0; i < 2 * n; i++)
    block_add_arg(cx->program, body, type_tensor(c, type_elem(c, types[i / 2]), 0, NULL, 0), 0);
  uint32_t k = (uint32_t)sample_int(cx, 0, n - 1);
  ValueId pair[2] = {block_arg(cx->program, body, 2 * k), block_arg(cx->program, body, 2 * k + 1)};
  cx->block = body;
  const char *direction = sample_chance(cx, 50) ? "LT" : "GT";
  Attr compare = move_attr(cx, 0, "comparison_direction",
                           attr_enum(c, "stablehlo.comparison_direction", direction));
  ValueId less = op_result(cx->program, sample_op(cx, OP_compare, compare, 2, pair, 1, NULL, 0), 0);
  sample_op(cx, OP_return, 0, 1, &less, 0, NULL, 0);
  cx->block = outer;
  sample_infer(cx, sort);
  return sort;
}

static bool factors(FactorContext *cx) {
  uint32_t rank = factors_rank(cx, 0);
  int64_t along = factors_int(cx, "dimension", -1);
  if (along < 0) along += rank;
  bool alone = true;  // no other dimension could be split instead
  for (uint32_t d = 0; d < rank; d++) alone &= d == along || factors_dim(cx, 0, d) == 1;
  uint8_t kinds = alone ? FACTOR_REPLICATE | FACTOR_BLOCK : FACTOR_REPLICATE;
  for (uint32_t d = 0; d < rank; d++)
    factors_on_all(cx, factors_dim(cx, 0, d), d == along ? kinds : FACTOR_PASS, d);
  return true;
}

const OpDef op_sort = {.work = work_sort,
                       .infer = infer,
                       .eval = eval,
                       .sample = sample,
                       .constraints = 5,
                       .factors = factors,
                       .splits = sort_splits,
                       .localize = sort_localize};
