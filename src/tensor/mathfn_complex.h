// Functions of complex numbers: both parts of a result are within 1 to 3 ULP of double of the true
// value, also where intermediate values would overflow or terms cancel; only the real parts of
// expm1 and logistic lose more, close to the curves where they vanish. complex<f32> is computed
// here as well and rounded once by the caller. Branch cuts and signed zeros follow C99's Annex G;
// NaN parts carry no meaningful sign. Thread safe. chlo.cosh and chlo.sinh are in
// tensor/mathfn_chlo.h.
#ifndef TESSERA_TENSOR_MATHFN_COMPLEX_H
#define TESSERA_TENSOR_MATHFN_COMPLEX_H

typedef struct Cplx {
  double re, im;
} Cplx;

Cplx cplx_add(Cplx a, Cplx b);
Cplx cplx_subtract(Cplx a, Cplx b);
Cplx cplx_multiply(Cplx a, Cplx b);
Cplx cplx_divide(Cplx a, Cplx b);
Cplx cplx_power(Cplx a, Cplx b);
Cplx cplx_negate(Cplx z);
Cplx cplx_conj(Cplx z);
Cplx cplx_square(Cplx z);
Cplx cplx_sign(Cplx z);  // z / |z|, 0 for 0
double cplx_abs(Cplx z);
Cplx cplx_exp(Cplx z);
Cplx cplx_expm1(Cplx z);
Cplx cplx_log(Cplx z);
Cplx cplx_log1p(Cplx z);
Cplx cplx_logistic(Cplx z);
Cplx cplx_sqrt(Cplx z);
Cplx cplx_rsqrt(Cplx z);
Cplx cplx_cbrt(Cplx z);  // principal
Cplx cplx_sin(Cplx z);
Cplx cplx_cos(Cplx z);
Cplx cplx_tan(Cplx z);
Cplx cplx_tanh(Cplx z);
Cplx cplx_asin(Cplx z);
Cplx cplx_acos(Cplx z);
Cplx cplx_atan(Cplx z);
Cplx cplx_asinh(Cplx z);
Cplx cplx_acosh(Cplx z);
Cplx cplx_atanh(Cplx z);

// StableHLO's atan2 on complex numbers: -i log((x + i y) / sqrt(x^2 + y^2)).
Cplx cplx_atan2(Cplx y, Cplx x);

#endif
