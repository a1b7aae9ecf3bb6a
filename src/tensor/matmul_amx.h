// Products of bf16 matrices by AMX tiles, for machines whose AMX oneDNN cannot use: virtual
// machines that do not describe the tiles (CPUID leaf 0x1D).
#ifndef TESSERA_TENSOR_MATMUL_AMX_H
#define TESSERA_TENSOR_MATMUL_AMX_H

#include "tensor/matmul.h"

// Is this such a machine, and does the kernel let this process use tiles? Asks for the permission.
// Some system calls; the answer is the same for the life of the process.
bool matmul_amx_wanted(void);
// bf16 operands, a bf16 or f32 result.
bool matmul_amx_fits(const MatmulShape *shape);

// rhs of one batch element, packed into panels of 32 columns.
size_t matmul_amx_pack_bytes(const MatmulShape *shape);
int64_t matmul_amx_panels(const MatmulShape *shape);
void matmul_amx_pack(const MatmulShape *shape, const void *rhs, int64_t first_panel,
                     int64_t last_panel, void *packed);
// One batch element; only on machines where matmul_amx_wanted.
size_t matmul_amx_scratch(const MatmulShape *shape);
void matmul_amx_run(const MatmulShape *shape, const void *lhs, const void *packed, void *out,
                    void *scratch);

#endif
