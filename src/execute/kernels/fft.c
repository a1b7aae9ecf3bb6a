// Kernels of fft: complex<f32> and f32, lengths that are powers of two, one to three dimensions.
//
// 16 lines are transformed at once, one per lane, so that every step is a loop over 16 contiguous
// numbers; contiguous lines of medium length are transformed one by one (fft_line.h). Stockham's
// algorithm sorts itself: log2(n) passes between two arrays. A long line without 15 others becomes
// a matrix [n1, n2] (Bailey, "FFTs in external or hierarchical memory", 1990): transforms of
// columns, factors, a transpose, transforms of columns again. The inverse exchanges real and
// imaginary parts. Real transforms are complex ones of which half is read or written. O(n log n)
// per line.
#include <math.h>
#include <string.h>

#include "execute/kernels/common.h"
#include "execute/kernels/fft_line.h"
#include "execute/kernels/kernels.h"
#include "tensor/vectorize.h"

enum { LANES = 16, MOST_LENGTH = 8192, LEAST_SPLIT = 256 };

// One pass over one dimension: lines of n numbers, LANES at a time.
typedef struct Pass {
  int64_t n, lines;
  // Line l begins at l / inner * outer + l % inner * across; its elements are `along` apart.
  int64_t from_inner, from_outer, from_across, from_along;
  int64_t to_inner, to_outer, to_across, to_along;
  uint32_t from, to;       // buffers
  bool real_in, real_out;  // elements are f32, not complex
  bool exchanges;          // inverse
  int64_t read, written;   // elements of a line; read < n: the rest follows by symmetry
  float scale;
  const float *roots;    // cos and sin of -2 pi k / n for k < n / 2, interleaved
  const float *factors;  // four-step: [lines mod factor_lines, n] complex factors, or NULL
  int64_t factor_lines;
} Pass;

// Two arrays of numbers [n, LANES], real and imaginary parts apart.
typedef struct Lines {
  float *re, *im;
} Lines;

static void load_line(const Pass *p, const float *from, int64_t line, int64_t lane, Lines x) {
  int64_t base = line / p->from_inner * p->from_outer + line % p->from_inner * p->from_across;
  float *re = p->exchanges ? x.im : x.re, *im = p->exchanges ? x.re : x.im;
  for (int64_t k = 0; k < p->read; k++) {
    int64_t at = base + k * p->from_along;
    re[k * LANES + lane] = p->real_in ? from[at] : from[2 * at];
    im[k * LANES + lane] = p->real_in ? 0 : from[2 * at + 1];
  }
  for (int64_t k = p->read; k < p->n; k++) {  // the conjugate of element n - k
    int64_t at = base + (p->n - k) * p->from_along;
    re[k * LANES + lane] = from[2 * at];
    im[k * LANES + lane] = -from[2 * at + 1];
  }
}

static void store_line(const Pass *p, Lines x, int64_t line, int64_t lane, float *to) {
  int64_t base = line / p->to_inner * p->to_outer + line % p->to_inner * p->to_across;
  const float *factors = p->factors ? p->factors + 2 * p->n * (line % p->factor_lines) : NULL;
  const float *xr = p->exchanges ? x.im : x.re, *xi = p->exchanges ? x.re : x.im;
  for (int64_t k = 0; k < p->written; k++) {
    int64_t at = base + k * p->to_along;
    float re = xr[k * LANES + lane] * p->scale, im = xi[k * LANES + lane] * p->scale;
    if (factors) {
      float c = factors[2 * k], s = factors[2 * k + 1], r = re * c - im * s;
      im = re * s + im * c;
      re = r;
    }
    if (p->real_out) {
      to[at] = re;
    } else {
      to[2 * at] = re;
      to[2 * at + 1] = im;
    }
  }
}

// One pass of Stockham: pairs `half` apart; s: the distance of results.
VECTOR_BODY void butterfly_body(const float *restrict xr, const float *restrict xi,
                                float *restrict yr, float *restrict yi, const float *roots,
                                int64_t half, int64_t s) {
  for (int64_t p = 0; p < half; p++) {
    float c = roots[2 * p * s], d = roots[2 * p * s + 1];
    const float *ar = xr + s * p * LANES, *ai = xi + s * p * LANES;
    const float *br = xr + s * (p + half) * LANES, *bi = xi + s * (p + half) * LANES;
    float *tr = yr + 2 * s * p * LANES, *ti = yi + 2 * s * p * LANES;
    float *ur = tr + s * LANES, *ui = ti + s * LANES;
    for (int64_t q = 0; q < s * LANES; q++) {
      float dr = ar[q] - br[q], di = ai[q] - bi[q];
      tr[q] = ar[q] + br[q];
      ti[q] = ai[q] + bi[q];
      ur[q] = dr * c - di * d;
      ui[q] = dr * d + di * c;
    }
  }
}
VECTOR_CLONES(butterfly,
              (const float *restrict xr, const float *restrict xi, float *restrict yr,
               float *restrict yi, const float *roots, int64_t half, int64_t s),
              (xr, xi, yr, yi, roots, half, s))

static Lines transform(const Pass *p, Lines x, Lines y) {
  for (int64_t half = p->n / 2, s = 1; half > 0; half /= 2, s *= 2) {
    butterfly(x.re, x.im, y.re, y.im, p->roots, half, s);
    Lines t = x;
    x = y;
    y = t;
  }
  return x;
}

static void run_pass(const Kernel *kernel, void *const *buffers, uint32_t tile, void *scratch) {
  const Pass *p = kernel->data;
  int64_t groups = (p->lines + LANES - 1) / LANES, size = p->n * LANES;
  float *work = scratch;
  Lines x = {work, work + size}, y = {work + 2 * size, work + 3 * size};
  uint64_t first, last;
  kernel_part((uint64_t)groups, tile, kernel->n_tiles, &first, &last);
  for (uint64_t g = first; g < last; g++) {
    int64_t line = (int64_t)g * LANES, n = p->lines - line < LANES ? p->lines - line : LANES;
    if (n < LANES) memset(work, 0, (size_t)(2 * size) * sizeof *work);
    for (int64_t i = 0; i < n; i++) load_line(p, buffers[p->from], line + i, i, x);
    Lines done = transform(p, x, y);
    for (int64_t i = 0; i < n; i++) store_line(p, done, line + i, i, buffers[p->to]);
  }
}

// ---- making ----

static const float *roots_of(Arena *arena, int64_t n) {
  float *roots = ARENA_ARRAY(arena, float, (size_t)(n + 2));
  for (int64_t k = 0; 2 * k < n; k++) {
    double angle = -6.283185307179586476925 * (double)k / (double)n;
    roots[2 * k] = (float)cos(angle);
    roots[2 * k + 1] = (float)sin(angle);
  }
  return roots;
}

// exp(-2 pi i j k / n) for j < n2 and k < n1.
static const float *factors_of(Arena *arena, int64_t n, int64_t n1, int64_t n2) {
  float *factors = ARENA_ARRAY(arena, float, (size_t)(2 * n));
  for (int64_t j = 0; j < n2; j++)
    for (int64_t k = 0; k < n1; k++) {
      double angle = -6.283185307179586476925 * (double)(j * k) / (double)n;
      factors[2 * (j * n1 + k)] = (float)cos(angle);
      factors[2 * (j * n1 + k) + 1] = (float)sin(angle);
    }
  return factors;
}

static void add_pass(KernelChain *chain, const Pass *pass) {
  Pass *p = arena_copy(chain->arena, pass, sizeof *pass);
  p->roots = roots_of(chain->arena, p->n);
  int64_t groups = (p->lines + LANES - 1) / LANES;
  double steps = 2 + log2((double)p->n);
  double seconds = (double)groups * (double)(p->n * LANES) * steps * 1e-9;
  chain_add(chain, &(Kernel){.name = "fft",
                             .run = run_pass,
                             .data = p,
                             .n_tiles = kernel_tiles(seconds, (uint64_t)groups),
                             .scratch_bytes = (size_t)(4 * p->n * LANES) * sizeof(float)});
}

// A transform along a dimension: [before, n, inner] of the source, the same of the destination with
// other sizes of the dimension. Long lines in two steps, through `middle` in temporary memory.
static bool add_dimension(KernelChain *chain, Pass p, int64_t before, int64_t inner,
                          int64_t from_size, int64_t to_size, bool *out_used_temp) {
  FftLines whole = {.kind = p.real_in    ? FFT_REAL_IN
                            : p.real_out ? FFT_REAL_OUT
                                         : FFT_COMPLEX,
                    .inverse = p.exchanges,
                    .n = p.n,
                    .lines = before,
                    .from = p.from,
                    .to = p.to};
  if (inner == 1 && p.from != p.to && fft_add_lines(chain, &whole)) return true;
  p.lines = before * inner;
  p.from_inner = p.to_inner = inner;
  p.from_outer = from_size * inner;
  p.to_outer = to_size * inner;
  p.from_across = p.to_across = 1;
  p.from_along = p.to_along = inner;
  // Elements beyond the half are read by symmetry only within one line.
  bool can = inner == 1 && p.read == p.n && p.written == p.n && p.from != 2;
  if (p.n <= MOST_LENGTH && (!can || p.lines >= LANES || p.n < LEAST_SPLIT)) {
    add_pass(chain, &p);
    return true;
  }
  if (!can) return false;
  int64_t n1 = 1, n = p.n;
  while (n1 * n1 < n) n1 *= 2;
  int64_t n2 = n / n1;
  if (n1 > MOST_LENGTH) return false;
  *out_used_temp = true;
  Pass a = p, b = p;
  // Columns j2 of [n1, n2]; results to [n2, n1] with factors.
  a.n = a.read = a.written = n1;
  a.lines = before * n2;
  a.from_inner = n2, a.from_outer = n, a.from_across = 1, a.from_along = n2;
  a.to_inner = n2, a.to_outer = n, a.to_across = n1, a.to_along = 1;
  a.to = 2;
  a.real_out = false;
  a.scale = 1;
  a.factors = factors_of(chain->arena, n, n1, n2);
  a.factor_lines = n2;
  if (p.exchanges) {  // the numbers stay exchanged in between
    float *conjugate = arena_copy(chain->arena, a.factors, (size_t)(2 * n) * sizeof(float));
    for (int64_t i = 0; i < n; i++) conjugate[2 * i + 1] = -conjugate[2 * i + 1];
    a.factors = conjugate;
  }
  // Columns k1 of [n2, n1].
  b.n = b.read = b.written = n2;
  b.lines = before * n1;
  b.from = 2;
  b.real_in = false;
  b.from_inner = b.to_inner = n1, b.from_outer = b.to_outer = n;
  b.from_across = b.to_across = 1, b.from_along = b.to_along = n1;
  add_pass(chain, &a);
  add_pass(chain, &b);
  return true;
}

static bool is_power_of_two(int64_t n) { return n > 0 && (n & (n - 1)) == 0; }

bool kernel_fft(const KernelRequest *r, Kernel *out) {
  Dense in, result;
  if (!dense_operand(r, 0, &in) || !dense_result(r, 0, &result)) return false;
  Context *c = r->program->context;
  Str type = name_str(c, attr_as_name(c, op_attr(r->program, r->op, "fft_type")));
  bool rfft = str_is(type, "RFFT"), irfft = str_is(type, "IRFFT"),
       inverse = irfft || str_is(type, "IFFT");
  if (in.dtype != (rfft ? DT_f32 : DT_c64) || result.dtype != (irfft ? DT_f32 : DT_c64))
    return false;
  Ints lengths = request_ints(r, "fft_length");
  if (lengths.n > 3 || lengths.n > in.rank || lengths.n == 0) return false;
  for (uint32_t i = 0; i < lengths.n; i++)
    if (!is_power_of_two(lengths.v[i]) || lengths.v[i] > 1 << 22) return false;
  if (result.count == 0 || in.count == 0) return false;
  KernelChain chain = {.arena = r->arena};
  uint32_t first = in.rank - lengths.n, last = in.rank - 1;
  bool temp = false, ok = true;
  int64_t before = 1, n = lengths.v[lengths.n - 1], half = n / 2 + 1;
  for (uint32_t d = 0; d < last; d++) before *= in.dims[d];
  // The last dimension reads the operand, the others work on the result; IRFFT is the other way
  // around, with the operand's spectrum in temporary memory.
  Pass lined = {.n = n,
                .from = irfft && lengths.n > 1 ? 2 : 0,
                .to = 1,
                .real_in = rfft,
                .real_out = irfft,
                .exchanges = inverse,
                .read = irfft ? half : n,
                .written = rfft ? half : n,
                .scale = inverse ? 1 / (float)n : 1};
  uint32_t source = 0, target = irfft ? 2 : 1;
  if (!irfft) ok = add_dimension(&chain, lined, before, 1, n, rfft ? half : n, &temp);
  for (uint32_t d = first; d < last && ok; d++) {
    int64_t outer = 1, inner = 1, size = in.dims[d];
    const Dense *shape = irfft ? &in : &result;
    for (uint32_t e = 0; e < d; e++) outer *= shape->dims[e];
    for (uint32_t e = d + 1; e < shape->rank; e++) inner *= shape->dims[e];
    Pass p = {.n = size,
              .from = irfft && d == first ? source : target,
              .to = target,
              .exchanges = inverse,
              .read = size,
              .written = size,
              .scale = inverse ? 1 / (float)size : 1};
    bool unused = false;
    ok = add_dimension(&chain, p, outer, inner, size, size, &unused) && !unused;
  }
  if (irfft) ok = ok && add_dimension(&chain, lined, before, 1, half, n, &temp);
  if (!ok) return false;
  if (temp || (irfft && lengths.n > 1))
    chain_temp(&chain, (size_t)(irfft ? in.count : before * n) * 2 * sizeof(float));
  chain_link(&chain, out);
  return true;
}
