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
    {"exp", SCALAR_exp, exp},       {"expm1", SCALAR_expm1, expm1},
    {"log", SCALAR_log, log},       {"log1p", SCALAR_log1p, log1p},
    {"tanh", SCALAR_tanh, tanh},    {"logistic", SCALAR_logistic, logistic},
    {"rsqrt", SCALAR_rsqrt, rsqrt}, {"sqrt", SCALAR_sqrt, sqrt},
    {"cbrt", SCALAR_cbrt, cbrt},    {"sin", SCALAR_sin, sin},
    {"cos", SCALAR_cos, cos},       {"tan", SCALAR_tan, tan},
    {"asin", SCALAR_asin, asin},    {"acos", SCALAR_acos, acos},
    {"atan", SCALAR_atan, atan},    {"sinh", SCALAR_sinh, sinh},

    {"asinh", SCALAR_asinh, asinh}, {"acosh", SCALAR_acosh, acosh},
    {"atanh", SCALAR_atanh, atanh}, {"erf", SCALAR_erf, erf},
    {"erfc", SCALAR_erfc, erfc},    {"round_afz", SCALAR_round_afz, round},
};

// glibc's vectors of doubles, at most 4 ULP of a double off: the reference in a tenth of the time.
#if defined(__x86_64__) && defined(__GLIBC__) && !defined(__clang__)
typedef double Wide __attribute__((vector_size(64)));
#define AVX512 __attribute__((target("avx512f")))
#define VECTOR(name)                                                                               \
  AVX512 Wide _ZGVeN8v_##name(Wide);                                                               \
  AVX512 static void vector_##name(const double *x, double *y) {                                   \
    Wide v;                                                                                        \
    memcpy(&v, x, sizeof v);                                                                       \
    v = _ZGVeN8v_##name(v);                                                                        \
    memcpy(y, &v, sizeof v);                                                                       \
  }
#define VECTORS(X)                                                                                 \
  X(exp)                                                                                           \
  X(expm1)                                                                                         \
  X(log)                                                                                           \
  X(log1p)                                                                                         \
  X(tanh)                                                                                          \
  X(cbrt)                                                                                          \
  X(sin) X(cos) X(tan) X(asin) X(acos) X(atan) X(sinh) X(asinh) X(acosh) X(atanh) X(erf) X(erfc)
VECTORS(VECTOR)

static bool reference_vectors(const Function *f, int n, const double *x, double *y) {
  if (!__builtin_cpu_supports("avx512f")) return false;
#define ROW(fn)                                                                                    \
  if (strcmp(f->name, #fn) == 0) {                                                                 \
    for (int i = 0; i < n; i += 8) vector_##fn(x + i, y + i);                                      \
    return true;                                                                                   \
  }
  VECTORS(ROW)
  return false;
}
#else
static bool reference_vectors(const Function *f, int n, const double *x, double *y) {
  (void)f, (void)n, (void)x, (void)y;
  return false;
}
#endif

// Bits as integers in the order of floats.
static int64_t ordered(float x) {
  uint32_t u;
  memcpy(&u, &x, sizeof u);
  return u >> 31 ? -(int64_t)(u & 0x7FFFFFFFu) : (int64_t)u;
}

static uint64_t error_of(float got, float want) {
  if (want != want || got != got) return want != want && got != got ? 0 : UINT64_MAX;
  if (want == 0 && got == 0 && signbit(want) != signbit(got)) return UINT64_MAX;
  int64_t d = ordered(got) - ordered(want);
  return (uint64_t)(d < 0 ? -d : d);
}

enum { N = 4096 };
typedef struct Chunk {
  int n;
  float x[N], y[N];
  double wide[N], exact[N];
} Chunk;

static void compute(const Function *f, LoopLanes run, Chunk *c) {
  run(c->n, c->x, NULL, NULL, c->y);
  for (int i = 0; i < N; i++) c->wide[i] = i < c->n ? (double)c->x[i] : 1;
  if (reference_vectors(f, c->n, c->wide, c->exact)) return;
  for (int i = 0; i < c->n; i++) c->exact[i] = f->exact(c->wide[i]);
}

static bool sweep(const Function *f, uint64_t step) {
  static Chunk c;
  LoopLanes run = loop_lanes(f->op, DT_f32, DT_f32);
  uint64_t worst = 0, counts[3] = {0};
  float at = 0;
  for (uint64_t u = 0; u < (uint64_t)1 << 32;) {
    for (c.n = 0; c.n < N && u < (uint64_t)1 << 32; c.n++, u += step) {
      uint32_t bits = (uint32_t)u;
      memcpy(&c.x[c.n], &bits, sizeof bits);
    }
    compute(f, run, &c);
    for (int i = 0; i < c.n; i++) {
      float want = (float)c.exact[i];
      if (memcmp(&want, &c.y[i], sizeof want) == 0) {
        counts[0]++;
        continue;
      }
      uint64_t error = error_of(c.y[i], want);
      counts[error < 2 ? error : 2]++;
      // The vectors of glibc may differ from the exact value where it is special: ask again.
      if (error > 2) error = error_of(c.y[i], (float)f->exact(c.wide[i]));
      if (error > worst) worst = error, at = c.x[i];
    }
  }
  printf("%-10s %llu ULP at %a; %.4f %% of results are off\n", f->name, (unsigned long long)worst,
         (double)at,
         100.0 * (double)(counts[1] + counts[2]) / (double)(counts[0] + counts[1] + counts[2]));
  fflush(stdout);
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
