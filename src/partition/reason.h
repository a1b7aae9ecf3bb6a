// Why a local program exchanges something: kept as the location of the ops that do, so that it
// outlives whatever is made of them later.
#ifndef TESSERA_PARTITION_REASON_H
#define TESSERA_PARTITION_REASON_H

#include "partition/origin.h"
#include "sharding/sharding.h"

// A value comes with one sharding, and `user` (an op, or a function's or region's end) takes it
// with another. The location, around the user's own. Names are those of the text, and the argument
// that the value comes from. `text` is empty before and after.
Attr reason_reshard(const Origins *origins, const ShardingTable *table, StrBuf *text,
                    Arena *scratch, ValueId value, Sharding from, Sharding to, OpId user);
// An op that is split so exchanges by itself: neighbours, owners, partial results.
Attr reason_op(const Program *p, StrBuf *text, Arena *scratch, OpId op);
// An op with side effects waits for those before it, on other devices.
Attr reason_order(const Program *p, StrBuf *text, Arena *scratch, OpId op);
// An op is computed by one device, and others use what it gives.
Attr reason_device(const Program *p, StrBuf *text, Arena *scratch, OpId op, uint32_t device);

typedef struct Reason {
  const char *why;   // "" if nothing is known
  const char *kind;  // "all_reduce"
  uint32_t count;    // collectives of that kind with that reason
  uint32_t others;   // values that are exchanged together with it
  double bytes;      // that leave a device for all of them, loops counted as often as they run
  bool unknown;      // that depends on a loop of unknown length
} Reason;

// Of all collectives of a local program, the dearest first. In the arena. O(collectives · log).
uint32_t reasons_list(const Program *local, uint32_t n_devices, Arena *arena,
                      const Reason **out_reasons);

#endif
