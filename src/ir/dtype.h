// Element types and single values of them: load, store, convert, compare, parse and print.
// Storage ("canonical", unpacked) is little endian, row-major. i1 (0 or 1) and types of at most 8
// bits take one byte per element, bits right aligned, the rest zero; tf32 is right aligned in 4
// bytes; complex is real part, imaginary part. Nothing here allocates, and nothing fails except
// where a bool is returned. All of it is thread safe.
#ifndef TESSERA_IR_DTYPE_H
#define TESSERA_IR_DTYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum DType {
  DT_none_ = 0,  // the zero value, no type
#define DTYPE(id, spelling, kind, width, bytes, exponent, mantissa, bias, style) DT_##id,
#include "ir/dtypes.def"
#undef DTYPE
  DT_COUNT
} DType;

typedef enum DTypeKind {
  KIND_BOOL,
  KIND_SINT,
  KIND_UINT,
  KIND_FLOAT,
  KIND_COMPLEX,
  KIND_OTHER
} DTypeKind;

// How a float type uses the bit patterns at the ends of its range.
typedef enum FloatStyle {
  FLOAT_NONE,    // not a float
  FLOAT_IEEE,    // infinities and NaNs in the last exponent
  FLOAT_FN,      // no infinity, NaN = all ones, overflow = NaN
  FLOAT_FNUZ,    // no infinity, no negative zero, NaN = the pattern of -0, overflow = NaN
  FLOAT_FINITE,  // neither infinity nor NaN: overflow saturates, NaN becomes zero
  FLOAT_E8M0     // powers of two only: no sign, no zero, NaN = 0xFF for everything else
} FloatStyle;

typedef struct DTypeInfo {
  const char *name;  // MLIR's spelling
  uint8_t kind;      // DTypeKind
  uint8_t style;     // FloatStyle; of the parts for complex
  uint8_t width;     // bits of a value (complex: both parts)
  uint8_t bytes;     // bytes of storage
  uint8_t exponent_bits;
  uint8_t mantissa_bits;  // without the implicit bit
  int16_t bias;
} DTypeInfo;

// One value of any type. BOOL and SINT use i, UINT u, FLOAT f, COMPLEX f and im. Integers are
// extended to 64 bits; floats of at most 32 bits are exact doubles.
typedef struct Scalar {
  union {
    int64_t i;
    uint64_t u;
    double f;
  };
  double im;
} Scalar;

// Size of the longest text of dtype_format, with its terminating zero.
enum { DTYPE_TEXT_MAX = 96 };

static inline Scalar scalar_i(int64_t i) {
  Scalar s;
  s.i = i;
  s.im = 0;
  return s;
}
static inline Scalar scalar_u(uint64_t u) {
  Scalar s;
  s.u = u;
  s.im = 0;
  return s;
}
static inline Scalar scalar_f(double f) {
  Scalar s;
  s.f = f;
  s.im = 0;
  return s;
}
static inline Scalar scalar_c(double re, double im) {
  Scalar s;
  s.f = re;
  s.im = im;
  return s;
}

// The table row of a type; DT_none_ has an empty row of kind OTHER.
const DTypeInfo *dtype_info(DType type);

static inline DTypeKind dtype_kind(DType type) { return (DTypeKind)dtype_info(type)->kind; }
static inline int dtype_bytes(DType type) { return dtype_info(type)->bytes; }
static inline int dtype_width(DType type) { return dtype_info(type)->width; }
static inline bool dtype_is_float(DType type) { return dtype_kind(type) == KIND_FLOAT; }
static inline bool dtype_is_complex(DType type) { return dtype_kind(type) == KIND_COMPLEX; }
// Whether the type has a neutral element of sums; powers of two (E8M0) have none.
static inline bool dtype_has_zero(DType type) { return type != DT_f8E8M0FNU; }
// Signed or unsigned integers, without i1.
static inline bool dtype_is_integer(DType type) {
  return dtype_kind(type) == KIND_SINT || dtype_kind(type) == KIND_UINT;
}
static inline bool dtype_is_signed(DType type) {
  return dtype_kind(type) != KIND_UINT && dtype_kind(type) != KIND_BOOL;
}

// The type named s[0..n); DT_none_ if there is none. The reader composes `complex<..>` with
// dtype_complex_of.
DType dtype_parse(const char *s, size_t n);
// f32 -> c64, f64 -> c128, else DT_none_.
DType dtype_complex_of(DType real);
// c64 -> f32, c128 -> f64, any other type itself.
DType dtype_real_of(DType type);

// The element at `index` of canonical storage; it need not be aligned.
Scalar dtype_load(DType type, const void *data, int64_t index);
// Stores a value. Integers wrap to the width; floats are rounded once to nearest even, and overflow
// follows the type's style. i1 stores i != 0.
void dtype_store(DType type, void *data, int64_t index, Scalar value);
// Loads n elements from `first` on, of a float or complex type, as doubles (complex: 2n,
// interleaved). O(n).
void dtype_load_f64s(DType type, const void *data, int64_t first, int64_t n, double *out_values);
void dtype_store_f64s(DType type, void *data, int64_t first, int64_t n, const double *values);

// The bit pattern (right aligned in `width` bits) that a store writes, and its inverse. For complex
// types: of one part, in f.
uint64_t dtype_bits(DType type, Scalar part);
Scalar dtype_from_bits(DType type, uint64_t bits);
// The value rounded to the type: a store followed by a load.
Scalar dtype_round(DType type, Scalar value);

// Rounds (-1)^negative * significand * 2^(exponent - 63) to the float type and returns its bits.
// Bit 63 of the significand must be set; bit 0 is sticky: it stands for any nonzero lower bits.
uint64_t dtype_encode_parts(DType type, bool negative, uint64_t significand, int exponent);

// StableHLO `convert`. To i1: not equal zero. Integer to integer wraps; integer to float rounds
// once; float to integer truncates, saturates, and takes NaN to 0; complex to real drops the
// imaginary part.
Scalar dtype_convert(DType from, DType to, Scalar value);

// Limits as values of the type (complex: of its parts).
bool dtype_has_infinity(DType type);
Scalar dtype_max_finite(DType type);  // largest integer or finite float
Scalar dtype_lowest(DType type);      // smallest integer or most negative finite float

// The identities of min and max reductions: infinity if the type has one, else the finite limit.
Scalar dtype_max(DType type);
Scalar dtype_min(DType type);

// Number of floats between a and b, both rounded to the type first. 0 for equal values, -0 and +0,
// and two NaNs; UINT64_MAX if exactly one is not finite, or both are and differ. Distances add
// across zero. Complex: the larger of both parts. Integers: the absolute difference.
uint64_t dtype_ulp_distance(DType type, Scalar a, Scalar b);

// The next value of a float type from `from` towards `to`, like C's nextafter.
Scalar dtype_next_after(DType type, Scalar from, Scalar to);

// The text of an element as in MLIR's `dense<..>`. Writes at most cap bytes with a terminating zero
// and returns the length needed without it (at most DTYPE_TEXT_MAX - 1).
size_t dtype_format(DType type, Scalar value, char *buf, size_t cap);

// Parses s[0..n) as one number of a non-complex type, as MLIR does. Floats: decimals with a point,
// or a hex bit pattern of at most the type's width; `1` is no float. Integers: an optional minus
// sign and decimal or hex digits within range (signless iN also up to 2^N - 1). i1: true and false,
// and 0, 1 and -1. Locale independent. Decimals are parsed as correctly rounded doubles, then
// rounded to the type. Returns false, with *out_value unchanged, for any other text.
bool dtype_parse_number(DType type, const char *s, size_t n, Scalar *out_value);

// Parses s[0..n) as `[-]digits[.digits][(e|E)[+-]digits]`, correctly rounded. False if malformed.
bool dtype_parse_double(const char *s, size_t n, double *out_value);

#endif
