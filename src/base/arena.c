// A list of chunks that double in size up to 8 MiB; an allocation bumps a pointer. Rewinding frees
// chunks, but for the first one and a spare one if these are small. Under ASan free memory is
// poisoned, so a stale pointer is reported. Allocation is amortized O(1).
#include "base/arena.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"

#ifdef ARENA_POISONED
#include <sanitizer/asan_interface.h>
#define POISON(p, n) __asan_poison_memory_region((p), (n))
#define UNPOISON(p, n) __asan_unpoison_memory_region((p), (n))
#else
#define POISON(p, n) ((void)(p), (void)(n))
#define UNPOISON(p, n) ((void)(p), (void)(n))
#endif

enum { ALIGN = 16, FIRST_BYTES = 4096, MOST_BYTES = 8 << 20, MOST_SPARE = 1 << 18 };

struct ArenaChunk {
  ArenaChunk *older;
  size_t bytes;  // of the payload
};

static const size_t header_bytes = (sizeof(ArenaChunk) + ALIGN - 1) / ALIGN * ALIGN;

static char *chunk_payload(ArenaChunk *chunk) { return (char *)chunk + header_bytes; }

void arena_init(Arena *arena, Guard *guard) { *arena = (Arena){.guard = guard}; }

static void free_chunk(ArenaChunk *chunk) {
  if (!chunk) return;
  UNPOISON(chunk_payload(chunk), chunk->bytes);
  mem_free(chunk);
}

// The larger of the dropped chunk and the spare one stays, so that a mark at a chunk's end does not
// allocate and free in turns.
static void drop_chunk(Arena *arena) {
  ArenaChunk *chunk = arena->chunk, *spare = arena->spare;
  arena->chunk = chunk->older;
  arena->bytes -= chunk->bytes;
  bool keeps = chunk->bytes <= MOST_SPARE && (!spare || spare->bytes < chunk->bytes);
  if (keeps) arena->spare = chunk;
  free_chunk(keeps ? spare : chunk);
}

void arena_deinit(Arena *arena) {
  while (arena->chunk) drop_chunk(arena);
  free_chunk(arena->spare);
  arena->spare = NULL;
  arena->at = arena->end = NULL;
}

void arena_release(void *arena) { arena_deinit(arena); }

Guard *arena_guard(Arena *arena, Guard *guard) {
  Guard *before = arena->guard;
  arena->guard = guard;
  return before;
}

static void add_chunk(Arena *arena, size_t need) {
  size_t bytes = arena->chunk ? arena->chunk->bytes * 2 : FIRST_BYTES;
  if (bytes > MOST_BYTES) bytes = MOST_BYTES;
  if (bytes < need) bytes = need;
  bytes = (bytes + ALIGN - 1) / ALIGN * ALIGN;
  if (arena->limit_bytes &&
      (bytes > arena->limit_bytes || arena->bytes > arena->limit_bytes - bytes))
    bytes = need;  // near the limit, take only what is needed
  if (arena->limit_bytes &&
      (bytes > arena->limit_bytes || arena->bytes > arena->limit_bytes - bytes))
    guard_throw(arena->guard,
                status_new(RESOURCE_EXHAUSTED, __FILE__, __LINE__,
                           "needs more than the limit of %zu bytes", arena->limit_bytes));
  ArenaChunk *chunk = arena->spare;
  if (chunk && chunk->bytes >= need && chunk->bytes <= bytes) {
    arena->spare = NULL;
    bytes = chunk->bytes;
  } else {
    size_t total;
    chunk = size_add(bytes, header_bytes, &total) ? mem_alloc(total) : NULL;
    if (!chunk) guard_throw(arena->guard, status_no_memory());
    chunk->bytes = bytes;
  }
  chunk->older = arena->chunk;
  arena->chunk = chunk;
  arena->bytes += bytes;
  arena->at = chunk_payload(chunk);
  arena->end = arena->at + bytes;
  POISON(arena->at, bytes);
}

void *arena_alloc_slow(Arena *arena, size_t bytes) {
  if (bytes > SIZE_MAX / 2) guard_throw(arena->guard, status_no_memory());
  size_t rounded = (bytes + ALIGN - 1) / ALIGN * ALIGN;
  if ((size_t)(arena->end - arena->at) < rounded || !arena->at) add_chunk(arena, rounded);
  char *block = arena->at;
  arena->at += rounded;
  UNPOISON(block, bytes);
  return block;
}

void *arena_calloc(Arena *arena, size_t count, size_t size) {
  size_t bytes;
  if (!size_mul(count, size, &bytes)) guard_throw(arena->guard, status_no_memory());
  void *block = arena_alloc(arena, bytes);
  memset(block, 0, bytes);
  return block;
}

void *arena_copy(Arena *arena, const void *from, size_t bytes) {
  void *block = arena_alloc(arena, bytes);
  if (bytes) memcpy(block, from, bytes);
  return block;
}

char *arena_printf(Arena *arena, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  va_list again;
  va_copy(again, args);
  int n = vsnprintf(NULL, 0, fmt, args);
  va_end(args);
  size_t bytes = n < 0 ? 1 : (size_t)n + 1;
  char *text = arena_alloc(arena, bytes);
  text[0] = '\0';
  if (n >= 0) vsnprintf(text, bytes, fmt, again);
  va_end(again);
  return text;
}

// The chunks go behind the newest one, in which the arena allocates.
void arena_adopt(Arena *arena, Arena *from) {
  ArenaChunk *oldest = from->chunk;
  while (oldest && oldest->older) oldest = oldest->older;
  if (oldest && arena->chunk) {
    oldest->older = arena->chunk->older;
    arena->chunk->older = from->chunk;
  } else if (oldest) {
    arena->chunk = from->chunk;
    arena->at = from->at;
    arena->end = from->end;
  }
  arena->bytes += from->bytes;
  from->chunk = NULL;
  from->bytes = 0;
  from->at = from->end = NULL;
  arena_deinit(from);
}

ArenaMark arena_mark(const Arena *arena) { return (ArenaMark){arena->chunk, arena->at}; }

// Newer chunks are freed; the mark's chunk continues at the mark. O(chunks freed).
void arena_rewind(Arena *arena, ArenaMark mark) {
  while (arena->chunk != mark.chunk) {
    bool oldest = !arena->chunk->older && arena->chunk->bytes <= MOST_SPARE;
    if (oldest && !mark.chunk) break;  // it stays
    drop_chunk(arena);
  }
  arena->at = !mark.chunk && arena->chunk ? chunk_payload(arena->chunk) : mark.at;
  arena->end = arena->chunk ? chunk_payload(arena->chunk) + arena->chunk->bytes : NULL;
  if (arena->at) POISON(arena->at, (size_t)(arena->end - arena->at));
}
