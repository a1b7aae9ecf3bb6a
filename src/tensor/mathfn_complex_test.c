// Complex functions against values computed with 1400 digits, where terms cancel and where squares
// overflow, and the special cases of Annex G.
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "tensor/mathfn_complex.h"

#include "ir/dtype.h"

#include <math.h>

static void expect_parts(Cplx got, double re, double im, uint64_t ulps) {
  assert_in_range(dtype_ulp_distance(DT_c128, scalar_c(got.re, got.im), scalar_c(re, im)), 0, ulps);
}

static const struct {
  Cplx (*f)(Cplx);
  Cplx z, want;
} rows[] = {
    {cplx_exp, {1.0, 2.0}, {-1.1312043837568135, 2.4717266720048188}},
    {cplx_exp, {-3.0, 100.0}, {0.042932328649486255, -0.02521046079306882}},
    {cplx_exp, {709.5, 1.5}, {9.584794052633767e+306, 1.3515920604334267e+308}},
    {cplx_expm1, {1e-09, 1e-08}, {9.999999505e-10, 1.000000001e-08}},
    {cplx_expm1, {0.5, -2.0}, {-1.6861101411498431, -1.4991780090003948}},
    {cplx_expm1, {-20.0, 1.0}, {-0.9999999988863539, 1.7344009685137365e-09}},
    {cplx_log, {3.0, -4.0}, {1.6094379124341003, -0.9272952180016122}},
    {cplx_log, {0.6, 0.8}, {2.2204460492503132e-17, 0.9272952180016123}},
    {cplx_log, {-1e-200, 1e-210}, {-460.51701859880916, 3.141592653489793}},
    {cplx_log, {1e+300, 1e+300}, {691.1221014884936, 0.7853981633974483}},
    {cplx_log, {1.0, 1e-08}, {5e-17, 1e-08}},
    {cplx_log1p, {1e-10, 1e-05}, {1.499999999825e-10, 9.999999998666668e-06}},
    {cplx_log1p, {-0.4, 0.8}, {2.2204460492503132e-17, 0.9272952180016123}},
    {cplx_log1p, {-2.0, 1e-09}, {5e-19, 3.141592652589793}},
    {cplx_log1p, {1e+200, -3.0}, {460.51701859880916, -3e-200}},
    {cplx_sqrt, {3.0, 4.0}, {2.0, 1.0}},
    {cplx_sqrt, {-3.0, 1e-09}, {2.886751345948129e-10, 1.7320508075688772}},
    {cplx_sqrt, {1e+308, 1e+308}, {1.09868411346781e+154, 4.5508986056222734e+153}},
    {cplx_sqrt, {-1e-308, 2e-309}, {9.950854917683442e-156, 1.0049387799061584e-154}},
    {cplx_rsqrt, {3.0, 4.0}, {0.4, -0.2}},
    {cplx_rsqrt, {-2.0, -0.001}, {0.00017677666767528368, 0.7071067148952989}},
    {cplx_rsqrt, {1e-300, 1e-301}, {9.962771201104087e+149, -4.968994017403843e+148}},
    {cplx_cbrt, {1.0, 1.0}, {1.0842150814913512, 0.29051455550725147}},
    {cplx_cbrt, {-8.0, 0.5}, {1.0364917400764648, 1.711983188901558}},
    {cplx_logistic, {1.0, 2.0}, {1.0214153641721806, 0.4034387060815425}},
    {cplx_logistic, {-30.0, 1.0}, {5.055945267509378e-14, 7.874168215050138e-14}},
    {cplx_logistic, {300.0, -2.0}, {1.0, -4.681245215022646e-131}},
    {cplx_sin, {1.0, 2.0}, {3.165778513216168, 1.9596010414216058}},
    {cplx_sin, {3.0, -700.0}, {7.156421786938977e+302, 5.0204106199965336e+303}},
    {cplx_cos, {1.0, 2.0}, {2.0327230070196656, -3.0518977991518}},
    {cplx_cos, {100000.0, 3.0}, {-10.061226821115474, -0.35812698688890615}},
    {cplx_tan, {1.0, 2.0}, {0.03381282607989669, 1.0147936161466335}},
    {cplx_tan, {1.5, 300.0}, {7.480479658436253e-262, 1.0}},
    {cplx_tan, {2.0, -1e-05}, {-2.18503986199979, -5.774399201092509e-05}},
    {cplx_tanh, {1.0, 2.0}, {1.16673625724092, -0.24345820118572525}},
    {cplx_tanh, {300.0, 1.5}, {1.0, 7.480479658436253e-262}},
    {cplx_tanh, {1e-05, -2.0}, {5.774399201092509e-05, 2.18503986199979}},
    {cplx_asin, {0.5, 0.5}, {0.4522784471511907, 0.5306375309525179}},
    {cplx_asin, {1.0, 1e-10}, {1.5707863267948967, 1.0000000000083334e-05}},
    {cplx_asin, {2.0, 1e-05}, {1.5707905532922048, 1.3169578969440616}},
    {cplx_asin, {1e+200, 1e-200}, {1.5707963267948966, 461.2101657793691}},
    {cplx_asin, {-3.0, 4.0}, {-0.6339838656391767, 2.305509031243477}},
    {cplx_acos, {0.5, 0.5}, {1.1185178796437059, -0.5306375309525179}},
    {cplx_acos, {1.0, 1e-10}, {9.999999999916666e-06, -1.0000000000083334e-05}},
    {cplx_acos, {2.0, 1e-05}, {5.773502691800033e-06, -1.3169578969440616}},
    {cplx_acos, {-1e+150, 1.0}, {3.141592653589793, -346.0809111296668}},
    {cplx_acos, {-3.0, 4.0}, {2.2047801924340735, -2.305509031243477}},
    {cplx_atan, {0.5, 0.5}, {0.5535743588970452, 0.40235947810852507}},
    {cplx_atan, {1e-10, 1.0000001}, {1.570296326986855, 8.405621190467324}},
    {cplx_atan, {1e+200, -3.0}, {1.5707963267948966, -0.0}},
    {cplx_asinh, {0.5, 0.5}, {0.5306375309525179, 0.4522784471511907}},
    {cplx_asinh, {1e-05, 2.0}, {1.3169578969440616, 1.5707905532922048}},
    {cplx_asinh, {-1e+200, 3.0}, {-461.2101657793691, 3e-200}},
    {cplx_acosh, {0.5, 0.5}, {0.5306375309525179, 1.1185178796437059}},
    {cplx_acosh, {1.0, 1e-10}, {1.0000000000083334e-05, 9.999999999916666e-06}},
    {cplx_acosh, {-2.0, -1e-05}, {1.3169578969440616, -3.1415868800871016}},
    {cplx_atanh, {0.5, 0.5}, {0.40235947810852507, 0.5535743588970452}},
    {cplx_atanh, {1.0000001, 1e-10}, {8.405621190467324, 1.570296326986855}},
    {cplx_atanh, {-1e+200, 3.0}, {-1e-200, 1.5707963267948966}},
    {cplx_atanh, {1e-200, 1e-100}, {1e-200, 1e-100}},
    {cplx_square, {1e+150, 1.0000001e+150}, {-2.0000001009743422e+293, 2.0000002e+300}},
    {cplx_square, {3.0, 4.0}, {-7.0, 24.0}},
    {cplx_sign, {3.0, -4.0}, {0.6, -0.8}},
    {cplx_sign, {1e+300, 1e+300}, {0.7071067811865476, 0.7071067811865476}},
};

static void test_values(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    expect_parts(rows[i].f(rows[i].z), rows[i].want.re, rows[i].want.im, 1);
}

// f(conj z) = conj f(z), for every function here and both signs of zero.
static void test_conjugates(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    Cplx a = rows[i].f(cplx_conj(rows[i].z)), b = cplx_conj(rows[i].f(rows[i].z));
    expect_parts(a, b.re, b.im, 0);
    Cplx zero = {rows[i].z.re, 0.0};
    a = rows[i].f(cplx_conj(zero));
    b = cplx_conj(rows[i].f(zero));
    expect_parts(a, b.re, b.im, 0);
  }
}

static void test_arithmetic(void **state) {
  (void)state;
  double inf = (double)INFINITY, nan_ = (double)NAN;
  expect_parts(cplx_multiply((Cplx){1, 2}, (Cplx){3, 4}), -5, 10, 0);
  expect_parts(cplx_divide((Cplx){-5, 10}, (Cplx){3, 4}), 1, 2, 0);
  expect_parts(cplx_divide((Cplx){1e300, 1e300}, (Cplx){1e300, 1e300}), 1, 0, 0);
  expect_parts(cplx_divide((Cplx){1e-300, 0}, (Cplx){1e-300, 1e-300}), 0.5, -0.5, 0);
  expect_parts(cplx_divide((Cplx){1, 1}, (Cplx){inf, 2}), 0, 0, 0);
  assert_true(cplx_divide((Cplx){inf, 1}, (Cplx){2, 0}).re == inf);
  assert_true(isinf(cplx_divide((Cplx){1, 1}, (Cplx){0, 0}).re));
  assert_true(cplx_abs((Cplx){3e300, 4e300}) == 5e300);
  assert_true(cplx_abs((Cplx){nan_, -inf}) == inf);
  expect_parts(cplx_sign((Cplx){0, 0}), 0, 0, 0);
  expect_parts(cplx_power((Cplx){0, 0}, (Cplx){0, 0}), 1, 0, 0);
  expect_parts(cplx_power((Cplx){0, 0}, (Cplx){2, 1}), 0, 0, 0);
  expect_parts(cplx_power((Cplx){2, 0}, (Cplx){10, 0}), 1024, 0, 0);
  expect_parts(cplx_power((Cplx){1, 2}, (Cplx){0.5, -1.5}), 6.248604836334075, -4.784858580631062,
               1);
}

static void test_branches(void **state) {
  (void)state;
  double inf = (double)INFINITY, nan_ = (double)NAN;
  const double pi = 3.141592653589793;
  expect_parts(cplx_log((Cplx){-1, 0.0}), 0, pi, 0);
  expect_parts(cplx_log((Cplx){-1, -0.0}), 0, -pi, 0);
  expect_parts(cplx_sqrt((Cplx){-4, -0.0}), 0, -2, 0);
  expect_parts(cplx_sqrt((Cplx){nan_, inf}), inf, inf, 0);
  expect_parts(cplx_acos((Cplx){-1, 0}), pi, 0, 0);
  expect_parts(cplx_acosh((Cplx){-inf, -inf}), inf, -3 * pi / 4, 0);
  expect_parts(cplx_asin((Cplx){inf, 1}), pi / 2, inf, 0);
  expect_parts(cplx_atanh((Cplx){1, 0}), inf, 0, 0);
  expect_parts(cplx_atanh((Cplx){2, 0.0}), 0.5493061443340549, pi / 2, 0);
  expect_parts(cplx_atanh((Cplx){2, -0.0}), 0.5493061443340549, -pi / 2, 0);
  expect_parts(cplx_exp((Cplx){-inf, inf}), nan_, nan_, 0);
  expect_parts(cplx_exp((Cplx){-inf, 2}), 0, 0, 0);
  expect_parts(cplx_exp((Cplx){inf, 0}), inf, 0, 0);
  expect_parts(cplx_tanh((Cplx){inf, 3}), 1, 0, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_values),
      cmocka_unit_test(test_conjugates),
      cmocka_unit_test(test_arithmetic),
      cmocka_unit_test(test_branches),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
