// Completes the manual axes of manual computations.
#ifndef TESSERA_ANNOTATE_MANUAL_AXES_H
#define TESSERA_ANNOTATE_MANUAL_AXES_H

#include "ir/program.h"

// Sorts manual_axes in the mesh's order. Adds the manual axes that an in_sharding or out_sharding
// does not use to its replicated axes. O(program).
void manual_axes_complete(Program *p, Arena *arena);

#endif
