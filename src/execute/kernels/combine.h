// Reducers (sum, max, min, product, and, or, xor) on rows of elements, by element type.
#ifndef TESSERA_EXECUTE_KERNELS_COMBINE_H
#define TESSERA_EXECUTE_KERNELS_COMBINE_H

#include "ir/dtype.h"
#include "sharding/combine.h"

typedef struct CombineRows {
  // to[i] = to[i] op from[i]; each result is rounded to the type. The rows are equal or apart.
  void (*rows)(void *to, const void *from, int64_t n);
  // *acc = *acc op (from[0] op … op from[n - 1]), as 64 lanes and a balanced tree over them. Sums
  // and products of 16-bit floats are f32 until the end; `acc` is of the wide type then.
  void (*fold)(void *acc, const void *from, int64_t n);
  // Elements of the wide type: rows of it, conversions. Equal to the element type unless that is a
  // 16-bit float with sum or product.
  DType wide;
} CombineRows;

// NULL: the reducer is not defined for the type here.
const CombineRows *combine_rows(DType type, Combine combine);

#endif
