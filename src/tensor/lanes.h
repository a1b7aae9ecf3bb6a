// Elements by the chunk, widened: floats as double, bools and signed integers as int64_t, unsigned
// integers as uint64_t, complex numbers as pairs of double. One Scalar is one lane of every kind.
#ifndef TESSERA_TENSOR_LANES_H
#define TESSERA_TENSOR_LANES_H

#include "ir/dtype.h"
#include "tensor/mathfn_complex.h"

enum { LANES = 256 };  // elements per chunk

// Room for a chunk of any type.
typedef union LaneBuffer {
  double f[2 * LANES];
  int64_t i[2 * LANES];
  uint64_t u[2 * LANES];
  Cplx c[LANES];
} LaneBuffer;

// n elements of canonical storage starting at `first`. Bits of NaNs are not kept: see
// literal_copy_elements.
void lanes_load(DType type, const void *data, int64_t first, int64_t n, void *out_lanes);
// Integers wrap to the width, floats round once.
void lanes_store(DType type, void *data, int64_t first, int64_t n, const void *lanes);
// n copies of one element.
void lanes_splat(DType type, const void *data, int64_t index, int64_t n, void *out_lanes);

#endif
