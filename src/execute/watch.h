// What sanitizers learn about a run; nothing in other builds.
//
// ASan: the arena of a device is poisoned except for the operands of its current instruction, and
// red zones lie between buffers. So a kernel that reads or writes anything else is found. TSan:
// each kernel announces its operands, since libraries and compiled loops are not instrumented.
#ifndef TESSERA_EXECUTE_WATCH_H
#define TESSERA_EXECUTE_WATCH_H

#include "base/sanitize.h"
#include "execute/executable.h"

enum { WATCHED = SANITIZE_ADDRESS || SANITIZE_THREAD };

// Offsets with red zones, under ASan; returns the bytes of the arena. `bytes`: without red zones.
uint64_t watch_assign(uint64_t bytes, uint32_t n, Span *spans, Arena *scratch);
void watch_memory_start(void *memory, size_t bytes);
void watch_instr(const Executable *exe, void *const *pointers, const Instr **shown,
                 const Instr *instr);

// Before a run: nothing of a device's memory may be used.
static inline void watch_start(void *memory, size_t bytes) {
  if (WATCHED) watch_memory_start(memory, bytes);
}
// The device runs `instr` now; *shown is the one before, or NULL. pointers: of its refs.
static inline void watch(const Executable *exe, void *const *pointers, const Instr **shown,
                         const Instr *instr) {
  if (WATCHED) watch_instr(exe, pointers, shown, instr);
}
// Before the memory is given back.
static inline void watch_free(void *memory, size_t bytes) { sanitize_show(memory, bytes); }

#endif
