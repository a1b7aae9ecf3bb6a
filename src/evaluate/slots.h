// Static tables for a run: each value's slot in its function's frame, and the values to release
// after each op.
#ifndef TESSERA_EVALUATE_SLOTS_H
#define TESSERA_EVALUATE_SLOTS_H

#include "ir/program.h"

typedef struct EvalSlots {
  const uint32_t *slot;           // per value: its index in the frame of its function
  const uint32_t *n_slots;        // per op: frame size of a function; 0 for other ops
  const uint32_t *release_first;  // per op, + 1
  const ValueId
      *releases;        // values to release after op o: release_first[o] … release_first[o + 1] - 1
  const bool *dynamic;  // per op: an operand's type has dynamic sizes
} EvalSlots;

// Builds the tables in the arena. O(ops + values + uses · nesting between a value and its use).
void eval_slots_init(EvalSlots *slots, const Program *program, Arena *arena);

#endif
