// Random legal shardings on the values of a program, from a seed: the input of differential tests
// of partitioning.
#ifndef TESSERA_PARTITION_RANDOM_SHARDINGS_H
#define TESSERA_PARTITION_RANDOM_SHARDINGS_H

#include "ir/program.h"
#include "sharding/sharding.h"

// Writes sdy.sharding on random arguments and results of functions and results of ops, over a
// random mesh of so many devices with 1 to 3 axes (in any order of devices): axes and sub-axes, on
// dimensions that they need not divide, or unreduced. In every fourth program some ops have
// single-device shardings. Every other program is propagated afterwards, so that large regions of
// it are sharded. The same seed gives the same program. `devices` is at least 1. O(program).
Status *random_shardings(Program *program, ShardingTable *table, uint32_t devices, uint64_t seed,
                         Guard *guard, Diag *diag) MUST_USE;

#endif
