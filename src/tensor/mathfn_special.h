// Special functions of the reals: double in, double out, within a few ULP of double where the
// result is not close to a zero of the function (at the negative zeros of digamma and lgamma the
// absolute error is about 1e-19). What chlo.erf, erfc, erf_inv, lgamma and digamma answer is in
// tensor/mathfn_chlo.h. Thread safe.
#ifndef TESSERA_TENSOR_MATHFN_SPECIAL_H
#define TESSERA_TENSOR_MATHFN_SPECIAL_H

double fn_erf(double x);
double fn_erfc(double x);
double fn_erf_inv(double x);              // +-inf at +-1, NaN beyond
double fn_lgamma(double x);               // log |gamma(x)|; inf at 0, -1, -2, ...
double fn_digamma(double x);              // -inf at 0, NaN at -1, -2, ...
double fn_zeta(double x, double q);       // Hurwitz: the sum over k >= 0 of (q + k)^-x
double fn_polygamma(double n, double x);  // n-th derivative of digamma, n = 0, 1, 2, ...; else NaN
double fn_bessel_i1e(double x);           // e^-|x| I1(x)

#endif
