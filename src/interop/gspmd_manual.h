// Imports manual computations in GSPMD's form: a call between two kinds of custom calls.
//
//   %0 = custom_call @Sharding(%x)  {mhlo.sharding = "{devices=[2,1]<=[2]}"}     in_sharding
//   %1 = custom_call @SPMDFullToShardShape(%0) {mhlo.sharding = "{manual}"}      the shard
//   %2 = call @body(%1)
//   %3 = custom_call @Sharding(%2)  {mhlo.sharding = "{manual}"}
//   %4 = custom_call @SPMDShardToFullShape(%3) {mhlo.sharding = "{devices=[2,1]<=[2]}"}
#ifndef TESSERA_INTEROP_GSPMD_MANUAL_H
#define TESSERA_INTEROP_GSPMD_MANUAL_H

#include "ir/program.h"
#include "sharding/sharding.h"

// Wraps every such call in an sdy.manual_computation. of_op[o] (o < n_ops) is the sharding of op
// o's only result, manual axes included; 0 if it has none. A call that does not match exactly (an
// operand from elsewhere, shapes that do not follow from the shardings, manual sub-axes) is left as
// it is. O(program).
void gspmd_manual_import(Program *program, ShardingTable *table, Arena *scratch, uint32_t n_ops,
                         const Sharding *of_op);

#endif
