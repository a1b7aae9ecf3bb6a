// Elements of literals as C arrays of a computation type, for contractions, convolution, fft and
// the matrix decompositions.
#ifndef TESSERA_OPS_DENSE_H
#define TESSERA_OPS_DENSE_H

#include "ops/eval.h"

// The C type of one element. Integers and i1 are uint64_t and wrap; complex kinds have the real
// part, then the imaginary part.
typedef enum DenseKind {
  DENSE_INT,
  DENSE_F32,
  DENSE_F64,
  DENSE_C64,   // two floats
  DENSE_C128,  // two doubles
  DENSE_WIDE,  // two long doubles: a Wide of tensor/wide.h
} DenseKind;

// The computation type of a contraction: uint64_t for integers, otherwise the widest of the three
// types, and at least f32.
DenseKind dense_kind(DType lhs, DType rhs, DType result);
size_t dense_bytes(DenseKind kind);  // of one element

// The elements of a literal (not quantized), row major, in the scratch arena. O(count).
void *dense_load(EvalContext *cx, DenseKind kind, const Literal *literal);
// Transposes data of shape dims: out[i[perm[0]], i[perm[1]], …] = data[i]. perm may omit dimensions
// of size 1. O(count).
void *dense_transpose(EvalContext *cx, DenseKind kind, const void *data, uint32_t rank,
                      const int64_t *dims, uint32_t n_perm, const uint32_t *perm);

// The sum of a[i] * b[i] as a balanced tree. Every product and sum is rounded to the kind's type.
Scalar dense_dot(DenseKind kind, const void *a, const void *b, int64_t n);
// The same as a sum of `parts` partial sums, as with so many devices.
Scalar dense_dot_parts(DenseKind kind, int64_t parts, const void *a, const void *b, int64_t n);
// Rounds every element to a float type (no-op for integers): the operand precision of a dot
// algorithm.
void dense_round(DenseKind kind, void *data, int64_t count, DType type);
// data -= other, element by element (floats only).
void dense_subtract(DenseKind kind, void *data, const void *other, int64_t count);

// The element type, or the expressed type of a quantized one.
DType dense_expressed(const Context *context, Type elem);
// The spec's baseline_element_type(a) = baseline_element_type(b): equal except for scales and zero
// points.
bool dense_same_baseline(const Context *context, Type a, Type b);

#endif
