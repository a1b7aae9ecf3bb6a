// malloc with a counter per thread. The counters are thread-local test hooks, the only state in the
// tree that does not hang from a session: an allocation has no session at hand.
#include "base/mem.h"

#include <stdlib.h>

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

uint64_t mem_fail_at(uint64_t k) {
  uint64_t made = allocations;
  allocations = 0;
  fail_at = k;
  return made;
}
