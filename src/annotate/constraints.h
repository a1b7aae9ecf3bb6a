// Sharding constraints as shardings of the values they constrain.
#ifndef TESSERA_ANNOTATE_CONSTRAINTS_H
#define TESSERA_ANNOTATE_CONSTRAINTS_H

#include "ir/program.h"

// A closed sharding constraint (or in_sharding of a manual computation) that nothing contradicts
// becomes the sharding of its operand too. If a data-flow edge owns the operand, the operand's
// users take the constraint's result instead; implied_edges: also for edges that loops, bodies and
// calls imply. Users behind a chain of constraints take its last result. O(program + uses of
// constrained values).
void constraints_apply(Program *p, bool implied_edges, Arena *arena);

#endif
