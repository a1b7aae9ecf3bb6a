// Ops with a single-device sharding (`#sdy.sharding<@maximal_mesh_1, []>`, `{maximal device=1}`):
// that device computes them for all.
#ifndef TESSERA_PARTITION_SINGLE_DEVICE_H
#define TESSERA_PARTITION_SINGLE_DEVICE_H

#include "base/diag.h"
#include "ir/program.h"

#define NO_DEVICE UINT32_MAX

// The device that an op's annotation names, as sdy or mhlo sharding; NO_DEVICE if there is none, or
// if its results disagree. Ops in manual computations, ops of the sdy dialect and constants have
// none.
uint32_t single_device_of(const Program *p, const SymbolTable *symbols, OpId op, Arena *scratch);

// Can one device compute the op, with its regions, for all? Not if it contains a call, a
// collective, a check, or rng: the state of random draws must stay equal on all devices.
bool single_device_can(const Program *p, OpId op);

// Replaces stablehlo.partition_id by a constant for ops with a single-device sharding: in the op,
// in its regions, and in the pure ops that its operands are computed from. These are copied, so
// that other users see no change. UNIMPLEMENTED, with the op's location in diag (may be NULL), if
// more than a thousand ops would be copied for one op. O(program).
Status *single_device_ids(Program *p, Guard *guard, Diag *diag) MUST_USE;

#endif
