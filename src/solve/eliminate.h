// The exact optimum of a core without its memory limit, if its graph is narrow. With memory prices
// in the costs of the states it is the exact Lagrangian bound (dual.h).
#ifndef TESSERA_SOLVE_ELIMINATE_H
#define TESSERA_SOLVE_ELIMINATE_H

#include "solve/core.h"

typedef struct Elimination Elimination;

// Finds an order of elimination. NULL if its tables would have more than `most_work` entries, or
// the core has too many variables or too large costs. The core is borrowed. O(variables^2 +
// variables * degree * width).
Elimination *elimination_new(const Core *core, uint64_t most_work, Arena *arena);
uint64_t elimination_work(const Elimination *e);  // of one run

// The least sum of `unary` (per state, >= 0) and matrix entries, without the core's constant, and
// its strategies; at least CORE_BROKEN: every plan takes a forbidden entry. Exact if all numbers
// are integers below 2^53 in sum; otherwise each plan's sum is off by at most elimination_error of
// itself.
double elimination_run(Elimination *e, const double *unary, uint32_t *out_x);
double elimination_error(const Elimination *e);

// Per state: the least sum of a plan that has it. After elimination_run with the same costs; about
// three times its work.
void elimination_marginals(Elimination *e, const double *unary, double *out_least);

#endif
