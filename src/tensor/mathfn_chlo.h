// CHLO functions that XLA defines by a formula in the element type. Its results are several ULP
// away from the true values (tensor/mathfn_special.h and tensor/mathfn.h have those). A program's
// stored expectations and JAX on any XLA backend agree with the formula, so the evaluator uses it.
// `type` is the element type of the operation: f64 computes in f64, every narrower float in f32,
// rounded to the type by the caller. Thread safe.
#ifndef TESSERA_TENSOR_MATHFN_CHLO_H
#define TESSERA_TENSOR_MATHFN_CHLO_H

#include "ir/dtype.h"
#include "tensor/mathfn_complex.h"

double chlo_cosh(DType type, double x);
double chlo_sinh(DType type, double x);
double chlo_erf(DType type, double x);
double chlo_erfc(DType type, double x);
double chlo_erf_inv(DType type, double x);
double chlo_lgamma(DType type, double x);
double chlo_digamma(DType type, double x);

// type: DT_c64 or DT_c128.
Cplx chlo_complex_cosh(DType type, Cplx z);
Cplx chlo_complex_sinh(DType type, Cplx z);

#endif
