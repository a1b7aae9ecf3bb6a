// A propagated program with every change of sharding written out, so that who partitions it has
// nothing left to choose.
//
// A sharding on a value does not say how an op takes it: x in parts of the batch times w in parts
// of its rows, the result in parts of the batch, may gather w, or cut x and add up. XLA decides for
// itself, op by op. Here it is told what Tessera's partitioner does: a result has the sharding that
// its op makes (partial sums as they will be, whole), held by an sdy.sharding_constraint behind it
// unless the op only follows, and where an op takes a value otherwise than it is, another stands
// before it.
#ifndef TESSERA_PIPELINE_RESHARDS_H
#define TESSERA_PIPELINE_RESHARDS_H

#include "partition/partition.h"

// The program has its shardings, all dimensions closed. A copy of the program is partitioned to see
// what is done; options as of explicit_reshards. What cannot be partitioned is UNIMPLEMENTED, its
// place in diag. How ops communicate inside themselves (halos) and bodies of manual computations
// are left as they are; of a function that is inlined in several places the last one counts.
// O(program).
Status *reshards_write(Program *program, ShardingTable *table, const PartitionOptions *options,
                       Guard *guard, Diag *diag) MUST_USE;

#endif
