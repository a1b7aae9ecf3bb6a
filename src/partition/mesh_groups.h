// Groups of devices said by axes of a mesh instead of one by one: as short for 8192 devices as
// for 8.
#ifndef TESSERA_PARTITION_MESH_GROUPS_H
#define TESSERA_PARTITION_MESH_GROUPS_H

#include "ir/program.h"
#include "sharding/sharding.h"

// replica_groups of a local program become #stablehlo.replica_group_mesh_axes where axes (or parts
// of axes) of the mesh say the same groups with their members in the same order; the module gets
// the mesh. Others stay as they are. Gives how many did not fit. O(program + kinds of groups ·
// devices).
uint32_t mesh_groups(Program *local, ShardingTable *table, MeshId mesh, Guard *guard);

#endif
