// Drops time points that another point makes superfluous.
#ifndef TESSERA_SOLVE_REDUCE_POINTS_H
#define TESSERA_SOLVE_REDUCE_POINTS_H

#include "solve/reduce_private.h"

// Drops points at which no plan exceeds the limit, and points that another one dominates. The items
// of reduce_memory_items must be up to date, and stay so. O(items * strategies) per pass; the
// number of passes is limited by work.
void reduce_points(Reduction *r);

#endif
