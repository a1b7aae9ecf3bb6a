// Problem: print and parse numbers exactly as MLIR does, independent of the locale.
// Idea, printing (as APFloat and MLIR's printer do, digit for digit): six significant digits in
// scientific form if they parse to the same value; else enough digits to tell any two values of the
// type apart (2 + precision * 59/196), rounded half up; else (not finite, or without a point) the
// bits in hex.
// Idea, parsing: short decimals by one multiplication or division of exactly represented numbers
// (Clinger, "How to read floating point numbers accurately", PLDI 1990), 19-digit ones the same way
// in extended precision, the rest by integers of a few thousand bits.
// Invariant: parsing is correctly rounded.
// Cost: O(n) on the text, and at most some ten thousand word operations.
#include "ir/dtype.h"

#include <float.h>
#include <math.h>
#include <string.h>

// Enough for the 800 digits kept of a decimal over 10^1150, with 66 bits to spare.
enum { BIG_WORDS = 136, KEPT_DIGITS = 800 };

// Nonnegative integer, little-endian words; words[count - 1] != 0 unless count == 0.
typedef struct Big {
  int count;
  uint32_t words[BIG_WORDS];
} Big;

// A decimal number: 0.d1d2d3… * 10^point. No leading zero digits.
typedef struct Decimal {
  bool negative;
  int count;
  int64_t point;
  uint8_t digits[KEPT_DIGITS + 1];
} Decimal;

typedef struct Text {
  size_t length;
  char chars[DTYPE_TEXT_MAX];
} Text;

static void big_from_u64(Big *b, uint64_t u) {
  b->words[0] = (uint32_t)u;
  b->words[1] = (uint32_t)(u >> 32);
  b->count = b->words[1] ? 2 : b->words[0] ? 1 : 0;
}

// b = b * factor + addend
static void big_multiply_add(Big *b, uint32_t factor, uint32_t addend) {
  uint64_t carry = addend;
  for (int i = 0; i < b->count; i++) {
    carry += (uint64_t)b->words[i] * factor;
    b->words[i] = (uint32_t)carry;
    carry >>= 32;
  }
  if (carry) b->words[b->count++] = (uint32_t)carry;
}

// b = b * base^exponent, for base 5 or 10
static void big_multiply_pow(Big *b, uint32_t base, int64_t exponent) {
  uint32_t step = 1;
  for (int i = 0; i < 9; i++) step *= base;
  for (; exponent >= 9; exponent -= 9) big_multiply_add(b, step, 0);
  for (; exponent > 0; exponent--) big_multiply_add(b, base, 0);
}

static void big_shift_left(Big *b, int bits) {
  int words = bits / 32;
  bits %= 32;
  if (b->count == 0) return;
  if (bits) {
    uint32_t carry = 0;
    for (int i = 0; i < b->count; i++) {
      uint32_t word = b->words[i];
      b->words[i] = word << bits | carry;
      carry = word >> (32 - bits);
    }
    if (carry) b->words[b->count++] = carry;
  }
  if (words) {
    memmove(b->words + words, b->words, (size_t)b->count * sizeof *b->words);
    memset(b->words, 0, (size_t)words * sizeof *b->words);
    b->count += words;
  }
}

// b = b / divisor; returns the remainder.
static uint32_t big_divide_small(Big *b, uint32_t divisor) {
  uint64_t rest = 0;
  for (int i = b->count - 1; i >= 0; i--) {
    rest = rest << 32 | b->words[i];
    b->words[i] = (uint32_t)(rest / divisor);
    rest %= divisor;
  }
  while (b->count && !b->words[b->count - 1]) b->count--;
  return (uint32_t)rest;
}

static int big_bits(const Big *b) {
  return b->count ? 32 * b->count - __builtin_clz(b->words[b->count - 1]) : 0;
}

static int big_compare(const Big *a, const Big *b) {
  if (a->count != b->count) return a->count < b->count ? -1 : 1;
  for (int i = a->count - 1; i >= 0; i--)
    if (a->words[i] != b->words[i]) return a->words[i] < b->words[i] ? -1 : 1;
  return 0;
}

// a = a - b, where a >= b
static void big_subtract(Big *a, const Big *b) {
  int64_t borrow = 0;
  for (int i = 0; i < a->count; i++) {
    borrow += (int64_t)a->words[i] - (i < b->count ? b->words[i] : 0);
    a->words[i] = (uint32_t)borrow;
    borrow >>= 32;
  }
  while (a->count && !a->words[a->count - 1]) a->count--;
}

// The nonzero decimal as significand * 2^(exponent - 63) with bit 63 set; bit 0 is sticky.
static uint64_t decimal_to_parts(const Decimal *d, int *out_exponent) {
  Big number = {0}, divisor;
  for (int i = 0; i < d->count; i++) big_multiply_add(&number, 10, d->digits[i]);
  big_from_u64(&divisor, 1);
  int64_t scale = d->point - d->count;
  if (scale >= 0)
    big_multiply_pow(&number, 10, scale);
  else
    big_multiply_pow(&divisor, 10, -scale);
  // Scale the quotient to [1, 2), then take its bits one at a time.
  int shift = big_bits(&number) - big_bits(&divisor);
  if (shift < 0)
    big_shift_left(&number, -shift);
  else
    big_shift_left(&divisor, shift);
  if (big_compare(&number, &divisor) < 0) {
    big_shift_left(&number, 1);
    shift--;
  }
  // Long division, one bit per iteration.
  uint64_t significand = 0;
  for (int i = 0; i < 64; i++) {
    significand <<= 1;
    if (big_compare(&number, &divisor) >= 0) {
      big_subtract(&number, &divisor);
      significand |= 1;
    }
    big_shift_left(&number, 1);
  }
  *out_exponent = shift;
  return significand | (number.count != 0);
}

// The decimal rounded once to the type; returns its bits.
static uint64_t decimal_to_bits(DType type, const Decimal *d) {
  int exponent;
  if (d->count == 0 || d->point < -400) return dtype_bits(type, scalar_f(d->negative ? -0.0 : 0.0));
  if (d->point > 400)
    return dtype_bits(type, scalar_f(d->negative ? -(double)INFINITY : (double)INFINITY));
  uint64_t significand = decimal_to_parts(d, &exponent);
  return dtype_encode_parts(type, d->negative, significand, exponent);
}

// Parses `[-]digits[.digits][e[+-]digits]`. Digits beyond the kept ones become one last nonzero
// digit, which decides every rounding as they would. *out_has_point: the text has a point.
static bool decimal_read(const char *s, size_t n, Decimal *d, bool *out_has_point) {
  const char *end = s + n;
  bool any = false, rest = false;
  d->count = 0;
  d->point = 0;
  d->negative = s < end && *s == '-';
  s += d->negative;
  *out_has_point = false;
  for (; s < end; s++) {
    if (*s == '.' && !*out_has_point) {
      *out_has_point = true;
      continue;
    }
    if (*s < '0' || *s > '9') break;
    any = true;
    if (d->count == 0 && *s == '0') {
      d->point -= *out_has_point;
      continue;
    }
    if (d->count < KEPT_DIGITS)
      d->digits[d->count++] = (uint8_t)(*s - '0');
    else
      rest |= *s != '0';
    d->point += !*out_has_point;
  }
  if (!any) return false;
  if (rest) d->digits[d->count++] = 1;
  if (s == end) return true;
  if (*s != 'e' && *s != 'E') return false;
  s++;
  bool minus = s < end && *s == '-';
  s += s < end && (*s == '-' || *s == '+');
  if (s == end) return false;
  int64_t exponent = 0;
  for (; s < end; s++) {
    if (*s < '0' || *s > '9') return false;
    if (exponent < (int64_t)1 << 40) exponent = exponent * 10 + (*s - '0');
  }
  d->point += minus ? -exponent : exponent;
  return true;
}

static const double exact_tens[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                    1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                    1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

#if LDBL_MANT_DIG == 64
static const long double exact_long_tens[] = {1e0L,  1e1L,  1e2L,  1e3L,  1e4L,  1e5L,  1e6L,
                                              1e7L,  1e8L,  1e9L,  1e10L, 1e11L, 1e12L, 1e13L,
                                              1e14L, 1e15L, 1e16L, 1e17L, 1e18L, 1e19L, 1e20L,
                                              1e21L, 1e22L, 1e23L, 1e24L, 1e25L, 1e26L, 1e27L};
#endif

// digits * 10^scale if one exact operation gives it; otherwise the caller uses big integers.
static bool double_from_short(uint64_t digits, int64_t scale, double *out_value) {
  if (digits == 0) {
    *out_value = 0;
    return true;
  }
  if (digits <= (uint64_t)1 << 53 && scale >= -22 && scale <= 22) {
    double m = (double)digits;
    *out_value = scale < 0 ? m / exact_tens[-scale] : m * exact_tens[scale];
    return true;
  }
#if LDBL_MANT_DIG == 64
  if (scale >= -27 && scale <= 27) {
    long double m = (long double)digits;
    m = scale < 0 ? m / exact_long_tens[-scale] : m * exact_long_tens[scale];
    // m is within half a unit of bit 63, so rounding it to 53 bits is right unless it looks like a
    // tie.
    int exponent;
    uint64_t bits = (uint64_t)ldexpl(frexpl(m, &exponent), 64);
    if ((bits & 0x7FF) != 0x400) {
      *out_value = (double)m;
      return true;
    }
  }
#endif
  return false;
}

// dtype_parse_double; *out_has_point as in decimal_read.
static bool double_read(const char *s, size_t n, double *out_value, bool *out_has_point) {
  uint64_t digits = 0;
  int64_t scale = 0;
  size_t i = 0, count = 0;
  bool negative = n > 0 && s[0] == '-', point = false;
  for (i = negative; i < n && count < 19; i++) {
    if (s[i] == '.' && !point) {
      point = true;
    } else if (s[i] >= '0' && s[i] <= '9') {
      digits = digits * 10 + (uint64_t)(s[i] - '0');
      count += digits != 0;
      scale -= point;
    } else {
      break;
    }
  }
  bool short_form = i > (size_t)negative + point;
  if (short_form && i < n && (s[i] == 'e' || s[i] == 'E') && n - i >= 2 && n - i <= 6) {
    bool minus = s[i + 1] == '-';
    size_t j = i + 1 + (s[i + 1] == '-' || s[i + 1] == '+');
    int64_t exponent = 0;
    short_form = j < n;
    for (; j < n && s[j] >= '0' && s[j] <= '9'; j++) exponent = exponent * 10 + (s[j] - '0');
    scale += minus ? -exponent : exponent;
    i = j;
  }
  // At most 19 digits and a small exponent: one exact operation. Otherwise big integers.
  if (short_form && i == n && double_from_short(digits, scale, out_value)) {
    *out_has_point = point;
    if (negative) *out_value = -*out_value;
    return true;
  }
  Decimal d;
  if (!decimal_read(s, n, &d, out_has_point)) return false;
  *out_value = dtype_from_bits(DT_f64, decimal_to_bits(DT_f64, &d)).f;
  return true;
}

// Decimal or 0x digits of s[0..n) as an unsigned number; false if malformed or above 2^64 - 1.
static bool unsigned_read(const char *s, size_t n, uint64_t *out_value) {
  uint64_t u = 0;
  if (n > 2 && s[0] == '0' && s[1] == 'x') {
    for (size_t i = 2; i < n; i++) {
      char c = s[i];
      int digit = c >= '0' && c <= '9'   ? c - '0'
                  : c >= 'a' && c <= 'f' ? c - 'a' + 10
                  : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                         : -1;
      if (digit < 0 || u >> 60) return false;
      u = u << 4 | (uint64_t)digit;
    }
    *out_value = u;
    return true;
  }
  if (n == 0) return false;
  for (size_t i = 0; i < n; i++) {
    unsigned digit = (unsigned)(unsigned char)s[i] - '0';
    if (digit > 9 || u > UINT64_MAX / 10 || (u == UINT64_MAX / 10 && digit > UINT64_MAX % 10))
      return false;
    u = u * 10 + digit;
  }
  *out_value = u;
  return true;
}

static bool integer_read(DType type, const char *s, size_t n, Scalar *out_value) {
  const DTypeInfo *t = dtype_info(type);
  bool negative = n > 0 && s[0] == '-';
  uint64_t u;
  if (!unsigned_read(s + negative, n - negative, &u)) return false;
  if (t->width < 64 && u >> t->width) return false;
  if (negative) {
    if (t->kind == KIND_UINT || u > (uint64_t)1 << (t->width - 1)) return false;
    u = 0 - u;
  } else if (type == DT_index && u >> 63) {
    return false;
  }
  *out_value = dtype_from_bits(type, u);
  return true;
}

static bool float_read(DType type, const char *s, size_t n, Scalar *out_value) {
  double x;
  bool has_point;
  if (n > 2 && s[0] == '0' && s[1] == 'x') {
    uint64_t bits;
    int width = dtype_info(type)->width;
    if (!unsigned_read(s, n, &bits) || (width < 64 && bits >> width)) return false;
    *out_value = dtype_from_bits(type, bits);
    return true;
  }
  if (!double_read(s, n, &x, &has_point) || !has_point) return false;
  *out_value = type == DT_f64 ? scalar_f(x) : dtype_round(type, scalar_f(x));
  return true;
}

static void text_char(Text *t, char c) { t->chars[t->length++] = c; }

static void text_string(Text *t, const char *s) {
  while (*s) text_char(t, *s++);
}

static void text_unsigned(Text *t, uint64_t u, unsigned base, int min_digits) {
  char reversed[20];
  int n = 0;
  for (; u || n < min_digits; u /= base) reversed[n++] = "0123456789ABCDEF"[u % base];
  while (n) text_char(t, reversed[--n]);
}

// The significant decimal digits of |x| (finite, nonzero), at most `precision`. As APFloat does,
// the number is first truncated to the bits that the precision needs, then its digits are rounded
// half up.
static void decimal_from_double(double x, int precision, Decimal *d) {
  int exponent;
  uint64_t significand = (uint64_t)ldexp(frexp(fabs(x), &exponent), 53);
  exponent -= 53;
  int zeros = __builtin_ctzll(significand);
  significand >>= zeros;
  exponent += zeros;
  Big number;
  big_from_u64(&number, significand);
  int scale = 0;
  if (exponent > 0) {
    // x = significand * 2^exponent as an integer times 10^scale; 2^-k is 5^k * 10^-k.
    big_shift_left(&number, exponent);
  } else {
    big_multiply_pow(&number, 5, -exponent);
    scale = exponent;
  }
  // 196/59 approximates log2(10): bits per decimal digit. Superfluous low digits are divided away.
  int bits_needed = (precision * 196 + 58) / 59;
  int removable =
      big_bits(&number) > bits_needed ? (big_bits(&number) - bits_needed) * 59 / 196 : 0;
  int removed = 0;
  for (; removable - removed >= 9; removed += 9) big_divide_small(&number, 1000000000);
  for (; removed < removable; removed++) big_divide_small(&number, 10);
  scale += removable;
  uint8_t reversed[32];  // at most precision + 1 digits, up to the rounding of the two ratios above
  int n = 0;
  while (number.count) {
    uint32_t digit = big_divide_small(&number, 10);
    if (n == 0 && digit == 0)
      scale++;
    else
      reversed[n++] = (uint8_t)digit;
  }
  int first = n > precision ? n - precision : 0;
  if (first > 0) {
    bool up = reversed[first - 1] >= 5;
    while (first < n && reversed[first] == (up ? 9 : 0)) first++;
    if (first == n) {  // 99…9 became 100…0
      reversed[--first] = 1;
      scale++;
    } else if (up) {
      reversed[first]++;
    }
  }
  d->negative = signbit(x) != 0;
  d->count = n - first;
  for (int i = 0; i < d->count; i++) d->digits[i] = reversed[n - 1 - i];
  d->point = scale + n;
}

// Prints d.dddddde+xx padded with zeros to `fraction` digits; with fraction 0, d.ddE+x with the
// digits there are.
static void text_scientific(Text *t, const Decimal *d, int fraction) {
  text_char(t, (char)('0' + d->digits[0]));
  text_char(t, '.');
  for (int i = 1; i < d->count; i++) text_char(t, (char)('0' + d->digits[i]));
  for (int i = d->count; i <= fraction; i++) text_char(t, '0');
  if (fraction == 0 && d->count == 1) text_char(t, '0');
  int64_t exponent = d->point - 1;
  text_char(t, fraction ? 'e' : 'E');
  text_char(t, exponent < 0 ? '-' : '+');
  text_unsigned(t, (uint64_t)(exponent < 0 ? -exponent : exponent), 10, fraction ? 2 : 1);
}

// Prints a decimal of at most `precision` digits in positional form if that adds at most three
// zeros, else in scientific form. Returns false, with the text unchanged, if it would have no
// point.
static bool text_default(Text *t, const Decimal *d, int precision) {
  int64_t scale = d->point - d->count;
  if (scale >= 0 && scale <= 3 && d->point <= precision) return false;
  if (d->negative) text_char(t, '-');
  if (scale >= 0 || d->point < -2) {
    text_scientific(t, d, 0);
    return true;
  }
  if (d->point <= 0) text_char(t, '0');
  for (int64_t i = 0; i < d->point; i++) text_char(t, (char)('0' + d->digits[i]));
  text_char(t, '.');
  for (int64_t i = d->point; i < 0; i++) text_char(t, '0');
  for (int64_t i = d->point > 0 ? d->point : 0; i < d->count; i++)
    text_char(t, (char)('0' + d->digits[i]));
  return true;
}

// Tries six digits, then the shortest unambiguous precision, then hex.
static void text_float(Text *t, DType type, double x) {
  uint64_t bits = dtype_bits(type, scalar_f(x));
  x = dtype_from_bits(type, bits).f;
  if (x == 0) {
    text_string(t, signbit(x) ? "-0.000000e+00" : "0.000000e+00");
    return;
  }
  if (isfinite(x)) {
    Decimal d;
    decimal_from_double(x, 6, &d);
    if (decimal_to_bits(type, &d) == bits) {
      if (d.negative) text_char(t, '-');
      text_scientific(t, &d, 6);
      return;
    }
    int precision = 2 + (dtype_info(type)->mantissa_bits + 1) * 59 / 196;
    decimal_from_double(x, precision, &d);
    if (text_default(t, &d, precision)) return;
  }
  text_string(t, "0x");
  text_unsigned(t, bits, 16, 1);
}

size_t dtype_format(DType type, Scalar value, char *buf, size_t cap) {
  Text t = {.length = 0};
  switch (dtype_kind(type)) {
  case KIND_BOOL: text_string(&t, value.i ? "true" : "false"); break;
  case KIND_SINT:
    if (value.i < 0) text_char(&t, '-');
    text_unsigned(&t, value.i < 0 ? 0 - value.u : value.u, 10, 1);
    break;
  case KIND_UINT: text_unsigned(&t, value.u, 10, 1); break;
  case KIND_FLOAT: text_float(&t, type, value.f); break;
  case KIND_COMPLEX:
    text_char(&t, '(');
    text_float(&t, type, value.f);
    text_char(&t, ',');
    text_float(&t, type, value.im);
    text_char(&t, ')');
    break;
  case KIND_OTHER: text_string(&t, dtype_info(type)->name); break;
  }
  if (cap > 0) {
    size_t n = t.length < cap ? t.length : cap - 1;
    memcpy(buf, t.chars, n);
    buf[n] = 0;
  }
  return t.length;
}

bool dtype_parse_number(DType type, const char *s, size_t n, Scalar *out_value) {
  switch (dtype_kind(type)) {
  case KIND_BOOL:
    if (n == 4 && memcmp(s, "true", 4) == 0) {
      *out_value = scalar_i(1);
      return true;
    }
    if (n == 5 && memcmp(s, "false", 5) == 0) {
      *out_value = scalar_i(0);
      return true;
    }
    return integer_read(type, s, n, out_value);
  case KIND_SINT:
  case KIND_UINT: return integer_read(type, s, n, out_value);
  case KIND_FLOAT: return float_read(type, s, n, out_value);
  case KIND_COMPLEX:
  case KIND_OTHER: break;
  }
  return false;
}

bool dtype_parse_double(const char *s, size_t n, double *out_value) {
  bool has_point;
  return double_read(s, n, out_value, &has_point);
}
