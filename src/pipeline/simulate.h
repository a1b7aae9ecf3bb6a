// The stage that predicts: seconds and peak memory of a local program on the session's machine.
#ifndef TESSERA_PIPELINE_SIMULATE_H
#define TESSERA_PIPELINE_SIMULATE_H

#include "cost/simulate.h"
#include "pipeline/session.h"

typedef struct Prediction {
  const Simulated *simulated;  // NULL: not requested
  const Program *program;      // that its ids are of: the local program with its calls inlined
  const Machine *machine;
  const Mesh *mesh;     // NULL: without axes
  double global_flops;  // of the global program; 0 = unknown
} Prediction;

// Simulates the session's local program. Calls are inlined in a clone, which the session frees.
// INVALID_ARGUMENT if the mesh does not fit the machine's shape. O(program with inlined calls).
Status *stage_simulate(Session *session, const Mesh *mesh, uint32_t n_devices, double global_flops,
                       Prediction *out) MUST_USE;

// Inlines all calls in place. False if there are none, or if the program would become too large.
bool inline_all_calls(Program *program, Arena *arena);

// The same for a program that is local already: its mesh is the module's `tessera.mesh`, or the
// text's (`data=4,model=2`), or one axis of all its partitions. *out_devices: how many it is for.
Status *simulate_local(Session *session, const char *mesh, const char *machine,
                       Prediction *out) MUST_USE;
// Whether `tessera partition` wrote the program.
bool is_local_program(const Program *program);

#endif
