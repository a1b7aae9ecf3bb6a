// stablehlo.reduce: reduces some dimensions. Each result folds its elements in lexicographic order,
// starting with the init value, which is used once. Fold (ops/eval.h) defines the tree, which
// depends on shapes only. O(elements) applications of the body.
#include "ops/eval.h"
#include "ops/factors.h"
#include "ops/infer.h"
#include "ops/move.h"
#include "ops/reduce_local.h"
#include "ops/reduction.h"
#include "ops/sample.h"

static bool infer(Infer *cx) {
  if (!infer_ranked(cx) || !infer_per_tensor(cx)) return false;
  uint32_t operands = infer_n_operands(cx), n = operands / 2;
  REQUIRE(cx, 3, operands % 2 == 0 && n > 0,
          "there are %u operands, expected an even number: the inputs and one init value for each",
          operands);
  REQUIRE(cx, 3, infer_n_results(cx) == n, "there are %u results, expected %u, one per input",
          infer_n_results(cx), n);
  const TypeInfo *first = infer_operand_info(cx, 0);
  Type *elems = ARENA_ARRAY(context_arena(cx->context), Type, n);
  int64_t dims[MAX_RANK];
  for (uint32_t d = 0; d < first->rank; d++) dims[d] = first->dims[d];
  for (uint32_t i = 0; i < n; i++) {
    const TypeInfo *input = infer_operand_info(cx, i), *init = infer_operand_info(cx, n + i);
    REQUIRE(cx, 1, infer_shapes_compatible(cx, infer_operand(cx, 0), infer_operand(cx, i)),
            "input %u has shape %s, expected the shape of input 0, %s", i,
            infer_dims_text(cx, input->rank, input->dims),
            infer_dims_text(cx, first->rank, first->dims));
    REQUIRE(cx, 2, input->elem == init->elem,
            "input %u has element type %s and its init value %s, expected equal", i,
            infer_text(cx, input->elem), infer_text(cx, init->elem));
    REQUIRE(cx, 0, init->kind == TYPE_TENSOR && init->rank == 0,
            "init value %u has type %s, expected rank 0", i,
            infer_text(cx, infer_operand(cx, n + i)));
    for (uint32_t d = 0; d < first->rank; d++) dims[d] = dim_merge(dims[d], input->dims[d]);
    elems[i] = input->elem;
  }
  Ints along = infer_ints(cx, "dimensions");
  REQUIRE(cx, 4, along.ok, "dimensions is not a list of integers");
  for (uint32_t i = 0; i < along.n; i++) {
    REQUIRE(cx, 4, along.v[i] >= 0 && along.v[i] < first->rank,
            "dimensions contain %lld, expected each in [0, %u)", (long long)along.v[i],
            first->rank);
    for (uint32_t j = 0; j < i; j++)
      REQUIRE(cx, 5, along.v[i] != along.v[j],
              "dimension %lld occurs twice in dimensions, expected at most once",
              (long long)along.v[i]);
  }
  if (!reduction_check_body(cx, 0, n, elems, 6, elems)) return false;
  int64_t kept[MAX_RANK], bounds[MAX_RANK];
  uint32_t rank = 0;
  for (uint32_t d = 0; d < first->rank; d++) {
    if (ints_contain(along, d)) continue;
    bounds[rank] = type_bound(cx->context, infer_operand(cx, 0), d);
    kept[rank++] = dims[d];
  }
  for (uint32_t i = 0; i < n; i++) {
    Type declared = infer_result(cx, i);
    if (declared) {
      const TypeInfo *r = type_info(cx->context, declared);
      Type shape = type_tensor(cx->context, elems[i], rank, kept, 0);
      REQUIRE(cx, 7, infer_shapes_compatible(cx, declared, shape),
              "result %u has shape %s, expected %s", i, infer_dims_text(cx, r->rank, r->dims),
              infer_dims_text(cx, rank, kept));
      REQUIRE(cx, 8, r->elem == elems[i],
              "result %u has element type %s, expected the type that the body returns, %s", i,
              infer_text(cx, r->elem), infer_text(cx, elems[i]));
    }
    if (!move_infer(cx, i, elems[i], rank, kept, bounds)) return false;
  }
  return true;
}

static Status *eval(EvalContext *cx, Literal *const *in, Literal **out) {
  uint32_t n = cx->n_in / 2;
  Ints along = eval_ints(cx, "dimensions");
  const Literal *first = in[0];
  int64_t kept[MAX_RANK], kept_strides[MAX_RANK], index[MAX_RANK] = {0};
  int64_t reduced[MAX_RANK], reduced_strides[MAX_RANK], strides[MAX_RANK];
  uint32_t rank = 0, reduced_rank = 0;
  int64_t terms = 1;
  shape_strides(first->rank, first->dims, strides);
  for (uint32_t d = 0; d < first->rank; d++) {
    if (ints_contain(along, d)) {
      terms = shape_times(terms, first->dims[d]);
      reduced[reduced_rank] = first->dims[d];
      reduced_strides[reduced_rank++] = strides[d];
    } else {
      kept[rank] = first->dims[d];
      kept_strides[rank++] = strides[d];
    }
  }
  Type *elems = ARENA_ARRAY(cx->scratch, Type, n);
  Scalar *init = ARENA_ARRAY(cx->scratch, Scalar, n), *value = ARENA_ARRAY(cx->scratch, Scalar, n);
  Literal **inputs = ARENA_ARRAY(cx->scratch, Literal *, n);
  reduction_elems(cx, 0, n, elems);
  for (uint32_t i = 0; i < n; i++) {
    out[i] = literal_new(cx->heap, cx->context, elems[i], rank, kept);
    inputs[i] = reduction_promote(cx, in[i], elems[i]);
    Literal *start = reduction_promote(cx, in[n + i], elems[i]);
    init[i] = literal_get(start, 0);
    literal_release(start);
  }
  Reducer body;
  reducer_init(&body, cx, op_region(cx->program, cx->op, 0), n);
  Fold fold;
  fold_init(&fold, &body, elems, init);
  for (int64_t k = 0; k < out[0]->count; k++) {
    int64_t term[MAX_RANK] = {0}, at = 0;
    for (uint32_t d = 0; d < rank; d++) at += kept_strides[d] * index[d];
    for (int64_t t = 0; t < terms; t++) {
      for (uint32_t i = 0; i < n; i++) value[i] = literal_get(inputs[i], at);
      TRY(fold_add(&fold, value));
      for (uint32_t d = reduced_rank; d-- > 0;) {
        at += reduced_strides[d];
        if (++term[d] < reduced[d]) break;
        at -= reduced_strides[d] * reduced[d];
        term[d] = 0;
      }
    }
    TRY(fold_end(&fold, value));
    for (uint32_t i = 0; i < n; i++) literal_set(out[i], k, value[i]);
    shape_next(rank, kept, index);
  }
  for (uint32_t i = 0; i < n; i++) literal_release(inputs[i]);
  return NULL;
}

// ---- samples: bodies whose result does not depend on the tree ----

static ValueId binary(Sample *cx, uint16_t code, ValueId a, ValueId b) {
  return op_result(cx->program, sample_op(cx, code, 0, 2, (ValueId[]){a, b}, 1, NULL, 0), 0);
}

static ValueId compared(Sample *cx, const char *direction, ValueId a, ValueId b) {
  NamedAttr field = {name_of(cx->context, "comparison_direction"),
                     attr_enum(cx->context, "stablehlo.comparison_direction", direction)};
  OpId op = sample_op(cx, OP_compare, attr_dict(cx->context, 1, &field), 2, (ValueId[]){a, b}, 1,
                      NULL, 0);
  return op_result(cx->program, op, 0);
}

static ValueId chosen(Sample *cx, ValueId which, ValueId a, ValueId b) {
  return op_result(cx->program,
                   sample_op(cx, OP_select, 0, 3, (ValueId[]){which, a, b}, 1, NULL, 0), 0);
}

// argmax: of equal elements the smallest index, of NaNs the first.
static void body_arg(Sample *cx, const ValueId *a, ValueId *out) {
  ValueId same = compared(cx, "EQ", a[0], a[2]);
  ValueId more = binary(cx, OP_or, compared(cx, "GT", a[0], a[2]), compared(cx, "NE", a[0], a[0]));
  ValueId place = chosen(cx, more, a[1], a[3]);
  out[0] = chosen(cx, more, a[0], a[2]);
  out[1] = chosen(cx, same, binary(cx, OP_minimum, a[1], a[3]), place);
}

// a + b + ab for integers, which is no plain reducer; with two values, a different op for each.
static void body_general(Sample *cx, uint32_t n, const Type *elems, const ValueId *a,
                         ValueId *out) {
  for (uint32_t i = 0; i < n; i++) {
    bool rounds = dtype_is_float(type_dtype(cx->context, elems[i]));
    out[i] = binary(cx, rounds ? OP_maximum : sample_combiner(cx, elems[i]), a[i], a[n + i]);
  }
  if (n == 1 && dtype_is_integer(type_dtype(cx->context, elems[0])))
    out[0] =
        binary(cx, OP_add, binary(cx, OP_add, a[0], a[1]), binary(cx, OP_multiply, a[0], a[1]));
}

static void sample_body(Sample *cx, OpId op, uint32_t n, const Type *elems) {
  BlockId outer = cx->block, body = region_add_block(cx->program, op_region(cx->program, op, 0));
  for (uint32_t i = 0; i < 2 * n; i++)
    block_add_arg(cx->program, body, type_tensor(cx->context, elems[i % n], 0, NULL, 0), 0);
  ValueId args[4], out[2];
  for (uint32_t i = 0; i < 2 * n; i++) args[i] = block_arg(cx->program, body, i);
  cx->block = body;
  if (n == 2 && sample_chance(cx, 70))
    body_arg(cx, args, out);
  else
    body_general(cx, n, elems, args, out);
  sample_op(cx, OP_return, 0, n, out, 0, NULL, 0);
  cx->block = outer;
}

static OpId sample(Sample *cx) {
  int64_t dims[4], along[4];
  uint32_t rank = sample_shape(cx, 4, dims), n = 0, n_inputs = sample_chance(cx, 30) ? 2 : 1;
  for (uint32_t d = 0; d < rank; d++)
    if (sample_chance(cx, 50)) along[n++] = d;
  Type elems[2] = {type_scalar(sample_dtype(cx, "suf")), type_scalar(DT_i32)};
  ValueId operands[4];
  for (uint32_t i = 0; i < n_inputs; i++) {
    operands[i] = sample_value(cx, type_tensor(cx->context, elems[i], rank, dims, 0));
    operands[n_inputs + i] = sample_value(cx, type_tensor(cx->context, elems[i], 0, NULL, 0));
  }
  NamedAttr fields[] = {{name_of(cx->context, "dimensions"), attr_i64s(cx->context, n, along)}};
  OpId op = sample_op(cx, OP_reduce, attr_dict(cx->context, 1, fields), 2 * n_inputs, operands,
                      n_inputs, NULL, 1);
  if (n_inputs == 1 && sample_chance(cx, 80))
    sample_binary_body(cx, op, 0, elems[0], sample_combiner(cx, elems[0]));
  else
    sample_body(cx, op, n_inputs, elems);
  sample_infer(cx, op);
  return op;
}

static bool factors(FactorContext *cx) {
  Ints along = factors_ints(cx, "dimensions");
  uint32_t n = cx->n_results, out = 0;
  Combine combine = factors_combine(cx);
  for (uint32_t d = 0; d < factors_rank(cx, 0); d++) {
    uint32_t factor = factor_add(&cx->build, factors_dim(cx, 0, d), FACTOR_PASS);
    bool reduced = ints_contain(along, d);
    for (uint32_t i = 0; i < n; i++) {
      factors_also(cx, factor, i, d);
      if (!reduced) factors_also(cx, factor, factors_result(cx, i), out);
    }
    if (reduced)
      factors_reduce(cx, factor, combine);
    else
      out++;
  }
  for (uint32_t i = 0; i < n; i++) cx->build.enters_once[n + i] = true;
  return true;
}

const OpDef op_reduce = {
    .infer = infer,
    .eval = eval,
    .sample = sample,
    .constraints = 8,
    .factors = factors,
    .splits = reduce_splits,
    .localize = reduce_localize,
    .strides = true,
};
