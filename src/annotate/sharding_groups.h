// Values that sdy.sharding_group ops require to have one sharding.
#ifndef TESSERA_ANNOTATE_SHARDING_GROUPS_H
#define TESSERA_ANNOTATE_SHARDING_GROUPS_H

#include "base/diag.h"
#include "ir/program.h"

// Joins groups that share a value, numbers them from 0 in the order of their least id, and keeps
// one sharding_group per value. False after an error: a group has values of different shapes, or
// crosses the boundary of a manual computation. O(n log n).
bool sharding_groups_import(Program *p, Arena *arena, Diag *diag);
// Gives every member of a group the sharding that one of them is annotated with. If two annotations
// differ, warns and puts a constraint that is open in all dimensions after each member. O(n log n).
void sharding_groups_sync(Program *p, Arena *arena, Diag *diag);

#endif
