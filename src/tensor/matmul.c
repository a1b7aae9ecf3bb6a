// A matrix product in plain C, for types and machines without a library's.
//
// Panels of both operands are packed into arrays of the computation type (f32, f64, u32, u64),
// which removes strides and narrow types. An inner loop multiplies 4 rows by 32 columns, whose sums
// stay in vector registers. Sums run over at most 256 elements of k from left to right; the sums of
// these blocks are added in their order. The bits depend on k alone. No multiplication is
// contracted with an addition, so all instruction sets agree. O(batch * m * n * k).
#include "tensor/matmul.h"

#include <string.h>

#include "base/provider.h"
#include "tensor/narrow.h"
#include "tensor/vectorize.h"

// Rows and columns of the inner loop; rows, columns and depth of a packed panel.
enum { ROWS = 4, COLUMNS = 32, PANEL_M = 64, PANEL_N = 128, PANEL_K = 256 };

size_t matmul_bytes(MatmulType type) {
  switch (type) {
  case MATMUL_F32:
  case MATMUL_I32: return 4;
  case MATMUL_F64:
  case MATMUL_I64: return 8;
  case MATMUL_BF16:
  case MATMUL_F16:
  case MATMUL_I16:
  case MATMUL_U16: return 2;
  case MATMUL_I8:
  case MATMUL_U8: return 1;
  }
  return 0;
}

const MatmulEngine *matmul_provider(void) {
  const MatmulEngine *engine = provider_find(ONEDNN_PROVIDER, ONEDNN_SYMBOL);
  return engine && engine->version == MATMUL_VERSION ? engine : NULL;
}

// A strided matrix [rows, columns] as elements of type T, rows of `columns` elements.
#define DEFINE_LOAD(T, name, FROM, convert)                                                        \
  static void name(const FROM *from, int64_t row_stride, int64_t column_stride, int64_t rows,      \
                   int64_t columns, T *to, int64_t to_row) {                                       \
    for (int64_t i = 0; i < rows; i++)                                                             \
      for (int64_t j = 0; j < columns; j++) {                                                      \
        FROM x = from[i * row_stride + j * column_stride];                                         \
        to[i * to_row + j] = convert(x);                                                           \
      }                                                                                            \
  }
#define AS_FLOAT(x) (x)
#define AS_DOUBLE(x) ((double)(x))
#define BF16_DOUBLE(x) ((double)f32_of_bf16(x))
#define F16_DOUBLE(x) ((double)f32_of_f16(x))
#define AS_U32(x) ((uint32_t)(x))
#define AS_U64(x) ((uint64_t)(x))
DEFINE_LOAD(float, load_f32, float, AS_FLOAT)
DEFINE_LOAD(float, load_bf16, uint16_t, f32_of_bf16)
DEFINE_LOAD(float, load_f16, uint16_t, f32_of_f16)
DEFINE_LOAD(double, load_f64_f32, float, AS_DOUBLE)
DEFINE_LOAD(double, load_f64, double, AS_DOUBLE)
DEFINE_LOAD(double, load_f64_bf16, uint16_t, BF16_DOUBLE)
DEFINE_LOAD(double, load_f64_f16, uint16_t, F16_DOUBLE)
DEFINE_LOAD(uint32_t, load_u32_i8, int8_t, AS_U32)
DEFINE_LOAD(uint32_t, load_u32_u8, uint8_t, AS_U32)
DEFINE_LOAD(uint32_t, load_u32_i16, int16_t, AS_U32)
DEFINE_LOAD(uint32_t, load_u32_u16, uint16_t, AS_U32)
DEFINE_LOAD(uint32_t, load_u32_i32, uint32_t, AS_U32)
DEFINE_LOAD(uint64_t, load_u64_i8, int8_t, AS_U64)
DEFINE_LOAD(uint64_t, load_u64_u8, uint8_t, AS_U64)
DEFINE_LOAD(uint64_t, load_u64_i16, int16_t, AS_U64)
DEFINE_LOAD(uint64_t, load_u64_u16, uint16_t, AS_U64)
DEFINE_LOAD(uint64_t, load_u64_i64, uint64_t, AS_U64)

// The computation type: f32, f64, u32 or u64.
static MatmulType computed_in(const MatmulShape *s) {
  if (matmul_is_float(s->out_type))
    return s->lhs_type == MATMUL_F64 || s->rhs_type == MATMUL_F64 || s->out_type == MATMUL_F64
               ? MATMUL_F64
               : MATMUL_F32;
  return s->out_type == MATMUL_I64 ? MATMUL_I64 : MATMUL_I32;
}

#define LOAD(name, type)                                                                           \
  name((const type *)from, row_stride, column_stride, rows, columns, to, to_row)
static void load(MatmulType kind, MatmulType type, const void *from, int64_t row_stride,
                 int64_t column_stride, int64_t rows, int64_t columns, void *to, int64_t to_row) {
  if (kind == MATMUL_F32) {
    if (type == MATMUL_F32) LOAD(load_f32, float);
    if (type == MATMUL_BF16) LOAD(load_bf16, uint16_t);
    if (type == MATMUL_F16) LOAD(load_f16, uint16_t);
  } else if (kind == MATMUL_F64) {
    if (type == MATMUL_F64) LOAD(load_f64, double);
    if (type == MATMUL_F32) LOAD(load_f64_f32, float);
    if (type == MATMUL_BF16) LOAD(load_f64_bf16, uint16_t);
    if (type == MATMUL_F16) LOAD(load_f64_f16, uint16_t);
  } else if (kind == MATMUL_I32) {
    if (type == MATMUL_I8) LOAD(load_u32_i8, int8_t);
    if (type == MATMUL_U8) LOAD(load_u32_u8, uint8_t);
    if (type == MATMUL_I16) LOAD(load_u32_i16, int16_t);
    if (type == MATMUL_U16) LOAD(load_u32_u16, uint16_t);
    if (type == MATMUL_I32) LOAD(load_u32_i32, uint32_t);
  } else {
    if (type == MATMUL_I8) LOAD(load_u64_i8, int8_t);
    if (type == MATMUL_U8) LOAD(load_u64_u8, uint8_t);
    if (type == MATMUL_I16) LOAD(load_u64_i16, int16_t);
    if (type == MATMUL_U16) LOAD(load_u64_u16, uint16_t);
    if (type == MATMUL_I64) LOAD(load_u64_i64, uint64_t);
  }
}

// sums[PANEL_M, PANEL_N] += a [rows, depth] x b [depth, PANEL_N]. Columns come in whole groups of
// COLUMNS; those beyond the matrix hold 0.
#define DEFINE_PANEL(T, name)                                                                      \
  VECTOR_BODY void name##_body(const T *a, const T *b, int64_t rows, int64_t columns,              \
                               int64_t depth, T *sums) {                                           \
    for (int64_t j = 0; j < columns; j += COLUMNS)                                                 \
      for (int64_t i = 0; i < rows; i += ROWS) {                                                   \
        T acc[ROWS][COLUMNS] = {{0}};                                                              \
        for (int64_t k = 0; k < depth; k++)                                                        \
          for (int r = 0; r < ROWS; r++) {                                                         \
            T x = a[(i + r) * PANEL_K + k];                                                        \
            for (int c = 0; c < COLUMNS; c++) acc[r][c] += x * b[k * PANEL_N + j + c];             \
          }                                                                                        \
        for (int r = 0; r < ROWS; r++)                                                             \
          for (int c = 0; c < COLUMNS; c++) sums[(i + r) * PANEL_N + j + c] += acc[r][c];          \
      }                                                                                            \
  }                                                                                                \
  VECTOR_CLONES(name,                                                                              \
                (const T *a, const T *b, int64_t rows, int64_t columns, int64_t depth, T *sums),   \
                (a, b, rows, columns, depth, sums))
DEFINE_PANEL(float, panel_f32)
DEFINE_PANEL(double, panel_f64)
DEFINE_PANEL(uint32_t, panel_u32)
DEFINE_PANEL(uint64_t, panel_u64)

static void store(MatmulType kind, MatmulType type, const void *sums, int64_t count, char *to,
                  size_t stride) {
  for (int64_t j = 0; j < count; j++, to += stride) {
    if (kind == MATMUL_F32) {
      float x = ((const float *)sums)[j];
      uint16_t half = type == MATMUL_BF16 ? bf16_of_f32(x) : f16_of_f32(x);
      if (type == MATMUL_F32)
        memcpy(to, &x, sizeof x);
      else
        memcpy(to, &half, sizeof half);
    } else if (kind == MATMUL_F64) {
      double x = ((const double *)sums)[j];
      float single = (float)x;
      if (type == MATMUL_F64)
        memcpy(to, &x, sizeof x);
      else
        memcpy(to, &single, sizeof single);
    } else {
      uint64_t x = kind == MATMUL_I64 ? ((const uint64_t *)sums)[j] : ((const uint32_t *)sums)[j];
      memcpy(to, &x, matmul_bytes(type));  // little endian
    }
  }
}

size_t matmul_own_scratch(const MatmulShape *shape) {
  size_t item = matmul_bytes(computed_in(shape));
  return item * (PANEL_M * PANEL_K + PANEL_K * PANEL_N + PANEL_M * PANEL_N);
}

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

// The product of one batch element for rows [m, m + rows) and columns [n, n + columns).
static void run_panel(const MatmulShape *s, const char *lhs, const char *rhs, char *out, int64_t m,
                      int64_t n, void *scratch) {
  MatmulType kind = computed_in(s);
  size_t item = matmul_bytes(kind), lb = matmul_bytes(s->lhs_type), rb = matmul_bytes(s->rhs_type),
         ob = matmul_bytes(s->out_type);
  char *a = scratch, *b = a + item * PANEL_M * PANEL_K, *sums = b + item * PANEL_K * PANEL_N;
  int64_t rows = least(PANEL_M, s->m - m), columns = least(PANEL_N, s->n - n);
  int64_t whole_rows = (rows + ROWS - 1) / ROWS * ROWS,
          whole_columns = (columns + COLUMNS - 1) / COLUMNS * COLUMNS;
  memset(sums, 0, item * PANEL_M * PANEL_N);
  memset(a, 0, item * PANEL_M * PANEL_K);
  if (whole_columns > columns) memset(b, 0, item * PANEL_K * PANEL_N);
  for (int64_t k = 0; k < s->k; k += PANEL_K) {
    int64_t depth = least(PANEL_K, s->k - k);
    load(kind, s->lhs_type, lhs + (m * s->lhs_m + k * s->lhs_k) * (int64_t)lb, s->lhs_m, s->lhs_k,
         rows, depth, a, PANEL_K);
    load(kind, s->rhs_type, rhs + (k * s->rhs_k + n * s->rhs_n) * (int64_t)rb, s->rhs_k, s->rhs_n,
         depth, columns, b, PANEL_N);
    if (kind == MATMUL_F32)
      panel_f32((float *)(void *)a, (float *)(void *)b, whole_rows, whole_columns, depth,
                (float *)(void *)sums);
    else if (kind == MATMUL_F64)
      panel_f64((double *)(void *)a, (double *)(void *)b, whole_rows, whole_columns, depth,
                (double *)(void *)sums);
    else if (kind == MATMUL_I32)
      panel_u32((uint32_t *)(void *)a, (uint32_t *)(void *)b, whole_rows, whole_columns, depth,
                (uint32_t *)(void *)sums);
    else
      panel_u64((uint64_t *)(void *)a, (uint64_t *)(void *)b, whole_rows, whole_columns, depth,
                (uint64_t *)(void *)sums);
  }
  for (int64_t i = 0; i < rows; i++)
    store(kind, s->out_type, sums + (size_t)(i * PANEL_N) * item, columns,
          out + ((m + i) * s->out_m + n * s->out_n) * (int64_t)ob, (size_t)s->out_n * ob);
}

void matmul_own_run(const MatmulShape *s, const void *lhs, const void *rhs, void *out,
                    void *scratch) {
  int64_t lb = (int64_t)matmul_bytes(s->lhs_type), rb = (int64_t)matmul_bytes(s->rhs_type),
          ob = (int64_t)matmul_bytes(s->out_type);
  for (int64_t b = 0; b < s->batch; b++)
    for (int64_t n = 0; n < s->n; n += PANEL_N)
      for (int64_t m = 0; m < s->m; m += PANEL_M)
        run_panel(s, (const char *)lhs + b * s->lhs_batch * lb,
                  (const char *)rhs + b * s->rhs_batch * rb, (char *)out + b * s->out_batch * ob, m,
                  n, scratch);
}
