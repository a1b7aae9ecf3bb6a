// Problem: transforms of lengths that are no powers of two, and of f64.
// Idea: Stockham's algorithm with one pass per prime factor p of the length: p numbers are combined
// by the definition. All arithmetic is f64; results are rounded once.
// Cost: O(n times the sum of the prime factors) per line. Larger primes than MOST_PRIME are
// refused.
#include "execute/kernels/fft_pass.h"

#include <math.h>

enum { MOST_PRIME = 127, MOST_FACTORS = 32 };

typedef struct AnyPass {
  FftPass pass;
  uint32_t n_factors;
  int64_t factors[MOST_FACTORS];
  const double *roots;  // exp(-2 pi i k / n) for k < n, interleaved
} AnyPass;

static double number_at(const FftPass *p, const void *data, int64_t i) {
  return p->wide ? ((const double *)data)[i] : (double)((const float *)data)[i];
}
static void put_number(const FftPass *p, void *data, int64_t i, double x) {
  if (p->wide)
    ((double *)data)[i] = x;
  else
    ((float *)data)[i] = (float)x;
}

static void load_line(const FftPass *p, const void *from, int64_t line, double *x) {
  int64_t base = line / p->from_inner * p->from_outer + line % p->from_inner * p->from_across;
  for (int64_t k = 0; k < p->n; k++) {
    bool mirrored = k >= p->read;  // the conjugate of element n - k
    int64_t at = base + (mirrored ? p->n - k : k) * p->from_along;
    double re = number_at(p, from, p->real_in ? at : 2 * at);
    double im = p->real_in ? 0 : number_at(p, from, 2 * at + 1);
    if (mirrored) im = -im;
    x[2 * k] = p->exchanges ? im : re;
    x[2 * k + 1] = p->exchanges ? re : im;
  }
}

static void store_line(const FftPass *p, const double *x, int64_t line, void *to) {
  int64_t base = line / p->to_inner * p->to_outer + line % p->to_inner * p->to_across;
  for (int64_t k = 0; k < p->written; k++) {
    int64_t at = base + k * p->to_along;
    double re = x[2 * k + p->exchanges] * p->scale, im = x[2 * k + !p->exchanges] * p->scale;
    put_number(p, to, p->real_out ? at : 2 * at, re);
    if (!p->real_out) put_number(p, to, 2 * at + 1, im);
  }
}

// A pass of factor f: numbers m apart, of sequences of length f m with stride s.
static void combine(const AnyPass *a, int64_t f, int64_t m, int64_t s, const double *x, double *y) {
  int64_t n = a->pass.n;
  for (int64_t k = 0; k < m; k++)
    for (int64_t q = 0; q < s; q++)
      for (int64_t j = 0; j < f; j++) {
        double re = 0, im = 0;
        for (int64_t r = 0; r < f; r++) {
          const double *v = x + 2 * (q + s * (k + m * r)),
                       *w = a->roots + 2 * (r * j % f * (n / f));
          re += v[0] * w[0] - v[1] * w[1];
          im += v[0] * w[1] + v[1] * w[0];
        }
        const double *w = a->roots + 2 * (k * j * s % n);
        double *to = y + 2 * (q + s * (f * k + j));
        to[0] = re * w[0] - im * w[1];
        to[1] = re * w[1] + im * w[0];
      }
}

static void run_any(const Kernel *kernel, void *const *buffers, uint32_t tile, void *scratch) {
  const AnyPass *a = kernel->data;
  const FftPass *p = &a->pass;
  uint64_t first, last;
  kernel_part((uint64_t)p->lines, tile, kernel->n_tiles, &first, &last);
  for (uint64_t line = first; line < last; line++) {
    double *x = scratch, *y = x + 2 * p->n;
    load_line(p, buffers[p->from], (int64_t)line, x);
    int64_t left = p->n, s = 1;
    for (uint32_t i = 0; i < a->n_factors; i++) {
      left /= a->factors[i];
      combine(a, a->factors[i], left, s, x, y);
      s *= a->factors[i];
      double *t = x;
      x = y;
      y = t;
    }
    store_line(p, x, (int64_t)line, buffers[p->to]);
  }
}

bool fft_add_any(KernelChain *chain, const FftPass *pass) {
  AnyPass *a = ARENA_NEW(chain->arena, AnyPass);
  a->pass = *pass;
  int64_t n = pass->n, sum = 0;
  for (int64_t f = 2, left = n; left > 1; f++) {
    if (f > MOST_PRIME) return false;
    for (; left % f == 0; left /= f, sum += f) a->factors[a->n_factors++] = f;
  }
  double *roots = ARENA_ARRAY(chain->arena, double, (size_t)(2 * n));
  for (int64_t k = 0; k < n; k++) {
    long double angle = -6.283185307179586476925286766559L * (long double)k / (long double)n;
    roots[2 * k] = (double)cosl(angle);
    roots[2 * k + 1] = (double)sinl(angle);
  }
  a->roots = roots;
  double work = (double)pass->lines * (double)n * (double)(sum + 4);
  chain_add(chain, &(Kernel){.name = "fft",
                             .run = run_any,
                             .data = a,
                             .n_tiles = kernel_tiles(kernel_seconds(RATE_elements, work),
                                                     (uint64_t)pass->lines),
                             .scratch_bytes = (size_t)(4 * n) * sizeof(double)});
  return true;
}
