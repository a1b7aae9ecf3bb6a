// Makes a plan that exceeds memory, or takes forbidden entries, fit.
#ifndef TESSERA_SOLVE_REPAIR_H
#define TESSERA_SOLVE_REPAIR_H

#include "solve/block.h"

typedef struct Repair Repair;

Repair *repair_new(const Core *core, Arena *arena);
// Changes the state until it is feasible or `most_work` is done. `price` (per point) is where
// prices start. Returns whether it is feasible.
bool repair_run(Repair *repair, Block *block, State *state, const double *price, uint64_t most_work,
                uint64_t *random);

#endif
