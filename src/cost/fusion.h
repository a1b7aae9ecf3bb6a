// Which values are stored in memory, if a compiler fuses elementwise ops. Decides nothing.
#ifndef TESSERA_COST_FUSION_H
#define TESSERA_COST_FUSION_H

#include "base/arena.h"
#include "ir/program.h"

// Arrays are indexed by value or op.
typedef struct Fusion {
  ValueId *root;    // the value whose buffer it is: a reshape is its operand
  bool *stored;     // of a root: it has a buffer; otherwise it is only in registers
  bool *constant;   // of a root: computed from splat constants and iota where it is used
  uint32_t *group;  // the fusion that an op belongs to, by the id of one of its ops
} Fusion;

// O(program).
void fusion_find(const Program *p, Arena *arena, Fusion *out);

// Bytes of a tensor; 0 for other types and dynamic sizes.
double fusion_bytes(const Program *p, Type type);

#endif
