// The same local program for devices that are replicas: replica k of a single partition is what
// partition k of a single replica was.
#ifndef TESSERA_PARTITION_REPLICA_MODE_H
#define TESSERA_PARTITION_REPLICA_MODE_H

#include "ir/program.h"

// Replaces partition_id by replica_id, and removes channels and use_global_device_ids of
// collectives, so that their groups mean replicas. For programs that partition_write has written.
// O(program).
void replica_mode(Program *local);

#endif
