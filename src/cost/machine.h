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
// (network.h). `axes` overrides the link of a mesh axis by name.
#ifndef TESSERA_COST_MACHINE_H
#define TESSERA_COST_MACHINE_H

#include "cost/compute.h"
#include "cost/network.h"
#include "sharding/mesh.h"

typedef struct MachineLink {
  const char *axis;  // the mesh axis, in `axes`; NULL in `links`
  uint32_t devices;  // 0 = all
  Link link;
} MachineLink;

typedef struct Machine {
  const char *name;
  Compute compute;
  double memory_bytes;  // of a device
  uint32_t n_links, n_axes;
  const MachineLink *links, *axes;
} Machine;

// Reads text as above; results are in the arena. INVALID_ARGUMENT names the line and the error: a
// key that is unknown or missing, or a value that is no positive number.
Status *machine_read(Str text, Arena *arena, Machine *out) MUST_USE;
// The JSON text of a machine of machines.def; NULL if there is none of that name.
const char *machine_text(const char *name);
const char *machine_names(void);  // all of them: "default, h100"

// The links along the axes of a mesh (NULL: no axes). Arrays are in the arena.
Network machine_network(const Machine *machine, const Context *context, const Mesh *mesh,
                        Arena *arena);

#endif
