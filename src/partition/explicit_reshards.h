// What partitioning decides, said in the text before anything is cut: every operand that an op
// takes in another sharding than it comes in is resharded in front of it, every op's results say
// what it makes.
//
//   %2 = dot_general %0, %1              %a = sdy.reshard %0 <@m, [{}, {"x"}]>
//                                        %2 = dot_general %a, %1 {… unreduced={"x"} …}
//                                        %b = sdy.all_reduce {"x"} %2 out_sharding=<@m, [{}, {}]>
#ifndef TESSERA_PARTITION_EXPLICIT_RESHARDS_H
#define TESSERA_PARTITION_EXPLICIT_RESHARDS_H

#include "ir/program.h"
#include "partition/partition.h"
#include "sharding/sharding.h"

// `twin`: the same program, op by op, in the same context (program_copy). It is partitioned to see
// what is decided and is not to be used afterwards. Reshards and collectives of sdy that the
// program has are taken out: they are decided anew. Of the options, which may be
// NULL, call_rules and machine count. O(program).
// Errors are those of partition_program.
Status *explicit_reshards(Program *program, Program *twin, ShardingTable *table,
                          const PartitionOptions *options, Guard *guard, Diag *diag) MUST_USE;

#endif
