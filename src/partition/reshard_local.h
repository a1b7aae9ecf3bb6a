// A reshard as ops of the local program.
#ifndef TESSERA_PARTITION_RESHARD_LOCAL_H
#define TESSERA_PARTITION_RESHARD_LOCAL_H

#include "ops/builder.h"
#include "reshard/reshard.h"

// Takes a value from one sharding to another (0 = replicated) by the moves that are cheapest on the
// network. `global` is the whole tensor's type. What lies in a tile beyond the tensor's end is any
// value. Shardings may be strided, on another mesh with as many devices, or on one device (the
// others have any value).
Status *local_reshard(Builder *l, const Network *network, ValueId value, Sharding from, Sharding to,
                      Type global, ValueId *out) MUST_USE;

#endif
