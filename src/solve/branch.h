// Branch and bound on the core: proves that the best plan is optimal, or finds a better one.
#ifndef TESSERA_SOLVE_BRANCH_H
#define TESSERA_SOLVE_BRANCH_H

#include "solve/dual.h"
#include "solve/state.h"

typedef struct Branch Branch;

// Cores of more than BRANCH_MOST_ENTRIES matrix entries are too large to be worth it.
enum { BRANCH_MOST_ENTRIES = 1 << 21, BRANCH_MOST_VARS = 2000 };

Branch *branch_new(const Core *core, Arena *arena);
// Searches all plans cheaper than *upper at the dual's prices and messages. A cheaper one goes to
// out_x and *upper. Returns whether the search was complete: then no plan that fits costs less than
// *upper. Stops after `most_work`, added to *work.
bool branch_run(Branch *branch, Dual *dual, int64_t *upper, uint32_t *out_x, uint64_t most_work,
                uint64_t *work);

#endif
