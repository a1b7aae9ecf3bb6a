// Special functions of the reals, in long double and rounded once.
//
// Each function is a textbook series where it converges fast and an asymptotic expansion elsewhere,
// connected by recurrences and reflections (Abramowitz and Stegun 6.1, 6.3, 6.4, 7.1, 9.6, 9.7,
// 23.1, 23.2). Near the zeros of lgamma at 1 and 2 and of digamma at 1.46, Taylor series keep the
// relative accuracy. The inverse error function is Halley's iteration on the C library's erf and
// erfc. lgamma is our own because the C library's writes a global variable. Every sum ends after a
// few hundred terms at most.
#include "tensor/mathfn_special.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>

typedef long double Real;

static const Real PI = 3.141592653589793238462643383279502884L;
static const Real TWO_OVER_SQRT_PI = 1.128379167095512573896158903121545172L;
static const Real HALF_LOG_TWO_PI = 0.918938533204672741780329736405617640L;
static const Real ONE_MINUS_EULER_GAMMA = 0.422784335098467139393487909917597569L;

// From this argument on, the asymptotic series reach 64 bits with the Bernoulli numbers below.
static const Real LARGE = 24;

// The Bernoulli numbers B2, B4, ... as numerator and denominator.
static const Real bernoulli[][2] = {
    {1, 6},
    {-1, 30},
    {1, 42},
    {-1, 30},
    {5, 66},
    {-691, 2730},
    {7, 6},
    {-3617, 510},
    {43867, 798},
    {-174611, 330},
    {854513, 138},
    {-236364091, 2730},
    {8553103, 6},
    {-23749461029.0L, 870},
    {8615841276005.0L, 14322},
};
enum { BERNOULLI_COUNT = sizeof bernoulli / sizeof *bernoulli };

// (zeta(k) - 1) / k for k = 2, 3, ...
static const Real zeta_minus_one_over_k[] = {
    0.32246703342411321823620758L,       0.067352301053198095133246054L,
    0.020580808427784547879000924L,      0.0073855510286739852662730973L,
    0.0028905103307415232857529883L,     0.0011927539117032609771139357L,
    0.00050966952474304242233565481L,    0.0002231547584535793797614188L,
    0.00009945751278180853371459589L,    0.000044926236738133141700207502L,
    0.000020507212775670691553166504L,   0.0000094394882752683959039874251L,
    0.0000043748667899074878041817932L,  0.0000020392157538013662367819007L,
    0.00000095514121304074198328571798L, 0.00000044924691987645660432942903L,
    0.00000021207184805554665869231359L, 0.00000010043224823968099608720831L,
    4.7698101693639805657601934e-8L,     2.2711094608943164910319981e-8L,
    1.0838659214896954091074918e-8L,     5.1834750419700466551212486e-9L,
    2.4836745438024783171850087e-9L,     1.1921401405860912074425482e-9L,
    5.7313672416788620133301949e-10L,    2.7595228851242331451781497e-10L,
    1.3304764374244489481497157e-10L,    6.4229645638381000220824481e-11L,
    3.1044247747322272762392158e-11L,    1.502138408075414217093301e-11L,
    7.2759744802390796625045499e-12L,    3.5277424765759150836150722e-12L,
    1.7119917905596179086010841e-12L,    8.3153858414202848197983578e-13L,
    4.042200525289440065536009e-13L,     1.9664756310966164904110457e-13L,
};

// The positive root of digamma in two parts.
static const Real DIGAMMA_ROOT = 0xB.B16C31AB5F1FB71p-3L;
static const Real DIGAMMA_ROOT_TAIL = -1.8257096315963484215e-20L;

// Derivatives of digamma at its positive root, over k!, for k = 1, 2, ...
static const Real digamma_taylor[] = {
    0.96767224544762117042744476L,     -0.44276316898359210609286528L,
    0.25849976095565101062440139L,     -0.16394270544240652750425129L,
    0.10782405069126236575718295L,     -0.072199561256454710926121784L,
    0.048804288164143107225092526L,    -0.033161126474847359292258398L,
    0.022597648232218104659624825L,    -0.015424765904948959138800317L,
    0.01053879161661217538812405L,     -0.0072045343863568682409704744L,
    0.0049267813957298534463542664L,   -0.0033698016554393280827928567L,
    0.0023051263267349278369383803L,   -0.001576936771430197259270935L,
    0.0010788252019162965806919178L,   -0.00073807093899600512956604739L,
    0.00050495326583460203517739818L,  -0.00034546802510630769955556797L,
    0.00023635601564027052792369602L,  -0.00016170622091974803449358306L,
    0.00011063372768747410904087163L,  -0.000075691795821950659192377087L,
    0.000051785757952220808689932678L, -0.000035430070947659606315698817L,
    0.000024240066118601317652683067L,
};

static Real bernoulli_2k(int k) { return bernoulli[k - 1][0] / bernoulli[k - 1][1]; }

// |sin(pi x)|, with the period taken out exactly.
static Real abs_sin_pi(Real x) {
  Real r = fmodl(fabsl(x), 1);
  return sinl(PI * (r > 0.5L ? 1 - r : r));
}

// pi / tan(pi x)
static Real pi_cot_pi(Real x) {
  Real r = x - floorl(x);
  return r > 0.5L ? -PI / tanl(PI * (1 - r)) : PI / tanl(PI * r);
}

// log gamma(2 + z) for |z| <= 1/2
static Real lgamma_near_two(Real z) {
  Real sum = 0, power = z;
  for (unsigned k = 0; k < sizeof zeta_minus_one_over_k / sizeof(Real); k++) {
    power *= -z;
    sum -= zeta_minus_one_over_k[k] * power;
  }
  return ONE_MINUS_EULER_GAMMA * z + sum;
}

static Real stirling(Real x) {
  Real sum = 0, power = x;
  for (int k = 1; k <= BERNOULLI_COUNT; k++) {
    sum += bernoulli_2k(k) / (2 * k * (2 * k - 1)) / power;
    power *= x * x;
  }
  return (x - 0.5L) * (logl(x) - 1) - 0.5L + HALF_LOG_TWO_PI + sum;
}

// log gamma(x) for x > 0
static Real lgamma_positive(Real x) {
  if (x < 0.5L) return lgamma_near_two(x) - log1pl(x) - logl(x);
  if (x < 1.5L) return lgamma_near_two(x - 1) - log1pl(x - 1);
  if (x >= LARGE) return stirling(x);
  Real product = 1;
  for (; x > 2.5L; product *= x) x -= 1;
  return lgamma_near_two(x - 2) + logl(product);
}

// digamma(x) for x > 0
static Real digamma_positive(Real x) {
  if (fabsl(x - DIGAMMA_ROOT) < 0.2L) {
    Real z = (x - DIGAMMA_ROOT) - DIGAMMA_ROOT_TAIL, sum = 0;
    for (int k = (int)(sizeof digamma_taylor / sizeof(Real)) - 1; k >= 0; k--)
      sum = sum * z + digamma_taylor[k];
    return sum * z;
  }
  Real shift = 0;
  for (; x < LARGE; x += 1) shift += 1 / x;
  Real sum = 0, power = 1;
  for (int k = 1; k <= BERNOULLI_COUNT; k++) {
    power /= x * x;
    sum += bernoulli_2k(k) / (2 * k) * power;
  }
  return logl(x) - 1 / (2 * x) - sum - shift;
}

// The sum over k >= 0 of (q + k)^-x for x > 1, q > 0: the first terms directly, the tail by the
// Euler-Maclaurin formula.
static Real zeta_positive(Real x, Real q) {
  Real sum = 0;
  for (; q < LARGE + x / 2; q += 1) {
    Real term = powl(q, -x);
    sum += term;
    if (term <= LDBL_EPSILON / 8 * sum) return sum;  // all later terms are smaller
  }
  Real power = powl(q, -x);
  sum += power * q / (x - 1) + power / 2;
  Real factor = x * power / q / 2;  // x (x+1) … (x+2k-2) q^(-x-2k+1) / (2k)!
  for (int k = 1; k <= BERNOULLI_COUNT; k++) {
    Real term = bernoulli_2k(k) * factor;
    sum += term;
    if (fabsl(term) < LDBL_EPSILON / 8 * sum) break;
    factor *= (x + 2 * k - 1) / (2 * k + 1) * ((x + 2 * k) / (2 * k + 2)) / (q * q);
  }
  return sum;
}

// x > 1; NaN if the sum has a negative base and x is no integer.
static Real zeta(Real x, Real q) {
  if (q > 0) return zeta_positive(x, q);
  bool integer = x == floorl(x), even = fmodl(x, 2) == 0;
  if (q == floorl(q)) return even ? (Real)INFINITY : (Real)NAN;
  if (!integer) return (Real)NAN;
  // The sum over all integers k has period 1 in q: subtract from it the terms with k < 0.
  Real sign = even ? 1 : -1, part = q - floorl(q);
  return zeta_positive(x, part) + sign * (zeta_positive(x, 1 - part) - zeta_positive(x, 1 - q));
}

// e^-x I_order(x) for x >= 0
static Real bessel_scaled(int order, Real x) {
  if (x < 40) {
    // Positive terms (x/2)^(2k + order) / (k! (k + order)!).
    Real term = order ? x / 2 : 1, sum = 0;
    for (int k = 1; k < 200; k++) {
      sum += term;
      term *= (x / 2) * (x / 2) / ((Real)k * (k + order));
      if (term < LDBL_EPSILON / 8 * sum) break;
    }
    return sum * expl(-x);
  }
  Real mu = 4 * order * order, term = 1, sum = 0;
  for (int k = 1; k < 40; k++) {
    sum += term;
    term *= -(mu - (Real)(2 * k - 1) * (2 * k - 1)) / (k * 8 * x);
  }
  return sum / sqrtl(2 * PI * x);
}

double fn_erf(double x) { return (double)erfl((Real)x); }

double fn_erfc(double x) { return (double)erfcl((Real)x); }

double fn_erf_inv(double x) {
  Real target = fabsl((Real)x);
  if (!(target < 1)) return target == 1 ? copysign((double)INFINITY, x) : (double)NAN;
  if (x == 0) return x;
  // Winitzki's formula starts within 1 %; near 1 the equation is posed for erfc, where 1 - x is
  // exact.
  Real rest = 1 - target;
  Real l = log1pl(-target) + log1pl(target), c = 2 / (PI * 0.147L) + l / 2;
  Real t = sqrtl(sqrtl(c * c - l / 0.147L) - c);
  if (target < 0.01L) t = target / TWO_OVER_SQRT_PI;
  for (int i = 0; i < 4; i++) {
    Real error = target > 0.5L ? rest - erfcl(t) : erfl(t) - target;
    Real step = error / (TWO_OVER_SQRT_PI * expl(-t * t));
    t -= step / (1 + t * step);
  }
  return (double)copysignl(t, (Real)x);
}

double fn_lgamma(double x) {
  if (isnan(x)) return x;
  if (isinf(x) || (x <= 0 && x == floor(x))) return (double)INFINITY;
  if (x > 0) return (double)lgamma_positive((Real)x);
  Real a = -(Real)x;
  return (double)(logl(PI / (a * abs_sin_pi(a))) - lgamma_positive(a));
}

double fn_digamma(double x) {
  if (isnan(x) || (isinf(x) && x > 0)) return x;
  if (isinf(x) || (x <= 0 && x == floor(x))) return (double)NAN;
  if (x > 0) return (double)digamma_positive((Real)x);
  return (double)(digamma_positive(1 - (Real)x) - pi_cot_pi((Real)x));
}

double fn_zeta(double x, double q) {
  if (isnan(x) || isnan(q)) return x + q;
  if (x == 1) return (double)INFINITY;
  if (x < 1) return (double)NAN;
  if (isinf(q)) return q > 0 ? 0 : (double)NAN;
  if (isinf(x)) return q > 1 ? 0 : q == 1 ? 1 : q > 0 ? (double)INFINITY : (double)NAN;
  return (double)zeta((Real)x, (Real)q);
}

double fn_polygamma(double n, double x) {
  if (isnan(n) || isnan(x)) return n + x;
  if (n < 0 || n != floor(n) || isinf(n)) return (double)NAN;
  if (n == 0) return fn_digamma(x);
  if (isinf(x)) return x > 0 ? 0 : (double)NAN;
  Real sign = fmod(n, 2) != 0 ? 1 : -1;
  Real factorial = expl(lgamma_positive((Real)n + 1));
  if (n <= 25) {
    factorial = 1;
    for (int i = 2; i <= (int)n; i++) factorial *= i;
  }
  return (double)(sign * factorial * zeta((Real)n + 1, (Real)x));
}

double fn_bessel_i1e(double x) {
  return (double)copysignl(bessel_scaled(1, fabsl((Real)x)), (Real)x);
}
