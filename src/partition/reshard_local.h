// A reshard as ops of the local program.
#ifndef TESSERA_PARTITION_RESHARD_LOCAL_H
#define TESSERA_PARTITION_RESHARD_LOCAL_H

#include "ops/builder.h"
#include "reshard/reshard.h"

// Appends ops that take a value from one sharding to another (0 = replicated), by the plan that is
// cheapest on the network. `global` is the type of the global tensor. Padding has any value.
// Shardings may be strided, on another mesh with as many devices, or single-device (the other
// devices have any value). UNIMPLEMENTED if no plan leads to or from a replicated value. O(plan).
Status *local_reshard(Builder *l, const Network *network, ValueId value, Sharding from, Sharding to,
                      Type global, ValueId *out) MUST_USE;

#endif
