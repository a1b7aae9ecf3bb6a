// stablehlo.rng: random numbers from a distribution. Every element has its own Philox block,
// determined by the run's seed, the number of earlier random tensors of this process, and the
// element's index; so values do not depend on the program's text. O(elements).
#include <math.h>

#include "ops/eval.h"
#include "ops/factors.h"
#include "ops/infer.h"
#include "ops/move.h"
#include "tensor/rng_bits.h"
#include "ops/sample.h"

static bool infer(Infer *cx) {
  if (!infer_ranked(cx)) return false;
  const TypeInfo *a = infer_operand_info(cx, 0), *b = infer_operand_info(cx, 1),
                 *shape = infer_operand_info(cx, 2);
  DType dtype = type_is_quant(cx->context, a->elem) ? DT_none_ : type_dtype(cx->context, a->elem);
  REQUIRE(cx, 0, a->rank == 0 && b->rank == 0, "a and b have types %s and %s, expected rank 0",
          infer_text(cx, infer_operand(cx, 0)), infer_text(cx, infer_operand(cx, 1)));
  REQUIRE(cx, 0, dtype_is_float(dtype) || dtype_is_integer(dtype) || dtype == DT_i1,
          "a has element type %s, expected an integer, boolean or float type",
          infer_text(cx, a->elem));
  REQUIRE(cx, 1, a->elem == b->elem, "a has element type %s and b %s, expected equal",
          infer_text(cx, a->elem), infer_text(cx, b->elem));
  Str distribution =
      name_str(cx->context, attr_as_name(cx->context, infer_attr(cx, "rng_distribution")));
  bool normal = str_is(distribution, "NORMAL");
  REQUIRE(cx, 0, normal || str_is(distribution, "UNIFORM"),
          "rng_distribution is %.*s, expected UNIFORM or NORMAL", (int)distribution.n,
          distribution.s);
  REQUIRE(cx, 2, !normal || dtype_is_float(dtype),
          "a has element type %s, expected a float type for NORMAL", infer_text(cx, a->elem));
  if (!move_integers(cx, 2, 1) || !infer_declared(cx)) return false;
  const TypeInfo *result = type_info(cx->context, infer_result(cx, 0));
  REQUIRE(cx, 1, result->elem == a->elem, "the result has element type %s, expected that of a, %s",
          infer_text(cx, result->elem), infer_text(cx, a->elem));
  REQUIRE(cx, 3, dim_compatible(shape->dims[0], result->rank),
          "shape has length %lld, expected the result's rank %u", (long long)shape->dims[0],
          result->rank);
  Ints known = move_constant(cx, 2);
  return !known.ok || move_same_shape(cx, 3, 0, known.n, known.v);
}

// A number in (0, 1) from 64 bits; never 0, so that its logarithm is finite.
static double unit(uint32_t high, uint32_t low) {
  uint64_t bits = (uint64_t)high << 32 | low;
  return ((double)(bits >> 12) + 0.5) * 0x1p-52;
}

static Scalar uniform(DType type, Scalar a, Scalar b, const uint32_t bits[4]) {
  uint64_t word = (uint64_t)bits[1] << 32 | bits[0];
  if (!dtype_is_float(type)) {
    uint64_t range = b.u - a.u;
    return range ? scalar_u(a.u + word % range) : a;
  }
  double value = a.f + (b.f - a.f) * ((double)(word >> 11) * 0x1p-53);
  Scalar v = dtype_round(type, scalar_f(value));
  if (v.f >= b.f && a.f < b.f)
    v = dtype_next_after(type, b, a);  // rounding must not reach the open end
  return v;
}

// Box-Muller on the two halves of the block.
static Scalar normal(Scalar mean, Scalar deviation, const uint32_t bits[4]) {
  const double tau = 6.283185307179586476925286766559;
  double r = sqrt(-2 * log(unit(bits[0], bits[1])));
  return scalar_f(mean.f + deviation.f * r * cos(tau * unit(bits[2], bits[3])));
}

static Status *eval(EvalContext *cx, Literal *const *in, Literal **out) {
  int64_t dims[MAX_RANK];
  if (in[2]->count > MAX_RANK)
    FAIL(INVALID_ARGUMENT, "shape has length %lld, which is not a supported rank",
         (long long)in[2]->count);
  uint32_t rank = (uint32_t)in[2]->count;
  for (uint32_t d = 0; d < rank; d++) {
    dims[d] = literal_get(in[2], d).i;
    if (dims[d] < 0)
      FAIL(INVALID_ARGUMENT, "shape has the entry %lld, expected sizes of at least 0",
           (long long)dims[d]);
  }
  const TypeInfo *declared = type_info(cx->context, eval_result_type(cx, 0));
  for (uint32_t d = 0; d < rank && declared->rank == rank; d++)
    if (declared->dims[d] != DIM_DYNAMIC && declared->dims[d] != dims[d])
      FAIL(INVALID_ARGUMENT, "C3: entry %u of shape is %lld, expected %lld as in the result's type",
           d, (long long)dims[d], (long long)declared->dims[d]);
  out[0] = literal_new(cx->heap, cx->context, in[0]->elem, rank, dims);
  Scalar a = literal_get(in[0], 0), b = literal_get(in[1], 0);
  bool is_normal =
      str_is(name_str(cx->context, attr_as_name(cx->context, eval_attr(cx, "rng_distribution"))),
             "NORMAL");
  uint64_t seed = cx->host->seed(cx), draw = cx->host->draws(cx);
  uint32_t key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
  for (int64_t i = 0; i < out[0]->count; i++) {
    uint32_t counter[4] = {(uint32_t)i, (uint32_t)((uint64_t)i >> 32), (uint32_t)draw,
                           (uint32_t)(draw >> 32)};
    uint32_t bits[4];
    philox(counter, key, bits);
    literal_set(out[0], i, is_normal ? normal(a, b, bits) : uniform(out[0]->dtype, a, b, bits));
  }
  return NULL;
}

static OpId sample(Sample *cx) {
  Context *c = cx->context;
  int64_t dims[3];
  uint32_t rank = sample_shape(cx, 3, dims);
  DType dtype = sample_dtype(cx, "suf");
  bool is_normal = dtype_is_float(dtype) && sample_chance(cx, 50);
  Type scalar = type_tensor(c, type_scalar(dtype), 0, NULL, 0);
  Type result = type_tensor(c, type_scalar(dtype), rank, dims, 0);
  Type vector = type_tensor(c, DT_i64, 1, (int64_t[]){rank}, 0);
  NamedAttr value[] = {{name_of(c, "value"), attr_dense(c, vector, dims, sizeof(int64_t) * rank)}};
  OpId shape = sample_op(cx, OP_constant, attr_dict(c, 1, value), 0, NULL, 1, &vector, 0);
  ValueId operands[3] = {sample_value(cx, scalar), sample_value(cx, scalar),
                         op_result(cx->program, shape, 0)};
  NamedAttr fields[] = {
      {name_of(c, "rng_distribution"),
       attr_enum(c, "stablehlo.rng_distribution", is_normal ? "NORMAL" : "UNIFORM")}};
  return sample_op(cx, OP_rng, attr_dict(c, 1, fields), 3, operands, 1, &result, 0);
}

// Values depend on the element's global index.
static bool factors(FactorContext *cx) {
  factors_replicated(cx, 2);
  factors_results_only(cx, FACTOR_OFFSET);
  return true;
}

const OpDef op_rng = {
    .infer = infer,
    .eval = eval,
    .sample = sample,
    .constraints = 3,
    .factors = factors,
};
