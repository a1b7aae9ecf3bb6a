// Copies a grid of elements between two arrays with different strides. Transpose, slice, broadcast,
// pad and gather are such copies. Bits are preserved.
#ifndef TESSERA_TENSOR_STRIDED_H
#define TESSERA_TENSOR_STRIDED_H

#include <stdint.h>

#include "tensor/literal.h"

// A prepared copy: loops of size 1 are dropped, neighbouring loops fused where strides allow.
typedef struct StridedPlan {
  int64_t bytes;  // of an element
  int64_t count;  // elements copied in all
  uint32_t rank;
  int64_t dims[MAX_RANK];
  int64_t to[MAX_RANK], from[MAX_RANK];  // strides in elements
} StridedPlan;

// dims: the grid. Strides are in elements and may be zero (in `from`: repeats an element) or
// negative. O(rank).
void strided_plan(StridedPlan *plan, int64_t bytes, uint32_t rank, const int64_t *dims,
                  const int64_t *to_strides, const int64_t *from_strides);
// Copies; `to` and `from` point at the elements of index [0, …, 0] and must not overlap.
// O(elements).
void strided_run(const StridedPlan *plan, void *to, const void *from);
// The same for literals, with offsets in elements. to_strides NULL: the row-major ones of `to`.
void strided_copy(Literal *to, int64_t to_offset, const int64_t *to_strides, const Literal *from,
                  int64_t from_offset, const int64_t *from_strides, uint32_t rank,
                  const int64_t *dims);
// Sets every element of `to` to the given element of `from`.
void strided_fill(Literal *to, const Literal *from, int64_t from_index);

#endif
