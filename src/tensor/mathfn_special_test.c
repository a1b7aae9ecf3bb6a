// Special functions against values computed with 60 digits, and their poles and ends.
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "tensor/mathfn_special.h"

#include "ir/dtype.h"

#include <math.h>

static void expect_close(double got, double want, uint64_t ulps) {
  assert_in_range(dtype_ulp_distance(DT_f64, scalar_f(got), scalar_f(want)), 0, ulps);
}

static const struct {
  double (*f)(double);
  double x, want;
} rows[] = {
    {fn_erf, 0.1, 0.1124629160182849},
    {fn_erf, 1.0, 0.8427007929497149},
    {fn_erf, 3.0, 0.9999779095030014},
    {fn_erfc, 0.1, 0.887537083981715},
    {fn_erfc, 5.0, 1.537459794428035e-12},
    {fn_erfc, 26.0, 5.663192408856143e-296},
    {fn_erf_inv, 1e-20, 8.86226925452758e-21},
    {fn_erf_inv, 0.1, 0.08885599049425769},
    {fn_erf_inv, -0.5, -0.4769362762044699},
    {fn_erf_inv, 0.9999, 2.75106390571208},
    {fn_erf_inv, 0.9999999999999999, 5.8635847487551676},
    {fn_lgamma, 1e-10, 23.025850929882736},
    {fn_lgamma, 0.3, 1.0957979948180756},
    {fn_lgamma, 1.000000001, -5.772157118381039e-10},
    {fn_lgamma, 1.7, -0.09580769740706588},
    {fn_lgamma, 1.999999999, -4.227843697573328e-10},
    {fn_lgamma, 10.0, 12.801827480081469},
    {fn_lgamma, 150.5, 602.5139548705854},
    {fn_lgamma, 10000000000.0, 220258509288.81058},
    {fn_lgamma, -0.5, 1.2655121234846454},
    {fn_lgamma, -7.25, -7.54188344347575},
    {fn_digamma, 1e-05, -100000.57719921567},
    {fn_digamma, 0.3, -3.502524222200133},
    {fn_digamma, 1.0, -0.5772156649015329},
    {fn_digamma, 1.4616, -3.110625123034165e-05},
    {fn_digamma, 1.46163214496836, -2.2410766695906462e-15},
    {fn_digamma, 10.0, 2.251752589066721},
    {fn_digamma, 100000000.0, 18.420680738952367},
    {fn_digamma, -0.5, 0.03648997397857652},
    {fn_digamma, -3.7, -0.8450768588704194},
    {fn_bessel_i1e, 0.1, 0.045298446808809324},
    {fn_bessel_i1e, -5.0, -0.16397226694454237},
    {fn_bessel_i1e, 39.0, 0.06326260540048712},
    {fn_bessel_i1e, 41.0, 0.06173002069951816},
    {fn_bessel_i1e, 100000.0, 0.0012615615301218171},
};

static const struct {
  double (*f)(double, double);
  double x, y, want;
} pairs[] = {
    {fn_zeta, 2.0, 1.0, 1.6449340668482264},      {fn_zeta, 1.5, 0.3, 8.237761671459724},
    {fn_zeta, 30.0, 2.5, 1.1529691685630237e-12}, {fn_zeta, 20.0, 1000.25, 5.288136733353014e-59},
    {fn_polygamma, 0.0, 2.5, 0.7031566406452432}, {fn_polygamma, 1.0, 1.0, 1.6449340668482264},
    {fn_polygamma, 5.0, 0.25, 491552.5137676813}, {fn_polygamma, 30.0, 4.5, -1496027027094.6128},
};

static void test_values(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    expect_close(rows[i].f(rows[i].x), rows[i].want, 1);
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
    expect_close(pairs[i].f(pairs[i].x, pairs[i].y), pairs[i].want, 1);
}

static void test_edges(void **state) {
  (void)state;
  double inf = (double)INFINITY;
  assert_true(fn_erf_inv(1) == inf && fn_erf_inv(-1) == -inf && isnan(fn_erf_inv(1.5)));
  assert_true(fn_erf_inv(-0.0) == 0 && signbit(fn_erf_inv(-0.0)));
  assert_true(fn_lgamma(0) == inf && fn_lgamma(-3) == inf && fn_lgamma(-inf) == inf);
  assert_true(fn_lgamma(1) == 0 && fn_lgamma(2) == 0);
  assert_true(isnan(fn_digamma(0)) && isnan(fn_digamma(-2)) && fn_digamma(inf) == inf);
  assert_true(fn_zeta(1, 3) == inf && isnan(fn_zeta(0.5, 3)));
  assert_true(fn_zeta(2, -1) == inf && isnan(fn_zeta(3, -1)) && isnan(fn_zeta(2.5, -0.5)));
  expect_close(fn_zeta(2, -0.5), 8.934802200544679, 1);
  assert_true(fn_zeta(2147483648.0, 3) == 0);  // and at once
  assert_true(isnan(fn_polygamma(-1, 2)) && isnan(fn_polygamma(0.5, 2)));
  assert_true(fn_bessel_i1e(0) == 0 && fn_bessel_i1e(inf) == 0);
  assert_true(isnan(fn_bessel_i1e((double)NAN)) && isnan(fn_lgamma((double)NAN)));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_values),
      cmocka_unit_test(test_edges),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
