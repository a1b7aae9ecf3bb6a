// Chunks of elements in a wide type: floats as double, bools and signed integers as int64_t,
// unsigned integers as uint64_t, complex numbers as pairs of double. A Scalar is one lane of any
// kind.
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

// Widens n elements of canonical storage from index `first` on. NaN payloads are lost;
// literal_copy_elements keeps them.
void lanes_load(DType type, const void *data, int64_t first, int64_t n, void *out_lanes);
// Narrows n lanes to elements: integers wrap to the width, floats round once.
void lanes_store(DType type, void *data, int64_t first, int64_t n, const void *lanes);
// n copies of one element.
void lanes_splat(DType type, const void *data, int64_t index, int64_t n, void *out_lanes);

#endif
