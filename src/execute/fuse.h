// Fused loops: which ops of a block are computed together, and their kernels.
//
// Elementwise ops, broadcasts, iota, splat constants, slices, transposes and reductions that use
// each other become one kernel, which keeps values between them in registers or in a tile.
#ifndef TESSERA_EXECUTE_FUSE_H
#define TESSERA_EXECUTE_FUSE_H

#include "execute/kernel.h"

// One kernel for several ops of a block. It stands in place of the op `at`: all inputs are computed
// before `at` (by ops that stay, or by other loops in front of it), and no output is used before.
typedef struct FusedLoop {
  OpId at;
  uint32_t n_ops, n_in, n_out;
  const OpId *ops;     // computed by it, in program order; no other loop computes them …
  const ValueId *in;   // values from outside, each once
  const ValueId *out;  // results that are used outside, each once
  Kernel kernel;       // buffers: in, then out
} FusedLoop;

typedef struct FuseRequest {
  Program *program;
  Arena *arena;          // of the executable
  const bool *excluded;  // per op: must not be part of a loop
  bool tiles;            // no compiled code: loops run on the tiles
} FuseRequest;

// The loops of a block, without those of regions inside of its ops. Ops whose types are dynamic or
// quantized stay alone, as do ops that no engine of loops computes. Constants and other ops without
// operands may be computed by several loops and are not in `ops` if uses outside remain. O(block).
void fuse_block(const FuseRequest *request, BlockId block, uint32_t *out_n, FusedLoop **out_loops);

// The loop that a kernel of fuse_block runs, on the kernel's buffers; NULL: another kernel.
struct Loop;
const struct Loop *fuse_loop(const Kernel *kernel);

// The value as strides in another one, from which reshapes, transposes and slices of the block make
// it that no loop computes. False: it is not such a view. O(chain * rank^2).
bool fuse_strides(Program *program, ValueId value, BlockId block, const bool *fused,
                  OperandView *out);

// The engine that computes loops on this machine: "LLVM 19 (znver4)", "tiles".
const char *fuse_engine(void);

#endif
