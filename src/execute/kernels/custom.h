// Kernels of custom calls (custom_kernels.def), and what they share with cholesky and
// triangular_solve.
#ifndef TESSERA_EXECUTE_KERNELS_CUSTOM_H
#define TESSERA_EXECUTE_KERNELS_CUSTOM_H

#include "execute/kernels/common.h"
#include "tensor/lapack.h"

#define CUSTOM_KERNEL(target, maker) bool maker(const KernelRequest *r, Kernel *out);
#include "execute/kernels/custom_kernels.def"
#undef CUSTOM_KERNEL

// An entry of the dict mhlo.backend_config or backend_config; 0: none.
Attr custom_config(const KernelRequest *r, const char *name);
static inline char custom_flag(const KernelRequest *r, const char *name, char otherwise) {
  return (char)attr_as_int(r->program->context, custom_config(r, name), otherwise);
}

// Operand i is a batch of matrices [batches, m, n] of one of LAPACK's types.
typedef struct Matrices {
  LapackType type;
  DType dtype;
  size_t item;
  int64_t m, n, batches;
} Matrices;
bool matrices_operand(const KernelRequest *r, uint32_t i, Matrices *out);
// Result i exists and has this element type and number of elements.
bool matrices_result(const KernelRequest *r, uint32_t i, DType dtype, int64_t count);

#endif
