// The f32 functions of the engines of loops (loop_math.def) as C, and 16-bit floats in f32.
#ifndef TESSERA_TENSOR_LOOP_MATH_H
#define TESSERA_TENSOR_LOOP_MATH_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "tensor/bits.h"
#include "tensor/loop_math_tables.h"

// y * 2^n, where t = n + 1.5 * 2^23: in two factors, of which the first is exact.
static inline float math_scale(float y, float n, float t) {
  (void)n;
  int32_t i = (int32_t)(f32_bits(t) - 0x4B400000u);
  int32_t half = i >> 1;
  float first = f32_of_bits((uint32_t)(half + 127) << 23);
  float second = f32_of_bits((uint32_t)(i - half + 127) << 23);
  return (y * first) * second;
}

#define F32 float
#define F64 double
#define I32 uint32_t
#define I64 uint64_t
#define BOOL bool
#define FUNCTION(T, name, ...) static inline T math_##name(__VA_ARGS__)
#define CALL(name, ...) math_##name(__VA_ARGS__)
#define K(x) ((float)(x))
#define D(x) ((double)(x))
#define N32(u) ((uint32_t)(u))
#define N64(u) ((uint64_t)(u))
#define ADD(x, y) ((x) + (y))
#define SUB(x, y) ((x) - (y))
#define MUL(x, y) ((x) * (y))
#define DIV(x, y) ((x) / (y))
#define NEG(x) (-(x))
#define FMA(x, y, z) _Generic((z), float: fmaf, double: fma)(x, y, z)
#define ABS(x) fabsf(x)
#define FLOOR(x) floorf(x)
#define SQRT(x) _Generic((x), float: sqrtf, double: sqrt)(x)
#define IADD(x, y) ((x) + (y))
#define ISUB(x, y) ((x) - (y))
#define AND(x, y) ((x) & (y))
#define OR(x, y) ((x) | (y))
#define XOR(x, y) ((x) ^ (y))
#define SHL(x, n) ((x) << (n))
#define SHR(x, n) ((x) >> (n))
#define SAR(x, n) ((uint64_t)((int64_t)(x) >> (n)))
#define SELECT(p, x, y) ((p) ? (x) : (y))
#define LT(x, y) ((x) < (y))
#define GT(x, y) ((x) > (y))
#define EQ(x, y) ((x) == (y))
#define NE(x, y) ((x) != (y))
#define UNORDERED(x, y) ((bool)(((x) != (x)) | ((y) != (y))))
#define IEQ(x, y) ((x) == (y))
#define IUGT(x, y) ((x) > (y))
#define BOTH(p, q) ((bool)((p) & (q)))
#define EITHER(p, q) ((bool)((p) | (q)))
#define BITS32(x) f32_bits(x)
#define BITS64(x) f64_bits(x)
#define FLOAT32(u) f32_of_bits(u)
#define FLOAT64(u) f64_of_bits(u)
#define WIDE(x) ((double)(x))
#define NARROW(x) ((float)(x))
#define EXTEND(u) ((uint64_t)(u))
#define LOOKUP(table, i) (table)[i]
#include "tensor/loop_math.def"
#undef F32
#undef F64
#undef I32
#undef I64
#undef BOOL
#undef FUNCTION
#undef CALL
#undef K
#undef D
#undef N32
#undef N64
#undef ADD
#undef SUB
#undef MUL
#undef DIV
#undef NEG
#undef FMA
#undef ABS
#undef FLOOR
#undef SQRT
#undef IADD
#undef ISUB
#undef AND
#undef OR
#undef XOR
#undef SHL
#undef SHR
#undef SAR
#undef SELECT
#undef LT
#undef GT
#undef EQ
#undef NE
#undef UNORDERED
#undef IEQ
#undef IUGT
#undef BOTH
#undef EITHER
#undef BITS32
#undef BITS64
#undef FLOAT32
#undef FLOAT64
#undef WIDE
#undef NARROW
#undef EXTEND
#undef LOOKUP

// ---- 16-bit floats in f32 ----

static inline float math_round_bf16(float x) {
  uint32_t u = f32_bits(x);
  uint32_t r = (u + 0x7FFFu + (u >> 16 & 1)) & 0xFFFF0000u;
  uint32_t nan = u & 0xFFFF0000u;
  nan |= (nan & 0x007F0000u) ? 0 : 0x00400000u;
  return f32_of_bits((u & 0x7FFFFFFFu) > 0x7F800000u ? nan : r);
}

static inline float math_round_f16(float x) {
  uint32_t u = f32_bits(x), a = u & 0x7FFFFFFFu;
  uint32_t normal = (a + 0xFFFu + (a >> 13 & 1)) & ~0x1FFFu;
  normal = normal > 0x477FE000u ? 0x7F800000u : normal;  // above 65504
  uint32_t small = f32_bits((f32_of_bits(a < 0x38800000u ? a : 0) + 0.5f) - 0.5f);
  uint32_t nan = a & ~0x1FFFu;
  nan |= (nan & 0x007FE000u) ? 0 : 0x00400000u;
  uint32_t r = a < 0x38800000u ? small : normal;  // below 2^-14: multiples of 2^-24
  r = a > 0x7F800000u ? nan : r;
  return f32_of_bits(r | (u & 0x80000000u));
}

static inline float math_load_f16(uint16_t h) {
  uint32_t a = (uint32_t)(h & 0x7FFF) << 13;
  uint32_t finite = f32_bits(f32_of_bits(a) * 5.192296858534828e33f);  // 2^112
  uint32_t r = a >= 0x0F800000u ? a | 0x7F800000u : finite;
  return f32_of_bits(r | (uint32_t)(h & 0x8000) << 16);
}

// Of a value that math_round_f16 gave.
static inline uint16_t math_store_f16(float x) {
  uint32_t u = f32_bits(x), a = u & 0x7FFFFFFFu;
  uint32_t normal = (a - 0x38000000u) >> 13;
  uint32_t small = f32_bits(f32_of_bits(a < 0x38800000u ? a : 0) + 0.5f) - 0x3F000000u;
  uint32_t special = 0x7C00u | (a & 0x007FFFFFu) >> 13;
  uint32_t r = a < 0x38800000u ? small : a >= 0x7F800000u ? special : normal;
  return (uint16_t)(r | (u >> 16 & 0x8000u));
}

#endif
