// A propagated program with a sharding constraint at every reshard, so that XLA's partitioner has
// nothing left to choose.
//
// Shardings of values do not determine how an op runs. With x [{"data"}, {}], w [{"data"}, {}] and
// y [{"data"}, {}], y = dot(x, w) may all-gather w, or reshard x and reduce partial sums. XLA
// chooses op by op. The constraints make it follow Tessera's decisions: one behind an op holds the
// sharding that the op gives its result (partial sums as the reduced value), one before an op
// reshards an operand.
#ifndef TESSERA_PIPELINE_RESHARDS_H
#define TESSERA_PIPELINE_RESHARDS_H

#include "partition/partition.h"

// Requires a program with shardings, all dimensions closed. Options as of explicit_reshards, which
// decides without writing a local program. UNIMPLEMENTED, with the location in diag, if an op
// cannot be partitioned. An op's own communication (halos) and bodies of manual computations stay
// as they are. A function that is inlined at several calls has one text: the last call counts.
// O(program).
Status *reshards_write(Program *program, ShardingTable *table, const PartitionOptions *options,
                       Guard *guard, Diag *diag) MUST_USE;

#endif
