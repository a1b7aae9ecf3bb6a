// Complex numbers in long double. fft and the matrix decompositions compute in them, for real and
// complex elements alike. dense_load gives an array of them for DENSE_WIDE.
#ifndef TESSERA_TENSOR_WIDE_H
#define TESSERA_TENSOR_WIDE_H

#include <math.h>
#include <stdbool.h>

typedef struct Wide {
  long double re, im;
} Wide;

static inline Wide wide_of(long double re) { return (Wide){re, 0}; }
static inline Wide wide_add(Wide a, Wide b) { return (Wide){a.re + b.re, a.im + b.im}; }
static inline Wide wide_sub(Wide a, Wide b) { return (Wide){a.re - b.re, a.im - b.im}; }
static inline Wide wide_conj(Wide a) { return (Wide){a.re, -a.im}; }
static inline bool wide_is_real(Wide a) { return a.im == 0; }
// Real operands are a separate case: the general formula would give inf · 0 = NaN as imaginary
// part.
static inline Wide wide_mul(Wide a, Wide b) {
  if (wide_is_real(a) && wide_is_real(b)) return wide_of(a.re * b.re);
  return (Wide){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
static inline Wide wide_scale(Wide a, long double s) {
  return wide_is_real(a) ? wide_of(a.re * s) : (Wide){a.re * s, a.im * s};
}
static inline Wide wide_div(Wide a, Wide b) {
  if (wide_is_real(b))
    return wide_is_real(a) ? wide_of(a.re / b.re) : (Wide){a.re / b.re, a.im / b.re};
  // Smith's method: intermediate values overflow only if the quotient does.
  if (fabsl(b.re) >= fabsl(b.im)) {
    long double r = b.im / b.re, d = b.re + b.im * r;
    return (Wide){(a.re + a.im * r) / d, (a.im - a.re * r) / d};
  }
  long double r = b.re / b.im, d = b.re * r + b.im;
  return (Wide){(a.re * r + a.im) / d, (a.im * r - a.re) / d};
}
static inline long double wide_abs(Wide a) { return hypotl(a.re, a.im); }

#endif
