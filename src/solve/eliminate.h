// The exact optimum of a core whose memory cannot bind, if its graph is narrow.
#ifndef TESSERA_SOLVE_ELIMINATE_H
#define TESSERA_SOLVE_ELIMINATE_H

#include "base/vec.h"
#include "solve/core.h"

// Largest table, and all tables together, in entries.
enum { ELIMINATE_MOST_TABLE = 1 << 20, ELIMINATE_MOST_TOTAL = 1 << 24 };

// Writes the cheapest strategies to out_x and their cost, constant included, to *out_cost. False if
// a table would be too large; nothing is written then. Ignores memory. Without any plan that avoids
// forbidden entries the cost is CORE_FORBIDDEN. Adds to *work.
bool eliminate_core(const Core *core, Arena *arena, uint32_t *out_x, int64_t *out_cost,
                    uint64_t *work);

#endif
