// stablehlo.fft: discrete Fourier transforms of any length along the last one to three dimensions.
// A length is decomposed into its prime factors (decimation in time). A prime that is too large for
// that becomes a cyclic convolution whose length is a power of two (Bluestein, "A linear filtering
// approach to the computation of discrete Fourier transform", 1970). All arithmetic is in long
// double, rounded once at the end. O(n log n) per line.
#include <math.h>

#include "ops/dense.h"
#include "ops/eval.h"
#include "ops/factors.h"
#include "ops/infer.h"
#include "ops/sample.h"
#include "tensor/wide.h"
#include "ops/work.h"

enum { LARGEST_RADIX = 61 };

// exp(-2 pi i k / n), exact to about the last bit: the angle is reduced to the first octant.
static Wide root_of_unity(int64_t k, int64_t n) {
  const long double tau = 6.283185307179586476925286766559005768L;
  k %= n;
  bool conjugate = 2 * k > n;
  if (conjugate) k = n - k;  // now the angle is in [0, pi]
  bool mirror = 4 * k > n;
  long double angle = mirror ? tau * (long double)(n - 2 * k) / (long double)(2 * n)
                             : tau * (long double)k / (long double)n;  // in [0, pi / 2]
  Wide w;
  if (8 * k == n || 8 * k == 3 * n) {
    w.re = w.im = sqrtl(0.5L);
  } else {
    w.re = 4 * k == n ? 0 : cosl(angle);
    w.im = sinl(angle);
  }
  if (mirror) w.re = -w.re;
  if (!conjugate) w.im = -w.im;
  return w;
}

static int64_t smallest_factor(int64_t n) {
  for (int64_t p = 2; p * p <= n; p++)
    if (n % p == 0) return p;
  return n;
}

// The transform of in[0], in[step], … into out[0 … n). roots[j * unit] is exp(-2 pi i j / n).
static void transform(Arena *arena, int64_t n, const Wide *in, int64_t step, Wide *out,
                      const Wide *roots, int64_t unit);

// A prime length as a cyclic convolution: out[k] = c[k] * sum of (in[j] c[j]) conj(c[k - j]), c[j]
// = exp(-pi i j^2 / n).
static void transform_prime(Arena *arena, int64_t n, const Wide *in, int64_t step, Wide *out) {
  int64_t m = 1;
  while (m < 2 * n - 1) m *= 2;
  Wide *chirp = ARENA_ARRAY(arena, Wide, (size_t)n), *roots = ARENA_ARRAY(arena, Wide, (size_t)m);
  Wide *a = ARENA_ARRAY(arena, Wide, (size_t)m), *b = ARENA_ARRAY(arena, Wide, (size_t)m);
  Wide *fa = ARENA_ARRAY(arena, Wide, (size_t)m), *fb = ARENA_ARRAY(arena, Wide, (size_t)m);
  for (int64_t j = 0; j < m; j++) roots[j] = root_of_unity(j, m);
  int64_t square = 0;  // j^2 mod 2n without overflow
  for (int64_t j = 0; j < n; j++) {
    chirp[j] = root_of_unity(square, 2 * n);
    square = (square + 2 * j + 1) % (2 * n);
    a[j] = wide_mul(in[j * step], chirp[j]);
    b[j] = (Wide){chirp[j].re, -chirp[j].im};
    if (j) b[m - j] = b[j];
  }
  transform(arena, m, a, 1, fa, roots, 1);
  transform(arena, m, b, 1, fb, roots, 1);
  for (int64_t j = 0; j < m; j++) {  // conjugate, so that the forward transform inverts
    a[j] = wide_mul(fa[j], fb[j]);
    a[j].im = -a[j].im;
  }
  transform(arena, m, a, 1, fa, roots, 1);
  for (int64_t k = 0; k < n; k++) {
    Wide x = {fa[k].re / (long double)m, -fa[k].im / (long double)m};
    out[k] = wide_mul(x, chirp[k]);
  }
}

// Cooley-Tukey with radix p, the smallest prime factor of n: p transforms of length m = n / p over
// every p-th element, then for each k a transform of length p of the twiddled results:
//
//   out[q m + k] = sum over r of (F_r[k] · w_n^(r k)) · w_p^(q r)
static void transform(Arena *arena, int64_t n, const Wide *in, int64_t step, Wide *out,
                      const Wide *roots, int64_t unit) {
  if (n == 1) {
    out[0] = in[0];
    return;
  }
  int64_t p = smallest_factor(n), m = n / p;
  if (p > LARGEST_RADIX && m == 1) {
    transform_prime(arena, n, in, step, out);
    return;
  }
  for (int64_t r = 0; r < p; r++)
    transform(arena, m, in + r * step, step * p, out + r * m, roots, unit * p);
  Wide lane[LARGEST_RADIX];
  if (p > LARGEST_RADIX) {  // a large prime factor: a transform of its own combines
    ArenaMark mark = arena_mark(arena);
    Wide *column = ARENA_ARRAY(arena, Wide, (size_t)p),
         *result = ARENA_ARRAY(arena, Wide, (size_t)p);
    for (int64_t k = 0; k < m; k++) {
      for (int64_t r = 0; r < p; r++) column[r] = wide_mul(out[r * m + k], roots[r * k % n * unit]);
      transform_prime(arena, p, column, 1, result);
      for (int64_t q = 0; q < p; q++) out[q * m + k] = result[q];
    }
    arena_rewind(arena, mark);
    return;
  }
  for (int64_t k = 0; k < m; k++) {
    for (int64_t r = 0; r < p; r++)
      lane[r] = r && k ? wide_mul(out[r * m + k], roots[r * k * unit]) : out[r * m + k];
    for (int64_t q = 0; q < p; q++) {
      Wide sum = lane[0];
      for (int64_t r = 1; r < p; r++) {
        Wide term = wide_mul(lane[r], roots[q * r % p * m * unit]);
        if (p == 2) term = q ? (Wide){-lane[1].re, -lane[1].im} : lane[1];  // exact: w_2 = -1
        sum.re += term.re;
        sum.im += term.im;
      }
      out[q * m + k] = sum;
    }
  }
}

// Transforms every line of data (shape dims) along dimension d in place; inverse: conjugated and
// divided by n.
static void transform_lines(EvalContext *cx, Wide *data, uint32_t rank, const int64_t *dims,
                            uint32_t d, bool inverse) {
  int64_t n = dims[d], outer = 1, inner = 1;
  for (uint32_t i = 0; i < d; i++) outer *= dims[i];
  for (uint32_t i = d + 1; i < rank; i++) inner *= dims[i];
  if (n <= 0) return;
  ArenaMark mark = arena_mark(cx->scratch);
  Wide *roots = ARENA_ARRAY(cx->scratch, Wide, (size_t)n),
       *line = ARENA_ARRAY(cx->scratch, Wide, (size_t)n);
  Wide *result = ARENA_ARRAY(cx->scratch, Wide, (size_t)n);
  for (int64_t k = 0; k < n; k++) roots[k] = root_of_unity(k, n);
  for (int64_t o = 0; o < outer; o++)
    for (int64_t i = 0; i < inner; i++) {
      Wide *at = data + o * n * inner + i;
      for (int64_t k = 0; k < n; k++) {
        line[k] = at[k * inner];
        if (inverse) line[k].im = -line[k].im;
      }
      ArenaMark inside = arena_mark(cx->scratch);
      transform(cx->scratch, n, line, 1, result, roots, 1);
      arena_rewind(cx->scratch, inside);
      for (int64_t k = 0; k < n; k++) {
        at[k * inner] = result[k];
        if (inverse)
          at[k * inner] = (Wide){result[k].re / (long double)n, -result[k].im / (long double)n};
      }
    }
  arena_rewind(cx->scratch, mark);
}

typedef enum FftType { FFT, IFFT, RFFT, IRFFT, FFT_UNKNOWN } FftType;

static FftType fft_type(const Context *context, Attr attr) {
  static const char *const names[] = {"FFT", "IFFT", "RFFT", "IRFFT"};
  Str name = name_str(context, attr_as_name(context, attr));
  for (int i = 0; i < 4; i++)
    if (str_is(name, names[i])) return (FftType)i;
  return FFT_UNKNOWN;
}

static bool infer(Infer *cx) {
  if (!infer_ranked(cx)) return false;
  const TypeInfo *operand = infer_operand_info(cx, 0);
  Ints length = infer_ints(cx, "fft_length");
  FftType type = fft_type(cx->context, infer_attr(cx, "fft_type"));
  REQUIRE(cx, 0, type != FFT_UNKNOWN, "fft_type must be FFT, IFFT, RFFT or IRFFT");
  REQUIRE(cx, 3, length.ok && length.n >= 1 && length.n <= 3,
          "fft_length has length %u, expected 1 to 3", length.ok ? length.n : 0);
  REQUIRE(cx, 1, length.n <= operand->rank,
          "fft_length has length %u, expected at most the operand's rank %u", length.n,
          operand->rank);
  DType from = type_is_quant(cx->context, operand->elem) ? DT_none_
                                                         : type_dtype(cx->context, operand->elem),
        to = from;
  if (type == RFFT) {
    to = dtype_complex_of(from);
    REQUIRE(cx, 2, to, "the operand has element type %s, expected f32 or f64 for RFFT",
            infer_text(cx, operand->elem));
  } else {
    REQUIRE(cx, 2, dtype_is_complex(from),
            "the operand has element type %s, expected a complex type",
            infer_text(cx, operand->elem));
    if (type == IRFFT) to = dtype_real_of(from);
  }
  Type declared = infer_result(cx, 0);
  REQUIRE(cx, 2, !declared || type_elem(cx->context, declared) == (Type)to,
          "the result has element type %s, expected %s",
          infer_text(cx, type_elem(cx->context, declared)), dtype_info(to)->name);
  int64_t dims[MAX_RANK];
  uint32_t rank = operand->rank, last = rank - 1;
  for (uint32_t d = 0; d < rank; d++) dims[d] = operand->dims[d];
  if (type == RFFT || type == IRFFT) {
    for (uint32_t i = 0; i < length.n; i++) {
      int64_t size = operand->dims[rank - length.n + i], want = length.v[i];
      if (type == IRFFT && i + 1 == length.n) break;  // here the result has the full size
      REQUIRE(cx, 4, dim_compatible(size, want),
              "dimension %u of the %s has size %lld, expected %lld as in fft_length",
              rank - length.n + i, type == RFFT ? "operand" : "result", (long long)size,
              (long long)want);
    }
  }
  int64_t n = length.v[length.n - 1];
  if (type == RFFT && dims[last] != DIM_DYNAMIC)
    dims[last] = dims[last] == 0 ? 0 : dims[last] / 2 + 1;
  if (type == IRFFT) {
    int64_t half = n == 0 ? 0 : n / 2 + 1;
    // JAX emits an irfft of one element with length 0; the operand has 0 / 2 + 1 elements.
    bool nothing = n == 0 && operand->dims[last] == 1;
    REQUIRE(cx, 5, nothing || (n >= 0 && dim_compatible(operand->dims[last], half)),
            "the operand's last dimension has size %lld, expected %lld for fft_length %lld",
            (long long)operand->dims[last], (long long)half, (long long)n);
    dims[last] = n;
  }
  cx->out[0] = type_tensor(cx->context, (Type)to, rank, dims, 0);
  if (declared) {
    const TypeInfo *r = type_info(cx->context, declared);
    REQUIRE(cx, 5, infer_shapes_compatible(cx, declared, cx->out[0]),
            "the result has shape %s, expected %s", infer_dims_text(cx, r->rank, r->dims),
            infer_dims_text(cx, rank, dims));
  }
  return true;
}

// The lines of an IRFFT: the missing half is the conjugate of the first.
static Wide *unfold(EvalContext *cx, const Wide *half, int64_t lines, int64_t m, int64_t n) {
  Wide *full = ARENA_ARRAY(cx->scratch, Wide, (size_t)(lines * n) + 1);
  for (int64_t l = 0; l < lines; l++)
    for (int64_t k = 0; k < n; k++) {
      Wide v = half[l * m + (k < m ? k : n - k)];
      if (k >= m) v.im = -v.im;
      if (k == 0 || 2 * k == n) v.im = 0;  // a real signal has no imaginary part there
      full[l * n + k] = v;
    }
  return full;
}

static Status *eval(EvalContext *cx, Literal *const *in, Literal **out) {
  const Literal *operand = in[0];
  Ints length = eval_ints(cx, "fft_length");
  FftType type = fft_type(cx->context, eval_attr(cx, "fft_type"));
  uint32_t rank = operand->rank, first = rank - length.n, last = rank - 1;
  int64_t dims[MAX_RANK];
  for (uint32_t d = 0; d < rank; d++) dims[d] = operand->dims[d];
  Wide *data = dense_load(cx, DENSE_WIDE, operand);
  bool inverse = type == IFFT || type == IRFFT;
  int64_t lines = 1;
  for (uint32_t d = 0; d < last; d++) lines *= dims[d];
  if (inverse) {
    for (uint32_t d = first; d < last; d++) transform_lines(cx, data, rank, dims, d, true);
    if (type == IRFFT) {
      data = unfold(cx, data, lines, dims[last], length.v[length.n - 1]);
      dims[last] = length.v[length.n - 1];
    }
    transform_lines(cx, data, rank, dims, last, true);
  } else {
    for (uint32_t d = rank; d-- > first;) transform_lines(cx, data, rank, dims, d, false);
  }
  int64_t n = dims[last];
  if (type == RFFT) dims[last] = n == 0 ? 0 : n / 2 + 1;
  out[0] = literal_new(cx->heap, cx->context, type_elem(cx->context, eval_result_type(cx, 0)), rank,
                       dims);
  for (int64_t l = 0, i = 0; l < lines; l++)
    for (int64_t k = 0; k < dims[last]; k++, i++) {
      Wide v = data[l * n + k];
      literal_set(out[0], i, scalar_c((double)v.re, (double)v.im));
    }
  return NULL;
}

static OpId sample(Sample *cx) {
  static const char *const names[] = {"FFT", "IFFT", "RFFT", "IRFFT"};
  Context *c = cx->context;
  uint32_t rank = (uint32_t)sample_int(cx, 1, 3), n = (uint32_t)sample_int(cx, 1, rank);
  int which = (int)sample_int(cx, 0, 3);
  int64_t dims[3], length[3];
  for (uint32_t d = 0; d < rank; d++) dims[d] = sample_int(cx, 1, 5);
  for (uint32_t i = 0; i < n; i++) length[i] = dims[rank - n + i];
  if (which == IRFFT) dims[rank - 1] = length[n - 1] / 2 + 1;
  bool wide = sample_chance(cx, 50);
  DType elem = which == RFFT ? (wide ? DT_f64 : DT_f32) : wide ? DT_c128 : DT_c64;
  ValueId operand = sample_value(cx, type_tensor(c, (Type)elem, rank, dims, 0));
  NamedAttr fields[] = {{name_of(c, "fft_type"), attr_enum(c, "stablehlo.fft_type", names[which])},
                        {name_of(c, "fft_length"), attr_i64s(c, n, length)}};
  return sample_op(cx, OP_fft, attr_dict(c, 2, fields), 1, &operand, 1, NULL, 0);
}

static bool factors(FactorContext *cx) {
  uint32_t rank = factors_rank(cx, 0), first = rank - factors_ints(cx, "fft_length").n,
           result = factors_result(cx, 0);
  for (uint32_t d = 0; d < rank; d++) {
    int64_t size = factors_dim(cx, 0, d);
    uint8_t kinds = d < first ? FACTOR_PASS : FACTOR_REPLICATE;
    if (size != factors_dim(cx, result, d)) kinds |= FACTOR_BLOCK;
    factors_on_all(cx, size, kinds, d);
  }
  return true;
}

const OpDef op_fft = {.work = work_fft,
                      .infer = infer,
                      .eval = eval,
                      .sample = sample,
                      .constraints = 5,
                      .factors = factors};
