// How often loops run, read from their induction variables.
#ifndef TESSERA_COST_TRIPS_H
#define TESSERA_COST_TRIPS_H

#include "base/arena.h"
#include "ir/program.h"
#include "sharding/mesh.h"

enum { TRIPS_UNKNOWN = 100 };  // taken where it cannot be read

// Of `while i < n { …; i = i + k }` with constants i, n and k (compared by <, <=, >, >=, !=), the
// number of times its body runs; -1 if it is not of that form. O(condition + body's last ops).
int64_t loop_trips(const Program *p, OpId loop);
// How often an op runs each time its function is called: the product over the loops around it. Sets
// *out_guessed (never clears it) if TRIPS_UNKNOWN was taken for one. O(depth).
double op_runs(const Program *p, OpId op, bool *out_guessed);

// How often functions run; what nothing calls runs once. By op, of those in the module's block.
typedef struct Runs {
  const Program *program;
  const Mesh *mesh;  // NULL: what is in manual computations runs once for all devices
  double *of;
  bool *looped;    // it is called from within a loop, or by one that is
  OpId *callee;    // by op, of calls; else 0
  OpId *order;     // the functions, each behind those that call it
  uint32_t count;  // of them
  bool guessed;    // as of op_runs
} Runs;

// In the arena. What calls itself is not counted. Manual computations run once for each device
// along their axes of the mesh, which may be NULL. O(ops · depth).
void runs_count(const Program *p, const Mesh *mesh, Arena *arena, Runs *out);
// How often an op runs, from all calls of its function. O(depth).
double runs_of(Runs *runs, OpId op);
bool runs_in_loop(const Runs *runs, OpId op);

#endif
