// The decisions of partitioning as sdy ops in the global program: an operand that its op needs in
// another sharding is resharded before it, and results have the sharding that their op gives them.
//
//   %2 = dot_general %0, %1              %a = sdy.reshard %0 <@m, [{}, {"x"}]>
//                                        %2 = dot_general %a, %1 {… unreduced={"x"} …}
//                                        %b = sdy.all_reduce {"x"} %2 out_sharding=<@m, [{}, {}]>
#ifndef TESSERA_PARTITION_EXPLICIT_RESHARDS_H
#define TESSERA_PARTITION_EXPLICIT_RESHARDS_H

#include "ir/program.h"
#include "partition/partition.h"
#include "sharding/sharding.h"

// Writes them into the program. Removes the reshards and sdy collectives that it has: these are
// decided again. Reads call_rules, machine and decisions of the options, which may be NULL. Errors
// are those of partition_decide. O(program).
Status *explicit_reshards(Program *program, ShardingTable *table, const PartitionOptions *options,
                          Guard *guard, Diag *diag) MUST_USE;

#endif
