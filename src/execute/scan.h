// Small counted loops as one kernel.
//
// A loop whose trip count is known and whose body computes one short row per iteration is a loop of
// tensor/loop.h with one more grid dimension, the iterations, whose rows run in order. It costs no
// instruction, no condition and no copy per iteration.
#ifndef TESSERA_EXECUTE_SCAN_H
#define TESSERA_EXECUTE_SCAN_H

#include "execute/executable.h"

typedef struct ScanKernel {
  uint32_t n_in;
  const ValueId *in;  // the initial values of the loop's carries, then values from outside
  Kernel kernel;      // outputs: the loop's results, each in place of its initial value
} ScanKernel;

// A kernel for a loop whose lists are lowered, without the copies to carries. False: the loop is
// too big, its trip count is not known, or its body has other kernels than fused loops, slices and
// updates at positions that advance evenly. O(steps of the body).
bool scan_make(Executable *exe, const Instr *loop, ScanKernel *out);

#endif
