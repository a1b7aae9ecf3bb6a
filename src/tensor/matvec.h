// Products of a few rows with a matrix in memory, [m,k]x[k,n] with m <= 16: inference that decodes
// one token at a time. The matrix is read once, where it is, at the speed of memory.
#ifndef TESSERA_TENSOR_MATVEC_H
#define TESSERA_TENSOR_MATVEC_H

#include "tensor/matmul.h"

enum { MATVEC_ROWS = 16 };

// f32, or bf16 with a result of bf16 or f32; rhs is contiguous along k or n; and this CPU has
// AVX-512. `out` may have any strides.
bool matvec_fits(const MatmulShape *shape);
size_t matvec_scratch(const MatmulShape *shape);
// Each element is a sum over k in an order that depends on k and on the layout of rhs alone.
void matvec_run(const MatmulShape *shape, const void *lhs, const void *rhs, void *out,
                void *scratch);

#endif
