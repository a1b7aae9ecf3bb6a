// From a propagated program to what each device runs.
#ifndef TESSERA_PIPELINE_PARTITION_H
#define TESSERA_PIPELINE_PARTITION_H

#include "partition/partition.h"
#include "pipeline/propagate.h"

// Writes the shardings into the program, every dimension closed, and rewrites it in place to the
// local program, verified. `propagated` as pipeline_propagate gave it; its table stays good. What
// cannot be partitioned is in diag, with its place. *out_mesh is 0 if nothing is sharded.
Status *pipeline_partition(Program *program, Propagated *propagated, Guard *guard, Diag *diag,
                           MeshId *out_mesh) MUST_USE;

#endif
