// Pointwise ops from pointwise.def. Every row becomes one function over wide lanes, a table entry
// with its operand and result kinds, and an OpDef with its family's infer, eval and sample. Float
// results are computed in double and rounded once, which is correctly rounded for + - * / and sqrt
// of types up to 32 bits. O(elements), in chunks of LANES.
#include "ops/pointwise.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "tensor/lanes.h"
#include "tensor/mathfn.h"
#include "tensor/mathfn_chlo.h"
#include "tensor/mathfn_complex.h"
#include "tensor/mathfn_special.h"
#include "ops/quant.h"

// ---- the rows as functions over lanes ----

// Complex numbers are ordered by real part, then by imaginary part.
static bool cplx_less(Cplx z, Cplx w) { return z.re < w.re || (z.re == w.re && z.im < w.im); }

// w with asin(z) = (atan2(z.re, w.re), sign(z.im) w.im), after Hull, Fairgrieve and Tang,
// "Implementing the complex arcsine and arccosine functions using exception handling" (1997): w.re
// = sqrt(a^2 - x^2) where a is the mean of the distances of z to 1 and -1, without cancellation.
static Cplx asin_acos_kernel(Cplx z) {
  double x = fabs(z.re), y = fabs(z.im), r = hypot(x + 1, y), s = hypot(x - 1, y);
  double far = y * (y / (r + (x + 1)));                          // r - (x + 1)
  double near = x <= 1 ? s + (1 - x) : y * (y / (s + (x - 1)));  // s - (x - 1)
  return (Cplx){sqrt((r + s) / 2 + x) * sqrt((far + near) / 2), fabs(cplx_asin(z).im)};
}

#define LOOP(kind, lane, a, b, result, from_a, from_b, e)                                          \
  case kind: {                                                                                     \
    const lane *lane_a = in[0], *lane_b = in[1];                                                   \
    result *lane_r = out;                                                                          \
    for (int64_t i = 0; i < n; i++) {                                                              \
      from_a;                                                                                      \
      from_b;                                                                                      \
      (void)a, (void)b;                                                                            \
      lane_r[i] = e;                                                                               \
    }                                                                                              \
    break;                                                                                         \
  }
#define LOOP_PLAIN(kind, lane, result, e)                                                          \
  LOOP(kind, lane, x, y, result, lane x = lane_a[i], lane y = lane_b[i], (result)(e))
#define LOOP_CPLX(result, e)                                                                       \
  LOOP(KIND_COMPLEX, Cplx, z, w, result, Cplx z = lane_a[i], Cplx w = lane_b[i], (e))
#define LOOP_SCALAR(kind, e)                                                                       \
  LOOP(kind, int64_t, a, b, int64_t, Scalar a = scalar_i(lane_a[i]),                               \
       Scalar b = scalar_i(lane_b[i]), (e).i)

#define F(...) LOOP_PLAIN(KIND_FLOAT, double, double, __VA_ARGS__)
#define F_B(...) LOOP_PLAIN(KIND_FLOAT, double, int64_t, (__VA_ARGS__) ? 1 : 0)
#define F_C(...)                                                                                   \
  LOOP(KIND_FLOAT, double, x, y, Cplx, double x = lane_a[i], double y = lane_b[i], (__VA_ARGS__))
#define S(...) LOOP_PLAIN(KIND_SINT, int64_t, int64_t, __VA_ARGS__)
#define U(...) LOOP_PLAIN(KIND_UINT, uint64_t, uint64_t, __VA_ARGS__)
#define W(...) LOOP_PLAIN(KIND_SINT, uint64_t, uint64_t, __VA_ARGS__) U(__VA_ARGS__)
#define I(...) LOOP_SCALAR(KIND_SINT, __VA_ARGS__) LOOP_SCALAR(KIND_UINT, __VA_ARGS__)
#define SI(...) LOOP_SCALAR(KIND_SINT, __VA_ARGS__)
#define B(...)                                                                                     \
  LOOP(KIND_BOOL, int64_t, p, q, int64_t, bool p = lane_a[i] != 0, bool q = lane_b[i] != 0,        \
       (__VA_ARGS__) ? 1 : 0)
#define C(...) LOOP_CPLX(Cplx, __VA_ARGS__)
#define C_F(...) LOOP_CPLX(double, __VA_ARGS__)
#define C_OPEN
#define Q
#define Q_AXIS
#define POINTWISE(id, name, family, ...)                                                           \
  static void run_##id(const PointwiseCall *call, int64_t n, const void *const *in, void *out) {   \
    DType t = call->in[0];                                                                         \
    switch (dtype_kind(t)) {                                                                       \
      __VA_ARGS__                                                                                  \
    default: assert(false && "pointwise_prepare refuses other kinds");                             \
    }                                                                                              \
  }
#define BROADCAST(...)
#include "ops/pointwise.def"
#undef F
#undef F_B
#undef F_C
#undef S
#undef U
#undef W
#undef I
#undef SI
#undef B
#undef C
#undef C_F
#undef C_OPEN
#undef Q
#undef Q_AXIS

// ---- the rows as facts ----

typedef enum Gives {
  GIVES_NOTHING,
  GIVES_SAME,
  GIVES_BOOL,
  GIVES_REAL,
  GIVES_COMPLEX,
  GIVES_OPEN
} Gives;
typedef enum Family {
  UNARY,
  MATH,
  ABS,
  PART,
  TEST,
  BINARY,
  COMMUTATIVE,
  ADD,
  COMPLEX,
  CHLO_UNARY,
  CHLO_BINARY,
} Family;

typedef struct Row {
  void (*run)(const PointwiseCall *call, int64_t n, const void *const *in, void *out);
  uint8_t gives[KIND_OTHER + 1];  // the result's kind, by the operands' DTypeKind
  uint8_t family;
  bool quantized, per_axis;
} Row;

#define F(...) .gives[KIND_FLOAT] = GIVES_SAME,
#define F_B(...) .gives[KIND_FLOAT] = GIVES_BOOL,
#define F_C(...) .gives[KIND_FLOAT] = GIVES_COMPLEX,
#define S(...) .gives[KIND_SINT] = GIVES_SAME,
#define U(...) .gives[KIND_UINT] = GIVES_SAME,
#define W(...) S() U()
#define I(...) S() U()
#define SI(...) S()
#define B(...) .gives[KIND_BOOL] = GIVES_SAME,
#define C(...) .gives[KIND_COMPLEX] = GIVES_SAME,
#define C_F(...) .gives[KIND_COMPLEX] = GIVES_REAL,
#define C_OPEN .gives[KIND_COMPLEX] = GIVES_OPEN,
#define Q .quantized = true,
#define Q_AXIS Q.per_axis = true,
static const Row rows[OP_COUNT] = {
#define POINTWISE(id, name, family_, ...)                                                          \
  [OP_##id] = {.run = run_##id, .family = family_, __VA_ARGS__},
#define BROADCAST(...)
#include "ops/pointwise.def"
};
#undef F
#undef F_B
#undef F_C
#undef S
#undef U
#undef W
#undef I
#undef SI
#undef B
#undef C
#undef C_F
#undef C_OPEN
#undef Q
#undef Q_AXIS

// The result's element type for operands of an unquantized type; 0 if the row does not support it.
static Type row_result(const Row *row, DType dtype) {
  switch ((Gives)row->gives[dtype_kind(dtype)]) {
  case GIVES_SAME:
  case GIVES_OPEN: return type_scalar(dtype);
  case GIVES_BOOL: return type_scalar(DT_i1);
  case GIVES_REAL: return type_scalar(dtype_real_of(dtype));
  case GIVES_COMPLEX: return dtype_complex_of(dtype) ? type_scalar(dtype_complex_of(dtype)) : 0;
  case GIVES_NOTHING: break;
  }
  return 0;
}

// "float, complex or quantized": for messages.
static const char *row_kinds(Infer *cx, const Row *row) {
  static const char *const names[] = {
      [KIND_BOOL] = "bool",   [KIND_SINT] = "signed integer", [KIND_UINT] = "unsigned integer",
      [KIND_FLOAT] = "float", [KIND_COMPLEX] = "complex",     [KIND_OTHER] = NULL};
  const char *kinds[KIND_OTHER + 1], *text = "";
  uint32_t n = 0;
  for (int k = KIND_BOOL; k < KIND_OTHER; k++)
    if (row->gives[k]) kinds[n++] = names[k];
  if (row->quantized) kinds[n++] = "quantized";
  for (uint32_t i = 0; i < n; i++)
    text = arena_printf(context_arena(cx->context), "%s%s%s", text,
                        i == 0       ? ""
                        : i + 1 == n ? " or "
                                     : ", ",
                        kinds[i]);
  return text;
}

// ---- infer ----

bool infer_all_tensors(Infer *cx) {
  for (uint32_t i = 0; i < infer_n_operands(cx); i++)
    REQUIRE(cx, 0, type_is_tensor(cx->context, infer_operand(cx, i)),
            "operand %u must be a ranked tensor, got %s", i, infer_text(cx, infer_operand(cx, i)));
  return true;
}

Type infer_merged(Infer *cx, uint32_t first, uint32_t n, Type elem) {
  const TypeInfo *info = infer_operand_info(cx, first);
  uint32_t rank = info->rank;
  int64_t dims[MAX_RANK];
  Attr encoding = info->encoding;
  if (rank > MAX_RANK) return 0;
  if (rank) memcpy(dims, info->dims, rank * sizeof *dims);
  for (uint32_t i = first + 1; i < first + n; i++) {
    if (!infer_shapes_compatible(cx, infer_operand(cx, first), infer_operand(cx, i))) return 0;
    const TypeInfo *other = infer_operand_info(cx, i);
    bool changed = false;
    for (uint32_t d = 0; d < rank; d++) {
      int64_t merged = dim_merge(dims[d], other->dims[d]);
      if (!dim_compatible(dims[d], other->dims[d])) return 0;
      changed = changed || merged != dims[d];
      dims[d] = merged;
    }
    // Bounds belong to dims that are still dynamic.
    if (changed)
      encoding = rank && memcmp(dims, other->dims, rank * sizeof *dims) == 0 ? other->encoding : 0;
    if (!encoding && !changed && rank && memcmp(dims, other->dims, rank * sizeof *dims) == 0)
      encoding = other->encoding;
  }
  return type_tensor(cx->context, elem, rank, rank ? dims : NULL, encoding);
}

bool infer_settle(Infer *cx, int constraint, Type type) {
  Type declared = infer_result(cx, 0);
  cx->out[0] = type;
  if (!declared || declared == type) return true;
  REQUIRE(cx, constraint, infer_types_compatible(cx, type, declared),
          "result type must be %s, got %s", infer_text(cx, type), infer_text(cx, declared));
  if (type_is_quant(cx->context, type)) cx->out[0] = declared;
  return true;
}

// Requires the operands' element type to be one that the row supports.
static bool check_kinds(Infer *cx, const Row *row) {
  for (uint32_t i = 0; i < infer_n_operands(cx); i++) {
    Type type = infer_operand(cx, i);
    const QuantInfo *quant = type_quant_info(cx->context, type);
    if (quant) {
      REQUIRE(cx, 0, row->quantized, "operand %u must be %s, got %s", i, row_kinds(cx, row),
              infer_text(cx, type));
      REQUIRE(cx, 0, row->per_axis || quant->axis < 0,
              "operand %u must be quantized per tensor, got %s", i, infer_text(cx, type));
    } else {
      REQUIRE(cx, 0, row_result(row, type_dtype(cx->context, type)),
              "operand %u must be %s, got %s", i, row_kinds(cx, row), infer_text(cx, type));
    }
  }
  return true;
}

// add, C1 … C7: quantized operands may differ in scale, and one of them may be quantized per axis.
static bool infer_add_quantized(Infer *cx) {
  Type lhs = infer_operand(cx, 0), rhs = infer_operand(cx, 1), result = infer_result(cx, 0);
  if (!result) result = lhs;
  const QuantInfo *l = type_quant_info(cx->context, lhs), *r = type_quant_info(cx->context, rhs);
  const QuantInfo *o = type_quant_info(cx->context, result);
  REQUIRE(cx, 2, l && r && o, "operands and result must all be quantized, got %s, %s and %s",
          infer_text(cx, lhs), infer_text(cx, rhs), infer_text(cx, result));
  REQUIRE(cx, 3, l->storage == r->storage && l->storage == o->storage,
          "storage types must be the same, got %s, %s and %s", dtype_info(l->storage)->name,
          dtype_info(r->storage)->name, dtype_info(o->storage)->name);
  REQUIRE(cx, 4, l->expressed == r->expressed && l->expressed == o->expressed,
          "expressed types must be the same, got %s, %s and %s", dtype_info(l->expressed)->name,
          dtype_info(r->expressed)->name, dtype_info(o->expressed)->name);
  REQUIRE(cx, 5, (l->axis >= 0 || r->axis >= 0) == (o->axis >= 0),
          "result must be quantized per axis if and only if an operand is, got %s for operands %s "
          "and %s",
          infer_text(cx, result), infer_text(cx, lhs), infer_text(cx, rhs));
  REQUIRE(cx, 6, l->axis < 0 || l->axis == o->axis,
          "quantization dimensions of lhs and result are %d and %d, expected equal", (int)l->axis,
          (int)o->axis);
  REQUIRE(cx, 7, r->axis < 0 || r->axis == o->axis,
          "quantization dimensions of rhs and result are %d and %d, expected equal", (int)r->axis,
          (int)o->axis);
  Type merged = infer_merged(cx, 0, 2, type_elem(cx->context, result));
  REQUIRE(cx, 1, merged, "operands must have the same shape, got %s and %s", infer_text(cx, lhs),
          infer_text(cx, rhs));
  return infer_settle(cx, 1, merged);
}

// Checks result_accuracy of transcendental functions.
static bool check_accuracy(Infer *cx) {
  Attr accuracy = infer_attr(cx, "result_accuracy");
  if (!accuracy) return true;
  double atol = attr_as_float(cx->context, attr_get(cx->context, accuracy, "atol"), 0);
  double rtol = attr_as_float(cx->context, attr_get(cx->context, accuracy, "rtol"), 0);
  int64_t ulps = attr_as_int(cx->context, attr_get(cx->context, accuracy, "ulps"), 0);
  Str mode =
      name_str(cx->context, attr_as_name(cx->context, attr_get(cx->context, accuracy, "mode")));
  REQUIRE(cx, 0, atol >= 0 && rtol >= 0 && ulps >= 0,
          "result_accuracy has atol %g, rtol %g and ulps %lld, expected each to be at least 0",
          atol, rtol, (long long)ulps);
  REQUIRE(cx, 0, str_is(mode, "TOLERANCE") || (atol == 0 && rtol == 0 && ulps == 0),
          "result_accuracy has tolerances and the mode %s, expected TOLERANCE",
          mode.n ? arena_printf(context_arena(cx->context), "%.*s", (int)mode.n, mode.s)
                 : "DEFAULT");
  return true;
}

static bool pointwise_infer(Infer *cx) {
  const Row *row = &rows[op_at(cx->program, cx->op)->code];
  uint32_t n = infer_n_operands(cx);
  if (!infer_all_tensors(cx)) return false;
  Type first = infer_operand(cx, 0);
  bool any_quantized = false;
  for (uint32_t i = 0; i < n; i++)
    any_quantized = any_quantized || type_is_quant(cx->context, infer_operand(cx, i));
  if (infer_result(cx, 0))
    any_quantized = any_quantized || type_is_quant(cx->context, infer_result(cx, 0));
  if (row->family == ADD && any_quantized) return check_kinds(cx, row) && infer_add_quantized(cx);
  for (uint32_t i = 1; i < n; i++)
    REQUIRE(cx, row->family >= CHLO_UNARY ? 0 : 1,
            infer_types_compatible(cx, first, infer_operand(cx, i)),
            "operands must have the same type, got %s and %s", infer_text(cx, first),
            infer_text(cx, infer_operand(cx, i)));
  if (!check_kinds(cx, row) || (row->family == MATH && !check_accuracy(cx))) return false;
  Type elem = type_elem(cx->context, first);
  const QuantInfo *quant = type_quant_info(cx->context, elem);
  Type given = row_result(row, quant ? quant->expressed : type_dtype(cx->context, first));
  // A quantized operand gives a quantized result, except where the result is a bool.
  if (quant && given == type_scalar(quant->expressed)) given = elem;
  Type type = infer_merged(cx, 0, n, given), declared = infer_result(cx, 0);
  int shape = 1, element = 1;
  switch ((Family)row->family) {
  case ABS:
  case PART: element = 2; break;
  case COMPLEX: shape = 2, element = 3; break;
  case CHLO_UNARY:
  case CHLO_BINARY: shape = element = 0; break;
  case UNARY:
  case MATH:
  case TEST:
  case BINARY:
  case COMMUTATIVE:
  case ADD: break;
  }
  REQUIRE(cx, 1, type, "operands must have the same shape, got %s and %s", infer_text(cx, first),
          infer_text(cx, infer_operand(cx, n - 1)));
  if (declared && type_is_tensor(cx->context, declared))
    REQUIRE(cx, shape, infer_shapes_compatible(cx, type, declared),
            "result must have the shape of %s, got %s", infer_text(cx, type),
            infer_text(cx, declared));
  return infer_settle(cx, element, type);
}

// ---- lanes and eval ----

static bool pointwise_lanes(PointwiseCall *call) {
  const Row *row = &rows[call->code];
  call->run = row->run;
  uint8_t gives = row->gives[dtype_kind(call->in[0])];
  return gives != GIVES_NOTHING && gives != GIVES_OPEN;
}

bool pointwise_prepare(PointwiseCall *call) {
  const OpDef *def = op_row(call->code)->def;
  return def && def->lanes && def->lanes(call);
}

void pointwise_scalar(const PointwiseCall *call, const Scalar *in, Scalar *out) {
  const void *lanes[POINTWISE_ARITY] = {&in[0], &in[call->n_in > 1 ? 1 : 0],
                                        &in[call->n_in > 2 ? 2 : 0]};
  Scalar result = {0};
  call->run(call, 1, lanes, &result);
  *out = dtype_round(call->out, result);
}

Type pointwise_result(uint16_t code, DType operand) {
  return rows[code].run ? row_result(&rows[code], operand) : 0;
}

// Runs a prepared call over arrays, broadcasting operands of rank 0.
static void run_arrays(const PointwiseCall *call, Literal *const *in, Literal *out) {
  LaneBuffer buffers[POINTWISE_ARITY], results;
  const void *lanes[POINTWISE_ARITY];
  bool spread[POINTWISE_ARITY] = {false};
  for (uint32_t i = 0; i < POINTWISE_ARITY; i++) lanes[i] = &buffers[i < call->n_in ? i : 0];
  for (uint32_t i = 0; i < call->n_in; i++) {
    spread[i] = in[i]->rank == 0 && out->rank > 0;
    if (spread[i]) lanes_splat(call->in[i], in[i]->data, 0, LANES, &buffers[i]);
  }
  for (int64_t at = 0; at < out->count; at += LANES) {
    int64_t n = out->count - at < LANES ? out->count - at : LANES;
    for (uint32_t i = 0; i < call->n_in; i++)
      if (!spread[i]) lanes_load(call->in[i], in[i]->data, at, n, &buffers[i]);
    call->run(call, n, lanes, &results);
    lanes_store(call->out, out->data, at, n, &results);
  }
}

// An operand with the result's shape: the first one of rank > 0.
static const Literal *shape_giver(uint32_t n, Literal *const *in) {
  for (uint32_t i = 0; i < n; i++)
    if (in[i]->rank) return in[i];
  return in[0];
}

Status *pointwise_eval(EvalContext *cx, Literal *const *in, Literal **out) {
  const OpRow *row = op_row(cx->code);
  uint32_t n = (uint32_t)row->operands;
  Type elem = type_elem(cx->context, eval_result_type(cx, 0));
  if (rows[cx->code].family == ADD && rows[cx->code].run && type_is_quant(cx->context, elem) &&
      literal_same_shape(in[0], in[1])) {
    out[0] = quant_add(cx->context, in[0], in[1], elem);
    return NULL;
  }
  if (quant_any(cx->context, n, in) || type_is_quant(cx->context, elem))
    return quant_wrap(cx, n, in, 1, out, pointwise_eval);
  const Literal *shape = shape_giver(n, in);
  PointwiseCall call = {.code = cx->code,
                        .attrs = cx->attrs,
                        .context = cx->context,
                        .n_in = n,
                        .out = type_dtype(cx->context, elem)};
  for (uint32_t i = 0; i < n; i++) {
    call.in[i] = in[i]->dtype;
    if (in[i]->rank && !literal_same_shape(shape, in[i]))
      FAIL(INVALID_ARGUMENT,
           "'%s': operand %u has %lld elements and rank %u, expected %lld and %u as in the other "
           "operands",
           row->name, i, (long long)in[i]->count, in[i]->rank, (long long)shape->count,
           shape->rank);
  }
  if (!pointwise_prepare(&call))
    FAIL(UNIMPLEMENTED, "'%s' is not supported for element type %s", row->name,
         dtype_info(call.in[0])->name);
  out[0] = literal_like(shape, cx->context, elem);
  run_arrays(&call, in, out[0]);
  return NULL;
}

// ---- samples ----

static OpId pointwise_sample(Sample *cx, uint16_t code) {
  const Row *row = &rows[code];
  uint32_t n = (uint32_t)op_row(code)->operands;
  char kinds[8];
  int used = 0;
  static const char letters[] = {[KIND_BOOL] = 'b',
                                 [KIND_SINT] = 's',
                                 [KIND_UINT] = 'u',
                                 [KIND_FLOAT] = 'f',
                                 [KIND_COMPLEX] = 'c'};
  for (int k = KIND_BOOL; k < KIND_OTHER; k++)
    if (row->gives[k] && row->gives[k] != GIVES_OPEN) kinds[used++] = letters[k];
  kinds[used] = 0;
  DType dtype = sample_dtype(cx, kinds);
  while (!row_result(row, dtype)) dtype = sample_dtype(cx, kinds);
  int64_t dims[3];
  uint32_t rank = sample_shape(cx, 3, dims);
  Type elem = type_scalar(dtype);
  if (row->quantized && sample_chance(cx, 15))
    elem = sample_quant(cx, DT_f32, row->per_axis ? rank : 0, dims);
  Type type = type_tensor(cx->context, elem, rank, dims, 0);
  ValueId operands[2];
  for (uint32_t i = 0; i < n; i++) operands[i] = sample_value(cx, type);
  return sample_op(cx, code, 0, n, operands, 1, NULL, 0);
}

// ---- the rows as OpDefs ----

enum {
  CONSTRAINTS_UNARY = 1,
  CONSTRAINTS_MATH = 1,
  CONSTRAINTS_ABS = 2,
  CONSTRAINTS_PART = 2,
  CONSTRAINTS_TEST = 1,
  CONSTRAINTS_BINARY = 1,
  CONSTRAINTS_COMMUTATIVE = 1,
  CONSTRAINTS_ADD = 7,
  CONSTRAINTS_COMPLEX = 3,
  CONSTRAINTS_CHLO_UNARY = 0,
  CONSTRAINTS_CHLO_BINARY = 0,
};

#define POINTWISE(id, name, family, ...)                                                           \
  static OpId sample_##id(Sample *cx) { return pointwise_sample(cx, OP_##id); }                    \
  const OpDef op_##id = {.infer = pointwise_infer,                                                 \
                         .eval = pointwise_eval,                                                   \
                         .sample = sample_##id,                                                    \
                         .lanes = pointwise_lanes,                                                 \
                         .constraints = CONSTRAINTS_##family};
#define BROADCAST(...)
#include "ops/pointwise.def"
