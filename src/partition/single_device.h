// Ops with a single-device sharding (`#sdy.sharding<@maximal_mesh_1, []>`, `{maximal device=1}`):
// that device computes them for all.
#ifndef TESSERA_PARTITION_SINGLE_DEVICE_H
#define TESSERA_PARTITION_SINGLE_DEVICE_H

#include "base/diag.h"
#include "ir/program.h"

#define NO_DEVICE UINT32_MAX

// The device that an op's annotation names, in either spelling; NO_DEVICE: none, or its results
// disagree. Nothing in a manual computation, no op of sdy's own and no constant has one.
uint32_t single_device_of(const Program *p, const SymbolTable *symbols, OpId op, Arena *scratch);

// Whether one device can compute the op, regions included, for all: nothing in it is a call, a
// collective, or draws random numbers, which all devices count.
bool single_device_can(const Program *p, OpId op);

// stablehlo.partition_id becomes a constant where a single-device sharding says which device asks:
// the op itself, in the regions of such an op, and in what its operands are computed from by pure
// ops. What other ops see of these is not changed. UNIMPLEMENTED, said in diag (may be NULL) at its
// place, if that is more than a thousand ops. O(program).
Status *single_device_ids(Program *p, Guard *guard, Diag *diag) MUST_USE;

#endif
