// The only caller of malloc, so that tests can make the k-th allocation fail.
#ifndef TESSERA_BASE_MEM_H
#define TESSERA_BASE_MEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

void *mem_alloc(size_t bytes);  // NULL without memory; bytes == 0 gives a unique pointer
void *mem_realloc(void *old, size_t bytes);  // the old block stays valid when NULL is returned
void mem_free(void *block);                  // NULL is fine

// Maps a stack of `bytes` (a multiple of the page size) for code that does not run on its thread's
// stack: address space whose pages take memory at first touch. With `fence` the lowest page is
// inaccessible, so that an overflow stops the process instead of writing elsewhere; each fence
// takes two of the kernel's mappings (vm.max_map_count). NULL without memory.
void *mem_stack_new(size_t bytes, bool fence);
void mem_stack_free(void *stack, size_t bytes);  // NULL is fine
size_t mem_page_bytes(void);

// Maps zeroed pages, huge ones if there are many: for large memory that lives long. NULL without
// memory.
void *mem_pages_new(size_t bytes);
void mem_pages_free(void *pages, size_t bytes);  // NULL is fine

// Makes the k-th allocation from now on (k = 1 is the next one), and all later ones, fail on this
// thread; k = 0 disables that. Returns the number of allocations of this thread since the last
// call.
uint64_t mem_fail_at(uint64_t k);

// a*b and a+b; false on overflow (*out is then not written).
static inline bool size_mul(size_t a, size_t b, size_t *out) {
  return !__builtin_mul_overflow(a, b, out);
}
static inline bool size_add(size_t a, size_t b, size_t *out) {
  return !__builtin_add_overflow(a, b, out);
}

#endif
