// Trip counts of loops, read from their induction variables, and how often ops run.
#ifndef TESSERA_COST_TRIPS_H
#define TESSERA_COST_TRIPS_H

#include "base/arena.h"
#include "ir/program.h"
#include "sharding/mesh.h"

// The trip count of loops whose iterations are unknown: as the user says, otherwise this guess.
enum { TRIPS_GUESS = 100 };

static inline uint32_t trips_unknown(const Program *p) {
  return p->trip_count ? p->trip_count : TRIPS_GUESS;
}

// The trip count of `while i < n { …; i = i + k }` with constants i, n and k (compared by <, <=, >,
// >=, !=); -1 for other loops. O(1).
int64_t loop_trips(const Program *p, OpId loop);
// The same, with trips_unknown instead of -1.
int64_t loop_trips_or_guess(const Program *p, OpId loop);
// How often an op runs in one call of its function: the product of the trip counts around it. Sets
// *out_unknown (never clears it) if one is unknown. O(depth).
double op_runs(const Program *p, OpId op, bool *out_unknown);
// The number of loops with an unknown trip count. O(ops).
uint32_t loops_unknown(const Program *p);

// How often functions run; a function without callers runs once. Arrays are indexed by op; `of`,
// `looped` and `guesses` are those of functions.
typedef struct Runs {
  const Program *program;
  const Mesh *mesh;  // NULL: ops in manual computations count once, not per device
  double *of;        // runs of the function
  bool *looped;      // it is called in a loop, directly or by its callers
  bool *guesses;     // … in one of unknown trip count
  OpId *callee;      // per op: the function that it calls; 0 = none
  OpId *order;       // functions in topological order: callers first
  uint32_t count;    // of them
} Runs;

// Results are in the arena. Recursive functions are not counted. Ops in manual computations run
// once for each device along their manual axes of the mesh (may be NULL). O(ops · depth).
void runs_count(const Program *p, const Mesh *mesh, Arena *arena, Runs *out);
// How often an op runs over all calls of its function. O(depth).
double runs_of(const Runs *runs, OpId op);
// True if that depends on a loop of unknown trip count. O(depth).
bool runs_unknown(const Runs *runs, OpId op);
bool runs_in_loop(const Runs *runs, OpId op);

#endif
