// Finds names of arguments and results in O(1) each: a rule file may name every parameter.
#ifndef TESSERA_ANNOTATE_TARGET_INDEX_H
#define TESSERA_ANNOTATE_TARGET_INDEX_H

#include "annotate/target.h"

typedef struct TargetIndex TargetIndex;

// Indexes the entry functions, in the arena. Valid while the program is unchanged.
// O(arguments + results).
TargetIndex *target_index_new(const Program *p, Arena *arena);
// Equals targets_find; O(1) if the pattern is the full path of an argument or result.
TargetList target_index_find(const TargetIndex *index, Str pattern, Arena *arena);

#endif
