#include "partition/replica_mode.h"

#include "ops/op.h"

void replica_mode(Program *local) {
  Attr partitions = op_attr(local, local->root, "mhlo.num_partitions");
  if (partitions) {
    op_set_attr(local, local->root, "mhlo.num_replicas", partitions);
    op_set_attr(local, local->root, "mhlo.num_partitions", attr_int(local->context, DT_i32, 1));
  }
  for (OpId o = local->root; o; o = op_walk_next(local, o, local->root)) {
    if (op_at(local, o)->code == OP_partition_id) op_at(local, o)->code = OP_replica_id;
    if (!(op_row(op_at(local, o)->code)->traits & TRAIT_COLLECTIVE)) continue;
    op_set_attr(local, o, "channel_handle", 0);
    op_set_attr(local, o, "use_global_device_ids", 0);
  }
}
