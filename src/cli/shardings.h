// Leaves a program without shardings: what `--drop-shardings` does.
#ifndef TESSERA_CLI_SHARDINGS_H
#define TESSERA_CLI_SHARDINGS_H

#include "ir/program.h"

// Removes sharding attributes of ops, arguments and results, sharding constraints, reshards,
// groups, and meshes that nothing refers to any more. What a manual_computation says stays: it has
// a meaning of its own. O(program).
void shardings_drop(Program *program, Guard *guard);

#endif
