// Real and integer functions against values computed with 60 digits, and their edge cases.
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "tensor/mathfn.h"

#include <math.h>

static void expect_close(double got, double want, uint64_t ulps) {
  assert_in_range(dtype_ulp_distance(DT_f64, scalar_f(got), scalar_f(want)), 0, ulps);
}

static const struct {
  double (*f)(double);
  double x, want;
} reals[] = {
    {fn_cbrt, 27.0, 3.0},
    {fn_cbrt, 2.0, 1.2599210498948732},
    {fn_cbrt, 1e-300, 1e-100},
    {fn_rsqrt, 2.0, 0.7071067811865476},
    {fn_rsqrt, 1e+300, 1e-150},
    {fn_rsqrt, 3e-05, 182.57418583505537},
    {fn_expm1, 1e-10, 1.00000000005e-10},
    {fn_expm1, -0.5, -0.3934693402873666},
    {fn_expm1, 20.0, 485165194.4097903},
    {fn_log1p, 1e-17, 1e-17},
    {fn_log1p, -0.75, -1.3862943611198906},
    {fn_log1p, 10000000000.0, 23.025850930040455},
    {fn_logistic, 0.0, 0.5},
    {fn_logistic, 2.5, 0.9241418199787564},
    {fn_logistic, -40.0, 4.248354255291589e-18},
    {fn_tan, 1.0, 1.5574077246549023},
    {fn_tan, 1.5707963, 37320539.634354815},
    {fn_tan, 1000000.0, -0.373624453987599},
    {fn_sinh, 1e-05, 1.0000000000166668e-05},
    {fn_sinh, 3.0, 10.017874927409903},
    {fn_sinh, -700.0, -5.0711602736750225e+303},
    {fn_cosh, 0.5, 1.1276259652063807},
    {fn_cosh, 30.0, 5343237290762.231},
    {fn_tanh, 1e-08, 1e-08},
    {fn_tanh, 0.7, 0.6043677771171635},
    {fn_tanh, -3.0, -0.9950547536867305},
    {fn_asin, 0.3, 0.3046926540153975},
    {fn_asin, 0.9999999, 1.5703491131957876},
    {fn_acos, 0.3, 1.2661036727794992},
    {fn_acos, 0.9999999, 0.00044721359910904126},
    {fn_acos, -1.0, 3.141592653589793},
    {fn_atan, 0.3, 0.2914567944778671},
    {fn_atan, 10000000000.0, 1.5707963266948965},
    {fn_asinh, 1e-09, 1e-09},
    {fn_asinh, 2.0, 1.4436354751788103},
    {fn_asinh, 1e+300, 691.4686750787737},
    {fn_acosh, 1.0000001, 0.0004472135919037347},
    {fn_acosh, 7.0, 2.6339157938496336},
    {fn_acosh, 1e+300, 691.4686750787737},
    {fn_atanh, 1e-09, 1e-09},
    {fn_atanh, 0.5, 0.5493061443340549},
    {fn_atanh, 0.999999, 7.254328619247669},
    {fn_exp, 1.0, 2.718281828459045},
    {fn_exp, -700.5, 5.980196118639791e-305},
    {fn_log, 2.0, 0.6931471805599453},
    {fn_log, 1e-300, -690.7755278982137},
    {fn_sin, 1.0, 0.8414709848078965},
    {fn_sin, 1e+22, -0.8522008497671888},
    {fn_cos, 1.0, 0.5403023058681398},
    {fn_cos, 1e+22, 0.523214785395139},
};

static void test_reals(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof reals / sizeof *reals; i++)
    expect_close(reals[i].f(reals[i].x), reals[i].want, 1);
}

static void test_rounding(void **state) {
  (void)state;
  assert_true(fn_round_nearest_even(2.5) == 2 && fn_round_nearest_even(3.5) == 4);
  assert_true(fn_round_nearest_even(-0.5) == 0 && signbit(fn_round_nearest_even(-0.5)));
  assert_true(fn_round_nearest_even(-1.5) == -2 && fn_round_nearest_even(-2.5) == -2);
  assert_true(fn_round_nearest_even(1e300) == 1e300);
  assert_true(isinf(fn_round_nearest_even(-(double)INFINITY)));
  assert_true(isnan(fn_round_nearest_even((double)NAN)));
  assert_true(fn_round_nearest_afz(2.5) == 3 && fn_round_nearest_afz(-2.5) == -3);
  assert_true(fn_round_nearest_afz(0.49999999999999994) == 0);
}

static void test_edges(void **state) {
  (void)state;
  double inf = (double)INFINITY, nan_ = (double)NAN;
  assert_true(signbit(fn_sign(-0.0)) && fn_sign(-3) == -1 && isnan(fn_sign(nan_)));
  assert_true(isnan(fn_maximum(nan_, 1)) && isnan(fn_minimum(1, nan_)));
  assert_true(!signbit(fn_maximum(-0.0, 0.0)) && !signbit(fn_maximum(0.0, -0.0)));
  assert_true(signbit(fn_minimum(-0.0, 0.0)) && signbit(fn_minimum(0.0, -0.0)));
  assert_true(fn_remainder(-5, 3) == -2 && isnan(fn_remainder(1, 0)));
  assert_true(fn_power(0, 0) == 1 && fn_power(1, nan_) == 1 && isnan(fn_power(-2, 0.5)));
  assert_true(isnan(fn_acosh(0.5)) && fn_atanh(1) == inf && isnan(fn_atanh(2)));
  assert_true(fn_rsqrt(0) == inf && isnan(fn_rsqrt(-1)) && fn_rsqrt(inf) == 0);
  assert_true(fn_logistic(-inf) == 0 && fn_logistic(inf) == 1);
}

static int64_t apply(Scalar (*f)(DType, Scalar, Scalar), DType type, int64_t a, int64_t b) {
  return f(type, scalar_i(a), scalar_i(b)).i;
}

static void test_integer_arithmetic(void **state) {
  (void)state;
  assert_int_equal(apply(int_divide, DT_i32, -7, 2), -3);
  assert_int_equal(apply(int_divide, DT_i32, 7, 0), -1);
  assert_int_equal(apply(int_divide, DT_ui8, 7, 0), 255);
  assert_int_equal(apply(int_divide, DT_i8, -128, -1), -128);
  assert_true(apply(int_divide, DT_i64, INT64_MIN, -1) == INT64_MIN);
  assert_int_equal(apply(int_remainder, DT_i32, -7, 2), -1);
  assert_int_equal(apply(int_remainder, DT_i32, -7, 0), -7);
  assert_int_equal(apply(int_remainder, DT_i64, INT64_MIN, -1), 0);
  assert_int_equal(apply(int_power, DT_i32, 3, 4), 81);
  assert_int_equal(apply(int_power, DT_i8, 2, 7), -128);
  assert_int_equal(apply(int_power, DT_i32, 2, -1), 0);
  assert_int_equal(apply(int_power, DT_i32, -1, -3), -1);
  assert_int_equal(apply(int_power, DT_i32, -1, -4), 1);
  assert_int_equal(apply(int_power, DT_i32, 1, -4), 1);
  assert_int_equal(apply(int_power, DT_i32, 0, 0), 1);
}

static void test_integer_bits(void **state) {
  (void)state;
  assert_int_equal(apply(int_mulhi, DT_i8, -128, -128), 64);
  assert_int_equal(apply(int_mulhi, DT_i8, -1, 1), -1);
  assert_int_equal(apply(int_mulhi, DT_ui8, 255, 255), 254);
  assert_int_equal(apply(int_mulhi, DT_i64, INT64_MIN, 2), -1);
  assert_true(int_mulhi(DT_ui64, scalar_u(UINT64_MAX), scalar_u(UINT64_MAX)).u == UINT64_MAX - 1);
  assert_int_equal(apply(int_mulhi, DT_i32, 1 << 30, 8), 2);
  assert_int_equal(apply(int_shift_left, DT_i8, 1, 7), -128);
  assert_int_equal(apply(int_shift_left, DT_i8, 1, 8), 0);
  assert_int_equal(apply(int_shift_left, DT_i8, 1, -1), 0);
  assert_int_equal(apply(int_shift_right_logical, DT_i8, -1, 4), 15);
  assert_int_equal(apply(int_shift_right_logical, DT_i8, -1, 8), 0);
  assert_int_equal(apply(int_shift_right_logical, DT_i64, -1, 63), 1);
  assert_int_equal(apply(int_shift_right_arithmetic, DT_i8, -128, 3), -16);
  assert_int_equal(apply(int_shift_right_arithmetic, DT_i8, -128, 100), -1);
  assert_int_equal(apply(int_shift_right_arithmetic, DT_i8, 100, -1), 0);
  assert_int_equal(apply(int_shift_right_arithmetic, DT_i64, INT64_MIN, 63), -1);
  assert_int_equal(apply(int_shift_right_arithmetic, DT_ui8, 128, 3), 240);
  assert_int_equal(apply(int_shift_right_arithmetic, DT_ui8, 128, 8), 255);
  assert_int_equal(int_popcnt(DT_i8, scalar_i(-1)).i, 8);
  assert_int_equal(int_popcnt(DT_i64, scalar_i(-1)).i, 64);
  assert_int_equal(int_count_leading_zeros(DT_i8, scalar_i(1)).i, 7);
  assert_int_equal(int_count_leading_zeros(DT_ui16, scalar_u(0)).u, 16);
  assert_int_equal(int_count_leading_zeros(DT_i64, scalar_i(-1)).i, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_reals),        cmocka_unit_test(test_rounding),
      cmocka_unit_test(test_edges),        cmocka_unit_test(test_integer_arithmetic),
      cmocka_unit_test(test_integer_bits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
