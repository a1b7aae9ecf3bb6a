// The custom calls `lapack_<type><routine>_ffi` that JAX emits for CPUs. Leading dimensions are
// batches. Layouts describe memory, not values, and are ignored. Results beyond the named ones are
// work space of older JAX versions: zeros.
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
Status *custom_gtsv(EvalContext *cx, Literal *const *in,
                    Literal **out);  // (dl, d, du, b) -> (…, x, info)

// ---- custom_spectral.c: through the table of tensor/lapack.h ----
// Real types: (a) -> (real parts, imaginary parts, left, right vectors, info); complex types: one
// result of values. compute_left, compute_right: V/N. Vectors are complex.
Status *custom_geev(EvalContext *cx, Literal *const *in, Literal **out);
// (a) -> (t, vectors, values as above, number selected (0), info); mode V/N, sort N.
Status *custom_gees(EvalContext *cx, Literal *const *in, Literal **out);
// (a) -> (packed, taus, info); low, high: rows from 1.
Status *custom_gehrd(EvalContext *cx, Literal *const *in, Literal **out);
// (a) -> (packed, d, e, taus, info); uplo.
Status *custom_sytrd(EvalContext *cx, Literal *const *in, Literal **out);
// (packed, taus, c) -> q c, c q and with q^H; left, transpose: booleans.
Status *custom_ormqr(EvalContext *cx, Literal *const *in, Literal **out);
// (a, pivots) -> (packed, pivots, taus)
Status *custom_geqp3(EvalContext *cx, Literal *const *in, Literal **out);
// (a) -> (vectors, values, info); uplo.
Status *custom_syevd(EvalContext *cx, Literal *const *in, Literal **out);
// (a) -> (a, s, u, v^H, info); mode A/S/N.
Status *custom_gesdd(EvalContext *cx, Literal *const *in, Literal **out);
Status *custom_gesvd(EvalContext *cx, Literal *const *in, Literal **out);

// ---- shared by the two files ----
Attr lapack_attr(EvalContext *cx, const char *name);  // an entry of the backend_config; 0 if none
char lapack_flag(EvalContext *cx, const char *name, char otherwise);
// Checks operand i: floats or complex numbers of rank 2 or more. Writes its matrices' sizes.
Status *lapack_sizes(EvalContext *cx, Literal *const *in, uint32_t i, int64_t *m, int64_t *n,
                     int64_t *batches);
Status *lapack_square(EvalContext *cx, Literal *const *in, int64_t *n, int64_t *batches);
// New zeroed literals for all results. At least `least` must be declared; their element counts must
// be count[i] where that is >= 0.
Status *lapack_results(EvalContext *cx, uint32_t least, const int64_t *count, Literal **out);

#endif
