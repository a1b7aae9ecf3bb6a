// bf16 and f16 to and from f32, as code that compilers vectorize. Rounding is to nearest even, as
// dtype_store rounds; NaNs stay NaNs.
#ifndef TESSERA_TENSOR_NARROW_H
#define TESSERA_TENSOR_NARROW_H

#include "tensor/bits.h"

static inline float f32_of_bf16(uint16_t x) { return f32_of_bits((uint32_t)x << 16); }
static inline uint16_t bf16_of_f32(float x) {
  uint32_t u = f32_bits(x);
  uint32_t rounded = (u + 0x7FFFu + ((u >> 16) & 1)) >> 16;
  uint32_t quiet = (u >> 16) | 0x40u;
  return (uint16_t)((u & 0x7FFFFFFFu) > 0x7F800000u ? quiet : rounded);
}

static inline float f32_of_f16(uint16_t x) {
  // The exponent and mantissa at f32's place are a number 2^112 too small, exact also for
  // denormals.
  uint32_t sign = (uint32_t)(x & 0x8000u) << 16, rest = (uint32_t)(x & 0x7FFFu) << 13;
  uint32_t finite = f32_bits(f32_of_bits(rest) * 0x1p112f);
  uint32_t special = rest | 0x7F800000u;
  return f32_of_bits(sign | (rest >= 0x0F800000u ? special : finite));
}
static inline uint16_t f16_of_f32(float x) {
  uint32_t u = f32_bits(x), sign = (u >> 16) & 0x8000u, a = u & 0x7FFFFFFFu;
  // Normal results: round the mantissa to 10 bits and move the exponent by 112.
  uint32_t normal = (a + 0xFFFu + ((a >> 13) & 1) - 0x38000000u) >> 13;
  // Denormal results: the sum with 0.5 has the result in its lowest bits, rounded by the addition.
  uint32_t small = f32_bits(f32_of_bits(a) + 0.5f) - 0x3F000000u;
  uint32_t r = a < 0x38800000u ? small : normal;
  r = a >= 0x477FF000u ? 0x7C00u : r;  // 65520 and above are infinite
  r = a > 0x7F800000u ? 0x7E00u | (a >> 13 & 0x3FFu) : r;
  return (uint16_t)(sign | r);
}

#endif
