// Stable sorting of positions by a comparison that may fail.
#ifndef TESSERA_TENSOR_MERGE_SORT_H
#define TESSERA_TENSOR_MERGE_SORT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"

// Whether the element at position a goes before the one at b.
typedef Status *(*SortBefore)(void *context, int64_t a, int64_t b, bool *out);

// Fills order[0 … n) with the positions 0 … n-1, sorted stably; scratch has room for n. Terminates
// for any comparison, even one that is no order. O(n log n) comparisons.
Status *merge_sort(int64_t n, int64_t *order, int64_t *scratch, SortBefore before, void *context);

#endif
