// LAPACK's routines behind one table with two implementations: `lapack_own`, in long double, and
// the provider libtessera_lapack.so, which calls the LAPACK that is installed. Both follow LAPACK's
// conventions: the signs of reflectors, the order and normalization of vectors, `info`.
//
// Matrices are column major without gaps, as LAPACK has them, in the element type. The provider is
// a library of its own, so this header is all it shares with libtessera: a change here raises
// LAPACK_VERSION.
#ifndef TESSERA_TENSOR_LAPACK_H
#define TESSERA_TENSOR_LAPACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LAPACK_VERSION = 2 };
#define LAPACK_PROVIDER "libtessera_lapack.so"
#define LAPACK_SYMBOL "tsr_lapack_provider"

// The letters LAPACK gives its types: f32, f64, complex<f32>, complex<f64>.
typedef enum LapackType { LAPACK_S, LAPACK_D, LAPACK_C, LAPACK_Z } LapackType;
static inline bool lapack_is_complex(LapackType type) { return type >= LAPACK_C; }
static inline bool lapack_is_double(LapackType type) {
  return type == LAPACK_D || type == LAPACK_Z;
}
static inline size_t lapack_bytes(LapackType type) {  // of one element
  return (lapack_is_double(type) ? sizeof(double) : sizeof(float)) *
         (lapack_is_complex(type) ? 2 : 1);
}

// Work space: take never returns NULL (it may longjmp), and the caller frees all of it afterwards.
typedef struct LapackWork {
  void *(*take)(void *context, size_t bytes);
  void *context;
  // The routine takes all its work space and then returns without reading or writing anything else,
  // so that a caller learns how much a call takes; it depends on the arguments' sizes and letters
  // only. Of the provider; lapack_own ignores it.
  bool only_takes;
} LapackWork;

// Each gives LAPACK's info. `real` below: the real type of the element type. Sizes are at least 0.
typedef struct LapackEngine {
  int32_t version;
  const char *name;
  // a [n,n] is destroyed. left, right: 'V' or 'N', then vl, vr are not touched. w: n complex
  // eigenvalues; of real types n real parts, then n imaginary parts. vl, vr [n,n]: vectors of norm
  // 1 whose largest component is real; of real types a pair of conjugates shares two columns (the
  // real and the imaginary part of the first).
  int32_t (*geev)(LapackType type, char left, char right, int32_t n, void *a, void *w, void *vl,
                  void *vr, const LapackWork *work);
  // a [n,n] becomes its Schur form t, a = vs t vs^H; w as above. vectors: 'V' or 'N'.
  int32_t (*gees)(LapackType type, char vectors, int32_t n, void *a, void *w, void *vs,
                  const LapackWork *work);
  // Rows and columns [low, high] (from 1) of a [n,n] to Hessenberg form; reflectors below it.
  // tau: n - 1.
  int32_t (*gehrd)(LapackType type, int32_t n, int32_t low, int32_t high, void *a, void *tau,
                   const LapackWork *work);
  // The triangle uplo of a Hermitian a [n,n] to tridiagonal form, reflectors beside it. d: n real,
  // e: n - 1 real, tau: n - 1.
  int32_t (*sytrd)(LapackType type, char uplo, int32_t n, void *a, void *d, void *e, void *tau,
                   const LapackWork *work);
  // c [m,n] = q c (side 'L') or c q ('R'), or q^H instead of q (adjoint); q is the product of the k
  // reflectors in a [m or n, k].
  int32_t (*ormqr)(LapackType type, char side, bool adjoint, int32_t m, int32_t n, int32_t k,
                   const void *a, const void *tau, void *c, const LapackWork *work);
  // QR with column pivoting of a [m,n]; pivots [n]: nonzero columns come first; then numbers
  // from 1.
  int32_t (*geqp3)(LapackType type, int32_t m, int32_t n, void *a, int32_t *pivots, void *tau,
                   const LapackWork *work);
  // a [n,n] becomes the eigenvectors; only its triangle uplo is read. w: n real, ascending.
  int32_t (*syevd)(LapackType type, char uplo, int32_t n, void *a, void *w, const LapackWork *work);
  // a [m,n] = u s vt; a is destroyed. divide: gesdd, else gesvd. mode 'A': u [m,m], vt [n,n]; 'S':
  // u [m,k], vt [k,n] with k = min(m, n); 'N': neither. s: k real, descending.
  int32_t (*svd)(LapackType type, bool divide, char mode, int32_t m, int32_t n, void *a, void *s,
                 void *u, void *vt, const LapackWork *work);
} LapackEngine;

// Accepts operands that are not finite: iterative routines then give NaNs and a nonzero info.
extern const LapackEngine lapack_own;

// The provider if it and its LAPACK are installed and TESSERA_PROVIDERS allows it
// (base/provider.h), else lapack_own. Stateless: evaluated for each op.
const LapackEngine *lapack_engine(void);

#endif
