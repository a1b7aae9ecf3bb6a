// The same local program for devices that are replicas: replica k of a single partition is what
// partition k of a single replica was.
#ifndef TESSERA_PARTITION_REPLICA_MODE_H
#define TESSERA_PARTITION_REPLICA_MODE_H

#include "ir/program.h"

// partition_id becomes replica_id; collectives lose their channel and global device ids, so that
// their groups speak of replicas. For what partitioning wrote. O(program).
void replica_mode(Program *local);

#endif
