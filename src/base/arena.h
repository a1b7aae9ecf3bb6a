// Bump allocation, one arena per lifetime. Nothing in an arena is freed alone; the whole arena is,
// or it is rewound to a mark.
#ifndef TESSERA_BASE_ARENA_H
#define TESSERA_BASE_ARENA_H

#include <stddef.h>
#include <stdint.h>

#include "base/guard.h"

// Under ASan what is not live is poisoned, so every allocation goes the slow way.
#if defined(__SANITIZE_ADDRESS__)
#define ARENA_POISONED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ARENA_POISONED 1
#endif
#endif

typedef struct ArenaChunk ArenaChunk;

typedef struct Arena {
  Guard *guard;        // where exhaustion goes; set by arena_guard around each stage
  ArenaChunk *chunk;   // newest first
  ArenaChunk *spare;   // freed by a rewind, for the next chunk; NULL = none
  char *at, *end;      // free room in the newest chunk
  size_t bytes;        // taken from malloc in all
  size_t limit_bytes;  // RESOURCE_EXHAUSTED beyond this; 0 = none
} Arena;

typedef struct ArenaMark {
  ArenaChunk *chunk;
  char *at;
} ArenaMark;

void arena_init(Arena *arena, Guard *guard);
void arena_deinit(Arena *arena);  // frees all; the arena may be initialised again
void arena_release(void *arena);  // the same, for a GuardCleanup

// Says where exhaustion unwinds to from now on; gives the guard before, to be put back.
Guard *arena_guard(Arena *arena, Guard *guard);

void *arena_alloc_slow(Arena *arena, size_t bytes);
// Never returns NULL: exhaustion throws to the guard. Aligned to 16 bytes; contents undefined.
static inline void *arena_alloc(Arena *arena, size_t bytes) {
#ifndef ARENA_POISONED
  if (bytes < (size_t)(arena->end - arena->at)) {  // the two stay multiples of 16 apart
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
// A printf'd, NUL-terminated string in the arena.
char *arena_printf(Arena *arena, const char *fmt, ...) PRINTF_LIKE(2, 3);

ArenaMark arena_mark(const Arena *arena);
void arena_rewind(Arena *arena, ArenaMark mark);  // frees all that came after the mark

#define ARENA_NEW(arena, T) ((T *)arena_calloc((arena), 1, sizeof(T)))
#define ARENA_ARRAY(arena, T, n) ((T *)arena_calloc((arena), (n), sizeof(T)))

#endif
