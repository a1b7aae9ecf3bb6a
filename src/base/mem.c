// malloc with a counter per thread. The counters are thread-local test hooks, the only state of the
// tree outside a session, since an allocation knows no session.
// Stacks are anonymous mappings, which are not in POSIX but on every system.
#define _DEFAULT_SOURCE 1
#include "base/mem.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static _Thread_local uint64_t allocations;
static _Thread_local uint64_t fail_at;

static bool denied(void) {
  allocations++;
  return fail_at && allocations >= fail_at;
}

void *mem_alloc(size_t bytes) { return denied() ? NULL : malloc(bytes ? bytes : 1); }

void *mem_realloc(void *old, size_t bytes) {
  return denied() ? NULL : realloc(old, bytes ? bytes : 1);
}

void mem_free(void *block) { free(block); }

// Reserves no swap: most pages are never touched.
#ifdef MAP_NORESERVE
#define STACK_FLAGS (MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE)
#else
#define STACK_FLAGS (MAP_PRIVATE | MAP_ANONYMOUS)
#endif

size_t mem_page_bytes(void) {
  long bytes = sysconf(_SC_PAGESIZE);
  return bytes < 1 ? 4096 : (size_t)bytes;
}

void *mem_stack_new(size_t bytes, bool fence) {
  if (denied()) return NULL;
  void *stack = mmap(NULL, bytes, PROT_READ | PROT_WRITE, STACK_FLAGS, -1, 0);
  if (stack == MAP_FAILED) return NULL;
#ifdef MADV_NOHUGEPAGE
  // A huge page would commit 2 MiB at first touch. Kernels without huge pages refuse; fine.
  (void)madvise(stack, bytes, MADV_NOHUGEPAGE);
#endif
  if (fence && mprotect(stack, mem_page_bytes(), PROT_NONE) != 0) {
    munmap(stack, bytes);
    return NULL;
  }
  return stack;
}

void mem_stack_free(void *stack, size_t bytes) {
  if (stack) munmap(stack, bytes);
}

uint64_t mem_fail_at(uint64_t k) {
  uint64_t made = allocations;
  allocations = 0;
  fail_at = k;
  return made;
}

void *mem_pages_new(size_t bytes) {
  if (denied()) return NULL;
  void *pages =
      mmap(NULL, bytes ? bytes : 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED) return NULL;
#ifdef MADV_HUGEPAGE
  static const size_t huge = (size_t)2 << 20;
  if (bytes >= 2 * huge) madvise(pages, bytes, MADV_HUGEPAGE);
#endif
  return pages;
}

void mem_pages_free(void *pages, size_t bytes) {
  if (pages) munmap(pages, bytes ? bytes : 1);
}
