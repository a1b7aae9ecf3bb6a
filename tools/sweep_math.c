// sweep_math [STEP [NAME]]: the largest error of each f32 function of fused loops, in ULP, over
// every STEP-th of all 2^32 inputs (default 1: all of them), against the C library in double. Fails
// above 2 ULP, or if NaN, infinity or the sign of zero differ.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tensor/loop.h"

typedef struct Function {
  const char *name;
  ScalarOp op;
  double (*exact)(double);
} Function;

static double rsqrt(double x) { return 1 / sqrt(x); }
static double logistic(double x) { return 1 / (1 + exp(-x)); }

static const Function functions[] = {
    {"exp", SCALAR_exp, exp},
    {"expm1", SCALAR_expm1, expm1},
    {"log", SCALAR_log, log},
    {"log1p", SCALAR_log1p, log1p},
    {"tanh", SCALAR_tanh, tanh},
    {"logistic", SCALAR_logistic, logistic},
    {"rsqrt", SCALAR_rsqrt, rsqrt},
    {"sqrt", SCALAR_sqrt, sqrt},
    {"cbrt", SCALAR_cbrt, cbrt},
    {"sin", SCALAR_sin, sin},
    {"cos", SCALAR_cos, cos},
    {"tan", SCALAR_tan, tan},
    {"asin", SCALAR_asin, asin},
    {"acos", SCALAR_acos, acos},
    {"atan", SCALAR_atan, atan},
    {"sinh", SCALAR_sinh, sinh},
    {"cosh", SCALAR_cosh, cosh},
    {"asinh", SCALAR_asinh, asinh},
    {"acosh", SCALAR_acosh, acosh},
    {"atanh", SCALAR_atanh, atanh},
    {"erf", SCALAR_erf, erf},
    {"erfc", SCALAR_erfc, erfc},
    {"round_afz", SCALAR_round_afz, round},
};

static uint64_t error_of(float got, double exact) {
  float want = (float)exact;
  if (want == 0 && got == 0 && signbit(want) != signbit(got)) return UINT64_MAX;
  return dtype_ulp_distance(DT_f32, scalar_f(got), scalar_f(want));
}

static bool sweep(const Function *f, uint64_t step) {
  enum { N = 4096 };
  static float x[N], y[N];
  LoopLanes run = loop_lanes(f->op, DT_f32, DT_f32);
  uint64_t worst = 0;
  float at = 0;
  for (uint64_t u = 0; u < (uint64_t)1 << 32;) {
    int n = 0;
    for (; n < N && u < (uint64_t)1 << 32; n++, u += step) {
      uint32_t bits = (uint32_t)u;
      memcpy(&x[n], &bits, sizeof bits);
    }
    run(n, x, NULL, NULL, y);
    for (int i = 0; i < n; i++) {
      uint64_t error = error_of(y[i], f->exact((double)x[i]));
      if (error > worst) worst = error, at = x[i];
    }
  }
  printf("%-10s %llu ULP at %a\n", f->name, (unsigned long long)worst, (double)at);
  return worst <= 2;
}

int main(int argc, char **argv) {
  uint64_t step = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
  bool good = true;
  for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
    if (argc < 3 || strcmp(argv[2], functions[i].name) == 0)
      good &= sweep(&functions[i], step ? step : 1);
  return good ? 0 : 1;
}
