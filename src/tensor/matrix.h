// Decompositions of one row-major matrix of wide numbers. cholesky, triangular_solve and the custom
// calls of custom_linalg.h and custom_lapack.h share them.
#ifndef TESSERA_TENSOR_MATRIX_H
#define TESSERA_TENSOR_MATRIX_H

#include <stdint.h>

#include "base/arena.h"
#include "tensor/wide.h"

// a [n,n] = l l^H, reading one triangle of a and writing the lower one of l. Gives 0, or the order
// of the first leading minor that is not positive. O(n^3).
int64_t matrix_cholesky(const Wide *a, int64_t n, bool lower, Wide *l);

// A triangular matrix: entry (i, j) is a[i * row + j * column], conjugated if `conjugate`. So the
// strides express transposes. unit: the diagonal is 1 and not read.
typedef struct Triangle {
  const Wide *a;
  int64_t n, row, column;
  bool lower, unit, conjugate;
} Triangle;
// Solves t x = x in place; x has a stride. O(n^2).
void matrix_substitute(const Triangle *t, Wide *x, int64_t stride);

// Applies h = 1 - tau v v^H from the left to columns [first, n) of a [m,n]. v is 0 above row `row`,
// 1 at it, and below it column `column` of `vectors`. O(m n).
void matrix_reflect(Wide *a, int64_t m, int64_t n, int64_t first, const Wide *vectors,
                    int64_t stride, int64_t column, int64_t row, Wide tau);
// Householder reflector (LAPACK's larfg): h = 1 - tau (1, x)(1, x)^H with h^H (alpha, x) =
// (beta, 0). beta is real and has the opposite sign of alpha.re. alpha becomes beta; x (n entries
// with a stride) becomes the vector's tail. Returns tau. O(n).
Wide matrix_reflector(Wide *alpha, Wide *x, int64_t n, int64_t stride);
// A block of a row-major matrix: rows [row, row + rows) and columns [column, column + columns).
typedef struct SubMatrix {
  Wide *a;
  int64_t stride, row, column, rows, columns;
} SubMatrix;
// block = h block and block = block h for h = 1 - tau v v^H; v has as many entries as the block has
// rows (columns). O(rows columns).
void matrix_apply_left(SubMatrix block, const Wide *v, Wide tau);
void matrix_apply_right(SubMatrix block, const Wide *v, Wide tau);
// Householder QR in place, packed as LAPACK does: r on and above the diagonal, reflectors below;
// min(m, n) taus. O(m n^2).
void matrix_qr(Wide *a, int64_t m, int64_t n, Wide *taus);
// QR with column pivoting in place (LAPACK's geqp3): columns with pivots[j] != 0 come first, then
// always the column with the largest remaining norm. On return pivots[j] is the original column,
// counted from 1. norms: work space for 2 n. tiny: the rounding unit of the element type. O(m n^2).
void matrix_qr_pivoted(Wide *a, int64_t m, int64_t n, int32_t *pivots, Wide *taus,
                       long double *norms, long double tiny);
// LU in place with partial pivoting; of equally large pivots the first. pivots[c]: the row that
// step c swapped with row c (min(m, n) entries). order: the resulting permutation of m rows.
// O(m n^2).
void matrix_lu(Wide *a, int64_t m, int64_t n, int64_t *pivots, int64_t *order);
// Fills the upper triangle of a from the lower one (or vice versa) and makes the diagonal real.
void matrix_make_hermitian(Wide *a, int64_t n, bool lower);
// Eigenvalues of a Hermitian matrix onto its diagonal, eigenvectors into the columns of v. O(n^3)
// per sweep of rotations.
void matrix_eigh(Wide *a, Wide *v, int64_t n);
// Writes the permutation that sorts the diagonal of a, ascending and stable.
void matrix_sort_diagonal(const Wide *a, int64_t n, int64_t *order);

#endif
