#include "cost/compute.h"

// The same as `default` of machines.def.
const Compute compute_default = {1e14, 2e12};

double compute_seconds(const Compute *compute, double flops) {
  return flops / compute->flops_per_second;
}
