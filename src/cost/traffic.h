// What a local program exchanges, from the types of its collectives.
#ifndef TESSERA_COST_TRAFFIC_H
#define TESSERA_COST_TRAFFIC_H

#include "cost/compute.h"
#include "cost/network.h"
#include "cost/trips.h"
#include "ir/program.h"
#include "sharding/mesh.h"

typedef struct TrafficRow {
  const char *axes;    // "data,model": along which the devices of a group differ; "" if not known
  uint16_t code;       // of the collective
  uint32_t n_groups;   // of a permute: pairs of different devices
  uint32_t width;      // devices in a group; 0 for a permute
  uint32_t count;      // ops in the text: a loop's body counts once
  uint32_t in_loops;   // how many of them stand in one, or in what one calls
  double runs;         // how often they are run, all together
  double bytes;        // that leave a device for all runs of them, on average over the devices
  uint64_t axis_bits;  // bit i: axis i of the mesh is one of `axes`
  bool unknown;        // runs and bytes depend on a loop of unknown length
} TrafficRow;

typedef struct Traffic {
  const TrafficRow *rows;  // one per kind and shape of groups, in the order of the program
  uint32_t n_rows;
  uint32_t count;
  double runs, bytes;
  double steps;  // runs of collectives of which each waits for the one before, at most
  double flops;  // of one device, exchange left out
  double argument_bytes, result_bytes;  // that one device has
  uint32_t unknown_loops;  // of unknown length, counted as trip_count iterations each …
  uint32_t trip_count;
  bool told;                                         // … as the user said; else it is a guess
  bool unknown_bytes, unknown_steps, unknown_flops;  // depend on such a loop: runs too, of bytes
} Traffic;

// Bytes sent per device by one collective, as often as it is run. Axes of the mesh (NULL: none is
// known) over which it communicates, as bits.
double traffic_of(const Program *local, OpId op, const Mesh *mesh, uint32_t n_devices,
                  const Runs *runs, uint64_t *out_axis_bits);

// Bytes are those of the best known ways: (n-1)/n of the whole for a gather, a scatter of sums and
// an all-to-all, twice that for an all-reduce, the operand for a permute. Loops count as often as
// they run (cost/trips.h), functions as often as they are called. mesh may be NULL. Rows live in
// the arena. O(ops · depth + collectives · rows).
void traffic_count(const Program *local, const Mesh *mesh, uint32_t n_devices, Arena *arena,
                   Traffic *out);
// Predicted seconds of one run: work, bytes over the slowest link of each collective, and the mean
// latency of the collectives for each one on the critical path.
double traffic_seconds(const Traffic *traffic, const Network *network, const Compute *compute);
// Of the whole program before, on all devices of the mesh (NULL: one), to compare with. O(ops ·
// depth).
double program_flops(const Program *p, const Mesh *mesh, Arena *arena);

#endif
