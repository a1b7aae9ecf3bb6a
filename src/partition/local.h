// Writing local programs: what one device does, for all devices at once. Offsets are arithmetic on
// the device's place in the mesh, data moves by standard collectives.
#ifndef TESSERA_PARTITION_LOCAL_H
#define TESSERA_PARTITION_LOCAL_H

#include "ir/program.h"
#include "reshard/reshard.h"

// Where and how ops are written. One function at a time: `position` is made at its first use and
// must then be seen from everywhere in it (set it to 0 for the next function).
typedef struct Local {
  Program *p;
  ShardingTable *table;
  const Network *network;
  Arena *arena;
  MeshId mesh;
  BlockId block;     // ops go to its end
  OpId origin;       // the global op they are written for
  ValueId position;  // this device's place in the mesh, tensor<i64>; 0 = not made yet
  bool poison;       // padding shows when it is read: NaN, the least integer
} Local;

// The part of a tensor that a device has: a static tensor with its tile's sizes. 0: the same type.
Type local_type(ShardingTable *table, Sharding sharding, Type global);

// Appends an op with one result and gives that.
ValueId local_op(Local *l, uint16_t code, uint32_t n, const ValueId *operands, Type result,
                 Attr attrs);
ValueId local_index(Local *l, int64_t value);  // tensor<i64>
// A tensor of one value: what combining with it does not change.
ValueId local_identity(Local *l, Type type, Combine combine);
// This device's place in the mesh, made here if it is not yet: tensor<i64>.
ValueId local_position(Local *l);
// Index of this device along the axes, major to minor: tensor<i64>.
ValueId local_coordinate(Local *l, AxisList axes);
// The value on the first device along the axes, the reducer's identity on the others.
ValueId local_first(Local *l, ValueId value, AxisList axes, Combine combine);
// Groups of devices that differ only along the axes, as #replica_groups; O(devices).
Attr local_groups(Local *l, AxisList axes);

// Takes a value from one sharding to another (0 = replicated) by the cheapest moves. `global` is
// the whole tensor's type. What lies in a tile beyond the tensor's end is any value.
Status *local_reshard(Local *l, ValueId value, Sharding from, Sharding to, Type global,
                      ValueId *out) MUST_USE;

#endif
