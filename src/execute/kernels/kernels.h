// The makers of kernels.def. Each is in the file of its family.
#ifndef TESSERA_EXECUTE_KERNELS_KERNELS_H
#define TESSERA_EXECUTE_KERNELS_KERNELS_H

#include "execute/kernel.h"

#define KERNEL(op, maker) bool maker(const KernelRequest *request, Kernel *out);
#define READS_VIEWS(op)
#include "execute/kernels.def"
#undef READS_VIEWS
#undef KERNEL

#endif
