// Speed of a device: FLOPs and memory bytes per second. Decides nothing.
#ifndef TESSERA_COST_COMPUTE_H
#define TESSERA_COST_COMPUTE_H

typedef struct Compute {
  double flops_per_second;  // of one device, in large contractions
  double bytes_per_second;  // of its memory
} Compute;

// The device of machine `default` (machines.def).
extern const Compute compute_default;

double compute_seconds(const Compute *compute, double flops);

#endif
