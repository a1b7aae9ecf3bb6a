// Problem: embeddings, their gradients and segment sums read or write rows at random places.
// Idea: rows that are needed soon are prefetched. A tile of a scatter owns rows [first, last); it
// tests 64 indices at once and looks at single ones only if some are its own, so that several tiles
// may scan the same indices.
// Invariant: updates of a row are applied in the order of their indices.
// Cost: O(bytes moved) and 1/8 ns per index that is another tile's.
#include "execute/kernels/rows.h"

#include <string.h>

#include "execute/kernels/stream.h"
#include "tensor/vectorize.h"

enum { AHEAD = 8, BLOCK = 64, LINE = 64, LINES_AHEAD = 16 };

static void prefetch_row(const char *row, size_t bytes) {
  size_t most = bytes < LINES_AHEAD * LINE ? bytes : LINES_AHEAD * LINE;
  for (size_t at = 0; at < most; at += LINE) __builtin_prefetch(row + at);
}

static int64_t clamped(int64_t x, int64_t most) { return x < 0 ? 0 : x > most ? most : x; }

VECTOR_BODY void gather_body(const int32_t *indices, int64_t n, int64_t most, size_t bytes,
                             const char *from, char *to) {
  for (int64_t i = 0; i < n; i++) {
    if (i + AHEAD < n)
      prefetch_row(from + (size_t)clamped(indices[i + AHEAD], most) * bytes, bytes);
    memcpy(to + (size_t)i * bytes, from + (size_t)clamped(indices[i], most) * bytes, bytes);
  }
}
VECTOR_CLONES(gather,
              (const int32_t *indices, int64_t n, int64_t most, size_t bytes, const char *from,
               char *to),
              (indices, n, most, bytes, from, to))

void rows_gather(const int32_t *indices, int64_t n, int64_t most, size_t bytes, const char *from,
                 char *to) {
  gather(indices, n, most, bytes, from, to);
}

// Is one of the block's indices in [first, first + range)?
VECTOR_BODY void any_inside_body(const int32_t *indices, int64_t n, uint32_t first, uint32_t range,
                                 uint32_t *out) {
  uint32_t any = 0;
  for (int64_t i = 0; i < n; i++) any |= (uint32_t)indices[i] - first < range;
  *out = any;
}
VECTOR_CLONES(any_inside,
              (const int32_t *indices, int64_t n, uint32_t first, uint32_t range, uint32_t *out),
              (indices, n, first, range, out))

// The block's rows of f32 sums: one function, so that nothing is called per row.
VECTOR_BODY void sum_rows_body(const int32_t *indices, int64_t n, uint32_t first, uint32_t range,
                               int64_t width, const float *restrict updates, float *restrict to) {
  for (int64_t i = 0; i < n; i++) {
    uint32_t row = (uint32_t)indices[i];
    if (row - first >= range) continue;
    const float *from = updates + i * width;
    float *sum = to + (int64_t)row * width;
    for (int64_t k = 0; k < width; k++) sum[k] += from[k];
  }
}
VECTOR_CLONES(sum_rows,
              (const int32_t *indices, int64_t n, uint32_t first, uint32_t range, int64_t width,
               const float *restrict updates, float *restrict to),
              (indices, n, first, range, width, updates, to))

static void apply(const RowsScatter *s, const char *from, char *to) {
  if (s->combine)
    s->combine->rows(to, from, s->width);
  else
    memcpy(to, from, s->bytes);
}

static void scatter_block(const RowsScatter *s, const int32_t *indices, int64_t n, uint32_t first,
                          uint32_t range, const char *updates, char *to) {
  if (s->sums_f32) {
    sum_rows(indices, n, first, range, s->width, (const float *)(const void *)updates,
             (float *)(void *)to);
    return;
  }
  for (int64_t i = 0; i < n; i++)
    if ((uint32_t)indices[i] - first < range)
      apply(s, updates + (size_t)i * s->bytes, to + (size_t)indices[i] * s->bytes);
}

void rows_scatter(const RowsScatter *s, const int32_t *indices, int64_t n, int64_t first,
                  int64_t last, const char *updates, char *to) {
  if (last <= first || first > INT32_MAX) return;
  uint32_t from = (uint32_t)first, range = (uint32_t)(last - first), any;
  for (int64_t at = 0; at < n; at += BLOCK) {
    int64_t count = n - at < BLOCK ? n - at : BLOCK;
    any_inside(indices + at, count, from, range, &any);
    if (any)
      scatter_block(s, indices + at, count, from, range, updates + (size_t)at * s->bytes, to);
  }
}

size_t rows_copy_scratch(const RowsScatter *s, int64_t n, int64_t rows) {
  return (s->bytes + 63) / 64 * 64 + (size_t)(n + rows) * sizeof(int32_t);
}

void rows_copy_scatter(const RowsScatter *s, const int32_t *indices, int64_t n, int64_t first,
                       int64_t last, const char *from, const char *updates, char *to,
                       void *scratch) {
  char *row = scratch;
  int32_t *head = (int32_t *)(void *)(row + (s->bytes + 63) / 64 * 64), *next = head + last - first;
  memset(head, -1, (size_t)(last - first) * sizeof *head);
  uint32_t range = (uint32_t)(last - first), any;
  for (int64_t at = (n - 1) / BLOCK * BLOCK; at >= 0; at -= BLOCK) {  // so that lists are in order
    int64_t end = n - at < BLOCK ? n : at + BLOCK;
    any_inside(indices + at, end - at, (uint32_t)first, range, &any);
    for (int64_t i = end; any && i-- > at;) {
      uint32_t own = (uint32_t)indices[i] - (uint32_t)first;
      if (own >= range) continue;
      next[i] = head[own];
      head[own] = (int32_t)i;
      prefetch_row(updates + (size_t)i * s->bytes, s->bytes);
    }
  }
  for (int64_t r = first; r < last; r++) {
    const char *source = from + (size_t)r * s->bytes;
    if (head[r - first] >= 0) {
      memcpy(row, source, s->bytes);
      for (int32_t i = head[r - first]; i >= 0; i = next[i])
        apply(s, updates + (size_t)i * s->bytes, row);
      source = row;
    }
    stream_copy(to + (size_t)r * s->bytes, source, s->bytes);
  }
}
