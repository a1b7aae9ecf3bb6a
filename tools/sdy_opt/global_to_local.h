// The mechanical last stage of Shardy's partitioner: a program whose shardings fit each other and
// whose exchanges are written out (sdy.all_gather and its like) becomes what one device runs.
//
//   func @f(%x: tensor<4x2xf32> {sdy.sharding = <@m, [{"a"}, {}]>})     func @f(%x:
//   tensor<2x2xf32>)
//
// Nothing is inserted and nothing is chosen: each value's type becomes that of its tile (without a
// sharding it stays), sdy's collectives become standard ones, and ops that know their place (iota,
// constants, pads, gathers) get offsets and masks. A value that nothing cuts may differ between
// devices: a sum before its sdy.all_reduce is such a value. For programs with a global meaning
// there is partition_program.
#ifndef TESSERA_TOOLS_SDY_OPT_GLOBAL_TO_LOCAL_H
#define TESSERA_TOOLS_SDY_OPT_GLOBAL_TO_LOCAL_H

#include "ir/program.h"
#include "sharding/sharding.h"

typedef struct GlobalToLocalOptions {
  bool per_dim_all_gather;  // a gather of several dimensions is one collective for each of them
} GlobalToLocalOptions;

// Rewrites a verified program in place; functions keep their attributes, meshes stay. Sizes must
// divide. INVALID_ARGUMENT, with its place in diag: shardings of an op that do not fit each other,
// or that it cannot be done with. O(program).
Status *global_to_local(Program *program, ShardingTable *table, const GlobalToLocalOptions *options,
                        Guard *guard, Diag *diag) MUST_USE;

#endif
