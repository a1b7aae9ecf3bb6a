// Functions of complex numbers.
//
// Problem: textbook formulas overflow, underflow and cancel in double.
//
// Idea: all arithmetic is long double. On x86 its 64 bits of significand absorb rounding errors,
// and its 15 bits of exponent hold every square, product and exponential of doubles. Formulas avoid
// cancellation: log and log1p form |z|^2 - 1 exactly as a sum of a few terms; the inverse sines
// follow Hull, Fairgrieve and Tang ("Implementing the complex arcsine and arccosine functions using
// exception handling", ACM TOMS 23, 1997) without their cases for extreme arguments, which the wide
// exponent makes unnecessary; tanh follows Kahan ("Branch cuts for complex elementary functions",
// 1987). Infinities and NaNs follow C99's Annex G. O(1) each.
#include "tensor/mathfn_complex.h"

#include <math.h>
#include <stdbool.h>

typedef long double Real;

typedef struct Wide {
  Real re, im;
} Wide;

static const Real PI = 3.141592653589793238462643383279502884L;
static const Real HALF_PI = 1.570796326794896619231321691639751442L;
static const Real QUARTER_PI = 0.785398163397448309615660845819875721L;

static Cplx narrow(Real re, Real im) { return (Cplx){(double)re, (double)im}; }

static Wide widen(Cplx z) { return (Wide){(Real)z.re, (Real)z.im}; }

static bool is_finite(Wide z) { return isfinite(z.re) && isfinite(z.im); }

static bool has_infinity(Wide z) { return isinf(z.re) || isinf(z.im); }

// |z|, for parts that came from doubles or are far from the limits of the exponent.
static Real modulus(Real x, Real y) {
  if (isinf(x) || isinf(y)) return (Real)INFINITY;
  return sqrtl(x * x + y * y);
}

// a * b, 0 if b is 0 even for an infinite a: the parts of e^inf (cos y + i sin y).
static Real product_zero_wins(Real a, Real b) { return b == 0 ? b : a * b; }

// Adds `term` to *sum and returns the rounding error.
static Real add_exactly(Real *sum, Real term) {
  Real a = *sum;
  Real s = a + term;
  Real t = s - a;
  *sum = s;
  return (a - (s - t)) + (term - t);
}

// a + b + c^2 + d^2 for finite arguments. The squares are exact; the sum is rounded about once.
static Real sum_with_squares(Real a, Real b, Real c, Real d) {
  Real cc = c * c, dd = d * d;
  Real terms[4] = {a, b, cc, dd};
  Real sum = 0, lost = 0, lost_again = 0;
  for (int i = 0; i < 4; i++) {
    Real error = add_exactly(&sum, terms[i]);
    lost_again += add_exactly(&lost, error);
  }
  lost_again += add_exactly(&lost, fmal(c, c, -cc));
  lost_again += add_exactly(&lost, fmal(d, d, -dd));
  lost_again += add_exactly(&sum, lost);
  return sum + lost_again;
}

static Real log_modulus(Real x, Real y) {
  if (isinf(x) || isinf(y)) return (Real)INFINITY;
  Real square = x * x + y * y;
  if (square > 0.5L && square < 3) return 0.5L * log1pl(sum_with_squares(-1, 0, x, y));
  return 0.5L * logl(square);
}

static Wide wide_exp(Wide z) {
  if (z.im == 0) return (Wide){expl(z.re), z.im};
  Real scale = expl(z.re);
  return (Wide){product_zero_wins(scale, cosl(z.im)), product_zero_wins(scale, sinl(z.im))};
}

static Wide wide_log(Wide z) { return (Wide){log_modulus(z.re, z.im), atan2l(z.im, z.re)}; }

static Wide wide_multiply(Wide a, Wide b) {
  return (Wide){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

static Wide wide_divide(Wide a, Wide b) {
  Real scale = b.re * b.re + b.im * b.im;
  Wide q = {(a.re * b.re + a.im * b.im) / scale, (a.im * b.re - a.re * b.im) / scale};
  if (!isnan(q.re) || !isnan(q.im)) return q;
  // Annex G: recover the infinities and zeros that the formula turns into NaNs.
  if (scale == 0 && (!isnan(a.re) || !isnan(a.im))) {
    Real inf = copysignl((Real)INFINITY, b.re);
    return (Wide){inf * a.re, inf * a.im};
  }
  if (has_infinity(a) && is_finite(b)) {
    Real re = copysignl(isinf(a.re) ? 1 : 0, a.re), im = copysignl(isinf(a.im) ? 1 : 0, a.im);
    return (Wide){(Real)INFINITY * (re * b.re + im * b.im),
                  (Real)INFINITY * (im * b.re - re * b.im)};
  }
  if (has_infinity(b) && is_finite(a)) {
    Real re = copysignl(isinf(b.re) ? 1 : 0, b.re), im = copysignl(isinf(b.im) ? 1 : 0, b.im);
    return (Wide){0 * (a.re * re + a.im * im), 0 * (a.im * re - a.re * im)};
  }
  return q;
}

static Wide wide_sqrt(Wide z) {
  Real x = z.re, y = z.im;
  if (x == 0 && y == 0) return (Wide){0, y};
  if (isinf(y)) return (Wide){(Real)INFINITY, y};
  if (isinf(x)) {
    Real other = isnan(y) ? y : 0;
    if (x > 0) return (Wide){x, copysignl(other, y)};
    return (Wide){other, copysignl((Real)INFINITY, y)};
  }
  Real w = sqrtl((fabsl(x) + modulus(x, y)) / 2);
  if (x >= 0) return (Wide){w, y / (2 * w)};
  return (Wide){fabsl(y) / (2 * w), copysignl(w, y)};
}

static Wide wide_tanh(Wide z) {
  Real x = z.re, y = z.im;
  // From here on the real part is 1 to the last bit and the imaginary part is below every double.
  if (fabsl(x) > 400) {
    Real sign = isfinite(y) ? sinl(2 * y) : y;
    return (Wide){copysignl(1, x), copysignl(0, sign)};
  }
  if (x == 0 && !isfinite(y)) return (Wide){x, y - y};
  if (y == 0) return (Wide){tanhl(x), y};
  Real t = tanl(y), beta = 1 + t * t, s = sinhl(x), rho = sqrtl(1 + s * s);
  Real scale = 1 + beta * s * s;
  return (Wide){beta * rho * s / scale, t / scale};
}

static Wide wide_sinh(Wide z) {
  Real x = z.re, y = z.im;
  if (y == 0) return (Wide){sinhl(x), y};
  if (x == 0) return (Wide){x, sinl(y)};
  return (Wide){sinhl(x) * cosl(y), coshl(x) * sinl(y)};
}

static Wide wide_cosh(Wide z) {
  Real x = z.re, y = z.im;
  if (y == 0) return (Wide){coshl(x), copysignl(0, x) * y};
  if (x == 0) return (Wide){cosl(y), isfinite(y) ? x * sinl(y) : 0};
  return (Wide){coshl(x) * cosl(y), sinhl(x) * sinl(y)};
}

// For z in the first quadrant: asin z = asin_re + i*log_part, acos z = acos_re - i*log_part.
typedef struct InverseSine {
  Real asin_re, acos_re, log_part;
} InverseSine;

static InverseSine inverse_sine(Real x, Real y) {
  if (isinf(y))
    return isnan(x)   ? (InverseSine){x, x, y}
           : isinf(x) ? (InverseSine){QUARTER_PI, QUARTER_PI, y}
                      : (InverseSine){0, HALF_PI, y};
  if (isinf(x)) return isnan(y) ? (InverseSine){y, y, x} : (InverseSine){HALF_PI, 0, x};
  if (isnan(x) || isnan(y)) {
    Real nan_ = x + y;
    if (x == 0) return (InverseSine){0, HALF_PI, nan_};
    return (InverseSine){nan_, nan_, nan_};
  }
  Real r = modulus(x + 1, y), s = modulus(x - 1, y);
  Real a = (r + s) / 2;
  Real b = x / a;
  Real above = y * y / (r + (x + 1));  // r - (x + 1)
  InverseSine out;
  if (b <= 0.6417L) {
    out.asin_re = asinl(b);
    out.acos_re = acosl(b);
  } else {
    // sqrt(a^2 - x^2) without cancellation.
    Real other = x <= 1 ? sqrtl((a + x) * (above + (s + (1 - x))) / 2)
                        : y * sqrtl(((a + x) / (r + (x + 1)) + (a + x) / (s + (x - 1))) / 2);
    out.asin_re = atan2l(x, other);
    out.acos_re = atan2l(other, x);
  }
  if (a <= 1.5L) {
    Real less = (x < 1 ? above + y * y / (s + (1 - x)) : above + (s + (x - 1))) / 2;  // a - 1
    out.log_part = log1pl(less + sqrtl(less * (a + 1)));
  } else {
    out.log_part = logl(a + sqrtl((a - 1) * (a + 1)));
  }
  return out;
}

static Wide wide_atanh(Wide z) {
  Real x = fabsl(z.re), y = fabsl(z.im);
  Real re, im;
  if (isinf(x) || isinf(y)) {
    re = 0;
    im = isnan(y) ? y : HALF_PI;
  } else {
    Real gap = (1 - x) * (1 - x) + y * y;
    re = x == 0 ? 0 : log1pl(4 * x / gap) / 4;
    im = y == 0 && x <= 1 ? 0 : atan2l(2 * y, (1 - x) * (1 + x) - y * y) / 2;
    if (isnan(x) && !isnan(y)) im = x;
  }
  return (Wide){copysignl(re, z.re), copysignl(im, z.im)};
}

// -i f(i z) for a wide f.
static Cplx turned(Wide (*f)(Wide), Cplx z) {
  Wide w = f((Wide){-(Real)z.im, (Real)z.re});
  return narrow(w.im, -w.re);
}

Cplx cplx_add(Cplx a, Cplx b) { return (Cplx){a.re + b.re, a.im + b.im}; }

Cplx cplx_subtract(Cplx a, Cplx b) { return (Cplx){a.re - b.re, a.im - b.im}; }

Cplx cplx_multiply(Cplx a, Cplx b) {
  Wide w = wide_multiply(widen(a), widen(b));
  return narrow(w.re, w.im);
}

Cplx cplx_divide(Cplx a, Cplx b) {
  Wide w = wide_divide(widen(a), widen(b));
  return narrow(w.re, w.im);
}

Cplx cplx_negate(Cplx z) { return (Cplx){-z.re, -z.im}; }

Cplx cplx_conj(Cplx z) { return (Cplx){z.re, -z.im}; }

Cplx cplx_square(Cplx z) {
  Real x = (Real)z.re, y = (Real)z.im;
  return narrow((x - y) * (x + y), 2 * (x * y));
}

double cplx_abs(Cplx z) { return (double)modulus((Real)z.re, (Real)z.im); }

Cplx cplx_sign(Cplx z) {
  if (z.re == 0 && z.im == 0) return z;
  Real r = modulus((Real)z.re, (Real)z.im);
  return narrow((Real)z.re / r, (Real)z.im / r);
}

Cplx cplx_exp(Cplx z) {
  Wide w = wide_exp(widen(z));
  return narrow(w.re, w.im);
}

Cplx cplx_expm1(Cplx z) {
  Real x = (Real)z.re, y = (Real)z.im;
  if (y == 0) return narrow(expm1l(x), y);
  if (!isfinite(x) || !isfinite(y)) {
    Wide w = wide_exp(widen(z));
    return narrow(w.re - 1, w.im);
  }
  Real half = sinl(y / 2);
  return narrow(expm1l(x) * cosl(y) - 2 * half * half, expl(x) * sinl(y));
}

Cplx cplx_log(Cplx z) {
  Wide w = wide_log(widen(z));
  return narrow(w.re, w.im);
}

Cplx cplx_log1p(Cplx z) {
  Real x = (Real)z.re, y = (Real)z.im;
  Real square = modulus(1 + x, y);
  Real re;
  if (square > 0.5L && square < 2)
    re = log1pl(sum_with_squares(x, x, x, y)) / 2;
  else
    re = log_modulus(1 + x, y);
  return narrow(re, atan2l(y, 1 + x));
}

Cplx cplx_logistic(Cplx z) {
  Real x = (Real)z.re, y = (Real)z.im;
  bool flip = x < 0;
  // e = exp(-z) with z in the right half plane; f(-z) = 1 - f(z) = e / (1 + e).
  Wide e = wide_exp(flip ? widen(z) : (Wide){-x, -y});
  Real half = cosl(y / 2);
  Wide scale = {isfinite(y) ? 2 * half * half + expm1l(-fabsl(x)) * cosl(y) : 1 + e.re, e.im};
  Wide w = wide_divide(flip ? e : (Wide){1, 0}, scale);
  return narrow(w.re, w.im);
}

Cplx cplx_sqrt(Cplx z) {
  Wide w = wide_sqrt(widen(z));
  return narrow(w.re, w.im);
}

Cplx cplx_rsqrt(Cplx z) {
  Wide root = wide_sqrt(widen(z));
  if (has_infinity(root)) return narrow(0, copysignl(0, -root.im));
  Real scale = modulus((Real)z.re, (Real)z.im);
  return narrow(root.re / scale, -root.im / scale);
}

Cplx cplx_cbrt(Cplx z) {
  Real r = cbrtl(modulus((Real)z.re, (Real)z.im));
  if (r == 0) return z;
  Real angle = atan2l((Real)z.im, (Real)z.re) / 3;
  return narrow(r * cosl(angle), product_zero_wins(r, sinl(angle)));
}

Cplx cplx_power(Cplx a, Cplx b) {
  if (b.re == 0 && b.im == 0) return (Cplx){1, 0};
  if (a.re == 0 && a.im == 0 && b.re > 0) return (Cplx){0, 0};
  Wide w = wide_exp(wide_multiply(widen(b), wide_log(widen(a))));
  return narrow(w.re, w.im);
}

Cplx cplx_tanh(Cplx z) {
  Wide w = wide_tanh(widen(z));
  return narrow(w.re, w.im);
}

Cplx cplx_sin(Cplx z) { return turned(wide_sinh, z); }

Cplx cplx_cos(Cplx z) {
  Wide w = wide_cosh((Wide){-(Real)z.im, (Real)z.re});
  return narrow(w.re, w.im);
}

Cplx cplx_tan(Cplx z) { return turned(wide_tanh, z); }

Cplx cplx_asin(Cplx z) {
  InverseSine s = inverse_sine(fabsl((Real)z.re), fabsl((Real)z.im));
  return narrow(copysignl(s.asin_re, (Real)z.re), copysignl(s.log_part, (Real)z.im));
}

Cplx cplx_acos(Cplx z) {
  InverseSine s = inverse_sine(fabsl((Real)z.re), fabsl((Real)z.im));
  Real re = signbit(z.re) ? PI - s.acos_re : s.acos_re;
  return narrow(re, copysignl(s.log_part, -(Real)z.im));
}

Cplx cplx_asinh(Cplx z) {
  InverseSine s = inverse_sine(fabsl((Real)z.im), fabsl((Real)z.re));
  return narrow(copysignl(s.log_part, (Real)z.re), copysignl(s.asin_re, (Real)z.im));
}

Cplx cplx_acosh(Cplx z) {
  InverseSine s = inverse_sine(fabsl((Real)z.re), fabsl((Real)z.im));
  Real im = signbit(z.re) ? PI - s.acos_re : s.acos_re;
  return narrow(s.log_part, copysignl(im, (Real)z.im));
}

Cplx cplx_atanh(Cplx z) {
  Wide w = wide_atanh(widen(z));
  return narrow(w.re, w.im);
}

Cplx cplx_atan(Cplx z) { return turned(wide_atanh, z); }

Cplx cplx_atan2(Cplx y, Cplx x) {
  Wide a = widen(x), b = widen(y);
  Wide aa = wide_multiply(a, a), bb = wide_multiply(b, b);
  Wide root = wide_sqrt((Wide){aa.re + bb.re, aa.im + bb.im});
  Wide w = wide_log(wide_divide((Wide){a.re - b.im, a.im + b.re}, root));
  return narrow(w.im, -w.re);
}
