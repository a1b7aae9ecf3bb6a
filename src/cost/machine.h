// The machine that a program is planned for: speed and memory of devices, links between them.
//
//   {"name": "h100",
//    "device": {"flops_per_second": 4e14, "bytes_per_second": 3.35e12, "memory_bytes": 80e9},
//    "links": [{"devices": 8, "latency_seconds": 3e-6, "gap_seconds": 0.3e-6, "bytes_per_second":
//    450e9},
//              {"latency_seconds": 10e-6, "gap_seconds": 1e-6, "bytes_per_second": 50e9}],
//    "axes": {"model": {"latency_seconds": 2e-6, "gap_seconds": 0.2e-6, "bytes_per_second":
//    900e9}}}
//
// Links are listed from the innermost outwards, each with the number of neighbouring devices that
// it joins (the last one: all). Groups along a mesh axis use every level that they span
// (network.h). `axes` overrides the link of a mesh axis by name. docs/machine.md has all keys.
//
// `device` holds two kinds of rates. flops_per_second and bytes_per_second price choices
// (partition, optimize). The peaks by type and the fractions that are reached are for the timeline
// (simulate); a description without them uses the first for both.
#ifndef TESSERA_COST_MACHINE_H
#define TESSERA_COST_MACHINE_H

#include "cost/compute.h"
#include "cost/network.h"
#include "sharding/mesh.h"

typedef struct MachineLink {
  const char *axis;  // the mesh axis, in `axes`; NULL in `links`
  uint32_t devices;  // 0 = all
  Link link;
  Topology topology;
  uint32_t dimensions;  // of a torus; otherwise 1
  uint32_t wraps_from;  // a ring or dimension of at least this size is closed; 0: every
} MachineLink;

// How a runtime overlaps the collectives along a mesh axis with compute.
typedef enum Overlap {
  OVERLAP_FREE,       // with all work that does not depend on them
  OVERLAP_NONE,       // not at all: compute waits, as for PyTorch's tensor parallelism
  OVERLAP_PIPELINED,  // with the contraction next to them, in as many pieces as there are devices
} Overlap;

typedef struct MachineOverlap {
  const char *axis;
  Overlap overlap;
} MachineOverlap;

enum { MACHINE_MOST_DIMENSIONS = 8 };

typedef struct Machine {
  const char *name;
  const char *source;     // of the numbers, in words; "" if unknown
  Compute compute;        // that choices are priced with
  Rates rates;            // that the timeline is priced with
  double memory_bytes;    // of a device
  double usable_memory;   // fraction of it that programs can use
  bool fused_attention;   // the timeline takes attention as fused kernels (attention.h)
  uint32_t shared_cores;  // all devices share this many cores, whose rates are above; 0: none do
  uint32_t n_links, n_axes;
  const MachineLink *links, *axes;
  uint32_t n_overlaps;  // axes that are not listed: OVERLAP_FREE
  const MachineOverlap *overlaps;
  uint32_t n_shape;                         // 0: of any size
  uint32_t shape[MACHINE_MOST_DIMENSIONS];  // devices, innermost level first: 8x4, 4x4x4
} Machine;

// Reads text as above; results are in the arena. INVALID_ARGUMENT names the line and the error: a
// key that is unknown or missing, or a value that is no positive number.
Status *machine_read(Str text, Arena *arena, Machine *out) MUST_USE;
// The JSON text of a machine of machines/*.json, without a shape; NULL if there is none of that
// name. '-' and '_' are the same in names; `cpu` is shared_cores.
const char *machine_text(const char *name);
// The JSON text of NAME[:SHAPE], as in h100:8x4; the caller frees it (mem_free). *out_text is NULL
// if there is no machine of that name. INVALID_ARGUMENT for a malformed shape.
Status *machine_find(const char *word, char **out_text) MUST_USE;
const char *machine_names(void);  // all of them: "default, a100"
uint32_t machine_count(void);
const char *machine_name(uint32_t i);

// The axes of a mesh (NULL: none) whose collectives overlap like this, as a bit set. On shared
// cores nothing overlaps unless the description says so.
uint64_t machine_overlap_axes(const Machine *machine, const Context *context, const Mesh *mesh,
                              Overlap overlap);

// Devices of a machine with a shape: their product; 0 without one.
uint32_t machine_devices(const Machine *machine);
// The speed, the rates and the memory of one of n devices: they share the cores and memory of a
// host.
Compute machine_compute(const Machine *machine, uint32_t n_devices);
Rates machine_rates(const Machine *machine, uint32_t n_devices);
double machine_usable_bytes(const Machine *machine, uint32_t n_devices);

// The links along the axes of a mesh (NULL: no axes). Devices that share cores also share the time
// in which these copy messages. Arrays are in the arena. With a shape each
// dimension of a torus is a level of its own.
Network machine_network(const Machine *machine, const Context *context, const Mesh *mesh,
                        Arena *arena);
// The same with a fraction of the bandwidths, as it is reached (Rates.links).
Network machine_network_reached(const Machine *machine, const Context *context, const Mesh *mesh,
                                double fraction, Arena *arena);

#endif
