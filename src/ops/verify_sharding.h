// Basic sense of sdy attributes: shardings name a mesh that is there and axes it has, and fit the
// rank of their tensor. What they mean is the work of sharding/ and propagate/.
#ifndef TESSERA_OPS_VERIFY_SHARDING_H
#define TESSERA_OPS_VERIFY_SHARDING_H

#include "base/diag.h"
#include "ir/program.h"
#include "sharding/sharding.h"

enum { VERIFIED_SHARDINGS = 64 };

// Of one program. Begin with {.p = …, .diag = …}.
typedef struct ShardingVerify {
  const Program *p;
  Diag *diag;
  ShardingTable *table;  // the program's meshes; made when the first sharding is seen
  bool unsound_mesh;     // one of them is not in the table
  struct SoundSharding {
    Attr sharding;
    Type type;
  } sound[VERIFIED_SHARDINGS];
} ShardingVerify;

// Checks all shardings that the op carries: `sdy.sharding` on its results, those of function
// arguments and results, the attributes of sdy's own ops, and meshes. Reports the first thing
// wrong. O(attributes).
bool op_verify_shardings(ShardingVerify *v, OpId op);
void sharding_verify_deinit(ShardingVerify *v);

#endif
