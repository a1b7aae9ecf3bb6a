// Scalar functions of the reals and the integers.
//
// Reals: the C library's double functions that stay well under 1 ULP (exp, log, sin, cos, pow,
// sqrt) are used directly; the others are computed in long double and rounded once. Integers are
// computed in 64-bit words and wrapped to the width of the type at the end. O(1) each, power
// O(width).
#include "tensor/mathfn.h"

#include <math.h>

__extension__ typedef __int128 Int128;
__extension__ typedef unsigned __int128 UInt128;

double fn_sign(double x) { return x > 0 ? 1.0 : x < 0 ? -1.0 : x; }

double fn_round_nearest_afz(double x) { return round(x); }

double fn_round_nearest_even(double x) {
  double down = floor(x);
  double rest = x - down;
  if (!(rest > 0)) return x;
  bool up = rest > 0.5 || (rest == 0.5 && fmod(down, 2) != 0);
  return copysign(up ? down + 1 : down, x);
}

double fn_rsqrt(double x) { return (double)(1 / sqrtl((long double)x)); }

double fn_cbrt(double x) { return (double)cbrtl((long double)x); }

double fn_exp(double x) { return exp(x); }

double fn_expm1(double x) { return (double)expm1l((long double)x); }

double fn_log(double x) { return log(x); }

double fn_log1p(double x) { return (double)log1pl((long double)x); }

double fn_logistic(double x) { return (double)(1 / (1 + expl(-(long double)x))); }

double fn_sin(double x) { return sin(x); }

double fn_cos(double x) { return cos(x); }

double fn_tan(double x) { return (double)tanl((long double)x); }

double fn_sinh(double x) { return (double)sinhl((long double)x); }

double fn_cosh(double x) { return (double)coshl((long double)x); }

double fn_tanh(double x) { return (double)tanhl((long double)x); }

double fn_asin(double x) { return (double)asinl((long double)x); }

double fn_acos(double x) { return (double)acosl((long double)x); }

double fn_atan(double x) { return (double)atanl((long double)x); }

double fn_asinh(double x) { return (double)asinhl((long double)x); }

double fn_acosh(double x) { return (double)acoshl((long double)x); }

double fn_atanh(double x) { return (double)atanhl((long double)x); }

double fn_atan2(double y, double x) { return (double)atan2l((long double)y, (long double)x); }

double fn_power(double x, double y) { return pow(x, y); }

double fn_remainder(double x, double y) { return fmod(x, y); }

double fn_maximum(double x, double y) {
  if (x != x || y != y) return x + y;
  if (x == y) return signbit(x) ? y : x;
  return x > y ? x : y;
}

double fn_minimum(double x, double y) {
  if (x != x || y != y) return x + y;
  if (x == y) return signbit(x) ? x : y;
  return x < y ? x : y;
}

static bool is_signed(DType type) { return dtype_kind(type) == KIND_SINT; }

// The value's bits; those above the width are zero.
static uint64_t pattern(DType type, Scalar a) { return dtype_bits(type, a); }

static Scalar wrap(DType type, uint64_t u) { return dtype_round(type, scalar_u(u)); }

Scalar int_divide(DType type, Scalar a, Scalar b) {
  if (b.u == 0) return wrap(type, UINT64_MAX);
  if (!is_signed(type)) return wrap(type, a.u / b.u);
  if (b.i == -1) return wrap(type, 0 - a.u);
  return scalar_i(a.i / b.i);
}

Scalar int_remainder(DType type, Scalar a, Scalar b) {
  if (b.u == 0) return a;
  if (!is_signed(type)) return scalar_u(a.u % b.u);
  return scalar_i(b.i == -1 ? 0 : a.i % b.i);
}

Scalar int_power(DType type, Scalar a, Scalar b) {
  if (is_signed(type) && b.i < 0) {
    if (a.i == 1) return a;
    return scalar_i(a.i != -1 ? 0 : b.i % 2 ? -1 : 1);
  }
  uint64_t result = 1, base = a.u;
  for (uint64_t exponent = b.u; exponent; exponent >>= 1) {
    if (exponent & 1) result *= base;
    base *= base;
  }
  return wrap(type, result);
}

Scalar int_mulhi(DType type, Scalar a, Scalar b) {
  int width = dtype_width(type);
  if (is_signed(type)) return wrap(type, (uint64_t)((UInt128)((Int128)a.i * b.i) >> width));
  return wrap(type, (uint64_t)((UInt128)a.u * b.u >> width));
}

Scalar int_shift_left(DType type, Scalar a, Scalar b) {
  uint64_t amount = pattern(type, b);
  return wrap(type, amount >= (uint64_t)dtype_width(type) ? 0 : a.u << amount);
}

Scalar int_shift_right_logical(DType type, Scalar a, Scalar b) {
  uint64_t amount = pattern(type, b);
  return wrap(type, amount >= (uint64_t)dtype_width(type) ? 0 : pattern(type, a) >> amount);
}

Scalar int_shift_right_arithmetic(DType type, Scalar a, Scalar b) {
  uint64_t amount = pattern(type, b);
  int width = dtype_width(type);
  bool negative = pattern(type, a) >> (width - 1) & 1;
  uint64_t extended =
      negative && width < 64 ? pattern(type, a) | UINT64_MAX << width : pattern(type, a);
  if (amount >= (uint64_t)width) return wrap(type, negative ? UINT64_MAX : 0);
  uint64_t fill = negative && amount > 0 ? UINT64_MAX << (64 - amount) : 0;
  return wrap(type, extended >> amount | fill);
}

Scalar int_popcnt(DType type, Scalar a) {
  return wrap(type, (uint64_t)__builtin_popcountll(pattern(type, a)));
}

Scalar int_count_leading_zeros(DType type, Scalar a) {
  uint64_t u = pattern(type, a);
  int width = dtype_width(type);
  return wrap(type, (uint64_t)(u ? __builtin_clzll(u) - (64 - width) : width));
}
