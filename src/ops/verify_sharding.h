// Verification of sdy attributes: shardings name an existing mesh and its axes, and fit the rank of
// their tensor. sharding/ and propagate/ interpret them.
#ifndef TESSERA_OPS_VERIFY_SHARDING_H
#define TESSERA_OPS_VERIFY_SHARDING_H

#include "base/diag.h"
#include "ir/program.h"
#include "sharding/sharding.h"

enum { VERIFIED_SHARDINGS = 64 };

// The state for one program. Initialize with {.p = …, .diag = …}.
typedef struct ShardingVerify {
  const Program *p;
  Diag *diag;
  ShardingTable *table;  // the program's meshes; built for the first sharding
  bool unsound_mesh;     // one of them is not in the table
  struct SoundSharding {
    Attr sharding;
    Type type;
  } sound[VERIFIED_SHARDINGS];
} ShardingVerify;

// Checks all shardings that the op carries: `sdy.sharding` on its results, those of function
// arguments and results, the attributes of sdy's own ops, and meshes. Reports the first error.
// O(attributes).
bool op_verify_shardings(ShardingVerify *v, OpId op);
void sharding_verify_deinit(ShardingVerify *v);

#endif
