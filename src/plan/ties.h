// Finds repeated layers: stretches of ops that occur again with the same structure. Their ops get
// equal strategies, so that one layer is planned for all.
#ifndef TESSERA_PLAN_TIES_H
#define TESSERA_PLAN_TIES_H

#include "base/arena.h"

// Where an operand comes from.
typedef struct TieOperand {
  uint32_t position;  // of the op that makes it; TIE_NONE: an argument, constant or border
  uint32_t other;     // then: equal if these are equal (the argument's type …)
} TieOperand;

#define TIE_NONE UINT32_MAX

typedef struct TieOp {
  uint64_t key;    // equal ops have equal keys
  uint32_t first;  // its operands: operands[first] … operands[first + n - 1]
  uint32_t n;
} TieOp;

// Per op, out[i]: an earlier op that it is tied to, or i itself. Returns the number of tied ops.
// O(ops · candidates for the period).
uint32_t ties_find(const TieOp *ops, uint32_t n_ops, const TieOperand *operands, Arena *arena,
                   uint32_t *out);

#endif
