// Bottom-up merge sort over positions. Runs double in width and are merged from one array into the
// other. One comparison finds runs that are in order already; they are copied. O(n log n)
// comparisons; n - 1 if the input is sorted.
#include "tensor/merge_sort.h"

#include <string.h>

static Status *merge(const int64_t *from, int64_t *to, int64_t left, int64_t middle, int64_t right,
                     SortBefore before, void *context) {
  int64_t i = left, j = middle, k = left;
  bool swapped = false;
  if (middle < right) TRY(before(context, from[middle], from[middle - 1], &swapped));
  while (swapped && i < middle && j < right) {
    bool take_right;
    TRY(before(context, from[j], from[i], &take_right));
    to[k++] = from[take_right ? j++ : i++];
  }
  memcpy(to + k, from + i, (size_t)(middle - i) * sizeof *to);
  k += middle - i;
  memcpy(to + k, from + j, (size_t)(right - j) * sizeof *to);
  return NULL;
}

Status *merge_sort(int64_t n, int64_t *order, int64_t *scratch, SortBefore before, void *context) {
  int64_t *from = order, *to = scratch;
  for (int64_t i = 0; i < n; i++) from[i] = i;
  for (int64_t width = 1; width < n; width *= 2) {
    for (int64_t left = 0; left < n; left += 2 * width) {
      int64_t middle = n - left < width ? n : left + width,
              right = n - middle < width ? n : middle + width;
      TRY(merge(from, to, left, middle, right, before, context));
    }
    int64_t *kept = from;
    from = to;
    to = kept;
  }
  if (from != order) memcpy(order, from, (size_t)n * sizeof *order);
  return NULL;
}
