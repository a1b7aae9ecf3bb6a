// Collectives as passes see them: groups, price, a device's index in its group.
#ifndef TESSERA_OPTIMIZE_COLLECTIVE_H
#define TESSERA_OPTIMIZE_COLLECTIVE_H

#include "optimize/pass.h"
#include "sharding/combine.h"

// Groups of equal size that partition the devices.
typedef struct DeviceGroups {
  uint32_t n, width;               // number of groups, devices per group
  const uint32_t *members;         // n × width device ids
  const uint32_t *group_of;        // per device
  const uint32_t *index_in_group;  // per device: its index in its group
  uint64_t axes;                   // bit set of mesh axes along which members of a group differ
  bool covers_axes;                // each group has all devices along these axes
} DeviceGroups;

// The groups of a collective. NULL if they have unequal sizes, leave devices out or cross replicas,
// if the op sends by pairs, or if the number of devices is unknown. Cached per attribute.
const DeviceGroups *collective_groups(Optimizer *o, OpId op);
// The attributes of `like` with other replica_groups.
Attr collective_attrs(Optimizer *o, OpId like, uint32_t n, uint32_t width, const int64_t *members);

// The slowest link inside the groups.
Link collective_link(const Optimizer *o, const DeviceGroups *groups);
// True if a device's index in its group is its coordinate along `groups->axes`, row-major, so that
// collective_index can compute it. O(devices).
bool collective_index_is_known(const Optimizer *o, const DeviceGroups *groups);
// Emits the device's index in its group as arithmetic on partition_id, before an op: tensor<i64>.
// Requires collective_index_is_known.
ValueId collective_index(Optimizer *o, OpId before, const DeviceGroups *groups);

// Predicted seconds of the collective, by the cost model; 0 if its groups are unknown.
double collective_seconds(Optimizer *o, OpId op);

// The reducer of an all_reduce of one operand that keeps its type and has a named reducer (sum,
// max, …); otherwise COMBINE_NONE.
Combine collective_sum(const Program *p, OpId op);

// The bit set of all mesh axes; a single bit without a mesh or with 64 axes and more.
uint64_t collective_all_axes(const Optimizer *o);

#endif
