// Reshards as sdy's collectives, in the text before it is cut into parts: the plan of reshard/ in
// sdy's words.
//
//   sdy.reshard %x <@m, [{}, {"x"}]>     sdy.all_to_all [{"x"}: 0->1] %x out_sharding=<@m, [{},
//   {"x"}]>
#ifndef TESSERA_TOOLS_SDY_OPT_RESHARD_COLLECTIVES_H
#define TESSERA_TOOLS_SDY_OPT_RESHARD_COLLECTIVES_H

#include "ir/program.h"
#include "reshard/reshard.h"

typedef struct ReshardCollectivesOptions {
  const Network *network;  // NULL = network_default
  bool keep_redundant;     // reshards that move nothing stay
} ReshardCollectivesOptions;

// Every sdy.reshard of a verified program becomes the cheapest collectives; one that moves nothing
// goes. Plans that sdy has no words for (strided layouts on the way) become plain sequences that
// move more; a reshard that has no plan, or is done piece by piece, stays. O(program), and plans.
Status *reshard_collectives(Program *program, ShardingTable *table,
                            const ReshardCollectivesOptions *options, Guard *guard) MUST_USE;

#endif
