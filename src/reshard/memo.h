// Plans of reshards that were made before. A program has few kinds of reshards and many of each,
// and the planner partitions one program many times.
//
//   ReshardMemo *memo = reshard_memo_new(guard);
//   reshard_memo_use(memo, &network, guard);   // reshard_plan with this network now remembers
//   reshard_memo_free(memo);                   // after the last use of the network and its plans
//
// Keys are contents, not ids, so sessions with different tables can share a memo. It belongs to one
// thread.
#ifndef TESSERA_RESHARD_MEMO_H
#define TESSERA_RESHARD_MEMO_H

#include "base/guard.h"
#include "cost/network.h"

typedef struct ReshardMemo ReshardMemo;

ReshardMemo *reshard_memo_new(Guard *guard);
void reshard_memo_free(void *memo);  // NULL is fine; for a GuardCleanup
// Makes the network refer to the memo, if it is like the first one that did: otherwise it stays
// without. guard: for allocations. O(levels + axes).
void reshard_memo_use(ReshardMemo *memo, Network *network, Guard *guard);

#endif
