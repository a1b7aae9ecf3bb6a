// A solution as decisions that the partitioner obeys (docs/partition-decisions.md).
#ifndef TESSERA_PLAN_DECISIONS_H
#define TESSERA_PLAN_DECISIONS_H

#include "base/json.h"
#include "plan/model.h"

// Another program that gets the solution's decisions: ops, arguments and results that repeat those
// of the model's program (contract.h).
typedef struct PlanTarget {
  const Program *program;
  OpId entry;
  uint32_t n_arguments, n_results;
  // Per op, argument and result of it: that of the model's program.
  const OpId *ops;
  const uint32_t *arguments, *results;
} PlanTarget;

// Writes the members of a JSON object: version, program_ops, values, ops, meshes. choice: a
// strategy per variable. target NULL: for the model's program. O(program and target).
void plan_decisions(const Model *model, const uint32_t *choice, const PlanTarget *target,
                    Json *json);
// Writes the member "passes": no pass keeps more in memory than the solution says.
void plan_decisions_thrifty(Json *json);

#endif
