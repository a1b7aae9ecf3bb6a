// Converts GSPMD annotations of a program to sdy, which propagation reads.
//
//   %x: tensor<8x4xf32> {mhlo.sharding = "{devices=[2,1]<=[2]}"}
//     sdy.mesh @mesh = <["axis_0"=2]>   {sdy.sharding = #sdy.sharding<@mesh, [{"axis_0"}, {}]>}
//   custom_call @Sharding, "unspecified_dims=[1]"      sdy.sharding_constraint <@mesh, [{…}, {?}]>
//   custom_call @ShardBarrierFrom, @ShardBarrierTo     sdy.propagation_barrier BACKWARD, FORWARD
//   {… shard_as 3}, {… shard_like 3}                   sdy.sharding_group group_id=3
#ifndef TESSERA_INTEROP_GSPMD_IMPORT_H
#define TESSERA_INTEROP_GSPMD_IMPORT_H

#include "ir/program.h"
#include "sharding/sharding.h"

// Rewrites the program in place. A mesh of the program that expresses every string is used;
// otherwise one is added. Dimensions are closed unless unspecified or {unknown}. A function called
// between SPMDFullToShardShape and SPMDShardToFullShape, JAX's form of shard_map, becomes a manual
// computation. Other such calls stay; their manual axes are listed in replicated={…}, which keeps
// propagation from using them, and the string stays beside. If a value has an sdy and a GSPMD
// sharding, the sdy sharding is used.
// The table belongs to the program's context. A string that does not parse, does not fit its value
// or has no common mesh with the others is INVALID_ARGUMENT; diag has position and reason, and the
// program is unchanged. O(program + devices · distinct strings).
Status *gspmd_import(Program *program, ShardingTable *table, Guard *guard, Diag *diag) MUST_USE;

#endif
