// How often loops run, read from their induction variables.
#ifndef TESSERA_COST_TRIPS_H
#define TESSERA_COST_TRIPS_H

#include "ir/program.h"

enum { TRIPS_UNKNOWN = 100 };  // taken where it cannot be read

// Of `while i < n { …; i = i + k }` with constants i, n and k (compared by <, <=, >, >=, !=), the
// number of times its body runs; -1 if it is not of that form. O(condition + body's last ops).
int64_t loop_trips(const Program *p, OpId loop);
// How often an op runs each time its function is called: the product over the loops around it. Sets
// *out_guessed (never clears it) if TRIPS_UNKNOWN was taken for one. O(depth).
double op_runs(const Program *p, OpId op, bool *out_guessed);

#endif
