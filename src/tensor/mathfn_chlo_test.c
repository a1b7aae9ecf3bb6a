// CHLO's formulas: close to the true values, and different from them exactly as the formula is.
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "tensor/mathfn_chlo.h"

#include "tensor/mathfn.h"
#include "tensor/mathfn_special.h"

#include <math.h>

static const struct {
  double (*formula)(DType, double);
  double (*truth)(double);
  double low, high;
} rows[] = {
    {chlo_cosh, fn_cosh, -80, 80},
    {chlo_sinh, fn_sinh, -80, 80},
    {chlo_erf, fn_erf, -5, 5},
    {chlo_erfc, fn_erfc, -5, 8},
    {chlo_erf_inv, fn_erf_inv, -0.999, 0.999},
    {chlo_lgamma, fn_lgamma, 0.1, 30},
    {chlo_digamma, fn_digamma, 2, 30},
};

static void test_near_the_truth(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    for (int k = 0; k <= 400; k++) {
      double x = (double)(float)(rows[i].low + (rows[i].high - rows[i].low) * k / 400);
      double want = rows[i].truth(x), scale = fmax(fabs(want), 0.125);
      if (rows[i].formula == chlo_erfc) scale = fmax(fabs(want), 1e-38);
      assert_true(fabs(rows[i].formula(DT_f64, x) - want) <= 2e-14 * scale);
      assert_true(fabs(rows[i].formula(DT_f32, x) - want) <= 2e-5 * scale);
      assert_true(rows[i].formula(DT_bf16, x) == rows[i].formula(DT_f32, x));
    }
}

static void test_edges(void **state) {
  (void)state;
  double inf = (double)INFINITY;
  static const DType types[] = {DT_f32, DT_f64};
  for (int i = 0; i < 2; i++) {
    DType t = types[i];
    assert_true(chlo_cosh(t, -inf) == inf && chlo_sinh(t, -inf) == -inf && chlo_sinh(t, 0) == 0);
    assert_true(chlo_erf(t, inf) == 1 && chlo_erf(t, -inf) == -1 && chlo_erfc(t, inf) == 0);
    assert_true(chlo_erf_inv(t, -1) == -inf && isnan(chlo_erf_inv(t, 1.5)));
    assert_true(chlo_lgamma(t, 0) == inf && chlo_lgamma(t, -2) == inf &&
                chlo_lgamma(t, -inf) == inf);
    assert_true(isnan(chlo_digamma(t, 0)) && isnan(chlo_digamma(t, -1)));
    assert_true(isnan(chlo_erf(t, (double)NAN)) && isnan(chlo_lgamma(t, (double)NAN)));
  }
}

// x - log 2 is rounded to f32 before the exponential: 64 - log 2 loses 9 bits of the fraction.
static void test_f32_cosh_carries_its_rounding(void **state) {
  (void)state;
  uint64_t off = dtype_ulp_distance(DT_f32, scalar_f(chlo_cosh(DT_f32, 70)), scalar_f(fn_cosh(70)));
  assert_in_range(off, 4, 64);
  Cplx z = chlo_complex_cosh(DT_c64, (Cplx){70, 0});
  assert_true(z.re == chlo_cosh(DT_f32, 70) && z.im == 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_near_the_truth),
      cmocka_unit_test(test_edges),
      cmocka_unit_test(test_f32_cosh_carries_its_rounding),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
