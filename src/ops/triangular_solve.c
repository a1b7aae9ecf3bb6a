// stablehlo.triangular_solve: op(a) x = b or x op(a) = b for triangular a, by substitution in long
// double, rounded once. The case x op(a) = b is op(a)^T x^T = b^T. Only the triangle that `lower`
// selects is read. O(n^2) per right-hand side.
#include "ops/dense.h"
#include "ops/eval.h"
#include "ops/factors.h"
#include "ops/infer.h"
#include "ops/quant.h"
#include "ops/sample.h"
#include "tensor/matrix.h"
#include "ops/work.h"

static bool infer(Infer *cx) {
  if (!infer_ranked(cx) || !infer_per_tensor(cx)) return false;
  const TypeInfo *a = infer_operand_info(cx, 0), *b = infer_operand_info(cx, 1);
  DType dtype = dense_expressed(cx->context, a->elem);
  REQUIRE(cx, 0, dtype_is_float(dtype) || dtype_is_complex(dtype),
          "a has element type %s, expected a float or complex type", infer_text(cx, a->elem));
  REQUIRE(cx, 1, dense_same_baseline(cx->context, a->elem, b->elem),
          "a has element type %s and b %s, expected equal", infer_text(cx, a->elem),
          infer_text(cx, b->elem));
  REQUIRE(cx, 2, a->rank >= 2 && a->rank == b->rank,
          "a has rank %u and b %u, expected equal ranks of at least 2", a->rank, b->rank);
  uint32_t r = a->rank;
  bool left = attr_as_bool(cx->context, infer_attr(cx, "left_side"), false);
  for (uint32_t d = 0; d + 2 < r; d++)
    REQUIRE(cx, 3, dim_compatible(a->dims[d], b->dims[d]),
            "batch dimension %u has size %lld in a and %lld in b, expected equal", d,
            (long long)a->dims[d], (long long)b->dims[d]);
  REQUIRE(cx, 3, dim_compatible(a->dims[r - 2], a->dims[r - 1]),
          "the last two dimensions of a have sizes %lld and %lld, expected equal sizes (square "
          "matrices)",
          (long long)a->dims[r - 2], (long long)a->dims[r - 1]);
  REQUIRE(cx, 3, dim_compatible(a->dims[r - 1], b->dims[left ? r - 2 : r - 1]),
          "the matrices of a have size %lld and dimension %u of b has size %lld, expected equal",
          (long long)a->dims[r - 1], left ? r - 2 : r - 1,
          (long long)b->dims[left ? r - 2 : r - 1]);
  Str transpose = name_str(cx->context, attr_as_name(cx->context, infer_attr(cx, "transpose_a")));
  REQUIRE(cx, 0,
          str_is(transpose, "NO_TRANSPOSE") || str_is(transpose, "TRANSPOSE") ||
              str_is(transpose, "ADJOINT"),
          "transpose_a is %.*s, expected NO_TRANSPOSE, TRANSPOSE or ADJOINT", (int)transpose.n,
          transpose.s);
  Type declared = infer_result(cx, 0);
  if (declared)
    REQUIRE(cx, 4,
            dense_same_baseline(cx->context, b->elem, type_elem(cx->context, declared)) &&
                infer_shapes_compatible(cx, declared, infer_operand(cx, 1)),
            "the result has type %s, expected that of b, %s", infer_text(cx, declared),
            infer_text(cx, infer_operand(cx, 1)));
  cx->out[0] =
      declared ? type_with_elem(cx->context, infer_operand(cx, 1), type_elem(cx->context, declared))
               : infer_operand(cx, 1);
  return true;
}

static Status *eval(EvalContext *cx, Literal *const *in, Literal **out) {
  if (quant_any(cx->context, 2, in)) return quant_wrap(cx, 2, in, 1, out, eval);
  const Literal *la = in[0], *lb = in[1];
  bool left = eval_bool(cx, "left_side", false), lower = eval_bool(cx, "lower", false);
  Str transpose = name_str(cx->context, attr_as_name(cx->context, eval_attr(cx, "transpose_a")));
  bool flipped = !str_is(transpose, "NO_TRANSPOSE");
  int64_t n = la->dims[la->rank - 1], rows = lb->dims[lb->rank - 2],
          columns = lb->dims[lb->rank - 1];
  const Wide *a = dense_load(cx, DENSE_WIDE, la);
  Wide *x = dense_load(cx, DENSE_WIDE, lb);
  bool turned = flipped != !left;  // op and the side each transpose the system
  Triangle t = {.n = n,
                .row = turned ? 1 : n,
                .column = turned ? n : 1,
                .lower = lower != turned,
                .unit = eval_bool(cx, "unit_diagonal", false),
                .conjugate = str_is(transpose, "ADJOINT")};
  int64_t size = rows * columns, batches = size ? lb->count / size : 0;
  for (int64_t b = 0; b < batches; b++) {
    t.a = a + b * n * n;
    Wide *base = x + b * size;
    if (left)
      for (int64_t c = 0; c < columns; c++) matrix_substitute(&t, base + c, columns);
    else
      for (int64_t r = 0; r < rows; r++) matrix_substitute(&t, base + r * columns, 1);
  }
  out[0] = literal_like(lb, cx->context, type_elem(cx->context, eval_result_type(cx, 0)));
  for (int64_t i = 0; i < lb->count; i++)
    literal_set(out[0], i, scalar_c((double)x[i].re, (double)x[i].im));
  return NULL;
}

static OpId sample(Sample *cx) {
  static const char *const modes[] = {"NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"};
  Context *c = cx->context;
  bool left = sample_chance(cx, 50);
  int64_t n = sample_int(cx, 1, 4), m = sample_int(cx, 0, 3);
  int64_t a[2] = {n, n}, b[2] = {left ? n : m, left ? m : n};
  Type elem = type_scalar(sample_chance(cx, 50) ? DT_f32 : DT_c64);
  ValueId operands[2] = {sample_value(cx, type_tensor(c, elem, 2, a, 0)),
                         sample_value(cx, type_tensor(c, elem, 2, b, 0))};
  NamedAttr fields[] = {
      {name_of(c, "left_side"), attr_bool(c, left)},
      {name_of(c, "lower"), attr_bool(c, sample_chance(cx, 50))},
      {name_of(c, "unit_diagonal"), attr_bool(c, sample_chance(cx, 50))},
      {name_of(c, "transpose_a"), attr_enum(c, "stablehlo.transpose", modes[sample_int(cx, 0, 2)])},
  };
  return sample_op(cx, OP_triangular_solve, attr_dict(c, 4, fields), 2, operands, 1, NULL, 0);
}

// op(a) x = b with a [rows,columns]: the columns of b (its rows, if a is on the right) are
// independent systems. Shardy requires even those replicated.
static bool factors(FactorContext *cx) {
  uint32_t rank = factors_rank(cx, 0), rows = rank - 2, columns = rank - 1,
           result = factors_result(cx, 0);
  bool left = attr_as_bool(cx->context, factors_attr(cx, "left_side"), false);
  bool turned =
      !str_is(name_str(cx->context, attr_as_name(cx->context, factors_attr(cx, "transpose_a"))),
              "NO_TRANSPOSE");
  for (uint32_t d = 0; d < rows; d++) factors_on_all(cx, factors_dim(cx, 0, d), FACTOR_PASS, d);
  // a's dimension shared with b, a's dimension shared with x, and the dimension of x and b.
  uint32_t system = left ? rows : columns, other = left ? columns : rows;
  uint32_t of_x = left == turned ? rows : columns, of_b = left == turned ? columns : rows;
  for (int k = 0; k < 2; k++) {
    if ((k == 0) == left) {
      uint32_t factor = factors_on(cx, factors_dim(cx, 0, of_b), FACTOR_REPLICATE, 0, of_b);
      factors_also(cx, factor, 1, system);
    } else {
      uint32_t factor = factors_on(cx, factors_dim(cx, 1, other), FACTOR_REPLICATE, 1, other);
      factors_also(cx, factor, result, other);
      factors_set_kinds(cx, factor, FACTOR_PASS);
    }
  }
  factors_also(cx, factors_on(cx, factors_dim(cx, 0, of_x), FACTOR_REPLICATE, 0, of_x), result,
               system);
  return true;
}

const OpDef op_triangular_solve = {.work = work_triangular_solve,
                                   .infer = infer,
                                   .eval = eval,
                                   .sample = sample,
                                   .constraints = 4,
                                   .factors = factors};
