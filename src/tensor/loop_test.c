// Functions over lanes: errors of f32 functions on a sample of all inputs (tools/sweep_math takes
// all of them), 16-bit floats against ir/dtype for every bit pattern, integers and conversions
// against dtype_convert and tensor/mathfn at their edges, reductions by lanes.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <string.h>

#include <cmocka.h>

#include "tensor/loop.h"
#include "tensor/mathfn.h"

static float float_of(uint32_t u) {
  float x;
  memcpy(&x, &u, sizeof x);
  return x;
}

typedef struct Function {
  ScalarOp op;
  double (*exact)(double);
} Function;

static void check_function(const Function *f, uint32_t bits) {
  float x = float_of(bits), y;
  loop_lanes(f->op, DT_f32, DT_f32)(1, &x, NULL, NULL, &y);
  float want = (float)f->exact((double)x);
  uint64_t ulp = dtype_ulp_distance(DT_f32, scalar_f(y), scalar_f(want));
  if (ulp > 2 || (y == 0 && want == 0 && !signbit(y) != !signbit(want)))
    fail_msg("%s(%a) is %a, expected %a", scalar_op_info(f->op)->name, (double)x, (double)y,
             (double)want);
}

static void test_functions(void **state) {
  (void)state;
  static const Function functions[] = {
      {SCALAR_exp, fn_exp},     {SCALAR_expm1, fn_expm1}, {SCALAR_log, fn_log},
      {SCALAR_log1p, fn_log1p}, {SCALAR_tanh, fn_tanh},   {SCALAR_logistic, fn_logistic},
      {SCALAR_rsqrt, fn_rsqrt}, {SCALAR_sqrt, sqrt},      {SCALAR_cbrt, cbrt},
      {SCALAR_sin, sin},        {SCALAR_cos, cos},        {SCALAR_tan, tan},
      {SCALAR_asin, asin},      {SCALAR_acos, acos},      {SCALAR_atan, atan},
      {SCALAR_sinh, sinh},      {SCALAR_cosh, cosh},      {SCALAR_asinh, asinh},
      {SCALAR_acosh, acosh},    {SCALAR_atanh, atanh},    {SCALAR_erf, erf},
      {SCALAR_erfc, erfc},      {SCALAR_round_afz, round}};
  static const uint32_t edges[] = {0,          0x80000000, 1,          0x80000001, 0x007FFFFF,
                                   0x00800000, 0x3F800000, 0xBF800000, 0x7F7FFFFF, 0xFF7FFFFF,
                                   0x7F800000, 0xFF800000, 0x7FC00000, 0xFFC00000, 0x42B17218,
                                   0x42B17219, 0xC2CFF1B5, 0xC2AEAC50, 0x3F200000, 0x3F1FFFFF};
  for (size_t f = 0; f < sizeof functions / sizeof *functions; f++) {
    for (size_t i = 0; i < sizeof edges / sizeof *edges; i++)
      check_function(&functions[f], edges[i]);
    for (uint64_t u = f; u < (uint64_t)1 << 32; u += 50021)
      check_function(&functions[f], (uint32_t)u);
  }
}

static void check_pair(ScalarOp op, double (*exact)(double, double), float x, float y) {
  float r;
  loop_lanes(op, DT_f32, DT_f32)(1, &x, &y, NULL, &r);
  float want = (float)exact((double)x, (double)y);
  uint64_t ulp = dtype_ulp_distance(DT_f32, scalar_f(r), scalar_f(want));
  if (ulp > 2 || (r == 0 && want == 0 && !signbit(r) != !signbit(want)))
    fail_msg("%s(%a, %a) is %a, expected %a", scalar_op_info(op)->name, (double)x, (double)y,
             (double)r, (double)want);
}

static void test_pairs(void **state) {
  (void)state;
  static const float edges[] = {0,          -0.0f,    1,         -1,    2,      -2,
                                3,          -3,       0.5f,      -0.5f, 1e-45f, -1e-45f,
                                3e38f,      -3e38f,   1e9f,      -1e9f, 1.5f,   16777215,
                                8388607.5f, INFINITY, -INFINITY, NAN,   -2.5f,  0.99999994f};
  enum { N = sizeof edges / sizeof *edges };
  for (int i = 0; i < N * N; i++) {
    check_pair(SCALAR_pow, pow, edges[i / N], edges[i % N]);
    check_pair(SCALAR_atan2, atan2, edges[i / N], edges[i % N]);
  }
  uint64_t r = 88172645463325252u;
  for (int i = 0; i < 400000; i++) {
    r ^= r << 13, r ^= r >> 7, r ^= r << 17;
    float x = float_of((uint32_t)r), y = float_of((uint32_t)(r >> 32));
    check_pair(SCALAR_pow, pow, x, y);
    check_pair(SCALAR_atan2, atan2, x, y);
    // Bases and exponents whose powers are finite.
    float base = ldexpf(1 + (float)(r & 0xFFFF) * 0x1p-16f, (int)(r >> 16 & 63) - 32);
    check_pair(SCALAR_pow, pow, base, (float)((int64_t)(r >> 40) - (1 << 23)) * 0x1p-21f);
  }
}

static uint16_t stored(DType type, float x) {
  uint16_t half;
  loop_lanes_round(type)(1, &x, NULL, NULL, &x);
  loop_lanes_store(type)(1, &x, NULL, NULL, &half);
  return half;
}

// Every 16-bit pattern survives; f32 values round as dtype_bits does.
static void test_halves(void **state) {
  (void)state;
  static const DType types[] = {DT_bf16, DT_f16};
  for (int t = 0; t < 2; t++) {
    for (uint32_t u = 0; u < 1 << 16; u++) {
      uint16_t half = (uint16_t)u;
      float x;
      loop_lanes_load(types[t])(1, &half, NULL, NULL, &x);
      double want = dtype_from_bits(types[t], u).f;
      if (want == want) assert_true((double)x == want && !signbit(x) == !signbit(want));
      assert_int_equal(stored(types[t], x), half);
    }
    for (uint64_t u = 0; u < (uint64_t)1 << 32; u += 40009) {
      float x = float_of((uint32_t)u);
      if (x != x) continue;
      assert_int_equal(stored(types[t], x), dtype_bits(types[t], scalar_f((double)x)));
    }
  }
}

static const DType numbers[] = {DT_i1,   DT_i8,   DT_i16,  DT_i32, DT_i64, DT_ui8,
                                DT_ui16, DT_ui32, DT_ui64, DT_f32, DT_f64};
enum { N_NUMBERS = sizeof numbers / sizeof *numbers };
static const double edges[] = {0,
                               -0.0,
                               1,
                               -1,
                               0.5,
                               -0.5,
                               127,
                               128,
                               -128,
                               -129,
                               255,
                               256,
                               32767,
                               32768,
                               -32769,
                               65535,
                               65536,
                               2147483647,
                               2147483648.0,
                               -2147483649.0,
                               4294967295.0,
                               4294967296.0,
                               9.3e18,
                               -9.3e18,
                               1.9e19,
                               3.7};
enum { N_EDGES = sizeof edges / sizeof *edges };

static void test_conversions(void **state) {
  (void)state;
  for (int a = 0; a < N_NUMBERS; a++)
    for (int b = 0; b < N_NUMBERS; b++)
      for (int e = 0; e < N_EDGES + 3; e++) {
        double x = e < N_EDGES        ? edges[e]
                   : e == N_EDGES     ? (double)INFINITY
                   : e == N_EDGES + 1 ? -(double)INFINITY
                                      : (double)NAN;
        DType from = numbers[a], to = numbers[b];
        Scalar value = dtype_is_float(from) ? dtype_round(from, scalar_f(x))
                                            : dtype_convert(DT_f64, from, scalar_f(x));
        uint64_t in[2] = {0}, out[2] = {0}, want[2] = {0};
        dtype_store(from, in, 0, value);
        dtype_store(to, want, 0, dtype_convert(from, to, value));
        loop_lanes(SCALAR_convert, to, from)(1, in, NULL, NULL, out);
        Scalar g = dtype_load(to, out, 0), w = dtype_load(to, want, 0);
        if (memcmp(out, want, sizeof out) != 0 && !(dtype_is_float(to) && g.f != g.f && w.f != w.f))
          fail_msg("%s to %s of %g: %llx, expected %llx", dtype_info(from)->name,
                   dtype_info(to)->name, x, (unsigned long long)out[0],
                   (unsigned long long)want[0]);
      }
}

static void test_shifts(void **state) {
  (void)state;
  static const struct {
    ScalarOp op;
    Scalar (*exact)(DType, Scalar, Scalar);
  } shifts[] = {{SCALAR_shl, int_shift_left},
                {SCALAR_shr, int_shift_right_logical},
                {SCALAR_sar, int_shift_right_arithmetic}};
  for (int t = 1; t < 9; t++)
    for (int s = 0; s < 3; s++)
      for (int64_t a = -3; a < 4; a++)
        for (int64_t n = -1; n < 70; n++) {
          DType type = numbers[t];
          LoopLanes run = loop_lanes(shifts[s].op, type, type);
          if (!run) continue;  // arithmetic shifts of unsigned numbers
          uint64_t x = 0, y = 0, r = 0, want = 0;
          dtype_store(type, &x, 0, scalar_i(a * 29));
          dtype_store(type, &y, 0, scalar_i(n));
          run(1, &x, &y, NULL, &r);
          dtype_store(type, &want, 0,
                      shifts[s].exact(type, dtype_load(type, &x, 0), dtype_load(type, &y, 0)));
          assert_int_equal(r, want);
        }
}

// Lane k has the elements k, k + LOOP_LANES, …; the lanes are combined by halves.
static void test_fold(void **state) {
  (void)state;
  enum { N = 1000 };
  float x[N], lanes[LOOP_LANES], want[LOOP_LANES];
  for (int i = 0; i < N; i++) x[i] = (float)(i % 37) * 0.37f - 3;
  for (int n = 0; n < N; n += 7) {
    for (int k = 0; k < LOOP_LANES; k++) lanes[k] = want[k] = -0.0f;
    for (int i = 0; i < n; i++) want[i % LOOP_LANES] += x[i];
    for (int half = LOOP_LANES / 2; half; half /= 2)
      for (int k = 0; k < half; k++) want[k] += want[half + k];
    loop_lanes_fold(SCALAR_add, DT_f32)(n, x, NULL, NULL, lanes);
    loop_combine_lanes(SCALAR_add, DT_f32, lanes);
    assert_memory_equal(&lanes[0], &want[0], sizeof(float));
  }
}

// Maximum and minimum: NaN if either is, +0 above -0.
static void test_extremes(void **state) {
  (void)state;
  const float v[] = {0.0f, -0.0f, 1.0f, -1.0f, INFINITY, -INFINITY, NAN};
  for (int i = 0; i < 7; i++)
    for (int k = 0; k < 7; k++) {
      float max, min;
      loop_lanes(SCALAR_max, DT_f32, DT_f32)(1, &v[i], &v[k], NULL, &max);
      loop_lanes(SCALAR_min, DT_f32, DT_f32)(1, &v[i], &v[k], NULL, &min);
      double a = fn_maximum((double)v[i], (double)v[k]), b = fn_minimum((double)v[i], (double)v[k]);
      assert_true((max != max && a != a) || ((double)max == a && !signbit(max) == !signbit(a)));
      assert_true((min != min && b != b) || ((double)min == b && !signbit(min) == !signbit(b)));
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_functions), cmocka_unit_test(test_pairs),
      cmocka_unit_test(test_halves),    cmocka_unit_test(test_conversions),
      cmocka_unit_test(test_shifts),    cmocka_unit_test(test_fold),
      cmocka_unit_test(test_extremes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
