// One number: the peak of a large contraction in 16 bits, at what is usually reached of it.
#include "cost/compute.h"

const Compute compute_default = {4e14};

double compute_seconds(const Compute *compute, double flops) {
  return flops / compute->flops_per_second;
}
