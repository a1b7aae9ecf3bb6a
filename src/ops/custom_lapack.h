// The LAPACK calls that JAX writes for CPUs, as `lapack_<type><routine>_ffi` custom calls. Matrices
// are batched in front; layouts say how memory lies, not what values mean, and are ignored. Results
// beyond the named ones are work space of older JAX versions: zeros.
#ifndef TESSERA_OPS_CUSTOM_LAPACK_H
#define TESSERA_OPS_CUSTOM_LAPACK_H

#include "ops/eval.h"

// Each has the signature of an eval column; rows of custom_calls.def name them. Flags are letters
// in the dict mhlo.backend_config (or backend_config): uplo L/U, side L/R, trans_x N/T/C, diag N/U,
// mode.

Status *custom_potrf(EvalContext *cx, Literal *const *in, Literal **out);  // (a) -> (factor, info)
Status *custom_getrf(EvalContext *cx, Literal *const *in,
                     Literal **out);  // (a) -> (lu, pivots from 1, info)
Status *custom_geqrf(EvalContext *cx, Literal *const *in, Literal **out);  // (a) -> (packed, taus)
Status *custom_orgqr(EvalContext *cx, Literal *const *in, Literal **out);  // (packed, taus) -> q
Status *custom_trsm(EvalContext *cx, Literal *const *in, Literal **out);   // (a, b[, alpha]) -> x
Status *custom_syevd(EvalContext *cx, Literal *const *in,
                     Literal **out);  // (a) -> (vectors, values, info)
Status *custom_gesdd(EvalContext *cx, Literal *const *in,
                     Literal **out);  // (a) -> (a, s, u, v^H, info)
Status *custom_gtsv(EvalContext *cx, Literal *const *in,
                    Literal **out);  // (dl, d, du, b) -> (…, x, info)

#endif
