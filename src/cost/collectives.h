// The table of collectives (collectives.def): bytes sent, time, and effect on a sharding of each
// kind. Decides nothing.
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

// A row; collectives.def documents the columns.
typedef struct Collective {
  double (*sent)(double n, double held);
  Schedule schedule;
  CollectivePeers peers;
  CollectiveReceives receives;
  CollectiveState before, after;
  uint16_t inverse;  // 0 = NONE
} Collective;

// The row of an op; NULL if the op is no collective of local programs.
const Collective *collective_row(uint16_t code);

// Bytes sent by a device of a group of n devices, whose operands have `held` bytes. An op without a
// row sends its operands.
double collective_sent(uint16_t code, double n, double held);
// Bytes sent and seconds over the links between the group's devices. The op must have a row.
Price collective_price(uint16_t code, const Route *route, double held);
// True if replica_groups hold ids of replicas and partitions (groups_read's across_both).
bool collective_is_across_both(uint16_t code);

#endif
