// Turns sharding constraints into shardings of the values they constrain.
#ifndef TESSERA_ANNOTATE_CONSTRAINTS_H
#define TESSERA_ANNOTATE_CONSTRAINTS_H

#include "ir/program.h"

// A closed sharding constraint (or in_sharding of a manual computation) that no other use
// contradicts also becomes the sharding of its operand. If the operand is a target of a data-flow
// edge, the operand's users use the constraint's result instead; with implied_edges also for edges
// that loops, bodies and calls imply. Users after a chain of constraints use its last result.
// O(program + uses of constrained values).
void constraints_apply(Program *p, bool implied_edges, Arena *arena);

#endif
