// sdy's annotations in a program, turned into GSPMD's: what XLA before Shardy reads.
//
//   sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>   mhlo.sharding = "{devices=[2,1]<=[2]}"
//   sdy.sharding_constraint <@mesh, [{"x"}, {?}]>      @Sharding, "unspecified_dims=[1]"
//   sdy.propagation_barrier                            @ShardBarrierFrom, @ShardBarrierTo
//   sdy.sharding_group                                 shard_as
//   sdy.manual_computation                             @SPMDFullToShardShape, a call,
//                                                      @SPMDShardToFullShape
#ifndef TESSERA_INTEROP_GSPMD_EXPORT_H
#define TESSERA_INTEROP_GSPMD_EXPORT_H

#include "ir/program.h"
#include "sharding/sharding.h"

// The program as it was, without a word of sdy; every device keeps its tile of every value. Meshes
// go; the module says mhlo.num_partitions and mhlo.num_replicas as JAX does. Bodies of manual and
// named computations become functions. GSPMD has no words for axis names, priorities, sharding
// rules and (but in constraints) open dimensions: those are lost. Two ops get no string, as XLA
// misreads it, and it follows from those around: a loop that carries a value unchanged, and a
// broadcast that splits a dimension of size 1.
// The table is of the program's context. What cannot be said (unreduced by another reducer than
// sum, meshes of different sizes, a function that is called under different manual axes) is
// INVALID_ARGUMENT, its place and the reason in diag, and the program is unchanged.
// O(program + devices · distinct shardings).
Status *gspmd_export(Program *program, ShardingTable *table, Guard *guard, Diag *diag) MUST_USE;

#endif
