// Matrix decompositions that JAX emits as custom calls, with XLA's names and LAPACK's packing.
#ifndef TESSERA_OPS_CUSTOM_LINALG_H
#define TESSERA_OPS_CUSTOM_LINALG_H

#include "ops/eval.h"

// Each has the signature of an eval column; rows of custom_calls.def name them. All take batches.

// Qr: (a [m,n]) -> (packed [m,n]: r on and above the diagonal, reflectors below; taus [min(m,n)]).
Status *custom_qr(EvalContext *cx, Literal *const *in, Literal **out);
// ProductOfElementaryHouseholderReflectors: (packed [m,n], taus [k]) -> the first n columns of h1
// h2 … hk.
Status *custom_householder_product(EvalContext *cx, Literal *const *in, Literal **out);
// LuDecomposition: (a [m,n]) -> (l and u packed, pivots i32 [min(m,n)] from 0, permutation i32
// [m]).
Status *custom_lu(EvalContext *cx, Literal *const *in, Literal **out);
// Eigh: (a [n,n]) -> (eigenvectors as columns, eigenvalues); backend_config
// "lower,sort,sweeps,tolerance".
Status *custom_eigh(EvalContext *cx, Literal *const *in, Literal **out);

#endif
