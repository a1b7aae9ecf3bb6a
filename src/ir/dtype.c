// Problem: load, store and convert values of thirty element types, bit-exact with LLVM's APFloat,
// which the reference interpreter uses.
// Idea: every float type except f64 is a subset of the doubles, so a double is the common
// representation. Decoding is exact; encoding is one generic rounding of a 64-bit significand (to
// nearest, ties to even), driven by the columns of dtypes.def. f32 and f64 use the CPU's
// conversions. Invariants: NaN payloads keep their top bits, so every bit pattern survives load and
// store. Overflow gives infinity for IEEE types, NaN for FN and FNUZ types; types with neither
// saturate. Cost: O(1) per value.
#include "ir/dtype.h"

#include <math.h>
#include <string.h>

static const DTypeInfo dtype_table[DT_COUNT] = {
    {.name = "<none>", .kind = KIND_OTHER, .style = FLOAT_NONE},
#define DTYPE(id, spelling, kind_, width_, bytes_, exponent_, mantissa_, bias_, style_)            \
  {.name = spelling,                                                                               \
   .kind = KIND_##kind_,                                                                           \
   .style = FLOAT_##style_,                                                                        \
   .width = width_,                                                                                \
   .bytes = bytes_,                                                                                \
   .exponent_bits = exponent_,                                                                     \
   .mantissa_bits = mantissa_,                                                                     \
   .bias = bias_},
#include "ir/dtypes.def"
#undef DTYPE
};

static const uint64_t F64_MANTISSA = ((uint64_t)1 << 52) - 1;

static uint64_t bits_of_double(double x) {
  uint64_t u;
  memcpy(&u, &x, sizeof u);
  return u;
}

static double double_of_bits(uint64_t u) {
  double x;
  memcpy(&x, &u, sizeof x);
  return x;
}

static uint64_t low_mask(int width) {
  return width >= 64 ? UINT64_MAX : ((uint64_t)1 << width) - 1;
}

// Sign-extends the low `width` bits.
static int64_t sign_extend(uint64_t u, int width) {
  uint64_t sign = (uint64_t)1 << (width - 1);
  u &= low_mask(width);
  return (int64_t)((u ^ sign) - sign);
}

// Number of bits below the sign of one part.
static int magnitude_bits(const DTypeInfo *t) { return t->exponent_bits + t->mantissa_bits; }

// Bit pattern of the largest finite magnitude. IEEE types reserve the last exponent, FN and E8M0
// types one pattern for NaN, the others none.
static uint64_t max_finite_code(const DTypeInfo *t) {
  uint64_t all = low_mask(magnitude_bits(t));
  switch ((FloatStyle)t->style) {
  case FLOAT_IEEE: return (low_mask(t->exponent_bits) << t->mantissa_bits) - 1;
  case FLOAT_FN:
  case FLOAT_E8M0: return all - 1;
  case FLOAT_FNUZ:
  case FLOAT_FINITE:
  case FLOAT_NONE: break;
  }
  return all;
}

// 0 for E8M0, which has no sign.
static uint64_t sign_bit(const DTypeInfo *t) {
  return t->style == FLOAT_E8M0 ? 0 : (uint64_t)1 << magnitude_bits(t);
}

// The bit pattern of a NaN; `payload` has the 52 mantissa bits of a double.
static uint64_t nan_code(const DTypeInfo *t, bool negative, uint64_t payload) {
  uint64_t sign = negative ? sign_bit(t) : 0;
  switch ((FloatStyle)t->style) {
  case FLOAT_IEEE: {
    uint64_t top = low_mask(t->exponent_bits) << t->mantissa_bits;
    // A payload whose kept bits are all zero would be an infinity: use the quiet bit.
    uint64_t kept = payload >> (52 - t->mantissa_bits);
    return sign | top | (kept ? kept : (uint64_t)1 << (t->mantissa_bits - 1));
  }
  case FLOAT_FN: return sign | low_mask(magnitude_bits(t));
  case FLOAT_FNUZ: return sign_bit(t);
  case FLOAT_E8M0: return 0xFF;
  case FLOAT_FINITE:
  case FLOAT_NONE: break;
  }
  return 0;
}

// Infinity, NaN or the largest finite value, by the type's style.
static uint64_t overflow_code(const DTypeInfo *t, bool negative) {
  uint64_t sign = negative ? sign_bit(t) : 0;
  switch ((FloatStyle)t->style) {
  case FLOAT_IEEE: return sign | low_mask(t->exponent_bits) << t->mantissa_bits;
  case FLOAT_FINITE: return sign | max_finite_code(t);
  case FLOAT_FN:
  case FLOAT_FNUZ:
  case FLOAT_E8M0:
  case FLOAT_NONE: break;
  }
  return nan_code(t, negative, 0);
}

// Rounds (-1)^negative * significand * 2^(exponent - 63) to the type; bit 63 of the significand is
// set.
static uint64_t encode_parts(const DTypeInfo *t, bool negative, uint64_t significand,
                             int exponent) {
  if (t->style == FLOAT_E8M0) {
    // One bit of precision: at a tie (1.5) the significand is odd below and even above, so it goes
    // up.
    int code = exponent + t->bias + (significand >> 62 == 3);
    return negative || code < 0 || code > 254 ? 0xFF : (uint64_t)code;
  }
  // Below min_exponent the value is subnormal: the scale stays and more bits are shifted out.
  int min_exponent = 1 - t->bias;
  int scale = exponent < min_exponent ? min_exponent : exponent;
  int shift = 63 - t->mantissa_bits + (scale - exponent);
  uint64_t kept = 0;
  bool round_up = false;
  if (shift < 64) {
    uint64_t rest = significand & low_mask(shift);
    uint64_t half = (uint64_t)1 << (shift - 1);
    kept = significand >> shift;
    round_up = rest > half || (rest == half && (kept & 1));
  } else if (shift == 64) {
    // In [1/2, 1) of the smallest subnormal: only exactly half rounds to zero.
    round_up = significand > (uint64_t)1 << 63;
  }
  // The implicit bit adds one to the exponent field, as does a carry out of the mantissa.
  uint64_t code = ((uint64_t)(scale + t->bias - 1) << t->mantissa_bits) + kept + round_up;
  if (code > max_finite_code(t)) return overflow_code(t, negative);
  if (code == 0 && t->style == FLOAT_FNUZ) return 0;
  return code | (negative ? sign_bit(t) : 0);
}

// Splits the double into sign, exponent and a normalized 64-bit significand; encode_parts rounds.
static uint64_t encode_generic(const DTypeInfo *t, double x) {
  uint64_t u = bits_of_double(x);
  bool negative = u >> 63;
  int exponent = (int)(u >> 52 & 0x7FF);
  uint64_t mantissa = u & F64_MANTISSA;
  if (exponent == 0x7FF)
    return mantissa ? nan_code(t, negative, mantissa) : overflow_code(t, negative);
  if (exponent == 0) {
    if (mantissa == 0) {
      if (t->style == FLOAT_E8M0) return 0xFF;
      return negative && t->style != FLOAT_FNUZ ? sign_bit(t) : 0;
    }
    // A subnormal double: normalize it first.
    int zeros = __builtin_clzll(mantissa);
    return encode_parts(t, negative, mantissa << zeros, -1022 - 52 + 63 - zeros);
  }
  return encode_parts(t, negative, (uint64_t)1 << 63 | mantissa << 11, exponent - 1023);
}

// Exact: every value of a type with at most 52 mantissa bits is a double.
static double decode_generic(const DTypeInfo *t, uint64_t code) {
  bool negative = code & sign_bit(t);
  uint64_t magnitude = code & low_mask(magnitude_bits(t));
  double sign = negative ? -1.0 : 1.0;
  if (t->style == FLOAT_FNUZ && negative && magnitude == 0)
    return double_of_bits((uint64_t)0x7FF8 << 48);
  if (magnitude > max_finite_code(t)) {
    uint64_t mantissa = magnitude & low_mask(t->mantissa_bits);
    uint64_t payload =
        t->style == FLOAT_IEEE ? mantissa << (52 - t->mantissa_bits) : (uint64_t)1 << 51;
    return double_of_bits((uint64_t)negative << 63 | (uint64_t)0x7FF << 52 | payload);
  }
  int exponent = (int)(magnitude >> t->mantissa_bits);
  uint64_t mantissa = magnitude & low_mask(t->mantissa_bits);
  if (t->style == FLOAT_E8M0) return ldexp(1.0, exponent - t->bias);
  if (exponent == 0) return sign * ldexp((double)mantissa, 1 - t->bias - t->mantissa_bits);
  uint64_t field = (uint64_t)(exponent - t->bias + 1023);
  return double_of_bits((uint64_t)negative << 63 | field << 52 |
                        mantissa << (52 - t->mantissa_bits));
}

static double decode_f32(uint32_t u) {
  if ((u & 0x7FFFFFFF) > 0x7F800000)  // keeps signalling NaNs, which a conversion would make quiet
    return double_of_bits((uint64_t)(u >> 31) << 63 | (uint64_t)0x7FF << 52 |
                          (uint64_t)(u & 0x7FFFFF) << 29);
  float f;
  memcpy(&f, &u, sizeof f);
  return (double)f;
}

static uint32_t encode_f32(double x) {
  if (x != x)
    return (uint32_t)nan_code(&dtype_table[DT_f32], bits_of_double(x) >> 63,
                              bits_of_double(x) & F64_MANTISSA);
  float f = (float)x;
  uint32_t u;
  memcpy(&u, &f, sizeof u);
  return u;
}

// The bit pattern of a float type, or of one part of a complex type.
static uint64_t encode_float(DType type, double x) {
  switch (type) {
  case DT_f64:
  case DT_c128: return bits_of_double(x);
  case DT_f32:
  case DT_c64: return encode_f32(x);
  default: return encode_generic(&dtype_table[type], x);
  }
}

static double decode_float(DType type, uint64_t bits) {
  switch (type) {
  case DT_f64:
  case DT_c128: return double_of_bits(bits);
  case DT_f32:
  case DT_c64: return decode_f32((uint32_t)bits);
  case DT_bf16: return decode_f32((uint32_t)bits << 16);
  default: return decode_generic(&dtype_table[type], bits);
  }
}

static uint64_t load_bits(const void *data, int64_t index, int bytes) {
  const unsigned char *p = (const unsigned char *)data + index * bytes;
  switch (bytes) {
  case 1: return *p;
  case 2: {
    uint16_t u;
    memcpy(&u, p, sizeof u);
    return u;
  }
  case 4: {
    uint32_t u;
    memcpy(&u, p, sizeof u);
    return u;
  }
  default: {
    uint64_t u;
    memcpy(&u, p, sizeof u);
    return u;
  }
  }
}

static void store_bits(void *data, int64_t index, int bytes, uint64_t bits) {
  unsigned char *p = (unsigned char *)data + index * bytes;
  switch (bytes) {
  case 1: *p = (unsigned char)bits; break;
  case 2: {
    uint16_t u = (uint16_t)bits;
    memcpy(p, &u, sizeof u);
    break;
  }
  case 4: {
    uint32_t u = (uint32_t)bits;
    memcpy(p, &u, sizeof u);
    break;
  }
  default: memcpy(p, &bits, sizeof bits); break;
  }
}

// (-1)^negative * magnitude, rounded once to the float type.
static double integer_to_float(DType type, bool negative, uint64_t magnitude) {
  const DTypeInfo *t = &dtype_table[type];
  if (t->mantissa_bits == 52) return negative ? -(double)magnitude : (double)magnitude;
  if (magnitude == 0) return decode_float(type, encode_float(type, 0));
  int zeros = __builtin_clzll(magnitude);
  return decode_float(type, encode_parts(t, negative, magnitude << zeros, 63 - zeros));
}

// Truncates and saturates; NaN becomes 0. Both limits are exact doubles.
static int64_t float_to_signed(double x, int width) {
  double limit = ldexp(1.0, width - 1);
  if (x != x) return 0;
  if (x >= limit) return (int64_t)low_mask(width - 1);
  if (x < -limit) return -(int64_t)low_mask(width - 1) - 1;
  return (int64_t)x;
}

static uint64_t float_to_unsigned(double x, int width) {
  if (!(x > 0)) return 0;
  if (x >= ldexp(1.0, width)) return low_mask(width);
  return (uint64_t)x;
}

static Scalar float_to(DType to, double x) {
  const DTypeInfo *t = &dtype_table[to];
  switch ((DTypeKind)t->kind) {
  case KIND_BOOL: return scalar_i(x != 0);
  case KIND_SINT: return scalar_i(float_to_signed(x, t->width));
  case KIND_UINT: return scalar_u(float_to_unsigned(x, t->width));
  case KIND_FLOAT:
  case KIND_COMPLEX: return scalar_f(decode_float(to, encode_float(to, x)));
  case KIND_OTHER: break;
  }
  return scalar_i(0);
}

static Scalar integer_to(DType to, bool negative, uint64_t u) {
  const DTypeInfo *t = &dtype_table[to];
  switch ((DTypeKind)t->kind) {
  case KIND_BOOL: return scalar_i(u != 0);
  case KIND_SINT: return scalar_i(sign_extend(u, t->width));
  case KIND_UINT: return scalar_u(u & low_mask(t->width));
  case KIND_FLOAT:
  case KIND_COMPLEX: return scalar_f(integer_to_float(to, negative, negative ? 0 - u : u));
  case KIND_OTHER: break;
  }
  return scalar_i(0);
}

// Bit patterns of one sign are ordered like their values, so distances are differences of patterns;
// across zero the two distances to zero add.
static uint64_t part_ulp_distance(DType type, double a, double b) {
  const DTypeInfo *t = &dtype_table[type];
  uint64_t x = encode_float(type, a), y = encode_float(type, b);
  a = decode_float(type, x);
  b = decode_float(type, y);
  if (a != a && b != b) return 0;
  if (!isfinite(a) || !isfinite(b)) return a == b ? 0 : UINT64_MAX;
  uint64_t mask = low_mask(magnitude_bits(t));
  uint64_t p = x & mask, q = y & mask;
  if ((x ^ y) & sign_bit(t)) return p + q;
  return p > q ? p - q : q - p;
}

const DTypeInfo *dtype_info(DType type) { return &dtype_table[type]; }

DType dtype_parse(const char *s, size_t n) {
  for (int type = 1; type < DT_COUNT; type++)
    if (dtype_table[type].kind != KIND_COMPLEX && strlen(dtype_table[type].name) == n &&
        memcmp(dtype_table[type].name, s, n) == 0)
      return (DType)type;
  return DT_none_;
}

DType dtype_complex_of(DType real) {
  return real == DT_f32 ? DT_c64 : real == DT_f64 ? DT_c128 : DT_none_;
}

DType dtype_real_of(DType type) {
  return type == DT_c64 ? DT_f32 : type == DT_c128 ? DT_f64 : type;
}

uint64_t dtype_bits(DType type, Scalar part) {
  const DTypeInfo *t = &dtype_table[type];
  switch ((DTypeKind)t->kind) {
  case KIND_BOOL: return part.i != 0;
  case KIND_SINT:
  case KIND_UINT: return part.u & low_mask(t->width);
  case KIND_FLOAT:
  case KIND_COMPLEX: return encode_float(type, part.f);
  case KIND_OTHER: break;
  }
  return 0;
}

uint64_t dtype_encode_parts(DType type, bool negative, uint64_t significand, int exponent) {
  return encode_parts(&dtype_table[type], negative, significand, exponent);
}

Scalar dtype_from_bits(DType type, uint64_t bits) {
  const DTypeInfo *t = &dtype_table[type];
  switch ((DTypeKind)t->kind) {
  case KIND_BOOL: return scalar_i(bits & 1);
  case KIND_SINT: return scalar_i(sign_extend(bits, t->width));
  case KIND_UINT: return scalar_u(bits & low_mask(t->width));
  case KIND_FLOAT:
  case KIND_COMPLEX: return scalar_f(decode_float(type, bits));
  case KIND_OTHER: break;
  }
  return scalar_i(0);
}

Scalar dtype_round(DType type, Scalar value) {
  Scalar out = dtype_from_bits(type, dtype_bits(type, value));
  if (dtype_table[type].kind == KIND_COMPLEX)
    out.im = decode_float(type, encode_float(type, value.im));
  return out;
}

Scalar dtype_load(DType type, const void *data, int64_t index) {
  const DTypeInfo *t = &dtype_table[type];
  if (t->kind == KIND_OTHER) return scalar_i(0);
  if (t->kind == KIND_COMPLEX) {
    int half = t->bytes / 2;
    return scalar_c(decode_float(type, load_bits(data, 2 * index, half)),
                    decode_float(type, load_bits(data, 2 * index + 1, half)));
  }
  return dtype_from_bits(type, load_bits(data, index, t->bytes));
}

void dtype_store(DType type, void *data, int64_t index, Scalar value) {
  const DTypeInfo *t = &dtype_table[type];
  if (t->kind == KIND_OTHER) return;
  if (t->kind == KIND_COMPLEX) {
    int half = t->bytes / 2;
    store_bits(data, 2 * index, half, encode_float(type, value.f));
    store_bits(data, 2 * index + 1, half, encode_float(type, value.im));
    return;
  }
  store_bits(data, index, t->bytes, dtype_bits(type, value));
}

void dtype_load_f64s(DType type, const void *data, int64_t first, int64_t n, double *out_values) {
  int bytes = dtype_table[type].bytes;
  if (dtype_table[type].kind == KIND_COMPLEX) {
    type = dtype_real_of(type);
    bytes /= 2;
    first *= 2;
    n *= 2;
  }
  if (type == DT_f64) {
    if (n > 0)
      memcpy(out_values, (const char *)data + first * bytes, (size_t)n * sizeof *out_values);
  } else if (type == DT_f32) {
    for (int64_t i = 0; i < n; i++)
      out_values[i] = decode_f32((uint32_t)load_bits(data, first + i, 4));
  } else {
    for (int64_t i = 0; i < n; i++)
      out_values[i] = decode_float(type, load_bits(data, first + i, bytes));
  }
}

void dtype_store_f64s(DType type, void *data, int64_t first, int64_t n, const double *values) {
  int bytes = dtype_table[type].bytes;
  if (dtype_table[type].kind == KIND_COMPLEX) {
    type = dtype_real_of(type);
    bytes /= 2;
    first *= 2;
    n *= 2;
  }
  if (type == DT_f64) {
    if (n > 0) memcpy((char *)data + first * bytes, values, (size_t)n * sizeof *values);
  } else if (type == DT_f32) {
    for (int64_t i = 0; i < n; i++) store_bits(data, first + i, 4, encode_f32(values[i]));
  } else {
    for (int64_t i = 0; i < n; i++)
      store_bits(data, first + i, bytes, encode_float(type, values[i]));
  }
}

Scalar dtype_convert(DType from, DType to, Scalar value) {
  Scalar out = scalar_i(0);
  switch ((DTypeKind)dtype_table[from].kind) {
  case KIND_BOOL: out = integer_to(to, false, value.i != 0); break;
  case KIND_SINT: out = integer_to(to, value.i < 0, value.u); break;
  case KIND_UINT: out = integer_to(to, false, value.u); break;
  case KIND_FLOAT: out = float_to(to, value.f); break;
  case KIND_COMPLEX:
    out = float_to(to, value.f);
    if (dtype_table[to].kind == KIND_COMPLEX) out.im = decode_float(to, encode_float(to, value.im));
    break;
  case KIND_OTHER: break;
  }
  return out;
}

bool dtype_has_infinity(DType type) { return dtype_table[type].style == FLOAT_IEEE; }

Scalar dtype_max_finite(DType type) {
  const DTypeInfo *t = &dtype_table[type];
  switch ((DTypeKind)t->kind) {
  case KIND_BOOL: return scalar_i(1);
  case KIND_SINT: return scalar_i((int64_t)low_mask(t->width - 1));
  case KIND_UINT: return scalar_u(low_mask(t->width));
  case KIND_FLOAT:
  case KIND_COMPLEX: return scalar_f(decode_float(type, max_finite_code(t)));
  case KIND_OTHER: break;
  }
  return scalar_i(0);
}

Scalar dtype_lowest(DType type) {
  const DTypeInfo *t = &dtype_table[type];
  switch ((DTypeKind)t->kind) {
  case KIND_SINT: return scalar_i(-(int64_t)low_mask(t->width - 1) - 1);
  case KIND_FLOAT:
  case KIND_COMPLEX:
    return scalar_f(
        decode_float(type, t->style == FLOAT_E8M0 ? 0 : sign_bit(t) | max_finite_code(t)));
  case KIND_BOOL:
  case KIND_UINT:
  case KIND_OTHER: break;
  }
  return scalar_i(0);
}

Scalar dtype_max(DType type) {
  return dtype_has_infinity(type) ? scalar_f((double)INFINITY) : dtype_max_finite(type);
}

Scalar dtype_min(DType type) {
  return dtype_has_infinity(type) ? scalar_f(-(double)INFINITY) : dtype_lowest(type);
}

uint64_t dtype_ulp_distance(DType type, Scalar a, Scalar b) {
  switch ((DTypeKind)dtype_table[type].kind) {
  case KIND_BOOL: return (a.i != 0) != (b.i != 0);
  case KIND_SINT: return a.i > b.i ? a.u - b.u : b.u - a.u;
  case KIND_UINT: return a.u > b.u ? a.u - b.u : b.u - a.u;
  case KIND_FLOAT: return part_ulp_distance(type, a.f, b.f);
  case KIND_COMPLEX: {
    uint64_t re = part_ulp_distance(type, a.f, b.f);
    uint64_t im = part_ulp_distance(type, a.im, b.im);
    return re > im ? re : im;
  }
  case KIND_OTHER: break;
  }
  return 0;
}

Scalar dtype_next_after(DType type, Scalar from, Scalar to) {
  const DTypeInfo *t = &dtype_table[type];
  if (from.f != from.f) return from;
  if (to.f != to.f || from.f == to.f) return to;
  uint64_t code = encode_float(type, from.f);
  uint64_t sign = code & sign_bit(t);
  uint64_t magnitude = code & low_mask(magnitude_bits(t));
  // One step is one bit pattern: away from zero + 1, towards zero - 1.
  bool outward = from.f < to.f ? !sign : sign != 0;
  if (from.f == 0)
    code = 1 | (to.f < 0 ? sign_bit(t) : 0);
  else if (outward)
    code = magnitude == max_finite_code(t) ? overflow_code(t, sign != 0) : code + 1;
  else
    code = magnitude == 1 && t->style == FLOAT_FNUZ ? 0 : code - 1;
  return scalar_f(decode_float(type, code));
}
