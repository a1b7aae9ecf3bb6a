// Strided copies. Dimensions of size 1 vanish, and neighbours that are contiguous in both views
// merge, so that most copies have rank 2 or 3. The innermost dimension ("columns") is the one with
// the smallest stride of the destination. If another dimension is contiguous in the source, it
// becomes the rows, and blocks of one cache line by as many elements are
// transposed in the L1 cache, so that every line is read and written once. Otherwise
// rows are copied one by one: as bytes if contiguous, filled if the source does not move, else by
// element. O(bytes).
#include "execute/kernels/moves.h"

#include <string.h>

#include "execute/kernel.h"
#include "tensor/vectorize.h"

enum { UNIT_BYTES = 32 << 10, BLOCK_ROWS = 128 };

static uint64_t chunks_of(int64_t n, int64_t chunk) { return (uint64_t)((n + chunk - 1) / chunk); }
static int64_t magnitude(int64_t x) { return x < 0 ? -x : x; }

static void swap_dims(Moves *c, uint32_t a, uint32_t b) {
  int64_t dim = c->dims[a], from = c->from[a], to = c->to[a];
  c->dims[a] = c->dims[b], c->from[a] = c->from[b], c->to[a] = c->to[b];
  c->dims[b] = dim, c->from[b] = from, c->to[b] = to;
}

// Moves dimension d to position `last`, keeping the order of the others.
static void move_last(Moves *c, uint32_t d, uint32_t last) {
  for (; d < last; d++) swap_dims(c, d, d + 1);
}

// Descending strides of the destination, so that it is written in the order of its memory.
static void order_by_destination(Moves *c) {
  for (uint32_t i = 1; i < c->rank; i++)
    for (uint32_t j = i; j > 0 && magnitude(c->to[j - 1]) < magnitude(c->to[j]); j--)
      swap_dims(c, j - 1, j);
}

static void merge_neighbours(Moves *c) {
  uint32_t n = 0;
  for (uint32_t d = 0; d < c->rank; d++) {
    if (n && c->from[n - 1] == c->dims[d] * c->from[d] && c->to[n - 1] == c->dims[d] * c->to[d]) {
      c->dims[n - 1] *= c->dims[d];
      c->from[n - 1] = c->from[d];
      c->to[n - 1] = c->to[d];
      continue;
    }
    c->dims[n] = c->dims[d], c->from[n] = c->from[d], c->to[n] = c->to[d];
    n++;
  }
  c->rank = n;
}

// Units of about UNIT_BYTES: several rows, or a part of a row.
static void choose_units(Moves *c) {
  int64_t rows = c->dims[c->rank - 2], columns = c->dims[c->rank - 1], item = (int64_t)c->item;
  int64_t most_columns = c->transposes ? 1024 : 2 * UNIT_BYTES / item;
  c->columns_per_unit = columns > most_columns ? most_columns : columns;
  int64_t per_unit = UNIT_BYTES / (c->columns_per_unit * item);
  if (c->transposes) per_unit = BLOCK_ROWS;
  if (per_unit < 1) per_unit = 1;
  c->rows_per_unit = per_unit < rows ? per_unit : rows;
  c->units = chunks_of(rows, c->rows_per_unit) * chunks_of(columns, c->columns_per_unit);
  for (uint32_t d = 0; d + 2 < c->rank; d++) c->units *= (uint64_t)c->dims[d];
}

void moves_init(Moves *c, size_t item, uint32_t rank, const int64_t *dims,
                const int64_t *from_strides, const int64_t *to_strides) {
  *c = (Moves){.item = item};
  for (uint32_t d = 0; d < rank; d++) {
    if (dims[d] == 0) return;
    if (dims[d] == 1) continue;
    c->dims[c->rank] = dims[d];
    c->from[c->rank] = from_strides[d];
    c->to[c->rank] = to_strides[d];
    c->rank++;
  }
  order_by_destination(c);
  merge_neighbours(c);
  while (c->rank < 2) {  // a row of one element, or one row
    memmove(c->dims + 1, c->dims, c->rank * sizeof *c->dims);
    memmove(c->from + 1, c->from, c->rank * sizeof *c->from);
    memmove(c->to + 1, c->to, c->rank * sizeof *c->to);
    c->dims[0] = 1, c->from[0] = c->to[0] = 0;
    c->rank++;
    if (c->rank == 1) c->from[0] = c->to[0] = (int64_t)item;
  }
  uint32_t columns = c->rank - 1;
  int64_t bytes = (int64_t)item;
  if (c->to[columns] == bytes && c->from[columns] != bytes && c->from[columns] != 0)
    for (uint32_t d = 0; d < columns; d++)
      if (c->from[d] == bytes && c->dims[d] >= 4) {
        move_last(c, d, columns - 1);
        c->transposes = true;
        break;
      }
  choose_units(c);
}

double moves_seconds(const Moves *c) {
  double bytes = (double)c->item * (c->transposes ? 2 : 1);
  for (uint32_t d = 0; d < c->rank; d++) bytes *= (double)c->dims[d];
  bool rows = c->from[c->rank - 1] == (int64_t)c->item || c->from[c->rank - 1] == 0;
  return kernel_seconds(rows || c->transposes ? RATE_copy : RATE_strided, bytes);
}

// ---- rows ----

// Transposes of squares, one cache line wide. Step s exchanges the off-diagonal blocks of size s of
// all squares of size 2 s, for s = 1, 2, 4 …: each result is one shuffle of two rows.
typedef uint16_t Lanes2 __attribute__((vector_size(64)));
VECTOR_BODY void square_2(const char *from, int64_t from_step, char *to, int64_t to_step) {
  Lanes2 r[32];
  _Pragma("GCC unroll 32") for (int i = 0; i < 32; i++) memcpy(&r[i], from + i * from_step, 64);
  _Pragma("GCC unroll 32") for (int i = 0; i < 32; i++) {
    if (i & 1) continue;
    Lanes2 a = r[i], b = r[i + 1];
    r[i] = __builtin_shufflevector(a, b, 0, 32, 2, 34, 4, 36, 6, 38, 8, 40, 10, 42, 12, 44, 14, 46,
                                   16, 48, 18, 50, 20, 52, 22, 54, 24, 56, 26, 58, 28, 60, 30, 62);
    r[i + 1] =
        __builtin_shufflevector(a, b, 1, 33, 3, 35, 5, 37, 7, 39, 9, 41, 11, 43, 13, 45, 15, 47, 17,
                                49, 19, 51, 21, 53, 23, 55, 25, 57, 27, 59, 29, 61, 31, 63);
  }
  _Pragma("GCC unroll 32") for (int i = 0; i < 32; i++) {
    if (i & 2) continue;
    Lanes2 a = r[i], b = r[i + 2];
    r[i] = __builtin_shufflevector(a, b, 0, 1, 32, 33, 4, 5, 36, 37, 8, 9, 40, 41, 12, 13, 44, 45,
                                   16, 17, 48, 49, 20, 21, 52, 53, 24, 25, 56, 57, 28, 29, 60, 61);
    r[i + 2] =
        __builtin_shufflevector(a, b, 2, 3, 34, 35, 6, 7, 38, 39, 10, 11, 42, 43, 14, 15, 46, 47,
                                18, 19, 50, 51, 22, 23, 54, 55, 26, 27, 58, 59, 30, 31, 62, 63);
  }
  _Pragma("GCC unroll 32") for (int i = 0; i < 32; i++) {
    if (i & 4) continue;
    Lanes2 a = r[i], b = r[i + 4];
    r[i] = __builtin_shufflevector(a, b, 0, 1, 2, 3, 32, 33, 34, 35, 8, 9, 10, 11, 40, 41, 42, 43,
                                   16, 17, 18, 19, 48, 49, 50, 51, 24, 25, 26, 27, 56, 57, 58, 59);
    r[i + 4] =
        __builtin_shufflevector(a, b, 4, 5, 6, 7, 36, 37, 38, 39, 12, 13, 14, 15, 44, 45, 46, 47,
                                20, 21, 22, 23, 52, 53, 54, 55, 28, 29, 30, 31, 60, 61, 62, 63);
  }
  _Pragma("GCC unroll 32") for (int i = 0; i < 32; i++) {
    if (i & 8) continue;
    Lanes2 a = r[i], b = r[i + 8];
    r[i] = __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7, 32, 33, 34, 35, 36, 37, 38, 39, 16,
                                   17, 18, 19, 20, 21, 22, 23, 48, 49, 50, 51, 52, 53, 54, 55);
    r[i + 8] =
        __builtin_shufflevector(a, b, 8, 9, 10, 11, 12, 13, 14, 15, 40, 41, 42, 43, 44, 45, 46, 47,
                                24, 25, 26, 27, 28, 29, 30, 31, 56, 57, 58, 59, 60, 61, 62, 63);
  }
  _Pragma("GCC unroll 32") for (int i = 0; i < 32; i++) {
    if (i & 16) continue;
    Lanes2 a = r[i], b = r[i + 16];
    r[i] = __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 32,
                                   33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47);
    r[i + 16] =
        __builtin_shufflevector(a, b, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30,
                                31, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63);
  }
  _Pragma("GCC unroll 32") for (int i = 0; i < 32; i++) memcpy(to + i * to_step, &r[i], 64);
}
typedef uint32_t Lanes4 __attribute__((vector_size(64)));
VECTOR_BODY void square_4(const char *from, int64_t from_step, char *to, int64_t to_step) {
  Lanes4 r[16];
  _Pragma("GCC unroll 16") for (int i = 0; i < 16; i++) memcpy(&r[i], from + i * from_step, 64);
  _Pragma("GCC unroll 16") for (int i = 0; i < 16; i++) {
    if (i & 1) continue;
    Lanes4 a = r[i], b = r[i + 1];
    r[i] = __builtin_shufflevector(a, b, 0, 16, 2, 18, 4, 20, 6, 22, 8, 24, 10, 26, 12, 28, 14, 30);
    r[i + 1] =
        __builtin_shufflevector(a, b, 1, 17, 3, 19, 5, 21, 7, 23, 9, 25, 11, 27, 13, 29, 15, 31);
  }
  _Pragma("GCC unroll 16") for (int i = 0; i < 16; i++) {
    if (i & 2) continue;
    Lanes4 a = r[i], b = r[i + 2];
    r[i] = __builtin_shufflevector(a, b, 0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29);
    r[i + 2] =
        __builtin_shufflevector(a, b, 2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31);
  }
  _Pragma("GCC unroll 16") for (int i = 0; i < 16; i++) {
    if (i & 4) continue;
    Lanes4 a = r[i], b = r[i + 4];
    r[i] = __builtin_shufflevector(a, b, 0, 1, 2, 3, 16, 17, 18, 19, 8, 9, 10, 11, 24, 25, 26, 27);
    r[i + 4] =
        __builtin_shufflevector(a, b, 4, 5, 6, 7, 20, 21, 22, 23, 12, 13, 14, 15, 28, 29, 30, 31);
  }
  _Pragma("GCC unroll 16") for (int i = 0; i < 16; i++) {
    if (i & 8) continue;
    Lanes4 a = r[i], b = r[i + 8];
    r[i] = __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23);
    r[i + 8] =
        __builtin_shufflevector(a, b, 8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31);
  }
  _Pragma("GCC unroll 16") for (int i = 0; i < 16; i++) memcpy(to + i * to_step, &r[i], 64);
}
typedef uint64_t Lanes8 __attribute__((vector_size(64)));
VECTOR_BODY void square_8(const char *from, int64_t from_step, char *to, int64_t to_step) {
  Lanes8 r[8];
  _Pragma("GCC unroll 8") for (int i = 0; i < 8; i++) memcpy(&r[i], from + i * from_step, 64);
  _Pragma("GCC unroll 8") for (int i = 0; i < 8; i++) {
    if (i & 1) continue;
    Lanes8 a = r[i], b = r[i + 1];
    r[i] = __builtin_shufflevector(a, b, 0, 8, 2, 10, 4, 12, 6, 14);
    r[i + 1] = __builtin_shufflevector(a, b, 1, 9, 3, 11, 5, 13, 7, 15);
  }
  _Pragma("GCC unroll 8") for (int i = 0; i < 8; i++) {
    if (i & 2) continue;
    Lanes8 a = r[i], b = r[i + 2];
    r[i] = __builtin_shufflevector(a, b, 0, 1, 8, 9, 4, 5, 12, 13);
    r[i + 2] = __builtin_shufflevector(a, b, 2, 3, 10, 11, 6, 7, 14, 15);
  }
  _Pragma("GCC unroll 8") for (int i = 0; i < 8; i++) {
    if (i & 4) continue;
    Lanes8 a = r[i], b = r[i + 4];
    r[i] = __builtin_shufflevector(a, b, 0, 1, 2, 3, 8, 9, 10, 11);
    r[i + 4] = __builtin_shufflevector(a, b, 4, 5, 6, 7, 12, 13, 14, 15);
  }
  _Pragma("GCC unroll 8") for (int i = 0; i < 8; i++) memcpy(to + i * to_step, &r[i], 64);
}
// Other sizes: element by element.
#define SQUARE_LOOP(T, N)                                                                          \
  for (int i = 0; i < N; i++)                                                                      \
    for (int j = 0; j < N; j++)                                                                    \
      memcpy(to + i * to_step + j * (int64_t)sizeof(T),                                            \
             from + j * from_step + i * (int64_t)sizeof(T), sizeof(T));
typedef struct Pair {
  uint64_t half[2];
} Pair;
VECTOR_BODY void square_1(const char *from, int64_t from_step, char *to,
                          int64_t to_step){SQUARE_LOOP(uint8_t, 32)} VECTOR_BODY
    void square_16(const char *from, int64_t from_step, char *to,
                   int64_t to_step){SQUARE_LOOP(Pair, 4)}

#define DEFINE_ROWS(T, name, BLOCK)                                                                \
  VECTOR_BODY void fill_##name##_body(const char *from, char *to, int64_t n) {                     \
    T x;                                                                                           \
    memcpy(&x, from, sizeof x);                                                                    \
    T *out = (T *)(void *)to;                                                                      \
    for (int64_t i = 0; i < n; i++) out[i] = x;                                                    \
  }                                                                                                \
  VECTOR_CLONES(fill_##name, (const char *from, char *to, int64_t n), (from, to, n))               \
  static void row_##name(const char *from, int64_t step, char *to, int64_t to_step, int64_t n) {   \
    for (int64_t i = 0; i < n; i++)                                                                \
      *(T *)(void *)(to + i * to_step) = *(const T *)(const void *)(from + i * step);              \
  }                                                                                                \
  VECTOR_BODY void reverse_##name##_body(const char *from, char *to, int64_t n) {                  \
    const T *in = (const T *)(const void *)from;                                                   \
    T *out = (T *)(void *)to;                                                                      \
    for (int64_t i = 0; i < n; i++) out[i] = in[-i];                                               \
  }                                                                                                \
  VECTOR_CLONES(reverse_##name, (const char *from, char *to, int64_t n), (from, to, n))            \
  VECTOR_BODY void block_##name##_body(const char *from, int64_t from_step, char *to,              \
                                       int64_t to_step, int64_t rows, int64_t columns) {           \
    for (int64_t c = 0; c < columns; c += BLOCK)                                                   \
      for (int64_t r = 0; r < rows; r += BLOCK) {                                                  \
        int64_t nr = rows - r < BLOCK ? rows - r : BLOCK;                                          \
        int64_t nc = columns - c < BLOCK ? columns - c : BLOCK;                                    \
        const char *source = from + c * from_step + r * (int64_t)sizeof(T);                        \
        char *dest = to + r * to_step + c * (int64_t)sizeof(T);                                    \
        if (nr == BLOCK && nc == BLOCK) {                                                          \
          square_##name(source, from_step, dest, to_step);                                         \
        } else {                                                                                   \
          for (int64_t i = 0; i < nr; i++)                                                         \
            for (int64_t j = 0; j < nc; j++)                                                       \
              memcpy(dest + i * to_step + j * (int64_t)sizeof(T),                                  \
                     source + j * from_step + i * (int64_t)sizeof(T), sizeof(T));                  \
        }                                                                                          \
      }                                                                                            \
  }                                                                                                \
  VECTOR_CLONES(block_##name,                                                                      \
                (const char *from, int64_t from_step, char *to, int64_t to_step, int64_t rows,     \
                 int64_t columns),                                                                 \
                (from, from_step, to, to_step, rows, columns))
DEFINE_ROWS(uint8_t, 1, 32) DEFINE_ROWS(uint16_t, 2, 32) DEFINE_ROWS(uint32_t, 4, 16)
    DEFINE_ROWS(uint64_t, 8, 8) DEFINE_ROWS(Pair, 16, 4)

#define BY_SIZE(item, call_1, call_2, call_4, call_8, call_16)                                     \
  switch (item) {                                                                                  \
  case 1: call_1; break;                                                                           \
  case 2: call_2; break;                                                                           \
  case 4: call_4; break;                                                                           \
  case 8: call_8; break;                                                                           \
  default: call_16; break;                                                                         \
  }

        static void copy_row(const Moves *c, const char *from, char *to, int64_t n) {
  uint32_t d = c->rank - 1;
  int64_t step = c->from[d], to_step = c->to[d], item = (int64_t)c->item;
  if (to_step == item && step == item) {
    memcpy(to, from, (size_t)(n * item));
  } else if (to_step == item && step == 0) {
    BY_SIZE(item, fill_1(from, to, n), fill_2(from, to, n), fill_4(from, to, n),
            fill_8(from, to, n), fill_16(from, to, n))
  } else if (to_step == item && step == -item) {
    BY_SIZE(item, reverse_1(from, to, n), reverse_2(from, to, n), reverse_4(from, to, n),
            reverse_8(from, to, n), reverse_16(from, to, n))
  } else {
    BY_SIZE(item, row_1(from, step, to, to_step, n), row_2(from, step, to, to_step, n),
            row_4(from, step, to, to_step, n), row_8(from, step, to, to_step, n),
            row_16(from, step, to, to_step, n))
  }
}

static void copy_rows(const Moves *c, const char *from, char *to, int64_t rows, int64_t columns) {
  uint32_t d = c->rank - 2;
  if (c->transposes) {
    int64_t fs = c->from[d + 1], ts = c->to[d];
    BY_SIZE(c->item, block_1(from, fs, to, ts, rows, columns),
            block_2(from, fs, to, ts, rows, columns), block_4(from, fs, to, ts, rows, columns),
            block_8(from, fs, to, ts, rows, columns), block_16(from, fs, to, ts, rows, columns))
    return;
  }
  for (int64_t r = 0; r < rows; r++) copy_row(c, from + r * c->from[d], to + r * c->to[d], columns);
}

void moves_run(const Moves *c, const void *from, void *to, uint64_t first, uint64_t last) {
  if (first >= last) return;
  uint32_t dr = c->rank - 2, dc = c->rank - 1;
  uint64_t row_chunks = chunks_of(c->dims[dr], c->rows_per_unit),
           column_chunks = chunks_of(c->dims[dc], c->columns_per_unit);
  for (uint64_t unit = first; unit < last;) {
    uint64_t row_chunk = unit % row_chunks, outer = unit / row_chunks;
    uint64_t column_chunk = outer % column_chunks;
    outer /= column_chunks;
    // Consecutive chunks of rows are one call.
    uint64_t end = row_chunk + (last - unit) < row_chunks ? row_chunk + (last - unit) : row_chunks;
    int64_t row = (int64_t)row_chunk * c->rows_per_unit, row_end = (int64_t)end * c->rows_per_unit;
    if (row_end > c->dims[dr]) row_end = c->dims[dr];
    int64_t column = (int64_t)column_chunk * c->columns_per_unit,
            n = c->dims[dc] - column < c->columns_per_unit ? c->dims[dc] - column
                                                           : c->columns_per_unit;
    const char *f = (const char *)from + row * c->from[dr] + column * c->from[dc];
    char *t = (char *)to + row * c->to[dr] + column * c->to[dc];
    for (uint32_t d = dr; d-- > 0; outer /= (uint64_t)c->dims[d]) {
      int64_t i = (int64_t)(outer % (uint64_t)c->dims[d]);
      f += i * c->from[d];
      t += i * c->to[d];
    }
    copy_rows(c, f, t, row_end - row, n);
    unit += end - row_chunk;
  }
}
