// Values that sdy.sharding_group ops tie together.
#ifndef TESSERA_ANNOTATE_SHARDING_GROUPS_H
#define TESSERA_ANNOTATE_SHARDING_GROUPS_H

#include "base/diag.h"
#include "ir/program.h"

// Joins groups that share a value, numbers them from 0 in the order of the least id, and lists a
// value once in its group. False after an error: a group has values of different shapes, or crosses
// the border of a manual computation. O(n log n).
bool sharding_groups_import(Program *p, Arena *arena, Diag *diag);
// Gives every member of a group the sharding that is annotated on one of them. If two annotations
// differ there is a warning, and each member is followed by a constraint that is open in all
// dimensions. O(n log n).
void sharding_groups_sync(Program *p, Arena *arena, Diag *diag);

#endif
