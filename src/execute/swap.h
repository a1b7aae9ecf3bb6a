// Products whose results are transposed.
#ifndef TESSERA_EXECUTE_SWAP_H
#define TESSERA_EXECUTE_SWAP_H

#include "ir/program.h"

// Replaces transpose(dot_general(a, b)) by dot_general(b, a) in the function, if the transpose
// swaps the free dimensions of both sides and is the product's only use. O(function).
void swap_products(Program *program, OpId function);

#endif
