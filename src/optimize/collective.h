// Collectives read for passes: who meets whom, and what is done.
#ifndef TESSERA_OPTIMIZE_COLLECTIVE_H
#define TESSERA_OPTIMIZE_COLLECTIVE_H

#include "optimize/pass.h"
#include "sharding/combine.h"

// Groups in which every device is once, all of one size.
typedef struct DeviceGroups {
  uint32_t n, width;
  const uint32_t *members;   // n × width device numbers
  const uint32_t *group_of;  // per device
  const uint32_t *place_of;  // per device: its place in its group
  uint64_t axes;             // mesh axes along which members of a group differ
  bool whole;                // a group has all devices along these axes
} DeviceGroups;

// Those of a collective; NULL if it has none such or the devices are not known. Remembered per
// attribute.
const DeviceGroups *collective_groups(Optimizer *o, OpId op);
// replica_groups of these members, in the form other attributes of `like` ask for.
Attr collective_attrs(Optimizer *o, OpId like, uint32_t n, uint32_t width, const int64_t *members);

// The slowest link the groups use.
Link collective_link(const Optimizer *o, const DeviceGroups *groups);
// Whether places in the groups follow the axes of the mesh. O(devices).
bool collective_place_is_known(const Optimizer *o, const DeviceGroups *groups);
// This device's place in its group as arithmetic on its number, if that is so, before an op:
// tensor<i64>.
ValueId collective_place(Optimizer *o, OpId before, const DeviceGroups *groups);

// The groups' size over the slowest link that is known; seconds for so many bytes, as
// cost/network.h counts them.
double collective_seconds(Optimizer *o, OpId op);

// An all_reduce of one operand by a plain combiner that keeps its type: that combiner, or
// COMBINE_NONE.
Combine collective_sum(const Program *p, OpId op);

// Bits of axes along which a device's number matters, one per axis of the mesh; without a mesh one.
uint64_t collective_all_axes(const Optimizer *o);

#endif
