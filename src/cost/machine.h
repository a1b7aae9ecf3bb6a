// What a program is to run on: the devices' speed and memory, and the links between them.
//
//   {"name": "h100",
//    "device": {"flops_per_second": 4e14, "bytes_per_second": 3.35e12, "memory_bytes": 80e9},
//    "links": [{"devices": 8, "latency_seconds": 3e-6, "gap_seconds": 0.3e-6, "bytes_per_second":
//    450e9},
//              {"latency_seconds": 10e-6, "gap_seconds": 1e-6, "bytes_per_second": 50e9}],
//    "axes": {"model": {"latency_seconds": 2e-6, "gap_seconds": 0.2e-6, "bytes_per_second":
//    900e9}}}
//
// Links are listed from the inside out, each with how many neighbouring devices it joins (the last:
// all of them). A mesh axis uses the first that joins all devices along it; `axes` says otherwise
// of axes by their names.
#ifndef TESSERA_COST_MACHINE_H
#define TESSERA_COST_MACHINE_H

#include "cost/compute.h"
#include "cost/network.h"
#include "sharding/mesh.h"

typedef struct MachineLink {
  const char *axis;  // NULL: joins this many neighbours
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

// From text as above; in the arena. INVALID_ARGUMENT names the line and what is wrong: a key that
// is not known, is missing, or is no positive number.
Status *machine_read(Str text, Arena *arena, Machine *out) MUST_USE;
// The text of a row of machines.def; NULL if there is none of that name.
const char *machine_text(const char *name);
const char *machine_names(void);  // of all rows: "default, h100"

// The links along the axes of a mesh; the array lives in the arena. A mesh that is NULL has none.
Network machine_network(const Machine *machine, const Context *context, const Mesh *mesh,
                        Arena *arena);

#endif
