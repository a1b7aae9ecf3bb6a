// Growable arrays. VEC(T) lives in an arena (never freed; growth leaves the old copy in the arena);
// HEAPVEC(T) is for large tables that one object owns and frees. Out-of-memory throws in both.
//
//   VEC(int64_t) dims = {0};
//   VEC_PUSH(arena, &dims, 4);
//   for (uint32_t i = 0; i < dims.count; i++) use(dims.items[i]);
#ifndef TESSERA_BASE_VEC_H
#define TESSERA_BASE_VEC_H

#include <stdint.h>

#include "base/arena.h"

#define VEC(T)                                                                                     \
  struct {                                                                                         \
    T *items;                                                                                      \
    uint32_t count, capacity;                                                                      \
  }
#define HEAPVEC(T) VEC(T)

// Returns the new items; *capacity >= need afterwards. items may be NULL.
void *vec_grow_arena(Arena *arena, void *items, uint32_t *capacity, uint32_t need,
                     size_t item_bytes);
void *vec_grow_heap(Guard *guard, void *items, uint32_t *capacity, uint32_t need,
                    size_t item_bytes);

#define VEC_RESERVE(arena, v, need)                                                                \
  ((need) > (v)->capacity                                                                          \
       ? (void)((v)->items = vec_grow_arena((arena), (v)->items, &(v)->capacity, (uint32_t)(need), \
                                            sizeof *(v)->items))                                   \
       : (void)0)
#define VEC_PUSH(arena, v, x)                                                                      \
  (VEC_RESERVE(arena, v, (v)->count + 1), (void)((v)->items[(v)->count++] = (x)))

#define HEAPVEC_RESERVE(guard, v, need)                                                            \
  ((need) > (v)->capacity                                                                          \
       ? (void)((v)->items = vec_grow_heap((guard), (v)->items, &(v)->capacity, (uint32_t)(need),  \
                                           sizeof *(v)->items))                                    \
       : (void)0)
#define HEAPVEC_PUSH(guard, v, x)                                                                  \
  (HEAPVEC_RESERVE(guard, v, (v)->count + 1), (void)((v)->items[(v)->count++] = (x)))
#define HEAPVEC_FREE(v)                                                                            \
  (mem_free((v)->items), (void)((v)->items = NULL), (void)((v)->count = (v)->capacity = 0))

#endif
