// Eigenvalues, singular values and Schur forms of one row-major matrix of wide numbers. The
// algorithms are LAPACK's, because a vector's sign depends on the algorithm. Thresholds are those
// of the element type (Precision), so that iterations take LAPACK's steps; the arithmetic is long
// double. Names in parentheses are LAPACK's routines.
#ifndef TESSERA_TENSOR_SPECTRAL_H
#define TESSERA_TENSOR_SPECTRAL_H

#include "tensor/lapack.h"
#include "tensor/wide.h"

// Limits below which a number is negligible. eps: the rounding unit, 2^-24 or 2^-53.
typedef struct Precision {
  long double eps, smallest;  // the smallest normal number
} Precision;

static inline void *spectral_take(const LapackWork *work, int64_t count, size_t size) {
  return work->take(work->context, ((size_t)count + 1) * size);
}
#define TAKE(work, T, count) ((T *)spectral_take((work), (count), sizeof(T)))

// A plane rotation with c f + s g = r and c g - s f = 0; r has f's sign (lartg of LAPACK 3.10 and
// later).
typedef struct Rotation {
  long double c, s, r;
} Rotation;
Rotation spectral_rotation(long double f, long double g);
// (x, y) = (c x + s y, c y - s x), n entries with a stride.
void spectral_rotate(long double *x, long double *y, int64_t n, int64_t stride, long double c,
                     long double s);

// ---- tridiagonal.c ----
// Reduces a Hermitian a [n,n], both triangles given, to tridiagonal form (sytrd). The lower (upper)
// triangle then holds the reflectors; d [n], e [n-1] and taus [n-1] are written. O(n^3).
void tridiagonal_reduce(Wide *a, int64_t n, bool lower, long double *d, long double *e, Wide *taus,
                        const LapackWork *work);
// z = q z for the q of that reduction; z [n,n].
void tridiagonal_expand(const Wide *a, int64_t n, bool lower, const Wide *taus, Wide *z,
                        const LapackWork *work);
// Eigenvalues of a tridiagonal matrix, ascending, into d, and eigenvectors into the columns of
// z [n,n] (stedc): implicit QL up to 25 rows, divide and conquer above. Returns 0, or a positive
// number if an eigenvalue did not converge. O(n^3).
int64_t tridiagonal_eigh(const Precision *precision, int64_t n, long double *d, long double *e,
                         long double *z, const LapackWork *work);

// ---- bidiagonal.c ----
// a [m,n] = u s vt with descending s. u [m,u_columns] and vt [vt_rows,n] may both be NULL. If
// max(m, n) >= qr_from, a QR (LQ) comes first, as in LAPACK. a is destroyed. Returns 0, or the
// number of values that did not converge. O(m n^2 + m^3 if u is square).
int64_t bidiagonal_svd(const Precision *precision, Wide *a, int64_t m, int64_t n, int64_t qr_from,
                       bool divide, long double *s, Wide *u, int64_t u_columns, Wide *vt,
                       int64_t vt_rows, const LapackWork *work);

// ---- schur.c ----
// The result of balancing (gebal). Rows and columns outside of [low, high] are triangular already.
// scale[i]: inside, the factor of row and column i; outside, the index that i was swapped with.
// All indices are from 0.
typedef struct Balance {
  int64_t low, high;
  long double *scale;
} Balance;
void schur_balance(const Precision *precision, Wide *a, int64_t n, bool scaled, Balance *balance);
// Transforms eigenvectors of the balanced matrix (columns of v [n,n]) to those of the original.
void schur_unbalance(const Balance *balance, Wide *v, int64_t n, bool left);
// Reduces rows and columns [low, high] (from 0) to Hessenberg form; reflectors stay below it
// (gehrd).
void schur_hessenberg(Wide *a, int64_t n, int64_t low, int64_t high, Wide *taus,
                      const LapackWork *work);
// a [n,n] becomes its Schur form t with a = q t q^H, w its eigenvalues; q may be NULL. real: t is
// quasi-triangular with standardized 2 by 2 blocks. balance: the result of schur_balance on a.
// Returns 0, or i if the eigenvalues up to i (from 1) did not converge. O(n^3).
int64_t schur_reduce(const Precision *precision, Wide *a, int64_t n, bool real,
                     const Balance *balance, Wide *w, Wide *q, const LapackWork *work);
// QR iterations on a Hessenberg h; z accumulates the rotations (schur_real.c, schur_complex.c).
int64_t schur_iterate_real(const Precision *precision, long double *h, int64_t n, int64_t low,
                           int64_t high, Wide *w, long double *z);
int64_t schur_iterate_complex(const Precision *precision, Wide *h, int64_t n, int64_t low,
                              int64_t high, Wide *w, Wide *z);
// Eigenvectors of a from its Schur form (trevc): column j of v [n,n] belongs to w[j], not
// normalized. O(n^3).
void schur_vectors(const Precision *precision, const Wide *t, const Wide *q, int64_t n, bool real,
                   const Wide *w, bool left, Wide *v, const LapackWork *work);
// Scales the columns of v [n,n] to norm 1 and a real largest component (geev).
void schur_normalize(Wide *v, int64_t n, bool real, const Wide *w);

#endif
