// From a propagated program to what each device runs.
#ifndef TESSERA_PIPELINE_PARTITION_H
#define TESSERA_PIPELINE_PARTITION_H

#include "optimize/optimize.h"
#include "partition/partition.h"
#include "partition/redundant.h"
#include "pipeline/propagate.h"

typedef struct LocalOptions {
  bool plain;                // as it was made: no pass of optimize/passes.def
  bool why;                  // locations have why each collective is there (explain/reason.h)
  const char *passes;        // these only, as optimize_program takes them; NULL = all
  bool rings;                // also contractions as rings, where that pays
  const char *collectives;   // their form, as optimize_program takes it, also if plain; NULL = none
  const char *machine;       // what it is to run on, as text (cost/machine.h); NULL = the default
  CustomRules *call_rules;   // as PropagateRequest has them; NULL = none
  RedundantList *redundant;  // to be filled, its arena set; NULL = not asked
  bool poison;               // what nothing may read shows when it is read (PartitionOptions)
} LocalOptions;

// Has somebody else propagated it? Then it has sdy.reshard or exchanges written out, and arguments
// and results that have no sharding are to have none. O(program).
bool pipeline_is_propagated(const Program *program);
// In such a program arguments and results keep what they have, unless the request says otherwise.
void pipeline_keep_edges(const Program *program, PropagateRequest *request);

// Writes the shardings into the program, every dimension closed, and rewrites it in place to the
// local program, optimized and verified. `propagated` as pipeline_propagate gave it; its table
// stays good. What cannot be partitioned is in diag, with its place. *out_mesh is 0 if nothing is
// sharded.
Status *pipeline_partition(Program *program, Propagated *propagated, const LocalOptions *options,
                           Guard *guard, Diag *diag, MeshId *out_mesh) MUST_USE;

// The passes on a program that partition_program made. O(program).
Status *pipeline_optimize(Program *local, ShardingTable *table, MeshId mesh,
                          const LocalOptions *options, Guard *guard, Diag *diag) MUST_USE;

#endif
