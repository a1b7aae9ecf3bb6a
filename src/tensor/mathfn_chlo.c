// CHLO functions by the formulas that define them in XLA. Every step is rounded to f32 or f64.
//
// cosh and sinh: e^(x + log 1/2) +- e^(-x + log 1/2). erf in f32: a rational approximation on [-4,
// 4]; erfc in f32: the polynomials of Cephes (Moshier). erf_inv: Giles, "Approximating the erfinv
// function", GPU Computing Gems, 2011. lgamma and digamma: Lanczos, "A precision approximation of
// the gamma function", SIAM J. Numer. Anal. B 1, 1964, with g = 7 and nine terms, and Euler's
// reflection below 1/2. All sums are of fixed length.
#include "tensor/mathfn_chlo.h"

#include "tensor/mathfn.h"
#include "tensor/mathfn_special.h"

#include <math.h>

#define COUNT(a) ((int)(sizeof(a) / sizeof *(a)))

static const double PI = 3.14159265358979323846;
static const double LOG_HALF = -0.69314718055994530942;

// Rounds a value to f32, or to f64 if the type is that wide. Applied to a sum, product, quotient or
// square root of f32 values, it gives the correctly rounded result: a double has more than twice
// the bits of an f32.
static double fit(DType type, double x) {
  return type == DT_f64 || type == DT_c128 ? x : (double)(float)x;
}

// Horner's rule from the highest coefficient down.
static double polynomial(DType type, double x, const double *coefficients, int n) {
  double p = fit(type, coefficients[0]);
  for (int i = 1; i < n; i++) p = fit(type, fit(type, p * x) + fit(type, coefficients[i]));
  return p;
}

static double clamp(double x, double low, double high) {
  return x != x ? x : x < low ? low : x > high ? high : x;
}

static const double lanczos_g = 7;
static const double lanczos_base = 0.99999999999980993227684700473478;
static const double lanczos[] = {
    676.520368121885098567009190444019, -1259.13921672240287047156078755283,
    771.3234287776530788486528258894,   -176.61502916214059906584551354,
    12.507343278686904814458936853,     -0.13857109526572011689554707,
    9.984369578019570859563e-6,         1.50563273514931155834e-7,
};

// log(z + g + 1/2) as log(g + 1/2) + log1p(z / (g + 1/2))
static double lanczos_log_t(DType type, double z) {
  double ratio = fit(type, z / (lanczos_g + 0.5));
  return fit(type, fit(type, log(lanczos_g + 0.5)) + fit(type, fn_log1p(ratio)));
}

// The exponential halves of cosh and sinh.
static double half_exp(DType type, double x) {
  return fit(type, exp(fit(type, x + fit(type, LOG_HALF))));
}

static Cplx complex_half_exp(DType type, Cplx z) {
  Cplx w = cplx_exp((Cplx){fit(type, z.re + fit(type, LOG_HALF)), z.im});
  return (Cplx){fit(type, w.re), fit(type, w.im)};
}

// erfc for |x| >= 1 in f32
static double erfc_tail_f32(double x) {
  static const double below_two[] = {
      +2.326819970068386E-2, -1.387039388740657E-1, +3.687424674597105E-1,
      -5.824733027278666E-1, +6.210004621745983E-1, -4.944515323274145E-1,
      +3.404879937665872E-1, -2.741127028184656E-1, +5.638259427386472E-1,
  };
  static const double from_two[] = {
      -1.047766399936249E+1, +1.297719955372516E+1, -7.495518717768503E+0, +2.921019019210786E+0,
      -1.015265279202700E+0, +4.218463358204948E-1, -2.820767439740514E-1, +5.641895067754075E-1,
  };
  const DType t = DT_f32;
  double a = fabs(x), square = fit(t, x * x), inverse = fit(t, 1 / square);
  double scale = fit(t, fit(t, exp(-square)) * fit(t, 1 / a));
  double p = a < 2 ? polynomial(t, inverse, below_two, COUNT(below_two))
                   : polynomial(t, inverse, from_two, COUNT(from_two));
  double tail = -square < fit(t, -88.72283905206835) ? 0 : fit(t, scale * p);
  return x < 0 ? fit(t, 2 - tail) : tail;
}

double chlo_cosh(DType type, double x) { return fit(type, half_exp(type, x) + half_exp(type, -x)); }

double chlo_sinh(DType type, double x) {
  if (!(fabs(x) < 1)) return fit(type, half_exp(type, x) - half_exp(type, -x));
  double e = fit(type, fn_expm1(x));
  double ratio = fit(type, e / fit(type, e + 1));
  return fit(type, 0.5 * fit(type, e + ratio));
}

Cplx chlo_complex_cosh(DType type, Cplx z) {
  Cplx a = complex_half_exp(type, z), b = complex_half_exp(type, cplx_negate(z));
  return (Cplx){fit(type, a.re + b.re), fit(type, a.im + b.im)};
}

Cplx chlo_complex_sinh(DType type, Cplx z) {
  Cplx a = complex_half_exp(type, z), b = complex_half_exp(type, cplx_negate(z));
  return (Cplx){fit(type, a.re - b.re), fit(type, a.im - b.im)};
}

// In f64, XLA's definition is within 2 ULP of the true value.
double chlo_erf(DType type, double x) {
  static const double alpha[] = {
      -2.72614225801306e-10, 2.77068142495902e-08,  -2.10102402082508e-06, -5.69250639462346e-05,
      -7.34990630326855e-04, -2.95459980854025e-03, -1.60960333262415e-02,
  };
  static const double beta[] = {
      -1.45660718464996e-05, -2.13374055278905e-04, -1.68282697438203e-03,
      -7.37332916720468e-03, -1.42647390514189e-02,
  };
  if (type == DT_f64) return fn_erf(x);
  x = clamp(x, -4, 4);
  double square = fit(type, x * x);
  double top = fit(type, x * polynomial(type, square, alpha, COUNT(alpha)));
  return clamp(fit(type, top / polynomial(type, square, beta, COUNT(beta))), -1, 1);
}

double chlo_erfc(DType type, double x) {
  static const double middle[] = {
      +7.853861353153693E-5, -8.010193625184903E-4, +5.188327685732524E-3, -2.685381193529856E-2,
      +1.128358514861418E-1, -3.761262582423300E-1, +1.128379165726710E+0,
  };
  if (type == DT_f64) return fn_erfc(x);
  if (!(fabs(x) < 1)) return erfc_tail_f32(x);
  return fit(type, 1 - fit(type, x * polynomial(type, fit(type, x * x), middle, COUNT(middle))));
}

static double erf_inv_f32(double x, double w) {
  static const double central[] = {
      2.81022636e-08, 3.43273939e-07, -3.5233877e-06, -4.39150654e-06, 0.00021858087,
      -0.00125372503, -0.00417768164, 0.246640727,    1.50140941,
  };
  static const double tail[] = {
      -0.000200214257, 0.000100950558, 0.00134934322, -0.00367342844, 0.00573950773,
      -0.0076224613,   0.00943887047,  1.00167406,    2.83297682,
  };
  const DType t = DT_f32;
  double p = w < 5 ? polynomial(t, fit(t, w - 2.5), central, COUNT(central))
                   : polynomial(t, fit(t, fit(t, sqrt(w)) - 3), tail, COUNT(tail));
  return fit(t, p * x);
}

static double erf_inv_f64(double x, double w) {
  static const double central[] = {
      -3.6444120640178196996e-21, -1.685059138182016589e-19,  1.2858480715256400167e-18,
      1.115787767802518096e-17,   -1.333171662854620906e-16,  2.0972767875968561637e-17,
      6.6376381343583238325e-15,  -4.0545662729752068639e-14, -8.1519341976054721522e-14,
      2.6335093153082322977e-12,  -1.2975133253453532498e-11, -5.4154120542946279317e-11,
      1.051212273321532285e-09,   -4.1126339803469836976e-09, -2.9070369957882005086e-08,
      4.2347877827932403518e-07,  -1.3654692000834678645e-06, -1.3882523362786468719e-05,
      0.0001867342080340571352,   -0.00074070253416626697512, -0.0060336708714301490533,
      0.24015818242558961693,     1.6536545626831027356,
  };
  static const double middle[] = {
      2.2137376921775787049e-09, 9.0756561938885390979e-08, -2.7517406297064545428e-07,
      1.8239629214389227755e-08, 1.5027403968909827627e-06, -4.013867526981545969e-06,
      2.9234449089955446044e-06, 1.2475304481671778723e-05, -4.7318229009055733981e-05,
      6.8284851459573175448e-05, 2.4031110387097893999e-05, -0.0003550375203628474796,
      0.00095328937973738049703, -0.0016882755560235047313, 0.0024914420961078508066,
      -0.0037512085075692412107, 0.005370914553590063617,   1.0052589676941592334,
      3.0838856104922207635,
  };
  static const double tail[] = {
      -2.7109920616438573243e-11, -2.5556418169965252055e-10, 1.5076572693500548083e-09,
      -3.7894654401267369937e-09, 7.6157012080783393804e-09,  -1.4960026627149240478e-08,
      2.9147953450901080826e-08,  -6.7711997758452339498e-08, 2.2900482228026654717e-07,
      -9.9298272942317002539e-07, 4.5260625972231537039e-06,  -1.9681778105531670567e-05,
      7.5995277030017761139e-05,  -0.00021503011930044477347, -0.00013871931833623122026,
      1.0103004648645343977,      4.8499064014085844221,
  };
  const DType t = DT_f64;
  double p = w < 6.25 ? polynomial(t, w - 3.125, central, COUNT(central))
             : w < 16 ? polynomial(t, sqrt(w) - 3.25, middle, COUNT(middle))
                      : polynomial(t, sqrt(w) - 5, tail, COUNT(tail));
  return p * x;
}

double chlo_erf_inv(DType type, double x) {
  if (fabs(x) == 1) return x * (double)INFINITY;
  double w = -fit(type, fn_log1p(-fit(type, x * x)));
  return type == DT_f64 ? erf_inv_f64(x, w) : erf_inv_f32(x, w);
}

double chlo_lgamma(DType type, double x) {
  if (isinf(x)) return (double)INFINITY;
  bool reflect = x < 0.5;
  double z = reflect ? -x : fit(type, x - 1);
  double a = fit(type, lanczos_base);
  for (int i = 0; i < COUNT(lanczos); i++)
    a = fit(type, a + fit(type, fit(type, lanczos[i]) / fit(type, z + (i + 1))));
  double t = fit(type, lanczos_g + 0.5 + z);
  double log_t = lanczos_log_t(type, z);
  // (z + 1/2) log t - t, in a form that does not overflow for large t.
  double r = fit(type, fit(type, fit(type, z + 0.5) - fit(type, t / log_t)) * log_t);
  double half_log_two_pi = fit(type, 0.91893853320467274178);
  double value = fit(type, fit(type, half_log_two_pi + r) + fit(type, log(a)));
  if (!reflect) return value;
  double magnitude = fabs(x), part = fit(type, magnitude - floor(magnitude));
  if (part > 0.5) part = fit(type, 1 - part);
  double sine = fit(type, sin(fit(type, fit(type, PI) * part)));
  double log_sine = fit(type, log(sine));
  if (!isfinite(log_sine)) return -log_sine;
  return fit(type, fit(type, fit(type, 1.14472988584940017414) - log_sine) - value);
}

double chlo_digamma(DType type, double x) {
  if (x <= 0 && x == floor(x) && !isinf(x)) return (double)NAN;
  bool reflect = x < 0.5;
  double z = reflect ? -x : fit(type, x - 1);
  double a = fit(type, lanczos_base), slope = 0;
  for (int i = 0; i < COUNT(lanczos); i++) {
    double c = fit(type, lanczos[i]), place = fit(type, z + (i + 1));
    slope = fit(type, slope - fit(type, c / fit(type, place * place)));
    a = fit(type, a + fit(type, c / place));
  }
  double t = fit(type, lanczos_g + 0.5 + z);
  double value = fit(type, lanczos_log_t(type, z) + fit(type, slope / a));
  value = fit(type, value - fit(type, lanczos_g / t));
  if (!reflect) return value;
  double near = fit(type, x + fabs(floor(fit(type, x + 0.5))));
  double pi = fit(type, PI), angle = fit(type, pi * near);
  double cotangent = fit(type, fit(type, pi * fit(type, cos(angle))) / fit(type, sin(angle)));
  return fit(type, value - cotangent);
}
