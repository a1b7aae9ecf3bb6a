// Problem: transform long contiguous lines at the speed of the first-level cache.
// Idea: a line of N = 16 m complex numbers is the matrix [m, 16]. Its 16 columns are transformed
// together by Stockham's algorithm with radix 4, a column per lane. Then each row is multiplied by
// roots of unity, and 16 rows at a time are transposed and transformed across (Bailey's four steps
// inside of a vector register). Real lines of 2 N numbers are complex lines of N, with a pass that
// separates the spectra of even and odd elements. The inverse exchanges real and imaginary parts.
// Invariant: the order of operations depends on the length alone. Cost: O(N log N) per line.
#include "execute/kernels/fft_line.h"

#include <math.h>
#include <string.h>

#include "tensor/vectorize.h"

enum { LANES = 16, LEAST = 256, MOST = 1 << 16, PAD = 272 };

typedef struct Line {
  FftLines of;
  int64_t n, m;          // complex numbers of a line; n / LANES
  const float *roots;    // exp(-2 pi i k / m) for k < m, interleaved
  const float *factors;  // exp(-2 pi i j k / n): real parts [m, LANES] by k and j, then imaginary
  const float
      *halves;  // real kinds: exp(-2 pi i k / 2n) for k <= n / 2: real parts, then imaginary ones
} Line;

// ---- columns ----

typedef float Row __attribute__((vector_size(64)));
typedef float AnyRow __attribute__((vector_size(64), aligned(4)));
#define GET(from) (*(const AnyRow *)(const void *)(from))
#define PUT(to, row) (*(AnyRow *)(void *)(to) = (row))

VECTOR_BODY void radix_4_body(const float *xr, const float *xi, float *yr, float *yi,
                              const float *roots, int64_t quarter, int64_t s) {
  int64_t step = s * LANES, far = quarter * step;
  for (int64_t p = 0; p < quarter; p++) {
    const float *w1 = roots + 2 * p * s, *w2 = roots + 4 * p * s, *w3 = roots + 6 * p * s;
    float c1 = w1[0], d1 = w1[1], c2 = w2[0], d2 = w2[1], c3 = w3[0], d3 = w3[1];
    for (int64_t q = 0; q < step; q += LANES) {
      const float *r = xr + p * step + q, *i = xi + p * step + q;
      float *tr = yr + 4 * p * step + q, *ti = yi + 4 * p * step + q;
      Row ar = GET(r), br = GET(r + far), cr = GET(r + 2 * far), dr = GET(r + 3 * far);
      Row ai = GET(i), bi = GET(i + far), ci = GET(i + 2 * far), di = GET(i + 3 * far);
      Row sr = ar + cr, si = ai + ci, er = ar - cr, ei = ai - ci;
      Row ur = br + dr, ui = bi + di, vr = br - dr, vi = bi - di;
      Row fr = er + vi, fi = ei - vr, gr = sr - ur, gi = si - ui, hr = er - vi, hi = ei + vr;
      PUT(tr, sr + ur);
      PUT(ti, si + ui);
      PUT(tr + step, fr * c1 - fi * d1);
      PUT(ti + step, fr * d1 + fi * c1);
      PUT(tr + 2 * step, gr * c2 - gi * d2);
      PUT(ti + 2 * step, gr * d2 + gi * c2);
      PUT(tr + 3 * step, hr * c3 - hi * d3);
      PUT(ti + 3 * step, hr * d3 + hi * c3);
    }
  }
}
VECTOR_CLONES(radix_4,
              (const float *xr, const float *xi, float *yr, float *yi, const float *roots,
               int64_t quarter, int64_t s),
              (xr, xi, yr, yi, roots, quarter, s))

VECTOR_BODY void radix_2_body(const float *xr, const float *xi, float *yr, float *yi,
                              int64_t step) {
  for (int64_t q = 0; q < step; q += LANES) {
    Row ar = GET(xr + q), ai = GET(xi + q), br = GET(xr + q + step), bi = GET(xi + q + step);
    PUT(yr + q, ar + br);
    PUT(yi + q, ai + bi);
    PUT(yr + q + step, ar - br);
    PUT(yi + q + step, ai - bi);
  }
}
VECTOR_CLONES(radix_2, (const float *xr, const float *xi, float *yr, float *yi, int64_t step),
              (xr, xi, yr, yi, step))

// ---- rows ----

// Exchanges the off-diagonal blocks of size s of all squares of size 2 s, for s = 1, 2, 4, 8.
#define EXCHANGE(r, s, ...)                                                                        \
  for (int i = 0; i < LANES; i++) {                                                                \
    if (i & (s)) continue;                                                                         \
    Row a = r[i], b = r[i + (s)];                                                                  \
    r[i] = __builtin_shufflevector(a, b, __VA_ARGS__);                                             \
    r[i + (s)] = __builtin_shufflevector(a, b, SHIFTED(s, __VA_ARGS__));                           \
  }
#define SHIFTED(s, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p)                                 \
  a + (s), b + (s), c + (s), d + (s), e + (s), f + (s), g + (s), h + (s), i + (s), j + (s),        \
      k + (s), l + (s), m + (s), n + (s), o + (s), p + (s)

VECTOR_BODY void transpose_16(Row *r) {
  _Pragma("GCC unroll 16") EXCHANGE(r, 1, 0, 16, 2, 18, 4, 20, 6, 22, 8, 24, 10, 26, 12, 28, 14, 30)
      _Pragma("GCC unroll 16")
          EXCHANGE(r, 2, 0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29)
              _Pragma("GCC unroll 16")
                  EXCHANGE(r, 4, 0, 1, 2, 3, 16, 17, 18, 19, 8, 9, 10, 11, 24, 25, 26, 27)
                      _Pragma("GCC unroll 16")
                          EXCHANGE(r, 8, 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23)
}

// cos and sin of -2 pi k / 16.
#define C1 0.92387953251128675613f
#define S1 0.38268343236508977173f
#define C2 0.70710678118654752440f
static const float turns_re[10] = {1, C1, C2, S1, 0, -S1, -C2, -C1, -1, -C1};
static const float turns_im[10] = {0, -S1, -C2, -C1, -1, -C1, -C2, -S1, 0, S1};

VECTOR_BODY void four(Row *re, Row *im, int a, int s) {
  Row sr = re[a] + re[a + 2 * s], si = im[a] + im[a + 2 * s];
  Row er = re[a] - re[a + 2 * s], ei = im[a] - im[a + 2 * s];
  Row ur = re[a + s] + re[a + 3 * s], ui = im[a + s] + im[a + 3 * s];
  Row vr = re[a + s] - re[a + 3 * s], vi = im[a + s] - im[a + 3 * s];
  re[a] = sr + ur, im[a] = si + ui;
  re[a + s] = er + vi, im[a + s] = ei - vr;
  re[a + 2 * s] = sr - ur, im[a + 2 * s] = si - ui;
  re[a + 3 * s] = er - vi, im[a + 3 * s] = ei + vr;
}

// 16 transforms of length 16, one per lane. Result k is at 4 (k mod 4) + k / 4.
VECTOR_BODY void sixteen(Row *re, Row *im) {
  for (int j = 0; j < 4; j++) four(re, im, j, 4);
  for (int k = 1; k < 4; k++)
    for (int j = 1; j < 4; j++) {
      Row r = re[4 * k + j], i = im[4 * k + j];
      re[4 * k + j] = r * turns_re[j * k] - i * turns_im[j * k];
      im[4 * k + j] = r * turns_im[j * k] + i * turns_re[j * k];
    }
  for (int k = 0; k < 4; k++) four(re, im, 4 * k, 1);
}

// Rows of [m, 16] to the spectrum, [16, m] in order.
VECTOR_BODY void across_body(const float *restrict xr, const float *restrict xi, float *restrict yr,
                             float *restrict yi, const float *factors, int64_t m) {
  for (int64_t k = 0; k < m; k += LANES) {
    Row re[LANES], im[LANES];
    for (int i = 0; i < LANES; i++) {
      int64_t at = (k + i) * LANES;
      Row r = GET(xr + at), v = GET(xi + at), c = GET(factors + at),
          s = GET(factors + m * LANES + at);
      re[i] = r * c - v * s;
      im[i] = r * s + v * c;
    }
    transpose_16(re);
    transpose_16(im);
    sixteen(re, im);
    for (int i = 0; i < LANES; i++) {
      int at = 4 * (i % 4) + i / 4;
      PUT(yr + i * m + k, re[at]);
      PUT(yi + i * m + k, im[at]);
    }
  }
}
VECTOR_CLONES(across,
              (const float *restrict xr, const float *restrict xi, float *restrict yr,
               float *restrict yi, const float *factors, int64_t m),
              (xr, xi, yr, yi, factors, m))

// ---- loads and stores ----

VECTOR_BODY void part_body(const float *restrict from, float *restrict re, float *restrict im,
                           int64_t n) {
  for (int64_t k = 0; k < n; k++) {
    re[k] = from[2 * k];
    im[k] = from[2 * k + 1];
  }
}
VECTOR_CLONES(part, (const float *restrict from, float *restrict re, float *restrict im, int64_t n),
              (from, re, im, n))

VECTOR_BODY void join_body(const float *restrict re, const float *restrict im, float *restrict to,
                           int64_t n, float scale) {
  for (int64_t k = 0; k < n; k++) {
    to[2 * k] = re[k] * scale;
    to[2 * k + 1] = im[k] * scale;
  }
}
VECTOR_CLONES(join,
              (const float *restrict re, const float *restrict im, float *restrict to, int64_t n,
               float scale),
              (re, im, to, n, scale))

// z = a + i b for real a and b: the spectrum of the line whose even elements are a and whose odd
// ones are b. Element k and element n - k depend on both: of 1 <= k < n / 2, the latter
// relative to the arrays' middle.
VECTOR_BODY void separate_body(const float *restrict re, const float *restrict im,
                               const float *restrict halves, float *restrict low_re,
                               float *restrict low_im, float *restrict high_re,
                               float *restrict high_im, int64_t n) {
  const float *sines = halves + n / 2 + 1;
  for (int64_t k = 1; k < n / 2; k++) {
    float pr = re[k], pi = im[k], qr = re[n - k], qi = im[n - k];
    float ar = (pr + qr) / 2, ai = (pi - qi) / 2, br = (pi + qi) / 2, bi = (qr - pr) / 2;
    float c = halves[k], s = sines[k], tr = br * c - bi * s, ti = br * s + bi * c;
    low_re[k] = ar + tr;
    low_im[k] = ai + ti;
    high_re[n / 2 - k] = ar - tr;
    high_im[n / 2 - k] = ti - ai;
  }
}
VECTOR_CLONES(separate,
              (const float *restrict re, const float *restrict im, const float *restrict halves,
               float *restrict low_re, float *restrict low_im, float *restrict high_re,
               float *restrict high_im, int64_t n),
              (re, im, halves, low_re, low_im, high_re, high_im, n))

// The inverse of `separate`, times 2.
VECTOR_BODY void unite_body(const float *restrict re, const float *restrict im,
                            const float *restrict halves, float *restrict low_re,
                            float *restrict low_im, float *restrict high_re,
                            float *restrict high_im, int64_t n) {
  const float *sines = halves + n / 2 + 1;
  for (int64_t k = 1; k < n / 2; k++) {
    float pr = re[k], pi = im[k], qr = re[n - k], qi = im[n - k];
    float ar = pr + qr, ai = pi - qi, tr = pr - qr, ti = pi + qi;
    float c = halves[k], s = sines[k], br = tr * c + ti * s, bi = ti * c - tr * s;
    low_re[k] = ar - bi;
    low_im[k] = ai + br;
    high_re[n / 2 - k] = ar + bi;
    high_im[n / 2 - k] = br - ai;
  }
}
VECTOR_CLONES(unite,
              (const float *restrict re, const float *restrict im, const float *restrict halves,
               float *restrict low_re, float *restrict low_im, float *restrict high_re,
               float *restrict high_im, int64_t n),
              (re, im, halves, low_re, low_im, high_re, high_im, n))

// The spectrum of a real line from that of its complex one, y; x: work space.
static void store_spectrum(const Line *l, const float *yr, const float *yi, float *xr, float *xi,
                           float *to) {
  int64_t n = l->n, middle = n / 2;
  separate(yr, yi, l->halves, xr, xi, xr + middle, xi + middle, n);
  xr[0] = yr[0] + yi[0], xi[0] = 0;
  xr[middle] = yr[middle], xi[middle] = -yi[middle];
  join(xr, xi, to, n, 1);
  to[2 * n] = yr[0] - yi[0];
  to[2 * n + 1] = 0;
}

// The other way around. The imaginary parts of elements 0 and n have no meaning.
static void load_spectrum(const Line *l, const float *from, float *yr, float *yi, float *xr,
                          float *xi) {
  int64_t n = l->n, middle = n / 2;
  part(from, yr, yi, n);
  unite(yr, yi, l->halves, xr, xi, xr + middle, xi + middle, n);
  xr[0] = from[0] + from[2 * n], xi[0] = from[0] - from[2 * n];
  xr[middle] = 2 * yr[middle], xi[middle] = -2 * yi[middle];
}

// ---- lines ----

// The spectrum of x, in y or in x: the results say which.
static void transform(const Line *l, float **xr, float **xi, float **yr, float **yi) {
  int64_t n = l->m, s = 1;
  for (; n > 1; n /= 4, s *= 4) {
    if (n == 2) {
      radix_2(*xr, *xi, *yr, *yi, s * LANES);
      n = 4;  // so that the loop ends
    } else {
      radix_4(*xr, *xi, *yr, *yi, l->roots, n / 4, s);
    }
    float *r = *xr, *i = *xi;
    *xr = *yr, *xi = *yi, *yr = r, *yi = i;
  }
  across(*xr, *xi, *yr, *yi, l->factors, l->m);
}

static void run_lines(const Kernel *kernel, void *const *buffers, uint32_t tile, void *scratch) {
  const Line *l = kernel->data;
  FftKind kind = l->of.kind;
  int64_t reals = 2 * l->n, opposite = 2 * (l->n + 1);
  int64_t in = kind == FFT_REAL_OUT ? opposite : reals,
          out = kind == FFT_REAL_IN ? opposite : reals;
  float scale = l->of.inverse ? 1 / (float)l->of.n : 1;
  uint64_t first, last;
  kernel_part((uint64_t)l->of.lines, tile, kernel->n_tiles, &first, &last);
  for (int64_t line = (int64_t)first; line < (int64_t)last; line++) {
    const float *from = (const float *)buffers[l->of.from] + line * in;
    float *to = (float *)buffers[l->of.to] + line * out;
    // Not a multiple of 4 KB apart: the arrays would share the sets of the first-level cache.
    float *xr = scratch, *xi = xr + l->n + PAD, *yr = xi + l->n + PAD, *yi = yr + l->n + PAD;
    if (kind == FFT_REAL_OUT)
      load_spectrum(l, from, yr, yi, xr, xi);
    else
      part(from, xr, xi, l->n);
    if (l->of.inverse) {
      transform(l, &xi, &xr, &yi, &yr);
    } else {
      transform(l, &xr, &xi, &yr, &yi);
    }
    if (kind == FFT_REAL_IN)
      store_spectrum(l, yr, yi, xr, xi, to);
    else
      join(yr, yi, to, l->n, scale);
  }
}

// exp(-2 pi i k / n)
static void root(int64_t k, int64_t n, float *re, float *im) {
  double angle = -6.283185307179586476925 * (double)(k % n) / (double)n;
  *re = (float)cos(angle);
  *im = (float)sin(angle);
}

bool fft_add_lines(KernelChain *chain, const FftLines *lines) {
  int64_t n = lines->kind == FFT_COMPLEX ? lines->n : lines->n / 2;
  bool is_power = n > 0 && (n & (n - 1)) == 0 && (lines->kind == FFT_COMPLEX || lines->n % 2 == 0);
  if (!is_power || n < LEAST || n > MOST) return false;
  Line *l = ARENA_NEW(chain->arena, Line);
  *l = (Line){.of = *lines, .n = n, .m = n / LANES};
  float *roots = ARENA_ARRAY(chain->arena, float, (size_t)(2 * l->m)),
        *factors = ARENA_ARRAY(chain->arena, float, (size_t)(2 * n)),
        *halves = ARENA_ARRAY(chain->arena, float, (size_t)(n + 2));
  for (int64_t k = 0; k < l->m; k++) root(k, l->m, &roots[2 * k], &roots[2 * k + 1]);
  for (int64_t k = 0; k < l->m; k++)
    for (int64_t j = 0; j < LANES; j++)
      root(j * k, n, &factors[k * LANES + j], &factors[n + k * LANES + j]);
  for (int64_t k = 0; 2 * k <= n; k++) root(k, 2 * n, &halves[k], &halves[n / 2 + 1 + k]);
  l->roots = roots, l->factors = factors, l->halves = halves;
  double seconds = (double)(lines->lines * n) * (8 + log2((double)n)) * 0.2e-9;
  chain_add(chain, &(Kernel){.name = "fft",
                             .run = run_lines,
                             .data = l,
                             .n_tiles = kernel_tiles(seconds, (uint64_t)lines->lines),
                             .scratch_bytes = (size_t)(4 * (n + PAD)) * sizeof(float)});
  return true;
}
