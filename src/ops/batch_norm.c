// stablehlo.batch_norm_{training,inference,grad}: the decompositions of the spec, op by op in the
// element type. Sums over a feature are in long double and rounded once. Quantized operands are
// dequantized, the results quantized. O(elements).
#include <math.h>

#include "ops/batch_norm_local.h"
#include "ops/dense.h"
#include "ops/eval.h"
#include "ops/factors.h"
#include "ops/infer.h"
#include "ops/quant.h"
#include "ops/sample.h"

// C1, and C2 for operands [0, n): feature_index is a dimension, the element types have one baseline
// and are floats.
static bool check_operands(Infer *cx) {
  if (!infer_ranked(cx) || !infer_per_tensor(cx)) return false;
  const TypeInfo *operand = infer_operand_info(cx, 0);
  int64_t feature = infer_int(cx, "feature_index", -1);
  REQUIRE(cx, 0, dtype_is_float(dense_expressed(cx->context, operand->elem)),
          "the operand has element type %s, expected a float type", infer_text(cx, operand->elem));
  REQUIRE(cx, 1, feature >= 0 && feature < operand->rank,
          "feature_index is %lld, expected a dimension in [0, %u)", (long long)feature,
          operand->rank);
  for (uint32_t i = 1; i < infer_n_operands(cx); i++)
    REQUIRE(cx, 2, dense_same_baseline(cx->context, operand->elem, infer_operand_info(cx, i)->elem),
            "operand %u has element type %s, expected that of operand 0, %s", i,
            infer_text(cx, infer_operand_info(cx, i)->elem), infer_text(cx, operand->elem));
  for (uint32_t i = 0; i < infer_n_results(cx); i++) {
    Type declared = infer_result(cx, i);
    if (declared)
      REQUIRE(cx, 2,
              dense_same_baseline(cx->context, operand->elem, type_elem(cx->context, declared)),
              "result %u has element type %s, expected that of operand 0, %s", i,
              infer_text(cx, type_elem(cx->context, declared)), infer_text(cx, operand->elem));
  }
  return true;
}

// The type must be a vector with one element per feature.
static bool check_vector(Infer *cx, const char *name, Type type, int constraint) {
  const TypeInfo *info = type_info(cx->context, type);
  int64_t features = infer_operand_info(cx, 0)->dims[infer_int(cx, "feature_index", 0)];
  REQUIRE(cx, constraint, info->rank == 1 && dim_compatible(info->dims[0], features),
          "%s has type %s, expected one element for each of %lld features", name,
          infer_text(cx, type), (long long)features);
  return true;
}

// Sets a result type: `shape` with the declared element type if there is one.
static void give(Infer *cx, uint32_t i, Type shape) {
  Type declared = infer_result(cx, i);
  cx->out[i] =
      declared ? type_with_elem(cx->context, shape, type_elem(cx->context, declared)) : shape;
}

static Type feature_vector(Infer *cx) {
  const TypeInfo *operand = infer_operand_info(cx, 0);
  return type_tensor(cx->context, operand->elem, 1,
                     &operand->dims[infer_int(cx, "feature_index", 0)], 0);
}

static bool check_like_operand(Infer *cx, const char *name, Type type, int constraint) {
  REQUIRE(cx, constraint, !type || infer_shapes_compatible(cx, type, infer_operand(cx, 0)),
          "%s has type %s, expected the shape of the operand, %s", name, infer_text(cx, type),
          infer_text(cx, infer_operand(cx, 0)));
  return true;
}

static bool infer_inference(Infer *cx) {
  static const char *const names[] = {"operand", "scale", "offset", "mean", "variance"};
  if (!check_operands(cx)) return false;
  for (uint32_t i = 1; i < 5; i++)
    if (!check_vector(cx, names[i], infer_operand(cx, i), (int)i + 2)) return false;
  if (!check_like_operand(cx, "the result", infer_result(cx, 0), 7)) return false;
  give(cx, 0, infer_operand(cx, 0));
  return true;
}

static bool infer_training(Infer *cx) {
  if (!check_operands(cx) || !check_vector(cx, "scale", infer_operand(cx, 1), 3) ||
      !check_vector(cx, "offset", infer_operand(cx, 2), 4))
    return false;
  if (infer_result(cx, 1) && !check_vector(cx, "batch_mean", infer_result(cx, 1), 5)) return false;
  if (infer_result(cx, 2) && !check_vector(cx, "batch_var", infer_result(cx, 2), 6)) return false;
  if (!check_like_operand(cx, "output", infer_result(cx, 0), 7)) return false;
  give(cx, 0, infer_operand(cx, 0));
  give(cx, 1, feature_vector(cx));
  give(cx, 2, feature_vector(cx));
  return true;
}

static bool infer_grad(Infer *cx) {
  static const char *const names[] = {"grad_operand", "grad_scale", "grad_offset"};
  if (!check_operands(cx) || !check_like_operand(cx, "grad_output", infer_operand(cx, 4), 3) ||
      !check_like_operand(cx, names[0], infer_result(cx, 0), 3) ||
      !check_vector(cx, "scale", infer_operand(cx, 1), 5))
    return false;
  for (uint32_t i = 2; i < 4; i++)
    REQUIRE(cx, 4, infer_shapes_compatible(cx, infer_operand(cx, 1), infer_operand(cx, i)),
            "operand %u has type %s, expected the shape of scale, %s", i,
            infer_text(cx, infer_operand(cx, i)), infer_text(cx, infer_operand(cx, 1)));
  for (uint32_t i = 1; i < 3; i++)
    REQUIRE(cx, 4,
            !infer_result(cx, i) ||
                infer_shapes_compatible(cx, infer_operand(cx, 1), infer_result(cx, i)),
            "%s has type %s, expected the shape of scale, %s", names[i],
            infer_text(cx, infer_result(cx, i)), infer_text(cx, infer_operand(cx, 1)));
  give(cx, 0, infer_operand(cx, 0));
  give(cx, 1, feature_vector(cx));
  give(cx, 2, feature_vector(cx));
  return true;
}

// The feature dimension, and the arithmetic of the element type.
typedef struct Norm {
  DType type;
  int64_t count, features, inner;  // element i belongs to feature i / inner % features
  double epsilon;
} Norm;

static double rounded(const Norm *n, double v) { return dtype_round(n->type, scalar_f(v)).f; }

static Norm norm_of(EvalContext *cx, const Literal *operand) {
  int64_t d = eval_int(cx, "feature_index", 0);
  Norm n = {
      .type = operand->dtype, .count = operand->count, .features = operand->dims[d], .inner = 1};
  for (uint32_t i = (uint32_t)d + 1; i < operand->rank; i++)
    n.inner = shape_times(n.inner, operand->dims[i]);
  n.epsilon = rounded(&n, attr_as_float(cx->context, eval_attr(cx, "epsilon"), 0));
  return n;
}

static int64_t feature_of(const Norm *n, int64_t i) { return i / n->inner % n->features; }

static double per_feature(const Norm *n) {
  return rounded(n, n->features ? (double)(n->count / n->features) : 0);
}

// Sums of x over each feature, rounded once.
static double *sums(EvalContext *cx, const Norm *n, const double *x) {
  long double *wide = ARENA_ARRAY(cx->scratch, long double, (size_t)n->features + 1);
  double *out = ARENA_ARRAY(cx->scratch, double, (size_t)n->features + 1);
  for (int64_t i = 0; i < n->count; i++) wide[feature_of(n, i)] += x[i];
  for (int64_t f = 0; f < n->features; f++) out[f] = rounded(n, (double)wide[f]);
  return out;
}

static double *means(EvalContext *cx, const Norm *n, const double *x) {
  double *out = sums(cx, n, x);
  for (int64_t f = 0; f < n->features; f++) out[f] = rounded(n, out[f] / per_feature(n));
  return out;
}

// The standard deviation of feature f.
static double deviation(const Norm *n, const double *variance, int64_t f) {
  return rounded(n, sqrt(rounded(n, variance[f] + n->epsilon)));
}

static double centered(const Norm *n, const double *x, const double *mean, int64_t i) {
  return rounded(n, x[i] - mean[feature_of(n, i)]);
}

static Literal *normalize(EvalContext *cx, const Norm *n, const Literal *like, const double *x,
                          const double *scale, const double *offset, const double *mean,
                          const double *variance) {
  Literal *out = literal_like(like, cx->context, like->elem);
  for (int64_t i = 0; i < n->count; i++) {
    int64_t f = feature_of(n, i);
    double y = rounded(n, centered(n, x, mean, i) / deviation(n, variance, f));
    literal_set(out, i, scalar_f(rounded(n, scale[f] * y) + offset[f]));
  }
  return out;
}

static Literal *vector(EvalContext *cx, const Norm *n, const double *values) {
  Literal *out = literal_new(cx->heap, cx->context, type_scalar(n->type), 1, &n->features);
  for (int64_t f = 0; f < n->features; f++) literal_set(out, f, scalar_f(values[f]));
  return out;
}

static void load_all(EvalContext *cx, uint32_t n, Literal *const *in, double **out) {
  for (uint32_t i = 0; i < n; i++) out[i] = dense_load(cx, DENSE_F64, in[i]);
}

static Status *eval_inference(EvalContext *cx, Literal *const *in, Literal **out) {
  if (quant_any(cx->context, 5, in)) return quant_wrap(cx, 5, in, 1, out, eval_inference);
  double *v[5];
  load_all(cx, 5, in, v);
  Norm n = norm_of(cx, in[0]);
  out[0] = normalize(cx, &n, in[0], v[0], v[1], v[2], v[3], v[4]);
  return NULL;
}

static Status *eval_training(EvalContext *cx, Literal *const *in, Literal **out) {
  if (quant_any(cx->context, 3, in)) return quant_wrap(cx, 3, in, 3, out, eval_training);
  double *v[3];
  load_all(cx, 3, in, v);
  Norm n = norm_of(cx, in[0]);
  double *mean = means(cx, &n, v[0]),
         *squares = ARENA_ARRAY(cx->scratch, double, (size_t)n.count + 1);
  for (int64_t i = 0; i < n.count; i++) {
    double c = centered(&n, v[0], mean, i);
    squares[i] = rounded(&n, c * c);
  }
  double *variance = means(cx, &n, squares);
  out[0] = normalize(cx, &n, in[0], v[0], v[1], v[2], mean, variance);
  out[1] = vector(cx, &n, mean);
  out[2] = vector(cx, &n, variance);
  return NULL;
}

static Status *eval_grad(EvalContext *cx, Literal *const *in, Literal **out) {
  if (quant_any(cx->context, 5, in)) return quant_wrap(cx, 5, in, 3, out, eval_grad);
  double *v[5];
  load_all(cx, 5, in, v);
  const double *x = v[0], *scale = v[1], *mean = v[2], *variance = v[3], *grad = v[4];
  Norm n = norm_of(cx, in[0]);
  double *by_center = ARENA_ARRAY(cx->scratch, double, (size_t)n.count + 1);
  double *by_normal = ARENA_ARRAY(cx->scratch, double, (size_t)n.count + 1);
  for (int64_t i = 0; i < n.count; i++) {
    double c = centered(&n, x, mean, i);
    by_center[i] = rounded(&n, grad[i] * c);
    by_normal[i] =
        rounded(&n, grad[i] * rounded(&n, c / deviation(&n, variance, feature_of(&n, i))));
  }
  double *i2 = sums(cx, &n, grad), *i3 = sums(cx, &n, by_center), each = per_feature(&n);
  out[0] = literal_like(in[0], cx->context, in[0]->elem);
  for (int64_t i = 0; i < n.count; i++) {
    int64_t f = feature_of(&n, i);
    double i1 = rounded(&n, grad[i] * each);
    double i4 = rounded(&n, i3[f] * centered(&n, x, mean, i));
    double i5 = rounded(&n, i4 / rounded(&n, variance[f] + n.epsilon));
    double i6 = rounded(&n, rounded(&n, i1 - i2[f]) - i5);
    double factor = rounded(&n, rounded(&n, scale[f] / deviation(&n, variance, f)) / each);
    literal_set(out[0], i, scalar_f(factor * i6));
  }
  out[1] = vector(cx, &n, sums(cx, &n, by_normal));
  out[2] = vector(cx, &n, i2);
  return NULL;
}

// n_vectors vectors of features after the operand, then another tensor like it if `again`.
static OpId sample_norm(Sample *cx, uint16_t code, uint32_t n_vectors, bool again,
                        uint32_t n_results) {
  Context *c = cx->context;
  int64_t dims[3] = {sample_int(cx, 1, 4), sample_int(cx, 1, 4), sample_int(cx, 1, 4)};
  uint32_t rank = (uint32_t)sample_int(cx, 1, 3), feature = (uint32_t)sample_int(cx, 0, rank - 1);
  Type elem = type_scalar(sample_dtype(cx, "f"));
  ValueId operands[6];
  uint32_t n = 0;
  operands[n++] = sample_value(cx, type_tensor(c, elem, rank, dims, 0));
  for (uint32_t i = 0; i < n_vectors; i++)
    operands[n++] = sample_value(cx, type_tensor(c, elem, 1, &dims[feature], 0));
  if (again) operands[n++] = sample_value(cx, type_tensor(c, elem, rank, dims, 0));
  NamedAttr fields[] = {{name_of(c, "epsilon"), attr_float(c, DT_f32, 0.5)},
                        {name_of(c, "feature_index"), attr_i64(c, feature)}};
  return sample_op(cx, code, attr_dict(c, 2, fields), n, operands, n_results, NULL, 0);
}

static OpId sample_inference(Sample *cx) {
  return sample_norm(cx, OP_batch_norm_inference, 4, false, 1);
}
static OpId sample_training(Sample *cx) {
  return sample_norm(cx, OP_batch_norm_training, 2, false, 3);
}
static OpId sample_grad(Sample *cx) { return sample_norm(cx, OP_batch_norm_grad, 3, true, 3); }

// Parameters and statistics are per feature, so features split freely. Statistics are over all
// other dimensions: splitting these needs partial sums inside of the op (batch_norm_local.c), so
// the op by itself requires them replicated.
static bool factors_norm(FactorContext *cx, uint8_t kinds) {
  uint32_t feature = (uint32_t)factors_int(cx, "feature_index", 0), result = factors_result(cx, 0);
  for (uint32_t d = 0; d < factors_rank(cx, 0); d++) {
    uint32_t factor =
        factors_on(cx, factors_dim(cx, 0, d), d == feature ? FACTOR_PASS : kinds, 0, d);
    for (uint32_t t = 1; t < cx->n_operands + cx->n_results; t++) {
      // Operand 4 of batch_norm_grad has the data's shape too.
      bool data = t == result || (cx->n_results == 3 && cx->n_operands == 5 && t == 4);
      if (data)
        factors_also(cx, factor, t, d);
      else if (d == feature)
        factors_also(cx, factor, t, 0);
    }
  }
  return true;
}

static bool factors_inference(FactorContext *cx) { return factors_norm(cx, FACTOR_PASS); }
static bool factors_statistics(FactorContext *cx) { return factors_norm(cx, FACTOR_REPLICATE); }

const OpDef op_batch_norm_inference = {.infer = infer_inference,
                                       .eval = eval_inference,
                                       .sample = sample_inference,
                                       .constraints = 7,
                                       .factors = factors_inference};
const OpDef op_batch_norm_training = {.infer = infer_training,
                                      .eval = eval_training,
                                      .sample = sample_training,
                                      .constraints = 7,
                                      .factors = factors_statistics,
                                      .splits = batch_norm_splits,
                                      .localize = batch_norm_training_localize};
const OpDef op_batch_norm_grad = {.infer = infer_grad,
                                  .eval = eval_grad,
                                  .sample = sample_grad,
                                  .constraints = 5,
                                  .factors = factors_statistics,
                                  .splits = batch_norm_splits,
                                  .localize = batch_norm_grad_localize};
