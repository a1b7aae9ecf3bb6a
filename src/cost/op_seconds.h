// One device's seconds for an op. Decides nothing.
#ifndef TESSERA_COST_OP_SECONDS_H
#define TESSERA_COST_OP_SECONDS_H

#include "cost/compute.h"
#include "ops/localize.h"

// The op is split as cx says: its FLOPs (of `flops` for the global op), and the bytes of the tiles
// that it reads and writes, sharded as in_as and out_as say. O(factors + tensors · rank).
double compute_op_seconds(const Compute *compute, const Localizer *cx, double flops,
                          const ShardingTable *table, const Sharding *in_as,
                          const Sharding *out_as);

#endif
