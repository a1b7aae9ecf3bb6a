// Converts sdy annotations of a program to GSPMD's, which XLA without Shardy reads.
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

// Rewrites the program without sdy; every device keeps its tile of every value. Meshes are removed;
// the module gets mhlo.num_partitions and mhlo.num_replicas as JAX writes them. Bodies of manual
// and named computations become functions. GSPMD cannot express axis names, priorities, sharding
// rules and (outside constraints) open dimensions: they are dropped. Two kinds of ops get no
// string, since XLA misreads it and infers the sharding from the neighbours: a loop that carries a
// value unchanged, and a broadcast that splits a dimension of size 1.
// The table belongs to the program's context. INVALID_ARGUMENT for programs that GSPMD cannot
// express: a reducer other than sum, meshes of different sizes, a function called under different
// manual axes. diag then has position and reason, and the program is unchanged.
// O(program + devices · distinct shardings).
Status *gspmd_export(Program *program, ShardingTable *table, Guard *guard, Diag *diag) MUST_USE;

#endif
