// Products of bf16 matrices by AMX tiles. A tile of lhs has 16 rows of 32 numbers along k; a tile
// of rhs has 16 rows, each with 16 columns of 2 numbers along k; one instruction adds their product
// to 16 x 16 sums of f32. Operands are packed into tiles, with zeros beyond their ends. The inner
// loop has 2 x 2 tiles of sums. rhs panels of 32 columns are the outer loop: a panel stays in the
// L2 cache while all rows pass. Sums run along k in one order. O(m * n * k).
#define _GNU_SOURCE  // syscall
#include "tensor/matmul_amx.h"

#include <string.h>

#include "tensor/narrow.h"

#if defined(__x86_64__) && defined(__linux__)
#include <cpuid.h>
#include <immintrin.h>
#include <sys/syscall.h>
#include <unistd.h>

// gcc's intrinsics do not tell which memory they read and write.
#define COMPILER_BARRIER() __asm__ volatile("" ::: "memory")

enum { ROWS = 16, DEPTH = 32, PANEL = 32 };  // of a tile; columns of a panel

bool matmul_amx_wanted(void) {
  enum { REQUEST_PERMISSION = 0x1023, TILE_DATA = 18, BIT_BF16 = 1 << 22, BIT_TILE = 1 << 24 };
  unsigned a, b, c, d;
  if (!__get_cpuid_count(7, 0, &a, &b, &c, &d) || !(d & BIT_BF16) || !(d & BIT_TILE)) return false;
  if (__get_cpuid_count(0x1D, 1, &a, &b, &c, &d) && b != 0) return false;
  return syscall(SYS_arch_prctl, REQUEST_PERMISSION, TILE_DATA) == 0;
}

static int64_t blocks_of(int64_t n, int64_t block) { return (n + block - 1) / block; }

int64_t matmul_amx_panels(const MatmulShape *s) { return blocks_of(s->n, PANEL); }

size_t matmul_amx_pack_bytes(const MatmulShape *s) {
  return (size_t)(matmul_amx_panels(s) * PANEL * blocks_of(s->k, DEPTH) * DEPTH) * sizeof(uint16_t);
}

size_t matmul_amx_scratch(const MatmulShape *s) {
  return (size_t)(blocks_of(s->m, 2 * ROWS) * 2 * ROWS * blocks_of(s->k, DEPTH) * DEPTH) *
             sizeof(uint16_t) +
         4 * ROWS * ROWS * sizeof(float);
}

// Every CPU with AMX has AVX-512.
#define WITH_AVX512 __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq")))

static uint32_t pair_at(const uint16_t *p) {
  uint32_t pair;
  memcpy(&pair, p, sizeof pair);
  return pair;
}

// One tile of rhs: 16 rows of 16 pairs along k. k, columns: how many exist; the rest is 0.
WITH_AVX512 static void pack_tile(const MatmulShape *s, const uint16_t *from, int64_t depth,
                                  int64_t columns, uint32_t *to) {
  bool whole = depth == DEPTH && columns == 16;
  if (!whole) memset(to, 0, 16 * 16 * sizeof *to);
  if (whole && s->rhs_n == 1) {
    for (int64_t k = 0; k < 16; k++) {
      const uint16_t *even = from + 2 * k * s->rhs_k, *odd = even + s->rhs_k;
      for (int64_t j = 0; j < 16; j++) to[k * 16 + j] = even[j] | (uint32_t)odd[j] << 16;
    }
  } else if (whole && s->rhs_k == 1) {
    for (int64_t j = 0; j < 16; j++)
      for (int64_t k = 0; k < 16; k++) to[k * 16 + j] = pair_at(from + j * s->rhs_n + 2 * k);
  } else {
    for (int64_t k = 0; k < depth; k++)
      for (int64_t j = 0; j < columns; j++) {
        uint32_t x = from[k * s->rhs_k + j * s->rhs_n];
        to[k / 2 * 16 + j] |= k % 2 ? x << 16 : x;
      }
  }
}

// A panel: for each 32 numbers of k, two tiles of 16 columns.
void matmul_amx_pack(const MatmulShape *s, const void *rhs, int64_t first, int64_t last,
                     void *packed) {
  const uint16_t *from = rhs;
  int64_t blocks = blocks_of(s->k, DEPTH);
  // Panels are the inner loop: rows of rhs are then read from left to right.
  for (int64_t block = 0; block < blocks; block++)
    for (int64_t panel = first; panel < last; panel++)
      for (int64_t half = 0; half < 2; half++) {
        int64_t k = block * DEPTH, column = panel * PANEL + half * 16;
        int64_t depth = s->k - k < DEPTH ? s->k - k : DEPTH,
                columns = s->n - column < 16 ? s->n - column : 16;
        uint32_t *to = (uint32_t *)packed + ((panel * blocks + block) * 2 + half) * 16 * 16;
        if (columns > 0)
          pack_tile(s, from + k * s->rhs_k + column * s->rhs_n, depth, columns, to);
        else
          memset(to, 0, 16 * 16 * sizeof *to);
      }
}

// Blocks of 32 rows: for each 32 numbers of k, two tiles of 16 rows.
WITH_AVX512 static void pack_lhs(const MatmulShape *s, const uint16_t *from, uint16_t *to) {
  int64_t blocks = blocks_of(s->k, DEPTH);
  for (int64_t row = 0; row < s->m; row += 2 * ROWS)
    for (int64_t block = 0; block < blocks; block++, to += 2 * ROWS * DEPTH) {
      int64_t k = block * DEPTH, depth = s->k - k < DEPTH ? s->k - k : DEPTH;
      int64_t rows = s->m - row < 2 * ROWS ? s->m - row : 2 * ROWS;
      const uint16_t *source = from + row * s->lhs_m + k * s->lhs_k;
      if (depth < DEPTH || rows < 2 * ROWS) memset(to, 0, 2 * ROWS * DEPTH * sizeof *to);
      if (s->lhs_k == 1)
        for (int64_t i = 0; i < rows; i++)
          memcpy(to + i * DEPTH, source + i * s->lhs_m, (size_t)depth * sizeof *to);
      else
        for (int64_t j = 0; j < depth; j++)
          for (int64_t i = 0; i < rows; i++)
            to[i * DEPTH + j] = source[i * s->lhs_m + j * s->lhs_k];
    }
}

// Sums are four tiles [2, 2] of [16, 16].
WITH_AVX512 static void store_block(const MatmulShape *s, const float *sums, int64_t row,
                                    int64_t column, char *out) {
  int64_t rows = s->m - row < 2 * ROWS ? s->m - row : 2 * ROWS;
  for (int64_t i = 0; i < rows; i++)
    for (int64_t half = 0; half < 2; half++) {
      const float *x = sums + (i / ROWS * 2 + half) * ROWS * 16 + i % ROWS * 16;
      int64_t first = column + half * 16, n = s->n - first < 16 ? s->n - first : 16;
      int64_t at = (row + i) * s->out_m + first * s->out_n;
      float *wide = (float *)(void *)out + at;
      uint16_t *narrow = (uint16_t *)(void *)out + at;
      if (s->out_type == MATMUL_F32)
        for (int64_t j = 0; j < n; j++) wide[j * s->out_n] = x[j];
      else if (n == 16 && s->out_n == 1)
        for (int64_t j = 0; j < 16; j++) narrow[j] = bf16_of_f32(x[j]);
      else
        for (int64_t j = 0; j < n; j++) narrow[j * s->out_n] = bf16_of_f32(x[j]);
    }
}

typedef struct TileConfig {
  uint8_t palette, start, reserved[14];
  uint16_t bytes_per_row[16];
  uint8_t rows[16];
} TileConfig;

__attribute__((target("amx-tile,amx-bf16"))) static void
multiply(const uint16_t *a, const uint16_t *b, int64_t depth, float *sums) {
  enum { TILE = ROWS * DEPTH };
  COMPILER_BARRIER();
  _tile_zero(0);
  _tile_zero(1);
  _tile_zero(2);
  _tile_zero(3);
  for (int64_t k = 0; k < depth; k++, a += 2 * TILE, b += 2 * TILE) {
    _tile_loadd(4, a, 64);
    _tile_loadd(6, b, 64);
    _tile_loadd(7, b + TILE, 64);
    _tile_dpbf16ps(0, 4, 6);
    _tile_dpbf16ps(1, 4, 7);
    _tile_loadd(5, a + TILE, 64);
    _tile_dpbf16ps(2, 5, 6);
    _tile_dpbf16ps(3, 5, 7);
  }
  _tile_stored(0, sums, 64);
  _tile_stored(1, sums + ROWS * 16, 64);
  _tile_stored(2, sums + 2 * ROWS * 16, 64);
  _tile_stored(3, sums + 3 * ROWS * 16, 64);
  COMPILER_BARRIER();
}

__attribute__((target("amx-tile"))) static void tiles_begin(void) {
  static const TileConfig config = {.palette = 1,
                                    .bytes_per_row = {64, 64, 64, 64, 64, 64, 64, 64},
                                    .rows = {ROWS, ROWS, ROWS, ROWS, ROWS, ROWS, ROWS, ROWS}};
  _tile_loadconfig(&config);
}
__attribute__((target("amx-tile"))) static void tiles_end(void) { _tile_release(); }

void matmul_amx_run(const MatmulShape *s, const void *lhs, const void *packed, void *out,
                    void *scratch) {
  int64_t depth = blocks_of(s->k, DEPTH), blocks = blocks_of(s->m, 2 * ROWS);
  float *sums = scratch;
  uint16_t *a = (uint16_t *)(void *)(sums + 4 * ROWS * 16);
  pack_lhs(s, lhs, a);
  tiles_begin();
  for (int64_t panel = 0; panel < matmul_amx_panels(s); panel++) {
    const uint16_t *b = (const uint16_t *)packed + panel * depth * DEPTH * PANEL;
    for (int64_t block = 0; block < blocks; block++) {
      multiply(a + block * depth * DEPTH * 2 * ROWS, b, depth, sums);
      store_block(s, sums, block * 2 * ROWS, panel * PANEL, out);
    }
  }
  tiles_end();
}
#else
bool matmul_amx_wanted(void) { return false; }
int64_t matmul_amx_panels(const MatmulShape *s) { return s->n; }
size_t matmul_amx_pack_bytes(const MatmulShape *s) { return (size_t)s->n; }
size_t matmul_amx_scratch(const MatmulShape *s) { return (size_t)s->n; }
void matmul_amx_pack(const MatmulShape *s, const void *rhs, int64_t first, int64_t last,
                     void *packed) {
  (void)s, (void)rhs, (void)first, (void)last, (void)packed;
}
void matmul_amx_run(const MatmulShape *s, const void *lhs, const void *packed, void *out,
                    void *scratch) {
  (void)s, (void)lhs, (void)packed, (void)out, (void)scratch;
}
#endif

bool matmul_amx_fits(const MatmulShape *s) {
  return s->lhs_type == MATMUL_BF16 && s->rhs_type == MATMUL_BF16 &&
         (s->out_type == MATMUL_BF16 || s->out_type == MATMUL_F32);
}
