// Basic sense of sdy attributes: shardings name a mesh that is there and axes it has, and fit the
// rank of their tensor. What they mean is the work of sharding/ and propagate/.
#ifndef TESSERA_OPS_VERIFY_SHARDING_H
#define TESSERA_OPS_VERIFY_SHARDING_H

#include "base/diag.h"
#include "ir/program.h"

// Checks all shardings that the op carries: `sdy.sharding` on its results, those of function
// arguments and results, and the attributes of sdy's own ops. Reports the first thing wrong.
// O(attributes).
bool op_verify_shardings(const Program *p, OpId op, const SymbolTable *symbols, Diag *diag);

// The mesh op itself: names differ, sizes are positive, device ids are a permutation.
bool op_verify_mesh(const Program *p, OpId op, Diag *diag);

#endif
