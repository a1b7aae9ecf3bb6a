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
#include "pipeline/propagate.h"

// As pipeline_write, all dimensions closed. A copy of the program is partitioned to see what is
// done; what cannot be partitioned is UNIMPLEMENTED, its place in diag. How ops exchange inside
// themselves (neighbours' rows) and bodies of manual computations are left as they are; of a
// function that is written out in several places the last one counts. Of the request, call_rules
// and machine count. O(program).
Status *pipeline_write_reshards(Program *program, Propagated *propagated, Emit emit,
                                const PropagateRequest *request, Guard *guard, Diag *diag) MUST_USE;
// The same to a program that has its shardings; options as of explicit_reshards.
Status *reshards_write(Program *program, ShardingTable *table, const PartitionOptions *options,
                       Guard *guard, Diag *diag) MUST_USE;

#endif
