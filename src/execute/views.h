// Kernels that read slices, transposes and reshapes of values where they are, so that these are not
// copied.
#ifndef TESSERA_EXECUTE_VIEWS_H
#define TESSERA_EXECUTE_VIEWS_H

#include "execute/kernel.h"

// The kernel of an op that reads views.
typedef struct ViewFold {
  Kernel kernel;
  OperandView views[VIEW_OPERANDS];
} ViewFold;

typedef struct ViewRequest {
  Program *program;
  Arena *arena;             // of the executable
  const bool *fused;        // per op: a fused loop computes it
  const ViewFold **folds;   // per op, out: NULL if it reads its operands themselves
  bool *dropped;            // per op, out: its result is only read through views
  uint32_t *n_read_inside;  // per value, zeros: uses that read through a view
  bool *is_root;            // per value, false: a fold reads it
} ViewRequest;

// Fills folds and dropped for the ops of a block, after its fused loops are known. O(block).
void views_fold(const ViewRequest *request, BlockId block);

#endif
