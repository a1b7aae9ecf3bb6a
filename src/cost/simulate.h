// One run of a local program on a machine: seconds and where they go, peak memory and what is alive
// then. Decides nothing.
#ifndef TESSERA_COST_SIMULATE_H
#define TESSERA_COST_SIMULATE_H

#include "cost/machine.h"
#include "cost/slack.h"
#include "cost/timeline.h"
#include "ir/program.h"

// Collectives of one kind over the same axes.
typedef struct SimulatedRow {
  uint16_t code;
  uint64_t axis_bits;  // of the mesh
  const char *axes;    // "data,model"; "" if unknown
  uint32_t count;      // ops in the program
  double runs, bytes;  // bytes sent per device in all runs
  double seconds;      // in which their links are busy
  double exposed;      // in which compute waits for them
  bool guess;          // depends on a loop of unknown trip count
} SimulatedRow;

// A buffer that is alive at the peak.
typedef enum LiveKind { LIVE_ARGUMENT, LIVE_RESULT, LIVE_CONSTANT, LIVE_TEMPORARY } LiveKind;
typedef struct SimulatedLive {
  ValueId value;
  double bytes;
  LiveKind kind;
} SimulatedLive;

// The timeline of a block: the entry function's, or that of a body inside it.
typedef struct SimulatedBlock {
  uint32_t n;
  const OpId *ops;  // task i is ops[i]
  const Task *tasks;
  Times times;
  bool *critical;
  // Per op: the body that it runs, and how often; NULL, 0 if it runs none.
  const struct SimulatedBlock **body;
  double *trips;
  double *curve;             // bytes alive per op, of the block itself and of bodies in it
  double *unshared_curve;    // the same if no temporary were in the buffer of a later result
  double flops[RATE_COUNT];  // of contractions, by unit; the last: of all other work
  double compute_seconds, exposed_seconds, peak_bytes;
  const SimulatedRow *rows;
  Exposure exposure;          // collectives by class
  const SimulatedLive *live;  // at the peak, the largest first
  uint32_t n_rows, n_live, peak_at;
  uint32_t streams;  // that it uses
  bool guess;
} SimulatedBlock;

typedef struct Simulated {
  double seconds;                    // = compute_seconds + exposed_seconds
  double compute_seconds;            // in which the device computes
  double exposed_seconds;            // in which it waits for collectives
  double collective_seconds, bytes;  // of all collectives; bytes sent per device
  Exposure exposure;                 // the same by class
  const SimulatedRow *rows;
  uint32_t n_rows;
  double flops;        // of a device
  double utilization;  // seconds of its contractions at the peak rates / seconds
  double peak_bytes, usable_bytes, argument_bytes, result_bytes;
  double undonated_bytes;  // of results that could have the buffer of an argument of their type
  const SimulatedBlock *block;  // of the entry function
  uint32_t n_devices;
  uint32_t unknown_loops, trip_count;  // trip_count: assumed for them
  bool guess, trip_count_given;        // the user gave trip_count
} Simulated;

// Ops are timed by a roofline (compute.h) after fusion (fusion.h), collectives by their algorithm
// and the links of their axes (collectives.def). Collectives overlap with work that does not depend
// on them (timeline.h). A loop is its body times its trips; of a branch the longest counts. Memory
// follows liveness in program order: arguments live to the end unless they are donated
// (tf.aliasing_output, jax.buffer_donor), results from the start unless they get the buffer of a
// donated argument (as XLA allocates them), elementwise ops and updates reuse a dying operand, a
// loop holds its carries and one body. Calls should be inlined; others are bodies. The entry is
// @main or the first function. mesh NULL: n_devices in one group. Results are in the arena.
// O(program · (depth + log)).
void simulate(const Program *local, const Machine *machine, const Mesh *mesh, uint32_t n_devices,
              Arena *arena, Simulated *out);

#endif
