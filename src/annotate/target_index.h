// Many names of arguments and results, each found at once: rules may have one for every parameter.
#ifndef TESSERA_ANNOTATE_TARGET_INDEX_H
#define TESSERA_ANNOTATE_TARGET_INDEX_H

#include "annotate/target.h"

typedef struct TargetIndex TargetIndex;

// Of the program's entries, in the arena; good as long as the program is not changed. O(arguments
// and results).
TargetIndex *target_index_new(const Program *p, Arena *arena);
// As targets_find, in O(1) where the pattern is the whole path of an argument or result.
TargetList target_index_find(const TargetIndex *index, Str pattern, Arena *arena);

#endif
