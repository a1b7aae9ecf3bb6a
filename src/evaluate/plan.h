// What is known of a program before it runs: where each value stands in its function's frame, and
// after which op it is needed no more.
#ifndef TESSERA_EVALUATE_PLAN_H
#define TESSERA_EVALUATE_PLAN_H

#include "ir/program.h"

typedef struct EvalPlan {
  const uint32_t *slot;           // by value: its place in the frame of the function it stands in
  const uint32_t *n_slots;        // by op: frame size of a function, 0 for other ops
  const uint32_t *release_first;  // by op, one more than there are ops
  const ValueId
      *releases;        // values to release after op o: release_first[o] … release_first[o + 1] - 1
  const bool *dynamic;  // by op: the type of an operand leaves a size open
} EvalPlan;

// Tables in the arena. O(ops + values + uses × nesting between a value and its use).
void eval_plan_init(EvalPlan *plan, const Program *program, Arena *arena);

#endif
