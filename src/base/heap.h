// A binary heap in an array that its owner grows (HEAPVEC, VEC), and sorting by one.
//
//   HEAPVEC_PUSH(guard, &queue, item), heap_push(queue.items, queue.count, &order);
//   heap_pop(queue.items, queue.count, &order), first = queue.items[--queue.count];
#ifndef TESSERA_BASE_HEAP_H
#define TESSERA_BASE_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// A strict weak order of items. If it is total, the result does not depend on the heap's history.
typedef struct HeapOrder {
  size_t item_bytes;
  bool (*before)(const void *a, const void *b, const void *user);
  const void *user;
} HeapOrder;

// Restores the heap after an item was appended: all items but the last are a heap. The first item
// is before all others. O(log count).
void heap_push(void *items, uint32_t count, const HeapOrder *order);
// Moves the first of count > 0 items to the end; the others are a heap. O(log count).
void heap_pop(void *items, uint32_t count, const HeapOrder *order);
// Sorts in ascending order, in place; not stable. O(count log count).
void heap_sort(void *items, uint32_t count, const HeapOrder *order);

#endif
