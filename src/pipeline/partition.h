// The stages from a program with shardings to the local program: decide, partition, optimize,
// check.
#ifndef TESSERA_PIPELINE_PARTITION_H
#define TESSERA_PIPELINE_PARTITION_H

#include "optimize/optimize.h"
#include "partition/partition.h"
#include "partition/redundant.h"
#include "reshard/memo.h"
#include "pipeline/propagate.h"

typedef struct LocalOptions {
  bool plain;               // run no pass of optimize/passes.def
  bool seconds_decide;      // choices have no penalty for bytes (PartitionOptions)
  bool why;                 // locations have the reason of each collective (explain/reason.h)
  bool reasons;             // the same, but nothing is listed and collectives are not marked
  const char *passes;       // run these only, as optimize_program reads them; NULL = all
  bool rings;               // also write contractions as rings, if that is faster
  const char *collectives;  // their form, as optimize_program reads it, also if plain; NULL = none
  bool redundant;           // list ops that devices compute redundantly
  bool poison;              // padding is NaN or the least integer (PartitionOptions)
  Str decisions;            // from outside, as JSON (docs/partition-decisions.md); empty: none
  StrBuf *out_decisions;    // gets all decisions, as JSON; NULL: not requested
  ReshardMemo *memo;        // reshards of earlier programs on this mesh; NULL = none
} LocalOptions;

// A program with sdy.reshard or sdy collectives was propagated by another tool: its arguments and
// results keep the shardings that they have, unless the request allows more. O(program).
void keep_propagated_edges(const Program *program, PropagateRequest *request);

// Decides how to partition a program with closed shardings (session->partition); writes nothing.
// Ops that cannot be partitioned and given decisions that are refused are errors in session->diag.
// *out_redundant is filled by stage_partition if the options ask for it; it may be NULL otherwise.
Status *stage_decide(Session *session, const LocalOptions *options,
                     RedundantList *out_redundant) MUST_USE;
// Rewrites the program in place to the local program, as decided. *out_mesh is 0 if nothing is
// sharded.
Status *stage_partition(Session *session, MeshId *out_mesh) MUST_USE;
// Runs the passes of the options on the local program.
Status *stage_optimize(Session *session, const LocalOptions *options, MeshId mesh) MUST_USE;
// Is the local program sound and valid? INTERNAL if not sound.
Status *stage_check_local(Session *session) MUST_USE;

// stage_optimize without a session, for the default machine. O(program).
Status *pipeline_optimize(Program *local, ShardingTable *table, MeshId mesh,
                          const LocalOptions *options, Guard *guard, Diag *diag) MUST_USE;

#endif
