// A solution as decisions that the partitioner obeys (docs/partition-decisions.md).
#ifndef TESSERA_PLAN_DECISIONS_H
#define TESSERA_PLAN_DECISIONS_H

#include "base/json.h"
#include "plan/model.h"

// Writes the members of a JSON object: version, program_ops, values, ops, meshes. choice: a
// strategy per variable. O(program).
void plan_decisions(const Model *model, const uint32_t *choice, Json *json);
// Writes the member "passes": no pass keeps more in memory than the solution says.
void plan_decisions_thrifty(Json *json);

#endif
