// Elements of literals as plain arrays to compute with: wider than the element type, so that a
// contraction rounds once. Used by dot_general, convolution, fft and the matrix decompositions.
#ifndef TESSERA_OPS_DENSE_H
#define TESSERA_OPS_DENSE_H

#include "ops/eval.h"

// What one element is held in. Integers and i1 wrap in uint64_t; floats of at most 32 bits are
// exact in a double, f64 has its 11 spare bits in a long double; complex kinds hold the parts one
// after the other.
typedef enum DenseKind {
  DENSE_INT,
  DENSE_REAL,
  DENSE_LONG,
  DENSE_COMPLEX,
  DENSE_LONG_COMPLEX,
} DenseKind;

// The narrowest kind that holds both types without loss (integers beside floats become floats).
DenseKind dense_kind(DType a, DType b);
size_t dense_bytes(DenseKind kind);  // of one element

// The elements of a literal (not quantized), row major, in the scratch arena. O(count).
void *dense_load(EvalContext *cx, DenseKind kind, const Literal *literal);
// data of shape dims with its dimensions in the order perm: out[i[perm[0]], i[perm[1]], …] =
// data[i]. perm may leave out dimensions of size 1. O(count).
void *dense_transpose(EvalContext *cx, DenseKind kind, const void *data, uint32_t rank,
                      const int64_t *dims, uint32_t n_perm, const uint32_t *perm);

// The sum of a[i] * b[i], i ascending, rounded to Scalar only at the end.
Scalar dense_dot(DenseKind kind, const void *a, const void *b, int64_t n);
Scalar dense_get(DenseKind kind, const void *data, int64_t index);
// Rounds every element to a float type (no-op for integers): the operand precision of a dot
// algorithm.
void dense_round(DenseKind kind, void *data, int64_t count, DType type);

// The type an element is computed in: itself, or what a quantized one expresses.
DType dense_expressed(const Context *context, Type elem);
// The spec's baseline_element_type(a) = baseline_element_type(b): alike but for scales and zero
// points.
bool dense_same_baseline(const Context *context, Type a, Type b);

#endif
