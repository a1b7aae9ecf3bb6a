// Problem: a product with few rows reads a large matrix once and does little with it. A library
// that packs the matrix first reads and writes it several times.
// Idea: two loops, by the direction in which the matrix is contiguous.
//   along n: 8 rows of rhs at a time pass from left to right as 8 streams; the sums of all columns
//            of a panel stay in the L1 cache, those of the present columns in registers.
//   along k: 4 columns of rhs at a time; each sum is 16 partial sums in a register.
// bf16 becomes f32 as it is loaded, so products are exact and sums have the precision of f32.
// Invariant: the order of a sum depends on k and the layout alone, never on m, n or a tile.
// Cost: O(m * n * k) operations, O(n * k) bytes of memory.
#include "tensor/matvec.h"

#include <string.h>

#include "tensor/narrow.h"

#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__)
#include <immintrin.h>

#define WITH_AVX512 __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx2,fma")))
#define INLINE static inline __attribute__((always_inline)) WITH_AVX512

enum { LANES = 16, STREAMS = 8, SUMS = 4096, GROUP = 4 };  // SUMS: floats of a panel's sums

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

// Rows are computed in groups of 1, 2, 4, 8 or 16. Those beyond m repeat the first one.
static int rows_of(int64_t m) {
  int rows = 1;
  while (rows < m) rows *= 2;
  return rows;
}

bool matvec_fits(const MatmulShape *s) {
  bool types =
      s->lhs_type == s->rhs_type &&
      ((s->lhs_type == MATMUL_F32 && s->out_type == MATMUL_F32) ||
       (s->lhs_type == MATMUL_BF16 && (s->out_type == MATMUL_BF16 || s->out_type == MATMUL_F32)));
  bool layout = s->rhs_n == 1 || s->n == 1 || s->rhs_k == 1 || s->k == 1;
  return types && layout && s->m <= MATVEC_ROWS && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq");
}

// Is rhs read along k? A single column is.
static bool along_k(const MatmulShape *s) {
  return s->n == 1 ? s->rhs_k == 1 || s->k == 1 : s->rhs_n != 1;
}

static int64_t padded(int64_t k) { return (k + LANES - 1) / LANES * LANES; }

size_t matvec_scratch(const MatmulShape *s) {
  return sizeof(float) * (SUMS + (size_t)(MATVEC_ROWS * padded(s->k)));
}

INLINE __mmask16 mask_of(int64_t n) {
  return (__mmask16)(n >= LANES ? 0xFFFF : (1 << (n > 0 ? n : 0)) - 1);
}

// 16 numbers at `at`, as f32; those outside of the mask are 0 and not read.
INLINE __m512 load_16(bool narrow, const char *p, int64_t at, bool all, __mmask16 mask) {
  if (!narrow) {
    const float *from = (const float *)(const void *)p + at;
    return all ? _mm512_loadu_ps(from) : _mm512_maskz_loadu_ps(mask, from);
  }
  const uint16_t *from = (const uint16_t *)(const void *)p + at;
  __m256i x = all ? _mm256_loadu_si256((const void *)from) : _mm256_maskz_loadu_epi16(mask, from);
  return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(x), 16));
}

static float element(const MatmulShape *s, const char *lhs, int64_t m, int64_t k) {
  int64_t at = m * s->lhs_m + k * s->lhs_k;
  return s->lhs_type == MATMUL_F32 ? ((const float *)(const void *)lhs)[at]
                                   : f32_of_bf16(((const uint16_t *)(const void *)lhs)[at]);
}

// lhs as f32 rows of padded(k) numbers, zeros at their ends.
WITH_AVX512 static void load_lhs(const MatmulShape *s, const char *lhs, int rows, float *to) {
  int64_t step = padded(s->k);
  for (int m = 0; m < rows; m++, to += step) {
    int64_t row = m < s->m ? m : 0;
    if (s->lhs_k == 1 || s->k == 1) {
      for (int64_t k = 0; k < s->k; k += LANES)
        _mm512_storeu_ps(to + k, load_16(s->lhs_type == MATMUL_BF16, lhs, row * s->lhs_m + k, false,
                                         mask_of(s->k - k)));
    } else {
      for (int64_t k = 0; k < step; k++) to[k] = k < s->k ? element(s, lhs, row, k) : 0;
    }
  }
}

static void store_sum(const MatmulShape *s, char *out, int64_t m, int64_t n, float sum) {
  int64_t at = m * s->out_m + n * s->out_n;
  if (s->out_type == MATMUL_F32)
    ((float *)(void *)out)[at] = sum;
  else
    ((uint16_t *)(void *)out)[at] = bf16_of_f32(sum);
}

// ---- contiguous along n ----

// sums [rows, step] += x [rows, depth] x rhs [depth, width], for `vectors` vectors of columns. x:
// rows of STREAMS numbers.
INLINE void add_columns(bool narrow, int rows, int vectors, int depth, const float *x,
                        const char *rhs, int64_t stride, __mmask16 mask, float *sums,
                        int64_t step) {
  bool all = mask == 0xFFFF;
  __m512 acc[MATVEC_ROWS];
  // The factors are operands in memory: gcc would keep 128 vectors of them on the stack.
  __asm__("" : "+r"(x));
#pragma GCC unroll 16
  for (int m = 0; m < rows; m++)
#pragma GCC unroll 4
    for (int v = 0; v < vectors; v++)
      acc[m * vectors + v] = _mm512_loadu_ps(sums + m * step + v * LANES);
#pragma GCC unroll 8
  for (int r = 0; r < depth; r++) {
#pragma GCC unroll 4
    for (int v = 0; v < vectors; v++) {
      __m512 w = load_16(narrow, rhs, r * stride + v * LANES, all, mask);
      // The next rows, which the CPU does not foresee: a line each.
      if (rows >= 4 && all && (!narrow || v % 2 == 0))
        _mm_prefetch(rhs + ((STREAMS + r) * stride + v * LANES) * (narrow ? 2 : 4), _MM_HINT_T0);
#pragma GCC unroll 16
      for (int m = 0; m < rows; m++)
        acc[m * vectors + v] =
            _mm512_fmadd_ps(_mm512_set1_ps(x[m * STREAMS + r]), w, acc[m * vectors + v]);
    }
  }
#pragma GCC unroll 16
  for (int m = 0; m < rows; m++)
#pragma GCC unroll 4
    for (int v = 0; v < vectors; v++)
      _mm512_storeu_ps(sums + m * step + v * LANES, acc[m * vectors + v]);
}

// All columns of a panel for `depth` rows of rhs.
INLINE void add_rows(bool narrow, int rows, int depth, const float *x, const char *rhs,
                     int64_t stride, int64_t width, float *sums, int64_t step) {
  int vectors = rows >= 16 ? 1 : rows >= 8 ? 2 : 4;
  int64_t item = narrow ? 2 : 4, j = 0;
  for (; j + vectors * LANES <= width; j += vectors * LANES)
    add_columns(narrow, rows, vectors, depth, x, rhs + j * item, stride, 0xFFFF, sums + j, step);
  for (; j < width; j += LANES)
    add_columns(narrow, rows, 1, depth, x, rhs + j * item, stride, mask_of(width - j), sums + j,
                step);
}

INLINE void run_along_n(const MatmulShape *s, bool narrow, int rows, const char *rhs, char *out,
                        const float *x, float *sums) {
  int64_t item = narrow ? 2 : 4, step = SUMS / rows, x_step = padded(s->k);
  for (int64_t n = 0; n < s->n; n += step) {
    int64_t width = least(step, s->n - n);
    for (int m = 0; m < rows; m++)
      memset(sums + m * step, 0, (size_t)padded(width) * sizeof *sums);
    for (int64_t k = 0; k < s->k; k += STREAMS) {
      float block[MATVEC_ROWS * STREAMS];
      for (int m = 0; m < rows; m++)
        memcpy(block + m * STREAMS, x + m * x_step + k, STREAMS * sizeof *x);
      const char *from = rhs + (k * s->rhs_k + n) * item;
      if (s->k - k >= STREAMS)
        add_rows(narrow, rows, STREAMS, block, from, s->rhs_k, width, sums, step);
      else
        for (int r = 0; r < s->k - k; r++)
          add_rows(narrow, rows, 1, block + r, from + r * s->rhs_k * item, s->rhs_k, width, sums,
                   step);
    }
    for (int64_t m = 0; m < s->m; m++)
      for (int64_t j = 0; j < width; j++) store_sum(s, out, m, n + j, sums[m * step + j]);
  }
}

// ---- contiguous along k ----

// The products of `rows` rows of x with `columns` columns of rhs.
INLINE void run_dots(const MatmulShape *s, bool narrow, int rows, int columns, const float *x,
                     const char *rhs, char *out, int64_t m, int64_t n) {
  int64_t item = narrow ? 2 : 4, step = padded(s->k);
  __m512 acc[GROUP * GROUP];
#pragma GCC unroll 16
  for (int i = 0; i < rows * columns; i++) acc[i] = _mm512_setzero_ps();
  for (int64_t k = 0; k < s->k; k += LANES) {
    __mmask16 mask = mask_of(s->k - k);
    __m512 y[GROUP];
#pragma GCC unroll 4
    for (int i = 0; i < rows; i++) y[i] = _mm512_loadu_ps(x + (m + i) * step + k);
#pragma GCC unroll 4
    for (int c = 0; c < columns; c++) {
      __m512 w = load_16(narrow, rhs + (n + c) * s->rhs_n * item, k, false, mask);
#pragma GCC unroll 4
      for (int i = 0; i < rows; i++)
        acc[i * columns + c] = _mm512_fmadd_ps(y[i], w, acc[i * columns + c]);
    }
  }
  for (int i = 0; i < rows && m + i < s->m; i++)
    for (int c = 0; c < columns; c++)
      store_sum(s, out, m + i, n + c, _mm512_reduce_add_ps(acc[i * columns + c]));
}

INLINE void run_along_k(const MatmulShape *s, bool narrow, int rows, const char *rhs, char *out,
                        const float *x) {
  int64_t n = 0;
  int group = rows < GROUP ? rows : GROUP;
  for (; n + GROUP <= s->n; n += GROUP)
    for (int64_t m = 0; m < s->m; m += group) run_dots(s, narrow, group, GROUP, x, rhs, out, m, n);
  for (; n < s->n; n++)
    for (int64_t m = 0; m < s->m; m += group) run_dots(s, narrow, group, 1, x, rhs, out, m, n);
}

// ---- instances ----

#define DEFINE_INSTANCES(rows)                                                                     \
  WITH_AVX512 static void run_##rows(const MatmulShape *s, const char *lhs, const char *rhs,       \
                                     char *out, float *scratch) {                                  \
    float *x = scratch + SUMS;                                                                     \
    load_lhs(s, lhs, rows, x);                                                                     \
    bool narrow = s->rhs_type == MATMUL_BF16;                                                      \
    if (along_k(s) && narrow)                                                                      \
      run_along_k(s, true, rows, rhs, out, x);                                                     \
    else if (along_k(s))                                                                           \
      run_along_k(s, false, rows, rhs, out, x);                                                    \
    else if (narrow)                                                                               \
      run_along_n(s, true, rows, rhs, out, x, scratch);                                            \
    else                                                                                           \
      run_along_n(s, false, rows, rhs, out, x, scratch);                                           \
  }
DEFINE_INSTANCES(1)
DEFINE_INSTANCES(2)
DEFINE_INSTANCES(4)
DEFINE_INSTANCES(8)
DEFINE_INSTANCES(16)

void matvec_run(const MatmulShape *s, const void *lhs, const void *rhs, void *out, void *scratch) {
  int64_t item = (int64_t)matmul_bytes(s->rhs_type), result = (int64_t)matmul_bytes(s->out_type);
  for (int64_t b = 0; b < s->batch; b++) {
    const char *l = (const char *)lhs + b * s->lhs_batch * item,
               *r = (const char *)rhs + b * s->rhs_batch * item;
    char *o = (char *)out + b * s->out_batch * result;
    switch (rows_of(s->m)) {
    case 1: run_1(s, l, r, o, scratch); break;
    case 2: run_2(s, l, r, o, scratch); break;
    case 4: run_4(s, l, r, o, scratch); break;
    case 8: run_8(s, l, r, o, scratch); break;
    default: run_16(s, l, r, o, scratch); break;
    }
  }
}

#else
bool matvec_fits(const MatmulShape *shape) {
  (void)shape;
  return false;
}
size_t matvec_scratch(const MatmulShape *shape) {
  (void)shape;
  return 0;
}
void matvec_run(const MatmulShape *shape, const void *lhs, const void *rhs, void *out,
                void *scratch) {
  (void)shape, (void)lhs, (void)rhs, (void)out, (void)scratch;
}
#endif
