// How often loops run, read from their induction variables.
#ifndef TESSERA_COST_TRIPS_H
#define TESSERA_COST_TRIPS_H

#include "base/arena.h"
#include "ir/program.h"
#include "sharding/mesh.h"

// Loops whose iterations cannot be read count as many times as the user says, else as this guess.
enum { TRIPS_GUESS = 100 };

static inline uint32_t trips_unknown(const Program *p) {
  return p->trip_count ? p->trip_count : TRIPS_GUESS;
}

// Of `while i < n { …; i = i + k }` with constants i, n and k (compared by <, <=, >, >=, !=), the
// number of times its body runs; -1 if it is not of that form. O(condition + body's last ops).
int64_t loop_trips(const Program *p, OpId loop);
// The same, and trips_unknown for -1.
int64_t loop_trips_or_guess(const Program *p, OpId loop);
// How often an op runs each time its function is called: the product over the loops around it. Sets
// *out_unknown (never clears it) if trips_unknown was taken for one. O(depth).
double op_runs(const Program *p, OpId op, bool *out_unknown);
// How many loops of the program have an unknown length. O(ops).
uint32_t loops_unknown(const Program *p);

// How often functions run; what nothing calls runs once. By op, of those in the module's block.
typedef struct Runs {
  const Program *program;
  const Mesh *mesh;  // NULL: what is in manual computations runs once for all devices
  double *of;
  bool *looped;    // it is called from within a loop, or by one that is
  bool *guesses;   // … from within one of unknown length
  OpId *callee;    // by op, of calls; else 0
  OpId *order;     // the functions, each behind those that call it
  uint32_t count;  // of them
} Runs;

// In the arena. What calls itself is not counted. Manual computations run once for each device
// along their axes of the mesh, which may be NULL. O(ops · depth).
void runs_count(const Program *p, const Mesh *mesh, Arena *arena, Runs *out);
// How often an op runs, from all calls of its function. O(depth).
double runs_of(const Runs *runs, OpId op);
// Does that depend on a loop of unknown length? O(depth).
bool runs_unknown(const Runs *runs, OpId op);
bool runs_in_loop(const Runs *runs, OpId op);

#endif
