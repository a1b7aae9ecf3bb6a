// Manual computations as GSPMD writes them: a call between two kinds of custom calls.
//
//   %0 = custom_call @Sharding(%x)  {mhlo.sharding = "{devices=[2,1]<=[2]}"}     how it is cut
//   %1 = custom_call @SPMDFullToShardShape(%0) {mhlo.sharding = "{manual}"}      the local part
//   %2 = call @body(%1)
//   %3 = custom_call @Sharding(%2)  {mhlo.sharding = "{manual}"}
//   %4 = custom_call @SPMDShardToFullShape(%3) {mhlo.sharding = "{devices=[2,1]<=[2]}"}
#ifndef TESSERA_INTEROP_GSPMD_MANUAL_H
#define TESSERA_INTEROP_GSPMD_MANUAL_H

#include "ir/program.h"
#include "sharding/sharding.h"

// Puts every such call in an sdy.manual_computation. of_op[o] is the sharding of op o's one result,
// with its manual axes, 0 if it has none; n_ops of them. What is not surely of that form (an
// operand from elsewhere, shapes that do not follow from the shardings, parts of axes that are
// manual) stays as it is. O(program).
void gspmd_manual_import(Program *program, ShardingTable *table, Arena *scratch, uint32_t n_ops,
                         const Sharding *of_op);

#endif
