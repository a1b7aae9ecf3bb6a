// Loops of reducers, one set per element type. Maxima follow IEEE 754-2019: NaN if either is, and
// +0 above -0. The tree of a fold depends on the number of elements only, so all instruction sets
// give the same bits.
#include "execute/kernels/combine.h"

#include <stddef.h>

#include "tensor/narrow.h"
#include "tensor/vectorize.h"

enum { LANES = 64 };

// Equal numbers have equal bits except zeros: `and` gives +0 if either is, `or` -0.
static inline float max_f32(float x, float y) {
  float equal = f32_of_bits(f32_bits(x) & f32_bits(y)), other = x > y || x != x ? x : y;
  return x == y ? equal : other;
}
static inline float min_f32(float x, float y) {
  float equal = f32_of_bits(f32_bits(x) | f32_bits(y)), other = x < y || x != x ? x : y;
  return x == y ? equal : other;
}
static inline double max_f64(double x, double y) {
  double equal = f64_of_bits(f64_bits(x) & f64_bits(y)), other = x > y || x != x ? x : y;
  return x == y ? equal : other;
}
static inline double min_f64(double x, double y) {
  double equal = f64_of_bits(f64_bits(x) | f64_bits(y)), other = x < y || x != x ? x : y;
  return x == y ? equal : other;
}

#define ADD(x, y) ((x) + (y))
#define MUL(x, y) ((x) * (y))
#define MUL_BITS(x, y)                                                                             \
  ((x) * 1u * (y))  // 16-bit factors would be promoted to int, which may overflow
#define MAX(x, y) ((x) > (y) ? (x) : (y))
#define MIN(x, y) ((x) < (y) ? (x) : (y))
#define AND(x, y) ((x) & (y))
#define OR(x, y) ((x) | (y))
#define XOR(x, y) ((x) ^ (y))
#define SAME(x) (x)

// S: storage; W: the type of the computation; load, store: between them.
#define DEFINE_ROWS(name, S, W, load, store, op)                                                   \
  VECTOR_BODY void name##_body(void *to, const void *from, int64_t n) {                            \
    S *a = to;                                                                                     \
    const S *b = from;                                                                             \
    for (int64_t i = 0; i < n; i++) {                                                              \
      W x = (W)load(a[i]), y = (W)load(b[i]);                                                      \
      a[i] = (S)store((W)op(x, y));                                                                \
    }                                                                                              \
  }                                                                                                \
  VECTOR_CLONES(name, (void *to, const void *from, int64_t n), (to, from, n))

#define DEFINE_FOLD(name, S, W, load, op)                                                          \
  VECTOR_BODY void name##_body(void *acc, const void *from, int64_t n) {                           \
    const S *b = from;                                                                             \
    W total = *(W *)acc, lanes[LANES];                                                             \
    if (n < LANES) {                                                                               \
      for (int64_t i = 0; i < n; i++) {                                                            \
        W y = (W)load(b[i]);                                                                       \
        total = (W)op(total, y);                                                                   \
      }                                                                                            \
      *(W *)acc = total;                                                                           \
      return;                                                                                      \
    }                                                                                              \
    for (int j = 0; j < LANES; j++) lanes[j] = (W)load(b[j]);                                      \
    int64_t i = LANES;                                                                             \
    for (; i + LANES <= n; i += LANES)                                                             \
      for (int j = 0; j < LANES; j++) {                                                            \
        W y = (W)load(b[i + j]);                                                                   \
        lanes[j] = (W)op(lanes[j], y);                                                             \
      }                                                                                            \
    for (int64_t j = 0; i + j < n; j++) {                                                          \
      W y = (W)load(b[i + j]);                                                                     \
      lanes[j] = (W)op(lanes[j], y);                                                               \
    }                                                                                              \
    for (int width = LANES / 2; width > 0; width /= 2)                                             \
      for (int j = 0; j < width; j++) lanes[j] = (W)op(lanes[j], lanes[j + width]);                \
    *(W *)acc = (W)op(total, lanes[0]);                                                            \
  }                                                                                                \
  VECTOR_CLONES(name, (void *acc, const void *from, int64_t n), (acc, from, n))

#define DEFINE(name, S, op)                                                                        \
  DEFINE_ROWS(rows_##name, S, S, SAME, SAME, op)                                                   \
  DEFINE_FOLD(fold_##name, S, S, SAME, op)
#define DEFINE_HALF(name, W, load, store, op)                                                      \
  DEFINE_ROWS(rows_##name, uint16_t, float, load, store, op)                                       \
  DEFINE_FOLD(fold_##name, uint16_t, W, load, op)
#define DEFINE_INTEGERS(name, S) DEFINE(max_##name, S, MAX) DEFINE(min_##name, S, MIN)
#define DEFINE_BITS(name, S)                                                                       \
  DEFINE(sum_##name, S, ADD)                                                                       \
  DEFINE(mul_##name, S, MUL_BITS)                                                                  \
  DEFINE(and_##name, S, AND) DEFINE(or_##name, S, OR) DEFINE(xor_##name, S, XOR)

DEFINE(sum_f32, float, ADD)
DEFINE(mul_f32, float, MUL)
DEFINE(max_f32, float, max_f32)
DEFINE(min_f32, float, min_f32)
DEFINE(sum_f64, double, ADD)
DEFINE(mul_f64, double, MUL)
DEFINE(max_f64, double, max_f64)
DEFINE(min_f64, double, min_f64)
DEFINE_HALF(sum_bf16, float, f32_of_bf16, bf16_of_f32, ADD)
DEFINE_HALF(mul_bf16, float, f32_of_bf16, bf16_of_f32, MUL)
DEFINE_HALF(sum_f16, float, f32_of_f16, f16_of_f32, ADD)
DEFINE_HALF(mul_f16, float, f32_of_f16, f16_of_f32, MUL)
DEFINE_BITS(i8, uint8_t)
DEFINE_BITS(i16, uint16_t)
DEFINE_BITS(i32, uint32_t)
DEFINE_BITS(i64, uint64_t)
DEFINE_INTEGERS(i8, int8_t)
DEFINE_INTEGERS(i16, int16_t)
DEFINE_INTEGERS(i32, int32_t)
DEFINE_INTEGERS(i64, int64_t)
DEFINE_INTEGERS(u8, uint8_t)
DEFINE_INTEGERS(u16, uint16_t)
DEFINE_INTEGERS(u32, uint32_t)
DEFINE_INTEGERS(u64, uint64_t)
// Maxima of 16-bit floats are exact in f32, so the fold stays in the storage type.
#define MAX_BF16(x, y) bf16_of_f32(max_f32(f32_of_bf16(x), f32_of_bf16(y)))
#define MIN_BF16(x, y) bf16_of_f32(min_f32(f32_of_bf16(x), f32_of_bf16(y)))
#define MAX_F16(x, y) f16_of_f32(max_f32(f32_of_f16(x), f32_of_f16(y)))
#define MIN_F16(x, y) f16_of_f32(min_f32(f32_of_f16(x), f32_of_f16(y)))
DEFINE(max_bf16, uint16_t, MAX_BF16)
DEFINE(min_bf16, uint16_t, MIN_BF16)
DEFINE(max_f16, uint16_t, MAX_F16)
DEFINE(min_f16, uint16_t, MIN_F16)

// Complex sums are sums of their parts.
static void rows_sum_c64(void *to, const void *from, int64_t n) { rows_sum_f32(to, from, 2 * n); }
static void rows_sum_c128(void *to, const void *from, int64_t n) { rows_sum_f64(to, from, 2 * n); }

#define ROW(type, combine, name, wide)                                                             \
  [DT_##type][COMBINE_##combine] = {rows_##name, fold_##name, DT_##wide}
#define INTEGER(type, bits, order)                                                                 \
  ROW(type, SUM, sum_##bits, type), ROW(type, MUL, mul_##bits, type),                              \
      ROW(type, AND, and_##bits, type), ROW(type, OR, or_##bits, type),                            \
      ROW(type, XOR, xor_##bits, type), ROW(type, MAX, max_##order, type),                         \
      ROW(type, MIN, min_##order, type)
#define FLOAT(type, wide)                                                                          \
  ROW(type, SUM, sum_##type, wide), ROW(type, MUL, mul_##type, wide),                              \
      ROW(type, MAX, max_##type, type), ROW(type, MIN, min_##type, type)
static const CombineRows table[DT_COUNT][COMBINE_COUNT] = {
    FLOAT(f32, f32),
    FLOAT(f64, f64),
    FLOAT(bf16, f32),
    FLOAT(f16, f32),
    INTEGER(i8, i8, i8),
    INTEGER(i16, i16, i16),
    INTEGER(i32, i32, i32),
    INTEGER(i64, i64, i64),
    INTEGER(ui8, i8, u8),
    INTEGER(ui16, i16, u16),
    INTEGER(ui32, i32, u32),
    INTEGER(ui64, i64, u64),
    ROW(i1, SUM, or_i8, i1),
    ROW(i1, MAX, or_i8, i1),
    ROW(i1, OR, or_i8, i1),
    ROW(i1, MUL, and_i8, i1),
    ROW(i1, MIN, and_i8, i1),
    ROW(i1, AND, and_i8, i1),
    ROW(i1, XOR, xor_i8, i1),
    [DT_c64][COMBINE_SUM] = {rows_sum_c64, NULL, DT_c64},
    [DT_c128][COMBINE_SUM] = {rows_sum_c128, NULL, DT_c128},
};

const CombineRows *combine_rows(DType type, Combine combine) {
  if (type >= DT_COUNT || combine >= COMBINE_COUNT || !table[type][combine].rows) return NULL;
  return &table[type][combine];
}
