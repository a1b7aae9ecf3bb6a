// Functions of f32 for the engines of loops, at most 2 ULP off, without branches, so that compilers
// vectorize them. Cheap ones in float, those that would cancel in double and rounded once. No fused
// multiply-add: the same operations in the same order give the same bits on every CPU. NaN stays
// NaN (comparisons with it are false, and each clamp then keeps it).
//
// providers/llvm.c emits the same operations.
#ifndef TESSERA_TENSOR_LOOP_MATH_H
#define TESSERA_TENSOR_LOOP_MATH_H

#include <math.h>
#include <stdint.h>

#include "tensor/bits.h"

// e^x = 2^n e^r with |r| <= ln 2 / 2. Adding 1.5 * 2^23 rounds to an integer and leaves it in the
// low bits. 2^n in two factors, so that results below the normal range round once.
static inline float math_exp(float x) {
  float c = x > 89.0f ? 89.0f : x;
  c = c < -104.0f ? -104.0f : c;
  float t = c * 1.44269504f + 12582912.0f;
  float n = t - 12582912.0f;
  float r = (c - n * 0.693359375f) - n * -2.12194440e-4f;
  float p = 1.9875691500e-4f;
  p = p * r + 1.3981999507e-3f;
  p = p * r + 8.3334519073e-3f;
  p = p * r + 4.1665795894e-2f;
  p = p * r + 1.6666665459e-1f;
  p = p * r + 5.0000001201e-1f;
  float y = (p * (r * r) + r) + 1.0f;
  int32_t i = (int32_t)(f32_bits(t) - 0x4B400000u);
  int32_t half = i >> 1;
  float first = f32_of_bits((uint32_t)(half + 127) << 23);
  float second = f32_of_bits((uint32_t)(i - half + 127) << 23);
  return (y * first) * second;
}

// 2^n and e^r - 1 of x = n ln 2 + r, for |x| < 700.
static inline double math_expm1_parts(double x, double *out_power) {
  double t = x * 1.4426950408889634 + 6755399441055744.0;
  double n = t - 6755399441055744.0;
  double r = (x - n * 6.93147180369123816490e-01) - n * 1.90821492927058770002e-10;
  double p = 1.0 / 39916800;
  p = p * r + 1.0 / 3628800;
  p = p * r + 1.0 / 362880;
  p = p * r + 1.0 / 40320;
  p = p * r + 1.0 / 5040;
  p = p * r + 1.0 / 720;
  p = p * r + 1.0 / 120;
  p = p * r + 1.0 / 24;
  p = p * r + 1.0 / 6;
  p = p * r + 0.5;
  *out_power = f64_of_bits((f64_bits(t) - 0x4338000000000000u + 1023) << 52);
  return p * (r * r) + r;
}

static inline double math_expm1_wide(double x) {
  double power, p = math_expm1_parts(x, &power);
  return power * p + (power - 1.0);
}

static inline float math_expm1(float x) {
  float c = x > 89.0f ? 89.0f : x;
  c = c < -104.0f ? -104.0f : c;
  float y = (float)math_expm1_wide((double)c);
  return c == 0.0f ? x : y;  // -0
}

// Below 0.625 an odd polynomial, which does not cancel; above 1 - 2 / (e^2x + 1).
static inline float math_tanh(float x) {
  float a = fabsf(x);
  float c = a > 20.0f ? 20.0f : a;
  float z = a * a;
  float p = -5.70498872745e-3f;
  p = p * z + 2.06390887954e-2f;
  p = p * z + -5.37397155531e-2f;
  p = p * z + 1.33314422036e-1f;
  p = p * z + -3.33332819422e-1f;
  float small = (p * z) * a + a;
  float large = 1.0f - 2.0f / (math_exp(c + c) + 1.0f);
  float y = a < 0.625f ? small : large;
  return f32_of_bits((f32_bits(y) & 0x7FFFFFFFu) | (f32_bits(x) & 0x80000000u));
}

// With z = e^-|x|: 1 / (1 + z), or z / (1 + z) for negative x, which keeps small results.
static inline float math_logistic(float x) {
  float z = math_exp(-fabsf(x));
  return (x < 0.0f ? z : 1.0f) / (1.0f + z);
}

// log(1 + f) of y = 1 + f = 2^k m with m in [sqrt 1/2, sqrt 2); f is exact where k is 0.
static inline double math_log_wide(double y, double f) {
  int64_t k = (int64_t)(f64_bits(y) - 0x3FE6A09E667F3BCDu) >> 52;
  double m = f64_of_bits(f64_bits(y) - ((uint64_t)k << 52));
  double e = f64_of_bits((uint64_t)(k + 0x4338000000000000)) - 6755399441055744.0;
  double g = k == 0 ? f : m - 1.0;
  double s = g / (2.0 + g), z = s * s;
  double p = 2.0 / 15;
  p = p * z + 2.0 / 13;
  p = p * z + 2.0 / 11;
  p = p * z + 2.0 / 9;
  p = p * z + 2.0 / 7;
  p = p * z + 2.0 / 5;
  p = p * z + 2.0 / 3;
  return e * 0.69314718055994530942 + (p * (z * s) + 2.0 * s);
}

static inline float math_log(float x) {
  double y = (double)x;
  float r = (float)math_log_wide(y, y - 1.0);
  r = x == 0.0f ? -INFINITY : r;
  r = x < 0.0f ? NAN : r;
  return x < INFINITY ? r : x;  // infinity and NaN
}

static inline float math_log1p(float x) {
  double f = (double)x;
  float r = (float)math_log_wide(1.0 + f, f);
  r = x == -1.0f ? -INFINITY : r;
  r = x < -1.0f ? NAN : r;
  r = x == 0.0f ? x : r;
  return x < INFINITY ? r : x;
}

static inline float math_rsqrt(float x) { return 1.0f / sqrtf(x); }

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
