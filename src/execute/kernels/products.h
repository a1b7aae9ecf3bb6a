// What kernels of matrix products and convolutions share.
#ifndef TESSERA_EXECUTE_KERNELS_PRODUCTS_H
#define TESSERA_EXECUTE_KERNELS_PRODUCTS_H

#include "ir/dtype.h"
#include "tensor/matmul.h"

// Sets the element types of the shape. False: eval computes them in another way than the loops.
bool matmul_types(DType lhs, DType rhs, DType out, MatmulShape *shape);

#endif
