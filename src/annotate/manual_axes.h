// The manual axes of manual computations, spelled in full.
#ifndef TESSERA_ANNOTATE_MANUAL_AXES_H
#define TESSERA_ANNOTATE_MANUAL_AXES_H

#include "ir/program.h"

// Puts manual_axes in the mesh's order, and adds to each in_sharding and out_sharding, as
// replicated, the manual axes that it does not use. O(program).
void manual_axes_complete(Program *p, Arena *arena);

#endif
