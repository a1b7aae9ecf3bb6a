// Rows by index: the loops of gathers and scatters whose windows are whole rows of a matrix, with
// one i32 index per row.
#ifndef TESSERA_EXECUTE_KERNELS_ROWS_H
#define TESSERA_EXECUTE_KERNELS_ROWS_H

#include "execute/kernels/combine.h"

// to[i] = from[clamp(indices[i], 0, most)] for rows of `bytes` bytes. O(n bytes).
void rows_gather(const int32_t *indices, int64_t n, int64_t most, size_t bytes, const char *from,
                 char *to);

typedef struct RowsScatter {
  const CombineRows *combine;  // NULL: the update replaces the row
  bool sums_f32;
  int64_t width;  // elements of a row
  size_t bytes;   // of a row
} RowsScatter;
// For all i in order with first <= indices[i] < last: row indices[i] of `to` is combined with row i
// of `updates`. O(n) and O(bytes) per row inside.
void rows_scatter(const RowsScatter *s, const int32_t *indices, int64_t n, int64_t first,
                  int64_t last, const char *updates, char *to);
// The same for a result that is not the operand: rows first … last - 1 of `from` are combined with
// their updates and written to `to` once, past the caches. scratch: of rows_copy_scratch bytes.
void rows_copy_scatter(const RowsScatter *s, const int32_t *indices, int64_t n, int64_t first,
                       int64_t last, const char *from, const char *updates, char *to,
                       void *scratch);
size_t rows_copy_scratch(const RowsScatter *s, int64_t n, int64_t rows);

#endif
