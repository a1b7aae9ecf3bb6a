// Bump allocation, one arena per lifetime. Nothing in an arena is freed alone: the arena is freed,
// or rewound to a mark.
#ifndef TESSERA_BASE_ARENA_H
#define TESSERA_BASE_ARENA_H

#include <stddef.h>
#include <stdint.h>

#include "base/guard.h"

// Under ASan free memory is poisoned, so every allocation takes the slow path.
#if defined(__SANITIZE_ADDRESS__)
#define ARENA_POISONED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ARENA_POISONED 1
#endif
#endif

typedef struct ArenaChunk ArenaChunk;

typedef struct Arena {
  Guard *guard;        // out-of-memory is thrown there; set by arena_guard around each stage
  ArenaChunk *chunk;   // the newest chunk
  ArenaChunk *spare;   // dropped by a rewind, reused for the next chunk; NULL = none
  char *at, *end;      // free memory of the newest chunk
  size_t bytes;        // total taken from malloc, without the spare chunk
  size_t limit_bytes;  // RESOURCE_EXHAUSTED above this; 0 = none
} Arena;

typedef struct ArenaMark {
  ArenaChunk *chunk;
  char *at;
} ArenaMark;

void arena_init(Arena *arena, Guard *guard);
void arena_deinit(Arena *arena);  // frees all memory; the arena may be initialized again
void arena_release(void *arena);  // for a GuardCleanup

// Sets the guard that out-of-memory unwinds to; returns the previous one, to be restored.
Guard *arena_guard(Arena *arena, Guard *guard);

void *arena_alloc_slow(Arena *arena, size_t bytes);
// Never returns NULL: out-of-memory throws to the guard. Aligned to 16 bytes; contents undefined.
static inline void *arena_alloc(Arena *arena, size_t bytes) {
#ifndef ARENA_POISONED
  if (bytes < (size_t)(arena->end - arena->at)) {  // their difference is a multiple of 16
    void *block = arena->at;
    arena->at += (bytes + 15) & ~(size_t)15;
    return block;
  }
#endif
  return arena_alloc_slow(arena, bytes);
}
// count * size bytes, zeroed; overflow throws.
void *arena_calloc(Arena *arena, size_t count, size_t size);
void *arena_copy(Arena *arena, const void *from, size_t bytes);
// A formatted, NUL-terminated string in the arena.
char *arena_printf(Arena *arena, const char *fmt, ...) PRINTF_LIKE(2, 3);

// Takes over all memory of `from`, which is empty afterwards: what a task allocated lives as long
// as the arena. A mark made before may or may not free it on rewinding. O(chunks of from).
void arena_adopt(Arena *arena, Arena *from);

ArenaMark arena_mark(const Arena *arena);
void arena_rewind(Arena *arena, ArenaMark mark);  // frees everything allocated after the mark

#define ARENA_NEW(arena, T) ((T *)arena_calloc((arena), 1, sizeof(T)))
#define ARENA_ARRAY(arena, T, n) ((T *)arena_calloc((arena), (n), sizeof(T)))

#endif
