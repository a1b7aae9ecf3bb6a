// GSPMD's annotations in a program, turned into sdy's: what propagation reads.
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

// The program as it was, but in sdy's words. A mesh of the program on which every string fits gives
// the axes their names; otherwise one is added. Dimensions are closed, but those that are
// unspecified or {unknown}. A function that is called between SPMDFullToShardShape and
// SPMDShardToFullShape, as JAX writes shard_map, becomes a manual computation; other such calls
// stay, and what GSPMD calls manual is then kept from using those axes (replicated={…}) with its
// string beside it. Where a value has both an sdy and a GSPMD sharding the former holds.
// The table is of the program's context. A string that does not read, does not fit its value or has
// no mesh in common with the others is INVALID_ARGUMENT, its place and the reason in diag, and the
// program is unchanged. O(program + devices · distinct strings).
Status *gspmd_import(Program *program, ShardingTable *table, Guard *guard, Diag *diag) MUST_USE;

#endif
