// Groups of devices by mesh axes instead of device ids: as short for 8192 devices as for 8.
//
//   dense<[[0, 2, 4, 6], [1, 3, 5, 7]]>  on <["data"=4, "model"=2]>     @mesh, axes "data"
#ifndef TESSERA_PARTITION_MESH_GROUPS_H
#define TESSERA_PARTITION_MESH_GROUPS_H

#include "ir/program.h"
#include "sharding/sharding.h"

// Replaces replica_groups of a local program by #stablehlo.replica_group_mesh_axes, if axes or
// sub-axes of the mesh give the same groups with their members in the same order; the module gets
// the mesh op. Others stay. Returns the number of ops whose groups stay. O(program + distinct
// groups · devices).
uint32_t mesh_groups(Program *local, ShardingTable *table, MeshId mesh, Guard *guard);

#endif
