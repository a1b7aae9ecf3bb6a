// Scalar functions of the reals and of the integers, as StableHLO and CHLO define them. Reals:
// double in, double out, within 1 ULP; narrower types are computed here too and rounded once by the
// caller. The more exotic functions are in tensor/mathfn_special.h, complex ones in
// tensor/mathfn_complex.h, the CHLO functions that XLA defines by a formula (cosh, sinh, erf, erfc,
// erf_inv, lgamma, digamma) in tensor/mathfn_chlo.h. All are thread safe and do not allocate.
#ifndef TESSERA_TENSOR_MATHFN_H
#define TESSERA_TENSOR_MATHFN_H

#include "ir/dtype.h"

double fn_sign(double x);  // -1, 1, the zero itself, or NaN
double fn_round_nearest_afz(double x);
double fn_round_nearest_even(double x);
double fn_rsqrt(double x);
double fn_cbrt(double x);
double fn_exp(double x);
double fn_expm1(double x);
double fn_log(double x);
double fn_log1p(double x);
double fn_logistic(double x);  // 1 / (1 + e^-x)
double fn_sin(double x);
double fn_cos(double x);
double fn_tan(double x);
double fn_sinh(double x);
double fn_cosh(double x);
double fn_tanh(double x);
double fn_asin(double x);
double fn_acos(double x);
double fn_atan(double x);
double fn_asinh(double x);
double fn_acosh(double x);  // NaN below 1
double fn_atanh(double x);
double fn_atan2(double y, double x);
double fn_power(double x, double y);      // IEEE pow
double fn_remainder(double x, double y);  // sign of x, as C's fmod
double fn_maximum(double x, double y);    // NaN if either is; +0 above -0
double fn_minimum(double x, double y);

// Integers of type `type` (SINT, UINT or, where it makes sense, BOOL), held as dtype_load gives
// them; results wrap to the width. Division by zero gives -1 (all ones), its remainder the
// dividend; the lowest value divided by -1 wraps to itself with remainder 0. A negative exponent
// gives 0, except for bases 1 and -1. Shift amounts are taken as unsigned; at or beyond the width
// they give 0, or the sign fill for an arithmetic right shift.
Scalar int_divide(DType type, Scalar a, Scalar b);
Scalar int_remainder(DType type, Scalar a, Scalar b);
Scalar int_power(DType type, Scalar a, Scalar b);
Scalar int_mulhi(DType type, Scalar a,
                 Scalar b);  // the upper half of the product of twice the width
Scalar int_shift_left(DType type, Scalar a, Scalar b);
Scalar int_shift_right_logical(DType type, Scalar a, Scalar b);
Scalar int_shift_right_arithmetic(DType type, Scalar a, Scalar b);
Scalar int_popcnt(DType type, Scalar a);
Scalar int_count_leading_zeros(DType type, Scalar a);

#endif
