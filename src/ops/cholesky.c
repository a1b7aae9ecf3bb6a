// stablehlo.cholesky: a = l * l^H, matrix by matrix, row by row (Cholesky-Banachiewicz) in long
// double, rounded once. Only the triangle that `lower` selects is read; the result's other one is
// zero. A matrix that is not positive definite gives NaN throughout, as in XLA. O(n^3) per matrix.
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
  const TypeInfo *a = infer_operand_info(cx, 0);
  DType dtype = dense_expressed(cx->context, a->elem);
  REQUIRE(cx, 0, dtype_is_float(dtype) || dtype_is_complex(dtype),
          "the operand has element type %s, expected a float or complex type",
          infer_text(cx, a->elem));
  REQUIRE(cx, 2, a->rank >= 2, "the operand has rank %u, expected at least 2", a->rank);
  REQUIRE(
      cx, 3, dim_compatible(a->dims[a->rank - 2], a->dims[a->rank - 1]),
      "the last two dimensions have sizes %lld and %lld, expected equal sizes (square matrices)",
      (long long)a->dims[a->rank - 2], (long long)a->dims[a->rank - 1]);
  Type declared = infer_result(cx, 0);
  if (declared) {
    REQUIRE(cx, 1,
            dense_same_baseline(cx->context, a->elem, type_elem(cx->context, declared)) &&
                infer_shapes_compatible(cx, declared, infer_operand(cx, 0)),
            "the result has type %s, expected the operand's %s", infer_text(cx, declared),
            infer_text(cx, infer_operand(cx, 0)));
  }
  cx->out[0] =
      declared ? type_with_elem(cx->context, infer_operand(cx, 0), type_elem(cx->context, declared))
               : infer_operand(cx, 0);
  return true;
}

static Status *eval(EvalContext *cx, Literal *const *in, Literal **out) {
  if (quant_any(cx->context, 1, in)) return quant_wrap(cx, 1, in, 1, out, eval);
  bool lower = eval_bool(cx, "lower", false);
  int64_t n = in[0]->dims[in[0]->rank - 1], size = n * n;
  const Wide *a = dense_load(cx, DENSE_WIDE, in[0]);
  out[0] = literal_like(in[0], cx->context, type_elem(cx->context, eval_result_type(cx, 0)));
  Wide *l = ARENA_ARRAY(cx->scratch, Wide, (size_t)size + 1);
  for (int64_t base = 0; size && base < in[0]->count; base += size) {
    bool definite = matrix_cholesky(a + base, n, lower, l) == 0;
    for (int64_t i = 0; i < n; i++)
      for (int64_t j = 0; j < n; j++) {
        Scalar v = scalar_c(0, 0);
        if (!definite)
          v = scalar_c((double)NAN, dtype_is_complex(out[0]->dtype) ? (double)NAN : 0);
        else if (lower && j <= i)
          v = scalar_c((double)l[i * n + j].re, (double)l[i * n + j].im);
        else if (!lower && j >= i)
          v = scalar_c((double)l[j * n + i].re, -(double)l[j * n + i].im);
        literal_set(out[0], base + i * n + j, v);
      }
  }
  return NULL;
}

static OpId sample(Sample *cx) {
  Context *c = cx->context;
  int64_t n = sample_int(cx, 0, 4), dims[3] = {sample_int(cx, 1, 2), n, n};
  uint32_t batch = sample_chance(cx, 50) ? 1 : 0;
  ValueId a = sample_value(cx, type_tensor(c, type_scalar(sample_chance(cx, 50) ? DT_f64 : DT_c128),
                                           2 + batch, dims + 1 - batch, 0));
  NamedAttr fields[] = {{name_of(c, "lower"), attr_bool(c, true)}};
  return sample_op(cx, OP_cholesky, attr_dict(c, sample_chance(cx, 50) ? 1 : 0, fields), 1, &a, 1,
                   NULL, 0);
}

static bool factors(FactorContext *cx) {
  uint32_t rank = factors_rank(cx, 0);
  for (uint32_t d = 0; d < rank; d++)
    factors_on_all(cx, factors_dim(cx, 0, d), d + 2 < rank ? FACTOR_PASS : FACTOR_REPLICATE, d);
  return true;
}

const OpDef op_cholesky = {.work = work_cholesky,
                           .infer = infer,
                           .eval = eval,
                           .sample = sample,
                           .constraints = 3,
                           .factors = factors};
