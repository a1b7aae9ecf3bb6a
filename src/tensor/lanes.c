// Widening loads and narrowing stores. Each type whose storage is a C integer has its own loop,
// which the compiler vectorizes; other integer widths are converted element by element. O(n).
#include "tensor/lanes.h"

#include <string.h>

#define INTEGER_TYPES(X)                                                                           \
  X(DT_i8, int8_t, int64_t)                                                                        \
  X(DT_i16, int16_t, int64_t)                                                                      \
  X(DT_i32, int32_t, int64_t)                                                                      \
  X(DT_i64, int64_t, int64_t)                                                                      \
  X(DT_index, int64_t, int64_t)                                                                    \
  X(DT_ui8, uint8_t, uint64_t)                                                                     \
  X(DT_ui16, uint16_t, uint64_t)                                                                   \
  X(DT_ui32, uint32_t, uint64_t)                                                                   \
  X(DT_ui64, uint64_t, uint64_t)

void lanes_load(DType type, const void *data, int64_t first, int64_t n, void *out_lanes) {
  switch (type) {
#define LOAD(id, narrow, wide)                                                                     \
  case id: {                                                                                       \
    const narrow *from = (const narrow *)data + first;                                             \
    wide *to = out_lanes;                                                                          \
    for (int64_t i = 0; i < n; i++) to[i] = (wide)from[i];                                         \
    return;                                                                                        \
  }
    INTEGER_TYPES(LOAD)
#undef LOAD
  default: break;
  }
  DTypeKind kind = dtype_kind(type);
  if (kind == KIND_FLOAT || kind == KIND_COMPLEX) {
    dtype_load_f64s(type, data, first, n, out_lanes);
  } else {
    int64_t *to = out_lanes;
    for (int64_t i = 0; i < n; i++) to[i] = dtype_load(type, data, first + i).i;
  }
}

void lanes_store(DType type, void *data, int64_t first, int64_t n, const void *lanes) {
  switch (type) {
#define STORE(id, narrow, wide)                                                                    \
  case id: {                                                                                       \
    narrow *to = (narrow *)data + first;                                                           \
    const wide *from = lanes;                                                                      \
    for (int64_t i = 0; i < n; i++) to[i] = (narrow)from[i];                                       \
    return;                                                                                        \
  }
    INTEGER_TYPES(STORE)
#undef STORE
  default: break;
  }
  DTypeKind kind = dtype_kind(type);
  if (kind == KIND_FLOAT || kind == KIND_COMPLEX) {
    dtype_store_f64s(type, data, first, n, lanes);
  } else {
    const int64_t *from = lanes;
    for (int64_t i = 0; i < n; i++) dtype_store(type, data, first + i, scalar_i(from[i]));
  }
}

void lanes_splat(DType type, const void *data, int64_t index, int64_t n, void *out_lanes) {
  size_t lane = dtype_kind(type) == KIND_COMPLEX ? 2 * sizeof(double) : sizeof(double);
  lanes_load(type, data, index, 1, out_lanes);
  for (int64_t i = 1; i < n; i++) memcpy((char *)out_lanes + (size_t)i * lane, out_lanes, lane);
}
