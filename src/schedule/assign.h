// Static buffer assignment: offsets in one arena for buffers whose live intervals are known.
#ifndef TESSERA_SCHEDULE_ASSIGN_H
#define TESSERA_SCHEDULE_ASSIGN_H

#include <stdint.h>

#include "base/arena.h"

// Alive from position `from` to position `to`, both included.
typedef struct Span {
  uint64_t bytes;
  uint32_t from, to;
  uint64_t offset;  // the answer
} Span;

// Gives each span an offset that is a multiple of `align`, such that spans which are alive at the
// same position do not overlap. Returns the bytes of the arena; UINT64_MAX if they overflow. The
// answer depends on the spans only. O(n log n + n · gaps).
uint64_t assign_offsets(uint32_t n, Span *spans, uint64_t align, Arena *scratch);
// The most bytes that are alive at one position: no assignment needs less. O(n log n).
uint64_t assign_bound(uint32_t n, const Span *spans, uint64_t align, Arena *scratch);

#endif
