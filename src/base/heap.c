// Items are swapped as bytes, so one implementation serves every item type. The children of item i
// are items 2i + 1 and 2i + 2. Sorting builds the heap of the reverse order and repeatedly moves
// its first item to the end: no memory beside the array.
#include "base/heap.h"

typedef struct Heap {
  unsigned char *items;
  const HeapOrder *order;
  bool reverse;
} Heap;

static bool is_before(const Heap *h, uint32_t a, uint32_t b) {
  const HeapOrder *o = h->order;
  const void *x = h->items + a * o->item_bytes, *y = h->items + b * o->item_bytes;
  return h->reverse ? o->before(y, x, o->user) : o->before(x, y, o->user);
}

static void swap(const Heap *h, uint32_t a, uint32_t b) {
  size_t bytes = h->order->item_bytes;
  unsigned char *x = h->items + a * bytes, *y = h->items + b * bytes;
  for (size_t i = 0; i < bytes; i++) {
    unsigned char byte = x[i];
    x[i] = y[i];
    y[i] = byte;
  }
}

// Moves the item at `at` down until no child is before it. O(log count).
static void sift_down(const Heap *h, uint32_t at, uint32_t count) {
  for (uint32_t child; (child = 2 * at + 1) < count; at = child) {
    if (child + 1 < count && is_before(h, child + 1, child)) child++;
    if (!is_before(h, child, at)) return;
    swap(h, at, child);
  }
}

void heap_push(void *items, uint32_t count, const HeapOrder *order) {
  Heap h = {items, order, false};
  for (uint32_t at = count - 1; at && is_before(&h, at, (at - 1) / 2); at = (at - 1) / 2)
    swap(&h, at, (at - 1) / 2);
}

void heap_pop(void *items, uint32_t count, const HeapOrder *order) {
  Heap h = {items, order, false};
  swap(&h, 0, count - 1);
  sift_down(&h, 0, count - 1);
}

void heap_sort(void *items, uint32_t count, const HeapOrder *order) {
  Heap h = {items, order, true};
  for (uint32_t i = count / 2; i > 0; i--) sift_down(&h, i - 1, count);
  for (uint32_t left = count; left > 1; left--) {
    swap(&h, 0, left - 1);
    sift_down(&h, 0, left - 1);
  }
}
