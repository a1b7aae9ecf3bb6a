// Statistics of a local program's communication, from the types of its collectives.
#ifndef TESSERA_COST_TRAFFIC_H
#define TESSERA_COST_TRAFFIC_H

#include "cost/compute.h"
#include "cost/network.h"
#include "cost/trips.h"
#include "ir/program.h"
#include "sharding/mesh.h"

typedef struct TrafficRow {
  const char *axes;    // "data,model": axes along which devices of a group differ; "" if unknown
  uint16_t code;       // of the collective
  uint32_t n_groups;   // for a permute: the number of pairs of different devices
  uint32_t width;      // devices in a group; 0 for a permute
  uint32_t count;      // ops in the program: a loop's body counts once
  uint32_t in_loops;   // how many of them are in a loop, or in a function called from one
  double runs;         // how often they run in total
  double bytes;        // sent per device in all runs, on average over the devices
  uint64_t axis_bits;  // bit i: axis i of the mesh is one of `axes`
  bool unknown;        // runs and bytes depend on a loop of unknown trip count
} TrafficRow;

typedef struct Traffic {
  const TrafficRow *rows;  // one per kind, number and size of groups and axes, in program order
  uint32_t n_rows;
  uint32_t count;
  double runs, bytes;
  double steps;                         // collectives on the critical path
  double flops;                         // of one device, without communication
  double argument_bytes, result_bytes;  // of one device
  uint32_t unknown_loops;  // of unknown trip count, counted with trip_count iterations each
  uint32_t trip_count;
  bool trip_count_given;  // the user gave trip_count; otherwise it is a guess
  bool unknown_bytes, unknown_steps,
      unknown_flops;  // depend on such a loop (unknown_bytes: runs, too)
} Traffic;

// The row of one collective. runs NULL: of one run. The axes' text is in the arena (NULL: left
// out).
TrafficRow traffic_row(const Program *local, OpId op, const Mesh *mesh, uint32_t n_devices,
                       Arena *arena, const Runs *runs);
// The mesh axes of a row; at most 64 in `room`.
AxisList traffic_axes(const Network *network, const TrafficRow *row, AxisRef *room);
// The text of a bit set of axes: "data,model".
const char *traffic_axes_text(const Program *local, const Mesh *mesh, uint64_t bits, Arena *arena);
// Bytes sent per device by one collective in all its runs, and the bit set of mesh axes over which
// it communicates (mesh NULL: 0).
double traffic_of(const Program *local, OpId op, const Mesh *mesh, uint32_t n_devices,
                  const Runs *runs, uint64_t *out_axis_bits);

// Bytes are those of bandwidth-optimal algorithms (collectives.def): (n-1)/n of the global value
// for an all-gather, reduce-scatter and all-to-all, twice that for an all-reduce, the operand for a
// permute. Loops count as often as they run (cost/trips.h), functions as often as they are called.
// mesh may be NULL. Rows are in the arena. O(ops · depth + collectives · rows).
void traffic_count(const Program *local, const Mesh *mesh, uint32_t n_devices, Arena *arena,
                   Traffic *out);
// Predicted seconds of one run: FLOPs, plus the transfer time of each collective over the levels of
// its links, plus the mean latency of the collectives for each one on the critical path.
double traffic_seconds(const Traffic *traffic, const Network *network, const Compute *compute);
// FLOPs of the global program over all devices of the mesh (NULL: one), for comparison. O(ops ·
// depth).
double program_flops(const Program *p, const Mesh *mesh, Arena *arena);

#endif
