// Reshards as sdy's collectives, in the text before it is cut into parts: the plan of reshard/ in
// sdy's words.
//
//   sdy.reshard %x <@m, [{}, {"x"}]>     sdy.all_to_all [{"x"}: 0->1] %x out_sharding=<@m, [{},
//   {"x"}]>
#ifndef TESSERA_PARTITION_RESHARD_COLLECTIVES_H
#define TESSERA_PARTITION_RESHARD_COLLECTIVES_H

#include "ir/program.h"
#include "reshard/reshard.h"

typedef struct ReshardCollectivesOptions {
  const Network *network;  // NULL = network_default
  bool keep_redundant;     // reshards that move nothing stay
} ReshardCollectivesOptions;

// Every sdy.reshard of a verified program becomes the cheapest collectives; one that moves nothing
// goes. A reshard that has no plan (between meshes that are not the same devices, or parts of one
// reducer to parts of another) stays as it is. O(program) and the plans.
Status *reshard_collectives(Program *program, ShardingTable *table,
                            const ReshardCollectivesOptions *options, Guard *guard) MUST_USE;

#endif
