// Growth by doubling: amortized O(1) per item.
#include "base/vec.h"

#include <string.h>

#include "base/mem.h"

static uint32_t next_capacity(Guard *guard, uint32_t capacity, uint32_t need) {
  if (need > UINT32_MAX / 2)
    guard_throw(guard, status_new(RESOURCE_EXHAUSTED, __FILE__, __LINE__,
                                  "a table of %u items is more than this build can hold", need));
  uint32_t next = capacity ? capacity * 2 : 8;
  return next < need ? need : next;
}

void *vec_grow_arena(Arena *arena, void *items, uint32_t *capacity, uint32_t need,
                     size_t item_bytes) {
  uint32_t next = next_capacity(arena->guard, *capacity, need);
  size_t bytes;
  if (!size_mul(next, item_bytes, &bytes)) guard_throw(arena->guard, status_no_memory());
  void *grown = arena_alloc(arena, bytes);
  if (*capacity) memcpy(grown, items, *capacity * item_bytes);
  *capacity = next;
  return grown;
}

void *vec_grow_heap(Guard *guard, void *items, uint32_t *capacity, uint32_t need,
                    size_t item_bytes) {
  uint32_t next = next_capacity(guard, *capacity, need);
  size_t bytes;
  void *grown = size_mul(next, item_bytes, &bytes) ? mem_realloc(items, bytes) : NULL;
  if (!grown) guard_throw(guard, status_no_memory());
  *capacity = next;
  return grown;
}
