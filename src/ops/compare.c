// compare: six directions over floats (partial or total order), integers, bools and complex
// numbers, the last ordered by real part, then by imaginary part. Total order is that of the
// sign-magnitude bit patterns: -NaN below -inf, -0 below +0, NaN above all. O(elements).
#include <string.h>

#include "tensor/mathfn_complex.h"
#include "ops/pointwise.h"

typedef enum Direction { EQ, NE, GE, GT, LE, LT, N_DIRECTIONS } Direction;

static const char *const direction_names[N_DIRECTIONS] = {"EQ", "NE", "GE", "GT", "LE", "LT"};

// N_DIRECTIONS if the attribute is no direction.
static Direction direction_of(const Context *context, Attr attrs) {
  Str name =
      name_str(context, attr_as_name(context, attr_get(context, attrs, "comparison_direction")));
  int d = 0;
  while (d < N_DIRECTIONS && !str_is(name, direction_names[d])) d++;
  return (Direction)d;
}

static Str type_name_of(const Context *context, Attr attrs) {
  return name_str(context, attr_as_name(context, attr_get(context, attrs, "compare_type")));
}

#define COMPARE(id, lane)                                                                          \
  static void compare_##id(const PointwiseCall *call, int64_t n, const void *const *in,            \
                           void *out) {                                                            \
    const lane *x = in[0], *y = in[1];                                                             \
    int64_t *r = out;                                                                              \
    switch ((Direction)call->mode) {                                                               \
    case EQ:                                                                                       \
      for (int64_t i = 0; i < n; i++) r[i] = x[i] == y[i];                                         \
      break;                                                                                       \
    case NE:                                                                                       \
      for (int64_t i = 0; i < n; i++) r[i] = x[i] != y[i];                                         \
      break;                                                                                       \
    case GE:                                                                                       \
      for (int64_t i = 0; i < n; i++) r[i] = x[i] >= y[i];                                         \
      break;                                                                                       \
    case GT:                                                                                       \
      for (int64_t i = 0; i < n; i++) r[i] = x[i] > y[i];                                          \
      break;                                                                                       \
    case LE:                                                                                       \
      for (int64_t i = 0; i < n; i++) r[i] = x[i] <= y[i];                                         \
      break;                                                                                       \
    case LT:                                                                                       \
      for (int64_t i = 0; i < n; i++) r[i] = x[i] < y[i];                                          \
      break;                                                                                       \
    case N_DIRECTIONS: break;                                                                      \
    }                                                                                              \
  }
COMPARE(f, double)
COMPARE(s, int64_t)
COMPARE(u, uint64_t)

// Does an order of -1, 0 or 1 satisfy the direction?
static bool holds(Direction direction, int order) {
  switch (direction) {
  case EQ: return order == 0;
  case NE: return order != 0;
  case GE: return order >= 0;
  case GT: return order > 0;
  case LE: return order <= 0;
  case LT: return order < 0;
  case N_DIRECTIONS: break;
  }
  return false;
}

static int64_t total_key(double x) {
  int64_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits < 0 ? bits ^ INT64_MAX : bits;
}

static void compare_total(const PointwiseCall *call, int64_t n, const void *const *in, void *out) {
  const double *x = in[0], *y = in[1];
  int64_t *r = out;
  for (int64_t i = 0; i < n; i++) {
    int64_t a = total_key(x[i]), b = total_key(y[i]);
    r[i] = holds((Direction)call->mode, (a > b) - (a < b));
  }
}

static void compare_complex(const PointwiseCall *call, int64_t n, const void *const *in,
                            void *out) {
  const Cplx *x = in[0], *y = in[1];
  int64_t *r = out;
  for (int64_t i = 0; i < n; i++) {
    bool re = x[i].re == y[i].re, less = x[i].re < y[i].re || (re && x[i].im < y[i].im),
         more = x[i].re > y[i].re || (re && x[i].im > y[i].im), same = re && x[i].im == y[i].im;
    // NaN is neither less nor more nor equal: only NE is true.
    r[i] = less || more || same ? holds((Direction)call->mode, more - less) : call->mode == NE;
  }
}

static bool lanes(PointwiseCall *call) {
  call->mode = direction_of(call->context, call->attrs);
  if (call->mode == N_DIRECTIONS || call->in[0] != call->in[1]) return false;
  bool total = str_is(type_name_of(call->context, call->attrs), "TOTALORDER");
  switch (dtype_kind(call->in[0])) {
  case KIND_FLOAT: call->run = total ? compare_total : compare_f; return true;
  case KIND_SINT: call->run = compare_s; return true;
  case KIND_BOOL:
  case KIND_UINT: call->run = compare_u; return true;
  case KIND_COMPLEX: call->run = compare_complex; return true;
  case KIND_OTHER: break;
  }
  return false;
}

// Does the comparison type fit the elements? An absent one always does.
static bool type_fits(Str type, DTypeKind kind) {
  if (!type.n || str_is(type, "NOTYPE")) return true;
  switch (kind) {
  case KIND_FLOAT: return str_is(type, "FLOAT") || str_is(type, "TOTALORDER");
  case KIND_COMPLEX: return str_is(type, "FLOAT");
  case KIND_SINT: return str_is(type, "SIGNED");
  case KIND_BOOL:
  case KIND_UINT: return str_is(type, "UNSIGNED");
  case KIND_OTHER: break;
  }
  return false;
}

static bool infer(Infer *cx) {
  if (!infer_all_tensors(cx) || !infer_per_tensor(cx)) return false;
  Attr attrs = op_at(cx->program, cx->op)->attrs;
  Type lhs = infer_operand(cx, 0), rhs = infer_operand(cx, 1), declared = infer_result(cx, 0);
  REQUIRE(cx, 0, direction_of(cx->context, attrs) != N_DIRECTIONS,
          "comparison_direction must be EQ, NE, GE, GT, LE or LT");
  Type scalars[2] = {type_elem(cx->context, lhs), type_elem(cx->context, rhs)};
  REQUIRE(cx, 1, infer_types_compatible(cx, scalars[0], scalars[1]),
          "operands must have the same element type, got %s and %s", infer_text(cx, lhs),
          infer_text(cx, rhs));
  Type type = infer_merged(cx, 0, 2, type_scalar(DT_i1));
  REQUIRE(cx, 2, type, "operands must have the same shape, got %s and %s", infer_text(cx, lhs),
          infer_text(cx, rhs));
  if (declared)
    REQUIRE(cx, 2, infer_shapes_compatible(cx, type, declared),
            "result must have the shape of %s, got %s", infer_text(cx, type),
            infer_text(cx, declared));
  const QuantInfo *quant = type_quant_info(cx->context, lhs);
  DTypeKind kind = quant ? KIND_FLOAT : dtype_kind(type_dtype(cx->context, lhs));
  static const char *const fitting[] = {[KIND_FLOAT] = "FLOAT or TOTALORDER",
                                        [KIND_COMPLEX] = "FLOAT",
                                        [KIND_SINT] = "SIGNED",
                                        [KIND_BOOL] = "UNSIGNED",
                                        [KIND_UINT] = "UNSIGNED",
                                        [KIND_OTHER] = "none"};
  Str compare_type = type_name_of(cx->context, attrs);
  REQUIRE(cx, 3, type_fits(compare_type, kind),
          "compare_type is %.*s, expected %s for operands of type %s", (int)compare_type.n,
          compare_type.s, fitting[kind], infer_text(cx, lhs));
  return infer_settle(cx, 0, type);
}

static OpId sample(Sample *cx) {
  DType dtype = sample_dtype(cx, "bsufc");
  int64_t dims[3];
  uint32_t rank = sample_shape(cx, 3, dims);
  Type type = type_tensor(cx->context, type_scalar(dtype), rank, dims, 0);
  ValueId operands[2] = {sample_value(cx, type), sample_value(cx, type)};
  NamedAttr fields[2] = {{name_of(cx->context, "comparison_direction"),
                          attr_enum(cx->context, "stablehlo.comparison_direction",
                                    direction_names[sample_int(cx, 0, N_DIRECTIONS - 1)])},
                         {name_of(cx->context, "compare_type"),
                          attr_enum(cx->context, "stablehlo.comparison_type", "TOTALORDER")}};
  bool total = dtype_is_float(dtype) && sample_chance(cx, 30);
  return sample_op(cx, OP_compare, attr_dict(cx->context, total ? 2 : 1, fields), 2, operands, 1,
                   NULL, 0);
}

const OpDef op_compare = {
    .infer = infer, .eval = pointwise_eval, .sample = sample, .lanes = lanes, .constraints = 3};
