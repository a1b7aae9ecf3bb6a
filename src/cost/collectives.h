// The table of collectives (collectives.def): what each kind sends, how long that takes, and what
// it does to a sharding. Decides nothing.
#ifndef TESSERA_COST_COLLECTIVES_H
#define TESSERA_COST_COLLECTIVES_H

#include <stdbool.h>
#include <stdint.h>

#include "cost/price.h"

typedef enum CollectivePeers { PEERS_GLOBAL, PEERS_PARTITION, PEERS_PAIRS } CollectivePeers;
typedef enum CollectiveReceives { RECEIVES_ALL, RECEIVES_SOME } CollectiveReceives;
typedef enum CollectiveState {
  STATE_ANY,
  STATE_SHARDED,
  STATE_REPLICATED,
  STATE_UNREDUCED,
} CollectiveState;

// A row; the columns are those of collectives.def.
typedef struct Collective {
  double (*sent)(double n, double held);
  Schedule schedule;
  CollectivePeers peers;
  CollectiveReceives receives;
  CollectiveState before, after;
  uint16_t inverse;  // 0 = NONE
} Collective;

// The row of an op; NULL if it is no collective of local programs.
const Collective *collective_row(uint16_t code);

// Bytes that leave a device of a group of n, whose operands have so many bytes. An op without a row
// sends its operands.
double collective_sent(uint16_t code, double n, double held);
// The same with the seconds it takes over the links between the group's devices. The op has a row.
Price collective_price(uint16_t code, const Route *route, double held);
// Do replica_groups speak of replicas and partitions (groups_read's across_both)?
bool collective_is_across_both(uint16_t code);

#endif
